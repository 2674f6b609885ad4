"""The inner loops of k-degree anonymity: which degrees to reach, and edges that reach them."""

import numpy as np

from kproof.models.base.arrays import Codes, put
from kproof.models.base.compiled import compile_kernel


@compile_kernel(steps=lambda degrees, k: len(degrees) * k)
def raise_degrees(degrees: Codes, k: int) -> Codes:
    """Return degrees, in falling order, raised to where each occurs k times or more.

    Each run of k to 2k - 1 degrees is raised to its first; of all ways to cut the degrees into
    runs, one for which the sum of what is added is least. Among equals the later run is shorter.
    """
    users = len(degrees)
    # before[i] is the sum of the first i degrees, so that a run's cost takes one subtraction.
    before = np.zeros(users + 1, dtype=np.int64)
    put(before, 1, np.cumsum(degrees))
    # cheapest[i] is what the first i degrees cost at least, -1 where no runs of k or more end;
    # begins[i] is where the last run among them begins.
    cheapest = np.full(users + 1, -1, dtype=np.int64)
    begins = np.zeros(users + 1, dtype=np.int64)
    cheapest[0] = 0
    for end in range(k, users + 1):
        # A run of 2k or more could be cut in two at no greater cost. Starts are tried from the
        # last on, so that among equal costs the strict comparison keeps the shorter last run.
        for start in range(end - k, max(end - 2 * k, -1), -1):
            if cheapest[start] < 0:
                continue
            cost = cheapest[start] + degrees[start] * (end - start) - before[end] + before[start]
            if cheapest[end] < 0 or cost < cheapest[end]:
                cheapest[end], begins[end] = cost, start
    reached = np.empty(users, dtype=np.int64)
    end = users
    # Each run begins before its end, so that this comes down to 0.
    while end > 0:
        start = begins[end]
        reached[start:end] = degrees[start]
        end = start
    return reached


@compile_kernel(steps=lambda targets, missing: len(targets) + 4 * len(missing) + 8 * missing.sum())
def add_edges(offsets: Codes, targets: Codes, missing: Codes) -> tuple[Codes, Codes]:
    """Add edges until no user misses one, or those who do cannot be joined; return both ends.

    The user who misses most is joined to those who miss most among the others who are no friends
    yet, and so on. ``missing``, shape (users,), has how many edges each is to get, and is
    overwritten with what was not possible.
    """
    users, edges, first = len(missing), 0, 0
    # Users in falling order of what they miss, and the place of each in that order. Those who miss
    # equally much stand side by side: above[m] users miss more than m, so that those who miss m
    # begin at place above[m]. Everything below keeps these three arrays in step.
    # Stable, by the name that Numba has for it: of those who miss as many the first user is first.
    order = np.argsort(-missing, kind="mergesort")
    place = np.empty(users, dtype=np.int64)
    for position in range(users):
        place[order[position]] = position
    above = np.searchsorted(-missing[order], -np.arange(missing.max() + 2))
    # An edge serves two users; an odd one is left.
    pairs = missing.sum() // 2
    left_ends, right_ends = np.empty(pairs, dtype=np.int64), np.empty(pairs, dtype=np.int64)
    # friend_of[u] is the last user whose turn it was and who is a friend of u: no clearing between.
    friend_of = np.full(users, -1, dtype=np.int64)
    chosen = np.empty(users, dtype=np.int64)
    # Places before ``first`` have had their turn; each turn takes one, so that this ends.
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
            left_ends[edges], right_ends[edges] = user, friend
            edges += 1
            # The friend changes places with the last of those who miss equally much, and then
            # belongs to those who miss one less: the order stands without sorting again.
            amount = missing[friend]
            last = above[amount - 1] - 1
            swapped = order[last]
            order[place[friend]], order[last] = swapped, friend
            place[swapped], place[friend] = place[friend], last
            above[amount - 1] = last
            missing[friend] = amount - 1
        missing[user] -= count
    return left_ends[:edges], right_ends[:edges]
