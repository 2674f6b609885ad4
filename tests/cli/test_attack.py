"""``kproof attack`` end to end."""

import json
import random

import pytest
from cases import cases

from kproof.cli import main

PAPER = ["--qi", "Class", "--sensitive", "Disease", "--identifier", "ID"]
CATEGORIES = ["--categories", "table-3"]


def run(capsys, *words):
    status = main(["attack", *words])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def document(capsys, *words):
    status, out, err = run(capsys, *words, "--json")
    assert err == ""
    return status, json.loads(out)


def test_the_variance_attack_on_table_4a(capsys):
    status, found = document(capsys, "sensitive-variance", "table-4a", *PAPER, "--k", "4")
    assert status == 1
    assert found["rule"] == "V < 3/4"
    assert [one["row"] for one in found["persons"]] == [8, 9, 10, 11]
    assert found["worst"]["figures"] == {"V": "11/16", "theta": "3/4"}
    assert found["worst"]["posterior"] == "1/2"


def test_a_table_nobody_is_disclosed_in(capsys):
    words = ["categorical-similarity", "table-8b", *PAPER, *CATEGORIES]
    status, found = document(capsys, *words)
    assert (status, found["disclosed"], found["persons"]) == (4, 0, [])
    assert found["judgement"] is None
    assert document(capsys, *words, "--audience", "study")[0] == 0
    assert found["worst"]["posterior"] == "1/2"
    status, found = document(capsys, *words, "--tau", "1/2")
    assert (status, found["rule"]) == (1, "posterior >= 1/2")


@pytest.mark.parametrize("victims", [[], [{"name": "Zoe", "quasi_identifiers": {"Class": "9"}}]])
def test_nobody_to_judge_is_no_answer(capsys, tmp_path, victims):
    known = tmp_path / "known.json"
    known.write_text(json.dumps({"victims": victims}))
    words = ["homogeneity", "table-1b", *PAPER, "--background", str(known)]
    status, found = document(capsys, *words)
    assert (status, found["disclosed"], found["unmatched"]) == (4, 0, len(victims))
    known.write_text(json.dumps({"victims": [*victims, {"row": 4}]}))
    status, found = document(capsys, *words, "--audience", "study")
    assert (status, found["disclosed"], found["unmatched"]) == (0, 0, len(victims))


def test_readable_output(capsys):
    status, out, err = run(capsys, "homogeneity", "table-1b", *PAPER)
    assert (status, err) == (1, "")
    assert out.splitlines()[0] == "homogeneity: 6 of 12 people disclosed"
    assert "worst   row 0    HIV      1             2" in out


def test_background_from_a_file(capsys, tmp_path):
    known = tmp_path / "known.json"
    known.write_text(json.dumps({"victims": [{"row": 11, "excluded": ["HIV", "Cancer"]}]}))
    words = ["linkage", "table-4a", *PAPER, "--background", str(known), "--matching", "class"]
    status, found = document(capsys, *words)
    assert status == 1
    assert (found["worst"]["guess"], found["worst"]["right"]) == ("Flu", True)


def test_a_published_file_with_ranges(capsys, tmp_path):
    release = tmp_path / "release.csv"
    release.write_text("age,disease\n[20-30],Flu\n[20-30],HIV\n[31-40],HIV\n[31-40],HIV\n")
    known = tmp_path / "known.csv"
    known.write_text("name,age\nAnn,35\nBob,25\n")
    words = ["linkage", str(release), "--qi", "age", "--sensitive", "disease"]
    status, found = document(capsys, *words, "--background", str(known), "--limit", "5")
    assert status == 1
    assert [(one["who"], one["guess"]) for one in found["persons"]] == [("Ann", "HIV")]


def test_an_attack_that_finds_nobody_is_no_leave_to_publish(capsys, tmp_path):
    draw = random.Random(1)
    lines = (f"{draw.randint(20, 60)},{draw.choice('abcd')}" for _ in range(300))
    source, release = tmp_path / "source.csv", str(tmp_path / "release.csv")
    source.write_text("\n".join(("age,ill", *lines)))
    roles = ("--qi", "age", "--sensitive", "ill")
    assert main(["anonymize", str(source), *roles, "-o", release]) == 0
    capsys.readouterr()
    status, out, _ = run(capsys, "homogeneity", release, *roles)
    assert status == 4
    assert "not judged: " in out
    beside = ("--original", str(source))
    status, out, _ = run(capsys, "homogeneity", release, *roles, *beside)
    assert (status, "\npublish: " in out) == (0, True)
    # The same attack finds nobody in a release that the judge stands against.
    (tmp_path / "release.csv.kproof.json").unlink()
    rows = (tmp_path / "release.csv").read_text().splitlines()
    (tmp_path / "release.csv").write_text("\n".join([rows[0], *sorted(rows[1:])]))
    status, out, _ = run(capsys, "homogeneity", release, *roles, *beside)
    assert (status, "\nnot decided: " in out) == (4, True)
    status, out, _ = run(capsys, "homogeneity", "mondrian", str(source), *roles, "--k", "4")
    assert (status, "do not publish: " in out) == (1, True)
    assert run(capsys, "homogeneity", "mondrian", str(source), *roles, *beside)[0] == 2


def test_a_method_is_run_and_attacked(capsys):
    roles = ["--qi", "Age", "--sensitive", "Disease", "--identifier", "ID,Name,Zip Code"]
    words = ["mondrian", "table-1a", *roles, "--k", "4"]
    status, found = document(capsys, "linkage", *words)
    assert found["victims"] == 12
    assert (status, found["judgement"]["outcome"]) == (1, "do not publish")
    assert found["worst"]["candidates"] >= 4
    status, found = document(capsys, "sensitive-variance", *words, "--mu", "1/2")
    assert found["worst"]["figures"]["theta"] == "5/8"
    status, found = document(capsys, "homogeneity", *words, "--noise-recognised")
    assert found["victims"] == 12


def test_who_knows_the_method_finds_what_the_attack_does_not(capsys, tmp_path):
    """Zip A was marked for lacking two ills, not for lacking people: all three have HIV."""
    mixed = "".join(f"{place},{ill}\n" for place in "BCDE" for ill in ("HIV", "cold", "flu"))
    source = tmp_path / "zips.csv"
    source.write_text("zip,ill\n" + "A,HIV\n" * 3 + mixed + "F,cold\n")
    words = ["homogeneity", "full-domain", str(source), "--qi", "zip", "--sensitive", "ill"]
    asked = ["--k", "3", "--set", "l=2", "--set", "suppress=30%", "--set", "suppressed=mark"]
    status, out, _ = run(capsys, *words, *asked)
    assert status == 1
    assert "homogeneity: 0 of 16 people disclosed" in out
    by_method = "to anyone who knows the method: broken: a secret of 4 of 16 rows counts as certain"
    assert by_method in " ".join(out.split())
    assert run(capsys, *words, "--k", "3", "--set", "foo=1")[0] == 2


@cases(
    (["guess", "table-4a", *PAPER], "attack = guess: need one of homogeneity"),
    (["homogeneity", "table-4a", "--qi", "Class"], "need --sensitive NAME"),
    (["homogeneity", "table-4a", "--sensitive", "Disease"], "need --qi NAME,NAME,..."),
    (["homogeneity", "none.csv", *PAPER], "none.csv"),
    (["homogeneity", "table-4a", *PAPER, "--tau", "2"], "--tau = 2: need 0 < tau <= 1"),
    (
        ["homogeneity", "table-4a", *PAPER, "--k", "4"],
        "--k = 4: need an option of homogeneity: none",
    ),
    (["categorical-similarity", "table-4a", *PAPER], "a category for each sensitive value"),
    (["linkage", "table-4a", *PAPER], "--matching = cover: need the microdata"),
    (["linkage", "table-4a", *PAPER, "--background", "none.json"], "none.json: cannot be read"),
    (["homogeneity", "table-4a", *PAPER, "--set", "a=b"], "need METHOD DATA with --set"),
    (["homogeneity", "magic", "table-1a", *PAPER], "method = magic: need one of"),
    (["homogeneity", "table-4a", *PAPER, "--limit", "-1"], "limit"),
)
def test_bad_input_is_one_line(words, message, capsys):
    status, out, err = run(capsys, *words)
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
