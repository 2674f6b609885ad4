"""Block bounds beside exact values of every law on a small support, and what they refuse."""

from collections import defaultdict
from fractions import Fraction
from itertools import combinations_with_replacement, product

import networkx as nx
import pytest
from cases import cases
from hypothesis import given, settings
from hypothesis import strategies as st
from nights import by_day, spread

from kproof.errors import Infeasible, InvalidArgument
from kproof.theory import Adversary
from kproof.theory.laws import FiniteLattice, IndependentBlocks, IndependentSum, MarkovChain, iid
from kproof.theory.laws.fields import MarkovField
from kproof.theory.laws.typed_mass import masses_in_groups, masses_on_field
from kproof.theory.profiles import delta
from kproof.theory.theorems.blocks import STATEMENTS, BlockBound, block_bound
from kproof.theory.theorems.design import design

EPSILONS = (Fraction(0), Fraction(1, 5), Fraction(1))


def powers(epsilon: Fraction) -> tuple[Fraction, Fraction]:
    """Return rationals below and above e^ε."""
    power = term = Fraction(1)
    for place in range(1, 40):
        term *= epsilon / place
        power += term
    return power, power + Fraction(1, 10**20)


def hockey_stick(law: dict[int, Fraction], shift: int, scale: Fraction) -> Fraction:
    """Return the larger of both directions, by listing."""
    there, back = (
        sum(
            (max(p - scale * law.get(x - by, Fraction(0)), Fraction(0)) for x, p in law.items()),
            Fraction(0),
        )
        for by in (shift, -shift)
    )
    return max(there, back)


def sum_of(laws: list[dict[int, Fraction]]) -> dict[int, Fraction]:
    """Return the law of a sum of independent records."""
    total = {0: Fraction(1)}
    for law in laws:
        more: dict[int, Fraction] = defaultdict(Fraction)
        for x, p in total.items():
            for y, q in law.items():
                more[x + y] += p * q
        total = more
    return total


def lattice(law: dict[int, Fraction]) -> FiniteLattice:
    return FiniteLattice({x: p for x, p in law.items() if p})


def require_above(found: BlockBound, law: dict[int, Fraction], shift: int) -> None:
    """Assert that a bound is no less than the truth, decided in rationals."""
    _, above = powers(Fraction(found.epsilon.upper))
    assert Fraction(found.delta.upper) >= hockey_stick(law, shift, above)


def all_laws(points: int, parts: int) -> list[dict[int, Fraction]]:
    """Return every law on 0, ..., points - 1 whose masses are multiples of 1/parts."""
    return [
        {x: Fraction(number, parts) for x, number in enumerate(numbers)}
        for numbers in product(range(parts + 1), repeat=points)
        if sum(numbers) == parts
    ]


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("shift", [1, 2])
def test_no_sum_of_two_laws_on_four_points_beats_the_bound(epsilon, shift):
    said = 0
    for pair in spread(combinations_with_replacement(all_laws(4, 3), 2), 3):
        law = IndependentSum([lattice(one) for one in pair])
        found = block_bound(law=law, epsilon=epsilon, s=shift)
        assert found.holds
        require_above(found, sum_of(list(pair)), shift)
        said += found.delta.upper < 1
    assert said > by_day(15, at_night=50)


@settings(deadline=None, max_examples=40)
@given(
    st.lists(
        st.lists(st.integers(0, 6), min_size=3, max_size=6).filter(any), min_size=1, max_size=5
    ),
    st.integers(1, 4),
    st.sampled_from(EPSILONS),
    st.integers(0, 4),
)
def test_no_sum_of_drawn_laws_beats_it_at_level_iii(weights, shift, epsilon, known):
    laws = [
        {x: Fraction(one, sum(numbers)) for x, one in enumerate(numbers)} for numbers in weights
    ]
    known %= len(laws)
    adversary = Adversary.of(s=shift, known=range(known) if known else None)
    law = IndependentSum([lattice(one) for one in laws])
    found = block_bound(law=law, epsilon=epsilon, adversary=adversary)
    assert found.statement.name == ("B4" if known else "B1")
    require_above(found, sum_of(laws[known:]), shift)
    # Likewise where it is not said which of them are known.
    if known:
        share = Adversary.of(s=shift, lambda2=Fraction(known, len(laws)))
        worst = block_bound(law=law, epsilon=epsilon, adversary=share)
        assert worst.delta.upper >= found.delta.lower
        for out in range(len(laws)):
            rest = [one for place, one in enumerate(laws) if place != out]
            if known == 1:
                require_above(worst, sum_of(rest), shift)


def test_it_is_attained_where_the_rest_is_a_point_far_away():
    # B3: with probability 3/4 a block of three points, else 100: three records.
    law = {0: Fraction(1, 4), 1: Fraction(1, 4), 2: Fraction(1, 4), 100: Fraction(1, 4)}
    found = block_bound(law=iid(lattice(law), 3), epsilon=0, block=3)
    assert hockey_stick(sum_of([law] * 3), 1, Fraction(1)) in found.delta


def test_groups_chains_and_fields_beside_all_their_outcomes():
    twins = {(0, 0): "1/4", (0, 1): "1/8", (1, 1): "3/8", (2, 1): "1/4"}
    groups = IndependentBlocks([twins], counts=[3])
    sticky = MarkovChain(["1/2", "1/2"], [["3/4", "1/4"], ["1/4", "3/4"]], values=[0, 1], n=7)
    cases: list[tuple[str, IndependentBlocks | MarkovChain, bool]] = [
        ("B5a", groups, False),
        ("B5b", sticky, False),
        ("B6", sticky.given({3: 1}), True),
    ]
    for name, law, told in cases:
        for epsilon in EPSILONS:
            truth = delta(law, epsilon=epsilon)
            found = block_bound(law=law, epsilon=epsilon)
            assert found.statement.name == name
            assert found.holds
            assert found.delta.upper >= truth.lower
            assert found.delta.upper < 1
        assert bool(law.known) is told


def test_xor_shows_that_a_dependency_graph_is_no_field():
    # X3 = X1 xor X2: pairwise independent, and their sum is 0 or 2.
    joint = {(a, b, a ^ b): Fraction(1, 4) for a in (0, 1) for b in (0, 1)}
    truth = hockey_stick({0: Fraction(1, 4), 2: Fraction(3, 4)}, 1, Fraction(1))
    assert truth == 1
    assert block_bound(law=IndependentBlocks([joint]), epsilon=0).delta.upper == 1
    # Who says that no record has a neighbour in a field gets a bound, conditional on that.
    field = masses_on_field(nx.empty_graph(3), mass=1, block=2)
    claimed = block_bound(masses=field, n=3, epsilon=0)
    assert claimed.delta.upper < truth
    assert not claimed.holds
    assert "Markov random field" in claimed.state
    # A dependency graph without edges says that all three are independent: conditional, too.
    graph = Adversary.of(dependency=nx.empty_graph(3))
    other = block_bound(
        law=FiniteLattice.bernoulli(Fraction(1, 2)), n=3, epsilon=0, adversary=graph
    )
    assert [one.name for one in other.owed] == ["dependency graph"]


def test_beliefs_are_the_callers_word():
    found = block_bound(n=50, beta="0.6", block=4, epsilon="0.1", assume=["independence"])
    assert found.holds
    assert [one.name for one in found.assumed] == ["least block mass", "independent records"]
    share = block_bound(n=50, beta="0.6", block=4, epsilon="0.1", least_share="0.5")
    assert share.statement.name == "B2"
    assert share.counting == 25
    half = block_bound(n=25, beta="0.6", block=4, epsilon="0.1")
    assert share.delta == half.delta
    assert half.delta.lower > found.delta.upper


def test_what_depends_on_unknown_neighbours_does_not_count():
    die = FiniteLattice(dict.fromkeys(range(1, 7), "1/6"))
    graph = nx.empty_graph(10)
    graph.add_edges_from([(0, 1), (1, 2)])
    found = block_bound(law=die, n=10, epsilon=0, adversary=Adversary.of(dependency=graph))
    assert (found.statement.name, found.counting) == ("B5a", 7)
    known = block_bound(
        law=die, n=10, epsilon=0, adversary=Adversary.of(dependency=graph, known=[5, 1])
    )
    assert (known.statement.name, known.counting) == ("B6", 6)
    fraction = block_bound(law=die, n=10, epsilon=0, adversary=Adversary.of(lambda1="0.25"))
    assert fraction.counting == 7
    nothing = block_bound(law=die, n=10, epsilon=0, adversary=Adversary.of(neighbourhood=2))
    assert nothing.delta.upper == 1
    assert any("says nothing" in flag for flag in nothing.flags)


def test_a_fixed_victim_is_one_record_fewer():
    die = FiniteLattice(dict.fromkeys(range(1, 7), "1/6"))
    others = block_bound(law=iid(die, 8), epsilon="0.1", others_only=True)
    assert others.delta == block_bound(law=iid(die, 7), epsilon="0.1").delta
    typed = masses_in_groups([(0, 1)], n=4, mass="0.5", block=2)
    assert block_bound(masses=typed, n=4, epsilon=0, others_only=True).counting == 2


def test_shifts_of_many_points_take_finer_blocks():
    ages = FiniteLattice(dict.fromkeys(range(20, 60), "1/40"))
    found = block_bound(law=iid(ages, 30), epsilon=0, s=10)
    assert found.chosen.distance == 1
    assert found.delta.upper < Fraction(1, 5)
    assert block_bound(law=iid(ages, 30), epsilon=0, s=10, block=4).delta.upper > found.delta.upper


def test_delta_is_turned_into_epsilon():
    die = FiniteLattice(dict.fromkeys(range(1, 7), "1/6"))
    found = block_bound(law=iid(die, 60), delta="0.001")
    again = block_bound(law=iid(die, 60), epsilon=Fraction(found.epsilon.upper), block=found.block)
    assert again.delta.upper <= Fraction("0.001")
    assert not block_bound(n=3, beta="0.5", block=2, delta="0.01").epsilon.upper.is_finite()


def test_fewest_records_meet_the_target_and_one_fewer_do_not():
    target = {"epsilon": "0.2", "delta": "0.01"}
    for beta in ("0.3", "0.8"):
        found = design("n", theorem="blocks", beta=beta, block=6, **target)
        n = int(found.answer)
        assert block_bound(n=n, beta=beta, block=6, epsilon="0.2").delta.upper <= Fraction("0.01")
        less = block_bound(n=n - 1, beta=beta, block=6, epsilon="0.2")
        assert less.delta.lower > Fraction("0.01")
        assert found.to_dict()["conditional_on"] == ["independent records"]
    die = FiniteLattice(dict.fromkeys(range(1, 7), "1/6"))
    of_law = design("n", theorem="blocks", law=die, assume=["independence"], **target)
    assert of_law.holds
    assert of_law.answer < n
    tied = design("n", theorem="blocks", law=die, lambda1="0.5", **target)
    assert tied.answer >= 2 * of_law.answer


def test_least_block_mass_and_largest_fractions():
    given_: dict[str, object] = {"theorem": "blocks", "n": 60, "epsilon": "0.2", "delta": "0.01"}
    found = design("beta", block=6, **given_)  # type: ignore[arg-type]
    assert found.inside.delta is not None
    assert found.outside is not None
    assert found.inside.delta.upper <= Fraction("0.01")
    assert found.answer - found.next_value == Fraction(1, 10**6)  # type: ignore[operator]
    for name in ("lambda1", "lambda2"):
        known = design(name, beta="0.9", block=6, **given_)  # type: ignore[arg-type]
        assert 0 < known.answer < 1
        assert known.outside is not None
    with pytest.raises(Infeasible, match="not even block mass 1 meets the target"):
        design("beta", theorem="blocks", n=2, block=2, epsilon=0, delta="0.01")
    with pytest.raises(InvalidArgument, match="n, beta, lambda1 or lambda2 with blocks"):
        design("s", theorem="blocks", n=2, beta=1, block=2, epsilon=0, delta="0.01")
    with pytest.raises(InvalidArgument, match="no beta with theorem 2"):
        design("n", beta=1, epsilon=0, delta="0.01")


def test_json_and_latex_say_what_was_judged():
    found = block_bound(n=50, beta="0.6", block=4, epsilon="0.1")
    told = found.to_dict()
    assert told["events"] == "all"
    assert told["conditional_on"] == ["independent records"]
    assert told["delta"] == found.delta.to_dict()
    assert r"\mathbb{E}" in found.latex()
    assert set(STATEMENTS) == {"B1", "B2", "B3", "B4", "B5a", "B5b", "B6", "B7", "B8"}


@cases(
    ({"n": 10, "beta": 0, "block": 4}, "beta = 0: need 0 < beta <= 1"),
    ({"n": 10, "beta": "1.5", "block": 4}, "beta = 1.5: need 0 < beta <= 1"),
    ({"n": 10, "beta": "0.5", "block": 1}, "block = 1: need a whole number block >= 2"),
    ({"n": 10, "beta": "0.5"}, "block is not given: need the points of a block"),
    ({"beta": "0.5", "block": 3}, "n is not given: need the number of records"),
    ({"n": 3, "beta": ["0.5", "0.6"], "block": 3}, "n = 3: need n = 2"),
    ({"n": 3}, "records is not given: need one of beta, law and data"),
    ({"n": 3, "beta": "0.5", "block": 3, "assume": ["hope"]}, "assume = hope: need with blocks"),
    (
        {"n": 3, "beta": "0.5", "block": 3, "adversary": Adversary.of(dependency=nx.path_graph(5))},
        "dependency node = 3: need a record index",
    ),
)
def test_bad_input_is_one_line(given_, says):
    with pytest.raises(InvalidArgument) as raised:
        block_bound(epsilon="0.1", **given_)  # type: ignore[arg-type]
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_field_with_tables_is_judged():
    graph = nx.path_graph(3)
    tables = {
        0: {(0,): {0: "3/4", 1: "1/4"}, (1,): {0: "1/4", 1: "3/4"}},
        1: {
            (0, 0): {0: "9/10", 1: "1/10"},
            (0, 1): {0: "1/2", 1: "1/2"},
            (1, 0): {0: "1/2", 1: "1/2"},
            (1, 1): {0: "1/10", 1: "9/10"},
        },
        2: {(0,): {0: "3/4", 1: "1/4"}, (1,): {0: "1/4", 1: "3/4"}},
    }
    found = block_bound(law=MarkovField(graph, tables), epsilon=0)
    assert (found.statement.name, found.counting) == ("B5b", 2)
    assert found.holds
