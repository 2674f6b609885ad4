"""Fast profiles in floating point, for plots, searches and laws too wide for ball arithmetic.

:func:`delta_float` promises nothing but is accurate; :func:`delta_within` turns the error bound of
a law's floating masses into enclosures. Where digits matter, :func:`kproof.theory.profiles.delta`
is the one to trust.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import ceil, floor, inf, log, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kproof.errors import InvalidArgument
from kproof.theory.exact import Enclosure, Number, as_arb, choice, rational
from kproof.theory.exact.precision import START_BITS, use_bits
from kproof.theory.laws import LatticeLaw, Law, Normal, TruncatedBinomial
from kproof.theory.profiles import delta
from kproof.theory.profiles.input import Direction, Grid, each, shift_in_steps

Floats = NDArray[np.float64]
_UNIT = 2.0**-53
"""Unit roundoff."""
_NATS = 700.0
"""Masses below e^-700 of the likeliest are left out."""
_BROAD = 10**9
"""Variance from which a count's certified profile is the faster one."""
_STEEPEST = 2.0**500
"""Largest e^ε that is multiplied out; a profile falls, so it bounds all beyond it."""


def delta_float(
    law: Law, *, shift: Number = 1, epsilon: ArrayLike, direction: Direction | str = Direction.BOTH
) -> Floats:
    """Return δ for many finite ε >= 0 in floating point, in the shape of ``epsilon``.

    The rest is as in :func:`kproof.theory.profiles.delta`. For binomial counts shifted by 1 and for
    normal laws the relative error is about 1e-9 or less wherever δ > 1e-290, the rounding of ε
    itself included; for other lattice laws the *absolute* error is that of :func:`delta_within`. A
    law with more points than its budget is TooLarge.

    >>> from kproof.theory.laws.binomial import TruncatedBinomial
    >>> delta_float(TruncatedBinomial(60, "0.71", 33), epsilon=[0, 0.9]).round(7).tolist()
    [0.1132545, 0.0033266]
    """
    exponents = np.asarray(epsilon, dtype=np.float64)
    wrong = ~(np.isfinite(exponents) & (exponents >= 0))
    if wrong.any():
        raise InvalidArgument("epsilon", float(exponents[wrong][0]), "finite epsilon >= 0")
    side = choice("direction", direction, Direction)
    if isinstance(law, Normal):
        ratio = rational("shift", shift, above=0) ** 2 / law.exact_variance
        return gaussian_delta_float(exponents, sqrt(ratio))
    lattice, steps = shift_in_steps(law, shift)
    if steps is None:
        return np.ones_like(exponents)
    flat = exponents.ravel()
    if not isinstance(lattice, TruncatedBinomial) or steps != 1:
        scales = np.exp(np.minimum(flat, log(_STEEPEST)))
        values = _from_masses(lattice.float_window().masses, steps, scales, side)
    elif lattice.n * lattice.p * (1 - lattice.p) > _BROAD:
        values = np.array([float(e) for e in delta(law, epsilon=flat, direction=side)])
    else:
        values = _binomial(lattice, flat, side)
    return values.reshape(exponents.shape)


def gaussian_delta_float(epsilon: Floats, m: float) -> Floats:
    """Return Φ(m/2 - ε/m) - e^ε Φ(-m/2 - ε/m) without cancellation, for m > 0 and ε of any shape.

    With the Mills ratio M the value is φ(x) (M(x) - M(x+m)), x = ε/m - m/2. For m <= 1 the
    difference is the integral of -M' = 1 - t M(t), which 16 Gauss-Legendre nodes give to rounding.

    >>> gaussian_delta_float(np.array([1.0]), 1.0).round(12).tolist()
    [0.126936737507]
    """
    from scipy.special import erfcx, log_ndtr, ndtr

    x = epsilon / m - m / 2
    if m > 1:
        return np.asarray(ndtr(-x) - np.exp(epsilon + log_ndtr(-x - m)), dtype=np.float64)
    nodes, weights = np.polynomial.legendre.leggauss(16)
    places = x[..., None] + m / 2 * (nodes + 1)
    slopes = 1 - places * np.sqrt(np.pi / 2) * erfcx(places / np.sqrt(2))
    density = np.exp(-x * x / 2) / np.sqrt(2 * np.pi)
    return np.asarray(density * (slopes @ weights) * m / 2, dtype=np.float64)


def _binomial(law: TruncatedBinomial, epsilon: Floats, direction: Direction) -> Floats:
    up = (law.n, law.p, law.k, law.n)
    down = (law.n, 1 - law.p, 0, law.n - law.k)
    sides = [_half_lines(*side, epsilon) for side in direction.pick(up, down)]
    return np.asarray(np.max(sides, axis=0), dtype=np.float64)


def _half_lines(n: int, p: Fraction, low: int, high: int, epsilon: Floats) -> Floats:
    """Return the profile of Bin(n, p) on low..high against itself shifted up by one.

    With h(j) = f(j)/f(j-1) and C(j) the mass below j, summation by parts makes it
    f(low) + Σ_{low<j<m} C(j) (h(j) - h(j+1)) + C(m) (h(m) - e^ε), all of whose terms are positive.
    """
    mean, odds = float(n * p), float(p / (1 - p))
    # Bernstein's inequality, solved for the distance beyond which less than e^-700 lies.
    reach = ceil(_NATS / 3 + sqrt(_NATS**2 / 9 + 2 * _NATS * mean * float(1 - p)))
    peak = min(high, max(low, floor((n + 1) * p)))
    first, last = max(low, peak - reach), min(high, peak + reach)
    below_peak = np.arange(peak, first, -1, dtype=np.float64)
    beyond_peak = np.arange(peak + 1, last + 1, dtype=np.float64)
    lower = np.cumprod(below_peak / ((n + 1 - below_peak) * odds))
    upper = np.cumprod((n + 1 - beyond_peak) * odds / beyond_peak)
    masses = np.concatenate([lower[::-1], [1.0]])
    # Above the peak only the total counts: for ε >= 0 the worst event ends at the mode or before.
    masses /= masses.sum() + upper.sum()
    below = np.concatenate([[0.0], np.cumsum(masses[:-1])])
    points = np.arange(first, peak + 1, dtype=np.float64)
    ratios = (n + 1 - points) * odds / np.maximum(points, 1)
    falls = odds * (n + 1) / (points[1:] * (points[1:] + 1))
    sums = masses[0] + np.concatenate([[0.0, 0.0], np.cumsum(below[1:] * falls)])
    # Capped, since e^ε must not overflow.
    scale = np.exp(np.minimum(epsilon, _NATS))
    cut = np.floor(float(p * (n + 1)) / (scale * float(1 - p) + float(p)))
    places = np.clip(cut, first, peak).astype(np.int64) - first
    values: Floats = sums[places] + below[places] * (ratios[places] - scale)
    return values


def _scale(epsilon: Fraction) -> tuple[float, float]:
    """Return floats below and above e^ε."""
    if epsilon > log(_STEEPEST):
        return _STEEPEST, inf
    with use_bits(START_BITS):
        ball = as_arb(epsilon).exp()
        return float(ball.lower()) * (1 - 2 * _UNIT), float(ball.upper()) * (1 + 2 * _UNIT)


def _from_masses(masses: Floats, steps: int, scales: Floats, direction: Direction) -> Floats:
    """Return Σ max(P - e^ε Q, 0) for each e^ε; positive terms, so that nothing cancels."""
    gap = np.zeros(min(steps, masses.size))
    law, shifted = np.concatenate([masses, gap]), np.concatenate([gap, masses])
    pairs = direction.pick((law, shifted), (shifted, law))
    scratch = np.empty_like(law)

    def excess(first: Floats, second: Floats, scale: float) -> float:
        np.multiply(second, -scale, out=scratch)
        np.add(scratch, first, out=scratch)
        np.maximum(scratch, 0.0, out=scratch)
        return float(scratch.sum())

    return np.array([max(excess(*pair, scale) for pair in pairs) for scale in scales.tolist()])


def delta_within(
    law: LatticeLaw,
    *,
    shift: Number = 1,
    epsilon: Grid,
    direction: Direction | str = Direction.BOTH,
) -> tuple[Enclosure, ...]:
    """Return enclosures of δ from a law's floating masses and their error bound.

    For laws with too many points for :func:`kproof.theory.profiles.delta`. With E the bound on the
    total error of the masses, the width is about 2(1 + e^ε)(E + 2^-50), whatever δ is.

    ``epsilon`` is a list, tuple or 1-D array of numbers, each at least 0, exactly as typed. A law
    with more points than its floating budget is TooLarge.

    >>> from kproof.theory.laws.finite import FiniteLattice
    >>> die = FiniteLattice({face: "1/6" for face in range(1, 7)})
    >>> print(*delta_within(die, epsilon=[0, 1]))
    0.1666667 0.1666667
    """
    exponents = [rational("epsilon", value, least=0) for value in each("epsilon", epsilon)]
    side = choice("direction", direction, Direction)
    lattice, steps = shift_in_steps(law, shift)
    if steps is None:
        return (Enclosure.exactly(1),) * len(exponents)
    window = lattice.float_window()
    # The profile falls, so its value at a smaller scale bounds it from above; past 1/sqrt(E) the
    # error of the masses, magnified by the scale, would outweigh what is gained.
    low, high = np.array([_scale(exponent) for exponent in exponents]).reshape(-1, 2).T
    low = np.minimum(low, 1 / sqrt(window.error + _UNIT))
    capped = np.minimum(high, _STEEPEST)
    # A term P - e^ε Q matters only where e^ε Q <= P, so its roundings are at most a few units of P;
    # adding N positive terms costs at most N units, in whatever order they are added.
    terms = 8 * _UNIT * (1 + window.error)
    adding = (window.masses.size + 8) * _UNIT
    above = _from_masses(window.masses, steps, low, side) * (1 + 2 * adding)
    below = _from_masses(window.masses, steps, capped, side) * (1 - 2 * adding)
    upper = above + (1 + 8 * _UNIT) * ((1 + low) * window.error + terms)
    lower = below - (1 + 8 * _UNIT) * ((1 + capped) * window.error + terms)
    # Beyond the cap the profile was taken at too small a scale, which bounds nothing from below.
    lower = np.where(high <= capped, lower, 0.0)
    return tuple(
        Enclosure(Decimal(max(0.0, a)), Decimal(min(1.0, b)))
        for a, b in zip(lower.tolist(), upper.tolist(), strict=True)
    )
