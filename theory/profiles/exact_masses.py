"""The masses of a law as rationals, where a tie of δ with one of them has to be decided."""

from collections.abc import Iterable
from fractions import Fraction
from math import comb, lcm

from flint import fmpz_poly

from kproof.theory.laws import FiniteLattice, LatticeLaw, TruncatedBinomial
from kproof.theory.laws.sums import SumOfTerms

MOST_BITS = 1 << 24
"""Most bits of all masses of a sum together."""


def rational_masses(law: LatticeLaw) -> dict[Fraction, Fraction] | None:
    """Return the probability of each value, exactly; None where that is out of reach.

    Tables of probabilities always have one; counts and sums of independent records of such laws
    while their masses have at most 2**24 bits together.

    >>> from kproof.theory.laws import PoissonBinomial
    >>> rational_masses(PoissonBinomial(["1/2", "1/3"]))[Fraction(1)]
    Fraction(1, 2)
    """
    if isinstance(law, FiniteLattice):
        return dict(law.atoms)
    if isinstance(law, TruncatedBinomial):
        return _of_count(law)
    if isinstance(law, SumOfTerms):
        return _of_sum(law)
    return None


def _of_count(law: TruncatedBinomial) -> dict[Fraction, Fraction] | None:
    n, odds, total = law.n, law.p.numerator, law.p.denominator
    if law.points * n * total.bit_length() > MOST_BITS:
        return None
    return _shares(
        (Fraction(j), comb(n, j) * odds**j * (total - odds) ** (n - j)) for j in range(law.k, n + 1)
    )


def _of_sum(law: SumOfTerms) -> dict[Fraction, Fraction] | None:
    bits = 0
    factors = []
    for term, count in law.terms:
        if not isinstance(term, FiniteLattice):
            return None
        common = lcm(*(mass.denominator for _, mass in term.atoms))
        bits += count * common.bit_length()
        factors.append((term, count, common))
    # Before a single product is made, which is what would take the time and the memory.
    if law.points * bits > MOST_BITS:
        return None
    product = fmpz_poly([1])
    for term, count, common in factors:
        weights = {int((x - term.origin) / law.step): int(w * common) for x, w in term.atoms}
        product *= fmpz_poly([weights.get(i, 0) for i in range(max(weights) + 1)]) ** count
    return _shares(
        (law.origin + law.step * i, int(weight)) for i, weight in enumerate(product.coeffs())
    )


def _shares(weights: Iterable[tuple[Fraction, int]]) -> dict[Fraction, Fraction]:
    positive = {value: weight for value, weight in weights if weight}
    total = sum(positive.values())
    return {value: Fraction(weight, total) for value, weight in positive.items()}
