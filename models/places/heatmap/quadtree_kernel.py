"""The compiled part of quadtree heat maps: cells of a lattice, and the sectors made of them.

Points come as Morton codes, the interleaved bits of their cell's column and row, in ascending
order, so that every square of the tree is one run of them. A plain form that works on sets of rows
is in the tests.
"""

import numpy as np
from numpy.typing import NDArray

from kproof.models.base.arrays import Codes, put, put_rows
from kproof.models.base.compiled import compile_kernel

DEEPEST = 30
"""Levels of a tree at most: two coordinates of 30 bits are one code."""

_MOST_CELLS = 4 + 3 * DEEPEST
"""Cells that wait at one time: cutting a square replaces one by four, once for each level."""


@compile_kernel(steps=lambda east: 3 * len(east))
def interleave(east: NDArray[np.int32], north: NDArray[np.int32], west: int, south: int) -> Codes:
    """Return Morton codes: bits of the column, counted from ``west``, before bits of the row."""
    codes = np.empty(len(east), dtype=np.int64)
    for row in range(len(east)):
        # Widened first: shifted in 32 bits, a column would lose its upper half.
        codes[row] = _spread(int(east[row]) - west) | (_spread(int(north[row]) - south) << 1)
    return codes


def _spread(number: int) -> int:
    """Put a zero bit before each of the 30 bits of a number."""
    # Each step cuts every run of bits in half and moves the upper half up by its length.
    wide = number
    wide = (wide | (wide << 16)) & 0x0000FFFF0000FFFF
    wide = (wide | (wide << 8)) & 0x00FF00FF00FF00FF
    wide = (wide | (wide << 4)) & 0x0F0F0F0F0F0F0F0F
    wide = (wide | (wide << 2)) & 0x3333333333333333
    return (wide | (wide << 1)) & 0x5555555555555555


def _distinct(cells: Codes, group_of: Codes, a: int, b: int, whose: Codes, marks: Codes) -> int:
    """Count the points or users in the cells of two groups; without users every point counts.

    ``marks[u]`` is the mark of the last count that met user u, and ``marks[-1]`` the last mark
    given out: a new count takes the next mark instead of clearing the array.
    """
    total = 0
    marks[-1] += 1
    mark = marks[-1]
    for index in range(len(group_of)):
        if group_of[index] != a and group_of[index] != b:
            continue
        first, last = cells[index, 3], cells[index, 4]
        if len(whose) == 0:
            total += last - first
            continue
        # Codes are sorted, so that the points of a square are the rows from its first to its last.
        for user in whose[first:last]:
            if marks[user] != mark:
                marks[user] = mark
                total += 1
    return total


def _beside(a: Codes, b: Codes) -> bool:
    """Say whether two squares that do not overlap share more than a corner."""
    wide = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    tall = min(a[1] + a[2], b[1] + b[2]) - max(a[1], b[1])
    return bool((wide == 0 and tall > 0) or (tall == 0 and wide > 0))


def _groups_beside(cells: Codes, group_of: Codes, a: int, b: int) -> bool:
    for first in range(len(group_of)):
        if group_of[first] != a:
            continue
        for second in range(len(group_of)):
            if group_of[second] == b and _beside(cells[first], cells[second]):
                return True
    return False


def _join_short(
    cells: Codes, group_of: Codes, counts: Codes, k: int, fill: bool, whose: Codes, marks: Codes
) -> None:
    """Join groups until none is short; ``group_of`` and ``counts`` are changed in place.

    The smallest goes first. It joins the smallest neighbour with which there are k, or the largest
    if there is none. ``counts`` is -1 for a group that was joined to another.
    """
    # Each turn joins two groups, so that this ends. All cells together are connected and hold k
    # (otherwise they would not have been cut), so that a short group always has a neighbour.
    while True:
        short = -1
        for group in range(len(counts)):
            lacks = 0 <= counts[group] < k and (fill or counts[group] > 0)
            if lacks and (short < 0 or counts[group] < counts[short]):
                short = group
        if short < 0:
            return
        best, enough = -1, False
        for group in range(len(counts)):
            if group == short or counts[group] < 0:
                continue
            if not _groups_beside(cells, group_of, short, group):
                continue
            # One user may be in both groups, so that counts need not add up. The sum is a bound
            # that is there already; users are only counted where it leaves the answer open.
            together = counts[group] >= k or (
                counts[group] + counts[short] >= k
                and _distinct(cells, group_of, short, group, whose, marks) >= k
            )
            if best < 0 or together > enough:
                best, enough = group, together
            elif together == enough:
                # Strictly better only: of equals the first group stays, whatever the order was.
                better = counts[group] < counts[best] if enough else counts[group] > counts[best]
                best = group if better else best
        counts[best] = _distinct(cells, group_of, short, best, whose, marks)
        counts[short] = -1
        group_of[group_of == short] = best


def _bundle(cells: Codes, bundles: Codes) -> None:
    """Give the connected parts of the cells after the first numbers from 1."""
    # The cells are few, so that all pairs are compared. 0 stands for a cell not reached yet, and
    # stays with the first one, which is no part of a bundle.
    bundles[:] = 0
    last = 0
    queue = np.empty(len(cells), dtype=np.int64)
    for start in range(1, len(cells)):
        if bundles[start] > 0:
            continue
        last += 1
        bundles[start], queue[0] = last, start
        front, length = 0, 1
        while front < length:
            cell = queue[front]
            front += 1
            for candidate in range(1, len(cells)):
                if bundles[candidate] == 0 and _beside(cells[cell], cells[candidate]):
                    bundles[candidate], queue[length] = last, candidate
                    length += 1


def _canonical(cells: Codes) -> int:
    """Put cells into Morton order and join four that are a square; return how many remain.

    What is left depends on the area alone, not on how it was put together.
    """
    codes = np.empty(len(cells), dtype=np.int64)
    for index in range(len(cells)):
        codes[index] = _spread(cells[index, 0]) | (_spread(cells[index, 1]) << 1)
    ordered = cells[np.argsort(codes)]
    used = 0
    for index in range(len(ordered)):
        put(cells[used], 0, ordered[index])
        used += 1
        # In Morton order four quarters of a square stand side by side, and the last one completes
        # it; the square may itself complete a larger one.
        while used >= 4:
            x, y, size = cells[used - 4, 0], cells[used - 4, 1], cells[used - 1, 2]
            square = x % (2 * size) == 0 and y % (2 * size) == 0
            for quarter in range(4):
                row = cells[used - 4 + quarter]
                square &= row[2] == size
                square &= row[0] == x + size * (quarter & 1)
                square &= row[1] == y + size * (quarter >> 1)
            if not square:
                break
            used -= 3
            cells[used - 1, 2] = 2 * size
    return used


def lengthen(array: Codes, rows: int) -> Codes:
    """Return an array that begins alike and has at least so many rows."""
    # Twice as many as needed, so that rows are copied a constant number of times on average.
    if rows <= len(array):
        return array
    longer = np.empty((2 * rows, array.shape[1]), dtype=np.int64)
    put_rows(longer, 0, array)
    return longer


def _steps(codes: Codes, size: int, k: int) -> int:
    # Each level looks at every point; to decide which quarters join takes about a hundred steps.
    return len(codes) * size.bit_length() + 100 * (len(codes) // k)


@compile_kernel(steps=_steps)
def sectors(
    codes: Codes, whose: Codes, people: int, size: int, k: int, split: int, merge: bool, fill: bool
) -> tuple[Codes, Codes]:
    """Cut the root square, of ``size`` cells (a power of two) along each side, into sectors.

    ``codes`` are Morton codes of the points, ascending; ``whose`` has the user of each, of
    ``people``, or nothing if points are counted. Sectors that are not empty have at least ``k``, as
    the root has; squares with at most ``split`` are not cut. With ``merge`` short quarters join
    others, instead of their square being published; with ``fill`` empty quarters are short too.
    Returned are rows of column, row, side and sector, in cells, in order of sectors; and the count
    of each.
    """
    # A mark for each user, and the last mark given out; see _distinct.
    marks = np.zeros(people + 1, dtype=np.int64)
    # A stack of pieces of work, each of which is an area that becomes one sector unless its square
    # is cut. pool[starts[i]:starts[i + 1]] are the squares of piece i, the last one up to ``top``;
    # totals[i] is the count of users or points in it. A row has column, row and side in cells;
    # first and last, where codes[first:last] are inside; and bundle: 0 for the square that is to be
    # cut, which is the first row, 1, 2, ... for what is carried along with it, by connected parts,
    # and -1 for the first row if none is to be cut.
    pool = np.empty((_MOST_CELLS, 6), dtype=np.int64)
    starts = np.zeros(_MOST_CELLS, dtype=np.int64)
    totals = np.empty(_MOST_CELLS, dtype=np.int64)
    # The piece in hand after its square is cut: four quarters, then what was carried along. Each
    # row of ``cells``, which are as those of the pool, belongs to the group group_of[row], and
    # counts[group] users or points are in a group, -1 once it was joined to another.
    cells = np.empty((_MOST_CELLS, 6), dtype=np.int64)
    group_of = np.zeros(_MOST_CELLS, dtype=np.int64)
    counts = np.empty(_MOST_CELLS, dtype=np.int64)
    # What is returned, with room to grow: ``rows`` squares of ``closed`` sectors are there.
    squares = np.empty((64, 4), dtype=np.int64)
    counted = np.empty((64, 1), dtype=np.int64)
    rows, closed = 0, 0
    pool[0] = (0, 0, size, 0, len(codes), 0)
    totals[0] = _distinct(pool[:1], group_of[:1], 0, 0, whose, marks)
    top, work = 1, 1
    # A piece is either drawn, or replaced by pieces whose squares to cut have half the side, down
    # to one cell: this ends.
    while work > 0:
        work -= 1
        begin, total = starts[work], totals[work]
        filled, groups = 4, 4
        cut = pool[begin, 5] == 0 and pool[begin, 2] > 1 and total > split
        # A union of squares is cut only if two sectors of k could come of it.
        cut &= top - begin == 1 or total >= 2 * k
        if cut:
            # Quarters are groups 0 to 3; what was carried along stays together, part by part, so
            # that it moves as a whole.
            _quarter(pool[begin], codes, cells)
            for quarter in range(4):
                group_of[quarter] = quarter
            for index in range(begin + 1, top):
                put(cells[filled], 0, pool[index])
                group_of[filled] = 3 + pool[index, 5]
                groups = max(groups, group_of[filled] + 1)
                filled += 1
            for group in range(groups):
                counts[group] = _distinct(
                    cells[:filled], group_of[:filled], group, group, whose, marks
                )
        # Joining overwrites counts, but which quarter is fullest is a matter of the quarters alone.
        alone = counts[:4].copy()
        if cut and merge:
            _join_short(cells[:filled], group_of[:filled], counts[:groups], k, fill, whose, marks)
        elif cut:
            for quarter in range(4):
                cut &= counts[quarter] >= k or (counts[quarter] == 0 and not fill)
        if not cut:
            # The piece in hand is on top of the stack, so that its rows may be overwritten.
            remaining = _canonical(pool[begin:top])
            squares = lengthen(squares, rows + remaining)
            put_rows(squares, rows, pool[begin : begin + remaining, :3])
            squares[rows : rows + remaining, 3] = closed
            counted = lengthen(counted, closed + 1)
            counted[closed, 0] = total
            rows, closed, top = rows + remaining, closed + 1, begin
            continue
        top = begin
        # The last that is put on the stack is the first that is taken: sectors come out in the
        # order of the groups, that is of the quarters, south-west first.
        for group in range(groups - 1, -1, -1):
            if counts[group] < 0:
                continue
            # The fullest quarter of a group is cut next; a group of carried squares alone has none
            # and is drawn as it is.
            host = -1
            for index in range(filled):
                if group_of[index] == group and (
                    host < 0 or (index < 4 and alone[index] > alone[host])
                ):
                    host = index
            starts[work], totals[work] = top, counts[group]
            begin, work = top, work + 1
            put(pool[top], 0, cells[host])
            top += 1
            for index in range(filled):
                if group_of[index] == group and index != host:
                    put(pool[top], 0, cells[index])
                    top += 1
            _bundle(pool[begin:top], pool[begin:top, 5])
            pool[begin, 5] = 0 if host < 4 else -1
    return squares[:rows].copy(), counted[:closed, 0].copy()


def _quarter(square: Codes, codes: Codes, cells: Codes) -> None:
    """Write the quarters of a square, with the points in each, as the first four cells."""
    # The codes of a quarter are half * half consecutive numbers, in the order of the quarters, so
    # that three searches find all of its points.
    half = square[2] // 2
    base = _spread(square[0]) | (_spread(square[1]) << 1)
    first, last = square[3], square[4]
    for quarter in range(4):
        until = last
        if quarter < 3:
            bound = base + (quarter + 1) * half * half
            until = first + np.searchsorted(codes[first:last], bound)
        cells[quarter, 0] = square[0] + half * (quarter & 1)
        cells[quarter, 1] = square[1] + half * (quarter >> 1)
        cells[quarter, 2], cells[quarter, 3], cells[quarter, 4] = half, first, until
        first = until
