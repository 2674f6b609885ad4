"""The safe path: a release whose classes nobody's secret had a part in, the first that is green.

What is known is generalized, what names people or has no role is left out, and classes are formed
from known columns alone. Settings are tried from the one that loses least, and each is judged as an
adversary would read it. What a finding asks for is mended where the path can: columns that identify
are left out, numbers rounded, classes made larger; rows stand in an order drawn from the system's
randomness.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from kproof.errors import InvalidArgument, one_of, show, spell
from kproof.models.judgement.thresholds import THRESHOLDS
from kproof.models.publishing.again import in_earlier_classes, last_followed
from kproof.models.publishing.known import prepare, with_others, without_roleless
from kproof.models.publishing.published import Published
from kproof.models.publishing.publisher import TablePublisher
from kproof.models.publishing.search import SafeSearch, attempt_of, costs_of
from kproof.models.tables.sealing import seal
from kproof.theory.exact.typed import Number, integer

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
    table, notes = with_others(publisher.table, publisher.hidden, publisher.exact)
    publisher = replace(publisher, table=table)
    full = prepare(publisher.table)
    public = [column.name for column in full.quasi_identifiers]
    required = frozenset(keep)
    for name in sorted(required.difference(public)):
        raise InvalidArgument("keep", name, one_of(name, public))
    people = full.rows if full.person is None else len(full.person.values)
    largest = THRESHOLDS[publisher.audience].largest
    sizes = sorted({integer("k", size, least=2) for size in k})
    # A class of fewer is broken whatever its secrets are: which of those fail tells nothing.
    ladder = [size for size in sizes if size <= people and size * largest >= 1]
    earlier = last_followed(publisher)
    if earlier is not None:
        again = in_earlier_classes(publisher, earlier, (ladder or [people])[0], seed=seed)
        if again is not None and not again.judgement.broken:
            return again
    search = SafeSearch(publisher, full, ladder or [people], required)
    best = search.best()
    if full.secrets and not best.release.table.secrets:
        search.notes.append("no sensitive column is left to publish")
    setting = search.setting(best)
    undecided = [name for name in setting.left_out if name in publisher.table.both]
    if undecided:
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
    table = without_roleless(publisher.table)
    release = seal(table, table.equivalence_classes[0], method="as-is", parameters={})
    order, publication = publisher.shuffle(release, seed)
    judgement = publisher.judge(publication)
    attempt = attempt_of(int(release.classes().real_sizes.min()), release, judgement, (), {})
    return Published(release, order, publication, judgement, attempt, (attempt,))
