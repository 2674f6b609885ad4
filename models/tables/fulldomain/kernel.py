"""The compiled part of full-domain recoding: how many rows each node of the lattice leaves short.

A node is one level for each column. Its classes are found from those of a finer node, of which
there are fewer than rows, so the lattice is walked as a tree: the parent of a node has the last of
its raised levels lower by one. Whatever lies below a node in that tree is coarser, and so is never
cheaper by the labels alone; that is what cuts branches off.
"""

from typing import NamedTuple

import numpy as np

from kproof.models.base.arrays import Codes, Floats
from kproof.models.base.compiled import compile_kernel

SHORT, COSTLY = -1, -2
"""What stands for the suppressed rows of a node that was cut off with its branch: even the coarsest
node of the branch leaves out too many rows; or the finest labels of the branch, with the rows that
its coarsest node leaves out, cost too much."""

SLACK = 1 + 1e-9
"""How far above the bound a loss has to be to be cut off, so that rounding cuts off no optimum."""

BRANCH = 6
"""Fewest nodes of a branch for which it pays to look at its coarsest node first."""


class _Levels(NamedTuple):
    """The records and the levels of their columns, see :func:`explore`, and scratch."""

    codes: Codes
    sizes: Codes
    begins: Codes
    up: Codes
    cost: Floats
    distinct: Codes
    slots: Codes
    keys: Codes
    """Shape (slots,): the class in each slot of a hash table, and the key of that."""


def _steps(codes: Codes, sizes: Codes) -> int:
    # Python's integers here: sizes may multiply to more than 64 bits hold.
    nodes = 1
    for size in sizes.tolist():
        nodes *= size
    return int(codes.size * min(nodes, 1 << 30))


@compile_kernel(steps=_steps, modular=True)
def explore(
    codes: Codes,
    counts: Codes,
    sizes: Codes,
    begins: Codes,
    up: Codes,
    cost: Floats,
    distinct: Codes,
    plain: Floats,
    fewest_rows: int,
    budget: int,
    bound: float,
    lowers: bool,
) -> tuple[Codes, Floats, Codes]:
    """Return, by node, the rows in classes that are too small, the loss, and the smallest class.

    Args:
        codes, counts: Shape (records, columns) and (records,): code of each distinct record in each
            column, and its rows.
        sizes: Shape (columns,): levels of each column. Nodes are numbered with the last column
            fastest.
        begins, up, cost: Column c has the code ``up[begins[c] + level * width + code]`` at a level,
            at that cost to a row, with ``width = (begins[c + 1] - begins[c]) / sizes[c]`` codes.
        distinct, plain: Shape (columns, most levels): number of codes, and mean cost of a column at
            a level, all rows being published.
        fewest_rows, budget: Fewest rows of a class; most rows in smaller ones.
        bound, lowers: A loss that is attained: what must cost more is not looked at; and whether a
            node within the budget lowers it to its loss.

    Returns:
        Rows in classes that are too small, or :data:`SHORT` or :data:`COSTLY`; the mean loss of a
        row, with 1 for a row in such a class (for a node cut off, what it is at least); rows of the
        smallest other class, 0 if there is none.
    """
    columns = len(sizes)
    total = 0
    for count in counts:
        total += count
    # Numbers as in ravel_multi_index, by which the caller names nodes.
    strides = np.ones(columns, dtype=np.int64)
    for column in range(columns - 2, -1, -1):
        strides[column] = strides[column + 1] * sizes[column + 1]
    nodes = strides[0] * sizes[0]
    short = np.zeros(nodes, dtype=np.int64)
    loss = np.zeros(nodes, dtype=np.float64)
    smallest = np.zeros(nodes, dtype=np.int64)
    levels = np.zeros(columns, dtype=np.int64)
    highest = np.zeros(columns, dtype=np.int64)
    # A power of two, so that a mask finds a slot, and at most half full: probes are short.
    room = 4
    while room < 2 * len(counts):
        room *= 2
    slots, keys = np.full(room, -1, dtype=np.int64), np.zeros(room, dtype=np.int64)
    columns_of = _Levels(codes, sizes, begins, up, cost, distinct, slots, keys)
    # Beside each node that waits: the column raised last, and the classes of its parent.
    # The parent's classes wait and not the node's own: they are joined once it is known that the
    # branch is not cut off.
    waiting = [(0, 0)]
    members = [np.arange(len(counts))]
    people = [counts]
    while waiting:
        # Depth first: a branch is done before the next one, so that few lists of classes wait.
        node, last = waiting.pop()
        records, rows = members.pop(), people.pop()
        base, branch = 0.0, 1
        for column in range(columns):
            levels[column] = node // strides[column] % sizes[column]
            highest[column] = levels[column]
            base += plain[column, levels[column]]
            if column >= last:
                highest[column] = sizes[column] - 1
                branch *= sizes[column] - levels[column]
        # The columns after the last one raised are at their lowest and the last one may rise, so
        # the numbers of the branch are a run.
        end = node + (sizes[last] - levels[last]) * strides[last]
        if branch >= BRANCH and base <= bound * SLACK:
            # Rows that the coarsest node leaves out are left out by each finer one.
            joined, class_rows = _join(columns_of, records, rows, highest)
            suppressed, lost, _ = _short(columns_of, joined, class_rows, highest, fewest_rows)
            base += lost / total
            if suppressed > budget:
                short[node:end] = SHORT
                loss[node:end] = base
                continue
        if base > bound * SLACK:
            short[node:end] = COSTLY
            loss[node:end] = base
            continue
        base = 0.0
        for column in range(columns):
            base += plain[column, levels[column]]
        records, rows = _join(columns_of, records, rows, levels)
        suppressed, lost, fewest = _short(columns_of, records, rows, levels, fewest_rows)
        short[node] = suppressed
        loss[node] = base + lost / total
        smallest[node] = fewest
        # Only where counts decide: another model may leave out more rows, and the node lose more.
        if lowers and suppressed <= budget and fewest > 0 and loss[node] < bound:
            bound = loss[node]
        # Columns before the last one raised stay as they are: one way leads to each node.
        for column in range(last, columns):
            if levels[column] + 1 < sizes[column]:
                waiting.append((node + strides[column], column))
                members.append(records)
                people.append(rows)
    return short, loss, smallest


def _starts(columns_of: _Levels, levels: Codes) -> Codes:
    """Return where the codes and costs of each column begin at its level."""
    begins = columns_of.begins[:-1]
    widths = (columns_of.begins[1:] - begins) // columns_of.sizes
    return begins + levels * widths


def _join(columns_of: _Levels, records: Codes, rows: Codes, levels: Codes) -> tuple[Codes, Codes]:
    """Join classes that are alike at some levels; return a record of each class, and its rows."""
    codes, up, slots, keys = columns_of.codes, columns_of.up, columns_of.slots, columns_of.keys
    columns, starts = len(levels), _starts(columns_of, levels)
    weights = np.empty(columns, dtype=np.int64)
    weight, injective = 1, True
    for column in range(columns):
        weights[column] = weight
        many = columns_of.distinct[column, levels[column]]
        # Before the product, which would have wrapped around already.
        if weight > (1 << 62) // many:
            # Keys of different classes may agree from here on, and records have to be compared.
            injective = False
            # Modulo 2^64, by the constants of Knuth's MMIX generator; any would be right here.
            weight = weight * 6364136223846793005 + 1442695040888963407
        else:
            weight *= many
    room = 4
    while room < 2 * len(records):
        room *= 2
    slots[:room] = -1
    mask = room - 1
    joined = np.empty(len(records), dtype=np.int64)
    class_rows = np.zeros(len(records), dtype=np.int64)
    classes = 0
    for index in range(len(records)):
        record = records[index]
        key = 0
        for column in range(columns):
            key += up[starts[column] + codes[record, column]] * weights[column]
        # By 2^64 over the golden ratio, modulo 2^64: keys that are close together are spread.
        mixed = key * -7046029254386353131
        slot = (mixed ^ (mixed >> 32)) & mask
        while True:
            occupant = slots[slot]
            if occupant < 0:
                slots[slot] = classes
                keys[slot] = key
                joined[classes] = record
                class_rows[classes] = rows[index]
                classes += 1
                break
            # The whole key first: records are compared only where two keys agree, which modulo 2^64
            # hardly any others do.
            if keys[slot] == key and (
                injective or _alike(codes, record, joined[occupant], starts, up)
            ):
                class_rows[occupant] += rows[index]
                break
            # The next slot: at most half are taken, so a free one is near, and there always is one.
            slot = (slot + 1) & mask
    # Copies: a view would keep room for all records of the parent alive while it waits.
    return joined[:classes].copy(), class_rows[:classes].copy()


def _alike(codes: Codes, first: int, second: int, starts: Codes, up: Codes) -> bool:
    for column in range(len(starts)):
        if up[starts[column] + codes[first, column]] != up[starts[column] + codes[second, column]]:
            return False
    return True


def _short(
    columns_of: _Levels, records: Codes, rows: Codes, levels: Codes, fewest_rows: int
) -> tuple[int, float, int]:
    """Return the rows of small classes, what it costs more to suppress them, and the least size."""
    codes, cost, starts = columns_of.codes, columns_of.cost, _starts(columns_of, levels)
    suppressed, fewest, lost = 0, 0, 0.0
    for index in range(len(records)):
        if rows[index] >= fewest_rows:
            if fewest == 0 or rows[index] < fewest:
                fewest = rows[index]
            continue
        suppressed += rows[index]
        paid = 0.0
        for column in range(len(levels)):
            paid += cost[starts[column] + codes[records[index], column]]
        # The mean cost of a node has their labels in it: to suppress a row costs the rest up to 1.
        lost += (1.0 - paid) * rows[index]
    return suppressed, lost, fewest
