"""The safe path: a release whose classes nobody's secret had a part in, the first that is green.

What is known is generalized, what names people or has no role is left out, and classes are formed
from known columns alone. Settings are tried from the one that loses least, and each is judged as an
adversary would read it. What a finding asks for is mended where the path can: columns that identify
are left out, numbers rounded, classes made larger; rows stand in an order drawn from the system's
randomness.

A release after an earlier one of the same people, in the classes that are out already.

Forming classes anew crosses them with those of before. So whoever was published stays with the
people of her class, and newcomers form classes among themselves. Who came and who left settles
that, and what is known of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from kproof.errors import InvalidArgument, one_of, show, spell
from kproof.models.base.columns import group_codes
from kproof.models.judgement.findings import Remedy
from kproof.models.judgement.publication import EarlierRelease
from kproof.models.judgement.releases.invariance import invariant_classes
from kproof.models.judgement.thresholds import THRESHOLDS
from kproof.models.publishing import known
from kproof.models.publishing.published import Published
from kproof.models.publishing.publisher import TablePublisher
from kproof.models.publishing.search import SafeSearch, attempt_of, costs_of
from kproof.models.tables.release import Release
from kproof.models.tables.sealing import seal
from kproof.models.tables.table import Table
from kproof.theory.exact.typed import Number, integer


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
        table = known.prepare(publisher.table, steps)
        # Columns that were not out before would split the classes that people are to stay in.
        fresh = [column.name for column in table.quasi_identifiers if column.name not in columns]
        table = known.without(table, fresh)
        if (release := _form(table, earlier, k)) is None:
            return None
        order, publication = publisher.shuffle(release, seed)
        judgement = publisher.judge(publication)
        coarser = {
            column.name: step
            for finding in judgement.broken
            if finding.remedy is Remedy.ROUND
            for column in publisher.table.secrets
            if column.name in finding.columns and column.name not in steps
            if (step := known.step_for(column, publisher.table.person)) is not None
        }
        # Each turn rounds a column that was not rounded: there are as many turns as secrets.
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
        form=lambda rows: known.form_classes(bare.of_rows(rows), k).class_of,
    )
    if not (classes.class_of >= 0).any():
        return None
    release = seal(bare, classes.class_of, method="m-invariant", parameters={"k": k})
    return replace(release, table=table)


LADDER = (5, 11, 15, 20, 30, 50, 100, 200, 500, 1000)
"""Class sizes that are tried."""


def on_safe_path(
    publisher: TablePublisher,
    *,
    k: Sequence[Number] = LADDER,
    keep: Iterable[str] = (),
    seed: Number | None = None,
) -> Published:
    """Return a release that is safe to publish, or what stands against the last that was tried.

    Class sizes ``k`` are tried from the least on. The known columns in ``keep`` are not left out,
    whatever they cost. A seed makes the order of rows the same again: whoever guesses it knows
    which row is whose, so that nothing is found safe to publish with it.
    """
    table, notes = known.with_others(publisher.table, publisher.hidden, publisher.exact)
    publisher = replace(publisher, table=table)
    full = known.prepare(publisher.table)
    public = [column.name for column in full.quasi_identifiers]
    required = frozenset(keep)
    for name in sorted(required.difference(public)):
        raise InvalidArgument("keep", name, one_of(name, public))
    people = full.rows if full.person is None else len(full.person.values)
    largest = THRESHOLDS[publisher.audience].largest
    sizes = sorted({integer("k", size, least=2) for size in k})
    # A class of fewer is broken whatever its secrets are: which of those fail tells nothing.
    ladder = [size for size in sizes if size <= people and size * largest >= 1]
    if (earlier := last_followed(publisher)) is not None:
        again = in_earlier_classes(publisher, earlier, (ladder or [people])[0], seed=seed)
        # Formed anew they would cross the classes that are out: only if these fail.
        if again is not None and not again.judgement.broken:
            return again
    search = SafeSearch(publisher, full, ladder or [people], required)
    best = search.best()
    if full.secrets and not best.release.table.secrets:
        search.notes.append("no sensitive column is left to publish")
    setting = search.setting(best)
    if undecided := [name for name in setting.left_out if name in publisher.table.both]:
        search.notes.append(
            f"{', '.join(map(show, undecided))} left out for being known and secret: say "
            f"{spell('quasi_identifiers', undecided)} of what is no secret, "
            f"{spell('sensitive', undecided)} of what is not known of others"
        )
    order, publication = publisher.shuffle(best.release, seed)
    return Published(
        release=best.release,
        order=order,
        publication=publication,
        judgement=publisher.judge(publication).beside(best.choice),
        setting=setting,
        attempts=tuple(search.attempts),
        costs=tuple(costs_of(best)),
        notes=(*notes, *search.notes),
    )


def as_is(publisher: TablePublisher, *, seed: Number | None = None) -> Published:
    """Return a table as it is, less the columns that are never published, in another order."""
    table = known.without_roleless(publisher.table)
    release = seal(table, table.equivalence_classes[0], method="as-is", parameters={})
    order, publication = publisher.shuffle(release, seed)
    judgement = publisher.judge(publication)
    attempt = attempt_of(int(release.classes().real_sizes.min()), release, judgement, (), {})
    return Published(release, order, publication, judgement, attempt, (attempt,))
