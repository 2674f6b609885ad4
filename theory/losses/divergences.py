"""Rényi divergences and zero-concentrated privacy of composed pairs, in balls.

Both add up over releases: with ψ(α) = ln Σ P^α Q^(1-α), the divergence of order α is
ψ(α)/(α - 1), and ψ is convex with ψ(1) = 0.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache, reduce
from heapq import heappop, heappush
from itertools import pairwise

from flint import arb

from kproof.errors import InvalidArgument, Undecided
from kproof.theory.exact import Enclosure, as_arb
from kproof.theory.exact.precision import ladder, use_bits
from kproof.theory.losses.atoms import Atoms
from kproof.theory.losses.pairs import NormalPair
from kproof.theory.losses.routes import Releases
from kproof.theory.profiles.input import Direction
from kproof.theory.profiles.inverse import INFINITE
from kproof.theory.profiles.side import Goal

Factors = Sequence[tuple[Atoms, int]]
_LAST_ORDER = 1 << 40
_MOST_HALVINGS = 2000
_MOST_BITS = 4096


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
    return sum((times * atoms.largest_loss() for atoms, times in factors), arb(0))


def least_rho(factors: Factors, relative_width: float) -> arb:
    """Return the least ρ such that the divergence of each order α > 1 is at most ρ α.

    ρ is the supremum of ψ(α)/(α(α - 1)), whose limit at 1 is the divergence of order 1. Between
    two orders a < b, ψ is at most its chord, so :func:`_chord` bounds the quotient there. The
    interval with the largest such bound is halved until bound and best value agree. Beyond the
    last order b, the divergence is at most the largest loss, hence its share of α at most that
    over b.
    """

    @cache
    def value(order: int | Fraction) -> arb:
        return log_moment(factors, as_arb(order)) if order > 1 else arb(0)

    def share(order: int | Fraction) -> arb:
        return value(order) / as_arb(order * (order - 1))

    largest = largest_loss(factors)
    best = relative_entropy(factors).max(share(2))
    last = 2
    while not largest / last <= best and last < _LAST_ORDER:
        last *= 2
        best = best.max(share(last))
    beyond = largest / last
    ends = [Fraction(2**i) for i in range(last.bit_length())]
    # No two pieces begin alike, so that the heap never compares balls, which need have no order.
    pieces: list[tuple[float, Fraction, Fraction, arb]] = []

    def add(a: Fraction, b: Fraction) -> None:
        bound = _chord(value, a, b)
        # The float only says which piece is halved next.
        heappush(pieces, (-float(bound.upper()), a, b, bound))

    for a, b in pairwise(ends):
        add(a, b)
    for _ in range(_MOST_HALVINGS):
        # Looked at and left there: where the search ends, every piece counts for the upper end.
        _, a, b, bound = pieces[0]
        if bound.upper() <= best.lower() * (1 + arb(relative_width) / 2):
            break
        heappop(pieces)
        middle = (a + b) / 2
        best = best.max(share(middle))
        add(a, middle)
        add(middle, b)
    top = beyond.max(best)
    for *_, bound in pieces:
        top = top.max(bound)
    return best.lower().union(top.upper())


def _chord(value: Callable[[Fraction], arb], a: Fraction, b: Fraction) -> arb:
    """Return an upper bound of ψ(α)/(α(α - 1)) for a < α < b.

    The chord is c (α - r) with r >= 1, because ψ is convex and ψ(1) = 0. Over α² - α it is largest
    at α = r + sqrt(r² - r), with the value c/(2α - 1), if that α lies between, else at an end.
    """
    high = value(b)
    if a == 1:
        return high / as_arb(b - 1)
    low = value(a)
    slope = (high - low) / as_arb(b - a)
    if not slope > 0:
        # ψ rises; where balls are too wide to show it, this much is sure.
        return high / as_arb(a * (a - 1))
    ends = (low / as_arb(a * (a - 1))).max(high / as_arb(b * (b - 1)))
    root = (as_arb(a) - low / slope).max(arb(1))
    top = root + (root * root - root).max(arb(0)).sqrt()
    if top < as_arb(a) or top > as_arb(b):
        return ends
    return ends.max(slope / (2 * top - 1))


def enclose(
    releases: Releases,
    direction: Direction,
    divergence: Callable[[Factors], arb],
    share: Fraction,
    goal: Goal,
) -> Enclosure:
    """Return a divergence of all releases, the larger of the directions.

    Discrete laws have the ``divergence`` of their atoms, a normal law ``share`` times its squared
    distance. It is infinite where one world has an outcome that the other has not; Undecided, if no
    precision is enough.
    """
    normal = Fraction(0)
    discrete = []
    for pair, times in releases:
        if isinstance(pair, NormalPair):
            normal += pair.squared * times
        elif pair.discrete:
            discrete.append((pair, times))
        else:
            raise InvalidArgument("release", pair.name, "a law that is not a sampled normal law")
    if not discrete:
        return Enclosure.exactly(normal * share)
    directions = direction.pick(0, 1)
    for bits in ladder(goal.bits(lost=40), _MOST_BITS):
        with use_bits(bits):
            listed = [(pair.sides(None), times) for pair, times in discrete]
            balls = []
            for down in directions:
                factors = [(sides[down], times) for sides, times in listed]
                if any(atoms.alone > 0 for atoms, _ in factors):
                    return INFINITE
                # A ball that reaches 0 may hide an outcome of one world alone: more bits decide.
                open_ends = any(
                    not atoms.alone.is_zero() or not atoms.missing.is_zero() for atoms, _ in factors
                )
                if not open_ends:
                    balls.append(divergence(factors) + as_arb(normal * share))
            if len(balls) == len(directions):
                ball = reduce(arb.max, balls)
                if goal.accepts(ball):
                    return Enclosure.from_arb(ball, digits=goal.digits, low=0)
    raise Undecided(f"a divergence could not be enclosed at {_MOST_BITS} bits")
