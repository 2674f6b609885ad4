"""Random answers are refuted by their runs where a claim is wrong, and nowhere else."""

import json
import sys
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from functools import partial
from math import exp, log
from typing import Any

import numpy as np
import pytest
from cases import cases, error_line
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from shell import kproof, printed

from kproof.errors import DataError, InvalidArgument
from kproof.proptests.mechanisms.certified import EventCounts, PrivacyClaim, alpha_of, least_chance
from kproof.proptests.mechanisms.exact import exact_delta, unreachable
from kproof.proptests.mechanisms.mechanism import Mechanism, NamedPair
from kproof.proptests.mechanisms.neighbours import DataNeighbours, NeighbourRelation, draw_pairs
from kproof.proptests.mechanisms.trials import Depth, check_mechanism, pair_in
from kproof.proptests.zoo.noisy import MECHANISMS

CIRCLE: list[Any] = []
CIRCLE.append(CIRCLE)
BY_NAME = {member.name: member for member in MECHANISMS}
ONE = DataNeighbours.of("one-answer", length=1)
BIT = DataNeighbours.of("one-answer", length=1, high=1, whole=True)
SMALL = Depth(((6, 1000), (2, 4000)), smaller=20_000)


def laplace(data: Any, rng: np.random.Generator, size: int, epsilon: float) -> Any:
    return np.round((data[0] + rng.laplace(scale=1 / epsilon, size=size)) * 1024) / 1024


def half_laplace(data: Any, rng: np.random.Generator, size: int, epsilon: float) -> Any:
    return laplace(data, rng, size, 2 * epsilon)


def respond(data: Any) -> dict[int, str]:
    bit = int(data[0])
    return {bit: "3/4", 1 - bit: "1/4"}


@given(st.integers(1, 400), st.data())
@settings(max_examples=30)
def test_bounds_are_those_of_the_beta_law_rounded_outward(runs, data):
    hits = data.draw(st.integers(1, runs))
    alpha = data.draw(st.sampled_from([0.5, 0.01, 1e-8]))
    bound = float(least_chance(hits, runs, Fraction(alpha)))
    exact = stats.beta.ppf(alpha, hits, runs - hits + 1)
    assert exact - 1e-9 <= bound <= exact * (1 + 1e-9)


@pytest.mark.parametrize(("likelier", "other"), [(700, 250), (300, 90), (4000, 1500)])
def test_a_detectable_loss_is_refuted_as_often_as_is_said(likelier, other):
    """By the exact power of the test, over all counts that a binomial law gives weight."""
    claim, runs = PrivacyClaim(Fraction(1), Fraction(1, 100)), 5000
    counts = EventCounts(likelier, other, runs, Fraction(1, 10**4))
    loss = counts.detectable(claim)
    assert loss is not None
    assert loss > 1
    chance = float(least_chance(likelier, runs, counts.alpha / 2))
    rarer = (chance - 0.01) * exp(-float(loss))
    # The least count of hits that 95 of 100 reach, and the count of misses that 95 keep to.
    hits, misses = (
        int(stats.binom.ppf(share, runs, p)) for share, p in ((0.05, chance), (0.95, rarer))
    )
    assert EventCounts(hits, misses, runs, counts.alpha).delta(claim) > claim.delta
    assert counts.epsilon(claim) <= log((likelier / runs - 0.01) / (other / runs))


def test_all_tests_together_spend_no_more_than_there_is():
    assert sum(alpha_of(test, Fraction(1, 10)) for test in range(1, 500)) < Fraction(1, 10)


@cases("noisy-hist-2", "noisy-max-4", "sparse-5", "sparse-6", "prefix-sums-of-each")
def test_a_broken_mechanism_is_refuted_by_its_answers(name):
    results = check_mechanism(BY_NAME[name].mechanism, profile="quick", checks=["answers"])
    assert results.answer == "refuted"
    [trial] = results.smallest
    assert trial.delta > results.claimed
    assert trial.epsilon > results.epsilon
    assert trial.likelier <= trial.runs
    assert "is refuted at confidence 1 - 1e-06" in str(results)
    assert trial.event in str(results)


@pytest.mark.parametrize("name", ["laplace", "noisy-max-1", "sparse-1", "gaussian", "snapping"])
def test_a_correct_mechanism_is_not_refuted(name):
    results = check_mechanism(BY_NAME[name].mechanism, profile=SMALL)
    assert results.answer == "not refuted"
    assert results.detectable is None or results.detectable > results.epsilon
    assert "is not refuted, which proves nothing" in str(results)


@pytest.mark.parametrize("name", ["laplace-of-floats", "laplace-by-inversion"])
def test_floats_are_refuted_by_their_last_bits_alone(name):
    results = check_mechanism(BY_NAME[name].mechanism, profile=SMALL)
    assert "answers" not in {trial.check for trial in results.smallest}
    assert results.smallest[0].check == "low bits"
    certain = [trial for trial in results.smallest if trial.check == "preimages"]
    assert [trial.epsilon for trial in certain] == [Decimal("Infinity")] * len(certain)


def test_an_answer_of_the_data_themselves_is_reachable():
    """Of each uniform number, and of those alone that lead to it: compared with trying them all."""
    steps = np.arange(1 << 12) * 2.0**-12
    coarse = Mechanism(of_uniform=lambda data, u: data[0] + np.floor(u * 4096) / 4096 / 3)
    answers = np.asarray(coarse.of_uniform((0.5,), steps) if coarse.of_uniform else 0)
    assert not unreachable(coarse, (0.5,), answers).any()
    other = np.asarray(coarse.of_uniform((0.1,), steps) if coarse.of_uniform else 0)
    assert (unreachable(coarse, (0.5,), other) == ~np.isin(other, answers)).all()


def test_a_law_is_judged_exactly_on_either_side():
    holds = check_mechanism(Mechanism(law=respond, epsilon="1.0986123", neighbours=BIT))
    assert holds.answer == "holds on these pairs"
    assert holds.confidence == 1
    refuted = check_mechanism(Mechanism(law=respond, epsilon="1.0986122", neighbours=BIT))
    assert refuted.answer == "refuted"
    assert refuted.confidence == 1
    for delta, above in (("1/2", False), ("4999/10000", True)):
        mechanism = Mechanism(law=respond, epsilon=0, delta=delta, neighbours=BIT)
        assert exact_delta(mechanism, (0.0,), (1.0,), mechanism.claim)[0] is above
    assert check_mechanism(BY_NAME["geometric"].mechanism).answer == "holds on these pairs"


def test_nothing_is_refuted_too_often_where_everything_is_equal():
    """A claim that holds exactly, ε = 0, at a confidence of one half."""
    blind = Mechanism(lambda data, rng, size: rng.random(size), epsilon=0, neighbours=ONE)
    depth = Depth(((4, 400), (1, 800)), smaller=0)
    runs = [check_mechanism(blind, profile=depth, seed=seed, confidence="1/2") for seed in range(8)]
    assert sum(results.refuted for results in runs) <= 2


@pytest.mark.parametrize("relation", NeighbourRelation)
def test_pairs_are_neighbours(relation):
    pairs = draw_pairs(DataNeighbours.of(relation, length=4, low=-1, high=3).pairs, 40, 1)
    assert len(pairs) > 20
    for first, second in pairs:
        assert first != second
        assert all(-1 <= value <= 3 for value in first + second)
        changed = [abs(a - b) for a, b in zip(first, second, strict=False) if a != b]
        if relation is NeighbourRelation.ADD_REMOVE:
            assert second in [first[:place] + first[place + 1 :] for place in range(len(first))]
        elif relation is NeighbourRelation.EACH_ANSWER:
            assert max(changed) <= 1 + 1e-12
        else:
            assert len(changed) == 1
            assert relation is NeighbourRelation.REPLACE_ONE or changed[0] <= 1 + 1e-12


def test_a_refusal_is_an_answer():
    def refuse(data: Any, rng: np.random.Generator) -> float:
        if len(data) and data[-1] == 2:
            raise ValueError("too large")
        return float(rng.random())

    results = check_mechanism(Mechanism(refuse, epsilon=1), profile="quick", checks=["answers"])
    assert results.refuted
    assert results.pair is not None
    # The smallest pair of which a set has a 2 at its end and the other has not.
    assert len(results.pair.first) == 1


def test_texts_mappings_and_rows_of_any_length_are_read():
    def tell(data: Any) -> Any:
        return {"rows": [None] * len(data), "sum": f"sum\n{data.sum():g}"}

    assert check_mechanism(Mechanism(tell, epsilon=3), profile="quick", checks=["answers"]).refuted


def test_numbers_that_are_none_are_read_like_others():
    def leak(data: Any, rng: np.random.Generator, size: int) -> Any:
        edges = np.array([np.inf, -np.inf, np.nan, 1e308, -0.0, 1.0])
        return rng.choice(edges if data[0] else edges[::-1][:5], size=(size, 3))

    results = check_mechanism(Mechanism(leak, neighbours=BIT), profile=SMALL)
    # What is plus infinity is so with one of the two data sets alone.
    assert [trial.check for trial in results.smallest] == ["answers"]


def test_a_run_that_has_no_time_judges_nothing():
    ticks: Iterator[float] = iter(range(10**6))
    results = check_mechanism(Mechanism(laplace, neighbours=ONE), seconds=1, clock=ticks.__next__)
    assert results.answer == "not judged"
    assert results.cut_short
    assert "was not judged" in str(results)


@cases(
    ({}, "0 ways"),
    ({"run": laplace, "law": respond}, "2 ways"),
    ({"run": lambda data, size: 3}, "need 1000 answers"),
    ({"run": lambda data: {}[1]}, "KeyError"),
    ({"law": lambda data: {1: "1/2"}}, "exactly 1"),
    ({"run": laplace, "epsilon": -1}, "epsilon"),
    ({"run": lambda data: sys.exit(0)}, "SystemExit"),
    ({"run": lambda data: iter(data)}, "iterator"),
    ({"run": lambda data, size: [int("one")]}, "an answer of each run"),
    ({"run": lambda data: CIRCLE}, "in itself"),
    ({"law": lambda data: None}, "a mapping"),
    ({"law": lambda data: {float("nan"): 1}}, "equal to themselves"),
    ({"law": lambda data: 1 / 0}, "ZeroDivisionError"),
    ({"of_uniform": lambda data, u: (u - 0.5) ** 2}, "never falls, or never rises"),
    ({"run": laplace, "neighbours": []}, "at least one"),
)
def test_what_is_no_mechanism_is_refused(way, words):
    with pytest.raises(InvalidArgument, match=words):
        check_mechanism(Mechanism(**way), profile="quick")


BY_TYPE = {
    "decimals": lambda data, rng: Decimal(f"{data.sum() + rng.normal() / 99:.9f}"),
    "a number in a text": lambda data, rng: f"{data.sum() + rng.normal() / 99:.9f} euros",
    "order of lines": lambda data, rng: "a\nb" if data.sum() else "b\na",
    "order of keys": lambda data, rng: {1: 0, 2: 0} if data.sum() else {2: 0, 1: 0},
    "large numbers": lambda data, rng: (1 << 60) + int(data.sum()),
    "huge numbers": lambda data, rng: 10**400 + int(data.sum()),
    "arrays of large numbers": lambda data, rng: np.array([1 << 60]) + int(data.sum()),
    "times": lambda data, rng: np.datetime64("2020-01-01T00:00:00.000000001") + int(data.sum()),
    "a member of a set": lambda data, rng: {"x", float(data.sum())},
    "a surrogate": lambda data, rng: "\ud800" * int(data.sum()),
}


@pytest.mark.parametrize("answer", BY_TYPE.values(), ids=BY_TYPE)
def test_what_an_answer_says_is_read(answer):
    assert check_mechanism(Mechanism(answer, epsilon=3, neighbours=BIT), profile=SMALL).refuted


def _with_nan(edges: tuple[float, float], data: Any, u: Any) -> Any:
    return np.where((edges[0] <= u) & (u < edges[1]), np.floor(10 * u), np.nan)


def test_nobody_is_accused_of_what_has_nothing_to_do_with_the_data() -> None:
    """Turns of the data, empty data, a step that falls, and a δ that is attained."""
    calls = iter(range(10**9))

    def spent(data: Any) -> int:
        if next(calls) > 1500:
            raise ValueError("the budget is spent")
        return 7

    assert not check_mechanism(Mechanism(spent, neighbours=BIT), profile=SMALL).refuted
    kinds = Mechanism(lambda data: type(data).__name__, neighbours=[NamedPair(((1, "a"),), ())])
    assert not check_mechanism(kinds, profile=SMALL).refuted
    falling = Mechanism(
        of_uniform=lambda data, u: (u < (0.1 if data[0] else 0.2)).astype(float),
        epsilon="1.5",
        neighbours=BIT,
    )
    assert not check_mechanism(falling, profile=SMALL).refuted
    tiny = Mechanism(of_uniform=lambda data, u: 1e-15 * (1 - u), neighbours=BIT)
    assert not check_mechanism(tiny, profile=SMALL, checks=["preimages"]).refuted
    # The same answers whatever the data, some of them NaN, which is equal to nothing.
    for edges in ((0.25, 1.0), (0.0, 0.4)):
        unlike = partial(_with_nan, edges)
        nowhere = Mechanism(of_uniform=unlike, neighbours=BIT, name="NaN")
        assert not check_mechanism(nowhere, profile=SMALL, checks=["preimages"]).refuted
    leak = {"leak": "1/10", "no": "9/10"}
    law = Mechanism(law=lambda data: leak if data[0] else {"no": 1}, delta="1/10", neighbours=BIT)
    assert check_mechanism(law).answer == "holds on these pairs"


@cases(("replace-one", -1), ("replace-one", 0), ("add-remove", -1))
def test_whoever_differs_may_stand_anywhere(relation, spares):
    def tell(data: Any) -> str:
        return str(np.delete(data, spares)) if len(data) else ""

    neighbours = DataNeighbours.of(relation)
    assert check_mechanism(Mechanism(tell, neighbours=neighbours), profile="quick").refuted


def test_a_call_without_end_is_interrupted():
    def hang(data: Any) -> None:
        while True:
            pass

    results = check_mechanism(Mechanism(hang, neighbours=BIT), seconds="0.2")
    assert (results.answer, results.cut_short) == ("not judged", True)


@pytest.mark.parametrize("relation", NeighbourRelation)
def test_a_pair_from_a_file_is_one_of_neighbours(relation):
    neighbours = DataNeighbours.of(relation, length=3)
    for pair in draw_pairs(neighbours.pairs, 40, 0):
        neighbours.require_pair(*pair)
    for pair in (((0.0,), (9.0,)), ((1.0, 1.0), (1.0, 1.0)), ((1.0, 2.0, 0.0), (2.0,))):
        assert "neighbours" in error_line(InvalidArgument, neighbours.require_pair, *pair)


def test_a_user_may_draw_pairs_and_names_them(tmp_path):
    strategy = st.integers(0, 9).map(lambda start: ((float(start),), (float(start + 1),)))
    results = check_mechanism(Mechanism(half_laplace, neighbours=strategy), profile=SMALL)
    assert results.pair is not None
    assert results.pair.second[0] - results.pair.first[0] == 1
    pairs = [NamedPair((0.0,), (1.0,), "two counts")]
    assert check_mechanism(Mechanism(half_laplace, neighbours=pairs)).worst.pair == "two counts"
    path = tmp_path / "run.json"
    path.write_text(json.dumps(results.to_dict()))
    assert pair_in(path) == results.pair
    path.write_text("{}")
    assert "no case of verify" in error_line(DataError, pair_in, path)


def test_the_command_refutes_repeats_and_refuses(tmp_path):
    name = "kproof.proptests.zoo.noisy:_noisy_hist_2"
    words = ("verify", name, "--kind", "mechanism", "--profile", "quick", "--check", "answers")
    claim = ("--fixed", "epsilon=0.5,neighbours=one-answer")
    out = printed(*words, *claim, "--json", status=1)
    assert json.loads(out)["answer"] == "refuted"
    path = tmp_path / "run.json"
    path.write_text(out)
    assert "of 1 pairs" in printed(*words, *claim, "--case", str(path), status=1)
    assert kproof(*words).status == 2
    assert kproof(*words, "--fixed", "epsilon=1,sides=2").status == 2
    assert kproof(*words, *claim, "--suppresses").status == 2
