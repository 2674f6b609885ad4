"""A derivation: steps of which each says what it claims, from what, and who decides it.

Only data types live here; :mod:`kproof.theory.derivations.deciders` decides the steps, and
:mod:`kproof.theory.derivations.certificate` writes down what was decided. A step reads "for all
values of the symbols that have the kind and sign assumed of them, the claim holds if the hypotheses
do". A step that no decider decides is *assumed* and names its source; every step knows the assumed
steps that it rests on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from fractions import Fraction

import sympy as sp

from kproof.errors import InvalidArgument, one_of
from kproof.forms import JsonForm
from kproof.notebooks import latex_lines, latex_table, latex_words
from kproof.theory.derivations.formulas import substitute
from kproof.theory.derivations.methods import Instance, Method, Summed
from kproof.theory.ledger import Ruling


@dataclass(frozen=True)
class Printed:
    """The step as the paper prints it, where that is not the step as it should be."""

    relation: sp.Basic
    ruling: Ruling
    at: Mapping[sp.Symbol, Fraction]
    """A point at which the paper's hypotheses hold and the printed relation is false."""
    given: tuple[sp.Basic, ...] | None = None
    """The paper's hypotheses; None if they are those of the step."""


@dataclass(frozen=True)
class Step:
    """One step of a derivation."""

    id: str
    """Unique in the derivation: letters, digits and hyphens."""
    place: str
    """Where the paper has it, such as ``"(9)"``; or what it is for."""
    claim: sp.Basic
    """A relation of SymPy, or several joined by And, Or, Not, Implies; not evaluated."""
    by: Method
    because: str
    follows: tuple[str, ...] = ()
    """Ids of earlier steps whose claims are used."""
    given: tuple[sp.Basic, ...] = ()
    """Hypotheses, in the same form as the claim."""
    printed: Printed | None = None
    """The paper's own step beside it, where that is false."""

    def at(
        self,
        values: Mapping[sp.Symbol, sp.Expr],
        name: str,
        because: str,
        *,
        place: str | None = None,
        follows: tuple[str, ...] = (),
        given: tuple[sp.Basic, ...] | None = None,
        printed: Printed | None = None,
    ) -> Step:
        """Return the step whose claim is this one at other values of its symbols.

        ``values``: what takes the place of which symbol, all at once. ``name``, ``because``,
        ``follows``, ``printed``: those of the new step. ``place``: the same; that of this step if
        None. ``given``: the same; the hypotheses of this step at these values if None.

        >>> from kproof.theory.derivations import methods as by
        >>> x, y = sp.symbols("x y", real=True)
        >>> square = Step("square", "", sp.Le(0, x**2, evaluate=False), by.Arithmetic(), "One.")
        >>> square.at({x: y - 1}, "another", "Another square.").claim
        0 <= (y - 1)**2
        """
        claim, method = substitute(self.claim, values), Instance(self.id, values)
        location = self.place if place is None else place
        if given is None:
            given = tuple(substitute(hypothesis, values) for hypothesis in self.given)
        return Step(name, location, claim, method, because, follows, given, printed)

    @property
    def paper_hypotheses(self) -> tuple[sp.Basic, ...]:
        """What the paper supposes for its own step; the hypotheses of this one if it says none."""
        if self.printed is None or self.printed.given is None:
            return self.given
        return self.printed.given

    @property
    def formulas(self) -> tuple[sp.Basic, ...]:
        """All that the step speaks of: claim and hypotheses, its own and those of the paper."""
        printed = (self.printed.relation, *self.paper_hypotheses) if self.printed else ()
        return (self.claim, *self.given, *printed)

    @property
    def expressions(self) -> tuple[sp.Basic, ...]:
        """All in which symbols occur: its formulas, the points, and what its method names."""
        named: list[object] = [self.printed.at] if self.printed else []
        named += [getattr(self.by, part.name) for part in fields(self.by)]
        parts: list[object] = []
        for value in named:
            parts += [*value, *value.values()] if isinstance(value, Mapping) else [value]
        return (*self.formulas, *(part for part in parts if isinstance(part, sp.Basic)))

    def _repr_latex_(self) -> str:
        hypotheses = [
            rf"& {sp.latex(hypothesis)} && {latex_words('given')}" for hypothesis in self.given
        ]
        claim = f"& {sp.latex(self.claim)} && {latex_words(self.id)}"
        return latex_lines([*hypotheses, claim, f"& {latex_words(self.because)}"])


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
class StepJudgement:
    """What was found of a step."""

    step: Step
    standing: StepStanding
    rests_on: tuple[str, ...]
    """Ids of the assumed steps it depends on, in order."""
    found: str
    """What the decider counted or met: ``unsat``, the number of pieces or points, why it failed."""
    queries: tuple[Query, ...] = ()
    """The questions that a solver answered with ``unsat``."""

    to_dict = JsonForm("id=step.id place=step.place standing rests_on found")


@dataclass(frozen=True)
class Derivation:
    """Steps that end in a conclusion.

    >>> from kproof.theory.derivations import methods as by
    >>> from kproof.theory.derivations.deciders import judge
    >>> x = sp.Symbol("x", real=True)
    >>> square = Step("square", "", sp.Ge(x**2, 0, evaluate=False), by.Arithmetic(), "A square.")
    >>> judgements = judge(Derivation("squares", "Squares", (square,), ("square",)))
    >>> print(judgements[0].standing)
    proved
    >>> Derivation("squares", "Squares", (square,), ("cube",))
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: conclusions = cube: need ids of steps
    """

    name: str
    """Unique among derivations: letters, digits and hyphens; the certificate's file name."""
    title: str
    steps: tuple[Step, ...]
    """Each follows from earlier ones only."""
    conclusions: tuple[str, ...]
    """Ids of the steps for whose sake the others are there."""
    theorem: int | None = None
    """1 to 5, or None for what serves several."""
    _ids: Mapping[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        places: dict[str, int] = {}
        for place, step in enumerate(self.steps):
            # Looked up while steps are entered: none can use itself or a later one, in no circle.
            for name in uses(step):
                if name not in places:
                    raise InvalidArgument(f"{step.id}.follows", name, "ids of earlier steps")
            if step.id in places:
                raise InvalidArgument("steps", step.id, "ids that occur once")
            places[step.id] = place
        for name in self.conclusions:
            if name not in places:
                raise InvalidArgument("conclusions", name, "ids of steps")
        object.__setattr__(self, "_ids", places)

    def __getitem__(self, name: str) -> Step:
        if name not in self._ids:
            raise InvalidArgument("step", name, one_of(name, self._ids))
        return self.steps[self._ids[name]]

    def _repr_latex_(self) -> str:
        rows = [
            [latex_words(step.id), sp.latex(step.claim), latex_words(", ".join(uses(step)))]
            for step in self.steps
        ]
        headings = [latex_words(heading) for heading in ("step", "claim", "uses")]
        return latex_table(headings, rows)


def uses(step: Step) -> tuple[str, ...]:
    """Return the ids of all steps that a step uses."""
    cited = (step.by.of,) if isinstance(step.by, Instance | Summed) else ()
    return tuple(dict.fromkeys((*step.follows, *cited)))


def point(values: Mapping[sp.Symbol, int | str]) -> dict[sp.Symbol, Fraction]:
    """Return exact values of symbols from whole numbers and texts such as ``"1/3"``."""
    return {symbol: Fraction(value) for symbol, value in values.items()}
