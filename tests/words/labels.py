"""Positive words of the checks that read what an anonymizer of tables published."""

import shlex
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

from positive import Positive

from kproof.proptests import Command, check_anonymizer
from kproof.proptests.contract import Source, TableCase

CASES = tuple(
    TableCase(
        {"q": tuple(range(rows)), "s": tuple("ab" * rows)[:rows]}, ("q",), "s", parameters={"k": 2}
    )
    for rows in (2, 3, 4)
)
_CONTRACT = "kproof.proptests.contract"


def _some(case: TableCase) -> Source:
    from hypothesis import strategies as st

    from kproof.models.registry import Kind

    return Source("three", Kind.TABLE, lambda _: st.just(case), lambda _: CASES)


def _line(check: str, anonymizer: Any, **options: Any) -> str:
    """Return the line of a check in the summary of a run over three small tables."""
    given: dict[str, Any] = {"sources": [_some(CASES[0])], "on_fail": "return", **options}
    found = check_anonymizer(anonymizer, checks=[check], **given)
    (line,) = (one for one in found.summary().splitlines() if one.startswith(check))
    return line


def _one_class(frame: Any, quasi_identifiers: list[str], k: int) -> Any:
    return frame.assign(**dict.fromkeys(quasi_identifiers, "0-9"))


def _with_clusters(frame: Any, quasi_identifiers: list[str], k: int) -> Any:
    return _one_class(frame, quasi_identifiers, k).assign(_cluster=range(len(frame)))


def _in_code(frame: Any, quasi_identifiers: list[str], k: int) -> Any:
    return frame.assign(**dict.fromkeys(quasi_identifiers, "group alpha"))


def _numbered(frame: Any, quasi_identifiers: list[str], k: int) -> Any:
    halves = ["0-1" if value < 2 else "2-9" for value in frame["q"]]
    released = frame.assign(q=halves)
    return released.iloc[[1, 0, *range(2, len(frame))]]


def _never(frame: Any, quasi_identifiers: list[str], k: int) -> Any:
    time.sleep(60)


def _refusing(frame: Any, quasi_identifiers: list[str], k: int) -> Any:
    raise ValueError(f"{len(frame)} rows are too few")


def _program(script: str) -> Command:
    words = [sys.executable, "-S", "-c", f"import sys; {script}"]
    return Command(shlex.join(words) + " {input} {output} {k}")


def _row(
    check: str,
    module: str,
    judged: str,
    mutant: str,
    holds: Callable[[], str],
    turns: Callable[[], str],
    word: str = "exhausted",
) -> Positive:
    return Positive(
        word=f"{check}: {word}",
        printed_by=f"`kproof verify` and `check_anonymizer`, check *{check}*",
        modules=(f"kproof.proptests.{module}", _CONTRACT),
        judged=judged,
        mutant=mutant,
        holds=holds,
        turns=turns,
        absent=word,
    )


ROWS = (
    _row(
        "k-anonymity",
        "checks.anonymity",
        "On every counted case at least k published rows agree in the index and in each published "
        "column except the sensitive one. If kproof gives an account of the release, at least k "
        "people do.",
        "a helper column `_cluster` is left in",
        partial(_line, "k-anonymity", _one_class),
        partial(_line, "k-anonymity", _with_clusters),
    ),
    _row(
        "truthful labels",
        "checks.truth",
        "On every counted case each published row was matched to an original of its own that its "
        "labels cover, and every label was understood.",
        "labels that only their author can read",
        partial(_line, "truthful labels", _one_class),
        partial(_line, "truthful labels", _in_code),
    ),
    _row(
        "sensitive values kept",
        "checks.truth",
        "On every counted case the published sensitive values are those of the input, and the "
        "rows were matched to originals with these labels and values.",
        "the labels are not promised to be true, so that values may belong to others",
        partial(_line, "sensitive values kept", _one_class),
        partial(
            _line, "sensitive values kept", _one_class, promises=["k-anonymity", "sensitive-kept"]
        ),
    ),
    _row(
        "no identifiers",
        "checks.conduct",
        "On every counted case no identifier was published by name or by text, and no column or "
        "index numbers the rows as the source does.",
        "the frame was sorted and kept the index of the source",
        partial(_line, "no identifiers", _one_class),
        partial(_line, "no identifiers", _numbered),
    ),
    _row(
        "refuses clearly",
        "command",
        "On every counted case the refusal was a documented error with a message. A program "
        "refuses with a status from 1 to 125 and a message.",
        "the program ends in a traceback",
        partial(_line, "refuses clearly", _program("print('too few rows'); sys.exit(1)")),
        partial(_line, "refuses clearly", _program("sys.exit(int('one'))")),
    ),
    _row(
        "answers in time",
        "time_limit",
        "On every counted case the answer came within the limit, at the latest when the case was "
        "measured again alone.",
        "it sleeps",
        partial(_line, "answers in time", _refusing, timeout=5),
        partial(_line, "answers in time", _never, timeout=Fraction(1, 20)),
    ),
)
