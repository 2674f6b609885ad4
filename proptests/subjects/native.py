"""Other people's anonymizers of cities, points, social graphs and logs as subjects.

Such functions take and return what their field uses: networkx graphs, pandas frames of latitude
and longitude, GeoJSON. Each is handed new data every time, and what it changes in them is noted.

- A **city** function takes a networkx Graph with a node attribute ``users``, a ``target`` and
  ``k``, and returns the nodes of the region, or None if there is none.
- A **points** function takes a frame with the columns ``lat``, ``lon`` and ``user`` and returns
  GeoJSON, or a list of dicts with ``west``, ``south``, ``east``, ``north`` and ``count``, which is
  of people where there is a user column and of points where there is none; under the names
  ``users``, ``locations`` or ``points`` it is what it is called. A sector may be several
  rectangles: a MultiPolygon, or a list under ``boxes``. ``area`` (m²) and ``density`` are checked
  if they are there.
- A **graph** function takes a networkx Graph and returns one, or clusters of nodes.
- A **log** function, or a program, takes and returns what :mod:`~kproof.proptests.subjects.logs`
  says.

Whatever the kind, it may return a release of kproof's.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from inspect import Parameter, signature
from typing import Any

from kproof.errors import InvalidArgument, KProofError
from kproof.models.graphs.release import (
    ClusterRelease,
    GraphRelease,
    SupergraphRelease,
    seal_clusters,
    seal_graph,
)
from kproof.models.places.heatmap.release import Counted, SectorRelease, seal_sectors
from kproof.models.places.plane import Box, globe_area
from kproof.models.places.regions import RegionRelease, seal_regions
from kproof.models.registry import Kind, Promise
from kproof.proptests.cases import Case, CityCase, GraphCase, PointsCase, Publication, group_size
from kproof.proptests.contract import NoPublication, Subject
from kproof.proptests.subjects.adapters import NothingPublished, as_returned, foreign_subject
from kproof.proptests.subjects.binding import OF_LOGS, describe_argument
from kproof.proptests.subjects.command import Command
from kproof.proptests.subjects.loading import resolve
from kproof.proptests.subjects.logs import publish_log, run_on_log

BASIC: Mapping[Kind, frozenset[Promise]] = {
    Kind.CITY: frozenset({Promise.K_ANONYMITY, Promise.CONNECTIVITY}),
    Kind.POINTS: frozenset({Promise.K_ANONYMITY, Promise.PARTITION}),
    Kind.GRAPH: frozenset({Promise.DEGREE, Promise.CLUSTER_SIZE}),
    Kind.LOG: frozenset({Promise.K_ANONYMITY, Promise.NOTHING_TAKEN_BACK}),
}
"""What an anonymizer is held to if nothing is said, by kind."""

_PARAMETERS: Mapping[Kind, frozenset[str]] = {
    Kind.CITY: frozenset({"k", "min_k", "depth", "seed"}),
    Kind.POINTS: frozenset(
        {"k", "min_k", "min_sector_length", "merge_sectors", "split_n_locations", "count", "seed"}
    ),
    Kind.GRAPH: frozenset({"k", "alpha", "beta", "seed"}),
    Kind.LOG: frozenset({"k", "seed", *OF_LOGS}),
}
_TARGETS = frozenset({"target", "node", "target_node", "source", "start", "location"})
_COUNTS = ("count", "users", "locations", "points", "n")
_OF_WHOEVER = ("count", "n")


def native_subject(
    anonymizer: Any,
    *,
    kind: Kind,
    promises: frozenset[Promise] | None = None,
    parameters: Iterable[str] | None = None,
    errors: tuple[type[Exception], ...] = (ValueError,),
    call: Callable[..., Any] | None = None,
    name: str | None = None,
    fixed: Mapping[str, Any] | None = None,
) -> Subject:
    """Return somebody's anonymizer of cities, points, graphs or logs as a subject.

    Options are those of :func:`kproof.check_anonymizer`, and ``call``, if it is not to be called by
    its signature: ``call(anonymizer, data, case)``, for a city
    ``call(anonymizer, data, case, target)``. By default it is held to :data:`BASIC`.

    Raises:
        NotDriven: If it takes no parameter for what a promise is about, and none is fixed.

    >>> def whole(graph, target, k):
    ...     return set(graph)
    >>> sorted(native_subject(whole, kind=Kind.CITY).parameters)
    ['k']
    """
    thing, reference, label = resolve(anonymizer, name)
    program = isinstance(thing, Command) and kind is Kind.LOG
    if not (callable(thing) or program):
        raise InvalidArgument("anonymizer", label, "a function")
    answer: Callable[..., Any]
    if program:
        supported, answer = thing.binding.parameters, partial(run_on_log, thing)
    elif call is not None:
        supported, answer = frozenset({"k"}), partial(call, thing)
    else:
        binding = _bind(thing, kind, label)
        supported, answer = binding.parameters, binding.call
    promised, values = BASIC[kind] if promises is None else promises, dict(fixed or {})
    supported = supported if parameters is None else frozenset(parameters)
    publish = partial(_ANSWERS[kind], answer)
    own = Subject(label, kind, promised, publish, supported, (KProofError, *errors), fixed=values)
    again = ("kproof.proptests.subjects.native:reload", str(kind))
    return foreign_subject(own, thing, reference if call is None else None, again)


def reload(reference: str, kind: str) -> Subject:
    """Return the subject of a reference in another process, without promises."""
    return native_subject(reference, kind=Kind(kind), promises=frozenset())


@dataclass(frozen=True)
class _Binding:
    """How a function is called: what each of its arguments stands for."""

    function: Callable[..., Any]
    arguments: Mapping[str, str]

    @property
    def parameters(self) -> frozenset[str]:
        return frozenset(self.arguments.values()) - {"target"}

    def call(self, data: Any, case: Case, target: int | None = None) -> Any:
        values = {**case.parameters, "target": target}
        arguments = {
            name: values[meaning] for name, meaning in self.arguments.items() if meaning in values
        }
        return self.function(data, **arguments)


def _bind(function: Callable[..., Any], kind: Kind, label: str) -> _Binding:
    try:
        # Of a function without arguments this is a ValueError, too.
        _, *parameters = signature(function).parameters.values()
    except (TypeError, ValueError):
        raise InvalidArgument(
            "anonymizer", label, "call=, as it shows no signature with data first"
        ) from None
    names, arguments = _PARAMETERS[kind], {}
    for parameter in parameters:
        if parameter.kind in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD):
            continue
        # Its own name before an alias: min_k is a parameter of requests here, and in tables another
        # word for k.
        meaning = parameter.name if parameter.name in names else describe_argument(parameter.name)
        if kind is Kind.CITY and parameter.name in _TARGETS:
            meaning = "target"
        if meaning == "target" or meaning in names:
            arguments[parameter.name] = str(meaning)
        elif parameter.default is Parameter.empty:
            admissible = f"call= to supply {parameter.name}, which the suite does not know"
            raise InvalidArgument("anonymizer", label, admissible)
    return _Binding(function, arguments)


def _regions(function: Callable[..., Any], case: CityCase) -> Publication:
    graph = case.city.to_networkx()
    before = _graph_contents(graph)
    regions: list[list[int]] = []
    insufficient = []
    # One graph for all requests, as a service has one: what the last of them changed shows in it.
    for target in case.targets:
        region = function(graph, case, target)
        with as_returned():
            if isinstance(region, RegionRelease):
                region = None if region.insufficient[0] else region.region(0).tolist()
            nodes = set() if region is None else set(region)
        insufficient.append(region is None)
        unknown = [node for node in nodes if node not in before]
        if unknown:
            raise NoPublication(f"it returned {unknown[0]!r}, which is no node of the city")
        regions.append(sorted(nodes))
    release = seal_regions(
        case.city,
        case.targets,
        regions,
        k=group_size(case) or 0,
        method="as returned",
        parameters=case.parameters,
        insufficient=insufficient,
    )
    return Publication(release, _first_change(before, _graph_contents(graph)))


def _sectors(function: Callable[..., Any], case: PointsCase) -> Publication:
    import pandas as pd

    columns: dict[str, Any] = {
        "lat": [lat for lat, _ in case.positions],
        "lon": [lon for _, lon in case.positions],
    }
    if case.users is not None:
        columns["user"] = case.users
    frame = pd.DataFrame(columns)
    before = frame.copy(deep=True)
    answer = function(frame, case)
    changed = "" if frame.equals(before) else "the frame of points"
    if isinstance(answer, SectorRelease):
        return Publication(answer, changed)
    with as_returned():
        return Publication(_read_sectors(answer, case), changed)


def _read_sectors(answer: Any, case: PointsCase) -> SectorRelease:
    """Read GeoJSON or a list of sectors, all in degrees."""
    if answer is None:
        raise NothingPublished("it returned None")
    if hasattr(answer, "__geo_interface__"):
        answer = answer.__geo_interface__
    if isinstance(answer, Mapping):
        features = answer.get("features")
        if features is None:
            raise NoPublication("it returned a mapping that is no GeoJSON FeatureCollection")
        rows = [(_of_geometry(f.get("geometry")), f.get("properties") or {}) for f in features]
    else:
        rows = [(_of_sides(sector), sector) for sector in answer]
    if not rows:
        raise NothingPublished("it returned no sectors")
    counts, areas, densities = [], [], []
    counted = Counted.LOCATIONS
    for boxes, properties in rows:
        name = next((key for key in _COUNTS if key in properties), None)
        if name is None:
            raise NoPublication(f"it returned a sector without a count: {', '.join(_COUNTS)}")
        if name == "users" or (name in _OF_WHOEVER and case.users is not None):
            counted = Counted.USERS
        counts.append(int(properties[name]))
        # What is not said is worked out as it should be, so that the checks blame nobody for it.
        areas.append(float(properties.get("area", sum(map(globe_area, boxes)))))
        densities.append(float(properties.get("density", counts[-1] / areas[-1])))
    if case.users is not None and "count" in case.parameters:
        counted = Counted(case.parameters["count"])
    return seal_sectors(
        case.points,
        [boxes for boxes, _ in rows],
        counts=counts,
        areas=areas,
        densities=densities,
        plane=None,
        root=None,
        counted=counted,
        method="as returned",
        parameters=case.parameters,
    )


def _of_sides(sector: Mapping[str, Any]) -> list[Box]:
    return [
        Box(*(float(part[side]) for side in ("west", "south", "east", "north")))
        for part in sector.get("boxes", [sector])
    ]


def _of_geometry(geometry: Any) -> list[Box]:
    kind = (geometry or {}).get("type")
    if kind not in ("Polygon", "MultiPolygon"):
        raise NoPublication(f"it returned a sector of type {kind}; need Polygon or MultiPolygon")
    parts = geometry["coordinates"] if kind == "MultiPolygon" else [geometry["coordinates"]]
    boxes = []
    for part in parts:
        corners = {(float(x), float(y)) for x, y, *_ in part[0]}
        xs, ys = sorted({x for x, _ in corners}), sorted({y for _, y in corners})
        # Four corners of two eastings and two northings; a ring names one of them twice, which is
        # why they are a set.
        if len(part) > 1 or len(xs) != 2 or len(ys) != 2 or len(corners) != 4:
            raise NoPublication("it returned a polygon that is no rectangle; need one for each box")
        boxes.append(Box(xs[0], ys[0], xs[1], ys[1]))
    return boxes


def _graphs(function: Callable[..., Any], case: GraphCase) -> Publication:
    graph = case.graph.to_networkx()
    before = _graph_contents(graph)
    answer = function(graph, case)
    # What it returns may be the graph it was handed: a changed input even so.
    changed = _first_change(before, _graph_contents(graph))
    if not isinstance(answer, (SupergraphRelease, ClusterRelease)):
        with as_returned():
            answer = _read_graph(answer, case)
    return Publication(answer, changed)


def _read_graph(answer: Any, case: GraphCase) -> GraphRelease:
    if answer is None:
        raise NothingPublished("it returned None")
    users = range(case.users)
    if hasattr(answer, "edges") and hasattr(answer, "nodes"):
        place = {node: index for index, node in enumerate(answer.nodes)}
        edges = [(place[u], place[v]) for u, v in answer.edges()]
        # What is no number of a user is a vertex that nobody is behind.
        vertices = [int(node) if node in users else -1 for node in answer.nodes]
        return seal_graph(
            case.graph, edges, vertices=vertices, method="as returned", parameters=case.parameters
        )
    if isinstance(answer, Mapping):
        clusters: dict[Any, list[Any]] = {}
        for user, cluster in answer.items():
            clusters.setdefault(cluster, []).append(user)
        answer = clusters.values()
    cluster_of = [-1] * case.users
    for index, members in enumerate(list(answer)):
        for user in members:
            if user not in users:
                raise NoPublication(f"it returned {user!r}, which is no user of the graph")
            if cluster_of[user] >= 0:
                sentence = f"it returned user {user} in two clusters"
                raise NoPublication(sentence, breaks=Promise.PARTITION)
            cluster_of[user] = index
    if case.users and not any(cluster >= 0 for cluster in cluster_of):
        raise NothingPublished("it returned no clusters")
    return seal_clusters(case.graph, cluster_of, method="as returned", parameters=case.parameters)


_ANSWERS: Mapping[Kind, Callable[..., Publication]] = {
    Kind.CITY: _regions,
    Kind.POINTS: _sectors,
    Kind.GRAPH: _graphs,
    Kind.LOG: publish_log,
}


def _graph_contents(graph: Any) -> dict[Any, str]:
    """Return what a networkx graph says of each node and edge."""
    # As texts: what a function puts into the same dictionary later on is not in them.
    contents = {node: repr(data) for node, data in graph.nodes(data=True)}
    edges: dict[Any, list[str]] = {}
    for u, v, data in graph.edges(data=True):
        edges.setdefault(frozenset((u, v)), []).append(repr(data))
    return contents | {pair: repr(sorted(texts)) for pair, texts in edges.items()}


def _first_change(before: Mapping[Any, str], after: Mapping[Any, str]) -> str:
    for part in dict.fromkeys((*before, *after)):
        if before.get(part) != after.get(part):
            edge = isinstance(part, frozenset)
            item = f"edge {', '.join(map(str, sorted(part)))}" if edge else f"node {part}"
            return f"{item} of the graph"
    return ""
