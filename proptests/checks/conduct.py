"""Checks of conduct: an anonymizer of tables as software that people depend on.

What depends on the order of the records is no fault by itself: where equal choices are left, an
algorithm may go by it. So in another order all promises must hold, and only a subject that promises
that order does not matter has to publish the same rows, in the same order: if its rows are in an
order that follows from the source's, that order is published, too.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from kproof.models.base.parameters import WITHHOLD
from kproof.models.registry import Kind, Promise
from kproof.proptests.checks import anonymity, diversity, truth
from kproof.proptests.checks.feasibility import impossible, possible, prefers_refusal
from kproof.proptests.checks.grouping import View
from kproof.proptests.contract import (
    CONDUCT,
    Check,
    Declarations,
    Judge,
    NoPublication,
    Refusal,
    Severity,
    TableCase,
    TablePublication,
    Trial,
)
from kproof.proptests.judgement import (
    UNPUBLISHED,
    UNREADABLE,
    Judgement,
    Kept,
    NotApplicable,
    Violation,
    keep_if_compared,
)
from kproof.proptests.labels.cells import canonical, is_missing, loose, point
from kproof.proptests.labels.labels import Label
from kproof.proptests.labels.matching import Fits, fits, with_sensitive
from kproof.proptests.labels.vocabulary import ColumnVocabulary
from kproof.proptests.supports import declaration_hint, doubt_support, unclear
from kproof.theory.exact.typed import integer

PROMISES: tuple[Check, ...] = (*anonymity.CHECKS, *diversity.CHECKS, *truth.CHECKS)
"""What is promised of a publication, whatever the anonymizer is like as software."""

_PROMISED = frozenset(promise for check in PROMISES for promise in check.promises)
_declare = Declarations(frozenset({Kind.TABLE}), Severity.CONDUCT)


def _check(name: str, formula: str, *promises: Promise, **options: Any) -> Callable[[Judge], Judge]:
    # That the order does not matter is promised; the rest is the conduct of whoever promises more.
    decides = frozenset({Promise.ORDER_INDEPENDENT}.intersection(promises))
    return _declare(name, formula, CONDUCT, *promises, decides=decides, **options)


@_check(
    "no identifiers", "published columns and cells hold no identifier", severity=Severity.GUARANTEE
)
def no_identifiers(trial: Trial) -> Judgement:
    """Neither identifiers nor the numbers of the source's rows are published."""
    view = View.of(trial)
    case, published = view.case, view.columns
    for name in case.identifiers:
        # A column suppressed to one label, such as *, discloses nothing; somebody's value does.
        originals = {loose(value) for value in case.columns.get(name, ()) if not is_missing(value)}
        cells = set(map(loose, published.get(name, ())))
        if len(cells) > 1 or cells & originals:
            sentence = f"identifier {name} is published"
            return Violation(
                sentence, name, "no identifier", output_rows=tuple(range(view.publication.rows))
            )
    return (
        _find_identifier(view)
        or _find_numbers(view)
        or keep_if_compared(view.publication.rows, "no row was published")
    )


@_check(
    "monotone in k",
    "serves k + 1 => serves k; every class of the former has k people",
    Promise.K_ANONYMITY,
    severity=Severity.GUARANTEE,
)
def monotone_in_k(trial: Trial) -> Judgement:
    """What is published for k + 1 is k-anonymous, and what k + 1 is served for, k is, too."""
    case, subject = trial.case, trial.subject
    k = integer("k", trial.parameter("k"))
    if k < 2:
        return NotApplicable("k = 1 asks for nothing")
    if not subject.varies("k"):
        return NotApplicable("k is fixed")
    harder = replace(case, parameters={**case.parameters, "k": k + 1})
    answer = trial.answer(harder)
    if not isinstance(answer, TablePublication):
        return NotApplicable("nothing was published for k + 1")
    # What was published for k + 1 stands in as the answer for k, and is looked at with that k.
    judgement = anonymity.k_anonymity(Trial(replace(subject, publish=lambda _: answer), case))
    if isinstance(judgement, Violation):
        return replace(
            judgement, sentence=f"published for k = {k + 1}: {judgement.sentence}", output_rows=()
        )
    # The harder request may have p in its range where this one has not: k is to be p or more.
    in_range = "p" not in case.parameters or integer("p", case.parameters["p"]) <= k
    if isinstance(trial.outcome, Refusal) and in_range and not prefers_refusal(case):
        sentence = f"k = {k + 1} is served and k = {k} refused: {trial.outcome}"
        return Violation(sentence, "a refusal", "a publication")
    return Kept() if trial.published else judgement


@_check(
    "refuses clearly",
    "no publication can keep the promises => a documented error",
    claim=(
        "Input that cannot be served raises a documented error with a message; nothing is "
        "published."
    ),
)
def refuses_clearly(trial: Trial) -> Judgement:
    """Look at how a subject refuses, and at whether it refuses what cannot be served."""
    outcome = trial.outcome
    if isinstance(outcome, Refusal):
        return doubt_support(trial) or unclear(trial, outcome) or Kept()
    if not isinstance(outcome, TablePublication):
        return NotApplicable("what was answered is no table")
    reason = impossible(trial.case, trial.subject)
    # Who may leave records out can answer what is impossible by publishing none of them.
    if reason is not None and (outcome.rows or not trial.subject.suppresses):
        sentence = (
            f"{outcome.rows} rows are published although no publication can keep what is "
            f"promised: {reason}"
        )
        rows = tuple(range(trial.case.rows)), tuple(range(outcome.rows))
        return Violation(sentence, f"{outcome.rows} rows", "a refusal", *rows)
    return NotApplicable("nothing was refused, and nothing had to be") if reason is None else Kept()


@_check(
    "publishes when it can",
    "the table as one class keeps the promises => a publication",
    Promise.K_ANONYMITY,
)
def publishes_when_it_can(trial: Trial) -> Judgement:
    """Input that the whole table as one class would serve is served."""
    outcome = trial.outcome
    if not possible(trial.case, trial.subject):
        return NotApplicable("it is not certain that the request can be served")
    if WITHHOLD.name in trial.subject.parameters:
        return NotApplicable("its coins may withhold every class")
    if isinstance(outcome, Refusal):
        if isinstance(outcome.error, NoPublication):
            return UNREADABLE
        doubt = doubt_support(trial)
        if doubt is not None:
            return doubt
        sentence = (
            f"refused, although the request can be served: {outcome}{declaration_hint(trial.case)}"
        )
        return Violation(sentence, "a refusal", "a publication")
    if isinstance(outcome, TablePublication) and not outcome.rows:
        return Violation(
            "nothing is published, although the request can be served", "0 rows", "a publication"
        )
    return Kept()


@_check(
    "permutation",
    "f(permuted table) keeps the promises; with the promise, f(permuted table) = f(table)",
    *_PROMISED,
    Promise.ORDER_INDEPENDENT,
)
def permutation(trial: Trial) -> Judgement:
    """Promises hold in any order of the records; where promised, the order changes nothing."""
    rows, compared = range(trial.case.rows), 0
    # The second order parts neighbours, which the first one leaves beside each other.
    for order in (tuple(reversed(rows)), (*rows[::2], *rows[1::2])):
        # One row, or two of which evens come first, stay as they are.
        if order == tuple(rows):
            continue
        turned = order == tuple(reversed(rows))
        moved = trial.backwards if turned else trial.beside(trial.case.take(order))
        listing = ", ".join(map(str, order[:12])) + (", …" if len(order) > 12 else "")
        if Promise.ORDER_INDEPENDENT in trial.subject.promises:
            compared += trial.published
            # A refusal may name the first value that is in its way, whichever that is now.
            refused = isinstance(trial.outcome, Refusal) and isinstance(moved.outcome, Refusal)
            difference = None if refused else _difference(trial.outcome, moved.outcome)
            if difference is not None:
                sentence = f"with the records in the order {listing}: {difference}"
                return Violation(sentence, "another answer", "the same answer")
        for check in PROMISES:
            if not check.applies_to(trial.subject):
                continue
            judgement = check.function(moved)
            compared += isinstance(judgement, Kept)
            if isinstance(judgement, Violation):
                return replace(
                    judgement,
                    sentence=f"with the records in the order {listing}: {judgement.sentence}",
                    input_rows=tuple(sorted(order[row] for row in judgement.input_rows)),
                    output_rows=(),
                )
    return keep_if_compared(compared, "there is no other order of the records that is published")


@_check("deterministic", "f(case) = f(case) to the letter")
def deterministic(trial: Trial) -> Judgement:
    """The same case is answered the same way, whatever was asked before."""
    first, _ = trial.outcome, trial.backwards.outcome
    # Two in a row: what takes turns cannot answer both as it did at first.
    for answer in (trial.again[0], trial.answer(trial.case)):
        difference = _difference(first, answer)
        if difference is not None:
            sentence = f"asked again, after another case: {difference}"
            return Violation(sentence, "another answer", "the same answer")
    return Kept(2) if trial.published else UNPUBLISHED


@_check("input unchanged", "input after = input before")
def input_unchanged(trial: Trial) -> Judgement:
    """The frame and the options that are handed in are the same afterwards."""
    outcome = trial.outcome
    if isinstance(outcome, TablePublication) and outcome.changed:
        names = ", ".join(outcome.changed)
        return Violation(f"the input was changed: {names}", f"changed: {names}", "unchanged")
    _, unchanged = trial.again
    if unchanged:
        return Kept() if trial.published else UNPUBLISHED
    sentence = "the request was changed: its parameters, categories or hierarchies are others now"
    return Violation(sentence, "changed", "unchanged")


def _difference(first: object, second: object) -> str | None:
    """Return how two answers differ to the letter, or None."""
    if isinstance(first, Refusal) or isinstance(second, Refusal):
        was, now = _answer(first), _answer(second)
        return None if was == now else f"{now} instead of {was}"
    if not isinstance(first, TablePublication) or not isinstance(second, TablePublication):
        return None if first == second else f"{second} instead of {first}"
    if list(first.everything) != list(second.everything):
        return f"columns {', '.join(second.everything)} instead of {', '.join(first.everything)}"
    if first.rows != second.rows:
        return f"{second.rows} rows instead of {first.rows}"
    for name, cells in first.everything.items():
        for row, (old, new) in enumerate(zip(cells, second.everything[name], strict=True)):
            # To the letter: 1, 1.0 and True are equal, and a reader sees three things.
            if repr(old) != repr(new):
                return f"row {row} has {name}={new} instead of {old}"
    return None


def _answer(outcome: object) -> str:
    return f"refused ({outcome})" if isinstance(outcome, Refusal) else "published"


def _find_identifier(view: View) -> Violation | None:
    """Find a cell with an identifier's text that is no label and nothing else in the table."""
    case = view.case
    nodes = {node for tree in case.hierarchies.values() for pair in tree.items() for node in pair}
    elsewhere = {
        loose(value)
        for name, values in case.columns.items()
        if name not in case.identifiers
        for value in values
    }
    # A text that stands elsewhere, too, or can be read as a label or a number, may be there for
    # another reason than that it names somebody.
    names = {
        value: name
        for name in case.identifiers
        for value in case.columns.get(name, ())
        if isinstance(value, str)
        and value not in nodes
        and loose(value) not in elsewhere
        and point(value) is None
        and not is_missing(value)
        and not Label(value, ColumnVocabulary()).interpretations
    }
    for column, cells in view.columns.items():
        rows = tuple(
            row for row, cell in enumerate(cells) if isinstance(cell, str) and cell in names
        )
        if rows:
            text = str(cells[rows[0]])
            sentence = f"column {column} publishes {text}, a value of identifier {names[text]}"
            own = tuple(row for row, cell in enumerate(case.columns[names[text]]) if cell == text)
            return Violation(sentence, text, "no identifier", own, rows)
    return None


def _find_numbers(view: View) -> Violation | None:
    """Find a new column that tells published rows apart by the numbers of the originals.

    Its numbers must be distinct, in no plain order, and those of originals that fit; where every
    record fits every row, nothing tells such a column from one of arbitrary numbers.
    """
    case, published = view.case, view.publication
    fresh = [name for name in view.columns if name not in case.columns]
    if not fresh or published.rows < 2:
        return None
    possible_rows, unreadable = fits(case, published)
    possible_rows = with_sensitive(possible_rows, case, published)
    if unreadable or possible_rows.all():
        return None
    for name in fresh:
        numbers = [canonical(cell) for cell in view.columns[name]]
        for kind, owner in _numberings(case):
            rows = [owner.get(number, -1) for number in numbers]
            if len(set(rows)) == len(rows) and _tells(rows, possible_rows):
                sentence = (
                    f"column {name} publishes the {kind} of each row: "
                    f"{', '.join(map(str, view.columns[name][:6]))}"
                )
                marked = tuple(rows), tuple(range(published.rows))
                return Violation(sentence, kind, "nothing that tells rows apart", *marked)
    return None


def _numberings(case: TableCase) -> Iterator[tuple[str, Mapping[Hashable, int]]]:
    """Yield what may number the originals: positions from 0 or 1, the index, identifiers."""
    rows = range(case.rows)
    yield "position in the source", {canonical(row): row for row in rows}
    yield "position in the source", {canonical(row + 1): row for row in rows}
    labelled = {} if case.index is None else {"index label": case.index}
    identifiers = {f"identifier {name}": case.columns.get(name, ()) for name in case.identifiers}
    for kind, values in (*labelled.items(), *identifiers.items()):
        yield kind, {canonical(value): row for row, value in enumerate(values)}


def _tells(rows: list[int], possible_rows: Fits) -> bool:
    """Say whether each published row is numbered after an original that it can be of."""
    if min(rows) < 0 or rows == list(range(rows[0], rows[0] + len(rows))):
        return False
    return bool(possible_rows[np.arange(len(rows)), rows].all())


CHECKS: tuple[Check, ...] = tuple(_declare.checks)
