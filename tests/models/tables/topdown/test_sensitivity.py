"""p⁺- and (p, α)-sensitive releases: the models by hand, and top-down recoding step by step."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import chain

import numpy as np
import pytest
from cases import cases, error_line
from hypothesis import given
from hypothesis import strategies as st
from tables import column
from theta_oracles import CATEGORY

from kproof.errors import DataError, Infeasible, InvalidArgument
from kproof.models.base.columns import Column
from kproof.models.base.missing import MISSING
from kproof.models.base.taxonomy import Taxonomy
from kproof.models.methods import METHODS
from kproof.models.tables.release import Release
from kproof.models.tables.table import Table
from kproof.models.tables.topdown.method import p_alpha_sensitive, p_plus_sensitive

DISEASES = tuple(CATEGORY)
TREE = {"a": ("x", "*"), "b": ("x", "*"), "c": ("y", "*"), "d": ("y", "*"), "e": ("z", "*")}
LEAVES = tuple(TREE)

Row = tuple[int, int, str, str]


def table(rows: Sequence[Row], categories: Mapping[object, object] | None = None) -> Table:
    first, second, place, disease = zip(*rows, strict=True)
    tree = Taxonomy.from_dict(TREE)
    leaves = np.array([LEAVES.index(leaf) for leaf in place], dtype=np.int32)
    known = column("first", first), column("second", second)
    known += (Column("place", leaves, LEAVES, numeric=False, taxonomy=tree),)
    kinds = CATEGORY if categories is None else categories
    return Table(len(rows), known, column("disease", disease), categories=kinds)


def p_plus(diseases: Sequence[str], p: int, k: int) -> bool:
    return len(diseases) >= k and len({CATEGORY[value] for value in diseases}) >= p


def p_alpha(diseases: Sequence[str], p: int, alpha: Fraction, k: int) -> bool:
    weight = sum((Fraction(CATEGORY[value] - 1, 3) for value in set(diseases)), Fraction(0))
    return len(diseases) >= k and len(set(diseases)) >= p and weight >= alpha


def specialised(rows: Sequence[Row], fits: Callable[[list[str]], bool]) -> list[list[int]]:
    """Top-down recoding as it is documented, recursively and on lists."""

    def met(part: list[int]) -> bool:
        return fits([rows[i][3] for i in part])

    def numeric(numbers: list[int]) -> Callable[[int], Fraction]:
        data = [Fraction(number) for number in numbers]
        low, span = min(data), max(data) - min(data)
        return lambda i: (data[i] - low) / span if span else Fraction(0)

    def place(i: int) -> Fraction:
        return Fraction(LEAVES.index(rows[i][2]), len(LEAVES) - 1)

    places = [numeric([row[0] for row in rows]), numeric([row[1] for row in rows]), place]

    def parts(axis: int, part: list[int]) -> list[list[int]]:
        ordered = sorted(part, key=lambda i: (places[axis](i), i))
        if axis < 2:
            cuts = [
                i
                for i in range(1, len(ordered))
                if places[axis](ordered[i]) != places[axis](ordered[i - 1])
                and met(ordered[:i])
                and met(ordered[i:])
            ]
            if not cuts:
                return []
            best = min(cuts, key=lambda i: (abs(2 * i - len(ordered)), i))
            return [ordered[:best], ordered[best:]]
        nodes = {i: (TREE[rows[i][2]][0], rows[i][2]) for i in part}
        depth = 0 if len({node[0] for node in nodes.values()}) > 1 else 1
        children = {}
        for i in ordered:
            children.setdefault(nodes[i][depth], []).append(i)
        alone = [child for child in children.values() if met(child)]
        back = [child for child in children.values() if not met(child)]
        while back and alone and not met([*chain(*back)]):
            smallest = min(alone, key=len)
            alone.remove(smallest)
            back.append(smallest)
        return [*([[*chain(*back)]] if back else []), *alone] if alone else []

    def below(part: list[int]) -> list[list[int]]:
        widths = [max(map(of, part)) - min(map(of, part)) for of in places]
        for axis in sorted(range(3), key=lambda c: -widths[c]):
            found = parts(axis, part) if widths[axis] else []
            if len(found) > 1:
                return [one for child in found for one in below(child)]
        return [part]

    return below(list(range(len(rows))))


def members(release: Release) -> list[frozenset[int]]:
    return [frozenset(np.flatnonzero(release.class_of == c)) for c in range(release.count)]


# Columns that span 8 and 4 have places without rounding, so that ties between widths are exact.
rows_of_patients = st.lists(
    st.tuples(
        st.integers(0, 8), st.integers(0, 4), st.sampled_from(LEAVES), st.sampled_from(DISEASES)
    ),
    min_size=6,
    max_size=40,
).map(lambda rows: [(0, 0, "a", "HIV"), *rows, (8, 4, "e", "Flu")])


@given(rows_of_patients, st.integers(1, 4), st.integers(2, 6))
def test_p_plus_is_top_down_recoding(rows, p, k):
    p = min(p, k, len({CATEGORY[row[3]] for row in rows}))
    release = p_plus_sensitive(table(rows), p=p, k=k)
    found = members(release)
    assert all(p_plus([rows[i][3] for i in one], p, k) for one in found)
    expected = specialised(rows, lambda diseases: p_plus(diseases, p, k))
    assert set(found) == {frozenset(one) for one in expected}
    assert not len(release.swaps) + len(release.noise_class) + len(release.suppressed)


@given(rows_of_patients, st.integers(1, 4), st.integers(0, 12), st.integers(2, 6))
def test_p_alpha_is_top_down_recoding(rows, p, sixths, k):
    p = min(p, k, len({row[3] for row in rows}))
    most = sum((Fraction(CATEGORY[v] - 1, 3) for v in {row[3] for row in rows}), Fraction(0))
    alpha = min(Fraction(sixths, 6), most)
    found = members(p_alpha_sensitive(table(rows), p=p, alpha=alpha, k=k))
    assert all(p_alpha([rows[i][3] for i in one], p, alpha, k) for one in found)
    expected = specialised(rows, lambda diseases: p_alpha(diseases, p, alpha, k))
    assert set(found) == {frozenset(one) for one in expected}


def test_short_children_give_their_records_back():
    # y and z are short; together they are a class at the root, and x stands alone.
    rows = [(0, 0, "a", "HIV"), (0, 0, "a", "Flu"), (0, 0, "c", "HIV"), (0, 0, "e", "Flu")]
    release = p_plus_sensitive(table(rows), p=2, k=2)
    assert set(members(release)) == {frozenset({0, 1}), frozenset({2, 3})}
    labels = [release.label(c) for c in release.class_of]
    assert labels[0].endswith("place=a")
    assert labels[2].endswith("place=*")


def test_values_without_a_category_weigh_nothing():
    known = {"HIV": "grave", "Flu": "mild"}
    rows = [(i, 0, "a", ("HIV", "Flu", "Asthma")[i % 3]) for i in range(12)]
    for one in members(p_alpha_sensitive(table(rows, known), p=2, alpha=1, k=2)):
        assert "Flu" in {rows[i][3] for i in one}
    with pytest.raises(Infeasible, match="weigh 1 together"):
        p_alpha_sensitive(table(rows, known), p=2, alpha="1.01", k=2)


def test_missing_quasi_identifiers_are_kept():
    age = Column("age", np.array([0, 0, 1, 1], dtype=np.int32), (30, MISSING), numeric=True)
    held = column("disease", ["HIV", "Flu", "HIV", "Flu"])
    release = p_plus_sensitive(Table(4, (age,), held, categories=CATEGORY), p=2, k=2)
    assert set(members(release)) == {frozenset({0, 1}), frozenset({2, 3})}


def test_one_class_if_nothing_can_be_specialised():
    rows = [(i, i, "a", "HIV") for i in range(5)] + [(9, 9, "e", "Flu")]
    assert p_plus_sensitive(table(rows), p=2, k=2).count == 1


@cases(
    ({"p": 0, "k": 2}, "p = 0: need"),
    ({"p": 3, "k": 2}, "p = 3: need"),
    ({"p": 2, "k": 1}, "k = 1: need"),
    ({"p": 2, "k": 7}, "k = 7: need"),
    ({"p": 2, "k": 2, "alpha": -1}, "alpha = -1: need alpha >= 0"),
)
def test_arguments_out_of_range(arguments, message):
    rows = [(i, i, "a", DISEASES[i]) for i in range(6)]
    method = p_alpha_sensitive if "alpha" in arguments else p_plus_sensitive
    assert error_line(InvalidArgument, method, table(rows), **arguments).startswith(message)


def test_demands_the_whole_table_cannot_meet():
    rows = [(i, i, "a", ("HIV", "Cancer", "Flu")[i % 3]) for i in range(9)]
    with pytest.raises(Infeasible, match=r"column disease: .* 2 categories; p = 3"):
        p_plus_sensitive(table(rows), p=3, k=4)
    with pytest.raises(Infeasible, match="3 distinct values; p = 4"):
        p_alpha_sensitive(table(rows), p=4, alpha=0, k=4)
    with pytest.raises(Infeasible, match="weigh 1 together; need alpha at most that, not 4/3"):
        p_alpha_sensitive(table(rows), p=3, alpha="4/3", k=4)
    assert p_alpha_sensitive(table(rows), p=3, alpha=1, k=4).count >= 1


def test_tables_without_what_the_models_need():
    whole = table([(i, i, "a", DISEASES[i]) for i in range(6)])
    with pytest.raises(DataError, match="no sensitive column"):
        p_plus_sensitive(Table(6, whole.quasi_identifiers), p=2, k=2)
    with pytest.raises(DataError, match="column disease has no categories"):
        p_alpha_sensitive(Table(6, whole.quasi_identifiers, whole.sensitive), p=2, alpha=0, k=2)


def test_the_entries_in_the_registry():
    entries = METHODS["p-plus-sensitive"], METHODS["p-alpha-sensitive"]
    rows = [(i, i, "a", DISEASES[i]) for i in range(6)]
    for entry, arguments in zip(
        entries, ({"p": 2, "k": 2}, {"p": 2, "alpha": 1, "k": 2}), strict=True
    ):
        release = entry.run(table(rows), **arguments)
        assert release.method == entry.name
        assert set(release.parameters) == set(entry.parameters)
