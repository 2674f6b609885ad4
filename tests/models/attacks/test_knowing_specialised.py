"""Beliefs of who cuts a table again, beside every table from which the same classes come."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest
from cases import cases
from nights import by_day

from kproof.errors import DataError
from kproof.models.api import anonymize
from kproof.models.attacks.knowing.specialised import beliefs_of_specialised
from kproof.models.base.columns import Column
from kproof.models.base.taxonomy import Taxonomy
from kproof.models.judgement.classes.minimality import minimality
from kproof.models.judgement.findings import FindingStanding
from kproof.models.judgement.reading import of_release
from kproof.models.judgement.thresholds import THRESHOLDS, Audience
from kproof.models.tables.release import Release
from kproof.models.tables.table import Table
from kproof.models.tables.topdown.method import p_alpha_sensitive, p_plus_sensitive

CATEGORIES = {"a": 1, "b": 2, "c": 3, "d": 3}
TREE = {"u": ("x", "*"), "v": ("x", "*"), "w": ("y", "*"), "z": ("y", "*")}


def random_table(seed: int, rows: int) -> Table:
    """A numeric column, a column with a taxonomy, and a secret that is often the same."""
    draw = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": draw.integers(1, 7, rows),
            "ill": [
                "a",
                "b",
                "c",
                "d",
                *draw.choice(list("abcd"), rows - 4, p=[0.6, 0.2, 0.1, 0.1]),
            ],
        }
    )
    table = Table.from_frame(
        frame, quasi_identifiers=["age"], sensitive="ill", categories=CATEGORIES
    )
    leaves = draw.integers(0, 4, rows).astype(np.int32)
    place = Column("place", leaves, tuple(TREE), numeric=False, taxonomy=Taxonomy.from_dict(TREE))
    return replace(table, quasi_identifiers=(*table.quasi_identifiers, place)[: 1 + seed % 2])


def publish(table: Table, seed: int) -> Release:
    if seed % 3:
        return p_plus_sensitive(table, p=2 + (seed % 3 == 2), k=2 + (seed % 3 == 2))
    return p_alpha_sensitive(table, p=2, alpha="1/2", k=2)


def parts(classes: np.ndarray) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(classes == number).tolist()) for number in set(classes)}


@pytest.mark.parametrize("seed", range(by_day(16, at_night=40)))
def test_it_is_what_all_tables_with_the_same_release_say(seed):
    table = random_table(seed, 7 + seed % 2)
    release = publish(table, seed)
    secret = table.only_secret("p-plus-sensitive")
    assert secret is not None
    codes = secret.codes
    members = [np.flatnonzero(release.group_of == number) for number in range(release.groups)]
    ways = [sorted(set(permutations(codes[rows].tolist()))) for rows in members]
    if release.count < release.groups or np.prod([len(way) for way in ways]) > 800:
        return
    held = [Counter[int]() for _ in codes]
    for cells in product(*ways):
        changed = codes.copy()
        for rows, values in zip(members, cells, strict=True):
            changed[rows] = values
        other = publish(replace(table, sensitive=replace(secret, codes=changed)), seed)
        if parts(other.group_of) == parts(release.group_of):
            for count, code in zip(held, changed.tolist(), strict=True):
                count[code] += 1
    beliefs = beliefs_of_specialised(release)
    assert not len(beliefs.unjudged)
    for row, count in enumerate(held):
        own = codes[release.group_of == release.group_of[row]]
        believed = beliefs.posteriors.get(row)
        if believed is None:
            believed = {c: Fraction(n, len(own)) for c, n in Counter(own.tolist()).items()}
        assert believed == {code: Fraction(n, count.total()) for code, n in count.items()}


def refused() -> Table:
    """The two at the left would be a class of their own, but have the same."""
    frame = pd.DataFrame({"age": [1, 1, 9, 9, 30, 30, 38, 38], "ill": [*"aabb", *"abab"]})
    return Table.from_frame(
        frame, quasi_identifiers=["age"], sensitive="ill", categories=CATEGORIES
    )


def test_who_cuts_again_finds_out_what_a_refused_cut_says():
    release = p_plus_sensitive(refused(), p=2, k=2)
    assert release.class_of.tolist() == [0, 0, 0, 0, 1, 1, 2, 2]
    half = {0: Fraction(1, 2), 1: Fraction(1, 2)}
    # Both at the left have a, or both have b: each is as likely, and nobody is found out.
    assert beliefs_of_specialised(release).posteriors == dict.fromkeys(range(4), half)
    table = refused()
    codes = np.array([0, 0, 0, 1, 0, 1, 0, 1], dtype=np.int32)
    assert table.sensitive is not None
    three = replace(table, sensitive=replace(table.sensitive, codes=codes))
    known = beliefs_of_specialised(p_plus_sensitive(three, p=2, k=2))
    # The cut between 1 and 9 was refused whoever of the four has b.
    assert known.posteriors[0] == {0: Fraction(3, 4), 1: Fraction(1, 4)}


@cases(
    ([1, 1, 9, 9], "abab", FindingStanding.MET, "found out by anyone who forms the classes"),
    ([3, 6, 4, 6, 3, 2, 6], "abcdaab", FindingStanding.BROKEN, "of 7 rows counts as certain"),
)
def test_the_judge_asks_it(ages, ills, standing, sentence):
    frame = pd.DataFrame({"age": ages, "ill": list(ills)})
    release = anonymize(
        "p-plus-sensitive", frame, quasi_identifiers=["age"], sensitive="ill",
        categories=CATEGORIES, p=2, k=2,
    )  # fmt: skip
    publication = of_release(release, from_known_alone=False)
    [finding] = minimality(publication, THRESHOLDS[Audience.PUBLIC])
    assert finding.standing is standing
    assert sentence in finding.sentence


def test_what_is_not_computed_is_said():
    release = p_plus_sensitive(refused(), p=2, k=2)
    assert sorted(beliefs_of_specialised(release, most_arrangements=5).unjudged) == [0, 1, 2, 3]
    with pytest.raises(DataError, match="rows were left out"):
        beliefs_of_specialised(replace(release, budget=Fraction(1, 2)))
    with pytest.raises(DataError, match="not cut from the top down"):
        beliefs_of_specialised(replace(release, method="mondrian"))
