"""The peer's side of a benchmark: state graphs of SNAKES.

Runs in an environment of its own that has SNAKES. Reads the task as JSON from standard input and
writes one line of JSON: ``states``, ``arcs``, ``seconds``. A task is ``{"philosophers": n}`` or
``{"classes": [[value, ...], ...], "k": k, "mu": [numerator, denominator]}`` with values from 0 on;
``states`` may limit how many are expanded. kproof is not imported here.
"""

import json
import sys
import time
from collections import Counter
from importlib.metadata import version
from itertools import product

from snakes.nets import (
    Expression,
    MultiArc,
    PetriNet,
    Place,
    StateGraph,
    Test,
    Transition,
    Tuple,
    Variable,
)


def philosophers(count):
    """Return the net of the Model Checking Contest, Philosophers-COL."""
    net = PetriNet("philosophers")
    for name in ("Think", "Fork", "Catch1", "Catch2", "Eat"):
        net.add_place(Place(name, range(count) if name in ("Think", "Fork") else []))
    right = f"y == (x + 1) % {count}"
    for name, guard, takes, puts in (
        ("FF1a", "True", {"Think": "x", "Fork": "x"}, "Catch1"),
        ("FF1b", right, {"Think": "x", "Fork": "y"}, "Catch2"),
        ("FF2a", right, {"Catch1": "x", "Fork": "y"}, "Eat"),
        ("FF2b", "True", {"Catch2": "x", "Fork": "x"}, "Eat"),
    ):
        net.add_transition(Transition(name, Expression(guard)))
        for place, variable in takes.items():
            net.add_input(place, name, Variable(variable))
        net.add_output(puts, name, Variable("x"))
    net.add_transition(Transition("End"))
    net.add_input("Eat", "End", Variable("x"))
    net.add_output("Think", "End", Variable("x"))
    both = MultiArc([Expression("x"), Expression(f"(x + 1) % {count}")])
    net.add_output("Fork", "End", both)
    return net


class Moves:
    """The moves of the theta-sensitive publisher; a class is a sorted tuple of values."""

    def __init__(self, classes, k, mu):
        self.last = len(classes) - 1
        self.domain = sorted({value for one in classes for value in one})
        self.numerator, self.denominator = mu[0] * (k * k - 1), mu[1] * 12

    def wide(self, one):
        counts = sorted(Counter(one).values(), reverse=True)
        n = len(one)
        first = sum(x * f for x, f in enumerate(counts, 1))
        second = sum(x * x * f for x, f in enumerate(counts, 1))
        return (n * second - first * first) * self.denominator >= self.numerator * n * n

    def exchanges(self, c, ecs):
        here = Counter(ecs[c])
        if self.wide(ecs[c]):
            return []
        most = [x for x in here if here[x] == max(here.values())]
        if c < self.last:
            for b in range(c + 1, len(ecs)):
                new = {y: n for y, n in Counter(ecs[b]).items() if y not in here}
                if new and self.wide(ecs[b]):
                    top = max(new.values())
                    return [(b, x, y) for x in most for y in new if new[y] == top]
        elif c:
            there = Counter(ecs[c - 1])
            ys = [y for y in there if there[y] == max(there.values()) and y not in here]
            return [(c - 1, x, y) for x in most if x not in there for y in ys]
        return []

    def swap(self, c, b, x, y, ecs):
        changed = [list(one) for one in ecs]
        for at, leaves, comes in ((c, x, y), (b, y, x)):
            changed[at].remove(leaves)
            changed[at].append(comes)
        return tuple(tuple(sorted(one)) for one in changed)

    def may_noise(self, c, x, ecs):
        return not self.wide(ecs[c]) and x not in ecs[c] and not self.exchanges(c, ecs)

    def widen(self, c, x, ecs):
        return (*ecs[:c], tuple(sorted((*ecs[c], x))), *ecs[c + 1 :])


def theta(classes, k, mu):
    """Return the publisher cut by moves; a choice is a variable read from a place of values."""
    moves = Moves(classes, k, mu)
    net = PetriNet("theta")
    net.globals["moves"] = moves
    ecs = tuple(tuple(sorted(one)) for one in classes)
    net.add_place(Place("MMT", [(0, ecs)]))
    net.add_place(Place("PublshdData"))
    net.add_place(Place("Values", moves.domain))
    net.add_place(Place("Pairs", list(product(range(len(ecs)), moves.domain))))
    exchange = "(b, x, y) in moves.exchanges(c, ecs)"
    for name, guard, reads, target, result in (
        ("pass", "c < moves.last and moves.wide(ecs[c])", {}, "MMT", "(c + 1, ecs)"),
        ("publish", "c == moves.last and moves.wide(ecs[c])", {}, "PublshdData", "ecs"),
        (
            "swap",
            exchange,
            {"Pairs": Tuple([Variable("b"), Variable("y")]), "Values": Variable("x")},
            "MMT",
            "(c, moves.swap(c, b, x, y, ecs))",
        ),
        (
            "noise",
            "moves.may_noise(c, x, ecs)",
            {"Values": Variable("x")},
            "MMT",
            "(c, moves.widen(c, x, ecs))",
        ),
    ):
        net.add_transition(Transition(name, Expression(guard)))
        net.add_input("MMT", name, Tuple([Variable("c"), Variable("ecs")]))
        for place, label in reads.items():
            net.add_input(place, name, Test(label))
        net.add_output(target, name, Expression(result))
    return net


def main():
    """Explore, at most as far as asked."""
    task = json.load(sys.stdin)
    start = time.perf_counter()
    if "philosophers" in task:
        net = philosophers(task["philosophers"])
    else:
        net = theta(task["classes"], task["k"], task["mu"])
    graph = StateGraph(net)
    expanded = arcs = 0
    most = task.get("states")
    for _ in graph:
        arcs += len(list(graph.successors()))
        expanded += 1
        if expanded == most:
            break
    answer = {
        "states": expanded,
        "arcs": arcs,
        "seconds": time.perf_counter() - start,
        "version": version("SNAKES"),
    }
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
