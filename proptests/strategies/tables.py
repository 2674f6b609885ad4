"""Strategies for tables: as cases of the suite, as kproof Tables, as frames.

A table is drawn as rows of small numbers, one for each cell, over columns of drawn kinds, so that
rows, columns and values can be made fewer and simpler one at a time. Shrunk tables have few rows,
one quasi-identifier, cells 0, 1, a, b, k = 2, and no missing value, hierarchy or index.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from kproof.errors import InvalidArgument
from kproof.proptests.contract import TableCase
from kproof.proptests.labels.frames import containers, frame_of, table_of
from kproof.proptests.strategies.parameters import group_sizes, requests
from kproof.proptests.strategies.taxonomies import hierarchies
from kproof.proptests.strategies.values import Values, value
from kproof.theory.exact.typed import integer

if TYPE_CHECKING:
    from kproof.models.tables.table import Table

PLAIN: tuple[Values, ...] = (
    Values.INTEGERS,
    Values.LETTERS,
    Values.DECIMALS,
    Values.SIGNED,
    Values.DATES,
    Values.TIMES,
    Values.TRUTH,
    Values.CODES,
)
"""Kinds of values that most tables are made of."""

_K = frozenset({"k"})
_CATEGORIES = ("A", "B", "C")
_BIAS = 8
_NULLABLE = {"int": "Int64", "float": "Float64", "bool": "boolean"}


@dataclass(frozen=True, kw_only=True)
class TableShape:
    """What drawn tables look like."""

    most: int = 20
    least: int = 1
    """Most and least number of rows, 0 <= least <= most."""
    names: tuple[str, ...] = ("q1", "q2", "q3")
    """Names of quasi-identifiers; each table has at least one and at most all of them."""
    fewest: int = 1
    """Least number of quasi-identifiers, at most as many as there are names."""
    kinds: tuple[Values, ...] = PLAIN
    """Kinds of quasi-identifiers, the simplest first."""
    breadth: int = 6
    """Most distinct values of a quasi-identifier, from 1 to 500,000."""
    sensitive: str | None = "s"
    """Name of the sensitive column; None for none."""
    sensitive_kinds: tuple[Values, ...] = (Values.LETTERS, Values.INTEGERS)
    sensitive_breadth: int = 4
    """Kinds of the sensitive column and its most distinct values, from 1 to 500,000."""
    skewed: bool = False
    """Whether one sensitive value is far more frequent than the others."""
    missing: bool = False
    """Whether values may be missing; a column may then even have none."""
    hierarchies: bool = False
    """Whether text columns among the quasi-identifiers have one."""
    identifiers: bool = False
    """Whether there is a column ``name`` that must not be published."""
    containers: tuple[str, ...] = ("pandas",)
    """What frames are made of; those that are not installed are passed over."""
    indexes: bool = False
    """Whether pandas frames have an index of their own: permuted, repeated, text, two levels."""
    dtypes: bool = False
    """Whether columns of pandas are categorical, with a category that does not occur, or nullable,
    instead of the usual ones."""
    k: Callable[[int], st.SearchStrategy[int]] = group_sizes
    """Returns the strategy of k for a number of rows."""

    def __post_init__(self) -> None:
        integer("most", self.most, least=integer("least", self.least, least=0))
        integer("breadth", self.breadth, least=1, most=500_000)
        integer("sensitive_breadth", self.sensitive_breadth, least=1, most=500_000)
        for name in ("names", "kinds", "sensitive_kinds", "containers"):
            if not getattr(self, name):
                raise InvalidArgument(name, (), "at least one to choose from")


def table_cases(
    parameters: Collection[str] = _K, *, shape: TableShape | None = None
) -> st.SearchStrategy[TableCase]:
    """Draw microdata with roles and a request; by default of mixed kinds with nothing missing.

    Values are drawn for the parameters by
    :func:`~kproof.proptests.strategies.parameters.requests`. With ``p`` or ``alpha`` among them
    sensitive values have categories.

    >>> from hypothesis import find
    >>> case = find(table_cases(), lambda case: case.rows >= 2)
    >>> dict(case.columns), dict(case.parameters)
    ({'q1': (0, 0), 's': ('a', 'a')}, {'k': 2})
    """
    return _table_cases(frozenset(parameters), shape or TableShape())


def tables(*, shape: TableShape | None = None) -> st.SearchStrategy[Table]:
    """Draw tables as kproof's methods take them.

    If values may be missing, so may a whole column, and such a table is refused when it is made:
    draw :func:`table_cases` to see that.

    >>> from hypothesis import find
    >>> find(tables(), lambda table: table.rows == 2).sensitive.values
    ('a',)
    """
    return table_cases(shape=shape).map(table_of)


def frames(*, shape: TableShape | None = None) -> st.SearchStrategy[Any]:
    """Draw frames as callers have them: pandas, Polars, PyArrow as the shape says.

    >>> from hypothesis import find
    >>> find(frames(shape=TableShape(containers=("polars",))), lambda frame: True).shape
    (1, 2)
    """
    return table_cases(shape=shape).map(frame_of)


@dataclass(frozen=True)
class _Column:
    """How the numbers drawn for the cells of one column are read."""

    kind: Values
    first: int
    step: int
    breadth: int
    bias: int
    missing: bool

    @property
    def cells(self) -> st.SearchStrategy[int]:
        # All numbers up to the bias are the simplest value, and the one after the last value is
        # missing.
        return st.integers(0, self.breadth - 1 + self.bias + self.missing)

    def read(self, cell: int) -> object:
        index = max(cell - self.bias, 0)
        if index == self.breadth:
            return None
        # The simplest value is always there to go back to, whatever the others are.
        return value(self.kind, self.first + self.step * (index - 1) if index else 0)


def _column(
    draw: st.DrawFn,
    kinds: tuple[Values, ...],
    high: int,
    *,
    low: int = 1,
    bias: int = 0,
    missing: bool,
) -> _Column:
    kind = draw(st.sampled_from(kinds))
    breadth = draw(st.integers(min(low, high), high))
    # Few values are taken from anywhere; many fill the whole range.
    first, step = draw(st.integers(1, 80)), draw(st.integers(1, 6 if high <= 100 else 1))
    return _Column(kind, first, step, breadth, bias, missing and draw(st.booleans()))


@st.composite
def _table_cases(draw: st.DrawFn, names: frozenset[str], shape: TableShape) -> TableCase:
    # Columns that are not used are drawn all the same: what follows then keeps its place, and a
    # column can be left out while the rows stay as they are.
    picks, plans = [], []
    for _ in shape.names:
        picks.append(draw(st.booleans()))
        plans.append(_column(draw, shape.kinds, shape.breadth, missing=shape.missing))
    used = [index for index, pick in enumerate(picks) if pick or index < shape.fewest]
    plans.append(
        _column(
            draw,
            shape.sensitive_kinds,
            shape.sensitive_breadth,
            # A table with one sensitive value can promise little: let most have more.
            low=2,
            bias=_BIAS if shape.skewed else 0,
            missing=shape.missing,
        )
    )
    span = shape.most - shape.least
    # Lists that are drawn are mostly short: a least length makes some of the tables long.
    floor = draw(st.sampled_from((0, span // 3, 2 * span // 3))) + shape.least
    row = st.tuples(*(plan.cells for plan in plans))
    rows = draw(st.lists(row, min_size=floor, max_size=shape.most))

    def column(index: int) -> tuple[object, ...]:
        return tuple(plans[index].read(cells[index]) for cells in rows)

    quasi_identifiers = shape.names[: len(used)]
    columns = {name: column(index) for name, index in zip(quasi_identifiers, used, strict=True)}
    identifiers = ("name",) if shape.identifiers else ()
    columns |= {name: tuple(f"person {row}" for row in range(len(rows))) for name in identifiers}
    secret = column(-1) if shape.sensitive is not None else ()
    if shape.sensitive is not None:
        columns[shape.sensitive] = secret
    categories = draw(_categories(secret)) if names & {"p", "alpha"} else None
    request = draw(
        requests(names, rows=len(rows), sensitive=secret, categories=categories, k=shape.k)
    )
    trees = {}
    for index in range(len(shape.names)) if shape.hierarchies else ():
        leaves = sorted(str(leaf) for leaf in column(index) if leaf is not None)
        if leaves and plans[index].kind.is_text:
            tree = draw(hierarchies(leaves))
            if index in used:
                trees[shape.names[used.index(index)]] = tree
    available = [name for name in shape.containers if name in containers()] or ["pandas"]
    container = draw(st.sampled_from(available))
    labels = draw(_indexes(len(rows))) if shape.indexes and container == "pandas" else None
    dtypes: dict[str, str | tuple[str, ...]] = {}
    if shape.dtypes and container == "pandas":
        for name, cells in columns.items():
            kind = next((type(cell).__name__ for cell in cells if cell is not None), "")
            if kind == "str":
                dtypes[name] = (*sorted({str(cell) for cell in cells} - {"None"}), "none of these")
            elif kind in _NULLABLE:
                dtypes[name] = _NULLABLE[kind]
    return TableCase(
        dtypes=dtypes,
        columns=columns,
        quasi_identifiers=quasi_identifiers,
        sensitive=shape.sensitive,
        identifiers=identifiers,
        parameters=request,
        categories=categories,
        hierarchies=trees,
        container=container,
        index=labels,
    )


@st.composite
def _categories(draw: st.DrawFn, values: tuple[Any, ...]) -> dict[object, object] | None:
    present = sorted(set(values) - {None})
    return {value: draw(st.sampled_from(_CATEGORIES)) for value in present} or None


def _indexes(rows: int) -> st.SearchStrategy[tuple[object, ...] | None]:
    places = range(rows)
    return st.one_of(
        st.none(),
        st.just(tuple(reversed(places))),
        st.just(tuple(place // 2 for place in places)),
        st.just(tuple(f"r{place}" for place in places)),
        st.just(tuple((place % 2, place) for place in places)),
        st.permutations(places).map(tuple),
    )
