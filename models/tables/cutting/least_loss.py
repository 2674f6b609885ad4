"""Cutting a table in two, again and again, where the labels of both sides lose least.

The cuts that Mondrian made, and how some of them are taken back.

Every part of the table that was cut had all that was asked of it before, so that a part may be
left whole instead. That is what becomes of parts that a reader cannot tell apart and that lack
together what each has alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from kproof.errors import InvalidArgument, TooLarge, one_of
from kproof.models.base.arrays import Codes, Flags, Ranks
from kproof.models.tables.cutting.kernel import Rules, least_loss
from kproof.models.tables.cutting.limits import Limits, limits_array
from kproof.models.tables.cutting.losses import losses, ranks, view
from kproof.models.tables.table import Table


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
        # One place more, which -1, the whole table, reads as the last: its depth stays 0.
        depth = np.zeros(len(self.above) + 1, dtype=np.int64)
        # A cut has a higher number than the one it lies in, whose depth is there already.
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


_SHARES = (50, 5)
"""Cuts with a fiftieth or more on either side, and with a fifth: either may lose less."""

_MANY = 100_000
"""Rows from which cuts are made once only: what the other ways gain is little then."""


def cut_where_least_is_lost(
    table: Table,
    k: int,
    *,
    relaxed: bool,
    limits: Sequence[Limits] = (),
    weight: Mapping[str, Fraction] | None = None,
) -> Cuts:
    """Cut a table into parts of k records or more within limits.

    Every column and every position is tried, and of the cuts that may be made the one is made after
    which the labels of both sides lose least, times ``weight`` by column. With fewer than 100,000
    rows it is done for several bounds on how uneven a cut may be and, relaxed, also with multiples
    of k on one side; what loses least in all is returned. Whole numbers only are used: the same
    records give the same parts everywhere, whatever their order, except for which of several
    identical records goes where.

    Relaxed, records with equal values in a column may be torn apart along it; without limits, parts
    then stay below 2k unless their records are all equal. The limits are on the values of each
    sensitive column in each part, see :func:`kproof.models.tables.cutting.limits.admissible`.
    """
    if table.rows * len(table.quasi_identifiers) >= 1 << 32:
        raise TooLarge(f"{table.rows} rows: rows times quasi-identifiers need to be below 2^32")
    views = tuple(map(view, table.quasi_identifiers))
    placed, lost = ranks(table, views), losses(views, weights_of(table, weight))
    order = _in_order(table, placed)
    few = table.rows < _MANY
    tried = [Rules(relaxed, share, aligned=False) for share in (_SHARES if few else _SHARES[:1])]
    if relaxed and few:
        tried.append(Rules(relaxed, _SHARES[0], aligned=True))
    sensitive, totals = sensitive_codes(table, limits)
    bounds = limits_array(limits)
    outcomes = [
        # A copy for each, as the kernel overwrites its order.
        least_loss(placed, order.copy(), lost, sensitive, totals, k, rules, bounds)
        for rules in tried
    ]
    # Of equal losses the first, on every platform: sums of whole numbers do not differ.
    *tree, _ = min(outcomes, key=lambda outcome: outcome[3])
    return Cuts.of(*tree)


def weights_of(table: Table, weight: Mapping[str, Fraction] | None) -> tuple[Fraction, ...]:
    """Return the weight of each quasi-identifier."""
    names = [column.name for column in table.quasi_identifiers]
    for name, factor in (weight or {}).items():
        if name not in names:
            raise InvalidArgument("weight", f"{name}={factor}", one_of(name, names))
    return tuple((weight or {}).get(name, Fraction(1)) for name in names)


def sensitive_codes(table: Table, limits: Sequence[Limits]) -> tuple[Ranks, Codes]:
    """Return the codes of the limited columns and how often each occurs in the whole table.

    Shape (limits, rows) and (limits, values); a column has 0 for codes beyond its own.
    """
    limited = table.secrets[: len(limits)]
    values = max((len(column.values) for column in limited), default=0)
    codes = np.zeros((len(limited), table.rows), dtype=np.int32)
    totals = np.zeros((len(limited), values), dtype=np.int64)
    for secret, column in enumerate(limited):
        codes[secret] = column.codes
        if table.totals is None:
            totals[secret] = np.bincount(column.codes, minlength=values)
        else:
            totals[secret, : len(column.values)] = table.totals[secret]
    return codes, totals


def _in_order(table: Table, placed: Ranks) -> Codes:
    """Return the records in the order that settles ties, whatever order they came in."""
    # lexsort takes its last key first: the first column decides, and sensitive values settle only
    # what all quasi-identifiers leave open.
    keys = placed.T[::-1]
    if secrets := [column.codes for column in reversed(table.secrets)]:
        keys = np.concatenate([np.stack(secrets), keys])
    return np.lexsort(keys).astype(np.int64)
