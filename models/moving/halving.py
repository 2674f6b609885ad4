"""A city cut into a binary tree of connected cells, from its roads alone.

A set of crossings is halved by the distance from its far end. The nearer half is connected, as
shortest paths stay in it. The farther half may be in pieces; the largest stays, and what falls off
joins the nearer half, which it touches.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from heapq import heappop, heappush

from kproof.models.moving.labels import HEIGHT

Lengths = Sequence[Sequence[tuple[int, int]]]
"""For each crossing its neighbours, each with the length of the street in millimetres."""


def halve(roads: Lengths, *, least_nodes: int, least_street: int) -> list[tuple[str, list[int]]]:
    """Return the leaves of the tree as bits and crossings, in the order of their bits.

    The roads are connected. Each leaf has ``least_nodes`` crossings and ``least_street``
    millimetres of street between them, or is the whole city. Halves are cut as long as both have.

    >>> street = [[(1, 100)], [(0, 100), (2, 100)], [(1, 100), (3, 100)], [(2, 100)]]
    >>> halve(street, least_nodes=2, least_street=0)
    [('0', [2, 3]), ('1', [0, 1])]
    >>> halve(street, least_nodes=2, least_street=101)
    [('', [0, 1, 2, 3])]
    """
    leaves = []
    waiting = [("", list(range(len(roads))))]
    while waiting:
        bits, members = waiting.pop()
        halves = _halves(roads, members) if len(members) >= 2 * least_nodes else ()
        if len(bits) == HEIGHT or not halves or any(
            len(half) < least_nodes or _street(roads, half) < least_street for half in halves
        ):  # fmt: skip
            leaves.append((bits, sorted(members)))
            continue
        # The first half is popped first, so that leaves come in the order of their bits.
        waiting += [(bits + "1", halves[1]), (bits + "0", halves[0])]
    return leaves


def _halves(roads: Lengths, members: list[int]) -> tuple[list[int], list[int]]:
    """Return two connected halves of a connected set of two crossings or more."""
    inside = set(members)
    # The end that is farthest from any crossing is an end of a long path, if not of the longest.
    far_end = _by_distance(roads, inside, min(members))[-1]
    order = _by_distance(roads, inside, far_end)
    near, far = order[: len(order) // 2], set(order[len(order) // 2 :])
    pieces = []
    while far:
        piece = _piece(roads, far, min(far))
        far -= piece
        pieces.append(piece)
    # The first of the largest, so that the same roads have the same cells everywhere.
    largest = max(pieces, key=len)
    return near + sorted(inside.difference(near, largest)), sorted(largest)


def _by_distance(roads: Lengths, inside: set[int], source: int) -> list[int]:
    """Return the crossings of a connected set by their distance from one, on streets in the set.

    Distances are whole millimetres: sums of floats would decide ties by the machine.
    """
    settled: dict[int, None] = {}
    heap = [(0, source)]
    while heap:
        distance, node = heappop(heap)
        if node in settled:
            continue
        settled[node] = None
        for neighbour, length in roads[node]:
            if neighbour in inside and neighbour not in settled:
                heappush(heap, (distance + length, neighbour))
    return list(settled)


def _piece(roads: Lengths, inside: set[int], source: int) -> set[int]:
    reached, queue = {source}, deque([source])
    while queue:
        for neighbour, _ in roads[queue.popleft()]:
            if neighbour in inside and neighbour not in reached:
                reached.add(neighbour)
                queue.append(neighbour)
    return reached


def _street(roads: Lengths, members: Iterable[int]) -> int:
    inside = set(members)
    ends = (length for node in inside for other, length in roads[node] if other in inside)
    return sum(ends) // 2
