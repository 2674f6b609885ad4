"""Ladders for days and moments: months, quarters, years, decades; weeks; days of the week.

Months do not hold whole weeks, so weeks are a ladder of their own, and so are days of the week,
which forget which week it was.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from kproof.errors import DataError, InvalidArgument
from kproof.models.base.missing import text
from kproof.models.tables.levels.base import ROOT, Drawn, Ladder, Leaves
from kproof.models.tables.levels.moments import SeveralFormats, moments, time_zone

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def _years(step: str) -> int | None:
    match = _YEARS.fullmatch(step)
    return int(match[1]) if match else {"year": 1, "decade": 10}.get(step)


def _run(first: int, width: int) -> str:
    return f"{first:04d}" if width == 1 else f"[{first:04d}-{first + width - 1:04d}]"


STEPS: Mapping[str, Callable[[datetime], str]] = {
    "hour": lambda when: f"{when:%Y-%m-%dT%H}",
    "day": lambda when: when.date().isoformat(),
    "month": lambda when: when.date().isoformat()[:7],
    "quarter": lambda when: f"{when.year:04d}-Q{(when.month + 2) // 3}",
    "year": lambda when: f"{when.year:04d}",
    "decade": lambda when: f"{when.year // 10:03d}0s",
}
"""Label of a moment at each step of the calendar, from the finest."""

_YEARS = re.compile(r"([1-9]\d{0,3})y")

WEEKS: Mapping[str, Callable[[datetime], str]] = {
    # The year of the week, which is not that of the day: 2021-01-01 is in 2020-W53.
    "week": lambda when: "{:04d}-W{:02d}".format(*when.isocalendar()),
    "year of weeks": lambda when: f"{when.isocalendar()[0]:04d}-W**",
}
WEEKDAYS: Mapping[str, Callable[[datetime], str]] = {
    "day of the week": lambda when: DAYS[when.weekday()],
    "part of the week": lambda when: (
        "Monday to Friday" if when.weekday() < 5 else "Saturday and Sunday"
    ),
}


@dataclass(frozen=True)
class CalendarLadder(Ladder):
    """Days or moments and what the calendar puts above them.

    >>> tree = CalendarLadder("date").taxonomy(["2020-04-26", "2020-05-01"], "born")
    >>> tree.label_of(["2020-04-26", "2020-05-01"])
    '2020-Q2'
    >>> tree.labels[::-1]
    ('2020-05-01', '2020-05', '2020-04-26', '2020-04', '2020-Q2', '2020', '2020s', '*')
    """

    kind: str
    """``"date"``, ``"datetime"``, ``"week"`` or ``"weekday"``."""
    steps: tuple[str, ...] = ()
    """Names of the levels between the value and the root, from the finest; ``20y`` stands for
    twenty years, ``[1980-1999]``."""
    format: str | None = None
    """How dates are written, such as ``%d/%m/%Y``; None finds out."""
    since: int | None = None
    """The first year that two digits may mean."""
    zone: str | None = None
    """Name of the time zone in which moments are told; None for that of the values."""

    def __post_init__(self) -> None:
        step_names = tuple(self._steps)
        kind_steps = step_names[2:] if self.kind == "date" else step_names
        # The day is level 0 of a date already.
        steps = tuple(
            step for step in self.steps or kind_steps if (self.kind, step) != ("date", "day")
        )
        for step in steps:
            if self._label(step) is None or (self.kind, step) == ("date", "hour"):
                hint = "" if self._steps is not STEPS else " or years, such as 20y"
                if "week" in step:
                    hint += "; weeks and days of the week are the ladders week and weekday"
                raise InvalidArgument("ladder", self._as(steps), f"{', '.join(kind_steps)}{hint}")
        # Months of a step; what has years counts by them.
        # Steps below a year have places under 12 in any case, as there are fewer
        # than twelve of them.
        places = [12 * (_years(step) or 0) or step_names.index(step) for step in steps]
        # A decade holds no whole number of steps of three years: some label of theirs would
        # lie in two of its own.
        years = [months for months in places if months >= 12]
        nested = all(high % low == 0 for low, high in pairwise(years))
        if places != sorted(set(places)) or not nested:
            admissible = f"steps from the finest, one dividing the next: {', '.join(kind_steps)}"
            raise InvalidArgument("ladder", self._as(steps), admissible)
        if self.zone is not None:
            time_zone(self.zone)
        if self.format is not None:
            # The pattern is made when it is first needed: what is wrong with a format is said here,
            # before a column is read.
            SeveralFormats(self.format).looks("")
        # Frozen, and yet "date" and "date:month,quarter,year,decade" have to be one ladder.
        object.__setattr__(self, "steps", steps)

    @property
    def spec(self) -> str:
        """The ladder as the command line has it."""
        default_steps = CalendarLadder(self.kind).steps if self.steps else ()
        return self._as(() if self.steps == default_steps else self.steps)

    @property
    def levels(self) -> tuple[str, ...]:
        """The value, the steps, and everything."""
        return ("value", *self.steps, ROOT)

    def draw(self, leaves: Leaves) -> Drawn:
        """Return the labels above days or moments, in the order of time."""
        read = moments(
            leaves.values,
            leaves.column,
            pattern=self.format,
            since=self.since,
            zone=self.zone,
            kind=self.kind,
        )
        dated = list(zip(leaves.values, read.whens, strict=True))
        if self.kind == "date" and read.clocked:
            clocked = next(value for value, when in dated if when.time() != datetime.min.time())
            raise DataError(f"{leaves.about(clocked)} has a time of day; use the ladder datetime")
        labels = [label for step in self.steps if (label := self._label(step)) is not None]
        paths = sorted(
            (
                # Days of the week are cut from Monday on, whatever week they were in.
                when.weekday() if self.kind == "weekday" else 0,
                when,
                (text(value), *(label(when) for label in labels), ROOT),
            )
            for value, when in dated
        )
        return Drawn(tuple(path for _, _, path in paths), read.note)

    @property
    def _steps(self) -> Mapping[str, Callable[[datetime], str]]:
        return {"week": WEEKS, "weekday": WEEKDAYS}.get(self.kind, STEPS)

    def _label(self, step: str) -> Callable[[datetime], str] | None:
        """Return what labels a moment at a step; None if there is no such step."""
        if (years := _YEARS.fullmatch(step)) is not None and self._steps is STEPS:
            width = int(years[1])
            return lambda when: _run(when.year // width * width, width)
        return self._steps.get(step)

    def _as(self, steps: Sequence[str]) -> str:
        settings = {"format": self.format, "from": self.since, "zone": self.zone}
        suffixes = (f";{name}={value}" for name, value in settings.items() if value is not None)
        return self.kind + (f":{','.join(steps)}" if steps else "") + "".join(suffixes)
