"""Whose row is it: published rows matched with the originals they can be of.

A published row can be of an original if each of its labels covers the original's value. A release
tells the truth only if all its rows can be given distinct originals at the same time, which a
maximum matching decides: Hall's condition for sets of rows, not just for single ones.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kproof.proptests.contract import TableCase, TablePublication
from kproof.proptests.labels.cells import canonical, loose
from kproof.proptests.labels.labels import Label, own_covering
from kproof.proptests.labels.vocabulary import ColumnVocabulary

Fits = NDArray[np.bool_]


@dataclass(frozen=True)
class Unreadable:
    """A label no interpretation makes anything of."""

    column: str
    label: object
    rows: tuple[int, ...]


def fits(case: TableCase, publication: TablePublication) -> tuple[Fits, tuple[Unreadable, ...]]:
    """Say which published row can be of which original, by quasi-identifiers.

    A quasi-identifier that is not published covers every value. What comes with an account of
    kproof's is read as kproof writes it, and what cannot be read so covers nothing. Anything else
    is read in every way there is, and what cannot be read covers everything: what does not fit
    even so is wrong whatever such a label means. The shape is (published rows, originals); the
    labels that cannot be read come second.

    >>> case = TableCase({"age": (25, 26, 40)}, ("age",), None)
    >>> possible, unreadable = fits(case, TablePublication({"age": ("25-26", "25-26", "40")}))
    >>> possible.sum(axis=1).tolist(), unreadable
    ([2, 2, 1], ())
    """
    possible = np.ones((publication.rows, case.rows), dtype=np.bool_)
    unreadable = []
    for name in case.quasi_identifiers:
        if name not in publication.everything:
            continue
        # Each different label is read beside each different value once: cells repeat, and to read
        # one is slow.
        labels, label_of = _distinct(publication.everything[name])
        values, value_of = _distinct(case.columns[name])
        table = np.zeros((len(labels), len(values)), dtype=np.bool_)
        vocabulary = ColumnVocabulary.of(values, case.hierarchies.get(name, {}))
        for row, label in enumerate(labels):
            if publication.release is not None:
                covering = own_covering(str(label), hierarchy=vocabulary.hierarchy)
                covered = [None if covering is None else covering(value) for value in values]
            else:
                covered = list(map(Label(label, vocabulary).covers, values))
            table[row] = [answer is not False for answer in covered]
            if None in covered:
                rows = tuple(np.flatnonzero(label_of == row).tolist())
                unreadable.append(Unreadable(name, label, rows))
                # With an account a label is as kproof writes it: what cannot be read covers nobody.
                # Without one it is in doubt, and may be anybody's.
                table[row] &= publication.release is None
        possible &= table[np.ix_(label_of, value_of)]
    return possible, tuple(unreadable)


def with_sensitive(possible: Fits, case: TableCase, publication: TablePublication) -> Fits:
    """Keep of what fits only what also has the same sensitive value, if that is published."""
    if case.sensitive is None or case.sensitive not in publication.everything:
        return possible
    code: dict[Hashable, int] = {}

    def code_of(values: Sequence[object]) -> NDArray[np.int64]:
        return np.array([code.setdefault(loose(value), len(code)) for value in values], np.int64)

    # Both are numbered by one dictionary, so that numbers are equal where values are.
    published = code_of(publication.everything[case.sensitive])
    original = code_of(case.columns[case.sensitive])
    return np.asarray(possible & (published[:, None] == original[None, :]))


def rows_unmatched(possible: Fits) -> tuple[int, ...]:
    """Return the published rows left without an original when as many as can be have one.

    >>> rows_unmatched(np.array([[True, False], [True, False]]))
    (1,)
    """
    # Originals are bits of a number, so that all that a row may be of are looked at in one step.
    fitting = [
        int.from_bytes(np.packbits(row, bitorder="little").tobytes(), "little") for row in possible
    ]
    free = reachable = (1 << possible.shape[1]) - 1
    original_of: dict[int, int] = {}
    owner: dict[int, int] = {}
    unmatched = []
    for row in range(len(fitting)):
        unseen, queue, reached_from = reachable, [row], dict[int, int]()
        for visited in queue:
            fresh = fitting[visited] & unseen
            unseen &= ~fresh
            # An original that nobody has ends the way, and the others lead on to who has them.
            fresh = (fresh & free & -(fresh & free)) or fresh
            while fresh:
                original = fresh.bit_length() - 1
                reached_from[original] = visited
                if free >> original & 1:
                    break
                queue.append(owner[original])
                fresh ^= 1 << original
            if fresh:
                free ^= 1 << original
                break
        else:
            unmatched.append(row)
            # From here no way leads on, for no later row either: what was seen need not be again.
            reachable = unseen
            continue
        while True:
            # Back along the way: each row takes the original that was reached from it, and its
            # former one goes to the row before. The row at the start had none.
            mover = reached_from[original]
            before, original_of[mover], owner[original] = original_of.get(mover), original, mover
            if before is None:
                break
            original = before
    return tuple(unmatched)


def _distinct(cells: Sequence[object]) -> tuple[list[object], NDArray[np.int64]]:
    """Return the distinct cells in order of appearance and the place of each cell among them."""
    place: dict[Hashable, int] = {}
    distinct: list[object] = []
    codes: list[int] = []
    for cell in cells:
        # A dictionary takes True for 1, and a label may tell them apart.
        key = (type(cell).__name__ if isinstance(cell, (bool, str)) else "", canonical(cell))
        if key not in place:
            place[key] = len(distinct)
            distinct.append(cell)
        codes.append(place[key])
    return distinct, np.array(codes, dtype=np.int64)
