"""Who decides a step: one class for each method, with what it needs to know.

Proofs read ``Step(..., by.Arithmetic(), ...)`` with ``from kproof.theory.derivations import methods
as by``; :mod:`kproof.theory.derivations.deciders` does what the classes say.
"""

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
    """The claim holds on a box, by balls over pieces of it."""

    box: Mapping[sp.Symbol, tuple[Fraction, Fraction]]
    """Least and largest value of each symbol of the claim."""


@dataclass(frozen=True)
class Enumerated:
    """The claim holds at every point of a grid at which the hypotheses hold."""

    grid: Mapping[sp.Symbol, tuple[Fraction, ...]]
    """The values of each symbol of the claim, which speaks of these values only."""


@dataclass(frozen=True)
class Monotone:
    """The claim compares a function at two points; its derivative has one sign between them."""

    function: sp.Expr
    variable: sp.Symbol
    """What is differentiated by what."""
    low: sp.Expr
    high: sp.Expr
    """The points, ``low <= high``. The claim is ``f(low) <= f(high)`` or ``f(low) >= f(high)``."""


@dataclass(frozen=True)
class Induction:
    """The claim holds for every whole value of a symbol from a base on."""

    variable: sp.Symbol
    base: sp.Expr
    """Its least value."""


@dataclass(frozen=True)
class Instance:
    """The claim is that of an earlier step at other values of its symbols."""

    of: str
    """The id of that step."""
    at: Mapping[sp.Symbol, sp.Expr]
    """What takes the place of which symbol, all at once."""


@dataclass(frozen=True)
class Summed:
    """``sum a <= sum b`` over one range, because ``a <= b`` at each of its points."""

    of: str
    """The id of the step that claims ``a <= b`` at a point."""


@dataclass(frozen=True)
class SumRule:
    """``sum a = ...`` by one rule of :mod:`kproof.theory.derivations.sums`."""

    rule: str
    function: sp.Expr | None = None
    """What the terms of a telescope are the differences of."""


@dataclass(frozen=True)
class Defined:
    """Nothing is claimed: a function that no earlier step mentions gets its meaning.

    Either ``f(x, ..) = ...`` with every symbol of the meaning among the arguments, or a recursion
    over a whole number: ``f(base, ..) = ...`` and ``base < m`` implies ``f(m, ..) = ...``, where
    the meaning may speak of ``f(m - 1, ..)`` and no sum is over m, or over what the base speaks of.
    """


@dataclass(frozen=True)
class Assumed:
    """Nothing here decides it."""

    source: str
    """Where its proof stands, or why it is taken for granted."""


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
