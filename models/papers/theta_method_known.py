"""What θ-sensitive publications of one class tell whoever has read Algorithm 1.

Source: Khan et al., "θ-Sensitive k-Anonymity", Electronics 2020, 9(5), 716, Algorithm 1, line 43.
"""

from __future__ import annotations

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
    waiting: list[Multiset] = [
        Counter(rows) for rows in combinations_with_replacement(domain, threshold.k)
    ]
    # By content: several tables end in one publication, whose probability counts once.
    published: dict[tuple[tuple[int, int], ...], Multiset] = {}
    while waiting:
        counts = waiting.pop()
        if threshold.passes(counts):
            published[tuple(sorted(counts.items()))] = counts
        else:
            waiting += [add_noise(counts, value) for value in absent(counts, domain)]
    beliefs = (
        method_beliefs([counts], threshold=threshold, shares=shares)
        for counts in published.values()
    )
    return sum((belief.probability for belief in beliefs if belief.certain), Fraction(0))
