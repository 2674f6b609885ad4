"""How much a label may tell: the most members of a set that a release may show.

A set generalizes only as long as it is short. A class of thirty that shows thirty dates of birth
has a label that hides who is who in it, and tells everything else. Such a column needs levels: a
hierarchy, or numbers that are published as ranges.
"""

from collections.abc import Iterable

import numpy as np

from kproof.errors import DataError, show, spell
from kproof.models.base.missing import text
from kproof.models.tables.levels.ladders import helpful, holds_dates
from kproof.models.tables.recoding import Recoded
from kproof.models.tables.table import Table

MOST_MEMBERS = 8
"""Most members of a set, a missing value included, unless a caller says otherwise."""

MOST_DATES = 3
"""Most dates or times in a set: each is nearly a person's own, and has a calendar."""


def require_short_labels(table: Table, recoded: Iterable[Recoded]) -> None:
    """Refuse a release with a label that tells more than it may, or less than was asked for.

    A set may have so many members and no more, ``most_members`` of the table in place of both
    limits; a node lies at the column's highest level or below. Suppressed rows that are marked show
    nothing of a column, whatever its highest level.
    """
    for coded in recoded:
        _require_low(coded)
        if coded.starts is None:
            continue
        dates = holds_dates(coded.column.values)
        # Never 0 where somebody said it: it is at least 1.
        limit = table.most_members or (MOST_DATES if dates else MOST_MEMBERS)
        lengths = np.diff(coded.starts)
        if coded.hidden is not None:
            # It shows the mark, not a set.
            lengths[coded.hidden] = 0
        if (longest := int(lengths.max(initial=0))) > limit:
            raise DataError(
                f"column {show(coded.column.name)}: a class would show a set of {longest} "
                f"{'dates or times' if dates else 'values'} "
                f"({_some(coded, int(lengths.argmax()))}), at most {limit}; give the column "
                f"levels, by {spell('ladders', {coded.column.name: helpful(coded.column)})} or "
                f"a hierarchy ({spell('taxonomies')}), or allow more "
                f"({spell('most_members', longest)})"
            )


def _require_low(recoded: Recoded) -> None:
    column, tree = recoded.column, recoded.column.taxonomy
    if tree is None or recoded.nodes is None or column.nodes is None or column.most_level is None:
        return
    # No two nodes of a level lie below one another, so that only the last before can be above.
    tops = np.unique(tree.at_level(column.most_level)[column.nodes])
    above = tops[np.maximum(np.searchsorted(tops, recoded.nodes, side="right") - 1, 0)]
    higher = (recoded.nodes < above) | (recoded.nodes > tree.ends[above])
    if recoded.hidden is not None:
        # It shows the mark, no level.
        higher[recoded.hidden] = False
    high = np.flatnonzero(higher)
    if len(high):
        label = tree.labels[int(recoded.nodes[high[0]])]
        raise DataError(
            f"column {show(column.name)}: {len(high)} of {len(recoded.nodes)} classes would show "
            f"a higher level than {column.most_level}, such as {show(label)}; allow a "
            f"higher one ({spell('most_levels', {column.name: column.most_level + 1})}), or ask "
            "for a smaller k"
        )


def _some(recoded: Recoded, index: int) -> str:
    """Return the first members of a class's set."""
    if recoded.starts is None or recoded.members is None:
        return ""
    codes = recoded.members[recoded.starts[index] : recoded.starts[index + 1]][:2].tolist()
    return ", ".join(show(text(recoded.column.values[code]), 24) for code in codes) + ", …"
