"""The packed explorer: breadth-first search over markings of an unfolded net, held as bits.

A field starts as wide as its initial counts and the largest single gain need; when a count outgrows
it, the fields of its place are widened, the states are moved to the new layout, and the search goes
on where it was.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from kproof.errors import NetError
from kproof.petri.net.colours import Token
from kproof.petri.net.firing import Firing
from kproof.petri.net.marking import Marking, Multiset
from kproof.petri.net.net import Net
from kproof.petri.spaces import packed_kernel as kernel
from kproof.petri.spaces.limits import Clock
from kproof.petri.spaces.packed_kernel import Numbers, Words
from kproof.petri.spaces.space import Counts, Extremes, Indexes
from kproof.petri.spaces.unfolding import Entries, Unfolding
from kproof.stages import stage

Kind = TypeVar("Kind", bound=np.generic)

WIDEST = 62
"""Most bits of a field; sums of two such counts fit into a word."""

_TOO_WIDE = f"the count of a token exceeds {WIDEST} bits"

ONE_BY_ONE = 8
"""How often fields are widened for a single place."""
PAUSE = 2**22
"""Instances looked at between two looks at the clock."""


@dataclass(frozen=True)
class _RowLayout:
    """Where each field is in a row of words."""

    widths: tuple[int, ...]

    @cached_property
    def places(self) -> tuple[Numbers, Words, Words]:
        """Word, shift and mask of each field; no field is in two words."""
        word, used = 0, 0
        words, shifts = [], []
        for width in self.widths:
            # The kernel tests a field within one word; across two it would need a carry.
            if used + width > 64:
                word, used = word + 1, 0
            words.append(word)
            # A field without bits may stand behind a full word, and a shift by 64 has no defined
            # result.
            shifts.append(used if width else 0)
            used += width
        masks = [(1 << width) - 1 for width in self.widths]
        return (
            np.array(words, dtype=np.int64),
            np.array(shifts, dtype=np.uint64),
            np.array(masks, dtype=np.uint64),
        )

    @cached_property
    def words(self) -> int:
        """Words in a row."""
        return int(self.places[0].max(initial=0)) + 1

    def pack(self, entries: Entries) -> Words:
        """Return the row with these counts, all others zero."""
        word, shift, mask = self.places
        row = np.zeros(self.words, dtype=np.uint64)
        for field, count in entries:
            if count > int(mask[field]):
                raise NetError(f"count {count} does not fit into {self.widths[field]} bits")
            row[word[field]] |= np.uint64(count) << shift[field]
        return row


class Packed:
    """A search that can be interrupted, and afterwards the store of its states.

    Raises:
        NetError: If a count, here or while it runs, needs more bits than a field can have.
    """

    def __init__(
        self, net: Net, unfolding: Unfolding, roots: Sequence[Marking], *, keep_arcs: bool
    ) -> None:
        self.net = net
        self.unfolding = unfolding
        self._keep_arcs = keep_arcs
        self._widened = 0
        self._positions = {place.name: number for number, place in enumerate(net.places)}
        self._field = {field: number for number, field in enumerate(unfolding.fields)}
        entries = [self._entries(root) for root in roots]
        self._layout = _RowLayout(self._first_widths(entries))
        self._demands, self._after = _front_shared([inst.demand for inst in unfolding.instances])
        room = 2 * (len(roots) + len(unfolding.instances)) + 1024
        self._words = np.empty((room, self._layout.words), dtype=np.uint64)
        self._parents = np.empty(room, dtype=np.int64)
        self._starts = np.zeros(room + 1, dtype=np.int64)
        self._targets = np.empty(room if keep_arcs else 0, dtype=np.int32)
        self._labels = np.empty(room if keep_arcs else 0, dtype=np.uint16)
        self._progress = np.array([len(roots), 0, 0, 0], dtype=np.int64)
        for number, root in enumerate(entries):
            self._words[number] = self._layout.pack(root)
            self._parents[number] = -1
        self._rehash()

    @property
    def states(self) -> int:
        """Number of states met so far."""
        return int(self._progress[0])

    @property
    def expanded(self) -> int:
        """States below this one have all their arcs."""
        return int(self._progress[1])

    @property
    def bytes(self) -> int:
        """Memory of states and arcs: what is in use of it, and all of the table."""
        states, arcs = self.states, int(self._progress[2])
        of_state = 8 * (self._layout.words + 2)
        return states * of_state + self._table.nbytes + (6 * arcs if self._keep_arcs else 0)

    @property
    def arrays(self) -> tuple[Indexes, kernel.Table, kernel.Labels, Indexes]:
        """Starts, targets, labels and parents."""
        states, expanded, arcs, _ = self._progress.tolist()
        # States that were not expanded have no arcs; the kernel has not written their starts.
        self._starts[expanded + 1 : states + 1] = arcs
        stored = arcs if self._keep_arcs else 0
        return (
            self._starts[: states + 1],
            self._targets[:stored],
            self._labels[:stored],
            self._parents[:states],
        )

    def run(self, clock: Clock) -> str | None:
        """Search on, to the end or until a limit stops it; return the limit."""
        # Targets have 32 bits, with a sign: more states than that have no number.
        ceiling = 2**31 - 1 if clock.states is None else min(clock.states, 2**31 - 1)
        # In states, of which each has all instances looked at: the pause is as long in any net.
        longest = max(16, PAUSE // max(1, len(self.unfolding.instances)))
        # Short at first: how much the kernel has to do is not known before it is done.
        pause = 16
        demand, inhibitors, change = self._tables()
        with stage(f"exploring {self.net.name}, states") as progress:
            while True:
                progress.advance(self.states)
                if limit := clock.limit_reached(lambda: self.bytes):
                    return limit
                status = kernel.expand(
                    self._words,
                    self._table,
                    (self._starts, self._targets, self._labels, self._parents),
                    demand,
                    inhibitors,
                    self._after,
                    change,
                    self._progress,
                    ceiling,
                    self.expanded + pause,
                    self._keep_arcs,
                )
                pause = min(2 * pause, longest)
                if status == kernel.DONE:
                    return None
                if status == kernel.TOO_MANY:
                    return "states"
                if status == kernel.NO_ROOM:
                    self._grow()
                elif status == kernel.NO_WIDTH:
                    self._widen()
                    demand, inhibitors, change = self._tables()

    def marking(self, state: int) -> Marking:
        """Return the marking of a state."""
        word, shift, mask = self._layout.places
        values = (self._words[state][word] >> shift) & mask
        bags: dict[int, list[tuple[Token, int]]] = {}
        # Fields are in the order of places and their tokens, which is that of a marking already.
        for field in np.flatnonzero(values).tolist():
            place, token = self.unfolding.fields[field]
            bags.setdefault(place, []).append((token, int(values[field])))
        return Marking(
            tuple((self.net.places[place].name, tuple(bag)) for place, bag in bags.items())
        )

    def find(self, marking: Marking) -> int | None:
        """Return the state of a marking, or None if it was not reached."""
        try:
            row = self._layout.pack(self._entries(marking))
        # A token or count for which there is no room was in no state that was met.
        except (KeyError, NetError):
            return None
        slot = kernel.slot_of(self._words, self._table, row, self.states)
        # An empty slot has -1; one left over from what was undone is never the answer of a search.
        state = int(self._table[slot])
        return state if state >= 0 else None

    def firing(self, label: int) -> Firing:
        """Return the firing an arc's label stands for."""
        instance = self.unfolding.instances[label]
        return instance.transition.firing(instance.values)

    @property
    def labels(self) -> int:
        """Number of labels: distinct firings."""
        return len(self.unfolding.instances)

    def multisets(self, place: str) -> tuple[tuple[Multiset, ...], Indexes]:
        """Return the different multisets a place has, as first met, and which each state has."""
        tokens, counts = self._all_counts(place)
        rows, first, of_state = np.unique(counts, axis=0, return_index=True, return_inverse=True)
        # `unique` sorts rows, but multisets are numbered as they were met, in both engines.
        order = np.argsort(first)
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        multisets = (
            tuple((token, count) for token, count in zip(tokens, row, strict=True) if count)
            for row in rows[order].tolist()
        )
        # Some versions of NumPy 2 give the inverse a second axis.
        return tuple(multisets), rank[of_state.ravel()]

    def counts(self, place: str) -> tuple[tuple[Token, ...], Counts]:
        """Return the tokens a place has somewhere, and shape (states, tokens): how many."""
        tokens, counts = self._all_counts(place)
        used = np.flatnonzero(counts.any(axis=0))
        return tuple(tokens[column] for column in used), counts[:, used]

    def totals(self, place: str) -> Counts:
        """Return shape (states,): how many tokens a place has."""
        fields = self._fields(place)
        counts = self._all_counts(place)[1]
        if self._sum_fits(fields):
            return np.asarray(counts.sum(axis=1, dtype=np.int64))
        # Python's own integers, for a sum that 64 bits may not hold.
        return np.asarray(counts.astype(object).sum(axis=1))

    def column(self, place: str, token: Token) -> Counts:
        """Return shape (states,): how often a place has a token."""
        field = self._field.get((self._positions[place], token))
        if field is None:
            return np.zeros(self.states, dtype=np.int64)
        word, shift, mask = self._layout.places
        counts = (self._words[: self.states, word[field]] >> shift[field]) & mask[field]
        return np.asarray(counts.astype(np.int64))

    def extremes(self, place: str, tick: Callable[[], object]) -> Extremes:
        """Return the least and largest counts of a place, field by field."""
        fields = self._fields(place)
        tokens = [self.unfolding.fields[field][1] for field in fields]
        if not self._sum_fits(fields):
            totals = self.totals(place)
            counts = self._all_counts(place)[1]
            lower, upper = counts.min(axis=0).tolist(), counts.max(axis=0).tolist()
            return _extremes(tokens, lower, upper, [int(totals.min()), int(totals.max())])
        # 2⁶³ is above every count here, since their sum stays below it.
        lowest, highest = np.full(len(fields), 2**63, np.uint64), np.zeros(len(fields), np.uint64)
        sums = np.array([2**63, 0], dtype=np.uint64)
        word, shift, mask = self._layout.places
        layout = word[fields], shift[fields], mask[fields]
        step = max(1, PAUSE // max(1, len(fields)))
        for state in range(0, self.states, step):
            tick()
            last = min(state + step, self.states)
            kernel.extremes(self._words, state, last, layout, lowest, highest, sums)
        return _extremes(tokens, lowest.tolist(), highest.tolist(), sums.tolist())

    def _fields(self, place: str) -> list[int]:
        position = self._positions[place]
        return [
            number for number, (owner, _) in enumerate(self.unfolding.fields) if owner == position
        ]

    def _sum_fits(self, fields: Sequence[int]) -> bool:
        """Say whether the largest counts that fields can have add up to fewer than 2⁶³."""
        widths: list[int] = [self._layout.widths[field] for field in fields]
        return sum(1 << width for width in widths) < 1 << 63

    def _all_counts(self, place: str) -> tuple[list[Token], Counts]:
        fields = self._fields(place)
        widest = max((self._layout.widths[field] for field in fields), default=0)
        # Signed at last: 62 bits fit, and NumPy makes floats of unsigned with signed 64 bits.
        kind = next(fmt for fmt in ("u1", "u2", "u4", "i8") if widest <= 8 * np.dtype(fmt).itemsize)
        counts = np.empty((self.states, len(fields)), dtype=kind)
        word, shift, mask = self._layout.places
        for column, field in enumerate(fields):
            counts[:, column] = (self._words[: self.states, word[field]] >> shift[field]) & mask[
                field
            ]
        return [self.unfolding.fields[field][1] for field in fields], counts

    def _entries(self, marking: Marking) -> Entries:
        return tuple(
            (self._field[self._positions[name], token], count)
            for name, multiset in marking
            for token, count in multiset
        )

    def _first_widths(self, roots: Sequence[Entries]) -> tuple[int, ...]:
        # As wide as any single change, too, so that an amount always fits into the mask of its
        # field.
        largest = [0] * len(self.unfolding.fields)
        # Losses are negative and ask for no width: what is taken has been there.
        for entries in (*roots, *(instance.change for instance in self.unfolding.instances)):
            for field, count in entries:
                largest[field] = max(largest[field], count)
        widths = tuple(count.bit_length() for count in largest)
        if max(widths, default=0) > WIDEST:
            raise NetError(_TOO_WIDE)
        return widths

    def _tables(self) -> tuple[kernel.Demand, kernel.Demand, kernel.Change]:
        """Return demands, inhibitors and changes in the present layout, for the kernel.

        Fields of one bit that are in the same word are looked at together: that a sum of such bits
        is at least itself, or at most zero, says it of each.
        """
        word, shift, mask = (column.tolist() for column in self._layout.places)
        demands: list[list[tuple[int, int, int]]] = []
        changes: list[list[tuple[int, int, int, int]]] = []
        inhibitors = [
            [
                (word[field], mask[field] << shift[field], count << shift[field])
                for field, count in instance.inhibitors
                if count <= mask[field]  # no count reaches what is more than fits
            ]
            for instance in self.unfolding.instances
        ]
        for number, instance in enumerate(self.unfolding.instances):
            rows = []
            bits: dict[int, int] = {}
            for position, (field, count) in enumerate(self._demands[number]):
                # What several instances share stays an entry of its own in front, or the kernel
                # could not tell from it how many of them to pass over.
                apart = position == 0 and self._after[number] > number + 1
                if count > mask[field]:
                    rows.append((word[field], 0, 1))  # never enabled
                elif mask[field] == 1 and not apart:
                    bits[word[field]] = bits.get(word[field], 0) | 1 << shift[field]
                else:
                    rows.append((word[field], mask[field] << shift[field], count << shift[field]))
            demands.append([*rows, *((index, flags, flags) for index, flags in bits.items())])
            gains = []
            together: dict[int, tuple[int, int]] = {}
            for field, amount in instance.change:
                index, added = word[field], amount << shift[field]
                # A loss needs no test after the demand, and a gain of a one-bit field only that the
                # bit is 0: those of one word become one entry, with their sum.
                if amount < 0 or mask[field] == 1:
                    test, total = together.get(index, (0, 0))
                    test |= 1 << shift[field] if amount > 0 else 0
                    together[index] = test, total + added
                else:
                    # `-` binds closer than `<<`: it is the difference that is shifted.
                    largest = mask[field] - amount << shift[field]
                    gains.append((index, mask[field] << shift[field], largest, added))
            changes.append(
                [*gains, *((index, test, 0, total) for index, (test, total) in together.items())]
            )
        return (
            (_begins(demands), *_columns(demands, 3)),
            (_begins(inhibitors), *_columns(inhibitors, 3)),
            (_begins(changes), *_columns(changes, 4)),
        )

    def _grow(self) -> None:
        """Make room for the next state's successors, and for as much again as there is."""
        states, _, arcs, _ = self._progress.tolist()
        instances = len(self.unfolding.instances)
        if len(self._words) < states + instances:
            # Twice as much each time: all the copying together is no more than the states at the
            # end.
            room = 2 * states + instances
            self._words = _extend(self._words, states, room)
            self._parents = _extend(self._parents, states, room)
            self._starts = _extend(self._starts, states + 1, room + 1)
        # Apart from the states: some nets have many arcs between few of them, others hardly more.
        if self._keep_arcs and len(self._targets) < arcs + instances:
            self._targets = _extend(self._targets, arcs, 2 * arcs + instances)
            self._labels = _extend(self._labels, arcs, 2 * arcs + instances)
        if 5 * (states + instances) > 3 * len(self._table):
            self._rehash()

    def _widen(self) -> None:
        """Give the fields of the place that was too narrow twice the bits.

        Where this happens to one place after the other, all narrower fields get more as well.
        """
        word, shift, mask = self._layout.places
        # The kernel stopped at the first state that is not expanded, and says at which instance.
        values = (self._words[self.expanded][word] >> shift) & mask
        change = self.unfolding.instances[self._progress[3]].change
        field = next(f for f, amount in change if int(values[f]) + amount > int(mask[f]))
        narrow = self._layout.widths[field]
        if narrow == WIDEST:
            raise NetError(_TOO_WIDE)
        # Doubled: bit by bit all states would be moved as often as the count has bits.
        wider = min(2 * narrow, WIDEST)
        self._widened += 1
        place = self.unfolding.fields[field][0]
        widths = []
        for width, (owner, _) in zip(self._layout.widths, self.unfolding.fields, strict=True):
            # A field without bits never has a token, whatever fires, and needs none now.
            if width and owner == place:
                widths.append(max(width, wider))
            elif self._widened > ONE_BY_ONE:
                widths.append(max(width, min(2 * width, wider)))
            else:
                widths.append(width)
        layout = _RowLayout(tuple(widths))
        words = np.zeros((len(self._words), layout.words), dtype=np.uint64)
        kernel.repack(self._words, self.states, self._layout.places, layout.places, words)
        self._layout, self._words = layout, words
        self._rehash()

    def _rehash(self) -> None:
        # A power of two, since the kernel finds a slot by a mask.
        slots = 1024
        # The measure by which the kernel says that there is no room: with fewer it would stop at
        # once, again and again.
        while 3 * slots < 5 * (self.states + len(self.unfolding.instances)):
            slots *= 2
        self._table = np.full(slots, -1, dtype=np.int32)
        kernel.fill(self._words, self._table, self.states)


def _extremes(
    tokens: Sequence[Token], lower: Sequence[int], upper: Sequence[int], totals: Sequence[int]
) -> Extremes:
    """Return counts of each token, those that are not zero, with those of all together."""
    low, high = totals
    bounds = [
        tuple((token, count) for token, count in zip(tokens, counts, strict=True) if count)
        for counts in (lower, upper)
    ]
    return Extremes(low, high, *bounds)


def _begins(entries: Sequence[Sequence[object]]) -> Numbers:
    return np.cumsum([0, *map(len, entries)]).astype(np.int64)


def _columns(entries: Sequence[Sequence[tuple[int, ...]]], count: int) -> tuple[Any, ...]:
    """Return words as positions, and the other numbers modulo 2⁶⁴, as the kernel adds them."""
    # `zip` makes no columns of no rows at all, and the others would have nothing to unpack.
    columns = list(zip(*(row for rows in entries for row in rows), strict=True)) or [()] * count
    numbers = (np.array([number % 2**64 for number in column], np.uint64) for column in columns[1:])
    return (np.array(columns[0], dtype=np.int64), *numbers)


def _front_shared(demands: Sequence[Entries]) -> tuple[list[Entries], Numbers]:
    """Put in front of each demand the entry that most of the following instances share.

    Returns with them the number of the first instance that does not: where that entry is not
    fulfilled, none of those between needs to be looked at.
    """
    last = len(demands)
    after = np.arange(1, last + 1)
    ordered = []
    ends: dict[tuple[int, int], int] = {}
    # From the back: `ends` has, of each entry of this demand, where the run of instances that share
    # it ends. An entry that the demand lacks drops out, and its run begins anew.
    for number in range(last - 1, -1, -1):
        ends = {entry: ends.get(entry, number + 1) for entry in demands[number]}
        first = max(ends, key=ends.__getitem__, default=None)
        if first is not None:
            after[number] = ends[first]
        ordered.append(tuple(sorted(demands[number], key=lambda entry: entry != first)))
    return ordered[::-1], after.astype(np.int64)


def _extend(array: NDArray[Kind], used: int, room: int) -> NDArray[Kind]:
    """Return an array with the entries used so far and more room."""
    longer = np.empty((room, *array.shape[1:]), dtype=array.dtype)
    longer[:used] = array[:used]
    return longer
