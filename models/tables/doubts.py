"""Values that may not be what they seem: numbers that stand for nothing, spellings of one value.

Either makes values out of nothing, so that a class seems to be more diverse, or to have more
people, than it is. Which is meant only the owner of the data knows, who is asked.
"""

import re
import unicodedata
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from fractions import Fraction

from kproof.errors import show
from kproof.models.base.missing import MISSING, text
from kproof.models.tables.decimals import DecimalSign, plain_numbers
from kproof.models.tables.encoding import is_number

SENTINELS = frozenset({-9, -99, -999, -9999, 999, 9999})
"""Numbers that stand for a missing one in many files; 9 and 99 are as often what they say."""

_SHOWN = frozenset(map(str, SENTINELS))

_FIRST_ZEROS = re.compile(r"^([+-]?)0+(?=\d)")
# Zero-width space, non-joiner and joiner, word joiner, byte-order mark, soft hyphen.
_UNSEEN = re.compile("[\u200b\u200c\u200d\u2060\ufeff\u00ad]")
_DASHES = dict.fromkeys(range(0x2010, 0x2016), "-") | {0x2212: "-"}


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
    if _SHOWN.isdisjoint(present) and SENTINELS.isdisjoint(present):
        return []
    shows = [text(value) for value in present]
    if not all(map(is_number, shows)):
        return []
    numbers = [Fraction(shown_as) for shown_as in shows]
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

    Texts are alike if they are equal once they are composed (Unicode NFC), characters without
    width are taken out, wide ones narrowed, dashes are one, spaces are joined, and case is folded;
    or if they are the same number, whatever its zeros, the signs between its thousands and before
    its decimals and the script of its digits; or the same time of ISO 8601. Numbers of one type are
    told apart by their values; where types are mixed, by what a reader sees of them.

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
    by_folded: dict[str, object] = {}
    for value in present:
        before = by_folded.setdefault(_fold(text(value)), value)
        if before is not value and before != value:
            return text(before), text(value)
    return None


def spelt_twice(values: Iterable[object]) -> str:
    """Return a phrase that names two texts that are :func:`alike`; empty if there are none.

    >>> spelt_twice(["HIV", "Flu", "hiv"]), spelt_twice(["HIV", "Flu"])
    ('HIV and hiv look like two spellings of one', '')
    """
    if (pair := alike(values)) is None:
        return ""
    first, second = map(show, pair)
    if first == second:
        first, second = map(ascii, pair)
    return f"{first} and {second} look like two spellings of one"


def _fold(written: str) -> str:
    if not written.isascii():
        written = _UNSEEN.sub("", unicodedata.normalize("NFC", written)).translate(_DASHES)
        written = "".join(map(_narrow, written))
    number = _FIRST_ZEROS.sub(r"\1", written.strip())
    if is_number(number):
        return f"number {Fraction(number)}"
    if number[:1] in "+-0123456789":
        # Which sign is meant is not decided here: 1,234 is asked about beside 1234.
        for sign in DecimalSign:
            if is_number(plain := plain_numbers([number], sign)[0]):
                return f"number {Fraction(plain)}"
        with suppress(ValueError):
            return f"time {datetime.fromisoformat(number)}"
    # Folding may leave what is not composed.
    return unicodedata.normalize("NFC", " ".join(written.split()).casefold())


def _narrow(sign: str) -> str:
    wide = unicodedata.east_asian_width(sign) in "FH"
    return unicodedata.normalize("NFKC", sign) if wide else str(unicodedata.decimal(sign, sign))
