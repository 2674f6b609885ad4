"""Small sound anonymizers of cities and points, on which the checks of the suite are tried."""

import math

import networkx as nx

from kproof.errors import InvalidArgument
from kproof.models.places.heatmap.release import seal_sectors
from kproof.models.places.plane import Box, Plane
from kproof.models.registry import Kind, Promise
from kproof.proptests.cases import Publication
from kproof.proptests.contract import Subject
from kproof.proptests.subjects.native import native_subject


def users_of(graph, nodes):
    return sum(graph.nodes[node]["users"] for node in nodes)


def breadth_first_region(graph, target, k):
    """The document's region: breadth first from the target until it holds k users."""
    region = []
    for node in [target, *(end for _, end in nx.bfs_edges(graph, target, sort_neighbors=sorted))]:
        region.append(node)
        if users_of(graph, region) >= k:
            return set(region)
    return None


def cells(graph, k):
    """Connected cells of at least k users; components with fewer have none."""
    found = []
    for component in sorted(map(sorted, nx.connected_components(graph))):
        if users_of(graph, component) < k:
            continue
        free, mine, rest = set(component), [], []
        while free:
            cell = breadth_first_region(graph.subgraph(free), min(free), k)
            if cell is None:
                cell = nx.node_connected_component(graph.subgraph(free), min(free))
                rest.append(cell)
            else:
                mine.append(cell)
            free -= cell
        for part in rest:
            near = next(cell for cell in mine if any(set(graph[node]) & cell for node in part))
            near |= part
        found += mine
    return found


def cell_of_target(graph, target, k):
    """The corrected region: everybody in a cell has that cell."""
    return next((cell for cell in cells(graph, k) if target in cell), None)


def plane_of(points):
    angles = [math.radians(lon) for lon in points.lon.tolist()]
    east, north = math.fsum(map(math.cos, angles)), math.fsum(map(math.sin, angles))
    middle = round(math.degrees(math.atan2(north, east))) if abs(east) + abs(north) > 1e-9 else 0
    latitude = max(-89, min(89, round(math.fsum(points.lat.tolist()) / points.count)))
    return Plane(latitude, middle)


def root_of(spots, least):
    """A square on a grid of squares that double in side, none of which depends on the data."""
    side = least
    while True:
        west = min(math.floor(x / side) for x, _ in spots) * side
        south = min(math.floor(y / side) for _, y in spots) * side
        if all(x <= west + 2 * side and y <= south + 2 * side for x, y in spots):
            return Box(west, south, west + 2 * side, south + 2 * side)
        side *= 2


def quadtree(points, *, min_k, min_sector_length=100, merge_sectors=True, count="users"):
    """Sectors of a quadtree with at least k each; empty ones are published as empty."""
    whose = points.users.tolist() if count == "users" else range(points.count)
    if len(set(whose)) < min_k:
        raise InvalidArgument("min_k", min_k, f"at most the {len(set(whose))} {count}")
    plane = plane_of(points)
    spots = list(
        zip(*(axis.tolist() for axis in plane.metres(points.lat, points.lon)), strict=True)
    )
    root = root_of(spots, min_sector_length)

    def size(rows):
        return len({whose[row] for row in rows})

    def published(box, rows):
        if size(rows) <= min_k or box.width < 2 * min_sector_length:
            return [([box], rows)]
        x, y = (box.west + box.east) / 2, (box.south + box.north) / 2
        parts = [[], [], [], []]
        for row in rows:
            parts[(spots[row][0] > x) + 2 * (spots[row][1] > y)].append(row)
        groups = [([place], part) for place, part in enumerate(parts)]
        while short := [group for group in groups if 0 < size(group[1]) < min_k]:
            if not merge_sectors:
                return [([box], rows)]
            one = min(short, key=lambda group: group[0])
            beside = [
                group
                for group in groups
                if any((a ^ b) in (1, 2) for a in one[0] for b in group[0]) and group is not one
            ]
            other = max(beside, key=lambda group: (size(group[1]), group[0]))
            groups.remove(one)
            groups.remove(other)
            groups.append((sorted(one[0] + other[0]), one[1] + other[1]))
        if len(groups) == 1:
            return [([box], rows)]
        found = []
        for places, part in groups:
            boxes = [box.quarters()[place] for place in places]
            found += published(boxes[0], part) if len(boxes) == 1 else [(boxes, part)]
        return found

    sectors = published(root, list(range(points.count)))
    return seal_sectors(
        points,
        [boxes for boxes, _ in sectors],
        counts=[size(rows) for _, rows in sectors],
        areas=[
            sum(plane.area(box) for box in boxes) or sum(box.width * box.height for box in boxes)
            for boxes, _ in sectors
        ],
        plane=plane,
        root=root,
        counted=count,
        method="reference quadtree",
        parameters={"min_k": min_k, "min_sector_length": min_sector_length},
    )


REGIONS = native_subject(
    breadth_first_region,
    kind=Kind.CITY,
    promises=frozenset({Promise.K_ANONYMITY, Promise.CONNECTIVITY}),
    name="breadth first",
)
CELLS = native_subject(
    cell_of_target,
    kind=Kind.CITY,
    promises=frozenset({Promise.K_ANONYMITY, Promise.CONNECTIVITY, Promise.RECIPROCITY}),
    name="cells",
)
HEAT_MAP = Subject(
    name="quadtree",
    kind=Kind.POINTS,
    promises=frozenset({Promise.K_ANONYMITY, Promise.PARTITION, Promise.ORDER_INDEPENDENT}),
    publish=lambda case: Publication(quadtree(case.points, **case.parameters)),
    parameters=frozenset({"min_k", "min_sector_length", "merge_sectors", "count"}),
)
REFERENCES = (REGIONS, CELLS, HEAT_MAP)
