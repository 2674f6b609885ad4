"""Rounding is outward, and printed digits are the ones both ends share."""

from decimal import Decimal
from fractions import Fraction

import pytest
from cases import cases
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from kproof.errors import Undecided
from kproof.theory.exact.enclosure import Enclosure, hull
from kproof.theory.exact.precision import decide, floor_of, is_narrow, use_bits
from kproof.theory.exact.typed import as_arb

rationals = st.fractions() | st.builds(
    lambda m, e: Fraction(m) * Fraction(10) ** e, st.integers(), st.integers(-1200, 1200)
)


@given(rationals, st.integers(1, 40), st.integers(20, 300))
def test_the_decimals_contain_the_rational_they_came_from(value, digits, bits):
    with use_bits(bits):
        found = Enclosure.from_arb(as_arb(value), digits=digits)
    assert value in found
    assert Fraction(found.lower) <= value <= Fraction(found.upper)


@given(rationals)
def test_an_exact_rational_is_enclosed_to_the_last_digit(value):
    found = Enclosure.exactly(value)
    assert Fraction(found.lower) <= value <= Fraction(found.upper)
    assert found.relative_width <= 1e-23


def test_numbers_far_below_a_default_decimal_context():
    found = Enclosure.from_arb(arb(10) ** (-(10**7)) / 3)
    assert str(found) == "3.333333e-10000001"
    assert 0 < found.relative_width < 1e-13
    assert float(found) == 0.0


def test_clipping_keeps_a_probability_a_probability():
    assert Enclosure.from_arb(arb(0.5, 0.7), low=0, high=1) == Enclosure(Decimal(0), Decimal(1))


def test_infinity_is_an_end_and_nan_is_refused():
    found = Enclosure.from_arb(arb.pos_inf())
    assert found.upper == Decimal("Infinity")
    assert float(found) == float("inf")
    assert 10**9 not in found
    with pytest.raises(Undecided):
        Enclosure.from_arb(arb.nan())


@cases(
    ("0.5", "0.5", "0.5"),
    ("1.23456789e-1000", "1.23456790e-1000", "1.234568e-1000"),
    ("0.1", "0.2", "[0.1, 0.2]"),
    ("0", "1e-30", "[0, 1e-30]"),
    ("12345678", "12345678", "1.234568e+7"),
    ("1", "Infinity", "[1, Infinity]"),
)
def test_what_is_printed(lower, upper, shown):
    assert str(Enclosure(Decimal(lower), Decimal(upper))) == shown


def test_hull_holds_both():
    low, high = Enclosure.exactly(1), Enclosure.exactly(2)
    assert 1 in hull(low, high)
    assert 2 in hull(low, high)


def test_a_floor_is_decided_by_precision_not_by_the_midpoint():
    tiny = Fraction(1, 10**200)
    assert decide(lambda: floor_of(as_arb(3 - tiny)), "floor") == 2
    assert decide(lambda: floor_of(as_arb(3 + tiny)), "floor") == 3


def test_an_undecidable_question_is_said_to_be_one():
    with pytest.raises(Undecided, match="sign of nothing could not be decided at 65536 bits"):
        decide(lambda: None, "sign of nothing")


def test_narrowness_is_relative_and_an_exact_zero_is_narrow():
    assert is_narrow(arb(0), 0.0)
    assert not is_narrow(arb(0, 1e-300), 0.5)
    assert is_narrow(arb(1, 1e-13), 1e-12)
    assert not is_narrow(arb(1, 1e-12), 1e-12)
