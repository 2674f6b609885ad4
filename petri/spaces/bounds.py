"""How many tokens a place has, over all markings: best integer and multi-set bounds.

They are read off the explorer's store, sparsely: of each token only the least and the largest count
is kept (:meth:`kproof.petri.spaces.space.StateSpace.extremes`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from kproof.forms import JsonForm
from kproof.petri.net.marking import Multiset
from kproof.petri.spaces.figures import Figure, Finality, at_least, so_far
from kproof.petri.spaces.space import Extremes


@dataclass(frozen=True)
class Bounds:
    """How many tokens a place has, over all markings."""

    place: str
    """Its name."""
    extremes: Extremes | None
    """Best integer bounds, and best multi-set bounds: of each token the least and the largest
    count. None if the time for judging was over."""

    def figures(self, *, full: bool = True) -> tuple[Figure, Figure, Figure, Figure]:
        """Return most, least, and the numbers of tokens of the upper and lower multi-set bound.

        A lower bound of nothing is final whatever was not explored.
        """
        extremes = self.extremes
        if extremes is None:
            return (Figure(None, Finality.UNKNOWN),) * 4
        return (
            at_least(extremes.most, final=full),
            so_far(extremes.least, final=full or not extremes.least),
            at_least(len(extremes.upper), final=full),
            so_far(len(extremes.lower), final=full or not extremes.lower),
        )

    def _lower(self, *, full: bool = True, listed: int | None = None) -> Figure:
        """Return the least multi-set, pairs of a token and how often."""
        return _figure_of(self.figures(full=full)[3], self.lower, listed)

    def _upper(self, *, full: bool = True, listed: int | None = None) -> Figure:
        """Return the largest multi-set, pairs of a token and how often."""
        return _figure_of(self.figures(full=full)[2], self.upper, listed)

    def _tokens(
        self, *, full: bool = True, listed: int | None = None
    ) -> tuple[Figure, Figure] | None:
        """Return the tokens of the lower and the upper multi-set; None where all are listed."""
        return None if listed is None else (self.figures(full=full)[3], self.figures(full=full)[2])

    to_dict = JsonForm(
        "place least=figures(full).1 most=figures(full).0 lower=_lower(full,listed)",
        "lower_tokens?=_tokens(full,listed).0 upper=_upper(full,listed)",
        "upper_tokens?=_tokens(full,listed).1",
    )

    @property
    def least(self) -> int | None:
        """The least number of tokens."""
        return None if self.extremes is None else self.extremes.least

    @property
    def most(self) -> int | None:
        """The largest number of tokens."""
        return None if self.extremes is None else self.extremes.most

    @property
    def lower(self) -> Multiset | None:
        """Of each token the least count."""
        return None if self.extremes is None else self.extremes.lower

    @property
    def upper(self) -> Multiset | None:
        """Of each token the largest count."""
        return None if self.extremes is None else self.extremes.upper


def _figure_of(figure: Figure, tokens: Multiset | None, listed: int | None) -> Figure:
    pairs = None if tokens is None else [[str(token), count] for token, count in tokens]
    return replace(figure, value=pairs if pairs is None else pairs[:listed])
