"""Cells of a binary tree as whole numbers, and as the words that files have for them.

A position is a code of H bits, and the cell at depth d is the code's first d bits. A label is those
bits behind a leading 1, so that depth and bits are one number, and 0 is free for *hidden*.
"""

from collections.abc import Sequence

import numpy as np

from kproof.errors import DataError, show
from kproof.models.base.arrays import Codes

HEIGHT = 52
"""Most bits of a code: lengths of labels are read off the exponent of a float, which is exact for
numbers of so many bits and no more."""

HIDDEN = 0
"""The label of a record in a slot that shows no cell."""
HIDDEN_NAME = "hidden"
"""What a file has for it."""

UNKNOWN = -1
"""The code of somebody who has no position in a slot."""

FIRST_LETTER = "c"
"""What the name of a cell begins with: a name of digits alone would lose its zeros in a reader
that takes it for a number."""


def depths(labels: Codes) -> Codes:
    """Return the depth of each label, 0 for the whole tree and -1 for a hidden one.

    >>> depths(np.array([0, 1, 0b10, 0b111])).tolist()
    [-1, 0, 1, 2]
    """
    return np.frexp(labels.astype(np.float64))[1].astype(np.int64) - 1


def labels_at(codes: Codes, depth: Codes | int, height: int) -> Codes:
    """Return the labels of the cells at a depth in which codes of some height are.

    >>> labels_at(np.array([0b011, 0b100]), 2, 3).tolist()
    [5, 6]
    """
    return (np.int64(1) << np.asarray(depth, dtype=np.int64)) | (codes >> (height - depth))


def spans(labels: Codes, height: int) -> tuple[Codes, Codes]:
    """Return the first code of each cell and the first one behind it; a hidden label has all.

    >>> [span.tolist() for span in spans(np.array([0b10, 0b111, 0]), 3)]
    [[0, 6, 0], [4, 8, 8]]
    """
    # A hidden label has depth -1, by which nothing can be shifted; its bits are chosen apart.
    depth = np.maximum(depths(labels), 0)
    bits = np.where(labels == HIDDEN, 0, labels ^ (np.int64(1) << depth))
    return bits << (height - depth), (bits + 1) << (height - depth)


def common(least: Codes, most: Codes, height: int) -> Codes:
    """Return the label of the smallest cell that has two codes, least and most of some.

    >>> common(np.array([0b000, 0b011]), np.array([0b001, 0b011]), 3).tolist()
    [4, 11]
    """
    # Equal codes differ in no bit, whose depth is -1: their cell is the leaf.
    return labels_at(least, height - 1 - depths(least ^ most), height)


def name(label: int) -> str:
    """Return what files call a cell.

    >>> name(0b1011), name(1), name(0)
    ('c011', 'c', 'hidden')
    """
    return HIDDEN_NAME if label == HIDDEN else FIRST_LETTER + f"{label:b}"[1:]


def labels_of(names: Sequence[str], where: str, lines: Sequence[int]) -> Codes:
    """Return the labels of cells by name; what is no name raises DataError with its line."""
    read: dict[str, int] = {HIDDEN_NAME: HIDDEN}
    labels = np.empty(len(names), dtype=np.int64)
    for row, word in enumerate(names):
        if (label := read.get(word)) is None:
            bits = word[1:]
            if word[:1] != FIRST_LETTER or len(bits) > HEIGHT or set(bits) - {"0", "1"}:
                need = f"{HIDDEN_NAME}, or {FIRST_LETTER} and up to {HEIGHT} digits 0 or 1"
                raise DataError(f"{where}, line {lines[row]}: cell is {show(word)}; need {need}")
            label = read[word] = int("1" + bits, 2)
        labels[row] = label
    return labels
