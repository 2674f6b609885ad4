"""What a run by day leaves to the night, ``nox -s nightly``, which sets ``KPROOF_EXAMPLES``."""

import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TypeVar

import pytest

from kproof.proptests.profiles import PROFILES

Amount = TypeVar("Amount")


def by_day(few: Amount, *, at_night: Amount) -> Amount:
    """Return how much a run tries: few by day, more at night."""
    return at_night if "KPROOF_EXAMPLES" in os.environ else few


def at_night(*members: Amount) -> list[Amount]:
    """Return the members at night, nothing by day: dear cases whose like the cheap ones are."""
    return by_day([], at_night=list(members))


def spread(members: Iterable[Amount], each: int, *, offset: int = 0) -> list[Amount]:
    """Return all members at night, by day those at every so many places."""
    every = list(members)
    return by_day(every[offset % each :: each], at_night=every)


def covering(members: Iterable[Amount], traits: Callable[[Amount], Iterable[Any]]) -> list[Amount]:
    """Return all members at night; by day few that have between them every trait that one has.

    ``traits``: what makes a member differ from others, such as the methods that a proof uses.
    """
    every = list(members)
    of_member = [set(traits(member)) for member in every]
    needed: set[Any] = set().union(*of_member)
    chosen: set[int] = set()
    while needed:
        best = max(
            range(len(every)),
            key=lambda place: (len(of_member[place] & needed), -len(of_member[place])),
        )
        chosen.add(best)
        needed -= of_member[best]
    return by_day([every[place] for place in sorted(chosen)], at_night=every)


def limit_finite_sources(monkeypatch: pytest.MonkeyPatch, cases: int) -> None:
    """Have every profile of the suite look at so many cases of a finite source by day."""
    for name, profile in PROFILES.items():
        most = by_day(min(profile.finite, cases), at_night=profile.finite)
        monkeypatch.setitem(PROFILES, name, replace(profile, finite=most))
