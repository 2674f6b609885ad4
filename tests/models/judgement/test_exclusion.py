"""Secrets that only some people can have, told by a column that is known though unpublished."""

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from publications import known, secret
from shell import kproof

from kproof.models.judgement.findings import FindingStanding
from kproof.models.judgement.judge import judge
from kproof.models.judgement.publication import HiddenColumn, PublishedFile
from kproof.models.judgement.secrets.exclusion import exclusion, exclusive_kinds
from kproof.models.judgement.thresholds import THRESHOLDS, Audience

WOMENS, MENS, BOTH = ("cyst", "mastitis"), ("hydrocele", "torsion"), ("flu", "gout")


def release(
    seed: int, *, rows: int = 600, heading: str = "sex", related: bool = True
) -> tuple[PublishedFile, np.ndarray, np.ndarray]:
    """Return sexes and illnesses, in classes of eight, of people of whom a tenth are men."""
    rng = np.random.default_rng(seed)
    man = rng.random(rows) < 0.1
    ills = np.where(man, rng.choice(MENS, rows), rng.choice(WOMENS, rows))
    ills = np.where(rng.random(rows) < 0.2, rng.choice(BOTH, rows), ills)
    sexes = np.where(man, "m", "f") if related else rng.permutation(np.where(man, "m", "f"))
    texts, codes = np.unique(sexes, return_inverse=True)
    shown = PublishedFile(
        (known("ward", np.arange(rows) // 8), secret("ill", ills)),
        source_row=np.arange(rows),
        hidden=(HiddenColumn(heading, codes.astype(np.int64), tuple(texts.tolist())),),
    )
    return shown, man, ills


def certain_by_hand(man: np.ndarray, ills: np.ndarray) -> int:
    """Count who has one illness in every way to give a class's illnesses to its people."""
    certain = 0
    for first in range(0, len(man), 8):
        people, shown = man[first : first + 8], ills[first : first + 8]
        barred = {True: WOMENS, False: MENS}
        possible = [set() for _ in people]
        for order in set(permutations(shown.tolist())):
            if all(ill not in barred[bool(sex)] for sex, ill in zip(people, order, strict=True)):
                for own, ill in zip(possible, order, strict=True):
                    own.add(ill)
        certain += sum(len(own) == 1 for own in possible)
    return certain


def hits(shown: PublishedFile) -> dict[str, int]:
    findings = exclusion(shown, THRESHOLDS[Audience.PUBLIC])
    return {"certain" if finding.threshold == 0 else "bet": finding.hit for finding in findings}


@pytest.mark.parametrize("seed", range(3))
def test_as_many_are_certain_as_all_ways_to_give_illnesses_to_people_leave(seed):
    shown, man, ills = release(seed, rows=320)
    assert hits(shown)["certain"] == certain_by_hand(man, ills) > 0
    assert not judge(shown).green


@pytest.mark.parametrize("heading", ["sex", "Klinik"])
def test_what_is_known_or_may_be_is_judged_though_it_is_dropped(heading):
    shown, _, _ = release(1, heading=heading)
    assert hits(shown)["certain"] > 0
    assert heading in judge(shown).adversary


def test_a_column_that_rules_nothing_out_is_named_and_passed_over():
    shown, _, _ = release(2, related=False)
    assert hits(shown) == {}
    assert "sex" in judge(shown).adversary


def test_what_looks_like_names_is_not_known_and_the_signer_is_told():
    shown, _, _ = release(2, related=False)
    names = HiddenColumn("name", np.arange(600) % 3, ("Anna Weber", "Jan Novák", "Olga Petrova"))
    judgement = judge(PublishedFile(shown.columns, source_row=shown.source_row, hidden=(names,)))
    assert "name" not in judgement.adversary
    assert any("nobody knows name" in word for word in judgement.answered)


@pytest.mark.parametrize("kinds", [2, 12, 150])
@pytest.mark.parametrize("values", [3, 40, 500])
def test_chance_alone_rules_nothing_out(kinds, values):
    exclusive = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        share = rng.dirichlet(np.full(values, 0.3))
        ills = secret("ill", rng.choice(values, 900, p=share))
        town = (rng.random(900) ** 2 * kinds).astype(np.int64)
        texts = tuple(f"T{number}" for number in range(kinds))
        hidden = (HiddenColumn("town", town, texts),)
        shown = PublishedFile((ills,), source_row=np.arange(900), hidden=hidden)
        exclusive += len(exclusive_kinds(shown, "ill"))
    assert exclusive == 0


def test_numbers_are_cut_into_runs_of_people():
    rng = np.random.default_rng(3)
    age = rng.integers(0, 90, 2000)
    ills = np.where(age < 12, rng.choice(("measles", "croup"), 2000), rng.choice(BOTH, 2000))
    hidden = HiddenColumn("age", age, tuple(map(str, range(90))))
    shown = PublishedFile((secret("ill", ills),), source_row=np.arange(2000), hidden=(hidden,))
    kinds = exclusive_kinds(shown, "ill")
    assert {kind.column.name for kind in kinds} == {"age"}
    assert max(age[kind.members].max() for kind in kinds if age[kind.members].max() < 12) >= 8


@pytest.mark.parametrize("said", [("--drop", "sex"), ()], ids=["dropped", "no role"])
def test_a_release_that_a_dropped_column_settles_is_not_published(said, here):
    _, man, ills = release(5, rows=800)
    ages = np.random.default_rng(5).integers(20, 66, 800)
    people = zip(ages, np.where(man, "m", "f"), ills, strict=True)
    rows = (f"{age},{sex},{ill}" for age, sex, ill in people)
    Path("in.csv").write_text("\n".join(["age,sex,ill", *rows]) + "\n")
    roles = (*said, "--qi", "age", "--sensitive", "ill")
    ran = kproof("anonymize", "mondrian", "in.csv", *roles, "--k=15", "-o", "out.csv", columns=400)
    assert ran.status == 1, ran.out
    assert "and sex, which is not published: some values" in ran.out
    safe = kproof("anonymize", "in.csv", *roles, "-o", "out.csv", columns=400)
    assert safe.status == 0, safe.out
    assert "knows age, sex of everybody" in safe.out


def test_the_finding_names_a_column_and_no_person():
    shown, _, _ = release(1)
    certain = next(exclusion(shown, THRESHOLDS[Audience.PUBLIC]))
    assert certain.standing is FindingStanding.BROKEN
    assert certain.columns == ("ill",)
    assert "is certain for anyone" in certain.sentence
    assert certain.sentence.endswith("some values go with some sex alone")
