"""A motivated intruder reads a published file: whose rows are which, and what follows for whom.

She has a roster of everybody with exact values of what can be known, reads any usual label, and
knows the method in words. All she concludes is a matrix, which row of the roster may be which
published row: each technique takes pairs out of it, and what is left says what is certain. Nothing
of the project that she attacks is used here.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from assignments import possible, shared_out
from hauls import SURER, WIDE, Claim, Haul, Published
from hidden_names import digests, names_in
from printed_labels import MISSING, SILENT, Values, number

TECHNIQUES = (
    *("order", "pseudonyms", "amounts", "minimality", "digests"),
    *("propagation", "persons", "weights", "earlier"),
    *("singling", "homogeneity", "windows", "bets", "sets", "names"),
)
LIKELY = 0.8
"""The least chance of a bet: four of five are right."""


@dataclass(frozen=True)
class Intruder:
    """What somebody knows before she reads."""

    header: tuple[str, ...]
    """The columns that she knows of everybody, exactly."""
    roster: tuple[tuple[str, ...], ...]
    """Their values, in the source's order."""
    person: tuple[int, ...]
    """Whose row each is."""
    names: tuple[tuple[str, ...], ...] = ()
    """Names, telephone numbers and addresses for each row."""
    method: str = ""
    """The method in words: ``k=3 l=2``, ``suppressed``, ``source order`` are understood."""
    earlier: tuple[Published, ...] = ()
    """Other releases of the same rows."""
    constant: tuple[str, ...] = ()
    """Columns that common sense says a person keeps, such as a disease for good."""


@dataclass
class _Reading:
    """A published file beside the roster, and what she has concluded so far."""

    file: Published
    known: Intruder
    may: np.ndarray
    labels: np.ndarray
    spare: np.ndarray
    person: np.ndarray = field(init=False)
    belief: dict[str, dict[int, np.ndarray]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.person = np.unique(self.known.person, return_inverse=True)[1]

    def other(self) -> list[str]:
        return [name for name in self.file.header if name not in self.known.header]

    def take_out(self, keep: np.ndarray) -> None:
        """Keep pairs, unless somebody would be left without any: then a guess was wrong."""
        less = self.may & keep
        if all((less.any(axis=at) | ~self.may.any(axis=at)).all() for at in (0, 1)):
            self.may = less


def attack(
    published: Published, knowledge: Intruder, *, without: frozenset[str] = frozenset()
) -> Haul:
    """Return what the intruder concludes; ``without`` names techniques that she does not know."""
    use = [name for name in TECHNIQUES if name not in without]
    if not published.rows:
        return Haul()
    files = [published, *(knowledge.earlier if "earlier" in use else ())]
    readings = [_read(file, knowledge) for file in files]
    for reading in readings:
        for technique in use:
            _NARROWING.get(technique, lambda reading: None)(reading)
    before = []
    while before != (before := [int(reading.may.sum()) for reading in readings]):
        for reading in readings:
            if "propagation" in use:
                reading.may, reading.spare = possible(reading.may)
            if "persons" in use:
                _keep_constants(reading, weigh="weights" in use)
            if "weights" in use:
                _weigh(reading)
            for another in readings:
                if another is not reading:
                    _compare(reading, another)
    claims = [claim for claim in _claims(readings[0], use) if claim.how in use]
    cells = {cell for row in published.rows for cell in row}
    return Haul(
        tuple(claim for claim in claims if claim.chance == 1),
        tuple(claim for claim in claims if claim.chance < 1),
        frozenset(knowledge.person[rows[0]] for rows, _ in _own(readings[0])),
        frozenset(names_in(cells, knowledge.names) if "names" in use else ()),
    )


def _read(file: Published, known: Intruder) -> _Reading:
    """Return which rows of the roster each published row may be, by labels alone."""
    may = np.ones((len(known.roster), len(file.rows)), dtype=bool)
    for at, name in enumerate(known.header):
        if name in file.header:
            may &= Values([row[at] for row in known.roster]).pairs(file.column(name))
    return _Reading(file, known, may, may, ~may.any(axis=1))


def _order(reading: _Reading) -> None:
    """Rows in the source's order, all of them or within each class, if chance would not do it."""
    columns, may = np.arange(reading.may.shape[1]), reading.may
    coarse = [
        name
        for at, name in enumerate(reading.known.header)
        if name in reading.file.header
        and np.isin(reading.file.column(name), [row[at] for row in reading.known.roster]).mean()
        < 0.9
    ]
    labels = list(zip(*(reading.file.column(name) for name in coarse), strict=True))
    classes = Values(["|".join(cells) for cells in labels] or [""] * len(columns)).codes
    parts = [np.flatnonzero(classes == index) for index in np.unique(classes)]
    rng = np.random.default_rng(0)
    for blocks in ([columns], parts):
        keep = _in_order(may, blocks)
        told = "source order" in reading.known.method
        shuffles = (np.concatenate([rng.permutation(part) for part in blocks]) for _ in range(12))
        mixed = np.empty_like(columns)
        for shuffled in () if told or not keep.any() else shuffles:
            mixed[np.concatenate(blocks)] = shuffled
            if _in_order(may[:, mixed], blocks).any():
                break
        else:
            if keep.any():
                reading.take_out(keep)
                return


def _in_order(may: np.ndarray, blocks: Sequence[np.ndarray]) -> np.ndarray:
    """Return the pairs that keep the order within each block; nothing where they cannot."""
    keep = np.zeros_like(may)
    for columns in blocks:
        rows = np.flatnonzero(may[:, columns].any(axis=1))
        part = may[np.ix_(rows, columns)]
        first, last = _earliest(part), _earliest(part[::-1, ::-1])
        if first is None or last is None:
            return np.zeros_like(may)
        place, last = np.arange(len(rows))[:, None], len(rows) - 1 - last[::-1]
        keep[np.ix_(rows, columns)] = (place >= first) & (place <= last)
    return keep


def _earliest(part: np.ndarray) -> np.ndarray | None:
    places, row = np.empty(part.shape[1], dtype=np.int64), 0
    for column in range(part.shape[1]):
        fits = part[row:, column]
        if not fits.any():
            return None
        places[column] = row + fits.argmax()
        row = places[column] + 1
    return places


def _link(reading: _Reading, *, amounts: bool) -> None:
    """Rows that share a pseudonym, or an amount to the cent, are rows of the same person."""
    most = np.bincount(reading.person)
    belongs = np.eye(len(most), dtype=np.float32)[reading.person]
    misses = (belongs.T @ reading.may == 0).astype(np.float32)
    rng = np.random.default_rng(0)
    for name in reading.other() if most.max() > 1 else ():
        cells = reading.file.column(name)
        cents = np.mean([bool(re.search(r"\d[.,]\d\d\b", cell)) for cell in cells]) > 0.8
        # What is missing is nobody's in particular.
        marks = [
            f"{at}" if c.lower() in MISSING | SILENT else f"={c}" for at, c in enumerate(cells)
        ]
        column = Values(marks)
        group, sizes = column.codes, column.counts
        if amounts != cents or (sizes > 1).sum() < 5:
            continue

        def fits(of: np.ndarray, sizes: np.ndarray = sizes) -> np.ndarray:
            missed = misses @ np.eye(len(sizes), dtype=np.float32)[of]
            return (missed == 0) & (most[:, None] >= sizes)

        candidates = fits(group)
        # Two people may pay the same amount once; such a group fits nobody.
        nobody = ~candidates.any(axis=0)
        by_chance = [(~fits(rng.permutation(group)).any(axis=0)).sum() for _ in range(9)]
        if nobody.mean() <= 0.03 and nobody.sum() < min(by_chance):
            if sorted(sizes) == sorted(most):
                candidates, _ = possible(candidates & (most[:, None] == sizes))
            reading.take_out((candidates | nobody)[reading.person][:, group])


def _minimality(reading: _Reading) -> None:
    """A group of k that was suppressed all the same had fewer than l values."""
    known, file = reading.known, reading.file
    words = dict(re.findall(r"\b([kl])\s*=?\s*(\d+)", known.method))
    shown = [file.column(name) for name in known.header if name in file.header]
    hidden = np.array([all(cell in SILENT for cell in row) for row in zip(*shown, strict=True)])
    if "suppress" not in known.method or len(words) < 2 or not hidden.any():
        return
    levels = [_level(reading, ~hidden, at) for at in range(len(known.header))]
    groups = defaultdict(list)
    for row in np.flatnonzero(~reading.may[:, ~hidden].any(axis=1)):
        cells = zip(levels, known.roster[row], strict=True)
        groups[tuple(level(cell) for level, cell in cells)].append(row)
    for name in reading.other():
        column, fewest = np.array(file.column(name)), int(words["l"])
        classes = defaultdict(set)
        for at in np.flatnonzero(~hidden):
            classes[reading.labels[:, at].tobytes()].add(column[at])
        if any(len(values) < fewest for values in classes.values()):
            continue
        counts = Counter(column[hidden])
        for rows in groups.values():
            fitting = []
            for value, count in counts.items():
                rest = sorted((counts[other] for other in counts if other != value), reverse=True)
                if count + sum(rest[: fewest - 2]) >= len(rows):
                    fitting.append(value)
            if len(rows) >= int(words["k"]) and fitting:
                keep = np.ones_like(reading.may)
                keep[rows] = np.isin(column, fitting)
                reading.take_out(keep)


def _level(reading: _Reading, visible: np.ndarray, at: int) -> Callable[[str], str]:
    """Return how a column's values are shown, as the rows that are not hidden show it."""
    name = reading.known.header[at]
    shown = reading.file.column(name) if name in reading.file.header else []
    cells = {cell for cell, seen in zip(shown, visible, strict=bool(shown)) if seen} - SILENT
    sample = next(iter(cells), "*")
    if ends := re.fullmatch(r"\[(\d+)-(\d+)\]", sample):
        low, wide = int(ends[1]), int(ends[2]) - int(ends[1]) + 1
        return lambda cell: str((int(number(cell) or 0) - low) // wide)
    if stars := re.fullmatch(r"(.*?)(\*+)", sample):
        return lambda cell: cell[: len(stars[1])]
    return lambda cell: cell


def _digests(reading: _Reading) -> None:
    """A pseudonym made of what is known, by initials or a digest without salt, is no pseudonym."""
    for name in reading.other():
        whose = digests(reading.file.column(name), reading.known.names)
        if whose is not None:
            reading.take_out(whose)


_NARROWING = {
    "order": _order,
    "pseudonyms": lambda reading: _link(reading, amounts=False),
    "amounts": lambda reading: _link(reading, amounts=True),
    "minimality": _minimality,
    "digests": _digests,
}


def _keep_constants(reading: _Reading, *, weigh: bool) -> None:
    """What a person keeps is in the rows of all her visits: the sets of values intersect."""
    rng = np.random.default_rng(0)
    for name in reading.other() if len(reading.person) > reading.person.max() + 1 else ():
        codes = Values(reading.file.column(name)).codes
        stays = _intersections(reading, codes, weigh=weigh)
        mixes = (_intersections(reading, rng.permutation(codes), weigh=weigh) for _ in range(6))
        if stays.any(axis=1).all() and (
            name in reading.known.constant or not any(mix.any(axis=1).all() for mix in mixes)
        ):
            reading.take_out(stays[reading.person][:, codes])
            reading.belief.setdefault(name, {})


def _intersections(reading: _Reading, codes: np.ndarray, *, weigh: bool) -> np.ndarray:
    """Return the values, as columns, that occur among the candidates of all rows of a person."""
    value = np.eye(codes.max() + 1, dtype=np.float32)[codes]
    counts = reading.may.astype(np.float32) @ value
    # Three visits that may be the same rows need three rows with the value.
    fits = counts >= (_alike(reading)[:, None] if weigh else 1)
    misses = np.zeros((reading.person.max() + 1, fits.shape[1]), dtype=np.int64)
    np.add.at(misses, reading.person, ~fits)
    return misses == 0


def _visits(reading: _Reading) -> list[tuple[int, bytes]]:
    """Return whose visit each row of the roster is, and to which candidates."""
    packed = np.packbits(reading.may, axis=1)
    return [(owner, row.tobytes()) for owner, row in zip(reading.person, packed, strict=True)]


def _alike(reading: _Reading) -> np.ndarray:
    visits = _visits(reading)
    counts = Counter(visits)
    return np.array([counts[visit] for visit in visits])


def _weigh(reading: _Reading) -> None:
    """In classes that some people fill with all their rows, values are sums of numbers of rows."""
    for name in set(reading.other()) & set(reading.known.constant):
        codes = Values(reading.file.column(name)).codes
        likely = shared_out(reading.labels, reading.person, codes)
        keep = np.ones_like(reading.may)
        for person, chances in likely.items():
            keep[reading.person == person] = chances[codes] > 0
        reading.take_out(keep)
        reading.belief.setdefault(name, {}).update(likely)


def _compare(reading: _Reading, another: _Reading) -> None:
    """The same people published twice: what no pair of rows explains in both is impossible."""
    shared = [name for name in reading.other() if name in another.other()]
    if shared:
        mine, theirs = (
            Values(["|".join(cells) for cells in zip(*map(side.file.column, shared), strict=True)])
            for side in (reading, another)
        )
        value = np.eye(len(theirs.values), dtype=np.float32)[theirs.codes]
        reach = another.may.astype(np.float32) @ value > 0
        keep = np.ones((len(reading.may), len(mine.values)), dtype=bool)
        for at, cells in enumerate(mine.values):
            # Rows that one of the files leaves out explain nothing.
            if cells in theirs.place and theirs.counts[theirs.place[cells]] >= mine.counts[at]:
                keep[:, at] = reach[:, theirs.place[cells]]
        reading.take_out(keep[:, mine.codes])


def _own(reading: _Reading) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return rows of people and the published rows that can be about them alone."""
    reach = np.eye(reading.person.max() + 1, dtype=np.float32)[reading.person].T @ reading.may > 0
    alone = reach & (reach.sum(axis=0) == 1)
    owners = np.flatnonzero(alone.any(axis=1))
    return [(np.flatnonzero(reading.person == at), np.flatnonzero(alone[at])) for at in owners]


def _chances(reading: _Reading, *, rounds: int) -> np.ndarray:
    """Return how likely each pair is: what is left, scaled to a row for each column (Sinkhorn)."""
    people, published = reading.may.shape
    weight = np.column_stack([reading.may, reading.spare & (people > published)]).astype(np.float32)
    target = np.ones(published + 1, dtype=np.float32)
    target[-1] = max(people - published, 1e-9)
    for _ in range(rounds):
        weight /= np.maximum(weight.sum(axis=1, keepdims=True), 1e-9)
        weight *= target / np.maximum(weight.sum(axis=0), 1e-9)
    return weight[:, :published] / np.maximum(weight.sum(axis=1, keepdims=True), 1e-9)


def _claims(reading: _Reading, use: Sequence[str]) -> Iterator[Claim]:
    """Yield, for each row and column, the value or window that is likelier than for others."""
    own = _own(reading) if "sets" in use else []
    chance = _chances(reading, rounds=25 if "propagation" in use else 0)
    for name in reading.other():
        column = Values(reading.file.column(name))
        # Numbers from the least on, each with those within its window; other values alone.
        order = (
            np.argsort(column.low, kind="stable") if column.numeric else np.arange(len(column.low))
        )
        starts = column.low[order]
        ends = np.arange(1, len(order) + 1)
        if column.numeric and "windows" in use:
            wide = np.searchsorted(starts, starts * (1 + WIDE) / (1 - WIDE) + 1e-9, side="right")
            ends = np.where(starts > 0, np.maximum(wide, ends), ends)
        value = np.eye(len(order), dtype=np.float32)[np.argsort(order)[column.codes]]
        among = (reading.may.astype(np.float32) @ value > 0).astype(np.int64)
        held = chance @ value
        share = value.mean(axis=0)
        if name in reading.belief:
            held = _kept(reading, held, share) if "persons" in use else held
            for owner, likely in reading.belief[name].items():
                held[reading.person == owner] = likely[order]
        in_window, base, within = (
            np.concatenate([np.zeros((len(sums), 1)), sums], axis=1)[:, ends]
            - np.concatenate([np.zeros((len(sums), 1)), sums], axis=1)[:, :-1]
            for sums in (held.cumsum(axis=1), share[None].cumsum(axis=1), among.cumsum(axis=1))
        )
        total = among.sum(axis=1, keepdims=True)
        sure = (within == total) & (total > 0) & ~reading.spare[:, None]
        best = (np.where(sure, 2, in_window) - base).argmax(axis=1)
        every = np.arange(len(best))
        usual = base[0, best]
        bold = sure[every, best] | (in_window[every, best] >= np.maximum(LIKELY, usual + SURER))
        # Few rows are left: looking into each of them alone took a quarter of an attack.
        for row in np.flatnonzero(bold & (usual <= 1 - SURER + 1e-6)).tolist():
            start = best[row]
            likely, certain = float(in_window[row, start]), bool(sure[row, start])
            fits = np.flatnonzero(among[row, start : ends[start]]) + start
            if len(fits):
                how = "singling" if reading.may[row].sum() == 1 else "homogeneity"
                how = (how if len(fits) == 1 else "windows") if certain else "bets"
                middle = (starts[fits[0]] + starts[fits[-1]]) / 2
                window = (middle - WIDE * abs(middle), middle + WIDE * abs(middle))
                values = tuple(column.values[order[at]] for at in fits)
                likely = 1 if certain else min(likely, 0.999)
                yield Claim(
                    (int(row),), name, values, window if column.numeric else None, likely, how
                )
        # All rows of a person are known as hers, but not which is which.
        for rows, columns in own:
            if len(rows) == len(columns) > 1:
                cells = tuple(sorted(column.values[column.codes[at]] for at in columns))
                yield Claim(tuple(rows.tolist()), name, cells, None, 1, "sets")


def _kept(reading: _Reading, held: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Return how likely each value is for a person, who has it in all her rows."""
    logs = np.zeros((reading.person.max() + 1, held.shape[1]))
    # A class that a person is in with several rows says what it says once.
    once = list({visit: row for row, visit in enumerate(_visits(reading))}.values())
    with np.errstate(divide="ignore"):
        np.add.at(logs, reading.person[once], np.log(held[once]) - np.log(share))
    logs = logs + np.log(share)
    likely = np.exp(np.nan_to_num(logs - logs.max(axis=1, keepdims=True), nan=-99.0))
    return (likely / likely.sum(axis=1, keepdims=True))[reading.person]
