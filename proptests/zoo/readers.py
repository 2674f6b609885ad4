"""Broken anonymizers of tables that let a reader tell rows apart by more than their labels.

Each has the right classes by its quasi-identifiers and publishes something else beside them, as
frames do that were built for other purposes: a column under another name, a helper of the
algorithm, the index of the source.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from kproof.models.registry import Kind, Promise
from kproof.proptests.contract import Subject, TableCase, TablePublication
from kproof.proptests.subjects.adapters import publication
from kproof.proptests.zoo.base import Member
from kproof.proptests.zoo.tables import HEALTHY, Columns, Groups, Steps


def _rename_columns(case: TableCase, groups: Groups, columns: Columns) -> Columns:
    rows = [row for group in groups for row in group]
    exact = {f"{name}_gen": _take_cells(case, name, rows) for name in case.quasi_identifiers}
    secret = {name: cells for name, cells in columns.items() if name == case.sensitive}
    return {**exact, **secret}


def _with_a_copy(case: TableCase, groups: Groups, columns: Columns) -> Columns:
    rows = [row for group in groups for row in group]
    name = case.quasi_identifiers[0]
    return {**columns, f"{name} before": _take_cells(case, name, rows)}


def _with_clusters(case: TableCase, groups: Groups, columns: Columns) -> Columns:
    """Publish the number of the cluster that a row began in: its exact quasi-identifiers."""
    numbers: dict[str, int] = {}
    rows = [row for group in groups for row in group]
    first = (repr([case.columns[name][row] for name in case.quasi_identifiers]) for row in rows)
    return {**columns, "_cluster": tuple(numbers.setdefault(key, len(numbers)) for key in first)}


def _put_back(_: TableCase, groups: Groups, columns: Columns) -> Columns:
    """Put the rows where their records stood."""
    rows = [row for group in groups for row in group]
    place = {row: i for i, row in enumerate(rows)}
    back = [place[row] for row in sorted(rows)]
    return {name: tuple(cells[i] for i in back) for name, cells in columns.items()}


def _serial(_: TableCase, __: Groups, columns: Columns) -> Columns:
    return {**columns, "class_id": tuple(range(len(next(iter(columns.values())))))}


def _take_cells(case: TableCase, name: str, rows: Sequence[int]) -> tuple[object, ...]:
    return tuple(case.columns[name][row] for row in rows)


def _publish_indexed(
    label: Callable[[TableCase, int], object], case: TableCase
) -> TablePublication:
    """Publish what the healthy one does as a pandas frame with an index of the source."""
    import pandas as pd

    steps = Steps()
    steps.refuse(case)
    order = [row for group in steps.cut(steps.order(case), case.parameters["k"]) for row in group]
    published = steps(case)
    frame = pd.DataFrame({name: list(cells) for name, cells in published.columns.items()})
    frame.index = pd.Index([label(case, row) for row in order])
    return publication(frame, case.columns)


def _position(_: TableCase, row: int) -> object:
    return row


def _label(case: TableCase, row: int) -> object:
    return f"r{row}" if case.index is None else case.index[row]


def _member(
    name: str,
    caught_by: str,
    story: str,
    publish: Callable[[TableCase], TablePublication],
    promises: frozenset[Promise] = HEALTHY.promises - {Promise.ORDER_INDEPENDENT},
) -> Member:
    return Member(name, Subject(name, Kind.TABLE, promises, publish), caught_by, story)


MEMBERS: tuple[Member, ...] = (
    _member(
        "columns under new names",
        "k-anonymity",
        "The generalized columns are called q_gen, and nothing in them was generalized.",
        Steps(finish=_rename_columns),
    ),
    _member(
        "an exact copy beside the labels",
        "k-anonymity",
        "The column as it was is kept for comparison and published with the rest.",
        Steps(finish=_with_a_copy),
    ),
    _member(
        "clusters left in",
        "k-anonymity",
        "The cluster that a record was in before small ones were joined is left as a column.",
        Steps(finish=_with_clusters),
    ),
    _member(
        "a number for every row",
        "k-anonymity",
        "What should be the number of the class counts the rows.",
        Steps(finish=_serial),
    ),
    _member(
        "the index of the source",
        "no identifiers",
        "The rows were sorted, and each kept the number it had in the source: 7, 3, 9.",
        partial(_publish_indexed, _position),
    ),
    _member(
        "row labels of the source",
        "k-anonymity",
        "The frame that is returned has the index of the frame that was handed in.",
        partial(_publish_indexed, _label),
    ),
    _member(
        "in the order of the source",
        "permutation",
        "The labels are put back where the records stood, so that a place tells whose row it is.",
        Steps(finish=_put_back),
        HEALTHY.promises,
    ),
)
"""Every broken anonymizer whose columns or index say more than its labels."""
