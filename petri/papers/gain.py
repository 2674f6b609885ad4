"""What an adversary gains, as exact numbers over everything a publisher can publish.

For each publication and each victim the posterior of every sensitive value, given background
knowledge, by random worlds (:mod:`kproof.models.attacks.posteriors`): every assignment of people to
rows that agrees with what is published and known is equally likely. Rule (9) of the paper has it
that nothing is gained; the largest posterior and the table that attains it say what is.

Every assignment of people to rows is one of each class, so beliefs about a class depend on that
class alone: where publications are the words of an automaton, each letter is judged once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property, partial

from kproof.errors import DataError, Infeasible
from kproof.forms import JsonForm
from kproof.models.attacks import BackgroundKnowledge
from kproof.models.attacks.base import at_worst
from kproof.models.attacks.beliefs import Beliefs
from kproof.models.attacks.posteriors import believe
from kproof.models.base.missing import MISSING
from kproof.models.base.parameters import REACHABLE_MU
from kproof.petri.papers.attackers import BeliefsAfterEach, evidence, require_known, victims
from kproof.petri.papers.classes import EC, ECs
from kproof.petri.papers.outcome import PublisherEnds
from kproof.petri.papers.publisher import Names, PartitionedTable, Publisher
from kproof.petri.papers.theta_sensitive import theta_publisher
from kproof.petri.spaces.explore import explore
from kproof.petri.spaces.figures import Figure, at_least, so_far
from kproof.petri.spaces.limits import Clock, Ended, clock_for_judging
from kproof.petri.spaces.space import Completeness, InPart, StateSpace
from kproof.petri.spaces.words import Words
from kproof.theory.exact.typed import Number

IGNORANT = "an adversary who sees the classes and does not know the method"
"""Whose beliefs these are: a word that all is well with them says that it is so for her."""


class Bet:
    """What an adversary makes of a posterior."""

    posterior: Mapping[object, Fraction]

    @cached_property
    def guess(self) -> object:
        """The value she bets on, the first in the domain among equals."""
        return max(self.posterior, key=lambda value: self.posterior[value])

    @cached_property
    def certainty(self) -> Fraction:
        """The probability of that bet."""
        return self.posterior[self.guess]


@dataclass(frozen=True)
class Belief(Bet):
    """What the adversary believes of a victim after one publication."""

    victim: int
    """Row of the victim; on the level of values, the class they are known to be in."""
    state: int
    """The end of the state space it comes from."""
    published: Names
    """The sensitive values of the published classes."""
    posterior: Mapping[object, Fraction]
    """The probability of every value that is possible."""
    prior: Mapping[object, Fraction]
    """The same without a publication: from the table's recorded values and what is known of the
    victim."""

    @property
    def factor(self) -> Fraction | None:
        """By what the publication multiplies it; None for a value that only noise has."""
        before = self.prior.get(self.guess, Fraction(0))
        return self.certainty / before if before else None

    def __str__(self) -> str:
        return f"victim {self.victim}: {self.guess} with probability {self.certainty}"

    to_dict = JsonForm(
        "victim guess=str(guess) certainty factor posterior prior published=str(published)"
    )


@dataclass(frozen=True)
class BeliefGain(BeliefsAfterEach[Belief]):
    """What an adversary believes after every publication."""

    @cached_property
    def by_victim(self) -> dict[int, Belief]:
        """The most certain belief of each victim."""
        worst: dict[int, Belief] = {}
        for belief in self.beliefs:
            if belief.victim not in worst or belief.certainty > worst[belief.victim].certainty:
                worst[belief.victim] = belief
        return worst

    @property
    def figures(self) -> dict[str, Figure]:
        """How many beliefs and certainties there are, and how certain the worst is."""
        return self.figures_of("beliefs certain contradicted certainty")

    @property
    def certain(self) -> int:
        """How many of the beliefs are certainties."""
        return sum(belief.certainty == 1 for belief in self.beliefs)

    @property
    def certainty(self) -> Fraction | None:
        """The probability of the surest bet; None without any."""
        return None if self.worst is None else self.worst.certainty

    def __str__(self) -> str:
        full = self.full
        if self.worst is None:
            return "no publication, no gain" if full else "no publication so far, gain unknown"
        table = "; ".join(", ".join(map(str, ec)) for ec in self.worst.published)
        return f"{self.worst}, if the classes are {table}" + ("" if full else ", so far")

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form, with the worst case of each victim."""
        figures = self.figures
        victims = [self.by_victim[victim].to_dict() for victim in sorted(self.by_victim)]
        return {
            "worst": so_far(self.worst and self.worst.to_dict(), final=self.full).to_json(),
            "victims": so_far(victims, final=self.full).to_json(),
            **{name: figures[name].to_json() for name in ("beliefs", "certain", "contradicted")},
        }


def gain(
    publisher: Publisher,
    space: StateSpace,
    background: BackgroundKnowledge | None = None,
    *,
    clock: Clock | None = None,
) -> BeliefGain:
    """Return what an adversary believes after every publication of a publisher's state space.

    She looks for and knows of people given by row; by default she looks for someone in each class
    (everyone, on the level of records), of whom nothing else is known. DataError if a value she
    knows of is not in the domain.

    Someone of the first class is known not to have cancer or the flu:

    >>> from kproof.models.attacks import BackgroundKnowledge, Person
    >>> from kproof.petri.spaces.explore import explore
    >>> from kproof.petri.papers.theta_sensitive import theta_publisher
    >>> publisher = theta_publisher([["HIV", "HIV"], ["Flu", "Cancer"]], k=2)
    >>> knows = BackgroundKnowledge(victims=(Person(row=0, excluded=("Cancer", "Flu")),))
    >>> print(gain(publisher, explore(publisher.net()), knows))
    victim 0: HIV with probability 1, if the classes are Cancer, HIV; Flu, HIV
    """
    knows = BackgroundKnowledge() if background is None else background
    require_known(publisher, knows)
    whom = victims(publisher, knows)
    priors = [_prior(publisher.formed, knows, victim) for victim in whom]
    # Many ends publish the same classes, which are judged once.
    posteriors = cache(partial(_posteriors, publisher, knows, len(whom)))
    clock = clock_for_judging(space) if clock is None else clock
    beliefs: list[Belief] = []
    contradicted, status = 0, space.status
    try:
        for state, ecs in publisher.every_publication(space):
            clock.tick()
            after = posteriors(ecs)
            if after is None:
                contradicted += 1
                continue
            names = publisher.names(ecs)
            beliefs += [
                Belief(victim, state, names, posterior, prior)
                for victim, posterior, prior in zip(whom, after, priors, strict=True)
                if posterior
            ]
    except Ended:
        status = Completeness.PARTIAL
    return BeliefGain(tuple(beliefs), contradicted, status)


def _posteriors(
    publisher: Publisher, knows: BackgroundKnowledge, count: int, ecs: ECs
) -> list[dict[object, Fraction]] | None:
    """Return what is believed of each victim; None if it contradicts what is known."""
    domain = publisher.formed.domain
    try:
        believed = worst_beliefs(publisher, knows, ecs)
        return [
            {domain[code]: p for code, p in believed.posterior(i).items()} for i in range(count)
        ]
    except DataError:
        return None


def worst_beliefs(publisher: Publisher, knows: BackgroundKnowledge, ecs: ECs) -> Beliefs:
    """Return what is believed of published classes, whatever missing values are.

    DataError if the publication contradicts what is known.
    """
    published = evidence(publisher, ecs)
    return at_worst(published, believe(published, knows))


@dataclass(frozen=True)
class Effect(InPart):
    """What a μ does to a table."""

    mu: Fraction
    """The share of a fully diverse class's variance that is asked for."""
    publications: int
    """How many different publications there are; 0 if none is possible."""
    noise: tuple[int, ...]
    """The numbers of noise rows that occur."""
    infeasible: int
    """How many ends publish nothing."""
    certainty: Fraction | None
    """The adversary's most certain bet over all publications; None without any."""
    status: Completeness = Completeness.FULL
    """Whether the net was explored and judged wholly."""

    @property
    def _figures(self) -> dict[str, Figure]:
        """How many publications, which numbers of noise rows, infeasible ends, the surest bet."""
        return self.figures_of("publications infeasible certainty", "noise")

    to_dict = JsonForm(
        "mu publications=_figures.publications noise=_figures.noise",
        "infeasible=_figures.infeasible certainty=_figures.certainty",
    )

    @property
    def figures(self) -> tuple[str, str, str]:
        """Publications, numbers of noise rows, and the most certain bet, as a table shows them."""
        noise = so_far(", ".join(map(str, self.noise)), final=self.full).of(empty="none")
        certainty = at_least("" if self.certainty is None else str(self.certainty), final=self.full)
        return str(self._figures["publications"]), noise, certainty.of(empty="none")


def effect_of_mu(
    classes: PartitionedTable | Sequence[Sequence[object]],
    *,
    k: Number,
    mus: Iterable[Number],
    domain: Iterable[object] | None = None,
    background: BackgroundKnowledge | None = None,
) -> tuple[Effect, ...]:
    """Explore the θ-sensitive publisher for one table and several 0 < μ ≤ 1; see :func:`gain`.

    >>> table = [["HIV", "HIV", "Flu"], ["Flu", "Cancer", "Obesity"]]
    >>> for effect in effect_of_mu(table, k=3, mus=["0.3", "0.4", "1"]):
    ...     print(effect.mu, effect.publications, effect.noise, effect.certainty)
    3/10 1 (0,) 2/3
    2/5 2 (0,) 1/3
    1 2 (0,) 1/3
    """
    formed = PartitionedTable.of(classes, domain)
    effects = []
    for mu in mus:
        share = REACHABLE_MU.read(mu)
        try:
            publisher = theta_publisher(formed, k=k, mu=share)
        except Infeasible:
            effects.append(Effect(share, 0, (), 0, None))
            continue
        space = explore(publisher.net())
        outcome = PublisherEnds.of(publisher, space)
        believed = gain(publisher, space, background)
        counts = len(outcome.publications), outcome.noise, len(outcome.infeasible)
        # Partial if either is: what was not explored nobody believed anything of.
        status = min(outcome.status, believed.status, key=lambda s: s is Completeness.FULL)
        effects.append(Effect(share, *counts, believed.certainty, status))
    return tuple(effects)


def _prior(
    formed: PartitionedTable, background: BackgroundKnowledge, victim: int
) -> dict[object, Fraction]:
    """Return the shares, of the values that the table has recorded, of those a victim may have."""
    excluded = {
        value
        for person in background.victims or ()
        if person.row == victim
        for value in person.excluded
    }
    if formed.gap is not None:
        excluded.add(MISSING)
    people = [value for members in formed.values for value in members if value not in excluded]
    return {
        value: Fraction(people.count(value), len(people))
        for value in formed.domain
        if value in people
    }


@dataclass(frozen=True)
class ClassBelief(Bet):
    """What an adversary believes of someone in a class, if the class is published so."""

    victim: int
    """Class that the victim is known to be in."""
    published: tuple[object, ...]
    """The sensitive values of the class."""
    publications: int
    """How many publications have the class so, and do not contradict what she knows."""
    posterior: Mapping[object, Fraction]
    """The probability of every value that is possible."""

    def __str__(self) -> str:
        return f"someone of class {self.victim}: {self.guess} with probability {self.certainty}"

    to_dict = JsonForm(
        "victim guess=str(guess) certainty publications posterior published=str(published)"
    )


@dataclass(frozen=True)
class ClassBeliefs:
    """What an adversary believes after every publication, class by class."""

    worst: tuple[ClassBelief, ...]
    """The most certain belief about each class that she looks at, the first among equals."""
    certain: int
    """How many pairs of a publication and a victim leave her certain."""
    beliefs: int
    """How many pairs there are."""
    contradicted: int
    """How many publications are impossible if what she knows is true."""

    @property
    def most_certain(self) -> ClassBelief | None:
        """The most certain belief of all; None if there is none."""
        return max(self.worst, key=lambda belief: belief.certainty, default=None)

    to_dict = JsonForm("worst=most_certain victims=worst beliefs certain contradicted")


def class_token(letter: object) -> EC:
    """Return a letter as the class token that it is."""
    assert isinstance(letter, tuple)
    return letter


def class_beliefs(
    publisher: Publisher, words: Words, knows: BackgroundKnowledge, tick: Callable[[], object]
) -> ClassBeliefs:
    """Return what an adversary believes after every publication; a letter of the words is a class.

    People that she knows of are given by class. Calls ``tick`` for each class that is judged.
    """
    sought = set(victims(publisher, knows))
    beliefs_of: dict[tuple[int, object], list[ClassBelief] | None] = {}
    for position in range(words.length):
        for letter in words.letters(position):
            tick()
            ec = class_token(letter)
            beliefs_of[position, letter] = beliefs_about_class(publisher, position, ec, knows)
    # One class that contradicts her takes the publication with it: all others are counted by how
    # many of the publications that are left have them.
    possible = words.only(lambda position, letter: beliefs_of[position, letter] is not None)
    worst: list[ClassBelief] = []
    certain = total = 0
    for position in filter(sought.__contains__, range(words.length)):
        beliefs: list[ClassBelief] = []
        for letter, count in possible.letters(position).items():
            tick()
            of_letter = beliefs_of[position, letter] or ()
            beliefs += [replace(belief, publications=count) for belief in of_letter]
        total += sum(belief.publications for belief in beliefs)
        certain += sum(belief.publications for belief in beliefs if belief.certainty == 1)
        if beliefs:
            worst.append(max(beliefs, key=lambda belief: belief.certainty))
    return ClassBeliefs(tuple(worst), certain, total, words.count - possible.count)


def beliefs_about_class(
    publisher: Publisher, position: int, ec: EC, background: BackgroundKnowledge
) -> list[ClassBelief] | None:
    """Return what is believed of each victim in a class, as if it were published once.

    None if the class contradicts what is known.
    """
    knows = restrict_to_class(background, position)
    # As `victims` has it: where none is named, someone in the class, unless she knows a member.
    count = int(not knows.members) if knows.victims is None else len(knows.victims)
    posteriors = _posteriors(publisher, knows, count, (ec,))
    if posteriors is None:
        return None
    names = publisher.names((ec,))[0]
    return [ClassBelief(position, names, 1, posterior) for posterior in posteriors if posterior]


def restrict_to_class(knows: BackgroundKnowledge, position: int) -> BackgroundKnowledge:
    """Return what is known of the people of one class, who are of class 0 there."""
    members = tuple(replace(person, row=0) for person in knows.members if person.row == position)
    if knows.victims is None:
        return replace(knows, members=members)
    sought = tuple(replace(person, row=0) for person in knows.victims if person.row == position)
    return replace(knows, victims=sought, members=members)
