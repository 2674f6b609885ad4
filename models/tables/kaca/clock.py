"""Road sections and times of day: how KACA's document reads and labels its quasi-identifiers.

A section id such as ``G5615530120`` belongs to the regions of all its beginnings; a time of day to
an hour and a quarter of the day. Both are ladders like any other, in the document's words.
"""

from dataclasses import dataclass, replace

import numpy as np

from kproof.errors import DataError, InvalidArgument, one_of, show
from kproof.models.base.arrays import Codes
from kproof.models.base.columns import Column
from kproof.models.base.missing import MISSING, text
from kproof.models.tables.levels.base import Ladder, Leaves, ladder_of
from kproof.models.tables.levels.clock import WIDTHS, ClockLadder, require_clock
from kproof.models.tables.levels.codes import BeginningLadder
from kproof.models.tables.table import Table

MINUTES = 24 * 60

REGION = "区域"
"""What the document appends to a common prefix."""

PERIODS = ("凌晨时段(00-06)", "上午时段(06-12)", "下午时段(12-18)", "晚上时段(18-24)")
WHOLE_DAY = "全天(00-24)"
EVERYWHERE = "全部" + REGION


@dataclass(frozen=True)
class PeriodLadder(ClockLadder):
    """Times of day below the hour, the quarter of the day and the day, as the document has them.

    >>> tree = PeriodLadder().taxonomy(["08:15", "08:40", "11:59:30", "13:00"], "exit_time")
    >>> tree.label_of(["08:15", "08:40"]), tree.label_of(["08:15", "11:59:30"])
    ('时段(08-09)', '上午时段(06-12)')
    """

    steps: tuple[str, ...] = ("hour", "quarter")

    spec = "period"
    root = WHOLE_DAY

    def label(self, step: str, first: int) -> str:
        """Return the period that begins at a minute of the day."""
        if step == "quarter":
            return PERIODS[first // WIDTHS[step]]
        return f"时段({first // 60:02d}-{first // 60 + 1:02d})"


REGIONS = BeginningLadder(mark=REGION, everything=EVERYWHERE, spec="region")
"""Section ids below the beginnings that they share, as the document labels them."""


def with_ladders(table: Table, *, section: str | None, time: str | None) -> Table:
    """Return a table with regions above its section ids and periods above its times.

    A time is published as a period of an hour at least. Whatever levels dates and times got by
    themselves give way; levels that somebody gave are refused.
    """
    columns = {column.name: column for column in table.quasi_identifiers}
    choices: tuple[tuple[str, str | None, Ladder, int], ...] = (
        ("section", section, REGIONS, 0),
        ("time", time, PeriodLadder(), 1),
    )
    for option, name, ladder, lowest in choices:
        if name is not None and name not in columns:
            raise InvalidArgument(option, name, one_of(name, columns))
        if name is not None:
            columns[name] = _with_ladder(option, columns[name], ladder, lowest)
    return replace(table, quasi_identifiers=tuple(columns.values()))


def _with_ladder(option: str, column: Column, ladder: Ladder, lowest: int) -> Column:
    own_levels = ladder_of(column.taxonomy).partition(" ")[0] in ("date", "datetime", "time")
    foreign = column.taxonomy is not None and not own_levels
    if foreign or column.least_level or column.most_level is not None:
        raise InvalidArgument(option, column.name, "a column without levels: it gets its own")
    # A ladder is drawn above values, and there is none.
    if all(value is MISSING for value in column.values):
        return replace(column, taxonomy=None, numeric=False)
    tree = ladder.taxonomy(column.values, column.name).fitted(column.values, column=column.name)
    return replace(column, taxonomy=tree, numeric=False, least_level=lowest)


def minutes_of(column: Column) -> Codes:
    """Return the minute of the day of each value of a column; -1 for a missing one.

    >>> times = ("2023-01-02 13:45:10", "2023-01-03T00:05", "23:59")
    >>> minutes_of(Column("exit_time", np.arange(3, dtype=np.int32), times, False)).tolist()
    [825, 5, 1439]
    >>> minutes_of(Column("exit_time", np.zeros(1, dtype=np.int32), ("noon",), False))
    Traceback (most recent call last):
    kproof.errors.DataError: column exit_time: noon is no time; need such as 2023-01-02 13:45
    """
    minutes = np.full(len(column.values), -1, dtype=np.int64)
    for code, value in enumerate(column.values):
        if value is not MISSING:
            when = require_clock(value, Leaves(column.values, column.name))
            minutes[code] = when.hour * 60 + when.minute
    return minutes


def section_numbers(column: Column) -> Codes:
    """Return the digits of each section id of a column as one number.

    >>> ids = Column("section_id", np.zeros(1, dtype=np.int32), ("G5615530120",), False)
    >>> section_numbers(ids).tolist()
    [5615530120]
    """
    numbers = []
    for value in column.values:
        digits = "".join(sign for sign in text(value) if sign.isdecimal())
        # Any 18 digits are a number below 2^63.
        if not 0 < len(digits) < 19:
            raise DataError(
                f"column {show(column.name)}: {show(text(value))} is no section id; "
                "need 1 to 18 digits, such as G5615530120"
            )
        numbers.append(int(digits))
    return np.array(numbers, dtype=np.int64)
