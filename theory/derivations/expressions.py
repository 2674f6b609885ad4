"""Formulas as proof files write them, and the SymPy expressions that they stand for.

``2*p^x``, ``a <= b < c``, ``x = y``, ``A and B``, ``implies(A, B)``: arithmetic as in Python, with
``^`` for powers and ``=`` for equality. ``at(A, x, 1, y, 2)`` is A at other values of its symbols.
SymPy decides no relation on the way. Text is taken apart by Python's parser and never run: what is
no name of the file, no number and none of the operators below is refused.
"""

import ast
import operator
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

import sympy as sp

from kproof.errors import InvalidArgument, one_of
from kproof.theory.derivations import formulas
from kproof.theory.theorems import theorem2
from kproof.theory.theorems.symbolic import Phi

_OPERATORS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_RELATIONS: Mapping[type[ast.cmpop], Callable[[Any, Any], sp.Basic]] = {
    ast.Eq: formulas.equal,
    ast.LtE: formulas.at_most,
    ast.Lt: formulas.less,
}
_PRIME = "ʹ"
"""Stands for the apostrophe of ``Q'`` while Python reads: a letter, which no file has by itself."""

KNOWN: Mapping[str, Any] = {
    **{name: getattr(sp, name) for name in ("pi", "sqrt", "exp", "log", "floor", "binomial")},
    **{name: getattr(sp, name) for name in ("Max", "Min", "Abs", "LambertW")},
    "Sum": lambda term, index, low, high: sp.Sum(term, (index, low, high)),
    "Phi": Phi,
    "at": lambda formula, *values: formulas.substitute(
        formula, dict(zip(values[::2], values[1::2], strict=True))
    ),
    "implies": formulas.implies,
    "iff": formulas.iff,
    "independent_constant": theorem2.INDEPENDENT_CONSTANT,
    "identical_constant": theorem2.IDENTICAL_CONSTANT,
    "bernoulli_constant": theorem2.BERNOULLI_CONSTANT,
}
"""What every file may name: functions, and the constants of Berry and Esseen that are computed."""


def expression(text: str, names: Mapping[str, Any]) -> Any:
    """Return what a formula stands for.

    ``text``: the formula. ``names``: what its names stand for, beside :data:`KNOWN`.

    >>> x = sp.Symbol("x", positive=True)
    >>> expression("0.5*x^2 = x'", {"x": x, "x'": x + 1})
    Eq(x**2/2, x + 1)
    >>> expression("x[1] + 1", {"x": x})
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: formula = x[1]: need arithmetic, relations and names
    """
    return _value(_parse(text), {**KNOWN, **names})


def hypotheses(text: str, names: Mapping[str, Any]) -> tuple[sp.Basic, ...]:
    """Return the relations of a list, separated by semicolons.

    A chain ``a <= b < c`` is one relation after the other, and a name may stand for several.

    >>> x = sp.Symbol("x", real=True)
    >>> hypotheses("0 <= x < 1; some", {"x": x, "some": (sp.Ge(x, 2), sp.Ge(x, 3))})
    (0 <= x, x < 1, x >= 2, x >= 3)
    """
    relations: list[sp.Basic] = []
    for item in text.split(";"):
        node = _parse(item)
        scope = {**KNOWN, **names}
        if isinstance(node, ast.Compare):
            relations += _chain(node, scope)
        else:
            value = _value(node, scope)
            relations += value if isinstance(value, tuple) else (value,)
    return tuple(relations)


def macro(parameters: str, text: str, names: Mapping[str, Any]) -> Callable[..., Any]:
    """Return a function of expressions from its parameters and the formula that it stands for.

    >>> n = sp.Symbol("n")
    >>> macro("x, y", "x^2/n + y", {"n": n})(n, 3)
    n + 3
    """
    node, scope = _parse(text), {**KNOWN, **names}
    places = [name.strip() for name in parameters.split(",")]
    return lambda *values: _value(node, {**scope, **dict(zip(places, values, strict=True))})


def _parse(text: str) -> ast.expr:
    python = re.sub(r"(?<![<>=])=", "==", text.replace("^", "**").replace("'", _PRIME))
    try:
        formula = ast.parse(python.strip(), mode="eval").body
    except SyntaxError:
        raise InvalidArgument("formula", text.strip(), "arithmetic, relations and names") from None
    for node in ast.walk(formula):
        if isinstance(node, ast.Constant) and isinstance(node.value, float):
            typed = ast.get_source_segment(python.strip(), node) or ""
            # Python rounds it: of more digits than a float has some would be lost unsaid.
            if Decimal(typed) != Decimal(str(node.value)):
                raise InvalidArgument("formula", typed, "a decimal of 15 digits, or a fraction")
    return formula


def _value(node: ast.expr, names: Mapping[str, Any]) -> Any:
    # Node by node, and what is not listed is refused: `eval` would run whatever a file says.
    match node:
        case ast.Constant(value=int(number)):
            return sp.Integer(number)
        case ast.Constant(value=float(number)):
            # By its digits: as a float 0.1 is no tenth.
            return sp.Rational(str(number))
        case ast.Name(id=python):
            name = python.replace(_PRIME, "'")
            if name not in names:
                raise InvalidArgument("name", name, one_of(name, names))
            return names[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, names)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_value(left, names), _value(right, names))
        case ast.Compare():
            return formulas.both(*_chain(node, names))
        case ast.BoolOp(op=op, values=parts):
            join = formulas.both if isinstance(op, ast.And) else formulas.either
            return join(*(_value(part, names) for part in parts))
        case ast.Call(func=function, args=arguments, keywords=[]):
            return _value(function, names)(*(_value(argument, names) for argument in arguments))
    raise InvalidArgument("formula", ast.unparse(node), "arithmetic, relations and names")


def _chain(node: ast.Compare, names: Mapping[str, Any]) -> list[sp.Basic]:
    sides = [_value(side, names) for side in (node.left, *node.comparators)]
    relations = []
    for op, lhs, rhs in zip(node.ops, sides, sides[1:], strict=False):
        if type(op) not in _RELATIONS:
            raise InvalidArgument("formula", ast.unparse(node), "relations =, <= and <")
        relations.append(_RELATIONS[type(op)](lhs, rhs))
    return relations
