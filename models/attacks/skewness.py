"""Skewness: the release raises what an adversary believes far above what she knew before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from kproof.errors import InvalidArgument
from kproof.models.attacks.background import BackgroundKnowledge
from kproof.models.attacks.base import Disclosure, disclosure, largest, reach
from kproof.models.attacks.beliefs import Beliefs, Weights, products
from kproof.models.attacks.evidence import Evidence
from kproof.models.attacks.posteriors import believe
from kproof.models.classes import Codes
from kproof.models.verdict import Figure
from kproof.theory.numbers import Number, rational


class Gain(StrEnum):
    """How posterior and prior are compared."""

    RATIO = "ratio"
    DIFFERENCE = "difference"


def skewness(
    evidence: Evidence,
    *,
    background: BackgroundKnowledge,
    tau: Fraction = Fraction(1),
    gain: Gain | str = Gain.RATIO,
    least: Number | None = None,
) -> Disclosure:
    """Bet on the value whose probability the release raises most.

    The prior of a value is its share of all published rows (the setting of t-closeness [1]_ and
    of beta-likeness), the posterior its share of what can be the victim's.

    Parameters
    ----------
    evidence
        Published classes.
    background
        Whom the adversary looks for and what she knows.
    tau
        Without ``least``: a person is disclosed when the bet's probability is at least this.
    gain
        Whether posterior/prior or posterior - prior is compared.
    least
        A person is disclosed when the gain is at least this: above 0, for a difference at most 1.

    References
    ----------
    .. [1] N. Li, T. Li, S. Venkatasubramanian, "t-closeness: privacy beyond k-anonymity and
       l-diversity", ICDE 2007, section 3.1.

    Examples
    --------
    >>> from kproof.models.classes import Classes
    >>> values = np.array([0, 1, 0, 0, 0, 0, 0, 0])
    >>> rows = Classes(np.array([0, 0, 1, 1, 1, 1, 1, 1]), 2, values, ("Flu", "HIV"))
    >>> found = skewness(Evidence.of(rows), background=BackgroundKnowledge(), least=4)
    >>> found.rule, len(found), found.worst.guess, found.worst.figures["gain"]
    ('posterior/prior >= 4', 2, 'HIV', Fraction(4, 1))
    """
    try:
        compared = Gain(gain)
    except ValueError:
        raise InvalidArgument("gain", gain, "ratio or difference") from None
    beliefs = believe(evidence, background)
    table = evidence.histogram(noise=not background.noise_recognised)
    prior, rows = table.totals, int(table.totals.sum())
    bets = _bets(beliefs, prior, rows, compared)
    weight, total, before = beliefs.weight[bets], beliefs.totals, prior[beliefs.codes[bets]]
    numerators, denominators = _gain(weight, total, before, rows, compared)
    matched = np.unique(beliefs.group[beliefs.group >= 0])

    def figures(group: int) -> Mapping[str, Figure]:
        return {
            "prior": Fraction(int(before[group]), rows),
            "gain": Fraction(int(numerators[group]), int(denominators[group])),
        }

    found = disclosure("skewness", evidence, beliefs, tau)
    exposed: NDArray[np.bool_] = reach(weight, total, tau)
    rule = found.rule
    if least is not None:
        most = 1 if compared is Gain.DIFFERENCE else None
        bound = rational("least", least, above=0, most=most)
        exposed = reach(numerators, denominators, bound)
        sign = "/" if compared is Gain.RATIO else " - "
        rule = f"posterior{sign}prior >= {bound}"
    return replace(
        found,
        rule=rule,
        guesses=beliefs.codes[bets],
        numerators=weight,
        exposed=exposed,
        worst_group=largest(numerators, denominators, matched),
        figures=figures,
    )


def _gain(
    weight: Weights, total: Weights, before: Codes, rows: int, compared: Gain
) -> tuple[Weights, Weights]:
    """Return gains as numerators and denominators."""
    scaled = np.multiply(*products(weight, np.array([rows])))
    spread = np.multiply(*products(total, before))
    if compared is Gain.RATIO:
        return scaled, spread
    return scaled - spread, np.multiply(*products(total, np.array([rows])))


def _bets(beliefs: Beliefs, prior: Codes, rows: int, compared: Gain) -> Codes:
    """Return the entry of largest gain of each group, exactly, the first among equals."""
    before = prior[beliefs.codes]
    if compared is Gain.DIFFERENCE:
        numerators, _ = _gain(
            beliefs.weight, beliefs.totals[beliefs.of_entry], before, rows, compared
        )
        return beliefs.best(numerators)
    close = (beliefs.weight / before).astype(np.float64)
    bets = beliefs.best(close)
    rivals = np.flatnonzero(close >= close[bets][beliefs.of_entry] * (1 - 1e-12))
    # Floats decide all but near ties; those with one pair of counts are ties indeed.
    chosen = bets[beliefs.of_entry[rivals]]
    unlike = (beliefs.weight[rivals] != beliefs.weight[chosen]) | (before[rivals] != before[chosen])
    doubtful = np.unique(beliefs.of_entry[rivals[unlike]])
    for group in doubtful:
        own = range(int(beliefs.starts[group]), int(beliefs.starts[group + 1]))
        bets[group] = max(own, key=lambda e: (Fraction(int(beliefs.weight[e]), int(before[e])), -e))
    return bets
