"""The normal law in derivations: its tail (Mills' ratio) and its exact profile under a shift.

X is standard normal, ``phi`` its density, ``shift`` counts standard deviations. An event takes a
share ``taken(x)`` of every value. Two things are assumed: that the tail vanishes, and that
integrals keep the order of their integrands. Of Phi the deciders know the derivative and
0 < Phi < 1, and neither its limits nor any integral.
"""

from __future__ import annotations

import sympy as sp

from kproof.theory.derivations import methods as by
from kproof.theory.derivations.derivation import Derivation, Printed, Step, point
from kproof.theory.derivations.formulas import at_most, both, equal, iff, implies, less
from kproof.theory.ledger import Ruling
from kproof.theory.theorems.symbolic import Phi

T = sp.Symbol("t", positive=True)
FAR = sp.Symbol("r", positive=True)
GAP = sp.Symbol("a", positive=True)
SIGMA = sp.Symbol("sigma", positive=True)
S = sp.Symbol("s", positive=True)
M = sp.Symbol("shift", positive=True)
EPSILON = sp.Symbol("epsilon", nonnegative=True)
X = sp.Symbol("x", real=True)
LOW, HIGH = sp.symbols("y1 y2", real=True)
_Y = sp.Symbol("y0", real=True)
_V = sp.Symbol("v", positive=True)

EVENT = sp.Function("P")
"""``P(d)``: probability that d + X is in the event."""
SHARE = sp.Function("taken")
_FREE = sp.Function("g")


def density(x: sp.Expr) -> sp.Expr:
    """Return phi(x)."""
    return sp.exp(-(x**2) / 2) / sp.sqrt(2 * sp.pi)


def mills(t: sp.Expr) -> sp.Expr:
    """Return phi(t)/t."""
    return density(t) / t


EXP_RISES = Step(
    "exp-rises",
    "",
    at_most(sp.exp(LOW), sp.exp(HIGH)),
    by.Monotone(sp.exp(_Y), _Y, LOW, HIGH),
    "The exponential function rises.",
    given=(at_most(LOW, HIGH),),
)


def _excess(t: sp.Expr) -> sp.Expr:
    return mills(t) - Phi(-t)


_FAR_ENOUGH = sp.Function("far")(GAP)
_BEYOND = T + sp.Max(0, _FAR_ENOUGH)
_HALF_GAP = -_excess(T) / 2
_FALLS = Step(
    "excess-falls",
    "(15)",
    at_most(_excess(FAR), _excess(T)),
    by.Monotone(_excess(_V), _V, T, FAR),
    "The derivative of phi(x)/x - Pr[X >= x] is -phi(x)/x^2.",
    given=(at_most(T, FAR),),
)
_VANISHES = Step(
    "tail-vanishes",
    "(15)",
    at_most(Phi(-FAR), GAP),
    by.Assumed("Phi is a distribution function: its limit at minus infinity is 0"),
    "The tail goes to 0: from some point far(a) on it is at most a.",
    given=(at_most(_FAR_ENOUGH, FAR),),
)
_NEARLY = Step(
    "tail-nearly",
    "(15)",
    at_most(Phi(-T), mills(T) + GAP),
    by.Arithmetic(),
    "phi(r)/r is positive and the tail at r is below the gap.",
    follows=("excess-at-r", "tail-at-r"),
)
MILLS = Step(
    "tail",
    "(15)",
    at_most(Phi(-T), mills(T)),
    by.Arithmetic(),
    "No gap is left.",
    follows=("tail-half-gap",),
)
TAIL = (
    _FALLS,
    _VANISHES,
    _FALLS.at({FAR: _BEYOND}, "excess-at-r", "Far out, as far as a gap asks for.", given=()),
    _VANISHES.at({FAR: _BEYOND}, "tail-at-r", "Far out, as far as a gap asks for.", given=()),
    _NEARLY,
    _NEARLY.at(
        {GAP: _HALF_GAP},
        "tail-half-gap",
        "If the tail were larger than phi(t)/t, half of what it is larger by would be a gap.",
        given=(less(0, _HALF_GAP),),
    ),
    MILLS,
    Step(
        "chebyshev",
        "(15)",
        at_most(Phi(-T), 1 / T**2),
        by.Arithmetic(),
        "Chebyshev's inequality for the normal law: phi(t) <= 1/t.",
        follows=("tail",),
    ),
    MILLS.at(
        {T: T / SIGMA},
        "tail-scaled",
        "Q is sigma X. Without 1/t the bound changes with the unit of the data.",
        printed=Printed(
            less(Phi(-T / SIGMA), SIGMA / sp.sqrt(2 * sp.pi) * sp.exp(-(T**2) / SIGMA**2 / 2)),
            Ruling.TYPO,
            point({SIGMA: "1/10", T: "1/10"}),
        ),
    ),
)

_WORST = M / 2 - EPSILON / M
_PHI, _LIKELIER = sp.Function("phi"), sp.Function("ratio")(X, M, EPSILON)
_EXPONENT = EPSILON + M * X - M**2 / 2
_GAIN = _PHI(X) - sp.exp(EPSILON) * _PHI(X - M)
_TOTAL = Phi(_WORST) - sp.exp(EPSILON) * Phi(_WORST - M)
_INTEGRATED = Step(
    "integrated",
    "C3",
    at_most(EVENT(0) - sp.exp(EPSILON) * EVENT(M), _TOTAL),
    by.Assumed("The integral keeps the order of its integrands, here on both sides of a point"),
    "P(shift) is the integral of taken(x) phi(x - shift).",
    follows=("share-of-gain",),
)
PROFILE = Step(
    "profile",
    "C3",
    at_most(
        EVENT(0),
        sp.exp(EPSILON) * EVENT(S / SIGMA)
        + Phi(S / SIGMA / 2 - EPSILON * SIGMA / S)
        - sp.exp(EPSILON) * Phi(-S / SIGMA / 2 - EPSILON * SIGMA / S),
    ),
    by.Arithmetic(),
    "The exact profile of a normal law under a shift by s.",
    follows=("integrated-at-s",),
)
GAUSSIAN = (
    Step(
        "normal-event",
        "Definition 2",
        equal(SHARE(X), sp.Min(1, sp.Max(0, _FREE(X)))),
        by.Defined(),
        "An event takes a share between 0 and 1 of every value; g is any function at all.",
    ),
    Step(
        "density",
        "",
        equal(_PHI(X), density(X)),
        by.Defined(),
        "The density of X.",
    ),
    Step(
        "density-positive",
        "",
        less(0, _PHI(X)),
        by.Arithmetic(),
        "It is positive everywhere.",
        follows=("density",),
    ),
    Step(
        "ratio",
        "(14)",
        equal(_LIKELIER, sp.exp(_EXPONENT)),
        by.Defined(),
        "How much likelier a value becomes, exp(epsilon) included.",
    ),
    Step(
        "density-ratio",
        "(14)",
        equal(sp.exp(EPSILON) * _PHI(X - M), _PHI(X) * _LIKELIER),
        by.Identity(),
        "What the shift does to the density.",
        follows=("density", "ratio"),
    ),
    Step(
        "ratio-sign",
        "(14)",
        iff(at_most(_LIKELIER, 1), at_most(_EXPONENT, 0)),
        by.Arithmetic(),
        "The exponential of what is not positive is at most 1, and no other.",
        follows=("ratio",),
    ),
    Step(
        "exponent-sign",
        "(14)",
        iff(at_most(_EXPONENT, 0), at_most(X, _WORST)),
        by.Arithmetic(),
        "The exponent rises in x and is 0 at shift/2 - epsilon/shift.",
    ),
    Step(
        "threshold",
        "(14)",
        both(
            implies(at_most(X, _WORST), at_most(0, _GAIN)),
            implies(less(_WORST, X), at_most(_GAIN, 0)),
        ),
        by.Arithmetic(),
        "The shifted density is the larger one, exp(epsilon) included, from one point on: there is "
        "one tail to care for.",
        follows=("density-ratio", "density-positive", "ratio-sign", "exponent-sign"),
    ),
    Step(
        "share-of-gain",
        "C3",
        both(
            implies(at_most(X, _WORST), at_most(SHARE(X) * _GAIN, _GAIN)),
            implies(less(_WORST, X), at_most(SHARE(X) * _GAIN, 0)),
        ),
        by.Arithmetic(),
        "At each value no event gains more than the half-line up to that point.",
        follows=("normal-event", "threshold"),
    ),
    _INTEGRATED,
    _INTEGRATED.at({M: S / SIGMA}, "integrated-at-s", "The shift in standard deviations."),
    PROFILE,
)
GAUSSIAN_PROFILE = Derivation(
    "gaussian-profile",
    "The exact profile of a normal law under a shift",
    GAUSSIAN,
    ("profile",),
)
