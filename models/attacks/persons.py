"""Who is disclosed where people have several rows: one of theirs has the value, by counting."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import comb

import numpy as np

from kproof.models.attacks.background import BackgroundKnowledge, Matching
from kproof.models.attacks.base import Disclosure, Secret
from kproof.models.attacks.evidence import PublishedClasses
from kproof.models.base.arrays import Codes


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
    informed = background.informed or background.members or background.victims is not None
    added = evidence.classes.real is not None or background.matching is not Matching.CLASS
    if informed or added or evidence.missing is not None:
        sentence = f"whether one of a person's several rows has a {noun} was not judged"
        return replace(result, remarks=(*result.remarks, f"{sentence}, but with nothing {_KNOWN}"))
    persons, of = _count_disclosed(evidence, tau, category)
    whom = "person" if of == 1 else "people"
    sentence = f"{persons} of {of} {whom} disclosed: one of their rows in a class has some {noun}"
    remark = f"{sentence} with probability >= {tau}"
    return replace(result, persons=persons, remarks=(*result.remarks, remark))


_KNOWN = "known, missing or added"


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
        commonest = np.maximum.reduceat(table.counts, table.starts[:-1])
    else:
        by_category = np.zeros((len(table.sizes), int(category.max()) + 1), dtype=np.int64)
        np.add.at(by_category, (table.classes, category[table.values]), table.counts)
        commonest = by_category.max(axis=1)
    kinds = (table.sizes[people.classes], commonest[people.classes], people.rows)
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
