"""A badge of one run of the property suite: SVG for a page, or JSON for a service that draws it.

A badge stands far from its conditions, so it says how much was tried, and never more than that.
"""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import TYPE_CHECKING

from kproof.errors import InvalidArgument
from kproof.report.context import fragment

if TYPE_CHECKING:
    from kproof.proptests.results import Results

_COLOURS = {"kept": "#2b7a3d", "broken": "#b3261e", "open": "#5f6368"}
_LABEL = "kproof"
_CHARACTER, _MARGIN = 6.6, 10
"""Pixels of a character at 11 px, about; texts are set to the exact width."""


def require_badge(name: str) -> None:
    """Refuse a file that is neither SVG nor JSON."""
    if PurePath(name).suffix.lower() not in (".svg", ".json"):
        raise InvalidArgument("badge", name, "a file that ends with .svg or .json")


def message_of(results: Results) -> str:
    """Return what the badge says.

    *No fault* is said if every promise was judged and no check fails, expected or not; the number
    of cases is the smallest that the checks of one promise judged.
    """
    broken = [result.check.name for result in results if result.broken or result.violation]
    if broken:
        # Also what was expected: a reader of the badge expects no failure.
        first, *more = broken
        return f"broken: {first}" + (f" and {len(more)} more" if more else "")
    if results.answer.value == "open":
        return "not judged"
    promises = results.subject.promises
    judged = [
        max(result.judged for result in results if result.check.answers_for(promise))
        for promise in promises
        if any(result.check.answers_for(promise) for result in results)
    ]
    cases = min(judged, default=max(result.judged for result in results))
    return f"no fault in {cases:,} {'case' if cases == 1 else 'cases'} ({results.profile})"


def badge_of(results: Results, name: str) -> str:
    """Return the badge as the suffix of a file name asks for it."""
    message = message_of(results)
    colour = _COLOURS["broken" if message.startswith("broken") else results.answer.value]
    if PurePath(name).suffix.lower() == ".json":
        badge = {"schemaVersion": 1, "label": _LABEL, "message": message, "color": colour}
        return json.dumps(badge, indent=2) + "\n"
    widths = [round(len(text) * _CHARACTER) + _MARGIN for text in (_LABEL, message)]
    return fragment(
        "badge.svg", label=_LABEL, message=message, colour=colour, left=widths[0], right=widths[1]
    )
