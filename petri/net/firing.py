"""The firing rule, written as its definition reads: slow, obvious, and the judge of every trace.

The explorers compute the same successors faster and are tested against this module. ``replay``
uses nothing else.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

from kproof.errors import NetError, show
from kproof.petri.net.colours import Token, combinations
from kproof.petri.net.marking import Marking
from kproof.petri.net.net import Choice, Net, Transition, pattern_variables
from kproof.petri.net.terms import Binding, Constant, Shift, Term, TupleOf, Variable

BINDINGS = 2**20
"""Most bindings with which one transition may be enabled in one marking."""


@dataclass(frozen=True)
class Firing:
    """A transition with a value for each of its variables (a *binding element*)."""

    transition: str
    """Its name."""
    binding: tuple[tuple[str, Token], ...] = ()
    """Pairs of variable and value, by variable."""

    def __str__(self) -> str:
        values = ", ".join(f"{name}={value}" for name, value in self.binding)
        return f"{self.transition}({values})"


@dataclass(frozen=True)
class Trace:
    """A run: firings one after another, and the markings they lead through."""

    start: Marking
    """The marking it starts in."""
    steps: tuple[tuple[Firing, Marking], ...] = ()
    """Each firing with the marking it leads to."""
    loop: int | None = None
    """For a lasso, the number of steps before its cycle begins; the last marking equals the one
    there. None for a finite run."""

    @property
    def end(self) -> Marking:
        """The last marking."""
        return self.steps[-1][1] if self.steps else self.start

    def __str__(self) -> str:
        """Return one line for each marking and firing."""
        lines = [str(self.start)]
        for number, (firing, marking) in enumerate(self.steps):
            if number == self.loop:
                lines.append("-- from here on, again and again")
            lines += [f"  {firing}", str(marking)]
        return "\n".join(lines)


def firings(net: Net, marking: Marking) -> Iterator[tuple[Firing, Marking]]:
    """Run through everything that can happen in a marking, and what it leads to.

    Transitions come in the order of the net; the bindings of one transition in the order of their
    values, the first variable by name first.

    Raises:
        NetError: If a function raises, or a token is produced that is not of its place's colour.
    """
    for transition in net.transitions:
        for binding in bindings(transition, marking):
            yield (
                Firing(transition.name, tuple(sorted(binding.items()))),
                fire(net, transition, binding, marking),
            )


def bindings(
    transition: Transition, marking: Marking, tick: Callable[[], object] = int
) -> list[dict[str, Token]]:
    """Return the bindings with which a transition is enabled, in order.

    Calls ``tick`` again and again meanwhile; whatever it raises ends the search.

    Raises:
        NetError: If there are more than :data:`BINDINGS`, a function raises, or values have no
            order.
    """
    enabled: dict[tuple[object, ...], dict[str, Token]] = {}
    candidates = (
        candidate
        for matched in _matches(transition.patterns, marking, {}, tick)
        for candidate in _choices(transition, matched, 0, tick)
    )
    # Arcs, choices and colour sets suggest them; some may not be enabled.
    for candidate in candidates:
        if not transition.guard.holds(candidate):
            continue
        if _has_demand(transition, candidate, marking) and not _is_inhibited(
            transition, candidate, marking
        ):
            # By rank, not as they were found: the order is that of the colours, and a binding that
            # is found twice counts once.
            key = tuple(var.of.rank(candidate[var.name]) for var in transition.variables)
            enabled[key] = candidate
            if len(enabled) > BINDINGS:
                refuse(transition)
    try:
        return [enabled[key] for key in sorted(enabled)]  # ranks of one variable are comparable
    except TypeError as error:
        raise NetError(
            f"transition {transition.name}: values of a variable cannot be put in order"
        ) from error


def refuse(transition: Transition) -> NoReturn:
    """Stop because a transition has too many bindings."""
    raise NetError(
        f"transition {transition.name}: more than {BINDINGS:,} bindings in one marking; bind its "
        "variables by what it takes, or restrict their colours"
    )


def fire(
    net: Net, transition: Transition, binding: Mapping[str, Token], marking: Marking
) -> Marking:
    """Return the marking after an enabled firing; NetError for a token of another colour."""
    tokens = {name: Counter(dict(multiset)) for name, multiset in marking}
    for name, bag in transition.takes.items():
        # A Counter's minus drops what comes to nothing; nothing is negative, since it is enabled.
        tokens[name] = tokens.get(name, Counter()) - bag.tokens(binding)
    for name, bag in transition.puts.items():
        multiset = tokens.setdefault(name, Counter())
        for token, count in bag.tokens(binding).items():
            net.place[name].colour.require(token, f"transition {transition.name}, place {name}")
            multiset[token] += count
    return Marking.of(net.places, tokens)


def replay(net: Net, trace: Trace) -> Marking:
    """Fire a trace again, step by step, and return the marking it ends in.

    Raises:
        NetError: If a firing is not enabled where the trace has it, leads to another marking, or
            the cycle of a lasso does not close; names the step.
    """
    marking = trace.start
    markings = [marking]
    for number, (firing, expected) in enumerate(trace.steps, start=1):
        if firing.transition not in net.transition:
            raise NetError(f"step {number}: there is no transition {firing.transition}")
        transition = net.transition[firing.transition]
        # All bindings, and not a test of this one: a value too many or of no choice is refused as
        # well.
        if dict(firing.binding) not in bindings(transition, marking):
            raise NetError(f"step {number}: {firing} is not enabled in {marking}")
        marking = fire(net, transition, dict(firing.binding), marking)
        if marking != expected:
            raise NetError(f"step {number}: {firing} leads to {marking}, not to {expected}")
        markings.append(marking)
    if trace.loop is not None and markings[trace.loop] != marking:
        raise NetError(f"the cycle that begins after step {trace.loop} does not close")
    return marking


def choice_values(transition: Transition, choice: Choice, binding: Binding) -> tuple[Token, ...]:
    """Return the values that a variable is chosen from; see :func:`offers`."""
    return offers(transition, choice)(*(term.value(binding) for term in choice.arguments))


def offers(transition: Transition, choice: Choice) -> Callable[..., tuple[Token, ...]]:
    """Return what gives the values that a choice's function offers for values of its arguments.

    It raises NetError if the function raises, now or while it lists them, or a value is not of the
    colour.
    """
    listed, colour = choice.as_tuple.apply, choice.variable.of

    def offer(*arguments: Token) -> tuple[Token, ...]:
        values: tuple[Token, ...] = listed(*arguments)
        for value in values:
            if value not in colour:
                raise NetError(
                    f"transition {transition.name}: {choice.function.name} offers {show(value)}, "
                    f"which is not of colour {colour.name}"
                )
        return values

    return offer


def matches(term: Term, token: Token, binding: dict[str, Token]) -> dict[str, Token] | None:
    """Return the binding with the values that make a term equal a token, or None.

    Terms that are no patterns (calls, for instance) match nothing here; they are compared once
    their variables have values.
    """
    if isinstance(term, Variable):
        if term.name in binding:
            return binding if binding[term.name] == token else None
        return {**binding, term.name: token} if token in term.of else None
    if isinstance(term, Constant):
        return binding if term.token == token else None
    if isinstance(term, Shift):
        colour = term.colour
        values = colour.values
        if values is None or token not in colour:
            return None
        before = values[(colour.ranks[token] - term.by) % len(values)]
        return matches(term.term, before, binding)
    if isinstance(term, TupleOf):
        if not isinstance(token, tuple) or len(token) != len(term.parts):
            return None
        extended: dict[str, Token] | None = binding
        for part, value in zip(term.parts, token, strict=True):
            # Constants and calls wait for the demand, which compares the token as a whole.
            if extended is not None and any(True for _ in pattern_variables(part)):
                extended = matches(part, value, extended)
        return extended
    return binding


def _matches(
    patterns: Sequence[tuple[str, Term]],
    marking: Marking,
    binding: dict[str, Token],
    tick: Callable[[], object],
) -> Iterator[dict[str, Token]]:
    """Extend a binding by a match of each pattern with a token of its place."""
    if not patterns:
        yield binding
        return
    place, term = patterns[0]
    # Each token once, however often it is there: whether it is there often enough, `demand` says.
    for token in marking[place]:
        tick()
        if (extended := matches(term, token, binding)) is not None:
            yield from _matches(patterns[1:], marking, extended, tick)


def _choices(
    transition: Transition, binding: dict[str, Token], number: int, tick: Callable[[], object]
) -> Iterator[dict[str, Token]]:
    if number < len(transition.choices):
        choice = transition.choices[number]
        variables = [var for argument in choice.arguments for var in argument.variables()]
        # Arguments that nothing has bound range over their colours first: the function needs their
        # values.
        for complete in _completions(variables, binding, tick):
            for value in choice_values(transition, choice, complete):
                # An arc may have bound the variable: then no other value will do.
                if complete.get(choice.variable.name, value) == value:
                    extended = {**complete, choice.variable.name: value}
                    yield from _choices(transition, extended, number + 1, tick)
        return
    yield from _completions(transition.variables, binding, tick)


def _completions(
    variables: Sequence[Variable], binding: dict[str, Token], tick: Callable[[], object]
) -> Iterator[dict[str, Token]]:
    """Give each variable that has no value yet every value of its colour set."""
    free = {var.name: var.of for var in variables if var.name not in binding}
    for colour in free.values():
        if colour.size is None:
            raise NetError(f"nothing binds a variable of the open colour {colour.name}")
    for values in combinations(tuple(free.values())):
        tick()
        yield {**binding, **dict(zip(free, values, strict=True))}


def demand(transition: Transition, place: str, binding: Binding) -> Counter[Token]:
    """Return the tokens of a place that a binding takes or reads."""
    total: Counter[Token] = Counter()
    for arcs in (transition.takes, transition.reads):
        if place in arcs:
            total.update(arcs[place].tokens(binding))
    return total


def _is_inhibited(transition: Transition, binding: Binding, marking: Marking) -> bool:
    return any(
        marking[place].get(token, 0) >= count
        for place, bag in transition.inhibits.items()
        for token, count in bag.tokens(binding).items()
    )


def _has_demand(transition: Transition, binding: Binding, marking: Marking) -> bool:
    return all(
        marking[place].get(token, 0) >= count
        for place in {**transition.takes, **transition.reads}
        for token, count in demand(transition, place, binding).items()
    )
