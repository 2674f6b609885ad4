"""How many publications there are at least, counted window by window.

What classes start to ``stop`` do among themselves, while all that follow stay as they are, can
happen in any run that comes to ``start`` with these classes as they were at first: donors are the
first later classes that can give, so a donor in the window is one in the table. Whatever such a run
publishes of the window goes with whatever is published of the others. So the numbers of ways of
windows that lie side by side multiply, and their product is a number of publications that runs
reach; there are others.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from math import comb
from typing import Any

from kproof.petri.papers.classes import ECs, Moves
from kproof.petri.papers.publisher import Publisher
from kproof.petri.papers.runs.theta_runs import ThetaMove, ThetaRun
from kproof.petri.papers.theta_sensitive import theta_publisher
from kproof.petri.spaces.limits import Ended
from kproof.petri.spaces.simulate import draws

WIDTHS = (12, 24, 48, 96)
"""Classes that are tried as a window, one number after another."""
NODES = 8
"""Nodes of the automaton of a window that are followed after each class, twice so many."""


def least_publications(publisher: Publisher, tick: Callable[[], object] = int) -> int:
    """Return a number of publications that a θ-sensitive publisher cut by moves has at least.

    It is 0 if none was met, which says nothing. ``tick`` is called for each step; if it raises that
    a budget has ended, a random run stands for the classes that are left.

    >>> from kproof.petri.papers.theta_sensitive import theta_publisher
    >>> least_publications(theta_publisher([["HIV", "HIV"], ["Flu", "Cancer"]] * 20, k=2))
    1048576
    """
    assert publisher.threshold is not None
    kind, domain, ecs = publisher.formed.tokens(str(publisher.options["tokens"]))
    moves = Moves(kind, publisher.threshold, domain)
    start, product = 0, 1
    with suppress(Ended):
        while start < len(ecs):
            ways = None
            for width in WIDTHS:
                # The last two classes exchange with each other: they are in one window.
                last = start + width > len(ecs) - 2
                window = ecs[start:] if last else ecs[start : start + width]
                ways = _ways(moves, window, last=last, tick=tick)
                if ways is not None or last:
                    break
            if ways is None:
                break
            start += ways[0]
            product *= ways[1]
    return product * (_ways_of_a_run(publisher, start) if start < len(ecs) else 1)


def _ways_of_a_run(publisher: Publisher, start: int) -> int:
    """Return how many publications a run on the classes from one on stands for; 0 if none.

    Where noise is added nothing else could be done, and V does not depend on which absent values
    are added. A class before the last two is touched no more, whatever it got.
    """
    formed = publisher.formed
    remaining = replace(formed, values=formed.values[start:], rows=formed.rows[start:])
    options: dict[str, Any] = dict(publisher.options)
    course = ThetaRun(theta_publisher(remaining, k=publisher.k, **options))
    chance = draws(0, 0)
    ways = 1
    # Of each class that got noise: values it lacked before, and rows it got.
    noise: dict[int, tuple[int, int]] = {}
    while course.ended is None:
        enabled = course.possible()
        step = course.step(enabled, int(chance() * len(enabled)), chance)
        course.take(step)
        if step.move is ThetaMove.NOISE and step.c < len(remaining.values) - 2:
            lacked, rows = noise.get(step.c, (len(enabled), 0))
            noise[step.c] = lacked, rows + 1
    for lacked, rows in noise.values():
        ways *= comb(lacked, rows)
    return ways if course.ended is ThetaMove.PUBLISH else 0


def _ways(
    moves: Moves, ecs: ECs, *, last: bool, tick: Callable[[], object]
) -> tuple[int, int] | None:
    """Return how many classes from the first one on can be published in how many ways.

    All classes after them are as they were then; as many are chosen as make the most ways for each
    of them. None if nothing can be published so.
    """
    # The subset construction, class by class: the words that lead to a node are read in no other
    # way, so they can be counted. Nodes that are left out cost words and nothing else.
    layer: dict[frozenset[ECs], int] = {frozenset([tuple(ecs)]): 1}
    best: tuple[int, int] | None = None
    at = 0
    while layer and at < len(ecs):
        following: Counter[frozenset[ECs]] = Counter()
        ends: dict[ECs, tuple[tuple[ECs, ECs], ...]] = {}
        for node, ways in layer.items():
            by_letter: defaultdict[ECs, set[ECs]] = defaultdict(set)
            for now in node:
                if now not in ends:
                    ends[now] = tuple(_ends_of_stage(moves, now, last, tick))
                for letter, after in ends[now]:
                    by_letter[letter].add(after)
            for remaining in by_letter.values():
                following[frozenset(remaining)] += ways
        at = len(ecs) if last and at >= len(ecs) - 2 else at + 1
        # Only ways that leave the classes behind as they were: a window that follows starts there.
        unchanged = tuple(ecs[at:])
        ways = sum(ways for node, ways in following.items() if unchanged in node)
        # Compares ways^(1/classes) in whole numbers.
        if ways and (best is None or ways ** best[0] >= best[1] ** at):
            best = at, ways
        # Nodes with many ways, and those from which the classes as they were are soon reached.
        most = sorted(following.items(), key=lambda item: -item[1])
        changed = {
            node: min(sum(a != b for a, b in zip(now, unchanged, strict=True)) for now in node)
            for node, _ in most[NODES:]
        }
        near = sorted(most[NODES:], key=lambda item: changed[item[0]])
        layer = dict(most[:NODES] + near[:NODES])
    return best


def _ends_of_stage(
    moves: Moves, first: ECs, last: bool, tick: Callable[[], object]
) -> Iterator[tuple[ECs, ECs]]:
    """Run through what the first class of a window can be published as, and what remains then.

    The last two classes of a table exchange with each other and are published together.
    """
    stop = len(first) if last and len(first) <= 2 else 1
    waiting, reached = [(0, first)], {(0, first)}
    while waiting:
        tick()
        c, now = waiting.pop()
        if c == stop:
            yield now[:stop], now[stop:]
            continue
        for state in _successors(moves, c, now, last):
            if state not in reached:
                reached.add(state)
                waiting.append(state)


def _successors(moves: Moves, c: int, ecs: ECs, last: bool) -> Iterator[tuple[int, ECs]]:
    """Run through what a window can become, as long as it needs no class outside."""
    if moves.passes(ecs[c]):
        yield c + 1, ecs
    elif last:
        plan = moves.plan(c, ecs)
        for x, y in plan.pairs:
            assert plan.donor is not None
            yield c, tuple(moves.swap(c, plan.donor, x, y, ecs))
        for value in plan.noise:
            yield c, tuple(moves.widen(c, value, ecs))
    elif (donor := moves.donor(c, ecs, lambda b: moves.passes(ecs[b]))) is not None:
        for x, y in moves.forward(ecs[c], ecs[donor]):
            yield c, tuple(moves.swap(c, donor, x, y, ecs))
