"""Drawing the automaton of a staged net: what can come out of each stage, and how the ways meet."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from math import log10

from kproof.petri.drawing.layered import Arc, Extent, layer_layout
from kproof.petri.drawing.svg import INK, SOFT, Line, Shapes, box_of
from kproof.petri.spaces.words import Letter, Words
from kproof.pictures import Picture, style

MOST_EDGES = 400
"""Most edges of an automaton that is drawn edge by edge; of a larger one the nodes are counted."""
MOST_LETTERED = 120
"""Most edges with the keys of their letters on them."""

_NODE = 5.0
_FILL = "#d3dbe4"


@dataclass(frozen=True, slots=True)
class KeyedLetter:
    """A letter at a position, and what a drawing calls it."""

    key: str
    """Its position and a letter of the alphabet or several: short, so that keys have room."""
    position: int
    """Where it stands, from 0."""
    letter: Letter
    """The letter."""
    words: int
    """How many words have it there."""


def letters_with_keys(words: Words) -> tuple[KeyedLetter, ...]:
    """Return the letters of an automaton with their keys, the most frequent first.

    >>> [_alphabetic(number) for number in (0, 25, 26, 27)]
    ['a', 'z', 'aa', 'ab']
    """
    return tuple(
        KeyedLetter(f"{position}{_alphabetic(number)}", position, letter, count)
        for position in range(words.length)
        for number, (letter, count) in enumerate(
            sorted(words.letters(position).items(), key=lambda entry: -entry[1])
        )
    )


def _alphabetic(number: int) -> str:
    """Return a number from 0 as letters, as spreadsheets name columns."""
    text = ""
    while number >= 0:
        number, digit = divmod(number, 26)
        text = chr(ord("a") + digit) + text
        # No letter is a zero: after z comes aa, so each further place begins one lower.
        number -= 1
    return text


@style("automaton")
def words_svg(
    words: Words, *, name: Callable[[Letter], str] = str, title: str = "the automaton"
) -> str:
    """Return a drawing of an automaton, position by position from top to bottom.

    The more words an edge is on, the thicker it is. Edges have the keys of their letters
    (:func:`letters_with_keys`): whole letters are far too long for each to stand where it belongs.
    A large automaton is drawn as the number of nodes at each position. ``name`` says what a letter
    is called in a tip, ``title`` what a screen reader says.
    """
    sizes = [end - start for start, end in pairwise(words.starts)]
    if not is_drawn_whole(words):
        return _numbers(sizes, title)
    position = [depth for depth, size in enumerate(sizes) for _ in range(size)]
    edges = [
        (node, letter, target)
        for node, leaving in enumerate(words.edges)
        for letter, target in leaving.items()
    ]
    lettered = len(edges) <= MOST_LETTERED
    keys = {(keyed.position, keyed.letter): keyed.key for keyed in letters_with_keys(words)}
    labels = [(Line(keys[position[node], letter], "c"),) for node, letter, _ in edges]
    boxes = [Extent(_NODE, _NODE, 2 * _NODE)] * len(position)
    arcs = [
        Arc(node, target, box_of(label, padding=3) if lettered else None)
        for (node, _, target), label in zip(edges, labels, strict=True)
    ]
    layout = layer_layout(boxes, arcs, position, down=8 if lettered else 34)
    shapes = Shapes(layout, boxes, [_NODE] * len(position), arcs)
    for number, (node, letter, target) in enumerate(edges):
        share = words.through(node, target) / words.count
        key = keys[position[node], letter]
        tip = f"{key}, class {position[node]}: {name(letter)}"
        shapes.arc(number, labels[number], tip, heads="-", lw=0.6 + 3.4 * share)
    for node, depth in enumerate(position):
        fill = _FILL if depth == words.length else "w"
        shapes.circle(node, "state", f"{words.before[node]:,} ways here", fc=fill, ec=INK)
    return shapes.to_svg(title)


def is_drawn_whole(words: Words) -> bool:
    """Say whether an automaton is drawn edge by edge."""
    return 0 < sum(map(len, words.edges)) <= MOST_EDGES


def _numbers(sizes: list[int], title: str) -> str:
    """Return a chart of the number of nodes at each position."""
    picture = Picture("automaton", 640, 220)
    axes = picture.figure.add_axes((0.1, 0.2, 0.88, 0.74))
    bars = axes.bar(range(len(sizes)), sizes, color=_FILL, edgecolor=SOFT, linewidth=0.8)
    for position, (bar, size) in enumerate(zip(bars, sizes, strict=True)):
        picture.tell(bar, "bar", f"after {position} classes: {size:,} nodes")
    axes.set_xlabel("classes read")
    axes.set_ylabel("nodes")
    if sizes and log10(max(1, *sizes)) >= 3:
        axes.set_yscale("log")
    return picture.svg(title)
