"""Numbers as they were typed: every parameter becomes an exact rational once, here.

A certified answer needs to know which number was asked about. kproof reads a number as the
decimal a person sees: ``0.3``, ``"0.3"``, ``"3/10"`` and ``Decimal("0.3")`` are all 3/10. A float
is therefore read through its shortest round-trip decimal, not as its binary expansion, so that a
script and the command line agree. ADR-0002 gives the reasons.
"""

import math
import re
from collections.abc import Iterable
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from numbers import Integral, Rational, Real
from typing import TypeAlias, TypeVar

from flint import arb, fmpq

from kproof.errors import InvalidArgument, did_you_mean

Number: TypeAlias = int | float | str | Fraction | Decimal
"""What a public function accepts wherever one number is asked for."""
Option = TypeVar("Option", bound=StrEnum)

# Digits are counted before anything is read: the text may be a stranger's, and `Fraction` takes
# time and memory with each digit and with the size of the exponent.
_NUMBER = re.compile(
    r"\s*[+-]?\d{1,400}\s*/\s*\d{1,400}\s*|\s*[+-]?(\d{1,400}\.?\d{0,400}|\.\d{1,400})([eE][+-]?\d{1,4})?\s*"
)


def rational(
    name: str,
    value: object,
    *,
    above: Fraction | int | None = None,
    least: Fraction | int | None = None,
    below: Fraction | int | None = None,
    most: Fraction | int | None = None,
) -> Fraction:
    """Return ``value`` as the exact rational that was typed.

    Args:
        name: The argument's name, for the error message.
        value: An int, float, Fraction, Decimal, NumPy scalar or str (``"0.71"``, ``"71/100"``,
            ``"1e-9"``).
        above, least: Exclusive or inclusive lower end.
        below, most: Exclusive or inclusive upper end.

    >>> rational("p", 0.3)
    Fraction(3, 10)
    >>> rational("p", "71/100", above=0, below=1)
    Fraction(71, 100)
    """
    exact = _read(value)
    if (
        exact is None
        or (above is not None and exact <= above)
        or (least is not None and exact < least)
        or (below is not None and exact >= below)
        or (most is not None and exact > most)
    ):
        raise InvalidArgument(name, value, _range(name, above, least, below, most) + _hint(value))
    return exact


def integer(name: str, value: object, *, least: int | None = None, most: int | None = None) -> int:
    """Return ``value`` as an int; ``3.0`` and ``"3"`` are 3, ``3.5`` is an error.

    >>> integer("k", "10", least=1)
    10
    """
    exact = _read(value)
    if (
        exact is None
        or exact.denominator != 1
        or (least is not None and exact < least)
        or (most is not None and exact > most)
    ):
        raise InvalidArgument(
            name, value, "a whole number " + _range(name, None, least, None, most, bare="")
        )
    return exact.numerator


def choice(name: str, value: object, options: Iterable[Option]) -> Option:
    """Return the option that a text names.

    ``name``: the argument's name, for the error message. ``value``: a member of an enumeration, or
    its text. ``options``: the enumeration, or those of its members that are admissible.

    >>> from kproof.theory.reading import PRINTED_OR_CORRECTED, Reading
    >>> choice("reading", "printed", Reading)
    <Reading.PRINTED: 'printed'>
    >>> choice("reading", "derived", PRINTED_OR_CORRECTED)
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: reading = derived: need printed or corrected
    """
    admissible = tuple(options)
    if not isinstance(value, str) or value not in admissible:
        *former, last = admissible
        choices = f"{', '.join(former)} or {last}{did_you_mean(value, admissible)}"
        raise InvalidArgument(name, value, choices)
    return admissible[admissible.index(value)]


def as_arb(value: Fraction | int) -> arb:
    """Return the ball at the current working precision that contains the rational.

    >>> as_arb(Fraction(1, 3)).contains(arb(1) / 3)
    True
    """
    return arb(as_fmpq(value))


def whole_power(ball: arb, exponent: int) -> arb:
    """Return a ball to a small power, 1 or more, by repeated products.

    FLINT's own power of a ball around 0 may be no number at all.

    >>> whole_power(arb(0, 1), 2).contains(0.5)
    True
    """
    result = ball
    for _ in range(exponent - 1):
        result *= ball
    return result


def as_fmpq(value: Fraction | int) -> fmpq:
    """Return the rational as FLINT's type, without rounding."""
    return fmpq(value.numerator, value.denominator)


def _read(value: object) -> Fraction | None:
    # Python takes True for 1; where a number is asked for it is a mistake.
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return Fraction(value)
    if isinstance(value, Integral):
        # Python's own integer: one of NumPy would wrap around inside the fraction.
        return Fraction(int(value))
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, Decimal):
        # 1e999999999 is a short Decimal and a fraction of a billion digits.
        return Fraction(value) if value.is_finite() and abs(value.adjusted()) < 10**4 else None
    if isinstance(value, str):
        if not _NUMBER.fullmatch(value):
            return None
        try:
            return Fraction(value.replace(" ", ""))
        except (ValueError, ZeroDivisionError):
            return None
    if isinstance(value, Real):
        # str of a narrower NumPy float is its own shortest decimal; float() would widen it first.
        text = repr(float(value)) if isinstance(value, float) else str(value)
        return Fraction(text) if math.isfinite(value) else None
    return None


def _hint(value: object) -> str:
    far = isinstance(value, str) and re.fullmatch(r"\s*[+-]?[\d.]+[eE][+-]?\d{5,}\s*", value)
    return ", with an exponent of at most four digits" if far else ""


def _range(
    name: str,
    above: Fraction | int | None,
    least: Fraction | int | None,
    below: Fraction | int | None,
    most: Fraction | int | None,
    bare: str = "a finite number",
) -> str:
    low = f"{above} < " if above is not None else f"{least} <= " if least is not None else ""
    high = f" < {below}" if below is not None else f" <= {most}" if most is not None else ""
    if low and high:
        return f"{low}{name}{high}"
    if above is not None:
        return f"{name} > {above}"
    if least is not None:
        return f"{name} >= {least}"
    if high:
        return f"{name}{high}"
    return bare or name
