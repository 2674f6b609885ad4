"""Mondrian: multidimensional partitioning, the k-anonymizer everyone compares with.

All records start as one part. A part is cut in two as long as both sides keep k records, and,
where asked for, l-diversity, t-closeness and θ-sensitivity of every sensitive column: at the median
of its widest quasi-identifier, as in the paper, or where the labels of the two sides lose least.
Labels are written afterwards from the records of each class.

Source: K. LeFevre, D. J. DeWitt, R. Ramakrishnan, "Mondrian Multidimensional K-Anonymity",
ICDE 2006.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from fractions import Fraction
from typing import Any

import numpy as np

from kproof.errors import Infeasible, InvalidArgument, TooLarge, show
from kproof.models.base.columns import Column, group_rows
from kproof.models.base.missing import MissingAs
from kproof.models.base.parameters import COLUMN_WEIGHT, MU, ByColumn, L, T, format_by_column
from kproof.models.tables.axes import axes, group_size
from kproof.models.tables.cutting.least_loss import (
    Cuts,
    cut_where_least_is_lost,
    sensitive_codes,
    weights_of,
)
from kproof.models.tables.cutting.limits import Limits, limits_array
from kproof.models.tables.mondrian.kernel import partition
from kproof.models.tables.release import Release
from kproof.models.tables.sealing import seal
from kproof.models.tables.table import Table
from kproof.models.tables.theta.alike import short
from kproof.models.tables.theta.moves import Threshold
from kproof.models.tables.theta.moves import variance as variance_of
from kproof.theory.exact.typed import Number, choice

# at_least is exact while products stay below 2^110: beside size times rows, 63
# bits, a term may have 47.
_LONGEST_TERM = 1 << 47

WORST_CASE = frozenset({"l"})
"""What is kept whatever missing sensitive values are: they do not count as distinct ones."""


class Cutting(StrEnum):
    """Where a part is cut."""

    LEAST_LOSS = "least-loss"
    """Where the labels of both sides lose least."""
    MEDIAN = "median"
    """At the median of the widest column, as in the paper."""


class Partitioning(StrEnum):
    """Whether equal values may be torn apart."""

    STRICT = "strict"
    """Never: regions are disjoint, and each record's region follows from its values."""
    RELAXED = "relaxed"
    """Yes: without further limits, classes stay below 2k unless their records are all equal."""


def mondrian(
    table: Table,
    *,
    k: int,
    partitioning: Partitioning | str = Partitioning.STRICT,
    cuts: Cutting | str = Cutting.LEAST_LOSS,
    l: int | Mapping[str, int] | None = None,
    t: Number | Mapping[str, Number] | None = None,
    mu: Number | Mapping[str, Number] | None = None,
    weight: Mapping[str, Number] | str | None = None,
) -> Release:
    """Publish a table in classes cut by Mondrian.

    With ``cuts="least-loss"`` the cut is made after which the labels of both sides lose least: as
    shares of a column's range (NCP, see :mod:`kproof.models.tables.cutting.losses`), times records.
    It is done for several bounds on how uneven a cut may be; what loses least is published.

    With ``cuts="median"`` a part is cut along the column whose places span most (see
    :mod:`kproof.models.tables.axes`; the first such column), or failing that the next; never along
    a column in which its records agree. Strict: just above or just below the median value,
    whichever is more balanced (just above if both are), or failing that the other. Relaxed: into
    halves, the left one larger by a record if need be; of records with the median value, those
    that come first by quasi-identifiers, sensitive values and input order, in that order, go left.

    With k as the only limit, a strict part is left whole only if no cut of any column has k
    records on both sides.

    Parts whose labels are equal are one class to a reader. Together they have k records, l
    distinct values and distance t if each of them does; θ they may lack (3, 3, 2 of three values
    vary less than 2, 1, 1 and 1, 2, 1). The latest of the cuts that made such parts are taken back
    then, and again until every class reaches θ, at the latest when the table is whole.

    The strict classes are a function of the set of records: their order does not matter. The
    relaxed classes are, except for which of several identical records goes where.

    Args:
        table: At least k records and one quasi-identifier.
        k: Least number of records in a class, from 2.
        partitioning, cuts: ``"strict"`` or ``"relaxed"``; ``"least-loss"`` or ``"median"``.
        l: Least number of distinct sensitive values in a class, from 1. This and what follows is
            asked of every sensitive column, or of those that a mapping names.
        t: Largest distance, 0 <= t <= 1, of a class's sensitive values from the table's, all values
            being equally far apart.
        mu: Factor of the least variance θ = μ(k² - 1)/12 of a class's sensitive values (Definition
            10 of "θ-Sensitive k-Anonymity"), μ >= 0; of records with equal labels together.
        weight: How much the loss, or the width, of a quasi-identifier counts, above 0, by its name;
            1 if it is not named.

    Raises:
        Infeasible: If the table as a whole breaks a limit, so that there is nothing to cut.
        TooLarge: If a limit or a loss cannot be computed exactly in 64 bits.

    >>> import pandas as pd
    >>> from kproof.models.tables.table import Table
    >>> table = Table.from_frame(
    ...     pd.DataFrame({"age": [25, 26, 40, 41, 60], "zip": [1, 2, 1, 2, 2]}),
    ...     quasi_identifiers=["age", "zip"],
    ... )
    >>> mondrian(table, k=2).class_of.tolist()
    [0, 1, 0, 1, 1]
    >>> mondrian(table, k=2, cuts="median").class_of.tolist()
    [0, 0, 0, 1, 1]
    >>> mondrian(table, k=6)
    Traceback (most recent call last):
    kproof.errors.InvalidArgument: k = 6: need 2 <= k <= 5, the number of records
    """
    size = group_size(table, k)
    partitioning = choice("partitioning", partitioning, Partitioning)
    cutting = choice("cuts", cuts, Cutting)
    limited = {
        name: ByColumn.of(parameter).read(value)
        for name, parameter, value in (("l", L, l), ("t", T, t), ("mu", MU, mu))
        if value is not None
    }
    settings = {"partitioning": partitioning.value, "cuts": cutting.value}
    parameters: dict[str, object] = {"k": size} | settings | limited
    weights = None if weight is None else COLUMN_WEIGHT.read(weight)
    if weights is not None:
        parameters["weight"] = format_by_column(weights)
    for name in limited if table.sensitive is None else ():
        raise InvalidArgument(name, limited[name], "a table with a sensitive column for it")
    ells, distances, factors = (
        table.by_secret(name, limited.get(name)) for name in ("l", "t", "mu")
    )
    thresholds = [Threshold(factor or Fraction(0), size) for factor in factors]
    by_column = zip(table.secrets, ells, distances, thresholds, strict=True)
    missing_counts = table.missing_as is MissingAs.VALUE
    limits = [
        _limits(column, ell or 1, Fraction(1) if far is None else far, threshold, missing_counts)
        for column, ell, far, threshold in (by_column if limited else ())
    ]
    relaxed = partitioning is Partitioning.RELAXED
    if cutting is Cutting.MEDIAN:
        tree = _cut_at_medians(table, size, relaxed, limits, weights_of(table, weights))
    else:
        tree = cut_where_least_is_lost(table, size, relaxed=relaxed, limits=limits, weight=weights)
    account: dict[str, Any] = {"method": "mondrian", "parameters": parameters}
    varying = any(threshold.mu > 0 for threshold in thresholds)
    while True:
        release = seal(table, tree.group_of, worst_case=WORST_CASE, **account)
        # Parts that look alike have to reach θ together: cuts are taken back until they do.
        failing = short(release, *thresholds) if varying else np.zeros(0, dtype=np.bool_)
        if not failing.any():
            return release
        tree = tree.take_back(release.class_of_group, failing)


def _limits(
    sensitive: Column, ell: int, distance: Fraction, threshold: Threshold, counts_missing: bool
) -> Limits:
    """Return the limits as the kernel reads them, the table as a whole being within them."""
    unknown = -1 if counts_missing or sensitive.missing is None else sensitive.missing
    theta = threshold.at(threshold.k)
    tallies = np.bincount(sensitive.codes, minlength=len(sensitive.values)).tolist()
    # In falling order, as the variance ranks them; what does not occur has no rank.
    counts = sorted(filter(None, tallies), reverse=True)
    rows = sum(counts)
    # As the kernel counts: a gap beside other values adds none. A part of a table keeps the code of
    # a gap that none of its rows has.
    gap = unknown >= 0 and tallies[unknown] > 0
    if (distinct := max(len(counts) - gap, 1)) < ell:
        raise Infeasible(
            f"l = {show(ell)}: column {sensitive.name} has {distinct} distinct values, "
            "so no class can have more"
        )
    for name, limit in (("t", distance), ("theta = mu(k^2 - 1)/12", theta)):
        if max(limit.numerator, limit.denominator) >= _LONGEST_TERM:
            raise TooLarge(f"{name} = {limit}: numerator and denominator need to be below 2^47")
    # The terms of a variance: N²V <= N²d²/4, and both sides of its inequality below 2^110.
    if rows * len(counts) >= 1 << 32 and theta > 0:
        many = f"{rows} rows with {len(counts)} values"
        raise TooLarge(f"theta over {many}: rows times values need to be below 2^32")
    if (variance := variance_of(dict(enumerate(counts)))) < theta:
        raise Infeasible(
            f"theta = {theta}: column {sensitive.name} of the whole table has variance {variance}, "
            "and Mondrian cuts only what reaches theta; lower mu or use theta-sensitive"
        )
    return (ell, *distance.as_integer_ratio(), *theta.as_integer_ratio(), unknown)


def _cut_at_medians(
    table: Table, k: int, relaxed: bool, limits: Sequence[Limits], weights: Sequence[Fraction]
) -> Cuts:
    placed, places, starts = axes(table)
    for column, factor in enumerate(weights):
        places[starts[column] : starts[column + 1]] *= float(factor)
    order = np.arange(table.rows, dtype=np.int64)
    sensitive, totals = sensitive_codes(table, limits)
    if relaxed:
        keys, _ = group_rows((*table.quasi_identifiers, *table.secrets), table.rows)
        # By what rows hold: which of equal ranks go left must not follow the order of the table.
        order = np.argsort(keys, kind="stable").astype(np.int64)
        placed = placed[order]
        sensitive = np.ascontiguousarray(sensitive[:, order])
    cases = (placed, places, starts, order, sensitive, totals)
    return Cuts.of(*partition(*cases, k, relaxed, limits_array(limits)))
