"""What background knowledge says about the rows of a release: who can be on which.

What is known of values is used against everyone: a row that is surely a member's is nobody else's.
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from kproof.errors import DataError, InvalidArgument, show
from kproof.models.attacks.background import BackgroundKnowledge, Matching, Person
from kproof.models.attacks.covering import Coded, Mask
from kproof.models.attacks.evidence import PublishedClasses
from kproof.models.attacks.worlds import Component, components
from kproof.models.base.arrays import Codes


class Knowledge:
    """Background knowledge applied to a release.

    A cell is one entry of the histogram that the adversary sees, ``table``: the rows of one class
    with one value. ``touched`` has, ascending, the cells of which a row may be that of someone
    whose value she knows something of.
    """

    def __init__(self, evidence: PublishedClasses, background: BackgroundKnowledge) -> None:
        self.evidence = evidence
        self.background = background
        self.table = evidence.histogram(noise=not background.noise_recognised)
        self._component: dict[int, Component] = {}
        self._informed: set[int] = set()
        about: dict[int, frozenset[int]] = {}
        for index, person in enumerate((*background.members, *(background.victims or ()))):
            if not self._is_member(index) and not person.excluded and person.value is None:
                continue
            near = self.cells(person)
            if not len(near):
                # Suppressed, or unknown to the release: no row is theirs.
                continue
            cells = near[self.admissible(index, person)[self.table.values[near]]]
            if not len(cells):
                problem = "the background knowledge contradicts the release"
                raise DataError(f"{name_of(person)}: {problem}: no published row can be theirs")
            about[index] = frozenset(cells.tolist())
        for group, reached in components(about):
            component = Component({cell: int(self.table.counts[cell]) for cell in reached}, group)
            # Each by itself has a row; together they may want more than there are.
            if not component.worlds():
                raise DataError(
                    f"the background knowledge of {len(group)} people contradicts the release: "
                    f"there are not enough rows for all of them"
                )
            self._informed |= group.keys()
            self._component |= dict.fromkeys(reached, component)
        self.touched: Codes = np.array(sorted(self._component), dtype=np.int64)

    def _is_member(self, index: int) -> bool:
        return index < len(self.background.members)

    def classes(self, person: Person) -> Codes:
        """Return the classes a person's record may be in."""
        evidence = self.evidence
        if person.row is None:
            fits = evidence.covers(person.quasi_identifiers or {})
            return np.flatnonzero(fits).astype(np.int64)
        if person.row >= len(evidence.class_of):
            last = len(evidence.class_of) - 1
            raise DataError(f"{name_of(person)}: need a row from 0 to {last}")
        if self.background.matching is Matching.CLASS:
            # A list of one, so that who was left out, class -1, has none.
            row_class = evidence.class_of[[person.row]]
            return row_class[row_class >= 0]
        every = np.arange(evidence.classes.count)
        mask: Mask = np.ones(evidence.classes.count, dtype=np.bool_)
        for column in columns_of_background(evidence, self.background):
            mask &= column.of_codes(column.codes[[person.row]], every)[0]
        return np.flatnonzero(mask).astype(np.int64)

    def cells(self, person: Person) -> Codes:
        """Return the cells a person's record may be in, whatever their value, ascending."""
        classes, starts = self.classes(person), self.table.starts
        # Cells are sorted by class, and most people have one: no flags over the whole table.
        if len(classes) == 1:
            return np.arange(starts[classes[0]], starts[classes[0] + 1])
        possible = np.zeros(len(self.table.sizes), dtype=np.bool_)
        possible[classes] = True
        return np.flatnonzero(possible[self.table.classes]).astype(np.int64)

    def admissible(self, index: int, person: Person) -> Mask:
        """Return, shape (values,), which values a person may have; members come first."""
        allowed: Mask = np.ones(len(self.evidence.classes.values), dtype=np.bool_)
        if person.value is None and not self._is_member(index):
            allowed[[self.evidence.value_code(value) for value in person.excluded]] = False
            return allowed
        allowed[:] = False
        if person.value is not None:
            allowed[self.evidence.value_code(person.value)] = True
        elif person.row is not None:
            allowed[self.evidence.actual[person.row]] = True
        else:
            raise InvalidArgument("value", None, f"the value {name_of(person)} is known to have")
        return allowed

    def free(self, cell: int, *, victim: int | None = None) -> Fraction:
        """Return how many rows of a cell are left for one more person, as an average over worlds.

        If that is a victim (by position), what is known of their own value is left out.
        """
        count = int(self.table.counts[cell])
        component = self._component.get(cell)
        if component is None:
            return Fraction(count)
        index = None if victim is None else len(self.background.members) + victim
        return count * component.share(cell, without=index if index in self._informed else None)


def name_of(person: Person) -> str:
    """Return how a person is called in results and messages."""
    if person.name:
        return show(person.name)
    if person.row is not None:
        return f"row {person.row}"
    values = person.quasi_identifiers or {}
    return show(", ".join(f"{name}={value}" for name, value in values.items()))


def columns_of_background(
    evidence: PublishedClasses, background: BackgroundKnowledge
) -> Sequence[Coded]:
    """Return the quasi-identifiers the adversary knows of people given by row."""
    names = background.columns
    columns = evidence.columns if names is None else map(evidence.column, names)
    coded = [column for column in columns if isinstance(column, Coded)]
    if not coded:
        raise InvalidArgument(
            "matching", "cover", "the microdata's quasi-identifiers, or victims given by theirs"
        )
    return coded
