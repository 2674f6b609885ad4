"""Checks of what is published of cities and points: cloaking regions and heat maps.

Roads, users and points are read from the case as it was drawn, and distances, areas and counts
are worked out here once more, in rationals where they are rational.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kproof.models.places.heatmap.release import Counted, Sector, SectorRelease
from kproof.models.places.regions import RegionRelease
from kproof.models.registry import Kind, Promise
from kproof.proptests.cases import CityCase, PointsCase, Publication
from kproof.proptests.checks.heatmap_geometry import (
    DrawnPoints,
    area_of,
    exact_area,
    share_an_edge,
    side_lengths,
)
from kproof.proptests.checks.releases import (
    fingerprint,
    release_of,
    release_or_none,
    size_asked_for,
)
from kproof.proptests.contract import Check, Declarations, Severity, Trial
from kproof.proptests.judgement import (
    Judgement,
    Kept,
    NotApplicable,
    Unjudged,
    Violation,
    keep_if_compared,
)

EXACT, GLOBE = 1e-9, 0.01
"""Relative tolerance of areas on a plane, and of areas on the globe, sphere or ellipsoid."""

_city, _points = (Declarations(frozenset({kind})) for kind in (Kind.CITY, Kind.POINTS))
_CLOAKING = "Density-Aware Adaptive k-Anonymity: connected regions of at least k users"
_RECIPROCITY = "Kalnis, Ghinita, Mouratidis, Papadias, TKDE 19(12), 2007: reciprocity"
_HEAT = "QuadTreeHeatMap: sectors of at least k, density = count / area"

_NO_REGION = "no request was served"


def _regions(trial: Trial) -> list[tuple[int, int, tuple[int, ...]]]:
    """Return request, target and region of every request that was served."""
    release = release_or_none(trial)
    if not isinstance(release, RegionRelease):
        return []
    return [
        (request, target, tuple(release.region(request).tolist()))
        for request, target in enumerate(release.targets.tolist())
        if not release.insufficient[request]
    ]


@_city("connected region", "components(roads[region]) = 1", _CLOAKING, Promise.CONNECTIVITY)
def _judge_connected(trial: Trial) -> Judgement:
    """Every region is connected by roads within it."""
    import networkx as nx

    case: CityCase = trial.case
    roads = nx.Graph(list(case.roads))
    roads.add_nodes_from(range(len(case.users)))
    regions = _regions(trial)
    for request, target, region in regions:
        pieces = sorted(map(sorted, nx.connected_components(roads.subgraph(region))))
        if len(pieces) > 1:
            listing = " and ".join(_some(tuple(piece)) for piece in pieces)
            sentence = f"the region of node {target} is in {len(pieces)} pieces: {listing}"
            return Violation(
                sentence, f"{len(pieces)} pieces", "1", input_rows=region, output_rows=(request,)
            )
    return keep_if_compared(len(regions), _NO_REGION)


@_city.truth("contains target", "target in region", _CLOAKING)
def _contains_target(trial: Trial) -> Judgement:
    """Every region contains the node the request came from."""
    regions = _regions(trial)
    for request, target, region in regions:
        if target not in region:
            sentence = f"node {target} is not in its region {_some(region)}"
            return Violation(
                sentence, "outside", "inside", input_rows=(target, *region), output_rows=(request,)
            )
    return keep_if_compared(len(regions), _NO_REGION)


@_city("region k", "sum of users over region >= k", _CLOAKING, Promise.K_ANONYMITY)
def _region_k(trial: Trial) -> Judgement:
    """Every region holds at least k users, or is called insufficient and not published."""
    release, least_k = release_of(RegionRelease, "", trial), size_asked_for(trial)
    case: CityCase = trial.case
    for request, target in enumerate(release.targets.tolist()):
        region = tuple(release.region(request).tolist())
        k = max(int(release.k[request]), least_k)
        if release.insufficient[request]:
            if region:
                sentence = (
                    f"the region of node {target} is called insufficient and published:"
                    f" {_some(region)}"
                )
                return Violation(sentence, f"{len(region)} nodes", "no nodes", region, (request,))
            continue
        users = sum(case.users[node] for node in region)
        if users < k:
            sentence = (
                f"region of node {target}, {_some(region)}: {_count_text(users, 'users')}, k = {k}"
            )
            return Violation(
                sentence, str(users), f">= {k}", input_rows=region, output_rows=(request,)
            )
    return keep_if_compared(len(_regions(trial)), _NO_REGION)


@_city("reciprocal", "u in region(v) => region(u) = region(v)", _RECIPROCITY, Promise.RECIPROCITY)
def _reciprocal(trial: Trial) -> Judgement:
    """Every user in a region gets that same region."""
    case: CityCase = trial.case
    published = _regions(trial)
    nodes = {node for _, _, region in published for node in region if case.users[node]}
    if not nodes:
        return NotApplicable(_NO_REGION)
    theirs = trial.beside(replace(case, targets=tuple(sorted(nodes))))
    region_of = {target: region for _, target, region in _regions(theirs)}
    for request, target, region in published:
        for node in region:
            # At a node without users there is nobody whose region could be another one.
            if case.users[node] and region_of.get(node) != region:
                second = region_of.get(node)
                theirs_as_text = "no region" if second is None else _some(second)
                sentence = (
                    f"node {target} gets {_some(region)}, but node {node} in it gets "
                    f"{theirs_as_text}"
                )
                wanted, marked = "one region for everyone in it", ((target, node), (request,))
                return Violation(sentence, "two regions", wanted, *marked)
    return Kept(len(nodes))


def _heat(trial: Trial) -> SectorRelease:
    heat = release_of(SectorRelease, "", trial)
    if not heat.sectors:
        raise Unjudged(NotApplicable("no sector was published"))
    return heat


@_points.truth("partition", "sum of areas = area, pairwise disjoint", _HEAT, Promise.PARTITION)
def _partition(trial: Trial) -> Judgement:
    """Sectors cut the published area into parts: no overlap, no gap."""
    heat = _heat(trial)
    boxes = heat.boxes
    sector = np.repeat(np.arange(heat.sectors), np.diff(heat.offsets))
    west, south, east, north = boxes.T
    # Comparing floats is exact, so that boxes that share a side never overlap here.
    crossing = (
        (west[:, None] < east) & (west < east[:, None])
        & (south[:, None] < north) & (south < north[:, None])
    )  # fmt: skip
    pairs = np.argwhere(np.triu(crossing, 1))
    if len(pairs):
        i, j = pairs[0].tolist()
        sentence = f"{_box(boxes[i])} and {_box(boxes[j])} overlap"
        rows = tuple(sorted({int(sector[i]), int(sector[j])}))
        return Violation(sentence, "an overlap", "none", output_rows=rows)
    # What does not say of which area it is a map can have no gap in it.
    if heat.root is None:
        return Kept(heat.sectors)
    low, high = heat.root.sides[:2], heat.root.sides[2:]
    outside = np.flatnonzero((boxes[:, :2] < low).any(axis=1) | (boxes[:, 2:] > high).any(axis=1))
    if len(outside):
        sentence = f"{_box(boxes[outside[0]])} is not within {_box(heat.root.sides)}"
        return Violation(
            sentence, "outside", "inside the published area", output_rows=(int(sector[outside[0]]),)
        )
    # Boxes that do not overlap and are all inside fill an area exactly if they are as large: in
    # rationals, as a gap may be thinner than what floats round off.
    covered, area = sum(map(exact_area, boxes.tolist())), exact_area(list(heat.root.sides))
    if covered != area:
        sentence = f"the sectors cover {float(covered / area):.6g} of {_box(heat.root.sides)}"
        return Violation(sentence, str(covered), str(area))
    return Kept(heat.sectors)


@_points.truth("sector in one piece", "components(boxes of sector) = 1", _HEAT, Promise.PARTITION)
def _in_one_piece(trial: Trial) -> Judgement:
    """A merged sector is connected through shared sides."""
    import networkx as nx

    heat = _heat(trial)
    for index in np.flatnonzero(np.diff(heat.offsets) > 1).tolist():
        boxes = heat.sector(index).boxes
        joined = nx.Graph()
        joined.add_nodes_from(range(len(boxes)))
        joined.add_edges_from(
            (i, j)
            for i in range(len(boxes))
            for j in range(i)
            if share_an_edge(boxes[i], boxes[j], wraps=heat.plane is None)
        )
        pieces = nx.number_connected_components(joined)
        if pieces > 1:
            sentence = (
                f"sector {index} is in {pieces} pieces: {', '.join(_box(b.sides) for b in boxes)}"
            )
            return Violation(sentence, f"{pieces} pieces", "1", output_rows=(index,))
    return Kept(heat.sectors)


@_points.truth("points counted once", "sum of counts = locations", _HEAT, Promise.PARTITION)
def _count_once(trial: Trial) -> Judgement:
    """Every point is in some sector, and locations add up to all of them."""
    heat, case = _heat(trial), trial.case
    placed = DrawnPoints.of(heat, case)
    sectors = map(heat.sector, range(heat.sectors))
    lost = set(range(len(case.positions))).difference(
        *(placed.rows(sector, border=True) for sector in sectors)
    )
    if lost:
        row = min(lost)
        sentence = f"point {row} at {case.positions[row]} is in no sector"
        return Violation(sentence, "in no sector", "in one", input_rows=tuple(sorted(lost)))
    total = int(heat.counts.sum())
    # A user may be in several sectors, a location may not.
    people = len(set(placed.whose))
    if total < people or (heat.counted is Counted.LOCATIONS and total != people):
        sign = ">= " if heat.counted is Counted.USERS else ""
        return Violation(
            f"the sectors count {total} of {people} {heat.counted}", str(total), f"{sign}{people}"
        )
    return keep_if_compared(len(case.positions), "there are no points")


@_points(
    "sector k",
    "count >= k",
    _HEAT,
    Promise.K_ANONYMITY,
    claim=(
        "Every sector that is not empty holds at least k people where the points say whose they "
        "are and nobody asked for locations, else k of what it counts."
    ),
)
def _sector_k(trial: Trial) -> Judgement:
    heat, k = _heat(trial), size_asked_for(trial)
    counted = _what_counts(heat, trial.case)
    placed = DrawnPoints.of(heat, trial.case, counted)
    for index in np.flatnonzero(heat.counts).tolist():
        sector = heat.sector(index)
        # The lesser of what it says and what is there. Whoever is on a border is counted in its
        # favour, as a map may have put them on either side.
        size = min(sector.count, len(placed.owners(sector, border=True)))
        if size < k:
            sentence = f"sector {_boxes(sector)}: {_count_text(size, counted)}, k = {k}"
            rows = placed.rows(sector, border=True), (index,)
            return Violation(sentence, str(size), f">= {k}", *rows)
    return keep_if_compared(int(np.count_nonzero(heat.counts)), "every sector is empty")


def _what_counts(heat: SectorRelease, case: PointsCase) -> Counted:
    """Return what k is about: people where they are known, unless locations were asked for."""
    if case.users is None or case.parameters.get("count") == Counted.LOCATIONS:
        return heat.counted
    return Counted.USERS


@_points.truth("sector side", "min(width, height) >= min_sector_length", _HEAT)
def _sector_side(trial: Trial) -> Judgement:
    """No side of a sector is shorter than the least length."""
    heat, minimum = _heat(trial), trial.case.parameters.get("min_sector_length")
    if minimum is None:
        return NotApplicable("the case has no least length of a side")
    for index in range(heat.sectors):
        for box in heat.sector(index).boxes:
            side = min(side_lengths(box, heat.plane))
            if side < float(minimum) * (1 - EXACT):
                sentence = (
                    f"{_box(box.sides)} of sector {index} has a side of {side:.6g} m,"
                    f" least {minimum} m"
                )
                return Violation(sentence, f"{side:.6g} m", f">= {minimum} m", output_rows=(index,))
    return Kept(heat.sectors)


@_points.truth("sector density", "density = count / area", _HEAT)
def _sector_density(trial: Trial) -> Judgement:
    """Counts are those of the points, areas are in square metres, density is their quotient."""
    heat = _heat(trial)
    placed, tolerance = DrawnPoints.of(heat, trial.case), GLOBE if heat.plane is None else EXACT
    for index in range(heat.sectors):
        sector = heat.sector(index)
        # Maps differ in the side that a point on a border counts for, so that there is a range.
        low = len(placed.owners(sector, border=False))
        high = len(placed.owners(sector, border=True))
        if not low <= sector.count <= high:
            span = str(low) if low == high else f"{low} to {high}"
            sentence = f"sector {_boxes(sector)} says {sector.count} {heat.counted} and has {span}"
            rows = placed.rows(sector, border=True), (index,)
            return Violation(sentence, str(sector.count), span, *rows)
        area = sum(area_of(box, heat.plane) for box in sector.boxes)
        if not area:
            # All of it is beyond the edges of the map, where nothing is large or small.
            continue
        for figure, stated, true in (
            ("an area", sector.area, area),
            ("a density", sector.density, sector.count / area),
        ):
            if not math.isclose(stated, true, rel_tol=tolerance):
                sentence = (
                    f"sector {_boxes(sector)} says {figure} of {stated:.6g} and has {true:.6g}"
                )
                return Violation(sentence, f"{stated:.6g}", f"{true:.6g}", output_rows=(index,))
    return Kept(heat.sectors)


@_points(
    "order of points",
    "A(reversed x) = A(x)",
    _HEAT,
    Promise.ORDER_INDEPENDENT,
    severity=Severity.CONDUCT,
)
def _permutation(trial: Trial) -> Judgement:
    """The order of the points neither shows nor matters."""
    case: PointsCase = trial.case
    _heat(trial)  # nothing is judged without sectors
    if len(case.positions) < 2:
        return NotApplicable("there is no other order of the points")
    users = None if case.users is None else case.users[::-1]
    turned = trial.answer(replace(case, positions=case.positions[::-1], users=users))
    if _as_a_set(turned) == _as_a_set(trial.outcome):
        return Kept()
    return Violation(
        "the points in reverse order give other sectors", "two heat maps", "one", output_rows=(0,)
    )


def _as_a_set(outcome: object) -> object:
    if not isinstance(outcome, Publication) or not isinstance(outcome.release, SectorRelease):
        return fingerprint(outcome)
    heat = outcome.release
    sectors = (heat.sector(index) for index in range(heat.sectors))
    return sorted((sorted(box.sides for box in sector.boxes), sector.count) for sector in sectors)


def _count_text(number: int, noun: str) -> str:
    return f"{number} {noun.removesuffix('s') if number == 1 else noun}"


def _some(nodes: Sequence[int], limit: int = 12) -> str:
    listing = ", ".join(map(str, nodes[:limit]))
    return f"{{{listing}, … {len(nodes)} nodes}}" if len(nodes) > limit else f"{{{listing}}}"


def _box(sides: Sequence[float]) -> str:
    west, south, east, north = sides
    return f"[{west:.10g}, {east:.10g}] x [{south:.10g}, {north:.10g}]"


def _boxes(sector: Sector) -> str:
    tail = f" and {len(sector.boxes) - 1} more" if len(sector.boxes) > 1 else ""
    return _box(sector.boxes[0].sides) + tail


CHECKS: tuple[Check, ...] = (*_city.checks, *_points.checks)
"""What regions and heat maps are held to."""
