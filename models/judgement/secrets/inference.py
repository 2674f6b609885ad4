"""Inference: of whom a secret value follows from the release, or may be betted on."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from kproof.errors import show
from kproof.models.base.arrays import Flags
from kproof.models.base.columns import group_codes
from kproof.models.judgement.findings import FindingStanding, JudgedCriterion, JudgedFinding, Remedy
from kproof.models.judgement.people import (
    PeopleInClasses,
    list_names,
    of_all,
    people_in,
    rows_of,
    with_pseudonym,
)
from kproof.models.judgement.publication import ColumnKnowledge, PublishedColumn, PublishedFile
from kproof.models.judgement.secrets.beliefs import SecretBeliefs, SecretValues, Sure, surely
from kproof.models.judgement.secrets.belonging import groups_in
from kproof.models.judgement.secrets.changing import flag_unsure_changes, with_gaps
from kproof.models.judgement.secrets.joined import MOST_PAIRS, JoinedRows, join_rows
from kproof.models.judgement.secrets.views import views
from kproof.models.judgement.thresholds import GUESSED, Thresholds


def inference(publication: PublishedFile, thresholds: Thresholds) -> Iterator[JudgedFinding]:
    """Find of whom a secret is certain, and of whom somebody may be sure, column by column.

    >>> from kproof.models.judgement.thresholds import THRESHOLDS
    >>> town = PublishedColumn("town", ColumnKnowledge.KNOWN, np.array([0, 0, 1]), ("Bonn", "Ulm"))
    >>> ill = PublishedColumn("ill", ColumnKnowledge.SECRET, np.array([0, 0, 1]), ("flu", "cold"))
    >>> print(next(inference(PublishedFile((town, ill)), THRESHOLDS["public"])).sentence)
    ill of all 3 rows is certain for anyone who knows town of everybody
    """
    yield from find_inferred_of_rows(publication, thresholds)
    for together in groups_in(publication, ""):
        yield from _infer(together.groups, thresholds, group=str(together))


def find_inferred_of_rows(
    publication: PublishedFile, thresholds: Thresholds
) -> Iterator[JudgedFinding]:
    """Find what is inferred of people, and of what a pseudonym makes people, but not of groups."""
    yield from _infer(publication, thresholds)
    linked = with_pseudonym(publication)
    # Nobody is sure that it says whose rows are: what holds if it does not is judged as well.
    if linked is not publication:
        yield from _infer(linked, thresholds)


def _infer(
    publication: PublishedFile, thresholds: Thresholds, *, group: str = ""
) -> Iterator[JudgedFinding]:
    """Find what is inferred of people, or of groups that a column of the source makes of them."""
    people, secrets = people_in(publication, ""), publication.secrets
    joined = join_rows(publication, "")
    if not secrets or not people.count:
        empty = "no column was said to be secret" if people.count else "no row is about anybody"
        yield JudgedCriterion.INFERENCE.met(f"{empty}: nothing is inferred")
        return
    if joined.pairs > MOST_PAIRS:
        yield JudgedFinding(
            JudgedCriterion.INFERENCE,
            FindingStanding.OPEN,
            f"putting all rows of {people.count:,} people together takes {joined.pairs:,} steps, "
            f"more than {MOST_PAIRS:,}: leave out {list_names(joined.fixed)}, or round it",
            people=people.count,
            columns=joined.fixed,
            remedy=Remedy.LEAVE_OUT,
        )
        return
    for column in secrets:
        # Of what is known and secret at once she lacks the cells, or nothing were left to infer.
        rows = join_rows(publication, column.name) if column.known else joined
        certain: dict[str, Flags] = {}
        bet: dict[str, Flags] = {}
        for view in views(column):
            sure = _sure(rows, view, thresholds)
            # Several views have one reading, such as dates in either order of day and month.
            for by_reading, flags in ((certain, sure.certain), (bet, sure.bet)):
                by_reading[view.reading] = flags | by_reading.get(view.reading, flags)
        sure_of = _conclude(publication, (column.name,), rows.people, certain, Fraction(0), group)
        yield _with_common(sure_of, rows, column, thresholds)
        yield _conclude(publication, (column.name,), rows.people, bet, thresholds.bets, group)
    unknown = [column for column in secrets if not column.known]
    if len(unknown) > 1:
        # Each of several values may be what nearly everybody has, and all of them together rare.
        every = _sure(joined, _together(unknown, publication.rows), thresholds)
        names = tuple(column.name for column in unknown)
        for flags, limit in ((every.certain, Fraction(0)), (every.bet, thresholds.bets)):
            yield _conclude(publication, names, joined.people, {"": flags}, limit, group)


def _with_common(
    finding: JudgedFinding, rows: JoinedRows, column: PublishedColumn, thresholds: Thresholds
) -> JudgedFinding:
    """Return a finding that also says who is in a class where all have what nearly everybody has.

    >>> from kproof.models.judgement.thresholds import THRESHOLDS
    >>> town = PublishedColumn("town", ColumnKnowledge.KNOWN, np.arange(40) // 20, ("Bonn", "Ulm"))
    >>> bad = (np.arange(40) < 2).astype(np.int64)
    >>> credit = PublishedColumn("credit", ColumnKnowledge.SECRET, bad, ("good", "bad"))
    >>> finding = next(inference(PublishedFile((town, credit)), THRESHOLDS["public"]))
    >>> finding.hit, finding.common, finding.sentence.partition(", and ")[2]
    (0, 20, '20 certainly have what nine in ten have')
    """
    counts = np.bincount(column.codes[column.codes >= 0], minlength=1)
    value = int(counts.argmax())
    common, of_row = thresholds.common, rows.class_of_row
    # Of all rows, empty ones too: a gap is not what nearly everybody has.
    rare = counts[value] * common.denominator < len(column.codes) * common.numerator
    if column.atoms is not None or rare:
        return finding
    every = np.ones(int(of_row.max(initial=-1)) + 1, dtype=np.bool_)
    every[of_row[column.codes != value]] = False
    if not (count := int(rows.people.any_class(every).sum())):
        return finding
    words = f"{count:,} certainly have what nine in ten have"
    return replace(finding, sentence=f"{finding.sentence}, and {words}", common=count)


def _together(secrets: Sequence[PublishedColumn], rows: int) -> PublishedColumn:
    """Return several columns as one, in which rows are alike that show the same in all."""
    codes, count = group_codes([column.key for column in secrets], rows)
    return PublishedColumn("", ColumnKnowledge.SECRET, codes, tuple(map(str, range(count))))


def _sure(joined: JoinedRows, column: PublishedColumn, thresholds: Thresholds) -> Sure:
    """Say, shape (people,), whose value somebody is too sure of, under either window."""
    of_row, count = joined.class_of_row, int(joined.class_of_row.max(initial=-1)) + 1
    people = joined.people
    # Whose secrets for good never change is judged by all of her rows together, below.
    alone = ~joined.steady if people.several else np.ones(people.count, dtype=np.bool_)
    certain, bet = np.zeros((2, people.count), dtype=np.bool_)
    # Of what nearly everybody has nobody is certain, and no chance can be far above its share.
    every = SecretValues.each(column, thresholds.window)
    windows = [values for values in every if not values.common(thresholds.common)]
    if not windows:
        return Sure(certain, bet)
    # A window changes what is summed up, not what a row weighs: counted once for all.
    beliefs = SecretBeliefs.count(of_row, column.codes, count, windows[0])
    by_class = [surely(beliefs, values, thresholds) for values in windows]
    sure = [
        Sure(people.any_class(flags.certain) & alone, people.any_class(flags.bet) & alone)
        for flags in by_class
    ]
    if people.several and joined.settles(column):
        sure += [joined.constant(column, values, thresholds) for values in windows]
    elif people.several:
        if (column.reading or (column.codes < 0).any()) and windows[0].single:
            sure += [with_gaps(joined, column, values, thresholds) for values in windows]
        sure.append(flag_unsure_changes(joined, column, windows, thresholds))
    for flags in sure:
        certain, bet = certain | flags.certain, bet | flags.bet
    return Sure(certain, bet)


def _conclude(
    publication: PublishedFile,
    names: tuple[str, ...],
    people: PeopleInClasses,
    by_reading: Mapping[str, Flags],
    limit: Fraction,
    group: str,
) -> JudgedFinding:
    """Say of how many people, or groups, a value is too sure, by what finds most of them."""
    # Whoever is found out under any reading: an adversary need not choose one.
    flagged = np.logical_or.reduce([*by_reading.values()])
    most_telling = max(by_reading, key=lambda reading: int(by_reading[reading].sum()))
    hit, allowed = int(flagged.sum()), limit * people.count
    known_names = (column.name for column in publication.known if column.name not in names)
    who = f"anyone who knows {list_names(known_names)} of everybody"
    if group:
        who += f", and {group}"
    elif people.several:
        who += " and puts all rows of a person together"
    word = f"can be {GUESSED} (allowed: {int(allowed):,}) by" if limit else "is certain for"
    whom = of_all(hit, publication)
    whom = f"{hit:,} of {people.count:,} such groups" if group else whom
    subject = f"{most_telling}{' and '.join(map(show, names))} of {whom}"
    return JudgedFinding(
        JudgedCriterion.INFERENCE,
        FindingStanding.BROKEN if hit > allowed else FindingStanding.MET,
        f"{subject} {word} {who}",
        hit=hit,
        people=people.count,
        figure=Fraction(hit, people.count),
        threshold=limit,
        columns=names,
        remedy=Remedy.LARGER_CLASSES if hit > allowed else None,
        victims=rows_of(people, flagged),
    )
