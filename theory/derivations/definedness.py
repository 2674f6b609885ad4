"""Where a formula is defined: what must hold for its normal form to be its value.

To the solver a quotient by 0 is some number about which nothing is known; a normal form cancels it.
A step that puts in values, or a meaning for a name, is therefore sound only where everything that
is put in, and everything it is put into, is defined. The conditions are closed formulas: a
condition of the claim stands under the hypotheses before it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

import sympy as sp

from kproof.errors import Undecided
from kproof.theory.derivations.formulas import at_most, both, implies, less
from kproof.theory.derivations.signs import Kinds, nonnegative, positive, whole
from kproof.theory.derivations.trees import Tree, assumptions, symbols_of, tree


def conditions(expression: sp.Basic) -> list[sp.Basic]:
    """Return what must hold for an expression or a formula to be defined, part by part.

    What the assumptions on the symbols decide is left out. The conclusion of an implication needs
    to be defined only where its hypothesis holds.

    >>> x, a = sp.Symbol("x", real=True), sp.Symbol("a", positive=True)
    >>> conditions(sp.log(x) / a + 1 / (x - 1))
    [Ne(x - 1, 0), 0 < x]
    """
    if isinstance(expression, sp.Implies):
        hypothesis, conclusion = expression.args
        return [*conditions(hypothesis), *_under([hypothesis], conclusion)]
    if isinstance(expression, sp.Sum):
        (name, low, high), *further = expression.limits
        if further or not all(_plainly(whole, limit) for limit in (name, low, high)):
            raise Undecided("a sum runs over whole numbers")
        if name in low.free_symbols | high.free_symbols:
            raise Undecided(f"{name} occurs in the range that it runs over")
        in_range = [at_most(low, name), at_most(name, high)]
        # Of the variable more may be assumed than its range keeps.
        ends = [*conditions(low), *conditions(high), *sign(name, low)]
        return [*ends, *_under(in_range, expression.function)]
    parts = [condition for argument in expression.args for condition in conditions(argument)]
    return list(dict.fromkeys([*parts, *_of_node(expression)]))


def conditions_in_order(hypotheses: Sequence[sp.Basic], claim: sp.Basic) -> list[sp.Basic]:
    """Return what must hold for hypotheses, each under those before it, and then the claim."""
    required: list[sp.Basic] = []
    for place, part in enumerate((*hypotheses, claim)):
        required += _under(hypotheses[:place], part)
    return list(dict.fromkeys(required))


def require_free(expressions: Iterable[sp.Basic], values: Mapping[sp.Basic, sp.Basic]) -> None:
    """Refuse to put anything in for, or in terms of, a name that a sum has for its own.

    Raises Undecided if one of the symbols is a summation variable of one of the expressions.
    """
    moved = {symbol for pair in values.items() for side in pair for symbol in side.free_symbols}
    for expression in expressions:
        if bound := summation_symbols(expression) & moved:
            raise Undecided(f"{min(map(str, bound))} is also a summation variable")


def require_apart(expressions: Iterable[sp.Basic], supposed: Iterable[sp.Basic]) -> None:
    """Refuse a hypothesis on a symbol that is also a summation variable of an expression.

    The conditions of a term of a sum are asked for with its variable free: the hypothesis would
    take places out of the range. Raises Undecided.
    """
    spoken = {symbol for hypothesis in supposed for symbol in hypothesis.free_symbols}
    for expression in expressions:
        if bound := summation_symbols(expression) & spoken:
            raise Undecided(f"{min(map(str, bound))} is also a summation variable")


def summation_symbols(expression: sp.Basic) -> set[sp.Symbol]:
    """Return the summation variables of an expression."""
    return {limits[0] for summation in expression.atoms(sp.Sum) for limits in summation.limits}


def _under(hypotheses: Sequence[sp.Basic], expression: sp.Basic) -> list[sp.Basic]:
    required = conditions(expression)
    if not (hypotheses and required):
        return required
    require_apart([expression], hypotheses)
    return [implies(both(*hypotheses), condition) for condition in required]


def _of_node(node: sp.Basic) -> list[sp.Basic]:
    match node:
        case sp.log():
            return _positive(node.args[0])
        case sp.Pow():
            return _power(node.base, node.exp)
        case sp.binomial():
            # Beyond -1 it is continuous in both arguments, and its rules hold without exception.
            return _positive(node.args[0] + 1)
        case sp.LambertW():
            return [at_most(-1, sp.E * node.args[0])]
    return []


def _power(base: sp.Expr, exponent: sp.Expr) -> list[sp.Basic]:
    if _plainly(whole, exponent):
        if _plainly(nonnegative, exponent) or _plainly(positive, base):
            return []
        return [sp.Ne(base, 0, evaluate=False)]
    if exponent.is_Rational and exponent > 0:
        return [] if _plainly(nonnegative, base) else [at_most(0, base)]
    return _positive(base)


def _positive(value: sp.Expr) -> list[sp.Basic]:
    return [] if _plainly(positive, value) else [less(0, value)]


def _plainly(says: Callable[[Tree, Kinds], bool], value: sp.Expr) -> bool:
    return says(tree(value), {symbol.name: assumptions(symbol) for symbol in symbols_of([value])})


def plainly_of_sign(symbol: sp.Symbol, value: sp.Expr) -> bool:
    """Return whether the form of a value shows the sign that is assumed of a symbol."""
    if symbol.is_positive:
        return _plainly(positive, value)
    return not symbol.is_nonnegative or _plainly(nonnegative, value)


def sign(symbol: sp.Symbol, value: sp.Expr) -> list[sp.Basic]:
    """Return what a value must be like to stand where a symbol stands."""
    if symbol.is_positive:
        return [less(sp.S.Zero, value)]
    return [at_most(sp.S.Zero, value)] if symbol.is_nonnegative else []
