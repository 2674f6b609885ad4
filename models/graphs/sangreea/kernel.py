"""The inner loop of SaNGreeA: the next member of a cluster, found without looking at everybody.

All candidates for a place share one denominator, so that what they cost is compared in whole
numbers. A user with no friend in common with the cluster costs at least what the own degree and
the cluster's labels cost: such users are looked at by rising degree until none can win.
"""

import numpy as np

from kproof.models.base.arrays import Codes
from kproof.models.base.compiled import compile_kernel
from kproof.models.graphs.label_kernel import Labels, begin, join, label_cost


def _steps(offsets: Codes, labels: Labels) -> int:
    # Of everyone who joins a cluster the friends, and the friends of these, are looked at.
    pairs = (np.diff(offsets) ** 2).sum()
    return int(pairs) * (1 + len(labels.starts))


def _count_ways(near: Codes, cluster_of: Codes, shared: Codes, touched: Codes, count: int) -> int:
    """Count one way more to each user who is in no cluster; return how many are touched."""
    for user in near:
        if cluster_of[user] < 0:
            if not shared[user]:
                touched[count] = user
                count += 1
            shared[user] += 1
    return count


@compile_kernel(steps=_steps)
def grow(
    offsets: Codes, targets: Codes, labels: Labels, k: int, label_weight: int, friend_weight: int
) -> Codes:
    """Return the cluster of each user, -1 for the fewer than k users who are left.

    ``label_weight`` is what one unit of a label costs for each member of a cluster;
    ``friend_weight`` what one friend costs who is not shared with a member.
    """
    users = len(offsets) - 1
    degrees = offsets[1:] - offsets[:-1]
    # Stable sorts: among equal degrees the first user comes first.
    cluster_of = np.full(users, -1, dtype=np.int64)
    by_degree = np.argsort(degrees, kind="mergesort")
    seeds = np.argsort(-degrees, kind="mergesort")
    # Without a weight on friends nobody is nearer for having few, and the index alone decides.
    order = by_degree if friend_weight else np.arange(users)
    # Place p of ``order`` points on to where the next user may be who is not in a cluster yet, to
    # itself if that is the one there; ``users`` is the end. Compressed as it is followed.
    onward = np.arange(users + 1)
    # shared[u] counts, over the members so far, those who are u's friends and the friends that they
    # have in common with u; touched[:count] are the users for whom it is not 0, to clear it by.
    shared = np.zeros(users, dtype=np.int64)
    touched = np.empty(users, dtype=np.int64)
    # The cluster's labels, as label_kernel has them; ``ends`` below sums its members' degrees.
    columns = len(labels.starts)
    low, high = np.empty(columns, dtype=np.int64), np.empty(columns, dtype=np.int64)
    unclustered, seed, cluster = users, 0, 0
    while unclustered >= k:
        while cluster_of[seeds[seed]] >= 0:
            seed += 1
        member = seeds[seed]
        count, ends = 0, 0
        begin(labels, low, high, member)
        for size in range(1, k + 1):
            cluster_of[member] = cluster
            unclustered -= 1
            if size == k:
                break
            join(labels, low, high, member)
            ends += degrees[member]
            mine = targets[offsets[member] : offsets[member + 1]]
            count = _count_ways(mine, cluster_of, shared, touched, count)
            for friend in mine:
                theirs = targets[offsets[friend] : offsets[friend + 1]]
                count = _count_ways(theirs, cluster_of, shared, touched, count)
            # First those who share a friend with the cluster, or are one: any of them may win.
            best, cheapest = -1, np.int64(0)
            for user in touched[:count]:
                if cluster_of[user] >= 0:
                    continue
                cost = friend_weight * (size * degrees[user] + ends - 2 * shared[user])
                # Labels cost 0 or more, and take longer to look at than friends. At equal costs
                # they are looked at: where they cost 0 the lower number wins.
                if best >= 0 and cost > cheapest:
                    continue
                cost += label_weight * size * label_cost(labels, low, high, user)
                if best < 0 or cost < cheapest or (cost == cheapest and user < best):
                    best, cheapest = user, cost
            # Then those who share none, by rising degree. The member is covered already: this is
            # what the labels cost as they are, which nobody who joins can make less.
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
                bound = cost + floor
                # Whoever follows has no lower degree, so that nobody else can win either.
                if best >= 0 and (bound > cheapest or (bound == cheapest and user > best)):
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
