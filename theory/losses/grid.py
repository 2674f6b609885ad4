"""Many releases composed: the law of the privacy loss on a grid, with a bound on every error.

With P and Q the laws of what all releases show in the two worlds and L = ln(P/Q) the privacy loss,
δ(ε) = E_P (1 - e^(ε - L))₊, and L is a sum of independent terms, one for each release. The terms
are put on a grid, their sum is a power of a discrete Fourier transform, and the answer is an
enclosure. :class:`LossGrid` states what is bounded and how.
"""

from collections.abc import Sequence
from math import ceil, exp, floor, inf, sqrt, tanh
from typing import NamedTuple

import numpy as np
from flint import arb

from kproof.errors import TooLarge
from kproof.theory.exact.precision import START_BITS, use_bits
from kproof.theory.laws.fourier import ROUNDOFF
from kproof.theory.losses import loss_sums
from kproof.theory.losses.products import any_of

POINTS = 1 << 20
"""Points of the grid unless a caller asks for more."""
# e^600 is still a float; the largest one is about e^709.
_MOST_LIFT = 600.0
_MOST_TILTS = 4
_UNDERFLOW = 1e-290


class Listed(NamedTuple):
    """The law of the finite losses under P, as it is on the grid."""

    losses: loss_sums.Floats
    masses: loss_sums.Floats
    error: float
    """Bound on the sum of the errors of the masses, those not listed included."""
    excess: float
    """Bound on what spreading adds to δ at any ε >= 0."""


class LossGrid:
    """One direction of many releases composed, at least one of them with an atom.

    *Spreading.* Put Y = e^-L, so that the integrand (1 - e^ε Y)₊ is convex and falls in Y. An atom
    between two points of the grid is spread onto both so that the mean of Y stays; this is the
    construction of Doroshenko, Ghazi, Kamath, Kumar, Manurangsi (*Connect the Dots*, PETS 2022).
    By Jensen's inequality the spread loss L̃ gives a δ̃(ε) >= δ(ε). Cells of a density are spread
    onto grid points around the whole cell, which is an upper bound for the same reason. The cell
    seen as one atom is a lower bound, since it is a post-processing; the lower end has a sum of its
    own, in which cells are atoms.

    *What spreading adds.* Replace the terms one by one. A term spread over at most r points adds
    something only if the kink of the integrand lies among these, at most tanh(rh/4), with h the
    step of the grid. So it adds at most tanh(rh/4) times the chance that the sum, with some of its
    terms spread and the others not, lies within rh of ε. That sum differs from L̃ by a sum of
    independent differences, each within an interval of length rh and with mean of e^-difference 1;
    for k terms its variance is at most V = k (rh)²/4, and its mean between 0 and d = k (rh)²/8
    (Hoeffding's lemma). By Chebyshev's inequality at distance t = sqrt(3V), therefore,

        δ̃(ε) - δ(ε) <= (3/2) k tanh(rh/4) Pr[ε - rh - t <= L̃ <= ε + rh + t + d].

    The bound is of second order in h and proportional to what happens near ε, however small δ is.

    *Tilting.* Masses far out would drown in rounding, so the transform is taken of e^(θL) times
    the masses, with θ such that the tilted mean is ε. An error of the tilted masses counts at most
    e^(-θε) times its size, divided by the sum that normalises them.

    *Floats.* As in :func:`kproof.theory.laws.fourier.by_fourier`, whose assumptions on NumPy's
    transform are assumed here as well, and NumPy's exp and expm1 right to within 4 units in the
    last place. The end of the grid is where Chernoff's bound leaves at most e^-46 outside. A loss
    that is too large by at most η is answered for by the lower end at ε + kη.

    *Masses that are not listed* count as infinite losses in the upper end, as nothing in the lower.
    """

    def __init__(self, terms: Sequence[loss_sums.LossTerm], points: int = POINTS) -> None:
        self._terms = [term for term in terms if term.losses.size]
        self._points = points
        self._off = sum(term.times * term.off for term in terms) * loss_sums.SLACK
        self._finite = len(self._terms) == len(terms)
        with use_bits(START_BITS):
            self._least_infinite = any_of([(term.alone, term.times) for term in terms])
            uppers = [((term.alone + term.missing).upper(), term.times) for term in terms]
            self._most_infinite = any_of(uppers)
        # Sums of ends that cancel lose digits relative to the result: the slack is by their sizes.
        ends = [term.times * float(term.high.max()) for term in self._terms]
        self._most = sum(ends) + sum(map(abs, ends)) * 2.0**-40
        # Cells of a density as single atoms: what the lower ends are worked out from.
        cells = any((term.low < term.high).any() for term in self._terms)
        atoms = [term._replace(low=term.losses, high=term.losses) for term in self._terms]
        self._upper = _Tilts(self._terms, points)
        self._lower = _Tilts(atoms, points) if cells else self._upper

    @property
    def infinite(self) -> arb:
        """The probability that the loss is infinite."""
        return self._least_infinite.union(self._most_infinite)

    @property
    def largest(self) -> float:
        """A number that no finite loss exceeds."""
        return self._most

    def delta(self, epsilons: Sequence[arb]) -> list[arb]:
        """Return balls of δ at each ε >= 0; by rising ε, since one transform serves those near."""
        order = sorted(range(len(epsilons)), key=lambda i: float(epsilons[i].mid()))
        balls = {i: self._at(epsilons[i]) for i in order}
        return [balls[i] for i in range(len(epsilons))]

    def list_losses(self) -> Listed:
        """Return the law of the finite losses, spread so that it dominates, without a tilt."""
        if not self._terms:
            return Listed(np.zeros(1), np.zeros(1), 0.0, 0.0)
        if not self._finite:
            raise TooLarge("no loss is finite")
        return _Sum(self._terms, 0.0, self._points).list_losses(self._off)

    def bracket(self, target: float) -> tuple[float, float]:
        """Return two numbers between which δ is likely to fall to ``target``: where to look."""
        if not self._terms or target <= 0:
            return 0.0, self.largest
        return loss_sums.bracket(self._terms, target, self.largest)

    def end_of(self, epsilon: float) -> float:
        """Return up to where the transforms for an ε answer: further on there are others."""
        ends = (tilts.near(epsilon, epsilon).last_served for tilts in (self._lower, self._upper))
        end = min(ends) if self._finite else inf
        # Less what :meth:`_at` moves the upper end by.
        return end - 2 * self._off - abs(end) * 2.0**-50 if end < inf else end

    def _at(self, epsilon: arb) -> arb:
        low, high = float(epsilon.lower()), float(epsilon.upper())
        # Outward by an ulp, since floats of the ends need not enclose the ball; only the upper end
        # moves by `off`, as losses are too large and never too small.
        low, high = low - abs(low) * 2.0**-52, high + abs(high) * 2.0**-52 + self._off
        if not self._finite or low >= self.largest:
            return self._enclose_delta(arb(0), arb(0))
        lower = self._lower.near(low, high).least(high)
        return self._enclose_delta(lower, self._upper.near(low, high).most(low))

    def _enclose_delta(self, lower: arb, upper: arb) -> arb:
        low = (self._least_infinite + lower).lower().max(arb(0))
        high = (self._most_infinite + upper).upper().min(arb(1))
        return low.union(high)


class _Sum:
    """The law of the sum of all losses on a grid, tilted."""

    def __init__(self, terms: Sequence[loss_sums.LossTerm], theta: float, points: int) -> None:
        self.theta = theta
        self.step, spread, self.start = loss_sums.on_grid(terms, theta, points)
        self.masses, self.error, self.scale = loss_sums.convolve(
            spread, theta * self.step, self.start, points
        )
        self.count = sum(term.times for term in spread)
        self.radius = max(term.widest for term in spread)
        reach = self.radius * self.step
        variance = self.count * reach**2 / 4
        self.apart = (reach + sqrt(3 * variance)) * loss_sums.SLACK
        self.drift = self.count * reach**2 / 8 * loss_sums.SLACK

    @property
    def excess(self) -> float:
        """What spreading adds to δ at most, over the chance of a loss near ε."""
        return 1.5 * self.count * tanh(self.radius * self.step / 4) * loss_sums.SLACK

    def list_losses(self, off: float) -> Listed:
        """Return the law, without a tilt; ``off`` is how far the losses are too large."""
        width = ceil((2 * self.apart + self.drift) / self.step) + 2
        sums = np.append(0.0, np.cumsum(self.masses))
        near = float((sums[width:] - sums[:-width]).max()) if width < sums.size else 1.0
        with use_bits(START_BITS):
            scale = float(self.scale.exp().upper()) * (1 + 4 * ROUNDOFF)
        chance = min(1.0, near + self.masses.size * ROUNDOFF + self.error)
        return Listed(
            (self.start + np.arange(self.masses.size, dtype=np.float64)) * self.step,
            self.masses * scale,
            self.error * scale + self.masses.size * 2 * ROUNDOFF,
            self.excess * chance * scale + off,
        )


class _Tilt:
    """A tilted sum, and the sums from the right that answer for one ε and those near it."""

    def __init__(self, terms: Sequence[loss_sums.LossTerm], epsilon: float, points: int) -> None:
        self.sum = _Sum(terms, loss_sums.tilt_for(terms, epsilon), points)
        self.theta, self.step, self.error = self.sum.theta, self.sum.step, self.sum.error
        self.apart, self.drift = self.sum.apart, self.sum.drift
        self._tabulate(self.sum.masses, self.sum.start, epsilon)

    def _tabulate(self, masses: loss_sums.Floats, start: int, epsilon: float) -> None:
        """Sum the masses from the right, weighted by e^(-θ(l - c)) and e^(-(θ + 1)(l - c))."""
        self.centre = epsilon
        deviation = self._deviation(masses, start)
        # Further on ε is so far in the tilted law's tail that it needs a transform of its own.
        self.last_served = epsilon + min(1.5 * deviation, _MOST_LIFT / (self.theta + 1))
        self.first = max(floor((epsilon - 2 * self.apart) / self.step) - 2, start)
        tail = masses[self.first - start :]
        away = (self.first + np.arange(tail.size)) * self.step - epsilon
        with np.errstate(under="ignore"):
            # What is cut off here lies so far to the left that :meth:`_near` does not use it.
            weighted = tail * np.exp(np.minimum(-self.theta * away, _MOST_LIFT + 1))
            self.right = _from_right(weighted)
            self.second = _from_right(weighted * np.exp(np.minimum(-away, 1.0)))
        longest = float(np.abs(away[[0, -1]]).max()) if away.size else 0.0
        steps = tail.size + 64 + 4 * (self.theta + 1) * (longest + abs(epsilon))
        self.rounding = steps * ROUNDOFF

    def _deviation(self, masses: loss_sums.Floats, start: int) -> float:
        places = (start + np.arange(masses.size)) * self.step
        total = float(masses.sum())
        mean = float(places @ masses) / total
        return sqrt(max(0.0, float(((places - mean) ** 2) @ masses) / total))

    def serves(self, low: float, high: float) -> bool:
        """Say whether this transform is meant for such an ε."""
        return self.centre <= low and high <= self.last_served

    def most(self, epsilon: float) -> arb:
        """Return an upper bound on the finite part of δ(ε)."""
        value, error = self._value(epsilon)
        return self._unscale(value + error, epsilon)

    def least(self, epsilon: float) -> arb:
        """Return a lower bound on the finite part of δ(ε)."""
        value, error = self._value(epsilon)
        value = value * (1 - 8 * ROUNDOFF) - error - self.sum.excess * self._near(epsilon)
        return self._unscale(max(0.0, value), epsilon)

    def _value(self, epsilon: float) -> tuple[float, float]:
        """Return the tilted sum at an ε, in units of e^(-θε), and a bound on its error."""
        place = floor(epsilon / self.step) + 1 - self.first
        place = min(max(0, place), self.right.size - 1)
        moved = epsilon - self.centre
        right, second = self.right[place], self.second[place] * exp(moved)
        lift = exp(self.theta * moved)
        error = 4 * self.rounding * (right + second) * lift + self.error * self._peak()
        return max(0.0, right - second) * lift, error * loss_sums.SLACK + _UNDERFLOW

    def _peak(self) -> float:
        """Return the largest value of (1 - e^-x) e^(-θx), x >= 0."""
        theta = self.theta
        # At e^-x = θ/(θ + 1), where the derivative vanishes; for θ = 0 it is the limit 1.
        return float((theta / (theta + 1)) ** theta / (theta + 1))

    def _near(self, epsilon: float) -> float:
        """Return an upper bound on the chance of a loss near ε, in units of e^(-θε)."""
        low = floor((epsilon - self.apart) / self.step) - self.first
        high = ceil((epsilon + self.apart + self.drift) / self.step) + 1 - self.first
        low, high = (min(max(0, place), self.right.size - 1) for place in (low, high))
        # A difference of two sums is off by the rounding of the larger one, however small it is
        # itself.
        chance = self.right[low] - self.right[high] + 4 * self.rounding * self.right[low]
        chance *= exp(self.theta * (epsilon - self.centre))
        # The places are up to two steps further out than ``apart``, and ε is beyond the centre.
        lift = self.theta * (self.apart + 2 * self.step)
        if lift >= _MOST_LIFT:
            return inf
        return float(chance + self.error * exp(lift)) * loss_sums.SLACK + _UNDERFLOW

    def _unscale(self, value: float, epsilon: float) -> arb:
        with use_bits(START_BITS):
            return arb(value) * (self.sum.scale - arb(self.theta) * arb(epsilon)).exp()


class _Tilts:
    """The tilts made last; one of them serves many ε."""

    def __init__(self, terms: Sequence[loss_sums.LossTerm], points: int) -> None:
        self._terms = terms
        self._points = points
        self._made: list[_Tilt] = []

    def near(self, low: float, high: float) -> _Tilt:
        """Return a tilt for an ε between two numbers."""
        tilt = next((tilt for tilt in self._made if tilt.serves(low, high)), None)
        if tilt is None:
            tilt = _Tilt(self._terms, low, self._points)
            # The oldest goes: each ε is asked for by rising ε, and a transform takes a lot of
            # memory.
            self._made = [*self._made[1 - _MOST_TILTS :], tilt]
        return tilt


def _from_right(values: loss_sums.Floats) -> loss_sums.Floats:
    """Return the sums of all values from each place on, one longer."""
    return np.append(np.cumsum(values[::-1])[::-1], 0.0)
