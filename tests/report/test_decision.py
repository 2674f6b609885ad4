"""The decision: what the judge says, on one page, and what the page never says."""

import hashlib
import html
import json
import random
import re
import shlex
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shell import kproof, printed, refused, require_schema

from kproof.models.judgement.findings import JudgedCriterion
from kproof.models.publishing.publisher import TablePublisher
from kproof.models.tables.table import Table
from kproof.report.decision import decide
from kproof.report.sources import SourceFile, today

ROLES = ("--qi", "age", "--sensitive", "ill")
ILLS = ("HIV", "Flu", "Gout", "Cold")


def rows(ages: int, people: int = 120) -> str:
    """A table of people of so many ages, each with one of four values."""
    lines = (f"{20 + place % ages},{ILLS[place // ages % 4]}" for place in range(people))
    return "\n".join(("age,ill", *lines)) + "\n"


SPREAD, CROWDED = rows(40), rows(3)


def decided(folder: Path, text: str, *words: str) -> tuple[int, dict[str, Any]]:
    """The exit status and the decision about a table."""
    data = folder / "data.csv"
    data.write_text(text, encoding="utf-8")
    asked = ("--sections", "decision", "--output", str(folder / "out"))
    ran = kproof("report", str(data), *words, *asked, "--json")
    document = json.loads(ran.out)
    decision: dict[str, Any] = document["sections"]["decision"]
    written = json.loads((folder / "out" / "report.json").read_text(encoding="utf-8"))
    assert written == {name: part for name, part in document.items() if name != "report"}
    require_schema(written)
    require_same(visible(folder / "out" / "report.html"), decision)
    return ran.status, decision


def visible(page: Path) -> str:
    body = re.sub(r"<(style|svg).*?</\1>", " ", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())


def require_same(page: str, decision: dict[str, Any]) -> None:
    """Every sentence of the page is the JSON's; no figure above its limit stands under a yes."""
    assert decision["heading"] in page
    for sentence in decision["reasons"]:
        assert " ".join(sentence.split()) in page
    release = decision["published"]
    with_settings = decision["heading"] == "Publish with these settings"
    shown = release["judgement"] if with_settings else decision["as_it_is"]
    if shown is None:
        assert decision["outcome"] == "not decided"
        return
    for word in shown["answered"]:
        assert word in page
    for judged in (decision["as_it_is"], release and release["judgement"]):
        if judged is None:
            continue
        assert {finding["criterion"] for finding in judged["findings"]} == set(JudgedCriterion)
        for finding in judged["findings"]:
            figure, limit = finding["figure"], finding["threshold"]
            over = figure and limit and Fraction(figure) > Fraction(limit)
            if over and judged["audience"] == "public":
                assert finding["standing"] != "met", finding
        standings = {finding["standing"] for finding in judged["findings"]}
        assert (judged["outcome"] == "publish") == (standings == {"met"})
    if decision["outcome"] == "publish":
        assert shown["outcome"] == "publish"
        assert decision["roles_confirmed"]


def cells(page: str, table: str) -> list[list[str]]:
    """The words of each cell of a table of the page, row by row, heads and notes left out."""
    body = page.partition(f'<table class="{table}">')[2].partition("</table>")[0]
    for notes in (r"<thead>.*?</thead>", r"<small>.*?</small>", r"<span aria-hidden.*?</span>"):
        body = re.sub(notes, " ", body, flags=re.DOTALL)
    rows = re.findall(r"<tr.*?</tr>", body, flags=re.DOTALL)
    each = (re.findall(r"<t[hd].*?</t[hd]>", row, flags=re.DOTALL) for row in rows)
    return [
        [" ".join(html.unescape(re.sub(r"<[^>]+>", " ", cell)).split()) for cell in row]
        for row in each
    ]


def require_criterion(words: str, criterion: str, judged: dict[str, Any]) -> None:
    """A cell of the criteria says what the worst finding of the JSON does, in every figure."""
    worst = next(one for one in judged["findings"] if one["criterion"] == criterion)
    match = re.fullmatch(r"(.*?)(?: \((.*)\))?", words)
    assert match is not None
    hits = re.fullmatch(r"(?:all|([\d,]+) of) ([\d,]+) (rows|people)", match[1])
    if hits is None:
        assert match[1] == worst["standing"]
    else:
        counts = (hits[1] or hits[2], hits[2])
        numbers = tuple(int(number.replace(",", "")) for number in counts)
        assert (*numbers, hits[3]) == (worst["hit"], worst["people"], judged["unit"])
        assert worst["standing"] == "broken"
    if match[2] is None:
        assert hits is not None or worst["figure"] is None
    elif chance := re.fullmatch(r"1 in ([\d,]+)", match[2]):
        assert Fraction(worst["figure"]) == Fraction(1, int(chance[1].replace(",", "")))
    else:
        # Rounded up to a tenth of a percent.
        percent = Fraction(match[2].removesuffix(" %"))
        assert 0 <= percent - 100 * Fraction(worst["figure"]) < Fraction(1, 10)


def require_loss(words: str, loss: float) -> None:
    percent = float(words.removesuffix(" %"))
    assert percent == pytest.approx(
        100 * loss, abs=0.5 if loss >= 0.0995 else 0.05 + 100 * loss / 50
    )


@pytest.mark.parametrize("text", [SPREAD, CROWDED, rows(7), rows(40, 10)])
def test_each_figure_of_the_pages_is_the_judgements(text, tmp_path):
    data, out = tmp_path / "data.csv", tmp_path / "out"
    data.write_text(text, encoding="utf-8")
    kproof("report", str(data), *ROLES, "--sections", "decision,table", "--output", str(out))
    page = (out / "report.html").read_text(encoding="utf-8")
    sections = json.loads((out / "report.json").read_text(encoding="utf-8"))["sections"]
    decision = sections["decision"]
    release = decision["published"]
    with_settings = decision["heading"] == "Publish with these settings"
    columns = [decision["as_it_is"], *([release["judgement"]] if with_settings else [])]
    criteria = cells(page, "figures")
    assert [row[0] for row in criteria] == [*JudgedCriterion]
    for criterion, *words in criteria:
        for one, judged in zip(words, columns, strict=True):
            require_criterion(one, criterion, judged)

    tried = cells(page, "settings")
    attempts = [] if release is None else release["attempts"][-6:]
    for (setting, loss, ruling), attempt in zip(tried, attempts, strict=True):
        assert setting.startswith(f"groups of {attempt['k']}")
        assert all(
            f"{name} rounded to {step}" in setting for name, step in attempt["rounded"].items()
        )
        assert all(name in setting for name in attempt["left_out"])
        require_loss(loss, attempt["loss"])
        worst = f": {attempt['worst']}" if attempt["worst"] else ""
        assert ruling == " ".join(f"{attempt['outcome']}{worst}".split())
        chosen = with_settings and attempt == release["setting"]
        assert setting.endswith("(recommended)") == chosen

    outcomes = sections["table"]["outcomes"]
    second = {row[0]: row[1:] for row in cells(page, "comparison") if len(row) > 1}
    assert outcomes[0]["judgement"] == decision["as_it_is"]
    shown = visible(out / "report.html")
    for place, outcome in enumerate(outcomes):
        own = {name: words[place] for name, words in second.items()}
        used, judged = outcome["utility"], outcome["judgement"]
        assert own["judged"] == judged["outcome"]
        assert " ".join(f"Judged: {judged['sentence']}.".split()) in shown
        assert own["rows"].split()[0] == str(used["published"] - used["noise"])
        assert own["classes"].split()[0] == str(used["classes"])
        assert own["certainty penalty"] == f"{used['penalty']:.4f}"
        assert own["discernibility"] == f"{used['discernibility']:,}"
        assert own["average class"] == f"{float(Fraction(used['average_class_size'])):.4g}"
        for symbol, verdict in zip(("k", "l", "entropy l", "μ"), outcome["verdicts"], strict=True):
            value, answer = own[symbol].split()
            assert float(value) == pytest.approx(float(Fraction(verdict["value"])), abs=1e-3)
            assert answer == ("holds" if verdict["holds"] else "fails")
        for attack, found in outcome["disclosures"].items():
            count = own[attack.replace("-", " ")].split()[0]
            assert count in ("–", f"{found['disclosed']:,}")
            assert (count == "–") == (found["unmatched"] == found["victims"])


def test_the_command_that_is_recommended_writes_what_may_be_published(here):
    status, decision = decided(here, SPREAD, *ROLES)
    assert (status, decision["heading"]) == (0, "Publish with these settings")
    program, *words = shlex.split(decision["command"])
    assert program == "kproof"
    assert kproof(*words).status == 0
    printed("check", "release.csv", *ROLES, "--k", "11")
    assert decision["as_it_is"]["outcome"] == "do not publish"


def test_a_table_that_meets_every_criterion_needs_no_settings(here):
    status, decision = decided(here, CROWDED, *ROLES)
    assert (status, decision["heading"], decision["published"]) == (
        0,
        "Publish its rows in a random order",
        None,
    )
    assert decision["source"]["sha256"] == hashlib.sha256(CROWDED.encode()).hexdigest()
    assert decision["command"].startswith("kproof anonymize as-is ")
    assert kproof(*shlex.split(decision["command"])[1:]).status == 0
    # The file itself still stands in the order of its source.
    assert kproof("check", "data.csv", *ROLES, "--original", "data.csv").status == 1


def test_the_command_for_a_table_as_it_is_takes_its_levels(here):
    rows = (f"{10110 + place % 10},{ILLS[place % 7 % len(ILLS)]}" for place in range(600))
    levels = ("--ladder", "zip=prefix", "--least-level", "zip=1", "--rows-are-people")
    text = "\n".join(("zip,ill", *rows))
    status, decision = decided(here, text, "--qi", "zip", "--sensitive", "ill", *levels)
    assert (status, decision["heading"]) == (0, "Publish its rows in a random order")
    assert kproof(*shlex.split(decision["command"])[1:]).status == 0
    # What is written is what was judged.
    assert {line[:6] for line in Path("release.csv").read_text().splitlines()[1:]} == {"1011*,"}


def test_that_rows_are_people_stands_on_the_page_as_the_signers_word(tmp_path):
    """Every device has some rows, and nobody but the signer says that they are several people's."""
    draw = random.Random(1)
    lines = ["age,device,ill"]
    for device in range(120):
        age = 20 + device % 3
        lines += [f"{age},{device:04}x,{draw.choice(ILLS)}" for _ in range(2 + device % 5)]
    asked = ("--qi", "age", "--sensitive", "device,ill", "--exact", "device")
    word = "every row is about a different person"
    linked = []
    for words in ((), ("--rows-are-people",)):
        _, decision = decided(tmp_path, "\n".join(lines), *asked, *words)
        assert word in decision["as_it_is"]["answered"]
        assert word in visible(tmp_path / "out" / "report.html").partition("You must confirm")[2]
        findings = decision["as_it_is"]["findings"]
        linked += [one["standing"] for one in findings if one["criterion"] == "linkage"]
    assert linked == ["broken", "met"]


def test_roles_that_nobody_confirmed_are_never_enough(tmp_path):
    for text in (SPREAD, CROWDED):
        status, decision = decided(tmp_path, text)
        assert (status, decision["outcome"]) == (4, "not decided")
        assert not decision["roles_confirmed"]
        assert "kproof roles" in decision["questions"][0]
        # A criterion that was judged of proposed roles is not met beside that.
        roles = visible(tmp_path / "out" / "report.html").partition("a column is used as")[2]
        assert roles.partition("a cell names")[0].split()[4:6] == ["not", "confirmed"], roles
    proposed = tmp_path / "roles.toml"
    kproof("roles", str(tmp_path / "data.csv"), "--output", str(proposed))
    status, decision = decided(tmp_path, CROWDED, "--roles", str(proposed))
    assert status == 4
    [question] = decision["questions"]
    assert f"confirm them with kproof roles {proposed} --confirm" in question
    assert question in kproof("report", str(tmp_path / "data.csv"), "--roles", str(proposed)).out
    assert kproof("roles", "--confirm", str(proposed)).status == 0
    assert decided(tmp_path, CROWDED, "--roles", str(proposed))[0] == 0


def test_what_cannot_be_had_is_not_recommended(tmp_path):
    status, decision = decided(tmp_path, rows(40, 10), *ROLES)
    assert (status, decision["outcome"], decision["command"]) == (1, "do not publish", None)


@pytest.mark.parametrize("role", ["--other", "--qi"])
def test_a_column_that_gives_everybody_away_is_known(role, tmp_path):
    lines = (f"{line},name{place}" for place, line in enumerate(CROWDED.splitlines()[1:]))
    _, decision = decided(tmp_path, "\n".join(("age,ill,nick", *lines)), *ROLES, role, "nick")
    assert decision["as_it_is"]["outcome"] == "do not publish"
    assert "nick" in decision["roles"]["known"]


def test_a_file_that_nobody_can_judge(tmp_path):
    lines = (f"{place},x{place}" for place in range(20))
    assert decided(tmp_path, "\n".join(("number,word", *lines)))[0] == 4


def test_the_day_can_be_said(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert today() == "1970-01-02"


def test_unknown_sections_are_refused(tmp_path):
    told = refused("report", "--sections", "tables", "--output", str(tmp_path / "out"))
    assert "some of decision, table, bounds, nets, places, audit" in told
    assert list(tmp_path.iterdir()) == []


@given(
    people=st.lists(st.tuples(st.integers(20, 24), st.sampled_from(ILLS)), min_size=30, max_size=90)
)
@settings(max_examples=8, deadline=None)
def test_no_row_and_nothing_of_one_is_in_the_document(people):
    import pandas as pd

    frame = pd.DataFrame(people, columns=["age", "ill"])
    table = Table.from_frame(frame, quasi_identifiers=["age"], sensitive="ill")
    decision = decide(TablePublisher.of(table), SourceFile("frame"))
    assert not re.search("|".join(ILLS), json.dumps(decision.to_dict()))


RELEASE = "age,ill\n" + "".join(
    f"[{low}-{low + 5}],{ill}\n" for low in (20, 26) for ill in sorted(ILLS * 6)
)


def test_somebodys_release_is_judged_and_not_made_again(tmp_path):
    status, decision = decided(tmp_path, RELEASE, *ROLES)
    # Nobody knows how it was made, so that nobody knows what its method gives away.
    assert (status, decision["published"]) == (4, None)
    against = [one for one in decision["as_it_is"]["findings"] if one["standing"] != "met"]
    assert {one["criterion"] for one in against} == {"minimality", "membership"}
    status, decision = decided(tmp_path, RELEASE.replace("[26-31]", "[26-30]", 1), *ROLES)
    assert status == 1


def test_readers_are_told_what_the_release_shows_and_no_more(tmp_path):
    """No original value, no name of a person, a file or a folder is on the page."""
    folder = tmp_path / "secret-folder"
    folder.mkdir()
    data = folder / "secret-file.csv"
    lines = (f"{1009 + 7 * place},{ILLS[place % 4]},canary{place}" for place in range(120))
    data.write_text("\n".join(("code,ill,name", *lines)) + "\n", encoding="utf-8")
    out = folder / "out"
    asked = ("--qi", "code", "--sensitive", "ill", "--identifier", "name")
    assert kproof("report", str(data), *asked, "--for", "readers", "--output", str(out)).status == 0
    for name in ("report.html", "report.json"):
        text = (out / name).read_text(encoding="utf-8")
        told = re.sub(r"<style.*?</style>", "", text, flags=re.DOTALL)
        assert "canary" not in told
        assert "secret-" not in told
        assert not [place for place in range(120) if re.search(rf"\b{1009 + 7 * place}\b", told)]
    written = json.loads((out / "report.json").read_text(encoding="utf-8"))
    require_schema(written)
    document = written["sections"].pop("decision")
    assert (written["tables"], written["sections"]) == ([], {})
    assert (document["command"], document["published"], document["source"]["sha256"]) == (
        None,
        None,
        None,
    )


def test_there_is_nothing_to_send_where_nothing_may_be_published(tmp_path):
    data = tmp_path / "data.csv"
    data.write_text(rows(40, 10), encoding="utf-8")
    out = ("--output", str(tmp_path / "x"))
    told = refused("report", str(data), *ROLES, "--for", "readers", *out)
    assert "there is nothing to send to readers: Do not publish" in told
    told = refused("report", "--for", "readers", "--sections", "table", *out)
    assert "none beside --for readers" in told
    told = refused("report", "--original", "table-1a", *out)
    assert "one release as DATA" in told
    assert not (tmp_path / "x").exists()
