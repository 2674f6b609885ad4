"""How commands print and end: tables and sentences that fit the terminal, or one JSON document."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from contextvars import ContextVar
from enum import IntEnum
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from kproof.errors import printable
from kproof.outputs import nowhere

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


_OUTPUT: ContextVar[TextIO | None] = ContextVar("output", default=None)
_RESULTS: ContextVar[list[HasJsonForm] | None] = ContextVar("results", default=None)


@contextmanager
def collect_results() -> Iterator[list[HasJsonForm]]:
    """Hand whatever would be printed as JSON to a caller in Python, as the results they are."""
    results: list[HasJsonForm] = []
    token = _RESULTS.set(results)
    try:
        yield results
    finally:
        _RESULTS.reset(token)


@contextmanager
def silence() -> Iterator[None]:
    """Keep what is printed from standard output, but for what :func:`own_output` lets through."""
    token = _OUTPUT.set(sys.stdout)
    try:
        # Not closed: whoever takes standard output for a document gives it back later than we do.
        with redirect_stdout(nowhere()):
            yield
    finally:
        _OUTPUT.reset(token)


@contextmanager
def own_output() -> Iterator[None]:
    """Let what is printed be the command's own."""
    output = _OUTPUT.get()
    # A document may have standard output for itself, and the text be a notice on the other one.
    if output is None or sys.stdout is sys.stderr:
        yield
        return
    with redirect_stdout(output):
        yield


class ExitStatus(IntEnum):
    """What a command's exit status says, so that a script can tell *yes* from *not judged*."""

    DONE = 0
    """What was asked for is there; whatever was judged holds."""
    VIOLATED = 1
    """Something that was judged does not hold."""
    REFUSED = 2
    """Bad input or bad usage: one line on stderr, nothing written."""
    DEFECT = 3
    """A fault of kproof itself."""
    OPEN = 4
    """Nothing that was judged fails, but the question is not answered: the answer rests on
    hypotheses that nobody answered for, a budget ended the search, or nothing was judged."""


class HasJsonForm(Protocol):
    """A result that is printed as JSON."""

    @property
    def to_dict(self) -> Callable[..., dict[str, object]]:
        """Returns the JSON form."""


def write_json(kind: str, result: HasJsonForm, **arguments: object) -> None:
    """Print one JSON document, the only thing a command with ``--json`` writes to stdout.

    Its kind, one of :func:`kproof.schemas.documents`, is said after the version of its form;
    further keywords are arguments of ``to_dict``.
    """
    if (results := _RESULTS.get()) is not None:
        results.append(result)
        return
    document = result.to_dict(**arguments)
    text = json.dumps({"schema": document["schema"], "document": kind, **document}, indent=2)
    with own_output():
        print(text)


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
    from kproof.cli.base.narrow import fold

    for line in fold(text, out.width) or [""]:
        out.print(printable(line), markup=False, no_wrap=True, overflow="ignore")


def write_lines(text: object) -> None:
    """Print the lines of a text, folded between words on a terminal that is too narrow for them."""
    from kproof.cli.base.narrow import narrow_lines

    lines = list(narrow_lines(str(text), get_terminal_size().columns))
    with own_output():
        for line in lines:
            print(printable(line))


def write_result(
    kind: str,
    result: HasJsonForm,
    *,
    json: bool,
    text: object = None,
    written: Iterable[object] = (),
    **arguments: object,
) -> None:
    """Print a result: one JSON document, or a text and the files that were written.

    The text is by default what the result says of itself; None stands for a file that nobody asked
    for.
    """
    if json:
        write_json(kind, result, **arguments)
        return
    write_lines(result if text is None else text)
    for path in written:
        if path is not None:
            write_lines(f"written: {path}")


def write_table(
    headings: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    above: Iterable[str] = (),
    below: Iterable[str] = (),
) -> None:
    """Print a table, with sentences above and below it and a blank line between."""
    out, table, over, under = console(), plain_table(headings), [*above], [*below]
    for line in over:
        write_line(out, line)
    if over:
        out.print()
    for row in rows:
        table.add_row(*(printable(str(cell)) for cell in row))
    out.print(table, markup=False)
    if under:
        out.print()
    for line in under:
        write_line(out, line)


def plain_table(headings: Sequence[str]) -> Table:
    """Return an empty table in the house style: one rule under the headings, no frame.

    No word of it is ever broken: see :class:`~kproof.cli.base.narrow.WholeWords`.
    """
    from rich import box

    from kproof.cli.base.narrow import WholeWords

    table = WholeWords(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for heading in map(printable, headings):
        table.add_column(heading, overflow="fold")
    return table
