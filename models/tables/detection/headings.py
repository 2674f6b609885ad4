"""What headings say that columns hold, in some twelve languages, and words whose order is known.

A heading is a hint, never a proof: it is used where values alone cannot tell, and every reason that
rests on it says so. Words are those of ``words.json``: ``*`` in one stands for any letters, those
of scripts without spaces may stand anywhere, and accents and articles make no difference.
"""

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

HOME = Path(__file__).with_name("words.json")


class Hint(StrEnum):
    """What a heading may say; the values are names of lists of words."""

    IDENTIFIER = "identifier"
    NUMBERING = "numbering"
    """That it is a number of something: an identifier unless it says of what."""
    PERSON = "person"
    """Whom a row is about."""
    ROLE = "role"
    """Somebody else in it, such as a doctor."""
    NAME = "name"
    THING = "thing"
    """What has a name and is nobody."""
    PHONE = "phone"
    ADDRESS = "address"
    CODE = "code"
    SENSITIVE = "sensitive"
    """What people would not have known."""
    KNOWN = "known"
    """What acquaintances know."""
    FREE_TEXT = "free text"
    PERIOD = "period"
    WEIGHT = "weight"
    PLACE = "place"
    """Where exactly something is."""


def at_least(share: tuple[int, int], some: int, all_: int) -> bool:
    """Say whether some are at least a share, a whole number over another, of all."""
    return share[1] * some >= share[0] * all_


@cache
def words() -> Mapping[str, Any]:
    """Return the lists of words."""
    lists: Mapping[str, Any] = json.loads(HOME.read_text(encoding="utf-8"))
    return lists


def without_marks(text: str) -> str:
    """Return a text without vowel signs and accents that stand by themselves: they end no word.

    >>> without_marks("डॉ. शर्मा"), without_marks("Médecin")
    ('ड. शरम', 'Médecin')
    """
    bare = "".join(sign for sign in text if not unicodedata.category(sign).startswith("M"))
    return unicodedata.normalize("NFC", bare)


def plain(word: str) -> str:
    """Return a word without case, accents and the Arabic article.

    >>> plain("Médecin"), plain("Straße"), plain("الطبيب")
    ('medecin', 'strasse', 'طبيب')
    """
    apart = unicodedata.normalize("NFKD", word.casefold())
    # Unicode takes neither letter apart into another one and a mark.
    bare = without_marks(apart).replace("ł", "l").replace("ı", "i")
    # Of a short word these two letters may be a part.
    return bare[2:] if bare.startswith("ال") and len(bare) > 4 else bare


_WITHOUT_SPACES = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})


def pattern(entries: str) -> re.Pattern[str]:
    """Return what matches one of a list of words, each of which may begin or end with ``*``."""
    ways = []
    for entry in entries.split():
        way = re.escape(plain(entry).replace("_", "")).replace(r"\*", ".*")
        ways.append(f".*{way}.*" if _WITHOUT_SPACES.search(entry) else way)
    return re.compile("|".join(dict.fromkeys(ways)))


@cache
def _pattern(hint: Hint) -> re.Pattern[str]:
    return pattern(" ".join(words()["headings"][hint]))


def hints(heading: str) -> frozenset[Hint]:
    """Return what a heading says, word by word.

    >>> sorted(one.name for one in hints("Patient ID")), Hint.NAME in hints("nom du médecin")
    (['IDENTIFIER', 'PERSON', 'ROLE'], True)
    >>> [one.name for one in hints("Hauptdiagnose")], [one.name for one in hints("出生日期")]
    (['SENSITIVE'], ['KNOWN'])
    >>> hints("x1")
    frozenset()
    """
    bare = without_marks(unicodedata.normalize("NFC", heading))
    # patientId is two words.
    parted = re.sub(r"(?<=[a-zäöüß])(?=[A-ZÄÖÜ])", " ", bare)
    pieces = re.findall(r"[^\W_]+", parted)
    # Word by word, without the number of a repeated column (name2), and as one word: lists have
    # both patient and patientid.
    every = [*pieces, *(piece.rstrip("0123456789") for piece in pieces), "".join(pieces)]
    tried = {
        plain(way) for piece in every for way in (piece, piece.lower().translate(_UMLAUTS))
    } - {""}
    return frozenset(hint for hint in Hint if any(map(_pattern(hint).fullmatch, tried)))


ROMAN: Mapping[str, int] = {
    numeral: place
    for place, numeral in enumerate(
        ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"), 1
    )
}


def scale(texts: Sequence[str]) -> tuple[str, ...] | None:
    """Return texts from low to high if their order is known; None if it is not.

    Known are words of one scale, text that differs in one number or Roman numeral alone, and
    ranges of numbers.

    >>> scale(["High", "Low", "Medium"]), scale(["Stage II", "Stage IV", "Stage I"])
    (('Low', 'Medium', 'High'), ('Stage I', 'Stage II', 'Stage IV'))
    >>> scale(["20-29", "<20", ">=80", "30-79"]), scale(["flu", "HIV"])
    (('<20', '20-29', '30-79', '>=80'), None)
    """
    if not 2 <= len(texts) <= MOST_STEPS:
        return None
    return _by_words(texts) or _by_number(texts) or _by_range(texts)


MOST_STEPS = 200
"""Most different values of an ordered text."""


def _by_words(texts: Sequence[str]) -> tuple[str, ...] | None:
    low = {text.casefold(): text for text in texts}
    for line in words()["scales"]:
        scale = line.split(" < ")
        # Texts that differ in case alone would be two steps of one.
        if len(low) == len(texts) and low.keys() <= set(scale):
            return tuple(low[word] for word in scale if word in low)
    return None


_RANKED = re.compile(r"(?P<stem>[^\W\d_][^\d]*?)[ -]?(?P<rank>\d{1,2}|[IVX]+)")


def _by_number(texts: Sequence[str]) -> tuple[str, ...] | None:
    """Order texts such as ``ASA 2``, ``T1`` and ``Stage IV``: the same words before one number."""
    # More of them are rooms or places rather than steps.
    if len(texts) > len(ROMAN):
        return None
    ranks: dict[str, int] = {}
    alike = set()
    for text in texts:
        match = _RANKED.fullmatch(text)
        if match is not None and (match["rank"].isdigit() or match["rank"] in ROMAN):
            alike.add(match["stem"])
            ranks[text] = ROMAN.get(match["rank"]) or int(match["rank"])
    if len(ranks) < len(texts):
        ranks, alike = {text: ROMAN[text] for text in texts if text in ROMAN}, {""}
    # Numbers with gaps are places or rooms rather than steps.
    steps = set(ranks.values())
    close = bool(steps) and max(steps) <= 2 * len(steps)
    if len(alike) != 1 or len(ranks) < len(texts) or len(steps) < len(texts) or not close:
        return None
    return tuple(sorted(texts, key=ranks.__getitem__))


_RANGE = re.compile(
    r"(?P<open>[<≤>≥]=?|under |over |from |up to )?\s*[\[(]?(?P<low>-?\d+(?:\.\d+)?)"
    r"(?:\s?(?:-|–|to|,|;)\s?(?P<high>\d+(?:\.\d+)?))?[\])]?(?P<more>\s?\+| and over| and older)?"
)


def _by_range(texts: Sequence[str]) -> tuple[str, ...] | None:
    bounds: dict[str, tuple[float, float]] = {}
    ranges = 0
    for text in texts:
        if (match := _RANGE.fullmatch(text)) is None:
            return None
        low = float(match["low"])
        # The words under and up to begin alike, and both end at the number.
        if (sign := (match["open"] or "").strip()) and sign[0] in "<≤u":
            bounds[text] = (float("-inf"), low)
        elif sign or match["more"]:
            bounds[text] = (low, float("inf"))
        else:
            if (high := float(match["high"] or low)) < low:
                return None
            bounds[text] = (low, high)
        ranges += match["high"] is not None or bool(sign or match["more"])
    # Numbers alone would match as well, and are no ordered text.
    return tuple(sorted(texts, key=bounds.__getitem__)) if 2 * ranges > len(texts) else None
