"""Log-concave sums on a lattice: no event gains more than the best half-line. For every shift.

A sequence of masses from the lattice point 0 on is log-concave without internal zeros if and only
if its successive ratios do not rise; it is therefore built from such ratios: ``f`` is any function
at all, ``q`` the ratios, ``a`` the masses, ``F`` adds them up. The shift is ``lag`` points. Nothing
is assumed.
"""

from __future__ import annotations

import sympy as sp

from kproof.theory.derivations import methods as by
from kproof.theory.derivations.derivation import Derivation, Step
from kproof.theory.derivations.formulas import added, at_most, both, equal, implies, less, recursion
from kproof.theory.derivations.proofs.counts import SHARE, SHARES, E, M

LAG = sp.Symbol("lag", integer=True, positive=True)
_I = sp.Symbol("i", integer=True)

_ANY = sp.Function("f")
_FREE = sp.Function("first")
_RATIO = sp.Function("q")
_MASS = sp.Function("a")
SUM = sp.Function("F")
_PART = sp.Function("O")

_A, _B, _C, _D = sp.symbols("a0 a1 a2 a3", nonnegative=True)
_R1, _R2, _R3 = sp.symbols("r1 r2 r3", nonnegative=True)
_PROB = sp.Symbol("p", nonnegative=True)
_G1, _G2, _G3, _G4 = sp.symbols("g1 g2 g3 g4", real=True)
_THETA = sp.Symbol("theta", nonnegative=True)


_RATIOS_FALL = Step(
    "ratios-fall",
    "",
    both(at_most(_RATIO(M), _RATIO(_I)), at_most(0, _RATIO(M))),
    by.Induction(M, _I),
    "A ratio is at most any earlier one.",
    follows=("ratios", "ratios-nonnegative"),
    given=(at_most(0, _I),),
)
_NONNEGATIVE = Step(
    "nonnegative",
    "",
    at_most(0, _MASS(M)),
    by.Induction(M, sp.S.Zero),
    "The first mass is not negative and no ratio is.",
    follows=("masses", "ratios-nonnegative"),
)
_RATIOS = Step(
    "ratios",
    "",
    recursion(_RATIO(M), M, sp.Max(_ANY(0), 0), sp.Min(_RATIO(M - 1), sp.Max(_ANY(M), 0))),
    by.Defined(),
    "Ratios that are not negative and do not rise.",
)
_MASSES = Step(
    "masses",
    "",
    recursion(_MASS(M), M, sp.Max(_FREE(0), 0), _RATIO(M) * _MASS(M - 1)),
    by.Defined(),
    "Masses with these ratios, from any first one on.",
)


_NEXT, _SHIFTED = M + 1, M + 1 - LAG
SEQUENCE = (
    _RATIOS,
    _MASSES,
    Step(
        "ratios-nonnegative",
        "",
        at_most(0, _RATIO(M)),
        by.Induction(M, sp.S.Zero),
        "No ratio is negative.",
        follows=("ratios",),
    ),
    _RATIOS_FALL,
    _NONNEGATIVE,
    _MASSES.at({M: _NEXT}, "mass-next", "The mass at m + 1."),
    _RATIOS_FALL.at({M: _NEXT, _I: M}, "ratio-next", "One ratio and the next."),
    _NONNEGATIVE.at({M: M - 1}, "nonnegative-before", "The mass before m.", given=(at_most(1, M),)),
    Step(
        "log-concave",
        "",
        at_most(_MASS(M - 1) * _MASS(M + 1), _MASS(M) ** 2),
        by.Arithmetic(),
        "Masses with such ratios are log-concave.",
        follows=("masses", "mass-next", "ratio-next", "nonnegative-before"),
        given=(at_most(1, M),),
    ),
    Step(
        "ratios-of-log-concave",
        "",
        at_most(_D / _C, _C / _B),
        by.Arithmetic(),
        "Log-concave masses that are positive have such ratios.",
        given=(at_most(_B * _D, _C**2), less(0, _B), less(0, _C)),
    ),
    Step(
        "across-three",
        "",
        at_most(_A * _D, _B * _C),
        by.Arithmetic(),
        "With ratios that do not rise, the outer two of four masses have the smaller product.",
        given=(
            equal(_B, _R1 * _A),
            equal(_C, _R2 * _B),
            equal(_D, _R3 * _C),
            at_most(_R2, _R1),
            at_most(_R3, _R2),
        ),
    ),
    Step(
        "densities",
        "",
        at_most(_G1 + _G4, _G2 + _G3),
        by.Arithmetic(),
        "A density with a concave logarithm g: g(x) - g(x - s) does not rise. The values here "
        "are g at x - s, x, y - s and y, and theta = s/(s + y - x).",
        given=(
            at_most(_THETA, 1),
            at_most((1 - _THETA) * _G1 + _THETA * _G4, _G2),
            at_most(_THETA * _G1 + (1 - _THETA) * _G4, _G3),
        ),
    ),
    Step(
        "one-more-record",
        "",
        at_most(
            (_PROB * _A + (1 - _PROB) * _B) * (_PROB * _C + (1 - _PROB) * _D),
            (_PROB * _B + (1 - _PROB) * _C) ** 2,
        ),
        by.Arithmetic(),
        "One more independent record of 0 or 1 keeps the masses log-concave: so every sum of "
        "such records is, whatever their probabilities.",
        given=(
            at_most(_PROB, 1),
            at_most(_A * _C, _B**2),
            at_most(_B * _D, _C**2),
            at_most(_A * _D, _B * _C),
        ),
    ),
)

_SIZES = (M, LAG, E)
_IN_REACH = (at_most(1, LAG), at_most(LAG, M))
_UNREACHED = LAG - 1


def _function(name: str) -> sp.Expr:
    return sp.Function(name)(*_SIZES)


def _added(name: str, first: sp.Expr, increment: sp.Expr, why: str) -> tuple[sp.Expr, Step]:
    """Return a sum from lag on that starts with what lies before, and the step that defines it."""
    here = _function(name)
    claim = added(here, M, increment, first=first + increment.subs(M, LAG), base=LAG)
    return here, Step(f"sum-{name}", "", claim, by.Defined(), why)


_BELOW = Step(
    "distribution",
    "",
    added(SUM(M), M, _MASS(M), base=sp.Integer(-1)),
    by.Defined(),
    "The masses added up.",
)
_TAKEN = Step(
    "event-distribution",
    "",
    added(_PART(M), M, SHARE(M) * _MASS(M), base=sp.Integer(-1)),
    by.Defined(),
    "The masses that the event takes, added up.",
)
_AT_MOST_ALL = Step(
    "event-at-most-all",
    "",
    both(at_most(0, _PART(M)), at_most(_PART(M), SUM(M))),
    by.Induction(M, sp.Integer(-1)),
    "The event takes at most all.",
    follows=("event", "distribution", "event-distribution", "nonnegative"),
)
SHIFTED = (
    SHARES,
    _BELOW,
    _TAKEN,
    _AT_MOST_ALL,
    _AT_MOST_ALL.at(
        {M: _UNREACHED},
        "before-shift",
        "The counts that the shifted sum does not reach.",
        given=(at_most(1, LAG),),
    ),
    _MASSES.at({M: _SHIFTED}, "mass-shifted-next", "The mass lag points before m + 1."),
    _RATIOS_FALL.at(
        {M: _NEXT, _I: _SHIFTED},
        "ratio-shifted",
        "The ratio lag points before is no smaller.",
        given=_IN_REACH,
    ),
    _NONNEGATIVE.at(
        {M: M - LAG}, "nonnegative-unshifted", "The mass lag points before.", given=_IN_REACH
    ),
    _BELOW.at({M: M - LAG}, "distribution-shifted", "The distribution lag points before."),
)
_ADDED = ("distribution", "distribution-shifted")
_KEPT = (
    "nonnegative",
    "nonnegative-unshifted",
    "mass-next",
    "mass-shifted-next",
    "ratio-shifted",
)

_up = _MASS(M) - E * _MASS(M - LAG)
_half = SUM(M) - E * SUM(M - LAG)
"""What the half-line {0, ..., m} gains."""
_all, _all_sum = _added("G", SUM(_UNREACHED), sp.Max(_up, 0), "The positive parts.")
_event, _event_sum = _added("A", _PART(_UNREACHED), SHARE(M) * _up, "What the event gains.")
_best = _function("B")
UPWARD = Derivation(
    "log-concave-upward",
    "A log-concave sum against its shift upwards: a half-line is the worst event",
    (
        *SEQUENCE,
        *SHIFTED,
        Step(
            "stays-lost",
            "C3",
            implies(at_most(_up, 0), at_most(_up.subs(M, _NEXT), 0)),
            by.Arithmetic(),
            "Once a count gains nothing, no later one does.",
            follows=_KEPT,
            given=_IN_REACH,
        ),
        _all_sum,
        _event_sum,
        Step(
            "best-half-line",
            "C3",
            recursion(
                _best,
                M,
                sp.Max(SUM(_UNREACHED), _half.subs(M, LAG)),
                sp.Max(_best.subs(M, M - 1), _half),
                LAG,
            ),
            by.Defined(),
            "The most that a half-line {0, ..., w} with lag - 1 <= w <= m gains.",
        ),
        Step(
            "no-event-gains-more",
            "C3",
            at_most(_event, _all),
            by.Induction(M, LAG),
            "Count by count, no event gains more than the positive part.",
            follows=("sum-G", "sum-A", "event", "before-shift"),
            given=_IN_REACH,
        ),
        Step(
            "positive-parts",
            "C3",
            both(
                equal(_all, _best),
                at_most(_half, _best),
                implies(less(0, _up), equal(_all, _half)),
            ),
            by.Induction(M, LAG),
            "As long as counts gain, the positive parts are those of a half-line.",
            follows=("sum-G", *_ADDED, "best-half-line", "stays-lost"),
            given=_IN_REACH,
        ),
        Step(
            "worst-event",
            "C3",
            at_most(_event, _best),
            by.Arithmetic(),
            "No event of counts up to m gains more than the best half-line does.",
            follows=("no-event-gains-more", "positive-parts"),
            given=_IN_REACH,
        ),
    ),
    ("worst-event",),
)

_down = _MASS(M - LAG) - E * _MASS(M)
_total = SUM(M - LAG) - E * SUM(M)
"""What all counts up to m gain together."""
_parts, _parts_sum = _added("L", sp.S.Zero, sp.Max(_down, 0), "The positive parts.")
_gained, _gained_sum = _added(
    "A", -E * _PART(_UNREACHED), SHARE(M) * _down, "What the event gains."
)
_left_out = _function("C")
DOWNWARD = Derivation(
    "log-concave-downward",
    "The shift of a log-concave sum against the sum: a half-line is the worst event",
    (
        *SEQUENCE,
        *SHIFTED,
        Step(
            "stays-gained",
            "C3",
            implies(at_most(0, _down), at_most(0, _down.subs(M, _NEXT))),
            by.Arithmetic(),
            "Once a count does not lose, no later one does.",
            follows=_KEPT,
            given=_IN_REACH,
        ),
        _parts_sum,
        _gained_sum,
        Step(
            "best-left-out",
            "C3",
            recursion(
                _left_out,
                M,
                sp.Min(-E * SUM(_UNREACHED), _total.subs(M, LAG)),
                sp.Min(_left_out.subs(M, M - 1), _total),
                LAG,
            ),
            by.Defined(),
            "The least that {0, ..., w} with lag - 1 <= w <= m gains: what the best half-line "
            "{w + 1, ...} leaves out.",
        ),
        Step(
            "no-event-gains-more",
            "C3",
            at_most(_gained, _parts),
            by.Induction(M, LAG),
            "Count by count, no event gains more than the positive part.",
            follows=("sum-L", "sum-A", "event", "before-shift"),
            given=_IN_REACH,
        ),
        Step(
            "positive-parts",
            "C3",
            both(
                equal(_parts, _total - _left_out),
                at_most(_left_out, _total),
                implies(less(_down, 0), equal(_parts, 0)),
            ),
            by.Induction(M, LAG),
            "The positive parts are those of the half-line that leaves out what loses.",
            follows=("sum-L", *_ADDED, "best-left-out", "stays-gained"),
            given=_IN_REACH,
        ),
        Step(
            "worst-event",
            "C3",
            at_most(_gained, _total - _left_out),
            by.Arithmetic(),
            "No event of counts up to m gains more than the best half-line {w + 1, ..., m} does.",
            follows=("no-event-gains-more", "positive-parts"),
            given=_IN_REACH,
        ),
    ),
    ("worst-event",),
)

UP_EVENT, UP_BEST, UP_HALF_LINE = _event, _best, _half
DOWN_EVENT, DOWN_ALL, DOWN_LEFT_OUT = _gained, _total, _left_out
"""What an event gains; what the best half-line gains, or all counts and what it leaves out."""
