"""Privacy losses against tables of rationals: deltas, epsilons, compositions, other worlds."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, pairwise, product

import loss_oracles as oracle
import pytest
from cases import cases
from hypothesis import given, settings
from hypothesis import strategies as st
from loss_oracles import EPSILONS, Masses, all_laws, delta_between, together

from kproof.errors import InvalidArgument
from kproof.theory import PrivacyLoss
from kproof.theory.exact.enclosure import Enclosure
from kproof.theory.laws import Binomial, FiniteLattice, MarkovChain, Normal, iid
from kproof.theory.laws.several_sums import several_sums
from kproof.theory.losses import Route, added, removed, replaced, secrets
from kproof.theory.losses.routes import grid_deltas, grid_inverses, grids_of
from kproof.theory.profiles.side import Goal

DICE: dict[object, Fraction] = {1: Fraction(1, 2), 2: Fraction(1, 3), 4: Fraction(1, 6)}
LAWS = all_laws(3, 4)
FEW = all_laws(3, 2)
MASSES = st.lists(
    st.integers(0, 40) | st.sampled_from([10**9, 10**25]), min_size=2, max_size=4
).filter(any)


def holds(found: Enclosure, first: Masses, second: Masses, epsilon: str) -> bool:
    low, high = delta_between(first, second, epsilon)
    return Fraction(found.lower) <= high and low <= Fraction(found.upper)


def on_grid(loss: PrivacyLoss, points: int = 1 << 10) -> list[Enclosure]:
    grids = grids_of(loss.releases, loss.direction, points)
    return grid_deltas(grids, [Fraction(epsilon) for epsilon in EPSILONS])


def law_of(counts: list[int]) -> dict[object, Fraction]:
    return {x: Fraction(count, sum(counts)) for x, count in enumerate(counts) if count}


def test_every_pair_of_small_laws():
    for first, second in product(LAWS, repeat=2):
        loss = PrivacyLoss.from_tables(first, second)
        for epsilon, found in zip(EPSILONS, loss.delta(EPSILONS), strict=True):
            assert holds(found, first, second, epsilon)
            assert found.relative_width <= 1e-12


def test_every_composition_of_smaller_laws():
    for first, second in combinations(FEW, 2):
        for third, fourth in combinations(FEW, 2):
            one, other = (
                PrivacyLoss.from_tables(first, second),
                PrivacyLoss.from_tables(third, fourth),
            )
            found = one.compose(other, randomness="disjoint").delta("0.3")
            assert holds(found, together(first, third), together(second, fourth), "0.3")


def test_the_grid_holds_what_enumeration_holds():
    for first, second in combinations(LAWS, 2):
        loss = PrivacyLoss.from_tables(first, second).power(3, randomness="disjoint")
        exact = together(first, first, first), together(second, second, second)
        for epsilon, found in zip(EPSILONS, on_grid(loss), strict=True):
            assert holds(found, *exact, epsilon)


@settings(max_examples=40, deadline=None)
@given(MASSES, MASSES, MASSES, MASSES, st.integers(1, 3))
def test_drawn_compositions_by_both_routes(a, b, c, d, times):
    one, two, three, four = map(law_of, (a, b, c, d))
    loss = PrivacyLoss.from_tables(one, two).power(times, randomness="disjoint")
    loss = loss.compose(PrivacyLoss.from_tables(three, four), randomness="disjoint")
    worlds = together(*[one] * times, three), together(*[two] * times, four)
    for epsilon, found, rough in zip(EPSILONS, loss.delta(EPSILONS), on_grid(loss), strict=True):
        assert holds(found, *worlds, epsilon)
        assert holds(rough, *worlds, epsilon)


def test_thousand_randomized_responses_by_both_routes():
    truth = {"yes": "3/4", "no": "1/4"}, {"yes": "1/4", "no": "3/4"}
    loss = PrivacyLoss.from_tables(*truth).power(1000, randomness="disjoint")
    assert loss.route is Route.ENUMERATION
    grids = grids_of(loss.releases, loss.direction, 1 << 18)
    epsilons = [Fraction(e) for e in (300, 600, 1098, 1100)]
    for sharp, rough in zip(loss.delta(epsilons), grid_deltas(grids, epsilons), strict=True):
        assert rough.lower <= sharp.upper
        assert sharp.lower <= rough.upper
        assert rough.relative_width < 0.1
    targets = [Fraction(1, 10**digits) for digits in (1, 60)]
    near = grid_inverses(loss.releases, loss.direction, grids, targets, Goal(1e-12))
    for sharp, rough in zip(loss.epsilon(targets), near, strict=True):
        assert rough.lower <= sharp.upper
        assert sharp.lower <= rough.upper
        assert rough.relative_width < 1e-3


def test_the_grid_against_the_closed_form_of_normal_laws():
    loss = PrivacyLoss.from_law(Normal(0, 1), shift="0.2").power(20, randomness="disjoint")
    assert loss.route is Route.CLOSED_FORM
    assert not loss.assumption
    for epsilon, rough in zip(EPSILONS, on_grid(loss, 1 << 16), strict=True):
        sharp = loss.delta(epsilon)
        assert rough.lower <= sharp.upper
        assert sharp.lower <= rough.upper
        assert rough.relative_width < 1e-2


def test_a_sampled_normal_law_against_its_integral():
    def phi(z: float) -> float:
        return math.erfc(-z / math.sqrt(2)) / 2

    loss = PrivacyLoss.from_law(Normal(0, 1)).mixture("1/10", victim="first")
    assert "Fourier" in loss.assumption
    assert loss.to_dict()["assumption"] == loss.assumption
    for epsilon in (0.0, 0.05, 0.4):
        # With the victim above 0 (first world shifted down by one): P = N(-1, 1) against N(0, 1).
        scale = math.exp(epsilon)
        cut = -math.log((scale - 0.9) / 0.1) - 0.5
        up = 0.1 * phi(cut + 1) + (0.9 - scale) * phi(cut)
        down = 0.0
        if 1 - 0.9 * scale > 0:
            cut = -math.log((1 / scale - 0.9) / 0.1) - 0.5
            down = (1 - 0.9 * scale) * (1 - phi(cut)) - 0.1 * scale * (1 - phi(cut + 1))
        found = loss.delta(repr(epsilon), points=1 << 16)
        truth = max(up, down)
        assert float(found.lower) - 1e-12 <= truth <= float(found.upper) + 1e-12
        assert found.relative_width < 1e-2


def test_epsilon_is_where_delta_falls_to_its_target():
    for first, second in combinations(LAWS, 2):
        answer = PrivacyLoss.from_tables(first, second).epsilon("1/10")
        if answer.upper.is_finite():
            assert delta_between(first, second, str(answer.upper))[0] <= Fraction(1, 10)
        if answer.lower > 0:
            low = "30" if answer.lower.is_infinite() else str(answer.lower)
            assert delta_between(first, second, low)[1] >= Fraction(1, 10)


def test_pure_loss_is_the_largest_ratio():
    for first, second in combinations(LAWS, 2):
        found = PrivacyLoss.from_tables(first, second).epsilon(0)
        if first.keys() != second.keys():
            assert found.lower == Decimal("Infinity")
            continue
        ratio = max(max(first[x] / second[x], second[x] / first[x]) for x in first)
        assert float(found.lower) <= math.log(ratio) * (1 + 1e-15) + 1e-300
        assert math.log(ratio) * (1 - 1e-15) <= float(found.upper)


def test_sampling_the_victim():
    rate = Fraction(1, 5)
    for first, second in combinations(LAWS, 2):
        loss = PrivacyLoss.from_tables(first, second)
        inside = oracle.mixed(rate, first, second), second
        assert holds(loss.mixture(rate, victim="first").delta("0.3"), *inside, "0.3")
        outside = first, oracle.mixed(rate, second, first)
        assert holds(loss.mixture(rate, victim="second").delta("0.1"), *outside, "0.1")
    loss = PrivacyLoss.from_tables(first, second)
    assert loss.mixture(1, victim="first") == loss
    assert loss.mixture(0, victim="first").delta(0).upper == 0


def test_composition_of_sampled_releases():
    first, second = DICE, {1: Fraction(1, 4), 2: Fraction(1, 4), 3: Fraction(1, 2)}
    sampled = PrivacyLoss.from_tables(first, second).mixture("1/3", victim="first")
    mixed = oracle.mixed(Fraction(1, 3), first, second)
    twice = sampled.power(2, randomness="disjoint")
    for epsilon, found, rough in zip(EPSILONS, twice.delta(EPSILONS), on_grid(twice), strict=True):
        assert holds(found, together(mixed, mixed), together(second, second), epsilon)
        assert holds(rough, together(mixed, mixed), together(second, second), epsilon)


def test_sums_with_a_value_replaced_added_or_removed():
    others, law = iid(FiniteLattice(DICE), 3), oracle.summed(DICE, DICE, DICE)
    for epsilon in EPSILONS:
        for before, after in ((0, 3), (4, 1), (2, 2)):
            found = replaced(others, before, after).delta(epsilon)
            assert holds(found, oracle.moved(law, before), oracle.moved(law, after), epsilon)
        for loss in (added(others, 2), removed(others, 2)):
            assert holds(loss.delta(epsilon), law, oracle.moved(law, 2), epsilon)
        group = PrivacyLoss.from_law(others, shift=1).group(3)
        assert holds(group.delta(epsilon), law, oracle.moved(law, 3), epsilon)


def test_added_is_removed_seen_from_the_other_world():
    others = iid(FiniteLattice(DICE), 2)
    law = oracle.summed(DICE, DICE)
    scale = oracle.exp_between("0.3")
    low, high = (oracle.one_way(law, oracle.moved(law, 3), end) for end in scale[::-1])
    for found in (
        added(others, 3, direction="up").delta("0.3"),
        removed(others, 3, direction="down").delta("0.3"),
    ):
        assert Fraction(found.lower) <= high
        assert low <= Fraction(found.upper)


def test_secrets_of_a_chain():
    stay = {0: Fraction(2, 3), 1: Fraction(3, 4)}
    chain = MarkovChain(["1/2", "1/2"], [["2/3", "1/3"], ["1/4", "3/4"]], [0, 1], 5)
    worlds: list[dict[object, Fraction]] = [{}, {}]
    for states in product((0, 1), repeat=5):
        mass = Fraction(1, 2)
        for a, b in pairwise(states):
            mass *= stay[a] if a == b else 1 - stay[a]
        world = worlds[states[2]]
        world[sum(states)] = world.get(sum(states), Fraction(0)) + mass
    first, second = ({x: m / sum(w.values()) for x, m in w.items()} for w in worlds)
    for epsilon, found in zip(EPSILONS, secrets(chain, 2, (0, 1)).delta(EPSILONS), strict=True):
        assert holds(found, first, second, epsilon)
    assert secrets(chain, 2, (1, 1)).delta(0).upper == 0


def test_several_sums_of_the_same_records():
    sums = several_sums(FiniteLattice(DICE), [range(3), range(1, 4)], n=4)
    worlds: list[dict[object, Fraction]] = [{}, {}]
    for drawn in product(DICE, repeat=4):
        mass = math.prod((DICE[x] for x in drawn), start=Fraction(1))
        for world, extra in zip(worlds, (0, 1), strict=True):
            seen = (drawn[0] + drawn[1] + drawn[2], drawn[1] + extra + drawn[2] + drawn[3])
            seen = (seen[0] + extra, seen[1])
            world[seen] = world.get(seen, Fraction(0)) + mass
    cell = next(cell for cell in sums.cells if cell.sums == (0, 1))
    loss = PrivacyLoss.from_sums(sums, cell)
    for epsilon in EPSILONS:
        assert holds(loss.delta(epsilon), *worlds, epsilon)


def test_trade_off_against_neyman_and_pearson():
    alphas = [Fraction(i, 20) for i in range(21)]
    for first, second in [*combinations(LAWS[::2], 2), (LAWS[3], LAWS[4])]:
        loss = PrivacyLoss.from_tables(first, second)
        for tested, (null, other) in (("first", (first, second)), ("second", (second, first))):
            curve = loss.trade_off([Fraction(i, 4) for i in range(20)], tested=tested)
            for alpha, found in zip(alphas, curve.at(alphas), strict=True):
                assert most_powerful(null, other, alpha) in found


def most_powerful(null: Masses, other: Masses, alpha: Fraction) -> Fraction:
    """Return the error of the second kind of the test that rejects where the ratio is largest."""
    places = sorted(
        {*null, *other},
        key=lambda x: other.get(x, 0) / null[x] if null.get(x) else math.inf,
        reverse=True,
    )
    beta, left = Fraction(1), alpha
    for x in places:
        mass = null.get(x, Fraction(0))
        share = min(Fraction(1), left / mass) if mass else Fraction(1)
        beta -= share * other.get(x, Fraction(0))
        left -= share * mass
    return beta


def test_trade_off_of_normal_laws_is_narrow():
    curve = PrivacyLoss.from_law(Normal(0, 1)).trade_off()
    # Φ(Φ^-1(1 - α) - 1) at α = Φ(-1): Φ(0) = 1/2.
    found = curve.at(math.erfc(1 / math.sqrt(2)) / 2)
    assert found.lower < Decimal("0.5") < found.upper
    assert found.relative_width < 1e-2


def test_renyi_against_direct_sums():
    for first, second in combinations(LAWS, 2):
        loss = PrivacyLoss.from_tables(first, second).power(2, randomness="disjoint")
        for alpha in (1, 1.5, 2, 7):
            found = loss.renyi(alpha)
            if first.keys() != second.keys():
                assert found.lower == Decimal("Infinity")
            else:
                truth = 2 * max(renyi(first, second, alpha), renyi(second, first, alpha))
                assert float(found) == pytest.approx(truth, rel=1e-9, abs=1e-12)
                assert found.relative_width <= 1e-12


def renyi(first: Masses, second: Masses, alpha: float) -> float:
    if alpha == 1:
        return sum(float(p) * math.log(p / second[x]) for x, p in first.items())
    terms = (float(p) ** alpha * float(second[x]) ** (1 - alpha) for x, p in first.items())
    return math.log(sum(terms)) / (alpha - 1)


def test_zcdp_against_a_search():
    orders = [1 + 2.0 ** (i / 8) for i in range(-80, 80)]
    for first, second in combinations(LAWS, 2):
        if first.keys() != second.keys():
            assert PrivacyLoss.from_tables(first, second).zcdp().lower == Decimal("Infinity")
            continue
        found = PrivacyLoss.from_tables(first, second).zcdp()
        searched = max(
            renyi(*pair, order) / order
            for pair in ((first, second), (second, first))
            for order in [1, *(order for order in orders if order < 200)]
        )
        assert searched <= float(found.upper) * (1 + 1e-9)
        assert float(found.lower) <= searched * 1.01
        assert found.relative_width <= 1e-6
    assert PrivacyLoss.from_law(Normal(0, 4), shift=2).zcdp() == Enclosure.exactly(Fraction(1, 2))
    mixed = PrivacyLoss.from_law(Normal(0, 1)).compose(
        PrivacyLoss.from_tables({0: "1/2", 1: "1/2"}, {0: "1/3", 1: "2/3"}), randomness="disjoint"
    )
    both = renyi({0: Fraction(1, 3), 1: Fraction(2, 3)}, {0: Fraction(1, 2), 1: Fraction(1, 2)}, 2)
    assert float(mixed.renyi(2)) == pytest.approx(1 + max(both, float(mixed.renyi(2)) - 1))


def test_nothing_is_lost_when_nothing_changes():
    loss = PrivacyLoss.from_tables(DICE, DICE)
    assert loss.count == 0
    assert loss.delta([0, 1]) == (Enclosure.exactly(0),) * 2
    assert loss.epsilon(0).upper == loss.zcdp().upper == loss.renyi(3).upper == 0
    assert Fraction(3, 4) in loss.trade_off().at("0.25")


@cases(
    (lambda x: x.compose(x, randomness="shared"), "randomness = shared: need disjoint"),
    (lambda x: x.power(2, randomness="unknown"), "randomness = unknown"),
    (lambda x: x.power(0, randomness="disjoint"), "times = 0"),
    (lambda x: x.group(2), "size = 2: need 1"),
    (lambda x: x.mixture(2, victim="first"), "rate = 2"),
    (lambda x: x.mixture("1/2", victim="both"), "victim = both"),
    (lambda x: x.power(2, randomness="disjoint").mixture("1/2", victim="first"), "need one"),
    (lambda x: x.renyi("1/2"), "alpha = 1/2"),
    (lambda x: x.delta(-1), "epsilon = -1"),
    (lambda x: x.delta(0, points=3), "points = 3"),
    (lambda x: x.trade_off(tested="third"), "tested = third"),
    (lambda x: PrivacyLoss.from_tables({0: 1}, {0: "0.9"}), "sum of second = 9/10"),
    (lambda x: PrivacyLoss.from_law(Normal(0, 1), shift=0), "shift = 0"),
    (lambda x: PrivacyLoss.from_law(3), "law = 3"),
    (lambda x: secrets(Binomial(3, "1/2"), 0, (0, 1)), "law ="),
)
def test_bad_input(action, message):
    loss = PrivacyLoss.from_tables({0: "1/4", 1: "3/4"}, {0: "1/2", 1: "1/2"})
    assert callable(action)
    with pytest.raises(InvalidArgument, match=message):
        action(loss)
