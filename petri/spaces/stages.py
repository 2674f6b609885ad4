"""Forgetting what is finished: nets that work through a row of items, one stage after another.

Some nets carry a row of items, the classes of a table say, and a stage that says how far they are.
What a net no longer looks at need not be told apart: :func:`forget` explores it with finished items
replaced by a token that says only where it stands. Two markings that differ in such items alone
then count as one state, and what the items were is on the arc on which they are forgotten. The rows
that the net can end with are the words of an automaton (:mod:`kproof.petri.spaces.words`).

That a net no longer looks at an item is not taken on trust. A mark in its place
(:mod:`kproof.petri.spaces.marks`) lets itself be passed on and nothing else: whatever is done to it
besides stops the search, which then begins anew and keeps the item longer. So a firing that was
explored has read and changed no forgotten item, and would be the same whatever stood in its place:
a marking and the one with items forgotten have the same firings, which lead to such a pair again.
In the worst case nothing is forgotten, and the space is the plain one.

The firing rule itself compares tokens: by their hash where a place has to have them, by rank where
bindings are put in order. So a forgotten item is nowhere but at its position of the row. A row is
taken as one variable that stands nowhere else on what is taken, read or barred; functions that
choose, that are compared, or whose values go to other places may not return a mark.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kproof.errors import InvalidArgument, NetError
from kproof.petri.net.colours import Hashed, Open, Product, Token
from kproof.petri.net.firing import Firing, Trace, fire, firings
from kproof.petri.net.marking import Marking
from kproof.petri.net.net import Net, Transition, pattern_variables
from kproof.petri.net.terms import Bag, Call, Function, TupleOf, Variable
from kproof.petri.spaces.explore import explore
from kproof.petri.spaces.limits import EXPLORING, Clock, Ended
from kproof.petri.spaces.marks import Looked, Watched, count_forgotten, first_mark, mark_of
from kproof.petri.spaces.space import Budget, StateSpace

Items = tuple[Any, ...]
"""The items of a row, or some of them."""
RUNS = 4
"""Random runs that look for what is needed how long, before anything is explored."""
STEPS = 100_000
"""Most steps of such a run."""


@dataclass(frozen=True)
class Staged:
    """How the tokens of a place carry a row of items."""

    stage: int | None
    """Position in the token of the number of the item worked on; None if all are finished."""
    items: int | None
    """Position in the token of the tuple of items; None if the token is that tuple."""


@dataclass(frozen=True, eq=False)
class StagedSpace:
    """The state space of a net that forgets what is finished."""

    net: Net
    """The net as it was given."""
    staged: Mapping[str, Staged]
    """How its places carry the row."""
    items: int
    """Length of the row."""
    kept: tuple[int, ...]
    """Shape (items + 1,): the first item that is still needed at each stage, and once all are
    finished."""
    space: StateSpace = field(repr=False)
    """What exploring the net that forgets found."""

    @property
    def full(self) -> bool:
        """Whether all of it was explored."""
        return self.space.full

    @cached_property
    def _rows(self) -> tuple[list[Items], NDArray[np.bool_]]:
        """The row of each state, and whether its items are all finished."""
        # By the multisets of a place, of which there are far fewer than states.
        rows: list[Items | None] = [None] * self.space.states
        over = np.zeros(self.space.states, dtype=np.bool_)
        for name, staged in self.staged.items():
            multisets, of_state = self.space.multisets(name)
            candidates = [_row(name, staged, multiset) for multiset in multisets]
            for state, number in enumerate(of_state.tolist()):
                if (row := candidates[number]) is not None:
                    if rows[state] is not None:
                        raise NetError(f"{self.space.marking(state)}: has two rows of items")
                    rows[state] = row
                    over[state] = staged.stage is None
        complete = [row for row in rows if row is not None]
        if len(complete) < len(rows):
            marking = self.space.marking(rows.index(None))
            raise NetError(f"{marking}: has no row of items")
        return complete, over

    def row(self, state: int) -> Items:
        """Return the items of a state, those that are forgotten included."""
        return self._rows[0][state]

    @property
    def ends(self) -> NDArray[np.bool_]:
        """Shape (states,): whether all items are finished."""
        return self._rows[1]

    @cached_property
    def forgotten(self) -> NDArray[np.int64]:
        """Shape (states,): how many items are forgotten."""
        return np.array([count_forgotten(row) for row in self._rows[0]], dtype=np.int64)

    @cached_property
    def emissions(self) -> Mapping[int, Items]:
        """The items that are forgotten on an arc, as they are by then, for arcs that have any."""
        space, forgotten = self.space, self.forgotten
        sources, targets = space.sources, space.targets
        emitted = {}
        for arc in np.flatnonzero(forgotten[sources] < forgotten[targets]).tolist():
            source = int(sources[arc])
            firing = space.firing(arc)
            transition = self.net.transition[firing.transition]
            # Fired in the net as it was given: at the end of the arc these items are marks already.
            after = fire(self.net, transition, dict(firing.binding), space.marking(source))
            row = row_of(after, self.staged)
            emitted[arc] = row[int(forgotten[source]) : int(forgotten[targets[arc]])]
        return emitted

    def seal(self, marking: Marking) -> Marking:
        """Return a marking of the net as it was given with what is finished forgotten."""
        tokens = {
            name: {_seal(self.staged[name], self.kept)(token): n for token, n in multiset}
            if name in self.staged
            else dict(multiset)
            for name, multiset in marking
        }
        return Marking.of(self.net.places, tokens)

    def plain(self, arcs: tuple[int, ...]) -> Trace:
        """Return the run of the net as it was given that corresponds to arcs from its root."""
        marking = self.net.initial
        steps: list[tuple[Firing, Marking]] = []
        for arc in arcs:
            expected, target = self.space.step(arc)
            reached = self.space.marking(target)
            for firing, after in firings(self.net, marking):
                # Bindings are not compared: they hold the row, in which one of the two has marks.
                alike = firing.transition == expected.transition
                if alike and self.seal(after) == reached:
                    break
            else:
                raise NetError(f"{expected} has no counterpart in {marking}")
            steps.append((firing, after))
            marking = after
        return Trace(self.net.initial, tuple(steps))


def forget(
    net: Net,
    staged: Mapping[str, Staged],
    *,
    initial: Iterable[Marking] | None = None,
    budget: Budget | None = None,
) -> StagedSpace:
    """Explore a net, forgetting items once it looks at them no more.

    Args:
        net: A net each of whose markings has one row of items.
        staged: The places that can carry the row.
        initial: Markings to begin with instead of the net's own, all with rows of one length.
        budget: As for :func:`kproof.petri.spaces.explore.explore`.

    Raises:
        NetError: If a marking has no row or several, or rows of different lengths, or an inhibitor
            arc leads from a place that carries the row; and what exploring raises.

    A net that doubles three numbers, one after another, and may leave out the second:

    >>> from kproof.petri.net.colours import Integers, Open, Product
    >>> from kproof.petri.net.net import NetBuilder
    >>> from kproof.petri.net.terms import Constant, Function, Variable, tuple_of
    >>> stage, row = Integers("Stage", 0, 2), Open("Row", lambda token: len(token) == 3)
    >>> work = Product("Work", (stage, row))
    >>> c, xs = Variable("c", stage), Variable("xs", row)
    >>> double = Function("double", lambda c, xs: (*xs[:c], 2 * xs[c], *xs[c + 1:]), row)
    >>> following = Function("following", lambda c: c + 1, stage)
    >>> build = NetBuilder("doubling")
    >>> build.place("Work", work, Constant((0, (1, 2, 3)), work))
    >>> build.place("Done", row)
    >>> here, after = tuple_of(c, xs), tuple_of(following(c), double(c, xs))
    >>> build.transition("double", takes={"Work": here}, puts={"Work": after}, guard=c < 2)
    >>> build.transition(
    ...     "leave", takes={"Work": here}, puts={"Work": tuple_of(following(c), xs)},
    ...     guard=c.equals(1),
    ... )
    >>> build.transition(
    ...     "end", takes={"Work": here}, puts={"Done": double(c, xs)}, guard=c.equals(2)
    ... )
    >>> net = build.net()
    >>> forgotten = forget(net, {"Work": Staged(0, 1), "Done": Staged(None, None)})
    >>> forgotten.kept, forgotten.space.states, explore(net).states
    ((0, 1, 2, 3), 4, 6)
    >>> print(forgotten.space.marking(2))
    Work: (2, (·, ·, 3))
    """
    budget = budget or Budget()
    clock = Clock(budget, share=EXPLORING)
    for transition in net.transitions:
        for place in transition.inhibits:
            if place in staged:
                # Whether a row is there cannot be asked of one of which items are forgotten.
                raise NetError(
                    f"transition {transition.name}: an inhibitor arc from {place}, a staged place"
                )
    roots = [net.initial] if initial is None else list(initial)
    lengths = {len(row_of(root, staged)) for root in roots}
    if len(lengths) != 1:
        raise InvalidArgument("initial", sorted(lengths), "rows of one length")
    (length,) = lengths
    # The boldest guess first: at stage s all before item s is forgotten. Whatever looks at a
    # forgotten item lowers an entry, so that the loop below ends.
    keep = tuple(range(length + 1)) if _can_forget(net, staged) else (0,) * (length + 1)
    # What the runs do not find out by then, exploring does.
    with suppress(Ended):
        for longer in _guesses(net, roots, staged, keep, clock.tick):
            keep = longer
    while True:
        # Each search has what those before it left; with nothing left it ends at its roots, as a
        # part.
        seconds = None if budget.seconds is None else max(0.0, budget.seconds - clock.seconds)
        try:
            # In depth, so that a part has ends; the whole is the same in every order.
            space = explore(
                _net_that_forgets(net, staged, keep),
                initial=roots,
                budget=replace(budget, seconds=seconds),
                order="depth",
            )
        except Looked as look:
            keep = _keep_from(keep, look.position)
        else:
            # Beginning anew takes nothing off the limit that a reader is told of.
            whole = replace(space, budget=budget)
            return StagedSpace(net, dict(staged), length, keep, whole)


def row_of(marking: Marking, staged: Mapping[str, Staged]) -> Items:
    """Return the row of items of a marking; NetError if there is none, or there are several."""
    rows = [
        row
        for name, form in staged.items()
        if (row := _row(name, form, tuple(marking[name].items()))) is not None
    ]
    if len(rows) != 1:
        raise NetError(f"{marking}: has {'several rows' if rows else 'no row'} of items")
    return rows[0]


def _row(name: str, staged: Staged, multiset: tuple[tuple[Token, int], ...]) -> Items | None:
    """Return the row that is in a place, or None if there is none."""
    if not multiset:
        return None
    if len(multiset) > 1 or multiset[0][1] > 1:
        raise NetError(f"place {name}: has several rows of items")
    return _items(staged, multiset[0][0])


def _can_forget(net: Net, staged: Mapping[str, Staged]) -> bool:
    """Say whether the firing rule itself looks at no item of a row.

    It looks tokens up by their hash, of which a mark has its own: each arc has to take the row as
    one variable, which no other arc has. Ranks of a finite colour are looked up as well.
    """
    for name, form in staged.items():
        colour = net.place[name].colour
        if form.items is not None and isinstance(colour, Product):
            colour = colour.parts[form.items]
        if not isinstance(colour, Open):
            return False
    return all(_takes_rows_plainly(transition, staged) for transition in net.transitions)


def _takes_rows_plainly(transition: Transition, staged: Mapping[str, Staged]) -> bool:
    """Say whether each arc from a staged place takes the row as a variable of its own."""
    rows: set[str] = set()
    # With the choices: one that offers rows would compare what it offers with the row that is
    # taken.
    names = Counter(choice.variable.name for choice in transition.choices)
    for arcs in (transition.takes, transition.reads, transition.inhibits, transition.puts):
        for place, bag in arcs.items():
            if place in staged and arcs is transition.puts:
                continue
            for _, term in bag.entries:
                names.update(variable.name for variable in pattern_variables(term))
                if place not in staged:
                    continue
                at = staged[place].items
                row = term.parts[at] if isinstance(term, TupleOf) and at is not None else term
                if not isinstance(row, Variable):
                    return False
                rows.add(row.name)
    return all(names[row] == 1 for row in rows)


def _keep_from(keep: tuple[int, ...], position: int) -> tuple[int, ...]:
    """Return what is kept if one more item is: from where it would be forgotten to the end."""
    *working, over = keep
    longer = [min(first, position) if s > position else first for s, first in enumerate(working)]
    # Once all are finished nothing looks at them, unless nothing else can have been meant.
    return (*longer, over if longer != working else min(over, position))


def _guesses(
    net: Net,
    roots: Sequence[Marking],
    staged: Mapping[str, Staged],
    keep: tuple[int, ...],
    tick: Callable[[], object],
) -> Iterator[tuple[int, ...]]:
    """Run through better and better guesses at what is needed, from a few random runs.

    Exploring puts the last one to the test.
    """
    # Always the same draws: what is kept, and so the space, is the same each time.
    draw = random.Random(0)
    runs = 0
    while runs < RUNS:
        trial = _net_that_forgets(net, staged, keep)
        marking = draw.choice(roots)
        try:
            for _ in range(STEPS):
                tick()
                following = [after for _, after in firings(trial, marking)]
                if not following:
                    break
                marking = draw.choice(following)
            runs += 1
        except Looked as look:
            keep = _keep_from(keep, look.position)
            yield keep


def _net_that_forgets(net: Net, staged: Mapping[str, Staged], keep: tuple[int, ...]) -> Net:
    """Return the net whose transitions forget what is needed no more, and look at nothing else."""

    def forgetful(transition: Transition) -> Transition:
        rows = [
            (staged[place], term)
            for place, bag in transition.takes.items()
            if place in staged
            for _, term in bag.entries
        ]

        def inscribe(place: str, bag: Bag) -> Bag:
            if place not in staged:
                return bag
            forget = Function(
                f"forget in {place}",
                _seal(staged[place], keep, tuple(source for source, _ in rows)),
                net.place[place].colour,
            )
            inputs = tuple(term for _, term in rows)
            return Bag(tuple((times, Call(forget, (term, *inputs))) for times, term in bag.entries))

        watched: Transition = watch(transition)
        puts = {
            place: inscribe(place, watch(bag, passes=place in staged))
            for place, bag in transition.puts.items()
        }
        return replace(watched, puts=puts)

    watch = Watched()
    places = tuple(replace(place, colour=watch(place.colour)) for place in net.places)
    return Net(f"{net.name}, forgetting", places, tuple(map(forgetful, net.transitions)))


def _seal(
    staged: Staged, keep: tuple[int, ...], sources: tuple[Staged, ...] = ()
) -> Callable[..., Any]:
    """Return what forgets the finished items in a token.

    It is called with the token and the tokens that are taken for it, and refuses that anything has
    come in the place of what was forgotten in them, or that it has come to another place.
    """
    marks = tuple(map(mark_of, range(len(keep))))

    def seal(token: Any, *before: Any) -> Any:
        first = keep[-1] if staged.stage is None else keep[token[staged.stage]]
        row = _items(staged, token)
        if len(row) != len(keep) - 1:
            raise NetError(f"{len(row)} items instead of {len(keep) - 1}")
        # Nobody would forget or restore a mark outside the row, and the firing rule would hash it.
        unmarked: list[Any] = []
        if staged.items is not None:
            unmarked = [part for at, part in enumerate(token) if at != staged.items]
        for source, consumed in zip(sources, before, strict=True):
            items = _items(source, consumed)
            forgotten = count_forgotten(items)
            for position in range(forgotten):
                if row[position] is not marks[position]:
                    raise Looked(position)
            # An item that was there before has no mark in it.
            changed = zip(row[forgotten:], items[forgotten:], strict=True)
            unmarked += [item for item, earlier in changed if item is not earlier]
        if (moved := first_mark(unmarked)) is not None:
            raise Looked(moved)
        if not first and not count_forgotten(row):
            # Of the very type that its users made it, at which they may look.
            return token
        after = Hashed((*marks[:first], *row[first:]))
        # Now, since a function that looks the row up may not look at the marks.
        hash(after)
        if staged.items is None:
            return after
        return (*token[: staged.items], after, *token[staged.items + 1 :])

    return seal


def _items(staged: Staged, token: Any) -> Items:
    """Return the row that a token carries."""
    row: Items = token if staged.items is None else token[staged.items]
    return row
