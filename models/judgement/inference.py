"""Inference: of whom a secret value follows from the release, or may be betted on."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from kproof.models.judgement.beliefs import Beliefs, Values, surely
from kproof.models.judgement.judgement import Criterion, Finding, Remedy, Standing
from kproof.models.judgement.people import PeopleInClasses, named, of_all, rows_of
from kproof.models.judgement.publication import Publication, PublishedColumn
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
    for column in publication.secrets:
        certain, bet, people = _people(publication, column, thresholds)
        yield _finding(publication, column, people, certain, Fraction(0))
        yield _finding(publication, column, people, bet, thresholds.bets)


def _people(
    publication: Publication, column: PublishedColumn, thresholds: Thresholds
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], PeopleInClasses]:
    without = column.name if column.known else ""
    of_row, count = publication.classes_without(without)
    people = PeopleInClasses.of(publication.persons, of_row)
    values = Values.of(column, thresholds.window)
    sure = surely(Beliefs.counted(of_row, column.codes, count, values), values, thresholds)
    return (
        np.logical_or.reduceat(sure.certain[people.of_class], people.starts),
        np.logical_or.reduceat(sure.bet[people.of_class], people.starts),
        people,
    )


def _finding(
    publication: Publication,
    column: PublishedColumn,
    people: PeopleInClasses,
    flagged: NDArray[np.bool_],
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
