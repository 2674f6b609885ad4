"""A second release in the classes of the first, beside one that is formed anew."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from tables import data_frame

from kproof.errors import DataError, InvalidArgument
from kproof.models.api import anonymize
from kproof.models.base.arrays import Codes
from kproof.models.judgement.findings import FindingStanding
from kproof.models.judgement.publication import EarlierRelease
from kproof.models.judgement.reading import of_release
from kproof.models.judgement.releases.composition import composition
from kproof.models.judgement.releases.invariance import invariant_classes
from kproof.models.judgement.thresholds import THRESHOLDS, Audience
from kproof.models.tables.sealing import seal
from kproof.models.tables.table import Table

ILLS = ["asthma", "cancer", "cold", "flu", "gout", "hiv"]


@pytest.mark.parametrize("seed", range(4))
def test_who_was_there_stays_with_the_same_people(seed):
    rng = np.random.default_rng(seed)
    frame = data_frame(
        pid=[f"p{i:03}" for i in range(460)],
        age=rng.integers(18, 90, 460),
        zip=rng.integers(1000, 1100, 460),
        ill=rng.choice(ILLS, 460),
    )
    stays = rng.random(400) >= 0.1
    tables = [
        Table.from_frame(rows, quasi_identifiers=["age", "zip"], sensitive="ill", person="pid")
        for rows in (frame[:400], pd.concat([frame[:400][stays], frame[400:]]))
    ]
    first = anonymize("mondrian", tables[0], k=11)
    before, after = (table.person for table in tables)
    number = {name: code for code, name in enumerate(after.values)}
    whom = np.array([number.get(before.values[code], -1) for code in before.codes])
    out = of_release(first)
    assert out.source_row is not None
    earlier = (EarlierRelease("first.csv", out.columns, whom[out.source_row]),)

    def form(rows: Codes) -> Codes:
        return anonymize("mondrian", tables[1].of_rows(rows), k=11).class_of

    earlier_classes = {"earlier_person": whom, "earlier_class": first.class_of}
    classes = invariant_classes(after.codes.astype(np.int64), **earlier_classes, k=11, form=form)
    assert classes.left_out == 0
    again = seal(tables[1], classes.class_of, method="mondrian", parameters={"k": 11})
    anew = anonymize("mondrian", tables[1], k=11)
    standings = []
    for release in (again, anew):
        beside = replace(of_release(release), earlier=earlier)
        found = composition(beside, THRESHOLDS[Audience.PUBLIC])
        standings.append({finding.standing for finding in found})
    assert standings == [{FindingStanding.MET}, {FindingStanding.BROKEN}]


def all_in_one(rows: Codes) -> Codes:
    return np.zeros(len(rows), dtype=np.int64)


def test_few_leavers_take_their_class_along():
    stay = np.arange(1, 8)
    earlier = {"earlier_person": np.array([-1, *stay]), "earlier_class": np.repeat([0, 1], 4)}
    classes = invariant_classes(stay, **earlier, k=3, form=all_in_one)
    assert classes.class_of.tolist() == [-1, -1, -1, 0, 0, 0, 0]
    assert (classes.reused, classes.formed, classes.left_out) == (1, 0, 3)


def test_few_newcomers_wait():
    earlier = {"earlier_person": np.arange(6), "earlier_class": np.repeat([0, 1], 3)}
    classes = invariant_classes(np.arange(8), **earlier, k=3, form=all_in_one)
    assert classes.class_of.tolist() == [0, 0, 0, 1, 1, 1, -1, -1]


def test_bad_input():
    nobody = np.zeros(0, dtype=np.int64)
    asked = {"earlier_person": nobody, "earlier_class": nobody}
    with pytest.raises(DataError, match="publish a row for each person"):
        invariant_classes(np.array([0, 0]), **asked, k=2, form=lambda rows: rows)
    with pytest.raises(InvalidArgument, match="k = 1: need k >= 2"):
        invariant_classes(nobody, **asked, k=1, form=lambda rows: rows)
    alone = invariant_classes(np.arange(2), **asked, k=2, form=all_in_one)
    assert alone.class_of.tolist() == [0, 0]
