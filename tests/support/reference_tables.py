"""The reference tables of the docs, written from the checks, the sources and the zoo themselves."""

from collections.abc import Iterable, Sequence
from typing import Any

from kproof.models.adversaries import ATTACKS
from kproof.models.base.parameters import Parameter
from kproof.models.methods import METHODS
from kproof.models.privacies import MODELS
from kproof.models.registry import Kind
from kproof.proptests.checks import checks
from kproof.proptests.oracles import DEFINITIONS
from kproof.proptests.sources import sources
from kproof.proptests.zoo import members
from kproof.theory.theorems.registry import BOUNDS
from kproof.theory.theorems.releases import RELEASE_BOUNDS


def checks_table(kind: Kind) -> str:
    """Return the checks for one kind of data as a Markdown table, with the faults they catch."""
    caught = {}
    for member in members():
        if member.subject.kind is kind:
            caught.setdefault(member.caught_by, []).append(member.name)
    rows = [
        (
            f"**{check.name}** ({check.severity})",
            check.claim,
            f"`{check.formula}`",
            ", ".join(sorted(promise.value for promise in check.promises)) or "everyone",
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


def bounds_table() -> str:
    """Return the registered bounds as a Markdown table.

    >>> print(bounds_table().splitlines()[0])
    | bound | what it is about | what you may answer for | source |
    """
    rows = [
        (f"`{one.name}`", one.summary, ", ".join(one.assumptions), one.source)
        for one in BOUNDS.values()
    ]
    rows += [
        (f"`{entry.name}`", entry.summary, ", ".join(entry.assumptions), entry.statements)
        for entry in RELEASE_BOUNDS.values()
    ]
    return _table(("bound", "what it is about", "what you may answer for", "source"), rows)


def methods_table() -> str:
    """Return the registered methods as a Markdown table.

    >>> print(methods_table().splitlines()[0])
    | method | takes | what it does | parameters | promises | source |
    """
    rows = [
        (
            f"`{one.name}`",
            one.kind.value,
            one.summary,
            _parameters(one.parameters.values(), called=True),
            ", ".join(sorted(promise.value for promise in one.promises)),
            one.source,
        )
        for one in METHODS.values()
    ]
    return _table(("method", "takes", "what it does", "parameters", "promises", "source"), rows)


def models_table() -> str:
    """Return the registered privacy models as a Markdown table.

    >>> print(models_table().splitlines()[2].split(" | ")[1])
    every class has at least k people
    """
    rows = [
        (
            one.name,
            one.summary,
            _parameters((*one.parameters.values(), *one.options.values())),
            "the definition" if one.name in DEFINITIONS else "nothing",
            one.source,
        )
        for one in MODELS.values()
    ]
    return _table(("model", "what it asks", "options", "held to", "source"), rows)


def attacks_table() -> str:
    """Return the registered attacks as a Markdown table.

    >>> print(attacks_table().splitlines()[0])
    | attack | takes | who is disclosed | options | source |
    """
    rows = [
        (
            f"`{one.name}`",
            one.kind.value,
            one.summary,
            _parameters(one.parameters.values()),
            one.source,
        )
        for one in ATTACKS.values()
    ]
    return _table(("attack", "takes", "who is disclosed", "options", "source"), rows)


def _parameters(parameters: Iterable[Parameter[Any]], *, called: bool = False) -> str:
    found = []
    for one in parameters:
        default = "" if one.default is None else f"; {one.default} by default"
        within = f"; {one.range}" if one.range else ""
        name = f" (`{one.name}` in Python)" if called and one.name != one.key else ""
        found.append(f"`{one.options[0]}`{name}: {one.help}{within}{default}")
    return "<br>".join(found)


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [headings, ["---"] * len(headings), *rows]
    # A bar ends a cell, in a formula as elsewhere.
    escaped = ([cell.replace("|", "\\|") for cell in line] for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in escaped)
