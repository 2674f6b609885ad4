"""Lists of what is registered, whose entries refer to their functions by name.

An entry of a list names functions without importing them, so that help texts cost no more than the
list. What is not in a list does not exist for a user.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Generic, Protocol, TypeVar

from kproof.errors import InvalidArgument, one_of


@dataclass(frozen=True)
class Home:
    """A function, a class or a value by name, imported when it is first used.

    >>> Home("fractions:Fraction")("1/2")
    Fraction(1, 2)
    """

    reference: str

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Call it."""
        return self.target(*arguments, **named)

    @property
    def target(self) -> Any:
        """What is referred to."""
        module, _, name = self.reference.partition(":")
        return getattr(import_module(module), name)


class _Named(Protocol):
    """What a list holds."""

    @property
    def name(self) -> str:
        """What a user types."""


_Entry = TypeVar("_Entry", bound=_Named)


class Registry(Mapping[str, _Entry], Generic[_Entry]):
    """Entries by name, in the order in which they were registered.

    ``what`` is what the argument is called that names one.

    >>> from kproof.models.methods import METHODS
    >>> METHODS["mondrian"].kind
    <Kind.TABLE: 'table'>
    >>> METHODS.entry("mondrain")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: method = mondrain: need one of mondrian, ...
    """

    def __init__(self, what: str, entries: Iterable[_Entry] = ()) -> None:
        self._what = what
        self._entries: dict[str, _Entry] = {}
        for entry in entries:
            self.register(entry)

    def __getitem__(self, name: str) -> _Entry:
        return self._entries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def register(self, entry: _Entry) -> _Entry:
        """Add an entry; its name must be new."""
        if entry.name in self._entries:
            raise InvalidArgument("name", entry.name, "a name that is not registered yet")
        self._entries[entry.name] = entry
        return entry

    def remove(self, name: str) -> None:
        """Take an entry out again."""
        del self._entries[name]

    def entry(self, name: str) -> _Entry:
        """Return an entry by the name that a user typed."""
        if not isinstance(name, str):
            # Such as the data, where arguments changed places.
            raise InvalidArgument(self._what, type(name).__name__, f"one of {', '.join(self)}")
        if name not in self._entries:
            raise InvalidArgument(self._what, name, one_of(name, self))
        return self._entries[name]
