"""Reading the terms of PNML into bags and conditions.

Covers the operators of symmetric nets (ISO/IEC 15909-2, clause 5) over dots, enumerations, ranges
of integers and products, and partitions in guards. What a file lists in a few words is counted
before it is listed, so that a short file cannot ask for endless memory.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from math import prod

from kproof.errors import NetError, show
from kproof.petri.net import terms
from kproof.petri.net.colours import DOT, Dot, Enumeration, mismatch, same_colour
from kproof.petri.net.definitions import defined
from kproof.petri.net.signs import SIGNS
from kproof.petri.pnml.sorts import COUNT, NESTING, PARTS, Sorts, distinct_names, whole
from kproof.petri.pnml.vocabulary import COMPARISONS
from kproof.petri.pnml.xml import Element

_TERMS = (
    "variable, useroperator, dotconstant, finiteintrangeconstant, tuple, successor, predecessor, "
    "all, empty, numberof, add, subtract, scalarproduct"
)
_CONDITIONS = (
    "booleanconstant, and, or, not, imply, equality, inequality, lessthan, lessthanorequal, "
    "greaterthan, greaterthanorequal, ltp, gtp"
)

_MEANING = 10_000
"""Most elements that an operator stands for, with those of the operators that it is made of."""

# The operators of integers mean the same as those of ranges where both sides are ranges.
_SIGNS = {operator: sign for sign, operators in COMPARISONS.items() for operator in operators}


class Terms:
    """The terms of a net, written with its declarations, those of all its pages."""

    def __init__(self, declarations: Sequence[Element]) -> None:
        self.sorts = Sorts(declarations)
        self._blocks: dict[str, list[list[terms.Constant]]] = {}
        self._block_of: dict[str, tuple[str, int]] = {}
        self._names = distinct_names(self.sorts.operators.values())
        self._functions: dict[str, terms.Function] = {}
        # Of each operator: how many elements it stands for, and how deep they are nested.
        self._extents: dict[str, tuple[int, int]] = {}
        self._defining: list[str] = []
        for declaration in declarations:
            if declaration.tag == "partition":
                self._partition(declaration)
            elif declaration.tag == "namedoperator":
                self._function(declaration.attribute("id"))

    def bag(self, element: Element) -> terms.Bag:
        """Return the multiset a term stands for, as a formal sum."""
        entries: list[tuple[int, terms.Term]] = []
        # A stack: a sum may be nested as deep as it has terms, and recursion does not go so far.
        waiting = [(1, element)]
        while waiting:
            times, node = waiting.pop()
            if node.tag in ("add", "subtract"):
                inner = _operands(node, low=2 if node.tag == "subtract" else 1)
                sign = -1 if node.tag == "subtract" else 1
                # What is subtracted within something subtracted is added again.
                signed = [(times if n == 0 else sign * times, arg) for n, arg in enumerate(inner)]
                waiting.extend(reversed(signed))
            elif node.tag in ("numberof", "scalarproduct"):
                inner = _operands(node, low=1, high=2)
                count = _count(inner[0]) if len(inner) == 2 else 1
                # The product, not the factors: each may be small where many are nested.
                if abs(times * count) > COUNT:
                    raise NetError(f"{node}: more than {COUNT:,} copies are not supported")
                waiting.append((times * count, inner[-1]))
            elif node.tag == "empty":
                self.sorts.sort(node.only())
            else:
                term = self.term(node)
                self.sorts.list_tokens(_spread(term), node)
                entries.append((times, term))
        return terms.Bag(tuple(entries))

    def term(self, element: Element) -> terms.Term:
        """Return the term; ``all``, alone or in a tuple, makes it a multiset."""
        with self.sorts.within(element):
            match element.tag:
                case "variable":
                    return self.sorts.variable(element)
                case "useroperator" if self._is_defined(element):
                    return self._call(element)
                case "useroperator":
                    return self.sorts.constant(element)
                case "dotconstant":
                    return terms.Constant(DOT, Dot())
                case "finiteintrangeconstant":
                    range_ = self.sorts.range_(element.only(), None)
                    value = whole(element.attribute("value"), element)
                    if not range_.low <= value <= range_.high:
                        raise NetError(f"{element}: {value} is not in {range_.low}..{range_.high}")
                    return terms.Constant(value, range_)
                case "all":
                    return terms.Everything(self.sorts.sort(element.only()))
                case "tuple":
                    inner = _operands(element, low=1, high=PARTS)
                    return terms.TupleOf(tuple(self.term(operand) for operand in inner))
                case "successor" | "predecessor":
                    return self._shift(element)
                case "partitionelementof":
                    raise NetError(f"{element}: supported in comparisons of guards only")
        raise NetError(f"{element}: this operator is not supported; supported are {_TERMS}")

    def condition(self, element: Element) -> terms.Condition:
        """Return the condition of a guard."""
        with self.sorts.within(element):
            match element.tag:
                case "booleanconstant":
                    value = element.attribute("value")
                    if value not in ("true", "false", "1", "0"):
                        raise NetError(f"{element}: value {show(value)} is not true or false")
                    return terms.AllOf() if value in ("true", "1") else terms.AnyOf()
                case "and":
                    return terms.AllOf(tuple(map(self.condition, _chain(element))))
                case "or":
                    return terms.AnyOf(tuple(map(self.condition, _chain(element))))
                case "not":
                    return terms.Negation(self.condition(*_operands(element, low=1, high=1)))
                case "imply":
                    first, then = map(self.condition, _operands(element, low=2, high=2))
                    return terms.AnyOf((terms.Negation(first), then))
                case tag if tag in _SIGNS:
                    return self._comparison(element)
                case "useroperator" if self._is_defined(element):
                    return self._call(element)
        raise NetError(f"{element}: not supported as a condition; supported are {_CONDITIONS}")

    def _is_defined(self, element: Element) -> bool:
        return element.attributes.get("declaration", "").strip() in self.sorts.operators

    def _is_condition(self, element: Element) -> bool:
        """Say whether an element is a condition rather than a term."""
        if element.tag == "useroperator" and self._is_defined(element):
            return self._function(element.attribute("declaration")).result is None
        return element.tag in _SIGNS or element.tag in _CONDITIONS.split(", ")

    def _call(self, element: Element) -> terms.Call:
        """Return the application of an operator that the file defines."""
        function = self._function(element.attribute("declaration"))
        arguments = [self._single(operand) for operand in _operands(element, low=0)]
        try:
            return function(*arguments)
        except NetError as error:
            raise NetError(f"{element}: {error}") from error

    def _function(self, identifier: str) -> terms.Function:
        """Return what a named operator does: a term over its parameters, which is only data."""
        if identifier in self._functions:
            return self._functions[identifier]
        declared = self.sorts.operators[identifier]
        if identifier in self._defining:
            raise NetError(f"{declared}: the operator is made of itself")
        # Before the body is looked at: an operator within its own would come back here without end.
        self._defining.append(identifier)
        body, parameters = declared.needs("def").only(), declared.needs("parameter").children
        with self.sorts.within(declared), self.sorts.parameters(parameters) as variables:
            self._measure(declared, body)
            meaning = self.condition(body) if self._is_condition(body) else self._single(body)
        self._defining.pop()
        try:
            function = defined(self._names[identifier], variables, meaning)
        except NetError as error:
            raise NetError(f"{declared}: {error}") from error
        self._functions[identifier] = function
        return function

    def _measure(self, declared: Element, body: Element) -> None:
        """Refuse an operator that stands for too much: few words may mean endless work."""
        elements, depth, waiting = 0, 0, [body]
        while waiting:
            element = waiting.pop()
            waiting += element.children
            elements += 1
            if element.tag == "useroperator" and self._is_defined(element):
                inner = element.attribute("declaration")
                self._function(inner)
                within, deep = self._extents[inner]
                elements, depth = elements + within, max(depth, deep)
            if elements > _MEANING:
                raise NetError(f"{declared}: stands for more than {_MEANING:,} elements")
        if depth >= NESTING:
            raise NetError(f"{declared}: operators nested in more than {NESTING} levels")
        self._extents[declared.attribute("id")] = elements, depth + 1

    def _comparison(self, element: Element) -> terms.Condition:
        sides = _operands(element, low=2, high=2)
        sign = _SIGNS[element.tag]
        if element.tag in ("ltp", "gtp") or any(map(self._is_block, sides)):
            return self._between_blocks(element, sign, sides)
        left, right = map(self._single, sides)
        if not same_colour(left.colour, right.colour):
            raise NetError(f"{element}: {mismatch(left.colour, right.colour)}")
        return terms.TermComparison(sign, left, right)

    def _between_blocks(
        self, element: Element, sign: str, sides: Sequence[Element]
    ) -> terms.Condition:
        """Compare partition elements: as cases, for the values of terms are only tokens."""
        if sign in ("<=", ">="):
            raise NetError(f"{element}: partition elements are compared by ltp and gtp")
        (partition, left), (second, right) = (self._in_blocks(side) for side in sides)
        if partition != second:
            raise NetError(f"{element}: compares elements of {show(partition)} and {show(second)}")
        fits = SIGNS[sign]
        self.sorts.list_tokens(len(left) ** 2, element)
        return terms.AnyOf(
            tuple(
                first & terms.AnyOf(tuple(then for j, then in enumerate(right) if fits(i, j)))
                for i, first in enumerate(left)
            )
        )

    def _is_block(self, element: Element) -> bool:
        return (
            element.tag == "partitionelementof"
            or element.attributes.get("declaration") in self._block_of
        )

    def _in_blocks(self, element: Element) -> tuple[str, list[terms.Condition]]:
        """Return a partition, and for each of its elements when a term stands for that one."""
        if element.tag == "partitionelementof":
            partition = element.attribute("refpartition")
            if partition not in self._blocks:
                raise NetError(f"{element}: there is no partition {show(partition)}")
            blocks = self._blocks[partition]
            term = self._single(*_operands(element, low=1, high=1))
            if not same_colour(term.colour, blocks[0][0].colour):
                raise NetError(
                    f"{element}: {show(str(term))} is of {show(term.colour.name)}, the partition "
                    f"of {show(blocks[0][0].colour.name)}"
                )
            self.sorts.list_tokens(sum(map(len, blocks)), element)
            return partition, [
                terms.AnyOf(tuple(terms.TermComparison("==", term, item) for item in block))
                for block in blocks
            ]
        if not self._is_block(element):
            raise NetError(f"{element}: is not an element of a partition")
        partition, number = self._block_of[element.attribute("declaration")]
        return partition, [
            terms.AllOf() if i == number else terms.AnyOf()
            for i in range(len(self._blocks[partition]))
        ]

    def _single(self, element: Element) -> terms.Term:
        term = self.term(element)
        if not terms.single(term):
            raise NetError(f"{element}: {terms.MULTISET}")
        return term

    def _shift(self, element: Element) -> terms.Term:
        # A loop: a file may nest more of them than Python calls, and they come to one number.
        steps, operand = 0, element
        while operand.tag in ("successor", "predecessor"):
            steps += 1 if operand.tag == "successor" else -1
            (operand,) = _operands(operand, low=1, high=1)
        term = self._single(operand)
        colour = term.colour
        if not (isinstance(colour, Enumeration) and colour.cyclic):
            raise NetError(f"{element}: {show(colour.name)} is not a cyclic enumeration")
        return terms.Shift(term, steps)

    def _partition(self, element: Element) -> None:
        sorts = [child for child in element.children if child.tag != "partitionelement"]
        if len(sorts) != 1:
            raise NetError(f"{element}: has {len(sorts)} sorts, not one")
        colour = self.sorts.sort(sorts[0])
        identifier = element.attribute("id")
        blocks: list[list[terms.Constant]] = []
        tokens: Counter[object] = Counter()
        for block in (child for child in element.children if child.tag == "partitionelement"):
            members = [self._single(child) for child in block.children]
            constants = [member for member in members if isinstance(member, terms.Constant)]
            if not members or constants != members:
                raise NetError(f"{block}: need one constant or more")
            if any(not same_colour(constant.of, colour) for constant in constants):
                raise NetError(f"{block}: need constants of {show(colour.name)}")
            tokens.update(constant.token for constant in constants)
            self._block_of[block.attribute("id")] = (identifier, len(blocks))
            blocks.append(constants)
        # Both: as many different ones as there are values, and none of them twice.
        if len(tokens) != colour.size or tokens.total() != colour.size:
            raise NetError(
                f"{element}: need each value of {show(colour.name)} in one element exactly"
            )
        self._blocks[identifier] = blocks


def _count(element: Element) -> int:
    if element.tag != "numberconstant":
        raise NetError(f"{element}: need a numberconstant that says how many")
    count = whole(element.attribute("value"), element)
    if count < 0:
        raise NetError(f"{element}: {count} is below 0")
    return count


def _operands(element: Element, *, low: int, high: int | None = None) -> list[Element]:
    """Return the operands of an operator, each out of its ``subterm``."""
    for child in element.children:
        if child.tag != "subterm":
            raise NetError(f"{child}: only subterm elements may stand in {element.tag}")
    operands = [child.only() for child in element.children]
    if len(operands) < low or (high is not None and len(operands) > high):
        bounds = f"{low}" if high == low else f"{low} to {high}" if high else f"{low}+"
        raise NetError(f"{element}: has {len(operands)} operands; need {bounds}")
    return operands


def _chain(element: Element) -> Iterator[Element]:
    """Run through the operands of nested applications of one associative operator."""
    waiting = [element]
    while waiting:
        node = waiting.pop()
        if node.tag == element.tag:
            waiting.extend(reversed(_operands(node, low=1)))
        else:
            yield node


def _spread(term: terms.Term) -> int:
    """Return how many tokens a term lists: more than one where it has ``all`` in it."""
    if isinstance(term, terms.TupleOf):
        return prod(map(_spread, term.parts))
    return (term.of.size or 1) if isinstance(term, terms.Everything) else 1
