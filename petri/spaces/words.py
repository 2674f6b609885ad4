"""The rows a staged net can end with, as the words of an automaton: counted, listed, drawn.

Each way through a state space that forgets (:mod:`kproof.petri.spaces.stages`) spells a row, item
by item, and several ways may spell the same one. The subset construction makes an automaton of them
that reads every row in one way; it has no cycle, so its words are counted by adding up from the
ends, in whole numbers of any size.

Source: Rabin and Scott, "Finite automata and their decision problems", IBM Journal of Research and
Development 3(2), 1959; for drawing evenly, Flajolet, Zimmermann and Van Cutsem, "A calculus for the
random generation of labelled combinatorial structures", Theoretical Computer Science 132, 1994.
"""

from __future__ import annotations

import random
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any, TypeVar

import numpy as np

from kproof.errors import InvalidArgument
from kproof.petri.spaces.space import strong_components
from kproof.petri.spaces.stages import StagedSpace
from kproof.theory.exact.typed import integer

Letter = Hashable
"""What an item is read as."""
Word = tuple[Letter, ...]
"""A row, letter by letter."""

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True)
class Words:
    """A finite set of words of one length, as a deterministic automaton without a dead end."""

    length: int
    """Of every word."""
    edges: tuple[Mapping[Letter, int], ...] = field(repr=False)
    """For each node, which letter leads where; nodes are numbered by how many letters they are
    after, those of one position together, and edges stand in the order in which runs met them."""
    starts: tuple[int, ...] = field(repr=False)
    """Shape (length + 2,): the nodes after i letters are ``starts[i]`` up to ``starts[i + 1]``."""

    @cached_property
    def _after(self) -> list[int]:
        """How many ways there are to go on from each node."""
        # From the back, as edges lead to larger numbers; a word that is read whole goes on one way.
        counts = [1] * len(self.edges)
        for node in range(self.starts[self.length] - 1, -1, -1):
            counts[node] = sum(counts[target] for target in self.edges[node].values())
        return counts

    @cached_property
    def before(self) -> list[int]:
        """How many ways lead to each node."""
        counts = [1] + [0] * (len(self.edges) - 1)
        for node, edges in enumerate(self.edges):
            for target in edges.values():
                counts[target] += counts[node]
        return counts

    def through(self, node: int, target: int) -> int:
        """Return how many words go from a node to another by any one letter."""
        return self.before[node] * self._after[target]

    @property
    def count(self) -> int:
        """How many words there are."""
        return self._after[0] if self.edges else 0

    def __iter__(self) -> Iterator[Word]:
        """Run through the words, one at a time; the last letters change first."""
        if not self.edges:
            return
        # A stack and no recursion: a word may have more letters than Python has frames.
        path = [iter(self.edges[0].items())]
        word: list[Letter] = []
        if not self.length:
            yield ()
        while path and self.length:
            step = next(path[-1], None)
            if step is None:
                path.pop()
                if word:
                    word.pop()
                continue
            letter, target = step
            if len(word) == self.length - 1:
                yield (*word, letter)
                continue
            word.append(letter)
            path.append(iter(self.edges[target].items()))

    def __contains__(self, word: object) -> bool:
        """Say whether a word is one of them."""
        if not isinstance(word, tuple) or len(word) != self.length or not self.edges:
            return False
        node: int | None = 0
        for letter in word:
            node = self.edges[node].get(letter) if node is not None else None
        return node is not None

    def sample(self, count: int, *, seed: int) -> tuple[Word, ...]:
        """Return words drawn independently, each as likely as any other; there has to be one."""
        size = integer("count", count, least=0)
        if not self.count:
            raise InvalidArgument("count", count, "a word to draw; there is none")
        draw = random.Random(seed)
        words = []
        for _ in range(size):
            node, word = 0, []
            for _ in range(self.length):
                ways = list(self.edges[node].items())
                # Whole numbers throughout: a float would not be even.
                remaining = draw.randrange(self._after[node])
                while remaining >= self._after[ways[-1][1]]:
                    remaining -= self._after[ways.pop()[1]]
                letter, node = ways[-1]
                word.append(letter)
            words.append(tuple(word))
        return tuple(words)

    def letters(self, position: int) -> dict[Letter, int]:
        """Return the letters at a position, and how many words have each of them there."""
        counts: Counter[Letter] = Counter()
        for node in range(self.starts[position], self.starts[position + 1]):
            for letter, target in self.edges[node].items():
                counts[letter] += self.through(node, target)
        return dict(counts)

    def totals(self, weigh: Callable[[int, Letter], int]) -> dict[int, int]:
        """Return how many words have each total weight of letters, by the total, ascending."""
        if not self.edges:
            return {}
        sums: list[Counter[int]] = [Counter() for _ in self.edges]
        sums[0][0] = 1
        for position in range(self.length):
            weights: dict[Letter, int] = {}
            for node in range(self.starts[position], self.starts[position + 1]):
                for letter, target in self.edges[node].items():
                    if letter not in weights:
                        weights[letter] = weigh(position, letter)
                    for total, count in sums[node].items():
                        sums[target][total + weights[letter]] += count
                # Layer by layer no one comes back to a node, and its sums may be many.
                sums[node].clear()
        ends: Counter[int] = Counter()
        for node in range(self.starts[self.length], self.starts[self.length + 1]):
            ends.update(sums[node])
        return dict(sorted(ends.items()))

    def only(self, admit: Callable[[int, Letter], bool]) -> Words:
        """Return the words all of whose letters are admitted at their positions."""
        admitted = [
            {letter: to for letter, to in edges.items() if admit(position, letter)}
            for position, (first, last) in enumerate(pairwise(self.starts))
            for edges in self.edges[first:last]
        ]
        return _trim(self.length, admitted, self.starts)


def words_of(
    staged: StagedSpace,
    *,
    read: Callable[[Any], Letter] = lambda item: item,
    tick: Callable[[], object] = int,
) -> Words:
    """Return the rows that the ends of a staged space have, as words.

    Of a space that was explored in part these are the rows that were reached. Rows that are read
    alike are one word. ``tick`` is called again and again meanwhile; whatever it raises ends the
    work.
    """
    return _Subsets(staged, read, tick).words()


Node = tuple[int, Word]
"""A state, and letters that are still to be read on the way to it."""


class _Subsets:
    """The subset construction, position by position."""

    def __init__(
        self, staged: StagedSpace, read: Callable[[Any], Letter], tick: Callable[[], object]
    ) -> None:
        self.staged, self.read, self.tick = staged, read, tick

    def words(self) -> Words:
        staged = self.staged
        leaving = self._edges_out()
        first: frozenset[Node] = frozenset((root, ()) for root in staged.space.roots.tolist())
        layers: list[dict[frozenset[Node], dict[Letter, frozenset[Node]]]] = []
        layer = [first]
        for _ in range(staged.items):
            edges: dict[frozenset[Node], dict[Letter, frozenset[Node]]] = {}
            following: dict[frozenset[Node], None] = {}
            for subset in layer:
                self.tick()
                by_letter: defaultdict[Letter, set[Node]] = defaultdict(set)
                # Sorted, since a set's order changes with the hashes of texts, and that of edges
                # would with it. By state alone: letters need have no order.
                for state, pending in sorted(subset, key=lambda node: node[0]):
                    if pending:
                        by_letter[pending[0]].add((state, pending[1:]))
                    else:
                        for letter, nodes in leaving[state].items():
                            by_letter[letter] |= nodes
                edges[subset] = {letter: frozenset(to) for letter, to in by_letter.items()}
                following.update(dict.fromkeys(edges[subset].values()))
            layers.append(edges)
            layer = list(following)
        layers.append({subset: {} for subset in layer})
        return _number_nodes(layers)

    def _edges_out(self) -> list[dict[Letter, set[Node]]]:
        """For each state, the letters that runs from it forget next, and the nodes they lead to.

        Arcs on which nothing is forgotten lead to states from which the same is forgotten next, so
        what is known of their targets is taken over, component by component from the ends.
        """
        staged, space, forgotten = self.staged, self.staged.space, self.staged.forgotten
        arcs = np.flatnonzero(forgotten[space.sources] == forgotten[space.targets])
        count, component, order = _components(
            space.states, space.sources[arcs], space.targets[arcs]
        )
        inner: list[list[int]] = [[] for _ in range(count)]
        for arc in arcs.tolist():
            source = component[space.sources[arc]]
            # Within a component every state can go on to every other: what leaves it, all share.
            if source != (target := component[space.targets[arc]]):
                inner[source].append(int(target))
        outer: list[list[int]] = [[] for _ in range(count)]
        remaining: list[list[tuple[Letter, Node]]] = [[] for _ in range(count)]
        for arc in staged.emissions:
            outer[component[space.sources[arc]]].append(arc)
        for state in np.flatnonzero(staged.ends & (forgotten < staged.items)).tolist():
            # What is still there at an end is read as it stands; it is one item at least.
            remainder = tuple(map(self.read, staged.row(state)[forgotten[state] :]))
            remaining[component[state]].append((remainder[0], (state, remainder[1:])))
        leaving: list[dict[Letter, set[Node]]] = [{} for _ in range(count)]
        for number in order:
            self.tick()
            if len(inner[number]) == 1 and not outer[number] and not remaining[number]:
                # Shared, not copied: nobody adds to it once it is there.
                leaving[number] = leaving[inner[number][0]]
                continue
            mine: dict[Letter, set[Node]] = {}
            for letter, node in remaining[number]:
                mine.setdefault(letter, set()).add(node)
            for arc in outer[number]:
                target = int(space.targets[arc])
                letters = tuple(map(self.read, staged.emissions[arc]))
                mine.setdefault(letters[0], set()).add((target, letters[1:]))
            for successor in dict.fromkeys(inner[number]):
                for letter, nodes in leaving[successor].items():
                    mine.setdefault(letter, set()).update(nodes)
            leaving[number] = mine
        return [leaving[number] for number in component.tolist()]


def _components(
    states: int, sources: np.ndarray, targets: np.ndarray
) -> tuple[int, np.ndarray, list[int]]:
    """Return components of a graph, and an order of them in which arcs lead back."""
    starts = np.searchsorted(sources, np.arange(states + 1))
    count, component = strong_components(starts, targets)
    between = {
        (int(a), int(b))
        for a, b in zip(component[sources], component[targets], strict=True)
        if a != b
    }
    waiting = Counter(source for source, _ in between)
    back: defaultdict[int, list[int]] = defaultdict(list)
    for source, target in between:
        back[target].append(source)
    # Grows while it is walked: a component comes in once all that its arcs lead to are in it.
    order = [number for number in range(count) if not waiting[number]]
    for number in order:
        for source in back[number]:
            waiting[source] -= 1
            if not waiting[source]:
                order.append(source)
    return count, component, order


def _number_nodes(layers: Sequence[Mapping[K, Mapping[Letter, K]]]) -> Words:
    """Return the automaton whose nodes and edges are given layer by layer."""
    starts = (0, *accumulate(map(len, layers)))
    edges: list[dict[Letter, int]] = []
    # A layer's nodes are the next layer's keys in their order, so that numbers follow the layers.
    for layer, following, start in zip(layers, (*layers[1:], {}), starts[1:], strict=True):
        numbers = {key: number for number, key in enumerate(following, start)}
        edges += [{letter: numbers[to] for letter, to in ways.items()} for ways in layer.values()]
    return _trim(len(layers) - 1, edges, starts)


def _trim(length: int, edges: Sequence[Mapping[Letter, int]], starts: Sequence[int]) -> Words:
    """Return the automaton without nodes that no word goes through."""
    size = len(edges)
    useful = [False] * size
    for node in reversed(range(size)):
        # Targets have larger numbers, so that from the back they are settled first.
        useful[node] = node >= starts[length] or any(useful[to] for to in edges[node].values())
    reached = {0} if size and useful[0] else set()
    for node in range(size):
        if node in reached:
            reached.update(to for to in edges[node].values() if useful[to])
    nodes = sorted(reached)
    number = {node: rank for rank, node in enumerate(nodes)}
    return Words(
        length,
        tuple(
            {via: number[to] for via, to in edges[node].items() if to in number} for node in nodes
        ),
        tuple(bisect_left(nodes, start) for start in starts),
    )
