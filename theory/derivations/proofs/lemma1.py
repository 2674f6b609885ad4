"""Lemma 1 as Appendix B proves it, (14) to (18), each step beside the one that holds.

The lemma is true for epsilon1 <= 1, which it does not say. Its condition on k is used nowhere
below. ``w`` is the threshold in standard deviations, ``u`` its least value.
"""

from __future__ import annotations

import sympy as sp

from kproof.theory.derivations import methods as by
from kproof.theory.derivations.derivation import Derivation, Printed, Step, point
from kproof.theory.derivations.formulas import at_most, both, equal, iff, implies, less
from kproof.theory.derivations.proofs.gaussian import (
    EPSILON,
    EVENT,
    EXP_RISES,
    GAUSSIAN,
    HIGH,
    LOW,
    MILLS,
    PROFILE,
    SIGMA,
    TAIL,
    S,
    T,
    X,
)
from kproof.theory.ledger import Ruling
from kproof.theory.theorems.symbolic import Phi

EPSILON1 = sp.Symbol("epsilon1", positive=True)
DELTA1 = sp.Symbol("delta1", positive=True)
C = sp.Symbol("c", positive=True)
K = sp.Symbol("k", positive=True)
U = sp.Symbol("u", positive=True)
W = sp.Symbol("w", positive=True)
_E1 = sp.Symbol("e", positive=True)
_Y = sp.Symbol("y", positive=True)
_WHOLE, _GOOD, _BAD = sp.symbols("O G B", nonnegative=True)
_SHIFTED, _SHIFTED_GOOD = sp.symbols("O' G'", nonnegative=True)
_CHANCE = sp.Symbol("A", positive=True)


def condition(u: sp.Expr) -> sp.Expr:
    """Return ln u + u^2/2, the left side of (16) and (17)."""
    return sp.log(u) + u**2 / 2


def in_sigmas(c: sp.Expr, epsilon: sp.Expr) -> sp.Expr:
    """Return the threshold over sigma = c s/epsilon."""
    return c - epsilon / (2 * c)


_THRESHOLD = SIGMA**2 * EPSILON1 / S - S / 2
_SPREAD = C * S / EPSILON1
_LIMIT = -sp.log(sp.sqrt(2 * sp.pi) * DELTA1)
_LEAST = in_sigmas(C, sp.S.One)
_PRINTED_17 = sp.log((2 * C**2 - 1) / (2 * C)) + (4 * C**4 - 4 * C**2 + 1) / (8 * C**2)
_LOSS = sp.Abs((2 * X * S + S**2) / (2 * SIGMA**2))
_NORMAL = sp.exp(-(X**2) / (2 * SIGMA**2))
_MILLS = SIGMA / (sp.sqrt(2 * sp.pi) * T) * sp.exp(-(T**2) / (2 * SIGMA**2))
_AT = {T: _THRESHOLD.subs(SIGMA, _SPREAD), SIGMA: _SPREAD}
_WITHOUT_T = (_MILLS * T).subs(_AT, simultaneous=True)

RATIO = (
    Step(
        "log-ratio",
        "(14)",
        equal(
            sp.log(_NORMAL / sp.exp(-((X + S) ** 2) / (2 * SIGMA**2))),
            (2 * X * S + S**2) / (2 * SIGMA**2),
        ),
        by.Identity(),
        "(u + s)^2 belongs into the exponent.",
        printed=Printed(
            equal(sp.Abs(sp.log(_NORMAL / (sp.exp(-1 / (2 * SIGMA**2)) * (X + S) ** 2))), _LOSS),
            Ruling.TYPO,
            point({X: 1, S: 1, SIGMA: 1}),
        ),
    ),
    Step(
        "loss-divided",
        "after (14)",
        implies(at_most(_LOSS, EPSILON1), at_most(X, _THRESHOLD)),
        by.Arithmetic(),
        "The threshold has sigma^2 epsilon1 over s, as (15) has it again.",
        printed=Printed(
            implies(at_most(_LOSS, EPSILON1), at_most(X, SIGMA**2 * EPSILON1 * S - S / 2)),
            Ruling.TYPO,
            point({X: "1/2", S: "1/2", SIGMA: 1, EPSILON1: "1/2"}),
        ),
    ),
    Step(
        "loss-bounded",
        "after (14)",
        iff(at_most(_LOSS, EPSILON1), both(at_most(-_THRESHOLD - S, X), at_most(X, _THRESHOLD))),
        by.Arithmetic(),
        "(14) is bounded on both sides; the printed line has the upper one only, and that one is "
        "enough: see threshold.",
        printed=Printed(
            implies(at_most(X, _THRESHOLD), at_most(_LOSS, EPSILON1)),
            Ruling.LOOSE,
            point({X: -5, S: 1, SIGMA: 1, EPSILON1: "1/2"}),
        ),
    ),
)

_SQUARE = C**2 - EPSILON1 + EPSILON1**2 / (4 * C**2)
_16 = sp.exp(-_SQUARE / 2) / sp.sqrt(2 * sp.pi)
INTO_C = (
    Step(
        "in-sigmas",
        "(16)",
        equal((_THRESHOLD / SIGMA).subs(SIGMA, _SPREAD), in_sigmas(C, EPSILON1)),
        by.Identity(),
        "The threshold in standard deviations, sigma = c s/epsilon1 put in.",
    ),
    Step(
        "into-16",
        "(15) to (16)",
        equal(_MILLS.subs(_AT, simultaneous=True), _16 / in_sigmas(C, EPSILON1)),
        by.Identity(),
        "(16) is the logarithm of the bound with 1/t; from the printed (15), ln(epsilon1/(c s)) "
        "would stand in place of its first term.",
        given=(less(EPSILON1, 2 * C**2),),
        printed=Printed(
            equal(_WITHOUT_T, _16 / in_sigmas(C, EPSILON1)),
            Ruling.TYPO,
            point({C: 2, S: 1, EPSILON1: "1/2"}),
        ),
    ),
    Step(
        "falls-in-epsilon",
        "(16) to (17)",
        at_most(condition(_LEAST), condition(in_sigmas(C, EPSILON1))),
        by.Monotone(condition(in_sigmas(C, _E1)), _E1, EPSILON1, sp.S.One),
        "g falls, so that its value at 1 is the least for epsilon1 <= 1, and only there.",
        given=(less(1, 2 * C**2), at_most(EPSILON1, 1)),
        printed=Printed(
            at_most(condition(_LEAST), condition(in_sigmas(C, EPSILON1))),
            Ruling.LOOSE,
            point({C: 2, EPSILON1: "3/2"}),
            (less(1, 2 * C**2), less(EPSILON1, 2 * C**2)),
        ),
    ),
    Step(
        "form-of-17",
        "(17)",
        equal(_PRINTED_17, condition(_LEAST)),
        by.Identity(),
        "With u = c - 1/(2c) the left side of (17) is ln u + u^2/2.",
        given=(less(1, 2 * C**2),),
    ),
)

_MILLS_BELOW = EXP_RISES.at(
    {LOW: -condition(W), HIGH: sp.log(sp.sqrt(2 * sp.pi) * DELTA1)},
    "mills-below",
    "(16) without its logarithms.",
    place="(16)",
    given=(at_most(_LIMIT, condition(W)),),
)
_TAIL_WITHIN = Step(
    "tail-within",
    "(15) to (17)",
    at_most(Phi(-W), DELTA1),
    by.Arithmetic(),
    "From (17) back to (15): the tail beyond the threshold has mass at most delta1.",
    follows=("condition-rises", "mills-below", "tail-at-w"),
    given=(at_most(U, W), at_most(_LIMIT, condition(U))),
)
WITHIN = (
    Step(
        "condition-rises",
        "(16)",
        at_most(condition(U), condition(W)),
        by.Monotone(condition(_Y), _Y, U, W),
        "ln u + u^2/2 rises in u: a larger sigma, or a smaller epsilon1, is better.",
        given=(at_most(U, W),),
    ),
    EXP_RISES,
    _MILLS_BELOW,
    MILLS.at({T: W}, "tail-at-w", "The tail beyond the threshold."),
    _TAIL_WITHIN,
)

_W_OF = SIGMA * EPSILON1 / S - S / (2 * SIGMA)
_HALF_LINE = Phi(-_W_OF) - sp.exp(EPSILON1) * Phi(-_W_OF - S / SIGMA)
_HYPOTHESES = (
    at_most(EPSILON1, 1),
    less(1, 2 * C**2),
    at_most(_LIMIT, condition(_LEAST)),
    at_most(_SPREAD, SIGMA),
)
_SPLIT = (
    at_most(_GOOD, sp.exp(EPSILON1) * _SHIFTED_GOOD),
    at_most(_SHIFTED_GOOD, _SHIFTED),
    at_most(_BAD, DELTA1),
    equal(_WHOLE, _GOOD + _BAD),
)
_TWO_PARTS = (less(_CHANCE, 1), at_most(_GOOD, _CHANCE), at_most(_BAD, 1 - _CHANCE))
CONCLUSION = (
    Step(
        "spread-least",
        "(16), (17)",
        both(at_most(C, SIGMA * EPSILON1 / S), at_most(S / (2 * SIGMA), 1 / (2 * C))),
        by.Arithmetic(),
        "sigma >= c s/epsilon1 >= c s.",
        given=(_HYPOTHESES[0], _HYPOTHESES[3]),
    ),
    Step(
        "threshold-least",
        "(16), (17)",
        both(at_most(_LEAST, _W_OF), less(0, _W_OF)),
        by.Arithmetic(),
        "sigma >= c s/epsilon1 and epsilon1 <= 1 put the threshold at c - 1/(2c) or beyond.",
        follows=("spread-least",),
        given=(*_HYPOTHESES[:2], _HYPOTHESES[3]),
    ),
    Step(
        "joint",
        "(18)",
        at_most(_WHOLE, sp.exp(EPSILON1) * _SHIFTED + DELTA1),
        by.Arithmetic(),
        "An event is split by whether Q lies below the threshold, into joint probabilities.",
        given=_SPLIT,
    ),
    Step(
        "split",
        "(18), line 1",
        both(at_most(_GOOD, _GOOD / _CHANCE), at_most(_BAD, _BAD / (1 - _CHANCE))),
        by.Arithmetic(),
        "Conditional probabilities, as printed, are larger than joint ones and do not add up to "
        "that of the event.",
        given=_TWO_PARTS,
        printed=Printed(
            equal(_GOOD + _BAD, _GOOD / _CHANCE + _BAD / (1 - _CHANCE)),
            Ruling.TYPO,
            point({_CHANCE: "1/2", _GOOD: "1/4", _BAD: "1/4"}),
        ),
    ),
    Step(
        "rare-part",
        "(18), line 2",
        at_most(_GOOD + _BAD, _GOOD + DELTA1),
        by.Arithmetic(),
        "The joint probability is at most delta1; the conditional one can be 1.",
        given=(*_TWO_PARTS, at_most(1 - _CHANCE, DELTA1)),
        printed=Printed(
            at_most(
                _GOOD / _CHANCE + _BAD / (1 - _CHANCE),
                _GOOD / _CHANCE + DELTA1,
            ),
            Ruling.TYPO,
            point({_CHANCE: "99/100", _GOOD: "1/2", _BAD: "1/100", DELTA1: "1/100"}),
        ),
    ),
    PROFILE.at(
        {EPSILON: EPSILON1},
        "profile-at-1",
        "No event gains more than the exact profile.",
        place="Lemma 1",
    ),
    _TAIL_WITHIN.at(
        {U: _LEAST, W: _W_OF},
        "tail-at-threshold",
        "The tail beyond the threshold that epsilon1 and sigma give.",
        place="Lemma 1",
        follows=("threshold-least",),
        given=_HYPOTHESES,
    ),
    Step(
        "lemma-1",
        "Lemma 1",
        at_most(EVENT(0), sp.exp(EPSILON1) * EVENT(S / SIGMA) + DELTA1),
        by.Arithmetic(),
        "The lemma for every event. It follows from epsilon1 <= 1, which it does not say, and not "
        "from c^2 s/epsilon1 - s/2 > k, which it does.",
        follows=("profile-at-1", "tail-at-threshold"),
        given=_HYPOTHESES,
        printed=Printed(
            at_most(_HALF_LINE, DELTA1),
            Ruling.UNSOUND,
            point({C: 3, S: 10, SIGMA: 3, EPSILON1: 10, DELTA1: "1/390", K: 1}),
            (
                less(1, 2 * C**2),
                less(_LIMIT, condition(_LEAST)),
                at_most(_SPREAD, SIGMA),
                less(K, C**2 * S / EPSILON1 - S / 2),
            ),
        ),
    ),
)

LEMMA_1 = Derivation(
    "lemma-1",
    "Lemma 1 as Appendix B proves it",
    (*TAIL, *GAUSSIAN, *RATIO, *INTO_C, *WITHIN, *CONCLUSION),
    ("lemma-1", "chebyshev"),
)
