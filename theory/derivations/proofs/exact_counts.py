"""C1: the exact delta of the truncated count, for every event, in both directions.

M ~ Bin(n, p) given M >= k is compared with M + 1. Numerators only: everything is divided by
Pr[M >= k] at the end. Whatever the event, it gains at most the sum of the positive parts of
P(x) - E P(x - 1); these parts are positive up to a threshold and zero beyond, so that the sum is a
difference of two values of the distribution function. Nothing is assumed on the way.
"""

from __future__ import annotations

import sympy as sp

from kproof.theory.derivations import methods as by
from kproof.theory.derivations.derivation import Derivation, Printed, Step, point
from kproof.theory.derivations.formulas import added, at_most, both, equal, implies, less
from kproof.theory.derivations.proofs.counts import (
    CHANCE,
    DOWN,
    FALLS_FROM,
    LOWER_TAIL,
    MASSES,
    NEIGHBOURS,
    PROB,
    RISES_UNTIL,
    SHARE,
    SHARES,
    UP,
    E,
    K,
    M,
    N,
    X,
    below,
    binomial_sum,
    hoeffding,
    mass,
)
from kproof.theory.ledger import Ruling

WORST = sp.Symbol("w", integer=True)
"""Where the worst event ends (upwards) or begins (downwards)."""

CHOSEN = (*CHANCE, at_most(1, K), at_most(K, N))
_REACHED = (*CHANCE, at_most(1, M), at_most(M, N))
AT_ZERO = Step(
    "mass-at-0",
    "",
    equal(mass(sp.S.Zero), (1 - PROB) ** N),
    by.Identity(),
    "Nobody is chosen.",
    follows=("mass",),
    given=CHANCE,
)
POSITIVE = Step(
    "mass-positive",
    "",
    less(0, mass(X)),
    by.Induction(X, sp.S.Zero),
    "The mass at 0 is positive, and so is every ratio up to n.",
    follows=("mass-at-0", "neighbours"),
    given=(*CHANCE, at_most(X, N)),
)
WEAKLY = Step(
    "threshold-up-weak",
    "",
    both(
        implies(at_most(M, UP), at_most(E * mass(M - 1), mass(M))),
        implies(at_most(UP, M), at_most(mass(M), E * mass(M - 1))),
    ),
    by.Arithmetic(),
    "The threshold with equality allowed on either side.",
    follows=("neighbours-at-m", "mass-positive-before"),
    given=_REACHED,
)
WEAKLY_DOWN = Step(
    "threshold-down-weak",
    "",
    both(
        implies(at_most(DOWN, M - 1), at_most(E * mass(M), mass(M - 1))),
        implies(at_most(M - 1, DOWN), at_most(mass(M - 1), E * mass(M))),
    ),
    by.Arithmetic(),
    "The other threshold with equality allowed on either side.",
    follows=("neighbours-at-m", "mass-positive-before"),
    given=_REACHED,
)
COMMON = (
    MASSES,
    NEIGHBOURS,
    RISES_UNTIL,
    FALLS_FROM,
    LOWER_TAIL,
    AT_ZERO,
    POSITIVE,
    NEIGHBOURS.at({X: M}, "neighbours-at-m", "The ratio of neighbouring masses at m.", place=""),
    POSITIVE.at(
        {X: M - 1}, "mass-positive-before", "The mass before m is positive.", given=_REACHED
    ),
    WEAKLY,
    WEAKLY_DOWN,
    POSITIVE.at({X: K}, "mass-positive-at-k", "The mass at k is positive.", given=CHOSEN),
    SHARES,
)


def _sum(name: str, first: sp.Expr, increment: sp.Expr) -> tuple[sp.Expr, Step]:
    """Return a function that adds increments from k on, and the step that defines it."""
    here = sp.Function(name)(M, K, N, PROB, E)
    claim = added(here, M, increment, first=first, base=K)
    return here, Step(f"sum-{name}", "C1", claim, by.Defined(), "Added up from k on, one by one.")


def _at(here: sp.Expr, point: sp.Expr) -> sp.Expr:
    return here.subs(M, point)


_RANGE = (*CHANCE, at_most(1, K), at_most(K, M), at_most(M, N))
_THRESHOLD = (*CHANCE, at_most(K, WORST), at_most(WORST, N))

_up, _up_sum = _sum("G", mass(K), sp.Max(mass(M) - E * mass(M - 1), 0))
_up_event, _up_event_sum = _sum("A", SHARE(K) * mass(K), SHARE(M) * (mass(M) - E * mass(M - 1)))
_UP_VALUE = below(M) - below(K - 1) - E * (below(M - 1) - below(K - 1))

UP_FOUND = sp.Min(N, sp.Max(K, sp.floor(UP)))

_NO_MORE_UP = Step(
    "no-event-gains-more",
    "C1",
    at_most(_up_event, _up),
    by.Induction(M, K),
    "Count by count, no event gains more than the positive part. The count k has no "
    "predecessor after truncation, whatever E is: its whole mass is gained.",
    follows=("sum-G", "sum-A", "event", "mass-positive-at-k"),
    given=_RANGE,
)
_UNTIL = Step(
    "gains-up-to-threshold",
    "C1",
    equal(_up, _UP_VALUE),
    by.Induction(M, K),
    "Up to the threshold no part is negative, and the sum telescopes.",
    follows=("sum-G", "distribution", "threshold-up-weak"),
    given=(*_RANGE, at_most(M, sp.Max(UP, K))),
)
_BEYOND_UP = Step(
    "gains-beyond-threshold",
    "C1",
    equal(_up, _at(_up, WORST)),
    by.Induction(M, WORST),
    "Beyond the threshold no part is positive.",
    follows=("sum-G", "threshold-up-weak"),
    given=(*_THRESHOLD, at_most(1, K), at_most(M, N), at_most(UP, WORST + 1)),
)
UPWARD = Derivation(
    "c1-upward",
    "C1: the truncated count against its shift upwards",
    (
        *COMMON,
        _up_sum,
        _up_event_sum,
        _NO_MORE_UP,
        Step(
            "atom-at-k",
            "Theorem 1 (2)",
            at_most(mass(K), _up),
            by.Induction(M, K),
            "The count k has no counterpart after a shift upwards: no epsilon helps against "
            "its mass. The printed delta is below it.",
            follows=("sum-G",),
            given=_RANGE,
            printed=Printed(
                at_most(
                    binomial_sum(K, K) / binomial_sum(K, N),
                    sp.Max(
                        hoeffding(N * PROB - UP) - hoeffding(N * PROB - K + 1),
                        hoeffding(DOWN - N * PROB),
                    ),
                ),
                Ruling.UNSOUND,
                point({N: 60, PROB: "71/100", K: 40, E: 10}),
                (*CHOSEN, less(1, E)),
            ),
        ),
        _UNTIL,
        _BEYOND_UP,
        _NO_MORE_UP.at({M: N}, "event-over-all-counts", "All counts up to n are in.", given=CHOSEN),
        _UNTIL.at(
            {M: WORST},
            "gains-at-threshold",
            "The sum up to the threshold.",
            given=(*_THRESHOLD, at_most(1, K), at_most(WORST, sp.Max(UP, K))),
        ),
        _BEYOND_UP.at(
            {M: N},
            "gains-in-all",
            "Nothing is gained beyond it.",
            given=(*_THRESHOLD, at_most(1, K), at_most(UP, WORST + 1)),
        ),
        Step(
            "worst-event-upward",
            "C1",
            both(
                equal(_at(_up, N), _at(_UP_VALUE, WORST)),
                at_most(_at(_up_event, N), _at(_UP_VALUE, WORST)),
            ),
            by.Arithmetic(),
            "The event {k, ..., w} gains this much, and no event gains more.",
            follows=("event-over-all-counts", "gains-at-threshold", "gains-in-all", "sum-G"),
            given=(*CHOSEN, equal(WORST, UP_FOUND)),
        ),
    ),
    ("worst-event-upward",),
    theorem=1,
)

_down, _down_sum = _sum("L", sp.S.Zero, sp.Max(mass(M - 1) - E * mass(M), 0))
_down_event, _down_event_sum = _sum("B", sp.S.Zero, SHARE(M) * (mass(M - 1) - E * mass(M)))
_DOWN_VALUE = below(M - 1) - below(WORST - 2) - E * (below(M) - below(WORST - 1))
DOWN_FOUND = sp.Min(N + 1, sp.Max(K + 1, sp.floor(E * PROB * (N + 1) / (1 - PROB + E * PROB)) + 1))
_DOWN_TOTAL = below(N) - below(WORST - 2) - E * (below(N) - below(WORST - 1))
_BEFORE = (
    at_most(K + 1, WORST),
    at_most(WORST, N + 1),
    at_most(1, K),
    at_most(WORST - 2, sp.Max(DOWN, K - 1)),
)

_NO_MORE_DOWN = Step(
    "no-event-gains-more",
    "C1",
    at_most(_down_event, _down),
    by.Induction(M, K),
    "Count by count, no event gains more than the positive part.",
    follows=("sum-L", "sum-B", "event"),
    given=_RANGE,
)
_BEYOND_DOWN = Step(
    "gains-beyond-threshold",
    "C1",
    equal(_down, _DOWN_VALUE),
    by.Induction(M, WORST - 1),
    "From the threshold on no part is negative, and the sum telescopes.",
    follows=("sum-L", "distribution", "threshold-down-weak", "nothing-before-threshold"),
    given=(*CHANCE, *_BEFORE, at_most(M, N), at_most(DOWN, WORST - 1)),
)
DOWNWARD = Derivation(
    "c1-downward",
    "C1: the shift upwards of the truncated count against the count",
    (
        *COMMON,
        _down_sum,
        _down_event_sum,
        _NO_MORE_DOWN,
        Step(
            "nothing-before-threshold",
            "C1",
            equal(_down, sp.S.Zero),
            by.Induction(M, K),
            "Up to the threshold no part is positive.",
            follows=("sum-L", "threshold-down-weak"),
            given=(*_RANGE, at_most(M - 1, sp.Max(DOWN, K - 1))),
        ),
        _BEYOND_DOWN,
        _NO_MORE_DOWN.at(
            {M: N}, "event-over-all-counts", "All counts from k + 1 to n are in.", given=CHOSEN
        ),
        _BEYOND_DOWN.at(
            {M: N},
            "gains-up-to-n",
            "The sum up to n; n + 1 is left.",
            given=(*CHANCE, *_BEFORE, at_most(K, N), at_most(DOWN, WORST - 1)),
        ),
        POSITIVE.at({X: N}, "positive-at-n", "The mass at n is positive.", given=CHANCE),
        LOWER_TAIL.at({M: N}, "distribution-at-n", "F adds the mass at n last.", place=""),
        SHARES.at(
            {M: N + 1}, "event-at-n-plus-1", "The share that the event takes of the count n + 1."
        ),
        Step(
            "mass-at-n",
            "",
            both(
                less(0, mass(N)),
                equal(below(N), below(N - 1) + mass(N)),
                at_most(0, SHARE(N + 1)),
                at_most(SHARE(N + 1), 1),
            ),
            by.Arithmetic(),
            "The count n + 1 is reached from n only.",
            follows=("positive-at-n", "distribution-at-n", "event-at-n-plus-1"),
            given=CHOSEN,
        ),
        Step(
            "worst-event-downward",
            "C1",
            both(
                equal(_at(_down, N) + mass(N), _DOWN_TOTAL),
                at_most(_at(_down_event, N) + SHARE(N + 1) * mass(N), _DOWN_TOTAL),
            ),
            by.Arithmetic(),
            "The event {w, ..., n + 1} gains this much, and no event gains more.",
            follows=("event-over-all-counts", "gains-up-to-n", "mass-at-n"),
            given=(*CHOSEN, equal(WORST, DOWN_FOUND)),
        ),
    ),
    ("worst-event-downward",),
    theorem=1,
)

UP_EVENT, UP_GAIN = _at(_up_event, N), _at(_UP_VALUE, WORST)
DOWN_EVENT, DOWN_GAIN = _at(_down_event, N) + SHARE(N + 1) * mass(N), _DOWN_TOTAL
"""What an event gains in all, and what the worst one gains."""
