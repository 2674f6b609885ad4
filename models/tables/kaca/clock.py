"""Road sections and times of day: how KACA's document reads its two quasi-identifiers.

A section id such as ``G5615530120`` belongs to the regions of all its beginnings, so ids form a
tree by common prefix. A time of day lies on a circle: 23:50 is close to 00:10, and what a label
of times loses is the arc it spans.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, time
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from kproof.errors import DataError, shown
from kproof.models.base.columns import Column
from kproof.models.base.missing import MISSING, text
from kproof.models.base.taxonomy import Taxonomy

MINUTES = 24 * 60

REGION = "区域"
"""What the document appends to a common prefix."""


def minutes_of(column: Column) -> NDArray[np.int64]:
    """Return the minute of the day of each value of a column; -1 for a missing one.

    Raises
    ------
    DataError
        If a value is neither a time nor text in ISO form with a time.

    Examples
    --------
    >>> times = ("2023-01-02 13:45:10", "2023-01-03T00:05", "23:59")
    >>> minutes_of(Column("exit_time", np.arange(3, dtype=np.int32), times, False)).tolist()
    [825, 5, 1439]
    >>> minutes_of(Column("exit_time", np.zeros(1, dtype=np.int32), ("noon",), False))
    Traceback (most recent call last):
        ...
    kproof.errors.DataError: column exit_time: noon is no time; need such as 2023-01-02 13:45
    """
    return np.array([_minute(column.name, value) for value in column.values], dtype=np.int64)


def widest_gap(minutes: Sequence[int]) -> int:
    """Return the minute that ends the longest stretch of the day without any of the times.

    The first of equal stretches counts, seen from midnight. The arc that covers all times is the
    shortest if it begins there.

    Examples
    --------
    >>> widest_gap([30, 1380, 700])
    1380
    >>> widest_gap([540, 600])
    540
    """
    known = sorted(set(minutes))
    gaps = [(known[0] + MINUTES - known[-1], known[0])]
    gaps += [(after - before, after) for before, after in pairwise(known)]
    return max(gaps, key=lambda gap: (gap[0], -gap[1]))[1]


def common_prefix(one: str, other: str) -> str:
    """Return what two ids begin with alike; of many ids it is that of the least and greatest.

    Examples
    --------
    >>> common_prefix("G5615", "G5620"), common_prefix("G5", "S1")
    ('G56', '')
    """
    pairs = zip(one, other, strict=False)
    return one[: next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))]


def prefix_tree(ids: Iterable[str]) -> tuple[Taxonomy, dict[str, int]]:
    """Return the tree of common prefixes of section ids, and the node of each id.

    Its inner nodes are the beginnings at which ids part, labelled as the document does; its root
    covers all ids even if they begin alike.

    Examples
    --------
    >>> tree, node_of = prefix_tree(["S1", "G562", "G561"])
    >>> tree.labels, node_of["G562"]
    (('*', 'G56区域', 'G561', 'G562', 'S1'), 3)
    """
    known = sorted(set(ids))
    # Where ids part, neighbours in order part; and a prefix stands right before what it begins.
    partings = {common_prefix(*pair) for pair in pairwise(known)}
    texts = sorted({"", *partings, *known})
    held = set(known)
    labels = ["*" if not one else one if one in held else one + REGION for one in texts]
    parents, path = [0], [0]
    for node, one in enumerate(texts[1:], 1):
        while not one.startswith(texts[path[-1]]):
            path.pop()
        parents.append(path[-1])
        path.append(node)
    node_of = {one: node for node, one in enumerate(texts) if one in held}
    return Taxonomy(tuple(labels), np.array(parents, dtype=np.int64), "section ids"), node_of


def section_numbers(column: Column) -> NDArray[np.int64]:
    """Return the digits of each section id of a column as one number.

    Raises
    ------
    DataError
        If a value has no digits or more than 18.

    Examples
    --------
    >>> ids = Column("section_id", np.zeros(1, dtype=np.int32), ("G5615530120",), False)
    >>> section_numbers(ids).tolist()
    [5615530120]
    """
    found = []
    for value in column.values:
        digits = "".join(sign for sign in text(value) if sign.isdecimal())
        if not 0 < len(digits) < 19:
            raise DataError(
                f"column {shown(column.name)}: {shown(text(value))} is no section id; "
                "need 1 to 18 digits, such as G5615530120"
            )
        found.append(int(digits))
    return np.array(found, dtype=np.int64)


def _minute(name: str, value: object) -> int:
    if value is MISSING:
        return -1
    moment = value
    if isinstance(value, str) and ":" in value:
        try:
            moment = datetime.fromisoformat(value.strip())
        except ValueError:
            try:
                moment = time.fromisoformat(value.strip())
            except ValueError:
                moment = None
    if not isinstance(moment, (datetime, time)):
        raise DataError(
            f"column {shown(name)}: {shown(text(value))} is no time; need such as 2023-01-02 13:45"
        )
    return moment.hour * 60 + moment.minute
