"""Small random nets with every kind of colour, term and arc, and the slow way to explore one."""

import random
from contextlib import suppress
from dataclasses import dataclass

from kproof.errors import NetError
from kproof.petri.net import terms
from kproof.petri.net.colours import Colour, Dot, Enumeration, Integers, Open, Product, enumeration
from kproof.petri.net.firing import Firing, firings
from kproof.petri.net.marking import Marking
from kproof.petri.net.net import Choice, Net, NetBuilder


@dataclass(frozen=True)
class PlainSpace:
    """A state space found by nothing but the firing rule."""

    states: list[Marking]
    arcs: list[list[tuple[Firing, int]]]


def plain_space(net: Net, roots: list[Marking] | None = None, most: int = 10**9) -> PlainSpace:
    """Explore breadth first; a state whose successors exceed ``most`` states ends it."""
    states = list(dict.fromkeys([net.initial] if roots is None else roots))[:most]
    number = {marking: at for at, marking in enumerate(states)}
    arcs = []
    while len(arcs) < len(states):
        out = []
        before = len(states)
        for firing, marking in firings(net, states[len(arcs)]):
            if marking not in number:
                number[marking] = len(states)
                states.append(marking)
            out.append((firing, number[marking]))
        if len(states) > most:
            del states[before:]
            break
        arcs.append(out)
    return PlainSpace(states, arcs)


def random_net(seed: int) -> Net:
    """Return a net of up to four places and four transitions; the same for the same seed."""
    draw = random.Random(seed)
    ring = enumeration("Ring", ["a", "b", "c"][: draw.randint(2, 3)], cyclic=True)
    few = Integers("Few", -1, 1)
    any_number = Open("Number", lambda token: isinstance(token, int))
    colours = [Dot(), ring, few, Product("Ring × Few", (ring, few)), any_number]
    build = NetBuilder(f"random {seed}")
    places = {}
    for number in range(draw.randint(2, 4)):
        name, colour = f"P{number}", draw.choice(colours)
        places[name] = colour
        build.place(name, colour, _initial(draw, colour))
    for number in range(draw.randint(1, 4)):
        with suppress(NetError):  # a variable of an open colour that nothing binds
            _Arcs(draw, places).add(build, f"t{number}")
    return build.net()


def _initial(draw: random.Random, colour: Colour) -> terms.Bag:
    if colour.values is not None and draw.random() < 0.3:
        return terms.Bag.of(terms.everything(colour))
    tokens = colour.values or (0, 1, 5)
    chosen = [draw.choice(tokens) for _ in range(draw.choice([0, 1, 2, 2]))]
    return terms.Bag(tuple((draw.randint(1, 2), terms.Constant(token, colour)) for token in chosen))


class _Arcs:
    """Draws the inscriptions of one transition."""

    def __init__(self, draw: random.Random, places: dict[str, Colour]) -> None:
        self.draw = draw
        self.places = places
        self.bound = {}  # in the order of drawing

    def add(self, build: NetBuilder, name: str) -> None:
        """Add a transition that mostly puts about as much as it takes."""
        draw = self.draw
        takes = {place: self.bag(place, new=True) for place in self._some([0, 1, 1, 2])}
        reads = {place: self.bag(place, new=True) for place in self._some([0, 0, 0, 1])}
        choices = self.choices() if draw.random() < 0.3 else ()
        puts = {place: self.bag(place, new=False) for place in self._some([0, 1, 1, 1, len(takes)])}
        guard = self.guard() if draw.random() < 0.4 else terms.TRUE
        build.transition(name, takes=takes, reads=reads, puts=puts, guard=guard, choices=choices)

    def _some(self, counts: list[int]) -> list[str]:
        return self.draw.sample(sorted(self.places), self.draw.choice(counts))

    def bag(self, place: str, *, new: bool) -> terms.Bag:
        """Draw a sum of one to three terms; one with all tokens may lose a variable's."""
        draw, colour = self.draw, self.places[place]
        if colour.size is not None and draw.random() < 0.12:
            bag = terms.Bag.of(terms.everything(colour))
            return bag - self.term(colour, new=True) if draw.random() < 0.6 else bag
        bag = terms.Bag()
        for _ in range(draw.choice([1, 1, 1, 2])):
            bag += draw.choice([1, 1, 1, 1, 2]) * self.term(colour, new=new)
        return bag

    def term(self, colour: Colour, *, new: bool) -> terms.Term:
        """Draw a term of a colour, with variables that are bound unless new ones may be."""
        draw = self.draw
        known = [one for one in self.bound if one.of == colour]
        kind = draw.random()
        if isinstance(colour, Product) and kind < 0.7:
            return terms.TupleOf(tuple(self.term(part, new=new) for part in colour.parts))
        if isinstance(colour, Enumeration) and kind < 0.3:
            return terms.Shift(self.term(colour, new=new), draw.choice([-1, 1, 2]))
        if isinstance(colour, Open) and known and not new and kind < 0.5:
            return _HALF(draw.choice(known))
        if new and kind < 0.9:
            one = terms.Variable(f"{colour.name[0]}{draw.randint(0, 1)}", colour)
            self.bound[one] = None
            return one
        if known and kind < 0.9:
            return draw.choice(known)
        return terms.Constant(draw.choice(colour.values or (0, 1, 5)), colour)

    def choices(self) -> tuple[Choice, ...]:
        """Draw a variable chosen from function values."""
        numbers = Open("Number", lambda token: isinstance(token, int))
        known = [one for one in self.bound if one.of == numbers]
        argument = known[0] if known else terms.Constant(3, numbers)
        chosen = terms.Variable("y", numbers)
        self.bound[chosen] = None
        return (Choice(chosen, _AROUND, (argument,)),)

    def guard(self) -> terms.Condition:
        """Draw a condition over the variables there are."""
        draw = self.draw
        known = list(self.bound)
        if not known:
            return terms.TRUE
        one = draw.choice(known)
        other = self.term(one.of, new=False)
        parts = [
            one.equals(other),
            one.differs(other),
            one < other,
            one >= other,
            ~(one > other),
            _EVEN(one),
        ]
        first, second = draw.sample(parts, 2)
        return draw.choice([first, first & second, first | second])


_NUMBER = Open("Number", lambda token: isinstance(token, int))
_HALF = terms.Function("half", lambda number: number // 2, _NUMBER)
_AROUND = terms.Function("around", lambda number: iter((number // 2, 1, 1)))
_EVEN = terms.Function("even", lambda token: len(str(token)) % 2 == 0)
