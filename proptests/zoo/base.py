"""What an animal of the zoo is: a subject that is broken in one way, and the check that tells."""

from __future__ import annotations

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
        What is broken; it claims what a healthy one would.
    caught_by
        Name of the check that must find the fault.
    story
        How such a fault comes about, as a sentence.
    """

    name: str
    subject: Subject
    caught_by: str
    story: str
