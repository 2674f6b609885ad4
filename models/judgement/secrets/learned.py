"""What the labels of a known column teach of its exact values, which everybody's neighbours know.

A label ``E0**`` hides which employer somebody has from readers, not from who knows it. Each class
says how often a secret occurs among employers that she knows, one equation for each, and many
classes are as many equations as there are employers: she works out who employs people with which
secret, and bets. No class need show it. So whatever goes with an exact value of a column that is
published in labels is taken for learned, as far as half of the people tell it of the other half.
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
from kproof.models.judgement.people import Flags, of_all, row_of_each
from kproof.models.judgement.publication import PublishedColumn, PublishedFile
from kproof.models.judgement.secrets.beliefs import SecretBeliefs, SecretValues, wide
from kproof.models.judgement.secrets.exclusion import runs_of
from kproof.models.judgement.secrets.following import AgreeingPairs
from kproof.models.judgement.secrets.unpublished import known_exactly
from kproof.models.judgement.secrets.views import views
from kproof.models.judgement.thresholds import Thresholds

PEOPLE = 20
"""People in a run of numbers, on average: of fewer nothing is learned."""

SLACK = Fraction(1, 10)
"""By how much less than it promises a sure bet may come true if few people teach it."""


def learned(publication: PublishedFile, thresholds: Thresholds) -> Iterator[JudgedFinding]:
    """Find of whom a secret is a sure bet for who knows a column exactly that labels hide.

    Args:
        publication: What is to leave, with its source.
        thresholds: ``gain`` and ``bets``.
    """
    labels = {column.name: {*column.texts} for column in publication.known}
    rows = np.random.default_rng(0).permutation(row_of_each(publication, ""))
    columns = [
        column
        for column in known_exactly(publication, "")
        if column.name in labels and not labels[column.name] <= {*column.texts}
    ]
    secrets = [
        view
        for secret in publication.secrets
        if not secret.known
        for view in views(secret)
        if view.atoms is None
    ]
    for secret in secrets:
        values = SecretValues.of(secret, thresholds.window)
        for column in columns:
            bets = _bets(column, secret, values, rows, thresholds)
            allowed = thresholds.bets * publication.people
            if bets.pairs <= allowed or not bets.beyond(thresholds.gain - SLACK):
                continue
            if not bets.hardly(len(columns) * len(secrets)):
                continue
            yield JudgedFinding(
                JudgedCriterion.INFERENCE,
                FindingStanding.BROKEN,
                f"for who knows {show(column.name)} exactly, {secret.reading}{show(secret.name)} "
                f"of {of_all(bets.pairs, publication)} is a sure bet, true of {bets.agreeing:,}; "
                f"{int(allowed):,} may be: all labels of {show(column.name)} together teach it",
                hit=bets.pairs,
                people=publication.people,
                figure=Fraction(bets.pairs, publication.people),
                threshold=thresholds.bets,
                columns=(secret.name,),
                remedy=Remedy.LARGER_CLASSES,
            )


def _bets(
    column: PublishedColumn,
    secret: PublishedColumn,
    values: SecretValues,
    rows: Codes,
    thresholds: Thresholds,
) -> AgreeingPairs:
    """Count the people on whom the others with their exact value make a bet sure, and who is right.

    Args:
        column: What is known exactly.
        secret, values: What is betted on.
        rows: One published row for each person, in an order that has nothing to do with secrets:
            either half teaches what is betted of the other.
        thresholds: ``gain``.
    """
    of_text = runs_of(column, max(len(rows) // PEOPLE, 1))
    cell, code = np.append(of_text, -1)[column.codes[rows]], secret.codes[rows]
    there = (cell >= 0) & (code >= 0)
    cell, code = cell[there], code[there]
    first = np.arange(len(cell)) < len(cell) // 2
    bets = right = weight = 0
    for teaching in (first, ~first):
        others = ~teaching
        value = _surest(cell[teaching], code[teaching], len(of_text), values, thresholds)[
            cell[others]
        ]
        rank = values.ranks[values.starts[code[others]]][value >= 0]
        value = value[value >= 0]
        bets += len(value)
        right += int(((values.low[value] <= rank) & (rank < values.high[value])).sum())
        weight += int(values.share[value].sum())
    return AgreeingPairs(bets, right, Fraction(weight, max(bets, 1) * values.rows))


def _surest(
    cell: Codes, code: Codes, cells: int, values: SecretValues, thresholds: Thresholds
) -> Codes:
    """Return, shape (cells,), the value by rank on which a bet is surest; -1 where none is."""
    beliefs = SecretBeliefs.counted(cell, code, cells, values)
    gain, mass = thresholds.gain, beliefs.mass(values)
    total, share = beliefs.total[beliefs.group], values.share[beliefs.rank]
    bound = int(total.max(initial=0)) * values.rows * 4 * gain.denominator
    mass, total, share = wide(mass, bound), wide(total, bound), wide(share, bound)
    sure: Flags = np.asarray(
        mass * (values.rows * gain.denominator)
        >= total * (share * gain.denominator + values.rows * gain.numerator),
        dtype=np.bool_,
    )
    surest = np.full(cells, -1, dtype=np.int64)
    # Of a cell at most two values are sure, with numbers in one window: either will do.
    surest[beliefs.group[sure]] = beliefs.rank[sure]
    return surest
