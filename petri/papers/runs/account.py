"""What a run did to the table, and why: step by step, by row, by class, and by value.

A run is replayed on the classes. For each exchange and each noise row the account has the classes
before and after it, V beside θ, by how much V was short, and the rows that moved or were added.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from kproof.forms import JsonForm
from kproof.models.tables.theta.moves import Threshold
from kproof.petri.net.firing import Trace
from kproof.petri.papers.classes import ByRecord
from kproof.petri.papers.head import decimal
from kproof.petri.papers.publisher import Publisher
from kproof.petri.papers.runs.theta_runs import RunStep, ThetaMove, ThetaRun
from kproof.theory.theorems.theta import variance

CHANGES = (ThetaMove.PAD, ThetaMove.SWAP, ThetaMove.CROSS, ThetaMove.NOISE)
"""The moves that change a class."""
LISTED_CHANGES = 60
"""Changes of a run that are told one by one."""
LISTED_ROWS = 100
"""Rows of a run that are told one by one."""
LISTED_CLASSES = 60
"""Classes of a run that are told one by one."""


@dataclass(frozen=True)
class ClassSeen:
    """A class at some point of a run."""

    at: int
    """Its number, from 0."""
    values: tuple[tuple[object, int], ...]
    """Pairs of sensitive value and how often the class has it, in the order of the domain."""
    variance: Fraction
    """V."""
    theta: Fraction | None
    """The θ that V is compared with; None for a publisher without one."""

    @classmethod
    def of(
        cls, number: int, counts: Mapping[object, int], threshold: Threshold | None
    ) -> ClassSeen:
        """Return a class of so many rows with each sensitive value."""
        theta = None if threshold is None else threshold.at(sum(counts.values()))
        return cls(number, tuple(counts.items()), variance(counts.values()), theta)

    @property
    def rows(self) -> int:
        """How many rows it has, noise included."""
        return sum(times for _, times in self.values)

    @property
    def passes(self) -> bool:
        """Whether V ≥ θ; without a θ every class passes."""
        return self.theta is None or self.variance >= self.theta

    @property
    def short(self) -> Fraction:
        """By how much V is below θ; 0 if it is not."""
        return Fraction(0) if self.theta is None else max(self.theta - self.variance, Fraction(0))

    def times(self, value: object) -> int:
        """Return how often it has a value."""
        return next((times for candidate, times in self.values if candidate == value), 0)

    def __str__(self) -> str:
        return ", ".join(f"{n}·{value}" if n > 1 else str(value) for value, n in self.values)

    @property
    def _times(self) -> Mapping[str, int]:
        """How often it has each sensitive value."""
        return {str(value): times for value, times in self.values}

    to_dict = JsonForm("class=at values=_times variance theta short_by=short")


@dataclass(frozen=True)
class TableChange:
    """An exchange or a noise row."""

    number: int
    """The step of the run, from 1."""
    move: ThetaMove
    """Which."""
    x: object
    y: object
    """The value that leaves the class and the one that comes; x is None for noise."""
    leaves: int | None
    comes: int | None
    """The rows of the table that have them; None for noise, and where the net does not say."""
    receiver: ClassSeen
    received: ClassSeen
    """The current class before and after."""
    donor: ClassSeen | None
    gave: ClassSeen | None
    """The class it exchanged with, before and after; None for noise."""
    categories: Mapping[object, object]
    """Of the values that have one."""
    k: int
    """Least number of rows in a class."""

    @property
    def why(self) -> str:
        """Which class was short, of what, and by how much."""
        short, position = self.receiver, self.receiver.at
        if self.move is ThetaMove.PAD:
            return f"class {position} has {short.rows} of k = {self.k} rows"
        v, theta = decimal(short.variance), decimal(short.theta or Fraction(0))
        below = f"V = {v} of class {position} is {decimal(short.short)} below θ = {theta}"
        if self.donor is None:
            return f"{below}; no exchange is possible, and it has no {self._value(self.y)}"
        commonest = f"{self._value(self.x)} fills {short.times(self.x)} of its {short.rows} rows"
        lacks = f"it has no {self._value(self.y)}, which fills {self.donor.times(self.y)} of the "
        return f"{below}; {commonest}; {lacks}{self.donor.rows} of class {self.donor.at}"

    def _value(self, value: object) -> str:
        if value not in self.categories:
            return str(value)
        return f"{value} (category {self.categories[value]})"

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form."""
        return {
            "step": self.number,
            "move": str(self.move),
            "leaves": None if self.x is None else {"value": str(self.x), "row": self.leaves},
            "comes": {"value": str(self.y), "row": self.comes, "noise": self.donor is None},
            "before": [side.to_dict() for side in (self.receiver, self.donor) if side is not None],
            "after": [side.to_dict() for side in (self.received, self.gave) if side is not None],
            "why": self.why,
        }


@dataclass(frozen=True)
class RowChange:
    """A row that is published in another class than it began in, or that was added."""

    row: int | None
    """Its number in the table, from 0; None for noise."""
    value: object
    """Its sensitive value."""
    began: int | None
    ended: int
    """The class it was in and the one it is in; began is None for noise."""
    causes: tuple[TableChange, ...]
    """The changes that moved it, in their order."""

    @property
    def _why(self) -> str:
        """Why it moved last."""
        return self.causes[-1].why

    to_dict = JsonForm(
        "row value=str(value) from_class=began to_class=ended steps=causes.number why=_why"
    )


@dataclass(frozen=True)
class ClassChange:
    """A class as it was formed and as it is at the end of a run."""

    before: ClassSeen
    after: ClassSeen
    """The class."""
    exchanges: tuple[int, int]
    """In which it was the one that was short of V, and in which it helped another."""
    noise: int
    """Rows that were added."""

    to_dict = JsonForm(
        "before after exchanges_for_it=exchanges.0 exchanges_for_others=exchanges.1",
        "noise_rows=noise",
    )


@dataclass(frozen=True)
class ValueChange:
    """What became of the rows with one sensitive value."""

    value: object
    """The value."""
    rows: int
    """How many rows of the table have it."""
    moved: int | None
    """How many are published in another class; None if the net does not say which rows move."""
    added: int
    """Noise rows that have it."""

    @property
    def error(self) -> Fraction | None:
        """Relative error of counting the rows that have it; None if none has."""
        return Fraction(self.added, self.rows) if self.rows else None

    to_dict = JsonForm("value=str(value) rows moved added error")


@dataclass(frozen=True)
class Account:
    """What a run did to the table."""

    steps: int
    """Firings of the run."""
    changes: tuple[TableChange, ...]
    """Exchanges and noise rows, in their order."""
    rows: tuple[RowChange, ...] | None
    """Rows that moved, by number, and then those that were added; None if the net does not say
    which rows move."""
    classes: tuple[ClassChange, ...]
    """Those that were short of V when they were formed or that changed, in their order."""
    short: int
    formed: int
    """How many classes had V < θ when they were formed, and how many there are."""
    values: tuple[ValueChange, ...]
    """Every value of the domain."""

    @property
    def added(self) -> int:
        """How many noise rows were added."""
        return sum(change.added for change in self.values)

    @property
    def moved(self) -> int | None:
        """How many rows are published in another class than they began in."""
        return None if self.rows is None else sum(change.row is not None for change in self.rows)

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form: of long lists the first entries, with their number."""
        rows = self.rows
        return {
            "steps": self.steps,
            "changes": {"count": len(self.changes), "listed": _dicts(self.changes, LISTED_CHANGES)},
            "rows": None
            if rows is None
            else {"count": len(rows), "moved": self.moved, "listed": _dicts(rows, LISTED_ROWS)},
            "classes": {
                "short_as_formed": self.short,
                "formed": self.formed,
                "count": len(self.classes),
                "listed": _dicts(self.classes, LISTED_CLASSES),
            },
            "values": [change.to_dict() for change in self.values],
        }


def _dicts(changes: Sequence[Any], most: int) -> list[dict[str, object]]:
    return [change.to_dict() for change in changes[:most]]


def account(
    publisher: Publisher, course: ThetaRun, steps: Iterable[RunStep], *, rows: bool
) -> Account:
    """Return what the steps of a run did to the table.

    The course is at its start, and at the end of the run afterwards. ``rows`` says whether the
    steps name the rows that move.

    >>> from kproof.petri.papers.theta_sensitive import theta_publisher
    >>> publisher = theta_publisher([["Flu", "Flu"], ["Cancer", "HIV"]], k=2)
    >>> swap = RunStep(ThetaMove.SWAP, 0, 1, 1, 0, leaves=0, comes=2)
    >>> changed = account(publisher, ThetaRun(publisher), [swap], rows=True)
    >>> print(changed.changes[0].why)
    V = 0 of class 0 is 0.15 below θ = 0.15; Flu fills 2 of its 2 rows; it has no Cancer, which
    fills 1 of the 2 of class 1
    >>> [(moved.row, moved.began, moved.ended) for moved in changed.rows]
    [(0, 0, 1), (2, 1, 0)]
    """
    threshold, domain = publisher.threshold, publisher.domain

    def class_at(c: int) -> ClassSeen:
        counts = course.counts[c]
        return ClassSeen.of(c, {domain[v].name: counts[v] for v in sorted(counts)}, threshold)

    categories, k = publisher.formed.categories, publisher.k
    formed = [class_at(c) for c in range(len(course.counts))]
    began = {row: c for c, ec in enumerate(course.rows) for part in ec.values() for row in part}
    changes: list[TableChange] = []
    by_row: dict[int, list[TableChange]] = {}
    noise: list[RowChange] = []
    helped: Counter[tuple[str, int]] = Counter()
    total = 0
    # All firings count, those that change no class as well: that is how a run numbers its steps.
    for total, step in enumerate(steps, start=1):
        if step.move not in CHANGES:
            course.take(step)
            continue
        # Before the step is taken: the course keeps no past.
        receiver, donor = class_at(step.c), None if step.b is None else class_at(step.b)
        x, y = None, step.x
        if step.b is not None and step.x is not None and step.y is not None:
            x, y = course.value(step.x), course.value(step.y)
        course.take(step)
        received, gave = class_at(step.c), None if step.b is None else class_at(step.b)
        if step.b is None:
            helped["noise", step.c] += 1
        else:
            helped["own", step.c] += 1
            helped["other", step.b] += 1
        name_x, name_y = (None if value is None else domain[value].name for value in (x, y))
        sides = receiver, received, donor, gave, categories, k
        change = TableChange(total, step.move, name_x, name_y, step.leaves, step.comes, *sides)
        changes.append(change)
        for row in (step.leaves, step.comes):
            if row is not None:
                by_row.setdefault(row, []).append(change)
        if step.b is None:
            noise.append(RowChange(None, change.y, None, step.c, (change,)))
    now = {row: c for c, ec in enumerate(course.rows) for part in ec.values() for row in part}
    name = {
        row: value
        for members, values in zip(publisher.formed.rows, publisher.formed.values, strict=True)
        for row, value in zip(members, values, strict=True)
    }
    moved = [
        RowChange(row, name[row], began[row], now[row], tuple(by_row[row]))
        for row in sorted(by_row)
        # A row may have moved and come back: it is published where it began, and nothing is said.
        if began[row] != now[row]
    ]
    classes = tuple(
        ClassChange(
            initial, class_at(c), (helped["own", c], helped["other", c]), helped["noise", c]
        )
        for c, initial in enumerate(formed)
        if initial.short or any(helped[kind, c] for kind in ("own", "other", "noise"))
    )
    counts = Counter(value for members in publisher.formed.values for value in members)
    went = Counter(change.value for change in moved)
    added = Counter(change.value for change in noise)
    values = tuple(
        ValueChange(value, counts[value], went[value] if rows else None, added[value])
        for value in publisher.formed.domain
    )
    return Account(
        total,
        tuple(changes),
        (*moved, *noise) if rows else None,
        classes,
        sum(bool(initial.short) for initial in formed),
        len(formed),
        values,
    )


def steps_in(publisher: Publisher, trace: Trace) -> list[RunStep]:
    """Return the firings of a net cut by rules as steps, of which only changes say what they do.

    Other firings stand there as passes of the first class, so that steps are numbered as firings.
    """
    records = isinstance(publisher.kind, ByRecord)
    steps = []
    for firing, _ in trace.steps:
        name = firing.transition.removeprefix("Adjst Var: ").replace("Add Noise", ThetaMove.NOISE)
        if name not in CHANGES:
            steps.append(RunStep(ThetaMove.PASS, 0))
            continue
        binding: dict[str, Any] = dict(firing.binding)
        # Noise has only an x, which is what comes.
        b, x, y = (binding.get(letter) for letter in "bxy")
        rows = (x, y) if records and b is not None else (None, None)
        steps.append(RunStep(ThetaMove(name), binding["c"], b, x, y, *rows))
    return steps
