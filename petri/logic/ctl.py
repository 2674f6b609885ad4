"""Formulas over the states of a net: state predicates, and the branching-time logic CTL.

A formula is plain data. :mod:`kproof.petri.logic.ctl_check` decides it on a state space,
:mod:`kproof.petri.logic.ctl_text` reads it from text.

A path here is a *maximal* run: it goes on for ever, or ends in a marking in which nothing can
fire. In such a dead marking ``EX f`` is false and ``AX f`` true whatever f is, ``AF f`` and
``EF f`` hold if f does, and so do ``EG f`` and ``AG f``.

Source: Clarke and Emerson, "Design and synthesis of synchronization skeletons using branching time
temporal logic", 1981; maximal paths as in Baier and Katoen, *Principles of Model Checking*, 2008.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from kproof.errors import NetError
from kproof.petri.spaces.space import StateSpace

Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Known:
    """What is known of a formula in each state."""

    surely: Flags
    """Shape (states,): it holds, whatever lies beyond the part explored."""
    possibly: Flags
    """Shape (states,): it is not refuted. In a full state space the same array."""

    @classmethod
    def certain(cls, flags: Flags) -> Known:
        """Return what is known if all is."""
        return cls(flags, flags)

    @property
    def is_certain(self) -> bool:
        """Whether it is known to be certain everywhere."""
        return self.surely is self.possibly

    def __invert__(self) -> Known:
        # One array for both sides is how is_certain knows: two equal ones would be evaluated twice
        # from here on.
        surely = ~self.possibly
        return Known(surely, surely if self.is_certain else ~self.surely)

    def __and__(self, other: Known) -> Known:
        surely = self.surely & other.surely
        certain = self.is_certain and other.is_certain
        return Known(surely, surely if certain else self.possibly & other.possibly)


class Formula:
    """Something that holds in a state or does not."""

    needs_brackets: ClassVar[bool] = True

    def __and__(self, other: Formula) -> Formula:
        return And((self, other))

    def __or__(self, other: Formula) -> Formula:
        return Or((self, other))

    def __invert__(self) -> Formula:
        return Not(self)

    def implies(self, other: Formula) -> Formula:
        """Return the formula that the other holds wherever this one does."""
        return Implies(self, other)

    def core(self) -> Formula:
        """Return the same in terms of atoms, ``Not``, ``And``, ``EX``, ``EU`` and ``AU``."""
        return self


class Atom(Formula):
    """A formula about one state, of which no others are part."""

    needs_brackets = False

    def evaluate(self, space: StateSpace, tick: Callable[[], object] = int) -> Known:
        """Evaluate it in every state.

        Calls ``tick`` again and again meanwhile; whatever it raises ends the evaluation.

        Raises:
            NetError: If it names what the net does not have, or a function raises.
        """
        tick()
        raise NetError(f"this atom cannot be decided in net {space.net.name}")


@dataclass(frozen=True)
class Truth(Atom):
    """True or false everywhere."""

    value: bool

    def evaluate(self, space: StateSpace, tick: Callable[[], object] = int) -> Known:
        """Return the constant for every state."""
        tick()
        return Known.certain(np.full(space.states, self.value))

    def __str__(self) -> str:
        return "true" if self.value else "false"


@dataclass(frozen=True)
class Not(Formula):
    """The part does not hold."""

    part: Formula

    def core(self) -> Formula:
        """Return it with its part in core form; two negations cancel."""
        return _negate(self.part.core())

    def __str__(self) -> str:
        return f"not {_in_brackets(self.part)}"


@dataclass(frozen=True)
class And(Formula):
    """All parts hold."""

    parts: tuple[Formula, ...]

    def core(self) -> Formula:
        """Return it with its parts in core form."""
        return And(tuple(part.core() for part in self.parts))

    def __str__(self) -> str:
        return " and ".join(map(_in_brackets, self.parts))


@dataclass(frozen=True)
class Or(Formula):
    """One of the parts holds."""

    parts: tuple[Formula, ...]

    def core(self) -> Formula:
        """Return not all parts fail."""
        # Through `Not.core`, where two negations cancel: nested alternatives would pile them up.
        return Not(And(tuple(Not(part).core() for part in self.parts)))

    def __str__(self) -> str:
        return " or ".join(map(_in_brackets, self.parts))


@dataclass(frozen=True)
class Implies(Formula):
    """If the first holds, so does the second."""

    premise: Formula
    conclusion: Formula

    def core(self) -> Formula:
        """Return not the first without the second."""
        return Not(And((self.premise.core(), Not(self.conclusion).core())))

    def __str__(self) -> str:
        return f"{_in_brackets(self.premise)} -> {_in_brackets(self.conclusion)}"


@dataclass(frozen=True)
class Ahead(Formula):
    """Common form of EX and AX, about the states one step on, and of EF, AF, EG and AG.

    The last four are about all states on paths from here, this one included.
    """

    part: Formula

    def core(self) -> Formula:
        """Return it in terms of a step or of an until."""
        part = self.part.core()
        # Not by Not(self.part).core(): nested formulas would be brought to core form 2^n times.
        negated = _negate(part)
        match self:
            case AX():
                return Not(EX(negated))
            case EF():
                return EU(Truth(True), part)
            case AF():
                return AU(Truth(True), part)
            case EG():
                return Not(AU(Truth(True), negated))
            case AG():
                return Not(EU(Truth(True), negated))
        return EX(part)

    def __str__(self) -> str:
        return f"{type(self).__name__} {_in_brackets(self.part)}"


class EX(Ahead):
    """Some step leads to a state with the part; false in a dead marking."""


class AX(Ahead):
    """Every step leads to a state with the part; true in a dead marking."""


class EF(Ahead):
    """On some path, some state has the part."""


class AF(Ahead):
    """On every maximal path, some state has the part."""


class EG(Ahead):
    """On some maximal path, every state has the part."""


class AG(Ahead):
    """On every path, every state has the part."""


@dataclass(frozen=True)
class Until(Formula):
    """Common form of EU and AU: a state has the second, and all before it the first."""

    before: Formula
    goal: Formula

    needs_brackets = False

    def core(self) -> Formula:
        """Return it with its parts in core form."""
        return type(self)(self.before.core(), self.goal.core())

    def __str__(self) -> str:
        path = type(self).__name__[0]
        return f"{path}[{_in_brackets(self.before)} U {_in_brackets(self.goal)}]"


class EU(Until):
    """On some path."""


class AU(Until):
    """On every maximal path."""


def _negate(core: Formula) -> Formula:
    return core.part if isinstance(core, Not) else Not(core)


def _in_brackets(part: Formula) -> str:
    return f"({part})" if part.needs_brackets else str(part)
