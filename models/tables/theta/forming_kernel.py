"""The compiled part of forming classes: halving a table along its widest column."""

import numpy as np

from kproof.models.base.arrays import Codes, Floats, Ranks, put
from kproof.models.base.compiled import compile_kernel
from kproof.models.tables.axes import extents
from kproof.models.tables.theta.kernel import integer_variance


@compile_kernel(steps=lambda ranks, count: ranks.size * count.bit_length())
def blocks(ranks: Ranks, places: Floats, k: int, count: int) -> Codes:
    """Return the rows so ordered that successive runs of k are compact.

    ``ranks`` and ``places``, shape (columns, rows), are order and position of each row's value in
    each column. There are ``count`` classes of k rows; what is left over comes last.
    """
    rows = ranks.shape[1]
    order = np.arange(rows)
    stack = [(0, rows, count)]
    while stack:
        low, high, classes = stack.pop()
        if classes < 2:
            put(order, low, np.sort(order[low:high]))
            continue
        column = np.argmax(extents(places, order[low:high]))
        middle = classes // 2 * k
        put(order, low, _halve(ranks[column], order[low:high], middle))
        stack.append((low + middle, high, classes - classes // 2))
        stack.append((low, low + middle, classes // 2))
    return order


@compile_kernel(steps=lambda ranks, count: 3 * ranks.size * count.bit_length())
def deal(
    ranks: Ranks,
    places: Floats,
    codes: Codes,
    k: int,
    count: int,
    domain: int,
    sizes: Codes,
    least_scaled: Codes,
) -> Codes:
    """Return the class of each row, rows dealt out by value in blocks as small as may be.

    The first arguments are as for :func:`blocks`; rows that are left over go to the last block.
    ``codes`` are the sensitive codes of rows, below ``domain``. ``sizes`` are all that a class can
    have, ``least_scaled`` the least N²·V with which a class of each passes.
    """
    rows = ranks.shape[1]
    order = np.arange(rows)
    class_of = np.empty(rows, dtype=np.int64)
    tally = np.zeros(domain, dtype=np.int64)
    first = 0
    stack = [(0, rows, count, _count_failing(codes, order, count, tally, sizes, least_scaled))]
    while stack:
        low, high, classes, failing = stack.pop()
        # A whole number of classes on the left; what k does not divide is on the right, at the end.
        middle = classes // 2 * k
        divided = False
        if classes > 1:
            widths = extents(places, order[low:high])
            # Widest column first; the first of equals, since argmax takes that.
            for _ in range(len(widths)):
                column = int(np.argmax(widths))
                widths[column] = -1.0
                halves = _halve(ranks[column], order[low:high], middle)
                # Halving must not make more classes fail than dealing out the whole block would. If
                # the left half alone does, the right one need not be looked at.
                left = _count_failing(
                    codes, halves[:middle], classes // 2, tally, sizes, least_scaled
                )
                if left > failing:
                    continue
                right = _count_failing(
                    codes, halves[middle:], classes - classes // 2, tally, sizes, least_scaled
                )
                if left + right <= failing:
                    put(order, low, halves)
                    stack.append((low + middle, high, classes - classes // 2, right))
                    # Last, so that it is taken first: classes are numbered from the left.
                    stack.append((low, low + middle, classes // 2, left))
                    divided = True
                    break
        if not divided:
            block = order[low:high]
            # Every classes-th row of the sorted block: how often a value occurs differs by one at
            # most from class to class.
            # No two keys are equal, so that any sort settles ties by row.
            by_value = np.sort(codes[block] * rows + block) % rows
            for position in range(high - low):
                class_of[by_value[position]] = first + position % classes
            first += classes
    return class_of


def _halve(ranks: Ranks, block: Codes, middle: int) -> Codes:
    """Return a block with its ``middle`` lowest rows in front."""
    # The row is part of the key, so no two are equal and the halves are determined.
    rows = len(ranks)
    keys = ranks[block].astype(np.int64) * rows + block
    # How rows are ordered within a half is not, so that whoever ends with a block sorts it.
    return np.asarray(np.partition(keys, middle) % rows)


def _count_failing(
    codes: Codes, block: Codes, classes: int, tally: Codes, sizes: Codes, least_scaled: Codes
) -> int:
    """Count the classes below the threshold if a block is dealt out by value."""
    # Sorting goes over the rows, counting over all values: whichever are fewer.
    if len(block) < len(tally):
        by_value = np.sort(codes[block])
    else:
        tally[:] = 0
        for row in block:
            tally[codes[row]] += 1
        by_value = np.repeat(np.arange(len(tally)), tally)
    # A class's rows come by value, so that each value is one run of them; their lengths are its
    # frequencies.
    runs = np.empty(len(block) // classes + 1, dtype=np.int64)
    failing = 0
    for c in range(classes):
        size = used = 0
        before = -1
        for position in range(c, len(block), classes):
            value = by_value[position]
            if value != before:
                used += 1
                runs[used - 1] = 0
                before = value
            runs[used - 1] += 1
            size += 1
        if integer_variance(runs[:used]) < least_scaled[np.searchsorted(sizes, size)]:
            failing += 1
    return failing
