"""Samplers that publish more than they may are refuted by their runs, and the method is not."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction

import pytest
from nights import by_day

from kproof.errors import InvalidArgument
from kproof.proptests.mechanism import (
    Published,
    Row,
    check_mechanism,
    hard_pairs,
    sampled_publisher,
)
from kproof.proptests.zoo.mechanisms import BETA, SAMPLERS, K, Sampler
from kproof.theory.theorems.releases.refused import REFUSED_RULES, refused_delta


@pytest.mark.parametrize("sampler", SAMPLERS, ids=lambda sampler: sampler.rule)
def test_a_broken_sampler_is_refuted_with_its_witness(sampler: Sampler) -> None:
    results = check_mechanism(sampler.publish, k=K, beta=BETA)
    assert results.refuted
    assert results.confidence == 1 - Fraction(1, 10**6)
    assert f"is refuted; {results.worst.pair} makes delta at least 0." in str(results)
    # What runs prove is no more than what the rule is refused for.
    allowed = Fraction(refused_delta(sampler.rule, k=K, beta=BETA).upper)
    assert Fraction(results.claimed) < results.worst.delta < allowed
    assert sampler.story


def test_every_broken_sampler_breaks_a_rule_of_its_own() -> None:
    rules = [sampler.rule for sampler in SAMPLERS]
    assert len({*rules}) == len(rules) == 8
    assert {*rules} <= REFUSED_RULES.keys()


def test_the_method_is_not_refuted() -> None:
    results = check_mechanism(
        sampled_publisher(K, BETA), k=K, beta=BETA, runs=by_day(200, at_night=1000)
    )
    assert not results.refuted
    assert "not refuted, which proves nothing" in str(results)


@pytest.mark.parametrize("seed", range(3))
def test_a_sampler_that_keeps_to_the_rules_is_not_refuted(seed: int) -> None:
    """Not by the worst pair either, at which δ is attained."""

    def publish(rows: Sequence[Row], run: int) -> Published:
        draw = random.Random(f"{seed} {run}")
        sample = [f"{name} {value}" for name, value in rows if draw.random() < 0.5]
        return ("\n".join(sorted(cell for cell in sample if sample.count(cell) >= K)),)

    results = check_mechanism(publish, k=K, beta=BETA)
    assert not results.refuted
    attained = results.trials[0]
    assert attained.pair == "a row beside k - 1 of its kind"
    # Five kept rows of five: one in 32 runs, and never without the row.
    assert 20 < attained.likelier < 110
    assert attained.other == 0


def test_a_smaller_beta_than_the_coins_have_is_refuted() -> None:
    def publish(rows: Sequence[Row], run: int) -> Published:
        draw = random.Random(run)
        sample = [f"{name} {value}" for name, value in rows if draw.random() < 0.8]
        return ("\n".join(sorted(cell for cell in sample if sample.count(cell) >= K)),)

    assert check_mechanism(publish, k=K, beta=BETA).refuted


def test_what_is_asked_for_is_checked() -> None:
    publisher = sampled_publisher(5, "1/2")
    with pytest.raises(InvalidArgument, match="beta"):
        check_mechanism(publisher, k=5, beta=1)
    with pytest.raises(InvalidArgument, match="confidence"):
        check_mechanism(publisher, k=5, beta="1/2", confidence=1)
    with pytest.raises(InvalidArgument, match="runs"):
        check_mechanism(publisher, k=5, beta="1/2", runs=2)
    assert all(len(pair.row) == 2 for pair in hard_pairs(3, Fraction(1, 10)))
