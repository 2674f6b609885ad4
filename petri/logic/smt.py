"""Questions to an SMT solver, and what became of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from kproof.forms import JsonForm

EFFORT = 200_000_000
"""Steps of z3 after which it gives up, about a minute; a clock would depend on the machine."""


class Outcome(StrEnum):
    """How a claim ended."""

    PROVED = "proved"
    REFUTED = "refuted"
    BOUNDED = "not refuted within the bound"
    """No run of up to so many steps is a counterexample; of longer ones nothing is known."""
    UNKNOWN = "unknown"
    """The solver gave up, or its effort was used up."""


@dataclass(frozen=True)
class Proof:
    """What a solver made of a claim."""

    name: str
    claim: str
    """Short name and full sentence."""
    outcome: Outcome
    """Proved if no counterexample exists, refuted if there is one. Where longer runs than the
    scope has might have one, the claim is not refuted within the bound; that is no proof."""
    scope: str
    """What the claim was decided for."""
    witness: tuple[object, ...] = ()
    """The counterexample of a refuted claim, else empty."""
    queries: tuple[str, ...] = field(default=(), repr=False)
    """What was asked, in SMT-LIB 2; the claim is proved, or not refuted within the bound, if
    every answer is ``unsat``."""

    to_dict = JsonForm("name claim outcome scope witness")


def up_to_bound(outcome: Outcome) -> Outcome:
    """Return the outcome of a search that looked at runs up to a bound only."""
    return Outcome.BOUNDED if outcome is Outcome.PROVED else outcome


def solve(query: Sequence[Any], effort: int = EFFORT) -> tuple[Outcome, Any, str]:
    """Ask z3 for a counterexample, which meets all conditions of a query.

    Returns the outcome, a model if there is one, and the query in SMT-LIB 2.
    """
    import z3

    # The simple solver: a limit would make the default one choose a slower strategy.
    solver = z3.SimpleSolver()
    solver.set("rlimit", effort)
    solver.add(*query)
    answer = solver.check()
    text = solver.sexpr() + "(check-sat)\n"
    if answer == z3.unsat:
        return Outcome.PROVED, None, text
    if answer == z3.sat:
        return Outcome.REFUTED, solver.model(), text
    return Outcome.UNKNOWN, None, text


def model_value(model: Any, term: Any) -> int:
    """Return the whole number that a term has in a model; 0 if the model leaves it open."""
    return int(model.eval(term, model_completion=True).as_long())


_EXPECTED = {
    Outcome.PROVED: ", expected: unsat",
    Outcome.BOUNDED: ", expected: unsat",
    Outcome.REFUTED: ", expected: sat",
}


def smt2(proofs: tuple[Proof, ...]) -> str:
    """Return the queries of proofs as one file, with what z3 answered.

    >>> from kproof.petri.papers.theta_smt import lemma
    >>> print(smt2((lemma("swap preserves records"),)))  # doctest: +ELLIPSIS
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
