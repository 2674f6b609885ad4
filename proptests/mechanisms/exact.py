"""What needs no runs: laws that are known, and floats that no uniform number leads to."""

from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb

from kproof.errors import InvalidArgument
from kproof.models.base.arrays import Floats
from kproof.proptests.mechanisms.certified import PrivacyClaim
from kproof.proptests.mechanisms.mechanism import UNIFORM_BITS, Mechanism
from kproof.proptests.mechanisms.neighbours import hand
from kproof.theory.exact.enclosure import Enclosure
from kproof.theory.exact.precision import decide
from kproof.theory.exact.typed import as_arb
from kproof.theory.losses.typed import probabilities

_GRID, _SLACK = 1025, 2.0**-40
"""Uniform numbers by which one sees whether a function rises, and how far it may turn back, as a
share of its largest answer."""
_BESIDE = 64
"""Uniform numbers on either side that are tried, too: a logarithm is rounded, and may fall by an
ulp where it should rise."""


def exact_delta(
    mechanism: Mechanism, first: Any, second: Any, claim: PrivacyClaim
) -> tuple[bool, Enclosure]:
    """Return whether δ is above a claim, of the first data against the second, and that δ."""
    if mechanism.law is None:
        raise InvalidArgument("mechanism", mechanism.name, "one with a law")
    ours, theirs = (probabilities("law", mechanism.probabilities(data)) for data in (first, second))
    pairs = [(mass, theirs.get(answer, Fraction(0))) for answer, mass in ours.items()]
    if claim.epsilon == 0:
        # e^0 is rational: what is equal would never be decided by balls.
        excess = [max(our_mass - their_mass, Fraction(0)) for our_mass, their_mass in pairs]
        exact = sum(excess, start=Fraction(0))
        return exact > claim.delta, Enclosure.exactly(exact)

    def compare() -> tuple[bool, Enclosure] | None:
        odds, limit = as_arb(claim.epsilon).exp(), as_arb(claim.delta)
        gains = [as_arb(our_mass) - odds * as_arb(their_mass) for our_mass, their_mass in pairs]
        if all(gain <= 0 for gain, (_, their_mass) in zip(gains, pairs, strict=True) if their_mass):
            # What cannot be there otherwise is all of it, and rational: it may equal the claim.
            alone = sum((our_mass for our_mass, their_mass in pairs if not their_mass), Fraction(0))
            return alone > claim.delta, Enclosure.exactly(alone)
        total = sum((gain.max(arb(0)) for gain in gains), arb(0))
        if total > limit or total <= limit:
            return bool(total > limit), Enclosure.from_arb(total, low=0, high=1)
        return None

    return decide(compare, f"delta at epsilon {claim.epsilon}")


def _direction(mechanism: Mechanism, values: Floats) -> float:
    """Return 1 if values never fall, -1 if they never rise, but for rounding."""
    numbers = values[~np.isnan(values)]
    # By the ends: whatever the answers' scale, a direction that is wrong would accuse them all.
    sign = -1.0 if len(numbers) and numbers[-1] < numbers[0] else 1.0
    slack = _SLACK * np.abs(numbers[np.isfinite(numbers)]).max(initial=0.0)
    with np.errstate(invalid="ignore"):
        turns_back = (sign * np.diff(numbers) < -slack).any()
    if turns_back:
        need = "of_uniform that never falls, or never rises, with its number"
        raise InvalidArgument("mechanism", mechanism.name, need)
    return sign


def unreachable(mechanism: Mechanism, data: Any, answers: Floats) -> np.ndarray[Any, Any]:
    """Say of each answer whether no uniform number leads to it with some data.

    The first number that leads to the answer or beyond is found by halving, and those around it
    are tried, so that what is said holds of a function that is nowhere further from being monotone.
    """
    if mechanism.of_uniform is None:
        raise InvalidArgument("mechanism", mechanism.name, "one with of_uniform")
    function, most = mechanism.of_uniform, (1 << UNIFORM_BITS) - 1

    def at(place: np.ndarray[Any, Any]) -> Floats:
        uniform = np.clip(place, 0, most).astype(np.float64) * 2.0**-UNIFORM_BITS
        with np.errstate(all="ignore"):
            return np.asarray(function(hand(data), uniform), dtype=np.float64)

    sign = _direction(mechanism, at(np.linspace(0, most, _GRID).astype(np.int64)))
    low, high = np.zeros(len(answers), dtype=np.int64), np.full(len(answers), most)
    # NaN is on no side of an answer, so that a search that meets one goes astray: nothing is said
    # of what it was looking for, nor of answers that are NaN themselves.
    missing = ~np.isnan(answers)
    while (low < high).any():
        middle = (low + high) // 2
        there = at(middle)
        missing &= ~np.isnan(there)
        reached = sign * there >= sign * answers
        low, high = np.where(reached, low, middle + 1), np.where(reached, middle, high)
        # Those that are settled must not move on while others are looked for.
        low = np.minimum(low, high)
    for step in range(-_BESIDE, _BESIDE + 1):
        missing &= at(low + step) != answers
    return missing
