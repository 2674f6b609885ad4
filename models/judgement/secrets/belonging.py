"""People who belong together, and of whom more is told by all of them than by each.

A household has one rent and one debt: whoever knows two people of it looks for what both their
classes show, as whoever knows two rows of one person does. A column of the source says who belongs
together, or several secrets do, that agree far more often than any chance makes them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from kproof.errors import show
from kproof.models.base.arrays import Codes
from kproof.models.base.columns import group_codes
from kproof.models.judgement.people import limit_of, list_names, remember_by_column
from kproof.models.judgement.publication import ColumnKnowledge, PublishedColumn, PublishedFile
from kproof.models.judgement.secrets.secret_sets import (
    codes_in_source,
    find_agreeing_secrets,
    find_repeats_together,
)


@dataclass(frozen=True, eq=False)
class PeopleTogether:
    """People who belong together; made by :func:`groups_in`."""

    names: tuple[str, ...]
    """Of the column that says so, or of several columns in which they agree."""
    groups: PublishedFile
    """The publication, with groups in the place of people and no secrets but those they share."""

    def __str__(self) -> str:
        """Return what somebody knows who knows them."""
        if len(self.names) == 1:
            return f"who belongs to one {show(self.names[0])}"
        return f"who belongs together, agreeing in {list_names(self.names)}"


@remember_by_column
def groups_in(publication: PublishedFile, _: str) -> tuple[PeopleTogether, ...]:
    """Return who belongs together, by each column or set of columns that says so.

    A column says who belongs together if one and a half to twenty people on average share a value,
    nearly nobody has two, and some secret is the same for nearly each value, which is no chance. So
    do several secrets, see
    :func:`~kproof.models.judgement.secrets.secret_sets.find_agreeing_secrets`, and those
    that repeat as a person's rows do, if somebody said that rows are people all the same.

    >>> home = np.repeat(np.arange(4), 2)
    >>> age = PublishedColumn("age", ColumnKnowledge.KNOWN, np.arange(8) % 2, ("30", "40"))
    >>> rent = PublishedColumn("rent", ColumnKnowledge.SECRET, home // 2, ("500", "900"))
    >>> homes = PublishedColumn("home", ColumnKnowledge.KNOWN, home, ("A", "B", "C", "D"))
    >>> [(together.names, together.groups.people) for together in groups_in(
    ...     PublishedFile((age, rent), left_out=(homes,)), ""
    ... )]
    [(('home',), 4)]
    """
    return tuple(_groups_in(publication))


def _groups_in(publication: PublishedFile) -> Iterator[PeopleTogether]:
    real = np.flatnonzero(publication.persons >= 0)
    if not publication.secrets or not len(real):
        return
    persons = (publication.persons[real], limit_of(publication.persons))
    for names, codes in (*_source_columns(publication), *_by_secrets(publication)):
        # Of whom nothing is recorded, each is a group of one: gaps are no household.
        whom = np.where(codes < 0, codes.max(initial=0) + np.cumsum(codes < 0), codes)
        if publication.people > 20 * limit_of(whom):
            # Too few values for so many people, whoever has which: nothing need be counted.
            continue
        of_row, groups = group_codes([(whom[real], limit_of(whom))], len(real))
        members = group_codes([persons, (of_row, groups)], len(real))[1]
        one_each = 20 * members <= 21 * publication.people
        if groups < 2 or not (one_each and 3 * groups <= 2 * members <= 40 * groups):
            continue
        shared = {
            column.name
            for column in publication.secrets
            if names != (column.name,) and _follows(column, real, of_row, groups)
        }
        if shared:
            columns = []
            for column in publication.columns:
                if column.name in shared:
                    columns.append(column)
                elif column.known:
                    # What is both stays known here: as a secret it would be judged though the group
                    # does not share it.
                    columns.append(replace(column, knowledge=ColumnKnowledge.KNOWN))
            group_of_row = np.full(publication.rows, -1, dtype=np.int64)
            group_of_row[real] = of_row
            grouped = replace(publication, columns=tuple(columns), person=group_of_row)
            yield PeopleTogether(names, grouped)


def _follows(secret: PublishedColumn, rows: Codes, of_row: Codes, groups: int) -> bool:
    """Say whether a secret that differs at all is one value in nearly each group of several rows.

    And less often another one than by chance: of what nearly everybody has, groups tell nothing.
    """
    several = np.bincount(of_row, minlength=groups)[of_row] > 1
    of_row, count = group_codes([(of_row[several], groups)], int(several.sum()))
    limit = len(secret.texts) + 1
    values, kinds = group_codes([(secret.states[rows][several], limit)], len(of_row))

    def count_differing(values: Codes) -> int:
        return group_codes([(of_row, count), (values, kinds)], len(of_row))[1] - count

    differences = count_differing(values)
    if kinds < 2 or 20 * differences > count:
        return False
    # By a seed: a judgement of the same release must not change.
    return 2 * differences <= count_differing(np.random.default_rng(0).permutation(values))


def _by_secrets(publication: PublishedFile) -> Iterator[tuple[tuple[str, ...], Codes]]:
    """Yield sets of secrets by which people belong together, and the group of each row."""
    sets = {find_agreeing_secrets(publication)}
    if publication.rows_are_people:
        sets.add(find_repeats_together(publication))
    in_source = codes_in_source(publication)
    secrets = {column.name: column for column in (*publication.secrets, *publication.withheld)}
    # Sorted: sets of texts have another order in each process.
    for names in sorted(sets - {()}):
        states = [in_source[name] if name in in_source else secrets[name].key for name in names]
        yield names, group_codes(states, publication.rows)[0]


def _source_columns(publication: PublishedFile) -> Iterator[tuple[tuple[str, ...], Codes]]:
    """Return columns of the source that are not secret, by published row; -1 for no value."""
    by_row = {column.name: column.codes for column in publication.left_out}
    table, source_row = publication.table, publication.source_row
    if source_row is not None:
        by_row |= {own.name: np.append(own.codes, -1)[source_row] for own in publication.hidden}
        if table is not None:
            for column in (*table.quasi_identifiers, *table.other):
                codes = column.codes.astype(np.int64)
                # A gap is a value of the table; two people without one have nothing in common.
                codes[codes == (-1 if column.missing is None else column.missing)] = -1
                by_row[column.name] = np.append(codes, -1)[source_row]
    for name, codes in by_row.items():
        yield (name,), codes
