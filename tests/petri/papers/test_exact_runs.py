"""All runs at once: forgotten classes change nothing, and disclosures are those of every run."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from hypothesis import assume, given
from hypothesis import strategies as st

from kproof.errors import Infeasible
from kproof.models.attacks import BackgroundKnowledge, Person
from kproof.petri.net.firing import firings
from kproof.petri.net.marking import Marking
from kproof.petri.papers.api import TableNet, net
from kproof.petri.papers.attackers import Attacker, attacker, evidence, hits, prepare
from kproof.petri.papers.runs.exact_runs import AllRuns
from kproof.petri.papers.runs.lessons import Spread
from kproof.petri.papers.runs.simulation import simulate_publisher
from kproof.petri.spaces.explore import explore
from kproof.petri.spaces.simulate import every_run
from kproof.petri.spaces.tallies import Tally, clopper_pearson, mean_interval

Way = tuple[str, ...]
"""The transitions of a run."""


def every_end(
    of: TableNet, at: Marking, chance: Fraction, way: Way = ()
) -> Iterator[tuple[Marking, Fraction, Way]]:
    """Run through the ends of all runs by the firing rule, each with its probability."""
    able = list(firings(of.net, at))
    if not able:
        yield at, chance, way
    for firing, after in able:
        yield from every_end(of, after, chance / len(able), (*way, firing.transition))


def settled(way: Way, at: int, classes: int) -> int:
    """Return the step after which a class changes no more: its pass, of the last two the last."""
    passes = [step for step, name in enumerate(way, start=1) if name == "pass"]
    return passes[at] if at < classes - 2 else len(way)


Disclosures = tuple[Fraction, dict[int, Fraction], dict[int, dict[int, Fraction]]]


def disclosures(of: TableNet, who: Attacker) -> Disclosures:
    """Return how probably a publication discloses anyone, anyone of each class, by which step."""
    ready, total, anyone = prepare(of.publisher, who), Fraction(0), Fraction(0)
    steps: dict[int, Counter[int]] = {}
    for marking, chance, way in every_end(of, of.net.initial, Fraction(1)):
        for ecs in of.publisher.publications(marking):
            hit = hits(ready(evidence(of.publisher, ecs)))
            total += chance
            anyone += chance * bool(hit)
            for at in hit:
                step = settled(way, at, len(ecs))
                steps.setdefault(at, Counter()).update({step: chance})
    shares = {at: sum(counts.values()) for at, counts in steps.items()}
    return (
        anyone / total,
        {at: share / total for at, share in shares.items()},
        {at: {n: p / shares[at] for n, p in counts.items()} for at, counts in steps.items()},
    )


@given(
    classes=st.lists(
        st.lists(st.sampled_from("abcd"), min_size=2, max_size=2), min_size=1, max_size=3
    ),
    mu=st.sampled_from(["1/3", "3/5", "1"]),
    excluded=st.lists(st.sampled_from("abcd"), min_size=3, max_size=3),
)
def test_who_is_disclosed_is_who_is_in_every_run(classes, mu, excluded):
    try:
        of = net("theta-sensitive", classes, k=2, mu=mu, domain="abcd")
    except Infeasible:
        assume(False)
    runs = AllRuns.of(of)
    assert runs.staged is not None
    watch = of.publisher.watch()
    assert runs.simulation() == every_run(explore(of.net), watch=watch)
    victims = tuple(
        Person(row=row, excluded=(value,)) for row, value in enumerate(excluded[: len(classes)])
    )
    knows = BackgroundKnowledge(victims=victims)
    who = [
        attacker("homogeneity"),
        attacker("linkage", knows),
        attacker("linkage", knows, tau="2/3"),
    ]
    if len(classes) > 1:
        # What she knows of others may contradict a publication, which then tells her nothing.
        member = Person(row=0, value=excluded[0])
        who.append(attacker("linkage", BackgroundKnowledge(members=(member,))))
    whole = AllRuns(of, explore(of.net), None)
    for adversary, lesson, beside in zip(who, runs.lessons(who), whole.lessons(who), strict=True):
        anyone, by_class, by_step = disclosures(of, adversary)
        assert lesson.anyone.share == lesson.anyone.lower == anyone
        assert {one.at: one.anyone.share for one in lesson.classes} == by_class
        assert lesson.share[0] * lesson.victims == sum(by_class.values())
        tallies = ((one.at, one.settled) for one in lesson.classes)
        steps = {at: tally.shares for at, tally in tallies if isinstance(tally, Tally)}
        assert set(steps) == set(by_step)
        for at, shares in steps.items():
            if at < len(classes) - 2:
                assert shares == by_step[at]
            # Where no run looks at the last but one again, it is settled earlier.
            assert max(shares) <= max(by_step[at])
        alone = tuple(replace(one, settled=None) for one in lesson.classes)
        assert replace(lesson, classes=alone) == beside


def test_random_runs_say_in_which_class_and_when():
    knows = BackgroundKnowledge(victims=(Person(row=0, excluded=("HIV", "Cancer", "Obesity")),))
    options = {"k": 4, "sensitive": "Disease"}
    of = net("theta-sensitive", "table-1a", **options, attackers=[attacker("linkage", knows)])
    runs = simulate_publisher(of, runs=300, judged=True, samples=1, jobs=1)
    (lesson,) = runs.lessons
    (first,) = lesson.classes
    (exact,) = AllRuns.of(of).lessons(of.attackers)
    assert (first.at, first.anyone) == (0, lesson.anyone)
    assert first.anyone.lower <= exact.anyone.share <= first.anyone.upper
    # Two swaps and a pass for class 0; the attack comes after the publication in step 7.
    assert first.settled is not None
    assert first.fired is not None
    assert isinstance(first.settled, Spread)
    assert set(first.settled.values) == {3}
    assert set(first.fired.values) == {8}
    (sample,) = runs.samples
    assert sample.course is not None
    assert Counter(one.transition for one, _ in sample.course.steps) == Counter(sample.fired)


def test_the_interval_of_a_mean():
    assert mean_interval({Fraction(3): 100}) is None
    # By hand: mean 1/2, deviation sqrt(25/99), t of 99 degrees of freedom 1.98422.
    low, high = mean_interval({Fraction(0): 50, Fraction(1): 50}) or (0, 0)
    assert abs(high - 0.5 - 1.98422 * (25 / 99) ** 0.5 / 10) < 1e-5
    assert abs(low + high - 1) < 1e-12
    # Where all runs are alike, another value may be as probable as this.
    assert float(clopper_pearson(0, 100)[1]) < 0.037
