"""The judge: every criterion asked of one publication, and none passed over in silence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from kproof.errors import said, shown
from kproof.models.judgement.composition import composition
from kproof.models.judgement.exclusion import exclusion
from kproof.models.judgement.following import following
from kproof.models.judgement.identifying import identifying
from kproof.models.judgement.inference import inference
from kproof.models.judgement.judgement import (
    FindingStanding,
    JudgedCriterion,
    JudgedFinding,
    Judgement,
    Remedy,
    ordered,
)
from kproof.models.judgement.linkage import linkage
from kproof.models.judgement.membership import membership
from kproof.models.judgement.minimality import minimality
from kproof.models.judgement.order import order
from kproof.models.judgement.people import named
from kproof.models.judgement.publication import PublishedFile
from kproof.models.judgement.repeats import repeated
from kproof.models.judgement.secret_sets import repeated_together
from kproof.models.judgement.singling import singling_out
from kproof.models.judgement.thresholds import THRESHOLDS, Audience, Thresholds
from kproof.models.judgement.unpublished import unpublished_known
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
        yield JudgedFinding(
            JudgedCriterion.ROLES, FindingStanding.MET, "somebody said what each column is"
        )


def _about_whom(publication: PublishedFile) -> Iterator[str]:
    """Yield the question whom rows are about, if nobody said and they look like a person's."""
    if publication.person is not None or publication.rows_are_people:
        return
    names = repeated(publication.table) if publication.table else ()
    if names := names or repeated_together(publication):
        yield (
            f"{named(names)} repeats as it does in several rows of one person: name the column "
            f"that says whom rows are about ({said('person')}), or say that every row is a "
            f"person's own ({said('rows_are_people')})"
        )


def inferred(publication: PublishedFile, thresholds: Thresholds) -> Iterator[JudgedFinding]:
    """Yield whose secrets follow from what is published, and from what is known without it."""
    yield from inference(publication, thresholds)
    yield from following(publication, thresholds)
    yield from exclusion(publication, thresholds)


CRITERIA: Mapping[JudgedCriterion, Asking] = {
    JudgedCriterion.ROLES: roles,
    JudgedCriterion.CELLS: identifying,
    JudgedCriterion.SINGLING_OUT: singling_out,
    JudgedCriterion.LINKAGE: linkage,
    JudgedCriterion.ORDER: order,
    JudgedCriterion.INFERENCE: inferred,
    JudgedCriterion.MEMBERSHIP: membership,
    JudgedCriterion.MINIMALITY: minimality,
    JudgedCriterion.COMPOSITION: composition,
}
"""How each criterion is asked; :class:`Criterion` names them all."""


def judge(publication: PublishedFile, *, audience: Audience | str = Audience.PUBLIC) -> Judgement:
    """Judge what an adversary learns from a publication.

    Every criterion is asked. One that finds nothing to say, or has nobody who asks it, is not
    decided, and what is not decided is never published.

    Args:
        publication: What is to leave.
        audience: Whom it is for, see :class:`~kproof.models.judgement.thresholds.Audience`.
    """
    audience = choice("audience", audience, Audience)
    thresholds = THRESHOLDS[audience]
    findings: list[JudgedFinding] = []
    for criterion in JudgedCriterion:
        asking = CRITERIA.get(criterion)
        answers = [] if asking is None else list(asking(publication, thresholds))
        findings += answers or [
            JudgedFinding(criterion, FindingStanding.OPEN, f"{criterion} was not judged")
        ]
    return Judgement(
        findings=ordered(tuple(findings)),
        adversary=adversary_of(publication),
        audience=audience,
        thresholds=thresholds,
        rows=publication.rows,
        people=publication.people,
        unit=publication.unit,
        answered=(*publication.answered, *_on_word(publication)),
    )


def adversary_of(publication: PublishedFile) -> str:
    """Return who is taken to read the release, in a few words."""
    known = (*publication.known, *unpublished_known(publication, ""))
    before = "".join(f" and {shown(release.name)}" for release in publication.earlier)
    return (
        f"somebody who knows {named(column.name for column in known)} of everybody, the source's "
        f"order, the method{before}"
    )


def _on_word(publication: PublishedFile) -> Iterator[str]:
    """Yield what no file can tell, so that whoever publishes answers for it."""
    secrets = [column.name for column in publication.columns if not column.known]
    if publication.person is None:
        yield "every row is about another person"
    if secrets:
        yield f"nobody knows {', '.join(secrets)} of anybody but themselves"
    known = [column.name for column in unpublished_known(publication, "")]
    if secrets and known:
        yield (
            f"nobody tells them from {named(known)}, known though not published, unless one of "
            "these alone settles or rules out a secret, which was judged"
        )
    unknown = [column.name for column in publication.hidden if column.name not in known]
    beside = f": nobody knows {named(unknown)} of them" if unknown else ""
    yield (
        "of a person nobody knows more that stands in the source than the columns named as known"
        f"{beside}"
    )
    texts = [
        column.name
        for column in publication.columns
        if column.secret and column.numbers is None and column.name not in publication.exact
    ]
    if texts:
        yield f"no word of {named(texts)} is somebody's name that no list of names has"
    releases = ", ".join(release.name for release in publication.earlier)
    beside = f" beside {releases}" if releases else ""
    yield f"no other release of the same people is out{beside}"
    if publication.exact:
        names = ", ".join(sorted(publication.exact))
        yield f"no cell of {names} names anybody, and none of its exact numbers is in another list"
