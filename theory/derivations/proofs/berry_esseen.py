"""Theorems 2 and 4: Appendix C, (19) to (27), each step beside the one that holds, and C3.

``H(x, j)`` is Pr[W <= x] and ``H'(x, j)`` is Pr[W < x] for the sum W of j centred records;
``P(d)`` is the probability that the normal law gives an event moved by d standard deviations. The
first j records have ``laws(j)`` different laws, and each of them takes ``values(j)`` values. The
inequality of Berry and Esseen is assumed, with its three constants; C0 is at least one of them.
"""

from __future__ import annotations

import sympy as sp

from kproof.theory.derivations import methods as by
from kproof.theory.derivations.derivation import Derivation, Printed, Step, point
from kproof.theory.derivations.formulas import (
    added,
    at_most,
    both,
    either,
    equal,
    implies,
    less,
    substituted,
)
from kproof.theory.derivations.proofs.counts import PROB, N, binomial_sum
from kproof.theory.derivations.proofs.gaussian import EPSILON, EVENT, GAUSSIAN, PROFILE, SIGMA, S, X
from kproof.theory.derivations.proofs.records import RECORD, SUMS, THIRDS, VARIANCE, J
from kproof.theory.ledger import Ruling
from kproof.theory.theorems.symbolic import Phi
from kproof.theory.theorems.theorem2 import (
    BERNOULLI_CONSTANT,
    IDENTICAL_CONSTANT,
    INDEPENDENT_CONSTANT,
)

KAPPA = sp.Symbol("kappa", positive=True)
CONSTANT = sp.Symbol("C0", positive=True)
UNKNOWN = sp.Symbol("u", integer=True, nonnegative=True)
_LEFT, _RIGHT = sp.symbols("l r", real=True)
_KNOWN = sp.Symbol("K", real=True)
_SHARE_KNOWN = sp.Symbol("lambda2", nonnegative=True)
_PARTS = sp.Symbol("q", integer=True, nonnegative=True)
_BY = sp.Symbol("back", real=True)
DATA, MOVED = sp.symbols("W W'", real=True)
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
_POSITIVE = (less(0, _V),)
_ALIKE = equal(sp.Function("laws")(J), 1)
_TWO_VALUES = equal(sp.Function("values")(J), 2)
CLOSE = (
    *_POSITIVE,
    either(
        at_most(INDEPENDENT_CONSTANT, CONSTANT),
        both(_ALIKE, at_most(IDENTICAL_CONSTANT, CONSTANT)),
        both(_ALIKE, _TWO_VALUES, at_most(BERNOULLI_CONSTANT, CONSTANT)),
    ),
)
"""The sum is not constant, and C0 is at least a constant of Berry and Esseen for its records."""


def _distance(constant: sp.Expr) -> sp.Expr:
    return constant * THIRDS(J) / sp.sqrt(_V) ** 3


DISTANCE = _distance(CONSTANT)


def _normal(x: sp.Expr) -> sp.Expr:
    return Phi(x / sp.sqrt(_V))


def _within(one: sp.Expr, other: sp.Expr, error: sp.Expr) -> sp.Basic:
    return at_most(sp.Abs(one - other), error)


def _near_normal(error: sp.Expr) -> sp.Basic:
    return both(_within(AT_MOST(X, J), _normal(X), error), _within(BELOW(X, J), _normal(X), error))


_ASSUMED = (
    Step(
        "berry-esseen",
        "Lemma 2",
        _near_normal(_distance(INDEPENDENT_CONSTANT)),
        by.Assumed("Berry 1941 and Esseen 1942; the constant 0.5583: Shevtsova 2013"),
        "Sum of third absolute moments over the variance to the power 3/2; the second line is the "
        "limit of the first from the left.",
        given=_POSITIVE,
    ),
    Step(
        "berry-esseen-identical",
        "Lemma 2",
        _near_normal(_distance(IDENTICAL_CONSTANT)),
        by.Assumed("Shevtsova 2013, the constant 0.4690"),
        "Records of one law have a smaller constant.",
        given=(*_POSITIVE, _ALIKE),
    ),
    Step(
        "berry-esseen-binomial",
        "Lemma 2",
        _near_normal(_distance(BERNOULLI_CONSTANT)),
        by.Assumed("Schulz 2016, the constant (sqrt(10) + 3)/(6 sqrt(2 pi)) = 0.409732..."),
        "Records of one law with two values, such as 0 and 1: neither their place nor their unit "
        "changes the bound.",
        given=(*_POSITIVE, _ALIKE, _TWO_VALUES),
    ),
)
_LEMMA_2 = Step(
    "lemma-2",
    "Lemma 2",
    _near_normal(DISTANCE),
    by.Arithmetic(),
    "C0 = 0.5583 for independent records, 0.4690 for those of one law, 0.409732... for those of "
    "one law with two values, or any larger number.",
    follows=(*(one.id for one in _ASSUMED), "cubes-below-thirds"),
    given=CLOSE,
)


_BINOMIAL_THIRD = (1 - 2 * PROB) / sp.sqrt(PROB * (1 - PROB))
_BINOMIAL_NORMAL = Phi((_POINT - N * PROB) / sp.sqrt(N * PROB * (1 - PROB)))
_CLOSED = AT_MOST(_RIGHT, J) - BELOW(_LEFT, J)
_OPEN = BELOW(_RIGHT, J) - AT_MOST(_LEFT, J)
_INTERVAL = Step(
    "interval",
    "(19)",
    _within(_CLOSED, _normal(_RIGHT) - _normal(_LEFT), 2 * DISTANCE),
    by.Arithmetic(),
    "A closed interval has two ends and twice the error: this is where 1.1182 comes from. No such "
    "bound holds for every event: four fair coins of -1 or 1 have an even sum, which the normal "
    "law never has.",
    follows=("lemma-2-left", "lemma-2-right"),
    given=CLOSE,
    printed=Printed(
        at_most(DATA, _NORMAL + sp.Rational("1.1182") * N / sp.sqrt(N) ** 3),
        Ruling.UNSOUND,
        point({DATA: 1, _NORMAL: 0, N: 4}),
        (),
    ),
)
_AT_PARTS = {_LEFT: _LOW(_PARTS) - _BY, _RIGHT: _HIGH(_PARTS) - _BY}
_OPEN_INTERVAL = Step(
    "interval-open",
    "(19)",
    _within(_OPEN, _normal(_RIGHT) - _normal(_LEFT), 2 * DISTANCE),
    by.Arithmetic(),
    "kappa = 2 for an open interval.",
    follows=("lemma-2-left", "lemma-2-right"),
    given=CLOSE,
)
HALF_LINES = Step(
    "half-lines",
    "(19)",
    both(
        _within(AT_MOST(X, J), _normal(X), DISTANCE),
        _within(1 - BELOW(X, J), 1 - _normal(X), DISTANCE),
    ),
    by.Arithmetic(),
    "kappa = 1 for half-lines in both directions. With the signed third moment, as printed, fair "
    "coins would have no error at all.",
    follows=("lemma-2",),
    given=CLOSE,
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
_BACK = {X: X - S, _LEFT: _LEFT - S, _RIGHT: _RIGHT - S, _BY: _BY + S}
_UNION_HERE, _UNION_NORMAL_HERE = _UNION(_PARTS, J, _BY), _UNION_NORMAL(_PARTS, J, _BY)
_UNIONS = Step(
    "unions",
    "C3",
    _within(_UNION_HERE, _UNION_NORMAL_HERE, 2 * _PARTS * DISTANCE),
    by.Induction(_PARTS, sp.S.Zero),
    "kappa = 2q for q intervals.",
    follows=("union", "union-normal", "interval-next"),
    given=CLOSE,
)
KAPPAS = (
    *_ASSUMED,
    _LEMMA_2,
    _LEMMA_2.at({X: _LEFT}, "lemma-2-left", "At the left end."),
    _LEMMA_2.at({X: _RIGHT}, "lemma-2-right", "At the right end."),
    HALF_LINES,
    _INTERVAL,
    _OPEN_INTERVAL,
    _INTERVAL.at(_AT_PARTS, "interval-next", "One interval more."),
    Step(
        "union",
        "",
        added(_UNION_HERE, _PARTS, _CLOSED.subs(_AT_PARTS)),
        by.Defined(),
        "A union of q closed intervals that do not meet, moved back; before, its ends are low and "
        "high.",
    ),
    Step(
        "union-normal",
        "",
        added(
            _UNION_NORMAL_HERE,
            _PARTS,
            (_normal(_RIGHT) - _normal(_LEFT)).subs(_AT_PARTS),
        ),
        by.Defined(),
        "The same under the normal law.",
    ),
    _UNIONS,
    HALF_LINES.at(_BACK, "half-lines-back", "The same for the event moved back."),
    _INTERVAL.at(_BACK, "interval-back", "The same for the event moved back."),
    _UNIONS.at(_BACK, "unions-back", "The same for the event moved back."),
)

_CHAIN = (
    at_most(DATA, _NORMAL + _ERROR),
    at_most(_NORMAL, _E * _NORMAL_MOVED + _DELTA1),
)
_WAY_BACK = at_most(_NORMAL_MOVED, MOVED + _ERROR)
_PRINTED_24 = at_most(
    _E * _NORMAL_MOVED + _ERROR + _DELTA1,
    _E * _NORMAL_MOVED + _ERROR * (1 + _FACTOR) + _DELTA1,
)
CLAIMED = (
    Phi(S / sp.sqrt(_V) / 2 - EPSILON * sp.sqrt(_V) / S)
    - sp.exp(EPSILON) * Phi(-S / sp.sqrt(_V) / 2 - EPSILON * sp.sqrt(_V) / S)
    + KAPPA * DISTANCE * (1 + sp.exp(EPSILON))
)
"""The delta of C3, at most 1 of which is kept."""
_THEOREM = Step(
    "theorem-2",
    "C3, in place of (23), (25)",
    at_most(DATA, sp.exp(EPSILON) * MOVED + CLAIMED),
    by.Arithmetic(),
    "For every epsilon, and every event for which the normal law is off by at most kappa times the "
    "bound of Lemma 2, before and after the shift. The classes of events that have a kappa follow.",
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
        given=(*_CHAIN, _WAY_BACK),
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

_MOVED_BY = S / sp.sqrt(_V)


def _private(
    name: str,
    why: str,
    events: tuple[sp.Expr, sp.Expr],
    normal: sp.Expr,
    times: sp.Expr,
    *follows: str,
    mirrored: bool = False,
    given: tuple[sp.Basic, ...] = (),
) -> Step:
    """Return C3 for an event under the data and the normal law, before and after the shift.

    If mirrored, the event moves the other way, and the normal law has the mirror image.
    """
    back = substituted(normal, _BACK)
    first, then = (back, normal) if mirrored else (normal, back)
    data, moved = reversed(events) if mirrored else events
    return _THEOREM.at(
        {DATA: data, MOVED: moved, KAPPA: times},
        name,
        why,
        place="C3",
        follows=follows,
        given=(*CLOSE, *given, equal(EVENT(0), first), equal(EVENT(_MOVED_BY), then)),
    )


def _there(event: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    return event, substituted(event, _BACK)


_HALF_LINE = ("half-lines", "half-lines-back")
_BETWEEN = ("interval", "interval-back")
_MANY = ("unions", "unions-back")
_NORMAL_CLOSED = _normal(_RIGHT) - _normal(_LEFT)
_SOME_PARTS = (at_most(1, _PARTS),)
UP_HALF_LINES = _private(
    "theorem-2-half-lines",
    "kappa = 1: the half-line up to x, and the same moved back by s. The event of the normal law "
    "is the same.",
    _there(AT_MOST(X, J)),
    _normal(X),
    sp.S.One,
    *_HALF_LINE,
)
DOWN_HALF_LINES = _private(
    "theorem-2-half-lines-mirrored",
    "kappa = 1, the other direction: the half-lines upwards, and their mirror images under the "
    "normal law.",
    _there(1 - AT_MOST(X, J)),
    1 - _normal(X),
    sp.S.One,
    *_HALF_LINE,
    mirrored=True,
)
CLASSES = (
    UP_HALF_LINES,
    DOWN_HALF_LINES,
    _private(
        "theorem-2-intervals",
        "kappa = 2: a closed interval.",
        _there(_CLOSED),
        _NORMAL_CLOSED,
        sp.Integer(2),
        *_BETWEEN,
    ),
    _private(
        "theorem-2-intervals-mirrored",
        "kappa = 2, the other direction.",
        _there(_CLOSED),
        _NORMAL_CLOSED,
        sp.Integer(2),
        *_BETWEEN,
        mirrored=True,
    ),
    _private(
        "theorem-2-unions",
        "kappa = 2q: a union of q closed intervals, wherever it is.",
        _there(_UNION_HERE),
        _UNION_NORMAL_HERE,
        2 * _PARTS,
        *_MANY,
        given=_SOME_PARTS,
    ),
    _private(
        "theorem-2-unions-mirrored",
        "kappa = 2q, the other direction.",
        _there(_UNION_HERE),
        _UNION_NORMAL_HERE,
        2 * _PARTS,
        *_MANY,
        mirrored=True,
        given=_SOME_PARTS,
    ),
)
"""Theorem 2 for each class of events that has a kappa for every law."""

_WITHOUT_KNOWN = {
    X: X - _KNOWN,
    _LEFT: _LEFT - _KNOWN,
    _RIGHT: _RIGHT - _KNOWN,
    _BY: _BY + _KNOWN,
    J: UNKNOWN,
}


def _known_apart(step: Step) -> Step:
    """Return a class of events of Theorem 2 over the unknown records, moved by the known ones."""
    at = {one: value for one, value in _WITHOUT_KNOWN.items() if one in _spoken(step)}
    name = step.id.replace("theorem-2", "theorem-4")
    return step.at(
        at, name, step.because.partition(":")[0] + ": Theorem 2 for the unknown records."
    )


def _spoken(step: Step) -> set[sp.Basic]:
    return {one for part in (step.claim, *step.given) for one in part.free_symbols}


_KNOWN_APART = tuple(_known_apart(one) for one in CLASSES)

THEOREM_2 = Derivation(
    "theorem-2",
    "Theorem 2 as Appendix C proves it, and C3",
    (*RECORD, *SUMS, *KAPPAS, *CHAIN, *CLASSES),
    (
        *("theorem-2", "lemma-2", "half-lines", "interval", "interval-open", "unions"),
        *(one.id for one in CLASSES),
        *("lyapunov", "always-vacuous"),
    ),
    theorem=2,
)

THEOREM_4 = Derivation(
    "theorem-4",
    "Theorem 4: Theorem 2 over the records that are not known",
    (
        *SUMS,
        *KAPPAS,
        *CHAIN,
        *CLASSES,
        HALF_LINES.at(
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
        *_KNOWN_APART,
    ),
    ("known-moves", "theorem-4", *(one.id for one in _KNOWN_APART)),
    theorem=4,
)
