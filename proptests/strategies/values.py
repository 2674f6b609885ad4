"""Values of drawn columns: every cell is a natural number, and a kind says what it looks like.

Since all kinds read the same numbers, a failing table keeps its pattern of equal and different
cells while Hypothesis tries a simpler kind on it: dates become 0 and 1, not a table of zeros.
"""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from enum import StrEnum
from math import inf, nextafter
from string import ascii_lowercase

from kproof.errors import InvalidArgument, one_of


class Values(StrEnum):
    """What the values of a column look like."""

    INTEGERS = "integers"
    """0, 1, 2, …"""
    LETTERS = "letters"
    """a, b, …, z, aa, ab, …"""
    DECIMALS = "decimals"
    """0.0, 0.1, 0.2, …: floats, most of them no binary fractions."""
    SIGNED = "signed"
    """0, -1, 1, -2, 2, …"""
    DATES = "dates"
    """Days from 2000-01-01."""
    TIMES = "times"
    """Every 97 minutes from 2000-01-01 00:00."""
    TRUTH = "truth"
    """False for even numbers, True for odd ones."""
    CODES = "codes"
    """Digits that are text: 00000, 00001, …"""
    MAGNITUDES = "magnitudes"
    """1, -1, 10, -10, … up to 15 zeros, then from the start: numbers far apart."""
    REALS = "reals"
    """1/7, 2/7, … to the last digit, each followed by the float next to it: as if measured."""
    YEARS = "years"
    """Days 397 apart from 1900-02-28 to 2117, then from the start: of leap years and of none."""
    BEYOND = "beyond"
    """2^53, 2^53 + 1, …: whole numbers that are no floats."""
    EDGES = "edges"
    """0.0, -0.0, 1.5, -1.5, inf, -inf, then from the start."""
    NUMERALS = "numerals"
    """7, 007, 1e3, 1000, … that are text, then from the start."""
    UNICODE = "unicode"
    """Text that labels, files and sorting have trouble with, see :data:`FRAGMENTS`."""

    @property
    def is_text(self) -> bool:
        """Whether the values are text."""
        return self in (Values.LETTERS, Values.CODES, Values.NUMERALS, Values.UNICODE)


FRAGMENTS: tuple[str, ...] = (
    *("a", "b", ",", "a,b", "a, b", "{a,b}", "[0, 1]", "..", "0..1", "{", "}", "-", "a-b", "0-1"),
    *("\n", "\r\n", "\t", " ", '"', "'", "`", "=1", "+1", "@a"),
    *("*", "?", "|", ";", ":", "\\", "#", "~"),
    *("", "0", "1", "10", "2", "007", "1e5", "nan", "NaN", "None", "null", "NA", "True"),
    *("é", "e\u0301", "ß", "İ", "٣", "１", "²", "א", "ب", "名", "区域", "😀", "👩\u200d👧", "𝔸"),
    *("\u202e", "\u200b", "\ufeff", "\u00a0", "\u2028"),
)
"""What :attr:`Values.UNICODE` is made of: separators, brackets, quotes, what a spreadsheet takes
for a formula, texts that look like numbers or like nothing, accents composed and combining, digits
of other scripts, text from right to left, invisible characters. What is alike stands together, so
that a search for the simplest finds it."""

_FIRST_DAY = datetime(2000, 1, 1)
_EDGES = (0.0, -0.0, 1.5, -1.5, inf, -inf)
_NUMERALS = ("7", "007", "1e3", "1000", "0", "-0", "1.50", "1_000", "0x10", "+7", " 7", "1,000")


def value(kind: Values, number: int) -> object:
    """Return what a number from 0 to 999,999 looks like in a column of some kind.

    Different numbers look different, except as :attr:`Values.TRUTH`, :attr:`Values.MAGNITUDES`
    (from 32 on), :attr:`Values.YEARS` (from 200 on), the few of :attr:`Values.EDGES` and
    :attr:`Values.NUMERALS`, and :attr:`Values.UNICODE` (rarely).

    >>> [value(kind, 27) for kind in (Values.INTEGERS, Values.LETTERS, Values.CODES)]
    [27, 'ab', '00027']
    >>> value(Values.DECIMALS, 3), value(Values.SIGNED, 3), value(Values.TRUTH, 3)
    (0.3, -2, True)
    >>> value(Values.DATES, 31)
    datetime.date(2000, 2, 1)
    >>> value(Values.REALS, 2), value(Values.REALS, 3)
    (0.2857142857142857, 0.28571428571428575)
    >>> value(Values.INTEGERS, -1)
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: number = -1: need a whole number 0 <= number <= 999999
    """
    if not 0 <= number <= 999_999:
        raise InvalidArgument("number", number, "a whole number 0 <= number <= 999999")
    match kind:
        case Values.INTEGERS:
            return number
        case Values.LETTERS:
            return _spell(number, ascii_lowercase)
        case Values.DECIMALS:
            return number / 10
        case Values.SIGNED:
            return number // 2 if number % 2 == 0 else -(number + 1) // 2
        case Values.DATES:
            return date(2000, 1, 1) + timedelta(days=number)
        case Values.TIMES:
            return _FIRST_DAY + timedelta(minutes=97 * number)
        case Values.TRUTH:
            return number % 2 == 1
        case Values.CODES:
            return f"{number:05d}"
        case Values.MAGNITUDES:
            return 10 ** (number // 2 % 16) * (1 - 2 * (number % 2))
        case Values.REALS:
            measured = (number // 2 + 1) / 7
            return nextafter(measured, inf) if number % 2 else measured
        case Values.YEARS:
            return date(1900, 2, 28) + timedelta(days=397 * (number % 200))
        case Values.BEYOND:
            return 2**53 + number
        case Values.EDGES:
            return _EDGES[number % len(_EDGES)]
        case Values.NUMERALS:
            return _NUMERALS[number % len(_NUMERALS)]
        case Values.UNICODE:
            return _spell(number, FRAGMENTS)
    raise InvalidArgument("kind", kind, one_of(kind, Values))


def _spell(number: int, alphabet: Sequence[str]) -> str:
    """Return the number in the numeration whose words are all non-empty rows of letters."""
    word = alphabet[number % len(alphabet)]
    while number := number // len(alphabet):
        # One less for each further letter: aa follows z, and no word stands for two numbers.
        number -= 1
        word = alphabet[number % len(alphabet)] + word
    return word
