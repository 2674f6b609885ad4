"""Sums of independent log-concave records are log-concave (Hoggar 1974), by counting minors.

``a`` and ``b`` are masses from 0 on, each with ratios that are not negative and do not rise: that
means log-concave without internal zeros (:mod:`.log_concave`). ``C(m, n)`` adds up a(n - i) b(i)
for i up to m, so that C(n, n) is the mass of the sum at n. Its minors grow with m, by products of
minors of a and b. Nothing is assumed.
"""

from __future__ import annotations

import sympy as sp

from kproof.theory.derivations import methods as by
from kproof.theory.derivations.derivation import Derivation, Step
from kproof.theory.derivations.formulas import added, at_most, both, recursion
from kproof.theory.derivations.proofs.counts import M

_N = sp.Symbol("n", integer=True)
_I, _J = sp.symbols("i j", integer=True)
_A, _B = sp.Function("a"), sp.Function("b")
_CONVOLVED = sp.Function("C")


def _sequence(name: str, ratio: str, free: str, first: str) -> tuple[Step, ...]:
    """Return the steps that define masses by their ratios and compare two pairs of neighbours."""
    masses, ratios, any_ = sp.Function(name), sp.Function(ratio), sp.Function(free)
    falls = Step(
        f"ratios-of-{name}-fall",
        "",
        both(at_most(ratios(M), ratios(_I)), at_most(0, ratios(M))),
        by.Induction(M, _I),
        "A ratio is at most any earlier one.",
        follows=(f"ratios-of-{name}", f"ratios-of-{name}-nonnegative"),
        given=(at_most(0, _I),),
    )
    defined = Step(
        f"masses-{name}",
        "",
        recursion(masses(M), M, sp.Max(sp.Function(first)(0), 0), ratios(M) * masses(M - 1)),
        by.Defined(),
        "Masses with these ratios, from any first one on.",
    )
    nonnegative = Step(
        f"{name}-nonnegative",
        "",
        at_most(0, masses(M)),
        by.Induction(M, sp.S.Zero),
        "The first mass is not negative and no ratio is.",
        follows=(f"masses-{name}", f"ratios-of-{name}-nonnegative"),
    )
    ordered = (at_most(1, _I), at_most(_I, _J))
    return (
        Step(
            f"ratios-of-{name}",
            "",
            recursion(ratios(M), M, sp.Max(any_(0), 0), sp.Min(ratios(M - 1), sp.Max(any_(M), 0))),
            by.Defined(),
            "Ratios that are not negative and do not rise.",
        ),
        defined,
        Step(
            f"ratios-of-{name}-nonnegative",
            "",
            at_most(0, ratios(M)),
            by.Induction(M, sp.S.Zero),
            "No ratio is negative.",
            follows=(f"ratios-of-{name}",),
        ),
        falls,
        nonnegative,
        defined.at({M: _I}, f"{name}-at-i", "The mass at i."),
        defined.at({M: _J}, f"{name}-at-j", "The mass at j."),
        falls.at({M: _J}, f"ratios-of-{name}-at-i-and-j", "The ratios at i and j.", given=ordered),
        nonnegative.at({M: _I - 1}, f"{name}-before-i", "The mass before i.", given=ordered),
        nonnegative.at({M: _J - 1}, f"{name}-before-j", "The mass before j.", given=ordered),
        Step(
            f"minors-of-{name}",
            "",
            at_most(masses(_J) * masses(_I - 1), masses(_I) * masses(_J - 1)),
            by.Arithmetic(),
            "Of two pairs with one sum, the pair that is farther apart has the smaller product.",
            follows=(
                f"{name}-at-i",
                f"{name}-at-j",
                f"ratios-of-{name}-at-i-and-j",
                f"{name}-before-i",
                f"{name}-before-j",
            ),
            given=ordered,
        ),
    )


_A_STEPS = _sequence("a", "q", "f", "first")
_B_STEPS = _sequence("b", "r", "g", "start")
_BY_NAME = {one.id: one for one in (*_A_STEPS, *_B_STEPS)}


def _mass_at(name: str, where: str, at: sp.Expr, *given: sp.Basic) -> Step:
    """Return that a mass at a place is not negative."""
    return _BY_NAME[f"{name}-nonnegative"].at(
        {M: at}, f"{name}-at-{where}", "It is not negative.", given=given
    )


def _c(m: sp.Expr, n: sp.Expr) -> sp.Expr:
    return _CONVOLVED(m, n)


_PARTIAL = Step(
    "convolution",
    "",
    added(_c(M, _N), M, _A(_N - M) * _B(M), base=sp.Integer(-1)),
    by.Defined(),
    "Pairs of masses whose places add up to n, up to the place m of the second.",
)
_BEFORE = _PARTIAL.at({M: M - 1}, "convolution-before", "The pairs before m.")
_BEFORE_BOTH = _PARTIAL.at({M: M - 1, _N: _N - 1}, "convolution-before-both", "For n - 1.")
_AFTER = _PARTIAL.at({_N: _N + 1}, "convolution-after", "For n + 1.")
_GROWS = tuple(one.id for one in (_PARTIAL, _BEFORE, _BEFORE_BOTH, _AFTER))

_ORDERED = (at_most(1, M), at_most(M, _J), at_most(_J, _N))
_PAIR_OF_A = _A(_N - M) * _A(_N + 1 - _J) - _A(_N + 1 - M) * _A(_N - _J)
_PAIR_OF_B = _B(M) * _B(_J - 1) - _B(M - 1) * _B(_J)
_FIRST_PAIR = _A(_N) * _A(_N + 1 - _J) - _A(_N + 1) * _A(_N - _J)
_PAIRS = (
    _BY_NAME["minors-of-a"].at(
        {_I: _N + 1 - _J, _J: _N + 1 - M}, "minor-of-a", "Backwards from n.", given=_ORDERED
    ),
    _BY_NAME["minors-of-b"].at({_I: M}, "minor-of-b", "Forwards from 0.", given=_ORDERED),
    Step(
        "pair",
        "",
        at_most(0, _PAIR_OF_A * _PAIR_OF_B),
        by.Arithmetic(),
        "A product of two minors.",
        follows=("minor-of-a", "minor-of-b"),
        given=_ORDERED,
    ),
    _BY_NAME["minors-of-a"].at(
        {_I: _N + 1 - _J, _J: _N + 1},
        "minor-of-a-at-0",
        "Backwards from n + 1.",
        given=(at_most(1, _J), at_most(_J, _N)),
    ),
    _mass_at("b", "0", sp.S.Zero),
    _mass_at("b", "j-less-1", _J - 1, at_most(1, _J)),
    Step(
        "pair-at-0",
        "",
        at_most(0, _FIRST_PAIR * _B(0) * _B(_J - 1)),
        by.Arithmetic(),
        "The same where the second mass is the first there is.",
        follows=("minor-of-a-at-0", "b-at-0", "b-at-j-less-1"),
        given=(at_most(1, _J), at_most(_J, _N)),
    ),
)


def _crossed(m: sp.Expr, j: sp.Expr) -> sp.Expr:
    """Return how much the minor grows, from m on, when the pair at j comes in."""
    return (
        _c(m, _N) * _A(_N + 1 - j) * _B(j - 1)
        + _c(m - 1, _N) * _A(_N - j) * _B(j)
        - _c(m - 1, _N - 1) * _A(_N + 1 - j) * _B(j)
        - _c(m, _N + 1) * _A(_N - j) * _B(j - 1)
    )


_CROSSED = Step(
    "crossed",
    "",
    at_most(0, _crossed(M, _J)),
    by.Induction(M, sp.S.Zero),
    "With each place before j it grows by a product of two minors.",
    follows=(*_GROWS, "pair", "pair-at-0"),
    given=(at_most(M, _J - 1), at_most(1, _J), at_most(_J, _N)),
)
_MINOR = Step(
    "minor-of-sum",
    "",
    at_most(_c(M - 1, _N - 1) * _c(M, _N + 1), _c(M, _N) * _c(M - 1, _N)),
    by.Induction(M, sp.S.Zero),
    "Place by place, the minor of the sums so far is not negative.",
    follows=(*_GROWS, "crossed-next"),
    given=(at_most(M, _N),),
)
_EDGE = Step(
    "edge",
    "",
    at_most(_c(M - 1, _N - 1) * _B(_N + 1), _c(M, _N) * _B(_N)),
    by.Induction(M, sp.S.Zero),
    "The pair of the first mass of a comes in last.",
    follows=("convolution", "convolution-before-both", "edge-term", "edge-at-0"),
    given=(at_most(M, _N),),
)
_RATIO_A, _RATIO_B = sp.Function("q"), sp.Function("r")
_NEXT = Step(
    "next-no-larger",
    "",
    at_most(_c(M, _N + 1), _RATIO_A(0) * _c(M, _N)),
    by.Induction(M, sp.Integer(-1)),
    "Pair by pair.",
    follows=("convolution", "convolution-after", "next-term"),
    given=(at_most(M, _N),),
)
_SUM_NONNEGATIVE = Step(
    "sum-nonnegative",
    "",
    at_most(0, _c(M, _N)),
    by.Induction(M, sp.Integer(-1)),
    "Products of masses.",
    follows=("convolution", "term"),
    given=(at_most(M, _N),),
)
_FROM_0 = (at_most(0, _N),)
_TERM = (at_most(0, M), at_most(M, _N))


def _whole(n: sp.Expr) -> sp.Expr:
    """Return the mass of the sum."""
    return _c(n, n)


LOG_CONCAVE_SUM = Derivation(
    "log-concave-convolution",
    "The sum of two independent records with log-concave masses has log-concave masses",
    (
        *_A_STEPS,
        *_B_STEPS,
        _PARTIAL,
        _BEFORE,
        _BEFORE_BOTH,
        _AFTER,
        *_PAIRS,
        _CROSSED,
        _CROSSED.at(
            {_J: M + 1},
            "crossed-next",
            "The pair that comes in is the next one.",
            given=(at_most(0, M), at_most(M + 1, _N)),
        ),
        _MINOR,
        _BY_NAME["minors-of-b"].at(
            {_I: M, _J: _N + 1},
            "minor-of-b-at-n",
            "Forwards to n + 1.",
            given=(at_most(1, M), at_most(M, _N)),
        ),
        _mass_at("a", "n-less-m", _N - M, at_most(M, _N)),
        Step(
            "edge-term",
            "",
            at_most(0, _A(_N - M) * (_B(M) * _B(_N) - _B(M - 1) * _B(_N + 1))),
            by.Arithmetic(),
            "A mass times a minor.",
            follows=("minor-of-b-at-n", "a-at-n-less-m"),
            given=(at_most(1, M), at_most(M, _N)),
        ),
        _mass_at("a", "n", _N, *_FROM_0),
        _mass_at("b", "n", _N, *_FROM_0),
        Step(
            "edge-at-0",
            "",
            at_most(0, _A(_N) * _B(0) * _B(_N)),
            by.Arithmetic(),
            "A product of masses.",
            follows=("a-at-n", "b-at-n", "b-at-0"),
            given=_FROM_0,
        ),
        _EDGE,
        _MINOR.at({M: _N}, "minor-at-n", "All pairs but one are in.", given=_FROM_0),
        _EDGE.at({M: _N}, "edge-at-n", "And the one that is not.", given=_FROM_0),
        _PARTIAL.at({M: _N}, "all-of-n", "The mass of the sum at n."),
        _PARTIAL.at({M: _N + 1, _N: _N + 1}, "all-of-n-plus-1", "The mass of the sum at n + 1."),
        _mass_at("a", "0", sp.S.Zero),
        Step(
            "log-concave-sum",
            "C3",
            at_most(_whole(_N - 1) * _whole(_N + 1), _whole(_N) ** 2),
            by.Arithmetic(),
            "The masses of the sum are log-concave. One by one, so are those of any number of "
            "records.",
            follows=("minor-at-n", "edge-at-n", "all-of-n", "all-of-n-plus-1", "a-at-0"),
            given=_FROM_0,
        ),
        Step(
            "term",
            "",
            at_most(0, _A(_N - M) * _B(M)),
            by.Arithmetic(),
            "A product of masses.",
            follows=("a-at-n-less-m", "b-nonnegative"),
            given=_TERM,
        ),
        _SUM_NONNEGATIVE,
        _BY_NAME["masses-a"].at({M: _N + 1 - M}, "a-next", "By its ratio to the one before."),
        _BY_NAME["ratios-of-a-fall"].at(
            {M: _N + 1 - M, _I: sp.S.Zero},
            "first-ratio-of-a",
            "The first ratio is the largest.",
            given=(at_most(M, _N),),
        ),
        Step(
            "next-term",
            "",
            at_most(_A(_N + 1 - M) * _B(M), _RATIO_A(0) * (_A(_N - M) * _B(M))),
            by.Arithmetic(),
            "A mass of a is at most the one before, times the first ratio.",
            follows=("a-next", "first-ratio-of-a", "term", "a-at-n-less-m", "b-nonnegative"),
            given=_TERM,
        ),
        _NEXT,
        _NEXT.at({M: _N}, "next-at-n", "All pairs but the last.", given=_FROM_0),
        _BY_NAME["masses-b"].at({M: _N + 1}, "b-next", "By its ratio to the one before."),
        _BY_NAME["ratios-of-b-fall"].at(
            {M: _N + 1, _I: sp.S.Zero},
            "first-ratio-of-b",
            "The first ratio is the largest.",
            given=_FROM_0,
        ),
        _SUM_NONNEGATIVE.at({M: _N - 1}, "sum-before-n", "All pairs but the last.", given=_FROM_0),
        Step(
            "last-pair",
            "",
            at_most(_A(0) * _B(_N + 1), _RATIO_B(0) * (_A(0) * _B(_N))),
            by.Arithmetic(),
            "A mass of b is at most the one before, times the first ratio.",
            follows=("b-next", "first-ratio-of-b", "a-at-0", "b-at-n"),
            given=_FROM_0,
        ),
        _BY_NAME["ratios-of-b-nonnegative"].at(
            {M: sp.S.Zero}, "first-ratio-nonnegative", "It is not negative."
        ),
        Step(
            "no-gap",
            "C3",
            at_most(_whole(_N + 1), (_RATIO_A(0) + _RATIO_B(0)) * _whole(_N)),
            by.Arithmetic(),
            "Where one mass of the sum is 0, all later ones are: no zeros lie between.",
            follows=(
                *("next-at-n", "last-pair", "sum-before-n", "all-of-n", "all-of-n-plus-1"),
                "first-ratio-nonnegative",
            ),
            given=_FROM_0,
        ),
    ),
    ("log-concave-sum", "no-gap"),
)
