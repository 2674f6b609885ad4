"""The θ-sensitive publisher for every table of a size at once, put to an SMT solver.

Safety is proved by induction over the steps of a run, of whatever length; defects are searched for
along runs of a given length, from an unknown table. A refutation comes with the table and the run.
Lemmas say what single moves do to V, in classes of any size.
"""

from collections.abc import Sequence
from typing import Any

import z3

from kproof.errors import InvalidArgument
from kproof.petri.logic.smt import EFFORT, Outcome, Proof, model_value, smt2, solve, up_to_bound
from kproof.petri.papers import theta_encoding as encoding
from kproof.petri.papers.publisher import Publisher
from kproof.petri.papers.theta_encoding import EncodedTables, tables


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
        passes, below = last.flags[index]
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
        before.flags[0][1],
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
        # A run that rests repeats its last state, and takes no step by that.
        if not run or run[-1] != reached:
            run.append(reached)
    return tuple(run)


# The lemmas speak of a class through its size N, its number d of distinct values, and the sums
# S = Σ x·f and Q = Σ x²·f over ranks x with frequencies f, so that N²·V = N·Q − S². Each is a
# statement about real numbers, which z3 decides for all of them at once; a bound on the class size
# enters nowhere.
#
# Taking a row of a most frequent value lowers the last rank t of those that are equally frequent,
# and a value the class did not have comes in at rank d + 1 with one row: S grows by s = d + 1 − t
# and Q by (d + 1)² − t². A noise row with such a value adds d + 1 to S and (d + 1)² to Q.
_n, _d, _t, _s, _q = z3.Reals("N d t S Q")
_x, _a, _b = z3.Reals("x a b")
# What holds of every class: ranks run from 1 to d, and S ≤ N(d + 1)/2. The latter is the sum of
# this: frequencies fall with the rank, so for ranks x and d + 1 − x with frequencies a ≥ b the rows
# of both have a mean rank of at most (d + 1)/2.
_RANKS = [_d >= 1, _n >= _d, _s >= _n, 2 * _s <= _n * (_d + 1)]
_NO_RANK_PAIRS = [
    _x >= 1, 2 * _x <= _d + 1, _a >= _b, _b >= 0,
    2 * (_x * _a + (_d + 1 - _x) * _b) > (_a + _b) * (_d + 1),
]  # fmt: skip


def _exchange(*hypotheses: Any) -> list[list[Any]]:
    """Return the negations of the steps by which an exchange raises V of a class of N > d rows."""
    step = _d + 1 - _t
    # N²·(V′ − V), and what it is the difference of.
    gain = step * (_n * (_d + 1 + _t) - 2 * _s - step)
    after = _n * (_q + (_d + 1) * (_d + 1) - _t * _t) - (_s + step) * (_s + step)
    last = [*_RANKS, _t >= 1, _t <= _d, *hypotheses, gain <= 0]
    return [_NO_RANK_PAIRS, [after - (_n * _q - _s * _s) != gain], last]


def _records() -> list[list[Any]]:
    """Return the negation of that a swap preserves the number of rows with each value."""
    here, there = (z3.Function(name, z3.IntSort(), z3.IntSort()) for name in "ab")
    x, y, v = z3.Ints("x y v")
    moved = z3.If(v == y, 1, 0) - z3.If(v == x, 1, 0)
    return [[(here(v) + moved) + (there(v) - moved) != here(v) + there(v)]]


def _noise() -> list[list[Any]]:
    """Return the negations of the steps by which a noise row with a new value raises V."""
    rank = _d + 1
    after = (_n + 1) * (_q + rank * rank) - (_s + rank) * (_s + rank)
    rises = after * _n * _n <= (_n * _q - _s * _s) * (_n + 1) * (_n + 1)
    # (x - 1)(d - x) >= 0 for each rank; summed over the rows this is Q <= (d + 1) S - d N.
    outside = [_x >= 1, _x <= _d, (_x - 1) * (_d - _x) < 0]
    return [_NO_RANK_PAIRS, outside, [*_RANKS, _q <= (_d + 1) * _s - _d * _n, rises]]


_PROVED = {
    "swap raises the receiver": (
        "a class with fewer distinct values than rows has a larger V after it gives one of its "
        "most frequent values for one it does not have",
        _exchange(_n >= _d + 1),
    ),
    "swap preserves records": (
        "after a swap every value has as many rows in both classes together as before",
        _records(),
    ),
    # It gives one of its most frequent values for a value it does not have. If some value repeats,
    # V rises as that of a receiver does, which is what the solver is asked. If none does, every
    # value occurs once before and after, and V is the same.
    "cross swap never lowers the donor": (
        "the class before the last has at least the same V after a cross swap",
        _exchange(_n >= _d + 1),
    ),
    "noise raises the class": (
        "a class has a larger V after it gets a row with a value it does not have",
        _noise(),
    ),
}
# Whether the donor is to fall below θ: because it can, its variance too has to be computed again.
_REFUTED = {"swap never lowers the donor": False, "a donor stays at theta": True}


def lemmas(*, effort: int = EFFORT) -> tuple[Proof, ...]:
    """Decide what one move does to V of a class of any size, and return the verdicts.

    >>> for proof in lemmas():
    ...     print(proof.name, "-", proof.outcome.value)
    swap raises the receiver - proved
    swap preserves records - proved
    cross swap never lowers the donor - proved
    noise raises the class - proved
    swap never lowers the donor - refuted
    a donor stays at theta - refuted
    """
    return tuple(lemma(name, effort=effort) for name in (*_PROVED, *_REFUTED))


def lemma(name: str, *, effort: int = EFFORT) -> Proof:
    """Decide one of the :func:`lemmas`, by its name."""
    if name in _REFUTED:
        size = tables(classes=2, k=3, values=4, mu="3/5")
        return donor_falls(size, name=name, below_theta=_REFUTED[name], effort=effort)
    claim, negations = _PROVED[name]
    # The claim follows from all steps; a counterexample to a step is none to the claim.
    answers = [solve(negation, effort) for negation in negations]
    proved = all(outcome is Outcome.PROVED for outcome, _, _ in answers)
    return Proof(
        name,
        claim,
        Outcome.PROVED if proved else Outcome.UNKNOWN,
        "classes of any size, any number of values",
        queries=tuple(text for _, _, text in answers),
    )


def theta_queries(publisher: Publisher) -> str:
    """Return the queries behind V ≥ θ in every publication of every table of a publisher's size.

    Classes of another size than k are refused: the proof is about classes of k rows. With them come
    the lemmas on single moves.
    """
    threshold = publisher.threshold
    if publisher.formed.gap is not None:
        missing_as, admissible = publisher.formed.missing_as, "value: the proof has no others"
        raise InvalidArgument("missing_as", missing_as, admissible)
    sizes = {len(members) for members in publisher.formed.values}
    if threshold is None or threshold.per_class or sizes != {threshold.k}:
        raise InvalidArgument(
            "smt2", publisher.build.net().name, "classes of k rows each, and one theta"
        )
    size = tables(
        classes=len(publisher.formed.values),
        k=threshold.k,
        values=len(publisher.domain),
        mu=threshold.mu,
    )
    return smt2((every_publication_passes(size), *lemmas()))
