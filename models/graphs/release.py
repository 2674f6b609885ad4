"""Published social graphs: a graph in which degrees repeat, or clusters and how they are joined.

What a publication promises (degrees that occur k times, clusters of k) is not decided here: a
release records what was published, whatever it is, so that it can be checked.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from kproof.errors import InvalidArgument
from kproof.forms import JsonForm
from kproof.models.base.adjacency import node_pairs, read_only
from kproof.models.base.arrays import Codes
from kproof.models.base.columns import Column
from kproof.models.base.parameters import format_by_column
from kproof.models.base.verdict import SCHEMA
from kproof.models.graphs.social import SocialGraph
from kproof.models.tables.recoding import Recoded, recode


@dataclass(frozen=True, eq=False)
class SupergraphRelease:
    """A published graph, vertex by vertex; built by :func:`seal_graph`."""

    graph: SocialGraph
    """The original graph."""
    vertices: Codes = field(repr=False)
    """Shape (vertices,): the user each published vertex stands for, -1 for nobody. This is the
    account; a reader of the release sees vertices without names."""
    edges: Codes = field(repr=False)
    """Shape (edges, 2): pairs of published vertices, as published."""
    method: str
    """Name of the anonymizer."""
    parameters: Mapping[str, object]
    """What it was asked for."""

    @cached_property
    def degrees(self) -> Codes:
        """Shape (vertices,): ends of edges at each published vertex; a loop has two."""
        return read_only(np.bincount(self.edges.ravel(), minlength=len(self.vertices)))

    def summary(self) -> str:
        """Return what was published and what it took, in a few lines."""
        vertices = f"{len(self.vertices)} vertices for {self.graph.users} users"
        return (
            f"method: {self.method}({format_by_column(self.parameters)})\n"
            f"published: {vertices}, {self.nobody} nobody's\n"
            f"edges: {len(self.edges)} after {self.graph.friends.count}\n"
            f"distinct degrees: {self.distinct_degrees}"
        )

    form: ClassVar[str] = "graph"
    """Clusters, or a graph with more edges."""

    @property
    def nobody(self) -> int:
        """Published vertices that are nobody's."""
        return int(np.count_nonzero(self.vertices < 0))

    @property
    def distinct_degrees(self) -> int:
        """How many different degrees there are."""
        return len(np.unique(self.degrees))

    to_dict = JsonForm(
        "form method parameters users=graph.users vertices=len(vertices) nobody",
        "friendships=graph.friends.count edges=len(edges) distinct_degrees",
        schema=SCHEMA,
    )


@dataclass(frozen=True, slots=True)
class PublishedCluster:
    """A cluster as it is published."""

    size: int
    """Users in it."""
    inner: int
    """Friendships inside."""
    labels: Mapping[str, str]
    """Its label in each attribute."""


@dataclass(frozen=True, slots=True)
class JoinedClusters:
    """Two clusters with friendships between them."""

    clusters: tuple[int, ...]
    """The two, from 0."""
    weight: int
    """How many friendships."""


@dataclass(frozen=True, eq=False)
class ClusterRelease:
    """Published clusters of users; built by :func:`seal_clusters`."""

    graph: SocialGraph
    """The original graph."""
    cluster_of: Codes = field(repr=False)
    """Shape (users,): cluster of each user, -1 if they are left out. This is the account; a
    reader of the release sees sizes and counts."""
    sizes: Codes = field(repr=False)
    """Shape (clusters,): users in each, as published."""
    inner: Codes = field(repr=False)
    """Shape (clusters,): friendships inside each, as published."""
    joined: Codes = field(repr=False)
    """Shape (pairs, 2): clusters with friendships between them, the lower one first."""
    weights: Codes = field(repr=False)
    """Shape (pairs,): how many friendships, as published."""
    method: str
    """Name of the anonymizer."""
    parameters: Mapping[str, object]
    """What it was asked for."""
    attributes: tuple[Recoded, ...] = ()
    """For each attribute the least labels that cover the users of each cluster."""

    @property
    def count(self) -> int:
        """Number of clusters."""
        return len(self.sizes)

    def labels(self, cluster: int) -> dict[str, str]:
        """Return the published label of each attribute of a cluster."""
        return {recoded.column.name: recoded.label(cluster) for recoded in self.attributes}

    def summary(self) -> str:
        """Return what was published and what it took, in a few lines."""
        sizes = f", {self.sizes.min()} to {self.sizes.max()} users each" if self.count else ""
        return (
            f"method: {self.method}({format_by_column(self.parameters)})\n"
            f"published: {self.count} clusters for {self.graph.users} users{sizes}\n"
            f"friendships: {self.inner.sum()} inside, {self.weights.sum()} between clusters"
        )

    form: ClassVar[str] = "clusters"
    """Clusters, or a graph with more edges."""

    @property
    def left_out(self) -> int:
        """Users in no cluster."""
        return int(np.count_nonzero(self.cluster_of < 0))

    @property
    def clusters(self) -> tuple[PublishedCluster, ...]:
        """The clusters."""
        figures = zip(self.sizes.tolist(), self.inner.tolist(), strict=True)
        return tuple(PublishedCluster(*figure, self.labels(i)) for i, figure in enumerate(figures))

    @property
    def between(self) -> tuple[JoinedClusters, ...]:
        """Pairs of clusters with friendships between them."""
        pairs = zip(self.joined.tolist(), self.weights.tolist(), strict=True)
        return tuple(JoinedClusters(tuple(pair), weight) for pair, weight in pairs)

    to_dict = JsonForm(
        "form method parameters users=graph.users left_out clusters between", schema=SCHEMA
    )


GraphRelease: TypeAlias = SupergraphRelease | ClusterRelease
"""What an anonymizer of social graphs publishes, in one form or the other."""


def seal_graph(
    graph: SocialGraph,
    edges: ArrayLike | Iterable[tuple[int, int]],
    *,
    method: str,
    parameters: Mapping[str, object],
    vertices: ArrayLike | None = None,
) -> SupergraphRelease:
    """Close the work of an anonymizer that publishes a graph.

    Edges are pairs of published vertices. ``vertices`` has the user of each, -1 for nobody; the
    users in their order unless given.

    >>> path = SocialGraph.from_edges([("a", "b"), ("b", "c")])
    >>> release = seal_graph(path, [(0, 1), (1, 2), (0, 2)], method="by hand", parameters={})
    >>> release.degrees.tolist()
    [2, 2, 2]
    """
    users = graph.users
    stand = np.arange(users) if vertices is None else np.asarray(vertices, dtype=np.int64)
    outside = stand[(stand < -1) | (stand >= users)]
    if len(outside):
        raise InvalidArgument("vertices", int(outside[0]), f"users from 0 to {users - 1}, or -1")
    pairs = read_only(node_pairs("edges", edges, len(stand)))
    return SupergraphRelease(graph, read_only(stand), pairs, method, dict(parameters))


def seal_clusters(
    graph: SocialGraph,
    cluster_of: ArrayLike,
    *,
    method: str,
    parameters: Mapping[str, object],
    inner: ArrayLike | None = None,
    between: Mapping[tuple[int, int], int] | None = None,
    attributes: Iterable[Column] = (),
) -> ClusterRelease:
    """Close the work of an anonymizer that publishes clusters.

    ``cluster_of``, shape (users,), has cluster 0, ..., c - 1 of each user, -1 if left out.
    Friendships inside each cluster and between pairs of them are counted unless given. Labels of
    ``attributes`` are published of clusters that have users.

    >>> path = SocialGraph.from_edges([("a", "b"), ("b", "c"), ("c", "d")])
    >>> release = seal_clusters(path, [0, 0, 1, 1], method="by hand", parameters={})
    >>> release.inner.tolist(), release.joined.tolist(), release.weights.tolist()
    ([1, 1], [[0, 1]], [1])
    """
    of_user = np.asarray(cluster_of, dtype=np.int64)
    if of_user.shape != (graph.users,):
        raise InvalidArgument("cluster_of", of_user.shape, f"shape ({graph.users},)")
    if of_user.min(initial=0) < -1:
        raise InvalidArgument("cluster_of", int(of_user.min()), "cluster indexes from -1")
    count = int(of_user.max(initial=-1)) + 1
    ends = np.sort(of_user[graph.friends.edges], axis=1)
    # Sorted, so that whoever is left out, -1, is the first end.
    ends = ends[ends[:, 0] >= 0]
    counted = np.bincount(ends[ends[:, 0] == ends[:, 1], 0], minlength=count)
    within = np.asarray(counted if inner is None else inner, dtype=np.int64)
    if within.shape != (count,):
        raise InvalidArgument("inner", within.shape, f"shape ({count},)")
    if between is None:
        crossing = ends[ends[:, 0] != ends[:, 1]]
        pairs, weights = np.unique(crossing, axis=0, return_counts=True)
    else:
        # As counted pairs are: the lower cluster first, and pairs in ascending order.
        ordered = sorted((tuple(sorted(pair)), weight) for pair, weight in between.items())
        pairs = node_pairs("between", [pair for pair, _ in ordered], count)
        weights = np.array([weight for _, weight in ordered], dtype=np.int64)
        if (pairs[:, 0] == pairs[:, 1]).any():
            raise InvalidArgument("between", "a cluster and itself", "pairs of two clusters")
    sizes = np.bincount(of_user[of_user >= 0], minlength=count)
    # Of nobody there is no least label.
    if (columns := tuple(attributes)) and not sizes.all():
        raise InvalidArgument("cluster_of", f"no user in cluster {sizes.argmin()}", "users in each")
    return ClusterRelease(
        graph=graph,
        cluster_of=read_only(of_user),
        sizes=read_only(sizes),
        inner=read_only(within),
        joined=read_only(pairs),
        weights=read_only(weights),
        method=method,
        parameters=dict(parameters),
        attributes=tuple(recode(column, of_user, count) for column in columns),
    )
