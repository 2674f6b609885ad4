"""What each attack believes after each publication, with exact probabilities.

A token in SA Disc says whom an attack discloses, and what. The belief behind it, and behind every
attack that fails, is that of :mod:`kproof.models.attacks` on the same published classes: what
``kproof attack`` reports of a table that is published so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property

from kproof.forms import JsonForm
from kproof.models.attacks import Disclosure, Victim
from kproof.petri.papers.attackers import Attacker, evidence, prepare
from kproof.petri.papers.classes import ECs
from kproof.petri.papers.publisher import Names, Publisher
from kproof.petri.spaces.figures import Figure, at_least, so_far
from kproof.petri.spaces.limits import Clock, Ended, clock_for_judging
from kproof.petri.spaces.space import Completeness, InPart, StateSpace


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

    to_dict = JsonForm("*victim disclosed published=str(published)")


@dataclass(frozen=True)
class AttackBeliefs(InPart):
    """What an attack believes after every publication."""

    attack: str
    """Its name."""
    beliefs: tuple[AttackBelief, ...] = field(repr=False)
    """One for each end with a publication and each victim, in the order of the ends."""
    contradicted: int
    """Ends whose publication is impossible if what the adversary knows is true."""
    status: Completeness = Completeness.FULL
    """Whether these are all beliefs: the space is full, and the time for judging was not over."""

    @cached_property
    def worst(self) -> AttackBelief | None:
        """The bet of the highest probability, the first among equals; None if there is none."""
        return max(self.beliefs, key=lambda belief: belief.victim.posterior, default=None)

    @property
    def disclosed(self) -> int:
        """How many of the beliefs count as disclosures."""
        return sum(belief.disclosed for belief in self.beliefs)

    @property
    def figures(self) -> dict[str, Figure]:
        """How many beliefs and disclosures there are."""
        counts = {
            "beliefs": len(self.beliefs),
            "disclosed": self.disclosed,
            "contradicted": self.contradicted,
        }
        return {name: at_least(count, final=self.full) for name, count in counts.items()}

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form, with the worst belief."""
        return {
            "attack": self.attack,
            "worst": so_far(self.worst and self.worst.to_dict(), final=self.full).to_json(),
            **{name: figure.to_json() for name, figure in self.figures.items()},
        }


def attack_beliefs(
    publisher: Publisher,
    attackers: Sequence[Attacker],
    space: StateSpace,
    *,
    clock: Clock | None = None,
) -> tuple[AttackBeliefs, ...]:
    """Return what each attack believes after every publication of a state space.

    The space is that of the publisher's net, with the attackers in it or without. By default it
    stops once the seconds are over that exploring left.

    >>> from kproof.petri.papers.attackers import attacked, attacker
    >>> from kproof.petri.papers.theta_sensitive import theta_publisher
    >>> from kproof.petri.spaces.explore import explore
    >>> kinds = {"HIV": "grave", "Cancer": "grave", "Flu": "mild"}
    >>> publisher = theta_publisher([["HIV", "Cancer", "Flu"]], k=3, categories=kinds)
    >>> attacks = [attacker("categorical-similarity", tau="2/3")]
    >>> (beliefs,) = attack_beliefs(publisher, attacks, explore(publisher.net()))
    >>> beliefs.worst.victim.guess, beliefs.worst.victim.posterior, beliefs.disclosed
    ('grave', Fraction(2, 3), 1)
    """
    clock = clock_for_judging(space) if clock is None else clock
    ready = [prepare(publisher, adversary) for adversary in attackers]
    beliefs: list[list[AttackBelief]] = [[] for _ in ready]
    contradicted = [0] * len(ready)
    status = space.status

    @cache
    def disclosure(number: int, ecs: ECs) -> Disclosure | None:
        return ready[number](evidence(publisher, ecs))

    try:
        # Attack by attack within each publication, so that a clock stops all of them alike.
        for state, ecs in publisher.every_publication(space):
            names = publisher.names(ecs)
            for number, believed in enumerate(beliefs):
                clock.tick()
                learned = disclosure(number, ecs)
                if learned is None:
                    contradicted[number] += 1
                    continue
                disclosed = set(learned.disclosed.tolist())
                believed += [
                    AttackBelief(state, names, learned.victim(victim), victim in disclosed)
                    for victim in range(learned.victims)
                ]
    except Ended:
        status = Completeness.PARTIAL
    return tuple(
        AttackBeliefs(adversary.attack, tuple(believed), count, status)
        for adversary, believed, count in zip(ready, beliefs, contradicted, strict=True)
    )
