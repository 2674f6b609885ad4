"""Who decides a step: one class for each method, with what it needs to know.

Proofs read ``Step(..., by.Arithmetic(), ...)`` with ``from kproof.theory.derivations import methods
as by``; :mod:`kproof.theory.derivations.deciders` does what the classes say.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import sympy as sp


@dataclass(frozen=True)
class Identity:
    """Both sides of ``=`` have one normal form, the steps followed put in from left to right.

    Normal forms are those of :mod:`kproof.theory.derivations.normal`; a sum is opaque to them.
    """


@dataclass(frozen=True)
class Arithmetic:
    """The claim follows from hypotheses and steps followed by the arithmetic of reals: ``unsat``.

    Terms outside arithmetic are variables; the solver is told a few facts about them
    (``smtlib.FACTS``).
    """


@dataclass(frozen=True)
class Enclosed:
    """The claim holds on a box, by balls over pieces of it.

    Attributes
    ----------
    box
        Least and largest value of each symbol of the claim.
    """

    box: Mapping[sp.Symbol, tuple[Fraction, Fraction]]


@dataclass(frozen=True)
class Enumerated:
    """The claim holds at every point of a grid at which the hypotheses hold.

    Attributes
    ----------
    grid
        The values of each symbol of the claim, which speaks of these values only.
    """

    grid: Mapping[sp.Symbol, tuple[Fraction, ...]]


@dataclass(frozen=True)
class Monotone:
    """The claim compares a function at two points; its derivative has one sign between them.

    Attributes
    ----------
    function, variable
        What is differentiated by what.
    low, high
        The points, ``low <= high``. The claim is ``f(low) <= f(high)`` or ``f(low) >= f(high)``.
    """

    function: sp.Expr
    variable: sp.Symbol
    low: sp.Expr
    high: sp.Expr


@dataclass(frozen=True)
class Induction:
    """The claim holds for every whole value of a symbol from a base on.

    Attributes
    ----------
    variable
        The symbol, an integer.
    base
        Its least value.
    """

    variable: sp.Symbol
    base: sp.Expr


@dataclass(frozen=True)
class Instance:
    """The claim is that of an earlier step at other values of its symbols.

    Attributes
    ----------
    of
        The id of that step.
    at
        What takes the place of which symbol, all at once.
    """

    of: str
    at: Mapping[sp.Symbol, sp.Expr]


@dataclass(frozen=True)
class Summed:
    """``sum a <= sum b`` over one range, because ``a <= b`` at each of its points.

    Attributes
    ----------
    of
        The id of the step that claims ``a <= b`` at a point.
    """

    of: str


@dataclass(frozen=True)
class SumRule:
    """``sum a = ...`` by one rule of :mod:`kproof.theory.derivations.sums`.

    Attributes
    ----------
    rule
        Its name.
    function
        What the terms of a telescope are the differences of.
    """

    rule: str
    function: sp.Expr | None = None


@dataclass(frozen=True)
class Defined:
    """Nothing is claimed: a function that no earlier step mentions gets its meaning.

    Either ``f(x, ..) = ...`` with every symbol of the meaning among the arguments, or a recursion
    over a whole number: ``f(base, ..) = ...`` and ``base < m`` implies ``f(m, ..) = ...``, where
    the meaning may speak of ``f(m - 1, ..)``.
    """


@dataclass(frozen=True)
class Assumed:
    """Nothing here decides it.

    Attributes
    ----------
    source
        Where its proof stands, or why it is taken for granted.
    """

    source: str


Method: TypeAlias = (
    Identity
    | Arithmetic
    | Enclosed
    | Enumerated
    | Monotone
    | Induction
    | Instance
    | Summed
    | SumRule
    | Defined
    | Assumed
)
