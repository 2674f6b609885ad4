"""What ledger rows cite: how a step of a derivation stands, and where its printed form is false.

A derivation is judged once in a process.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from kproof.forms import JsonForm
from kproof.stages import count_parts
from kproof.theory.derivations.asking import Decision
from kproof.theory.derivations.deciders import judge
from kproof.theory.derivations.derivation import StepJudgement, StepStanding
from kproof.theory.derivations.proofs.catalogue import derivation, derivations
from kproof.theory.derivations.truth import point_text
from kproof.theory.ledger import Claim

_DECISIONS: dict[tuple[int, ...], Decision] = {}
"""What was decided of steps that live as long as the process, as ``derivations`` keeps them."""


@cache
def judge_all(name: str) -> tuple[StepJudgement, ...]:
    """Return what was found of every step of a derivation."""
    return judge(derivation(name), _DECISIONS)


def _judgement(name: str, of: str) -> StepJudgement:
    step = derivation(name)[of]
    return next(judgement for judgement in judge_all(name) if judgement.step is step)


def step(name: str, of: str) -> str:
    """Return how a step stands, and what it rests on.

    ``name``: of the derivation. ``of``: the step's id.

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

    >>> printed("theorem-1", "which-end")
    'false at n = 100, p = 1/4, mu = 1, k = 5'
    """
    judgement = _judgement(name, of)
    if judgement.step.printed is None:
        return "printed as it is here"
    if judgement.standing is StepStanding.FAILED:
        return f"{judgement.standing}: {judgement.found}"
    return f"false at {point_text(judgement.step.printed.at)}"


@dataclass(frozen=True)
class Derived:
    """A derivation as it was judged."""

    name: str
    title: str
    """Those of the derivation."""
    judgements: tuple[StepJudgement, ...]

    def count(self, standing: StepStanding) -> int:
        """Return how many steps stand so."""
        return sum(judgement.standing is standing for judgement in self.judgements)

    @property
    def stands(self) -> bool:
        """Whether every step is decided, or named as assumed."""
        return self.count(StepStanding.FAILED) == 0

    to_dict = JsonForm("name title stands steps=judgements")

    def __str__(self) -> str:
        parts = [f"{self.count(kind)} {kind}" for kind in StepStanding if self.count(kind)]
        return f"{self.name}: {', '.join(parts)}"

    @property
    def assumed(self) -> tuple[str, ...]:
        """What is taken from elsewhere, and from where."""
        assumed = (item for item in self.judgements if item.standing is StepStanding.ASSUMED)
        return tuple(f"{item.step.id} ({item.found})" for item in assumed)


def judge_derivations(cited_by: Iterable[Claim] | None = None) -> tuple[Derived, ...]:
    """Judge derivations, in the order of the catalogue.

    ``cited_by``: rows whose evidence names the derivations to judge; all of them if None.
    """
    chosen = derivations()
    if cited_by is not None:
        calls = [evidence.call for claim in cited_by for evidence in claim.evidence]
        cited = (proof for proof in chosen if any(f"'{proof.name}'" in call for call in calls))
        chosen = tuple(cited)
    every = count_parts("judging derivations", chosen)
    return tuple(Derived(proof.name, proof.title, judge_all(proof.name)) for proof in every)
