"""Tables that break no word: where columns have no room side by side, rows stand one by one."""

from collections.abc import Iterator, Sequence
from textwrap import wrap

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

_BETWEEN = 3
"""Blanks between two columns."""


class WholeWords(Table):
    """A table whose columns are at least as wide as their longest word.

    Libraries that lay out tables fit them into a width by breaking words, and half a number is
    another number. A width that has no room for the words gets a line for each cell instead.
    """

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the table, or its rows as lines of ``heading: value``."""
        headings = [str(column.header) for column in self.columns]
        cells = [[str(cell) for cell in column.cells] for column in self.columns]
        columns = [(heading, *texts) for heading, texts in zip(headings, cells, strict=True)]
        # By words and not by cells: a cell may be folded between two words, and never within one.
        least = [max(map(_longest_word, texts)) for texts in columns]
        room = options.max_width - _BETWEEN * (len(columns) - 1)
        if sum(least) > room:
            for line in _one_by_one(headings, list(zip(*cells, strict=True)), options.max_width):
                yield Text(line, no_wrap=True, overflow="ignore")
            return
        yield from super().__rich_console__(console, options)


def _one_by_one(
    headings: Sequence[str], rows: Sequence[Sequence[str]], width: int
) -> Iterator[str]:
    for number, row in enumerate(rows):
        if number:
            yield ""
        for heading, cell in zip(headings, row, strict=True):
            if cell:
                text = f"{heading}: {cell}" if heading else cell
                yield from fold(text, width)


def fold(text: str, width: int, indent: str = "") -> list[str]:
    """Return the lines of a sentence, all but the first set in further; no word is broken.

    >>> fold("worst class: born=1970-01-01..1979-12-31", 24)
    ['worst class:', '  born=1970-01-01..1979-12-31']
    """
    return wrap(
        text,
        max(width, 20),
        subsequent_indent=f"{indent}  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


USUAL = 80
"""Columns of a terminal, and of what is no terminal."""


def narrow_lines(text: str, width: int) -> Iterator[str]:
    """Yield the lines of a text, those that are too long folded between words.

    A line that is a command stays whole: it is there to be copied. At the usual width and above
    lines stay as they are, as other programs may read them.

    >>> list(narrow_lines("  published: 12 of 12 rows in 3 classes", 24))
    ['  published: 12 of 12', '    rows in 3 classes']
    """
    for line in text.splitlines():
        indent = line[: len(line) - len(line.lstrip())]
        if width >= USUAL or cell_len(line) <= width or line.lstrip().startswith("kproof "):
            yield line
        else:
            yield from fold(line, width, indent)


def _longest_word(text: str) -> int:
    return max(map(cell_len, text.split()), default=0)
