"""A method is named as losing less only if its release has every promise of the one at hand."""

import json
from typing import Any

import numpy as np
import pytest
from cases import cases
from shell import kproof as run
from shell import typed
from tables import data_frame

import kproof
from kproof.errors import InvalidArgument
from kproof.models.frontier import rivals as module
from kproof.models.privacy import DistinctL, EntropyL, KAnonymity, TCloseness, ThetaSensitivity
from kproof.models.tables.levels.ladders import ladder
from kproof.models.tables.release import Release
from kproof.models.tables.sealing import seal
from kproof.models.tables.utility import utility

rival = kproof.models.rival
AGES = ladder("range:10")


def _table(rows: int = 40, **more: Any) -> kproof.Table:
    rng = np.random.default_rng(3)
    frame = data_frame(
        age=rng.integers(20, 60, rows),
        zip=rng.integers(1000, 1040, rows),
        ill=rng.choice(["Flu", "HIV", "Asthma", "Cancer"], rows, p=[0.7, 0.1, 0.1, 0.1]),
        drug=rng.choice(["A", "B", "C"], rows),
        patient=np.arange(rows) // 2,
    )
    roles = {"sensitive": "ill", "drop": ["drug", "patient"]}
    ladders = {"age": AGES, "zip": AGES}
    return kproof.read_table(
        frame, quasi_identifiers=["age", "zip"], **(roles | {"ladders": ladders} | more)
    )


def _again(release: Release, found: kproof.models.Rival) -> Release:
    return kproof.anonymize(found.method, release.table, **found.parameters)


@cases(
    ("full-domain", {}, ()),
    ("full-domain", {"suppress": "10%"}, ()),
    ("full-domain", {}, (DistinctL(2),)),
    ("full-domain", {}, (DistinctL(2), TCloseness("1/2"))),
    ("mondrian", {"cuts": "median", "l": 2}, (DistinctL(2),)),
    ("mondrian", {"cuts": "median", "t": "3/5"}, (TCloseness("3/5"),)),
    ("mondrian", {"cuts": "median", "mu": "1/5"}, (ThetaSensitivity(3, "1/5"),)),
)
def test_who_is_named_keeps_every_promise_and_loses_what_is_said(method, asked, models):
    given = {"models": models} if method == "full-domain" and models else {}
    release = kproof.anonymize(method, _table(), k=3, **asked, **given)
    better = rival(release, models=given.get("models", ()))
    other = _again(release, better)
    assert all(kproof.check(other, [KAnonymity(3), *models]))
    assert better.loss == utility(other, queries=0).penalty
    assert better.instead_of == utility(release, queries=0).penalty
    assert better.loss <= 0.95 * better.instead_of
    assert not len(other.suppressed)


def test_who_lacks_a_promise_is_not_named():
    """Mondrian has no parameter for entropy: what it makes for k alone loses less, and fails."""
    table, strict = _table(), EntropyL("2.2")
    release = kproof.anonymize("full-domain", table, k=3, models=[strict])
    plain = kproof.anonymize("mondrian", table, k=3, partitioning="relaxed")
    assert utility(plain, queries=0).penalty < 0.5 * utility(release, queries=0).penalty
    assert not kproof.check(plain, strict)[0]
    assert rival(release, models=[strict]) is None
    with pytest.raises(InvalidArgument, match=r"models = none: need those of the release: entropy"):
        rival(release)


def test_each_sensitive_column_has_its_promise():
    table = _table(sensitive=["ill", "drug"], drop=["patient"])
    asked = {"l": {"ill": 2, "drug": 3}}
    release = kproof.anonymize("mondrian", table, k=3, cuts="median", **asked)
    better = rival(release)
    assert better is not None
    assert "--l 'ill=2, drug=3'" in str(better)
    models = {"ill": DistinctL(2), "drug": DistinctL(3)}
    assert all(kproof.check(_again(release, better), models))


def test_k_counts_people():
    release = kproof.anonymize("full-domain", _table(person="patient", drop=["drug"]), k=4)
    better = rival(release)
    assert int(_again(release, better).classes().real_sizes.min()) >= 4
    # Two rows are of one person here: four rows are two people, which is what rows alone promise.
    blind = kproof.anonymize("mondrian", _table(), k=4, partitioning="relaxed")
    assert utility(blind, queries=0).penalty < better.loss


def test_a_printed_reading_is_beaten_only_by_what_was_asked_of_it():
    """Its release promises k alone; θ was asked for all the same."""
    release = kproof.anonymize("theta-sensitive", _table(), k=3, mu="2/5", reading="printed")
    better = rival(release)
    assert better is not None
    assert kproof.check(_again(release, better), ThetaSensitivity(3, "2/5"))[0]


def test_categories_are_judged():
    """Mondrian knows of no categories: p distinct values are asked of it, categories are seen."""
    one = {"Flu": "a", "Asthma": "a", "HIV": "b", "Cancer": "a"}
    every = {"Flu": "a", "Asthma": "b", "HIV": "c", "Cancer": "d"}
    named = []
    for categories in (one, every):
        release = kproof.anonymize(
            "p-plus-sensitive", _table(categories=categories, ladders={}), k=3, p=2
        )
        better = rival(release)
        named.append(better is not None)
        if better is not None:
            assert kproof.check(_again(release, better), kproof.PPlusSensitive(2, 3))[0]
        plain = kproof.anonymize("mondrian", release.table, k=3, l=2, partitioning="relaxed")
        assert utility(plain, queries=0).penalty < 0.95 * utility(release, queries=0).penalty
    assert named == [False, True]


def test_weights_say_what_a_loss_is():
    release = kproof.anonymize("full-domain", _table(), k=3, weight="zip=9")
    better = rival(release)
    assert better.weighted
    each = utility(release, queries=0).penalties
    assert better.instead_of == pytest.approx((each["age"] + 9 * each["zip"]) / 10)
    other = utility(_again(release, better), queries=0).penalties
    assert better.loss == pytest.approx((other["age"] + 9 * other["zip"]) / 10)
    assert "--weight zip=9" in str(better)


def test_least_levels_are_kept():
    release = kproof.anonymize("full-domain", _table(least_levels={"age": 1}), k=3)
    better = rival(release)
    assert better is not None
    other = _again(release, better)
    ages = [other.label(index).split(",")[0] for index in range(other.count)]
    # Whole tens: no label tells more than level 1 does.
    assert all(
        age.endswith("*") or (age.split("-")[0][-1], age[-2]) == ("0", "9") for age in ages
    ), ages


def test_nobody_is_named_where_the_caller_decided_or_nothing_was_tried(monkeypatch):
    table = _table()
    assert rival(kproof.anonymize("full-domain", table, k=3, levels="age=2,zip=2")) is None
    given = np.arange(table.rows) // 20
    assert rival(kproof.anonymize("theta-sensitive", table, k=4, mu="1/50", classes=given)) is None
    release = kproof.anonymize("full-domain", table, k=3)
    assert rival(kproof.anonymize("mondrian", table, k=3, partitioning="relaxed")) is None
    every = np.zeros(table.rows, dtype=np.int64)
    assert rival(seal(table, every, method="mine", parameters={"k": 3})) is None
    monkeypatch.setattr(module, "MOST_CELLS", 2 * table.rows)
    assert rival(release) is not None
    monkeypatch.setattr(module, "MOST_CELLS", 2 * table.rows - 1)
    assert rival(release) is None


def test_the_command_says_it_in_a_line_and_in_json(tmp_path):
    words = typed(
        "anonymize kaca --audience study table-1a --qi 'Age,Zip Code' --identifier ID,Name"
        " --k 2 --set clustering=k-means -o {out}",
        out=tmp_path / "out.csv",
    )
    line = (
        "another method loses less: mondrian --k 2 --partitioning relaxed, 0.0980 instead of 0.1187"
    )
    assert line in run(*words).out.splitlines()
    told = json.loads(run(*words, "--json").out)["rival"]
    assert (told["method"], told["parameters"]) == ("mondrian", {"k": 2, "partitioning": "relaxed"})
    best = [word for word in words if word not in ("--set", "clustering=k-means")]
    assert json.loads(run(*best, "--json").out)["rival"] is None
