r"""What a histogram tells of a record that is in one of two cells, under a belief of the others.

Of n independent records each is in cell a with probability p_a and in cell b with probability p_b.
Only the counts of these two cells tell whether the victim is in a or in b. Given their total M + 1
that of a is J + 1 or J, with J ~ Bin(M, θ) and θ = p_a/(p_a + p_b). The likelihood ratio rises with
the count, so that the threshold t = ⌊c(M + 1)⌋ + 1 with c = e^ε θ/(1 - θ + e^ε θ) decides:

.. math:: h(M, \theta) = \Pr[J \ge t - 1] - e^\varepsilon \Pr[J \ge t],

and δ = E h(M, θ) with M ~ Bin(n, p_a + p_b): an equality, since a histogram shows M.

*Counts below k hidden.* With the total told, the counts A of a with M + 2 - k <= A <= k - 1 look
alike, both cells being hidden then. Let G(i) be the gain of the event "A >= i". Where t is among
these counts above the least of them, the worst event has all or none, hence the larger of G at both
ends; elsewhere nothing is lost. Whoever sees all other cells knows the total; if some of them are
hidden as well, δ is at most this.

*Several laws of others.* The labels of who may be in a or b are told, so that J is a sum of unequal
coins, whose number is random for each law. One more coin is post-processing: δ falls in each
number, and where there are too many combinations, values at some numbers enclose the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import NamedTuple

from flint import arb, arb_poly

from kproof.errors import InvalidArgument, Undecided
from kproof.theory.exact.enclosure import Enclosure, largest
from kproof.theory.exact.precision import is_narrow, use_bits
from kproof.theory.exact.typed import Number, as_arb, integer, rational
from kproof.theory.laws.binomial import Binomial
from kproof.theory.profiles.binomial_tails import mass_at, upper_tail

MOST_OTHERS = 10**7
"""Most other records: how many of them are in the two cells is gone through one by one."""
EFFORTS = ((192, 64), (384, 256), (2048, 1024))
"""Bits to work with, and bits of the mass that is left out, tried in turn."""
WIDTH = 1e-12
MOST_COMBINED = 2000
"""Combinations of numbers of coins of several laws for which convolutions are worked out."""


class Others(NamedTuple):
    """Records of one law, as far as two cells go."""

    records: int
    """How many there are."""
    first: Fraction
    second: Fraction
    """How likely each of them is in a, and in b."""

    @property
    def theta(self) -> Fraction:
        """The probability of a given that it is a or b."""
        return self.first / (self.first + self.second)


class TwoCells(NamedTuple):
    """Both directions, each over all events."""

    first: Enclosure
    """The victim in a against the victim in b."""
    second: Enclosure
    """The victim in b against the victim in a."""

    @property
    def delta(self) -> Enclosure:
        """What holds in both directions."""
        return largest(self)


def two_cells(
    others: Sequence[Others], *, epsilon: Number, k: Number = 1, combined: int = MOST_COMBINED
) -> TwoCells:
    """Return δ of moving one record between two cells of a histogram.

    Counts below ``k`` are hidden; 1 hides none. For one law of others and k = 1 the enclosures are
    of δ itself, for larger k that of a reader who also knows the total of both cells. Of several
    laws so many combinations of numbers of coins are gone through; where there are more, the upper
    end is of counts that are not hidden.

    >>> value = two_cells([Others(1000, Fraction(1, 50), Fraction(3, 100))], epsilon="1/2")
    >>> print(value.first, value.second)
    0.005944754 0.008286954
    >>> print(two_cells([Others(1000, Fraction(1, 250), Fraction(3, 500))], epsilon=1, k=10).delta)
    0.01594379
    """
    exponent = rational("epsilon", epsilon, least=0)
    least = integer("k", k, least=1)
    for law in others:
        integer("records", law.records, least=0, most=MOST_OTHERS)
        if not (min(law.first, law.second) >= 0 and 0 < law.first + law.second <= 1):
            need = "probabilities whose sum is above 0, at most 1"
            raise InvalidArgument("cells", f"{law.first}, {law.second}", need)
    turned = [Others(law.records, law.second, law.first) for law in others]
    first, second = (_direction(laws, exponent, least, combined) for laws in (others, turned))
    return TwoCells(first, second)


def _direction(others: Sequence[Others], epsilon: Fraction, k: int, combined: int) -> Enclosure:
    for bits, tail in EFFORTS:
        with use_bits(bits):
            value = two_cell_delta(others, as_arb(epsilon).exp(), k, tail, combined)
            # Below the last tail there is nothing but an upper bound, and nobody asks for more.
            if is_narrow(value, WIDTH) or tail == EFFORTS[-1][1] or len(others) > 1:
                return Enclosure.from_arb(value, low=0, high=1)
    raise Undecided("delta could not be enclosed")


def two_cell_delta(
    others: Sequence[Others], ratio: arb, k: int, tail: int, combined: int = MOST_COMBINED
) -> arb:
    """Return δ of the victim in a against the victim in b, at the working precision.

    ``ratio`` is e^ε; numbers of coins of total probability 2^-tail may be left out.
    """
    numbers, dropped = coin_numbers(others, tail)
    if len(others) == 1 and others[0].first and others[0].second:
        (first, masses), coin = numbers[0], HiddenCoin(others[0].theta, k, ratio)
        total = sum((mass * coin.at(first + i) for i, mass in enumerate(masses)), arb(0))
        return total.union(total + dropped)
    thetas = [law.theta for law in others]
    if prod(len(masses) for _, masses in numbers) > combined:
        return _between(numbers, thetas, ratio, dropped, combined)
    total = arb(0)
    for places in product(*(range(len(masses)) for _, masses in numbers)):
        mass = prod((numbers[i][1][place] for i, place in enumerate(places)), start=arb(1))
        coins = [numbers[i][0] + place for i, place in enumerate(places)]
        total += mass * _unequal(coins, thetas, k, ratio)
    return total.union(total + dropped)


def coin_numbers(others: Sequence[Others], tail: int) -> tuple[list[tuple[int, list[arb]]], arb]:
    """Return how many records of each law are in the two cells: the least number, and the masses.

    Numbers of a total probability up to 2^-tail for each law may be left out; the second value
    bounds it for all laws together.
    """
    numbers, dropped = [], arb(0)
    for law in others:
        either = law.first + law.second
        if either == 1 or not law.records:
            numbers.append((law.records, [arb(1)]))
            continue
        window = Binomial(law.records, either).window(arb(2) ** -tail)
        numbers.append((window.start, window.masses))
        dropped += window.dropped
    return numbers, dropped


def _between(
    numbers: Sequence[tuple[int, list[arb]]],
    thetas: Sequence[Fraction],
    ratio: arb,
    dropped: arb,
    combined: int,
) -> arb:
    """Return δ of counts that are not hidden, between sums over some numbers of coins."""
    parts = max(2, int(combined ** (1 / len(numbers))))
    listed = [list(ends(first, masses, parts)) for first, masses in numbers]
    lower, upper = arb(0), dropped
    for coins, until, since in combine(listed):
        value = _unequal(coins, thetas, 1, ratio)
        lower += value * until
        upper += value * since
    # Hiding only lowers δ, so that the lower end says nothing of it.
    return arb(0).union(upper) if lower > upper else lower.union(upper)


class End(NamedTuple):
    """A number at which something that falls in it is worked out."""

    coins: int
    until: arb
    """The probability of the numbers after the last end, up to this one."""
    since: arb
    """The probability of the numbers from this one on, up to the next end."""


def ends(first: int, masses: Sequence[arb], parts: int) -> Iterator[End]:
    """Yield numbers between which what falls in a number lies, with the weights of both sums."""
    last = len(masses) - 1
    places = [*range(0, last, max(1, -(-last // parts))), last]
    before, after = [-1, *places], [*places[1:], last + 1]
    for place, previous, following in zip(places, before, after, strict=False):
        until = sum(masses[previous + 1 : place + 1], arb(0))
        yield End(first + place, until, sum(masses[place:following], arb(0)))


def combine(listed: Sequence[Sequence[End]]) -> Iterator[tuple[tuple[int, ...], arb, arb]]:
    """Yield a number of each kind in all ways, with the products of their weights."""
    for places in product(*listed):
        until = prod((place.until for place in places), start=arb(1))
        since = prod((place.since for place in places), start=arb(1))
        yield tuple(place.coins for place in places), until, since


def _unequal(coins: Sequence[int], thetas: Sequence[Fraction], k: int, ratio: arb) -> arb:
    """Return h_k of so many coins of each kind."""
    masses, m = coin_masses(coins, thetas), sum(coins)
    with_it, without = [arb(0), *masses], [*masses, arb(0)]
    gains = [p - ratio * q for p, q in zip(with_it, without, strict=True)]
    alike = range(max(0, m + 2 - k), min(k - 1, m + 1) + 1)
    # Counts that look alike are in an event together or not at all: first the sum, then the 0.
    merged = sum((gains[count] for count in alike), arb(0)).max(arb(0))
    return merged + sum(
        (gain.max(arb(0)) for count, gain in enumerate(gains) if count not in alike), arb(0)
    )


def coin_masses(coins: Sequence[int], thetas: Sequence[Fraction]) -> list[arb]:
    """Return the masses of the number of so many coins of each kind that show the first cell."""
    law = arb_poly([1])
    for number, theta in zip(coins, thetas, strict=True):
        law *= arb_poly([as_arb(1 - theta), as_arb(theta)]) ** number
    masses = law.coeffs()
    # A polynomial keeps no zeros at its end, and has them where θ is 0.
    return [*masses, *[arb(0)] * (sum(coins) + 1 - len(masses))]


@dataclass
class _Tail:
    """A walk over tails of Bin(total, θ): the total and the count may rise, each by one."""

    theta: arb
    total: int
    count: int
    mass: arb
    """Pr[J = count - 1]."""
    above: arb
    """Pr[J >= count]."""

    @classmethod
    def at(cls, total: int, theta: Fraction, count: int) -> _Tail:
        mass = mass_at(total, theta, count - 1) if 1 <= count <= total + 1 else arb(0)
        return cls(as_arb(theta), total, count, mass, upper_tail(total, theta, count))

    def gain(self, ratio: arb) -> arb:
        """Return G(count)."""
        return self.mass + (1 - ratio) * self.above

    def raise_total(self) -> None:
        self.above += self.theta * self.mass
        self.total += 1
        if self.count > self.total:
            # It was out of reach; now all coins together reach it, or still not.
            reached = self.count == self.total + 1
            self.mass = self.theta**self.total if reached else arb(0)
        else:
            self.mass *= self.total * (1 - self.theta) / (self.total - self.count + 1)

    def raise_count(self) -> None:
        remaining = self.total - self.count + 1
        if self.count == 0:
            self.mass = (1 - self.theta) ** self.total
        else:
            self.mass *= self.theta / (1 - self.theta) * max(remaining, 0) / self.count
        self.count += 1
        self.above -= self.mass


class HiddenCoin:
    """h_k(M, θ) at one ε, for M that rises by one from call to call: quick then, right always."""

    def __init__(self, theta: Fraction, k: int, ratio: arb) -> None:
        self._theta, self._k, self._ratio = theta, k, ratio
        share = as_arb(theta) * ratio
        self._cut = share / (as_arb(1 - theta) + share)
        self._walks: dict[str, _Tail] = {}

    def at(self, total: int) -> arb:
        """Return h_k(M, θ) for M = ``total`` at the working precision."""
        cut = self._cut * (total + 1)
        low, high = (int(end.floor().unique_fmpz() or 0) + 1 for end in (cut.lower(), cut.upper()))
        first, last = max(0, total + 2 - self._k), min(self._k - 1, total + 1)
        # The event cuts outside the counts that look alike, or there are none: hiding costs
        # nothing.
        if last < first or high <= first or low > last:
            value = self._gain("threshold", total, low)
            # Where the ball does not tell the threshold, both of its neighbours do.
            return value if low == high else value.union(self._apart(total, high))
        if low > first:
            return self._gain("first", total, first).max(self._gain("last", total, last + 1))
        return self._apart(total, low).max(self._apart(total, high))

    def _gain(self, name: str, total: int, count: int) -> arb:
        # An end of one kind rises by 0 or 1 when the total rises by 1, so that each kind has a walk
        # of its own; whatever does not follow on the last call starts anew.
        walk = self._walks.get(name)
        if walk is None or walk.total + 1 != total or not 0 <= count - walk.count <= 1:
            walk = self._walks[name] = _Tail.at(total, self._theta, count)
        else:
            walk.raise_total()
            if count > walk.count:
                walk.raise_count()
        return walk.gain(self._ratio)

    def _apart(self, total: int, count: int) -> arb:
        return _Tail.at(total, self._theta, count).gain(self._ratio)
