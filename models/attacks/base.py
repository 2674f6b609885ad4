"""What an attack answers: a Disclosure, with the exact posterior of every victim."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from html import escape

import numpy as np
from numpy.typing import NDArray

from kproof.errors import InvalidArgument
from kproof.forms import JsonForm
from kproof.models.attacks.beliefs import Beliefs, Weights, products
from kproof.models.attacks.evidence import PublishedClasses
from kproof.models.base.arrays import Codes
from kproof.models.base.verdict import SCHEMA, Figure, Scope
from kproof.notebooks import NotebookText, latex_lines, latex_value, latex_words


class Secret(StrEnum):
    """What an attack discloses."""

    VALUE = "value"
    CATEGORY = "category"


@dataclass(frozen=True)
class Victim:
    """What the adversary holds against one person."""

    who: str
    """Their name, or their row."""
    row: int | None
    """Row of the microdata, from 0; None if they were given otherwise."""
    guess: object
    """The value (or category) she takes them to have; None if no published row can be theirs."""
    posterior: Fraction
    """Its exact probability."""
    distribution: Mapping[object, Fraction]
    """The probability of every value (or category) that is possible."""
    candidates: int
    """Published rows that can be theirs by class or quasi-identifiers."""
    figures: Mapping[str, Figure] = field(default_factory=dict)
    """What else the attack looked at."""
    right: bool | None = None
    """Whether the guess is true; None if that is not known."""

    to_dict = JsonForm("who row guess=str(guess) posterior distribution candidates figures right")


@dataclass(frozen=True, repr=False)
class Disclosure(NotebookText):
    """What an attack discloses; ``figures`` makes fractions only for the people that are shown."""

    attack: str
    """Its name."""
    target: Secret
    """Whether it discloses values or categories."""
    rule: str
    """When a person counts as disclosed, such as ``posterior >= 1``."""
    domain: tuple[object, ...]
    """The value (or category) of each code."""
    beliefs: Beliefs = field(repr=False)
    """Every victim's posterior."""
    guesses: Codes = field(repr=False)
    """Shape (groups,): the code the adversary bets on."""
    numerators: Weights = field(repr=False)
    denominators: Weights = field(repr=False)
    """Shape (groups,): its exact probability."""
    exposed: NDArray[np.bool_] = field(repr=False)
    """Shape (groups,): whether the rule holds."""
    worst_group: int | None
    """The group whose victims fare worst; None if nobody is matched."""
    actual: Codes = field(repr=False)
    """Shape (victims,): code each victim really has; -1 if not known."""
    figures: Callable[[int], Mapping[str, Figure]] = field(repr=False, compare=False)
    """Returns what else the attack looked at, by group."""
    scope: Scope = field(default_factory=Scope)
    """What the answer does not speak of."""
    remarks: tuple[str, ...] = ()
    """What else there is to say of it, a phrase each."""
    persons: int | None = None
    """Where rows are the victims: people of whom one row has a value by the rule; None where
    nobody judged people."""

    @property
    def victims(self) -> int:
        """How many people were looked for."""
        return len(self.beliefs.group)

    @property
    def unmatched(self) -> int:
        """How many of them no published row can belong to."""
        return int((self.beliefs.group < 0).sum())

    @cached_property
    def disclosed(self) -> Codes:
        """Positions of the victims for whom the rule holds, in their order."""
        # Group -1, somebody who is not matched, reads the last flag.
        exposed = np.append(self.exposed, False)
        return np.flatnonzero(exposed[self.beliefs.group]).astype(np.int64)

    @cached_property
    def right(self) -> int:
        """How many of the disclosed really have what the adversary bets on."""
        guesses = self.guesses[self.beliefs.group[self.disclosed]]
        return int((guesses == self.actual[self.disclosed]).sum())

    @cached_property
    def mean(self) -> float:
        """Mean probability of the adversary's bets over all victims, as a float."""
        matched = self.beliefs.group[self.beliefs.group >= 0]
        chances = (self.numerators / self.denominators).astype(np.float64)
        return float(chances[matched].sum() / self.victims) if self.victims else 0.0

    def counted(self, count: int) -> str:
        """Return so many of what is counted, such as ``1 person``."""
        noun = "row" if self.scope.several else "person"
        return f"{count} {noun if count == 1 else self.whom}"

    @property
    def whom(self) -> str:
        """What is counted: ``people``, or ``rows`` where some have several, each by itself."""
        return "rows" if self.scope.several else "people"

    @property
    def worst(self) -> Victim | None:
        """The person who fares worst, the first among equals; None if nobody is matched."""
        if self.worst_group is None:
            return None
        return self.victim(int(np.argmax(self.beliefs.group == self.worst_group)))

    def __bool__(self) -> bool:
        """Return whether anyone is disclosed, by a row or as a person."""
        return len(self.disclosed) > 0 or bool(self.persons)

    def __len__(self) -> int:
        return len(self.disclosed)

    def posterior(self, position: int) -> Fraction:
        """Return the exact probability of the adversary's bet on a victim, by position."""
        group = int(self.beliefs.group[position])
        if group < 0:
            return Fraction(0)
        return Fraction(int(self.numerators[group]), int(self.denominators[group]))

    def victim(self, position: int) -> Victim:
        """Return everything the adversary holds against a victim, by position."""
        group = int(self.beliefs.group[position])
        row = int(self.beliefs.rows[position])
        actual = int(self.actual[position])
        matched = group >= 0
        guess = int(self.guesses[group]) if matched else None
        return Victim(
            who=self.beliefs.names.get(position) or f"row {row}",
            row=None if row < 0 else row,
            guess=None if guess is None else self.domain[guess],
            posterior=self.posterior(position),
            distribution={
                self.domain[code]: share for code, share in self.beliefs.posterior(position).items()
            },
            candidates=int(self.beliefs.candidates[group]) if matched else 0,
            figures=self.figures(group) if matched else {},
            right=None if guess is None or actual < 0 else guess == actual,
        )

    @property
    def _headline(self) -> str:
        return f"{self.attack}: {len(self)} of {self.counted(self.victims)} disclosed ({self.rule})"

    def __str__(self) -> str:
        worst, bet = self.worst, ""
        if worst is not None:
            bet = f"; worst {worst.who}: {worst.guess} with probability {worst.posterior}"
        remarks = (f"; {remark}" for remark in self.remarks)
        return "".join([self._headline, bet, *remarks, str(self.scope)])

    def _repr_html_(self) -> str:
        return f"<p>{escape(str(self))}</p>"

    def _repr_latex_(self) -> str:
        lines = [f"& {latex_words(self._headline)}"]
        worst = self.worst
        if worst is not None:
            bet = latex_words(f"{worst.guess}")
            lines.append(rf"\max \Pr[{bet}] &= {latex_value(worst.posterior)}")
        beside = (*self.remarks, *self.scope.notes)
        return latex_lines([*lines, *(f"& {latex_words(note)}" for note in beside)])

    @property
    def _right(self) -> int | None:
        """Bets on disclosed people that are right; None where the original is not known."""
        return self.right if (self.actual[self.disclosed] >= 0).all() else None

    def _first(self, limit: int = 100) -> tuple[Victim, ...]:
        """Return the first of the disclosed people."""
        return tuple(self.victim(int(i)) for i in self.disclosed[: max(limit, 0)])

    to_dict = JsonForm(
        "attack target rule victims disclosed=len(disclosed) persons_disclosed=persons",
        "right=_right unmatched mean_posterior=mean worst persons=_first(limit)",
        "listed=len(_first(limit)) remarks *scope",
        schema=SCHEMA,
    )
    """The JSON form; ``limit`` is the most disclosed people that are listed one by one, 100."""


def reach(numerators: Weights, denominators: Weights, bound: Fraction) -> NDArray[np.bool_]:
    """Return which fractions are at least a bound, exactly.

    >>> reach(np.array([1, 2]), np.array([3, 3]), Fraction(2, 3)).tolist()
    [False, True]
    """
    # Multiplied out: as floats 1/3 would reach 1/3 or not as rounding has it.
    scaled = np.multiply(*products(numerators, np.array([bound.denominator])))
    right = np.multiply(*products(denominators, np.array([bound.numerator])))
    reached: NDArray[np.bool_] = np.asarray(scaled >= right, dtype=np.bool_)
    return reached


def largest(numerators: Weights, denominators: Weights, among: Codes) -> int | None:
    """Return which of some fractions is the largest, exactly, the first among equals."""
    if not len(among):
        return None
    # Floats are wrong by far less than 1e-12 of a number: the largest is among those so near.
    # Backwards, since of equal pairs the dictionary keeps the last.
    close = (numerators[among] / denominators[among]).astype(np.float64)
    near = among[close >= close.max() - 1e-12 * abs(close.max())][::-1]
    # Thousands may be 1 of 1: each pair is one fraction, of the first that has it.
    pairs = zip(numerators[near].tolist(), denominators[near].tolist(), strict=True)
    first = dict(zip(pairs, near.tolist(), strict=True))
    return int(max(first.items(), key=lambda item: (Fraction(*item[0]), -item[1]))[1])


def disclosure(
    attack: str,
    evidence: PublishedClasses,
    beliefs: Beliefs,
    tau: Fraction,
    *,
    categories: bool = False,
) -> Disclosure:
    """Return what the adversary discloses who bets on the most probable value (or category).

    Where missing values are taken for the worst, they are whatever makes that bet most probable.
    The beliefs may be about categories rather than values.
    """
    missing, category = evidence.missing, evidence.classes.category
    beliefs = at_worst(evidence, beliefs, categories=categories)
    bets = beliefs.best()
    actual = np.full(len(beliefs.group), -1, dtype=np.int64)
    by_row = beliefs.rows >= 0
    actual[by_row] = evidence.actual[beliefs.rows[by_row]]
    # Before codes become categories: the gap's category may be that of values as well.
    unsaid = actual == missing if evidence.doubtful else np.zeros(len(actual), dtype=np.bool_)
    domain = evidence.classes.values
    if categories and category is not None:
        domain = evidence.classes.categories
        actual[by_row] = category[actual[by_row]]
    actual[unsaid] = -1
    matched = np.unique(beliefs.group[beliefs.group >= 0])
    numerators, denominators = beliefs.weight[bets], beliefs.totals
    return Disclosure(
        attack=attack,
        target=Secret.CATEGORY if categories else Secret.VALUE,
        rule=f"posterior >= {tau}",
        domain=domain,
        beliefs=beliefs,
        guesses=beliefs.codes[bets],
        numerators=numerators,
        denominators=denominators,
        exposed=reach(numerators, denominators, tau),
        worst_group=largest(numerators, denominators, matched),
        actual=actual,
        figures=lambda _: {},
        scope=Scope.of(evidence.classes, sensitive=True),
    )


def at_worst(evidence: PublishedClasses, beliefs: Beliefs, *, categories: bool = False) -> Beliefs:
    """Return the beliefs of which a bet is most probable, whatever missing values are.

    They are as they stand if nothing is missing, or it is not taken for the worst.
    """
    missing, category = evidence.missing, evidence.classes.category
    if not evidence.doubtful or missing is None:
        return beliefs
    gap, otherwise = missing, evidence.commonest
    if categories and category is not None:
        gap, otherwise = int(category[gap]), int(category[otherwise])
    return beliefs.concentrate(gap, otherwise)


def needs_categories(evidence: PublishedClasses) -> Codes:
    """Return the category of each value."""
    if evidence.classes.category is None:
        raise InvalidArgument("categories", None, "a category for each sensitive value")
    return evidence.classes.category
