"""What is assumed is true of real laws, and no step is empty: read as certificates read it.

Trees are evaluated here in floats, by code that shares nothing with the deciders. Functions mean
what their definitions say; those that are not defined are laws that exist (signs, alone or in equal
pairs), events of the normal law, or arbitrary.
"""

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from itertools import islice, pairwise
from typing import Any

import pytest
import sympy as sp
from cases import cases
from nights import by_day

from kproof.theory.derivations.asking import hypotheses
from kproof.theory.derivations.derivation import Derivation, Step
from kproof.theory.derivations.formulas import less
from kproof.theory.derivations.methods import Assumed, Defined
from kproof.theory.derivations.proofs.catalogue import derivation, derivations
from kproof.theory.derivations.trees import assumptions, symbols_of, tree

TRIES = 6000
NEAR = 1e-9
BY_CONTRADICTION = {"tail-half-gap"}
"""Steps whose hypothesis is what a later step refutes."""

Function = Callable[..., float]
Point = Mapping[str, float]


def phi(x: float) -> float:
    return math.erfc(-x / math.sqrt(2)) / 2


def lambertw(a: float) -> float:
    w = math.log1p(a)
    for _ in range(60):
        w -= (w * math.exp(w) - a) / (math.exp(w) * (1 + w))
    return w


@cache
def signs(count: int) -> tuple[tuple[float, float], ...]:
    """Return the atoms of the sum of fair signs, in order."""
    return tuple((2 * i - count, math.comb(count, i) / 2**count) for i in range(count + 1))


def sum_at_most(x: float, count: float) -> float:
    return sum(mass for at, mass in signs(round(count)) if at <= x + NEAR)


def sum_below(x: float, count: float) -> float:
    return sum(mass for at, mass in signs(round(count)) if at < x - NEAR)


def groups(law: float) -> int:
    """Law j has j + 1 groups of equal signs: of two signs if j + 1 is a multiple of 3."""
    return round(law) + 1


def size(law: float) -> int:
    return 2 if groups(law) % 3 == 0 else 1


@cache
def wasserstein(law: float) -> float:
    """Return the integral of |H - Phi|, piece by piece in closed form."""
    atoms, root = signs(groups(law)), math.sqrt(groups(law))

    def below(x: float) -> float:
        return x * phi(x) + math.exp(-x * x / 2) / math.sqrt(2 * math.pi)

    total = level = 0.0
    for (low, mass), (high, _) in pairwise([(-40 * root, 0.0), *atoms, (40 * root, 0.0)]):
        level += mass
        start, end = low / root, high / root
        low, high = start, end
        for _ in range(80):
            middle = (low + high) / 2
            low, high = (middle, high) if phi(middle) < level else (low, middle)
        for a, b in ((start, low), (low, end)):
            total += abs(below(b) - below(a) - level * (b - a))
    return total


def half_line(m: float) -> float:
    return phi(0.5 - m)


def interval(m: float) -> float:
    return phi(1 - m) - phi(-1 - m)


def even_cells(m: float) -> float:
    return sum(phi(2 * i + 1 - m) - phi(2 * i - m) for i in range(-30, 31))


STANDARDISED: dict[str, Function] = {
    "far": lambda gap: 1 / math.sqrt(gap),
    "H": lambda x, j: sum_at_most(x * math.sqrt(groups(j)), groups(j)),
    "H'": lambda x, j: sum_below(x * math.sqrt(groups(j)), groups(j)),
    "wasserstein": wasserstein,
    "degree": size,
    "deviation": lambda j: size(j) * math.sqrt(groups(j)),
    "third": lambda j: size(j) * groups(j),
    "fourth": lambda j: size(j) * groups(j),
    "thirds": groups,
    "variance": groups,
}
CENTRED: dict[str, Function] = {
    "H": sum_at_most,
    "H'": sum_below,
    "spread": lambda j: 1,
    "b": lambda j: 1,
    "laws": lambda j: 1,
    "values": lambda j: 2,
    "low": lambda q: 2 * q - 3,
    "high": lambda q: 2 * q - 1,
}
RECORD: dict[str, Function] = {
    "f": lambda atom: 0.5 if atom <= 2 else 0,
    "x": lambda atom: 0 if atom == 1 else 2,
}
ONE_SIGN: dict[str, Function] = {"first": lambda m: 0.5, "f": lambda m: 1 if m < 2 else 0}
"""The masses of one fair sign, from their ratios."""
PARITY: dict[str, Function] = {
    "edge": lambda one, other: int((one - other) % 2 == 0),
    "known": lambda record: int(record % 3 == 0),
    "side": lambda record: int(record % 2 == 0),
    "joined": lambda record: 0,
}
"""A graph of two cliques; no path leads from one to the other."""
EVENTS = (half_line, interval, even_cells)


def meanings(name: str) -> list[dict[str, Function]]:
    """Return what the functions that a derivation does not define may mean."""
    all_events = name.startswith("all-events")
    laws = CENTRED if all_events or name in {"theorem-2", "theorem-4"} else STANDARDISED
    record = RECORD if name in {"theorem-2", "theorem-3"} else ONE_SIGN if all_events else {}
    return [{**laws, **record, **PARITY, "P": event} for event in EVENTS]


def arbitrary(name: str, arguments: tuple[float, ...]) -> float:
    """Return any number, always the same for one function at one place."""
    return random.Random(f"{name}{arguments}").choice([-1, -0.5, 0, 0.25, 0.5, 1, 2, 3])


class Model:
    """A meaning for every function of a derivation."""

    def __init__(self, of: Derivation, free: Mapping[str, Function]) -> None:
        self._free = free
        self._defined: dict[str, Any] = {}
        self._known: dict[tuple[str, tuple[float, ...]], float] = {}
        for step in of.steps:
            if isinstance(step.by, Defined):
                claim: Any = tree(step.claim)
                name = claim[1][1] if claim[0] == "=" else _recursion(claim)[0][1][1]
                self._defined[name] = claim

    def _apply(self, name: str, arguments: tuple[float, ...]) -> float:
        if (name, arguments) not in self._known:
            self._known[name, arguments] = self._found(name, arguments)
        return self._known[name, arguments]

    def _found(self, name: str, arguments: tuple[float, ...]) -> float:
        claim = self._defined.get(name)
        if claim is None:
            free = self._free.get(name)
            return arbitrary(name, arguments) if free is None else free(*arguments)
        if claim[0] == "=":
            return self.value(claim[2], dict(zip(claim[1][2:], arguments, strict=True)))
        base, beyond = _recursion(claim)
        here = dict(zip(beyond[1][2:], arguments, strict=True))
        (place,) = [i for i, one in enumerate(base[1][2:]) if one != beyond[1][2 + i]]
        start = self.value(base[1][2 + place], here)
        if arguments[place] < start - NEAR:
            return 0.0
        return self.value(base[2] if (abs(arguments[place] - start) < NEAR) else beyond[2], here)

    def value(self, node: Any, at: Point) -> float:
        if isinstance(node, str):
            if node in at:
                return at[node]
            if node == "pi":
                return math.pi
            top, _, bottom = node.partition("/")
            return int(top) / int(bottom or 1)
        if node[0] == "apply":
            return self._apply(node[1], tuple(self.value(one, at) for one in node[2:]))
        if node[0] == "sum":
            low, high = (round(self.value(one, at)) for one in node[3:])
            inside = ({**at, node[2]: float(i)} for i in range(low, high + 1))
            return math.fsum(self.value(node[1], one) for one in inside)
        return _OPERATIONS[node[0]](*(self.value(one, at) for one in node[1:]))

    def holds(self, node: Any, at: Point) -> bool:
        match node[0]:
            case "and":
                return all(self.holds(one, at) for one in node[1:])
            case "or":
                return any(self.holds(one, at) for one in node[1:])
            case "not":
                return not self.holds(node[1], at)
            case "implies":
                return not self.holds(node[1], at) or self.holds(node[2], at)
        left, right = (self.value(one, at) for one in node[1:])
        size = NEAR * (abs(left) + abs(right))
        near = NEAR + size
        match node[0]:
            case "=":
                return abs(left - right) <= near
            case "!=":
                return abs(left - right) > near
            case "<":
                return left < right - size
        return left <= right + near


def _recursion(claim: Any) -> tuple[Any, Any]:
    """Return the value at the base and the one beyond it, each an equation."""
    base, beyond = sorted(claim[1:], key=lambda one: one[0] == "implies")
    return base, beyond[2]


_OPERATIONS: Mapping[str, Function] = {
    "+": lambda *x: math.fsum(x),
    "*": lambda *x: math.prod(x),
    "^": math.pow,
    "exp": math.exp,
    "log": math.log,
    "abs": abs,
    "max": max,
    "min": min,
    "floor": lambda x: math.floor(x + NEAR),
    "ceiling": lambda x: math.ceil(x - NEAR),
    "binomial": lambda n, k: math.comb(round(n), round(k)) if k >= 0 else 0,
    "lambertw": lambertw,
    "Phi": phi,
}

_WHOLE = (0, 1, 2, 3, 4, 5, 8, 9, 20, 40)
_REAL = (0, 0.01, 0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10, 100)
_NAMED: Mapping[str, tuple[float, ...]] = {
    "p": (0.1, 0.5, 0.75),
    "h": (1e-3, 0.1, 0.5, 1, 5),
    "r1": (1, 2),
    "atom": (0, 1, 2, 3),
    "v": (1 / math.sqrt(2 * math.pi), 1, 2),
    "y": ((2 / math.pi) ** 0.25, 1, 2),
    "q": (0, 1, 2),
    "back": (0, 0.5),
    "K": (0, -0.5),
    "l": (-1, 0),
    "r": (1, 2),
}


_OF_STEP: Mapping[tuple[str, str], Point] = {
    ("all-events-upward", "theorem-2-all-events"): {"x": 0.5, "w": 0, "j": 1, "lag": 1},
    ("all-events-upward", "theorem-4-all-events"): {"x": 0.5, "w": 0, "u": 1, "lag": 1, "K": 0},
    ("all-events-downward", "theorem-2-all-events"): {"x": 1, "s": 1.5, "w": 1, "j": 1, "lag": 1},
    ("all-events-downward", "theorem-4-all-events"): {"x": 1, "s": 1.5, "w": 1, "u": 1, "K": 0},
}
"""Values at which hypotheses hold that random ones hardly meet: of one fair sign."""


def candidates(symbol: sp.Symbol) -> tuple[float, ...]:
    """Return values of a symbol, of its kind and sign."""
    kind, *sign = assumptions(symbol)
    plain = _NAMED.get(symbol.name, _WHOLE if kind == "integer" else _REAL)
    if sign:
        return tuple(x for x in plain if x > 0 or (x == 0 and sign == ["nonnegative"]))
    return (*plain, *(-x for x in plain if x and symbol.name not in _NAMED))


def points(step, models, tries, of=""):
    """Yield points at which the hypotheses of a step hold, and the meanings under which they do.

    The claim has a value there. An equation with a symbol alone on one side gives its value.
    """
    rng = random.Random(step.id)
    given = [tree(one) for one in (() if isinstance(step.by, Defined) else hypotheses(step))]
    symbols = {one.name: one for one in symbols_of([step.claim, *hypotheses(step)])}
    pools = {name: candidates(one) for name, one in symbols.items()}
    pools |= {name: (value,) for name, value in _OF_STEP.get((of, step.id), {}).items()}
    solved = _solved(given, symbols)
    for number in range(tries):
        model = models[number % len(models)]
        at = {name: float(rng.choice(pool)) for name, pool in pools.items()}
        try:
            for name, term in solved:
                at[name] = model.value(term, at)
                if not _of_its_kind(symbols[name], at[name]):
                    raise ValueError
            if not all(model.holds(one, at) for one in given):
                continue
            model.holds(tree(step.claim), at)
        except (ValueError, ZeroDivisionError, OverflowError):
            # Undefined there, or too large for a float.
            continue
        yield model, at


def _solved(given: list[Any], symbols: Mapping[str, sp.Symbol]) -> list[tuple[str, Any]]:
    """Return symbols and the terms that they are equal to, none spoken of before it is found."""
    found: dict[str, Any] = {}
    for one in given:
        for name, term in ((one[1], one[2]), (one[2], one[1])) if one[0] == "=" else ():
            spoken = {*found, *(x for other in (term, *found.values()) for x in _names(other))}
            if isinstance(name, str) and name in symbols and name not in spoken:
                found[name] = term
                break
    return list(found.items())


def _names(node: Any) -> list[str]:
    return [node] if isinstance(node, str) else [x for one in node[1:] for x in _names(one)]


def _of_its_kind(symbol: sp.Symbol, value: float) -> bool:
    kind, *sign = assumptions(symbol)
    whole = kind == "real" or abs(value - round(value)) < NEAR
    return whole and (not sign or value > 0 or (value == 0 and sign == ["nonnegative"]))


@cache
def every_step() -> tuple[tuple[Derivation, Step], ...]:
    """Return the steps of all derivations, those that several have only once."""
    seen: dict[tuple[sp.Basic, ...], tuple[Derivation, Step]] = {}
    for one in derivations():
        for step in one.steps:
            seen.setdefault((step.claim, *step.given), (one, step))
    return tuple(seen.values())


def models_of(one: Derivation) -> list[Model]:
    return [Model(one, free) for free in meanings(one.name)]


@pytest.mark.parametrize("name", [one.name for one in derivations()])
def test_hypotheses_can_hold_and_then_the_claim_does(name):
    """A step with hypotheses that never hold would say nothing."""
    models = models_of(derivation(name))
    for of, step in every_step():
        if of.name != name or step.id in BY_CONTRADICTION:
            continue
        met = list(islice(points(step, models, TRIES, name), 4))
        assert met, f"{step.id}: its hypotheses were met nowhere"
        if isinstance(step.by, Defined):
            continue
        assert all(model.holds(tree(step.claim), at) for model, at in met), (step.id, met)


def assumed() -> list[tuple[Derivation, Step]]:
    return [(of, step) for of, step in every_step() if isinstance(step.by, Assumed)]


@pytest.mark.parametrize(("of", "step"), assumed(), ids=lambda x: getattr(x, "name", "") or x.id)
def test_what_is_assumed_is_true_of_what_exists(of, step):
    """For all values of its symbols, awkward ones included, under each meaning."""
    held = 0
    for model, at in points(step, models_of(of), by_day(200, at_night=600)):
        assert model.holds(tree(step.claim), at), at
        held += 1
    assert held > 20


@cases(("lemma-2", "berry-esseen"), ("theorem-3", "stein"), ("theorem-3", "stein-independent"))
def test_an_assumption_about_no_law_would_be_false(name, of):
    """Without the hypotheses that say whose numbers these are, or which tail it is."""
    step = replace(derivation(name)[of], given=())
    models = models_of(derivation(name))
    assert not all(model.holds(tree(step.claim), at) for model, at in points(step, models, 2000))


def test_no_step_says_that_a_thing_is_itself():
    for _, step in every_step():
        if isinstance(step.claim, sp.core.relational.Relational):
            assert step.claim.lhs != step.claim.rhs, step.id


def test_hypotheses_that_never_hold_are_noticed():
    of = derivation("theorem-1")
    step = of["ratio-left"]
    (symbol,) = (one for one in step.claim.free_symbols if one.name == "mu")
    empty = replace(step, given=(*step.given, less(symbol, 0)))
    assert list(points(step, models_of(of), TRIES))
    assert not list(points(empty, models_of(of), TRIES))
