"""What every ladder is: a rule that puts labels above values, level by level, up to one root.

A ladder knows no column until :meth:`Ladder.taxonomy` is asked for the tree of some values. Level
0 is the value itself, as it is written in the source; every label above it is true of all values
below it and unlike any of them, so that a reader can tell a level from a value.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from kproof.errors import DataError, show, spell
from kproof.models.base.missing import MISSING, text
from kproof.models.base.taxonomy import Taxonomy

ROOT = "*"
"""What the highest level shows of every value."""

_LADDER = "ladder "


@dataclass(frozen=True)
class Leaves:
    """What a ladder is drawn above."""

    values: tuple[object, ...]
    """The distinct values of a column, none of which is missing."""
    column: str
    """Its name, for messages."""

    def about(self, value: object) -> str:
        """Return how a message about one of the values begins."""
        return f"column {show(self.column)}: {show(text(value))}"


@dataclass(frozen=True)
class Drawn:
    """What a ladder draws above some values."""

    paths: tuple[tuple[str, ...], ...]
    """For each value its labels from level 0 to the root, in the order in which cuts are made:
    chronological, ascending, as listed."""
    note: str = ""
    """How the values were read, where that was found out rather than said, or what the levels are,
    where the ladder's name does not say; empty otherwise."""


@dataclass(frozen=True)
class Ladder(ABC):
    """A rule that makes a Taxonomy of the values of a column."""

    @property
    @abstractmethod
    def spec(self) -> str:
        """The ladder as the command line has it, such as ``date:month,year``."""

    @property
    @abstractmethod
    def levels(self) -> tuple[str, ...]:
        """Names of the levels that have one, from level 0; empty if the values decide."""

    @abstractmethod
    def draw(self, leaves: Leaves) -> Drawn:
        """Return the labels above the values of a column, each of which must be readable."""

    def taxonomy(self, values: Sequence[object], column: str) -> Taxonomy:
        """Return the tree above the distinct values of a column, missing ones left out.

        Raises:
            DataError: If there is no value, or one cannot be read or told apart from a level; names
                the column, the value and what to say.
        """
        leaves = Leaves(tuple(value for value in values if value is not MISSING), column)
        if not leaves.values:
            raise DataError(f"column {show(column)} has no values: all are missing")
        for value in leaves.values:
            if (written := text(value)) == ROOT:
                raise DataError(
                    f"column {show(column)}: the value {ROOT} looks like the highest level of "
                    f"{self.spec}; say {spell('missing', [ROOT])} if it stands for nothing"
                )
            # Labels of a tree are stripped, so that such a value would not be found
            # among its own leaves.
            if written != written.strip():
                raise DataError(
                    f"{leaves.about(value)} has spaces around it; strip the values before "
                    f"{self.spec} is used"
                )
        drawing = self.draw(leaves)
        about = f" ({drawing.note})" if drawing.note else ""
        return Taxonomy.from_paths(drawing.paths, source=f"{_LADDER}{self.spec}{about}")


def ladder_of(tree: Taxonomy | None) -> str:
    """Return the ladder that drew a tree and how it read the values; empty if none did.

    >>> ladder_of(Taxonomy.from_paths([("a", "*")]))
    ''
    """
    drawn = tree is not None and tree.source.startswith(_LADDER)
    return tree.source.removeprefix(_LADDER) if tree is not None and drawn else ""
