"""Rounding beside fractions: every step, every text."""

from collections import defaultdict
from decimal import Decimal
from fractions import Fraction
from math import floor

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kproof.models.judgement.cells.rounding import (
    TimeUnit,
    least_step,
    least_unit,
    round_texts,
    truncate_texts,
)

NUMBERS = st.decimals(-2000, 2000, places=2).map(str) | st.integers(-300, 300).map(str)
ROWS = st.lists(st.tuples(st.integers(0, 8), NUMBERS), min_size=1, max_size=20)
SHARES = st.fractions(0, Fraction(1, 2), max_denominator=12)


def multiple(text: str, step: Fraction) -> Fraction:
    return floor(Fraction(text) / step + Fraction(1, 2)) * step


def alone(rows: list[tuple[int, Fraction]]) -> Fraction:
    holders = defaultdict(set)
    for who, value in rows:
        holders[value].add(who)
    own = {next(iter(who)) for who in holders.values() if len(who) == 1}
    return Fraction(len(own), len({who for who, _ in rows}))


@given(ROWS, SHARES)
def test_the_least_step_is_the_first_that_is_enough(rows, most):
    texts = tuple(dict.fromkeys(text for _, text in rows))
    codes = np.array([texts.index(text) for _, text in rows])
    step = least_step(texts, codes, np.array([who for who, _ in rows]), most=most)
    decimals = max(len(text.partition(".")[2]) for text in texts)
    tried = [Fraction(unit * 10**e, 10**decimals) for e in range(8) for unit in (1, 2, 5)]
    enough = [
        one for one in tried if alone([(who, multiple(text, one)) for who, text in rows]) <= most
    ]
    if step is None:
        assert not enough
        return
    assert Fraction(step) == enough[0]
    for text, new in zip(texts, round_texts(texts, step), strict=True):
        assert Fraction(new) == multiple(text, Fraction(step))
        assert len(new.partition(".")[2]) <= max(decimals, len(text.partition(".")[2]))


def test_what_is_written():
    assert round_texts(["1234.50", "1234.5"], Decimal("0.01")) == ("1234.50", "1234.5")
    assert round_texts(["1234.50", "0.25", "-0.2"], Decimal("0.5")) == ("1234.5", "0.5", "0.0")
    rounded = round_texts(["149", "150", "n/a", "[1-2]"], Decimal(100))
    assert rounded == ("100", "200", "n/a", "[1-2]")
    assert round_texts([f"{10**60 + 4}"], Decimal(10)) == (f"{10**60}",)
    # One step more than fits in 64 bits.
    long = [f"{10**18}", "1"]
    assert round_texts(long, Decimal(10**19)) == ("0", "0")
    assert least_step(long, np.array([0, 1])) == Decimal(5 * 10**18)
    assert least_step(["5"], np.array([0]), None) is None
    assert least_step(["1.50", "1.51"], np.array([0, 1])) == Decimal("0.05")
    assert least_step(["x"], np.array([-1, -1])) == Decimal(1)


def test_times_are_shown_by_the_least_unit_that_is_enough():
    times = [f"2020-01-{1 + at // 24:02d}T{at % 24:02d}:30:{at % 60:02d}" for at in range(240)]
    codes = np.arange(240)
    assert least_unit(times, codes) is TimeUnit.DAY
    assert len(set(truncate_texts(times, TimeUnit.DAY))) == 10
    assert least_unit(times, codes, np.arange(240), most=Fraction(0)) is TimeUnit.DAY
    assert least_unit(times[:1], codes[:1]) is None
    months = truncate_texts(["2020-01-31 12:30", "31.01.2020", "2020-01"], TimeUnit.MONTH)
    assert months == ("2020-01", "31.01.2020", "2020-01")
