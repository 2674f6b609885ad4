"""Publishers that keep rows by coins in cells of at least k, as mechanisms with their claim."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from kproof.datasets import TextTable
from kproof.models.tables.sampled import sampled
from kproof.proptests.mechanisms.mechanism import Mechanism, NamedPair
from kproof.proptests.mechanisms.results import MechanismResults
from kproof.proptests.mechanisms.trials import Depth, check_mechanism, depth_named
from kproof.theory.exact.typed import Number, integer, rational
from kproof.theory.profiles.sampled import sampled_exact

Row = tuple[str, str]
"""A class, and a value in it."""
Published = tuple[str, ...]
"""The texts of all files that leave."""
Publish = Callable[[Sequence[Row], int], Published]
"""``publish(rows, run)`` publishes a table; other runs have other coins."""


_DEPTHS = {
    name: Depth(((4, runs),), smaller=0)
    for name, runs in (("quick", 400), ("default", 4_000), ("deep", 40_000))
}
"""By profile: a table is published in some milliseconds, so that all pairs have the same runs."""


@dataclass(frozen=True)
class HardPair:
    """Two tables that differ in one row."""

    name: str
    """What is special about the row, as a phrase."""
    others: tuple[Row, ...]
    """The rows of both."""
    row: Row
    """The row of one of them."""


def hard_pairs(k: int, beta: Fraction) -> tuple[HardPair, ...]:
    """Return pairs of tables that tell whatever must not stand beside a sample, and its worst pair.

    >>> [len(pair.others) for pair in hard_pairs(5, Fraction(1, 2))]
    [4, 0, 15, 8]
    """
    common, own = ("a", "common"), ("b", "own")
    return (
        HardPair("a row beside k - 1 of its kind", (common,) * (k - 1), common),
        HardPair("a row that is the only one", (), own),
        HardPair("a value of its own in a large class", (common,) * 3 * k, ("a", "own")),
        HardPair(
            # With so many others about k - 1 are sampled, and the row decides whether its cell has
            # k.
            "a class of its own beside k - 1 sampled others",
            (common,) * int((k - 1) / beta),
            own,
        ),
    )


def check_sampler(
    publish: Publish,
    *,
    k: Number,
    beta: Number,
    epsilon: Number = 1,
    profile: str | Depth = "default",
    seed: Number = 0,
    seconds: Number | None = None,
) -> MechanismResults:
    """Hold what publishes rows kept by coins in cells of at least k to its (ε, δ).

    Args:
        publish: ``publish(rows, run)`` returns the texts of all files that leave; a row is a class
            and a value. It has to answer for every table, a table of no rows among them. The first
            table of a pair has the row that the second has not.
        k, beta: What it says of its threshold and of the chance of a row, 0 < beta < 1.
        epsilon: Where δ is judged.
        profile, seed, seconds: As of :func:`check_mechanism`.

    >>> def everything(rows, run):
    ...     return (str(rows),)
    >>> results = check_sampler(everything, k=5, beta="1/2", profile="quick")
    >>> results.refuted, results.worst.pair
    (True, 'a row beside k - 1 of its kind')
    """
    threshold, chance = integer("k", k, least=1), rational("beta", beta, above=0, below=1)
    exponent = rational("epsilon", epsilon, least=0)

    def run(rows: Sequence[Row], seed: int) -> Published:
        texts = publish(rows, seed)
        if not isinstance(texts, tuple) or not all(isinstance(text, str) for text in texts):
            # A ValueError would be an answer.
            raise TypeError("need a tuple of texts, one for each file")
        return texts

    mechanism = Mechanism(
        run,
        epsilon=exponent,
        delta=sampled_exact(threshold, chance, epsilon=exponent).upper,
        neighbours=[
            NamedPair((*pair.others, pair.row), pair.others, pair.name)
            for pair in hard_pairs(threshold, chance)
        ],
        name=getattr(publish, "__name__", "publish"),
    )
    if isinstance(profile, str):
        depth_named(profile)
        profile = _DEPTHS[profile]
    return check_mechanism(
        mechanism, profile=profile, seed=seed, seconds=seconds, checks=["answers"]
    )


def sampled_publisher(k: Number, beta: Number) -> Publish:
    """Return what publishes with the method ``sampled``, with coins of a seed for each run."""
    least = integer("k", k, least=1)

    def publish(rows: Sequence[Row], run: int) -> Published:
        if len(rows) < least:
            # A table that is too small is refused, whoever is in it.
            rows = [*rows, *((f"other {place}", "") for place in range(least))]
        columns = tuple(zip(*rows, strict=True))
        table = TextTable("a table", ("class", "value"), columns, tuple(range(len(rows))))
        levels = ["class=value,value=value"]
        release = sampled(
            table, levels=levels, k=k, beta=beta, person=None, epsilons=[1], test_seed=run
        )
        return (release.to_csv(),)

    return publish
