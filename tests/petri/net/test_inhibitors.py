"""Inhibitor arcs: one meaning in the firing rule, both engines, SNAKES, PNML, SMT and pictures."""

from dataclasses import replace

import pytest
from cases import error_line
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from snakes_view import snakes_space

from kproof.errors import NetError
from kproof.petri.drawing.drawing import net_svg
from kproof.petri.logic.smt import unreachable_within
from kproof.petri.net.colours import DOT, Dot, Integers, enumeration
from kproof.petri.net.firing import firings, replay
from kproof.petri.net.marking import Marking
from kproof.petri.net.net import Net, NetBuilder, inhibitor_of
from kproof.petri.net.terms import NOTHING, Bag, Constant, Shift, Variable, everything
from kproof.petri.pnml.read import from_pnml
from kproof.petri.pnml.write import to_pnml
from kproof.petri.snakes.read import from_snakes
from kproof.petri.snakes.write import to_snakes
from kproof.petri.spaces.explore import explore
from kproof.petri.spaces.space import Budget
from kproof.petri.spaces.stages import Staged, forget
from kproof.proptests.strategies.nets import nets

TOKEN = Constant(DOT, Dot())


def counter(least: int = 2) -> Net:
    """Return a net that counts to a bound that only an inhibitor arc sets, and then starts anew."""
    build = NetBuilder("counter")
    build.place("Done", Dot())
    build.place("Idle", Dot(), TOKEN)
    build.transition("up", puts={"Done": TOKEN}, inhibits={"Done": least * TOKEN})
    build.transition("empty", takes={"Done": TOKEN}, reads={"Idle": TOKEN})
    build.transition("rest", takes={"Idle": TOKEN}, inhibits={"Done": TOKEN})
    return build.net()


@st.composite
def inhibited(draw: st.DrawFn, *, plain: bool) -> Net:
    """Draw nets with inhibitor arcs; plain ones have constants on them, others variables too."""
    net = draw(nets(functions=not plain))
    transitions = []
    for one in net.transitions:
        inhibits = {}
        for place in net.places:
            terms = [Constant(token, place.colour) for token in list(place.colour.each())[:2]]
            if not plain:
                terms += [it for it in one.variables if it.of == place.colour]
            if terms and draw(st.integers(0, 2)) == 0:
                inhibits[place.name] = draw(st.integers(1, 3)) * draw(st.sampled_from(terms))
        transitions.append(replace(one, inhibits=inhibits))
    return replace(net, transitions=tuple(transitions))


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(inhibited(plain=False))
def test_engines_follow_the_firing_rule(net):
    for engine in ("general", "packed"):
        try:
            space = explore(net, engine=engine, budget=Budget(states=30))
        except NetError:
            assert engine == "packed"  # more may fire than is unfolded
            continue
        for state in range(space.expanded):
            found = {(firing, space.marking(to)) for firing, to in space.successors(state)}
            assert found == set(firings(net, space.marking(state)))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(inhibited(plain=True))
def test_snakes_and_pnml_keep_them(net):
    def arcs(one: Net, states: int) -> list[tuple[Marking, set[tuple[str, Marking]]]]:
        space = explore(one, engine="general", budget=Budget(states=states))
        return [
            (
                space.marking(at),
                {(firing.transition, space.marking(to)) for firing, to in space.successors(at)},
            )
            for at in range(space.expanded)
        ]

    again = from_pnml(to_pnml(net))
    assert [len(it) for _, it in arcs(again, 25)] == [len(it) for _, it in arcs(net, 25)]
    if any(
        times < 0
        for one in net.transitions
        for place in one.inhibits
        for bags in (one.takes, one.reads)
        for times, _ in bags.get(place, NOTHING).entries
    ):
        assert "both subtracts and inhibits" in error_line(NetError, to_snakes, net)
        return
    space = snakes_space(net, limit=5)
    for state, found in enumerate(space.arcs):
        expected = set(firings(net, space.states[state]))
        assert {(firing, space.states[to]) for firing, to in found} == expected


def test_a_bound_that_nothing_else_sets():
    net = counter()
    for engine in ("general", "packed"):
        space = explore(net, engine=engine)
        # 0, 1 or 2 are done; rest happens at 0 and leads to a place of no return.
        assert (space.engine, space.states, space.arcs) == (engine, 6, 7)
        assert max(space.totals("Done")) == 2
    assert len(snakes_space(net).states) == 6
    # The same state, by a solver that knows the arcs from the unfolding alone.
    assert not unreachable_within(net, 6, {"Done": 3}).witness
    for goal in ({"Done": 2}, None):
        (trace,) = unreachable_within(net, 6, goal).witness
        assert replay(net, trace) == trace.end
        assert trace.end.total("Done") == 2


def test_counts_beyond_a_field_are_no_bar():
    space = explore(counter(9), engine="packed")
    assert max(space.totals("Done")) == 9
    assert explore(counter(9), engine="general").states == space.states == 20


def test_variables_of_inhibitor_arcs():
    ring = enumeration("Ring", "abc", cyclic=True)
    x, y = Variable("x", ring), Variable("y", ring)
    build = NetBuilder("seats")
    build.place("Out", ring, everything(ring))
    build.place("In", ring)
    build.transition("sit", takes={"Out": x}, puts={"In": x}, inhibits={"In": Shift(x, 1)})
    net = build.net()
    # Nobody sits down before somebody who is there: of two, one is after the other, of three none.
    assert explore(net, engine="packed").states == explore(net, engine="general").states == 7
    with pytest.raises(NetError, match=r"^transition late: variable y is on inhibitor arcs only"):
        build.transition("late", takes={"Out": x}, inhibits={"In": y})
    with pytest.raises(NetError, match=r"^transition late, place In: 1 is of colour Few, not Ri"):
        build.transition("late", inhibits={"In": Constant(1, Integers("Few", 0, 1))})
    with pytest.raises(NetError, match=r"^transition sit, place In: an Inhibitor of SNAKES does"):
        to_snakes(net)


def test_forgotten_rows_are_not_asked_for():
    with pytest.raises(NetError, match=r"^transition up: an inhibitor arc from Done, a staged"):
        forget(counter(), {"Done": Staged(None, None)})


def test_snakes_both_ways():
    again = from_snakes(to_snakes(counter()))
    assert again.transition["up"].inhibits == {"Done": 2 * TOKEN}
    assert explore(again).states == 6


def test_pnml_as_tools_write_it():
    text = to_pnml(counter())
    assert text.count('<type value="inhibitor" />') == 2
    again = from_pnml(text)
    assert again == replace(
        counter(),
        transitions=tuple(
            replace(one, takes=one.takes | one.reads, puts=one.puts | one.reads, reads={})
            for one in counter().transitions
        ),
    )
    # Some tools have an attribute instead; several arcs of one place are as the least of them.
    other = text.replace('<type value="inhibitor" />', "").replace("<arc ", '<arc type="normal" ')
    assert not any(one.inhibits for one in from_pnml(other).transitions)
    wrong = text.replace('value="inhibitor"', 'value="reset"', 1)
    with pytest.raises(NetError, match=r"type reset is not supported; arcs are plain or inhibitor"):
        from_pnml(wrong)


PT = """<pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet">
<place id="p"/><transition id="t"/>{arcs}</net></pnml>"""


def test_inhibitor_arcs_in_pnml():
    def arc(number: int, weight: int) -> str:
        return (
            f'<arc id="a{number}" source="p" target="t" type="inhibitor"><inscription>'
            f"<text>{weight}</text></inscription></arc>"
        )

    net = from_pnml(PT.format(arcs=arc(1, 3) + arc(2, 2)))
    assert net.transition["t"].inhibits == {"p": Bag(((2, TOKEN),))}
    seats = enumeration("Seat", "abc")
    one, both = Constant("a", seats), Bag(((2, everything(seats)),))
    assert inhibitor_of([both, Bag.of(one)], seats).tokens({}) == {"a": 1, "b": 2, "c": 2}
    with pytest.raises(NetError, match=r"^several inhibitor arcs, one with variable x"):
        inhibitor_of([both, Bag.of(Variable("x", seats))], seats)
    with pytest.raises(NetError, match=r"an inhibitor arc leads from a place to a transition"):
        from_pnml(PT.format(arcs='<arc id="a" source="t" target="p" type="inhibitor"/>'))


def test_the_picture_marks_them():
    drawn = net_svg(counter())
    assert drawn.count('class="bar"') == 2
    assert "needs fewer than 2" in drawn
