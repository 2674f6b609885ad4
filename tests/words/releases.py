"""The words about a release beside others, and beside who knows its method."""

from typing import Any

import pandas as pd
from positive import rows
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


ROWS = rows(
    "releases",
    nobody_is_found_out=(
        lambda: kproof("compose", "table-4a", "table-4a", *_ROLES, columns=200).out,
        lambda: kproof("compose", "table-4a", "table-4b", *_ROLES, columns=200).out,
    ),
    nobody_in_the_file=(
        lambda: _told("aaabbb", models=[DistinctL(2)]),
        lambda: _told("aaabccb", models=[DistinctL(2)], **_MARKED),
    ),
    learns_no_more=(
        lambda: _of_theta("theta-withheld", minimality),
        lambda: _of_theta("theta-sensitive", minimality, form="order"),
    ),
    absence_raises_no_chance=(
        lambda: _of_theta("theta-withheld", membership),
        lambda: _of_theta("theta-withheld", membership, withhold="1/1000"),
    ),
)
