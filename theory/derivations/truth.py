"""Whether a relation holds at a point, or all over a piece of a box, with certainty.

Values are rationals as long as they can be, and balls where they cannot; what balls leave open is
left open, never guessed.
"""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import sympy as sp
from flint import arb

from kproof.errors import Undecided
from kproof.theory.exact.precision import use_bits
from kproof.theory.theorems.symbolic import NoValueError, Overlap, Program, Value, ball_of

MOST_TERMS = 20_000
"""Terms of a sum that is added up."""
BITS = (64, 256, 1024)
"""Working precisions at which a relation between numbers is tried."""


class Relation:
    """A combination of relations at a point or on a piece: true, false, or not certain (None)."""

    def __init__(self, claim: sp.Basic) -> None:
        self._parts: list[Relation] = []
        self._sides: list[_Side] = []
        self._kind = type(claim)
        if isinstance(claim, sp.core.relational.Relational):
            self._sides = [_Side(side) for side in claim.args]
        else:
            self._parts = [Relation(part) for part in claim.args]

    def holds(self, values: Mapping[sp.Symbol, Value]) -> bool | None:
        """Return whether it holds at rationals, or all over the balls that are given."""
        for bits in BITS:
            with use_bits(bits):
                answer = self._at(values)
            # A ball is as wide at any precision: more bits help numbers only.
            if answer is not None or any(isinstance(value, arb) for value in values.values()):
                return answer
        return None

    def _at(self, values: Mapping[sp.Symbol, Value]) -> bool | None:
        if self._sides:
            return self._compare(values)
        if self._kind is type(sp.true):
            return True
        if self._kind is type(sp.false):
            return False
        outcomes = [part._at(values) for part in self._parts]
        if self._kind is sp.Not:
            return None if outcomes[0] is None else not outcomes[0]
        if self._kind is sp.Implies:
            outcomes = [None if outcomes[0] is None else not outcomes[0], outcomes[1]]
        # Or, and Implies that was turned into it, is settled by one true part; And by one false
        # part.
        decisive = self._kind is not sp.And
        if decisive in outcomes:
            return decisive
        return None if None in outcomes else not decisive

    def _compare(self, values: Mapping[sp.Symbol, Value]) -> bool | None:
        try:
            lhs, rhs = (side(values) for side in self._sides)
        except (NoValueError, Overlap):
            return None
        if isinstance(lhs, Fraction) and isinstance(rhs, Fraction):
            return _ORDERS[self._kind](lhs, rhs)
        a, b = ball_of(lhs), ball_of(rhs)
        if self._kind in (sp.Eq, sp.Ne):
            return self._kind is sp.Ne if not a.overlaps(b) else None
        if _ORDERS[self._kind](a, b):
            return True
        return False if _ORDERS[_OPPOSITE[self._kind]](a, b) else None


class _Side:
    """A term whose sums are added up, one value of their variable after another."""

    def __init__(self, term: sp.Expr) -> None:
        inner = {nested for outer in term.atoms(sp.Sum) for nested in outer.function.atoms(sp.Sum)}
        self._sums = {summation: sp.Dummy() for summation in term.atoms(sp.Sum) - inner}
        try:
            self._program = Program(term.xreplace(self._sums), {})
        except TypeError as failure:
            raise Undecided(str(failure)) from None

    def __call__(self, values: Mapping[sp.Symbol, Value]) -> Value:
        totals = {name: _sum_of(summation, values) for summation, name in self._sums.items()}
        return self._program({**values, **totals})


def _sum_of(summation: sp.Sum, values: Mapping[sp.Symbol, Value]) -> Value:
    ((variable, *limits),) = summation.limits
    low, high = (_Side(end)(values) for end in limits)
    if (
        not (isinstance(low, Fraction) and isinstance(high, Fraction))
        or not low.denominator == high.denominator == 1
        or not -1 <= high - low <= MOST_TERMS
    ):
        raise NoValueError("a sum without whole ends, backwards or too long")
    # Once for all places: to compile a term takes far longer than to run it.
    term = _Side(summation.function)
    total: Value = Fraction(0)
    for place in range(int(low), int(high) + 1):
        summand = term({**values, variable: Fraction(place)})
        if isinstance(total, Fraction) and isinstance(summand, Fraction):
            total = total + summand
        else:
            total = ball_of(total) + ball_of(summand)
    return total


_ORDERS: dict[Any, Callable[[Any, Any], bool]] = {
    sp.Eq: lambda a, b: a == b,
    sp.Ne: lambda a, b: a != b,
    sp.Le: lambda a, b: a <= b,
    sp.Lt: lambda a, b: a < b,
    sp.Ge: lambda a, b: a >= b,
    sp.Gt: lambda a, b: a > b,
}
_OPPOSITE: dict[Any, Any] = {sp.Le: sp.Gt, sp.Lt: sp.Ge, sp.Ge: sp.Lt, sp.Gt: sp.Le}


def ball_between(low: Fraction, high: Fraction) -> Value:
    """Return the interval as a ball, or the number if it is one."""
    if low == high:
        return low
    ends = (ball_of(low), ball_of(high))
    return ends[0].union(ends[1])


def points(grid: Mapping[sp.Symbol, tuple[Fraction, ...]]) -> Iterator[dict[sp.Symbol, Fraction]]:
    """Return the points of a grid, in order of names and values as given."""
    names = sorted(grid, key=str)
    for values in product(*(grid[name] for name in names)):
        yield dict(zip(names, values, strict=True))


def truth(relation: sp.Basic, point: Mapping[sp.Symbol, Fraction]) -> bool:
    """Return whether a relation holds at a point of rationals.

    Raises Undecided if the digits of the highest precision do not tell.
    """
    answer = Relation(relation).holds(point)
    if answer is None:
        raise Undecided(f"{relation} cannot be told at {point_text(point)}")
    return answer


def point_text(point: Mapping[sp.Symbol, Fraction]) -> str:
    """Return a point as a reader sees it: ``n = 4, p = 1/2``."""
    return ", ".join(f"{name} = {value}" for name, value in point.items())
