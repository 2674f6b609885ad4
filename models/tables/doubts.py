"""Values that may not be what they seem: numbers that stand for nothing, spellings of one value.

Either makes values out of nothing, so that a class seems to be more diverse, or to have more
people, than it is. Which is meant only the owner of the data knows, who is asked.
"""

import re
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from fractions import Fraction

from kproof.models.base import spellings
from kproof.models.base.missing import MISSING, text
from kproof.models.tables.decimals import DecimalSign, plain_numbers
from kproof.models.tables.encoding import is_number

SENTINELS = frozenset({-9, -99, -999, -9999, 999, 9999})
"""Numbers that stand for a missing one in many files; 9 and 99 are as often what they say."""

_SHOWN = frozenset(map(str, SENTINELS))

# Composing would take 3\u00b2 for 32.
_RAISED = str.maketrans(
    {sign: f"^{sign}" for sign in "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"}
)
_FIRST_ZEROS = re.compile(r"^([+-]?)0+(?=\d)")


def sentinels(values: Iterable[object]) -> list[object]:
    """Return the numbers among distinct values that look as if they stood for a missing one.

    A negative number of :data:`SENTINELS` does where no other value is below 0. A positive one
    does where it is more than twice as large as every other, and farther from them than they are
    from one another. If a value is no number, none stands for anything.

    >>> sentinels([34, 51, 999, -9]), sentinels(["34", "-9"])
    ([999, -9], ['-9'])
    >>> sentinels([-20, -9, 10]), sentinels([450, 780, 999]), sentinels([999])
    ([], [], [])
    """
    present = [value for value in values if value is not MISSING]
    # Nearly every column ends here, before any of its values is written out.
    if _SHOWN.isdisjoint(present) and SENTINELS.isdisjoint(present):
        return []
    shows = [text(value) for value in present]
    if not all(map(is_number, shows)):
        return []
    numbers = [Fraction(shown_as) for shown_as in shows]
    # Nothing to stand out from: these are the values that the column has.
    if not (measured := [number for number in numbers if number not in SENTINELS]):
        return []
    low, high = min(measured), max(measured)

    def stands_out(number: Fraction) -> bool:
        if number < 0:
            return low >= 0
        return number > 2 * high and number - high > high - low

    pairs = zip(present, numbers, strict=True)
    return [value for value, number in pairs if number in SENTINELS and stands_out(number)]


def alike(values: Iterable[object]) -> tuple[str, str] | None:
    """Return two texts among values that a reader takes for one; None if there are none.

    Texts are alike if :func:`kproof.models.base.spellings.fold_spelling` says so; if they are the
    same number, whatever its zeros, the signs between its thousands and before its decimals and
    the script of its digits; or the same time of ISO 8601. Numbers of one type are told apart by
    their values; where types are mixed, by what a reader sees of them.

    >>> from decimal import Decimal
    >>> alike(["HIV", "Flu", "hiv "]), alike(["HIV", "Flu"]), alike([1, 2])
    (('HIV', 'hiv '), None, None)
    >>> alike(["none", "1", "01.0"]), alike(["1000", "1,000"]), alike([0.1, Decimal("0.1")])
    (('1', '01.0'), ('1000', '1,000'), ('0.1', '0.1'))
    """
    present = [value for value in values if value is not MISSING]
    kinds = set(map(type, present))
    if kinds != {str} and len(kinds) < 2:
        return None
    pair = spellings.alike(present, lambda value: _folded(text(value)))
    return None if pair is None else (text(pair[0]), text(pair[1]))


def spelt_twice(values: Iterable[object]) -> str:
    """Return a phrase that names two texts that are :func:`alike`; empty if there are none.

    >>> spelt_twice(["HIV", "Flu", "hiv"]), spelt_twice(["HIV", "Flu"])
    ('HIV and hiv look like two spellings of one', '')
    """
    return spellings.spelt_twice(alike(values))


def _folded(written: str) -> str:
    plain = spellings.fold_spelling(written.translate(_RAISED))
    number = _FIRST_ZEROS.sub(r"\1", plain)
    if is_number(number):
        return f"number {Fraction(number)}"
    # What begins otherwise is neither, and most texts do: reading each as a time
    # would cost the most.
    if number[:1] in "+-0123456789":
        # Which sign is meant is not decided here: 1,234 is asked about beside 1234.
        for sign in DecimalSign:
            if is_number(unsigned := plain_numbers([number], sign)[0]):
                return f"number {Fraction(unsigned)}"
        with suppress(ValueError):
            return f"time {datetime.fromisoformat(number.upper())}"
    return plain
