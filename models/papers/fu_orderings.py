"""What the text of Section IV orders, counted in measured means.

Each function reads the CSV files that :mod:`kproof.models.papers.fu_files` wrote and answers in
counts, so that a claim that holds in most cells and fails in some is told as that. Without a folder
they are those of Gowalla's first 4,515 users, which come with kproof.
"""

import csv
import math
from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

from kproof.errors import DataError
from kproof.models.attacks.inference.base import Level
from kproof.models.papers.fu_files import PRINTED

_KEYS = ("technique", "attack", "level", "k", "lambda1", "lambda2", "prior")


def count_entries_above(k: int) -> int:
    """Return how many entries of the paper's Table III are above 1/k.

    >>> count_entries_above(6)
    6
    """
    return sum(Fraction(value) / 100 > Fraction(1, k) for value in PRINTED.values())


def sampling_error(k: int, users: int) -> str:
    """Return the standard deviation of FU around 1/k, in percentage points.

    Each of ``users`` victims is identified with probability 1/k, by a coin of its own. Where
    classes are larger than k it is less.

    >>> sampling_error(6, 4515), sampling_error(6, 196591)
    ('0.555', '0.084')
    """
    return f"{100 * _deviation(k, users):.3f}"


def deviations_above(k: int, users: int) -> tuple[str, str]:
    """Return how many deviations of FU entries of Table III are above 1/k, least and most.

    >>> deviations_above(6, 4515)
    ('0.4', '2.4')
    """
    above = [float(Fraction(value) / 100 - Fraction(1, k)) for value in PRINTED.values()]
    deviation = _deviation(k, users)
    return f"{min(above) / deviation:.1f}", f"{max(above) / deviation:.1f}"


def deviations_of_difference(first: str, second: str, k: int, users: int) -> tuple[str, ...]:
    """Return how many deviations of a difference of FU two techniques are apart, for each attack.

    >>> deviations_of_difference("CA", "BE", 6, 4515)
    ('1.0', '0.6')
    """
    # A difference of two independent figures varies by the sum of their variances.
    deviation = math.sqrt(2) * _deviation(k, users)
    columns = (
        [Fraction(value) for (of, _), value in PRINTED.items() if of == technique]
        for technique in (first, second)
    )
    pairs = zip(*columns, strict=True)
    return tuple(f"{float(a - b) / 100 / deviation:.1f}" for a, b in pairs)


def _deviation(k: int, users: int) -> float:
    return math.sqrt(Fraction(k - 1, k * k * users))


def count_measures_above(k: int, *, folder: str | None = None, **fields: str) -> tuple[int, int]:
    """Return how many means for this k and these fields are above 1/k, and their number."""
    rows = _where(_rows(folder), {"k": str(k), **fields})
    return sum(Fraction(row["mean"]) > Fraction(1, k) for row in rows), len(rows)


def compare(
    field: str, first: str, second: str, *, folder: str | None = None, **fields: str
) -> tuple[int, int, int]:
    """Compare cells that differ in one field; return how often the first is larger, equal, less.

    Levels have shares of their own. They are compared at the same k; shares that only one of the
    two has do not count, and shares that both have are the same.

    >>> compare("technique", "CA", "BE", level="I", prior="class")
    (0, 12, 0)
    """
    rows = _rows(folder)
    counts = [0, 0, 0]
    for row in _where(rows, {field: first, **fields}):
        for peer in _where(rows, {field: second, **fields}):
            if _comparable(row, peer, field):
                # Signs of 1, 0 and -1 are places 0, 1 and 2: larger, equal, less.
                counts[1 - _sign(Fraction(row["mean"]) - Fraction(peer["mean"]))] += 1
    return counts[0], counts[1], counts[2]


def trend(along: str, *, folder: str | None = None, **fields: str) -> tuple[int, int, int, int]:
    """Return how many series of means rise throughout, are constant, fall, or do none of these.

    A series is three cells or more that differ in ``along`` alone: ``"k"``, ``"lambda1"`` or
    ``"lambda2"``.
    """
    series: dict[tuple[str, ...], list[tuple[Fraction, Fraction]]] = {}
    for row in _where(_rows(folder), fields):
        if row[along]:
            key = tuple(row[name] for name in _KEYS if name != along)
            series.setdefault(key, []).append((Fraction(row[along]), Fraction(row["mean"])))
    counts = [0, 0, 0, 0]
    for points in series.values():
        if len(points) < 3:
            continue
        values = [value for _, value in sorted(points)]
        # Throughout is one sign: a series that rises and then stays is none of the three.
        signs = {_sign(b - a) for a, b in pairwise(values)}
        counts[1 - signs.pop() if len(signs) == 1 else 3] += 1
    return counts[0], counts[1], counts[2], counts[3]


def share_left(
    technique: str, attack: str, prior: str, *, folder: str | None = None
) -> tuple[str, ...]:
    """Return FU at the largest k over FU at the smallest, for levels I to IV, in two digits."""
    ratios = []
    for level in Level:
        shares = {"lambda1": "1/5" if level.links else "", "lambda2": "1/5" if level.knows else ""}
        fields = {"technique": technique, "attack": attack, "prior": prior, "level": level}
        rows = sorted(_where(_rows(folder), fields | shares), key=lambda row: int(row["k"]))
        ratios.append(f"{float(Fraction(rows[-1]['mean']) / Fraction(rows[0]['mean'])):.2f}")
    return tuple(ratios)


def count_telling_classes(*, folder: str | None = None, **fields: str) -> tuple[int, int]:
    """Return about how many classes the bound says something, and the number of classes."""
    rows = _where(_rows(folder, "bounds.csv"), fields)
    return sum(int(row["telling"]) for row in rows), sum(int(row["classes"]) for row in rows)


@cache
def _rows(folder: str | None, name: str = "means.csv") -> tuple[dict[str, str], ...]:
    place = files("kproof.datasets") / "inference" if folder is None else Path(folder)
    try:
        text = (place / name).read_text(encoding="utf-8")
    except OSError as error:
        raise DataError(f"{place / name}: cannot be read: {error.strerror}") from None
    return tuple(csv.DictReader(text.splitlines()))


def _where(rows: Iterable[dict[str, str]], fields: dict[str, str]) -> list[dict[str, str]]:
    return [row for row in rows if all(row[name] == value for name, value in fields.items())]


def _comparable(row: dict[str, str], peer: dict[str, str], field: str) -> bool:
    shares = ("lambda1", "lambda2")
    alike = (name for name in _KEYS if name not in (field, *shares))
    return all(row[name] == peer[name] for name in alike) and all(
        row[name] == peer[name] or (field == "level" and not (row[name] and peer[name]))
        for name in shares
    )


def _sign(value: Fraction) -> int:
    return (value > 0) - (value < 0)
