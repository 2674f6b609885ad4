"""Which pairs occur in any assignment, and how people who keep a value can share values out.

Each column takes a row of its own; rows may be left over. A pair outside every such assignment is
impossible, whatever else is unknown: a class of k rows that k people cover has room for no other.
"""

import numpy as np

MOST_STATES = 6_000
"""States after which a group of people is too large to be counted."""


def possible(may: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the pairs of some assignment, and which rows may be left over.

    Where no assignment exists, something was misread, and nothing is concluded.
    """
    people, published = may.shape
    square = np.ones((people, max(people, published)), dtype=bool)
    square[:, :published] = may
    holder = _matching(square) if people >= published else None
    if holder is None:
        return may, np.ones(people, dtype=bool)
    # A pair is possible if a cycle of exchanges brings it about: Régin's "all different".
    part = components(square[holder])
    part_of_row = np.empty(people, dtype=np.int64)
    part_of_row[holder] = part
    square &= part_of_row[:, None] == part
    return square[:, :published], square[:, published:].any(axis=1)


def _matching(may: np.ndarray) -> np.ndarray | None:
    """Return the row of each column, or None where columns have too few rows."""
    candidates = np.ascontiguousarray(may.T)
    holder, column_of = np.full(len(candidates), -1), np.full(len(may), -1)
    for column in np.argsort(candidates.sum(axis=1), kind="stable"):
        queue, seen, via = [column], np.zeros(len(may), dtype=bool), np.full(len(may), -1)
        while queue:
            at = queue.pop()
            fresh = np.flatnonzero(candidates[at] & ~seen)
            seen[fresh], via[fresh] = True, at
            free = fresh[column_of[fresh] < 0]
            if len(free):
                break
            queue.extend(column_of[fresh])
        else:
            return None
        row = free[0]
        while row >= 0:
            at = via[row]
            row_before, holder[at], column_of[row] = holder[at], row, at
            row = row_before
    return holder


def components(arrow: np.ndarray) -> np.ndarray:
    """Return the strongly connected component of each node: what it reaches and is reached from."""
    part, back = np.full(len(arrow), -1), np.ascontiguousarray(arrow.T)
    for node in range(len(arrow)):
        if part[node] < 0:
            part[_reach(arrow, node, part < 0) & _reach(back, node, part < 0)] = node
    return part


def _reach(arrow: np.ndarray, node: int, within: np.ndarray) -> np.ndarray:
    seen = np.arange(len(arrow)) == node
    edge = [node]
    while len(edge):
        new = arrow[edge].any(axis=0) & within & ~seen
        seen |= new
        edge = np.flatnonzero(new)
    return seen


def shared_out(labels: np.ndarray, person: np.ndarray, codes: np.ndarray) -> dict[int, np.ndarray]:
    """Return the chance of each value for people who fill classes with all their rows.

    Three rows of flu and nine of gout among people with one, two and nine rows are no riddle: each
    value's number of rows is the sum of whole people's. All ways to share them out are counted.
    """
    classes, place = np.unique(labels, axis=0, return_inverse=True)
    place = place.reshape(-1)
    sizes = np.bincount(place)
    if classes.sum(axis=0).max() > 1 or (classes.sum(axis=1) != sizes).any():
        return {}
    people, who = np.unique(person, return_inverse=True)
    visits = np.zeros((len(people), len(classes)), dtype=np.int64)
    np.add.at(visits, (who, place), 1)
    likely = {}
    joined = components((visits @ visits.T) > 0)
    for part in np.unique(joined):
        members = np.flatnonzero(joined == part)
        held = np.flatnonzero(visits[members].any(axis=0))
        rows = [np.bincount(codes[classes[at]], minlength=codes.max() + 1) for at in held]
        order = np.argsort(-visits[members].sum(axis=1), kind="stable")
        table = (
            _ways(visits[members[order]][:, held], np.array(rows).T) if len(members) < 15 else None
        )
        if table is not None and table.any():
            for at, chances in zip(members[order], table / table.sum(axis=1)[:, None], strict=True):
                likely[int(people[at])] = chances
    return likely


def _ways(needs: np.ndarray, rows: np.ndarray) -> np.ndarray | None:
    """Return in how many ways each person, as rows, has each value; None if these are too many."""
    seen = {}

    def count(at: int, rest: np.ndarray) -> tuple[float, np.ndarray]:
        table, total = np.zeros((len(needs), len(rows))), float(at == len(needs))
        key = at, rest.tobytes()
        if total or key in seen or len(seen) > MOST_STATES:
            return seen.get(key, (total, table))
        for value in np.flatnonzero((rest >= needs[at]).all(axis=1)):
            after = rest.copy()
            after[value] -= needs[at]
            ways, below = count(at + 1, after)
            table += below
            table[at, value] += ways
            total += ways
        seen[key] = total, table
        return total, table

    table = count(0, rows)[1]
    return table if len(seen) <= MOST_STATES else None
