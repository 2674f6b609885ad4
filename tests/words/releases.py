"""The words about a release beside others, and beside who knows its method."""

from typing import Any

import pandas as pd
from positive import Positive
from shell import kproof

from kproof.models.api import anonymize
from kproof.models.judgement.classes.membership import membership
from kproof.models.judgement.classes.minimality import minimality
from kproof.models.judgement.reading import of_release
from kproof.models.judgement.thresholds import THRESHOLDS, Audience
from kproof.models.privacy.diversity import DistinctL

_MARKED = {"suppress": "60%", "suppressed": "mark"}
_ROLES = ("--qi", "Class", "--sensitive", "Disease", "--person", "ID")


def _told(ills: str, **asked: Any) -> str:
    """Return what is said of people of a few zips, in which classes were formed by their ills."""
    frame = pd.DataFrame({"zip": list("AAABBBC"[: len(ills)]), "ill": list(ills)})
    release = anonymize(
        "full-domain", frame, quasi_identifiers=["zip"], sensitive="ill", k=3, **asked
    )
    publication = of_release(release, from_known_alone=False)
    return " ".join(one.sentence for one in minimality(publication, THRESHOLDS[Audience.PUBLIC]))


def _of_theta(method: str, asking: Any, **asked: Any) -> str:
    """Return what is said of forty people, a third of whom have the same ill."""
    frame = pd.DataFrame(
        {"age": range(40), "ill": list("FFFFFFHCAHCAHCAHCAHCAHCAHCAHCAHCAHCAFFFF")}
    )
    release = anonymize(
        method, frame, quasi_identifiers=["age"], sensitive="ill", k=4, mu="1/3", **asked
    )
    publication = of_release(release, from_known_alone=False)
    return " ".join(one.sentence for one in asking(publication, THRESHOLDS[Audience.PUBLIC]))


ROWS = (
    Positive(
        word="nobody is found out beside",
        printed_by="`kproof compose`",
        modules=("kproof.models.judgement.releases.composition",),
        judged="Nobody has a secret value that follows, or whose chance gains one half, from her "
        "classes in both releases and not from one of them alone, and no rows join that single "
        "her out.",
        mutant="people are put together in another way",
        holds=lambda: kproof("compose", "table-4a", "table-4a", *_ROLES, columns=200).out,
        turns=lambda: kproof("compose", "table-4a", "table-4b", *_ROLES, columns=200).out,
    ),
    Positive(
        word="nobody in the file is found out by anyone who forms the classes",
        printed_by="the judgement of a release",
        modules=("kproof.models.judgement.classes.minimality",),
        judged="Of everybody in a class that secrets had a say in, another table in which she has "
        "another value is published the same; by what is counted nobody's chance gains one half.",
        mutant="a block can have broken the rule in one way only",
        holds=lambda: _told("aaabbb", models=[DistinctL(2)]),
        turns=lambda: _told("aaabccb", models=[DistinctL(2)], **_MARKED),
    ),
    Positive(
        word="learns no more of it than it shows",
        printed_by="the judgement of a release by theta-withheld",
        modules=("kproof.models.judgement.classes.minimality",),
        judged="The chance that a class is shown is the same for all tables in which it holds the "
        "same values (Rocq: `published_same`).",
        mutant="a class that fails is repaired",
        holds=lambda: _of_theta("theta-withheld", minimality),
        turns=lambda: _of_theta("theta-sensitive", minimality, form="order"),
    ),
    Positive(
        word="absence raises no chance",
        printed_by="the judgement of a release by theta-withheld",
        modules=("kproof.models.judgement.classes.membership",),
        judged="Whoever's rows were left out has each value with a chance of s/(s + ρ(1 − s)) at "
        "most, s its share (Rocq: `withheld_belief`), and hardly anybody's gains one half.",
        mutant="only classes that fail are withheld",
        holds=lambda: _of_theta("theta-withheld", membership),
        turns=lambda: _of_theta("theta-withheld", membership, withhold="1/1000"),
    ),
)
