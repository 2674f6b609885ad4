"""Missing sensitive values: what is promised holds for every way to fill them in."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from shlex import quote

import numpy as np
import pandas as pd
import pytest
from cases import cases, error_line
from class_oracles import transport
from hypothesis import given, settings
from hypothesis import strategies as st
from missing_oracles import GROUPS, UNKNOWN, completions, with_gaps
from shell import kproof as run
from shell import refused

import kproof
from kproof.errors import DataError, Infeasible, InvalidArgument, TooLarge
from kproof.models import privacy
from kproof.models.base.classes import Classes
from kproof.models.base.missing import MISSING, MissingAs
from kproof.models.base.taxonomy import Taxonomy
from kproof.models.base.verdict import Scope

TREE = Taxonomy.from_paths(
    [("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*"), ("d", "y", "*")], source="tree"
)
MODELS = {
    "alpha": privacy.AlphaK("1/2", 1),
    "distinct": privacy.DistinctL(2),
    "entropy": privacy.EntropyL("1.7"),
    "recursive": privacy.RecursiveCL("3/2", 2),
    "t": privacy.TCloseness("1/3"),
    "ordered": privacy.TCloseness("1/3", distance="ordered"),
    "hierarchical": privacy.TCloseness("1/3", distance="hierarchical", taxonomy=TREE),
    "beta": privacy.BasicBeta("2/3"),
    "enhanced": privacy.EnhancedBeta("2/3"),
    "delta": privacy.DeltaDisclosure("1/2"),
    "p": privacy.PSensitive(2, 1),
    "p plus": privacy.PPlusSensitive(2, 1),
    "p alpha": privacy.PAlphaSensitive(2, "1/2", 1),
    "theta": privacy.ThetaSensitivity(3, "1/2"),
    "theta per class": privacy.ThetaSensitivity(3, "1/2", per_class=True),
}
SMALLEST = {"distinct", "entropy", "p", "p plus", "p alpha", "theta", "theta per class"}
"""Models whose value is the least of the classes; the others' is the largest."""


@pytest.mark.parametrize("name", MODELS)
@given(GROUPS)
@settings(max_examples=30)
def test_the_worst_case_is_the_worst_of_all_completions(name, groups):
    model = MODELS[name]
    verdict = model.check(with_gaps(groups))
    each = [model.check(one) for one in completions(groups)]
    assert verdict.holds == all(one.holds for one in each)
    gaps = sum(group.count(UNKNOWN) for group in groups)
    assert verdict.scope == Scope(missing=gaps, missing_as=MissingAs.WORST_CASE)
    values = [one.value for one in each]
    if "none" in values or "any" in values:
        assert verdict.value in values
        assert "none" not in values or verdict.value == "none"
    else:
        assert verdict.value == (min if name in SMALLEST else max)(values)


@pytest.mark.parametrize("name", MODELS)
@given(GROUPS)
@settings(max_examples=12)
def test_as_a_value_it_is_one_more_value(name, groups):
    if name in {"ordered", "hierarchical"}:
        return
    there = sorted({value for group in groups for value in group} - {UNKNOWN})
    own = with_gaps(groups)
    plain = replace(own, values=(*there, "unknown"))
    model = MODELS[name]
    verdict = model.check(replace(own, missing_as=MissingAs.VALUE))
    assert (verdict.holds, verdict.value) == (model.check(plain).holds, model.check(plain).value)


@pytest.mark.parametrize("name", MODELS)
@given(GROUPS)
@settings(max_examples=12)
def test_excluded_rows_are_people_without_a_value(name, groups):
    own = with_gaps(groups, MissingAs.EXCLUDE)
    known = [[value for value in group if value != UNKNOWN] for group in groups]
    if not all(known):
        assert "nothing is left to judge" in error_line(DataError, MODELS[name].check, own)
        return
    [plain] = completions(known)
    verdict, without = MODELS[name].check(own), MODELS[name].check(plain)
    if name != "theta per class":
        assert (verdict.holds, verdict.value) == (without.holds, without.value)
    assert privacy.KAnonymity(1).check(own).value == min(map(len, groups))


@given(st.lists(st.integers(1, 5), min_size=1, max_size=4), st.integers(0, 4), st.integers(0, 2))
def test_the_least_width(counts, missing, more):
    from kproof.theory.theorems.theta import variance

    counts = sorted(counts, reverse=True)
    domain = len(counts) + more
    full = [*counts, *[0] * more]
    truth = min(
        variance([count + filled.count(i) for i, count in enumerate(full)])
        for filled in product(range(domain), repeat=missing)
    )
    assert privacy.narrowest.lower_bound(counts, missing) <= truth
    assert privacy.narrowest.least_width(counts, missing, domain) == (truth, True)


def test_beyond_its_budget_the_width_is_a_bound_and_said_to_be(monkeypatch):
    monkeypatch.setattr(privacy.narrowest, "BUDGET", 0)
    classes = with_gaps([["a", "b", "c", UNKNOWN]])
    verdict = privacy.ThetaSensitivity(4, "0.5").check(classes)
    assert not verdict.holds
    assert "V is nowhere below 0.5" in verdict.reason
    assert privacy.ThetaSensitivity(4, "0.4").check(classes).holds


def test_too_many_pairs_of_values_are_refused(monkeypatch):
    monkeypatch.setattr(privacy.closeness, "BUDGET", 3)
    with pytest.raises(TooLarge, match="say missing_as value or exclude"):
        privacy.TCloseness(1, distance="ordered").check(with_gaps([["a", "b", UNKNOWN], ["a"]]))


def test_the_farthest_case_is_the_earth_mover_s():
    groups = [["a", "c", UNKNOWN], ["b", "d", "d"]]

    def distance(one: str, other: str) -> Fraction:
        heights = {frozenset("ab"): Fraction(1, 2), frozenset("cd"): Fraction(1, 2)}
        return Fraction(0) if one == other else heights.get(frozenset((one, other)), Fraction(1))

    worst = max(
        transport(full, [value for group in (full, groups[1]) for value in group], distance)
        for full in (["a", "c", value] for value in "abcd")
    )
    assert float(MODELS["hierarchical"].check(with_gaps(groups)).value) >= worst - 1e-9


FRAME = pd.DataFrame({"q": ["x"] * 4, "s": ["HIV", "HIV", "HIV", None]})
ROLES = {"quasi_identifiers": ["q"], "sensitive": "s"}


def test_three_of_one_disease_and_a_gap_are_not_2_diverse():
    [verdict] = kproof.check(FRAME, privacy.DistinctL(2), **ROLES)
    assert not verdict
    assert str(verdict).endswith("1 missing sensitive value taken as the worst case")
    [verdict] = kproof.check(FRAME, privacy.DistinctL(2), **ROLES, missing_as="value")
    assert verdict
    assert str(verdict).endswith("1 missing sensitive value counted as a value of its own")
    [verdict] = kproof.check(FRAME, privacy.DistinctL(1), **ROLES, missing_as="exclude")
    assert verdict.to_dict()["missing_as"] == "exclude"
    with pytest.raises(InvalidArgument, match="missing_as = ignore: need worst-case, value or"):
        kproof.check(FRAME, privacy.DistinctL(2), **ROLES, missing_as="ignore")


def test_where_no_value_is_there_all_are_one():
    rows = Classes(np.zeros(3, dtype=int), 1, np.zeros(3, dtype=int), (MISSING,))
    assert not privacy.DistinctL(2).check(rows)
    assert not privacy.AlphaK("0.9", 1).check(rows)
    assert privacy.TCloseness(0).check(rows)


def test_a_class_without_values_has_the_lightest():
    rows = with_gaps([["c", "d"], [UNKNOWN, UNKNOWN]])
    assert privacy.PAlphaSensitive(1, 0, 1).check(rows).value == Fraction(1, 2)
    assert privacy.PPlusSensitive(1, 1).check(rows).value == 1


def test_the_summary_is_of_the_worst_case():
    attained = privacy.summary(with_gaps([["a", "b", UNKNOWN], ["a", "b", "c"]]))
    assert (attained.ell, attained.alpha) == (2, Fraction(2, 3))


@cases(
    ("mondrian", {"t": "1/2"}),
    ("mondrian", {"mu": "1/10"}),
    ("theta-sensitive", {"mu": "1/2"}),
    ("theta-sensitive", {}),
    ("p-plus-sensitive", {"p": 2}),
    ("p-alpha-sensitive", {"p": 2, "alpha": 0}),
)
def test_no_method_promises_what_check_denies(method, asked):
    frame = pd.DataFrame({"q": range(8), "s": ["HIV", "Flu", "Cold", None] * 2})
    kinds = {"HIV": "1", "Flu": "2", "Cold": "3"}
    roles = {"quasi_identifiers": ["q"], "sensitive": "s", "categories": kinds}
    for policy in (None, "exclude"):
        with pytest.raises(DataError, match="2 sensitive values are missing, so that"):
            kproof.anonymize(method, frame, **roles, **asked, k=4, missing_as=policy)
    release = kproof.anonymize(method, frame, **roles, **asked, k=4, missing_as="value")
    [verdict] = kproof.check(release, privacy.DistinctL(2))
    assert verdict
    assert "counted as a value of its own" in str(verdict)


@given(
    st.lists(
        st.tuples(st.integers(0, 9), st.sampled_from(["HIV", "Flu", "Cold", None])), min_size=8
    ),
    st.integers(2, 3),
    st.sampled_from(["worst-case", "exclude"]),
    st.sampled_from(["least-loss", "median"]),
    st.booleans(),
)
def test_mondrian_keeps_l_whatever_is_missing(rows, least, policy, cuts, persons):
    frame = pd.DataFrame(rows, columns=["q", "s"])
    roles = {**ROLES, "missing_as": policy}
    if persons:
        frame["p"] = [f"p{place // 2}" for place in range(len(rows))]
        roles["person"] = "p"
    known = {value for _, value in rows if value is not None}
    asked = {"k": 2, "l": least, "cuts": cuts}
    try:
        release = kproof.anonymize("mondrian", frame, **roles, **asked)
    except Infeasible:
        assert persons or len(known) < least
        return
    except DataError:
        assert not known
        return
    [verdict] = kproof.check(release, privacy.DistinctL(least))
    assert verdict


def test_k_anonymity_alone_needs_no_values():
    frame = pd.DataFrame({"q": range(8), "s": ["HIV", "Flu", "Cold", None] * 2})
    release = kproof.anonymize("mondrian", frame, **ROLES, k=4)
    [k_verdict, l_verdict] = kproof.check(release, [privacy.KAnonymity(4), privacy.DistinctL(4)])
    assert k_verdict
    assert k_verdict.scope.missing == 0
    assert not l_verdict


@pytest.mark.parametrize("cell", ["NA", "n/a", "NaN", "NULL", "-", "unknown", "#N/A"])
def test_a_cell_that_looks_missing_is_no_diversity_until_it_is_said_to_be(cell, tmp_path):
    path = tmp_path / "released.csv"
    path.write_text(f"age,ill\n1,HIV\n1,HIV\n1,HIV\n1,{cell}\n", encoding="utf-8")
    words = (str(path), "--qi", "age", "--sensitive", "ill")
    for command in (
        ("check", "--models-only", *words, "--l", "2"),
        ("attack", "homogeneity", *words),
    ):
        assert (
            f"the cell {cell} looks like a missing value; say --missing={quote(cell)}"
            in refused(*command)
        )
        assert run(*command, f"--missing={cell}").status == 1
        study = () if "--models-only" in command else ("--audience", "study")
        assert run(*command, "--missing-as", "value", *study).status == 0


def test_nothing_is_wrong_with_none_as_a_value(tmp_path):
    path = tmp_path / "released.csv"
    path.write_text("age,ill\n1,HIV\n1,none\n", encoding="utf-8")
    words = ("check", "--models-only", str(path), "--qi", "age", "--sensitive", "ill", "--l", "2")
    assert run(*words).status == 0
