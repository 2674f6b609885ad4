"""Singling out: how likely somebody picks a person's row among those who look the same."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from kproof.models.base.arrays import Codes, Flags
from kproof.models.judgement.findings import FindingStanding, JudgedCriterion, JudgedFinding, Remedy
from kproof.models.judgement.people import (
    PeopleInClasses,
    list_names,
    of_all,
    one_of,
    people_in,
    rows_of,
)
from kproof.models.judgement.publication import PublishedFile
from kproof.models.judgement.thresholds import Thresholds


def find_singled_out(publication: PublishedFile, thresholds: Thresholds) -> Iterator[JudgedFinding]:
    """Find who stands among too few people with the same cells in every known column.

    >>> from kproof.models.judgement.publication import ColumnKnowledge, PublishedColumn
    >>> from kproof.models.judgement.thresholds import THRESHOLDS
    >>> town = PublishedColumn("town", ColumnKnowledge.KNOWN, np.array([0, 0, 1]), ("Bonn", "Ulm"))
    >>> for finding in find_singled_out(PublishedFile((town,)), THRESHOLDS["public"]):
    ...     print(finding.sentence)
    1 of 3 rows can be singled out: no other row shows the same town; all 3 rows can be picked \
with a chance above 1 in 11 (allowed: 0)
    the mean chance of picking somebody is 1 in 1.5 (allowed: 1 in 20)
    """
    people = people_in(publication, "")
    if not people.count:
        yield JudgedCriterion.SINGLING_OUT.met("no row is about anybody")
        return
    fewest = least_crowds(people)
    yield _largest(publication, thresholds, people, fewest)
    yield _mean(publication, thresholds, people, fewest)


def least_crowds(people: PeopleInClasses) -> Codes:
    """Return, shape (people,), the fewest people in a class in which somebody has a row.

    Noise rows make a class no larger: a class has at least as many rows as people, so that the
    chance of her being the right person, 1 in so many, is never the smaller one.
    """
    # A pair for each person and class, so that a class counts people, not rows.
    crowd = np.bincount(people.of_class)[people.of_class]
    return np.minimum.reduceat(crowd, people.starts).astype(np.int64)


def _largest(
    publication: PublishedFile, thresholds: Thresholds, people: PeopleInClasses, fewest: Codes
) -> JudgedFinding:
    above = _above(fewest, thresholds.largest)
    hit, alone = int(above.sum()), int((fewest == 1).sum())
    most = thresholds.above * people.count
    columns = tuple(column.name for column in publication.known)
    largest = Fraction(1, int(fewest.min()))
    shown = f" the same {list_names(columns)}" if columns else " nothing else"
    allowed = f"(allowed: {int(most):,})"
    above_limit = f"can be picked with a chance above {one_of(thresholds.largest)} {allowed}"
    if alone:
        sentence = f"{of_all(alone, publication)} can be singled out"
        sentence += f": no other row shows{shown}"
        sentence += f"; {of_all(hit, publication)} {above_limit}" if hit > alone else f" {allowed}"
    elif hit:
        sentence = f"{of_all(hit, publication)} {above_limit}, at most {one_of(largest)}, among"
        sentence += f" rows that show{shown}"
    else:
        sentence = (
            f"nobody can be picked with a chance above {one_of(largest)} "
            f"(allowed: {one_of(thresholds.largest)}) among rows that show{shown}"
        )
    return JudgedFinding(
        JudgedCriterion.SINGLING_OUT,
        FindingStanding.BROKEN if hit > most else FindingStanding.MET,
        sentence,
        hit=hit,
        people=people.count,
        figure=largest,
        threshold=thresholds.largest,
        columns=columns,
        remedy=Remedy.LARGER_CLASSES if hit > most else None,
        victims=rows_of(people, above),
    )


def _mean(
    publication: PublishedFile, thresholds: Thresholds, people: PeopleInClasses, fewest: Codes
) -> JudgedFinding:
    sizes, having = np.unique(fewest, return_counts=True)
    pairs = zip(having.tolist(), sizes.tolist(), strict=True)
    # By distinct sizes: a sum of a fraction for each of a million people would take long.
    mean = sum((Fraction(*pair) for pair in pairs), Fraction(0)) / people.count
    above = _above(fewest, thresholds.mean)
    broken = mean > thresholds.mean
    return JudgedFinding(
        JudgedCriterion.SINGLING_OUT,
        FindingStanding.BROKEN if broken else FindingStanding.MET,
        f"the mean chance of picking somebody is {one_of(mean)} "
        f"(allowed: {one_of(thresholds.mean)})",
        # A mean is nobody's: what is counted in people comes before it.
        people=people.count,
        figure=mean,
        threshold=thresholds.mean,
        columns=tuple(column.name for column in publication.known),
        remedy=Remedy.LARGER_CLASSES if broken else None,
        victims=rows_of(people, above),
    )


def _above(fewest: Codes, limit: Fraction) -> Flags:
    """Say, shape (people,), whose chance of 1 in so many is above a limit."""
    # Multiplied out: in floats 1/11 against 11 people may fall on either side.
    return np.asarray(fewest * limit.numerator < limit.denominator, dtype=np.bool_)
