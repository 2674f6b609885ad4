"""SaNGreeA as its definitions read: every candidate, every attribute, in rational numbers.

This is what the fast search is held against. It takes time that grows with the square of the
number of users, times k.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction

from kproof.models.graphs.social import SocialGraph
from kproof.stages import stage

Cost = Callable[[Sequence[int]], Fraction]
"""What the labels of some users cost, as a share of 1: their NGIL as a cluster of their own."""


def distance(graph: SocialGraph, user: int, candidate: int) -> Fraction:
    """Return the share of the other users who are a friend of exactly one of two.

    >>> path = SocialGraph.from_edges([(0, 1), (1, 2), (2, 3)])
    >>> print(distance(path, 0, 1), distance(path, 0, 2), distance(path, 0, 3))
    1/2 1/2 1
    """
    mine, theirs = set(graph.friends.neighbours(user)), set(graph.friends.neighbours(candidate))
    return Fraction(len((mine ^ theirs) - {user, candidate}), max(graph.users - 2, 1))


def grow(
    graph: SocialGraph, cost: Cost, k: int, alpha: Fraction, beta: Fraction
) -> list[list[int]]:
    """Return clusters of k users, in the order in which they join, and who is left."""
    free = list(range(graph.users))
    clusters = []
    with stage("clustering users", graph.users) as progress:
        while len(free) >= k:
            cluster = [max(free, key=lambda user: (graph.degrees[user], -user))]
            free.remove(cluster[0])
            while len(cluster) < k:
                costs = {user: objective(graph, cost, cluster, user, alpha, beta) for user in free}
                # The first of equals, as those who are free stay in the order of their index.
                nearest = min(free, key=costs.__getitem__)
                cluster.append(nearest)
                free.remove(nearest)
            clusters.append(cluster)
            progress.advance(graph.users - len(free))
    return [*clusters, free]


def objective(
    graph: SocialGraph, cost: Cost, cluster: list[int], user: int, alpha: Fraction, beta: Fraction
) -> Fraction:
    """Return what it costs a cluster to take in a user."""
    apart = sum((distance(graph, user, member) for member in cluster), Fraction(0))
    return alpha * cost([*cluster, user]) + beta * apart / len(cluster)
