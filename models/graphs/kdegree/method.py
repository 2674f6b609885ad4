"""IA: a graph in which every degree occurs k times, made by adding friendships.

Dynamic programming finds the degrees to reach at the least sum of additions; friendships are then
added, those who miss most first. Where that fails, low degrees are raised a little and both are
tried again.

Source: K. Liu, E. Terzi, "Towards Identity Anonymization on Graphs", SIGMOD 2008 (DegreeAnonymize
by dynamic programming, Supergraph, Probing). Given here as recalled, not checked against the
printed paper.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from kproof.errors import InvalidArgument
from kproof.models.base.adjacency import read_only
from kproof.models.base.arrays import Codes
from kproof.models.base.parameters import K
from kproof.models.graphs.kdegree.kernel import add_edges, raise_degrees
from kproof.models.graphs.release import SupergraphRelease, seal_graph
from kproof.models.graphs.social import SocialGraph, cluster_size


def least_anonymous_degrees(degrees: ArrayLike, k: int) -> Codes:
    """Return the k-anonymous degrees that are nowhere lower, at the least sum.

    With degrees d(1) >= ... >= d(n) the least sum of additions for the first i of them is DA(i) =
    min over t of DA(t) + I(t + 1, i), where I(t, i) = Σ (d(t) - d(j)) over j = t, ..., i and runs
    have k to 2k - 1 members. Among equal sums the later run is the shorter one. Time and memory are
    O(nk) and O(n). They are returned in the order given; no graph needs to have them.

    >>> least_anonymous_degrees([5, 5, 3, 3, 2], 2).tolist()
    [5, 5, 3, 3, 3]
    """
    values = np.asarray(degrees)
    if values.ndim != 1 or values.dtype.kind not in "iu":
        raise InvalidArgument("degrees", degrees, "a sequence of whole numbers")
    size = K.but(most=len(values)).read(k)
    # Of unsigned numbers the negative ones are large.
    numbers = values.astype(np.int64)
    order = np.argsort(-numbers, kind="stable")
    lifted = np.empty(len(numbers), dtype=np.int64)
    lifted[order] = raise_degrees(numbers[order], size)
    return lifted


@dataclass(frozen=True, eq=False)
class Additions:
    """How a graph is made k-degree anonymous."""

    edges: Codes
    """Shape (edges, 2): the new friendships, as indexes of users, the lower one first."""
    least: int
    """No k-anonymous degrees that are nowhere lower need fewer; it may be that no graph has
    them. ``len(edges) - least`` is thus what the method may have added too many."""
    rounds: int
    """How often degrees were raised and reached for; 1 if the first attempt succeeded."""


def additions(graph: SocialGraph, k: int) -> Additions:
    """Find friendships after which every degree occurs k times, 2 <= k <= users.

    Degrees are raised by :func:`least_anonymous_degrees` and the user who misses most friends is
    joined to those who miss most among the others. When some still miss friends and have no one to
    be joined to, as many others count as having one friend more than they have, and all starts
    anew: those with the lowest degrees who are no friends of the user who misses most. At the
    latest everybody is everybody's friend. Nothing is random.

    >>> star = SocialGraph.from_edges([(0, 1), (0, 2), (0, 3)])
    >>> added = additions(star, 2)
    >>> added.edges.tolist(), added.least, added.rounds
    ([[2, 3], [1, 2]], 1, 2)
    """
    size = cluster_size(graph, k)
    friends, users = graph.friends, graph.users
    lifted = friends.degrees.copy()
    fewest, rounds = -1, 0
    while True:
        rounds += 1
        missing = least_anonymous_degrees(lifted, size) - friends.degrees
        # Of the first round alone: later ones begin from degrees that were raised by hand. An edge
        # serves two, so that half is enough, rounded up.
        if fewest < 0:
            fewest = -(-int(missing.sum()) // 2)
        new = np.column_stack(add_edges(friends.offsets, friends.targets, missing))
        if not (unmet := int(missing.sum())):
            return Additions(read_only(np.sort(new, axis=1)), fewest, rounds)
        stuck = int(missing.argmax())
        # Nobody has more friends than there are others; below that, each round raises somebody, so
        # that this ends.
        apart = lifted < users - 1
        everybody = apart.copy()
        apart[stuck] = False
        apart[friends.neighbours(stuck)] = False
        apart[new[(new == stuck).any(axis=1)]] = False
        candidates = np.flatnonzero(apart if apart.any() else everybody)
        low = candidates[np.argsort(lifted[candidates], kind="stable")[:unmet]]
        lifted[low] += 1


def k_degree(graph: SocialGraph, *, k: int) -> SupergraphRelease:
    """Publish a social graph with friendships added until every degree occurs k times, k >= 2.

    An adversary who knows how many friends somebody has, and nothing else, is left with k
    candidates. More knowledge leaves fewer: see the docs. Attributes are not published.

    >>> star = SocialGraph.from_edges([(0, 1), (0, 2), (0, 3), (0, 4)])
    >>> k_degree(star, k=2).degrees.tolist()
    [4, 2, 4, 2, 2]
    >>> k_degree(star, k=6)
    Traceback (most recent call last):
    kproof.errors.InvalidArgument: k = 6: need 2 <= k <= 5, the number of users
    """
    size = cluster_size(graph, k)
    edges = np.concatenate([graph.friends.edges, additions(graph, size).edges])
    order = np.lexsort((edges[:, 1], edges[:, 0]))
    return seal_graph(graph, edges[order], method="k-degree", parameters={"k": size})
