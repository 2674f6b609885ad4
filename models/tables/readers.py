"""Tables in: CSV and Parquet files and frames become tables through the same roles.

CSV cells are encoded as they are read, so that a large file costs the memory of its codes. What
means that nobody recorded a value is the same for all of them; it is a value of its own, never a
dropped row.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count as counter
from itertools import islice
from pathlib import Path
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from kproof.datasets import Header, records
from kproof.errors import DataError, shown
from kproof.models.base.beside import Beside
from kproof.models.base.classes import Classes
from kproof.models.tables.encoding import encode, is_number
from kproof.models.tables.frames import columns_of_frame, label_column, published_columns
from kproof.models.tables.published import classes_of_table
from kproof.models.tables.roles import Encoded, RoleOptions, Roles
from kproof.models.tables.table import Table

_BATCH = 256
"""Rows held at a time: few enough to be freed before the garbage collector walks them."""


def read_table(
    source: object, *, header: Header | str = Header.DETECT, **roles: Unpack[RoleOptions]
) -> Table:
    """Read a table: from a CSV or Parquet file, a table that comes with kproof, or a frame.

    In a CSV file the separator is found, spaces around cells are dropped, and the shape of UCI
    Adult needs no header row. A column is numeric if all its cells are numbers and none is a code
    with leading zeros. Parquet needs pyarrow.

    Parameters
    ----------
    source
        A path, the name of a shipped table, or a pandas, Polars or PyArrow frame.
    header
        Whether the first row of a CSV file names the columns.
    **roles
        ``quasi_identifiers``, ``sensitive``, ``person``, ``identifiers``, ``other``,
        ``categories``, ``taxonomies``, ``ladders``, ``least_levels``, ``most_levels``,
        ``numeric``, ``missing_as``, ``most_members`` and ``missing``, as for
        :meth:`kproof.models.tables.table.Table.from_frame`.

    Raises
    ------
    DataError
        If the file cannot be read, is not UTF-8 or ragged, or a column cannot play its role; if a
        sensitive cell looks missing and nobody said what it means
        (:data:`kproof.datasets.LOOK_MISSING`).

    Examples
    --------
    >>> table = read_table("table-1a", quasi_identifiers=["Age", "Country"], sensitive="Disease")
    >>> table.rows, table.quasi_identifiers[1].values
    (12, ('Canada', 'China', 'Japan', 'Pakistan', 'USA'))
    >>> read_table("table-1a", quasi_identifiers=["Height"])
    Traceback (most recent call last):
        ...
    kproof.errors.DataError: table-1a: no column Height; there are ID, Name, Age, Zip Code, Country,
    Disease
    """
    return table_of(source, Roles.of(**roles), header=header)


def table_of(source: object, roles: Roles, *, header: Header | str = Header.DETECT) -> Table:
    """Read a table from a file or a frame in roles that were put together already.

    Unlike those of :func:`read_table` they may do without quasi-identifiers.

    Examples
    --------
    >>> roles = Roles.of(quasi_identifiers=None, sensitive="Disease")
    >>> table_of("table-1a", roles).sensitive.values[:2]
    ('Asthma', 'Cancer')
    """
    if not isinstance(source, (str, Path)):
        return Table.of(roles, columns_of_frame(source, roles))
    with _naming(source):
        if _is_parquet(source):
            return Table.of(roles, columns_of_frame(_parquet(source, roles), roles))
        rows, cells, beside = _cells(source, roles, header)
        columns = {}
        for name, (codes, uniques) in cells.items():
            numeric = False if name == roles.person else roles.is_numeric(name)
            if numeric is None:
                numeric = _all_numbers(name, uniques)
            columns[name] = encode(name, codes, uniques, numeric=numeric)
        return Table.of(roles, Encoded(rows, columns, beside))


def read_classes(
    source: object, *, header: Header | str = Header.DETECT, **roles: Unpack[RoleOptions]
) -> Classes:
    """Read the equivalence classes of published rows: of a CSV or Parquet file, or a frame.

    Rows are in one class if all their quasi-identifiers show the same text.

    Parameters
    ----------
    source, header
        As for :func:`read_table`.
    **roles
        As for :func:`kproof.models.tables.published.classes_of_frame`.

    Raises
    ------
    DataError
        As :func:`read_table`.
    """
    return classes_of_table(read_published(source, header=header, **roles))


def read_published(
    source: object, *, header: Header | str = Header.DETECT, **roles: Unpack[RoleOptions]
) -> Table:
    """Read published rows as they stand: quasi-identifiers are the texts that they show.

    Parameters
    ----------
    source, header, **roles
        As for :func:`read_classes`.

    Raises
    ------
    DataError
        As :func:`read_table`.
    """
    checked = Roles.of(**roles)
    if not isinstance(source, (str, Path)):
        return Table.of(checked, published_columns(source, checked))
    with _naming(source):
        if _is_parquet(source):
            return Table.of(checked, published_columns(_parquet(source, checked), checked))
        rows, cells, beside = _cells(source, checked, header)
        columns = {}
        for name, (codes, uniques) in cells.items():
            if name in checked.secrets:
                numeric = bool(uniques) and all(map(is_number, uniques))
                columns[name] = encode(name, codes, uniques, numeric=numeric)
            else:
                columns[name] = label_column(name, codes, uniques)
        return Table.of(checked, Encoded(rows, columns, beside, published=True))


_Cells = dict[str, tuple[NDArray[np.int64], list[str]]]


def _cells(
    source: str | Path, roles: Roles, header: Header | str
) -> tuple[int, _Cells, tuple[Beside, ...]]:
    """Return the number of rows; by column codes (-1 for missing) and distinct cells; the others.

    Columns without a role are encoded like the rest, to count what they single out, and dropped.
    """
    count = 0
    with records(source, header) as (label, names, rows):
        roles.find(names, f"{label}: ")
        # By position: columns without a role may share a name.
        unnamed = roles.without(names)
        rest = [place for place, name in enumerate(names) if name in unnamed]
        positions = [*(names.index(name) for name in roles.encoded), *rest]
        # Looking up a cell for the first time gives it the next code, without leaving C.
        seen = [defaultdict[str, int](counter().__next__) for _ in positions]
        codes = [array("i") for _ in positions]
        while batch := list(islice(rows, _BATCH)):
            count += len(batch)
            cells = list(zip(*(row for _, row in batch), strict=True))
            for position, index, column in zip(positions, seen, codes, strict=True):
                column.extend(map(index.__getitem__, cells[position]))
    found: list[tuple[NDArray[np.int64], list[str]]] = []
    for index, column in zip(seen, codes, strict=True):
        texts = [text.strip() for text in index]
        there = [cell for cell in dict.fromkeys(texts) if cell not in roles.missing]
        distinct = {cell: position for position, cell in enumerate(there)}
        place = np.array([distinct.get(cell, -1) for cell in texts], dtype=np.int64)
        found.append((place[np.frombuffer(column, dtype=np.int32)], there))
    encoded = dict(zip(roles.encoded, found, strict=False))
    others = zip(unnamed, found[len(encoded) :], strict=True)
    return count, encoded, tuple(Beside.counted(name, cells[0]) for name, cells in others)


def _parquet(source: str | Path, roles: Roles) -> object:
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        raise DataError("reading Parquet needs pyarrow: pip install pyarrow") from None
    try:
        with open(source, "rb") as file:
            roles.find(parquet.read_schema(file).names)
            return parquet.read_table(file)
    except (OSError, ArrowException) as error:
        reason = getattr(error, "strerror", None) or "not a Parquet file"
        raise DataError(f"cannot be read: {reason}") from None


def _is_parquet(source: str | Path) -> bool:
    return str(source).lower().endswith((".parquet", ".pq"))


@contextmanager
def _naming(source: str | Path) -> Iterator[None]:
    """Begin the message of whatever is wrong with a file with the file's name."""
    try:
        yield
    except DataError as error:
        if str(error).startswith(str(source)):
            raise
        raise DataError(f"{source}: {error}") from None


def _all_numbers(name: str, cells: Sequence[str]) -> bool:
    """Say whether a column is numeric; one that is mostly so is a fault of the file.

    Raises
    ------
    DataError
        If more than half of its different cells are numbers and others are not even codes.
    """
    words = [cell for cell in cells if not is_number(cell) and not cell[:1].isdigit()]
    numbers = sum(map(is_number, cells))
    if words and 2 * numbers > len(cells):
        raise DataError(
            f"column {shown(name)} mixes numbers and text: {shown(min(words))} among numbers; say "
            f"that it is missing (--missing {shown(min(words))}) or that the column holds codes "
            f"(--code {shown(name)})"
        )
    return bool(cells) and numbers == len(cells)
