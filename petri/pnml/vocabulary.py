"""Writing colours, variables, functions and terms as PNML.

What a term needs is declared on first use. Each element comes out under its own name if that is an
XML id no other element has, so that a file stays readable and other tools show familiar ids.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from kproof.errors import NetError
from kproof.petri.net import terms
from kproof.petri.net.colours import Colour, Dot, Enumeration, Integers, Product, Token
from kproof.petri.net.net import Choice

COMPARISONS = {
    "==": ("equality",),
    "!=": ("inequality",),
    "<": ("lessthan", "lt", "ltp"),
    "<=": ("lessthanorequal", "leq"),
    ">": ("greaterthan", "gt", "gtp"),
    ">=": ("greaterthanorequal", "geq"),
}
"""The operators of each sign: of ranges, which are written, of integers, and of partitions."""

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Vocabulary:
    """The declarations of one document, which grow as terms are written."""

    def __init__(self) -> None:
        # In an order in which nothing is used before it is declared; notes are for readers.
        self.declarations = Element("declarations")
        self.notes: list[str] = []
        # Whether a function or an open colour was needed, which symmetric nets do not have.
        self.arbitrary = False
        self._ids: set[str] = set()
        self._numbers: Counter[str] = Counter()
        self._sorts: dict[str, tuple[Colour, str]] = {}
        self._constants: dict[tuple[str, Token], str] = {}
        self._variables: dict[tuple[str, str], str] = {}
        self._operators: dict[tuple[object, ...], str] = {}

    def id(self, hint: str, otherwise: str) -> str:
        """Return an id nothing else has: the one that is wanted, or one with a number."""
        # A number may make an id that somebody else's name already is, so each attempt is checked
        # again.
        identifier = hint
        while identifier in self._ids or not _IDENTIFIER.fullmatch(identifier):
            self._numbers[otherwise] += 1
            identifier = f"{otherwise}{self._numbers[otherwise]}"
        self._ids.add(identifier)
        return identifier

    def sort(self, colour: Colour) -> Element:
        """Return the reference to the sort of a colour."""
        if colour.name not in self._sorts:
            self._sorts[colour.name] = (colour, self._declare_sort(colour))
        declared, identifier = self._sorts[colour.name]
        if declared != colour:
            raise NetError(f"two colours are called {colour.name}")
        return Element("usersort", declaration=identifier)

    def bag(self, bag: terms.Bag, colour: Colour) -> Element:
        """Return the term of a multiset of tokens of a colour."""
        added = [_copies(n, self.term(term), term) for n, term in bag.entries if n >= 0]
        removed = [_copies(-n, self.term(term), term) for n, term in bag.entries if n < 0]
        if not removed:
            return self._sum(added, colour)
        return application("subtract", self._sum(added, colour), self._sum(removed, colour))

    def term(self, term: terms.Term) -> Element:
        """Return a term as an element; NetError if PNML has no operator for it."""
        match term:
            case terms.Variable():
                return Element("variable", refvariable=self._variable(term))
            case terms.Constant():
                return self._constant(term.token, term.of)
            case terms.TupleOf():
                return application("tuple", *map(self.term, term.parts))
            case terms.Shift():
                return self._shift(term)
            case terms.Everything():
                return around("all", self.sort(term.of))
            case terms.Call():
                return self._call(term, self.sort(term.colour))
        raise NetError(f"{term}: PNML has no term of this kind")

    def condition(self, condition: terms.Condition) -> Element:
        """Return a condition as an element; the same errors."""
        match condition:
            case terms.TermComparison():
                sides = self.term(condition.left), self.term(condition.right)
                return application(COMPARISONS[condition.sign][0], *sides)
            case terms.AllOf():
                return nest_pairs("and", [self.condition(part) for part in condition.parts])
            case terms.AnyOf():
                return nest_pairs("or", [self.condition(part) for part in condition.parts])
            case terms.Negation():
                return application("not", self.condition(condition.part))
            case terms.Call():
                return self._call(condition, Element("bool"))
        raise NetError(f"{condition}: PNML has no condition of this kind")

    def choice(self, choice: Choice) -> Element:
        """Return the condition that a function's values contain a variable."""
        values = around("multisetsort", self.sort(choice.variable.of))
        variable = _copies(1, self.term(choice.variable), choice.variable)
        return application(
            "contains", self._call(choice.function(*choice.arguments), values), variable
        )

    def _sum(self, elements: Sequence[Element], colour: Colour) -> Element:
        if not elements:
            return around("empty", self.sort(colour))
        return elements[0] if len(elements) == 1 else application("add", *elements)

    def _shift(self, term: terms.Shift) -> Element:
        # The shorter way round: PNML has operators for one step only.
        size = term.colour.size or 1
        forward = term.by % size
        backward = size - forward
        inner = self.term(term.term)
        operator = "successor" if forward <= backward else "predecessor"
        for _ in range(min(forward, backward)):
            inner = application(operator, inner)
        return inner

    def _constant(self, token: Token, colour: Colour) -> Element:
        match colour:
            case Dot():
                return Element("dotconstant")
            case Integers():
                return around("finiteintrangeconstant", _range(colour), value=str(token))
            case Product():
                assert isinstance(token, tuple)
                parts = zip(token, colour.parts, strict=True)
                return application("tuple", *(self._constant(value, part) for value, part in parts))
        # First: an enumeration declares its constants with it. Of an open sort each is an operator.
        sort = self.sort(colour)
        if (colour.name, token) not in self._constants:
            operator = self._operator(f"{sort.get('declaration')}.{token}", str(token), [], sort)
            self._constants[colour.name, token] = operator
        return Element("useroperator", declaration=self._constants[colour.name, token])

    def _variable(self, variable: terms.Variable) -> str:
        key = (variable.name, variable.of.name)
        if key not in self._variables:
            sort = self.sort(variable.of)
            declared = self._declare("variabledecl", variable.name, "v")
            declared.append(sort)
            self.notes.append(f"{variable.name} ∈ {variable.of.name}")
            self._variables[key] = declared.attrib["id"]
        return self._variables[key]

    def _call(self, call: terms.Call, output: Element) -> Element:
        """Return the application of a function, with one operator for each signature it has."""
        function = call.function
        colours = [argument.colour for argument in call.arguments]
        result = "" if function.result is None else function.result.name
        key: tuple[object, ...]
        key = (function.name, output.tag, result, *(colour.name for colour in colours))
        if function.body is not None:
            key = (function,)
            if key not in self._operators:
                self._operators[key] = self._define(function, function.body)
        if key not in self._operators:
            sorts = [self.sort(colour) for colour in colours]
            self._operators[key] = self._operator(function.name, function.name, sorts, output)
            line = f"{function.name}({', '.join(colour.name for colour in colours)})"
            self.notes.append(f"{line}: {function.note}" if function.note else line)
        used = application("useroperator", *map(self.term, call.arguments))
        used.set("declaration", self._operators[key])
        return used

    def _define(self, function: terms.Function, body: Any) -> str:
        """Declare a function that is a term, after what the term needs, and return its id."""
        # A body has no other variables than its parameters, which may be called like those outside.
        outside, self._variables = self._variables, {}
        parameters = Element("parameter")
        for variable in function.parameters:
            identifier = self.id(variable.name, "v")
            self._variables[variable.name, variable.of.name] = identifier
            declared = SubElement(parameters, "variabledecl", id=identifier)
            declared.set("name", printable(variable.name))
            declared.append(self.sort(variable.of))
        # A call is a term and a condition: only what the function returns says which is meant.
        asks = isinstance(body, terms.Condition) and function.result is None
        written = self.condition(body) if asks else self.term(body)
        self._variables = outside
        names = ", ".join(f"{var.name} ∈ {var.of.name}" for var in function.parameters)
        self.notes.append(f"{function.name}({names}) = {body}")
        # Only now, after what the body needed was declared: a reader may go through the file once.
        declared = self._declare("namedoperator", function.name, "f")
        declared.extend((parameters, around("def", written)))
        return declared.attrib["id"]

    def _operator(self, hint: str, name: str, inputs: list[Element], output: Element) -> str:
        self.arbitrary = True
        declared = self._declare("arbitraryoperator", name, "f", hint)
        for sort in inputs:
            SubElement(declared, "input").append(sort)
        SubElement(declared, "output").append(output)
        return declared.attrib["id"]

    def _declare(self, tag: str, name: str, otherwise: str, hint: str | None = None) -> Element:
        identifier = self.id(name if hint is None else hint, otherwise)
        return SubElement(self.declarations, tag, id=identifier, name=printable(name))

    def _declare_sort(self, colour: Colour) -> str:
        """Declare a sort, after those it is made of, and return its id."""
        parts = [self.sort(part) for part in colour.parts] if isinstance(colour, Product) else []
        if not isinstance(colour, Dot | Enumeration | Integers | Product):
            self.arbitrary = True
            self.notes.append(f"{colour.name}: any values")
            return self._declare("arbitrarysort", colour.name, "s").attrib["id"]
        declared = self._declare("namedsort", colour.name, "s")
        identifier = declared.attrib["id"]
        match colour:
            case Dot():
                SubElement(declared, "dot")
                self.notes.append(f"{colour.name}: plain tokens")
            case Integers():
                declared.append(_range(colour))
                self.notes.append(f"{colour.name} = {colour.low}..{colour.high}")
            case Product():
                SubElement(declared, "productsort").extend(parts)
                self.notes.append(f"{colour.name} = {' × '.join(p.name for p in colour.parts)}")
            case Enumeration():
                tag = "cyclicenumeration" if colour.cyclic else "finiteenumeration"
                values = SubElement(declared, tag)
                for token in colour.members:
                    constant = self.id(f"{identifier}.{token}", f"{identifier}.")
                    self._constants[colour.name, token] = constant
                    SubElement(values, "feconstant", id=constant, name=printable(str(token)))
                order = ", in a circle" if colour.cyclic else ""
                members = ", ".join(map(str, colour.members))
                self.notes.append(f"{colour.name} = {members}{order}")
        return identifier


def around(tag: str, *inner: Element, **attributes: str) -> Element:
    """Return an element with others in it."""
    element = Element(tag, attributes)
    element.extend(inner)
    return element


def application(operator: str, *operands: Element) -> Element:
    """Return an operator applied to operands."""
    return around(operator, *(around("subterm", operand) for operand in operands))


def nest_pairs(operator: str, operands: Sequence[Element]) -> Element:
    """Return ``and`` or ``or`` of any number of conditions, as the standard has them: of two."""
    if not operands:
        return Element("booleanconstant", value="true" if operator == "and" else "false")
    if len(operands) == 1:
        return operands[0]
    # By halves and not one by one: a hundred conditions are seven levels deep then, not a hundred.
    middle = len(operands) // 2
    return application(
        operator, nest_pairs(operator, operands[:middle]), nest_pairs(operator, operands[middle:])
    )


def printable(text: str) -> str:
    """Return a text without the characters XML cannot hold."""
    return _NO_XML.sub("\ufffd", text)


def _copies(count: int, written: Element, term: terms.Term) -> Element:
    """Return so many copies; a multiset is multiplied by ``scalarproduct``."""
    if isinstance(term, terms.Everything) and count == 1:
        return written
    number = Element("numberconstant", value=str(count))
    SubElement(number, "positive" if count else "natural")
    return application(
        "scalarproduct" if isinstance(term, terms.Everything) else "numberof", number, written
    )


def _range(colour: Integers) -> Element:
    return Element("finiteintrange", start=str(colour.low), end=str(colour.high))
