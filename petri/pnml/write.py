"""Writing nets as PNML: ISO/IEC 15909-2, in the narrowest of its types that holds the net.

Python functions become ``arbitraryoperator`` declarations and open colours ``arbitrarysort``: other
tools see the net and its signature, and no file says what a function computes. A read is written
as an arc there and back, a choice as the condition that the function's values contain the variable.
The standard has no inhibitor arcs: they are written with the type that tools give them, and a file
with them is not valid under its grammar.
"""

from collections import Counter, deque
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree as ET
from xml.etree.ElementTree import Element, SubElement

from kproof.outputs import write_text
from kproof.petri.net.colours import Colour, Dot
from kproof.petri.net.net import Net
from kproof.petri.net.terms import NOTHING, TRUE, Bag, Constant, Everything
from kproof.petri.pnml.read import GRAMMAR, INHIBITOR
from kproof.petri.pnml.vocabulary import Vocabulary, nest_pairs, printable
from kproof.petri.pnml.xml import NAMESPACE


def to_pnml(net: Net) -> str:
    """Return a net as a PNML document.

    The type is ``ptnet`` if all places have plain tokens and no transition has a variable or a
    guard, ``symmetricnet`` if there are no functions and no open colours, and ``highlevelnet``
    otherwise. Files of the first two types are read back by
    :func:`kproof.petri.pnml.read.read_pnml`.

    Raises:
        NetError: If a term or condition is of a class PNML has no operator for.

    >>> from kproof.petri.net.colours import Dot
    >>> from kproof.petri.net.net import NetBuilder
    >>> from kproof.petri.pnml.read import from_pnml
    >>> from kproof.petri.net.terms import everything
    >>> token = everything(Dot())
    >>> build = NetBuilder("countdown")
    >>> build.place("left", Dot(), 3 * token)
    >>> build.transition("tick", takes={"left": token})
    >>> print(from_pnml(to_pnml(build.net())).initial)
    left: 3·•
    """
    root = _document(net)
    ET.indent(root)
    text = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def write_pnml(net: Net, path: str | Path) -> None:
    """Write a net, as :func:`to_pnml` does, to a file, which appears when it is complete."""
    write_text(path, to_pnml(net))


def _document(net: Net) -> Element:
    plain = _is_plain(net)
    vocabulary = Vocabulary()
    root = Element("pnml", xmlns=NAMESPACE)
    top = SubElement(root, "net", id=vocabulary.id(net.name, "net"))
    _label(top, "name", net.name)
    page = Element("page", id=vocabulary.id("page", "page"))
    positions = _positions(net)
    places = {place.name: vocabulary.id(place.name, "p") for place in net.places}
    transitions = {t.name: vocabulary.id(t.name, "t") for t in net.transitions}

    def arc(source: str, target: str, bag: Bag, colour: Colour, kind: str = "") -> None:
        # What carries nothing is no arc: of a plain net an inscription of 0 would be refused.
        if not bag.entries:
            return
        written = SubElement(page, "arc", id=vocabulary.id("", "a"), source=source, target=target)
        if plain:
            _label(written, "inscription", str(bag.tokens({}).total()))
        else:
            _label(written, "hlinscription", str(bag), vocabulary.bag(bag, colour))
        if kind:
            SubElement(written, "type", value=kind)

    for place in net.places:
        node = SubElement(page, "place", id=places[place.name])
        _label(node, "name", place.name)
        node.append(positions["place", place.name])
        if not plain:
            _label(node, "type", place.colour.name, vocabulary.sort(place.colour))
            if place.initial.entries:
                term = vocabulary.bag(place.initial, place.colour)
                _label(node, "hlinitialMarking", str(place.initial), term)
        elif count := place.initial.tokens({}).total():
            _label(node, "initialMarking", str(count))
    for transition in net.transitions:
        node = SubElement(page, "transition", id=transitions[transition.name])
        _label(node, "name", transition.name)
        node.append(positions["transition", transition.name])
        conditions = [vocabulary.choice(choice) for choice in transition.choices]
        texts = [str(choice) for choice in transition.choices]
        if transition.guard != TRUE:
            conditions.append(vocabulary.condition(transition.guard))
            texts.append(str(transition.guard))
        if conditions:
            _label(node, "condition", " and ".join(texts), nest_pairs("and", conditions))
    for transition in net.transitions:
        for name, bag in _join_reads(transition.takes, transition.reads).items():
            arc(places[name], transitions[transition.name], bag, net.place[name].colour)
        for name, bag in _join_reads(transition.puts, transition.reads).items():
            arc(transitions[transition.name], places[name], bag, net.place[name].colour)
        for name, bag in transition.inhibits.items():
            arc(places[name], transitions[transition.name], bag, net.place[name].colour, INHIBITOR)
    if len(vocabulary.declarations):
        text = "\n".join(vocabulary.notes)
        _label(top, "declaration", text, vocabulary.declarations)
    top.append(page)
    # Last, when all terms are written: what they needed says which type the net is of.
    kind = "ptnet" if plain else "highlevelnet" if vocabulary.arbitrary else "symmetricnet"
    top.set("type", GRAMMAR + kind)
    return root


def _is_plain(net: Net) -> bool:
    """Say whether numbers of tokens say all there is to say."""
    entries = (
        entry
        for transition in net.transitions
        for arcs in (transition.takes, transition.puts, transition.reads, transition.inhibits)
        for bag in arcs.values()
        for entry in bag.entries
    )
    # A plain net has no conditions, functions, values to choose among, or arcs of weight zero.
    return (
        all(isinstance(place.colour, Dot) for place in net.places)
        and not any(t.guard != TRUE or t.choices for t in net.transitions)
        and all(times > 0 and isinstance(term, Constant | Everything) for times, term in entries)
    )


def _join_reads(arcs: Mapping[str, Bag], reads: Mapping[str, Bag]) -> dict[str, Bag]:
    """Return the arcs with what is read beside, which is taken and put back."""
    return {
        name: arcs.get(name, NOTHING) + reads.get(name, NOTHING)
        for name in dict.fromkeys((*arcs, *reads))
    }


def _label(parent: Element, tag: str, text: str, content: Element | None = None) -> None:
    label = SubElement(parent, tag)
    SubElement(label, "text").text = printable(text)
    if content is not None:
        SubElement(label, "structure").append(content)


def _positions(net: Net) -> dict[tuple[str, str], Element]:
    """Place each node in a column by its distance from the initial tokens."""
    after: dict[tuple[str, str], list[tuple[str, str]]] = {
        ("place", place.name): [] for place in net.places
    }
    for transition in net.transitions:
        node = ("transition", transition.name)
        after[node] = [("place", name) for name in transition.puts]
        for name in _join_reads(transition.takes, transition.reads):
            after["place", name].append(node)
    marked = [("place", place.name) for place in net.places if place.initial.entries]
    columns: dict[tuple[str, str], int] = {}
    # Nodes that no token reaches are nobody's followers: they begin columns of their own.
    for roots in (marked, *([node] for node in after)):
        waiting = deque(node for node in roots if node not in columns)
        columns.update(dict.fromkeys(waiting, 0))
        while waiting:
            node = waiting.popleft()
            for following in after[node]:
                if following not in columns:
                    columns[following] = columns[node] + 1
                    waiting.append(following)
    rows: Counter[int] = Counter()
    graphics_of = {}
    for node, column in columns.items():
        graphics = Element("graphics")
        x, y = 80 + 140 * column, 80 + 90 * rows[column]
        SubElement(graphics, "position", x=str(x), y=str(y))
        rows[column] += 1
        graphics_of[node] = graphics
    return graphics_of
