"""The type of a column: decided by its distinct values, each counted once, against chance.

A type is given if nearly all values have its shape and values of another type would not. Where
values alone cannot tell, the heading may; the reason then says so. What nobody could tell, such as
which of two formats a date has, becomes a question.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import islice

from kproof.errors import show, spell
from kproof.models.tables.decimals import DecimalSign, odd_number
from kproof.models.tables.detection.dates import Moment, read_dates
from kproof.models.tables.detection.headings import Hint, hints, scale
from kproof.models.tables.detection.names import are_roads, why_names
from kproof.models.tables.detection.shapes import EXACT_PLACES, Shape, check_digits, is_place
from kproof.models.tables.doubts import spelt_twice
from kproof.models.tables.encoding import is_number
from kproof.models.tables.levels.moments import DateFormat


class ColumnType(StrEnum):
    """What the values of a column are."""

    NUMBER = "number"
    ORDERED = "ordered text"
    CATEGORY = "category"
    DATE = "date"
    TIME = "time"
    DATETIME = "date-time"
    PERIOD = "period"
    TEXT = "free text"
    CODE = "code"
    DISEASE = "code of a disease"
    PLACE = "place"
    EMAIL = "e-mail"
    PHONE = "phone"
    NAME = "name"
    IDENTIFIER = "identifier"
    EMPTY = "empty"


NAMES_PEOPLE = (ColumnType.EMAIL, ColumnType.PHONE, ColumnType.NAME, ColumnType.IDENTIFIER)
"""Types whose values stand for a person, whoever else has the same."""


MOMENTS = (ColumnType.DATE, ColumnType.TIME, ColumnType.DATETIME, ColumnType.PERIOD)
"""Types of what happened at some time, which others saw."""


@dataclass(frozen=True, slots=True)
class Detected:
    """The type of a column and why."""

    type: ColumnType
    """What its values are."""
    reason: str
    """Why, as a phrase."""
    formats: tuple[str, ...] = ()
    """How dates are written, in the signs of ``strptime``; several if nobody can tell."""
    ladder: str | None = None
    """The levels that suit the type, as ``--ladder`` takes them; None if there are none."""
    questions: tuple[str, ...] = ()
    """What somebody has to decide."""
    mixed: bool = False
    """Whether dates are written in all of the formats, each text in one way that is certain."""
    width: int | None = None
    """Digits that codes have once their lost zeros are put back; None if none were lost."""
    missing: tuple[str, ...] = ()
    """Words that seem to stand for nothing among values of the type."""
    signs: tuple[DecimalSign, ...] = ()
    """What may stand before the decimals of its numbers, if nobody said; else empty."""

    @property
    def names_people(self) -> str:
        """How its values name people, as a phrase that follows the heading; empty if they do not.

        >>> detect("Name", ["Ann", "Bo"], present=9, alone=0).names_people
        'stands for a person (its heading says a name; all look like one)'
        """
        if self.type in NAMES_PEOPLE:
            return f"stands for a person ({self.reason})"
        if self.type is ColumnType.TEXT:
            return f"is free text that may name anybody ({self.reason})"
        return ""


_PHONE = re.compile(r"(?:\+|00)\d[\d\s()./-]{5,17}\d|\(?\d{2,5}\)?[\s./-]{1,2}\d[\d\s./-]{4,12}\d")
_DIALLED = re.compile(r"\+|00|\(|0\d{1,4}[ /-]")
_NEARLY_ALL = 0.9
_SAMPLE = 100
_WORDS = 4


def detect(heading: str, texts: Sequence[str], *, present: int, alone: int) -> Detected:
    """Return the type of a column by its heading and its distinct values, none of which is missing.

    ``present`` rows have a value, and ``alone`` rows one that no other has.

    >>> detect("when", ["2020-01-31", "2020-02-29"], present=9, alone=0).type.value
    'date'
    >>> found = detect("Zip Code", ["53706", "53703"], present=9, alone=0)
    >>> found.type.value, found.reason
    ('code', 'its heading says a code; all have 5 digits')
    """
    if not texts:
        return Detected(ColumnType.EMPTY, "no row has a value")
    hinted = hints(heading)
    unique = present >= 2 and alone >= _NEARLY_ALL * present
    # What a column looks like shows in many of its values; that all are numbers, only in all.
    some = texts[:: -(-len(texts) // _MANY)]
    # In this order: first what nothing looks like by chance, last what nearly anything may be.
    return (
        _of_shape(some)
        or (_EXACT_PLACE if is_place(some, hinted) else None)
        or _of_time(some, hinted)
        or _identifier(check_digits(some))
        or _of_registers(some, hinted)
        or _of_numbers(texts, hinted, unique=unique)
        or _with_words(texts, hinted, unique=unique)
        or _of_phones(some, hinted)
        or _of_order(texts)
        or _of_names(some, hinted)
        or _of_codes(some, hinted, unique=unique)
        or _of_words(some, hinted, texts)
    )


_MANY = 10_000
"""Texts that are looked at where a share of them decides: it is right to a hundredth."""


def _share(pattern: re.Pattern[str], texts: Sequence[str]) -> float:
    """Return the share of texts of a shape; of a sample if that is small."""
    sample = texts[:: -(-len(texts) // _SAMPLE)]
    first = sum(pattern.fullmatch(text) is not None for text in sample) / len(sample)
    if first < _NEARLY_ALL / 2 or len(sample) == len(texts):
        return first
    return sum(pattern.fullmatch(text) is not None for text in texts) / len(texts)


def _of_shape(texts: Sequence[str]) -> Detected | None:
    """Find what no other type looks like by chance."""
    for shape in Shape:
        if (share := _share(shape.pattern, texts)) >= _NEARLY_ALL:
            reason = f"{_percent(share)} look like {shape.phrase}"
            if shape in EXACT_PLACES:
                return Detected(ColumnType.PLACE, reason, questions=(_WHERE,))
            kinds = {Shape.EMAIL: ColumnType.EMAIL, Shape.ICD: ColumnType.DISEASE}
            ladder = "prefix" if shape is Shape.ICD else None
            return Detected(kinds.get(shape, ColumnType.IDENTIFIER), reason, ladder=ladder)
    return None


_WHERE = (
    'a place so exact is somebody\'s home or way: leave it out, or say role = "quasi-identifier" '
    "for coordinates that are numbers of a column each, which are published as ranges"
)


_EXACT_PLACE = Detected(ColumnType.PLACE, "its heading says coordinates", questions=(_WHERE,))


def _identifier(reason: str | None) -> Detected | None:
    return None if reason is None else Detected(ColumnType.IDENTIFIER, reason)


def _of_time(texts: Sequence[str], hinted: frozenset[Hint]) -> Detected | None:
    if (reading := read_dates(texts)) is None:
        return None
    about = f", {reading.about}" if reading.about else ""
    if reading.kind is Moment.PERIOD:
        # Two per cent of numbers of four digits are years of our time; four of them are none.
        if reading.about == "a year" and len(texts) < 4 and Hint.PERIOD not in hinted:
            return None
        return Detected(ColumnType.PERIOD, f"all are {reading.about}")
    # The words of moments are those of types, and without the hyphen of ladders.
    days = texts
    if reading.kind is not Moment.DATE:
        days = tuple(dict.fromkeys(re.split(r"[T\s]", text)[0] for text in texts))
    written = "all are times of day"
    if reading.formats:
        words = [DateFormat(pattern).in_words for pattern in reading.formats]
        ways = (" and " if reading.mixed else " or ").join(words)
        clock = " and a time of day" if reading.kind is Moment.DATETIME else ""
        written = f"{_percent(reading.written / len(days))} are written {ways}{clock}"
    return Detected(
        ColumnType(reading.kind.value),
        f"{written}{about}",
        reading.formats,
        reading.kind.value.replace("-", ""),
        reading.questions,
        reading.mixed,
    )


_REGISTERED = re.compile(r"[\s\[(]*[1-9]\d{7,}(?:[\s,;|]+[1-9]\d{7,})*[\s\])]*")


def _of_registers(texts: Sequence[str], hinted: frozenset[Hint]) -> Detected | None:
    """Find numbers given by a register, alone or in lists: nothing is measured to eight digits."""
    says_else = not hinted.isdisjoint({Hint.SENSITIVE, Hint.CODE, Hint.PHONE, Hint.PLACE})
    if says_else or len(texts) <= _MOST_OF_AN_ID or _share(_REGISTERED, texts) < _NEARLY_ALL:
        return None
    round_ones = 10 * sum(text.endswith("00") for text in texts) > len(texts)
    reason = "whole numbers of eight digits or more, hardly any of them round"
    return None if round_ones else _identifier(reason)


_ABROAD = re.compile(r"\+[1-9]\d{9,14}")
"""A telephone number as E.164 writes it; a sum of money with ten digits hardly needs its plus."""


def _of_numbers(texts: Sequence[str], hinted: frozenset[Hint], *, unique: bool) -> Detected | None:
    plain = sum(map(is_number, texts)) == len(texts)
    integral = all(text.isascii() and text.isdigit() for text in texts)
    if not plain and not integral:
        return _with_commas(texts)
    if _share(_ABROAD, texts) >= _NEARLY_ALL:
        return Detected(ColumnType.PHONE, "all begin with + and have the digits of a phone number")
    lengths = {len(text) for text in texts}
    says_id = _says_id(hinted)
    one_length = f"all have {min(lengths)} digits" if len(lengths) == 1 else ""
    if integral and Hint.PHONE in hinted and min(lengths) >= 7:
        return Detected(ColumnType.PHONE, "its heading says a phone")
    if integral and unique and (_dense(texts) or says_id or (one_length and min(lengths) > 5)):
        why = "its heading says so" if says_id else "they count up" if _dense(texts) else one_length
        return _identifier(f"whole numbers that hardly repeat; {why}")
    many = len(texts) > (1 if Hint.PERSON in hinted else _MOST_OF_AN_ID)
    if integral and says_id and not _counts(texts) and many:
        return _identifier("its heading says an identifier")
    if integral and (not plain or (Hint.CODE in hinted and not _counts(texts))):
        zeros = "some begin with a zero" if not plain else "its heading says a code"
        reason = "; ".join(part for part in (zeros, one_length) if part)
        code = Detected(ColumnType.CODE, reason, ladder="prefix" if one_length else None)
        width = None if one_length else _width(texts)
        if width is None:
            return code
        short = min(texts, key=len)
        question = (
            f"most have {width} digits, and {short} has {len(short)}: width = {width} takes it for "
            f"{short.zfill(width)}; take that line out if no zeros were lost"
        )
        return replace(code, ladder="prefix", questions=(question,), width=width)
    return Detected(ColumnType.NUMBER, "all are numbers")


def _says_id(hinted: frozenset[Hint]) -> bool:
    """Say whether a heading speaks of an identifier, and not of a number that things have."""
    against = {Hint.THING, Hint.KNOWN, Hint.CODE, Hint.SENSITIVE}
    if Hint.THING in hinted and Hint.PERSON not in hinted:
        return False
    return Hint.IDENTIFIER in hinted or (Hint.NUMBERING in hinted and hinted.isdisjoint(against))


def _width(texts: Sequence[str]) -> int | None:
    """Return how many digits codes had before zeros were lost; None if none were, or nobody knows.

    One number in ten begins with a zero, and one in a hundred with two.
    """
    longest = max(map(len, texts))
    at_longest = sum(len(text) == longest for text in texts)
    near = all(len(text) >= longest - 2 for text in texts)
    return longest if 4 <= longest <= 14 and near and 2 * at_longest > len(texts) else None


_MOST_OF_AN_ID = 20
"""An identifier that repeats has more values than that; *record type* has fewer."""


def _counts(texts: Sequence[str]) -> bool:
    """Say whether whole numbers are few and small, such as counts and ranks."""
    return all(len(text) < 3 for text in texts)


def _dense(texts: Sequence[str]) -> bool:
    """Say whether whole numbers fill most of the span they are in, as numbers given in turn do."""
    values = [int(text) for text in texts]
    return len(values) > 1 and max(values) - min(values) < 2 * len(values)


def _with_commas(texts: Sequence[str]) -> Detected | None:
    if (doubt := odd_number(texts)) is None:
        return None
    odd, signs = doubt
    ways = " or ".join(spell("decimal", sign) for sign in reversed(signs))
    return Detected(
        ColumnType.NUMBER,
        "all are numbers with a comma or a sign between thousands",
        questions=(f"{show(odd)} needs {ways} to be read as a number",),
        signs=signs,
    )


_DIGIT = re.compile(r"\d")
_FEW_WORDS = 5
"""Most different words among numbers that are taken for marks of what is missing."""


def _with_words(texts: Sequence[str], hinted: frozenset[Hint], *, unique: bool) -> Detected | None:
    """Read numbers among which stand a few words."""
    words = list(islice((text for text in texts if not _DIGIT.search(text)), _FEW_WORDS + 1))
    if not 0 < len(words) <= _FEW_WORDS:
        return None
    numeric = [text for text in texts if _DIGIT.search(text)]
    detected = _of_numbers(numeric, hinted, unique=unique) if len(numeric) > len(words) else None
    if detected is None:
        return None
    stand, are = ("stands", "it is") if len(words) == 1 else ("stand", "they are")
    question = (
        f"{', '.join(map(show, words))} {stand} among numbers: say {spell('missing', words)} if "
        f'{are} missing, as the proposal has it, or else type = "category" without that line'
    )
    questions = (question, *detected.questions)
    return replace(detected, questions=questions, missing=tuple(words))


def _of_phones(texts: Sequence[str], hinted: frozenset[Hint]) -> Detected | None:
    share = _share(_PHONE, texts)
    # Plain digits are no evidence: four in ten random numbers of ten digits could be dialled.
    many = len({re.sub(r"\d", "9", text) for text in texts}) <= max(3, len(texts) // 2)
    # A zero before an area code and a sign behind it are what people write in no other number.
    international = 2 * sum(map(bool, map(_DIALLED.match, texts))) >= len(texts)
    if share >= _NEARLY_ALL and (Hint.PHONE in hinted or (many and international)):
        return Detected(ColumnType.PHONE, f"{_percent(share)} look like a phone number")
    return None


def _of_order(texts: Sequence[str]) -> Detected | None:
    if (order := scale(texts)) is None:
        return None
    ladder = f"order:{'<'.join(order)}" if not any("<" in step for step in order) else None
    return Detected(ColumnType.ORDERED, f"their order is known: {_some(order)}", ladder=ladder)


def _of_names(texts: Sequence[str], hinted: frozenset[Hint]) -> Detected | None:
    written = 2 * sum(re.search(r"[\d@_./]", text) is not None for text in texts) > len(texts)
    if Hint.ADDRESS in hinted and (written or len(texts) > _MOST_OF_AN_ID):
        return _identifier("its heading says an address")
    if (roads := are_roads(texts)) and written:
        return _identifier("they look like roads with a number")
    reason = why_names(texts, hinted)
    says_name = Hint.NAME in hinted and Hint.THING not in hinted
    if says_name and len(texts) > _MOST_OF_AN_ID and not roads:
        reason = reason or "its heading says a name"
    return None if reason is None else Detected(ColumnType.NAME, reason)


def _of_codes(texts: Sequence[str], hinted: frozenset[Hint], *, unique: bool) -> Detected | None:
    sample = texts[:: -(-len(texts) // _SAMPLE)]
    shapes = Counter(_shape(text) for text in sample)
    mixed = sum(_is_code(text) for text in sample) / len(sample)
    few = len(shapes) <= max(2, len(sample) // 5)
    random = len(set(map(len, sample))) == 1 and len(sample[0]) > 5
    if mixed >= _NEARLY_ALL and 3 * len(shapes) > len(sample) > _MOST_OF_AN_ID and random:
        return _identifier("letters and digits drawn at random")
    if mixed < _NEARLY_ALL or not (few or Hint.CODE in hinted or Hint.IDENTIFIER in hinted):
        return None
    shape = shapes.most_common(1)[0][0]
    person = Hint.PERSON in hinted and hinted.isdisjoint({Hint.THING, Hint.KNOWN, Hint.SENSITIVE})
    if (_says_id(hinted) or person) and (unique or len(texts) > _MOST_OF_AN_ID):
        return _identifier(f"its heading says so; written like {shape}")
    if unique and Hint.CODE not in hinted and len(texts) > _MOST_OF_AN_ID:
        return _identifier(f"written like {shape}, and hardly any repeats")
    return Detected(ColumnType.CODE, f"written like {shape}", ladder="prefix")


def _shape(text: str) -> str:
    return re.sub(r"[a-z]", "a", re.sub(r"[A-Z]", "A", re.sub(r"\d", "9", text)))


def _is_code(text: str) -> bool:
    """Say whether a text is one word with digits in it, or short blocks of them."""
    return (
        len(text) <= 24
        and re.fullmatch(r"[A-Za-z0-9]+(?:[-./ _][A-Za-z0-9]+){0,4}", text) is not None
        and any(sign.isdigit() for sign in text)
        and max(map(len, re.findall(r"[A-Za-z]+", text)), default=0) <= _WORDS
    )


def _of_words(texts: Sequence[str], hinted: frozenset[Hint], every: Sequence[str]) -> Detected:
    words = sum(len(text.split()) for text in texts) / len(texts)
    many = len(texts) > _MOST_OF_AN_ID
    sentences = sum(map(_is_sentence, texts))
    hint = Hint.FREE_TEXT in hinted
    if 4 * sentences >= len(texts) or (hint and (many or sentences or words >= 2)):
        reason = f"{words:.0f} words in a value, {len(every)} different ones, "
        return Detected(ColumnType.TEXT, f"{reason}{_percent(sentences / len(texts))} sentences")
    if _says_id(hinted) and many:
        return Detected(ColumnType.IDENTIFIER, "its heading says an identifier")
    if Hint.PERSON in hinted and len(texts) > _MOST_KINDS_OF_PEOPLE and hinted <= _PEOPLE:
        return Detected(ColumnType.IDENTIFIER, "its heading says a person, and nothing else")
    # No question: of a quasi-identifier two spellings make smaller classes, which lose more. Of a
    # sensitive column they would make diversity out of nothing: whoever judges one asks.
    twice = spelt_twice(every)
    note = f"; {twice} value" if twice else ""
    return Detected(ColumnType.CATEGORY, f"{len(every)} different texts{note}")


_PEOPLE = frozenset({Hint.PERSON, Hint.ROLE, Hint.IDENTIFIER, Hint.NAME})
_MOST_KINDS_OF_PEOPLE = 5
"""Texts such as yes and no, or gold, silver and none, under *member*."""

_WITHOUT_SPACES = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


def _is_sentence(text: str) -> bool:
    """Say whether a text has room to tell of somebody: four words and 25 signs, or 8 of Chinese.

    A sign of Chinese or Korean is as wide as two, and tells as much.
    """
    width = sum(1 + (unicodedata.east_asian_width(sign) == "W") for sign in text)
    words = width >= 25 and len(text.split()) >= _WORDS
    return words or len(_WITHOUT_SPACES.findall(text)) >= 8


def _percent(share: float) -> str:
    return "all" if share == 1 else f"{100 * share:.0f} %"


def _some(order: Sequence[str]) -> str:
    return " < ".join(order if len(order) <= 4 else (*order[:2], "…", order[-1]))
