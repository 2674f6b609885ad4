"""Ladders for categories: one root above all; of ordered ones two, four, eight neighbours first."""

from __future__ import annotations

from dataclasses import dataclass

from kproof.errors import DataError, InvalidArgument
from kproof.models.base.missing import text
from kproof.models.tables.levels.base import ROOT, Drawn, Ladder, Leaves


@dataclass(frozen=True)
class FlatLadder(Ladder):
    """Values that are shown as they are, or not at all.

    >>> FlatLadder().taxonomy(["m", "f"], "sex").labels
    ('*', 'm', 'f')
    """

    spec = "flat"
    levels = ("value", ROOT)

    def draw(self, leaves: Leaves) -> Drawn:
        """Return the root above values, which stay in their order."""
        paths = tuple((text(value), ROOT) for value in leaves.values)
        return Drawn(paths, told=f"the value or {ROOT}")


@dataclass(frozen=True)
class OrderLadder(Ladder):
    """Categories in an order that somebody gave, and runs of neighbours above them.

    >>> tree = OrderLadder(("low", "medium", "high")).taxonomy(["high", "low", "medium"], "risk")
    >>> tree.labels
    ('*', 'low..medium', 'low', 'medium', 'high')
    """

    order: tuple[str, ...]
    """The categories, the least first."""

    def __post_init__(self) -> None:
        if len(set(self.order)) < len(self.order) or len(self.order) < 2 or "" in self.order:
            raise InvalidArgument("ladder", self.spec, "different categories, low<medium<high")

    @property
    def spec(self) -> str:
        """The ladder as the command line has it."""
        return f"order:{'<'.join(self.order)}"

    @property
    def levels(self) -> tuple[str, ...]:
        """The value, how many neighbours are put together, and everything."""
        return ("value", *(f"{size} neighbours" for size in self._sizes), ROOT)

    def draw(self, leaves: Leaves) -> Drawn:
        """Return the runs of neighbours above categories, in their order."""
        place = {name: position for position, name in enumerate(self.order)}
        written = [text(value) for value in leaves.values]
        for category in written:
            if category not in place:
                order = "<".join(self.order)
                raise DataError(
                    f"{leaves.about(category)} is not among {order}; add it to the order"
                )

        def run(position: int, size: int) -> str:
            names = self.order[position // size * size :][:size]
            return names[0] if len(names) == 1 else f"{names[0]}..{names[-1]}"

        return Drawn(
            tuple(
                (category, *(run(place[category], size) for size in self._sizes), ROOT)
                for category in sorted(written, key=place.__getitem__)
            )
        )

    @property
    def _sizes(self) -> tuple[int, ...]:
        return tuple(1 << step for step in range(1, (len(self.order) - 1).bit_length()))
