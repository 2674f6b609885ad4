"""Lemma 2; Theorem 3 as Appendix D proves it, each step beside the one that holds; and C4.

``j`` numbers joint laws of records, in any order. For the standardised sum W of the records of law
j, ``H(x, j)`` is Pr[W <= x], ``H'(x, j)`` is Pr[W < x] and ``wasserstein(j)`` its distance from the
standard normal law. ``A3`` and ``A4`` add up E|X_i|^3 and E X_i^4 of the centred records, D is the
size of the largest neighbourhood in a dependency graph, sigma the deviation of the sum: hypotheses
say that they are those of law j, since a step speaks of all values of its symbols. Assumed are
Stein's bound on the Wasserstein distance, as Ross proves it, and that a half-line lies between
ramps.
"""

from __future__ import annotations

import sympy as sp

from kproof.theory.derivations import methods as by
from kproof.theory.derivations.derivation import Derivation, Printed, Step, point
from kproof.theory.derivations.formulas import added, at_most, both, equal, less, substituted
from kproof.theory.derivations.proofs.counts import PROB, N, binomial_sum
from kproof.theory.derivations.proofs.gaussian import EPSILON, EVENT, GAUSSIAN, SIGMA, S, X
from kproof.theory.derivations.proofs.records import ATOM, PI, RECORD, J
from kproof.theory.ledger import Ruling
from kproof.theory.theorems.symbolic import Phi

D = sp.Symbol("D", integer=True, positive=True)
A3, A4 = sp.symbols("A3 A4", nonnegative=True)
KAPPA = sp.Symbol("kappa", positive=True)
DATA, MOVED = sp.symbols("W W'", real=True)

_SCALE = sp.Symbol("a", positive=True)
_V, _R = sp.symbols("V R", positive=True)
_POINT = sp.Symbol("i0", integer=True, nonnegative=True)
_WASSERSTEIN = sp.Function("wasserstein")(J)
_BOUND = sp.Symbol("b", positive=True)
_WIDTH = sp.Symbol("h", positive=True)
_HEIGHT = sp.Symbol("v", positive=True)
_ROOT = sp.Symbol("y", positive=True)
_WIDEST = sp.Function("width")
_LEFT, _RIGHT = sp.symbols("l r", real=True)
_PARTS = sp.Symbol("q", integer=True, nonnegative=True)
_NORMAL, _NORMAL_MOVED = sp.symbols("Q Q'", nonnegative=True)
_DISTANCE = sp.Symbol("d", nonnegative=True)
_DELTA1 = sp.Symbol("delta1", positive=True)
_E = sp.Symbol("E", positive=True)
_FIRST, _SECOND, _FOURTH = sp.symbols("f1 f2 f4", nonnegative=True)
_DEVIATION, _RHO = sp.symbols("sd rho", positive=True)
_ATOM_MASS = sp.Symbol("c", nonnegative=True)

AT_MOST, BELOW = sp.Function("H"), sp.Function("H'")
_LOW, _HIGH = sp.Function("low"), sp.Function("high")
_UNION, _UNION_NORMAL = sp.Function("U"), sp.Function("N")

_QUARTER = (2 / sp.pi) ** sp.Rational(1, 4)
_DENSITY = 1 / sp.sqrt(2 * sp.pi)


def radicand(size: sp.Expr, sigma: sp.Expr, third: sp.Expr, fourth: sp.Expr) -> sp.Expr:
    """Return Ross's bound on the Wasserstein distance."""
    middle = sp.sqrt(28) * sp.sqrt(size) ** 3 / (sp.sqrt(sp.pi) * sigma**2)
    return size**2 / sigma**3 * third + middle * sp.sqrt(fourth)


def printed_radicand(size: sp.Expr, sigma: sp.Expr, third: sp.Expr, fourth: sp.Expr) -> sp.Expr:
    """Return what (35) has in its place, whatever the moments are."""
    middle = size**3 * sp.sqrt(26) / (sp.sqrt(sp.pi) * sigma**2)
    return size**2 / sigma**3 * third + middle * sp.sqrt(fourth)


RADICAND = radicand(D, SIGMA, A3, A4)
STEIN = _QUARTER * sp.sqrt(RADICAND)
LAW = (
    equal(D, sp.Function("degree")(J)),
    equal(SIGMA, sp.Function("deviation")(J)),
    equal(A3, sp.Function("third")(J)),
    equal(A4, sp.Function("fourth")(J)),
)
"""The numbers are those of law j; it has deviation sigma > 0."""
_SOME = (*LAW, less(0, A3), less(0, A4))


def _within(one: sp.Expr, other: sp.Expr, error: sp.Expr) -> sp.Basic:
    return at_most(sp.Abs(one - other), error)


_ERROR = sp.Function("error")
_INDEPENDENT = (equal(_R, sp.Function("thirds")(J)), equal(_V, sp.Function("variance")(J)))

LEMMA_2 = Derivation(
    "lemma-2",
    "Lemma 2: the inequality of Berry and Esseen",
    (
        Step(
            "berry-esseen",
            "Lemma 2",
            _within(AT_MOST(X, J), Phi(X), sp.Rational("0.5591") * _R / sp.sqrt(_V) ** 3),
            by.Assumed("Berry 1941 and Esseen 1942; the constant 0.5591: Tyurin 2012"),
            "The records of law j are independent; R adds up their third absolute moments about "
            "the means, V the variances.",
            given=_INDEPENDENT,
        ),
        Step(
            "bound",
            "Lemma 2",
            equal(_ERROR(_R, _V), sp.Rational("0.5591") * _R / sp.sqrt(_V) ** 3),
            by.Defined(),
            "The bound as a function of both sums.",
        ),
        Step(
            "unit",
            "Lemma 2",
            equal(_ERROR(_SCALE**3 * _R, _SCALE**2 * _V), _ERROR(_R, _V)),
            by.Identity(),
            "In another unit of the data the bound is the same. The printed ratio of sums of "
            "squares is multiplied by the fourth power of the unit: with small units it is below "
            "the distance of four fair coins from the normal law.",
            follows=("bound",),
            printed=Printed(
                at_most(
                    binomial_sum(sp.S.Zero, _POINT) - Phi((2 * _POINT - N) / sp.sqrt(N)),
                    sp.Rational("0.5591") * (N * (_SCALE**3) ** 2) / (N * _SCALE**2),
                ),
                Ruling.TYPO,
                point({N: 4, PROB: "1/2", _POINT: 2, _SCALE: "1/10"}),
                (less(PROB, 1), at_most(_POINT, N)),
            ),
        ),
        Step(
            "coins",
            "Lemma 2",
            _within(AT_MOST(X, J), Phi(X), sp.Rational("0.5591") / sp.sqrt(N)),
            by.Arithmetic(),
            "For n coins of -a or a the bound is 0.5591/sqrt(n), whatever a is.",
            follows=("berry-esseen",),
            given=(
                *(equal(_R, N * _SCALE**3), equal(sp.sqrt(_V), sp.sqrt(N) * _SCALE)),
                *_INDEPENDENT,
            ),
        ),
    ),
    ("unit", "coins"),
)

_BEST = sp.sqrt(2 * _BOUND / _DENSITY)
_RAMPS = Step(
    "ramps",
    "(35)",
    both(
        _within(AT_MOST(X, J), Phi(X), _WASSERSTEIN / _WIDTH + _WIDTH * _DENSITY / 2),
        _within(BELOW(X, J), Phi(X), _WASSERSTEIN / _WIDTH + _WIDTH * _DENSITY / 2),
    ),
    by.Assumed("Ross 2011, proof of Proposition 1.2"),
    "A half-line lies between ramps of any width h: they have slope 1/h, and the normal law "
    "gives a ramp at most h/2 times its largest density 1/sqrt(2 pi).",
)
_KOLMOGOROV = Step(
    "kolmogorov",
    "(35)",
    both(
        _within(AT_MOST(X, J), Phi(X), _QUARTER * sp.sqrt(_BOUND)),
        _within(BELOW(X, J), Phi(X), _QUARTER * sp.sqrt(_BOUND)),
    ),
    by.Arithmetic(),
    "d_K <= (2/pi)^(1/4) sqrt(d_W), as printed.",
    follows=("ramps-best",),
    given=(at_most(_WASSERSTEIN, _BOUND),),
)
_SMOOTHING = (
    _RAMPS,
    Step(
        "width",
        "(35)",
        at_most(sp.sqrt(2 * _BOUND * _HEIGHT), _BOUND / _WIDTH + _WIDTH * _HEIGHT / 2),
        by.Arithmetic(),
        "Whatever the largest density v is, no width gives less than this.",
    ),
    Step(
        "best-width",
        "(35)",
        equal(_WIDEST(_BOUND, _HEIGHT), sp.sqrt(2 * _BOUND / _HEIGHT)),
        by.Defined(),
        "The width at which both parts are equal.",
    ),
    Step(
        "best-value",
        "(35)",
        equal(
            _BOUND / _WIDEST(_BOUND, _HEIGHT) + _WIDEST(_BOUND, _HEIGHT) * _HEIGHT / 2,
            sp.sqrt(2 * _BOUND * _HEIGHT),
        ),
        by.Arithmetic(),
        "It gives exactly this.",
        follows=("best-width",),
    ),
    Step(
        "same-number",
        "(35)",
        equal(sp.sqrt(2 * _BOUND * _HEIGHT), _ROOT * sp.sqrt(_BOUND)),
        by.Arithmetic(),
        "With v = 1/sqrt(2 pi) it is the fourth root y of 2/pi, times the root of b.",
        given=(equal(2 * sp.pi * _HEIGHT**2, 1), equal(sp.pi * _ROOT**4, 2)),
    ),
    _RAMPS.at({_WIDTH: _BEST}, "ramps-best", "The best width."),
    _KOLMOGOROV,
)

_STEIN = Step(
    "stein",
    "(35)",
    at_most(_WASSERSTEIN, RADICAND),
    by.Assumed("Ross 2011, Theorem 3.6"),
    "X_i is D_i less its mean, with absolute third moments; D counts records, i in N_i, and any "
    "two sets of records without an edge between them are jointly independent.",
    given=LAW,
)
_CLOSE = _KOLMOGOROV.at(
    {_BOUND: RADICAND},
    "close",
    "The standardised sum is close to the standard normal law.",
    place="(35), C4",
    follows=("stein",),
    given=_SOME,
)
_NORMAL_RECORDS = printed_radicand(sp.S.One, sp.sqrt(N), 2 * N * sp.sqrt(2 / sp.pi), 3 * N)
_DISTANCES = (
    *_SMOOTHING,
    _STEIN,
    _CLOSE,
    _CLOSE.at(
        {X: X / SIGMA},
        "unstandardised",
        "H(x/sigma) is the chance that the centred sum is at most x: beside it stands "
        "N(0, sigma^2), and beside S/sigma the standard normal law. With Q ~ N(0, n sigma^2) even "
        "the sum of normal records is far away.",
        place="before (28)",
        printed=Printed(
            at_most(
                Phi(X) - Phi(X / (sp.sqrt(N) * sp.sqrt(N))),
                _QUARTER * sp.sqrt(_NORMAL_RECORDS),
            ),
            Ruling.TYPO,
            point({N: 10**6, X: 1}),
            (),
        ),
    ),
)

_MOMENT_STEPS = {"weights", *(f"moment-{name}" for name in ("S0", "S1", "S2", "S3", "C2", "C3"))}
_S0, _S1, _S3 = (sp.Function(name)(ATOM) for name in ("S0", "S1", "S3"))
_C2, _C3 = (sp.Function(name)(ATOM, PI) for name in ("C2", "C3"))
_UNIT_AWAY = ((1 - _SCALE) ** 3 - _SCALE**3) / 2, ((1 - _SCALE) ** 4 + _SCALE**4) / 2
_MOMENTS = (
    *(one for one in RECORD if one.id in {*_MOMENT_STEPS, "central-moments"}),
    Step(
        "raw-third",
        "(35)",
        equal(_S3, _C3 + 3 * PI * _C2 + PI**3),
        by.Arithmetic(),
        "The raw third moment changes when a constant is added to the data; the privacy does not. "
        "For four records that are -4 or -3 the printed root is one of a negative number.",
        follows=("central-moments",),
        given=(equal(_S0, 1), equal(_S1, PI)),
        printed=Printed(
            at_most(
                0,
                printed_radicand(sp.S.One, sp.sqrt(N) / 2, N * _UNIT_AWAY[0], N * _UNIT_AWAY[1]),
            ),
            Ruling.UNSOUND,
            point({N: 4, _SCALE: 4}),
            (),
        ),
    ),
)

_SHARE = (N - 1) / N
_SIGMA_GROUP = sp.sqrt((N - 1) ** 2 + 1) / 2
_NEIGHBOURHOODS = (
    Step(
        "one-group",
        "Theorem 3",
        at_most(1, D**2 / SIGMA**3 * A3),
        by.Arithmetic(),
        "For one group of D equal records the radicand is at least 1 and nothing is claimed. As "
        "the fraction of n records of which n - 1 are copies of one fair coin, lambda1 is below 1; "
        "the printed delta is then below 1/4, the chance of the least value, which the shifted sum "
        "never takes. c' is below 2.",
        given=(
            equal(SIGMA, D * _DEVIATION),
            equal(A3, D * _RHO),
            at_most(_DEVIATION**3, _RHO),
        ),
        printed=Printed(
            at_most(
                sp.Rational(1, 4),
                2
                * _QUARTER
                * sp.sqrt(printed_radicand(_SHARE, _SIGMA_GROUP, N / 2, N / 2))
                * (1 + _E)
                + 1 / sp.sqrt(N),
            ),
            Ruling.UNSOUND,
            point({N: 400, _E: "11/10"}),
            (less(1, N), at_most(sp.exp(2 / _SIGMA_GROUP), _E)),
        ),
    ),
    Step(
        "atom",
        "Theorem 3",
        at_most(_ATOM_MASS, 2 * _DISTANCE),
        by.Arithmetic(),
        "An atom of mass c keeps a law c/2 away from every continuous one. Let 2n fair signs "
        "come in pairs, all pairs with one common product: each sign is independent of all other "
        "pairs, but the sum is 0 whenever the product is -1.",
        given=(
            _within(AT_MOST(X, J), Phi(X), _DISTANCE),
            _within(BELOW(X, J), Phi(X), _DISTANCE),
            equal(AT_MOST(X, J) - BELOW(X, J), _ATOM_MASS),
        ),
        printed=Printed(
            at_most(
                sp.Rational(1, 4),
                _QUARTER * sp.sqrt(printed_radicand(sp.Integer(2), sp.sqrt(2 * N), 2 * N, 2 * N)),
            ),
            Ruling.AMBIGUOUS,
            point({N: 10**6}),
            (),
        ),
    ),
)

_STEIN_ALONE = Step(
    "stein-independent",
    "(35)",
    at_most(
        _WASSERSTEIN,
        A3 / SIGMA**3 + sp.sqrt(2) / (sp.sqrt(sp.pi) * SIGMA**2) * sp.sqrt(A4),
    ),
    by.Assumed("Ross 2011, Theorem 3.2, the proof of which holds for any variances"),
    "For independent records, D = 1, there is a smaller constant.",
    given=(*LAW, equal(D, 1)),
)
_CONSTANTS = (
    _STEIN_ALONE,
    Step(
        "cubed",
        "(35)",
        at_most(sp.sqrt(28) * sp.sqrt(D) ** 3, sp.sqrt(26) * D**3),
        by.Arithmetic(),
        "From two records on the printed term is the larger one; for D = 1 it is the smaller.",
        given=(at_most(2, D),),
        printed=Printed(
            at_most(sp.sqrt(28) * sp.sqrt(D) ** 3, sp.sqrt(26) * D**3),
            Ruling.LOOSE,
            point({D: 1}),
            (at_most(1, D),),
        ),
    ),
    Step(
        "printed-constant",
        "(35)",
        at_most(_WASSERSTEIN, printed_radicand(D, SIGMA, A3, A4)),
        by.Arithmetic(),
        "With centred variables and absolute moments the printed constants are right, if large.",
        follows=("stein", "stein-independent"),
        given=(*LAW, sp.Or(equal(D, 1), at_most(2, D), evaluate=False)),
    ),
    Step(
        "outside",
        "Theorem 3, (36)",
        at_most(
            sp.sqrt(_FIRST + _SECOND * sp.sqrt(_FOURTH) * sp.sqrt(1 + _E)),
            sp.sqrt(_FIRST + _SECOND * sp.sqrt(_FOURTH)) * (1 + _E),
        ),
        by.Arithmetic(),
        "The statement, with 1 + exp(epsilon) under both roots, claims less than (36) derives.",
        printed=Printed(
            at_most(
                sp.sqrt(_FIRST + _SECOND * sp.sqrt(_FOURTH)) * (1 + _E),
                sp.sqrt(_FIRST + _SECOND * sp.sqrt(_FOURTH) * sp.sqrt(1 + _E)),
            ),
            Ruling.TYPO,
            point({_FIRST: 1, _SECOND: 1, _FOURTH: 1, _E: 2}),
            (less(1, _E),),
        ),
    ),
)

_CLOSED = AT_MOST(_RIGHT, J) - BELOW(_LEFT, J)
_NORMAL_CLOSED = Phi(_RIGHT) - Phi(_LEFT)
_AT_PARTS = {_LEFT: _LOW(_PARTS), _RIGHT: _HIGH(_PARTS)}


HALF_LINES = Step(
    "half-lines",
    "(28), C4",
    both(
        _within(AT_MOST(X, J), Phi(X), STEIN),
        _within(1 - BELOW(X, J), 1 - Phi(X), STEIN),
    ),
    by.Arithmetic(),
    "kappa = 1 for half-lines in both directions.",
    follows=("close",),
    given=_SOME,
)
_INTERVAL = Step(
    "interval",
    "(28)",
    _within(_CLOSED, _NORMAL_CLOSED, 2 * STEIN),
    by.Arithmetic(),
    "kappa = 2 for a closed interval. For every event there is no such bound: the sum of n signs "
    "is of one parity, which the normal law never has.",
    follows=("close-left", "close-right"),
    given=_SOME,
    printed=Printed(
        at_most(DATA, _NORMAL + 2 * _QUARTER * sp.sqrt(radicand(sp.S.One, sp.sqrt(N), N, N))),
        Ruling.UNSOUND,
        point({DATA: 1, _NORMAL: 0, N: 10**6}),
        (),
    ),
)
_EVENTS = (
    HALF_LINES,
    _CLOSE.at({X: _LEFT}, "close-left", "At one end of an interval.", place="(28)"),
    _CLOSE.at({X: _RIGHT}, "close-right", "At one end of an interval.", place="(28)"),
    _INTERVAL,
    _INTERVAL.at(_AT_PARTS, "interval-next", "One interval more.", place="C4"),
    Step(
        "union",
        "C4",
        added(_UNION(_PARTS, J), _PARTS, _CLOSED.subs(_AT_PARTS)),
        by.Defined(),
        "A union of q closed intervals that do not meet; its ends are low and high.",
    ),
    Step(
        "union-normal",
        "C4",
        added(_UNION_NORMAL(_PARTS), _PARTS, _NORMAL_CLOSED.subs(_AT_PARTS)),
        by.Defined(),
        "The same under the normal law.",
    ),
    Step(
        "unions",
        "C4",
        _within(_UNION(_PARTS, J), _UNION_NORMAL(_PARTS), 2 * _PARTS * STEIN),
        by.Induction(_PARTS, sp.S.Zero),
        "kappa = 2q for q intervals.",
        follows=("union", "union-normal", "interval-next"),
        given=_SOME,
    ),
)

_THERE_AND_BACK = Step(
    "there-and-back",
    "(28) to (32)",
    at_most(DATA, _E * MOVED + _DELTA1 + KAPPA * _DISTANCE * (1 + _E)),
    by.Arithmetic(),
    "The distance enters twice, the second time multiplied by exp(epsilon).",
    given=(
        at_most(DATA, _NORMAL + KAPPA * _DISTANCE),
        at_most(_NORMAL, _E * _NORMAL_MOVED + _DELTA1),
        at_most(_NORMAL_MOVED, MOVED + KAPPA * _DISTANCE),
    ),
)
CLAIMED = (
    Phi(S / SIGMA / 2 - EPSILON * SIGMA / S)
    - sp.exp(EPSILON) * Phi(-S / SIGMA / 2 - EPSILON * SIGMA / S)
    + KAPPA * STEIN * (1 + sp.exp(EPSILON))
)
"""The delta of C4, at most 1 of which is kept."""
_THEOREM = Step(
    "theorem-3",
    "C4, in place of (33), (36)",
    at_most(DATA, sp.exp(EPSILON) * MOVED + CLAIMED),
    by.Arithmetic(),
    "For every epsilon, and every event for which the normal law is off by at most kappa times the "
    "distance, before and after the shift.",
    follows=("profile",),
    given=(
        at_most(DATA, EVENT(0) + KAPPA * STEIN),
        at_most(EVENT(S / SIGMA), MOVED + KAPPA * STEIN),
    ),
)

_M = S / SIGMA


def _private(
    name: str, data: sp.Expr, moved: sp.Expr, normal: sp.Expr, times: int, *follows: str
) -> Step:
    """Return C4 for an event under the data and the normal law, both before and after the shift."""
    at = {DATA: data, MOVED: moved, KAPPA: sp.Integer(times)}
    return _THEOREM.at(
        at,
        name,
        "The event of the normal law is the same.",
        place="C4",
        follows=follows,
        given=(
            *_SOME,
            equal(EVENT(0), normal),
            equal(EVENT(_M), substituted(normal, _BACK)),
        ),
    )


_BACK = {X: X - _M, _LEFT: _LEFT - _M, _RIGHT: _RIGHT - _M}


PRIVATE = _private(
    "theorem-3-half-lines",
    AT_MOST(X, J),
    AT_MOST(X - _M, J),
    Phi(X),
    1,
    *("half-lines", "half-lines-back"),
)
COMMON = (
    *_DISTANCES,
    *_EVENTS,
    _THERE_AND_BACK,
    *GAUSSIAN,
    _THEOREM,
    HALF_LINES.at(_BACK, "half-lines-back", "The same for the event moved back."),
    _INTERVAL.at(_BACK, "interval-back", "The same for the event moved back."),
    PRIVATE,
    _THEOREM.at(
        {DATA: 1 - BELOW(X - _M, J), MOVED: 1 - BELOW(X, J), KAPPA: sp.S.One},
        "theorem-3-mirrored",
        "The other direction: the half-lines upwards, their mirror images under the normal law.",
        place="C4",
        follows=("half-lines", "half-lines-back"),
        given=(
            *_SOME,
            equal(EVENT(0), 1 - Phi(X - _M)),
            equal(EVENT(_M), 1 - Phi(X)),
        ),
    ),
    _private(
        "theorem-3-intervals",
        _CLOSED,
        substituted(_CLOSED, _BACK),
        _NORMAL_CLOSED,
        2,
        *("interval", "interval-back"),
    ),
)
THEOREM_3 = Derivation(
    "theorem-3",
    "Theorem 3 as Appendix D proves it, and C4",
    (*_MOMENTS, *_NEIGHBOURHOODS, *COMMON, *_CONSTANTS),
    (
        "theorem-3",
        "theorem-3-half-lines",
        "theorem-3-mirrored",
        "theorem-3-intervals",
        "unions",
        "there-and-back",
        "printed-constant",
    ),
    theorem=3,
)
