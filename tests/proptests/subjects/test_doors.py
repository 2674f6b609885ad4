"""The doors to the suite: a function, parametrized tests, and pytest in any directory."""

import json
import os
import re
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
from apart import python
from cases import cases, error_line
from foreign import Suppressor, as_it_is, one_class, one_short
from nights import by_day
from shell import printed, same_as_snapshot

import kproof
from kproof.errors import InvalidArgument, KProofError
from kproof.models.registry import Kind, Promise
from kproof.proptests import Command, PromiseBroken, PromiseOpen, Results, parametrize_with_checks
from kproof.proptests.api import BASIC, check_anonymizer, promises_named, short
from kproof.proptests.checks import checks
from kproof.proptests.contract import CheckStatus, TableCase
from kproof.proptests.parametrize import suite_of
from kproof.proptests.rendering import sketch, snippet
from kproof.proptests.results import SCHEMA
from kproof.proptests.seeds import check_seeds
from kproof.proptests.sources import sources

SUPPORT = Path(__file__).parents[2] / "support"
DRAWN = [source.name for source in sources(Kind.TABLE) if source.exhaust is None]
FINITE = [source.name for source in sources(Kind.TABLE) if source.exhaust is not None]
FEW: dict[str, Any] = {"sources": DRAWN[:3], "max_examples": 10, "profile": "quick"}


def test_a_healthy_function_passes():
    found = kproof.check_anonymizer(one_class, **FEW)
    assert isinstance(found, Results)
    assert found.ok
    assert found.failures == ()
    # It gives no account of its classes, and what follows from one is not judged.
    unlike = [result.check.name for result in found if result.status is CheckStatus.NOT_APPLICABLE]
    assert unlike == ["shared labels"]
    assert all(0 < result.judged <= result.examples for result in found if result.ok)
    assert found.subject.promises == BASIC
    assert len(found) == len(
        [check for check in checks(Kind.TABLE) if check.applies_to(found.subject)]
    )


def test_a_broken_one_raises_with_the_smallest_input():
    with pytest.raises(PromiseBroken) as caught:
        check_anonymizer("foreign:as_it_is", promises=["k-anonymity"], checks=["k-anonymity"])
    assert isinstance(caught.value, AssertionError)
    same_as_snapshot("verify-broken.txt", str(caught.value))
    (result,) = caught.value.results.failures
    assert result.case.rows == 1


def test_a_planted_class_of_one_too_few_is_found_soon():
    for seed in range(by_day(1, at_night=3)):
        result = check_anonymizer(
            one_short, seed=seed, sources=DRAWN, checks=["k-anonymity"], on_fail="return"
        )["k-anonymity"]
        assert result.status is CheckStatus.FAILED
        assert result.examples <= 200
        assert result.case.parameters["k"] == 2
        assert result.case.rows == 4


def test_the_command_that_is_printed_finds_the_same_case():
    found = check_anonymizer(
        one_short,
        sources=by_day(DRAWN[:3], at_night=DRAWN),
        checks=["k-anonymity", "deterministic"],
        seed=3,
        profile="quick",
        on_fail="return",
        suppresses=True,
    )
    result = found["k-anonymity"]
    command = found.command(result)
    assert command is not None
    assert command.startswith("kproof verify foreign:one_short --suppresses --check k-anonymity ")
    import shlex

    (entry,) = json.loads(printed(*shlex.split(command)[1:], "--json", status=1))["results"]
    assert entry["case"]["columns"] == {
        name: list(values) for name, values in result.case.columns.items()
    }
    assert found.command(found["deterministic"]) is None


def test_what_the_command_line_cannot_say_has_no_command():
    given: dict[str, Any] = {"on_fail": "return", "checks": ["k-anonymity"], "sources": FINITE[:1]}

    def local(frame: Any, qi: list[str], k: int) -> Any:
        return frame

    for anonymizer, more in [
        (local, {}),
        (as_it_is, {"errors": (KeyError,)}),
        (as_it_is, {"parameters": ["k"]}),
        (as_it_is, {"call": lambda fn, frame, case: frame}),
    ]:
        found = check_anonymizer(anonymizer, **given, **more)
        assert found.command(found["k-anonymity"]) is None
        assert "To see it again" not in found.report()


def test_expected_failures_by_name():
    reason = {"k-anonymity": "it is a stub"}
    given: dict[str, Any] = {"sources": FINITE[:1], "checks": ["k-anonymity", "truthful labels"]}
    found = check_anonymizer(as_it_is, expected_failures=reason, **given)
    assert [(one.check.name, one.status) for one in found][:1] == [
        ("k-anonymity", CheckStatus.EXPECTED)
    ]
    with pytest.raises(PromiseBroken, match="take it off the list"):
        check_anonymizer(one_class, expected_failures=reason, **given)
    with pytest.raises(InvalidArgument, match="expected_failures = k: need one of k-anonymity, "):
        check_anonymizer(one_class, expected_failures={"k": "?"}, **given)


def test_nothing_published_is_no_pass():
    def refuse(frame: Any, k: int) -> None:
        raise ValueError("not today")

    said = r"judged 0 of 10 cases \(nothing was published\)"
    with pytest.raises(PromiseOpen, match=said) as caught:
        check_anonymizer(refuse, checks=["k-anonymity"], sources=DRAWN[:1], max_examples=10)
    assert "No case was judged of: k-anonymity; the question is open." in str(caught.value)
    assert isinstance(caught.value, AssertionError)


@cases(
    ({"promises": ["privacy"]}, "promises = privacy: need one of k-anonymity, truthful, records-k"),
    ({"promises": []}, "promises = '': need some of k-anonymity, "),
    ({"promises": ["l-diversity"]}, "l-diversity: the method has no argument that sets l; say "),
    ({"promises": ["reciprocity"]}, "promises = reciprocity: need what is checked of a table: k-a"),
    ({"fixed": {"k": 0}}, "k = 0: need a whole number k >= 1"),
    ({"fixed": {"width": 1}}, "fixed = width: need one of k, min_k, p, l, mu, alpha, t, beta"),
    ({"kind": "tree"}, "kind = tree: need table, city, points, graph or log"),
    ({"profile": "slow"}, "profile = slow: need one of quick, default, deep"),
    ({"max_examples": 0}, "max_examples = 0: need a whole number max_examples >= 1"),
    ({"seed": -1}, "seed = -1: need a whole number seed >= 0"),
    ({"on_fail": "cry"}, "on_fail = cry: need raise or return"),
    ({"checks": ["k"]}, "checks = k: need one of k-anonymity, "),
    ({"checks": ["theta"]}, "checks = theta: need one of k-anonymity, "),
    ({"sources": ["data"]}, "sources = data: need one of mixed types, "),
)
def test_bad_options_are_one_line(options, says):
    assert error_line(KProofError, check_anonymizer, one_class, **options).startswith(says)


def test_promises_are_known_by_their_names():
    for promise in Promise:
        for name in (promise, promise.value, promise.name, short(promise), short(promise).upper()):
            assert promises_named([name]) == {promise}
    assert promises_named("k-anonymity") == {Promise.K_ANONYMITY}


def test_json_has_one_entry_for_each_check():
    given: dict[str, Any] = {"sources": FINITE[:1], "on_fail": "return", "profile": "quick"}
    found = check_anonymizer("foreign:as_it_is", **given)
    document = json.loads(json.dumps(found.to_dict()))
    assert (document["schema"], document["ok"], document["seed"]) == (SCHEMA, False, 0)
    assert document["subject"]["name"] == "foreign:as_it_is"
    assert [entry["check"] for entry in document["results"]] == [one.check.name for one in found]
    entry = document["results"][0]
    assert entry["check"] == "k-anonymity"
    assert (entry["status"], entry["ok"], entry["severity"]) == ("failed", False, "guarantee")
    assert entry["violation"]["found"] == "1"
    assert entry["outcome"]["columns"] == entry["case"]["columns"]
    assert entry["command"] == found.command(found["k-anonymity"])
    with pytest.raises(KeyError):
        found["no such check"]


def test_a_row_to_look_at_is_marked_and_long_tables_are_cut():
    columns = {"a": tuple(range(40)), "b": ("x" * 60, "", "naïve\n", "東京") * 10}
    lines = sketch(TableCase(columns, ("a",), "b"), (1, 39)).splitlines()
    assert len(lines) == 1 + 20 + 1
    assert [line for line in lines if line.startswith(">")] == [lines[2], lines[20]]
    assert lines[2].split()[:3] == [">", "1", "1"]
    assert lines[-1] == "  and 20 more rows"
    assert "'naïve\\n'" in lines[3]
    assert max(map(len, lines)) < 50


@pytest.mark.parametrize("source", DRAWN)
def test_the_python_that_is_printed_builds_the_input(source):
    from hypothesis import HealthCheck, given, settings

    from kproof.proptests.labels.frames import columns_of, frame_of

    (found,) = (one for one in sources(Kind.TABLE) if one.name == source)

    @settings(max_examples=5, database=None, deadline=None, suppress_health_check=list(HealthCheck))
    @given(found.draw(frozenset({"k", "mu"})))
    def built(case: TableCase) -> None:
        names: dict[str, Any] = {}
        # Only running the text, which is made of values drawn here, shows what it builds.
        exec(snippet(case), names)
        frame = frame_of(case)
        assert type(names["frame"]) is type(frame)
        assert columns_of(names["frame"]) == columns_of(frame)
        if case.index is not None:
            assert list(names["frame"].index) == list(frame.index)
        assert names["request"].items() >= dict(case.parameters).items()
        assert names["request"]["quasi_identifiers"] == list(case.quasi_identifiers)

    built()


@parametrize_with_checks([one_class, Suppressor], **FEW)
def test_promises(check):
    check()


@parametrize_with_checks(
    [as_it_is],
    expected_failures={"k-anonymity": "a stub"},
    checks=["k-anonymity", "truthful labels"],
    sources=FINITE[:1],
)
def test_promises_that_are_not_kept(check):
    if check.check == "k-anonymity":
        assert "a stub" in error_line(pytest.xfail.Exception, check)
    else:
        check()


def test_iterators_of_names_serve_every_anonymizer_and_every_seed() -> None:
    names = ["k-anonymity", "truthful labels"]
    few = {**FEW, "sources": DRAWN[:1]}
    mark = parametrize_with_checks([one_class, Suppressor], checks=iter(names), **few)
    tests = [parameter.values[0] for parameter in mark.args[1]]
    assert [test.check for test in tests] == names * 2
    for test in tests:
        test()
    runs = check_seeds(one_class, iter([0, 1]), checks=iter(names), promises=iter(BASIC), **few)
    assert [run.answer.value for run in runs.runs] == ["kept"] * 2


def test_the_tests_of_an_anonymizer_share_one_run() -> None:
    calls = []

    def publish(frame: Any, qi: list[str], k: int) -> Any:
        calls.append(k)
        return frame

    first, second = suite_of(publish, checks=["k-anonymity", "shared labels"], **FEW)
    assert calls == []
    with pytest.raises(PromiseBroken, match="breaks 'k-anonymity'"):
        first()
    made = len(calls)
    assert "there is no account" in error_line(pytest.skip.Exception, second)
    assert 0 < made == len(calls)
    with pytest.raises(InvalidArgument, match="expected_failures = k: need one of k-anonymity"):
        suite_of(publish, expected_failures={"k": "?"})


def pytest_in(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the suite as a stranger would, in a directory of their own."""
    # Without an installed entry point the plugin has to be named.
    known = any(point.name == "kproof" for point in entry_points(group="pytest11"))
    plugin = () if known else ("-p", "kproof.proptests.plugin")
    command = [sys.executable, "-m", "pytest", *plugin, "--pyargs", "kproof.proptests.test_suite"]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST")}
    return subprocess.run(
        [*command, "-p", "no:cacheprovider", *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_pytest_in_a_foreign_directory(tmp_path):
    (tmp_path / "theirs.py").write_text((SUPPORT / "foreign.py").read_text())
    (tmp_path / "models.py").write_text("raise SystemExit('a folder of their own')\n")
    options = ("--anonymizer-profile", "quick", "--anonymizer-max-examples", "2")
    ran = pytest_in(
        tmp_path,
        *("--anonymizer", "theirs:as_it_is", *options),
        *("--anonymizer-promises", "k-anonymity", "-k", "anonymity or shared"),
        *("--junitxml", "junit.xml"),
    )
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert "as_it_is-k-anonymity" in ran.stdout
    assert "theirs:as_it_is breaks 'k-anonymity'" in ran.stdout
    assert "1 failed, 1 skipped" in ran.stdout
    # The run is made in the first test; the time of each is that of its check.
    billed = re.findall(r'<testcase [^>]*time="([^"]*)"', (tmp_path / "junit.xml").read_text())
    assert len(billed) == 2
    assert all(0 < float(seconds) < 60 for seconds in billed)
    ran = pytest_in(
        tmp_path,
        *("--anonymizer", "theirs:as_it_is", *options),
        *("--anonymizer-promises", "k-anonymity", "-k", "anonymity or shared"),
        *("--anonymizer-xfail", "k-anonymity=a stub"),
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "1 skipped" in ran.stdout
    assert "1 xfailed" in ran.stdout


def test_pytest_without_an_anonymizer_and_with_a_wrong_one(tmp_path):
    ran = pytest_in(tmp_path, "-rs")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "no anonymizer; name one with --anonymizer" in ran.stdout
    ran = pytest_in(tmp_path, "--anonymizer", "nowhere:fn")
    assert ran.returncode == 2
    assert "anonymizer = nowhere:fn: need a module that can be imported" in ran.stdout
    assert "Traceback" not in ran.stdout
    ran = pytest_in(tmp_path, "--anonymizer", "mondrian", "--anonymizer-timeout", "0")
    assert ran.returncode == 2
    assert "timeout = 0: need 1/100 <= timeout <= 86400" in ran.stdout


def test_the_plugin_is_light():
    code = "import sys, kproof.proptests.plugin; print(*sys.modules)"
    done = python("-c", code, check=True)
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert not loaded & {"hypothesis", "numpy", "pandas", "pytest", "rich", "narwhals"}
    assert "kproof.proptests.api" not in done.stdout.split()
    assert Command.__module__ == "kproof.proptests.subjects.command"
