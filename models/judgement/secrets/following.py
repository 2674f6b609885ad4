"""Whether a secret follows from what is known of everybody, whatever of that is published.

Leaving out a known column hides from its reader how secrets go with it; it does not hide the column
from whoever knows it. Pay that rises with age is known to who knows ages, once pays are published:
the highest is the oldest's. A bill of 420 a day is known to who knows when somebody came and left.
So people who are next to each other in what is known, or in what can be worked out from it, must
not have the same secret, or nearly the same number, much more often than any two people.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import log

import numpy as np

from kproof.errors import show
from kproof.models.base.arrays import Codes, Floats
from kproof.models.base.columns import group_codes
from kproof.models.judgement.findings import FindingStanding, JudgedCriterion, JudgedFinding, Remedy
from kproof.models.judgement.people import list_names, row_of_each
from kproof.models.judgement.publication import PublishedColumn, PublishedFile
from kproof.models.judgement.secrets.beliefs import SecretValues
from kproof.models.judgement.secrets.belonging import groups_in
from kproof.models.judgement.secrets.formulas import fit_formula
from kproof.models.judgement.secrets.views import (
    columns_known_exactly,
    columns_not_published,
    views,
)
from kproof.models.judgement.thresholds import Thresholds

FEWEST = 20
"""Pairs from which on their agreeing is taken for more than chance."""

CHANCE = 1e-6
"""With which any of the pairs of columns that are tried may be taken for telling a secret that has
nothing to do with them."""

SAMPLE = 4_000
"""People, drawn by seed, of whom several columns are looked at together."""

SCREEN = 500
"""People, the first of those, among whom hardly any two columns are worth a look at all."""

COLUMNS = 40
"""Columns that are tried in pairs: of more, those that by themselves tell most."""


@dataclass(frozen=True, eq=False)
class KnownMeasure:
    """What somebody is told by, out of one known column or several.

    >>> KnownMeasure("days", np.zeros(3, dtype=np.int64), np.array([1.0, 4, 2])).phrase
    'days'
    """

    phrase: str
    """What it is, as a sentence names it."""
    cell: Codes
    """Shape (rows,): people with different cells are no neighbours; -1 if it is not known."""
    number: Floats | None = None
    """Shape (rows,): by which people of a cell stand in order; None if all are alike."""

    @classmethod
    def of(cls, column: PublishedColumn, rows: Codes) -> KnownMeasure:
        """Return a known column, of some rows."""
        codes = column.codes[rows].astype(np.int64)
        if column.numbers is None:
            return cls(show(column.name), codes)
        return cls(show(column.name), np.where(codes < 0, -1, 0), column.floats[codes])

    def beside(self, partner: KnownMeasure) -> Iterator[KnownMeasure]:
        """Yield what this and anpartner measure tell together."""
        states = [(cell + 1, int(cell.max(initial=0)) + 2) for cell in (self.cell, partner.cell)]
        cell, _ = group_codes(states, len(self.cell))
        cell = np.where((self.cell < 0) | (partner.cell < 0), -1, cell)
        if self.number is None or partner.number is None:
            number = self.number if partner.number is None else partner.number
            yield KnownMeasure(f"{self.phrase} and {partner.phrase}", cell, number)
            return
        yield KnownMeasure(
            f"{self.phrase} plus {partner.phrase}", cell, self.number + partner.number
        )
        # People come before they leave: the difference that is mostly positive reads better.
        later, sooner = (self, partner) if _mean(self) >= _mean(partner) else (partner, self)
        difference = self.number - partner.number
        yield KnownMeasure(f"{later.phrase} less {sooner.phrase}", cell, difference)


def _mean(measure: KnownMeasure) -> float:
    numbers = np.zeros(0) if measure.number is None else measure.number[~np.isnan(measure.number)]
    return float(numbers.mean()) if len(numbers) else 0.0


@dataclass(frozen=True)
class AgreeingPairs:
    """How often people who are next to each other by a measure have the same secret."""

    pairs: int
    """Of people next to each other."""
    agreeing: int
    """How many of them have the same, or nearly the same number."""
    chance: Fraction
    """The chance that any two people have."""

    @property
    def share(self) -> Fraction:
        """Of the pairs, those that agree."""
        return Fraction(self.agreeing, max(self.pairs, 1))

    def beyond(self, gain: Fraction) -> bool:
        """Say whether they agree so much more often than any two people do."""
        return self.pairs > 0 and self.share >= self.chance + gain

    def hardly(self, tried: int) -> bool:
        """Say whether none of so many measures that have nothing to do with it would agree so.

        Every second pair shares nobody with the next, so that Chernoff's bound holds for either
        half of the pairs.
        """
        share, chance = self.agreeing / self.pairs, float(self.chance)
        # Asked only where the share is beyond the chance by a gain: neither is 0, nor the chance 1.
        distance = share * log(share / chance)
        # Where all agree this term is 0, and its logarithm does not exist.
        if share < 1:
            distance += (1 - share) * log((1 - share) / (1 - chance))
        return log(2 * tried) - (self.pairs // 2) * distance <= log(CHANCE)


def find_following(publication: PublishedFile, thresholds: Thresholds) -> Iterator[JudgedFinding]:
    """Find secrets that follow from what is known of everybody, exactly.

    >>> from kproof.models.judgement.publication import ColumnKnowledge
    >>> from kproof.models.judgement.thresholds import THRESHOLDS
    >>> rows = np.arange(40)
    >>> names = tuple(f"T{place}" for place in range(4))
    >>> town = PublishedColumn("town", ColumnKnowledge.KNOWN, rows // 10, names)
    >>> ward = PublishedColumn("ward", ColumnKnowledge.SECRET, rows // 10, names)
    >>> shown = PublishedFile((ward,), left_out=(town,))
    >>> print(next(find_following(shown, THRESHOLDS["public"])).sentence)
    ward follows from town, which is known even unpublished: 36 of 36 neighbours have the same value
    """
    # A person's own rows would agree with one another.
    rows = row_of_each(publication, "")
    # Numbers of households are not said to be known: what they share is judged by all their people.
    groups = {together.names for together in groups_in(publication, "")}
    left_out = {column.name for column in publication.left_out}
    columns = [
        column
        for column in columns_known_exactly(publication, "")
        if column.name in left_out or (column.name,) not in groups
    ]
    unpublished = {column.name for column in columns_not_published(publication, "")}
    for secret in publication.secrets:
        if secret.known or secret.atoms is not None:
            continue
        # It is taken as the numbers or dates that its cells are, if they are.
        measured = (view for view in views(secret) if view.numbers and view.atoms is None)
        secret = next(measured, secret)
        values = SecretValues.of(secret, thresholds.window)
        broken = False
        for column in columns:
            if column.name == secret.name:
                continue
            neighbours = _neighbours(KnownMeasure.of(column, rows), secret, values, rows)
            if neighbours.pairs >= FEWEST and neighbours.beyond(thresholds.gain):
                broken = True
                manner = "even unpublished" if column.name in unpublished else "exactly"
                how = f"{show(column.name)}, which is known {manner}"
                yield _conclude(publication, secret.name, how, neighbours, thresholds.gain)
        if not broken:
            yield from _together(publication, secret, values, columns, rows, thresholds)


def _together(
    publication: PublishedFile,
    secret: PublishedColumn,
    values: SecretValues,
    columns: Sequence[PublishedColumn],
    rows: Codes,
    thresholds: Thresholds,
) -> Iterator[JudgedFinding]:
    """Find whether a secret follows from two known columns, or from a formula in all of them."""
    sample = np.random.default_rng(0).permutation(rows[secret.codes[rows] >= 0])[:SAMPLE]
    share = values.share[values.ranks[values.starts[secret.codes[sample]]]]
    # Of what nearly everybody has nobody can be told much more often than it occurs.
    everywhere = len(share) * values.rows
    if not len(sample) or Fraction(int(share.sum()), everywhere) + thresholds.gain > 1:
        return
    first = sample[:SCREEN]
    alone = [
        (_neighbours(KnownMeasure.of(column, first), secret, values, first), place)
        for place, column in enumerate(columns)
        if column.name != secret.name
    ]
    # Ties by place: which columns are tried must not be up to chance.
    alone.sort(key=lambda pair: (-pair[0].share, pair[1]))
    chosen = [columns[place] for _, place in alone[:COLUMNS]]
    # Who agrees half as much more often as is asked for among few may do so among all; and few
    # people have hardly any neighbours where there are many cells.
    worth = [
        pair
        for pair in combinations(chosen, 2)
        for measure in _measures(pair, first)
        if (neighbours := _neighbours(measure, secret, values, first)).pairs < FEWEST
        or neighbours.beyond(thresholds.gain / 2)
    ]
    measures = [measure for pair in dict.fromkeys(worth) for measure in _measures(pair, sample)]
    if (formula := fit_formula(chosen, secret, sample)) is not None:
        phrase = f"a formula in {list_names(formula.names)}"
        # Judged by the others alone: to whom it was fitted it may be right by its amounts.
        cell = np.where(formula.fitted, -1, 0)
        measures.append(KnownMeasure(phrase, cell, formula.number))
    # Two measures of each pair, which are fewer than the square, and the formula.
    tried = len(chosen) ** 2 + 1
    telling = [
        (neighbours, measure.phrase)
        for measure in measures
        if (neighbours := _neighbours(measure, secret, values, sample)).beyond(thresholds.gain)
        and neighbours.hardly(tried)
    ]
    if telling:
        neighbours, phrase = max(telling, key=lambda pair: pair[0].share)
        how = f"{phrase}, which are known exactly"
        yield _conclude(publication, secret.name, how, neighbours, thresholds.gain)


def _measures(columns: tuple[PublishedColumn, ...], rows: Codes) -> Iterator[KnownMeasure]:
    """Yield what two columns tell together."""
    first, second = (KnownMeasure.of(column, rows) for column in columns)
    return first.beside(second)


def _conclude(
    publication: PublishedFile, secret: str, how: str, neighbours: AgreeingPairs, gain: Fraction
) -> JudgedFinding:
    agreeing, pairs = neighbours.agreeing, neighbours.pairs
    return JudgedFinding(
        JudgedCriterion.INFERENCE,
        FindingStanding.BROKEN,
        f"{show(secret)} follows from {how}: {agreeing:,} of {pairs:,} neighbours have the "
        "same value",
        hit=agreeing,
        people=publication.people,
        figure=neighbours.share,
        threshold=neighbours.chance + gain,
        columns=(secret,),
        remedy=Remedy.LEAVE_OUT,
    )


def _neighbours(
    measure: KnownMeasure, secret: PublishedColumn, values: SecretValues, rows: Codes
) -> AgreeingPairs:
    """Count the neighbours by a measure of some published rows, and those with the same secret."""
    places = np.flatnonzero((measure.cell >= 0) & (secret.codes[rows] >= 0))
    if len(places) < 2:
        return AgreeingPairs(0, 0, Fraction(0))
    # Who has the same in what is known stands in an order that has nothing to do with secrets.
    places = np.random.default_rng(0).permutation(places)
    keys = [] if measure.number is None else [measure.number[places]]
    places = places[np.lexsort([*keys, measure.cell[places]])]
    rank = values.ranks[values.starts[secret.codes[rows[places]]]]
    first, second = rank[:-1], rank[1:]
    beside = measure.cell[places[:-1]] == measure.cell[places[1:]]
    agree = (values.low[first] <= second) & (second < values.high[first]) & beside
    chance = Fraction(int(values.share[rank].sum()), len(rank) * values.rows)
    return AgreeingPairs(int(beside.sum()), int(agree.sum()), chance)
