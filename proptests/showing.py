"""Cities, points, graphs and logs, and what is published of them, as small tables for a reader.

Row i of a table is node, point, user or person i of a case, and request, sector, vertex, cluster or
row i of a publication, so that the rows of a violation can be marked in it.
"""

from collections.abc import Iterable

from kproof.models.graphs.release import ClusterRelease, SupergraphRelease
from kproof.models.moving.labels import name
from kproof.models.moving.release import CloakedLog
from kproof.models.places.heatmap.release import SectorRelease
from kproof.models.places.regions import RegionRelease
from kproof.proptests.cases import CityCase, GraphCase, LogCase, PointsCase, Publication
from kproof.proptests.contract import TablePublication

Columns = dict[str, tuple[object, ...]]


def as_table(thing: object) -> TablePublication | None:
    """Return a case or a publication as a table, or None if it is neither.

    >>> street = CityCase((2, 0), ((0, 1),), targets=(1,))
    >>> as_table(street).columns
    {'users': (2, 0), 'streets to': ('1', '0'), 'request': (None, 'yes')}
    """
    columns: Columns
    if isinstance(thing, CityCase):
        columns = _city(thing)
    elif isinstance(thing, PointsCase):
        columns = {
            "lat": tuple(lat for lat, _ in thing.positions),
            "lon": tuple(lon for _, lon in thing.positions),
        }
        if thing.users is not None:
            columns["user"] = thing.users
    elif isinstance(thing, GraphCase):
        columns = {"friends": _neighbours(thing.users, thing.friendships), **thing.attributes}
    elif isinstance(thing, LogCase):
        columns = {
            f"slot {slot}": tuple(path[slot] or None for path in thing.paths)
            for slot in range(thing.slots)
        }
    elif isinstance(thing, Publication):
        columns = _columns(thing)
    else:
        return None
    return TablePublication(columns)


def _city(case: CityCase) -> Columns:
    count = len(case.users)
    columns: Columns = {
        "users": case.users,
        "streets to": _neighbours(count, case.roads),
        "request": tuple("yes" if node in case.targets else None for node in range(count)),
    }
    if case.positions is not None:
        columns["at"] = tuple(f"{x}, {y}" for x, y in case.positions)
    if case.one_way:
        columns["one-way to"] = tuple(
            _list_text(end for start, end in case.one_way if start == node) for node in range(count)
        )
    return columns


def _columns(publication: Publication) -> Columns:
    release = publication.release
    if isinstance(release, RegionRelease):
        regions = [release.region(request).tolist() for request in range(release.requests)]
        return {
            "from node": tuple(release.targets.tolist()),
            "k": tuple(release.k.tolist()),
            "region": tuple(
                # One that is published although it is called insufficient is shown: that is what is
                # wrong.
                "insufficient" if short and not region else _list_text(region)
                for short, region in zip(release.insufficient.tolist(), regions, strict=True)
            ),
            "users": tuple(release.users.tolist()),
        }
    if isinstance(release, SectorRelease):
        sectors = [release.sector(index) for index in range(release.sectors)]
        return {
            "west, south, east, north": tuple(
                "; ".join(", ".join(f"{side:.8g}" for side in box.sides) for box in sector.boxes)
                for sector in sectors
            ),
            str(release.counted): tuple(sector.count for sector in sectors),
            "m²": tuple(f"{sector.area:.6g}" for sector in sectors),
            "per m²": tuple(f"{sector.density:.6g}" for sector in sectors),
        }
    if isinstance(release, SupergraphRelease):
        edges = [(u, v) for u, v in release.edges.tolist()]
        return {
            "is user": tuple("nobody" if user < 0 else user for user in release.vertices.tolist()),
            "joined to": _neighbours(len(release.vertices), edges),
        }
    if isinstance(release, CloakedLog):
        return {
            "record": tuple(release.record.tolist()),
            "slot": tuple(release.slot.tolist()),
            "cell": tuple(map(name, release.label.tolist())),
        }
    return _clusters(release)


def _clusters(release: ClusterRelease) -> Columns:
    of_user = release.cluster_of.tolist()
    joined = list(zip(release.joined.tolist(), release.weights.tolist(), strict=True))
    columns: Columns = {
        "users": tuple(
            _list_text(user for user, c in enumerate(of_user) if c == cluster)
            for cluster in range(release.count)
        ),
        "size": tuple(release.sizes.tolist()),
        "inner": tuple(release.inner.tolist()),
        "between": tuple(
            ", ".join(
                # The other end of the pair.
                f"{weight} to {sum(pair) - cluster}"
                for pair, weight in joined
                if cluster in pair
            )
            or None
            for cluster in range(release.count)
        ),
    }
    for attribute in release.attributes:
        columns[attribute.column.name] = tuple(
            attribute.label(cluster) for cluster in range(release.count)
        )
    return columns


def _neighbours(nodes: int, edges: Iterable[tuple[int, int]]) -> tuple[str | None, ...]:
    near: list[list[int]] = [[] for _ in range(nodes)]
    for u, v in edges:
        near[u].append(v)
        near[v].append(u)
    return tuple(_list_text(sorted(friends)) for friends in near)


def _list_text(numbers: Iterable[int]) -> str | None:
    return ", ".join(map(str, numbers)) or None
