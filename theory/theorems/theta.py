"""The theory of theta-sensitivity: what a variance of ranks can and cannot promise.

Knows nothing of tables. A class of m rows with frequencies f_1 >= f_2 >= ... >= f_d is given the
weights 1, ..., d in that order, and V is the variance of the weight of a random row (Khan et al.,
"Theta-Sensitive k-Anonymity", Electronics 2020, 9(5), 716, Section 4). Theta is ``mu`` times the
variance of a fully diverse class of k rows, (k^2 - 1)/12. Everything here is exact.

The proofs rest on one computation. Let S = sum f_x x. Moving one row from weight b to weight c
changes m^2 V by

    (c - b) (m (c + b) - 2 S - (c - b)).                                                    (*)

A. *Full diversity is widest, and each repetition costs.* Let d < m and take a row from the last
   weight b with f_b >= 2 to the new weight d + 1; the frequencies stay in falling order. These
   fall, so the mean S/m is at most (d + 1)/2, and the second factor of (*) is at least
   m(d + 1 + b) - m(d + 1) - (d + 1 - b) = mb - (d + 1 - b) > 0, as m >= d + 1. So V rises
   strictly. Hence among classes of m rows whose commonest value occurs at least M times the
   widest is (M, 1, ..., 1), strictly less wide for larger M. With M = 1 this gives
   (m^2 - 1)/12. With M = 2, (*) gives (m^2 - 1)/12 - (m - 1)^2/m^2, the largest V short of
   full diversity.

B. *With at most d values the rest is level.* Write the class in layers: layer t holds the c_t
   values that occur at least t times, c_t <= d. A row moves from the top of a layer of b to the
   top of a layer of a, (a, b) -> (a + 1, b - 1), by (*) with s = a - b + 1 and factor
   m(a + b + 1) - 2S - s. At a maximum no move gains. Let 2 <= b <= a < d be two layers. The move
   above loses or is level, so m(a + b + 1) - (a - b + 1) <= 2S. The move (a, 0) -> (a - 1, 1),
   a new layer, loses or is level, so m(a + 1) + (a - 1) >= 2S. Together mb <= 2a - b, which
   m >= a + b and b >= 2 contradict. So a widest class has layers of d, of 1, and at most one
   other: every value but the commonest occurs q or q + 1 times. That leaves one unknown, how
   many rows do not have the commonest value, and it is searched.

C. *With d values and any number of rows.* As real weights, falling frequencies are mixtures of the
   uniform laws on 1..j. For a given mean the second moment is largest with j = 1 and j = d alone
   (it is convex in j while the mean is linear), so V(w) = w(d - 1)(2d - 1)/6 - w^2 (d - 1)^2/4
   for a share w of the latter. Its maximum, (2d - 1)^2/36 at w = (2d - 1)/(3(d - 1)) <= 1, is
   attained by frequencies (d^2 - 1, 2d - 1, ..., 2d - 1) and their multiples, so by arbitrarily
   large classes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, isqrt

from kproof.errors import Infeasible, InvalidArgument
from kproof.theory.exact.typed import Number, integer, rational

MOST_ROWS = 10**6
"""Largest class the searches are meant for; they take time proportional to it."""


def variance(frequencies: Iterable[int]) -> Fraction:
    """Return V of a class: the variance of the ranks of its values by falling frequency.

    ``frequencies``: how often each value occurs, in any order; zeros are ignored.

    The second and the third class of the paper's Table 5:

    >>> variance([1, 1, 1, 1]), variance([1, 2, 1])
    (Fraction(5, 4), Fraction(11, 16))
    """
    counts = [int(count) for count in frequencies]
    if any(count < 0 for count in counts) or not any(counts):
        raise InvalidArgument("frequencies", counts, "counts >= 0, at least one positive")
    counts.sort(reverse=True)
    first = sum(count * rank for rank, count in enumerate(counts, 1))
    second = sum(count * rank * rank for rank, count in enumerate(counts, 1))
    rows = sum(counts)
    return Fraction(rows * second - first * first, rows * rows)


def theta(k: Number, mu: Number) -> Fraction:
    """Return theta_k = mu (k^2 - 1)/12.

    ``k``: class size whose full diversity is the yardstick, at least 1. ``mu``: the paper's
    observed value, at least 0.

    >>> theta(4, 0.6)
    Fraction(3, 4)
    """
    size = integer("k", k, least=1)
    return rational("mu", mu, least=0) * (size * size - 1) / 12


def widest_frequencies(rows: Number, values: Number) -> tuple[int, ...]:
    """Return the frequencies of a class of that many rows and at most that many values, V largest.

    ``rows``: size of the class, from 1 to 10**6. ``values``: size of the domain, at least 1.
    Returns in falling order, without zeros. Where several classes are widest, the one in which the
    commonest value is commonest.

    Part B of the proof at the top of this module.

    >>> widest_frequencies(4, 3), widest_frequencies(18, 3)
    ((2, 1, 1), (8, 5, 5))
    """
    m = integer("rows", rows, least=1, most=MOST_ROWS)
    d = min(integer("values", values, least=1), m)
    best, width = 0, -1
    # The commonest of d values has at least m/d rows, which leaves this many to the rarer ones.
    for rarer in range(m - -(-m // d) + 1):
        candidate = _width(m, d, rarer)
        # Strictly: of equally wide classes the first has the commonest value commonest.
        if candidate > width:
            best, width = rarer, candidate
    if best == 0:
        return (m,)
    level, longer = divmod(best, d - 1)
    counts = [level + 1] * longer + [level] * (d - 1 - longer)
    return (m - best, *(count for count in counts if count))


def largest_variance(rows: Number, values: Number) -> Fraction:
    """Return the largest V of a class of that many rows and at most that many values.

    >>> largest_variance(4, 4), largest_variance(4, 3), largest_variance(4, 1)
    (Fraction(5, 4), Fraction(11, 16), Fraction(0, 1))
    """
    return variance(widest_frequencies(rows, values))


def supremum_variance(values: Number) -> Fraction:
    """Return the largest V that a class of any size with at most that many values can have.

    It is (2d - 1)^2/36 for d >= 2 (part C above), attained by the class of
    :func:`widest_ever`. No number of noise rows takes a class further.

    >>> supremum_variance(3), variance(widest_ever(3))
    (Fraction(25, 36), Fraction(25, 36))
    """
    d = integer("values", values, least=1)
    return Fraction((2 * d - 1) ** 2, 36) if d > 1 else Fraction(0)


def widest_ever(values: Number) -> tuple[int, ...]:
    """Return the smallest class, as frequencies, that attains :func:`supremum_variance`.

    >>> widest_ever(2), widest_ever(3), widest_ever(4)
    ((1, 1), (8, 5, 5), (15, 7, 7, 7))
    """
    d = integer("values", values, least=1)
    if d == 1:
        return (1,)
    common = gcd(d * d - 1, 2 * d - 1)
    return ((d * d - 1) // common, *((2 * d - 1) // common,) * (d - 1))


def largest_feasible_mu(k: Number, values: Number) -> Fraction:
    """Return the largest mu for which some class over the domain has V >= theta_k.

    It is attained, by classes that are multiples of :func:`widest_ever`; it exceeds 1 where the
    domain is rich enough for classes of more than k rows to be wider than k distinct values. ``k``:
    least class size, at least 2. ``values``: size of the sensitive domain, at least 1.

    Three diseases cannot reach the paper's 3/5 for k = 4:

    >>> largest_feasible_mu(4, 3)
    Fraction(5, 9)
    """
    size = integer("k", k, least=2)
    return supremum_variance(values) * 12 / (size * size - 1)


def largest_feasible_k(mu: Number, values: Number) -> int:
    """Return the largest k for which some class over the domain has V >= theta_k.

    ``mu``: above 0. ``values``: size of the sensitive domain, at least 1. With one value only k = 1
    is feasible.

    Adult has fourteen occupations:

    >>> largest_feasible_k("3/5", 14), largest_feasible_k("3/5", 3)
    (20, 3)
    """
    share = rational("mu", mu, above=0)
    squares = 1 + 12 * supremum_variance(values) / share
    # k² is whole: it is at most a rational if and only if it is at most its whole part.
    return isqrt(squares.numerator // squares.denominator)


def mu_for_full_diversity(rows: Number) -> Fraction:
    """Return the mu above which theta forces a class of that many rows to be fully diverse.

    For m rows it is 1 - 12(m - 1)/(m^2 (m + 1)): the infimum of such mu, not one of them, since at
    equality (2, 1, ..., 1) still passes. It tends to 1, so no fixed mu < 1 forces full diversity of
    large classes: 3/5 does so up to m = 4. ``rows``: size of the class, at least 2.

    Part A of the proof at the top of this module: the widest class with a repeated value has
    V = (m^2 - 1)/12 - (m - 1)^2/m^2; divide by (m^2 - 1)/12.

    >>> [str(mu_for_full_diversity(m)) for m in (2, 3, 4, 5, 20)]
    ['0', '1/3', '11/20', '17/25', '681/700']
    """
    m = integer("rows", rows, least=2)
    return 1 - Fraction(12 * (m - 1), m * m * (m + 1))


@dataclass(frozen=True, slots=True)
class Guarantees:
    """What V >= theta_k does guarantee of a class of ``rows`` rows."""

    rows: int
    """Size of the class, noise included."""
    k: int
    mu: Fraction
    theta: Fraction
    """The threshold and where it comes from."""
    least_values: int
    """Fewest distinct values such a class can have."""
    fewest: tuple[int, ...]
    """A class with that few, as falling frequencies."""
    largest_count: int
    """Most rows that one value can have in such a class."""
    most_concentrated: tuple[int, ...]
    """A class in which one value has that many."""

    @property
    def largest_share(self) -> Fraction:
        """Largest posterior of one value for an adversary who knows the class."""
        return Fraction(self.largest_count, self.rows)

    def __str__(self) -> str:
        return (
            f"{self.rows} rows with V >= {self.theta} (k={self.k}, mu={self.mu}): at least "
            f"{self.least_values} values, none in more than {self.largest_count} rows"
        )


def theta_guarantees(rows: Number, mu: Number, *, k: Number | None = None) -> Guarantees:
    """Return the fewest values and the largest count that V >= theta_k leaves possible.

    V is not monotone in either: (3, 1, 1, 1, 1, 1) passes k = 8, mu = 1/2, while (2, 2, 2, 2)
    fails although its commonest value is rarer. So these are the extremes over all classes.

    Args:
        rows: Size of the class, from 1 to 10**6.
        mu: At least 0.
        k: Size that theta is computed from; the class's own by default.

    Raises:
        Infeasible: If no class of that many rows reaches theta.

    The fewest values come from part B of the proof at the top of this module, the largest count
    from part A; both by bisection, as the widest V rises with the number of values and falls
    with the count.

    >>> print(theta_guarantees(4, "0.6"))
    4 rows with V >= 3/4 (k=4, mu=3/5): at least 4 values, none in more than 1 rows
    >>> print(theta_guarantees(20, "0.6"))
    20 rows with V >= 399/20 (k=20, mu=3/5): at least 14 values, none in more than 7 rows
    >>> theta_guarantees(4, "1.1")
    Traceback (most recent call last):
        ...
    kproof.errors.Infeasible: no class of 4 rows has V >= 11/8: the largest is 5/4, so mu <= 1
    """
    m = integer("rows", rows, least=1, most=MOST_ROWS)
    size = m if k is None else integer("k", k, least=1)
    share = rational("mu", mu, least=0)
    threshold = theta(size, share)
    widest = Fraction(m * m - 1, 12)
    if threshold > widest:
        at_most = f", so mu <= {12 * widest / (size * size - 1)}" if size > 1 else ""
        raise Infeasible(
            f"no class of {m} rows has V >= {threshold}: the largest is {widest}{at_most}"
        )
    fewest = _least(1, m, lambda values: largest_variance(m, values) >= threshold)
    single = _least(0, m - 1, lambda singles: variance(_concentrate(m, m - singles)) >= threshold)
    return Guarantees(
        rows=m,
        k=size,
        mu=share,
        theta=threshold,
        least_values=fewest,
        fewest=widest_frequencies(m, fewest),
        largest_count=m - single,
        most_concentrated=_concentrate(m, m - single),
    )


def _concentrate(rows: int, count: int) -> tuple[int, ...]:
    return (count, *(1,) * (rows - count))


def _width(m: int, d: int, rarer: int) -> int:
    """Return m^2 V with ``rarer`` rows spread evenly over the d - 1 rarer values."""
    level, longer = divmod(rarer, d - 1) if rarer else (0, 0)
    first = m - rarer + level * (_sum(d) - 1) + _sum(longer + 1) - 1
    second = m - rarer + level * (_squares(d) - 1) + _squares(longer + 1) - 1
    return m * second - first * first


def _sum(n: int) -> int:
    return n * (n + 1) // 2


def _squares(n: int) -> int:
    return n * (n + 1) * (2 * n + 1) // 6


def _least(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """Return the least number in low..high for which a property that stays true holds."""
    return bisect_left(range(high), True, lo=low, key=holds)
