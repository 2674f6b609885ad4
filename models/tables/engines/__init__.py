"""Checking data where they are: the engine groups the rows, and the groups come back.

A privacy model sees nothing of a table but how often each sensitive value occurs in each class. So
a table in DuckDB, behind Ibis, in a folder of Parquet files, or a lazy frame of Polars, Dask or
PySpark need not be read: ``GROUP BY`` the quasi-identifiers and sensitive columns gives the
different rows and how many there are of each, and these are judged like published rows, each with
its weight. The counts are whole numbers, so the verdicts are those of the same rows in memory.

Columns without a role, columns published as they are and people with several rows are judged by
rows: these come back as they are, without identifiers and columns that are dropped.

What a name stands for: a table of a database, a folder of files, or a frame as it is.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import narwhals as nw
import numpy as np

from kproof.errors import DataError, show
from kproof.models.base.arrays import Codes
from kproof.models.base.beside import Beside, Part
from kproof.models.base.classes import Classes
from kproof.models.tables.engines import opening
from kproof.models.tables.engines.folders import is_folder, open_folder
from kproof.models.tables.engines.keys import (
    Schema,
    exact,
    require_apart,
    require_types,
    restore_types,
)
from kproof.models.tables.frames import columns_as_shown, encode_pieces
from kproof.models.tables.published import classes_of_table
from kproof.models.tables.roles import Roles
from kproof.models.tables.table import Table


def is_address(text: str) -> bool:
    """Say whether a text names a table in a database, in an object store or of a lake.

    >>> is_address("duckdb:warehouse.db?table=visits"), is_address("https://example.org/a.csv")
    (True, False)
    """
    if text.startswith((opening.DUCKDB, opening.SQLITE)) or is_folder(text):
        return True
    return "://" in text and urlsplit(text).scheme not in ("", "file", "http", "https")


@contextmanager
def open_source(source: object) -> Iterator[tuple[str, object]]:
    """Open what a name stands for; yield how it is called and its lazy frame."""
    if not isinstance(source, (str, Path)):
        yield "the frame", source
        return
    text = str(source)
    # What is no address is a folder on the disk here: files were told apart before.
    folder = is_folder(text) or not is_address(text)
    with open_folder(text) if folder else opening.open_table(text) as relation:
        yield opening.without_password(text), relation


MOST_ROWS = 2**53
"""Rows are counted exactly below this."""

_ROWS = "kproof rows"

_PIECE = 1_000_000
"""Rows that come back at a time."""


def is_judged_there(source: object) -> bool:
    """Say whether data are judged where they are: a lazy frame, a database, a folder of Parquet.

    >>> is_judged_there("duckdb:warehouse.db?table=visits"), is_judged_there("visits.csv")
    (True, False)
    """
    if isinstance(source, (str, Path)):
        return is_address(str(source)) or Path(source).is_dir()
    return isinstance(nw.from_native(source, pass_through=True), nw.LazyFrame)


def classes_there(source: object, roles: Roles) -> Classes:
    """Return the equivalence classes of published data, grouped by the engine that has them.

    Args:
        source: A lazy frame that Narwhals knows (DuckDB, Ibis, Polars, Dask, PySpark),
            ``duckdb:FILE?table=NAME``, a URL that Ibis connects to with ``?table=NAME``, or a
            folder with Parquet files of the same columns and types.
        roles: Of its columns.

    Raises:
        DataError: If a column is unknown or shows times of a zone; if files differ; or what the
            engine says, on one line.
    """
    with open_source(source) as (name, native):
        schema = _schema_of(name, native, roles)
        if roles.person or roles.other or roles.without(list(schema)):
            # Whose rows are whose, and what a column gives away, is not seen in groups.
            return classes_of_table(_rows_of(name, native, schema, roles))
        keys = roles.encoded
        require_types(name, schema, keys)
        with opening.name_errors(name):
            frame: Any = nw.from_native(exact(name, native, schema, keys))
            _require_one_zero(name, frame, [key for key in keys if key not in roles.secrets])
            groups = frame.group_by(*keys).agg(nw.len().alias(_ROWS))
        weights: list[Codes] = []

        def pieces() -> Iterator[Any]:
            for piece in _stream(name, groups):
                # In the order in which encode_pieces takes the pieces: a weight is found by
                # the place of its row.
                weights.append(piece[_ROWS].to_numpy().astype(np.int64))
                yield restore_types(name, piece.drop_columns(_ROWS), schema, keys)

        published_roles = replace(roles, identifiers=(), drop=())
        with opening.name_errors(name):
            distinct = encode_pieces(pieces(), published_roles)
    weight = np.concatenate([np.zeros(0, dtype=np.int64), *weights])
    # Added as floats, which do not wrap around where the sum of the counts would.
    if float(weight.sum(dtype=np.float64)) >= MOST_ROWS:
        raise DataError(f"{name}: has {MOST_ROWS:,} rows or more")
    classes = classes_of_table(Table.of(published_roles, distinct))
    parts = {Part.IDENTIFIER: roles.identifiers, Part.DROPPED: roles.drop}
    beside = (Beside(column, part) for part, columns in parts.items() for column in columns)
    return replace(classes, weight=weight, beside=(*classes.beside, *beside))


def _require_one_zero(name: str, frame: Any, keys: Sequence[str]) -> None:
    """Refuse -0.0 among what is grouped: to an engine it is 0.0, and a reader sees the sign."""
    floats = [key for key in keys if frame.collect_schema()[key].is_float()]
    for key in floats:
        column = nw.col(key)
        # By its text, as -0.0 equals 0 in every comparison.
        signed = (column == 0) & column.cast(nw.String).str.starts_with("-")
        if len(frame.filter(signed).select(key).head(1).collect()):
            raise DataError(
                f"{name}, column {show(key)}: has -0.0, which the engine takes for 0.0; make it a "
                "text"
            )


def _stream(name: str, lazy: Any) -> Iterator[Any]:
    """Yield rows as PyArrow tables, a million at a time where the engine can."""
    import pyarrow as pa

    native = nw.to_native(lazy)
    if (how := type(native).__module__.partition(".")[0]) in ("duckdb", "_duckdb"):
        reader = native.fetch_arrow_reader(_PIECE)
    elif how == "ibis":
        reader = native.to_pyarrow_batches(chunk_size=_PIECE)
    else:
        rows = lazy.collect(backend="pyarrow").to_native()
        for column in rows.schema:
            # Only the engines above are asked for bytes: these were objects of Python, and to
            # PyArrow b"a" and "a" are the same bytes.
            if pa.types.is_binary(column.type):
                raise DataError(f"{name}, column {show(column.name)}: holds bytes; make them texts")
        yield rows
        return
    # Without a batch there would be no columns, and nobody could say which types they have.
    yield reader.schema.empty_table()
    for batch in reader:
        yield pa.Table.from_batches([batch])


def rows_there(source: object, roles: Roles) -> Table:
    """Return published rows of an engine, all columns but identifiers and what is dropped.

    Args:
        source, roles: As for :func:`classes_there`.

    Raises:
        DataError: As :func:`classes_there`.
    """
    with open_source(source) as (name, native):
        return _rows_of(name, native, _schema_of(name, native, roles), roles)


def _rows_of(name: str, native: object, schema: Schema, roles: Roles) -> Table:
    import pyarrow as pa

    # They do not even leave the engine.
    unpublished = {*roles.identifiers, *roles.drop}
    columns = [column for column in schema if column not in unpublished]
    require_types(name, schema, columns)
    published_roles = replace(roles, identifiers=(), drop=())
    with opening.name_errors(name):
        frame: Any = nw.from_native(exact(name, native, schema, columns))
        whole = pa.concat_tables(_stream(name, frame.select(*columns)))
        encoded = columns_as_shown(restore_types(name, whole, schema, columns), published_roles)
    return Table.of(roles, encoded)


def _schema_of(name: str, native: Any, roles: Roles) -> Schema:
    lazy: Any = nw.from_native(native)
    assert isinstance(lazy, nw.LazyFrame)
    with opening.name_errors(name):
        schema = dict(lazy.collect_schema())
    roles.find(list(schema))
    # Whether two columns are told apart is the engine's affair; our own name has to be free.
    for column in schema:
        require_apart(name, [column], _ROWS)
    return schema
