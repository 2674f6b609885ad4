"""Attacks on missing sensitive values: nobody is safe whom one way to fill them in discloses."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from missing_oracles import GROUPS, UNKNOWN, completions, with_gaps
from shell import kproof as run
from shell import printed

import kproof
from kproof.errors import DataError, InvalidArgument
from kproof.models.attacks import (
    BackgroundKnowledge,
    Disclosure,
    Matching,
    PublishedClasses,
    attack,
)
from kproof.models.base.classes import Classes
from kproof.models.base.missing import MissingAs
from kproof.models.tables.release import Release

EVERYONE = BackgroundKnowledge()
ROW = st.tuples(st.integers(0, 4), st.sampled_from(["a", "a", "b", "c"]))
ROWS = st.lists(ROW, min_size=4, max_size=9)
ATTACKS = {
    "homogeneity": ("homogeneity", {}),
    "two thirds": ("homogeneity", {"tau": "2/3"}),
    "categorical similarity": ("categorical-similarity", {}),
    "half a category": ("categorical-similarity", {"tau": "1/2"}),
    "variance": ("sensitive-variance", {"k": 3, "mu": "1/2"}),
    "variance by posterior": ("sensitive-variance", {"k": 3, "criterion": "posterior"}),
    "linkage": ("linkage", {"background": EVERYONE}),
    "ratio": ("skewness", {"least": "3/2"}),
    "difference": ("skewness", {"gain": "difference", "least": "1/4"}),
}


def disclosed(found: Disclosure) -> set[int]:
    return set(found.beliefs.rows[found.disclosed].tolist())


def attacked(name: str, classes: Classes) -> Disclosure:
    which, options = ATTACKS[name]
    return attack(which, classes, **options)


@pytest.mark.parametrize("name", ATTACKS)
@given(GROUPS)
@settings(max_examples=30)
def test_whoever_some_completion_discloses_is_disclosed(name, groups):
    found = attacked(name, with_gaps(groups))
    each = [attacked(name, one) for one in completions(groups)]
    assert disclosed(found) == set().union(*map(disclosed, each))
    if ATTACKS[name][0] in {"homogeneity", "categorical-similarity", "linkage"}:
        for position in range(found.victims):
            assert found.posterior(position) == max(one.posterior(position) for one in each)


@given(GROUPS, st.sampled_from(["ratio", "difference"]))
@settings(max_examples=30)
def test_skewness_without_a_gain_never_discloses_fewer(groups, gain):
    disclosure = attack("skewness", with_gaps(groups), gain=gain, tau="2/3")
    for one in completions(groups):
        assert disclosed(attack("skewness", one, gain=gain, tau="2/3")) <= disclosed(disclosure)


@pytest.mark.parametrize("name", ATTACKS)
@given(GROUPS)
@settings(max_examples=12)
def test_what_is_excluded_is_nobody_s_value(name, groups):
    known = [[value for value in group if value != UNKNOWN] for group in groups]
    if not all(known) or name.startswith("difference"):
        return
    found = attacked(name, with_gaps(groups, MissingAs.EXCLUDE))
    [plain] = completions(known)
    expected = attacked(name, plain)
    assert found.victims == sum(map(len, groups))
    per_class = {int(c): expected.posterior(i) for i, c in enumerate(plain.of_row)}
    of_row = with_gaps(groups).of_row
    assert [found.posterior(i) for i in range(found.victims)] == [per_class[int(c)] for c in of_row]


def test_the_attack_does_not_say_that_nobody_is_disclosed():
    frame = pd.DataFrame({"q": ["x"] * 4, "s": ["HIV", "HIV", "HIV", None]})
    roles = {"quasi_identifiers": ["q"], "sensitive": "s"}
    disclosure = kproof.attack("homogeneity", frame, **roles)
    assert len(disclosure) == 4
    assert str(disclosure).endswith("1 missing sensitive value taken as the worst case")
    assert disclosure.to_dict()["missing_as"] == "worst-case"
    assert disclosure.victim(3).right is None
    assert not kproof.attack("homogeneity", frame, **roles, missing_as="value")
    assert len(kproof.attack("homogeneity", frame, **roles, missing_as="exclude")) == 4


def test_what_is_known_of_values_and_gaps_do_not_go_together():
    classes = with_gaps([["a", "a", UNKNOWN], ["b", "c"]])
    for knows in ({"victims": [{"row": 0, "excluded": ["a"]}]}, {"members": [{"row": 1}]}):
        with pytest.raises(InvalidArgument, match="missing_as = worst-case: need value or exclude"):
            attack("linkage", classes, background={**knows, "matching": "class"})
        known = {**knows, "matching": "class"}
        assert attack("linkage", classes, background=known, missing_as="exclude").victims


def released(frame: pd.DataFrame) -> Release:
    release = kproof.anonymize("mondrian", frame, quasi_identifiers=["q"], sensitive="s", k=2)
    assert isinstance(release, Release)
    return release


def each_completion(release: Release) -> list[Release]:
    """Every way to fill in the one missing value of a release's table."""
    column = release.table.sensitive
    assert column.missing is not None
    filled = []
    for code in range(column.missing):
        codes = np.where(column.codes == column.missing, code, column.codes).astype(np.int32)
        own = replace(column, codes=codes, values=column.values[: column.missing])
        filled.append(replace(release, table=replace(release.table, sensitive=own)))
    return filled


@given(ROWS, st.integers(0, 4), st.sampled_from(["1", "2/3", "1/2"]))
@settings(max_examples=25)
def test_by_what_labels_cover(rows, gap, tau):
    release = released(pd.DataFrame([*rows, (gap, None)], columns=["q", "s"]))
    cover = BackgroundKnowledge(matching=Matching.COVER)
    disclosure = attack("linkage", release, background=cover, tau=tau)
    each = [attack("linkage", one, background=cover, tau=tau) for one in each_completion(release)]
    assert disclosed(disclosure) == set().union(*map(disclosed, each))


def test_named_victims_are_treated_alike():
    frame = pd.DataFrame({"q": [1, 1, 1, 1, 2, 2], "s": ["a", "a", "b", None, "b", "b"]})
    knows = {"victims": [{"quasi_identifiers": {"q": "1"}, "name": "Ann"}]}
    roles = {"quasi_identifiers": ["q"], "sensitive": "s"}
    disclosure = kproof.attack("skewness", frame, **roles, background=knows, least="1/5")
    # With the gap an a, Ann has it with 3/4, and half of the table has.
    assert (disclosure.worst.guess, disclosure.worst.posterior) == ("a", Fraction(3, 4))
    assert disclosure.worst.figures["gain"] == Fraction(3, 4) / Fraction(3, 6)


def test_a_column_that_identifies_stops_an_attack():
    frame = pd.DataFrame({"q": [1, 1], "s": ["a", "b"], "name": ["Ann", "Bob"]})
    roles = {"quasi_identifiers": ["q"], "sensitive": "s"}
    with pytest.raises(DataError, match="column name singles out 2 of 2 rows and has no role"):
        kproof.attack("homogeneity", frame, **roles)
    disclosure = kproof.attack("homogeneity", frame, **roles, identifiers=["name"])
    assert str(disclosure).endswith("not considered: name (taken as not published)")
    assert PublishedClasses.of(with_gaps([["a"]])).classes.beside == ()


def test_the_command_says_what_it_did_not_judge(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("q,s,city\nx,HIV,A\nx,HIV,B\nx,HIV,A\nx,,A\n")
    words = ("attack", "homogeneity", str(path), "--qi", "q", "--sensitive", "s")
    out = printed(*words, status=1)
    assert "not considered: city (no role, singles out 1 of 4 rows)" in out
    assert "1 missing sensitive value taken as the worst case" in out
    assert run(*words, "--missing-as", "value").status == 4
    assert run(*words, "--missing-as", "value", "--audience", "study").status == 0
