"""Terms: what stands on arcs and in guards.

A term is plain data: variables, constants, tuples, successors, and calls of named functions. It is
evaluated here, compiled elsewhere, and written as PNML or SMT by walking over it. A **bag** is the
inscription of an arc, a formal sum of terms such as ``2 * x + everything(Fork) - y``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product as cartesian
from typing import Any, TypeAlias

from kproof.errors import NetError, show
from kproof.petri.net.colours import Colour, Enumeration, Product, Token, mismatch, same_colour
from kproof.petri.net.signs import SIGNS, Compares, signed_sum

Binding: TypeAlias = Mapping[str, Token]
"""Value of each variable by name."""


class Syntax:
    """What terms and conditions have in common: plain data, with others of them as its fields."""

    def variables(self) -> Iterator[Variable]:
        """Run through its variables, repeated as they occur."""
        # A call's function is no Syntax: the parameters in its body are bound by it, and not
        # variables here.
        for field_ in vars(self).values():
            for part in field_ if isinstance(field_, tuple) else (field_,):
                if isinstance(part, Syntax):
                    yield from part.variables()


class Condition(Syntax):
    """Something that holds or does not once its variables have values; a guard is one."""

    def holds(self, binding: Binding) -> bool:
        """Say whether it holds."""
        raise NetError("this condition cannot be decided")

    def __and__(self, other: Condition) -> Condition:
        return AllOf((self, other))

    def __or__(self, other: Condition) -> Condition:
        return AnyOf((self, other))

    def __invert__(self) -> Condition:
        return Negation(self)


class Term(Syntax, Compares["TermComparison"]):
    """Something that has a token as its value once its variables have one."""

    @property
    def colour(self) -> Colour:
        """The set its values belong to."""
        raise NetError("a term has no colour of its own")

    def value(self, binding: Binding) -> Token:
        """Return its value; NetError, which names the element, if there is none."""
        raise NetError(MULTISET)

    def tokens(self, binding: Binding) -> Counter[Token]:
        """Return its value as a multiset: of one token, for all but :class:`Everything`."""
        value = self.value(binding)
        try:
            # Only calls can fail: whatever a constant or a variable is has been looked up before.
            return Counter((value,))
        except TypeError as error:
            raise NetError(f"{self}: {show(value)} cannot be hashed, so it is no token") from error

    def __add__(self, other: Term | Bag) -> Bag:
        return Bag.of(self) + other

    def __sub__(self, other: Term | Bag) -> Bag:
        return Bag.of(self) - other

    def __rmul__(self, count: int) -> Bag:
        return count * Bag.of(self)

    def compare(self, sign: str, other: Any) -> TermComparison:
        """Return a comparison with a term, or with a bare value; order is that of the colour."""
        return TermComparison(sign, self, lift(other, self))


class _OfColour(Term):
    """A term that names its colour set."""

    of: Colour

    @property
    def colour(self) -> Colour:
        """The set it is of."""
        return self.of


@dataclass(frozen=True)
class Variable(_OfColour):
    """A name that a binding gives a token of a colour set."""

    name: str
    of: Colour

    def variables(self) -> Iterator[Variable]:
        """Run through itself."""
        yield self

    def value(self, binding: Binding) -> Token:
        """Return what it is bound to."""
        if self.name not in binding:
            raise NetError(f"variable {self.name} has no value")
        return binding[self.name]

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Constant(_OfColour):
    """A token of a colour set."""

    token: Token
    of: Colour

    def __post_init__(self) -> None:
        if self.token not in self.of:
            raise NetError(f"colour {self.of.name} has no token {show(self.token)}")

    def value(self, binding: Binding) -> Token:
        """Return the token."""
        return self.token

    def __str__(self) -> str:
        return str(self.token)


@dataclass(frozen=True)
class TupleOf(Term):
    """A tuple of terms; a part may be :class:`Everything`, and then it is a multiset of tuples."""

    parts: tuple[Term, ...]

    @property
    def colour(self) -> Colour:
        """The product of the colours of its parts."""
        colours = tuple(part.colour for part in self.parts)
        return Product(" × ".join(colour.name for colour in colours), colours)

    def value(self, binding: Binding) -> Token:
        """Return the tuple of values."""
        return tuple(part.value(binding) for part in self.parts)

    def tokens(self, binding: Binding) -> Counter[Token]:
        """Return the tuples: each combination of the tokens of the parts."""
        # Tuples of what was counted: each part has had its hash taken, so that none can lack one
        # here.
        return Counter(cartesian(*(part.tokens(binding).elements() for part in self.parts)))

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.parts))})"


@dataclass(frozen=True)
class Shift(Term):
    """The value so many places further on in a cyclic enumeration; 1 is the successor."""

    term: Term
    by: int

    def __post_init__(self) -> None:
        _require_single(self.term, self)
        colour = self.term.colour
        if not (isinstance(colour, Enumeration) and colour.cyclic):
            raise NetError(f"colour {colour.name} is not cyclic: it has no successors")

    @property
    def colour(self) -> Colour:
        """The same as that of the term."""
        return self.term.colour

    def value(self, binding: Binding) -> Token:
        """Return the shifted value."""
        value, colour = self.term.value(binding), self.term.colour
        # A function may give anything, and a rank that is not there would be a bare KeyError.
        colour.require(value, str(self))
        assert colour.values is not None
        # Python's remainder is never negative: `by` may be, and may go round more than once.
        return colour.values[(colour.ranks[value] + self.by) % len(colour.values)]

    def __str__(self) -> str:
        return f"{self.term}{self.by:+d}"


@dataclass(frozen=True)
class Function:
    """A named function over token values: a Python function, or data.

    :func:`kproof.petri.net.definitions.defined` makes those that are data, and nets that are read
    from files have no others.
    """

    name: str
    """Unique in a net; what PNML and error messages call it."""
    # Not compared: a closure equals only itself, and nets that are built twice are equal.
    call: Callable[..., Any] = field(compare=False, repr=False)
    """Pure: the same arguments give the same value."""
    result: Colour | None = None
    """Colour of its value; None for a condition or for the values a variable is chosen from."""
    note: str = ""
    """What it computes, for documents."""
    parameters: tuple[Variable, ...] = ()
    body: Term | Condition | None = None
    """What it computes as a term, or condition, over its parameters; None for a Python function."""

    def __call__(self, *arguments: Term) -> Call:
        """Return the term that calls the function."""
        return Call(self, arguments)

    def of(self, values: tuple[Token, ...]) -> Any:
        """Return the value for these arguments; an error is raised as NetError and names them."""
        return self.apply(*values)

    @cached_property
    def apply(self) -> Callable[..., Any]:
        """The function of its arguments one by one, for whoever calls it often."""
        call = self.call

        def apply(*values: Token) -> Any:
            try:
                # `Exception` below: the alarm of a mark is none, and passes through.
                return call(*values)
            except Exception as error:
                inputs = ", ".join(show(value, limit=40) for value in values)
                raise NetError(
                    f"function {self.name}({inputs}) raised {type(error).__name__}: "
                    f"{show(str(error))}"
                ) from error

        return apply


@dataclass(frozen=True)
class Call(Term, Condition):
    """The value of a function of terms; as a condition, whether that value is true."""

    function: Function
    arguments: tuple[Term, ...]

    def __post_init__(self) -> None:
        for argument in self.arguments:
            _require_single(argument, self)
        # What a Python function takes, only it knows; a wrong number of arguments fails when it is
        # called.
        if self.function.body is None:
            return
        parameters = self.function.parameters
        if len(parameters) != len(self.arguments):
            raise NetError(f"{self}: {self.function.name} takes {len(parameters)} arguments")
        for parameter, argument in zip(parameters, self.arguments, strict=True):
            if not same_colour(parameter.of, argument.colour):
                raise NetError(f"{self}: {mismatch(parameter.of, argument.colour)}")

    @property
    def colour(self) -> Colour:
        """The colour of the function's values."""
        if self.function.result is None:
            raise NetError(f"function {self.function.name} gives no token")
        return self.function.result

    def value(self, binding: Binding) -> Any:
        """Return the function's value."""
        return self.function.of(tuple(argument.value(binding) for argument in self.arguments))

    def holds(self, binding: Binding) -> bool:
        """Return the function's value as a truth value."""
        value = self.value(binding)
        try:
            return bool(value)
        except Exception as error:
            raise NetError(f"{self}: {show(value)} is neither true nor false") from error

    def __str__(self) -> str:
        return f"{self.function.name}({', '.join(map(str, self.arguments))})"


@dataclass(frozen=True)
class Everything(_OfColour):
    """One of each token of a finite colour set (``all`` in PNML, ``C.all()`` in CPN ML)."""

    of: Colour

    def __post_init__(self) -> None:
        if self.of.size is None:
            raise NetError(f"colour {self.of.name} is open: it cannot be listed")

    def tokens(self, binding: Binding) -> Counter[Token]:
        """Return one of each."""
        return Counter(self.of.values)

    def __str__(self) -> str:
        return f"all({self.of.name})"


@dataclass(frozen=True)
class Bag:
    """A formal sum of terms with whole coefficients."""

    entries: tuple[tuple[int, Term], ...] = ()
    """Pairs of coefficient and term. Coefficients may be negative (``all - x``); the value must
    not be."""

    @classmethod
    def of(cls, inscription: Term | Bag) -> Bag:
        """Return a term as the bag of one copy of it; a bag as it is."""
        return inscription if isinstance(inscription, Bag) else cls(((1, inscription),))

    def __add__(self, other: Term | Bag) -> Bag:
        return Bag((*self.entries, *Bag.of(other).entries))

    def __sub__(self, other: Term | Bag) -> Bag:
        return self + (-1) * Bag.of(other)

    def __rmul__(self, count: int) -> Bag:
        return Bag(tuple((count * times, term) for times, term in self.entries))

    def variables(self) -> Iterator[Variable]:
        """Run through the variables of its terms."""
        for _, term in self.entries:
            yield from term.variables()

    def tokens(self, binding: Binding) -> Counter[Token]:
        """Return the multiset it stands for, without zero counts; NetError if one is negative."""
        # By hand: the sum of two Counters drops what is negative, which is the very thing to be
        # refused.
        total: Counter[Token] = Counter()
        for times, term in self.entries:
            for token, count in term.tokens(binding).items():
                total[token] += times * count
        # Only the whole sum is looked at: in y - x + x a part is negative on the way.
        for token, count in total.items():
            if count < 0:
                raise NetError(f"inscription {self}: {count} of token {show(token)}")
        return Counter({token: count for token, count in total.items() if count})

    def __str__(self) -> str:
        return signed_sum(((times, str(term)) for times, term in self.entries), "·") or "∅"


@dataclass(frozen=True)
class TermComparison(Condition):
    """A comparison of two terms of one colour, in whose order they are; NetError for others.

    >>> from kproof.petri.net.colours import Integers
    >>> low, high = Integers("Low", 0, 3), Integers("High", 2, 9)
    >>> print(Variable("i", low) < Variable("k", low))
    i < k
    >>> Variable("i", low) < Variable("j", high)
    Traceback (most recent call last):
        ...
    kproof.errors.NetError: i < j: compares Low with High
    """

    sign: str
    """``==``, ``!=``, ``<``, ``<=``, ``>`` or ``>=``."""
    left: Term
    right: Term
    """Terms of one colour: one token each."""

    def __post_init__(self) -> None:
        for side in (self.left, self.right):
            _require_single(side, self)
        left, right = self.left.colour, self.right.colour
        if not same_colour(left, right):
            raise NetError(f"{self}: {mismatch(left, right)}")

    def holds(self, binding: Binding) -> bool:
        """Say whether it holds."""
        left, right = self.left.value(binding), self.right.value(binding)
        # Tokens of an open colour may have no order; to be equal they need none.
        if self.sign in ("==", "!="):
            return (left == right) is (self.sign == "==")
        rank = self.left.colour.rank
        try:
            return bool(SIGNS[self.sign](rank(left), rank(right)))
        except TypeError as error:
            raise NetError(f"{self}: {show(left)} and {show(right)} have no order") from error

    def __str__(self) -> str:
        return f"{self.left} {self.sign} {self.right}"


@dataclass(frozen=True)
class Negation(Condition):
    """The opposite of a condition."""

    part: Condition

    def holds(self, binding: Binding) -> bool:
        """Say whether the condition does not hold."""
        return not self.part.holds(binding)

    def __str__(self) -> str:
        return f"not {_in_brackets(self.part, AllOf, AnyOf)}"


@dataclass(frozen=True)
class AllOf(Condition):
    """That every one of some conditions holds; of none: true."""

    parts: tuple[Condition, ...] = ()

    def holds(self, binding: Binding) -> bool:
        """Say whether all hold, asked in order until one does not."""
        return all(part.holds(binding) for part in self.parts)

    def __str__(self) -> str:
        return " and ".join(_in_brackets(part, AnyOf) for part in self.parts) or "true"


@dataclass(frozen=True)
class AnyOf(Condition):
    """That one of some conditions holds; of none: false."""

    parts: tuple[Condition, ...] = ()

    def holds(self, binding: Binding) -> bool:
        """Say whether one holds, asked in order until one does."""
        return any(part.holds(binding) for part in self.parts)

    def __str__(self) -> str:
        return " or ".join(_in_brackets(part, AllOf) for part in self.parts) or "false"


MULTISET = "a multiset stands where one value is needed"
"""What is wrong with ``all``, alone or in a tuple, where terms have to be one token."""
NOTHING = Bag()
"""The bag without tokens."""
TRUE = AllOf()
"""The guard of a transition that has none."""


def everything(colour: Colour) -> Everything:
    """Return one of each token of a finite colour set."""
    return Everything(colour)


def tuple_of(*parts: Any) -> TupleOf:
    """Return a tuple of terms."""
    return TupleOf(tuple(parts))


def single(term: Term) -> bool:
    """Say whether a term is one token, whatever functions there are in it."""
    if isinstance(term, TupleOf):
        return all(map(single, term.parts))
    return not isinstance(term, Everything)


def _in_brackets(part: Condition, *looser: type) -> str:
    """Return a part of a condition, in brackets if without them it would read otherwise."""
    # One of one part is written as that part, whose own kind decides; one of none is a word.
    while isinstance(part, AllOf | AnyOf) and len(part.parts) == 1:
        (part,) = part.parts
    many = isinstance(part, AllOf | AnyOf) and part.parts
    return f"({part})" if many and isinstance(part, looser) else str(part)


def _require_single(term: Term, within: Term | Condition) -> None:
    if not single(term):
        raise NetError(f"{within}: {MULTISET}")


def lift(value: Any, like: Term) -> Term:
    """Return a term as it is, and a bare value as a constant of the colour of another term."""
    return value if isinstance(value, Term) else Constant(value, like.colour)
