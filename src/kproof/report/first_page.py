"""The first page of the report: the decision on one sheet of A4, to be signed."""

from collections.abc import Iterator
from fractions import Fraction
from textwrap import wrap

from markupsafe import Markup

from kproof.models.judgement.findings import (
    FindingStanding,
    JudgedCriterion,
    JudgedFinding,
    Judgement,
)
from kproof.models.judgement.thresholds import GUESSED
from kproof.models.publishing.published import percent
from kproof.models.tables.risk.chances import share_of
from kproof.report.context import BuiltSection, Context, fragment
from kproof.report.decision import PublicationDecision

_MOST = 6
"""Lines of a list that fit; the rest is counted."""


def build(context: Context) -> BuiltSection:
    """Return the page; nothing if nobody asked for a decision."""
    decision = context.decision
    if decision is None:
        return BuiltSection(Markup())
    judgement = decision.judgement
    release = decision.published if decision.with_settings else None
    page = fragment(
        "first_page.html",
        decision=decision,
        standing=decision.outcome.name.lower(),
        judged=list(_criteria(decision)),
        release=release,
        tried=list(_settings_tried(decision)),
        costs=() if release is None else _first_lines(release.advice),
        answered=() if judgement is None else judgement.answered,
        limits="" if judgement is None else _limits(judgement),
        questions=_first_lines(decision.questions),
    )
    return BuiltSection(page, decision)


def decision_svg(decision: PublicationDecision) -> Markup:
    """Return the criteria of the page as a picture, for light and dark screens."""
    settings = decision.published.settings if decision.published is not None else ""
    source = f"{decision.source.name}, {decision.rows} rows"
    costs = settings.partition(";")[2].strip() if decision.with_settings else ""
    return fragment(
        "decision.svg",
        heading=decision.heading,
        source=source,
        # As many signs as the widest fonts have room for: SVG breaks no lines.
        lines=wrap(f"{source}: {costs}", 76),
        rows=list(_criteria(decision)),
    )


def _settings_tried(decision: PublicationDecision) -> Iterator[tuple[str, str, str, bool]]:
    """Yield settings, what their labels cost, what was judged, and which one was chosen."""
    release = decision.published
    if release is None:
        return
    for attempt in release.attempts[-_MOST:]:
        setting = f"groups of {attempt.k}"
        if attempt.left_out:
            setting += f" without {', '.join(attempt.left_out)}"
        for column, step in attempt.rounded.items():
            setting += f", {column} rounded to {step}"
        ruling = attempt.outcome + (f": {attempt.worst}" if attempt.worst else "")
        chosen = decision.with_settings and attempt == release.setting
        yield setting, percent(attempt.loss), ruling, chosen


def _criteria(decision: PublicationDecision) -> Iterator[tuple[JudgedCriterion, str, str]]:
    """Yield each criterion, and how the table and the release stand under it."""
    release = decision.published if decision.with_settings else None
    for criterion in JudgedCriterion:
        before = "" if decision.as_it_is is None else _worst(decision.as_it_is, criterion)
        after = "" if release is None else _worst(release.judgement, criterion)
        if criterion is JudgedCriterion.ROLES and not decision.confirmed:
            # Judged of roles that are only proposed, it says nothing of them.
            before, after = (words and "not confirmed" for words in (before, after))
        if before or after:
            yield criterion, before, after


def _worst(judgement: Judgement, criterion: JudgedCriterion) -> str:
    """Return the worst of what was found under a criterion, in a few words."""
    under_criterion = judgement.under(criterion)
    return _words(under_criterion[0], judgement.unit) if under_criterion else ""


def _words(finding: JudgedFinding, unit: str) -> str:
    if finding.standing is FindingStanding.BROKEN and finding.hit:
        return share_of(finding.hit, finding.people, unit)
    figure = "" if finding.figure is None else f" ({_rational(finding.figure)})"
    return f"{finding.standing.value}{figure}"


def _rational(value: Fraction) -> str:
    """Return a chance as people say it, never smaller than it is."""
    if value.numerator == 1 and value.denominator > 1:
        return f"1 in {value.denominator:,}"
    # The floor of the negative is the ceiling, of whole numbers: a float could come out below.
    percent = Fraction(-((-1000 * value.numerator) // value.denominator), 10)
    return f"{float(percent):g} %"


def _limits(judgement: Judgement) -> str:
    limits = judgement.thresholds
    return (
        f"{judgement.audience.value}: no secret is certain, no linked rows single anybody out; "
        f"a row is picked with a chance of at most {_rational(limits.largest)}, of more for "
        f"{_rational(limits.above)} of {judgement.unit}, and of {_rational(limits.mean)} on "
        f"average; a secret of {_rational(limits.bets)} can be {GUESSED}"
    )


def _first_lines(lines: tuple[str, ...]) -> list[str]:
    """Return as many lines as fit, and how many more there are."""
    if len(lines) <= _MOST:
        return list(lines)
    return [*lines[:_MOST], f"… and {len(lines) - _MOST} more; report.json has all of them."]
