"""What a member of the zoo is: an anonymizer broken in one known way, and the check that sees it."""

from __future__ import annotations

from dataclasses import dataclass

from kproof.proptests.contract import Subject


@dataclass(frozen=True)
class Member:
    """One broken anonymizer or checker.

    Attributes
    ----------
    name
        What it does wrong, in a few words.
    subject
        As the suite sees it.
    caught_by
        Name of the check that must catch it; others may as well.
    story
        How one comes to write such a thing, and whom it harms.
    """

    name: str
    subject: Subject
    caught_by: str
    story: str
