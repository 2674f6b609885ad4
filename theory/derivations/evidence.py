"""What ledger rows cite: how a step of a derivation stands, and where its printed form is false.

A derivation is judged once in a process.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from kproof.stages import counted
from kproof.theory.derivations.deciders import judge
from kproof.theory.derivations.derivation import StepJudgement, StepStanding
from kproof.theory.derivations.proofs.catalogue import derivation, derivations
from kproof.theory.derivations.truth import shown_at
from kproof.theory.ledger import Claim


@cache
def judged(name: str) -> tuple[StepJudgement, ...]:
    """Return what was found of every step of a derivation."""
    return judge(derivation(name))


def _judgement(name: str, of: str) -> StepJudgement:
    wanted = derivation(name)[of]
    return next(one for one in judged(name) if one.step is wanted)


def step(name: str, of: str) -> str:
    """Return how a step stands, and what it rests on.

    Parameters
    ----------
    name
        Of the derivation.
    of
        The step's id.

    Examples
    --------
    >>> step("theorem-1", "which-end")
    'proved'
    >>> step("lemma-2", "coins")
    'proved from assumptions: berry-esseen'
    """
    judgement = _judgement(name, of)
    if judgement.standing is StepStanding.FAILED:
        return f"{judgement.standing}: {judgement.found}"
    if judgement.standing is StepStanding.CONDITIONAL:
        return f"{judgement.standing}: {', '.join(judgement.rests_on)}"
    return str(judgement.standing)


def printed(name: str, of: str) -> str:
    """Return where the paper's own form of a step is false.

    Examples
    --------
    >>> printed("theorem-1", "which-end")
    'false at n = 100, p = 1/4, mu = 1, k = 5'
    """
    judgement = _judgement(name, of)
    if judgement.step.printed is None:
        return "printed as it is here"
    if judgement.standing is StepStanding.FAILED:
        return f"{judgement.standing}: {judgement.found}"
    return f"false at {shown_at(judgement.step.printed.at)}"


@dataclass(frozen=True)
class Derived:
    """A derivation as it was judged."""

    name: str
    title: str
    """Those of the derivation."""
    judgements: tuple[StepJudgement, ...]
    """One for each step."""

    def count(self, standing: StepStanding) -> int:
        """Return how many steps stand so."""
        return sum(one.standing is standing for one in self.judgements)

    @property
    def stands(self) -> bool:
        """Whether every step is decided, or named as assumed."""
        return self.count(StepStanding.FAILED) == 0

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form."""
        return {
            "name": self.name,
            "title": self.title,
            "stands": self.stands,
            "steps": [
                {
                    "id": one.step.id,
                    "place": one.step.place,
                    "standing": str(one.standing),
                    "rests_on": list(one.rests_on),
                    "found": one.found,
                }
                for one in self.judgements
            ],
        }

    def __str__(self) -> str:
        """Return one readable line."""
        parts = [f"{self.count(one)} {one}" for one in StepStanding if self.count(one)]
        return f"{self.name}: {', '.join(parts)}"

    @property
    def assumed(self) -> tuple[str, ...]:
        """What is taken from elsewhere, and from where."""
        steps = (one for one in self.judgements if one.standing is StepStanding.ASSUMED)
        return tuple(f"{one.step.id} ({one.found})" for one in steps)


def judge_derivations(cited_by: Iterable[Claim] | None = None) -> tuple[Derived, ...]:
    """Judge derivations, in the order of the catalogue.

    Parameters
    ----------
    cited_by
        Rows whose evidence names the derivations to judge; all of them if None.
    """
    chosen = derivations()
    if cited_by is not None:
        calls = [one.call for claim in cited_by for one in claim.evidence]
        chosen = tuple(one for one in chosen if any(f"'{one.name}'" in call for call in calls))
    every = counted("judging derivations", chosen)
    return tuple(Derived(one.name, one.title, judged(one.name)) for one in every)
