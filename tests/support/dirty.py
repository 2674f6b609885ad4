"""Cells as exports have them, with what a person reads in them: the oracle of what is not read."""

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import product
from random import Random

Cell = tuple[str | None, object]
"""What stands there, and its value, or the reason for which it has none."""
Row = tuple[Cell, Cell, Cell]

_AT = datetime(2023, 1, 2, 8, 15)
SECTIONS: list[Cell] = [
    *[(name, (name,)) for name in ("G561", "S 'x'", "")],
    (None, "no section"),
    ("x" * 201, "section of more than 200 signs"),
]
TIMES: list[Cell] = [
    *[
        (text, (_AT,))
        for text in (
            "2023-01-02 08:15",
            "2023-01-02T08:15:00",
            " 2023-01-02  8:15:00 ",
            "2023/01/02 08:15",
            "2023/1/2 8:15",
            "2023.01.02 08:15:00.000",
            "20230102081500",
            "20230102 0815",
            "2023年1月2日 8时15分",
            "2023年01月02日 08:15:00",
        )
    ],
    ("2024-02-29", (datetime(2024, 2, 29),)),
    *[(text, "no time") for text in (None, "", "  ")],
    *[
        (text, "time in no known form")
        for text in (
            "yesterday",
            "2023-02-29 10:00",
            "2023-13-01",
            "1900-02-29",
            "2023-01-02 24:01",
            # The 28th at no hour, if the sign of the day were only left out.
            "2023年1月2日8时",
            "2023年1月2日8",
        )
    ],
    *[(text, "time in no known form") for text in ("infinity", "-infinity", "now", "epoch")],
    *[
        (text, "time in no known form")
        for text in ("0000-01-01", "2023-04-31", "'; DROP", "２０２３-01-02")
    ],
    *[
        (text, "time with the day or month first (02/01/2023)")
        for text in ("02/01/2023 08:15", "2.1.23", "31-12-2023")
    ],
    *[(text, "time as seconds since 1970") for text in ("1672647300", "1672647300000")],
    ("2023-01-02 08:15 PM", "time with am or pm"),
    ("Jan 2, 2023", "time with the name of a month"),
    ("2 Jan 2023", "time with the name of a month"),
]
TOLLS: list[Cell] = [
    *[
        (text, (1250,))
        for text in ("12.50", "¥12.50", "￥ 12.5", "12.50元", "CNY 12.50", "CN¥12.50", "12.50 RMB")
    ],
    *[(text, (123450,)) for text in ("1,234.50", "$1,234.5", "1 234.50")],
    *[(text, (100000,)) for text in ("1e3", "1000", "+1000.", "1,000")],
    ("0", (0,)),
    *[(text, "no toll") for text in (None, "", " ")],
    *[
        (text, "toll with a decimal comma (12,50)")
        for text in ("12,50", "1.234,50", "€12,5", "0,125")
    ],
    ("(12.50)", "toll in brackets"),
    *[
        (text, "toll in no known form")
        for text in (
            "dear",
            "NaN",
            "inf",
            "1e400",
            "12.5.0",
            "1,23,456",
            "1,234 567",
            "１２",
            "0x10",
            "--1",
        )
    ],
    *[(text, "toll not from 0 to 100000000") for text in ("-1", "¥-12.50", "1e30", "100000000.01")],
]


def every_cell() -> Iterator[Row]:
    """Each time with a few tolls and each toll with a few times, in every kind of section."""
    yield from product(SECTIONS, TIMES, TOLLS[:1] + TOLLS[-1:])
    yield from product(SECTIONS[:1] + SECTIONS[-1:], TIMES[:1] + TIMES[-1:], TOLLS)


def drawn(seed: int, rows: int) -> list[Row]:
    draw = Random(seed)
    share = draw.choice((0.5, 0.9, 0.99))

    def cell(cells: list[Cell]) -> Cell:
        good = [one for one in cells if isinstance(one[1], tuple)]
        return draw.choice(good if draw.random() < share else cells)

    return [(cell(SECTIONS), cell(TIMES), cell(TOLLS)) for _ in range(rows)]


def expected(rows: Iterable[Row]) -> tuple[Counter[object], Counter[object], int]:
    """Return exits and hundredths by moment and section, and what is not read."""
    exits, unread, cents = Counter[object](), Counter[object](), 0
    for (_, section), (_, time), (_, toll) in rows:
        reason = next((cell for cell in (section, time, toll) if isinstance(cell, str)), None)
        if reason is not None:
            unread[reason] += 1
            continue
        (name,), (moment,), (paid,) = section, time, toll  # type: ignore[misc]
        exits[name, moment.date(), moment.hour] += 1
        cents += paid
    return exits, unread, cents
