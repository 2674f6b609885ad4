"""The decision: what is recommended, why, and what it never says."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shell import kproof, refused, require_schema

import kproof as package
from kproof.models.tables.table import Table
from kproof.report.decision import Recommendation, SourceFile, decide, today

ROLES = ("--qi", "age", "--sensitive", "ill")


def rows(*lines: str) -> str:
    return "\n".join(("age,ill", *lines)) + "\n"


SPREAD = rows(*(f"{20 + one},{'HIV' if one % 2 else 'Flu'}" for one in range(16)))


def sheet(folder: Path, text: str, *words: str) -> dict[str, object]:
    data = folder / "data.csv"
    data.write_text(text, encoding="utf-8")
    asked = ("--sections", "decision", "--output", str(folder / "out"))
    ran = kproof("report", str(data), *words, *asked, "--json")
    assert ran.status == 0
    found: dict[str, object] = ran.document["sections"]["decision"]
    written = json.loads((folder / "out" / "report.json").read_text(encoding="utf-8"))
    assert written == {name: one for name, one in ran.document.items() if name != "report"}
    return found


def test_the_command_that_is_recommended_makes_such_a_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = sheet(tmp_path, SPREAD, *ROLES, "--k", "4")
    assert found["recommendation"] == "publish with these settings"
    program, *words = shlex.split(str(found["command"]))
    assert program == "kproof"
    assert kproof(*words).status == 0
    judged = kproof("check", "--models-only", "release.csv", *ROLES, "--k", "4", "--l", "2")
    assert judged.status == 0
    assert found["published"]["smallest"] >= 4
    assert found["as_it_is"]["alone"] == 16
    chosen = [one for one in found["settings"] if one["chosen"]]
    assert len(chosen) == 1
    assert chosen[0]["loss"] == min(one["loss"] for one in found["settings"] if not one["problem"])


def test_a_table_that_has_it_needs_no_settings(tmp_path: Path) -> None:
    text = rows(*["20,HIV", "20,Flu"] * 4)
    found = sheet(tmp_path, text, *ROLES, "--k", "4")
    assert found["recommendation"] == "publish as it is"
    assert (found["command"], found["published"]) == (None, None)
    assert found["source"] == {
        "name": "data.csv",
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
        "origin": None,
        "made_up": False,
    }


def test_roles_that_nobody_confirmed_are_never_enough(tmp_path: Path) -> None:
    for text in (SPREAD, rows(*["20,HIV", "20,Flu"] * 8)):
        found = sheet(tmp_path, text, "--k", "4")
        assert found["recommendation"] == "do not publish"
        assert not found["roles_confirmed"]
        assert "kproof roles" in found["questions"][0]
        page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
        assert "Do not publish yet" in page


def test_what_cannot_be_had_is_not_recommended(tmp_path: Path) -> None:
    found = sheet(tmp_path, rows(*["20,Flu", "30,Flu"] * 8), *ROLES, "--k", "4")
    assert found["recommendation"] == "do not publish"
    assert found["as_it_is"]["lacking"] == ["l-diversity(l=2) of ill: largest l is 1"]
    assert "No release that was tried has it" in found["reasons"][-1]


def test_a_column_published_as_it_is_that_gives_everybody_away(tmp_path: Path) -> None:
    lines = (f"20,{'HIV' if one % 2 else 'Flu'},n{one}" for one in range(8))
    text = "\n".join(("age,ill,name", *lines))
    found = sheet(tmp_path, text, *ROLES, "--other", "name", "--k", "4")
    assert found["recommendation"] == "do not publish"
    assert "whoever knows name needs no class" in found["as_it_is"]["lacking"][0]


def test_many_values_without_levels_are_shown_or_not(tmp_path: Path) -> None:
    towns = [f"town{one % 20:02}" for one in range(40)]
    lines = (f"{town},{'HIV' if one < 20 else 'Flu'}" for one, town in enumerate(towns))
    text = "\n".join(("town,ill", *lines)) + "\n"
    found = sheet(tmp_path, text, "--qi", "town", "--sensitive", "ill", "--k", "15")
    assert "--ladder town=flat" in found["command"]
    assert "town: shown as it is or as *" in found["reasons"][-1]


def test_a_file_that_nobody_can_judge(tmp_path: Path) -> None:
    lines = (f"{one},x{one}" for one in range(20))
    found = sheet(tmp_path, "\n".join(("number,word", *lines)))
    assert found["recommendation"] == "do not publish"


def test_the_day_can_be_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert today() == "1970-01-02"


def test_unknown_sections_are_refused(tmp_path: Path) -> None:
    told = refused("report", "--sections", "tables", "--output", str(tmp_path / "out"))
    assert "some of decision, table, bounds, nets, places, audit" in told
    assert list(tmp_path.iterdir()) == []


@given(
    people=st.lists(
        st.tuples(st.integers(20, 40), st.sampled_from(["Flu", "HIV", "Gout"])),
        min_size=4,
        max_size=40,
    ),
    k=st.integers(2, 4),
)
@settings(max_examples=10, deadline=None)
def test_what_is_recommended_has_what_was_asked_for(people: list[tuple[int, str]], k: int) -> None:
    import pandas as pd

    frame = pd.DataFrame(people, columns=["age", "ill"])
    table = Table.from_frame(frame, quasi_identifiers=["age"], sensitive="ill")
    found = decide(table, SourceFile("frame"), k=k)
    models = [package.KAnonymity(k), package.DistinctL(2)]
    roles = {"quasi_identifiers": ["age"], "sensitive": "ill"}
    as_it_is = all(package.check(frame, models, **roles))
    assert (found.recommendation is Recommendation.AS_IT_IS) == as_it_is
    if found.recommendation is Recommendation.WITH_SETTINGS:
        assert found.release is not None
        assert all(package.check(found.release.to_frame(), models, **roles))
    # No row, and nothing of one, is in the figures.
    told = json.dumps(found.to_dict()["published"])
    assert not re.search("Flu|HIV|Gout", told)


RELEASE = "age,ill\n" + "[20-25],HIV\n[20-25],Flu\n" * 2 + "[26-31],HIV\n[26-31],Flu\n" * 2
ORIGINAL = "age,ill\n" + "".join(f"{age},HIV\n" for age in (20, 21, 24, 25, 26, 27, 30, 31))


def test_somebodys_release_is_judged_and_not_made_again(tmp_path: Path) -> None:
    found = sheet(tmp_path, RELEASE, *ROLES, "--k", "4")
    assert (found["recommendation"], found["settings"]) == ("publish as it is", [])
    assert "there is no original" in found["left_out"][-1]
    assert sheet(tmp_path, RELEASE, *ROLES, "--k", "5")["recommendation"] == "do not publish"


@pytest.mark.parametrize(
    ("original", "recommended", "says"),
    [
        (ORIGINAL, "publish as it is", "Each of the 8 people of the original fits a group."),
        (ORIGINAL + "70,HIV\n", "publish as it is", "1 of 9 people of the original fit no group"),
        (ORIGINAL.replace("31", "50"), "do not publish", "Its labels are not true of the original"),
    ],
)
def test_a_release_beside_its_original(
    original: str, recommended: str, says: str, tmp_path: Path
) -> None:
    file = tmp_path / "original.csv"
    file.write_text(original, encoding="utf-8")
    found = sheet(tmp_path, RELEASE, *ROLES, "--k", "4", "--original", str(file))
    assert found["recommendation"] == recommended
    assert says in found["reasons"][-1]


def test_codes_that_were_cut_are_found_in_the_original(tmp_path: Path) -> None:
    """Nobody says a ladder; what is a code of the original stands for itself alone."""
    cut, whole = "zip,ill\n", "zip,ill\n"
    for one in range(8):
        shown = "12***" if one < 4 else "9****"
        cut += f"{shown},{'HIV' if one % 2 else 'Flu'}\n"
        whole += f"{shown[0] + '2' if one < 4 else '90'}{100 + one},{'HIV' if one % 2 else 'Flu'}\n"
    asked = ("--qi", "zip", "--sensitive", "ill", "--k", "4", "--original")
    file = tmp_path / "original.csv"
    for text, recommended in (
        (whole, "publish as it is"),
        (whole.replace("12103", "13103"), "do not publish"),
        (whole.replace("12103", "121030"), "do not publish"),
        (whole.replace("12103", "12***"), "do not publish"),
    ):
        file.write_text(text, encoding="utf-8")
        found = sheet(tmp_path, cut, *asked, str(file))
        assert found["recommendation"] == recommended, text


def test_rows_that_may_be_one_person_s_are_named(tmp_path: Path) -> None:
    text = "number,name,age,ill\n" + "".join(
        f"{one // 2},{'Ann' if one < 2 else one},{20 + one},{'HIV' if one % 2 else 'Flu'}\n"
        for one in range(16)
    )
    hidden = ("--identifier", "number,name")
    found = sheet(tmp_path, text, *ROLES, *hidden, "--k", "4")
    assert (
        "Every row is about another person, although 8 rows repeat a value of number (if they are "
        "one person’s: --person number), and 1 row repeats a value of name (if they are one "
        "person’s: --person name)."
    ) in found["assumed"]
    assert "every row is among 4 rows or more" in found["reasons"][-1]
    assert "everybody" not in " ".join(found["reasons"])
    asked = ("--person", "number", "--identifier", "name", "--k", "4")
    found = sheet(tmp_path, text, *ROLES, *asked)
    assert not [line for line in found["assumed"] if line.startswith("Every row is about")]
    assert "everybody is among 8 people or more" in found["reasons"][-1]


def test_attacks_are_those_of_the_other_pages(tmp_path: Path) -> None:
    # Three of the first four have what is rare in the table: nobody is certain, and much is told.
    text = rows("20,HIV", "20,HIV", "20,HIV", "20,Flu", *(f"{30 + one},Gout" for one in range(16)))
    data = tmp_path / "data.csv"
    data.write_text(text, encoding="utf-8")
    asked = ("--sections", "decision,table", "--k", "4", "--output", str(tmp_path / "out"))
    ran = kproof("report", str(data), *ROLES, *asked, "--json").document["sections"]
    first = {one["attack"]: one for one in ran["decision"]["as_it_is"]["attacks"]}
    (as_it_is,) = [one for one in ran["table"]["outcomes"] if one["name"] == "as it is"]
    for name, found in as_it_is["disclosures"].items():
        if name in first and first[name]["disclosed"] is not None:
            assert first[name]["disclosed"] == found["disclosed"], name
            assert first[name]["certainty"] == found["worst"]["posterior"], name
    assert (first["homogeneity"]["disclosed"], first["skewness"]["disclosed"]) == (16, 4)


@given(
    people=st.lists(
        st.tuples(st.integers(1000, 9999), st.sampled_from(["Flu", "HIV", "Gout"])),
        min_size=8,
        max_size=24,
        unique_by=lambda one: one[0],
    )
)
@settings(max_examples=4, deadline=None)
def test_readers_are_told_what_the_release_shows_and_no_more(
    people: list[tuple[int, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """No original value, no count of it, no name of a person or a folder is on the page."""
    folder = tmp_path_factory.mktemp("secret-folder")
    data = folder / "secret-file.csv"
    lines = (f"{number},{ill},canary{number}" for number, ill in people)
    data.write_text("\n".join(("code,ill,name", *lines)) + "\n", encoding="utf-8")
    out = folder / "out"
    asked = ("--qi", "code", "--sensitive", "ill", "--identifier", "name", "--k", "4")
    ran = kproof("report", str(data), *asked, "--for", "readers", "--output", str(out))
    if ran.status:
        assert "there is nothing to send to readers: do not publish" in ran.err
        assert not out.exists()
        return
    for name in ("report.html", "report.json"):
        text = (out / name).read_text(encoding="utf-8")
        told = re.sub(r"<style.*?</style>", "", text, flags=re.DOTALL)
        assert "canary" not in told
        assert "secret" not in told
        assert not [number for number, _ in people if re.search(rf"\b{number}\b", told)]
        alone = 'alone with what an adversary may know</th><td data-label="as it is">0<'
        assert alone in told or name != "report.html"
    written = json.loads((out / "report.json").read_text(encoding="utf-8"))
    require_schema(written)
    assert written["tables"] == []
    document = written["sections"].pop("decision")
    assert written["sections"] == {}
    assert document["as_it_is"]["smallest"] >= 4
    assert (document["command"], document["settings"], document["source"]["sha256"]) == (
        None,
        [],
        None,
    )


def test_readers_get_the_decision_alone(tmp_path: Path) -> None:
    told = refused(
        "report", "--for", "readers", "--sections", "table", "--output", str(tmp_path / "x")
    )
    assert "none beside --for readers" in told
    told = refused("report", "--original", "table-1a", "--output", str(tmp_path / "x"))
    assert "one release as DATA" in told
