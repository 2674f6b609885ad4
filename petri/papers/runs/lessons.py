"""What an attacker learns over all runs, and how its figures are distributed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log, sqrt
from statistics import median

from kproof.forms import JsonForm, group
from kproof.petri.papers.runs.account import LISTED_CLASSES
from kproof.petri.papers.runs.publisher_runs import ClassDisclosed, Learned
from kproof.petri.spaces.tallies import Chance, Tally, mean_interval

BINS = 12
"""Bars of a distribution."""
DISCLOSES = "anyone is disclosed"
"""What happens to the victims of an attack."""


@dataclass(frozen=True, slots=True)
class SpreadBar:
    """An interval of values."""

    first: str
    """Its smallest value."""
    last: str
    """Its largest value."""
    runs: int
    """How many runs have one of them."""

    to_dict = JsonForm("from=first to=last runs")


@dataclass(frozen=True)
class Spread:
    """How a figure is distributed over the runs in which it is known."""

    name: str
    """What it is."""
    values: tuple[Fraction | float, ...]
    """Ascending; exact where the figure is."""

    @property
    def mean(self) -> float:
        """The mean."""
        return float(sum(map(float, self.values)) / len(self.values))

    @property
    def middle(self) -> float:
        """The median."""
        return float(median(map(float, self.values)))

    def interval(self, confidence: Fraction) -> tuple[float, float] | None:
        """Return Student's interval for the expectation; None if all values are one."""
        return mean_interval(Counter(self.values), confidence)

    @property
    def whole(self) -> bool:
        """Whether it is a count."""
        return all(isinstance(value, Fraction) and value.denominator == 1 for value in self.values)

    def bars(self) -> tuple[tuple[Fraction | float, Fraction | float, int], ...]:
        """Return up to :data:`BINS` intervals and how many values are in each.

        Of few different values each has a bar of its own, from itself to itself: of up to
        :data:`BINS` counts, and of half as many numbers. Others are in intervals of equal width,
        ends included below and, in the last one, above.
        """
        counted = Counter(self.values)
        if len(counted) <= (BINS if self.whole else BINS // 2):
            return tuple((value, value, counted[value]) for value in sorted(counted))
        low, high, integral = self.values[0], self.values[-1], self.whole
        # Up: rounded down, the bars would end before the largest value.
        width = -(-(high - low + 1) // BINS) if integral else (high - low) / BINS
        # The largest value ends the last bar; by division alone it would begin one more.
        bins = Counter(min(int((value - low) / width), BINS - 1) for value in self.values)
        return tuple(
            (low + index * width, low + (index + 1) * width - (1 if integral else 0), bins[index])
            for index in range(max(bins) + 1)
        )

    def _value_text(self, value: Fraction | float) -> str:
        return str(int(value)) if self.whole else str(value)

    @property
    def _ends(self) -> tuple[str, str]:
        """The least and the largest value."""
        return self._value_text(self.values[0]), self._value_text(self.values[-1])

    @property
    def _bars(self) -> tuple[SpreadBar, ...]:
        """Runs by number."""
        return tuple(
            SpreadBar(self._value_text(first), self._value_text(last), count)
            for first, last, count in self.bars()
        )

    to_dict = JsonForm(
        "name runs=len(values) mean median=middle least=_ends.0 most=_ends.1 bars=_bars"
    )


@dataclass(frozen=True)
class ClassLesson:
    """How often, and when, an attacker discloses someone of a class."""

    at: int
    """The class, from 0; -1 for people who are in none."""
    anyone: Chance
    """How probable it is that a publication discloses anyone in it."""
    settled: Spread | Tally | None = None
    """The steps after which the class changed no more in the runs that do, with their exact
    shares if all runs were taken; None if unknown."""
    fired: Spread | None = None
    """The steps in which the attack fired first; None if it is no part of the net."""

    @classmethod
    def of(
        cls, at: int, hits: Sequence[ClassDisclosed], runs: int, confidence: Fraction
    ) -> ClassLesson:
        """Collect the publications that disclose someone of a class."""
        steps = {
            name: sorted(Fraction(step) for hit in hits if (step := getattr(hit, name)) is not None)
            for name in ("settled", "fired")
        }
        settled, fired = (
            Spread(f"step, {name}", tuple(values)) if values else None
            for name, values in steps.items()
        )
        return cls(at, Chance.of(DISCLOSES, len(hits), runs, confidence), settled, fired)

    to_dict = JsonForm("class=at anyone settled fired")


@dataclass(frozen=True)
class Lesson:
    """What an attacker learns over all publications."""

    attack: str
    """Its name."""
    rule: str
    """When someone counts as disclosed."""
    runs: int
    """Publications that were attacked."""
    victims: int
    """Who were looked for in each."""
    anyone: Chance
    """How probable it is that a publication discloses anyone."""
    share: tuple[Fraction, float, float]
    """Mean share of the victims who are disclosed, and an interval for its expectation."""
    disclosed: Spread | None
    """The numbers of those who are disclosed; None if all runs were taken."""
    certainty: Spread | None
    """The largest probabilities of a bet; None if all runs were taken, or nobody is matched."""
    remarks: tuple[str, ...]
    """What else there is to say of the first of them."""
    classes: tuple[ClassLesson, ...] = ()
    """The classes in which someone is ever disclosed, most often first."""
    bet: Fraction | None = None
    """The largest probability of a bet on anyone, over all publications; None if nobody is ever
    matched."""

    @classmethod
    def of(cls, after_each: Sequence[Learned], confidence: Fraction) -> Lesson:
        """Collect what one attack disclosed after each publication."""
        runs, first = len(after_each), after_each[0]
        disclosed = [learned.disclosed for learned in after_each]
        shares = [
            Fraction(learned.disclosed, learned.victims) if learned.victims else Fraction(0)
            for learned in after_each
        ]
        mean = sum(shares, Fraction(0)) / runs
        bets = sorted(learned.certainty for learned in after_each if learned.certainty is not None)
        hits: dict[int, list[ClassDisclosed]] = {}
        for hit in (hit for learned in after_each for hit in learned.classes):
            hits.setdefault(hit.at, []).append(hit)
        classes = [ClassLesson.of(at, some, runs, confidence) for at, some in hits.items()]
        return cls(
            first.attack,
            next((learned.rule for learned in after_each if learned.rule), ""),
            runs,
            first.victims,
            Chance.of(DISCLOSES, sum(map(bool, disclosed)), runs, confidence),
            (mean, *interval_by_hoeffding(mean, runs, confidence)),
            Spread("disclosed", tuple(map(Fraction, sorted(disclosed)))),
            Spread("largest probability of a bet", tuple(bets)) if bets else None,
            first.remarks,
            tuple(sorted(classes, key=lambda lesson: (-lesson.anyone.share, lesson.at))),
            max(bets, default=None),
        )

    @property
    def _commonest_classes(self) -> tuple[ClassLesson, ...]:
        """Those in which someone is disclosed most often."""
        return self.classes[:LISTED_CLASSES]

    to_dict = JsonForm(
        "attack rule publications=runs victims anyone",
        group(
            "share",
            "Mean share of the victims who are disclosed, and an interval for its expectation.",
            "mean=share.0 lower=share.1 upper=share.2",
        ),
        "disclosed bet certainty remarks",
        group(
            "classes",
            "In which classes someone is ever disclosed, how often and when.",
            "count=len(classes) listed=_commonest_classes",
        ),
    )


def interval_by_hoeffding(mean: Fraction, runs: int, confidence: Fraction) -> tuple[float, float]:
    """Return an interval for the expectation of something from 0 to 1, by its mean over runs.

    It has the expectation with at least this confidence, whatever the distribution is.

    Source: Hoeffding, Journal of the American Statistical Association 58, 1963.

    >>> low, high = interval_by_hoeffding(Fraction(1, 2), 100, Fraction(95, 100))
    >>> round(low, 4), round(high, 4)
    (0.3642, 0.6358)
    """
    wide = sqrt(log(2 / float(1 - confidence)) / (2 * runs))
    # Rounding must not make the interval narrower.
    return max(float(mean) - wide - 1e-12, 0.0), min(float(mean) + wide + 1e-12, 1.0)
