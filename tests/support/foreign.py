"""Small anonymizers as another project might have them, healthy and broken."""

from __future__ import annotations

import csv
import sys
from typing import Any

import narwhals as nw

Columns = dict[str, list[object]]


def one_class(frame: Any, qi: list[str], sensitive: str | None, k: int) -> Columns:
    """Everybody in one class, if they are k; the sensitive values in ascending order."""
    columns = _columns(frame)
    rows = len(next(iter(columns.values())))
    if rows < k:
        raise ValueError(f"{rows} rows, k = {k}")
    found: Columns = {name: ["*"] * rows for name in qi}
    if sensitive is not None:
        found[sensitive] = sorted(columns[sensitive], key=repr)
    return found


def one_short(frame: Any, qi: list[str], sensitive: str | None, k: int) -> Columns:
    """As :func:`one_class`, but the last k - 1 of 2k rows or more are a class of their own."""
    found = one_class(frame, qi, sensitive, k)
    rows = len(found[qi[0]])
    if k > 1 and rows >= 2 * k:
        found[qi[0]][1 - k :] = ["any"] * (k - 1)
    return found


def as_it_is(frame: Any, quasi_identifiers: list[str], k: int) -> Any:
    """Nothing is done."""
    return frame


def raw(frame: Any) -> Any:
    """Return what it is given."""
    return frame


def alone(graph: Any, target: int) -> set[int]:
    """Publish the node that asks and nobody else."""
    return {target}


def same(graph: Any) -> Any:
    """Return a graph as it came."""
    return graph


def no_diagnosis(frame: Any, qi: list[str], sensitive: str | None, k: int) -> Any:
    """Publish one class without the sensitive column."""
    found = one_class(frame, qi, sensitive, k)
    return {name: cells for name, cells in found.items() if name != sensitive}


def without_end(frame: Any, quasi_identifiers: list[str], k: int) -> Any:
    """Nothing is done, and for one row or more it is never done with."""
    while len(_columns(frame)["s" if k < 1 else quasi_identifiers[0]]):
        pass
    return frame


class Suppressor:
    """:func:`one_class` in the style of scikit-learn."""

    def __init__(
        self, quasi_identifiers: Any = (), sensitive_column: str | None = None, k: int = 2
    ) -> None:
        self.given = {
            "quasi_identifiers": quasi_identifiers,
            "sensitive_column": sensitive_column,
            "k": k,
        }

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return dict(self.given)

    def set_params(self, **given: Any) -> Suppressor:
        self.given |= given
        return self

    def fit(self, frame: Any) -> Suppressor:
        # A second fit of one object would be told.
        assert not hasattr(self, "fitted_")
        self.fitted_ = True
        return self

    def transform(self, frame: Any) -> Columns:
        given = self.given
        return one_class(frame, given["quasi_identifiers"], given["sensitive_column"], given["k"])


def _columns(frame: Any) -> Columns:
    wrapped = nw.from_native(frame, eager_only=True)
    return {name: wrapped[name].to_list() for name in wrapped.columns}


def program(source: str, target: str, k: str, qi: str, sensitive: str) -> None:
    """:func:`one_class` on CSV files; the columns of ``qi`` have no commas in their names."""
    with open(source, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    if len(rows) < int(k):
        print("a long story\ntoo few rows", file=sys.stderr)
        raise SystemExit(3)
    names = qi.split(",")
    with open(target, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*names, sensitive])
        for row in rows:
            writer.writerow(["*" for _ in names] + [row[sensitive]])
