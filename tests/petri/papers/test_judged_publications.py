"""What is decided of every publication without counting is what whole exploration says, or open."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest
from cases import cases, error_line
from hypothesis import given, settings
from hypothesis import strategies as st
from nights import by_day
from public_data import data_file

from kproof.errors import Infeasible, InvalidArgument
from kproof.models.attacks import BackgroundKnowledge, Person
from kproof.models.base.missing import MISSING
from kproof.models.tables.theta.moves import Threshold
from kproof.petri.papers.attackers import attacker
from kproof.petri.papers.classes import ByValue
from kproof.petri.papers.judged import judged_publications as judging
from kproof.petri.papers.judged import sampled_publications as sampling
from kproof.petri.papers.judged.class_forms import judge_forms
from kproof.petri.papers.judged.judged_publications import JudgedPublications, judge_publications
from kproof.petri.papers.judged.windows import least_publications
from kproof.petri.papers.outcome import PublisherEnds
from kproof.petri.papers.publications import publications
from kproof.petri.papers.publisher import Publisher, classes_of
from kproof.petri.papers.theta_sensitive import theta_publisher
from kproof.petri.spaces.explore import explore
from kproof.petri.spaces.space import Budget

DOMAIN = "abcde"
CATEGORIES = dict(zip(DOMAIN, (1, 1, 2, 3, 3), strict=True))
ATTACKS = ("homogeneity", "categorical-similarity", "linkage", "sensitive-variance")


@pytest.fixture
def uncounted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is decided by counting all publications; a few runs must do."""
    monkeypatch.setattr(judging, "EXPLORED", 0)
    monkeypatch.setattr(sampling, "MOST_RUNS", 40)


@st.composite
def knowledge(draw: st.DrawFn, classes: int, domain: str) -> BackgroundKnowledge | None:
    row = draw(st.integers(0, classes - 1))
    excluded = draw(st.sets(st.sampled_from(domain), max_size=len(domain) - 1))
    victim = BackgroundKnowledge(victims=(Person(row=row, excluded=tuple(sorted(excluded))),))
    member = BackgroundKnowledge(members=(Person(row=row, value=domain[row % len(domain)]),))
    # Who is a member of the only class leaves nobody to look for.
    return draw(st.sampled_from([None, victim, *([member] if classes > 1 else [])]))


@st.composite
def asked(draw: st.DrawFn) -> tuple[Publisher, dict[str, Any]] | None:
    """A small table, and who attacks it."""
    k = draw(st.integers(2, 4))
    domain = DOMAIN[: draw(st.integers(k, 5))]
    ec = st.lists(st.sampled_from(domain), min_size=k, max_size=k + 1)
    classes = draw(st.lists(ec, min_size=1, max_size=5))
    tokens = draw(st.sampled_from(["values", "values", "records"]))
    try:
        publisher = theta_publisher(
            classes,
            k=k,
            mu=draw(st.sampled_from(["1/4", "1/2", "3/5", "4/5", "1"])),
            domain=domain,
            categories={value: CATEGORIES[value] for value in domain},
            per_class_theta=draw(st.booleans()),
            tokens=tokens,
        )
    except Infeasible:
        return None
    if tokens == "records":
        return publisher, {}
    knows = draw(knowledge(len(classes), domain))
    tau = draw(st.sampled_from(["1/2", "2/3", "1"]))
    attackers = [attacker(name, knows, tau=tau) for name in ATTACKS]
    return publisher, {"background": knows, "attackers": attackers}


def answers(judged: JudgedPublications) -> Iterator[tuple[str, bool | None]]:
    for claim in (*judged.judged, judged.publishes):
        yield claim.name.removesuffix(", the method unknown"), claim.holds


def facts(publisher: Publisher, adversary: dict[str, Any]) -> tuple[dict[str, bool | None], Any]:
    """The same by exploring every marking; attacks, by each publication."""
    whole = PublisherEnds.of(publisher, explore(publisher.net()))
    truth = dict(whole.verdicts) | {"every run publishes": not (whole.infeasible or whole.stuck)}
    counted = publications(publisher, **adversary)
    assert counted.words.count == len(whole.publications) or not adversary
    if counted.beliefs is not None:
        some = whole.publications and counted.beliefs.beliefs
        truth["nobody's value is certain"] = not counted.beliefs.certain if some else None
        for name in ATTACKS:
            hits = counted.disclosing.get(name)
            truth[f"{name} discloses nobody"] = not hits if some or hits else None
    return truth, counted


@pytest.mark.usefixtures("uncounted")
@given(asked())
@settings(max_examples=120, deadline=None)
def test_no_verdict_differs_from_whole_exploration(drawn):
    if drawn is None:
        return
    publisher, adversary = drawn
    truth, counted = facts(publisher, adversary)
    judged = judge_publications(publisher, **adversary)
    for name, holds in answers(judged):
        assert holds in (None, truth[name]), name
    assert bool(judged.least) == bool(counted.words.count)
    assert judged.least <= counted.words.count
    if judged.largest_belief is not None:
        assert counted.beliefs.most_certain.certainty <= judged.largest_belief
    if judged.worst is not None:
        assert judged.worst.certainty <= counted.beliefs.most_certain.certainty
    for chance in judged.chances:
        assert 0 <= chance.lower <= chance.share <= chance.upper <= 1


@given(st.randoms(use_true_random=False), st.sampled_from(["values", "records"]))
@settings(max_examples=by_day(4, at_night=15), deadline=None)
def test_windows_never_count_too_many(draw, tokens):
    values = draw.choices(range(6), [1 / (i + 1) for i in range(6)], k=66)
    classes = [values[at : at + 2] for at in range(0, 66, 2)]
    publisher = theta_publisher(classes, k=2, domain=range(6), tokens=tokens)
    counted = publications(publisher, budget=Budget(states=5_000))
    least = least_publications(publisher)
    assert least > 0
    assert not counted.full or least <= counted.words.count


def test_small_automata_are_counted_and_others_are_not():
    classes = [["HIV", "HIV"], ["Flu", "Cancer"]] * 10
    judged = judge_publications(theta_publisher(classes, k=2))
    assert str(judged.count) == "1,024"
    assert judged.claims[0].because == "all 1,024 publications"
    part = judge_publications(theta_publisher(classes, k=2), budget=Budget(states=3))
    assert part.count.to_json() == {"at_least": 1024}
    assert {claim.holds for claim in part.judged} == {True}
    assert "every form" in part.claims[0].because


@pytest.mark.usefixtures("uncounted")
def test_of_nothing_nothing_is_said():
    # Every run ends in Infeasible.
    stuck = theta_publisher([["a", "a", "a", "b", "c"]], k=3, mu="1", domain="abc")
    assert not publications(stuck).words.count
    judged = judge_publications(stuck)
    assert [claim.holds for claim in judged.judged] == [True, None, None, None, None]
    assert judged.publishes.holds is False
    pair = theta_publisher([["a", "a"], ["b", "c"]], k=2)
    with pytest.raises(InvalidArgument, match="victims = nobody"):
        judge_publications(pair, background=BackgroundKnowledge(victims=()))
    gap = theta_publisher([["a", MISSING], ["b", "c"]], k=2)
    assert "missing_as = worst-case" in error_line(InvalidArgument, judge_publications, gap)
    nothing = judge_publications(pair, budget=Budget(seconds=0))
    assert {claim.holds for claim in nothing.judged} == {None}
    assert str(nothing.count) == "at least 1"
    assert nothing.chances == ()


@pytest.mark.usefixtures("uncounted")
@cases(
    (Threshold, "passes", lambda self, values: len(values) > 1, "V >= theta in every class"),
    (
        ByValue,
        "exchange",
        lambda self, receiver, donor, x, y: (receiver, donor[1:] or donor),
        "records are kept, noise apart",
    ),
    (
        ByValue,
        "with_noise",
        lambda self, ec, value: (*ec, (value, 2)),
        "records are kept, noise apart",
    ),
    (
        ByValue,
        "exchange",
        lambda self, receiver, donor, x, y: (receiver[:1], donor),
        "k rows in every class",
    ),
)
def test_a_liar_is_never_believed(place, name, liar, broken, monkeypatch):
    publisher = theta_publisher([["a", "a", "a", "b"], list("abcd"), list("aabc")] * 3, k=4)
    monkeypatch.setattr(place, name, liar)
    verdicts = {claim.name: claim.holds for claim in judge_publications(publisher).claims}
    assert verdicts[broken] is not True
    # One broken move is enough to doubt all that forms say.
    assert True not in verdicts.values()
    assert judge_forms(publisher).breaches


def test_what_is_refused():
    with pytest.raises(InvalidArgument, match="theta-sensitive, which works in stages"):
        judge_publications(theta_publisher([["a", "b"]], k=2, cut="rules"))
    by_record = theta_publisher([["a", "b"]], k=2, tokens="records")
    with pytest.raises(InvalidArgument, match="level"):
        judge_publications(by_record, attackers=[attacker("homogeneity")])


def test_all_of_adult_within_a_minute(tmp_path):
    """By day its first 300 rows, which take seconds."""
    names = data_file("adult.test").read_text().splitlines()[0]
    rows = data_file("adult.data").read_text().splitlines()
    table = tmp_path / "adult.csv"
    table.write_text("\n".join([names, *rows[: by_day(300, at_night=None)], ""]))
    formed = classes_of(str(table), k=4, sensitive="occupation", missing_as="value")
    judged = judge_publications(theta_publisher(formed, k=4), attackers=[attacker("homogeneity")])
    assert {claim.holds for claim in judged.judged} == {True}
    assert judged.publishes.holds
    assert judged.count.to_json()["at_least"].startswith("10^")  # type: ignore[index,call-overload]
    assert judged.largest_belief is not None
    assert judged.largest_belief < Fraction(3, 5)
