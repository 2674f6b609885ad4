"""How results show themselves in a notebook: short, without colours of their own, escaped.

No colour is set, so that a result is as readable on a dark page as on a light one.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

MOST = 12
"""Rows, or lines of text, that are shown before the rest is counted."""

LONGEST = 600
"""Characters of a line, or of a cell, that are shown before the rest is counted."""

_CELL = "text-align:left;vertical-align:top"


class NotebookText:
    """A result that a notebook shows as it prints itself, in at most :data:`MOST` lines.

    Examples
    --------
    >>> class Told(NotebookText):
    ...     def __str__(self):
    ...         return "a < b"
    >>> Told()._repr_html_()
    '<pre style="white-space:pre-wrap">a &lt; b</pre>'
    """

    __slots__ = ()

    def _repr_html_(self) -> str:
        lines = str(self).splitlines()
        told = [_clipped(line) for line in lines[:MOST]] + _more(len(lines), "lines")
        return f'<pre style="white-space:pre-wrap">{escape(chr(10).join(told))}</pre>'


def html_table(caption: str, headings: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a table; every cell is written as text.

    Parameters
    ----------
    caption
        What it is a table of.
    headings
        One for each column.
    rows
        The first :data:`MOST` are shown, and how many more there are is said.

    Examples
    --------
    >>> html_table("Sizes", ["k"], [["<2>"]]).count("&lt;2&gt;")
    1
    """
    head = "".join(f'<th scope="col" style="{_CELL}">{escape(one)}</th>' for one in headings)
    body = "".join(
        "<tr>"
        + "".join(f'<td style="{_CELL}">{escape(_clipped(str(one)))}</td>' for one in row)
        + "</tr>"
        for row in rows[:MOST]
    )
    more = "".join(
        f'<tr><td colspan="{len(headings)}">{one}</td></tr>' for one in _more(len(rows), "rows")
    )
    return (
        f'<table><caption style="{_CELL}">{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}{more}</tbody></table>"
    )


def _clipped(text: str) -> str:
    return (
        text
        if len(text) <= LONGEST
        else f"{text[:LONGEST]} … {len(text) - LONGEST} more characters"
    )


def _more(count: int, of: str) -> list[str]:
    return [f"… {count - MOST} more {of}"] if count > MOST else []
