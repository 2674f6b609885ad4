"""Colour sets: what the tokens of a place may be.

A colour set is finite, and then knows its tokens in a fixed order, or open. Everything that needs
an order of tokens (markings, reports, packed states) takes it from here.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product as cartesian
from typing import Any, ClassVar

from kproof.errors import InvalidArgument, NetError, show

Token = Hashable

LISTED = 2**16
"""Tokens up to which a finite set is listed once and for all."""
DOT = "•"
"""The only token of :class:`Dot`."""


class Named(int):
    """A number that is shown as what it stands for."""

    single: ClassVar[bool] = False
    """Whether there is one of what it stands for. A tuple of such numbers is a collection, and so
    is one of pairs of a number that is not single and a count."""


@dataclass(frozen=True)
class Colour:
    """A set of tokens."""

    name: str
    """Unique in a net."""

    @property
    def values(self) -> tuple[Token, ...] | None:
        """Every token in order, or None if the set is open."""
        return None

    def each(self) -> Iterator[Token]:
        """Run through the tokens of a finite set in order, without listing them all at once."""
        yield from self.values or ()

    @property
    def size(self) -> int | None:
        """Number of tokens, or None if the set is open."""
        return None if self.values is None else len(self.values)

    @cached_property
    def ranks(self) -> dict[Token, int]:
        """Position of each token of a finite set; empty for an open one."""
        return {token: rank for rank, token in enumerate(self.values or ())}

    def __contains__(self, token: object) -> bool:
        try:
            return token in self.ranks
        except TypeError:
            return False

    def require(self, token: object, where: str) -> None:
        """Raise NetError, which begins with ``where``, unless a token is of the set."""
        if token not in self:
            raise NetError(f"{where}: token {show(token)} is not of colour {self.name}")

    def rank(self, token: Token) -> Any:
        """Return the sort key of a token: its position, or the token itself in an open set."""
        if self.size is None:
            return token
        try:
            return self.ranks[token]
        except KeyError:
            raise NetError(f"colour {self.name} has no token {show(token)}") from None


@dataclass(frozen=True)
class Dot(Colour):
    """The colour set of a plain token, of which places of place/transition nets are."""

    name: str = "dot"

    @property
    def values(self) -> tuple[Token, ...]:
        """The one token."""
        return (DOT,)


@dataclass(frozen=True)
class Enumeration(Colour):
    """Named values, in order."""

    members: tuple[Token, ...]
    """The values; at least one, all distinct."""
    cyclic: bool = False
    """Whether the last value is followed by the first; only then are there successors."""

    def __post_init__(self) -> None:
        if not self.members or len(set(self.members)) < len(self.members):
            raise InvalidArgument(self.name, self.members, "one value or more, all distinct")

    @property
    def values(self) -> tuple[Token, ...]:
        """The members."""
        return self.members


@dataclass(frozen=True)
class Integers(Colour):
    """The whole numbers from ``low`` to ``high``, both included."""

    low: int
    high: int

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise InvalidArgument(self.name, f"{self.low}..{self.high}", "low <= high")

    @cached_property
    def values(self) -> tuple[Token, ...]:
        """The numbers in ascending order."""
        return tuple(range(self.low, self.high + 1))

    def each(self) -> Iterator[Token]:
        """Run through the numbers."""
        yield from range(self.low, self.high + 1)

    @property
    def size(self) -> int:
        """How many numbers; known without listing them."""
        return self.high - self.low + 1

    def __contains__(self, token: object) -> bool:
        """Say whether a token is one of the numbers."""
        if self.size > LISTED:
            return isinstance(token, int) and self.low <= token <= self.high
        return super().__contains__(token)

    def rank(self, token: Token) -> Any:
        """Return how far above the lowest a number is."""
        if self.size <= LISTED:
            return super().rank(token)
        if not isinstance(token, int) or token not in self:
            raise NetError(f"colour {self.name} has no token {show(token)}")
        return token - self.low


@dataclass(frozen=True)
class Product(Colour):
    """Tuples with one token of each part; finite if every part is."""

    parts: tuple[Colour, ...]

    @cached_property
    def values(self) -> tuple[Token, ...] | None:
        """The tuples, the last part running fastest."""
        sets = [part.values for part in self.parts]
        # No finite set is empty, so that `if values` leaves none out; it says that none of them is
        # None.
        return None if None in sets else tuple(cartesian(*(values for values in sets if values)))

    def each(self) -> Iterator[Token]:
        """Run through the tuples."""
        yield from combinations(self.parts)

    @property
    def size(self) -> int | None:
        """Product of the sizes of the parts; known without listing the tuples."""
        total = 1
        for part in self.parts:
            if part.size is None:
                return None
            total *= part.size
        return total

    def __contains__(self, token: object) -> bool:
        """Say whether a token is a tuple of tokens of the parts."""
        if not isinstance(token, tuple) or len(token) != len(self.parts):
            return False
        # A loop: each firing asks, and a generator takes longer than what it asks.
        for value, part in zip(token, self.parts, strict=True):  # noqa: SIM110
            if value not in part:
                return False
        return True

    def rank(self, token: Token) -> Any:
        """Return the ranks of the parts of a tuple."""
        if not isinstance(token, tuple):
            raise NetError(f"colour {self.name}: {show(token)} is not a tuple")
        # The value of a function that is compared need not have as many parts as its colour.
        if len(token) != len(self.parts):
            raise NetError(f"colour {self.name} has no token {show(token)}")
        return tuple(part.rank(value) for value, part in zip(token, self.parts, strict=True))


@dataclass(frozen=True)
class Open(Colour):
    """Any hashable values a predicate admits, all of which can be compared with one another."""

    holds: Callable[[object], bool] = field(compare=False, repr=False)
    """Says whether a value belongs to the set."""

    def __contains__(self, token: object) -> bool:
        """Say whether the predicate admits a value that can be hashed; NetError if it raises."""
        try:
            # Before the predicate: what has no hash cannot be looked up in a place.
            hash(token)
        except TypeError:
            return False
        try:
            return bool(self.holds(token))
        except Exception as error:
            raise NetError(
                f"colour {self.name}: on {show(token)} the predicate raised "
                f"{type(error).__name__}: {show(str(error))}"
            ) from error


def combinations(parts: tuple[Colour, ...]) -> Iterator[tuple[Token, ...]]:
    """Run through the tuples with a token of each part, the last part running fastest."""
    # No `itertools.product`, which lists each set whole before it gives the first tuple.
    if not parts:
        yield ()
        return
    for token in parts[0].each():
        for tail in combinations(parts[1:]):
            yield (token, *tail)


def same_colour(first: Colour, second: Colour) -> bool:
    """Say whether two colours have the same tokens in the same order.

    Dots, ranges of integers and products are what they are made of and may be named differently,
    as in PNML; enumerations and open sets are known by their names as well.

    >>> same_colour(Integers("Seat", 0, 3), Integers("Chair", 0, 3))
    True
    >>> same_colour(enumeration("Seat", "ab"), enumeration("Chair", "ab"))
    False
    """
    match first, second:
        case Product(), Product():
            return len(first.parts) == len(second.parts) and all(
                same_colour(part, its) for part, its in zip(first.parts, second.parts, strict=True)
            )
        case Integers(), Integers():
            return (first.low, first.high) == (second.low, second.high)
        case Dot(), Dot():
            return True
    return first == second


def mismatch(first: Colour, second: Colour) -> str:
    """Return what is wrong with comparing tokens of two colours that are not the same.

    The builder of nets and the reader of PNML refuse such a comparison in these words.

    >>> mismatch(Integers("Low", 0, 3), Integers("High", 2, 9))
    'compares Low with High'
    >>> mismatch(Integers("Low", 0, 3), Integers("Low", 0, 4))
    'compares two different colours called Low'
    """
    if first.name == second.name:
        return f"compares two different colours called {show(first.name)}"
    return f"compares {show(first.name)} with {show(second.name)}"


def enumeration(name: str, members: Iterable[Token], *, cyclic: bool = False) -> Enumeration:
    """Return an enumeration of values in their order.

    >>> enumeration("Fork", ["f1", "f2"], cyclic=True).values
    ('f1', 'f2')
    >>> enumeration("Fork", ["f1", "f1"])
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: Fork = ('f1', 'f1'): need one value or more, all distinct
    """
    return Enumeration(name, tuple(members), cyclic)


class Hashed(tuple[Any, ...]):
    """A tuple that works its hash out once; it equals the plain tuple and has the same hash.

    The hash of a plain tuple is worked out at every look-up, from all that is in it.

    >>> Hashed((1, 2)) == (1, 2), hash(Hashed((1, 2))) == hash((1, 2))
    (True, True)
    """

    _hash: int

    def __reduce__(self) -> tuple[Any, ...]:
        # Without the hash: texts have another one in another process.
        return Hashed, (tuple(self),)

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            self._hash = super().__hash__()
            return self._hash
