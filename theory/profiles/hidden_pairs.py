"""Two independent counts of which one has a victim more: what they tell if small ones are hidden.

The victim is in cell a or in cell b, and each cell is published by itself: its count, or *hidden*
below a threshold. The likelihood ratio of a count with the victim against the same count without
rises with the count; so for each count of a the worst event takes the counts of b below a limit,
and one pass over the counts of a is enough.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from flint import arb

from kproof.theory.exact.precision import floor_of

_UP = 1 + 2.0**-40
"""More than what rounding a bound to a float may take from it."""


@dataclass(frozen=True)
class HiddenCount:
    """A law of published counts."""

    least: int
    """Counts below it are hidden; 0 hides none."""
    hidden: arb
    """The mass of all counts below ``least``."""
    shown: Sequence[arb]
    """The masses of the counts from ``least`` on."""
    sums: Sequence[arb]
    """Those of the first shown counts, of none to all of them."""

    @classmethod
    def of(cls, masses: Sequence[arb], least: int, first: int = 0) -> HiddenCount:
        """Return the law of a count whose masses are those of ``first`` and on."""
        hidden, counts = masses[: least - first], masses[least - first :]
        return cls(least, sum(hidden, arb(0)), counts, list(accumulate(counts, initial=arb(0))))

    def atoms(self) -> list[arb]:
        """Return the masses, that of *hidden* first."""
        return [self.hidden, *self.shown]


@dataclass(frozen=True)
class HiddenCell:
    """What is published of a cell with the victim, and without it."""

    present: HiddenCount
    absent: HiddenCount
    below: Callable[[arb], arb]
    """``below(level)``: the counts below it are those whose mass without the victim is more than
    ``level`` times that with the victim."""

    @classmethod
    def of(
        cls,
        present: Sequence[arb],
        absent: Sequence[arb],
        least: int,
        below: Callable[[arb], arb],
        *,
        first: int = 0,
    ) -> HiddenCell:
        """Return the cell of two laws of counts, by their masses of ``first`` and on."""
        with_victim = HiddenCount.of(present, least, first)
        return cls(with_victim, HiddenCount.of(absent, least, first), below)

    def alone(self, ratios: Sequence[arb], *, leaves: bool) -> list[float]:
        """Return an upper bound of this cell's own profile at each e^ε."""
        likely, rare = self.present.atoms(), self.absent.atoms()
        # With the victim there may be one count more, which is never seen without.
        rare = [*rare, *[arb(0)] * (len(likely) - len(rare))]
        if not leaves:
            likely, rare = rare, likely
        gains = (
            sum(((p - e * q).max(arb(0)) for p, q in zip(likely, rare, strict=True)), arb(0))
            for e in ratios
        )
        return [float(gain.upper()) * _UP for gain in gains]


def delta_of_hidden_pair(a: HiddenCell, b: HiddenCell, ratio: arb) -> arb:
    """Return sup P(O) - e^ε Q(O) for the victim in a against the victim in b."""
    total = arb(0)
    absent = [a.absent.hidden, *a.absent.shown]
    for place, present in enumerate(a.present.atoms()):
        before = absent[place] if place < len(absent) else arb(0)
        if not present > 0:
            # No event gains more than the mass, and a ball around 0 tells no ratio to look it up.
            total += arb(0).union(present.upper())
            continue
        limit = b.below(ratio * before / present)
        # Where the ball of the limit does not decide, each count is judged by itself.
        low, high = (floor_of(end) for end in (limit.lower(), limit.upper()))
        if low is None or high is None:
            return arb(0).union(arb(1))
        counts = len(b.absent.shown)
        sure = min(max(low - b.absent.least, 0), counts)
        last = min(max(high + 1 - b.absent.least, 0), counts)
        total += present * b.absent.sums[sure] - ratio * before * b.present.sums[sure]
        for count in range(sure, last):
            gain = present * b.absent.shown[count] - ratio * before * b.present.shown[count]
            total += gain.max(arb(0))
        total += (present * b.absent.hidden - ratio * before * b.present.hidden).max(arb(0))
    return total
