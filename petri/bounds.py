"""How many tokens a place has, over all markings: best integer and multi-set bounds.

They are read off the explorer's store, sparsely: of each token only the least and the largest count
is kept. The plain form, a matrix of states and tokens, is what they are tested against.
"""

from __future__ import annotations

from collections.abc import Callable

from kproof.petri.space import Extremes, StateSpace


def place_bounds(space: StateSpace, place: str, *, tick: Callable[[], object] = int) -> Extremes:
    """Return the bounds of a place over the states explored.

    Parameters
    ----------
    space
        Full or partial.
    place
        Its name.
    tick
        Called again and again meanwhile; whatever it raises ends the search.

    Examples
    --------
    >>> from kproof.petri.colours import Dot
    >>> from kproof.petri.explore import explore
    >>> from kproof.petri.net import NetBuilder
    >>> from kproof.petri.terms import everything
    >>> build = NetBuilder("hourglass")
    >>> build.place("Above", Dot(), 2 * everything(Dot()))
    >>> build.transition("fall", takes={"Above": everything(Dot())})
    >>> place_bounds(explore(build.net()), "Above")
    Extremes(least=0, most=2, lower=(), upper=(('•', 2),))
    """
    return space.extremes(place, tick)


def plain_bounds(space: StateSpace, place: str) -> Extremes:
    """Return the same from a matrix with a row for each state and a column for each token."""
    totals = space.totals(place)
    tokens, counts = space.counts(place)
    lower, upper = (
        tuple((token, int(n)) for token, n in zip(tokens, bound, strict=True) if n)
        for bound in (counts.min(axis=0), counts.max(axis=0))
    )
    return Extremes(int(totals.min()), int(totals.max()), lower, upper)
