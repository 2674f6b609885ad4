"""The general explorer: a search, in any order, over markings of interned multisets.

Each multiset a place ever has gets a number, and a state is the tuple of the numbers of its places.
What is enabled in a transition depends on the numbers of the places it takes from; it is found for
all transitions that take from the same places together, and remembered as long as that pays. What a
firing does to a place is remembered once it fires again. Any net will do, with open colours and
functions as well.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kproof.petri.net.colours import Token
from kproof.petri.net.compiled import Amounts, Compiled, bindings_of_all
from kproof.petri.net.firing import Firing
from kproof.petri.net.marking import Marking, Multiset, Place
from kproof.petri.net.net import Net
from kproof.petri.net.writing import Values
from kproof.petri.spaces.limits import Clock, Ended
from kproof.petri.spaces.orders import Order, Waiting, breadth_first
from kproof.petri.spaces.space import Counts, Extremes, Indexes
from kproof.stages import Stage, stage

State = tuple[int, ...]
Placed = tuple[tuple[int, int], ...]
"""Places, as positions in the net, with the number of the multiset that is there afterwards."""
Changed = tuple[tuple[int, "Change"], ...]
"""Places, as positions in the net, with what a firing does to each."""
Fired = tuple[int, Placed, Changed]
"""Label and effect of a firing."""
LOOK, ARCS = 64, 2**14
"""States, and arcs, after which the clock is looked at."""
CACHED = 2**20
"""Most combinations of inputs that are remembered for transitions."""
SELDOM = 2**12
"""Those that are remembered where most combinations do not come again."""


class Multisets:
    """The multisets a place has had, numbered as they were met."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.tick: Callable[[], object] = int
        self.by_number: list[Multiset] = []
        self._numbers: dict[Multiset, int] = {}
        self._changes: dict[Amounts, Change] = {}

    def number(self, multiset: Multiset) -> int:
        """Return the number of a multiset, a new one if need be."""
        # One look-up, whether it is new or not: hashing a multiset is what takes the time here.
        number = self._numbers.setdefault(multiset, len(self.by_number))
        if number == len(self.by_number):
            self.by_number.append(multiset)
        return number

    def after(self, number: int, amounts: Amounts) -> int:
        """Return the number of a multiset after a change."""
        tokens = dict(self.by_number[number])
        for token, times in amounts:
            # Taken out and put back, so that a count of zero leaves nothing: markings have no
            # zeros.
            if count := tokens.pop(token, 0) + times:
                tokens[token] = count
        if len(tokens) < 2:
            return self.number(tuple(tokens.items()))
        # As a marking has them: several tokens have an order.
        ((_, multiset),) = Marking.of((self.place,), {self.place.name: tokens})
        return self.number(multiset)

    def find(self, multiset: Multiset) -> int | None:
        """Return the number of a multiset, or None if the place never had it."""
        return self._numbers.get(multiset)

    def change(self, amounts: Amounts) -> Change:
        """Return what changes counts by these amounts, the same object for the same amounts."""
        change = self._changes.get(amounts)
        if change is None:
            change = self._changes[amounts] = Change(self, amounts)
        return change


# A dict with `__missing__`: the innermost loop looks up what is remembered without a call.
class Change(dict[int, int]):
    """From the number of a multiset to that of the multiset after a change."""

    __slots__ = ("_amounts", "_multisets")

    def __init__(self, multisets: Multisets, amounts: Amounts) -> None:
        super().__init__()
        self._multisets = multisets
        self._amounts = amounts

    def __missing__(self, number: int) -> int:
        """Work the change out and remember it."""
        self._multisets.tick()
        after = self._multisets.after(number, self._amounts)
        self[number] = after
        return after


class _EnabledFirings(dict[Any, tuple[Fired, ...]]):
    """From the numbers of the inputs that some transitions have in common to their firings."""

    def __init__(self, search: Interned, transitions: Sequence[tuple[int, Compiled]]) -> None:
        super().__init__()
        self._search = search
        self._transitions = [transition for _, transition in transitions]
        self._labels = [_Labels(search, *numbered) for numbered in transitions]
        inputs = transitions[0][1].inputs
        self._places = [search.places[place] for place in inputs]
        self._inputs = inputs
        self._missed = 0
        # `itemgetter` refuses to get nothing; a transition without inputs has one key for all
        # states.
        self.key: Callable[[State], Any] = itemgetter(*inputs) if inputs else lambda _: ()

    def __missing__(self, key: Any) -> tuple[Fired, ...]:
        """Find the enabled bindings and remember them."""
        self._search.tick()
        # With one position `itemgetter` returns the number itself, not a tuple of it.
        numbers = (key,) if len(self._places) == 1 else key
        tokens = [
            dict(place.by_number[number])
            for place, number in zip(self._places, numbers, strict=True)
        ]
        number_of = dict(zip(self._inputs, numbers, strict=True))
        fired = tuple(
            [
                labels.look_up_firing(values, number_of)
                for labels, candidates in zip(
                    self._labels, bindings_of_all(self._transitions, tokens), strict=True
                )
                for values in candidates
            ]
        )
        # All at once: labels are kept apart, so that a firing found again keeps its number. Where
        # most of what was met was not met before, remembering it costs memory and saves nothing.
        self._missed += 1
        seldom = 2 * self._missed >= self._search.expanded
        if len(self) >= (SELDOM if seldom else CACHED):
            # All of it: to know which is least used would need a call at each look-up.
            self.clear()
        self[key] = fired
        return fired


class _Labels(dict[Values, int]):
    """The labels of one transition, by the values of its variables."""

    def __init__(self, search: Interned, position: int, transition: Compiled) -> None:
        super().__init__()
        self._search = search
        self._position = position
        self._transition = transition
        # Of labels that came again: most come from one marking only.
        self._again: dict[int, Fired] = {}

    def look_up_firing(self, values: Values, number_of: Mapping[int, int]) -> Fired:
        """Return the firing with these values from inputs that have multisets of these numbers."""
        search = self._search
        # Values may be large: they are hashed once.
        label = self.setdefault(values, len(search.firings))
        if label < len(search.firings):
            return self._again.get(label) or self._remember_firing(label, values)
        search.firings.append(values)
        search.fires.append(self._position)
        search.tick()
        placed: list[tuple[int, int]] = []
        changed: list[tuple[int, Change]] = []
        for place, amounts in self._transition.changes(*values):
            multisets = search.places[place]
            # Of an input the multiset is known, and what comes of it need not be asked for again.
            if place in number_of:
                placed.append((place, multisets.after(number_of[place], amounts)))
            else:
                changed.append((place, multisets.change(amounts)))
        return label, tuple(placed), tuple(changed)

    def _remember_firing(self, label: int, values: Values) -> Fired:
        """Return what a firing does wherever it fires, now that it pays to remember that."""
        changed = tuple(
            (place, self._search.places[place].change(amounts))
            for place, amounts in self._transition.changes(*values)
        )
        # Nothing placed: from other inputs the same firing leads to other multisets.
        fired = self._again[label] = label, (), changed
        return fired


class Interned:
    """A search that can be interrupted, and afterwards the store of its states.

    One that is not breadth first keeps its arcs, and is run only once: it ends with the states
    numbered anew.
    """

    def __init__(
        self,
        net: Net,
        transitions: Sequence[Compiled],
        roots: Sequence[Marking],
        *,
        keep_arcs: bool,
        order: Order = Order.BREADTH,
    ) -> None:
        self.net = net
        self._waiting = None if order is Order.BREADTH else Waiting(order)
        self._expansions: list[int] = []
        self.places = [Multisets(place) for place in net.places]
        self.positions = {place.name: number for number, place in enumerate(net.places)}
        self.firings: list[Values] = []
        # Beside them, and not in pairs with them, which would take more memory than the arcs.
        self.fires = array("i")
        self._compiled = tuple(transitions)
        self.expanded = 0
        self.tick: Callable[[], object] = int
        self.starts = array("q", [0])
        self.targets = array("i")
        self.labelled = array("I")
        self.parents = array("q")
        self._keep_arcs = keep_arcs
        # Arcs are in the order of transitions: only neighbours are asked together.
        self._transitions = [
            _EnabledFirings(self, list(neighbours))
            for _, neighbours in groupby(enumerate(transitions), key=lambda pair: pair[1].inputs)
        ]
        self._numbers: dict[State, int] = {}
        self._states: list[State] = []
        for root in roots:
            tokens = dict(root.places)
            state = tuple(p.number(tokens.get(p.place.name, ())) for p in self.places)
            if self._numbers.setdefault(state, len(self._states)) == len(self._states):
                self._states.append(state)
                self.parents.append(-1)

    @property
    def states(self) -> int:
        """Number of states met so far."""
        return len(self._states)

    @property
    def bytes(self) -> int:
        """Memory of states and arcs, about."""
        multisets = sum(len(place.by_number) for place in self.places)
        cached = sum(map(len, self._transitions))
        tuples = (64 + 8 * len(self.places)) * self.states
        arrays = (self.starts, self.targets, self.labelled, self.parents)
        size = sys.getsizeof(self._numbers) + sum(items.itemsize * len(items) for items in arrays)
        return size + tuples + 360 * (multisets + len(self.firings)) + 250 * cached

    @property
    def arrays(self) -> tuple[Indexes, NDArray[np.int32], NDArray[np.uint32], Indexes]:
        """Starts, targets, labels and parents."""
        starts = np.full(self.states + 1, self.starts[-1], dtype=np.int64)
        starts[: len(self.starts)] = self.starts
        return (
            starts,
            np.array(self.targets, dtype=np.int32),
            np.array(self.labelled, dtype=np.uint32),
            np.array(self.parents, dtype=np.int64),
        )

    def run(self, clock: Clock, until: int | None = None) -> str | None:
        """Search on, to the end, until so many states are known, or until a limit stops it.

        Returns the limit.
        """
        clock.watch(lambda: self.bytes)
        self.tick = clock.tick
        for place in self.places:
            place.tick = clock.tick
        try:
            with stage(f"exploring {self.net.name}, states") as progress:
                limit = self._run(clock, until, progress)
        except Ended as ended:
            # Amid the state that is being expanded: what was met from there is met no more. Parents
            # are arcs, in ascending order, and those from the last start on are of that state.
            self._forget(bisect_left(self.parents, self.starts[-1]))
            limit = ended.limit
        if self._waiting is not None:
            self._renumber()
        return limit

    def _run(self, clock: Clock, until: int | None, progress: Stage) -> str | None:
        states, numbers, ceiling = self._states, self._numbers, clock.states
        targets, labelled, starts = self.targets, self.labelled, self.starts
        parents = self.parents
        arcs = due = starts[-1]
        waiting = self._waiting
        while self.expanded < len(states):
            if until is not None and len(states) > until:
                return None
            # By states and by arcs: one state may have so many arcs that the clock would be late.
            if self.expanded % LOOK == 0 or arcs > due:
                progress.advance(len(states))
                if limit := clock.limit_reached(lambda: self.bytes):
                    return limit
                due = arcs + ARCS
            before = len(states)
            number = self.expanded if waiting is None else waiting.take(before)
            assert number is not None
            state = states[number]
            for enabled in self._transitions:
                for label, placed, changed in enabled[enabled.key(state)]:
                    after = list(state)
                    for place, number_there in placed:
                        after[place] = number_there
                    for place, change in changed:
                        after[place] = change[after[place]]
                    reached = tuple(after)
                    target = numbers.setdefault(reached, len(states))
                    if target == len(states):
                        states.append(reached)
                        parents.append(arcs)
                    if self._keep_arcs:
                        targets.append(target)
                        labelled.append(label)
                    arcs += 1
            # All successors of a state or none: what is expanded has all its arcs.
            if ceiling is not None and len(states) > ceiling:
                self._forget(before)
                return "states"
            starts.append(arcs)
            self.expanded += 1
            if waiting is not None:
                self._expansions.append(number)
        return None

    def marking(self, state: int) -> Marking:
        """Return the marking of a state."""
        pairs = zip(self.places, self._states[state], strict=True)
        return Marking(
            tuple((p.place.name, p.by_number[number]) for p, number in pairs if p.by_number[number])
        )

    def find(self, marking: Marking) -> int | None:
        """Return the state of a marking, or None if it was not reached."""
        tokens = dict(marking.places)
        numbers = [place.find(tokens.pop(place.place.name, ())) for place in self.places]
        if tokens:
            return None
        # A multiset that the place never had is in no state, and -1 is no multiset's number.
        return self._numbers.get(tuple(-1 if number is None else number for number in numbers))

    def firing(self, label: int) -> Firing:
        """Return the firing an arc's label stands for."""
        return self._compiled[self.fires[label]].firing(self.firings[label])

    @property
    def labels(self) -> int:
        """Number of labels: distinct firings."""
        return len(self.firings)

    def multisets(self, place: str) -> tuple[tuple[Multiset, ...], Indexes]:
        """Return the different multisets a place has, as first met, and which each state has."""
        position = self.positions[place]
        numbers = np.fromiter((state[position] for state in self._states), np.int64, self.states)
        used, of_state = np.unique(numbers, return_inverse=True)
        return tuple(self.places[position].by_number[number] for number in used), of_state

    def counts(self, place: str) -> tuple[tuple[Token, ...], Counts]:
        """Return the tokens a place has somewhere, and shape (states, tokens): how many."""
        multisets, of_state = self.multisets(place)
        distinct = dict.fromkeys(token for multiset in multisets for token, _ in multiset)
        tokens = sorted(distinct, key=self.net.place[place].colour.rank)
        rows = [tally.get(token, 0) for tally in map(dict, multisets) for token in tokens]
        return tuple(tokens), _whole(rows).reshape(len(multisets), len(tokens))[of_state]

    def totals(self, place: str) -> Counts:
        """Return shape (states,): how many tokens a place has."""
        multisets, of_state = self.multisets(place)
        return _whole([sum(times for _, times in multiset) for multiset in multisets])[of_state]

    def column(self, place: str, token: Token) -> Counts:
        """Return shape (states,): how often a place has a token."""
        multisets, of_state = self.multisets(place)
        return _whole([dict(multiset).get(token, 0) for multiset in multisets])[of_state]

    def extremes(self, place: str, tick: Callable[[], object]) -> Extremes:
        """Return the least and largest counts of a place; of each different multiset once."""
        position = self.positions[place]
        multisets = self.places[position]
        used = sorted({state[position] for state in self._states})
        totals = []
        pairs: set[tuple[Token, int]] = set()
        always: dict[Token, int] = dict(multisets.by_number[used[0]])
        for number in used:
            tick()
            tally = dict(multisets.by_number[number])
            totals.append(sum(tally.values()))
            pairs.update(multisets.by_number[number])
            # Few tokens are always there, and soon only those are looked up.
            always = {
                token: min(times, tally[token]) for token, times in always.items() if token in tally
            }
        upper: dict[Token, int] = {}
        for token, times in pairs:
            upper[token] = max(upper.get(token, 0), times)
        rank = multisets.place.colour.rank
        return Extremes(
            min(totals),
            max(totals),
            tuple((token, always[token]) for token in sorted(always, key=rank)),
            tuple((token, upper[token]) for token in sorted(upper, key=rank)),
        )

    def _renumber(self) -> None:
        """Give states the numbers that breadth-first search would."""
        renumbered = breadth_first(
            np.array(self._expansions, dtype=np.int64),
            np.array(self.starts, dtype=np.int64),
            np.array(self.targets, dtype=np.int64),
            np.array(self.labelled, dtype=np.uint32),
            np.array(self.parents, dtype=np.int64),
        )
        self._states = [self._states[state] for state in renumbered.states.tolist()]
        self._numbers = {state: number for number, state in enumerate(self._states)}
        self.starts = array("q", renumbered.starts[: self.expanded + 1].tobytes())
        self.targets = array("i", renumbered.targets.astype(np.int32).tobytes())
        self.labelled = array("I", renumbered.labels.tobytes())
        self.parents = array("q", renumbered.parents.tobytes())

    def _forget(self, states: int) -> None:
        """Undo the expansion of a state whose successors do not all fit."""
        # Their multisets stay known, since numbers must not move; `multisets` takes those in use.
        for state in self._states[states:]:
            del self._numbers[state]
        del self._states[states:], self.parents[states:]
        del self.targets[self.starts[-1] :], self.labelled[self.starts[-1] :]


def _whole(counts: Sequence[int]) -> Counts:
    """Return counts as an array that is exact: of Python's own integers if they need more bits."""
    exact = np.int64 if max(counts, default=0) < 2**63 else object
    return np.array(counts, dtype=exact)
