"""Exits of trucks from toll roads, made up with a seed: what KACA's document anonymizes.

No such data is distributed with the document. These have its columns and its forms (section ids
such as ``G5615530120``, exit times to the second, tolls in yuan to the cent) and enough structure
for clusters to exist: roads of unequal traffic, morning and afternoon peaks, trucks at night, less
traffic on Sundays, and trucks that come back.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any

from kproof.errors import InvalidArgument
from kproof.theory.exact.typed import Number, integer

COLUMNS = ("plate", "section_id", "exit_time", "toll")

_ROADS = ("G5615", "G5611", "G5", "G85", "S1021", "S7")
_SHARES = (32, 24, 18, 12, 9, 5)
_TRAFFIC = (3, 2, 2, 2, 3, 4, 5, 7, 10, 12, 11, 9, 8, 10, 12, 12, 11, 9, 7, 6, 5, 5, 4, 4)
_WEEK = (10, 11, 11, 11, 10, 8, 5)
_EXITS_OF_A_TRUCK = 6


def exit_transactions(
    rows: Number, *, seed: Number = 0, start: str = "2023-01-02", days: Number = 3
) -> Mapping[str, list[Any]]:
    """Return exits by column: plate, section_id, exit_time and toll.

    The same numbers give the same exits on every machine.

    Args:
        rows: Number of exits, from 1.
        seed: A whole number from 0.
        start: The first day, ``YYYY-MM-DD``.
        days: Number of days, from 1.

    >>> exits = exit_transactions(2, seed=1)
    >>> exits["section_id"][0][0] in "GS", len(exits["exit_time"][0])
    (True, 19)
    """
    import numpy as np

    count = integer("rows", rows, least=1)
    length = integer("days", days, least=1)
    try:
        first = datetime.combine(date.fromisoformat(start), datetime.min.time())
    except (TypeError, ValueError):
        raise InvalidArgument("start", start, "a day as YYYY-MM-DD") from None
    # Whole numbers only: draws of floats are not promised to be the same on every machine.
    draw = np.random.Generator(np.random.PCG64(integer("seed", seed, least=0)))
    road = np.repeat(np.arange(len(_ROADS)), _SHARES)[draw.integers(0, sum(_SHARES), count)]
    stretch = draw.integers(0, 12, count) * draw.integers(1, 4, count)
    gate = draw.integers(0, 4, count) * 10
    hour = np.repeat(np.arange(24), _TRAFFIC)[draw.integers(0, sum(_TRAFFIC), count)]
    busy = np.cumsum([_WEEK[(first.weekday() + day) % 7] for day in range(length)])
    # To the right: a draw that equals a running total is the first of the next day.
    day = np.searchsorted(busy, draw.integers(0, int(busy[-1]), count), side="right")
    second = day * 86400 + hour * 3600 + draw.integers(0, 3600, count)
    cents = 500 + 35 * stretch + draw.integers(0, 2500, count) + draw.integers(0, 2500, count)
    # Last of all: the order of draws is part of the result, and another one gives other exits.
    plate = draw.integers(0, max(1, count // _EXITS_OF_A_TRUCK), count)
    return {
        "plate": [f"川A{number:06d}" for number in plate.tolist()],
        "section_id": [
            # Ten digits with the road's number, the last three of them the gate's.
            f"{_ROADS[number]}{along:0{8 - len(_ROADS[number])}d}{exit_:03d}"
            for number, along, exit_ in zip(
                road.tolist(), stretch.tolist(), gate.tolist(), strict=True
            )
        ],
        "exit_time": [
            (first + timedelta(seconds=seconds)).isoformat(sep=" ") for seconds in second.tolist()
        ],
        "toll": [amount / 100 for amount in cents.tolist()],
    }


def exits(rows: Number, *, seed: Number = 0) -> str:
    """Return three days of exits as CSV text with a line of names (:data:`COLUMNS`).

    >>> exits(3).splitlines()[0]
    'plate,section_id,exit_time,toll'
    """
    columns = exit_transactions(rows, seed=seed)
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\n")
    write.writerow(COLUMNS)
    write.writerows(zip(*(columns[name] for name in COLUMNS), strict=True))
    return out.getvalue()
