"""What a release may show at most, for whom it is, and who says so."""

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from kproof.forms import JsonForm


class Audience(StrEnum):
    """Who will read the release."""

    PUBLIC = "public"
    """Anybody, for ever."""
    AGREEMENT = "agreement"
    """Named readers who signed not to look for anybody."""
    STUDY = "study"
    """Nobody: the method is studied, and nothing is published. Judged as for the public."""


@dataclass(frozen=True)
class Thresholds:
    """Limits of a judgement; :data:`THRESHOLDS` has those of each audience.

    >>> THRESHOLDS[Audience.PUBLIC].largest, THRESHOLDS[Audience.AGREEMENT].largest
    (Fraction(1, 11), Fraction(1, 5))
    """

    largest: Fraction
    """The largest chance with which anybody's rows may be picked."""
    above: Fraction
    """The share of people whose chance may be larger than that."""
    mean: Fraction
    """The mean chance over all people."""
    bets: Fraction
    """The share of people about whom somebody may be sure without being certain."""
    gain: Fraction = Fraction(1, 2)
    """A guess counts from this much above the share that everybody knows: see ``GUESSED``."""
    common: Fraction = Fraction(9, 10)
    """A value that so many have tells nothing: who has it is not taken for found out."""
    window: Fraction = Fraction(1, 20)
    """Numbers within this relative distance of one another are one value."""
    own: Fraction = Fraction(1, 10)
    """A column of which more people than this hold a value of their own is an identifier."""
    single: Fraction = Fraction(1, 20)
    """Share of people whose exact number may occur once; numbers are rounded from there on."""

    to_dict = JsonForm()


GUESSED = "guessed with a chance 50 percentage points above its share"
"""What is said of a secret whose chance gains as much as ``gain``."""

THRESHOLDS = {
    Audience.PUBLIC: Thresholds(Fraction(1, 11), Fraction(0), Fraction(1, 20), Fraction(1, 100)),
    Audience.AGREEMENT: Thresholds(
        Fraction(1, 5), Fraction(1, 20), Fraction(1, 20), Fraction(1, 100)
    ),
}
"""The limits by audience, see ``docs/reference/judgement.md`` for who says so and where."""
THRESHOLDS[Audience.STUDY] = THRESHOLDS[Audience.PUBLIC]
