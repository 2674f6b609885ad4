"""Value and slope of a formula over a whole interval at once, enclosed by balls.

One walk over a SymPy expression carries a ball around every value it takes on an interval and a
ball around every slope. A slope ball without 0 proves that the formula is strictly monotone there;
where it has 0 the interval is cut in two. At a kink of ``Max`` or ``Min`` the slope ball holds the
slopes of both sides, which is what the mean value theorem needs of a piecewise smooth function.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial, reduce
from typing import NamedTuple

import sympy as sp
from flint import arb

from kproof.theory.exact.typed import as_arb
from kproof.theory.theorems.symbolic import Phi


class Jet(NamedTuple):
    """A ball around the values and one around the slopes."""

    value: arb
    slope: arb


class Slopes:
    """An expression made ready to be enclosed, with its derivative, over many boxes.

    ``expression``: built from rationals, pi, sums, products, rational powers, exp, log, Max, Min,
    LambertW and :class:`~kproof.theory.theorems.symbolic.Phi`. ``variable``: the one to
    differentiate in. Raises TypeError if the expression has a function without a rule here.

    >>> x = sp.Symbol("x")
    >>> over = Slopes(sp.exp(x) - x, x)
    >>> over({x: arb(2, 1)}).slope > 0
    True
    >>> Slopes(sp.sin(x), x)
    Traceback (most recent call last):
        ...
    TypeError: no slope of sin
    """

    def __init__(self, expression: sp.Expr, variable: sp.Symbol) -> None:
        self._expression = expression
        self._variable = variable
        # Arguments come before what is made of them, and what occurs twice is worked out once.
        nodes = dict.fromkeys(sp.postorder_traversal(expression))
        self._steps = [(node, _rule(node)) for node in nodes if not isinstance(node, sp.Symbol)]

    def __call__(self, balls: Mapping[sp.Symbol, arb]) -> Jet:
        """Enclose values and slopes for all points of a box, a ball for every free symbol.

        The value is not finite where the expression has no value somewhere in the box; a slope
        that is 0 throughout is the exact ball 0.
        """
        jets: dict[sp.Basic, Jet] = {
            symbol: Jet(ball, arb(1 if symbol == self._variable else 0))
            for symbol, ball in balls.items()
        }
        for node, rule in self._steps:
            jets[node] = rule(*[jets[argument] for argument in node.args])
        return jets[self._expression]


def _rule(node: sp.Basic) -> Callable[..., Jet]:
    """Return how the jet of an expression follows from the jets of its arguments."""
    if isinstance(node, sp.Rational):
        exact = Fraction(int(node.p), int(node.q))
        return lambda: Jet(as_arb(exact), arb(0))
    if node is sp.pi:
        return lambda: Jet(arb.pi(), arb(0))
    if isinstance(node, sp.Pow) and isinstance(node.exp, sp.Rational):
        power = Fraction(int(node.exp.p), int(node.exp.q))
        return lambda base, _: _power(power, base)
    if type(node) in _CHAIN:
        return partial(_chain_rule, _CHAIN[type(node)])
    if type(node) in _FOLDED:
        fold = _FOLDED[type(node)]
        return lambda *jets: reduce(fold, jets)
    raise TypeError(f"no slope of {type(node).__name__}")


def _power(exponent: Fraction, base: Jet) -> Jet:
    power = as_arb(exponent)
    if exponent.denominator == 1 and exponent > 0:
        slope = power * base.value ** (exponent.numerator - 1)
        return Jet(base.value**exponent.numerator, _times(base.slope, slope))
    # A root or a logarithm of a ball that reaches 0 has no slope there: the piece stays undecided.
    if not base.value > 0:
        return _NOTHING
    value = base.value.sqrt() if exponent == Fraction(1, 2) else base.value**power
    return Jet(value, _times(base.slope, power * value / base.value))


def _chain_rule(rule: Callable[[arb], Jet], inner: Jet) -> Jet:
    outer = rule(inner.value)
    return Jet(outer.value, _times(inner.slope, outer.slope))


def _lambert(x: arb) -> Jet:
    if not x > 0:
        return _NOTHING
    value = x.lambertw()
    return Jet(value, value / (x * (1 + value)))


def _phi(x: arb) -> Jet:
    # Not by 1 + erf: far down all digits would be lost.
    value = (-x / arb(2).sqrt()).erfc() / 2
    return Jet(value, (-x * x / 2).exp() / (2 * arb.pi()).sqrt())


def _extreme(a: Jet, b: Jet, *, largest: bool) -> Jet:
    if a.value > b.value:
        return a if largest else b
    if a.value < b.value:
        return b if largest else a
    # Both slopes: the ball must hold those of either side of a kink.
    value = a.value.max(b.value) if largest else a.value.min(b.value)
    return Jet(value, a.slope.union(b.slope))


def _times(slope: arb, factor: arb) -> arb:
    """Multiply; a slope that is exactly 0 stays so."""
    # 0 times an infinite ball would be no number, and what is constant has a slope.
    return slope if slope == 0 else slope * factor


_NOTHING = Jet(arb.nan(), arb.nan())

_CHAIN: dict[type, Callable[[arb], Jet]] = {
    sp.exp: lambda x: Jet(x.exp(), x.exp()),
    sp.log: lambda x: Jet(x.log(), 1 / x) if x > 0 else _NOTHING,
    sp.LambertW: _lambert,
    Phi: _phi,
}

_FOLDED: dict[type, Callable[[Jet, Jet], Jet]] = {
    sp.Add: lambda a, b: Jet(a.value + b.value, a.slope + b.slope),
    sp.Mul: lambda a, b: Jet(
        a.value * b.value, _times(a.slope, b.value) + _times(b.slope, a.value)
    ),
    sp.Max: partial(_extreme, largest=True),
    sp.Min: partial(_extreme, largest=False),
}
