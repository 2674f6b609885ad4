"""The zoo: deliberately broken anonymizers and checkers that the suite must catch."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from kproof.proptests.zoo.base import Member

_HOUSES = ("tables", "places", "graphs")


def members() -> tuple[Member, ...]:
    """Return every broken subject, those for tables first.

    Examples
    --------
    >>> [member.name for member in members()][:2]
    ['short last class', 'k minus one']
    """
    found: list[Member] = []
    for house in _HOUSES:
        place = f"{__name__}.{house}"
        if find_spec(place) is not None:
            found.extend(import_module(place).MEMBERS)
    return tuple(found)
