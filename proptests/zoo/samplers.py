"""Samplers that publish what must not stand beside a sample (R10): each is refuted by its runs."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from itertools import compress

from kproof.proptests.mechanisms.sampler import Published, Row
from kproof.proptests.zoo.base import story_of
from kproof.theory.exact.coins import CoinSource

K, BETA = 5, Fraction(1, 2)
"""Of all mutants: a worst event of chance 1/32 at ε = 1."""


@dataclass(frozen=True)
class Sampler:
    """A broken sampler."""

    rule: str
    """Which of ``kproof.theory.theorems.releases.refused.REFUSED_RULES`` refuses it."""
    publish: Callable[[Sequence[Row], int], Published]
    """What is broken."""
    story: str
    """How such a fault comes about, as a sentence."""


SAMPLERS: list[Sampler] = []
"""Each with the rule that it breaks."""

_Fault = Callable[[list[Row], CoinSource], Iterable[Iterable[str]]]


def _breaks(rule: str) -> Callable[[_Fault], _Fault]:
    def collect(fault: _Fault) -> _Fault:
        def publish(rows: Sequence[Row], run: int) -> Published:
            return tuple("\n".join(lines) for lines in fault([*rows], CoinSource.of_seed(run)))

        SAMPLERS.append(Sampler(rule, publish, story_of(fault)))
        return fault

    return collect


def _sample(rows: Sequence[Row], coins: CoinSource) -> list[Row]:
    return [row for row in rows if coins.toss(BETA)]


def _large(cells: Sequence[str]) -> list[bool]:
    """Say of each row whether its cell has k."""
    sizes = Counter(cells)
    return [sizes[cell] >= K for cell in cells]


def _texts(rows: Sequence[Row]) -> list[str]:
    return [" ".join(row) for row in rows]


def _drop_small(cells: Sequence[str]) -> list[str]:
    return [*compress(cells, _large(cells))]


@_breaks("class-threshold")
def _class_threshold(rows: list[Row], coins: CoinSource) -> Iterable[list[str]]:
    """Count the rows of the class, as k-anonymity does, and show the values."""
    sample = _sample(rows, coins)
    yield [*compress(_texts(sample), _large([name for name, _ in sample]))]


@_breaks("left-out")
def _star_small(rows: list[Row], coins: CoinSource) -> Iterable[list[str]]:
    """Show what is left out as rows of stars, as tools that suppress do."""
    cells = _texts(_sample(rows, coins))
    yield [cell if large else "*" for cell, large in zip(cells, _large(cells), strict=True)]


@_breaks("sample-size")
def _with_size(rows: list[Row], coins: CoinSource) -> Iterable[list[str]]:
    """Say how many rows were sampled, as a method section would."""
    cells = _texts(_sample(rows, coins))
    yield _drop_small(cells)
    yield [f"n = {len(cells)}"]


@_breaks("class-totals")
def _with_totals(rows: list[Row], coins: CoinSource) -> Iterable[list[str]]:
    """Add a table of totals, for statistics of whole classes."""
    sample = _sample(rows, coins)
    yield _drop_small(_texts(sample))
    yield [f"{name}: {size}" for name, size in sorted(Counter(row[0] for row in sample).items())]


@_breaks("reused-coins")
def _twice(rows: list[Row], coins: CoinSource) -> Iterable[list[str]]:
    """Publish the same sample at a second level, for readers who need other columns."""
    sample = _sample(rows, coins)
    yield _drop_small(_texts(sample))
    yield _drop_small([name for name, _ in sample])


@_breaks("levels-on-sample")
def _best_level(rows: list[Row], coins: CoinSource) -> Iterable[list[str]]:
    """Take the level that shows more of the sample, as a search for least loss does."""
    sample = _sample(rows, coins)
    fine, coarse = _drop_small(_texts(sample)), _drop_small([name for name, _ in sample])
    yield coarse if len(coarse) > len(fine) else fine


@_breaks("merged-rest")
def _merge_small(rows: list[Row], coins: CoinSource) -> Iterable[list[str]]:
    """Put small cells together until they have k, so that less is lost."""
    cells = _texts(_sample(rows, coins))
    merged = [cell if large else "rest" for cell, large in zip(cells, _large(cells), strict=True)]
    yield _drop_small(merged)


@_breaks("hashed-coins")
def _hash_coins(rows: list[Row], coins: CoinSource) -> Iterable[list[str]]:
    """Toss a row's coin by a hash of what it says, so that runs can be repeated."""
    # Other coins in each run. What is wrong is that rows that say the same have one coin together.
    salt = coins.bits(64)
    yield _drop_small(
        [cell for cell in _texts(rows) if sha256(f"{salt} {cell}".encode()).digest()[0] % 2]
    )


__all__ = ["BETA", "SAMPLERS", "K", "Sampler"]
