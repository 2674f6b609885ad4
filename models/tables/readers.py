"""Files in: CSV and Parquet become tables through the same roles as frames.

CSV cells are encoded as they are read, so that a large file costs the memory of its codes. Which
cells mean "not there" is said by the caller; such a cell is a value of its own, never a dropped
row.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
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
from kproof.models.base.missing import MissingAs
from kproof.models.tables.encoding import encode, is_number
from kproof.models.tables.frames import columns_of_frame, label_column
from kproof.models.tables.published import classes_of_frame, classes_of_table
from kproof.models.tables.roles import Encoded, RoleOptions, Roles
from kproof.models.tables.table import Table

UNKNOWN_CELLS = ("?", "")
"""Cells that mean "not there" unless a caller says otherwise."""

LOOK_MISSING = frozenset({"na", "n/a", "#n/a", "nan", "null", "nil", "-", "--", ".", "unknown"})
"""Cells, in lower case, that mean "not there" in so many files that they are not passed over.

``none`` is not among them: it may well be the value of whoever has no disease.
"""

_BATCH = 256
"""Rows held at a time: few enough to be freed before the garbage collector walks them."""


def read_csv(
    source: str | Path,
    *,
    header: Header | str = Header.DETECT,
    missing: Collection[str] = UNKNOWN_CELLS,
    **roles: Unpack[RoleOptions],
) -> Table:
    """Read a table from a CSV file or a table that comes with kproof.

    The separator is found, spaces around cells are dropped, and a file in the shape of UCI Adult
    needs no header row. A column is numeric if all its cells are numbers and none is a code
    with leading zeros.

    Parameters
    ----------
    source
        A path, or the name of a shipped table.
    header
        Whether the first row names the columns.
    missing
        Cells that mean "not there", compared exactly.
    **roles
        ``quasi_identifiers``, ``sensitive``, ``identifiers``, ``other``, ``categories``,
        ``taxonomies``, ``numeric``, ``missing_as`` and ``most_members``, as for
        :meth:`kproof.models.tables.table.Table.from_frame`.

    Raises
    ------
    DataError
        If the file cannot be read, is not UTF-8 or ragged, or a column cannot play its role; if a
        sensitive cell is one of :data:`LOOK_MISSING` and ``missing`` does not say what it means.

    Examples
    --------
    >>> table = read_csv("table-1a", quasi_identifiers=["Age", "Country"], sensitive="Disease")
    >>> table.rows, table.quasi_identifiers[1].values
    (12, ('Canada', 'China', 'Japan', 'Pakistan', 'USA'))
    >>> read_csv("table-1a", quasi_identifiers=["Height"])
    Traceback (most recent call last):
        ...
    kproof.errors.DataError: table-1a: no column Height; there are ID, Name, Age, Zip Code, Country,
    Disease
    """
    return _from_csv(source, Roles.of(**roles), header, missing)


def read_parquet(source: str | Path, **roles: Unpack[RoleOptions]) -> Table:
    """Read a table from a Parquet file; needs pyarrow.

    Parameters
    ----------
    source
        A path.
    **roles
        As for :func:`read_csv`.

    Raises
    ------
    DataError
        If pyarrow is not installed, the file cannot be read, or a column cannot play its role.
    """
    return _from_parquet(source, Roles.of(**roles))


def read_file(
    source: str | Path,
    *,
    header: Header | str = Header.DETECT,
    missing: Collection[str] = UNKNOWN_CELLS,
    **roles: Unpack[RoleOptions],
) -> Table:
    """Read a table from a file: Parquet if its name ends so, else CSV."""
    if _is_parquet(source):
        return read_parquet(source, **roles)
    return read_csv(source, header=header, missing=missing, **roles)


def table_of(data: object, roles: Roles) -> Table:
    """Read a table from a file or a frame in roles that were put together already.

    Unlike those of :func:`read_csv` they may do without quasi-identifiers.

    Examples
    --------
    >>> roles = Roles.of(quasi_identifiers=None, sensitive="Disease")
    >>> table_of("table-1a", roles).sensitive.values[:2]
    ('Asthma', 'Cancer')
    """
    if not isinstance(data, (str, Path)):
        return Table.of(roles, columns_of_frame(data, roles))
    if _is_parquet(data):
        return _from_parquet(data, roles)
    return _from_csv(data, roles, Header.DETECT, UNKNOWN_CELLS)


def _from_csv(
    source: str | Path, roles: Roles, header: Header | str, missing: Collection[str]
) -> Table:
    rows, cells, beside = _cells(source, roles, header, frozenset(missing))
    with _naming(source):
        columns = {}
        for name, (codes, uniques) in cells.items():
            numeric = roles.is_numeric(name)
            if numeric is None:
                numeric = _all_numbers(name, uniques)
            columns[name] = encode(name, codes, uniques, numeric=numeric)
        return Table.of(roles, Encoded(rows, columns, beside))


def _from_parquet(source: str | Path, roles: Roles) -> Table:
    with _naming(source):
        return Table.of(roles, columns_of_frame(_parquet(source, roles), roles))


def read_classes(
    source: str | Path,
    *,
    quasi_identifiers: Iterable[str],
    sensitive: str | None = None,
    identifiers: Iterable[str] = (),
    other: Iterable[str] = (),
    categories: Mapping[object, object] | None = None,
    header: Header | str = Header.DETECT,
    missing: Collection[str] = UNKNOWN_CELLS,
    missing_as: MissingAs | str = MissingAs.WORST_CASE,
) -> Classes:
    """Read the equivalence classes of a published file, CSV or Parquet.

    Rows are in one class if all their quasi-identifiers show the same text.

    Parameters
    ----------
    source, header, missing
        As for :func:`read_csv`.
    quasi_identifiers, sensitive, identifiers, other, categories, missing_as
        As for :func:`kproof.models.tables.published.classes_of_frame`.

    Raises
    ------
    DataError
        As :func:`read_csv`.
    """
    roles = Roles.of(
        quasi_identifiers=quasi_identifiers,
        sensitive=sensitive,
        identifiers=identifiers,
        other=other,
        categories=categories,
        missing_as=missing_as,
    )
    with _naming(source):
        if _is_parquet(source):
            return classes_of_frame(
                _parquet(source, roles),
                quasi_identifiers=roles.quasi_identifiers,
                sensitive=sensitive,
                identifiers=roles.identifiers,
                other=roles.other,
                categories=categories,
                missing_as=roles.missing_as,
            )
        rows, cells, beside = _cells(source, roles, header, frozenset(missing))
        shown_as_text = (*roles.quasi_identifiers, *roles.other)
        columns = {name: label_column(name, *cells[name]) for name in shown_as_text}
        if sensitive is not None:
            codes, uniques = cells[sensitive]
            numeric = bool(uniques) and all(map(is_number, uniques))
            columns[sensitive] = encode(sensitive, codes, uniques, numeric=numeric)
        return classes_of_table(Table.of(roles, Encoded(rows, columns, beside)))


_Cells = dict[str, tuple[NDArray[np.int64], list[str]]]


def _cells(
    source: str | Path, roles: Roles, header: Header | str, missing: frozenset[str]
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
        there = [cell for cell in dict.fromkeys(texts) if cell not in missing]
        distinct = {cell: position for position, cell in enumerate(there)}
        place = np.array([distinct.get(cell, -1) for cell in texts], dtype=np.int64)
        found.append((place[np.frombuffer(column, dtype=np.int32)], there))
    encoded = dict(zip(roles.encoded, found, strict=False))
    if roles.sensitive is not None and missing == frozenset(UNKNOWN_CELLS):
        _refuse_what_looks_missing(roles, encoded[roles.sensitive][1])
    others = zip(unnamed, found[len(encoded) :], strict=True)
    return count, encoded, tuple(Beside.counted(name, cells[0]) for name, cells in others)


def _refuse_what_looks_missing(roles: Roles, cells: Iterable[str]) -> None:
    """Ask what a cell of the sensitive column means before it counts as diversity."""
    found = next((cell for cell in cells if cell.lower() in LOOK_MISSING), None)
    if found is not None and roles.missing_as is not MissingAs.VALUE:
        raise DataError(
            f"column {shown(roles.sensitive)}: the cell {shown(found)} looks like a missing value; "
            f"say --missing={shown(found)} if it is one, or --missing-as value if it counts as a "
            "value of its own"
        )


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
