"""Block bounds for finite laws: convexity, post-processing, and what follows from them.

At a point, ``p`` is the mass under one world less e^ε times that under the other; the divergence
of the two is the sum of max(p, 0) over all points. ``p`` and ``q`` are any functions at all, for
any number of points. Nothing is assumed.
"""

from __future__ import annotations

import sympy as sp

from kproof.theory.derivations import methods as by
from kproof.theory.derivations.derivation import Derivation, Step
from kproof.theory.derivations.formulas import added, at_most, equal, recursion
from kproof.theory.derivations.proofs.counts import M

_T, _B, _BETA = sp.symbols("t b beta", nonnegative=True)
_P, _Q, _U, _V = sp.symbols("p0 q0 u v", real=True)
_p, _q, _x = (sp.Function(name)(M) for name in ("p", "q", "x"))
_mixed, _one, _other = (sp.Function(name)(M, _T) for name in ("X", "Y", "Z"))
_SHARE = (at_most(_T, 1),)


def _sum(name: str, here: sp.Expr, term: sp.Expr, why: str) -> Step:
    return Step(name, "", added(here, M, term, first=term.subs(M, 0)), by.Defined(), why)


_MIXTURE = _T * _p + (1 - _T) * _q
_ONE_POINT = Step(
    "one-point",
    "B1",
    at_most(sp.Max(_T * _P + (1 - _T) * _Q, 0), _T * sp.Max(_P, 0) + (1 - _T) * sp.Max(_Q, 0)),
    by.Arithmetic(),
    "At one point, a mixture gains at most what its parts gain.",
    given=_SHARE,
)
_SUMS = (
    _sum("mixture", _mixed, sp.Max(_MIXTURE, 0), "What a mixture gains, point by point."),
    _sum("first-part", _one, sp.Max(_p, 0), "What its first part gains."),
    _sum("second-part", _other, sp.Max(_q, 0), "What its second part gains."),
)

_shares, _parts, _slack = (sp.Function(name) for name in ("s", "d", "f"))
_weight = sp.Min(sp.Max(_shares(M), 0), 1)
_many, _mean = sp.Function("D")(M), sp.Function("K")(M)
_step = (1 - _weight) * _many.subs(M, M - 1) + _weight * _parts(M)
_PARTS = (
    Step(
        "added-parts",
        "",
        recursion(_many, M, _parts(0), _step - sp.Max(_slack(M), 0)),
        by.Defined(),
        "A divergence that is, with each part mixed in, at most the mean of two: anything that "
        "two-parts allows.",
    ),
    Step(
        "mean-of-parts",
        "",
        recursion(_mean, M, _parts(0), (1 - _weight) * _mean.subs(M, M - 1) + _weight * _parts(M)),
        by.Defined(),
        "The mean of what the parts gain.",
    ),
)

JOINT_CONVEXITY = Derivation(
    "joint-convexity",
    "The hockey-stick divergence is jointly convex, for finite laws and any number of parts",
    (
        _ONE_POINT,
        _ONE_POINT.at({_P: _p, _Q: _q}, "at-a-point", "The same at the point m."),
        *_SUMS,
        Step(
            "two-parts",
            "B1",
            at_most(_mixed, _T * _one + (1 - _T) * _other),
            by.Induction(M, sp.S.Zero),
            "Point by point: a mixture of two diverges at most as the mean of the two.",
            follows=("mixture", "first-part", "second-part", "at-a-point"),
            given=_SHARE,
        ),
        *_PARTS,
        Step(
            "many-parts",
            "B1",
            at_most(_many, _mean),
            by.Induction(M, sp.S.Zero),
            "Part by part: a mixture of any number.",
            follows=("added-parts", "mean-of-parts"),
        ),
    ),
    ("two-parts", "many-parts"),
)

_merged, _apart = sp.Function("S")(M), sp.Function("Y")(M)
_TWO_POINTS = Step(
    "two-points",
    "B1",
    at_most(sp.Max(_P + _Q, 0), sp.Max(_P, 0) + sp.Max(_Q, 0)),
    by.Arithmetic(),
    "Two points that cannot be told apart any more gain at most what both gained.",
)
POST_PROCESSING = Derivation(
    "post-processing",
    "What is computed from a release diverges at most as the release, for finite laws",
    (
        _TWO_POINTS,
        _sum("merged", _merged, _p, "Points 0 to m made one."),
        _sum("apart", _apart, sp.Max(_p, 0), "What they gain apart."),
        Step(
            "made-one",
            "B1",
            at_most(sp.Max(_merged, 0), _apart),
            by.Induction(M, sp.S.Zero),
            "Any number of points made one gain at most what they gained apart.",
            follows=("merged", "apart"),
        ),
    ),
    ("made-one",),
)

_weights, _first, _second = (sp.Function(name) for name in ("w", "d1", "d0"))
_w = sp.Max(_weights(M), 0)
_told_term = _weight * _first(M) + (1 - _weight) * _second(M)
_silent, _told = sp.Function("X")(M), sp.Function("Y")(M)
_chain = sp.Function("y")(M)
_LARGER = Step(
    "larger-mass",
    "B2",
    at_most(_B * _U + (1 - _B) * _V, _BETA * _U + (1 - _BETA) * _V),
    by.Arithmetic(),
    "A larger block mass gives no larger bound where one more block gains no more than none: least "
    "masses may stand for masses.",
    given=(at_most(_BETA, _B), at_most(_B, 1), at_most(_U, _V)),
)
BLOCK_BOUND = Derivation(
    "block-bound",
    "Block bounds: labels are told record by record (B1, B4), least masses stand for masses (B2, "
    "B6), groups and fields (B5)",
    (
        Step(
            "label-not-told",
            "",
            added(
                _silent,
                M,
                _w * (_told_term - sp.Max(_slack(M), 0)),
                first=(_w * (_told_term - sp.Max(_slack(M), 0))).subs(M, 0),
            ),
            by.Defined(),
            "The mean, over what is told of other records, of divergences that are at most those "
            "of two parts (joint-convexity): one record shows its block, or not.",
        ),
        Step(
            "label-told",
            "",
            added(_told, M, _w * _told_term, first=(_w * _told_term).subs(M, 0)),
            by.Defined(),
            "The same mean once it is told whether that record shows its block.",
        ),
        Step(
            "one-label",
            "B1",
            at_most(_silent, _told),
            by.Induction(M, sp.S.Zero),
            "To tell one more label makes the mean divergence no smaller.",
            follows=("label-not-told", "label-told"),
        ),
        Step(
            "labels",
            "",
            recursion(_chain, M, sp.Function("c")(0), _chain.subs(M, M - 1) + sp.Max(_slack(M), 0)),
            by.Defined(),
            "The mean divergence once the labels of the first m records are told: by one-label it "
            "does not fall.",
        ),
        Step(
            "all-labels",
            "B1",
            at_most(sp.Function("c")(0), _chain),
            by.Induction(M, sp.S.Zero),
            "With no label told it is delta; with all told, the starts and the rest given, the sum "
            "is a constant and N uniform blocks, so that the mean is E D_N.",
            follows=("labels",),
        ),
        Step(
            "equal-parts",
            "",
            recursion(
                sp.Function("K")(M, _V),
                M,
                _V,
                (1 - _weight) * sp.Function("K")(M - 1, _V) + _weight * _V,
            ),
            by.Defined(),
            "The mean over the values of one more block: each moves both worlds alike and has the "
            "divergence that there was.",
        ),
        Step(
            "one-more-block",
            "B7",
            equal(sp.Function("K")(M, _V), _V),
            by.Induction(M, sp.S.Zero),
            "One more block makes D_j no larger: it is a mixture of equal divergences.",
            follows=("equal-parts",),
        ),
        _LARGER,
        Step(
            "mean-mass",
            "B5a",
            at_most(_T * _B * _U + (1 - _T) * _BETA * _V, _T * _P + (1 - _T) * _Q),
            by.Arithmetic(),
            "At each value, what block masses b and beta of a record given the rest of its group "
            "put there is at most what the group's sum has there: the sum has the mean mass.",
            given=(at_most(_T, 1), at_most(_B * _U, _P), at_most(_BETA * _V, _Q)),
        ),
        Step(
            "given-the-rest",
            "",
            recursion(
                sp.Function("R")(M, _V),
                M,
                _V - sp.Max(_slack(0), 0),
                (1 - _weight) * sp.Function("R")(M - 1, _V) + _weight * (_V - sp.Max(_slack(M), 0)),
            ),
            by.Defined(),
            "The mean, over all others, of divergences that are each at most one bound: in a field "
            "the records of an independent set are independent given all others, and least masses "
            "bound each divergence alike.",
        ),
        Step(
            "over-the-rest",
            "B5b",
            at_most(sp.Function("R")(M, _V), _V),
            by.Induction(M, sp.S.Zero),
            "So does their mean; what is known may belong to the rest (B6).",
            follows=("given-the-rest",),
        ),
    ),
    ("all-labels", "one-more-block", "larger-mass", "mean-mass", "over-the-rest"),
)

_side, _here, _there = (sp.Function(name)(M) for name in ("g", "u", "v"))
_near, _far = sp.Max(_side, 0) * _here, sp.Max(-_side, 0) * _there
_both = sp.Function("X")(M, _T)
_blocks, _remainder = (sp.Function(name)(M) for name in ("Y", "Z"))
ATTAINED = Derivation(
    "block-bound-attained",
    "The block bound is attained: a rest far away shows which records have their block (B3)",
    (
        Step(
            "apart",
            "B3",
            equal(
                sp.Max(_T * _P + (1 - _T) * _Q, 0), _T * sp.Max(_P, 0) + (1 - _T) * sp.Max(_Q, 0)
            ),
            by.Arithmetic(),
            "At a point that only one of two parts reaches, the mixture gains what the parts gain.",
            given=(at_most(_T, 1), equal(_P * _Q, 0)),
        ),
        _sum("both-parts", _both, sp.Max(_T * _near + (1 - _T) * _far, 0), "The mixture."),
        _sum("the-block", _blocks, sp.Max(_near, 0), "The part with the block."),
        _sum("the-rest", _remainder, sp.Max(_far, 0), "The part with the rest, far away."),
        Step(
            "equality",
            "B3",
            equal(_both, _T * _blocks + (1 - _T) * _remainder),
            by.Induction(M, sp.S.Zero),
            "Parts that share no point: the divergence of the mixture is the mean of theirs; so at "
            "every record, and delta is E D_N.",
            follows=("both-parts", "the-block", "the-rest"),
            given=_SHARE,
        ),
    ),
    ("apart", "equality"),
)
