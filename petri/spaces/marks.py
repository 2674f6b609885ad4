"""Marks: what stands in the place of an item that a net has finished with, and who may see one.

A mark lets itself be passed on and nothing else. While a function of a net runs, whatever is done
to a mark besides raises :class:`Looked`: it notices all that Python asks of it, operators,
comparisons, attributes, its hash, its truth. It cannot notice ``is``, ``type``, ``id``,
``callable`` or the patterns of ``match``; a handler can take its alarm for an answer; a table finds
a row by a hash that is kept; and a value of a class that somebody wrote does with the other operand
what it likes. So a function is read before it runs: its bytecode, that of the functions it calls,
and every value that it reaches by a name. Only what is listed here is let through, and whatever is
not known is refused. What is refused never sees a mark: items are kept for it as long as it would
see one.

The functions of the nets that come with kproof are not read: they are ours. Tests call each again
with something else for every mark, and compare what is published with and without marks.
"""

import dis
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from functools import lru_cache
from types import CodeType, FunctionType, MethodType
from typing import Any, NoReturn

from kproof.petri.net.colours import Hashed, Open, Product
from kproof.petri.net.net import Choice, Transition
from kproof.petri.net.terms import Bag, Call, Constant, Function, Syntax, TupleOf, Variable

OURS = "kproof.petri.papers."
"""Where the functions are that are not read."""
PLAIN: frozenset[type] = frozenset({int, bool, float, str, type(None), tuple, Hashed})
"""Types of what may stand beside a mark. None of their operators does anything with another operand
but ask it, or leave it the operation."""

# Each of these passes a mark on or asks it something. Names of Python 3.11 to 3.14: what another
# version has is unknown, so that less is forgotten there.
_PASSING_OR_ASKING = (
    "RESUME NOP CACHE EXTENDED_ARG PUSH_NULL PRECALL CALL CALL_KW KW_NAMES CALL_FUNCTION_EX "
    "POP_TOP COPY SWAP COPY_FREE_VARS MAKE_CELL MAKE_FUNCTION SET_FUNCTION_ATTRIBUTE RETURN_VALUE "
    "RETURN_CONST RETURN_GENERATOR YIELD_VALUE CALL_INTRINSIC_1 RERAISE END_FOR POP_ITER "
    "LOAD_CONST LOAD_SMALL_INT LOAD_FAST LOAD_FAST_CHECK LOAD_FAST_AND_CLEAR LOAD_FAST_BORROW "
    "LOAD_FAST_LOAD_FAST LOAD_FAST_BORROW_LOAD_FAST_BORROW STORE_FAST STORE_FAST_STORE_FAST "
    "STORE_FAST_LOAD_FAST DELETE_FAST LOAD_CLOSURE LOAD_DEREF STORE_DEREF LOAD_GLOBAL LOAD_ATTR "
    "LOAD_METHOD BINARY_OP BINARY_SUBSCR BINARY_SLICE STORE_SUBSCR BUILD_SLICE BUILD_TUPLE "
    "BUILD_LIST LIST_APPEND LIST_EXTEND LIST_TO_TUPLE UNPACK_SEQUENCE UNPACK_EX COMPARE_OP "
    "CONTAINS_OP TO_BOOL UNARY_NOT UNARY_NEGATIVE UNARY_POSITIVE UNARY_INVERT GET_ITER FOR_ITER "
    "JUMP_FORWARD JUMP_BACKWARD JUMP_BACKWARD_NO_INTERRUPT JUMP_IF_TRUE_OR_POP "
    "JUMP_IF_FALSE_OR_POP POP_JUMP_IF_TRUE POP_JUMP_IF_FALSE POP_JUMP_FORWARD_IF_TRUE "
    "POP_JUMP_FORWARD_IF_FALSE POP_JUMP_BACKWARD_IF_TRUE POP_JUMP_BACKWARD_IF_FALSE "
    "NOT_TAKEN"
)
_OPERATIONS = frozenset(_PASSING_OR_ASKING.split())
_ATTRIBUTES = frozenset({"append", "count", "get", "index", "items", "keys", "values"})
# Classes are here for isinstance, which asks a mark for its class. Every class derives from
# object, so that isinstance would not ask, and it is not here.
_BUILTINS = (
    abs, all, any, bool, dict, enumerate, filter, float, int, isinstance, len, list, map, max, min,
    range, reversed, sorted, str, sum, tuple, zip,
)  # fmt: skip


def is_ours(call: Any) -> bool:
    """Say whether a function, or the class of a bound method, is of a net that comes with kproof.

    >>> is_ours(lambda row: row)
    False
    """
    if isinstance(call, MethodType):
        home = sys.modules.get(type(call.__self__).__module__)
        return home is not None and home.__name__.startswith(OURS)
    return str(getattr(call, "__globals__", {}).get("__name__")).startswith(OURS)


def types_beside_marks(call: Any) -> frozenset[type]:
    """Return of which types a function's arguments may be if there is a mark among them.

    Empty if it may not be handed a mark at all.

    >>> str in types_beside_marks(lambda stage, row: (*row[:stage], row[stage] + 1))
    True
    >>> len(types_beside_marks(lambda stage, row: row[0] is None))
    0
    """
    reader = _Reader()
    try:
        if type(call) is not FunctionType or not reader.admits(call):
            return frozenset()
    # What is too deep to be read is not known, and what is not known sees no mark.
    except RecursionError:
        return frozenset()
    # All that a text on the left of % need ask is whether the other side could be a mapping.
    if not reader.remainders:
        return PLAIN
    return frozenset() if reader.texts else PLAIN - {str}


class _Reader:
    """Reads a function and all that it reaches by names."""

    def __init__(self) -> None:
        self.texts = False
        self.remainders = False
        self._begun: set[int] = set()

    def admits(self, value: Any) -> bool:
        """Say whether something is data, or a function that looks at marks with their notice."""
        kind = type(value)
        self.texts |= value is str or kind in (str, bytes)
        # Exact types: a subclass may have operators of its own.
        if kind in (list, tuple, Hashed, frozenset):
            return all(map(self.admits, value))
        if kind is dict:
            return all(map(self.admits, (*value, *value.values())))
        if kind is not FunctionType:
            # By identity, since `in` would ask `==` of a value that may be anybody's.
            return kind in PLAIN or any(value is builtin for builtin in _BUILTINS)
        if id(value) in self._begun:
            return True
        # Before it is read: functions that call each other would be read without end.
        self._begun.add(id(value))
        try:
            cells = [cell.cell_contents for cell in value.__closure__ or ()]
        except ValueError:
            return False  # a name without a value as yet
        defaults = (*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values())
        # Globals last: as in a call they hide the builtins of the same name.
        names = {**value.__builtins__, **value.__globals__}
        return all(map(self.admits, (*cells, *defaults))) and self._reads(value.__code__, names)

    def _reads(self, code: CodeType, names: Mapping[str, Any]) -> bool:
        """Say whether bytecode, with that within it, has nothing in it but what is let through."""
        for step in dis.get_instructions(code):
            name = step.argval
            if step.opname not in _OPERATIONS:
                return False
            if step.opname in ("LOAD_ATTR", "LOAD_METHOD") and name not in _ATTRIBUTES:
                return False
            if step.opname == "LOAD_GLOBAL" and not (name in names and self.admits(names[name])):
                return False
            self.remainders |= step.opname == "BINARY_OP" and "%" in step.argrepr
        return all(
            self._reads(part, names) if isinstance(part, CodeType) else self.admits(part)
            for part in code.co_consts
        )


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
        position = None if ours else first_mark(arguments)
        if position is not None:
            arguments = _plain(arguments, types, position)
        before, _WATCH.on = _WATCH.on, True
        try:
            result = call(*arguments)
            # What is worked out later would be worked out unwatched.
            result = tuple(result) if isinstance(result, Iterator) else result
        except Exception:
            if position is None:
                raise
            # Perhaps no error but for the mark.
            raise Looked(position) from None
        finally:
            _WATCH.on = before
        if position is not None:
            _plain(result, types | RESULTS, position)
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
    # Nor in sets: to come into one a mark would be asked for its hash, which is a look.
    if not isinstance(value, (tuple, list)):
        return None
    positions = (first_mark(element) for element in value)
    return min((at for at in positions if at is not None), default=None)


def _plain(value: Any, types: frozenset[type], position: int) -> Any:
    """Return what a function may be handed beside a mark: tuples that keep no hash.

    A hash that is kept would be that of the marks; anything but some types is a look.
    """
    if type(value) is Forgotten:
        return value
    if type(value) not in types:
        raise Looked(position)
    if type(value) is dict:
        value = (*value, *value.values())
    if isinstance(value, (tuple, list)):
        return tuple(_plain(element, types, position) for element in value)
    return value


@lru_cache
def mark_of(position: int) -> Forgotten:
    """Return the one mark of a position, which containers know by its identity."""
    return Forgotten(position)
