"""Adversaries as parts of a net: what they know, what they try, and what they end up holding.

Attackers are added to either publisher with :func:`attacked`. The place BK holds what an adversary
knows, a token for each attack and victim; once something is published, an attack that succeeds
moves such a token to SA Disc, with the value or category that is disclosed. An attack that fails
cannot fire. So "the adversary gains nothing", which Rule (9) of the paper has for its
post-condition, becomes the property that SA Disc is empty in every reachable marking.

The attacks themselves are those of :mod:`kproof.models.attacks`. On the level of values tokens do
not tell who is where: victim c is someone who is known to be in class c. On the level of records
victim i is the person of row i, wherever an exchange took the record, and an adversary finds the
class by its number or by what its labels cover.

A token in SA Disc says whom an attack discloses, and what. The belief behind it, and behind every
attack that fails, is that of the same attack on the same published classes: what ``kproof attack``
reports of a table that is published so.

Source: Khan et al., "θ-Sensitive k-Anonymity", Electronics 2020, 9(5), 716, Rules (1) and (9),
Definition 5.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from typing import Generic, Protocol, TypeVar

import numpy as np

from kproof.errors import DataError, InvalidArgument, one_of, show
from kproof.forms import JsonForm
from kproof.models.attacks import (
    ATTACKS,
    Attack,
    BackgroundKnowledge,
    Disclosure,
    Matching,
    Person,
    PublishedClasses,
    Victim,
    background_of,
)
from kproof.models.attacks.covering import Shown, encode_labels
from kproof.models.base.classes import Classes
from kproof.models.base.missing import MISSING
from kproof.models.base.parameters import TAU
from kproof.models.registry import Kind, Needs
from kproof.models.tables.recoding import merge_equal_labels, recode
from kproof.petri.net.colours import Enumeration, Integers, Open, Product
from kproof.petri.net.net import Choice
from kproof.petri.net.terms import Bag, Constant, Function, Variable, tuple_of
from kproof.petri.papers.classes import ByRecord, ECs, SensitiveValue, Tokens
from kproof.petri.papers.publisher import ATTACK, DISCLOSED, Names, Publisher
from kproof.petri.spaces.figures import Figure, so_far
from kproof.petri.spaces.limits import Clock, Ended, clock_for_judging
from kproof.petri.spaces.space import Completeness, InPart, StateSpace
from kproof.theory.exact.typed import Number


@dataclass(frozen=True)
class Attacker:
    """One attack by an adversary with background knowledge."""

    attack: str
    """Name of an attack of :data:`kproof.models.attacks.ATTACKS`."""
    background: BackgroundKnowledge = field(default_factory=BackgroundKnowledge)
    """Whom she looks for and what she knows. Victims and members are given by row; without
    victims she looks for someone in each class, or for everyone on the level of records."""
    tau: Fraction = Fraction(1)
    """A victim is disclosed when the posterior is at least this, 0 < tau ≤ 1."""
    options: Mapping[str, object] = field(default_factory=dict)
    """The attack's own."""

    def __call__(self, evidence: PublishedClasses) -> Disclosure | None:
        """Return what is disclosed, or None if what she knows contradicts what is published."""
        try:
            disclosure: Disclosure = ATTACKS[self.attack].run(
                evidence, background=self.background, tau=self.tau, **self.options
            )
        except DataError:
            return None
        return disclosure


def attacker(
    attack: str,
    background: BackgroundKnowledge | None = None,
    *,
    tau: Number = 1,
    **options: object,
) -> Attacker:
    """Return an attacker by the name of the attack, with its own options and 0 < tau ≤ 1.

    Without ``background`` she knows which class her victims are in, and nothing else.

    >>> attacker("homogeneity").tau
    Fraction(1, 1)
    """
    require_judged(attack).complete_arguments(options)
    return Attacker(
        attack,
        BackgroundKnowledge() if background is None else background,
        TAU.read(tau),
        dict(options),
    )


def require_judged(name: str) -> Attack:
    """Return the registered attack of a name; InvalidArgument if a net cannot judge it.

    It publishes tables with sensitive values and perhaps categories, of which no row is left out.

    >>> require_judged("suppression")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: attack = suppression: need one that a net can judge: ...
    """
    judged = {
        attack.name: attack
        for attack in ATTACKS.values()
        if attack.kind is Kind.TABLE and attack.needs <= {Needs.SENSITIVE, Needs.CATEGORIES}
    }
    if name not in judged:
        raise InvalidArgument(
            "attack", name, one_of(name, judged, first="one that a net can judge:")
        )
    return judged[name]


def attacked(publisher: Publisher, attackers: Sequence[Attacker]) -> Publisher:
    """Add attackers to a publisher: the places BK and SA Disc, and a transition for each attack.

    Attacks that succeed do so in any order: n of them after one publication are 2^n states. Name
    the victims of interest where there are many. An attack may occur once, and needs what it looks
    at: categories, quasi-identifiers, rows of victims.

    >>> from kproof.petri.papers.theta_sensitive import theta_publisher
    >>> publisher = theta_publisher([["HIV", "Cancer"]], k=2, categories={"HIV": 1, "Cancer": 1})
    >>> net = attacked(publisher, [attacker("categorical-similarity")]).net()
    >>> print(net.initial["BK"])
    {('categorical-similarity', 0): 1}
    """
    names = [adversary.attack for adversary in attackers]
    if not names or len(set(names)) < len(names):
        raise InvalidArgument("attackers", ", ".join(names), "one attack or more, each once")
    ready = [prepare(publisher, adversary) for adversary in attackers]
    build = publisher.build
    attack = Enumeration("Attack", tuple(names))
    person = Integers("Aid", 0, people(publisher) - 1)
    value = Open("As", lambda token: isinstance(token, SensitiveValue))
    pair = Product("Attack × Aid", (attack, person))
    gained = Product("Attack × Aid × As", (attack, person, value))
    knowledge = Bag(
        tuple(
            (1, Constant((adversary.attack, victim), pair))
            for adversary in ready
            for victim in victims(publisher, adversary.background)
        )
    )
    build.place("BK", pair, knowledge, note="whom an adversary looks for")
    build.place(DISCLOSED, gained, note="what she ends up holding")
    ecs, i, s = Variable("ecs", publisher.colour), Variable("i", person), Variable("s", value)
    judged: list[Callable[[ECs], bool]] = []
    for adversary in ready:
        outcome, asks = _outcome(publisher, adversary)
        judged.append(asks)
        disclosed = Function(f"{adversary.attack}", outcome, note="what the attack discloses of i")
        named_attack = Constant(adversary.attack, attack)
        build.transition(
            f"{ATTACK}{adversary.attack}", takes={"BK": tuple_of(named_attack, i)},
            reads={publisher.published: ecs}, puts={DISCLOSED: tuple_of(named_attack, i, s)},
            choices=(Choice(s, disclosed, (i, ecs)),), note=ATTACKS[adversary.attack].summary,
        )  # fmt: skip
    return replace(publisher, judges=lambda ecs: all(asks(ecs) for asks in judged))


def people(publisher: Publisher) -> int:
    """Return how many people there are to look for: classes, or records."""
    if isinstance(publisher.kind, ByRecord):
        return 1 + max(row for members in publisher.formed.rows for row in members)
    return len(publisher.formed.values)


def victims(publisher: Publisher, background: BackgroundKnowledge) -> tuple[int, ...]:
    """Return the rows of the people an adversary looks for, each of which there has to be."""
    if background.victims is None:
        member_rows = {person.row for person in background.members}
        return tuple(row for row in range(people(publisher)) if row not in member_rows)
    return tuple(_row(publisher, person) for person in background.victims)


def read_background(
    background: BackgroundKnowledge | Mapping[str, object] | None,
) -> BackgroundKnowledge | None:
    """Return background knowledge that may be given in its JSON form."""
    if background is None or isinstance(background, BackgroundKnowledge):
        return background
    return background_of(background)


def require_known(publisher: Publisher, background: BackgroundKnowledge) -> None:
    """Check that background knowledge can be used, and leaves somebody to look for.

    It speaks of rows and values that there are. A member of a class, of whom there is no row, needs
    a value; one that is not in the domain raises DataError. Tokens of values do not say which of
    them are noise, nor what is known of quasi-identifiers.
    """
    if background.columns is not None and background.matching is Matching.CLASS:
        needed = "matching by cover; who knows the class needs no columns"
        raise InvalidArgument("columns", ", ".join(background.columns), needed)
    if not isinstance(publisher.kind, ByRecord):
        if background.noise_recognised and publisher.threshold is not None:
            needed = "tokens of records (--detail records); values do not say which are noise"
            raise InvalidArgument("noise_recognised", "true", needed)
        for person in background.members:
            if person.value is None:
                raise InvalidArgument("value", None, f"what member {person.row} has")
    for person in (*(background.victims or ()), *background.members):
        _row(publisher, person)
        for value in (*person.excluded, *(() if person.value is None else (person.value,))):
            if value not in publisher.formed.domain:
                raise DataError(f"background: value {show(str(value))} is not in the domain")
    if not victims(publisher, background):
        raise InvalidArgument("victims", "nobody", "one person or more whom she looks for")


def evidence(publisher: Publisher, ecs: ECs) -> PublishedClasses:
    """Return published classes as the attacks see them.

    >>> from kproof.petri.papers.theta_sensitive import theta_publisher
    >>> publisher = theta_publisher([["HIV", "Flu"]], k=2)
    >>> evidence(publisher, publisher.formed.tokens("values")[2]).classes.values
    ('Flu', 'HIV')
    """
    formed, kind, count = publisher.formed, publisher.kind, len(ecs)
    entries = [
        (number, int(value))
        for number, ec in enumerate(ecs)
        for value, times in kind.multiset(ec).items()
        for _ in range(times)
    ]
    real = None
    columns: tuple[Shown, ...] = ()
    if isinstance(kind, ByRecord):
        rows = [(number, record) for number, ec in enumerate(ecs) for record in ec]
        entries = [(number, int(record.value)) for number, record in rows]
        real = np.array([not record.dummy for _, record in rows])
        class_of = np.full(people(publisher), -1, dtype=np.int64)
        actual = np.zeros(people(publisher), dtype=np.int64)
        for number, record in rows:
            if not record.dummy:
                class_of[record], actual[record] = number, record.value
        if formed.table is not None:
            # Classes with equal labels are one to her, as to every reader.
            qi = formed.table.quasi_identifiers
            into, first = merge_equal_labels(
                [recode(column, class_of, count) for column in qi], count
            )
            entries = [(int(into[number]), value) for number, value in entries]
            # Who is in no class has -1, and the last element is the -1 appended here.
            class_of, count = np.append(into, -1)[class_of], len(first)
            columns = tuple(encode_labels(recode(column, class_of, count)) for column in qi)
    else:
        class_of = np.arange(len(ecs), dtype=np.int64)
        actual = np.full(len(ecs), -1, dtype=np.int64)
    # A missing value is of no category that a reader knows, and so of one of its own.
    kind_of = {value: formed.categories.get(value, value) for value in formed.domain}
    kinds = tuple(dict.fromkeys((*formed.categories.values(), *kind_of.values())))
    category = (
        None
        if _without_category(publisher)
        else np.array([kinds.index(kind_of[value]) for value in formed.domain], dtype=np.int64)
    )
    classes = Classes(
        np.array([number for number, _ in entries], dtype=np.int64),
        count,
        np.array([value for _, value in entries], dtype=np.int64),
        formed.domain,
        real=real,
        category=category,
        categories=kinds if category is not None else (),
        missing_as=formed.missing_as,
    )
    return PublishedClasses(classes, class_of, actual, columns)


def prepare(publisher: Publisher, adversary: Attacker) -> Attacker:
    """Return an attacker with the publisher's θ, after checking that the attack can be tried.

    It is refused where there are none of the categories or quasi-identifiers that it needs.
    """
    formed, entry = publisher.formed, require_judged(adversary.attack)
    if Needs.CATEGORIES in entry.needs and (lacking := _without_category(publisher)):
        raise InvalidArgument("categories", f"none for {lacking[0]}", "one for each value")
    require_known(publisher, adversary.background)
    if "k" in entry.parameters:
        options = {"k": publisher.k, **adversary.options}
        # Only where nobody chose one: an attack may be tried with another μ than the publisher's.
        if publisher.threshold is not None and "mu" in entry.parameters:
            options.setdefault("mu", publisher.threshold.mu)
        adversary = replace(adversary, options=options)
    # What an attack lacks it says at once, and not first in the middle of a run.
    level = Tokens.RECORDS if isinstance(publisher.kind, ByRecord) else Tokens.VALUES
    adversary(evidence(publisher, formed.tokens(level)[2]))
    return adversary


def hits(disclosure: Disclosure | None) -> dict[int, SensitiveValue]:
    """Return what an attack discloses, by the row of the victim; of a contradiction nothing."""
    if disclosure is None:
        return {}
    names = disclosure.domain
    targets = (disclosure.victim(int(index)) for index in disclosure.disclosed)
    return {
        hit.row: SensitiveValue(names.index(hit.guess), hit.guess)
        for hit in targets
        if hit.row is not None
    }


def _without_category(publisher: Publisher) -> list[object]:
    """Return the values that have no category, what is missing apart."""
    categories = publisher.formed.categories
    return [v for v in publisher.formed.domain if v is not MISSING and v not in categories]


def _row(publisher: Publisher, person: Person) -> int:
    last = people(publisher) - 1
    if person.row is None or not 0 <= person.row <= last:
        raise InvalidArgument("row", person.row, f"the number of a victim, 0 to {last}")
    return person.row


def _outcome(
    publisher: Publisher, adversary: Attacker
) -> tuple[Callable[[int, ECs], tuple[SensitiveValue, ...]], Callable[[ECs], bool]]:
    """Return what an attack on published classes discloses of someone, and if it judges anyone."""

    # Bindings ask for one victim after another, and an attack answers for all of them at once.
    @lru_cache(maxsize=1 << 12)
    def disclose(ecs: ECs) -> tuple[Mapping[int, SensitiveValue], bool]:
        learned = adversary(evidence(publisher, ecs))
        return hits(learned), learned is not None and learned.unmatched < learned.victims

    def outcome(i: int, ecs: ECs) -> tuple[SensitiveValue, ...]:
        value = disclose(ecs)[0].get(i)
        return () if value is None else (value,)

    return outcome, lambda ecs: disclose(ecs)[1]


class _Certain(Protocol):
    @property
    def certainty(self) -> Fraction: ...


B = TypeVar("B", bound=_Certain)


@dataclass(frozen=True)
class BeliefsAfterEach(InPart, Generic[B]):
    """What somebody believes after every publication."""

    beliefs: tuple[B, ...] = field(repr=False)
    """One for each end with a publication and each victim, in the order of the ends."""
    contradicted: int
    """Ends whose publication is impossible if what the adversary knows is true."""
    status: Completeness = Completeness.FULL
    """Whether these are all beliefs: the space is full, and the time for judging was not over."""

    @cached_property
    def worst(self) -> B | None:
        """The belief that is most certain, the first among equals; None if there is none."""
        return max(self.beliefs, key=lambda belief: belief.certainty, default=None)


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

    @property
    def certainty(self) -> Fraction:
        """The probability of the bet."""
        return self.victim.posterior

    to_dict = JsonForm("*victim disclosed published=str(published)")


@dataclass(frozen=True)
class AttackBeliefs(BeliefsAfterEach[AttackBelief]):
    """What an attack believes after every publication."""

    attack: str = ""
    """Its name."""

    @property
    def disclosed(self) -> int:
        """How many of the beliefs count as disclosures."""
        return sum(belief.disclosed for belief in self.beliefs)

    @property
    def figures(self) -> dict[str, Figure]:
        """How many beliefs and disclosures there are."""
        return self.figures_of("beliefs disclosed contradicted")

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

    # Many ends publish the same classes, which an attack judges once.
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
        AttackBeliefs(tuple(believed), count, status, adversary.attack)
        for adversary, believed, count in zip(ready, beliefs, contradicted, strict=True)
    )
