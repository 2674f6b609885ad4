"""Reading nets from PNML files: symmetric nets and place/transition nets of ISO/IEC 15909-2.

A file is data: nothing in it is ever run, looked up or imported. What it holds beyond the
supported part of the standard is refused with the element's name and line, never ignored, except
for drawings and what tools keep for themselves. The terms are read in
:mod:`kproof.petri.pnml.terms`, the XML in :mod:`kproof.petri.pnml.xml`, where the limits stand.
"""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

from kproof.errors import DataError, NetError, show
from kproof.petri.net.colours import DOT, Colour, Dot, same_colour
from kproof.petri.net.net import Net, NetBuilder, inhibitor_of
from kproof.petri.net.terms import NOTHING, TRUE, Bag, Constant
from kproof.petri.pnml import xml as pnml_xml
from kproof.petri.pnml.sorts import distinct_names, whole
from kproof.petri.pnml.terms import Terms
from kproof.petri.pnml.xml import Element

GRAMMAR = "http://www.pnml.org/version-2009/grammar/"
"""What the type of a net begins with."""
INHIBITOR = "inhibitor"
"""The type of an arc that bars a transition."""
TYPES = ("symmetricnet", "highlevelnet", "pt-hlpng", "ptnet")
"""The types that are read."""

_Arcs: TypeAlias = dict[str, list[Bag]]

_REFERENCES = {"referencePlace": "place", "referenceTransition": "transition"}
_OBJECTS = ("place", "transition", *_REFERENCES, "arc")
_LABELS = {
    "net": ("name", "declaration", "page", *_OBJECTS),
    "page": ("name", "declaration", "page", *_OBJECTS),
    "place": ("name", "type", "hlinitialMarking", "initialMarking"),
    "transition": ("name", "condition"),
    "arc": ("name", "hlinscription", "inscription", "type"),
    "referencePlace": ("name",),
    "referenceTransition": ("name",),
}


def read_pnml(path: str | Path, *, net_id: str | None = None) -> Net:
    """Return the net in a PNML file of up to 64 MiB; by its id if the file has several.

    Places, transitions, variables and values are called by their names where those are distinct,
    and by their ids where they are not.

    Raises:
        DataError: If the file cannot be read, is too large, is not well-formed XML or has a
            document type.
        NetError: If it is not a net of a supported kind; names the element, its line and what is
            supported.
    """
    try:
        return from_pnml(pnml_xml.read(path), net_id=net_id)
    except (DataError, NetError) as error:
        raise type(error)(f"{path}: {error}") from error


def from_pnml(document: str | bytes, *, net_id: str | None = None) -> Net:
    """Return the net in a PNML document; see :func:`read_pnml`.

    >>> net = from_pnml('''
    ... <pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
    ...   <net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="top">
    ...     <place id="p"><initialMarking><text>2</text></initialMarking></place>
    ...     <transition id="t"/>
    ...     <arc id="a" source="p" target="t"/>
    ...   </page></net>
    ... </pnml>''')
    >>> print(net.initial)
    p: 2·•
    >>> from_pnml('<pnml><net id="n" type="nonsense"/></pnml>')
    Traceback (most recent call last):
        ...
    kproof.errors.NetError: net n (line 1): type nonsense is not supported; supported are
    symmetricnet, highlevelnet, pt-hlpng, ptnet
    """
    root = pnml_xml.parse(document)
    if root.tag != "pnml":
        raise NetError(f"{root}: not a PNML document, whose root is pnml")
    nets = [net for net in root.children if net.tag == "net"]
    chosen = [net for net in nets if net_id is None or net.attribute("id") == net_id]
    if len(chosen) != 1:
        ids = ", ".join(show(net.attribute("id")) for net in nets[:5]) or "none"
        problem = "name one of several nets" if net_id is None else f"no net {show(net_id)}"
        raise NetError(f"{root}: {problem}; the file has {ids}")
    return _Reader(chosen[0]).net()


class _Reader:
    """Collects the objects of a net from its pages and puts them together."""

    def __init__(self, net: Element) -> None:
        self._element = net
        self._plain = _type(net) in ("ptnet", "pt-hlpng")
        self._nodes: dict[str, Element] = {}
        self._ends: dict[str, Element] = {}
        self._arcs: list[Element] = []
        declarations: list[Element] = []
        for element in _objects(net):
            if element.tag == "declaration":
                declarations += _declarations(element)
            else:
                self._collect(element)
        self._terms = Terms(declarations)
        self._names = {
            **distinct_names(node for node in self._nodes.values() if node.tag == "place"),
            **distinct_names(node for node in self._nodes.values() if node.tag == "transition"),
        }
        self._colours: dict[str, Colour] = {}

    def net(self) -> Net:
        """Return the net."""
        label = self._element.child("name")
        name = "" if label is None else label.label()
        build = NetBuilder(name or self._element.attribute("id"))
        for identifier, node in self._nodes.items():
            if node.tag == "place":
                self._colours[identifier] = colour = self._colour(node)
                build.place(self._names[identifier], colour, self._initial(node, colour))
            elif node.tag in _REFERENCES:
                self._end(node, "ref")
        # By transition and place, both by their ids.
        takes: defaultdict[str, _Arcs] = defaultdict(dict)
        puts: defaultdict[str, _Arcs] = defaultdict(dict)
        inhibits: defaultdict[str, _Arcs] = defaultdict(dict)
        for arc in self._arcs:
            source, target = (self._end(arc, end) for end in ("source", "target"))
            kinds = (source.tag, target.tag)
            if kinds not in (("place", "transition"), ("transition", "place")):
                raise NetError(f"{arc}: leads from {kinds[0]} to {kinds[1]}")
            place, transition = (source, target) if kinds[0] == "place" else (target, source)
            identifier = place.attribute("id")
            bag = self._inscription(arc, self._colours[identifier])
            arcs = takes if place is source else puts
            if _kind(arc) == INHIBITOR:
                if place is target:
                    raise NetError(f"{arc}: an inhibitor arc leads from a place to a transition")
                arcs = inhibits
            # Lists: a file may have several arcs of one kind between the same two nodes.
            arcs[transition.attribute("id")].setdefault(identifier, []).append(bag)
        for identifier, node in self._nodes.items():
            if node.tag == "transition":
                condition = node.child("condition")
                build.transition(
                    self._names[identifier],
                    takes=self._sums(takes[identifier]),
                    puts=self._sums(puts[identifier]),
                    inhibits={
                        self._names[place]: self._inhibitor_of(node, place, bags)
                        for place, bags in inhibits[identifier].items()
                    },
                    guard=TRUE
                    if condition is None
                    else self._terms.condition(_structure(condition, node)),
                )
        return build.net()

    def _sums(self, arcs: _Arcs) -> dict[str, Bag]:
        """Return by the name of a place what all arcs of one kind carry together."""
        return {self._names[place]: sum(bags[1:], bags[0]) for place, bags in arcs.items()}

    def _collect(self, element: Element) -> None:
        identifier = element.attribute("id")
        if identifier in self._nodes:
            first = self._nodes[identifier]
            raise NetError(f"{element}: the id is taken by {first.tag} in line {first.line}")
        self._nodes[identifier] = element
        if element.tag == "arc":
            self._arcs.append(element)

    def _end(self, element: Element, end: str) -> Element:
        """Return the place or transition an attribute refers to, through reference nodes."""
        reference = element.attribute(end)
        passed: dict[str, None] = {}
        while True:
            node = self._ends.get(reference) or self._nodes.get(reference)
            if node is None or node.tag in ("arc", "page"):
                raise NetError(f"{element}: there is no place or transition {show(reference)}")
            # At each link anew, not at the last alone: a chain may not change from places to
            # transitions.
            kind = _REFERENCES.get(element.tag)
            if kind is not None and _REFERENCES.get(node.tag, node.tag) != kind:
                raise NetError(f"{element}: {show(reference)} is not a {kind}")
            if node.tag not in _REFERENCES:
                # For all on the way: else a long chain would be walked again for each arc.
                self._ends.update(dict.fromkeys(passed, node))
                return node
            if reference in passed:
                raise NetError(f"{node}: the references lead back to it")
            passed[reference] = None
            element, reference = node, node.attribute("ref")

    def _colour(self, place: Element) -> Colour:
        label = place.child("type")
        if label is None:
            if self._plain:
                return Dot()
            raise NetError(f"{place}: type is missing")
        if (plain := label.child("dot")) is not None:
            return self._terms.sorts.sort(plain)
        return self._terms.sorts.sort(_structure(label, place))

    def _initial(self, place: Element, colour: Colour) -> Bag:
        label, plain = place.child("hlinitialMarking"), place.child("initialMarking")
        if plain is not None:
            if label is not None:
                raise NetError(f"{place}: has two initial markings")
            return _dots(plain, place, colour, minimum=0)
        return NOTHING if label is None else self._bag(label, place, colour)

    def _inscription(self, arc: Element, colour: Colour) -> Bag:
        label, plain = arc.child("hlinscription"), arc.child("inscription")
        if label is not None:
            # Some tools write the weight of the underlying plain net beside it.
            return self._bag(label, arc, colour)
        if plain is not None:
            return _dots(plain, arc, colour, minimum=1)
        if isinstance(colour, Dot):
            return Bag(((1, Constant(DOT, colour)),))
        raise NetError(f"{arc}: hlinscription is missing")

    def _inhibitor_of(self, transition: Element, place: str, bags: list[Bag]) -> Bag:
        try:
            return inhibitor_of(bags, self._colours[place])
        except NetError as error:
            raise NetError(f"{transition}, {self._nodes[place]}: {error}") from error

    def _bag(self, label: Element, owner: Element, colour: Colour) -> Bag:
        bag = self._terms.bag(_structure(label, owner))
        for _, term in bag.entries:
            if not same_colour(term.colour, colour):
                raise NetError(
                    f"{owner}: {show(str(term))} is of {show(term.colour.name)}, not of "
                    f"{show(colour.name)}"
                )
        return bag


def _type(net: Element) -> str:
    declared = net.attribute("type")
    name = declared.removeprefix(GRAMMAR)
    if name not in TYPES:
        raise NetError(
            f"{net}: type {show(declared)} is not supported; supported are {', '.join(TYPES)}"
        )
    return name


def _objects(net: Element) -> Iterator[Element]:
    """Run through declarations, pages, nodes and arcs, those of inner pages where they stand."""
    # A stack: a file may nest pages deeper than Python calls.
    waiting = [net]
    while waiting:
        element = waiting.pop()
        for child in element.children:
            if child.tag not in _LABELS.get(element.tag, ("text", "structure")):
                raise NetError(f"{child}: not supported in {element}")
        if element.tag == "arc" and (kind := _kind(element)) not in ("normal", INHIBITOR):
            raise NetError(
                f"{element}: type {show(kind)} is not supported; arcs are plain or inhibitor arcs"
            )
        if element is not net:
            yield element
        if element.tag in ("net", "page"):
            waiting.extend(reversed([child for child in element.children if child.tag != "name"]))


def _kind(arc: Element) -> str:
    """Return what an arc is called that has a type, as tools write it.

    The standard has none; some have an attribute, others an element with a value.
    """
    label = arc.child("type")
    if label is not None:
        return label.attribute("value")
    return arc.attributes.get("type", "normal")


def _declarations(label: Element) -> Iterator[Element]:
    structure = label.child("structure")
    for part in structure.children if structure is not None else ():
        if part.tag != "declarations":
            raise NetError(f"{part}: need declarations")
        yield from part.children


def _structure(label: Element, owner: Element) -> Element:
    structure = label.child("structure")
    if structure is None:
        raise NetError(f"{owner}: {label.tag} has no structure, and its text alone is not read")
    return structure.only()


def _dots(label: Element, owner: Element, colour: Colour, *, minimum: int) -> Bag:
    if not isinstance(colour, Dot):
        raise NetError(f"{owner}: {label.tag} is for plain tokens, not for {show(colour.name)}")
    text = label.label()
    if not text:
        raise NetError(f"{owner}: {label.tag} has no text")
    count = whole(text, owner)
    if count < minimum:
        raise NetError(f"{owner}: {label.tag} {count} is below {minimum}")
    return Bag(((count, Constant(DOT, colour)),)) if count else NOTHING
