"""Receipts: what a publisher keeps of each release, so that the next one is judged beside it.

A receipt stands beside its file, under the file's name with ``.kproof.json`` after it. It holds
roles, labels of classes and how they were made, and no row. People are in it only as keyed digests,
if somebody wants to follow them exactly: whoever has the receipt without the key learns nothing of
who is in which class, and the key stays with the publisher.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from kproof.errors import DataError, show
from kproof.forms import JsonForm
from kproof.models.judgement.publication import ColumnKnowledge, Making, PublishedFile
from kproof.models.tables.release import plain_parameter
from kproof.outputs import write_text

SUFFIX = ".kproof.json"
"""What the name of a receipt has after that of its file."""

VERSION = 1
"""Of the form of a receipt."""

COUNTS = "counts"
"""The method of a receipt of counts, which have no rows and no classes."""

COUNTED = ("column", "label", "people")
"""The header of counts."""

MOST_BYTES = 1 << 28
"""The longest receipt that is read."""

SHORTEST_KEY = 16
"""Bytes of a key; a shorter one is found by trying."""

Label = tuple[str | None, ...]
"""What a class shows of each known column, in the order of the file; None for an empty cell."""


@dataclass(frozen=True)
class Receipt:
    """What was published, without its rows.

    >>> from kproof.models.judgement.publication import PublishedColumn
    >>> columns = (
    ...     PublishedColumn("age", ColumnKnowledge.KNOWN, np.array([0, 0]), ("[20-29]",)),
    ...     PublishedColumn("ill", ColumnKnowledge.SECRET, np.array([0, 1]), ("flu", "cold")),
    ... )
    >>> receipt = Receipt.of(
    ...     PublishedFile(columns, person=np.array([0, 1])), sha256="0" * 64, day="2026-01-31",
    ...     key=b"sixteen bytes or", names=("ann", "bob"),
    ... )
    >>> receipt.classes, receipt.class_of("ann", key=b"sixteen bytes or")
    ((('[20-29]',),), (0,))
    >>> Receipt.from_text(receipt.to_text()) == receipt
    True
    """

    sha256: Annotated[str, ("pattern", "^[0-9a-f]{64}$")]
    """Of the file."""
    day: Annotated[str, ("format", "date")]
    """On which it was published, such as 2026-01-31."""
    columns: Mapping[str, ColumnKnowledge]
    """What is known of each column of it."""
    method: str
    """That made it; empty if nobody said."""
    parameters: Mapping[str, object]
    """What it was asked for."""
    permuted: bool
    """Whether its rows are in an order drawn at random."""
    from_known_alone: bool
    """Whether classes were formed without a look at any secret."""
    classes: tuple[Label, ...] = field(repr=False)
    """The labels of each class."""
    people: Mapping[str, tuple[Annotated[int, ("minimum", 0)], ...]] | None = field(
        default=None, repr=False
    )
    """By keyed digest of a person the class of each of her rows; None if nobody is followed."""

    to_dict = JsonForm(schema=VERSION)

    @classmethod
    def of(
        cls,
        publication: PublishedFile,
        *,
        sha256: str,
        day: str,
        key: bytes | None = None,
        names: Sequence[str] = (),
    ) -> Receipt:
        """Return the receipt of a publication, whose file has a digest and leaves on a day.

        With a ``key`` for digests, people are followed by their ``names`` in the source.
        """
        class_of, _ = publication.classes
        first = np.unique(class_of, return_index=True)[1]
        cells = [column.cells for column in publication.known]
        people: dict[str, tuple[int, ...]] | None = None
        if key is not None:
            persons = publication.persons
            # Without a column of persons there are no names, and rows would be taken for people.
            if len(names) <= int(persons.max(initial=-1)):
                raise DataError("no column says whom rows are about; a receipt follows nobody")
            people = {}
            for person, index in zip(persons.tolist(), class_of.tolist(), strict=True):
                if person >= 0:
                    digest = digest_of(names[person], key=key)
                    people[digest] = (*people.get(digest, ()), index)
            # In the order of digests, which is no order of people.
            people = dict(sorted(people.items()))
        making = publication.making or Making("")
        return cls(
            sha256=sha256,
            day=day,
            columns={column.name: column.knowledge for column in publication.columns},
            method=making.method,
            parameters={name: plain_parameter(value) for name, value in making.parameters.items()},
            permuted=making.permuted,
            from_known_alone=making.from_known_alone,
            classes=tuple(tuple(column[row] for column in cells) for row in first.tolist()),
            people=people,
        )

    @property
    def known(self) -> tuple[str, ...]:
        """Columns that an adversary is taken to know, in the order of labels."""
        return tuple(
            name for name, kind in self.columns.items() if kind is not ColumnKnowledge.SECRET
        )

    def class_of(self, name: str, *, key: bytes) -> tuple[int, ...]:
        """Return the classes of a person's rows; none for somebody who is not in it."""
        return (self.people or {}).get(digest_of(name, key=key), ())

    def to_text(self) -> str:
        """Return what its file holds: labels and digests, no rows and no names."""
        document = {"schema": VERSION, "document": "receipt"} | self.to_dict()
        return json.dumps(document, ensure_ascii=False, indent=1) + "\n"

    def write(self, path: str | Path) -> None:
        """Write it beside its file; inside ``outputs.together`` both appear, or neither."""
        write_text(f"{path}{SUFFIX}", self.to_text())

    @classmethod
    def from_text(cls, text: str) -> Receipt:
        """Read a receipt; every field of it is checked, and an error names the field."""
        try:
            fields: Any = json.loads(text)
        # Brackets nested deeply enough are a RecursionError, which is no ValueError.
        except (ValueError, RecursionError):
            raise DataError("no receipt: not JSON") from None
        # Neither fewer nor more: what this version does not know, it cannot check.
        if not isinstance(fields, dict) or set(fields) != set(_NEEDS):
            raise DataError(f"no receipt: need an object with {', '.join(_NEEDS)}")
        for name, (need, fits) in _NEEDS.items():
            if not fits(fields[name]):
                raise DataError(f"no receipt: {name} = {show(fields[name])}: need {need}")
        columns = {name: ColumnKnowledge(kind) for name, kind in fields["columns"].items()}
        classes = tuple(map(tuple, fields["classes"]))
        if (people := fields["people"]) is not None:
            people = {digest: tuple(indexes) for digest, indexes in people.items()}
        plain = {name: fields[name] for name in _NEEDS if name not in ("schema", "document")}
        receipt = cls(**{**plain, "columns": columns, "classes": classes, "people": people})
        if any(len(label) != len(receipt.known) for label in classes):
            raise DataError("no receipt: classes: need a label for each known column")
        # Nor below 0: Python would count such a number from the end, to somebody else's class.
        if any(not 0 <= index < len(classes) for ids in (people or {}).values() for index in ids):
            raise DataError("no receipt: people: need numbers of classes")
        return receipt


def _is_day(value: object) -> bool:
    try:
        # Python reads other forms of a day as well, such as 20260131.
        return isinstance(value, str) and date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False


def _is_digest(value: object) -> bool:
    return isinstance(value, str) and re.fullmatch("[0-9a-f]{64}", value) is not None


def _lists(value: object, *kinds: type) -> bool:
    """Say whether a value is lists of what is of some kinds; numbers are no truth values."""
    return isinstance(value, list) and all(
        isinstance(row, list) and all(type(cell) in kinds for cell in row) for row in value
    )


_NEEDS: Mapping[str, tuple[str, Callable[[object], bool]]] = {
    # By type: in Python true equals 1.
    "schema": (str(VERSION), lambda value: type(value) is int and value == VERSION),
    "document": ("receipt", lambda value: value == "receipt"),
    "sha256": ("64 digits from 0 to f", _is_digest),
    "day": ("a day such as 2026-01-31", _is_day),
    "columns": (
        f"names with {', '.join(ColumnKnowledge)}",
        lambda value: (
            isinstance(value, dict) and all(kind in [*ColumnKnowledge] for kind in value.values())
        ),
    ),
    "method": ("a name", lambda value: isinstance(value, str)),
    "parameters": ("values by name", lambda value: isinstance(value, dict)),
    "permuted": ("true or false", lambda value: isinstance(value, bool)),
    "from_known_alone": ("true or false", lambda value: isinstance(value, bool)),
    "classes": ("labels of each class", lambda value: _lists(value, str, type(None))),
    "people": (
        "classes by digest, or null",
        lambda value: (
            value is None
            or (
                isinstance(value, dict)
                and all(map(_is_digest, value))
                and _lists([*value.values()], int)
            )
        ),
    ),
}


def digest_of(name: str, *, key: bytes) -> str:
    """Return the keyed digest that stands for a person.

    >>> digest_of("ann", key=b"sixteen bytes or")[:8]
    '0a7f6cae'
    """
    if len(key) < SHORTEST_KEY:
        raise DataError(f"a key of {len(key)} bytes is found by trying; need {SHORTEST_KEY}")
    # Digests without a key are found by trying names, of which there are few.
    return hmac.new(key, name.encode(), hashlib.sha256).hexdigest()


def receipt_beside(path: str | Path) -> Receipt | None:
    """Return the receipt beside a file, or None; one of another file is a DataError."""
    place = Path(f"{path}{SUFFIX}")
    if not place.exists():
        return None
    text = read_bytes(place, most=MOST_BYTES)
    try:
        receipt = Receipt.from_text(text.decode())
    except (DataError, UnicodeDecodeError) as error:
        raise DataError(f"{place}: {error}") from None
    # By content, not by name: a file that was replaced has other classes under the same name.
    if hashlib.sha256(read_bytes(path)).hexdigest() != receipt.sha256:
        raise DataError(
            f"{place}: is the receipt of another file, or {path} was changed after it was "
            "published; restore the file that was published, or remove the receipt"
        )
    return receipt


def read_bytes(path: str | Path, *, most: int | None = None) -> bytes:
    """Return what a file holds, such as a receipt or a key, of at most so many bytes."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror or error}") from None
    if most is not None and len(content) > most:
        raise DataError(f"{path}: longer than {most} bytes")
    return content
