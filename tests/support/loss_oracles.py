"""Two worlds as tables of rationals: every outcome listed, nothing shared with kproof."""

from collections import defaultdict
from collections.abc import Hashable, Mapping
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product

Masses = Mapping[Hashable, Fraction]

NONE = Fraction(0)
EPSILONS = ("0", "0.3", "1", "2.5")


def all_laws(points: int, parts: int) -> list[dict[Hashable, Fraction]]:
    """Return every law on some points whose masses are multiples of 1 over ``parts``."""
    return [
        {point: Fraction(count, parts) for point, count in enumerate(counts) if count}
        for counts in product(range(parts + 1), repeat=points)
        if sum(counts) == parts
    ]


def exp_between(epsilon: str) -> tuple[Fraction, Fraction]:
    """Return two rationals with e^ε between them, some 1e-70 apart."""
    with localcontext() as context:
        context.prec = 80
        near = Fraction(Decimal(epsilon).exp())
    if epsilon == "0":
        return Fraction(1), Fraction(1)
    return near * (1 - Fraction(1, 10**70)), near * (1 + Fraction(1, 10**70))


def one_way(first: Masses, second: Masses, scale: Fraction) -> Fraction:
    """Return the sum of all positive P - scale Q."""
    places = {*first, *second}
    return sum((max(first.get(x, NONE) - scale * second.get(x, NONE), NONE) for x in places), NONE)


def delta_between(first: Masses, second: Masses, epsilon: str) -> tuple[Fraction, Fraction]:
    """Return two rationals with δ of both directions between them."""
    low, high = exp_between(epsilon)
    return (
        max(one_way(first, second, high), one_way(second, first, high)),
        max(one_way(first, second, low), one_way(second, first, low)),
    )


def together(*laws: Masses) -> dict[Hashable, Fraction]:
    """Return the joint law of independent draws."""
    found = {(): Fraction(1)}
    for law in laws:
        found = {(*x, y): u * v for x, u in found.items() for y, v in law.items()}
    return dict(found)


def summed(*laws: Masses) -> dict[Hashable, Fraction]:
    """Return the law of the sum of independent numbers."""
    found = defaultdict(Fraction)
    for drawn, mass in together(*laws).items():
        found[sum(drawn)] += mass
    return dict(found)


def moved(law: Masses, by: int) -> dict[Hashable, Fraction]:
    """Return the law of a number that is so much larger."""
    return {x + by: mass for x, mass in law.items()}


def mixed(rate: Fraction, first: Masses, second: Masses) -> dict[Hashable, Fraction]:
    """Return the first law at the rate, else the second."""
    return {
        x: rate * first.get(x, NONE) + (1 - rate) * second.get(x, NONE) for x in {*first, *second}
    }
