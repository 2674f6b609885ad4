"""The compiled part of the packed explorer: breadth-first search over rows of 64-bit words.

Each field of a row has a fixed place in it: a word, a shift, and a mask for what is left after
shifting. Rows are known by an open-addressing table of their numbers; a number that is not below
that of the states is left over from an expansion that was undone and means nothing.
"""

import numpy as np
from numpy.typing import NDArray

from kproof.models.base.compiled import compile_kernel

Words = NDArray[np.uint64]
Numbers = NDArray[np.int64]
Table = NDArray[np.int32]
Labels = NDArray[np.uint16]
Demand = tuple[Numbers, Numbers, Words, Words]
Change = tuple[Numbers, Numbers, Words, Words, Words]

DONE, PAUSED, NO_ROOM, NO_WIDTH, TOO_MANY = range(5)
"""Why the kernel returns; after the last three the state it was at is as if untouched."""


def _steps(words: Words, after: Numbers, progress: Numbers, until: int) -> int:
    return 2 * (min(until, len(words)) - int(progress[1])) * len(after)


@compile_kernel(steps=_steps, modular=True)
def expand(
    words: Words,
    table: Table,
    arcs: tuple[Numbers, Table, Labels, Numbers],
    demand: Demand,
    inhibitors: Demand,
    after: Numbers,
    change: Change,
    progress: Numbers,
    ceiling: int,
    until: int,
    keep_arcs: bool,
) -> int:
    """Expand states, from where the search is up to ``until``, and say why it ended.

    Args:
        words: Shape (room, words): the states.
        table: Shape (a power of two,): state at each slot, or -1.
        arcs: Starts, targets, labels and parents, with room.
        demand: Where each instance's entries begin, and of each its word, the bits of it that are
            looked at, and the least that these must be as a number.
        inhibitors: The same of what there must be less of.
        after: For each instance the next one that does not share its first entry.
        change: Where each instance's entries begin, and of each its word, the bits that are looked
            at, the most that these may be as a number, and what is to be added to the word.
        progress: States, expanded states, arcs; and the instance that needs a wider field.
        ceiling: States that may be there.
    """
    starts, targets, labels, parents = arcs
    demands, demand_word, demand_bits, demand_least = demand
    barring, barring_word, barring_bits, barring_least = inhibitors
    changes, change_word, change_bits, change_most, change_added = change
    width = words.shape[1]
    instances = len(demands) - 1
    reached = np.empty(width, dtype=np.uint64)
    # In locals, and back at the end: compiled, an array would be read and written at each arc.
    states, state, arc = progress[0], progress[1], progress[2]
    status = DONE
    while state < states:
        if state == until:
            status = PAUSED
            break
        # Room is asked for once a state, not at each successor: it has at most as many of them as
        # there are instances, and nothing of it has to be undone.
        if (
            states + instances > len(words)
            or (states + instances) * 5 > len(table) * 3
            or (keep_arcs and arc + instances > len(targets))
        ):
            status = NO_ROOM
            break
        # Where the state cannot be expanded wholly, all is taken back to these.
        states_before, arc_before = states, arc
        # A view, no copy: successors are written behind the states there are.
        row = words[state]
        # Instances that share a first entry stand together: where it fails all of them are passed.
        following = 0
        while following < instances:
            instance, following = following, following + 1
            enabled = True
            for entry in range(demands[instance], demands[instance + 1]):
                if row[demand_word[entry]] & demand_bits[entry] < demand_least[entry]:
                    if entry == demands[instance]:
                        following = after[instance]
                    enabled = False
                    break
            if not enabled:
                continue
            for entry in range(barring[instance], barring[instance + 1]):
                if row[barring_word[entry]] & barring_bits[entry] >= barring_least[entry]:
                    enabled = False
                    break
            if not enabled:
                continue
            for word in range(width):
                reached[word] = row[word]
            for entry in range(changes[instance], changes[instance + 1]):
                word = change_word[entry]
                # A gain that does not fit would run over into the next field of the word.
                if row[word] & change_bits[entry] > change_most[entry]:
                    progress[3] = instance
                    status = NO_WIDTH
                    break
                # Modulo 2⁶⁴: a loss is added as its complement. It borrows from no other field, as
                # the demand has made sure that there is as much.
                reached[word] += change_added[entry]
            if status != DONE:
                break
            slot = find(words, table, reached, states)
            target = table[slot]
            if target < 0:
                # Then the state is not expanded at all: below `progress[1]` all have all their
                # arcs.
                if states == ceiling:
                    status = TOO_MANY
                    break
                target = states
                for word in range(width):
                    words[states, word] = reached[word]
                table[slot] = states
                parents[states] = arc
                states += 1
            if keep_arcs:
                targets[arc] = target
                labels[arc] = instance
            arc += 1
        if status != DONE:
            states, arc = states_before, arc_before
            break
        state += 1
        starts[state] = arc
    progress[0], progress[1], progress[2] = states, state, arc
    return status


def find(words: Words, table: Table, row: Words, states: int) -> int:
    """Return the slot of a row, or the empty slot where it belongs."""
    # Rows differ in few bits, often low ones of one word: each word is multiplied and folded, for a
    # sum of words would send neighbouring states to one slot.
    mixed = np.uint64(0x9E3779B97F4A7C15)
    for word in range(len(row)):
        mixed = (mixed ^ row[word]) * np.uint64(0xBF58476D1CE4E5B9)
        mixed ^= mixed >> np.uint64(31)
    # The length is a power of two, so that this is a mask. The table is at most three fifths full,
    # so that an empty slot ends the search.
    last = len(table) - 1
    slot = np.int64(mixed & np.uint64(last))
    while table[slot] >= 0:
        state = table[slot]
        # A slot left over from an expansion that was undone is passed over, not taken. Should its
        # number be a state's again, the row is compared, and a second slot with it does no harm.
        if state < states:
            equal = True
            for word in range(len(row)):
                if words[state, word] != row[word]:
                    equal = False
                    break
            if equal:
                break
        slot = (slot + 1) & last
    return int(slot)


slot_of = compile_kernel(steps=lambda words: 10 * words.shape[1], modular=True)(find)
"""The same for callers in Python."""


@compile_kernel(steps=lambda words, states: 4 * states * words.shape[1], modular=True)
def fill(words: Words, table: Table, states: int) -> None:
    """Enter so many states, all different, into an empty table."""
    for state in range(states):
        # Looked for among those before it only: all differ, so that an empty slot is found.
        table[find(words, table, words[state], state)] = state


@compile_kernel(steps=lambda first, last, fields: (last - first) * len(fields[0]))
def extremes(
    words: Words,
    first: int,
    last: int,
    fields: tuple[Numbers, Words, Words],
    lower: Words,
    upper: Words,
    totals: Words,
) -> None:
    """Lower and raise the bounds of fields, and of their sum, by the states from first to last.

    Fields are a word, a shift and a mask; their sum has to fit into a word. ``words`` has the shape
    (room, words), ``lower`` and ``upper`` (fields,), and ``totals``, the bounds of the sum, (2,).
    """
    field_word, field_shift, field_mask = fields
    for state in range(first, last):
        total = np.uint64(0)
        for field in range(len(field_word)):
            count = (words[state, field_word[field]] >> field_shift[field]) & field_mask[field]
            lower[field] = min(lower[field], count)
            upper[field] = max(upper[field], count)
            total += count
        totals[0] = min(totals[0], total)
        totals[1] = max(totals[1], total)


@compile_kernel(steps=lambda states, old: states * len(old[0]))
def repack(
    words: Words,
    states: int,
    old: tuple[Numbers, Words, Words],
    new: tuple[Numbers, Words, Words],
    result: Words,
) -> None:
    """Copy the fields of states into a layout with other words, shifts and masks."""
    old_word, old_shift, old_mask = old
    new_word, new_shift, _ = new
    for state in range(states):
        for field in range(len(old_word)):
            value = (words[state, old_word[field]] >> old_shift[field]) & old_mask[field]
            # The result begins as zeros, and no two fields share a bit.
            result[state, new_word[field]] |= value << new_shift[field]
