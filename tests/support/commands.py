"""All commands of ``kproof``, with those below them."""

from collections.abc import Iterator

from cyclopts import App

from kproof.cli.app import app


def commands() -> Iterator[tuple[str, App]]:
    """Yield every command and group of commands by the words that name it."""
    yield from _below(app, ())


def _below(one: App, words: tuple[str, ...]) -> Iterator[tuple[str, App]]:
    yield " ".join(words), one
    for name in one:
        if not name.startswith("-"):
            yield from _below(one[name], (*words, name))
