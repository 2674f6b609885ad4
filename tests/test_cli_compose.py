"""``kproof compose``: what is printed, the statuses, and bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from shell import kproof, refused

HEAD = "id,age,job,ill\n"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Releases of six people: neither pins anybody, together they pin two."""
    monkeypatch.chdir(tmp_path)
    rows = [("a", "1", "x", "flu"), ("b", "1", "y", "cold"), ("c", "1", "x", "hiv")]
    rows += [("d", "2", "y", "flu"), ("e", "2", "x", "gout"), ("f", "2", "y", "tbc")]
    for name, shown in (("first", (0, 1, 3)), ("second", (0, 2, 3))):
        head = [HEAD.strip().split(",")[place] for place in shown]
        lines = [",".join(row[place] for place in shown) for row in rows]
        (tmp_path / f"{name}.csv").write_text("\n".join([",".join(head), *lines]) + "\n")
    return tmp_path


ASKED = ("compose", "first.csv", "second.csv", "--qi", "job", "--sensitive", "ill")


def test_two_releases_that_pin_people_together(files: Path) -> None:
    ran = kproof(*ASKED, "--person", "id", columns=200)
    assert ran.status == 1
    assert "broken: 2 of 6 people are certain beside first.csv, and in no release alone" in ran.out
    assert "what to do: publish people in the classes of the earlier release" in ran.out
    assert "judged: what second.csv tells beside the others, not what it tells alone" in ran.out
    document = json.loads(kproof(*ASKED, "--person", "id", "--json").out)
    assert (document["findings"][0]["hit"], document["people"]) == (2, 6)


def test_the_same_release_again_tells_nothing_new(files: Path) -> None:
    ran = kproof("compose", "second.csv", "second.csv", *ASKED[3:], "--person", "id", columns=200)
    assert ran.status == 0, ran.out
    assert ran.out.startswith("met: nobody is found out beside second.csv")


def test_without_people_it_is_not_decided(files: Path) -> None:
    for name in ("first.csv", "second.csv"):
        lines = (files / name).read_text().splitlines()
        (files / name).write_text("\n".join(line.partition(",")[2] for line in lines) + "\n")
    ran = kproof(*ASKED, columns=200)
    assert ran.status == 4
    assert ran.out.startswith("not decided: up to 6 of 6 rows may be found out by labels")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("compose", "first.csv", "--qi", "job"), "releases = 1: need two files at least"),
        ((*ASKED[:5], "--sensitive", "il"), "sensitive = il: need"),
        ((*ASKED, "--person", "who"), "--person = who: need"),
        (("compose", "absent.csv", *ASKED[2:]), "absent.csv"),
        ((*ASKED, "--key", "absent"), "absent: cannot be read"),
        (ASKED[:3], "--qi"),
    ],
)
def test_bad_input(words: tuple[str, ...], says: str, files: Path) -> None:
    assert says.removeprefix("--") in refused(*words)


def test_a_receipt_that_does_not_fit(files: Path) -> None:
    (files / "first.csv.kproof.json").write_text("{}")
    assert "first.csv.kproof.json: no receipt" in refused(*ASKED)
