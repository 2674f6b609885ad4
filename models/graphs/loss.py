"""What clusters of users lose: generalized attributes (NGIL) and structure that is no longer told.

Labels cost whole numbers of units, so that costs do not depend on the order of sums. Structure
costs what Campan and Truta's SIL says: how often a reader who spreads the published counts of
friendships evenly is wrong about a pair of users.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from kproof.forms import JsonForm
from kproof.models.base.arrays import Codes
from kproof.models.base.columns import Column
from kproof.models.base.verdict import SCHEMA
from kproof.models.graphs.label_kernel import Labels, begin, join, label_cost
from kproof.models.graphs.release import ClusterRelease
from kproof.models.graphs.social import SocialGraph
from kproof.models.tables.axes import axis

Top = tuple[Codes, Codes]

WHOLE = 720_720
"""Units of a label that tells nothing. Each number up to 16 divides it: heights of common
taxonomies lose nothing to rounding."""


@dataclass(frozen=True, eq=False)
class LabelCosts:
    """What labels over the attributes of a graph cost."""

    columns: int
    """Number of attributes."""
    kernel: Labels = field(repr=False)
    """The costs in the form that inner loops read."""

    def cover(self, users: Sequence[int]) -> Top:
        """Return the labels of some users, at least one, in the form of the inner loops."""
        low, high = np.empty(self.columns, np.int64), np.empty(self.columns, np.int64)
        begin(self.kernel, low, high, users[0])
        for user in users:
            self.widen((low, high), user)
        return low, high

    def widen(self, top: Top, user: int) -> None:
        """Widen labels to cover one more user."""
        join(self.kernel, *top, user)

    def share_with(self, top: Top, user: int) -> Fraction:
        """Return what labels cost that cover one more user, as a share of 1."""
        return Fraction(int(label_cost(self.kernel, *top, user)), max(self.columns, 1) * WHOLE)

    def share(self, users: Sequence[int]) -> Fraction:
        """Return what the labels of some users cost, as a share of 1."""
        return self.share_with(self.cover(users), users[0])


def label_costs(graph: SocialGraph) -> LabelCosts:
    """Return what labels over the attributes of a graph cost.

    >>> ages = SocialGraph.from_edges([(0, 1), (1, 2)], attributes={"age": [30, 40, 50]})
    >>> costs = label_costs(ages)
    >>> print(costs.share([0]), costs.share([0, 1]), costs.share([0, 1, 2]))
    0 1/2 1
    """
    parts = [_spans(column) if column.numeric else _nodes(column) for column in graph.attributes]
    starts = np.cumsum([0, *(len(part[1]) for part in parts)])[:-1]
    # The empty arrays are for graphs without attributes, of which nothing could be joined.
    nodes = np.column_stack([np.zeros((graph.users, 0), np.int64), *(part[0] for part in parts)])
    costs, parents, ends = (
        np.concatenate([np.zeros(0, dtype=np.int64), *(part[entry] for part in parts)])
        for entry in (1, 2, 3)
    )
    spans = np.array([column.numeric for column in graph.attributes], dtype=np.bool_)
    return LabelCosts(len(parts), Labels(nodes, starts, spans, costs, parents, ends, WHOLE))


def _spans(column: Column) -> tuple[Codes, Codes, Codes, Codes]:
    """Return rank of each user (-1 missing) and place of each rank, in units."""
    # A missing value is the last one of a column, behind the numbers in their order.
    recorded = len(column.values) - (column.missing is not None)
    bare = Column(column.name, np.zeros(0, dtype=np.int32), column.values[:recorded], numeric=True)
    places = np.rint(axis(bare).places * WHOLE).astype(np.int64)
    ranks = np.where(column.codes < recorded, column.codes, -1).astype(np.int64)
    return ranks, places, np.zeros_like(places), np.zeros_like(places)


def _nodes(column: Column) -> tuple[Codes, Codes, Codes, Codes]:
    """Return node of each user, and cost, parent and last descendant of each node."""
    tree = column.taxonomy
    if tree is None or column.nodes is None:
        count = len(column.values) + 1
        costs = np.zeros(count, dtype=np.int64)
        ends = np.arange(count)
        # The root of a single value is that value: its label tells everything.
        costs[0], ends[0] = WHOLE, count - 1
        return column.codes.astype(np.int64) + 1, costs, np.zeros_like(costs), ends
    costs = np.rint(tree.heights * (WHOLE / max(tree.height, 1))).astype(np.int64)
    return column.nodes[column.codes], costs, tree.parents, tree.ends


@dataclass(frozen=True)
class GraphLoss:
    """What published clusters no longer tell, each from 0 to 1."""

    attributes: Fraction
    """NGIL: the mean over users and attributes of what labels lose; 0 without attributes."""
    structure: Fraction
    """NSIL: the sum of 2 e (1 - e/p) over clusters and pairs of clusters with e friendships
    among p pairs of users, divided by n (n - 1)/4."""

    to_dict = JsonForm("attributes structure", schema=SCHEMA)


def graph_loss(release: ClusterRelease) -> GraphLoss:
    """Return what a release of clusters loses, exactly.

    Every user must be in a cluster for the sums to be out of all users and pairs; users who are
    left out lose nothing here.

    >>> from kproof.models.graphs.release import seal_clusters
    >>> path = SocialGraph.from_edges([(0, 1), (1, 2), (2, 3)])
    >>> loss = graph_loss(seal_clusters(path, [0, 0, 1, 1], method="m", parameters={}))
    >>> print(loss.structure, loss.attributes)
    1/2 0
    """
    graph, users = release.graph, release.graph.users
    sizes = release.sizes
    crossing = sizes[release.joined].prod(axis=1)
    pairs = np.concatenate([sizes * (sizes - 1) // 2, crossing])
    counts = np.concatenate([release.inner, release.weights])
    # Few sizes occur, so that most terms are equal.
    terms = Counter(zip(counts.tolist(), pairs.tolist(), strict=True)).items()
    # Nothing is lost where there is no friendship; a cluster of one has no pair to divide by.
    structure = sum(2 * e * (1 - Fraction(e, p)) * times for (e, p), times in terms if e)
    costs = label_costs(graph)
    attributes = Fraction(0)
    if costs.columns:
        members: dict[int, list[int]] = {}
        for user, cluster in enumerate(release.cluster_of.tolist()):
            members.setdefault(cluster, []).append(user)
        members.pop(-1, None)
        losses = (len(cluster) * costs.share(cluster) for cluster in members.values())
        attributes = sum(losses, attributes)
    everything = Fraction(max(users * (users - 1), 1), 4)
    return GraphLoss(attributes / max(users, 1), structure / everything)
