"""Places and transitions of the paper's nets, which are data: the parts of ``nets.toml``.

A term is text in the words of whoever builds the net: ``(next(c), ecs)`` is a tuple of the call of
a function and a variable. Text is only ever read: nothing in it is executed.
"""

import ast
import operator
import tomllib
from collections.abc import Callable, Mapping
from functools import cache, reduce
from pathlib import Path
from typing import Any, TypeAlias

from kproof.petri.net.net import Choice, NetBuilder
from kproof.petri.net.terms import TRUE, Function, tuple_of

Calls: TypeAlias = Mapping[str, Callable[..., Any]]
"""What works out the functions of a net, by their names."""

_ARCS = ("takes", "puts", "reads")


@cache
def _parts() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("nets.toml").read_text(encoding="utf-8"))


def add_part(build: NetBuilder, part: str, words: Mapping[str, Any], reading: str = "") -> None:
    """Add the places and transitions of a part of ``nets.toml``, and then those of its reading.

    ``words`` says what words stand for: colours, variables, constants and functions. What the file
    has beside a part in a reading are further arcs, and conditions that are asked first, of the
    transition that they name, or of all.
    """
    parts = _parts()
    for row in parts[part]:
        for more in parts.get(f"{part}, beside, {reading}", ()):
            if more.get("transition", row["transition"]) == row["transition"]:
                guards = [*more.get("guards", ()), *row.get("guards", ())]
                arcs = {kind: {**row.get(kind, {}), **more.get(kind, {})} for kind in _ARCS}
                # A new row: those of the file are read once, for every net of the process.
                row = {**row, **arcs, "guards": guards}
        _add_row(build, row, words)
    for row in parts.get(f"{part}, {reading}", ()):
        _add_row(build, row, words)


def _add_row(build: NetBuilder, row: Mapping[str, Any], words: Mapping[str, Any]) -> None:
    if "place" in row:
        initial = read_term(row["initial"], words) if "initial" in row else None
        build.place(row["place"], words[row["colour"]], initial, note=row["note"])
        return
    guards = [read_term(text, words) for text in row.get("guards", ())]
    build.transition(
        row["transition"],
        **{
            kind: {place: read_term(text, words) for place, text in row.get(kind, {}).items()}
            for kind in _ARCS
        },
        guard=reduce(operator.and_, guards) if guards else TRUE,
        choices=tuple(read_term(text, words) for text in row.get("choices", ())),
        note=row.get("note", ""),
    )


def read_term(text: str, words: Mapping[str, Any]) -> Any:
    """Return a term, a condition, or for ``x in function(c)`` a choice, in words with a meaning.

    >>> from kproof.petri.net.colours import Integers
    >>> from kproof.petri.net.terms import Variable
    >>> words = {"c": Variable("c", Integers("Few", 0, 3))}
    >>> print(read_term("c < 2 and not c == 1", words))
    c < 2 and not c == 1
    """

    def value(node: ast.expr) -> Any:
        match node:
            case ast.Name(id=name):
                return words[name]
            case ast.Constant(value=token):
                return token
            case ast.Tuple(elts=parts):
                return tuple_of(*map(value, parts))
            case ast.Call(func=function, args=arguments):
                return value(function)(*map(value, arguments))
            # The call is taken apart: a choice has the function and its arguments, not a term.
            case ast.Compare(left=left, ops=[ast.In()], comparators=[ast.Call() as offer]):
                return Choice(value(left), value(offer.func), tuple(map(value, offer.args)))
            case ast.Compare(left=left, ops=[sign], comparators=[right]):
                return _COMPARED[type(sign)](value(left), value(right))
            case ast.BoolOp(op=ast.And(), values=parts):
                return reduce(operator.and_, map(value, parts))
            case ast.UnaryOp(op=ast.Not(), operand=part):
                return ~value(part)
        raise ValueError(f"nets.toml: {text!r} is no term")

    return value(ast.parse(text, mode="eval").body)


_COMPARED: Mapping[type[ast.cmpop], Any] = {
    ast.Eq: lambda left, right: left.equals(right), ast.Lt: operator.lt, ast.Gt: operator.gt,
}  # fmt: skip


def functions_of(part: str, calls: Calls, words: Mapping[str, Any]) -> dict[str, Function]:
    """Return the functions of a part of ``nets.toml``, by name, each with what works it out."""
    return {
        name: Function(name, calls[name], words.get(row.get("result", "")), row["note"])
        for name, row in _parts()["functions"][part].items()
    }
