"""Finding the bindings of a transition fast: its arcs, choices and guard as generated Python.

The text is written here, from the structure of the terms: loops over tokens, comparisons, and names
such as v0 or k3. Constants, functions and names of a net are objects that the text refers to by
these names; no string of a net ever becomes text. What is found equals, in the same order, what
:func:`kproof.petri.firing.bindings` finds.

Functions are pure, so each is called once for the same arguments. For which bindings that are not
enabled anyway the functions are called at all, and may raise, is not the same as there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import count
from typing import Any, NoReturn

from kproof.errors import NetError, shown
from kproof.petri import firing
from kproof.petri.colours import Colour, Integers, Open, Product, Token
from kproof.petri.marking import Marking
from kproof.petri.net import Choice, Net, Transition, patterned
from kproof.petri.terms import (
    NOTHING,
    AllOf,
    AnyOf,
    Bag,
    Binding,
    Call,
    Comparison,
    Condition,
    Constant,
    Everything,
    Function,
    Not,
    Shift,
    Term,
    TupleOf,
    Variable,
)

REMEMBERED = 2**16
"""Most arguments for which the value of a function is remembered."""

Tokens = Mapping[Token, int]
Values = tuple[Token, ...]
"""The value of each variable of a transition, by name."""
Amounts = tuple[tuple[Token, int], ...]
"""Tokens, each once, with whole numbers other than zero."""

Changes = tuple[tuple[int, Amounts], ...]
"""Places, as positions in the net, with by how much the count of each token changes."""


@dataclass(frozen=True)
class Compiled:
    """A transition of a net, compiled.

    Attributes
    ----------
    transition
        What was compiled.
    inputs
        Places it takes from or reads, as positions in the net, ascending.
    candidates, plainly
        From the tokens of the inputs, the values of enabled bindings, unsorted and perhaps
        repeated; by the generated search and by the firing rule.
    changes
        From the values of an enabled binding, what a firing changes. Raises NetError if a token
        is not of its place's colour.
    calls
        Whether it calls functions.
    loops
        What the search runs over: inputs, by their position among them, and sizes of colour sets.
    """

    transition: Transition
    inputs: tuple[int, ...]
    candidates: Callable[..., list[Values]]
    plainly: Callable[..., list[Values]]
    changes: Callable[..., Changes]
    calls: bool
    loops: tuple[tuple[int, ...], tuple[int, ...]]

    def bindings(self, tokens: Sequence[Mapping[Token, float]]) -> list[Values]:
        """Return the values of the enabled bindings in order, from the tokens of the inputs."""
        try:
            found = self.candidates(*tokens)
        except TypeError:
            # A function was given something that cannot be hashed: nothing is remembered then.
            found = self.plainly(*tokens)
        return self.ordered(found) if len(found) > 1 else found

    def ordered(self, found: list[Values]) -> list[Values]:
        """Return the values of bindings in order, each once."""
        if len(found) < 2:
            return found
        ranks = [one.of.rank for one in self.transition.variables]
        try:
            return sorted(
                dict.fromkeys(found),
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
        tried = 1
        for position in self.loops[0]:
            tried *= sizes[position]
        for size in self.loops[1]:
            tried *= size
        return tried

    def binding(self, values: Values) -> dict[str, Token]:
        """Return values as a binding."""
        names = (one.name for one in self.transition.variables)
        return dict(zip(names, values, strict=True))

    def demand(self, values: Values) -> dict[str, Counter[Token]]:
        """Return, by place, the tokens that a binding takes or reads."""
        binding = self.binding(values)
        return {
            place: _demanded(self.transition, place, binding)
            for place in {**self.transition.takes, **self.transition.reads}
        }


def compiled(net: Net) -> tuple[Compiled, ...]:
    """Return the transitions of a net, compiled; a function has one memory for all of them."""
    positions = {place.name: number for number, place in enumerate(net.places)}
    functions = _Functions()
    made = []
    for transition in net.transitions:
        names = {**transition.takes, **transition.reads}
        inputs = tuple(sorted(positions[name] for name in names))
        places = [net.places[number].name for number in inputs]
        plainly = _plainly(transition, places)
        search = _Search(net, transition, places, functions)
        try:
            candidates = search.made()
        except (SyntaxError, MemoryError, RecursionError):
            candidates = plainly  # more loops or deeper conditions than the compiler takes
        changes = _Effect(net, transition, functions).made(positions)
        loops = (tuple(search.looped), tuple(search.sizes))
        calls = _calls(transition)
        made.append(Compiled(transition, inputs, candidates, plainly, changes, calls, loops))
    return tuple(made)


class _Functions:
    """Functions that remember; one of each for a whole net."""

    def __init__(self) -> None:
        self._values: dict[int, Callable[..., Any]] = {}
        # Keeps what is known by its identity alive.
        self._owners: list[Function] = []

    def value(self, function: Function) -> Callable[..., Any]:
        """Return a function of a term or condition."""
        if id(function) not in self._values:
            self._owners.append(function)
            self._values[id(function)] = _remembering(lambda *given: function.of(given))
        return self._values[id(function)]


class _Writer:
    """Writes Python over the variables of one transition."""

    def __init__(self, transition: Transition, functions: _Functions) -> None:
        self._transition = transition
        self._functions = functions
        self._variables = {
            one.name: f"v{number}" for number, one in enumerate(transition.variables)
        }
        self._lines: list[str] = []
        self._depth = 1
        self._space: dict[str, Any] = {}
        self._numbers = count()

    def _function(self, parameters: Iterable[str], result: str) -> Callable[..., Any]:
        """Return the function with the lines written so far as its body."""
        head = f"def written({', '.join(parameters)}):"
        text = "\n".join([head, *self._lines, f" return {result}"])
        exec(compile(text, "<generated by kproof.petri.compiled>", "exec"), self._space)
        written: Callable[..., Any] = self._space["written"]
        return written

    def _value(self, term: Term) -> str:
        """Return the text of a term's value."""
        if isinstance(term, Variable):
            return self._variables[term.name]
        if isinstance(term, Constant):
            return self._bind(term.token)
        if isinstance(term, TupleOf):
            return f"({''.join(f'{self._value(part)}, ' for part in term.parts)})"
        if isinstance(term, Shift):
            return f"{self._bind(_shifted(term.colour, term.by))}[{self._value(term.term)}]"
        if isinstance(term, Call):
            arguments = ", ".join(self._value(argument) for argument in term.arguments)
            return f"{self._bind(self._functions.value(term.function))}({arguments})"
        return f"{self._bind(term)}.value({self._binding(term.variables())})"

    def _binding(self, variables: Iterable[Variable]) -> str:
        pairs = {self._bind(one.name): self._variables[one.name] for one in variables}
        return f"{{{', '.join(f'{key}: {value}' for key, value in pairs.items())}}}"

    def _bind(self, value: object) -> str:
        name = self._name("k")
        self._space[name] = value
        return name

    def _name(self, letter: str) -> str:
        return f"{letter}{next(self._numbers)}"

    def _write(self, line: str) -> None:
        self._lines.append(" " * self._depth + line)


class _Effect(_Writer):
    """Writes what an enabled firing changes."""

    def __init__(self, net: Net, transition: Transition, functions: _Functions) -> None:
        super().__init__(transition, functions)
        self._net = net

    def made(self, positions: Mapping[str, int]) -> Callable[..., Changes]:
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
            if all(times > 0 and _single(term) for bag in bags for times, term in bag.entries):
                text = self._amounts(place, entries)
            else:
                summed = self._bind(self._summed(place, list(self._variables)))
                text = f"{summed}({', '.join(self._variables.values())})"
            changed = self._name("t")
            self._write(f"{changed} = {text}")
            amounts.append(f"({positions[place]}, {changed})")
        pairs = "".join(f"{pair}, " for pair in amounts)
        self._space["kept"] = _kept
        return self._function(self._variables.values(), f"kept(({pairs}))")

    def _amounts(self, place: str, entries: Sequence[tuple[int, Term]]) -> str:
        """Return the text of the amounts if each term is one token."""
        colour = self._net.place[place].colour
        pairs = []
        for times, term in entries:
            token = self._name("t")
            self._write(f"{token} = {self._value(term)}")
            if times > 0 and (not _plain(term) or _differs(colour, term.colour)):
                refuse = self._bind(self._refused(place))
                self._write(f"if {token} not in {self._bind(colour)}: {refuse}({token})")
            pairs.append(f"({token}, {times})")
        if len(pairs) == 1:
            return f"({pairs[0]}, )"
        self._space["total"] = _total
        return f"total(({', '.join(pairs)}))"

    def _summed(self, place: str, names: Sequence[str]) -> Callable[..., Amounts]:
        """Return the function that finds the amounts with any terms."""
        transition, colour = self._transition, self._net.place[place].colour
        refuse = self._refused(place)

        def summed(*values: Token) -> Amounts:
            binding = dict(zip(names, values, strict=True))
            puts = transition.puts.get(place, NOTHING).tokens(binding)
            for token in puts:
                if token not in colour:
                    refuse(token)
            takes = transition.takes.get(place, NOTHING).tokens(binding)
            negative = ((token, -times) for token, times in takes.items())
            return _total([*puts.items(), *negative])

        return summed

    def _refused(self, place: str) -> Callable[[Token], NoReturn]:
        colour = self._net.place[place].colour.name

        def refuse(token: Token) -> NoReturn:
            raise NetError(
                f"transition {self._transition.name}, place {place}: token {shown(token)} is not "
                f"of colour {colour}"
            )

        return refuse


class _Search(_Writer):
    """Writes the search for enabled bindings."""

    def __init__(
        self, net: Net, transition: Transition, places: Sequence[str], functions: _Functions
    ) -> None:
        super().__init__(transition, functions)
        self._net = net
        self._inputs = {place: f"m{number}" for number, place in enumerate(places)}
        self._bound: set[str] = set()
        self._space |= {"lacks": _lacks, "once": (None,)}
        self._waiting: list[tuple[set[str], str]] = []
        self.looped: list[int] = []
        self.sizes: list[int] = []

    def made(self) -> Callable[..., list[Values]]:
        """Return the function that finds the bindings."""
        transition = self._transition
        late = self._arrange()
        self._write("found = []")
        self._open("for _ in once:")
        self._settle()
        for arcs in (transition.takes, transition.reads):
            for place, bag in arcs.items():
                for times, term in bag.entries:
                    if times > 0 and any(True for _ in patterned(term)):
                        self._search(place, term)
        for choice in transition.choices:
            self._choose(choice)
        self._complete(transition.variables)
        for condition in late:
            self._require(self._condition(condition))
        for place in self._inputs:
            if not self._prompt(place):
                self._require(f"not {self._shortage(place)}")
        values = "".join(f"{name}, " for name in self._variables.values())
        self._write(f"found.append(({values}))")
        return self._function(self._inputs.values(), "found")

    def _arrange(self) -> list[Condition]:
        """Set conditions and demands that cannot raise to be asked as early as can be.

        Returns the other conditions: a function may rely on all that stands beside it.
        """
        late = []
        for condition in _conjuncts(self._transition.guard):
            if _plain_condition(condition):
                needed = {one.name for one in condition.variables()}
                self._waiting.append((needed, self._condition(condition)))
            else:
                late.append(condition)
        for place in self._inputs:
            if self._prompt(place):
                needed = {one.name for bag in self._bags(place) for one in bag.variables()}
                self._waiting.append((needed, f"not {self._shortage(place)}"))
        return late

    def _bags(self, place: str) -> list[Bag]:
        transition = self._transition
        return [arcs[place] for arcs in (transition.takes, transition.reads) if place in arcs]

    def _prompt(self, place: str) -> bool:
        """Say whether what a place must have can be told without a chance of an error."""
        return all(
            times >= 0 and _plain(term, multiset=True)
            for bag in self._bags(place)
            for times, term in bag.entries
        )

    def _search(self, place: str, term: Term) -> None:
        """Run over the tokens of a place that match a term."""
        prompt = self._prompt(place)
        if prompt and all(one.name in self._bound for one in term.variables()):
            return  # the demand says the same
        self.looped.append(list(self._inputs).index(place))
        token = self._name("t")
        self._open(f"for {token} in {self._inputs[place]}:")
        self._match(term, token, self._net.place[place].colour, constants=prompt)
        self._settle()

    def _match(self, term: Term, token: str, colour: Colour, *, constants: bool) -> None:
        if isinstance(term, Variable):
            name = self._variables[term.name]
            if term.name in self._bound:
                self._require(f"{name} == {token}")
                return
            if False:
                self._require(f"{token} in {self._bind(term.of)}")
            self._write(f"{name} = {token}")
            self._bound.add(term.name)
        elif isinstance(term, Constant):
            self._require(f"{token} == {self._bind(term.token)}")
        elif isinstance(term, Shift):
            before = self._name("t")
            self._write(f"{before} = {self._bind(_shifted(term.colour, -term.by))}[{token}]")
            self._match(term.term, before, term.colour, constants=constants)
        elif isinstance(term, TupleOf):
            assert isinstance(colour, Product)
            for number, part in enumerate(term.parts):
                pattern = any(True for _ in patterned(part))
                if pattern or (constants and isinstance(part, Constant)):
                    one = self._name("t")
                    self._write(f"{one} = {token}[{number}]")
                    self._match(part, one, colour.parts[number], constants=constants)

    def _choose(self, choice: Choice) -> None:
        self._complete([one for argument in choice.arguments for one in argument.variables()])
        offered = self._bind(_remembering(_offers(self._transition, choice)))
        arguments = ", ".join(self._value(argument) for argument in choice.arguments)
        token = self._name("t")
        self._open(f"for {token} in {offered}({arguments}):")
        name = self._variables[choice.variable.name]
        if choice.variable.name in self._bound:
            self._require(f"{name} == {token}")
        else:
            self._write(f"{name} = {token}")
            self._bound.add(choice.variable.name)
        self._settle()

    def _complete(self, variables: Sequence[Variable]) -> None:
        """Run over the colour sets of variables that have no value yet."""
        for one in variables:
            if one.name in self._bound:
                continue
            values = one.of.values
            if values is None:
                self._write(f"{self._bind(_unbound)}({self._bind(one.of.name)})")
            self.sizes.append(len(values or ()))
            self._open(f"for {self._variables[one.name]} in {self._bind(values or ())}:")
            self._bound.add(one.name)
            self._settle()

    def _settle(self) -> None:
        """Ask what can be asked by now."""
        waiting = []
        for needed, text in self._waiting:
            if needed <= self._bound:
                self._require(text)
            else:
                waiting.append((needed, text))
        self._waiting = waiting

    def _shortage(self, place: str) -> str:
        """Return the text of a condition: the place lacks what must be there."""
        there, bags = self._inputs[place], self._bags(place)
        entries = [entry for bag in bags for entry in bag.entries]
        if len(entries) == 1 and entries[0][0] > 0 and _plain(entries[0][1]):
            ((times, term),) = entries
            if times == 1:
                return f"({self._value(term)} not in {there})"
            return f"({there}.get({self._value(term)}, 0) < {times})"
        names = sorted({one.name for bag in bags for one in bag.variables()})

        def demanded(*values: Token) -> tuple[tuple[Token, int], ...]:
            binding = dict(zip(names, values, strict=True))
            return tuple(_demanded(self._transition, place, binding).items())

        values = ", ".join(self._variables[name] for name in names)
        return f"lacks({there}, {self._bind(_remembering(demanded))}({values}))"

    def _condition(self, condition: Condition) -> str:
        """Return the text of a condition."""
        if isinstance(condition, Comparison):
            left, right = self._value(condition.left), self._value(condition.right)
            colour = condition.left.colour
            if condition.sign in ("==", "!=") or isinstance(colour, Integers | Open):
                return f"({left} {_SIGNS[condition.sign]} {right})"
            rank = self._bind(colour.rank)
            return f"({rank}({left}) {_SIGNS[condition.sign]} {rank}({right}))"
        if isinstance(condition, Not):
            return f"(not {self._condition(condition.part)})"
        if isinstance(condition, AllOf):
            return f"({' and '.join(map(self._condition, condition.parts)) or 'True'})"
        if isinstance(condition, AnyOf):
            return f"({' or '.join(map(self._condition, condition.parts)) or 'False'})"
        if isinstance(condition, Call):
            return self._value(condition)
        return f"{self._bind(condition)}.holds({self._binding(condition.variables())})"

    def _require(self, condition: str) -> None:
        self._write(f"if not {condition}: continue")

    def _open(self, head: str) -> None:
        self._write(head)
        self._depth += 1


# What is written is one of these, whatever the net has.
_SIGNS = {sign: sign for sign in ("==", "!=", "<", "<=", ">", ">=")}


def _plainly(transition: Transition, places: Sequence[str]) -> Callable[..., list[Values]]:
    """Return the search by the firing rule itself."""

    def candidates(*tokens: Tokens) -> list[Values]:
        there = zip(places, tokens, strict=True)
        marking = Marking(tuple((place, tuple(one.items())) for place, one in there))
        found = firing.bindings(transition, marking)
        return [tuple(binding[one.name] for one in transition.variables) for binding in found]

    return candidates


def _remembering(call: Callable[..., Any]) -> Callable[..., Any]:
    """Return a pure function that is not called twice for equal arguments."""
    return lru_cache(maxsize=REMEMBERED)(call)


def _offers(transition: Transition, choice: Choice) -> Callable[..., tuple[Token, ...]]:
    """Return the function that lists what a variable is chosen from."""
    listing = replace(choice.function, call=lambda *given: tuple(choice.function.call(*given)))

    def offered(*given: Token) -> tuple[Token, ...]:
        values: tuple[Token, ...] = listing.of(given)
        for value in values:
            if value not in choice.variable.of:
                raise NetError(
                    f"transition {transition.name}: {choice.function.name} offers "
                    f"{shown(value)}, which is not of colour {choice.variable.of.name}"
                )
        return values

    return offered


def _demanded(transition: Transition, place: str, binding: Binding) -> Counter[Token]:
    demanded: Counter[Token] = Counter()
    for arcs in (transition.takes, transition.reads):
        if place in arcs:
            demanded.update(arcs[place].tokens(binding))
    return demanded


def _lacks(there: Tokens, demanded: Iterable[tuple[Token, int]]) -> bool:
    return any(there.get(token, 0) < times for token, times in demanded)


def _total(entries: Iterable[tuple[Token, int]]) -> Amounts:
    """Add amounts of tokens up, without those that come to nothing."""
    total: dict[Token, int] = {}
    for token, times in entries:
        total[token] = total.get(token, 0) + times
    return tuple([entry for entry in total.items() if entry[1]])


def _kept(changes: Changes) -> Changes:
    return tuple([change for change in changes if change[1]])


def _unbound(colour: str) -> NoReturn:
    raise NetError(f"nothing binds a variable of the open colour {colour}")


def _shifted(colour: Colour, by: int) -> dict[Token, Token]:
    values = colour.values or ()
    return {value: values[(rank + by) % len(values)] for rank, value in enumerate(values)}


def _differs(colour: Colour, other: Colour) -> bool:
    """Say whether two open colours that count as equal admit values by different predicates."""
    if isinstance(colour, Product) and isinstance(other, Product):
        return any(map(_differs, colour.parts, other.parts))
    return isinstance(colour, Open) and isinstance(other, Open) and colour.holds != other.holds


def _calls(transition: Transition) -> bool:
    arcs = (transition.takes, transition.reads, transition.puts)
    terms = (term for bags in arcs for bag in bags.values() for _, term in bag.entries)
    return bool(transition.choices) or not (
        _plain_condition(transition.guard) and all(_plain(term, multiset=True) for term in terms)
    )


def _conjuncts(condition: Condition) -> Iterator[Condition]:
    if isinstance(condition, AllOf):
        for part in condition.parts:
            yield from _conjuncts(part)
    else:
        yield condition


def _plain_condition(condition: Condition) -> bool:
    """Say whether a condition has no function in it."""
    if isinstance(condition, AllOf | AnyOf):
        return all(map(_plain_condition, condition.parts))
    if isinstance(condition, Not):
        return _plain_condition(condition.part)
    return isinstance(condition, Comparison) and all(map(_plain, (condition.left, condition.right)))


def _single(term: Term) -> bool:
    """Say whether a term is one token, whatever functions there are in it."""
    if isinstance(term, TupleOf):
        return all(map(_single, term.parts))
    return not isinstance(term, Everything)


def _plain(term: Term, *, multiset: bool = False) -> bool:
    """Say whether a term has no function in it and, unless it may be, is no multiset."""
    if isinstance(term, TupleOf):
        return all(_plain(part, multiset=multiset) for part in term.parts)
    if isinstance(term, Shift):
        return _plain(term.term)
    return isinstance(term, Variable | Constant) or (multiset and isinstance(term, Everything))
