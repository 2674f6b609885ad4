"""Names of people among texts, told by what their tokens are in the script they are written in.

A column holds names if most of its texts have the shape of one and enough are known: a first name,
a surname, the ending of one, a Chinese surname before one or two signs of which names are made.
Whether values repeat does not matter: a doctor has many patients.
"""

import re
import unicodedata
from collections.abc import Collection, Sequence
from enum import IntEnum
from functools import cache
from itertools import pairwise

from kproof.models.tables.detection.headings import (
    Hint,
    at_least,
    pattern,
    plain,
    without_marks,
    words,
)


class Likeness(IntEnum):
    """How like a name a text is."""

    NONE = 0
    SHAPE = 1
    """It could be one."""
    KNOWN = 2
    """A part of it is known to be one."""


SAMPLE = 400
"""Texts that are looked at: shares of so many are right to some 5 %."""

_SHAPED = (9, 10)
_KNOWN = (1, 2)
_KNOWN_AGAINST_HEADING = (4, 5)
"""Of a column whose heading says something else: towns and goods are called after people, too."""

_TOKEN = re.compile(r"[^\W\d_]+(?:['’ʼ`-][^\W\d_]+)*")
_INITIAL = re.compile(r"(?:[^\W\d_]\.?-?){1,2}|[^\W\d_]\.[^\W\d_]\.")
_HAN = re.compile(r"[\u3400-\u9fff々·]+")
_HANGUL = re.compile(r"[\uac00-\ud7af]{2,4}")
_LETTERS = re.compile(r"(?:[^\W\d_]['’.-]?){1,20}(?:,?\s(?:[^\W\d_]['’.-]?){1,20}){0,4}")
_CASED = re.compile(r"[^\W\d_]")


def why_names(texts: Sequence[str], hinted: Collection[Hint]) -> str | None:
    """Return why texts are names of people, as a phrase; None if they are not.

    >>> why_names(["Anna Weber", "Jan Novák", "Ольга Смирнова"], ())
    'all have the shape of a name, 100 % a part that is known to be one'
    >>> why_names(["Acute Bronchitis", "Hip Fracture", "Kidney Stones"], ()) is None
    True
    >>> why_names(["Toom", "Xhaka", "Ubu"], {Hint.ROLE})
    'its heading says a person; all have the shape of one'
    """
    if len(texts) < 2:
        return None
    sample = [_normal_spelling(text) for text in texts[:: -(-len(texts) // SAMPLE)]]
    # First of all, as roads are called after people and would pass for them.
    if are_roads(sample):
        return None
    share = _share(sum(_LETTERS.fullmatch(text) is not None for text in sample), len(sample))
    if share and Hint.NAME in hinted and Hint.THING not in hinted:
        return f"its heading says a name; {share} look like one"
    levels = [likeness(text) for text in sample]
    shaped = sum(level > Likeness.NONE for level in levels)
    recognised = sum(level is Likeness.KNOWN for level in levels)
    if not (share := _share(shaped, len(sample))):
        return None
    contrary = {Hint.THING, Hint.KNOWN, Hint.SENSITIVE, Hint.CODE} & set(hinted)
    if Hint.ROLE in hinted and not contrary and len(texts) > 2:
        return f"its heading says a person; {share} have the shape of one"
    threshold = _KNOWN_AGAINST_HEADING if contrary else _KNOWN
    if len(texts) > 2 and at_least(threshold, recognised, len(sample)):
        part = f"{100 * recognised // len(sample)} % a part that is known to be one"
        return f"{share} have the shape of a name, {part}"
    return None


def _normal_spelling(written: str) -> str:
    return without_marks(unicodedata.normalize("NFC", written))


_ROADS = (19, 20)


def are_roads(texts: Sequence[str]) -> bool:
    """Say whether texts are names of roads: nearly all have a word for one.

    Surnames may be such words, too, so that few texts, and fewer than three of these words, are
    no evidence; and a list of customers of whom some are roads keeps its names.

    >>> roads = [f"{one} {road}" for one in "ABCDEFGH" for road in ("Street", "Way", "Lane")]
    >>> are_roads(roads), are_roads([*roads, "Ann Toom", "Bo Ubu"]), are_roads(roads[:9])
    (True, False, False)
    """
    spoken = _road()
    kinds = [
        [word for word in map(plain, _TOKEN.findall(text)) if spoken.fullmatch(word)]
        for text in texts
    ]
    share = at_least(_ROADS, sum(map(bool, kinds)), len(texts))
    return len(texts) > 20 and share and len({word for some in kinds for word in some}) > 2


@cache
def _road() -> re.Pattern[str]:
    return pattern(words()["roads"])


def likeness(written: str) -> Likeness:
    """Return how like a name of a person a text is.

    >>> [likeness(one).name for one in ("Dr. Toom", "王伟", "김민준", "flu", "Red Mug", "石家庄")]
    ['KNOWN', 'KNOWN', 'KNOWN', 'NONE', 'SHAPE', 'NONE']
    """
    written = _normal_spelling(written)
    if _HAN.fullmatch(written) or _has_honorific(written):
        return _han(written)
    if _HANGUL.fullmatch(written):
        first = written[:1] in words()["hangul"].split()
        return Likeness(first + (first and len(written) == 3))
    pieces, titled = _without_titles(written)
    tokens = _without_particles(pieces)
    if not tokens or len(pieces) > 5 or not all(map(_may_be_a_name, tokens)):
        return Likeness.NONE
    return Likeness.KNOWN if titled or any(map(_is_known, tokens)) else Likeness.SHAPE


def is_full_name(written: str) -> bool:
    """Say whether a text is a name after a title, or two words or more that are all of names.

    Whatever their case, and however many have it: a diagnosis may be called after its finder, and
    no diagnosis is called Dr. Toom or Anna Weber.

    >>> [is_full_name(text) for text in ("Dr. Toom", "anna weber", "佐藤さん", "Bell Palsy")]
    [True, True, True, False]
    """
    written = _normal_spelling(written)
    if _has_honorific(written):
        return _han(written) is Likeness.KNOWN
    pieces, titled = _without_titles(written)
    tokens = _without_particles(pieces)
    if not tokens or len(pieces) > 5 or not all(map(_TOKEN.fullmatch, tokens)):
        return False
    if titled and all(map(_may_be_a_name, tokens)):
        return True
    return len(tokens) > 1 and all(map(_is_known, tokens))


def names_somebody(written: str) -> bool:
    """Say whether a text is a full name, or has one in it, as notes of who called do.

    That is a title before a name, a first name beside a surname, or a surname that is in capitals
    or follows a word such as *with*. Other surnames among words may be words: bakers bake.

    >>> notes = ("besucht von Frau Müller", "Anna Müller called", "GARCÍA absent", "met with Toom")
    >>> [names_somebody(text) for text in notes], names_somebody("seen by mrs toom")
    ([True, True, True, False], True)
    >>> [names_somebody(text) for text in ("Bell Palsy", "Green Tea", "IRON low", "flu with fever")]
    [False, False, False, False]
    """
    if is_full_name(written):
        return True
    written = _normal_spelling(written)
    # In a note without capitals, or of nothing else, they tell no surname from a word.
    lower, shouted = written == written.lower(), written == written.upper()
    pieces = [piece.strip(",;:()") for piece in written.split()]
    for piece in pieces:
        if piece.isupper() and not shouted and len(piece) > 3 and _is_surname(piece):
            return True
    for place, (before, piece) in enumerate(pairwise(pieces)):
        word, bare = plain(before), piece.strip(".")
        if _TOKEN.fullmatch(bare) is None or not (lower or _may_be_a_name(bare)):
            continue
        # Roads are called after people.
        around = pieces[max(place - 1, 0) : place + 3]
        if any(_road().fullmatch(plain(beside)) for beside in around):
            continue
        likely = not lower or word in _list("names", "only titles") or _is_known(bare)
        if word in _list("names", "titles") and likely:
            return True
        if not lower and _is_known(bare) and _may_be_a_name(before) and _is_known(before):
            return True
        follows = word in _list("names", "before") or (lower and word in _list("names", "given"))
        if follows and _is_surname(bare):
            return True
    return False


def _is_surname(token: str) -> bool:
    word, endings = plain(token), tuple(_list("names", "endings"))
    # Short words end so, too, and are no surnames.
    return word in _list("names", "family") or (len(word) > 5 and word.endswith(endings))


def _without_titles(written: str) -> tuple[list[str], bool]:
    """Return the words of a text without titles before them, and whether there are any."""
    pieces = [piece for piece in re.split(r"[\s,]+", written.strip()) if piece]
    words_before = len(pieces)
    while len(pieces) > 1 and plain(pieces[0]) in _list("names", "titles"):
        del pieces[0]
    return pieces, len(pieces) < words_before


def _without_particles(pieces: Sequence[str]) -> list[str]:
    """Return the words that are no particles and no initials."""
    particles = _list("names", "particles")
    return [piece for piece in pieces if plain(piece) not in particles and not _is_initial(piece)]


def _has_honorific(written: str) -> bool:
    """Say whether a Japanese title, which is written otherwise than names, follows Han signs."""
    bare = re.sub(r"[\u3040-\u309f]+$", "", written)
    return bool(bare != written and _HAN.fullmatch(bare) and _han_title().search(written))


@cache
def _han_title() -> re.Pattern[str]:
    return re.compile(f"(?:{'|'.join(words()['han']['titles'].split())})$")


def _is_initial(token: str) -> bool:
    # Where letters have no case, two of them are a name: vowels may be marks, or not be written.
    short = token.islower() or token.isupper() or token.istitle() or "." in token
    return short and _INITIAL.fullmatch(token) is not None


def _may_be_a_name(token: str) -> bool:
    first = _CASED.search(token)
    # Scripts without case have nothing that is lower; in others names have a capital.
    return _TOKEN.fullmatch(token) is not None and first is not None and not first[0].islower()


def _is_known(token: str) -> bool:
    parts = plain(token).split("-")
    return any(part in _list("names", "given") or _is_surname(part) for part in parts)


def _han(written: str) -> Likeness:
    han = words()["han"]
    bare = _han_title().sub("", written)
    titled = bare != written
    if bare.endswith(tuple(han["place endings"].split())) and not titled:
        return Likeness.NONE
    for surname in han["double surnames"].split():
        if bare.startswith(surname) and len(bare) - len(surname) <= 3:
            return Likeness.KNOWN
    if not bare or bare[0] not in han["surnames"] or len(bare) > 3 or len(written) < 2:
        return Likeness.NONE
    if any(sign in han["words"] for sign in bare[1:]):
        return Likeness.NONE
    certain = titled or (len(bare) > 1 and all(sign in han["given"] for sign in bare[1:]))
    return Likeness.KNOWN if certain else Likeness.SHAPE


@cache
def _list(group: str, name: str) -> frozenset[str]:
    lines: Sequence[str] = words()[group][name]
    return frozenset(map(plain, " ".join(lines).split()))


def _share(some: int, all_: int) -> str:
    """Return the share of texts in words; empty if they are not nearly all."""
    if not at_least(_SHAPED, some, all_):
        return ""
    return "all" if some == all_ else f"{100 * some // all_} %"
