"""Samplers that publish more than they may are refuted by their runs, and the method is not."""

import random
from collections.abc import Sequence
from fractions import Fraction

import pytest
from cases import error_line

from kproof.errors import InvalidArgument
from kproof.proptests.mechanisms.sampler import (
    Published,
    Row,
    check_sampler,
    hard_pairs,
    sampled_publisher,
)
from kproof.proptests.mechanisms.trials import Depth
from kproof.proptests.zoo.samplers import BETA, SAMPLERS, K
from kproof.theory.theorems.releases.refused import REFUSED_RULES, delta_of_refused


@pytest.mark.parametrize("sampler", SAMPLERS, ids=lambda sampler: sampler.rule)
def test_a_broken_sampler_is_refuted_with_its_witness(sampler):
    # A row that joins a rest is seen in one run of eight.
    runs = 2000 if sampler.rule == "merged-rest" else 600
    results = check_sampler(sampler.publish, k=K, beta=BETA, profile=Depth(((4, runs),), smaller=0))
    assert results.refuted
    assert results.confidence == 1 - Fraction(1, 10**6)
    assert f"{results.worst.pair} make delta at least 0." in str(results)
    # What runs prove is no more than what the rule is refused for.
    allowed = Fraction(delta_of_refused(sampler.rule, k=K, beta=BETA).upper)
    assert Fraction(results.claimed) < results.worst.delta < allowed
    assert sampler.story


def test_every_broken_sampler_breaks_a_rule_of_its_own():
    rules = [sampler.rule for sampler in SAMPLERS]
    assert len({*rules}) == len(rules) == 8
    assert {*rules} <= REFUSED_RULES.keys()


def test_the_method_is_not_refuted():
    depth = Depth(((4, 600),), smaller=0)
    results = check_sampler(sampled_publisher(K, BETA), k=K, beta=BETA, profile=depth)
    assert not results.refuted
    assert "not refuted, which proves nothing" in str(results)


@pytest.mark.parametrize("seed", range(3))
def test_a_sampler_that_keeps_to_the_rules_is_not_refuted(seed):
    """Not by the worst pair either, at which δ is attained."""

    def publish(rows: Sequence[Row], run: int) -> Published:
        draw = random.Random(f"{seed} {run}")
        sample = [f"{name} {value}" for name, value in rows if draw.random() < 0.5]
        return ("\n".join(sorted(cell for cell in sample if sample.count(cell) >= K)),)

    results = check_sampler(publish, k=K, beta=BETA)
    assert not results.refuted
    attained = results.trials[0]
    assert attained.pair == "a row beside k - 1 of its kind"
    # Five kept rows of five: one in 32 runs, and never without the row.
    assert 20 < attained.likelier < 110
    assert attained.other == 0
    assert attained.detectable is None or attained.detectable > 1


def test_a_smaller_beta_than_the_coins_have_is_refuted():
    def publish(rows: Sequence[Row], run: int) -> Published:
        draw = random.Random(run)
        sample = [f"{name} {value}" for name, value in rows if draw.random() < 0.8]
        return ("\n".join(sorted(cell for cell in sample if sample.count(cell) >= K)),)

    assert check_sampler(publish, k=K, beta=BETA).refuted


def test_what_is_asked_for_is_checked():
    publisher = sampled_publisher(5, "1/2")
    assert "beta" in error_line(InvalidArgument, check_sampler, publisher, k=5, beta=1)
    with pytest.raises(InvalidArgument, match="profile"):
        check_sampler(publisher, k=5, beta="1/2", profile="slow")
    assert all(len(pair.row) == 2 for pair in hard_pairs(3, Fraction(1, 10)))
