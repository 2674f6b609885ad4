"""Binomial counts, whole and given that they are large enough: the count of Theorem 1.

Masses come from the ratio of neighbours, (n - j) p / ((j + 1) q), outward from the likeliest count
and divided by their own sum. The ratio falls with j, so what lies beyond a point is at most a
geometric series, which bounds every tail.
"""

from __future__ import annotations

from bisect import bisect_left
from fractions import Fraction

from flint import arb, ctx

from kproof.theory.exact.precision import ladder, use_bits
from kproof.theory.exact.typed import Number, as_arb, integer, rational
from kproof.theory.laws.base import LatticeLaw
from kproof.theory.laws.windows import Window, least_tail, within_budget

MOST_TRIALS = 10**15
_REACH_BITS = 160


class TruncatedBinomial(LatticeLaw):
    """The number M of successes in ``n`` independent trials, given M >= k.

    Args:
        n: Trials, from 1 to 10**15.
        p: Probability of success, 0 < p < 1.
        k: Least count, 0 <= k <= n; 0 is no condition.

    >>> law = TruncatedBinomial(4, "1/2", 3)
    >>> law, law.origin, law.points
    (TruncatedBinomial(n=4, p=1/2, k=3), Fraction(3, 1), 2)
    >>> [mass.str(5, radius=False) for mass in law.window(arb(0)).masses]
    ['0.80000', '0.20000']
    >>> TruncatedBinomial(4, 0.5, 5)
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: k = 5: need a whole number 0 <= k <= 4
    """

    step = Fraction(1)
    """The distance of neighbouring counts."""
    log_concave = True
    """Always."""

    def __init__(self, n: Number, p: Number, k: Number) -> None:
        self.n = integer("n", n, least=1, most=MOST_TRIALS)
        """Trials."""
        self.p = rational("p", p, above=0, below=1)
        """Probability of success."""
        self.k = integer("k", k, least=0, most=self.n)
        """Least count."""

    @property
    def name(self) -> str:
        """The law with its parameters."""
        return f"TruncatedBinomial(n={self.n}, p={self.p}, k={self.k})"

    @property
    def origin(self) -> Fraction:
        """The least count."""
        return Fraction(self.k)

    @property
    def points(self) -> int:
        """How many counts are possible."""
        return self.n - self.k + 1

    def mean(self) -> arb:
        """Return the mean, n p + k q Pr[M = k | M >= k], as a ball."""
        return self._moments()[0]

    def variance(self) -> arb:
        """Return the variance as a ball."""
        return self._moments()[1]

    def _moments(self) -> tuple[arb, arb]:
        # With b the binomial masses and T(j) = j q b(j), (j - np) b(j) = T(j) - T(j+1). Summed over
        # j >= k this gives the mean, and summed by parts with weight j - np the second moment.
        n, k, p = self.n, self.k, self.p
        q = 1 - p
        if k == 0:
            return as_arb(n * p), as_arb(n * p * q)
        if k == n:
            return arb(n), arb(0)
        precision = ctx.prec
        # Far above n p the variance is the small difference of numbers near n².
        for bits in ladder(start=precision + 64):
            with use_bits(bits):
                mean, variance = self._conditional_moments(k, as_arb(n * p), as_arb(q))
            if variance.rel_accuracy_bits() >= precision:
                break
        # The signs round to the precision of whoever asked.
        return +mean, +variance

    def _conditional_moments(self, k: int, centre: arb, q: arb) -> tuple[arb, arb]:
        mass = self._least_mass()
        following = mass * as_arb(self._ratio(k, 1))
        above = k * q * mass
        square = (k - centre) * above + q * (centre * (1 - mass) + (k + 1) * q * following)
        return centre + above, square - above**2

    def _least_mass(self) -> arb:
        """Return Pr[M = k | M >= k]."""
        n, k, p = self.n, self.k, self.p
        log_mass = (
            arb(n + 1).lgamma()
            - arb(k + 1).lgamma()
            - arb(n - k + 1).lgamma()
            + k * as_arb(p).log()
            + (n - k) * as_arb(1 - p).log()
        )
        # Pr[M >= k] is an incomplete beta function (DLMF 8.17.5): n - k may be 10^15 terms.
        return log_mass.exp() / as_arb(p).beta_lower(arb(k), arb(n - k + 1), 1)

    def window(self, tail: arb) -> Window:
        """Return the masses at the current working precision."""
        # At each of two ends, in units of the likeliest mass, which is at most 1: so half of the
        # tail may go, and the other half is for what rounding adds to the bounds.
        spare = least_tail(tail) / 4
        odds = self.p / (1 - self.p)
        peak = min(self.n, max(self.k, int((self.n + 1) * self.p)))
        first, last = self.k, self.n
        if spare > 0:
            # Only where to stop is decided here: the bound on what is beyond is worked out anew at
            # full precision below.
            with use_bits(_REACH_BITS):
                first = peak - self._reach(peak, -1, spare)
                last = peak + self._reach(peak, 1, spare)
        within_budget(last - first + 1, self)
        up, down = odds.numerator, odds.denominator
        above, below = [arb(1)], [arb(1)]
        # From the peak outwards every ratio is at most 1: the balls' radii shrink with the weights,
        # and none overflows.
        for j in range(peak, last):
            above.append(above[-1] * ((self.n - j) * up) / ((j + 1) * down))
        for j in range(peak, first, -1):
            below.append(below[-1] * (j * down) / ((self.n - j + 1) * up))
        weights = below[:0:-1] + above
        dropped = self._beyond(first, -1, below[-1]) + self._beyond(last, 1, above[-1])
        # What was left out may be anything up to the bound: so the total is only known up to it,
        # and with it each mass.
        total = sum(weights, arb(0)) + arb(0).union(dropped)
        return Window(
            first - self.k, [weight / total for weight in weights], (dropped / total).upper()
        )

    def _beyond(self, j: int, direction: int, weight: arb) -> arb:
        """Return an upper bound on the weights beyond ``j``, whose weight is given."""
        ratio = self._ratio(j, direction)
        # In rationals: 1 minus the ball of a ratio near 1 would keep few digits.
        return (weight * as_arb(ratio / (1 - ratio))).upper() if ratio else arb(0)

    def _ratio(self, j: int, direction: int) -> Fraction:
        """Return the ratio of the mass one further out to the mass at ``j``."""
        odds = self.p / (1 - self.p)
        if direction > 0:
            return (self.n - j) * odds / (j + 1)
        return j / ((self.n - j + 1) * odds) if j > self.k else Fraction(0)

    def _reach(self, peak: int, direction: int, spare: arb) -> int:
        """Return how far from the peak one must go until the weights beyond are spare."""
        odds = as_arb(self.p / (1 - self.p)).log()
        level = arb(peak + 1).lgamma() + arb(self.n - peak + 1).lgamma()

        def is_far(steps: int) -> bool:
            j = peak + direction * steps
            if not self._ratio(j, direction):
                return True
            # Ratios fall outwards: the geometric bound holds from the first one below 1.
            if self._ratio(j, direction) >= 1:
                return False
            drop = level - arb(j + 1).lgamma() - arb(self.n - j + 1).lgamma()
            # A comparison that stays open says no: one step more costs one mass.
            return bool(self._beyond(j, direction, (drop + direction * steps * odds).exp()) < spare)

        farthest = self.n - peak if direction > 0 else peak - self.k
        # Once far, always far, as bisection needs: weights fall outwards, and so do their ratios.
        return bisect_left(range(farthest), True, key=is_far)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TruncatedBinomial) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[object, ...]:
        return self.n, self.p, self.k


class Binomial(TruncatedBinomial):
    """The number of successes in ``n`` independent trials of probability ``p``.

    Args:
        n: Trials, from 1 to 10**15.
        p: Probability of success, 0 < p < 1.

    >>> Binomial(1000, 0.3).mean()
    300.000000000000
    """

    def __init__(self, n: Number, p: Number) -> None:
        super().__init__(n, p, 0)

    @property
    def name(self) -> str:
        """The law with its parameters."""
        return f"Binomial(n={self.n}, p={self.p})"
