"""A net as a net of SNAKES: its reference semantics, and the slowest of the explorers.

What an arc of SNAKES can say is said there: variables, values and tuples are its own annotations,
and it finds and fires the bindings. Whatever is more (guards, functions, successors, choices) is
called by the names under which ``net.globals`` has it; no text of a net becomes code.

This module imports SNAKES and is itself imported only where it is needed.
"""

from __future__ import annotations

import operator
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import reduce
from itertools import count
from itertools import product as cartesian
from keyword import iskeyword
from typing import Any

from kproof.errors import KProofError, NetError, shown
from kproof.petri.net.colours import DOT, Colour, Dot, Token
from kproof.petri.net.firing import Firing, offered
from kproof.petri.net.marking import Marking, Place
from kproof.petri.net.net import Net, Transition, patterned
from kproof.petri.net.terms import NOTHING, TRUE, Bag, Constant, Everything, Term, TupleOf, Variable
from kproof.theory.exact.typed import integer

with warnings.catch_warnings():
    # SNAKES 0.9 is written for older versions of Python.
    warnings.simplefilter("ignore")
    from snakes import DomainError, ModeError
    from snakes import nets as snakes
    from snakes.typing import TypeCheck


@dataclass(frozen=True)
class SnakesSpace:
    """The state graph of SNAKES.

    Attributes
    ----------
    states
        Markings, in the order in which SNAKES met them; the initial one first.
    arcs
        For each state whose successors were asked for, what can fire and the state it leads to.
    """

    states: tuple[Marking, ...]
    arcs: tuple[frozenset[tuple[Firing, int]], ...]

    @property
    def complete(self) -> bool:
        """Whether the successors of every state are there."""
        return len(self.arcs) == len(self.states)


class Choosing(snakes.Transition):
    """A transition some of whose variables are chosen from function values.

    Parameters
    ----------
    name, guard
        As of any transition; the guard asks whether what is chosen is offered.
    chosen
        Extends a binding by what is offered.
    """

    def __init__(self, name: str, guard: Any, chosen: Callable[[Any], list[Any]]) -> None:
        super().__init__(name, guard)
        self._chosen = chosen

    def copy(self, name: str | None = None) -> Choosing:
        """Return a copy without arcs."""
        return Choosing(self.name if name is None else name, self.guard.copy(), self._chosen)

    def modes(self) -> list[Any]:
        """Return the bindings that enable the transition."""
        try:
            parts = [label.modes(place.tokens) for place, label in self.input()]
        except ModeError:
            return []
        bound = []
        for part in cartesian(*parts):
            with suppress(DomainError):  # two arcs want two values of a variable
                bound.append(reduce(operator.add, part))
        chosen = (mode for one in bound for mode in self._chosen(one))
        return [mode for mode in chosen if self._check(mode, False, False)]


def to_snakes(net: Net) -> Any:
    """Return a net as a ``snakes.nets.PetriNet`` with the same behaviour.

    Places have their names; a transition has, too, unless a place is called so. What is read is
    taken and put back. Variables that no arc binds are read from places named ``all …``, which
    hold every token of a colour and are never changed. A transition without inputs, which SNAKES
    would never fire, reads a dot in the same way.

    SNAKES takes a ValueError for "not enabled". Errors of functions and tokens outside their
    colour are therefore raised as plain :class:`~kproof.errors.KProofError`.

    Examples
    --------
    >>> from kproof.petri.net.colours import Integers
    >>> from kproof.petri.net.net import NetBuilder
    >>> from kproof.petri.net.terms import Constant, Function, Variable
    >>> few = Integers("Few", 0, 3)
    >>> n = Variable("n", few)
    >>> less = Function("less", lambda n: n - 1, few)
    >>> build = NetBuilder("countdown")
    >>> build.place("At", few, Constant(3, few))
    >>> build.transition("step", takes={"At": n}, puts={"At": less(n)}, guard=n > 0)
    >>> step = to_snakes(build.net()).transition("step")
    >>> step.fire(step.modes()[0])
    >>> step.modes()
    [Substitution(n=2)]
    """
    return _View(net).petri


def snakes_space(net: Net, *, limit: int = 10_000) -> SnakesSpace:
    """Return the state space of a net as SNAKES finds it, slowly.

    Parameters
    ----------
    net
        Any net.
    limit
        Ask for no more successors once there are so many states, at least 1.

    Raises
    ------
    NetError
        If a function raises, or a token is not of its place's colour.

    Examples
    --------
    >>> from kproof.petri.net.colours import enumeration
    >>> from kproof.petri.net.net import NetBuilder
    >>> from kproof.petri.net.terms import Shift, Variable, everything
    >>> ring = enumeration("Ring", "abc", cyclic=True)
    >>> x = Variable("x", ring)
    >>> build = NetBuilder("walk")
    >>> build.place("At", ring, everything(ring) - Constant("a", ring))
    >>> build.transition("step", takes={"At": x}, puts={"At": Shift(x, 1)})
    >>> space = snakes_space(build.net())
    >>> len(space.states), sum(map(len, space.arcs)), space.complete
    (6, 9, True)
    """
    most = integer("limit", limit, least=1)
    view = _View(net)
    graph = snakes.StateGraph(view.petri)
    arcs = []
    try:
        for number in graph:
            found = graph.successors(number)
            arcs.append(frozenset((view.firing(*fired), to) for to, *fired in found))
            if len(graph) >= most:
                break
    except KProofError as error:
        raise NetError(str(error)) from error
    return SnakesSpace(tuple(view.marking(graph[at]) for at in range(len(graph))), tuple(arcs))


class _View:
    """A net, its counterpart in SNAKES, and the way back."""

    def __init__(self, net: Net) -> None:
        self._net = net
        self.petri = snakes.PetriNet(net.name)
        self._nodes = set(net.place)
        self._rules: dict[str, _Rule] = {}
        self._domains: dict[str, str] = {}
        self._numbers = count()
        for place in net.places:
            tokens = [
                token for token, times in net.initial[place.name].items() for _ in range(times)
            ]
            self.petri.add_place(snakes.Place(place.name, tokens, TypeCheck(_admitting(place))))
        for name, transition in [(self._fresh(one.name), one) for one in net.transitions]:
            self._rules[name] = _Rule(self, name, transition)

    def marking(self, found: Any) -> Marking:
        """Return a marking of SNAKES without what is never changed."""
        return Marking.of(
            self._net.places, {name: _counted(found(name)) for name in self._net.place}
        )

    def firing(self, transition: Any, mode: Any) -> Firing:
        """Return what fires in SNAKES."""
        return self._rules[transition.name].firing(mode)

    def domain(self, colour: Colour) -> str:
        """Return the place that holds every token of a finite colour."""
        if colour.name not in self._domains:
            name = self._domains[colour.name] = self._fresh(f"all {colour.name}")
            self.petri.add_place(snakes.Place(name, list(colour.values or ())))
        return self._domains[colour.name]

    def called(self, kind: str, names: Iterable[str], call: Callable[..., Any]) -> str:
        """Return the text that calls a function with variables of SNAKES."""
        name = f"_{kind}{next(self._numbers)}"  # variables of SNAKES begin with a letter

        self.petri.globals[name] = _unlike_values(call)
        return f"{name}({', '.join(names)})"

    def _fresh(self, name: str) -> str:
        while name in self._nodes:
            name += "'"
        self._nodes.add(name)
        return name


class _Rule:
    """One transition: its arcs in SNAKES, and what else it asks of a binding.

    A term that SNAKES cannot match is a variable of its own on the arc, which must equal the
    term's value. An arc that subtracts takes all there is and puts the rest back.
    """

    def __init__(self, view: _View, name: str, transition: Transition) -> None:
        self._view = view
        self._transition = transition
        self._names = _plain_names([one.name for one in transition.variables])
        self._bound: set[str] = set()
        self._matched: dict[str, Term] = {}
        self._computed: dict[str, Term] = {}
        self._all_of: dict[str, str] = {}
        demanded = {**transition.takes, **transition.reads}
        inputs = {place: self._input(place) for place in demanded}
        for one in self._unbound():
            test = snakes.Test(snakes.Variable(self._names[one.name]))
            inputs.setdefault(view.domain(one.of), []).append(test)
        if not any(inputs.values()):
            inputs[view.domain(Dot())] = [snakes.Test(snakes.Value(DOT))]
        outputs = {place: self._output(place) for place in {**demanded, **transition.puts}}
        guard = snakes.Expression(self._called("guard", self._holds) if self._asks() else "True")
        view.petri.add_transition(
            Choosing(name, guard, _unlike_values(self._chosen))
            if transition.choices
            else snakes.Transition(name, guard)
        )
        for arcs, add in ((inputs, view.petri.add_input), (outputs, view.petri.add_output)):
            for place, labels in arcs.items():
                if labels:
                    add(place, name, labels[0] if len(labels) == 1 else snakes.MultiArc(labels))

    def firing(self, mode: Any) -> Firing:
        """Return what fires with a mode of SNAKES."""
        names = sorted(one.name for one in self._transition.variables)
        return Firing(
            self._transition.name, tuple((name, mode[self._names[name]]) for name in names)
        )

    def _input(self, place: str) -> list[Any]:
        """Return the annotations of what a place must have."""
        entries = [entry for bag in self._demands(place) for entry in bag.entries]
        if any(times < 0 for times, _ in entries):
            self._all_of[place] = self._fresh("m")
            return [snakes.Flush(self._all_of[place])]
        return [
            label
            for times, term in entries
            for one in _single(term)
            for label in times * [self._pattern(one)]
        ]

    def _output(self, place: str) -> list[Any]:
        """Return the annotations of what a place gets or gets back."""
        transition = self._transition
        puts = transition.puts.get(place, NOTHING)
        if place in self._all_of:

            def after(binding: Mapping[str, Any]) -> list[Token]:
                left = _counted(binding[self._all_of[place]])
                left.subtract(transition.takes.get(place, NOTHING).tokens(binding))
                return list((left + puts.tokens(binding)).elements())

            return [snakes.Flush(self._called("after", after))]
        back = puts + transition.reads.get(place, NOTHING)
        if any(times < 0 for times, _ in back.entries):

            def summed(binding: Mapping[str, Any]) -> list[Token]:
                return list(back.tokens(binding).elements())

            return [snakes.Flush(self._called("sum", summed))]
        return [
            label
            for times, term in back.entries
            for one in _single(term)
            for label in times * [self._expression(one)]
        ]

    def _demands(self, place: str) -> list[Bag]:
        arcs = (self._transition.takes, self._transition.reads)
        return [bags[place] for bags in arcs if place in bags]

    def _pattern(self, term: Term) -> Any:
        """Return a term as what matches tokens."""
        if isinstance(term, Variable):
            self._bound.add(term.name)
            return snakes.Variable(self._names[term.name])
        if isinstance(term, Constant):
            return snakes.Value(term.token)
        if isinstance(term, TupleOf):
            return snakes.Tuple([self._pattern(part) for part in term.parts])
        token = self._fresh("t")
        asked = self._matched if any(True for _ in patterned(term)) else self._computed
        asked[token] = term
        return snakes.Variable(token)

    def _expression(self, term: Term) -> Any:
        """Return a term as what makes a token."""
        if isinstance(term, Variable):
            return snakes.Variable(self._names[term.name])
        if isinstance(term, Constant):
            return snakes.Value(term.token)
        if isinstance(term, TupleOf):
            return snakes.Tuple([self._expression(part) for part in term.parts])
        return snakes.Expression(self._called("value", term.value))

    def _unbound(self) -> list[Variable]:
        """Return the variables that range over their colours."""
        known = set(self._bound)
        found: dict[str, Variable] = {}

        def need(variables: Iterable[Variable]) -> None:
            found.update({one.name: one for one in variables if one.name not in known})
            known.update(found)

        # What arcs match and what choices start from is known before anything is chosen.
        for term in self._matched.values():
            need(term.variables())
        for choice in self._transition.choices:
            for argument in choice.arguments:
                need(argument.variables())
            known.add(choice.variable.name)
        need(self._transition.variables)
        return list(found.values())

    def _asks(self) -> bool:
        """Say whether there is anything to ask of a binding that the arcs do not say."""
        transition = self._transition
        return bool(
            transition.guard != TRUE
            or transition.choices
            or self._matched
            or self._computed
            or self._all_of
            or any(one.of.size is None for one in transition.variables)
        )

    def _holds(self, binding: Mapping[str, Any]) -> bool:
        return (
            self._fits(binding)
            and all(
                binding[choice.variable.name] in offered(self._transition, choice, binding)
                for choice in self._transition.choices
            )
            and self._transition.guard.holds(binding)
            and _equal(self._computed, binding)
            and all(
                Counter(_counted(binding[name])) >= self._demand(place, binding)
                for place, name in self._all_of.items()
            )
        )

    def _fits(self, binding: Mapping[str, Any]) -> bool:
        """Say whether tokens are what is matched, before any function is called."""
        return all(
            binding[one.name] in one.of
            for one in self._transition.variables
            if one.name in self._bound
        ) and _equal(self._matched, binding)

    def _demand(self, place: str, binding: Mapping[str, Any]) -> Counter[Token]:
        return sum((bag.tokens(binding) for bag in self._demands(place)), Counter())

    def _chosen(self, mode: Any) -> list[Any]:
        """Extend what the arcs bind by the choices, in order."""
        mine = {name: mode[its] for name, its in self._names.items() if its in mode}
        waiting = [mine] if self._fits(mine) else []
        for choice in self._transition.choices:
            name = choice.variable.name
            waiting = [
                {**binding, name: value}
                for binding in waiting
                for value in offered(self._transition, choice, binding)
                if binding.get(name, value) == value
            ]
        return [
            snakes.Substitution({self._names[name]: binding[name] for name in binding})
            for binding in waiting
        ]

    def _called(self, kind: str, call: Callable[[Mapping[str, Any]], Any]) -> str:
        """Return the text that calls a function of a binding."""
        names = dict(self._names)

        def calling(*values: Token) -> Any:
            return call(dict(zip(names, values, strict=True)))

        return self._view.called(kind, names.values(), calling)

    def _fresh(self, letter: str) -> str:
        """Return a variable that the transition does not have; it stands for itself."""
        taken = {*self._names, *self._names.values()}
        name = next(one for number in count() if (one := f"{letter}{number}") not in taken)
        self._names[name] = name
        return name


def _plain_names(names: Iterable[str]) -> dict[str, str]:
    """Return a variable of SNAKES for each name: the name itself, if it can be."""
    given = list(names)
    plain = [
        name
        for name in given
        if name.isascii() and name.isidentifier() and name[0] != "_" and not iskeyword(name)
    ]
    spare = (one for number in count() if (one := f"v{number}") not in plain)
    return {name: name if name in plain else next(spare) for name in given}


def _single(term: Term) -> list[Term]:
    """Return the terms of single tokens that a term is the sum of."""
    if isinstance(term, Everything):
        return [Constant(token, term.of) for token in term.of.values or ()]
    if isinstance(term, TupleOf):
        return [TupleOf(parts) for parts in cartesian(*map(_single, term.parts))]
    return [term]


def _equal(wanted: Mapping[str, Term], binding: Mapping[str, Any]) -> bool:
    return all(Counter((binding[token],)) == term.tokens(binding) for token, term in wanted.items())


def _counted(tokens: Any) -> Counter[Token]:
    """Return a multiset of SNAKES, which knows counts but iterates over single tokens."""
    return Counter({token: tokens(token) for token in tokens.domain()})


def _admitting(place: Place) -> Callable[[Token], bool]:
    """Return what SNAKES asks of each token of a place."""

    def admits(token: Token) -> bool:
        if token not in place.colour:
            raise NetError(
                f"place {place.name}: token {shown(token)} is not of colour {place.colour.name}"
            )
        return True

    return _unlike_values(admits)


def _unlike_values(call: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function whose errors SNAKES does not take for "not enabled"."""

    def calling(*values: Any) -> Any:
        try:
            return call(*values)
        except NetError as error:
            raise KProofError(str(error)) from error

    return calling
