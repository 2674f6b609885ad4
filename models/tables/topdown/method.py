"""p⁺-sensitive and (p, α)-sensitive k-anonymity by top-down local recoding.

All records start in one class, fully generalized. A class is specialised along one column by one
level, and what becomes of it is specialised in turn, as long as every part satisfies the model.

Source: Sun, Sun, Wang, "Extended k-anonymity models against sensitive attribute disclosure",
Computer Communications 34 (2011) 526-535. The paper could not be consulted: the models are those
that Definitions 8 and 9 of Khan et al. (Electronics 2020, 9(5), 716) restate, and the weights of
categories and the course of the specialisation are recalled.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np

from kproof.errors import DataError, Infeasible, InvalidArgument, show
from kproof.models.base.arrays import Codes, Floats, Ranks
from kproof.models.base.columns import Column
from kproof.models.base.missing import MISSING
from kproof.models.base.parameters import ALPHA, P
from kproof.models.tables.axes import axis_order, group_size, ranks_and_places
from kproof.models.tables.release import Release
from kproof.models.tables.sealing import seal
from kproof.models.tables.table import Table
from kproof.models.tables.topdown.kernel import specialise
from kproof.theory.exact.typed import Number


@dataclass(frozen=True)
class ClassDemand:
    """What every class must have; if a class has it, so has each larger class."""

    rows: int
    kinds: int
    weight: int
    """Least number of rows, of distinct kinds, and total weight of these, a whole number."""
    kind_of: Codes
    weight_of: Codes
    """Shape (values,) and (kinds,): the kind of each sensitive code, a category or the value
    itself, and the weight of each kind."""

    def meets(self, codes: Codes) -> bool:
        """Say whether rows with these sensitive codes may be a class.

        >>> demand = ClassDemand(2, 2, 0, np.array([0, 0, 1]), np.zeros(2, dtype=np.int64))
        >>> demand.meets(np.array([0, 1])), demand.meets(np.array([0, 2]))
        (False, True)
        """
        kinds = np.unique(self.kind_of[codes])
        return (
            len(codes) >= self.rows
            and len(kinds) >= self.kinds
            and int(self.weight_of[kinds].sum()) >= self.weight
        )


def p_plus_sensitive(table: Table, *, p: int, k: int) -> Release:
    """Publish a table so that each class has k people or more of p or more categories.

    A class is specialised along the column in which it is widest, widths taken as shares of the
    column's own; if that fails, along the next. A column with a taxonomy is specialised to the
    children of the class's node; children that do not satisfy the model give their records back
    to the node, which takes back its smallest children too until its records satisfy the model. A
    column without a taxonomy is cut in two between neighbouring values, as near to the middle of
    the records as the model permits.

    Args:
        table: With a sensitive column, its categories, and at least k rows.
        p: Least number of distinct categories in a class, 1 ≤ p ≤ k.
        k: Least number of people in a class, k ≥ 2.

    Raises:
        DataError, Infeasible: If the table has no sensitive column, or fewer than p categories.
    """
    k = group_size(table, k)
    p = P.but(most=k).read(p)
    column, kind_of, _ = _categories(table, "p-plus-sensitive")
    if (present := len(np.unique(kind_of[column.codes]))) < p:
        raise Infeasible(
            f"column {show(column.name)}: its values fall into {present} categories; "
            f"p = {p} needs at least {p}"
        )
    demand = demand_of(table, {"p": p, "k": k})
    class_of = specialise_table(table, demand)
    return seal(table, class_of, method="p-plus-sensitive", parameters={"p": p, "k": k})


def p_alpha_sensitive(table: Table, *, p: int, alpha: Number, k: int) -> Release:
    """Publish a table so that each class has p or more values of total weight α or more.

    Category i of m, in the order in which the categories are given, weighs (i − 1)/(m − 1); a
    value weighs what its category does, and nothing without one. The weight of a class is taken
    over its distinct values, so that it is at least α also where every row is counted. The table
    is specialised as :func:`p_plus_sensitive` does it.

    Args:
        table: With a sensitive column, its categories, and at least k rows.
        p: Least number of distinct sensitive values in a class, 1 ≤ p ≤ k.
        alpha: Least total weight of a class, α ≥ 0.
        k: Least number of people in a class, k ≥ 2.

    Raises:
        DataError, Infeasible: If the table has no sensitive column or no categories; or fewer than
            p values, or less weight than α.
    """
    k = group_size(table, k)
    p = P.but(most=k).read(p)
    weight = ALPHA.read(alpha)
    column, category, names = _categories(table, "p-alpha-sensitive")
    values = np.unique(column.codes)
    if len(values) < p:
        raise Infeasible(
            f"column {show(column.name)}: it has {len(values)} distinct values; "
            f"p = {p} needs at least {p}"
        )
    weights, scale = _weights(category, names)
    # Of distinct values: a class's weight is, and none has more of them than the table.
    if (total := int(weights[values].sum())) < weight * scale:
        raise Infeasible(
            f"column {show(column.name)}: its values weigh {Fraction(total, scale)} together; "
            f"need alpha at most that, not {weight}"
        )
    parameters = {"p": p, "alpha": str(weight), "k": k}
    class_of = specialise_table(table, demand_of(table, parameters))
    return seal(table, class_of, method="p-alpha-sensitive", parameters=parameters)


def demand_of(table: Table, parameters: Mapping[str, Any]) -> ClassDemand:
    """Return what the classes of a table must have, (p, α)-sensitive if there is an ``alpha``."""
    column, category, names = _categories(
        table, "p-alpha-sensitive" if "alpha" in parameters else "p-plus-sensitive"
    )
    k, p = parameters["k"], parameters["p"]
    if "alpha" not in parameters:
        return ClassDemand(k, p, 0, category, np.zeros(len(names), dtype=np.int64))
    weights, scale = _weights(category, names)
    # Rounded up: weights are whole, and less than this is less than alpha.
    least = ceil(Fraction(parameters["alpha"]) * scale)
    return ClassDemand(k, p, least, np.arange(len(column.values)), weights)


def _weights(category: Codes, names: tuple[object, ...]) -> tuple[Codes, int]:
    """Return what each sensitive code weighs, as a whole number of parts of a scale."""
    # Values without a category are coded last and weigh nothing.
    weighted = len(names) - (MISSING in names)
    numbers = np.arange(len(names))
    return np.where(numbers < weighted, numbers, 0)[category], max(weighted - 1, 1)


def _categories(table: Table, method: str) -> tuple[Column, Codes, tuple[object, ...]]:
    """Return the sensitive column, the category of each of its codes, and the categories."""
    if table.only_secret(method) is None or table.sensitive is None:
        raise DataError(f"{method}: the table has no sensitive column; name one")
    if table.category_codes is None:
        raise DataError(
            f"{method}: column {show(table.sensitive.name)} has no categories; "
            "give the category of each value"
        )
    codes, names = table.category_codes
    return table.sensitive, codes, names


def specialise_table(table: Table, demand: ClassDemand) -> Codes:
    """Return the class of each row of a table that meets the demand as a whole."""
    if table.sensitive is None:
        raise InvalidArgument("sensitive", None, "a sensitive column")
    return TopDown.of(table).classes_of(table.sensitive.codes.astype(np.int64), demand)


@dataclass(frozen=True, eq=False)
class TopDown:
    """The known columns of rows, as the kernel takes them."""

    ranks: Ranks
    places: Floats
    """Shape (columns, rows): order and position of each row's value in each column."""
    trees: Codes
    begins: Codes
    depths: Codes
    """The nodes above each rank, see :func:`~kproof.models.tables.topdown.kernel.specialise`."""

    @classmethod
    def of(cls, table: Table) -> TopDown:
        """Take the quasi-identifiers of a table."""
        trees = [_tree(column) for column in table.quasi_identifiers]
        return cls(
            *ranks_and_places(table),
            np.concatenate([tree.reshape(-1) for tree in trees]),
            np.cumsum([0, *(tree.size for tree in trees)]),
            np.array([len(tree) for tree in trees]),
        )

    def part(self, rows: Codes) -> TopDown:
        """Return some of the rows, in ascending order."""
        ranks = np.take(self.ranks, rows, axis=1)
        return replace(self, ranks=ranks, places=np.take(self.places, rows, axis=1))

    def classes_of(self, codes: Codes, demand: ClassDemand, *, cuts: int | None = None) -> Codes:
        """Return what becomes of the rows, which meet the demand together: the class of each.

        ``codes`` has the sensitive code of each row. At most ``cuts`` blocks are divided, all rows
        together first; None for all blocks.
        """
        return specialise(
            self.ranks,
            self.places,
            self.trees,
            self.begins,
            self.depths,
            codes,
            demand.kind_of,
            demand.weight_of,
            np.array([demand.rows, demand.kinds, demand.weight]),
            len(codes) if cuts is None else cuts,
        )


def _tree(column: Column) -> Codes:
    """Return the node above each rank of a column at each depth, shape (depths, values)."""
    # Numbers are cut between neighbours, whatever tree they have.
    if column.taxonomy is None or column.nodes is None or column.numeric:
        return np.zeros((0, len(column.values)), dtype=np.int64)
    order = axis_order(column)
    nodes = column.nodes if order is None else column.nodes[order]
    depths = range(1, column.taxonomy.height + 1)
    return np.stack([column.taxonomy.at_depth(depth)[nodes] for depth in depths])
