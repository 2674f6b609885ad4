"""``-`` is standard input where a table is read, and standard output where a file is written."""

import hashlib
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from cases import cases
from shell import Ran, kproof, refused

from kproof.datasets import SHIPPED

TEXT = SHIPPED["table-1a"].text
ROLES = ("--qi", "Age", "--sensitive", "Disease", "--drop", "ID,Name,Zip Code,Country")


def piped(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


@pytest.mark.parametrize(
    "words",
    [
        ("check", "-", "--models-only", *ROLES, "--k", "2", "--json"),
        ("attack", "homogeneity", "-", *ROLES, "--json"),
        ("roles", "-"),
    ],
    ids=lambda words: words[0],
)
def test_a_table_from_standard_input_is_judged_as_from_a_file(words, monkeypatch, here):
    Path("data.csv").write_text(TEXT, encoding="utf-8")
    file = kproof(*("data.csv" if word == "-" else word for word in words))
    piped(monkeypatch, TEXT)
    assert kproof(*words) == Ran(file.status, file.out.replace("data.csv", "<->"), "")


def test_only_the_release_is_on_standard_output(here):
    words = ("anonymize", "mondrian", "--audience", "study", "table-1a", *ROLES, "--k", "3", "-o")
    told = kproof(*words, "file.csv").out
    ran = kproof(*words, "-")
    assert (ran.status, ran.out) == (0, Path("file.csv").read_text(encoding="utf-8"))
    assert ran.err == told.replace("file.csv", "<->")
    as_json = kproof(*words, "-", "--json")
    assert as_json.out == ran.out
    assert json.loads(as_json.err)["output"] == "<->"
    assert [one.name for one in here.iterdir()] == ["file.csv"]


def test_through_a_pipe_of_processes(tmp_path):
    words = ("anonymize", "mondrian", "-", "--audience", "study", *ROLES, "--k", "3", "-o", "-")
    assert subprocess.run(
        [sys.executable, "-m", "kproof", *words],
        input=TEXT.encode(),
        capture_output=True,
        check=True,
        cwd=tmp_path,
    ).stdout.startswith(b"Age,Disease\n")
    assert not list(tmp_path.iterdir())


def test_nothing_is_printed_if_something_fails():
    assert refused(
        "anonymize", "mondrian", "--audience", "study", "table-1a", *ROLES, "--k", "99", "-o", "-"
    )


@cases(
    (("check", "-", "--models-only", *ROLES, "--k", "2"), "<->: standard input is empty"),
    (("report", "table-1a", "-o", "-"), "<->: cannot be made: standard output takes one file"),
    (("audit", "--figures", "-"), "--"),
    (("check", "--models-only", "table-1a", *ROLES, "--missing", "-"), "--"),
)
def test_where_it_cannot_stand(words, says, monkeypatch):
    piped(monkeypatch, "")
    assert refused(*words).startswith(says)


def test_a_file_of_that_name_and_the_library_are_left_alone(monkeypatch, here):
    from kproof.models.tables.readers import names_of

    Path("-").write_text("a,b\n1,2\n", encoding="utf-8")
    piped(monkeypatch, TEXT)
    assert names_of("-") == ("a", "b")
    assert (
        kproof("check", "--models-only", "./-", "--qi", "a", "--drop", "b", "--k", "1").status == 0
    )


def test_a_report_has_the_hash_of_what_was_read_and_a_command_to_type(monkeypatch, tmp_path):
    piped(monkeypatch, TEXT)
    words = ("report", "-", *ROLES, "--k", "3", "--sections", "decision", "-o", str(tmp_path))
    assert kproof(*words).status == 1
    text = (tmp_path / "report.json").read_text(encoding="utf-8")
    assert hashlib.sha256(TEXT.encode()).hexdigest() in text
    assert "<->" not in text.replace('"source": "<->"', "")
