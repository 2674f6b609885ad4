"""Which pairs occur in any assignment at all: a class of k rows that k people cover has no room.

Every column takes a row of its own; rows may be left over. Pairs outside every such assignment are
impossible, whatever else is unknown (Régin's filter of the constraint "all different").
"""

from __future__ import annotations

from collections import deque

import numpy as np


def kinds(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the first row of each kind of row, and the kind of every row."""
    place: dict[bytes, int] = {}
    first, kind = [], np.empty(len(matrix), dtype=np.int64)
    for index, row in enumerate(np.packbits(matrix, axis=1)):
        key = row.tobytes()
        if key not in place:
            place[key] = len(place)
            first.append(index)
        kind[index] = place[key]
    return np.array(first, dtype=np.int64), kind


def possible(may: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the pairs of some assignment, and which rows may be left over.

    Where no assignment exists, something was misread, and nothing is concluded.
    """
    people, published = may.shape
    wide = may if people <= published else np.column_stack([may, np.ones(people, dtype=bool)])
    rows, row_kind = kinds(wide)
    columns, column_kind = kinds(wide[rows].T)
    edge = wide[np.ix_(rows, columns)]
    supply = np.bincount(row_kind)
    weight = np.ones(wide.shape[1], dtype=np.int64)
    weight[published:] = people - published
    demand = np.bincount(column_kind, weights=weight).astype(np.int64)
    flow = _saturating(edge, supply, demand) if people >= published else None
    if flow is None:
        return may, np.ones(people, dtype=bool)
    component = _components((flow > 0).T.astype(np.float32) @ edge > 0)
    held = np.zeros((len(rows), component.max() + 1), dtype=bool)
    left, right = np.nonzero(flow)
    held[left, component[right]] = True
    allowed = (edge & held[:, component])[row_kind][:, column_kind]
    spare = allowed[:, published] if people > published else np.zeros(people, dtype=bool)
    return allowed[:, :published], spare


def _saturating(edge: np.ndarray, supply: np.ndarray, demand: np.ndarray) -> np.ndarray | None:
    """Return how many of each kind of row go to each kind of column, or None."""
    flow = np.zeros(edge.shape, dtype=np.int64)
    left, room = supply.copy(), demand.copy()
    popular = edge.sum(axis=0)
    for row in np.argsort(edge.sum(axis=1), kind="stable"):
        ends = np.flatnonzero(edge[row] & (room > 0))
        for column in ends[np.argsort(popular[ends], kind="stable")]:
            moved = min(left[row], room[column])
            flow[row, column] += moved
            left[row] -= moved
            room[column] -= moved
    while left.any():
        path = _augmenting(edge, flow, left, room)
        if path is None:
            return None
        for step, (row, column) in enumerate(path):
            flow[row, column] += 1 if step % 2 == 0 else -1
        left[path[-1][0]] -= 1
        room[path[0][1]] -= 1
    return flow


def _augmenting(
    edge: np.ndarray, flow: np.ndarray, left: np.ndarray, room: np.ndarray
) -> list[tuple[int, int]] | None:
    """Return pairs to add and to take away in turn, from a column with room to a row left over."""
    row_before = np.full(edge.shape[1], -1)
    column_before = np.full(edge.shape[0], -1)
    seen = left > 0
    queue = deque(np.flatnonzero(seen).tolist())
    while queue:
        row = queue.popleft()
        fresh = np.flatnonzero(edge[row] & (row_before < 0))
        row_before[fresh] = row
        ends = fresh[room[fresh] > 0]
        if len(ends):
            path, column = [], int(ends[0])
            while True:
                path.append((row, column))
                if column_before[row] < 0:
                    return path
                column = int(column_before[row])
                path.append((row, column))
                row = int(row_before[column])
        for column in fresh:
            for further in np.flatnonzero((flow[:, column] > 0) & ~seen):
                seen[further] = True
                column_before[further] = column
                queue.append(int(further))
    return None


def _components(arrow: np.ndarray) -> np.ndarray:
    """Return the strongly connected component of each node (Tarjan, without recursion)."""
    nodes = len(arrow)
    order, low = [-1] * nodes, [0] * nodes
    component = np.full(nodes, -1)
    stack: list[int] = []
    clock = count = 0
    for root in range(nodes):
        if order[root] >= 0:
            continue
        work = [(root, iter(np.flatnonzero(arrow[root]).tolist()))]
        order[root] = low[root] = clock
        clock += 1
        stack.append(root)
        while work:
            node, successors = work[-1]
            for follower in successors:
                if order[follower] < 0:
                    order[follower] = low[follower] = clock
                    clock += 1
                    stack.append(follower)
                    work.append((follower, iter(np.flatnonzero(arrow[follower]).tolist())))
                    break
                if component[follower] < 0:
                    low[node] = min(low[node], order[follower])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == order[node]:
                    while component[node] < 0:
                        component[stack.pop()] = count
                    count += 1
    return component
