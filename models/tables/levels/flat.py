"""The ladder for any column: its values, and one root above them all."""

from __future__ import annotations

from dataclasses import dataclass

from kproof.models.base.missing import text
from kproof.models.tables.levels.base import ROOT, Drawn, Ladder, Leaves


@dataclass(frozen=True)
class FlatLadder(Ladder):
    """Values that are shown as they are, or not at all.

    >>> FlatLadder().taxonomy(["m", "f"], "sex").labels
    ('*', 'm', 'f')
    """

    @property
    def spec(self) -> str:
        """The ladder as the command line has it."""
        return "flat"

    @property
    def levels(self) -> tuple[str, ...]:
        """The value and everything."""
        return ("value", ROOT)

    def draw(self, leaves: Leaves) -> Drawn:
        """Return the root above values, which stay in their order."""
        return Drawn(
            tuple((text(value), ROOT) for value in leaves.values), told=f"the value or {ROOT}"
        )
