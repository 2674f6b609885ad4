"""Figures 2 to 5 of the bounds paper as data: each panel's formula, settings and interval.

A panel is the printed theorem with the caption's settings put in, so that a formula in the plotted
variable ``X`` and the number of records ``N`` is left. The captions never say ``N``; the printed
panels are therefore families. What the settings ask of data is checked in
:mod:`kproof.theory.papers.figure_settings`, the panels with possible settings are in
:mod:`kproof.theory.papers.figures_possible`, and :mod:`kproof.theory.papers.trends` decides how
curves run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cache
from types import MappingProxyType

import sympy as sp

from kproof.errors import InvalidArgument
from kproof.theory.derivations.expressions import expression
from kproof.theory.exact import Enclosure, Number, integer, rational
from kproof.theory.paragraphs import paragraphs
from kproof.theory.reading import Reading
from kproof.theory.theorems.api import statement
from kproof.theory.theorems.lemma1 import EPSILON, EPSILON1, K, S
from kproof.theory.theorems.registry import theorem_of
from kproof.theory.theorems.sums import sums
from kproof.theory.theorems.symbolic import enclose
from kproof.theory.theorems.theorem3 import LAMBDA1

X = sp.Symbol("x", positive=True)
"""The variable a panel is plotted against."""
N = sp.Symbol("N", positive=True)
"""The number of records, which no caption gives."""
_SHARE = sp.Symbol("r", positive=True)
# Put in first, so that SymPy sees a positive share where it would not see 1 - x as one.


class Abscissa(StrEnum):
    """What a panel is plotted against."""

    SHIFT = "s"
    SIZE = "k"
    DEPENDENT = "lambda1"
    NEIGHBOURHOOD = "D"
    KNOWN = "lambda2"
    EPSILON = "epsilon"


class CurveOrigin(StrEnum):
    """Where the values of a curve come from."""

    PRINTED = "as printed"
    CORRECTED = "corrected"
    EXACT = "exact"


@dataclass(frozen=True)
class Curve:
    """A formula in ``X`` over an interval."""

    kind: CurveOrigin
    n: int
    """Where it comes from, for how many records."""
    formula: sp.Expr
    """In ``X`` alone."""
    lower: Fraction
    upper: Fraction
    """The interval it is plotted over."""

    def at(self, x: Number) -> Enclosure:
        """Return the certified value at a point."""
        point = rational("x", x, least=self.lower, most=self.upper)
        return Enclosure.from_arb(enclose(self.formula, {X: point}))


@dataclass(frozen=True)
class CertifiedPoints:
    """Certified values at single points, where there is no formula or only some points count."""

    kind: CurveOrigin
    n: int
    """As in a :class:`Curve`."""
    values: tuple[tuple[Fraction, Enclosure], ...]
    """Pairs of a point and its value, points ascending."""


@dataclass(frozen=True)
class Panel:
    """One panel of a figure."""

    name: str
    """Figure and letter, ``"2a"`` to ``"5c"``, as in the captions."""
    theorem: int
    """Whose bound it shows."""
    quantity: str
    """``"epsilon"`` or ``"delta"``."""
    axis: Abscissa
    """What it is plotted against."""
    curves: tuple[Curve | CertifiedPoints, ...]
    """In the order drawn."""

    def curve(self, kind: CurveOrigin | str, n: int | None = None) -> Curve | CertifiedPoints:
        """Return the curve of a kind, and of a number of records if there are several."""
        for curve in self.curves:
            if curve.kind == kind and n in (None, curve.n):
                return curve
        curves = ", ".join(f"{curve.kind} with n = {curve.n}" for curve in self.curves)
        raise InvalidArgument("curve", f"{kind} with n = {n}", f"one of {curves}")


@dataclass(frozen=True)
class PanelSetting:
    """What a caption says of one panel."""

    theorem: int
    quantity: str
    axis: Abscissa
    lower: Fraction
    upper: Fraction
    """Which formula is plotted, against what, over which interval. The captions give no
    intervals; these contain every value that the text mentions."""
    sums: Mapping[str, sp.Expr]
    """The sums of moments, by name, in ``X``."""
    fixed: Mapping[sp.Symbol, sp.Expr]
    """What else is fixed, by symbol."""


_INTERVALS = {
    Abscissa.SHIFT: ("1", "10"),
    Abscissa.SIZE: ("2", "100"),
    Abscissa.DEPENDENT: ("0.05", "1"),
    Abscissa.KNOWN: ("0.05", "0.95"),
    Abscissa.EPSILON: ("0.05", "1"),
}
_CAPTIONS = """
2a: epsilon of 2 against s; variance = 2500; s = x, k = 10, epsilon1 = 0.1
2b: delta of 2 against s; variance = 2500, third = 1, sigma_cubed = 100; s = x
2c: epsilon of 2 against k; variance = 2500; s = 1, k = x, epsilon1 = 0.1
3a: delta of 3 against lambda1; variance_of_sum = 2500, raw_third = 5, raw_fourth = 1;
    lambda1 = x, epsilon = 0.1
3b: delta of 3 against epsilon; variance_of_sum = 2500, raw_third = 5, raw_fourth = 1;
    lambda1 = 0.2, epsilon = x
3c: epsilon of 3 against s; variance_of_sum = 2500; s = x, k = 10, epsilon1 = 0.1
4a: delta of 4 against lambda2; variance = 10*x, third = 10*x, sigma_cubed = 100*x; s = 1
4b: epsilon of 4 against lambda2; variance = 10*x; s = 1, k = 10, epsilon1 = 0.1
5a: delta of 5 against lambda2; variance_of_sum = 1000*x, raw_third = 5*x, raw_fourth = 25*x^2;
    s = 1, k = 20, epsilon1 = 0.1, lambda1 = 0.1
5b: delta of 5 against lambda1; variance_of_sum = 100, raw_third = 1/2, raw_fourth = 1/4;
    s = 1, k = 20, epsilon1 = 0.1, lambda1 = x
5c: epsilon of 5 against lambda2; variance_of_sum = 1000*x; s = 1, k = 20, epsilon1 = 0.1
"""


def _read_settings() -> Iterator[tuple[str, PanelSetting]]:
    symbols = {"s": S, "k": K, "epsilon1": EPSILON1, "lambda1": LAMBDA1, "epsilon": EPSILON}
    for _, caption in paragraphs(_CAPTIONS):
        name, text = caption.split(": ")
        title, *parts = text.split("; ")
        quantity, _, theorem, _, axis = title.split()
        totals, fixed = (dict(entry.split(" = ") for entry in part.split(", ")) for part in parts)
        sums = {key: expression(value, {"x": X}) for key, value in totals.items()}
        values = {symbols[key]: expression(value, {"x": X}) for key, value in fixed.items()}
        lower, upper = map(Fraction, _INTERVALS[Abscissa(axis)])
        maps = MappingProxyType(sums), MappingProxyType(values)
        yield name, PanelSetting(int(theorem), quantity, Abscissa(axis), lower, upper, *maps)


SETTINGS: Mapping[str, PanelSetting] = MappingProxyType(dict(_read_settings()))
"""What the captions say. That of Fig. 3(c) gives no sigma: 50 is that of (a) and (b)."""

KNOWN_IN_5B = sp.Rational(1, 10)
"""Fig. 5(b) fixes lambda_2; the other panels of Figs. 4 and 5 plot against it."""
SIZES = (100, 20_000, 1_562_500)
"""Numbers of records the printed panels are drawn for: few; as many as Fig. 5(a) needs to turn
where the text says; as many as Fig. 2(b) needs to be possible."""


def formula(
    name: str, *, reading: str | Reading = Reading.PRINTED, shrinking: bool = False
) -> sp.Expr:
    """Return what a panel plots, in ``X`` and ``N``.

    ``name``: ``"2a"`` to ``"5c"``. ``reading``: ``printed`` or ``derived``; they differ in Fig.
    3(a) and (b). ``shrinking``: in Figs. 4 and 5 against lambda_2: let the sums over the unknown
    records shrink with ``1 - lambda_2``, as sums over fewer records do, where the captions let them
    grow with ``lambda_2``.

    >>> formula("4b", shrinking=True).subs({X: sp.Rational(3, 4), N: 400}).evalf(5)
    1.0891
    """
    setting = panel_setting(name)
    if shrinking and setting.axis is not Abscissa.KNOWN:
        raise InvalidArgument("shrinking", True, "it with a panel against lambda2")
    text = statement(setting.theorem, reading)
    symbols = sums(unknown_only=theorem_of(setting.theorem).unknown_only)
    share_known = (
        X if setting.axis is Abscissa.KNOWN else KNOWN_IN_5B if setting.theorem == 5 else 0
    )
    share = 1 - X if shrinking else X
    values: dict[sp.Symbol, sp.Expr] = {symbols.n: N * (1 - share_known), **setting.fixed}
    for part, total in setting.sums.items():
        values[getattr(symbols, part)] = total.xreplace({X: _SHARE})
    if setting.quantity == "delta":
        # Theorems 3 and 5 state delta for their own epsilon unless the caption fixes one.
        values.setdefault(EPSILON, text.expand("epsilon").xreplace(values))
    return text.expand(setting.quantity).xreplace(values).xreplace({_SHARE: share})


def panel_setting(name: str) -> PanelSetting:
    """Return what the caption says of a panel, by name."""
    if name not in SETTINGS:
        raise InvalidArgument("panel", name, "2a to 5c")
    return SETTINGS[name]


@cache
def printed(name: str, *, sizes: tuple[int, ...] = SIZES, shrinking: bool = False) -> Panel:
    """Return a panel as the paper sets it, for several numbers of records.

    ``name``, ``shrinking``: as for :func:`formula`. ``sizes``: numbers of records, at least 21, so
    that some stay unknown.

    >>> print(printed("4a").curve("as printed", 100).at("1/2"))
    0.5240539
    """
    setting, panel_formula = panel_setting(name), formula(name, shrinking=shrinking)
    curves = []
    for n in sizes:
        count, drawn = integer("n", n, least=21), panel_formula.xreplace({N: sp.Integer(n)})
        curves.append(Curve(CurveOrigin.PRINTED, count, drawn, setting.lower, setting.upper))
    return Panel(name, setting.theorem, setting.quantity, setting.axis, tuple(curves))
