"""Words of cells: what tokens a text has, and whether it is a value, a measure or a sentence."""

import re
from collections.abc import Collection, Sequence
from functools import lru_cache

from kproof.errors import DataError
from kproof.models.judgement.cells.contacts import plain_text
from kproof.models.tables.recoding import read

_PIECE = re.compile(r"[^\W_]+")
MORE_THAN_WORDS = re.compile(r"[^\w\s'’-]|[\d_]")
"""A sign that no word has."""
# The length is asked first: a long number can be split between both runs of digits at any place,
# and each would be tried.
_SHORT_CODE = re.compile(r"(?=.{1,8}$)[A-Za-z]{0,3}[-./]?\d[\d./-]*[A-Za-z]{0,2}\d*")
_WORD = re.compile(r"[^\W_]{2,}")
UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]+"
)
"""Scripts that are written without spaces."""
_ALL_PARTICLES = (
    "al bin da das de del den der des di do dos dr du el en et het ibn jr la las le los mc mr mrs "
    "ms of op prof san sr st te ter the un und van vom von zu zum zur"
)
_PARTICLES = frozenset(_ALL_PARTICLES.split())
"""Words of names that are words of texts, whoever bears them."""
_NUMBER, _DAY = r"-?\d+(?:\.\d+)?", r"\d{4}[-/]\d\d(?:[-/]\d\d)?|\d\d?[./-]\d\d?[./-]\d{2,4}"
MEASURE = re.compile(
    rf"[<>≤≥]?=?[\[(]?{_NUMBER}(?: ?[-–,;] ?{_NUMBER})?[\])]?\+?|\*"
    rf"|(?:{_DAY})(?:[T ]\d\d?:\d\d.{{0,16}})?|\d\d?:\d\d(?::\d\d)?"
)
"""A number, a range of them, a day or a time."""


def tokens_of(text: str, lengths: Collection[int] = ()) -> frozenset[str]:
    """Return the words of a text; of scripts without spaces all parts of some lengths, or runs."""
    plain = plain_text(text).casefold()
    words = set(_WORD.findall(plain)) - _PARTICLES
    words = {word for word in words if not word.isdigit() or _is_number(word)}
    # Names in these scripts are found as parts of a run, which no space sets apart.
    if not plain.isascii():
        for run in UNSPACED.findall(plain):
            windows = range(len(run))
            words |= {run[at : at + size] for size in lengths for at in windows}
    return frozenset(words)


cached_tokens_of = lru_cache(maxsize=1 << 16)(tokens_of)
"""The same for single cells, which are asked of again for every setting that is tried."""


def pieces_of(text: str) -> frozenset[str]:
    """Return the words of a text, of scripts without spaces every two signs that follow another."""
    plain = plain_text(text).casefold()
    pieces = set(_PIECE.findall(UNSPACED.sub(" ", plain)))
    for run in UNSPACED.findall(plain):
        pieces |= {run[at : at + 2] for at in range(max(1, len(run) - 1))}
    return frozenset(pieces)


def is_plain_value(part: str) -> bool:
    """Say whether a text is one plain word or a short code, and no date nor a random string."""
    plain = plain_text(part)
    if _SHORT_CODE.fullmatch(plain):
        return re.fullmatch(_DAY, plain) is None
    # Words of scripts without spaces may be whole names, and no sign tells.
    word = plain.isalpha() and len(plain) <= 40 and UNSPACED.search(plain) is None
    return word and plain in (plain.lower(), plain.upper(), plain.capitalize())


def _is_number(word: str) -> bool:
    # As texts: of four digits each the order is that of the numbers.
    return len(word) > 4 or (len(word) == 4 and not "1800" <= word < "2200")


def is_free_text(part: str) -> bool:
    """Say whether a text is as long as a sentence."""
    if len(part) >= 25 and len(part.split()) >= 4:
        return True
    return not part.isascii() and sum(map(len, UNSPACED.findall(part))) >= 8


def parts_of(texts: Sequence[str]) -> tuple[Sequence[str], Sequence[int]]:
    """Return the members of sets, and other texts as they are, each with its text's place."""
    # Columns without sets are handed back uncopied: they may have millions of texts.
    if not any(text.startswith("{") for text in texts):
        return texts, range(len(texts))
    parts: list[str] = []
    owners: list[int] = []
    for place, text in enumerate(texts):
        try:
            members = read(text)[0] if text.startswith("{") else (text,)
        except DataError:
            # A bracket alone makes no set: the cell is judged as it stands.
            members = (text,)
        parts += members
        owners += [place] * len(members)
    return parts, owners
