"""The inner loops of k-degree anonymity: which degrees to reach, and edges that reach them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kproof.models.base.compiled import compiled

Ints = NDArray[np.int64]


@compiled(steps=lambda degrees, k: len(degrees) * k)
def raised(degrees: Ints, k: int) -> Ints:
    """Return degrees, in falling order, raised to where each occurs k times or more.

    Each run of k to 2k - 1 degrees is raised to its first; of all ways to cut the degrees into
    runs, one for which the sum of what is added is least. Among equals the later run is shorter.
    """
    users = len(degrees)
    before = np.zeros(users + 1, dtype=np.int64)
    for user in range(users):
        before[user + 1] = before[user] + degrees[user]
    # What the first i degrees cost at least, and where the last run among them begins.
    least = np.full(users + 1, -1, dtype=np.int64)
    begins = np.zeros(users + 1, dtype=np.int64)
    least[0] = 0
    for end in range(k, users + 1):
        for start in range(end - k, max(end - 2 * k, -1), -1):
            if least[start] < 0:
                continue
            cost = least[start] + degrees[start] * (end - start) - before[end] + before[start]
            if least[end] < 0 or cost < least[end]:
                least[end], begins[end] = cost, start
    found = np.empty(users, dtype=np.int64)
    end = users
    while end > 0:
        start = begins[end]
        found[start:end] = degrees[start]
        end = start
    return found


@compiled(steps=lambda targets, missing: len(targets) + 4 * len(missing) + 8 * missing.sum())
def joined(offsets: Ints, targets: Ints, missing: Ints) -> tuple[Ints, Ints]:
    """Add edges until no user misses one, or those who do cannot be joined.

    The user who misses most is joined to those who miss most among the others who are no friends
    yet, and so on.

    Parameters
    ----------
    offsets, targets
        The graph.
    missing
        Shape (users,): edges each user is to get. Overwritten with what was not possible.

    Returns
    -------
    tuple
        Both ends of the new edges.
    """
    users = len(missing)
    most = np.int64(0)
    for user in range(users):
        most = max(most, missing[user])
    # Users in falling order of what they miss, those who miss equally much side by side:
    # ``above[m]`` of them miss more than m.
    above = np.zeros(most + 2, dtype=np.int64)
    for user in range(users):
        above[missing[user]] += 1
    running = np.int64(0)
    for amount in range(most, -1, -1):
        equal = above[amount]
        above[amount] = running
        running += equal
    order, place = np.empty(users, dtype=np.int64), np.empty(users, dtype=np.int64)
    fill = above.copy()
    for user in range(users):
        place[user] = fill[missing[user]]
        order[place[user]] = user
        fill[missing[user]] += 1
    total = np.int64(0)
    for user in range(users):
        total += missing[user]
    one, other = np.empty(total // 2, dtype=np.int64), np.empty(total // 2, dtype=np.int64)
    edges = 0
    friend_of = np.full(users, -1, dtype=np.int64)
    chosen = np.empty(users, dtype=np.int64)
    first = 0
    while first < users and missing[order[first]] > 0:
        user = order[first]
        first += 1
        for friend in targets[offsets[user] : offsets[user + 1]]:
            friend_of[friend] = user
        # Whoever had a turn before is not met again, so that no new edge can be there already.
        count, position = 0, first
        while count < missing[user] and position < users and missing[order[position]] > 0:
            if friend_of[order[position]] != user:
                chosen[count] = order[position]
                count += 1
            position += 1
        # The one who misses least goes first, so that the places of the others stay.
        for index in range(count - 1, -1, -1):
            friend = chosen[index]
            one[edges], other[edges] = user, friend
            edges += 1
            amount = missing[friend]
            last = above[amount - 1] - 1
            swapped = order[last]
            order[place[friend]], order[last] = swapped, friend
            place[swapped], place[friend] = place[friend], last
            above[amount - 1] = last
            missing[friend] = amount - 1
        missing[user] -= count
    return one[:edges], other[:edges]
