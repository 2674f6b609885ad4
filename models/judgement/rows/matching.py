"""Which row of the original each row of a file was, where labels leave no doubt."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain
from typing import Any

import numpy as np

from kproof.datasets import MISSING_CELLS
from kproof.models.base.arrays import Codes
from kproof.models.base.columns import Column, group_codes, rename_values
from kproof.models.base.missing import MISSING, MissingAs, text
from kproof.models.judgement.cells.contents import OTHER
from kproof.models.judgement.cells.rounding import round_texts, steps
from kproof.models.tables.encoding import is_number
from kproof.models.tables.levels.ladders import MOST_VALUES, with_levels
from kproof.models.tables.readers import Cells, FileLayout, read_cells, table_of
from kproof.models.tables.recoding import MARK, read
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
    published: Cells,
    source: object,
    layout: FileLayout,
    roles: Mapping[str, Any],
    *,
    whom: Callable[[Cells, Table], Column | None],
    made_here: bool = False,
) -> Original:
    """Find the row of the original that each row of a file was.

    A row of the original that fits the labels of one class alone is one of the rows of that class
    that show the same in all other columns; which of them makes no difference. Rows that fit
    several classes, whose labels overlap, are shared out so that all classes get what they show. If
    each is a person's only one, whose it was makes no difference either; rows of one person are
    taken together, which only methods of this package are known to do. ``whom`` returns the column
    that says whom rows are about where the roles do not; ``made_here`` says that a receipt shows
    that this package made the file.
    """
    cells = read_cells(source, layout, roles.get("missing", MISSING_CELLS))
    table = table_of(source, _roles_there(roles, cells.names), layout)
    if table.person is None:
        table = replace(table, person=whom(cells, table))
    # What is shown unchanged is known, and the safe path generalizes it.
    known_columns = (*table.quasi_identifiers, *table.other)
    if made_here:
        known_columns = tuple(with_levels(column, MOST_VALUES) for column in known_columns)
    table = replace(table, quasi_identifiers=known_columns, other=())
    table = _with_others(table, published) if cells.rows == published.rows else table
    columns = [column for column in table.quasi_identifiers if column.name in published.names]
    labels = {column.name: _states(published, column.name) for column in columns}
    class_of, _ = group_codes(list(labels.values()), published.rows)
    example = np.unique(class_of, return_index=True)[1]
    shows = [
        Shows(name, codes[example], (*_texts(published, name), text(MISSING)))
        for name, (codes, _) in labels.items()
    ]
    pairs = zip(shows, columns, strict=True)
    covered = {column.name: _coverage(show, column) for show, column in pairs}
    bare = Original(cells, table, covered)
    beside = _beside(published, cells, labels)
    if not shows:
        return _pair(bare, np.zeros(cells.rows, dtype=np.int64), class_of, beside)
    # Whatever fits no other class is behind the mark, which anything fits.
    marks = [np.array([label == MARK for label in show.labels])[show.of_class] for show in shows]
    marked = np.logical_and.reduce(marks)
    plain = np.flatnonzero(~marked)
    fitted = many = np.zeros(table.rows, dtype=np.int64)
    if len(plain):
        fitted, many = own_classes(
            [Shows(show.name, show.of_class[plain], show.labels) for show in shows], table
        )
    # Without a mark, -1: rows that fit nothing have no class.
    class_there = np.full(table.rows, int(np.append(np.flatnonzero(marked), -1)[0]))
    class_there[many > 0] = plain[fitted[many > 0]]
    several = np.flatnonzero(many > 1)
    if len(several):
        person = table.person
        unit = (np.arange(table.rows) if person is None else person.codes).astype(np.int64)
        shared = None
        if made_here or np.bincount(unit)[unit[several]].max() == 1:
            sure = np.flatnonzero(many == 1)
            needs = Counter(zip(class_of.tolist(), beside[0].tolist(), strict=True))
            # What a class shows beyond those who fit no other is left for those who do.
            needs.subtract(zip(class_there[sure].tolist(), beside[1][sure].tolist(), strict=True))
            combination, fits = _fits(shows, columns, several, plain)
            shared = share_out(fits, combination, beside[1][several], unit[several], +needs)
        if shared is None:
            doubt = (
                f"labels overlap: {len(several):,} rows of the original fit several classes, and "
                "nobody can say which rows of the file were theirs"
            )
            return replace(bare, doubt=doubt)
        class_there[several] = shared
    return _pair(bare, class_there, class_of, beside)


def _fits(
    shows: Sequence[Shows], columns: Sequence[Column], rows: Codes, plain: Codes
) -> tuple[Codes, list[list[int]]]:
    """Return the combination of values of some rows, and the classes that each of them fits."""
    states = [(column.codes[rows].astype(np.int64), len(column.values)) for column in columns]
    combination, _ = group_codes(states, len(rows))
    # Once for each combination of values: rows that show the same fit the same classes.
    examples = np.unique(combination, return_index=True)[1]
    pairs = zip(shows, columns, strict=True)
    admitted = [show.admits(column)[show.of_class[plain]] for show, column in pairs]
    fits = []
    for row in rows[examples].tolist():
        admitted_by_column = [
            admits[:, column.codes[row]] for admits, column in zip(admitted, columns, strict=True)
        ]
        fits.append(plain[np.logical_and.reduce(admitted_by_column)].tolist())
    return combination, fits


def _beside(published: Cells, original: Cells, labelled: Collection[str]) -> tuple[Codes, Codes]:
    """Return a number for what each row, of the file and of the original, shows without labels."""
    keys = []
    for name in published.names:
        if name not in labelled and name in original.names:
            number: dict[str, int] = {}
            numbers = [
                _number_rows(published, name, number, {}),
                _number_rows(original, name, number, _stand_ins(published, original, name)),
            ]
            keys.append((np.concatenate(numbers) + 1, len(number) + 1))
    group, _ = group_codes(keys, published.rows + original.rows)
    return group[: published.rows], group[published.rows :]


def _pair(
    bare: Original, class_there: Codes, class_of: Codes, beside: tuple[Codes, Codes]
) -> Original:
    """Pair rows of one class that show the same beside it."""
    # Above 0: rows without a class, -1, are a group that no row of the file is in.
    classes = np.concatenate([class_of, class_there]) + 1
    numbers = np.concatenate(beside)
    keys = [(codes, int(codes.max(initial=0)) + 1) for codes in (classes, numbers)]
    group, _ = group_codes(keys, len(classes))
    ahead, behind = group[: len(class_of)], group[len(class_of) :]
    size = len(group) + 1
    # Rows that show the same are alike: the first here is the first there, whichever was whose.
    places = ahead * size + _turn(ahead), behind * size + _turn(behind)
    place = np.full(len(class_of), -1, dtype=np.int64)
    order = np.argsort(places[1])
    # Clipped: a place above all others is held against the last, which it does not equal.
    nearest = np.minimum(np.searchsorted(places[1], places[0], sorter=order), len(order) - 1)
    paired = places[1][order[nearest]] == places[0]
    place[paired] = order[nearest[paired]]
    unpaired = np.ones(bare.cells.rows, dtype=np.bool_)
    unpaired[place[paired]] = False
    # A class may have more rows than the original, which are noise, or fewer, which are left out.
    # Rows that no label covers may be those that the file has too many.
    lost = np.append(
        class_there[unpaired], class_of[~paired] if (class_there[unpaired] < 0).any() else []
    )
    if np.isin(class_of[~paired], lost).any():
        doubt = (
            f"{int((~paired).sum()):,} rows of the file show what no row of the original with "
            "their labels does, so that nobody can say whose they are"
        )
        return replace(bare, doubt=doubt)
    return replace(bare, source_row=place)


def _roles_there(roles: Mapping[str, Any], names: Sequence[str]) -> Roles:
    """Return the roles of the columns that the original has; nothing is asked of its secrets."""
    options: dict[str, Any] = {"missing_as": MissingAs.VALUE}
    for option, value in roles.items():
        if option == "missing_as":
            continue
        if option == "person" or isinstance(value, str):
            options[option] = value if value in names else None
        elif isinstance(value, Mapping):
            options[option] = {name: setting for name, setting in value.items() if name in names}
        elif option in ("missing", "most_members") or value is None:
            options[option] = value
        else:
            options[option] = [name for name in value if name in names]
    return Roles.of(**{"quasi_identifiers": None, **options, "suppressed": None})


def _coverage(shows: Shows, column: Column) -> tuple[tuple[str, ...], ...]:
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


def _with_others(table: Table, published: Cells) -> Table:
    """Return the original with one text for all that the file shows as other, if it has such."""
    columns = {}
    for column in table.quasi_identifiers:
        if column.name in published.names and not column.numeric:
            labels = map(read, _texts(published, column.name))
            members: set[object] = {MISSING, *chain.from_iterable(label[0] for label in labels)}
            if OTHER in members and column.name in table.both and column.taxonomy is None:
                columns[column.name] = rename_values(
                    column, [value if value in members else OTHER for value in column.values]
                )
    renamed = tuple(columns.get(column.name, column) for column in table.quasi_identifiers)
    return replace(table, quasi_identifiers=renamed)


def _stand_ins(published: Cells, original: Cells, name: str) -> Mapping[str, str]:
    """Return what texts of the original stand for in the file: rounded numbers, and others.

    Of the steps that all numbers of the file are multiples of, it is the largest that gives as
    many rows of each number as the file has.
    """
    texts, sources = _texts(published, name), _texts(original, name)
    if set(texts) <= set(sources):
        return {}
    if OTHER in texts and published.rows == original.rows:
        return dict.fromkeys(set(sources).difference(texts), OTHER)
    if not all(map(is_number, texts)):
        return {}
    values = {Fraction(text): text for text in texts}
    # As numbers: 5 and 5.0 of a file are one, and a step makes either of them.
    counts = Counter({Fraction(text): many for text, many in _rows_of(published, name)})
    for step in steps(sources, texts):
        cells = round_texts(sources, step)
        became = Counter[Fraction]()
        for cell, (_, many) in zip(cells, _rows_of(original, name), strict=True):
            if is_number(cell):
                became[Fraction(cell)] += many
        # Not equal: rows that were left out have numbers that the file lacks.
        if counts <= became:
            return {
                source: values.get(Fraction(cell), source) if is_number(cell) else source
                for source, cell in zip(sources, cells, strict=True)
            }
    return {}


def _rows_of(cells: Cells, name: str) -> list[tuple[str, int]]:
    """Return the texts of a column, and how many rows have each."""
    codes, texts = cells.codes[cells.names.index(name)], _texts(cells, name)
    rows = np.bincount(codes[codes >= 0], minlength=len(texts)).tolist()
    return [*zip(texts, rows, strict=True)]


def _number_rows(
    cells: Cells, name: str, number: dict[str, int], read_as: Mapping[str, str]
) -> Codes:
    """Return the number of each row's text, which grow with the texts that are met."""
    numbers = [
        number.setdefault(read_as.get(cell, cell), len(number)) for cell in _texts(cells, name)
    ]
    codes: Codes = cells.codes[cells.names.index(name)]
    # One entry more, which the code -1 of an empty cell picks as the last.
    return np.array([*numbers, -1], dtype=np.int64)[codes]


def _turn(group: Codes) -> Codes:
    """Return how many rows of its group stand before each row."""
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.diff(group[order], prepend=-1))
    turn = np.empty(len(group), dtype=np.int64)
    turn[order] = np.arange(len(group)) - np.repeat(starts, np.diff(np.append(starts, len(group))))
    return turn


SECONDS = 30
"""For which a way to share them out is looked for."""


def share_out(
    fits: Sequence[Sequence[int]],
    combination: Codes,
    key: Codes,
    unit: Codes,
    wanted: Mapping[tuple[int, int], int],
) -> Codes | None:
    """Return a class for each row; None if no way to share them out is found.

    Each combination of values ``fits`` some classes; ``combination``, ``key`` and ``unit``, shape
    (rows,), are that of each row, a number for what it shows beside, and which rows of a
    combination are in one class. ``wanted`` has how many rows a class has with what is shown
    beside.

    Where every unit is one row this is a transportation problem, whose vertices are whole numbers:
    the linear program alone solves it.

    >>> wanted = {(0, 7): 1, (1, 5): 1}
    >>> share_out([[0, 1]], np.array([0, 0]), np.array([5, 7]), np.arange(2), wanted)
    array([1, 0])
    """
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import coo_array

    rows_of_unit: dict[tuple[int, int], list[int]] = defaultdict(list)
    for row, pair in enumerate(zip(combination.tolist(), unit.tolist(), strict=True)):
        rows_of_unit[pair].append(row)
    alike: dict[tuple[int, tuple[int, ...]], list[list[int]]] = defaultdict(list)
    for (of, _), rows in rows_of_unit.items():
        # Units that fit the same and show the same are one variable for each class, however many.
        alike[of, tuple(sorted(key[rows].tolist()))].append(rows)
    # One row of the program for each kind of unit, then one for each pair of a class and a key.
    line = {pair: len(alike) + index for index, pair in enumerate(wanted)}
    choices: list[tuple[int, int]] = []
    entries: list[tuple[int, int, int]] = []
    for kind, (of, keys) in enumerate(alike):
        for place in fits[of]:
            needs = {(place, number): many for number, many in Counter(keys).items()}
            # A choice that alone asks for more than there is cannot be part of any answer.
            if all(wanted.get(pair, 0) >= many for pair, many in needs.items()):
                entries.append((kind, len(choices), 1))
                entries += [(line[pair], len(choices), many) for pair, many in needs.items()]
                choices.append((kind, place))
    if not choices:
        return None
    lines, variables, counts = zip(*entries, strict=True)
    units = [len(groups) for groups in alike.values()]
    upper = np.array([*units, *wanted.values()])
    solved = milp(
        np.zeros(len(choices)),
        # Of units of several rows alone: otherwise corners are whole, and branching costs time.
        integrality=np.full(len(choices), int(len(rows_of_unit) < len(key))),
        bounds=Bounds(0, np.inf),
        constraints=LinearConstraint(
            coo_array((counts, (lines, variables)), shape=(len(upper), len(choices))).tocsr(),
            # All units get a class, while a class may show rows of nobody: noise.
            np.array([*units, *(0 for _ in wanted)]),
            upper,
        ),
        options={"time_limit": SECONDS},
    )
    if solved.x is None:
        return None
    classes = np.full(len(key), -1, dtype=np.int64)
    waiting = [iter(groups) for groups in alike.values()]
    # Rounded: the solver's numbers are whole within a tolerance, and 0.999 is one row.
    for (kind, place), many in zip(choices, np.rint(solved.x).astype(int).tolist(), strict=True):
        for _ in range(many):
            # Rounded up too often there is no unit more: no row is written.
            classes[next(waiting[kind], [])] = place
    # Fail closed: rows that rounding left over are a doubt, never dealt out at will.
    return None if (classes < 0).any() else classes
