"""Rows kept by coins, rare cells dropped: against brute force over tables, in fractions."""

import random
from collections import Counter
from collections.abc import Hashable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import product
from math import comb

import pytest
from cases import cases
from flint import arb
from nights import by_day

from kproof.errors import InvalidArgument
from kproof.theory.exact.precision import use_bits
from kproof.theory.exact.typed import as_arb
from kproof.theory.profiles import sampled, sampled_replaced
from kproof.theory.profiles.hidden_pairs import delta_of_hidden_pair
from kproof.theory.profiles.sampled import least_threshold, sampled_exact
from kproof.theory.profiles.sampled_replaced import delta_of_replacement

Release = dict[Hashable, Fraction]


def releases(table: tuple[str, ...], beta: Fraction, k: int) -> Release:
    """Every release of a table and its probability, by tossing a coin for every row."""
    chances: dict[Hashable, Fraction] = Counter()
    for coins in product((True, False), repeat=len(table)):
        kept = Counter(cell for cell, coin in zip(table, coins, strict=True) if coin)
        shown = frozenset((cell, count) for cell, count in kept.items() if count >= k)
        chances[shown] += beta ** sum(coins) * (1 - beta) ** (len(table) - sum(coins))
    return dict(chances)


def divergence(left: Release, right: Release, ratio: Fraction) -> Fraction:
    """The largest left(O) - ratio right(O) over all events O."""
    return sum(
        (max(Fraction(0), p - ratio * right.get(o, 0)) for o, p in left.items()), Fraction(0)
    )


def count(rows: int, beta: Fraction, k: int) -> Release:
    """The published count of one cell, by its definition."""
    law: dict[Hashable, Fraction] = Counter()
    for kept in range(rows + 1):
        mass = comb(rows, kept) * beta**kept * (1 - beta) ** (rows - kept)
        law[kept if kept >= k else "hidden"] += mass
    return dict(law)


@cases(
    (5, "1/10", 1, "2.78171817154095476e-5"),
    (5, "1/10", "0.2", "0.00146716447332420828"),
    (20, "1/10", 1, "2.76068725625299761e-15"),
    (50, "1/2", 1, "9.75254390647833221e-9"),
    (3, "1/2", "0.3", "0.143767649052999612"),
)
def test_values_computed_elsewhere(k, beta, epsilon, digits):
    value = sampled_exact(k, beta, epsilon=epsilon)  # type: ignore[arg-type]
    unit = Decimal(digits).scaleb(-17)
    assert value.lower - unit < Decimal(digits) < value.upper + unit
    assert value.relative_width < 1e-12


@cases(
    (5, Fraction(1, 10), Fraction(2), Fraction(1573, 20000000), None),
    (4, Fraction(1, 2), Fraction(3, 2), Fraction(3, 32), Fraction(31, 8192)),
)
def test_each_direction_at_rational_ratios(k, beta, ratio, up, down):
    with use_bits(256):
        epsilon = as_arb(ratio).log()
        assert sampled._WithTheRow(k, beta).at([epsilon])[0].delta.overlaps(as_arb(up))
        if down is not None:
            assert sampled._WithoutTheRow(k, beta).at([epsilon])[0].delta.overlaps(as_arb(down))


def test_the_supremum_over_all_sizes_is_attained_and_not_exceeded():
    draw = random.Random(29)
    for _ in range(by_day(30, at_night=300)):
        k, beta = draw.randint(1, 6), Fraction(draw.randint(1, 19), 20)
        ratio = 1 + Fraction(draw.randint(0, 80), draw.randint(20, 60))
        with use_bits(256):
            epsilon = as_arb(ratio).log()
            sides = sampled._WithTheRow(k, beta), sampled._WithoutTheRow(k, beta)
            up, down = (side.at([epsilon])[0].delta for side in sides)
        # Beyond the worst size values only fall: 40 sizes more would show a mistake of the place.
        sizes = range(1, int((k - 1) / (1 - (1 - beta) / ratio)) + 42)
        laws = [count(rows, beta, k) for rows in (0, *sizes)]
        ups = [divergence(laws[n], laws[n - 1], ratio) for n in sizes]
        assert up.overlaps(as_arb(max(ups))), (k, beta, ratio)
        downs = [divergence(laws[n - 1], laws[n], ratio) for n in sizes]
        below = 1 - (1 - beta) * ratio
        if below <= 0:
            assert max(downs) == 0
            # At e^ε = 1/(1 - β) itself, which no rational ε is, a ball does not decide.
            assert down == 0 or below == 0
        elif (k - 1) / below + 1 <= sizes[-1]:
            assert down.overlaps(as_arb(max(downs))), (k, beta, ratio)


def test_no_table_of_up_to_eight_rows_is_worth_less():
    draw = random.Random(8)
    for _ in range(60):
        rows = draw.randint(1, 8)
        table = tuple(draw.choice("abc") for _ in range(rows))
        k, beta = draw.randint(1, 3), Fraction(draw.randint(1, 9), 10)
        epsilon = Fraction(draw.randint(0, 15), 10)
        with use_bits(128):
            ratio = Fraction(
                int((as_arb(epsilon).exp() * 2**80).lower().floor().unique_fmpz()), 2**80
            )
        larger, smaller = releases(table, beta, k), releases(table[1:], beta, k)
        changed = releases((draw.choice("abc"), *table[1:]), beta, k)
        bound = Fraction(sampled_exact(k, beta, epsilon=epsilon).upper)
        slack = Fraction(1, 2**70)  # of the ratio, which is rounded down
        assert divergence(larger, smaller, ratio) <= bound + slack
        assert divergence(smaller, larger, ratio) <= bound + slack
        bound = Fraction(delta_of_replacement(k, beta, epsilon=epsilon).upper)
        assert divergence(larger, changed, ratio) <= bound + slack
        assert divergence(changed, larger, ratio) <= bound + slack


def test_a_pair_of_cells_equals_its_definition():
    draw = random.Random(9)
    for _ in range(by_day(40, at_night=400)):
        k, beta = draw.randint(1, 5), Fraction(draw.randint(1, 19), 20)
        ratio = 1 + Fraction(draw.randint(0, 60), draw.randint(10, 40))
        first, second = draw.randint(0, 9), draw.randint(0, 9)
        cells = [count(rows, beta, k) for rows in (first + 1, first, second, second + 1)]
        left, right = (
            {(x, y): p * q for (x, p), (y, q) in product(a.items(), b.items())}
            for a, b in ((cells[0], cells[2]), (cells[1], cells[3]))
        )
        with use_bits(200):
            value = delta_of_hidden_pair(
                sampled_replaced._cell(first, beta, k),
                sampled_replaced._cell(second, beta, k),
                as_arb(ratio),
            )
            assert value.overlaps(as_arb(divergence(left, right, ratio)))
            assert value.rad() < arb(2) ** -120


def test_a_mass_that_cannot_be_told_from_0_may_be_all_there_is():
    """Whatever the mass in the ball is, the value is in the answer."""
    with use_bits(200):
        open_mass = arb(0).union(arb("0.25"))
        cells = [sampled_replaced._cell(rows, Fraction(1, 2), 0) for rows in (2, 3)]
        shown = [mass if count else open_mass for count, mass in enumerate(cells[0].present.shown)]
        wide = replace(cells[0], present=replace(cells[0].present, shown=shown))
        value = delta_of_hidden_pair(wide, cells[1], arb(1))
        for exact in (0, "0.0625", "0.125", "0.25"):
            shown[0] = arb(exact)
            assert value.contains(delta_of_hidden_pair(wide, cells[1], arb(1)))


def test_replacing_a_row_costs_more_than_adding_one():
    value = delta_of_replacement(3, "1/2", epsilon="0.3")
    assert value.lower < Decimal("0.165246508723937234")
    assert value.upper > Decimal("0.165246508723937233")
    for k, beta, epsilon in ((5, "1/10", 1), (20, "1/2", 1), (3, "4/5", 0)):
        assert delta_of_replacement(k, beta, epsilon=epsilon).upper >= (
            sampled_exact(k, beta, epsilon=epsilon).lower
        )
    # Twice as much at β = 1/2, ε = 1, where one cell alone has nothing to tell downwards.
    twice = (
        delta_of_replacement(50, "1/2", epsilon=1).lower / sampled_exact(50, "1/2", epsilon=1).upper
    )
    assert Decimal("1.98") < twice < Decimal("1.99")


def test_the_floor_is_reached_and_no_epsilon_goes_below_it():
    assert Fraction(1, 8) in sampled_exact(3, "1/2", epsilon="0.41")
    assert Fraction(1, 8) in sampled_exact(3, "1/2", epsilon=50)
    assert Fraction(1, 8) in delta_of_replacement(3, "1/2", epsilon=50)
    assert not sampled_exact(3, "1/2", delta="0.1249").lower.is_finite()
    # ln(3/2), from which on δ is 1/8.
    knee = sampled_exact(3, "1/2", delta="1/8")
    assert knee.lower < Decimal("0.405465108108164381978013115") < knee.upper
    assert sampled_exact(1, "1/10", epsilon=3).relative_width < 1e-12
    assert Fraction(1, 10) in sampled_exact(1, "1/10", epsilon=3)


def test_inverses_come_back():
    for k, beta, delta in ((5, "1/10", "1e-4"), (58, "0.632", "1e-6"), (3, "1/2", "0.15")):
        epsilon = sampled_exact(k, beta, delta=delta)
        assert sampled_exact(k, beta, epsilon=epsilon.upper).lower <= Decimal(
            float(Fraction(delta))
        ) * (1 + Decimal("1e-9"))
        assert sampled_exact(k, beta, epsilon=epsilon.lower).upper >= Decimal(
            float(Fraction(delta))
        ) * (1 - Decimal("1e-9"))
    assert least_threshold("1/10", epsilon=1, delta="1e-9") == 12
    assert least_threshold("0.632", epsilon=1, delta="1e-6") == 58
    for k in (11, 12):
        assert (sampled_exact(k, "1/10", epsilon=1).upper <= Decimal("1e-9")) == (k == 12)


def test_beyond_what_can_be_listed():
    assert sampled_exact(10**4, "0.3", epsilon="0.1").relative_width < 1e-12
    assert sampled_exact(10**6, "0.632", epsilon="0.001").relative_width < 1e-12


@cases(
    ({"k": 0, "beta": "1/2", "epsilon": 1}, "1 <= k"),
    ({"k": 5, "beta": 1, "epsilon": 1}, "0 < beta < 1"),
    ({"k": 5, "beta": 0, "epsilon": 1}, "0 < beta < 1"),
    ({"k": 5, "beta": "1/2"}, "exactly one"),
    ({"k": 5, "beta": "1/2", "epsilon": -1}, "epsilon >= 0"),
)
def test_bad_input(arguments, need):
    with pytest.raises(InvalidArgument, match=need):
        sampled_exact(**arguments)  # type: ignore[arg-type]
