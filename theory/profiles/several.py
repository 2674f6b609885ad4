"""What several sums of the same records tell together: δ(ε) of all of them at once.

The δ of releases with randomness of their own may be composed. Those of sums over the same
records may not: two sums of 1,000 and of 999 of the same records each tell next to nothing, and
their difference is one record.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypedDict, Unpack

from kproof.errors import TooLarge
from kproof.forms import JsonForm
from kproof.theory.exact.enclosure import Enclosure, largest
from kproof.theory.exact.typed import Number, rational
from kproof.theory.laws.several_sums import Cell, SeveralSums, total
from kproof.theory.laws.sums import IndependentSum
from kproof.theory.profiles import delta


@dataclass(frozen=True)
class CellDelta:
    """What several sums tell of a record, by themselves and together."""

    cell: Cell
    """The records that are in the same sums as it."""
    together: Enclosure
    """δ of all sums at once, over all measurable events; where ``exact`` is False, a bound."""
    exact: bool
    """Whether ``together`` is the value."""
    determined: bool
    """Whether the sums determine the total of the cell, so that ``together`` is its δ."""
    alone: tuple[Enclosure, ...]
    """δ of each sum that the record is in, by itself, in the order of the cell's ``sums``."""

    to_dict = JsonForm(
        "sums=cell.sums records=cell.count first=cell.first together exact determined alone"
    )

    def __str__(self) -> str:
        of = "1 record" if self.cell.count == 1 else f"{self.cell.count} records"
        pairs = zip(self.cell.sums, self.alone, strict=True)
        values = ", ".join(f"sum {place + 1}: {value}" for place, value in pairs)
        sign = "=" if self.exact else "<="
        why = "; the sums give their total away" if self.determined else ""
        return f"{of} from {self.cell.first}: together {sign} {self.together} (alone {values}){why}"


@dataclass(frozen=True)
class SeveralDelta:
    """δ(ε) of several sums of the same records, for every record that is in one."""

    sums: SeveralSums = field(repr=False)
    """What was published."""
    cells: tuple[CellDelta, ...]
    """What is told of the records of each cell, in the order of ``sums.cells``."""

    @property
    def worst(self) -> CellDelta:
        """The cell of which most is told, the first among equals."""
        return max(self.cells, key=lambda cell: cell.together.upper)

    @property
    def delta(self) -> Enclosure:
        """The δ that holds for whoever is in one of the sums."""
        return largest(cell.together for cell in self.cells)

    def __str__(self) -> str:
        """Return what holds of everyone, and a line for each cell."""
        return "\n".join([f"delta = {self.delta}", *(f"  {cell}" for cell in self.cells)])


class _How(TypedDict, total=False):
    """How the sums are compared; see :func:`several_delta`."""

    shift: Number
    relative_width: Number


def several_delta(
    sums: SeveralSums, *, epsilon: Number, others_only: bool = False, **how: Unpack[_How]
) -> SeveralDelta:
    """Return the least δ that goes with ε for several sums of the same records together.

    ε is at least 0, exactly as typed. With ``others_only`` only the randomness of the other records
    counts, the victim's being fixed. ``shift`` is how far a record moves, by default 1, and
    ``relative_width`` that of the enclosures, by default 1e-12.

    A total of 40 ages and the total of all but the last give the last away:

    >>> from kproof.theory.laws import FiniteLattice
    >>> from kproof.theory.laws.several_sums import several_sums
    >>> age = FiniteLattice({age: "1/50" for age in range(20, 70)})
    >>> released = several_delta(several_sums(age, [range(40), range(39)], n=40), epsilon=0)
    >>> print(released.delta, released.worst.determined, released.worst.alone[0])
    0.02 True 0.004354632
    """
    cells = (_of_cell(sums, cell, epsilon, others_only, how) for cell in sums.cells)
    return SeveralDelta(sums, tuple(cells))


def _of_cell(
    sums: SeveralSums, cell: Cell, epsilon: Number, others_only: bool, how: _How
) -> CellDelta:
    shift = rational("shift", how.get("shift", 1), above=0)
    width = how.get("relative_width", "1e-12")
    target = cell.without(next(iter(cell.laws))) if others_only else cell

    def delta_of(law: IndependentSum | None, distance: Fraction) -> Enclosure:
        if law is None:
            # What is no chance's doing is moved, and everybody sees it.
            return Enclosure.exactly(1)
        return delta(law, shift=distance, epsilon=epsilon, relative_width=width)

    alone = []
    for place in cell.sums:
        members = [target if part is cell else part for part in sums.cells if place in part.sums]
        alone.append(delta_of(total(members), shift))
    view = sums.tell(cell, shift=shift, others_only=others_only)
    try:
        return CellDelta(cell, delta_of(view.law, view.shift), True, view.determined, tuple(alone))
    except TooLarge:
        # Each sum can be read off from all, and all of them from the cell's total and the rest.
        lower = max(value.lower for value in alone)
        upper = delta_of(total([target]), shift).upper
        return CellDelta(cell, Enclosure(lower, upper), False, view.determined, tuple(alone))
