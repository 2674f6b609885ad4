"""A released count against itself, with the victim's tuple in it and without.

The others are random, the victim's tuple is not: O ~ Bin(n, p) counts the others, and the count
released is O or O + 1. It is released only if it is at least k, so that the two laws are those of
O given O >= k and of O + 1 given O >= k - 1. Neither is a shift of the other: a truncation that
comes after the victim leaves no count that only one of them has at the lower end.
"""

from __future__ import annotations

from kproof.errors import InvalidArgument
from kproof.theory.exact.enclosure import Enclosure
from kproof.theory.exact.typed import Number, integer, rational
from kproof.theory.laws.binomial import MOST_TRIALS
from kproof.theory.profiles.binomial import others_sides
from kproof.theory.profiles.inverse import invert
from kproof.theory.profiles.side import Goal, PrivacyProfile, evaluate

_GOAL = Goal(1e-12)


def others_exact(
    n: Number, p: Number, k: Number, *, epsilon: Number | None = None, delta: Number | None = None
) -> Enclosure:
    """Return the exact delta of an epsilon, or the reverse, for all events and both directions.

    Args:
        n: Number of others, 1 to 10**15.
        p: Probability that a tuple is picked, 0 < p < 1.
        k: Least count that is released, 1 <= k <= n.
        epsilon, delta: Exactly one; epsilon >= 0, 0 <= delta <= 1.

    >>> print(others_exact(59, "1/5", 31, epsilon=2))
    9.472157e-25
    """
    count = integer("n - 1 (others only)", n, least=1, most=MOST_TRIALS)
    size = integer("k", k, least=1, most=count)
    chance = rational("p", p, above=0, below=1)
    profile = PrivacyProfile(
        lambda _: others_sides(count, chance, size), 3 * count.bit_length() + 40
    )
    if epsilon is not None and delta is None:
        return evaluate(profile, [rational("epsilon", epsilon, least=0)], _GOAL)[0]
    if delta is not None and epsilon is None:
        return invert(profile, [rational("delta", delta, least=0, most=1)], _GOAL)[0]
    raise InvalidArgument("(epsilon, delta)", (epsilon, delta), "exactly one of the two")
