"""Table cases as frames and tables, and frames of any kind back as columns of plain values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from narwhals.dependencies import get_pandas

from kproof.errors import DataError, InvalidArgument, one_of, show
from kproof.models.base.missing import MissingAs
from kproof.proptests.contract import CONTAINERS, TableCase

if TYPE_CHECKING:
    from kproof.models.base.taxonomy import Taxonomy
    from kproof.models.tables.table import Table


@cache
def containers() -> tuple[str, ...]:
    """Return those of :data:`CONTAINERS` that are installed."""
    return tuple(name for name in CONTAINERS if find_spec(name) is not None)


def frame_of(case: TableCase) -> Any:
    """Return a new frame with the columns of a case, as a caller would have built it.

    Missing values are what the container makes of None: a pandas column of integers becomes one of
    floats, say.

    >>> case = TableCase({"age": (34, 40), "ill": ("Flu", "HIV")}, ("age",), "ill", index=(1, 0))
    >>> frame_of(case)
       age  ill
    1   34  Flu
    0   40  HIV
    """
    import narwhals as nw

    if case.container not in CONTAINERS:
        raise InvalidArgument("container", case.container, one_of(case.container, CONTAINERS))
    if case.index is not None and len(case.index) != case.rows:
        raise InvalidArgument("index", case.index, f"{case.rows} labels, one for each row")
    lists: dict[str, Any] = {name: list(values) for name, values in case.columns.items()}
    backend: Any = case.container
    frame = nw.from_dict(lists, backend=backend).to_native()
    if case.container == "pandas" and (case.dtypes or case.index is not None):
        import pandas as pd

        for name, dtype in case.dtypes.items():
            categories = dtype if isinstance(dtype, str) else pd.CategoricalDtype(list(dtype))
            if name in lists:
                frame[name] = pd.array(lists[name], dtype=categories)
        if case.index is not None:
            frame.index = pd.Index(list(case.index))
    return frame


def table_of(case: TableCase) -> Table:
    """Return the kproof Table of a case, made from its frame.

    Claims are judged by their definitions, in which a missing value is one more value, a label may
    be of any length, and every text is a value; so the methods are told to take them. What kproof
    takes for no table raises DataError.

    >>> case = TableCase({"age": (34, None), "ill": ("Flu", "HIV")}, ("age",), "ill")
    >>> table_of(case).quasi_identifiers[0].values
    (34, ?)
    """
    from kproof.models.tables.table import Table

    return Table.from_frame(
        frame_of(case),
        quasi_identifiers=case.quasi_identifiers,
        sensitive=case.sensitive,
        identifiers=case.identifiers,
        categories=case.categories,
        taxonomies={name: taxonomy_of(tree) for name, tree in case.hierarchies.items()},
        missing_as=MissingAs.VALUE,
        most_members=max(case.rows, 1),
        missing=(),
    )


def taxonomy_of(hierarchy: Mapping[str, str]) -> Taxonomy:
    """Return the Taxonomy of a mapping of child to parent, the root being its own parent.

    >>> taxonomy_of({"a": "*", "b": "*", "*": "*"}).labels
    ('*', 'a', 'b')
    """
    from kproof.models.base.taxonomy import Taxonomy

    edges: dict[object, object] = {
        child: parent for child, parent in hierarchy.items() if child != parent
    }
    return Taxonomy.from_dict(edges)


def columns_of(frame: Any) -> dict[str, tuple[object, ...]]:
    """Return the columns of any eager frame as plain, hashable Python values.

    None, NaN, NaT and pandas' NA become None; NumPy scalars and timestamps become Python's own;
    lists and arrays become tuples, sets frozen sets. Column names become text; one that is there
    twice raises DataError. The index of a pandas frame is for :func:`index_of`.

    >>> import pandas as pd
    >>> columns_of(pd.DataFrame({"age": [34, None], "range": [[20, 40], [40, 60]]}))
    {'age': (34.0, None), 'range': ((20, 40), (40, 60))}
    """
    import narwhals as nw
    from narwhals.exceptions import DuplicateError

    series: list[Any] = []
    try:
        series += nw.from_native(frame, eager_only=True).iter_columns()
        names = [column.name for column in series]
    except TypeError:
        admissible = "a pandas, Polars or PyArrow table that is not lazy"
        raise InvalidArgument("frame", type(frame).__name__, admissible) from None
    except DuplicateError:
        # The columns of a PyArrow table are its cells; its names are called otherwise.
        names = getattr(frame, "column_names", frame.columns)
    for name, times in Counter(map(str, names)).items():
        if times > 1:
            raise DataError(f"column {show(name)} is there {times} times; rename one")
    return {str(column.name): tuple(map(_plain, column.to_list())) for column in series}


def index_of(frame: Any) -> dict[str, tuple[object, ...]]:
    """Return the levels of the index of a frame that has one, as plain Python values.

    A level goes by its own name if no column has it, else by one that says where it stands. One
    level that counts the rows up, one by one, says no more than their order does and is left out.

    >>> import pandas as pd
    >>> index_of(pd.DataFrame({"age": [34, 40]}, index=[7, 3]))
    {'the index': (7, 3)}
    >>> index_of(pd.DataFrame({"age": [34, 40]})), index_of([34, 40])
    ({}, {})
    """
    pd = get_pandas()
    if pd is None or not isinstance(frame, pd.DataFrame):
        return {}
    index, used = frame.index, set(map(str, frame.columns))
    levels: dict[str, tuple[object, ...]] = {}
    for place in range(index.nlevels):
        name = index.names[place]
        label = "the index" if index.nlevels == 1 else f"level {place} of the index"
        if name is not None:
            label = f"{label}, {name}" if str(name) in used else str(name)
        # Columns and levels are read together as one row, where one name must not hide another.
        while label in used:
            label = f"{label} of the frame"
        used.add(label)
        levels[label] = tuple(map(_plain, index.get_level_values(place).tolist()))
    if index.nlevels == 1 and index.names[0] is None and _counts_up(*levels.values()):
        return {}
    return levels


def _counts_up(values: tuple[object, ...]) -> bool:
    first = next(iter(values), 0)
    return isinstance(first, int) and values == tuple(range(first, first + len(values)))


def _plain(value: Any) -> object:
    if value is None or type(value) in (str, int, bool):
        return value
    if isinstance(value, (list, tuple, np.ndarray)):
        return tuple(map(_plain, value))
    if isinstance(value, (set, frozenset)):
        return frozenset(map(_plain, value))
    if isinstance(value, Mapping):
        return tuple((_plain(key), _plain(item)) for key, item in value.items())
    # Only where pandas is at work can there be its own words for a missing value or a time.
    pd = get_pandas()
    # NaN and NaT of any width: nothing else differs from itself.
    if isinstance(value, (float, np.generic)) and value != value:
        return None
    # Of what is no scalar isna is an array, which has no truth value.
    if pd is not None and pd.api.types.is_scalar(value) and pd.isna(value):
        return None
    if pd is not None and isinstance(value, pd.Timestamp):
        return value.to_pydatetime(warn=False)
    return value.item() if isinstance(value, np.generic) else value
