"""Reading what PNML declares: sorts as colours, their constants, and variables.

Sorts are resolved whatever order they stand in. What is declared without a meaning in the file
(``arbitraryoperator``, ``arbitrarysort``, ``unparsed``) and sorts without bounds (strings, lists,
integers) are refused by name.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from kproof.errors import NetError, show
from kproof.petri.net.colours import DOT, Colour, Dot, Enumeration, Integers, Product
from kproof.petri.net.terms import Constant, Variable
from kproof.petri.pnml.xml import Element

TOKENS = 2_000_000
"""Most tokens that the ranges, ``all`` terms and partitions of one file may list together."""
COUNT = 2**63 - 1
"""Most copies of a token, and largest absolute value of a number."""
NESTING = 50
"""Deepest nesting of sorts, tuples and conditions; sums, ``and`` and ``or`` do not count."""
PARTS = 64
"""Most basic values in a tuple of a product, with those of products in it."""

_SORTS = "dot, finiteenumeration, cyclicenumeration, finiteintrange, productsort, usersort"

# Not `\d`, which takes the digits of every script, as `int` does. 25 are more than COUNT has, and
# of a longer text `int` would take time squared.
_NUMBER = re.compile(r"[+-]?[0-9]{1,25}")


class Sorts:
    """The sorts, constants and variables that a net and its pages declare."""

    def __init__(self, declarations: Sequence[Element]) -> None:
        self._declared: dict[str, Element] = {}
        self._colours: dict[str, Colour] = {}
        self._ranges: dict[tuple[int, int], Integers] = {}
        self._constants: dict[str, Constant] = {}
        self.operators: dict[str, Element] = {}
        self._resolving: list[str] = []
        self._nesting = 0
        self._listed = 0
        for element in declarations:
            self._add(element)
        sorts = [element for element in declarations if element.tag == "namedsort"]
        self._names = distinct_names(sorts)
        # All ids were taken up before: a sort may be made of one that is declared after it. Ranges
        # are told apart by their bounds alone, so the name of a declared one goes first.
        for element in sorted(sorts, key=lambda element: element.only().tag != "finiteintrange"):
            self._sort_named(element.attribute("id"), element)
        variables = [element for element in declarations if element.tag == "variabledecl"]
        self._variables = self._variables_by_id(variables)

    def _variables_by_id(self, elements: Sequence[Element]) -> dict[str, Variable]:
        """Return variables, by their ids."""
        names = distinct_names(elements)
        return {
            identifier: Variable(names[identifier], self.sort(element.only()))
            for element in elements
            for identifier in [element.attribute("id")]
        }

    @contextmanager
    def parameters(self, elements: Sequence[Element]) -> Iterator[tuple[Variable, ...]]:
        """Let the parameters of an operator be all variables there are, and return them."""
        # Back only on success: after an error nothing more is read with these sorts.
        outside, self._variables = self._variables, self._variables_by_id(elements)
        yield tuple(self._variables.values())
        self._variables = outside

    def sort(self, element: Element, name: str | None = None) -> Colour:
        """Return the colour of a sort, under a name of its own if it declares one."""
        with self.within(element):
            match element.tag:
                case "dot":
                    return Dot()
                case "usersort":
                    return self._sort_named(element.attribute("declaration"), element)
                case "finiteintrange":
                    return self.range_(element, name)
                case "productsort":
                    return self._product(element, name)
                case "finiteenumeration" | "cyclicenumeration" if name is not None:
                    return self._enumeration(element, name)
                case "finiteenumeration" | "cyclicenumeration":
                    raise NetError(f"{element}: supported as a namedsort only")
        raise NetError(f"{element}: this sort is not supported; supported are {_SORTS}")

    def variable(self, element: Element) -> Variable:
        """Return the variable an element refers to."""
        reference = element.attribute("refvariable")
        if reference not in self._variables:
            raise NetError(f"{element}: there is no variable {show(reference)}")
        return self._variables[reference]

    def constant(self, element: Element) -> Constant:
        """Return the constant an element refers to."""
        reference = element.attribute("declaration")
        if element.children:
            raise NetError(f"{element}: {show(reference)} takes no arguments")
        if reference in self._constants:
            return self._constants[reference]
        if isinstance(self._colours.get(reference), Dot):
            return Constant(DOT, Dot())  # TAPAAL writes the token of a sort of dots so
        if reference in self._declared and self._declared[reference].tag == "partitionelement":
            raise NetError(f"{element}: a partition element is supported in guards only")
        raise NetError(f"{element}: there is no constant {show(reference)}")

    def range_(self, element: Element, name: str | None) -> Integers:
        """Return a range of integers, the declared one if there is one with the same bounds."""
        if element.tag == "usersort":
            colour = self._sort_named(element.attribute("declaration"), element)
            if not isinstance(colour, Integers):
                raise NetError(f"{element}: {show(colour.name)} is not a finiteintrange")
            return colour
        if element.tag != "finiteintrange":
            raise NetError(f"{element}: need a finiteintrange")
        low, high = (whole(element.attribute(end), element) for end in ("start", "end"))
        if low > high:
            raise NetError(f"{element}: start {low} is above end {high}")
        if (low, high) not in self._ranges:
            self.list_tokens(high - low + 1, element)
            self._ranges[low, high] = Integers(name or f"{low}..{high}", low, high)
        return self._ranges[low, high]

    def list_tokens(self, tokens: int, element: Element) -> None:
        """Count tokens that will be listed one by one, and stop before they are too many."""
        self._listed += tokens
        if self._listed > TOKENS:
            raise NetError(f"{element}: ranges and multisets list more than {TOKENS:,} tokens")

    @contextmanager
    def within(self, element: Element) -> Iterator[None]:
        """Go one level deeper into nested sorts and terms, down to the deepest allowed."""
        self._nesting += 1
        if self._nesting > NESTING:
            raise NetError(f"{element}: terms nested in more than {NESTING} levels")
        yield
        self._nesting -= 1

    def _add(self, element: Element) -> None:
        """Take up a declaration, and the constants and partition elements in it."""
        match element.tag:
            case "namedsort":
                members = element.only().children
                members = [child for child in members if child.tag == "feconstant"]
            case "partition":
                members = [child for child in element.children if child.tag == "partitionelement"]
            case "variabledecl":
                members = []
            case "namedoperator":
                members = element.needs("parameter").children
                self.operators[element.attribute("id")] = element
            case "arbitraryoperator" | "arbitrarysort" | "unparsed":
                raise NetError(f"{element}: not supported, for its meaning is not in the file")
            case _:
                raise NetError(
                    f"{element}: this declaration is not supported; supported are namedsort, "
                    "variabledecl, namedoperator, partition"
                )
        for declared in (element, *members):
            identifier = declared.attribute("id")
            if identifier in self._declared:
                first = self._declared[identifier]
                raise NetError(f"{declared}: the id is taken by {first.tag} in line {first.line}")
            self._declared[identifier] = declared

    def _sort_named(self, identifier: str, element: Element) -> Colour:
        if identifier in self._colours:
            return self._colours[identifier]
        declared = self._declared.get(identifier)
        if declared is None or declared.tag != "namedsort":
            raise NetError(f"{element}: there is no sort {show(identifier)}")
        if identifier in self._resolving:
            raise NetError(f"{declared}: the sort is made of itself")
        self._resolving.append(identifier)
        colour = self.sort(declared.only(), self._names[identifier])
        self._resolving.pop()
        self._colours[identifier] = colour
        return colour

    def _enumeration(self, element: Element, name: str) -> Enumeration:
        for member in element.children:
            if member.tag != "feconstant":
                raise NetError(f"{member}: only feconstant elements make an enumeration")
        if not element.children:
            raise NetError(f"{element}: the enumeration {show(name)} has no values")
        names = distinct_names(element.children)
        colour = Enumeration(name, tuple(names.values()), element.tag == "cyclicenumeration")
        for identifier, token in names.items():
            self._constants[identifier] = Constant(token, colour)
        return colour

    def _product(self, element: Element, name: str | None) -> Product:
        parts = tuple(self.sort(child) for child in element.children)
        if not parts:
            raise NetError(f"{element}: the product has no parts")
        product = Product(name or " × ".join(part.name for part in parts), parts)
        if _width(product) > PARTS:
            raise NetError(f"{element}: more than {PARTS} parts, with those of products in it")
        return product


def distinct_names(elements: Iterable[Element]) -> dict[str, str]:
    """Return the name of each element by its id; the ids instead if two names are the same.

    The name is that of the attribute ``name`` or of the label ``name``.
    """
    names: dict[str, str] = {}
    for element in elements:
        label = element.child("name")
        name = element.attributes.get("name", "") if label is None else label.label()
        names[element.attribute("id")] = " ".join(name.split()) or element.attribute("id")
    return names if len(set(names.values())) == len(names) else {key: key for key in names}


def whole(text: str, element: Element) -> int:
    """Return a whole number an element holds, up to :data:`COUNT` in absolute value."""
    if not _NUMBER.fullmatch(text):
        raise NetError(f"{element}: {show(text)} is not a whole number of 25 digits or fewer")
    if abs(number := int(text)) > COUNT:
        raise NetError(f"{element}: {text} is beyond {COUNT:,}")
    return number


def _width(colour: Colour) -> int:
    return sum(map(_width, colour.parts)) if isinstance(colour, Product) else 1
