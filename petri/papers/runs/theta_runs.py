"""Random runs of the θ-sensitive net, in time linear in the rows of the table.

A marking of the net cut by moves is the whole table, and the firing rule makes the whole table anew
for each move. A :class:`ThetaRun` keeps the same marking as counts by class and changes the classes
that a move changes. Everything else is the net's: what is enabled, in which order, and which
random number chooses among it. So the run of a seed is the one that
:class:`kproof.petri.spaces.simulate.Walker` takes, move by move; the tests compare what is enabled
in every reachable marking of small tables, and replay courses in the plain net.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from heapq import heappop, heappush
from random import Random

from kproof.models.tables.theta.moves import (
    absent,
    back_check,
    integer_variance,
    most_frequent_values,
)
from kproof.petri.papers.classes import ByRecord, ECs, Record
from kproof.petri.papers.publisher import Publisher

_NEAR = 64
"""Classes that are tried as donors before the heaps are asked."""


class ThetaMove(StrEnum):
    """What a run does in a step, by the name of the net's transition."""

    PAD = "pad"
    MASK = "mask"
    PASS = "pass"
    PUBLISH = "publish"
    SWAP = "swap"
    CROSS = "cross swap"
    NOISE = "noise"
    INFEASIBLE = "infeasible"


@dataclass(frozen=True, slots=True)
class RunStep:
    """One firing of the net."""

    move: ThetaMove
    """The transition."""
    c: int
    """The current class, from 0; of ``mask`` the first."""
    b: int | None = None
    """The class it exchanges with; None without an exchange."""
    x: int | None = None
    y: int | None = None
    """What leaves class c, and what comes from class b; for noise x is what comes. Codes of
    values, or numbers of records."""
    leaves: int | None = None
    comes: int | None = None
    """The rows of the table that change places, numbered as in the publisher's table; None for a
    noise row. On the level of values the net does not say which row with a value moves; each
    of them is equally likely to be named."""


class ThetaRun:
    """One run of the net cut by moves, which starts in the publisher's table.

    ``near`` classes are tried as donors, one after another, before the heaps are asked for the
    first one; any number gives the same donor.
    """

    def __init__(self, publisher: Publisher, *, near: int = _NEAR) -> None:
        formed, threshold = publisher.formed, publisher.threshold
        assert threshold is not None
        self._threshold = threshold
        self._least = lru_cache(maxsize=None)(threshold.least)
        self._records = isinstance(publisher.kind, ByRecord)
        self._domain = len(publisher.domain)
        # A row of noise carries a value: that nobody recorded one is none.
        self._fillers = tuple(code for code in range(self._domain) if code != formed.gap)
        self._near = near
        self.noise = 0
        code = {name: number for number, name in enumerate(formed.domain)}
        self._code_of = {
            row: code[value]
            for rows, values in zip(formed.rows, formed.values, strict=True)
            for row, value in zip(rows, values, strict=True)
        }
        # By class and value, the rows that have it; those of noise are negative.
        self.rows: list[dict[int, list[int]]] = []
        for rows in formed.rows:
            ec: dict[int, list[int]] = {}
            for row in sorted(rows):
                ec.setdefault(self._code_of[row], []).append(row)
            self.rows.append(ec)
        self.counts = [{value: len(rows) for value, rows in ec.items()} for ec in self.rows]
        self.sizes = [sum(counts.values()) for counts in self.counts]
        # Classes that may be short of rows are in the place MT first, and padded there.
        self.at = -1 if "MT" in publisher.net().place else 0
        self.ended: ThetaMove | None = None
        self._short = 0
        self._passing = [self._reaches(c) for c in range(len(self.counts))]
        # By value, classes that have it, first ones first; some may have lost it since.
        self._holders: list[list[int]] = [[] for _ in range(self._domain)]
        for c, values in enumerate(self.counts):
            for value in values:
                self._holders[value].append(c)

    def copy(self) -> ThetaRun:
        """Return a run of its own that stands where this one does."""
        # Only what a run changes is copied; the codes of the rows and the cache of `_least` are
        # shared.
        duplicate = copy(self)
        duplicate.rows = [{value: [*rows] for value, rows in ec.items()} for ec in self.rows]
        duplicate.counts = [{**counts} for counts in self.counts]
        duplicate.sizes = [*self.sizes]
        duplicate._passing = [*self._passing]
        duplicate._holders = [[*heap] for heap in self._holders]
        return duplicate

    # What is enabled.

    def possible(self) -> EnabledMoves:
        """Return what can happen now: nothing once the run is over."""
        if self.ended is not None:
            # Empty sources make no binding; None would stand for one empty binding.
            return EnabledMoves(ThetaMove.PUBLISH, 0, sources=())
        if self.at < 0:
            return self._prepare()
        c, last = self.at, len(self.counts) - 1
        if self._passing[c]:
            return EnabledMoves(ThetaMove.PASS if c < last else ThetaMove.PUBLISH, c)
        if c < last:
            donor = self._donor(c)
            if donor is not None:
                leaving = self._units(c, most_frequent_values(self.counts[c]))
                return EnabledMoves(ThetaMove.SWAP, c, donor, leaving, self._units_from(c, donor))
        elif c:
            mine, giver = self.counts[c], self.counts[c - 1]
            leaving = self._units(c, [x for x in most_frequent_values(mine) if x not in giver])
            coming = self._units(c - 1, [y for y in most_frequent_values(giver) if y not in mine])
            if leaving and coming:
                return EnabledMoves(ThetaMove.CROSS, c, c - 1, leaving, coming)
        lacking = self._absent_values(c)
        return EnabledMoves(
            ThetaMove.NOISE if lacking else ThetaMove.INFEASIBLE, c, sources=lacking or None
        )

    def _prepare(self) -> EnabledMoves:
        k = self._threshold.k
        while self._short < len(self.counts) and self.sizes[self._short] >= k:
            self._short += 1
        if self._short == len(self.counts):
            return EnabledMoves(ThetaMove.MASK, 0)
        lacking = self._absent_values(self._short)
        sources = lacking or self._fillers
        return EnabledMoves(ThetaMove.PAD, self._short, sources=sources)

    def _absent_values(self, c: int) -> tuple[int, ...]:
        return tuple(absent(self.counts[c], self._fillers))

    def _donor(self, c: int) -> int | None:
        """Return the first class after c that passes and has a value that c and noise lack."""
        if not self._units(c, most_frequent_values(self.counts[c])):
            return None
        mine = self.counts[c]
        end = min(c + 1 + self._near, len(self.counts))
        for b in range(c + 1, end):
            if self._passing[b] and any(
                value not in mine and self._movable(b, value) for value in self.counts[b]
            ):
                return b
        if end == len(self.counts):
            return None
        holders = (self._holder(c, value) for value in range(self._domain) if value not in mine)
        return min((b for b in holders if b is not None), default=None)

    def _holder(self, c: int, value: int) -> int | None:
        """Return the first class after c that passes and has a value."""
        heap = self._holders[value]
        # A later class that fails is nobody's donor any more until it is the current one.
        while heap and (
            heap[0] <= c or not self._passing[heap[0]] or not self._movable(heap[0], value)
        ):
            heappop(heap)
        return heap[0] if heap else None

    def _movable(self, c: int, value: int) -> bool:
        """Say whether a class has a value, on the level of records in a row that is a person's."""
        if not self._records:
            return value in self.counts[c]
        return any(row >= 0 for row in self.rows[c].get(value, ()))

    def _units_from(self, c: int, b: int) -> tuple[int, ...]:
        """Return the units that class c may take from class b."""
        movable = {v: times for v, times in self.counts[b].items() if self._movable(b, v)}
        return self._units(b, back_check(self.counts[c], movable))

    def _units(self, c: int, values: Sequence[int]) -> tuple[int, ...]:
        """Return what stands for values of a class in bindings: themselves, or their records."""
        if not self._records:
            return tuple(values)
        rows = self.rows[c]
        return tuple(sorted(row for value in values for row in rows[value] if row >= 0))

    # What happens.

    def take(self, step: RunStep) -> None:
        """Carry out a step that :meth:`possible` allows; its rows are those that move."""
        c, b = step.c, step.b
        match step.move:
            case ThetaMove.MASK:
                self.at = 0
            case ThetaMove.PASS:
                self.at += 1
            case ThetaMove.PUBLISH | ThetaMove.INFEASIBLE:
                self.ended = step.move
            case ThetaMove.NOISE | ThetaMove.PAD:
                assert step.x is not None
                self.noise += 1
                self._insert(c, step.x, -self.noise)
            case _:
                assert b is not None
                assert step.x is not None
                assert step.y is not None
                leaves = self._row(c, step.x, step.leaves)
                comes = self._row(b, step.y, step.comes)
                x, y = self.value(step.x), self.value(step.y)
                self._drop(c, x, leaves)
                self._drop(b, y, comes)
                self._insert(c, y, comes)
                self._insert(b, x, leaves)

    def step(self, moves: EnabledMoves, choice: int, naming: Callable[[], float]) -> RunStep:
        """Return the firing at a position among those that are enabled.

        ``naming`` gives numbers from 0 to 1 that choose which rows with a value move.
        """
        if moves.b is None:
            return RunStep(moves.move, moves.c, x=moves.sources[choice] if moves.sources else None)
        x, y = moves.pair(choice)
        leaves, comes = self._name_row(moves.c, x, naming), self._name_row(moves.b, y, naming)
        return RunStep(moves.move, moves.c, moves.b, x, y, leaves, comes)

    def _name_row(self, c: int, unit: int, naming: Callable[[], float]) -> int | None:
        if self._records:
            return unit
        rows = self.rows[c][unit]
        row = rows[int(naming() * len(rows))]
        # Noise is nobody's row: it has no number that a reader of the table would know.
        return row if row >= 0 else None

    def _row(self, c: int, unit: int, row: int | None) -> int:
        """Return the row that moves; of several noise rows with a value the one added last."""
        if row is not None:
            return row
        # Noise is numbered -1, -2 and so on, as it comes.
        return min(self.rows[c][unit])

    def value(self, unit: int) -> int:
        """Return the code of the value that a unit of an exchange has."""
        return self._code_of[unit] if self._records else unit

    def _drop(self, c: int, value: int, row: int) -> None:
        rows, counts = self.rows[c], self.counts[c]
        # Whether the class passes is asked in `_insert`, which follows: amid an exchange it lacks a
        # row.
        rows[value].remove(row)
        self.sizes[c] -= 1
        counts[value] -= 1
        if not counts[value]:
            del counts[value], rows[value]

    def _insert(self, c: int, value: int, row: int) -> None:
        counts = self.counts[c]
        insort(self.rows[c].setdefault(value, []), row)
        self.sizes[c] += 1
        counts[value] = counts.get(value, 0) + 1
        self._passing[c] = self._reaches(c)
        # Donors come later than the current class: of others nobody asks the heap.
        if c > self.at:
            heappush(self._holders[value], c)

    def _reaches(self, c: int) -> bool:
        # From scratch each time: a class has few values, and keeping count of how many of them have
        # each frequency costs more than it saves.
        return integer_variance(self.counts[c].values()) >= self._least(self.sizes[c])

    # What it comes to.

    def classes(self, publisher: Publisher) -> ECs:
        """Return the classes as tokens of the net."""
        domain = publisher.domain
        if not self._records:
            return tuple(
                tuple((domain[value], ec[value]) for value in sorted(ec)) for ec in self.counts
            )
        first_noise = 1 + max(map(max, publisher.formed.rows))
        return tuple(
            tuple(
                sorted(
                    Record(row, domain[value])
                    if row >= 0
                    else Record(first_noise + value, domain[value], dummy=True)
                    for value, rows in ec.items()
                    for row in rows
                )
            )
            for ec in self.rows
        )


@dataclass(frozen=True, slots=True)
class EnabledMoves:
    """What can happen in a marking: one transition, with every pair of values for x and y."""

    move: ThetaMove
    c: int
    b: int | None = None
    """The transition, the current class, and the class it exchanges with."""
    sources: tuple[int, ...] | None = None
    targets: tuple[int, ...] = ()
    """In ascending order, what may stand for x and for y; one empty binding by default."""

    def pair(self, choice: int) -> tuple[int, int]:
        """Return the units x and y of an exchange at a position among those that are enabled."""
        source, target = divmod(choice, len(self.targets))
        return (self.sources or ())[source], self.targets[target]

    def __len__(self) -> int:
        if self.sources is None:
            return 1
        return len(self.sources) * (1 if self.b is None else len(self.targets))


def steps_of(
    course: ThetaRun, chance: Callable[[], float], naming: Callable[[], float], most: int
) -> Iterator[RunStep]:
    """Take steps until the run ends or there were so many; yield each once it is taken.

    ``chance`` decides what happens: with :func:`kproof.petri.spaces.simulate.draws` of a run's
    number, the run that a :class:`kproof.petri.spaces.simulate.Walker` takes. ``naming`` decides
    which rows with a value are said to move; see :func:`namer_of`.
    """
    for _ in range(most):
        moves = course.possible()
        if not len(moves):
            return
        step = course.step(moves, int(chance() * len(moves)), naming)
        course.take(step)
        yield step


def namer_of(seed: int, number: int) -> Callable[[], float]:
    """Return what names the rows that move in a run: naming them must not change what happens."""
    # With a bit that no seed below 2^191 sets, so that no run draws these numbers for its choices.
    return Random(1 << 255 | seed << 64 | number).random
