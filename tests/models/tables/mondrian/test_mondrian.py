"""Mondrian against a recursive version in rationals, brute force over cuts, and its limits."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from cases import cases, error_line
from class_oracles import variation, width
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import column

from kproof.errors import Infeasible, InvalidArgument, TooLarge
from kproof.models.base.columns import Column
from kproof.models.base.compiled import compile_kernel
from kproof.models.base.missing import MISSING
from kproof.models.base.taxonomy import Taxonomy
from kproof.models.tables.axes import axis
from kproof.models.tables.cutting.limits import at_least
from kproof.models.tables.kaca.method import kaca
from kproof.models.tables.mondrian.method import mondrian
from kproof.models.tables.table import Table
from kproof.models.tables.utility import utility

Rows = Sequence[tuple[int, ...]]

COMPARED = compile_kernel(steps=lambda: 0, modular=True)(at_least)


def table(rows: Rows, sensitive: Sequence[int] | None = None) -> Table:
    """All columns numeric; the kernel knows no other kind."""
    columns = tuple(column(f"q{i}", data) for i, data in enumerate(zip(*rows, strict=True)))
    held = None if sensitive is None else column("s", sensitive, numeric=False)
    return Table(len(rows), columns, sensitive=held)


class Plain:
    """Mondrian as its docstring tells it: recursion, rationals, lists."""

    def __init__(
        self,
        rows: Rows,
        sensitive: Sequence[int],
        k: int,
        *,
        relaxed: bool,
        ell: int = 1,
        t: Fraction = Fraction(1),
        theta: Fraction = Fraction(0),
    ) -> None:
        self.rows, self.sensitive, self.k, self.relaxed = rows, sensitive, k, relaxed
        self.ell, self.t, self.theta = ell, t, theta
        self.spans = [(max(data) - min(data)) or 1 for data in zip(*rows, strict=True)]
        self.prepare(rows)

    def prepare(self, rows: Rows) -> None:
        order = list(range(len(rows)))
        if self.relaxed:
            order.sort(key=lambda row: (rows[row], self.sensitive[row]))
        self.parts = list(self.cut(order))

    def allowed(self, part: list[int]) -> bool:
        return len(part) >= self.k and self.keeps([self.sensitive[row] for row in part])

    def keeps(self, held: Sequence[int]) -> bool:
        return (
            len(set(held)) >= self.ell
            and variation(held, self.sensitive) <= self.t
            and width(held) >= self.theta
        )

    def cut(self, part: list[int]) -> list[list[int]]:
        def span(c: int) -> Fraction:
            data = [self.rows[row][c] for row in part]
            return Fraction(max(data) - min(data), self.spans[c])

        for c in sorted(range(len(self.spans)), key=lambda c: (-span(c), c)):
            if span(c) == 0:
                continue
            for left, right in self.cuts(part, c):
                if left and right and self.allowed(left) and self.allowed(right):
                    return self.cut(left) + self.cut(right)
        return [part]

    def cuts(self, part: list[int], c: int) -> list[tuple[list[int], list[int]]]:
        ascending = sorted(part, key=lambda row: self.rows[row][c])
        half = (len(part) + 1) // 2
        if self.relaxed:
            first = set(ascending[:half])
            return [([r for r in part if r in first], [r for r in part if r not in first])]
        median = self.rows[ascending[half - 1]][c]
        numbers = [self.rows[row][c] for row in ascending]
        # The median goes below the cut, or above it: the more even one comes first.
        ends = [sum(number <= median for number in numbers), sum(n < median for n in numbers)]
        split = [({*ascending[:end]}, {*ascending[end:]}) for end in ends]
        sides = [[[r for r in part if r in side] for side in pair] for pair in split]
        return sorted(sides, key=lambda pair: -min(map(len, pair)))

    @property
    def class_of(self) -> list[int]:
        part_of = {row: index for index, part in enumerate(self.parts) for row in part}
        return [part_of.get(row, -1) for row in range(len(self.rows))]


class LeastLoss(Plain):
    """The same with the cuts that lose least, all of them tried."""

    def prepare(self, rows: Rows) -> None:
        order = sorted(range(len(rows)), key=lambda row: (rows[row], self.sensitive[row]))
        outcomes = []
        for share, aligned in [(50, False), (5, False)] + [(50, True)] * self.relaxed:
            self.share, self.aligned = share, aligned
            outcomes.append(self.cut(order))
        self.parts = min(outcomes, key=lambda parts: sum(map(self.loss, parts)))

    def loss(self, part: list[int]) -> Fraction:
        spans = zip(zip(*(self.rows[row] for row in part), strict=True), self.spans, strict=True)
        return len(part) * sum(Fraction(max(data) - min(data), span) for data, span in spans)

    def cut(self, part: list[int]) -> list[list[int]]:
        least = max(self.k, len(part) // self.share)
        found = []
        for c in range(len(self.spans)):
            along = sorted(part, key=lambda row: self.rows[row][c])
            if self.rows[along[0]][c] == self.rows[along[-1]][c]:
                continue
            for here in range(1, len(part)):
                left, right = along[:here], along[here:]
                torn = self.rows[left[-1]][c] == self.rows[right[0]][c]
                off = self.aligned and len(left) % self.k and len(right) % self.k
                if (torn and not self.relaxed) or off:
                    continue
                if self.allowed(left) and self.allowed(right):
                    shorter = min(len(left), len(right))
                    loss = self.loss(left) + self.loss(right)
                    found.append((shorter < least, loss, -shorter, c, here, left, right))
        if not found:
            return [part]
        *_, left, right = min(found)
        return self.cut(left) + self.cut(right)


class Both:
    """Several sensitive columns: the values of a row are a tuple, and each column keeps limits."""

    ell: int
    t: Fraction
    sensitive: Sequence[tuple[int, ...]]

    def keeps(self, held: Sequence[tuple[int, ...]]) -> bool:
        columns = zip(zip(*held, strict=True), zip(*self.sensitive, strict=True), strict=True)
        return all(
            len(set(part)) >= self.ell and variation(part, whole) <= self.t
            for part, whole in columns
        )


PLAIN = {"median": Plain, "least-loss": LeastLoss}
BOTH = {name: type(f"Both{one.__name__}", (Both, one), {}) for name, one in PLAIN.items()}

# Spans that are powers of two make normalised widths exact, so that ties are ties in floats too.
points = st.tuples(*[st.integers(0, 8)] * 3)


@st.composite
def microdata(draw: st.DrawFn) -> tuple[list[tuple[int, ...]], list[int]]:
    rows = [(0, 0, 0), (8, 8, 8), *draw(st.lists(points, min_size=2, max_size=40))]
    size = len(rows)
    return rows, draw(st.lists(st.integers(0, 3), min_size=size, max_size=size))


@given(microdata(), st.integers(2, 4), st.booleans(), st.sampled_from(list(PLAIN)))
def test_equals_the_plain_version(data, k, relaxed, cuts):
    rows, sensitive = data
    partitioning = "relaxed" if relaxed else "strict"
    release = mondrian(table(rows, sensitive), k=k, partitioning=partitioning, cuts=cuts)
    assert release.group_of.tolist() == PLAIN[cuts](rows, sensitive, k, relaxed=relaxed).class_of


@given(
    microdata(),
    st.integers(2, 3),
    st.booleans(),
    st.integers(1, 3),
    st.fractions(0, 1, max_denominator=7),
    st.fractions(0, 1, max_denominator=7),
    st.sampled_from(list(PLAIN)),
)
def test_limits_hold_and_equal_the_plain_version(data, k, relaxed, ell, t, mu, cuts):
    rows, sensitive = data
    asked = {"partitioning": "relaxed" if relaxed else "strict", "cuts": cuts}
    theta = mu * (k * k - 1) / 12
    if len(set(sensitive)) < ell or width(sensitive) < theta:
        with pytest.raises(Infeasible):
            mondrian(table(rows, sensitive), k=k, l=ell, t=t, mu=mu, **asked)
        return
    release = mondrian(table(rows, sensitive), k=k, l=ell, t=t, mu=mu, **asked)
    plain = PLAIN[cuts](rows, sensitive, k, relaxed=relaxed, ell=ell, t=t, theta=theta)
    assert release.group_of.tolist() == plain.class_of
    for index in range(release.count):
        held = [sensitive[row] for row in np.flatnonzero(release.class_of == index)]
        assert len(held) >= k
        assert len(set(held)) >= ell
        assert variation(held, sensitive) <= t
        assert width(held) >= theta


@given(
    microdata(),
    st.data(),
    st.booleans(),
    st.integers(1, 3),
    st.fractions(0, 1, max_denominator=7),
    st.sampled_from(list(PLAIN)),
)
def test_limits_hold_for_every_sensitive_column(data, more, relaxed, ell, t, cuts):
    rows, first = data
    second = more.draw(st.lists(st.integers(0, 5), min_size=len(rows), max_size=len(rows)))
    first[:3], second[:3] = [0, 1, 2], [0, 1, 2]
    held = replace(table(rows, first), further=(column("other", second, numeric=False),))
    asked = {"partitioning": "relaxed" if relaxed else "strict", "cuts": cuts}
    release = mondrian(held, k=2, l=ell, t=t, **asked)
    secrets = list(zip(first, second, strict=True))
    plain = BOTH[cuts](rows, secrets, 2, relaxed=relaxed, ell=ell, t=t)
    assert release.group_of.tolist() == plain.class_of


def test_every_table_of_five_records_on_a_line():
    for line in product(range(3), repeat=5):
        rows = [(value,) for value in line]
        for relaxed, (cuts, plain) in product((False, True), PLAIN.items()):
            partitioning = "relaxed" if relaxed else "strict"
            release = mondrian(table(rows), k=2, partitioning=partitioning, cuts=cuts)
            assert release.group_of.tolist() == plain(rows, [0] * 5, 2, relaxed=relaxed).class_of


@given(microdata(), st.integers(2, 5))
def test_strict_leaves_nothing_to_cut(data, k):
    rows, _ = data
    k = min(k, len(rows))
    release = mondrian(table(rows), k=k)
    for index in range(release.count):
        part = [rows[row] for row in np.flatnonzero(release.class_of == index)]
        for c, value in product(range(3), range(9)):
            left = sum(row[c] <= value for row in part)
            assert left < k or len(part) - left < k


@given(microdata(), st.integers(2, 4))
def test_order_of_records_does_not_matter(data, k):
    rows, sensitive = data
    order = np.random.default_rng(len(rows)).permutation(len(rows))
    shuffled = [rows[i] for i in order], [sensitive[i] for i in order]
    strict = mondrian(table(rows, sensitive), k=k, l=1).class_of
    assert mondrian(table(*shuffled), k=k, l=1).class_of.tolist() == strict[order].tolist()

    def contents(of: Table) -> list[list[tuple[tuple[int, ...], int]]]:
        held = (rows, sensitive) if of is whole else shuffled
        class_of = mondrian(of, k=k, partitioning="relaxed").class_of.tolist()
        classes = [[] for _ in range(max(class_of) + 1)]
        for index, row, value in zip(class_of, *held, strict=True):
            classes[index].append((row, value))
        return [sorted(one) for one in classes]

    whole = table(rows, sensitive)
    assert contents(whole) == contents(table(*shuffled))


@given(microdata(), st.integers(2, 4))
def test_relaxed_classes_stay_below_2k_unless_all_equal(data, k):
    rows, _ = data
    release = mondrian(table(rows), k=k, partitioning="relaxed")
    for index in range(release.groups):
        part = [rows[row] for row in np.flatnonzero(release.group_of == index)]
        assert k <= len(part) < 2 * k or len(set(part)) == 1


def test_missing_is_a_value_of_its_own_and_last():
    ages = Table(8, (column("age", [1, 2, MISSING, MISSING, 3, 4, MISSING, MISSING]),))
    for cuts in PLAIN:
        assert mondrian(ages, k=2, cuts=cuts).class_of.tolist() == [0, 0, 2, 2, 1, 1, 2, 2]
    everything = column("age", [MISSING] * 4, numeric=True)
    assert mondrian(Table(4, (everything,)), k=2).class_of.tolist() == [0] * 4


def test_a_weight_decides_which_column_is_spared():
    # Either column can be told exactly, not both.
    rows = [(a, b) for a in (0, 8) for b in (0, 8)] * 2
    for method in (mondrian, kaca):
        for heavy, light in (("q0", "q1"), ("q1", "q0")):
            found = method(table(rows), k=4, weight={heavy: "3/2"})
            lost = utility(found, queries=0).penalties
            assert (lost[heavy], lost[light]) == (0, 1)
            assert found.parameters["weight"] == f"{heavy}=3/2"
        with pytest.raises(InvalidArgument, match="weight = age=2: need one of q0, q1"):
            method(table(rows), k=4, weight="age=2")
    medians = mondrian(table(rows), k=4, weight={"q1": 3}, cuts="median")
    assert utility(medians, queries=0).penalties == {"q0": 1, "q1": 0}
    with pytest.raises(InvalidArgument, match="need clustering = partition with it"):
        kaca(table(rows), k=4, weight="q0=2", clustering="k-means")


def test_axis_places():
    mixed = column("age", [10, 30, 20, MISSING])
    assert axis(mixed).places == pytest.approx([0, 1 / 3, 2 / 3, 1])
    assert axis(column("one", [5, 5])).places.tolist() == [0]
    assert axis(column("names", ["b", "a", "c"])).places.tolist() == [0, 0.5, 1]
    assert axis(column("huge", [-(10**400), 0, 10**400])).places.tolist() == [0, 0.5, 1]
    assert axis(column("wide", [-1.7e308, 0.0, 1.7e308])).places.tolist() == [0, 0.5, 1]


def test_values_with_a_taxonomy_lie_in_leaf_order():
    tree = Taxonomy.from_paths([("c", "x", "*"), ("a", "x", "*"), ("b", "y", "*")])
    values = ("a", "b", "c")
    codes = np.array([0, 1, 2, 0], dtype=np.int32)
    assert axis(Column("q", codes, values, False, tree)).ranks.tolist() == [1, 2, 0, 1]
    release = mondrian(Table(4, (Column("q", np.array([0, 1, 2, 1]), values, False, tree),)), k=2)
    assert release.class_of.tolist() == [0, 1, 0, 1]


def test_nothing_of_the_caller_changes():
    given_table = table([(i % 7, i % 5) for i in range(50)], [i % 3 for i in range(50)])
    before = [one.codes.copy() for one in given_table.quasi_identifiers]
    for partitioning in ("strict", "relaxed"):
        mondrian(given_table, k=3, partitioning=partitioning, l=2)
    for one, codes in zip(given_table.quasi_identifiers, before, strict=True):
        assert np.array_equal(one.codes, codes)


def test_a_long_chain_of_lopsided_cuts():
    # Each cut takes off the top value only: the depth is the number of values.
    values = np.repeat(np.arange(2000), 2)
    values[:2000] = 0
    release = mondrian(table([(int(v),) for v in values]), k=2)
    assert np.bincount(release.class_of).min() >= 2


@cases(
    ({"k": 1}, "k = 1: need a whole number k >= 2"),
    ({"k": 5}, "k = 5: need 2 <= k <= 4, the number of records"),
    ({"k": 2, "partitioning": "loose"}, "partitioning = loose: need strict or relaxed"),
    ({"k": 2, "l": 0}, "l = 0: need a whole number l >= 1"),
    ({"k": 2, "t": 1.5}, "t = 1.5: need 0 <= t <= 1"),
    ({"k": 2, "mu": -1}, "mu = -1: need mu >= 0"),
)
def test_bad_arguments(arguments, message):
    held = table([(1,), (2,), (3,), (4,)], [0, 1, 0, 1])
    assert error_line(InvalidArgument, mondrian, held, **arguments) == message


def test_limits_need_a_sensitive_column_that_can_meet_them():
    with pytest.raises(InvalidArgument, match=r"l = 2: need a table with a sensitive column"):
        mondrian(table([(1,), (2,)]), k=2, l=2)
    with pytest.raises(InvalidArgument, match="at least one column to generalize"):
        mondrian(Table(3, ()), k=2)
    held = table([(1,), (2,), (3,)], [0, 1, 0])
    with pytest.raises(Infeasible, match="l = 3: column s has 2 distinct values"):
        mondrian(held, k=2, l=3)
    with pytest.raises(Infeasible, match="of the whole table has variance 2/9"):
        mondrian(held, k=2, mu=1)
    assert "below 2^47" in error_line(TooLarge, mondrian, held, k=2, t=f"1/{1 << 47}")


def test_a_part_of_a_table_has_no_gap_that_none_of_its_rows_has():
    part = table([(1,), (2,), (3,), (4,)], [0, 1, 0, MISSING]).of_rows(np.arange(3))
    assert mondrian(part, k=2, l=2).count == 1


@settings(max_examples=400)
@given(
    st.integers(0, (1 << 55) - 1),
    st.integers(0, (1 << 55) - 1),
    st.integers(1, (1 << 55) - 1),
    st.integers(-2, 2),
)
def test_products_are_compared_exactly(a, b, c, off):
    for d in (max(a * b // c + off, 0), b, a):
        if d < 1 << 55:
            assert COMPARED(a, b, c, d) == COMPARED.fast(a, b, c, d) == (a * b >= c * d)


def test_equality_passes():
    # Halves {0, 1} have variance 1/4 = theta for k = 2, mu = 1, and distance 0 from the table.
    held = table([(1,), (2,), (3,), (4,)], [0, 1, 0, 1])
    assert mondrian(held, k=2, mu=1, t=0).count == 2
    assert mondrian(held, k=2, mu="0.9999999").count == 2
