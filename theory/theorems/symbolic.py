"""One definition, three readings: a SymPy expression is the formula, its digits and its float code.

Every theorem is written once, as SymPy expressions. Here they are evaluated: by a walk over the
expression in rationals and Arb balls (certified), and as generated NumPy code (fast). The two
probability functions that SymPy lacks, Phi and Pr[a <= M <= b], are defined here with both.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any, TypeAlias

import numpy as np
import sympy as sp
from flint import arb

from kproof.errors import Undecided
from kproof.theory.exact.precision import floor_of, is_narrow, ladder, use_bits
from kproof.theory.exact.typed import as_arb, whole_power
from kproof.theory.profiles.binomial_tails import lower_tails

Value: TypeAlias = "Fraction | arb"
MOST_BITS = 1 << 14


class Phi(sp.Function):
    """The standard normal distribution function."""

    nargs = 1

    def fdiff(self, argindex: int = 1) -> sp.Expr:
        """Return the derivative by the argument: the standard normal density."""
        if argindex != 1:
            raise sp.core.function.ArgumentIndexError(self, argindex)
        return sp.exp(-(self.args[0] ** 2) / 2) / sp.sqrt(2 * sp.pi)

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        body = rf"\Phi\left({printer._print(self.args[0])}\right)"
        return body if exp is None else f"{body}^{{{exp}}}"


class Between(sp.Function):
    """``Between(a, b, n, p)``: the probability that M ~ Bin(n, p) lies in {a, ..., b}."""

    nargs = 4

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        a, b = (printer._print(x) for x in self.args[:2])
        body = rf"\Pr\left[{a} \le M \le {b}\right]"
        return body if exp is None else rf"{body}^{{{exp}}}"


class NoValueError(ArithmeticError):
    """The formula has no real value at this point; the message names the part."""


class Overlap(ArithmeticError):
    """A comparison needs more precision."""


def enclose(
    expression: sp.Expr,
    values: Mapping[sp.Symbol, Value],
    where: Mapping[sp.Symbol, sp.Expr] | None = None,
    *,
    relative_width: float = 1e-15,
) -> arb:
    """Return a ball that contains the value of an expression, at rising precision.

    The expression is built from rationals, sums, products, powers, exp, log, Max, Min, floor,
    Piecewise, LambertW, pi, :class:`Phi` and :class:`Between`, of symbols that have a value or a
    definition in ``where``. The precision rises until the ball is as narrow as asked; where inputs
    are themselves wide balls it is as wide as they make it. Where the expression is undefined it is
    a NoValueError; a comparison inside that stays undecided is Undecided.

    >>> x = sp.Symbol("x")
    >>> enclose(sp.floor(3 * x) + sp.exp(0 * x), {x: Fraction(1, 3)})
    2.00000000000000
    >>> enclose(sp.log(x), {x: Fraction(-1)})
    Traceback (most recent call last):
        ...
    kproof.theory.theorems.symbolic.NoValueError: log(x): the argument is not positive
    """
    program = _program(expression, tuple((where or {}).items()))
    last: arb | None = None
    overlap = ""
    for bits in ladder(most=MOST_BITS):
        with use_bits(bits):
            try:
                ball = ball_of(program(values))
            except Overlap as failure:
                overlap = str(failure)
                continue
        if is_narrow(ball, relative_width):
            return ball
        # Input balls of fixed width set a floor that no working precision gets under.
        if last is not None and ball.is_finite() and 2 * ball.rad() > last.rad():
            return ball
        last = ball
    if last is not None and last.is_finite():
        return last
    raise Undecided(f"{overlap or expression} could not be decided at {MOST_BITS} bits")


def ball_of(value: Value) -> arb:
    """Return a ball at the working precision around a rational or a ball."""
    # Asking for arb, a plain type, is several times faster than asking for Fraction, an ABC.
    return +value if isinstance(value, arb) else as_arb(value)


def compile_expression(expression: sp.Expr, arguments: list[sp.Symbol]) -> Callable[..., Any]:
    """Generate NumPy code from the expression: arrays in, array out, float64 rounding.

    >>> x = sp.Symbol("x")
    >>> float(compile_expression(Phi(x) - x / 2, [x])(0.0))
    0.5
    """
    from scipy import special

    def between(a: Any, b: Any, n: Any, p: Any) -> Any:
        # The tail on the far side of the mean is the small one: subtract there.
        a, b = np.maximum(a, 0), np.minimum(b, n)
        below = np.where(a > 0, special.bdtr(np.maximum(a - 1, 0), n, p), 0.0)
        above = np.where(a > 0, special.bdtrc(np.maximum(a - 1, 0), n, p), 1.0)
        lower = special.bdtr(np.maximum(b, 0), n, p) - below
        upper = above - special.bdtrc(np.maximum(b, 0), n, p)
        return np.where(b < a, 0.0, np.where(a > n * p, upper, lower))

    functions = {
        "Phi": special.ndtr,
        "Between": between,
        "LambertW": lambda x: special.lambertw(x).real,
    }
    generated: Callable[..., Any] = sp.lambdify(
        arguments, expression, [functions, "scipy", "numpy"]
    )
    return generated


def in_floats(
    expression: sp.Expr,
    arguments: list[sp.Symbol],
    where: Mapping[sp.Symbol, sp.Expr] | None = None,
) -> Callable[..., float]:
    """Generate code for one point: floats in, a float out, for searches that ask for thousands.

    Definitions are evaluated one after another and not put in, so that nothing overflows that does
    not as written.

    >>> x, y = sp.symbols("x y")
    >>> in_floats(Phi(y) - x / 2, [x], {y: x**2})(0.0)
    0.5
    """
    defined, steps = where or {}, dict[sp.Symbol, tuple[sp.Symbol, sp.Expr]]()

    def ready(formula: sp.Expr) -> sp.Expr:
        used = sorted(formula.free_symbols & defined.keys(), key=str)
        for symbol in used:
            if symbol not in steps:
                meaning = ready(defined[symbol])
                steps[symbol] = sp.Symbol(f"step{len(steps)}"), meaning
        return formula.xreplace({symbol: steps[symbol][0] for symbol in used})

    functions = {"Phi": lambda x: math.erfc(-x / math.sqrt(2)) / 2}
    generated: Callable[..., float] = sp.lambdify(
        arguments,
        ready(expression),
        [functions, "math"],
        cse=lambda last: ([*steps.values()], last),
    )
    return generated


def mass_between(a: int, b: int, n: int, p: Fraction) -> arb:
    """Return Pr[a <= M <= b] for M ~ Bin(n, p) as a ball at the working precision.

    Tails are taken on the side of the mode where they are small, so that little cancels.
    """
    a, b = max(a, 0), min(b, n)
    if b < a:
        return arb(0)
    mode = (n + 1) * p // 1
    # From the tail on its own side: a difference of two numbers near 1 would keep no digits.
    if b <= mode:
        return _at_most(b, n, p) - _at_most(a - 1, n, p)
    if a > mode:
        return _at_most(n - a, n, 1 - p) - _at_most(n - b - 1, n, 1 - p)
    return 1 - _at_most(a - 1, n, p) - _at_most(n - b - 1, n, 1 - p)


def _at_most(point: int, n: int, p: Fraction) -> arb:
    if point < 0:
        return arb(0)
    (tail,) = lower_tails(n, p, [point])
    return tail.below + tail.mass


class Program:
    """An expression compiled once into a list of operations, to be run at many points.

    Sub-expressions are shared, definitions are put in, rationals stay exact for as long as they
    can. Running it at a precision where a comparison overlaps raises ``Overlap``.
    """

    def __init__(self, expression: sp.Expr, where: Mapping[sp.Symbol, sp.Expr]) -> None:
        self._where = where
        self._slots: dict[sp.Basic, int] = {}
        self._symbols: list[tuple[int, sp.Symbol]] = []
        self._registers: list[Value | None] = []
        self._steps: list[tuple[int, Callable[..., Value], tuple[int, ...]]] = []
        self._named: dict[int, sp.Basic] = {}
        self._result = self._add(expression)

    def __call__(self, values: Mapping[sp.Symbol, Value]) -> Value:
        """Run at one point, at the working precision."""
        # A copy: programs are cached, and run at other points and precisions.
        cells: list[Any] = list(self._registers)
        for slot, symbol in self._symbols:
            cells[slot] = values[symbol]
        slot = 0
        try:
            for slot, operation, inputs in self._steps:
                cells[slot] = operation(*[cells[i] for i in inputs])
        except (NoValueError, Overlap) as failure:
            if slot not in self._named:
                raise
            raise type(failure)(f"{self._named[slot]}: {failure}") from None
        result: Value = cells[self._result]
        return result

    def _add(self, node: sp.Basic) -> int:
        slot = self._slots.get(node)
        if slot is None:
            slot = self._slots[node] = self._compile(node)
        return slot

    def _constant(self, value: Value | None) -> int:
        self._registers.append(value)
        return len(self._registers) - 1

    def _step(self, operation: Callable[..., Value], *inputs: int) -> int:
        slot = self._constant(None)
        self._steps.append((slot, operation, inputs))
        return slot

    def _add_step(self, node: sp.Basic, operation: Callable[..., Value], *inputs: int) -> int:
        """Add a step whose errors name the sub-expression."""
        slot = self._step(operation, *inputs)
        self._named[slot] = node
        return slot

    def _compile(self, node: sp.Basic) -> int:
        if isinstance(node, sp.Rational):
            return self._constant(Fraction(int(node.p), int(node.q)))
        if isinstance(node, sp.Symbol):
            if node in self._where:
                return self._add(self._where[node])
            self._symbols.append((self._constant(None), node))
            return self._symbols[-1][0]
        if node in _CONSTANTS:
            return self._step(_CONSTANTS[node])
        if isinstance(node, sp.Piecewise):
            return self._piecewise(node)
        if isinstance(node, sp.Pow):
            return self._power(node)
        inputs = [self._add(argument) for argument in node.args]
        folded = _FOLDED.get(type(node))
        if folded is not None:
            slot = inputs[0]
            for operand in inputs[1:]:
                slot = self._step(folded, slot, operand)
            return slot
        # By the type itself: a subclass of what is listed may mean something else, and is refused.
        operation = _FUNCTIONS.get(type(node))
        if operation is None:
            raise TypeError(f"no certified evaluation of {type(node).__name__}")
        return self._add_step(node, operation, *inputs)

    def _power(self, node: sp.Pow) -> int:
        base = self._add(node.base)
        if not isinstance(node.exp, sp.Rational):
            return self._add_step(node, _general_power, base, self._add(node.exp))
        exponent = Fraction(int(node.exp.p), int(node.exp.q))
        return self._add_step(node, partial(_rational_power, exponent), base)

    def _piecewise(self, node: sp.Piecewise) -> int:
        """Only the branch that applies is run: the others may have no value there."""
        cases = [
            (_Condition(condition, self._where), Program(branch, self._where))
            for branch, condition in node.args
        ]
        inputs = {symbol for case in cases for part in case for symbol in part.inputs}
        # Sorted: the values come by place, and a set has no order to go by.
        symbols = sorted(inputs, key=str)

        def choose(*points: Value) -> Value:
            values = dict(zip(symbols, points, strict=True))
            for condition, branch in cases:
                if condition(values):
                    return branch(values)
            raise NoValueError("no case applies")

        return self._step(choose, *[self._add(symbol) for symbol in symbols])

    @property
    def inputs(self) -> list[sp.Symbol]:
        """The symbols that have to be given."""
        return [symbol for _, symbol in self._symbols]


class _Condition:
    """An inequality decided exactly or by separated balls."""

    def __init__(self, relation: sp.Basic, where: Mapping[sp.Symbol, sp.Expr]) -> None:
        self._relation = relation
        trivial = relation in (sp.true, sp.false)
        self._sides = [] if trivial else [Program(side, where) for side in relation.args]
        self.inputs = [symbol for side in self._sides for symbol in side.inputs]

    def __call__(self, values: Mapping[sp.Symbol, Value]) -> bool:
        if not self._sides:
            return bool(self._relation)
        lhs, rhs = (side(values) for side in self._sides)
        order = _order(lhs, rhs, str(self._relation))
        return _DECIDES[self._relation.rel_op](order, 0)


@lru_cache(maxsize=256)
def _program(expression: sp.Expr, definitions: tuple[tuple[sp.Symbol, sp.Expr], ...]) -> Program:
    return Program(expression, dict(definitions))


def _require_positive(value: Value) -> None:
    if value > 0:
        return
    if isinstance(value, Fraction) or value <= 0:
        raise NoValueError("the argument is not positive")
    raise Overlap("the sign of the argument")


def _log(x: Value) -> Value:
    _require_positive(x)
    return Fraction(0) if x == 1 else ball_of(x).log()


def _floor(x: Value) -> Value:
    if isinstance(x, Fraction):
        return Fraction(x.numerator // x.denominator)
    floor = floor_of(x)
    if floor is None:
        raise Overlap("the whole part")
    return Fraction(floor)


def _binomial(n: Value, k: Value) -> Value:
    refusal = "a binomial coefficient of what is not whole, negative or too large"
    if not (isinstance(n, Fraction) and isinstance(k, Fraction)):
        raise NoValueError(refusal)
    if not n.denominator == k.denominator == 1 or not 0 <= n <= 20_000:
        raise NoValueError(refusal)
    return Fraction(math.comb(int(n), int(k)) if k >= 0 else 0)


def _phi(x: Value) -> Value:
    # Not (1 + erf)/2, which loses the digits of a small tail to cancellation.
    return (-ball_of(x) / arb(2).sqrt()).erfc() / 2


def _between(*arguments: Value) -> Value:
    a, b, n, p = (value for value in arguments if isinstance(value, Fraction))
    return mass_between(int(a), int(b), int(n), p)


def _rational_power(exponent: Fraction, base: Value) -> Value:
    if exponent.denominator == 1:
        return _whole_power(exponent.numerator, base)
    if exponent > 0 and base == 0:
        return Fraction(0)
    _require_positive(base)
    # x^(3/2) as a power of the root: by a logarithm the ball would be wider.
    if exponent.denominator == 2:
        root = ball_of(base).sqrt()
        if exponent.numerator != 1:
            root **= exponent.numerator
        return root
    return ball_of(base) ** as_arb(exponent)


def _whole_power(exponent: int, base: Value) -> Value:
    if exponent < 0:
        if base == 0:
            raise NoValueError("division by zero")
        if isinstance(base, arb) and base.contains(0):
            raise Overlap("the sign of the divisor")
    # A huge exponent would make an exact power astronomically long.
    if not isinstance(base, arb) and abs(exponent) <= 64:
        return Fraction(base**exponent)
    if 0 < exponent <= 64:
        return whole_power(ball_of(base), exponent)
    return ball_of(base) ** exponent


def _general_power(base: Value, exponent: Value) -> Value:
    if isinstance(exponent, Fraction) and exponent.denominator == 1:
        return _whole_power(exponent.numerator, base)
    _require_positive(base)
    return (ball_of(exponent) * ball_of(base).log()).exp()


def _sum(x: Value, y: Value) -> Value:
    if isinstance(x, arb):
        return x + (y if isinstance(y, arb) else as_arb(y))
    return as_arb(x) + y if isinstance(y, arb) else x + y


def _product(x: Value, y: Value) -> Value:
    """Multiply; an exact zero times a ball stays an exact zero."""
    if isinstance(x, arb):
        if isinstance(y, arb):
            return x * y
        return x * as_arb(y) if y else y
    if isinstance(y, arb):
        return as_arb(x) * y if x else x
    return x * y


def _extreme(x: Value, y: Value, *, largest: bool) -> Value:
    """Return the larger or smaller; where balls overlap, a ball that contains it."""
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return max(x, y) if largest else min(x, y)
    a, b = ball_of(x), ball_of(y)
    if a > b:
        return x if largest else y
    if a < b:
        return y if largest else x
    # No need for more bits: the ball of the maximum holds it whichever of the two is larger.
    return a.max(b) if largest else a.min(b)


def _order(x: Value, y: Value, comparison: str) -> int:
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return (x > y) - (x < y)
    a, b = ball_of(x), ball_of(y)
    if a > b:
        return 1
    if a < b:
        return -1
    raise Overlap(comparison)


_DECIDES: dict[str, Callable[[int, int], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

_CONSTANTS: dict[sp.Basic, Callable[[], arb]] = {sp.pi: arb.pi, sp.E: arb.const_e}

_FOLDED: dict[type, Callable[[Value, Value], Value]] = {
    sp.Add: _sum,
    sp.Mul: _product,
    sp.Max: partial(_extreme, largest=True),
    sp.Min: partial(_extreme, largest=False),
}

_FUNCTIONS: dict[type, Callable[..., Value]] = {
    sp.exp: lambda x: Fraction(1) if x == 0 else ball_of(x).exp(),
    sp.log: _log,
    sp.floor: _floor,
    sp.ceiling: lambda x: -_floor(-x),
    sp.Abs: abs,
    sp.binomial: _binomial,
    sp.LambertW: lambda x: ball_of(x).lambertw(),
    Phi: _phi,
    Between: _between,
}
