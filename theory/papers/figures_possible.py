"""The panels of Figures 2 to 5 once more, with data that exist: printed, corrected and exact.

The records are fair 0/1 coins, as many as give the caption's sigma. In Figures 3 and 5 they come in
groups of D; a group is one coin copied D times with probability 3/5, and D coins of its own
otherwise. Fair coins are kind to the printed theorems: their signed third moment is 0. The law of
the sum is known, so that the least delta and epsilon over all events stand beside the bounds.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import comb

import numpy as np
import sympy as sp

from kproof.theory.exact import Enclosure, as_arb, integer
from kproof.theory.laws import Binomial, FiniteLattice, LatticeLaw, iid
from kproof.theory.papers.figures import (
    Abscissa,
    CertifiedPoints,
    Curve,
    CurveOrigin,
    Panel,
    PanelSetting,
    X,
    panel_setting,
)
from kproof.theory.profiles import exact
from kproof.theory.reading import Reading
from kproof.theory.theorems.api import statement
from kproof.theory.theorems.lemma1 import EPSILON, EPSILON1, K, S
from kproof.theory.theorems.registry import theorem_of
from kproof.theory.theorems.sums import sums
from kproof.theory.theorems.symbolic import compile_expression, enclose
from kproof.theory.theorems.theorem2 import BERNOULLI_CONSTANT, BERRY_ESSEEN, KAPPA
from kproof.theory.theorems.theorem3 import LAMBDA1, NEIGHBOURHOOD

COPIED = Fraction(3, 5)
"""Probability that a group is one coin copied."""
MORE = 10**8
"""How many times as many records the corrected Theorems 3 and 5 are shown for as well; the shift
grows with the square root, so that the normal part stays what it is."""
_ONE = sp.Integer(1)
_TEN = sp.Integer(10)
_EPSILONS = [Fraction(step, 1000) for step in range(4001)]


@dataclass(frozen=True)
class Coins:
    """The data of one possible panel, in ``X``."""

    unknown: sp.Expr
    """How many records are random to the adversary."""
    points: tuple[Fraction, ...]
    """Where the exact value is taken: all points that the data admit, or as many as are legible."""
    group: sp.Expr = _ONE
    """How many records are in a group."""
    shift: sp.Expr = _ONE
    k: sp.Expr = _TEN
    """As in the theorems."""
    epsilon: sp.Expr | None = None
    """What delta is shown for; by default the epsilon of the printed theorem at the same point."""
    delta: Fraction = Fraction(1)
    """What epsilon is shown for: the least one that goes with this delta."""

    def at(self, expression: sp.Expr, x: Fraction) -> int:
        """Return the value of a whole-numbered attribute at a point."""
        value = expression.xreplace({X: sp.Rational(x.numerator, x.denominator)})
        return integer("value", Fraction(int(value.p), int(value.q)))


def _grid(least: int, most: int, step: int = 1, over: int = 1) -> tuple[Fraction, ...]:
    return tuple(Fraction(j, over) for j in range(least, most + 1, step))


COINS: Mapping[str, Coins] = {
    "2a": Coins(sp.Integer(10_000), _grid(1, 10), shift=X, delta=Fraction(1, 50)),
    "2b": Coins(sp.Integer(10_000), _grid(1, 10), shift=X),
    "2c": Coins(sp.Integer(10_000), _grid(2, 98, 8), k=X, delta=Fraction(1, 100)),
    "3a": Coins(
        sp.Integer(10_000),
        tuple(Fraction(d) for d in (1, 2, 4, 5, 8, 10, 16, 20)),
        group=X,
        shift=_TEN,
        epsilon=_ONE / 10,
    ),
    "3b": Coins(sp.Integer(6250), _grid(1, 20, over=20), group=2 * _ONE, shift=_TEN, epsilon=X),
    "3c": Coins(sp.Integer(6250), _grid(1, 10), group=2 * _ONE, shift=X, delta=Fraction(1, 50)),
    "4a": Coins(40 * (1 - X), _grid(2, 38, 2, over=40)),
    "4b": Coins(40 * (1 - X), _grid(2, 38, 2, over=40), delta=Fraction(1, 4)),
    "5a": Coins(2500 * (1 - X), _grid(2, 23, over=25), group=2 * _ONE, k=2 * _TEN),
    "5b": Coins(
        sp.Integer(2250),
        tuple(Fraction(d) for d in (1, 2, 3, 5, 6, 9, 10, 15, 18)),
        group=X,
        k=2 * _TEN,
    ),
    "5c": Coins(
        2500 * (1 - X), _grid(2, 23, over=25), group=2 * _ONE, k=2 * _TEN, delta=Fraction(1, 100)
    ),
}
"""What is random in each panel: sigma = 50 in Fig. 2, 3(b) and 3(c) and, for D = 1, in 3(a);
V = 10(1 - lambda_2) in Fig. 4, sigma^2 = 1000(1 - lambda_2) in Fig. 5(a) and (c)."""


@cache
def possible(name: str) -> Panel:
    """Return a panel, ``"2a"`` to ``"5c"``, with settings that data can have and the exact values.

    >>> panel = possible("2a")
    >>> [str(curve.kind) for curve in panel.curves]
    ['as printed', 'corrected', 'exact']
    """
    setting = panel_setting(name)
    coins = COINS[name]
    axis = Abscissa.NEIGHBOURHOOD if setting.axis is Abscissa.DEPENDENT else setting.axis
    n = coins.at(coins.unknown, Fraction(0))
    ends = (coins.points[0], coins.points[-1])
    claimed = _formula(setting, coins, setting.quantity, Reading.PRINTED)
    curves: list[Curve | CertifiedPoints] = [Curve(CurveOrigin.PRINTED, n, claimed, *ends)]
    for times in (1, MORE) if theorem_of(setting.theorem).dependent else (1,):
        corrected = _formula(setting, coins, "delta", Reading.CORRECTED, times=times)
        if setting.quantity == "delta":
            curves.append(Curve(CurveOrigin.CORRECTED, n * times, corrected, *ends))
        elif proved := tuple(_provable_epsilons(corrected, coins)):
            curves.append(CertifiedPoints(CurveOrigin.CORRECTED, n * times, proved))
    curves.append(CertifiedPoints(CurveOrigin.EXACT, n, tuple(_exact(setting, coins))))
    return Panel(name, setting.theorem, setting.quantity, axis, tuple(curves))


def group_law(size: int) -> FiniteLattice:
    """Return the law of the sum of one group: one coin copied, or coins of their own.

    >>> group_law(2).atoms[1]
    (Fraction(1, 1), Fraction(1, 5))
    """
    masses = {j: (1 - COPIED) * Fraction(comb(size, j), 2**size) for j in range(size + 1)}
    masses[0] += COPIED / 2
    masses[size] += COPIED / 2
    return FiniteLattice(masses)


def law(n: int, size: int) -> LatticeLaw:
    """Return the law of the sum of n coins in groups; ``size`` divides ``n``."""
    return Binomial(n, "1/2") if size == 1 else iid(group_law(size), n // size)


def _formula(
    setting: PanelSetting, coins: Coins, quantity: str, reading: Reading, *, times: int = 1
) -> sp.Expr:
    """Return epsilon or delta of a reading in ``X``, for ``times`` as many records."""
    symbols = sums(unknown_only=theorem_of(setting.theorem).unknown_only)
    n, size = coins.unknown * times, coins.group
    spread = n * (1 + sp.Rational(str(COPIED)) * (size - 1)) / 4
    values = {
        symbols.n: n,
        symbols.variance: spread,
        symbols.variance_of_sum: spread,
        symbols.third: sp.Integer(0),
        symbols.sigma_cubed: n / 8,
        symbols.absolute_third: n / 8,
        symbols.fourth: n / 16,
        symbols.raw_third: n / 2,
        symbols.raw_fourth: n / 2,
        # Sums of fair coins are log-concave; of groups they are not, and intervals are covered.
        KAPPA: sp.Integer(2 if theorem_of(setting.theorem).dependent else 1),
        BERRY_ESSEEN: BERNOULLI_CONSTANT,
        LAMBDA1: size,
        NEIGHBOURHOOD: size,
        K: coins.k,
        EPSILON1: sp.Rational(1, 10),
        S: coins.shift * sp.sqrt(times),
    }
    if quantity == "delta" and setting.quantity == "delta":
        values[EPSILON] = _epsilon(setting, coins)
    return statement(setting.theorem, reading).expand(quantity).xreplace(values)


def _epsilon(setting: PanelSetting, coins: Coins) -> sp.Expr:
    """Return the epsilon that a panel shows delta for."""
    if coins.epsilon is None:
        return _formula(setting, coins, "epsilon", Reading.PRINTED)
    return coins.epsilon


def _exact(setting: PanelSetting, coins: Coins) -> Iterator[tuple[Fraction, Enclosure]]:
    """Yield the least delta or epsilon over all events at each point."""
    epsilon = _epsilon(setting, coins)
    for x in coins.points:
        total = law(coins.at(coins.unknown, x), coins.at(coins.group, x))
        shift = coins.at(coins.shift, x)
        if setting.quantity == "epsilon":
            yield x, exact(total, shift=shift, delta=coins.delta)
        else:
            solution = Enclosure.from_arb(enclose(epsilon, {X: x}))
            # The upper end: δ falls in ε, and a claim below this δ is below the true one.
            yield x, exact(total, shift=shift, epsilon=Fraction(solution.upper))


def _provable_epsilons(delta: sp.Expr, coins: Coins) -> Iterator[tuple[Fraction, Enclosure]]:
    """Yield the least epsilon on a grid for which a corrected bound proves the delta, if any."""
    fast = compile_expression(delta, [X, EPSILON])
    grid = np.array([float(epsilon) for epsilon in _EPSILONS])
    for x in coins.points:
        # The second place as well: by rounding the first may be one too early.
        for place in np.flatnonzero(fast(float(x), grid) <= float(coins.delta))[:2]:
            epsilon = _EPSILONS[place]
            # Floats only find the place: the claim is made where the certified value is below.
            if enclose(delta, {X: x, EPSILON: epsilon}) <= as_arb(coins.delta):
                yield x, Enclosure.exactly(epsilon)
                break
