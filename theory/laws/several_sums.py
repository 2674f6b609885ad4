"""Several sums of the same independent records: what they tell together.

A total beside the totals of groups, the same sum again, a sum and one without some records: their
randomness is shared, so that what each tells by itself says little of what they tell together.
Records that are in the same sums form a *cell*. The sums are linear in the totals of cells, and
the victim's record moves the total of one cell alone. Three things follow.

- The sums tell at most what the total of the victim's cell tells by itself (post-processing, the
  other cells being independent of it).
- Where the sums determine that total (its unit vector is in the row space of their matrix), they
  tell exactly that much.
- Elsewhere a linear form with weights far apart makes one number of the sums, from which they can
  be read off: a sum of independent records again, so that every tool for one sum serves for
  several.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd, lcm
from typing import NamedTuple

from flint import fmpq, fmpq_mat

from kproof.errors import InvalidArgument
from kproof.theory.exact.typed import Number, integer, rational
from kproof.theory.laws.finite import FiniteLattice
from kproof.theory.laws.records import MOST_RECORDS
from kproof.theory.laws.sums import IndependentSum

MOST_SUMS = 64
"""Most sums that are looked at together."""


class Told(NamedTuple):
    """What the sums tell of a record: one number, and how far the record moves it."""

    law: IndependentSum | None
    """Of a number from which the sums can be read off as far as they concern the record, and
    which can be read off from the sums. None if it is a constant."""
    shift: Fraction
    """How far that number moves when the record moves by the shift, positive."""
    determined: bool
    """Whether the sums determine the total of the record's cell; then that is the number."""


@dataclass(frozen=True)
class Cell:
    """Records that are in the same sums."""

    sums: tuple[int, ...]
    """Positions of the sums that they are in, rising; at least one."""
    laws: Mapping[FiniteLattice, int] = field(repr=False)
    """How many of the records have each law."""
    first: int
    """The least index among them."""

    @property
    def count(self) -> int:
        """How many records there are."""
        return sum(self.laws.values())

    @property
    def varies(self) -> bool:
        """Whether the total is random."""
        return any(law.points > 1 for law in self.laws)

    @property
    def span(self) -> Fraction:
        """How far apart the largest and the least total lie."""
        return sum((n * law.step * (law.points - 1) for law, n in self.laws.items()), Fraction(0))

    def without(self, law: FiniteLattice) -> Cell:
        """Return the cell without one of the records of a law."""
        counts = Counter(self.laws)
        counts[law] -= 1
        # `+` drops the law of which no record is left: a cell lists none with the count 0.
        return Cell(self.sums, dict(+counts), self.first)

    def scale(self, weight: Fraction) -> Cell:
        """Return the cell with every record multiplied by a weight that is not 0."""
        laws = {
            FiniteLattice({value * weight: mass for value, mass in law.atoms}): count
            for law, count in self.laws.items()
        }
        return Cell(self.sums, laws, self.first)


@dataclass(frozen=True)
class SeveralSums:
    """Sums of the same independent records; made by :func:`several_sums`."""

    records: int
    """How many records there are."""
    sums: int
    """How many sums of them are published."""
    cells: tuple[Cell, ...] = field(repr=False)
    """The records by the sums that they are in, by least index. Records in no sum are in none."""

    def tell(self, cell: Cell, *, shift: Number = 1, others_only: bool = False) -> Told:
        """Return what the sums tell of a record in a cell.

        ``cell``: one of ``cells``. ``shift``: how far the record moves, above 0. ``others_only``:
        whether the record itself is fixed, so that the randomness is that of the others. The record
        left out is one of the cell's first law.

        Of three coins, the total and the total without the last: they give the last away.

        >>> coin = FiniteLattice.bernoulli("1/2")
        >>> sums = several_sums(coin, [range(3), range(2)], n=3)
        >>> [(cell.first, cell.count, cell.sums) for cell in sums.cells]
        [(0, 2, (0, 1)), (2, 1, (0,))]
        >>> sums.tell(sums.cells[1])
        Told(law=IndependentSum(1 x FiniteLattice(2 values from 0 to 1)), shift=Fraction(1, 1), \
determined=True)
        """
        distance = rational("shift", shift, above=0)
        cells = list(self.cells)
        place = cells.index(cell)
        if others_only:
            cell = cells[place] = cell.without(next(iter(cell.laws)))
        # A constant total can be subtracted by anybody; the victim's own moves even if it is
        # constant.
        varying = [candidate for i, candidate in enumerate(cells) if i == place or candidate.varies]
        target = next(i for i, candidate in enumerate(varying) if candidate is cell)
        rows = _rows_tied_to(_reduce(varying, self.sums), target)
        if [column for row in rows for column, entry in enumerate(row) if entry] == [target]:
            return Told(total([cell]), distance, determined=True)
        weights = _weights(varying, rows, target, distance)
        moved = abs(weights[target] * distance)
        pairs = zip(varying, weights, strict=True)
        tied = [candidate.scale(weight) for candidate, weight in pairs if weight]
        return Told(total(tied), moved, determined=False)


def several_sums(
    records: FiniteLattice | Sequence[FiniteLattice],
    sums: Sequence[Iterable[int]],
    *,
    n: Number | None = None,
) -> SeveralSums:
    """Return what several sums of the same independent records are made of.

    Args:
        records: The law of each record; or one law, and then ``n`` says how many records have it.
        sums: The indexes of the records in each sum, from 0. A sum that is published again with the
            same records may be listed again: it tells nothing new.
        n: How many records there are, if they have one law.

    >>> die = FiniteLattice({face: "1/6" for face in range(1, 7)})
    >>> several_sums(die, [range(10), range(5)], n=10)
    SeveralSums(records=10, sums=2)
    >>> several_sums(die, [[0, 10]], n=10)
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: sums[0] = 10: need a record, 0 to 9
    """
    if isinstance(records, FiniteLattice):
        if n is None:
            raise InvalidArgument("n", n, "the number of records of that law")
        laws: Sequence[FiniteLattice] = [records] * integer("n", n, least=1, most=MOST_RECORDS)
    elif n is not None:
        raise InvalidArgument("n", n, "none: each record has a law of its own")
    else:
        laws = list(records)
    for index, law in enumerate(laws):
        if not isinstance(law, FiniteLattice):
            raise InvalidArgument(f"records[{index}]", law, "a table of probabilities")
    if not 1 <= len(sums) <= MOST_SUMS:
        raise InvalidArgument("sums", len(sums), f"1 to {MOST_SUMS} of them")
    patterns = [0] * len(laws)
    for place, members in enumerate(sums):
        counted = 0
        for index in members:
            # True is an int to Python, and would be record 1; -1 is refused below.
            record = index if isinstance(index, int) and not isinstance(index, bool) else -1
            if not 0 <= record < len(laws):
                raise InvalidArgument(f"sums[{place}]", index, f"a record, 0 to {len(laws) - 1}")
            if patterns[record] >> place & 1:
                raise InvalidArgument(f"sums[{place}]", index, "each record once")
            patterns[record] |= 1 << place
            counted += 1
        if not counted:
            raise InvalidArgument(f"length of sums[{place}]", 0, "at least one record")
    by_pattern: dict[int, Counter[FiniteLattice]] = {}
    first: dict[int, int] = {}
    for index, (pattern, law) in enumerate(zip(patterns, laws, strict=True)):
        if pattern:
            first.setdefault(pattern, index)
            by_pattern.setdefault(pattern, Counter())[law] += 1
    cells = []
    for pattern, counts in by_pattern.items():
        members = tuple(place for place in range(len(sums)) if pattern >> place & 1)
        cells.append(Cell(members, dict(counts), first[pattern]))
    return SeveralSums(len(laws), len(sums), tuple(cells))


def total(cells: Iterable[Cell]) -> IndependentSum | None:
    """Return the law of the total of cells; None if they have no records."""
    laws: Counter[FiniteLattice] = Counter()
    for cell in cells:
        laws.update(cell.laws)
    return IndependentSum(list(laws), counts=list(laws.values())) if laws else None


def _reduce(cells: Sequence[Cell], sums: int) -> list[list[int]]:
    """Return rows of whole numbers that span what the sums span, in the totals of the cells.

    In reduced echelon form: a total that the sums determine has a row of its own.
    """
    rows = [[fmpq(int(place in cell.sums)) for cell in cells] for place in range(sums)]
    reduced, rank = fmpq_mat(rows).rref()
    spanning = []
    for row in reduced.table()[: int(rank)]:
        common = lcm(*(int(entry.q) for entry in row))
        scaled = [int(entry.p) * (common // int(entry.q)) for entry in row]
        # As small as can be: the weights of the cells grow with the entries, and the lattice with
        # them.
        divisor = gcd(*scaled)
        spanning.append([entry // divisor for entry in scaled])
    return spanning


def _rows_tied_to(rows: Sequence[Sequence[int]], target: int) -> list[Sequence[int]]:
    """Return the rows that are tied to a column by columns in common; the others say nothing of it.

    Rows that share no column are sums of different totals, which are independent.
    """
    columns, waiting = {target}, list(rows)
    tied: list[Sequence[int]] = []
    while True:
        near = [row for row in waiting if any(row[column] for column in columns)]
        if not near:
            return tied
        tied += near
        waiting = [row for row in waiting if row not in near]
        columns |= {column for row in near for column, entry in enumerate(row) if entry}


def _weights(
    cells: Sequence[Cell], rows: Sequence[Sequence[int]], target: int, shift: Fraction
) -> list[Fraction]:
    """Return a weight for each cell so that the weighted total tells the value of every row.

    Values of a row, moved or not, differ by multiples of a unit and by no more than its width. A
    row's factor is larger than all that the rows before it can make up for.
    """
    steps = [law.step for cell in cells for law in cell.laws if law.points > 1]
    unit = _divisor([*steps, shift])
    weights = [Fraction(0)] * len(cells)
    reach = Fraction(0)
    for row in rows:
        # As with the digits of a number: the least difference that this row can make, factor times
        # unit, is more than all rows before it can make together, so that their values can be read
        # off the total.
        factor = reach / unit + 1
        spans = (abs(entry) * cell.span for entry, cell in zip(row, cells, strict=True))
        reach += factor * (sum(spans, Fraction(0)) + abs(row[target]) * shift)
        weights = [weight + factor * entry for weight, entry in zip(weights, row, strict=True)]
    return weights


def _divisor(numbers: Collection[Fraction]) -> Fraction:
    """Return the greatest number of which all are multiples."""
    scale = lcm(*(number.denominator for number in numbers))
    return Fraction(gcd(*(int(number * scale) for number in numbers)), scale)
