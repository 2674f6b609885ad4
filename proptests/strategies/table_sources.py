"""The sources of table cases: one for each way in which data, or what is asked of them, are bad."""

from collections.abc import Iterator
from functools import partial
from itertools import product

from hypothesis import strategies as st

from kproof.models.registry import Kind
from kproof.proptests.contract import Source, TableCase
from kproof.proptests.strategies.grouped import classes_around_powers, many_rows, near_thresholds
from kproof.proptests.strategies.tables import TableShape, table_cases
from kproof.proptests.strategies.values import Values

_SHAPES: dict[str, TableShape] = {
    "mixed types": TableShape(),
    "missing values": TableShape(missing=True),
    "many duplicates": TableShape(breadth=2),
    "constant columns": TableShape(breadth=1),
    "skewed sensitive values": TableShape(skewed=True),
    "tiny sensitive domains": TableShape(sensitive_breadth=2),
    "people who look alike": TableShape(
        least=8, breadth=1, sensitive_breadth=4, k=lambda _: st.integers(3, 4)
    ),
    "fewer than k rows": TableShape(most=5, k=lambda rows: st.integers(max(2, rows + 1), rows + 4)),
    "no rows": TableShape(least=0, most=0),
    "k = 1": TableShape(k=lambda _: st.just(1)),
    "huge categories": TableShape(
        most=40,
        kinds=(Values.LETTERS, Values.CODES),
        breadth=500_000,
        sensitive_kinds=(Values.LETTERS,),
        sensitive_breadth=40,
    ),
    "numbers far apart": TableShape(
        kinds=(Values.MAGNITUDES, Values.SIGNED, Values.DECIMALS),
        sensitive_kinds=(Values.LETTERS, Values.MAGNITUDES),
    ),
    "measured numbers": TableShape(
        kinds=(Values.REALS,), sensitive_kinds=(Values.LETTERS, Values.REALS)
    ),
    "Unicode text": TableShape(kinds=(Values.UNICODE,), sensitive_kinds=(Values.UNICODE,)),
    "taxonomies": TableShape(
        kinds=(Values.LETTERS, Values.CODES, Values.INTEGERS, Values.UNICODE), hierarchies=True
    ),
    "identifiers": TableShape(identifiers=True),
    "Polars and PyArrow": TableShape(missing=True, containers=("polars", "pyarrow")),
    "row labels": TableShape(indexes=True),
    "dates across years": TableShape(kinds=(Values.YEARS,)),
    "numbers at the edges": TableShape(
        kinds=(Values.EDGES, Values.BEYOND), sensitive_kinds=(Values.LETTERS, Values.EDGES)
    ),
    "numerals that are text": TableShape(
        kinds=(Values.NUMERALS,), sensitive_kinds=(Values.LETTERS, Values.NUMERALS)
    ),
    "many quasi-identifiers": TableShape(
        names=tuple(f"q{place}" for place in range(1, 9)), fewest=4, breadth=2
    ),
    "categorical and nullable columns": TableShape(
        kinds=(Values.LETTERS, Values.INTEGERS, Values.TRUTH, Values.DECIMALS),
        missing=True,
        dtypes=True,
    ),
    "awkward column names": TableShape(names=("index", "class", "a, b"), sensitive="count"),
}

_SELDOM = frozenset(
    {
        "dates across years",
        "numbers at the edges",
        "numerals that are text",
        "many quasi-identifiers",
        "categorical and nullable columns",
    }
)
"""Sources of what is rare in data, or dear to draw: they have half of the cases."""


def small_tables(
    parameters: frozenset[str], *, rows: int, values: tuple[object, ...]
) -> Iterator[TableCase]:
    """Run through every table over one quasi-identifier and two sensitive values, k = 2.

    Rows come in every order; tables with fewer rows come first. Each parameter has one value.

    >>> cases = list(small_tables(frozenset({"k"}), rows=2, values=(0, 1)))
    >>> len(cases), dict(cases[0].columns), dict(cases[0].parameters)
    (20, {'q1': (0,), 's': ('a',)}, {'k': 2})
    """
    defaults = {"k": 2, "mu": "1", "p": 2, "alpha": "1", "l": 2, "t": "1/2", "beta": "1", "seed": 0}
    request = {name: value for name, value in defaults.items() if name in parameters}
    ranked: dict[object, object] = {"a": "A", "b": "B"}
    categories = ranked if parameters & {"p", "alpha"} else None
    # Small tables first: the first that fails is then shown as it is, or nearly.
    for size in range(1, rows + 1):
        for cells in product(product(values, "ab"), repeat=size):
            column, secret = zip(*cells, strict=True)
            yield TableCase(
                {"q1": column, "s": secret}, ("q1",), "s", parameters=request, categories=categories
            )


SOURCES: tuple[Source, ...] = (
    *(
        Source(name, Kind.TABLE, partial(table_cases, shape=shape), worth=1 + (name in _SELDOM))
        for name, shape in _SHAPES.items()
    ),
    Source("near the thresholds", Kind.TABLE, near_thresholds),
    Source("hundreds of rows", Kind.TABLE, many_rows, worth=8),
    Source(
        "k up to 50", Kind.TABLE, partial(many_rows, least=60, most=200, k=(50, 37, 26)), worth=8
    ),
    Source("classes around 128 and 256", Kind.TABLE, classes_around_powers, worth=8),
    Source.finite(
        "every table of up to 4 rows over 2 values",
        Kind.TABLE,
        partial(small_tables, rows=4, values=(0, 1)),
    ),
    Source.finite(
        "every table of up to 3 rows over 3 values",
        Kind.TABLE,
        partial(small_tables, rows=3, values=(0, 1, 2)),
    ),
)
"""Every source of table cases, the plain one first and finite domains last."""
