"""The front door of the exact profiles: forms of input, and what is refused."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from cases import cases, error_line

from kproof.errors import InvalidArgument
from kproof.theory.exact.enclosure import Enclosure
from kproof.theory.laws import Binomial, FiniteLattice, Normal
from kproof.theory.laws.base import Law
from kproof.theory.profiles import Direction, delta, epsilon, exact

LAW = Binomial(20, "0.3")


@cases(0.3, "0.3", "3/10", Decimal("0.3"), Fraction(3, 10), np.float64(0.3))
def test_a_number_is_the_decimal_that_was_typed(typed):
    assert delta(LAW, epsilon=typed) == delta(LAW, epsilon=Fraction(3, 10))


@pytest.mark.parametrize("grid", [[0, 1], (0, 1), np.array([0, 1]), np.array([0.0, 1.0])])
def test_grids_give_tuples(grid):
    answers = delta(LAW, epsilon=grid)
    assert isinstance(answers, tuple)
    assert answers == (delta(LAW, epsilon=0), delta(LAW, epsilon=1))


def test_empty_grids():
    assert delta(LAW, epsilon=[]) == ()
    assert epsilon(LAW, delta=[]) == ()


def test_exact_goes_both_ways():
    assert exact(LAW, epsilon=[0, 1]) == delta(LAW, epsilon=[0, 1])
    assert exact(LAW, delta="0.1") == epsilon(LAW, delta="0.1")
    assert isinstance(exact(LAW, epsilon=0, direction=Direction.UP), Enclosure)


def test_shift_is_in_the_units_of_the_law():
    halves = FiniteLattice({0: "1/4", "1/2": "1/2", 1: "1/4"})
    whole = FiniteLattice({0: "1/4", 1: "1/2", 2: "1/4"})
    assert delta(halves, shift="0.5", epsilon=1) == delta(whole, shift=1, epsilon=1)


class Mystery(Law):
    name = "Mystery"
    log_concave = False

    def mean(self):
        raise AssertionError("not asked for")

    variance = mean


@cases(
    (lambda: delta(LAW, epsilon=-1), "epsilon = -1: need epsilon >= 0"),
    (lambda: delta(LAW, epsilon=[0, float("nan")]), "epsilon = nan: need epsilon >= 0"),
    (lambda: delta(LAW, epsilon="e"), "epsilon = e: need epsilon >= 0"),
    (
        lambda: delta(LAW, epsilon=np.zeros((2, 2))),
        "shape of epsilon = (2, 2): need a number or a 1-D array",
    ),
    (lambda: delta(LAW, epsilon=1, shift=0), "shift = 0: need shift > 0"),
    (lambda: delta(LAW, epsilon=1, shift=-2), "shift = -2: need shift > 0"),
    (lambda: delta(Normal(0, 1), epsilon=1, shift=0), "shift = 0: need shift > 0"),
    (
        lambda: delta(LAW, epsilon=1, direction="sideways"),
        "direction = sideways: need up, down or both",
    ),
    (lambda: epsilon(LAW, delta="1.5"), "delta = 1.5: need 0 <= delta <= 1"),
    (lambda: epsilon(LAW, delta=-0.1), "delta = -0.1: need 0 <= delta <= 1"),
    (
        lambda: exact(LAW, epsilon=1, delta=0.5),
        "(epsilon, delta) = (1, 0.5): need exactly one of the two",
    ),
    (lambda: exact(LAW), "(epsilon, delta) = (None, None): need exactly one of the two"),
    (lambda: delta(Mystery(), epsilon=1), "law = Mystery: need a lattice law or a normal law"),
    (lambda: delta(LAW, epsilon=1, relative_width=1), "< 1"),
    (lambda: delta(LAW, epsilon=1, relative_width=0), "relative_width = 0"),
)
def test_bad_input_is_one_clear_line(call, message):
    assert message in error_line(InvalidArgument, call)
