"""Theorem 5: Theorem 3 over the records that are not known, given those that are."""

from __future__ import annotations

import sympy as sp

from kproof.theory.derivations import methods as by
from kproof.theory.derivations.derivation import Derivation, Printed, Step, point
from kproof.theory.derivations.formulas import at_most, equal, less
from kproof.theory.derivations.proofs.conditional_graph import PATH_RULE
from kproof.theory.derivations.proofs.gaussian import SIGMA, X
from kproof.theory.derivations.proofs.records import J
from kproof.theory.derivations.proofs.stein import A3, A4, COMMON, HALF_LINES, PRIVATE
from kproof.theory.ledger import Ruling

_KNOWN = sp.Symbol("K", real=True)
_P00, _P01, _P10 = sp.symbols("p00 p01 p10", nonnegative=True)
_P11 = 1 - _P00 - _P01 - _P10
_ONE = _P01 + _P11
_GIVEN_0, _GIVEN_1 = _P01 / (_P00 + _P01), _P11 / (_P10 + _P11)
_CHANCE_A, _CHANCE_B = sp.symbols("pA pB", nonnegative=True)
_ALONE_A, _ALONE_B = (1 - _CHANCE_A, _CHANCE_A), (1 - _CHANCE_B, _CHANCE_B)
_SEEN_A, _SEEN_B = sp.symbols("u0 u1", nonnegative=True), sp.symbols("v0 v1", nonnegative=True)
_SEEN = [[sp.Symbol(f"c{a}{b}", nonnegative=True) for b in (0, 1)] for a in (0, 1)]
_UNKNOWN_LEFT = (less(0, _P00 + _P01), less(0, _P10 + _P11))
_A3_LEFT, _A4_LEFT = sp.symbols("A3_u A4_u", nonnegative=True)
_SIGMA_LEFT = sp.Symbol("sigma_u", positive=True)
_UNKNOWN = sp.Symbol("u", integer=True, nonnegative=True)
LEFT_OVER = {A3: _A3_LEFT, A4: _A4_LEFT, J: _UNKNOWN, SIGMA: _SIGMA_LEFT}
_JOINT = [[sp.Symbol(f"j{a}{b}", nonnegative=True) for b in (0, 1)] for a in (0, 1)]

THEOREM_5 = Derivation(
    "theorem-5",
    "Theorem 5: Theorem 3 over the records that are not known",
    (
        Step(
            "total-variance",
            "Theorem 5",
            equal(
                _ONE * (1 - _ONE),
                (_P00 + _P01) * (_GIVEN_0 * (1 - _GIVEN_0) + (_GIVEN_0 - _ONE) ** 2)
                + (_P10 + _P11) * (_GIVEN_1 * (1 - _GIVEN_1) + (_GIVEN_1 - _ONE) ** 2),
            ),
            by.Identity(),
            "A known and an unknown record, each 0 or 1, with chances p00, p01, p10, p11: the "
            "variance is what is left, on average, plus what the known record explains. Of two "
            "equal records nothing is left.",
            given=_UNKNOWN_LEFT,
            printed=Printed(
                at_most(_ONE * (1 - _ONE), _GIVEN_1 * (1 - _GIVEN_1)),
                Ruling.UNSOUND,
                point({_P00: "1/2", _P01: 0, _P10: 0}),
            ),
        ),
        Step(
            "left-on-average",
            "Theorem 5",
            at_most(
                (_P00 + _P01) * _GIVEN_0 * (1 - _GIVEN_0)
                + (_P10 + _P11) * _GIVEN_1 * (1 - _GIVEN_1),
                _ONE * (1 - _ONE),
            ),
            by.Arithmetic(),
            "On average the unconditional variance overstates what the adversary does not know.",
            follows=("total-variance",),
            given=_UNKNOWN_LEFT,
        ),
        Step(
            "known-between",
            "Theorem 5",
            equal(_JOINT[1][1] * _JOINT[0][0], _JOINT[1][0] * _JOINT[0][1]),
            by.Arithmetic(),
            "Two independent records, each 0 or 1, stay independent if what is known depends on "
            "each apart: its chance is then a product. If one known record depends on both, as "
            "their sum does, they need not: neighbourhoods grow by what is known between them.",
            given=tuple(
                equal(_JOINT[a][b], _ALONE_A[a] * _ALONE_B[b] * _SEEN_A[a] * _SEEN_B[b])
                for a in (0, 1)
                for b in (0, 1)
            ),
            printed=Printed(
                equal(
                    _CHANCE_A
                    * _CHANCE_B
                    * _SEEN[1][1]
                    * (1 - _CHANCE_A)
                    * (1 - _CHANCE_B)
                    * _SEEN[0][0],
                    _CHANCE_A
                    * (1 - _CHANCE_B)
                    * _SEEN[1][0]
                    * (1 - _CHANCE_A)
                    * _CHANCE_B
                    * _SEEN[0][1],
                ),
                Ruling.UNSOUND,
                point(
                    {
                        _CHANCE_A: "1/2",
                        _CHANCE_B: "1/2",
                        _SEEN[0][0]: 0,
                        _SEEN[0][1]: 1,
                        _SEEN[1][0]: 1,
                        _SEEN[1][1]: 0,
                    }
                ),
                (),
            ),
        ),
        *PATH_RULE,
        *COMMON,
        HALF_LINES.at(
            {X: X - _KNOWN / _SIGMA_LEFT, **LEFT_OVER},
            "known-moves",
            "Given the known values, their sum K only moves the half-lines of the others. Law u is "
            "their conditional law, and all moments are conditional.",
            place="Theorem 5",
        ),
        PRIVATE.at(
            LEFT_OVER,
            "theorem-5",
            "Theorem 3 for the unknown records, with conditional moments and variance.",
        ),
    ),
    (
        *("known-moves", "theorem-5", "left-on-average"),
        *("known-between", "no-edge-across", "path-rule"),
    ),
    theorem=5,
)
