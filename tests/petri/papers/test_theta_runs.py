"""Runs in linear time, against the firing rule: what is enabled in what order, what happens."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kproof.errors import Infeasible
from kproof.petri.net.compiled import compile_net
from kproof.petri.net.firing import bindings, fire
from kproof.petri.net.marking import Marking
from kproof.petri.net.net import Net
from kproof.petri.papers.publisher import Publisher
from kproof.petri.papers.runs.theta_runs import (
    EnabledMoves,
    RunStep,
    ThetaMove,
    ThetaRun,
    namer_of,
    steps_of,
)
from kproof.petri.papers.theta_sensitive import theta_publisher
from kproof.petri.spaces.simulate import Walker, draws

TABLES: dict[str, dict[str, Any]] = {
    "swaps": {"classes": ["aab", "bcd", "abc"], "k": 3},
    "cross swap": {"classes": ["abcd", "aabb"], "k": 4},
    "noise": {"classes": ["aab"], "k": 3, "domain": "abcd"},
    "noise moves on": {"classes": ["abc", "aab"], "k": 3, "domain": "abcde", "mu": 1},
    "padded": {"classes": ["ab", "a"], "k": 2, "padding": "noise", "domain": "abc"},
    "padded with all": {"classes": ["ab", "ab"], "k": 4, "padding": "noise", "mu": "1/5"},
    "infeasible": {"classes": ["aab", "aab"], "k": 3, "mu": "37/100"},
    "per class": {"classes": ["aaab", "bcda"], "k": 3, "mu": "1/2", "per_class_theta": True},
}


def told(found: EnabledMoves) -> list[tuple[str, dict[str, int]]]:
    """What is enabled, as transitions and the values of the variables that choose."""
    named: list[tuple[str, dict[str, int]]] = []
    for choice in range(len(found)):
        own = {} if found.sources is None or found.b is not None else {"x": found.sources[choice]}
        if found.b is not None:
            x, y = found.pair(choice)
            own = {"b": found.b, "x": x, "y": y}
        named.append((str(found.move), own))
    return named


def compared(publisher: Publisher, *, near: int, most: int = 200) -> int:
    """Compare what is enabled with the firing rule in every marking that can be reached."""
    net = publisher.net()
    transitions = compile_net(net)
    seen = {net.initial}
    waiting = [(ThetaRun(publisher, near=near), net.initial)]
    while waiting and len(seen) < most:
        course, marking = waiting.pop()
        enabled = course.possible()
        plain, after = [], []
        for one in transitions:
            tokens = [marking[net.places[position].name] for position in one.inputs]
            for values in one.bindings(tokens):
                binding: dict[str, Any] = one.binding(values)
                chosen = {name: int(binding[name]) for name in ("b", "x", "y") if name in binding}
                plain.append((one.transition.name, chosen))
                after.append(one.after(net, values, marking))
        # The same firings in the same order: equally likely in both, for every random number.
        assert told(enabled) == plain
        for choice, there in enumerate(after):
            if there not in seen:
                seen.add(there)
                other = course.copy()
                other.take(other.step(enabled, choice, lambda: 0.0))
                waiting.append((other, there))
    return len(seen)


@pytest.mark.parametrize("tokens", ["values", "records"])
@pytest.mark.parametrize("name", TABLES)
def test_the_same_is_enabled_in_every_marking(name, tokens):
    publisher = theta_publisher(**TABLES[name], tokens=tokens)
    for near in (0, 64):
        assert compared(publisher, near=near) > 1


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_the_same_is_enabled_in_random_tables(data):
    k = data.draw(st.integers(2, 3))
    classes = data.draw(
        st.lists(
            st.lists(st.sampled_from("abcd"), min_size=k, max_size=k + 2), min_size=1, max_size=5
        )
    )
    try:
        publisher = theta_publisher(
            classes,
            k=k,
            mu=data.draw(st.sampled_from(["1/4", "1/2", "3/5", "1"])),
            domain="abcd",
            tokens=data.draw(st.sampled_from(["values", "records"])),
        )
    except Infeasible:
        return
    compared(publisher, near=data.draw(st.integers(0, 3)), most=60)


@pytest.mark.parametrize("tokens", ["values", "records"])
@pytest.mark.parametrize("name", TABLES)
def test_a_run_is_the_one_that_the_walker_takes_and_replays(name, tokens):
    publisher = theta_publisher(**TABLES[name], tokens=tokens)
    net = publisher.net()
    walker = Walker(net, publisher.watch())
    for number in (1, 2):
        course = ThetaRun(publisher)
        steps = list(steps_of(course, draws(3, number), namer_of(3, number), 100))
        trace = walker.trace(3, number, 100)
        assert [str(one.move) for one in steps] == [one.transition for one, _ in trace.steps]
        marking = net.initial
        for step in steps:
            marking = replayed(net, marking, step)
        assert marking == trace.end
        assert course.ended is (
            ThetaMove.PUBLISH if trace.end["PublshdData"] else ThetaMove.INFEASIBLE
        )
        assert publisher.publications(trace.end) in ((course.classes(publisher),), ())


def replayed(net: Net, marking: Marking, step: RunStep) -> Marking:
    """Fire a step by the firing rule as its definition reads."""
    transition = net.transition[step.move]
    chosen = {"b": step.b, "x": step.x, "y": step.y}
    (binding,) = (
        one
        for one in bindings(transition, marking)
        if all(one[name] == value for name, value in chosen.items() if value is not None)
    )
    return fire(net, transition, binding, marking)
