"""What a solver is asked about a net, as SMT-LIB 2 files that any solver can answer again."""

from __future__ import annotations

from kproof.errors import InvalidArgument
from kproof.petri.logic.bounded import unreachable_within
from kproof.petri.logic.smt import Outcome, Proof
from kproof.petri.net.net import Net
from kproof.petri.papers.publisher import Publisher

_EXPECTED = {
    Outcome.PROVED: ", expected: unsat",
    Outcome.BOUNDED: ", expected: unsat",
    Outcome.REFUTED: ", expected: sat",
}


def smt2(proofs: tuple[Proof, ...]) -> str:
    """Return the queries of proofs as one file, with what z3 answered.

    Examples
    --------
    >>> from kproof.petri.papers.theta_lemmas import records_preserved
    >>> print(smt2((records_preserved(),)))  # doctest: +ELLIPSIS
    ; swap preserves records: proved
    ; after a swap every value has as many rows in both classes together as before
    ; classes of any size, any number of values
    ; query 1 of 1, expected: unsat
    (reset)
    ...
    (check-sat)
    <BLANKLINE>
    """
    lines = []
    for proof in proofs:
        lines += [f"; {proof.name}: {proof.outcome}", f"; {proof.claim}", f"; {proof.scope}"]
        last = len(proof.queries)
        for number, query in enumerate(proof.queries, start=1):
            expected = _EXPECTED.get(proof.outcome, "")
            lines += [f"; query {number} of {last}{expected}", "(reset)", query.rstrip()]
        lines.append("")
    return "\n".join(lines)


def theta_queries(publisher: Publisher) -> str:
    """Return the queries behind V ≥ θ in every publication of every table of a publisher's size.

    With them come the lemmas on single moves.

    Raises
    ------
    InvalidArgument
        If classes differ in size from k: the proof is about classes of k rows.
    """
    from kproof.petri.papers.theta_lemmas import lemmas
    from kproof.petri.papers.theta_smt import every_publication_passes, tables

    threshold = publisher.threshold
    sizes = {len(one) for one in publisher.formed.values}
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


def deadlock_queries(net: Net, *, steps: int) -> str:
    """Return the query whether a net can be stuck within so many firings.

    Raises
    ------
    NetError
        If its firings cannot be listed.
    """
    return smt2((unreachable_within(net, steps),))
