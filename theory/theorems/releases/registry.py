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


def _believed(name: str, statements: str, summary: str) -> RegisteredRelease:
    home = Home(f"kproof.theory.theorems.releases.believed:{name}_bound")
    return RegisteredRelease(
        name=name, summary=summary, statements=statements, assumptions=BELIEVED, bound=home
    )


RELEASE_BOUNDS: Registry[RegisteredRelease] = Registry(
    "bound",
    (
        RegisteredRelease(
            name="release",
            summary="rows kept by coins, cells below k dropped: against everyone",
            statements="R7 to R9, R12",
            bound=Home("kproof.theory.theorems.releases.sampled:release_bound"),
        ),
        _believed(
            "table",
            "R2 to R5",
            "counts of fixed cells, small ones hidden or not: for a belief about the rows",
        ),
        _believed("sum", "R6", "a sum of records that follow a law, or nearly: for a belief"),
        _believed(
            "noisy", "R13", "a sum with noise: against everyone by the noise, for a belief by both"
        ),
    ),
)
"""Every bound of releases by name."""
