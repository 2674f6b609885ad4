"""What θ-sensitive publications of one class tell whoever has read Algorithm 1.

Source: Khan et al., "θ-Sensitive k-Anonymity", Electronics 2020, 9(5), 716, Algorithm 1, line 43.
"""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations_with_replacement

from kproof.models.attacks.knowing.beliefs import method_beliefs
from kproof.models.base.parameters import GROUP_K, REACHABLE_MU
from kproof.models.tables.theta.moves import Multiset, Threshold, absent, add_noise
from kproof.theory.exact.typed import Number, integer
from kproof.theory.reading import Reading


def noise_recognised(
    frequencies: Sequence[int],
    *,
    k: int,
    values: int,
    mu: Number = "3/5",
    reading: Reading | str = Reading.CORRECTED,
) -> tuple[Fraction, Fraction]:
    """Return the surest bet on somebody in a class, without the algorithm and with it.

    Args:
        frequencies: Of the values in the class as it was published, noise included.
        k: People in it.
        values: Of the domain, each as likely as any other.
        mu: Of the threshold.
        reading: Of Algorithm 1.

    >>> noise_recognised([4, 1, 1, 1], k=4, values=5)
    (Fraction(4, 7), Fraction(1, 1))
    """
    threshold = Threshold(REACHABLE_MU.read(mu), GROUP_K.read(k))
    shares = [Fraction(1, values)] * values
    published = dict(enumerate(frequencies))
    beliefs = method_beliefs([published], threshold=threshold, shares=shares, reading=reading)
    return Fraction(max(frequencies), sum(frequencies)), beliefs.largest


def certain_share(*, k: int, mu: Number, values: int) -> Fraction:
    """Return the share of tables of one class after which everybody's value is certain.

    Over all tables of k rows and all ties, every one as likely as any other.

    >>> certain_share(k=2, mu="1/2", values=3)
    Fraction(1, 3)
    """
    domain = range(integer("values", values, least=2))
    threshold = Threshold(REACHABLE_MU.read(mu), GROUP_K.read(k))
    shares = [Fraction(1, len(domain))] * len(domain)
    todo: list[Multiset] = [
        Counter(rows) for rows in combinations_with_replacement(domain, threshold.k)
    ]
    published: dict[tuple[tuple[int, int], ...], Multiset] = {}
    while todo:
        held = todo.pop()
        if threshold.passes(held):
            published[tuple(sorted(held.items()))] = held
        else:
            todo += [add_noise(held, value) for value in absent(held, domain)]
    beliefs = (
        method_beliefs([held], threshold=threshold, shares=shares) for held in published.values()
    )
    return sum((known.probability for known in beliefs if known.certain), Fraction(0))
