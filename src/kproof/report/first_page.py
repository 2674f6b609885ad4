"""The first page of the report: the decision on one sheet of A4, to be signed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from math import ceil

from markupsafe import Markup

from kproof.models.tables.risk.chances import one_in
from kproof.report.context import BuiltSection, Context
from kproof.report.decision import (
    AttackFigures,
    PublicationDecision,
    Recommendation,
    ReleaseFigures,
)
from kproof.report.page import fragment

_HEADINGS = {
    Recommendation.AS_IT_IS: "Publish as it is",
    Recommendation.WITH_SETTINGS: "Publish with these settings",
    Recommendation.NOT: "Do not publish",
}
_FIGURES: Mapping[str, Callable[[ReleaseFigures], str]] = {
    "alone with what an adversary may know": lambda one: f"{one.alone:,}",
    "people in the smallest group": lambda one: f"{one.smallest:,}",
    "largest chance to pick a person’s row": lambda one: _chance(one.largest),
    "mean chance": lambda one: _chance(one.mean),
}
_MOST = 6
"""Lines of a list that fit; the rest is counted."""


def build(context: Context) -> BuiltSection:
    """Return the page; nothing if nobody asked for a decision."""
    found = context.decision
    if found is None:
        return BuiltSection(Markup())
    heading = _HEADINGS[found.recommendation]
    if found.sent:
        heading = "What was judged of this release"
    elif not found.confirmed:
        heading = "Do not publish yet"
    page = fragment(
        "first_page.html",
        decision=found,
        heading=heading,
        standing=found.recommendation.name.lower().replace("_", "-"),
        exposed=list(_exposed(found)),
        settings=[_setting(found, place) for place in range(len(found.settings))],
        assumed=found.assumed,
        left_out=_fitting(found.left_out),
        questions=_fitting(found.questions),
        roles=found.roles,
    )
    return BuiltSection(page, found.to_dict())


def _exposed(found: PublicationDecision) -> Iterator[tuple[str, str, str]]:
    """Yield what is measured, as it is, and as recommended."""
    before, after = found.as_it_is, found.published
    if before is None:
        return
    for name, figure in _FIGURES.items():
        yield name, figure(before), "" if after is None else figure(after)
    for place, one in enumerate(before.attacks):
        other = None if after is None else after.attacks[place]
        name = f"{one.name.replace('-', ' ')}: {one.summary} ({one.column})"
        yield name, _told(one), "" if other is None else _told(other)


def _chance(value: Fraction | None) -> str:
    if value is None:
        return "nobody is in it"
    return "certain" if value == 1 else f"1 in {one_in(value)}"


def _told(one: AttackFigures) -> str:
    if one.disclosed is None:
        return "not judged: it looks for nobody here"
    sure = "" if one.certainty is None else f", {_certainty(one.certainty)}"
    return f"{one.disclosed:,} of {one.people:,} rows{sure}"


def _certainty(value: Fraction) -> str:
    """Return the probability of the surest bet, rounded up to a tenth of a percent."""
    percent = Fraction(ceil(1000 * value), 10)
    return f"the surest bet at {float(percent):g} %"


def _setting(found: PublicationDecision, place: int) -> dict[str, object]:
    setting = found.settings[place]
    one = setting.candidate
    asked = ", ".join(
        f"{name} = {value}" for name, value in one.parameters.items() if name != "models"
    )
    return {
        "name": f"{one.method}, {asked}",
        "chosen": setting.chosen,
        # The class that decides is for the publisher's eyes, and for another page.
        "problem": one.problem.partition(" (")[0],
        "loss": "" if one.loss is None else f"{100 * one.loss:.1f} %",
        "largest": _chance(one.largest) if not one.problem else "",
        "classes": f"{one.classes:,}" if not one.problem else "",
    }


def _fitting(lines: tuple[str, ...]) -> list[str]:
    """Return as many lines as fit, and how many more there are."""
    if len(lines) <= _MOST:
        return list(lines)
    return [*lines[:_MOST], f"… and {len(lines) - _MOST} more; report.json has all of them."]
