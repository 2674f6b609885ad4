"""Cells that identify: contact data, hidden names, free text, values of one's own, exact numbers.

Everything is judged by the distinct texts of a column as they are published, members of sets
``{a, b}`` included, whatever role or language the column has. Any such cell is one too many.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from typing import Protocol

import numpy as np

from kproof.errors import DataError
from kproof.forms import JsonForm
from kproof.models.base.arrays import Codes
from kproof.models.judgement.cells import words
from kproof.models.judgement.cells.contacts import Contact, contacts_of
from kproof.models.judgement.cells.rounding import extremes, least_step, least_unit, people
from kproof.models.judgement.people import distinct
from kproof.models.tables.detection.headings import Hint, hints
from kproof.models.tables.detection.names import Likeness, is_full_name, likeness, names_somebody
from kproof.models.tables.detection.shapes import check_digits
from kproof.models.tables.detection.types import NAMES_PEOPLE, ColumnType, detect
from kproof.models.tables.encoding import is_number

_CHUNK = 1 << 16
"""Texts whose words are looked for at a time."""

CROWD = 11
"""People who share a text as it stands, which then is a category: the CMS shows no smaller cell."""

FEW = 5
"""Fewer people who share a text may be one family, or one sender of it: somebody has to read it."""

MOST_NAMED = 100_000
"""Texts that are compared with lists of names at most, which takes a second or two."""

OTHER = "other"
"""What is published in place of a text that may name somebody."""

OWN, EXACT = Fraction(1, 10), Fraction(1, 20)
"""Shares of people with a value of their own above which it identifies, or has to be rounded."""


class CellKind(StrEnum):
    """Why cells identify."""

    CONTACT = "contact data"
    IDENTIFIER_NUMBER = "official numbers"
    HIDDEN_TOKEN = "values of columns that are not published"
    NAME = "names of people"
    FREE_TEXT = "free text"
    UNREAD = "unread texts"
    OWN_VALUE = "values of one's own"
    EXACT_NUMBER = "exact numbers"


class TextColumn(Protocol):
    """A column by its distinct cells."""

    @property
    def name(self) -> str:
        """Its heading."""

    @property
    def codes(self) -> Codes:
        """Shape (rows,): place of each row's cell among the texts, -1 where it is empty."""

    @property
    def texts(self) -> Sequence[str]:
        """The distinct cells that are not empty."""


@dataclass(frozen=True, eq=False)
class IdentifyingCells:
    """Cells of a column that identify people, for one reason."""

    column: str
    kind: CellKind
    rows: int
    """How many cells."""
    people: int
    share: Fraction
    """Of all people."""
    phrase: str
    """What they are, such as ``telephone numbers in 12 cells``."""
    victims: Codes = field(repr=False)
    """Their rows: for the publisher alone."""

    to_dict = JsonForm("column kind rows people share phrase")


def find_identifying_cells(
    column: TextColumn,
    person: Codes | None = None,
    *,
    hidden: HiddenTokens | None = None,
    covered: bool = False,
    measured: bool | None = None,
    secret: bool = False,
    exact: bool = False,
    common: Collection[str] = (),
    unread: Collection[str] | None = None,
) -> tuple[IdentifyingCells, ...]:
    """Return the cells of a published column that identify, by reason; none if it has none.

    ``person`` says whom each row is about (-1: nobody); rows are people without. ``covered``: a
    taxonomy has all texts, so that long ones are labels and no free text. ``measured``: values are
    numbers or times, not names; None to tell by them. ``exact``: confidential values that are to be
    published as they stand. ``common``: texts that at least :data:`CROWD` people of the original
    share; ``unread``: what :func:`unread_texts` says of the original, where labels hide who holds a
    text.

    >>> from types import SimpleNamespace
    >>> notes = SimpleNamespace(name="note", codes=np.array([0, 0, 1]), texts=("flu", "a@b.org"))
    >>> [cells.phrase for cells in find_identifying_cells(notes, covered=True)]
    ['e-mail addresses in 1 cell', '1 people have a value of their own']
    """
    if measured is None:
        measured = is_measured(column.texts)
    judged = [*contact_cells(column, person)]
    if hidden is not None:
        judged += hidden.cells(column, person)
    if not covered:
        judged += free_text_cells(column, person, common=common)
        # Those of secrets are read one by one, and somebody may say that none is a name.
        judged += () if secret else name_cells(column, person)
    if not measured:
        judged += own_value_cells(column, person)
        if secret and not exact and not covered:
            judged += unread_cells(column, person, unread=unread)
    elif secret and not exact:
        judged += exact_number_cells(column, person)
    return tuple(judged)


def contact_cells(column: TextColumn, person: Codes | None = None) -> Iterator[IdentifyingCells]:
    """Yield the cells with contact data or official numbers in them, by what they are."""
    parts, owners = words.parts_of(column.texts)
    by_kind: dict[Contact, list[int]] = {}
    for place, contact in contacts_of(parts).items():
        by_kind.setdefault(contact, []).append(owners[place])
    for contact, places in by_kind.items():
        number = contact in (Contact.NUMBER, Contact.CARD)
        kind = CellKind.IDENTIFIER_NUMBER if number else CellKind.CONTACT
        yield _cells(column, person, kind, places, contact.value)
    # Every cell would be counted twice where numbers of the kind were found one by one.
    phrase = None if Contact.NUMBER in by_kind else check_digits(parts)
    if phrase is not None:
        yield _cells(column, person, CellKind.IDENTIFIER_NUMBER, owners, phrase)


def free_text_cells(
    column: TextColumn, person: Codes | None = None, *, common: Collection[str] = ()
) -> Iterator[IdentifyingCells]:
    """Yield the cells of free text: 25 signs and 4 words, or 8 Chinese signs, in one member.

    A text that :data:`CROWD` people have as it stands is a category, such as the answer ``Neither
    agree nor disagree``. Of sets nobody can tell how many shared a member before they were formed:
    the original can, by ``common``.
    """
    parts, owners = words.parts_of(column.texts)
    long = [i for i, part in enumerate(parts) if words.is_free_text(part) and part not in common]
    holders = _people_of_texts(column, person)
    places = [
        owners[place]
        for place in long
        # A set that many people have says nothing of how many wrote this member of it.
        if holders[owners[place]] < CROWD or parts[place] != column.texts[owners[place]]
    ]
    if places:
        yield _cells(column, person, CellKind.FREE_TEXT, places, "free text")


def name_cells(column: TextColumn, person: Codes | None = None) -> Iterator[IdentifyingCells]:
    """Yield all cells of a column of names, however many have each: doctors, carers, owners.

    >>> from types import SimpleNamespace
    >>> texts = ("Anna Weber", "John Smith", "María García")
    >>> carer = SimpleNamespace(name="carer", codes=np.arange(30) % 3, texts=texts)
    >>> [cells.phrase for cells in name_cells(carer)]
    ['names of people in 30 cells']
    """
    parts, owners = words.parts_of(column.texts)
    holders = _people_of_texts(column, person)
    present, alone = int(holders.sum()), int((holders == 1).sum())
    kind = detect(column.name, tuple(dict.fromkeys(parts)), present=present, alone=alone)
    if kind.type is ColumnType.NAME:
        yield _cells(column, person, CellKind.NAME, owners, CellKind.NAME.value)


def unread_cells(
    column: TextColumn, person: Codes | None = None, *, unread: Collection[str] | None = None
) -> Iterator[IdentifyingCells]:
    """Yield the cells with a text that nobody read, see :func:`unread_texts`."""
    parts, owners = words.parts_of(column.texts)
    unread = unread_texts(column, person) if unread is None else unread
    places = [owner for part, owner in zip(parts, owners, strict=True) if part in unread]
    if places:
        yield _cells(column, person, CellKind.UNREAD, places, "unread texts")


def unread_texts(column: TextColumn, person: Codes | None = None) -> frozenset[str]:
    """Return texts that may name somebody in a way that no pattern knows.

    A plain word or a short code that one person has is a value, and so is what is put together of
    words that other people have in their cells. Of two to four people, who may be a family or rows
    of one person, words alone are taken for a rare value: ``Burn (by Peter Maier)`` is none. Those
    that are known to be names are none, see :func:`find_name_texts`.

    >>> from types import SimpleNamespace
    >>> texts = ("flu", "HIV", "B20.1", "flu, Ann Lee")
    >>> ill = SimpleNamespace(name="ill", codes=np.array([0, 0, 1, 2, 3]), texts=texts)
    >>> sorted(unread_texts(ill))
    ['flu, Ann Lee']
    """
    parts, owners = words.parts_of(column.texts)
    holders = _people_of_texts(column, person).tolist()
    # A date or a number says nothing more than others in a column of such, and may among words.
    measured = [is_number(part) or words.MEASURE.fullmatch(part) is not None for part in parts]
    usual = 2 * sum(measured) > len(parts)
    doubtful: dict[int, frozenset[str]] = {}
    for place, (part, owner) in enumerate(zip(parts, owners, strict=True)):
        sharing = holders[owner]
        if not 0 < sharing < FEW or (usual and measured[place]) or words.is_plain_value(part):
            continue
        if sharing == 1 or words.MORE_THAN_WORDS.search(part):
            doubtful[place] = words.pieces_of(part)
    # Only the words of doubtful texts are looked up: most columns have few of these, or none.
    sought = frozenset[str]().union(*doubtful.values())
    texts_of: dict[str, set[int]] = {piece: set() for piece in sought}
    for part, owner in zip(parts, owners, strict=True) if doubtful else ():
        for piece in sought & words.pieces_of(part):
            texts_of[piece].add(owner)
    of_text = _Holders.of(column, person)
    many = {piece: len(of_text.people_of(places)) for piece, places in texts_of.items()}
    alone = frozenset(
        parts[place]
        for place, pieces in doubtful.items()
        if any(many[piece] - holders[owners[place]] < FEW for piece in pieces)
    )
    return alone | find_name_texts(column.name, parts, [holders[owner] for owner in owners])


def find_name_texts(heading: str, texts: Sequence[str], holders: Sequence[int]) -> frozenset[str]:
    """Return texts that are known to be names of people; all of them if most of a column are.

    Of more than :data:`MOST_NAMED` texts some are looked at; ``holders`` says how many people
    have each.

    >>> sorted(find_name_texts("ill", ["gout", "Anna", "anna weber", "flu"], [50, 3, 40, 60]))
    ['Anna', 'anna weber']
    """
    shared = sum(holders)
    distinct = tuple(dict.fromkeys(texts))
    kind = detect(heading, distinct, present=shared, alone=holders.count(1))
    if kind.type in NAMES_PEOPLE:
        return frozenset(distinct)
    about_things = not hints(heading).isdisjoint({Hint.THING, Hint.KNOWN, Hint.CODE})
    # Some of everywhere, not the first so many: names may begin far down.
    step = -(-len(texts) // MOST_NAMED) or 1
    return frozenset(
        text
        for text, many in zip(texts[::step], holders[::step], strict=True)
        if (is_full_name if about_things else names_somebody)(text)
        or (0 < many < CROWD and not about_things and likeness(text) is Likeness.KNOWN)
    )


def own_value_cells(column: TextColumn, person: Codes | None = None) -> Iterator[IdentifyingCells]:
    """Yield the values that one person alone holds, if over a tenth of the people hold such."""
    own = _own(column, person, CellKind.OWN_VALUE)
    if own.share > OWN:
        yield replace(own, phrase=f"{own.people} people have a value of their own")


def exact_number_cells(
    column: TextColumn, person: Codes | None = None
) -> Iterator[IdentifyingCells]:
    """Yield the numbers or times that one person alone holds, if over a twentieth hold such.

    The phrase says what to round them to; nothing where no step leaves few people alone.
    """
    own = _own(column, person, CellKind.EXACT_NUMBER)
    if own.share <= EXACT:
        return
    step: object = None
    if any(map(is_number, column.texts)):
        step = least_step(column.texts, column.codes, person)
    elif (unit := least_unit(column.texts, column.codes, person)) is not None:
        step = f"the {unit.name.lower()}"
    advice = "" if step is None else f"; rounded to {step}, at most 1 % do"
    yield replace(own, phrase=f"{own.people} people have an exact value of their own{advice}")


def is_measured(texts: Sequence[str]) -> bool:
    """Say whether texts are numbers, ranges or times, and neither counted up nor long codes.

    >>> is_measured(["1200.50", "[25-26]"]), is_measured(["4711001", "4713002"])
    (True, False)
    >>> is_measured([str(number) for number in range(100, 400)])
    False
    """
    parts = words.parts_of(texts)[0]
    if not all(is_number(part) or words.MEASURE.fullmatch(part) for part in parts):
        return False
    # As decimals: Python reads an int of some thousand digits in a command only, not in a library.
    whole = [Decimal(part) for part in parts if part.isascii() and part.isdigit()]
    if not whole or len(whole) < len(parts):
        return True
    # Ages fill their span as well, but there are not so many.
    counted_up = len(whole) > 200 and max(whole) - min(whole) < 2 * len(whole)
    return not counted_up and not (len(parts[0]) > 6 and len(set(map(len, parts))) == 1)


@dataclass(frozen=True, eq=False)
class HiddenTokens:
    """Words of columns that are never published, to be looked for in those that are.

    Which words tell of somebody is decided by how many people bear them and how many others have
    them in their cells. A word of more than a twentieth of the people (and of more than five) is a
    ward or a town rather than a name. A word that at least five people who do not bear it have in
    their cells, and four times as many as bear it, is a word of the published column: patients
    called May do not make the month a name. Digits count from four on, unless they are a year, and
    only beside letters: a number as a whole cell is a value, which other criteria judge.
    """

    columns: tuple[TextColumn, ...]
    person: Codes | None
    bearers: Mapping[str, int] = field(repr=False)
    """How many people bear each word, at most."""

    @classmethod
    def of(cls, columns: Iterable[TextColumn], person: Codes | None = None) -> HiddenTokens:
        """Read the words of columns that are not published.

        >>> from types import SimpleNamespace
        >>> names = SimpleNamespace(name="name", codes=np.arange(2), texts=("Ann Lee", "Bo Kim"))
        >>> notes = SimpleNamespace(name="note", codes=np.arange(2), texts=("flu", "see Kim"))
        >>> [cells.phrase for cells in HiddenTokens.of([names]).cells(notes)]
        ['values of what is not published (name) in 1 cell']
        """
        columns = tuple(columns)
        if len({len(column.codes) for column in columns}) > 1:
            raise DataError("columns that are not published have different numbers of rows")
        bearers: Counter[str] = Counter()
        for column in columns:
            for text, holders in zip(column.texts, _people_of_texts(column, person), strict=True):
                for token in words.cached_tokens_of(text):
                    bearers[token] += int(holders)
        limit = max(5, people(columns[0].codes, person) // 20) if columns else 0
        few = {token: many for token, many in bearers.items() if 0 < many <= limit}
        return cls(columns, person, few)

    def cells(
        self, column: TextColumn, person: Codes | None = None, *, aligned: bool = True
    ) -> Iterator[IdentifyingCells]:
        """Yield the cells of a published column with a word that tells of somebody.

        Unless rows (or numbers of people) are ``aligned`` with those of the hidden columns, all
        that bear a word are taken to be among those in whose cells it is.
        """
        mentions = self._mentions(column)
        bearing = self._bearers(mentions) if aligned else {}
        holders = _Holders.of(column, person)
        places: set[int] = set()
        for token, texts in mentions.items():
            mentioned = holders.people_of(texts)
            shared = min(self.bearers[token], len(mentioned))
            if aligned:
                shared = len(np.intersect1d(bearing[token], mentioned))
            if (strangers := len(mentioned) - shared) < 5 or strangers < 4 * shared:
                places |= texts
        if places:
            names = ", ".join(column.name for column in self.columns)
            kind = CellKind.HIDDEN_TOKEN
            yield _cells(column, person, kind, places, f"values of what is not published ({names})")

    def _mentions(self, column: TextColumn) -> dict[str, set[int]]:
        """Return the texts in which each word stands that people bear."""
        lengths = self._lengths
        mentions: dict[str, set[int]] = {}
        for first in range(0, len(column.texts), _CHUNK):
            chunk = column.texts[first : first + _CHUNK]
            # Most columns have none: the words of many texts at once are quickly compared.
            if self.bearers.keys().isdisjoint(words.tokens_of("\n".join(chunk), lengths)):
                continue
            for place, text in enumerate(chunk, first):
                for token in self.bearers.keys() & words.cached_tokens_of(text, lengths):
                    if not (token.isdigit() and text.upper() == text.lower()):
                        mentions.setdefault(token, set()).add(place)
        return mentions

    @cached_property
    def _lengths(self) -> frozenset[int]:
        """How long words of scripts without spaces are, which no space tells apart in a text."""
        return frozenset(len(token) for token in self.bearers if words.UNSPACED.match(token))

    def _bearers(self, tokens: Collection[str]) -> dict[str, Codes]:
        """Return the people who bear each of some words."""
        bearing: dict[str, list[Codes]] = {token: [] for token in tokens}
        for column in self.columns if bearing else ():
            holders = _Holders.of(column, self.person)
            for place, text in enumerate(column.texts):
                for token in bearing.keys() & words.cached_tokens_of(text):
                    bearing[token].append(holders.people_of([place]))
        return {
            token: np.unique(np.concatenate(holders_of_column))
            for token, holders_of_column in bearing.items()
        }


def _people_of_texts(column: TextColumn, person: Codes | None) -> Codes:
    """Return how many people hold each text."""
    size = len(column.texts)
    recorded = column.codes >= 0 if person is None else (column.codes >= 0) & (person >= 0)
    codes = column.codes[recorded].astype(np.int64)
    if person is not None:
        span = int(person.max(initial=0)) + 1
        # Each person once: else a text in many rows of one person would look shared.
        codes = distinct(codes * span + person[recorded]) // span
    return np.bincount(codes, minlength=size)


@dataclass(frozen=True, eq=False)
class _Holders:
    """The people who hold the texts of a column, by text."""

    people: Codes
    starts: Codes

    @classmethod
    def of(cls, column: TextColumn, person: Codes | None) -> _Holders:
        order = np.argsort(column.codes, kind="stable")
        # Empty cells, -1, stand in front of the first start: they are held by nobody.
        starts = np.searchsorted(column.codes[order], np.arange(len(column.texts) + 1))
        return cls(order if person is None else person[order], starts)

    def people_of(self, places: Iterable[int]) -> Codes:
        """Return the people who hold some texts, each once."""
        runs = [self.people[self.starts[place] : self.starts[place + 1]] for place in places]
        people = np.unique(np.concatenate(runs))
        return people[people >= 0]


def _cells(
    column: TextColumn, person: Codes | None, kind: CellKind, places: Iterable[int], reason: str
) -> IdentifyingCells:
    # The last place is that of empty cells.
    chosen = np.zeros(len(column.texts) + 1, dtype=np.bool_)
    chosen[np.fromiter(places, dtype=np.int64)] = True
    victims = np.flatnonzero(chosen[column.codes])
    # Each person once, and noise, which is nobody's, not at all.
    about = len(victims if person is None else np.setdiff1d(person[victims], [-1]))
    share = Fraction(about, max(1, people(column.codes, person)))
    phrase = f"{reason} in {len(victims)} {'cell' if len(victims) == 1 else 'cells'}"
    return IdentifyingCells(column.name, kind, len(victims), about, share, phrase, victims)


def _own(column: TextColumn, person: Codes | None, kind: CellKind) -> IdentifyingCells:
    low, high = extremes(column.codes, len(column.texts), person)
    # What nobody holds has ends that differ: it is nobody's own.
    return _cells(column, person, kind, np.flatnonzero(low == high).tolist(), "")
