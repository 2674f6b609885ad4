"""Broken anonymizers of tables that let a reader tell rows apart by more than their labels.

Each has the right classes by its quasi-identifiers and publishes something else beside them, as
frames do that were built for other purposes: a column under another name, a helper of the
algorithm, the index of the source.
"""

from collections.abc import Callable

from kproof.models.registry import Promise
from kproof.proptests.contract import TableCase, TablePublication
from kproof.proptests.subjects.adapters import publication
from kproof.proptests.zoo.base import Member
from kproof.proptests.zoo.tables import HEALTHY, Columns, Groups, Steps, TableFaults

_broken = TableFaults(HEALTHY.promises - {Promise.ORDER_INDEPENDENT})
_ordered = TableFaults(HEALTHY.promises)


def _rows_of(groups: Groups) -> list[int]:
    return [row for group in groups for row in group]


def _take_cells(case: TableCase, name: str, groups: Groups) -> tuple[object, ...]:
    return tuple(case.columns[name][row] for row in _rows_of(groups))


@_broken("columns under new names", "k-anonymity", step="finish")
def _rename_columns(case: TableCase, groups: Groups, columns: Columns) -> Columns:
    """The generalized columns are called q_gen, and nothing in them was generalized."""
    exact = {f"{name}_gen": _take_cells(case, name, groups) for name in case.quasi_identifiers}
    secret = {name: cells for name, cells in columns.items() if name == case.sensitive}
    return {**exact, **secret}


@_broken("an exact copy beside the labels", "k-anonymity", step="finish")
def _with_a_copy(case: TableCase, groups: Groups, columns: Columns) -> Columns:
    """The column as it was is kept for comparison and published with the rest."""
    name = case.quasi_identifiers[0]
    return {**columns, f"{name} before": _take_cells(case, name, groups)}


@_broken("clusters left in", "k-anonymity", step="finish")
def _with_clusters(case: TableCase, groups: Groups, columns: Columns) -> Columns:
    """The cluster that a record was in before small ones were joined is left as a column."""
    numbers: dict[str, int] = {}
    rows = _rows_of(groups)
    # As many clusters as different quasi-identifiers: the number tells them exactly.
    first = (repr([case.columns[name][row] for name in case.quasi_identifiers]) for row in rows)
    return {**columns, "_cluster": tuple(numbers.setdefault(key, len(numbers)) for key in first)}


@_broken("a number for every row", "k-anonymity", step="finish")
def _serial(_: TableCase, __: Groups, columns: Columns) -> Columns:
    """What should be the number of the class counts the rows."""
    return {**columns, "class_id": tuple(range(len(next(iter(columns.values())))))}


def _publish_indexed(
    label: Callable[[TableCase, int], object], case: TableCase
) -> TablePublication:
    """Publish what the healthy one does as a pandas frame with an index of the source."""
    import pandas as pd

    steps = Steps()
    steps.refuse(case)
    order = _rows_of(steps.cut(steps.order(case), case.parameters["k"]))
    published = steps(case)
    frame = pd.DataFrame({name: list(cells) for name, cells in published.columns.items()})
    frame.index = pd.Index([label(case, row) for row in order])
    return publication(frame, case.columns)


@_broken("the index of the source", "no identifiers")
def _positions(case: TableCase) -> TablePublication:
    """The rows were sorted, and each kept the number it had in the source: 7, 3, 9."""
    return _publish_indexed(lambda _, row: row, case)


@_broken("row labels of the source", "k-anonymity")
def _labels(case: TableCase) -> TablePublication:
    """The frame that is returned has the index of the frame that was handed in."""
    return _publish_indexed(
        lambda case, row: f"r{row}" if case.index is None else case.index[row], case
    )


@_ordered("in the order of the source", "permutation", step="finish")
def _restore_order(_: TableCase, groups: Groups, columns: Columns) -> Columns:
    """The labels are put back where the records stood, so that a place tells whose row it is."""
    rows = _rows_of(groups)
    place = {row: i for i, row in enumerate(rows)}
    back = [place[row] for row in sorted(rows)]
    return {name: tuple(cells[i] for i in back) for name, cells in columns.items()}


MEMBERS: tuple[Member, ...] = (*_broken.members, *_ordered.members)
"""Every broken anonymizer whose columns or index say more than its labels."""
