"""Cells of days whose coins are tossed once each: what all that is said of them is worth.

A row is one person on one day. Its coin is its own, so a day is a sampled table (R7), and the days
are several with fresh coins (R12): parallel for people of one day, added up for a person of
several. Sums of shown cells are computed from what is published, and cost nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from kproof.errors import InvalidArgument
from kproof.forms import JsonForm
from kproof.models.tables.sampled.method import EPSILONS, MOST_K
from kproof.theory.exact.typed import Number, integer, rational
from kproof.theory.theorems.bounds import exact_text
from kproof.theory.theorems.releases.sampled import SCOPE, release_bound

VERSION = 1
"""Of the form of what is said of days."""

KIND = "serve-sampling"

DAYS = (1, 7, 30, 365)
"""Numbers of days of a person for which a bound is stated.

They are no number of days that there are: the first day with a row is a fact about the rows."""

MOST_DELTA = Fraction(1, 2)
"""δ of a day at which nobody is protected, whatever ε is stated."""

NEIGHBOURS = "one person of one day more or less"

_SCOPE = (
    SCOPE[0],
    "of a person on a day the first row alone takes part, and its cell is the day and the section",
    "coins are tossed when a day is closed and never again; what comes late takes no part",
    "on the publisher's word: nothing else is published of these rows, and the file of cells is "
    "the only one, neither copied nor put back to an earlier state",
    "how long an answer takes is not bounded",
)


@dataclass(frozen=True, slots=True)
class DailyBound:
    """What all answers are worth for a person of several days."""

    days: int
    """On how many days the person has a row."""
    epsilon: str
    """ε of these days together, exact."""
    delta: str
    """δ, rounded up."""

    to_dict = JsonForm()


@dataclass(frozen=True)
class DailySampling:
    """How the cells of days are sampled, and what follows from it; nothing of the rows."""

    k: int
    """Sampled people that every cell has at least."""
    beta: str
    """Chance that a row is kept, exact."""
    neighbours: str
    """Which worlds are to be told apart in vain."""
    bounds: tuple[DailyBound, ...] = field(repr=False)
    """What everything that is published is worth, by the number of days of a person."""
    scope: tuple[str, ...] = field(repr=False)
    """What the bounds stand on, and what they do not cover, one sentence each."""

    to_dict = JsonForm(schema=VERSION)

    @classmethod
    def of(cls, k: Number, beta: Number) -> DailySampling:
        """Return what follows from k and β.

        At least k sampled people, 1 to 1000, share a cell that is shown; a row is kept with chance
        beta.

        >>> [bound] = [one for one in DailySampling.of(5, "1/10").bounds
        ...            if (one.days, one.epsilon) == (30, "30")]
        >>> bound.delta[:9]
        '0.0008345'
        """
        threshold = integer("k", k, least=1, most=MOST_K)
        bounds = [
            DailyBound(
                days,
                exact_text(days * epsilon),
                str(
                    release_bound(
                        k=threshold, beta=beta, epsilon=days * epsilon, times=days
                    ).delta.upper
                ),
            )
            for days in DAYS
            for epsilon in EPSILONS
        ]
        # Of one day: whoever has a row on many is protected less by any chance.
        if all(Fraction(bound.delta) >= MOST_DELTA for bound in bounds if bound.days == 1):
            need = f"a chance that leaves delta below {MOST_DELTA} for one day, such as 1/2"
            raise InvalidArgument("beta", beta, need)
        chance = exact_text(rational("beta", beta))
        return cls(threshold, chance, NEIGHBOURS, tuple(bounds), _SCOPE)

    def document(self) -> dict[str, Any]:
        """Return its JSON document."""
        return {"schema": VERSION, "document": KIND} | self.to_dict()
