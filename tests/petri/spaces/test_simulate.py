"""Random runs and all runs, against runs enumerated one by one by the firing rule."""

from collections.abc import Iterator
from fractions import Fraction
from math import comb
from typing import Any

import pytest
from cases import cases, error_line

from kproof.errors import InvalidArgument, NetError
from kproof.petri.net.colours import Dot, Integers
from kproof.petri.net.firing import firings
from kproof.petri.net.marking import Marking
from kproof.petri.net.net import Net, NetBuilder
from kproof.petri.net.terms import Constant, Variable, everything
from kproof.petri.papers.api import net as paper_net
from kproof.petri.papers.theta_sensitive import theta_publisher
from kproof.petri.spaces.explore import explore
from kproof.petri.spaces.simulate import every_run, simulate
from kproof.petri.spaces.space import Budget
from kproof.petri.spaces.tallies import Watch, clopper_pearson

DOT = everything(Dot())


def all_runs(
    net: Net, marking: Marking | None = None
) -> Iterator[tuple[list[str], Fraction, Marking]]:
    """Every run with its probability, by recursion over the firing rule."""
    here = net.initial if marking is None else marking
    following = list(firings(net, here))
    if not following:
        yield [], Fraction(1), here
    for firing, there in following:
        for names, chance, end in all_runs(net, there):
            yield [firing.transition, *names], chance / len(following), end


def lottery() -> Net:
    """Up to three tickets: each is a prize, a blank, or is torn; a prize ends the run."""
    number = Integers("Ticket", 1, 3)
    n = Variable("n", number)
    build = NetBuilder("lottery")
    build.place("Tickets", number, everything(number))
    build.place("Turn", Dot(), DOT)
    build.place("Prize", number)
    build.transition("prize", takes={"Tickets": n, "Turn": DOT}, puts={"Prize": n})
    build.transition("blank", takes={"Tickets": n}, reads={"Turn": DOT}, guard=n > 1)
    return build.net()


NETS = {
    "lottery": (lottery(), Watch(ends={"won": lambda m: m.total("Prize") > 0})),
    **{
        name: (made.net, made.publisher.watch())
        for name, made in {
            "table-4b": paper_net("theta-sensitive", "table-4b", k=4, sensitive="Disease"),
            "by rules": paper_net(
                "theta-sensitive", [["a", "a"], ["b", "c"]], k=2, cut="rules", domain="abcd"
            ),
            "noise": paper_net("theta-sensitive", [["a", "a", "b"]], k=3, domain="abcd"),
            "padded": paper_net(
                "theta-sensitive", [["a", "b"], ["a"]], k=2, padding="noise", domain="abc"
            ),
            "printed, stuck": paper_net(
                "theta-sensitive", [["a", "a", "b", "c"]], k=4, mu="11/20", reading="printed"
            ),
            "infeasible": paper_net("theta-sensitive", [["a", "a", "b"]] * 2, k=3, mu="37/100"),
            "attacked": paper_net(
                "theta-sensitive",
                [["a", "a"], ["b", "c"]],
                k=2,
                categories={"a": 1, "b": 1, "c": 2},
                attackers=["categorical-similarity", "homogeneity"],
            ),
        }.items()
    },
}


@pytest.mark.parametrize("name", NETS)
def test_all_runs_are_those_that_the_firing_rule_has(name):
    net, watch = NETS[name]
    found = every_run(explore(net), watch=watch)
    runs = list(all_runs(net))
    assert found.exact
    assert found.runs == len(runs)
    for tally, members in [
        (found.steps, set(net.transition)),
        *zip(found.groups, watch.groups.values(), strict=True),
        *zip(found.transitions, ({one.name} for one in net.transitions), strict=True),
    ]:
        shares: dict[int, Fraction] = {}
        for names, chance, _ in runs:
            count = sum(one in members for one in names)
            shares[count] = shares.get(count, Fraction(0)) + chance
        assert tally.shares == shares, tally.name
        assert tally.least == min(shares)
        assert tally.most == max(shares)
        assert tally.mean == sum(count * share for count, share in shares.items())
    for end, (name_of, holds) in zip(found.ends, watch.ends.items(), strict=True):
        assert end.name == name_of
        assert end.share == sum(chance for _, chance, last in runs if holds(last))
        assert end.lower == end.share == end.upper


def test_the_lottery_by_hand():
    # Prizes 1, 2, 3 and blanks 2, 3 are equally likely at first: 3/5 are won at once. After a
    # blank, two prizes and one blank are left: 2/3; after both, only ticket 1, and it wins.
    found = every_run(explore(lottery()), watch=NETS["lottery"][1])
    assert found.runs == 3 + 2 * (2 + 1)
    assert found.steps.shares == {
        1: Fraction(3, 5),
        2: Fraction(2, 5) * Fraction(2, 3),
        3: Fraction(2, 5) * Fraction(1, 3),
    }
    assert found.ends[0].share == 1


def test_noise_rows_are_those_of_the_publication():
    for name in ("by rules", "noise", "padded", "table-4b"):
        net, watch = NETS[name]
        counted = {one.name: one for one in every_run(explore(net), watch=watch).groups}
        published = {sum(map(len, names)) for names in _publications(name)}
        rows = sum(map(len, PUBLISHERS[name].formed.values))
        assert {rows + count for count in counted["noise rows"].shares} == published


PUBLISHERS = {
    "by rules": theta_publisher([["a", "a"], ["b", "c"]], k=2, cut="rules", domain="abcd"),
    "noise": theta_publisher([["a", "a", "b"]], k=3, domain="abcd"),
    "padded": theta_publisher([["a", "b"], ["a"]], k=2, padding="noise", domain="abc"),
    "table-4b": paper_net("theta-sensitive", "table-4b", k=4, sensitive="Disease").publisher,
}


def _publications(name: str) -> Iterator[tuple[tuple[object, ...], ...]]:
    publisher = PUBLISHERS[name]
    for _, _, end in all_runs(publisher.net()):
        for ecs in publisher.publications(end):
            yield publisher.names(ecs)


def test_random_runs_agree_with_all_runs():
    net, watch = NETS["lottery"]
    exact = every_run(explore(net), watch=watch)
    found = simulate(net, runs=4000, seed=7, watch=watch, confidence="0.9999")
    assert not found.exact
    assert set(found.steps.shares) == set(exact.steps.shares)
    for count, share in found.steps.shares.items():
        lower, upper = clopper_pearson(share * 4000, 4000, "0.9999")
        assert lower <= exact.steps.shares[count] <= upper


def test_the_same_seed_gives_the_same_runs():
    net, watch = NETS["lottery"]
    first = simulate(net, runs=50, seed=3, watch=watch)
    assert first == simulate(net, runs=50, seed=3, watch=watch)
    assert first.steps != simulate(net, runs=50, seed=4, watch=watch).steps


def test_the_runs_of_a_seed_never_change():
    shares = simulate(lottery(), runs=10, seed=1).steps.shares
    assert shares == {1: Fraction(2, 5), 2: Fraction(1, 2), 3: Fraction(1, 10)}


def endless() -> Net:
    build = NetBuilder("clock")
    build.place("Now", Dot(), DOT)
    build.place("Rung", Dot())
    build.transition("tick", reads={"Now": DOT})
    build.transition("ring", takes={"Now": DOT}, puts={"Rung": DOT})
    return build.net()


def test_runs_that_do_not_end_are_broken_off():
    watch = Watch(ends={"rung": lambda m: m.total("Rung") == 1})
    found = simulate(endless(), runs=64, steps=3, watch=watch)
    ended = found.ends[0].share * 64
    assert 0 < found.unfinished < 64
    assert ended == 64 - found.unfinished
    assert found.steps.most == 3
    assert "some run goes on for ever" in error_line(NetError, every_run, explore(endless()))


def test_a_run_that_ends_with_its_last_step_is_not_broken_off():
    found = simulate(lottery(), runs=40, steps=3)
    assert found.steps.most == 3
    assert found.unfinished == 0


def test_part_of_a_space_has_not_all_runs():
    with pytest.raises(InvalidArgument, match="full state space"):
        every_run(explore(lottery(), budget=Budget(states=3)))


def test_progress_is_told_after_each_run():
    told: list[int] = []
    simulate(lottery(), runs=5, progress=told.append)
    assert told == [1, 2, 3, 4, 5]


def tail(successes: int, runs: int, p: Fraction) -> Fraction:
    """The probability of so many successes or more."""
    return sum(
        (comb(runs, n) * p**n * (1 - p) ** (runs - n) for n in range(successes, runs + 1)),
        Fraction(0),
    )


@pytest.mark.parametrize("confidence", ["0.95", "0.5", "0.999"])
def test_intervals_against_exact_tails(confidence):
    half = (1 - Fraction(confidence)) / 2
    step = Fraction(3, 10**6)
    for runs in (1, 2, 5, 9):
        for successes in range(runs + 1):
            lower, upper = clopper_pearson(successes, runs, confidence)
            # Each end has the coverage, and one a little further in has not.
            assert tail(successes, runs, lower) <= half or successes == 0 == lower
            assert 1 - tail(successes + 1, runs, upper) <= half or successes == runs
            if successes:
                assert tail(successes, runs, lower + step) > half
            else:
                assert lower == 0
            if successes < runs:
                assert 1 - tail(successes + 1, runs, upper - step) > half
            else:
                assert upper == 1


@cases(
    ({"runs": 0}, "runs = 0"),
    ({"runs": "1.5"}, "runs"),
    ({"runs": 1, "seed": -1}, "seed = -1"),
    ({"runs": 1, "steps": 0}, "steps = 0"),
    ({"runs": 1, "confidence": 1}, "confidence = 1"),
)
def test_numbers_out_of_range(options, message):
    with pytest.raises(InvalidArgument, match=message):
        simulate(lottery(), **options)


def test_the_json_form():
    net, watch = NETS["noise"]
    document: dict[str, Any] = every_run(explore(net), watch=watch).to_dict()
    assert document["exact"] is True
    assert document["confidence"] is None
    assert document["seed"] is None
    (noise,) = [one for one in document["groups"] if one["name"] == "noise rows"]
    assert noise == {
        "name": "noise rows",
        "mean": {"final": "1"},
        "least": {"final": 1},
        "most": {"final": 1},
        "shares": {"final": {"1": "1"}},
    }
    sampled: dict[str, Any] = simulate(net, runs=8, watch=watch).to_dict()
    published = sampled["ends"][0]
    assert published == {
        "name": "published",
        "share": {"final": "1"},
        "lower": "630583/1000000",
        "upper": "1",
    }


def test_a_constant_choice_has_no_chance_in_it():
    build = NetBuilder("one way")
    build.place("A", Dot(), 2 * Constant("•", Dot()))
    build.transition("go", takes={"A": DOT})
    assert simulate(build.net(), runs=3).steps.shares == {2: Fraction(1)}
