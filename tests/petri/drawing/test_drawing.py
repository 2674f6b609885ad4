"""Drawings: everything is in them once, nothing runs into anything, and hostile names stay text."""

import random
from itertools import combinations, pairwise
from xml.etree import ElementTree as ET

import pytest
from cases import cases
from nights import by_day
from random_nets import random_net
from svg_parts import SVG, fill, outline, parts, styles, texts, tips

from kproof.errors import TooLarge
from kproof.petri.drawing import wording
from kproof.petri.drawing.drawing import MOST_NODES, MOST_STATES, net_svg, space_svg
from kproof.petri.drawing.layered import Arc, Extent, Layout, layer_layout
from kproof.petri.drawing.svg import ON_PAPER
from kproof.petri.net.colours import Dot, Integers, enumeration
from kproof.petri.net.marking import Marking
from kproof.petri.net.net import Net, NetBuilder
from kproof.petri.net.terms import AllOf, Shift, Variable, everything
from kproof.petri.papers.manifest import entry
from kproof.petri.papers.theta_sensitive import theta_publisher
from kproof.petri.spaces.explore import explore
from kproof.petri.spaces.space import Budget

DOT = everything(Dot())


def graph(seed: int) -> tuple[list[Extent], list[Arc], list[int]]:
    """A random graph: loops, arcs both ways and within layers, labels of any width or none."""
    chance = random.Random(seed)
    boxes = [
        Extent(chance.randint(5, 60), chance.randint(5, 60), chance.randint(10, 40))
        for _ in range(chance.randint(1, 14))
    ]
    ranks = [chance.randrange(4) for _ in boxes]
    ranks = [sorted(set(ranks)).index(rank) for rank in ranks]
    labelled = chance.random() < 0.5
    arcs = [
        Arc(
            chance.randrange(len(boxes)),
            chance.randrange(len(boxes)),
            Extent(20, 20, 14) if labelled and chance.random() < 0.8 else None,
        )
        for _ in range(chance.randint(0, 20))
    ]
    return boxes, arcs, ranks


def rooms(boxes: list[Extent], arcs: list[Arc], found: Layout) -> list[tuple[float, ...]]:
    """Left, top, right and bottom of all nodes and labels."""
    placed = list(zip(boxes, found.nodes, strict=True))
    placed += [
        (arc.label, route[len(route) // 2])
        for arc, route in zip(arcs, found.routes, strict=True)
        if arc.label is not None and route
    ]
    return [
        (x - box.left, y - box.height / 2, x + box.right, y + box.height / 2)
        for box, (x, y) in placed
    ]


@pytest.mark.parametrize("seed", range(60))
def test_nothing_overlaps_and_all_is_inside(seed):
    boxes, arcs, ranks = graph(seed)
    found = layer_layout(boxes, arcs, ranks)
    for left, top, right, bottom in rooms(boxes, arcs, found):
        assert left >= -0.11
        assert top >= -0.11
        assert right <= found.width + 0.11
        assert bottom <= found.height + 0.11
    for one, other in combinations(rooms(boxes, arcs, found), 2):
        apart = (
            one[2] < other[0] + 0.2
            or other[2] < one[0] + 0.2
            or one[3] < other[1] + 0.2
            or other[3] < one[1] + 0.2
        )
        assert apart, (one, other)


@pytest.mark.parametrize("seed", range(20))
def test_layers_and_routes(seed):
    boxes, arcs, ranks = graph(seed)
    found = layer_layout(boxes, arcs, ranks)
    heights = sorted({y for _, y in found.nodes})
    assert [heights.index(y) for _, y in found.nodes] == ranks
    for arc, route in zip(arcs, found.routes, strict=True):
        ys = [found.nodes[arc.source][1], *(y for _, y in route), found.nodes[arc.target][1]]
        if ranks[arc.source] == ranks[arc.target]:
            assert len(route) == (arc.source != arc.target)
            assert all(y > ys[0] for _, y in route)
        else:
            steps = [(then > now) for now, then in pairwise(ys)]
            assert set(steps) == {ranks[arc.target] > ranks[arc.source]}
        # A label has a point that it stands at.
        assert bool(route) >= (arc.label is not None and arc.source != arc.target)
    assert found == layer_layout(boxes, arcs, ranks)


def crossings(arcs: list[Arc], found: Layout) -> int:
    """How many pairs of straight segments between neighbouring layers cross."""
    segments = []
    for arc, route in zip(arcs, found.routes, strict=True):
        points = [found.nodes[arc.source], *route, found.nodes[arc.target]]
        segments += [tuple(sorted(pair, key=lambda point: point[1])) for pair in pairwise(points)]
    return sum(
        one[0][1] == other[0][1] and (one[0][0] - other[0][0]) * (one[1][0] - other[1][0]) < 0
        for one, other in combinations(segments, 2)
    )


def test_a_tree_is_drawn_without_crossings():
    chance = random.Random(5)
    parents = [(at - 1) // 3 for at in range(1, 40)]
    names = list(range(40))
    # Numbers that tell nothing of the shape of the tree.
    inner = names[1:]
    chance.shuffle(inner)
    names[1:] = inner
    arcs = [Arc(names[parent], names[at]) for at, parent in enumerate(parents, start=1)]
    ranks = [0] * 40
    for arc in arcs:
        ranks[arc.target] = ranks[arc.source] + 1
    assert crossings(arcs, layer_layout([Extent(5, 5, 10)] * 40, arcs, ranks)) == 0


def test_crossings_are_taken_out():
    # Two rows joined in opposite order: every pair of arcs crosses as they are numbered.
    arcs = [Arc(at, 11 - at) for at in range(6)]
    found = layer_layout([Extent(5, 5, 10)] * 12, arcs, [0] * 6 + [1] * 6)
    assert crossings(arcs, found) == 0
    assert all(found.nodes[arc.source][0] == found.nodes[arc.target][0] for arc in arcs)


def parsed(drawing: str) -> ET.Element:
    root = ET.fromstring(drawing)
    assert root.tag == f"{SVG}svg"
    assert root.get("role") == "img"
    return root


NAMES = ("table-1a by moves", "table-1a by rules", "table-1a as printed", "base model, table-4a")


@pytest.mark.parametrize("name", NAMES)
def test_the_nets_of_the_paper(name):
    net = entry(name).build().net
    root = parsed(net_svg(net))
    shown = texts(root)
    for one in (*net.places, *net.transitions):
        assert one.name in shown
    assert len(parts(root, "place")) == len(net.places)
    assert len(parts(root, "transition")) == len(net.transitions)
    # A tip for each node and for each pair of place and transition that are joined.
    joined = sum(len({*one.takes, *one.puts, *one.reads}) for one in net.transitions)
    assert len(parts(root, "arc")) == joined
    assert len(tips(root)) == len(net.places) + len(net.transitions) + joined


@pytest.mark.parametrize("seed", range(by_day(15, at_night=40)))
def test_any_net_is_drawn_within_its_frame(seed):
    net = random_net(seed)
    drawing = net_svg(net)
    assert drawing == net_svg(net)
    root = parsed(drawing)
    left, top, wide, high = map(float, (root.get("viewBox") or "").split())
    for one in root.iter(f"{SVG}text"):
        x, y = float(one.get("x", "")), float(one.get("y", ""))
        assert left <= x <= left + wide
        assert top <= y <= top + high
    for path in root.iter(f"{SVG}path"):
        for x, y in outline(path):
            assert left <= x <= left + wide
            assert top <= y <= top + high


def kinds() -> Net:
    """A net with an arc of every kind: one way, there and back, changed on the way, read."""
    seats = enumeration("Seat", ["a", "b"], cyclic=True)
    x = Variable("x", seats)
    build = NetBuilder("kinds")
    build.place("In", seats, everything(seats))
    build.place("Out", seats)
    build.place("Fuel", Dot(), 4 * DOT)
    build.transition(
        "go", takes={"In": x, "Fuel": 2 * DOT}, puts={"Out": x, "Fuel": DOT}, guard=x.equals("a")
    )
    build.transition("turn", takes={"Out": x}, puts={"Out": Shift(x, 1)}, reads={"In": x})
    build.transition("rest", takes={"Out": x}, puts={"Out": x})
    return build.net()


def test_what_stands_on_arcs():
    root = parsed(net_svg(kinds()))
    shown = texts(root)
    assert shown.count("x+1") == 0
    assert "+x+1" in shown
    assert "−x" in shown
    assert "−2" in shown
    assert "[x == a]" in shown
    assert "a, b" in shown
    told = tips(root)
    assert "Fuel and go: takes 2·all(dot), puts all(dot)" in told
    assert "In and turn: reads x" in told
    looks = [list(styles(arc)) for arc in parts(root, "arc")]
    (dashed,) = (look for look in looks if any("stroke-dasharray" in path for path in look))
    # Heads: In-go 1, Fuel-go 2, go-Out 1, Out-turn 2, Out-rest 2; what is read has none.
    heads = [sum(path["fill"] != "none" for path in look) for look in looks]
    assert sorted(heads) == [0, 1, 1, 2, 2, 2]
    assert heads[looks.index(dashed)] == 0


def test_tokens_are_dots_up_to_five():
    for count, dots, shown in ((0, 0, []), (1, 1, []), (5, 5, []), (6, 0, ["6"])):
        build = NetBuilder("tokens")
        build.place("P", Dot(), count * DOT)
        root = parsed(net_svg(build.net()))
        assert len(parts(root, "place")) == 1
        assert len(parts(root, "token")) == dots
        assert sorted(texts(root)) == [*shown, "P"]


@cases(
    "<script>alert('x')</script>&\"\x00\x1b",
    "</text></svg><img src=x>",
    "]]>&lt;![CDATA[",
    r"$\frac{1}{0}$ and $",
    "数据 🔒 שלום \ufdd0\ue000",
    "javascript:alert(1)",
)
def test_hostile_names_stay_text(name):
    build = NetBuilder(name)
    build.place(name, enumeration(name, [name]), everything(enumeration(name, [name])))
    build.transition(name, takes={name: Variable("x", enumeration(name, [name]))})
    plain = name.replace("\x00", "\ufffd").replace("\x1b", "\ufffd")
    for drawing in (net_svg(build.net()), space_svg(explore(build.net()))):
        root = parsed(drawing)
        assert not {one.tag for one in root.iter()} - {
            f"{SVG}{tag}" for tag in ("svg", "g", "path", "text", "title", "style")
        }
        # The one style sheet is fixed: nothing of a name gets into it.
        assert [one.text for one in root.iter(f"{SVG}style")] == [ON_PAPER]
        assert plain in texts(root)
        assert any(plain in tip for tip in tips(root))
        assert plain in (root.get("aria-label") or "")
        assert "<script" not in drawing
        assert "\x00" not in drawing


def test_a_net_without_anything():
    parsed(net_svg(NetBuilder("nothing").net()))
    parsed(space_svg(explore(NetBuilder("nothing").net())))


def test_what_is_too_large():
    build = NetBuilder("many")
    for number in range(MOST_NODES + 1):
        build.place(f"P{number}", Dot())
    with pytest.raises(TooLarge, match=f"{MOST_NODES + 1} places and transitions"):
        net_svg(build.net())
    count = NetBuilder("count")
    count.place("P", Dot())
    count.transition("up", puts={"P": DOT})
    many = explore(count.net(), budget=Budget(states=MOST_STATES + 1))
    with pytest.raises(TooLarge, match=f"{MOST_STATES + 1} states"):
        space_svg(many)


def test_a_state_space():
    space = entry("table-4b by moves").build().explore()
    root = parsed(space_svg(space))
    states = parts(root, "state")
    assert len(states) == space.states
    assert len(parts(root, "initial")) == 1
    assert sum(fill(one) == "#d3dbe4" for one in states) == len(space.dead) == 16
    shown = texts(root)
    assert [one for one in shown if one.isdigit()] == [str(at) for at in range(space.states)]
    assert [one for one in shown if not one.isdigit()] == ["pass", "publish", "swap", "cross swap"]
    assert len(parts(root, "arc")) == space.arcs
    assert sum(one.startswith("state ") for one in tips(root)) == space.states
    assert len(tips(root)) == space.states + space.arcs


def test_a_small_space_has_names_on_its_arcs_and_loops():
    build = NetBuilder("switch")
    build.place("On", Dot(), DOT)
    build.place("Off", Dot())
    build.transition("off", takes={"On": DOT}, puts={"Off": DOT})
    build.transition("on", takes={"Off": DOT}, puts={"On": DOT})
    build.transition("stay", takes={"On": DOT}, puts={"On": DOT})
    shown = texts(parsed(space_svg(explore(build.net()))))
    # Once on an arc and once in the legend; a loop has no room for its name.
    assert [shown.count(name) for name in ("off", "on", "stay")] == [2, 2, 1]


def test_states_that_were_not_expanded_are_dashed():
    space = explore(entry("table-1a by moves").build().net, budget=Budget(states=30))
    states = parts(parsed(space_svg(space)), "state")
    dashed = [one for one in states if any("stroke-dasharray" in look for look in styles(one))]
    assert len(dashed) == space.states - space.expanded > 0


def test_words_for_tokens():
    publisher = theta_publisher([["a", "a"], ["b", "c"]], k=2, tokens="records")
    ecs = publisher.formed.tokens("records")[2]
    assert wording.token_words(ecs) == "[0:a, 1:a | 2:b, 3:c]"
    assert wording.token_words((0, ecs)) == "(0, [0:a, 1:a | 2:b, 3:c])"
    assert wording.token_words(()) == "()"
    assert wording.token_words((("a", 1), ("b", 2))) == "((a, 1), (b, 2))"
    assert wording.marking(Marking(())) == "empty"
    assert wording.shorten("abcdef", 4) == "abc…"


def test_long_guards_are_whole_and_broken_before_and():
    colour = Integers("Number", 0, 9)
    names = [Variable(f"a_long_name_{at}", colour) for at in range(6)]

    def drawn(guard: AllOf) -> ET.Element:
        build = NetBuilder("guarded")
        build.place("from", colour)
        build.transition("go", takes={"from": names[0]}, guard=guard)
        return ET.fromstring(net_svg(build.net()))

    lines = texts(drawn(AllOf(tuple(one < 7 for one in names))))
    assert "[a_long_name_0 < 7" in lines
    assert "and a_long_name_5 < 7]" in lines
    # Of a very long one the end is cut, and the tip has it.
    svg = drawn(AllOf(tuple(one < number for one in names for number in range(1, 5))))
    assert any(line.endswith("…") for line in texts(svg))
    assert any("a_long_name_5 < 4" in tip for tip in tips(svg))


def test_layers_stand_further_apart_where_arcs_go_far_aside():
    box = Extent(40, 40, 20)
    near = layer_layout([box] * 2, [Arc(0, 1)], [0, 1])
    far = layer_layout([box] * 13, [Arc(0, leaf) for leaf in range(1, 13)], [0] + [1] * 12)
    assert [found.nodes[1][1] - found.nodes[0][1] for found in (near, far)] == [42, 90]
    assert far.height == far.nodes[1][1] + 10


def test_a_file_fits_the_page_it_is_printed_on():
    root = ET.fromstring(net_svg(theta_publisher([["HIV", "Flu"]], k=2).net()))
    # Inside an HTML page the root is another element, so that the page is not touched.
    assert [one.text for one in root.iter(f"{SVG}style")] == [ON_PAPER]
    assert ON_PAPER.startswith("@media print { svg:root { min-width: 0 !important;")
    assert "min-width" in (root.get("style") or "")
