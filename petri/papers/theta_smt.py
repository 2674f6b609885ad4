"""The θ-sensitive publisher for every table of a size at once, put to an SMT solver.

Safety is proved by induction over the steps of a run, of whatever length; defects are searched for
along runs of a given length, from an unknown table. A refutation comes with the table and the run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import z3

from kproof.petri.logic.smt import EFFORT, Outcome, Proof, model_value, solve, up_to_bound
from kproof.petri.papers import theta_encoding as encoding
from kproof.petri.papers.theta_encoding import EncodedTables, tables

__all__ = [
    "EncodedTables",
    "donor_falls",
    "every_publication_passes",
    "some_publication_fails",
    "some_run_sticks",
    "some_run_takes",
    "tables",
]


def every_publication_passes(size: EncodedTables, *, effort: int = EFFORT) -> Proof:
    """Decide whether every publication of every table of a size has V ≥ θ and k rows everywhere.

    By induction over the steps of a run, of any length: classes before the current one have
    reached θ, later ones have exactly k rows, the current one has at most k - 1 rows more than
    distinct values. The initial marking is so; the query asks for a step that leads out of it. All
    this stays as it is when the values are renamed, so it is enough to ask for the steps that move
    the first values.

    >>> every_publication_passes(tables(classes=3, k=3, values=4, mu="0.6")).outcome.value
    'proved'

    A step out of the invariant leaves the question open, since no run may come to where it starts:

    >>> every_publication_passes(tables(classes=2, k=3, values=4, mu="0.6", stale=True)).outcome
    <Outcome.UNKNOWN: 'unknown'>
    """
    before, after = encoding.state_of(size, 0), encoding.state_of(size, 1)
    premises = [*encoding.consistent(size, before), encoding.invariant(size, before)]
    broken = z3.Not(encoding.invariant(size, after))
    outcome, queries = Outcome.PROVED, []
    witness: tuple[object, ...] = ()
    # One query for each way to go on: together they would take far longer.
    for way in encoding.ways(size, before, after, first_values_only=True):
        answer, model, text = solve([*premises, way, broken], effort)
        queries.append(text)
        if answer is not Outcome.PROVED:
            # A step that leads out of the invariant may start where no run ever comes.
            outcome = Outcome.UNKNOWN
            witness = () if model is None else _run([before, after], model)
            break
    return Proof(
        name="every publication passes",
        claim="each published class has at least k rows and V >= theta",
        outcome=outcome,
        scope=f"{size}; runs of any length, by induction",
        witness=witness,
        queries=tuple(queries),
    )


def some_publication_fails(size: EncodedTables, *, steps: int, effort: int = EFFORT) -> Proof:
    """Look for a table and a run of so many steps that publishes a class below θ."""
    states = [encoding.state_of(size, number) for number in range(steps + 1)]
    last = states[-1]
    below = z3.Or([z3.Not(encoding.reaches(size, row, strict=False)) for row in last.counts])
    query = [*encoding.unroll(size, states), last.current == size.classes, below]
    return _search(size, states, query, "no published class is below theta", steps, effort)


def some_run_sticks(size: EncodedTables, *, steps: int, effort: int = EFFORT) -> Proof:
    """Look for a table and a run of so many steps that ends neither published nor infeasible.

    Infeasible is the end of a class that holds every value and is still below θ.
    """
    states = [encoding.state_of(size, number) for number in range(steps + 1)]
    last = states[-1]
    stuck = []
    for index, row in enumerate(last.counts):
        passes, below = last.known[index]
        full = z3.And(below, *(count > 0 for count in row))
        moves = [
            z3.And(below, move.enabled)
            for move in encoding.moves_of(size, last)
            if move.at == index
        ]
        stuck.append(
            z3.And(last.current == index, z3.Not(passes), z3.Not(full), z3.Not(z3.Or(moves)))
        )
    query = [*encoding.unroll(size, states), z3.Or(stuck)]
    return _search(size, states, query, "every run ends published or infeasible", steps, effort)


def some_run_takes(size: EncodedTables, *, steps: int, effort: int = EFFORT) -> Proof:
    """Look for a table with a run of more than so many steps before it ends.

    Proved means that every run of every table of the size ends within ``steps`` steps, which makes
    bounded searches of that length complete.
    """
    states = [encoding.state_of(size, number) for number in range(steps + 2)]
    query = [*encoding.unroll(size, states), states[-2].current < size.classes]
    claim = f"every run ends within {steps} steps"
    # A longer run would have such a beginning: the bound is part of the claim.
    return _search(size, states, query, claim, steps + 1, effort, complete=True)


def donor_falls(
    size: EncodedTables, *, name: str, below_theta: bool, effort: int = EFFORT
) -> Proof:
    """Look for a swap with the second class that lowers its V, to below θ if that is asked for."""
    before, after = encoding.state_of(size, 0), encoding.state_of(size, 1)
    swaps = [
        z3.And(move.enabled, *encoding.frame_condition(size, before, after, move.effect, move.at))
        for move in encoding.moves_of(size, before)
        if move.at == 0 and 1 in move.effect
    ]
    (s_0, q_0), (s_1, q_1) = (encoding.sums(size, state.counts[1]) for state in (before, after))
    falls = size.k * q_1 - s_1 * s_1 < size.k * q_0 - s_0 * s_0
    if below_theta:
        falls = z3.Not(encoding.reaches(size, after.counts[1], strict=False))
    query = [
        *encoding.unroll(size, [before]),
        before.known[0][1],
        z3.Or(swaps),
        after.current == 0,
        falls,
    ]
    outcome, model, text = solve(query, effort)
    return Proof(
        name=name,
        claim="a class that gives a value in a forward swap "
        + ("still has V >= theta" if below_theta else "has at least the same V afterwards"),
        outcome=outcome,
        scope=str(size),
        witness=_run([before, after], model) if model is not None else (),
        queries=(text,),
    )


def _search(
    size: EncodedTables,
    states: Sequence[encoding.State],
    query: Sequence[Any],
    claim: str,
    steps: int,
    effort: int,
    *,
    complete: bool = False,
) -> Proof:
    outcome, model, text = solve(query, effort)
    return Proof(
        name=claim,
        claim=claim,
        outcome=outcome if complete else up_to_bound(outcome),
        scope=f"{size}; runs of up to {steps} steps",
        witness=_run(states, model) if model is not None else (),
        queries=(text,),
    )


def _run(states: Sequence[encoding.State], model: Any) -> tuple[object, ...]:
    """Return the classes of each state of a model, with the index of the current one."""
    run: list[object] = []
    for state in states:
        classes = tuple(
            tuple(
                (value, count)
                for value, term in enumerate(row)
                if (count := model_value(model, term))
            )
            for row in state.counts
        )
        reached = (model_value(model, state.current), classes)
        if not run or run[-1] != reached:
            run.append(reached)
    return tuple(run)
