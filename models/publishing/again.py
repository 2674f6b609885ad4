"""A release after an earlier one of the same people, in the classes that are out already.

Forming classes anew crosses them with those of before. So whoever was published stays with the
people of her class, and newcomers form classes among themselves. Who came and who left settles
that, and what is known of them.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from kproof.errors import show
from kproof.models.base.columns import group_codes
from kproof.models.judgement.findings import Remedy
from kproof.models.judgement.publication import EarlierRelease
from kproof.models.judgement.releases.invariance import invariant_classes
from kproof.models.publishing.known import form_classes, prepare, step_for, without
from kproof.models.publishing.published import Published
from kproof.models.publishing.publisher import TablePublisher
from kproof.models.publishing.search import attempt_of
from kproof.models.tables.release import Release
from kproof.models.tables.sealing import seal
from kproof.models.tables.table import Table
from kproof.theory.exact.typed import Number


def last_followed(publisher: TablePublisher) -> EarlierRelease | None:
    """Return the last earlier release, if its people are known and each has one row."""
    person = publisher.table.person
    if not publisher.earlier or person is None or len(person.values) < publisher.table.rows:
        return None
    last = publisher.earlier[-1]
    if last.person is None or not last.columns:
        return None
    people = last.person[last.person >= 0]
    return last if len(np.unique(people)) == len(people) else None


def in_earlier_classes(
    publisher: TablePublisher, earlier: EarlierRelease, k: int, *, seed: Number | None = None
) -> Published | None:
    """Return a release in the classes of an earlier one; None if nobody is left to publish.

    ``earlier`` is what :func:`last_followed` returns; a seed makes the order of rows the same
    again, and nothing is found safe to publish with it.
    """
    columns = {column.name for column in earlier.columns}
    steps: dict[str, Fraction] = {}
    while True:
        table = prepare(publisher.table, steps)
        # Columns that were not out before would split the classes that people are to stay in.
        fresh = [column.name for column in table.quasi_identifiers if column.name not in columns]
        table = without(table, fresh)
        release = _form(table, earlier, k)
        if release is None:
            return None
        order, publication = publisher.shuffle(release, seed)
        judgement = publisher.judge(publication)
        coarser = {
            column.name: step
            for finding in judgement.broken
            if finding.remedy is Remedy.ROUND
            for column in publisher.table.secrets
            if column.name in finding.columns and column.name not in steps
            if (step := step_for(column, publisher.table.person)) is not None
        }
        if not coarser:
            setting = attempt_of(k, release, judgement, (), steps)
            note = f"classes are those of {show(earlier.name)}, and of people who were not in it"
            notes = (note, *(f"{name} is rounded to multiples of {steps[name]}" for name in steps))
            return Published(
                release, order, publication, judgement, setting, (setting,), notes=notes
            )
        steps |= coarser


def _form(table: Table, earlier: EarlierRelease, k: int) -> Release | None:
    person = table.person
    assert person is not None
    assert earlier.person is not None
    public = [column for column in earlier.columns if column.known]
    states = [(column.states, len(column.texts) + 1) for column in public]
    # No method sees a secret here: what classes are formed must tell nothing of it.
    bare = table.without_secrets
    classes = invariant_classes(
        person.codes.astype(np.int64),
        earlier_person=earlier.person,
        earlier_class=group_codes(states, len(earlier.person))[0],
        k=k,
        form=lambda rows: form_classes(bare.of_rows(rows), k).class_of,
    )
    if not (classes.class_of >= 0).any():
        return None
    release = seal(bare, classes.class_of, method="m-invariant", parameters={"k": k})
    return replace(release, table=table)
