"""For each criterion a release that it alone stands against: without it the word would be green."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from publications import known, secret

from kproof.models.api import anonymize
from kproof.models.judgement import judge as judge_module
from kproof.models.judgement.findings import FindingStanding, JudgedCriterion, JudgedFinding
from kproof.models.judgement.judge import CRITERIA, judge
from kproof.models.judgement.publication import EarlierRelease, Making, PublishedFile
from kproof.models.judgement.reading import of_release
from kproof.models.privacy.diversity import DistinctL
from kproof.models.tables.release import Release

MAKING = Making("mondrian", permuted=True, from_known_alone=True)


def shown(towns: list[str], ills: list[str], **more: object) -> PublishedFile:
    """Return rows of some towns and ills whose order, making and roles are in order."""
    base = PublishedFile(
        (known("town", towns), secret("ill", ills)),
        source_row=np.random.default_rng(0).permutation(len(towns)),
        making=MAKING,
        rows_are_people=True,
    )
    return replace(base, **more)


TOWNS = ["Bonn"] * 40 + ["Ulm"] * 40
ILLS = ["flu", "cold", "gout", "acne"] * 20


def roles() -> PublishedFile:
    return shown(TOWNS, ILLS, unconfirmed=("nobody said the roles",))


def cells() -> PublishedFile:
    return shown(TOWNS, [ill.replace("gout", "write to a.b@post.example") for ill in ILLS])


def singling_out() -> PublishedFile:
    return shown([*TOWNS, "Kiel", "Kiel"], [*ILLS, "flu", "gout"])


def linkage() -> PublishedFile:
    """Eleven people with a row in each of three towns, and somebody with rows in two of them."""
    towns, ills, person = ["A", "B", "C"] * 40, ["flu", "cold", "gout", "acne"] * 30, [*range(120)]
    for who in range(12):
        for town in "ABC"[: 2 if who == 11 else 3]:
            towns, ills, person = [*towns, town], [*ills, f"M{who}"], [*person, 120 + who]
    return shown(towns, ills, person=np.array(person, dtype=np.int64), rows_are_people=False)


def order() -> PublishedFile:
    return shown(TOWNS, ILLS, source_row=np.arange(80), making=replace(MAKING, permuted=False))


def inference() -> PublishedFile:
    return shown(TOWNS, [*ILLS[:40], *["flu"] * 40])


def permuted(release: Release, draw: np.random.Generator) -> PublishedFile:
    """Return a release as a file whose rows are in an order of their own, one for each person."""
    order = draw.permutation(release.rows)
    return of_release(release, order=order, permuted=True, rows_are_people=True)


def membership() -> PublishedFile:
    """Classes are those of the known columns, but the rule that left rows out is not judged."""
    draw = np.random.default_rng(1)
    frame = pd.DataFrame({"age": draw.integers(20, 60, 400), "ill": draw.choice(ILLS[:4], 400)})
    frame.loc[0, "age"] = 99
    roles = {"quasi_identifiers": ["age"], "sensitive": "ill"}
    return permuted(anonymize("mondrian", frame, **roles, k=25, suppress="2%"), draw)


def minimality() -> PublishedFile:
    """Two zips lack a second illness and are starred: whoever knows that knows which has which."""
    # So few that no more than the allowed bets are learned from all labels together.
    zips = ["A"] * 30 + ["B"] * 2600 + ["C"] * 2600 + ["D"] * 20
    ills = ["HIV"] * 30 + ["flu", "cold", "HIV", "gout"] * 1300 + ["cold"] * 20
    frame = pd.DataFrame({"zip": zips, "ill": ills})
    roles = {"quasi_identifiers": ["zip"], "sensitive": "ill"}
    marked = {"models": [DistinctL(2)], "suppress": "50%", "suppressed": "mark"}
    release = anonymize("full-domain", frame, k=20, **roles, **marked)
    return permuted(release, np.random.default_rng(2))


def composition() -> PublishedFile:
    """Two releases whose classes share one illness each."""
    people = [("a", "b", "y"), ("a", "c", "x"), ("d", "b", "z"), ("d", "c", "w")]
    rows = [row for row in people for _ in range(20)]
    who = np.arange(len(rows))
    first, second, ills = (list(cells) for cells in zip(*rows, strict=True))
    before = known("zip", second), secret("ill", ills)
    return shown(first, ills, earlier=(EarlierRelease("last year", before, who),), person=who)


MAKERS = (roles, cells, singling_out, linkage, order, inference, membership, minimality)
CASES = {JudgedCriterion[make.__name__.upper()]: make for make in (*MAKERS, composition)}


def test_nothing_stands_against_what_each_case_is_made_from():
    assert judge(shown(TOWNS, ILLS)).green
    assert set(CASES) == set(CRITERIA) == set(JudgedCriterion)


@pytest.mark.parametrize("criterion", JudgedCriterion)
def test_a_judge_without_a_criterion_says_yes(criterion, monkeypatch):
    publication = CASES[criterion]()
    assert {finding.criterion for finding in judge(publication).against} == {criterion}
    met = JudgedFinding(criterion, FindingStanding.MET, "nobody looked")
    monkeypatch.setattr(judge_module, "CRITERIA", {**CRITERIA, criterion: lambda *_: [met]})
    assert judge(publication).green


@pytest.mark.parametrize("criterion", JudgedCriterion)
def test_a_criterion_that_says_nothing_is_no_yes(criterion, monkeypatch):
    monkeypatch.setattr(judge_module, "CRITERIA", {**CRITERIA, criterion: lambda *_: []})
    assert judge(shown(TOWNS, ILLS)).outcome.value == "not decided"
