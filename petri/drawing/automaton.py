"""Drawing the automaton of a staged net: what can come out of each stage, and how the ways meet."""

from __future__ import annotations

from collections.abc import Callable
from math import log10

from matplotlib.collections import LineCollection

from kproof.petri.drawing.wording import shortened
from kproof.petri.spaces.words import Letter, Words
from kproof.pictures import Picture

MOST_EDGES = 400
"""Most edges of an automaton that is drawn edge by edge; of a larger one the nodes are counted."""

MOST_LETTERED = 40
"""Most edges with their letters beside them."""

_INK, _SOFT, _FILL = "#1d2733", "#566270", "#d3dbe4"
_HIGH, _WIDE, _NARROW = 34.0, 150.0, 62.0


def words_svg(
    words: Words, *, name: Callable[[Letter], str] = str, title: str = "the automaton"
) -> str:
    """Return a drawing of an automaton, position by position from left to right.

    The more words an edge is on, the thicker it is. A large automaton is drawn as the number of
    nodes at each position.

    Parameters
    ----------
    words
        The automaton.
    name
        What a letter is called.
    title
        What a screen reader says.
    """
    sizes = [end - start for start, end in zip(words.starts, words.starts[1:], strict=False)]
    if not drawn_whole(words):
        return _numbers(sizes, title)
    lettered = sum(map(len, words.edges)) <= MOST_LETTERED
    # Few classes are not drawn larger than many.
    step = max(_WIDE if lettered else _NARROW, 600 / words.length)
    width, height = step * words.length + 60, _HIGH * max(sizes) + 40
    picture = Picture("automaton", width, height)
    axes = picture.figure.add_axes((0, 0, 1, 1))
    axes.axis("off")
    axes.set_xlim(0, width)
    axes.set_ylim(0, height)
    points = [
        (30 + step * position, height / 2 + _HIGH * ((size - 1) / 2 - at))
        for position, size in enumerate(sizes)
        for at in range(size)
    ]
    for position in range(words.length):
        for node in range(words.starts[position], words.starts[position + 1]):
            for letter, there in words.edges[node].items():
                share = words.through(node, there) / words.count
                (x, y), (u, v) = points[node], points[there]
                # Edges between the same nodes stand apart.
                alike = [by for by, to in words.edges[node].items() if to == there]
                bow = 9.0 * (alike.index(letter) - (len(alike) - 1) / 2)
                middle = (x + u) / 2, (y + v) / 2 + bow
                line = LineCollection(
                    [[(x, y), middle, (u, v)]],
                    colors=_SOFT,
                    linewidths=0.6 + 3.4 * share,
                    capstyle="round",
                    zorder=1,
                )
                axes.add_collection(line)
                picture.tell(line, "arc", f"class {position}: {name(letter)}")
                if lettered:
                    text = axes.text(
                        *middle, "", size=9, color=_INK, ha="center", va="bottom", zorder=3
                    )
                    picture.write(text, shortened(name(letter), 26))
    for number, (x, y) in enumerate(points):
        last = number >= words.starts[words.length]
        (dot,) = axes.plot(
            [x], [y], "o", ms=9, mfc=_FILL if last else "w", mec=_INK, mew=1.3, zorder=2
        )
        picture.tell(dot, "state", f"{words.before(number):,} ways here")
    return picture.svg(title)


def drawn_whole(words: Words) -> bool:
    """Say whether an automaton is drawn edge by edge."""
    return 0 < sum(map(len, words.edges)) <= MOST_EDGES


def _numbers(sizes: list[int], title: str) -> str:
    """Return a chart of the number of nodes at each position."""
    picture = Picture("automaton", 640, 220)
    axes = picture.figure.add_axes((0.1, 0.2, 0.88, 0.74))
    bars = axes.bar(range(len(sizes)), sizes, color=_FILL, edgecolor=_SOFT, linewidth=0.8)
    for position, (bar, size) in enumerate(zip(bars, sizes, strict=True)):
        picture.tell(bar, "bar", f"after {position} classes: {size:,} nodes")
    axes.set_xlabel("classes read")
    axes.set_ylabel("nodes")
    if sizes and log10(max(1, *sizes)) >= 3:
        axes.set_yscale("log")
    return picture.svg(title)
