"""c' against the paper's own inequality, solved by bisection at 60 digits."""

from fractions import Fraction
from itertools import pairwise

import mpmath
import pytest
from cases import error_line

from kproof.errors import InvalidArgument
from kproof.theory.theorems.lemma1 import minimal_c


def printed_left_side(c: mpmath.mpf) -> mpmath.mpf:
    """(22), first line, as printed."""
    return mpmath.log((2 * c**2 - 1) / (2 * c)) + (4 * c**4 - 4 * c**2 + 1) / (8 * c**2)


@pytest.mark.parametrize("n", [1, 2, 7, 100, 196_591, 10**9, 10**15])
def test_the_closed_form_is_where_the_printed_inequality_turns(n):
    found = minimal_c(n=n)
    with mpmath.workdps(60):
        right = mpmath.log(mpmath.sqrt(n) / mpmath.sqrt(2 * mpmath.pi))
        nudge = mpmath.mpf(10) ** -20
        assert printed_left_side(mpmath.mpf(str(found.lower)) - nudge) < right
        assert printed_left_side(mpmath.mpf(str(found.upper)) + nudge) > right
    assert found.relative_width < 1e-20


def test_the_left_side_is_increasing_so_the_turning_point_is_the_infimum():
    grid = [mpmath.mpf("0.708") + mpmath.mpf(i) / 50 for i in range(400)]
    values = [printed_left_side(c) for c in grid]
    assert all(a < b for a, b in pairwise(values))


def test_delta1_and_n_are_two_names_of_one_thing():
    assert minimal_c(delta1="0.01") == minimal_c(n=10_000)


def test_many_at_once():
    assert minimal_c(n=range(3, 8)) == tuple(minimal_c(n=i) for i in range(3, 8))


@pytest.mark.parametrize("bad", [0, -5, "x", float("nan")])
def test_bad_input_is_named(bad):
    assert "n = " in error_line(InvalidArgument, minimal_c, n=bad)


def test_the_infimum_is_not_attained():
    c = Fraction(str(minimal_c(n=1000).lower))
    with mpmath.workdps(60):
        value = printed_left_side(mpmath.mpf(c.numerator) / c.denominator)
        assert not value > mpmath.log(mpmath.sqrt(1000) / mpmath.sqrt(2 * mpmath.pi))
