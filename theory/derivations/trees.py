"""Formulas as plain data: SymPy expressions to nested lists of strings and back.

Certificates hold formulas in this form, so that whoever rechecks them needs no code of ours and
evaluates nothing. A tree is a string, a number such as ``"-3/10"`` or a name, or a list whose
first member says what is applied to the others: ``["<=", ["*", "p", "n"], "5"]``.
"""

import re
from collections.abc import Iterable
from typing import TypeAlias

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.logic.boolalg import BooleanFalse, BooleanTrue

from kproof.errors import InvalidArgument
from kproof.theory.theorems.symbolic import Phi

Tree: TypeAlias = "str | list[Tree]"
# `\Z`, since `$` lets a line break pass at the end.
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_']*\Z")
NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(/[1-9][0-9]*)?\Z")

_OPERATORS: dict[type, str] = {
    sp.Add: "+",
    sp.Mul: "*",
    sp.exp: "exp",
    sp.log: "log",
    sp.Abs: "abs",
    sp.Max: "max",
    sp.Min: "min",
    sp.floor: "floor",
    sp.ceiling: "ceiling",
    sp.binomial: "binomial",
    sp.LambertW: "lambertw",
    Phi: "Phi",
    sp.Eq: "=",
    sp.Ne: "!=",
    sp.Le: "<=",
    sp.Lt: "<",
    sp.And: "and",
    sp.Or: "or",
    sp.Not: "not",
    sp.Implies: "implies",
}
_WORDS = frozenset({*_OPERATORS.values(), "sum", "apply"})
_READ_AS_KNOWN = re.compile(
    r"(pi|sqrt|cbrt|root|ln|lg|log2|log10|log1p|expm1|(a|arc)?(sin|cos|tan|cot)h?|erfc?|gamma"
    r"|factorial|choose|pow|power|sign|sgn|mod|gcd|lcm|ceil|round|trunc|Exp|Log|Abs|Max|Min|Sum"
    r"|Product|LambertW|if|then|iff|for|from)\Z"
)
"""What no function may be called: as a sentence it would be read as the operator, or as what the
word means to every reader. ``sqrt(2)`` would be any number."""
_TURNED: dict[type, str] = {sp.Ge: "<=", sp.Gt: "<"}


def tree(expression: sp.Basic) -> Tree:
    """Return the tree of an expression, a relation or a combination of relations.

    ``expression``: built from rationals, symbols, pi, sums, products, powers, exp, log, Abs, Max,
    Min, floor, ceiling, binomial, LambertW, Phi, applied undefined functions, finite sums,
    relations and connectives. Names are letters, digits, ``_`` and ``'``.

    >>> p, n = sp.symbols("p n")
    >>> tree(sp.Ge(5, p * n))
    ['<=', ['*', 'n', 'p'], '5']
    >>> tree(sp.sin(p))
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: expression = sin(p): need an expression that certificates know
    """
    if isinstance(expression, sp.Rational):
        return str(expression)
    if isinstance(expression, sp.Symbol):
        assumptions(expression)
        return _require_name(expression.name)
    if expression is sp.pi:
        return "pi"
    if expression is sp.E:
        return ["exp", "1"]
    if isinstance(expression, BooleanTrue | BooleanFalse):
        return ["=", "0", "0" if expression else "1"]
    kind = type(expression)
    if kind in _TURNED:
        return [_TURNED[kind], *(tree(argument) for argument in reversed(expression.args))]
    if kind in _OPERATORS:
        return [_OPERATORS[kind], *(tree(argument) for argument in expression.args)]
    if isinstance(expression, sp.Pow):
        return ["^", tree(expression.base), tree(expression.exp)]
    if isinstance(expression, AppliedUndef):
        # Two functions of one name and different assumptions would be one in the tree.
        if expression.func != sp.Function(expression.func.__name__):
            raise InvalidArgument("function", expression, "one of which nothing is assumed")
        parts = [tree(argument) for argument in expression.args]
        name = _require_name(expression.func.__name__)
        if name in _WORDS or _READ_AS_KNOWN.match(name):
            raise InvalidArgument("function", name, "a name that means nothing else")
        return ["apply", name, *parts]
    if isinstance(expression, sp.Sum) and len(expression.limits) == 1:
        (variable, low, high) = expression.limits[0]
        return ["sum", tree(expression.function), tree(variable), tree(low), tree(high)]
    raise InvalidArgument("expression", expression, "an expression that certificates know")


def _require_name(name: str) -> str:
    if name == "pi" or not NAME.match(name):
        raise InvalidArgument("symbol", name, "letters, digits, _ and ', other than pi")
    return name


def symbols_of(expressions: Iterable[sp.Basic]) -> list[sp.Symbol]:
    """Return the symbols of expressions, bound ones included, in order of their names."""
    by_name: dict[str, sp.Symbol] = {}
    for expression in expressions:
        for symbol in expression.atoms(sp.Symbol):
            if by_name.setdefault(symbol.name, symbol) != symbol:
                raise InvalidArgument("symbol", symbol.name, "one set of assumptions for a name")
    return [by_name[name] for name in sorted(by_name)]


def assumptions(symbol: sp.Symbol) -> list[str]:
    """Return what is assumed of a symbol: its kind, then its sign if there is one.

    >>> assumptions(sp.Symbol("n", integer=True, positive=True)), assumptions(sp.Symbol("x"))
    (['integer', 'positive'], ['real'])
    >>> assumptions(sp.Symbol("n", negative=True))
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: symbol = n: need real or integer, positive or nonnegative or not
    """
    kind = "integer" if symbol.is_integer else "real"
    sign = ["positive"] if symbol.is_positive else ["nonnegative"] if symbol.is_nonnegative else []
    plain = sp.Symbol(symbol.name, **dict.fromkeys([kind, *sign], True)).assumptions0
    if not symbol.assumptions0.items() <= plain.items():
        # SymPy would use what no certificate says.
        need = "real or integer, positive or nonnegative or not"
        raise InvalidArgument("symbol", symbol.name, need)
    return [kind, *sign]
