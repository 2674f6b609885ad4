"""Missing values, noise and background mean the same in a net, in ``attack`` and in ``check``.

What exploring a net says of a publication is what the table commands say of the same table.
"""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cases import error_line
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import kproof
from kproof.errors import DataError, InvalidArgument
from kproof.models.attacks import attack
from kproof.models.base.classes import Classes
from kproof.models.base.missing import MISSING, MissingAs
from kproof.models.privacy import PPlusSensitive, ThetaSensitivity
from kproof.petri.logic.properties import check as decide
from kproof.petri.papers.attackers import require_judged
from kproof.petri.papers.theta_properties import publisher_properties

VALUES = ("Cancer", "Flu", "HIV", None)
KINDS = {"Cancer": 1, "HIV": 1, "Flu": 2}
Rows = list[list[Any]]


def tables(k: int = 2) -> st.SearchStrategy[Rows]:
    """Draw classes of values, some of them missing."""
    ec = st.lists(st.sampled_from(VALUES), min_size=k, max_size=k + 1)
    return st.lists(ec, min_size=1, max_size=3)


def frame_of(names: Sequence[Sequence[Any]]) -> pd.DataFrame:
    """Return published classes as a file has them."""
    rows = [
        {"class": str(number), "disease": None if value is MISSING else value}
        for number, ec in enumerate(names)
        for value in ec
    ]
    return pd.DataFrame(rows, dtype=object)


ROLES: dict[str, Any] = {"quasi_identifiers": ["class"], "sensitive": "disease"}


def bets(names: Sequence[Sequence[Any]], name: str, **more: Any) -> dict[int, Fraction]:
    """Return the probability of the bet on someone of each class, as ``kproof attack`` has it."""
    found = attack(name, frame_of(names), **ROLES, **more)
    rows = [number for number, ec in enumerate(names) for _ in ec]
    return {
        number: found.posterior(position)
        for position, number in enumerate(rows)
        if found.beliefs.group[position] >= 0
    }


def theta_holds(names: Sequence[Sequence[Any]], missing_as: MissingAs, mu: str) -> bool:
    """Say what ``kproof check`` does; of a class of which nothing is left nothing holds."""
    try:
        (verdict,) = kproof.check(
            frame_of(names), [ThetaSensitivity(2, mu)], **ROLES, missing_as=missing_as
        )
    except DataError:
        return False
    return verdict.holds


@given(tables(), st.sampled_from(MissingAs), st.sampled_from(["1/2", "3/5", "1"]))
@settings(max_examples=60, deadline=None)
def test_explore_says_what_attack_and_check_say(rows, missing_as, mu):
    assume(any(value is not None for ec in rows for value in ec))
    try:
        made = kproof.net(
            "theta-sensitive", rows, k=2, mu=mu, missing_as=missing_as, categories=KINDS,
            attackers=["homogeneity", "sensitive-variance"],
        )  # fmt: skip
    except kproof.errors.Infeasible:
        return
    space = made.explore()
    outcome, gain = made.outcome(space), made.gain(space=space)
    states = {state: names for names, state in outcome.publications.items()}
    judged = [theta_holds(names, missing_as, mu) for names in states.values()]
    verdicts = {
        verdict.name: verdict for verdict in decide(space, publisher_properties(made.publisher))
    }
    theta = "V >= theta in every class"
    if judged:
        assert outcome.verdicts[theta] is all(judged)
        assert str(verdicts[theta].outcome) == str(all(judged)).lower()
    by_state: dict[int, dict[int, Fraction]] = {}
    for belief in gain.beliefs:
        by_state.setdefault(belief.state, {})[belief.victim] = belief.certainty
    for state, names in states.items():
        assert by_state.get(state, {}) == bets(names, "homogeneity", missing_as=missing_as)
    homogeneity, variance = made.disclosures(space=space)
    for beliefs, options in ((homogeneity, {}), (variance, {"k": 2, "mu": mu})):
        for state, names in states.items():
            found = attack(
                beliefs.attack, frame_of(names), **ROLES, missing_as=missing_as, **options
            )
            classes = [number for number, ec in enumerate(names) for _ in ec]
            disclosed = {classes[position] for position in found.disclosed.tolist()}
            assert disclosed == {
                belief.victim.row
                for belief in beliefs.beliefs
                if belief.state == state and belief.disclosed
            }
    everything = kproof.net(
        "theta-sensitive", rows, k=2, mu=mu, missing_as=missing_as
    ).publications()
    assert set(everything) == set(states.values())
    assert everything.beliefs is not None
    assert everything.beliefs.certain == sum(
        len(set(at)) and sum(p == 1 for p in at.values()) for at in by_state.values()
    )
    if judged:
        assert everything.verdicts[theta] is all(judged)


@given(tables(), st.sampled_from(MissingAs))
@settings(max_examples=60, deadline=None)
def test_p_plus_publishes_what_check_passes(rows, missing_as):
    categories = {**KINDS, MISSING: 3} if missing_as is MissingAs.VALUE else KINDS
    options: dict[str, Any] = {"missing_as": missing_as, "categories": categories}
    made = kproof.net("p-plus-sensitive", rows, k=2, p=2, **options)
    try:
        verdicts = kproof.check(frame_of(rows), [PPlusSensitive(2, 2)], **ROLES, **options)
        holds = all(verdict.holds for verdict in verdicts)
    except DataError:
        holds = False
    assert bool(made.outcome().publications) is holds


@given(tables(3), st.sampled_from(MissingAs), st.booleans())
@settings(max_examples=40, deadline=None)
def test_noise_is_told_apart_on_the_level_of_records(rows, missing_as, recognised):
    assume(any(value is not None for ec in rows for value in ec))
    knows = {"noise_recognised": recognised}
    try:
        made = kproof.net(
            "theta-sensitive", rows, k=3, mu="3/5", tokens="records", missing_as=missing_as
        )
    except kproof.errors.Infeasible:
        return
    space = made.explore()
    gain = made.gain(knows, space=space)
    beliefs: dict[int, Counter[Fraction]] = {}
    for belief in gain.beliefs:
        beliefs.setdefault(belief.state, Counter())[belief.certainty] += 1
    domain = made.publisher.formed.domain
    for state, ecs in made.publisher.every_publication(space):
        records = [(number, record) for number, ec in enumerate(ecs) for record in ec]
        published = Classes(
            np.array([number for number, _ in records]),
            len(ecs),
            np.array([int(record.value) for _, record in records]),
            domain,
            real=np.array([not record.dummy for _, record in records]),
            missing_as=missing_as,
        )
        found = attack("homogeneity", published, background=knows)
        wanted = Counter(
            found.posterior(i) for i in range(found.victims) if found.beliefs.group[i] >= 0
        )
        assert beliefs.get(state, Counter()) == wanted


def test_what_an_adversary_knows_is_used_or_refused():
    made = kproof.net("theta-sensitive", [["HIV", "HIV"], ["Flu", "Cancer"]], k=2)
    for knows, name in (
        ({"noise_recognised": True}, "noise_recognised"),
        ({"columns": ["age"]}, "columns"),
        ({"victims": []}, "victims"),
        ({"members": [{"row": 0, "value": "HIV"}, {"row": 1, "value": "Flu"}]}, "victims"),
        ({"matching": "cover", "victims": [{"row": 0}]}, "matching"),
        ({"victims": [{"quasi_identifiers": {"age": 3}}]}, "row"),
    ):
        with pytest.raises(InvalidArgument, match=name):
            made.gain(knows)
        with pytest.raises(InvalidArgument, match=name):
            made.publications(background=knows)
    gaps = kproof.net("theta-sensitive", [["HIV", None], ["Flu", "Cancer"]], k=2)
    with pytest.raises(InvalidArgument, match="missing_as"):
        gaps.gain({"victims": [{"row": 0, "excluded": ["Flu"]}]})


def test_what_nobody_judged_is_not_green():
    contradicted = {"victims": [{"row": 0, "excluded": ["HIV", "Flu", "Cancer"]}]}
    table = [["HIV", "HIV"], ["Flu", "Cancer"]]
    made = kproof.net(
        "theta-sensitive", table, k=2, attackers=["homogeneity"], background=contradicted
    )
    space = made.explore()
    gains = "the adversary gains nothing"
    assert made.outcome(space).verdicts[gains] is None
    (verdict,) = (v for v in decide(space, publisher_properties(made.publisher)) if v.name == gains)
    assert str(verdict.outcome) == "not applicable"
    everything = kproof.net("theta-sensitive", table, k=2).publications(
        attackers=["homogeneity"], background=contradicted
    )
    assert everything.disclosing == {"homogeneity": None}
    assert "not judged" in str(everything)
    for name in ("suppression", "mle", "bas", "guess"):
        assert "one that a net can judge" in error_line(InvalidArgument, require_judged, name)
    with pytest.raises(InvalidArgument, match="looks at each class by itself"):
        kproof.net("theta-sensitive", table, k=2).publications(attackers=["skewness"])
