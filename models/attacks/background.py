"""What an adversary knows beforehand: whom she looks for, and what she knows of them and others.

Background knowledge is data: it is read from JSON or CSV, never executed.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from io import StringIO
from pathlib import Path
from typing import Any

from kproof.datasets.tables import csv_fault
from kproof.errors import DataError, InvalidArgument, show
from kproof.theory.exact.documents import label_of, read_document, read_text
from kproof.theory.exact.typed import choice, integer


class Matching(StrEnum):
    """How the adversary finds a person's class."""

    CLASS = "class"
    """She knows it: the strongest adversary, and the usual reading of the models."""
    COVER = "cover"
    """It is one of those whose published labels cover what she knows of the person."""


@dataclass(frozen=True, kw_only=True)
class Person:
    """Someone the adversary knows something of."""

    row: int | None = None
    """Row of the microdata, from 0, if the person is given by it."""
    quasi_identifiers: Mapping[str, object] | None = None
    """What she knows of the person by column, if given by that instead."""
    excluded: tuple[object, ...] = ()
    """Sensitive values she knows the person does not have."""
    value: object = None
    """The sensitive value she knows the person has; None if she does not, or if it is to be
    taken from the microdata (members given by row)."""
    name: str = ""
    """How results call the person."""

    def __post_init__(self) -> None:
        if (self.row is None) == (self.quasi_identifiers is None):
            whom = self.name or self.row
            raise InvalidArgument("person", whom, "either a row or quasi-identifiers")
        if self.quasi_identifiers == {}:
            raise InvalidArgument("quasi_identifiers", "{}", "at least one column")


@dataclass(frozen=True, kw_only=True)
class BackgroundKnowledge:
    """What the adversary knows.

    >>> BackgroundKnowledge(victims=(Person(row=3, excluded=("HIV",)),)).victims[0].excluded
    ('HIV',)
    """

    victims: tuple[Person, ...] | None = None
    """Whom she looks for; None for everyone but the members."""
    members: tuple[Person, ...] = ()
    """People whose sensitive value she knows: their rows are nobody else's."""
    columns: tuple[str, ...] | None = None
    """Quasi-identifiers she knows of victims given by row; None for all."""
    matching: Matching = Matching.CLASS
    """How she finds a person's class, for people given by row."""
    noise_recognised: bool = False
    """Whether she tells noise rows from real ones and drops them."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "matching", choice("matching", self.matching, Matching))
        if self.columns == ():
            raise InvalidArgument("columns", "()", "at least one column, or None for all")
        # Named twice, one person would be two, who need a row each.
        rows: set[int] = set()
        for person in (*(self.victims or ()), *self.members):
            if person.row is not None:
                if person.row in rows:
                    raise InvalidArgument("row", person.row, "each person once")
                rows.add(person.row)

    @property
    def informed(self) -> bool:
        """Whether she knows something of anybody's sensitive value."""
        about_values = (bool(v.excluded) or v.value is not None for v in self.victims or ())
        return bool(self.members) or any(about_values)


_LIST, _TEXT, _FLAG = "a list", "a text", "true or false"
_KINDS = {_LIST: list, _TEXT: str, _FLAG: bool}
_VALUE = "a text, a number, true or false"
_DOCUMENT = dict.fromkeys(("victims", "members", "columns"), _LIST)
_DOCUMENT |= {"matching": _TEXT, "noise_recognised": _FLAG}
_SUBJECT = "background knowledge"
_PERSON = {"row", "quasi_identifiers", "excluded", "value", "name"}


def read_background(path: str | Path) -> BackgroundKnowledge:
    """Read background knowledge from a JSON or CSV file.

    ``*.json`` holds an object with the fields of :class:`BackgroundKnowledge`, people being objects
    with those of :class:`Person`. ``*.csv`` has a person a line, with the columns ``name``,
    ``row``, ``excluded`` (values separated by ``|``) and ``value`` (makes the person a member),
    each optional; every other column is a quasi-identifier, empty if not known.
    """
    if Path(path).suffix.casefold() == ".csv":
        return _of_csv(label_of(path), read_text(path, of=_SUBJECT))
    return read_document(path, background_of, of=_SUBJECT)


def background_of(document: object, *, label: str = "background") -> BackgroundKnowledge:
    """Return background knowledge from its JSON form; an error names the field.

    >>> background_of({"victims": [{"row": 0}], "matching": "cover"}).matching
    <Matching.COVER: 'cover'>
    >>> background_of({"victim": []})
    Traceback (most recent call last):
        ...
    kproof.errors.DataError: background: victim: need victims, members, columns, matching or \
noise_recognised
    """
    fields = _object(label, document)
    fields_known = f"{', '.join(list(_DOCUMENT)[:-1])} or {list(_DOCUMENT)[-1]}"
    for name, value in fields.items():
        if name not in _DOCUMENT:
            raise DataError(f"{label}: {show(name)}: need {fields_known}")
        if value is not None and not isinstance(value, _KINDS[_DOCUMENT[name]]):
            raise DataError(f"{label}: {name} = {show(str(value))}: need {_DOCUMENT[name]}")
    victims, columns = fields.get("victims"), fields.get("columns")
    for name in columns or ():
        if not isinstance(name, str):
            raise DataError(f"{label}: columns = {show(str(columns))}: need names, which are texts")
    try:
        return BackgroundKnowledge(
            victims=None if victims is None else _people(f"{label}: victims", victims),
            members=_people(f"{label}: members", fields.get("members") or ()),
            columns=None if columns is None else tuple(columns),
            matching=Matching.CLASS if fields.get("matching") is None else fields["matching"],
            noise_recognised=bool(fields.get("noise_recognised")),
        )
    except InvalidArgument as error:
        raise DataError(f"{label}: {error}") from None


def _object(label: str, document: object) -> Mapping[str, Any]:
    if not isinstance(document, dict):
        raise DataError(f"{label}: {show(str(document))}: need an object with named fields")
    return document


def _people(label: str, people: Sequence[object]) -> tuple[Person, ...]:
    return tuple(_person(f"{label}[{index}]", person) for index, person in enumerate(people))


def _person(label: str, document: object) -> Person:
    fields = dict(_object(label, document))
    if unknown := sorted(fields.keys() - _PERSON):
        raise DataError(f"{label}: {show(unknown[0])}: need {', '.join(sorted(_PERSON))}")
    excluded = fields.get("excluded", [])
    if not isinstance(excluded, list):
        raise DataError(f"{label}: excluded = {show(str(excluded))}: need a list of values")
    own_values = fields.get("quasi_identifiers")
    row = fields.get("row")
    by_column = None if own_values is None else dict(_object(label, own_values))
    listed = {"name": fields.get("name", ""), "value": fields.get("value"), **(by_column or {})}
    # Elsewhere None says that nobody knows; excluded, it would rule out nothing.
    for name, value in (*listed.items(), *(("excluded", value) for value in excluded)):
        if isinstance(value, (dict, list, tuple)) or (value is None and name == "excluded"):
            raise DataError(f"{label}: {show(name)} = {show(str(value))}: need {_VALUE}")
    try:
        return Person(
            row=None if row is None else integer("row", row, least=0),
            quasi_identifiers=by_column,
            excluded=tuple(excluded),
            value=fields.get("value"),
            name=str(fields.get("name", "")),
        )
    except InvalidArgument as error:
        raise DataError(f"{label}: {error}") from None


def _of_csv(label: str, text: str) -> BackgroundKnowledge:
    # Strict: an open quotation mark would swallow the lines behind it.
    reader = csv.DictReader(StringIO(text, newline=""), restval="", strict=True)
    try:
        names = [name.strip() for name in reader.fieldnames or ()]
        if len({*names}) < len(names):
            raise DataError(
                f"{label}: the columns are {', '.join(map(show, names))}; need each once"
            )
        return _of_lines(label, reader)
    except InvalidArgument as error:
        raise DataError(f"{label}: {error}") from None
    except csv.Error as error:
        # The count of DictReader itself stops at the last line that was whole.
        raise DataError(f"{label}, line {reader.reader.line_num}: {csv_fault(error)}") from None


def _of_lines(label: str, reader: csv.DictReader[str]) -> BackgroundKnowledge:
    victims: list[Person] = []
    members: list[Person] = []
    for line in reader:
        place = f"{label}, line {reader.line_num}"
        # DictReader keeps surplus cells under None: unseen, what is known would move a column.
        if None in line:
            raise DataError(f"{place}: more cells than the first line")
        cells = {name.strip(): cell.strip() for name, cell in line.items()}
        document: dict[str, object] = {"name": cells.pop("name", "")}
        row, value = cells.pop("row", ""), cells.pop("value", "")
        excluded = cells.pop("excluded", "")
        # Empty is not known; taken for a value it would be one that no label covers.
        own_values = {name: cell for name, cell in cells.items() if cell}
        document |= {"row": row} if row else {}
        document |= {"quasi_identifiers": own_values} if own_values else {}
        document |= {"value": value} if value else {}
        document["excluded"] = [part.strip() for part in excluded.split("|") if part.strip()]
        (members if value else victims).append(_person(place, document))
    if not victims and not members:
        raise DataError(f"{label}: names nobody; need a line for each person")
    return BackgroundKnowledge(victims=tuple(victims) or None, members=tuple(members))
