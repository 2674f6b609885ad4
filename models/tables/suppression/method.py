"""Rows left out within a budget, by methods that know nothing of it.

A method anonymizes the table as it is, and without more and more rows
(:mod:`kproof.models.tables.suppression.choosing`) as long as less and less is lost, a row left out
losing as much as one can. Rows left out are dropped, or published with a mark in every
quasi-identifier and their sensitive values: then they are a class like any other, and it has to
have what was promised.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain

import numpy as np

from kproof.errors import DataError, Infeasible, InvalidArgument, show
from kproof.models.base.arrays import Codes, read_only
from kproof.models.base.missing import text
from kproof.models.tables.recoding import MARK
from kproof.models.tables.release import Release
from kproof.models.tables.suppression.choosing import sequences
from kproof.models.tables.suppression.promised import Promised
from kproof.models.tables.table import Table
from kproof.models.tables.utility import loss_of
from kproof.theory.reading import Reading


def suppress_rows(
    run: Callable[[Table], Release],
    table: Table,
    models: Promised,
    *,
    budget: Fraction,
    marked: bool,
) -> Release:
    """Publish a table by a method, with rows left out if that loses less.

    Of the releases that were tried the one with the least loss
    (:func:`~kproof.models.tables.utility.loss_of`) is taken; of those that lose the same the first,
    which leaves out fewest. At most the ``budget``, a share of the rows, is suppressed, what the
    method suppresses by itself included. What is promised is judged again on what is published.

    Raises:
        Infeasible: If the method leaves out more than the budget allows, or what is published lacks
            what is promised however many rows are left out; says what to do.
        DataError: If a value of a quasi-identifier looks like the mark of suppressed rows.

    >>> import pandas as pd
    >>> from kproof.models.privacy.counting import KAnonymity
    >>> from kproof.models.tables.mondrian.method import mondrian
    >>> table = Table.from_frame(
    ...     pd.DataFrame({"age": [20, 21, 22, 90]}), quasi_identifiers=["age"]
    ... )
    >>> release = suppress_rows(
    ...     lambda rest: mondrian(rest, k=3), table, Promised((KAnonymity(3),)),
    ...     budget=Fraction(1, 4), marked=False,
    ... )
    >>> release.label(0), release.suppressed.tolist()
    ('age=[20-22]', [3])
    """
    # Rounded down: a budget is the most that may be left out.
    limit = int(budget * table.rows)
    require_no_mark(table, marked=marked)
    k = models.fewest_rows
    best, refused = None, None
    nobody = (np.zeros(0, dtype=np.int64),)
    # Nobody first: of equal losses it stays, and arguments that are wrong show before a search.
    for sequence in chain([nobody], sequences(table, k, limit) if limit and table.rows > k else ()):
        for gone in sequence:
            try:
                release = run(table.of_rows(np.delete(np.arange(table.rows), gone)))
                # As a release of the whole table: its loss counts those left out.
                release = replace(place_rows(release, table, gone), budget=budget)
                release = vouch(_within(release, limit), models, marked=marked)
            except (Infeasible, InvalidArgument) as error:
                # With every row there, what is not admitted is the fault of whoever asked.
                if isinstance(error, InvalidArgument) and not len(gone):
                    raise
                # Fewer rows may lack what all have, and more of them what few marked ones lack.
                refused = refused or error
                continue
            # Sets of a sequence grow: once more rows do not help, the rest of it is not tried.
            if best is not None and loss_of(release) >= loss_of(best):
                break
            best = release
    if best is None:
        raise refused or Infeasible("no rows to publish")
    return best


def _within(release: Release, limit: int) -> Release:
    """Return a release that leaves out no more rows than it may."""
    left_out, rows = len(release.suppressed), release.table.rows
    if left_out > limit:
        raise Infeasible(
            f"suppress: at most {limit} of {rows} rows may be left out, and {release.method} "
            f"leaves out {left_out}; allow suppress = {left_out}/{rows} or ask for less"
        )
    return release


def vouch(release: Release, models: Promised, *, marked: bool) -> Release:
    """Return a release with its suppressed rows dropped or marked, its promises judged again.

    A class that lacks what was promised is Infeasible, or where no row is left out a DataError:
    then the method broke its promise.
    """
    count = len(release.suppressed)
    shows = release
    if release.parameters.get("reading") == Reading.PRINTED and not count:
        # It is studied with the defects of its source, such as noise that counts as people.
        return release
    if count:
        require_no_mark(release.table, marked=marked)
        shows = with_mark(release) if marked else release
    classes = shows.classes()
    for verdict in models.verdicts(classes) if classes.count else ():
        if verdict.holds:
            continue
        # A DataError, which suppress_rows does not catch: that a method broke its promise is no
        # reason to leave out more rows.
        if not count:
            raise DataError(
                f"{release.method} did not keep what it promises: {verdict.model} fails "
                f"({verdict.reason}); nothing is released"
            )
        if not marked:
            raise Infeasible(
                f"with {count} rows left out {verdict.model} fails ({verdict.reason}); leave out "
                "none (suppress = 0)"
            )
        rows = "row is a class of its" if count == 1 else "rows are a class of their"
        raise Infeasible(
            f"the {count} suppressed {rows} own, and {verdict.model} fails ({verdict.reason}); "
            "drop them (suppressed = drop)"
        )
    return shows


def with_mark(release: Release) -> Release:
    """Return a release that publishes its dropped rows with a mark in every quasi-identifier."""

    def hide(groups: Codes) -> Codes:
        return read_only(np.where(groups < 0, release.groups, groups))

    return replace(
        release,
        group_of=hide(release.group_of),
        groups=release.groups + 1,
        formed_as=None if release.formed_as is None else hide(release.formed_as),
        hidden_group=release.groups,
    )


def place_rows(release: Release, table: Table, gone: Codes) -> Release:
    """Return a release of a table's rows but those ``gone``, ascending, as one of the table."""
    if not len(gone):
        return release
    published = np.delete(np.arange(table.rows), gone)

    def spread(groups: Codes) -> Codes:
        every = np.full(table.rows, -1, dtype=np.int64)
        every[published] = groups
        return read_only(every)

    return replace(
        release,
        table=table,
        group_of=spread(release.group_of),
        # Swaps name rows by their place in the smaller table.
        swaps=read_only(published[release.swaps]),
        formed_as=None if release.formed_as is None else spread(release.formed_as),
    )


def require_no_mark(table: Table, *, marked: bool) -> None:
    """Refuse to mark rows where a value that somebody recorded looks like the mark."""
    for column in table.quasi_identifiers if marked else ():
        if any(text(value) == MARK for value in column.values):
            raise DataError(
                f"column {show(column.name)} has the value {MARK}, which is what suppressed rows "
                "would show; rename the value or drop the rows (suppressed = drop)"
            )


def require_chosen_by_method(deciding: Sequence[str], budget: Fraction) -> None:
    """Refuse to leave out rows where the caller has said which rows go where."""
    if deciding and budget:
        admissible = f"0, as {deciding[0]} says what becomes of each row"
        raise InvalidArgument("suppress", str(budget), admissible)
