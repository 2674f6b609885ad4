"""What an anonymizer of tables says it takes: containers of frames, and kinds of values.

An anonymizer may refuse what it does not take, but it has to say so: a refusal that nobody
declared and a promise that nobody tested look alike. What it declares is not shown to it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date, datetime
from numbers import Number
from typing import Any

from kproof.errors import InvalidArgument, one_of
from kproof.proptests.contract import CONTAINERS, NoPublication, Refusal, Subject, TableCase, Trial
from kproof.proptests.judgement import InDoubt, Violation
from kproof.proptests.labels.cells import is_missing

VALUES: tuple[str, ...] = (
    *("numbers", "text", "booleans", "dates", "datetimes", "missing"),
    *("categories", "nullable"),
)
"""Kinds of values that a column can have."""


def supports_named(words: Iterable[str] | None) -> frozenset[str]:
    """Return a declaration of what is taken; an empty one says nothing and takes everything.

    >>> sorted(supports_named(["pandas", "Text"]))
    ['pandas', 'text']
    """
    admissible = (*CONTAINERS, *VALUES)
    declared = set()
    for word in (words,) if isinstance(words, str) else words or ():
        spelled = str(word).strip().lower()
        if spelled not in admissible:
            raise InvalidArgument("supports", word, one_of(word, admissible, first="some of"))
        declared.add(spelled)
    return frozenset(declared)


def beyond(subject: Subject, case: Any) -> str | None:
    """Return what a case has that its subject does not take by its own word, or None.

    >>> from kproof.models.registry import Kind
    >>> subject = Subject("s", Kind.TABLE, frozenset(), print, supports=frozenset({"text"}))
    >>> beyond(subject, TableCase({"age": (34,)}, ("age",), None))
    'numbers'
    """
    if not subject.supports or not isinstance(case, TableCase):
        return None
    for group in (CONTAINERS, VALUES):
        declared = subject.supports.intersection(group)
        # Whoever names containers only has said nothing of values, and takes all of them.
        for word in traits_of(case) if declared else ():
            if word in group and word not in declared:
                return word
    return None


def traits_of(case: TableCase) -> tuple[str, ...]:
    """Return the container of a case and the kinds of its values, in the words above.

    >>> traits_of(TableCase({"age": (34, None), "ill": ("Flu", "Flu")}, ("age",), "ill"))
    ('pandas', 'numbers', 'text', 'missing')
    """
    kinds = {_kind(value) for values in case.columns.values() for value in values}
    if case.container == "pandas":
        kinds |= {"nullable" if isinstance(t, str) else "categories" for t in case.dtypes.values()}
    return (case.container, *(word for word in VALUES if word in kinds))


def unclear(trial: Trial, refusal: Refusal) -> Violation | None:
    """Return what is wrong with how a subject refuses: an error of another kind, or no message.

    What it publishes and nobody can read is said here, unless a check of its promises says so.
    """
    kind, case = type(refusal.error).__name__, trial.case
    if isinstance(refusal.error, NoPublication):
        if refusal.error.breaks in trial.subject.promises:
            return None
        sentence = f"what it publishes cannot be read: {refusal.error}"
        return Violation(sentence, "what cannot be read", "a publication")
    if not refusal.documented:
        sentence = f"it fails with an error it does not document: {refusal}{declaration_hint(case)}"
        return Violation(sentence, kind, "a documented error")
    if not str(refusal.error).strip():
        return Violation(f"it refuses with a {kind} that says nothing", "no message", "a message")
    return None


def doubt_support(trial: Trial) -> InDoubt | None:
    """Return that a subject takes no frames of this kind, where it refuses even a plain one.

    It refuses by TypeError or ValueError, and takes the same table from pandas. An error that only
    this case brings about is another matter, whatever frame it came in.
    """
    refusal, case = trial.outcome, trial.case
    if not (isinstance(refusal, Refusal) and isinstance(case, TableCase)):
        return None
    if case.container == "pandas" or not isinstance(refusal.error, (TypeError, ValueError)):
        return None
    if isinstance(refusal.error, NoPublication):
        return None
    # One class that serves whatever is asked: alike in all but a sensitive value of each row.
    counts = (case.parameters.get(name, 1) for name in ("k", "l", "p"))
    rows = 2 * max(int(count) for count in counts)
    columns = {
        name: tuple(f"value {row}" if name == case.sensitive else "value" for row in range(rows))
        for name in case.columns
    }
    plain = replace(case, columns=columns, hierarchies={})
    again = trial.answer(plain)
    if not isinstance(again, Refusal) or type(again.error) is not type(refusal.error):
        return None
    # What is refused from pandas as well is no matter of the container.
    if isinstance(trial.answer(replace(plain, container="pandas")), Refusal):
        return None
    return InDoubt(f"it takes no frames of {case.container}: {again}{declaration_hint(plain)}")


def declaration_hint(case: Any) -> str:
    """Return what to say of a refusal that a declaration would have spared; empty if none would.

    >>> case = TableCase({"age": (34,)}, ("age",), None, container="polars")
    >>> print(declaration_hint(case))
    ; if it takes no polars, declare what it takes: supports=["pandas"], --supports pandas
    """
    if not isinstance(case, TableCase):
        return ""
    unusual = [kind for kind in traits_of(case) if kind in _UNUSUAL]
    if not unusual:
        return ""
    groups = [group for group in (CONTAINERS, VALUES) if set(group).intersection(unusual)]
    instead = [word for group in groups for word in group if word not in _UNUSUAL]
    listed = ", ".join(f'"{word}"' for word in instead)
    words = {"missing": "missing values", "nullable": "nullable columns"}
    listing = " or ".join(words.get(kind, kind) for kind in unusual)
    return (
        f"; if it takes no {listing}, declare what it takes: "
        f"supports=[{listed}], --supports {','.join(instead)}"
    )


_UNUSUAL = frozenset({"polars", "pyarrow", *VALUES} - {"numbers", "text"})
"""What anonymizers most often do not take."""


def _kind(value: object) -> str:
    if is_missing(value):
        return "missing"
    # In this order: a bool is a number, and a datetime a date.
    if isinstance(value, bool):
        return "booleans"
    if isinstance(value, datetime):
        return "datetimes"
    if isinstance(value, date):
        return "dates"
    return "numbers" if isinstance(value, Number) else "text"
