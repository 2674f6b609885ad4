"""Tables in which several rows may be about one person: k people in a class, whatever rows.

Methods form groups of rows. Where the quasi-identifiers of a person are the same in all rows, the
method is given one row of each person, and the others follow it. Otherwise, and where something is
promised of sensitive values, it is given all rows; classes that lack people, or distinct values to
a reader who knows all rows of a person but one, are joined with the nearest until none does.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kproof.errors import DataError, Infeasible, InvalidArgument, show
from kproof.models.base.arrays import Codes, Flags, Floats, read_only
from kproof.models.base.classes import Classes
from kproof.models.base.columns import Column, group_rows
from kproof.models.base.parameters import GROUP_K
from kproof.models.privacy import DistinctL
from kproof.models.registry import PROMISED
from kproof.models.tables.axes import ranks_and_places
from kproof.models.tables.release import Release
from kproof.models.tables.sealing import require_people
from kproof.models.tables.table import Table


@dataclass(frozen=True)
class _Demand:
    """What classes must have: people, and distinct values of every sensitive column."""

    k: int
    values: tuple[int, ...]

    def failing(self, classes: Classes) -> Flags:
        """Say, shape (classes,), which lack something."""
        lacking = classes.real_sizes < self.k
        for secret, fewest in zip(classes.each, self.values, strict=False):
            if fewest > 1:
                lacking = lacking | DistinctL(fewest).failing(secret)
        return lacking


def release_of_people(
    run: Callable[..., Any],
    table: Table,
    arguments: Mapping[str, Any],
    *,
    reads_sensitive: bool = False,
) -> Any:
    """Run a method so that its classes have k people.

    ``run(table, **arguments)`` returns a Release with k rows in each class. If each person has one
    row, or the table has no person column, it is run as it is; else some of its groups are joined
    perhaps. ``reads_sensitive`` says whether it needs a sensitive column whatever is asked. What
    may come out wrong is refused: θ, which joined classes may lack, and methods that exchange or
    add rows.

    >>> import pandas as pd
    >>> from kproof.models.tables.mondrian.method import mondrian
    >>> visits = pd.DataFrame({"age": [30, 30, 31, 50, 51], "patient": ["a", "a", "b", "c", "d"]})
    >>> table = Table.from_frame(visits, quasi_identifiers=["age"], person="patient")
    >>> release_of_people(mondrian, table, {"k": 2}).group_of.tolist()
    [0, 0, 0, 1, 1]
    """
    person = table.person
    if person is None or len(person.values) == table.rows:
        return run(table, **arguments)
    k = GROUP_K.read(arguments["k"])
    if len(person.values) < 2:
        raise DataError(f"column {show(person.name)}: all rows are of one person; need 2 at least")
    if len(person.values) < k:
        raise InvalidArgument("k", k, f"2 <= k <= {len(person.values)}, the number of people")
    _require_joinable(arguments, person)
    promised = any(arguments.get(name) is not None for name in PROMISED)
    _, differing = group_rows((person, *table.quasi_identifiers), table.rows)
    # Each person's rows show the same, and any of them stands for all.
    if not promised and not reads_sensitive and differing == len(person.values):
        release = _of_first_rows(run, table, person, arguments)
    else:
        # Without the person column: whoever seals a release counts people, and groups
        # are joined only below.
        release = run(replace(table, person=None), **arguments)
        # What is asked unless somebody says otherwise stands in the account.
        _require_joinable(release.parameters, person)
        if len(release.swaps) or len(release.noise_group):
            raise DataError(
                f"column {show(person.name)}: {release.method} exchanges or adds rows, which are "
                "no person's; use mondrian, or give it one row of each person"
            )
        demands = [table.by_secret(name, arguments.get(name)) for name in ("l", "p")]
        values = tuple(max(value or 1 for value in least) for least in zip(*demands, strict=True))
        release = _repair(replace(release, table=table), _Demand(k, values))
    # Classes, not groups, here too.
    require_people(table, release.class_of, release.parameters)
    return release


def _require_joinable(arguments: Mapping[str, Any], person: Column) -> None:
    if arguments.get("mu") is not None:
        raise DataError(
            f"column {show(person.name)}: people have several rows, for which no method promises "
            "theta (mu); use mondrian, kaca or another method with k, l or t"
        )


def _of_first_rows(
    run: Callable[..., Any], table: Table, person: Column, arguments: Mapping[str, Any]
) -> Release:
    """Run a method on one row of each person, and have the others follow."""
    first = np.unique(person.codes, return_index=True)[1]
    columns = (replace(column, codes=column.codes[first]) for column in table.quasi_identifiers)
    # Without sensitive columns: of a person's several values one would stand for all.
    alone = Table(
        rows=len(first),
        quasi_identifiers=tuple(columns),
        identifiers=table.identifiers,
        beside=table.beside,
        missing_as=table.missing_as,
        most_members=table.most_members,
    )
    release: Release = run(alone, **arguments)
    return replace(release, table=table, group_of=read_only(release.group_of[person.codes]))


def _repair(release: Release, demand: _Demand) -> Release:
    """Join classes that lack something with the nearest until none does."""
    table = release.table
    _, places = ranks_and_places(table)
    while True:
        # Classes, not groups: those that look alike may lack together what each has.
        failing = demand.failing(release.classes())
        if not failing.any():
            return release
        if release.count == 1:
            raise Infeasible(
                f"l = {max(demand.values, default=1)}: the whole table has fewer distinct values "
                "of a sensitive column to a reader who knows all rows of a person but one"
            )
        into = _into(places, release.class_of, release.count, np.flatnonzero(failing))
        # A row that is not published has class -1, which reads the last place.
        group_of = np.append(into, -1)[release.class_of]
        release = replace(release, group_of=read_only(group_of), groups=int(into.max()) + 1)


def _into(places: Floats, class_of: Codes, count: int, failing: Codes) -> Codes:
    """Return, shape (classes,), the class that each becomes part of, fewer being left.

    Near is what costs least: rows times the widths of their labels, as far as they grow. Who was
    joined waits for the next round, in which the joined classes are looked at as what they are.
    """
    low = np.full((len(places), count), np.inf)
    high = np.full((len(places), count), -np.inf)
    published = class_of >= 0
    for column in range(len(places)):
        np.minimum.at(low[column], class_of[published], places[column, published])
        np.maximum.at(high[column], class_of[published], places[column, published])
    rows = np.bincount(class_of[published], minlength=count)
    costs = (high - low).sum(axis=0) * rows
    leader = np.arange(count)
    joined = np.zeros(count, dtype=np.bool_)
    for index in failing.tolist():
        # It grew in this round: whether it lacks anything still, the next one says.
        if joined[index]:
            continue
        wide = np.zeros(count)
        for column in range(len(places)):
            wide += np.maximum(high[column], high[column, index])
            wide -= np.minimum(low[column], low[column, index])
        # What joining adds: what both lose together, less what each loses by itself.
        cost = wide * (rows + rows[index]) - costs - costs[index]
        cost[index] = np.inf
        nearest = int(np.argmin(cost))
        joined[index] = joined[nearest] = True
        # Nobody has joined this class yet; the other may be led by a third.
        leader[index] = leader[nearest]
    return np.unique(leader, return_inverse=True)[1].reshape(-1).astype(np.int64)
