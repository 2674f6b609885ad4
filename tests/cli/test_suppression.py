"""Rows left out, on the command line: asked for, marked, declared in a file, attacked."""

import json

import pytest
from cases import cases
from shell import kproof, printed, typed

ROWS = "age,ill\n" + "".join(
    f"{age},{ill}\n"
    for age, ill in zip((50, 51, 52, 53, 54, 55, 1, 99), ("flu", "HIV") * 4, strict=True)
)
ROLES = ("--qi", "age", "--sensitive", "ill")


@pytest.fixture
def data(here):
    (here / "rows.csv").write_text(ROWS)
    return here


def test_rows_are_marked_declared_and_attacked(data):
    asked = ("rows.csv", *ROLES, "--k", "2", "--l", "2", "--suppress", "25%", "-o", "out.csv")
    ran = kproof("anonymize", "mondrian", "--audience", "study", *asked, "--suppressed", "mark")
    assert "suppressed rows: 2 of at most 2, * in every quasi-identifier" in ran.out
    told = json.loads(kproof("anonymize", "mondrian", "--audience", "study", *asked, "--json").out)
    assert told["suppression"] == {"rows": 2, "share": "1/4", "budget": "1/4", "mark": None}
    kproof("anonymize", "mondrian", "--audience", "study", *asked, "--suppressed", "mark")
    ran = kproof("check", "--models-only", "out.csv", *ROLES, "--l", "3", "--suppressed-as", "*")
    assert ran.status == 1
    (data / "own.csv").write_text("age,ill\n*,HIV\n*,HIV\n20-29,flu\n20-29,HIV\n*,*\n")
    ran = kproof("check", "--models-only", "own.csv", *ROLES, "--l", "2", "--suppressed-as", "*")
    assert ran.status == 1
    assert "suppressed rows (2 rows)" in ran.out
    assert "1 suppressed row that shows nothing" in ran.out
    (data / "who.csv").write_text("name,age\nBob,90\n")
    whom = ("--background", "who.csv")
    ran = kproof("attack", "suppression", "own.csv", *ROLES, *whom, "--suppressed-as", "*")
    assert ran.status == 1
    assert "Bob   HIV     1" in ran.out
    left_out = ("--k", "2", "--set", "l=2", "--set", "suppress=25%", "--totals", "known")
    ran = kproof("attack", "suppression", "mondrian", "rows.csv", *ROLES, *left_out)
    assert "0 of 2 people disclosed" in ran.out
    assert "6 people fit a published class and were not judged" in ran.out


@cases(
    (("--suppress", "105%"), "--suppress = 105%: need 0 to 1, or 0% to 100%"),
    (("--suppress", "5"), "--suppress = 5: need 0 to 1, or 0% to 100%"),
    (("--suppress=-1%",), "--suppress = -1%: need 0 to 1, or 0% to 100%"),
    (("--suppressed", "hide"), "--suppressed = hide: need drop or mark"),
)
def test_a_bad_budget_is_one_line(words, told, data):
    ran = kproof(
        *typed("anonymize mondrian --audience study rows.csv"),
        *ROLES,
        *typed("--k 2 -o out.csv"),
        *words,
    )
    assert (ran.status, ran.err) == (2, f"kproof: {told}\n")
    assert not (data / "out.csv").exists()


def test_a_file_of_nothing_but_suppressed_rows_is_refused(data):
    (data / "own.csv").write_text("age,ill\n*,*\n*,*\n")
    ran = kproof("check", "--models-only", "own.csv", *ROLES, "--k", "2", "--suppressed-as", "*")
    assert ran.status == 2
    assert ran.err.endswith("all 2 rows are suppressed: they show * and nothing else\n")


def test_marked_rows_may_stand_above_every_level_and_are_told_of(data):
    born = ["2001-02-03", "1960-03-04"] * 6 + ["1960-01-02", "2001-05-06", "1930-01-01"]
    (data / "born.csv").write_text("born\n" + "".join(f"{day}\n" for day in born))
    asked = ("born.csv", "--qi", "born", "--ladder", "born=date", "--most-level", "born=3")
    left_out = ("--k", "2", "--suppress", "20%", "--suppressed", "mark", "-o", "out.csv")
    out = printed("anonymize", "full-domain", "--audience", "study", *asked, *left_out)
    told = (
        "suppressed rows: 3 of at most 3, * in every quasi-identifier, whatever its highest level"
    )
    assert told in out
    assert (data / "out.csv").read_text().splitlines().count("*") == 3
