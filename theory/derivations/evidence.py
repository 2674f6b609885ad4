"""What ledger rows cite: how a step of a derivation stands, and where its printed form is false.

A derivation is judged once in a process.
"""

from __future__ import annotations

from functools import cache

from kproof.theory.derivations.derivation import Judgement, StepStanding
from kproof.theory.derivations.proofs.catalogue import derivation
from kproof.theory.derivations.truth import shown_at


@cache
def judged(name: str) -> tuple[Judgement, ...]:
    """Return what was found of every step of a derivation."""
    return derivation(name).judge()


def step(name: str, of: str) -> str:
    """Return how a step stands, and what it rests on.

    Parameters
    ----------
    name
        Of the derivation.
    of
        The step's id.

    Raises
    ------
    InvalidArgument
        If there is no such derivation or step.

    Examples
    --------
    >>> step("theorem-1", "which-end")
    'proved'
    >>> step("theorem-1", "last-exponent")
    'proved from assumptions: hoeffding'
    """
    wanted = derivation(name)[of]
    found = next(one for one in judged(name) if one.step is wanted)
    if found.standing is StepStanding.FAILED:
        return f"{found.standing}: {found.found}"
    if found.standing is StepStanding.CONDITIONAL:
        return f"{found.standing}: {', '.join(found.rests_on)}"
    return str(found.standing)


def printed(name: str, of: str) -> str:
    """Return where the paper's own form of a step is false.

    Examples
    --------
    >>> printed("theorem-1", "which-end")
    'false at n = 100, p = 1/4, mu = 1, k = 5'
    """
    wanted = derivation(name)[of]
    found = next(one for one in judged(name) if one.step is wanted)
    if wanted.printed is None:
        return "printed as it is here"
    if found.standing is StepStanding.FAILED:
        return f"{found.standing}: {found.found}"
    return f"false at {shown_at(wanted.printed.at)}"
