"""Heat maps that are published one after another: what their difference shows.

Two maps that count some of the same positions are subtracted, as anybody can. The areas that are
made of whole squares in both are unions of *blocks*: squares that overlap, time and again, until
both maps cover the same area. A block's *change* is the difference of its counts, and the change of
a union is the sum over its blocks. If none of these sums is 1 to k - 1 (or the negative of that),
no subtraction of a union leaves fewer than k.

- If all changes that are not 0 have one sign, as where one map's period contains the other's, sums
  are no nearer to 0 than the changes they are made of: single blocks decide.
- Else some gains may be cancelled by losses all but a few (7 in one square, -5 in another). Which
  sums there are is decided exactly, for all unions: a set of sums, block by block.

Not judged, and so refused: blocks whose squares do not cover the same area in both maps; blocks of
several squares where users are counted, since who is in two squares is counted twice; maps that
count different things; three maps or more that share positions, since a third may tell what two do
not; and maps of periods that are apart on squares that differ, which follow the people.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

import numpy as np

from kproof.errors import DataError, TooLarge
from kproof.forms import JsonForm
from kproof.models.base.arrays import Codes
from kproof.models.places.heatmap.map_files import CommonLattice, MapFile
from kproof.models.places.heatmap.release import Counted

MOST_BITS = 1_000_000_000
"""Most bits of the sets of sums, one for each block."""

_NAMED = 5


class DifferenceOutcome(StrEnum):
    """What the difference of maps shows."""

    APART = "nothing to subtract"
    """Their periods are apart, on the same squares."""
    SAFE = "no union changes by 1 to k - 1"
    """Every union of squares that both maps have changes by 0 or by k or more."""
    CHANGED = "fewer than k changed"
    """A union changes by 1 to k - 1."""
    OPEN = "not judged"
    """Nobody knows."""


@dataclass(frozen=True, slots=True)
class MapDifference:
    """What the difference of two maps, or of several, shows."""

    maps: tuple[str, ...]
    """The files."""
    k: int | None
    """Fewest that may have changed; None if nobody says."""
    outcome: DifferenceOutcome
    reason: str
    """In a sentence."""
    change: int | None = None
    """Of the union that is named."""
    squares: tuple[str, ...] = ()
    """A union whose change is 1 to k - 1: squares of the first map."""

    def __str__(self) -> str:
        """Return the outcome and why, in a sentence."""
        return f"{', '.join(self.maps)}: {self.outcome}: {self.reason}"


@dataclass(frozen=True, slots=True)
class MapSeries:
    """What the differences of published maps show."""

    differences: tuple[MapDifference, ...]
    """Of every two maps, and of several together where nobody knows."""

    @property
    def outcome(self) -> DifferenceOutcome:
        """The worst of all."""
        worst = (DifferenceOutcome.CHANGED, DifferenceOutcome.OPEN, DifferenceOutcome.SAFE)
        outcomes = {difference.outcome for difference in self.differences}
        return next((outcome for outcome in worst if outcome in outcomes), DifferenceOutcome.APART)

    to_dict = JsonForm("outcome differences")


@dataclass(frozen=True, eq=False)
class _Blocks:
    """The blocks of two maps."""

    change: Codes
    """Shape (blocks,): of those that can be judged."""
    first: list[Codes]
    """The squares of each in the first map."""
    doubts: tuple[str, ...]
    """Why others cannot be judged."""
    same_squares: bool
    """Whether each square is one of the other map, or in no square of it."""


def judge_series(maps: Sequence[MapFile], *, k: int | None = None) -> MapSeries:
    """Judge what the differences of maps show, of every two and of all together.

    ``k`` is the least number that may have changed; unless given, the larger of those that the
    files say.
    """
    differences = [judge_difference(*pair, k=k) for pair in combinations(maps, 2)]
    shared = [
        pair for pair in combinations(range(len(maps)), 2) if _share(*(maps[at] for at in pair))
    ]
    together = _largest_part(len(maps), shared)
    if len(together) > 2:
        names = tuple(maps[at].source for at in together)
        reason = f"{len(names)} maps share positions; what they show together is not judged yet"
        differences.append(MapDifference(names, k, DifferenceOutcome.OPEN, reason))
    return MapSeries(tuple(differences))


def judge_difference(a: MapFile, b: MapFile, *, k: int | None = None) -> MapDifference:
    """Judge what the difference of two maps shows."""
    names = (a.source, b.source)
    least = k if k is not None else max(a.k or 0, b.k or 0) or None

    def result(outcome: DifferenceOutcome, reason: str, **more: object) -> MapDifference:
        return MapDifference(names, least, outcome, reason, **more)  # type: ignore[arg-type]

    if least is None:
        return result(DifferenceOutcome.OPEN, "the files do not say k")
    if a.counts is None or b.counts is None:
        return result(DifferenceOutcome.OPEN, "a file has squares without counts")
    if a.counted is None or a.counted is not b.counted:
        kinds = " and ".join(str(drawn.counted or "no kind is named") for drawn in (a, b))
        return result(DifferenceOutcome.OPEN, f"different things are counted: {kinds}")
    try:
        blocks = _blocks(a, b)
    except TooLarge as error:
        return result(DifferenceOutcome.OPEN, str(error))
    if not _share(a, b):
        if blocks.same_squares:
            return result(DifferenceOutcome.APART, "by their files their periods are apart")
        return result(DifferenceOutcome.OPEN, "periods are apart, and squares follow the people")
    # A union that shows too much is said first: what cannot be judged takes nothing back of it.
    small = np.flatnonzero((blocks.change != 0) & (np.abs(blocks.change) < least))
    union: Sequence[int] | None = small[:1].tolist() if len(small) else None
    if union is None:
        try:
            union = _small_union(blocks.change.tolist(), least)
        except TooLarge as error:
            return result(DifferenceOutcome.OPEN, str(error))
    if union:
        change = int(blocks.change[union].sum())
        squares = tuple(a.name_square(int(square)) for at in union for square in blocks.first[at])
        listed = ", ".join(squares[:_NAMED]) + (", ..." if len(squares) > _NAMED else "")
        alone = f"; {len(small)} squares do so alone" if len(small) > 1 else ""
        reason = f"{abs(change)} {'more' if change > 0 else 'fewer'} in {listed}{alone}"
        return result(DifferenceOutcome.CHANGED, reason, change=change, squares=squares)
    if blocks.doubts:
        return result(DifferenceOutcome.OPEN, "; ".join(blocks.doubts))
    if a.counted is not Counted.USERS:
        # All that changed may be of one person.
        return result(DifferenceOutcome.OPEN, f"k = {least} of locations, which one person can be")
    return result(DifferenceOutcome.SAFE, f"k = {least}, {len(blocks.change)} areas are in both")


def _share(a: MapFile, b: MapFile) -> bool:
    """Say whether two maps may count the same positions; they may if nobody says when."""
    if a.period is None or b.period is None:
        return True
    # The end is the first second that is not counted: a period that begins then shares nothing.
    return a.period[0] < b.period[1] and b.period[0] < a.period[1]


def _largest_part(count: int, pairs: Sequence[tuple[int, int]]) -> list[int]:
    parts = [{at} for at in range(count)]
    for first, second in pairs:
        joined = parts[first] | parts[second]
        # All members share one set, so that the next pair joins all of it.
        for at in joined:
            parts[at] = joined
    return max(map(sorted, parts), key=len, default=[])


def _blocks(a: MapFile, b: MapFile) -> _Blocks:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    assert a.counts is not None
    assert b.counts is not None
    lattice = CommonLattice.of(a, b)
    first, second = lattice.labels(a).ravel(), lattice.labels(b).ravel()
    overlap = (first >= 0) & (second >= 0)
    edges = np.unique(np.column_stack([first[overlap], second[overlap]]), axis=0)
    nodes = a.squares + b.squares
    graph = coo_array(
        (np.ones(len(edges)), (edges[:, 0], a.squares + edges[:, 1])), shape=(nodes, nodes)
    )
    parts, part = connected_components(graph, directed=False)
    of_a, of_b = part[: a.squares], part[a.squares :]
    in_a, in_b = (np.bincount(side, minlength=parts) for side in (of_a, of_b))
    in_both = (in_a > 0) & (in_b > 0)
    uneven = np.zeros(parts, dtype=np.bool_)
    uneven[of_a[first[(first >= 0) & (second < 0)]]] = True
    uneven[of_b[second[(second >= 0) & (first < 0)]]] = True
    uneven &= in_both
    several = in_both & ~uneven & ((in_a > 1) | (in_b > 1))
    judged = in_both & ~uneven
    doubts = []
    if uneven.any():
        doubts.append(f"{np.count_nonzero(uneven)} areas are covered by one map in part")
    if a.counted is Counted.USERS and several.any():
        judged &= ~several
        doubts.append(
            f"{np.count_nonzero(several)} areas are cut in different ways, and users in two squares"
            " count twice"
        )
    # In whole numbers: a bincount with weights adds floats, and beyond 2**53 these skip some.
    change = np.zeros(parts, dtype=np.int64)
    np.add.at(change, of_b, b.counts)
    np.subtract.at(change, of_a, a.counts)
    order = np.argsort(of_a, kind="stable")
    members = np.split(order, np.searchsorted(of_a[order], np.arange(1, parts)))
    at = np.flatnonzero(judged)
    return _Blocks(
        change=change[at],
        first=[members[block] for block in at.tolist()],
        doubts=tuple(doubts),
        same_squares=not uneven.any() and not several.any(),
    )


def _small_union(changes: Sequence[int], k: int) -> list[int] | None:
    """Return blocks whose changes sum to 1 to k - 1, or its negative; None if there are none.

    No single change is such a number. Exact: the set of all sums is one integer, a bit for each.
    """
    steps = [(at, change) for at, change in enumerate(changes) if change]
    losses = -sum(change for _, change in steps if change < 0)
    gains = sum(change for _, change in steps if change > 0)
    # Sums of one sign are no nearer to 0 than what is summed.
    if not losses or not gains or k < 2:
        return None
    if len(steps) * (losses + gains) > MOST_BITS:
        raise TooLarge(f"{len(steps)} areas changed, by {losses + gains} together: too many unions")
    window = (1 << (k - 1)) - 1
    # Bit b is the sum b - losses, so that there is room for sums below 0.
    sums = [1 << losses]
    for _, change in steps:
        # No bit is lost to the right: bit 0 is the sum of all losses, and none is lower.
        before = sums[-1]
        sums.append(before | (before << change if change > 0 else before >> -change))
        hits = sums[-1] >> (losses + 1) & window
        below = sums[-1] >> max(losses - k + 1, 0) & ((1 << min(k - 1, losses)) - 1)
        if hits or below:
            low = losses + 1 if hits else max(losses - k + 1, 0)
            number = hits or below
            return _summands(steps, sums, low + (number & -number).bit_length() - 1)
    return None


def _summands(steps: Sequence[tuple[int, int]], sums: Sequence[int], bit: int) -> list[int]:
    """Return the blocks that make a sum: back through the sets, to the sum of none."""
    union = []
    for turn in range(len(sums) - 1, 0, -1):
        at, change = steps[turn - 1]
        # A sum that was there without this change does without it; else the change is in it.
        if not sums[turn - 1] >> bit & 1:
            union.append(at)
            bit -= change
    return sorted(union)


def refuse_changes(drawn: MapFile, earlier: Sequence[MapFile]) -> None:
    """Refuse a map that is not published yet if its difference to earlier ones shows too much.

    Raises:
        DataError: With the union that would show it, or why that is not known.
    """
    for difference in judge_series([*earlier, drawn]).differences:
        concerns = drawn.source in difference.maps
        if concerns and difference.outcome in (DifferenceOutcome.CHANGED, DifferenceOutcome.OPEN):
            raise DataError(
                f"{difference}; publish a period apart from those of earlier maps, on their squares"
            )
