"""A year of exits that arrive as they do in practice: late, corrected, deleted.

Of each night's exits most are there in the morning, a few days later nearly all, some after weeks.
Of those that are there some get another toll or another section, or are deleted.
"""

from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

import numpy as np
import pyarrow as pa

from kproof.serve.flows import ExactFlows
from kproof.serve.sealed import SealedExits
from kproof.serve.source import TollColumns

FIRST = date(2023, 1, 2)
ZERO = (FIRST - date(1970, 1, 1)).days
EARLY = (0.9, 0.05, 0.02, 0.01, 0.01)
"""Shares of exits that are there after as many days; the others come in up to a month."""
CHANGED = 0.002
"""Share of exits of the last two weeks that are changed each day, a third in each way."""


@dataclass
class LateTable:
    """A table that grows, as the server would read it."""

    days: int
    a_day: int
    seed: int = 0
    columns: TollColumns = field(default_factory=lambda: TollColumns(vehicle="plate"))
    name: str = "late exits"

    def __post_init__(self) -> None:
        draw = np.random.Generator(np.random.PCG64(self.seed))
        rows = self.days * self.a_day
        self.day = ZERO + np.repeat(np.arange(self.days), self.a_day)
        self.hour = draw.binomial(23, 0.55, rows)
        self.section = draw.integers(0, 40, rows)
        self.vehicle = draw.integers(0, 3 * self.a_day, rows)
        self.cents = draw.integers(500, 5000, rows)
        wait = draw.choice(len(EARLY) + 1, rows, p=(*EARLY, 1 - sum(EARLY)))
        late = wait == len(EARLY)
        wait[late] = draw.integers(len(EARLY), 30, late.sum())
        self.arrives, self.draw = self.day + wait, draw
        self.present = np.ones(rows, dtype=bool)

    def night(self, until: date) -> None:
        """Change some exits of the two weeks before a day."""
        number = (until - date(1970, 1, 1)).days
        recent = np.flatnonzero((self.day < number) & (self.day >= number - 14))
        changed = recent[self.draw.random(len(recent)) < CHANGED]
        tolls, sections, deleted = np.array_split(self.draw.permutation(changed), 3)
        self.cents[tolls] = self.draw.integers(500, 5000, len(tolls))
        self.section[sections] = self.draw.integers(0, 40, len(sections))
        self.present[deleted] = False
        self.now = number

    def check(self) -> None:
        """Be there."""

    def exits_before(self, until: date) -> tuple[Any, dict[str, int]]:
        """Return what has arrived of the days before one."""
        stop = (until - date(1970, 1, 1)).days
        there = self.present & (self.arrives < self.now) & (self.day < stop)
        table = pa.table(
            {
                "day": self.day[there],
                "hour": self.hour[there],
                "section": [f"G{code // 10}{code % 10}" for code in self.section[there]],
                "vehicle": [f"v{code}" for code in self.vehicle[there]],
                "cents": self.cents[there],
            }
        )
        grouped = table.group_by(["day", "hour", "section", "vehicle"]).aggregate(
            [("cents", "count"), ("cents", "sum"), ("cents", "min"), ("cents", "max")]
        )
        names = ["day", "hour", "section", "vehicle", "count", "cents", "least", "most"]
        return grouped.rename_columns(names), {}


def year(days: int, a_day: int, *, close_after: int, k: int = 5) -> tuple[float, int, ExactFlows]:
    """Run a service for so many days, with days closed so many days after their end.

    Returns the share of exits that no answer about a single day counts, the fewest people of a
    cell, and the service.
    """
    table = LateTable(days, a_day)
    today = [FIRST]
    sealed = SealedExits(None, "late exits", (k, 2 * k), {"zone": "UTC"})
    source: Any = table
    flows = ExactFlows(source, sealed, rungs=(k, 2 * k), today=lambda: today[0])
    for day in range(1, days + 31 + close_after):
        table.night(FIRST + timedelta(day))
        until = min(day - close_after, days)
        if until > 0 and FIRST + timedelta(until) > today[0]:
            today[0] = FIRST + timedelta(until)
            flows.refresh()
    lost = 0
    truth = np.bincount(table.day[table.present] - ZERO, minlength=days)
    for day in range(days):
        at = FIRST + timedelta(day)
        answer = flows.answer(at, at, k)
        lost += max(int(truth[day]) - sum(line["truck_count"] for line in answer["data"]), 0)
    vehicle = flows.cells.records.vehicle
    assert vehicle is not None
    least = min(len(np.unique(vehicle[rows])) for rows in flows.cells.cells_of(k))
    return lost / int(truth.sum()), least, flows
