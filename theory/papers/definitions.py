"""What the definitions of the bounds paper leave open, in numbers.

Definition 2 does not say whether the victim's own record is part of what is random; Definition 1
measures the size of a set and is used as the distance by which a sum moves.
"""

from kproof.theory.exact.typed import Number, integer, rational
from kproof.theory.laws import Binomial, FiniteLattice, iid
from kproof.theory.profiles import exact


def two_readings(n: int, p: Number, epsilon: Number) -> tuple[str, str]:
    """Return the exact delta of a count of n records, and of the n - 1 other ones.

    ``n``: records, at least 2, each 1 with probability p. ``p``: 0 < p < 1. ``epsilon``: at least
    0.

    >>> two_readings(20, "1/2", 1)
    ('0.004632498', '0.005673852')
    >>> two_readings(1, "1/2", 1)
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: n = 1: need a whole number n >= 2
    """
    size = integer("n", n, least=2)
    laws = (Binomial(size, p), Binomial(size - 1, p))
    with_record, without = (str(exact(law, shift=1, epsilon=epsilon)) for law in laws)
    return with_record, without


def two_shifts(n: int, p: Number, largest: int, epsilon: Number) -> tuple[str, str]:
    """Return the exact delta of a sum of n records of 0 or ``largest``, by two shifts.

    The first is 1, a set that grows by one user; the second is what that user adds to the sum.
    ``n``, ``p``, ``epsilon``: as in :func:`two_readings`. ``largest``: the value of a record that
    is not 0, at least 2.

    >>> two_shifts(100, "1/2", 10, 1)
    ('1', '8.002551e-8')
    """
    value = integer("largest", largest, least=2)
    chance = rational("p", p, above=0, below=1)
    record = FiniteLattice({0: 1 - chance, value: chance})
    total = iid(record, integer("n", n, least=1))
    by_one, by_largest = (str(exact(total, shift=shift, epsilon=epsilon)) for shift in (1, value))
    return by_one, by_largest
