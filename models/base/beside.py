"""Columns that stand beside those that are judged, and when one of them gives everybody away.

A verdict is about quasi-identifiers and a sensitive column. Whatever else a table has was not
looked at; a column that tells nearly every row from the others makes such a verdict worthless, so
that somebody has to say what it is before anything positive is said.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from kproof.errors import DataError, show, spell
from kproof.forms import JsonForm
from kproof.models.base.arrays import Integers
from kproof.models.base.uniqueness import jointly

NEARLY = (9, 10)
"""Rows of which at least this share is singled out are nearly all."""

PAIRS_FROM = 30
"""Rows with a value from which on one that two rows share gives them away, too.

A person with two rows carries the same name in both. In fewer rows values that each stand twice
are nothing remarkable: the labels of a small 2-anonymous release do.
"""


class Part(StrEnum):
    """Why a column was left out of account."""

    NONE = "no role"
    OTHER = "published as it is"
    IDENTIFIER = "taken as not published"
    DROPPED = "taken as dropped"
    PERSON = "says whose rows are whose, taken as not published"
    ABSENT = "not in the file: rows are counted, not people"


@dataclass(frozen=True, slots=True)
class Beside:
    """A column that was left out of account."""

    name: str
    """As in the source."""
    part: Part = Part.NONE
    """Why it was."""
    present: int = 0
    alone: int = 0
    paired: int = 0
    """Rows with a value in it; those whose value no other row has; those whose value at most one
    other row has. 0 where nobody counted."""
    partners: tuple[str, ...] = ()
    jointly: int = 0
    """The other columns, one or two, with which it singles out nearly every row, and how many
    that are; empty and 0 if there are none, or nobody looked."""
    at_most: int = 0
    """Rows that other sets may single out, where not all of them were counted and that is nearly
    every row; else 0."""
    looks: str = ""
    """What its values look like, as a phrase that follows its name, if that names people; empty
    if it does not, or nobody looked."""

    @classmethod
    def of_codes(cls, name: str, codes: Integers, part: Part = Part.NONE) -> Beside:
        """Count how many rows a column singles out: codes are equal where values are, -1 for none.

        >>> Beside.of_codes("name", np.array([0, 1, 2, -1])).identifies
        True
        >>> Beside.of_codes("sex", np.array([0, 1, 0, 1])).identifies
        False
        """
        present = codes[codes >= 0]
        times = np.bincount(present)[present] if len(present) else present
        alone, paired = int(np.count_nonzero(times == 1)), int(np.count_nonzero(times <= 2))
        return cls(name, part, present=len(present), alone=alone, paired=paired)

    @property
    def identifies(self) -> bool:
        """Whether nobody said what it is, and it tells nearly every row or looks like names."""
        return self.part is Part.NONE and (self.nearly or bool(self.looks))

    @property
    def gives_away(self) -> bool:
        """Whether it is published as it is and tells nearly every row that has a value."""
        return self.part is Part.OTHER and self.nearly

    @property
    def nearly(self) -> bool:
        """Whether it tells nearly every row, alone or with its partners, whatever its part."""
        return bool(self.partners) or self._by_itself

    @property
    def _by_itself(self) -> bool:
        # Whatever a single row shows singles it out.
        if self.present < 2:
            return False
        pairs = self.present >= PAIRS_FROM and self._share(self.paired)
        return pairs or self._share(self.alone)

    @property
    def tells(self) -> str:
        """What it gives away, as a phrase that follows its name."""
        if self.partners:
            partners = " and ".join(map(show, self.partners))
            remainder = f", and other sets at most {self.at_most}" if self.at_most else ""
            rows = f"{self.jointly} of {self.present} rows"
            return f"together with {partners} singles out {rows}{remainder}"
        if self._share(self.alone):
            return f"singles out {self.alone} of {self.present} rows"
        if not self._by_itself:
            return self.looks or f"singles out {self.alone} of {self.present} rows"
        return f"leaves two rows at most for {self.paired} of {self.present}"

    def _share(self, rows: int) -> bool:
        part, total = NEARLY
        # In whole numbers: 0.9 is no float, and a share that is just as large has to count.
        return rows * total >= self.present * part

    def __str__(self) -> str:
        """Return its name and why it was left out."""
        revealing = self.gives_away or (self.part is Part.NONE and self.alone)
        gives = f", {self.tells}" if revealing else ""
        return f"{show(self.name)} ({self.part}{gives})"

    to_dict = JsonForm("column=name part")


def count_together(columns: Sequence[tuple[str, Part, Integers]]) -> tuple[Beside, ...]:
    """Count how many rows columns of one table single out, alone and two or three together.

    Only those without a role and those published as they are can be put together by a reader. Two
    or three are looked for among those that do not single out nearly every row already, and not in
    fewer than :data:`PAIRS_FROM` rows, which a few columns tell apart whatever they are.

    >>> places = np.arange(36)
    >>> found = count_together([("ward", Part.NONE, places // 6), ("bed", Part.NONE, places % 6)])
    >>> found[0].tells
    'together with bed singles out 36 of 36 rows'
    """
    counts = [Beside.of_codes(name, codes, part) for name, part, codes in columns]
    judged = (Part.NONE, Part.OTHER)
    places = [i for i, column in enumerate(counts) if column.part in judged and not column.nearly]
    rows = len(columns[0][2]) if columns else 0
    if rows < PAIRS_FROM:
        return tuple(counts)
    part, total = NEARLY
    # Rounded up: fewer rows are a smaller share than asked for.
    threshold = -(-rows * part // total)
    if (together := jointly([columns[i][2] for i in places], threshold)) is not None:
        members = [places[i] for i in together.columns]
        # One without a role tells of the set if there is one: it is the one to be given a role.
        first = min(members, key=lambda i: (counts[i].part is not Part.NONE, i))
        partners = tuple(counts[i].name for i in members if i != first)
        # What was not looked at is taken for the worst that it may be.
        at_most = together.at_most if together.rows < threshold else 0
        # Together with others a missing value is one like any other, so that all rows are meant.
        counts[first] = replace(
            counts[first], partners=partners, jointly=together.rows, at_most=at_most, present=rows
        )
    return tuple(counts)


def require_parts(columns: Iterable[Beside]) -> None:
    """Refuse columns that nobody gave a role and that tell nearly every row, or look like names.

    >>> require_parts([Beside.of_codes("ID", np.arange(12))])
    Traceback (most recent call last):
    kproof.errors.DataError: column ID singles out 12 of 12 rows and has no role; say what it is: \
identifiers (never published), drop, quasi_identifiers, sensitive or other (published as it is)
    """
    if not (telling := [column for column in columns if column.identifies]):
        return
    gives = ", ".join(f"{show(column.name)} {column.tells}" for column in telling)
    if len(telling) > 1:
        demand = f"columns without a role: {gives}; say what they are"
    else:
        demand = f"column {gives} and has no role; say what it is"
    roles = (
        f"{spell('identifiers')} (never published), {spell('drop')}, {spell('quasi_identifiers')}, "
        f"{spell('sensitive')} or {spell('other')} (published as it is)"
    )
    raise DataError(f"{demand}: {roles}")


def omissions_line(columns: Sequence[Beside]) -> str:
    """Return one line that names what was left out of account; empty if nothing was.

    >>> omissions_line([Beside("income"), Beside("ID", Part.IDENTIFIER)])
    'not considered: income (no role), ID (taken as not published)'
    """
    return f"not considered: {', '.join(map(str, columns))}" if columns else ""
