"""Nets and small state spaces as SVG.

Places are circles with their tokens, transitions boxes with their guards and choices. What is read
goes along a dashed line, what is taken and put back along a line with two heads. A text that is
shortened is whole in the tip that a browser shows. The same net gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import cycle
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.patches import Circle

from kproof.errors import TooLarge
from kproof.petri.drawing import wording
from kproof.petri.drawing.layered import Arc, Extent, layer_layout
from kproof.petri.drawing.svg import INK, Line, Point, Shapes, box_of
from kproof.petri.drawing.wording import shorten
from kproof.petri.net.colours import Dot
from kproof.petri.net.marking import Place
from kproof.petri.net.net import Net, Transition
from kproof.petri.net.terms import TRUE, Bag
from kproof.pictures import style

if TYPE_CHECKING:
    from kproof.petri.spaces.space import StateSpace

MOST_STATES = 600
"""States of the largest space that is drawn."""
MOST_NODES = 400
"""Places and transitions of the largest net that is drawn."""
_LABELLED = 40
"""Arcs of the largest space whose arcs carry the names of transitions."""

_PLACE, _STATE = 18.0, 12.0
_LONGEST = 34
_MOST_LINES = 8
_TIED = "\N{NO-BREAK SPACE}"
_COLOURS = ("#1f5fa8", "#c2372b", "#0f7b5f", "#b8720a", "#2a8ca0", "#8b3fa0", "#7a5c3e", "#566270")
_DASHES = ("-", (0, (7, 3)), (0, (2, 2.5)), (0, (9, 3, 2, 3)))
# Neighbours differ in both, so that up to four transitions are told apart without colours.
_LOOKS = tuple((_DASHES[(number + number // 8) % 4], _COLOURS[number % 8]) for number in range(32))


@style("net")
def net_svg(net: Net, *, title: str | None = None) -> str:
    """Return a drawing of a net of up to :data:`MOST_NODES` places and transitions.

    It is an ``<svg>`` element of its natural size, in which what stands for a place, a transition,
    a token or an arc is a group of that class. A screen reader says the title, by default the net's
    name.

    Raises:
        TooLarge: If the net has more places and transitions.

    >>> from kproof.petri.net.net import NetBuilder
    >>> from kproof.petri.net.terms import everything
    >>> build = NetBuilder("countdown")
    >>> build.place("left", Dot(), 3 * everything(Dot()))
    >>> build.transition("tick", takes={"left": everything(Dot())})
    >>> net_svg(build.net()).count('class="token"')
    3
    """
    nodes = len(net.places) + len(net.transitions)
    if nodes > MOST_NODES:
        raise TooLarge(
            f"net {net.name} has {nodes} places and transitions: a drawing takes up to {MOST_NODES}"
        )
    at_place = {place.name: number for number, place in enumerate(net.places)}
    captions = [_caption(net, place) for place in net.places]
    insides = [_inside(transition) for transition in net.transitions]
    texts = [box_of(lines, padding=0) for lines in captions]
    boxes = [
        Extent(_PLACE, _PLACE + 7 + 2 * text.right, max(2 * _PLACE, text.height)) for text in texts
    ]
    boxes += [box_of(lines, padding=9) for lines in insides]
    joins = [
        (at_place[place], len(captions) + number, t, place, barred)
        for number, t in enumerate(net.transitions)
        for barred, places in ((False, (*t.takes, *t.reads, *t.puts)), (True, t.inhibits))
        for place in dict.fromkeys(places)
    ]
    labels = [
        _bag_lines(net.place[place], [("", transition.inhibits[place])])
        if barred
        else _inscription(net.place[place], transition)
        for _, _, transition, place, barred in joins
    ]
    arcs = []
    for (circle, box, transition, place, barred), lines in zip(joins, labels, strict=True):
        to_it = barred or place in transition.takes or place in transition.reads
        ends = (circle, box) if to_it else (box, circle)
        arcs.append(Arc(*ends, box_of(lines, padding=3) if lines else None))
    layout = layer_layout(boxes, arcs, _turns(net))
    radii: list[float | None] = [_PLACE] * len(captions) + [None] * len(insides)
    shapes = Shapes(layout, boxes, radii, arcs)
    for number, (_, _, transition, place, barred) in enumerate(joins):
        if barred:
            tip = f"{place} and {transition.name}: needs fewer than {transition.inhibits[place]}"
            shapes.arc(number, labels[number], tip, heads="-o")
            continue
        only_read = place not in transition.takes and place not in transition.puts
        two_way = place in transition.takes and place in transition.puts
        shapes.arc(
            number,
            labels[number],
            f"{place} and {transition.name}: {_whole(transition, place)}",
            heads="-" if only_read else "<|-|>" if two_way else "-|>",
            ls=(0, (4, 3)) if only_read else "-",
        )
    for number, (net_place, lines) in enumerate(zip(net.places, captions, strict=True)):
        _draw_place(shapes, net, net_place, lines, number, layout.nodes[number])
    for number, transition in enumerate(net.transitions, start=len(captions)):
        shapes.rectangle(number, "transition", _about(transition))
        shapes.text(insides[number - len(captions)], layout.nodes[number])
    return shapes.to_svg(title or f"net {net.name}")


@style("space")
def space_svg(space: StateSpace, *, title: str | None = None) -> str:
    """Return a drawing of a state space of up to :data:`MOST_STATES` states, with its arcs.

    States are numbered circles: the initial ones with a double edge, those in which nothing can
    fire filled, those of a partial space that were not expanded dashed.

    Raises:
        TooLarge: If it has more states.
    """
    if space.states > MOST_STATES:
        raise TooLarge(
            f"the state space has {space.states} states: a drawing takes up to {MOST_STATES}"
        )
    firings = [space.firing(arc) for arc in range(space.arcs)]
    labelled = space.arcs <= _LABELLED
    boxes = [Extent(_STATE, _STATE, 2 * _STATE)] * space.states
    labels = [(Line.cut(firing.transition, "s", _LONGEST),) for firing in firings]
    arcs = [
        Arc(int(source), int(target), box_of(lines, padding=3) if labelled else None)
        for source, target, lines in zip(space.sources, space.targets, labels, strict=True)
    ]
    depth: list[int] = []
    # A parent's number is smaller than its child's, as breadth-first search met it before.
    for arc in space.parents.tolist():
        depth.append(0 if arc < 0 else depth[space.source(arc)] + 1)
    layout = layer_layout(boxes, arcs, depth, across=8, down=16 if labelled else 44)
    shapes = Shapes(layout, boxes, [_STATE] * space.states, arcs)
    looks: dict[str, dict[str, Any]] = {
        transition.name: {"color": colour, "ls": dashes}
        for transition, (dashes, colour) in zip(space.net.transitions, cycle(_LOOKS), strict=False)
    }
    for number, firing in enumerate(firings):
        shapes.arc(number, labels[number], str(firing), **looks[firing.transition])
    ends, roots = set(space.dead.tolist()), set(space.roots.tolist())
    for state, point in enumerate(layout.nodes):
        shapes.circle(
            state,
            "state",
            f"state {state}: {wording.marking(space.marking(state))}",
            fc="#d3dbe4" if state in ends else "w",
            ec=INK,
            ls=(0, (3, 2)) if state >= space.expanded else "-",
        )
        if state in roots:
            shapes.circle(state, "initial", radius=_STATE - 3, fc="none", ec=INK)
        shapes.text((Line(str(state), "c"),), point)
    occurring = {firing.transition for firing in firings}
    shapes.legend([(name, look) for name, look in looks.items() if name in occurring])
    return shapes.to_svg(title or f"state space of net {space.net.name}")


def _turns(net: Net) -> list[int]:
    """Return when each place can first have a token and each transition first fire.

    As if nothing were ever taken away; what then never happens begins at the start.
    """
    places = {name: 0 for name, _ in net.initial}
    transitions: dict[str, int] = {}
    turn = 0
    while len(places) + len(transitions) < len(net.places) + len(net.transitions):
        able = [
            t
            for t in net.transitions
            if t.name not in transitions and all(name in places for name in (*t.takes, *t.reads))
        ]
        for t in able:
            transitions[t.name] = turn + 1
        turn += 2
        for t in able:
            for name in t.puts:
                places.setdefault(name, turn)
        if not able:
            # There is such a place: if all had a token, every transition that is left would be
            # able.
            missing = next(place.name for place in net.places if place.name not in places)
            places[missing] = turn = 0
    return [places[place.name] for place in net.places] + [
        transitions[t.name] for t in net.transitions
    ]


def _inscription(place: Place, t: Transition) -> tuple[Line, ...]:
    """Return what stands on the arc of a place and a transition; nothing for one plain token."""
    takes, puts, reads = (bags.get(place.name) for bags in (t.takes, t.puts, t.reads))
    if takes == puts:
        puts = None
    return _bag_lines(
        place, [("−" if puts else "", takes), ("+" if takes else "", puts), ("", reads)]
    )


def _bag_lines(place: Place, marked: Iterable[tuple[str, Bag | None]]) -> tuple[Line, ...]:
    """Return bags with their signs, one plain token left out."""
    lines = []
    for sign, bag in marked:
        if bag is not None:
            text = str(bag)
            if isinstance(place.colour, Dot):
                # Whatever a term is made of, it stands for the one token that there is.
                count = sum(times for times, _ in bag.entries)
                text = "" if count == 1 else str(count)
            if text:
                lines.append(Line.cut(f"{sign}{text}", "m", _LONGEST))
    return tuple(lines)


def _whole(t: Transition, place: str) -> str:
    """Return everything that stands on an arc."""
    parts = (("takes", t.takes), ("puts", t.puts), ("reads", t.reads))
    return ", ".join(f"{verb} {bags[place]}" for verb, bags in parts if place in bags)


def _caption(net: Net, place: Place) -> tuple[Line, ...]:
    """Return what stands beside a place."""
    lines = [Line.cut(place.name, "n", _LONGEST)]
    if not isinstance(place.colour, Dot):
        lines.append(Line.cut(place.colour.name, "s", _LONGEST))
        if tokens := dict(net.initial).get(place.name):
            lines.append(Line.cut(wording.multiset(tokens), "m", _LONGEST))
    return tuple(lines)


def _inside(t: Transition) -> tuple[Line, ...]:
    """Return what stands in the box of a transition."""
    lines = [Line.cut(t.name, "n", _LONGEST)]
    conditions = [*([f"[{t.guard}]"] if t.guard != TRUE else []), *map(str, t.choices)]
    for text in conditions:
        lines += [Line(line, "m") for line in _wrap(text)]
    return tuple(lines)


def _wrap(text: str) -> list[str]:
    """Return a condition on lines of its own, broken before "and" where it is long."""
    # Blanks within a part are tied, so that a line breaks before "and" and nowhere else.
    parts = (" ".join(part.split()).replace(" ", _TIED) for part in text.split(" and "))
    wrapped = wrap(f" and{_TIED}".join(parts), _LONGEST, break_on_hyphens=False)
    lines = [line.replace(_TIED, " ") for line in wrapped]
    if len(lines) > _MOST_LINES:
        tail = " ".join(lines[_MOST_LINES - 1 :])
        lines = [*lines[: _MOST_LINES - 1], shorten(tail, _LONGEST)]
    return lines


def _about(t: Transition) -> str:
    parts = [t.name, t.note, "" if t.guard == TRUE else f"if {t.guard}"]
    return "; ".join(part for part in (*parts, *map(str, t.choices)) if part)


def _draw_place(
    shapes: Shapes, net: Net, place: Place, lines: Sequence[Line], node: int, point: Point
) -> None:
    tokens = dict(net.initial).get(place.name, ())
    count = sum(n for _, n in tokens)
    about = [place.name, place.note, place.colour.name, wording.multiset(tokens, most=20)]
    tip = "; ".join(part for part in about if part)
    shapes.circle(node, "place", tip, ec="#1f5fa8")
    x, y = point
    if isinstance(place.colour, Dot) and count <= 5:
        for angle in range(count):
            turn = 2 * np.pi * angle / count
            far = 0 if count == 1 else 8
            spot = (x + far * float(np.sin(turn)), y - far * float(np.cos(turn)))
            shapes.add(Circle(spot, 3.4, fc=INK, zorder=4), "token")
    elif count:
        shapes.text((Line(str(count), "c"),), point)
    shapes.text(lines, (x + _PLACE + 7, y), left=True, covering=True)
