"""What the derivations of Theorem 1 share: the binomial count, its masses and its threshold.

``P(x, n, p)`` is the mass of M ~ Bin(n, p) at x, ``F`` its distribution function. E stands for
exp(epsilon); as epsilon runs over what is above 0, E runs over what is above 1.
"""

from __future__ import annotations

import sympy as sp

from kproof.theory.derivations import methods as by
from kproof.theory.derivations.derivation import Step
from kproof.theory.derivations.formulas import added, at_most, equal, iff, less

N = sp.Symbol("n", integer=True, positive=True)
K = sp.Symbol("k", integer=True, positive=True)
X = sp.Symbol("x", integer=True)
M = sp.Symbol("m", integer=True)
PROB = sp.Symbol("p", positive=True)
E = sp.Symbol("E", positive=True)
MU = sp.Symbol("mu", nonnegative=True)

MASS = sp.Function("P")
BELOW = sp.Function("F")

SHARE = sp.Function("o")
"""Share of a count that the event takes: 0 or 1, or in between for a randomized event."""

CHANCE = (less(PROB, 1),)
"""0 < p < 1."""
INSIDE = (at_most(1, X), at_most(X, N))


def mass(x: sp.Expr) -> sp.Expr:
    """Return the mass at x."""
    return MASS(x, N, PROB)


def below(m: sp.Expr) -> sp.Expr:
    """Return Pr[M <= m]."""
    return BELOW(m, N, PROB)


_I = sp.Symbol("i", integer=True)


def hoeffding(gap: sp.Expr) -> sp.Expr:
    """Return exp(-2 gap^2/n)."""
    return sp.exp(-2 * gap**2 / N)


def binomial_sum(low: sp.Expr, high: sp.Expr) -> sp.Expr:
    """Return Pr[low <= M <= high] spelled out, so that it has a value at a point."""
    term = sp.binomial(N, _I) * PROB**_I * (1 - PROB) ** (N - _I)
    return sp.Sum(term, (_I, low, high))


UP = PROB * (N + 1) / (E * (1 - PROB) + PROB)
"""Up to here a count is more than E times as likely as its predecessor."""
DOWN = (E * N * PROB - (1 - PROB)) / (E * PROB + 1 - PROB)
"""From here on a count is more than E times as likely as its successor."""

MASSES = Step(
    "mass",
    "Appendix A",
    equal(mass(X), sp.binomial(N, X) * PROB**X * (1 - PROB) ** (N - X)),
    by.Defined(),
    "M counts the chosen among n records, each chosen with probability p.",
)
NEIGHBOURS = Step(
    "neighbours",
    "(3), (4)",
    equal(X * (1 - PROB) * mass(X), (N - X + 1) * PROB * mass(X - 1)),
    by.Identity(),
    "The ratio of neighbouring masses, its denominators multiplied out.",
    follows=("mass",),
    given=CHANCE,
)
LOWER_TAIL = Step(
    "distribution",
    "Appendix A",
    added(below(M), M, mass(M), base=sp.Integer(-1)),
    by.Defined(),
    "F adds the masses up.",
)
RISES_UNTIL = Step(
    "threshold-up",
    "(9), (10)",
    iff(less(E * mass(X - 1), mass(X)), less(X, UP)),
    by.Arithmetic(),
    "A count is more than E times as likely as its predecessor if and only if it is small.",
    follows=("neighbours",),
    given=(*CHANCE, *INSIDE, less(0, mass(X - 1))),
)
FALLS_FROM = Step(
    "threshold-down",
    "(12)",
    iff(less(E * mass(X), mass(X - 1)), less(DOWN, X - 1)),
    by.Arithmetic(),
    "A count x - 1 is more than E times as likely as its successor if and only if it is large.",
    follows=("neighbours",),
    given=(*CHANCE, *INSIDE, less(0, mass(X - 1))),
)
SHARES = Step(
    "event",
    "Definition 2",
    equal(SHARE(M), sp.Min(1, sp.Max(0, sp.Function("r")(M)))),
    by.Defined(),
    "An event takes a share between 0 and 1 of every count; r is any function at all.",
)
