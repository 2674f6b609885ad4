"""C2: the constant c' of Theorems 2 to 5 in closed form, and what its definition hides.

``h(u) = ln u + u^2/2`` is the left side of (17) at u = c - 1/(2c); z is where it equals the right
side for delta1 = 1/sqrt(n), and c0 the c of that z. What is assumed is the definition of Lambert's
function.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from kproof.theory.derivations import methods as by
from kproof.theory.derivations.derivation import Derivation, Printed, Step, point
from kproof.theory.derivations.formulas import at_most, both, equal, iff, implies, less, substituted
from kproof.theory.derivations.proofs.gaussian import S
from kproof.theory.derivations.proofs.lemma1 import EPSILON1, C, K, condition, in_sigmas
from kproof.theory.ledger import Ruling

N = sp.Symbol("n", positive=True)
Z = sp.Symbol("z", positive=True)
V = sp.Symbol("V", positive=True)
C0 = sp.Symbol("c0", positive=True)
EPS = sp.Symbol("epsilon", positive=True)
_ANY = sp.Symbol("a", positive=True)
_LOW = sp.Symbol("u", positive=True)
_HIGH = sp.Symbol("w", positive=True)
_Y = sp.Symbol("y", positive=True)

LAMBERT = sp.LambertW(N / (2 * sp.pi))
FOUND_Z = sp.sqrt(LAMBERT)


def c_of(z: sp.Expr) -> sp.Expr:
    """Return the c with c - 1/(2c) = z."""
    return (z + sp.sqrt(z**2 + 2)) / 2


def with_k(epsilon1: sp.Expr) -> sp.Expr:
    """Return c' = max(c0, sqrt(epsilon1 (k/s + 1/2)))."""
    return sp.Max(C0, sp.sqrt(epsilon1 * (K / S + sp.Rational(1, 2))))


_RIGHT = sp.log(sp.sqrt(N) / sp.sqrt(2 * sp.pi))
_U = in_sigmas(C, sp.S.One)
_USABLE = less(1, 2 * C**2)
_MEETS = less(_RIGHT, condition(_U))
_DEFINITION = Step(
    "lambert",
    "C2",
    both(
        less(0, sp.LambertW(_ANY)),
        implies(
            less(0, sp.LambertW(_ANY)),
            equal(sp.log(sp.LambertW(_ANY)) + sp.LambertW(_ANY), sp.log(_ANY)),
        ),
    ),
    by.Assumed("The definition of Lambert's W: W > 0 and W exp(W) = a, for a > 0"),
    "In logarithms.",
)
_LOGS = Step(
    "logarithm-rises",
    "",
    at_most(sp.log(_LOW), sp.log(_HIGH)),
    by.Monotone(sp.log(_Y), _Y, _LOW, _HIGH),
    "The logarithm rises.",
    given=(at_most(_LOW, _HIGH),),
)
_STRICT = Step(
    "condition-strict",
    "(17)",
    iff(less(condition(_LOW), condition(_HIGH)), less(_LOW, _HIGH)),
    by.Arithmetic(),
    "h rises strictly, since u^2/2 does and ln u does not fall.",
    follows=("logarithm-rises", "logarithm-rises-back"),
)
_HALFWAY = (C + c_of(FOUND_Z)) / 2
_C_RISES = Step(
    "c-rises",
    "C2",
    iff(less(Z, _U), less(c_of(Z), C)),
    by.Arithmetic(),
    "c - 1/(2c) rises in c.",
    given=(_USABLE,),
)
_INFIMUM = Step(
    "infimum",
    "C2, (17), (22)",
    iff(_MEETS, less(c_of(FOUND_Z), C)),
    by.Arithmetic(),
    "c meets the first condition if and only if c > c0.",
    follows=("beyond-z", "equality-at-z", "beyond-c0"),
    given=(_USABLE,),
)

SOLVED = (
    _DEFINITION,
    _DEFINITION.at({_ANY: N / (2 * sp.pi)}, "lambert-at", "At n/(2 pi) = 1/(2 pi delta1^2)."),
    Step(
        "log-of-z",
        "C2",
        equal(sp.log(FOUND_Z), sp.log(LAMBERT) / 2),
        by.Identity(),
        "z is a square root.",
        given=(less(0, LAMBERT),),
    ),
    Step(
        "right-side",
        "C2",
        equal(_RIGHT, sp.log(N / (2 * sp.pi)) / 2),
        by.Identity(),
        "So is the right side of (22).",
    ),
    Step(
        "equality-at-z",
        "C2",
        equal(condition(FOUND_Z), _RIGHT),
        by.Arithmetic(),
        "At z both sides of (17) are equal.",
        follows=("lambert-at", "log-of-z", "right-side"),
    ),
    Step(
        "u-at-c0",
        "C2",
        equal(in_sigmas(c_of(Z), sp.S.One), Z),
        by.Identity(),
        "c0 = (z + sqrt(z^2 + 2))/2 is the c of z.",
    ),
    _LOGS,
    _LOGS.at(
        {_LOW: _HIGH, _HIGH: _LOW}, "logarithm-rises-back", "The same with the names exchanged."
    ),
    _STRICT,
    _STRICT.at(
        {_LOW: FOUND_Z, _HIGH: _U},
        "beyond-z",
        "h exceeds its value at z exactly beyond z.",
        place="C2",
        follows=("lambert-at",),
        given=(_USABLE,),
    ),
    _C_RISES,
    _C_RISES.at({Z: FOUND_Z}, "beyond-c0", "At the z found.", follows=("lambert-at",)),
    _INFIMUM,
    Step(
        "halfway",
        "",
        both(less(c_of(FOUND_Z), _HALFWAY), less(_HALFWAY, C), less(1, 2 * _HALFWAY**2)),
        by.Arithmetic(),
        "Halfway from c to c0.",
        follows=("infimum", "lambert-at"),
        given=(_USABLE, _MEETS),
    ),
    _INFIMUM.at(
        {C: _HALFWAY},
        "infimum-halfway",
        "Halfway from c to c0.",
        place="",
        follows=("halfway", "lambert-at"),
        given=(_USABLE, _MEETS),
    ),
    Step(
        "no-minimum",
        "Lemma 1, (22)",
        both(less(_HALFWAY, C), substituted(_MEETS, {C: _HALFWAY})),
        by.Arithmetic(),
        "Whatever c meets the condition, halfway to c0 lies a smaller one: none is the least.",
        follows=("halfway", "infimum-halfway"),
        given=(_USABLE, _MEETS),
        printed=Printed(
            at_most(condition(in_sigmas(_HALFWAY, sp.S.One)), _RIGHT),
            Ruling.TYPO,
            point({N: 1000, C: "11/5"}),
        ),
    ),
)

_CIRCLE = sp.Max(C0 * S / sp.sqrt(V), S * (K + S / 2) / V)
CIRCLE = (
    Step(
        "k-condition",
        "(22)",
        iff(
            less(K, C**2 * S / EPSILON1 - S / 2),
            less(sp.sqrt(EPSILON1 * (K / S + sp.Rational(1, 2))), C),
        ),
        by.Arithmetic(),
        "The second condition solved for c.",
    ),
    Step(
        "k-only-inflates",
        "Lemma 1, (22)",
        at_most(C0 * S / sp.sqrt(V), with_k(EPSILON1) * S / sp.sqrt(V)),
        by.Arithmetic(),
        "The second condition can make epsilon larger and nothing else; no proof uses it.",
    ),
    Step(
        "circle",
        "(21) to (23)",
        iff(equal(EPS, with_k(EPS) * S / sp.sqrt(V)), equal(EPS, _CIRCLE)),
        by.Arithmetic(),
        "epsilon1 = epsilon has one solution; any other epsilon1 gives another epsilon.",
        printed=Printed(
            equal(with_k(EPSILON1) * S / sp.sqrt(V), EPSILON1),
            Ruling.AMBIGUOUS,
            point({C0: 2, S: 1, K: 10, V: 2500, EPSILON1: "1/10"}),
            (),
        ),
    ),
)

LEAST_C = Derivation(
    "c2-least-c",
    "C2: the constant c' in closed form",
    (*SOLVED, *CIRCLE),
    ("infimum", "no-minimum", "circle"),
)

_START = sp.Rational(3, 5)
_LN_2PI = sp.Rational(183, 100)
_FIRST_N = 4
_BELOW = at_most(c_of(Z) ** 2, Z**2 + 2 * sp.log(Z) + _LN_2PI)
_USUAL = 2 * sp.log(sp.Rational(5, 4) * sp.sqrt(N))
_FACTOR = sp.sqrt(S**2 * sp.log(N) / V)
_SQUARE_OF_C = Step(
    "square-of-c",
    "(24)",
    _BELOW,
    by.Arithmetic(),
    "Both ranges together.",
    follows=("square-of-c-small-z", "square-of-c-large-z"),
    given=(at_most(_START, Z),),
)
LEFT_OVER = Derivation(
    "left-over-factor",
    "Theorem 2: exp(sqrt(s^2 ln n / V)) in place of exp(epsilon)",
    (
        *SOLVED,
        Step(
            "square-of-c-small-z",
            "(24)",
            _BELOW,
            by.Enclosed({Z: (Fraction(3, 5), Fraction(1))}),
            "c0^2 = z^2 + 1 - 1/(4 c0^2), up to z = 1.",
        ),
        Step(
            "square-of-c-large-z",
            "(24)",
            _BELOW,
            by.Arithmetic(),
            "From z = 1 on the logarithm is not negative.",
            given=(at_most(1, Z),),
        ),
        _SQUARE_OF_C,
        Step(
            "numbers",
            "",
            both(
                less(_LN_2PI, sp.log(2 * sp.pi)),
                less(sp.log(_START**2) + _START**2, sp.log(_FIRST_N / (2 * sp.pi))),
            ),
            by.Enclosed({}),
            "Three logarithms.",
        ),
        _LOGS.at(
            {_LOW: LAMBERT, _HIGH: _START**2},
            "logarithm-of-w",
            "If z were below 3/5.",
            follows=("lambert-at",),
        ),
        _LOGS.at(
            {_LOW: _FIRST_N / (2 * sp.pi), _HIGH: N / (2 * sp.pi)},
            "logarithm-of-n",
            "From n = 4 on.",
            given=(at_most(_FIRST_N, N),),
        ),
        Step(
            "z-from-n",
            "(24)",
            at_most(_START, FOUND_Z),
            by.Arithmetic(),
            "n >= 4 makes z at least 3/5.",
            follows=("lambert-at", "numbers", "logarithm-of-w", "logarithm-of-n"),
            given=(at_most(_FIRST_N, N),),
        ),
        _SQUARE_OF_C.at(
            {Z: FOUND_Z},
            "square-of-c-at-z",
            "At the z found.",
            follows=("lambert-at", "z-from-n"),
            given=(at_most(_FIRST_N, N),),
        ),
        Step(
            "logarithm-split",
            "",
            equal(_RIGHT, (sp.log(N) - sp.log(2 * sp.pi)) / 2),
            by.Identity(),
            "The right side of (22) once more.",
        ),
        Step(
            "square-below-ln-n",
            "(24)",
            at_most(c_of(FOUND_Z) ** 2, sp.log(N)),
            by.Arithmetic(),
            "c0 <= sqrt(ln n) from n = 4 on; at n = 2 it is not.",
            follows=("square-of-c-at-z", "equality-at-z", "logarithm-split", "numbers"),
            given=(at_most(_FIRST_N, N),),
            printed=Printed(
                at_most(c_of(FOUND_Z) ** 2, sp.log(N)),
                Ruling.LOOSE,
                point({N: 2}),
                (at_most(1, N),),
            ),
        ),
        Step(
            "usual-constant",
            "",
            equal(_USUAL, sp.log(N) + 2 * sp.log(sp.Rational(5, 4))),
            by.Identity(),
            "Dwork and Roth 2014, Theorem A.1, have c^2 > 2 ln(1.25/delta).",
        ),
        Step(
            "tighter",
            "after Lemma 1",
            less(c_of(FOUND_Z) ** 2, _USUAL),
            by.Arithmetic(),
            "c0 is smaller than the usual constant at delta1 = 1/sqrt(n); c' is not, where the "
            "condition on k binds.",
            follows=("square-below-ln-n", "usual-constant"),
            given=(at_most(_FIRST_N, N),),
            printed=Printed(
                less(EPSILON1 * (K / S + sp.Rational(1, 2)), _USUAL),
                Ruling.LOOSE,
                point({N: 100, K: 10, S: 1, EPSILON1: "3/5"}),
                (less(EPSILON1, 1),),
            ),
        ),
        Step(
            "left-over",
            "(24), (25)",
            at_most(C0 * S / sp.sqrt(V), _FACTOR),
            by.Arithmetic(),
            "Where the condition on k does not bind, the left-over factor is at least exp(epsilon) "
            "from n = 4 on. Where it binds, epsilon grows with k, and the factor does not.",
            follows=("square-below-ln-n",),
            given=(at_most(_FIRST_N, N), equal(C0, c_of(FOUND_Z))),
            printed=Printed(
                at_most(sp.exp(_CIRCLE), sp.exp(_FACTOR)),
                Ruling.UNSOUND,
                point({N: 100, V: 16, S: 1, K: 10, C0: "1723/1000"}),
                (
                    less(c_of(FOUND_Z), C0),
                    at_most(C0 * S / sp.sqrt(V), S * (K + S / 2) / V),
                    less(_CIRCLE, 1),
                ),
            ),
        ),
    ),
    ("square-below-ln-n", "left-over"),
)
