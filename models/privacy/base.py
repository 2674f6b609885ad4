"""What every privacy model shares: its contract, exact extremes over classes, and wording.

A model is a frozen dataclass with its parameters. It reads classes as histograms, decides with
integers and rationals, and names the class that decides. Floats only screen: whatever is close to
the extreme is compared exactly.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from enum import Enum, StrEnum
from fractions import Fraction
from typing import ClassVar

import numpy as np
from flint import arb

from kproof.errors import DataError
from kproof.models.base.arrays import Codes, Flags, Floats
from kproof.models.base.beside import require_parts
from kproof.models.base.classes import Classes, Histogram, part_of
from kproof.models.base.missing import MissingAs
from kproof.models.base.verdict import ClassFigures, Figure, RowsKnown, Scope, Verdict
from kproof.models.privacy.completions import commonest, exclude_missing, open_to_doubt
from kproof.models.privacy.several import but_one
from kproof.theory.theorems.bounds import exact_text

SLACK = 1e-12
"""Relative distance from the extreme within which values are compared exactly."""


class Joined(Enum):
    """What of a model outlasts the joining of classes; coarser labels join classes."""

    ANY = "a class that has it keeps it whatever joins it"
    ALIKE = "classes that have it have it together"
    NOTHING = "classes that have it may lack it together"


class Model(ABC):
    """A privacy model with its parameters, which are the fields of a frozen dataclass."""

    title: ClassVar[str]
    """The model without its parameters, such as ``l-diversity``."""
    meaning: ClassVar[str]
    """What the ``value`` of its verdicts is, such as ``largest l``."""
    needs_sensitive: ClassVar[bool] = True
    """Whether it is about a sensitive attribute."""
    rows_known: ClassVar[RowsKnown] = RowsKnown.NONE
    """What the reader of whom it is judged knows of a person with several rows."""
    joined: ClassVar[Joined] = Joined.NOTHING
    """What outlasts the joining of classes, in any completion of missing values."""
    against_table: ClassVar[bool] = False
    """Whether classes are compared with all rows: to leave out one may break another."""
    completes: ClassVar[bool] = True
    """Its check judges the worst completion of missing values; what is no Model may not."""

    @property
    def fewest_rows(self) -> int:
        """A number of rows that every class with the model has: the k people have a row each."""
        return int(getattr(self, "k", 1))

    @property
    def name(self) -> str:
        """The model with its parameters, such as ``l-diversity(l=3)``."""
        parts = []
        for name, value in vars(self).items():
            # Before int, of which bool is a kind.
            if isinstance(value, bool):
                parts += [name.replace("_", " ")] * value
            elif isinstance(value, (int, Fraction)):
                parts.append(f"{'l' if name == 'ell' else name}={exact_text(value)}")
            elif isinstance(value, StrEnum):
                parts.append(str(value))
        return f"{self.title}({', '.join(parts)})"

    def check(self, classes: Classes) -> Verdict:
        """Decide whether classes satisfy the model, in every completion of missing values.

        Distributions and counts of values are those of all published rows, noise included, as an
        adversary sees them; k counts people. Of several sensitive columns the first one is judged;
        :func:`kproof.check` judges all. Nothing is judged where nothing is published, where the
        model needs a sensitive attribute or categories and there are none, or where a column
        without a role singles out nearly every row (DataError); nor if the worst completion cannot
        be found within a budget (TooLarge).
        """
        self._require_sensitive(classes)
        require_parts(classes.beside)
        if classes.count == 0:
            raise DataError(
                f"{self.name}: nothing is published, so that there is no class to judge"
            )
        scope = Scope.of(classes, sensitive=self.needs_sensitive, rows=self.rows_known)
        return replace(self._check(self._complete(classes, scope)), scope=scope)

    def failing(self, classes: Classes) -> Flags:
        """Say of each class whether it lacks the model: none does exactly if :meth:`check` holds.

        A class of which nothing is left to judge counts as failing.

        >>> from kproof.models.privacy import DistinctL
        >>> rows = Classes(np.array([0, 0, 1, 1]), 2, np.array([0, 0, 0, 1]), ("Flu", "HIV"))
        >>> DistinctL(2).failing(rows).tolist()
        [True, False]
        """
        self._require_sensitive(classes)
        if classes.count == 0:
            return np.zeros(0, dtype=np.bool_)
        scope = Scope.of(classes, sensitive=self.needs_sensitive, rows=self.rows_known)
        fails = np.zeros(classes.count, dtype=np.bool_)
        if scope.missing and classes.missing_as is MissingAs.EXCLUDE:
            # Without a recorded value there is nothing in a class that could have the model.
            fails = classes.counted(~classes.unknown) == 0
        if not fails.all():
            # Without those of gaps alone, which exclude_missing refuses.
            judgeable = part_of(classes, ~fails) if fails.any() else classes
            fails[~fails] = self._flag_failing(self._complete(judgeable, scope))
        return fails

    def _complete(self, classes: Classes, scope: Scope) -> Classes:
        """Return the classes as the reader of whom they are judged sees them at the worst."""
        judged = self._settle(classes) if scope.missing else classes
        # Gaps first: which values are the rarest is up to what they are filled with.
        return but_one(judged) if scope.rows is RowsKnown.ALL_BUT_ONE else judged

    def _require_sensitive(self, classes: Classes) -> None:
        if self.needs_sensitive and classes.sensitive is None:
            raise DataError(f"{self.name} needs a sensitive attribute: name its column")

    def _flag_failing(self, classes: Classes) -> Flags:
        """Say of each class whether it lacks the model; here one class at a time.

        What compares with the table, or can do better, overrides it.
        """
        alone = np.eye(classes.count, dtype=np.bool_)
        return np.array([not self._check(part_of(classes, flags)).holds for flags in alone])

    def _settle(self, classes: Classes) -> Classes:
        """Return the classes that are judged in the place of those with missing values."""
        if classes.missing_as is MissingAs.EXCLUDE:
            return exclude_missing(classes)
        return self._worst(classes) if open_to_doubt(classes) else classes

    @abstractmethod
    def _worst(self, classes: Classes) -> Classes:
        """Return classes on which the verdict is that of the worst completion.

        There is no default: which completion is worst depends on the model, and a wrong one says
        *holds* of a release that fails (:class:`ConcentrationModel` has the usual one).
        """

    @abstractmethod
    def _check(self, classes: Classes) -> Verdict:
        """Decide for at least one class."""

    def _verdict(
        self,
        classes: Classes,
        index: int,
        holds: bool,
        value: Figure,
        reason: str,
        /,
        *,
        k: int = 1,
        **figures: Figure,
    ) -> Verdict:
        """Put a verdict together; where a class lacks k people, that class is the worst."""
        small, people = fewest(classes.real_sizes)
        if people < k:
            # Not the figures of the class that decided until here: the verdict names another.
            index, holds, figures = small, False, {}
            noun = "person" if people == 1 else "people"
            reason = f"only {people} {noun} where k = {k}"
        label, size = classes.label(index), int(classes.sizes[index])
        figures = {"people": int(classes.real_sizes[index]), **figures}
        worst = ClassFigures(index, label, size, figures)
        return Verdict(self.name, holds, value, self.meaning, worst, f"{reason}, class {label}")


class ConcentrationModel(Model, ABC):
    """A model of each class by itself that is never better for more concentrated counts.

    Then the commonest value of a class, or of the table where a class has none, is the worst that
    its missing values can be (:mod:`kproof.models.privacy.completions` has the reason). Variance,
    distances from the table and weights are no such models.
    """

    def _worst(self, classes: Classes) -> Classes:
        return commonest(classes)


class CompletingModel(Model, ABC):
    """A model whose check looks for the worst completion itself, among all of them."""

    def _worst(self, classes: Classes) -> Classes:
        return classes


class CountModel(ConcentrationModel, ABC):
    """At least k people in every class, and so many different ones of something among them."""

    counted: ClassVar[str]
    """What is counted, such as ``distinct values``; its last word names the figure of a verdict."""
    reads: ClassVar[str]
    """The field that has the least count."""
    joined: ClassVar[Joined] = Joined.ANY

    @abstractmethod
    def counts(self, classes: Classes) -> Codes:
        """Return the count of each class; what is counted once takes a row of its own."""

    @property
    def fewest_rows(self) -> int:
        """What is counted is in different rows."""
        return max(self._least, super().fewest_rows)

    @property
    def _least(self) -> int:
        return int(getattr(self, self.reads))

    def _flag_failing(self, classes: Classes) -> Flags:
        few = self.counts(classes) < self._least
        # Of the parent: k alone, where the property of this class counts values as well.
        return np.asarray((classes.real_sizes < super().fewest_rows) | few)

    def _check(self, classes: Classes) -> Verdict:
        index, least = fewest(self.counts(classes))
        reason = f"fewest {self.counted} in a class: {least}"
        figures = {self.counted.split()[-1]: least}
        holds, k = least >= self._least, super().fewest_rows
        return self._verdict(classes, index, holds, least, reason, k=k, **figures)


def extreme(
    approximate: Floats, exact: Callable[[int], Fraction], keys: Sequence[Codes], *, largest: bool
) -> tuple[int, Fraction]:
    """Return the position and the value of an exact extreme; of equal ones the first.

    ``approximate`` has each value within a relative error of 1e-13, ``exact`` returns the one at a
    position. ``keys`` are arrays that together determine the value, so that equal items are
    evaluated once.

    >>> halves = [Fraction(1, 2), Fraction(2, 3), Fraction(4, 6)]
    >>> extreme(np.array([0.5, 2 / 3, 4 / 6]), halves.__getitem__, [np.arange(3)], largest=True)
    (1, Fraction(2, 3))
    """
    best = approximate.max() if largest else approximate.min()
    slack = SLACK * abs(best)
    near = np.flatnonzero(approximate >= best - slack if largest else approximate <= best + slack)
    if all((key[near] == key[near[0]]).all() for key in keys):
        # All are one ratio: a fraction in the place of thousands.
        near = near[:1]
    else:
        near = near[first_of_each([key[near] for key in keys])]
    # Floats only say who may be extreme; fractions decide, once for items that are equal anyway.
    candidates = [(exact(int(index)), int(index)) for index in near]
    value = (max if largest else min)(candidates)[0]
    return min(index for candidate, index in candidates if candidate == value), value


def above(numerators: Codes, denominators: Codes, limit: Fraction) -> Flags:
    """Say of each ratio of whole numbers whether it is above a limit, exactly.

    >>> above(np.array([1, 2]), np.array([3, 3]), Fraction(1, 3)).tolist()
    [False, True]
    """
    # In Python's integers: of the least number of 64 bits NumPy's abs is negative.
    high = max((abs(int(end)) for end in (numerators.max(), numerators.min())), default=0)
    largest = max(high * limit.denominator, int(denominators.max()) * abs(limit.numerator))
    kind = np.int64 if largest < 1 << 62 else object
    scaled = numerators.astype(kind) * limit.denominator
    return np.asarray(scaled > denominators.astype(kind) * limit.numerator, dtype=np.bool_)


def positive(ball: arb) -> bool | None:
    """Say whether a ball is above 0 (True) or below (False); None while it may be either."""
    return True if ball > 0 else False if ball < 0 else None


def class_flags(entries: Codes, count: int) -> Flags:
    """Say of each class whether it is among those given."""
    flags = np.zeros(count, dtype=np.bool_)
    flags[entries] = True
    return flags


def first_of_each(keys: Sequence[Codes]) -> Codes:
    """Return the first position of each distinct combination, in ascending order.

    >>> first_of_each([np.array([1, 1, 0, 1]), np.array([5, 5, 5, 6])]).tolist()
    [0, 2, 3]
    """
    combined, room = np.zeros(len(keys[0]), dtype=np.int64), 1
    for key in keys:
        low = int(key.min())
        span = int(key.max()) - low + 1
        ranks = key - low
        if room * span >= 1 << 62:
            # Ranks instead of values: at most one for each item, so that products fit again.
            _, combined = np.unique(combined, return_inverse=True)
            distinct, ranks = np.unique(key, return_inverse=True)
            room, span = int(combined.max()) + 1, len(distinct)
        combined = combined * span + ranks.astype(np.int64)
        room *= span
    _, first = np.unique(combined, return_index=True)
    return np.sort(first).astype(np.int64)


def fewest(counts: Codes) -> tuple[int, int]:
    """Return the first position of the least count, and that count."""
    index = int(np.argmin(counts))
    return index, int(counts[index])


def values_of(classes: Classes) -> Codes:
    """Return the number of distinct sensitive values in each class."""
    return np.diff(classes.histogram.starts)


def value_name(classes: Classes, code: int) -> str:
    """Return a sensitive value as verdicts show it."""
    return str(classes.values[code])


def short_text(value: Fraction | int, *, up: bool) -> str:
    """Return a rational for readers: exact if short, else four digits rounded one way.

    >>> short_text(Fraction(11, 20), up=True), short_text(Fraction(1, 3), up=True)
    ('0.55', '0.3334')
    """
    exact = exact_text(value)
    if "/" not in exact and len(exact) <= 8:
        return exact
    # One way, so that what is claimed holds: the nearest four digits of 1/3 are below it.
    context = Context(prec=4, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    return str(context.divide(Decimal(value.numerator), Decimal(value.denominator)))


def sort_counts(histogram: Histogram) -> Codes:
    """Return the counts with those of each class in falling order.

    >>> from kproof.models.base.classes import histogram
    >>> sort_counts(histogram(np.array([0, 0, 0, 1]), np.array([0, 1, 1, 0]), 2, 2)).tolist()
    [2, 1, 1]
    """
    # One sort by class, then by falling count; both parts are at most the number of rows.
    room = int(histogram.counts.max()) + 1
    keys = histogram.classes * room + (room - 1 - histogram.counts)
    keys.sort()
    return np.asarray(room - 1 - keys % room)
