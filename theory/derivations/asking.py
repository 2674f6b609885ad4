"""What a step says and supposes, and what the solver is asked of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import sympy as sp

from kproof.errors import Undecided
from kproof.theory.derivations.derivation import Query, Step
from kproof.theory.derivations.formulas import at_most, both, implies
from kproof.theory.derivations.methods import Enclosed, Enumerated, Induction
from kproof.theory.derivations.smtlib import question
from kproof.theory.derivations.trees import assumptions, symbols_of, tree

SOLVER_EFFORT = 100_000_000
"""Steps of z3 for one question, about half a minute; a clock would depend on the machine."""
Premises: TypeAlias = Sequence[Step]


@dataclass(frozen=True)
class Decision:
    """That a step is decided: what was counted or met, and the questions that were ``unsat``."""

    finding: str
    queries: tuple[Query, ...] = ()
    of: tuple[Step, ...] = ()
    """The step and its premises, by whose identities it is remembered: while they are held here, no
    other step can have them."""


def facts_of(premises: Premises, supposed: Sequence[sp.Basic]) -> list[sp.Basic]:
    """Return what earlier steps say, and what is supposed besides."""
    return [*(implication(premise) for premise in premises), *supposed]


def hypotheses(step: Step) -> tuple[sp.Basic, ...]:
    """Return all that a step supposes: what is given, and the range its decider looked at."""
    method = step.by
    if isinstance(method, Enumerated):
        raise Undecided(f"{step.id} is shown on a grid only: nothing can follow from it")
    if isinstance(method, Induction):
        return (*step.given, at_most(method.base, method.variable))
    if isinstance(method, Enclosed):
        ends = [(name, *map(sp.Rational, method.box[name])) for name in sorted(method.box, key=str)]
        ranges = [(at_most(low, name), at_most(name, high)) for name, low, high in ends]
        return (*step.given, *(relation for pair in ranges for relation in pair))
    return step.given


def implication(step: Step) -> sp.Basic:
    """Return what a step says: its hypotheses imply its claim."""
    supposed = hypotheses(step)
    return implies(both(*supposed), step.claim) if supposed else step.claim


def ask(label: str, hypotheses: Sequence[sp.Basic], claim: sp.Basic) -> Query:
    """Return the question whether a claim can fail where all that is known holds.

    Raises Undecided if the solver does not say ``unsat``; with its counterexample, if it has one.
    """
    import z3

    symbols = {symbol.name: assumptions(symbol) for symbol in symbols_of([*hypotheses, claim])}
    text = question(symbols, [tree(relation) for relation in hypotheses], tree(claim))
    solver = z3.SolverFor("QF_NRA")
    solver.set("rlimit", SOLVER_EFFORT)
    try:
        solver.from_string(text)
    except z3.Z3Exception as failure:
        raise Undecided(f"{label}: the solver cannot read it: {failure}") from None
    answer = solver.check()
    # `unknown` as well: nothing but `unsat` decides a step.
    if answer != z3.unsat:
        counterexample = f" at {solver.model()}" if answer == z3.sat else ""
        raise Undecided(f"{label}: the solver says {answer}{counterexample}".replace("\n", ""))
    return Query(label, text)


def ask_defined(
    label: str, hypotheses: Sequence[sp.Basic], required: Sequence[sp.Basic]
) -> tuple[Query, ...]:
    """Ask whether all is defined that a normal form cancels; nothing is asked of polynomials."""
    parts = list(dict.fromkeys(required))
    return (ask(label, hypotheses, both(*parts)),) if parts else ()
