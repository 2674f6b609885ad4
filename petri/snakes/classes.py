"""What SNAKES needs classes and types for: transitions with choices, the tokens of colours."""

from __future__ import annotations

import operator
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache, reduce
from itertools import product as cartesian
from typing import Any

from kproof.errors import KProofError, NetError
from kproof.petri.net.colours import Colour, Dot, Enumeration, Integers, Open, Product
from kproof.petri.snakes.library import ANY, INSTANCES, library


@lru_cache(maxsize=1)
def choosing() -> Any:
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
            return [mode for mode in chosen if self._check(mode, False, False)]

    return Choosing


def type_of(colour: Colour) -> Any:
    """Return the type of SNAKES that has the tokens of a colour."""
    typing = library().typing
    match colour:
        case Dot():
            return library().nets.tBlackToken
        case Integers():
            return typing.Range(colour.low, colour.high + 1)
        case Enumeration():
            return typing.OneOf(*colour.members)
        case Product():
            return typing.CrossProduct(*map(type_of, colour.parts))
        case Open() if colour.holds is ANY.holds:
            return typing.tAll
        case Open():
            for kind, known in INSTANCES.items():
                if colour.holds is known.holds:
                    return typing.Instance(kind)
    return typing.TypeCheck(unlike_values(lambda token: token in colour))


def unlike_values(call: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function whose errors SNAKES does not take for "not enabled"."""

    def call_refusing(*values: Any) -> Any:
        try:
            return call(*values)
        except NetError as error:
            raise KProofError(str(error)) from error

    return call_refusing
