"""What is asked of a method in words: options of its own, ``--set`` and a roles file, together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kproof.cli.base.columns import Columns, pairs
from kproof.errors import DataError, InvalidArgument
from kproof.models.base.parameters import SUPPRESS, SUPPRESSED
from kproof.models.privacies import MODELS, options_of
from kproof.models.registry import Method, by_name


def join(typed: Mapping[str, Any], settings: tuple[str, ...]) -> dict[str, Any]:
    """Return what is asked for, by options of its own and by ``--set NAME=VALUE``."""
    more = pairs("set", settings)
    for name in more:
        if name in typed:
            raise InvalidArgument("set", name, f"--{name} or --set {name}, not both")
    return {**typed, **more}


MODEL_OPTIONS = {
    name: option
    for name, option in options_of(MODELS).items()
    if name not in ("k", "sensitive_taxonomy")
}
"""Options of models beside a method's own: k is the method's, or has an option of its own, and
columns have hierarchies by --taxonomy."""

LEFT_OUT = by_name(SUPPRESS.but(default=None), SUPPRESSED)
"""What every method for tables is asked of rows left out."""


def apart(typed: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what is asked of a method, and what of rows left out."""
    own = {name: value for name, value in typed.items() if name not in LEFT_OUT}
    rows = {name: LEFT_OUT[name].read(value) for name, value in typed.items() if name in LEFT_OUT}
    return own, rows


def with_file(method: Method, columns: Columns, typed: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is asked for, with the levels and weights of a roles file."""
    everything = dict(typed)
    for name, values in of_file(columns).items():
        if name not in method.parameters:
            raise DataError(
                f"{columns.roles_file}: {method.name} has no use for {name}, which columns "
                f"{', '.join(values)} have"
            )
        everything.setdefault(name, by_column(values))
    return everything


def by_column(values: Mapping[str, object]) -> str:
    """Return values by column as an option takes them: COLUMN=VALUE,..."""
    return ",".join(f"{column}={value}" for column, value in values.items())


def of_file(columns: Columns) -> dict[str, Mapping[str, object]]:
    """Return what a roles file says of columns for parameters of methods: levels and weights."""
    file = columns.file()
    parts = {} if file is None else {"levels": file.levels, "weight": file.weights}
    return {name: values for name, values in parts.items() if values}
