"""Theorems 2 to 5 evaluated: moments and an adversary in, a Bound out.

The four theorems differ in their formulas only (theorem2 to theorem5 hold them). What the formulas
are fed, which hypotheses are checked and which are left to the caller is settled here, once.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil

import sympy as sp
from flint import arb

from kproof.errors import InvalidArgument
from kproof.theory.adversary import Adversary
from kproof.theory.bounds import (
    ALL,
    Bound,
    Events,
    Hypothesis,
    Status,
    Variant,
    out_of_range,
    shown_exactly,
)
from kproof.theory.enclosure import Enclosure
from kproof.theory.lemma1 import EPSILON, EPSILON1, K, S, self_consistent_epsilon
from kproof.theory.moments import SUM_BITS, Moments, RecordMoments
from kproof.theory.numbers import Number, integer, rational
from kproof.theory.precision import working_bits
from kproof.theory.statements import Statement
from kproof.theory.sums import Sums, sums
from kproof.theory.symbolic import NoValueError, Value, ball_of, enclose
from kproof.theory.theorem2 import (
    BERNOULLI_CONSTANT,
    BERRY_ESSEEN,
    IDENTICAL_CONSTANT,
    INDEPENDENT_CONSTANT,
    KAPPA,
)
from kproof.theory.theorem3 import LAMBDA1, NEIGHBOURHOOD

DEFAULT_K = 10
"""The k of the paper's Figures 2 to 4, where a caller gives none."""

_LOG_CONCAVE = "log-concave sum"
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
    log_concave: bool = False,
) -> Bound:
    """Evaluate one variant of Theorem 2, 3, 4 or 5.

    See :func:`kproof.theory.theorems.bound` for the parameters.
    """
    theorem = statement.theorem
    if adversary.theorem != theorem:
        raise InvalidArgument(
            "theorem",
            theorem,
            f"theorem {adversary.theorem} for an adversary of level {adversary.level}",
        )
    corrected = statement.variant is Variant.CORRECTED
    dependent = theorem in (3, 5)
    seen = _unknown(moments, adversary, others_only=others_only, victim=victim)
    symbols = sums(unknown_only=theorem in (4, 5))
    size = DEFAULT_K if k is None else integer("k", k, least=1, most=records(moments, adversary))
    given = None if epsilon is None else rational("epsilon", epsilon, least=0)
    values = symbols.values(seen) | {S: adversary.s, K: Fraction(size)}
    if dependent:
        largest = adversary.largest_neighbourhood(records(moments, adversary))
        values[NEIGHBOURHOOD] = Fraction(largest)
        values[LAMBDA1] = Fraction(largest) if adversary.lambda1 is None else adversary.lambda1
    spread = symbols.variance_of_sum if dependent else symbols.variance
    if spread in values and not values[spread] > 0:
        # A ball around 0 may be 0 for all that is known: the hypothesis that it is not then fails.
        values[spread] = Fraction(0)
    if epsilon1 is not None:
        values[EPSILON1] = rational("epsilon1", epsilon1, above=0)
    elif spread in values and values[spread] > 0:
        circular = self_consistent_epsilon(spread)
        values[EPSILON1] = enclose(circular, values, statement.where, relative_width=_NARROW)

    hypotheses = _owed(theorem, seen, adversary, others_only=others_only)
    if corrected:
        events, coverage = _coverage(seen, adversary, events, dependent, log_concave)
        hypotheses += coverage
        # A log-concave sum has half-lines as its worst events: kappa is then 1 for every event.
        values[KAPPA] = Fraction(events.kappa or 1)
        values[BERRY_ESSEEN] = enclose(_berry_esseen(seen), {}, relative_width=_NARROW)
    claimed: Enclosure | None = None
    try:
        claimed = statement.enclose("epsilon", values)
        values[EPSILON] = statement.ball("epsilon", values) if given is None else given
    except NoValueError as failure:
        if given is None or not corrected:
            hypotheses += (Hypothesis("epsilon has a value", Status.FAILS, str(failure)),)
        if given is not None:
            values[EPSILON] = given
    if given is not None and claimed is not None and not corrected:
        hypotheses += (_reached(claimed, given),)
    hypotheses += statement.check("delta", values)
    delta: Enclosure | None = None
    try:
        limits = (0, 1) if corrected else (None, None)
        delta = statement.enclose("delta", values, low=limits[0], high=limits[1])
    except NoValueError as failure:
        hypotheses += (Hypothesis("delta has a value", Status.FAILS, str(failure)),)
    if corrected and any(h.status is Status.FAILS for h in hypotheses):
        delta = Enclosure.exactly(1)
    flags = [] if corrected else [statement.remark]
    if delta is not None:
        flags += out_of_range(delta)
    return Bound(
        theorem=theorem,
        variant=statement.variant,
        epsilon=claimed if given is None else Enclosure.exactly(given),
        delta=delta,
        events=events if corrected else ALL,
        hypotheses=hypotheses,
        flags=tuple(flags),
        parameters={
            "n": str(seen.n),
            "k": str(size),
            **adversary.parameters(),
            **({"others_only": "true"} if others_only else {}),
            **_shown_sums(symbols, seen),
        },
    )


def records(moments: Moments, adversary: Adversary) -> int:
    """Return how many records there are, the known ones included."""
    if moments.records is not None:
        return moments.n
    if adversary.known is not None:
        return moments.n + len(adversary.known)
    if adversary.lambda2 is not None:
        # The only N with N - ceil(lambda2 N) = n up to rounding of lambda2 N.
        return ceil(moments.n / (1 - adversary.lambda2))
    return moments.n


def _unknown(
    moments: Moments, adversary: Adversary, *, others_only: bool, victim: int | None
) -> Moments:
    """Return the sums over the records that are random to the adversary."""
    if victim is not None and not others_only:
        raise InvalidArgument("victim", victim, "others_only with it")
    if moments.records is None:
        if others_only:
            raise InvalidArgument(
                "others_only", "true with typed sums", "sums that leave the victim's record out"
            )
        return moments
    left = adversary.unknown(moments.n)
    known = adversary.known
    if others_only:
        if victim is None and not isinstance(moments.records, RecordMoments):
            raise InvalidArgument("victim", None, "the victim's index: these records differ")
        index = None if victim is None else integer("victim", victim, least=0, most=moments.n - 1)
        left -= known is None or index not in known
        if index is not None and adversary.lambda2 is None:
            known = (known or frozenset()) | {index}
    if left < 1:
        raise InvalidArgument("others_only", f"{left} other records", "at least one")
    return moments.of_unknown(left, known)


def _owed(
    theorem: int, moments: Moments, adversary: Adversary, *, others_only: bool
) -> tuple[Hypothesis, ...]:
    """Name what no input can show: the caller answers for it."""
    owed = []
    if theorem in (2, 4):
        if _differ(moments.variance_of_sum, moments.variance):
            return (
                Hypothesis(
                    "independent records",
                    Status.FAILS,
                    "the variance of the sum is not the sum of the variances",
                ),
            )
        owed.append(("independent records", "the records are independent of one another"))
    else:
        owed.append(
            (
                "dependency graph",
                "records without an edge between them are jointly independent"
                if adversary.lambda1 is None
                else "the records outside the dependent fraction lambda1 are independent",
            )
        )
        if moments.variance_of_sum is None:
            owed.append(
                ("variance of the sum", "not given: taken as the sum of variances (uncorrelated)")
            )
    if theorem in (4, 5) or others_only:
        owed.append(
            ("conditional moments", "the moments are those given everything the adversary knows")
        )
    return tuple(Hypothesis(name, Status.OWED, detail) for name, detail in owed)


def _coverage(
    moments: Moments, adversary: Adversary, events: Events, dependent: bool, log_concave: bool
) -> tuple[Events, tuple[Hypothesis, ...]]:
    """Decide which events the corrected statement covers; log-concavity gives all of them."""
    if dependent:
        if events.kappa is None:
            return events, (
                Hypothesis("events", Status.FAILS, "Stein's bound covers unions of intervals"),
            )
        return events, ()
    found = _log_concavity(moments, adversary, asked=log_concave)
    if found is not None:
        return (ALL if found.status is not Status.FAILS else events), (found,)
    if events.kappa is None:
        detail = "a Kolmogorov distance controls no event beyond unions of intervals"
        return events, (Hypothesis(_LOG_CONCAVE, Status.FAILS, detail),)
    return events, ()


def _log_concavity(moments: Moments, adversary: Adversary, *, asked: bool) -> Hypothesis | None:
    """Say whether the sum of independent records is log-concave, or None if nothing is known."""
    if moments.bernoulli:
        if adversary.s.denominator == 1:
            return Hypothesis(_LOG_CONCAVE, Status.HOLDS, "0/1 records, whole shift")
        why = "0/1 records: a shift that is not whole leaves their lattice"
        return Hypothesis(_LOG_CONCAVE, Status.FAILS, why) if asked else None
    if moments.law is not None:
        aligned = (adversary.s / moments.law.step).denominator == 1
        if moments.law.log_concave and aligned:
            return Hypothesis(_LOG_CONCAVE, Status.HOLDS, "the masses of one record, exactly")
        why = (
            "the shift is no multiple of the lattice step" if not aligned else "the column's is not"
        )
        return Hypothesis(_LOG_CONCAVE, Status.FAILS, why) if asked else None
    if not asked:
        return None
    return Hypothesis(
        _LOG_CONCAVE,
        Status.OWED,
        "every record has a log-concave density, or log-concave masses on one lattice of which "
        "the shift is a multiple",
    )


def _differ(x: Value | None, y: Value | None) -> bool:
    """Say whether two values are known and certainly not equal."""
    if x is None or y is None:
        return False
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return x != y
    with working_bits(SUM_BITS):
        return not ball_of(x).overlaps(ball_of(y))


def _reached(claimed: Enclosure, asked: Fraction) -> Hypothesis:
    """Say whether the theorem's own epsilon is as small as the one asked for."""
    return Hypothesis(
        "epsilon >= c' s / sigma",
        Status.HOLDS if Fraction(claimed.upper) <= asked else Status.FAILS,
        f"the theorem gives epsilon = {claimed}; {shown_exactly(asked)} was asked for",
    )


def _berry_esseen(moments: Moments) -> sp.Expr:
    if not moments.identical:
        return INDEPENDENT_CONSTANT
    return BERNOULLI_CONSTANT if moments.bernoulli else IDENTICAL_CONSTANT


def _shown_sums(symbols: Sums, moments: Moments) -> dict[str, str]:
    shown = {}
    for symbol, value in symbols.values(moments).items():
        if symbol is not symbols.n:
            name = symbol.name.removesuffix("_unknown")
            shown[name] = (
                value.str(12, radius=False) if isinstance(value, arb) else shown_exactly(value)
            )
    return shown
