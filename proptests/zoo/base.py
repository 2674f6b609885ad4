"""What an animal of the zoo is: a subject that is broken in one way, and the check that tells."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from kproof.proptests.contract import Subject


@dataclass(frozen=True)
class Member:
    """A deliberately broken subject.

    Attributes
    ----------
    name
        Short and unique in the zoo.
    subject
        What is broken; it promises what a healthy one would.
    caught_by
        Name of the check that must find the fault.
    story
        How such a fault comes about, as a sentence.
    """

    name: str
    subject: Subject
    caught_by: str
    story: str


_LARGEST: defaultdict[str, int] = defaultdict(int)


def largest(k: int, of: str) -> int:
    """Return the largest k that a broken subject was ever asked for in this process.

    What it publishes with that is as anonymous as was asked for, and the same each time it is
    asked again; but it depends on who asked before.
    """
    _LARGEST[of] = max(_LARGEST[of], k)
    return _LARGEST[of]


PAST = (
    "The largest k it was ever asked for stays in a variable of its module: a server that has run "
    "for a day answers otherwise than one that has just been started."
)
"""How such a fault comes about."""
