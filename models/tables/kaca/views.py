"""How KACA looks at quasi-identifiers: an order for each, and what a label of each loses.

Most are seen as :mod:`kproof.models.tables.cutting.views` has them. Of times of day a label loses
the arc, as a share of the day; section ids are values of a tree, by common prefix.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kproof.models.base.columns import Column
from kproof.models.base.missing import MISSING, text
from kproof.models.base.taxonomy import Taxonomy
from kproof.models.tables.cutting.losses import SPAN, UNIT
from kproof.models.tables.cutting.views import ColumnView, in_tree, view
from kproof.models.tables.kaca.clock import MINUTES, minutes_of, prefix_tree, widest_gap
from kproof.models.tables.table import Table

Ints = NDArray[np.int64]


def views(table: Table, *, section: str | None, time: str | None) -> tuple[ColumnView, ...]:
    """Return a view of each quasi-identifier; those named are section ids and times of day."""
    found = []
    for column in table.quasi_identifiers:
        if column.name == time:
            found.append(_clock(column))
        elif column.name == section:
            found.append(_sections(column))
        else:
            found.append(view(column))
    return tuple(found)


def _clock(column: Column) -> ColumnView:
    minutes = minutes_of(column)
    there = minutes >= 0
    origin = widest_gap(minutes[there].tolist()) if there.any() else 0
    # A missing time comes last, a whole day after the others begin.
    since = np.where(there, (minutes - origin) % MINUTES, MINUTES)
    distinct, rank_of = np.unique(since, return_inverse=True)
    units = distinct * UNIT // MINUTES
    return ColumnView(rank_of.reshape(-1).astype(np.int64), SPAN, units.astype(np.int64))


def _sections(column: Column) -> ColumnView:
    known = [text(value) for value in column.values if value is not MISSING]
    tree, node_of = prefix_tree(known)
    if column.missing is not None:
        last = len(tree.labels)
        tree = Taxonomy((*tree.labels, text(MISSING)), np.append(tree.parents, 0), tree.source)
        nodes = np.array([*(node_of[one] for one in known), last], dtype=np.int64)
    else:
        nodes = np.array([node_of[one] for one in known], dtype=np.int64)
    return in_tree(tree, nodes)
