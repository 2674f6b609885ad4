"""Bets on what is likeliest in a class: a value, a category, whatever is left of linked rows."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from math import comb

import numpy as np

from kproof.models.attacks.background import BackgroundKnowledge, Matching
from kproof.models.attacks.base import Disclosure, Secret, disclosure, needs_categories
from kproof.models.attacks.evidence import PublishedClasses
from kproof.models.attacks.posteriors import believe
from kproof.models.base.arrays import Codes
from kproof.models.base.verdict import Figure


def homogeneity(
    evidence: PublishedClasses, *, background: BackgroundKnowledge, tau: Fraction = Fraction(1)
) -> Disclosure:
    """Bet on the most frequent value of a victim's class.

    With ``tau = 1`` it succeeds exactly where one value is left: the attack that l-diversity was
    made against. A smaller ``tau`` asks for a share, as in (alpha, k)-anonymity. Where people have
    several rows, each row is judged by itself, and beside it each person
    (:func:`with_persons`).

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


def categorical_similarity(
    evidence: PublishedClasses, *, background: BackgroundKnowledge, tau: Fraction = Fraction(1)
) -> Disclosure:
    """Bet on the most frequent category of a victim's class.

    Definition 5 of the source is ``tau = 1``: all values of a class are of a single category. Where
    people have several rows, each row is judged by itself, and beside it each person
    (:func:`with_persons`).

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
    beliefs = believe(evidence, background).by_category(category)
    result = disclosure("categorical-similarity", evidence, beliefs, tau, categories=True)
    return with_persons(result, evidence, background, tau, category=category)


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


def with_persons(
    result: Disclosure,
    evidence: PublishedClasses,
    background: BackgroundKnowledge,
    tau: Fraction,
    *,
    category: Codes | None = None,
) -> Disclosure:
    """Return what an attack found of rows, and beside it the people it discloses.

    Are there fewer rows without a value than a person has in the class, one of theirs has it. That
    is judged where nothing is known, missing or added, so that the rows of a class are anybody's
    alike; elsewhere the answer says that it was not. ``category``, shape (values,), is that of each
    value, if that is what is disclosed.
    """
    if not result.scope.several:
        return result
    noun = "category" if result.target is Secret.CATEGORY else "value"
    informed = background.informed or background.victims is not None
    added = evidence.classes.real is not None or background.matching is not Matching.CLASS
    if informed or added or evidence.missing is not None:
        remark = (
            f"whether one of a person's several rows has a {noun} was not judged, but with nothing "
            "known, missing or added"
        )
        return replace(result, remarks=(*result.remarks, remark))
    persons, of = _count_disclosed(evidence, tau, category)
    whom = "person" if of == 1 else "people"
    sentence = f"{persons} of {of} {whom} disclosed: one of their rows in a class has some {noun}"
    remark = f"{sentence} with probability >= {tau}"
    return replace(result, persons=persons, remarks=(*result.remarks, remark))


def _count_disclosed(
    evidence: PublishedClasses, tau: Fraction, category: Codes | None
) -> tuple[int, int]:
    """Return how many people are disclosed, of how many.

    Of m rows of a class c have a value, and n are a person's, any n alike: one of these has the
    value with probability 1 - C(m - c, n) / C(m, n). Rows in several classes are each judged by
    themselves.
    """
    table, people = evidence.histogram(noise=True), evidence.classes.people
    if category is None:
        # Every class has a row, so that no run is empty.
        commonest = np.maximum.reduceat(table.counts, table.starts[:-1])
    else:
        by_category = np.zeros((len(table.sizes), int(category.max()) + 1), dtype=np.int64)
        np.add.at(by_category, (table.classes, category[table.values]), table.counts)
        commonest = by_category.max(axis=1)
    kinds = (table.sizes[people.classes], commonest[people.classes], people.rows)
    # A fraction for each distinct case: thousands of people have the same three numbers.
    cases, case = np.unique(np.stack(kinds, axis=1), axis=0, return_inverse=True)
    certain = [_chance(*map(int, case)) >= tau for case in cases]
    exposed = np.array(certain, dtype=np.bool_)[case.reshape(-1)]
    return len(np.unique(people.persons[exposed])), len(np.unique(people.persons))


def _chance(rows: int, having: int, picked: int) -> Fraction:
    """Return how likely one of so many own rows is among those that have a value.

    >>> _chance(4, 2, 2), _chance(4, 3, 2)
    (Fraction(5, 6), Fraction(1, 1))
    """
    return 1 - Fraction(comb(rows - having, picked), comb(rows, picked))
