"""kappa = 1 for all events: Theorems 2 and 4 for sums of records whose masses are log-concave.

The sum W of j records has the masses ``a(0), a(1), ...`` at points of a lattice, and s is ``lag``
steps of it. The worst event is a half-line (:mod:`.log_concave`), and for half-lines Theorem 2
holds with kappa = 1. The half-line that gains most ends at count w, which is the point x. ``F``
adds up masses, so that F(w) and F(w - lag) are Pr[W <= x] and Pr[W <= x - s]. Events are of the
first m counts, for every m.
"""

from __future__ import annotations

from collections.abc import Iterable

import sympy as sp

from kproof.theory.derivations import methods as by
from kproof.theory.derivations.derivation import Derivation, Step, needed
from kproof.theory.derivations.formulas import at_most, equal
from kproof.theory.derivations.proofs import log_concave
from kproof.theory.derivations.proofs.berry_esseen import (
    AT_MOST,
    CHAIN,
    CLAIMED,
    CLASSES,
    DOWN_HALF_LINES,
    KAPPA,
    KAPPAS,
    UNKNOWN,
    UP_HALF_LINES,
)
from kproof.theory.derivations.proofs.counts import E, M
from kproof.theory.derivations.proofs.gaussian import EPSILON, S, X
from kproof.theory.derivations.proofs.log_concave import LAG, SUM
from kproof.theory.derivations.proofs.records import SUMS, J

_END = sp.Symbol("w", integer=True)
_KNOWN = sp.Symbol("K", real=True)
_FACTOR = {E: sp.exp(EPSILON)}
_LATTICE = (
    *(at_most(1, LAG), at_most(LAG, M)),
    equal(SUM(_END), AT_MOST(X, J)),
    equal(SUM(_END - LAG), AT_MOST(X - S, J)),
)
"""The count w is the point x, and w - lag is x - s."""


BEYOND = sp.exp(EPSILON) * (1 - SUM(M))
"""What is left of the sum beyond m, times the factor."""


def _at(term: sp.Expr, count: sp.Expr = M) -> sp.Expr:
    return term.subs({M: count, E: sp.exp(EPSILON)}, simultaneous=True)


def _used(steps: Iterable[Step], *names: str) -> tuple[Step, ...]:
    """Return the steps of these names and all that they rest on, in order."""
    every, wanted = tuple(steps), set(names)
    for one in reversed(every):
        if one.id in wanted:
            wanted |= set(needed(one))
    return tuple(one for one in every if one.id in wanted)


def _all_events(
    of: Derivation,
    half_lines: Step,
    gained: tuple[sp.Expr, sp.Expr],
    worst: tuple[sp.Expr, sp.Expr],
    why: str,
) -> Derivation:
    """Return Theorems 2 and 4 for all events, from what is known of half-lines.

    Parameters
    ----------
    of, half_lines
        What is known of the worst event, and of half-lines.
    gained
        What an event gains is at most delta, each with what is added to it.
    worst
        The best gain, and the gain of which half-line it is.
    """
    direction = of.name.removeprefix("log-concave-")
    left, more = gained
    theorem = Step(
        "theorem-2-all-events",
        "C3",
        at_most(_at(left), CLAIMED.subs(KAPPA, 1) + _at(more)),
        by.Arithmetic(),
        why,
        follows=("worst-event-at-epsilon", half_lines.id),
        given=(*half_lines.given, *_LATTICE, equal(_at(worst[0]), _at(worst[1], _END))),
    )
    return Derivation(
        f"all-events-{direction}",
        f"kappa = 1 for all events of log-concave sums in Theorems 2 and 4, {direction}s",
        (
            *_used(of.steps, "worst-event"),
            *SUMS,
            *_used((*KAPPAS, *CHAIN, *CLASSES), half_lines.id),
            of["worst-event"].at(_FACTOR, "worst-event-at-epsilon", "The factor is exp(epsilon)."),
            theorem,
            theorem.at(
                {J: UNKNOWN, X: X - _KNOWN},
                "theorem-4-all-events",
                "The same for the unknown records: the known ones move the sum by K.",
            ),
        ),
        ("theorem-2-all-events", "theorem-4-all-events"),
    )


ALL_UPWARD = _all_events(
    log_concave.UPWARD,
    UP_HALF_LINES,
    (log_concave.UP_EVENT, sp.S.Zero),
    (log_concave.UP_BEST, log_concave.UP_HALF_LINE),
    "kappa = 1 for every event: what it gains is at most what the best half-line gains, which ends "
    "at w, and that half-line has kappa = 1.",
)
ALL_DOWNWARD = _all_events(
    log_concave.DOWNWARD,
    DOWN_HALF_LINES,
    (log_concave.DOWN_EVENT + 1 - SUM(M - LAG), BEYOND),
    (log_concave.DOWN_LEFT_OUT, log_concave.DOWN_ALL),
    "kappa = 1 for every event: of the counts up to m it gains at most what the best half-line "
    "does, which leaves out those up to w. Beyond m it gains at most 1 - F(m - lag), all there is. "
    "The last term is 0 once all masses are in, or goes to 0.",
)
