"""Histograms, paths, least laws and noise: golden values, and brute force over small data sets."""

import random
from collections.abc import Hashable
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise, product
from math import exp, factorial

import pytest
from flint import arb
from histogram_oracles import divergence, histogram
from nights import by_day

from kproof.errors import InvalidArgument
from kproof.theory.exact.enclosure import Enclosure
from kproof.theory.exact.precision import use_bits
from kproof.theory.exact.typed import as_arb
from kproof.theory.laws import FiniteLattice, empirical
from kproof.theory.losses.coins import CoinsPair
from kproof.theory.losses.products import order_atoms
from kproof.theory.losses.products import product as composed
from kproof.theory.profiles.least_law import LeastLaw, least_law_delta
from kproof.theory.profiles.least_law import _between as least_between
from kproof.theory.profiles.noisy import AddedNoise, NoiseKind, noisy_delta
from kproof.theory.profiles.two_cells import Others, two_cell_delta, two_cells
from kproof.theory.profiles.worst_cells import unknown_total, worst_cells

HALF = Fraction(1, 2)
COIN = FiniteLattice({0: "1/2", 1: "1/2"})


def belief(draw: random.Random, cells: str, *, zero: bool = False) -> dict[str, Fraction]:
    """A random law over cells, with probabilities of 0 among them or not."""
    weights = [draw.randint(0 if zero else 1, 6) for _ in cells]
    weights[-1] += not sum(weights)
    return {
        cell: Fraction(weight, sum(weights)) for cell, weight in zip(cells, weights, strict=True)
    }


def some_ratio(draw: random.Random) -> Fraction:
    return 1 + Fraction(draw.randint(0, 60), draw.randint(15, 60))


def digits(value: Enclosure, printed: str) -> bool:
    """Whether an enclosure is narrow around 18 digits that were computed elsewhere."""
    unit = Decimal(1).scaleb(Decimal(printed).adjusted() - 16)
    return value.lower - unit < Decimal(printed) < value.upper + unit and (
        value.relative_width < 1e-12
    )


def test_values_computed_elsewhere():
    pair = two_cells([Others(1000, Fraction("0.02"), Fraction("0.03"))], epsilon="0.5")
    assert digits(pair.first, "0.00594475388117713088")
    assert digits(pair.second, "0.00828695358455449739")
    pair = two_cells([Others(1000, Fraction("0.004"), Fraction("0.006"))], epsilon=1, k=10)
    assert digits(pair.first, "0.00329453759569965369")
    assert digits(pair.second, "0.0159437856764958346")
    pair = unknown_total("0.2", 30, epsilon="0.5", k=5)
    assert digits(pair.first, "9.98550750095566084e-4")
    assert digits(pair.second, "3.15614964433066975e-5")
    laplace = AddedNoise(NoiseKind.LAPLACE, Fraction(1))
    coins = LeastLaw(COIN, Fraction(3, 10), 100)
    assert digits(noisy_delta(laplace, coins, epsilon="0.5"), "0.0115615396046077324")


def test_fractions_computed_elsewhere():
    others = [
        Others(1, HALF, Fraction(1, 4)),
        Others(1, Fraction(1, 10), Fraction(3, 5)),
        Others(1, Fraction(1, 3), Fraction(1, 3)),
        Others(1, Fraction(0), HALF),
    ]
    law = FiniteLattice({0: "1/6", 1: "1/3", 2: "1/3", 3: "1/6"})
    with use_bits(256):
        assert two_cell_delta(others, as_arb(Fraction(3, 2)), 1, 64).overlaps(
            as_arb(Fraction(7, 15))
        )
        epsilon = as_arb(Fraction(3, 2)).log()
        pair = least_law_delta(
            [LeastLaw(law, Fraction(3, 4), 4)],
            epsilon=Fraction(str(epsilon.str(40, radius=False))),
            shift=2,
        )
        assert pair.lower - Decimal("1e-12") < Decimal(2831) / 8192 < pair.upper + Decimal("1e-12")
        edges = [CoinsPair((Others(n, HALF, HALF),)).sides(None)[0] for n in (3, 2)]
        value = order_atoms(composed([(edge, 1) for edge in edges]), lambda: None).at(
            [arb(2).log()]
        )[0]
        assert value.delta.overlaps(as_arb(Fraction(15, 32)))


def test_a_histogram_of_one_law_is_what_the_closed_form_says():
    draw = random.Random(3)
    for _ in range(by_day(150, at_night=1500)):
        n, k, ratio = draw.randint(0, 5), draw.randint(1, 4), some_ratio(draw)
        cells = draw.choice(("ab", "abc"))
        law = belief(draw, cells)
        exact = divergence(histogram([law] * n, "a", k), histogram([law] * n, "b", k), ratio)
        with use_bits(192):
            value = two_cell_delta([Others(n, law["a"], law["b"])], as_arb(ratio), k, 64)
        # With a third cell the total may be hidden as well.
        assert value.rad() < 1e-15
        if k == 1 or cells == "ab":
            assert value.overlaps(as_arb(exact)), (n, k, ratio, law)
        else:
            assert value.upper() >= as_arb(exact).lower(), (n, k, ratio, law)


def test_unequal_laws_are_bounded_and_equal_where_the_others_are_seen():
    draw = random.Random(4)
    attained = 0
    for _ in range(by_day(120, at_night=1200)):
        laws = [belief(draw, "abc", zero=True) for _ in range(draw.randint(1, 4))]
        k, ratio = draw.randint(1, 3), some_ratio(draw)
        exact = divergence(histogram(laws, "a", k), histogram(laws, "b", k), ratio)
        others = [Others(1, law["a"], law["b"]) for law in laws if law["a"] or law["b"]]
        with use_bits(192):
            value = two_cell_delta(others, as_arb(ratio), k, 64)
            assert value.upper() >= as_arb(exact).lower(), (laws, k, ratio)
            # Whoever is elsewhere is there by a cell of his own: the labels are seen.
            apart = [
                {"a": law["a"], "b": law["b"], f"own {i}": law["c"]} for i, law in enumerate(laws)
            ]
            seen = divergence(histogram(apart, "a", 1), histogram(apart, "b", 1), ratio)
            told_all = two_cell_delta(others, as_arb(ratio), 1, 64)
            assert told_all.overlaps(as_arb(seen))
            attained += bool(told_all.overlaps(as_arb(exact)))
    assert attained > by_day(10, at_night=100)


def test_unknown_numbers_of_rows_equal_the_sums_of_both_cells():
    draw = random.Random(5)
    for _ in range(60):
        rates = [Fraction(draw.randint(1, 60), draw.randint(5, 20)) for _ in range(2)]
        k, epsilon = draw.randint(1, 6), Fraction(draw.randint(0, 20), 10)

        def shown(rate: Fraction, more: int, k: int) -> dict[object, float]:
            law: dict[object, float] = {}
            for count in range(120):
                mass = exp(-rate) * float(rate) ** count / factorial(count)
                label = count + more if count + more >= k else "hidden"
                law[label] = law.get(label, 0.0) + mass
            return law

        left = product(shown(rates[0], 1, k).items(), shown(rates[1], 0, k).items())
        first = {(a, b): p * q for (a, p), (b, q) in left}
        right = product(shown(rates[0], 0, k).items(), shown(rates[1], 1, k).items())
        second = {(a, b): p * q for (a, p), (b, q) in right}
        scale = exp(epsilon)
        up = sum(max(0.0, p - scale * second.get(o, 0.0)) for o, p in first.items())
        down = sum(max(0.0, p - scale * first.get(o, 0.0)) for o, p in second.items())
        value = unknown_total(*rates, epsilon=epsilon, k=k)
        assert float(value.first) == pytest.approx(up, rel=1e-9, abs=1e-15)
        assert float(value.second) == pytest.approx(down, rel=1e-9, abs=1e-15)


def test_the_worst_pair_is_the_worst():
    draw = random.Random(6)
    for _ in range(by_day(8, at_night=60)):
        law = belief(draw, "abcdef")
        n, k = draw.choice((3, 12, 60)), draw.choice((1, 2, 5))
        epsilon, public = Fraction(draw.randint(0, 10), 10), draw.random() < 0.5
        worst = worst_cells(law, others=n, epsilon=epsilon, k=k, public=public)
        pairs = [
            (
                two_cells([Others(n, law[a], law[b])], epsilon=epsilon, k=k)
                if public
                else unknown_total(n * law[a], n * law[b], epsilon=epsilon, k=k)
            ).first
            for a, b in product(law, law)
            if a != b
        ]
        largest = max(pair.upper for pair in pairs)
        assert worst.delta.upper >= largest * (1 - Decimal("1e-9"))
        if worst.certain:
            assert worst.delta.lower <= largest
            assert worst.delta.relative_width < 1e-9


def test_the_two_rarest_cells_are_the_worst_of_a_real_table():
    shares = {"a": Fraction(109, 32561), "b": Fraction(119, 32561), "c": Fraction(32333, 32561)}
    worst = worst_cells(shares, others=32560, epsilon="0.1")
    assert worst.cells == ("b", "a")
    assert round(float(worst.delta), 4) == 0.0182
    hidden = {"rare": Fraction(1, 1000), "some": Fraction(1, 30), "most": Fraction(2897, 3000)}
    shown = worst_cells(hidden, others=500, epsilon="0.5")
    assert worst_cells(hidden, others=500, epsilon="0.5", k=5).delta.upper < shown.delta.lower


def test_a_path_is_what_its_histogram_tells():
    draw = random.Random(7)
    for _ in range(by_day(30, at_night=300)):
        chain = "abcd"[: draw.randint(3, 4)]
        records = []
        for left, right in pairwise(chain):
            theta = Fraction(draw.randint(1, 5), 6)
            records += [{left: theta, right: 1 - theta}] * draw.randint(0, 2)
        ratio = some_ratio(draw)
        exact = divergence(histogram(records, chain[0]), histogram(records, chain[-1]), ratio)
        edges = [
            tuple(
                Others(records.count(law), law[left], law[right])
                for law in {tuple(law.items()): law for law in records}.values()
                if left in law and right in law
            )
            for left, right in pairwise(chain)
        ]
        with use_bits(192):
            sides = [(CoinsPair(others).sides(None)[0], 1) for others in edges]
            value = order_atoms(composed(sides), lambda: None).at([as_arb(ratio).log()])[0].delta
            assert value.overlaps(as_arb(exact)), (records, ratio)


def test_records_that_depend_on_their_neighbours_are_below_their_least_law():
    draw = random.Random(9)
    for _ in range(150):
        start = belief(draw, "012")
        steps = {state: belief(draw, "012") for state in "012"}
        length, shift, ratio = 5, draw.randint(1, 2), some_ratio(draw)
        joint = {}
        for states in product("012", repeat=length):
            mass = start[states[0]]
            for before, after in pairwise(states):
                mass *= steps[before][after]
            joint[states] = mass
        law: dict[Hashable, Fraction] = {}
        for states, mass in joint.items():
            total = sum(map(int, states))
            law[total] = law.get(total, Fraction(0)) + mass
        moved: dict[Hashable, Fraction] = {value + shift: mass for value, mass in law.items()}  # type: ignore[operator]
        exact = max(divergence(law, moved, ratio), divergence(moved, law, ratio))
        # Records 1 and 3 given their neighbours: the least probability of each value.
        least = {
            value: min(
                steps[before][value]
                * steps[value][after]
                / sum(steps[before][other] * steps[other][after] for other in "012")
                for before in "012"
                for after in "012"
            )
            for value in "012"
        }
        share = sum(least.values(), Fraction(0))
        kappa = FiniteLattice({int(value): mass / share for value, mass in least.items()})
        with use_bits(192):
            _, upper = least_between(
                [LeastLaw(kappa, share, 2)],
                Fraction(as_arb(ratio).log().mid().str(40, radius=False)),
                Fraction(shift),
                64,
                {},
            )
            assert upper > as_arb(exact) - arb(2) ** -60, (start, steps)


def test_numbers_of_draws_that_are_left_out_count_in_full():
    """At this ε a sum of j draws is worth q^j; a quarter of that is beyond a tail of 2^-64."""
    q = Fraction(1, 64)
    uniform = FiniteLattice(dict.fromkeys(range(64), q))
    value = least_law_delta([LeastLaw(uniform, 1 - q, 20)], epsilon=8)
    assert Fraction(value.lower) <= (q + (1 - q) * q) ** 20 <= Fraction(value.upper)


@pytest.mark.parametrize("kind", NoiseKind)
def test_noise_equals_a_long_sum(kind):
    draw = random.Random(10)
    for _ in range(60):
        noise = AddedNoise(kind, Fraction(draw.randint(1, 8), 4))
        law = FiniteLattice(dict(enumerate(belief(draw, "abc").values())))
        n, shift, epsilon = draw.randint(0, 4), draw.randint(1, 3), draw.randint(0, 15) / 10
        data = {0: 1.0}
        for _ in range(n):
            step: dict[int, float] = {}
            for x, p in data.items():
                for point, mass in law.atoms:
                    step[x + int(point)] = step.get(x + int(point), 0.0) + p * float(mass)
            data = step
        weights = {
            z: exp(
                -noise.parameter * abs(z)
                if kind is NoiseKind.LAPLACE
                else -z * z / (2 * noise.parameter)
            )
            for z in range(-300, 301)
        }
        whole = sum(weights.values())
        both: dict[int, float] = {}
        for x, p in data.items():
            for z, weight in weights.items():
                both[x + z] = both.get(x + z, 0.0) + p * weight / whole
        scale = exp(epsilon)
        worst = max(
            sum(max(0.0, p - scale * both.get(y + way * shift, 0.0)) for y, p in both.items())
            for way in (1, -1)
        )
        answer = noisy_delta(
            noise, LeastLaw(law, Fraction(1), n), epsilon=str(epsilon), shift=shift
        )
        assert float(answer) == pytest.approx(worst, rel=1e-8, abs=1e-12)


def test_noise_and_data_are_better_than_either():
    for n, b, rate, epsilon in ((100, "0.3", 1, "0.5"), (1000, "0.05", "0.5", "0.25")):
        noise = AddedNoise(NoiseKind.LAPLACE, Fraction(rate))
        coins = LeastLaw(COIN, Fraction(b), n)
        both = noisy_delta(noise, coins, epsilon=epsilon)
        assert both.upper < noisy_delta(noise, None, epsilon=epsilon).lower
        assert both.upper < noisy_delta(None, coins, epsilon=epsilon).lower


def test_a_least_law_is_near_the_exact_value_where_blocks_are_far():
    # Ages between 17 and 90 of which fewer are old, as in Adult, moved by all their range.
    ages = empirical([age for age in range(17, 91) for _ in range(max(1, 73 - abs(age - 33)))])
    rows = by_day(100, at_night=300)
    exact = least_law_delta([LeastLaw(ages, Fraction(1), rows)], epsilon=1, shift=73)
    near = least_law_delta([LeastLaw(ages, Fraction(19, 20), rows)], epsilon=1, shift=73)
    assert exact.upper < near.lower < near.upper < 3 * exact.lower


def test_bad_input():
    with pytest.raises(InvalidArgument, match="probabilities whose sum"):
        two_cells([Others(3, Fraction(2, 3), HALF)], epsilon=1)
    halves = FiniteLattice({Fraction(0): "1/2", HALF: "1/2"})
    with pytest.raises(InvalidArgument, match="whole values"):
        noisy_delta(None, LeastLaw(halves, HALF, 3), epsilon=1)
    with pytest.raises(InvalidArgument, match="mass of a"):
        worst_cells({"a": Fraction(0), "b": Fraction(1)}, others=3, epsilon=1)
    with pytest.raises(InvalidArgument, match="records <= 10000000"):
        two_cells([Others(10**8, HALF, HALF)], epsilon=1)
