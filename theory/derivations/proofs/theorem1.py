"""Theorem 1 as Appendix A proves it, each step beside the one that holds.

What the appendix gets wrong: a strict inequality, misplaced brackets, the case split, one tail's
factor, the atom at k, a subtracted upper bound, the sign of (12), the hypothesis on epsilon. What
it gets right, the two ratios and the two thresholds, is proved here as printed, and so is
Hoeffding's inequality, which it cites. Nothing is assumed.
"""

from __future__ import annotations

import sympy as sp

from kproof.theory.derivations import methods as by
from kproof.theory.derivations.derivation import Derivation, Printed, Step, point
from kproof.theory.derivations.formulas import at_most, both, equal, iff, implies, less
from kproof.theory.derivations.proofs.counts import (
    CHANCE,
    DOWN,
    FALLS_FROM,
    INSIDE,
    LOWER_TAIL,
    MASSES,
    MU,
    NEIGHBOURS,
    PROB,
    RISES_UNTIL,
    UP,
    E,
    K,
    M,
    N,
    X,
    below,
    binomial_sum,
    hoeffding,
)
from kproof.theory.derivations.proofs.exact_counts import AT_ZERO, POSITIVE
from kproof.theory.derivations.proofs.hoeffding import (
    FARTHER,
    FARTHER_GAP,
    GAP,
    HOEFFDING,
)
from kproof.theory.ledger import Ruling

DELTA = sp.Symbol("delta", positive=True)
Z0 = sp.Symbol("Z0", positive=True)
Z = sp.Symbol("Z", positive=True)
_LEFT = N * PROB - MU
_RIGHT = N * PROB + MU
_ODDS = PROB / (1 - PROB)
_FIRST = (N - _LEFT + 1) / _LEFT * _ODDS
_SECOND = (_RIGHT + 1) / (N - _RIGHT) / _ODDS
_WITHIN = (*CHANCE, less(0, _LEFT), less(_RIGHT, N))
_BELOW_HALF = less(PROB, sp.Rational(1, 2) - K / (2 * N))
_CASE_1 = (*CHANCE, less(K, _LEFT), less(_RIGHT, N), _BELOW_HALF)
"""What Appendix A has for its first case."""


_MU_PRINTED = sp.sqrt(-N / 2 * sp.log(DELTA + hoeffding(N * PROB - K + 1)))
_MU_SOUND = sp.sqrt(N / 2 * sp.log(1 / (DELTA * Z0)))
_BELOW_K = hoeffding(N * PROB - K + 1)

_STATEMENT_1 = (
    MASSES,
    NEIGHBOURS,
    Step(
        "ratio-left",
        "(3)",
        at_most((N - X + 1) / X * _ODDS, _FIRST),
        by.Arithmetic(),
        "The ratio to the predecessor falls in x, so that it is largest at the left end; at a "
        "whole left end both sides are equal.",
        given=(*_WITHIN, *INSIDE, at_most(_LEFT, X)),
        printed=Printed(
            less((N - X + 1) / X * _ODDS, _FIRST),
            Ruling.LOOSE,
            point({N: 12, PROB: "1/4", MU: 1, X: 2, K: 1}),
            (*_CASE_1, at_most(_LEFT, X)),
        ),
    ),
    Step(
        "exp-epsilon-left",
        "after (3)",
        at_most((N - X + 1) / X * _ODDS, E),
        by.Arithmetic(),
        "The bound of (3) is what exp(epsilon) stands for.",
        follows=("ratio-left",),
        given=(*_WITHIN, *INSIDE, at_most(_LEFT, X), equal(E, _FIRST)),
    ),
    Step(
        "brackets",
        "after (3)",
        less(_FIRST, (N - _LEFT + 1) * _LEFT / _ODDS),
        by.Arithmetic(),
        "Multiplied where it should be divided, and divided where it should be multiplied, the "
        "printed value is not the one of the next line but a larger one.",
        given=(*_WITHIN, less(1, _LEFT), less(PROB, sp.Rational(1, 2))),
        printed=Printed(
            equal(_FIRST, (N - _LEFT + 1) * _LEFT / _ODDS),
            Ruling.TYPO,
            point({N: 12, PROB: "1/4", MU: 1, K: 1}),
            _CASE_1,
        ),
    ),
    Step(
        "ratio-right",
        "(4)",
        at_most((X + 1) / (N - X) / _ODDS, _SECOND),
        by.Arithmetic(),
        "The ratio to the successor rises in x, so that it is largest at the right end.",
        given=(*_WITHIN, at_most(0, X), at_most(X, _RIGHT)),
        printed=Printed(
            less((X + 1) / (N - X) / _ODDS, _SECOND),
            Ruling.LOOSE,
            point({N: 10, PROB: "1/2", MU: 2, X: 7}),
        ),
    ),
    Step(
        "which-end",
        "case split",
        implies(less(PROB, sp.Rational(1, 2)), at_most(_SECOND, _FIRST)),
        by.Arithmetic(),
        "The left end has the larger ratio if p < 1/2 and mu (mu + 1) >= n p q; the sizes of p and "
        "k decide nothing.",
        given=(*_WITHIN, at_most(N * PROB * (1 - PROB), MU * (MU + 1))),
        printed=Printed(
            implies(_BELOW_HALF, at_most(_SECOND, _FIRST)),
            Ruling.UNSOUND,
            point({N: 100, PROB: "1/4", MU: 1, K: 5}),
            _WITHIN,
        ),
    ),
    Step(
        "larger-of-both",
        "Theorem 1 (1)",
        both(
            at_most((N - X + 1) / X * _ODDS, sp.Max(_FIRST, _SECOND)),
            at_most((X + 1) / (N - X) / _ODDS, sp.Max(_FIRST, _SECOND)),
        ),
        by.Arithmetic(),
        "The maximum in the statement needs no case split.",
        follows=("ratio-left", "ratio-right"),
        given=(*_WITHIN, *INSIDE, at_most(_LEFT, X), at_most(X, _RIGHT)),
    ),
)

_A = sp.Symbol("a", integer=True, nonnegative=True)
_TAIL = sp.Symbol("T", nonnegative=True)
_TRUNCATED = (*CHANCE, at_most(1, K), at_most(K, N))

_FAR_OUT = (*CHANCE, at_most(1, N), at_most(N * PROB + MU, M), at_most(M - 1, N))
_TAIL_BEYOND = Step(
    "hoeffding",
    "(7), (11), (13)",
    at_most(below(N) - below(M - 1), hoeffding(MU)),
    by.Arithmetic(),
    "Pr[M >= m] for m that is mu above the mean: Hoeffding's inequality, which the paper calls "
    "Chernoff's bound. The lower tail is that of n - M.",
    follows=("hoeffding-above", "farther-than-mu"),
    given=_FAR_OUT,
)
MU_OF = sp.Function("musound")(DELTA, Z0, N)
_MU_OF_PRINTED = sp.Function("muprinted")(DELTA, N, PROB, K)
MU_FORMULA = Step("mu-formula", "(8)", equal(MU_OF, _MU_SOUND), by.Defined(), "mu as it should be.")
MU_SOUND = Step(
    "mu-sound",
    "(8)",
    equal(hoeffding(MU_OF), DELTA * Z0),
    by.Identity(),
    "With this mu a tail of the truncated count has mass at most delta, where Z0 is a lower "
    "bound of Pr[M >= k]. One tail in each direction is enough.",
    follows=("mu-formula",),
    given=(at_most(DELTA * Z0, 1),),
)

_TAILS = (
    LOWER_TAIL,
    AT_ZERO,
    POSITIVE,
    *HOEFFDING,
    FARTHER.at(
        {GAP: MU, FARTHER_GAP: M - N * PROB}, "farther-than-mu", "m is mu away.", given=_FAR_OUT
    ),
    _TAIL_BEYOND,
    MU_FORMULA,
    MU_SOUND,
    Step(
        "mu-formula-printed",
        "(8)",
        equal(_MU_OF_PRINTED, _MU_PRINTED),
        by.Defined(),
        "mu as it is printed.",
    ),
    Step(
        "mu-printed",
        "(7) to (8)",
        equal(hoeffding(_MU_OF_PRINTED) - _BELOW_K, DELTA),
        by.Identity(),
        "The printed mu solves delta = exp(-2 mu^2/n) - exp(-2 (np - k + 1)^2/n), without the 2 of "
        "the line before it. With that delta, the 2 in it, another mu comes out of (8) than went "
        "into (7).",
        follows=("mu-formula-printed",),
        given=(at_most(DELTA + _BELOW_K, 1),),
        printed=Printed(
            equal(sp.sqrt(-N / 2 * sp.log(2 * hoeffding(MU))), MU),
            Ruling.LOOSE,
            point({N: 100, MU: 10}),
            (at_most(2 * hoeffding(MU), 1),),
        ),
    ),
    Step(
        "conditioned",
        "before (8)",
        at_most(_TAIL / Z, DELTA),
        by.Arithmetic(),
        "Truncation divides by Pr[M >= k]; the printed line subtracts an upper bound of Pr[M < k] "
        "in its place, and so claims less mass than there is.",
        given=(at_most(_TAIL, DELTA * Z0), at_most(Z0, Z)),
        printed=Printed(
            at_most(binomial_sum(K, _A), hoeffding(N * PROB - _A) - hoeffding(N * PROB - K + 1)),
            Ruling.UNSOUND,
            point({N: 100, PROB: "1/4", K: 23, _A: 24}),
            (*_TRUNCATED, less(K, _A), less(_A, N * PROB), _BELOW_HALF),
        ),
    ),
)

_STATEMENT_2 = (
    RISES_UNTIL,
    FALLS_FROM,
    Step(
        "successor-ratio",
        "(12)",
        iff(at_most(E, (X + 1) / (N - X) / _ODDS), at_most(DOWN, X)),
        by.Arithmetic(),
        "The ratio to the successor is at least exp(epsilon) from the threshold on; (12) bounds it "
        "from above, and a count with a small ratio lies before the threshold.",
        given=(*CHANCE, at_most(0, X), less(X, N)),
        printed=Printed(
            implies(at_most((X + 1) / (N - X) / _ODDS, E), at_most(DOWN, X)),
            Ruling.TYPO,
            point({N: 10, PROB: "1/2", E: 2, X: 5, K: 1}),
            (
                *(*CHANCE, less(1, E), at_most(sp.Rational(1, 2) - K / (2 * N), PROB)),
                *(at_most(K, X), less(X, N)),
            ),
        ),
    ),
    Step(
        "hoeffding-applies-left",
        "(11)",
        iff(at_most(1 + 1 / (N * (1 - PROB)), E), at_most(UP, N * PROB)),
        by.Arithmetic(),
        "The threshold lies in the lower tail if and only if exp(epsilon) is large enough.",
        given=CHANCE,
        printed=Printed(
            at_most(UP, N * PROB),
            Ruling.UNSOUND,
            point({N: 10, PROB: "1/4", E: "11/10", K: 1}),
            (*CHANCE, less(1, E), _BELOW_HALF),
        ),
    ),
    Step(
        "hoeffding-applies-right",
        "(13)",
        iff(at_most(1 + 1 / (N * PROB), E), at_most(N * PROB, DOWN)),
        by.Arithmetic(),
        "So does the other threshold in the upper tail.",
        given=CHANCE,
        printed=Printed(
            at_most(N * PROB, DOWN),
            Ruling.UNSOUND,
            point({N: 10, PROB: "1/2", E: "11/10"}),
            (*CHANCE, less(1, E)),
        ),
    ),
    _TAIL_BEYOND.at(
        {MU: DOWN - N * PROB},
        "last-exponent",
        "Hoeffding's exponent has the distance from the mean. The statement, not the appendix, "
        "lost it; without it the value is no bound of the tail.",
        place="Theorem 1 (2)",
        given=(
            *(*CHANCE, at_most(1, N), at_most(N * PROB, DOWN)),
            *(at_most(DOWN, M), at_most(M - 1, N)),
        ),
        printed=Printed(
            at_most(binomial_sum(sp.floor(DOWN) + 1, N), sp.exp(-2 * DOWN**2 / N)),
            Ruling.TYPO,
            point({N: 10, PROB: "1/2", E: 2}),
            (*CHANCE, less(1, E)),
        ),
    ),
)

THEOREM_1 = Derivation(
    "theorem-1",
    "Theorem 1 as Appendix A proves it",
    (*_STATEMENT_1, *_TAILS, *_STATEMENT_2),
    (
        *("larger-of-both", "hoeffding", "mu-sound", "successor-ratio"),
        *("hoeffding-applies-left", "hoeffding-applies-right"),
    ),
    theorem=1,
)
