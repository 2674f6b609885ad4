"""What an adversary believes of someone in a class, over everything that a publisher can publish.

Every assignment of people to rows is one of each class, so beliefs about a class depend on that
class alone: each letter of the publications is judged once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from kproof.errors import DataError
from kproof.forms import JsonForm
from kproof.models.attacks import BackgroundKnowledge
from kproof.petri.papers.attackers import victims
from kproof.petri.papers.classes import EC
from kproof.petri.papers.gain import Bet, worst_beliefs
from kproof.petri.papers.publisher import Publisher
from kproof.petri.spaces.words import Words


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
    domain = publisher.formed.domain
    sought = set(victims(publisher, knows))
    posteriors_of = {
        (position, letter): class_posteriors(publisher, position, class_token(letter), knows, tick)
        for position in range(words.length)
        for letter in (words.letters(position) if words.edges else ())
    }
    possible = words.only(lambda position, letter: posteriors_of[position, letter] is not None)
    worst: list[ClassBelief] = []
    certain = beliefs = 0
    for position in range(words.length):
        if position not in sought or not possible.edges:
            continue
        strongest: ClassBelief | None = None
        for letter, count in possible.letters(position).items():
            tick()
            names = publisher.names((class_token(letter),))[0]
            for posterior in posteriors_of[position, letter] or ():
                if not posterior:
                    continue
                by_value = {domain[code]: p for code, p in posterior.items()}
                belief = ClassBelief(position, names, count, by_value)
                beliefs += count
                certain += count * (belief.certainty == 1)
                if strongest is None or belief.certainty > strongest.certainty:
                    strongest = belief
        if strongest is not None:
            worst.append(strongest)
    return ClassBeliefs(tuple(worst), certain, beliefs, words.count - possible.count)


def class_posteriors(
    publisher: Publisher,
    position: int,
    ec: EC,
    background: BackgroundKnowledge,
    tick: Callable[[], object] = int,
) -> list[Mapping[int, Fraction]] | None:
    """Return the posteriors of the victims in a class, by the code of a value.

    None if the class contradicts what is known; ``tick`` is called before.
    """
    tick()
    knows = restrict_to_class(background, position)
    try:
        believed = worst_beliefs(publisher, knows, (ec,))
        count = 1 if knows.victims is None else len(knows.victims)
        if knows.victims is None and knows.members:
            count = 0
        return [believed.posterior(victim) for victim in range(count)]
    except DataError:
        return None


def restrict_to_class(knows: BackgroundKnowledge, position: int) -> BackgroundKnowledge:
    """Return what is known of the people of one class, who are of class 0 there."""
    members = tuple(replace(person, row=0) for person in knows.members if person.row == position)
    if knows.victims is None:
        return replace(knows, members=members)
    sought = tuple(replace(person, row=0) for person in knows.victims if person.row == position)
    return replace(knows, victims=sought, members=members)
