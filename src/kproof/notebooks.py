"""How results show themselves in a notebook: short, without colours of their own, escaped.

No colour is set, so that a result is as readable on a dark page as on a light one. Formulas have a
form in LaTeX as well, which is what a notebook takes that is printed or exported. Its digits are
those of the text: whoever makes them has rounded them outward already.
"""

import re
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from fractions import Fraction
from html import escape

from kproof.waiting import show_progress as show_progress

MOST = 12
"""Rows, or lines of text, that are shown before the rest is counted."""

LONGEST = 600
"""Characters of a line, or of a cell, that are shown before the rest is counted."""

SHORT = 5
"""Lines of a text that are shown where nobody asked for it."""

_CELL = "text-align:left;vertical-align:top"


class NotebookText:
    """A result that a notebook shows as it prints itself, in at most :data:`MOST` lines.

    >>> class Told(NotebookText):
    ...     def __str__(self):
    ...         return "a < b"
    >>> Told()._repr_html_()
    '<pre style="white-space:pre-wrap">a &lt; b</pre>'
    """

    __slots__ = ()

    def __repr__(self) -> str:
        """Return what it prints, short enough for a session; a class may have one of its own."""
        return shorten(str(self))

    def _repr_html_(self) -> str:
        lines = str(self).splitlines()
        shown_lines = [_clip(line) for line in lines[:MOST]] + _more(len(lines), "lines")
        # `chr(10)`: before Python 3.12 no backslash stands within the braces of an f-string.
        return f'<pre style="white-space:pre-wrap">{escape(chr(10).join(shown_lines))}</pre>'


def shorten(text: str) -> str:
    """Return the first :data:`SHORT` lines of a text, and say how many more there are.

    >>> print(shorten("a b c d e f".replace(" ", chr(10))))
    a
    b
    c
    d
    … 2 more lines
    """
    lines = text.splitlines()
    more = len(lines) - SHORT + 1
    shown = lines if more < 2 else [*lines[: SHORT - 1], f"… {more} more lines"]
    return "\n".join(map(_clip, shown))


def html_table(caption: str, headings: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a table of the first :data:`MOST` rows; every cell is written as text.

    >>> html_table("Sizes", ["k"], [["<2>"]]).count("&lt;2&gt;")
    1
    """

    def row_of(cells: Sequence[object], opening: str = "td") -> str:
        tags = (f'<{opening} style="{_CELL}">{escape(_clip(str(cell)))}' for cell in cells)
        return f"<tr>{''.join(f'{tag}</{opening[:2]}>' for tag in tags)}</tr>"

    head = row_of(headings, 'th scope="col"')
    body = "".join(map(row_of, rows[:MOST]))
    more = (
        f'<tr><td colspan="{len(headings)}">{note}</td></tr>' for note in _more(len(rows), "rows")
    )
    return (
        f'<table><caption style="{_CELL}">{escape(caption)}</caption>'
        f"<thead>{head}</thead><tbody>{body}{''.join(more)}</tbody></table>"
    )


def _clip(text: str) -> str:
    beyond = len(text) - LONGEST
    return f"{text[:LONGEST]} … {beyond} more characters" if beyond > 0 else text


def _more(count: int, of: str) -> list[str]:
    return [f"… {count - MOST} more {of}"] if count > MOST else []


_SPECIAL = {
    **{sign: rf"\{sign}" for sign in "#$%&_{}"},
    "\\": r"\backslash ",
    "^": r"\wedge ",
    "~": r"\sim ",
}
_PLAIN = re.compile(f"([{re.escape(''.join(_SPECIAL))}])")
_NUMBER = re.compile(r"(-?[0-9]+(?:\.[0-9]+)?)(?:[eE]\+?(-?[0-9]+))?")
_QUOTIENT = re.compile("(-?)([0-9]+)/([0-9]+)")
_INTERVAL = re.compile(r"\[(.+), (.+)\]")
_LONGEST_RATIONAL = 24
"""Characters of a rational that are shown; of a longer one the digits between which it lies."""


def latex_words(text: str) -> str:
    r"""Return words as they stand in a formula, with what LaTeX would read as its own as signs.

    >>> latex_words("a_b, 5 % of {x}")
    '\\text{a}\\_\\text{b, 5 }\\%\\text{ of }\\{\\text{x}\\}'
    """
    # Clipped before signs are escaped: a cut within an escape would leave half a command of LaTeX.
    parts = _PLAIN.split(_clip(" ".join(text.split())))
    return "".join(_SPECIAL.get(part, rf"\text{{{part}}}") for part in parts if part)


def latex_value(value: object) -> str:
    r"""Return a number as LaTeX: a rational exactly if it is short, else the digits of its text.

    >>> latex_value(Fraction(1, 3)), latex_value("7.34e-24"), latex_value("[0.1, Infinity]")
    ('\\frac{1}{3}', '7.34 \\times 10^{-24}', '[0.1, \\infty]')
    >>> latex_value(Fraction(10**30 + 1, 3 * 10**30))
    '[0.3333333, 0.3333334]'
    >>> latex_value(None), latex_value("any")
    ('\\text{none}', '\\text{any}')
    """
    if isinstance(value, Fraction) and len(str(value)) > _LONGEST_RATIONAL:
        # A context takes whole numbers of any size exactly, and rounds their quotient once,
        # outward; a float in between would round to the nearest first.
        ends = (Context(7, rounding) for rounding in (ROUND_FLOOR, ROUND_CEILING))
        low, high = (context.divide(value.numerator, value.denominator) for context in ends)
        return f"[{latex_value(str(low))}, {latex_value(str(high))}]"
    text = "none" if value is None else str(value)
    if quotient := _QUOTIENT.fullmatch(text):
        sign, above, below = quotient.groups()
        return rf"{sign}\frac{{{above}}}{{{below}}}"
    if number := _NUMBER.fullmatch(text):
        digits, power = number.groups()
        return digits if power is None else rf"{digits} \times 10^{{{power}}}"
    if interval := _INTERVAL.fullmatch(text):
        return "[{}, {}]".format(*map(latex_value, interval.groups()))
    if text.lower() in {"inf", "infinity", "-inf", "-infinity"}:
        return r"-\infty" if text.startswith("-") else r"\infty"
    return latex_words(text)


def latex_lines(lines: Sequence[str]) -> str:
    r"""Return lines of formulas, each with an ``&`` where they are aligned.

    >>> latex_lines(["x &= 1", r"& \text{exact}"])
    '$\\begin{aligned} x &= 1 \\\\ & \\text{exact} \\end{aligned}$'
    """
    body = r" \\ ".join(lines)
    return rf"$\begin{{aligned}} {body} \end{{aligned}}$"


def latex_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    r"""Return a table of formulas, all of its rows.

    >>> latex_table(["k"], [["2"]])
    '$\\begin{array}{l} k \\\\ \\hline 2 \\end{array}$'
    """
    body = r" \\ ".join(" & ".join(row) for row in rows)
    head = " & ".join(headings)
    return rf"$\begin{{array}}{{{'l' * len(headings)}}} {head} \\ \hline {body} \end{{array}}$"
