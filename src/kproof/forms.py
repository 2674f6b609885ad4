"""The JSON form of a result, said by naming its members.

``to_dict = JsonForm("rows people answer=verdict.word", schema=2)`` in the body of a class is its
``to_dict``: values come from attributes of these names; types and descriptions in the JSON Schema
(:func:`kproof.json_schema`) come from their annotations and docstrings. A member is

``rows``
    an attribute of that name;
``label=column.name``
    what a path leads to, under a name of its own; of each element where there are several, and null
    where something on the way is None. A path may call methods, with arguments of ``to_dict``;
``count=len(rows)``, ``guess=str(guess)``, ``share=float(share)``
    how many there are; each value in it as text, whatever it is; the nearest float;
``at_most?``, ``delta~``
    left out where it is None; left out where it is :data:`ABSENT`, and null where it is None. What
    is named twice, absent in one of the places, stands in the other;
``*scope``
    all members of the form of that attribute.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

ABSENT: Any = object()
"""The value of a member that is left out."""

_MEMBER = re.compile(
    r"(?:\*(?P<splice>.+?)|(?P<name>\w+))(?P<optional>[?~]?)"
    r"(?:=(?:(?P<of>len|str|float)\((?P<inner>.+)\)|(?P<path>.+)))?"
)
_STEP = re.compile(r"(\w+)(\(([\w,]*)\))?(?:\.|$)")


@dataclass(frozen=True, slots=True)
class PathStep:
    """One attribute on the way to a value."""

    name: str
    """Of the attribute."""
    arguments: tuple[str, ...] | None
    """Names of the arguments that it is called with; None if it is no method."""


@dataclass(frozen=True, slots=True)
class JsonMember:
    """A member of a JSON form, or members of another form in its place."""

    name: str
    """What it is called; empty where other members stand in its place."""
    path: tuple[PathStep, ...]
    """Where its value is found."""
    optional: str = ""
    """``?`` if it is left out where it is None, ``~`` where it is :data:`ABSENT`."""
    of: str = ""
    """``len``, ``str`` or ``float`` of the value; empty for the value itself."""

    @classmethod
    def parse(cls, text: str) -> JsonMember:
        """Read a member as the module describes it."""
        match = _MEMBER.fullmatch(text)
        if match is None:
            raise ValueError(f"no member of a JSON form: {text}")
        path = match["inner"] or match["path"] or match["splice"] or match["name"]
        return cls(
            match["name"] or "",
            tuple(
                PathStep(
                    step[1], None if step[2] is None else tuple(filter(None, step[3].split(",")))
                )
                for step in _STEP.finditer(path)
            ),
            match["optional"],
            match["of"] or "",
        )

    def value(self, result: object, arguments: Mapping[str, object]) -> object:
        """Return what the path leads to, of a result and arguments of ``to_dict``."""
        value = result
        for step in self.path:
            value = _follow(value, step, result, arguments)
        return value


@dataclass(frozen=True, slots=True)
class JsonGroup:
    """Members that stand in an object of their own."""

    name: str
    """What it is called."""
    description: str
    """What its members have in common."""
    members: tuple[JsonMember | JsonGroup, ...]
    """In order."""
    unless: tuple[PathStep, ...]
    """Where the group is null if nothing is there; empty if it never is."""


def group(name: str, description: str, *members: str | JsonGroup, unless: str = "") -> JsonGroup:
    """Return members that stand in an object of their own, null where ``unless`` is None."""
    whether = JsonMember.parse(unless).path if unless else ()
    return JsonGroup(name, description, tuple(_parse_members(members)), whether)


class JsonForm:
    """A ``to_dict`` that is said by its members, see the module; none at all are the fields.

    Members in a string stand between spaces. The version of the form, if it has one, is its first
    member; ``exact`` is how fractions are written.
    """

    def __init__(
        self,
        *members: str | JsonGroup,
        schema: int | None = None,
        exact: Callable[[Fraction], object] = str,
    ) -> None:
        self._written = members
        self.schema = schema
        self.exact = exact
        self.__doc__ = "Return the JSON form; exact numbers as strings."

    @cached_property
    def _member_tree(self) -> tuple[JsonMember | JsonGroup, ...]:
        return tuple(_parse_members(self._written))

    def __get__(
        self, result: object, owner: type | None = None
    ) -> Callable[..., dict[str, object]]:
        """Return the function that makes the form of a result; of a class, the form itself."""
        return self if result is None else partial(self, result)

    def __call__(self, result: object, **arguments: object) -> dict[str, object]:
        """Return the form of a result."""
        version = {} if self.schema is None else {"schema": self.schema}
        return version | dict(self._members(result, self.members_of(type(result)), arguments))

    def members_of(self, owner: type) -> tuple[JsonMember | JsonGroup, ...]:
        """Return its members; those of a class of results where none were named."""
        if self._written:
            return self._member_tree
        return tuple(JsonMember.parse(field.name) for field in fields(owner))

    def _members(
        self,
        result: object,
        members: tuple[JsonMember | JsonGroup, ...],
        arguments: Mapping[str, object],
    ) -> Iterator[tuple[str, object]]:
        for member in members:
            if isinstance(member, JsonGroup):
                absent = (
                    member.unless and JsonMember("", member.unless).value(result, arguments) is None
                )
                nested = None if absent else dict(self._members(result, member.members, arguments))
                yield member.name, nested
                continue
            value = member.value(result, arguments)
            # ABSENT is left out with or without `~`, which only tells the schema of it.
            if value is ABSENT or (value is None and member.optional == "?"):
                continue
            if not member.name:
                part = self.plain(value)
                assert isinstance(part, dict)
                # A form has one version, its own.
                own_names = {"schema"} if self.schema is not None else set[str]()
                yield from ((name, item) for name, item in part.items() if name not in own_names)
            else:
                convert = _OF[member.of] if member.of and value is not None else self.plain
                yield member.name, convert(value)

    def plain(self, value: object) -> object:
        """Return a value as JSON has it; what JSON does not know, as text."""
        # Before text: a StrEnum is a str, and would stay an Enum in the form.
        if isinstance(value, Enum):
            return value.value
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        if isinstance(value, Fraction):
            return self.exact(value)
        # Before mappings and dataclasses: a class with a form of its own may leave fields out on
        # purpose.
        form = getattr(value, "to_dict", None) or getattr(value, "to_json", None)
        if form is not None:
            return form()
        if isinstance(value, Mapping):
            return {str(self.plain(name)): self.plain(item) for name, item in value.items()}
        if isinstance(value, (tuple, list)):
            return [self.plain(item) for item in value]
        if isinstance(value, AbstractSet):
            # Sorted: the order of a set of texts changes from run to run.
            return sorted(map(self.plain, value))  # type: ignore[type-var]
        if is_dataclass(value) and not isinstance(value, type):
            return JsonForm(exact=self.exact)(value)
        # Arrays and scalars of NumPy, which is not imported to ask what they are.
        if hasattr(value, "tolist"):
            return value.tolist()
        return str(value)


def _parse_members(members: tuple[str | JsonGroup, ...]) -> Iterator[JsonMember | JsonGroup]:
    for member in members:
        if isinstance(member, JsonGroup):
            yield member
        else:
            yield from map(JsonMember.parse, member.split())


def _follow(value: Any, step: PathStep, root: object, arguments: Mapping[str, object]) -> object:
    if value is None:
        return None
    if isinstance(value, Mapping):
        if step.name in value:
            return value[step.name]
        return {name: _follow(item, step, root, arguments) for name, item in value.items()}
    if isinstance(value, (tuple, list)):
        if step.name.isdigit():
            return value[int(step.name)]
        return tuple(_follow(item, step, root, arguments) for item in value)
    attribute = getattr(value, step.name)
    if step.arguments is None:
        return attribute
    values = {name: arguments.get(name, getattr(root, name, ABSENT)) for name in step.arguments}
    return attribute(**{name: item for name, item in values.items() if item is not ABSENT})


def _texts(value: object) -> object:
    if value is None:
        return None
    if isinstance(value, (tuple, list)):
        return [_texts(item) for item in value]
    if isinstance(value, Mapping):
        return {str(name): _texts(item) for name, item in value.items()}
    return str(value)


_OF: Mapping[str, Callable[[Any], object]] = {"len": len, "str": _texts, "float": float}
