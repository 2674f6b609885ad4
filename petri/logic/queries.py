"""What a solver is asked about a net, as SMT-LIB 2 files that any solver can answer again."""

from __future__ import annotations

from kproof.petri.logic.bounded import unreachable_within
from kproof.petri.logic.smt import Outcome, Proof
from kproof.petri.net.net import Net

_EXPECTED = {
    Outcome.PROVED: ", expected: unsat",
    Outcome.BOUNDED: ", expected: unsat",
    Outcome.REFUTED: ", expected: sat",
}


def smt2(proofs: tuple[Proof, ...]) -> str:
    """Return the queries of proofs as one file, with what z3 answered.

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


def deadlock_queries(net: Net, *, steps: int) -> str:
    """Return the query whether a net can be stuck within so many firings.

    Raises:
        NetError: If its firings cannot be listed.
    """
    return smt2((unreachable_within(net, steps),))
