"""Parquet files: opened with errors in our words, and as tables of text."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, time
from typing import Any

from kproof.errors import DataError, show


def is_parquet(path: str) -> bool:
    """Say whether a file is read as Parquet, by its ending.

    >>> is_parquet("patients.PARQUET"), is_parquet("patients.csv")
    (True, False)
    """
    return path.lower().endswith((".parquet", ".pq"))


MOST_COLUMNS = 16_384
"""As many as a spreadsheet has. Nobody judges more, and each has to be given a part."""

LIMITS = {"cells": (100_000_000, 100), "bytes": (10_000_000, 1_000)}
"""How much a file may stand for however small it is, and for each of its bytes: what stands for
more is repetition, and takes gigabytes once it is read."""


def _require_size(path: str, parquet: Any, file: Any) -> None:
    """Refuse what a few bytes say is a table that no memory holds, before anything is allocated."""
    metadata = parquet.read_metadata(file)
    if metadata.num_columns > MOST_COLUMNS:
        raise DataError(f"{metadata.num_columns:,} columns; need at most {MOST_COLUMNS:,}")
    groups = map(metadata.row_group, range(metadata.num_row_groups))
    unpacked = sum(group.total_byte_size for group in groups)
    stands_for = {"cells": metadata.num_rows * metadata.num_columns, "bytes": unpacked}
    size = os.path.getsize(path)
    for what, (always, per_byte) in LIMITS.items():
        if stands_for[what] > max(always, per_byte * size):
            raise DataError(
                f"{stands_for[what]:,} {what} in a file of {size:,} bytes; write it anew from the "
                "data, or take fewer rows"
            )


@contextmanager
def open_parquet(path: str) -> Iterator[tuple[Any, Any]]:
    """Give what reads Parquet, and the file; every way in which that fails becomes a DataError.

    A column whose cells are lists or records is refused: no role says what they tell.
    """
    from pyarrow import ArrowException, parquet, types

    try:
        with open(path, "rb") as file:
            for column in parquet.read_schema(file):
                if types.is_nested(column.type):
                    raise DataError(
                        f"column {show(column.name)} holds {column.type}; make it a number, a text,"
                        " a date or a time without a zone"
                    )
            _require_size(path, parquet, file)
            file.seek(0)
            yield parquet, file
    except (OSError, ArrowException) as error:
        reason = getattr(error, "strerror", None) or "not a Parquet file"
        raise DataError(f"cannot be read: {reason}") from None


def rows_of_parquet(path: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the names of the columns as row 1, and then each row, as a CSV file would have them."""
    try:
        with open_parquet(path) as (parquet, file):
            contents = parquet.ParquetFile(file)
            yield 1, list(contents.schema_arrow.names)
            rows = (
                list(cells)
                for batch in contents.iter_batches()
                for cells in zip(
                    *(map(_text, column.to_pylist()) for column in batch.columns), strict=True
                )
            )
            yield from enumerate(rows, 2)
    except DataError as error:
        raise DataError(f"{path}: {error}") from None


def _text(cell: object) -> str:
    if cell is None or cell != cell:
        return ""
    if isinstance(cell, datetime):
        return cell.isoformat(sep=" ")
    return cell.isoformat() if isinstance(cell, (date, time)) else str(cell)
