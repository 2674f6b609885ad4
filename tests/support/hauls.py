"""What an intruder takes home from a published file, and what of it is true."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from printed_labels import SILENT, Values, number

WIDE = 0.05
"""A number is as good as known within so much of it."""
SURER = 0.5
"""A claim says something if its chance is so much above the share of whom it would fit."""


@dataclass(frozen=True)
class Published:
    """A file as its reader sees it."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def column(self, name: str) -> list[str]:
        at = self.header.index(name)
        return [row[at] for row in self.rows]


@dataclass(frozen=True)
class Claim:
    """What she says of a row of the roster, or of all rows of a person together."""

    rows: tuple[int, ...]
    column: str
    values: tuple[str, ...]
    window: tuple[float, float] | None
    """In a column of numbers: within which the number lies."""
    chance: float
    how: str


@dataclass(frozen=True)
class Haul:
    """All that she takes home."""

    pins: tuple[Claim, ...] = ()
    """Claims of which she is certain."""
    bets: tuple[Claim, ...] = ()
    singled: frozenset[int] = frozenset()
    """Persons about whom alone some published row can be."""
    names: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Score:
    """What is true of a haul: who is pinned rightly, and what was wrong."""

    people: int
    pinned: frozenset[int]
    betted: frozenset[int]
    """People with right bets, if four of five bets are right."""
    wrong: int
    """Claims of certainty that are not true."""
    singled: frozenset[int]
    names: frozenset[str]
    by: Counter[str]
    """Rightly pinned persons by the technique of the first pin."""

    @property
    def broken(self) -> bool:
        """Whether more than 1 % of the people are pinned or bet on, or somebody is named."""
        return bool(self.names) or 100 * len(self.pinned | self.betted) > self.people


def score(
    haul: Haul, file: Published, person: Sequence[int], secret: Sequence[str], naming: Sequence[str]
) -> Score:
    """Hold a haul against the source: a claim counts if it is true of her and not of half of all.

    ``secret`` are the columns that count, ``naming`` those in which people are named.
    """
    groups = defaultdict(list)
    for index, owner in enumerate(person):
        groups[owner].append(index)
    truth = {name: Values(file.column(name)) for name in secret}
    true_of = {}
    pinned = {}
    wrong, bets = 0, defaultdict[bool, set[int]](set)
    hits = Counter[bool]()
    for claim in (*haul.pins, *haul.bets):
        if claim.column not in truth:
            continue
        key = (claim.column, claim.values, claim.window, len(claim.rows) > 1)
        if key not in true_of:
            true_of[key] = _true_of(claim, truth[claim.column], list(groups.values()))
        owner = person[claim.rows[0]]
        place = claim.rows[0] if len(claim.rows) == 1 else list(groups).index(owner)
        right = bool(true_of[key][place])
        if right and true_of[key].mean() > 1 - SURER:
            continue
        if claim.chance < 1:
            hits[right] += 1
            bets[right].add(owner)
        elif right:
            pinned.setdefault(owner, claim.how)
        wrong += claim.chance == 1 and not right
    texts = {cell for name in naming for cell in file.column(name)}
    named = {name for name in haul.names if any(name in text for text in texts)}
    betted = bets[True] if hits[True] >= 4 * hits[False] else set()
    return Score(
        *(len(groups), frozenset(pinned), frozenset(betted), wrong, haul.singled),
        *(frozenset(named), Counter(pinned.values())),
    )


def _true_of(claim: Claim, column: Values, groups: list[list[int]]) -> np.ndarray:
    """Return of which rows a claim is true, or of which people where it is about all their rows."""
    if len(claim.rows) == 1:
        if claim.window is not None:
            return column.within(claim.window[0] - 1e-9, claim.window[1] + 1e-9)[column.codes]
        mask = column.mask(claim.values[0])
        if mask.all() and claim.values[0] not in {*SILENT, *column.values}:
            mask = ~mask
        return mask[column.codes]
    said = np.sort([number(cell, comma=column.comma) or 0 for cell in claim.values])
    true = []
    for rows in groups:
        cells, numbers = (
            [column.values[column.codes[row]] for row in rows],
            column.low[column.codes[rows]],
        )
        near = column.numeric and len(rows) == len(said)
        near = near and (abs(np.sort(numbers) - said) <= WIDE * abs(said) + 1e-9).all()
        true.append(bool(near) or tuple(sorted(cells)) == claim.values)
    return np.array(true)
