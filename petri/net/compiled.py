"""Compiled transitions: what is enabled and what a firing changes, from tokens and values.

This is the firing rule of :mod:`kproof.petri.net.firing`, made fast by generated Python; where the
compiler cannot take a transition, that module itself does the work. Functions are pure, so what
each gave for the last arguments is remembered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import prod

from kproof.errors import KProofError, NetError
from kproof.petri.net import firing, writing
from kproof.petri.net.colours import Token
from kproof.petri.net.marking import Marking
from kproof.petri.net.net import Net, Transition
from kproof.petri.net.searching import SearchWriter
from kproof.petri.net.terms import NOTHING, Term, single
from kproof.petri.net.writing import Functions, Tokens, Values, Writer

Amounts = tuple[tuple[Token, int], ...]
"""Tokens, each once, with whole numbers other than zero."""
Changes = tuple[tuple[int, Amounts], ...]
"""Places, as positions in the net, with by how much the count of each token changes."""


@dataclass(frozen=True)
class Compiled:
    """A transition of a net, compiled."""

    transition: Transition
    """What was compiled."""
    inputs: tuple[int, ...]
    """Places it takes from, reads or is inhibited by, as positions in the net, ascending."""
    candidates: Callable[..., list[Values]]
    plainly: Callable[..., list[Values]]
    """From the tokens of the inputs, the values of enabled bindings, unsorted and perhaps
    repeated; by the generated search and by the firing rule."""
    changes: Callable[..., Changes]
    """From the values of an enabled binding, what a firing changes. Raises NetError if a token
    is not of its place's colour."""
    calls: bool
    """Whether it calls functions."""
    loops: tuple[tuple[int, ...], tuple[int, ...]]
    """What the search runs over: inputs, by their position among them, and sizes of colour sets."""
    uninhibited: Compiled | None = None
    """The same without inhibitor arcs; None if it has none."""

    def bindings(self, tokens: Sequence[Mapping[Token, float]]) -> list[Values]:
        """Return the values of the enabled bindings in order, from the tokens of the inputs."""
        try:
            candidates = self.candidates(*tokens)
        # Ours names what is wrong, or is the end of a budget: a second search could only repeat it.
        except KProofError:
            raise
        except Exception:
            # Something that cannot be hashed or ordered: the firing rule manages, or says what.
            candidates = self.plainly(*tokens)
        # Most searches find one or none, and to sort those takes longer than to ask.
        return self.sort(candidates) if len(candidates) > 1 else candidates

    def sort(self, candidates: list[Values]) -> list[Values]:
        """Return the values of bindings in order, each once."""
        ranks = [var.of.rank for var in self.transition.variables]
        try:
            return sorted(
                dict.fromkeys(candidates),
                key=lambda values: tuple(
                    rank(value) for rank, value in zip(ranks, values, strict=True)
                ),
            )
        except TypeError as error:
            raise NetError(
                f"transition {self.transition.name}: values of a variable cannot be put in order"
            ) from error

    def work(self, sizes: Sequence[int]) -> int:
        """Return how many combinations of tokens the search tries at most, choices aside."""
        inputs, colours = self.loops
        return prod(sizes[position] for position in inputs) * prod(colours)

    def binding(self, values: Values) -> dict[str, Token]:
        """Return values as a binding."""
        names = (var.name for var in self.transition.variables)
        return dict(zip(names, values, strict=True))

    def firing(self, values: Values) -> firing.Firing:
        """Return the firing with these values."""
        return firing.Firing(self.transition.name, tuple(self.binding(values).items()))

    def after(self, net: Net, values: Values, marking: Marking) -> Marking:
        """Return the marking after an enabled firing."""
        tokens = {place: dict(marking[place]) for place, _ in marking}
        for position, amounts in self.changes(*values):
            multiset = tokens.setdefault(net.places[position].name, {})
            for token, times in amounts:
                # Zeros may stay: `Marking.of` leaves them out, as equal markings have to be equal
                # data.
                multiset[token] = multiset.get(token, 0) + times
        return Marking.of(net.places, tokens)

    def demand(self, values: Values) -> dict[str, Counter[Token]]:
        """Return, by place, the tokens that a binding takes or reads."""
        binding = self.binding(values)
        return {
            place: firing.demand(self.transition, place, binding)
            for place in {**self.transition.takes, **self.transition.reads}
        }

    def inhibitors(self, values: Values) -> dict[str, Counter[Token]]:
        """Return, by place, the tokens of which there must be fewer."""
        binding = self.binding(values)
        return {place: bag.tokens(binding) for place, bag in self.transition.inhibits.items()}


def bindings_of_all(
    transitions: Sequence[Compiled], tokens: Sequence[Mapping[Token, float]]
) -> list[list[Values]]:
    """Return what :meth:`Compiled.bindings` does, of transitions that have all inputs in common."""
    try:
        candidates_of = [transition.candidates(*tokens) for transition in transitions]
    except KProofError:
        raise
    except Exception:
        # Each by itself again, so that only the one that fails is searched the plain way.
        return [transition.bindings(tokens) for transition in transitions]
    return [
        transition.sort(candidates) if len(candidates) > 1 else candidates
        for transition, candidates in zip(transitions, candidates_of, strict=True)
    ]


def compile_net(net: Net, tick: Callable[[int], int] | None = None) -> tuple[Compiled, ...]:
    """Return the transitions of a net, compiled; a function has one memory for all of them.

    ``tick`` is called again and again while bindings are searched, with about how many bytes they
    take; it returns 0, and ends the search if it raises an error of kproof.
    """
    positions = {place.name: number for number, place in enumerate(net.places)}
    functions = Functions()

    def compile_one(transition: Transition) -> Compiled:
        names = {**transition.takes, **transition.reads, **transition.inhibits}
        inputs = tuple(sorted(positions[name] for name in names))
        places = [net.places[number].name for number in inputs]
        plainly = _plainly(transition, places, tick)
        calls = _calls(transition)
        search = SearchWriter(net, transition, places, functions, tick=tick, calls=calls)
        try:
            candidates = search.build()
        except (SyntaxError, MemoryError, RecursionError):
            candidates = plainly  # more loops or deeper conditions than the compiler takes
        changes = _Effect(net, transition, functions).build(positions)
        loops = (tuple(search.looped), tuple(search.sizes))
        # For unfolding, where there is plenty of every token and inhibitors would bar for ever.
        bare = compile_one(replace(transition, inhibits={})) if transition.inhibits else None
        return Compiled(transition, inputs, candidates, plainly, changes, calls, loops, bare)

    return tuple(map(compile_one, net.transitions))


def bindings_in(
    net: Net, transitions: Sequence[Compiled], marking: Marking
) -> Iterator[tuple[Compiled, Values]]:
    """Run through what can fire in a marking, in the order of the firing rule."""
    for transition in transitions:
        tokens = [marking[net.places[position].name] for position in transition.inputs]
        for values in transition.bindings(tokens):
            yield transition, values


class _Effect(Writer):
    """Writes what an enabled firing changes."""

    def __init__(self, net: Net, transition: Transition, functions: Functions) -> None:
        super().__init__(transition, functions)
        self._net = net

    def build(self, positions: Mapping[str, int]) -> Callable[..., Changes]:
        """Return the function from values to changes."""
        transition = self._transition
        amounts = []
        for place in {**transition.takes, **transition.puts}:
            entries = [
                (sign * times, term)
                for sign, arcs in ((-1, transition.takes), (1, transition.puts))
                for times, term in arcs.get(place, NOTHING).entries
            ]
            bags = [arcs[place] for arcs in (transition.takes, transition.puts) if place in arcs]
            # A bag that subtracts, or has all tokens of a colour, is added up for each binding.
            if all(times > 0 and single(term) for bag in bags for times, term in bag.entries):
                text = self._amounts(place, entries)
            else:
                sum_up = self._bind(self._amounts_function(place, list(self._variables)))
                text = f"{sum_up}({', '.join(self._variables.values())})"
            changed = self._name("t")
            self._write(f"{changed} = {text}")
            amounts.append(f"({positions[place]}, {changed})")
        pairs = "".join(f"{pair}, " for pair in amounts)
        # A firing that puts back what it takes changes nothing there, and an explorer need not
        # look.
        self._space["kept"] = lambda changes: tuple([change for change in changes if change[1]])
        return self._function(self._variables.values(), f"kept(({pairs}))")

    def _amounts(self, place: str, entries: Sequence[tuple[int, Term]]) -> str:
        """Return the text of the amounts if each term is one token."""
        colour = self._net.place[place].colour
        pairs = []
        for times, term in entries:
            token = self._name("t")
            self._write(f"{token} = {self._value(term)}")
            # Only what is put can be of another colour: what is taken was there.
            if times > 0 and (not writing.plain(term) or writing.differs(colour, term.colour)):
                self._write(f"{self._bind(self._admit_into(place))}({token})")
            pairs.append(f"({token}, {self._bind(times)})")
        # Alone it is not zero: `build` comes here only with coefficients above zero.
        if len(pairs) == 1:
            return f"({pairs[0]}, )"
        self._space["total"] = _total
        return f"total(({', '.join(pairs)}))"

    def _amounts_function(self, place: str, names: Sequence[str]) -> Callable[..., Amounts]:
        """Return the function that finds the amounts with any terms."""
        transition, admit = self._transition, self._admit_into(place)

        def sum_up(*values: Token) -> Amounts:
            binding = dict(zip(names, values, strict=True))
            puts = transition.puts.get(place, NOTHING).tokens(binding)
            for token in puts:
                admit(token)
            takes = transition.takes.get(place, NOTHING).tokens(binding)
            negative = ((token, -times) for token, times in takes.items())
            return _total((*puts.items(), *negative))

        return sum_up

    def _admit_into(self, place: str) -> Callable[[Token], None]:
        """Return the function that checks a token before it is put into a place."""
        where = f"transition {self._transition.name}, place {place}"
        return partial(self._net.place[place].colour.require, where=where)


def _plainly(
    transition: Transition, places: Sequence[str], tick: Callable[[int], int] | None
) -> Callable[..., list[Values]]:
    """Return the search by the firing rule itself."""

    def candidates(*tokens: Tokens) -> list[Values]:
        pairs = zip(places, tokens, strict=True)
        marking = Marking(tuple((place, tuple(multiset.items())) for place, multiset in pairs))
        # `int` is what does nothing and returns 0 when it is called without anything.
        solutions = firing.bindings(transition, marking, int if tick is None else partial(tick, 0))
        return [tuple(binding[var.name] for var in transition.variables) for binding in solutions]

    return candidates


def _total(entries: Amounts) -> Amounts:
    """Add amounts of tokens up, without those that come to nothing."""
    if len(entries) == 2 and entries[0][0] != entries[1][0]:
        return entries  # tokens may be large: nothing is gained by hashing them
    total: dict[Token, int] = {}
    for token, times in entries:
        total[token] = total.get(token, 0) + times
    return tuple([entry for entry in total.items() if entry[1]])


def _calls(transition: Transition) -> bool:
    arcs = (transition.takes, transition.reads, transition.puts, transition.inhibits)
    terms = (term for bags in arcs for bag in bags.values() for _, term in bag.entries)
    return bool(transition.choices) or not (
        writing.plain_condition(transition.guard)
        and all(writing.plain(term, multiset=True) for term in terms)
    )
