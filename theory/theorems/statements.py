"""How a theorem is written down: formulas with definitions, evaluated from that very text.

A :class:`Statement` is data. Its LaTeX, its certified value and its NumPy code all come from the
same SymPy expressions, so that what is shown is what is computed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import sympy as sp
from flint import arb

from kproof.notebooks import latex_lines
from kproof.theory.exact.enclosure import Enclosure
from kproof.theory.reading import Reading
from kproof.theory.theorems.bounds import Hypothesis, Status
from kproof.theory.theorems.symbolic import NoValueError, Value, compile_expression, enclose


@dataclass(frozen=True)
class Requirement:
    """A condition ``left >= right`` of a statement, decided with certainty where it is used."""

    name: str
    """As it would be written in a theorem."""
    left: sp.Expr
    right: sp.Expr
    """Expressions in the symbols of the statement."""
    of: str | None = None
    """The formula it belongs to; None for both."""
    strict: bool = False
    """``>`` in place of ``>=``."""
    hidden: bool = False
    """The paper's proof needs it, its statement does not say so."""

    def check(
        self, values: Mapping[sp.Symbol, Value], where: Mapping[sp.Symbol, sp.Expr]
    ) -> Hypothesis:
        """Return the hypothesis with its status; what cannot be shown to hold fails."""
        try:
            gap = enclose(self.left - self.right, values, where)
        except NoValueError as failure:
            return Hypothesis(self.name, Status.FAILS, str(failure), self.hidden)
        # A ball that reaches below 0 fails: what is not proved does not hold.
        holds = gap > 0 if self.strict else gap >= 0
        sides = f"left side minus right side = {Enclosure.from_arb(gap)}"
        return Hypothesis(self.name, Status.HOLDS if holds else Status.FAILS, sides, self.hidden)


@dataclass(frozen=True, repr=False)
class Statement:
    """One reading of one theorem."""

    theorem: int
    reading: Reading
    """Which one."""
    source: str
    """Where in the paper it stands, or what replaces it."""
    formulas: Mapping[str, sp.Expr]
    """``"epsilon"`` and ``"delta"``, whichever the statement gives."""
    where: Mapping[sp.Symbol, sp.Expr]
    """Definitions of symbols used in the formulas and in one another, without circles."""
    requires: tuple[Requirement, ...] = ()
    """The conditions under which the formulas may be used."""
    remark: str = ""
    """What a reader should know about the text, one sentence."""
    notation: Mapping[sp.Symbol, str] = field(default_factory=dict)
    """LaTeX of symbols whose names are not their notation."""

    def __repr__(self) -> str:
        """Say which statement it is; the formulas are long."""
        return f"Statement(Theorem {self.theorem}, {self.reading.value}: {self.source})"

    def check(self, quantity: str, values: Mapping[sp.Symbol, Value]) -> tuple[Hypothesis, ...]:
        """Decide every requirement of one formula."""
        return tuple(
            self._check(requirement, values)
            for requirement in self.requires
            if requirement.of in (None, quantity)
        )

    def _check(self, requirement: Requirement, values: Mapping[sp.Symbol, Value]) -> Hypothesis:
        missing = self._free_symbols(requirement.left - requirement.right) - values.keys()
        if missing:
            needs = f"needs {_join_names(missing)}"
            return Hypothesis(requirement.name, Status.FAILS, needs, requirement.hidden)
        return requirement.check(values, self.where)

    def enclose(
        self,
        quantity: str,
        values: Mapping[sp.Symbol, Value],
        *,
        low: int | None = None,
        high: int | None = None,
    ) -> Enclosure:
        """Return an enclosure of ``epsilon`` or ``delta``, whose value has these known limits."""
        return Enclosure.from_arb(self.ball(quantity, values), low=low, high=high)

    def ball(self, quantity: str, values: Mapping[sp.Symbol, Value]) -> arb:
        """Return the value of a formula as a ball, at a precision that makes it narrow."""
        missing = self.free(quantity) - values.keys()
        if missing:
            raise NoValueError(f"{quantity} needs {_join_names(missing)}")
        return enclose(self.formulas[quantity], values, self.where)

    def free(self, quantity: str) -> set[sp.Symbol]:
        """Return the symbols a formula needs once the definitions are put in."""
        return self._free_symbols(self.formulas[quantity])

    def _free_symbols(self, expression: sp.Expr) -> set[sp.Symbol]:
        symbols = set(expression.free_symbols)
        while defined := symbols & self.where.keys():
            symbols -= defined
            symbols = symbols.union(*(self.where[symbol].free_symbols for symbol in defined))
        return symbols

    def expand(self, quantity: str) -> sp.Expr:
        """Return the formula with every definition put in."""
        expression = self.formulas[quantity]
        # Again and again: definitions use one another, and one pass does not look into what it puts
        # in.
        while expression.free_symbols & self.where.keys():
            expression = expression.xreplace(dict(self.where))
        return expression

    def uncut(self, quantity: str) -> sp.Expr:
        """Return the formula without the minimum with 1 that makes it a probability."""
        expression = self.formulas[quantity]
        if not isinstance(expression, sp.Min):
            return expression
        return sp.Min(*(term for term in expression.args if term != 1))

    def to_numpy(self, quantity: str, arguments: list[sp.Symbol]) -> Callable[..., Any]:
        """Return the formula as NumPy code in the given arguments: fast, rounded to nearest."""
        return compile_expression(self.expand(quantity), arguments)

    def latex(self) -> str:
        """Return the formulas and definitions as aligned LaTeX lines."""
        names = {"epsilon": r"\varepsilon", "delta": r"\delta"}

        def in_latex(expression: sp.Expr) -> str:
            return str(sp.latex(expression, symbol_names=dict(self.notation)))

        lines = [f"{names[name]} &= {in_latex(e)}" for name, e in self.formulas.items()]
        lines += [f"{in_latex(symbol)} &= {in_latex(e)}" for symbol, e in self.where.items()]
        return r" \\ ".join(lines)

    def _repr_latex_(self) -> str:
        return latex_lines([self.latex()])


def by_reading(*statements: Statement) -> Mapping[Reading, Statement]:
    """Return the readings of a theorem, each under its name."""
    return MappingProxyType({statement.reading: statement for statement in statements})


def _join_names(symbols: set[sp.Symbol]) -> str:
    """Return names without LaTeX, in order."""
    names = (symbol.name.removesuffix("_unknown") for symbol in symbols)
    return ", ".join(
        sorted(re.sub(r"\\var|_", "", name) if "\\" in name else name for name in names)
    )
