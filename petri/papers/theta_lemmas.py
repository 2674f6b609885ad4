"""What single moves do to V: lemmas about classes of any size, and claims that are false.

The lemmas speak of a class through its size N, its number d of distinct values, and the sums
S = Σ x·f and Q = Σ x²·f over ranks x with frequencies f, so that N²·V = N·Q − S². Each is a
statement about real numbers, which z3 decides for all of them at once; a bound on the class size
enters nowhere.

A move changes the sums as follows. Taking a row of a most frequent value lowers the last rank t of
those that are equally frequent, and a value the class did not have comes in at rank d + 1 with one
row: S grows by s = d + 1 − t and Q by (d + 1)² − t². A noise row with such a value adds d + 1 to S
and (d + 1)² to Q.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import z3

from kproof.errors import InvalidArgument
from kproof.petri.logic.smt import EFFORT, Outcome, Proof, smt2, solve
from kproof.petri.papers.publisher import Publisher
from kproof.petri.papers.theta_smt import donor_falls, every_publication_passes, tables

_ANY = "classes of any size, any number of values"


def lemmas(*, effort: int = EFFORT) -> tuple[Proof, ...]:
    """Decide what one move does, and return the verdicts.

    >>> for proof in lemmas():
    ...     print(proof.name, "-", proof.outcome.value)
    swap raises the receiver - proved
    swap preserves records - proved
    cross swap never lowers the donor - proved
    noise raises the class - proved
    swap never lowers the donor - refuted
    a donor stays at theta - refuted
    """
    holding = receiver_rises, records_preserved, cross_donor_never_falls, noise_raises
    failing = donor_never_falls, donor_stays
    return tuple(decide(effort=effort) for decide in (*holding, *failing))


def receiver_rises(*, effort: int = EFFORT) -> Proof:
    """Prove that a swap strictly raises V of a class that holds some value twice."""
    return _prove(
        "swap raises the receiver",
        "a class with fewer distinct values than rows has a larger V after it gives one of its "
        "most frequent values for one it does not have",
        _exchange_steps(),
        effort,
    )


def records_preserved(*, effort: int = EFFORT) -> Proof:
    """Prove that a swap preserves the number of rows with each value."""
    counts = z3.Function("a", z3.IntSort(), z3.IntSort())
    other_counts = z3.Function("b", z3.IntSort(), z3.IntSort())
    x, y, v = z3.Ints("x y v")
    moved = z3.If(v == y, 1, 0) - z3.If(v == x, 1, 0)
    together = (counts(v) + moved) + (other_counts(v) - moved) != counts(v) + other_counts(v)
    return _prove(
        "swap preserves records",
        "after a swap every value has as many rows in both classes together as before",
        [[together]],
        effort,
    )


def cross_donor_never_falls(*, effort: int = EFFORT) -> Proof:
    """Prove that the class before the last does not lose V by a cross swap.

    It gives one of its most frequent values for a value it does not have. If some value repeats,
    V rises as that of a receiver does, which is what the solver is asked. If none does, every value
    occurs once before and after, and V is the same.
    """
    return _prove(
        "cross swap never lowers the donor",
        "the class before the last has at least the same V after a cross swap",
        _exchange_steps(),
        effort,
    )


def noise_raises(*, effort: int = EFFORT) -> Proof:
    """Prove that a noise row with a new value strictly raises V."""
    rank = _d + 1
    after = (_n + 1) * (_q + rank * rank) - (_s + rank) * (_s + rank)
    return _prove(
        "noise raises the class",
        "a class has a larger V after it gets a row with a value it does not have",
        [
            _rank_pairs(),
            # (x - 1)(d - x) >= 0 for each rank; summed over the rows this is Q <= (d + 1) S - d N.
            [_x >= 1, _x <= _d, (_x - 1) * (_d - _x) < 0],
            [
                *_rank_facts(),
                _q <= (_d + 1) * _s - _d * _n,
                after * _n * _n <= (_n * _q - _s * _s) * (_n + 1) * (_n + 1),
            ],
        ],
        effort,
    )


def donor_never_falls(*, effort: int = EFFORT) -> Proof:
    """Refute that a forward swap never lowers V of the class that gives."""
    return _refute_donor("swap never lowers the donor", effort, below_theta=False)


def donor_stays(*, effort: int = EFFORT) -> Proof:
    """Refute that a donor, which has V ≥ θ, still has it after the swap.

    This is why variances have to be computed again for the donor as well.
    """
    return _refute_donor("a donor stays at theta", effort, below_theta=True)


def _refute_donor(name: str, effort: int, *, below_theta: bool) -> Proof:
    size = tables(classes=2, k=3, values=4, mu="3/5")
    return donor_falls(size, name=name, below_theta=below_theta, effort=effort)


_n, _d, _t, _s, _q = z3.Reals("N d t S Q")
_x, _a, _b = z3.Reals("x a b")


def _rank_facts() -> list[Any]:
    """Return what holds of every class: ranks run from 1 to d, and S ≤ N(d + 1)/2."""
    return [_d >= 1, _n >= _d, _s >= _n, 2 * _s <= _n * (_d + 1)]


def _exchange_facts() -> list[Any]:
    return [*_rank_facts(), _t >= 1, _t <= _d]


def _exchange_steps() -> list[list[Any]]:
    """Return the negations of the steps by which an exchange raises V of a class of N > d rows."""
    return [_rank_pairs(), _sum_identity(), [*_exchange_facts(), _n >= _d + 1, _gain() <= 0]]


def _gain() -> Any:
    """Return N²·(V′ − V) of a class of N rows after an exchange."""
    step = _d + 1 - _t
    return step * (_n * (_d + 1 + _t) - 2 * _s - step)


def _rank_pairs() -> list[Any]:
    """Return the negation of what S ≤ N(d + 1)/2 is the sum of.

    Frequencies fall with the rank, so for ranks x and d + 1 − x with frequencies a ≥ b the rows
    of both have a mean rank of at most (d + 1)/2.
    """
    pair = 2 * (_x * _a + (_d + 1 - _x) * _b) > (_a + _b) * (_d + 1)
    return [_x >= 1, 2 * _x <= _d + 1, _a >= _b, _b >= 0, pair]


def _sum_identity() -> list[Any]:
    """Return the negation of the identity between the sums before and after and the gain."""
    step = _d + 1 - _t
    squares = _q + (_d + 1) * (_d + 1) - _t * _t
    after = _n * squares - (_s + step) * (_s + step)
    before = _n * _q - _s * _s
    return [after - before != _gain()]


def _prove(name: str, claim: str, negations: Sequence[Sequence[Any]], effort: int) -> Proof:
    """Ask for a counterexample to each step; the claim follows from all of them."""
    queries = []
    outcome = Outcome.PROVED
    for negation in negations:
        answer, _, text = solve(negation, effort)
        queries.append(text)
        if answer is not Outcome.PROVED:
            # A counterexample to a step is none to the claim.
            outcome = Outcome.UNKNOWN
    return Proof(name, claim, outcome, _ANY, queries=tuple(queries))


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
