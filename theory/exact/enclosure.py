"""Enclosures: two decimals between which the truth provably lies.

The only place where a ball of Arb becomes digits that people see. Rounding is outward here and
nowhere else, so a printed enclosure always contains the ball it came from.
"""

from __future__ import annotations

import decimal
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from math import isfinite

from flint import arb

from kproof.errors import Undecided
from kproof.forms import JsonForm
from kproof.notebooks import NotebookText, latex_value

DIGITS = 25
"""Significant digits kept of each end unless a caller asks for more."""
_ZERO = Decimal(0)
_INFINITY = Decimal("Infinity")
_LEAST = Decimal((0, (1,), decimal.MIN_EMIN))
_MOST = Decimal((0, (1,), decimal.MAX_EMAX))


@dataclass(frozen=True, slots=True)
class Enclosure(NotebookText):
    """A closed interval that provably contains the true value.

    >>> third = Enclosure.from_arb(arb(1) / 3, digits=5)
    >>> third.lower, third.upper
    (Decimal('0.33333'), Decimal('0.33334'))
    >>> Fraction(1, 3) in third
    True
    >>> Enclosure(Decimal(2), Decimal(1))
    Traceback (most recent call last):
        ...
    ValueError: an enclosure needs lower <= upper, not [2, 1]
    """

    lower: Decimal
    upper: Decimal
    """Its ends, rounded outward; ``upper`` may be ``Decimal("Infinity")``. Decimals, not floats,
    so that 1e-1000 keeps its digits."""

    def __post_init__(self) -> None:
        if not self.lower <= self.upper:
            raise ValueError(f"an enclosure needs lower <= upper, not [{self.lower}, {self.upper}]")

    @classmethod
    def from_arb(
        cls, ball: arb, *, digits: int = DIGITS, low: int | None = None, high: int | None = None
    ) -> Enclosure:
        """Return the outward rounded decimals around a ball, whose upper end may be infinite.

        ``low`` and ``high`` are known limits of the true value (0 and 1 for a probability); the
        ends are clipped to them, which keeps the enclosure valid. What is no number is Undecided.
        """
        if ball.is_nan():
            raise Undecided("a value could not be enclosed at the working precision")
        lower, upper = (_clip(end, low, high) for end in _ends(ball, digits))
        return cls(lower, upper)

    @classmethod
    def exactly(cls, value: Fraction | int) -> Enclosure:
        """Return the tightest enclosure of a rational at the default number of digits."""
        numerator, denominator = Decimal(value.numerator), Decimal(value.denominator)
        return cls(
            _context(DIGITS, ROUND_FLOOR).divide(numerator, denominator),
            _context(DIGITS, ROUND_CEILING).divide(numerator, denominator),
        )

    @property
    def relative_width(self) -> float:
        """Width over the upper end; 0 for a point, 1 when the lower end is 0."""
        # Both may be 0, or infinite: neither has a quotient.
        if self.lower == self.upper:
            return 0.0
        if self.upper == _INFINITY:
            return float("inf")
        context = _context(DIGITS, ROUND_CEILING)
        width = context.subtract(self.upper, self.lower)
        return float(context.divide(width, max(self.lower.copy_abs(), self.upper.copy_abs())))

    def __contains__(self, value: object) -> bool:
        """Compare exactly with an int, Fraction, Decimal or float."""
        if not isinstance(value, int | Fraction | Decimal | float):
            return False
        # `Fraction` has no infinity.
        if isinstance(value, float | Decimal) and value in (_INFINITY, -_INFINITY):
            return self.lower <= value <= self.upper
        exact = Fraction(value)
        above = Fraction(self.lower) <= exact if self.lower.is_finite() else self.lower < 0
        return above and (not self.upper.is_finite() or exact <= Fraction(self.upper))

    def __float__(self) -> float:
        """Return the midpoint as a float: for plots, never for a guarantee."""
        if self.upper == _INFINITY:
            return float("inf")
        return (float(self.lower) + float(self.upper)) / 2

    def _repr_latex_(self) -> str:
        return f"${latex_value(self)}$"

    def __str__(self) -> str:
        """Return the digits both ends agree on, or the two ends.

        >>> str(Enclosure(Decimal("0.12345678"), Decimal("0.12345679")))
        '0.1234568'
        >>> str(Enclosure(Decimal("0.1"), Decimal("0.2")))
        '[0.1, 0.2]'
        """
        for digits in (7, 4):
            nearest = _context(digits)
            ends = nearest.plus(self.lower), nearest.plus(self.upper)
            if ends[0] == ends[1]:
                return _plain(ends[0])
        down, up = _context(4, ROUND_FLOOR), _context(4, ROUND_CEILING)
        return f"[{_plain(down.plus(self.lower))}, {_plain(up.plus(self.upper))}]"

    to_dict = JsonForm()


def largest(enclosures: Iterable[Enclosure]) -> Enclosure:
    """Return an enclosure of the largest of some values, from those of each."""
    lowers, uppers = zip(*((value.lower, value.upper) for value in enclosures), strict=True)
    return Enclosure(max(lowers), max(uppers))


def hull(first: Enclosure, second: Enclosure) -> Enclosure:
    """Return the smallest enclosure that contains both."""
    return Enclosure(min(first.lower, second.lower), max(first.upper, second.upper))


def quotient(numerator: Decimal, denominator: Decimal) -> float | None:
    """Return a quotient to nearest, for a reader; None if a float cannot hold it.

    >>> quotient(Decimal(1), Decimal("1e-400")), quotient(Decimal(1), Decimal(4))
    (None, 0.25)
    """
    if not (numerator.is_finite() and denominator.is_finite()):
        return None
    nearest = float(_context(DIGITS).divide(numerator, denominator))
    return nearest if isfinite(nearest) else None


@lru_cache
def _context(digits: int, rounding: str = decimal.ROUND_HALF_EVEN) -> Context:
    """Return a context without a practical limit of the exponent: 1e-1000000 is a number here."""
    return Context(prec=digits, rounding=rounding, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX)


def _ends(ball: arb, digits: int) -> tuple[Decimal, Decimal]:
    """Return the ends of a ball as decimals, rounded outward."""
    if not ball.is_finite():
        low, high = (_INFINITY if end > 0 else -_INFINITY for end in (ball.lower(), ball.upper()))
        return low, high
    # Digits to spare: what the middle is rounded by is added to the radius.
    middle, radius, exponent = (int(part) for part in ball.mid_rad_10exp(digits + 5))
    return (
        _round(middle - radius, exponent, _context(digits, ROUND_FLOOR)),
        _round(middle + radius, exponent, _context(digits, ROUND_CEILING)),
    )


def _clip(end: Decimal, low: int | None, high: int | None) -> Decimal:
    if low is not None and end <= low:
        return Decimal(low)
    return Decimal(high) if high is not None and end >= high else end


def _round(significand: int, exponent: int, context: Context) -> Decimal:
    if not significand:
        return _ZERO
    size = len(str(abs(significand))) + exponent
    # Half of the exponents there are: neither `scaleb` nor a carry of the rounding can leave them.
    if abs(size) < decimal.MAX_EMAX // 2:
        return context.create_decimal(significand).scaleb(exponent, context)
    # Beyond any exponent a decimal has: the nearest one on the safe side.
    outward = (significand < 0) == (context.rounding == ROUND_FLOOR)
    if size < 0:
        return _LEAST.copy_sign(Decimal(significand)) if outward else _ZERO
    return (_INFINITY if outward else _MOST).copy_sign(Decimal(significand))


def _plain(value: Decimal) -> str:
    """Return a short decimal: fixed notation near 1, scientific elsewhere."""
    if not value.is_finite():
        return str(value)
    short = value.normalize(_context(2 * DIGITS))
    return f"{short:f}" if value == 0 or -5 <= value.adjusted() <= 6 else f"{short:e}"
