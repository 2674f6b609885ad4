"""CA: clusters of k users who are alike in their friends and in what is known of them.

A cluster starts from the user with most friends who is in none yet, and takes in whoever costs
least until it has k: alpha times what the cluster's labels lose, plus beta times the mean
structural distance. Published are sizes, friendships inside and between clusters, and the labels.

Source: A. Campan, T. M. Truta, "Data and Structural k-Anonymity in Social Networks", PinKDD 2008
(SaNGreeA). The formulas are given here as recalled, not checked against the printed paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from fractions import Fraction
from itertools import accumulate, pairwise
from math import gcd, lcm
from typing import TYPE_CHECKING

import numpy as np

from kproof.errors import InvalidArgument, TooLarge
from kproof.models.graphs.loss import WHOLE, LabelCosts, label_costs
from kproof.models.graphs.release import ClusterRelease, seal_clusters
from kproof.models.graphs.sangreea import dense as sangreea_dense
from kproof.models.graphs.sangreea.kernel import grow
from kproof.models.graphs.social import SocialGraph, cluster_size
from kproof.theory.exact.typed import Number, choice, rational

if TYPE_CHECKING:
    from kproof.models.base.arrays import Codes


class MemberSearch(StrEnum):
    """How the next member of a cluster is found; both find the same."""

    PRUNED = "pruned"
    """Only users who may win are looked at."""
    DENSE = "dense"
    """Everybody is, in rational numbers, as the definitions read."""


def sangreea(
    graph: SocialGraph,
    *,
    k: int,
    alpha: Number = "1/2",
    beta: Number = "1/2",
    search: MemberSearch | str = MemberSearch.PRUNED,
) -> ClusterRelease:
    """Publish a social graph as clusters of k users or more, k >= 2.

    A user X joins the cluster C for which alpha NGIL(C + X) + beta dist(X, C) is least; only the
    ratio of these weights, 0 or more, matters. dist(X, C) is the mean over the members Y of the
    share of the n - 2 other users who are friends of exactly one of X and Y; NGIL is the mean over
    attributes of what a label loses: the share of the range of all numbers, or the height of the
    lowest common node in a taxonomy as a share of its height (all or nothing without one). A
    missing value costs as much as if nothing were known of the attribute, unless all values of the
    cluster are missing. All attributes of the graph are published, as labels of clusters.

    Ties go to the user who comes first. Fewer than k users may be left in the end; one after
    another, in order of their index, they join the cluster that costs them least, the one made
    first among equals. Costs are compared exactly, in 64 bits or not at all (TooLarge); places of
    numbers in their range are rounded to 1/720720.

    >>> graph = SocialGraph.from_edges([(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 5), (3, 5)])
    >>> release = sangreea(graph, k=3)
    >>> release.cluster_of.tolist(), release.inner.tolist(), release.weights.tolist()
    ([0, 0, 0, 1, 1, 1], [3, 3], [1])
    """
    size = cluster_size(graph, k)
    weights = rational("alpha", alpha, least=0), rational("beta", beta, least=0)
    if not any(weights):
        raise InvalidArgument("alpha, beta", "0, 0", "at least one of them above 0")
    search = choice("search", search, MemberSearch)
    labels = label_costs(graph)
    if search == MemberSearch.DENSE:
        *clusters, unclustered = sangreea_dense.grow(graph, labels.share, size, *weights)
        cluster_of = np.full(graph.users, -1, dtype=np.int64)
        for index, cluster in enumerate(clusters):
            cluster_of[cluster] = index
    else:
        cluster_of = _search(graph, labels, size, *weights)
        unclustered = np.flatnonzero(cluster_of < 0).tolist()
    _disperse(graph, labels, cluster_of, unclustered, *weights)
    texts = dict(zip(("alpha", "beta", "search"), map(str, (*weights, search)), strict=True))
    parameters, attributes = {"k": size, **texts}, graph.attributes
    return seal_clusters(
        graph, cluster_of, method="sangreea", parameters=parameters, attributes=attributes
    )


def _search(
    graph: SocialGraph, labels: LabelCosts, k: int, alpha: Fraction, beta: Fraction
) -> Codes:
    """Return the cluster of each user, -1 for who is left, by the fast search."""
    # The cost times size times this denominator is a whole number.
    columns, strangers = max(labels.columns, 1), max(graph.users - 2, 1)
    label = alpha / (columns * WHOLE)
    friend = beta / strangers
    common = lcm(label.denominator, friend.denominator)
    scaled = int(label * common), int(friend * common)
    # By their common divisor, so that more graphs fit; it is not 0, as one weight is above 0.
    weights = scaled[0] // gcd(*scaled), scaled[1] // gcd(*scaled)
    # Nobody has as many friends as there are users, and two terms count friends.
    largest = k * (weights[0] * columns * WHOLE + weights[1] * 2 * graph.users)
    if largest >= 1 << 62:
        raise TooLarge("costs of candidates do not fit in 64 bits; use simpler weights")
    friends = graph.friends
    return grow(friends.offsets, friends.targets, labels.kernel, k, *weights)


def _disperse(
    graph: SocialGraph,
    labels: LabelCosts,
    cluster_of: Codes,
    unclustered: Sequence[int],
    alpha: Fraction,
    beta: Fraction,
) -> None:
    """Put the users who are left where they cost least, one after another."""
    count = int(cluster_of.max()) + 1
    # Who is left has -1 and comes first.
    order = np.argsort(cluster_of, kind="stable")[len(unclustered) :].tolist()
    bounds = [0, *accumulate(np.bincount(cluster_of[order], minlength=count).tolist())]
    members = [order[start:end] for start, end in pairwise(bounds)]
    ends = np.bincount(cluster_of[order], weights=graph.degrees[order], minlength=count)
    degrees = [int(total) for total in ends]
    tops = [labels.cover(cluster) for cluster in members] if labels.columns else []
    strangers = max(graph.users - 2, 1)
    for user in unclustered:
        # Anew for each: those who were put somewhere before are members by now.
        shared = _common_friends(graph, cluster_of, user, count)
        best, cheapest = 0, Fraction(-1)
        for index, cluster in enumerate(members):
            apart = len(cluster) * int(graph.degrees[user]) + degrees[index] - 2 * shared[index]
            cost = beta * Fraction(apart, len(cluster) * strangers)
            if tops and alpha:
                cost += alpha * labels.share_with(tops[index], user)
            if cheapest < 0 or cost < cheapest:
                best, cheapest = index, cost
        cluster_of[user] = best
        members[best].append(user)
        degrees[best] += int(graph.degrees[user])
        if tops:
            labels.widen(tops[best], user)


def _common_friends(graph: SocialGraph, cluster_of: Codes, user: int, count: int) -> list[int]:
    """Return, for each cluster, its members that are friends, and friends of friends by way."""
    near = graph.friends.neighbours(user)
    ways = [near, *(graph.friends.neighbours(friend) for friend in near.tolist())]
    met = cluster_of[np.concatenate(ways)]
    counts: list[int] = np.bincount(met[met >= 0], minlength=count).tolist()
    return counts
