"""The compiled part of top-down local recoding: specialising classes as far as a demand permits.

A demand is met by every superset of a set of rows that meets it; the search for a cut and the
taking back of children rely on that.
"""

from typing import NamedTuple

import numpy as np

from kproof.models.base.arrays import Codes, Floats, Ranks, put
from kproof.models.base.compiled import compile_kernel
from kproof.models.tables.axes import extents


class _Needs(NamedTuple):
    """What a class must have, see :func:`specialise`, and scratch to count it in."""

    kinds: Codes
    """Shape (rows,): kind of each row."""
    weight_of: Codes
    demand: Codes
    last_stamp: Codes
    """By kind: the last stamp under which it was met. A new stamp forgets all kinds at once."""
    stamp: Codes
    """Shape (1,): an array, as helpers raise it."""


def _cells_looked_at(ranks: Ranks, demand: Codes) -> int:
    return 3 * ranks.size * int(ranks.shape[1] // demand[0]).bit_length()


@compile_kernel(steps=_cells_looked_at)
def specialise(
    ranks: Ranks,
    places: Floats,
    trees: Codes,
    begins: Codes,
    depths: Codes,
    codes: Codes,
    kind_of: Codes,
    weight_of: Codes,
    demand: Codes,
    cuts: int,
) -> Codes:
    """Return the class of each row.

    Args:
        ranks, places: Shape (columns, rows): order and position of each row's value in each column.
        trees, begins, depths: ``trees[begins[c]:begins[c + 1]]`` is, row by row, the node above
            each rank of column c at depth 1, ..., ``depths[c]``; no depths if the column has no
            taxonomy.
        codes, kind_of, weight_of: Sensitive code of each row, kind of each code, weight of each
            kind.
        demand: Least rows, kinds and weight of a class.
        cuts: How many blocks are divided at most, the whole table first.
    """
    rows = ranks.shape[1]
    order = np.arange(rows)
    class_of = np.empty(rows, dtype=np.int64)
    last_stamp, stamp = np.zeros(len(weight_of), dtype=np.int64), np.zeros(1, dtype=np.int64)
    needs = _Needs(kind_of[codes], weight_of, demand, last_stamp, stamp)
    count = 0
    stack = [(0, rows)]
    while stack:
        low, high = stack.pop()
        divided = False
        if cuts and high - low > demand[0]:
            widths = extents(places, order[low:high])
            # Widest column first; the first of equals, since argmax takes that.
            for _ in range(len(widths)):
                column = int(np.argmax(widths))
                # Also at -1, which marks the columns that were tried.
                if not widths[column] > 0:
                    break
                widths[column] = -1.0
                block = _sort(ranks[column], order[low:high])
                of_row = ranks[column][block]
                if depths[column]:
                    tree = trees[begins[column] : begins[column + 1]].reshape(depths[column], -1)
                    parts = _take_back(block, _children(tree, of_row), needs)
                else:
                    parts = _part_starts(block, of_row, needs)
                if len(parts) > 1:
                    put(order, low, block)
                    cuts -= 1
                    # The first part is put on top: classes are numbered in the order of the rows.
                    for part in range(len(parts) - 1, -1, -1):
                        end = low + parts[part + 1] if part + 1 < len(parts) else high
                        stack.append((low + parts[part], end))
                    divided = True
                    break
        if not divided:
            class_of[order[low:high]] = count
            count += 1
    return class_of


def _sort(ranks: Ranks, block: Codes) -> Codes:
    """Return a block sorted by rank, then by row."""
    rows = len(ranks)
    # One key of rank and row: its plain sort settles ties by row, and the remainder is the row.
    return np.asarray(np.sort(ranks[block].astype(np.int64) * rows + block) % rows)


def _children(tree: Codes, of_row: Ranks) -> Codes:
    """Return where the children of the lowest node above sorted rows begin."""
    # Depth 1 is below the root. The first depth at which sorted rows differ is that of the children
    # of their lowest common node.
    for depth in range(len(tree)):
        node = tree[depth]
        nodes = node[of_row]
        turns = np.flatnonzero(nodes[1:] != nodes[:-1]) + 1
        if len(turns):
            return np.append(np.zeros(1, dtype=np.int64), turns)
    return np.zeros(1, dtype=np.int64)


def _rows_needed(block: Codes, needs: _Needs) -> int:
    """Return how many rows from the front meet the demand; -1 if all together do not."""
    demand = needs.demand
    needs.stamp[0] += 1
    distinct = weight = 0
    for i in range(len(block)):
        kind = needs.kinds[block[i]]
        if needs.last_stamp[kind] != needs.stamp[0]:
            needs.last_stamp[kind] = needs.stamp[0]
            distinct += 1
            weight += needs.weight_of[kind]
        if i + 1 >= demand[0] and distinct >= demand[1] and weight >= demand[2]:
            return i + 1
    return -1


def _part_starts(block: Codes, of_row: Ranks, needs: _Needs) -> Codes:
    """Return the starts of two parts that meet the demand, cut nearest to the middle, or of one."""
    size = len(block)
    # The demand grows with the rows: a cut is admissible from ``first`` on and up to ``last``.
    first = _rows_needed(block, needs)
    last = size - _rows_needed(block[::-1], needs)
    # The block as a whole meets the demand, as all that is cut does, so neither is -1. Where there
    # is no cut, 0 is farther from the middle than any.
    best = 0
    for i in range(max(first, 1), min(last, size - 1) + 1):
        # The lower of two cuts equally near comes first.
        if of_row[i] != of_row[i - 1] and abs(2 * i - size) < abs(2 * best - size):
            best = i
    return np.array([0, best]) if best else np.zeros(1, dtype=np.int64)


def _take_back(block: Codes, starts: Codes, needs: _Needs) -> Codes:
    """Reorder a block: first what its node takes back, then the children that stand alone.

    Returns where the parts begin; a single part if no child stands alone.
    """
    children = len(starts)
    ends = np.append(starts[1:], len(block))
    alone = np.zeros(children, dtype=np.bool_)
    for child in range(children):
        alone[child] = _rows_needed(block[starts[child] : ends[child]], needs) > 0
    # What cannot stand alone stays with the node. If that does not meet the demand, the node takes
    # back the smallest child that could, until it does or has everything: each round takes one.
    reordered = np.empty(len(block), dtype=np.int64)
    while True:
        used = 0
        for child in range(children):
            if not alone[child]:
                size = ends[child] - starts[child]
                put(reordered, used, block[starts[child] : ends[child]])
                used += size
        if used in (0, len(block)):
            break
        if _rows_needed(reordered[:used], needs) > 0:
            break
        smallest = -1
        for child in range(children):
            if alone[child] and (
                smallest < 0 or ends[child] - starts[child] < ends[smallest] - starts[smallest]
            ):
                smallest = child
        alone[smallest] = False
    if used == len(block):
        return np.zeros(1, dtype=np.int64)
    parts = []
    if used:
        parts.append(0)
    for child in range(children):
        if alone[child]:
            parts.append(used)
            size = ends[child] - starts[child]
            put(reordered, used, block[starts[child] : ends[child]])
            used += size
    put(block, 0, reordered)
    return np.array(parts)
