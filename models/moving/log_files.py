"""Cloaked logs on disk: a CSV file with a row for each record and slot, and the terms above it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import numpy as np

from kproof.errors import DataError, InvalidArgument, show
from kproof.models.moving.labels import labels_of, name
from kproof.models.moving.release import CloakedLog
from kproof.models.moving.terms import FIRST, LogTerms

_COLUMNS = ("record", "slot", "cell")


@dataclass(frozen=True, eq=False)
class CloakedFile:
    """A cloaked log, and the file that it is in."""

    release: CloakedLog
    """Its rows."""
    terms: LogTerms
    """What it was made with, as its first line says or whoever judges it."""
    digest: str
    """SHA-256 of its bytes, in hexadecimal digits."""
    place: str
    """What messages call it."""


def to_cloaked_csv(release: CloakedLog, terms: LogTerms) -> str:
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
    return parse_cloaked(data, str(path), **typed)


def parse_cloaked(data: bytes, place: str, **typed: object) -> CloakedFile:
    """Return the cloaked log of a file of these bytes."""
    try:
        lines = data.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise DataError(f"{place}: is no text in UTF-8") from None
    # The whole of it: version 10 begins like version 1, and may promise what this one cannot judge.
    if lines and lines[0].partition(";")[0].rstrip() == FIRST:
        terms = LogTerms.of(lines[0], place).but(**typed)
        first = 1
    else:
        if typed.get("period") is None:
            raise InvalidArgument("period", None, f"the length of a slot, as {place} has no terms")
        terms, first = LogTerms(1).but(**typed), 0
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
        # An unknown name of a cell is named with the file and its line already.
        raise DataError(f"{place}: {error}" if place not in str(error) else str(error)) from None
    return CloakedFile(release, terms, sha256(data).hexdigest(), place)


def _records(cells: Sequence[str], place: str, numbers: Sequence[int]) -> list[int]:
    for number, cell in zip(numbers, cells, strict=True):
        # 18 digits fit 64 bits; isdigit alone takes signs such as ², which int does not read.
        if not (cell.isascii() and cell.isdigit() and len(cell) < 19):
            raise DataError(f"{place}, line {number}: record is {show(cell)}; need a whole number")
    return [int(cell) for cell in cells]


def _slots(cells: Sequence[str], period: int, place: str, numbers: Sequence[int]) -> list[int]:
    # Few slots have many rows each: a time is read once.
    slot_of: dict[str, int] = {}
    slots = []
    for number, cell in zip(numbers, cells, strict=True):
        if (slot := slot_of.get(cell)) is None:
            try:
                time = datetime.fromisoformat(cell)
            except ValueError:
                need = "a time such as 2008-06-08T08:15:00Z"
                raise DataError(
                    f"{place}, line {number}: slot is {show(cell)}; need {need}"
                ) from None
            zoned = time if time.tzinfo else time.replace(tzinfo=UTC)
            slot, off = divmod(int(zoned.timestamp()), period)
            if off or zoned.microsecond:
                raise DataError(
                    f"{place}, line {number}: slot is {show(cell)}, in the middle of a period of"
                    f" {period} s counted from 1970; need the beginning of one"
                )
            slot_of[cell] = slot
        slots.append(slot)
    return slots
