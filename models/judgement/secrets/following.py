"""Whether a secret follows from what is known of everybody, though that is not published.

Leaving out a known column hides from its reader how secrets go with it; it does not hide the column
from whoever knows it. Pay that rises with age is known to who knows ages, once pays are published:
the highest is the oldest's. So people who are next to each other in what is known must not have the
same secret, or nearly the same number, much more often than any two people.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from kproof.errors import show
from kproof.models.base.arrays import Codes
from kproof.models.judgement.judgement import (
    FindingStanding,
    JudgedCriterion,
    JudgedFinding,
    Remedy,
)
from kproof.models.judgement.publication import PublishedColumn, PublishedFile
from kproof.models.judgement.secrets.beliefs import SecretValues
from kproof.models.judgement.secrets.belonging import groups_in
from kproof.models.judgement.secrets.unpublished import unpublished_known
from kproof.models.judgement.thresholds import Thresholds

FEWEST = 20
"""Neighbours from which on their agreeing is taken for more than chance."""


def following(publication: PublishedFile, thresholds: Thresholds) -> Iterator[JudgedFinding]:
    """Find secrets that follow from a known column which is not published.

    Args:
        publication: What is to leave, beside known columns of the source that stay.
        thresholds: ``gain`` for how much more often than any two people neighbours may agree.

    >>> from kproof.models.judgement.publication import ColumnKnowledge
    >>> from kproof.models.judgement.thresholds import THRESHOLDS
    >>> rows = np.arange(40)
    >>> names = tuple(f"T{place}" for place in range(4))
    >>> town = PublishedColumn("town", ColumnKnowledge.KNOWN, rows // 10, names)
    >>> ward = PublishedColumn("ward", ColumnKnowledge.SECRET, rows // 10, names)
    >>> shown = PublishedFile((ward,), left_out=(town,))
    >>> print(next(following(shown, THRESHOLDS["public"])).sentence)
    ward follows from town, which is known even unpublished: 36 of 36 neighbours have the same
    """
    # A person's own rows would agree with one another.
    _, rows = np.unique(publication.persons, return_index=True)
    rows = rows[publication.persons[rows] >= 0]
    # Numbers of households are not said to be known: what they share is judged by all their people.
    groups = {together.names for together in groups_in(publication, "")}
    unpublished = [
        known
        for known in unpublished_known(publication, "")
        if known in publication.left_out or (known.name,) not in groups
    ]
    for column in publication.secrets:
        if column.known or column.atoms is not None:
            continue
        values = SecretValues.of(column, thresholds.window)
        for known in unpublished:
            pairs, agreeing, chance = _neighbours(known, column, values, rows)
            enough = pairs >= FEWEST and Fraction(agreeing, pairs) >= chance + thresholds.gain
            if enough:
                yield JudgedFinding(
                    JudgedCriterion.INFERENCE,
                    FindingStanding.BROKEN,
                    f"{show(column.name)} follows from {show(known.name)}, which is known "
                    f"even unpublished: {agreeing:,} of {pairs:,} neighbours have the same",
                    hit=agreeing,
                    people=publication.people,
                    figure=Fraction(agreeing, pairs),
                    threshold=chance + thresholds.gain,
                    columns=(column.name,),
                    remedy=Remedy.LEAVE_OUT,
                )


def _neighbours(
    known: PublishedColumn, secret: PublishedColumn, values: SecretValues, rows: Codes
) -> tuple[int, int, Fraction]:
    """Return pairs of neighbours, those that agree, and the chance that any two people do."""
    there = rows[(known.codes[rows] >= 0) & (secret.codes[rows] >= 0)]
    if len(there) < FEWEST:
        return 0, 0, Fraction(0)
    place = known.codes
    if known.numbers is not None:
        by_number = sorted(range(len(known.texts)), key=known.numbers.__getitem__)
        place = np.argsort(by_number)[known.codes]
    # Who has the same in what is known stands in an order that has nothing to do with secrets.
    there = np.random.default_rng(0).permutation(there)
    there = there[np.argsort(place[there], kind="stable")]
    rank = values.ranks[values.starts[secret.codes[there]]]
    first, second = rank[:-1], rank[1:]
    agree = (values.low[first] <= second) & (second < values.high[first])
    if known.numbers is None:
        same = place[there[:-1]] == place[there[1:]]
        agree, pairs = agree[same], int(same.sum())
    else:
        pairs = len(agree)
    chance = Fraction(int(values.share[rank].sum()), len(rank) * values.rows)
    return pairs, int(agree.sum()), chance
