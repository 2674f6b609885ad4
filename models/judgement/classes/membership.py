"""Membership: what it tells of people that their rows were left out."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from kproof.models.judgement.findings import FindingStanding, JudgedCriterion, JudgedFinding, Remedy
from kproof.models.judgement.publication import PublishedFile
from kproof.models.judgement.thresholds import GUESSED, Thresholds
from kproof.models.tables.release import Release
from kproof.models.tables.theta.withheld import largest_belief


def membership(publication: PublishedFile, thresholds: Thresholds) -> Iterator[JudgedFinding]:
    """Find whether absence tells a secret; the adversary knows who is in the source.

    A row that was left out shows no secret. Which rows are left out tells nothing more if that was
    settled by what is known of everybody, or drawn at random. A rule that looked at secrets tells
    that it failed for these, and how much that is depends on the rule: nobody counts it here. Rows
    that are published with a mark stand in a class of their own, and are judged there.

    >>> from kproof.models.judgement.publication import Making
    >>> from kproof.models.judgement.thresholds import THRESHOLDS
    >>> made = PublishedFile((), making=Making("mondrian", from_known_alone=True))
    >>> print(next(membership(made, THRESHOLDS["public"])).sentence)
    known columns alone decided who is left out: absence tells no secret
    """
    making, people, absent = publication.making, publication.people, None
    table, source_row = publication.table, publication.source_row
    if table is not None and source_row is not None:
        # By the source: of the people in the file alone nobody is absent.
        persons = np.arange(table.rows) if table.person is None else table.person.codes
        left_out = np.ones(table.rows, dtype=np.bool_)
        left_out[source_row[source_row >= 0]] = False
        # Whoever lost one of several rows is told of by that, too.
        absent, people = len(np.unique(persons[left_out])), len(np.unique(persons))
    if absent == 0 or (making is not None and making.method == "as-is"):
        standing, sentence = FindingStanding.MET, "nobody's row was left out"
    elif making is None:
        standing = FindingStanding.OPEN
        sentence = "nobody said how it was made, so nobody knows whose rows were left out, and why"
    elif making.from_known_alone:
        standing = FindingStanding.MET
        sentence = "known columns alone decided who is left out: absence tells no secret"
    elif making.release is not None and making.method == "theta-withheld":
        yield _coins(publication, making.release, thresholds, people)
        return
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


def _coins(
    publication: PublishedFile, release: Release, thresholds: Thresholds, people: int
) -> JudgedFinding:
    """Judge rows that were left out as their classes failed, or by a coin.

    >>> import pandas as pd
    >>> from kproof.models.judgement.reading import of_release
    >>> from kproof.models.judgement.thresholds import THRESHOLDS
    >>> from kproof.models.tables.table import Table
    >>> from kproof.models.tables.theta.withheld import theta_withheld
    >>> frame = pd.DataFrame({"age": range(12), "illness": [*"FFFHFHCAFHCA"]})
    >>> table = Table.from_frame(frame, quasi_identifiers=["age"], sensitive="illness")
    >>> seeded = of_release(theta_withheld(table, k=4, seed=3))
    >>> print(next(membership(seeded, THRESHOLDS["public"])).sentence)
    rows were left out by coins that anyone with their seed knows
    """
    (secret,) = release.table.secrets
    rows = len(secret.codes)
    # As it was typed: a float 0.2 is above 1/5.
    coin = Fraction(str(release.parameters["withhold"]))
    counts = np.bincount(secret.codes, minlength=len(secret.values)).tolist()
    shares = [Fraction(count, rows) for count in counts]
    beliefs = [largest_belief(share, coin) for share in shares]
    sure = [
        share < thresholds.common and belief >= share + thresholds.gain
        for share, belief in zip(shares, beliefs, strict=True)
    ]
    hit = int(np.array(sure)[secret.codes[release.suppressed]].sum())
    standing = FindingStanding.MET
    sentence = (
        f"rows were left out as their classes failed or by a coin of chance {coin}: absence raises "
        f"no chance to more than {max(beliefs)}"
    )
    if beside := [earlier.name for earlier in publication.earlier]:
        # What several releases withhold is in their difference, and each multiplies the odds.
        standing, hit = FindingStanding.OPEN, len(release.suppressed)
        sentence = f"what rows that were left out show beside {', '.join(beside)} was not counted"
    elif release.parameters["seed"] is not None:
        standing, hit = FindingStanding.OPEN, len(release.suppressed)
        sentence = "rows were left out by coins that anyone with their seed knows"
    elif hit > thresholds.bets * people:
        standing = FindingStanding.BROKEN
        sentence = (
            f"{hit:,} of {people:,} {publication.unit} may have a secret that can be {GUESSED} by "
            f"anyone who knows that their classes failed, or a coin of chance {coin} fell"
        )
    met = standing is FindingStanding.MET
    return JudgedFinding(
        JudgedCriterion.MEMBERSHIP,
        standing,
        sentence,
        hit=0 if met else hit,
        people=people,
        figure=max(beliefs) if met else Fraction(hit, max(people, 1)),
        threshold=None if met else thresholds.bets,
        remedy=None if met else Remedy.FROM_KNOWN,
    )
