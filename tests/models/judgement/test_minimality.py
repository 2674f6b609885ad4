"""Whom the forming of classes gives away; the oracle runs the method on every table that fits."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, permutations, product
from math import prod
from typing import Any

import numpy as np
import pandas as pd
import pytest
from nights import by_day
from tables import data_frame

import kproof.models.judgement.classes.explanations as counting
from kproof.errors import KProofError
from kproof.models.api import anonymize
from kproof.models.judgement.classes.explanations import Rule, chances_of_blocks
from kproof.models.judgement.classes.minimality import minimality
from kproof.models.judgement.findings import FindingStanding, JudgedFinding, Remedy
from kproof.models.judgement.publication import PublishedFile
from kproof.models.judgement.reading import of_release
from kproof.models.judgement.thresholds import THRESHOLDS, Audience
from kproof.models.privacy.closeness import TCloseness
from kproof.models.privacy.counting import AlphaK
from kproof.models.privacy.diversity import DistinctL
from kproof.models.tables.release import Release
from kproof.models.tables.table import Table

MARKED = {"suppress": "50%", "suppressed": "mark"}
THIRTY = {"suppress": "30%", "suppressed": "mark"}


def zip_frame() -> pd.DataFrame:
    """Three of A have the same; B to E are mixed; one of F has something that others have."""
    rows = [("A", "hiv")] * 3 + [("F", "cold")]
    rows += [(zip_, ill) for zip_ in "BCDE" for ill in ("hiv", "cold", "flu")]
    return pd.DataFrame(rows, columns=["zip", "ill"])


def zips() -> Table:
    return Table.from_frame(zip_frame(), quasi_identifiers=["zip"], sensitive="ill")


def findings(publication: PublishedFile) -> list[JudgedFinding]:
    return list(minimality(publication, THRESHOLDS[Audience.PUBLIC]))


def certain(release: Release) -> set[int]:
    """Return the rows of the source that are certain."""
    publication = of_release(release, from_known_alone=False)
    return {
        int(publication.source_row[row])
        for finding in findings(publication)
        if finding.standing is FindingStanding.BROKEN and "counts as certain" in finding.sentence
        for row in finding.victims
    }


def test_suppressed_rows_that_all_have_the_same():
    release = anonymize("full-domain", zips(), k=3, models=[DistinctL(2)], **THIRTY)
    # All of A; and the one of F has what is left.
    assert certain(release) == {0, 1, 2, 3}
    worst = findings(of_release(release, from_known_alone=False))[0]
    assert (worst.standing, worst.hit, worst.figure) == (FindingStanding.BROKEN, 4, Fraction(1, 4))
    assert worst.remedy is Remedy.FROM_KNOWN
    assert "4 of 16 rows counts as certain for anyone who knows full-domain" in worst.sentence


def test_values_of_a_further_secret_are_exchanged_as_well():
    """Were none exchanged, every table would be published the same, and nobody certain."""
    frame = data_frame(age=[1, 1, 4, 2, 2, 1, 3], ill=list("bcaaaba"), pay=list(range(7)))
    alone, both = (
        Table.from_frame(frame[["age", *secrets]], quasi_identifiers=["age"], sensitive=secrets)
        for secrets in (["ill"], ["pay", "ill"])
    )
    found_out = [certain(anonymize("mondrian", table, k=2, l=2)) for table in (alone, both)]
    assert found_out == [{0, 2, 3, 4, 6}] * 2


def test_classes_from_known_columns_alone():
    release = anonymize("full-domain", zips(), k=3, suppress="30%")
    [finding] = findings(of_release(release, from_known_alone=False))
    assert finding.standing is FindingStanding.MET
    assert "forms from known columns alone" in finding.sentence
    [finding] = findings(of_release(release, from_known_alone=True))
    assert finding.sentence == "classes were formed without looking at any secret"


@pytest.mark.parametrize(
    ("method", "asked"),
    [
        ("mondrian", {"partitioning": "relaxed"}),
        ("mondrian", {"partitioning": "relaxed", "cuts": "median"}),
        ("mondrian", {"partitioning": "relaxed", "l": 2}),
        ("kaca", {}),
    ],
)
def test_equal_rows_that_go_where_their_secrets_say_are_no_forming_from_known_columns(
    method, asked
):
    """Of those aged 4 the first by secrets goes to who is 1: who has what is left is certain."""
    age = [4, 1, 4, 4, 4] if method == "mondrian" else [20] * 3 + [40] * 8
    ill = list("abbaa") if method == "mondrian" else list("abbaabaabba")
    table = Table.from_frame(
        data_frame(age=age, ill=ill), quasi_identifiers=["age"], sensitive="ill"
    )
    release = anonymize(method, table, k=2 if method == "mondrian" else 4, **asked)
    [finding] = findings(of_release(release, from_known_alone=False))
    assert finding.standing is FindingStanding.OPEN
    assert "settles by secrets which of several equal rows goes where" in finding.sentence
    strict = anonymize("mondrian", table, k=2)
    assert findings(of_release(strict, from_known_alone=False))[0].standing is FindingStanding.MET


@pytest.mark.parametrize(
    ("method", "asked"),
    [
        *(("full-domain", {}), ("kaca", {}), ("kaca-hierarchical", {}), ("mondrian", {})),
        *(
            ("mondrian", {"partitioning": "relaxed", "cuts": cuts})
            for cuts in ("median", "least-loss")
        ),
    ],
)
def test_where_equal_rows_stay_together_secrets_settle_nothing(method, asked):
    """So that a method is run with other secrets only where a release has equal rows apart."""
    draw, together = np.random.default_rng(3), 0
    for _ in range(by_day(60, at_night=600)):
        rows = int(draw.integers(4, 14))
        known = data_frame(**{name: draw.integers(0, draw.integers(2, 12), rows) for name in "ab"})
        formed = [
            anonymize(
                method,
                Table.from_frame(
                    known.assign(s=secrets), quasi_identifiers=["a", "b"], sensitive="s"
                ),
                k=2,
                **asked,
            ).class_of
            for secrets in (np.arange(rows), np.arange(rows)[::-1], draw.permutation(rows))
        ]
        if (known.assign(number=formed[0]).groupby(["a", "b"])["number"].nunique() == 1).all():
            together += 1
            for other in formed[1:]:
                pairs = set(zip(formed[0].tolist(), other.tolist(), strict=True))
                assert len(pairs) == len(set(formed[0].tolist())) == len(set(other.tolist()))
    assert together > 5


def test_a_gap_is_no_value_that_is_counted():
    """It may be whatever breaks the rule: whose block breaks it in truth is found out."""
    frame = data_frame(age=["z3", "z4", "z1", "z4", "z3"], ill=[None, "a", "b", "c", "c"])
    table = Table.from_frame(frame, quasi_identifiers=["age"], sensitive="ill")
    release = anonymize("full-domain", table, k=2, models=[DistinctL(2)], suppress="50%")
    assert certain(release) == {0, 4}


def test_rows_of_one_person_are_not_counted_one_by_one():
    """Twelve rows of a few people cannot go to just any block: counted, nobody was found out."""
    frame = data_frame(
        age=[f"z{own}" for own in (4, 2, 4, 1, 1, 4, 4, 3, 3, 2, 3, 4)],
        ill=list("caaaacaaaabd"),
        who=[f"p{own}" for own in (0, 3, 4, 4, 0, 2, 3, 2, 0, 8, 4, 3)],
    )
    table = Table.from_frame(frame, quasi_identifiers=["age"], sensitive="ill", person="who")
    release = anonymize("full-domain", table, k=2, models=[DistinctL(2)])
    publication = of_release(release, from_known_alone=False, person_column=table.person)
    [finding] = findings(publication)
    assert (finding.standing, finding.hit) == (FindingStanding.BROKEN, 4)


def test_rows_in_no_block_explain_nothing():
    """Only who is in a block of three that all have the same is found out, not the rest."""
    frame = data_frame(age=["z3", "z2", "z4", "z1", "z1", "z1"], ill=list("dabaaa"))
    table = Table.from_frame(frame, quasi_identifiers=["age"], sensitive="ill")
    release = anonymize("full-domain", table, k=3, models=[DistinctL(2)], **MARKED)
    assert certain(release) == {3, 4, 5}


def test_what_nobody_can_form_again_is_not_decided():
    publication = of_release(anonymize("mondrian", zips(), k=3))
    assert publication.making is not None
    unknown = replace(publication, making=None)
    making = replace(publication.making, release=None, from_known_alone=False)
    elsewhere = replace(publication, making=making)
    reading = of_release(anonymize("theta-sensitive", zips(), k=3), from_known_alone=False)
    for one in (unknown, elsewhere, reading):
        [finding] = findings(one)
        assert (finding.standing, finding.remedy) == (FindingStanding.OPEN, Remedy.FROM_KNOWN)
    assert findings(replace(unknown, columns=unknown.known))[0].standing is FindingStanding.MET


def worlds(release: Release, run: Any) -> Iterator[np.ndarray[Any, Any]]:
    """Yield the secrets of every table with these known columns that is published the same."""
    table = release.table
    codes = table.sensitive.codes
    classes = [np.flatnonzero(release.class_of == one) for one in np.unique(release.class_of)]
    for filled in product(*(set(permutations(codes[rows].tolist())) for rows in classes)):
        other = codes.copy()
        for rows, values in zip(classes, filled, strict=True):
            other[rows] = values
        try:
            again = run(replace(table, sensitive=replace(table.sensitive, codes=other)))
        except KProofError:
            continue
        if np.array_equal(again.class_of, release.class_of) and again.levels == release.levels:
            yield other


# Of the first 40 only seed 17 notices that models are judged along the wrong axis, and only seed 37
# that the first class of a release without marks is left out.
@pytest.mark.parametrize("seed", by_day([*range(14), 17, 37], at_night=list(range(40))))
@pytest.mark.parametrize("method", ["full-domain", "mondrian"])
def test_nobody_is_certain_in_all_tables_that_is_not_found_out(method, seed):
    rng = np.random.default_rng(seed)
    frame = data_frame(
        age=[f"{'' if method == 'mondrian' else 'a'}{i}" for i in rng.integers(1, 5, 7)],
        ill=rng.choice(list("abc"), 7, p=[0.5, 0.3, 0.2]),
    )
    frame["age"] = frame["age"].astype(int) if method == "mondrian" else frame["age"]
    table = Table.from_frame(frame, quasi_identifiers=["age"], sensitive="ill")
    asked = {"l": 2} if method == "mondrian" else {"models": [DistinctL(2)], **MARKED}

    def run(rows: Table) -> Release:
        return anonymize(method, rows, k=2, **asked)

    try:
        release = run(table)
    except KProofError:
        return
    classes = [np.flatnonzero(release.class_of == one) for one in np.unique(release.class_of)]
    if prod(len(set(permutations(frame["ill"][rows]))) for rows in classes) > 400:
        return
    every = np.array(list(worlds(release, run)))
    same = {row for row in range(7) if len(set(every[:, row])) == 1}
    alone = {int(row) for rows in classes if len(set(frame["ill"][rows])) == 1 for row in rows}
    assert same - alone <= certain(release)


@pytest.mark.parametrize("seed", range(by_day(40, at_night=120)))
def test_assignments_are_counted_as_they_are_listed(seed):
    rng = np.random.default_rng(seed)
    blocks = rng.integers(1, 4, int(rng.integers(1, 4))).tolist()
    rest = int(rng.integers(0, 3))
    people = sum(blocks) + rest
    rule = Rule(*[(2, Fraction(1)), (3, Fraction(1)), (1, Fraction(1, 2))][seed % 3])
    every = bool(rng.integers(2))
    values = rng.choice(3, people, p=[0.6, 0.2, 0.2]).tolist()
    edges = np.cumsum([0, *blocks]).tolist()
    spans = [slice(*edge) for edge in pairwise(edges)]

    def breaks(cells: tuple[int, ...]) -> bool:
        counts = Counter(cells)
        return len(counts) < rule.distinct or max(counts.values()) > rule.share * len(cells)

    fitting = [
        cells
        for cells in product(range(3), repeat=people)
        if Counter(cells) == Counter(values)
        and (all if every else any)(breaks(cells[span]) for span in spans)
    ]
    counted = chances_of_blocks(blocks, rest, Counter(values), rule, every=every)
    places = {size: edges[place] for place, size in enumerate(blocks)}
    for kind, place in (places | ({-1: people - 1} if rest else {})).items():
        held = Counter(cells[place] for cells in fitting)
        own = {value: Fraction(count, len(fitting)) for value, count in held.items()}
        assert {value: chance for value, chance in counted[kind].items() if chance} == own


@pytest.mark.parametrize("model", [DistinctL(2), AlphaK("0.9", 3), TCloseness("0.32")])
def test_other_rules_fail_closed(model, monkeypatch):
    release = anonymize("full-domain", zips(), k=3, models=[model], **THIRTY)
    monkeypatch.setattr(counting, "MOST_STEPS", 0)
    # Nothing is counted: who broke the rule is found out.
    assert {0, 1, 2} <= certain(release)


def test_rows_that_are_left_out_of_the_file_tell_no_value():
    release = anonymize("full-domain", zips(), k=3, models=[DistinctL(2)], suppress="30%")
    assert certain(release) == set()


def test_rows_of_a_person_fail_closed():
    frame = zip_frame().assign(pid=[str(i) for i in range(16)])
    frame = pd.concat([frame, frame.iloc[-1:]])
    roles = {"quasi_identifiers": ["zip"], "sensitive": "ill", "person": "pid"}
    release = anonymize("full-domain", frame, **roles, k=3, models=[DistinctL(2)], **THIRTY)
    assert {0, 1, 2} <= certain(release)


@pytest.mark.parametrize("reading", ["corrected", "printed"])
def test_noise_that_occurs_once_finds_out_who_has_something_else(reading):
    frame = pd.DataFrame({"age": range(12), "ill": [*"FFFF", *"FFFF", *"HCGF"]})
    table = Table.from_frame(frame, quasi_identifiers=["age"], sensitive="ill")
    noisy = certain(anonymize("theta-sensitive", table, k=4, form="order", reading=reading))
    # Four rows of F come out as F four times and three single values.
    assert noisy
    assert all(frame.ill[row] == "F" for row in noisy)
    # What labels tell of exchanges is not computed, so that nothing found is no leave to publish.
    mixed = pd.DataFrame({"age": range(12), "ill": [*"HFHFHFHFHFHF"]})
    table = Table.from_frame(mixed, quasi_identifiers=["age"], sensitive="ill")
    harmless = anonymize("theta-sensitive", table, k=2, form="order", reading=reading)
    assert certain(harmless) == set()
    publication = of_release(harmless, from_known_alone=False)
    assert {finding.standing for finding in findings(publication)} == {FindingStanding.OPEN}


def test_classes_formed_by_secrets_are_not_judged_for_who_knows_the_method():
    frame = pd.DataFrame({"age": range(12), "ill": [*"FFFF", *"FFFF", *"HCGF"]})
    release = anonymize(
        "theta-sensitive", frame, quasi_identifiers=["age"], sensitive="ill", k=4, form="diverse"
    )
    publication = of_release(release, from_known_alone=False)
    assert {finding.standing for finding in findings(publication)} == {FindingStanding.OPEN}
