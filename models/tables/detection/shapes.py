"""Texts that no other type looks like by chance: contact data, tokens, places, check digits.

One random number in ten passes the check of a credit card, and a number is not one because it
does. A format is named only if nearly all values of a column pass, and random values of the same
shape would not: how many of these pass is measured, by a fixed seed. python-stdnum has the checks.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from importlib import import_module
from random import Random
from string import ascii_lowercase, ascii_uppercase, digits

from kproof.models.tables.detection.headings import Hint, words
from kproof.models.tables.encoding import is_number


class Shape(Enum):
    """What texts look like, as a phrase and a pattern."""

    EMAIL = ("an e-mail address", r"(?:mailto:)?[^@\s,;<>]+@[^@\s,;<>]+\.[A-Za-z]{2,}")
    UUID = ("a UUID", r"\{?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\}?")
    HASH = ("a hash of something", r"(?=\d*[a-f])(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})")
    NETWORK = (
        "an address on the network",
        r"(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?|(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}|(?:[a-z]+://|www\.)\S+"
        r"|(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}",
    )
    HANDLE = ("a name in a network", r"@[\w.]{2,30}")
    SOCIAL = ("a social security number (ddd-dd-dddd)", r"\d{3}-\d{2}-\d{4}")
    VEHICLE = (
        "a vehicle identification number",
        r"(?=[A-Z\d]*[A-Z])(?=[A-Z]*\d)[A-HJ-NPR-Z\d]{13}\d{4}",
    )
    TOKEN = ("a random token", r"(?=(?:.*[A-Za-z]){4})(?=(?:.*\d){4})[A-Za-z\d_+/-]{16,}={0,2}")
    ICD = ("a code of a disease", r"[A-TV-Z]\d[\dAB]\.[\dA-Z]{1,4}")
    PAIR = (
        "latitude and longitude",
        r"[(\[]?[+-]?\d{1,3}\.\d+\s*[,;]\s*[+-]?\d{1,3}\.\d+[)\]]?"
        r"|[+-]?\d{1,3}[.,]\d{3,}°?\s?[NS]?[;/ ]\s*[+-]?\d{1,3}[.,]\d{3,}°?\s?[EWO]?"
        r"|\d{1,3}°\s?\d{1,2}['′].{0,12}[NSEWO](?:.{1,4}\d{1,3}°.*)?",
    )
    GEOMETRY = ("a geometry", r"(?:SRID=\d+;)?(?:MULTI)?(?:POINT|LINESTRING|POLYGON)\s*Z?\s*\(.*\)")
    GRID = (
        "a place on a grid",
        r"\d{1,2}\s?[C-X]\s?(?:\d{5,7}(?:\.\d+)?m?E?\s+\d{6,8}(?:\.\d+)?m?N?|[A-Z]{2}\s?\d{2,5}\s?\d{2,5})"
        r"|[2-9CFGHJMPQRVWX]{4,8}\+[2-9CFGHJMPQRVWX]{2,3}(?:\s.*)?",
    )

    @property
    def phrase(self) -> str:
        """What is looked like."""
        return str(self.value[0])

    @property
    def pattern(self) -> re.Pattern[str]:
        """How it is written."""
        exact = self in (Shape.VEHICLE, Shape.TOKEN, Shape.ICD, Shape.GRID, Shape.HASH)
        lower = re.IGNORECASE if not exact or self is Shape.HASH else re.NOFLAG
        return re.compile(self.value[1], lower)


EXACT_PLACES = (Shape.PAIR, Shape.GEOMETRY, Shape.GRID)
"""Shapes of places so exact that they are somebody's."""

_GEOHASH = re.compile(r"[0-9b-hjkmnp-z]{4,12}")


def is_place(texts: Sequence[str], hinted: Collection[Hint]) -> bool:
    """Say whether texts are places by their heading: one coordinate, or a geohash.

    >>> is_place(["52.5163", "-33.1"], {Hint.PLACE}), is_place(["u33db2", "u33dc0"], {Hint.PLACE})
    (True, True)
    >>> is_place(["short", "long"], {Hint.PLACE}), is_place(["52.5163"], ())
    (False, False)
    """
    if Hint.PLACE not in hinted:
        return False
    if all(map(is_number, texts)):
        return all(abs(Fraction(text)) <= 10**8 for text in texts)
    with_digit = sum(any(map(str.isdigit, text)) for text in texts)
    return all(map(_GEOHASH.fullmatch, texts)) and 2 * with_digit > len(texts)


FORMATS: Mapping[str, str] = words()["check digits"]
"""Module of each format by what it is called; those without a check digit are not among them."""

SAMPLE = 200
"""Values that are held against each format: enough to tell nine in ten from one in ten."""

LEAST = 5
"""Fewer values are not judged: one in a hundred times two random ones pass a check."""

_NEEDED = (9, 10)
_CHANCE = 1e-6


def check_digits(texts: Sequence[str]) -> str | None:
    """Return what values are by their check digits, as a phrase with the chance; None if nothing.

    >>> numbers = ["7903345311", "6744776746", "5674765456", "7183652505", "6883690328"]
    >>> check_digits([*numbers, "4133194446"])
    'an NHS number by its check digit: 6 of 6 pass, of random ones 10 %'
    >>> check_digits([str(10**9 + 7 * i) for i in range(50)]) is None
    True
    """
    if len(texts) < LEAST:
        return None
    sample = texts[:: -(-len(texts) // SAMPLE)]
    # Checks pass over blanks and dashes, and so does what is said of lengths.
    plain = ["".join(sign for sign in text if sign.isalnum()) for text in sample]
    if not all(8 <= len(text) <= 34 for text in plain):
        return None
    in_digits = 2 * sum(text[1:-1].isdigit() for text in plain) >= len(plain)
    if not in_digits and not all(text[:2].isalpha() for text in plain):
        return None
    part, total = _NEEDED
    for name, module in FORMATS.items():
        valid: Callable[[str], bool] = import_module(module).is_valid
        # Luhn's check is part of many numbers; of these lengths they are cards.
        if module == "stdnum.luhn" and not all(12 <= len(text) <= 19 for text in plain):
            continue
        # Twenty values rule nearly every format out.
        if 2 * sum(map(valid, sample[:20])) < len(sample[:20]):
            continue
        passed = sum(map(valid, sample))
        if passed * total < part * len(sample):
            continue
        by_chance = _by_chance(valid, sample)
        if by_chance**passed < _CHANCE:
            share = f"{100 * by_chance:.0f} %" if by_chance >= 0.005 else "none"
            return (
                f"{name} by its check digit: {passed} of {len(sample)} pass, of random ones {share}"
            )
    return None


def _by_chance(valid: Callable[[str], bool], sample: Sequence[str]) -> float:
    """Return the share of random texts of the same shapes that pass, none counted as half a one."""
    random, kinds = Random(0), (digits, ascii_uppercase, ascii_lowercase)

    def redraw(text: str) -> str:
        return "".join(
            next((random.choice(kind) for kind in kinds if sign in kind), sign) for sign in text
        )

    draws = 5 * SAMPLE
    # Each shape as often as it occurs: random texts of another shape would fail
    # for their shape alone.
    passed = sum(valid(redraw(sample[index % len(sample)])) for index in range(draws))
    # None of a thousand is no proof that the chance is 0, which any number of values would beat.
    return max(passed, 0.5) / draws
