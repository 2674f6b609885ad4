"""Skewness: the release raises what an adversary believes far above what she knew before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from kproof.models.attacks.background import BackgroundKnowledge
from kproof.models.attacks.base import Disclosure, disclosure, largest, reach
from kproof.models.attacks.beliefs import Beliefs, Weights, best_of, products
from kproof.models.attacks.evidence import PublishedClasses
from kproof.models.attacks.posteriors import believe
from kproof.models.base.arrays import Codes
from kproof.models.base.missing import MissingAs
from kproof.models.base.verdict import Figure
from kproof.theory.exact.typed import Number, choice, rational


class Gain(StrEnum):
    """How posterior and prior are compared."""

    RATIO = "ratio"
    DIFFERENCE = "difference"


def skewness(
    evidence: PublishedClasses,
    *,
    background: BackgroundKnowledge,
    tau: Fraction = Fraction(1),
    gain: Gain | str = Gain.RATIO,
    least: Number | None = None,
) -> Disclosure:
    """Bet on the value whose probability the release raises most.

    The prior of a value is its share of all published rows (the setting of t-closeness and of
    beta-likeness), the posterior its share of what can be the victim's. A person is disclosed when
    the ``gain``, posterior/prior or posterior - prior, is at least ``least`` (above 0, for a
    difference at most 1), or without it when the posterior is at least ``tau``.

    Source of t-closeness: N. Li, T. Li, S. Venkatasubramanian, "t-closeness: privacy beyond
    k-anonymity and l-diversity", ICDE 2007, section 3.1.

    >>> from kproof.models.base.classes import Classes
    >>> values = np.array([0, 1, 0, 0, 0, 0, 0, 0])
    >>> rows = Classes(np.array([0, 0, 1, 1, 1, 1, 1, 1]), 2, values, ("Flu", "HIV"))
    >>> found = skewness(PublishedClasses.of(rows), background=BackgroundKnowledge(), least=4)
    >>> found.rule, len(found), found.worst.guess, found.worst.figures["gain"]
    ('posterior/prior >= 4', 2, 'HIV', Fraction(4, 1))
    """
    compared = choice("gain", gain, Gain)
    beliefs = believe(evidence, background)
    table = evidence.histogram(noise=not background.noise_recognised)
    prior = table.totals.copy()
    if evidence.missing is not None and evidence.classes.missing_as is MissingAs.EXCLUDE:
        prior[evidence.missing] = 0
    rows = int(prior.sum())
    stakes = _Stakes.of(beliefs, evidence, prior, rows)
    bets = _bets(stakes, rows, compared)
    weight, before, total = stakes.weight[bets], stakes.before[bets], stakes.totals
    numerators, denominators = _gain(weight, total, before, rows, compared)
    matched = np.unique(beliefs.group[beliefs.group >= 0])

    def figures(group: int) -> Mapping[str, Figure]:
        gain = Fraction(int(numerators[group]), int(denominators[group]))
        return {"prior": Fraction(int(before[group]), rows), "gain": gain}

    result = disclosure("skewness", evidence, beliefs, tau)
    exposed: NDArray[np.bool_] = reach(weight, total, tau)
    if evidence.doubtful and evidence.missing is not None:
        # Which bet gains most depends on all that is missing, in this class or another, so that
        # whoever some bet discloses counts.
        exposed |= result.exposed
        guesses = stakes.codes[bets]
        result = replace(result, beliefs=beliefs.fill_missing(evidence.missing, guesses))
    rule = result.rule
    if least is not None:
        limit = 1 if compared is Gain.DIFFERENCE else None
        bound = rational("least", least, above=0, most=limit)
        exposed = reach(numerators, denominators, bound)
        sign = "/" if compared is Gain.RATIO else " - "
        rule = f"posterior{sign}prior >= {bound}"
    return replace(
        result,
        rule=rule,
        guesses=stakes.codes[bets],
        numerators=weight,
        denominators=total,
        exposed=exposed,
        worst_group=largest(numerators, denominators, matched),
        figures=figures,
    )


def _gain(
    weight: Weights, total: Weights, before: Weights, rows: int, compared: Gain
) -> tuple[Weights, Weights]:
    """Return gains as numerators and denominators."""
    scaled = np.multiply(*products(weight, np.array([rows])))
    spread = np.multiply(*products(total, before))
    if compared is Gain.RATIO:
        return scaled, spread
    return scaled - spread, np.multiply(*products(total, np.array([rows])))


@dataclass(frozen=True)
class _Stakes:
    """What may be bet on, in the rows of the table."""

    starts: Codes
    codes: Codes
    """The entries of each group, as in :class:`~kproof.models.attacks.beliefs.Beliefs`."""
    weight: Weights
    before: Weights
    """Shape (entries,): weight of each value, and its rows in the table, as they are when the
    group's missing values are that value."""
    totals: Weights
    """Shape (groups,): what the weights of a group are shares of."""

    @classmethod
    def of(cls, beliefs: Beliefs, evidence: PublishedClasses, prior: Codes, rows: int) -> _Stakes:
        """Return the bets in the completion that is best for each, among all values there are."""
        if not evidence.doubtful or evidence.missing is None:
            before = prior[beliefs.codes]
            return cls(beliefs.starts, beliefs.codes, beliefs.weight, before, beliefs.totals)
        missing, gaps = evidence.missing, beliefs.gaps(evidence.missing)
        recorded = beliefs.codes != missing
        entries = (beliefs.of_entry, beliefs.codes, beliefs.weight)
        group, codes, weight = (array[recorded] for array in entries)
        domain = np.flatnonzero(prior)
        ranked = domain[np.argsort(prior[domain], kind="stable")]
        ranked = ranked[ranked != missing].tolist()
        certain = set(zip(group.tolist(), codes.tolist(), strict=True))
        # Of the values that nobody of a group is known to have, the rarest gains most.
        rarest = [
            (index, next((code for code in ranked if (index, code) not in certain), None))
            for index in np.flatnonzero(gaps != 0).tolist()
        ]
        added = np.array([pair for pair in rarest if pair[1] is not None], dtype=np.int64)
        added = added.reshape(-1, 2)
        group, codes = np.append(group, added[:, 0]), np.append(codes, added[:, 1])
        weight = np.append(weight, np.zeros(len(added), dtype=np.int64))
        order = np.lexsort((codes, group))
        group, codes, weight = group[order], codes[order], weight[order]
        # Weights are in the proportion of rows; what moves into the prior are rows.
        filled = gaps * (beliefs.candidates // beliefs.totals)
        # With one value all gaps of the table are that value, not only this group's.
        before = prior[codes] + filled[group] if len(ranked) > 1 else np.full(len(codes), rows)
        starts = np.searchsorted(group, np.arange(len(gaps) + 1)).astype(np.int64)
        return cls(starts, codes, weight + gaps[group], before, beliefs.totals)


def _bets(stakes: _Stakes, rows: int, compared: Gain) -> Codes:
    """Return the entry of largest gain of each group, exactly, the first among equals."""
    weight, before, starts = stakes.weight, stakes.before, stakes.starts
    of_entry = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    if compared is Gain.DIFFERENCE:
        numerators, _ = _gain(weight, stakes.totals[of_entry], before, rows, compared)
        return best_of(numerators, starts)
    close = (weight / before).astype(np.float64)
    bets = best_of(close, starts)
    rivals = np.flatnonzero(close >= close[bets][of_entry] * (1 - 1e-12))
    # Floats decide all but near ties; those with one pair of counts are ties indeed.
    chosen = bets[of_entry[rivals]]
    unlike = (weight[rivals] != weight[chosen]) | (before[rivals] != before[chosen])
    for group in np.unique(of_entry[rivals[unlike]]):
        entries = range(int(starts[group]), int(starts[group + 1]))
        bets[group] = max(entries, key=lambda e: (Fraction(int(weight[e]), int(before[e])), -e))
    return bets
