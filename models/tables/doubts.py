"""Values that may not be what they seem: numbers that stand for nothing, spellings of one value.

Either makes values out of nothing, so that a class seems to be more diverse, or to have more
people, than it is. Which is meant only the owner of the data knows, who is asked.
"""

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime, time
from fractions import Fraction

from kproof.models.base import spellings
from kproof.models.base.missing import MISSING, text
from kproof.models.tables.decimals import DecimalSign, plain_numbers
from kproof.models.tables.encoding import is_number
from kproof.models.tables.levels.moments import FORMATS, DateFormat, split_time

SENTINELS = frozenset({-9, -99, -999, -9999, 999, 9999})
"""Numbers that stand for a missing one in many files; 9 and 99 are as often what they say."""

_SHOWN = frozenset(map(str, SENTINELS))

# Composing would take 3\u00b2 for 32.
_RAISED = str.maketrans(
    {sign: f"^{sign}" for sign in "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"}
)
_FIRST_ZEROS = re.compile(r"^([+-]?)0+(?=\d)")
_AMOUNT = re.compile(
    r"(?P<before>[^\w\s.,+-]?)\s*(?P<number>[+-]?[\d.,'\u2019 _]+(?:e[+-]?\d+)?|0x[\da-f]{1,64})\s*"
    r"(?P<after>[^\w\s.,]?)"
)
"""A number, perhaps with one sign before it or behind, such as that of a currency."""
_CLOCK = re.compile(r"(\d{1,2})(:\d\d(?::\d\d(?:\.\d+)?)?)")
_TRUTHS = {"true": "number 1", "yes": "number 1", "false": "number 0", "no": "number 0"}
_TRUTH_LETTERS = {"t": "true", "y": "yes", "f": "false", "n": "no"}
"""Beside truth values alone: elsewhere they are codes."""
_QUOTES = " \"'`\u00b4\u201c\u201d\u201e\u2018\u2019\u00ab\u00bb()[]{}*_"
_STOPS = " .,;:"
"""What stands around a text and is none of it; neither + nor -, as in blood groups."""
_JOINTS = re.compile(r"(?<=[^\W_])[-_/\\.]+(?=[^\W\d_])|(?<=[^\W\d_])[-_/\\.]+(?=[^\W_])")
_BLANKS = re.compile(r"(?<=\d) (?=[^\W\d_])|(?<=[^\W\d_]) (?=\d)")
_DAY = re.compile(
    r"(?:[^\W\d_]{3,9}[ .,-]+)?\d{1,8}(?:st|nd|rd|th)?"
    r"(?:[-/., ]+(?:[^\W\d_]{3,9}|W?\d{1,4})){0,2}"
)
"""What a format of dates may read: most texts are none, and trying all formats costs the most."""


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


def alike(values: Iterable[object], *, words: bool = True) -> tuple[str, str] | None:
    """Return two texts among values that a reader takes for one; None if there are none.

    Texts are alike if they have one :func:`form`, or are one day, written in two ways such as
    2020-01-02 and 02.01.2020. Numbers of one type are told apart by their values; where types are
    mixed, by what a reader sees of them. Not of ``words``, as users are named, signs count:
    ann_lee and ann.lee are two.

    >>> from decimal import Decimal
    >>> alike(["HIV", "Flu", "hiv "]), alike(["HIV", "Flu"]), alike([1, 2])
    (('HIV', 'hiv '), None, None)
    >>> alike(["none", "1", "01.0"]), alike(["1000", "1,000"]), alike([0.1, Decimal("0.1")])
    (('1', '01.0'), ('1000', '1,000'), ('0.1', '0.1'))
    >>> alike(["2020-01-02", "02.01.2020"]), alike(["1/12/2020", "12/1/2020"])
    (('2020-01-02', '02.01.2020'), None)
    """
    present = [value for value in values if value is not MISSING]
    kinds = set(map(type, present))
    if kinds != {str} and len(kinds) < 2:
        return None
    texts = [text(value) for value in present]
    forms = forms_of(texts, words=words)
    first: dict[str, int] = {}
    for place, (value, written) in enumerate(zip(present, forms, strict=True)):
        # By value, not by text: 0.1 and Decimal("0.1") look the same and are two.
        if present[before := first.setdefault(written, place)] != value:
            return texts[before], texts[place]
    return _one_day(texts)


def forms_of(texts: Sequence[str], *, words: bool = True) -> list[str]:
    """Return the :func:`form` of each text of a column, in which Y may be a truth value.

    >>> forms_of(["Y", "n", "yes"]), forms_of(["Y", "X"])
    (['number 1', 'number 0', 'number 1'], ['y', 'x'])
    """
    forms = [form(written, words=words) for written in texts]
    truths = {*_TRUTHS.values(), *_TRUTH_LETTERS}
    if not truths.issuperset(forms):
        return forms
    return [_TRUTHS.get(_TRUTH_LETTERS.get(written, ""), written) for written in forms]


def form(written: str, *, words: bool = True) -> str:
    """Return what all ways to write a value have in common, as a reader takes them.

    That is what :func:`kproof.models.base.spellings.fold_spelling` says, less what stands around a
    text or, of ``words``, between them. Numbers are equal whatever their zeros, the signs between
    their thousands and before their decimals and the script of their digits, as shares or in
    percent, with the sign of a currency before or behind; so are times of ISO 8601, and truth
    values.

    >>> [form(written) for written in ("5 %", "0.05", "0x1F", "TRUE", "1", "9:30", "09:30:00")]
    ['number 1/20', 'number 1/20', 'number 31', 'number 1', 'number 1', 'time 09:30:00', \
'time 09:30:00']
    >>> [form(written) for written in ("HIV-1", "hiv 1.", "5 \u20ac", "\u20ac5.0", "A+", "A-")]
    ['hiv1', 'hiv1', 'number 5 \u20ac', 'number 5 \u20ac', 'a+', 'a-']
    """
    folded = spellings.fold_spelling(written.translate(_RAISED))
    plain = folded.strip(_QUOTES) or folded
    if plain in _TRUTHS:
        return _TRUTHS[plain]
    amount = _AMOUNT.fullmatch(plain)
    if amount and not (amount["before"] and amount["after"]):
        unit = amount["before"] or amount["after"]
        if (number := _number(amount["number"].strip())) is not None:
            number, unit = (number / 100, "") if unit == "%" else (number, unit)
            return f"number {number} {unit}".rstrip()
    # What begins otherwise is no time, and most texts do: reading each as one would cost the most.
    if plain[:1] in "+-0123456789":
        if clock := _CLOCK.fullmatch(plain):
            with suppress(ValueError):
                return f"time {time.fromisoformat(clock[1].zfill(2) + clock[2])}"
        with suppress(ValueError):
            return f"time {datetime.fromisoformat(plain.upper())}"
    if not words:
        return folded
    return _BLANKS.sub("", _JOINTS.sub(" ", plain.strip(_STOPS))) or plain


def _number(written: str) -> Fraction | None:
    if written.startswith("0x"):
        return Fraction(int(written, 16))
    number = _FIRST_ZEROS.sub(r"\1", written.replace("_", ""))
    if is_number(number):
        return Fraction(number)
    # Which sign is meant is not decided here: 1,234 is asked about beside 1234.
    for sign in DecimalSign:
        if is_number(unsigned := plain_numbers([number], sign)[0]):
            return Fraction(unsigned)
    return None


def _one_day(texts: Sequence[str]) -> tuple[str, str] | None:
    """Return two texts that are one day, and one time of it, in two ways to write dates."""
    by_shape: dict[str, list[str]] = {}
    for written in texts:
        if _DAY.fullmatch(split_time(written)[0].strip()):
            by_shape.setdefault(re.sub(r"\d", "0", written), []).append(written)
    every = [DateFormat(pattern) for pattern in FORMATS]
    # Of some of each shape first: every format would be tried on every text.
    likely = {
        shape: [way for way in every if any(way.read(split_time(one)[0]) for one in moments[:50])]
        for shape, moments in by_shape.items()
    }
    # Written in one way there is nothing to compare.
    if sum(map(bool, likely.values())) < 2:
        return None
    seen: dict[tuple[object, time], dict[str, str]] = {}
    for shape, moments in by_shape.items():
        for moment in moments:
            day_of, clock = split_time(moment)
            for day in {way.read(day_of) for way in likely[shape]} - {None}:
                others = seen.setdefault((day, clock or time()), {})
                for other in others.values():
                    other_day = split_time(other)[0]
                    pairs = [(way.read(day_of), way.read(other_day)) for way in every]
                    # One way to write dates that tells them apart is taken for the column's.
                    if all(None in pair or pair[0] == pair[1] for pair in pairs):
                        return other, moment
                others.setdefault(shape, moment)
    return None


def spelt_twice(values: Iterable[object], *, words: bool = True) -> str:
    """Return a phrase that names two texts that are :func:`alike`; empty if there are none.

    >>> spelt_twice(["HIV", "Flu", "hiv"]), spelt_twice(["HIV", "Flu"])
    ('HIV and hiv look like two spellings of one', '')
    """
    return spellings.spelt_twice(alike(values, words=words))
