"""What KACA's document publishes of exit transactions: regions, periods, counts, mean tolls.

A release of :func:`kproof.models.tables.kaca.method.kaca` is reduced to one line for each region
and period, in the field names and with the fixed texts of the document's service. The corrected
labels are truthful: every record's section begins with its region's prefix, and its time lies in
its period. The printed ones name the quarter of the day in which the earliest time of the class
lies.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from kproof.errors import DataError, InvalidArgument
from kproof.models.base.columns import Column
from kproof.models.base.missing import MISSING, text
from kproof.models.tables.kaca.clock import (
    MINUTES,
    REGION,
    common_prefix,
    minutes_of,
    section_numbers,
    widest_gap,
)
from kproof.theory.exact.typed import rational

if TYPE_CHECKING:
    from kproof.models.tables.release import Release

PERIODS = ("凌晨时段(00-06)", "上午时段(06-12)", "下午时段(12-18)", "晚上时段(18-24)")
WHOLE_DAY = "全天(00-24)"
EVERYWHERE = "全部" + REGION
OR_UNKNOWN = "或未知"

_METHOD = "KACA (K-Anonymity Clustering Algorithm)"
_CLUSTERINGS = {
    "k-means": ("K-Means", "基于聚类的自适应泛化"),
    "partition": ("Partition", "基于最小信息损失划分的自适应泛化"),
}


def aggregate(
    release: Release,
    *,
    section: str,
    time: str,
    toll: str,
) -> dict[str, object]:
    """Return a KACA release of exit transactions as the document's service would.

    Classes with the same region and period are one line, so a line may stand for several. As in
    the document, a count is of exits: a truck that leaves twice counts twice. Lines are sorted
    by region, then by period. Mean tolls are exact and then rounded to cents, halves to even.

    Parameters
    ----------
    release
        Of :func:`~kproof.models.tables.kaca.method.kaca`.
    section, time
        Its quasi-identifiers, as :func:`~kproof.models.tables.kaca.method.kaca` was told.
    toll
        The sensitive column or one published as it is, with numbers.

    Returns
    -------
    dict
        JSON-ready; ``data`` holds the lines.

    Raises
    ------
    InvalidArgument
        If the release is another method's, or there is no such column.
    DataError
        If a section, time or toll cannot be read as one.

    Examples
    --------
    >>> from kproof.models.tables.kaca.method import kaca
    >>> from kproof.models.tables.table import Table
    >>> import pandas as pd
    >>> frame = pd.DataFrame({
    ...     "exit": ["G56155", "G56158"], "at": ["08:00", "09:30"], "paid": [12, 15.5]
    ... })
    >>> table = Table.from_frame(frame, quasi_identifiers=["exit", "at"], sensitive="paid")
    >>> release = kaca(table, k=2, section="exit", time="at")
    >>> line = aggregate(release, section="exit", time="at", toll="paid")["data"][0]
    >>> line["section_region"], line["time_period"], line["truck_count"], line["avg_toll"]
    ('G5615区域', '上午时段(06-12)', 2, 13.75)
    """
    if release.method != "kaca":
        raise InvalidArgument("release", f"of method {release.method}", "one of method kaca")
    table = release.table
    printed = release.parameters["reading"] == "printed"
    sections = _found("section", section, table.quasi_identifiers)
    times = _found("time", time, table.quasi_identifiers)
    held = (*table.secrets, *table.other)
    tolls = _found("toll", toll, held)
    amounts = [_amount(tolls, value) for value in tolls.values]
    minutes = minutes_of(times)
    if printed:
        section_numbers(sections)

    lines: dict[tuple[str, str], list[Fraction]] = {}
    for rows in _members(release):
        region = region_label(sections.values[code] for code in np.unique(sections.codes[rows]))
        span = minutes[np.unique(times.codes[rows])].tolist()
        period = printed_period(span) if printed else period_label(span)
        paid = [amounts[code] for code in tolls.codes[rows].tolist()]
        lines.setdefault((region, period), []).extend(paid)
    data = [
        {
            "section_region": region,
            "time_period": period,
            "truck_count": len(paid),
            "avg_toll": float(round(sum(paid, Fraction(0)) / len(paid), 2)),
            "k_anonymized": True,
            "algorithm": "KACA",
        }
        for (region, period), paid in sorted(lines.items())
    ]
    return _answer(release, data, (section, time))


def region_label(sections: Iterable[object]) -> str:
    """Return the region of section ids: their common prefix, or everywhere if there is none.

    Examples
    --------
    >>> region_label(["G5615530120", "G5615530240"]), region_label(["G5", "S1"])
    ('G5615530区域', '全部区域')
    """
    distinct = list(sections)
    known = [text(value) for value in distinct if value is not MISSING]
    prefix = common_prefix(min(known), max(known)) if known else ""
    label = prefix + REGION if prefix else EVERYWHERE
    return label if len(known) == len(distinct) else label + OR_UNKNOWN


def period_label(minutes: Sequence[int]) -> str:
    """Return a period that covers minutes of the day, -1 standing for an unknown one.

    A quarter of the day if one covers them all; else the shortest arc of whole hours, which may
    pass midnight (of several, the one that begins first); else the day.

    Examples
    --------
    >>> period_label([12 * 60, 17 * 60 + 59]), period_label([300, 700])
    ('下午时段(12-18)', '时段(05-12)')
    >>> period_label([23 * 60, 30]), period_label([0, 480, 960])
    ('时段(23-01)', '时段(00-17)')
    """
    known = [minute for minute in minutes if minute >= 0]
    label = WHOLE_DAY
    quarters = {minute // 360 for minute in known}
    if len(quarters) == 1:
        label = PERIODS[quarters.pop()]
    elif known:
        origin = widest_gap([minute // 60 * 60 for minute in known]) // 60
        hours = max((minute // 60 - origin) % 24 for minute in known) + 1
        if hours < MINUTES // 60:
            label = f"时段({origin:02d}-{(origin + hours - 1) % 24 + 1:02d})"
    return label if len(known) == len(minutes) else label + OR_UNKNOWN


def printed_period(minutes: Sequence[int]) -> str:
    """Return the quarter of the day in which the earliest minute lies.

    This is how the document's labels are read here; it does not say what becomes of a cluster
    that spans several quarters.

    Examples
    --------
    >>> printed_period([5 * 60, 11 * 60])
    '凌晨时段(00-06)'
    """
    return PERIODS[max(min(minutes), 0) // 360]


def _answer(
    release: Release, data: list[dict[str, object]], columns: tuple[str, str]
) -> dict[str, object]:
    rows = release.table.rows
    suppressed = len(release.suppressed)
    algorithm, description = _CLUSTERINGS[str(release.parameters["clustering"])]
    return {
        "success": True,
        "data": data,
        "count": len(data),
        "category": "📊 流量统计类（k-匿名保护）",
        "privacy_protection": {
            "method": _METHOD,
            "algorithm": "KACA",
            "k_value": release.parameters["k"],
            "input_source": "原始出口交易记录",
            "quasi_identifiers": list(columns),
            "clustering": {
                "algorithm": algorithm,
                "clusters": release.count,
                "description": description,
            },
            "generalization": {
                "geographic": f'聚类内{columns[0]}公共前缀 + "{REGION}"',
                "temporal": "聚类内时间范围泛化",
            },
            "statistics": {
                "total_records": rows,
                "anonymized_groups": len(data),
                "suppressed_records": suppressed,
                "retention_rate": round(100 * (rows - suppressed) / rows, 2) if rows else 0.0,
            },
        },
    }


def _members(release: Release) -> list[np.ndarray]:
    order = np.argsort(release.class_of, kind="stable")
    starts = np.searchsorted(release.class_of[order], np.arange(release.count + 1))
    return [order[starts[c] : starts[c + 1]] for c in range(release.count)]


def _found(argument: str, name: str, columns: Sequence[Column]) -> Column:
    for column in columns:
        if column.name == name:
            return column
    names = ", ".join(column.name for column in columns)
    raise InvalidArgument(argument, name, f"one of the release's columns {names}")


def _amount(column: Column, value: object) -> Fraction:
    if value is MISSING or not column.numeric:
        raise DataError(f"column {column.name}: {text(value)} is no amount; need numbers")
    return rational(column.name, value)
