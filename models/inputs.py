"""Whatever is at hand as the kind of data a method takes: cities, points, social graphs.

Their own types go through as they are; networkx graphs, frames of points and files are read.
Tables have columns with roles and are the business of :mod:`kproof.models.api`.
"""

from pathlib import Path

import numpy as np

from kproof.errors import InvalidArgument
from kproof.models.graphs.files import read_graph
from kproof.models.graphs.social import SocialGraph
from kproof.models.places.city.city import City
from kproof.models.places.city.files import read_city
from kproof.models.places.points import Points
from kproof.models.places.points_files import points_of, read_points
from kproof.models.places.position_files import PositionColumns
from kproof.models.registry import Kind


def as_kind(kind: Kind, data: object) -> City | Points | SocialGraph:
    """Return data as what methods of a kind take.

    For a city: a City, a networkx graph, a GraphML or OpenStreetMap file, or the two names of CSV
    files of nodes and streets. For points: Points, a pandas, Polars or PyArrow frame with columns
    ``lat``, ``lon`` and possibly ``user`` or ``user_id``, or a file that
    :func:`~kproof.read_log` reads; users under another name are ``Points.of(..., users=...)``. For
    a graph: a SocialGraph, a networkx graph, or a file that
    :func:`~kproof.models.graphs.files.read_graph` reads.

    >>> import networkx as nx
    >>> as_kind(Kind.CITY, nx.path_graph(3)).nodes
    3
    >>> as_kind(Kind.GRAPH, 3)
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: data = int: need a SocialGraph, a networkx graph or a file
    """
    if kind is Kind.LOG:
        raise InvalidArgument("kind", kind, "city, points or graph; no method takes a log")
    if kind is Kind.CITY:
        return _city(data)
    return _points(data) if kind is Kind.POINTS else _graph(data)


def _city(data: object) -> City:
    if isinstance(data, City):
        return data
    if _is_networkx(data):
        return City.from_networkx(data)
    if isinstance(data, (str, Path)):
        return read_city(data)
    if isinstance(data, (tuple, list)) and len(data) == 2:
        return read_city(data[0], edges=data[1])
    raise _none_of(data, "a City, a networkx graph, a file or two of them")


def _graph(data: object) -> SocialGraph:
    if isinstance(data, SocialGraph):
        return data
    if _is_networkx(data):
        return SocialGraph.from_networkx(data)
    if isinstance(data, (str, Path)):
        return read_graph(data)
    raise _none_of(data, "a SocialGraph, a networkx graph or a file")


def _points(data: object) -> Points:
    if isinstance(data, Points):
        return data
    if isinstance(data, (str, Path)):
        return read_points(data)
    import narwhals.stable.v1 as nw

    try:
        frame = nw.from_native(data, eager_only=True)
    except TypeError:
        raise _none_of(data, "Points, an eager frame or a file") from None
    names, rows = tuple(frame.columns), np.arange(len(frame))
    return points_of(
        # By place and not by name: a frame may have two columns of one name.
        PositionColumns("the frame", names, lambda place: frame[:, place].to_list(), rows, "row")
    )


def _is_networkx(data: object) -> bool:
    # A graph can only be at hand if networkx is loaded; asking for it would load it.
    return all(hasattr(data, name) for name in ("adj", "nodes", "edges", "is_directed"))


def _none_of(data: object, admissible: str) -> InvalidArgument:
    return InvalidArgument("data", type(data).__name__, admissible)
