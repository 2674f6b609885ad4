"""Theorems 2 to 5 evaluated: moments and an adversary in, a Bound out.

The four theorems differ in their formulas only (theorem2 to theorem5 hold them). What the formulas
are fed, which hypotheses are checked and which are left to the caller is settled here, once.
"""

from __future__ import annotations

from fractions import Fraction

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
from kproof.theory.moments import Moments
from kproof.theory.numbers import Number, integer, rational
from kproof.theory.statements import Statement
from kproof.theory.sums import Sums, sums
from kproof.theory.symbolic import NoValueError, enclose
from kproof.theory.theorem2 import (
    BERNOULLI_CONSTANT,
    BERRY_ESSEEN,
    IDENTICAL_CONSTANT,
    INDEPENDENT_CONSTANT,
    KAPPA,
)
from kproof.theory.theorem3 import LAMBDA1, NEIGHBOURHOOD

_LOG_CONCAVE = "log-concave sum"
_NARROW = 1e-30


def bound(
    statement: Statement,
    *,
    moments: Moments,
    adversary: Adversary,
    k: Number,
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
    size = integer("k", k, least=1)
    given = None if epsilon is None else rational("epsilon", epsilon, least=0)
    values = symbols.values(seen) | {S: adversary.s, K: Fraction(size)}
    if dependent:
        largest = adversary.largest_neighbourhood(_records(moments, adversary))
        values[NEIGHBOURHOOD] = Fraction(largest)
        values[LAMBDA1] = Fraction(largest) if adversary.lambda1 is None else adversary.lambda1
    spread = symbols.variance_of_sum if dependent else symbols.variance
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


def _records(moments: Moments, adversary: Adversary) -> int:
    """Return how many records there are, the known ones included."""
    if moments.records is not None:
        return moments.n
    if adversary.known is not None:
        return moments.n + len(adversary.known)
    if adversary.lambda2 is not None:
        return int(moments.n / (1 - adversary.lambda2))
    return moments.n


def _unknown(
    moments: Moments, adversary: Adversary, *, others_only: bool, victim: int | None
) -> Moments:
    """Return the sums over the records that are random to the adversary."""
    if moments.records is None:
        if others_only:
            raise InvalidArgument(
                "others_only", "true with typed sums", "sums that leave the victim's record out"
            )
        return moments
    known = adversary.known or frozenset()
    left = adversary.unknown(moments.n)
    if others_only and victim is not None:
        known |= {integer("victim", victim, least=0, most=moments.n - 1)}
        left = moments.n - len(known)
    elif others_only:
        left -= 1
    if left < 1:
        raise InvalidArgument("others_only", f"{left} other records", "at least one")
    located = adversary.known is not None or victim is not None
    return moments.of_unknown(left, known if located else None)


def _owed(
    theorem: int, moments: Moments, adversary: Adversary, *, others_only: bool
) -> tuple[Hypothesis, ...]:
    """Name what no input can show: the caller answers for it."""
    owed = []
    if theorem in (2, 4):
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
    integral = adversary.s.denominator == 1
    if moments.bernoulli and integral:
        return ALL, (
            Hypothesis(_LOG_CONCAVE, Status.HOLDS, "independent 0/1 records, integral shift"),
        )
    if log_concave:
        return ALL, (
            Hypothesis(
                _LOG_CONCAVE,
                Status.OWED,
                "every record has a log-concave density, or log-concave masses on one lattice of "
                "which the shift is a multiple",
            ),
        )
    if events.kappa is None:
        return events, (
            Hypothesis(
                _LOG_CONCAVE,
                Status.FAILS,
                "a Kolmogorov distance controls no event beyond unions of intervals",
            ),
        )
    return events, ()


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
