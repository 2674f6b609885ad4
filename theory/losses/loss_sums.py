"""The law of a sum of privacy losses on a grid: where it lies, its tilt, one transform.

Every step keeps a bound on what it may be wrong; :class:`~kproof.theory.losses.grid.LossGrid`
states what the bounds add up to.
"""

from collections.abc import Sequence
from math import ceil, exp, floor, inf, log, log2, sqrt
from typing import NamedTuple

import numpy as np
from flint import arb
from numpy.typing import NDArray

from kproof.errors import TooLarge
from kproof.theory.laws.fourier import PASS_ERROR, PRODUCT_ERROR, ROUNDOFF, passes, powers
from kproof.theory.losses.atoms import Atoms

Floats = NDArray[np.float64]
_OUTSIDE = 46.0
"""Natural logarithm of one over the mass that may lie beyond either end of the grid."""
_STEEPEST = 1e6
_FINEST = 40
_MOST_SLIP = 600.0
_SPARE_DIGITS = 3.0
"""Natural logarithm of how much smaller than they could be the masses near ε may be."""
# Bounds are worked out in floats as well: this much more pays for their own rounding, amply.
SLACK = 1 + 2.0**-20


class LossTerm(NamedTuple):
    """One kind of release in floats: how often it comes, and its atoms."""

    times: int
    logs: Floats
    """ln of the masses of P."""
    losses: Floats
    """Numbers not below ln(P/Q) by more than nothing, nor above it by more than ``off``."""
    low: Floats
    high: Floats
    """Ends of the span of the loss in each atom, ``losses`` included."""
    off: float
    """Largest amount by which a loss is too large."""
    blur: float
    """Largest error of ``logs``, beside the rounding of a float."""
    alone: arb
    missing: arb
    """As in :class:`~kproof.theory.losses.atoms.Atoms`."""


class _Spread(NamedTuple):
    """The atoms of a term on the grid: index, ln of the weight, and how far an atom was spread."""

    times: int
    places: Floats
    logs: Floats
    blur: float
    widest: int


def term(atoms: Atoms, times: int) -> LossTerm:
    """Return the atoms of a kind of release in floats, rounded on the side that is safe."""
    exact = [(u / v).log() for u, v in zip(atoms.first, atoms.second, strict=True)]
    nearest = np.array([float(loss.mid()) for loss in exact], dtype=np.float64)
    wrong = max((float(loss.rad()) for loss in exact), default=0.0)
    off = wrong * SLACK + float(np.abs(nearest).max(initial=0.0)) * 2.0**-51 + 2.0**-1000
    losses = nearest + off
    low, high = losses, losses
    if atoms.spans is not None:
        ends = np.array([(float(a.lower()), float(b.upper())) for a, b in atoms.spans])
        slip = np.abs(ends) * 2.0**-51
        low = np.minimum(losses, ends[:, 0] - slip[:, 0])
        high = np.maximum(losses, ends[:, 1] + slip[:, 1])
    weights = [u.log() for u in atoms.first]
    logs = np.array([float(weight.mid()) for weight in weights], dtype=np.float64)
    blur = max((float(weight.rad()) for weight in weights), default=0.0) * SLACK
    return LossTerm(times, logs, losses, low, high, 3 * off, blur, atoms.alone, atoms.missing)


def bracket(terms: Sequence[LossTerm], target: float, largest: float) -> tuple[float, float]:
    """Return two numbers between which the finite part of δ is likely to fall to ``target`` > 0."""
    spreads = _spreads(terms)
    level = log(target)

    def spare(theta: float) -> float:
        return _log_moment(spreads, theta)[0] - theta * _moments(spreads, theta)[0] - level

    low, high = 0.0, 1.0
    while high < _STEEPEST and spare(high) > 0:
        low, high = high, 2 * high
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if spare(middle) > 0 else (low, middle)
    mean, variance = _moments(spreads, high)
    # Chernoff's bound at this slope is the target, so that δ is below it beyond the mean. Nothing
    # here has to be certain: whoever searches from these two looks whether they are beyond the
    # target.
    last = min(largest, mean + 1e-6)
    return max(0.0, last - 1.2 * sqrt(variance)), max(last, 0.0)


def _spreads(terms: Sequence[LossTerm]) -> list[_Spread]:
    """Return the terms as they are, before anything is spread."""
    return [_Spread(term.times, term.losses, term.logs, term.blur, 1) for term in terms]


def tilt_for(terms: Sequence[LossTerm], epsilon: float) -> float:
    """Return a θ >= 0 at which the tilted mean loss is about ε; any θ is valid.

    Where rare losses are large, as those of a small sample are, the tilted mean leaps: the masses
    then lie in two heaps far apart, and the grid that holds both is coarse. A smaller θ, with which
    the first heap alone counts, costs little of the masses near ε.
    """
    spreads = _spreads(terms)
    steep = _mean_tilt(spreads, epsilon)

    def cost(theta: float) -> float:
        return _log_moment(spreads, theta)[0] - theta * epsilon

    low, high, most = 0.0, steep, cost(steep) + _SPARE_DIGITS
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (low, middle) if cost(middle) <= most else (middle, high)
    widths = []
    for theta in (steep, high):
        first, last = _interval(spreads, theta)
        widths.append(last - first)
    return high if widths[1] < widths[0] / 2 else steep


def _mean_tilt(spreads: Sequence[_Spread], epsilon: float) -> float:
    """Return the θ >= 0 at which the tilted mean is ε, or a little below it."""
    if _moments(spreads, 0.0)[0] >= epsilon:
        return 0.0
    low, high = 0.0, 1.0
    while high < _STEEPEST and _moments(spreads, high)[0] < epsilon:
        low, high = high, 2 * high
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (middle, high) if _moments(spreads, middle)[0] < epsilon else (low, middle)
    return low


def _moments(terms: Sequence[_Spread], slope: float) -> tuple[float, float]:
    """Return the mean and the variance of the tilted sum, in floats without a promise."""
    mean = variance = 0.0
    with np.errstate(under="ignore"):
        for term in terms:
            exponents = term.logs + slope * term.places
            weights = np.exp(exponents - exponents.max())
            weights /= weights.sum()
            centre = float(weights @ term.places)
            mean += term.times * centre
            variance += term.times * float(weights @ (term.places - centre) ** 2)
    return mean, variance


def on_grid(
    terms: Sequence[LossTerm], theta: float, points: int
) -> tuple[float, list[_Spread], int]:
    """Return the step, the spread terms and the first index of the grid."""
    spreads = _spreads(terms)
    low, high = _interval(spreads, theta)
    # The step is a power of 2, so that an index times the step is exact.
    exponent = max(-_FINEST, ceil(log2(max(high - low, 1e-9) * 1.01 / points)))
    while True:
        step = 2.0**exponent
        # Indices beyond 2^53 are no longer whole numbers in floats.
        if max(float(np.abs(term.losses).max()) for term in terms) / step > 2.0**50:
            raise TooLarge(f"privacy losses up to {high:g} are too far apart for a grid")
        spread = [_spread(term, step) for term in terms]
        low, high = _interval([term._replace(places=term.places * step) for term in spread], theta)
        start = floor(low / step)
        if ceil(high / step) - start < points:
            return step, spread, start
        exponent += 1


def _interval(terms: Sequence[_Spread], theta: float) -> tuple[float, float]:
    """Return an interval that the tilted sum leaves with mass at most 2 e^-46.

    Chernoff's bound at one slope is as valid as at any other; a few are tried.
    """
    base, wrong = _log_moment(terms, theta)
    deviation = sqrt(max(_moments(terms, theta)[1], 1e-18))
    highs, lows = [inf], [-inf]
    # Losses with a long tail need gentle slopes, others steep ones.
    for i in range(-12, 4):
        slope = sqrt(2 * _OUTSIDE) / deviation * 2.0**i
        for ends, signed in ((highs, slope), (lows, -slope)):
            moment, error = _log_moment(terms, theta + signed)
            ends.append((moment - base + _OUTSIDE + wrong + error) / signed)
    ends_of = [(term.times * term.places.min(), term.times * term.places.max()) for term in terms]
    lowest, highest = (float(sum(end)) for end in zip(*ends_of, strict=True))
    size = sum(abs(low) + abs(high) for low, high in ends_of)
    low, high = max(*lows, lowest), min(*highs, highest)
    slack = 1e-9 * (1 + abs(high) + abs(low)) + float(size) * 2.0**-45
    return low - slack, high + slack


def _log_moment(terms: Sequence[_Spread], slope: float) -> tuple[float, float]:
    """Return Σ k ln E e^(slope · loss), and a bound on its error."""
    total = error = 0.0
    with np.errstate(under="ignore"):
        for term in terms:
            exponents = term.logs + slope * term.places
            peak = float(exponents.max())
            # The largest exponent is taken out, or `exp` would overflow at steep slopes.
            total += term.times * (peak + log(float(np.exp(exponents - peak).sum())))
            largest = float(np.abs(term.logs).max() + abs(slope) * np.abs(term.places).max())
            error += term.times * (term.blur + (term.places.size + largest + 16) * 8 * ROUNDOFF)
    return total, error


def _spread(term: LossTerm, step: float) -> _Spread:
    """Put the atoms of a term on the grid, keeping their masses and their means of e^-loss."""
    below = np.floor(term.low / step)
    # Two different points even for an atom that lies on one: with a width of 0 there is no share.
    above = np.maximum(np.ceil(term.high / step), below + 1)
    width = (above - below) * step
    offset = term.losses - below * step
    # The shares solve up + down = 1 and down + up e^-width = e^-offset. With expm1 a fine step
    # keeps the digits that 1 - e^-x would cancel.
    full = np.expm1(-width)
    up = np.expm1(-offset) / full
    down = np.exp(-offset) * np.expm1(offset - width) / full
    places = np.concatenate([below, above])
    with np.errstate(divide="ignore"):
        logs = np.concatenate([term.logs + np.log(down), term.logs + np.log(up)])
    # An atom on a point leaves nothing for the other one, whose logarithm is that of 0.
    finite = np.isfinite(logs)
    return _Spread(term.times, places[finite], logs[finite], term.blur, int((above - below).max()))


def convolve(
    terms: Sequence[_Spread], slope: float, start: int, points: int
) -> tuple[Floats, float, arb]:
    """Return the tilted masses of the sum, a bound on their error, and what they are divided by.

    The masses are those of the sum times e^(slope · index), over e^scale.
    """
    half = points // 2 + 1
    relative = np.zeros(half)
    # Of releases that occur equally often the product is raised to a power, not each of them.
    products: dict[int, NDArray[np.complex128]] = {}
    bounds: dict[int, Floats] = {}
    scale = arb(0)
    with np.errstate(under="ignore"):
        for term in terms:
            exponents = term.logs + slope * term.places
            peak = float(exponents.max())
            # Weights add up to 1, so that no power of a transform leaves the range of floats; what
            # was divided by comes back through `scale`, as a logarithm.
            norm = peak + log(float(np.exp(exponents - peak).sum()))
            weights = np.exp(exponents - norm)
            # The transform is circular: what lies outside the grid folds onto it, which `outside`
            # pays for.
            folded = np.mod(term.places, points).astype(np.int64)
            folds = np.bincount(folded, weights=weights, minlength=points)
            crowd = int(np.bincount(folded).max())
            transform = np.fft.rfft(folds)
            sizes = np.abs(term.logs) + np.abs(slope * term.places) + abs(norm) + 16
            slip = float(weights @ sizes) * 8 * ROUNDOFF + term.blur + (crowd + 8) * ROUNDOFF
            slip += passes(points) * PASS_ERROR * (1 + slip)
            if slip * term.times > _MOST_SLIP:
                # The bound on the error of the power, (1 + slip)^times, would be no float.
                raise TooLarge(f"{term.times:,} releases with losses this large: floats lose them")
            magnitudes = np.abs(transform) + slip
            relative += term.times * slip / magnitudes
            relative += term.times * PRODUCT_ERROR
            if term.times in products:
                transform *= products[term.times]
                magnitudes *= bounds[term.times]
            products[term.times], bounds[term.times] = transform, magnitudes
            scale += arb(norm) * term.times
        spectrum = powers(products)
        wrong = powers(bounds) * relative
        size = float(np.sqrt(2 * np.vdot(spectrum, spectrum).real))
        ring = np.fft.irfft(spectrum, points)
        first = start % points
        # No mass is negative, so that cutting at 0 lowers errors only.
        masses: Floats = np.maximum(np.concatenate((ring[first:], ring[:first])), 0.0)
        # By Parseval and Cauchy-Schwarz the errors of all masses add up to at most the 2-norm of
        # those of the spectrum, of which rfft has half: hence the 2.
        error = float(np.sqrt(2 * np.dot(wrong, wrong))) + passes(points) * PASS_ERROR * size
    outside = 4 * exp(-_OUTSIDE)
    slack = SLACK * exp(16 * ROUNDOFF * sum(term.times for term in terms))
    return masses, (error + outside) * slack + 1e-140, scale
