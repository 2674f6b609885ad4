r"""δ(ε) of a sum of j uniform blocks of m points under a shift, at a cost that hardly grows with j.

About its middle c = j (m - 1)/2 the sum has the real characteristic function φ(θ)^j, with

.. math:: \varphi(\theta) = \frac{\sin(m\theta/2)}{m \sin(\theta/2)},

so that on a ring of L points P(a <= X <= t) is a sum over the frequencies θ = 2πf/L of φ^j times a
closed form. φ^j falls like a normal density: some hundred frequencies do, for whatever j. What is
left out is bounded: beyond the last frequency, |φ| by its value there or by 1/(m sin(π/m)), the
bound beyond its main lobe; off the ring, the mass by Hoeffding's inequality.

The sum is log-concave, so that of all events an x <= t is worst, with the last t at which the
mass is at least e^ε times the one a shift before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, isqrt, log

from flint import arb, fmpq

from kproof.theory.exact import as_arb, use_bits


def uniform_profile(
    count: int, size: int, *, shift: int, epsilons: Sequence[Fraction], bits: int
) -> list[arb]:
    """Return D_j(ε) of j = ``count`` uniform blocks of m = ``size`` points, in balls.

    The sum is moved by ``shift`` >= 1 points; masses below 2^-bits are left out.

    >>> [float(point.mid()) for point in uniform_profile(2, 2, shift=1, epsilons=[0], bits=64)]
    [0.5]
    """
    if count * (size - 1) < shift:
        return [arb(1)] * len(epsilons)
    rings: dict[int, _Ring] = {}
    deltas = []
    for epsilon in epsilons:
        # δ falls as ε rises, to the mass of the values that the shifted sum never takes.
        reached = min(epsilon, Fraction(bits))
        # Masses are told apart after one of them was multiplied by e^ε.
        depth = bits + ceil(reached * 3 / 2)
        with use_bits(2 * depth + 64 + 4 * (count * size).bit_length()):
            if depth not in rings:
                rings[depth] = _Ring.of(count, size, depth)
            ring = rings[depth]
            delta = ring.delta(shift, as_arb(reached), float(reached))
            deltas.append(delta if reached == epsilon else delta.union(ring.up_to(shift - 1)))
    return deltas


@dataclass(frozen=True)
class _Ring:
    """The law of the sum on a ring of points about its middle."""

    last: int
    """The largest value, twice the middle."""
    spread: float
    """The variance."""
    start: int
    length: int
    """First point of the ring, at most 0, and how many points it has."""
    weights: tuple[arb, ...]
    """φ^j at the frequencies 1, 2, ..., those kept."""
    lost: arb
    """Bound on what a mass is off, each and also all those up to a point together."""

    @classmethod
    def of(cls, count: int, size: int, bits: int) -> _Ring:
        last = count * (size - 1)
        # Hoeffding: P(|X - c| >= r) <= 2 exp(-2 r^2 / (j (m - 1)^2)).
        reach = (size - 1) * (isqrt(ceil((bits + 2) * log(2) / 2 * count)) + 1)
        # A quarter more than is needed, so that ends of the ring are nobody's business.
        start = max(-1, last // 2 - reach - reach // 4)
        length = last - 2 * start + 1
        # From -1 on the ring holds the whole support, so that no mass lies off it.
        complete = start == -1
        weights, goal = [], arb(2) ** -bits / length
        # Beyond the main lobe |φ| is at most 1/(m sin(π/m)); with two points there is no beyond.
        side = arb(0) if size == 2 else 1 / (size * arb.sin_pi_fmpq(fmpq(1, size)))
        bound = side**count
        left_out = arb(0)
        for frequency in range(1, length // 2 + 1):
            turn = fmpq(frequency, length)
            base = arb.sin_pi_fmpq(size * turn) / (size * arb.sin_pi_fmpq(turn))
            weight = base**count
            if size * frequency <= length and weight.abs_upper() < goal and bound < goal:
                left_out = length * weight.abs_upper().max(bound.abs_upper())
                break
            weights.append(weight)
        lost = left_out + (arb(0) if complete else arb(2) ** -bits)
        spread = count * (size * size - 1) / 12
        return cls(last, spread, start, length, tuple(weights), lost.abs_upper())

    def mass(self, point: int) -> arb:
        """Return the probability of a point, or 0 if it lies off the ring."""
        if not self.start <= point < self.start + self.length:
            return arb(0, self.lost)
        return self._sum(point, 1)

    def up_to(self, point: int) -> arb:
        """Return the probability of all points up to one."""
        if point < self.start:
            return arb(0, self.lost)
        return self._sum(self.start + point, point - self.start + 1)

    def _sum(self, ends: int, width: int) -> arb:
        """Return the mass of ``width`` points whose first and last add up to ``ends``."""
        if width == 1:
            ends *= 2
        # Of cos(θ (k - c)) over the points k, the sum is sin(θ width / 2) / sin(θ / 2) times the
        # cosine in their middle.
        # The frequency 0, at which φ is 1 and each point counts alike.
        total = arb(width)
        for frequency, weight in enumerate(self.weights, 1):
            turn = fmpq(frequency, self.length)
            waves = arb.cos_pi_fmpq((ends - self.last) * turn)
            if width > 1:
                waves *= arb.sin_pi_fmpq(width * turn) / arb.sin_pi_fmpq(turn)
            # A frequency and its negative have equal terms; half a turn is its own negative.
            twice = 1 if 2 * frequency == self.length else 2
            total += twice * weight * waves
        return total / self.length + arb(0, self.lost)

    def delta(self, shift: int, exponent: arb, guess: float) -> arb:
        """Return D_j(ε)."""
        factor = exponent.exp()
        top = (self.last + shift) // 2

        def gain(point: int) -> arb:
            return self.up_to(point) - factor * self.up_to(point - shift)

        if exponent == 0:
            # Masses a shift apart are equal where they lie about the middle.
            return _within_unit(gain(top))
        # Binary search is right because the ratio of masses a shift apart falls: once out, always
        # out.
        after = self._first_out(shift, factor, guess, top)
        # Where balls leave open whether a point belongs, all ends in doubt are tried and the best
        # is kept: the true event is among them.
        near = range(after - 1, after - 4, -1)
        sure = next((point for point in near if self._side(point, shift, factor) > 0), None)
        if sure is None:
            # Masses too small to be told apart: no event of theirs has more than they have.
            return _within_unit(self.up_to(after - 1).union(arb(0)))
        worst = gain(sure)
        for point in range(sure + 1, after):
            worst = worst.max(gain(point))
        return _within_unit(worst)

    def _side(self, point: int, shift: int, factor: arb) -> int:
        """Return 1 for a point that belongs to the event, -1 if it does not, 0 if it is open."""
        if point < shift:
            return 1
        gain = self.mass(point) - factor * self.mass(point - shift)
        return 1 if gain >= 0 else -1 if gain < 0 else 0

    def _first_out(self, shift: int, factor: arb, guess: float, top: int) -> int:
        """Return the first point that surely does not belong to the event."""
        low, high = min(shift, top) - 1, top + 1
        # A normal law of this variance has the likelihood ratio e^ε at this distance from the
        # middle; only the start of the search, so that a float will do.
        point = int((self.last + shift) / 2 - guess * self.spread / shift)
        stride = max(1, int(self.spread**0.5 / 256))
        while high - low > 1:
            point = min(max(point, low + 1), high - 1)
            if self._side(point, shift, factor) < 0:
                high, point = point, point - stride
            else:
                low, point = point, point + stride
            # Doubling strides find the end from a good guess in few steps; the halving takes over
            # once a stride leaves the bracket.
            stride *= 2
            if not low < point < high:
                point = (low + high) // 2
        return high


def _within_unit(ball: arb) -> arb:
    low, high = ball.abs_lower() if ball > 0 else arb(0), ball.upper()
    return low.min(arb(1)).union(high.max(arb(0)).min(arb(1)))
