"""The cuts that Mondrian made, and how some of them are taken back.

Every part of the table that was cut had all that was asked of it before, so that a part may be
left whole instead. That is what becomes of parts that a reader cannot tell apart and that lack
together what each has alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from kproof.models.base.arrays import Codes, Flags


@dataclass(frozen=True)
class Cuts:
    """A tree of cuts: every cut is made in a side of another, the first one in the whole table."""

    of_row: Codes
    """Shape (rows,): the last part that each row came into."""
    made_by: Codes
    """Shape (parts,): the cut that made each last part; -1 where nothing was cut."""
    above: Codes
    """Shape (cuts,): the cut that made the part which each cut was made in; -1 for the whole
    table. A cut has a lower number than those within its sides."""
    undone: Flags = field(repr=False)
    """Shape (cuts,): whether the part that was cut is left whole."""

    @classmethod
    def of(cls, of_row: Codes, made_by: Codes, above: Codes) -> Cuts:
        """Take cuts of which none is taken back."""
        return cls(of_row, made_by, above, np.zeros(len(above), dtype=np.bool_))

    @property
    def group_of(self) -> Codes:
        """Shape (rows,): the part each row is in, parts numbered from the left."""
        part_of, _ = self._parts()
        return np.unique(part_of, return_inverse=True)[1].reshape(-1)[self.of_row].astype(np.int64)

    def take_back(self, class_of_group: Codes, failing: Flags) -> Cuts:
        """Return the tree without the latest cuts that made the parts of failing classes.

        ``class_of_group``, shape (parts,), is the published class of each part of :attr:`group_of`;
        ``failing``, shape (classes,), says whether a class, of two parts or more, lacks what was
        asked. Of each failing class those parts are joined with what they were cut from that lie
        deepest in the tree.

        Four parts, of which the first and the third look alike; the cuts below the first one are
        both the latest:

        >>> tree = Cuts.of(np.arange(4), np.array([1, 1, 2, 2]), np.array([-1, 0, 0]))
        >>> alike, failing = np.array([0, 1, 0, 2]), np.array([True, False, False])
        >>> tree.take_back(alike, failing).group_of.tolist()
        [0, 0, 1, 1]
        """
        part_of, maker = self._parts()
        first = np.unique(part_of, return_index=True)[1]
        depth = np.zeros(len(self.above) + 1, dtype=np.int64)
        for cut, parent in enumerate(self.above.tolist()):
            depth[cut] = depth[parent] + 1
        maker = maker[first]
        depths = depth[maker]
        deepest = np.zeros(len(failing), dtype=np.int64)
        np.maximum.at(deepest, class_of_group, depths)
        latest = failing[class_of_group] & (depths == deepest[class_of_group])
        undone = self.undone.copy()
        undone[maker[latest]] = True
        return Cuts(self.of_row, self.made_by, self.above, undone)

    def _parts(self) -> tuple[Codes, Codes]:
        """Return the first last part of the part that each last part is in, and its cut."""
        top = np.full(len(self.above) + 1, -1, dtype=np.int64)
        for cut, (parent, back) in enumerate(
            zip(self.above.tolist(), self.undone.tolist(), strict=True)
        ):
            top[cut] = top[parent] if top[parent] >= 0 else cut if back else -1
        # The place of cut -1, the whole table, is the last one, and nothing is above it.
        within = top[self.made_by]
        number = np.where(within >= 0, within, len(self.above) + np.arange(len(within)))
        _, first, inverse = np.unique(number, return_index=True, return_inverse=True)
        above = np.append(self.above, -1)
        maker = np.where(within >= 0, above[within], self.made_by)
        return first[inverse.reshape(-1)].astype(np.int64), maker
