"""The adversary of a small table, by hand: every assignment of rows to a person, in fractions.

Shares no code with the judge. Tables have a dozen rows at most.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from fractions import Fraction
from itertools import permutations, product
from math import comb

import numpy as np

from kproof.models.judgement.publication import ColumnKnowledge, PublishedColumn, PublishedFile

NEARLY_ALL = Fraction(9, 10)


def random_publication(rng: np.random.Generator) -> PublishedFile:
    """Return a small publication: words, numbers, gaps, noise, several rows of a person."""
    rows = int(rng.integers(1, 13))
    persons = None
    if rng.random() < 0.7:
        # All orders of a person's rows are tried: whoever has many is in a small table.
        most = 5 if rows <= 6 else 3
        persons = rng.permutation(
            np.repeat(np.arange(rows), rng.integers(1, most + 1, rows))[:rows]
        )
        persons[rng.random(rows) < rng.choice([0, 0.15])] = -1
        persons = persons * 3
        persons[persons < 0] = -1
    columns = [
        PublishedColumn(
            f"k{place}", ColumnKnowledge.KNOWN, _codes(rng, rows, persons), ("a", "b", "c")
        )
        for place in range(rng.integers(0, 3))
    ]
    secrets = [_secret(rng, f"s{place}", rows, persons) for place in range(rng.integers(1, 4))]
    if persons is None and rng.random() < 0.4:
        # Rows of one device have the same known cells, but for some; nobody calls it a person.
        device = rng.integers(0, max(rows // 2, 1), rows)
        cells = [rng.integers(0, 2, rows)[device] for _ in columns]
        for known, own in zip(columns, cells, strict=True):
            known.codes[:] = np.where(rng.random(rows) < rng.choice([0, 0, 0.2]), -1, own)
        device[rng.random(rows) < rng.choice([0, 0.1])] = -1
        secrets[0] = PublishedColumn("s0", ColumnKnowledge.SECRET, device, tuple("uvwxyz"))
    return PublishedFile((*columns, *secrets), person=persons)


def _codes(rng: np.random.Generator, rows: int, persons: np.ndarray | None) -> np.ndarray:
    codes = rng.choice(int(rng.integers(1, 4)), rows)
    if persons is not None and rng.random() < 0.5:
        codes = codes[np.unique(persons, return_inverse=True)[1]]
    codes[rng.random(rows) < rng.choice([0, 0, 0.2])] = -1
    return codes


def _secret(
    rng: np.random.Generator, name: str, rows: int, persons: np.ndarray | None
) -> PublishedColumn:
    codes, kind = _codes(rng, rows, persons), rng.random()
    if kind < 0.5:
        texts = WORDS[rng.integers(len(WORDS))] if rng.random() < 0.6 else ("x", "y", "z")
        return PublishedColumn(name, ColumnKnowledge.SECRET, codes, texts)
    if kind < 0.8:
        numbers = [Fraction(int(number)) for number in rng.choice([-100, -97, 0, 20, 21, 22], 3)]
        numbers = [number / int(rng.choice([1, 3])) for number in numbers]
        if rng.random() < 0.5:
            # Far from zero all of them are within 5 % of each other.
            numbers = [1000 + number for number in numbers]
        texts = tuple(f"{place}: {number}" for place, number in enumerate(numbers))
        return PublishedColumn(name, ColumnKnowledge.SECRET, codes, texts, tuple(numbers))
    knows = ColumnKnowledge.BOTH
    if kind < 0.9:
        return PublishedColumn(name, knows, codes, ("x", "y", "z"))
    atoms = (("20", "21"), ("21", "22", "30"), ("30",))
    numbers = tuple(map(Fraction, ("20", "21", "22", "30"))) if rng.random() < 0.5 else None
    return PublishedColumn(name, knows, codes, ("[20-21]", "[21-30]", "30"), numbers, atoms)


WORDS = (
    ("B20.0", "B20.1", "C50"),
    ("B20", "B20-9", "flu"),
    ("€ 1000", "€ 1001", "€ 1030"),
    ("400 mg", "403 mg", "900 mg"),
    ("2001-01-05", "2001-01-06", "2001-04-07"),
    ("x;y", "X; z", "w"),
    ("x;y", "y;z", "x"),
)
"""Cells that are written differently and may mean the same."""


def readings(column: PublishedColumn) -> list[PublishedColumn]:
    """Return a column and what it may be read as, for the cells that are drawn here."""
    found, texts = [column], column.texts
    if texts not in WORDS:
        return found
    if texts[0][0] == "B":
        first = [cell.replace("-", ".").split(".")[0] for cell in texts]
        distinct = sorted(set(first))
        codes = [-1 if own < 0 else distinct.index(first[own]) for own in column.codes.tolist()]
        own = replace(column, codes=np.array(codes), texts=tuple(distinct), reading="code")
        found.append(own)
    elif texts[0][0] == "x":
        parts = tuple(tuple(part.strip().lower() for part in cell.split(";")) for cell in texts)
        common = [part for part in "xyz" if sum(part in own for own in parts) > 1]
        atoms = tuple(tuple(part for part in own if part in common) for own in parts)
        found.append(replace(column, atoms=atoms, reading="set", every=True))
    elif texts[0][0] == "2":
        days = tuple(Fraction((date.fromisoformat(cell) - date.min).days + 1) for cell in texts)
        found.append(replace(column, numbers=days, reading="days"))
    else:
        numbers = tuple(Fraction(cell.strip(" €mg")) for cell in texts)
        found.append(replace(column, numbers=numbers, reading="amount"))
    return found


def classes(publication: PublishedFile, without: str = "") -> list[tuple[int, ...]]:
    """Return the known cells of each row."""
    known = [
        column
        for column in publication.columns
        if column.knowledge is not ColumnKnowledge.SECRET and column.name != without
    ]
    return [tuple(int(column.codes[row]) for column in known) for row in range(publication.rows)]


def rows_by_person(publication: PublishedFile) -> dict[int, list[int]]:
    """Return the published rows of everybody."""
    if publication.person is None:
        return {row: [row] for row in range(publication.rows)}
    people = {}
    for row, person in enumerate(publication.person.tolist()):
        if person >= 0:
            people.setdefault(person, []).append(row)
    return people


def with_pseudonym(publication: PublishedFile) -> PublishedFile:
    """Return a publication whose rows are told to be somebody's by a secret, if nobody said."""
    fewest, whom = publication.rows, None
    for column in publication.columns if publication.person is None else ():
        cells = column.codes.tolist()
        present = [cell for cell in cells if cell >= 0]
        own = set(present)
        if column.knowledge is not ColumnKnowledge.SECRET or len(own) < 2:
            continue
        seen = {pair for pair in zip(classes(publication), cells, strict=True) if pair[1] >= 0}
        if len(seen) == len({own_class for own_class, _ in seen}):
            continue
        alike = different = 0
        for known in publication.columns:
            if known.knowledge is not ColumnKnowledge.SECRET:
                pairs = set(zip(cells, known.codes.tolist(), strict=True))
                pairs = {(cell, shown) for cell, shown in pairs if cell >= 0}
                if len({shown for _, shown in pairs}) > 1:
                    different += 1
                    alike += len(pairs) == len(own)
        if alike > different / 2 and 2 <= len(present) / len(own) <= 20 and len(own) <= fewest:
            fewest = len(own)
            whom = [100 + row if cell < 0 else cell for row, cell in enumerate(cells)]
    return publication if whom is None else replace(publication, person=np.array(whom))


def chances(publication: PublishedFile) -> dict[int, Fraction]:
    """Return with what chance each person is picked among those who look like one of their rows."""
    of_row, people = classes(publication), rows_by_person(publication)
    crowd = {
        own: sum(any(of_row[row] == own for row in rows) for rows in people.values())
        for own in of_row
    }
    return {
        person: max(Fraction(1, crowd[of_row[row]]) for row in rows)
        for person, rows in people.items()
    }


def constant_columns(publication: PublishedFile, target: str = "") -> list[PublishedColumn]:
    """Return the secrets that are the same in all rows of nearly everybody who has several."""
    several = [rows for rows in rows_by_person(publication).values() if len(rows) > 1]
    found = []
    for column in publication.columns:
        if column.knowledge is ColumnKnowledge.SECRET or column.name == target:
            same = sum(len({int(column.codes[row]) for row in rows}) == 1 for rows in several)
            if several and Fraction(same, len(several)) >= NEARLY_ALL:
                found.append(column)
    return found


def linked(publication: PublishedFile) -> dict[int, Fraction]:
    """Return with what chance people are picked whose rows share secrets that are theirs alone."""
    publication = with_pseudonym(publication)
    people, of_row = rows_by_person(publication), classes(publication)
    fixed = constant_columns(publication)
    shows = [tuple(int(column.codes[row]) for column in fixed) for row in range(publication.rows)]
    signature = {person: Counter(of_row[row] for row in rows) for person, rows in people.items()}
    found = {}
    for person, rows in people.items():
        own = {shows[row] for row in rows}
        elsewhere = {shows[row] for row in range(publication.rows) if row not in rows}
        if len(rows) > 1 and len(own) == 1 and not own & elsewhere:
            alike = sum(other == signature[person] for other in signature.values())
            found[person] = Fraction(1, alike)
    return found


Event = Callable[[int], Fraction]
"""The chance that a row has some value, where a cell with nothing in it has every value."""


def _values(column: PublishedColumn) -> list[str]:
    if column.atoms is None:
        return list(column.texts)
    return list(dict.fromkeys(atom for atoms in column.atoms for atom in atoms))


def _numbers(column: PublishedColumn) -> dict[str, Fraction]:
    return dict(zip(_values(column), column.numbers or (), strict=True))


def widths(column: PublishedColumn) -> list[Fraction | None]:
    """Return how far a number may be from another at most, beside the 5 % of it; None for any.

    The second is 5 % of the distance between the percentiles, of numbers one by one.
    """
    if column.numbers is None:
        return [None]
    number = _numbers(column)
    weight = Counter[Fraction]()
    for code in column.codes.tolist():
        if code >= 0:
            there = [column.texts[code]] if column.atoms is None else column.atoms[code]
            for value in there:
                weight[number[value]] += Fraction(1, len(there))
    total, ends = sum(weight.values()), []
    for part in (Fraction(1, 20), Fraction(19, 20)):
        reached = [
            own
            for own in weight
            if sum(weight[other] for other in weight if other <= own) >= part * total
        ]
        ends.append(min(reached, default=Fraction(0)))
    return [None, (ends[1] - ends[0]) / 20]


def _whole(column: PublishedColumn) -> bool:
    """Say whether every row has a value or has it not."""
    return column.atoms is None or column.every or all(len(own) == 1 for own in column.atoms)


def _having(
    column: PublishedColumn, value: str, row: int, gap: int, most: Fraction | None
) -> Fraction:
    """Return the chance that a row has a value, or one within 5 % of it and no farther off."""
    code = int(column.codes[row])
    if code < 0:
        return Fraction(gap)
    there = [column.texts[code]] if column.atoms is None else list(column.atoms[code])
    if column.every:
        return Fraction(value in there)
    if column.numbers is None:
        return Fraction(there.count(value), len(there))
    number = _numbers(column)
    width = abs(number[value]) / 20
    width = width if most is None else min(width, most)
    near = [one for one in there if abs(number[one] - number[value]) <= width]
    return Fraction(len(near), len(there))


def or_gap(column: PublishedColumn) -> PublishedColumn:
    """Return a column in which a cell with nothing in it is a value like any other."""
    texts, atoms = (*column.texts, "nothing"), column.atoms
    codes = np.array([len(column.texts) if own < 0 else own for own in column.codes.tolist()])
    atoms = None if atoms is None else (*atoms, ("nothing",))
    return replace(column, codes=codes, texts=texts, numbers=None, atoms=atoms, reading="gap")


def surely(publication: PublishedFile, column: PublishedColumn) -> tuple[set[int], set[int]]:
    """Return who is certain, and who a sure bet, of a secret column, however it is read."""
    certain, bets = set(), set()
    gap = [or_gap(column)] if (column.codes < 0).any() and not column.reading else []
    for own in [*readings(column), *gap]:
        for most in widths(own):
            for surely_of in (_surely, _surely_but_for_gaps):
                more_certain, more_bets = surely_of(publication, own, most)
                certain |= more_certain
                bets |= more_bets
    return certain, bets


def _surely(
    publication: PublishedFile, column: PublishedColumn, most: Fraction | None
) -> tuple[set[int], set[int]]:
    target = column.name if column.knowledge is ColumnKnowledge.BOTH else ""
    of_row, people = classes(publication, target), rows_by_person(publication)
    fixed = constant_columns(publication, target)
    shows = [tuple(int(own.codes[row]) for own in fixed) for row in range(publication.rows)]
    several = any(len(rows) > 1 for rows in people.values())
    certain, bets = set(), set()
    for person, rows in people.items():
        steady = len({shows[row] for row in rows}) == 1
        parts = [rows] if steady and several else [[row] for row in rows]
        for part in parts:
            ways = [
                way
                for way in permutations_in(part, of_row)
                if not (steady and several) or len({shows[row] for row in way}) == 1
            ]
            for chance, base in _beliefs(column, ways, publication.rows, most):
                if chance == 1 and base < NEARLY_ALL:
                    certain.add(person)
                if chance >= base + Fraction(1, 2):
                    bets.add(person)
    return certain, bets


def _surely_but_for_gaps(
    publication: PublishedFile, column: PublishedColumn, most: Fraction | None
) -> tuple[set[int], set[int]]:
    """Return who is certain, and who a sure bet, if a value is a person's for good but for gaps.

    For each value she considers that all cells with nothing in them show it.
    """
    target = column.name if column.knowledge is ColumnKnowledge.BOTH else ""
    people, certain, bets = rows_by_person(publication), set(), set()
    several = {person: rows for person, rows in people.items() if len(rows) > 1}
    cells = column.codes.tolist()
    alike = [p for p, rows in several.items() if len({cells[row] for row in rows} - {-1}) <= 1]
    fixed = [own.codes for own in constant_columns(publication, target)]
    settled = {*zip(*fixed, strict=True)} if fixed else {()}
    settled = len({(cell, *(own[row] for own in fixed)) for row, cell in enumerate(cells)}) == len(
        settled
    )
    if (column.atoms and any(len(own) != 1 for own in column.atoms)) or settled:
        return certain, bets
    if len(alike) < NEARLY_ALL * len(several):
        return certain, bets
    of_row = classes(publication, target)
    for person in alike:
        ways = list(permutations_in(several[person], of_row))
        for code, value in enumerate(column.texts):
            shows = [code if cell < 0 else cell for cell in cells]
            agreeing = [way for way in ways if len({shows[row] for row in way}) == 1]
            if not any(cells[row] == code for way in ways for row in way):
                continue
            near = [_having(column, value, row, 1, most) for row in range(len(cells))]
            share = Fraction(sum(_having(column, value, row, 0, most) for row in range(len(cells))))
            share /= len(cells)
            if agreeing:
                chance = Fraction(sum(near[way[0]] for way in agreeing), len(agreeing))
                if chance == 1 and share < NEARLY_ALL:
                    certain.add(person)
                if chance >= share + Fraction(1, 2):
                    bets.add(person)
    return certain, bets


def permutations_in(rows: list[int], of_row: list[tuple[int, ...]]) -> Iterator[tuple[int, ...]]:
    """Yield all choices of different published rows that may be some rows of the source."""
    by_class = {}
    for row in rows:
        by_class.setdefault(of_row[row], []).append(row)
    pools = [
        list(permutations([row for row in range(len(of_row)) if of_row[row] == own], len(need)))
        for own, need in by_class.items()
    ]
    for choice in product(*pools):
        yield tuple(row for part in choice for row in part)


def _beliefs(
    column: PublishedColumn, ways: list[tuple[int, ...]], total: int, most: Fraction | None
) -> Iterator[tuple[Fraction, Fraction]]:
    """Yield the chance of each value that may be, and its share in the release."""
    length = len(ways[0])
    at_place = [Counter(way[place] for way in ways) for place in range(length)]
    for value in _values(column):
        share = sum(_having(column, value, row, 0, most) for row in range(total)) / total
        having = [_having(column, value, row, 1, most) for row in range(total)]
        possible = False
        for rows in at_place:
            if any(_is(column, value, row) for row in rows):
                possible = True
                yield sum(count * having[row] for row, count in rows.items()) / len(ways), share
        if length > 1 and _whole(column) and possible:
            without = {row for row in range(total) if not having[row]}
            any_row = sum(not without.issuperset(way) for way in ways)
            base = 1 - Fraction(comb(total - int(share * total), length), comb(total, length))
            yield Fraction(any_row, len(ways)), base


def _is(column: PublishedColumn, value: str, row: int) -> bool:
    code = int(column.codes[row])
    return code >= 0 and value in (
        (column.texts[code],) if column.atoms is None else column.atoms[code]
    )


def together(publication: PublishedFile) -> PublishedColumn:
    """Return all columns that are only secret as one."""
    secrets = [own for own in publication.columns if own.knowledge is ColumnKnowledge.SECRET]
    shows = [tuple(int(own.codes[row]) for own in secrets) for row in range(publication.rows)]
    distinct = sorted(set(shows))
    codes = np.array([distinct.index(own) for own in shows])
    name = ", ".join(own.name for own in secrets)
    return PublishedColumn(name, ColumnKnowledge.SECRET, codes, tuple(map(str, distinct)))
