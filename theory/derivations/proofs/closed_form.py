"""A closed form for Theorem 1 that is sound: Hoeffding's inequality on the worst events of C1.

With Z0 at most Pr[M >= k] and g at most the distance of the worst event from the mean, an event
gains at most exp(-2 g^2/n)/Z0 in either direction. The epsilon of a given delta puts the worst
event so far out that this is delta. Nothing is assumed.
"""

from __future__ import annotations

import sympy as sp

from kproof.theory.derivations import methods as by
from kproof.theory.derivations.derivation import Derivation, Step
from kproof.theory.derivations.formulas import at_most, equal, less, substituted
from kproof.theory.derivations.proofs.counts import (
    CHANCE,
    DOWN,
    MU,
    PROB,
    UP,
    E,
    K,
    M,
    N,
    X,
    below,
    hoeffding,
)
from kproof.theory.derivations.proofs.exact_counts import (
    CHOSEN,
    DOWN_EVENT,
    DOWN_FOUND,
    DOWNWARD,
    POSITIVE,
    UP_EVENT,
    UP_FOUND,
    UPWARD,
    WORST,
)
from kproof.theory.derivations.proofs.gaussian import EPSILON, EXP_RISES, HIGH, LOW
from kproof.theory.derivations.proofs.hoeffding import (
    ABOVE_MEAN,
    ALL_COUNTS,
    BELOW_MEAN,
    FARTHER,
    FARTHER_GAP,
    GAP,
    HOEFFDING,
)
from kproof.theory.derivations.proofs.theorem1 import DELTA, MU_FORMULA, MU_OF, MU_SOUND, Z0

_J = sp.Symbol("j", integer=True)
Z = sp.Symbol("Z", positive=True)

_MEAN = N * PROB

_NONNEGATIVE = Step(
    "distribution-nonnegative",
    "",
    at_most(0, below(M)),
    by.Induction(M, sp.Integer(-1)),
    "Masses are positive.",
    follows=("distribution", "mass-positive-at-m"),
    given=(*CHANCE, at_most(M, N)),
)
_RISES = Step(
    "distribution-rises",
    "",
    at_most(below(_J), below(M)),
    by.Induction(M, _J),
    "Masses are positive.",
    follows=("distribution", "mass-positive-at-m"),
    given=(*CHANCE, at_most(-1, _J), at_most(M, N)),
)
_TAILS = (
    *HOEFFDING,
    *ALL_COUNTS,
    POSITIVE.at(
        {X: M},
        "mass-positive-at-m",
        "Masses are positive.",
        given=(*CHANCE, at_most(0, M), at_most(M, N)),
    ),
    _NONNEGATIVE,
    _RISES,
    _NONNEGATIVE.at(
        {M: K - 1}, "nonnegative-before-k", "Pr[M < k] is no less than 0.", given=CHOSEN
    ),
)
_CLOSED = (*CHOSEN, at_most(1, E), at_most(Z0, Z))
LOW_RATIO = ((N + 1) / (_MEAN - MU) - 1) * PROB / (1 - PROB)
HIGH_RATIO = ((N + 1) / (N - _MEAN - MU) - 1) * (1 - PROB) / PROB
_EPSILON_OF = sp.Function("epsilonof")(DELTA, Z0, N, PROB)
_LEAST = sp.Function("least")(N, PROB, K)
_INSIDE = (less(K, _MEAN - MU), less(_MEAN + MU, N))
_MU = {MU: MU_OF}
_RELEASED = below(N) - below(K - 1)
_AT_LEAST_0 = sp.Max(0, _MEAN - K + 1)
_OF_DELTA = (
    *(*CHOSEN, at_most(Z0, _LEAST), at_most(DELTA * Z0, 1)),
    *(substituted(one, _MU) for one in _INSIDE),
    at_most(_EPSILON_OF, EPSILON),
)


def _of_delta(
    ratio: sp.Expr, far: sp.Basic, worst: sp.Expr, event: sp.Expr, closed: Step
) -> tuple[Step, ...]:
    """Return the steps from the closed form to the epsilon of a given delta.

    Parameters
    ----------
    ratio, far
        The ratio of neighbouring masses at mu from the mean, and that the threshold is that far.
    worst, event, closed
        Where the worst event is, what an event gains, and the closed form.
    """
    at = {**_MU, E: sp.exp(EPSILON)}
    given = (*_OF_DELTA, equal(WORST, substituted(worst, at)))
    return (
        MU_FORMULA,
        MU_SOUND,
        Step(
            "epsilon-formula",
            "(8)",
            equal(
                _EPSILON_OF,
                substituted(sp.Max(0, sp.log(LOW_RATIO), sp.log(HIGH_RATIO)), _MU),
            ),
            by.Defined(),
            "What epsilon is for a given delta.",
        ),
        Step(
            "least-released",
            "Theorem 1",
            equal(_LEAST, 1 - hoeffding(_AT_LEAST_0)),
            by.Defined(),
            "What Pr[M >= k] is at least.",
        ),
        Step(
            "mu-nonnegative",
            "(8)",
            at_most(0, MU_OF),
            by.Arithmetic(),
            "It is the root of what is not negative.",
            follows=("mu-formula",),
            given=(at_most(DELTA * Z0, 1),),
        ),
        Step(
            "far-enough",
            "(8)",
            far,
            by.Arithmetic(),
            "The ratio rises with the distance from the mean: the threshold lies beyond mu.",
            given=(*CHOSEN, *_INSIDE, at_most(ratio, E)),
        ),
        EXP_RISES.at(
            {LOW: sp.log(substituted(ratio, _MU)), HIGH: EPSILON},
            "ratio-below-factor",
            "epsilon is at least the logarithm of the ratio.",
            given=_OF_DELTA,
            follows=("mu-nonnegative", "epsilon-formula"),
        ),
        Step(
            "far-enough-at-epsilon",
            "(8)",
            substituted(far, at),
            by.Instance("far-enough", at),
            "With the epsilon and mu of delta.",
            follows=("ratio-below-factor", "mu-nonnegative"),
            given=_OF_DELTA,
        ),
        BELOW_MEAN.at(
            {M: K - 1},
            "few-chosen",
            "Pr[M < k].",
            follows=("mu-nonnegative",),
            given=_OF_DELTA,
        ),
        FARTHER.at(
            {GAP: _AT_LEAST_0, FARTHER_GAP: _MEAN - K + 1},
            "few-chosen-gap",
            "k lies below the mean.",
            follows=("mu-nonnegative",),
            given=_OF_DELTA,
        ),
        closed.at(
            {GAP: MU_OF, E: sp.exp(EPSILON), Z: _RELEASED},
            "closed-form-at-mu",
            "The worst event is at least mu away from the mean; Z0 is at most Pr[M >= k].",
            follows=(
                *("far-enough-at-epsilon", "mu-nonnegative"),
                *("few-chosen", "few-chosen-gap", "all-counts", "least-released"),
            ),
            given=given,
        ),
        Step(
            "epsilon-of-delta",
            "Theorem 1 (1)",
            at_most(event.subs(E, sp.exp(EPSILON)) / _RELEASED, DELTA),
            by.Arithmetic(),
            "No event gains more than delta.",
            follows=("closed-form-at-mu", "mu-sound"),
            given=given,
        ),
    )


_UP_GIVEN = (*_CLOSED, equal(WORST, UP_FOUND), at_most(GAP, _MEAN - sp.Max(UP, K)))
_DOWN_GIVEN = (*_CLOSED, equal(WORST, DOWN_FOUND), at_most(GAP, DOWN - _MEAN))

_UP_CLOSED = Step(
    "closed-form",
    "Theorem 1 (2)",
    at_most(UP_EVENT / Z, hoeffding(GAP) / Z0),
    by.Arithmetic(),
    "No event gains more than the tail, divided by what Pr[M >= k] is at least.",
    follows=(
        "worst-event-upward",
        "worst-tail",
        "worst-tail-by-gap",
        "before-worst",
        "nonnegative-before-k",
    ),
    given=_UP_GIVEN,
)
_DOWN_CLOSED = Step(
    "closed-form",
    "Theorem 1 (2)",
    at_most(DOWN_EVENT / Z, hoeffding(GAP) / Z0),
    by.Arithmetic(),
    "No event gains more than the tail, divided by what Pr[M >= k] is at least.",
    follows=("worst-event-downward", "worst-tail", "worst-tail-by-gap", "beyond-worst"),
    given=_DOWN_GIVEN,
)

CLOSED_UPWARD = Derivation(
    "closed-form-upward",
    "A sound closed form for Theorem 1, upwards",
    (
        *UPWARD.steps,
        *_TAILS,
        BELOW_MEAN.at(
            {M: WORST},
            "worst-tail",
            "The worst event lies in the lower tail.",
            place="",
            given=_UP_GIVEN,
        ),
        FARTHER.at(
            {FARTHER_GAP: _MEAN - WORST},
            "worst-tail-by-gap",
            "It ends at least g below the mean.",
            given=_UP_GIVEN,
        ),
        _RISES.at(
            {_J: K - 1, M: WORST - 1},
            "before-worst",
            "What is subtracted is no less than 0.",
            given=_UP_GIVEN,
        ),
        _UP_CLOSED,
        *_of_delta(LOW_RATIO, at_most(UP, _MEAN - MU), UP_FOUND, UP_EVENT, _UP_CLOSED),
    ),
    ("closed-form", "epsilon-of-delta"),
    theorem=1,
)

CLOSED_DOWNWARD = Derivation(
    "closed-form-downward",
    "A sound closed form for Theorem 1, downwards",
    (
        *DOWNWARD.steps,
        *_TAILS,
        ABOVE_MEAN.at(
            {M: WORST - 1},
            "worst-tail",
            "The worst event lies in the upper tail.",
            place="",
            given=_DOWN_GIVEN,
        ),
        FARTHER.at(
            {FARTHER_GAP: WORST - 1 - _MEAN},
            "worst-tail-by-gap",
            "It begins at least g above the mean.",
            given=_DOWN_GIVEN,
        ),
        _RISES.at(
            {_J: WORST - 1, M: N},
            "beyond-worst",
            "What is subtracted is no less than 0.",
            given=_DOWN_GIVEN,
        ),
        _DOWN_CLOSED,
        *_of_delta(HIGH_RATIO, at_most(_MEAN + MU, DOWN), DOWN_FOUND, DOWN_EVENT, _DOWN_CLOSED),
    ),
    ("closed-form", "epsilon-of-delta"),
    theorem=1,
)
