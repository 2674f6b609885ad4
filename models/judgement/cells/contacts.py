"""Contact data and official numbers inside texts: what leads to a person whoever wrote it where.

Patterns are held against all texts of a column at once. A shape that random numbers have as well,
such as sixteen digits with a check digit, counts only if at least half of the column's texts of
that shape pass: in a column of product numbers one in ten passes a check by chance.
"""

import re
import unicodedata
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from importlib import import_module
from ipaddress import ip_address
from itertools import accumulate
from pathlib import Path

from stdnum import luhn

LEAST = 5
"""Fewer numbers of a shape than that count if a single one passes: nobody can tell chance."""


class Contact(StrEnum):
    """What a text has in it, as a plural."""

    EMAIL = "e-mail addresses"
    PHONE = "telephone numbers"
    NUMBER = "official numbers of people"
    CARD = "card numbers"
    PLATE = "number plates"
    PAGE = "pages of people"
    NETWORK = "network addresses"
    PLACE = "coordinates of places"


@dataclass(frozen=True, slots=True)
class _Shape:
    contact: Contact
    pattern: re.Pattern[str]
    check: Callable[[str], object]
    chance: bool
    """Whether random numbers of the shape pass the check now and then."""
    needs: Sequence[str]
    """Signs without any of which no text matches: looking for them is quick."""


def contacts(text: str) -> Contact | None:
    """Return what contact data or official number a text has in it, if any.

    >>> contacts("call her at +49 30 901820"), contacts("4111-1111-1111-1111")
    (<Contact.PHONE: 'telephone numbers'>, <Contact.CARD: 'card numbers'>)
    >>> contacts("2020-01-31 12:30, 1 234 567.89, C50.911") is None
    True
    """
    return contacts_of([text]).get(0)


def contacts_of(texts: Sequence[str]) -> dict[int, Contact]:
    """Return which of the distinct texts of a column have contact data in them, by their place.

    >>> contacts_of(["flu", "ann@example.org"])
    {1: <Contact.EMAIL: 'e-mail addresses'>}
    """
    # A line for each, as all are searched at once: a break inside one would shift all behind it.
    lines = list(map(_on_a_line, texts))
    places: Sequence[int] = range(len(lines))
    kinds: dict[int, Contact] = {}
    for fewest, shapes in SHAPES.items():
        if fewest:
            # Possessive: with one way to match, a long text takes a single pass.
            digits = re.compile(r"\D*+(?:\d\D*+)" f"{{{fewest}}}").match
            pairs = [pair for pair in zip(places, lines, strict=True) if digits(pair[1])]
            places, lines = [place for place, _ in pairs], [line for _, line in pairs]
            # Days look like telephone numbers in blocks; what replaces them keeps every place.
            masked = _DAY.sub(lambda day: "_" * len(day[0]), "\n".join(lines))
            lines = masked.split("\n") if lines else []
        starts = [0, *accumulate(len(line) + 1 for line in lines)]
        joined = "\n".join(lines)
        for shape in shapes:
            for match in _matches(shape, joined):
                # No pattern matches a break, so that a match is of the line in which it begins.
                place = places[bisect_right(starts, match.start()) - 1]
                kinds.setdefault(place, shape.contact)
    return dict(sorted(kinds.items()))


def _matches(shape: _Shape, joined: str) -> Sequence[re.Match[str]]:
    """Return what matches and passes, if it is not as chance has it."""
    if shape.needs and not any(sign in joined for sign in shape.needs):
        return ()
    matches = list(shape.pattern.finditer(joined))
    passing = [match for match in matches if shape.check(match[0])]
    by_chance = shape.chance and len(matches) >= LEAST and 2 * len(passing) < len(matches)
    return () if by_chance else passing


def plain_text(text: str) -> str:
    """Return a text with one form of each sign: digits of any script as 0-9, wide ones narrow.

    >>> plain_text("٠١٢‑３")
    '012-3'
    """
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", text).translate(_SIGNS)


class _Signs(dict[int, str]):
    """One form of each sign, worked out when it first comes: all of Unicode takes half a second."""

    def __missing__(self, code: int) -> str:
        sign = chr(code)
        match unicodedata.category(sign):
            case "Nd":
                sign = str(unicodedata.digit(sign))
            case "Pd":
                sign = "-"
        self[code] = sign
        return sign


_SIGNS = _Signs()


def _on_a_line(text: str) -> str:
    text = plain_text(text)
    return text if text.isprintable() else " ".join(text.split())


def _telephone(text: str) -> bool:
    blocks = re.findall(r"\d+", text)
    number = "".join(blocks)
    if text[0] == "+":
        # A change of +1234567.89 is none, nor is one of +12345678.
        amount = re.fullmatch(r"\+\d+[.,]\d+", text) or (len(blocks) == 1 and len(number) < 10)
        return 8 <= len(number) <= 15 and not amount
    if text[0] != "0":
        return 8 <= len(number) <= 13
    # Both shapes that begin with 0 have a separator: there are two blocks at least.
    abroad = text.startswith("00")
    pairs = {len(block) for block in blocks[-4:]} == {2} or len(blocks[-2]) >= 5
    # 0143-9924-90 is a drug, 01000-01999 a range of codes, 0123.4567 a number; 078 123 45 67 and
    # 02 123 456 are Swiss and Bulgarian.
    spaced = re.fullmatch(r"[\d ]+", text) is not None and len(blocks) >= 3
    ends = pairs or spaced or len(blocks[-1]) >= 3 or abroad
    two_equal = len(blocks) == 2 and len(blocks[0]) == len(blocks[1])
    decimal = re.fullmatch(r"\d+\.\d+", text)
    digits = range(8 if spaced else 9, 16 if abroad else 13)
    return len(number) in digits and ends and not two_equal and not decimal


def _card(text: str) -> bool:
    number = "".join(filter(str.isdigit, text))
    american = number[:2] in ("34", "37")
    return len(number) == (15 if american else 16) and luhn.is_valid(number)


def _vehicle(text: str) -> bool:
    if not (any(map(str.isdigit, text)) and any(map(str.isalpha, text))):
        return False
    # ISO 3779: letters stand for 1-9 in an order that leaves out I, O and Q.
    worth = dict(zip("ABCDEFGHJKLMNPRSTUVWXYZ", "12345678123457923456789", strict=True))
    weights = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)
    remainder = (
        sum(int(worth.get(s, s)) * weight for s, weight in zip(text, weights, strict=True)) % 11
    )
    # Makers in Europe, S to Z, need no check digit.
    return text[8] == "0123456789X"[remainder] or (text[0] in "STUVWXYZ" and text[-5:].isdigit())


def _network(text: str) -> bool:
    try:
        address = ip_address(text)
    except ValueError:
        # Six pairs of hexadecimal digits, an address of a device, have 17 signs.
        return len(text) == 17
    # 1.2.3.4 is a section or a version.
    return address.version == 6 or max(map(int, text.split("."))) >= 10


def _coordinates(text: str) -> bool:
    if "°" in text:
        return True
    if " " in text and not re.search("[,;]", text):
        return False
    first, last = (abs(float(part)) for part in re.findall(r"-?\d+\.\d+", text))
    # An interval of two probabilities has as many decimals.
    return min(first, last) <= 90 and max(first, last) <= 180 and max(first, last) >= 10


_DAY = re.compile(
    r"\d(?<!\d.)(?:\d{3}[-/.]\d\d?[-/.]\d\d?|\d?[-/.]\d\d?[-/.](?:19|20)\d\d)(?!\d)"
    r"(?:[T ]\d\d?:\d\d)?"
)
_MOBILE = re.compile(
    r"00[1-9]\d{10,12}|1[3-9]\d[ -]?\d{4}[ -]?\d{4}|07\d{9}|01[567]\d{8,9}|0[67]\d{8}|09\d{8,9}"
)


_CHECKS: Mapping[str, Callable[[str], object]] = {
    "-": bool,
    "card": _card,
    "social": lambda text: text[:3] not in ("000", "666"),
    "telephone": _telephone,
    "mobile": _MOBILE.fullmatch,
    "vehicle": _vehicle,
    "network": _network,
    "coordinates": _coordinates,
}


def _read_shapes(text: str) -> Iterator[tuple[int, _Shape]]:
    """Yield the shapes of a file, each with the least digits of a text that can match."""
    marks: dict[str, str] = {}
    fewest = 0
    for line in text.splitlines():
        if " = " in line[:4]:
            marks[line[0]] = line[4:]
        elif heading := re.fullmatch(r"\[(\d+)\]", line):
            fewest = int(heading[1])
        elif line and not line.startswith("#"):
            contact, check, needs, pattern = line.split(maxsplit=3)
            for mark, assertion in marks.items():
                pattern = pattern.replace(mark, assertion)
            name = check.removeprefix("~")
            # By name: a module of stdnum is imported when a text has the shape, and most never are.
            test = _CHECKS.get(name) or partial(_valid, name)
            signs = () if needs == "-" else needs.split("|")
            chance = name != check
            yield fewest, _Shape(Contact[contact], re.compile(pattern), test, chance, signs)


def _valid(module: str, text: str) -> bool:
    return bool(import_module(f"stdnum.{module}").is_valid(text.replace(" ", "")))


SHAPES: Mapping[int, list[_Shape]] = defaultdict(list)
"""By the least digits of texts that can match; most columns of words have fewer."""
for _fewest, _shape in _read_shapes(
    Path(__file__).with_name("contacts.shapes").read_text(encoding="utf-8")
):
    SHAPES[_fewest].append(_shape)
