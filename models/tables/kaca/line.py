"""The inner loop of fixed cells: joining neighbours on a line, the smallest cell first.

Groups of records stand on a line, and neighbours are joined until every cell has as many people as
is asked. One run of the loop serves every k: what is kept of a boundary is the largest k for which
it is one.
"""

import heapq

import numpy as np

from kproof.models.base.arrays import Codes
from kproof.models.base.compiled import compile_kernel


def newcomers(first: int, start: int, stop: int, weights: Codes, previous: Codes) -> int:
    """Return how many people of the rows from ``start`` to ``stop`` are in none from ``first``."""
    total = 0
    if len(previous) == 0:
        for row in range(start, stop):
            total += weights[row]
    else:
        for row in range(start, stop):
            # The last row before it of the same person lies before the cell,
            # which is a run of rows.
            if previous[row] < first:
                total += 1
    return total


@compile_kernel(steps=lambda starts, weights: 20 * len(starts) + 4 * len(weights))
def join(
    starts: Codes, weights: Codes, previous: Codes, apart: Codes, days: Codes, rungs: Codes
) -> tuple[Codes, Codes]:
    """Join neighbours, the cell on the lowest rung first, until all are on the highest.

    A cell joins the neighbour of its own day from which it is least apart. If there is none it
    joins the next day, and if there is no next day it stays open.

    Args:
        starts, weights: Shape (groups + 1,) and (rows,): rows of each group, records of each row;
            who they are of is not known.
        previous: Shape (rows,): the last row before it of the same person, -1 if there is none, and
            the number of rows where the person is not known; empty if nobody's is.
        apart, days: Shape (groups,): how far each group is from the one before it, and the day of
            the line, never falling.
        rungs: Shape (largest k + 1,): for each number of people what the loop is told of it, the
            largest k that may be asked for and is no larger; 0 below all. The loop sees rungs
            alone, so nothing that it does tells two sizes of one rung apart.

    Returns:
        tuple: ``until``, shape (groups,): the largest k for which a cell begins with the group, if
        none is open; ``open_above``, shape (groups,): whether the cell that begins with the group
        is open for every larger k.
    """
    count, largest_k = len(starts) - 1, len(rungs) - 1
    until = np.full(count, largest_k, dtype=np.int64)
    open_above = np.full(count, largest_k, dtype=np.int64)
    sizes = np.empty(count, dtype=np.int64)
    left, right = np.arange(count) - 1, np.arange(count) + 1
    # The day at a cell's right end; the one at its left end is that of its first group.
    last_day = days.copy()
    # Empty, yet machine code sees the type of what will be in it.
    heap = [(np.int64(0), np.int64(0)) for _ in range(0)]
    for group in range(count):
        sizes[group] = newcomers(starts[group], starts[group], starts[group + 1], weights, previous)
        # The place settles ties, so that the order of joining follows from the records.
        heap.append((np.int64(rungs[min(sizes[group], largest_k)]), np.int64(group)))
    heapq.heapify(heap)
    alive = np.ones(count, dtype=np.bool_)
    end = count
    while len(heap) > 0:
        size, cell = heapq.heappop(heap)
        # A cell that grew was put there anew; what it had before stays until it comes up here.
        if not alive[cell] or rungs[min(sizes[cell], largest_k)] != size:
            continue
        # The lowest of the heap is on the highest rung, and so is everything behind it.
        if size >= largest_k:
            break
        before, after = left[cell], right[cell]
        joins_before = before >= 0 and last_day[before] == days[cell]
        joins_after = after < end and days[after] == last_day[cell]
        if joins_before and joins_after:
            joins_before = apart[cell] < apart[after] or (
                apart[cell] == apart[after]
                and rungs[min(sizes[before], largest_k)] <= rungs[min(sizes[after], largest_k)]
            )
        if joins_before:
            survivor, gone = before, cell
        elif after < end:
            survivor, gone = cell, after
        else:
            # Nothing may be joined to it that a later day will be joined to: it leaves the line.
            open_above[cell] = size
            alive[cell] = False
            end = int(cell)
            continue
        until[gone] = size
        alive[gone] = False
        following = right[gone]
        stop = starts[following]
        # People are counted once in a cell: those who were in it before are no newcomers.
        sizes[survivor] += newcomers(starts[survivor], starts[gone], stop, weights, previous)
        last_day[survivor] = last_day[gone]
        right[survivor] = following
        if following < count:
            left[following] = survivor
        rung = rungs[min(sizes[survivor], largest_k)]
        heapq.heappush(heap, (np.int64(rung), np.int64(survivor)))
    return until, open_above
