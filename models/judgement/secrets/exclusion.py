"""Secrets that some people cannot have, as is known of everybody though it is not published.

Who knows that somebody is a man rules out every row of the class with an illness that only women
have; if one row is left, it is his. That none of the people of a kind have a value is taken for
more than chance if so many of them would hardly be without it had they been drawn from all. Then
whoever knows their kind is taken to know what it rules out, and what nobody else has.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from kproof.errors import show
from kproof.models.base.arrays import Codes, Flags, log_gamma
from kproof.models.judgement.findings import FindingStanding, JudgedCriterion, JudgedFinding, Remedy
from kproof.models.judgement.people import (
    list_names,
    of_all,
    people_in,
    remember_by_column,
    rows_of,
)
from kproof.models.judgement.publication import PublishedColumn, PublishedFile
from kproof.models.judgement.secrets.beliefs import SecretBeliefs, SecretValues, Whole, surely
from kproof.models.judgement.secrets.views import columns_not_published, views
from kproof.models.judgement.thresholds import GUESSED, Thresholds

CHANCE = 1e-3
"""With which any kind of a column may be taken to rule out secrets that it has by chance alone."""

RUNS = 20
"""Runs of about as many people into which numbers are cut: an age by itself has too few people."""

VALUES = 50
"""Runs into which numbers of a secret are cut, to tell which of them some people never have."""

MOST_CELLS = 1 << 22
"""Pairs of a kind and a value that are counted; the smallest of more kinds are taken for one."""

_TILTS = np.geomspace(1e-7, 10, 60)


@dataclass(frozen=True, eq=False)
class ExclusiveKind:
    """People of one kind, by a column that is not published, and the secrets that go with it."""

    column: PublishedColumn
    """The column that is known."""
    view: PublishedColumn
    """What the secret is read as."""
    members: Flags
    """Shape (rows,): whose kind it is."""
    never: Flags
    """Shape (texts of the secret,): what they cannot have."""
    alone: Flags
    """Shape (texts of the secret,): what nobody else can have."""

    def weights(self, of_row: Codes, classes: int) -> Codes:
        """Return, shape (rows,), how likely each row of a class is somebody's of this kind.

        A class with m of them, a rows that they alone can have and c that others can have as well
        shows theirs: all of the a, and m - a of the c.
        """
        recorded, text = self.view.codes >= 0, np.maximum(self.view.codes, 0)
        theirs, excluded = recorded & self.alone[text], recorded & self.never[text]
        members = np.bincount(of_row[self.members], minlength=classes)[of_row]
        only = np.bincount(of_row[theirs], minlength=classes)[of_row]
        shared = np.bincount(of_row[~theirs & ~excluded], minlength=classes)[of_row]
        # Over their sum, m c, a row of the a has 1/m and one of the c (m - a)/(m c): whole numbers
        # with one denominator. Where c is 0 the a share all of it, with 1 each.
        weight = np.where(theirs, np.maximum(shared, 1), np.maximum(members - only, 0))
        weight[excluded | (members == 0)] = 0
        return weight


def exclusion(publication: PublishedFile, thresholds: Thresholds) -> Iterator[JudgedFinding]:
    """Find of whom a secret follows from what a known column that is not published rules out.

    >>> from kproof.models.judgement.publication import ColumnKnowledge, HiddenColumn
    >>> from kproof.models.judgement.thresholds import THRESHOLDS
    >>> man, ward = np.arange(400) % 20 == 0, np.arange(400) // 20
    >>> ills = ("cyst", "mastitis", "hydrocele", "torsion")
    >>> codes = np.where(man, 2, 0) + ward % 2
    >>> shown = PublishedFile(
    ...     (
    ...         PublishedColumn("ward", ColumnKnowledge.KNOWN, ward, tuple(map(str, range(20)))),
    ...         PublishedColumn("ill", ColumnKnowledge.SECRET, codes, ills),
    ...     ),
    ...     source_row=np.arange(400),
    ...     hidden=(HiddenColumn("sex", man.astype(np.int64), ("f", "m")),),
    ... )
    >>> print(next(exclusion(shown, THRESHOLDS["public"])).sentence)
    ill of all 400 rows is certain for anyone who knows ward of everybody, and sex, which is not \
published: some values go with some sex alone
    """
    for secret in publication.secrets:
        if secret.known or secret.atoms is not None:
            continue
        flags: dict[str, list[tuple[Flags, Flags]]] = {}
        for kind in exclusive_kinds(publication, secret.name):
            flags.setdefault(kind.column.name, []).append(_sure(publication, kind, thresholds))
        for name, every in flags.items():
            certain, bet = (np.logical_or.reduce(rows) for rows in zip(*every, strict=True))
            for rows, limit in ((certain, Fraction(0)), (bet, thresholds.bets)):
                yield _conclude(publication, secret.name, name, rows, limit)


def _sure(
    publication: PublishedFile, kind: ExclusiveKind, thresholds: Thresholds
) -> tuple[Flags, Flags]:
    """Say, shape (rows,) each, of whom of a kind a secret is certain, or a sure bet.

    More than their kind tells already: who has never been to school earns little in any class.
    """
    view, (of_row, classes) = kind.view, publication.classes
    weight, everywhere = kind.weights(of_row, classes), kind.weights(np.zeros_like(of_row), 1)
    flags = np.zeros((2, classes), dtype=np.bool_)
    for values in SecretValues.each(view, thresholds.window):
        share_of_kind, total = _shares(view, values, everywhere)
        among = replace(values, share=share_of_kind, rows=total)
        possible = weight > 0
        beliefs = SecretBeliefs.count(
            of_row[possible], view.codes[possible], classes, values, weight[possible]
        )
        sure = surely(beliefs, among, thresholds)
        flags |= np.stack([sure.certain, sure.bet])
    return flags[0][of_row] & kind.members, flags[1][of_row] & kind.members


def _shares(view: PublishedColumn, values: SecretValues, weight: Codes) -> tuple[Whole, int]:
    """Return the weight of each value's window, and of all, among the rows of a whole release."""
    possible = weight > 0
    everybody = np.zeros(int(possible.sum()), dtype=np.int64)
    beliefs = SecretBeliefs.count(everybody, view.codes[possible], 1, values, weight[possible])
    running = beliefs.up_to_rank(len(values.low))
    return running[values.high] - running[values.low], int(beliefs.total[0])


def _conclude(
    publication: PublishedFile, secret: str, unpublished: str, rows: Flags, limit: Fraction
) -> JudgedFinding:
    people = people_in(publication, "")
    victims = np.zeros(people.count, dtype=np.bool_)
    persons = people.of_row[rows]
    victims[persons[persons >= 0]] = True
    hit, broken = int(victims.sum()), int(victims.sum()) > limit * people.count
    word = f"can be {GUESSED} by" if limit else "is certain for"
    return JudgedFinding(
        JudgedCriterion.INFERENCE,
        FindingStanding.BROKEN if broken else FindingStanding.MET,
        f"{show(secret)} of {of_all(hit, publication)} {word} anyone who knows "
        f"{list_names(column.name for column in publication.known)} of everybody, and "
        f"{show(unpublished)}, which is not published: some values go with some "
        f"{show(unpublished)} alone",
        hit=hit,
        people=people.count,
        figure=Fraction(hit, people.count),
        threshold=limit,
        columns=(secret,),
        remedy=Remedy.LARGER_CLASSES if broken else None,
        victims=rows_of(people, victims),
    )


@remember_by_column
def exclusive_kinds(publication: PublishedFile, name: str) -> tuple[ExclusiveKind, ...]:
    """Return the kinds of people that go with some values of a secret alone, however it is read."""
    secret = next(column for column in publication.secrets if column.name == name)
    exclusive: list[ExclusiveKind] = []
    readings = [view for view in views(secret) if view.atoms is None and len(view.texts)]
    for column in columns_not_published(publication, ""):
        of_text = runs_of(column, RUNS)
        kind_of_row = np.append(of_text, -1)[column.codes]
        for view in readings:
            if len(of_text):
                exclusive += _exclusive(publication, column, kind_of_row, view)
    return tuple(exclusive)


def runs_of(column: PublishedColumn, most: int) -> Codes:
    """Return the kind of each text: itself, or a run of numbers with about as many rows as any."""
    if column.numbers is None or len(column.texts) <= most:
        return np.arange(len(column.texts))
    by_number = sorted(range(len(column.texts)), key=column.numbers.__getitem__)
    rows = np.bincount(column.codes[column.codes >= 0], minlength=len(by_number))[by_number]
    before = np.cumsum(rows) - rows
    of_text = np.empty(len(by_number), dtype=np.int64)
    of_text[by_number] = before * most // max(int(rows.sum()), 1)
    return of_text


def _exclusive(
    publication: PublishedFile, column: PublishedColumn, kind_of_row: Codes, view: PublishedColumn
) -> Iterator[ExclusiveKind]:
    of_text = runs_of(view, VALUES)
    values = int(of_text.max()) + 1
    kind_of_row = _largest(kind_of_row, max(MOST_CELLS // values, 1))
    kinds = int(kind_of_row.max(initial=-1)) + 1
    counts = _people(publication, kind_of_row, np.append(of_text, -1)[view.codes], kinds, values)
    everybody = counts.sum(axis=0)
    never, alone = counts == 0, counts == everybody
    members = counts.sum(axis=1)
    # Shared among all kinds and both questions: together they err with CHANCE at most.
    rules_out = _beyond_chance(everybody, members, never, CHANCE / (2 * max(kinds, 1)))
    outsiders = everybody.sum() - members
    has_alone = _beyond_chance(everybody, outsiders, alone, CHANCE / (2 * max(kinds, 1)))
    for kind in np.flatnonzero(rules_out | has_alone).tolist():
        impossible = (never[kind] & rules_out[kind])[of_text]
        own = (alone[kind] & has_alone[kind] & (everybody > 0))[of_text]
        yield ExclusiveKind(column, view, kind_of_row == kind, impossible, own)


def _largest(kind_of_row: Codes, most: int) -> Codes:
    """Return kinds of rows in which all but the largest are one more."""
    sizes = np.bincount(kind_of_row[kind_of_row >= 0])
    if len(sizes) <= most:
        return kind_of_row
    place = np.full(len(sizes) + 1, most, dtype=np.int64)
    place[np.argsort(-sizes, kind="stable")[:most]] = np.arange(most)
    # Read by -1, which is of no kind.
    place[-1] = -1
    return place[kind_of_row]


def _people(
    publication: PublishedFile, kind: Codes, value: Codes, kinds: int, values: int
) -> Codes:
    """Return, shape (kinds, values), how many people of each kind have each value."""
    real = (publication.persons >= 0) & (kind >= 0) & (value >= 0)
    pair = kind[real] * values + value[real]
    if publication.person is not None:
        # Rows of a person do not speak for one another.
        pair = np.unique(publication.persons[real] * (kinds * values) + pair) % (kinds * values)
    return np.bincount(pair, minlength=kinds * values).reshape(kinds, values)


def _beyond_chance(everybody: Codes, drawn: Codes, missed: Flags, chance: float) -> Flags:
    """Say, shape (kinds,), who misses more values than as many people drawn from all ever would.

    ``everybody``, shape (values,), has how many people have each value, ``drawn`` and ``missed``,
    shape (kinds,) and (kinds, values), how many are of each kind and which values none of them has.
    """
    total = int(everybody.sum())
    weight = missed @ everybody
    flags = np.zeros(len(drawn), dtype=np.bool_)
    missing = (weight > 0) & (drawn > 0)
    # Many kinds are of one size, and what may be missed by chance depends on nothing else of them.
    for size in np.unique(drawn[missing]).tolist():
        of_size = missing & (drawn == size)
        without = total - everybody
        # A value that fewer people lack than are drawn cannot be missed.
        possible = without >= size
        number, remaining = everybody[possible], without[possible]
        # Of all ways to draw them, those that miss a value.
        log = log_gamma(remaining + 1) - log_gamma(remaining - size + 1)
        log = log - log_gamma(total + 1) + log_gamma(total - size + 1)
        # Just below 0: where rounding leaves no chance to hit, 0 would have no logarithm.
        hit = np.log(-np.expm1(np.minimum(log, -1e-300)))
        # Chernoff's bound. Values missed by one draw without replacement are negatively associated:
        # the product of their moments is no less than the moment of their sum.
        moments = np.logaddexp(hit, log + np.outer(_TILTS, number)).sum(axis=1)
        # The least over a grid is a bound as well, only not the sharpest.
        least = (moments - np.outer(weight[of_size], _TILTS)).min(axis=1)
        flags[of_size] = least < np.log(chance)
    return flags
