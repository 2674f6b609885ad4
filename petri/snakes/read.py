"""Nets of SNAKES as our own: places, arcs and expressions as data, none of which is run.

Only what is exactly of the classes of SNAKES is looked at, and only what these hold. Expressions
are parsed (:mod:`kproof.petri.snakes.expressions`); a type or a transition that is a Python
function is refused, as whatever else is not in the language of our nets.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from kproof.errors import InvalidArgument, NetError, show
from kproof.petri.net import terms
from kproof.petri.net.colours import DOT, Colour, Dot, Enumeration, Integers, Product, same_colour
from kproof.petri.net.net import Net, NetBuilder, inhibitor_of
from kproof.petri.snakes.expressions import Expressions, literal_tables
from kproof.petri.snakes.library import ANY, INSTANCES, is_plain, library

_Bags: TypeAlias = dict[str, terms.Bag]


def from_snakes(petri_net: Any, *, colours: Mapping[str, Colour] | None = None) -> Net:
    """Return a net of SNAKES as a net of ours, with the same states and arcs.

    Types of places become colours: ``tBlackToken`` dots, ``OneOf`` an enumeration, ``Range`` a
    range, ``CrossProduct`` a product, ``tInteger``, ``tString`` and ``tAll`` open colours. A place
    without a type on whose arcs there are black tokens only is one of dots. ``Test`` becomes a
    read and ``Inhibitor`` an inhibitor arc.

    Nothing in the net is evaluated: expressions are parsed, and what in them is arithmetic becomes
    a function that works it out from the parsed text.

    Args:
        petri_net: A ``snakes.nets.PetriNet``.
        colours: Colours of places, by name, instead of what their types say.

    Raises:
        InvalidArgument: If SNAKES is not installed, it is no such net, or a colour is given for no
            place.
        NetError: If something is not in the language of our nets: calls, comprehensions, ``Flush``,
            tests beside other annotations of one arc, types and transitions that are Python
            functions, tokens that are not plain data, transitions without inputs, which SNAKES
            never fires. Names the place, or the transition and the expression.

    >>> snakes = library().nets
    >>> petri = snakes.PetriNet("countdown")
    >>> petri.add_place(snakes.Place("At", [3]))
    >>> petri.add_transition(snakes.Transition("step", snakes.Expression("n > 0")))
    >>> petri.add_input("At", "step", snakes.Variable("n"))
    >>> petri.add_output("At", "step", snakes.Expression("n - 1"))
    >>> from kproof.petri.spaces.explore import explore
    >>> net = from_snakes(petri)
    >>> print(net.transitions[0].guard, "|", net.initial, "|", explore(net).states)
    n > 0 | At: 3 | 4
    >>> petri.add_transition(snakes.Transition("stop", snakes.Expression("exit()")))
    >>> petri.add_input("At", "stop", snakes.Variable("n"))
    >>> from_snakes(petri)
    Traceback (most recent call last):
        ...
    kproof.errors.NetError: transition stop: expression exit(): read are comparisons, and, or, not,
    + - * // % of whole numbers, variables, constants, tuples and tables that are looked up
    """
    snakes = library().nets
    if type(petri_net) is not snakes.PetriNet:
        raise InvalidArgument("petri_net", type(petri_net).__name__, "a snakes.nets.PetriNet")
    return _Reader(petri_net, dict(colours or {})).net()


class _Reader:
    def __init__(self, petri: Any, colours: Mapping[str, Colour]) -> None:
        self._snakes, self._typing = library().nets, library().typing
        self._petri = petri
        self._colours_by_place = colours
        self._interned: dict[str, Colour] = {}
        self._names: set[str] = set()
        self._transitions = list(petri.transition())
        self._cycles = {
            keys
            for transition in self._transitions
            for text in self._texts(transition)
            for keys in literal_tables(text)
        }
        self._constants = {
            name: DOT if self._black(value) else value
            # The dictionary behind them: the globals list no names, and to call them evaluates.
            for name, value in petri.globals._env.items()
            if type(name) is str and (self._black(value) or is_plain(value))
        }
        self._colours: dict[str, Colour] = {}

    def net(self) -> Net:
        """Return the net."""
        build = NetBuilder(str(self._petri.name))
        places = list(self._petri.place())
        names = {place.name for place in places}
        unknown = [name for name in self._colours_by_place if name not in names]
        if unknown:
            raise InvalidArgument("colours", unknown[0], "names of places")
        for place in places:
            # Exact classes: what a subclass does differently would be lost in silence.
            if type(place) is not self._snakes.Place:
                kind = type(place).__name__
                raise NetError(f"place {place.name}: is a {kind}, not a plain Place")
            colour = self._colours_by_place.get(place.name) or self._colour(place)
            self._colours[place.name] = colour
            tokens = (
                (times, self._constant(f"place {place.name}: token", token, colour))
                # Through `dict`: SNAKES lists a token as often as it is there.
                for token, times in dict.items(place.tokens)
            )
            build.place(place.name, colour, _sum(tokens, colour))
        for transition in self._transitions:
            self._add(build, transition)
        return build.net()

    def _add(self, build: NetBuilder, transition: Any) -> None:
        name = transition.name
        context = f"transition {name}"
        if type(transition) is not self._snakes.Transition:
            raise NetError(f"{context}: is a {type(transition).__name__}, not a plain Transition")
        inputs = transition.input()
        if not inputs:
            raise NetError(f"{context}: has no inputs, and SNAKES never fires such a transition")
        variables: dict[str, terms.Variable] = {}
        takes: _Bags = {}
        reads: _Bags = {}
        inhibits: _Bags = {}
        puts: _Bags = {}
        for place, label in inputs:
            arc = f"{context}, place {place.name}"
            colour = self._colours[place.name]
            tested = type(label) is self._snakes.Test
            inner = label._annotation if tested else label
            parts = self._parts(inner)
            bars = [part for part in parts if type(part) is self._snakes.Inhibitor]
            inscribed = [
                self._match(arc, part, colour, variables)
                for part in parts
                if type(part) is not self._snakes.Inhibitor
            ]
            if inscribed:
                bag = _sum(((1, term) for term in inscribed), colour)
                (reads if tested else takes)[place.name] = bag
            if bars:
                barred = [terms.Bag((self._bar(arc, bar, colour),)) for bar in bars]
                inhibits[place.name] = inhibitor_of(barred, colour)
        # After all inputs: an expression may name any variable that some arc binds.
        reader = Expressions(context, variables, self._constants)
        conditions = [] if transition.guard._true else [reader.condition(_text(transition.guard))]
        for place, label in transition.output():
            arc = f"{context}, place {place.name}"
            inscribed = []
            for part in self._parts(label):
                if type(part) is self._snakes.Test:
                    continue  # nothing flows
                term, required = self._output_term(arc, part, self._colours[place.name], reader)
                inscribed.append(term)
                conditions += required
            colour = self._colours[place.name]
            puts[place.name] = _sum(((1, term) for term in inscribed), colour)
        guard = conditions[0] if len(conditions) == 1 else terms.AllOf(tuple(conditions))
        build.transition(name, takes=takes, puts=puts, reads=reads, inhibits=inhibits, guard=guard)

    def _parts(self, label: Any) -> list[Any]:
        """Return the annotations that stand side by side on an arc."""
        if type(label) is self._snakes.MultiArc:
            return [part for component in label._components for part in self._parts(component)]
        return [label]

    def _match(
        self, arc: str, label: Any, colour: Colour, variables: dict[str, terms.Variable]
    ) -> terms.Term:
        """Return what an input arc matches; adds its variables."""
        snakes = self._snakes
        if type(label) is snakes.Value:
            return self._constant(f"{arc}: value", label.value, colour)
        if type(label) is snakes.Variable:
            variable = variables.setdefault(label.name, terms.Variable(label.name, colour))
            if not same_colour(variable.of, colour):
                raise NetError(
                    f"{arc}: variable {label.name} is of {variable.of.name} elsewhere and of "
                    f"{colour.name} here; give colours={{place: colour}} where a type says too "
                    "little"
                )
            return variable
        if type(label) is snakes.Tuple:
            pairs = self._product(arc, colour, label._components)
            parts = (self._match(arc, part, its, variables) for part, its in pairs)
            return terms.TupleOf(tuple(parts))
        raise self._unread(arc, label)

    def _bar(self, arc: str, label: Any, colour: Colour) -> tuple[int, terms.Term]:
        """Return of what there must be fewer, with how many."""
        snakes = self._snakes
        parts = self._parts(label._annotation)
        if label._condition._true:
            if all(type(part) is snakes.Value for part in parts):
                tokens = {self._constant(f"{arc}: value", part.value, colour) for part in parts}
                if len(tokens) == 1:
                    return len(parts), tokens.pop()
            if [type(part) for part in parts] == [snakes.Variable] and colour.size is not None:
                return 1, terms.everything(colour)
        raise NetError(
            f"{arc}: this Inhibitor is not read; read are those of one value, of the same value "
            "several times, and of a variable where the place has a finite type"
        )

    def _output_term(
        self, arc: str, label: Any, colour: Colour, reader: Expressions
    ) -> tuple[terms.Term, tuple[terms.Condition, ...]]:
        """Return what an output arc puts, and what must hold for it to be of the colour."""
        snakes = self._snakes
        if type(label) is snakes.Value:
            return self._constant(f"{arc}: value", label.value, colour), ()
        if type(label) is snakes.Variable:
            return reader.token(label.name, colour)
        if type(label) is snakes.Expression:
            return reader.token(_text(label), colour)
        if type(label) is snakes.Tuple:
            pairs = self._product(arc, colour, label._components)
            entries = [self._output_term(arc, part, its, reader) for part, its in pairs]
            demanded = sum((conditions for _, conditions in entries), ())
            return terms.TupleOf(tuple(term for term, _ in entries)), demanded
        raise self._unread(arc, label)

    def _unread(self, arc: str, label: Any) -> NetError:
        tested = type(label) is self._snakes.Test
        kind = "Test beside other annotations" if tested else _kind(label)
        return NetError(
            f"{arc}: {kind} is not read; read are Value, Variable, Tuple, Test and Inhibitor"
        )

    def _product(
        self, arc: str, colour: Colour, labels: Sequence[Any]
    ) -> Iterator[tuple[Any, Colour]]:
        """Run through the parts of a tuple, each with its colour."""
        if isinstance(colour, Product) and len(colour.parts) == len(labels):
            return zip(labels, colour.parts, strict=True)
        raise NetError(
            f"{arc}: a tuple of {len(labels)}, but the place is of {colour.name}; give it a "
            "type of SNAKES, CrossProduct, or colours={place: Product(…)}"
        )

    def _constant(self, label: str, value: Any, colour: Colour) -> terms.Constant:
        token = self._plain(value)
        if not is_plain(token):
            raise NetError(f"{label} {_kind(value)} is no plain data")
        if token not in colour:
            raise NetError(f"{label} {show(token)} is not of colour {colour.name}")
        return terms.Constant(token, colour)

    def _plain(self, value: Any) -> Any:
        """Return a value with black tokens as ours."""
        if type(value) is tuple:
            return tuple(map(self._plain, value))
        return DOT if self._black(value) else value

    def _black(self, value: Any) -> bool:
        return type(value) is self._snakes.BlackToken

    def _colour(self, place: Any) -> Colour:
        kind = place.checker()
        if kind is self._typing.tAll:
            return self._intern(Dot, "dot") if self._dots_only(place) else ANY
        return self._colour_of_type(place.name, place.name, kind)

    def _colour_of_type(self, place: str, name: str, kind: Any) -> Colour:
        """Return the colour with the tokens of a type."""
        typing = self._typing
        if kind is typing.tAll:
            return ANY
        if type(kind) is typing.Instance:
            if kind._class is self._snakes.BlackToken:
                return self._intern(Dot, "dot")
            for of, colour in INSTANCES.items():
                if kind._class is of:
                    return colour
        if type(kind) is typing.OneOf:
            members = tuple(map(self._plain, kind._values))
            if members and all(map(is_plain, members)):
                members = tuple(dict.fromkeys(members))
                cyclic = members in self._cycles
                return self._intern(lambda its: Enumeration(its, members, cyclic), name)
        if type(kind) is typing.Range and kind._step == 1:
            ends = (kind._first, kind._last)
            if all(type(end) is int for end in ends) and ends[0] < ends[1]:
                return self._intern(lambda its: Integers(its, ends[0], ends[1] - 1), name)
        if type(kind) is typing.CrossProduct:
            parts = tuple(
                self._colour_of_type(place, f"{name}.{number}", component)
                for number, component in enumerate(kind._types, start=1)
            )
            return self._intern(lambda its: Product(its, parts), name)
        raise NetError(
            f"place {place}: type {_kind(kind)} is not read; read are tBlackToken, OneOf, Range "
            "with step 1, CrossProduct, tInteger, tString and tAll, or give colours={place: colour}"
        )

    def _intern(self, make: Callable[[str], Colour], name: str) -> Colour:
        """Return the colour with these tokens, under the first name it has."""
        plain = make("")
        # By the text, not by equality, for which 1 and True would be one token.
        key = f"{type(plain).__name__} {plain!r}"
        if key not in self._interned:
            while name in self._names:
                name += "'"
            self._names.add(name)
            self._interned[key] = make(name)
        return self._interned[key]

    def _dots_only(self, place: Any) -> bool:
        """Say whether a place without a type has nothing to do with any but black tokens."""
        labels = [
            part
            for transition in self._transitions
            for node, label in (*transition.input(), *transition.output())
            if node is place
            for part in self._within(label)
        ]
        # A place that is empty and on no arc says nothing of what its tokens would be.
        return bool(labels or len(place.tokens)) and all(
            map(self._black, (*map(self._only_value, labels), *dict.keys(place.tokens)))
        )

    def _within(self, label: Any) -> Iterator[Any]:
        """Run through the annotations on an arc, those that are tested or barred included."""
        for part in self._parts(label):
            if type(part) in (self._snakes.Test, self._snakes.Inhibitor):
                yield from self._within(part._annotation)
            else:
                yield part

    def _only_value(self, label: Any) -> Any:
        """Return the value of an annotation that has only one, or None."""
        if type(label) is self._snakes.Expression:
            return self._petri.globals._env.get(_text(label))
        return label.value if type(label) is self._snakes.Value else None

    def _texts(self, transition: Any) -> Iterator[str]:
        """Run through the expressions of a transition."""
        labels = [transition.guard, *(label for _, label in transition.output())]
        while labels:
            label = labels.pop()
            if type(label) is self._snakes.Expression:
                yield _text(label)
            elif type(label) in (self._snakes.MultiArc, self._snakes.Tuple):
                labels.extend(label._components)


def _sum(inscribed: Iterable[tuple[int, terms.Term]], colour: Colour) -> terms.Bag:
    """Return the sum of terms of a colour, as often as they are named.

    SNAKES has no word for all tokens of a colour and names each: where each is there, the bag has
    ``everything``, also as a part of a tuple, so that a net comes back as it was written.
    """
    counts: Counter[terms.Term] = Counter()
    for times, term in inscribed:
        counts[term] += times
    return terms.Bag(tuple((times, term) for term, times in _gather(counts, colour).items()))


def _gather(counts: Counter[terms.Term], colour: Colour) -> Counter[terms.Term]:
    """Return terms with ``everything`` in place of constants that are all tokens of a colour."""
    # Of a colour of one token, such as dots, that token is its own name.
    if (colour.size or 0) > 1 and len(counts) >= (colour.size or 0):
        tokens = [terms.Constant(token, colour) for token in colour.values or ()]
        if least := min(counts[token] for token in tokens):
            counts -= Counter(dict.fromkeys(tokens, least))
            counts[terms.everything(colour)] += least
    if not isinstance(colour, Product):
        return counts
    for place, part in enumerate(colour.parts):
        beside: dict[tuple[terms.Term, ...], Counter[terms.Term]] = {}
        for term in [term for term in counts if isinstance(term, terms.TupleOf)]:
            rest = (*term.parts[:place], *term.parts[place + 1 :])
            beside.setdefault(rest, Counter())[term.parts[place]] += counts.pop(term)
        for rest, parts in beside.items():
            for mine, times in _gather(parts, part).items():
                counts[terms.TupleOf((*rest[:place], mine, *rest[place:]))] += times
    return counts


def _text(expression: Any) -> str:
    return str(expression._str)


def _kind(value: Any) -> str:
    """Return what is said of an object that is not looked into."""
    return f"of class {type(value).__name__}"
