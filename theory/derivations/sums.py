"""The rules that move sums, each an equation with conditions on the range.

A sum runs over whole numbers from its first to its last; it is empty if the last is one less than
the first, and nothing is said of sums that end earlier. Every other form of a sum is an atom of the
normal form: only terms within it, and its ends, are compared.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from kproof.errors import Undecided
from kproof.theory.derivations.checked import fill, kinds_of, same, successor
from kproof.theory.derivations.definedness import conditions, require_apart, summation_symbols
from kproof.theory.derivations.formulas import at_most, both, equal, implies
from kproof.theory.derivations.trees import Tree, tree


@dataclass(frozen=True)
class _Moved:
    """What the right side has to be, and what must hold of the range."""

    right: Tree
    wanted: Sequence[sp.Basic]


def rule_conditions(rule: str, claim: sp.Eq, function: sp.Expr | None = None) -> list[sp.Basic]:
    """Return what must hold for an equation of sums to be an instance of a rule.

    ``rule``: ``first``, ``last``, ``single``, ``empty``, ``shift``, ``telescope`` or ``linear``.
    ``claim``: the equation, the sum on its left. ``function``: what a telescope's terms are the
    differences of, in the variable of the sum. Raises Undecided if it is no instance.

    >>> k, n = sp.Symbol("k", integer=True), sp.Symbol("n", integer=True)
    >>> rule_conditions("last", equal(sp.Sum(k, (k, 1, n)), n + sp.Sum(k, (k, 1, n - 1))))
    [1 <= n]
    """
    sums = claim.atoms(sp.Sum)
    # Values are filled in by name: a variable that is free, too, would be taken for the free one.
    if summation_symbols(claim) & claim.free_symbols:
        raise Undecided("a summation variable is also free")
    if rule == "linear":
        _require(_combines(claim), "the terms do not add up to 0")
        # Sorted: the order of a set changes from run to run, and with it that of the conditions.
        return [_forwards(summation) for summation in sorted(sums, key=str)]
    if rule not in _RULES:
        raise Undecided(f"no rule {rule}")
    if not isinstance(claim.lhs, sp.Sum):
        raise Undecided("there is no sum on the left")
    kinds = kinds_of(claim, *([function] if function is not None else []))
    rewritten = _RULES[rule](claim, function)
    _require(same(rewritten.right, tree(claim.rhs), kinds), f"it is not what the rule {rule} says")
    return list(rewritten.wanted)


def _require(holds: bool, reason: str) -> None:
    if not holds:
        raise Undecided(reason)


def _ends(summation: sp.Sum) -> tuple[sp.Symbol, sp.Expr, sp.Expr]:
    ((variable, low, high),) = summation.limits
    return variable, low, high


def _parts(summation: sp.Basic) -> tuple[Tree, Tree, Tree, Tree]:
    """Return the term of a sum, what it runs over, and its ends, as trees."""
    node = tree(summation)
    if isinstance(node, str):
        raise Undecided("there is no sum")
    _, term, variable, low, high = node
    return term, variable, low, high


def _forwards(summation: sp.Sum) -> sp.Basic:
    _, low, high = _ends(summation)
    # A range without a place is one that ends just before it begins.
    return at_most(low, successor(high))


def _first(claim: sp.Eq, _: sp.Expr | None) -> _Moved:
    term, variable, low, high = _parts(claim.lhs)
    begins = fill(term, {str(variable): low})
    remainder: Tree = ["sum", term, variable, ["+", low, "1"], high]
    return _Moved(["+", begins, remainder], [at_most(*_ends(claim.lhs)[1:])])


def _last(claim: sp.Eq, _: sp.Expr | None) -> _Moved:
    term, variable, low, high = _parts(claim.lhs)
    ends = fill(term, {str(variable): high})
    remainder: Tree = ["sum", term, variable, low, ["+", high, "-1"]]
    return _Moved(["+", ends, remainder], [at_most(*_ends(claim.lhs)[1:])])


def _single(claim: sp.Eq, _: sp.Expr | None) -> _Moved:
    term, variable, low, _ = _parts(claim.lhs)
    return _Moved(fill(term, {str(variable): low}), [equal(*_ends(claim.lhs)[1:])])


def _empty(claim: sp.Eq, _: sp.Expr | None) -> _Moved:
    _, low, high = _ends(claim.lhs)
    return _Moved("0", [equal(low, successor(high))])


def _shift(claim: sp.Eq, _: sp.Expr | None) -> _Moved:
    _require(isinstance(claim.rhs, sp.Sum), "there is no sum on the right")
    term, variable, low, high = _parts(claim.lhs)
    shift: Tree = ["+", tree(_ends(claim.rhs)[1]), ["*", "-1", low]]
    back: Tree = ["+", variable, ["*", "-1", shift]]
    ends: list[Tree] = [["+", low, shift], ["+", high, shift]]
    return _Moved(["sum", _substitute(term, str(variable), back), variable, *ends], [])


def _substitute(term: Tree, variable: str, value: Tree) -> Tree:
    """Put in a value that may speak of the symbol itself, by way of a name that nothing has."""
    return fill(fill(term, {variable: "summand!"}), {"summand!": value})


def _telescope(claim: sp.Eq, function: sp.Expr | None) -> _Moved:
    if function is None:
        raise Undecided("a telescope needs its function")
    term, variable, low, high = _parts(claim.lhs)
    node = tree(function)
    step: Tree = ["+", _substitute(node, str(variable), ["+", variable, "1"]), ["*", "-1", node]]
    limits = [variable, low, high]
    kinds = kinds_of(claim, function)
    _require(same(["sum", term, *limits], ["sum", step, *limits], kinds), "no such differences")
    symbol, begin, end = _ends(claim.lhs)
    ends = [fill(node, {str(variable): bound}) for bound in (["+", high, "1"], low)]
    in_range = both(at_most(begin, symbol), at_most(symbol, successor(end)))
    require_apart([function], [in_range])
    defined = [implies(in_range, condition) for condition in conditions(function)]
    return _Moved(["+", ends[0], ["*", "-1", ends[1]]], [_forwards(claim.lhs), *defined])


def _combines(claim: sp.Eq) -> bool:
    """Return whether all sums have one range, and their terms add up to 0 at each place of it."""
    lhs, rhs = (_summands(tree(side)) for side in claim.args)
    turned = [(["*", "-1", factor], summation) for factor, summation in rhs]
    every: list[tuple[Tree, Any]] = [*lhs, *turned]
    if not every:
        raise Undecided("there are no sums")
    (_, _, variable, low, high), kinds = every[0][1], kinds_of(claim)
    terms: list[Tree] = []
    for factor, (_, term, name, *ends) in every:
        alike = (same(a, b, kinds) for a, b in zip(ends, (low, high), strict=True))
        _require(all(alike), "ranges differ")
        terms.append(["*", factor, _substitute(term, str(name), variable)])
    limits = [variable, low, high]
    return same(["sum", ["+", "0", *terms], *limits], ["sum", "0", *limits], kinds)


def _summands(node: Tree) -> list[tuple[Tree, Tree]]:
    """Return sums with their factors."""
    if node == "0":
        return []
    if node[0] == "+":
        return [pair for term in node[1:] for pair in _summands(term)]
    factors = list(node[1:]) if node[0] == "*" else [node]
    sums = [factor for factor in factors if factor[0] == "sum"]
    if len(sums) != 1:
        raise Undecided("a term is no sum with a factor")
    factors.remove(sums[0])
    return [(["*", "1", *factors], sums[0])]


_RULES: Mapping[str, Callable[[sp.Eq, sp.Expr | None], _Moved]] = {
    "first": _first,
    "last": _last,
    "single": _single,
    "empty": _empty,
    "shift": _shift,
    "telescope": _telescope,
}
