"""How a composition is worked out: in closed form, product by product, or on a grid."""

from collections.abc import Callable, Sequence
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache, reduce
from typing import TypeAlias

from flint import arb

from kproof.errors import Undecided
from kproof.theory.exact import Enclosure, as_arb
from kproof.theory.exact.precision import START_BITS, ladder, use_bits
from kproof.theory.losses.atoms import Atoms
from kproof.theory.losses.grid import LossGrid
from kproof.theory.losses.loss_sums import term
from kproof.theory.losses.pairs import LawPair, NormalPair, Pair
from kproof.theory.losses.products import (
    MOST_PRODUCTS,
    any_of,
    order_atoms,
    product,
    products_of,
    rational_product,
)
from kproof.theory.profiles import profile_of_shift, tails_for
from kproof.theory.profiles.gaussian import GaussianSide
from kproof.theory.profiles.input import Direction
from kproof.theory.profiles.inverse import INFINITE, ZERO, invert
from kproof.theory.profiles.lattice import ExactPair, Ordered
from kproof.theory.profiles.side import Goal, PrivacyProfile, evaluate

Releases: TypeAlias = "tuple[tuple[Pair, int], ...]"
"""Pairs, all different, and how often each is composed."""
_NARROW, _LEAST = 2.0**-44, 2.0**-60
"""How near two ends on a grid are brought to each other: relative to them, and at all."""
_GRID_TAIL = 1100
_LOST = 40


class Route(StrEnum):
    """How the answers of a privacy loss are worked out."""

    CLOSED_FORM = "closed form"
    """One formula: normal laws, a binomial count, releases that lose nothing."""
    ENUMERATION = "enumeration"
    """All products of atoms, in balls of rising precision."""
    GRID = "grid"
    """A loss grid and Fourier transforms; every error is bounded, given :data:`ASSUMPTION`."""


ASSUMPTION = (
    "NumPy's exponentials and Fourier transform round no worse than kproof.theory.laws.fourier says"
)
"""What the bounds on the grid's errors rest on; nothing checks it."""


def route_of(releases: Releases) -> Route:
    """Return how such a composition is worked out."""
    if all(isinstance(pair, NormalPair) for pair, _ in releases):
        return Route.CLOSED_FORM
    if len(releases) == 1 and releases[0][1] == 1 and releases[0][0].discrete:
        return Route.ENUMERATION
    if not all(pair.discrete for pair, _ in releases):
        return Route.GRID
    products = products_of([(pair.kinds, times) for pair, times in releases])
    return Route.ENUMERATION if products <= MOST_PRODUCTS else Route.GRID


def profile_of(releases: Releases, direction: Direction) -> PrivacyProfile | None:
    """Return the profile in closed form or by enumeration; None if the laws share no value."""
    if all(isinstance(pair, NormalPair) for pair, _ in releases):
        squared = sum(
            (pair.squared * times for pair, times in releases if isinstance(pair, NormalPair)),
            start=Fraction(0),
        )
        return PrivacyProfile(lambda _: (GaussianSide(squared),), _LOST)
    pair, times = releases[0]
    alone = len(releases) == 1 and times == 1
    if alone and isinstance(pair, LawPair) and pair.first is pair.second:
        # Moved down, a law against itself is the other direction of the move up.
        turned = {Direction.UP: Direction.DOWN, Direction.DOWN: Direction.UP}
        effective = direction if pair.shift > 0 else turned.get(direction, direction)
        return profile_of_shift(pair.first, abs(pair.shift), effective)
    tails = tails_for(pair.points) if alone else []

    def sides(tail: int | None) -> Sequence[Ordered]:
        ways = zip(atoms_of(releases, tail), (False, True), strict=True)
        directions = [order_atoms(atoms, _Exact(releases, swapped)) for atoms, swapped in ways]
        return direction.pick(*directions)

    return PrivacyProfile(sides, _LOST, tails)


def atoms_of(releases: Releases, tail: int | None) -> tuple[Atoms, Atoms]:
    """Return the atoms of all releases together, in both directions."""
    listed = [(pair.sides(tail), times) for pair, times in releases]
    if len(listed) == 1 and listed[0][1] == 1:
        return listed[0][0]
    up, down = (product([(sides[i], times) for sides, times in listed]) for i in (0, 1))
    return up, down


class _Exact:
    """Works out a product in rationals, once it is asked for."""

    def __init__(self, releases: Releases, swapped: bool) -> None:
        self._releases = releases
        self._swapped = swapped

    def __call__(self) -> ExactPair | None:
        factors = [(pair.exact(), times) for pair, times in self._releases]
        if self._swapped:
            factors = [(atoms and atoms.swap(), times) for atoms, times in factors]
        return rational_product(factors)


def deltas(
    releases: Releases, direction: Direction, epsilons: Sequence[Fraction], goal: Goal
) -> list[Enclosure]:
    """Return δ at each ε by closed form or enumeration."""
    profile = profile_of(releases, direction)
    if profile is None:
        return [Enclosure.exactly(1)] * len(epsilons)
    return evaluate(profile, epsilons, goal)


def inverses(
    releases: Releases, direction: Direction, targets: Sequence[Fraction], goal: Goal
) -> list[Enclosure]:
    """Return ε for each δ by closed form or enumeration."""
    profile = profile_of(releases, direction)
    positive = [target for target in targets if 0 < target < 1]
    if profile is None:
        levels = [INFINITE] * len(positive)
    else:
        levels = invert(profile, positive, goal) if positive else []
    # δ of 0 and of 1 have answers of their own; all between were searched in one call.
    remaining = iter(levels)
    return [
        next(remaining) if 0 < target < 1 else ZERO if target else pure(releases, direction, goal)
        for target in targets
    ]


def pure(releases: Releases, direction: Direction, goal: Goal) -> Enclosure:
    """Return the least ε at which δ is 0: the largest loss, infinite where a support changes."""
    if not all(pair.is_bounded for pair, _ in releases):
        everywhere = all(isinstance(pair, NormalPair) for pair, _ in releases)
        if everywhere or direction is Direction.BOTH:
            return INFINITE
        return Enclosure(Decimal(0), Decimal("Infinity"))
    for bits in ladder(goal.bits(lost=_LOST)):
        with use_bits(bits):
            ways = direction.pick(False, True)
            losses = [loss for down in ways if (loss := _largest(releases, down)) is not None]
            if len(losses) < len(ways):
                continue
            top = reduce(arb.max, losses, arb(0))
            if not top.is_finite():
                return INFINITE
            if goal.accepts(top):
                return Enclosure.from_arb(top, digits=goal.digits, low=0)
    raise Undecided("the largest privacy loss could not be enclosed")


def _largest(releases: Releases, down: bool) -> arb | None:
    """Return the largest loss of one direction, None while masses are too inaccurate to say."""
    total = arb(0)
    for pair, times in releases:
        atoms = pair.sides(None)[down]
        if atoms.alone > 0:
            return arb.pos_inf()
        if not atoms.missing.is_zero() or not atoms.alone.is_zero():
            return None
        # Releases are independent, so that the largest losses occur together.
        total += times * atoms.largest_loss()
    return total


def limit_of(releases: Releases, direction: Direction) -> Enclosure:
    """Return the limit of δ(ε) for large ε: what is seen in one world and never in the other."""
    with use_bits(START_BITS):
        balls = []
        for down in direction.pick(0, 1):
            sides = [(pair.sides(None)[down], times) for pair, times in releases]
            lower = any_of([(atoms.alone, times) for atoms, times in sides])
            # What was left out may lie where the other law has nothing, or where it has something.
            upper = any_of([(atoms.alone + atoms.missing, times) for atoms, times in sides])
            balls.append(lower.union(upper))
        return Enclosure.from_arb(reduce(arb.max, balls), low=0, high=1)


def grids_of(
    releases: Releases, direction: Direction, points: int, bits: int = _GRID_TAIL
) -> list[LossGrid]:
    """Return the grid of each direction that counts.

    Of densities 2^-bits may be left out, which counts as an infinite loss.
    """
    tail = _GRID_TAIL if any(pair.points > 1 << 13 for pair, _ in releases) else None
    with use_bits(START_BITS):
        listed = [
            (_sides(pair, tail if pair.discrete else bits), times) for pair, times in releases
        ]
        return [
            LossGrid([term(sides[down], times) for sides, times in listed], points)
            for down in direction.pick(0, 1)
        ]


# The precision is no part of the key: callers all have the first one.
@lru_cache(maxsize=32)
def _sides(pair: Pair, tail: int | None) -> tuple[Atoms, Atoms]:
    """Return the atoms at the first precision: whoever asks in one direction asks in the other."""
    return pair.sides(tail)


def grid_deltas(grids: Sequence[LossGrid], epsilons: Sequence[Fraction]) -> list[Enclosure]:
    """Return δ at each ε from grids, the largest of the directions."""
    with use_bits(START_BITS):
        exponents = [as_arb(epsilon) for epsilon in epsilons]
        balls = [grid.delta(exponents) for grid in grids]
        columns = zip(*balls, strict=True)
        return [Enclosure.from_arb(reduce(arb.max, ends), low=0, high=1) for ends in columns]


def grid_inverses(
    releases: Releases,
    direction: Direction,
    grids: Sequence[LossGrid],
    targets: Sequence[Fraction],
    goal: Goal,
) -> list[Enclosure]:
    """Return ε for each δ from grids."""
    epsilons = []
    with use_bits(START_BITS):
        for target in targets:
            if target in (0, 1):
                epsilons.append(ZERO if target else pure(releases, direction, goal))
                continue
            rows = [_least_epsilon(grid, target) for grid in grids]
            # The larger of both directions, whichever it is: each end is the larger of the ends.
            epsilons.append(Enclosure(max(r.lower for r in rows), max(r.upper for r in rows)))
    return epsilons


def _least_epsilon(grid: LossGrid, target: Fraction) -> Enclosure:
    """Return the least ε >= 0 at which one direction has a δ of at most ``target``, 0 < target < 1.

    At the lower end δ is surely above the target, at the upper end it is surely not.
    """
    goal = as_arb(target)
    if grid.infinite > goal:
        return INFINITE
    first, last = grid.bracket(max(float(target) - float(grid.infinite.mid()), 0.0))

    def above(epsilon: float) -> bool:
        return bool(grid.delta([arb(epsilon)])[0] > goal)

    def below(epsilon: float) -> bool:
        return bool(grid.delta([arb(epsilon)])[0] <= goal)

    # The bracket was a guess: it is widened until it surely holds the answer.
    # It misses by little as a rule; far from it another transform is needed.
    back = max(min(last - first, first / 16), 1e-6)
    while first > 0 and not above(first):
        first, last, back = max(0.0, first - back), first, 2 * back
    if not first and below(0):
        return ZERO
    low, _ = _bisect(above, *_within(grid, above, first, max(first, last)))
    served = grid.end_of(low)
    high = served if low < served < last and below(served) else max(low, last)
    beyond = max(high, grid.largest * (1 + 2.0**-40))
    while not below(high):
        if high >= beyond:
            # Where the target is too near to the limit for the grid to tell.
            return Enclosure(Decimal(low), INFINITE.upper)
        # The largest loss can be a million times as far: each end on the way is tried first.
        high = min(beyond, 2 * high + back)
    wide = _within(grid, lambda epsilon: not below(epsilon), low, high)
    _, high = _bisect(lambda epsilon: not below(epsilon), *wide)
    return Enclosure.from_arb(arb(low).union(arb(high)), low=0)


def _within(
    grid: LossGrid, holds: Callable[[float], bool], low: float, high: float
) -> tuple[float, float]:
    """Return two numbers as :func:`_bisect` does, between which one transform answers.

    Halving alone would ask at a smaller ε each time, and a transform serves no smaller ε.
    """
    while (end := grid.end_of(low)) < high and end > low:
        if not holds(end):
            return low, end
        low = end
    return low, high


def _bisect(holds: Callable[[float], bool], low: float, high: float) -> tuple[float, float]:
    """Return two near numbers: a statement held at the first, or it is ``low``; not at the second.

    The statement is not asked at ``low`` and ``high`` themselves.
    """
    while high - low > max(_NARROW * high, _LEAST):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low, high
