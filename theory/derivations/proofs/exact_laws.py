"""C5: the exact delta of two laws on whole numbers, for every event, and from a window of them.

``P`` and ``R`` are any two laws with masses on k, k + 1, ...; R(x) = P(x - s) is a shift, and the
other direction is the same with the names exchanged. Sums run from k to m; a law on finitely many
points has its whole mass in one of them. Nothing is assumed.
"""

from __future__ import annotations

import sympy as sp

from kproof.theory.derivations import methods as by
from kproof.theory.derivations.derivation import Derivation, Step
from kproof.theory.derivations.formulas import added, at_most, both, equal, implies, less

M = sp.Symbol("m", integer=True)
K = sp.Symbol("k", integer=True)
WINDOW = sp.Symbol("w", integer=True)
E = sp.Symbol("E", positive=True)

_MASS, _OTHER, _SHARE = (sp.Function(name)(M) for name in "PRo")
_GAIN = _MASS - E * _OTHER


def _summed(name: str, term: sp.Expr, why: str) -> tuple[sp.Expr, Step]:
    """Return a sum of terms from k to m, and the step that defines it."""
    here = sp.Function(name)(M, K, E)
    claim = added(here, M, term, first=term.subs(M, K), base=K)
    return here, Step(f"sum-{name}", "C5", claim, by.Defined(), why)


_all, _ALL = _summed("T", _MASS, "The mass up to m.")
_best, _BEST = _summed("G", sp.Max(_GAIN, 0), "The positive parts up to m: delta, in the end.")
_event, _EVENT = _summed("A", _SHARE * _GAIN, "What an event gains: its P less E times its R.")
_lost, _LOST = _summed(
    "L", sp.Max(_GAIN, 0) - _SHARE * _GAIN, "What it falls short of the positive parts."
)


def _to(here: sp.Expr, end: sp.Expr) -> sp.Expr:
    return here.subs(M, end)


EXACT_LAWS = Derivation(
    "c5-laws",
    "C5: the exact delta of laws on whole numbers",
    (
        Step(
            "masses",
            "C5",
            equal(_MASS, sp.Max(0, sp.Function("f")(M))),
            by.Defined(),
            "Masses are not negative.",
        ),
        Step(
            "masses-moved",
            "C5",
            equal(_OTHER, sp.Max(0, sp.Function("g")(M))),
            by.Defined(),
            "Nor are those of the other law.",
        ),
        Step(
            "event",
            "Definition 2",
            equal(_SHARE, sp.Min(1, sp.Max(0, sp.Function("r")(M)))),
            by.Defined(),
            "An event takes a share between 0 and 1 of every value; r is any function at all.",
        ),
        _ALL,
        _BEST,
        _EVENT,
        _LOST,
        Step(
            "falls-short",
            "C5",
            equal(_best, _event + _lost),
            by.Induction(M, K),
            "Positive parts, event and shortfall are added up side by side.",
            follows=("sum-G", "sum-A", "sum-L"),
        ),
        Step(
            "never-negative",
            "C5",
            at_most(0, _lost),
            by.Induction(M, K),
            "Value by value, no event gains more than the positive part.",
            follows=("sum-L", "event"),
        ),
        Step(
            "no-event-gains-more",
            "C5",
            at_most(_event, _best),
            by.Arithmetic(),
            "The sum of positive parts bounds every event.",
            follows=("falls-short", "never-negative"),
            given=(at_most(K, M),),
        ),
        Step(
            "attained",
            "C5",
            both(
                implies(
                    both(less(0, _GAIN), equal(_SHARE, 1)),
                    equal(sp.Max(_GAIN, 0) - _SHARE * _GAIN, 0),
                ),
                implies(
                    both(at_most(_GAIN, 0), equal(_SHARE, 0)),
                    equal(sp.Max(_GAIN, 0) - _SHARE * _GAIN, 0),
                ),
            ),
            by.Arithmetic(),
            "The event that takes the values at which P exceeds E times R falls short of nothing.",
        ),
        Step(
            "window-grows",
            "C5",
            at_most(_to(_best, WINDOW), _best),
            by.Induction(M, WINDOW),
            "What a window has is a lower bound.",
            follows=("sum-G",),
            given=(at_most(K, WINDOW),),
        ),
        Step(
            "window",
            "C5",
            at_most(_best - _to(_best, WINDOW), _all - _to(_all, WINDOW)),
            by.Induction(M, WINDOW),
            "Outside a window no more is gained than the mass that P has there.",
            follows=("sum-G", "sum-T", "masses", "masses-moved"),
            given=(at_most(K, WINDOW),),
        ),
    ),
    ("no-event-gains-more", "attained", "window-grows", "window"),
)
