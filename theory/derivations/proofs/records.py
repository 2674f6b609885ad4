"""The records of Theorems 2 and 4: their moments, and how these compare (Lyapunov).

One record takes the values ``x(atom)`` with weights ``w(atom)``; the sums of ``w x^k`` are
``S0`` to ``S3``, those about the mean ``C2``, ``C3`` and, of absolute values, ``A3``. Record j has
deviation ``sd(j)`` and third absolute moment ``rho(j)``; ``V``, ``T`` and ``R`` add up sd^2, sd^3
and rho. Whatever is not said of these functions is arbitrary.
"""

from __future__ import annotations

import sympy as sp

from kproof.theory.derivations import methods as by
from kproof.theory.derivations.derivation import Printed, Step, point
from kproof.theory.derivations.formulas import added, at_most, both, equal, less
from kproof.theory.ledger import Ruling

ATOM = sp.Symbol("atom", integer=True, nonnegative=True)
J = sp.Symbol("j", integer=True, nonnegative=True)
PI = sp.Symbol("mean", real=True)
TAU = sp.Symbol("tau", nonnegative=True)
_ALIKE = sp.Symbol("v", positive=True)
_COUNT = sp.Symbol("h", positive=True)
_FACTOR = sp.Symbol("X", positive=True)

_WEIGHT = sp.Function("w")(ATOM)
_VALUE = sp.Function("x")(ATOM)
SD, RHO = sp.Function("sd"), sp.Function("rho")
VARIANCE, CUBES, THIRDS = sp.Function("V"), sp.Function("T"), sp.Function("R")


def _moment(name: str, term: sp.Expr, why: str, *more: sp.Expr) -> tuple[sp.Expr, Step]:
    here = sp.Function(name)(ATOM, *more)
    return here, Step(f"moment-{name}", "", added(here, ATOM, _WEIGHT * term), by.Defined(), why)


_raw = [_moment(f"S{k}", _VALUE**k, f"The weighted sum of x^{k}.") for k in range(4)]
_S0, _S1, _S2, _S3 = (one for one, _ in _raw)
_OFF = _VALUE - PI
_c2, _C2 = _moment("C2", _OFF**2, "The weighted sum of squares about the mean.", PI)
_c3, _C3 = _moment("C3", _OFF**3, "The weighted sum of cubes about the mean.", PI)
_a3, _A3 = _moment("A3", sp.Abs(_OFF) ** 3, "The same of absolute cubes.", PI)
_TANGENT = (3 * TAU * _c2 - TAU**3 * _S0) / 2

RECORD = (
    Step(
        "weights",
        "",
        equal(_WEIGHT, sp.Max(0, sp.Function("f")(ATOM))),
        by.Defined(),
        "Weights are not negative.",
    ),
    *(step for _, step in _raw),
    _C2,
    _C3,
    _A3,
    Step(
        "central-moments",
        "before (19)",
        both(
            equal(_c2, _S2 - 2 * PI * _S1 + PI**2 * _S0),
            equal(_c3, _S3 - 3 * PI * _S2 + 3 * PI**2 * _S1 - PI**3 * _S0),
        ),
        by.Induction(ATOM, sp.S.Zero),
        "Central moments from raw ones, value by value.",
        follows=tuple(f"moment-{name}" for name in ("S0", "S1", "S2", "S3", "C2", "C3")),
    ),
    Step(
        "signed-third",
        "before (19)",
        both(
            equal(_c2, _S2 - PI**2),
            equal(_c3, _S3 - 3 * _S2 * PI + 2 * PI**3),
        ),
        by.Arithmetic(),
        "The paper's expressions, phi^2 = S2 and chi^3 = S3, are the variance and the third "
        "central moment, with its sign.",
        follows=("central-moments",),
        given=(equal(_S0, 1), equal(_S1, PI)),
    ),
    Step(
        "signed-below-absolute",
        "(19)",
        at_most(sp.Abs(_c3), _a3),
        by.Induction(ATOM, sp.S.Zero),
        "The absolute value of the signed moment is at most the absolute moment.",
        follows=("weights", "moment-C3", "moment-A3"),
    ),
    Step(
        "tangent",
        "",
        at_most(_WEIGHT * (3 * TAU * _OFF**2 - TAU**3) / 2, _WEIGHT * sp.Abs(_OFF) ** 3),
        by.Arithmetic(),
        "y^3 lies above (3 tau y^2 - tau^3)/2 for y >= 0.",
        follows=("weights",),
    ),
    Step(
        "tangent-summed",
        "",
        at_most(_TANGENT, _a3),
        by.Induction(ATOM, sp.S.Zero),
        "The same for the moments.",
        follows=("tangent", "moment-S0", "moment-C2", "moment-A3"),
    ),
    Step(
        "lyapunov",
        "(19)",
        at_most(TAU**3, _a3),
        by.Arithmetic(),
        "Lyapunov's inequality: the third absolute moment is at least the deviation cubed.",
        follows=("tangent-summed",),
        given=(equal(_S0, 1), equal(_c2, TAU**2)),
    ),
)

_v, _t, _r = VARIANCE(J), CUBES(J), THIRDS(J)
_DEVIATION = Step(
    "deviation",
    "",
    equal(SD(J), sp.Abs(sp.Function("spread")(J))),
    by.Defined(),
    "Deviations are not negative.",
)
_THIRD = Step(
    "third",
    "",
    equal(RHO(J), sp.Max(SD(J) ** 3, sp.Function("b")(J))),
    by.Defined(),
    "Third absolute moments are at least the deviations cubed (lyapunov).",
)
_VARIANCE = Step("sum-V", "", added(_v, J, SD(J) ** 2), by.Defined(), "Variances add up.")
SUMS = (
    _DEVIATION,
    _THIRD,
    _VARIANCE,
    Step("sum-T", "", added(_t, J, SD(J) ** 3), by.Defined(), "The denominator as printed."),
    Step("sum-R", "", added(_r, J, RHO(J)), by.Defined(), "Third absolute moments add up."),
    Step(
        "variance-nonnegative",
        "",
        at_most(0, _v),
        by.Induction(J, sp.S.Zero),
        "Squares.",
        follows=("sum-V",),
    ),
    Step(
        "cubes-below-thirds",
        "(19)",
        both(at_most(_t, _r), at_most(0, _t)),
        by.Induction(J, sp.S.Zero),
        "Record by record.",
        follows=("sum-T", "sum-R", "third", "deviation"),
    ),
    Step(
        "cubes-below-power",
        "(19)",
        at_most(_t**2, _v**3),
        by.Induction(J, sp.S.Zero),
        "The sum of cubes is at most the sum of squares to the power 3/2, with equality for one "
        "record only: the printed denominator is not the one of Lemma 2.",
        follows=("sum-T", "sum-V", "deviation", "variance-nonnegative", "cubes-below-thirds"),
        printed=Printed(
            equal(_COUNT * _ALIKE**3, sp.sqrt(_COUNT * _ALIKE**2) ** 3),
            Ruling.AMBIGUOUS,
            point({_COUNT: 4, _ALIKE: 1}),
            (),
        ),
    ),
    Step(
        "always-vacuous",
        "(19), (25)",
        less(2, sp.Rational("1.1182") * _r / _t * (1 + _FACTOR)),
        by.Arithmetic(),
        "With the absolute moment over the printed denominator delta exceeds 2, whatever the data; "
        "X is the exponential.",
        follows=("cubes-below-thirds",),
        given=(less(0, _t), at_most(1, _FACTOR)),
    ),
)
