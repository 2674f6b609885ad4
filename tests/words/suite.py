"""Positive words of the suite: how a check ends, how a run ends, and where that is printed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from positive import Positive
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


ROWS = (
    Positive(
        word="checks in order",
        printed_by="`kproof verify`, `Results.summary`",
        modules=("kproof.proptests.results",),
        judged="Each check that is counted judged at least one case. It failed on none of them, or "
        "failed as was expected. The line of a check says how many cases it judged.",
        mutant="the anonymizer returns its input; a method that leaves the sensitive column out",
        holds=partial(_checked, *KEPT),
        turns=partial(_checked, *BROKEN),
        absent="1 of 1 checks in order",
    ),
    Positive(
        word="checks in order, some not applicable",
        printed_by="`kproof verify`, `Results.summary`",
        modules=("kproof.proptests.results",),
        judged="Each check is judged as for *checks in order*. A check that judged no case is "
        "counted apart and is never in order.",
        mutant="the sensitive column is not published",
        holds=partial(_checked, "foreign:one_class", "sensitive-kept,truthful", "truthful labels"),
        turns=partial(_checked, *OPEN),
        absent="1 of 1 checks in order",
    ),
    Positive(
        word="passed",
        printed_by="`kproof verify`, beside a check",
        modules=("kproof.proptests.contract",),
        judged="The check judged the stated number of drawn cases and failed on none of them.",
        mutant="the anonymizer returns its input",
        holds=partial(_drawn, "foreign:one_class"),
        turns=partial(_drawn, "foreign:as_it_is"),
    ),
    Positive(
        word="unexpectedly passed",
        printed_by="`kproof verify --xfail`, beside a check",
        modules=("kproof.proptests.contract",),
        judged="A failure was expected, some cases were judged, and none failed. The run fails.",
        mutant="the failure is there",
        holds=partial(_checked, *KEPT, "--xfail", "k-anonymity=known"),
        turns=partial(_checked, *BROKEN, "--xfail", "k-anonymity=known"),
    ),
    Positive(
        word="kept",
        printed_by="`kproof verify --json`, `Results.answer`; the exit status is 0",
        modules=(
            "kproof.proptests.contract",
            "kproof.cli.releases.verify",
            "kproof.report.suite",
            "kproof.report.badge",
        ),
        judged="No check fails, and for each promise at least one check that decides it judged a "
        "case.",
        mutant="the sensitive column, about which there is a promise, is not published",
        holds=partial(_answer, *KEPT),
        turns=partial(_answer, *OPEN),
        absent="the answer is kept",
    ),
    Positive(
        word="yes, as far as it was tried (kept, holds)",
        printed_by="the page of `kproof verify --html`",
        modules=("kproof.report.suite",),
        judged="The answer of the run is *kept*.",
        mutant="the sensitive column, about which there is a promise, is not published",
        holds=partial(_page, *KEPT),
        turns=partial(_page, *OPEN),
        absent="yes, as far as it was tried",
    ),
    Positive(
        word="no fault in … cases",
        printed_by="the badge of `kproof verify --badge`",
        modules=("kproof.report.badge",),
        judged="The answer of a whole run is *kept*, and no check failed that was expected to. The "
        "number is the smallest number of cases on which a promise was judged.",
        mutant="the anonymizer returns its input",
        holds=partial(_badge, "foreign:one_class"),
        turns=partial(_badge, "foreign:as_it_is"),
        absent="no fault in",
    ),
    Positive(
        word="holds on these pairs",
        printed_by="`kproof verify --kind mechanism` of a law, and its `--json`",
        modules=("kproof.proptests.mechanisms.results",),
        judged="For each pair that is counted, in both directions, δ was computed from exact "
        "probabilities at the claimed ε and is at most the claimed δ. Other pairs were not judged. "
        "What is judged by runs never has this word.",
        mutant="the same law with an ε below ln 3",
        holds=partial(_law, "1.0987"),
        turns=partial(_law, "1.0986"),
    ),
    Positive(
        word="agrees with brute force",
        printed_by="`check_anonymizer` of a checker",
        modules=("kproof.proptests.checks.verdicts",),
        judged="On each judged table the checker's verdict equals that of the definition, computed "
        "in fractions.",
        mutant="a checker that says yes to everything",
        holds=lambda: _said(own_checker("k-anonymity"), "agrees with brute force"),
        turns=lambda: _said(checker_subject("k-anonymity", _Agreeable), "agrees with brute force"),
        absent="in order",
    ),
    Positive(
        word="holds, does not hold: the checker and the definition side by side",
        printed_by="the failure of *agrees with brute force*",
        modules=("kproof.proptests.checks.verdicts",),
        judged="kproof computed the definition on the table that is shown; the other verdict is "
        "the checker's.",
        mutant="the checker is right",
        holds=lambda: _run(
            checker_subject("k-anonymity", _Agreeable), "agrees with brute force"
        ).report(),
        turns=lambda: _run(own_checker("k-anonymity"), "agrees with brute force").report(),
        absent="says that it holds",
    ),
    Positive(
        word="reciprocal",
        printed_by="`kproof verify --kind city`, check *reciprocal*",
        modules=("kproof.proptests.checks.places",),
        judged="For each published region, each of its nodes with users made a request of its own "
        "and got the same region.",
        mutant="each target gets a region that is grown around it alone",
        holds=partial(_said, "density", "reciprocal", Kind.CITY),
        turns=lambda: _said(find_member("a region of one's own"), "reciprocal", Kind.CITY),
        absent="in order",
    ),
)
