"""The parameters of tables that are sent and of questions of theory: their types, declared once.

Types come from the registries of privacy models, attacks, methods, theorems and laws. OpenAPI shows
them, and a request is held against the same ones before anything is started for it.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from kproof.errors import InvalidArgument, one_of
from kproof.models.adversaries import ATTACKS
from kproof.models.base.parameters import SEED, SUPPRESS, SUPPRESSED, TAU, Parameter, Whole, Word
from kproof.models.methods import METHODS
from kproof.models.privacies import MODELS as PRIVACY_MODELS
from kproof.models.registry import Kind
from kproof.serve.posted import LAWS, SHIPPED, TEXTS, options_of_bounds

# Numbers become exact rationals: 1e999999999 would be one of a billion digits.
_NUMBER = r"-?([0-9]+(\.[0-9]+)?([eE][-+]?[0-9]{1,3})?|[0-9]+/[0-9]+)"
# Eighteen digits fit into 64 bits, whatever reads them.
_WHOLE = "[0-9]{1,18}"

TEXT: Mapping[str, Any] = {"type": "string", "minLength": 1, "maxLength": 1000}
NUMBER: Mapping[str, Any] = {"type": "string", "pattern": f"^{_NUMBER}$", "maxLength": 100}
NUMBERS: Mapping[str, Any] = {
    "type": "string",
    "pattern": f"^{_NUMBER}(,{_NUMBER})*$",
    "maxLength": 1000,
}
SWITCH: Mapping[str, Any] = {"type": "string", "enum": ["true", "false"]}

WORDS: Mapping[str, tuple[str, ...]] = {
    "header": ("detect", "yes", "no"),
    "exact": ("auto", "always", "never"),
    "direction": ("both", "up", "down"),
    "audience": ("public", "agreement", "study"),
    "missing-as": ("worst-case", "value", "exclude"),
}
"""Words of options of commands, to which a test holds them."""

_SWITCHES = ("others-only", "closed-form")
_LISTS = ("p", "epsilon", "shift", "assume", "column", "missing", "known", "events", "by", "data")
"""Options of theory that may be several, or something else than a number."""


def schema_of(parameter: Parameter[Any]) -> dict[str, Any]:
    """Return the JSON Schema of a parameter, as it stands in a query.

    >>> from kproof.models.base.parameters import GROUP_K, MU
    >>> schema_of(GROUP_K)["minimum"], schema_of(MU)["example"]
    (2, '1/2')
    """
    schema: dict[str, Any]
    if isinstance(parameter, Whole):
        ends = {"minimum": parameter.least, "maximum": parameter.most or 10**9}
        schema = {"type": "integer", **{end: at for end, at in ends.items() if at is not None}}
    elif isinstance(parameter, Word):
        schema = {"type": "string", "enum": list(parameter.words)}
    else:
        schema = {"type": "string", "pattern": f"^{_NUMBER}%?$", "maxLength": 100}
    schema["description"] = parameter.line
    if parameter.example:
        whole = isinstance(parameter, Whole)
        schema["example"] = int(parameter.example) if whole else parameter.example
    return schema


@cache
def of_tables() -> Mapping[str, Mapping[str, Any]]:
    """Return the schema of each option of a table that is sent, where it is more than a text."""
    words = {name: {"type": "string", "enum": list(words)} for name, words in WORDS.items()}
    schemas: dict[str, Mapping[str, Any]] = dict(words)
    for model in PRIVACY_MODELS.values():
        for parameter in model.parameters.values():
            name = parameter.options[0].removeprefix("--")
            schema = schema_of(parameter)
            if name != "k":
                # Of several sensitive columns each may have its own.
                number = _WHOLE if isinstance(parameter, Whole) else _NUMBER
                by_column = rf"([^=,]+=)?{number}(,[^=,]+={number})*"
                schema = {**TEXT, "pattern": f"^{by_column}$", "description": schema["description"]}
            schemas.setdefault(name, schema)
    for parameter in (SUPPRESS, SEED, TAU):
        schemas[parameter.name] = schema_of(parameter)
    tables = {
        "method": [name for name, method in METHODS.items() if method.kind is Kind.TABLE],
        "attack": [name for name, attack in ATTACKS.items() if attack.kind is Kind.TABLE],
    }
    return schemas | {name: {"type": "string", "enum": names} for name, names in tables.items()}


@cache
def of_anonymize() -> Mapping[str, Mapping[str, Any]]:
    """Return the same where a method is run: what suppressed rows show is a word there."""
    return {**of_tables(), "suppressed": schema_of(SUPPRESSED)}


@cache
def of_theory() -> Mapping[str, Mapping[str, Any]]:
    """Return the schema of each option of a question of theory."""
    bounds = options_of_bounds()
    names = {name for options in (*bounds.values(), *LAWS.values()) for name in options}
    count = {"type": "integer", "minimum": 0, "maximum": 10**9}
    text = {**TEXT, "maxLength": 20_000}
    schemas: dict[str, Mapping[str, Any]] = {
        **dict.fromkeys(names - {*SHIPPED, *TEXTS, *_LISTS}, NUMBER),
        **dict.fromkeys(("p", "epsilon", "shift"), NUMBERS),
        **dict.fromkeys(TEXTS, text),
        **{name: {"type": "string", "enum": list(words)} for name, words in WORDS.items()},
        **dict.fromkeys(_SWITCHES, SWITCH),
        "n": count,
        "k": count,
    }
    schemas["theorem"] = {"type": "string", "enum": list(bounds), "default": "1"}
    return schemas


@cache
def of_laws() -> Mapping[str, Mapping[str, Any]]:
    """Return the same where law is a name, not the text of a file."""
    law = {"type": "string", "enum": list(LAWS), "default": "binomial"}
    return {**of_theory(), "law": law}


def describe_parameters(
    names: Sequence[str], schemas: Mapping[str, Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return parameters for OpenAPI."""
    return [
        {"name": name, "in": "query", "required": False, "schema": schemas.get(option, TEXT)}
        for name in names
        for option in [name.replace("_", "-")]
    ]


def require_typed(
    options: Mapping[str, str], schemas: Mapping[str, Mapping[str, Any]]
) -> Mapping[str, str]:
    """Return options, each of which is of its type.

    Raises:
        InvalidArgument: If one is not.

    >>> require_typed({"k": "x"}, of_tables())
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: k = x: need a whole number from 1 to 1000000000
    """
    for option, value in options.items():
        schema = schemas.get(option, TEXT)
        name = option.replace("-", "_")
        if "enum" in schema:
            if value not in schema["enum"]:
                raise InvalidArgument(name, value, one_of(value, schema["enum"]))
        elif schema["type"] == "integer":
            low, high = schema["minimum"], schema["maximum"]
            whole = re.fullmatch("[0-9]{1,18}", value)
            if whole is None or not low <= int(value) <= high:
                raise InvalidArgument(name, value, f"a whole number from {low} to {high}")
        elif not value or len(value) > schema["maxLength"]:
            raise InvalidArgument(name, value[:40], "a text that is neither empty nor too long")
        elif "pattern" in schema and re.fullmatch(schema["pattern"], value) is None:
            need = "a number such as 3, 0.5 or 1/2"
            if "[^=,]" in schema["pattern"]:
                need += ", or COLUMN=NUMBER,..."
            raise InvalidArgument(name, value, need)
    return options
