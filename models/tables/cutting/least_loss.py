"""Cutting a table in two, again and again, where the labels of both sides lose least."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from kproof.errors import InvalidArgument, TooLarge, one_of
from kproof.models.base.arrays import Codes, Ranks
from kproof.models.tables.cutting.kernel import Rules, least_loss
from kproof.models.tables.cutting.limits import Limits, limits_array
from kproof.models.tables.cutting.tree import Cuts
from kproof.models.tables.cutting.views import losses, ranks, view
from kproof.models.tables.table import Table

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
        least_loss(placed, order.copy(), lost, sensitive, totals, k, rules, bounds)
        for rules in tried
    ]
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
    keys = placed.T[::-1]
    secrets = [column.codes for column in reversed(table.secrets)]
    if secrets:
        keys = np.concatenate([np.stack(secrets), keys])
    return np.lexsort(keys).astype(np.int64)
