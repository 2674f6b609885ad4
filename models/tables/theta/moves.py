"""The moves of Algorithm 1 on multisets, and the threshold they work towards.

A class is seen here as a multiset of sensitive codes, a mapping from code to frequency. The moves
(most frequent values, back check, cross check, swap, noise) are defined once, in this module; the
anonymizer and the executable net are both made of them, and each returns every admissible choice,
in ascending order, so that a caller decides how ties are broken.

Source: Khan et al., "θ-Sensitive k-Anonymity", Electronics 2020, 9(5), 716, Section 5.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from kproof.errors import Infeasible
from kproof.theory.theorems import theta as theory

Multiset = Mapping[int, int]
"""Frequency of each sensitive code in a class; no frequency is zero."""

SAFE = 2**31
"""With size · distinct values below this, every intermediate of N²·V fits into 64 bits."""


def integer_variance(frequencies: Iterable[int]) -> int:
    """Return N²·V: the variance of Section 5.1.1 times the squared size, a whole number.

    >>> integer_variance([1, 1, 1, 1]), integer_variance([1, 2, 1])
    (20, 11)
    """
    size = first = second = 0
    for weight, frequency in enumerate(sorted(frequencies, reverse=True), start=1):
        size += frequency
        first += weight * frequency
        second += weight * weight * frequency
    return size * second - first * first


def variance(values: Multiset) -> Fraction:
    """Return the variance V of a class.

    >>> variance({0: 1, 1: 2, 5: 1})
    Fraction(11, 16)
    """
    return theory.variance(values.values())


@dataclass(frozen=True, slots=True)
class Threshold:
    """The threshold θ = μ(m² − 1)/12 and the exact comparison with it."""

    mu: Fraction
    """0 < μ ≤ 1."""
    k: int
    """The class size of the paper: m = k."""
    per_class: bool = False
    """Whether m is each class's own published size instead."""

    def at(self, size: int) -> Fraction:
        """Return θ for a class of a published size."""
        return theory.theta(size if self.per_class else self.k, self.mu)

    def least(self, size: int) -> int:
        """Return the least N²·V with which a class of N = ``size`` rows passes."""
        theta = self.at(size)
        # Rounded up: N²·V is whole, and the next lower whole number is below θN².
        return -(-theta.numerator * size * size // theta.denominator)

    def passes(self, values: Multiset) -> bool:
        """Say whether V ≥ θ; equality passes (Definition 10 says "at least").

        >>> Threshold(Fraction(11, 20), 4).passes({0: 2, 1: 1, 2: 1})
        True
        """
        return integer_variance(values.values()) >= self.least(sum(values.values()))

    def exceeds(self, values: Multiset) -> bool:
        """Say whether V > θ, as Algorithm 1 and Rule (6) print it.

        >>> Threshold(Fraction(11, 20), 4).exceeds({0: 2, 1: 1, 2: 1})
        False
        """
        size = sum(values.values())
        theta = self.at(size)
        scaled = integer_variance(values.values())
        return scaled * theta.denominator > theta.numerator * size * size


def require_feasible(threshold: Threshold, values: int, whose: str) -> None:
    """Check that some class over a domain of so many values reaches θ, taken at k.

    If none does, the message names the largest μ and the largest k for which one would; ``whose``
    says of what they are values.
    """
    mu, k = threshold.mu, threshold.k
    best = theory.largest_feasible_mu(k, values)
    if mu <= best:
        return
    ways = [f"mu at most {best}"] if best else []
    largest_k = theory.largest_feasible_k(mu, values)
    ways += [f"k at most {largest_k}"] if largest_k >= 2 else []
    raise Infeasible(
        f"{whose}: {values} distinct values cannot reach theta = {threshold.at(k)} "
        f"(k = {k}, mu = {mu}); need {' or '.join(ways) or 'more distinct values'}"
    )


def most_frequent_values(values: Multiset) -> tuple[int, ...]:
    """Return every most frequent value (``mfsv`` of the paper).

    >>> most_frequent_values({0: 2, 3: 1, 4: 2})
    (0, 4)
    """
    top = max(values.values())
    return tuple(sorted(value for value, frequency in values.items() if frequency == top))


def back_check(receiver: Multiset, donor: Multiset) -> tuple[int, ...]:
    """Return the donor's values absent from the receiver that are most frequent in the donor.

    >>> back_check({0: 2, 1: 2}, {0: 3, 2: 1, 3: 1})
    (2, 3)
    >>> back_check({0: 2, 1: 2}, {0: 3, 1: 1})
    ()
    """
    new = {value: frequency for value, frequency in donor.items() if value not in receiver}
    return most_frequent_values(new) if new else ()


def cross_check(last: Multiset, previous: Multiset) -> tuple[tuple[int, int], ...]:
    """Return the pairs of most frequent values of two classes, each absent from the other class.

    >>> cross_check({0: 2, 1: 2}, {2: 2, 1: 1, 3: 1})
    ((0, 2),)
    """
    return tuple(
        (x, y)
        for x in most_frequent_values(last)
        if x not in previous
        for y in most_frequent_values(previous)
        if y not in last
    )


def swap(
    receiver: Multiset, donor: Multiset, x: int, y: int
) -> tuple[dict[int, int], dict[int, int]]:
    """Return both classes after one x of the receiver and one y of the donor are exchanged.

    >>> swap({0: 2}, {1: 1, 2: 1}, 0, 1)
    ({0: 1, 1: 1}, {2: 1, 0: 1})
    """
    return _move(receiver, x, y), _move(donor, y, x)


def add_noise(values: Multiset, value: int) -> dict[int, int]:
    """Return the class with one more row of a value.

    >>> add_noise({0: 2}, 1)
    {0: 2, 1: 1}
    """
    return {**values, value: values.get(value, 0) + 1}


def absent(values: Multiset, domain: Iterable[int]) -> Iterator[int]:
    """Return the values of a domain that a class does not have, in the domain's order.

    >>> list(absent({0: 2}, [2, 0, 1]))
    [2, 1]
    """
    return (value for value in domain if value not in values)


def reinforcement(frequencies: tuple[int, ...], threshold: Threshold) -> tuple[int, ...]:
    """Return how many noise rows of each value bring a class that holds every value to V ≥ θ.

    Copies of the most frequent value are added as long as V rises; if that is not enough, the
    rarest value gets one row more, and again. Both only ever add rows, and they end: once the
    other values are level at c rows, V depends on c and the count t of the most frequent one only,
    and its supremum (2d − 1)²/36 over all classes of d values is attained at a ratio t/c, which
    some c and t beyond any given ones have.

    The frequencies, of two values at least, are in falling order; θ is at most (2d − 1)²/36 and not
    per class.

    >>> reinforcement((4, 4, 1), Threshold(Fraction(1, 2), 4))
    (0, 0, 2)
    """
    counts = list(frequencies)
    theta = threshold.at(threshold.k)
    while True:
        size = sum(counts)
        first = sum(x * f for x, f in enumerate(counts, 1))
        second = sum(x * x * f for x, f in enumerate(counts, 1))
        best, best_size = -1, 1
        # V is concave along the way to a class of one value: once it falls, it keeps falling.
        while (scaled := size * second - first * first) * best_size**2 > best * size**2:
            if scaled * theta.denominator >= theta.numerator * size**2:
                counts[0] += size - sum(counts)
                return tuple(now - was for now, was in zip(counts, frequencies, strict=True))
            best, best_size = scaled, size
            # One more row of weight 1.
            size, first, second = size + 1, first + 1, second + 1
        # The first of the rarest values, so that the frequencies stay in falling order.
        counts[counts.index(counts[-1])] += 1


def _move(values: Multiset, leaves: int, comes: int) -> dict[int, int]:
    moved = {**values, comes: values.get(comes, 0) + 1}
    moved[leaves] -= 1
    return {value: frequency for value, frequency in moved.items() if frequency}
