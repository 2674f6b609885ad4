"""Estimates of how many people of a population a class stands for, without a table of them.

A table is taken for a random sample of a population of which only the size is known. A model of
how large classes are there, fitted to how large they are in the table, says how many people share
the labels of a class in expectation. Nothing here is a guarantee: the people of the population may
be others than the model has them.

Three models are fitted. *Pitman*: class sizes follow Pitman's sampling formula, whose two
parameters maximize the likelihood (Hoshino 2001). *Zayatz*: classes of the population are as large
as those of the sample (Zayatz 1991). *SNB*: their sizes less one follow a negative binomial law,
fitted to the numbers of classes and of singletons (Chen and Keller-McNulty 1998, slide negative
binomial). *Dankar's rule* chooses: Pitman for samples of at most a tenth, else that of the other
two which finds fewer people unique (Dankar, El Emam, Neisa and Roffey 2012, as ARX applies it).
All four are [recalled].
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from math import exp, inf, lgamma

import numpy as np

from kproof.forms import JsonForm
from kproof.models.base.arrays import Codes, Floats, log_gamma

_PITMAN_UP_TO = Fraction(1, 10)
"""Largest sample for which Dankar's rule takes Pitman's model."""


class Superpopulation(StrEnum):
    """Which model of the population is fitted."""

    DANKAR = "dankar"
    PITMAN = "pitman"
    ZAYATZ = "zayatz"
    SNB = "snb"


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a model of the population makes of a release: estimates, none of them a bound."""

    model: Superpopulation
    """The model that was fitted: pitman, zayatz or snb."""
    chosen_by: Superpopulation
    """The rule that chose it, or the model itself if somebody asked for it."""
    sample: Fraction
    """Share of the population that is in the table."""
    population: int
    """People in the population, rounded."""
    largest: float
    mean: float
    """The largest expected chance of a person, and the mean."""
    alone: float
    """Expected people of the table whose labels nobody else of the population shares."""
    parameters: dict[str, float]
    """Those fitted."""

    @property
    def title(self) -> str:
        """The model and who chose it, in words."""
        rule = ", chosen by Dankar's rule" if self.chosen_by is Superpopulation.DANKAR else ""
        return _MODELS[self.model][0] + rule

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What it takes for granted, a phrase each."""
        return (
            "the table is a simple random sample of the population",
            "labels were not chosen by looking at the table",
            _MODELS[self.model][1],
        )

    to_dict = JsonForm(
        "model chosen_by sample population largest mean alone parameters assumptions"
    )


def estimate(
    sizes: Codes, sample: Fraction, *, model: Superpopulation = Superpopulation.DANKAR
) -> Estimate:
    """Estimate what is known of people to somebody who looks for them in a population.

    Args:
        sizes: Shape (classes,): people of each class, at least 1.
        sample: Share of the population that is in the table, above 0 and at most 1.
        model: Which model is fitted; snb falls back on zayatz where it cannot be.

    >>> fitted = estimate(np.array([1, 1, 1, 2, 4]), Fraction(1, 20))
    >>> fitted.model.value, fitted.population, fitted.mean < 5 / 9
    ('pitman', 180, True)
    >>> estimate(np.array([1, 3]), Fraction(1)).mean
    0.5
    """
    present, counts = np.unique(sizes, return_counts=True)
    people = int((present * counts).sum())
    if sample == 1:
        # The table is the population.
        dankar = model is Superpopulation.DANKAR
        fits = [_Fit(Superpopulation.ZAYATZ if dankar else model, lambda f: 1 / f, 1.0, {})]
    elif model is not Superpopulation.DANKAR:
        fits = [_MODELS[model][2](present, counts, sample)]
    elif sample <= _PITMAN_UP_TO:
        fits = [_pitman(present, counts, sample)]
    else:
        fits = [_snb(present, counts, sample), _zayatz(present, counts, sample)]
    singles = int(counts[present == 1].sum())
    # Of equal ones the first.
    fit = min(fits, key=lambda fit: fit.unique)
    # Whatever is fitted, the population has the rows of the table.
    chance = np.minimum(fit.chance(present.astype(np.float64)), 1 / present)
    return Estimate(
        model=fit.model,
        chosen_by=model,
        sample=sample,
        population=round(people / sample),
        largest=float(chance.max()),
        mean=float((chance * present * counts).sum() / people),
        alone=singles * min(fit.unique, 1.0),
        parameters=fit.parameters,
    )


@dataclass(frozen=True, slots=True)
class _Fit:
    """A fitted model."""

    model: Superpopulation
    chance: Callable[[Floats], Floats]
    """The expected 1 / F for each size f of a class in the table, F being its size in the
    population."""
    unique: float
    """Probability that somebody alone in the table is alone in the population."""
    parameters: dict[str, float]


def _pitman(present: Codes, counts: Codes, sample: Fraction) -> _Fit:
    """Fit Pitman's sampling formula by maximum likelihood.

    Given the sample, the rest of a class of f people is beta-binomial, and of a large population
    negative binomial with f - alpha successes; its mean of 1 / F is a hypergeometric function. For
    alpha = 0 it is the individual risk of Benedetti and Franconi (1998).
    """
    from scipy.optimize import minimize_scalar
    from scipy.special import hyp2f1

    people, classes = int((present * counts).sum()), int(counts.sum())

    def loss(theta: float, alpha: float) -> float:
        """Return minus the logarithm of the likelihood."""
        # The product of theta + i alpha over the classes after the first: with alpha = 0 every
        # factor is theta, and the quotient of gammas would divide by 0.
        new = (classes - 1) * np.log(alpha if alpha > 1e-9 else theta)
        if alpha > 1e-9:
            new = new + lgamma(theta / alpha + classes) - lgamma(theta / alpha + 1)
        first = lgamma(theta + people) - lgamma(theta + 1)
        again = sum(
            many * (lgamma(size - alpha) - lgamma(1 - alpha))
            for size, many in zip(present.tolist(), counts.tolist(), strict=True)
        )
        return float(first - new - again)

    def best(alpha: float) -> tuple[float, float]:
        """Return the least loss for an alpha, and the theta that has it."""
        optimum = minimize_scalar(
            # theta is any number above -alpha, which exp(x) - alpha runs through
            # over many magnitudes.
            lambda x: loss(exp(x) - alpha, alpha),
            bounds=(-18.0, 25.0),
            method="bounded",
        )
        return float(optimum.fun), exp(float(optimum.x)) - alpha

    inner = minimize_scalar(lambda a: best(a)[0], bounds=(1e-6, 1 - 1e-6), method="bounded")
    # A bounded search does not try its ends, and the likelihood is often largest at alpha = 0.
    alpha = min((0.0, float(inner.x)), key=lambda a: best(a)[0])
    theta = best(alpha)[1]
    outside = float(people / sample) - people
    # The share of the population that the next draw sees as known, which is the sample for theta 0.
    share = (theta + people) / (theta + people + outside)
    shifted = theta + people - 1 + alpha
    rising = lgamma(shifted + outside) - lgamma(shifted)
    unique = exp(rising + lgamma(theta + people) - lgamma(theta + people + outside))

    def chance(f: Floats) -> Floats:
        return np.asarray(share / f * hyp2f1(1 + alpha, 1, f + 1, 1 - share))

    return _Fit(Superpopulation.PITMAN, chance, unique, {"theta": theta, "alpha": alpha})


def _zayatz(present: Codes, counts: Codes, sample: Fraction) -> _Fit:
    """Take the sizes of the sample's classes for those of the population's."""
    sizes, sampled, away = present.astype(np.float64), float(sample), float(1 - sample)
    prior = np.log(counts / counts.sum())

    def weights(f: float) -> Floats:
        """Return how likely each size is for a class of f people in the table."""
        # A class of the population has all the people that the table has of it.
        able = sizes >= f
        absent = sizes[able] - f
        ways = log_gamma(sizes[able] + 1) - log_gamma(f + 1) - log_gamma(absent + 1)
        posterior = np.zeros(len(sizes))
        log = prior[able] + (ways + absent * np.log(away))
        # Less the largest: of small logarithms alone every exponential would be 0.
        posterior[able] = np.exp(log - log.max())
        total: float = posterior.sum()
        return posterior / total

    def chance(f: Floats) -> Floats:
        return np.array([float((weights(count) / sizes).sum()) for count in f])

    unique = float(weights(1.0)[0]) if present[0] == 1 else 0.0
    return _Fit(Superpopulation.ZAYATZ, chance, unique, {"sample": sampled})


def _snb(present: Codes, counts: Codes, sample: Fraction) -> _Fit:
    """Fit 1 + negative binomial to the numbers of classes and singletons; else as Zayatz.

    Drawing from 1 + X leaves 0 or 1, and what is left of X, which is negative binomial again. So
    the chance of a class has a closed form: (1 / F) C(F, f) = (1 / f) C(F - 1, f - 1).
    """
    from scipy.optimize import least_squares

    sampled, away = float(sample), float(1 - sample)
    people, classes = int((present * counts).sum()), int(counts.sum())
    # Without singletons there is no logarithm to fit; with nothing else the law is the constant 1,
    # at the end of its range.
    if not (singles := int(counts[present == 1].sum())) or classes == people:
        return _zayatz(present, counts, sample)

    def moments(alpha: float, beta: float) -> tuple[float, float]:
        """Return the expected classes and singletons of the sample."""
        mean = 1 + alpha * (1 - beta) / beta
        base = 1 - (1 - beta) * away
        absent = (beta / base) ** alpha
        all_of_them = people / sampled / mean
        once = sampled * absent * (1 + away * alpha * (1 - beta) / base)
        return all_of_them * (1 - away * absent), all_of_them * once

    def miss(x: Floats) -> list[float]:
        alpha, beta = exp(x[0]), 1 / (1 + exp(-x[1]))
        expected, alone = moments(alpha, beta)
        # In logarithms: a miss by a hundredth counts alike for ten singletons and
        # for a million classes.
        return [np.log(expected / classes), np.log(alone / singles)]

    starts = [(a, b) for a in (-3.0, -1.0, 1.0) for b in (-6.0, -3.0, 0.0)]
    bounds = ([-12.0, -14.0], [8.0, 14.0])
    # Two equations in two unknowns: some starts end beside the solution, and only that will do.
    solved = [least_squares(miss, start, bounds=bounds) for start in starts]
    best = min(solved, key=lambda solution: solution.cost)
    if max(map(abs, miss(best.x)), default=inf) > 1e-6:
        return _zayatz(present, counts, sample)
    alpha, beta = exp(best.x[0]), 1 / (1 + exp(-best.x[1]))
    thinned = beta / (beta + sampled * (1 - beta))

    def log_law(x: Floats) -> Floats:
        """Return the logarithm of the law of what is drawn of X."""
        ways = log_gamma(x + alpha) - log_gamma(alpha) - log_gamma(x + 1)
        return np.asarray(ways + alpha * np.log(thinned) + x * np.log1p(-thinned))

    def chance(f: Floats) -> Floats:
        # Divided by the smaller part, so that neither under- nor overflows.
        ratio = np.exp(log_law(f) - log_law(f - 1))
        return np.asarray(sampled / f / (away * ratio + sampled))

    # Alone in the table: alone in the population, or the only one drawn of 1 + X.
    alone = sampled * exp(log_law(np.zeros(1))[0]) + away * exp(log_law(np.ones(1))[0])
    unique = sampled * beta**alpha / alone
    return _Fit(Superpopulation.SNB, chance, float(unique), {"alpha": alpha, "beta": beta})


_MODELS = {
    Superpopulation.PITMAN: (
        "Pitman's model",
        "class sizes of the population follow Pitman's formula",
        _pitman,
    ),
    Superpopulation.ZAYATZ: (
        "Zayatz's model",
        "classes of the population are as large as those of the table",
        _zayatz,
    ),
    Superpopulation.SNB: (
        "the slide negative binomial model",
        "class sizes of the population less one are negative binomial",
        _snb,
    ),
}
"""By model its name, what it assumes of the population, and what fits it."""
