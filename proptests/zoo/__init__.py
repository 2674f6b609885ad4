"""Anonymizers and checkers that are broken on purpose, each in one realistic way.

The suite is held to catching every one of them, by the check it is tagged with.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from kproof.models.registry import Kind
from kproof.proptests.zoo.base import Member

_HOMES = ("tables", "places", "graphs")


def members(kind: Kind | None = None) -> tuple[Member, ...]:
    """Return the members for one kind of data, or all of them.

    Examples
    --------
    >>> [member.name for member in members(Kind.CITY)][:2]
    ['nearest as the crow flies', 'target left out']
    """
    found: list[Member] = []
    for home in _HOMES:
        place = f"{__name__}.{home}"
        if find_spec(place) is not None:
            found.extend(import_module(place).MEMBERS)
    return tuple(one for one in found if kind is None or one.subject.kind is kind)
