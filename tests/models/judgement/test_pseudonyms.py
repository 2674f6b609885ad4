"""A published secret that says which rows are one person's, though nobody named it a person."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from publications import KNOWN, SECRET, coded

from kproof.models.judgement.classes.linkage import linkage
from kproof.models.judgement.findings import FindingStanding
from kproof.models.judgement.judge import judge
from kproof.models.judgement.people import with_pseudonym
from kproof.models.judgement.publication import PublishedColumn, PublishedFile
from kproof.models.judgement.thresholds import THRESHOLDS

numbers = partial(coded, text="{code}")


def calls(people: int, *, known: int) -> tuple[PublishedColumn, PublishedColumn]:
    """Return a tariff and a device of people with two to six rows."""
    device = np.repeat(np.arange(people), 2 + np.arange(people) % 5)
    return numbers("tariff", KNOWN, device % known), numbers("device", SECRET, device)


def test_who_knows_how_many_rows_somebody_has_picks_them_by_their_device():
    minutes = numbers("minutes", SECRET, np.arange(600) % 50)
    (finding,) = linkage(PublishedFile((*calls(150, known=3), minutes)), THRESHOLDS["public"])
    assert finding.standing is FindingStanding.BROKEN
    assert finding.hit == finding.people == 150
    assert finding.columns == ("device",)


@pytest.mark.parametrize("rows", [1, 21])
def test_what_is_too_rare_or_too_common_is_no_pseudonym(rows):
    codes = np.repeat(np.arange(30), rows)
    shown = PublishedFile((numbers("k", KNOWN, codes % 3), numbers("s", SECRET, codes)))
    assert with_pseudonym(shown) is shown


def test_a_secret_that_goes_with_few_known_columns_is_none():
    tariff, device = calls(150, known=3)
    others = [numbers(name, KNOWN, np.arange(600) % 7) for name in ("month", "cell")]
    assert with_pseudonym(PublishedFile((tariff, device))).people == 150
    assert with_pseudonym(PublishedFile((tariff, device, *others))).unit == "rows"


def test_rows_without_a_pseudonym_are_people_of_their_own_and_the_fewest_people_count():
    tariff, device = calls(150, known=3)
    family = numbers("family", SECRET, device.codes % 75)
    device.codes[[0, 5]] = -1
    shown = PublishedFile((tariff, device, family))
    assert with_pseudonym(PublishedFile((tariff, device))).people == 152
    assert with_pseudonym(shown).people == 75


def test_a_secret_that_each_class_shows_one_of_tells_no_rows_apart():
    codes = np.repeat(np.arange(4), 15)
    shown = PublishedFile((numbers("k", KNOWN, codes), numbers("s", SECRET, codes)))
    assert with_pseudonym(shown) is shown


def test_whoever_says_that_rows_are_people_answers_for_it():
    minutes = numbers("minutes", SECRET, np.arange(600) % 50)
    shown = PublishedFile((*calls(150, known=3), minutes))
    said = replace(shown, rows_are_people=True)
    assert with_pseudonym(shown) is not shown
    assert with_pseudonym(said) is said
    (finding,) = linkage(said, THRESHOLDS["public"])
    assert finding.standing is FindingStanding.MET
    word = "every row is about a different person"
    assert word in judge(said).answered
    assert word not in judge(replace(shown, person=shown.columns[1].codes)).answered
