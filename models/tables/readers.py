"""Tables in: files of all kinds and frames become tables through the same roles.

CSV cells are encoded as they are read, so that a large file costs the memory of its codes. What
means that nobody recorded a value is the same for all of them; it is a value of its own, never a
dropped row.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from itertools import count as counter
from itertools import islice
from pathlib import Path
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from kproof.arguments import ROLES, check_arguments, name_arguments
from kproof.datasets import MISSING_CELLS, Header, Rows, check_encoding, records
from kproof.datasets.parquet import is_parquet, names_of_parquet, table_of_parquet
from kproof.errors import DataError, show, spell
from kproof.models.base.arrays import Codes
from kproof.models.base.classes import Classes
from kproof.models.tables import frames
from kproof.models.tables.decimals import DecimalSign, plain_numbers, require_sign
from kproof.models.tables.encoding import encode, is_number
from kproof.models.tables.engines import classes_there, is_judged_there, rows_there
from kproof.models.tables.published import classes_of_table
from kproof.models.tables.roles import Encoded, RoleOptions, Roles
from kproof.models.tables.table import Table
from kproof.theory.exact.typed import choice

_BATCH = 256
"""Rows held at a time: few enough to be freed before the garbage collector walks them."""


@dataclass(frozen=True)
class FileLayout:
    """How the text of a file is to be read; frames and Parquet files need none of it."""

    header: Header = Header.DETECT
    """Whether the first row names the columns."""
    encoding: str | None = None
    """Of a text file; None for what its byte-order mark says, UTF-8 if it has none."""
    sheet: str | None = None
    """Of a spreadsheet; None if only one has cells."""
    decimal: DecimalSign | None = None
    """What stands before the decimals of a number; None for a point, and to ask if cells look
    otherwise."""

    @classmethod
    def of(
        cls,
        *,
        header: Header | str = Header.DETECT,
        encoding: str | None = None,
        sheet: str | None = None,
        decimal: DecimalSign | str | None = None,
    ) -> FileLayout:
        """Check what a caller says of a file."""
        return cls(
            choice("header", header, Header),
            check_encoding(encoding),
            sheet,
            None if decimal is None else choice("decimal", decimal, DecimalSign),
        )

    def records(
        self, source: str | Path
    ) -> AbstractContextManager[tuple[str, tuple[str, ...], Rows]]:
        """Open a file as :func:`kproof.datasets.records` does."""
        return records(source, self.header, encoding=self.encoding, sheet=self.sheet)


_LAYOUT = ("header", "encoding", "sheet", "decimal")

AS_FOUND = FileLayout()
"""A file that says by itself how it is to be read."""


@check_arguments(**ROLES)
def read_table(
    source: object,
    *,
    header: Header | str = Header.DETECT,
    encoding: str | None = None,
    sheet: str | None = None,
    decimal: DecimalSign | str | None = None,
    **roles: Unpack[RoleOptions],
) -> Table:
    """Read a table: from a file, a table that comes with kproof, or a frame.

    A file is CSV, perhaps compressed (``.gz``, ``.bz2``, ``.xz``), a spreadsheet (``.xlsx`` and
    the like) or Parquet, which needs pyarrow. In a CSV file the separator is found, spaces around
    cells are dropped, and the shape of UCI Adult needs no header row. A column is numeric if all
    its cells are numbers and none is a code with leading zeros.

    Args:
        source: A path, the name of a shipped table, or a pandas, Polars or PyArrow frame.
        header, encoding, sheet, decimal: How a file is to be read, see :class:`FileLayout`.
        **roles: ``quasi_identifiers``, ``both``, ``sensitive``, ``person``, ``identifiers``,
            ``other``, ``drop``, ``categories``, ``taxonomies``, ``ladders``, ``least_levels``,
            ``most_levels``, ``numeric``, ``missing_as``, ``most_members``, ``missing``,
            ``missing_in`` and ``suppressed``, as for
            :meth:`kproof.models.tables.table.Table.from_frame`.

    Raises:
        DataError: If the file cannot be read or decoded, is ragged, or a column cannot play its
            role; if its cells are numbers with a comma and nobody said what it means; if a
            sensitive cell looks missing and nobody said what it means
            (:data:`~kproof.datasets.tables.LOOK_MISSING`).

    >>> table = read_table("table-1a", quasi_identifiers=["Age", "Country"], sensitive="Disease")
    >>> table.rows, table.quasi_identifiers[1].values
    (12, ('Canada', 'China', 'Japan', 'Pakistan', 'USA'))
    >>> read_table("table-1a", quasi_identifiers=["Height"])
    Traceback (most recent call last):
    kproof.errors.DataError: table-1a: no column Height; there are ID, Name, Age, Zip Code, Country,
    Disease
    """
    layout = FileLayout.of(header=header, encoding=encoding, sheet=sheet, decimal=decimal)
    with name_arguments(data="source"):
        return table_of(source, Roles.of(**roles), layout)


def table_of(source: object, roles: Roles, layout: FileLayout = AS_FOUND) -> Table:
    """Read a table from a file or a frame in roles that were put together already.

    Unlike those of :func:`read_table` they may do without quasi-identifiers.

    >>> roles = Roles.of(quasi_identifiers=None, sensitive="Disease")
    >>> table_of("table-1a", roles).sensitive.values[:2]
    ('Asthma', 'Cancer')
    """
    if not isinstance(source, (str, Path)):
        return Table.of(roles, frames.columns_of_frame(source, roles))
    with _name_errors(source):
        if is_parquet(str(source)):
            return Table.of(roles, frames.columns_of_frame(_parquet(source, roles), roles))
        rows, cells, unassigned = _cells(source, roles, layout)
        columns = {}
        for name, (codes, uniques) in cells.items():
            numeric = False if name == roles.person else roles.is_numeric(name)
            if numeric is None:
                numeric = _all_numbers(name, uniques)
            columns[name] = encode(name, codes, uniques, numeric=numeric)
        beside = tuple(frames.beside_unpublished(*column) for column in unassigned)
        return Table.of(roles, Encoded(rows, columns, beside))


class ReadingOptions(RoleOptions, total=False):
    """The keywords that say how a file is read, and which part each column plays."""

    header: Header | str
    encoding: str | None
    sheet: str | None
    decimal: DecimalSign | str | None


def read_classes(source: object, **options: Unpack[ReadingOptions]) -> Classes:
    """Read the equivalence classes of published rows: of a file, or a frame.

    Rows are in one class if all their quasi-identifiers show the same text. The source is as for
    :func:`read_table`; or data that are judged where they are, by
    :func:`kproof.models.tables.engines.classes_there`. Roles are as for
    :func:`kproof.models.tables.published.classes_of_frame`.
    """
    if is_judged_there(source):
        return classes_there(source, _read_options(options)[0])
    return classes_of_table(read_published(source, **options))


def _read_options(options: Mapping[str, Any]) -> tuple[Roles, FileLayout]:
    layout = {name: options[name] for name in _LAYOUT if name in options}
    roles = {name: value for name, value in options.items() if name not in layout}
    return Roles.of(**roles), FileLayout.of(**layout)


def read_published(source: object, **options: Unpack[ReadingOptions]) -> Table:
    """Read published rows as they stand: quasi-identifiers are the texts that they show."""
    roles, layout = _read_options(options)
    if is_judged_there(source):
        return rows_there(source, roles)
    if not isinstance(source, (str, Path)):
        return Table.of(roles, frames.columns_as_shown(source, roles))
    with _name_errors(source):
        if is_parquet(str(source)):
            return Table.of(roles, frames.columns_as_shown(_parquet(source, roles), roles))
        rows, cells, unassigned = _cells(source, roles, layout)
        columns = {}
        for name, (codes, uniques) in cells.items():
            if name in roles.secrets:
                numeric = bool(uniques) and all(map(is_number, uniques))
                require_sign(name, uniques)
                columns[name] = encode(name, codes, uniques, numeric=numeric)
            else:
                columns[name] = frames.label_column(name, codes, uniques)
        beside = frames.beside_published(columns, roles, unassigned)
        return Table.of(roles, Encoded(rows, columns, beside, published=True))


def _cells(
    source: str | Path, roles: Roles, layout: FileLayout
) -> tuple[int, dict[str, tuple[Codes, list[str]]], list[tuple[str, Codes, list[str]]]]:
    """Return the number of rows; by column codes (-1 for missing) and distinct cells; the others.

    Columns without a role are encoded like the rest, to count what they single out, and dropped.
    """
    with layout.records(source) as (label, names, rows):
        roles.find(names, f"{label}: ")
        # By position: columns without a role may share a name.
        unnamed = roles.without(names)
        unassigned = [place for place, name in enumerate(names) if name in unnamed]
        positions = [*(names.index(name) for name in roles.encoded), *unassigned]
        missing = [roles.gap_texts_of(names[position]) for position in positions]
        count, columns = _encode_rows(rows, positions, layout.decimal, missing, np.int64)
    encoded = dict(zip(roles.encoded, columns, strict=False))
    beside = zip(unnamed, columns[len(encoded) :], strict=True)
    return count, encoded, [(name, *cells) for name, cells in beside]


def _encode_rows(
    rows: Rows,
    positions: Sequence[int],
    decimal: DecimalSign | None,
    missing: Sequence[frozenset[str]],
    width: type[np.signedinteger[Any]],
) -> tuple[int, list[tuple[NDArray[Any], list[str]]]]:
    """Encode some columns of rows; return how many rows there are, and codes and cells of each."""
    count = 0
    # Looking up a cell for the first time gives it the next code, without leaving C.
    indexes = [defaultdict[str, int](counter().__next__) for _ in positions]
    codes = [array("i") for _ in positions]
    while batch := list(islice(rows, _BATCH)):
        count += len(batch)
        cells = list(zip(*(row for _, row in batch), strict=True))
        for position, index, column in zip(positions, indexes, codes, strict=True):
            column.extend(map(index.__getitem__, cells[position]))
    columns: list[tuple[NDArray[Any], list[str]]] = []
    codes.reverse()
    for index, gaps in zip(indexes, missing, strict=True):
        # Spaces go here and not row by row: a column has few different cells.
        texts = [text.strip() for text in index]
        if decimal is not None:
            texts = plain_numbers(texts, decimal, gaps)
        # Different cells may have become one by now, without their spaces or
        # signs between thousands.
        present = [cell for cell in dict.fromkeys(texts) if cell not in gaps]
        distinct = {cell: position for position, cell in enumerate(present)}
        place = np.array([distinct.get(cell, -1) for cell in texts], dtype=width)
        # Of a thousand columns the codes as read and as returned do not fit side by side.
        columns.append((place[np.frombuffer(codes.pop(), dtype=np.int32)], present))
    return count, columns


@dataclass(frozen=True)
class Cells:
    """Every column of a source, as codes and texts, whatever part it plays."""

    rows: int
    names: tuple[str, ...]
    """How many rows there are, and the names of the columns."""
    codes: tuple[NDArray[Any], ...]
    """Shape (rows,) for each column: index into its texts, -1 where nothing was recorded."""
    texts: tuple[tuple[str, ...], ...]
    """The distinct values of each column as text."""


def read_cells(
    source: object,
    layout: FileLayout = AS_FOUND,
    missing: Collection[str] = MISSING_CELLS,
    *,
    narrow: bool = False,
) -> Cells:
    """Read every column of a file or a frame, without roles; narrow for codes of 32 bits.

    >>> cells = read_cells("table-1a")
    >>> cells.rows, cells.texts[5][:2]
    (12, ('HIV', 'Cancer'))
    """
    if isinstance(source, (str, Path)) and not is_parquet(str(source)):
        with _name_errors(source), layout.records(source) as (_, names, rows):
            # Roles are by name, so that names have to differ: this finds those that do not.
            Roles.of(quasi_identifiers=None, other=dict.fromkeys(names)).find(names)
            gaps = [frozenset(missing)] * len(names)
            width = np.int32 if narrow else np.int64
            count, columns = _encode_rows(rows, range(len(names)), layout.decimal, gaps, width)
            return _cells_of(count, dict(zip(names, columns, strict=True)))
    roleless = Roles.of(quasi_identifiers=None, missing=missing)
    if not isinstance(source, (str, Path)):
        return _cells_of(*frames.texts_of_frame(source, roleless))
    with _name_errors(source):
        return _cells_of(*frames.texts_of_frame(_parquet(source, roleless), roleless))


def _cells_of(rows: int, columns: Mapping[str, tuple[NDArray[Any], Sequence[str]]]) -> Cells:
    if not rows:
        raise DataError("the table has no rows")
    codes = tuple(codes for codes, _ in columns.values())
    return Cells(rows, tuple(columns), codes, tuple(tuple(cells) for _, cells in columns.values()))


def names_of(source: object, layout: FileLayout = AS_FOUND) -> tuple[str, ...]:
    """Return the names of the columns of a file or a frame.

    >>> names_of("table-4a")
    ('ID', 'Class', 'Age', 'Zip Code', 'Country', 'Disease')
    """
    if not isinstance(source, (str, Path)):
        return frames.names_of_frame(source)
    with _name_errors(source):
        if is_parquet(str(source)):
            return tuple(names_of_parquet(str(source)))
        with layout.records(source) as (_, names, _rows):
            return names


def _parquet(source: str | Path, roles: Roles) -> object:
    roles.find(names_of_parquet(str(source)))
    return table_of_parquet(str(source))


@contextmanager
def _name_errors(source: str | Path) -> Iterator[None]:
    """Begin the message of whatever is wrong with a file with the file's name."""
    try:
        yield
    except DataError as error:
        if str(error).startswith(str(DataError(source))):  # as messages write the name
            raise
        raise DataError(f"{source}: {error}") from None


def _all_numbers(name: str, cells: Sequence[str]) -> bool:
    """Say whether a column is numeric; one that is mostly so is a fault of the file."""
    require_sign(name, cells)
    # 007 and 12A are neither numbers nor words: beside numbers they make codes of
    # a column, no mixture.
    words = [cell for cell in cells if not is_number(cell) and not cell[:1].isdigit()]
    numbers = sum(map(is_number, cells))
    if words and 2 * numbers > len(cells):
        raise DataError(
            f"column {show(name)} mixes numbers and text: {show(min(words))} among numbers; say "
            f"that it is missing ({spell('missing', [min(words)])}) or that the column holds codes "
            f"({spell('numeric', {name: False})})"
        )
    return bool(cells) and numbers == len(cells)
