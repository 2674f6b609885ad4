"""Slow and obvious versions of what the theory computes: exact sums, brute force, 60 digits."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import accumulate
from math import comb

import mpmath

from kproof.theory.exact.enclosure import Enclosure

Law = Mapping[Fraction, Fraction]


def binomial(n: int, p: Fraction, k: int = 0) -> dict[Fraction, Fraction]:
    """The law of M | M >= k, M ~ Bin(n, p), in rationals."""
    masses = {j: comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(k, n + 1)}
    total = sum(masses.values())
    return {Fraction(j): mass / total for j, mass in masses.items()}


def convolved(laws: Iterable[Law]) -> dict[Fraction, Fraction]:
    """The law of a sum of independent values."""
    total = {Fraction(0): Fraction(1)}
    for law in laws:
        step = {}
        for x, w in total.items():
            for y, v in law.items():
                step[x + y] = step.get(x + y, Fraction(0)) + w * v
        total = step
    return total


def law_of_blocks(size: int, count: int) -> dict[int, Fraction]:
    """The law of a sum of uniform blocks, by counting the ways."""
    ways = {0: 1}
    for _ in range(count):
        more: dict[int, int] = {}
        for x, number in ways.items():
            for step in range(size):
                more[x + step] = more.get(x + step, 0) + number
        ways = more
    return {x: Fraction(number, size**count) for x, number in ways.items()}


def hockey_stick(law: Mapping[int, Fraction], shift: int, scale: Fraction) -> Fraction:
    """The divergence of a law from itself shifted, at e^ε = scale."""
    return sum(
        (max(p - scale * law.get(x - shift, Fraction(0)), Fraction(0)) for x, p in law.items()),
        Fraction(0),
    )


def shifted(law: Law, s: Fraction) -> dict[Fraction, Fraction]:
    return {x + s: w for x, w in law.items()}


def excess(p: Law, q: Law, factor: mpmath.mpf) -> list[mpmath.mpf]:
    """P(x) - factor Q(x) at every point of either support, in order."""
    points = sorted(set(p) | set(q))
    return [as_mpf(p.get(x, Fraction(0))) - factor * as_mpf(q.get(x, Fraction(0))) for x in points]


def positive_excess(law: Law, other: Law, scale: mpmath.mpf) -> mpmath.mpf:
    """The sum of the positive parts of P - e^ε Q, point by point."""
    differences = (as_mpf(m) - scale * as_mpf(other.get(x, 0)) for x, m in law.items())
    return sum(max(difference, 0) for difference in differences)


def encloses(enclosure: Enclosure, truth: mpmath.mpf, digits: int = 50) -> bool:
    """Whether the truth, known to so many digits, lies inside."""
    low, high = mpmath.mpf(str(enclosure.lower)), mpmath.mpf(str(enclosure.upper))
    slack = mpmath.mpf(10) ** -digits
    return low * (1 - slack) <= truth <= high * (1 + slack)


def delta_all(p: Law, q: Law, epsilon: Fraction) -> mpmath.mpf:
    """The largest P(O) - e^epsilon Q(O) over all events."""
    factor = mpmath.exp(as_mpf(epsilon))
    return mpmath.fsum(max(x, mpmath.mpf(0)) for x in excess(p, q, factor))


def delta_half_lines(p: Law, q: Law, epsilon: Fraction) -> mpmath.mpf:
    """The same over half-lines only."""
    parts = excess(p, q, mpmath.exp(as_mpf(epsilon)))
    return max([*accumulate(parts), *accumulate(reversed(parts)), mpmath.mpf(0)])


def delta_intervals(p: Law, q: Law, epsilon: Fraction) -> mpmath.mpf:
    """The same over intervals only (Kadane's scan)."""
    best = run = mpmath.mpf(0)
    for part in excess(p, q, mpmath.exp(as_mpf(epsilon))):
        run = max(run + part, mpmath.mpf(0))
        best = max(best, run)
    return best


def both_ways(measure, law: Law, s: Fraction, epsilon: Fraction) -> mpmath.mpf:
    """The larger of the two directions of adjacency."""
    moved = shifted(law, s)
    return max(measure(law, moved, epsilon), measure(moved, law, epsilon))


def as_mpf(value: Fraction | int | str) -> mpmath.mpf:
    exact = Fraction(value)
    return mpmath.mpf(exact.numerator) / exact.denominator


def as_fraction(value: mpmath.mpf) -> Fraction:
    sign, mantissa, exponent, _ = mpmath.mpf(value)._mpf_
    return (-1) ** sign * Fraction(int(mantissa)) * Fraction(2) ** exponent
