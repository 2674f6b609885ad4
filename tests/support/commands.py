"""All commands of ``kproof``, with those below them."""

from collections.abc import Iterator
from functools import cache

from cyclopts import App
from cyclopts.argument import Argument

from kproof.cli.app import app


def commands() -> Iterator[tuple[str, App]]:
    """Yield every command and group of commands by the words that name it."""
    yield from _below(app, ())


@cache
def options() -> tuple[tuple[str, Argument], ...]:
    """Return every argument of every command, by the words that name it, with its help.

    Finding out what they are takes seconds for all commands together.
    """
    return tuple(
        (name, argument)
        for name, one in commands()
        if one.default_command is not None
        for argument in one.assemble_argument_collection(parse_docstring=True)
    )


def _below(one: App, words: tuple[str, ...]) -> Iterator[tuple[str, App]]:
    yield " ".join(words), one
    for name in one:
        if not name.startswith("-"):
            yield from _below(one[name], (*words, name))
