"""The path rule: which unknown records stay independent, given the values of the known ones.

Take two sets of unknown records that no edge and no path of known records joins. Each set and the
known records that paths of known records join to it are one side; the remaining known records may
go to either. No edge leads from side to side, so that the sides are jointly independent, as a
dependency graph says. At the known values that were seen, ``massA(va)`` is the mass of a value of
the first set with those of its side, ``massB(vb)`` that of the other; joint masses are products.
Both sets may have any number of values. Nothing is assumed.
"""

from __future__ import annotations

import sympy as sp

from kproof.theory.derivations import methods as by
from kproof.theory.derivations.derivation import Step
from kproof.theory.derivations.formulas import added, both, either, equal, implies, less

_A, _B, _LAST_A, _LAST_B = (
    sp.Symbol(name, integer=True, nonnegative=True) for name in ("va", "vb", "na", "nb")
)
_ONE, _OTHER = sp.symbols("i1 i2", integer=True)
_MASS_A, _MASS_B = sp.Function("massA"), sp.Function("massB")
_sum_a, _sum_b = sp.Function("sumA")(_LAST_A), sp.Function("sumB")(_LAST_B)
_of_a = sp.Function("givenA")(_A, _LAST_B)
_of_b = sp.Function("givenB")(_LAST_A, _B)
_of_b_last = _of_b.subs(_B, _LAST_B)
_whole = sp.Function("given")(_LAST_A, _LAST_B)
_SIDE, _KNOWN, _JOINED = (sp.Function(name) for name in ("side", "known", "joined"))
_EDGE = sp.Function("edge")(_ONE, _OTHER)


def _all_of(name: str, here: sp.Expr, index: sp.Symbol, term: sp.Expr, why: str) -> Step:
    claim = added(here, index, term, first=term.subs(index, 0))
    return Step(name, "", claim, by.Defined(), why)


def _zero_or_one(value: sp.Expr) -> sp.Basic:
    return either(equal(value, 0), equal(value, 1))


_ROW = Step(
    "mass-of-b",
    "",
    equal(_of_b, _sum_a * _MASS_B(_B)),
    by.Induction(_LAST_A, sp.S.Zero),
    "Over all values of the first set.",
    follows=("values-of-a", "values-given-b"),
)
PATH_RULE = (
    Step(
        "no-edge-across",
        "Theorem 5",
        equal(_EDGE, 0),
        by.Arithmetic(),
        "A side is closed under edges to known records. An edge to an unknown record outside joins "
        "it to the set, directly or by a path of known records. So no edge leads out of a side to "
        "what is not joined.",
        given=(
            *(_zero_or_one(_EDGE), _zero_or_one(_KNOWN(_OTHER))),
            *(equal(_SIDE(_ONE), 1), equal(_SIDE(_OTHER), 0), equal(_JOINED(_OTHER), 0)),
            implies(
                both(equal(_SIDE(_ONE), 1), equal(_EDGE, 1), equal(_KNOWN(_OTHER), 1)),
                equal(_SIDE(_OTHER), 1),
            ),
            implies(
                both(equal(_SIDE(_ONE), 1), equal(_EDGE, 1), equal(_KNOWN(_OTHER), 0)),
                equal(_JOINED(_OTHER), 1),
            ),
        ),
    ),
    _all_of("values-of-a", _sum_a, _LAST_A, _MASS_A(_LAST_A), "The first side with its known."),
    _all_of("values-of-b", _sum_b, _LAST_B, _MASS_B(_LAST_B), "The other side with its known."),
    _all_of(
        "values-given-b",
        _of_b,
        _LAST_A,
        _MASS_A(_LAST_A) * _MASS_B(_B),
        "The mass of a value of the other set, whatever the first one has.",
    ),
    _all_of(
        "values-given-a",
        _of_a,
        _LAST_B,
        _MASS_A(_A) * _MASS_B(_LAST_B),
        "The mass of a value of the first set, whatever the other one has.",
    ),
    _ROW,
    _ROW.at({_B: _LAST_B}, "mass-of-last-b", "The same for the last value."),
    Step(
        "mass-of-a",
        "",
        equal(_of_a, _MASS_A(_A) * _sum_b),
        by.Induction(_LAST_B, sp.S.Zero),
        "Over all values of the other set.",
        follows=("values-of-b", "values-given-a"),
    ),
    _all_of("known-values", _whole, _LAST_B, _of_b_last, "The mass of the known values."),
    Step(
        "mass-of-known",
        "",
        equal(_whole, _sum_a * _sum_b),
        by.Induction(_LAST_B, sp.S.Zero),
        "It is a product, too.",
        follows=("known-values", "mass-of-last-b", "values-of-b"),
    ),
    Step(
        "path-rule",
        "Theorem 5",
        equal(_MASS_A(_A) * _MASS_B(_B) / _whole, (_of_a / _whole) * (_of_b / _whole)),
        by.Arithmetic(),
        "Given the known values, the mass of two values is the product of their masses: both sets "
        "are independent, whatever number of values they have.",
        follows=("mass-of-a", "mass-of-b", "mass-of-known"),
        given=(less(0, _whole),),
    ),
)
