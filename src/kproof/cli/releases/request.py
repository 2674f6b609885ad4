"""What is asked of a method in words: options of its own, ``--set`` and a roles file, together.

``kproof anonymize full-domain`` takes models and a file for its solutions, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cyclopts import Group

from kproof.cli.base.columns import Columns, pairs
from kproof.errors import DataError, InvalidArgument
from kproof.models.base.parameters import SUPPRESS, SUPPRESSED, Parameter, Text
from kproof.models.privacies import MODELS, options_of
from kproof.models.registry import Method, PrivacyModel, by_name
from kproof.outputs import write_bytes, write_text

if TYPE_CHECKING:
    from kproof.models.tables.fulldomain.solutions import SolutionSpace
    from kproof.models.tables.release import Release
    from kproof.models.tables.table import Table

_MODELS = Group("Models that the release must have", sort_key=2)
_FILES = Group("What is written", sort_key=4)
_SOLUTIONS = Text(
    "solutions",
    "file for every choice of levels and what became of it: .json, or a picture, .svg or .png",
)
_KINDS = (".json", ".svg", ".png")


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


def split_left_out(typed: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
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
        # What is typed goes before what the file says.
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


def more_options(method: Method) -> list[tuple[Group, Mapping[str, Parameter[Any]]]]:
    """Return the options of a method that its parameters do not make."""
    if "models" not in method.parameters:
        return []
    return [(_MODELS, MODEL_OPTIONS), (_FILES, by_name(_SOLUTIONS))]


@dataclass(frozen=True)
class Request:
    """What is asked of a method of tables."""

    method: Method
    """Which."""
    parameters: Mapping[str, Any]
    """Its parameters."""
    solutions: str | None = None
    """The file for the solutions; None if none is asked for."""

    @classmethod
    def of(cls, method: Method, typed: Mapping[str, Any]) -> Request:
        """Tell models and files from parameters."""
        if "models" not in method.parameters:
            return cls(method, typed)
        solutions = typed.get("solutions")
        if solutions is not None and Path(solutions).suffix.lower() not in _KINDS:
            raise InvalidArgument("solutions", solutions, "a name that ends in .json, .svg or .png")
        models: list[PrivacyModel] = [
            entry.of(typed) for entry in MODELS.values() if entry.key in typed and entry.key != "k"
        ]
        # What is nobody's stays, so that the method refuses it.
        elsewhere = {"solutions", *options_of(MODELS)}.difference(method.parameters)
        own = {name: value for name, value in typed.items() if name not in elsewhere}
        return cls(method, {**own, **({"models": models} if models else {})}, solutions)

    def release(
        self, table: Table, parameters: Mapping[str, Any], left_out: Mapping[str, Any]
    ) -> tuple[Release, SolutionSpace | None]:
        """Return the release, and the solutions if they are asked for.

        ``left_out`` says how many rows may be left out, and what becomes of them.
        """
        from kproof.models.api import anonymize

        if self.solutions is None:
            return anonymize(self.method.name, table, **left_out, **parameters), None
        from kproof.models.tables.fulldomain.method import solution_space

        budget = {name: left_out[name] for name in left_out if name == SUPPRESS.name}
        space = solution_space(table, **parameters, **budget)
        if left_out.get(SUPPRESSED.name) == "mark":
            return anonymize(self.method.name, table, **left_out, **parameters), space
        return replace(space.release(), budget=budget.get(SUPPRESS.name)), space

    def write(self, space: SolutionSpace | None) -> None:
        """Write the solutions."""
        if space is None or self.solutions is None:
            return
        from kproof.models.tables.fulldomain.picture import describe_picture, draw

        kind = Path(self.solutions).suffix.lower()
        if kind == ".json":
            write_text(self.solutions, space.to_json())
        elif kind == ".svg":
            write_text(
                self.solutions, draw(space).svg(f"{describe_picture(space)}. Solution space")
            )
        else:
            write_bytes(self.solutions, draw(space).png())
