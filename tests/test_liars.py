"""Whoever promises something and keeps nothing: a toy of every kind is refused or found.

One test for each thing that can be added, in every default configuration; none of them is green.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cases import cases
from nights import by_day, limit_finite_sources

import kproof
from kproof.errors import DataError, InvalidArgument
from kproof.models.adversaries import ATTACKS
from kproof.models.base.parameters import GROUP_K, Whole
from kproof.models.methods import METHODS
from kproof.models.privacies import MODELS
from kproof.models.registry import Attack, Kind, Method, RegisteredModel, by_name
from kproof.models.tables.release import Release
from kproof.models.tables.sealing import seal
from kproof.models.tables.table import Table
from kproof.petri.logic.properties import TruthValue, bound, check, leads_to, live
from kproof.petri.net.colours import Dot
from kproof.petri.net.net import Net, NetBuilder
from kproof.petri.net.terms import everything
from kproof.petri.papers import manifest
from kproof.petri.spaces.explore import explore
from kproof.petri.spaces.limits import Budget
from kproof.proptests import check_anonymizer
from kproof.proptests.checkers import checker_subject, own_checker
from kproof.proptests.checks import anonymity
from kproof.proptests.checks import checks as all_checks
from kproof.proptests.contract import CheckStatus
from kproof.proptests.judgement import Kept, NotApplicable
from kproof.proptests.profiles import profile_named
from kproof.proptests.results import Answer, PromiseBroken
from kproof.proptests.subjects.registered import own_subject
from kproof.proptests.zoo import hunt, members
from kproof.theory.falsify.api import falsify
from kproof.theory.falsify.families import Counts, DependentRecords, IndependentRecords

# They differ in how much is tried, and what lies to one lies to the other.
PROFILES = by_day(("quick",), at_night=("quick", "default"))
CASES = 8
"""From each source, in every profile: more of them would only make a liar easier to catch."""
DECIDES = {
    Kind.TABLE: "k-anonymity",
    Kind.CITY: "region k",
    Kind.POINTS: "sector k",
    Kind.GRAPH: "cluster size",
    Kind.LOG: "candidates",
}
PATIENTS: dict[str, Any] = {
    "quasi_identifiers": ["Age"],
    "sensitive": "Disease",
    "identifiers": ["ID", "Name"],
}


def alone(table: Table, *, k: int) -> Release:
    """Publish every row in a class of its own."""
    return seal(table, np.arange(table.rows), method="liar", parameters={"k": k})


def unchanged(data: Any, **_: Any) -> Any:
    """Publish what is secret as it is."""
    return data


def in_pairs(name: str, data: Any, *, k: int, **options: Any) -> Any:
    """Take two people for as many as are asked for."""
    return METHODS[name].run(data, k=min(k, 2), **options)


@pytest.fixture(autouse=True)
def _few_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    # Fewer cases make a liar harder to catch: a check that caught one looks no further, others do.
    limit_finite_sources(monkeypatch, 60)


@pytest.fixture(params=sorted({method.kind for method in METHODS.values()}))
def method(request: pytest.FixtureRequest) -> Iterator[Method]:
    """A registered method of each kind that promises what a real one does."""
    model = next(one for one in METHODS.values() if one.kind is request.param)
    run = alone if model.kind is Kind.TABLE else partial(in_pairs, model.name)
    liar = replace(model, name="liar", run=run, parameters=by_name(GROUP_K), worst_case=frozenset())
    yield METHODS.register(liar)
    METHODS.remove("liar")


def answer(subject: Any, profile: str, **asked: Any) -> Answer:
    limits = {"profile": profile, "max_examples": CASES}
    return check_anonymizer(subject, on_fail="return", **limits, **asked).answer


@pytest.mark.parametrize("profile", PROFILES)
def test_a_method(method, profile):
    # Refused where another process would have to make it, else found.
    with pytest.raises((InvalidArgument, PromiseBroken)):
        check_anonymizer("liar", profile=profile, max_examples=CASES)
    subject = replace(own_subject("liar"), recipe=None)
    assert answer(subject, profile, checks=[DECIDES[method.kind]]) is not Answer.KEPT


@pytest.mark.parametrize("method", [Kind.TABLE], indirect=True)
def test_a_method_for_tables_releases_nothing(method):
    with pytest.raises(DataError, match=r"liar did not keep what it promises: k-anonymity\(k=3\)"):
        kproof.anonymize(method.name, "table-1a", k=3, **PATIENTS)
    METHODS.remove("liar")
    METHODS.register(replace(method, run=unchanged))
    with pytest.raises(TypeError, match="liar returned Table, not a Release"):
        kproof.anonymize(method.name, "table-1a", k=3, **PATIENTS)


class Agreeable:
    """A model that says yes to everything."""

    def __init__(self, *parameters: Any) -> None:
        self.holds = True

    def check(self, classes: Any) -> Agreeable:
        return self


@pytest.mark.parametrize("profile", PROFILES)
def test_a_model(profile):
    crowd = by_name(Whole("liar", "anything", example="3", least=1))
    MODELS.register(RegisteredModel("liar", Agreeable, "yes", "this test", crowd, "liar"))
    try:
        with pytest.raises(InvalidArgument):
            check_anonymizer(own_checker("liar"), profile=profile, max_examples=CASES)
    finally:
        MODELS.remove("liar")
    subject = checker_subject("k-anonymity", Agreeable)
    assert answer(subject, profile, checks=["agrees with brute force"]) is Answer.BROKEN


def test_an_attack():
    """It may find less than another one; it cannot answer without victims and posteriors."""
    release = kproof.anonymize("mondrian", "table-1a", k=3, **PATIENTS)
    for nothing in (None, SimpleNamespace(victims=0), True):
        ATTACKS.register(
            Attack("liar", lambda *_, answered=nothing, **__: answered, "none", "this test")
        )
        try:
            with pytest.raises(TypeError, match=r"liar returned \w+, not a Disclosure"):
                kproof.attack("liar", release)
        finally:
            ATTACKS.remove("liar")


@cases(
    (Counts(), "delta"),
    (Counts(), "epsilon"),
    (IndependentRecords(), "delta"),
    (DependentRecords(), "delta"),
    ids=lambda given: given if isinstance(given, str) else type(given).__name__,
)
def test_a_bound(family, claims):
    assert falsify(lambda **_: 0, family=family, claims=claims).witness is not None
    with pytest.raises(InvalidArgument, match="need a bound that claims something in the box"):
        falsify(lambda **_: None, family=family, claims=claims)


def test_a_check(monkeypatch):
    (sharp,) = (one for one in anonymity.CHECKS if one.name == "k-anonymity")
    blunt = replace(sharp, name="liar", function=lambda _: Kept())
    mute = replace(sharp, function=lambda _: NotApplicable("nothing to say"))
    monkeypatch.setattr(anonymity, "CHECKS", (*anonymity.CHECKS, blunt))
    assert blunt in all_checks(Kind.TABLE)
    # It catches none of the zoo, and hides from nobody what another check finds.
    (member,) = (one for one in members() if one.name == "k minus one")
    hunted = hunt(replace(member, caught_by="liar"), profile=profile_named("quick"))
    assert hunted.status is not CheckStatus.FAILED
    for profile in PROFILES:
        both = ["liar", "k-anonymity"]
        assert answer(unchanged, profile, promises=["k-anonymity"], checks=both) is Answer.BROKEN
        assert answer(unchanged, profile, promises=["k-anonymity"], checks=[mute]) is Answer.OPEN


def refusing(frame: pd.DataFrame, *, k: int) -> pd.DataFrame:
    raise ValueError(f"no {k}")


def silent(frame: pd.DataFrame, *, k: int) -> None:
    """Publish nothing at all."""


@pytest.mark.parametrize("profile", PROFILES)
@cases((unchanged, Answer.BROKEN), (silent, Answer.BROKEN), (refusing, Answer.BROKEN))
def test_a_subject(subject, expected, profile):
    checks = ["k-anonymity", "refuses clearly", "publishes when it can"]
    assert answer(subject, profile, parameters=["k"], checks=checks) is expected


@pytest.mark.parametrize("profile", PROFILES)
def test_a_log(profile):
    def lie(frame: pd.DataFrame, *, k: int) -> pd.DataFrame:
        return frame.rename(columns={"user": "record"})

    # A beginning of it is what it was: nothing is taken back.
    assert answer(lie, profile, kind="log", checks=[DECIDES[Kind.LOG]]) is Answer.BROKEN
    assert answer(lie, profile, kind="log", checks=["known positions"]) is Answer.BROKEN
    assert answer(silent, profile, kind="log", parameters=["k"]) is Answer.BROKEN


def two_stamps() -> Net:
    build = NetBuilder("liar")
    stamp = everything(Dot())
    build.place("Here", Dot(), 2 * stamp)
    build.place("There", Dot())
    build.place("Nowhere", Dot())
    build.transition("go", takes={"Here": stamp}, puts={"There": stamp})
    build.transition("never", takes={"Nowhere": stamp}, puts={"There": stamp})
    return build.net()


def test_a_net():
    space = explore(two_stamps())
    lies = [
        bound("There", 1),
        live("go"),
        leads_to("it goes on", "marked(Nowhere) > 0", "marked(Here) > 5"),
    ]
    outcomes = [one.outcome for one in check(space, lies)]
    assert outcomes == [TruthValue.FALSE, TruthValue.FALSE, TruthValue.VACUOUS]
    unfinished = explore(two_stamps(), budget=Budget(states=1))
    assert all(one.outcome is not TruthValue.TRUE for one in check(unfinished, lies))
    shipped = manifest.entry("table-1a by moves")
    for name in shipped.expected["verdicts"]:
        verdicts = {**shipped.expected["verdicts"]}
        verdicts[name] = not verdicts[name]
        lie = replace(shipped, expected={**shipped.expected, "verdicts": verdicts})
        assert manifest.differences(lie)
    assert manifest.differences(replace(shipped, expected={**shipped.expected, "verdicts": {}}))
