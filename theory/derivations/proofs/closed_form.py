"""A closed form for Theorem 1 that is sound: Hoeffding's inequality on the worst events of C1.

With Z0 at most Pr[M >= k] and g at most the distance of the worst event from the mean, an event
gains at most exp(-2 g^2/n)/Z0 in either direction.
"""

from __future__ import annotations

import sympy as sp

from kproof.theory.derivations import methods as by
from kproof.theory.derivations.derivation import Derivation, Step
from kproof.theory.derivations.formulas import at_most, equal
from kproof.theory.derivations.proofs.counts import (
    CHANCE,
    DOWN,
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

GAP = sp.Symbol("g", nonnegative=True)
_FAR = sp.Symbol("h", nonnegative=True)
_J = sp.Symbol("j", integer=True)
_Y = sp.Symbol("y", nonnegative=True)
Z = sp.Symbol("Z", positive=True)
Z0 = sp.Symbol("Z0", positive=True)

_MEAN = N * PROB

_BELOW_MEAN = Step(
    "hoeffding-below",
    "(11)",
    at_most(below(M), hoeffding(_MEAN - M)),
    by.Assumed("Hoeffding 1963, Theorem 1"),
    "Pr[M <= m] for m below the mean.",
    given=(*CHANCE, at_most(M, _MEAN)),
)
_ABOVE_MEAN = Step(
    "hoeffding-above",
    "(13)",
    at_most(below(N) - below(M - 1), hoeffding(M - _MEAN)),
    by.Assumed("Hoeffding 1963, Theorem 1"),
    "Pr[M >= m] for m above the mean.",
    given=(*CHANCE, at_most(_MEAN, M)),
)
_FARTHER = Step(
    "farther-is-less",
    "",
    at_most(hoeffding(_FAR), hoeffding(GAP)),
    by.Monotone(hoeffding(_Y), _Y, GAP, _FAR),
    "The bound falls with the distance from the mean.",
    given=(at_most(GAP, _FAR),),
)
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
    _BELOW_MEAN,
    _ABOVE_MEAN,
    _FARTHER,
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
_UP_GIVEN = (*_CLOSED, equal(WORST, UP_FOUND), at_most(GAP, _MEAN - sp.Max(UP, K)))
_DOWN_GIVEN = (*_CLOSED, equal(WORST, DOWN_FOUND), at_most(GAP, DOWN - _MEAN))

CLOSED_UPWARD = Derivation(
    "closed-form-upward",
    "A sound closed form for Theorem 1, upwards",
    (
        *UPWARD.steps,
        *_TAILS,
        _BELOW_MEAN.at(
            {M: WORST},
            "worst-tail",
            "The worst event lies in the lower tail.",
            place="",
            given=_UP_GIVEN,
        ),
        _FARTHER.at(
            {_FAR: _MEAN - WORST},
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
        Step(
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
        ),
    ),
    ("closed-form",),
    theorem=1,
)

CLOSED_DOWNWARD = Derivation(
    "closed-form-downward",
    "A sound closed form for Theorem 1, downwards",
    (
        *DOWNWARD.steps,
        *_TAILS,
        _ABOVE_MEAN.at(
            {M: WORST - 1},
            "worst-tail",
            "The worst event lies in the upper tail.",
            place="",
            given=_DOWN_GIVEN,
        ),
        _FARTHER.at(
            {_FAR: WORST - 1 - _MEAN},
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
        Step(
            "closed-form",
            "Theorem 1 (2)",
            at_most(DOWN_EVENT / Z, hoeffding(GAP) / Z0),
            by.Arithmetic(),
            "No event gains more than the tail, divided by what Pr[M >= k] is at least.",
            follows=("worst-event-downward", "worst-tail", "worst-tail-by-gap", "beyond-worst"),
            given=_DOWN_GIVEN,
        ),
    ),
    ("closed-form",),
    theorem=1,
)
