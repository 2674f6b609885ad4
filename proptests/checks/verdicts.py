"""Checks of checkers: subjects that decide whether a table, taken as published, keeps a model."""

from kproof.models.registry import Kind, Promise
from kproof.proptests.checks.grouping import View
from kproof.proptests.contract import (
    Check,
    Declarations,
    Severity,
    TablePublication,
    TableVerdict,
    Trial,
)
from kproof.proptests.judgement import Judgement, Kept, NotApplicable, Violation
from kproof.proptests.oracles import DEFINITIONS, decides

_check = Declarations(frozenset({Kind.TABLE}))


@_check.truth(
    "agrees with brute force",
    "verdict(table) = definition(table)",
    "the definitions in kproof.proptests.oracles",
    Promise.DECIDES,
)
def agrees_with_brute_force(trial: Trial) -> Judgement:
    """A checker's verdict is that of the model's definition, counted in fractions."""
    verdict = trial.outcome
    if not isinstance(verdict, TableVerdict):
        return _UNDECIDED
    if verdict.definition not in DEFINITIONS:
        return NotApplicable("the model has no definition apart from its own code")
    case = trial.case
    # A checker is asked about the roles it is given, not about what else is in the table.
    roles = (*case.quasi_identifiers, *([case.sensitive] if case.sensitive else ()))
    view = View(case, TablePublication({name: case.columns[name] for name in roles}))
    rows = [group.rows for group in view.groups]
    expected = decides(verdict.definition, rows, verdict.parameters, view.categories)
    if expected is None:
        return NotApplicable("the definition says nothing of the case")
    if verdict.holds == expected:
        return Kept()
    settings = ", ".join(f"{name} = {value}" for name, value in verdict.parameters.items())
    sentence = (
        f"{verdict.definition} ({settings}) {_word(expected)} by its definition, "
        f"and the checker says that it {_word(verdict.holds)}"
    )
    return Violation(sentence, _word(verdict.holds), _word(expected), tuple(range(case.rows)))


@_check(
    "checker idempotent",
    "verdict(table) = verdict(table)",
    "the conduct of software that decides",
    Promise.DECIDES,
    severity=Severity.CONDUCT,
)
def checker_idempotent(trial: Trial) -> Judgement:
    """A checker that is asked again says the same."""
    first = trial.outcome
    if not isinstance(first, TableVerdict):
        return _UNDECIDED
    # Also after the same rows twice over: a checker keeps nothing.
    again = trial.answer(trial.case)
    trial.answer(trial.case.take([*range(trial.case.rows)] * 2))
    after = trial.answer(trial.case)
    for answer, when in ((again, "a second time"), (after, "after another table")):
        if answer != first:
            reply = _word(answer.holds) if isinstance(answer, TableVerdict) else f"fails: {answer}"
            sentence = f"{first.definition} {_word(first.holds)}, and {when} it {reply}"
            return Violation(sentence, reply, _word(first.holds))
    return Kept(2)


_UNDECIDED = NotApplicable("no verdict was given")


def _word(holds: bool) -> str:
    return "holds" if holds else "does not hold"


CHECKS: tuple[Check, ...] = tuple(_check.checks)
