"""Whoever says whom rows are about makes no verdict greener: what is broken without it stays so."""

from dataclasses import replace

import numpy as np
import pytest
from nights import by_day
from publications import KNOWN, SECRET, coded

from kproof.models.judgement.findings import JudgedCriterion, Judgement
from kproof.models.judgement.judge import judge
from kproof.models.judgement.publication import PublishedFile


def broken_criteria(judgement: Judgement) -> set[JudgedCriterion]:
    return {finding.criterion for finding in judgement.broken}


def visits(seed: int) -> tuple[PublishedFile, np.ndarray]:
    """Return rows of which a few people have many, and most of those one illness, and whose."""
    rng = np.random.default_rng(seed)
    people, heavy = int(rng.integers(30, 400)), int(rng.integers(1, 12))
    rows_of_person = np.where(np.arange(people) < heavy, rng.integers(2, 30), 1)
    who = np.repeat(np.arange(people), rows_of_person)
    first_ward = who < heavy + int(rng.integers(0, 6))
    ward = np.where(first_ward, 0, 1 + who % int(rng.integers(1, 8)))
    any_ill = rng.integers(0, 8, len(who))
    ill = np.where(first_ward & (rng.random(len(who)) < 0.9), 0, any_ill)
    ill = np.where(rng.random(len(who)) < rng.random(), ill, any_ill)
    return PublishedFile((coded("ward", KNOWN, ward), coded("ill", SECRET, ill))), who


@pytest.mark.parametrize("part", range(4))
def test_what_is_broken_stays_so_when_somebody_says_whose_rows_are(part):
    for seed in range(part * 50, part * 50 + by_day(15, at_night=50)):
        shown, who = visits(seed)
        for audience in ("public", "agreement"):
            without = judge(shown, audience=audience)
            declared = judge(replace(shown, person=who), audience=audience)
            assert broken_criteria(without) <= broken_criteria(declared), seed


def test_a_sure_bet_on_few_people_with_many_rows_is_one_on_many_rows():
    """Of 12 people in 1,000 the illness is a sure bet; theirs is a fifth of all rows."""
    who = np.concatenate([np.repeat(np.arange(12), 20), np.arange(12, 1212)])
    ward = np.where(who < 12, 0, 1 + who % 20)
    ill = np.where(who < 12, np.arange(len(who)) % 20 // 16, 2 + who // 20 % 7)
    shown = PublishedFile((coded("ward", KNOWN, ward), coded("ill", SECRET, ill)))
    declared = judge(replace(shown, person=who))
    assert JudgedCriterion.INFERENCE in broken_criteria(judge(shown))
    assert JudgedCriterion.INFERENCE in broken_criteria(declared)
    assert any("240 of 1,440 rows" in finding.sentence for finding in declared.broken)


def test_a_number_for_each_row_hides_no_pseudonym():
    rng = np.random.default_rng(0)
    device = np.repeat(np.arange(150), 4)
    shown = PublishedFile(
        (coded("tariff", KNOWN, rng.integers(0, 20, 150)[device]), coded("device", SECRET, device))
    )
    declared = replace(shown, person=np.arange(shown.rows))
    assert broken_criteria(judge(shown)) <= broken_criteria(judge(declared))
    assert JudgedCriterion.LINKAGE in broken_criteria(judge(declared))
