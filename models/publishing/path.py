"""The safe path: a release whose classes nobody's secret had a part in, the first that is green.

What is known is generalized, what names people or has no role is left out, and classes are formed
from known columns alone. Settings are tried from the one that loses least, and each is judged as an
adversary would read it. What a finding asks for is mended where the path can: columns that identify
are left out, numbers rounded, classes made larger; rows stand in an order drawn from the system's
randomness.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from kproof.errors import InvalidArgument, one_of, shown
from kproof.models.api import table_of
from kproof.models.base.arrays import Codes
from kproof.models.base.beside import Part
from kproof.models.judgement.judgement import Criterion, Finding, Judgement, Remedy, Standing
from kproof.models.judgement.publication import EarlierRelease, Publication
from kproof.models.judgement.thresholds import THRESHOLDS, Audience
from kproof.models.publishing.choice import tells_little
from kproof.models.publishing.known import formed, least_step, offered, row_level, without
from kproof.models.publishing.published import Attempt, Cost, Published, percent
from kproof.models.publishing.publisher import Publisher, never_published
from kproof.models.tables.release import Release
from kproof.models.tables.sealing import released
from kproof.models.tables.table import Table
from kproof.models.tables.utility import utility
from kproof.stages import stage
from kproof.theory.exact.typed import Number, choice, integer

LADDER = (5, 11, 15, 20, 30, 50, 100)
"""Class sizes that are tried."""

MOST_LOSS = 0.5
"""Labels that lose more are worth less than the column that costs most: it is left out first."""

MOST_JUDGED = 20
"""Settings that are judged at most: of 30,000 rows each takes about a second."""

MOST_COSTS = 8
"""Columns without which classes are formed anew, to say what they cost."""


def publish(
    data: object,
    *,
    audience: Audience | str = Audience.PUBLIC,
    k: Sequence[Number] = LADDER,
    keep: Iterable[str] = (),
    earlier: Iterable[EarlierRelease] = (),
    exact: Iterable[str] = (),
    rows_are_people: bool = False,
    seed: Number | None = None,
    quasi_identifiers: Iterable[str] | None = None,
    **roles: Any,
) -> Published:
    """Return a release that is safe to publish, or what stands against the last that was tried.

    Parameters
    ----------
    data
        A Table, a frame, or the name of a file.
    audience
        ``"public"`` or ``"agreement"``, whom it is for.
    k
        Class sizes that are tried, from the least on.
    keep
        Known columns that are not left out, whatever they cost.
    earlier
        What was published of the same people before.
    exact
        Secret columns whose exact numbers are published, because somebody decided so.
    rows_are_people
        Whether every row is about another person, whatever repeats.
    seed
        Makes the order of rows the same again. Whoever guesses it knows which row is whose, so
        that nothing is found safe to publish with it.
    quasi_identifiers, **roles
        Of a frame or file, as for :func:`kproof.anonymize`.

    Raises
    ------
    InvalidArgument
        If a column that is to be kept is not known.
    DataError
        If the data cannot be used.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"age": [30, 31] * 20, "ill": ["flu", "flu", "cold", "cold"] * 10})
    >>> result = publish(frame, quasi_identifiers=["age"], sensitive="ill")
    >>> result.release.count, result.setting.k
    (2, 20)
    >>> publish(frame, quasi_identifiers=["age"], keep=["town"])
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: keep = town: need age
    """
    table = table_of(data, quasi_identifiers, roles)
    publisher = Publisher.of(
        table,
        None if isinstance(data, Table) else data,
        rows_are_people=rows_are_people,
        audience=choice("audience", audience, Audience),
        earlier=earlier,
        exact=exact,
    )
    return on_safe_path(publisher, k=k, keep=keep, seed=seed)


def on_safe_path(
    publisher: Publisher,
    *,
    k: Sequence[Number] = LADDER,
    keep: Iterable[str] = (),
    seed: Number | None = None,
) -> Published:
    """Return what :func:`publish` does, for a table whose publisher is known already."""
    whole = offered(publisher.table)
    known = [column.name for column in whole.quasi_identifiers]
    kept = frozenset(keep)
    for name in sorted(kept - set(known)):
        raise InvalidArgument("keep", name, one_of(name, known))
    people = whole.rows if whole.person is None else len(whole.person.values)
    largest = THRESHOLDS[publisher.audience].largest
    asked = sorted({integer("k", size, least=2) for size in k})
    # A class of fewer is broken whatever its secrets are: which of those fail tells nothing.
    ladder = [size for size in asked if size <= people and size * largest >= 1]
    search = _Search(publisher, ladder or [people], kept)
    best = search.best()
    costs = tuple(_costs(best))
    order = order_of(best.release.rows, seed)
    publication = publisher.publication(
        best.release, order=order, permuted=seed is None, from_known_alone=True
    )
    return Published(
        release=best.release,
        order=order,
        publication=publication,
        judgement=publisher.judge(publication).beside(best.choice),
        attempts=tuple(search.attempts),
        costs=costs,
        notes=tuple(search.notes),
    )


def as_is(publisher: Publisher, *, seed: Number | None = None) -> Published:
    """Return a table as it is, less the columns that are never published, in another order."""
    table = publisher.table
    roleless = set(never_published(table)) - {*table.identifiers, *table.dropped}
    shown_columns = replace(
        table,
        beside=tuple(column for column in table.beside if column.part is Part.ABSENT),
        dropped=(*table.dropped, *sorted(roleless)),
    )
    of_row, _ = shown_columns.equivalence_classes
    release = released(shown_columns, of_row, method="as-is", parameters={})
    order = order_of(release.rows, seed)
    publication = publisher.publication(
        release, order=order, permuted=seed is None, from_known_alone=True
    )
    judgement = publisher.judge(publication)
    attempt = _attempt(int(release.classes().real_sizes.min()), release, judgement, (), {})
    return Published(release, order, publication, judgement, (attempt,))


def order_of(rows: int, seed: Number | None = None) -> Codes:
    """Return an order of rows, from the system's randomness unless there is a seed.

    Examples
    --------
    >>> order_of(4, 1).tolist()
    [2, 0, 3, 1]
    """
    if seed is not None:
        drawn = np.random.default_rng(integer("seed", seed, least=0))
        return drawn.permutation(rows).astype(np.int64)
    # Ranks of 64 random bits each: every order is as likely, but for a chance of rows squared in
    # 2^65 that two are equal. A generator with a state could be followed from the order itself.
    keys = np.frombuffer(os.urandom(8 * rows), dtype=np.uint64)
    return np.argsort(keys).astype(np.int64)


@dataclass
class _Candidate:
    """A release that is tried."""

    k: int
    release: Release
    loss: float
    publication: Publication | None = None
    judgement: Judgement | None = None
    choice: tuple[Finding, ...] = ()
    """What it tells that this one was chosen."""

    @property
    def broken(self) -> bool:
        """Whether something stands against it; it does as long as nobody judged it."""
        return self.judgement is None or bool(self.judgement.broken)

    @property
    def of_secrets(self) -> bool:
        """Whether something else than the size of classes stands against it."""
        broken = () if self.judgement is None else self.judgement.broken
        criteria = {finding.criterion for finding in broken}
        return bool(criteria) and Criterion.SINGLING_OUT not in criteria


@dataclass
class _Search:
    """Settings from the one that loses least, until one is judged to be safe."""

    publisher: Publisher
    ladder: Sequence[int]
    keep: frozenset[str]
    attempts: list[Attempt] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    left_out: tuple[str, ...] = ()
    steps: dict[str, Fraction] = field(default_factory=dict)
    rejected: list[Publication] = field(default_factory=list)
    """What was not taken for the sake of secrets."""
    judged: int = 0

    def best(self) -> _Candidate:
        """Return the first safe candidate; the last that was tried if none is."""
        while True:
            candidate = self._climb()
            spent = self.judged >= MOST_JUDGED
            if candidate.broken and not spent and self._leave_out_dearest(candidate):
                continue
            if candidate.judgement is None:
                self._judge(candidate)
            return candidate

    def _climb(self) -> _Candidate:
        sizes = iter(self.ladder)
        candidate = self._form(next(sizes))
        while True:
            if candidate.loss > MOST_LOSS and self._dearest(candidate) is not None:
                self._note(candidate)
                return candidate
            self._judge(candidate)
            if not candidate.broken or self.judged >= MOST_JUDGED:
                return candidate
            if not self._mend(candidate):
                size = next(sizes, None)
                if size is None:
                    return candidate
                candidate = self._form(size)
            else:
                candidate = self._form(candidate.k)

    def _form(self, k: int) -> _Candidate:
        table = without(offered(self.publisher.table, self.steps), self.left_out)
        with stage(f"forming classes of {k}"):
            release = formed(table, k)
        return _Candidate(k, release, _loss(release))

    def _judge(self, candidate: _Candidate) -> None:
        release = candidate.release
        with stage(f"judging classes of {candidate.k}"):
            candidate.publication = self.publisher.publication(
                release,
                order=order_of(release.rows),
                permuted=True,
                from_known_alone=True,
                asking=False,
            )
            candidate.judgement = self.publisher.judge(candidate.publication)
            candidate.choice = self._choice(candidate)
            candidate.judgement = candidate.judgement.beside(candidate.choice)
        self.judged += 1
        self._note(candidate)

    def _note(self, candidate: _Candidate) -> None:
        self.attempts.append(
            _attempt(candidate.k, candidate.release, candidate.judgement, self.left_out, self.steps)
        )

    def _choice(self, candidate: _Candidate) -> tuple[Finding, ...]:
        """Return what it tells that this setting was chosen, if settings before it were not."""
        chosen, judgement = candidate.publication, candidate.judgement
        if chosen is None or judgement is None or judgement.broken or not self.rejected:
            return ()
        thresholds = THRESHOLDS[self.publisher.audience]
        clear = all(tells_little(chosen, rejected, thresholds) for rejected in self.rejected)
        standing = Standing.MET if clear else Standing.BROKEN
        sentence = "that smaller classes were not safe accuses nobody"
        return (
            Finding(
                Criterion.MINIMALITY,
                standing,
                sentence if clear else "that smaller classes were not safe tells whose secrets did",
                people=chosen.people,
                remedy=None if clear else Remedy.LARGER_CLASSES,
            ),
        )

    def _mend(self, candidate: _Candidate) -> bool:
        """Do what findings ask for beside larger classes; False if they ask for nothing else."""
        judgement = candidate.judgement
        if judgement is None:
            return False
        for finding in judgement.broken:
            names = [name for name in finding.columns if self._may_go(candidate, name)]
            if finding.remedy is Remedy.LEAVE_OUT and names:
                return self._leave_out(names, finding.sentence)
        for finding in judgement.broken:
            names = [name for name in finding.columns if name not in self.publisher.exact]
            if finding.remedy is Remedy.ROUND and self._round(candidate, names):
                return True
        differing = [
            name for name in row_level(candidate.release.table) if self._may_go(candidate, name)
        ]
        if candidate.of_secrets and differing:
            return self._leave_out(differing, "rows of a person differ in it")
        if candidate.of_secrets and candidate.publication is not None:
            self.rejected.append(candidate.publication)
        return False

    def _round(self, candidate: _Candidate, names: Iterable[str]) -> bool:
        """Round numbers of columns so far that few occur once; False if they are already."""
        secrets = {column.name: column for column in self.publisher.table.secrets}
        before = dict(self.steps)
        for name in names:
            column = secrets.get(name)
            if column is not None and column.numeric and name not in before:
                self.steps[name] = least_step(column)
                self.notes.append(f"{shown(name)} is rounded to multiples of {self.steps[name]}")
        return self.steps != before

    def _may_go(self, candidate: _Candidate, name: str) -> bool:
        """Say whether a column may be left out: not what somebody keeps, nor the last one."""
        table = candidate.release.table
        held = {column.name for column in (*table.quasi_identifiers, *table.secrets)}
        return name in held and name not in self.keep and len(held) > 1

    def _leave_out(self, names: Sequence[str], why: str) -> bool:
        self.left_out = (*self.left_out, *names)
        self.notes.append(f"left out {', '.join(map(shown, names))}: {why}")
        return True

    def _dearest(self, candidate: _Candidate) -> str | None:
        """Return the column whose labels lose most; None if it is the last, or all are kept."""
        own = utility(candidate.release, queries=0).penalties
        free = {name: loss for name, loss in own.items() if name not in self.keep}
        if len(own) < 2 or not free:
            return None
        return max(free, key=lambda name: free[name])

    def _leave_out_dearest(self, candidate: _Candidate) -> bool:
        name = self._dearest(candidate)
        if name is None:
            return False
        self.rejected.clear()
        return self._leave_out([name], f"with it labels lose {percent(candidate.loss)}")


def _costs(best: _Candidate) -> Iterator[Cost]:
    """Yield what known columns cost, by classes that are formed without them, the dearest first."""
    release = best.release
    own = utility(release, queries=0).penalties if release.table.quasi_identifiers else {}
    if len(own) < 2:
        return
    dearest = sorted(own, key=lambda name: -own[name])[:MOST_COSTS]
    with stage("asking what each column costs"):
        costs = [
            Cost(name, own[name], _loss(formed(without(release.table, [name]), best.k)))
            for name in dearest
        ]
    yield from sorted(costs, key=lambda cost: cost.without)


def _loss(release: Release) -> float:
    return utility(release, queries=0).penalty if release.table.quasi_identifiers else 0.0


def _attempt(
    k: int,
    release: Release,
    judgement: Judgement | None,
    left_out: tuple[str, ...],
    steps: Mapping[str, Fraction],
) -> Attempt:
    worst = ""
    if judgement is not None and not judgement.green:
        worst = judgement.findings[0].sentence
    outcome = "loses too much" if judgement is None else judgement.outcome.value
    return Attempt(k, left_out, dict(steps), _loss(release), outcome, worst)
