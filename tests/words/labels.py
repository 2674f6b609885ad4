"""Positive words of the checks that read what an anonymizer of tables published."""

import shlex
import sys
import time
from fractions import Fraction
from functools import partial
from typing import Any

from positive import either, rows

from kproof.proptests import Command, check_anonymizer
from kproof.proptests.contract import Source, TableCase

CASES = tuple(
    TableCase(
        {"q": tuple(range(rows)), "s": tuple("ab" * rows)[:rows]}, ("q",), "s", parameters={"k": 2}
    )
    for rows in (2, 3, 4)
)


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


ROWS = rows(
    "labels",
    k_anonymity=either(_line, ("k-anonymity", _one_class), ("k-anonymity", _with_clusters)),
    truthful_labels=either(_line, ("truthful labels", _one_class), ("truthful labels", _in_code)),
    sensitive_values_kept=(
        partial(_line, "sensitive values kept", _one_class),
        partial(
            _line, "sensitive values kept", _one_class, promises=["k-anonymity", "sensitive-kept"]
        ),
    ),
    no_identifiers=either(_line, ("no identifiers", _one_class), ("no identifiers", _numbered)),
    refuses_clearly=either(
        _line,
        ("refuses clearly", _program("print('too few rows'); sys.exit(1)")),
        ("refuses clearly", _program("sys.exit(int('one'))")),
    ),
    answers_in_time=(
        partial(_line, "answers in time", _refusing, timeout=5),
        partial(_line, "answers in time", _never, timeout=Fraction(1, 20)),
    ),
)
