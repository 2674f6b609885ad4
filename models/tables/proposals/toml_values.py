"""Values of a roles file: read strictly, with what would be admissible, and written as TOML."""

from collections.abc import Callable, Collection, Mapping
from enum import StrEnum
from math import inf
from typing import Any

from kproof.datasets import Header, check_encoding
from kproof.errors import DataError, KProofError, show
from kproof.models.base.missing import MissingAs
from kproof.models.tables.decimals import DecimalSign

UNDECIDED = "?"
"""What stands for a format that somebody has to choose."""


Reader = Callable[[object], Any]
"""Returns what a value of the file stands for; a ValueError says what is needed if it is none."""


def _accept(accepts: Callable[[Any], bool], phrase: str) -> Reader:
    def read(value: object) -> Any:
        if not accepts(value):
            raise ValueError(phrase)
        return value

    return read


def _is_number(value: object, kinds: tuple[type, ...]) -> bool:
    # true of TOML is a bool, which Python counts among the ints.
    return isinstance(value, kinds) and not isinstance(value, bool)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value != ""


read_text = _accept(_is_text, "a text in quotes")
read_level = _accept(
    lambda value: _is_text(value) or (_is_number(value, (int,)) and value >= 0),
    "a whole number from 0, or the name of a level",
)
read_weight = _accept(
    # TOML has inf and nan, and nan compares with nothing.
    lambda value: _is_number(value, (int, float)) and 0 <= value < inf,
    "a number from 0",
)
read_width = _accept(
    lambda value: _is_number(value, (int,)) and 1 <= value <= 64,
    "a whole number of digits, 1 to 64",
)


def read_cells(value: object) -> tuple[str, ...]:
    """Return the cells that a list has."""
    if not isinstance(value, list) or not all(isinstance(cell, str) for cell in value):
        raise ValueError('a list of cells, such as ["", "NA"]')
    return tuple(value)


def reader_of(kind: type[StrEnum]) -> Callable[[object], StrEnum]:
    """Return what reads the words of a choice."""

    def read(value: object) -> StrEnum:
        try:
            return kind(str(value))
        except ValueError:
            raise ValueError(alternatives([member.value for member in kind])) from None

    return read


def _read_encoding(value: object) -> str:
    try:
        return str(check_encoding(read_text(value)))
    except KProofError:
        raise ValueError("an encoding, such as utf-16, cp1252 or latin-1") from None


LAYOUT: Mapping[str, Reader] = {
    "header": lambda value: reader_of(Header)(value).value,
    "encoding": _read_encoding,
    "sheet": read_text,
    "decimal": lambda value: value if value == UNDECIDED else reader_of(DecimalSign)(value).value,
}

READING: Mapping[str, Reader] = {
    **LAYOUT,
    "missing": read_cells,
    "missing_as": lambda value: reader_of(MissingAs)(value).value,
}


def read_values(
    place: str, entries: Mapping[str, Any], readers: Mapping[str, Reader]
) -> dict[str, Any]:
    """Return the values of a table of the file, each by its reader; ``place`` begins messages."""
    require_known(place, entries, tuple(readers))
    values = {}
    for name, value in entries.items():
        try:
            values[name] = readers[name](value)
        except ValueError as error:
            raise DataError(f"{place}: {name} = {show(value)}; need {error}") from None
    return values


def require_known(place: str, entries: Mapping[str, Any], names: Collection[str]) -> None:
    """Refuse names that mean nothing here."""
    for name in entries:
        if name not in names:
            raise DataError(f"{place}: nothing is called {show(name)}; need {alternatives(names)}")


def read_table_of(place: str, name: str, value: object) -> dict[str, Any]:
    """Return a value that must be a table."""
    if not isinstance(value, dict):
        raise DataError(f"{place}: {show(name)} = {show(value)}; need a table, [{name}]")
    return value


def alternatives(names: Collection[str]) -> str:
    """Return names as a sentence offers them."""
    *before, last = names
    return f"{', '.join(before)} or {last}" if before else last


def lines_of(values: Mapping[str, object]) -> list[str]:
    """Return a line for each value that says something."""
    return [f"{name} = {value_of(item)}" for name, item in values.items() if item not in (None, "")]


def value_of(value: object) -> str:
    """Return a value as TOML has it."""
    if isinstance(value, tuple):
        return f"[{', '.join(quote(str(part)) for part in value)}]"
    return str(value) if isinstance(value, (int, float)) else quote(str(value))


def quote(value: str) -> str:
    """Return a text as a basic string of TOML."""
    # TOML takes no control sign but a tab within a text, and a terminal would obey one.
    escapes = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    signs = (
        escapes.get(sign) or (sign if sign.isprintable() or sign == " " else f"\\U{ord(sign):08X}")
        for sign in value
    )
    return f'"{"".join(signs)}"'


def comment(line: str) -> str:
    """Return a line as a comment."""
    # Nothing that a cell holds may end the comment.
    return f"# {' '.join(line.split())}"
