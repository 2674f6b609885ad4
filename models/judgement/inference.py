"""Inference: of whom a secret value follows from the release, or may be betted on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial

import numpy as np

from kproof.models.base.columns import group_codes
from kproof.models.judgement.beliefs import Beliefs, Sure, Values, surely
from kproof.models.judgement.changing import changing
from kproof.models.judgement.gaps import with_gaps
from kproof.models.judgement.joined import Joined, joined_rows
from kproof.models.judgement.judgement import Criterion, Finding, Remedy, Standing
from kproof.models.judgement.people import Flags, PeopleInClasses, named, of_all, rows_of
from kproof.models.judgement.publication import Knowledge, Publication, PublishedColumn
from kproof.models.judgement.thresholds import Thresholds


def inference(publication: Publication, thresholds: Thresholds) -> Iterator[Finding]:
    """Find of whom a secret is certain, and of whom somebody may be sure, column by column.

    Parameters
    ----------
    publication
        What is to leave.
    thresholds
        ``bets`` for the share of people of whom somebody may be sure.
    """
    if not publication.secrets:
        yield Finding(
            Criterion.INFERENCE,
            Standing.MET,
            "no column was said to be secret: nothing is inferred",
        )
    joined = joined_rows(publication, "")
    for column in publication.secrets:
        own = joined_rows(publication, column.name) if column.known else joined
        sure = _sure(own, column, thresholds)
        yield _finding(publication, column, own.people, sure.certain, Fraction(0))
        yield _finding(publication, column, own.people, sure.bet, thresholds.bets)
    secrets = [column for column in publication.secrets if not column.known]
    if len(secrets) > 1:
        together = _together(secrets, publication.rows)
        sure = _sure(joined, together, thresholds)
        yield _finding(publication, together, joined.people, sure.certain, Fraction(0))


def _together(secrets: Sequence[PublishedColumn], rows: int) -> PublishedColumn:
    """Return several columns as one, in which rows are alike that show the same in all."""
    codes, count = group_codes([(own.states, len(own.texts) + 1) for own in secrets], rows)
    name = ", ".join(own.name for own in secrets)
    return PublishedColumn(name, Knowledge.SECRET, codes, tuple(map(str, range(count))))


def _sure(joined: Joined, column: PublishedColumn, thresholds: Thresholds) -> Sure:
    """Say, shape (people,), whose value somebody is too sure of."""
    of_row, count = joined.class_of_row, int(joined.class_of_row.max(initial=-1)) + 1
    people = joined.people
    values = Values.of(column, thresholds.window)
    alone = ~joined.steady if people.several else np.ones(people.count, dtype=np.bool_)
    sure = surely(Beliefs.counted(of_row, column.codes, count, values), values, thresholds)
    certain = people.any_class(sure.certain) & alone
    bet = people.any_class(sure.bet) & alone
    if people.several:
        if values.scale == 1 and not joined.settles(column) and (column.codes < 0).any():
            sure = with_gaps(joined, column, values, thresholds)
            certain, bet = certain | sure.certain, bet | sure.bet
        ask = joined.constant if joined.settles(column) else partial(changing, joined)
        sure = ask(column, values, thresholds)
        certain, bet = certain | sure.certain, bet | sure.bet
    return Sure(certain, bet)


def _finding(
    publication: Publication,
    column: PublishedColumn,
    people: PeopleInClasses,
    flagged: Flags,
    limit: Fraction,
) -> Finding:
    hit = int(flagged.sum())
    broken = hit > limit * people.count
    name = named([column.name])
    known = named(own.name for own in publication.known if own.name != column.name)
    if limit:
        sentence = f"{name} of {of_all(hit, publication)} is a sure bet for who knows {known}"
    else:
        sentence = f"{name} of {of_all(hit, publication)} is certain for who knows {known}"
    return Finding(
        Criterion.INFERENCE,
        Standing.BROKEN if broken else Standing.MET,
        sentence,
        hit=hit,
        people=people.count,
        figure=Fraction(hit, max(people.count, 1)),
        threshold=limit,
        columns=(column.name,),
        remedy=Remedy.LARGER_CLASSES if broken else None,
        victims=rows_of(people, flagged),
    )
