"""Hoeffding's inequality for the count M ~ Bin(n, p), from its generating function.

``e`` is the exponential function under a name of its own, so that products of its values stay as
they are written. ``W(m, n, p, t)`` adds up e^(t x) P(x) for x up to m, so that W at n is E e^(t M);
it is at most e^(n (p t + t^2/8)), record by record, and a tail is at most that, divided by e^(t m).
Nothing is assumed.
"""

from __future__ import annotations

import sympy as sp

from kproof.theory.derivations import methods as by
from kproof.theory.derivations.derivation import Step
from kproof.theory.derivations.formulas import added, at_most, both, equal, less
from kproof.theory.derivations.proofs.counts import (
    BELOW,
    CHANCE,
    LOWER_TAIL,
    PROB,
    M,
    N,
    X,
    below,
    hoeffding,
    mass,
)
from kproof.theory.derivations.proofs.exact_counts import POSITIVE
from kproof.theory.derivations.proofs.gaussian import EXP_RISES, HIGH, LOW

_T = sp.Symbol("t", real=True)
_V = sp.Symbol("v", real=True)
_J = sp.Symbol("j", integer=True)
_EXP = sp.Function("e")
_MOMENT = sp.Function("W")

_MEAN = N * PROB
_ONE = 1 - PROB + PROB * sp.exp(_T)
_FACTOR = 1 - PROB + PROB * _EXP(_T)
_BOUND = PROB * _T + _T**2 / 8


def _moment(m: sp.Expr, n: sp.Expr = N, t: sp.Expr = _T) -> sp.Expr:
    return _MOMENT(m, n, PROB, t)


def _mass(x: sp.Expr, n: sp.Expr) -> sp.Expr:
    return mass(x).subs(N, n)


def _logarithm(t: sp.Expr) -> sp.Expr:
    """Return by how much the bound of Hoeffding's lemma exceeds ln E e^(t X) for one record."""
    return PROB * t + t**2 / 8 - sp.log(1 - PROB + PROB * sp.exp(t))


_SLOPE = PROB + _V / 4 - 1 + (1 - PROB) / (1 - PROB + PROB * sp.exp(_V))
"""The derivative of what :func:`_logarithm` returns."""
_REMAINDER = _logarithm(_V) + (_T - _V) * _SLOPE
"""At v = t the difference, at v = 0 zero; its derivative is (t - v) times the second one."""


def _lemma(name: str, low: sp.Expr, high: sp.Expr, *given: sp.Basic) -> Step:
    return Step(
        name,
        "",
        at_most(_REMAINDER.subs(_V, 0), _REMAINDER.subs(_V, _T)),
        by.Monotone(_REMAINDER, _V, low, high),
        "L(v) + (t - v) L'(v) has the derivative (t - v) L''(v), and L'' = (u - 1/2)^2 with "
        "u = p e^v/(1 - p + p e^v): two integrations in one.",
        given=(*CHANCE, *given),
    )


_NAMED = Step("exponential", "", equal(_EXP(LOW), sp.exp(LOW)), by.Defined(), "A name for it.")
_ADDED = Step(
    "exponents-add",
    "",
    equal(_EXP(LOW + HIGH), _EXP(LOW) * _EXP(HIGH)),
    by.Identity(),
    "The exponential of a sum is a product.",
    follows=("exponential",),
)
_POSITIVE = Step(
    "exponential-positive",
    "",
    less(0, _EXP(LOW)),
    by.Arithmetic(),
    "It is positive.",
    follows=("exponential",),
)


def _sum_of(name: str, whole: sp.Expr, one: sp.Expr, other: sp.Expr) -> Step:
    """Return that the exponential of a sum, spelled as it is used, is a product."""
    return Step(
        name,
        "",
        equal(_EXP(whole), _EXP(one) * _EXP(other)),
        by.Instance("exponents-add", {LOW: one, HIGH: other}),
        "The exponential of a sum is a product.",
    )


_EXPONENTIAL = (
    _NAMED,
    _ADDED,
    _POSITIVE,
)

_LEMMA = (
    _lemma("lemma-upwards", sp.S.Zero, _T, at_most(0, _T)),
    _lemma("lemma-downwards", _T, sp.S.Zero, at_most(_T, 0)),
    Step(
        "lemma",
        "",
        at_most(sp.log(_ONE), _BOUND),
        by.Arithmetic(),
        "Hoeffding's lemma for one record of 0 or 1.",
        follows=("lemma-upwards", "lemma-downwards"),
        given=CHANCE,
    ),
    EXP_RISES,
    EXP_RISES.at(
        {LOW: sp.log(_ONE), HIGH: _BOUND},
        "lemma-raised",
        "Without its logarithm.",
        follows=("lemma",),
        given=CHANCE,
    ),
    _NAMED.at({LOW: _T}, "exponential-at-t", "By its name."),
    _NAMED.at({LOW: _BOUND}, "exponential-at-bound", "By its name."),
    _NAMED.at({LOW: sp.S.Zero}, "exponential-at-0", "It is 1."),
    Step(
        "one-record",
        "",
        both(at_most(_FACTOR, _EXP(_BOUND)), less(0, _FACTOR)),
        by.Arithmetic(),
        "E e^(t X) for one record.",
        follows=("lemma-raised", "exponential-at-t", "exponential-at-bound"),
        given=CHANCE,
    ),
)

_MOMENTS = Step(
    "moments",
    "",
    added(_moment(M), M, _EXP(_T * M) * mass(M), base=sp.Integer(-1)),
    by.Defined(),
    "E e^(t M) over the counts up to m.",
)
_PASCAL = Step(
    "one-more-record",
    "",
    equal(_mass(X, N + 1), (1 - PROB) * mass(X) + PROB * mass(X - 1)),
    by.Identity(),
    "The last of n + 1 records is chosen or not.",
    follows=("mass",),
    given=CHANCE,
)
_MOMENTS_NEXT = Step(
    "moments-of-one-more",
    "",
    equal(
        _moment(M, N + 1),
        (1 - PROB) * _moment(M) + PROB * _EXP(_T) * _moment(M - 1),
    ),
    by.Induction(M, sp.S.Zero),
    "Count by count.",
    follows=("moments", "moments-with-one-more", "one-more-at-m", "none-below-0", "tilt-next"),
    given=CHANCE,
)
_GENERATING = (
    _MOMENTS,
    _PASCAL,
    _PASCAL.at({X: M}, "one-more-at-m", "The same at m."),
    Step(
        "none-below-0",
        "",
        equal(mass(sp.Integer(-1)), 0),
        by.Identity(),
        "No count is negative.",
        follows=("mass",),
        given=CHANCE,
    ),
    Step(
        "none-beyond-n",
        "",
        equal(mass(N + 1), 0),
        by.Identity(),
        "No count is above n.",
        follows=("mass",),
        given=CHANCE,
    ),
    Step(
        "mass-of-one-at-0",
        "",
        equal(_mass(sp.S.Zero, sp.S.One), 1 - PROB),
        by.Identity(),
        "One record that is not chosen.",
        follows=("mass",),
        given=CHANCE,
    ),
    Step(
        "mass-of-one-at-1",
        "",
        equal(_mass(sp.S.One, sp.S.One), PROB),
        by.Identity(),
        "One record that is chosen.",
        follows=("mass",),
        given=CHANCE,
    ),
    _MOMENTS.at({N: N + 1}, "moments-with-one-more", "For n + 1 records."),
    _sum_of("tilt-next", _T * (M + 1), _T, _T * M),
    _MOMENTS_NEXT,
    _MOMENTS_NEXT.at({M: N + 1}, "moment-of-one-more", "Over all counts.", given=CHANCE),
    _MOMENTS.at({M: N + 1}, "moments-beyond-n", "The count n + 1 adds nothing."),
    _MOMENTS.at({M: sp.S.Zero, N: sp.S.One}, "moments-of-one-at-0", "One record."),
    _MOMENTS.at({M: sp.S.One, N: sp.S.One}, "moments-of-one-at-1", "One record."),
    Step(
        "moment-of-one",
        "",
        equal(_moment(sp.S.One, sp.S.One), _FACTOR),
        by.Arithmetic(),
        "E e^(t X) for one record.",
        follows=(
            *("moments-of-one-at-0", "moments-of-one-at-1", "exponential-at-0"),
            *("mass-of-one-at-0", "mass-of-one-at-1"),
        ),
        given=CHANCE,
    ),
    Step(
        "moment-grows",
        "",
        equal(_moment(N + 1, N + 1), _FACTOR * _moment(N)),
        by.Arithmetic(),
        "One more independent record is one more factor.",
        follows=("moment-of-one-more", "moments-beyond-n", "none-beyond-n"),
        given=CHANCE,
    ),
    _sum_of("bounds-add", (N + 1) * _BOUND, _BOUND, N * _BOUND),
    _POSITIVE.at({LOW: _BOUND}, "bound-positive", "It is positive."),
    Step(
        "moment-bounded",
        "",
        both(at_most(_moment(N), _EXP(N * _BOUND)), at_most(0, _moment(N))),
        by.Induction(N, sp.S.One),
        "Record by record: the generating function of the count.",
        follows=("moment-of-one", "moment-grows", "one-record", "bounds-add", "bound-positive"),
        given=CHANCE,
    ),
)

_SOME = (*CHANCE, at_most(1, N))
"""To the solver n is only a positive number."""
_ON_THE_WAY = (*CHANCE, at_most(0, _J), at_most(_J, N))
_RISES = Step(
    "moments-rise",
    "",
    at_most(_moment(M), _moment(_J)),
    by.Induction(_J, M),
    "No count adds less than nothing.",
    follows=("moments-at-j", "moment-term"),
    given=(*CHANCE, at_most(-1, M), at_most(_J, N)),
)
_BELOW = Step(
    "tail-below",
    "",
    at_most(_EXP(_T * M) * below(_J), _moment(_J)),
    by.Induction(_J, sp.Integer(-1)),
    "For t <= 0 no count up to m has a smaller factor than m.",
    follows=("distribution-at-j", "moments-at-j", "term-below"),
    given=(*CHANCE, at_most(_T, 0), at_most(_J, M), at_most(M, N)),
)
_ABOVE = Step(
    "tail-above",
    "",
    at_most(_EXP(_T * M) * (below(_J) - below(M - 1)), _moment(_J) - _moment(M - 1)),
    by.Induction(_J, M - 1),
    "For t >= 0 no count from m on has a smaller factor than m.",
    follows=("distribution-at-j", "moments-at-j", "term-above"),
    given=(*CHANCE, at_most(0, _T), at_most(0, M), at_most(_J, N)),
)


def _term(name: str, *given: sp.Basic) -> tuple[Step, ...]:
    """Return that a mass times the factor at m is at most that times its own factor."""
    rises = EXP_RISES.at(
        {LOW: _T * M, HIGH: _T * _J},
        f"{name}-factors",
        "The exponential function rises.",
        given=given,
    )
    return rises, Step(
        name,
        "",
        at_most(_EXP(_T * M) * mass(_J), _EXP(_T * _J) * mass(_J)),
        by.Arithmetic(),
        "No mass is negative.",
        follows=(rises.id, "factor-at-m", "factor-at-j", "mass-positive-at-j"),
        given=(*_ON_THE_WAY, *given),
    )


_LOWER = Step(
    "lower-tail",
    "",
    at_most(below(M), _EXP(N * _BOUND - _T * M)),
    by.Arithmetic(),
    "Markov's inequality for e^(t M).",
    follows=("tail-below-m", "moments-up-to-n", "moment-bounded", "divided", "factor-positive"),
    given=(*_SOME, at_most(_T, 0), at_most(-1, M), at_most(M, N)),
)
_UPPER = Step(
    "upper-tail",
    "",
    at_most(below(N) - below(M - 1), _EXP(N * _BOUND - _T * M)),
    by.Arithmetic(),
    "Markov's inequality for e^(t M).",
    follows=(
        "tail-above-n",
        "moments-from-0",
        "moments",
        "moment-bounded",
        "divided",
        "factor-positive",
    ),
    given=(*_SOME, at_most(0, _T), at_most(0, M), at_most(M - 1, N)),
)
_BEST = 4 * (M - _MEAN) / N

_BELOW_MEAN = (*_SOME, at_most(-1, M), at_most(M, N), at_most(M, _MEAN))
_ABOVE_MEAN = (*_SOME, at_most(0, M), at_most(M - 1, N), at_most(_MEAN, M))
_MARKOV = (
    LOWER_TAIL.at({M: _J}, "distribution-at-j", "The distribution at j."),
    _MOMENTS.at({M: _J}, "moments-at-j", "The moments at j."),
    POSITIVE.at({X: _J}, "mass-positive-at-j", "The mass at j.", given=_ON_THE_WAY),
    _NAMED.at({LOW: _T * M}, "factor-at-m", "By its name."),
    _NAMED.at({LOW: _T * _J}, "factor-at-j", "By its name."),
    _POSITIVE.at({LOW: _T * M}, "factor-positive", "It is positive."),
    *_term("term-below", at_most(_T, 0), at_most(_J, M)),
    *_term("term-above", at_most(0, _T), at_most(M, _J)),
    Step(
        "moment-term",
        "",
        at_most(0, _EXP(_T * _J) * mass(_J)),
        by.Arithmetic(),
        "Neither factor is negative.",
        follows=("factor-at-j", "mass-positive-at-j"),
        given=_ON_THE_WAY,
    ),
    _RISES,
    _BELOW,
    _ABOVE,
    _BELOW.at(
        {_J: M},
        "tail-below-m",
        "All counts up to m.",
        given=(*CHANCE, at_most(_T, 0), at_most(-1, M), at_most(M, N)),
    ),
    _RISES.at(
        {_J: N},
        "moments-up-to-n",
        "All counts.",
        given=(*CHANCE, at_most(-1, M), at_most(M, N)),
    ),
    _ABOVE.at(
        {_J: N},
        "tail-above-n",
        "All counts from m on.",
        given=(*CHANCE, at_most(0, _T), at_most(0, M), at_most(M - 1, N)),
    ),
    _RISES.at(
        {M: sp.Integer(-1), _J: M - 1},
        "moments-from-0",
        "What lies before m is not negative.",
        given=(*CHANCE, at_most(0, M), at_most(M - 1, N)),
    ),
    _sum_of("divided", N * _BOUND, _T * M, N * _BOUND - _T * M),
    _LOWER,
    _UPPER,
)


def _at_best(of: Step, tail: sp.Expr, gap: sp.Expr, *given: sp.Basic) -> tuple[Step, ...]:
    """Return the bound of a tail at the t that makes it least, as Hoeffding has it."""
    exponent = -2 * gap**2 / N
    named = _NAMED.at({LOW: exponent}, f"{of.id}-exponential", "By its name.")
    return named, Step(
        f"{of.id}-at-best",
        "",
        at_most(tail, _EXP(exponent)),
        by.Instance(of.id, {_T: _BEST}),
        "The best t is 4 (m - np)/n.",
        given=given,
    )


BELOW_MEAN = Step(
    "hoeffding-below",
    "(11)",
    at_most(below(M), hoeffding(_MEAN - M)),
    by.Arithmetic(),
    "Hoeffding's inequality: Pr[M <= m] for m below the mean.",
    follows=("lower-tail-at-best", "lower-tail-exponential"),
    given=_BELOW_MEAN,
)
ABOVE_MEAN = Step(
    "hoeffding-above",
    "(13)",
    at_most(below(N) - below(M - 1), hoeffding(M - _MEAN)),
    by.Arithmetic(),
    "Hoeffding's inequality: Pr[M >= m] for m above the mean.",
    follows=("upper-tail-at-best", "upper-tail-exponential"),
    given=_ABOVE_MEAN,
)
GAP, FARTHER_GAP = sp.Symbol("g", nonnegative=True), sp.Symbol("h", nonnegative=True)
_Y = sp.Symbol("y", nonnegative=True)
FARTHER = Step(
    "farther-is-less",
    "",
    at_most(hoeffding(FARTHER_GAP), hoeffding(GAP)),
    by.Monotone(hoeffding(_Y), _Y, GAP, FARTHER_GAP),
    "The bound falls with the distance from the mean.",
    given=(at_most(GAP, FARTHER_GAP),),
)
HOEFFDING = (
    *_EXPONENTIAL,
    *_LEMMA,
    *_GENERATING,
    *_MARKOV,
    *_at_best(_LOWER, below(M), _MEAN - M, *_BELOW_MEAN),
    *_at_best(_UPPER, below(N) - below(M - 1), M - _MEAN, *_ABOVE_MEAN),
    BELOW_MEAN,
    ABOVE_MEAN,
    FARTHER,
)
"""Both tails, from the steps ``mass``, ``distribution`` and ``mass-positive``."""

_TOTAL_NEXT = Step(
    "distribution-of-one-more",
    "",
    equal(BELOW(M, N + 1, PROB), (1 - PROB) * below(M) + PROB * below(M - 1)),
    by.Induction(M, sp.S.Zero),
    "Count by count.",
    follows=("distribution", "distribution-with-one-more", "one-more-at-m", "none-below-0"),
    given=CHANCE,
)
ALL_COUNTS = (
    LOWER_TAIL.at({N: N + 1}, "distribution-with-one-more", "For n + 1 records.", place=""),
    _TOTAL_NEXT,
    _TOTAL_NEXT.at({M: N + 1}, "total-of-one-more", "Over all counts.", given=CHANCE),
    LOWER_TAIL.at({M: N + 1}, "distribution-beyond-n", "The count n + 1 adds nothing.", place=""),
    LOWER_TAIL.at({M: sp.S.Zero, N: sp.S.One}, "one-record-at-0", "One record.", place=""),
    LOWER_TAIL.at({M: sp.S.One, N: sp.S.One}, "one-record-at-1", "One record.", place=""),
    Step(
        "total-of-one",
        "",
        equal(BELOW(sp.S.One, sp.S.One, PROB), 1),
        by.Arithmetic(),
        "One record is chosen or not.",
        follows=("one-record-at-0", "one-record-at-1", "mass-of-one-at-0", "mass-of-one-at-1"),
        given=CHANCE,
    ),
    Step(
        "total-stays",
        "",
        equal(BELOW(N + 1, N + 1, PROB), below(N)),
        by.Arithmetic(),
        "One more record changes nothing.",
        follows=("total-of-one-more", "distribution-beyond-n", "none-beyond-n"),
        given=CHANCE,
    ),
    Step(
        "all-counts",
        "",
        equal(below(N), 1),
        by.Induction(N, sp.S.One),
        "All masses add up to 1.",
        follows=("total-of-one", "total-stays"),
        given=CHANCE,
    ),
)
"""That all masses add up to 1, from the same steps and those of Hoeffding's inequality."""
