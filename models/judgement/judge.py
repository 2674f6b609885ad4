"""The judge: every criterion asked of one publication, and none passed over in silence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from kproof.models.judgement.composition import composition
from kproof.models.judgement.inference import inference
from kproof.models.judgement.judgement import (
    Criterion,
    Finding,
    Judgement,
    Remedy,
    Standing,
    ordered,
)
from kproof.models.judgement.linkage import linkage
from kproof.models.judgement.membership import membership
from kproof.models.judgement.minimality import minimality
from kproof.models.judgement.order import order
from kproof.models.judgement.publication import Publication
from kproof.models.judgement.singling import singling_out
from kproof.models.judgement.thresholds import THRESHOLDS, Audience, Thresholds
from kproof.theory.exact.typed import choice

Asking = Callable[[Publication, Thresholds], Iterable[Finding]]
"""A criterion: what it finds in a publication."""

CRITERIA: Mapping[Criterion, Asking] = {
    Criterion.SINGLING_OUT: singling_out,
    Criterion.LINKAGE: linkage,
    Criterion.ORDER: order,
    Criterion.INFERENCE: inference,
    Criterion.MEMBERSHIP: membership,
    Criterion.MINIMALITY: minimality,
    Criterion.COMPOSITION: composition,
}
"""How each criterion is asked; :class:`Criterion` names them all."""


def judge(publication: Publication, *, audience: Audience | str = Audience.PUBLIC) -> Judgement:
    """Judge what an adversary learns from a publication.

    Every criterion is asked. One that finds nothing to say, or has nobody who asks it, is not
    decided, and what is not decided is never published.

    Parameters
    ----------
    publication
        What is to leave.
    audience
        Whom it is for, see :class:`~kproof.models.judgement.thresholds.Audience`.
    """
    audience = choice("audience", audience, Audience)
    thresholds = THRESHOLDS[audience]
    findings = [
        Finding(criterion, Standing.OPEN, sentence, remedy=Remedy.CONFIRM)
        for criterion, sentence in _unanswered(publication)
    ]
    for criterion in Criterion:
        asking = CRITERIA.get(criterion)
        answers = [] if asking is None else list(asking(publication, thresholds))
        findings += answers or [Finding(criterion, Standing.OPEN, f"{criterion} was not judged")]
    return Judgement(
        findings=ordered(tuple(findings)),
        adversary=adversary_of(publication),
        audience=audience,
        thresholds=thresholds,
        rows=publication.rows,
        people=publication.people,
        unit=publication.unit,
        answered=publication.answered,
    )


def _unanswered(publication: Publication) -> Iterable[tuple[Criterion, str]]:
    """Yield what somebody has to confirm first; it stands before every other question."""
    return [(Criterion.CELLS, sentence) for sentence in publication.unconfirmed]


def adversary_of(publication: Publication) -> str:
    """Return who reads the release, and what she then does not learn, in one sentence."""
    known = ", ".join(column.name for column in publication.known) or "no column"
    earlier = len(publication.earlier)
    releases = "no earlier release" if not earlier else f"{earlier} earlier release(s)"
    return (
        f"an adversary who knows {known} of everybody, the method, and {releases} singles out "
        "nobody and is certain of no secret value of anybody"
    )
