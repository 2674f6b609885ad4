"""Coloured nets as data, and the builder that makes them.

One definition has four views: the firing rule in :mod:`kproof.petri.net.firing`, the compiled
explorers, PNML, and SMT. A net is immutable and checked when it is built.

Source of the terms: ISO/IEC 15909-1, high-level Petri nets; Jensen and Kristensen, *Coloured Petri
Nets*, 2009.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from kproof.errors import NetError, show
from kproof.petri.net import terms
from kproof.petri.net.colours import Colour, Product, Token, same_colour
from kproof.petri.net.marking import Marking, Place


@dataclass(frozen=True)
class Choice:
    """A variable that ranges over the values a function gives.

    It means the guard "variable is one of function(arguments)", and lets an explorer find the
    values without trying all of the colour set.
    """

    variable: terms.Variable
    """What is chosen."""
    function: terms.Function
    """Returns an iterable of tokens of the variable's colour."""
    arguments: tuple[terms.Term, ...]
    """Terms over variables bound by arcs or by earlier choices."""

    @cached_property
    def as_tuple(self) -> terms.Function:
        """The function with its values in a tuple, listed where a fault of listing is named."""
        call = self.function.call
        return replace(self.function, call=lambda *arguments: tuple(call(*arguments)))

    def __str__(self) -> str:
        return f"{self.variable} ∈ {self.function.name}({', '.join(map(str, self.arguments))})"


@dataclass(frozen=True)
class Transition:
    """A transition."""

    name: str
    """Unique in the net."""
    takes: Mapping[str, terms.Bag]
    puts: Mapping[str, terms.Bag]
    reads: Mapping[str, terms.Bag]
    """By place: the tokens it consumes, produces, and needs without consuming. A read is a take
    that is put back: what is read must be there beside what is taken."""
    guard: terms.Condition = terms.TRUE
    """Must hold for a binding."""
    choices: tuple[Choice, ...] = ()
    """Variables chosen from function values, in order."""
    note: str = ""
    """What it stands for, for documents."""
    inhibits: Mapping[str, terms.Bag] = field(default_factory=dict)
    """By place: tokens that must not be there. It is enabled only while the place has fewer of
    each than the arc says."""

    @cached_property
    def variables(self) -> tuple[terms.Variable, ...]:
        """Its variables, by name; those of a binding."""
        by_name: dict[str, terms.Variable] = {}
        for variable in self._variables_used():
            if by_name.setdefault(variable.name, variable) != variable:
                raise NetError(
                    f"transition {self.name}: variable {variable.name} has two colours, "
                    f"{by_name[variable.name].of.name} and {variable.of.name}"
                )
        # Sorted, since bindings come in this order, and with them the numbers of all states.
        return tuple(by_name[name] for name in sorted(by_name))

    @cached_property
    def patterns(self) -> tuple[tuple[str, terms.Term], ...]:
        """Places and terms whose match with a token there gives variables a value.

        Of a bag that subtracts, no term need be there as it stands: ``x + y - x`` asks for y alone.
        Its variables are bound elsewhere or range over their colours.
        """
        return tuple(
            (place, term)
            for arcs in (self.takes, self.reads)
            for place, bag in arcs.items()
            # A bag that subtracts may need no token of a term that it names.
            if all(times >= 0 for times, _ in bag.entries)
            for times, term in bag.entries
            if times and any(True for _ in pattern_variables(term))
        )

    def _variables_used(self) -> Iterator[terms.Variable]:
        for arcs in (self.takes, self.reads, self.puts, self.inhibits):
            for bag in arcs.values():
                yield from bag.variables()
        for choice in self.choices:
            yield choice.variable
            for argument in choice.arguments:
                yield from argument.variables()
        yield from self.guard.variables()


@dataclass(frozen=True)
class Net:
    """A coloured Petri net; made by :class:`NetBuilder`."""

    name: str
    """For reports and files."""
    places: tuple[Place, ...]
    transitions: tuple[Transition, ...]
    """In the order in which they were added, which is the order of every report."""

    @cached_property
    def place(self) -> Mapping[str, Place]:
        """Places by name."""
        return {place.name: place for place in self.places}

    def place_named(self, name: str) -> Place:
        """Return a place, or raise NetError if there is none of that name."""
        if name not in self.place:
            raise NetError(f"net {self.name} has no place {show(name)}")
        return self.place[name]

    @cached_property
    def transition(self) -> Mapping[str, Transition]:
        """Transitions by name."""
        return {transition.name: transition for transition in self.transitions}

    @cached_property
    def colours(self) -> tuple[Colour, ...]:
        """The colour sets of its places and variables, parts before their products."""
        by_name: dict[str, Colour] = {}

        def add(colour: Colour) -> None:
            for part in colour.parts if isinstance(colour, Product) else ():
                add(part)
            if by_name.setdefault(colour.name, colour) != colour:
                raise NetError(f"net {self.name}: two colours are called {colour.name}")

        for place in self.places:
            add(place.colour)
        for transition in self.transitions:
            for variable in transition.variables:
                add(variable.of)
        return tuple(by_name.values())

    @cached_property
    def initial(self) -> Marking:
        """The initial marking."""
        return self.marking({place.name: place.initial for place in self.places})

    def marking(self, bags: Mapping[str, terms.Bag | terms.Term]) -> Marking:
        """Return the marking with these tokens and no others.

        Raises:
            NetError: If there is no such place, or a token is not of the place's colour.
        """
        tokens = {}
        for name, bag in bags.items():
            place = self.place_named(name)
            tokens[name] = terms.Bag.of(bag).tokens({})
            place.require(tokens[name])
        return Marking.of(self.places, tokens)

    def with_initial(self, bags: Mapping[str, terms.Bag | terms.Term]) -> Net:
        """Return the same net with another initial marking in some places."""
        # For its error: what is read by `get` below would pass over a name that is no place's.
        for name in bags:
            self.place_named(name)
        places = tuple(
            replace(place, initial=terms.Bag.of(bags.get(place.name, place.initial)))
            for place in self.places
        )
        return replace(self, places=places)


class NetBuilder:
    """Collects places and transitions and makes a checked :class:`Net` of them.

    Two philosophers who take both forks at once:

    >>> from kproof.petri.net.colours import enumeration
    >>> from kproof.petri.net.terms import Shift, Variable, everything
    >>> seats = enumeration("Seat", [1, 2], cyclic=True)
    >>> x = Variable("x", seats)
    >>> both = x + Shift(x, 1)
    >>> build = NetBuilder("dining")
    >>> build.place("Think", seats, everything(seats))
    >>> build.place("Fork", seats, everything(seats))
    >>> build.place("Eat", seats)
    >>> build.transition("take", takes={"Think": x, "Fork": both}, puts={"Eat": x})
    >>> build.transition("leave", takes={"Eat": x}, puts={"Think": x, "Fork": both})
    >>> net = build.net()
    >>> print(net.initial)
    Think: 1, 2; Fork: 1, 2
    >>> build.transition("eat", takes={"Spoon": x})
    Traceback (most recent call last):
        ...
    kproof.errors.NetError: transition eat: there is no place Spoon
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._places: dict[str, Place] = {}
        self._transitions: dict[str, Transition] = {}

    def place(
        self,
        name: str,
        colour: Colour,
        initial: terms.Bag | terms.Term | None = None,
        *,
        note: str = "",
    ) -> None:
        """Add a place.

        Raises:
            NetError: If the name is taken or the initial bag has variables.
        """
        if name in self._places:
            raise NetError(f"there are two places {name}")
        bag = terms.NOTHING if initial is None else terms.Bag.of(initial)
        for variable in bag.variables():
            raise NetError(f"place {name}: variable {variable.name} in the initial marking")
        self._places[name] = Place(name, colour, bag, note)

    def transition(
        self,
        name: str,
        *,
        takes: Mapping[str, terms.Bag | terms.Term] | None = None,
        puts: Mapping[str, terms.Bag | terms.Term] | None = None,
        reads: Mapping[str, terms.Bag | terms.Term] | None = None,
        inhibits: Mapping[str, terms.Bag | terms.Term] | None = None,
        guard: terms.Condition = terms.TRUE,
        choices: tuple[Choice, ...] = (),
        note: str = "",
    ) -> None:
        """Add a transition between places that are there already.

        An inhibitor arc binds no variables; what it has of them must occur elsewhere.

        Raises:
            NetError: If the name is taken, a place is missing, a term is of another colour than its
                place, a variable of an open colour is bound by no arc and no choice, or a variable
                is on inhibitor arcs only.
        """
        if name in self._transitions:
            raise NetError(f"there are two transitions {name}")
        arcs = [
            {place: terms.Bag.of(bag) for place, bag in (bags or {}).items()}
            for bags in (takes, puts, reads, inhibits)
        ]
        for bags in arcs:
            for place, bag in bags.items():
                self._require_fitting(name, place, bag)
        if not isinstance(guard, terms.Condition):
            raise NetError(
                f"transition {name}: guard {guard!r} is no condition; say i.equals(j), not i == j"
            )
        # Without the inhibitor arcs: where they are content there may be no token at all to match.
        plain = Transition(name, arcs[0], arcs[1], arcs[2], guard, tuple(choices), note)
        added, bound_before = replace(plain, inhibits=arcs[3]), plain.variables
        for variable in added.variables:
            if variable not in bound_before:
                raise NetError(
                    f"transition {name}: variable {variable.name} is on inhibitor arcs only; these "
                    "bind nothing"
                )
        bound = {choice.variable.name for choice in added.choices}
        bound.update(
            variable.name for _, term in added.patterns for variable in pattern_variables(term)
        )
        for variable in added.variables:
            if variable.name not in bound and variable.of.size is None:
                raise NetError(
                    f"transition {name}: nothing binds variable {variable.name} of the open "
                    f"colour {variable.of.name}"
                )
        self._transitions[name] = added

    def net(self) -> Net:
        """Return the net.

        Raises:
            NetError: If two different colour sets share a name, or an initial token is not of its
                place's colour.
        """
        net = Net(self._name, tuple(self._places.values()), tuple(self._transitions.values()))
        # Both are computed for their checks.
        _ = net.colours, net.initial
        return net

    def _require_fitting(self, transition: str, place: str, bag: terms.Bag) -> None:
        if place not in self._places:
            raise NetError(f"transition {transition}: there is no place {show(place)}")
        colour = self._places[place].colour
        for _, term in bag.entries:
            if not same_colour(term.colour, colour):
                raise NetError(
                    f"transition {transition}, place {place}: {term} is of colour "
                    f"{term.colour.name}, not {colour.name}"
                )


def inhibitor_of(bags: Sequence[terms.Bag], colour: Colour) -> terms.Bag:
    """Return the inhibitor arc from a place that bars whatever one of several bars.

    Of each token the least count decides. None of several may have variables: which count decides
    would depend on them.
    """
    if len(bags) == 1:
        return bags[0]
    fewest: dict[Token, int] = {}
    for bag in bags:
        for variable in bag.variables():
            raise NetError(f"several inhibitor arcs, one with variable {variable.name}")
        for token, times in bag.tokens({}).items():
            fewest[token] = min(times, fewest.get(token, times))
    return terms.Bag(
        tuple((times, terms.Constant(token, colour)) for token, times in fewest.items())
    )


def pattern_variables(term: terms.Term) -> Iterator[terms.Variable]:
    """Run through the variables that matching a token against a term gives a value."""
    if isinstance(term, terms.Variable):
        yield term
    elif isinstance(term, terms.Shift):
        yield from pattern_variables(term.term)
    elif isinstance(term, terms.TupleOf):
        for part in term.parts:
            yield from pattern_variables(part)
