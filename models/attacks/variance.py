"""Sensitive variance: a class whose values vary too little gives its people away."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from fractions import Fraction

import numpy as np

from kproof.models.attacks.background import BackgroundKnowledge
from kproof.models.attacks.base import Disclosure, disclosure, largest, reach
from kproof.models.attacks.beliefs import Beliefs, Weights
from kproof.models.attacks.evidence import PublishedClasses
from kproof.models.attacks.posteriors import believe
from kproof.models.base.parameters import GROUP_K
from kproof.models.base.verdict import Figure
from kproof.models.privacy.narrowest import least_width
from kproof.theory.exact.typed import Number, choice
from kproof.theory.theorems.theta import theta


class Criterion(StrEnum):
    """When a sensitive variance attack counts as a success."""

    VARIANCE = "variance"
    """As Definition 6 is used in the paper: V of what the adversary believes is below theta."""
    POSTERIOR = "posterior"
    """As an adversary gains by it: the largest share is at least tau."""


def sensitive_variance(
    evidence: PublishedClasses,
    *,
    background: BackgroundKnowledge,
    tau: Fraction = Fraction(1),
    mu: Number = "3/5",
    k: Number | None = None,
    criterion: Criterion | str = Criterion.VARIANCE,
) -> Disclosure:
    """Look for classes of low variance and bet on their most frequent value.

    V is the variance of the weights 1, ..., d given to a class's values by falling frequency, and
    theta = mu (k^2 - 1)/12 (Definition 6 and section 5.1 of the source), for classes of ``k`` rows
    or of the least published size. V below theta does not mean that much is learned, nor V above it
    that little is: the posterior is reported with either, and ``tau`` is its limit where it
    decides.

    Source: R. Khan et al., "θ-Sensitive k-Anonymity", Electronics 9(5), 716, 2020. EC3 of the
    paper's Table 4a has V = 0.6875 against theta = 0.75:

    >>> import numpy as np
    >>> from kproof.models.base.classes import Classes
    >>> rows = Classes(np.zeros(4, dtype=int), 1, np.array([2, 0, 1, 1]), ("Cancer", "Flu", "HIV"))
    >>> found = sensitive_variance(PublishedClasses.of(rows), background=BackgroundKnowledge(), k=4)
    >>> found.rule, len(found), found.worst.figures["V"], found.worst.posterior
    ('V < 3/4', 4, Fraction(11, 16), Fraction(1, 2))
    """
    chosen = choice("criterion", criterion, Criterion)
    sizes = evidence.classes.sizes
    smallest = max(int(sizes.min()), 2) if len(sizes) else 2
    size = smallest if k is None else GROUP_K.read(k)
    bound = theta(size, mu)
    beliefs = believe(evidence, background)
    result = disclosure("sensitive-variance", evidence, beliefs, tau)
    numerators, denominators = _least(evidence, beliefs) or variances(result.beliefs)

    def figures(group: int) -> Mapping[str, Figure]:
        attained = Fraction(int(numerators[group]), int(denominators[group]))
        return {"V": attained, "theta": bound}

    result = replace(result, figures=figures)
    if chosen is Criterion.POSTERIOR:
        return result
    matched = np.unique(beliefs.group[beliefs.group >= 0])
    exposed, worst = (
        ~reach(numerators, denominators, bound),
        # The least V is the largest of its negatives, found as exactly.
        largest(-numerators, denominators, matched),
    )
    return replace(result, rule=f"V < {bound}", exposed=exposed, worst_group=worst)


def _least(evidence: PublishedClasses, beliefs: Beliefs) -> tuple[Weights, Weights] | None:
    """Return V of each group in the completion that makes it least; None if nothing is open.

    Where that is more than a search may take, a lower bound stands for it, which discloses more.
    """
    if not evidence.doubtful or evidence.missing is None or not len(beliefs.codes):
        return None
    gaps = beliefs.gaps(evidence.missing)
    filled = beliefs.fill_missing(evidence.missing, np.full(len(gaps), evidence.commonest))
    numerators, denominators = (part.astype(object) for part in variances(filled))
    # Less the gap itself, which is among the values.
    domain = int(np.count_nonzero(evidence.classes.histogram.totals)) - 1
    for group in np.flatnonzero(gaps != 0).tolist():
        entries = slice(int(beliefs.starts[group]), int(beliefs.starts[group + 1]))
        # Weights are in the proportion of rows; only rows can be filled in one by one.
        scale = int(beliefs.candidates[group]) // int(beliefs.totals[group])
        recorded = beliefs.weight[entries][beliefs.codes[entries] != evidence.missing]
        counts = sorted((int(weight) * scale for weight in recorded), reverse=True)
        width, _ = least_width(counts, int(gaps[group]) * scale, domain)
        numerators[group], denominators[group] = width.numerator, width.denominator
    return numerators, denominators


def variances(beliefs: Beliefs) -> tuple[Weights, Weights]:
    """Return V of each group's weights as numerators and denominators.

    >>> from kproof.models.base.classes import Classes
    >>> rows = Classes(np.zeros(4, dtype=int), 1, np.array([2, 0, 1, 1]), ("a", "b", "c"))
    >>> variances(believe(PublishedClasses.of(rows), BackgroundKnowledge()))
    (array([11]), array([16]))
    """
    starts, count, total = beliefs.starts, beliefs.weight, beliefs.totals
    if not len(count):
        return count, count
    widest = int(np.diff(starts).max())
    # What follows is below the square of totals times ranks, which has to fit into 64 bits.
    if count.dtype == object or int(total.max()) * widest >= 1 << 31:
        count, total = count.astype(object), total.astype(object)
    # By weight, then stably by group, so that the weights of each group fall.
    by_weight = np.argsort(-count, kind="stable")
    order = by_weight[np.argsort(beliefs.of_entry[by_weight], kind="stable")]
    rank = np.arange(len(count)) - starts[:-1][beliefs.of_entry] + 1
    ranked = count[order] * rank
    first = np.add.reduceat(ranked, starts[:-1])
    second = np.add.reduceat(ranked * rank, starts[:-1])
    return total * second - first * first, total * total
