"""Exact (ε, δ) trade-offs with certified digits: delta(ε), and its inverse epsilon(δ).

For a law of the published quantity F and a shift s of it, the profile is the least δ at which
Pr[F ∈ O] <= e^ε Pr[F + s ∈ O] + δ for *every* measurable event O, and the same with the two sides
exchanged. The answers are enclosures that provably contain the truth: in closed form for binomial
counts and the normal law, and from the masses for every other lattice law.
"""

from __future__ import annotations

from typing import TypedDict, Unpack, overload

from kproof.errors import InvalidArgument
from kproof.theory.exact import Enclosure, Number, choice, rational
from kproof.theory.laws import Law, Normal, TruncatedBinomial
from kproof.theory.profiles.binomial import binomial_sides
from kproof.theory.profiles.gaussian import GaussianSide
from kproof.theory.profiles.input import Direction, Grid, each, is_grid, shift_in_steps
from kproof.theory.profiles.inverse import INFINITE, ZERO, invert
from kproof.theory.profiles.lattice import lattice_sides
from kproof.theory.profiles.side import DEEPEST_TAIL, Goal, PrivacyProfile, evaluate


class How(TypedDict, total=False):
    """How a profile is asked for; see :func:`delta`."""

    shift: Number
    direction: Direction | str
    relative_width: Number


@overload
def delta(law: Law, *, epsilon: Number, **how: Unpack[How]) -> Enclosure: ...
@overload
def delta(law: Law, *, epsilon: Grid, **how: Unpack[How]) -> tuple[Enclosure, ...]: ...


def delta(
    law: Law,
    *,
    shift: Number = 1,
    epsilon: Number | Grid,
    direction: Direction | str = Direction.BOTH,
    relative_width: Number = 1e-12,
) -> Enclosure | tuple[Enclosure, ...]:
    """Return the least δ that goes with ε, over all measurable events.

    Args:
        law: The law of F: a lattice law or a :class:`~kproof.theory.laws.Normal`.
        shift: s > 0. If it is not a multiple of the lattice step, or leads beyond the support, F
            and F + s share no value and the answer is exactly 1.
        epsilon: At least 0, exactly as typed; or a list, tuple or 1-D array of such, for which the
            law is gone through once; then there is one answer for each, within [0, 1].
        direction: Which law is on the left; by default the larger of both answers.
        relative_width: Largest width of an enclosure over its magnitude, from 1e-300 to below 1. It
            is kept however small δ is, except that for laws on more than 2**15 points a δ below
            1e-1000 may be answered by an enclosure from 0.

    Raises:
        TooLarge: If the law has more points than its budget.

    Thresholds are never decided by a midpoint: a point whose likelihood ratio cannot be told from
    e^ε contributes an interval, and the precision rises until the enclosure is narrow enough.

    >>> from kproof.theory.laws.binomial import TruncatedBinomial
    >>> law = TruncatedBinomial(60, "0.71", 33)
    >>> print(delta(law, epsilon=0.9))
    0.003326586
    >>> [str(value) for value in delta(law, epsilon=[0, 2])]
    ['0.1132545', '0.003326586']
    >>> print(delta(law, epsilon=0.9, shift="1/2"))
    1
    """
    return _answers(law, epsilon, shift, direction, relative_width, inverse=False)


@overload
def epsilon(law: Law, *, delta: Number, **how: Unpack[How]) -> Enclosure: ...
@overload
def epsilon(law: Law, *, delta: Grid, **how: Unpack[How]) -> tuple[Enclosure, ...]: ...


def epsilon(
    law: Law,
    *,
    shift: Number = 1,
    delta: Number | Grid,
    direction: Direction | str = Direction.BOTH,
    relative_width: Number = 1e-12,
) -> Enclosure | tuple[Enclosure, ...]:
    """Return the least ε >= 0 that goes with δ, over all measurable events.

    δ, exactly as typed, is from 0 to 1, or a list, tuple or 1-D array of such; the rest is as in
    :func:`delta`. The answer is infinite if δ is less than the mass of the values that the other
    law never takes; exactly 0 if δ is at least the total variation distance. In the one case that
    no computation with enclosures can decide, δ equal to one of these two, exact arithmetic decides
    it for tables of probabilities, counts and sums of independent records of moderate size;
    otherwise the enclosure is as wide as what is open: its upper end is infinite, its lower end is
    0, or both.

    >>> from kproof.theory.laws.binomial import TruncatedBinomial
    >>> print(epsilon(TruncatedBinomial(1000, "0.3", 10), delta="1e-6"))
    0.2787913
    >>> print(epsilon(TruncatedBinomial(2, "1/2", 0), delta=[0, "1/4", 1])[1])
    0.6931472
    """
    return _answers(law, delta, shift, direction, relative_width, inverse=True)


@overload
def exact(law: Law, *, epsilon: Number, **how: Unpack[How]) -> Enclosure: ...
@overload
def exact(law: Law, *, epsilon: Grid, **how: Unpack[How]) -> tuple[Enclosure, ...]: ...
@overload
def exact(law: Law, *, delta: Number, **how: Unpack[How]) -> Enclosure: ...
@overload
def exact(law: Law, *, delta: Grid, **how: Unpack[How]) -> tuple[Enclosure, ...]: ...


def exact(
    law: Law,
    *,
    shift: Number = 1,
    epsilon: Number | Grid | None = None,
    delta: Number | Grid | None = None,
    direction: Direction | str = Direction.BOTH,
    relative_width: Number = 1e-12,
) -> Enclosure | tuple[Enclosure, ...]:
    """Return the exact δ of a given ε, or the exact ε of a given δ.

    Args:
        law, shift, direction, relative_width: As in :func:`delta`.
        epsilon, delta: Exactly one of them; what comes back is that of :func:`delta` or
            :func:`epsilon`.

    >>> from kproof.theory.laws.normal import Normal
    >>> law = Normal(mean=0, variance=4)
    >>> print(exact(law, shift=2, epsilon=1), exact(law, shift=2, delta="1e-5"))
    0.1269367 4.377178
    """
    if epsilon is not None and delta is None:
        return _answers(law, epsilon, shift, direction, relative_width, inverse=False)
    if delta is not None and epsilon is None:
        return _answers(law, delta, shift, direction, relative_width, inverse=True)
    raise InvalidArgument("(epsilon, delta)", (epsilon, delta), "exactly one of the two")


def _answers(
    law: Law,
    values: Number | Grid,
    shift: Number,
    direction: Direction | str,
    width: Number,
    *,
    inverse: bool,
) -> Enclosure | tuple[Enclosure, ...]:
    """Return δ at each ε, or if ``inverse`` ε for each δ."""
    goal = Goal.of(width)
    compared = profile_of_shift(law, shift, direction)
    name, most = ("delta", 1) if inverse else ("epsilon", None)
    numbers = [rational(name, value, least=0, most=most) for value in each(name, values)]
    if compared is not None:
        answers = (invert if inverse else evaluate)(compared, numbers, goal)
    elif inverse:
        answers = [ZERO if number == 1 else INFINITE for number in numbers]
    else:
        answers = [Enclosure.exactly(1)] * len(numbers)
    return tuple(answers) if is_grid(values) else answers[0]


_TAILS = ((256, 1 << 11), (1024, 1 << 13), (DEEPEST_TAIL, 1 << 15))


def tails_for(points: int) -> list[int]:
    """Return the tails to leave out first, in bits: more of them the more points a law has.

    >>> tails_for(100), tails_for(10_000)
    ([], [256, 1024])
    """
    return [limit for limit, threshold in _TAILS if points > threshold]


def profile_of_shift(law: Law, shift: Number, direction: Direction | str) -> PrivacyProfile | None:
    """Return the profile of the law and its shift, or None if they share no value."""
    side = choice("direction", direction, Direction)
    if isinstance(law, Normal):
        squared = rational("shift", shift, above=0) ** 2 / law.exact_variance
        return PrivacyProfile(lambda _: (GaussianSide(squared),), 40)
    lattice, steps = shift_in_steps(law, shift)
    if steps is None:
        return None
    if isinstance(lattice, TruncatedBinomial) and steps == 1:
        n, p, k = lattice.n, lattice.p, lattice.k
        return PrivacyProfile(lambda _: side.pick(*binomial_sides(n, p, k)), 3 * n.bit_length())
    return PrivacyProfile(
        lambda tail: side.pick(*lattice_sides(lattice, steps, tail)), 40, tails_for(lattice.points)
    )


__all__ = ["Direction", "Grid", "delta", "epsilon", "exact", "profile_of_shift", "tails_for"]
