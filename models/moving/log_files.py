"""Cloaked logs on disk: a CSV file with a row for each record and slot, and the terms above it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from kproof.errors import DataError, InvalidArgument, show
from kproof.models.base.parameters import Exact, Parameter
from kproof.models.moving.labels import labels_of, name
from kproof.models.moving.release import CloakedLog
from kproof.models.moving.rules import AGE, DEADLINE, SESSION, WIDEST, K

_FIRST = "# kproof cloaked log 1"
_COLUMNS = ("record", "slot", "cell")

SNAP = Exact(
    "snap", "longest way of a position to its crossing", default=500, least=0, unit="metres"
)

_UNITS = {"s": 1, "min": 60, "h": 3600, "d": 86_400}


@dataclass(frozen=True)
class Period(Parameter[int]):
    """A length of time in whole seconds, typed with a unit.

    >>> PERIOD.read("15min"), PERIOD.read(900), PERIOD.read("2h")
    (900, 900, 7200)
    >>> PERIOD.read("soon")
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: period = soon: need seconds, or a number with s, min, h or d
    """

    def read(self, value: object) -> int:
        """Return the seconds that were typed, at least one."""
        text = str(value).strip()
        digits = text.rstrip("abcdefghijklmnopqrstuvwxyz")
        scale = _UNITS.get(text[len(digits) :].strip() or "s")
        count = digits.strip()
        if scale is None or not (count.isascii() and count.isdigit()) or not 0 < int(count) < 10**9:
            raise InvalidArgument(self.name, value, self.range)
        return int(count) * scale

    @property
    def range(self) -> str:
        """How it is typed."""
        return "seconds, or a number with s, min, h or d"


PERIOD = Period("period", "length of a slot of the clock", default="15min", example="15min")


@dataclass(frozen=True)
class Terms:
    """What a cloaked log was made with; its first line says it."""

    period: int
    """Seconds of a slot."""
    age: int = 0
    """Most slots that a position is used after its own."""
    snap: Fraction | None = None
    """Metres from a crossing beyond which a position does not count; None if all count."""
    k: int | None = None
    """Fewest people who share a record; None if nothing is promised."""
    session: int | None = None
    """Most slots of a record."""
    widest: Fraction | None = None
    """Longest side in metres of a cell that is shown."""
    deadline: int | None = None
    """Most slots that somebody waits."""
    cells: str | None = None
    """SHA-256 of the file of cells; None if it does not say which they are."""

    @property
    def line(self) -> str:
        """The first line of a file."""
        values = ((field.name, getattr(self, field.name)) for field in fields(self))
        return "; ".join(
            [_FIRST, *(f"{key}={value}" for key, value in values if value is not None)]
        )

    @classmethod
    def of(cls, line: str, place: str) -> Terms:
        """Read the first line of a file."""
        pairs = [part.strip().partition("=") for part in line.removeprefix(_FIRST).split(";")[1:]]
        typed = {key: value for key, _, value in pairs}
        unknown = typed.keys() - _READERS.keys() - {"cells"}
        if unknown or "period" not in typed:
            what = show(min(unknown)) if unknown else "no period"
            raise DataError(f"{place}, line 1: {what} among its terms; need a file of kproof")
        try:
            read: dict[str, Any] = {
                key: value if key == "cells" else _READERS[key].read(value)
                for key, value in typed.items()
            }
        except InvalidArgument as error:
            raise DataError(f"{place}, line 1: {error}") from None
        return cls(**read)

    def but(self, **typed: object) -> Terms:
        """Return the terms with what was said beside the file, where it says nothing of it.

        Raises:
            InvalidArgument: If it says otherwise.
        """
        changed = {}
        for key, value in typed.items():
            if value is None:
                continue
            read, there = _READERS[key].read(value), getattr(self, key)
            if self.cells is not None and there not in (None, read):
                raise InvalidArgument(key, value, f"{there}, as the file says, or nothing")
            changed[key] = read
        return replace(self, **changed)


_READERS: Mapping[str, Parameter[Any]] = {
    "period": PERIOD,
    "age": AGE,
    "snap": SNAP,
    "k": K,
    "session": SESSION,
    "widest": WIDEST,
    "deadline": DEADLINE,
}


@dataclass(frozen=True, eq=False)
class CloakedFile:
    """A cloaked log, and the file that it is in."""

    release: CloakedLog
    """Its rows."""
    terms: Terms
    """What it was made with, as its first line says or whoever judges it."""
    digest: str
    """SHA-256 of its bytes, in hexadecimal digits."""
    place: str
    """What messages call it."""


def cloaked_csv(release: CloakedLog, terms: Terms) -> str:
    """Return a cloaked log as CSV, its terms in a comment above the names of the columns."""
    words = {label: name(label) for label in np.unique(release.label).tolist()}
    times = {
        slot: f"{datetime.fromtimestamp(slot * terms.period, UTC):%Y-%m-%dT%H:%M:%SZ}"
        for slot in np.unique(release.slot).tolist()
    }
    columns = zip(
        release.record.tolist(), release.slot.tolist(), release.label.tolist(), strict=True
    )
    rows = [f"{record},{times[slot]},{words[label]}\n" for record, slot, label in columns]
    return "".join([f"{terms.line}\n", f"{','.join(_COLUMNS)}\n", *rows])


def read_cloaked(path: str | Path, **typed: object) -> CloakedFile:
    """Read a cloaked log: columns record (a whole number), slot (a time) and cell (a name).

    Args:
        path: A CSV file, whoever made it.
        typed: Terms that its first line does not say: period, age, snap, k.

    Raises:
        DataError: If it cannot be read, or a row is no such row; it names the line.
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from None
    return cloaked_in(data, str(path), **typed)


def cloaked_in(data: bytes, place: str, **typed: object) -> CloakedFile:
    """Return the cloaked log of a file of these bytes."""
    try:
        lines = data.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise DataError(f"{place}: is no text in UTF-8") from None
    if lines and lines[0].startswith(_FIRST):
        terms = Terms.of(lines[0], place).but(**typed)
        first = 1
    else:
        if typed.get("period") is None:
            raise InvalidArgument("period", None, f"the length of a slot, as {place} has no terms")
        terms, first = Terms(1).but(**typed), 0
    if len(lines) <= first or tuple(lines[first].replace(" ", "").split(",")) != _COLUMNS:
        raise DataError(f"{place}, line {first + 1}: need the columns {','.join(_COLUMNS)}")
    rows = [line.split(",") for line in lines[first + 1 :]]
    numbers = range(first + 2, len(lines) + 1)
    for number, row in zip(numbers, rows, strict=True):
        if len(row) != len(_COLUMNS):
            raise DataError(f"{place}, line {number}: {len(row)} cells; need {len(_COLUMNS)}")
    records, slots, cells = ([row[column].strip() for row in rows] for column in range(3))
    slot = np.array(_slots(slots, terms.period, place, numbers), dtype=np.int64)
    record = np.array(_records(records, place, numbers), dtype=np.int64)
    try:
        release = CloakedLog.of(record, slot, labels_of(cells, place, numbers))
    except DataError as error:
        raise DataError(f"{place}: {error}" if place not in str(error) else str(error)) from None
    return CloakedFile(release, terms, sha256(data).hexdigest(), place)


def _records(cells: Sequence[str], place: str, numbers: Sequence[int]) -> list[int]:
    for number, cell in zip(numbers, cells, strict=True):
        if not (cell.isascii() and cell.isdigit() and len(cell) < 19):
            raise DataError(f"{place}, line {number}: record is {show(cell)}; need a whole number")
    return [int(cell) for cell in cells]


def _slots(cells: Sequence[str], period: int, place: str, numbers: Sequence[int]) -> list[int]:
    read: dict[str, int] = {}
    slots = []
    for number, cell in zip(numbers, cells, strict=True):
        slot = read.get(cell)
        if slot is None:
            try:
                time = datetime.fromisoformat(cell)
            except ValueError:
                need = "a time such as 2008-06-08T08:15:00Z"
                raise DataError(
                    f"{place}, line {number}: slot is {show(cell)}; need {need}"
                ) from None
            zoned = time if time.tzinfo else time.replace(tzinfo=UTC)
            slot = read[cell] = int(zoned.timestamp()) // period
        slots.append(slot)
    return slots
