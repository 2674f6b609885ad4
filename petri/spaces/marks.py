"""Marks: what stands in the place of an item that a net has finished with.

A mark lets itself be passed on and nothing else. While a function of a net runs, whatever is done
to a mark besides raises :class:`Looked`; a function that could look at it without its noticing,
with ``is`` say, is never handed one (:mod:`kproof.petri.spaces.noticing`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from functools import lru_cache
from typing import Any, NoReturn

from kproof.petri.net.colours import Open, Product
from kproof.petri.net.net import Choice, Transition
from kproof.petri.net.terms import Bag, Call, Constant, Function, Syntax, TupleOf, Variable
from kproof.petri.spaces.noticing import is_ours, types_beside_marks

RESULTS = frozenset({list, dict, range})
"""What a function that saw a mark may return beside what it may be handed."""


class Looked(BaseException):
    """Something looked at a forgotten item.

    No :class:`Exception`, so that no function of a net can take it for an answer.
    """

    def __init__(self, position: int) -> None:
        self.position = position
        super().__init__(position)


class _Watch:
    """Whether a function of a net is running: then nothing may be learnt from a mark."""

    on = False


_WATCH = _Watch()


class Forgotten:
    """What stands in the place of a forgotten item: it can be passed on, and nothing else."""

    __slots__ = ("_position",)

    def __init__(self, position: int) -> None:
        object.__setattr__(self, "_position", position)

    # The explorers look tokens up, and reports show them; a function of the net may do neither.
    def __hash__(self) -> int:
        if _WATCH.on:
            _refuse_look(self)
        return object.__hash__(self)

    def __str__(self) -> str:
        if _WATCH.on:
            _refuse_look(self)
        return "·"

    __repr__ = __str__

    def __getattribute__(self, name: str) -> NoReturn:
        _refuse_look(self)


def _position(mark: Forgotten) -> int:
    position: int = object.__getattribute__(mark, "_position")
    return position


def _refuse_look(mark: Forgotten, *_: object) -> NoReturn:
    raise Looked(_position(mark))


_BINARY = "add sub mul matmul truediv floordiv mod divmod pow lshift rshift and or xor"
_OTHERS = (
    "eq ne lt le gt ge len length_hint iter next reversed contains getitem setitem delitem call "
    "bool int index float complex neg pos abs invert round trunc floor ceil format bytes fspath "
    "enter exit await aiter anext"
)
# What Python does to an object without asking for an attribute. Containers take an object for equal
# to itself before they ask, so that tuples which hold one can still be looked up.
for _name in (*_BINARY.split(), *(f"r{name}" for name in _BINARY.split()), *_OTHERS.split()):
    setattr(Forgotten, f"__{_name}__", _refuse_look)


def count_forgotten(row: tuple[Any, ...]) -> int:
    """Return how many items of a row are forgotten."""
    for position, item in enumerate(row):
        if type(item) is not Forgotten:
            return position
    return len(row)


class Watched:
    """Returns parts of a net with their functions watched while they run."""

    def __init__(self) -> None:
        self._calls: dict[tuple[int, bool], Callable[..., Any]] = {}
        # Keeps what is known by its identity alive.
        self._owners: list[object] = []

    def __call__(self, part: Any, *, passes: bool = False) -> Any:
        """Return a part; a call that is no argument returns marks only if it ``passes`` them on."""
        if isinstance(part, Open):
            return replace(part, holds=self._watch(part.holds, passes=True))
        if isinstance(part, Product):
            return replace(part, parts=tuple(map(self, part.parts)))
        if isinstance(part, (Constant, Variable)):
            return replace(part, of=self(part.of))
        if isinstance(part, Function):
            result = None if part.result is None else self(part.result)
            return replace(part, call=self._watch(part.call, passes=passes), result=result)
        if isinstance(part, tuple):
            return tuple(self(element, passes=passes) for element in part)
        if isinstance(part, Mapping):
            return {name: self(value) for name, value in part.items()}
        inner = isinstance(part, (Syntax, Bag, Choice, Transition))
        if not inner:
            return part
        within = {
            f.name: self(
                getattr(part, f.name),
                # What is handed to a function is looked at there.
                passes=f.name == "arguments" or (passes and isinstance(part, (Bag, TupleOf, Call))),
            )
            for f in fields(part)
        }
        return replace(part, **within)

    def _watch(self, call: Callable[..., Any], *, passes: bool) -> Callable[..., Any]:
        key = id(call), passes
        if key not in self._calls:
            self._owners.append(call)
            self._calls[key] = _watch_call(call, passes=passes)
        return self._calls[key]


def _watch_call(call: Callable[..., Any], *, passes: bool) -> Callable[..., Any]:
    """Return a function that is watched while it runs; it returns no mark unless it ``passes``."""
    ours = is_ours(call)
    types = frozenset() if ours else types_beside_marks(call)

    def watch(*arguments: Any) -> Any:
        seen = None if ours else first_mark(arguments)
        if seen is not None:
            arguments = _plain(arguments, types, seen)
        before, _WATCH.on = _WATCH.on, True
        try:
            result = call(*arguments)
            # What is worked out later would be worked out unwatched.
            result = tuple(result) if isinstance(result, Iterator) else result
        except Exception:
            if seen is None:
                raise
            # Perhaps no error but for the mark.
            raise Looked(seen) from None
        finally:
            _WATCH.on = before
        if seen is not None:
            _plain(result, types | RESULTS, seen)
        if not passes and (returned := first_mark(result)) is not None:
            raise Looked(returned)
        return result

    return watch


def first_mark(value: Any) -> int | None:
    """Return the least position of a mark in something, None if there is none."""
    if type(value) is Forgotten:
        return _position(value)
    if isinstance(value, dict):
        value = (*value, *value.values())
    if not isinstance(value, (tuple, list)):
        return None
    positions = (first_mark(element) for element in value)
    return min((at for at in positions if at is not None), default=None)


def _plain(value: Any, types: frozenset[type], seen: int) -> Any:
    """Return what a function may be handed beside a mark: tuples that keep no hash.

    A hash that is kept would be that of the marks; anything but some types is a look.
    """
    if type(value) is Forgotten:
        return value
    if type(value) not in types:
        raise Looked(seen)
    if type(value) is dict:
        value = (*value, *value.values())
    if isinstance(value, (tuple, list)):
        return tuple(_plain(element, types, seen) for element in value)
    return value


@lru_cache
def mark_of(position: int) -> Forgotten:
    """Return the one mark of a position, which containers know by its identity."""
    return Forgotten(position)
