"""Forming classes of k rows before anything is known of their sensitive values.

Each function gives the class of every row, classes numbered in the order in which an algorithm
walks through them. What is left of the rows when they are cut into classes of k joins the last
class, is a short class of its own, or is left out (class -1), as ``remainder`` says.
"""

from collections.abc import Iterable
from fractions import Fraction

import numpy as np

from kproof.errors import Infeasible, InvalidArgument, show
from kproof.models.base.arrays import Codes
from kproof.models.tables.axes import axis, ranks_and_places
from kproof.models.tables.cutting.least_loss import cut_where_least_is_lost
from kproof.models.tables.cutting.limits import NO_LIMITS
from kproof.models.tables.table import Table
from kproof.models.tables.theta.forming_kernel import blocks, deal
from kproof.models.tables.theta.moves import SAFE, Threshold, variance
from kproof.models.tables.theta.options import Form, Remainder


def classes_of(table: Table, form: Form, remainder: Remainder, threshold: Threshold) -> Codes:
    """Form classes of ``threshold.k`` rows in one of the ways there are."""
    k = threshold.k
    if form is Form.DIVERSE:
        return diverse(table, k, remainder, threshold)
    if form is Form.LEAST_LOSS:
        return least_loss(table, threshold)
    if form is Form.COMPACT:
        return compact(table, k, remainder)
    if form is Form.SORTED:
        keys = [axis(column).ranks for column in reversed(table.quasi_identifiers)]
        return cut_into_classes(np.lexsort(keys), k, remainder)
    return cut_into_classes(np.arange(table.rows), k, remainder)


def compact(table: Table, k: int, remainder: Remainder) -> Codes:
    """Halve the table along its widest quasi-identifier until blocks are classes.

    A block of m classes is cut after the first ⌊m/2⌋ k of its rows in the order of the column in
    which it is widest, widths taken as shares of the column's own; the first column wins ties
    between columns, the order of the table those between rows. Neighbours in the numbering of the
    classes are neighbours in space, more or less.
    """
    ranks, places = ranks_and_places(table)
    order = blocks(ranks, places, k, _count(table.rows, k, remainder))
    return cut_into_classes(order, k, remainder)


def diverse(table: Table, k: int, remainder: Remainder, threshold: Threshold) -> Codes:
    """Halve the table as :func:`compact` does, but only into blocks that can be dealt out.

    A block is dealt out like cards: its rows, sorted by sensitive value, go to its classes in
    turn, so that no value is in one class twice before it is in every class once. A cut is made
    along the widest column that does not raise the number of classes below the threshold; a block
    without one is dealt out. If classes are to have k rows exactly, the last rows % k rows of the
    table are set aside first. Classes too large for a variance in 64 bits are :func:`compact`.
    """
    if table.sensitive is None:
        raise InvalidArgument("sensitive", None, "a sensitive column to deal out")
    rows = table.rows if remainder is Remainder.MERGE else table.rows - table.rows % k
    count, spare = rows // k, rows % k
    domain = len(table.sensitive.values)
    # Dealing out compares variances in 64 bits, which would wrap around.
    if (k + spare) * min(domain, k + spare) >= SAFE:
        return compact(table, k, remainder)
    counts = [count]
    while counts[-1] > 1:
        counts.append(counts[-1] - counts[-1] // 2)
    sizes = sorted({k, *(k + extra for m in counts for extra in (spare // m, -(-spare // m)))})
    # Capped: no variance that fits in 64 bits reaches it.
    least_scaled = [min(threshold.least(size), np.iinfo(np.int64).max) for size in sizes]
    ranks, places = ranks_and_places(table)
    class_of = np.full(table.rows, count if remainder is Remainder.NOISE else -1, dtype=np.int64)
    class_of[:rows] = deal(
        np.ascontiguousarray(ranks[:, :rows]),
        np.ascontiguousarray(places[:, :rows]),
        table.sensitive.codes[:rows].astype(np.int64),
        k,
        count,
        domain,
        np.array(sizes),
        np.array(least_scaled),
    )
    return class_of


def forms_of(
    form: Form, remainder: Remainder, table: Table, threshold: Threshold
) -> tuple[Form, ...]:
    """Return the forms to be tried, in their order.

    Cuts that lose least are tried where every part can reach θ: what is never cut must vary enough.
    They are refused where classes are to have k rows exactly, or the whole table does not reach θ.
    """
    if form is Form.LEAST_LOSS and remainder is not Remainder.MERGE:
        raise InvalidArgument("form", form.value, "another with remainder noise or suppress")
    if form not in (Form.BEST, Form.LEAST_LOSS):
        return (form,)
    spread, feasible = _whole_variance(table, threshold)
    if form is Form.LEAST_LOSS:
        if not feasible:
            name = "" if table.sensitive is None else show(table.sensitive.name)
            raise Infeasible(
                f"form = least-loss: column {name} of the whole table has variance {spread}, below "
                f"theta = {threshold.at(table.rows)}; lower mu or take form = diverse"
            )
        return (form,)
    try_both = feasible and remainder is Remainder.MERGE
    return (Form.DIVERSE, Form.LEAST_LOSS) if try_both else (Form.DIVERSE,)


def _whole_variance(table: Table, threshold: Threshold) -> tuple[Fraction, bool]:
    """Return the variance of the whole table, and whether parts of any size can reach θ."""
    if table.sensitive is None:
        raise InvalidArgument("sensitive", None, "a sensitive column that is to vary")
    counts = np.bincount(table.sensitive.codes, minlength=len(table.sensitive.values)).tolist()
    spread = variance({code: count for code, count in enumerate(counts) if count})
    # Beyond that a variance may not fit in 64 bits.
    decided = table.rows * len(counts) < 1 << 32
    return spread, decided and spread >= threshold.at(table.rows)


def least_loss(table: Table, threshold: Threshold) -> Codes:
    """Cut the table where labels lose least, as long as both sides have k rows and reach θ.

    θ is that of k rows, or of all rows if each class has a θ of its own: then it is the largest.
    """
    theta = threshold.at(table.rows)
    varying = (*NO_LIMITS[:3], theta.numerator, theta.denominator, NO_LIMITS[-1])
    return cut_where_least_is_lost(table, threshold.k, relaxed=True, limits=[varying]).of_row


def read_classes(classes: Iterable[int], *, rows: int, k: int) -> Codes:
    """Return the classes of k rows or more that a caller formed, numbered in ascending order."""
    labels = np.asarray(classes if isinstance(classes, np.ndarray) else list(classes))
    if labels.shape != (rows,) or labels.dtype.kind not in "iu":
        raise InvalidArgument("classes", classes, f"one whole number for each of the {rows} rows")
    names, class_of, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    if sizes.min() < k:
        name, size = names[sizes.argmin()], sizes.min()
        raise InvalidArgument("classes", f"{name} with {size} rows", f"at least k = {k} rows each")
    return class_of.reshape(-1).astype(np.int64)


def cut_into_classes(order: Codes, k: int, remainder: Remainder) -> Codes:
    """Cut rows in a given order into classes of k.

    >>> cut_into_classes(np.arange(5), 2, Remainder.MERGE).tolist()
    [0, 0, 1, 1, 1]
    >>> cut_into_classes(np.arange(5), 2, Remainder.SUPPRESS).tolist()
    [0, 0, 1, 1, -1]
    >>> cut_into_classes(np.array([4, 3, 2, 1, 0]), 2, Remainder.NOISE).tolist()
    [2, 1, 1, 0, 0]
    """
    count = _count(len(order), k, remainder)
    class_of = np.empty(len(order), dtype=np.int64)
    class_of[order] = np.arange(len(order)) // k
    if remainder is Remainder.MERGE:
        np.minimum(class_of, count - 1, out=class_of)
    elif remainder is Remainder.SUPPRESS:
        class_of[class_of == count] = -1
    return class_of


def _count(rows: int, k: int, remainder: Remainder) -> int:
    return -(-rows // k) if remainder is Remainder.NOISE else rows // k
