"""A motivated intruder reads a published file: whose rows are which, and what follows for whom.

She has a roster of everybody with exact values of what can be known, reads any usual label, and
knows the method in words. All she concludes is one matrix, which row of the roster may be which
published row: each technique takes pairs out of it, and what is left says what is certain. Nothing
of the project that she attacks is used here.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np
from assignments import kinds, possible
from hidden_names import Token, named_by_digest, tokens
from person_rows import packed
from printed_labels import MISSING, SILENT, Values, number

TECHNIQUES = (
    "singling",
    "propagation",
    "order",
    "pseudonyms",
    "amounts",
    "persons",
    "weights",
    "minimality",
    "earlier",
    "digests",
    "homogeneity",
    "windows",
    "bets",
    "sets",
    "names",
)
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
class Intruder:
    """What somebody knows before she reads: a roster in the source's order, and the method."""

    header: tuple[str, ...]
    roster: tuple[tuple[str, ...], ...]
    person: tuple[int, ...]
    names: tuple[tuple[str, ...], ...] = ()
    method: str = ""
    earlier: tuple[Published, ...] = ()
    constant: tuple[str, ...] = ()
    """Columns that common sense says a person keeps, such as a disease for good."""


@dataclass(frozen=True)
class Claim:
    """What she says of a row of the roster, or of all rows of a person."""

    rows: tuple[int, ...]
    column: str
    values: tuple[str, ...]
    window: tuple[float, float] | None
    chance: float
    how: str


@dataclass(frozen=True)
class Haul:
    """All that she takes home."""

    pins: tuple[Claim, ...]
    bets: tuple[Claim, ...]
    singled: frozenset[int]
    names: tuple[Token, ...]


@dataclass
class _Reading:
    """One file beside the roster."""

    file: Published
    known: Intruder
    may: np.ndarray
    labels: np.ndarray
    person: np.ndarray
    spare: np.ndarray
    belief: dict[str, dict[int, np.ndarray]] = field(default_factory=dict)
    """What is likely of a person in columns that she keeps; empty where nothing was counted."""

    def other(self) -> list[str]:
        return [name for name in self.file.header if name not in self.known.header]

    def take_out(self, keep: np.ndarray) -> None:
        """Keep pairs, unless somebody would be left without any: then a guess was wrong."""
        narrower = self.may & keep
        if (narrower.any(axis=1) | ~self.may.any(axis=1)).all() and (
            narrower.any(axis=0) | ~self.may.any(axis=0)
        ).all():
            self.may = narrower


def attack(
    published: Published, knowledge: Intruder, *, without: frozenset[str] = frozenset()
) -> Haul:
    """Return what the intruder concludes; ``without`` names techniques that she does not know."""
    use = [name for name in TECHNIQUES if name not in without]
    if not published.rows:
        return Haul((), (), frozenset(), ())
    files = [published, *(knowledge.earlier if "earlier" in use else ())]
    readings = [_read(file, knowledge) for file in files]
    for reading in readings:
        for technique in use:
            if technique in _NARROWING:
                _NARROWING[technique](reading)
    for _ in range(4):
        before = [int(reading.may.sum()) for reading in readings]
        for reading in readings:
            if "propagation" in use:
                reading.may, reading.spare = possible(reading.may)
            if "persons" in use:
                _keep_constants(reading, weigh="weights" in use)
            if "weights" in use:
                _pack(reading)
            for another in readings:
                if another is not reading:
                    _compare(reading, another)
        if before == [int(reading.may.sum()) for reading in readings]:
            break
    reading = readings[0]
    claims = [claim for claim in _claims(reading, use) if claim.how in use]
    found = tokens(published.header, published.rows, knowledge.names) if "names" in use else ()
    return Haul(
        tuple(claim for claim in claims if claim.chance >= 1),
        tuple(claim for claim in claims if claim.chance < 1),
        frozenset(person for person, _ in _own(reading)),
        tuple(found),
    )


def _read(file: Published, known: Intruder) -> _Reading:
    """Return which rows of the roster each published row may be, by labels alone."""
    may = np.ones((len(known.roster), len(file.rows)), dtype=bool)
    for at, name in enumerate(known.header):
        if name in file.header:
            counts = Counter(row[at] for row in known.roster)
            column = Values(list(counts), counts=list(counts.values()))
            masks, label = column.masks(file.column(name))
            value = np.array([column.place[row[at]] for row in known.roster])
            may &= masks[label][:, value].T
    return _Reading(file, known, may, may, np.array(known.person), ~may.any(axis=1))


def _in_order(may: np.ndarray, blocks: Sequence[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """Return the pairs that keep the order within each block; nothing where they cannot."""
    keep = np.zeros_like(may)
    for rows, columns in blocks:
        part = may[np.ix_(rows, columns)]
        first = _earliest(part)
        last = _earliest(part[::-1, ::-1])
        if first is None or last is None:
            return np.zeros_like(may)
        last = len(rows) - 1 - last[::-1]
        place = np.arange(len(rows))[:, None]
        keep[np.ix_(rows, columns)] = (place >= first) & (place <= last)
    return keep


def _earliest(part: np.ndarray) -> np.ndarray | None:
    places, row = np.empty(part.shape[1], dtype=np.int64), 0
    for column in range(part.shape[1]):
        ahead = part[row:, column].argmax() if row < len(part) else 0
        if row >= len(part) or not part[row + ahead, column]:
            return None
        row += int(ahead)
        places[column] = row
        row += 1
    return places


def _order(reading: _Reading) -> None:
    """Rows in the source's order, all of them or within each class, if chance would not do it."""
    columns = np.arange(reading.may.shape[1])
    whole = [(np.arange(len(reading.may)), columns)]
    coarse = _coarse_classes(reading)
    classes = []
    for index in range(coarse.max() + 1):
        members = np.flatnonzero(coarse == index)
        classes.append((np.flatnonzero(reading.may[:, members].any(axis=1)), members))
    rng = np.random.default_rng(0)
    for blocks in (whole, classes):
        keep = _in_order(reading.may, blocks)
        if not keep.any():
            continue
        by_chance = "source order" in reading.known.method
        for _ in range(0 if by_chance else 12):
            shuffled = columns.copy()
            for _, members in blocks:
                shuffled[members] = rng.permutation(members)
            if _in_order(reading.may[:, shuffled], blocks).any():
                break
        else:
            by_chance = True
        if by_chance:
            reading.take_out(keep)
            return


def _coarse_classes(reading: _Reading) -> np.ndarray:
    """Return the class of each published row: equal cells in the columns that were generalized."""
    cells: list[tuple[str, ...]] = [() for _ in reading.file.rows]
    for at, name in enumerate(reading.known.header):
        if name in reading.file.header:
            exact = {row[at] for row in reading.known.roster}
            column = reading.file.column(name)
            if sum(cell in exact for cell in column) < 0.9 * len(column):
                cells = [(*held, cell) for held, cell in zip(cells, column, strict=True)]
    place = {cell: index for index, cell in enumerate(dict.fromkeys(cells))}
    return np.array([place[cell] for cell in cells])


def _linked(reading: _Reading, *, amounts: bool) -> None:
    """Rows that share a pseudonym, or an amount to the cent, are rows of the same person."""
    people, row_person = np.unique(reading.person, return_inverse=True)
    most = np.bincount(row_person)
    starts = np.argsort(row_person, kind="stable")
    ends = np.concatenate([[0], np.cumsum(most)])[:-1]
    rng = np.random.default_rng(0)
    for name in reading.other() if most.max() > 1 else ():
        cells = reading.file.column(name)
        cents = sum(bool(re.search(r"\d[.,]\d\d\b", cell)) for cell in cells) > 0.8 * len(cells)
        group, _ = _codes(
            # What is missing is nobody's in particular.
            [
                str(at) if cell.lower() in MISSING | SILENT else f"={cell}"
                for at, cell in enumerate(cells)
            ]
        )
        sizes = np.bincount(group)
        if amounts != cents or (sizes > 1).sum() < 5:
            continue
        reach = np.add.reduceat(reading.may[starts], ends, axis=0) > 0

        def fits(
            of: np.ndarray, reach: np.ndarray = reach, sizes: np.ndarray = sizes
        ) -> np.ndarray:
            misses = (~reach).astype(np.float32) @ np.eye(len(sizes), dtype=np.float32)[of]
            return (misses == 0) & (most[:, None] >= sizes)

        candidates = fits(group)
        # Two people may pay the same amount once; such a group fits nobody.
        nobody = ~candidates.any(axis=0)
        by_chance = [(~fits(rng.permutation(group)).any(axis=0)).sum() for _ in range(9)]
        if nobody.mean() <= 0.03 and nobody.sum() < min(by_chance):
            if sorted(sizes) == sorted(most):
                candidates, _ = possible(candidates & (most[:, None] == sizes))
            reading.take_out((candidates | nobody)[row_person][:, group])


def _minimality(reading: _Reading) -> None:
    """A group of k that was suppressed all the same had fewer than l values (minimality)."""
    words = dict(re.findall(r"\b([kl])\s*=?\s*(\d+)", reading.known.method))
    hidden = np.array(
        [
            all(
                cell in SILENT
                for name, cell in zip(reading.file.header, row, strict=True)
                if name in reading.known.header
            )
            for row in reading.file.rows
        ]
    )
    if "suppress" not in reading.known.method or len(words) < 2 or not hidden.any():
        return
    k, fewest = int(words["k"]), int(words["l"])
    away = np.flatnonzero(~reading.may[:, ~hidden].any(axis=1))
    groups: dict[tuple[str, ...], list[int]] = defaultdict(list)
    levels = [_level(reading, hidden, at) for at in range(len(reading.known.header))]
    for row in away:
        cells = reading.known.roster[row]
        groups[tuple(level(cell) for level, cell in zip(levels, cells, strict=True))].append(row)
    for name in reading.other():
        column = np.array(reading.file.column(name))
        if any(
            len(set(column[cells])) < fewest
            for cells in _same(reading.labels[:, ~hidden], np.flatnonzero(~hidden))
        ):
            continue
        counts = Counter(column[hidden])
        for rows in groups.values():
            fitting = [
                value
                for value, count in counts.items()
                if count
                + sum(sorted((counts[v] for v in counts if v != value))[::-1][: fewest - 2])
                >= len(rows)
            ]
            if len(rows) >= k and fitting:
                keep = np.ones_like(reading.may)
                keep[rows] = np.isin(column, fitting)
                reading.take_out(keep)


def _same(may: np.ndarray, columns: np.ndarray) -> Iterator[np.ndarray]:
    _, kind = kinds(may.T)
    for index in range(kind.max(initial=-1) + 1):
        yield columns[kind == index]


def _level(reading: _Reading, hidden: np.ndarray, at: int) -> Callable[[str], str]:
    """Return how a column's values are shown, as the rows that are not hidden show it."""
    name = reading.known.header[at]
    if name not in reading.file.header:
        return lambda cell: ""
    shown = {cell for cell, off in zip(reading.file.column(name), hidden, strict=True) if not off}
    if all(cell in SILENT for cell in shown):
        return lambda cell: ""
    sample = next(iter(shown))
    if stars := re.fullmatch(r"(.*[^*])(\*+)", sample):
        return lambda cell: cell[: len(stars[1])]
    if ends := re.fullmatch(r"\[(\d+)-(\d+)\]", sample):
        low, wide = int(ends[1]), int(ends[2]) - int(ends[1]) + 1
        return lambda cell: str((int(number(cell) or 0) - low) // wide)
    return lambda cell: cell


def _keep_constants(reading: _Reading, *, weigh: bool) -> None:
    """What a person keeps is in the rows of all her visits: the sets of values intersect."""
    several = np.bincount(np.unique(reading.person, return_inverse=True)[1]).max() > 1
    rng = np.random.default_rng(0)
    for name in reading.other() if several else ():
        codes, _ = _codes(reading.file.column(name))
        stays = _intersections(reading, codes, weigh=weigh)
        sure = name in reading.known.constant
        if stays.any(axis=1).all() and (
            sure
            or not any(
                _intersections(reading, rng.permutation(codes), weigh=weigh).any(axis=1).all()
                for _ in range(6)
            )
        ):
            _, row_person = np.unique(reading.person, return_inverse=True)
            reading.take_out(stays[row_person][:, codes])
            reading.belief.setdefault(name, {})


def _codes(cells: Sequence[str]) -> tuple[np.ndarray, list[str]]:
    values = list(dict.fromkeys(cells))
    place = {value: index for index, value in enumerate(values)}
    return np.array([place[cell] for cell in cells]), values


def _intersections(reading: _Reading, codes: np.ndarray, *, weigh: bool) -> np.ndarray:
    """Return the values, as columns, that occur among the candidates of all rows of a person."""
    first, kind = kinds(reading.may)
    value = np.eye(codes.max() + 1, dtype=np.float32)[codes]
    _, row_person = np.unique(reading.person, return_inverse=True)
    _, pair, alike = np.unique(
        row_person * len(first) + kind, return_inverse=True, return_counts=True
    )
    # Three visits that may be the same rows need three rows with the value.
    need = alike[pair][:, None] if weigh else 1
    fits = (reading.may[first].astype(np.float32) @ value)[kind] >= need
    misses = np.zeros((row_person.max() + 1, fits.shape[1]), dtype=np.int64)
    np.add.at(misses, row_person, ~fits)
    return misses == 0


def _pack(reading: _Reading) -> None:
    """In a class that some people fill with all their rows, values are sums of numbers of rows."""
    for name in reading.other():
        if name in reading.known.constant:
            codes, values = _codes(reading.file.column(name))
            for person, chances in packed(reading.labels, reading.person, codes).items():
                rows = np.flatnonzero(reading.person == person)
                keep = np.ones_like(reading.may)
                keep[rows] = np.isin(codes, list(chances))
                reading.take_out(keep)
                likely = np.zeros(len(values))
                likely[list(chances)] = list(chances.values())
                reading.belief.setdefault(name, {})[person] = likely


def _compare(reading: _Reading, another: _Reading) -> None:
    """The same people published twice: what no pair of rows explains in both is impossible."""
    shared = [name for name in reading.other() if name in another.other()]
    if not shared or len(another.may) != len(reading.may):
        return
    mine, theirs = (
        list(zip(*(side.file.column(name) for name in shared), strict=True))
        for side in (reading, another)
    )
    counts, others = Counter(mine), Counter(theirs)
    place = {cells: index for index, cells in enumerate(others)}
    value = np.eye(len(place), dtype=np.float32)[[place[cells] for cells in theirs]]
    reach = another.may.astype(np.float32) @ value > 0
    keep = np.ones_like(reading.may)
    for column, cells in enumerate(mine):
        # Rows that one of the files leaves out explain nothing.
        if others[cells] >= counts[cells]:
            keep[:, column] = reach[:, place[cells]]
    reading.take_out(keep)


def _digests(reading: _Reading) -> None:
    """A pseudonym made of what is known, by initials or a digest without salt, is no pseudonym."""
    for name in reading.other():
        owner = named_by_digest(reading.file.column(name), reading.known.names)
        if owner is not None:
            people: dict[str, set[int]] = defaultdict(set)
            for person, forms in zip(reading.person, owner.forms, strict=True):
                for form in forms:
                    people[form].add(int(person))
            keep = np.ones_like(reading.may)
            for column, cell in enumerate(owner.cells):
                if cell in people:
                    keep[:, column] = np.isin(reading.person, list(people[cell]))
            reading.take_out(keep)


_NARROWING: dict[str, Callable[[_Reading], None]] = {
    "order": _order,
    "pseudonyms": lambda reading: _linked(reading, amounts=False),
    "amounts": lambda reading: _linked(reading, amounts=True),
    "minimality": _minimality,
    "digests": _digests,
}


def _own(reading: _Reading) -> list[tuple[int, list[int]]]:
    """Return the people whom alone some published rows can be about, and these rows."""
    own: dict[int, list[int]] = defaultdict(list)
    _, kind = kinds(reading.may.T)
    for columns in _same(reading.may, np.arange(reading.may.shape[1])):
        people = set(reading.person[reading.may[:, columns[0]]].tolist())
        if len(people) == 1:
            own[people.pop()].extend(columns.tolist())
    return list(own.items())


def _chances(reading: _Reading, *, rounds: int) -> np.ndarray:
    """Return how likely each pair is: what is left, scaled to one row for each column (Sinkhorn)."""
    people, published = reading.may.shape
    weight = np.column_stack([reading.may, reading.spare & (people > published)]).astype(np.float32)
    target = np.ones(published + 1, dtype=np.float32)
    target[-1] = max(people - published, 1e-9)
    weight /= np.maximum(weight.sum(axis=1, keepdims=True), 1e-9)
    for _ in range(rounds):
        weight *= target / np.maximum(weight.sum(axis=0), 1e-9)
        weight /= np.maximum(weight.sum(axis=1, keepdims=True), 1e-9)
    return weight[:, :published]


def _claims(reading: _Reading, use: Sequence[str]) -> Iterator[Claim]:
    chance = _chances(reading, rounds=25 if "propagation" in use else 0)
    first, kind = kinds(np.column_stack([reading.may, reading.spare]))
    for name in reading.other():
        cells = reading.file.column(name)
        codes, values = _codes(cells)
        share = np.bincount(codes) / len(codes)
        column = Values(values)
        numeric = column.numeric
        told: dict[int, Claim] = {}
        groups, of = (first, kind)
        held = chance[first] @ np.eye(len(values), dtype=np.float32)[codes]
        if name in reading.belief:
            _, groups, of = np.unique(reading.person, return_index=True, return_inverse=True)
            # A class that a person is in with several rows says what it says once.
            _, once = np.unique(of * len(first) + kind, return_index=True)
            held = _kept(held[kind[once]], of[once], share)
            for person, likely in reading.belief[name].items():
                held[of[reading.person == person][0]] = likely
        for index, row in enumerate(groups):
            certain = not reading.spare[row]
            single = np.unique(codes[reading.may[row]])
            if not len(single):
                continue
            top = int((held[index] - share).argmax())
            sure = certain and len(single) == 1
            if sure or held[index, top] >= max(0.8, share[top] + SURER):
                likely = 1.0 if sure else min(float(held[index, top]), 0.999)
                window = _around(column.low[top], column.low[top]) if numeric else None
                how = "homogeneity" if reading.may[row].sum() > 1 else "singling"
                if share[top] <= 1 - SURER:
                    how = how if sure else "bets"
                    told[index] = Claim((), name, (values[top],), window, likely, how)
            elif numeric and "windows" in use:
                window, weight, base = _window(
                    column.low, held[index], share, single if certain else None
                )
                if weight >= max(0.8, base + SURER):
                    how = "windows" if weight >= 1 else "bets"
                    told[index] = Claim((), name, (), window, weight, how)
        for row, index in enumerate(of):
            if index in told:
                yield replace(told[index], rows=(row,))
    if "sets" in use:
        yield from _record_sets(reading)


def _kept(held: np.ndarray, person: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Return how likely each value is for each person, who has it in all her rows."""
    logs = np.zeros((person.max() + 1, held.shape[1]))
    with np.errstate(divide="ignore"):
        np.add.at(logs, person, np.log(held) - np.log(share))
    logs += np.log(share)
    logs -= logs.max(axis=1, keepdims=True)
    likely = np.exp(np.nan_to_num(logs, nan=-99.0))
    return likely / likely.sum(axis=1, keepdims=True)


def _record_sets(reading: _Reading) -> Iterator[Claim]:
    """Where all rows of a person are known as hers, but not which is which."""
    for person, columns in _own(reading):
        rows = tuple(np.flatnonzero(reading.person == person).tolist())
        if len(rows) == len(columns) > 1:
            for name in reading.other():
                cells = reading.file.column(name)
                values = tuple(sorted(cells[column] for column in columns))
                yield Claim(rows, name, values, None, 1.0, "sets")


def _around(low: float, high: float) -> tuple[float, float]:
    """Return what is within 5 % of the middle of some numbers."""
    middle = (low + high) / 2
    return middle - WIDE * abs(middle), middle + WIDE * abs(middle)


def _window(
    numbers: np.ndarray, held: np.ndarray, share: np.ndarray, sure: np.ndarray | None
) -> tuple[tuple[float, float], float, float]:
    """Return the window of 5 % to both sides that holds most, its chance and its share."""
    best = ((0.0, 0.0), 0.0, 1.0)
    likely = np.flatnonzero((held > 0.01) & np.isfinite(numbers))
    for start in numbers[likely]:
        window = _around(start, start * (1 + WIDE) / (1 - WIDE))
        inside = (numbers >= window[0] - 1e-9) & (numbers <= window[1] + 1e-9)
        weight, base = float(held[inside].sum()), float(share[inside].sum())
        if sure is not None and inside[sure].all():
            weight = 1.0
        else:
            weight = min(weight, 0.999)
        if weight - base > best[1] - best[2]:
            best = (window, weight, base)
    return best


@cache
def _values(cells: tuple[str, ...]) -> Values:
    return Values(list(dict.fromkeys(cells)))


@dataclass(frozen=True)
class Score:
    """What is true of a haul: who is pinned rightly, and what was wrong."""

    people: int
    pinned: frozenset[int]
    betted: frozenset[int]
    wrong: int
    singled: frozenset[int]
    names: frozenset[str]
    by: tuple[tuple[str, int], ...]

    @property
    def broken(self) -> bool:
        """Whether more than 1 % of the people are pinned or bet on, or somebody is named."""
        return bool(self.names) or 100 * len(self.pinned | self.betted) > self.people


def score(
    haul: Haul,
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    person: Sequence[int],
    *,
    secret: Sequence[str],
    naming: Sequence[str] = (),
) -> Score:
    """Hold a haul against the truth: a claim counts if it is right of her and not of half of all."""
    truth = {name: tuple(row[header.index(name)] for row in rows) for name in secret}
    groups: dict[int, list[int]] = defaultdict(list)
    for index, owner in enumerate(person):
        groups[owner].append(index)
    right: dict[tuple[object, ...], np.ndarray | float] = {}
    pinned: set[int] = set()
    by: Counter[str] = Counter()
    wrong, bets, hits = 0, set(), Counter[bool]()
    for claim in (*haul.pins, *haul.bets):
        if claim.column not in truth:
            continue
        cells = truth[claim.column]
        if len(claim.rows) > 1:
            true = tuple(sorted(cells[row] for row in claim.rows))
            alike = sum(
                tuple(sorted(cells[row] for row in group)) == true for group in groups.values()
            )
            correct, base = _match(claim.values, true), alike / len(groups)
        else:
            key = (claim.column, claim.values, claim.window)
            if key not in right:
                right[key] = _fits(claim, cells)
            fits = right[key]
            correct, base = bool(fits[claim.rows[0]]), float(fits.mean())
        if base > 1 - SURER and correct:
            continue
        owner = person[claim.rows[0]]
        if claim.chance < 1:
            hits[correct] += 1
            bets |= {owner} if correct else set()
        elif correct:
            by[claim.how] += owner not in pinned
            pinned.add(owner)
        else:
            wrong += 1
    true_texts = {cell for name in naming for cell in (row[header.index(name)] for row in rows)}
    named = {
        token.text
        for token in haul.names
        if any(token.text.lower() in t.lower() for t in true_texts)
    }
    sure = hits[True] >= 4 * hits[False] and hits[True] > 0
    return Score(
        len(groups),
        frozenset(pinned),
        frozenset(bets if sure else ()),
        wrong,
        haul.singled,
        frozenset(named),
        tuple(sorted(by.items())),
    )


def _match(said: tuple[str, ...], true: tuple[str, ...]) -> bool:
    """Whether numbers are as said within 5 %, in order, and words as they are."""
    if said == true:
        return True
    mine, theirs = ([number(cell) for cell in cells] for cells in (said, true))
    if None in mine or None in theirs:
        return False
    return all(
        abs(a - b) <= WIDE * abs(b) + 1e-9
        for a, b in zip(sorted(mine), sorted(theirs), strict=True)
        if a is not None and b is not None
    )


def _fits(claim: Claim, cells: tuple[str, ...]) -> np.ndarray:
    """Return of which rows a claim would be right."""
    column = _values(cells)
    if claim.window is not None:
        fits = column._within(claim.window[0] - 1e-9, claim.window[1] + 1e-9)
    else:
        fits = column.mask(claim.values[0])
        if fits.all() and claim.values[0] not in {*SILENT, *cells}:
            fits = ~fits
    return fits[[column.place[cell] for cell in cells]]
