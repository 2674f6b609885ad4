"""Expressions of SNAKES as terms and conditions, read from their text and never run.

The text is parsed as Python and only parsed. Comparisons of variables and constants become those of
our own terms; what is left of the small language below becomes a function that works it out from
the parsed text, operator by operator. Anything else is refused.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from kproof.errors import NetError, show
from kproof.petri.net.colours import DOT, Colour, Enumeration, Open, Product, Token, same_colour
from kproof.petri.net.terms import (
    AllOf,
    AnyOf,
    Call,
    Condition,
    Constant,
    Function,
    Negation,
    Shift,
    Term,
    TermComparison,
    TupleOf,
    Variable,
)
from kproof.petri.snakes.library import ANY, is_plain, natural

LANGUAGE = (
    "read are comparisons, and, or, not, + - * // % of whole numbers, variables, constants, "
    "tuples and tables that are looked up"
)
"""What expressions may be made of."""

_COMPARED: Mapping[type[ast.cmpop], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Eq: ("==", operator.eq),
    ast.NotEq: ("!=", operator.ne),
    ast.Lt: ("<", operator.lt),
    ast.LtE: ("<=", operator.le),
    ast.Gt: (">", operator.gt),
    ast.GtE: (">=", operator.ge),
}
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
    variables: Mapping[str, Variable]
    """The variables that arcs bind, by name."""
    known: Mapping[str, Token]
    """Tokens that names of the net stand for."""

    def condition(self, text: str) -> Condition:
        """Return the condition that an expression is true.

        Raises:
            NetError: If it is not in the language; names the transition and the expression.
        """
        return self._condition(self._parse(text))

    def token(self, text: str, colour: Colour) -> tuple[Term, tuple[Condition, ...]]:
        """Return an expression as a term of a colour, and what must hold for it to be of that.

        SNAKES does not fire what would put a token into a place whose type does not have it.

        Raises:
            NetError: As :meth:`condition`.
        """
        node = self._parse(text)
        if (term := self._plain(node, colour)) is not None:
            return term, ()
        call = self._call(node, colour)
        if isinstance(colour, Open) and colour.holds is ANY.holds:
            return call, ()
        value = call.function.call
        within = Function(
            f"{call.function.name} in {colour.name}", lambda *values: value(*values) in colour
        )
        return call, (Call(within, call.arguments),)

    def _parse(self, text: str) -> ast.expr:
        try:
            node = ast.parse(text.strip(), mode="eval").body
            self._admit(node, text)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
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
                if name not in self.variables and name not in self.known:
                    refuse(f"no input arc binds {show(name)}")
            case ast.BoolOp() | ast.Tuple():
                pass
            case ast.UnaryOp(op=ast.Not() | ast.USub() | ast.UAdd()):
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

    def _condition(self, node: ast.expr) -> Condition:
        match node:
            case ast.Constant(value=bool(value)):
                return AllOf() if value else AnyOf()
            case ast.BoolOp(op=ast.And(), values=values):
                return AllOf(tuple(map(self._condition, values)))
            case ast.BoolOp(values=values):
                return AnyOf(tuple(map(self._condition, values)))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return Negation(self._condition(operand))
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                sides = (left, *comparators)
                pairs = zip(sides, ops, sides[1:], strict=False)
                comparisons = tuple(self._comparison(*pair) for pair in pairs)
                return comparisons[0] if len(comparisons) == 1 else AllOf(comparisons)
        return self._call(node, None)

    def _comparison(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> Condition:
        sign, _ = _COMPARED[type(op)]
        first, second = self._rank_argument(left), self._rank_argument(right)
        if first is not None and second is not None and same_colour(first.colour, second.colour):
            return TermComparison(sign, first, second)
        first = self._plain(left, None)
        second = self._plain(right, None if first is None else first.colour)
        if first is None and second is not None:
            first = self._plain(left, second.colour)
        if first is not None and second is not None:
            colour = first.colour
            same = same_colour(colour, second.colour)
            if same and (sign in ("==", "!=") or natural(colour)):
                return TermComparison(sign, first, second)
        return self._call(ast.Compare(left, [op], [right]), None)

    def _rank_argument(self, node: ast.expr) -> Term | None:
        """Return the term whose position in its colour is looked up, or None."""
        match node:
            case ast.Subscript(value=ast.Dict() as table, slice=index):
                ranks = self._table(table)
                if ranks is not None:
                    for colour in self._colours():
                        if colour.ranks == ranks:
                            return self._plain(index, colour)
        return None

    def _plain(self, node: ast.expr, colour: Colour | None) -> Term | None:
        """Return a term of a colour without functions, or None; no colour stands for any."""
        if (literal := self._literal(node)) is not None:
            (token,) = literal
            if colour is not None:
                return Constant(token, colour) if token in colour else None
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
                terms = [self._plain(*pair) for pair in zip(parts, colours, strict=True)]
                known = tuple(term for term in terms if term is not None)
                return TupleOf(known) if len(known) == len(parts) else None
            case ast.Subscript(value=ast.Dict() as table, slice=index):
                return self._shift(self._table(table) or {}, index, colour)
        return None

    def _shift(
        self, table: Mapping[Token, Token], index: ast.expr, colour: Colour | None
    ) -> Term | None:
        """Return the term that a table of successors stands for, or None."""
        for of in self._colours() if colour is None else (colour,):
            if not (isinstance(of, Enumeration) and of.cyclic and set(table) == set(of.members)):
                continue
            values, size = of.members, len(of.members)
            if table[values[0]] not in of:
                continue
            step = of.ranks[table[values[0]]]
            if all(table[value] == values[(i + step) % size] for i, value in enumerate(values)):
                term = self._plain(index, of)
                return None if term is None else Shift(term, step)
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

    def _call(self, node: ast.expr, result: Colour | None) -> Call:
        """Return the call of a function that works out an expression."""
        names = sorted(
            {part.id for part in ast.walk(node) if isinstance(part, ast.Name)} & set(self.variables)
        )

        def call(*values: Token) -> Any:
            return self._worked_out(node, dict(zip(names, values, strict=True)))

        text = " ".join(ast.unparse(node).split())
        return Call(
            Function(text, call, result, note=f"as in SNAKES: {text}"),
            tuple(self.variables[name] for name in names),
        )

    def _worked_out(self, node: ast.expr, binding: Mapping[str, Token]) -> Any:
        if (literal := self._literal(node)) is not None and not isinstance(node, ast.Name):
            return literal[0]

        def value(part: ast.expr) -> Any:
            return self._worked_out(part, binding)

        match node:
            case ast.Name(id=name):
                return binding[name] if name in binding else self.known[name]
            case ast.Tuple(elts=parts):
                return tuple(map(value, parts))
            case ast.BoolOp(op=op, values=parts):
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
                sides = [value(side) for side in (left, *comparators)]
                pairs = zip(sides, ops, sides[1:], strict=False)
                return all(_COMPARED[type(op)][1](first, second) for first, op, second in pairs)
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
            case ast.Name(id=name) if name in self.known and name not in self.variables:
                return (self.known[name],)
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
    if type(value) not in (int, bool):
        raise TypeError(f"{show(value)} is not a whole number")
    return int(value)
