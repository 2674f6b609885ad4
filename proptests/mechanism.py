"""Whether what is published by coins is worth the (ε, δ) that is claimed: δ from below, by runs.

Pairs of tables that differ in one row are published many times. An event is chosen by the first
half of the runs, of what is e^ε times as frequent with the row as without it, or the other way
round, and judged by the second half: the chances of one event lie between the bounds of Clopper and
Pearson, which are exact, for all pairs and directions together with the confidence that was asked
for. A δ above the claimed one refutes the claim. One below it proves nothing: no runs prove that
there is no better event, or no worse pair.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import partial

from kproof.datasets import TextTable
from kproof.errors import InvalidArgument
from kproof.forms import JsonForm
from kproof.models.tables.sampled import sampled
from kproof.theory.exact.enclosure import Enclosure
from kproof.theory.exact.precision import working_bits
from kproof.theory.exact.typed import Number, as_arb, integer, rational
from kproof.theory.profiles.binomial_tails import upper_tail
from kproof.theory.profiles.sampled import sampled_exact
from kproof.theory.theorems.bounds import shown_exactly

Row = tuple[str, str]
"""A class, and a value in it."""
Published = tuple[str, ...]
"""The texts of all files that leave."""
Publish = Callable[[Sequence[Row], int], Published]
"""``publish(rows, run)`` publishes a table; other runs have other coins."""
_BITS = 40
"""Of the chances that bounds of Clopper and Pearson are looked for among."""


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
            "a class of its own beside k - 1 sampled others", (common,) * int((k - 1) / beta), own
        ),
    )


@dataclass(frozen=True)
class MechanismTrial:
    """An event, and how often it occurred."""

    pair: str
    """How the tables differ."""
    present: bool
    """Whether the event is likelier with the row than without it."""
    event: str
    """What tells the tables apart, as a phrase."""
    likelier: int
    """Runs in which it occurred of the table where it is likelier."""
    other: int
    """Runs in which it occurred of the other table."""
    runs: int
    """Runs of each."""
    delta: Fraction
    """What δ is at least; 0 if nothing follows."""

    to_dict = JsonForm(exact=shown_exactly)

    def __str__(self) -> str:
        sides = ("with", "without") if self.present else ("without", "with")
        return (
            f"{self.pair} makes delta at least {float(self.delta):.4f}, told by {self.event}: in "
            f"{self.likelier} of {self.runs} runs {sides[0]} the row, in {self.other} {sides[1]} it"
        )


@dataclass(frozen=True)
class MechanismResults:
    """What runs say of a claimed (ε, δ)."""

    epsilon: Fraction
    """ε of the claim."""
    claimed: Decimal
    """δ of the claim (R7), rounded up."""
    confidence: Fraction
    """With which every δ of a trial is right, all of them together."""
    trials: tuple[MechanismTrial, ...]
    """For each pair and direction."""

    @property
    def worst(self) -> MechanismTrial:
        """The trial with the largest δ."""
        return max(self.trials, key=lambda trial: trial.delta)

    @property
    def refuted(self) -> bool:
        """Whether δ is larger than the claimed one."""
        return self.worst.delta > Fraction(self.claimed)

    def __str__(self) -> str:
        verdict = "refuted" if self.refuted else "not refuted, which proves nothing"
        return (
            f"delta {float(self.claimed):.4g} at epsilon {float(self.epsilon):g} is {verdict}; "
            f"{self.worst}"
        )

    to_dict = JsonForm("epsilon claimed confidence trials refuted", schema=1, exact=shown_exactly)


def check_mechanism(
    publish: Publish,
    *,
    k: Number,
    beta: Number,
    epsilon: Number = 1,
    runs: Number = 4000,
    confidence: Number = "999999/1000000",
) -> MechanismResults:
    """Hold what publishes rows kept by coins in cells of at least k to its (ε, δ).

    Args:
        publish: ``publish(rows, run)`` returns the texts of all files that leave; a row is a class
            and a value. It has to answer for every table, a table of no rows among them.
        k, beta: What it says of its threshold and of the chance of a row, 0 < beta < 1.
        epsilon: Where δ is judged.
        runs: How often each table is published, 4 or more; half of the runs choose the event.
        confidence: Below 1.

    >>> def everything(rows, run):
    ...     return (str(rows),)
    >>> results = check_mechanism(everything, k=5, beta="1/2", runs=200)
    >>> results.refuted, results.worst.pair
    (True, 'a row beside k - 1 of its kind')
    """
    threshold, chance = integer("k", k, least=1), rational("beta", beta, above=0, below=1)
    exponent = rational("epsilon", epsilon, least=0)
    count = integer("runs", runs, least=4) // 2
    error = 1 - rational("confidence", confidence, above=0, below=1)
    pairs = hard_pairs(threshold, chance)
    with working_bits(128):
        power = Fraction(Enclosure.from_arb(as_arb(exponent).exp(), low=0).upper)
    trials, run = [], iter(range(4 * count * len(pairs)))
    for pair in pairs:
        tables = (*pair.others, pair.row), pair.others
        outcomes = [
            [_publication_of(publish, table, next(run)) for _ in range(2 * count)]
            for table in tables
        ]
        for present in (True, False):
            likelier, other = outcomes if present else outcomes[::-1]
            phrase, holds = _choose_event(likelier[:count], other[:count], power)
            hits = sum(map(holds, likelier[count:]))
            misses = sum(map(holds, other[count:]))
            # Two bounds for each pair and direction.
            alpha = error / (4 * len(pairs))
            least = _least_chance(hits, count, alpha)
            most = 1 - _least_chance(count - misses, count, alpha)
            gain = max(Fraction(0), least - power * most)
            trials.append(MechanismTrial(pair.name, present, phrase, hits, misses, count, gain))
    claimed = sampled_exact(threshold, chance, epsilon=exponent).upper
    return MechanismResults(exponent, claimed, 1 - error, tuple(trials))


def sampled_publisher(k: Number, beta: Number) -> Publish:
    """Return what publishes with the method ``sampled``, with coins of a seed for each run."""
    least = integer("k", k, least=1)

    def publish(rows: Sequence[Row], run: int) -> Published:
        if len(rows) < least:
            # A table that is too small is refused, whoever is in it.
            rows = [*rows, *((f"other {place}", "") for place in range(least))]
        columns = tuple(zip(*rows, strict=True))
        table = TextTable("a table", ("class", "value"), columns, tuple(range(len(rows))))
        release = sampled(
            table,
            levels=["class=value,value=value"],
            k=k,
            beta=beta,
            person=None,
            epsilons=[1],
            test_seed=run,
        )
        return (release.to_csv(),)

    return publish


def _publication_of(publish: Publish, rows: Sequence[Row], run: int) -> Published:
    try:
        texts = publish(rows, run)
    except Exception as error:  # whatever somebody else's function does
        reason = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise InvalidArgument("publish", f"{len(rows)} rows", f"an answer; {reason}") from error
    if not isinstance(texts, tuple) or not all(isinstance(text, str) for text in texts):
        raise InvalidArgument("publish", texts, "a tuple of texts, one for each file")
    return texts


Event = Callable[[Published], bool]


def _choose_event(
    likelier: Sequence[Published], other: Sequence[Published], power: Fraction
) -> tuple[str, Event]:
    """Return the event that gains most in these runs, with its phrase."""
    best: tuple[Fraction, str, Event] = Fraction(-1), "", bool
    for phrase, reading in _readings((*likelier, *other)):
        counts = Counter(map(reading, likelier))
        counts_there = Counter(map(reading, other))
        frequent = {value for value, count in counts.items() if count > power * counts_there[value]}
        gain = sum((counts[value] - power * counts_there[value] for value in frequent), Fraction(0))
        if gain > best[0]:
            best = gain, phrase, _event(reading, frozenset(frequent))
    return best[1:]


def _event(reading: Callable[[Published], Hashable], values: frozenset[Hashable]) -> Event:
    return lambda published: reading(published) in values


def _readings(
    outcomes: Sequence[Published],
) -> Iterator[tuple[str, Callable[[Published], Hashable]]]:
    """Yield what may be read from published texts: sizes, single lines, and all of it."""
    yield "the number of rows", _sizes
    for line in sorted({line for texts in outcomes for text in texts for line in text.split("\n")}):
        yield f"whether {line!r} is there", partial(_has, line)
    yield "all rows", _rows


def _sizes(texts: Published) -> Hashable:
    return tuple(text.count("\n") + bool(text) for text in texts)


def _has(line: str, texts: Published) -> Hashable:
    return any(line in text.split("\n") for text in texts)


def _rows(texts: Published) -> Hashable:
    # In an order of their own: a shuffle would leave nothing that is seen twice.
    return tuple(tuple(sorted(text.split("\n"))) for text in texts)


def _least_chance(hits: int, runs: int, alpha: Fraction) -> Fraction:
    """Return the lower bound of Clopper and Pearson for the chance of an event.

    >>> round(float(_least_chance(10, 10, Fraction(1, 1024))), 9), _least_chance(0, 10, Fraction(1))
    (0.5, Fraction(0, 1))
    """
    low, high = 0, 1 << _BITS
    while hits and high - low > 1:
        middle = (low + high) // 2
        with working_bits(128):
            tail = upper_tail(runs, Fraction(middle, 1 << _BITS), hits)
        # With a smaller chance so many hits are rarer than alpha.
        low, high = (middle, high) if tail <= as_arb(alpha) else (low, middle)
    return Fraction(low, 1 << _BITS)


__all__ = [
    "HardPair",
    "MechanismResults",
    "MechanismTrial",
    "Publish",
    "check_mechanism",
    "hard_pairs",
    "sampled_publisher",
]
