"""What the labels of a known column teach of its exact values, which everybody's neighbours know.

A label ``E0**`` hides which employer somebody has from readers, not from who knows it. Each class
says how often a secret occurs among employers that she knows, one equation for each, and many
classes are as many equations as there are employers: she works out who employs people with which
secret, and bets. No class need show it. So whatever goes with an exact value of a column that is
published in labels is taken for learned, as far as half of the people tell it of the other half.

A column that is not published at all is learned in the same way: she knows how many of each
employer are in a class of ages. But where classes are few their counts have fewer bits than it
takes to say which secret goes with each employer. And what is true of more than 200 people of a
kind is a fact of people in general.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from itertools import combinations

import numpy as np

from kproof.errors import show
from kproof.models.base.arrays import Codes
from kproof.models.base.columns import group_codes
from kproof.models.judgement.findings import FindingStanding, JudgedCriterion, JudgedFinding, Remedy
from kproof.models.judgement.people import of_all, row_of_each
from kproof.models.judgement.publication import PublishedColumn, PublishedFile
from kproof.models.judgement.secrets.beliefs import SecretBeliefs, SecretValues, are_sure_bets
from kproof.models.judgement.secrets.exclusion import runs_of
from kproof.models.judgement.secrets.following import COLUMNS, AgreeingPairs
from kproof.models.judgement.secrets.views import columns_known_exactly, views
from kproof.models.judgement.thresholds import GUESSED, Thresholds

PEOPLE = 20
"""People in a run of numbers, on average: of fewer nothing is learned."""

FEWEST = 4
"""People in a cell, on average: where there are fewer, half of them teach nothing of the others."""

TAUGHT, TAUGHT_OF_PAIRS = 20_000, 4_000
"""People, drawn by seed, by whom it is shown that half of them teach the others."""

GROUP = 200
"""People of one value of a column that is not published: what classes teach of more of them is a
fact of people in general, such as that doctors earn well, and no secret of theirs."""

MOST_VALUES = 64
"""Values of a secret that are told apart where what classes tell of it is weighed."""

SLACK = Fraction(1, 10)
"""By how much less than it promises a sure bet may come true if few people teach it."""


@dataclass(frozen=True, eq=False)
class ExactCells:
    """People by their exact values in one known column or two, none of them published as such."""

    names: tuple[str, ...]
    """Of the columns."""
    cell: Codes
    """Shape (people,): cell of each, -1 where something is not known."""
    count: int
    """How many cells there are."""

    @classmethod
    def of(cls, columns: Sequence[PublishedColumn], rows: Codes) -> ExactCells:
        """Return people by their values in one column or two, or by the runs of numbers."""
        cells = []
        for column in columns:
            of_text = runs_of(column, max(len(rows) // PEOPLE, 1))
            cell = np.append(of_text, -1)[column.codes[rows]]
            cells.append(cls((column.name,), cell, int(of_text.max(initial=-1)) + 1))
        return reduce(cls.beside, cells)

    def beside(self, partner: ExactCells) -> ExactCells:
        """Return people by their values in both."""
        states = [(cells.cell + 1, cells.count + 1) for cells in (self, partner)]
        cell, count = group_codes(states, len(self.cell))
        cell = np.where((self.cell < 0) | (partner.cell < 0), -1, cell)
        return ExactCells((*self.names, *partner.names), cell, count)


def find_learned(publication: PublishedFile, thresholds: Thresholds) -> Iterator[JudgedFinding]:
    """Find of whom a secret is a sure bet for who knows columns exactly that labels hide."""
    labels = {column.name: {*column.texts} for column in publication.known}
    # Drawn alike each time: a judgement of the same release must not change.
    rows = np.random.default_rng(0).permutation(row_of_each(publication, ""))
    columns = columns_known_exactly(publication, "")
    absent = {column.name for column in columns if column.name not in labels}
    texts = {column.name: {*column.texts} for column in columns}
    hidden = absent | {name for name in texts.keys() & labels if not labels[name] <= texts[name]}
    secrets = [
        view
        for secret in publication.secrets
        for view in ([_single_values(secret)] if secret.known else views(secret))
        if view.atoms is None
    ]
    if not hidden or not secrets:
        return
    alone = [ExactCells.of((column,), rows[:TAUGHT]) for column in columns]
    few = [ExactCells.of((column,), rows[:TAUGHT_OF_PAIRS]) for column in columns[:COLUMNS]]
    pairs = [first.beside(second) for first, second in combinations(few, 2)]
    # Pairs of columns that are not published have many small cells in large tables, of which
    # classes tell what is true of people in general.
    tried = [*alone, *(pair for pair in pairs if absent.isdisjoint(pair.names))]
    tried = [cells for cells in tried if not hidden.isdisjoint(cells.names)]
    tried = [cells for cells in tried if cells.count * FEWEST <= len(cells.cell)]
    allowed = thresholds.bets * publication.people
    class_of = publication.classes[0][rows]
    for secret in secrets:
        values, code = SecretValues.of(secret, thresholds.window), secret.codes[rows]
        for cells in tried:
            if secret.name in cells.names:
                continue
            bets = _bets(cells, code[: len(cells.cell)], values, thresholds)
            proved = bets.beyond(thresholds.gain - SLACK)
            if not proved or not bets.hardly(len(tried) * len(secrets)):
                continue
            exact = [column for column in columns if column.name in cells.names]
            # Shown by some, counted of all: those who were not drawn are found out as well.
            every, unpublished = ExactCells.of(exact, rows), not absent.isdisjoint(cells.names)
            most = GROUP if unpublished else len(code)
            hit = _in_sure_cells(every, code, values, thresholds, most=most)
            if hit <= allowed or (unpublished and not _counts_could_tell(every, code, class_of)):
                continue
            known_names = " and ".join(map(show, cells.names))
            teachers = "classes" if absent.issuperset(cells.names) else f"labels of {known_names}"
            yield JudgedFinding(
                JudgedCriterion.INFERENCE,
                FindingStanding.BROKEN,
                f"{secret.reading}{show(secret.name)} of {of_all(hit, publication)} can be "
                f"{GUESSED} (allowed: {int(allowed):,}) by anyone who knows {known_names} exactly: "
                f"all {teachers} together teach it",
                hit=hit,
                people=publication.people,
                figure=Fraction(hit, publication.people),
                threshold=thresholds.bets,
                columns=(secret.name, *cells.names),
                remedy=Remedy.LARGER_CLASSES,
            )


def _counts_could_tell(cells: ExactCells, code: Codes, class_of: Codes) -> bool:
    """Say whether the counts of all classes could tell which secret goes with each cell.

    A count is the sum over cells of how many of the cell are in the class, times how many of the
    cell have the secret. Of what it may be it tells at most ½ log₂(1 + S/N) bits, S being how much
    it differs with what the cells have, and N how much it differs by chance if that is known. To
    name the usual secret of each cell takes their entropy. Decoders that were tried get half of the
    cells right with half of the bits, and bets are sure from twice of them on; counts that have
    less than half are no danger. (The largest class is left out: it is what the totals leave.)
    ``code`` and ``class_of``, shape (people,), have the secret's text, -1 for none, and the class.
    """
    recorded = (cells.cell >= 0) & (code >= 0)
    cell, group = cells.cell[recorded], class_of[recorded]
    value = np.unique(code[recorded], return_inverse=True)[1].reshape(-1)
    # Rare values are one: they are bits of what is told, and of what there is to tell.
    common = np.argsort(-np.bincount(value), kind="stable")[:MOST_VALUES]
    place = np.full(int(value.max(initial=0)) + 1, len(common))
    place[common] = np.arange(len(common))
    value, shape = place[value], (cells.count, len(common) + 1)
    people = np.bincount(cell, minlength=cells.count)
    counts = np.bincount(cell * shape[1] + value, minlength=shape[0] * shape[1])
    shares = counts.reshape(shape) / np.maximum(people, 1)[:, None]
    # Of all pairs of a class and a cell few have anybody.
    pairs, inside = np.unique(group * cells.count + cell, return_counts=True)
    class_there, cell_there = np.divmod(pairs, cells.count)
    signal = np.outer(np.bincount(class_there, inside**2), shares[people > 0].var(axis=0))
    uncertain = (shares * (1 - shares)).T
    noise = np.stack(
        [np.bincount(class_there, inside * column[cell_there]) for column in uncertain], axis=1
    )
    # A count is a whole number, which is as good as a number with this variance of rounding.
    bits = np.log2(1 + signal / (noise + 1 / 12)).sum(axis=1) / 2
    information = bits.sum() - bits[np.argmax(np.bincount(group))]
    usual = np.bincount(shares[people > 0].argmax(axis=1)) / np.count_nonzero(people)
    # Only shares above 0: 0 times the logarithm of 0 is 0, and NumPy says it is no number.
    entropy = -np.count_nonzero(people) * (usual[usual > 0] * np.log2(usual[usual > 0])).sum()
    return bool(2 * information >= entropy)


def _single_values(column: PublishedColumn) -> PublishedColumn:
    """Return a column that may be known as well, with the cells alone that show one value.

    >>> from kproof.models.judgement.publication import ColumnKnowledge
    >>> labels, atoms = ("flu", "{flu, HIV}"), (("flu",), ("flu", "HIV"))
    >>> both = ColumnKnowledge.BOTH
    >>> _single_values(
    ...     PublishedColumn("ill", both, np.array([0, 1]), labels, atoms=atoms)
    ... ).codes.tolist()
    [0, -1]
    """
    if column.atoms is None:
        return column
    alone = np.array([*(len(atoms) == 1 for atoms in column.atoms), False])
    codes = np.where(alone[column.codes], column.codes, -1)
    return replace(column, codes=codes, numbers=None, atoms=None)


def _bets(
    cells: ExactCells, code: Codes, values: SecretValues, thresholds: Thresholds
) -> AgreeingPairs:
    """Count the people on whom the others of their cell make a bet sure, and who is right.

    They stand in an order that has nothing to do with secrets: either half teaches what is betted
    of the other. ``code``, shape (people,), has the secret's text, -1 for none.
    """
    recorded = (cells.cell >= 0) & (code >= 0)
    cell, code = cells.cell[recorded], code[recorded]
    first = np.arange(len(cell)) < len(cell) // 2
    bets = right = weight = 0
    # Each half teaches the other: of whom it learned from, it would be right too often.
    for teaching in (first, ~first):
        surest = _surest(cell[teaching], code[teaching], cells.count, values, thresholds)
        value = surest[cell[~teaching]]
        rank = values.ranks[values.starts[code[~teaching]]][value >= 0]
        value = value[value >= 0]
        bets += len(value)
        right += int(((values.low[value] <= rank) & (rank < values.high[value])).sum())
        weight += int(values.share[value].sum())
    return AgreeingPairs(bets, right, Fraction(weight, max(bets, 1) * values.rows))


def _in_sure_cells(
    cells: ExactCells, code: Codes, values: SecretValues, thresholds: Thresholds, *, most: int
) -> int:
    """Return how many people are in a cell, of ``most`` people, in which enough make a bet sure."""
    recorded = (cells.cell >= 0) & (code >= 0)
    cell = cells.cell[recorded]
    size = np.bincount(cell, minlength=cells.count)
    sure = _surest(cell, code[recorded], cells.count, values, thresholds) >= 0
    return int(size[sure & (size >= 2 * FEWEST) & (size <= most)].sum())


def _surest(
    cell: Codes, code: Codes, cells: int, values: SecretValues, thresholds: Thresholds
) -> Codes:
    """Return, shape (cells,), the value by rank on which a bet is surest; -1 where none is."""
    beliefs = SecretBeliefs.count(cell, code, cells, values)
    total, share = beliefs.total[beliefs.group], values.share[beliefs.rank]
    sure = are_sure_bets(beliefs.mass(values), total, share, values.rows, thresholds.gain)
    surest = np.full(cells, -1, dtype=np.int64)
    # Of a cell at most two values are sure, with numbers in one window: either will do.
    surest[beliefs.group[sure]] = beliefs.rank[sure]
    return surest
