"""Rows that fit several classes, shared out so that each class gets the rows that it shows."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from kproof.models.base.arrays import Codes

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
        alike[of, tuple(sorted(key[rows].tolist()))].append(rows)
    # One row of the program for each kind of unit, then one for each pair of a class and a key.
    line = {pair: len(alike) + index for index, pair in enumerate(wanted)}
    choices: list[tuple[int, int]] = []
    entries: list[tuple[int, int, int]] = []
    for kind, (of, keys) in enumerate(alike):
        for place in fits[of]:
            needs = {(place, number): many for number, many in Counter(keys).items()}
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
        integrality=np.full(len(choices), int(len(rows_of_unit) < len(key))),
        bounds=Bounds(0, np.inf),
        constraints=LinearConstraint(
            coo_array((counts, (lines, variables)), shape=(len(upper), len(choices))).tocsr(),
            np.array([*units, *(0 for _ in wanted)]),
            upper,
        ),
        options={"time_limit": SECONDS},
    )
    if solved.x is None:
        return None
    classes = np.full(len(key), -1, dtype=np.int64)
    waiting = [iter(groups) for groups in alike.values()]
    for (kind, place), many in zip(choices, np.rint(solved.x).astype(int).tolist(), strict=True):
        for _ in range(many):
            classes[next(waiting[kind], [])] = place
    return None if (classes < 0).any() else classes
