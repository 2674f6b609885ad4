"""Membership: what it tells of people that their rows were left out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kproof.models.judgement.findings import FindingStanding, JudgedCriterion, JudgedFinding, Remedy
from kproof.models.judgement.publication import PublishedFile
from kproof.models.judgement.thresholds import Thresholds


def membership(publication: PublishedFile, _: Thresholds) -> Iterator[JudgedFinding]:
    """Find whether absence tells a secret; the adversary knows who is in the source.

    A row that was left out shows no secret. Which rows are left out tells nothing more if that was
    settled by what is known of everybody, or drawn at random. A rule that looked at secrets tells
    that it failed for these, and how much that is depends on the rule: nobody counts it here. Rows
    that are published with a mark stand in a class of their own, and are judged there.

    >>> from kproof.models.judgement.publication import Making
    >>> from kproof.models.judgement.thresholds import THRESHOLDS
    >>> made = PublishedFile((), making=Making("mondrian", from_known_alone=True))
    >>> print(next(membership(made, THRESHOLDS["public"])).sentence)
    who is left out was settled by what is known of everybody: absence tells no secret
    """
    making, people, absent = publication.making, publication.people, None
    table, source_row = publication.table, publication.source_row
    if table is not None and source_row is not None:
        persons = np.arange(table.rows) if table.person is None else table.person.codes
        left_out = np.ones(table.rows, dtype=np.bool_)
        left_out[source_row[source_row >= 0]] = False
        absent, people = len(np.unique(persons[left_out])), len(np.unique(persons))
    if absent == 0 or (making is not None and making.method == "as-is"):
        standing, sentence = FindingStanding.MET, "nobody's row was left out"
    elif making is None:
        standing = FindingStanding.OPEN
        sentence = "nobody can say whose rows were left out, and why: nobody said how it was made"
    elif making.from_known_alone:
        standing = FindingStanding.MET
        sentence = (
            "who is left out was settled by what is known of everybody: absence tells no secret"
        )
    else:
        standing = FindingStanding.OPEN
        many = "rows" if absent is None else f"rows of {absent:,} of {people:,} {publication.unit}"
        rule = "a rule that looks at secrets: what absence tells was not counted"
        sentence = f"{many} may have been left out by {rule}"
    met = standing is FindingStanding.MET
    yield JudgedFinding(
        JudgedCriterion.MEMBERSHIP,
        standing,
        sentence,
        hit=0 if met else absent or 0,
        people=people,
        remedy=None if met else Remedy.FROM_KNOWN,
    )
