"""Estimates against enumeration, and against populations of which everything is known."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from cases import cases
from scipy import stats

from kproof.models.tables.risk.superpopulation import (
    Superpopulation,
    _pitman,
    _snb,
    _zayatz,
    estimate,
)


def test_the_chances_of_the_negative_binomial_are_those_of_bayes():
    sizes, counts = np.array([1, 2, 3, 7]), np.array([40, 12, 5, 2])
    sample = Fraction(1, 3)
    fit = _snb(sizes, counts, sample)
    assert fit.model is Superpopulation.SNB
    whole = np.arange(1, 4000)
    prior = stats.nbinom.pmf(whole - 1, fit.parameters["alpha"], fit.parameters["beta"])
    # The fit meets the numbers of classes and singletons.
    classes = float((sizes * counts).sum() / sample) / (prior * whole).sum()
    drawn = np.array([(prior * stats.binom.pmf(f, whole, 1 / 3)).sum() for f in (0, 1)])
    assert classes * (1 - drawn[0]) == pytest.approx(59, rel=1e-4)
    assert classes * drawn[1] == pytest.approx(40, rel=1e-4)
    for f in (1, 2, 7):
        posterior = prior * stats.binom.pmf(f, whole, 1 / 3)
        mean = (posterior / whole).sum() / posterior.sum()
        assert fit.chance(np.array([float(f)]))[0] == pytest.approx(mean, rel=1e-9)
    posterior = prior * stats.binom.pmf(1, whole, 1 / 3)
    assert fit.unique == pytest.approx(posterior[0] / posterior.sum(), rel=1e-9)


def test_the_chances_of_pitman_are_those_of_its_urn():
    sizes, counts = np.array([1, 2, 3, 7, 30]), np.array([400, 120, 50, 20, 4])
    sample, people = Fraction(1, 20), 1050
    fit = _pitman(sizes, counts, sample)
    theta, alpha = fit.parameters["theta"], fit.parameters["alpha"]
    rest = np.arange(19 * people + 1)
    for f in (1, 2, 7):
        law = stats.betabinom.pmf(rest, 19 * people, f - alpha, theta + people - f + alpha)
        # The closed form is that of a large population.
        assert fit.chance(np.array([float(f)]))[0] == pytest.approx(
            (law / (f + rest)).sum(), rel=0.01
        )
    law = stats.betabinom.pmf(rest, 19 * people, 1 - alpha, theta + people - 1 + alpha)
    assert fit.unique == pytest.approx(law[0], rel=1e-6)


def test_pitman_without_alpha_is_the_individual_risk_of_benedetti_and_franconi():
    estimated = estimate(np.full(40, 2), Fraction(1, 10), model=Superpopulation.PITMAN)
    assert estimated.parameters["alpha"] == 0
    share = (estimated.parameters["theta"] + 80) / (estimated.parameters["theta"] + 800)
    # Of classes of two: p / (1 - p) ^ 2 (p ln p - p + 1).
    told = share / (1 - share) ** 2 * (share * np.log(share) - share + 1)
    assert estimated.mean == pytest.approx(told, rel=1e-9)


def test_the_chances_of_zayatz_are_those_of_every_sample():
    # Sizes 1 and 3 are equally frequent in the sample, so a priori in the population.
    fit = _zayatz(np.array([1, 3]), np.array([5, 5]), Fraction(1, 2))
    weight = {1: Fraction(0), 3: Fraction(0)}
    for size in weight:
        for there in range(size + 1):
            for chosen in combinations(range(size), there):
                weight[size] += Fraction(len(chosen) == 1, 2**size)
    unique = weight[1] / sum(weight.values())
    assert fit.unique == pytest.approx(float(unique))
    mean = (weight[1] + weight[3] / 3) / sum(weight.values())
    assert fit.chance(np.array([1.0]))[0] == pytest.approx(float(mean))


def _drawn(whole: np.ndarray, sample: Fraction, seed: int) -> tuple[np.ndarray, float, int]:
    """Return the classes of a sample, the true mean chance, and who is truly alone."""
    rng = np.random.default_rng(seed)
    people = np.repeat(np.arange(len(whole)), whole)
    drawn = rng.choice(people, round(float(len(people) * sample)), replace=False)
    sizes = np.bincount(drawn, minlength=len(whole))
    there = sizes > 0
    alone = int(((sizes == 1) & (whole == 1)).sum())
    return sizes[there], float((sizes[there] / whole[there]).sum() / sizes.sum()), alone


@cases(("pitman", "1/20"), ("pitman", "1/5"), ("snb", "1/5"))
def test_a_model_finds_the_truth_of_a_population_of_its_own(model, sample):
    rng = np.random.default_rng(0)
    if model == "pitman":
        sizes, theta, alpha = [1], 200.0, 0.4
        # Pitman's urn: a new class, or one there is, the likelier the larger it is.
        owner = np.zeros(20_000, dtype=np.int64)
        for person in range(1, len(owner)):
            new = (theta + alpha * len(sizes)) / (theta + person)
            place = int(owner[int(rng.integers(person))])
            while rng.random() > new and rng.random() < alpha / sizes[place]:
                place = int(owner[int(rng.integers(person))])
            if rng.random() < new:
                place = len(sizes)
                sizes.append(0)
            owner[person] = place
            sizes[place] += 1
        whole = np.array(sizes)
    else:
        whole = 1 + stats.nbinom.rvs(0.4, 0.05, size=4_000, random_state=rng)
    found = [
        (estimate(classes, Fraction(sample), model=Superpopulation(model)), mean, alone)
        for classes, mean, alone in (_drawn(whole, Fraction(sample), seed) for seed in range(4))
    ]
    mean = np.mean([one.mean / truth for one, truth, _ in found])
    alone = np.mean([one.alone / truth for one, _, truth in found])
    assert mean == pytest.approx(1, abs=0.1)
    assert alone == pytest.approx(1, abs=0.15)


def test_the_rule_takes_pitman_for_small_samples_and_fewer_uniques_for_large():
    sizes = np.array([1] * 40 + [2] * 12 + [3] * 5 + [7, 7])
    assert estimate(sizes, Fraction(1, 10)).model is Superpopulation.PITMAN
    estimated = estimate(sizes, Fraction(1, 3))
    others = [
        estimate(sizes, Fraction(1, 3), model=one).alone
        for one in (Superpopulation.SNB, Superpopulation.ZAYATZ)
    ]
    assert estimated.alone == min(others)
    assert estimated.title.endswith("chosen by Dankar's rule")


@pytest.mark.parametrize("model", list(Superpopulation))
@pytest.mark.parametrize("sizes", [[1], [1] * 9, [9], [5, 5, 6], [1, 1, 2, 90]])
@pytest.mark.parametrize("sample", ["1/1000", "1/10", "1/2", "1"])
def test_an_estimate_is_a_chance_and_never_above_the_prosecutor(model, sizes, sample):
    estimated = estimate(np.array(sizes), Fraction(sample), model=model)
    assert 0 < estimated.mean <= len(sizes) / sum(sizes) + 1e-12
    assert estimated.mean <= estimated.largest + 1e-12 <= 1 / min(sizes) + 2e-12
    assert 0 <= estimated.alone <= sizes.count(1) + 1e-9
