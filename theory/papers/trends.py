"""How the curves of Figures 2 to 5 run: decided over whole intervals, not read off sampled points.

An interval is cut up until :mod:`kproof.theory.papers.slopes` encloses the slope of every piece
away from 0, but for pieces around a turn that are shorter than a millionth of it. A trend is
thereby proved, with the turn enclosed; what cannot be decided is an error, never a guess.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from enum import StrEnum
from fractions import Fraction
from itertools import pairwise

import sympy as sp
from flint import arb

from kproof.errors import InvalidArgument, Undecided
from kproof.theory.exact import Enclosure, Number, as_arb, integer, rational, use_bits
from kproof.theory.laws import FiniteLattice, iid
from kproof.theory.papers.figures import CertifiedPoints, Curve, N, X, formula, panel_setting
from kproof.theory.papers.figures_possible import possible
from kproof.theory.papers.slopes import Jet, Slopes
from kproof.theory.profiles import exact
from kproof.theory.reading import Reading
from kproof.theory.theorems.api import statement
from kproof.theory.theorems.lemma1 import S
from kproof.theory.theorems.sums import sums

BITS = 96
"""Precision of slopes; pieces end long before it matters."""
FINEST = Fraction(1, 2**20)
"""Pieces shorter than this part of the interval are left undecided around a turn."""
MOST_PIECES = 10_000
"""Limit of a search."""


class Monotonicity(StrEnum):
    """How a curve runs on an interval, strictly."""

    RISES = "rises"
    FALLS = "falls"
    CONSTANT = "is constant"


@dataclass(frozen=True)
class MonotonePiece:
    """A closed interval on which a curve runs in one direction."""

    direction: Monotonicity
    lower: Fraction
    upper: Fraction


@dataclass(frozen=True)
class Trend:
    """The runs of a curve from left to right.

    >>> print(run_of(X**2 - X, "0.2", 1))
    falls until 0.4999, rises from 0.5001
    """

    runs: tuple[MonotonePiece, ...]
    """Neighbours have different directions; between two of them is a gap with the turn in it,
    shorter than :data:`FINEST` of the interval for a formula and empty for single points."""

    @property
    def directions(self) -> tuple[Monotonicity, ...]:
        """The directions from left to right."""
        return tuple(run.direction for run in self.runs)

    def on(self, lower: Number, upper: Number) -> Monotonicity | None:
        """Return the direction that holds on all of an interval, or None if none does."""
        low, high = rational("lower", lower), rational("upper", upper)
        for run in self.runs:
            if run.lower <= low and high <= run.upper:
                return run.direction
        return None

    def __str__(self) -> str:
        """Return one line; the ends of runs are rounded inward to four digits."""
        if len(self.runs) == 1:
            return str(self.runs[0].direction)
        parts = []
        for place, run in enumerate(self.runs):
            start = f" from {_short(run.lower, ROUND_CEILING)}" if place else ""
            last = place == len(self.runs) - 1
            right = "" if last else f" until {_short(run.upper, ROUND_FLOOR)}"
            parts.append(f"{run.direction}{start}{right}")
        return ", ".join(parts)


def trend(name: str, n: int, *, shrinking: bool = False, reading: str = "printed") -> Trend:
    """Return how the curve of :func:`kproof.theory.papers.figures.formula` runs for n records.

    Raises Undecided if the curve turns where no interval shows it.

    >>> print(trend("4a", 10_000))
    falls until 0.9481, rises from 0.9482
    """
    setting = panel_setting(name)
    panel_formula = formula(name, shrinking=shrinking, reading=reading)
    return run_of(panel_formula.xreplace({N: sp.Integer(n)}), setting.lower, setting.upper)


def trend_of(curve: Curve | CertifiedPoints) -> Trend:
    """Return how any curve of a panel runs; between single points nothing is said."""
    if isinstance(curve, Curve):
        return run_of(curve.formula, curve.lower, curve.upper)
    steps = [(a, b, _step(first, second)) for (a, first), (b, second) in pairwise(curve.values)]
    return Trend(_merge(steps))


def possible_trend(name: str, kind: str, n: int | None = None) -> Trend:
    """Return how a curve of :func:`kproof.theory.papers.figures_possible.possible` runs.

    >>> print(possible_trend("3b", "exact"))
    falls
    """
    return trend_of(possible(name).curve(kind, n))


def ratio_trend(name: str, other: str, n: int, *, upper: Number) -> Trend:
    """Return how one printed panel over another runs, on the axis they share, up to ``upper``.

    If it falls while both rise, the first grows by the smaller factor.

    >>> print(ratio_trend("2b", "2a", 20_000, upper=10))
    falls
    """
    setting = panel_setting(name)
    if panel_setting(other).axis is not setting.axis:
        raise InvalidArgument("other", other, f"a panel against {setting.axis}")
    ratio = formula(name) / formula(other)
    return run_of(ratio.xreplace({N: sp.Integer(n)}), setting.lower, upper)


def coin_delta(p: Number) -> sp.Expr:
    """Return the printed delta of Fig. 2(b) against the shift for 0/1 records with sigma = 50.

    ``p``: probability of 1, with 2500/(p(1 - p)) whole: that many records have V = 2500.

    >>> coin_delta("1/2")
    1/100
    >>> print(run_of(coin_delta("4/5"), 1, 10))
    falls
    """
    chance = rational("p", p, above=0, below=1)
    variance = chance * (1 - chance)
    n = integer("2500/(p(1-p))", 2500 / variance)
    symbols = sums(unknown_only=False)
    values = {
        symbols.n: sp.Integer(n),
        symbols.variance: sp.Integer(2500),
        symbols.third: 2500 * sp.Rational(str(1 - 2 * chance)),
        symbols.sigma_cubed: 2500 * sp.sqrt(sp.Rational(str(variance))),
        S: X,
    }
    return statement(2, Reading.PRINTED).expand("delta").xreplace(values)


def coin_delta_at_one(p: Number) -> str:
    """Return :func:`coin_delta` at a shift of 1, to three decimals.

    >>> coin_delta_at_one("1/2")
    '0.010'
    """
    return f"{float(coin_delta(p).subs(X, 1)):.3f}"


def delta_of_doubled_coins(shift: Number) -> Enclosure:
    """Return the exact delta at epsilon = 1/10 for 100 fair records worth 0 or 2.

    >>> print(delta_of_doubled_coins(1), delta_of_doubled_coins(2))
    1 0.04113291
    """
    coin = FiniteLattice({0: "1/2", 2: "1/2"})
    return exact(iid(coin, 100), shift=shift, epsilon="0.1")


def run_of(expression: sp.Expr, lower: Number, upper: Number) -> Trend:
    """Return how a formula in ``X`` runs from ``lower`` to ``upper``.

    Raises Undecided if the slope has no sign on pieces that no turn explains, or the formula no
    value.

    >>> print(run_of(sp.Max(1, X), 0, 3))
    is constant until 0.9999, rises from 1.001
    """
    low = rational("lower", lower)
    high = rational("upper", upper, above=low)
    if expression.free_symbols - {X}:
        raise InvalidArgument("expression", expression, f"a formula in {X} alone")
    finest = (high - low) * FINEST
    over = Slopes(expression, X)
    pieces: list[tuple[Fraction, Fraction, Monotonicity | None]] = []
    with use_bits(BITS):
        waiting = [(low, high)]
        for _ in range(MOST_PIECES):
            if not waiting:
                break
            a, b = waiting.pop()
            direction = _sign(over({X: _ball(a, b)}))
            if direction is None and b - a > finest:
                middle = (a + b) / 2
                # The left half is taken next, so that pieces come from left to right.
                waiting += [(middle, b), (a, middle)]
            else:
                pieces.append((a, b, direction))
    if waiting:
        raise Undecided(f"the slope of {expression} has no sign on too many pieces")
    return Trend(_merge(pieces))


def everywhere(
    name: str,
    *,
    least_n: int,
    most_n: int,
    shrinking: bool = False,
    lower: Number | None = None,
    upper: Number | None = None,
) -> Monotonicity:
    """Return the direction of a printed panel for every number of records in a range.

    ``name``, ``shrinking``: as for :func:`kproof.theory.papers.figures.formula`. ``least_n``,
    ``most_n``: the range; every real number in it is covered. ``lower``, ``upper``: by default the
    panel's interval; the same number twice asks about one point. Raises Undecided if no one
    direction holds on the whole rectangle.

    >>> str(everywhere("2a", least_n=10, most_n=10**9))
    'rises'
    """
    setting, over = panel_setting(name), Slopes(formula(name, shrinking=shrinking), X)
    low = setting.lower if lower is None else rational("lower", lower)
    high = setting.upper if upper is None else rational("upper", upper, least=low)
    waiting = [(low, high, Fraction(least_n), Fraction(most_n))]
    directions: set[Monotonicity] = set()
    with use_bits(BITS):
        for _ in range(MOST_PIECES):
            if not waiting or len(directions) > 1:
                break
            a, b, few, many = waiting.pop()
            direction = _sign(over({X: _ball(a, b), N: _ball(few, many)}))
            if direction is not None:
                directions.add(direction)
            # The longer side by its ratio is cut: both may span many powers of ten.
            elif many / few > b / a:
                # Whole numbers keep the ends short; the formulas see n by its logarithm.
                middle = (few + many) / 2
                if many - few > 2:
                    middle = Fraction(round(float(few * many) ** 0.5))
                waiting += [(a, b, few, middle), (a, b, middle, many)]
            else:
                middle = (a + b) / 2
                waiting += [(a, middle, few, many), (middle, b, few, many)]
    # Both ways of not knowing: pieces without a sign, and pieces of different signs.
    if waiting or len(directions) != 1:
        raise Undecided(f"panel {name}: no direction was found that holds on the whole rectangle")
    return directions.pop()


def _sign(jet: Jet) -> Monotonicity | None:
    # A slope without a value is none: the formula may not be defined on all of the box.
    if not jet.value.is_finite():
        return None
    if jet.slope > 0:
        return Monotonicity.RISES
    if jet.slope < 0:
        return Monotonicity.FALLS
    return Monotonicity.CONSTANT if jet.slope == 0 else None


def _step(first: Enclosure, second: Enclosure) -> Monotonicity | None:
    if second.lower > first.upper:
        return Monotonicity.RISES
    if second.upper < first.lower:
        return Monotonicity.FALLS
    is_same = first.lower == first.upper == second.lower == second.upper
    return Monotonicity.CONSTANT if is_same else None


def _merge(
    pieces: Sequence[tuple[Fraction, Fraction, Monotonicity | None]],
) -> tuple[MonotonePiece, ...]:
    """Join neighbours of one direction; undecided pieces may lie between two directions only."""
    runs: list[MonotonePiece] = []
    for a, b, direction in pieces:
        if direction is None:
            continue
        if runs and runs[-1].direction is direction:
            # Between two pieces of one direction an undecided one may hide two turns.
            if runs[-1].upper != a:
                raise Undecided(f"the slope has no sign from {runs[-1].upper} to {a}")
            runs[-1] = MonotonePiece(direction, runs[-1].lower, b)
        else:
            runs.append(MonotonePiece(direction, a, b))
    if not runs or runs[0].lower != pieces[0][0] or runs[-1].upper != pieces[-1][1]:
        raise Undecided("the slope has no sign at an end of the interval")
    return tuple(runs)


def _ball(a: Fraction, b: Fraction) -> arb:
    return as_arb(a).union(as_arb(b))


def _short(value: Fraction, rounding: str) -> str:
    context = Context(prec=4, rounding=rounding)
    return f"{context.divide(value.numerator, value.denominator).normalize():f}"
