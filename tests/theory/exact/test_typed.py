"""A number means the decimal that was typed."""

import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from cases import cases, error_line
from hypothesis import given
from hypothesis import strategies as st

from kproof.errors import InvalidArgument
from kproof.theory.exact.precision import use_bits
from kproof.theory.exact.typed import as_arb, integer, rational


@cases(0.3, "0.3", "3/10", " 3 / 10 ", Decimal("0.3"), Fraction(3, 10), np.float64(0.3), "3e-1")
def test_every_spelling_of_three_tenths_is_three_tenths(typed):
    assert rational("p", typed) == Fraction(3, 10)


def test_a_narrow_float_is_read_at_its_own_width():
    assert rational("p", np.float32(0.3)) == Fraction(3, 10)


@pytest.mark.parametrize(
    "typed",
    [
        float("nan"), float("inf"), "nan", "inf", "", "1/0", "0x10", "1_000", "e5", "1e99999",
        True, None, [], "0.3.1", Decimal("NaN"), "٣", 1j,
    ],
)  # fmt: skip
def test_what_is_no_finite_number_is_refused_in_one_line(typed):
    assert re.search(
        r"^p (= .*|is not given): need 0 < p < 1",
        error_line(InvalidArgument, rational, "p", typed, above=0, below=1),
    )


@cases(
    ({"above": 0}, 0, "1e-9", "p > 0"),
    ({"least": 0}, -1, 0, "p >= 0"),
    ({"below": 1}, 1, 0.999, "p < 1"),
    ({"most": 1}, "1.0000000000000000000001", 1, "p <= 1"),
)
def test_ends_are_compared_exactly_and_named(limits, bad, good, phrase):
    rational("p", good, **limits)
    assert error_line(InvalidArgument, rational, "p", bad, **limits).endswith("need " + phrase)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_reads_back_as_itself(value):
    assert float(rational("x", value)) == value


@given(st.fractions())
def test_a_rational_is_inside_its_ball(value):
    ball = as_arb(value)
    with use_bits(2000):
        assert (ball * value.denominator).contains(as_arb(value.numerator))


def test_an_exponent_too_long_to_be_meant_is_named_as_the_fault():
    with pytest.raises(InvalidArgument, match="exponent of at most four digits"):
        rational("delta", "1e-10000", least=0, most=1)


def test_whole_numbers():
    assert integer("k", "3", least=1) == integer("k", 3.0) == integer("k", np.int64(3)) == 3
    with pytest.raises(InvalidArgument, match=r"k = 2.5: need a whole number 1 <= k <= 9"):
        integer("k", 2.5, least=1, most=9)
