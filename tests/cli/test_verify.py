"""``kproof verify``: statuses, the page, and bad input in one line."""

import io
import json
import re
import sys
from pathlib import Path
from typing import Any

from apart import python
from cases import cases
from shell import kproof, printed, refused, same_as_snapshot

FEW = ("--source", "every table of up to 4 rows over 2 values")
ONE = ("--check", "k-anonymity", *FEW)


def test_help():
    same_as_snapshot("help-verify.txt", kproof("verify", "--help").out, layout=False)


def test_a_method_that_keeps_its_promises():
    out = printed("verify", "mondrian", "--profile", "quick", *FEW)
    assert "k-anonymity" in out
    assert "breaks" not in out
    assert re.search(r"^mondrian: (\d+) of \1 checks in order", out, flags=re.MULTILINE)


def test_an_anonymizer_that_does_not():
    out = printed("verify", "foreign:as_it_is", *ONE, status=1)
    assert out.startswith("foreign:as_it_is breaks 'k-anonymity': ")
    assert "kproof verify foreign:as_it_is --check k-anonymity --source" in out


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_first_finding_is_told_to_a_terminal_before_it_is_made_small(monkeypatch):
    from kproof.cli import main
    from kproof.proptests import engine

    err, seen = Terminal(), []
    pare = engine.pare

    def watched(*arguments: Any, **options: Any) -> Any:
        seen.append(err.getvalue())
        return pare(*arguments, **options)

    monkeypatch.setattr(engine, "pare", watched)
    monkeypatch.setattr(sys, "stderr", err)
    assert main(("verify", "foreign:as_it_is", *ONE, "--json")) == 1
    assert seen == [err.getvalue()]
    assert err.getvalue().startswith("kproof: found: k-anonymity fails: ")
    assert err.getvalue().count("found: ") == 1
    assert " ".join(err.getvalue().split()).endswith("; looking for a smaller input")
    # What was known to fail is no news.
    err.truncate(0)
    assert main(("verify", "foreign:as_it_is", *ONE, "--xfail", "k-anonymity=a stub")) == 0
    assert "found" not in err.getvalue()


def test_an_expected_failure():
    words = ("verify", "foreign:as_it_is", *ONE, "--xfail", "k-anonymity=a stub", "--json")
    (entry,) = kproof(*words).document["results"]
    assert (entry["status"], entry["reason"], entry["ok"]) == ("expected failure", "a stub", True)
    ran = kproof("verify", "foreign:one_class", *ONE, "--xfail", "k-anonymity=a stub")
    assert ran.status == 1
    assert "take it off the list" in ran.out


def test_every_case_of_a_finite_source():
    (entry,) = kproof("verify", "foreign:one_class", *ONE, "--json").document["results"]
    assert (entry["status"], entry["exhausted"]) == ("exhausted", [FEW[1]])
    # One to four rows, two values each of a quasi-identifier and of a sensitive column.
    assert entry["examples"] >= 4 + 4**2 + 4**3 + 4**4 - 4**4


def test_what_the_anonymizer_prints_is_not_printed(here, monkeypatch):
    (here / "talking.py").write_text(
        "import foreign\n"
        "def publish(frame, qi, sensitive, k):\n"
        "    print('hello')\n"
        "    return foreign.one_class(frame, qi, sensitive, k)\n"
    )
    monkeypatch.setattr(sys, "path", list(sys.path))
    assert json.loads(kproof("verify", "talking:publish", *ONE, "--json").out)["ok"]


def test_the_page(tmp_path):
    path = tmp_path / "page.html"
    ran = kproof("verify", "foreign:as_it_is", *ONE, "--html", str(path))
    assert ran.status == 1
    assert ran.out.endswith(f"written: {path}\n")
    page = path.read_text(encoding="utf-8")
    assert "Does foreign:as_it_is keep what it promises?" in page
    assert page.count('class="marked"') == 1
    assert "kproof verify foreign:as_it_is --check k-anonymity" in page
    assert not re.search(r"(src|href)=\"(?!#)", page)
    assert list(tmp_path.iterdir()) == [path]


def test_the_page_escapes_what_others_wrote(tmp_path):
    from kproof.proptests import check_anonymizer
    from kproof.report.suite import page_of

    def publish(frame: object, k: int) -> object:
        return {"<script>": ["&amp;"]}

    found = check_anonymizer(
        publish, checks=["k-anonymity"], sources=[FEW[1]], on_fail="return", profile="quick"
    )
    page = page_of(found)
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


def test_a_program(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1] / "support"))
    line = (
        f"{sys.executable} -S -c 'import shutil,sys; shutil.copy(*sys.argv[1:3])' "
        "{input} {output} {k} {qi}"
    )
    document = json.loads(printed("verify", "--command", line, *ONE, "--json", status=1))
    assert document["subject"]["name"] == line
    (entry,) = document["results"]
    assert entry["violation"]["found"] == "1"
    assert entry["command"].startswith("kproof verify --command ")


@cases(
    ((), "anonymizer = none: need package.module:name, or --command LINE"),
    (("a:b", "--command", "x"), "anonymizer = both: need package.module:name, or --command"),
    (("mondrain",), "anonymizer = mondrain: need one of mondrian,"),
    (("nowhere:fn",), "anonymizer = nowhere:fn: need a module that can be imported; ModuleN"),
    (("foreign:fn",), "anonymizer = foreign:fn: need a name in foreign; it has no fn"),
    (("foreign:Suppressor.fit",), "anonymizer = foreign:Suppressor.fit: need call= to supply fr"),
    (("foreign:one_class", "--promises", "x"), "--promises = x: need one of k-anonymity, truthful"),
    (("foreign:one_class", "--check", "x"), "--check = x: need one of k-anonymity, "),
    (("foreign:one_class", "--source", "x"), "--source = x: need one of mixed types, "),
    (("foreign:one_class", "--xfail", "x"), "--xfail = x: need NAME=REASON"),
    (("foreign:one_class", "--xfail", "x=y"), "--xfail = x: need one of k-anon"),
    (("foreign:one_class", "--seed", "x"), "--seed = x: need"),
    (("foreign:one_class", "--max-examples", "0"), "--max-examples = 0: need"),
    (("foreign:one_class", "--profile", "slow"), "Invalid value"),
    (("--command", "{input} {output}", "--timeout", "0"), "--timeout = 0: need 1/100 <="),
    (
        ("--command", "no-such-tool {input} {output}"),
        "--command = 'no-such-tool {input} {output}': need a program that is there, unlike",
    ),
    (("--command", "tool {input}"), "--command = 'tool {input}': need {output} in it"),
)
def test_bad_input_is_one_line(words, says):
    assert refused("verify", *words).startswith(says)


def test_a_page_that_cannot_be_written(tmp_path):
    where = tmp_path / "none" / "page.html"
    said = refused("verify", "foreign:one_class", *ONE, "--html", str(where))
    assert said.startswith(f"{where}: cannot be written: ")


def test_nothing_is_left_in_the_working_directory(tmp_path):
    words = ("mondrian", "--source", "mixed types", "--check", "k-anonymity", "--profile", "quick")
    done = python("-m", "kproof", "verify", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.iterdir()) == []


def test_an_interruption_leaves_with_130(monkeypatch):
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("foreign.one_class", interrupted)
    ran = kproof("verify", "foreign:one_class", *ONE)
    assert (ran.status, ran.out, ran.err) == (130, "", "kproof: interrupted\n")


@cases(
    ("", "anonymizer = ''"),
    (".", "anonymizer = ."),
    (":name", "anonymizer"),
    ("..:x", "anonymizer"),
)
def test_a_name_that_names_nothing(name, argument):
    assert refused("verify", name).startswith(argument)
