"""The reference tables of the docs, written from the checks, the sources and the zoo themselves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kproof.models.registry import Kind
from kproof.proptests.checks import checks
from kproof.proptests.sources import sources
from kproof.proptests.zoo import members


def checks_table(kind: Kind) -> str:
    """Return the checks for one kind of data as a Markdown table, with the faults they catch."""
    caught: dict[str, list[str]] = {}
    for member in members():
        if member.subject.kind is kind:
            caught.setdefault(member.caught_by, []).append(member.name)
    rows = [
        (
            f"**{check.name}** ({check.severity})",
            check.claim,
            f"`{check.formula}`",
            ", ".join(sorted(claim.value for claim in check.claims)) or "everyone",
            check.source,
            ", ".join(caught.get(check.name, ())),
        )
        for check in checks(kind)
    ]
    headings = ("check", "what must hold", "compared", "held to it", "defined in")
    return _table((*headings, "caught in the zoo"), rows)


def sources_table(kind: Kind) -> str:
    """Return the sources of cases of one kind of data as a Markdown table."""
    rows = [
        (source.name, "drawn" if source.exhaust is None else "every one, smallest first")
        for source in sources(kind)
    ]
    return _table(("source", "cases"), rows)


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [headings, ["---"] * len(headings), *rows]
    # A bar ends a cell, in a formula as elsewhere.
    escaped = ([cell.replace("|", "\\|") for cell in line] for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in escaped)
