"""The θ-sensitive publisher on the level of values, as formulas for z3.

The classes of a table are unknown counts: so many rows with each sensitive value. A formula then
speaks of all tables with so many classes, rows and values, and of every tie-break.

*How V ≥ θ becomes a formula over integers.* V weighs the values of a class by rank, which seems to
need sorting. Let h_t be the number of values that occur t times or more. The values that do so are
exactly those of rank 1, …, h_t, so that Σ x·f = Σ_t (1 + … + h_t) and Σ x²·f = Σ_t (1 + … + h_t²),
and no sorting is needed. For each class size N and each value s of the first sum, N²·V ≥ N²·θ is
the linear condition Σ x²·f ≥ s²/N + N·θ, rounded up.

Source: Khan et al., "θ-Sensitive k-Anonymity", Electronics 2020, 9(5), 716, Section 5.2, read as
:mod:`kproof.petri.papers.theta_sensitive` reads it on the level of values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, permutations
from math import ceil, floor
from typing import Any

import z3

from kproof.models.base.parameters import GROUP_K, REACHABLE_MU
from kproof.models.tables.theta.moves import Threshold, require_feasible
from kproof.theory.exact.typed import Number, integer

Counts = list[list[Any]]
"""Rows of each class with each value, as z3 terms."""


@dataclass(frozen=True)
class EncodedTables:
    """All tables of a size, and how Algorithm 1 is read on them."""

    classes: int
    """How many, at least 1."""
    k: int
    """Rows of each class, at least 2."""
    values: int
    """Size of the sensitive domain, at least 1."""
    mu: Fraction
    """0 < μ ≤ 1."""
    stale: bool = False
    """Whether a donor is judged by the variance it had at first (line 6 of the algorithm as
    printed) instead of the one it has now."""
    strict: bool = False
    """Whether a class passes only if V > θ and is worked on only if V < θ, as lines 10, 28 and 39
    have it."""

    @property
    def threshold(self) -> Threshold:
        """When a class passes."""
        return Threshold(self.mu, self.k)

    @property
    def largest(self) -> int:
        """Most rows a class can come to have.

        Noise adds a value the class does not have, so rows minus distinct values stays at most
        k - 1 while a class gets noise.
        """
        return self.k - 1 + self.values

    def __str__(self) -> str:
        return (
            f"all tables of {self.classes} classes with {self.k} rows and {self.values} sensitive "
            f"values, mu = {self.mu}"
        )


def tables(
    *, classes: int, k: int, values: int, mu: Number, stale: bool = False, strict: bool = False
) -> EncodedTables:
    """Return all tables of a size; Infeasible if so few values cannot reach θ.

    >>> print(tables(classes=3, k=4, values=7, mu="0.6"))
    all tables of 3 classes with 4 rows and 7 sensitive values, mu = 3/5
    """
    size = EncodedTables(
        integer("classes", classes, least=1),
        GROUP_K.read(k),
        integer("values", values, least=1),
        REACHABLE_MU.read(mu),
        stale,
        strict,
    )
    require_feasible(size.threshold, size.values, "values")
    return size


@dataclass(frozen=True)
class State:
    """One marking of the value-level net as z3 terms."""

    counts: Counts
    """Rows of each class with each value."""
    current: Any
    """Index of the class at work; the number of classes once the table is published."""
    flags: list[tuple[Any, Any]]
    """Whether each class is taken to have reached θ, and whether it is taken to be below."""


@dataclass(frozen=True)
class Move:
    """One way to work on the current class: exchange two values, or add one."""

    at: int
    values: tuple[int, ...]
    enabled: Any
    effect: dict[int, dict[int, int]]


def state_of(size: EncodedTables, number: int) -> State:
    """Return fresh unknowns for the state after so many steps."""
    counts = [
        [z3.Int(f"f_{number}_{index}_{value}") for value in range(size.values)]
        for index in range(size.classes)
    ]
    flags = [
        (z3.Bool(f"passes_{number}_{index}"), z3.Bool(f"below_{number}_{index}"))
        for index in range(size.classes)
    ]
    return State(counts, z3.Int(f"c_{number}"), flags)


def reaches(size: EncodedTables, row: Sequence[Any], *, strict: bool) -> Any:
    """Return the condition V ≥ θ (or V > θ) for a class of k to ``largest`` rows."""
    rows = z3.Sum(row)
    total, squares = sums(size, row)
    theta = size.threshold.at(size.k)
    # V ≥ θ is q ≥ θn + s²/n for q squares. With n and s fixed the right side is a number, so that
    # the solver gets no products of unknowns.
    cases = []
    for n in range(size.k, size.largest + 1):
        # No other sums come up: ranks begin at 1, and as frequencies fall with them their mean is
        # (values + 1)/2 at most. A sum that is left out would make `reaches` false, so that a class
        # would count as below θ.
        for s in range(n, n * (size.values + 1) // 2 + 1):
            bound = theta * n + Fraction(s * s, n)
            minimum = floor(bound) + 1 if strict else ceil(bound)
            cases.append(z3.And(rows == n, total == s, squares >= minimum))
    return z3.Or(cases)


def sums(size: EncodedTables, row: Sequence[Any]) -> tuple[Any, Any]:
    """Return Σ x·f and Σ x²·f over the ranks x of a class."""
    first: list[Any] = []
    second: list[Any] = []
    for times in range(1, size.largest + 1):
        height = z3.Sum([z3.If(count >= times, 1, 0) for count in row])
        for rank in range(1, size.values + 1):
            first.append(z3.If(height >= rank, rank, 0))
            second.append(z3.If(height >= rank, rank * rank, 0))
    return z3.Sum(first), z3.Sum(second)


def consistent(size: EncodedTables, state: State) -> list[Any]:
    """Return what ties the variances that are known to the counts, where nothing is stale."""
    if size.stale:
        return []
    return [
        term
        for index, row in enumerate(state.counts)
        for term in _variance_flags(size, state, index, row)
    ]


def _variance_flags(size: EncodedTables, state: State, index: int, row: Sequence[Any]) -> list[Any]:
    passes, below = state.flags[index]
    # Of V = θ, which is neither above nor below, only the strict reading knows.
    reached = reaches(size, row, strict=False) if size.strict else passes
    return [passes == reaches(size, row, strict=size.strict), below == z3.Not(reached)]


def invariant(size: EncodedTables, state: State) -> Any:
    """Return what is true of every state of every run; see ``every_publication_passes``."""
    parts = [state.current >= 0, state.current <= size.classes]
    for index, row in enumerate(state.counts):
        rows = z3.Sum(row)
        distinct = z3.Sum([z3.If(count > 0, 1, 0) for count in row])
        parts += [
            *(count >= 0 for count in row),
            rows >= size.k,
            rows <= size.largest,
            z3.Implies(state.current < index, rows == size.k),
            z3.Implies(state.current == index, rows - distinct <= size.k - 1),
            z3.Implies(state.current > index, reaches(size, row, strict=False)),
        ]
    return z3.And(parts)


def _most_frequent(row: Sequence[Any], value: int) -> Any:
    return z3.And([row[value] >= count for count in row])


def moves_of(size: EncodedTables, state: State) -> list[Move]:
    """Return the swaps and noise rows of a state; which class is current is left to the caller."""
    values = range(size.values)
    moves: list[Move] = []
    for index, row in enumerate(state.counts):
        swaps: list[Move] = []
        if index + 1 < size.classes:
            earlier: list[Any] = []
            for donor in range(index + 1, size.classes):
                giver = state.counts[donor]
                offers = z3.And(
                    state.flags[donor][0],
                    z3.Or([z3.And(giver[y] > 0, row[y] == 0) for y in values]),
                )
                # Of several classes that could give the algorithm takes the first.
                first = z3.And(offers, *(z3.Not(offer) for offer in earlier))
                earlier.append(offers)
                swaps += [
                    Move(
                        index,
                        (x, y),
                        z3.And(
                            first,
                            _most_frequent(row, x),
                            row[y] == 0,
                            giver[y] > 0,
                            # A most frequent one of the values that the class lacks, not of all.
                            *(z3.Or(row[z] > 0, giver[z] <= giver[y]) for z in values),
                        ),
                        _exchange(index, donor, x, y),
                    )
                    for x, y in permutations(values, 2)
                ]
        elif index > 0:
            giver = state.counts[index - 1]
            swaps = [
                Move(
                    index,
                    (x, y),
                    z3.And(
                        _most_frequent(row, x), giver[x] == 0, _most_frequent(giver, y), row[y] == 0
                    ),
                    _exchange(index, index - 1, x, y),
                )
                for x, y in permutations(values, 2)
            ]
        # Noise only where no exchange is possible, whichever ties it would go by.
        none = z3.Not(z3.Or([move.enabled for move in swaps]))
        moves += swaps
        moves += [Move(index, (v,), z3.And(none, row[v] == 0), {index: {v: 1}}) for v in values]
    return moves


def _exchange(receiver: int, donor: int, x: int, y: int) -> dict[int, dict[int, int]]:
    return {receiver: {x: -1, y: 1}, donor: {x: 1, y: -1}}


def ways(
    size: EncodedTables, before: State, after: State, *, first_values_only: bool = False
) -> list[Any]:
    """Return the conditions on which one state follows another, one for each way to go on."""
    options = []
    for index in range(size.classes):
        passes, _ = before.flags[index]
        is_current = before.current == index
        options.append(
            z3.And(
                is_current,
                passes,
                after.current == index + 1,
                *frame_condition(size, before, after),
            )
        )
    for move in moves_of(size, before):
        # Values are interchangeable: what one of them or a pair cannot break, no other can.
        if first_values_only and move.values not in ((0, 1), (0,)):
            continue
        _, below = before.flags[move.at]
        options.append(
            z3.And(
                before.current == move.at,
                below,
                move.enabled,
                after.current == move.at,
                *frame_condition(size, before, after, move.effect, move.at),
            )
        )
    return options


def frame_condition(
    size: EncodedTables,
    before: State,
    after: State,
    effect: dict[int, dict[int, int]] | None = None,
    worked_on: int | None = None,
) -> list[Any]:
    """Return that the second state is the first but for what a move adds to the counts."""
    changes = effect or {}
    equations = []
    for index, row in enumerate(before.counts):
        change = changes.get(index, {})
        equations += [
            after.counts[index][value] == count + change.get(value, 0)
            for value, count in enumerate(row)
        ]
        if size.stale and index == worked_on:
            equations += _variance_flags(size, after, index, after.counts[index])
        elif size.stale:
            equations += [
                now == then
                for now, then in zip(after.flags[index], before.flags[index], strict=True)
            ]
    return equations


def unroll(size: EncodedTables, states: Sequence[State]) -> list[Any]:
    """Return the condition that states follow one another from some table, or rest once it ends."""
    start = states[0]
    parts = [start.current == 0]
    for index, row in enumerate(start.counts):
        parts += [*(count >= 0 for count in row), z3.Sum(row) == size.k]
        parts += _variance_flags(size, start, index, row)
    for before, after in pairwise(states):
        rests = z3.And(
            before.current == size.classes,
            after.current == size.classes,
            *frame_condition(size, before, after, {}),
        )
        parts += [z3.Or(*ways(size, before, after), rests), *consistent(size, after)]
    return parts
