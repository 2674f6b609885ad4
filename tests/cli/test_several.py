"""The commands for tables with several sensitive columns and with several rows of a person."""

import json
from pathlib import Path

import pytest
from cases import cases
from shell import kproof, refused

VISITS = """age,disease,pay,patient
31,HIV,20,a
33,Flu,30,a
38,Flu,20,b
39,Asthma,40,c
52,Flu,30,d
55,HIV,30,e
58,Asthma,20,e
59,Cold,50,f
"""
QI = ("--qi", "age", "--sensitive", "disease,pay")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("visits.csv").write_text(VISITS, encoding="utf-8")


def test_from_a_table_to_a_verdict():
    asked = ("--k", "3", "--person", "patient", "-o", "out.csv")
    ran = kproof(
        "anonymize", "mondrian", "--audience", "study", "visits.csv", *QI, *asked, "--json"
    )
    assert ran.document["people"] == 6
    assert ran.document["further_sensitive"] == ["pay"]
    assert Path("out.csv").read_text(encoding="utf-8").splitlines()[0] == "age,disease,pay"
    ran = kproof("check", "--models-only", "out.csv", *QI, "--l", "disease=2,pay=4", "--k", "3")
    assert ran.status == 1
    told = [line.split()[:4] for line in ran.out.splitlines()[2:5]]
    assert told[0][:2] == ["holds", "k-anonymity(k=3)"]
    assert told[1] == ["holds", "l-diversity(l=2)", "of", "disease"]
    assert told[2] == ["FAILS", "l-diversity(l=4)", "of", "pay"]
    ran = kproof(
        "check", "--models-only", "out.csv", *QI, "--l", "pay=2", "--known-sensitive", "--json"
    )
    assert ran.status == 1
    [verdict] = json.loads(ran.out)["verdicts"]
    assert verdict["sensitive"] == "pay"
    assert verdict["other_sensitive"] == {"unknown": [], "known": ["disease"]}


def test_every_column_is_summed_up_and_people_are_counted():
    ran = kproof("check", "--models-only", "visits.csv", *QI, "--person", "patient")
    assert [line.partition(":")[0] for line in ran.out.splitlines()[:2]] == ["disease", "pay"]
    ran = kproof(
        "check", "--models-only", "visits.csv", *QI, "--person", "patient", "--k", "1", "--json"
    )
    assert ran.document["verdicts"][0]["people"] == {
        "several_rows": 2,
        "several_classes": 2,
        "judged": None,
    }


def test_an_attack_has_a_target():
    ran = kproof("attack", "homogeneity", "visits.csv", *QI, "--identifier", "patient", "--json")
    assert json.loads(ran.out)["worst"]["guess"] == "HIV"
    aimed = ("--identifier", "patient", "--target", "pay", "--json")
    ran = kproof("attack", "homogeneity", "visits.csv", *QI, *aimed)
    found = json.loads(ran.out)
    assert (found["worst"]["guess"], found["sensitive"]) == ("20", "pay")


@cases(
    (("--l", "zip=2"), "--l = zip=2: need one of the sensitive columns: disease, pay"),
    (("--sensitive", "pay"), "--sensitive = pay: need each sensitive column once"),
    (("--person", "age"), "--person = age: need a column that is not among --qi"),
    (("--person", "doctor"), "visits.csv: no column doctor"),
)
def test_roles_that_do_not_go_together(words, told):
    assert told in refused("check", "--models-only", "visits.csv", *QI, *words)


def test_rows_without_a_person():
    Path("visits.csv").write_text(VISITS.replace(",b\n", ",\n"), encoding="utf-8")
    asked = (*QI, "--person", "patient", "--k", "2", "-o", "out.csv")
    assert "column patient: 1 row has no person" in refused(
        "anonymize", "mondrian", "--audience", "study", "visits.csv", *asked
    )
    assert not Path("out.csv").exists()
