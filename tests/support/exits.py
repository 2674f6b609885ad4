"""Toll-road exit transactions, made up with a seed: what KACA's document anonymizes.

No such data is distributed with the document. These have its columns and its forms (section ids
such as ``G5615530120``, exit times to the second, tolls in yuan to the cent) and enough structure
for clusters to exist: roads of unequal traffic, morning and afternoon peaks, trucks at night.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from kproof.errors import InvalidArgument
from kproof.models.base.parameters import SEED
from kproof.models.tables.kaca import method, report
from kproof.models.tables.release import Release
from kproof.models.tables.table import Table
from kproof.theory.exact.typed import integer

aggregate = partial(report.aggregate, toll="toll")


def kaca(table: Table, **more: Any) -> Release:
    """Run the method on what it is for, as far as the columns are there."""
    named = {"section": "section_id", "time": "exit_time"}
    there = {column.name for column in table.quasi_identifiers}
    return method.kaca(table, **{k: one for k, one in named.items() if one in there} | more)


_ROADS = ("G5615", "G5611", "G5", "G85", "S1021", "S7")
_SHARES = (32, 24, 18, 12, 9, 5)
_TRAFFIC = (3, 2, 2, 2, 3, 4, 5, 7, 10, 12, 11, 9, 8, 10, 12, 12, 11, 9, 7, 6, 5, 5, 4, 4)
_ID_DIGITS = 10


def exit_transactions(
    rows: int, *, seed: int = 0, start: str = "2023-01-02", days: int = 3
) -> Mapping[str, list[object]]:
    """Return exit transactions by column.

    The first day is ``start``, ``YYYY-MM-DD``; the same seed gives the same transactions.
    """
    rows = integer("rows", rows, least=1)
    days = integer("days", days, least=1)
    try:
        first = datetime.combine(date.fromisoformat(start), datetime.min.time())
    except (TypeError, ValueError):
        raise InvalidArgument("start", start, "a day as YYYY-MM-DD") from None
    # Whole numbers only: draws of floats are not promised to be the same on every machine.
    draw = np.random.Generator(np.random.PCG64(SEED.read(seed)))
    road = np.repeat(np.arange(len(_ROADS)), _SHARES)[draw.integers(0, sum(_SHARES), rows)]
    stretch = draw.integers(0, 12, rows) * draw.integers(1, 4, rows)
    gate = draw.integers(0, 4, rows) * 10
    hour = np.repeat(np.arange(24), _TRAFFIC)[draw.integers(0, sum(_TRAFFIC), rows)]
    second = draw.integers(0, days, rows) * 86400 + hour * 3600 + draw.integers(0, 3600, rows)
    cents = 500 + 35 * stretch + draw.integers(0, 2500, rows) + draw.integers(0, 2500, rows)
    plate = draw.permutation(rows)
    return {
        "plate": [f"川A{number:06d}" for number in plate.tolist()],
        "section_id": [
            _section(_ROADS[one], two, three)
            for one, two, three in zip(road.tolist(), stretch.tolist(), gate.tolist(), strict=True)
        ],
        "exit_time": [(first + timedelta(seconds=at)).isoformat(sep=" ") for at in second.tolist()],
        "toll": [amount / 100 for amount in cents.tolist()],
    }


def exit_table(rows: int, *, seed: int = 0, start: str = "2023-01-02", days: int = 3) -> Table:
    """Return exit transactions as a table: section and time known, toll sensitive."""
    return Table.from_frame(
        pd.DataFrame(exit_transactions(rows, seed=seed, start=start, days=days)),
        quasi_identifiers=["section_id", "exit_time"],
        sensitive="toll",
        identifiers=["plate"],
    )


def _section(road: str, stretch: int, gate: int) -> str:
    width = _ID_DIGITS - len(road) + 1
    return f"{road}{stretch:0{width - 3}d}{gate:03d}"
