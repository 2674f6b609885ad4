"""Theorems 2 to 5 evaluated: moments and an adversary in, a Bound out.

The four theorems differ in their formulas only (theorem2 to theorem5 hold them). What the formulas
are fed, which hypotheses are checked and which are left to the caller is settled here, once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from fractions import Fraction
from functools import cache

import sympy as sp
from flint import arb

from kproof.errors import InvalidArgument
from kproof.theory.exact import Enclosure, Number, integer, rational
from kproof.theory.laws.base import Law
from kproof.theory.reading import Reading
from kproof.theory.theorems import theorem2
from kproof.theory.theorems.adversary import Adversary
from kproof.theory.theorems.assumptions import Assumption
from kproof.theory.theorems.bounds import (
    ALL,
    Bound,
    Events,
    Hypothesis,
    Status,
    exact_text,
    out_of_range,
)
from kproof.theory.theorems.hypotheses import Situation, with_law_variance
from kproof.theory.theorems.lemma1 import EPSILON, EPSILON1, K, S, self_consistent_epsilon
from kproof.theory.theorems.moments import Moments
from kproof.theory.theorems.registry import theorem_of
from kproof.theory.theorems.statements import Statement
from kproof.theory.theorems.sums import Sums, sums
from kproof.theory.theorems.symbolic import NoValueError, enclose, in_floats
from kproof.theory.theorems.theorem3 import LAMBDA1, NEIGHBOURHOOD
from kproof.theory.theorems.unknown import moments_for, records

DEFAULT_K = 10
"""The k of the paper's Figures 2 to 4, where a caller gives none."""
_NARROW = 1e-30


def bound(
    statement: Statement,
    *,
    moments: Moments,
    adversary: Adversary,
    k: Number | None = None,
    epsilon: Number | None = None,
    epsilon1: Number | None = None,
    events: Events,
    others_only: bool = False,
    victim: int | None = None,
    assumed: Collection[Assumption] = (),
    law: Law | None = None,
) -> Bound:
    """Evaluate one reading of Theorem 2, 3, 4 or 5.

    See :func:`kproof.theory.theorems.api.bound` for the parameters.
    """
    theorem = statement.theorem
    if adversary.theorem != theorem:
        need = f"theorem {adversary.theorem} for an adversary of level {adversary.level}"
        raise InvalidArgument("theorem", theorem, need)
    corrected = statement.reading is Reading.CORRECTED
    entry = theorem_of(theorem)
    unknown = moments_for(adversary, moments, others_only=others_only, victim=victim)
    unknown = with_law_variance(unknown, law)
    symbols = sums(unknown_only=entry.unknown_only)
    count = records(moments, adversary)
    size = DEFAULT_K if k is None else integer("k", k, least=1, most=count)
    typed = None if epsilon is None else rational("epsilon", epsilon, least=0)
    values = symbols.values(unknown) | {S: adversary.s, K: Fraction(size)}
    largest = 1
    if entry.dependent:
        # Records whose values the law was given are as fixed as those that the adversary names.
        indexes: frozenset[int] = frozenset() if unknown.joint is None else unknown.joint.known
        largest = adversary.largest_neighbourhood(count, also_known=indexes)
        values[NEIGHBOURHOOD] = Fraction(largest)
        values[LAMBDA1] = Fraction(largest) if adversary.lambda1 is None else adversary.lambda1
    spread = symbols.variance_of_sum if entry.dependent else symbols.variance
    if spread in values and not values[spread] > 0:
        # A ball around 0 may be 0 for all that is known: the hypothesis that it is not then fails.
        values[spread] = Fraction(0)
    if epsilon1 is not None:
        values[EPSILON1] = rational("epsilon1", epsilon1, above=0)
    elif spread in values and values[spread] > 0:
        circular = self_consistent_epsilon(spread)
        values[EPSILON1] = enclose(circular, values, statement.where, relative_width=_NARROW)
    situation = Situation(entry, unknown, adversary, largest, others_only, assumed)
    hypotheses = situation.hypotheses()
    if corrected:
        events, coverage = situation.coverage(events, hypotheses)
        hypotheses += coverage
        # A log-concave sum has half-lines as its worst events: kappa is then 1 for every event.
        values[theorem2.KAPPA] = Fraction(events.kappa or 1)
        values[theorem2.BERRY_ESSEEN] = enclose(_berry_esseen(unknown), {}, relative_width=_NARROW)
    claimed: Enclosure | None = None
    try:
        claimed = statement.enclose("epsilon", values)
        # The ball and not the digits: δ is that of the statement's own ε, not of one rounded
        # outward.
        values[EPSILON] = statement.ball("epsilon", values) if typed is None else typed
    except NoValueError as failure:
        # The corrected δ holds at any ε that is typed: it needs none of the statement's own.
        if typed is None or not corrected:
            hypotheses += (Hypothesis("epsilon has a value", Status.FAILS, str(failure)),)
        if typed is not None:
            values[EPSILON] = typed
    if typed is not None and claimed is not None and not corrected:
        hypotheses += (_target_reached(claimed, typed),)
    hypotheses += statement.check("delta", values)
    delta: Enclosure | None = None
    try:
        # What the paper prints is shown as it comes out, even where it is no probability.
        limits = (0, 1) if corrected else (None, None)
        delta = statement.enclose("delta", values, low=limits[0], high=limits[1])
    except NoValueError as failure:
        hypotheses += (Hypothesis("delta has a value", Status.FAILS, str(failure)),)
    # Where a hypothesis fails nothing is proved but what always holds.
    if corrected and any(h.status is Status.FAILS for h in hypotheses):
        delta = Enclosure.exactly(1)
    flags = [] if corrected else [statement.remark]
    if delta is not None:
        flags += out_of_range(delta)
    return Bound(
        theorem=theorem,
        reading=statement.reading,
        epsilon=claimed if typed is None else Enclosure.exactly(typed),
        delta=delta,
        events=events if corrected else ALL,
        hypotheses=hypotheses,
        statement=statement,
        flags=tuple(flags),
        parameters={
            "n": str(unknown.n),
            "k": str(size),
            **adversary.parameters(),
            **({"others_only": "true"} if others_only else {}),
            **_sums_text(symbols, unknown),
        },
    )


@cache
def fast_corrected_delta(
    theorem: int, *, kappa: int = 1, binomial: bool = False
) -> Callable[..., float]:
    """Return the corrected delta of Theorem 2 or 3 as fast code, before it is cut at 1.

    ``theorem``: 2 or 3. ``kappa``: 1 for half-lines and log-concave sums, 2 for intervals.
    ``binomial``: whether the records are coins of one law, for which a better constant is proved.
    Returns a function of epsilon, the shift, the sums of variances and of absolute third moments;
    for Theorem 3 also of the sum of fourth moments and of the size of the largest neighbourhood.

    >>> round(fast_corrected_delta(2)(1.0, 1.0, 250_000.0, 125_000.0), 9)
    0.002075917
    """
    over = sums(unknown_only=False)
    arguments = [EPSILON, S, over.variance, over.absolute_third]
    entry = theorem_of(theorem)
    text = entry.statements.target[Reading.CORRECTED]
    if entry.dependent:
        arguments += [over.fourth, NEIGHBOURHOOD]
    constant = theorem2.BERNOULLI_CONSTANT if binomial else theorem2.INDEPENDENT_CONSTANT
    definitions = {
        **text.where,
        over.variance_of_sum: over.variance,
        theorem2.BERRY_ESSEEN: constant,
        theorem2.KAPPA: sp.Integer(kappa),
    }
    return in_floats(text.uncut("delta"), arguments, definitions)


def _target_reached(claimed: Enclosure, target: Fraction) -> Hypothesis:
    """Say whether the theorem's own epsilon is as small as the one asked for."""
    status = Status.HOLDS if Fraction(claimed.upper) <= target else Status.FAILS
    detail = f"the theorem gives epsilon = {claimed}; {exact_text(target)} was asked for"
    return Hypothesis("epsilon >= c' s / sigma", status, detail)


def _berry_esseen(moments: Moments) -> sp.Expr:
    if not moments.identical:
        return theorem2.INDEPENDENT_CONSTANT
    return theorem2.BERNOULLI_CONSTANT if moments.bernoulli else theorem2.IDENTICAL_CONSTANT


def _sums_text(symbols: Sums, moments: Moments) -> dict[str, str]:
    sums_by_name = {}
    for symbol, value in symbols.values(moments).items():
        if symbol is not symbols.n:
            text = value.str(12, radius=False) if isinstance(value, arb) else exact_text(value)
            sums_by_name[symbol.name.removesuffix("_unknown")] = text
    return sums_by_name
