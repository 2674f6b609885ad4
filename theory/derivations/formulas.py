"""Relations and their combinations as they are written: SymPy decides nothing on the way."""

from collections.abc import Mapping

import sympy as sp


def equal(lhs: sp.Expr, rhs: sp.Expr) -> sp.Basic:
    """Return ``left = right`` as it stands, not decided by SymPy on the way."""
    return sp.Eq(lhs, rhs, evaluate=False)


def at_most(lhs: sp.Expr, rhs: sp.Expr) -> sp.Basic:
    """Return ``left <= right`` as it stands."""
    return sp.Le(lhs, rhs, evaluate=False)


def less(lhs: sp.Expr, rhs: sp.Expr) -> sp.Basic:
    """Return ``left < right`` as it stands."""
    return sp.Lt(lhs, rhs, evaluate=False)


def both(*parts: sp.Basic) -> sp.Basic:
    """Return the conjunction as it stands, in this order."""
    return sp.And(*parts, evaluate=False) if len(parts) > 1 else parts[0]


def either(*parts: sp.Basic) -> sp.Basic:
    """Return the disjunction as it stands."""
    return sp.Or(*parts, evaluate=False) if len(parts) > 1 else parts[0]


def implies(hypothesis: sp.Basic, conclusion: sp.Basic) -> sp.Basic:
    """Return the implication as it stands."""
    return sp.Implies(hypothesis, conclusion, evaluate=False)


def iff(lhs: sp.Basic, rhs: sp.Basic) -> sp.Basic:
    """Return that each of two relations implies the other."""
    return both(implies(lhs, rhs), implies(rhs, lhs))


def recursion(
    value: sp.Expr, index: sp.Symbol, first: sp.Expr, beyond: sp.Expr, base: sp.Expr = sp.S.Zero
) -> sp.Basic:
    """Return that ``value`` has one value at the base of an index, and another beyond it."""
    at_base = equal(value.subs(index, base), first)
    return both(at_base, implies(less(base, index), equal(value, beyond)))


def running_sum(
    value: sp.Expr,
    index: sp.Symbol,
    term: sp.Expr,
    *,
    first: sp.Expr = sp.S.Zero,
    base: sp.Expr = sp.S.Zero,
) -> sp.Basic:
    """Return that ``value`` begins at the base of an index and adds up the terms beyond it.

    >>> n, total = sp.Symbol("n", integer=True), sp.Function("total")
    >>> running_sum(total(n), n, n**2)
    Eq(total(0), 0) & (Implies(0 < n, Eq(total(n), n**2 + total(n - 1))))
    """
    return recursion(value, index, first, value.subs(index, index - 1) + term, base)


def substitute(expression: sp.Basic, values: Mapping[sp.Symbol, sp.Expr]) -> sp.Basic:
    """Return the expression with all symbols replaced at once; relations stay relations."""
    if isinstance(expression, sp.core.relational.Relational):
        lhs, rhs = (substitute(side, values) for side in expression.args)
        return expression.func(lhs, rhs, evaluate=False)
    if isinstance(expression, sp.And | sp.Or | sp.Not | sp.Implies):
        parts = [substitute(part, values) for part in expression.args]
        return expression.func(*parts, evaluate=False)
    # The names that sums bind are left alone by subs only, which takes twice as long.
    if any(name in values for total in expression.atoms(sp.Sum) for name in total.bound_symbols):
        return expression.subs(dict(values), simultaneous=True)
    return expression.xreplace(dict(values))
