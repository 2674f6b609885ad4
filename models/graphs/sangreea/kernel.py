"""The inner loop of SaNGreeA: the next member of a cluster, found without looking at everybody.

All candidates for a place share one denominator, so that what they cost is compared in whole
numbers. A user with no friend in common with the cluster costs at least what the own degree and
the cluster's labels cost: such users are looked at by rising degree until none can win.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kproof.models.base.compiled import compiled

Ints = NDArray[np.int64]


class Labels(NamedTuple):
    """What the label of a cluster costs, for all attributes.

    Attributes
    ----------
    nodes
        Shape (users, attributes): a number's rank, or a category's node; -1 is a missing number.
    starts
        Shape (attributes,): where an attribute's entries of the others begin.
    spans
        Shape (attributes,): whether labels are ranges.
    costs
        The place of each rank, a range costing what lies between its ends; or the cost of each
        node.
    parents, ends
        Parent and last descendant of each node.
    whole
        What a label costs that tells nothing.
    """

    nodes: Ints
    starts: Ints
    spans: NDArray[np.bool_]
    costs: Ints
    parents: Ints
    ends: Ints
    whole: int


def join(labels: Labels, low: Ints, high: Ints, user: int) -> None:
    """Widen the labels of a cluster to cover a user.

    A range is ``low`` to ``high``, both -1 for missing numbers only, with ``low`` -2 if it covers
    missing and other numbers; a node is ``low``.
    """
    for column in range(len(labels.starts)):
        start, node = labels.starts[column], labels.nodes[user, column]
        if labels.spans[column]:
            if low[column] == -2 or (node < 0) != (low[column] < 0):
                low[column] = -2
            else:
                low[column] = min(low[column], node)
                high[column] = max(high[column], node)
        else:
            top = low[column]
            while node < top or labels.ends[start + top] < node:
                top = labels.parents[start + top]
            low[column] = top


def label_cost(labels: Labels, low: Ints, high: Ints, user: int) -> int:
    """Return what the labels of a cluster cost that cover one more user."""
    total = 0
    for column in range(len(labels.starts)):
        start, node = labels.starts[column], labels.nodes[user, column]
        if labels.spans[column]:
            if low[column] == -2 or (node < 0) != (low[column] < 0):
                total += labels.whole
            elif node >= 0:
                above, below = max(high[column], node), min(low[column], node)
                total += labels.costs[start + above] - labels.costs[start + below]
        else:
            top = low[column]
            while node < top or labels.ends[start + top] < node:
                top = labels.parents[start + top]
            total += labels.costs[start + top]
    return total


def begin(labels: Labels, low: Ints, high: Ints, user: int) -> None:
    """Set the labels of a cluster to those of its first user."""
    for column in range(len(labels.starts)):
        low[column] = high[column] = labels.nodes[user, column]


def _friends_met(offsets: Ints, labels: Labels) -> int:
    # Of everyone who joins a cluster the friends, and the friends of these, are looked at.
    pairs = (np.diff(offsets) ** 2).sum()
    return int(pairs) * (1 + len(labels.starts))


@compiled(steps=_friends_met)
def grow(
    offsets: Ints,
    targets: Ints,
    labels: Labels,
    k: int,
    label_weight: int,
    friend_weight: int,
) -> Ints:
    """Return the cluster of each user, -1 for the fewer than k users who are left.

    ``label_weight`` is what one unit of a label costs for each member of a cluster;
    ``friend_weight`` what one friend costs who is not shared with a member.
    """
    users = len(offsets) - 1
    degrees = offsets[1:] - offsets[:-1]
    cluster_of = np.full(users, -1, dtype=np.int64)
    by_degree = np.argsort(degrees, kind="mergesort")
    seeds = np.argsort(-degrees, kind="mergesort")
    # Without a weight on friends nobody is nearer for having few, and the index alone decides.
    order = by_degree if friend_weight else np.arange(users)
    # Where the next user may be who is not in a cluster yet; compressed as it is followed.
    onward = np.arange(users + 1)
    shared = np.zeros(users, dtype=np.int64)
    touched = np.empty(users, dtype=np.int64)
    columns = len(labels.starts)
    low, high = np.empty(columns, dtype=np.int64), np.empty(columns, dtype=np.int64)
    left, seed, cluster = users, 0, 0
    while left >= k:
        while cluster_of[seeds[seed]] >= 0:
            seed += 1
        member = seeds[seed]
        count, ends = 0, 0
        begin(labels, low, high, member)
        for size in range(1, k + 1):
            cluster_of[member] = cluster
            left -= 1
            if size == k:
                break
            join(labels, low, high, member)
            ends += degrees[member]
            for friend in targets[offsets[member] : offsets[member + 1]]:
                if cluster_of[friend] < 0:
                    if not shared[friend]:
                        touched[count] = friend
                        count += 1
                    shared[friend] += 1
                for other in targets[offsets[friend] : offsets[friend + 1]]:
                    if cluster_of[other] < 0:
                        if not shared[other]:
                            touched[count] = other
                            count += 1
                        shared[other] += 1
            best, cheapest = -1, np.int64(0)
            for user in touched[:count]:
                if cluster_of[user] >= 0:
                    continue
                cost = friend_weight * (size * degrees[user] + ends - 2 * shared[user])
                if best >= 0 and cost > cheapest:
                    continue
                cost += label_weight * size * label_cost(labels, low, high, user)
                if best < 0 or cost < cheapest or (cost == cheapest and user < best):
                    best, cheapest = user, cost
            floor = label_weight * size * label_cost(labels, low, high, member)
            place = 0
            while True:
                # Follow to the next user without a cluster, and remember the way.
                root = place
                while onward[root] != root or (root < users and cluster_of[order[root]] >= 0):
                    if onward[root] == root:
                        onward[root] = root + 1
                    root = onward[root]
                while onward[place] != root:
                    onward[place], place = root, onward[place]
                if root == users:
                    break
                user = order[root]
                cost = friend_weight * (size * degrees[user] + ends)
                least = cost + floor
                if best >= 0 and (least > cheapest or (least == cheapest and user > best)):
                    break
                if not shared[user]:
                    cost += label_weight * size * label_cost(labels, low, high, user)
                    if best < 0 or cost < cheapest or (cost == cheapest and user < best):
                        best, cheapest = user, cost
                place = root + 1
            member = best
        for user in touched[:count]:
            shared[user] = 0
        cluster += 1
    return cluster_of
