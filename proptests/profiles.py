"""How hard the suite looks: the profiles quick, default and deep, and what each spends."""

from __future__ import annotations

from dataclasses import dataclass, replace

from kproof.errors import InvalidArgument, one_of
from kproof.theory.exact.typed import Number, integer


@dataclass(frozen=True)
class Profile:
    """What one run may spend."""

    name: str
    """What a user types."""
    examples: int
    """Cases drawn from each source."""
    costly: int
    """Cases that each costly check sees, over all sources together."""
    finite: int
    """Cases of a finite source at most; one with more of them counts as drawn from."""
    shrinking: int
    """Calls spent on making one failing case smaller."""

    def with_examples(self, examples: Number | None) -> Profile:
        """Return the profile with another number, 1 or more, of cases from each source."""
        if examples is None:
            return self
        return replace(self, examples=integer("max_examples", examples, least=1))


PROFILES = {
    profile.name: profile
    for profile in (
        Profile("quick", examples=8, costly=5, finite=42, shrinking=1_000),
        Profile("default", examples=60, costly=20, finite=5_000, shrinking=3_000),
        Profile("deep", examples=1_000, costly=40, finite=1_000_000, shrinking=20_000),
    )
}
"""By name, from the quickest to the most thorough."""


def profile_named(name: str) -> Profile:
    """Return a profile.

    >>> profile_named("quick").examples < profile_named("deep").examples
    True
    >>> profile_named("slow")
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: profile = slow: need one of quick, default, deep
    """
    if name not in PROFILES:
        raise InvalidArgument("profile", name, one_of(name, PROFILES))
    return PROFILES[name]
