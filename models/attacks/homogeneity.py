"""Homogeneity: everyone in a class has one and the same sensitive value."""

from __future__ import annotations

from fractions import Fraction

from kproof.models.attacks.background import BackgroundKnowledge
from kproof.models.attacks.base import Disclosure, disclosure
from kproof.models.attacks.evidence import PublishedClasses
from kproof.models.attacks.persons import with_persons
from kproof.models.attacks.posteriors import believe


def homogeneity(
    evidence: PublishedClasses, *, background: BackgroundKnowledge, tau: Fraction = Fraction(1)
) -> Disclosure:
    """Bet on the most frequent value of a victim's class.

    With ``tau = 1`` it succeeds exactly where one value is left: the attack that l-diversity was
    made against. A smaller ``tau`` asks for a share, as in (alpha, k)-anonymity. Where people have
    several rows, each row is judged by itself, and beside it each person
    (:mod:`kproof.models.attacks.persons`).

    Source: A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam, "l-diversity: privacy
    beyond k-anonymity", ACM TKDD 1(1), 2007, section 2.1.

    >>> import numpy as np
    >>> from kproof.models.base.classes import Classes
    >>> rows = Classes(np.array([0, 0, 1, 1]), 2, np.array([1, 1, 0, 1]), ("Flu", "HIV"))
    >>> print(homogeneity(PublishedClasses.of(rows), background=BackgroundKnowledge()))
    homogeneity: 2 of 4 people disclosed (posterior >= 1); worst row 0: HIV with probability 1
    """
    result = disclosure("homogeneity", evidence, believe(evidence, background), tau)
    return with_persons(result, evidence, background, tau)
