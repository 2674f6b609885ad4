"""The bounds of releases: one entry gives a command, help, and a line of the reference."""

from __future__ import annotations

from dataclasses import dataclass

from kproof.registry import Home, Registry


@dataclass(frozen=True, kw_only=True)
class RegisteredRelease:
    """A bound of a table as a whole, of which no theorem of the bounds paper speaks."""

    name: str
    """What a user types."""
    summary: str
    """One line for help texts and the reference."""
    statements: str
    """Names of its rows in the ledger."""
    bound: Home
    """``bound(epsilon=..., ...)`` returns a :class:`~kproof.theory.theorems.bounds.ProvedBound`;
    where ``command`` is none, its keywords and its docstring are those of the command."""
    command: Home | None = None
    """The command, if the keywords of ``bound`` are not enough for one."""


RELEASE_BOUNDS: Registry[RegisteredRelease] = Registry(
    "bound",
    (
        RegisteredRelease(
            name="release",
            summary="rows kept by coins, cells below k dropped: against everyone",
            statements="R7 to R9",
            bound=Home("kproof.theory.theorems.releases.sampled:release_bound"),
        ),
    ),
)
"""Every bound of releases by name."""
