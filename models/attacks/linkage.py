"""Linkage: join what is known of a person with what the release shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from kproof.models.attacks.background import BackgroundKnowledge
from kproof.models.attacks.base import Disclosure, disclosure
from kproof.models.attacks.evidence import PublishedClasses
from kproof.models.attacks.persons import with_persons
from kproof.models.attacks.posteriors import believe
from kproof.models.base.verdict import Figure


def linkage(
    evidence: PublishedClasses, *, background: BackgroundKnowledge, tau: Fraction = Fraction(1)
) -> Disclosure:
    """Find the rows that can be a victim's and bet on the most probable value.

    The adversary knows some quasi-identifiers of a victim, values that the victim does not have,
    and the rows of people she knows. Every row of a class that covers what she knows is equally
    likely to be the victim's, as far as the rest leaves it free. ``candidates`` counts the rows
    that fit by quasi-identifiers alone, so that 1/candidates is the chance of identifying the row.

    Sources: L. Sweeney, "k-anonymity: a model for protecting privacy", IJUFKS 10(5), 2002; D.
    Martin, D. Kifer, A. Machanavajjhala, J. Gehrke, J. Halpern, "Worst-case background knowledge
    for privacy-preserving data publishing", ICDE 2007 (random worlds).

    >>> import numpy as np
    >>> from kproof.models.attacks.background import Person
    >>> from kproof.models.base.classes import Classes
    >>> rows = Classes(np.array([0, 0]), 1, np.array([0, 1]), ("Flu", "HIV"))
    >>> knows = BackgroundKnowledge(victims=(Person(row=0, excluded=("HIV",), name="Bob"),))
    >>> print(linkage(PublishedClasses.of(rows), background=knows))
    linkage: 1 of 1 person disclosed (posterior >= 1); worst Bob: Flu with probability 1
    """
    beliefs = believe(evidence, background)
    result = disclosure("linkage", evidence, beliefs, tau)

    def figures(group: int) -> Mapping[str, Figure]:
        return {"identification": Fraction(1, int(beliefs.candidates[group]))}

    return with_persons(replace(result, figures=figures), evidence, background, tau)
