"""The second release of the same people: classes that tell nothing new beside the first.

Whoever was in the first release stays with the people of her class, and whoever is new is in a
class of new people. So nobody is in two classes that a reader could cross, and the values of a
class change only by those who left; classes that people left are joined until enough of them are
missing together, or are left out whole. Who came and who left decides, and nobody's secret: that
it says nothing of anybody is for the judge to find.

Source: X. Xiao, Y. Tao, "m-Invariance: Towards Privacy Preserving Re-publication of Dynamic
Datasets", SIGMOD 2007, without its counterfeit records: a published row is always somebody's.
"""

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kproof.errors import DataError, InvalidArgument
from kproof.models.base.arrays import Codes


@dataclass(frozen=True, eq=False)
class InvariantClasses:
    """Classes for a second release."""

    class_of: Codes
    """Shape (rows,): class of each row, from 0; -1 if it is left out."""
    reused: int
    """Classes of the first release that stay, alone or joined."""
    formed: int
    """Classes of newcomers."""

    @property
    def left_out(self) -> int:
        """Rows that are not published this time."""
        return int(np.count_nonzero(self.class_of < 0))


def invariant_classes(
    person: Codes,
    *,
    earlier_person: Codes,
    earlier_class: Codes,
    k: int,
    form: Callable[[Codes], Codes],
) -> InvariantClasses:
    """Return classes in which a table is published after an earlier release of its people.

    ``earlier_class`` has the class of each earlier row, and ``earlier_person`` whom it is about: -1
    for people who are not in the table, in which each has one row. ``form`` returns the class of
    each newcomer, given their rows, from known columns alone. Here two people left, and two came:

    >>> classes = invariant_classes(
    ...     np.array([0, 1, 2, 3, 4, 5]),
    ...     earlier_person=np.array([0, 1, -1, 2, 3, -1]),
    ...     earlier_class=np.array([0, 0, 0, 1, 1, 1]),
    ...     k=2, form=lambda rows: np.zeros(len(rows), dtype=int),
    ... )
    >>> classes.class_of.tolist(), classes.reused, classes.formed, classes.left_out
    ([0, 0, 0, 0, 1, 1], 2, 1, 0)
    """
    if k < 2:
        raise InvalidArgument("k", k, "k >= 2")
    for persons in (person, earlier_person[earlier_person >= 0]):
        if len(np.unique(persons)) < len(persons):
            raise DataError("somebody has several rows; publish a row for each person")
    row_of = {whom: row for row, whom in enumerate(person.tolist())}
    stayed: dict[int, list[int]] = defaultdict(list)
    gone: Counter[int] = Counter()
    for whom, index in zip(earlier_person.tolist(), earlier_class.tolist(), strict=True):
        if whom in row_of:
            stayed[index].append(row_of[whom])
        else:
            gone[index] += 1
    class_of = np.full(len(person), -1, dtype=np.int64)
    # Classes that nobody left stay alone: joined with others they would only grow.
    groups = [[index] for index in sorted(stayed) if index not in gone]
    groups += _join({index: gone[index] for index in sorted(stayed) if index in gone}, k)
    count, reused = 0, 0
    for group in groups:
        rows = [row for index in group for row in stayed[index]]
        # Left out whole: fewer than k who stayed are too few to be shown, and none may move.
        if len(rows) >= k:
            class_of[rows] = count
            count, reused = count + 1, reused + len(group)
    new = np.flatnonzero(~np.isin(person, earlier_person))
    # Fewer than k newcomers make no class, and a method would refuse them as a table.
    formed = np.unique(form(new), return_inverse=True)[1] if len(new) >= k else new[:0]
    sizes = np.bincount(formed)
    large = np.flatnonzero(sizes >= k)
    for place, index in enumerate(large.tolist()):
        class_of[new[formed == index]] = count + place
    return InvariantClasses(class_of, reused, len(large))


def _join(gone: dict[int, int], k: int) -> list[list[int]]:
    """Join classes that people left until k of them are missing."""
    groups: list[list[int]] = []
    group: list[int] = []
    missing = 0
    for index, leavers in gone.items():
        group.append(index)
        missing += leavers
        if missing >= k:
            groups.append(group)
            group, missing = [], 0
    # Fewer than k who left would be told by subtraction: theirs go with the group before.
    if group and groups:
        groups[-1] += group
    return groups
