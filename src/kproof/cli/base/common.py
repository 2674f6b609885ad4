"""What the commands share: options, grids of exact numbers, and the two forms of output."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol, TypeAlias

from cyclopts import Parameter

from kproof.errors import InvalidArgument

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from kproof.theory.exact.typed import Number

JSON: TypeAlias = Annotated[
    bool, Parameter(negative=(), help="Print one JSON document instead of text.")
]
"""The switch ``--json``, which has no ``--no-json``."""

SWITCH: TypeAlias = Annotated[bool, Parameter(negative=())]
"""A switch that has no ``--no-`` form."""

HEADER: TypeAlias = Annotated[
    Literal["detect", "yes", "no"],
    Parameter(help="Whether the first row of the file names the columns."),
]
"""The option ``--header``."""

MISSING: TypeAlias = Annotated[
    tuple[str, ...],
    Parameter(
        negative=(),
        show_default=False,
        help="A cell that stands for a value that is not recorded; may be repeated. "
        "If not given: ? and the empty cell.",
    ),
]
"""The option ``--missing``; an empty tuple stands for the usual cells."""


class HasJsonForm(Protocol):
    """A result that is printed as JSON."""

    @property
    def to_dict(self) -> Callable[..., dict[str, object]]:
        """Returns the JSON form."""


MOST_POINTS = 100_000
"""Longest grid a command computes."""


@dataclass(frozen=True, slots=True)
class OptionValues:
    """The values an option stands for."""

    values: tuple[Fraction, ...]
    """In the order typed, exact."""
    typed: tuple[Number, ...]
    """The same as typed, for messages."""
    single: bool
    """Whether one value was typed, rather than a list or a range."""


def grid(name: str, text: str) -> OptionValues:
    """Read ``0.1``, ``0.1,0.5,1`` or ``start:stop:count`` (both ends included).

    Raises:
        InvalidArgument: If a part is not a number, or the range is empty or longer than
            :data:`MOST_POINTS`.

    >>> grid("epsilon", "0.1:0.4:4").values
    (Fraction(1, 10), Fraction(1, 5), Fraction(3, 10), Fraction(2, 5))
    >>> grid("epsilon", "0.1:0.4")
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: epsilon = 0.1:0.4: need a number, a,b,c or start:stop:count
    """
    from kproof.theory.exact.typed import integer, rational

    if ":" in text:
        parts = text.split(":")
        if len(parts) != 3:
            raise InvalidArgument(name, text, "a number, a,b,c or start:stop:count")
        start, stop = rational(f"{name} start", parts[0]), rational(f"{name} stop", parts[1])
        count = integer(f"{name} count", parts[2], least=2, most=MOST_POINTS)
        if start >= stop:
            raise InvalidArgument(name, text, "start < stop")
        step = (stop - start) / (count - 1)
        values = tuple(start + step * i for i in range(count))
        return OptionValues(values, values, single=False)
    parts = text.split(",")
    if len(parts) > MOST_POINTS:
        raise InvalidArgument(name, text, f"at most {MOST_POINTS} values")
    values = tuple(rational(name, part) for part in parts)
    return OptionValues(values, tuple(parts), single=len(parts) == 1)


def write_json(kind: str, result: HasJsonForm, **given: object) -> None:
    """Print one JSON document, the only thing a command with ``--json`` writes to stdout.

    Args:
        kind: Which of :func:`kproof.schemas.documents` it is; said in it, after the version.
        result: What is printed, with the version of its form.
        given: Arguments of its ``to_dict``.
    """
    document = result.to_dict(**given)
    print(json.dumps({"schema": document["schema"], "document": kind, **document}, indent=2))


def console() -> Console:
    """Return where tables go: 80 columns and no colour unless stdout is a terminal."""
    from rich.console import Console

    class Output(Console):
        def on_broken_pipe(self) -> None:
            # Rich would leave the process here; the command as a whole decides its status.
            raise BrokenPipeError

        def print(self, *objects: Any, **how: Any) -> None:
            # A word longer than the terminal is wide goes on in the next line; Rich would cut it.
            super().print(*objects, **({"crop": False} | how))

    return Output(highlight=False)


def write_line(out: Console, text: str) -> None:
    """Print a sentence, folded at the width of the console with its other lines set in."""
    from kproof.cli.base.narrow import folded

    for line in folded(text, out.width) or [""]:
        out.print(line, markup=False, no_wrap=True, overflow="ignore")


def write_lines(text: object) -> None:
    """Print the lines of a text, folded between words on a terminal that is too narrow for them."""
    from kproof.cli.base.narrow import narrowed

    for line in narrowed(str(text), get_terminal_size().columns):
        print(line)


def plain_table(headings: Sequence[str]) -> Table:
    """Return an empty table in the house style: one rule under the headings, no frame.

    No word of it is ever broken: see :class:`~kproof.cli.base.narrow.WholeWords`.
    """
    from rich import box

    from kproof.cli.base.narrow import WholeWords

    table = WholeWords(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table
