"""What SymPy builds, held against the plain operation on trees: values put in, and derivatives.

SymPy orders terms and drops what cancels, and nobody has to believe it: what it returns is taken
only if it is alike to the tree in which symbols were replaced, or by which a term was
differentiated, rule by rule.
"""

from collections.abc import Mapping

import sympy as sp

from kproof.errors import Undecided
from kproof.theory.derivations.formulas import substitute
from kproof.theory.derivations.normal import Normaliser
from kproof.theory.derivations.signs import Kinds
from kproof.theory.derivations.trees import Tree, assumptions, symbols_of, tree


def put(expression: sp.Basic, values: Mapping[sp.Symbol, sp.Expr]) -> sp.Basic:
    """Return an expression or a formula with symbols replaced, all at once.

    Raises Undecided if a sum has one of the names for its own, or SymPy's result is another one.

    >>> x = sp.Symbol("x", real=True)
    >>> put(sp.Le(x + 1, 2, evaluate=False), {x: sp.Integer(3)})
    4 <= 2
    """
    result = substitute(expression, values)
    plain = fill(tree(expression), {name.name: tree(value) for name, value in values.items()})
    if not same(plain, tree(result), kinds_of(expression, result, *values, *values.values())):
        raise Undecided(f"{result} is not plainly {expression} with values put in")
    return result


def successor(value: sp.Expr) -> sp.Expr:
    """Return one more."""
    result = value + 1
    if not same(["+", tree(value), "1"], tree(result), kinds_of(value)):
        raise Undecided(f"{result} is not plainly {value} + 1")
    return result


def slope(function: sp.Expr, symbol: sp.Symbol) -> sp.Expr:
    """Return the derivative of a function where it has one.

    Raises Undecided if no rule knows a part of it, or SymPy's derivative is another one.

    >>> x = sp.Symbol("x", real=True)
    >>> slope(sp.log(x) / x, x)
    -log(x)/x**2 + x**(-2)
    """
    # In SymPy's form, which the recheck makes again word for word; the rules below say whether it
    # is the derivative.
    result = sp.diff(function, symbol)
    plain = differentiate(tree(function), symbol.name)
    if not same(plain, tree(result), kinds_of(function, symbol)):
        raise Undecided(f"{result} is not plainly the derivative of {function}")
    return result


def alike(lhs: sp.Basic, rhs: sp.Basic) -> bool:
    """Return whether two formulas or terms differ in nothing but the form of their terms."""
    return same(tree(lhs), tree(rhs), kinds_of(lhs, rhs))


def kinds_of(*expressions: sp.Basic) -> Kinds:
    """Return what is assumed of the symbols of expressions."""
    return {symbol.name: assumptions(symbol) for symbol in symbols_of(expressions)}


def same(lhs: Tree, rhs: Tree, kinds: Kinds) -> bool:
    """Return whether two trees differ in nothing but the form and the order of their terms."""
    if lhs == rhs:
        return True
    name = lhs[0] if isinstance(lhs, list) else ""
    if name in ("and", "or", "not", "implies", "=", "!=", "<=", "<"):
        if not isinstance(rhs, list) or name != rhs[0]:
            return False
        if name in ("and", "or"):
            # SymPy sorts the parts, and other names sort otherwise.
            both_ways = ((lhs[1:], rhs[1:]), (rhs[1:], lhs[1:]))
            pairs = ((part, options) for parts, options in both_ways for part in parts)
            return all(
                any(same(part, option, kinds) for option in options) for part, options in pairs
            )
        return all(same(a, b, kinds) for a, b in zip(lhs[1:], rhs[1:], strict=True))
    return Normaliser(kinds).alike(lhs, rhs)


def fill(node: Tree, values: Mapping[str, Tree]) -> Tree:
    """Return a tree with names replaced where they stand, and nothing else changed."""
    if isinstance(node, str):
        return values.get(node, node)
    # Neither what is replaced nor what takes its place may have the name of a sum's own variable:
    # it would mean another thing inside the sum.
    spoken = {name for pair in values.items() for name in _names(list(pair))}
    if node[0] == "sum" and node[2] in spoken:
        raise Undecided(f"{node[2]} is also a summation variable")
    head = 2 if node[0] == "apply" else 1
    return [*node[:head], *(fill(part, values) for part in node[head:])]


def _names(node: Tree) -> set[str]:
    if isinstance(node, str):
        return {node}
    return {name for part in node for name in _names(part)}


def differentiate(node: Tree, symbol: str) -> Tree:
    """Return the derivative of a tree as the rules write it.

    Raises Undecided if what depends on the variable is no sum, product, power, exp, log or Phi.
    """
    if node == symbol:
        return "1"
    if symbol not in _names(node):
        return "0"
    name, parts = node[0], node[1:]
    inner: list[Tree] = [differentiate(part, symbol) for part in parts]
    match name:
        case "+":
            return ["+", *inner]
        case "*":
            terms = ([*parts[:i], change, *parts[i + 1 :]] for i, change in enumerate(inner))
            return ["+", *(["*", *factors] for factors in terms)]
        case "^":
            base, exponent, rise, growth = parts[0], parts[1], inner[0], inner[1]
            less: Tree = ["*", exponent, rise, ["^", base, ["+", exponent, "-1"]]]
            return ["+", less, ["*", growth, ["log", base], node]] if growth != "0" else less
        case "exp":
            return ["*", node, *inner]
        case "log":
            return ["*", ["^", parts[0], "-1"], *inner]
        case "Phi":
            density: Tree = ["exp", ["*", "-1/2", ["^", parts[0], "2"]]]
            return ["*", density, ["^", ["*", "2", "pi"], "-1/2"], *inner]
    raise Undecided(f"the derivative of {name} is not known")
