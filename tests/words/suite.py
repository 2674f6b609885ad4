"""Positive words of the suite: how a check ends, how a run ends, and where that is printed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from positive import either, rows
from shell import kproof

from kproof.models.registry import Kind
from kproof.proptests import Results, check_anonymizer
from kproof.proptests.cases import CityCase
from kproof.proptests.checkers import checker_subject, own_checker
from kproof.proptests.contract import Source, TableCase
from kproof.proptests.mechanisms.mechanism import Mechanism
from kproof.proptests.mechanisms.neighbours import DataNeighbours
from kproof.proptests.mechanisms.trials import check_mechanism
from kproof.proptests.zoo import find_member
from kproof.report.badge import message_of

TABLES = tuple(
    TableCase({"q1": cells, "s": tuple("ab" * 4)[: len(cells)]}, ("q1",), "s", parameters={"k": 2})
    for cells in ((0, 1), (0, 0, 1), (0, 1, 2, 3))
)
STREET = CityCase((20, 9, 9, 20), ((0, 1), (1, 2), (2, 3)), (0, 3), parameters={"k": 21})
SOURCE = "every table of up to 4 rows over 2 values"
KEPT = ("foreign:one_class", "k-anonymity", "k-anonymity")
BROKEN = ("foreign:as_it_is", "k-anonymity", "k-anonymity")
OPEN = ("foreign:no_diagnosis", "sensitive-kept", "sensitive values kept")
"""What is verified, what it promises, and the check."""


def _cases(kind: Kind) -> Iterator[Any]:
    yield from TABLES if kind is Kind.TABLE else (STREET,)


def _source(kind: Kind) -> Source:
    from hypothesis import strategies as st

    return Source("a few", kind, lambda _: st.just(TABLES[0]), lambda _: _cases(kind))


def _run(anonymizer: Any, *checks: str, kind: Kind = Kind.TABLE, **options: Any) -> Results:
    """Hold an anonymizer to some checks on a few cases."""
    return check_anonymizer(
        anonymizer,
        checks=checks or None,
        sources=[_source(kind)],
        profile="quick",
        on_fail="return",
        **options,
    )


@cache
def _checked(name: str, promise: str, check: str, *words: str) -> str:
    """Return what ``kproof verify`` prints of one check of a small anonymizer."""
    few = ("--check", check, "--source", SOURCE, "--profile", "quick")
    return kproof("verify", name, "--promises", promise, *few, *words).out


def _answer(*asked: str) -> str:
    return f"the answer is {json.loads(_checked(*asked, '--json'))['answer']}"


def _page(*asked: str) -> str:
    with TemporaryDirectory() as folder:
        path = Path(folder, "page.html")
        _checked(*asked, "--html", str(path))
        return path.read_text(encoding="utf-8")


def _drawn(name: str) -> str:
    """Return how k-anonymity ends where cases are drawn."""
    few = ("--source", "mixed types", "--profile", "quick", "--check", "k-anonymity")
    return kproof("verify", name, *few).out


def _said(anonymizer: Any, check: str, kind: Kind = Kind.TABLE) -> str:
    found = _run(anonymizer, check, kind=kind)
    return f"{check}: {'in order' if found[check].ok else found[check].status}"


def _badge(anonymizer: str) -> str:
    return message_of(_run(anonymizer, "k-anonymity", promises=["k-anonymity"]))


def _law(epsilon: str) -> str:
    """Return what is said of randomized response that tells the truth in three of four cases."""
    mechanism = Mechanism(
        law=lambda data: {data[0]: "3/4", 1 - data[0]: "1/4"},
        epsilon=epsilon,
        neighbours=DataNeighbours.of("one-answer", length=1, high=1, whole=True),
    )
    results = check_mechanism(mechanism, profile="quick")
    return f"{results}\n{results.answer}"


class _Agreeable:
    """A model that says yes to everything."""

    def __init__(self, *parameters: Any) -> None:
        self.holds = True

    def check(self, classes: Any) -> _Agreeable:
        return self


ROWS = rows(
    "suite",
    checks_in_order=either(_checked, KEPT, BROKEN),
    some_not_applicable=either(
        _checked, ("foreign:one_class", "sensitive-kept,truthful", "truthful labels"), OPEN
    ),
    passed=either(_drawn, ("foreign:one_class",), ("foreign:as_it_is",)),
    unexpectedly_passed=either(
        _checked, (*KEPT, "--xfail", "k-anonymity=known"), (*BROKEN, "--xfail", "k-anonymity=known")
    ),
    kept=either(_answer, KEPT, OPEN),
    yes_as_far_as_tried=either(_page, KEPT, OPEN),
    no_fault=either(_badge, ("foreign:one_class",), ("foreign:as_it_is",)),
    holds_on_pairs=either(_law, ("1.0987",), ("1.0986",)),
    agrees=(
        lambda: _said(own_checker("k-anonymity"), "agrees with brute force"),
        lambda: _said(checker_subject("k-anonymity", _Agreeable), "agrees with brute force"),
    ),
    holds_on_the_page=(
        lambda: _run(
            checker_subject("k-anonymity", _Agreeable), "agrees with brute force"
        ).report(),
        lambda: _run(own_checker("k-anonymity"), "agrees with brute force").report(),
    ),
    reciprocal=(
        partial(_said, "density", "reciprocal", Kind.CITY),
        lambda: _said(find_member("a region of one's own"), "reciprocal", Kind.CITY),
    ),
)
