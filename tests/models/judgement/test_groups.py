"""People who belong together, as a household does: what all of it share is told by all of it."""

from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from cases import cases
from publications import KNOWN, SECRET, coded
from shell import kproof

from kproof.models.judgement.publication import HiddenColumn, PublishedFile
from kproof.models.judgement.secrets.belonging import groups_in
from kproof.models.judgement.secrets.inference import inference
from kproof.models.judgement.thresholds import THRESHOLDS

CLASSES, RENTS = 8, 40
numbers = partial(coded, text="{code}")


def release(seed: int, home: np.ndarray) -> PublishedFile:
    """Return who is in which class and pays which rent, with homes that are not published."""
    rng = np.random.default_rng(seed)
    rents = rng.integers(0, RENTS, home.max() + 1)
    texts = tuple(map(str, range(home.max() + 1)))
    age, rent = rng.integers(0, CLASSES, len(home)), rents[home]
    return PublishedFile(
        (numbers("age", KNOWN, age), numbers("rent", SECRET, rent)),
        source_row=np.arange(len(home)),
        hidden=(HiddenColumn("home", home, texts),),
    )


def certain_by_hand(shown: PublishedFile, home: np.ndarray) -> int:
    """Count homes with one rent that every class of theirs shows as often as they are in it."""
    age, rent = (column.codes for column in shown.columns)
    shows = Counter(zip(age.tolist(), rent.tolist(), strict=True))
    certain = 0
    for members in (np.flatnonzero(home == number) for number in range(home.max() + 1)):
        needed = Counter(age[members].tolist())
        possible = [
            value
            for value in range(RENTS)
            if all(shows[of_class, value] >= count for of_class, count in needed.items())
        ]
        certain += len(possible) == 1
    return certain


@pytest.mark.parametrize("seed", range(20))
def test_homes_are_as_certain_as_counting_by_hand_says(seed):
    home = np.random.default_rng(seed).permutation(np.repeat(np.arange(30), 3))
    shown = release(seed, home)
    findings = [
        finding
        for finding in inference(shown, THRESHOLDS["public"])
        if "belongs to one home" in finding.sentence and "certain" in finding.sentence
    ]
    assert [finding.hit for finding in findings] == [certain_by_hand(shown, home)]
    assert "such groups is certain" in findings[0].sentence
    assert findings[0].hit > 0


@cases(
    np.arange(90),
    np.repeat(np.arange(3), 30),
    np.repeat(np.arange(30), 3),
    ids=["everybody alone", "thirty in each", "with rents of their own"],
)
def test_what_is_no_household_is_passed_over(home):
    shown = release(0, home)
    if home.max() == 29:
        rents = numbers("rent", SECRET, np.random.default_rng(1).permutation(home))
        shown = PublishedFile((shown.columns[0], rents), None, shown.source_row, shown.hidden)
    assert groups_in(shown) == ()


@pytest.mark.parametrize("said", [("--drop", "home"), ("--identifier", "home"), ("--qi", "home")])
def test_a_release_that_tells_a_household_its_rent_is_not_published(said, here):
    rng = np.random.default_rng(7)
    home = rng.permutation(np.repeat(np.arange(150), 3))
    rents, ages = rng.integers(10, 90, 150)[home], rng.integers(18, 90, 450)
    rows = (f"p{i},{home[i]},{ages[i]},r{rents[i]}" for i in range(450))
    Path("in.csv").write_text("\n".join(["pid,home,age,rent", *rows]) + "\n")
    roles = ("--person", "pid", *said, "--qi", "age", "--sensitive", "rent")
    ran = kproof("anonymize", "mondrian", "in.csv", *roles, "--k=30", "-o", "out.csv", columns=400)
    assert ran.status == 1, ran.out
    assert "and who belongs to one home" in ran.out
    assert not Path("out.csv").exists()
