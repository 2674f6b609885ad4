"""Messages name arguments to who calls Python, and options to who types a command."""

import shlex

import pandas as pd
from cases import cases, error_line
from shell import kproof, refused, typed

from kproof import read_table
from kproof.cli.base.options import as_typed
from kproof.errors import DataError, speak, spell
from kproof.models.frontier.comparison import frontier


@cases(
    ("missing", ["NA", "-"], 'missing=["NA", "-"]', "--missing=NA --missing=-"),
    ("missing", [""], 'missing=[""]', "--missing=''"),
    ("missing_as", "value", 'missing_as="value"', "--missing-as value"),
    ("drop", ["full name"], 'drop=["full name"]', "--drop 'full name'"),
    ("drop", ['a"b'], r'drop=["a\"b"]', "--drop 'a\"b'"),
    ("numeric", {"zip": False}, 'numeric={"zip": False}', "--code zip"),
    ("ladders", {"a b": "date"}, 'ladders={"a b": "date"}', "--ladder 'a b=date'"),
    ("most_levels", {"a b": 2}, 'most_levels={"a b": 2}', "--most-level 'a b=2'"),
    ("quasi_identifiers", None, "quasi_identifiers", "--qi"),
    ("jobs", 1, "jobs=1", "--jobs 1"),
)
def test_an_argument_is_written_for_who_asks(argument, value, python, typed):
    assert spell(argument, value) == python
    with speak(as_typed):
        assert spell(argument, value) == typed
        assert all(shlex.split(spell(argument, value)))
    assert spell(argument, value) == python


def test_a_long_or_odd_value_stays_one_short_line():
    for value in ("x" * 10**6, "a\nb\u200b", "a" * 59 + "\n" * 9):
        for told in (spell("missing", [value]), as_typed("missing", [value])):
            assert told.isprintable()
            assert len(told) < 100


def test_a_file_is_refused_in_the_words_of_who_reads_it(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("ill,weight\nflu,70\nHIV,81\nflu,unknown\n")
    words = typed(
        "anonymize mondrian --audience study {path} --qi weight --sensitive ill", path=path
    )
    told = refused(*words, "--k", "2", "-o", str(tmp_path / "out.csv"))
    assert "it is missing (--missing=unknown) or" in told
    assert told.endswith("holds codes (--code weight)")
    # The command is over: its options are no longer spoken of, although it failed.
    line = error_line(DataError, read_table, path, quasi_identifiers=["weight"], sensitive="ill")
    assert 'it is missing (missing=["unknown"]) or' in line
    assert line.endswith('holds codes (numeric={"weight": False})')
    for answer in ({"missing": ["unknown"]}, {"numeric": {"weight": False}}):
        assert read_table(path, quasi_identifiers=["weight"], sensitive="ill", **answer).rows == 3


def test_processes_speak_as_the_one_that_started_them(tmp_path):
    path = tmp_path / "data.csv"
    frame = pd.DataFrame({"town": [f"town {i % 9}" for i in range(18)], "ill": ["a", "b"] * 9})
    frame.to_csv(path, index=False)
    table = read_table(path, quasi_identifiers=["town"], sensitive="ill")
    for jobs in (1, 2):
        found = frontier(table, methods=["mondrian"], k=[17, 18], suppress=["0"], jobs=jobs)
        assert {one.problem.partition("more ")[2] for one in found.candidates} == {
            "(most_members=9)"
        }
        asked = ("--qi", "town", "--sensitive", "ill", "--k", "17,18", "--methods", "mondrian")
        ran = kproof(
            "compare", "--audience=study", str(path), *asked, "--suppress", "0", "--jobs", str(jobs)
        )
        assert "(--most-members 9)" in ran.out + ran.err
