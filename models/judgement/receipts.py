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
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from kproof.errors import DataError, shown
from kproof.models.judgement.publication import Knowledge, Publication, PublishedColumn
from kproof.models.tables.release import plain_parameter
from kproof.outputs import write_text

SUFFIX = ".kproof.json"
"""What the name of a receipt has after that of its file."""

VERSION = 1
"""Of the form of a receipt."""

MOST_BYTES = 1 << 28
"""The longest receipt that is read."""

SHORTEST_KEY = 16
"""Bytes of a key; a shorter one is found by trying."""

_DIGEST = re.compile("[0-9a-f]{64}")

Label = tuple[str | None, ...]
"""What a class shows of each known column, in the order of the file; None for an empty cell."""


@dataclass(frozen=True)
class Receipt:
    """What was published, without its rows.

    Examples
    --------
    >>> columns = (
    ...     PublishedColumn("age", Knowledge.KNOWN, np.array([0, 0]), ("[20-29]",)),
    ...     PublishedColumn("ill", Knowledge.SECRET, np.array([0, 1]), ("flu", "cold")),
    ... )
    >>> receipt = Receipt.of(
    ...     Publication(columns, person=np.array([0, 1])), sha256="0" * 64, day="2026-01-31",
    ...     key=b"sixteen bytes or", names=("ann", "bob"),
    ... )
    >>> receipt.classes, receipt.class_of("ann", key=b"sixteen bytes or")
    ((('[20-29]',),), (0,))
    >>> Receipt.from_text(receipt.to_text()) == receipt
    True
    """

    sha256: str
    """Of the file."""
    day: str
    """On which it was published, such as 2026-01-31."""
    columns: Mapping[str, Knowledge]
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
    people: Mapping[str, tuple[int, ...]] | None = field(default=None, repr=False)
    """By keyed digest of a person the class of each of her rows; None if nobody is followed."""

    @classmethod
    def of(
        cls,
        publication: Publication,
        *,
        sha256: str,
        day: str,
        key: bytes | None = None,
        names: Sequence[str] = (),
    ) -> Receipt:
        """Return the receipt of a publication.

        Parameters
        ----------
        publication
            As it leaves.
        sha256
            Of its file.
        day
            On which it leaves.
        key
            For digests of people; None to follow nobody.
        names
            The text that stands for each person in the column of the source that says whom rows
            are about.

        Raises
        ------
        DataError
            If the key is short, or people lack names.
        """
        class_of, count = publication.classes
        first = np.unique(class_of, return_index=True)[1][:count]
        written = [[*column.texts, None] for column in publication.known]
        labels = tuple(
            tuple(
                texts[column.codes[row]]
                for texts, column in zip(written, publication.known, strict=True)
            )
            for row in first.tolist()
        )
        people: dict[str, tuple[int, ...]] | None = None
        if key is not None:
            if len(names) <= int(publication.persons.max(initial=-1)):
                raise DataError("a receipt follows people by a column that says whom rows are about")
            people = {}
            for person, index in zip(publication.persons.tolist(), class_of.tolist(), strict=True):
                if person >= 0:
                    digest = digest_of(names[person], key=key)
                    people[digest] = (*people.get(digest, ()), index)
            # In the order of digests, which is no order of people.
            people = dict(sorted(people.items()))
        making = publication.making
        parameters = {} if making is None else plain_parameter(dict(making.parameters))
        return cls(
            sha256=sha256,
            day=day,
            columns={column.name: column.knowledge for column in publication.columns},
            method="" if making is None else making.method,
            parameters=parameters if isinstance(parameters, dict) else {},
            permuted=making is not None and making.permuted,
            from_known_alone=making is not None and making.from_known_alone,
            classes=labels,
            people=people,
        )

    @property
    def known(self) -> tuple[str, ...]:
        """Columns that an adversary is taken to know, in the order of labels."""
        return tuple(
            name for name, knowledge in self.columns.items() if knowledge is not Knowledge.SECRET
        )

    def class_of(self, name: str, *, key: bytes) -> tuple[int, ...]:
        """Return the classes of a person's rows; none for somebody who is not in it."""
        return (self.people or {}).get(digest_of(name, key=key), ())

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form; labels and digests, no rows and no names."""
        return {
            "schema": VERSION,
            "document": "receipt",
            "sha256": self.sha256,
            "day": self.day,
            "columns": {name: knowledge.value for name, knowledge in self.columns.items()},
            "method": self.method,
            "parameters": dict(self.parameters),
            "permuted": self.permuted,
            "from_known_alone": self.from_known_alone,
            "classes": [list(label) for label in self.classes],
            "people": None
            if self.people is None
            else {digest: list(classes) for digest, classes in self.people.items()},
        }

    def to_text(self) -> str:
        """Return what its file holds."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1) + "\n"

    def write(self, path: str | Path) -> Path:
        """Write it beside the file that it is of, and return where.

        Inside :func:`kproof.outputs.together` both take their places, or neither.
        """
        place = Path(f"{path}{SUFFIX}")
        write_text(place, self.to_text())
        return place

    @classmethod
    def from_text(cls, text: str) -> Receipt:
        """Read a receipt; every field of it is checked.

        Raises
        ------
        DataError
            If it is none, or of another version; names the field.

        Examples
        --------
        >>> Receipt.from_text("{}")
        Traceback (most recent call last):
            ...
        kproof.errors.DataError: receipt: need the fields schema, document, sha256, day, columns, \
method, parameters, permuted, from_known_alone, classes, people and no others
        """
        try:
            fields: Any = json.loads(text)
        except (ValueError, RecursionError):
            raise DataError("receipt: not JSON") from None
        if not isinstance(fields, dict) or set(fields) != set(_CHECKS):
            raise DataError(f"receipt: need the fields {', '.join(_CHECKS)} and no others")
        for name, (check, need) in _CHECKS.items():
            if not check(fields[name]):
                raise DataError(f"receipt: {name} = {shown(fields[name])}: need {need}")
        columns = {name: Knowledge(value) for name, value in fields["columns"].items()}
        receipt = cls(
            **{name: fields[name] for name in _TAKEN},
            columns=columns,
            classes=tuple(tuple(label) for label in fields["classes"]),
            people=fields["people"]
            and {digest: tuple(classes) for digest, classes in fields["people"].items()},
        )
        if any(len(label) != len(receipt.known) for label in receipt.classes):
            raise DataError("receipt: classes: need a label for each known column in each class")
        every = (index for classes in (receipt.people or {}).values() for index in classes)
        if any(not 0 <= index < len(receipt.classes) for index in every):
            raise DataError("receipt: people: need numbers of classes")
        return receipt


def _are_people(value: object) -> bool:
    return value is None or (
        isinstance(value, dict)
        and all(
            _DIGEST.fullmatch(digest)
            and isinstance(classes, list)
            and all(type(index) is int for index in classes)
            for digest, classes in value.items()
        )
    )


def _is_day(value: object) -> bool:
    try:
        return isinstance(value, str) and date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False


_CHECKS: dict[str, tuple[Any, str]] = {
    "schema": (lambda value: type(value) is int and value == VERSION, f"{VERSION}"),
    "document": (lambda value: value == "receipt", "receipt"),
    "sha256": (
        lambda value: isinstance(value, str) and _DIGEST.fullmatch(value),
        "64 digits from 0 to f",
    ),
    "day": (_is_day, "a day such as 2026-01-31"),
    "columns": (
        lambda value: isinstance(value, dict)
        and all(one in [*Knowledge] for one in value.values()),
        f"names of columns with {', '.join(Knowledge)}",
    ),
    "method": (lambda value: isinstance(value, str), "a name"),
    "parameters": (lambda value: isinstance(value, dict), "values by name"),
    "permuted": (lambda value: isinstance(value, bool), "true or false"),
    "from_known_alone": (lambda value: isinstance(value, bool), "true or false"),
    "classes": (
        lambda value: isinstance(value, list)
        and all(
            isinstance(label, list)
            and all(text is None or isinstance(text, str) for text in label)
            for label in value
        ),
        "a list of labels for each class",
    ),
    "people": (_are_people, "classes by digest, or null"),
}
_TAKEN = ("sha256", "day", "method", "parameters", "permuted", "from_known_alone")


def digest_of(name: str, *, key: bytes) -> str:
    """Return the keyed digest that stands for a person.

    Raises
    ------
    DataError
        If the key is short.

    Examples
    --------
    >>> digest_of("ann", key=b"sixteen bytes or")[:8]
    '0a7f6cae'
    """
    if len(key) < SHORTEST_KEY:
        raise DataError(f"a key of {len(key)} bytes is found by trying; need {SHORTEST_KEY}")
    return hmac.new(key, name.encode(), hashlib.sha256).hexdigest()


def receipt_beside(path: str | Path) -> Receipt | None:
    """Return the receipt that stands beside a file, or None if there is none.

    Raises
    ------
    DataError
        If it cannot be read, or is of another file.
    """
    place = Path(f"{path}{SUFFIX}")
    if not place.exists():
        return None
    try:
        if place.stat().st_size > MOST_BYTES:
            raise DataError(f"{place}: longer than {MOST_BYTES} bytes; no receipt is")
        receipt = Receipt.from_text(place.read_text(encoding="utf-8"))
    except DataError as error:
        raise DataError(f"{place}: {error}") from None
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8"
        raise DataError(f"{place}: cannot be read: {reason}") from None
    if sha256_of(path) != receipt.sha256:
        raise DataError(
            f"{place}: is the receipt of another file, or {path} was changed after it was "
            "published; restore the file that was published, or remove the receipt"
        )
    return receipt


def registered_beside(data: str | Path, columns: Collection[str]) -> tuple[str, ...]:
    """Return releases in the folder of a file that have a receipt and share a column with it.

    A receipt without its release is passed over: what is gone from the folder has to be named.
    """
    folder = Path(data).parent
    if not Path(data).is_file():
        return ()
    names = []
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        release = path.with_name(path.name.removesuffix(SUFFIX))
        receipt = receipt_beside(release) if release.is_file() else None
        if receipt is not None and not receipt.columns.keys().isdisjoint(columns):
            names.append(str(release))
    return tuple(names)


def sha256_of(path: str | Path) -> str:
    """Return the SHA-256 of a file.

    Raises
    ------
    DataError
        If it cannot be read.
    """
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror or error}") from None


def read_key(path: str | Path) -> bytes:
    """Read the key that digests of people are made with.

    Raises
    ------
    DataError
        If it cannot be read, or is short.
    """
    try:
        key = Path(path).read_bytes().strip()
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror or error}") from None
    digest_of("", key=key)
    return key
