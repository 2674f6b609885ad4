"""Far tails of independent sums, one stretch at a time, by exponential tilting.

A product of polynomials keeps the relative accuracy of every coefficient, but the price grows with
the range of magnitudes: masses from 1 to 1e-1000 in one product cost a hundred times as much as
those above 1e-30. Tilting avoids it. Multiply the mass at x of every term by w^x and divide by the
sum M: the law of the sum is then tilted in the same way, P_w(x) = P(x) w^x / Π M^n, and its bulk is
where P had a tail. A few tilts, each with its bulk where the last one ends, cover a window to any
depth at one bulk's price each.

Masses are accurate where they are not much smaller than their neighbours. Between the clusters of a
sum with rare leaps they are only enclosed.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from flint import arb, arb_poly, ctx

from kproof.theory.exact.precision import use_bits
from kproof.theory.laws.kernels import PolynomialMatrix, power, product, single
from kproof.theory.laws.terms import Summands
from kproof.theory.laws.windows import FLOAT_BITS, Window, whole_span

_LEAST_BITS = 128
_SPARE_BITS = 16
_ADVANCE = 0.9
_LEAST_ADVANCE = 0.5


class _Factor(NamedTuple):
    """The generating polynomial of a term and how often it occurs."""

    polynomial: arb_poly
    times: int

    @property
    def last(self) -> int:
        return len(self.polynomial) - 1


@dataclass(frozen=True, slots=True)
class _Stretch:
    """The masses of a sum over the bulk of one tilt, with the tilt undone."""

    first: int
    """Index of the first mass."""
    masses: list[arb]
    """Balls that contain P(x)."""
    centre: float
    """The mean of the tilted sum."""
    weight: arb
    """The tilt w."""
    scale: arb
    """Π M^n, the sum of P(x) w^x."""

    @property
    def last(self) -> int:
        return self.first + len(self.masses) - 1

    def beyond(self, index: int) -> arb:
        """Return Chernoff's upper bound on the mass above ``index``; needs w > 1."""
        return (self.scale / self.weight ** (index + 1)).upper()

    def enough(self, spare: arb) -> int:
        """Return an index above which there is at most ``spare``; needs w > 1."""
        return whole_span((self.scale / spare).log() / self.weight.log())[1]


def tilt(terms: Sequence[Summands], tail: arb) -> Window:
    """Return the window of a sum of independent terms that vary, however small ``tail`` > 0 is."""
    # 128 / 2 + 16 bits are the 2^-80 that the advance in `_next` counts on.
    if ctx.prec < _LEAST_BITS:
        with use_bits(_LEAST_BITS):
            return tilt(terms, tail)
    factors = [_factor(term) for term in terms]
    # Below the bulk the mirrored law lies above its own: one march serves for both sides.
    mirrored = [_Factor(arb_poly(f.polynomial.coeffs()[::-1]), f.times) for f in factors]
    total = sum(factor.times * factor.last for factor in factors)
    bulk = _stretch(factors, arb(1))
    mirror = _Stretch(
        total - bulk.last, bulk.masses[::-1], total - bulk.centre, bulk.weight, bulk.scale
    )
    right, above = _march(factors, bulk, tail / 4)
    mirrored_mass, below = _march(mirrored, mirror, tail / 4)
    masses = mirrored_mass[::-1] + bulk.masses + right
    return Window(bulk.first - len(mirrored_mass), masses, (above + below).upper())


def _march(factors: Sequence[_Factor], stretch: _Stretch, spare: arb) -> tuple[list[arb], arb]:
    """Return the masses above a stretch and an upper bound on what is beyond them."""
    total = sum(factor.times * factor.last for factor in factors)
    masses: list[arb] = []
    before = stretch.last
    # Every stretch reaches further than the last one, so the end of the support ends the loop.
    while stretch.last < total:
        following = _next(factors, stretch, total)
        end = max(following.enough(spare), stretch.last)
        masses += following.masses[stretch.last + 1 - following.first : end + 1 - following.first]
        if end <= following.last and end < total:
            return masses, following.beyond(before + len(masses))
        stretch = following
    return masses, arb(0)


def _next(factors: Sequence[_Factor], stretch: _Stretch, total: int) -> _Stretch:
    """Return a stretch that reaches further than the last one and leaves no gap."""
    advance = _ADVANCE * (stretch.last - stretch.centre)
    while True:
        # With a mean half a point beyond the last one, neither side can be without bulk mass as
        # long as points² / 2^80 is small, so the loop ends.
        advance = max(advance, _LEAST_ADVANCE)
        target = min(stretch.last + advance, total - _LEAST_ADVANCE)
        following = _stretch(factors, _weight(factors, target, stretch.weight))
        if following.first <= stretch.last + 1 and following.last > stretch.last:
            return following
        # A gap, or no gain: nearer to the last stretch both overlap.
        advance /= 2


def _weight(factors: Sequence[_Factor], target: float, low: arb) -> arb:
    """Return a tilt, exactly representable, whose mean is within 1/8 of the target."""
    with use_bits(FLOAT_BITS):
        slopes = [factor.polynomial.derivative() for factor in factors]
        high = 2 * low
        # Squaring the weight doubles its logarithm, so that this is a doubling search in ln w.
        while _mean(factors, slopes, high) < target:
            high *= high
        while True:
            # The middle in ln w; its midpoint as a ball of radius 0 is exactly the tilt that is
            # undone later.
            middle = (low * high).sqrt().mid()
            miss = _mean(factors, slopes, middle) - target
            if abs(miss) < _LEAST_ADVANCE / 4:
                return middle
            low, high = (middle, high) if miss < 0 else (low, middle)


def _mean(factors: Sequence[_Factor], slopes: Iterable[arb_poly], weight: arb) -> arb:
    parts = (
        factor.times * weight * slope(weight) / factor.polynomial(weight)
        for factor, slope in zip(factors, slopes, strict=True)
    )
    return sum(parts, arb(0))


def _stretch(factors: Sequence[_Factor], weight: arb) -> _Stretch:
    """Return the masses of the sum over the bulk of one tilt."""
    # Powers and products together blur a mass by 2^-(prec + 16) at most: those above the threshold
    # keep half of the working precision, and smaller ones are left to the next tilt.
    threshold = arb(2) ** -(ctx.prec // 2 + _SPARE_BITS)
    loss = arb(2) ** -(ctx.prec + _SPARE_BITS) / (2 * len(factors))
    scale, centre = arb(1), arb(0)
    kernels = []
    for factor in factors:
        coefficients = _powers(factor.polynomial.coeffs(), arb(1), weight)
        total = sum(coefficients, arb(0))
        scale *= total**factor.times
        law = arb_poly([mass / total for mass in coefficients])
        centre += factor.times * law.derivative()(arb(1))
        # Tilted laws are normalised before their power is taken: far out no bits drown, and `scale`
        # gives the mass back.
        kernels.append(power(PolynomialMatrix(((law,),)), factor.times, loss))
    kernels.sort(key=lambda kernel: kernel.length)
    bulk = product(kernels, loss * len(kernels))
    masses = bulk.rows[0][0].coeffs()
    first = next(index for index, mass in enumerate(masses) if mass >= threshold)
    end = next(index for index in range(len(masses), 0, -1) if masses[index - 1] >= threshold)
    blur = arb(0).union(bulk.missing)
    bulk_masses = [mass + blur for mass in masses[first:end]]
    first += bulk.start
    undone = _powers(bulk_masses, scale / weight**first, 1 / weight)
    return _Stretch(first, undone, float(centre), weight, scale)


def _powers(values: Sequence[arb], factor: arb, ratio: arb) -> list[arb]:
    """Return ``values[i] * factor * ratio**i``."""
    scaled = []
    for value in values:
        scaled.append(value * factor)
        factor *= ratio
    return scaled


def _factor(term: Summands) -> _Factor:
    kernel = single(term.law.window(arb(0))).spread(term.scale)
    return _Factor(kernel.rows[0][0].left_shift(kernel.start), term.times)
