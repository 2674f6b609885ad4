"""The two cells of a histogram between which moving a record tells most.

If no count is hidden, or only by rule, δ of a pair falls in the probability of either cell: mass
from elsewhere can be thinned in after the fact. So the worst pair are the two rarest cells. Hidden
counts change that: a rare cell is hidden, and what gives it away is the other one. Pairs are then
searched by branch and bound. In a box of pairs nothing is above the pair of least probabilities
with all counts shown, nor above the chance that the two cells have enough records at all; boxes are
cut in the order of these bounds until they are below the best pair, or the work has a limit: then
an enclosure remains.

*The number of rows is not known.* If it is itself Poisson, the cells are independent, and the pair
is one of :mod:`kproof.theory.profiles.hidden_pairs`. With a known number a reader can often tell
the total of two hidden cells, and hiding them buys little; here it buys much. A box has one more
bound here: a pair is at most δ_a(ε₁) + δ_b(ε - ε₁), each from one cell alone. These rise with the
mean of a cell up to (k - 1)/e^ε₁, with the victim against without, and up to (k - 1) e^ε₁ the other
way round; from there on they are those of counts that are shown, and fall.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import count, pairwise
from typing import NamedTuple

from flint import arb

from kproof.errors import InvalidArgument
from kproof.theory.exact import Enclosure, Number, as_arb, integer, rational
from kproof.theory.exact.precision import is_narrow, use_bits
from kproof.theory.laws import Binomial, Window
from kproof.theory.profiles import two_cells as coins
from kproof.theory.profiles.binomial_tails import upper_tail
from kproof.theory.profiles.hidden_pairs import HiddenCell, delta_of_hidden_pair
from kproof.theory.profiles.two_cells import Others, TwoCells, two_cells

_MOST_BOXES = 500
_PARTS = 24
_SPLITS = 6
_ROUGH_BITS, _ROUGH_TAIL = 96, 64


class WorstCells(NamedTuple):
    """The pair of cells of which most is told."""

    delta: Enclosure
    """Of the supremum over all pairs and both directions."""
    cells: tuple[str, str]
    """The victim's cell in the likelier world, and in the other one."""
    pair: TwoCells
    """Both directions of this pair: ``first`` is the worse one."""
    certain: bool
    """Whether no pair is worse; otherwise some could not be excluded."""


def worst_cells(
    masses: Mapping[str, Fraction],
    *,
    others: Number,
    epsilon: Number,
    k: Number = 1,
    public: bool = True,
) -> WorstCells:
    """Return the worst pair of cells of a histogram of independent records of one law.

    The cells' probabilities are above 0. ``others`` is how many records there are beside the
    victim's; where the number of rows is not ``public``, their mean, and it is Poisson. Counts
    below ``k`` are hidden; 1 hides none.

    >>> belief = {"a": Fraction(1, 50), "b": Fraction(3, 100), "c": Fraction(19, 20)}
    >>> worst = worst_cells(belief, others=1000, epsilon="1/2")
    >>> worst.cells, str(worst.delta)
    (('b', 'a'), '0.008286954')
    """
    number = integer("others", others, least=0, most=coins.MOST_OTHERS)
    exponent = rational("epsilon", epsilon, least=0)
    least = integer("k", k, least=1)
    if len(masses) < 2:
        raise InvalidArgument("cells", len(masses), "two at least")
    for name, mass in masses.items():
        if not 0 < mass <= 1:
            raise InvalidArgument(f"mass of {name}", mass, "more than 0 and at most 1")
    names = sorted(masses, key=lambda name: masses[name])
    shares = [masses[name] for name in names]
    search = _Search(shares, number, exponent, least, public)
    upper, (rare, second), pair = search.worst()
    cells = (names[rare], names[second])
    if pair.second.upper > pair.first.upper:
        cells, pair = cells[::-1], TwoCells(pair.second, pair.first)
    delta = Enclosure(pair.delta.lower, pair.delta.upper if upper is None else upper.upper)
    return WorstCells(delta, cells, pair, certain=upper is None)


@dataclass
class _Search:
    """Branch and bound over pairs of cells, whose probabilities rise."""

    shares: Sequence[Fraction]
    others: int
    epsilon: Fraction
    k: int
    public: bool
    _known: dict[tuple[Fraction, Fraction], float] = field(default_factory=dict)

    def worst(self) -> tuple[Enclosure | None, tuple[int, int], TwoCells]:
        """Return what could be worse, if anything, and the worst pair that was looked at."""
        places = self._distinct()
        if self.k == 1:
            return None, (0, 1), self._pair(0, 1)
        order = count()
        last = len(places) - 1
        # Negated, since a heap gives the least first; ties stay in the order of their making.
        boxes = [(-1.0, next(order), (0, last, 0, last))]
        best, best_pair = None, (0, 1)
        for _ in range(_MOST_BOXES):
            if not boxes:
                break
            bound, _number, (first, until, second, end) = heapq.heappop(boxes)
            if best is not None and -bound <= best.delta.lower:
                return None, best_pair, best
            if first == until and second == end:
                pair = self._places(places, first, second)
                value = self._pair(*pair)
                if best is None or value.delta.upper > best.delta.upper:
                    best, best_pair = value, pair
                continue
            for box in _halves(first, until, second, end):
                # A pair is worked out in both directions: boxes that hold mirrored ones alone are
                # left out.
                if box[0] <= box[3]:
                    heapq.heappush(boxes, (-self._upper(places, box), next(order), box))
        if best is None:
            best = self._pair(0, 1)
        above = Enclosure.exactly(Fraction(-boxes[0][0])) if boxes else best.delta
        if above.upper <= best.delta.upper:
            return None, best_pair, best
        return above, best_pair, best

    def _distinct(self) -> list[int]:
        """Return the first place of each probability."""
        pairs = enumerate(pairwise(self.shares), start=1)
        return [0, *(place for place, (before, share) in pairs if share != before)]

    def _places(self, places: Sequence[int], first: int, second: int) -> tuple[int, int]:
        """Return two cells of these probabilities, different ones."""
        # Equal probabilities stand side by side, so that the next cell may stand for the pair. A
        # cell that is alone with its probability has no pair with itself: then another pair is
        # looked at.
        rare, commoner = places[first], places[second]
        if rare == commoner and rare + 1 < len(self.shares):
            commoner += 1
        return (rare, commoner) if rare != commoner else (rare - 1, commoner)

    def _pair(self, first: int, second: int) -> TwoCells:
        a, b = self.shares[first], self.shares[second]
        if self.public:
            return two_cells([Others(self.others, a, b)], epsilon=self.epsilon, k=self.k)
        return unknown_total(a * self.others, b * self.others, epsilon=self.epsilon, k=self.k)

    def _upper(self, places: Sequence[int], box: tuple[int, int, int, int]) -> float:
        """Return an upper bound of all pairs of a box."""
        first, until, second, end = (self.shares[places[place]] for place in box)
        with use_bits(_ROUGH_BITS):
            upper = self._known.get((first, second))
            if upper is None:
                # A half of a box has its rarest pair or is cut off it.
                upper = self._known[first, second] = _float_above(
                    self._bound_counted_pair(first, second)
                )
            if self.public:
                likeliest = min(until + end, Fraction(1))
                certain = likeliest == 1 or self.others < self.k - 1
                enough = arb(1) if certain else upper_tail(self.others, likeliest, self.k - 1)
                return min(upper, _float_above(enough))
            alone = self._alone(first, until), self._alone(second, end)
            ways = [
                min(p + q for p, q in zip(ours[0], reversed(theirs[1]), strict=True))
                for ours, theirs in (alone, alone[::-1])
            ]
            return min(upper, max(map(_float_above, ways)))

    def _bound_counted_pair(self, first: Fraction, second: Fraction) -> arb:
        """Return an upper bound of a pair whose counts are shown."""
        window, ratio = self._window(first + second), as_arb(self.epsilon).exp()
        totals = [window.dropped, window.dropped]
        for end in coins.ends(window.start, window.masses, _PARTS):
            for side, share in enumerate((first, second)):
                coin = coins.HiddenCoin(share / (first + second), 1, ratio)
                totals[side] += end.since * coin.at(end.coins)
        return totals[0].max(totals[1]).min(arb(1))

    def _alone(self, least: Fraction, most: Fraction) -> tuple[list[arb], list[arb]]:
        """Return the largest profiles of one cell, with the victim and without, at parts of ε."""
        profiles: tuple[list[arb], list[arb]] = ([], [])
        for part in range(_SPLITS + 1):
            for leaves, values in zip((True, False), profiles, strict=True):
                ratio = as_arb(self.epsilon * part / _SPLITS).exp()
                peak = (self.k - 1) / ratio if leaves else (self.k - 1) * ratio
                low, high = (as_arb(share * self.others) for share in (least, most))
                rate = low.max(high.min(peak))
                values.append(_alone(rate, self.k, ratio, leaves=leaves))
        return profiles

    def _window(self, share: Fraction) -> Window:
        """Return how many others are in cells of this probability."""
        if not self.public:
            return poisson_window(share * self.others, _ROUGH_TAIL)
        if share >= 1 or not self.others:
            return Window(self.others, [arb(1)], arb(0))
        return Binomial(self.others, share).window(arb(2) ** -_ROUGH_TAIL)


def _float_above(bound: arb) -> float:
    # A conversion may round down: the factor more than makes up for it.
    return float(bound.upper()) * (1 + 2.0**-40)


def _alone(rate: arb, k: int, ratio: arb, *, leaves: bool) -> arb:
    """Return an upper bound of the profile of one Poisson count, hidden below k."""
    level = rate * ratio if leaves else rate / ratio
    # The last count on the side that tells less; either neighbour would do, and give no more.
    count = max(k - 1, int(level.mid().floor().unique_fmpz() or 0))
    below = rate.gamma_upper(arb(count + 1), regularized=1)
    mass = (count * rate.log() - rate - arb(count + 1).lgamma()).exp()
    if leaves:
        return (mass - (ratio - 1) * (1 - below)).max(arb(0))
    return (below - ratio * (below - mass)).max(arb(0))


def _halves(first: int, until: int, second: int, end: int) -> list[tuple[int, int, int, int]]:
    """Return the halves of a box along its longer side."""
    if until - first >= end - second:
        middle = (first + until) // 2
        return [(first, middle, second, end), (middle + 1, until, second, end)]
    middle = (second + end) // 2
    return [(first, until, second, middle), (first, until, middle + 1, end)]


def unknown_total(first: Number, second: Number, *, epsilon: Number, k: Number = 1) -> TwoCells:
    """Return δ of moving a record between two cells with independent Poisson counts.

    ``first`` and ``second`` are the mean numbers of others in a and in b; counts below ``k`` are
    hidden, 1 hides none.

    >>> value = unknown_total("1/5", 30, epsilon="1/2", k=5)
    >>> print(value.first, value.second)
    0.0009985508 0.0000315615
    """
    rates = [rational(name, rate, above=0) for name, rate in (("first", first), ("second", second))]
    least, exponent = integer("k", k, least=1), rational("epsilon", epsilon, least=0)
    sides = []
    for pair in (rates, rates[::-1]):
        for bits, tail in coins.EFFORTS:
            with use_bits(bits):
                cells = [_poisson_cell(rate, least, tail) for rate in pair]
                ratio, dropped = as_arb(exponent).exp(), cells[0][1] + cells[1][1]
                value = delta_of_hidden_pair(cells[0][0], cells[1][0], ratio)
                value = (value - ratio * dropped).union(value + dropped)
                if is_narrow(value, coins.WIDTH) or tail == coins.EFFORTS[-1][1]:
                    sides.append(Enclosure.from_arb(value, low=0, high=1))
                    break
    return TwoCells(*sides)


def _poisson_cell(rate: Fraction, k: int, tail: int) -> tuple[HiddenCell, arb]:
    """Return a cell with a Poisson number of others, and a bound on what was left out."""
    window, mean = poisson_window(rate, tail), as_arb(rate)
    # With the victim every count is one more; the ratio of the masses is the mean over the count.
    with_victim, without = [arb(0), *window.masses], [*window.masses, arb(0)]

    def below(level: arb) -> arb:
        return mean / level if level > 0 else arb(coins.MOST_OTHERS)

    least = max(k, window.start)
    cell = HiddenCell.of(with_victim, without, least, below, first=window.start)
    return cell, window.dropped


def poisson_window(rate: Fraction, tail: int) -> Window:
    """Return the masses of a Poisson law of this mean but for 2^-tail or less on either side."""
    ball, spare = as_arb(rate), arb(2) ** -tail
    mode = rate.numerator // rate.denominator
    peak = (mode * ball.log() - ball - arb(mode + 1).lgamma()).exp()
    upper, mass, place = [], peak, mode
    while True:
        upper.append(mass)
        place += 1
        mass = mass * ball / place
        # From here on each mass is at most rate/(place + 1) times the one before.
        beyond = mass / (1 - ball / (place + 1))
        if beyond > 0 and beyond < spare:
            break
    lower, mass, place = [], peak, mode
    below = arb(0)
    while place > 0:
        mass = mass * place / ball
        place -= 1
        below = mass / (1 - place / ball) if place < rate else arb(1)
        if below < spare:
            break
        lower.append(mass)
        below = arb(0)
    return Window(mode - len(lower), [*lower[::-1], *upper], (beyond + below).upper())
