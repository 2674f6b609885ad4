"""Table 11 of Khan et al., Electronics 2020, 9(5), 716, recomputed from its own rows.

The paper gives one discernibility penalty (DCP) for each k and method, averages, differences and
percentages. All of it is arithmetic on whole numbers and is done exactly here. A penalty is a sum
of squared class sizes, which not every number is: :func:`is_attainable` decides it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from kproof.errors import TooLarge
from kproof.models.base import parameters
from kproof.theory.exact.typed import Number, integer
from kproof.theory.theorems import theta as theory

ROWS = 160_150
"""Tuples of the paper's data set."""

K = (2, 4, 6, 8, 10, 12, 14, 16, 18, 20)
"""The class sizes of Table 11."""

TABLE_11 = {
    "baseline": (
        320_300, 640_600, 960_900, 1_281_200, 1_601_500,
        1_921_800, 2_242_100, 2_562_400, 2_882_700, 3_203_000,
    ),
    "theta-sensitive": (
        320_303, 640_605, 960_912, 1_281_215, 1_601_520,
        1_921_824, 2_242_145, 2_562_470, 2_882_812, 3_203_166,
    ),
    "p+-sensitive": (
        571_227, 778_626, 1_214_207, 1_467_959, 1_876_310,
        2_096_543, 2_632_775, 3_017_773, 3_315_591, 3_628_936,
    ),
}  # fmt: skip
"""DCP as printed, for each k."""

PRINTED_NOISE = 34
"""Noise tuples "in total" according to Section 6.4."""


_MOST = 50


@dataclass(frozen=True, slots=True)
class AverageExcess:
    """What follows from one column of Table 11."""

    mean: Fraction
    """Average over the ten values of k."""
    excess: Fraction
    """The average minus the baseline's."""
    of_baseline: Fraction
    of_own: Fraction
    """The excess in per cent of the baseline's average, and of the column's own."""


def column(name: str) -> AverageExcess:
    """Return the averages and percentages that a column of Table 11 implies, by its name.

    >>> excess = column("p+-sensitive")
    >>> float(excess.mean), round(float(excess.of_baseline), 2), round(float(excess.of_own), 2)
    (2059994.7, 16.94, 14.48)
    """
    mean, base = (Fraction(sum(TABLE_11[row]), len(K)) for row in (name, "baseline"))
    excess = mean - base
    return AverageExcess(mean, excess, 100 * excess / base, 100 * excess / mean)


def percent(value: Fraction, digits: int) -> str:
    """Return a percentage rounded to so many digits, ties to even.

    >>> excess = column("theta-sensitive")
    >>> percent(excess.of_own, 9), percent(excess.of_baseline, 9)
    ('0.002679235', '0.002679306')
    """
    # Rounded as a fraction: a float of so many digits could be on the other side of a tie.
    units, fraction = divmod(round(value * 10**digits), 10**digits)
    return f"{units}.{fraction:0{digits}d}"


def is_attainable(penalty: Number, *, rows: Number, k: Number, noise: Number | None = None) -> bool:
    """Say whether some classes of at least k published rows have a given DCP.

    With c classes of k + e_1, ..., k + e_c rows and E = sum e_i, the penalty is k (rows + noise) +
    k E + sum e_i^2, and rows + noise - E is divisible by k. So the noise and E are at most (penalty
    - k rows)/k, and what is left must be a sum of squares of whole numbers that add up to E.

    ``rows`` are people, all of them published; without ``noise``, any number of noise rows will do,
    and more than 50 of noise and excess to be tried are a TooLarge. Ten tuples in classes of two or
    more; a penalty is even where the number of rows is:

    >>> [n for n in range(20, 36) if is_attainable(n, rows=10, k=2, noise=0)]
    [20, 26, 28, 34]
    """
    total, size = integer("penalty", penalty, least=0), parameters.K.read(k)
    people = integer("rows", rows, least=1)
    largest = (total - size * people) // size
    if noise is None:
        tried: Iterable[int] = range(largest + 1)
    else:
        added = integer("noise", noise, least=0)
        tried = range(added, added + 1)
    # A square is odd where its root is, so a penalty has the parity of the number of rows.
    fitting = [extra for extra in tried if (people + extra - total) % 2 == 0]
    # Where the parity decides it, no sum of squares is needed, however many there would be.
    if fitting and largest > _MOST:
        raise TooLarge(f"penalty {total} leaves {largest} noise and excess rows; at most {_MOST}")
    return any(
        total - size * (people + extra + excess)
        in _squares(excess, (people + extra - excess) // size)
        for extra in fitting
        for excess in range(largest - extra + 1)
        if (people + extra - excess) % size == 0 and people + extra - excess >= size
    )


@cache
def _squares(total: int, parts: int) -> frozenset[int]:
    """Return the sums of squares of at most so many positive whole numbers that add up to total."""
    if total == 0:
        return frozenset({0})
    if parts == 0:
        return frozenset()
    return frozenset(
        first * first + remainder
        for first in range(1, total + 1)
        for remainder in _squares(total - first, min(parts - 1, total - first))
    )


def attainable(name: str) -> tuple[int, ...]:
    """Return the k of Table 11 whose penalty some release of its tuples has, with any noise.

    >>> attainable("theta-sensitive")
    (6, 12)
    """
    penalties = zip(K, TABLE_11[name], strict=True)
    return tuple(k for k, penalty in penalties if is_attainable(penalty, rows=ROWS, k=k))


def odd(name: str) -> tuple[int, ...]:
    """Return the k of Table 11 whose penalty is odd, as no partition of an even number of rows has.

    >>> odd("p+-sensitive")
    (2, 6, 8, 12, 14, 16, 18)
    """
    return tuple(k for k, penalty in zip(K, TABLE_11[name], strict=True) if penalty % 2 != ROWS % 2)


def noise_share(noise: Number, *, releases: Number = 1) -> str:
    """Return the per cent that noise tuples are of the tuples of so many releases.

    >>> noise_share(PRINTED_NOISE), noise_share(PRINTED_NOISE, releases=10)
    ('0.0212', '0.0021')
    """
    rows = ROWS * integer("releases", releases, least=1)
    return percent(Fraction(100 * integer("noise", noise, least=0), rows), 4)


def padding(rows: Number, k: Number) -> int:
    """Return the noise rows that fill classes of exactly k, as in Section 6.4.

    >>> padding(ROWS, 4)
    2
    """
    # A remainder is 0 or more in Python: what is missing to the next multiple of k.
    return -integer("rows", rows, least=1) % parameters.K.read(k)


def paddings() -> tuple[int, ...]:
    """Return :func:`padding` for each k of Table 11.

    >>> paddings()
    (0, 2, 2, 2, 0, 2, 10, 10, 14, 10)
    """
    return tuple(padding(ROWS, k) for k in K)


def least_noise(counts: tuple[int, ...], *, k: Number, mu: Number) -> int:
    """Return noise rows that no release in ``rows // k`` classes with V >= theta_k can do without.

    Each class needs d distinct values, the fewest for which any class of any size reaches theta.
    A value of f people is in at most f of the c classes, so the people bring at most
    sum min(f, c) of the d c places of distinct values; each of the others takes a noise row.
    ``counts`` are people with each sensitive value.

    Three classes of four distinct values, but the fourth value has one person:

    >>> least_noise((4, 4, 3, 1), k=4, mu="0.6")
    2
    """
    size, share = parameters.GROUP_K.read(k), parameters.REACHABLE_MU.read(mu)
    classes = sum(counts) // size
    threshold = theory.theta(size, share)
    distinct = next(d for d in range(1, 2 * size + 1) if theory.supremum_variance(d) >= threshold)
    return max(distinct * classes - sum(min(count, classes) for count in counts), 0)
