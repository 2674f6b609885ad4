"""Theorems 2 and 4: Appendix C, (19) to (27), each step beside the one that holds, and C3.

``H(x, j)`` is Pr[W <= x] and ``H'(x, j)`` is Pr[W < x] for the sum W of j centred records;
``P(m)`` is the probability that the normal law gives an event moved by m standard deviations. What
is assumed is the inequality of Berry and Esseen.
"""

from __future__ import annotations

import sympy as sp

from kproof.theory.derivations import methods as by
from kproof.theory.derivations.derivation import Derivation, Printed, Step, point
from kproof.theory.derivations.formulas import added, at_most, both, equal, implies, less
from kproof.theory.derivations.proofs.counts import PROB, N, binomial_sum
from kproof.theory.derivations.proofs.gaussian import EPSILON, EVENT, GAUSSIAN, PROFILE, SIGMA, S, X
from kproof.theory.derivations.proofs.records import RECORD, SUMS, THIRDS, VARIANCE, J
from kproof.theory.ledger import Ruling
from kproof.theory.theorems.symbolic import Phi
from kproof.theory.theorems.theorem2 import INDEPENDENT_CONSTANT

KAPPA = sp.Symbol("kappa", positive=True)
UNKNOWN = sp.Symbol("u", integer=True, nonnegative=True)
_LEFT, _RIGHT = sp.symbols("l r", real=True)
_KNOWN = sp.Symbol("K", real=True)
_SHARE_KNOWN = sp.Symbol("lambda2", nonnegative=True)
_PARTS = sp.Symbol("q", integer=True, nonnegative=True)
DATA, MOVED = sp.symbols("W W'", nonnegative=True)
_NORMAL, _NORMAL_MOVED = sp.symbols("Q Q'", nonnegative=True)
_ERROR = sp.Symbol("b", real=True)
_E = sp.Symbol("E", positive=True)
_FACTOR = sp.Symbol("X", positive=True)
_DELTA1 = sp.Symbol("delta1", positive=True)
_POINT = sp.Symbol("i0", integer=True, nonnegative=True)

AT_MOST, BELOW = sp.Function("H"), sp.Function("H'")
_LOW, _HIGH = sp.Function("low"), sp.Function("high")
_UNION, _UNION_NORMAL = sp.Function("U"), sp.Function("N")

_V = VARIANCE(J)
DISTANCE = INDEPENDENT_CONSTANT * THIRDS(J) / sp.sqrt(_V) ** 3
_POSITIVE = (less(0, _V),)


def _normal(x: sp.Expr) -> sp.Expr:
    return Phi(x / sp.sqrt(_V))


def _within(one: sp.Expr, other: sp.Expr, error: sp.Expr) -> sp.Basic:
    return at_most(sp.Abs(one - other), error)


_ASSUMED = Step(
    "berry-esseen",
    "Lemma 2",
    both(
        _within(AT_MOST(X, J), _normal(X), DISTANCE),
        _within(BELOW(X, J), _normal(X), DISTANCE),
    ),
    by.Assumed("Berry 1941 and Esseen 1942; the constant 0.5583: Shevtsova 2013"),
    "Sum of third absolute moments over the variance to the power 3/2; the second line is the "
    "limit of the first from the left.",
    given=_POSITIVE,
)


_BINOMIAL_THIRD = (1 - 2 * PROB) / sp.sqrt(PROB * (1 - PROB))
_BINOMIAL_NORMAL = Phi((_POINT - N * PROB) / sp.sqrt(N * PROB * (1 - PROB)))
_CLOSED = AT_MOST(_RIGHT, J) - BELOW(_LEFT, J)
_OPEN = BELOW(_RIGHT, J) - AT_MOST(_LEFT, J)
_INTERVAL = Step(
    "interval",
    "(19)",
    both(
        _within(_CLOSED, _normal(_RIGHT) - _normal(_LEFT), 2 * DISTANCE),
        _within(_OPEN, _normal(_RIGHT) - _normal(_LEFT), 2 * DISTANCE),
    ),
    by.Arithmetic(),
    "An interval has two ends and twice the error: this is where 1.1182 comes from. No such bound "
    "holds for every event: four fair coins of -1 or 1 have an even sum, which the normal law "
    "never has.",
    follows=("berry-esseen-left", "berry-esseen-right"),
    given=_POSITIVE,
    printed=Printed(
        at_most(DATA, _NORMAL + sp.Rational("1.1182") * N / sp.sqrt(N) ** 3),
        Ruling.UNSOUND,
        point({DATA: 1, _NORMAL: 0, N: 4}),
        (),
    ),
)
_AT_PARTS = {_LEFT: _LOW(_PARTS), _RIGHT: _HIGH(_PARTS)}
_HALF_LINES = Step(
    "half-lines",
    "(19)",
    both(
        at_most(AT_MOST(X, J), _normal(X) + DISTANCE),
        at_most(1 - BELOW(X, J), 1 - _normal(X) + DISTANCE),
    ),
    by.Arithmetic(),
    "Half-lines in both directions. With the signed third moment, as printed, fair coins would "
    "have no error at all.",
    follows=("berry-esseen",),
    given=_POSITIVE,
    printed=Printed(
        at_most(
            binomial_sum(sp.S.Zero, _POINT),
            _BINOMIAL_NORMAL + sp.Rational("1.1182") * _BINOMIAL_THIRD,
        ),
        Ruling.UNSOUND,
        point({N: 4, PROB: "1/2", _POINT: 2}),
        (less(PROB, 1), at_most(_POINT, N)),
    ),
)
KAPPAS = (
    _ASSUMED,
    _ASSUMED.at({X: _LEFT}, "berry-esseen-left", "At the left end."),
    _ASSUMED.at({X: _RIGHT}, "berry-esseen-right", "At the right end."),
    _HALF_LINES,
    _INTERVAL,
    _INTERVAL.at(_AT_PARTS, "interval-next", "One interval more."),
    Step(
        "union",
        "",
        added(_UNION(_PARTS, J), _PARTS, _CLOSED.subs(_AT_PARTS)),
        by.Defined(),
        "A union of q closed intervals that do not meet; its ends are low and high.",
    ),
    Step(
        "union-normal",
        "",
        added(
            _UNION_NORMAL(_PARTS, J),
            _PARTS,
            (_normal(_RIGHT) - _normal(_LEFT)).subs(_AT_PARTS),
        ),
        by.Defined(),
        "The same under the normal law.",
    ),
    Step(
        "unions",
        "C3",
        _within(_UNION(_PARTS, J), _UNION_NORMAL(_PARTS, J), 2 * _PARTS * DISTANCE),
        by.Induction(_PARTS, sp.S.Zero),
        "kappa = 2q for q intervals.",
        follows=("union", "union-normal", "interval-next"),
        given=_POSITIVE,
    ),
)

_CHAIN = (
    at_most(DATA, _NORMAL + _ERROR),
    at_most(_NORMAL, _E * _NORMAL_MOVED + _DELTA1),
)
_BACK = at_most(_NORMAL_MOVED, MOVED + _ERROR)
_PRINTED_24 = at_most(
    _E * _NORMAL_MOVED + _ERROR + _DELTA1,
    _E * _NORMAL_MOVED + _ERROR * (1 + _FACTOR) + _DELTA1,
)
_CONCLUSION = at_most(
    DATA,
    sp.exp(EPSILON) * MOVED
    + Phi(S / sp.sqrt(_V) / 2 - EPSILON * sp.sqrt(_V) / S)
    - sp.exp(EPSILON) * Phi(-S / sp.sqrt(_V) / 2 - EPSILON * sp.sqrt(_V) / S)
    + KAPPA * DISTANCE * (1 + sp.exp(EPSILON)),
)
_THEOREM = Step(
    "theorem-2",
    "C3, in place of (23), (25)",
    _CONCLUSION,
    by.Arithmetic(),
    "For every epsilon, and every event for which the normal law is off by at most kappa times the "
    "bound of Lemma 2, before and after the shift.",
    follows=("profile-at-V",),
    given=(
        *_POSITIVE,
        at_most(DATA, EVENT(0) + KAPPA * DISTANCE),
        at_most(EVENT(S / sp.sqrt(_V)), MOVED + KAPPA * DISTANCE),
    ),
)
CHAIN = (
    Step(
        "there-and-back",
        "(19) to (26)",
        at_most(DATA, _E * MOVED + _DELTA1 + _ERROR * (1 + _E)),
        by.Arithmetic(),
        "The error enters twice, the second time multiplied by exp(epsilon), with the theorem's "
        "own epsilon. (24) has Q on both sides, so that nothing is said of the data.",
        given=(*_CHAIN, _BACK),
        printed=Printed(
            implies(_PRINTED_24, at_most(DATA, _E * MOVED + _DELTA1 + _ERROR * (1 + _FACTOR))),
            Ruling.TYPO,
            point(
                {
                    DATA: "1/2",
                    MOVED: 0,
                    _NORMAL: "1/2",
                    _NORMAL_MOVED: "1/4",
                    _ERROR: "1/100",
                    _E: 2,
                    _FACTOR: 2,
                    _DELTA1: "1/100",
                }
            ),
            _CHAIN,
        ),
    ),
    Step(
        "error-nonnegative",
        "(24)",
        implies(at_most(0, _ERROR), _PRINTED_24),
        by.Arithmetic(),
        "As it is printed (24) holds if and only if its error term is not negative; with the "
        "signed third moment it can be.",
        printed=Printed(
            _PRINTED_24,
            Ruling.UNSOUND,
            point({_NORMAL_MOVED: "1/2", _ERROR: "-1/10", _E: 2, _FACTOR: 2, _DELTA1: "1/10"}),
        ),
    ),
    *GAUSSIAN,
    PROFILE.at(
        {SIGMA: sp.sqrt(_V)},
        "profile-at-V",
        "The normal law with the variance of the sum.",
        place="(20)",
        given=_POSITIVE,
    ),
    _THEOREM,
)

THEOREM_2 = Derivation(
    "theorem-2",
    "Theorem 2 as Appendix C proves it, and C3",
    (*RECORD, *SUMS, *KAPPAS, *CHAIN),
    ("theorem-2", "half-lines", "interval", "unions", "lyapunov", "always-vacuous"),
    theorem=2,
)

THEOREM_4 = Derivation(
    "theorem-4",
    "Theorem 4: Theorem 2 over the records that are not known",
    (
        *SUMS,
        *KAPPAS,
        *CHAIN,
        _HALF_LINES.at(
            {X: X - _KNOWN, J: UNKNOWN},
            "known-moves",
            "Given the known values, their sum K only moves the half-lines of the others; the u "
            "unknown records are numbered first.",
        ),
        Step(
            "unknown-count",
            "Theorem 4",
            equal(UNKNOWN, N * (1 - _SHARE_KNOWN)),
            by.Arithmetic(),
            "n lambda2 of the n records are known.",
            given=(equal(UNKNOWN, N - N * _SHARE_KNOWN),),
        ),
        _THEOREM.at({J: UNKNOWN}, "theorem-4", "Theorem 2 for the unknown records."),
    ),
    ("known-moves", "theorem-4"),
    theorem=4,
)
