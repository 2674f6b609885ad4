"""JSON Schemas from results: their forms, the hints and docstrings of what these lead to.

Docstrings under fields are not kept by Python; they are read from the source of the class.
"""

import ast
import inspect
import re
import sys
import textwrap
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict, is_dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import cache
from importlib import import_module
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    TypeAlias,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np
from numpy.typing import NDArray

from kproof.forms import JsonForm, JsonGroup, JsonMember, PathStep
from kproof.registry import Home

Schema: TypeAlias = dict[str, Any]
"""A JSON Schema, or a part of one."""

_SCALARS: Mapping[Any, str] = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    Fraction: "string",
    Decimal: "string",
    NoneType: "null",
}

_OF = {"len": "integer", "float": "number"}


class SchemaBuilder:
    """Makes schemas, and collects those of the results that they refer to."""

    def __init__(self) -> None:
        self.shared: dict[str, Schema] = {}

    def form(self, owner: type) -> Schema:
        """Return the schema of the JSON form of a class of results."""
        form = form_of(owner)
        if form is None:
            raise TypeError(f"{owner.__name__}.to_dict is no JsonForm")
        schema = self._object(owner, form.members_of(owner))
        if form.schema is not None:
            version = {"description": "Version of this form.", "const": form.schema}
            # Twice: the first puts it at the head, the last wins over the version of a part that is
            # spliced in.
            schema["properties"] = {"schema": version} | schema["properties"] | {"schema": version}
            schema["required"] = list(dict.fromkeys(["schema", *schema["required"]]))
        return {"description": _null(_summary(inspect.getdoc(owner)))} | schema

    def _object(self, owner: type, members: Sequence[JsonMember | JsonGroup]) -> Schema:
        properties: Schema = {}
        required: list[str] = []
        for member in members:
            if isinstance(member, JsonGroup):
                group = self._object(owner, member.members)
                kind: Any = ["object", "null"] if member.unless else "object"
                properties[member.name] = (
                    {"description": member.description} | group | {"type": kind}
                )
                required.append(member.name)
                continue
            hint, about = self._follow_path(owner, member.path)
            if not member.name:
                if get_origin(hint) is Mapping:
                    # What was registered since has no place in the schema.
                    continue
                parts = [self.form(choice) for choice in _choices(_without_none(hint))]
                for part in parts:
                    # A member that was named before keeps its description.
                    properties |= part["properties"] | properties
                if not member.optional:
                    # What only some of the alternatives have is missing wherever another one
                    # stands.
                    always = set.intersection(*(set(part["required"]) for part in parts))
                    required += [name for name in parts[0]["required"] if name in always]
                continue
            if member.optional == "?":
                hint = _without_none(hint)
            # What stands in one of two places is always there.
            if not member.optional or member.name in properties:
                required.append(member.name)
            properties[member.name] = {"description": about} | self.hint(hint, member.of)
        return {
            "type": "object",
            "properties": properties,
            "required": list(dict.fromkeys(required)),
            "additionalProperties": False,
        }

    def _follow_path(self, owner: type, path: Sequence[PathStep]) -> tuple[Any, str]:
        """Return the hint of what a path leads to, and what is said of it."""
        hint: Any = owner
        about, nullable, several = "", False, False
        for step in path:
            nullable |= hint is not _without_none(hint)
            hint = _without_none(hint)
            arguments, origin = get_args(hint), get_origin(hint)
            if isinstance(origin, type) and issubclass(origin, Mapping):
                hint = hint if step.name == "to_dict" else arguments[1]
                continue
            if step.name.isdigit():
                hint = arguments[int(step.name)]
                continue
            if origin in (tuple, list, Sequence):
                several, hint = True, arguments[0]
            if step.name != "to_dict":
                hint, about = attribute(hint, step.name)
        if not about:
            inner = get_args(_without_none(hint))[:1] or (_without_none(hint),)
            about = _summary(inspect.getdoc(inner[0])) if isinstance(inner[0], type) else ""
        if several:
            hint = tuple[hint, ...]
        return (hint | None if nullable else hint), about

    def hint(self, hint: Any, of: str = "") -> Schema:
        """Return the schema of values with a type hint, or of their number or texts."""
        bare = _without_none(hint)
        schema = {"type": _OF[of]} if of in _OF else self._bare(bare, of == "str")
        if bare is hint or not schema:
            return schema
        if "enum" in schema:
            return {"enum": [*schema["enum"], None]}
        if isinstance(schema.get("type"), str):
            return schema | {"type": [schema["type"], "null"]}
        return (
            schema
            if {"type": "null"} in schema.get("anyOf", ())
            else {"anyOf": [schema, {"type": "null"}]}
        )

    def _bare(self, hint: Any, as_text: bool) -> Schema:
        origin, arguments, of = get_origin(hint), get_args(hint), "str" if as_text else ""
        if origin is ClassVar:
            return self._bare(arguments[0], as_text)
        if origin is Annotated:
            limits = {
                name: list(limit) if isinstance(limit, tuple) else limit
                for name, limit in arguments[1:]
            }
            return self._bare(arguments[0], as_text) | limits
        if origin in (Union, UnionType):
            kinds = [self._bare(argument, as_text) for argument in arguments]
            names = [kind.get("type") for kind in kinds]
            return {"type": list(dict.fromkeys(names))} if all(names) else {}
        if origin is Literal:
            return {"enum": list(arguments)}
        # From NumPy 2.5 on, NDArray is an alias that keeps its own name.
        if origin in (np.ndarray, NDArray):
            return {"type": "array"}
        if isinstance(origin, type) and issubclass(origin, Mapping):
            return {"type": "object", "additionalProperties": self.hint(arguments[1], of)}
        if isinstance(origin, type) and issubclass(origin, (tuple, Sequence, AbstractSet)):
            if origin is tuple and arguments[1:] != (...,):
                members = {"prefixItems": [self.hint(argument, of) for argument in arguments]}
                return {"type": "array", **members, "minItems": len(arguments), "items": False}
            return {"type": "array", "items": self.hint(arguments[0], of)}
        # After the containers: their elements become texts, not they themselves.
        if as_text:
            return {"type": "string"}
        if hint in _SCALARS:
            return {"type": _SCALARS[hint]}
        if hint in (object, Any):
            return {}
        if isinstance(hint, type) and issubclass(hint, Enum):
            return {"enum": [member.value for member in hint]}
        if isinstance(hint, type) and (is_dataclass(hint) or hasattr(hint, "to_dict")):
            return self._reference(hint)
        raise TypeError(f"{hint} has no JSON form")

    def _reference(self, owner: type) -> Schema:
        if hasattr(owner, "json_schema"):
            schema: Schema = owner.json_schema()
            return schema
        if form_of(owner) is None:
            return {"type": "object"}
        if self.shared.get(owner.__name__) is None:
            # Entered before its form is made: a class that contains itself finds this entry and
            # goes no deeper.
            self.shared[owner.__name__] = {"type": "object"}
            self.shared[owner.__name__] = self.form(owner)
        return {"$ref": f"#/$defs/{owner.__name__}"}


def form_of(owner: type) -> JsonForm | None:
    """Return the form of a class of results, all fields where it says none; None of code."""
    form = inspect.getattr_static(owner, "to_dict", None)
    if form in (None, asdict):
        return JsonForm()
    return form if isinstance(form, JsonForm) else None


def attribute(owner: Any, name: str) -> tuple[Any, str]:
    """Return the hint of a field, property or method's answer of a class, and its docstring.

    Raises:
        TypeError: If there is no such attribute, or nothing says of which type it is.
    """
    if get_origin(owner) is Annotated:
        owner = get_args(owner)[0]
    # Of alternatives all have what a path leads through.
    owner = _choices(owner)[0]
    for base in getattr(owner, "__mro__", ()):
        # One annotation as it is written: `get_type_hints` of the class would evaluate all, and
        # fail at the first that names something which only type checkers import.
        hint = inspect.get_annotations(base).get(name)
        if hint is not None:
            return _evaluate_hint(hint, base), _null(_field_docs(base).get(name, ""))
        member = base.__dict__.get(name)
        function = getattr(member, "fget", None) or getattr(member, "func", None) or member
        if inspect.isfunction(function) and "return" in function.__annotations__:
            about = _null(_summary(function.__doc__)).removeprefix("Return ")
            about = about[:1].upper() + about[1:]
            return _evaluate_hint(function.__annotations__["return"], base), about
    raise TypeError(f"{owner} has no {name} with a type")


def _evaluate_hint(hint: Any, owner: type) -> Any:
    holder = type(owner.__name__, (), {"__annotations__": {"hint": hint}})
    names = _Names(owner.__module__)
    evaluated = get_type_hints(holder, names.module, names, include_extras=True)["hint"]
    if get_origin(evaluated) is Annotated and isinstance(get_args(evaluated)[1], Home):
        # The annotated class is a narrower one, which the module of the hint may not import.
        return get_args(evaluated)[1].target
    return evaluated


class _Names(dict[str, Any]):
    """Names of a module; what it imports for type checkers alone is imported when it is met."""

    def __init__(self, module: str) -> None:
        self.module = vars(sys.modules[module])
        self.imports = _imports(module)

    def __missing__(self, name: str) -> Any:
        if name in self.module or name not in self.imports:
            # A KeyError sends the evaluation on to the names of the module and to the builtins.
            raise KeyError(name)
        return getattr(import_module(self.imports[name]), name)


@cache
def _imports(module: str) -> dict[str, str]:
    """Return the module that each name of a module is imported from."""
    return {
        alias.name: node.module
        for node in ast.walk(ast.parse(inspect.getsource(sys.modules[module])))
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }


@cache
def _field_docs(owner: type) -> dict[str, str]:
    """Return the docstrings under the fields of a class; one may be about several fields."""
    [body] = ast.parse(textwrap.dedent(inspect.getsource(owner))).body
    assert isinstance(body, ast.ClassDef)
    docs: dict[str, str] = {}
    names: list[str] = []
    for statement in body.body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            names.append(statement.target.id)
        elif (
            names and isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        ):
            docs |= dict.fromkeys(names, _summary(str(statement.value.value)))
            names = []
    return docs


def _summary(docstring: str | None) -> str:
    """Return the first paragraph of a docstring, in one line and without markup."""
    paragraph = " ".join(inspect.cleandoc(docstring or "").partition("\n\n")[0].split())
    return re.sub(r"(?::\w+:)?`+~?(?:[\w.]*\.)?([^`]*)`+", r"\1", paragraph)


def _null(text: str) -> str:
    """Say null where Python says None."""
    return re.sub(r"\bNone\b", "null", text)


def _choices(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def _without_none(hint: Any) -> Any:
    # The hint itself comes back where there is no None: callers ask by identity whether there was.
    if get_origin(hint) not in (Union, UnionType) or NoneType not in get_args(hint):
        return hint
    return Union[tuple(choice for choice in get_args(hint) if choice is not NoneType)]  # noqa: UP007
