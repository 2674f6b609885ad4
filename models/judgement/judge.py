"""The judge: every criterion asked of one publication, and none passed over in silence."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from kproof.errors import show, spell
from kproof.models.judgement.cells.identifying import find_identifying
from kproof.models.judgement.classes.linkage import linkage
from kproof.models.judgement.classes.membership import membership
from kproof.models.judgement.classes.minimality import minimality
from kproof.models.judgement.classes.order import order
from kproof.models.judgement.classes.singling import find_singled_out
from kproof.models.judgement.findings import (
    FindingStanding,
    JudgedCriterion,
    JudgedFinding,
    Judgement,
    Remedy,
    sort_findings,
)
from kproof.models.judgement.people import list_names, people_in, remember_by_column, with_pseudonym
from kproof.models.judgement.publication import PublishedFile
from kproof.models.judgement.releases.composition import composition
from kproof.models.judgement.rows.repeats import find_repeats
from kproof.models.judgement.secrets.exclusion import exclusion
from kproof.models.judgement.secrets.following import find_following
from kproof.models.judgement.secrets.inference import find_inferred_of_rows, inference
from kproof.models.judgement.secrets.learned import find_learned
from kproof.models.judgement.secrets.secret_sets import find_repeats_together
from kproof.models.judgement.secrets.views import columns_not_published
from kproof.models.judgement.thresholds import THRESHOLDS, Audience, Thresholds
from kproof.theory.exact.typed import choice

Asking = Callable[[PublishedFile, Thresholds], Iterable[JudgedFinding]]
"""A criterion: what it finds in a publication."""


def roles(publication: PublishedFile, _: Thresholds) -> Iterator[JudgedFinding]:
    """Yield what somebody has to answer before anything of the publication may be decided."""
    questions = [*publication.unconfirmed, *_about_whom(publication)]
    for sentence in questions:
        yield JudgedFinding(
            JudgedCriterion.ROLES, FindingStanding.OPEN, sentence, remedy=Remedy.CONFIRM
        )
    if not questions:
        yield JudgedCriterion.ROLES.met("somebody said what each column is")


def _about_whom(publication: PublishedFile) -> Iterator[str]:
    """Yield the question whom rows are about, if nobody said and they look like a person's."""
    if publication.person is not None or publication.rows_are_people:
        return
    names = find_repeats(publication.table) if publication.table else ()
    if names := names or find_repeats_together(publication):
        yield (
            f"{list_names(names)} repeats as it does in several rows of one person: name the "
            f"column that says whom rows are about ({spell('person')}), or say that every row is a "
            f"person's own ({spell('rows_are_people')})"
        )


def find_inferred(publication: PublishedFile, thresholds: Thresholds) -> Iterator[JudgedFinding]:
    """Yield whose secrets follow from what is published, and from what is known without it."""
    yield from inference(publication, thresholds)
    yield from find_following(publication, thresholds)
    yield from find_learned(publication, thresholds)
    yield from exclusion(publication, thresholds)


CRITERIA: Mapping[JudgedCriterion, Asking] = {
    JudgedCriterion.ROLES: roles,
    JudgedCriterion.CELLS: find_identifying,
    JudgedCriterion.SINGLING_OUT: find_singled_out,
    JudgedCriterion.LINKAGE: linkage,
    JudgedCriterion.ORDER: order,
    JudgedCriterion.INFERENCE: find_inferred,
    JudgedCriterion.MEMBERSHIP: membership,
    JudgedCriterion.MINIMALITY: minimality,
    JudgedCriterion.COMPOSITION: composition,
}
"""How each criterion is asked; :class:`Criterion` names them all."""


def judge(publication: PublishedFile, *, audience: Audience | str = Audience.PUBLIC) -> Judgement:
    """Judge what an adversary learns from a publication.

    Every criterion is asked. One that finds nothing to say, or has nobody who asks it, is not
    decided, and what is not decided is never published.
    """
    audience = choice("audience", audience, Audience)
    thresholds = THRESHOLDS[audience]
    findings: list[JudgedFinding] = []
    for criterion in JudgedCriterion:
        asking = CRITERIA.get(criterion)
        answers = [] if asking is None else list(asking(publication, thresholds))
        # Fail closed: a criterion that nobody asks, or that says nothing, is open.
        findings += answers or [
            JudgedFinding(criterion, FindingStanding.OPEN, f"{criterion} was not judged")
        ]
        # What is broken of people stays so: rows could only add to it, and say it twice.
        if criterion in BY_ROW and not _select_broken(answers):
            findings += _by_row(BY_ROW[criterion], publication, thresholds)
    return Judgement(
        findings=sort_findings(tuple(findings)),
        adversary=adversary_of(publication),
        audience=audience,
        thresholds=thresholds,
        rows=publication.rows,
        people=publication.people,
        unit=publication.unit,
        answered=(*publication.answered, *_on_word(publication)),
    )


BY_ROW: Mapping[JudgedCriterion, Asking] = {
    JudgedCriterion.CELLS: find_identifying,
    JudgedCriterion.SINGLING_OUT: find_singled_out,
    JudgedCriterion.LINKAGE: linkage,
    JudgedCriterion.INFERENCE: find_inferred_of_rows,
    JudgedCriterion.MEMBERSHIP: membership,
    JudgedCriterion.MINIMALITY: minimality,
}
"""What is asked of rows as well where somebody said whose they are: all that counts people, but for
what rows of one person would make look like a household, or like a rule."""


def _select_broken(findings: Iterable[JudgedFinding]) -> list[JudgedFinding]:
    return [finding for finding in findings if finding.standing is FindingStanding.BROKEN]


def _by_row(
    asking: Asking, publication: PublishedFile, thresholds: Thresholds
) -> list[JudgedFinding]:
    """Return what a criterion finds broken if nobody says whom rows are about.

    A few people with many rows are a small share of people and a large one of rows: to say whose
    rows are never makes a release safer.
    """
    if publication.person is None:
        return []
    alone = _rows_alone(publication, "")
    one_each = not people_in(publication, "").several and (publication.persons >= 0).all()
    # With a row each, rows are the people who were judged; only a pseudonym, which is looked for
    # where nobody says whose rows are, would still make a difference.
    if one_each and with_pseudonym(alone) is alone:
        return []
    return _select_broken(asking(alone, thresholds))


@remember_by_column
def _rows_alone(publication: PublishedFile, _: str) -> PublishedFile:
    # Noise stays nobody's: a row for each person would otherwise make classes safer.
    own = np.arange(publication.rows, dtype=np.int64)
    noise = publication.persons < 0
    return replace(publication, person=np.where(noise, -1, own) if noise.any() else None)


def adversary_of(publication: PublishedFile) -> str:
    """Return who is taken to read the release, in a few words."""
    columns = (*publication.known, *columns_not_published(publication, ""))
    names = list_names(column.name for column in columns)
    *further, last = (
        "the row order of the source",
        "the method",
        *(show(release.name) for release in publication.earlier),
    )
    return f"an attacker who knows {names} of everybody, {', '.join(further)} and {last}"


def _on_word(publication: PublishedFile) -> Iterator[str]:
    """Yield what no file can tell, so that whoever publishes answers for it."""
    secrets = [column.name for column in publication.columns if not column.known]
    if publication.person is None:
        yield "every row is about a different person"
    if secrets:
        yield f"nobody knows another person's {', '.join(secrets)}"
    known_names = [column.name for column in columns_not_published(publication, "")]
    if secrets and known_names:
        yield (
            f"secrets do not follow from {list_names(known_names)}, known though not published; "
            "judged was only whether one or two of these or a formula give a secret, one rules it "
            "out, or classes teach what goes with one"
        )
    unknown = [column.name for column in publication.hidden if column.name not in known_names]
    beside = f", and nobody knows {list_names(unknown)}" if unknown else ""
    yield f"nobody knows more of the source than the columns named as known{beside}"
    texts = [
        column.name
        for column in publication.columns
        if column.secret and column.numbers is None and column.name not in publication.exact
    ]
    if texts:
        yield (
            f"no cell of {list_names(texts)} names a person by one word alone, or by a name that "
            "no list of names has"
        )
    making = publication.making
    # Its bound holds for one draw of coins, against who knows no totals: no file shows either.
    if making is not None and making.method == "theta-withheld":
        names = list_names(secrets)
        yield f"it was run once, and nobody knows how often {names} has each value in all"
    releases = ", ".join(release.name for release in publication.earlier)
    beside = f" beside {releases}" if releases else ""
    yield f"no other release about the same people exists{beside}"
    if publication.exact:
        names = ", ".join(sorted(publication.exact))
        yield f"no cell of {names} names a person, and none of its exact numbers is in another list"
