r"""What a sum tells of a shift if each record has a least law, whatever else it may be.

Record i has Pr[X_i = x | all others] >= w κ(x), known records among the others included: with
probability w it is a draw from κ, independent of everything else. Labels and the rest are told;
what is left is the sum of N draws from κ, N a sum of independent 0/1 numbers with chances w:

.. math:: \delta(\varepsilon) \le \mathbb{E}\, D_N(\varepsilon),

with D_N the profile of N draws. One more draw is post-processing, so that D_N falls and values at
some N enclose the mean. For w = 1 it is the exact value of independent records of law κ, and for κ
a uniform block the block bound (:mod:`kproof.theory.profiles.blocks`); a least law keeps all the
variance of the records, of which a block keeps a part only.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from flint import arb

from kproof.errors import InvalidArgument
from kproof.theory.exact import Enclosure, Number, as_arb, integer, rational, use_bits
from kproof.theory.laws import Binomial, IndependentSum, LatticeLaw
from kproof.theory.laws.records import MOST_EQUAL
from kproof.theory.profiles import delta
from kproof.theory.profiles.two_cells import combine, ends

_PARTS = 24
"""In how many parts the number of draws is put: with more the enclosure is narrower."""
_TAILS = (64, 256, 1024)
_WIDTH = "1e-6"


class LeastLaw(NamedTuple):
    """Some records, each with at least a share of its probability spread as a law says."""

    law: LatticeLaw
    """κ, the least law over its total."""
    share: Fraction
    """w, the total of the least law, from 0 to 1."""
    records: int
    """How many such records there are."""


def least_law_delta(
    records: Sequence[LeastLaw], *, epsilon: Number, shift: Number = 1
) -> Enclosure:
    """Return E D_N(ε), the δ of a random number of draws from least laws, at a shift above 0.

    >>> from kproof.theory.laws import FiniteLattice
    >>> law = FiniteLattice({0: "1/6", 1: "1/3", 2: "1/3", 3: "1/6"})
    >>> print(least_law_delta([LeastLaw(law, Fraction(3, 4), 4)], epsilon="0.4", shift=2))
    0.3468525
    """
    exponent = rational("epsilon", epsilon, least=0)
    distance = rational("shift", shift, above=0)
    for kind in records:
        rational("share", kind.share, least=0, most=1)
        integer("records", kind.records, least=0, most=MOST_EQUAL)
        if not isinstance(kind.law, LatticeLaw):
            raise InvalidArgument("law", kind.law, "a law on a lattice")
    counting = [kind for kind in records if kind.share and kind.records]
    # Kept from one tail to the next: many numbers of draws recur, and each costs a profile.
    masses: dict[tuple[int, ...], arb] = {}
    for tail in _TAILS:
        with use_bits(256):
            lower, upper = _between(counting, exponent, distance, tail, masses)
            # What was left out counts in full: less of it is, until it does not matter.
            if upper - lower <= lower:
                break
    return Enclosure.from_arb(lower.union(upper), low=0, high=1)


def _between(
    records: Sequence[LeastLaw],
    epsilon: Fraction,
    shift: Fraction,
    tail: int,
    masses: dict[tuple[int, ...], arb],
) -> tuple[arb, arb]:
    listed, dropped = [], arb(0)
    cuts = max(2, int(_PARTS ** (1 / max(len(records), 1))))
    for kind in records:
        if kind.share == 1:
            listed.append(list(ends(kind.records, [arb(1)], 1)))
            continue
        window = Binomial(kind.records, kind.share).window(arb(2) ** -tail)
        listed.append(list(ends(window.start, window.masses, cuts)))
        dropped += window.dropped
    lower, upper = arb(0), dropped
    for draws, until, since in combine(listed):
        if draws not in masses:
            masses[draws] = _profile(records, draws, epsilon, shift)
        lower += masses[draws].lower() * until
        upper += masses[draws].upper() * since
    return lower, upper


def _profile(
    records: Sequence[LeastLaw], draws: Sequence[int], epsilon: Fraction, shift: Fraction
) -> arb:
    """Return D_N for so many draws from each law."""
    if not any(draws):
        return arb(1)
    present = [(kind.law, n) for kind, n in zip(records, draws, strict=True) if n]
    total = IndependentSum([law for law, _ in present], counts=[n for _, n in present])
    value = delta(total, shift=shift, epsilon=epsilon, relative_width=_WIDTH)
    return as_arb(Fraction(value.lower)).union(as_arb(Fraction(value.upper)))
