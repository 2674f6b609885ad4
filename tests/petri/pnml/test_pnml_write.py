import os
from functools import lru_cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from cases import error_line
from hypothesis import given, settings
from hypothesis import strategies as st
from pnml_texts import (
    GRAMMAR,
    NAMESPACE,
    access_rights,
    broadcast,
    counted,
    peterson,
    shared_memory,
    token_ring,
)
from public_data import data_file

from kproof.errors import DataError, KProofError, NetError
from kproof.petri.net.colours import DOT, Dot, Enumeration, Integers, Open, Product, enumeration
from kproof.petri.net.definitions import defined
from kproof.petri.net.firing import firings
from kproof.petri.net.marking import Marking
from kproof.petri.net.net import Choice, Net, NetBuilder
from kproof.petri.net.terms import (
    TRUE,
    AllOf,
    AnyOf,
    Bag,
    Condition,
    Constant,
    Function,
    Negation,
    Shift,
    Term,
    TermComparison,
    Variable,
    everything,
    tuple_of,
)
from kproof.petri.papers.p_plus_sensitive import p_plus_publisher
from kproof.petri.papers.theta_sensitive import theta_publisher
from kproof.petri.pnml.read import from_pnml, read_pnml
from kproof.petri.pnml.write import to_pnml, write_pnml

IN = f"{{{NAMESPACE}}}"


def kind(text: str) -> str:
    net = ET.fromstring(text).find(f"{IN}net")
    assert net is not None
    return net.attrib["type"].removeprefix(GRAMMAR)


@lru_cache
def schema(kind: str) -> Any:
    """Return the official grammar, whose parts lie beside one another."""
    from lxml import etree

    folder = Path(os.environ["KPROOF_DATA"]) / "pnml-grammar"
    return etree.RelaxNG(etree.parse(folder / f"{kind}.pntd", etree.XMLParser(no_network=True)))


def grammar_there() -> bool:
    return (Path(os.environ.get("KPROOF_DATA", "")) / "pnml-grammar" / "ptnet.pntd").exists()


def assert_valid(text: str) -> None:
    from lxml import etree

    grammar = schema(kind(text))
    assert grammar.validate(etree.fromstring(text.encode())), grammar.error_log


needs_grammar = pytest.mark.skipif(
    not grammar_there(), reason="set KPROOF_DATA to a folder with the PNML grammar"
)


def mixed() -> Net:
    """Return a net with every kind of finite colour, term, condition and arc."""
    seats = enumeration("Seat", [1, 2, 3, 4, 5], cyclic=True)
    mood = enumeration("Mood", ["calm", "<angry> & 'loud'"])
    level = Integers("Level", -1, 2)
    pair = Product("Seat and level", (seats, level))
    nested = Product("Nested", (pair, mood))
    x, y = Variable("x", seats), Variable("y", seats)
    m, n, dot = Variable("m", mood), Variable("level of x", level), Constant(DOT, Dot())
    angry = Constant("<angry> & 'loud'", mood)
    build = NetBuilder("a net, mixed")
    build.place("free", seats, everything(seats))
    build.place("at", pair)
    build.place("in", nested, tuple_of(tuple_of(Constant(2, seats), Constant(-1, level)), angry))
    build.place("count", Dot(), 3 * dot)
    build.place("mood", mood, 2 * everything(mood) - Constant("calm", mood))
    build.transition(
        "sit",
        takes={"free": x + Shift(x, 1), "count": 2 * dot},
        reads={"free": Shift(x, -2), "mood": m},
        puts={"at": tuple_of(x, n), "count": 2 * dot},
        guard=(m.equals("calm") & (n > -1) & ~(x >= 4)) | (x.differs(1) & n.equals(2)),
    )
    build.transition(
        "stand",
        takes={"at": tuple_of(x, n)},
        puts={"free": x + Shift(Shift(x, 3), 3), "in": Bag(((0, tuple_of(tuple_of(x, n), m)),))},
        guard=AllOf((n < 2, n <= 1, TermComparison("!=", Constant(0, level), n))),
    )
    build.transition(
        "all at once",
        takes={"free": everything(seats) - x, "in": tuple_of(tuple_of(y, n), m)},
        puts={"at": tuple_of(everything(seats), n), "mood": everything(mood) - m},
        guard=AnyOf(),
    )
    build.transition("last", takes={"mood": 3 * angry - 2 * angry}, puts={"mood": Bag()})
    return build.net()


MODELS = {
    "token ring": lambda: from_pnml(token_ring(3)),
    "shared memory": lambda: from_pnml(shared_memory(3)),
    "peterson": lambda: from_pnml(peterson(1)),
    "broadcast": lambda: from_pnml(broadcast(3)),
    "access rights": lambda: from_pnml(access_rights()),
    "mixed": mixed,
}


@pytest.mark.parametrize("name", MODELS)
def test_what_is_read_back_runs_the_same(name):
    net = MODELS[name]()
    text = to_pnml(net)
    again = from_pnml(text)
    assert kind(text) == "symmetricnet"
    assert counted(again) == counted(net)
    assert counted(net)[0] > 10
    assert again.name == net.name
    assert [one.name for one in again.places] == [one.name for one in net.places]


@pytest.mark.parametrize("name", ["token ring", "shared memory", "broadcast"])
def test_what_is_read_back_is_equal(name):
    net = MODELS[name]()  # tokens are strings already
    assert from_pnml(to_pnml(net)) == net


@needs_grammar
@pytest.mark.parametrize("name", MODELS)
def test_exports_are_valid(name):
    assert_valid(to_pnml(MODELS[name]()))


@needs_grammar
@pytest.mark.parametrize(
    # Not access rights: libxml2 finds no partition valid, not even the example of the standard.
    "text",
    [token_ring(3), shared_memory(3), peterson(1), broadcast(3)],
)
def test_the_documents_of_these_tests_are_valid(text):
    assert_valid(text)


@needs_grammar
@pytest.mark.parametrize("name", ["Philosophers-COL-000005", "Referendum-COL-0010"])
def test_published_models_come_back_equal(name):
    net = read_pnml(data_file(f"mcc/{name}/model.pnml"))
    text = to_pnml(net)
    assert from_pnml(text) == net
    assert_valid(text)


def test_numbers_are_of_the_sort_they_belong_to():
    sorts = {
        (int(one.attrib["value"]) > 0, one[0].tag.removeprefix(IN))
        for one in ET.fromstring(to_pnml(mixed())).iter(f"{IN}numberconstant")
    }
    assert sorts == {(True, "positive"), (False, "natural")}


def plain() -> NetBuilder:
    dot = Constant(DOT, Dot())
    build = NetBuilder("plain")
    build.place("p", Dot(), 5 * dot)
    build.place("q", Dot())
    build.transition("t", takes={"p": 2 * dot}, reads={"p": everything(Dot())}, puts={"q": dot})
    return build


def test_plain_nets_are_written_as_plain_nets():
    net = plain().net()
    text = to_pnml(net)
    assert kind(text) == "ptnet"
    assert {
        (arc.attrib["source"], arc.attrib["target"]): arc.findtext(f"{IN}inscription/{IN}text")
        for arc in ET.fromstring(text).iter(f"{IN}arc")
    } == {("p", "t"): "3", ("t", "p"): "1", ("t", "q"): "1"}
    assert counted(from_pnml(text)) == counted(net) == (3, 2)


def test_what_a_plain_net_cannot_say_makes_it_a_symmetric_net():
    x, dot = Variable("x", Dot()), Constant(DOT, Dot())
    c = Variable("c", enumeration("C", ["a", "b"]))
    for takes, guard in (
        ({"p": dot}, TermComparison("==", c, c)),  # fires twice
        ({"p": x}, TRUE),
        ({"p": Bag(((0, dot),))}, TRUE),
        ({"p": 2 * dot - dot}, TRUE),
        ({"p": dot}, AnyOf()),
    ):
        build = plain()
        build.transition("u", takes=takes, guard=guard)
        net = build.net()
        assert kind(to_pnml(net)) == "symmetricnet"
        assert counted(from_pnml(to_pnml(net))) == counted(net)


@needs_grammar
def test_plain_exports_are_valid():
    assert_valid(to_pnml(plain().net()))
    dot = Constant(DOT, Dot())
    build = plain()
    build.transition("u", takes={"p": Bag(((0, dot),)), "q": 2 * dot - dot})
    assert_valid(to_pnml(build.net()))


def with_functions() -> Net:
    """Return a net with functions as terms, conditions and choices, and an open colour."""
    words = Open("words", lambda token: isinstance(token, str))
    small = Integers("n", 0, 3)
    either = Product("n and words", (small, words))
    w, v, n = Variable("w", words), Variable("v", words), Variable("n", small)
    shout = Function("shout", str.upper, words, note="in capitals")
    letters = Function("letters", lambda word: sorted(set(word)))
    long = Function("long", lambda word: len(word) > 2)
    size = Function("size", lambda word: min(len(word), 3), small)
    build = NetBuilder("functions")
    build.place("said", words, 2 * Constant("a\x00b", words) + Constant("abc", words))
    build.place("heard", either, tuple_of(Constant(1, small), Constant("abc", words)))
    build.transition(
        "say",
        takes={"said": w},
        puts={"heard": tuple_of(size(w), shout(w)) + tuple_of(n, v)},
        guard=long(w) & size(w).equals(n) & Negation(long(v)) & letters(w),
        choices=(Choice(v, letters, (w,)),),
    )
    return build.net()


def test_functions_are_declared_with_their_signatures():
    text = to_pnml(with_functions())
    assert kind(text) == "highlevelnet"
    root = ET.fromstring(text)
    found = sorted(
        [one.attrib["name"]]
        + [sort.get("declaration") or sort.tag.removeprefix(IN) for each in one for sort in each]
        for one in root.iter(f"{IN}arbitraryoperator")
    )
    assert found == [
        ["abc", "words"],
        ["a\ufffdb", "words"],
        ["letters", "words", "bool"],
        ["letters", "words", "multisetsort"],
        ["long", "words", "bool"],
        ["shout", "words", "words"],
        ["size", "words", "n"],
    ]
    (condition,) = root.iter(f"{IN}condition")
    assert (condition.findtext(f"{IN}text") or "").startswith("v ∈ letters(w) and ")
    both = condition.find(f"{IN}structure/{IN}and")
    assert both is not None
    assert [one[0].tag.removeprefix(IN) for one in both] == ["contains", "and"]
    notes = root.findtext(f"{IN}net/{IN}declaration/{IN}text") or ""
    assert "shout(words): in capitals" in notes.splitlines()


def test_functions_are_not_read_back():
    with pytest.raises(NetError, match=r"arbitrarysort words \(line \d+\): not supported, for its"):
        from_pnml(to_pnml(with_functions()))


@needs_grammar
def test_functions_by_terms_are_valid():
    seat = enumeration("Seat", "abc", cyclic=True)
    x, y = Variable("x", seat), Variable("y", seat)
    beside = defined("beside", [x, y], y.equals(Shift(x, 1)) | x.equals(Shift(y, 1)))
    build = NetBuilder("seats")
    build.place("P", seat, everything(seat))
    build.transition("sit", takes={"P": x + y}, guard=beside(x, y) & defined("no", [], ~TRUE)())
    text = to_pnml(build.net())
    assert kind(text) == "symmetricnet"
    assert_valid(text)


TABLE = [["a", "a", "b"], ["b", "c", "c"]]


@needs_grammar
def test_exports_with_functions_are_valid():
    for net in [
        with_functions(),
        theta_publisher(TABLE, k=3).net(),
        theta_publisher(TABLE, k=3, cut="rules").net(),
        p_plus_publisher(TABLE, p=2, k=3, categories={"a": 1, "b": 1, "c": 2}).net(),
    ]:
        text = to_pnml(net)
        assert kind(text) == "highlevelnet"
        assert_valid(text)


def test_ids_are_unique_and_keep_names_where_they_can():
    c = enumeration("C", [1, "1", "C.1", "\x01", "ä", ""])
    build = NetBuilder("t")
    for name in ("t", "page", "1", "a b", "a1", "ab:c", "p1", "\x02"):
        build.place(name, c, everything(c))
        build.transition(name, takes={name: Variable(name, c)})
    text = to_pnml(build.net())
    root = ET.fromstring(text)
    ids = [one.attrib["id"] for one in root.iter() if "id" in one.attrib]
    assert len(set(ids)) == len(ids)
    assert all(one.isascii() and (one[0].isalpha() or one[0] == "_") for one in ids)
    places = [one.attrib["id"] for one in root.iter(f"{IN}place")]
    assert places[3:] == ["p4", "a1", "p5", "p6", "p7"]
    assert [len(one.colour.values or ()) for one in from_pnml(text).places] == [6] * 8
    if grammar_there():
        assert_valid(text)


def test_variables_of_one_name_and_two_colours():
    c, d = enumeration("C", ["a", "b"]), enumeration("D", ["a", "b", "c"])
    build = NetBuilder("two")
    build.place("c", c, everything(c))
    build.place("d", d, everything(d))
    build.transition("t", takes={"c": Variable("x", c)})
    build.transition("u", takes={"d": Variable("x", d)})
    net = build.net()
    assert counted(from_pnml(to_pnml(net))) == counted(net) == (2**5, 5 * 2**4)


def test_every_node_has_a_place_of_its_own_on_paper():
    root = ET.fromstring(to_pnml(mixed()))
    where = [(one.attrib["x"], one.attrib["y"]) for one in root.iter(f"{IN}position")]
    assert len(where) == 5 + 4
    assert len(set(where)) == len(where)


def test_what_pnml_has_no_word_for():
    class Odd(Condition):
        def holds(self, binding: object) -> bool:
            return True

        def __str__(self) -> str:
            return "odd"

    class Strange(Term):
        colour = Dot()

        def __str__(self) -> str:
            return "strange"

    build = plain()
    build.transition("u", guard=Odd())
    assert error_line(NetError, to_pnml, build.net()) == "odd: PNML has no condition of this kind"
    build = plain()
    build.transition("u", takes={"p": Strange()})
    assert error_line(NetError, to_pnml, build.net()) == "strange: PNML has no term of this kind"


def test_files_appear_when_they_are_complete(tmp_path):
    path = tmp_path / "net.pnml"
    write_pnml(mixed(), path)
    assert path.read_text(encoding="utf-8") == to_pnml(mixed())
    build = plain()
    build.transition("u", guard=Condition())
    with pytest.raises(KProofError):
        write_pnml(build.net(), tmp_path / "other.pnml")
    assert [one.name for one in tmp_path.iterdir()] == ["net.pnml"]
    with pytest.raises(DataError, match="cannot be written"):
        write_pnml(mixed(), tmp_path / "missing" / "net.pnml")


LETTERS = enumeration("Letter", ["a", "b", "c"], cyclic=True)
FLAGS = Enumeration("Flag", ("up", "down"))
NUMBERS = Integers("Number", 1, 3)
PAIRS = Product("Pair", (LETTERS, NUMBERS))
COLOURS = (LETTERS, FLAGS, NUMBERS, PAIRS, Dot())


def terms(colour: Any) -> st.SearchStrategy[Term]:
    """Draw terms of a colour, with ``all`` among them."""
    if colour == PAIRS:
        return st.builds(tuple_of, terms(LETTERS), terms(NUMBERS))
    return singles(colour) | st.just(everything(colour))


def singles(colour: Any) -> st.SearchStrategy[Term]:
    if colour == PAIRS:
        return st.builds(tuple_of, singles(LETTERS), singles(NUMBERS))
    names = st.sampled_from("xy").map(lambda name: Variable(f"{name}{colour.name}", colour))
    constants = st.sampled_from(colour.values).map(lambda token: Constant(token, colour))
    if colour == LETTERS:
        return names | constants | st.builds(Shift, names | constants, st.integers(-4, 4))
    return names | constants


def conditions() -> st.SearchStrategy[Condition]:
    signs = st.sampled_from(["==", "!=", "<", "<=", ">", ">="])
    comparisons = st.one_of(
        *(st.builds(TermComparison, signs, singles(one), singles(one)) for one in COLOURS)
    )
    return st.recursive(
        comparisons,
        lambda inner: (
            st.builds(Negation, inner)
            | st.lists(inner, max_size=3).map(lambda parts: AllOf(tuple(parts)))
            | st.lists(inner, max_size=3).map(lambda parts: AnyOf(tuple(parts)))
        ),
        max_leaves=4,
    )


@st.composite
def nets(draw: st.DrawFn) -> Net:
    build = NetBuilder("random")
    colours = draw(st.lists(st.sampled_from(COLOURS), min_size=1, max_size=3))
    names = [f"p{i}" for i in range(len(colours))]
    for name, colour in zip(names, colours, strict=True):
        tokens = draw(st.lists(st.sampled_from(colour.values or ()), min_size=1, max_size=5))
        initial = Bag()
        for token in tokens:
            initial = initial + Constant(token, colour)
        build.place(name, colour, initial)
    for number in range(draw(st.integers(1, 3))):
        arcs: list[dict[str, Bag]] = [{}, {}, {}]
        for there in arcs:
            for name, colour in zip(names, colours, strict=True):
                if draw(st.integers(0, 2)) == 0:
                    counts = st.integers(0, 2) if there is not arcs[2] else st.just(1)
                    entries = st.tuples(counts, terms(colour))
                    there[name] = Bag(tuple(draw(st.lists(entries, min_size=1, max_size=2))))
        build.transition(
            f"t{number}",
            takes=arcs[0],
            puts=arcs[1],
            reads=arcs[2],
            guard=draw(st.just(TRUE) | conditions()),
        )
    return build.net()


def explored(net: Net, most: int) -> list[list[tuple[str, tuple[str, ...], int]]]:
    """Return the first states in breadth-first order: what fires in each, and what it leads to.

    Tokens are compared as text, since a file holds nothing else of the values of enumerations.
    """
    numbers: dict[Marking, int] = {net.initial: 0}
    order = [net.initial]
    found = []
    for marking in order:
        if len(found) == most:
            break
        steps = []
        for firing, after in firings(net, marking):
            if after not in numbers:
                numbers[after] = len(order)
                order.append(after)
            values = tuple(str(value) for _, value in firing.binding)
            steps.append((firing.transition, values, numbers[after]))
        found.append(steps)
    return found


@settings(max_examples=60, deadline=None)
@given(nets())
def test_random_nets_run_the_same_when_read_back(net):
    text = to_pnml(net)
    again = from_pnml(text)
    assert str(again.initial) == str(net.initial)
    assert explored(again, 6) == explored(net, 6)
    # Reads are two arcs then, and values text: from there on nothing changes any more.
    assert from_pnml(to_pnml(again)) == again
    if grammar_there():
        assert_valid(text)


@st.composite
def plain_nets(draw: st.DrawFn) -> Net:
    """Draw place/transition nets, with weights and inhibitor arcs."""
    build = NetBuilder("plain")
    dot = Constant(DOT, Dot())
    names = [f"p{i}" for i in range(draw(st.integers(1, 4)))]
    for name in names:
        build.place(name, Dot(), draw(st.integers(1, 10**6)) * dot)
    weights = st.dictionaries(st.sampled_from(names), st.integers(1, 2**40), max_size=3)
    for number in range(draw(st.integers(0, 4))):
        arcs = [{name: n * dot for name, n in draw(weights).items()} for _ in range(3)]
        build.transition(f"t{number}", takes=arcs[0], puts=arcs[1], inhibits=arcs[2])
    return build.net()


@settings(max_examples=60, deadline=None)
@given(plain_nets())
def test_plain_nets_come_back_equal(net):
    text = to_pnml(net)
    assert kind(text) == "ptnet"
    assert from_pnml(text) == net
    if grammar_there() and not any(one.inhibits for one in net.transitions):
        assert_valid(text)
