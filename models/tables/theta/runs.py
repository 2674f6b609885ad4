"""Runs of Algorithm 1 over records, step by step and in plain Python.

:func:`adjust_plainly` is the algorithm as :func:`kproof.models.tables.theta.method.theta_sensitive`
documents it, written with the moves of :mod:`kproof.models.tables.theta.moves`; the kernel for
large tables gives the same result, row by row. :func:`adjust_printed` is the algorithm as it
stands in the paper.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from kproof.errors import Infeasible, show
from kproof.models.base.arrays import Codes
from kproof.models.base.classes import histogram
from kproof.models.tables.theta import moves
from kproof.models.tables.theta.moves import Multiset, Threshold
from kproof.models.tables.theta.options import Exhausted, Noise


@dataclass(frozen=True)
class Formed:
    """Classes as they were formed, and all that decides how they are adjusted."""

    codes: Codes
    class_of: Codes
    """Shape (rows,): sensitive code and class of each row; class -1 is left out."""
    count: int
    """Number of classes; each has a row."""
    domain: int
    """Number of sensitive codes."""
    threshold: Threshold
    """When a class passes."""
    preference: Codes
    """Shape (domain,): the codes in the order in which noise takes them."""
    offsets: Codes
    """Shape (count,): where in that order, taken as a circle, noise for a class begins."""
    padding: Codes
    """Shape (m,): values of the noise rows that fill a short last class."""

    def members(self) -> tuple[Codes, Codes]:
        """Return the rows sorted by class, and where each class starts among them."""
        # Stable: rows of a class stay in the order of the table, in which they move.
        members = np.argsort(self.class_of, kind="stable")
        starts = np.searchsorted(self.class_of[members], np.arange(self.count + 1))
        return members.astype(np.int64), starts.astype(np.int64)

    def absent(self, values: Multiset, current: int) -> Iterator[int]:
        """Return the values noise may take in a class, the first choice first."""
        turned = np.roll(self.preference, -int(self.offsets[current]))
        return moves.absent(values, turned.tolist())


@dataclass(frozen=True)
class Adjusted:
    """Classes after the algorithm, with an account of what it did."""

    class_of: Codes
    """Shape (rows,): class of each row now."""
    swaps: Codes
    """Shape (swaps, 2): rows exchanged, the receiving class's first, in order."""
    noise_class: Codes
    noise_value: Codes
    """Shape (noise,): class and value of each noise row, in order."""
    short: Codes
    """Shape (classes,): the classes that hold every value and are below the threshold."""

    def reinforce(self, start: Formed, exhausted: Exhausted, *, column: str) -> Adjusted:
        """Return the run with short classes brought to the threshold by repeated values.

        ``exhausted`` or a θ per class may forbid it.
        """
        if not len(self.short):
            return self
        threshold = start.threshold
        if exhausted is Exhausted.REFUSE or threshold.per_class:
            raise Infeasible(
                f"column {show(column)}: class {self.short[0]} holds all {start.domain} values "
                f"and is still below theta; need a smaller mu, a smaller k or "
                + ("theta at k" if threshold.per_class else 'exhausted="repeat"')
            )
        short_index = np.full(start.count, -1)
        short_index[self.short] = np.arange(len(self.short))
        real = self.class_of >= 0
        every_class = np.concatenate([self.class_of[real], self.noise_class])
        every_value = np.concatenate([start.codes[real], self.noise_value])
        in_short = short_index[every_class] >= 0
        entries = histogram(
            short_index[every_class[in_short]], every_value[in_short], len(self.short), start.domain
        )
        # Every value occurs in a short class, so the entries are a full table.
        table = entries.counts.reshape(len(self.short), start.domain)
        noise_of: dict[tuple[int, ...], tuple[int, ...]] = {}
        classes, values = [self.noise_class], [self.noise_value]
        for index, counts in zip(self.short, table, strict=True):
            order = np.argsort(-counts, kind="stable")
            # Classes that differ in the names of their values alone need the same rows, and
            # each search may be long.
            if (pattern := tuple(counts[order].tolist())) not in noise_of:
                noise_of[pattern] = moves.reinforcement(pattern, threshold)
            added = np.repeat(order, noise_of[pattern])
            classes.append(np.full(len(added), index))
            values.append(added)
        return replace(
            self,
            noise_class=np.concatenate(classes).astype(np.int64),
            noise_value=np.concatenate(values).astype(np.int64),
            short=np.zeros(0, dtype=np.int64),
        )


def form_classes(
    codes: Codes,
    class_of: Codes,
    domain: int,
    threshold: Threshold,
    *,
    noise: Noise = Noise.FREQUENT,
    seed: int | None = None,
) -> Formed:
    """Return the start of a run; a last class with fewer than k rows is filled up with noise.

    The filling takes values absent from the class while there are any, and then goes round again.
    """
    count = int(class_of.max()) + 1
    offsets = np.zeros(count, dtype=np.int64)
    if noise is Noise.FIRST:
        preference = np.arange(domain)
    elif noise is Noise.FREQUENT:
        # Stable: of values that are equally frequent the lower code, on every platform.
        preference = np.argsort(-np.bincount(codes, minlength=domain), kind="stable")
    else:
        # A uniform order, entered at a uniform place, makes each absent value equally likely.
        generator = np.random.default_rng(seed)
        preference = generator.permutation(domain)
        offsets = generator.integers(domain, size=count)
    choices_of_noise = preference.astype(np.int64), offsets.astype(np.int64)
    nothing = np.zeros(0, dtype=np.int64)
    start = Formed(codes, class_of, count, domain, threshold, *choices_of_noise, nothing)
    last = Counter(codes[class_of == count - 1].tolist())
    if (missing := threshold.k - last.total()) <= 0:
        return start
    padding: list[int] = []
    while len(padding) < missing:
        choices = list(start.absent(last, count - 1)) or start.preference.tolist()
        padding.extend(islice(choices, missing - len(padding)))
        last.update(choices)
    return replace(start, padding=np.array(padding, dtype=np.int64))


class _Run:
    """The classes of a run: multisets for the moves, stacks of rows for the records."""

    def __init__(self, start: Formed) -> None:
        self.start = start
        self.class_of = start.class_of.copy()
        self.values: list[dict[int, int]] = []
        self.rows: list[dict[int, list[int]]] = []
        self.swaps: list[tuple[int, int]] = []
        self.noise: list[tuple[int, int]] = []
        members, starts = start.members()
        for index in range(start.count):
            own_rows = members[starts[index] : starts[index + 1]].tolist()
            stacks: dict[int, list[int]] = {}
            # Backwards, so that the first row of the class with a value is the first to move.
            for row in reversed(own_rows):
                stacks.setdefault(int(start.codes[row]), []).append(row)
            self.rows.append(stacks)
            self.values.append({value: len(stack) for value, stack in stacks.items()})
        for value in start.padding.tolist():
            self.add(start.count - 1, value)

    def passes(self, index: int) -> bool:
        return self.start.threshold.passes(self.values[index])

    def real(self, index: int) -> dict[int, int]:
        """Return the values that a person in a class has: a noise row never moves."""
        return {value: n for value, n in self.values[index].items() if self.rows[index].get(value)}

    def cross_check(self) -> list[tuple[int, int]]:
        """Return what people in the last class and the one before may exchange."""
        last = self.start.count - 1
        pairs = moves.cross_check(self.values[last], self.values[last - 1]) if last else ()
        # Of a single class its own rows, in which nothing is looked up as there are no pairs.
        before = self.rows[last - 1]
        return [(x, y) for x, y in pairs if self.rows[last].get(x) and before.get(y)]

    def swap(self, receiver: int, donor: int, x: int, y: int) -> None:
        values = self.values
        values[receiver], values[donor] = moves.swap(values[receiver], values[donor], x, y)
        leaves, comes = self.rows[receiver][x].pop(), self.rows[donor][y].pop()
        self.rows[receiver].setdefault(y, []).append(comes)
        self.rows[donor].setdefault(x, []).append(leaves)
        self.class_of[leaves], self.class_of[comes] = donor, receiver
        self.swaps.append((leaves, comes))

    def add(self, index: int, value: int) -> None:
        self.values[index] = moves.add_noise(self.values[index], value)
        self.noise.append((index, value))

    def result(self, short: list[int]) -> Adjusted:
        swaps, noise = (
            np.array(pairs, dtype=np.int64).reshape(-1, 2) for pairs in (self.swaps, self.noise)
        )
        values = noise[:, 0].copy(), noise[:, 1].copy()
        return Adjusted(self.class_of, swaps, *values, np.array(short, dtype=np.int64))


def adjust_plainly(start: Formed) -> Adjusted:
    """Return the run of the corrected algorithm; the time is quadratic in the number of classes."""
    run = _Run(start)
    short = []
    for current in range(start.count):
        while not run.passes(current):
            if (move := _move(run, current)) is not None:
                run.swap(current, *move)
                continue
            value = next(start.absent(run.values[current], current), None)
            if value is None:
                short.append(current)
                break
            run.add(current, value)
    return run.result(short)


def _move(run: _Run, current: int) -> tuple[int, int, int] | None:
    """Return the donor, the value given and the value taken of the next exchange, if any."""
    values = run.values[current]
    last = run.start.count - 1
    if current < last:
        x = moves.most_frequent_values(values)[0]
        for donor in range(current + 1, last + 1):
            if run.passes(donor) and (lacked := moves.back_check(values, run.real(donor))):
                return donor, x, lacked[0]
        return None
    return next(((last - 1, x, y) for x, y in run.cross_check()), None)


def adjust_printed(start: Formed) -> Adjusted:
    """Return the run of Algorithm 1 line by line, with what is wrong with it.

    The loop of line 9 runs once for each class, while the current class only moves on at lines 40
    and 47: classes may stay unprocessed. Line 31 ends the search for a donor at the next class.
    Variances are those of line 6; only the current class's is ever computed again, so a donor that
    fell below θ later passes as it was. Lines 28, 39 and 43 want V > θ. The class before a single
    class does not exist; a single class goes to the noise of line 43, which never ends where every
    value is in the class and V still does not exceed θ: that is refused.
    """
    run = _Run(start)
    threshold, last = start.threshold, start.count - 1
    # As printed: judged before the first turn, and again on a class's own turn only.
    passes = [threshold.passes(values) for values in run.values]
    above = [threshold.exceeds(values) for values in run.values]
    current = 0
    for _ in range(start.count):
        if current > last:
            break
        if passes[current]:
            current += 1
            continue
        if current == last:
            for pair in run.cross_check()[:1]:
                run.swap(last, last - 1, *pair)
            if not threshold.passes(run.values[last]):
                _noise_until_above(run, last)
            break
        if above[current + 1]:
            if lacked := moves.back_check(run.values[current], run.real(current + 1)):
                given_value = moves.most_frequent_values(run.values[current])[0]
                run.swap(current, current + 1, given_value, lacked[0])
        else:
            _noise_until_above(run, current)
        passes[current] = threshold.passes(run.values[current])
        above[current] = threshold.exceeds(run.values[current])
        if above[current]:
            current += 1
    return run.result([])


def _noise_until_above(run: _Run, current: int) -> None:
    while not run.start.threshold.exceeds(run.values[current]):
        value = next(run.start.absent(run.values[current], current), None)
        if value is None:
            raise Infeasible(
                f"class {current}: line 43 of the printed algorithm never ends: the class holds "
                f"all {run.start.domain} values and V does not exceed theta = "
                f"{run.start.threshold.at(sum(run.values[current].values()))}; "
                'need a smaller mu or reading="corrected"'
            )
        run.add(current, value)
