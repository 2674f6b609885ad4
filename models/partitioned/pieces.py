"""Parquet files in pieces that a process can hold, and what values their columns have together."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from kproof.errors import DataError, show
from kproof.models.base.arrays import Codes, Ranks
from kproof.models.base.columns import Column
from kproof.models.tables import encoding
from kproof.models.tables.engines.folders import parquet_files, require_alike
from kproof.models.tables.engines.keys import require_types
from kproof.models.tables.frames import codes_of_frame
from kproof.models.tables.roles import Encoded, Roles
from kproof.models.tables.table import Table

# Codes of rows, shape (rows, columns).
Rows = Ranks

ROWS = 1 << 20
"""Rows of a piece, unless a row group has more."""


@dataclass(frozen=True)
class Piece:
    """Some row groups of a Parquet file."""

    file: str
    groups: tuple[int, ...]
    rows: int
    """Its path, the numbers of the groups, and how many rows they have."""


@dataclass(frozen=True)
class PieceValues:
    """By column of a piece its different values, and the rows without one."""

    values: Mapping[str, tuple[object, ...]]
    missing: Mapping[str, int]


@dataclass(frozen=True, eq=False)
class Domain:
    """The columns of a table without its rows: what values there are, and in which order."""

    template: Table
    """A table of no rows, whose columns have every value."""
    roles: Roles
    """Of its columns."""
    codes: Mapping[str, Mapping[object, int]]
    """By column, the code of each value as files have it."""
    missing: Mapping[str, int]
    """Rows of each column without a value."""

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns that are read, quasi-identifiers first."""
        return (*self.template.quasi_identifiers, *self.template.secrets)

    def table(self, codes: Rows) -> Table:
        """Return the table of rows whose codes are those that :meth:`encode` returns."""
        split = len(self.template.quasi_identifiers)
        columns = [
            replace(column, codes=np.ascontiguousarray(codes[:, place]))
            for place, column in enumerate(self.columns)
        ]
        return self.template.with_columns(columns[:split], columns[split:], rows=len(codes))

    def encode(self, piece: Piece) -> Rows:
        """Return the codes of the rows of a piece, shape (rows, columns)."""
        read = _read(piece, self.roles)
        rows = np.empty((piece.rows, len(self.columns)), dtype=np.int32)
        for place, column in enumerate(self.columns):
            codes, values = read[column.name]
            numbers = self.codes[column.name]
            # Missing cells have code -1, which reads the last entry: that of the gap.
            gap = -1 if column.missing is None else column.missing
            rows[:, place] = np.array([*map(numbers.__getitem__, values), gap], np.int32)[codes]
        return rows


def pieces_of(source: str | Path, roles: Roles) -> tuple[Piece, ...]:
    """Return the pieces of a Parquet file, or of a folder of such files.

    All need the same columns of types that are published the same everywhere, each with a role.
    """
    import narwhals as nw
    from pyarrow import parquet

    pieces: list[Piece] = []
    types: dict[str, dict[str, str]] = {}
    files = files_of(source)
    for file in files:
        with name_errors(file):
            opened = parquet.ParquetFile(file)
        with opened:
            schema = opened.schema_arrow
            if not types:
                _require_roles(str(source), schema.names, roles)
                schema_types = dict(nw.from_native(schema.empty_table()).schema)
                require_types(str(source), schema_types, roles.encoded)
            types[file] = {field.name: str(field.type) for field in schema}
            require_alike(files[0], types[files[0]], file, types[file])
            pieces += _row_group_pieces(file, opened.metadata)
    if not sum(piece.rows for piece in pieces):
        raise DataError(f"{source}: the table has no rows")
    return tuple(pieces)


def files_of(source: str | Path) -> tuple[str, ...]:
    """Return the Parquet files of a folder by name, or the one that is named."""
    path = Path(source)
    if path.is_file():
        return (str(path),)
    if not path.is_dir():
        raise DataError(f"{show(str(source))}: no such file or folder")
    return parquet_files(str(source))


def distinct(piece: Piece, roles: Roles) -> PieceValues:
    """Return the different values of the columns of a piece that have a role."""
    columns = _read(piece, roles)
    return PieceValues(
        {name: tuple(uniques) for name, (_, uniques) in columns.items()},
        {name: int(np.count_nonzero(codes < 0)) for name, (codes, _) in columns.items()},
    )


def domain_of(parts: Iterable[PieceValues], roles: Roles) -> Domain:
    """Put the values of all pieces together, in the order in which a table has them."""
    # No sets: values come in the order of the pieces, whatever the hash seed is.
    every: dict[str, dict[object, None]] = {name: {} for name in roles.encoded}
    missing = dict.fromkeys(roles.encoded, 0)
    for part in parts:
        for name, values in part.values.items():
            every[name].update(dict.fromkeys(values))
            missing[name] += part.missing[name]
    columns, codes = {}, {}
    for name, uniques in every.items():
        values = tuple(uniques)
        gap = [-1] if missing[name] else []
        rows = np.array([*range(len(values)), *gap], dtype=np.int64)
        column = encoding.encode(name, rows, values, numeric=roles.is_numeric(name))
        # Not strict: a gap has one code more, at the end, and no value in files.
        codes[name] = dict(zip(values, column.codes.tolist(), strict=False))
        columns[name] = replace(column, codes=np.zeros(0, dtype=np.int32))
    # A table of a row, for the sake of what is looked at when one is put together.
    template = replace(Table.of(roles, Encoded(1, columns)), rows=0)
    return Domain(template, roles, codes, missing)


def _read(piece: Piece, roles: Roles) -> dict[str, tuple[Codes, list[object]]]:
    """Return codes (-1 for missing) and different values of the columns of a piece."""
    from pyarrow import parquet

    with name_errors(piece.file), parquet.ParquetFile(piece.file) as opened:
        frame = opened.read_row_groups(list(piece.groups), columns=list(roles.encoded))
    return codes_of_frame(frame, replace(roles, identifiers=(), drop=()))


@contextmanager
def name_errors(file: str) -> Iterator[None]:
    """Say in one line what is wrong with a Parquet file."""
    from pyarrow import ArrowException

    try:
        yield
    except (OSError, ArrowException) as error:
        reason = getattr(error, "strerror", None) or "not a whole Parquet file"
        raise DataError(f"{file}: cannot be read: {reason}") from None


def _row_group_pieces(file: str, metadata: Any) -> Iterator[Piece]:
    """Yield pieces of a file: row groups together up to :data:`ROWS` rows."""
    groups: list[int] = []
    rows = 0
    for group in range(metadata.num_row_groups):
        size = metadata.row_group(group).num_rows
        # A row group is read whole: one that has more by itself is a piece all the same.
        if groups and rows + size > ROWS:
            yield Piece(file, tuple(groups), rows)
            groups, rows = [], 0
        if size:
            groups.append(group)
            rows += size
    if groups:
        yield Piece(file, tuple(groups), rows)


def _require_roles(source: str, names: Sequence[str], roles: Roles) -> None:
    roles.find(names, f"{source}: ")
    assigned = {*roles.encoded, *roles.identifiers, *roles.drop}
    if silent := [name for name in names if name not in assigned]:
        raise DataError(
            f"{source}: columns without a role: {', '.join(map(show, silent))}; in a folder say "
            "of each what it is: identifiers or drop"
        )
