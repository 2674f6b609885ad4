"""A derivation: steps of which each says what it claims, from what, and who decides it.

Only data types live here; :mod:`kproof.theory.derivations.deciders` decides the steps, and
:mod:`kproof.theory.derivations.certificate` writes down what was decided. A step reads "for all
values of the symbols, as far as they are of the kind and sign that is assumed of them: if the
hypotheses hold, so does the claim". A step that no decider decides is *assumed* and names its
source; every step knows the assumed ones that it rests on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import TypeAlias

import sympy as sp

from kproof.errors import InvalidArgument
from kproof.theory.ledger import Ruling


@dataclass(frozen=True)
class Identity:
    """Both sides of ``=`` have one normal form, the steps followed put in from left to right."""


@dataclass(frozen=True)
class Arithmetic:
    """The claim follows from hypotheses and steps followed by the arithmetic of reals: ``unsat``.

    Terms that are no arithmetic are variables of which a few facts are told (``smtlib.FACTS``).
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
        The values of each symbol of the claim. What is shown is true of these only, and the claim
        of the step is read so.
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
class Defined:
    """Nothing is claimed: a function not spoken of before gets its meaning.

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
    | Defined
    | Assumed
)


@dataclass(frozen=True)
class Printed:
    """The step as the paper prints it, where that is not the step as it should be.

    Attributes
    ----------
    relation
        What the paper prints.
    ruling
        What becomes of it.
    at
        A point at which the paper's hypotheses hold and the printed relation is false.
    given
        The paper's hypotheses; None if they are those of the step.
    """

    relation: sp.Basic
    ruling: Ruling
    at: Mapping[sp.Symbol, Fraction]
    given: tuple[sp.Basic, ...] | None = None


@dataclass(frozen=True)
class Step:
    """One step of a derivation.

    Attributes
    ----------
    id
        Unique in the derivation: letters, digits and hyphens.
    place
        Where the paper has it, such as ``"(9)"``; or what it is for.
    claim
        A relation of SymPy, or several joined by And, Or, Not, Implies; not evaluated.
    by
        Who decides it.
    because
        One sentence for the reader.
    follows
        Ids of earlier steps whose claims are used.
    given
        Hypotheses, in the same form as the claim.
    printed
        The paper's own step beside it, where that is false.
    """

    id: str
    place: str
    claim: sp.Basic
    by: Method
    because: str
    follows: tuple[str, ...] = ()
    given: tuple[sp.Basic, ...] = ()
    printed: Printed | None = None


class StepStanding(StrEnum):
    """What a step is worth."""

    PROVED = "proved"
    """Decided, and so is everything that it follows from."""
    CONDITIONAL = "proved from assumptions"
    """Decided; it follows from steps that are assumed."""
    ASSUMED = "assumed"
    """Not decided here."""
    DEFINED = "defined"
    """A name is introduced."""
    FAILED = "not decided"
    """Its decider could not decide it, or found it false."""


@dataclass(frozen=True)
class Query:
    """A question put to a solver: its label within the step, and its SMT-LIB text."""

    label: str
    text: str


@dataclass(frozen=True)
class Judgement:
    """What was found of a step.

    Attributes
    ----------
    step
        Which.
    standing
        What it is worth.
    rests_on
        Ids of the assumed steps it depends on, in order.
    found
        What the decider counted or met: ``unsat``, the number of pieces or points, why it failed.
    queries
        The questions that a solver answered with ``unsat``.
    """

    step: Step
    standing: StepStanding
    rests_on: tuple[str, ...]
    found: str
    queries: tuple[Query, ...] = ()


@dataclass(frozen=True)
class Derivation:
    """Steps that end in a conclusion.

    Attributes
    ----------
    name
        Unique among derivations: letters, digits and hyphens; the certificate's file name.
    title
        For the reader.
    steps
        Each follows from earlier ones only.
    conclusions
        Ids of the steps for whose sake the others are there.
    theorem
        1 to 5, or None for what serves several.

    Examples
    --------
    >>> from kproof.theory.derivations.deciders import judge
    >>> x = sp.Symbol("x", real=True)
    >>> square = Step("square", "", sp.Ge(x**2, 0, evaluate=False), Arithmetic(), "A square.")
    >>> found = judge(Derivation("squares", "Squares", (square,), ("square",)))
    >>> print(found[0].standing)
    proved
    >>> Derivation("squares", "Squares", (square,), ("cube",))
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: conclusions = cube: need ids of steps
    """

    name: str
    title: str
    steps: tuple[Step, ...]
    conclusions: tuple[str, ...]
    theorem: int | None = None
    _ids: Mapping[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        places: dict[str, int] = {}
        for place, step in enumerate(self.steps):
            for one in needed(step):
                if one not in places:
                    raise InvalidArgument(f"{step.id}.follows", one, "ids of earlier steps")
            if step.id in places:
                raise InvalidArgument("steps", step.id, "ids that occur once")
            places[step.id] = place
        for one in self.conclusions:
            if one not in places:
                raise InvalidArgument("conclusions", one, "ids of steps")
        object.__setattr__(self, "_ids", places)

    def __getitem__(self, name: str) -> Step:
        """Return a step by id."""
        if name not in self._ids:
            raise InvalidArgument("step", name, f"one of {', '.join(self._ids)}")
        return self.steps[self._ids[name]]


def needed(step: Step) -> tuple[str, ...]:
    """Return the ids of all steps that a step uses."""
    named = (step.by.of,) if isinstance(step.by, Instance | Summed) else ()
    return tuple(dict.fromkeys((*step.follows, *named)))


def equal(left: sp.Expr, right: sp.Expr) -> sp.Basic:
    """Return ``left = right`` as it stands, not decided by SymPy on the way."""
    return sp.Eq(left, right, evaluate=False)


def at_most(left: sp.Expr, right: sp.Expr) -> sp.Basic:
    """Return ``left <= right`` as it stands."""
    return sp.Le(left, right, evaluate=False)


def less(left: sp.Expr, right: sp.Expr) -> sp.Basic:
    """Return ``left < right`` as it stands."""
    return sp.Lt(left, right, evaluate=False)


def both(*parts: sp.Basic) -> sp.Basic:
    """Return the conjunction as it stands, in this order."""
    return sp.And(*parts, evaluate=False) if len(parts) > 1 else parts[0]


def grid(**values: Sequence[int | str | Fraction]) -> dict[str, tuple[Fraction, ...]]:
    """Return exact values by name, for :class:`Enumerated` and :class:`Enclosed`.

    Examples
    --------
    >>> grid(p=["1/3", "0.5"])
    {'p': (Fraction(1, 3), Fraction(1, 2))}
    """
    return {name: tuple(Fraction(one) for one in given) for name, given in values.items()}
