"""Calls that are written down with real functions and made later, as text or as a value.

A row of a ledger shows a call and runs it. Spelled as text, the call would hide from whatever
renames a function or checks its use; quoted, it refers to the function, and the text is derived.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any

from kproof.errors import InvalidArgument


class Quoted:
    """An expression that has not been evaluated: calls, attributes, items, a few operators.

    Whatever is done to it is written down; :func:`text_of` and :func:`evaluate` read it.
    """

    __slots__ = ("_imports", "_make", "_text")

    def __init__(self, text: str, make: Callable[[], Any], imports: Mapping[str, str]) -> None:
        self._text = text
        self._make = make
        self._imports = dict(imports)

    def __call__(self, *values: object, **named: object) -> Quoted:
        """Write down a call."""
        arguments = [text_of(value) for value in values]
        arguments += [f"{name}={text_of(value)}" for name, value in named.items()]
        return self._with(
            f"{self._text}({', '.join(arguments)})",
            lambda: self._make()(
                *map(evaluate, values), **{name: evaluate(value) for name, value in named.items()}
            ),
            *values,
            *named.values(),
        )

    def __getattr__(self, name: str) -> Quoted:
        """Write down an attribute.

        Raises AttributeError if it is private: copiers and shells ask whether there is one.
        """
        if name.startswith("_"):
            # Says nothing of the expression: a copier asks before there is one.
            raise AttributeError(f"{name} is private and is not written down")
        return self._with(f"{self._text}.{name}", lambda: getattr(self._make(), name))

    def __getitem__(self, key: object) -> Quoted:
        """Write down an item or a slice from the beginning."""
        item = f":{key.stop}" if isinstance(key, slice) else repr(key)
        return self._with(f"{self._text}[{item}]", lambda: self._make()[key])

    def __sub__(self, other: object) -> Quoted:
        text = f"{self._text} - {text_of(other)}"
        return self._with(text, lambda: self._make() - evaluate(other), other)

    def __mul__(self, other: object) -> Quoted:
        text = f"{self._text} * {text_of(other)}"
        return self._with(text, lambda: self._make() * evaluate(other), other)

    def __bool__(self) -> bool:
        """Refuse: Python would drop a part of ``a < b < c`` and of ``a and b``."""
        raise TypeError(f"{self._text} has not been evaluated")

    def __repr__(self) -> str:
        return self._text

    def _with(self, text: str, make: Callable[[], Any], *operands: object) -> Quoted:
        imports = dict(self._imports)
        for operand in operands:
            imports |= imports_of(operand)
        return Quoted(text, make, imports)


def quote(function: Callable[..., Any]) -> Quoted:
    """Return a function as the beginning of an expression.

    >>> from math import gcd
    >>> call = quote(gcd)(4, 6)
    >>> call, evaluate(call), imports_of(call)
    (gcd(4, 6), 2, {'gcd': 'math'})
    """
    name, home = function.__name__, function.__module__
    return Quoted(name, lambda: function, {} if home == "builtins" else {name: home})


def each(*parts: Quoted) -> Quoted:
    """Return several expressions as one, whose value is a tuple.

    >>> both = each(quote(len)("ab"), quote(max)(3, 4))
    >>> both, evaluate(both)
    (len('ab'), max(3, 4), (2, 4))
    """
    imports: dict[str, str] = {}
    for part in parts:
        imports |= imports_of(part)
    return Quoted(", ".join(map(text_of, parts)), lambda: tuple(map(evaluate, parts)), imports)


def parse(text: str, modules: Mapping[str, str]) -> Any:
    """Return the expression that a text writes down, or the value if it calls nothing.

    ``text``: calls, attributes, items, a few operators and literals; commas as in :func:`each`.
    ``modules``: the module of each function that the text names; others are built in.

    >>> call = parse("gcd(4, 6), max([1, 2])", {"gcd": "math"})
    >>> evaluate(call), imports_of(call)
    ((2, 2), {'gcd': 'math'})
    >>> parse("gcd(4,6)", {"gcd": "math"})
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: call = gcd(4,6): need gcd(4, 6)
    """
    try:
        node = ast.parse(text, mode="eval").body
    except SyntaxError:
        raise InvalidArgument("call", text, "a Python expression") from None
    # In parentheses a tuple is a value; without them it is several expressions.
    top = node.elts if isinstance(node, ast.Tuple) and not text.startswith("(") else [node]
    parts = [_from_node(part, modules) for part in top]
    expression = each(*parts) if len(parts) > 1 else parts[0]
    # Written back it is what was read: else the evidence would be of another call.
    if text_of(expression) != text:
        raise InvalidArgument("call", text, text_of(expression))
    return expression


def _from_node(node: ast.expr, modules: Mapping[str, str]) -> Any:
    match node:
        # Before the built-in names: a function that is imported hides one of the same name, in a
        # session, too.
        case ast.Name(id=name) if name in modules:
            home = modules[name]
            return Quoted(name, lambda: getattr(import_module(home), name), {name: home})
        case ast.Name(id=name) if callable(getattr(builtins, name, None)):
            return quote(getattr(builtins, name))
        case ast.Call(func=function, args=arguments, keywords=keyword_nodes):
            keywords = {str(word.arg): _from_node(word.value, modules) for word in keyword_nodes}
            called = _from_node(function, modules)
            return called(*(_from_node(part, modules) for part in arguments), **keywords)
        case ast.Attribute(value=owner, attr=name):
            return getattr(_from_node(owner, modules), name)
        case ast.Subscript(value=owner, slice=ast.Slice(lower=None, upper=end, step=None)):
            return _from_node(owner, modules)[: ast.literal_eval(end) if end else None]
        case ast.Subscript(value=owner, slice=key):
            return _from_node(owner, modules)[ast.literal_eval(key)]
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return _from_node(left, modules) - _from_node(right, modules)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return _from_node(left, modules) * _from_node(right, modules)
    try:
        # Evaluates literals and nothing else: lambdas, comprehensions and names that nobody imports
        # end here.
        return ast.literal_eval(node)
    except ValueError:
        raise InvalidArgument("call", ast.unparse(node), "calls of named functions") from None


def text_of(value: object) -> str:
    """Return an expression, or any other value, as Python text."""
    return repr(value)


def evaluate(value: object) -> Any:
    """Return the value of an expression; what is no expression is its own value."""
    return value._make() if isinstance(value, Quoted) else value


def imports_of(value: object) -> Mapping[str, str]:
    """Return the names that the text of an expression needs, each with its module."""
    return value._imports if isinstance(value, Quoted) else {}


def import_lines(names: Iterable[tuple[str, str]]) -> list[str]:
    """Return import statements for names and their modules, a line for each module."""
    by_module: dict[str, list[str]] = {}
    for name, module in sorted(names):
        by_module.setdefault(module, []).append(name)
    return [f"from {module} import {', '.join(by_module[module])}" for module in sorted(by_module)]
