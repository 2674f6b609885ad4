import importlib
import random
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import date, datetime
from fractions import Fraction
from functools import partial
from itertools import islice
from math import copysign, inf, isinf
from typing import Any

import networkx as nx
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from cases import cases, error_line
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample
from nights import by_day

import kproof
from kproof.errors import DataError, Infeasible, InvalidArgument
from kproof.models.base.missing import MISSING
from kproof.models.methods import METHODS
from kproof.models.registry import Kind
from kproof.proptests.contract import Source, TableCase
from kproof.proptests.labels.frames import columns_of, containers, frame_of, table_of
from kproof.proptests.paring import pare_case
from kproof.proptests.sources import sources
from kproof.proptests.strategies import (
    FRAGMENTS,
    TableShape,
    Values,
    background_knowledge,
    draw_mu,
    frames,
    group_sizes,
    hierarchies,
    requests,
    table_cases,
    tables,
    taxonomies,
    theta_parameters,
    value,
)

SOURCES: Mapping[str, Source] = {source.name: source for source in sources(Kind.TABLE)}
K = frozenset({"k"})
EVERY = frozenset(
    {"k", "mu", "p", "alpha", "l", "t", "beta", "seed", "noise", "form", "partitioning"}
)
MANY = settings(
    max_examples=1000,
    database=None,
    deadline=None,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=list(HealthCheck),
)
UNSHRUNK = settings(MANY, phases=[Phase.generate])
FEW = settings(MANY, max_examples=25)

Fault = Callable[[TableCase], object]


def classes(case: TableCase) -> Counter[tuple[object, ...]]:
    return Counter(zip(*(case.columns[name] for name in case.quasi_identifiers), strict=True))


def own(case: TableCase) -> list[object]:
    return [one for name in case.quasi_identifiers for one in case.columns[name]]


def cells(case: TableCase) -> list[object]:
    return [one for column in case.columns.values() for one in column]


def records(case: TableCase) -> Counter[tuple[object, ...]]:
    return Counter(zip(*case.columns.values(), strict=True))


def kept(columns, *, container="pandas", **rest):
    """A shrunk case: only what the fault needs differs from the defaults."""
    names = tuple(name for name in columns if name != "s")
    return TableCase(columns, names, "s", parameters={"k": 2}, container=container, **rest)


PLANTED: dict[str, tuple[str, Fault, tuple[TableCase, ...]]] = {
    "a class of k - 1": (
        "mixed types",
        lambda case: case.parameters["k"] - 1 in classes(case).values(),
        (kept({"q1": (0,), "s": ("a",)}),),
    ),
    "a missing value in a record that is there twice": (
        "missing values",
        lambda case: any(times > 1 and None in one for one, times in records(case).items()),
        (
            *(kept({name: (None, None), "s": ("a", "a")}) for name in ("q1", "q2")),
            kept({"q1": (0, 0), "s": (None, None)}),
        ),
    ),
    "two sensitive values, one of them in three rows": (
        "mixed types",
        lambda case: (
            len(set(case.columns["s"])) == 2 and max(Counter(case.columns["s"]).values()) >= 3
        ),
        tuple(
            kept({"q1": (0,) * 4, "s": secret})
            for secret in (("a", "a", "a", "b"), ("a", "b", "b", "b"))
        ),
    ),
    "a comma in one of two values": (
        "Unicode text",
        lambda case: len(classes(case)) > 1 and any("," in str(one) for one in own(case)),
        (kept({"q1": ("a", ","), "s": ("a", "a")}),),
    ),
    "a number with a fraction": (
        "mixed types",
        lambda case: any(isinstance(one, float) and one % 1 for one in own(case)),
        (kept({"q1": (0.1,), "s": ("a",)}),),
    ),
    "a Polars frame of k rows": (
        "Polars and PyArrow",
        lambda case: case.container == "polars" and case.rows >= case.parameters["k"],
        (kept({"q1": (0, 0), "s": ("a", "a")}, container="polars"),),
    ),
    "a repeated row label": (
        "row labels",
        lambda case: case.index is not None and len(set(case.index)) < case.rows,
        (kept({"q1": (0, 0), "s": ("a", "a")}, index=(0, 0)),),
    ),
    "two classes, the smaller of two": (
        "many duplicates",
        lambda case: len(classes(case)) == 2 and min(classes(case).values()) == 2,
        tuple(kept({name: (0, 0, 1, 1), "s": ("a",) * 4}) for name in ("q1", "q2")),
    ),
    "two values below one inner node": (
        "taxonomies",
        lambda case: any(list(tree.values()).count("A") > 1 for tree in case.hierarchies.values()),
        (
            kept(
                {"q1": ("a", "b"), "s": ("a", "a")},
                hierarchies={"q1": {"a": "A", "b": "A", "A": "*", "*": "*"}},
            ),
        ),
    ),
}


DEAR = {"two values below one inner node", "a number with a fraction"}


@pytest.mark.parametrize(
    "fault", [one for one in PLANTED if by_day(one not in DEAR, at_night=True)]
)
def test_planted_faults_shrink_to_the_smallest_example(fault):
    source, planted, smallest = PLANTED[fault]
    fails_without = 0

    def there(case: TableCase) -> bool:
        nonlocal fails_without
        fails_without += 1
        return bool(planted(case))

    found = find(SOURCES[source].draw(K), there, settings=MANY, random=random.Random(0))

    def still(case: TableCase) -> tuple[bool, int]:
        nonlocal found
        if there(case):
            found = case
            return True, 1
        return False, 1

    # As the suite does: Hypothesis may keep a column that nothing needs.
    pare_case(found, still, calls=500)
    assert found in smallest
    assert fails_without <= 1000


def drawn(strategy: st.SearchStrategy[Any], wanted: Callable[[Any], object]) -> Any:
    """The first draw that is wanted, as it comes."""
    return find(strategy, lambda one: bool(wanted(one)), settings=UNSHRUNK, random=random.Random(0))


def moment(one: object) -> object:
    """A value, a day being midnight."""
    return datetime(one.year, one.month, one.day) if type(one) is date else one


def labels(case: TableCase) -> str:
    return "".join(str(one) for one in cells(case))


FEATURES: dict[str, tuple[str, Fault]] = {
    "integers": ("mixed types", lambda case: {type(one) for one in own(case)} == {int}),
    "floats": ("mixed types", lambda case: float in {type(one) for one in own(case)}),
    "days": ("mixed types", lambda case: date in {type(one) for one in own(case)}),
    "times": ("mixed types", lambda case: datetime in {type(one) for one in own(case)}),
    "truth values": ("mixed types", lambda case: {True, False} <= set(own(case))),
    "text": ("mixed types", lambda case: str in {type(one) for one in own(case)}),
    "three kinds": ("mixed types", lambda case: len({type(one) for one in own(case)}) == 3),
    "negative numbers": (
        "mixed types",
        lambda case: any(type(one) is int and one < 0 for one in own(case)),
    ),
    "missing quasi-identifier": ("missing values", lambda case: None in own(case)),
    "missing sensitive value": ("missing values", lambda case: None in case.columns["s"]),
    "nothing but missing": ("missing values", lambda case: set(case.columns["q1"]) == {None}),
    "a frequent value": (
        "skewed sensitive values",
        lambda case: (
            case.rows > 9
            and len(set(case.columns["s"])) > 1
            and max(Counter(case.columns["s"]).values()) > 0.8 * case.rows
        ),
    ),
    "one sensitive value": (
        "tiny sensitive domains",
        lambda case: case.rows > 3 and len(set(case.columns["s"])) == 1,
    ),
    "duplicates": ("many duplicates", lambda case: max(records(case).values()) >= 5),
    "fewer than k": ("fewer than k rows", lambda case: 0 < case.rows < case.parameters["k"] - 1),
    "no rows": ("no rows", lambda case: case.rows == 0),
    "k = 1": ("k = 1", lambda case: case.rows > 1 and case.parameters["k"] == 1),
    "constant columns": (
        "constant columns",
        lambda case: case.rows > 5 and len(case.quasi_identifiers) > 1 and len(classes(case)) == 1,
    ),
    "huge categories": (
        "huge categories",
        lambda case: case.rows > 25 and len(classes(case)) == case.rows,
    ),
    "far apart": (
        "numbers far apart",
        lambda case: {"1", "1000000000"} <= {str(one).lstrip("-") for one in own(case)},
    ),
    **{
        f"text with {fragment!r}": (
            "Unicode text",
            partial(lambda fragment, case: fragment in labels(case), fragment),
        )
        for fragment in (
            *(",", "..", "{", "}", "-", "\n", "=", '"', "'", "*", "?"),
            *("א", "e\u0301", "٣", "１", "\u202e", "😀"),
        )
    },
    "empty text": ("Unicode text", lambda case: "" in own(case)),
    "a tree of three levels": (
        "taxonomies",
        lambda case: any(
            "A" in (tree.get("B"), tree.get("C")) for tree in case.hierarchies.values()
        ),
    ),
    "two trees": ("taxonomies", lambda case: len(case.hierarchies) == 2),
    "identifiers": (
        "identifiers",
        lambda case: case.identifiers and len(set(case.columns[case.identifiers[0]])) > 5,
    ),
    "Polars": ("Polars and PyArrow", lambda case: case.container == "polars" and None in own(case)),
    "PyArrow": (
        "Polars and PyArrow",
        lambda case: case.container == "pyarrow" and None in own(case),
    ),
    "permuted labels": (
        "row labels",
        lambda case: (
            case.index is not None
            and sorted(map(str, case.index)) == sorted(map(str, range(case.rows)))
            and list(case.index) not in ([*range(case.rows)], [*range(case.rows)][::-1])
        ),
    ),
    "text labels": ("row labels", lambda case: case.index is not None and "r0" in case.index),
    "labels of two levels": (
        "row labels",
        lambda case: case.index is not None and isinstance(case.index[0], tuple),
    ),
    "five years": ("dates across years", lambda case: len({one.year for one in own(case)}) > 4),
    "an infinity": ("numbers at the edges", lambda case: inf in own(case)),
    "minus zero": (
        "numbers at the edges",
        lambda case: any(one == 0 and copysign(1, one) < 0 for one in own(case)),
    ),
    "beyond floats": ("numbers at the edges", lambda case: {2**53 + 1, 2**53} & set(own(case))),
    "leading zeros": ("numerals that are text", lambda case: {"007", "1e3"} <= set(own(case))),
    "eight columns": ("many quasi-identifiers", lambda case: len(case.quasi_identifiers) == 8),
    "four columns": ("many quasi-identifiers", lambda case: len(case.quasi_identifiers) == 4),
    "k = 50": ("k up to 50", lambda case: case.parameters["k"] == 50 <= case.rows),
    "257 classes": ("classes around 128 and 256", lambda case: len(classes(case)) == 257),
    "an unused category": (
        "categorical and nullable columns",
        lambda case: any("none of these" in dtype for dtype in case.dtypes.values()),
    ),
    "missing of its own": (
        "categorical and nullable columns",
        lambda case: any(
            dtype == "Int64" and None in case.columns[name] for name, dtype in case.dtypes.items()
        ),
    ),
    "a column called index": ("awkward column names", lambda case: "index" in case.columns),
    "a comma in a name": ("awkward column names", lambda case: "a, b" in case.columns),
}


@pytest.mark.parametrize("source", dict.fromkeys(source for source, _ in FEATURES.values()))
def test_what_data_can_be_like_is_drawn(source):
    missing = {name: wanted for name, (home, wanted) in FEATURES.items() if home == source}

    def last(case: TableCase) -> bool:
        for name in [name for name, wanted in missing.items() if wanted(case)]:
            del missing[name]
        return not missing

    with suppress(NoSuchExample):
        drawn(SOURCES[source].draw(K), last)
    assert missing.keys() == set()


@pytest.mark.parametrize("source", SOURCES)
@FEW
@given(data=st.data())
def test_every_case_is_well_formed(source, data):
    case = data.draw(SOURCES[source].draw(EVERY))
    assert {len(column) for column in case.columns.values()} == {case.rows}
    assert case.sensitive is not None
    roles = (*case.quasi_identifiers, case.sensitive, *case.identifiers)
    assert sorted(roles) == sorted(case.columns)
    assert case.parameters["k"] >= 1
    assert case.parameters.keys() <= EVERY
    assert case.index is None or (case.container == "pandas" and len(case.index) == case.rows)
    for column in case.columns.values():
        assert len({type(one) for one in column} - {type(None)}) <= 1
    secret = set(case.columns[case.sensitive]) - {None}
    if secret:
        assert case.categories is not None
        assert secret <= case.categories.keys()
    for name, tree in case.hierarchies.items():
        assert set(case.columns[name]) - {None} <= tree.keys()


@pytest.mark.parametrize("source", SOURCES)
@FEW
@given(data=st.data())
def test_frames_and_tables_say_what_the_case_says(source, data):
    case = data.draw(SOURCES[source].draw(K))
    frame = frame_of(case)
    kinds = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.Table}
    assert type(frame) is kinds[case.container]
    found = columns_of(frame)
    assert found == case.columns
    for name, column in case.columns.items():
        # Only pandas has no integers beside missing values.
        widened = None in column and case.container == "pandas"
        for one, other in zip(column, found[name], strict=True):
            assert type(one) is type(other) or (widened and type(one) is int)
    columns = case.columns.values()
    unbounded = any(
        isinstance(cell, float) and isinf(cell) for column in columns for cell in column
    )
    if not case.rows or unbounded or any(set(column) == {None} for column in columns):
        with pytest.raises(DataError):
            table_of(case)
        return
    for read in table_of(case).quasi_identifiers:
        shown = [None if (one := read.values[code]) is MISSING else one for code in read.codes]
        # Where a frame has days of its own, a table may show them as times.
        assert list(map(moment, shown)) == list(map(moment, case.columns[read.name]))
        # Dates have the calendar's levels unless they are given others.
        dated = any(isinstance(one, date) for one in case.columns[read.name])
        assert (read.taxonomy is not None) == (dated or read.name in case.hierarchies)


def test_names_of_sources_are_their_own_and_finite_domains_come_last():
    names = [source.name for source in sources(Kind.TABLE)]
    assert len(set(names)) == len(names)
    finite = [source.exhaust is not None for source in sources(Kind.TABLE)]
    assert finite == sorted(finite)
    assert finite.count(True) == 2


@cases(
    ("every table of up to 4 rows over 2 values", 4, 2),
    ("every table of up to 3 rows over 3 values", 3, 3),
)
def test_finite_domains_are_whole(name, rows, values):
    exhaust = SOURCES[name].exhaust
    assert exhaust is not None
    every = list(exhaust(frozenset({"k", "mu"})))
    as_rows = [tuple(zip(case.columns["q1"], case.columns["s"], strict=True)) for case in every]
    assert len(set(as_rows)) == len(every) == sum((2 * values) ** n for n in range(1, rows + 1))
    assert [case.rows for case in every] == sorted(case.rows for case in every)
    assert {one for row in as_rows for one, _ in row} == set(range(values))
    assert all(case.parameters == {"k": 2, "mu": "1"} for case in every)
    found = drawn(SOURCES[name].draw(frozenset({"k", "mu"})), lambda case: case.rows == rows)
    assert found in every


def test_finite_domains_have_categories_where_they_are_asked_for():
    exhaust = SOURCES["every table of up to 4 rows over 2 values"].exhaust
    assert exhaust is not None
    (case,) = islice(exhaust(frozenset({"k", "p"})), 1)
    assert case.categories == {"a": "A", "b": "B"}
    assert case.parameters == {"k": 2, "p": 2}


@cases(
    ("mondrian", {"k", "partitioning"}),
    ("theta-sensitive", {"k", "mu"}),
    ("p-plus-sensitive", {"k", "p"}),
    ("p-alpha-sensitive", {"k", "p", "alpha"}),
)
def test_requests_are_mostly_feasible_and_sometimes_not(method, names):
    answers: Counter[bool | None] = Counter()
    strategy = SOURCES["mixed types"].draw(frozenset(names))

    def served(case: TableCase) -> bool | None:
        """Say whether a case is served; None of a single row, of which nothing is feasible."""
        if case.rows < 2:
            return None
        with suppress(InvalidArgument, Infeasible):
            METHODS.entry(method).run(table_of(case), **case.parameters)
            return True
        return False

    @settings(MANY, max_examples=by_day(50, at_night=300), derandomize=True)
    @given(strategy)
    def run(case: TableCase) -> None:
        answers[served(case)] += 1

    run()
    assert answers[True] > 2 * answers[False]
    if method == "mondrian":
        assert not answers[False]
    else:  # however seldom it is drawn
        drawn(strategy, lambda case: served(case) is False)


def test_a_request_can_be_just_infeasible():
    # Three values reach V = 25/36 at most, so that mu <= 5/9 for k = 4.
    strategy = draw_mu(4, [2, 1, 1])
    for mu in ("1/10", "1/2", "5/9", "11/20", "3/5"):
        assert drawn(strategy, mu.__eq__) == mu
    table = pd.DataFrame({"q": [0, 0, 1, 1], "s": ["a", "a", "b", "c"]})
    roles: dict[str, Any] = {"quasi_identifiers": ["q"], "sensitive": "s", "k": 4}
    assert kproof.anonymize("theta-sensitive", table, mu="5/9", **roles).rows >= 4
    with pytest.raises(Infeasible, match="mu at most 5/9"):
        kproof.anonymize("theta-sensitive", table, mu="3/5", **roles)


@FEW
@given(st.integers(2, 9).flatmap(lambda d: st.tuples(st.just(d), theta_parameters(d))))
def test_theta_parameters_can_be_met(request):
    values, parameters = request
    k, mu = parameters["k"], Fraction(parameters["mu"])
    # The class (d^2 - 1, 2d - 1, ..., 2d - 1) is widest; its variance is computed from scratch.
    counts = [values**2 - 1, *[2 * values - 1] * (values - 1)]
    rows = sum(counts)
    mean = Fraction(sum(c * x for x, c in enumerate(counts, 1)), rows)
    variance = sum(c * (x - mean) ** 2 for x, c in enumerate(counts, 1)) / rows
    assert 0 < mu <= 1
    assert variance >= mu * (k * k - 1) / 12


@FEW
@given(st.integers(0, 30).flatmap(lambda n: st.tuples(st.just(n), group_sizes(n, most=8))))
def test_group_sizes_fit_the_table(request):
    rows, k = request
    assert 2 <= k <= 8
    assert k <= rows or rows < 2


@FEW
@given(st.data())
def test_a_request_has_what_was_asked_for_and_no_more(data):
    names = data.draw(st.sets(st.sampled_from([*sorted(EVERY), "reading", "section"])))
    secret = data.draw(st.lists(st.sampled_from([None, "x", "y", "z"]), max_size=9))
    request = data.draw(requests(names, rows=len(secret), sensitive=secret))
    assert request.keys() == names - {"reading", "section"}
    assert request.get("noise") != "random" or "seed" in request
    for name in ("mu", "t", "alpha", "beta"):
        if name in request:
            assert Fraction(request[name]) >= 0


@FEW
@given(st.lists(st.sampled_from(["a", "b", "c", "*", "A", "*'", "é", ""]), min_size=1), st.data())
def test_hierarchies_are_trees_over_their_values(values, data):
    tree = data.draw(hierarchies(values))
    graph = nx.DiGraph([(above, below) for below, above in tree.items() if above != below])
    assert nx.is_arborescence(graph)
    assert {node for node in graph if not graph.out_degree(node)} == set(values)
    assert [node for node, above in tree.items() if node == above] == [
        node for node in graph if not graph.in_degree(node)
    ]
    found = data.draw(taxonomies(values))
    leaves = {label for label, many in zip(found.labels, found.leaves, strict=True) if many == 1}
    assert set(values) <= leaves


@FEW
@given(st.data())
def test_background_knowledge_is_true(data):
    kinds = (Values.INTEGERS, Values.DECIMALS, Values.LETTERS, Values.TRUTH)
    shape = TableShape(least=2, most=8, missing=True, kinds=kinds, k=lambda _: st.just(2))
    case = data.draw(table_cases(shape=shape))
    if [name for name, column in case.columns.items() if set(column) == {None}]:
        return
    known = data.draw(background_knowledge(case))
    secret = case.columns["s"]
    rows = [one.row for one in (*(known.victims or ()), *known.members) if one.row is not None]
    assert len(set(rows)) == len(rows)
    assert set(rows) <= set(range(case.rows))
    for person in known.victims or ():
        if person.row is not None:
            assert secret[person.row] not in person.excluded
    for person in known.members:
        assert person.value is None or person.value in secret
    release = METHODS["mondrian"].run(table_of(case), k=2)
    # A contradiction between knowledge and release would be an error.
    assert kproof.attack("homogeneity", release, background=known).attack == "homogeneity"


def test_all_that_is_known_is_drawn():
    case = TableCase({"a": (0, 1), "b": (1, 1), "s": ("x", "y")}, ("a", "b"), "s")
    strategy = background_knowledge(case)
    for wanted in (
        lambda known: known.victims is None,
        lambda known: known.victims and known.victims[0].excluded == ("y",),
        lambda known: known.victims and known.victims[0].quasi_identifiers == {"b": 1},
        lambda known: known.victims and known.members,
        lambda known: known.members and known.members[0].value == "x",
        lambda known: known.columns == ("b",) and known.matching == "cover",
        lambda known: known.noise_recognised,
    ):
        assert wanted(drawn(strategy, wanted))


@FEW
@given(tables(shape=TableShape(most=6)), frames(shape=TableShape(most=6, containers=("pyarrow",))))
def test_tables_and_frames_are_drawn_as_such(table, frame):
    assert 1 <= table.rows <= 6
    assert table.sensitive is not None
    assert isinstance(frame, pa.Table)
    assert 1 <= frame.num_rows <= 6


def test_a_shape_without_a_sensitive_column():
    case = drawn(table_cases(shape=TableShape(sensitive=None)), lambda case: case.rows > 1)
    assert case.columns.keys() == set(case.quasi_identifiers)
    assert case.sensitive is None


def test_numbers_look_different_in_every_kind():
    for kind in Values:
        few = {Values.TRUTH: 2, Values.MAGNITUDES: 32, Values.YEARS: 200}
        size = {**few, Values.EDGES: 6, Values.NUMERALS: 12}.get(kind, 500)
        looks = [value(kind, number) for number in range(size)]
        if kind is Values.UNICODE:
            assert looks[: len(FRAGMENTS)] == list(FRAGMENTS)
            assert len(set(looks)) > 0.9 * size
        else:
            assert len(set(map(repr, looks))) == size
        assert len({type(look) for look in looks}) == 1
        assert kind.is_text == isinstance(looks[0], str)
    assert len(set(FRAGMENTS)) == len(FRAGMENTS) == 64
    assert value(Values.LETTERS, 26 + 26 * 26) == "aaa"


def test_foreign_frames_become_plain_values():
    frame = pd.DataFrame(
        {
            "cut": pd.cut([1, 2, 3], [0, 2, 4]),
            "whole": pd.array([1, None, 2], dtype="Int64"),
            "nested": [{1}, [2, [3]], None],
            "when": pd.to_datetime(["2020-01-01", None, "2020-01-02"]),
            7: pd.Categorical(["a", None, "b"]),
        },
        index=[5, 5, 5],
    )
    found = columns_of(frame)
    assert list(found) == ["cut", "whole", "nested", "when", "7"]
    assert found["cut"] == (pd.Interval(0, 2), pd.Interval(0, 2), pd.Interval(2, 4))
    assert found["whole"] == (1, None, 2)
    assert found["nested"] == (frozenset({1}), (2, (3,)), None)
    assert found["when"] == (datetime(2020, 1, 1), None, datetime(2020, 1, 2))
    assert [type(one) for one in found["when"]] == [datetime, type(None), datetime]
    assert found["7"] == ("a", None, "b")
    assert columns_of(pl.DataFrame({"x": [float("nan"), 1.5]})) == {"x": (None, 1.5)}
    assert columns_of(pa.table({"x": [[1, 2], None]})) == {"x": ((1, 2), None)}
    assert columns_of(pl.DataFrame({"x": [{"y": 1}]})) == {"x": ((("y", 1),),)}


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame([[1, 2]], columns=["x", "x"]),
        pd.DataFrame([[1, 2]], columns=["7", 7]),
        pa.table([[1], [2]], names=["x", "x"]),
    ],
)
def test_a_column_that_is_there_twice_is_refused(frame):
    assert "is there 2 times" in error_line(DataError, columns_of, frame)


@pytest.mark.parametrize("frame", [None, {"x": [1]}, pl.LazyFrame({"x": [1]}), pd.Series([1])])
def test_what_is_no_frame_is_refused(frame):
    assert "table that is not lazy" in error_line(InvalidArgument, columns_of, frame)


def test_rows_are_taken_with_their_labels():
    case = kept({"q1": (0, 1, 2), "s": ("a", "b", "c")}, index=("x", "y", "z"))
    taken = case.take([2, 0, 2])
    assert dict(taken.columns) == {"q1": (2, 0, 2), "s": ("c", "a", "c")}
    assert taken.index == ("z", "x", "z")
    assert taken.parameters == case.parameters
    assert list(frame_of(taken).index) == ["z", "x", "z"]
    assert isinstance(frame_of(case).index, pd.Index)
    levels = kept({"q1": (0, 1), "s": ("a", "b")}, index=((0, 0), (0, 1)))
    assert frame_of(levels).index.nlevels == 2


def test_a_case_that_contradicts_itself_has_no_frame():
    with pytest.raises(InvalidArgument, match=r"index = .*need 1 labels"):
        frame_of(kept({"q1": (0,), "s": ("a",)}, index=(1, 2)))
    with pytest.raises(InvalidArgument, match="container = dask: need one of pandas"):
        frame_of(kept({"q1": (0,), "s": ("a",)}, container="dask"))


@cases(
    ({"least": -1}, "least = -1"),
    ({"least": 3, "most": 2}, "most = 2"),
    ({"breadth": 0}, "breadth = 0"),
    ({"sensitive_breadth": 10**6}, "sensitive_breadth = 1000000"),
    ({"names": ()}, "names = .*at least one"),
    ({"kinds": ()}, "kinds = .*at least one"),
)
def test_shapes_that_cannot_be_are_refused(options, message):
    with pytest.raises(InvalidArgument, match=message):
        TableShape(**options)


def test_containers_that_are_not_installed_are_passed_over(monkeypatch):
    home = importlib.import_module("kproof.proptests.strategies.tables")
    assert containers() == ("pandas", "polars", "pyarrow")
    monkeypatch.setattr(home, "containers", lambda: ("pandas",))
    shape = TableShape(containers=("polars", "pyarrow"))
    assert drawn(table_cases(shape=shape), lambda case: case.rows > 1).container == "pandas"
