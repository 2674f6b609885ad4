"""The bounds of releases: one entry gives a command, help, and a line of the reference."""

from dataclasses import dataclass

from kproof.registry import Home, Registry
from kproof.theory.theorems.assumptions import Assumption


@dataclass(frozen=True, kw_only=True)
class RegisteredRelease:
    """A bound of a table as a whole, of which no theorem of the bounds paper speaks."""

    name: str
    summary: str
    """One line for help texts and the reference."""
    statements: str
    """Names of its rows in the ledger."""
    assumptions: tuple[Assumption, ...] = ()
    """What a caller may answer for."""
    bound: Home
    """``bound(epsilon=..., ...)`` returns a :class:`~kproof.theory.theorems.bounds.ProvedBound`;
    where ``command`` is none, its keywords and its docstring are those of the command."""
    command: Home | None = None
    """The command, if the keywords of ``bound`` are not enough for one."""


BELIEVED = (Assumption.INDEPENDENCE, Assumption.BELIEF)
"""What a bound for a belief leaves open."""

RELEASE_BOUNDS: Registry[RegisteredRelease] = Registry(
    "bound",
    (
        RegisteredRelease(
            name="release",
            summary="rows kept by coins, cells below k dropped: against everyone",
            statements="R7 to R9, R12",
            bound=Home("kproof.theory.theorems.releases.sampled:release_bound"),
        ),
        RegisteredRelease(
            name="table",
            summary="counts of fixed cells, small ones hidden or not: for a belief about the rows",
            statements="R2 to R5",
            assumptions=BELIEVED,
            bound=Home("kproof.theory.theorems.releases.believed:table_bound"),
        ),
        RegisteredRelease(
            name="sum",
            summary="a sum of records that follow a law, or nearly: for a belief",
            statements="R6",
            assumptions=BELIEVED,
            bound=Home("kproof.theory.theorems.releases.believed:sum_bound"),
        ),
        RegisteredRelease(
            name="noisy",
            summary="a sum with noise: against everyone by the noise, for a belief by both",
            statements="R13",
            assumptions=BELIEVED,
            bound=Home("kproof.theory.theorems.releases.believed:noisy_bound"),
        ),
    ),
)
"""Every bound of releases by name."""
