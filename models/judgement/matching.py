"""Which row of the original each row of a file was, where labels leave no doubt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kproof.datasets import MISSING_CELLS
from kproof.models.base.arrays import Codes
from kproof.models.base.columns import Column, group_codes
from kproof.models.base.missing import MISSING, MissingAs, text
from kproof.models.tables.readers import Cells, FileLayout, read_cells, table_of
from kproof.models.tables.recoding import MARK
from kproof.models.tables.risk.population import Shows, own_classes
from kproof.models.tables.roles import Roles
from kproof.models.tables.table import Table


@dataclass(frozen=True, eq=False)
class Original:
    """The source of a file, and how the two fit."""

    cells: Cells
    """Every column of it."""
    table: Table
    """The same in roles."""
    covered: Mapping[str, tuple[tuple[str, ...], ...]]
    """By column with labels the values of the source that each text of the file covers."""
    source_row: Codes | None = None
    """Shape (published rows,): row of the source, -1 for noise; None where labels leave a doubt."""
    doubt: str = ""
    """What that is, a sentence; empty if there is none."""


def match(
    published: Cells, source: object, layout: FileLayout, roles: Mapping[str, Any]
) -> Original:
    """Find the row of the original that each row of a file was.

    A row of the original has to fit the labels of one class alone, and is then one of the rows of
    that class that show the same in all other columns; which of them makes no difference.

    Parameters
    ----------
    published
        Every column of the file.
    source
        The original: a file, or a frame.
    layout
        How it is to be read.
    roles
        Of its columns, as keywords of :class:`~kproof.models.tables.roles.Roles`.
    """
    cells = read_cells(source, layout, roles.get("missing", MISSING_CELLS))
    table = table_of(source, _roles_there(roles, cells.names), layout)
    columns = [column for column in table.quasi_identifiers if column.name in published.names]
    own = {column.name: _states(published, column.name) for column in columns}
    class_of, _ = group_codes(list(own.values()), published.rows)
    example = np.unique(class_of, return_index=True)[1]
    shows = [
        Shows(name, codes[example], (*_texts(published, name), text(MISSING)))
        for name, (codes, _) in own.items()
    ]
    covered = {
        column.name: _covered(one, column) for one, column in zip(shows, columns, strict=True)
    }
    bare = Original(cells, table, covered)
    if not shows:
        return _paired(bare, published, np.zeros(cells.rows, dtype=np.int64), class_of, [])
    # Whatever fits no other class is behind the mark, which anything fits.
    marks = [np.array([label == MARK for label in one.labels])[one.of_class] for one in shows]
    marked = np.logical_and.reduce(marks)
    plain = np.flatnonzero(~marked)
    fitted, many = own_classes(
        [Shows(one.name, one.of_class[plain], one.labels) for one in shows], table
    )
    if (many > 1).any():
        return _doubtful(
            bare,
            f"labels overlap: {int((many > 1).sum()):,} rows of the original fit several classes, "
            "so that nobody can say which rows of the file were theirs",
        )
    class_there = np.full(table.rows, int(np.append(np.flatnonzero(marked), -1)[0]))
    class_there[many > 0] = plain[fitted[many > 0]]
    return _paired(bare, published, class_there, class_of, list(own))


def _paired(
    bare: Original, published: Cells, class_there: Codes, class_of: Codes, labelled: Sequence[str]
) -> Original:
    """Pair rows of one class that show the same in every column but those with labels."""
    keys = [(np.concatenate([class_of, class_there]) + 1, int(class_of.max(initial=-1)) + 2)]
    for name in published.names:
        if name not in labelled and name in bare.cells.names:
            number: dict[str, int] = {}
            both = [_numbered(cells, name, number) for cells in (published, bare.cells)]
            keys.append((np.concatenate(both) + 1, len(number) + 1))
    group, _ = group_codes(keys, published.rows + bare.cells.rows)
    ahead, behind = group[: published.rows], group[published.rows :]
    size = len(group) + 1
    places = ahead * size + _turn(ahead), behind * size + _turn(behind)
    place = np.full(published.rows, -1, dtype=np.int64)
    order = np.argsort(places[1])
    at = np.minimum(np.searchsorted(places[1], places[0], sorter=order), len(order) - 1)
    there = places[1][order[at]] == places[0]
    place[there] = order[at[there]]
    left = np.ones(bare.cells.rows, dtype=np.bool_)
    left[place[there]] = False
    # A class may have more rows than the original, which are noise, or fewer, which are left out.
    if np.isin(class_of[~there], class_there[left]).any():
        return _doubtful(
            bare,
            f"{int((~there).sum()):,} rows of the file show what no row of the original with their "
            "labels does, so that nobody can say whose they are",
        )
    return Original(bare.cells, bare.table, bare.covered, place)


def _doubtful(bare: Original, doubt: str) -> Original:
    return Original(bare.cells, bare.table, bare.covered, None, doubt)


def _roles_there(roles: Mapping[str, Any], names: Sequence[str]) -> Roles:
    """Return the roles of the columns that the original has; nothing is asked of its secrets."""
    there: dict[str, Any] = {"missing_as": MissingAs.VALUE}
    for option, value in roles.items():
        if option == "person" or isinstance(value, str):
            there[option] = value if value in names else None
        elif isinstance(value, Mapping):
            there[option] = {name: own for name, own in value.items() if name in names}
        elif option in ("missing", "most_members") or value is None:
            there[option] = value
        else:
            there[option] = [name for name in value if name in names]
    return Roles.of(**{"quasi_identifiers": None, **there, "suppressed": None})


def _covered(shows: Shows, column: Column) -> tuple[tuple[str, ...], ...]:
    return tuple(
        tuple(
            text(value)
            for value, fits in zip(column.values, row.tolist(), strict=True)
            if fits and value is not MISSING
        )
        for row in shows.admits(column)
    )


def _texts(cells: Cells, name: str) -> tuple[str, ...]:
    return cells.texts[cells.names.index(name)]


def _states(cells: Cells, name: str) -> tuple[Codes, int]:
    codes, texts = cells.codes[cells.names.index(name)], _texts(cells, name)
    return np.where(codes < 0, len(texts), codes), len(texts) + 1


def _numbered(cells: Cells, name: str, number: dict[str, int]) -> Codes:
    """Return the number of each row's text, which grow with the texts that are met."""
    numbers = [number.setdefault(one, len(number)) for one in _texts(cells, name)]
    return np.array([*numbers, -1], dtype=np.int64)[cells.codes[cells.names.index(name)]]


def _turn(group: NDArray[np.int64]) -> Codes:
    """Return how many rows of its group stand before each row."""
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.diff(group[order], prepend=-1))
    turn = np.empty(len(group), dtype=np.int64)
    turn[order] = np.arange(len(group)) - np.repeat(starts, np.diff(np.append(starts, len(group))))
    return turn
