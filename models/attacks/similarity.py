"""Categorical similarity: the values of a class differ, but all are of one category."""

from __future__ import annotations

from fractions import Fraction

from kproof.models.attacks.background import BackgroundKnowledge
from kproof.models.attacks.base import Disclosure, disclosure, needs_categories
from kproof.models.attacks.evidence import PublishedClasses
from kproof.models.attacks.persons import with_persons
from kproof.models.attacks.posteriors import believe


def categorical_similarity(
    evidence: PublishedClasses, *, background: BackgroundKnowledge, tau: Fraction = Fraction(1)
) -> Disclosure:
    """Bet on the most frequent category of a victim's class.

    Definition 5 of the source is ``tau = 1``: all values of a class are of a single category. Where
    people have several rows, each row is judged by itself, and beside it each person
    (:mod:`kproof.models.attacks.persons`).

    Source: R. Khan et al., "θ-Sensitive k-Anonymity", Electronics 9(5), 716, 2020, Definition 5.
    HIV and cancer are of one category in the paper's Table 3:

    >>> import numpy as np
    >>> from kproof.models.base.classes import Classes
    >>> rows = Classes(np.array([0, 0]), 1, np.array([0, 1]), ("Cancer", "HIV"),
    ...                category=np.array([0, 0]), categories=("grave",))
    >>> print(categorical_similarity(PublishedClasses.of(rows), background=BackgroundKnowledge()))
    categorical-similarity: 2 of 2 people disclosed (posterior >= 1); \
worst row 0: grave with probability 1
    """
    category = needs_categories(evidence)
    beliefs = believe(evidence, background).grouped(category)
    result = disclosure("categorical-similarity", evidence, beliefs, tau, categories=True)
    return with_persons(result, evidence, background, tau, category=category)
