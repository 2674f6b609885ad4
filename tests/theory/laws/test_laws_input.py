"""Reading laws and columns: exactness, canonical lattices, and one clear line for bad input."""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from cases import cases, error_line
from flint import arb

from kproof.errors import DataError, InvalidArgument, KProofError, TooLarge
from kproof.theory.laws import (
    Binomial,
    Block,
    FiniteLattice,
    IndependentBlocks,
    IndependentSum,
    MarkovChain,
    Normal,
    PoissonBinomial,
    TruncatedBinomial,
    empirical,
    iid,
    sum_of_column,
)

COIN = FiniteLattice.bernoulli("1/2")

REFUSED: list[tuple[Callable[[], object], str]] = [
    (lambda: Binomial(0, 0.5), "n = 0: need a whole number 1 <= n <= 1000000000000000"),
    (lambda: Binomial(2.5, 0.5), "n = 2.5: need a whole number 1 <= n <= 1000000000000000"),
    (lambda: Binomial(10, 0), "p = 0: need 0 < p < 1"),
    (lambda: Binomial(10, float("nan")), "p = nan: need 0 < p < 1"),
    (lambda: TruncatedBinomial(10, 0.5, 11), "k = 11: need a whole number 0 <= k <= 10"),
    (lambda: TruncatedBinomial(10, 0.5, -1), "k = -1: need a whole number 0 <= k <= 10"),
    (lambda: PoissonBinomial([]), "ps = []: need a sequence of at least one probability"),
    (lambda: PoissonBinomial("0.5"), "ps = 0.5: need a sequence of at least one probability"),
    (lambda: PoissonBinomial([0.5, -0.1]), "ps[1] = -0.1: need 0 <= ps[1] <= 1"),
    (lambda: PoissonBinomial([True]), "ps[0] = True: need 0 <= ps[0] <= 1"),
    (lambda: FiniteLattice({}), "sum of masses = 0: need exactly 1"),
    (lambda: FiniteLattice({0: 0.3, 1: 0.3, 2: 0.3}), "sum of masses = 9/10: need exactly 1"),
    (lambda: FiniteLattice({0: 1.5, 1: -0.5}), "mass of 0 = 1.5: need 0 <= mass of 0 <= 1"),
    (lambda: FiniteLattice({"a": 1}), "value = a: need a finite number"),
    (lambda: FiniteLattice.from_counts({}), "counts = {}: need one that is positive"),
    (lambda: FiniteLattice.from_counts({1: 0}), "counts = 'all 0': need one that is positive"),
    (
        lambda: FiniteLattice.from_counts({1: -1}),
        "count of 1 = -1: need a whole number count of 1 >= 0",
    ),
    (lambda: FiniteLattice.bernoulli(2), "p = 2: need 0 <= p <= 1"),
    (lambda: IndependentSum([]), "laws = []: need at least one"),
    (
        lambda: IndependentSum([COIN], counts=[1, 2]),
        "counts = [1, 2]: need one for each of the 1 laws",
    ),
    (
        lambda: IndependentSum([COIN], counts=[0]),
        "counts[0] = 0: need a whole number 1 <= counts[0] <= 1000000000000000",
    ),
    (
        lambda: iid(COIN, 10**16),
        "n = 10000000000000000: need a whole number 1 <= n <= 1000000000000000",
    ),
    (
        lambda: IndependentSum([COIN, Normal(0, 1)]),
        "laws[1] = Normal(mean=0, variance=1): need a law on a lattice",
    ),
    (lambda: Normal("inf", 1), "mean = inf: need a finite number"),
    (lambda: Normal(0, -1), "variance = -1: need variance > 0"),
    (lambda: MarkovChain([], [], [], 3), "values = []: need one for each of at least one state"),
    (
        lambda: MarkovChain([1], [[1]], [0, 1], 3),
        "transition = '1 rows': need 2 rows, one for each of the values",
    ),
    (
        lambda: MarkovChain([1], [[1, 0], [0, 1]], [0, 1], 3),
        "initial = '1 numbers': need 2, one for each of the values",
    ),
    (
        lambda: MarkovChain([1, 0], [[1, 0], [0]], [0, 1], 3),
        "transition[1] = '1 numbers': need 2, one for each of the values",
    ),
    (
        lambda: MarkovChain([1, 0], [[1, 0], [0, 0.9]], [0, 1], 3),
        "sum of transition[1] = 9/10: need exactly 1",
    ),
    (
        lambda: MarkovChain([1, 0], [[2, -1], [0, 1]], [0, 1], 3),
        "transition[0][0] = 2: need 0 <= transition[0][0] <= 1",
    ),
    (lambda: MarkovChain([1], [[1]], [0], 0), "n = 0: need a whole number 1 <= n <= 16777216"),
    (lambda: Block({}), "joint = {}: need at least one outcome of at least one value"),
    (lambda: Block({(): 1}), "joint = {(): 1}: need at least one outcome of at least one value"),
    (lambda: Block({(0, 1): "1/2"}), "sum of joint = 1/2: need exactly 1"),
    (lambda: Block({(0, 1): 1.5}), "joint[(0, 1)] = 1.5: need 0 <= joint[(0, 1)] <= 1"),
    (lambda: Block({(0, "x"): 1}), "value in joint[(0, 'x')] = x: need a finite number"),
    (lambda: IndependentBlocks([]), "laws = []: need at least one"),
    (
        lambda: Block({(0, 1): 1}).marginal(2),
        "position = 2: need a whole number 0 <= position <= 1",
    ),
    (lambda: Binomial(10, 0.5).window(arb(1)), "tail = 1.00000000000000: need 0 <= tail < 1"),
    (lambda: COIN.window(arb(-1)), "tail = -1.00000000000000: need 0 <= tail < 1"),
    (lambda: iid(COIN, 9).window(arb("nan")), "tail = nan: need 0 <= tail < 1"),
]


@pytest.mark.parametrize(("attempt", "message"), REFUSED, ids=[text for _, text in REFUSED])
def test_bad_input_is_refused_in_one_line(attempt, message):
    assert error_line(InvalidArgument, attempt) == message


@cases(
    ([], "age: has no rows, need at least one number"),
    ([34, "n/a"], "age: row 1 (the first is row 0) is n/a, need a finite number"),
    ([34, 35, float("nan")], "age: row 2 (the first is row 0) is nan, need a finite number"),
    ([1, True], "age: row 1 (the first is row 0) is True, need a finite number"),
    ([None], "age: row 0 (the first is row 0) is None, need a finite number"),
    ([[1, 2]], "age: row 0 (the first is row 0) is [1, 2], need a finite number"),
    (np.array([1.0, np.inf]), "age: row 1 (the first is row 0) is inf, need a finite number"),
    (np.eye(2), "age = [[1. 0.] [0. 1.]] is not a column: need a sequence of numbers"),
    ("123", "age = 123 is not a column: need a sequence of numbers"),
)
def test_bad_columns_are_refused_by_row(column, message):
    for read in (empirical, sum_of_column):
        with pytest.raises(DataError) as caught:
            read(column, name="age")
        assert str(caught.value) == message
        assert isinstance(caught.value, KProofError)


class Series:
    """A data frame's column: it iterates over widened floats and keeps the narrow ones inside."""

    def __init__(self, values: list[float]) -> None:
        self.values = np.array(values, dtype=np.float32)

    def __iter__(self) -> object:
        return iter(float(value) for value in self.values)

    def to_numpy(self) -> np.ndarray:
        return self.values


@cases(
    [0.1, 0.1, 3],
    ["0.1", " 1/10 ", "3e0"],
    [Decimal("0.1"), Fraction(1, 10), np.int8(3)],
    np.array([0.1, 0.1, 3.0]),
    np.array([0.1, 0.1, 3.0], dtype=np.float32),
    (value for value in (0.1, 0.1, 3)),
    Series([0.1, 0.1, 3]),
    ids=["floats", "text", "exact", "float64", "float32", "generator", "series"],
)
def test_a_cell_is_the_decimal_that_is_seen(column):
    law = empirical(column)
    assert law.atoms == ((Fraction(1, 10), Fraction(2, 3)), (Fraction(3), Fraction(1, 3)))
    assert law.step == Fraction(29, 10)


def test_a_long_column_counts_its_values():
    column = [i * i % 91 for i in range(50_000)]
    law = empirical(column)
    assert dict(law.atoms) == {
        Fraction(v): Fraction(column.count(v), 50_000) for v in sorted(set(column))
    }
    total = sum_of_column(column)
    assert len(total.records) == 50_000
    assert total.terms == ((law, 50_000),)


def test_the_lattice_is_the_coarsest():
    law = FiniteLattice({"1/2": "1/4", "7/6": "1/4", "5/2": "1/2", 9: 0})
    assert (law.origin, law.step, law.points) == (Fraction(1, 2), Fraction(2, 3), 4)
    assert law.window(arb(0)).masses == [0.25, 0.25, 0, 0.5]
    assert not law.log_concave
    assert FiniteLattice({3: "1/2", 4: 0, 5: "1/2"}).step == 2
    assert FiniteLattice({7: 1}).step == 1


def test_equal_numbers_are_one_value():
    assert FiniteLattice({0.5: 0.25, "1/2": 0.25, 1: 0.5}) == FiniteLattice({"0.5": 0.5, 1: "1/2"})
    assert FiniteLattice.from_counts({0: 2, 1: 6}) == FiniteLattice.bernoulli(0.75)
    assert len({FiniteLattice.bernoulli(0.5), FiniteLattice({0: "1/2", 1: "1/2"})}) == 1
    assert FiniteLattice.bernoulli(0.5) != FiniteLattice.bernoulli(0.6)
    assert FiniteLattice.bernoulli(0) == FiniteLattice({0: 1, 1: 0})


@cases(
    (["1/4", "1/2", "1/4"], True),
    (["1/3", "1/3", "1/3"], True),
    (["2/5", "1/5", "2/5"], False),
    (["4/7", "2/7", "1/7"], True),
    (["9/14", "3/14", "2/14"], False),
    ([1], True),
    (["1/2", 0, 0, "1/2"], True),
    (["2/5", "2/5", 0, "1/5"], False),
)
def test_log_concavity_is_decided_exactly(masses, expected):
    assert FiniteLattice(dict(enumerate(masses))).log_concave is expected


def test_a_table_too_wide_to_list():
    law = FiniteLattice({0: 0.5, 1: 0.25, 10**9: 0.25})
    for listing in (lambda: law.window(arb("1e-9")), law.float_window):
        with pytest.raises(TooLarge, match="needs 1,000,000,001 points, the budget is 4,194,304"):
            listing()


def test_the_normal_law_keeps_what_was_typed():
    law = Normal("1e-3", 0.1)
    assert (law.exact_mean, law.exact_variance) == (Fraction(1, 1000), Fraction(1, 10))
    assert (law.variance() * 10).contains(1)
    assert (law.mean() * 1000).contains(1)
    assert law.log_concave
    assert repr(law) == "Normal(mean=1/1000, variance=1/10)"
