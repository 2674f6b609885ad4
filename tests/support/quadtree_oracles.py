"""A plain quadtree heat map on sets of rows, and areas of GeoJSON shapes, both in rationals."""

import math
from fractions import Fraction
from itertools import pairwise


def cell_of(metres, side):
    """Return the cell of a coordinate; on a line it is the one before."""
    return math.ceil(Fraction(metres) / side) - 1


def root_of(cells):
    """Return corner and side of the smallest two by two squares of a size that is a power of 2."""
    half = 1
    while True:
        corner = tuple(min(cell[axis] for cell in cells) // half * half for axis in (0, 1))
        if all(cell[axis] - corner[axis] < 2 * half for cell in cells for axis in (0, 1)):
            return corner, 2 * half
        half *= 2


def touch(one, other):
    """Say whether two disjoint squares (x, y, side) share more than a corner."""
    spans = [
        min(one[axis] + one[2], other[axis] + other[2]) - max(one[axis], other[axis])
        for axis in (0, 1)
    ]
    return sorted(spans)[0] == 0 < sorted(spans)[1]


def holds(square, cell):
    """Say whether a cell is in a square (x, y, side)."""
    return all(0 <= cell[axis] - square[axis] < square[2] for axis in (0, 1))


def groups_touch(one, other):
    return any(touch(first, second) for first in one for second in other)


def pieces(squares):
    """Return connected parts of squares, by their first squares."""
    left, found = list(squares), []
    while left:
        part = [left.pop(0)]
        while near := [one for one in left if groups_touch([one], part)]:
            part += near
            left = [one for one in left if one not in near]
        found.append([one for one in squares if one in part])
    return found


def sectors(cells, whose, *, k, split, merge, fill):
    """Return the sectors as a set of pairs of unit cells and count.

    Args:
        cells: Column and row of each point.
        whose: What is counted at each point.
    """
    corner, side = root_of(cells)
    found = []

    def rows(squares):
        return [row for row, cell in enumerate(cells) if any(holds(one, cell) for one in squares)]

    def size(squares):
        return len({whose[row] for row in rows(squares)})

    def short(squares):
        return size(squares) < k and (fill or size(squares) > 0)

    def publish(host, carried):
        everything = [host, *(square for bundle in carried for square in bundle)]
        enough = size(everything) > split and (not carried or size(everything) >= 2 * k)
        if host[2] == 1 or not enough:
            found.append(everything)
            return
        x, y, half = host[0], host[1], host[2] // 2
        quarters = [(x + half * i, y + half * j, half) for j in (0, 1) for i in (0, 1)]
        alone = {quarter: size([quarter]) for quarter in quarters}
        groups = {place: [quarter] for place, quarter in enumerate(quarters)}
        groups |= {4 + place: bundle for place, bundle in enumerate(carried)}
        if not merge and any(short(group) for group in groups.values()):
            found.append(everything)
            return
        while few := [place for place, group in groups.items() if short(group)]:
            one = min(few, key=lambda place: (size(groups[place]), place))
            near = [
                place
                for place in groups
                if place != one and groups_touch(groups[place], groups[one])
            ]
            enough = [place for place in near if size(groups[place] + groups[one]) >= k]
            if enough:
                other = min(enough, key=lambda place: (size(groups[place]), place))
            else:
                other = min(near, key=lambda place: (-size(groups[place]), place))
            members = set(groups.pop(one)) | set(groups[other])
            order = [*quarters, *(square for bundle in carried for square in bundle)]
            groups[other] = [square for square in order if square in members]
        for place in sorted(groups):
            inside = [square for square in groups[place] if square in alone]
            if not inside:
                found.append(groups[place])
                continue
            best = max(inside, key=lambda square: (alone[square], -quarters.index(square)))
            publish(best, pieces([square for square in groups[place] if square != best]))

    publish((*corner, side), [])
    return (*corner, side), {(frozenset(units(squares)), size(squares)) for squares in found}


def units(squares):
    return [
        (x + i, y + j) for x, y, side in squares for i in range(int(side)) for j in range(int(side))
    ]


def ring_area(ring):
    """Return the signed area of a closed ring of Fractions: positive if counterclockwise."""
    return sum((x * w - z * y for (x, y), (z, w) in pairwise(ring)), Fraction(0)) / 2
