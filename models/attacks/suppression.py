"""Suppression: who fits no published class is known to be among the rows that were left out."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from kproof.errors import DataError, InvalidArgument, show
from kproof.models.attacks.background import BackgroundKnowledge, Matching, Person
from kproof.models.attacks.base import Disclosure, disclosure
from kproof.models.attacks.covering import Coded, Integers, Mask, Shown, blocks, profiles
from kproof.models.attacks.evidence import PublishedClasses
from kproof.models.attacks.knowledge import Knowledge, columns_of_background
from kproof.models.attacks.posteriors import believe
from kproof.models.base.arrays import Codes
from kproof.models.base.classes import SUPPRESSED_ROWS
from kproof.models.base.missing import text
from kproof.theory.exact.typed import integer

KNOWN = "known"
"""Totals that are those of the microdata."""


def suppression(
    evidence: PublishedClasses,
    *,
    background: BackgroundKnowledge,
    tau: Fraction = Fraction(1),
    totals: Mapping[object, object] | str | None = None,
) -> Disclosure:
    """Find people whose rows were left out, and bet on the most probable value of those rows.

    The adversary knows that a victim is in the source table; where people are found by class, she
    knows whose rows were left out. A victim whom no published class covers is known to be
    suppressed, and nobody else is judged. If suppressed rows are published with a mark, the
    victim's is one of them. If they were dropped, nothing is learned of the value, unless she knows
    how often each value occurs in the source table: what is not published is the values of the
    dropped rows. Every one of these rows is equally likely to be the victim's, as far as what she
    knows of people's values leaves it free.

    ``totals`` says how often each sensitive value occurs in the source table: by value, as text
    (``"HIV=3,Flu=9"``), or ``"known"`` to take it from the microdata. Noise rows that she takes for
    real ones tell her nothing of it.

    >>> from kproof.models.base.classes import Classes
    >>> rows = Classes(np.array([0, 0, 0]), 1, np.array([0, 1, 1]), ("Flu", "HIV"))
    >>> release = PublishedClasses(rows, np.array([0, 0, 0, -1]), np.array([0, 1, 1, 1]))
    >>> knows = BackgroundKnowledge()
    >>> print(suppression(release, background=knows, totals={"Flu": 1, "HIV": 3}))
    suppression: 1 of 1 person disclosed (posterior >= 1); worst row 3: HIV with probability 1; \
3 people fit a published class and were not judged
    """
    before = evidence
    if totals is not None:
        counts = _counts(evidence, totals)
        evidence = _complete(evidence, counts - _count_by_value(evidence, background))
    victims, covered = _left_out(evidence, background)
    beliefs = believe(evidence, replace(background, victims=victims))
    result = disclosure("suppression", evidence, beliefs, tau)
    remarks = []
    if covered:
        fit, were = ("fits", "was") if covered == 1 else ("fit", "were")
        remarks.append(f"{result.counted(covered)} {fit} a published class and {were} not judged")
    if victims and totals is None and before.hidden is None:
        remarks.append(
            f"{len(victims)} known to be left out; of values in rows that were dropped nothing is "
            "learned without their totals (totals)"
        )
    return replace(result, remarks=tuple(remarks))


def _left_out(
    evidence: PublishedClasses, background: BackgroundKnowledge
) -> tuple[tuple[Person, ...], int]:
    """Return the victims who fit no class but that of the suppressed rows; how many others do."""
    hidden = -1 if evidence.hidden is None else evidence.hidden
    if background.victims is not None:
        # Labels alone say who fits: nobody has to be placed for that, and no contradiction matters.
        uninformed = replace(background, victims=None, members=())
        places = Knowledge(evidence, uninformed)
        unmatched = tuple(
            person for person in background.victims if not np.any(places.classes(person) != hidden)
        )
        return unmatched, len(background.victims) - len(unmatched)
    unknown = np.ones(len(evidence.class_of), dtype=np.bool_)
    unknown[[person.row for person in background.members if person.row is not None]] = False
    persons = np.flatnonzero(unknown).astype(np.int64)
    if background.matching is Matching.CLASS:
        class_of = evidence.class_of[persons]
        fits = (class_of >= 0) & (class_of != hidden)
    else:
        alike = profiles(columns_of_background(evidence, background), persons)
        fits_of_profile = np.zeros(len(alike.codes), dtype=np.bool_)
        for profile, covering in blocks(alike, evidence.classes.count):
            fits_of_profile[profile[covering != hidden]] = True
        fits = fits_of_profile[alike.of_person]
    people = tuple(Person(row=row) for row in persons[~fits].tolist())
    return people, int(np.count_nonzero(fits))


def _counts(evidence: PublishedClasses, totals: Mapping[object, object] | str) -> Codes:
    """Return, shape (values,), how often each sensitive value occurs in the source table."""
    values = len(evidence.classes.values)
    if totals == KNOWN:
        if not evidence.microdata:
            raise InvalidArgument("totals", totals, "VALUE=COUNT,...; no microdata are at hand")
        return np.bincount(evidence.actual, minlength=values).astype(np.int64)
    counts = np.zeros(values, dtype=np.int64)
    for value, count in _pairs(totals):
        counts[evidence.value_code(value)] += integer(f"totals of {value}", count, least=0)
    return counts


def _pairs(totals: Mapping[object, object] | str) -> list[tuple[object, object]]:
    if isinstance(totals, Mapping):
        return list(totals.items())
    pairs: list[tuple[object, object]] = []
    for part in str(totals).split(","):
        # At the last sign: a value may have one itself.
        value, sign, count = part.rpartition("=")
        if not sign or not value.strip():
            raise InvalidArgument("totals", totals, "VALUE=COUNT,VALUE=COUNT,... or known")
        pairs.append((value.strip(), count.strip()))
    return pairs


def _count_by_value(evidence: PublishedClasses, background: BackgroundKnowledge) -> Codes:
    """Return, shape (values,), how often each value is published of real people."""
    real = evidence.classes.real
    if real is not None and not real.all() and not background.noise_recognised:
        admissible = "an adversary who tells noise rows from real ones, or a release without any"
        raise InvalidArgument("totals", "given", admissible)
    return evidence.histogram(noise=False).totals


def _complete(evidence: PublishedClasses, missing: Codes) -> PublishedClasses:
    """Return the evidence with the values of dropped rows, as a class that anybody may be in."""
    if missing.min(initial=0) < 0:
        code = int(np.argmin(missing))
        value = show(text(evidence.classes.values[code]))
        raise DataError(f"totals: {-int(missing[code])} more rows have {value} than there are")
    rows = int(missing.sum())
    # Marked rows are a class already: a second one would count them twice.
    if not rows or evidence.hidden is not None:
        return evidence
    classes, last = evidence.classes, evidence.classes.count
    added = np.repeat(np.arange(len(missing)), missing)
    true = np.ones(rows, dtype=np.bool_)
    sensitive = np.zeros(0, dtype=np.int64) if classes.sensitive is None else classes.sensitive

    def label(index: int) -> str:
        return SUPPRESSED_ROWS if index == last else classes.label(index)

    return replace(
        evidence,
        classes=replace(
            classes,
            of_row=np.append(classes.of_row, np.full(rows, last)),
            count=last + 1,
            sensitive=np.append(sensitive, added),
            real=None if classes.real is None else np.append(classes.real, true),
            # Whose the rows are that were left out is not known.
            person=None if classes.person is None else np.append(classes.person, np.full(rows, -1)),
            judged=None if classes.judged is None else np.append(classes.judged, true),
            label=label,
        ),
        class_of=np.where(evidence.class_of < 0, last, evidence.class_of),
        columns=tuple(_with_any(column, last) for column in evidence.columns),
        hidden=last,
    )


@dataclass(frozen=True)
class _WithAny(Coded):
    """A published column with one more class, which covers every value."""

    shown: Coded
    last: int
    """The class that covers every value."""

    @property
    def alone(self) -> Codes:
        return np.append(self.shown.alone, -1)

    def reach(self, classes: Codes, low: Integers, high: Integers) -> Mask:
        anything = classes == self.last
        # Low > high is true of nothing: it gives the mask the shape of all three.
        reached: Mask = anything | (low > high)
        # Without a class before the last there is none to look up in its place.
        if self.last:
            reached |= self.shown.reach(np.where(anything, 0, classes), low, high)
        return reached


def _with_any(column: Shown, last: int) -> Shown:
    def covers(value: object) -> Mask:
        return np.append(column.covering(value), True)

    if isinstance(column, Coded):
        return _WithAny(column.name, covers, column.codes, column, last)
    return Shown(column.name, covers)
