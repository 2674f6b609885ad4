"""Nets that forget what is finished end as the nets themselves do, and count it exactly."""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import product

import pytest
from cases import error_line
from hypothesis import given, settings
from hypothesis import strategies as st

from kproof.errors import InvalidArgument, NetError
from kproof.petri.net.colours import Integers, Open, Product
from kproof.petri.net.firing import replay
from kproof.petri.net.net import Choice, Net, NetBuilder
from kproof.petri.net.terms import Bag, Constant, Function, Variable, tuple_of
from kproof.petri.spaces.explore import explore
from kproof.petri.spaces.marks import Forgotten, Looked
from kproof.petri.spaces.space import Budget
from kproof.petri.spaces.stages import Staged, forget
from kproof.petri.spaces.words import words_of

PLACES = {"Work": Staged(0, 1), "Done": Staged(None, None)}

Steps = dict[int, list[tuple[str, int, int]]]
"""For each stage what may be done there: what, to which later item, and with which number."""


def working_net(row: tuple[int, ...], steps: Steps, *, looks_back: int = 0) -> Net:
    """A net over a row of numbers: at its stage it adds to an item, or swaps two, any number of
    times below a limit, and goes on; the last stage may look back."""
    last = len(row) - 1
    stage = Integers("Stage", 0, last)
    rows = Open("Row", lambda token: isinstance(token, tuple))
    work = Product("Work", (stage, rows))
    c, xs, way = Variable("c", stage), Variable("xs", rows), Variable("way", Integers("Way", 0, 9))
    here = tuple_of(c, xs)

    def moved(c: int, xs: tuple[int, ...], way: int) -> tuple[int, ...]:
        kind, other, by = steps[c][way]
        new = list(xs)
        if kind == "add":
            new[c] += by
        else:
            new[c], new[other] = new[other], new[c]
        return tuple(new)

    def ways(c: int, xs: tuple[int, ...]) -> list[int]:
        # Whatever adds is bounded by what is there; a swap is taken only if it raises.
        return [
            at
            for at, (kind, other, _) in enumerate(steps.get(c, []))
            if (xs[c] < 4 if kind == "add" else xs[other] > xs[c])
        ]

    def back(c: int, xs: tuple[int, ...]) -> bool:
        return not looks_back or c < last or xs[last - looks_back] % 2 == 0

    build = NetBuilder("working")
    build.place("Work", work, Constant((0, row), work))
    build.place("Done", rows)
    build.transition(
        "move", takes={"Work": here},
        puts={"Work": tuple_of(c, Function("moved", moved, rows)(c, xs, way))},
        choices=(Choice(way, Function("ways", ways), (c, xs)),),
    )  # fmt: skip
    following = Function("following", lambda c: c + 1, stage)
    build.transition(
        "pass", takes={"Work": here}, puts={"Work": tuple_of(following(c), xs)}, guard=c < last
    )
    build.transition(
        "end", takes={"Work": here}, puts={"Done": xs},
        guard=c.equals(last) & Function("back", back)(c, xs),
    )  # fmt: skip
    return build.net()


def plain_ends(net: Net) -> set[tuple[int, ...]]:
    space = explore(net)
    done = (space.marking(state)["Done"] for state in space.dead.tolist())
    return {row for found in done for row in found}  # type: ignore[misc]


@st.composite
def working_nets(draw: st.DrawFn) -> tuple[Net, int, int]:
    length = draw(st.integers(1, 5))
    row = tuple(draw(st.lists(st.integers(0, 3), min_size=length, max_size=length)))
    steps: Steps = {}
    for at in range(length):
        move = st.one_of(
            st.tuples(st.just("add"), st.just(at), st.integers(1, 2)),
            st.tuples(st.just("swap"), st.integers(at, length - 1), st.just(0)),
        )
        steps[at] = draw(st.lists(move, max_size=2))
    looks_back = draw(st.integers(0, length - 1))
    return working_net(row, steps, looks_back=looks_back), length, looks_back


@given(working_nets())
@settings(max_examples=60, deadline=None)
def test_the_same_rows_come_out(drawn):
    net, length, looks_back = drawn
    found = forget(net, PLACES)
    words = words_of(found)
    wanted = plain_ends(net)
    assert set(words) == wanted
    assert words.count == len(wanted) == len(list(words))
    assert all(word in words for word in wanted)
    assert ((0,) * length in words) is ((0,) * length in wanted)
    assert found.space.states <= explore(net).states
    # What the last stage looks back at is kept until then, and nothing else.
    needed = length - 1 - looks_back
    assert found.kept == (*(min(at, needed) for at in range(length)), length)


@given(working_nets())
@settings(max_examples=60, deadline=None)
def test_letters_and_totals_count_words(drawn):
    words = words_of(forget(drawn[0], PLACES))
    listed = list(words)
    for position in range(words.length if listed else 0):
        assert words.letters(position) == Counter(word[position] for word in listed)
    assert words.totals(lambda at, letter: int(str(letter)) * (at + 1)) == Counter(
        sum(value * (at + 1) for at, value in enumerate(word)) for word in listed
    )
    odd = words.only(lambda at, letter: int(str(letter)) % 2 == 1)
    assert set(odd) == {word for word in listed if all(value % 2 for value in word)}
    assert odd.count == len(list(odd))


def test_drawn_words_are_even():
    steps: Steps = {0: [("add", 0, 1)], 1: [("add", 1, 1)], 2: [("swap", 2, 0)]}
    words = words_of(forget(working_net((1, 2, 3), steps), PLACES))
    drawn = Counter(words.sample(6000, seed=3))
    assert set(drawn) == set(words)
    assert words.sample(50, seed=4) == words.sample(50, seed=4) != words.sample(50, seed=5)
    expected = 6000 / words.count
    assert sum((n - expected) ** 2 / expected for n in drawn.values()) < 40


def test_rows_too_many_to_list_are_counted():
    row = (0,) * 100
    steps: Steps = {at: [("add", at, 1)] for at in range(100)}
    found = forget(working_net(row, steps), PLACES)
    words = words_of(found)
    assert words.count == 5**100
    assert found.space.states == 500 + 1
    (drawn,) = words.sample(1, seed=1)
    assert drawn in words


def test_nothing_drawn_from_nothing():
    # The only item is odd, and the end asks for an even one.
    words = words_of(forget(working_net((1, 1), {}, looks_back=1), PLACES))
    assert (words.count, list(words), words.totals(lambda *_: 1)) == (0, [], {})
    assert "a word to draw; there is none" in error_line(InvalidArgument, words.sample, 1, seed=0)


LOOKING = {
    "compared": lambda item: item == 3,
    "compared with its like": lambda item: item == item,
    "ordered": lambda item: item < 3,
    "indexed": lambda item: item[0],
    "measured": len,
    "gone through": list,
    "asked": bool,
    "added": lambda item: 1 + item,
    "classed": lambda item: isinstance(item, int),
    "read": lambda item: item.real,
    "formatted": "{}".format,
    "counted": lambda item: [1, 2].count(item),
}


@pytest.mark.parametrize("look", LOOKING.values(), ids=LOOKING)
def test_no_look_at_a_forgotten_item_goes_unnoticed(look):
    with pytest.raises(Looked):
        look(Forgotten(2))  # type: ignore[operator]


def looking_net(look: Callable[[int, tuple[int, ...]], tuple[int, ...]]) -> Net:
    """Three items, each of which may be raised by 1; the last stage does as it is told."""
    stage, rows = Integers("Stage", 0, 2), Open("Row", lambda token: isinstance(token, tuple))
    work = Product("Work", (stage, rows))
    c, xs = Variable("c", stage), Variable("xs", rows)
    here, following = tuple_of(c, xs), Function("following", lambda c: c + 1, stage)
    raised = Function("raised", lambda c, xs: (*xs[:c], xs[c] + 1, *xs[c + 1 :]), rows)
    build = NetBuilder("looking")
    build.place("Work", work, Constant((0, (1, 1, 1)), work))
    build.place("Done", rows)
    after = tuple_of(following(c), xs)
    build.transition("leave", takes={"Work": here}, puts={"Work": after}, guard=c < 2)
    after = tuple_of(following(c), raised(c, xs))
    build.transition("raise", takes={"Work": here}, puts={"Work": after}, guard=c < 2)
    end = Function("end", look, rows)(c, xs)
    build.transition("end", takes={"Work": here}, puts={"Done": end}, guard=c.equals(2))
    return build.net()


def test_what_is_seen_without_a_comparison_is_seen():
    """Texts, sets and dictionaries tell items apart, and an item may be overwritten unread."""
    looks: dict[str, Callable[[int, tuple[int, ...]], tuple[int, ...]]] = {
        "a text": lambda c, xs: (*xs[:2], int(str(xs[0]))),
        "a set": lambda c, xs: (*xs[:2], len(set(xs))),
        "a dictionary": lambda c, xs: (*xs[:2], len(dict.fromkeys(xs[:2]))),
        "a hash": lambda c, xs: (*xs[:2], hash(xs[0])),
        "overwritten": lambda c, xs: (7, *xs[1:]),
        "overwritten by its neighbour": lambda c, xs: (xs[1], *xs[1:]),
    }
    for name, look in looks.items():
        net = looking_net(look)
        found = forget(net, PLACES)
        assert set(words_of(found)) == plain_ends(net), name
        assert found.kept[2] == 0, name
    net = looking_net(lambda c, xs: (*xs[:2], 9))
    assert forget(net, PLACES).kept == (0, 1, 2, 3)
    assert set(words_of(forget(net, PLACES))) == plain_ends(net)


def test_a_row_that_is_put_anew_is_seen():
    rows = Open("Row", lambda token: isinstance(token, tuple))
    net = looking_net(lambda c, xs: xs)
    (end,) = (one for one in net.transitions if one.name == "end")
    fixed = replace(end, puts={"Done": Bag.of(Constant((5, 5, 5), rows))})
    net = replace(net, transitions=(*net.transitions[:-1], fixed))
    assert set(words_of(forget(net, PLACES))) == plain_ends(net) == {(5, 5, 5)}


def test_what_is_looked_at_again_is_kept():
    # From the last of six stages the first is read.
    net = working_net((2, 1, 1, 1, 1, 1), {1: [("add", 1, 1)]}, looks_back=5)
    found = forget(net, PLACES)
    assert found.kept == (0, 0, 0, 0, 0, 0, 6)
    assert set(words_of(found)) == plain_ends(net)


def test_arcs_lead_back_to_runs_of_the_net():
    steps: Steps = {0: [("swap", 2, 0)], 1: [("add", 1, 1)], 2: [("add", 2, 2)]}
    net = working_net((0, 1, 3), steps)
    found = forget(net, PLACES)
    for state in range(found.space.states):
        root, arcs = found.space.path(state)
        assert root == 0
        assert found.seal(replay(net, found.plain(arcs))) == found.space.marking(state)


def test_a_part_counts_what_it_reached():
    steps: Steps = {at: [("add", at, 1)] for at in range(4)}
    found = forget(working_net((0, 0, 0, 0), steps), PLACES, budget=Budget(states=12))
    assert not found.full
    assert set(words_of(found)) <= set(product(range(5), repeat=4))


def test_one_row_is_needed():
    build = NetBuilder("two rows")
    row = Open("Row", lambda token: isinstance(token, tuple))
    build.place("Work", row, 2 * Constant((1, 2), row))
    build.place("Other", row)
    with pytest.raises(NetError, match="place Work: has several rows of items"):
        forget(build.net(), {"Work": Staged(None, None)})
    with pytest.raises(NetError, match="has no row of items"):
        forget(build.net(), {"Other": Staged(None, None)})


def test_runs_do_not_depend_on_the_global_generator():
    net = working_net((1, 2, 3), {0: [("swap", 1, 0)]})
    random.seed(1)
    first = random.random()
    random.seed(1)
    forget(net, PLACES)
    assert random.random() == first
