"""Finding the enabled bindings of a transition: its arcs, choices and guard as generated Python.

A search is loops over the tokens of places, over what functions offer and over colour sets, with
each condition asked as soon as its variables have values. What it finds equals what
:func:`kproof.petri.net.firing.bindings` finds; for which bindings that are not enabled anyway
functions are called at all, and may raise, is not the same.

With a ``tick`` the search looks at a clock whenever it has run over :data:`WORK` tokens or values
since the last time; before each loop within another one it counts how many there are in it. Where
a single loop may take long by itself, because it calls functions or its colour set is large, the
look is within.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NoReturn

from kproof.errors import NetError
from kproof.petri.net import writing
from kproof.petri.net.colours import LISTED, Colour, Product, Token
from kproof.petri.net.firing import BINDINGS, demand, offers, refuse
from kproof.petri.net.net import Choice, Net, Transition, pattern_variables
from kproof.petri.net.terms import Bag, Binding, Condition, Constant, Shift, Term, TupleOf, Variable
from kproof.petri.net.writing import Functions, Tokens, Values, Writer

WORK = 2**12
"""Tokens and values between two looks at the clock."""


class SearchWriter(Writer):
    """Writes the search for enabled bindings, with the tokens of ``places`` as its parameters.

    ``tick`` is called again and again with about how many bytes were found; None if nothing is to
    end the search. ``calls`` says whether the transition calls functions.
    """

    def __init__(
        self,
        net: Net,
        transition: Transition,
        places: Sequence[str],
        functions: Functions,
        *,
        tick: Callable[[int], int] | None = None,
        calls: bool = False,
    ) -> None:
        super().__init__(transition, functions)
        self._net = net
        self._tick = None if tick is None else self._bind(tick)
        self._calls = calls
        self._inputs = {place: f"m{number}" for number, place in enumerate(places)}
        self._bound: set[str] = set()
        self._space |= {"lacks": _lacks, "has": _has, "once": (None,)}
        self._waiting: list[tuple[set[str], str]] = []
        self._demands: dict[str, tuple[set[str], str]] = {}
        self._loops = 0
        self.looped: list[int] = []
        self.sizes: list[int] = []

    def build(self) -> Callable[..., list[Values]]:
        """Return the function that finds the bindings."""
        transition = self._transition
        late = self._arrange()
        self._write("enabled = []")
        if self._tick is not None:
            self._write("work = 0")
        # A loop of one turn, so that `continue` leaves where a condition fails before any other
        # loop.
        self._open("for _ in once:")
        self._settle()
        for place, term in transition.patterns:
            self._search(place, term)
        for choice in transition.choices:
            self._choose(choice)
        self._complete(transition.variables)
        # What can raise comes in the order of the firing rule, so that the same error comes first.
        for condition in late:
            self._require(self._condition(condition))
        for place in self._inputs:
            if not self._prompt(place):
                self._require(f"not {self._shortage(place)}")
        for place, bag in transition.inhibits.items():
            counts = self._counts([bag], bag.tokens)
            self._require(f"not has({self._inputs[place]}, {counts})")
        values = "".join(f"{name}, " for name in self._variables.values())
        self._write(f"enabled.append(({values}))")
        many = self._bind(lambda: refuse(transition))
        self._write(f"if len(enabled) > {BINDINGS}: {many}()")
        return self._function(self._inputs.values(), "enabled")

    def _arrange(self) -> list[Condition]:
        """Set conditions and demands that cannot raise to be asked as early as can be.

        Returns the other conditions: a function may rely on all that stands beside it.
        """
        late = []
        for condition in writing.conjuncts(self._transition.guard):
            if writing.plain_condition(condition):
                variables = {var.name for var in condition.variables()}
                self._waiting.append((variables, self._condition(condition)))
            else:
                late.append(condition)
        for place in self._inputs:
            if self._bags(place) and self._prompt(place):
                variables = {var.name for bag in self._bags(place) for var in bag.variables()}
                self._demands[place] = (variables, f"not {self._shortage(place)}")
                self._waiting.append(self._demands[place])
        return late

    def _bags(self, place: str) -> list[Bag]:
        transition = self._transition
        return [arcs[place] for arcs in (transition.takes, transition.reads) if place in arcs]

    def _prompt(self, place: str) -> bool:
        """Say whether what a place must have can be told without a chance of an error."""
        return all(
            times >= 0 and writing.plain(term, multiset=True)
            for bag in self._bags(place)
            for times, term in bag.entries
        )

    def _search(self, place: str, term: Term) -> None:
        """Run over the tokens of a place that match a term."""
        prompt = self._prompt(place)
        if prompt and all(var.name in self._bound for var in term.variables()):
            return  # the demand says the same
        self.looped.append(list(self._inputs).index(place))
        token = self._name("t")
        tokens = self._inputs[place]
        self._loop(token, tokens, f"len({tokens})")
        fresh = not any(var.name in self._bound for var in term.variables())
        self._match(term, token, self._net.place[place].colour, constants=prompt)
        if fresh and self._takes_just(place, term):
            # A token of the place was taken apart: it is there, and asking hashes it again.
            self._waiting.remove(self._demands[place])
        self._settle()

    def _takes_just(self, place: str, term: Term) -> bool:
        """Say whether all that a place must have is one token, with a variable for each part."""
        parts = term.parts if isinstance(term, TupleOf) else (term,)
        variables = [part.name for part in parts if isinstance(part, Variable)]
        entries = [entry for bag in self._bags(place) for entry in bag.entries]
        return entries == [(1, term)] and len(set(variables)) == len(parts)

    def _match(self, term: Term, token: str, colour: Colour, *, constants: bool) -> None:
        if isinstance(term, Variable):
            name = self._variables[term.name]
            # Twice in one term, or on two arcs: the first match decides, a later one must agree.
            if term.name in self._bound:
                self._require(f"{name} == {token}")
                return
            if writing.differs(colour, term.of):
                self._require(f"{token} in {self._bind(term.of)}")
            self._write(f"{name} = {token}")
            self._bound.add(term.name)
        elif isinstance(term, Constant):
            self._require(f"{token} == {self._bind(term.token)}")
        elif isinstance(term, Shift):
            before = self._name("t")
            self._write(
                f"{before} = {self._bind(writing.successors(term.colour, -term.by))}[{token}]"
            )
            self._match(term.term, before, term.colour, constants=constants)
        elif isinstance(term, TupleOf):
            assert isinstance(colour, Product)
            for number, part in enumerate(term.parts):
                pattern = any(True for _ in pattern_variables(part))
                # Other parts are computed; the demand compares the whole token once they can be.
                if pattern or (constants and isinstance(part, Constant)):
                    element = self._name("t")
                    self._write(f"{element} = {token}[{number}]")
                    self._match(part, element, colour.parts[number], constants=constants)

    def _choose(self, choice: Choice) -> None:
        self._complete([var for argument in choice.arguments for var in argument.variables()])
        transition = self._transition
        offered = self._bind(writing.memoize(offers(transition, choice)))
        arguments = ", ".join(self._value(argument) for argument in choice.arguments)
        token = self._name("t")
        self._loop(token, f"{offered}({arguments})", "1")
        name = self._variables[choice.variable.name]
        if choice.variable.name in self._bound:
            self._require(f"{name} == {token}")
        else:
            self._write(f"{name} = {token}")
            self._bound.add(choice.variable.name)
        self._settle()

    def _complete(self, variables: Sequence[Variable]) -> None:
        """Run over the colour sets of variables that have no value yet."""
        for var in variables:
            if var.name in self._bound:
                continue
            size = var.of.size
            if size is None:
                self._write(f"{self._bind(_unbound)}({self._bind(var.of.name)})")
            self.sizes.append(size or 0)
            few = size is None or size <= LISTED
            values = self._bind(var.of.values or ()) if few else f"{self._bind(var.of.each)}()"
            self._loop(self._variables[var.name], values, str(size or 0), long=not few)
            self._bound.add(var.name)
            self._settle()

    def _settle(self) -> None:
        """Ask what can be asked by now."""
        waiting = []
        for variables, text in self._waiting:
            if variables <= self._bound:
                self._require(text)
            else:
                waiting.append((variables, text))
        self._waiting = waiting

    def _shortage(self, place: str) -> str:
        """Return the text of a condition: the place lacks what must be there."""
        tokens, bags = self._inputs[place], self._bags(place)
        entries = [entry for bag in bags for entry in bag.entries]
        if len(entries) == 1 and entries[0][0] > 0 and writing.plain(entries[0][1]):
            ((times, term),) = entries
            if times == 1:
                # Multisets have no count of 0: what is there is there once at least.
                return f"({self._value(term)} not in {tokens})"
            return f"({tokens}.get({self._value(term)}, 0) < {self._bind(times)})"
        counts = self._counts(bags, lambda binding: demand(self._transition, place, binding))
        return f"lacks({tokens}, {counts})"

    def _counts(self, bags: Sequence[Bag], count: Callable[[Binding], Counter[Token]]) -> str:
        """Return the text of pairs of token and count, from a binding of the bags' variables."""
        # Of these variables alone, so that what is remembered serves all bindings that agree in
        # them.
        names = sorted({var.name for bag in bags for var in bag.variables()})

        def pairs(*values: Token) -> tuple[tuple[Token, int], ...]:
            return tuple(count(dict(zip(names, values, strict=True))).items())

        values = ", ".join(self._variables[name] for name in names)
        return f"{self._bind(writing.memoize(pairs))}({values})"

    def _require(self, condition: str) -> None:
        self._write(f"if not {condition}: continue")

    def _loop(self, name: str, values: str, count: str, *, long: bool = False) -> None:
        """Open a loop, in which the clock is looked at if it may take long by itself."""
        ticks_inside = self._calls or long
        if self._tick is not None and self._loops and not ticks_inside:
            self._write(f"work += {count}")
            self._write(f"if work > {WORK}: work = {self._clock_text()}")
        # Whoever searches has just looked: the only token of a place is no reason to look again.
        few = "" if self._loops or long or count == "1" else f"if {count} > 1: "
        self._loops += 1
        self._open(f"for {name} in {values}:")
        if self._tick is not None and ticks_inside:
            self._write(f"{few}{self._clock_text()}")

    def _clock_text(self) -> str:
        """Return the text of a look at the clock, which gives 0."""
        # A tuple takes 40 bytes and 8 for each value, its place in a list that grows 9 or so.
        return f"{self._tick}({64 + 8 * len(self._variables)} * len(enabled))"

    def _open(self, head: str) -> None:
        self._write(head)
        self._depth += 1


def _lacks(tokens: Tokens, demand: Iterable[tuple[Token, int]]) -> bool:
    return any(tokens.get(token, 0) < times for token, times in demand)


def _has(tokens: Tokens, barred: Iterable[tuple[Token, int]]) -> bool:
    return any(tokens.get(token, 0) >= times for token, times in barred)


def _unbound(colour: str) -> NoReturn:
    raise NetError(f"nothing binds a variable of the open colour {colour}")
