"""Rényi divergences and zero-concentrated privacy of composed pairs, in balls.

Both add up over releases: with ψ(α) = ln Σ P^α Q^(1-α), the divergence of order α is
ψ(α)/(α - 1), and ψ is convex with ψ(1) = 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import heappop, heappush

from flint import arb

from kproof.theory.losses.atoms import Atoms

Factors = Sequence[tuple[Atoms, int]]

_MOST_PIECES = 4000


def log_moment(factors: Factors, order: arb) -> arb:
    """Return ψ at an order above 1; every law on the left is one whose support the other has."""
    total = arb(0)
    for atoms, times in factors:
        terms = (
            (order * u.log() + (1 - order) * v.log()).exp()
            for u, v in zip(atoms.first, atoms.second, strict=True)
        )
        total += times * sum(terms, arb(0)).log()
    return total


def relative_entropy(factors: Factors) -> arb:
    """Return the divergence of order 1, Σ P ln(P/Q)."""
    total = arb(0)
    for atoms, times in factors:
        terms = (u * (u / v).log() for u, v in zip(atoms.first, atoms.second, strict=True))
        total += times * sum(terms, arb(0))
    return total


def largest_loss(factors: Factors) -> arb:
    """Return the divergence of order infinity, the largest of ln(P/Q)."""
    total = arb(0)
    for atoms, times in factors:
        largest = arb.neg_inf()
        for u, v in zip(atoms.first, atoms.second, strict=True):
            largest = largest.max((u / v).log())
        total += times * largest
    return total


def least_rho(factors: Factors, relative_width: float) -> arb:
    """Return the least ρ such that the divergence of each order α > 1 is at most ρ α.

    Notes
    -----
    ρ is the supremum of ψ(α)/(α(α - 1)). Between two orders a < b, ψ is at most its chord
    c (α - r), and c (α - r)/(α² - α) is largest at α = r + sqrt(r² - r) if that lies between, else
    at an end. The interval with the largest such bound is halved until bound and best value agree.
    Beyond the last order b, the divergence is at most the largest loss, hence its share of α at
    most that over b.
    """
    if not any(atoms.first for atoms, _ in factors):
        return arb(0)
    least = relative_entropy(factors)
    most = largest_loss(factors)
    value = _values(factors)
    best = least
    last = arb(2)
    while True:
        best = best.max(value(last) / (last * (last - 1)))
        if most / last <= best or last > 2**40:
            break
        last *= 2
    pieces: list[tuple[float, int, arb, arb, arb]] = []
    closed = (most / last).min(best) if most / last <= best else most / last
    for count, (a, b) in enumerate(_doublings(last)):
        bound = _chord(value, a, b)
        heappush(pieces, (-float(bound.upper()), count, a, b, bound))
    count = len(pieces)
    while pieces and count < _MOST_PIECES:
        _, _, a, b, bound = pieces[0]
        if bound.upper() <= best.lower() * (1 + arb(relative_width) / 2):
            break
        heappop(pieces)
        middle = ((a + b) / 2).mid()
        best = best.max(value(middle) / (middle * (middle - 1)))
        for left, right in ((a, middle), (middle, b)):
            bound = _chord(value, left, right)
            heappush(pieces, (-float(bound.upper()), count, left, right, bound))
            count += 1
    top = closed.max(best)
    for _, _, _, _, bound in pieces:
        top = top.max(bound)
    return best.lower().union(top.upper())


def _values(factors: Factors) -> Callable[[arb], arb]:
    known: dict[str, arb] = {}

    def value(order: arb) -> arb:
        key = order.str(40)
        if key not in known:
            known[key] = log_moment(factors, order)
        return known[key]

    return value


def _doublings(last: arb) -> list[tuple[arb, arb]]:
    ends = [arb(1), arb(2)]
    while not ends[-1] >= last:
        ends.append(2 * ends[-1])
    return list(zip(ends, ends[1:], strict=False))


def _chord(value: Callable[[arb], arb], a: arb, b: arb) -> arb:
    """Return an upper bound of ψ(α)/(α(α - 1)) for a < α < b."""
    high = value(b)
    if a == 1:
        return high / (b - 1)
    low = value(a)
    slope = (high - low) / (b - a)
    ends = (low / (a * (a - 1))).max(high / (b * (b - 1)))
    if not slope > 0:
        return ends
    root = a - low / slope
    # The chord lies below 0 at 1, so r >= 1; rounding may hide that.
    root = root.max(arb(1))
    top = root + (root * root - root).sqrt()
    if top < a or top > b:
        return ends
    return ends.max(slope / (2 * top - 1))
