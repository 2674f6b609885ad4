"""What each attack believes after each publication, with exact probabilities.

A token in SA Disc says whom an attack discloses, and what. The belief behind it, and behind every
attack that fails, is that of :mod:`kproof.models.attacks` on the same published classes: what
``kproof attack`` reports of a table that is published so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from kproof.models.attacks import Disclosure, Victim
from kproof.petri.papers.attackers import Attacker, evidence, prepared
from kproof.petri.papers.classes import ECs
from kproof.petri.papers.publisher import Names, Publisher
from kproof.petri.spaces.figures import Figure, at_least, so_far
from kproof.petri.spaces.limits import Clock, Ended, judging
from kproof.petri.spaces.space import Completeness, StateSpace


@dataclass(frozen=True)
class AttackBelief:
    """What an attack believes of a victim after one publication."""

    state: int
    """The end of the state space it comes from."""
    published: Names
    """The sensitive values of the published classes."""
    victim: Victim
    """The bet, its probability, and that of every other value or category, as fractions."""
    disclosed: bool
    """Whether the attack counts it as a disclosure, so that SA Disc may hold it."""

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form; probabilities as exact strings."""
        return {
            **self.victim.to_dict(),
            "disclosed": self.disclosed,
            "published": [[str(value) for value in one] for one in self.published],
        }


@dataclass(frozen=True)
class AttackBeliefs:
    """What an attack believes after every publication."""

    attack: str
    """Its name."""
    beliefs: tuple[AttackBelief, ...] = field(repr=False)
    """One for each end with a publication and each victim, in the order of the ends."""
    contradicted: int
    """Ends whose publication is impossible if what the adversary knows is true."""
    status: Completeness = Completeness.FULL
    """Whether these are all beliefs: the space is full, and the time for judging was not over."""

    @property
    def full(self) -> bool:
        """Whether these are all beliefs, so that figures are final."""
        return self.status is Completeness.FULL

    @cached_property
    def worst(self) -> AttackBelief | None:
        """The bet of the highest probability, the first among equals; None if there is none."""
        return max(self.beliefs, key=lambda one: one.victim.posterior, default=None)

    @property
    def disclosed(self) -> int:
        """How many of the beliefs count as disclosures."""
        return sum(one.disclosed for one in self.beliefs)

    @property
    def figures(self) -> dict[str, Figure]:
        """How many beliefs and disclosures there are."""
        found = {
            "beliefs": len(self.beliefs),
            "disclosed": self.disclosed,
            "contradicted": self.contradicted,
        }
        return {name: at_least(n, final=self.full) for name, n in found.items()}

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form, with the worst belief."""
        return {
            "attack": self.attack,
            "worst": so_far(self.worst and self.worst.to_dict(), final=self.full).to_json(),
            **{name: one.to_json() for name, one in self.figures.items()},
        }


def attack_beliefs(
    publisher: Publisher,
    attackers: Sequence[Attacker],
    space: StateSpace,
    *,
    clock: Clock | None = None,
) -> tuple[AttackBeliefs, ...]:
    """Return what each attack believes after every publication of a state space.

    Parameters
    ----------
    publisher, space
        A publisher, with the attackers or without, and what exploring its net found.
    attackers
        As for :func:`kproof.petri.papers.attackers.attacked`.
    clock
        When to stop; by default once the seconds are over that exploring left.

    Raises
    ------
    InvalidArgument
        As :func:`kproof.petri.papers.attackers.attacked`.

    Examples
    --------
    >>> from kproof.petri.papers.attackers import attacked, attacker
    >>> from kproof.petri.papers.theta_sensitive import theta_publisher
    >>> from kproof.petri.spaces.explore import explore
    >>> kinds = {"HIV": "grave", "Cancer": "grave", "Flu": "mild"}
    >>> publisher = theta_publisher([["HIV", "Cancer", "Flu"]], k=3, categories=kinds)
    >>> asked = [attacker("categorical-similarity", tau="2/3")]
    >>> (found,) = attack_beliefs(publisher, asked, explore(publisher.net()))
    >>> found.worst.victim.guess, found.worst.victim.posterior, found.disclosed
    ('grave', Fraction(2, 3), 1)
    """
    clock = judging(space) if clock is None else clock
    searches = [_Search(publisher, prepared(publisher, one)) for one in attackers]
    status = space.status
    try:
        for state in space.dead.tolist():
            for ecs in publisher.publications(space.marking(state)):
                for search in searches:
                    clock.tick()
                    search.add(state, ecs)
    except Ended:
        status = Completeness.PARTIAL
    return tuple(
        AttackBeliefs(one.attacker.attack, tuple(one.beliefs), one.contradicted, status)
        for one in searches
    )


class _Search:
    """Collects what one attack believes, of the same published classes the same."""

    def __init__(self, publisher: Publisher, attacker: Attacker) -> None:
        self.attacker = attacker
        self.beliefs: list[AttackBelief] = []
        self.contradicted = 0
        self._publisher = publisher
        self._known: dict[ECs, Disclosure | None] = {}

    def add(self, state: int, ecs: ECs) -> None:
        """Add what is believed after one publication."""
        if ecs not in self._known:
            self._known[ecs] = self.attacker(evidence(self._publisher, ecs))
        found = self._known[ecs]
        if found is None:
            self.contradicted += 1
            return
        names, disclosed = self._publisher.names(ecs), set(found.disclosed.tolist())
        self.beliefs += [
            AttackBelief(state, names, found.victim(at), at in disclosed)
            for at in range(found.victims)
        ]
