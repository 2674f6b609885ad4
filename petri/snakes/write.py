"""A net as a net of SNAKES.

What SNAKES can say is said in its own words: variables, values and tuples are its annotations,
guards without functions are its expressions, and colours are its types. Whatever is more
(functions, choices, arcs that subtract) is called by the names under which ``net.globals`` has it;
no text of a net becomes code.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import lru_cache, reduce
from itertools import count
from itertools import product as cartesian
from keyword import iskeyword
from typing import Any

from kproof.errors import NetError, show
from kproof.petri.net import terms
from kproof.petri.net.colours import Colour, Dot, Product, Token
from kproof.petri.net.firing import Firing, choice_values
from kproof.petri.net.marking import Marking
from kproof.petri.net.net import Net, Transition, pattern_variables
from kproof.petri.net.writing import differs
from kproof.petri.snakes.expressions import BLACK, text_of
from kproof.petri.snakes.library import (
    count_tokens,
    inward,
    library,
    outward,
    type_of,
    unlike_values,
)


def to_snakes(net: Net) -> Any:
    """Return a net as a ``snakes.nets.PetriNet`` with the same behaviour.

    Places have their names; a transition has, too, unless a place is called so. Plain tokens are
    black tokens of SNAKES, and colours its types: ``OneOf``, ``Range``, ``CrossProduct``. What is
    read is taken and put back. Variables that no arc binds are read from places named ``all …``,
    which hold every token of a colour and are never changed. A transition without inputs, which
    SNAKES would never fire, reads a dot in the same way.

    A net without functions and without arcs that subtract is data in SNAKES as well, and
    :func:`kproof.petri.snakes.read.from_snakes` reads it back. Functions, choices, open colours
    and arcs that subtract become Python functions in ``net.globals``.

    Raises:
        InvalidArgument: If SNAKES is not installed.
        NetError: If an inhibitor arc has variables: SNAKES has none such.

    SNAKES takes a ValueError for "not enabled". Errors of functions and tokens outside their
    colour are therefore raised as plain :class:`~kproof.errors.KProofError`.

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
    return SnakesView(net).petri


class SnakesView:
    """A net, its counterpart in SNAKES, ``petri``, and the way back."""

    def __init__(self, net: Net) -> None:
        self.net = net
        snakes = library().nets
        self.petri = snakes.PetriNet(net.name)
        self.petri.globals[BLACK] = snakes.dot
        self._nodes = set(net.place)
        self._rules: dict[str, _Rule] = {}
        self._domains: dict[tuple[str, int], str] = {}
        self._numbers = count()
        for place in net.places:
            self._add_place(place.name, place.colour, Counter(net.initial[place.name]))
        for name, transition in [(self._fresh(t.name), t) for t in net.transitions]:
            self._rules[name] = _Rule(self, name, transition)

    def marking(self, snakes_marking: Any) -> Marking:
        """Return a marking of SNAKES without what is never changed."""
        return Marking.of(
            self.net.places,
            {
                place.name: count_tokens(snakes_marking(place.name), place.colour)
                for place in self.net.places
            },
        )

    def firing(self, transition: Any, mode: Any) -> Firing:
        """Return what fires in SNAKES."""
        return self._rules[transition.name].firing(mode)

    def domain(self, colour: Colour, number: int = 0) -> str:
        """Return a place that holds every token of a finite colour; there is one for each number.

        Two tests of one place stand side by side in one arc, which not every reader takes.
        """
        if (colour.name, number) not in self._domains:
            name = self._domains[colour.name, number] = self._fresh(f"all {colour.name}")
            self._add_place(name, colour, Counter(colour.values))
        return self._domains[colour.name, number]

    def call_text(self, kind: str, names: Iterable[str], call: Callable[..., Any]) -> str:
        """Return the text that calls a function with variables of SNAKES."""
        name = f"_{kind}{next(self._numbers)}"  # variables of SNAKES begin with a letter
        self.petri.globals[name] = unlike_values(call)
        return f"{name}({', '.join(names)})"

    def _add_place(self, name: str, colour: Colour, tokens: Counter[Token]) -> None:
        theirs = [outward(colour, token) for token in tokens.elements()]
        self.petri.add_place(library().nets.Place(name, theirs, type_of(colour)))

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

    def __init__(self, view: SnakesView, name: str, transition: Transition) -> None:
        self._view = view
        self._transition = transition
        self._names = _plain_names([variable.name for variable in transition.variables])
        self._colours = {variable.name: variable.of for variable in transition.variables}
        self._bound: set[str] = set()
        self._checked: set[str] = set()
        self._matched: dict[str, terms.Term] = {}
        self._computed: dict[str, terms.Term] = {}
        self._all_of: dict[str, str] = {}
        snakes = library().nets
        demanded = {**transition.takes, **transition.reads}
        inputs = {place: self._input(place) for place in {**demanded, **transition.inhibits}}
        numbers: Counter[str] = Counter()
        for variable in self._unbound():
            test = snakes.Test(snakes.Variable(self._names[variable.name]))
            inputs[view.domain(variable.of, numbers[variable.of.name])] = [test]
            numbers[variable.of.name] += 1
        # SNAKES never fires what takes nothing: it tests a token that is always there.
        if not any(inputs[place] for place in inputs if place not in transition.inhibits):
            inputs[view.domain(Dot())] = [snakes.Test(snakes.Value(snakes.dot))]
        outputs = {place: self._output(place) for place in {**demanded, **transition.puts}}
        guard = snakes.Expression(self._guard())
        view.petri.add_transition(
            choice_class()(name, guard, unlike_values(self._extend_modes))
            if transition.choices
            else snakes.Transition(name, guard)
        )
        for arcs, add in ((inputs, view.petri.add_input), (outputs, view.petri.add_output)):
            for place, labels in arcs.items():
                if labels:
                    # SNAKES fires no inhibitor that stands alone, once there are variables.
                    alone = len(labels) == 1 and type(labels[0]) is not snakes.Inhibitor
                    add(place, name, labels[0] if alone else snakes.MultiArc(labels))

    def firing(self, mode: Any) -> Firing:
        """Return what fires with a mode of SNAKES."""
        names = sorted(variable.name for variable in self._transition.variables)
        return Firing(
            self._transition.name,
            tuple((name, inward(self._colours[name], mode[self._names[name]])) for name in names),
        )

    def _input(self, place: str) -> list[Any]:
        """Return the annotations of what a place must have."""
        entries = [entry for bag in self._demands(place) for entry in bag.entries]
        if any(times < 0 for times, _ in entries):
            if place in self._transition.inhibits:
                raise NetError(
                    f"transition {self._transition.name}, place {place}: SNAKES has no arc that "
                    "both subtracts and inhibits"
                )
            # What is left after a subtraction depends on the binding, so that no pattern can ask
            # for it.
            self._all_of[place] = self._fresh("m")
            return [library().nets.Flush(self._all_of[place])]
        labels = [
            label
            for times, term in entries
            for single in _single(term)
            for label in times * [self._pattern(single, self._view.net.place[place].colour)]
        ]
        return [*labels, *self._inhibitors(place)]

    def _inhibitors(self, place: str) -> list[Any]:
        """Return the annotations of tokens that must not be there."""
        snakes = library().nets
        bag = self._transition.inhibits.get(place, terms.NOTHING)
        for variable in bag.variables():
            raise NetError(
                f"transition {self._transition.name}, place {place}: an Inhibitor of SNAKES does "
                f"not look at the value of {variable.name}"
            )
        colour = self._view.net.place[place].colour
        return [
            snakes.Inhibitor(snakes.MultiArc(times * [snakes.Value(outward(colour, token))]))
            for token, times in bag.tokens({}).items()
        ]

    def _output(self, place: str) -> list[Any]:
        """Return the annotations of what a place gets or gets back."""
        transition = self._transition
        colour = self._view.net.place[place].colour
        back = transition.puts.get(place, terms.NOTHING)
        back += transition.reads.get(place, terms.NOTHING)
        name = self._all_of.get(place)
        if name is not None or any(times < 0 for times, _ in back.entries):

            def flush(binding: Mapping[str, Any]) -> list[Token]:
                tokens = back.tokens(binding)
                if name is not None:
                    # All was taken, what is read among it.
                    tokens = count_tokens(binding[name], colour)
                    tokens.subtract(transition.takes.get(place, terms.NOTHING).tokens(binding))
                    tokens += transition.puts.get(place, terms.NOTHING).tokens(binding)
                for token in tokens:
                    _require(place, colour, token)
                return [outward(colour, token) for token in tokens.elements()]

            return [library().nets.Flush(self._call_text("after", flush))]
        return [
            label
            for times, term in back.entries
            for single in _single(term)
            for label in times * [self._expression(single, place, colour)]
        ]

    def _demands(self, place: str) -> list[terms.Bag]:
        arcs = (self._transition.takes, self._transition.reads)
        return [bags[place] for bags in arcs if place in bags]

    def _pattern(self, term: terms.Term, colour: Colour) -> Any:
        """Return a term as what matches tokens of a colour."""
        snakes = library().nets
        if isinstance(term, terms.Variable):
            self._bound.add(term.name)
            if differs(colour, term.of):
                self._checked.add(term.name)
            return snakes.Variable(self._names[term.name])
        if isinstance(term, terms.Constant):
            return snakes.Value(outward(term.of, term.token))
        if isinstance(term, terms.TupleOf):
            assert isinstance(colour, Product)
            parts = zip(term.parts, colour.parts, strict=True)
            return snakes.Tuple([self._pattern(*part) for part in parts])
        token = self._fresh("t")
        self._colours[token] = term.colour
        matched = any(True for _ in pattern_variables(term))
        (self._matched if matched else self._computed)[token] = term
        return snakes.Variable(token)

    def _expression(self, term: terms.Term, place: str, colour: Colour) -> Any:
        """Return a term as what makes a token of a colour."""
        snakes = library().nets
        if isinstance(term, terms.TupleOf):
            assert isinstance(colour, Product)
            parts = zip(term.parts, colour.parts, strict=True)
            return snakes.Tuple([self._expression(part, place, its) for part, its in parts])
        if not isinstance(term, terms.Call) and not differs(colour, term.colour):
            if isinstance(term, terms.Variable):
                return snakes.Variable(self._names[term.name])
            if isinstance(term, terms.Constant):
                return snakes.Value(outward(term.of, term.token))
            if (text := text_of(term, self._names)) is not None:
                return snakes.Expression(text)

        def make(binding: Mapping[str, Any]) -> Any:
            token = term.value(binding)
            _require(place, colour, token)
            return outward(colour, token)

        return snakes.Expression(self._call_text("value", make))

    def _unbound(self) -> list[terms.Variable]:
        """Return the variables that range over their colours."""
        bound = set(self._bound)
        unbound: dict[str, terms.Variable] = {}

        def require(variables: Iterable[terms.Variable]) -> None:
            unbound.update({var.name: var for var in variables if var.name not in bound})
            bound.update(unbound)

        # What arcs match and what choices start from is known before anything is chosen.
        for term in self._matched.values():
            require(term.variables())
        for choice in self._transition.choices:
            for argument in choice.arguments:
                require(argument.variables())
            bound.add(choice.variable.name)
        require(self._transition.variables)
        return list(unbound.values())

    def _guard(self) -> str:
        """Return the text of what is asked of a binding that the arcs do not say."""
        transition = self._transition
        equal = {**self._matched, **self._computed}
        texts = [text_of(term, self._names) for term in equal.values()]
        equations = [f"({token} == {text})" for token, text in zip(equal, texts, strict=True)]
        if transition.guard != terms.TRUE:
            texts.append(text_of(transition.guard, self._names))
            equations.append(str(texts[-1]))
        if transition.choices or self._all_of or self._checked or None in texts:
            return self._call_text("guard", self._holds)
        return " and ".join(equations) or "True"

    def _holds(self, binding: Mapping[str, Any]) -> bool:
        return (
            self._fits(binding)
            and all(
                binding[choice.variable.name] in choice_values(self._transition, choice, binding)
                for choice in self._transition.choices
            )
            and self._transition.guard.holds(binding)
            and _equal(self._computed, binding)
            and all(
                count_tokens(binding[name], self._view.net.place[place].colour)
                >= sum((bag.tokens(binding) for bag in self._demands(place)), Counter())
                for place, name in self._all_of.items()
            )
        )

    def _fits(self, binding: Mapping[str, Any]) -> bool:
        """Say whether tokens are what is matched, before any function is called."""
        return all(
            binding[variable.name] in variable.of
            for variable in self._transition.variables
            if variable.name in self._checked
        ) and _equal(self._matched, binding)

    def _extend_modes(self, mode: Any) -> list[Any]:
        """Extend what the arcs bind by the choices, in order."""
        mine = {
            name: self._ours(name, mode[its]) for name, its in self._names.items() if its in mode
        }
        waiting = [mine] if self._fits(mine) else []
        for choice in self._transition.choices:
            name = choice.variable.name
            waiting = [
                {**binding, name: value}
                for binding in waiting
                for value in choice_values(self._transition, choice, binding)
                if binding.get(name, value) == value
            ]
        return [
            library().nets.Substitution(
                {self._names[name]: self._theirs(name, binding[name]) for name in binding}
            )
            for binding in waiting
        ]

    def _call_text(self, kind: str, call: Callable[[Mapping[str, Any]], Any]) -> str:
        """Return the text that calls a function of a binding."""
        names = dict(self._names)

        def call_by_name(*values: Token) -> Any:
            return call(
                {name: self._ours(name, value) for name, value in zip(names, values, strict=True)}
            )

        return self._view.call_text(kind, names.values(), call_by_name)

    def _ours(self, name: str, value: Any) -> Any:
        """Return the value of a variable of SNAKES; one that stands for a multiset as it is."""
        return inward(self._colours[name], value) if name in self._colours else value

    def _theirs(self, name: str, value: Any) -> Any:
        return outward(self._colours[name], value) if name in self._colours else value

    def _fresh(self, letter: str) -> str:
        """Return a variable that the transition does not have; it stands for itself."""
        used = {*self._names, *self._names.values()}
        name = next(fresh for number in count() if (fresh := f"{letter}{number}") not in used)
        self._names[name] = name
        return name


@lru_cache(maxsize=1)
def choice_class() -> Any:
    """Return the class of transitions some of whose variables are chosen from function values."""
    base: Any = library().nets.Transition

    class Choosing(base):
        """A transition with choices; ``chosen`` extends a binding by what is offered."""

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
            except library().ModeError:
                return []
            bound = []
            for part in cartesian(*parts):
                with suppress(library().DomainError):  # two arcs want two values of a variable
                    bound.append(reduce(operator.add, part))
            chosen = (mode for binding in bound for mode in self._chosen(binding))
            # The arcs have offered these tokens: what is left are the guard and the types of what
            # is put.
            return [mode for mode in chosen if self._check(mode, False, False)]

    return Choosing


def _plain_names(names: Iterable[str]) -> dict[str, str]:
    """Return a variable of SNAKES for each name: the name itself, if it can be."""
    originals = list(names)
    plain = [
        name
        for name in originals
        if name.isascii() and name.isidentifier() and name[0] != "_" and not iskeyword(name)
    ]
    spare = (fresh for number in count() if (fresh := f"v{number}") not in plain)
    return {name: name if name in plain else next(spare) for name in originals}


def _single(term: terms.Term) -> list[terms.Term]:
    """Return the terms of single tokens that a term is the sum of."""
    if isinstance(term, terms.Everything):
        return [terms.Constant(token, term.of) for token in term.of.values or ()]
    if isinstance(term, terms.TupleOf):
        return [terms.TupleOf(parts) for parts in cartesian(*map(_single, term.parts))]
    return [term]


def _equal(equal: Mapping[str, terms.Term], binding: Mapping[str, Any]) -> bool:
    return all(Counter((binding[token],)) == term.tokens(binding) for token, term in equal.items())


def _require(place: str, colour: Colour, token: Token) -> None:
    if token not in colour:
        raise NetError(f"place {place}: token {show(token)} is not of colour {colour.name}")
