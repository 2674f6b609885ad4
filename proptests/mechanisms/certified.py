"""What counts of an event prove: bounds of Clopper and Pearson, rounded outward, and their power.

All runs of a test are independent of how its event was chosen. Two bounds are right together with
probability 1 - α where each has α/2; the j-th test of a run has α/(j (j + 1)), which sum to α
however many tests there are and whatever the next one is chosen by.
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from kproof.theory.exact.enclosure import Enclosure
from kproof.theory.exact.precision import use_bits
from kproof.theory.exact.typed import as_arb
from kproof.theory.profiles.binomial_tails import upper_tail

POWER = Fraction(9, 10)
"""Probability with which a loss of what is called detectable is refuted, at least."""
_MISSED = (1 - POWER) / 2
"""Of that, for either of the two counts."""
_BITS = 40
"""Of the chances that bounds are looked for among: no finer one is needed for 10^9 runs."""


@dataclass(frozen=True)
class PrivacyClaim:
    """An (ε, δ) that a mechanism is said to have."""

    epsilon: Fraction
    """From 0."""
    delta: Fraction
    """From 0 to 1."""

    @property
    def odds(self) -> Fraction:
        """e^ε, rounded up: what is refuted with more is refuted with less."""
        with use_bits(128):
            return Fraction(Enclosure.from_arb(as_arb(self.epsilon).exp(), low=0).upper)


@dataclass(frozen=True)
class EventCounts:
    """How often an event occurred in as many runs of either of two data sets."""

    likelier: int
    """With the data with which it is the likelier one."""
    other: int
    """With the other data."""
    runs: int
    """Of each."""
    alpha: Fraction
    """Probability that any bound below is wrong."""
    impossible: bool = False
    """Whether the other data cannot have the event, by a proof and not by these runs."""

    def chances(self) -> tuple[Fraction, Fraction]:
        """Return a lower bound of the likelier chance and an upper bound of the other one."""
        # An event that cannot be there is judged by one bound alone; half of α is not used.
        most = Fraction(0) if self.impossible else _most(self.other, self.runs, self.alpha / 2)
        return least_chance(self.likelier, self.runs, self.alpha / 2), most

    def delta(self, claim: PrivacyClaim) -> Fraction:
        """Return what δ is at least at the ε of a claim; 0 if nothing follows."""
        if self.likelier <= claim.odds * self.other:
            # Their bounds are further apart in the wrong direction.
            return Fraction(0)
        least, most = self.chances()
        return max(Fraction(0), least - claim.odds * most)

    def epsilon(self, claim: PrivacyClaim) -> Decimal:
        """Return what ε is at least at the δ of a claim; 0 if nothing follows, may be infinite."""
        least, most = self.chances()
        if least - claim.delta <= most:
            return Decimal(0)
        if not most:
            return Decimal("Infinity")
        with use_bits(128):
            loss = as_arb((least - claim.delta) / most).log()
            return Enclosure.from_arb(loss, low=0, digits=6).lower

    def detectable(self, claim: PrivacyClaim) -> Decimal | None:
        """Return a loss that such a test refutes with probability :data:`POWER`, rounded up.

        If the event's likelier chance is between its bounds and its loss is that large or larger,
        as many other runs refute the claim with this probability. None if no loss is that large.
        """
        half = self.alpha / 2
        least = least_chance(self.likelier, self.runs, half)
        most = _most(self.likelier, self.runs, half)
        # As many hits or more are as good as certain, whatever the chance is within its bounds.
        sure = _last(lambda hits: _chance_of(hits, self.runs, least) >= 1 - _MISSED, self.runs)
        allowed = (least_chance(sure, self.runs, half) - claim.delta) / claim.odds
        if allowed <= 0 or _most(0, self.runs, half) >= allowed:
            return None
        # A bound is below what is allowed where so few would then be rarer than α/2.
        count = _last(
            lambda misses: 1 - _chance_of(misses + 1, self.runs, allowed) <= half, self.runs - 1
        )
        # The tails of the search and of the bound are rounded apart. It ends, as with 0 misses the
        # bound is below: that was asked before.
        while _most(count, self.runs, half) >= allowed:
            count -= 1
        # The largest chance with which no more than so many are as good as certain.
        rare = least_chance(count + 1, self.runs, _MISSED)
        if not rare or most <= claim.delta:
            return None
        with use_bits(128):
            loss = as_arb((most - claim.delta) / rare).log()
            return Enclosure.from_arb(loss, low=0, digits=4).upper


def alpha_of(test: int, error: Fraction) -> Fraction:
    """Return the share of an error probability that the test of a number, from 1, may spend.

    >>> sum(alpha_of(test, Fraction(1)) for test in range(1, 100))
    Fraction(99, 100)
    """
    return error / (test * (test + 1))


def least_chance(hits: int, runs: int, alpha: Fraction) -> Fraction:
    """Return the lower bound of Clopper and Pearson for the chance of an event.

    >>> round(float(least_chance(10, 10, Fraction(1, 1024))), 9)
    0.5
    >>> least_chance(0, 10, Fraction(1))
    Fraction(0, 1)
    """
    low, high = 0, 1 << _BITS
    while hits and high - low > 1:
        middle = (low + high) // 2
        with use_bits(128):
            tail = upper_tail(runs, Fraction(middle, 1 << _BITS), hits)
        # With a smaller chance so many hits are rarer than alpha.
        low, high = (middle, high) if tail <= as_arb(alpha) else (low, middle)
    return Fraction(low, 1 << _BITS)


def _chance_of(hits: int, runs: int, chance: Fraction) -> Fraction:
    """Return the probability of as many hits or more, rounded down."""
    if not hits or not chance:
        return Fraction(not hits)
    with use_bits(128):
        return Fraction(Enclosure.from_arb(upper_tail(runs, chance, hits), low=0, high=1).lower)


def _most(hits: int, runs: int, alpha: Fraction) -> Fraction:
    """Return the upper bound of Clopper and Pearson."""
    return 1 - least_chance(runs - hits, runs, alpha)


def _last(holds: Callable[[int], bool], most: int) -> int:
    """Return the last number up to ``most`` for which something holds that holds for 0."""
    low, high = 0, most + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
