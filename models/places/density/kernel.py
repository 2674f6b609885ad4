"""The compiled part of density-aware cloaking: densities, grown regions, cells, pre-images.

A city comes as the compressed rows of its roads and the users at each node. Every loop visits the
neighbours of a node in ascending order, so that the same city has the same regions everywhere.
"""

import numpy as np

from kproof.models.base.arrays import Codes, put
from kproof.models.base.compiled import compile_kernel


def _nodes_around(targets: Codes, users: Codes, depth: int, ball: int) -> int:
    # So many nodes are within some hops of a node on a grid of streets.
    near = ball or 1 + 2 * depth * (depth + 1)
    return len(users) * min(len(targets), 4 * near)


@compile_kernel(steps=_nodes_around)
def densities(offsets: Codes, targets: Codes, users: Codes, depth: int, ball: int) -> Codes:
    """Return the users around each node, in roads that come as compressed rows.

    Users within ``depth`` hops count if ``ball`` is 0. Otherwise hops are added until so many nodes
    are within them, and the users are scaled down to so many nodes, rounding down; a component with
    fewer nodes counts as it is.
    """
    count = len(users)
    around = np.empty(count, dtype=np.int64)
    # reached[i] is the last node whose search met node i: no clearing between searches.
    reached = np.full(count, -1, dtype=np.int64)
    queue = np.empty(count, dtype=np.int64)
    for node in range(count):
        reached[node], queue[0] = node, node
        first, last, hops, total = 0, 1, 0, users[node]
        # queue[first:last] are the nodes of the last hop. Whole hops count, so that a density does
        # not depend on the order of neighbours. An empty hop is the end of the component.
        while first < last and (last < ball if ball > 0 else hops < depth):
            ring = last
            for place in range(first, ring):
                near = queue[place]
                for neighbour in targets[offsets[near] : offsets[near + 1]]:
                    if reached[neighbour] != node:
                        reached[neighbour], queue[last] = node, neighbour
                        last += 1
                        total += users[neighbour]
            first = ring
            hops += 1
        # A city has 2**53 users at most, so that their number times a ball of a few nodes fits.
        around[node] = total * ball // max(last, ball) if ball > 0 else total
    return around


def _steps(targets: Codes, users: Codes, demands: Codes, least_nodes: int, requests: Codes) -> int:
    # As if users were everywhere as many as on average.
    region = demands.max(initial=0) * len(users) // max(users.sum(), 1) + least_nodes
    return len(requests) * min(len(targets), 4 * int(region))


@compile_kernel(steps=_steps)
def grow_regions(
    offsets: Codes,
    targets: Codes,
    users: Codes,
    demands: Codes,
    least_nodes: int,
    requests: Codes,
    budget: int,
) -> tuple[Codes, Codes]:
    """Grow the region of each request breadth first, node by node, until it has enough users.

    ``demands`` says how many the region of each node has to hold, 0 where it cannot and the region
    is empty; ``requests`` has the node of each. Returned are starts of the regions, shape (requests
    + 1,), and their nodes, ascending for each. With more than ``budget`` members together the last
    of the starts is negative.
    """
    starts = np.zeros(len(requests) + 1, dtype=np.int64)
    # Regions one after another, ``used`` nodes so far, with room to grow.
    members = np.empty(min(budget, 4 * len(requests) + 64), dtype=np.int64)
    # reached[i] is the last request whose search met node i; queue[:size] is in the region,
    # queue[size:last] beside it.
    reached = np.full(len(users), -1, dtype=np.int64)
    queue = np.empty(len(users), dtype=np.int64)
    used = 0
    for request, node in enumerate(requests):
        size, last, total, inhabited = 0, 1, 0, 0
        reached[node], queue[0] = request, node
        while (
            demands[node] > 0 and (total < demands[node] or inhabited < least_nodes) and size < last
        ):
            near = queue[size]
            size += 1
            total += users[near]
            inhabited += users[near] > 0
            for neighbour in targets[offsets[near] : offsets[near + 1]]:
                if reached[neighbour] != request:
                    reached[neighbour], queue[last] = request, neighbour
                    last += 1
        if used + size > budget:
            starts[-1] = -1
            return starts, members[:0]
        if used + size > len(members):
            longer = np.empty(min(budget, 2 * (used + size)), dtype=np.int64)
            put(longer, 0, members[:used])
            members = longer
        # Sorted: in the order of the search, the first node would be that of whoever asked.
        put(members, used, np.sort(queue[:size]))
        used += size
        starts[request + 1] = used
    return starts, members[:used].copy()


@compile_kernel(steps=lambda targets, users: 3 * (len(users) + len(targets)))
def cells(
    offsets: Codes, targets: Codes, users: Codes, demands: Codes, least_nodes: int, allowed: Codes
) -> tuple[Codes, Codes]:
    """Cut the allowed nodes into connected cells, each with the users that its users ask for.

    Cells are grown breadth first, one after another, from the nodes in breadth-first order of their
    component, so that what is left over stays in one piece for long. What is left in the end and
    too small joins the neighbouring cell of fewest users, and again until that is enough.

    ``demands`` says how many users a cell with a user at this node has to hold, 1 or more.
    ``allowed`` is 1 for nodes that are to be in a cell; every component of them has to be large
    enough for each of its users, and have enough nodes with users. Returned are the cell of each
    node, numbered by their first nodes, or -1; and the k of each cell.
    """
    count = len(users)
    order = _sweep(offsets, targets, allowed)
    cell_of = np.full(count, -1, dtype=np.int64)
    # By cell: its users, the most that one of them asks for, and its nodes with users.
    total = np.zeros(count, dtype=np.int64)
    need = np.zeros(count, dtype=np.int64)
    inhabited = np.zeros(count, dtype=np.int64)
    # The nodes of a cell are a chain, so that joining two takes no copying.
    head = np.full(count, -1, dtype=np.int64)
    tail = np.full(count, -1, dtype=np.int64)
    after = np.full(count, -1, dtype=np.int64)
    queue = np.empty(count, dtype=np.int64)
    # waiting[i] is the last cell in whose queue node i stood.
    waiting = np.full(count, -1, dtype=np.int64)
    formed = 0
    for start in order:
        if cell_of[start] >= 0:
            continue
        waiting[start], queue[0] = formed, start
        size, last = 0, 1
        # One at least, so that a cell grows until somebody is in it: nodes of nobody hide nobody.
        need[formed] = 1
        head[formed] = start
        while (total[formed] < need[formed] or inhabited[formed] < least_nodes) and size < last:
            near = queue[size]
            cell_of[near] = formed
            if size > 0:
                after[queue[size - 1]] = near
            tail[formed] = near
            size += 1
            # Who joins may ask for more than those who are there, and the cell grows on.
            if users[near] > 0:
                total[formed] += users[near]
                inhabited[formed] += 1
                need[formed] = max(need[formed], demands[near])
            for neighbour in targets[offsets[near] : offsets[near + 1]]:
                if allowed[neighbour] and cell_of[neighbour] < 0 and waiting[neighbour] != formed:
                    waiting[neighbour], queue[last] = formed, neighbour
                    last += 1
        formed += 1
    # One cell stands for all that were joined to it; every node is told in the end.
    parent = np.arange(formed)
    # A cell that is too small has a neighbour: its component has enough users, and they are not all
    # in it. What it joins may then ask for more and joins on in the same turn, so that all cells up
    # to this one are large enough and one pass will do.
    for cell in range(formed):
        root = cell
        while parent[root] != root:
            root = parent[root]
        while total[root] < need[root] or inhabited[root] < least_nodes:
            best = -1
            node = head[root]
            while node >= 0:
                for neighbour in targets[offsets[node] : offsets[node + 1]]:
                    # Follow to the cell that stands for it, halving the way for the next time.
                    adjacent = cell_of[neighbour]
                    while adjacent >= 0 and parent[adjacent] != adjacent:
                        parent[adjacent] = parent[parent[adjacent]]
                        adjacent = parent[adjacent]
                    if adjacent < 0 or adjacent == root:
                        continue
                    if best < 0 or (total[adjacent], adjacent) < (total[best], best):
                        best = adjacent
                node = after[node]
            # The chain of this cell goes behind that of the other, which stands for both.
            parent[root] = best
            after[tail[best]] = head[root]
            tail[best] = tail[root]
            total[best] += total[root]
            inhabited[best] += inhabited[root]
            need[best] = max(need[best], need[root])
            root = best
    return _number_cells(cell_of, parent, need)


def _sweep(offsets: Codes, targets: Codes, allowed: Codes) -> Codes:
    """Return the allowed nodes in breadth-first order, component by component."""
    order = np.empty(len(allowed), dtype=np.int64)
    reached = allowed == 0
    front, last = 0, 0
    for start in range(len(allowed)):
        if not reached[start]:
            reached[start], order[last] = True, start
            last += 1
        while front < last:
            near = order[front]
            front += 1
            for neighbour in targets[offsets[near] : offsets[near + 1]]:
                if not reached[neighbour]:
                    reached[neighbour], order[last] = True, neighbour
                    last += 1
    return order[:last]


def _number_cells(cell_of: Codes, parent: Codes, need: Codes) -> tuple[Codes, Codes]:
    """Give the cells that remain numbers by their first nodes."""
    number = np.full(len(parent), -1, dtype=np.int64)
    k_of_cell = np.empty(len(parent), dtype=np.int64)
    final = np.full(len(cell_of), -1, dtype=np.int64)
    count = 0
    for node in range(len(cell_of)):
        cell = cell_of[node]
        if cell < 0:
            continue
        while parent[cell] != cell:
            cell = parent[cell]
        if number[cell] < 0:
            number[cell] = count
            k_of_cell[count] = need[cell]
            count += 1
        final[node] = number[cell]
    return final, k_of_cell[:count].copy()


@compile_kernel(steps=lambda starts: 2 * (np.diff(starts) ** 2).sum())
def preimages(
    starts: Codes,
    members: Codes,
    k_of_request: Codes,
    own_of: Codes,
    own_starts: Codes,
    own_members: Codes,
    demands: Codes,
    users: Codes,
) -> Codes:
    """Count whose request would have had the same answer, of the regions that were published.

    ``own_of`` has for each node the number of its own region among ``own_members``, and ``demands``
    the k of its request. Returned, shape (4, requests), are users of the region with the same k,
    with the same region, with both; and nodes with users of the same region.
    """
    sets = np.zeros((4, len(starts) - 1), dtype=np.int64)
    for request in range(len(starts) - 1):
        low, high = starts[request], starts[request + 1]
        for place in range(low, high):
            node = members[place]
            # Nobody can have asked from here: the node adds nothing to who may have.
            if users[node] == 0:
                continue
            # Both regions are ascending, so that they are equal if they are place by place. Only
            # members can have this region: everybody's own region has their own node.
            same_k = demands[node] == k_of_request[request]
            begin = own_starts[own_of[node]]
            equal = own_starts[own_of[node] + 1] - begin == high - low
            step = 0
            while equal and step < high - low:
                equal = own_members[begin + step] == members[low + step]
                step += 1
            if same_k:
                sets[0, request] += users[node]
            if equal:
                sets[1, request] += users[node]
                sets[3, request] += 1
            if equal and same_k:
                sets[2, request] += users[node]
    return sets
