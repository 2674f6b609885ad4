"""Lower tails of a binomial count with certified digits, for n up to 10^100.

One pass walks upward over the points that are asked for by the rational recurrence of the masses.
Where the next point is far away the pass jumps: the mass comes from log-gamma, and the tail below
it, relative to the mass, from a short series or, when the law is broad, from one certified
integral whose cost hardly depends on n.
"""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from flint import acb, arb, ctx

from kproof.theory.exact import as_arb, use_bits

_WALK = 3000
"""Steps of the recurrence that cost about as much as a fresh start."""


class Tail(NamedTuple):
    """What lies at and below a point m of a binomial law."""

    mass: arb
    """Pr[M = m]."""
    below: arb
    """Pr[M < m], with relative accuracy of its own."""


def lower_tails(n: int, p: Fraction, points: Sequence[int]) -> Iterator[Tail]:
    """Yield the tail at each point, at the working precision.

    Points ascend, within 0..n and at most (n+1)p: above the mode the way down is long.

    >>> [tail.below.str(5, radius=False) for tail in lower_tails(4, Fraction(1, 2), [1, 2])]
    ['0.062500', '0.31250']
    """
    odds, against = p.numerator, p.denominator - p.numerator
    # So far off that the first point is never walked to.
    mass, below, place = arb(0), arb(0), -_WALK - 1
    for point in points:
        if point - place > _WALK:
            mass = mass_at(n, p, point)
            below = mass * _below_over_mass(n, p, point)
        else:
            rises, falls = (n - place) * odds, (place + 1) * against
            for _ in range(point - place):
                below += mass
                mass = mass * rises / falls
                rises -= odds
                falls += against
        place = point
        yield Tail(mass, below)


def upper_tail(n: int, p: Fraction, count: int) -> arb:
    """Return Pr[M >= count] for M ~ Bin(n, p), 0 < p < 1, from the tail that is the shorter one.

    >>> upper_tail(4, Fraction(1, 2), 3).contains(arb(5) / 16)
    True
    """
    if count <= 0:
        return arb(1)
    if count > n:
        return arb(0)
    if count - 1 <= n * p:
        tail = next(lower_tails(n, p, [count - 1]))
        return 1 - tail.mass - tail.below
    tail = next(lower_tails(n, 1 - p, [n - count]))
    return tail.mass + tail.below


def mass_at(n: int, p: Fraction, m: int) -> arb:
    """Return Pr[M = m] for M ~ Bin(n, p), 0 < p < 1.

    >>> mass_at(4, Fraction(1, 2), 2).contains(arb(3) / 8)
    True
    """
    # Logarithms of factorials of n up to 10^15 are near n log n and cancel: each costs its
    # magnitude in bits.
    with use_bits(ctx.prec + 2 * n.bit_length() + 16):
        ways = arb(n + 1).lgamma() - arb(m + 1).lgamma() - arb(n - m + 1).lgamma()
        mass = (ways + m * as_arb(p).log() + (n - m) * as_arb(1 - p).log()).exp()
    # The sign rounds to the precision of whoever asked.
    return +mass


def _below_over_mass(n: int, p: Fraction, m: int) -> arb:
    """Return Pr[M < m] / Pr[M = m]."""
    if m == 0:
        return arb(0)
    odds, against = p.numerator, p.denominator - p.numerator
    nats = ctx.prec * math.log(2)
    first = math.log((n - m + 1) * odds) - math.log(m * against)
    bend = 1 / m + 1 / (n - m + 1)
    terms = math.ceil(_root(first, bend, nats))
    # Which of the two is quicker is all that the floats decide; either is certified.
    if min(terms, m) <= _WALK:
        return _by_series(n, odds, against, m, terms + 16)
    return _by_integral(n, p, m)


def _root(slope: float, curvature: float, height: float) -> float:
    """Return the positive x with slope x + curvature x²/2 = height."""
    return 2 * height / (slope + math.sqrt(slope * slope + 2 * curvature * height))


def _by_series(n: int, odds: int, against: int, m: int, stride: int) -> arb:
    """Sum Pr[M = m - i] / Pr[M = m] until a geometric series bounds the rest below rounding."""
    total, term = arb(0), arb(1)
    falls, rises = m * against, (n - m + 1) * odds
    while True:
        for _ in range(stride):
            term = term * falls / rises
            total += term
            falls -= against
            rises += odds
            # Pr[M = 0] was the last term: the sum is complete.
            if falls == 0:
                return total
        ratio = arb(falls) / rises
        # Ratios fall from term to term: the geometric bound holds from the first one below 1.
        if ratio < 1:
            remainder = term * ratio / (1 - ratio)
            if remainder < total * arb(2) ** -ctx.prec:
                return total + arb(0).union(remainder)


def _by_integral(n: int, p: Fraction, m: int) -> arb:
    """Return Pr[M < m] / Pr[M = m] from the incomplete beta integral.

    With t = q(1 - u) the integral of DLMF 8.17.5 becomes
    (mq/p) ∫_0^1 (1-u)^(n-m) (1+cu)^(m-1) du with c = q/p; its integrand is log-concave, 1 at 0.
    """
    bits = ctx.prec
    c_exact = (1 - p) / p
    a, b = n - m, m - 1
    end = _root(float(a - b * c_exact), float(a + b * c_exact**2), (bits + 8) * math.log(2))
    with use_bits(bits + 2 * n.bit_length() + 16):
        c = as_arb(c_exact)
        flat, steep = a - b * c, c * (a + b)

        def exponent(u: acb) -> acb:
            return a * (-u).log1p() + b * (c * u).log1p()

        def integrand(u: acb, _analytic: bool) -> acb:
            # The two logarithms cancel to first order, which ball arithmetic cannot see on a wide
            # ball; the mean value form with the combined derivative can. The exponents are whole,
            # so this is a polynomial whatever branches the logarithms take at the centre.
            centre = u.mid()
            slope = -(flat + steep * u) / ((1 - u) * (1 + c * u))
            return (exponent(centre) + slope * (u - centre)).exp()

        fine = arb(2) ** -bits
        area = acb.integral(integrand, acb(0), acb(end), rel_tol=fine, abs_tol=fine * end / 1024)
        top = arb(end)
        decay = (flat + steep * top) / ((1 - top) * (1 + c * top))
        # The integrand is log-concave: beyond the end it falls at least at the rate that it has
        # there.
        remainder = exponent(acb(top)).real.exp() / decay
        # Without a decay that is certain, nothing bounds what lies beyond the end.
        ratio = (area.real + arb(0).union(remainder)) * m * c if decay > 0 else arb.nan()
    # The sign rounds to the precision of whoever asked.
    return +ratio
