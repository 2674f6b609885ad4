"""Homogeneity: everyone in a class has one and the same sensitive value."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import comb

import numpy as np

from kproof.models.attacks.background import BackgroundKnowledge, Matching
from kproof.models.attacks.base import Disclosure, disclosure
from kproof.models.attacks.evidence import PublishedClasses
from kproof.models.attacks.posteriors import believe


def homogeneity(
    evidence: PublishedClasses, *, background: BackgroundKnowledge, tau: Fraction = Fraction(1)
) -> Disclosure:
    """Bet on the most frequent value of a victim's class.

    With ``tau = 1`` it succeeds exactly where one value is left: the attack that l-diversity was
    made against [1]_. A smaller ``tau`` asks for a share, as in (alpha, k)-anonymity.

    Where people have several rows, each row is judged by itself, and beside it each person: are
    there fewer rows without a value than the person has in the class, one of theirs has it.

    Parameters
    ----------
    evidence
        Published classes.
    background
        Whom the adversary looks for and what she knows.
    tau
        A person is disclosed when the bet's probability is at least this.

    References
    ----------
    .. [1] A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam, "l-diversity: privacy
       beyond k-anonymity", ACM TKDD 1(1), 2007, section 2.1.

    Examples
    --------
    >>> import numpy as np
    >>> from kproof.models.base.classes import Classes
    >>> rows = Classes(np.array([0, 0, 1, 1]), 2, np.array([1, 1, 0, 1]), ("Flu", "HIV"))
    >>> print(homogeneity(PublishedClasses.of(rows), background=BackgroundKnowledge()))
    homogeneity: 2 of 4 people disclosed (posterior >= 1); worst row 0: HIV with probability 1
    """
    found = disclosure("homogeneity", evidence, believe(evidence, background), tau)
    if not found.scope.several:
        return found
    if not _plain(evidence, background):
        told = "whether one of a person's several rows has a value was not judged, but with nothing"
        return replace(found, remarks=(f"{told} known, missing or added",))
    persons, of = _persons_disclosed(evidence, tau)
    whom = "person" if of == 1 else "people"
    told = f"{persons} of {of} {whom} disclosed: one of their rows in a class has some value"
    return replace(found, persons=persons, remarks=(f"{told} with probability >= {tau}",))


def _plain(evidence: PublishedClasses, background: BackgroundKnowledge) -> bool:
    """Say whether every row of a class is any person's alike."""
    known = background.informed or background.members or background.victims is not None
    added = evidence.classes.real is not None or background.matching is not Matching.CLASS
    return not (known or added or evidence.missing is not None)


def _persons_disclosed(evidence: PublishedClasses, tau: Fraction) -> tuple[int, int]:
    """Return how many people are disclosed, of how many.

    Of m rows of a class c have a value, and n are a person's, any n alike: one of these has the
    value with probability 1 - C(m - c, n) / C(m, n). Rows in several classes are each judged by
    themselves.
    """
    table, people = evidence.histogram(noise=True), evidence.classes.people
    most = np.maximum.reduceat(table.counts, table.starts[:-1])
    cases, case = np.unique(
        np.stack([table.sizes[people.classes], most[people.classes], people.rows], axis=1),
        axis=0,
        return_inverse=True,
    )
    certain = [_chance(*map(int, one)) >= tau for one in cases]
    exposed = np.array(certain, dtype=np.bool_)[case.reshape(-1)]
    return len(np.unique(people.persons[exposed])), len(np.unique(people.persons))


def _chance(rows: int, having: int, own: int) -> Fraction:
    """Return how likely one of so many own rows is among those that have a value.

    Examples
    --------
    >>> _chance(4, 2, 2), _chance(4, 3, 2)
    (Fraction(5, 6), Fraction(1, 1))
    """
    return 1 - Fraction(comb(rows - having, own), comb(rows, own))
