"""Parquet files: decoded in a process of their own, as Arrow tables and as tables of text."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import date, datetime, time
from typing import Any

from kproof.datasets.limits import Allowance, decode_apart, require_columns, require_length
from kproof.errors import DataError, show

_BATCH = 100_000
"""Cells decoded at a time."""


def is_parquet(path: str) -> bool:
    """Say whether a file is read as Parquet, by its ending.

    >>> is_parquet("patients.PARQUET"), is_parquet("patients.csv")
    (True, False)
    """
    return path.lower().endswith((".parquet", ".pq"))


def names_of_parquet(path: str) -> list[str]:
    """Return the names of the columns; what fails becomes a DataError.

    A column whose cells are lists or records is refused: no role says what they tell.
    """
    with _parquet_reader() as parquet:
        return list(_schema(parquet, path).names)


def table_of_parquet(path: str) -> Any:
    """Return the rows as a table of Arrow, texts as codes of a dictionary."""
    import pyarrow as pa

    schema, *batches = _stream(path)
    return pa.Table.from_batches(batches, schema)


def rows_of_parquet(path: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the names of the columns as row 1, and then each row, as a CSV file would have them."""
    stream = _stream(path)
    yield 1, list(next(stream).names)
    rows = (
        list(cells) for batch in stream for cells in zip(*map(_cells, batch.columns), strict=True)
    )
    yield from enumerate(rows, 2)


@contextmanager
def _parquet_reader() -> Iterator[Any]:
    """Give what reads Parquet; every way in which that fails becomes a DataError."""
    from pyarrow import ArrowException, parquet

    try:
        yield parquet
    except MemoryError:
        # Arrow's MemoryError is an ArrowException as well. It must end this process, which is then
        # told as a file that asks for too much and not as no Parquet file.
        raise
    except (OSError, ArrowException) as error:
        reason = getattr(error, "strerror", None) or "not a Parquet file"
        raise DataError(f"cannot be read: {reason}") from None


def _schema(parquet: Any, path: str) -> Any:
    from pyarrow import types

    with open(path, "rb") as file:
        schema = parquet.read_schema(file)
    if not schema.names:
        raise DataError("it has no columns")
    require_columns(len(schema))
    for column in schema:
        if types.is_nested(column.type):
            raise DataError(
                f"column {show(column.name)} holds {column.type}; make it a number, a text, "
                "a date or a time without a zone"
            )
    return schema


def _stream(path: str) -> Iterator[Any]:
    """Yield the schema of what is decoded apart, then its batches."""
    with decode_apart(__name__, path) as output:
        from pyarrow import ArrowException, ipc

        # A stream that ends too early is no reason: that comes next.
        with suppress(ArrowException, OSError):
            batches = ipc.open_stream(output)
            yield batches.schema
            yield from batches


def require_size(path: str, about: Any) -> None:
    """Refuse a file by what its own metadata say of it, before anything is allocated."""
    groups = map(about.row_group, range(about.num_row_groups))
    unpacked = sum(group.total_byte_size for group in groups)
    Allowance.of(path, f"{path}: ").count(
        cells=about.num_rows * about.num_columns, decoded=unpacked
    )


def decode(path: str) -> None:
    """Write the rows to standard output as Arrow streams them.

    What the file says of its size is counted first, then what is read of it: it may lie.
    """
    import pyarrow as pa

    with _parquet_reader() as parquet:
        fields = _schema(parquet, path)
        coded = pa.dictionary(pa.int32(), pa.large_string())
        schema = pa.schema(
            (field.name, coded if _of_texts(field.type) else field.type) for field in fields
        )
        about = parquet.read_metadata(path)
        require_size(path, about)
        groups = [about.row_group(number) for number in range(about.num_row_groups)]
        allowance = Allowance.of(path)
        coders = [
            _Coder(field.name, allowance) if field.type == coded else None for field in schema
        ]
        # Of texts that are written as what differs from the one before PyArrow keeps no dictionary.
        dictionary_names = [
            name
            for place, (name, coder) in enumerate(zip(schema.names, coders, strict=True))
            if coder and "DELTA" not in str([group.column(place).encodings for group in groups])
        ]
        file, rows = parquet.ParquetFile(path, read_dictionary=dictionary_names), 0
        with pa.ipc.new_stream(sys.stdout.buffer, schema) as stream:
            for batch in file.iter_batches(max(1, _BATCH // len(schema)), use_threads=False):
                allowance.count(cells=batch.num_rows * len(schema))
                columns = []
                for coder, column in zip(coders, batch.columns, strict=True):
                    if coder is None:
                        allowance.count(decoded=column.nbytes)
                    columns.append(coder.code(column) if coder else column)
                stream.write_batch(pa.record_batch(columns, schema))
                rows += batch.num_rows
        if rows != about.num_rows:
            raise DataError(f"it says {about.num_rows:,} rows and has {rows:,}; it may be damaged")


def _of_texts(kind: Any) -> bool:
    return str(getattr(kind, "value_type", kind)) in {"string", "large_string", "string_view"}


class _Coder:
    """Makes codes of a column of texts, and counts a dictionary of them once."""

    def __init__(self, name: str, allowance: Allowance) -> None:
        self._name, self._allowance = name, allowance
        self._latest: Any = None
        self._texts: Any = None

    def code(self, column: Any) -> Any:
        """Return the texts of a batch as codes, if none is too long."""
        import pyarrow as pa
        from pyarrow import compute

        if not pa.types.is_dictionary(column.type):
            column = column.dictionary_encode()
        if self._latest is None or not column.dictionary.equals(self._latest):
            self._latest = column.dictionary
            self._allowance.count(decoded=self._latest.nbytes)
            self._texts = self._latest.cast(pa.large_string())
            # None if the dictionary is empty, as in a column without any values.
            longest = compute.max(compute.utf8_length(self._texts)).as_py() or 0
            require_length(longest, f"column {show(self._name)}")
        return pa.DictionaryArray.from_arrays(column.indices.cast(pa.int32()), self._texts)


def _cells(column: Any) -> list[str]:
    """Return the cells of a column as texts; equal ones of a dictionary are one object."""
    from pyarrow import types

    if not types.is_dictionary(column.type):
        return list(map(_text, column.to_pylist()))
    # A missing cell has code -1 below, which picks this last text.
    texts = [*map(_text, column.dictionary.to_pylist()), ""]
    return [texts[code] for code in column.indices.fill_null(-1).to_pylist()]


def _text(cell: object) -> str:
    # NaN alone differs from itself; libraries write it where nothing was recorded.
    if cell is None or cell != cell:
        return ""
    if isinstance(cell, datetime):
        return cell.isoformat(sep=" ")
    return cell.isoformat() if isinstance(cell, (date, time)) else str(cell)
