"""Linkage: whether a published column shows which rows are one person's, and so whose they are."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from kproof.models.base.columns import group_codes
from kproof.models.judgement.findings import FindingStanding, JudgedCriterion, JudgedFinding, Remedy
from kproof.models.judgement.people import list_names, of_all, one_of, rows_of, with_pseudonym
from kproof.models.judgement.publication import PublishedFile
from kproof.models.judgement.secrets.joined import join_rows
from kproof.models.judgement.thresholds import Thresholds


def linkage(publication: PublishedFile, thresholds: Thresholds) -> Iterator[JudgedFinding]:
    """Find who is picked by all of their rows together.

    A person's rows are linked if they share secrets that nobody else has: a pseudonym, a bib, an
    account, or an exact pay that is the same in every row. Whoever has as many rows in every class
    is as likely to be the person.

    >>> from kproof.models.judgement.publication import ColumnKnowledge, PublishedColumn
    >>> from kproof.models.judgement.thresholds import THRESHOLDS
    >>> visits = np.array([0, 1, 0, 0])
    >>> month = PublishedColumn("month", ColumnKnowledge.KNOWN, visits, ("May", "June"))
    >>> bib = PublishedColumn("bib", ColumnKnowledge.SECRET, np.array([0, 0, 1, 1]), ("7", "8"))
    >>> shown = PublishedFile((month, bib), person=np.array([0, 0, 1, 1]))
    >>> print(next(linkage(shown, THRESHOLDS["public"])).sentence)
    all 2 people can be picked with a chance above 1 in 11 (allowed: 0), because bib shows which \
rows are one person's; 2 can be singled out: nobody else has rows with the same month
    """
    publication = with_pseudonym(publication)
    joined = join_rows(publication, "")
    people = joined.people
    if not people.several:
        yield JudgedCriterion.LINKAGE.met("no two rows are about one person", people.count)
        return
    real = people.of_row >= 0
    # Noise that shows the same secrets hides whose they are.
    holder, count = group_codes(
        [(joined.secret, joined.tuples), (people.of_row + 1, people.count + 1)], publication.rows
    )
    # Each pair of a secret and its holder once: a secret in one pair alone is one person's own.
    secret_of_holder = np.zeros(count, dtype=np.int64)
    secret_of_holder[holder] = joined.secret
    own = np.bincount(secret_of_holder)[joined.secret] == 1
    linked = np.zeros(people.count, dtype=np.bool_)
    linked[people.of_row[own & real]] = True
    # Somebody with one row has nothing to be linked, and who changes is not followed by it.
    linked &= joined.steady & (people.rows_of_person > 1)
    signature, _ = people.signatures
    fewest = np.bincount(signature)[signature]
    limit = thresholds.largest
    above = linked & np.asarray(fewest * limit.numerator < limit.denominator)
    hit, alone = int(above.sum()), int((linked & (fewest == 1)).sum())
    most = thresholds.above * people.count
    broken = hit > most or alone > 0
    secrets = list_names(joined.fixed)
    known_names = list_names(column.name for column in publication.known)
    if not linked.any():
        sentence = "no secret shows which rows are one person's"
    elif hit:
        sentence = (
            f"{of_all(hit, publication)} can be picked with a chance above {one_of(limit)} "
            f"(allowed: {int(most):,}), because {secrets} shows which rows are one person's"
        )
        if alone:
            sentence += (
                f"; {alone:,} can be singled out: nobody else has rows with the same {known_names}"
            )
    else:
        sentence = f"{secrets} shows which rows are one person's, and nobody is picked by that"
    yield JudgedFinding(
        JudgedCriterion.LINKAGE,
        FindingStanding.BROKEN if broken else FindingStanding.MET,
        sentence,
        hit=hit,
        people=people.count,
        figure=Fraction(1, int(fewest[linked].min())) if linked.any() else None,
        threshold=limit,
        columns=joined.fixed,
        remedy=Remedy.LEAVE_OUT if broken else None,
        victims=rows_of(people, above),
    )
