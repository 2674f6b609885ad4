"""Keep each row by a coin, drop what is rare, shuffle, and publish nothing else (R7 to R11)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from hashlib import sha256
from typing import TypeVar

from kproof.datasets import TextTable
from kproof.errors import DataError, InvalidArgument, show
from kproof.models.tables.sampled.certificate import SampledCertificate, certify_bounds
from kproof.models.tables.sampled.levels import WrittenLevels
from kproof.models.tables.sampled.rechecking import recheck
from kproof.models.tables.writers import csv_text, inert
from kproof.theory.exact.coins import CoinSource
from kproof.theory.exact.typed import Number, integer, rational
from kproof.theory.theorems.releases.refused import require_nothing_beside

MOST_K = 1000
"""Largest threshold whose certificate is judged again in seconds."""

STAMP = "unfit to publish"
"""Name of the last column of a test's release."""

MOST_EPSILONS = 32
"""Most values of ε that a certificate states δ at."""

EPSILONS = (Fraction(1, 10), Fraction(1, 2), Fraction(1), Fraction(2))
"""Where a certificate states δ unless others are named."""

Row = tuple[str, ...]

Cell = TypeVar("Cell", bound=Hashable)


@dataclass(frozen=True)
class SampledRelease:
    """A sampled table as it leaves, and its certificate."""

    names: tuple[str, ...]
    """The published columns."""
    rows: tuple[Row, ...] = field(repr=False)
    """The published rows, shuffled."""
    certificate: SampledCertificate
    """What it is worth."""

    def to_csv(self) -> str:
        """Return the file that the certificate is of."""
        return _file(self.names, self.rows)


def sampled(
    table: TextTable,
    *,
    levels: Sequence[str] | Sequence[Sequence[str]],
    k: Number,
    beta: Number,
    person: str | None,
    first_row_of: str | None = None,
    choose: Number | None = None,
    epsilons: Sequence[Number] = EPSILONS,
    also: Sequence[str] = (),
    test_seed: Number | None = None,
    may_be_few: bool = False,
    cells: bytes | None = None,
) -> SampledRelease:
    """Keep each row with chance beta and publish the cells of which k or more rows were kept.

    Args:
        table: Texts; a row is one person's.
        levels: ``COLUMN=RULE`` for every published column, written down without the rows, see
            :class:`~kproof.models.tables.sampled.levels.ColumnLevel`. Several choices of levels,
            each a sequence of its own, need ``choose``.
        k: Fewest kept rows of a cell, which is a whole published row; 1 to 1000.
        beta: Chance that a row is kept.
        person: Column that says whose a row is; None for the word that each row is somebody else's.
        first_row_of: The same, of people with several rows: only the first of each is looked at.
        choose: ε₁ of choosing among several levels, on a second sample of its own.
        epsilons: Where the certificate states δ; at most 32 values.
        also: What else would be published: always refused, with what it would cost.
        test_seed: Take the coins from this seed; the release and the certificate say that it is
            unfit to be published.
        may_be_few: Publish a table without rows where there are fewer than k, in place of an error:
            whether something is published then tells nothing.
        cells: The file of cells that the texts name, which was made without the rows; the
            certificate has its digest.

    A refusal hangs on the rows, and is for their owner alone.

    Raises:
        InvalidArgument: If a value is out of range, k is above the number of rows, several levels
            are to be shown of one sample, or something is to be published beside it.
        DataError: If there is no such column, or a person has several rows.
    """
    require_nothing_beside(also, k=k, beta=beta)
    threshold = integer("k", k, least=1, most=MOST_K)
    chance = rational("beta", beta)
    points = [rational("epsilon", epsilon, least=0, most=700) for epsilon in epsilons]
    if not 0 < len({*points}) == len(points) <= MOST_EPSILONS:
        raise InvalidArgument("epsilon", len(points), f"1 to {MOST_EPSILONS} values, each once")
    choices = _choices(levels)
    if len(choices) > 1 and choose is None:
        require_nothing_beside(["two-levels"], k=k, beta=beta)
    if len(choices) == 1 and choose is not None:
        raise InvalidArgument("choose", choose, "several levels to choose from")
    exponent = None if choose is None else rational("choose", choose, above=0, most=700)
    bounds = certify_bounds(threshold, chance, tuple(points), exponent)
    places = _one_row_each(table, person, first_row_of, choices)
    if threshold > len(places) and not may_be_few:
        raise InvalidArgument("k", k, f"at most the {len(places)} rows of {table.source}")
    coins = (
        CoinSource.of_system()
        if test_seed is None
        else CoinSource.of_seed(integer("test_seed", test_seed))
    )
    best = choices[0]
    if exponent is not None:
        best = _choose(table, places, choices, threshold, chance, exponent, coins)
    rows = _rows(table, best)
    published = _keep([rows[place] for place in places], threshold, chance, coins)
    names = tuple(column.column for column in best.columns)
    # In the file and in the certificate: either may be passed on without the other.
    if coins.seeded:
        names = (*names, STAMP)
        published = [(*row, "coins of a seed") for row in published]
    text = _file(names, published).encode()
    certificate = SampledCertificate.of(
        best,
        bounds,
        k=threshold,
        beta=chance,
        sha256=sha256(text).hexdigest(),
        choices=len(choices),
        choose=exponent,
        seeded=coins.seeded,
        cells=None if cells is None else sha256(cells).hexdigest(),
    )
    # Nothing leaves that its own check refuses, but for the stamp of a test. It reads the two files
    # alone, so that a refusal tells no more than they would.
    check = recheck(certificate.to_text().encode(), text, cells)
    if check.wrong:
        raise DataError(f"the certificate would not be accepted: {check.wrong[0]}")
    return SampledRelease(names, tuple(published), certificate)


def toss_cells(
    rows: Iterable[Cell], *, k: int, beta: Fraction, coins: CoinSource
) -> dict[Cell, int]:
    """Toss a coin for each row and return the cells of which k or more were kept, with how many.

    Nothing else may leave of the coins, or of the rows. ``rows`` are the cells of each: all that
    would be published of it. ``coins`` are fresh ones.
    """
    sizes = Counter(row for row in rows if coins.toss(beta))
    return {cell: size for cell, size in sizes.items() if size >= k}


def _keep(rows: Sequence[Row], k: int, beta: Fraction, coins: CoinSource) -> list[Row]:
    """Return the rows of the sample whose cell has k of them, in an order of their own."""
    cells = toss_cells(rows, k=k, beta=beta, coins=coins)
    published = [row for row, size in cells.items() for _ in range(size)]
    # In order of appearance, cells would tell who stands early in the table.
    coins.shuffle(published)
    return published


def _choose(
    table: TextTable,
    places: Sequence[int],
    choices: Sequence[WrittenLevels],
    k: int,
    beta: Fraction,
    epsilon: Fraction,
    coins: CoinSource,
) -> WrittenLevels:
    """Choose levels by permute-and-flip on a sample that nothing else is made of.

    The score, rows beyond the first k - 1 of each cell, moves by at most one with a row, whether it
    is added or has other values; the number of rows shown would move by k.
    """
    sample = [place for place in places if coins.toss(beta)]
    scores = []
    for levels in choices:
        rows = _rows(table, levels)
        sizes = Counter(rows[place] for place in sample)
        scores.append(sum(max(0, size - k + 1) for size in sizes.values()))
    order, most = list(range(len(choices))), max(scores)
    # Permute-and-flip is private in a random order alone.
    coins.shuffle(order)
    for place in order:
        if coins.toss_exp(epsilon * (most - scores[place]) / 2):
            return choices[place]
    raise AssertionError("the best is accepted for certain")


def _choices(levels: Sequence[str] | Sequence[Sequence[str]]) -> list[WrittenLevels]:
    if isinstance(levels, str) or not levels:
        raise InvalidArgument("levels", levels or None, "COLUMN=RULE for every published column")
    if all(isinstance(part, str) for part in levels):
        return [WrittenLevels.parse([str(part) for part in levels])]
    return [WrittenLevels.parse([part] if isinstance(part, str) else part) for part in levels]


def _rows(table: TextTable, levels: WrittenLevels) -> list[Row]:
    """Return what every row would show."""
    columns = []
    for column in levels.columns:
        label_of: dict[str, str] = {}
        labels = []
        for cell in table.cells[table.position(column.column)]:
            # Columns have few distinct values, and a label costs a search or a division.
            if cell not in label_of:
                label_of[cell] = inert(column.label(cell))
            labels.append(label_of[cell])
        columns.append(labels)
    return list(zip(*columns, strict=True))


def _one_row_each(
    table: TextTable, person: str | None, first_row_of: str | None, choices: Sequence[WrittenLevels]
) -> Sequence[int]:
    """Return the rows that count: of a person with several the theorem does not speak."""
    column = person if first_row_of is None else first_row_of
    if column is None:
        return range(len(table.lines))
    place, name = table.position(column), "person" if first_row_of is None else "first_row_of"
    for levels in choices:
        for level in levels.columns:
            if table.position(level.column) == place:
                raise InvalidArgument(name, column, "a column that is not published")
    people = [cell.strip() for cell in table.cells[place]]
    if first_row_of is not None:
        # Which row is a person's hangs on no other person's rows, so a person is one row.
        return list({who: row for row, who in reversed(list(enumerate(people)))}.values())[::-1]
    most = max(Counter(people).values(), default=0)
    if most > 1:
        raise DataError(
            f"column {show(column)}: somebody has {most} rows, and the bound is about one row: "
            "--first-row-of in place of --person looks at the first row of each only"
        )
    return range(len(people))


def _file(names: Sequence[str], rows: Sequence[Row]) -> str:
    return csv_text(map(inert, names), rows)
