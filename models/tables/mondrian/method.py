"""Mondrian: multidimensional partitioning, the k-anonymizer everyone compares with.

All records start as one part. A part is cut in two at the median of its widest quasi-identifier
as long as both sides keep k records, and, where asked for, l-diversity, t-closeness and
θ-sensitivity. Labels are written afterwards from the records of each class.

Source: K. LeFevre, D. J. DeWitt, R. Ramakrishnan, "Mondrian Multidimensional K-Anonymity",
ICDE 2006.
"""

from __future__ import annotations

from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kproof.errors import Infeasible, InvalidArgument, TooLarge
from kproof.models.base.columns import Column
from kproof.models.base.parameters import MU, L, T
from kproof.models.tables.axes import axes, group_size
from kproof.models.tables.mondrian.cuts import Cuts
from kproof.models.tables.mondrian.kernel import partition
from kproof.models.tables.release import released
from kproof.models.tables.theta.alike import short
from kproof.models.tables.theta.moves import Threshold
from kproof.theory.exact.typed import Number, choice

if TYPE_CHECKING:
    from kproof.models.tables.release import Release
    from kproof.models.tables.table import Table

_LONGEST_TERM = 1 << 47
_ALLOWS_ALL = (0, 1, 1, 0, 1)


class Partitioning(StrEnum):
    """Whether equal values may be torn apart."""

    STRICT = "strict"
    """Never: regions are disjoint, and each record's region follows from its values."""
    RELAXED = "relaxed"
    """Yes, to balance the sides: classes stay below 2k unless their records are all equal."""


def mondrian(
    table: Table,
    *,
    k: int,
    partitioning: Partitioning | str = Partitioning.STRICT,
    l: int | None = None,
    t: Number | None = None,
    mu: Number | None = None,
) -> Release:
    """Publish a table in classes cut by Mondrian.

    A part is cut along the column whose places span most (see :mod:`kproof.models.tables.axes`; the
    first such column), or failing that the next; never along a column in which its records agree.
    Strict: just above or just below the median value, whichever is more balanced (just above if
    both are), or failing that the other. With k as the only limit, a part is then left whole only
    if no cut of any column has k records on both sides. Relaxed: into halves, the left one larger
    by a record if need be; of records with the median value, those that come first by
    quasi-identifiers, sensitive value and input order, in that order, go left.

    Parts whose labels are equal are one class to a reader. Together they have k records, l
    distinct values and distance t if each of them does; θ they may lack (3, 3, 2 of three values
    vary less than 2, 1, 1 and 1, 2, 1). The latest of the cuts that made such parts are taken back
    then, and again until every class reaches θ, at the latest when the table is whole.

    The strict classes are a function of the set of records: their order does not matter. The
    relaxed classes are, except for which of several identical records goes where.

    Parameters
    ----------
    table
        At least k records and one quasi-identifier.
    k
        Least number of records in a class, from 2.
    partitioning
        ``"strict"`` or ``"relaxed"``.
    l
        Least number of distinct sensitive values in a class, from 1.
    t
        Largest distance, 0 <= t <= 1, of a class's sensitive values from the table's, all values
        being equally far apart.
    mu
        Factor of the least variance θ = μ(k² - 1)/12 of a class's sensitive values
        (Definition 10 of "θ-Sensitive k-Anonymity"), μ >= 0; of records with equal labels together.

    Raises
    ------
    InvalidArgument
        If a parameter is out of range, the table has fewer than k records, or a limit on
        sensitive values is asked of a table without any.
    Infeasible
        If the table as a whole breaks a limit, so that there is nothing to cut.
    TooLarge
        If a limit cannot be decided exactly in 64 bits.

    Examples
    --------
    >>> import pandas as pd
    >>> from kproof.models.tables.table import Table
    >>> table = Table.from_frame(
    ...     pd.DataFrame({"age": [25, 26, 40, 41, 60], "zip": [1, 2, 1, 2, 2]}),
    ...     quasi_identifiers=["age", "zip"],
    ... )
    >>> mondrian(table, k=2).class_of.tolist()
    [0, 0, 0, 1, 1]
    >>> mondrian(table, k=6)
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: k = 6: need 2 <= k <= 5, the number of records
    """
    size = group_size(table, k)
    partitioning = choice("partitioning", partitioning, Partitioning)
    parameters: dict[str, object] = {"k": size, "partitioning": partitioning.value}
    least, most, threshold = 1, Fraction(1), Threshold(Fraction(0), size)
    if l is not None:
        parameters["l"] = least = L.read(l)
    if t is not None:
        parameters["t"] = most = T.read(t)
    if mu is not None:
        parameters["mu"] = factor = MU.read(mu)
        threshold = Threshold(factor, size)
    limits, totals = _ALLOWS_ALL, np.zeros(0, dtype=np.int64)
    asked = [name for name in ("l", "t", "mu") if name in parameters]
    if asked:
        if table.sensitive is None:
            raise InvalidArgument(
                asked[0], parameters[asked[0]], "a table with a sensitive column for it"
            )
        limits, totals = _limits(table.sensitive, least, most, threshold.at(size))
    cuts = _cut(table, size, partitioning, np.array(limits, dtype=np.int64), totals)
    return _told_apart(table, cuts, threshold, parameters)


def _told_apart(
    table: Table, cuts: Cuts, threshold: Threshold, parameters: dict[str, object]
) -> Release:
    """Release the parts, cuts taken back until parts that look alike reach θ together."""
    release = released(table, cuts.group_of, method="mondrian", parameters=parameters)
    while threshold.mu > 0 and (failing := short(release, threshold)).any():
        cuts = cuts.taken_back(release.class_of_group, failing)
        release = released(table, cuts.group_of, method="mondrian", parameters=parameters)
    return release


def _limits(
    sensitive: Column, least: int, most: Fraction, theta: Fraction
) -> tuple[tuple[int, int, int, int, int], NDArray[np.int64]]:
    """Return the limits as the kernel reads them, the table as a whole being within them."""
    totals = np.bincount(sensitive.codes, minlength=len(sensitive.values)).astype(np.int64)
    counts = sorted((count for count in totals.tolist() if count), reverse=True)
    rows = sum(counts)
    if len(counts) < least:
        raise Infeasible(
            f"l = {least}: column {sensitive.name} has {len(counts)} distinct values, "
            "so no class can have more"
        )
    for name, limit in (("t", most), ("theta = mu(k^2 - 1)/12", theta)):
        if max(limit.numerator, limit.denominator) >= _LONGEST_TERM:
            raise TooLarge(f"{name} = {limit}: numerator and denominator need to be below 2^47")
    # The terms of a variance: N²V <= N²d²/4, and both sides of its inequality below 2^110.
    if rows * len(counts) >= 1 << 32 and theta > 0:
        raise TooLarge(
            f"theta over {rows} rows with {len(counts)} values: rows times values need to be "
            "below 2^32"
        )
    first = sum(rank * count for rank, count in enumerate(counts, 1))
    second = sum(rank * rank * count for rank, count in enumerate(counts, 1))
    whole = Fraction(second, rows) - Fraction(first, rows) ** 2
    if whole < theta:
        raise Infeasible(
            f"theta = {theta}: column {sensitive.name} of the whole table has variance {whole}, "
            "and Mondrian cuts only what reaches theta; lower mu or use theta-sensitive"
        )
    limits = (least, most.numerator, most.denominator, theta.numerator, theta.denominator)
    return limits, totals


def _cut(
    table: Table,
    k: int,
    partitioning: Partitioning,
    limits: NDArray[np.int64],
    totals: NDArray[np.int64],
) -> Cuts:

    ranks, places, starts = axes(table)
    order = np.arange(table.rows, dtype=np.int64)
    sensitive = np.zeros(0, dtype=np.int32)
    if len(totals) and table.sensitive is not None:
        sensitive = table.sensitive.codes.astype(np.int32)
    relaxed = partitioning is Partitioning.RELAXED
    if relaxed:
        keys, _ = table.equivalence_classes
        if table.sensitive is not None:
            keys = keys * len(table.sensitive.values) + table.sensitive.codes
        order = np.argsort(keys, kind="stable").astype(np.int64)
        ranks = ranks[order]
        sensitive = sensitive[order] if len(sensitive) else sensitive
    made = partition(ranks, places, starts, order, sensitive, totals, k, relaxed, limits)
    return Cuts.of(*made)
