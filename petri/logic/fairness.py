"""Fairness of transitions: whether infinite runs can neglect them.

Every demand is about infinite runs only; the four classes of CPN Tools are the strongest demand a
transition meets. Each is decided on the strongly connected components of the state space without
the transition's arcs: a run that neglects the transition goes round in one of them for ever.

Source: Jensen and Kristensen, *Coloured Petri Nets*, 2009, section 8.2.
"""

from enum import StrEnum

import numpy as np

from kproof.petri.logic.ctl_check import Checker, Walk
from kproof.petri.logic.predicates import arcs_of


class Recurrence(StrEnum):
    """When a transition has to occur infinitely often in an infinite run."""

    ALWAYS = "always"
    IF_ENABLED_AGAIN_AND_AGAIN = "if enabled again and again"
    IF_ENABLED_FROM_THEN_ON = "if enabled from some point on"


class Fairness(StrEnum):
    """The strongest demand a transition meets, by the names of CPN Tools."""

    IMPARTIAL = "impartial"
    FAIR = "fair"
    JUST = "just"
    NONE = "no fairness"


def neglect(checker: Checker, transition: str, demand: Recurrence) -> Walk | None:
    """Return a lasso that does not meet a demand, or None if there is none in the space.

    The lasso has the fewest firings up to a marking on a cycle without the transition (one in
    which the transition is enabled, if the demand asks for that), and then the fewest in a cycle
    through that marking.
    """
    space = checker.space
    other_arcs = ~arcs_of(space, transition, tick=checker.clock.tick)
    enabled = np.zeros(space.states, dtype=np.bool_)
    enabled[space.sources[~other_arcs]] = True
    # From some point on enabled: in every marking of the cycle. Again and again: in one is enough,
    # as the cycle comes back to it.
    if demand is Recurrence.IF_ENABLED_FROM_THEN_ON:
        other_arcs &= enabled[space.sources]
    neglected = checker.on_cycle(other_arcs)
    if demand is Recurrence.IF_ENABLED_AGAIN_AND_AGAIN:
        neglected &= enabled
    if not neglected.any():
        return None
    # Over any arcs, the transition's included: only what is repeated for ever has to neglect it.
    stem = checker.shortest(space.roots, neglected)
    cycle = checker.cycle(stem.end, other_arcs)
    return Walk(stem.start, stem.end, stem.arcs + cycle.arcs, len(stem.arcs))


def fairness(checker: Checker, transition: str) -> Fairness:
    """Return the class of a transition in the explored part of a space.

    If no run is infinite, every transition is impartial.
    """
    # The strongest demand first: the first that no lasso neglects is the class.
    for demand, grade in (
        (Recurrence.ALWAYS, Fairness.IMPARTIAL),
        (Recurrence.IF_ENABLED_AGAIN_AND_AGAIN, Fairness.FAIR),
        (Recurrence.IF_ENABLED_FROM_THEN_ON, Fairness.JUST),
    ):
        if neglect(checker, transition, demand) is None:
            return grade
    return Fairness.NONE
