"""Random nets: each feature comes up, all are well formed, and faults shrink to the least net."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace

import pytest
from cases import cases
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample
from nights import at_night

from kproof.errors import InvalidArgument, NetError
from kproof.petri.net.colours import Dot, Enumeration, Integers, Open, Product, Token
from kproof.petri.net.firing import firings
from kproof.petri.net.net import Net, NetBuilder, Transition
from kproof.petri.net.terms import TRUE, Bag, Call, Constant, Everything, Shift, Term, TupleOf
from kproof.petri.spaces.explore import explore
from kproof.petri.spaces.space import Budget
from kproof.proptests.strategies.nets import markings, nets

SURE = settings(
    max_examples=5_000,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


def bags(one: Transition) -> Iterator[Bag]:
    for arcs in (one.takes, one.reads, one.puts):
        yield from arcs.values()


def terms(net: Net) -> Iterator[Term]:
    """Run through the terms on arcs and the parts of tuples."""
    for one in net.transitions:
        for bag in bags(one):
            for _, term in bag.entries:
                yield term
                yield from term.parts if isinstance(term, TupleOf) else ()


def states(net: Net) -> int:
    return explore(net, engine="general", budget=Budget(states=15)).states


FEATURES: dict[str, Callable[[Net], bool]] = {
    "dots": lambda net: any(isinstance(one.colour, Dot) for one in net.places),
    "enumerations": lambda net: any(
        isinstance(one.colour, Enumeration) and not one.colour.cyclic for one in net.places
    ),
    "integers": lambda net: any(isinstance(one.colour, Integers) for one in net.places),
    "products": lambda net: any(isinstance(one.colour, Product) for one in net.places),
    "open colours": lambda net: any(isinstance(one.colour, Open) for one in net.places),
    "open products": lambda net: any(
        isinstance(one.colour, Product) and one.colour.size is None for one in net.places
    ),
    "successors": lambda net: any(isinstance(one, Shift) for one in terms(net)),
    "tuples": lambda net: any(isinstance(one, TupleOf) for one in terms(net)),
    "calls": lambda net: any(isinstance(one, Call) for one in terms(net)),
    "everything": lambda net: any(isinstance(one, Everything) for one in terms(net)),
    "everything in tuples": lambda net: any(
        isinstance(one, TupleOf) and any(isinstance(part, Everything) for part in one.parts)
        for one in terms(net)
    ),
    "coefficients": lambda net: any(
        times > 1 for one in net.transitions for bag in bags(one) for times, _ in bag.entries
    ),
    "differences": lambda net: any(
        times < 0 for one in net.transitions for bag in bags(one) for times, _ in bag.entries
    ),
    "reads beside takes": lambda net: any(
        set(one.takes) & set(one.reads) for one in net.transitions
    ),
    "guards": lambda net: any(one.guard != TRUE for one in net.transitions),
    "choices": lambda net: any(one.choices for one in net.transitions),
    "several tokens": lambda net: any(net.initial.total(place) > 2 for place in net.place),
    "no transition": lambda net: not net.transitions,
    "a transition that is dead at first": lambda net: (
        {one.name for one in net.transitions}
        != {firing.transition for firing, _ in firings(net, net.initial)}
    ),
    "a finite space of many states": lambda net: 5 < states(net) < 15,
    "an unbounded net": lambda net: any(
        all(later[place.name].items() >= net.initial[place.name].items() for place in net.places)
        and any(later.total(place) > net.initial.total(place) for place in net.place)
        for _, later in firings(net, net.initial)
    ),
    "open colours that run away": lambda net: (
        any(one.colour.size is None for one in net.places) and states(net) == 15
    ),
}


def test_each_feature_comes_up_soon():
    missing = set(FEATURES)

    def last(net: Net) -> bool:
        # What has come up need not be looked for in the rest.
        missing.difference_update([feature for feature in missing if FEATURES[feature](net)])
        return not missing

    with suppress(NoSuchExample):
        find(nets(), last, settings=settings(SURE, max_examples=400, phases=[Phase.generate]))
    assert missing == set()


@settings(max_examples=80, deadline=None)
@given(nets(places=2, transitions=3))
def test_sizes_are_kept_and_nets_run(net):
    assert 1 <= len(net.places) <= 2
    assert len(net.transitions) <= 3
    for place in net.places:
        assert all(token in place.colour for token in net.initial[place.name])
    for _, later in firings(net, net.initial):
        assert all(token in net.place[name].colour for name, some in later for token, _ in some)


@settings(max_examples=80, deadline=None)
@given(nets(functions=False))
def test_nets_without_functions_are_data(net):
    assert all(colour.size is not None for colour in net.colours)
    assert not any(one.choices for one in net.transitions)
    assert not any(isinstance(one, Call) for one in terms(net))
    assert "Call(" not in repr(net.transitions)


def without_reads(one: Transition) -> Transition:
    return replace(one, reads={})


def without_guard(one: Transition) -> Transition:
    return replace(one, guard=TRUE)


def without_counts(one: Transition) -> Transition:
    def single(arcs: Mapping[str, Bag]) -> dict[str, Bag]:
        return {
            place: Bag(tuple((max(-1, min(times, 1)), term) for times, term in bag.entries))
            for place, bag in arcs.items()
        }

    return replace(one, takes=single(one.takes))


@cases((without_guard, 0), *at_night((without_reads, 1), (without_counts, 3)))
def test_planted_faults_shrink_to_the_least_net(fault, size):
    """Shrink nets on which the firing rule with a fault finds something else."""

    def wrong(net: Net) -> bool:
        mutant = replace(net, transitions=tuple(map(fault, net.transitions)))
        return list(firings(net, net.initial)) != list(firings(mutant, net.initial))

    least = find(nets(places=3, transitions=2), wrong, settings=SURE)
    assert len(least.places) == len(least.transitions) == 1
    (one,) = least.transitions
    tokens = least.initial.total("P0")
    assert tokens + sum(abs(n) for bag in bags(one) for n, _ in bag.entries) <= size
    assert one.choices == ()
    assert least.places[0].colour == Dot()


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_markings_are_markings(data):
    net = data.draw(nets())
    marking = data.draw(markings(net, tokens=3))
    tokens = {place: Counter(dict(marking[place])) for place in net.place}
    assert marking == type(marking).of(net.places, tokens)
    for place in net.places:
        assert marking.total(place.name) <= 3
        assert all(token in place.colour for token in marking[place.name])
    for _ in firings(net, marking):
        pass


def test_markings_reach_every_token_and_shrink():
    build = NetBuilder("places")
    open_ = Open("Number", lambda token: isinstance(token, int))
    pair = Product("Pair", (Integers("Few", 0, 2), open_))
    build.place("P", pair, Constant((1, 7), pair))
    build.place("Q", open_)
    build.place("R", Open("Word", lambda token: isinstance(token, str)))
    net = build.net()

    def has(token: Token, place: str) -> Callable[[object], bool]:
        return lambda marking: token in marking[place]

    assert str(find(markings(net), lambda _: True, settings=SURE)) == "empty"
    assert str(find(markings(net), has((2, 7), "P"), settings=SURE)) == "P: (2, 7)"
    assert str(find(markings(net), has(7, "Q"), settings=SURE)) == "Q: 7"
    words = markings(net, of={"Word": st.sampled_from(["a", "b"])})
    assert str(find(words, has("b", "R"), settings=SURE)) == "R: b"


@cases(
    (lambda: nets(places=0), "places = 0: need a whole number places >= 1"),
    (lambda: nets(transitions=-1), "transitions = -1: need a whole number transitions >= 0"),
    (lambda: markings(NetBuilder("n").net(), tokens=-1), "tokens = -1: need a whole number"),
)
def test_bad_sizes(call, message):
    with pytest.raises(InvalidArgument, match=message):
        call()


def test_markings_of_other_tokens_are_refused():
    build = NetBuilder("words")
    build.place("R", Open("Word", lambda token: isinstance(token, str)))
    wrong = markings(build.net(), of={"Word": st.just(3)})
    with pytest.raises(NetError, match="colour Word has no token 3"):
        find(wrong, lambda one: bool(one["R"]), settings=SURE)
