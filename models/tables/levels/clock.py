"""Ladders for times of day: the minute, the hour, the quarter of the day."""

from dataclasses import dataclass
from datetime import time

from kproof.errors import DataError, InvalidArgument
from kproof.models.base.missing import text
from kproof.models.tables.levels.base import ROOT, Drawn, Ladder, Leaves
from kproof.models.tables.levels.moments import clock_of

WIDTHS = {"minute": 1, "hour": 60, "quarter": 360}
"""Minutes in each step, from the finest."""


@dataclass(frozen=True)
class ClockLadder(Ladder):
    """Times of day, with or without a date before them, and the stretches they lie in.

    A stretch is written from its first minute to the first one after it, which a round bracket
    leaves out. A time that is told with a zone is taken as it is told.

    >>> tree = ClockLadder().taxonomy(["08:15", "08:40", "11:59:30"], "seen")
    >>> tree.label_of(["08:15", "08:40"]), tree.label_of(["08:15", "11:59:30"])
    ('[08:00-09:00)', '[06:00-12:00)')
    """

    steps: tuple[str, ...] = tuple(WIDTHS)
    """Of ``"minute"``, ``"hour"`` and ``"quarter"`` (of the day), in this order."""

    root = ROOT

    def __post_init__(self) -> None:
        if self.steps != tuple(step for step in WIDTHS if step in self.steps):
            spec = f"time:{','.join(self.steps)}"
            raise InvalidArgument("ladder", spec, f"of {', '.join(WIDTHS)}, in this order")

    @property
    def spec(self) -> str:
        """The ladder as the command line has it."""
        return "time" if self.steps == tuple(WIDTHS) else f"time:{','.join(self.steps)}"

    @property
    def levels(self) -> tuple[str, ...]:
        """The value, the steps, and everything."""
        return ("value", *self.steps, self.root)

    def label(self, step: str, first: int) -> str:
        """Return the label of the stretch of a step that begins at a minute of the day."""
        if step == "minute":
            return _clock_label(first)
        return f"[{_clock_label(first)}-{_clock_label(first + WIDTHS[step])})"

    def draw(self, leaves: Leaves) -> Drawn:
        """Return the labels above times, in the order of the day."""
        paths: list[tuple[tuple[int, int, int], tuple[str, ...]]] = []
        for value in leaves.values:
            when = require_clock(value, leaves)
            minute = when.hour * 60 + when.minute
            above = (self.label(step, minute // WIDTHS[step] * WIDTHS[step]) for step in self.steps)
            # By the numbers: as texts 8:15 would stand behind 12:00. The zone has no say, as it
            # has none in a label.
            order = (minute, when.second, when.microsecond)
            paths.append((order, (text(value), *above, self.root)))
        return Drawn(tuple(path for _, path in sorted(paths)))


def require_clock(value: object, leaves: Leaves) -> time:
    """Return the time of day of a value of a column; one without any is refused."""
    if (when := clock_of(value)) is None:
        raise DataError(f"{leaves.about(value)} is no time; need such as 2023-01-02 13:45")
    return when


def _clock_label(minute: int) -> str:
    return f"{minute // 60:02d}:{minute % 60:02d}"
