"""Mechanisms of the literature on testing differential privacy, broken ones and others.

They are written after the pseudo-code of the papers, for many runs at once: [D] Ding, Wang, Wang,
Zhang, Kifer, Detecting Violations of Differential Privacy, CCS 2018 (StatDP); [B] Bichsel, Steffen,
Bogunovic, Vechev, DP-Sniper, S&P 2021; [L] Lyu, Su, Li, Understanding the Sparse Vector Technique,
VLDB 2017; [W] Wang, Ding, Wang, Kifer, Zhang, ShadowDP, PLDI 2019; [E] Erlingsson, Pihur, Korolova,
RAPPOR, CCS 2014; [V] Balcer, Vadhan, Differential Privacy on Finite Computers, 2018; [M] Mironov,
CCS 2012. Numbers that are published are rounded to multiples of 2^-16, except where [M] is meant:
what is said of an algorithm is not to be refuted by its floats.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from hashlib import blake2b
from itertools import pairwise
from typing import Any

import numpy as np

from kproof.models.base.arrays import Floats
from kproof.proptests.mechanisms.mechanism import Mechanism
from kproof.proptests.mechanisms.neighbours import DataNeighbours, NeighbourRelation
from kproof.proptests.zoo.base import story_of

ONE = DataNeighbours.of(NeighbourRelation.ONE_ANSWER, length=1)
FIVE = DataNeighbours.of(NeighbourRelation.ONE_ANSWER)
EACH_OF_FIVE = DataNeighbours.of(NeighbourRelation.EACH_ANSWER)
TEN = DataNeighbours.of(NeighbourRelation.ONE_ANSWER, length=10)
EACH_OF_TEN = DataNeighbours.of(NeighbourRelation.EACH_ANSWER, length=10)
_VALUES = DataNeighbours.of(NeighbourRelation.ONE_ANSWER, length=1, low=-10, high=10, whole=True)
_STOPPED = -1000.0
"""What is published of a query after the last one that may be answered."""


@dataclass(frozen=True)
class Claimed:
    """A mechanism, with whether its claim holds."""

    mechanism: Mechanism
    """With its claim."""
    broken: bool
    """Whether the claim is wrong."""
    source: str
    """Where it is from, by the letters of this module, and what it is called there."""
    story: str
    """What it does, and what is wrong with it, as a sentence."""

    @property
    def name(self) -> str:
        """Of the mechanism."""
        return self.mechanism.name


MECHANISMS: list[Claimed] = []
"""All of them."""


def _claims(
    name: str,
    source: str,
    neighbours: DataNeighbours,
    *,
    broken: bool = False,
    epsilon: float = 1,
    delta: float = 0,
    way: str = "run",
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def collect(function: Callable[..., Any]) -> Callable[..., Any]:
        how: dict[str, Any] = {way: function}
        how |= {"epsilon": epsilon, "delta": delta, "neighbours": neighbours, "name": name}
        MECHANISMS.append(Claimed(Mechanism(**how), broken, source, story_of(function)))
        return function

    return collect


def round_finely(values: Floats) -> Floats:
    """Round to multiples of 2^-16, on which floats lie as densely around all small numbers."""
    rounded: Floats = np.round(values * 65536) / 65536
    return rounded


def _noisy(data: Floats, rng: np.random.Generator, size: int, scale: float) -> Floats:
    return data + rng.laplace(scale=scale, size=(size, len(data)))


@_claims("laplace", "[B] LaplaceMechanism", ONE)
def _laplace(data: Floats, rng: np.random.Generator, size: int, epsilon: float) -> Floats:
    """Add Laplace noise of scale 1/ε to an answer."""
    return round_finely(_noisy(data, rng, size, 1 / epsilon))


@_claims("laplace-parallel", "[B] LaplaceParallel", ONE)
def _laplace_parallel(data: Floats, rng: np.random.Generator, size: int, epsilon: float) -> Floats:
    """Answer twenty times, each with ε/20."""
    return round_finely(_noisy(np.repeat(data, 20), rng, size, 20 / epsilon))


@_claims("noisy-hist-1", "[D] Algorithm 9, [B] NoisyHist1", FIVE, epsilon=0.5)
def _noisy_hist_1(data: Floats, rng: np.random.Generator, size: int, epsilon: float) -> Floats:
    """Add noise of scale 1/ε to each count, of which a person changes one."""
    return round_finely(_noisy(data, rng, size, 1 / epsilon))


@_claims("noisy-hist-2", "[D] Algorithm 10, [B] NoisyHist2", FIVE, epsilon=0.5, broken=True)
def _noisy_hist_2(data: Floats, rng: np.random.Generator, size: int, epsilon: float) -> Floats:
    """Add noise of scale ε in place of 1/ε: it is worth 1/ε."""
    return round_finely(_noisy(data, rng, size, epsilon))


@_claims("noisy-max-1", "[D] Algorithm 5, [B] ReportNoisyMax1", EACH_OF_FIVE)
def _noisy_max_1(data: Floats, rng: np.random.Generator, size: int, epsilon: float) -> Any:
    """Say which answer is the largest with Laplace noise of scale 2/ε."""
    return _noisy(data, rng, size, 2 / epsilon).argmax(axis=1)


@_claims("noisy-max-2", "[D] Algorithm 6, [B] ReportNoisyMax2", EACH_OF_FIVE)
def _noisy_max_2(data: Floats, rng: np.random.Generator, size: int, epsilon: float) -> Any:
    """Say which answer is the largest with exponential noise of scale 2/ε."""
    return (data + rng.exponential(scale=2 / epsilon, size=(size, len(data)))).argmax(axis=1)


@_claims("noisy-max-3", "[D] Algorithm 7, [B] ReportNoisyMax3", EACH_OF_FIVE, broken=True)
def _noisy_max_3(data: Floats, rng: np.random.Generator, size: int, epsilon: float) -> Floats:
    """Publish the largest noisy answer itself: each of them counts."""
    return round_finely(_noisy(data, rng, size, 2 / epsilon).max(axis=1))


@_claims("noisy-max-4", "[D] Algorithm 8, [B] ReportNoisyMax4", EACH_OF_FIVE, broken=True)
def _noisy_max_4(data: Floats, rng: np.random.Generator, size: int, epsilon: float) -> Floats:
    """Publish the largest answer with exponential noise: it shows that no answer was larger."""
    noise = rng.exponential(scale=2 / epsilon, size=(size, len(data)))
    return round_finely((data + noise).max(axis=1))


def _sparse(
    data: Floats,
    rng: np.random.Generator,
    size: int,
    *,
    of_threshold: float,
    of_query: float | None,
    above: int | None = 1,
    renewed: bool = False,
    values: str = "",
) -> Floats:
    """Say of each query whether it is above a noisy threshold of 1, until so many are.

    ``of_threshold`` and ``of_query`` are scales of noise; None is no noise. The noise of the
    threshold may be renewed after each query above it. Published are yes and no, or in place of yes
    the same noisy value (``"same"``), or the query with other noise of scale 3/ε (``"own"``).
    """
    shape = (size, len(data))
    noisy = data + (rng.laplace(scale=of_query, size=shape) if of_query else np.zeros(shape))
    limits = 1.0 + rng.laplace(scale=of_threshold, size=shape if renewed else (size, 1))
    answers, count = np.empty(shape), np.zeros(size, dtype=np.int64)
    shown = noisy if values == "same" else data + rng.laplace(scale=3.0, size=shape)
    for place in range(len(data)):
        # A threshold is renewed after each yes, and not before.
        limit = limits[np.arange(size), count] if renewed else limits[:, 0]
        yes = noisy[:, place] >= limit
        answer = np.where(yes, shown[:, place] if values else 1.0, 0.0)
        stopped = count >= above if above is not None else np.zeros(size, dtype=bool)
        answers[:, place] = np.where(stopped, _STOPPED, answer)
        # Not after the last query, when there is no further threshold to go on to.
        count += yes & ~stopped & (place < len(data) - 1)
    return round_finely(answers)


@_claims("sparse-1", "[L] Algorithm 1, [D] SVT, [B] SVT1", EACH_OF_TEN)
def _sparse_1(data: Floats, rng: np.random.Generator, size: int, epsilon: float) -> Floats:
    """Half of ε for the threshold, the other for the queries above it."""
    return _sparse(data, rng, size, of_threshold=2 / epsilon, of_query=4 / epsilon)


@_claims("sparse-2", "[L] Algorithm 2, [B] SVT2", EACH_OF_TEN)
def _sparse_2(data: Floats, rng: np.random.Generator, size: int, epsilon: float) -> Floats:
    """Renew the threshold after each query above it, with noise for two of them."""
    return _sparse(
        data, rng, size, of_threshold=4 / epsilon, of_query=8 / epsilon, above=2, renewed=True
    )


@_claims("sparse-3", "[L] Algorithm 3, [D] iSVT4, [B] SVT3", EACH_OF_TEN, broken=True)
def _sparse_3(data: Floats, rng: np.random.Generator, size: int, epsilon: float) -> Floats:
    """Publish the noisy query that was compared: it says how low the threshold must be."""
    return _sparse(data, rng, size, of_threshold=2 / epsilon, of_query=2 / epsilon, values="same")


@_claims("sparse-4", "[L] Algorithm 4, [D] iSVT3, [B] SVT4", EACH_OF_TEN, broken=True)
def _sparse_4(data: Floats, rng: np.random.Generator, size: int, epsilon: float) -> Floats:
    """Three quarters of ε for the queries, whose noise has half the scale it needs: 7/4 ε."""
    return _sparse(data, rng, size, of_threshold=4 / epsilon, of_query=4 / (3 * epsilon))


@_claims("sparse-5", "[L] Algorithm 5, [D] iSVT1, [B] SVT5", EACH_OF_TEN, broken=True)
def _sparse_5(data: Floats, rng: np.random.Generator, size: int, epsilon: float) -> Floats:
    """No noise for the queries: two of them on different sides of the threshold are ordered."""
    return _sparse(data, rng, size, of_threshold=2 / epsilon, of_query=None, above=None)


@_claims("sparse-6", "[L] Algorithm 6, [D] iSVT2, [B] SVT6", EACH_OF_TEN, broken=True)
def _sparse_6(data: Floats, rng: np.random.Generator, size: int, epsilon: float) -> Floats:
    """Any number of queries above the threshold, with noise for one of them."""
    return _sparse(data, rng, size, of_threshold=2 / epsilon, of_query=2 / epsilon, above=None)


@_claims("sparse-3-and-4", "[B] SVT34Parallel", EACH_OF_TEN, broken=True)
def _sparse_3_and_4(data: Floats, rng: np.random.Generator, size: int, epsilon: float) -> Floats:
    """Both of these broken ones of the same data."""
    parts = [_sparse_3(data, rng, size, epsilon), _sparse_4(data, rng, size, epsilon)]
    return np.concatenate(parts, axis=1)


@_claims("sparse-numbers", "[W] NumSVT, [B] NumericalSVT", EACH_OF_TEN)
def _sparse_numbers(data: Floats, rng: np.random.Generator, size: int, epsilon: float) -> Floats:
    """A third of ε for what is above, with other noise than was compared."""
    return _sparse(data, rng, size, of_threshold=3 / epsilon, of_query=6 / epsilon, values="own")


@_claims("prefix-sums", "[W] SmartSum's prefix sums, [B] PrefixSum", TEN)
def _prefix_sums(data: Floats, rng: np.random.Generator, size: int, epsilon: float) -> Floats:
    """Publish all sums of the first noisy answers, where a person changes one answer."""
    return round_finely(np.cumsum(_noisy(data, rng, size, 1 / epsilon), axis=1))


_claims("prefix-sums-of-each", "[B] PrefixSum, of any neighbours", EACH_OF_TEN, broken=True)(
    _prefix_sums
)


def _filter(value: float) -> Floats:
    """Return the Bloom filter of a value: four bits of twenty, or fewer."""
    bits = np.zeros(20)
    for seed in range(4):
        bits[blake2b(f"{seed} {value:g}".encode(), digest_size=1).digest()[0] % 20] = 1
    return bits


@_claims("rappor-once", "[E] steps 1 and 2, [B] OneTimeRAPPOR", _VALUES, epsilon=0.801)
def _rappor_once(data: Floats, rng: np.random.Generator, size: int) -> Floats:
    """Replace each bit of a filter by a coin with chance 0.95: 8 ln(0.525/0.475)."""
    coins = (rng.random((size, 20)) < 0.5).astype(float)
    return np.where(rng.random((size, 20)) < 0.95, coins, _filter(data[0]))


@_claims("rappor", "[E] steps 1 to 3, [B] RAPPOR", _VALUES, epsilon=0.401)
def _rappor(data: Floats, rng: np.random.Generator, size: int) -> Floats:
    """Report each bit, replaced with chance 3/4, by another coin: 8 ln(0.5125/0.4875)."""
    coins = (rng.random((size, 20)) < 0.5).astype(float)
    bits = np.where(rng.random((size, 20)) < 0.75, coins, _filter(data[0]))
    return (rng.random((size, 20)) < np.where(bits > 0, 0.55, 0.45)).astype(float)


_COUNTS = DataNeighbours.of(NeighbourRelation.ONE_ANSWER, length=1, high=5, whole=True)
_ODDS = 1 + Fraction(1, 2**5)
"""e^ε of GeoSample for k = 5."""


@_claims("geometric", "[V] GeoSample, [B] TruncatedGeometric", _COUNTS, epsilon=0.0308, way="law")
def _geometric(data: Floats) -> dict[int, Fraction]:
    """Draw a count near another by whole numbers alone: ε is ln(1 + 2^-5), rounded up."""
    most, count = 5, int(data[0])
    ratio = 1 / _ODDS
    # What lies beyond the ends is put on them.
    tails = [ratio ** abs(place - count) / (1 + ratio) for place in range(most + 1)]
    # P(Z <= z): a tail of its own below the count, and from there on what the tail above z leaves.
    below = [tails[z] if z < count else 1 - ratio * tails[z] for z in range(most)]
    sums = [Fraction(0), *below, Fraction(1)]
    return dict(enumerate(high - low for low, high in pairwise(sums)))


@_claims("gaussian", "Balle and Wang, ICML 2018", ONE, delta=0.13)
def _gaussian(data: Floats, rng: np.random.Generator, size: int) -> Floats:
    """Add Gaussian noise of scale 1: δ is 0.127 at ε = 1."""
    return round_finely(data + rng.normal(size=(size, 1)))


@_claims("gaussian-short", "the same, with half of the noise", ONE, delta=0.13, broken=True)
def _gaussian_short(data: Floats, rng: np.random.Generator, size: int) -> Floats:
    """Forget that a person can change the answer in both directions."""
    return round_finely(data + rng.normal(scale=0.5, size=(size, 1)))


def _laplace_of(uniform: Floats) -> Floats:
    """Return Laplace noise as NumPy makes it of a uniform number."""
    noise: Floats = np.where(uniform < 0.5, np.log(2 * uniform), -np.log(2 - 2 * uniform))
    return noise


@_claims("laplace-of-floats", "[M] the textbook's Laplace", ONE, broken=True)
def _laplace_of_floats(data: Floats, rng: np.random.Generator, size: int) -> Floats:
    """Add float noise to a float: which floats there are depends on the answer."""
    return data + rng.laplace(size=(size, 1))


@_claims("laplace-by-inversion", "[M] the same", ONE, broken=True, way="of_uniform")
def _laplace_by_inversion(data: Floats, uniform: Floats) -> Floats:
    """Add float noise that is a function of one uniform number."""
    answers: Floats = data[0] + _laplace_of(uniform)
    return answers


@_claims(
    "snapping", "[M] the snapping mechanism, with a grid of 1", ONE, epsilon=1.01, way="of_uniform"
)
def _snap(data: Floats, uniform: Floats) -> Floats:
    """Round what the noise makes of the answer to a multiple of a power of two, and clamp it."""
    answers: Floats = np.round(np.clip(data[0], -64, 64) + _laplace_of(uniform))
    return np.clip(answers, -64, 64)


__all__ = ["MECHANISMS", "Claimed", "round_finely"]
