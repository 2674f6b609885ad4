"""Expressions of SNAKES as terms and conditions, read from their text and never run, and back.

The text is parsed as Python and only parsed. Comparisons of variables and constants become those of
our own terms; what is left of the small language below becomes a function that works it out from
the parsed text, operator by operator. Anything else is refused.

Terms that can be written out become text in the same language: constants as literals, the successor
as a table that is looked up, and an order that is not Python's as a table of positions.
"""

import ast
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from kproof.errors import NetError, show
from kproof.petri.net import terms
from kproof.petri.net.colours import (
    DOT,
    LISTED,
    Colour,
    Dot,
    Enumeration,
    Open,
    Product,
    Token,
    same_colour,
)
from kproof.petri.net.signs import SIGNS
from kproof.petri.net.writing import successors
from kproof.petri.snakes.library import ANY, is_plain, natural

LANGUAGE = (
    "read are comparisons, and, or, not, + - * // % of whole numbers, variables, constants, "
    "tuples and tables that are looked up"
)
"""What expressions may be made of."""

_COMPARED: Mapping[type[ast.cmpop], str] = dict(
    zip((ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE), SIGNS, strict=True)
)
_COMPUTED: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}


@dataclass(frozen=True)
class Expressions:
    """Reads the expressions of one transition."""

    where: str
    """What error messages begin with."""
    variables: Mapping[str, terms.Variable]
    """The variables that arcs bind, by name."""
    constants: Mapping[str, Token]
    """Tokens that names of the net stand for."""

    def condition(self, text: str) -> terms.Condition:
        """Return the condition that an expression is true; NetError if it is none."""
        return self._condition(self._parse(text))

    def token(self, text: str, colour: Colour) -> tuple[terms.Term, tuple[terms.Condition, ...]]:
        """Return an expression as a term of a colour, and what must hold for it to be of that.

        SNAKES does not fire what would put a token into a place whose type does not have it.
        """
        node = self._parse(text)
        if (term := self._plain(node, colour)) is not None:
            return term, ()
        call = self._call(node, colour)
        # Of any place that has no type all plain data are tokens, so that nothing is left to ask.
        if isinstance(colour, Open) and colour.holds is ANY.holds:
            return call, ()
        value = call.function.call
        within = terms.Function(
            f"{call.function.name} in {colour.name}", lambda *values: value(*values) in colour
        )
        return call, (terms.Call(within, call.arguments),)

    def _parse(self, text: str) -> ast.expr:
        try:
            node = ast.parse(text.strip(), mode="eval").body
            self._admit(node, text)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            # A NetError is a ValueError as well, and says more.
            if isinstance(error, NetError):
                raise
            raise NetError(f"{self.where}: expression {show(text)} cannot be parsed") from error
        return node

    def _admit(self, node: ast.expr, text: str) -> None:
        """Raise NetError unless an expression is of the language."""

        def refuse(why: str) -> NoReturn:
            raise NetError(f"{self.where}: expression {show(text)}: {why}")

        match node:
            case ast.Constant(value=value) if is_plain(value):
                return
            case ast.Name(id=name):
                if name not in self.variables and name not in self.constants:
                    refuse(f"no input arc binds {show(name)}")
            case ast.BoolOp() | ast.Tuple() | ast.UnaryOp(op=ast.Not() | ast.USub() | ast.UAdd()):
                pass
            case ast.BinOp(op=op) if type(op) in _COMPUTED:
                pass
            case ast.Compare(ops=ops) if all(type(op) in _COMPARED for op in ops):
                pass
            case ast.Subscript(value=ast.Dict() as table):
                if self._table(table) is None:
                    refuse("a table has more than constants")
                self._admit(node.slice, text)
                return
            case _:
                refuse(LANGUAGE)
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.expr):
                self._admit(part, text)

    def _condition(self, node: ast.expr) -> terms.Condition:
        match node:
            case ast.Constant(value=bool(value)):
                return terms.AllOf() if value else terms.AnyOf()
            case ast.BoolOp(op=ast.And(), values=values):
                return terms.AllOf(tuple(map(self._condition, values)))
            case ast.BoolOp(values=values):
                return terms.AnyOf(tuple(map(self._condition, values)))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return terms.Negation(self._condition(operand))
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                sides = (left, *comparators)
                pairs = zip(sides, ops, sides[1:], strict=False)
                comparisons = tuple(self._comparison(*pair) for pair in pairs)
                return comparisons[0] if len(comparisons) == 1 else terms.AllOf(comparisons)
        return self._call(node, None)

    def _comparison(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> terms.Condition:
        sign = _COMPARED[type(op)]
        first, second = self._rank_argument(left), self._rank_argument(right)
        if first is not None and second is not None and same_colour(first.colour, second.colour):
            return terms.TermComparison(sign, first, second)
        # A constant has the colour of the other side, whichever side that is.
        first = self._plain(left, None)
        second = self._plain(right, None if first is None else first.colour)
        if first is None and second is not None:
            first = self._plain(left, second.colour)
        if first is not None and second is not None:
            orderly = sign in ("==", "!=") or natural(first.colour)
            if orderly and same_colour(first.colour, second.colour):
                return terms.TermComparison(sign, first, second)
        return self._call(ast.Compare(left, [op], [right]), None)

    def _rank_argument(self, node: ast.expr) -> terms.Term | None:
        """Return the term whose position in its colour is looked up, or None."""
        match node:
            case ast.Subscript(value=ast.Dict() as table, slice=index):
                ranks = self._table(table)
                if ranks is not None:
                    for colour in self._colours():
                        if colour.ranks == ranks:
                            return self._plain(index, colour)
        return None

    def _plain(self, node: ast.expr, colour: Colour | None) -> terms.Term | None:
        """Return a term of a colour without functions, or None; no colour stands for any."""
        if (literal := self._literal(node)) is not None:
            (token,) = literal
            if colour is not None:
                return terms.Constant(token, colour) if token in colour else None
        match node:
            case ast.Name(id=name) if name in self.variables:
                variable = self.variables[name]
                return variable if colour is None or same_colour(variable.of, colour) else None
            case ast.Tuple(elts=parts):
                colours: tuple[Colour | None, ...] = (None,) * len(parts)
                if isinstance(colour, Product) and len(colour.parts) == len(parts):
                    colours = colour.parts
                elif colour is not None:
                    return None
                elements = [self._plain(*pair) for pair in zip(parts, colours, strict=True)]
                plain = tuple(element for element in elements if element is not None)
                return terms.TupleOf(plain) if len(plain) == len(parts) else None
            case ast.Subscript(value=ast.Dict() as table, slice=index):
                return self._shift(self._table(table) or {}, index, colour)
        return None

    def _shift(
        self, table: Mapping[Token, Token], index: ast.expr, colour: Colour | None
    ) -> terms.Term | None:
        """Return the term that a table of successors stands for, or None."""
        for of in self._colours() if colour is None else (colour,):
            if not (isinstance(of, Enumeration) and of.cyclic and set(table) == set(of.members)):
                continue
            step = of.ranks.get(table[of.members[0]])
            if step is not None and table == successors(of, step):
                term = self._plain(index, of)
                return None if term is None else terms.Shift(term, step)
        return None

    def _colours(self) -> Iterator[Colour]:
        """Run through the finite colours of the variables and of their parts."""
        waiting = [variable.of for variable in self.variables.values()]
        while waiting:
            colour = waiting.pop()
            if colour.size is not None:
                yield colour
            if isinstance(colour, Product):
                waiting.extend(colour.parts)

    def _call(self, node: ast.expr, result: Colour | None) -> terms.Call:
        """Return the call of a function that works out an expression."""
        names = sorted(
            {part.id for part in ast.walk(node) if isinstance(part, ast.Name)} & set(self.variables)
        )

        def call(*values: Token) -> Any:
            return self._evaluate(node, dict(zip(names, values, strict=True)))

        text = " ".join(ast.unparse(node).split())
        return terms.Call(
            terms.Function(text, call, result, note=f"as in SNAKES: {text}"),
            tuple(self.variables[name] for name in names),
        )

    def _evaluate(self, node: ast.expr, binding: Mapping[str, Token]) -> Any:
        if (literal := self._literal(node)) is not None and not isinstance(node, ast.Name):
            return literal[0]

        def value(part: ast.expr) -> Any:
            return self._evaluate(part, binding)

        match node:
            case ast.Name(id=name):
                return binding[name] if name in binding else self.constants[name]
            case ast.Tuple(elts=parts):
                return tuple(map(value, parts))
            case ast.BoolOp(op=op, values=parts):
                # As in Python: what comes out is the operand that decides, and no truth value.
                last: Any = None
                for part in parts:
                    last = value(part)
                    if bool(last) is isinstance(op, ast.Or):
                        break
                return last
            case ast.UnaryOp(op=ast.Not(), operand=part):
                return not value(part)
            case ast.UnaryOp(op=op, operand=part):
                number = _whole(value(part))
                return -number if isinstance(op, ast.USub) else number
            case ast.BinOp(left=left, op=op, right=right):
                return _COMPUTED[type(op)](_whole(value(left)), _whole(value(right)))
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                # No further than it is true, as in Python: what comes after may not be defined.
                first = value(left)
                for sign, part in zip(ops, comparators, strict=True):
                    second = value(part)
                    if not SIGNS[_COMPARED[type(sign)]](first, second):
                        return False
                    first = second
                return True
            case ast.Subscript(value=ast.Dict() as table, slice=index):
                return (self._table(table) or {})[value(index)]
        raise NetError(f"{self.where}: {LANGUAGE}")

    def _table(self, node: ast.Dict) -> dict[Token, Token] | None:
        """Return a table that is written out in constants, or None."""
        table: dict[Token, Token] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            entry = (None if key is None else self._literal(key), self._literal(value))
            if entry[0] is None or entry[1] is None:
                return None
            table[entry[0][0]] = entry[1][0]
        return table

    def _literal(self, node: ast.expr) -> tuple[Token] | None:
        """Return the token that a constant, or a tuple of such, stands for; or None."""
        match node:
            case ast.Constant(value=value) if is_plain(value):
                return (value,)
            # A variable hides a constant of the same name, as it does in SNAKES.
            case ast.Name(id=name) if name in self.constants and name not in self.variables:
                return (self.constants[name],)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(value))):
                return (-value,)
            case ast.Tuple(elts=parts):
                literals = [self._literal(part) for part in parts]
                if all(literal is not None for literal in literals):
                    return (tuple(literal[0] for literal in literals if literal is not None),)
        return None


def literal_tables(text: str) -> Iterator[tuple[Token, ...]]:
    """Run through the keys of tables that give each of their keys another; those turn a cycle."""
    try:
        tree = ast.parse(text.strip(), mode="eval")
        for node in ast.walk(tree):
            if isinstance(node, ast.Dict):
                table = Expressions("", {}, {"dot": DOT})._table(node)
                if table and set(table) == set(table.values()):
                    yield tuple(table)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return


def _whole(value: Any) -> int:
    # Exact types, and no texts or tuples: `*` of those makes as much of them as the number says.
    if type(value) not in (int, bool):
        raise TypeError(f"{show(value)} is not a whole number")
    return int(value)


BLACK = "dot"
"""What the black token is called in expressions; ``net.globals`` has it."""

# What is written is one of these, whatever the net has.
_SIGNS = {sign: sign for sign in SIGNS}


class _Unwritten(Exception):
    """There is no text for something."""


def text_of(part: terms.Condition | terms.Term, names: Mapping[str, str]) -> str | None:
    """Return a condition or a term as text, or None if it has functions or values with no literal.

    Variables have other names there, which are identifiers.

    >>> from kproof.petri.net.colours import enumeration
    >>> ring = enumeration("Ring", "ab", cyclic=True)
    >>> x = terms.Variable("x", ring)
    >>> text_of(x.equals("a") | (terms.Shift(x, 1) > "a"), {"x": "x"})
    "((x == 'a') or ({'a': 'b', 'b': 'a'}[x] > 'a'))"
    """
    try:
        return _write(part, names)
    except _Unwritten:
        return None


def _write(part: terms.Condition | terms.Term, names: Mapping[str, str]) -> str:
    match part:
        case terms.Variable():
            return names[part.name]
        case terms.Constant():
            return _literal(part.token, part.of)
        case terms.TupleOf():
            return _write_tuple(_write(element, names) for element in part.parts)
        case terms.Shift():
            colour = part.colour
            turned = {
                token: _literal(to, colour) for token, to in successors(colour, part.by).items()
            }
            return f"{_write_table(colour, turned)}[{_write(part.term, names)}]"
        case terms.TermComparison():
            left, right = _write(part.left, names), _write(part.right, names)
            colour = part.left.colour
            if part.sign not in ("==", "!=") and not natural(colour):
                # The order of what is too large to be listed cannot be written out.
                few = colour.size is not None and colour.size <= LISTED
                ranks = _write_table(colour, colour.ranks if few else {})
                left, right = f"{ranks}[{left}]", f"{ranks}[{right}]"
            return f"({left} {_SIGNS[part.sign]} {right})"
        case terms.Negation():
            return f"(not {_write(part.part, names)})"
        case terms.AllOf() | terms.AnyOf():
            every = isinstance(part, terms.AllOf)
            parts = [_write(operand, names) for operand in part.parts]
            return f"({(' and ' if every else ' or ').join(parts)})" if parts else str(every)
    raise _Unwritten


def _write_table(colour: Colour, values: Mapping[Token, object]) -> str:
    if not values:
        raise _Unwritten
    return f"{{{', '.join(f'{_literal(token, colour)}: {its}' for token, its in values.items())}}}"


def _literal(token: Token, colour: Colour) -> str:
    if isinstance(colour, Dot):
        return BLACK
    if isinstance(colour, Product) and isinstance(token, tuple):
        pairs = zip(token, colour.parts, strict=True)
        return _write_tuple(_literal(element, part) for element, part in pairs)
    if not is_plain(token) or isinstance(token, float):
        raise _Unwritten
    return repr(token)


def _write_tuple(parts: Iterable[str]) -> str:
    return f"({''.join(f'{part}, ' for part in parts)})"
