"""Posteriors by random worlds: what the release and background knowledge leave possible.

Every world that agrees with the release and the background knowledge is equally likely. A victim's
chance of having a value is the share of worlds in which they do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm

import numpy as np

from kproof.errors import InvalidArgument
from kproof.models.attacks.background import BackgroundKnowledge, Matching, Person
from kproof.models.attacks.beliefs import Beliefs, Weights, gather, weights, whole
from kproof.models.attacks.covering import CELLS, Coded, blocks, profiles
from kproof.models.attacks.evidence import PublishedClasses
from kproof.models.attacks.knowledge import Knowledge, columns_of_background, name_of
from kproof.models.base.arrays import Codes, ranges
from kproof.models.base.beside import require_parts
from kproof.models.base.classes import Histogram
from kproof.models.base.missing import MissingAs


def believe(evidence: PublishedClasses, background: BackgroundKnowledge) -> Beliefs:
    """Return the exact posterior of every victim, a missing value being a value of its own.

    Where missing values are excluded, posteriors are among the rows that have one. What is known of
    values (members' and excluded ones) is used against everyone: it decides which rows are left.
    What is known of a victim's quasi-identifiers is used against that victim. Knowledge of people's
    values and missing ones that are taken for the worst do not go together: which rows are left
    then depends on what these are. Too many people with excluded values who may share rows are a
    TooLarge.

    >>> from kproof.models.base.classes import Classes
    >>> rows = Classes(np.array([0, 0, 0]), 1, np.array([0, 1, 1]), ("Flu", "HIV"))
    >>> knows = BackgroundKnowledge(members=(Person(row=2),))
    >>> believe(PublishedClasses.of(rows), knows).posterior(0)
    {0: Fraction(1, 2), 1: Fraction(1, 2)}
    """
    require_parts(evidence.classes.beside)
    if evidence.doubtful and background.informed:
        admissible = (
            "value or exclude, as something is known of people's values and some are missing"
        )
        raise InvalidArgument("missing_as", evidence.classes.missing_as, admissible)
    beliefs = _believe(evidence, background)
    if evidence.missing is None or evidence.classes.missing_as is not MissingAs.EXCLUDE:
        return beliefs
    return beliefs.without(evidence.missing)


def _believe(evidence: PublishedClasses, background: BackgroundKnowledge) -> Beliefs:
    knowledge = Knowledge(evidence, background)
    if background.victims is None:
        victims = np.ones(len(evidence.class_of), dtype=np.bool_)
        # Of members she knows the value: there is nothing to disclose.
        victims[[person.row for person in background.members if person.row is not None]] = False
        return _together(np.flatnonzero(victims).astype(np.int64), knowledge)
    beliefs = _one_by_one(background.victims, knowledge)
    people = enumerate(background.victims)
    names = {place: name_of(who) for place, who in people if who.name or who.row is None}
    return replace(beliefs, names=names)


def _one_by_one(victims: Sequence[Person], knowledge: Knowledge) -> Beliefs:
    """Return beliefs about victims of whom something is known, or who are given by name."""
    table = knowledge.table
    chances: list[dict[int, Fraction]] = []
    candidates: list[int] = []
    for position, person in enumerate(victims):
        near = knowledge.cells(person)
        allowed = knowledge.admissible(len(knowledge.background.members) + position, person)
        cells = near[allowed[table.values[near]]]
        # Only rows that somebody known may be on need fractions; all others are counted at once.
        touched = np.isin(cells, knowledge.touched, assume_unique=True)
        counts = np.zeros(len(table.totals), dtype=np.int64)
        np.add.at(counts, table.values[cells[~touched]], table.counts[cells[~touched]])
        chance = {int(code): Fraction(int(counts[code])) for code in np.flatnonzero(counts)}
        for cell in cells[touched].tolist():
            code = int(table.values[cell])
            chance[code] = chance.get(code, Fraction(0)) + knowledge.free(cell, victim=position)
        chances.append(chance)
        candidates.append(int(table.counts[near].sum()))
    rows = [-1 if person.row is None else person.row for person in victims]
    return gather(rows, chances, candidates)


def _together(persons: Codes, knowledge: Knowledge) -> Beliefs:
    """Return beliefs about people of whose values nothing is known, those alike in one group."""
    if not len(persons):
        return gather([], [], [])
    evidence, background, table = knowledge.evidence, knowledge.background, knowledge.table
    disturbed = {cell: knowledge.free(cell) for cell in knowledge.touched.tolist()}
    if background.matching is Matching.COVER:
        return _by_cover(columns_of_background(evidence, background), persons, table, disturbed)
    return _by_class(evidence.class_of[persons], persons, table, disturbed)


def _by_class(
    class_of: Codes, persons: Codes, table: Histogram, disturbed: dict[int, Fraction]
) -> Beliefs:
    numbers: Weights = table.counts
    if disturbed:
        exact = table.counts.astype(object)
        for c in sorted({int(table.classes[cell]) for cell in disturbed}):
            cells = range(int(table.starts[c]), int(table.starts[c + 1]))
            shares = [disturbed.get(cell, Fraction(int(table.counts[cell]))) for cell in cells]
            # Class by class: only proportions count, and one scale for all would be long.
            exact[cells.start : cells.stop] = whole(shares)
        numbers = weights(exact.tolist())
    positive = np.flatnonzero(numbers)
    entries = (table.classes[positive], table.values[positive], numbers[positive])
    return Beliefs.of(persons, class_of, entries, table.sizes)


@dataclass(frozen=True)
class _Sheet:
    """The histogram laid out for adding up: cells of one value and one share are one column."""

    column: Codes
    """Shape (cells,): column of each cell; the first columns are the values themselves."""
    value: Codes
    """Shape (columns,): value code of each column."""
    factor: Weights
    """Shape (columns,): what a row of the column counts, as whole numbers."""

    @classmethod
    def of(cls, table: Histogram, disturbed: dict[int, Fraction]) -> _Sheet:
        """Give the cells that background knowledge touches columns of their own."""
        values = len(table.totals)
        shares = {cell: number / int(table.counts[cell]) for cell, number in disturbed.items()}
        scale = lcm(*(share.denominator for share in shares.values()))
        column, value, factor = table.values.copy(), list(range(values)), [scale] * values
        places: dict[tuple[int, int], int] = {}
        for cell, share in shares.items():
            code, whole_share = int(table.values[cell]), int(share * scale)
            # A share is one for a whole pattern of people, so that there are few columns.
            place = places.setdefault((code, whole_share), len(value))
            if place == len(value):
                value.append(code)
                factor.append(whole_share)
            column[cell] = place
        return cls(column, np.array(value, dtype=np.int64), weights(factor))

    def weights(
        self, person: Codes, covering: Codes, table: Histogram
    ) -> tuple[Codes, Codes, Weights]:
        """Return the weights of a block of people: of whom, of which value, and how much.

        ``person`` and ``covering``, shape (pairs,), have who may be in which class.
        """
        first = table.starts[covering]
        cells_of_pair = table.starts[covering + 1] - first
        cell = ranges(first, cells_of_pair)
        column = self.column[cell]
        values = int(self.value.max(initial=0)) + 1
        keys = np.repeat(person, cells_of_pair) * values + self.value[column]
        keys, place = np.unique(keys, return_inverse=True)
        shared = len(self.value) > values
        weight: Weights = np.zeros(len(keys), dtype=object if shared else np.int64)
        factor = self.factor[column].astype(object) if shared else 1
        np.add.at(weight, place, table.counts[cell] * factor)
        occurring = np.flatnonzero(weight)
        row, code = np.divmod(keys[occurring], values)
        return row, code, weight[occurring]


def _by_cover(
    columns: Sequence[Coded], persons: Codes, table: Histogram, disturbed: dict[int, Fraction]
) -> Beliefs:
    people = profiles(columns, persons)
    sheet = _Sheet.of(table, disturbed)
    nobody = np.zeros(0, dtype=np.int64)
    # A part of nobody: where no class covers anybody there is still one, of the right types.
    parts = [sheet.weights(nobody, nobody, table)]
    candidates = np.zeros(len(people.codes), dtype=np.int64)
    for profile, covering in blocks(people, len(table.sizes)):
        starts = np.flatnonzero(np.diff(profile, prepend=-1))
        # Written, not added: all pairs of a profile are in one block.
        candidates[profile[starts]] = np.add.reduceat(table.sizes[covering], starts)
        # What the classes of so many people have, at a time: bounds the memory, not the result.
        cells = np.append(0, np.cumsum(np.diff(table.starts)[covering]))[starts]
        # At starts of profiles only: in two parts one of them would be two groups.
        cuts = starts[np.diff(cells // CELLS, prepend=0) > 0]
        parts += [
            sheet.weights(profile[pairs], covering[pairs], table)
            for pairs in np.split(np.arange(len(profile)), cuts)
        ]
    of_profile, codes, weight = (np.concatenate(part) for part in zip(*parts, strict=True))
    # Blocks come along a curve; within a profile codes ascend already, which stable keeps.
    order = np.argsort(of_profile, kind="stable")
    weight = weights(weight.tolist()) if weight.dtype == object else weight
    entries = (of_profile[order], codes[order].astype(np.int64), weight[order])
    return Beliefs.of(persons, people.of_person, entries, candidates)
