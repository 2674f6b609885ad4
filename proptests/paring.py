"""The last step of shrinking: one part of a failing case after the other is left out.

Hypothesis shrinks what a case was drawn from, and not the case: a row that cannot be drawn away
stays, and so does a node that everything after it is counted from. A greedy pass over the case
itself ends only when no single part can be missed (a row, a column, a node, a street, a point, a
user, a friendship, a person, a slot) and k cannot be less, or when its calls are spent. The order
is fixed, so that the same run gives the same case.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from kproof.proptests.cases import CityCase, GraphCase, LogCase, PointsCase
from kproof.proptests.contract import TableCase

Pair = tuple[int, int]
_Cell = TypeVar("_Cell")

_GROUP_SIZES = ("k", "min_k")
_LEAST = 2
"""The least k that asks for anything."""


def pare_case(case: Any, fails_without: Callable[[Any], tuple[bool, int]], *, calls: int) -> Any:
    """Leave out of a failing case what is not needed for it to fail, and return what is left.

    >>> case = TableCase({"age": (34, 35, 36)}, ("age",), None, parameters={"k": 3})
    >>> old = lambda one: (35 in one.columns["age"], 1)
    >>> pare_case(case, old, calls=99).columns, pare_case(case, old, calls=0).rows
    ({'age': (35,)}, 3)
    """
    candidates = smaller(case)
    while calls > 0:
        candidate = next(candidates, None)
        if candidate is None:
            break
        fails, cost = fails_without(candidate)
        calls -= cost
        # Begun anew: what could not be left out before may be, now that something else is gone.
        if fails:
            case, candidates = candidate, smaller(candidate)
    return case


def smaller(case: Any) -> Iterator[Any]:
    """Yield a case without one of its parts, large pieces first; nothing of an unknown kind.

    >>> case = TableCase({"age": (34, 35, 36)}, ("age",), None, parameters={"k": 3})
    >>> [dict(one.columns, k=one.parameters["k"]) for one in smaller(case)]  # doctest: +ELLIPSIS
    [{'age': (34, 35), 'k': 3}, ..., {'age': (35, 36), 'k': 3}, {'age': (34, 35, 36), 'k': 2}]
    """
    for kind, parts in _PARTS.items():
        if isinstance(case, kind):
            yield from parts(case)
            yield from _for_fewer(case)


def _for_fewer(case: Any) -> Iterator[Any]:
    """Yield a case with a smaller k: the least, then the next one."""
    for name in _GROUP_SIZES:
        k = case.parameters.get(name)
        if isinstance(k, int) and k > _LEAST:
            for less in dict.fromkeys((_LEAST, k - 1)):
                yield replace(case, parameters={**case.parameters, name: less})


def _pieces(count: int, *, minimum: int = 0) -> Iterator[range]:
    """Yield what to leave out of so many parts: halves, quarters, and so on down to each one."""
    size = max(count // 2, 1)
    while count > minimum:
        for start in range(count - size, -size, -size):
            # What is left over when the count is no multiple of the size is the piece at the
            # beginning.
            piece = range(max(start, 0), start + size)
            if count - len(piece) >= minimum:
                yield piece
        if size == 1:
            return
        size //= 2


def _without(parts: tuple[_Cell, ...], out: Iterable[int]) -> tuple[_Cell, ...]:
    gone = set(out)
    return tuple(part for place, part in enumerate(parts) if place not in gone)


def _renumber(pairs: Iterable[Pair], count: int, out: Iterable[int]) -> tuple[Pair, ...]:
    """Return the pairs of what is left, by their new numbers."""
    place = {old: new for new, old in enumerate(_without(tuple(range(count)), out))}
    return tuple((place[a], place[b]) for a, b in pairs if a in place and b in place)


def _tables(case: TableCase) -> Iterator[TableCase]:
    if case.dtypes:
        yield replace(case, dtypes={})
    for out in _pieces(case.rows):
        yield case.take(_without(tuple(range(case.rows)), out))
    for name in reversed(case.quasi_identifiers):
        if len(case.quasi_identifiers) > 1:
            columns = {column: cells for column, cells in case.columns.items() if column != name}
            trees = {column: tree for column, tree in case.hierarchies.items() if column != name}
            names = tuple(column for column in case.quasi_identifiers if column != name)
            yield replace(case, columns=columns, quasi_identifiers=names, hierarchies=trees)


def _cities(case: CityCase) -> Iterator[CityCase]:
    count = len(case.users)
    for out in _pieces(count, minimum=1):
        roads = _renumber(case.roads, count, out)
        # As a pair with itself a target is renumbered, or goes with its node, like a street.
        pairs = _renumber(((target, target) for target in case.targets), count, out)
        if not pairs:
            continue
        yield replace(
            case,
            users=_without(case.users, out),
            roads=roads,
            targets=tuple(target for target, _ in pairs),
            positions=None if case.positions is None else _without(case.positions, out),
            one_way=_renumber(case.one_way, count, out),
        )
    for out in _pieces(len(case.targets), minimum=1):
        yield replace(case, targets=_without(case.targets, out))
    for out in _pieces(len(case.roads)):
        roads = _without(case.roads, out)
        joined = set(map(frozenset, roads))
        # A street may be listed from either end, so that its one-way sign goes with the pair as a
        # set.
        ways = tuple(way for way in case.one_way if frozenset(way) in joined)
        yield replace(case, roads=roads, one_way=ways)
    for out in _pieces(len(case.one_way)):
        yield replace(case, one_way=_without(case.one_way, out))
    for node, users in enumerate(case.users):
        # Nobody there, else one fewer; of a single user these are the same case.
        for fewer in dict.fromkeys((0, users - 1)) if users else ():
            yield replace(case, users=(*case.users[:node], fewer, *case.users[node + 1 :]))


def _points(case: PointsCase) -> Iterator[PointsCase]:
    for out in _pieces(len(case.positions), minimum=1):
        users = None if case.users is None else _without(case.users, out)
        yield replace(case, positions=_without(case.positions, out), users=users)


def _graphs(case: GraphCase) -> Iterator[GraphCase]:
    for out in _pieces(case.users):
        attributes = {name: _without(cells, out) for name, cells in case.attributes.items()}
        # A column of which nothing is known is no column; 0 and an empty text are known.
        if any(all(cell is None for cell in cells) for cells in attributes.values()):
            continue
        friendships = _renumber(case.friendships, case.users, out)
        yield replace(
            case, users=case.users - len(out), friendships=friendships, attributes=attributes
        )
    for out in _pieces(len(case.friendships)):
        yield replace(case, friendships=_without(case.friendships, out))
    for name in case.attributes:
        columns = {column: cells for column, cells in case.attributes.items() if column != name}
        yield replace(case, attributes=columns)


def _logs(case: LogCase) -> Iterator[LogCase]:
    for out in _pieces(len(case.paths), minimum=1):
        yield replace(case, paths=_without(case.paths, out))
    for out in _pieces(case.slots, minimum=1):
        paths = (_without(path, out) for path in case.paths)
        yield replace(case, paths=tuple(path for path in paths if any(path)))
    for person, path in enumerate(case.paths):
        for slot, entry in enumerate(path):
            fewer = (*path[:slot], " ".join(entry.split()[:-1]), *path[slot + 1 :])
            # Who reports nothing is not in the log.
            if entry and any(fewer):
                yield replace(case, paths=(*case.paths[:person], fewer, *case.paths[person + 1 :]))


_PARTS: Mapping[type, Callable[[Any], Iterator[Any]]] = {
    TableCase: _tables,
    CityCase: _cities,
    PointsCase: _points,
    GraphCase: _graphs,
    LogCase: _logs,
}
