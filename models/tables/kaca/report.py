"""What KACA's document publishes of exit transactions: regions, periods, counts, mean tolls.

A release of :func:`kproof.models.tables.kaca.method.kaca` is reduced to one line for each region
and period, in the field names and with the fixed texts of the document's service. They are the
labels of the release: every record's section begins with its region's prefix, and its time lies
in its period. The printed reading names the quarter of the day in which the earliest time of the
class lies.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from kproof.errors import DataError, InvalidArgument, one_of
from kproof.models.base.columns import Column
from kproof.models.base.missing import MISSING, text
from kproof.models.tables.kaca import clock
from kproof.models.tables.recoding import Recoded
from kproof.models.tables.release import Release
from kproof.models.tables.writers import csv_text
from kproof.theory.exact.typed import rational

OR_UNKNOWN = "或未知"

_METHOD = "KACA (K-Anonymity Clustering Algorithm)"
_CLUSTERINGS = {
    "k-means": ("K-Means", "基于聚类的自适应泛化"),
    "partition": ("Partition", "基于最小信息损失划分的自适应泛化"),
}


def aggregate(release: Release, *, toll: str) -> dict[str, object]:
    """Return a KACA release of exit transactions as the document's service would.

    Classes with the same region and period are one line, so a line may stand for several. As in
    the document, a count is of exits: a truck that leaves twice counts twice. Lines are sorted
    by region, then by period. Mean tolls are exact and then rounded to cents, halves to even.

    Args:
        release: Of :func:`~kproof.models.tables.kaca.method.kaca`, which was told the columns of
            sections and times.
        toll: The sensitive column or one published as it is, with numbers.

    Returns:
        JSON-ready; ``data`` holds the lines.

    Raises:
        DataError: If a toll is no number.

    >>> from kproof.models.tables.kaca.method import kaca
    >>> from kproof.models.tables.table import Table
    >>> import pandas as pd
    >>> frame = pd.DataFrame({
    ...     "exit": ["G56155", "G56158"], "at": ["08:00", "09:30"], "paid": [12, 15.5]
    ... })
    >>> table = Table.from_frame(frame, quasi_identifiers=["exit", "at"], sensitive="paid")
    >>> release = kaca(table, k=2, section="exit", time="at")
    >>> line = aggregate(release, toll="paid")["data"][0]
    >>> line["section_region"], line["time_period"], line["truck_count"], line["avg_toll"]
    ('G5615区域', '上午时段(06-12)', 2, 13.75)
    """
    if release.method != "kaca":
        raise InvalidArgument("release", f"of method {release.method}", "one of method kaca")
    table = release.table
    printed = release.parameters["reading"] == "printed"
    sections, times = (_find_recoding(release, option) for option in ("section", "time"))
    tolls = _find_column(toll, (*table.secrets, *table.other))
    amounts = [_amount(tolls, value) for value in tolls.values]
    minutes = clock.minutes_of(times.column)
    if printed:
        # For what it refuses alone: the printed reading grouped ids by their digits.
        clock.section_numbers(sections.column)

    lines: dict[tuple[str, str], list[Fraction]] = {}
    for index, rows in enumerate(_members(release)):
        # An id is a region of its own; a period is an hour, a quarter of the day or the day.
        region = _class_label(sections, index, everything=clock.EVERYWHERE, mark=clock.REGION)
        period = _class_label(times, index, everything=clock.WHOLE_DAY)
        if printed:
            period = print_period(minutes[np.unique(times.column.codes[rows])].tolist())
        paid = [amounts[code] for code in tolls.codes[rows].tolist()]
        # Amounts and not means: the mean of a line is that of all its exits, not of its classes.
        lines.setdefault((region, period), []).extend(paid)
    algorithm, description = _CLUSTERINGS[str(release.parameters["clustering"])]
    return answer_of(
        [(*name, len(paid), sum(paid, Fraction(0)) / len(paid)) for name, paid in lines.items()],
        k=release.parameters["k"],
        columns=(sections.column.name, times.column.name),
        clustering=(algorithm, release.count, description),
        records=table.rows,
        suppressed=len(release.suppressed),
    )


def print_period(minutes: Sequence[int]) -> str:
    """Return the quarter of the day in which the earliest minute lies.

    This is how the document's labels are read here; it does not say what becomes of a cluster
    that spans several quarters.

    >>> print_period([5 * 60, 11 * 60])
    '凌晨时段(00-06)'
    """
    # A missing time is -1, for which the document has no quarter of the day.
    return clock.PERIODS[max(min(minutes), 0) // 360]


def answer_of(
    lines: Iterable[tuple[str, str, int, Fraction]],
    *,
    k: object,
    columns: tuple[str, str],
    clustering: tuple[str, int, str],
    records: int,
    suppressed: int,
) -> dict[str, object]:
    """Return lines in the form of the document's service.

    A line is region, period, number of trucks and mean toll; ``columns`` are what sections and
    times are called; ``clustering`` is the algorithm, the number of its clusters and a description;
    ``records`` are all there are, of which some are suppressed.
    """
    data = [
        {
            "section_region": region,
            "time_period": period,
            "truck_count": trucks,
            "avg_toll": float(round(mean, 2)),
            "k_anonymized": True,
            "algorithm": "KACA",
        }
        # Sorted, so that the order of lines tells nothing of the order of classes.
        for region, period, trucks, mean in sorted(lines)
    ]
    return {
        "success": True,
        "data": data,
        "count": len(data),
        "category": "📊 流量统计类（k-匿名保护）",
        "privacy_protection": {
            "method": _METHOD,
            "algorithm": "KACA",
            "k_value": k,
            "input_source": "原始出口交易记录",
            "quasi_identifiers": list(columns),
            "clustering": dict(
                zip(("algorithm", "clusters", "description"), clustering, strict=True)
            ),
            "generalization": {
                "geographic": f'聚类内{columns[0]}公共前缀 + "{clock.REGION}"',
                "temporal": "聚类内时间范围泛化",
            },
            "statistics": {
                "total_records": records,
                "anonymized_groups": len(data),
                "suppressed_records": suppressed,
                "retention_rate": round(100 * (records - suppressed) / max(records, 1), 2),
            },
        },
    }


def _class_label(recoded: Recoded, index: int, *, everything: str, mark: str = "") -> str:
    """Return a class's label in the document's words, which has none for a missing value."""
    tree, label = recoded.column.taxonomy, everything
    if tree is not None and recoded.nodes is not None and recoded.low[index] <= recoded.high[index]:
        label = tree.labels[int(recoded.nodes[index])]
    # An id that stands alone becomes a region as well, and a region does not become one twice.
    label = label if label == everything else label.removesuffix(mark) + mark
    return label + OR_UNKNOWN if recoded.missing[index] else label


def _members(release: Release) -> list[np.ndarray]:
    order = np.argsort(release.class_of, kind="stable")
    starts = np.searchsorted(release.class_of[order], np.arange(release.count + 1))
    return [order[starts[c] : starts[c + 1]] for c in range(release.count)]


def _find_recoding(release: Release, option: str) -> Recoded:
    """Return what a release publishes of the column that kaca was told has sections, or times."""
    name = release.parameters.get(option)
    for recoded in release.recoded:
        if recoded.column.name == name:
            return recoded
    raise InvalidArgument(option, name, "the name of the column, said to kaca itself")


def _find_column(name: str, columns: Sequence[Column]) -> Column:
    for column in columns:
        if column.name == name:
            return column
    names = [column.name for column in columns]
    raise InvalidArgument("toll", name, one_of(name, names, first="one of the release's columns"))


def lines_of(answer: Mapping[str, Any]) -> str:
    """Return the lines of an answer as the text of a CSV file.

    >>> line = {"section_region": "G5区域", "time_period": "全天(00-24)", "truck_count": 3,
    ...         "avg_toll": 2.5, "k_anonymized": True, "algorithm": "KACA"}
    >>> print(lines_of({"data": [line]}), end="")
    section_region,time_period,truck_count,avg_toll
    G5区域,全天(00-24),3,2.5
    """
    names = ("section_region", "time_period", "truck_count", "avg_toll")
    return csv_text(names, ([line[name] for name in names] for line in answer["data"]))


def _amount(column: Column, value: object) -> Fraction:
    if value is MISSING or not column.numeric:
        raise DataError(f"column {column.name}: {text(value)} is no amount; need numbers")
    return rational(column.name, value)
