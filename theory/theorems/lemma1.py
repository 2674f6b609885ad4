"""Lemma 1: the Gaussian part of Theorems 2 to 5, and the constant c' in closed form.

The paper defines c' as the least c with ln((2c^2-1)/(2c)) + (4c^4-4c^2+1)/(8c^2) > ln(sqrt(n)/
sqrt(2 pi)). With u = c - 1/(2c) the left side is ln u + u^2/2, so the condition is
u^2 exp(u^2) > n/(2 pi), and the infimum (it is not attained) is Lambert's W. The paper's second
condition, c^2 s/epsilon1 - s/2 > k, compares a noise threshold with a count and has no part in the
privacy; it is kept where the paper prints it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import overload

import numpy as np
import sympy as sp

from kproof.errors import InvalidArgument
from kproof.theory.exact import Enclosure, Number, rational
from kproof.theory.theorems.symbolic import Phi, enclose

EPSILON = sp.Symbol(r"\varepsilon", nonnegative=True)
EPSILON1 = sp.Symbol(r"\varepsilon_1", positive=True)
K = sp.Symbol("k", positive=True)
S = sp.Symbol("s", positive=True)
C0 = sp.Symbol("c_0", positive=True)
C_PRIME = sp.Symbol("c'", positive=True)
Z = sp.Symbol("z", positive=True)
_N = sp.Symbol("n", positive=True)


def least_c(n: sp.Expr) -> dict[sp.Symbol, sp.Expr]:
    """Return the definitions of z and c_0 for delta_1 = 1/sqrt(n)."""
    return {Z: sp.sqrt(sp.LambertW(n / (2 * sp.pi))), C0: (Z + sp.sqrt(Z**2 + 2)) / 2}


_LEAST = least_c(_N)


def c_prime() -> dict[sp.Symbol, sp.Expr]:
    """Return the definition of c' from c_0 and the condition on k, epsilon_1 being given."""
    return {C_PRIME: sp.Max(C0, sp.sqrt(EPSILON1 * (K / S + sp.Rational(1, 2))))}


@cache
def self_consistent_epsilon(variance: sp.Expr) -> sp.Expr:
    """Return the epsilon with epsilon_1 = epsilon: the paper's circular definition, solved."""
    return sp.Max(C0 * S / sp.sqrt(variance), S * (K + S / 2) / variance)


def gaussian_delta(epsilon: sp.Expr, shift_over_sigma: sp.Expr) -> sp.Expr:
    """Return the exact profile of a Gaussian under a shift (Balle and Wang 2018, Theorem 8).

    It holds for every epsilon >= 0, so that no condition epsilon < 1 is left.
    """
    m = shift_over_sigma
    return Phi(m / 2 - epsilon / m) - sp.exp(epsilon) * Phi(-m / 2 - epsilon / m)


@overload
def minimal_c(*, n: Number) -> Enclosure: ...
@overload
def minimal_c(*, n: Sequence[int]) -> tuple[Enclosure, ...]: ...
@overload
def minimal_c(*, delta1: Number) -> Enclosure: ...


def minimal_c(
    *, n: Number | Sequence[int] | None = None, delta1: Number | None = None
) -> Enclosure | tuple[Enclosure, ...]:
    """Return the least c of Lemma 1 without its condition on k, to a relative width below 1e-20.

    ``n`` is the number of records, delta_1 being 1/sqrt(n), or a sequence of them; in its place
    ``delta1`` is delta_1 itself, 0 < delta_1 < 1.

    >>> str(minimal_c(n=1000))
    '2.166858'
    >>> minimal_c(n=0)
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: n = 0: need n > 0
    """
    if (n is None) == (delta1 is None):
        raise InvalidArgument("n, delta1", f"{n}, {delta1}", "exactly one of the two")
    if delta1 is not None:
        return _least(1 / rational("delta1", delta1, above=0, below=1) ** 2)
    if not isinstance(n, str) and isinstance(n, Sequence | np.ndarray):
        return tuple(_least(rational("n", count, above=0)) for count in n)
    return _least(rational("n", n, above=0))


def _least(n: Fraction) -> Enclosure:
    return Enclosure.from_arb(enclose(C0, {_N: n}, _LEAST), low=0)
