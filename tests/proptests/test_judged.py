"""An answer says what was judged, and one that judged nothing is not positive."""

import json
import sys
from itertools import product
from typing import Any

import pytest
from cases import cases, error_line
from foreign import alone, as_it_is, no_diagnosis, one_class, raw, same
from nights import spread
from shell import kproof as run
from shell import printed, refused

from kproof.errors import KProofError
from kproof.models.registry import Kind, Promise
from kproof.proptests import Command, PromiseBroken, PromiseOpen, check_anonymizer
from kproof.proptests.contract import Answer, CheckStatus, Trial
from kproof.proptests.demands import NotDriven
from kproof.proptests.judgement import Kept, NotApplicable, keep_if_compared
from kproof.proptests.parametrize import suite_of
from kproof.proptests.running import look

COPY = (
    f"{sys.executable} -S -c 'import shutil,sys; shutil.copy(*sys.argv[1:])' {{input}} {{output}}"
)
TWO_ROWS = "every table of up to 4 rows over 2 values"
SAY = "say --fixed k=5 (fixed={'k': '5'}) if it always keeps to that"
UNDRIVEN = f"k-anonymity: the method has no argument that sets k; {SAY}"
QUICK: dict[str, Any] = {"profile": "quick", "on_fail": "return"}
MIXED: dict[str, Any] = {"profile": "quick", "sources": ["mixed types"]}


def one_sector(points: Any) -> list[dict[str, float]]:
    """Count every point in one sector of the whole world."""
    return [{"west": -180, "south": -90, "east": 180, "north": 90, "count": len(points)}]


@pytest.mark.parametrize(
    ("anonymizer", "kind", "promises", "check"),
    [
        pytest.param(raw, Kind.TABLE, ["k-anonymity"], "k-anonymity", id="function"),
        pytest.param(Command(COPY), Kind.TABLE, ["k-anonymity"], "k-anonymity", id="command"),
        pytest.param(alone, Kind.CITY, ["k-anonymity"], "region k", id="city"),
        pytest.param(same, Kind.GRAPH, ["degree"], "k-degree", id="graph"),
        pytest.param(one_sector, Kind.POINTS, ["k-anonymity"], "sector k", id="points"),
    ],
)
def test_a_promise_whose_parameter_nobody_sets_is_refused_and_judged_once_it_is_fixed(
    anonymizer, kind, promises, check
):
    assert error_line(
        NotDriven, check_anonymizer, anonymizer, kind=kind, promises=promises
    ).endswith(f": the method has no argument that sets k; {SAY}")
    few = {"max_examples": 20} if kind is Kind.TABLE else {}
    found = check_anonymizer(
        anonymizer, kind=kind, promises=promises, fixed={"k": 5}, checks=[check], **few, **QUICK
    )
    result = found[check]
    assert (found.answer, result.status, result.judged > 0) == (
        Answer.BROKEN,
        CheckStatus.FAILED,
        True,
    )
    assert result.case.parameters["k"] == 5
    assert "k = 5" in result.violation.sentence or ">= 5" in result.violation.wanted


def test_by_default_nothing_that_is_done_is_not_green():
    for anonymizer in (raw, Command(COPY)):
        with pytest.raises(NotDriven, match="k-anonymity: the method has no argument that sets k"):
            check_anonymizer(anonymizer)
    with pytest.raises(PromiseBroken, match="breaks 'k-anonymity'"):
        check_anonymizer(raw, fixed={"k": 5}, checks=["k-anonymity"], **MIXED)


def test_a_fixed_value_is_the_only_one_a_case_has():
    seen = set()

    def in_one(frame: Any, qi: list[str], sensitive: str | None, k: int = 3) -> Any:
        seen.add(k)
        return one_class(frame, qi, sensitive, k)

    found = check_anonymizer(
        in_one, fixed={"k": "3"}, checks=["k-anonymity", "monotone in k"], profile="quick"
    )
    assert seen == {3}
    assert found["k-anonymity"].judged > 50
    assert found["monotone in k"].status is CheckStatus.NOT_APPLICABLE
    assert found["monotone in k"].unjudged[0][0] == "k is fixed"
    assert found.to_dict()["subject"]["fixed"] == {"k": 3}


def test_a_fixed_value_is_in_the_command_that_finds_it_again():
    ran = run("verify", "foreign:raw", "--fixed", "k=5", "--promises", "k-anonymity", *QUICKLY)
    assert ran.status == 1
    assert "kproof verify foreign:raw --promises k-anonymity --fixed k=5 --check" in ran.out


QUICKLY = ("--check", "k-anonymity", "--source", TWO_ROWS, "--profile", "quick")


@cases(
    (("foreign:raw",), UNDRIVEN),
    (("--command", COPY), UNDRIVEN),
    (("foreign:alone", "--kind", "city"), UNDRIVEN),
    (("foreign:same", "--kind", "graph"), "--promises = none: need degree of a method that"),
    (("foreign:same", "--kind", "graph", "--promises", "degree"), "k-degree anonymity: the"),
    (
        ("mondrian", "--promises", "reciprocity"),
        "--promises = reciprocity: need what is checked of",
    ),
    (("foreign:raw", "--fixed", "k"), "--fixed = k: need NAME=VALUE, such as k=5"),
    (("foreign:raw", "--fixed", "k=none"), "k = none: need a whole number"),
)
def test_what_cannot_be_judged_is_refused_in_one_line(words, says):
    assert refused("verify", *words).startswith(says)


def test_a_promise_that_nothing_judged_leaves_the_question_open():
    given: dict[str, Any] = {"promises": ["k-anonymity", "sensitive-kept"], **MIXED}
    found = check_anonymizer(no_diagnosis, on_fail="return", **given)
    assert found.failures == ()
    assert (found.answer, found.ok, found.unjudged) == (
        Answer.OPEN,
        False,
        (Promise.SENSITIVE_KEPT,),
    )
    assert found["sensitive values kept"].status is CheckStatus.NOT_APPLICABLE
    assert found["sensitive values kept"].judged == 0
    assert found["k-anonymity"].judged > 0
    assert f"No case was judged of: {Promise.SENSITIVE_KEPT}; the question is open." in str(
        found.summary()
    )
    with pytest.raises(PromiseOpen, match="the question is open"):
        check_anonymizer(no_diagnosis, checks=["sensitive values kept"], **given)


def test_an_open_question_has_a_status_of_its_own(tmp_path):
    page = tmp_path / "page.html"
    words = ("verify", "foreign:no_diagnosis", "--promises", "sensitive-kept")
    document = json.loads(printed(*words, *QUICKLY[2:], "--html", str(page), "--json", status=4))
    assert (document["answer"], document["ok"]) == ("open", False)
    assert document["unjudged_promises"] == [Promise.SENSITIVE_KEPT.value]
    entry = next(one for one in document["results"] if one["check"] == "sensitive values kept")
    assert (entry["status"], entry["judged"], entry["ok"]) == ("not applicable", 0, False)
    assert sum(entry["unjudged"].values()) == entry["examples"]
    html = page.read_text(encoding="utf-8")
    assert "the question is open" in html
    assert "yes, as far as it was tried" not in html


def test_a_test_of_a_promise_that_nothing_judged_fails_and_other_idle_checks_are_skipped():
    tests = {
        one.check: one
        for one in suite_of(
            no_diagnosis,
            promises=["k-anonymity", "sensitive-kept"],
            checks=["k-anonymity", "shared labels", "sensitive values kept"],
            **MIXED,
        )
    }
    with pytest.raises(PromiseOpen, match="'sensitive values kept' does not apply to"):
        tests["sensitive values kept"]()
    with pytest.raises(pytest.skip.Exception, match="does not apply"):
        tests["shared labels"]()
    tests["k-anonymity"]()


def test_a_graph_where_clusters_are_promised_is_an_open_question():
    def ring(graph: Any, k: int) -> Any:
        return graph

    found = check_anonymizer(ring, kind="graph", promises=["cluster-size"], **QUICK)
    assert "cluster size" not in [result.check.name for result in found.failures]
    assert found.unjudged == (Promise.CLUSTER_SIZE,)


def test_the_share_that_was_judged_is_told():
    checks = ["refuses clearly"]
    found = check_anonymizer(
        as_it_is, checks=checks, sources=["mixed types"], promises=["truthful"], **QUICK
    )
    result = found["refuses clearly"]
    assert result.judged < result.examples == 8
    assert f"judged {result.judged} of 8 cases" in found.summary()


def test_a_check_cannot_say_nothing():
    from dataclasses import replace

    from kproof.proptests.checks import by_name
    from kproof.proptests.subjects.registered import own_subject

    silent = replace(by_name("theta"), function=lambda trial: None)
    with pytest.raises(TypeError, match="a check returns a Violation, Kept or NotApplicable"):
        look(silent, Trial(own_subject("mondrian"), None))
    assert "nothing was compared" in error_line(ValueError, Kept, 0)
    assert keep_if_compared(0, "no class") == NotApplicable("no class")
    assert issubclass(NotDriven, KProofError)


@pytest.mark.parametrize(
    ("name", "check"),
    spread(
        product(("mondrian", "density", "quadtree", "k-degree"), ("hash seed", "fresh process")), 3
    ),
)
def test_costly_checks_judge_something_in_the_quick_profile(name, check):
    from kproof.proptests.checks import by_name
    from kproof.proptests.engine import hold
    from kproof.proptests.profiles import profile_named
    from kproof.proptests.sources import sources
    from kproof.proptests.subjects.registered import own_subject

    subject = own_subject(name)
    dear = by_name(check, subject.kind)
    (result,) = hold(subject, [dear], sources(subject.kind), profile=profile_named("quick"))
    assert (result.status, result.judged > 0) == (CheckStatus.PASSED, True), result.unjudged


def crowded(points: Any, min_k: int) -> list[dict[str, Any]]:
    """Publish one sector with all points, if there are enough of them, whoever they are of."""
    if len(points) < min_k:
        raise ValueError(f"{len(points)} points, min_k = {min_k}")
    low, high = points[["lat", "lon"]].min(), points[["lat", "lon"]].max()
    sides = {"west": low.lon - 1, "south": low.lat - 1, "east": high.lon + 1, "north": high.lat + 1}
    return [{**sides, "locations": len(points)}]


def test_k_is_of_people_where_points_say_whose_they_are():
    given: dict[str, Any] = {"kind": "points", "promises": ["k-anonymity"], "checks": ["sector k"]}
    result = check_anonymizer(crowded, **given, **QUICK)["sector k"]
    assert result.status is CheckStatus.FAILED
    people, k = len(set(result.case.users)), result.case.parameters["min_k"]
    assert people < k <= len(result.case.positions)
    assert f"{people} user{'s' * (people != 1)}, k = {k}" in result.violation.sentence


def test_k_is_of_locations_where_they_are_asked_for():
    def as_asked(points: Any, min_k: int, count: str) -> Any:
        found = crowded(points, min_k)
        whose = {"locations": len(points), "users": points["user"].nunique()}
        if whose[count] < min_k:
            raise ValueError("too few")
        return [{**one, "count": whose[count]} for one in found]

    found = check_anonymizer(
        as_asked, kind="points", promises=["k-anonymity"], checks=["sector k"], **QUICK
    )
    assert found.answer is Answer.KEPT, found.report()
