"""The corrected Algorithm 1 for large tables, compiled.

The result is that of :func:`kproof.models.tables.theta.runs.adjust_plainly`, row by row. Two things
make it near-linear: a class keeps its values, frequencies and records in as many entries as it has
distinct values, at most; and the first later class that passes and has a value absent from the
current one is found in a tree over the classes, each node of which holds, as a bit set, the values
that passing classes below it have. A search and an update take O(log classes) steps. With more
values than a set has bits the tree only finds classes that pass, which are then looked at one by
one: among so many values nearly every class has an absent one.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kproof.models.base.arrays import Codes, put, put_rows
from kproof.models.base.compiled import compile_kernel
from kproof.models.tables.theta.moves import SAFE
from kproof.models.tables.theta.runs import Adjusted, Formed, adjust_plainly

_FEW = 32
"""Up to this many frequencies are sorted by insertion, which needs no memory."""

_BITS = 64

_WORDS = 8
"""Largest size of a bit set."""


class _Entries(NamedTuple):
    """The classes: entries ``begin[c], ..., begin[c] + used[c] - 1`` are those of class c.

    An entry is a value with its frequency and the row that moves next if one of that value has to,
    -1 if only noise rows have it; ``below`` leads from each row to the one that moves after it.
    """

    begin: Codes
    used: Codes
    value: Codes
    frequency: Codes
    top: Codes
    below: Codes


def adjust(start: Formed) -> Adjusted:
    """Return the run of the corrected algorithm."""
    sizes = np.bincount(start.class_of[start.class_of >= 0], minlength=start.count)
    # Padding is noise of the last class: V counts it in N, and so must the threshold.
    sizes[-1] += len(start.padding)
    distinct, kind = np.unique(sizes, return_inverse=True)
    threshold, largest = start.threshold, int(distinct[-1])
    # With 2N noise rows of distinct values, two thirds of a class of N >= k rows are spread out
    # enough for V >= 2/3 (4N² - 1)/12 >= (N² - 1)/12; a theta that grows with them may need more.
    most_noise = start.domain if threshold.per_class else min(start.domain, 2 * largest)
    # Machine code would wrap around without a word; Python's integers do not.
    if (largest + most_noise) * min(start.domain, largest + most_noise) >= SAFE:
        return adjust_plainly(start)
    least_scaled = np.array(
        [
            [
                # Capped: no variance that fits in 64 bits reaches it, so the class stays short.
                min(threshold.least(size + noise), np.iinfo(np.int64).max)
                for noise in range(most_noise + 1)
            ]
            for size in distinct.tolist()
        ],
        dtype=np.int64,
    )
    members, starts = start.members()
    class_of = start.class_of.copy()
    # least_scaled[s, n]: the smallest N²·V that passes for a class of the s-th distinct size with n
    # noise rows. Thresholds are rationals; whole numbers are compared exactly by machine code.
    swaps, noise, short = _adjust(
        start.codes,
        class_of,
        members,
        starts,
        least_scaled,
        kind.reshape(-1).astype(np.int64),
        start.domain,
        start.preference,
        start.offsets,
        start.padding,
    )
    padding = np.column_stack([np.full_like(start.padding, start.count - 1), start.padding])
    noise = np.concatenate([padding, noise])
    return Adjusted(class_of, swaps, noise[:, 0].copy(), noise[:, 1].copy(), short)


def integer_variance(frequencies: Codes) -> int:
    """Return N²·V; sorts the frequencies in place, if they are few."""
    if len(frequencies) > _FEW:
        frequencies = np.sort(frequencies)[::-1]
    else:
        for i in range(1, len(frequencies)):
            moving, j = frequencies[i], i
            while j and frequencies[j - 1] < moving:
                frequencies[j] = frequencies[j - 1]
                j -= 1
            frequencies[j] = moving
    size = first = second = 0
    for i in range(len(frequencies)):
        share = (i + 1) * frequencies[i]
        size += frequencies[i]
        first += share
        second += (i + 1) * share
    return size * second - first * first


def _variance_of(classes: _Entries, c: int, buffer: Codes) -> int:
    used, begin = classes.used[c], classes.begin[c]
    for i in range(used):
        buffer[i] = classes.frequency[begin + i]
    return integer_variance(buffer[:used])


def _give(classes: _Entries, c: int, value: int, row: int) -> None:
    """Add one row of a value to a class; row -1 is noise."""
    begin = classes.begin[c]
    entry = begin
    while entry < begin + classes.used[c] and classes.value[entry] != value:
        entry += 1
    if entry == begin + classes.used[c]:
        classes.used[c] += 1
        classes.value[entry] = value
        classes.frequency[entry] = 0
        classes.top[entry] = -1
    classes.frequency[entry] += 1
    if row >= 0:
        classes.below[row] = classes.top[entry]
        classes.top[entry] = row


def _take(classes: _Entries, c: int, entry: int) -> int:
    """Take the row that moves next from an entry of a class and return it."""
    row = int(classes.top[entry])
    classes.top[entry] = classes.below[row]
    classes.frequency[entry] -= 1
    if classes.frequency[entry] == 0:
        classes.used[c] -= 1
        end = classes.begin[c] + classes.used[c]
        # The last entry fills the gap: nothing rests on the order of entries, ties go by value.
        classes.value[entry] = classes.value[end]
        classes.frequency[entry] = classes.frequency[end]
        classes.top[entry] = classes.top[end]
    return row


def _best(classes: _Entries, c: int, passed: Codes, stamp: int, strict: bool) -> int:
    """Return the entry of the most frequent value a person of class c has, or -1.

    Values marked with the stamp are passed over. If ``strict``, a value that is less frequent than
    one which was passed over does not count.
    """
    best, limit = -1, 0
    begin = classes.begin[c]
    for entry in range(begin, begin + classes.used[c]):
        value, frequency = classes.value[entry], classes.frequency[entry]
        if strict:
            # Before a value is passed over: who leaves has to have a most frequent value of all.
            limit = max(limit, frequency)
        if classes.top[entry] < 0 or passed[value] == stamp:
            continue
        if (
            best < 0
            or frequency > classes.frequency[best]
            # By value, not by place: _take moves entries about.
            or (frequency == classes.frequency[best] and value < classes.value[best])
        ):
            best = entry
    return best if best >= 0 and classes.frequency[best] >= limit else -1


def _mark(classes: _Entries, c: int, marks: Codes, stamp: int) -> None:
    """Mark the values of a class."""
    begin = classes.begin[c]
    for entry in range(begin, begin + classes.used[c]):
        marks[classes.value[entry]] = stamp


def _set_of(classes: _Entries, c: int, people: bool, words: NDArray[np.uint64]) -> None:
    """Write the values of a class as a bit set; those that people have, if ``people``."""
    words[:] = np.uint64(0)
    begin = classes.begin[c]
    for entry in range(begin, begin + classes.used[c]):
        if people and classes.top[entry] < 0:
            continue
        bit = classes.value[entry] % (_BITS * len(words))
        words[bit // _BITS] |= np.uint64(1) << np.uint64(bit % _BITS)


def _lift(tree: NDArray[np.uint64], node: int) -> None:
    """Bring the nodes above a changed leaf up to date."""
    node //= 2
    while node:
        unchanged = True
        for word in range(tree.shape[1]):
            joined = tree[2 * node, word] | tree[2 * node + 1, word]
            if joined != tree[node, word]:
                tree[node, word] = joined
                unchanged = False
        # A node that stays as it is leaves all above it as they are.
        if unchanged:
            return
        node //= 2


def _adds(tree: NDArray[np.uint64], node: int, own_set: NDArray[np.uint64]) -> bool:
    new = np.uint64(0)
    for word in range(tree.shape[1]):
        new |= tree[node, word] & ~own_set[word]
    return bool(new)


def _donor(tree: NDArray[np.uint64], first: int, own_set: NDArray[np.uint64]) -> int:
    """Return the first class from ``first`` on that passes and has a value not in ``own_set``."""
    leaves = tree.shape[0] // 2
    if first >= leaves:
        return -1
    node = leaves + first
    # No leaf below this node will do. Those right of it begin at the next node of its depth, or,
    # from a right child, of the depth above; right of the last there is none.
    while not _adds(tree, node, own_set):
        while node % 2:
            node //= 2
        if node == 0:
            return -1
        node += 1
    # The node adds something, so one of its children does: the left one first, as classes are in
    # order.
    while node < leaves:
        node *= 2
        if not _adds(tree, node, own_set):
            node += 1
    return int(node - leaves)


def _grow(pairs: Codes, used: int) -> Codes:
    if used < len(pairs):
        return pairs
    larger = np.empty((2 * len(pairs), 2), dtype=np.int64)
    put_rows(larger, 0, pairs)
    return larger


def _entries(
    codes: Codes, members: Codes, starts: Codes, domain: int, padding: Codes, below: Codes
) -> _Entries:
    count = len(starts) - 1
    begin = np.zeros(count + 1, dtype=np.int64)
    for c in range(count):
        # Only the last two classes are looked at again after they got noise.
        room = min(starts[c + 1] - starts[c], domain) if c < count - 2 else domain
        begin[c + 1] = begin[c] + room
    total = begin[count]
    classes = _Entries(
        begin,
        np.zeros(count, dtype=np.int64),
        np.empty(total, dtype=np.int64),
        np.empty(total, dtype=np.int64),
        np.empty(total, dtype=np.int64),
        below,
    )
    # Where each value was met last. It is never cleared: clearing it for every class would cost
    # classes times values.
    entry_of = np.full(domain, -1, dtype=np.int64)
    for c in range(count):
        first = begin[c]
        # Backwards, so that the first row of the class with a value is the first to move.
        for position in range(starts[c + 1] - 1, starts[c] - 1, -1):
            row = members[position]
            value = codes[row]
            # An entry left over from an earlier class lies before this class's own.
            entry = entry_of[value]
            if entry < first:
                entry = first + classes.used[c]
                classes.used[c] += 1
                entry_of[value] = entry
                classes.value[entry] = value
                classes.frequency[entry] = 0
                classes.top[entry] = -1
            classes.frequency[entry] += 1
            below[row] = classes.top[entry]
            classes.top[entry] = row
    for value in padding:
        _give(classes, count - 1, value, -1)
    return classes


@compile_kernel(steps=lambda codes: 20 * len(codes))
def _adjust(
    codes: Codes,
    class_of: Codes,
    members: Codes,
    starts: Codes,
    least_scaled: Codes,
    kind: Codes,
    domain: int,
    preference: Codes,
    offsets: Codes,
    padding: Codes,
) -> tuple[Codes, Codes, Codes]:
    """Adjust ``class_of`` in place and return swaps, noise rows and short classes."""
    # Classes are adjusted from first to last, and take from later ones only, so that what lies
    # behind never changes again: but for the class before the last, with which the last exchanges.
    count = len(starts) - 1
    classes = _entries(codes, members, starts, domain, padding, np.empty_like(codes))
    words = min((domain + _BITS - 1) // _BITS, _WORDS)
    exact = domain <= _BITS * words
    # The current class's values as a bit set. It stays empty where sets are too small to decide;
    # every passing class is looked at then.
    own_set = np.zeros(words, dtype=np.uint64)
    # By value: the last stamp under which the current class, or its donor, had it. A new stamp
    # forgets all marks at once.
    marks = np.zeros(domain, dtype=np.int64)
    donor_marks = np.zeros(domain, dtype=np.int64)
    stamp = 0
    buffer = np.empty(domain, dtype=np.int64)

    # A complete binary tree: node n has the children 2n and 2n + 1, and class c is the leaf
    # leaves + c. A leaf is empty while its class does not pass, so that it is never a donor.
    leaves = 1
    while leaves < count:
        leaves *= 2
    tree = np.zeros((2 * leaves, words), dtype=np.uint64)
    for c in range(count):
        if _variance_of(classes, c, buffer) >= least_scaled[kind[c], 0]:
            _set_of(classes, c, True, tree[leaves + c])
    for node in range(leaves - 1, 0, -1):
        for word in range(words):
            tree[node, word] = tree[2 * node, word] | tree[2 * node + 1, word]

    # Rows that changed places; class and value of each noise row; classes that stay below theta.
    # The first two grow, the counters say how much of them is there.
    swaps = np.empty((1024, 2), dtype=np.int64)
    noise = np.empty((1024, 2), dtype=np.int64)
    short = np.empty(count, dtype=np.int64)
    swapped = noised = shorts = 0
    for c in range(count):
        last = c == count - 1
        scaled = _variance_of(classes, c, buffer)
        while scaled < least_scaled[kind[c], 0]:
            # An exchange gives a most frequent value away for an absent one. A class whose values
            # occur once each passes, so the value given away occurs twice or more, and each
            # exchange adds a distinct value: this ends.
            stamp += 1
            _mark(classes, c, marks, stamp)
            give = take = -1
            donor = c
            if not last:
                if exact:
                    _set_of(classes, c, False, own_set)
                # A donor may have only noise of the absent value: nobody to move. Then the next.
                while take < 0:
                    donor = _donor(tree, donor + 1, own_set)
                    if donor < 0:
                        break
                    take = _best(classes, donor, marks, stamp, False)
                # No value bears the mark -1.
                give = _best(classes, c, marks, -1, False)
            elif c:
                # Nobody comes after the last class. It exchanges with the one before: each gives
                # one of its most frequent values, if the other lacks it.
                donor = c - 1
                _mark(classes, donor, donor_marks, stamp)
                give = _best(classes, c, donor_marks, stamp, True)
                take = _best(classes, donor, marks, stamp, True)
            if give < 0 or take < 0:
                break
            x, y = classes.value[give], classes.value[take]
            leaving, coming = _take(classes, c, give), _take(classes, donor, take)
            _give(classes, c, y, coming)
            _give(classes, donor, x, leaving)
            class_of[leaving], class_of[coming] = donor, c
            swaps = _grow(swaps, swapped)
            swaps[swapped, 0], swaps[swapped, 1] = leaving, coming
            swapped += 1
            if not last:
                # A donor that no longer passes drops out of the tree until its own turn.
                tree[leaves + donor] = np.uint64(0)
                if _variance_of(classes, donor, buffer) >= least_scaled[kind[donor], 0]:
                    _set_of(classes, donor, True, tree[leaves + donor])
                _lift(tree, leaves + donor)
            scaled = _variance_of(classes, c, buffer)
        if scaled >= least_scaled[kind[c], 0]:
            continue

        # What exchanges could not do, noise does: rows of values that the class has not, in the
        # order of preference, which begins elsewhere for each class. With f_1 >= f_2 >= ... the
        # frequencies, N²·V = N·Σ i²·f_i - (Σ i·f_i)²: three sums, to which a row adds a term each.
        stamp += 1
        _mark(classes, c, marks, stamp)
        added, turn = 0, 0
        size = first = second = 0
        used = classes.used[c]
        _variance_of(classes, c, buffer)
        if used > _FEW:
            put(buffer, 0, np.sort(buffer[:used])[::-1])
        for i in range(used):
            size += buffer[i]
            first += (i + 1) * buffer[i]
            second += (i + 1) * (i + 1) * buffer[i]
        while scaled < least_scaled[kind[c], added]:
            while turn < domain and marks[preference[(offsets[c] + turn) % domain]] == stamp:
                turn += 1
            if turn == domain:
                short[shorts] = c
                shorts += 1
                break
            value = preference[(offsets[c] + turn) % domain]
            turn += 1
            noise = _grow(noise, noised)
            noise[noised, 0], noise[noised, 1] = c, value
            noised += 1
            # The last exchange looks at the last two classes with their noise; others are done.
            if c >= count - 2:
                _give(classes, c, value, -1)
            # A new value occurs once, so it ranks last and leaves the other weights alone.
            added += 1
            size += 1
            first += used + added
            second += (used + added) ** 2
            scaled = size * second - first * first
    return swaps[:swapped].copy(), noise[:noised].copy(), short[:shorts].copy()
