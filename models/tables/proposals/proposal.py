"""Proposed roles: what each column of a table seems to be, and which part it should play.

A proposal errs on the safe side: what names people is an identifier, what nobody can generalize is
dropped, and whatever an adversary may know is a quasi-identifier. It is there to be edited.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from kproof.arguments import NAMES, check_arguments, name_arguments
from kproof.datasets import MISSING_CELLS, Header, looks_missing
from kproof.errors import show, speak, spell
from kproof.forms import JsonForm
from kproof.models.base.arrays import Codes
from kproof.models.base.beside import PAIRS_FROM, Beside
from kproof.models.base.uniqueness import SinglingSet, Uniqueness, uniqueness
from kproof.models.base.verdict import SCHEMA
from kproof.models.tables.decimals import DecimalSign
from kproof.models.tables.detection.headings import Hint, hints
from kproof.models.tables.detection.types import MOMENTS, NAMES_PEOPLE, ColumnType, Detected, detect
from kproof.models.tables.doubts import sentinels, spelt_twice
from kproof.models.tables.labels import MOST_MEMBERS
from kproof.models.tables.proposals.roles_file import (
    GENERALIZED,
    ColumnRole,
    Role,
    RolesFile,
    in_file,
)
from kproof.models.tables.proposals.toml_values import UNDECIDED
from kproof.models.tables.readers import Cells, FileLayout, read_cells
from kproof.notebooks import NotebookText


@dataclass(frozen=True, slots=True)
class SingledOut:
    """Rows that a set of columns singles out."""

    rows: int
    """How many rows no other agrees with on all of them."""
    columns: tuple[str, ...]
    """The columns, the one that is spoken of first."""
    at_most: int | None = None
    """Rows that no set of as many with it exceeds, where not every set was counted; else None."""

    def __str__(self) -> str:
        """Return the rows, and what they may be at most with others."""
        return f"{self.rows}" + ("" if self.at_most is None else f" (at most {self.at_most})")

    to_dict = JsonForm("rows columns at_most?")


@dataclass(frozen=True, slots=True)
class ProposedRole:
    """One column: what it is, what it gives away, and the role it should have."""

    name: str
    """As in the source."""
    type: ColumnType
    role: Role
    """What its values are, and which part it should play."""
    reason: str
    """Why, in one line."""
    distinct: int
    missing: int
    """Different values, and rows without one."""
    alone: int
    """Rows whose value no other row has."""
    with_one: SingledOut | None = None
    with_two: SingledOut | None = None
    """The set of two, and of three columns with it that singles out most rows; None for a column
    that nearly does so alone."""
    questions: tuple[str, ...] = ()
    """What somebody has to decide before it can be used."""
    formats: tuple[str, ...] = ()
    ladder: str | None = None
    """How its dates are written, several if nobody can tell; the levels that suit it."""
    mixed: bool = False
    """Whether its dates are written in all of the formats."""
    width: int | None = None
    """Digits of its codes once lost zeros are put back; None if none were lost."""
    gaps: tuple[str, ...] = ()
    """Words among its values that seem to stand for nothing."""

    def to_column_role(self, missing: Sequence[str] = MISSING_CELLS) -> ColumnRole:
        """Return what a roles file says of it, the cells that are missing in the table given."""
        format_: str | tuple[str, ...] | None = None
        # A format is that of days. Of date-times it is said only where it takes a choice of days.
        plain = self.type is ColumnType.DATETIME and self.formats == ("%Y-%m-%d",)
        if self.ladder is not None and self.formats and not plain:
            format_ = self.formats[0] if len(self.formats) == 1 else UNDECIDED
            format_ = self.formats if self.mixed else format_
        return ColumnRole(
            role=self.role,
            type=self.type,
            reason=self.reason,
            format=format_,
            ladder=self.ladder,
            width=self.width,
            missing=(*missing, *self.gaps) if self.gaps else None,
        )

    to_dict = JsonForm(
        "column=name type role reason distinct missing alone with_one with_two questions formats",
        "ladder",
    )


@dataclass(frozen=True, repr=False)
class RolesProposal(NotebookText):
    """The proposed roles of all columns of a table; made by :func:`propose_roles`."""

    source: str
    """The file, or what kind of frame it was."""
    rows: int
    """How many there are."""
    columns: tuple[ProposedRole, ...]
    """What is proposed for each column, in their order."""
    reading: Mapping[str, str] = field(default_factory=dict)
    """How the file was read, where that was said."""
    missing: tuple[str, ...] = ()
    """Cells that were taken for missing beyond the usual ones: they look so."""

    @property
    def questions(self) -> tuple[str, ...]:
        """What somebody has to decide, each with its column."""
        return tuple(
            f"{show(column.name)}: {question}"
            for column in self.columns
            for question in column.questions
        )

    @property
    def file(self) -> RolesFile:
        """The roles file that says what is proposed."""
        missing = (*MISSING_CELLS, *self.missing)
        return RolesFile(
            columns={column.name: column.to_column_role(missing) for column in self.columns},
            reading=dict(self.reading),
            missing=missing if self.missing else None,
            confirmed=False,
        )

    def options(self, *, published: Collection[str] | None = None) -> dict[str, Any]:
        """Return the keywords that ``read_table`` and ``anonymize`` take.

        ``published`` are the columns of a published file, for the keywords that ``check`` and
        ``attack`` take with it; None for data that are to be published. A format of dates must have
        been chosen.
        """
        return self.file.options(published=published)

    def to_toml(self) -> str:
        """Return the roles file, for a person to edit."""
        heading = (
            f"Roles of the columns of {self.source}, as kproof proposes them.",
            f"A role is {', '.join(Role)}.",
            "Change what is wrong, or say kproof roles --confirm FILE; then --roles FILE.",
        )
        return self.file.text(heading, {column.name: column.questions for column in self.columns})

    to_dict = JsonForm("source rows reading missing columns questions", schema=SCHEMA)

    @property
    def above(self) -> tuple[str, ...]:
        """What is said of the whole table."""
        gaps = f"cells taken for missing: {', '.join(self.missing)}" if self.missing else ""
        about = f"{self.source}: {self.rows} rows; rows singled out alone, with 1 or 2 others"
        return (about, *([gaps] if gaps else []))

    @property
    def cells(self) -> tuple[tuple[str, ...], ...]:
        """A row for each column, under :data:`HEADINGS`."""
        return tuple(
            (
                *(show(column.name, 24), column.type.value, column.role.value),
                *map(str, (column.distinct, column.missing, column.alone)),
                *(str(group or "") for group in (column.with_one, column.with_two)),
            )
            for column in self.columns
        )

    @property
    def below(self) -> tuple[str, ...]:
        """Why each column has its role, and what is to be decided."""
        why = [f"{show(column.name)}: {column.reason}" for column in self.columns]
        return (*why, *(["", "to be decided", *self.questions] if self.questions else []))

    def __str__(self) -> str:
        """Return a table of the columns, why each has its role, and what is to be decided."""
        lines = (HEADINGS, *self.cells)
        widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
        numbers = len(HEADINGS) - 5
        table = [
            "  ".join(
                cell.ljust(width) if place < numbers else cell.rjust(width)
                for place, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in lines
        ]
        return "\n".join([*self.above, "", *table, "", *self.below])


HEADINGS = ("column", "type", "role", "values", "missing", "alone", "with 1", "with 2")
"""Of the table of the columns."""


@check_arguments(missing=NAMES)
def propose_roles(
    source: object,
    *,
    header: Header | str = Header.DETECT,
    encoding: str | None = None,
    sheet: str | None = None,
    decimal: DecimalSign | str | None = None,
    missing: Collection[str] | None = None,
) -> RolesProposal:
    """Propose a type and a role for every column of a table.

    Types are decided by the distinct values, each counted once, and by the heading where they
    cannot tell. How many rows a column singles out, alone and with one or two others, is exact.

    Args:
        source: A file, a table that comes with kproof, or a pandas, Polars or PyArrow frame.
        header, encoding, sheet, decimal: How a file is to be read, see
            :class:`kproof.models.tables.readers.FileLayout`.
        missing: Cells that stand for a value that is not recorded. None for ``""``, ``"?"`` and
            those that look so, such as ``NA``; the proposal names these.

    Raises:
        DataError: If the source cannot be read or has no rows.

    >>> proposal = propose_roles("table-1a")
    >>> {one.name: one.role.value for one in proposal.columns}  # doctest: +NORMALIZE_WHITESPACE
    {'ID': 'identifier', 'Name': 'identifier', 'Age': 'quasi-identifier',
     'Zip Code': 'quasi-identifier', 'Country': 'quasi-identifier', 'Disease': 'sensitive'}
    >>> propose_roles("nowhere.csv")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    kproof.errors.DataError: nowhere.csv: no such file, and not a shipped table (table-1a, ...)
    """
    layout = FileLayout.of(header=header, encoding=encoding, sheet=sheet, decimal=decimal)
    with name_arguments(data="source"):
        absent = MISSING_CELLS if missing is None else missing
        cells = read_cells(source, layout, absent, narrow=True)
    looks: tuple[str, ...] = ()
    if missing is None:
        cells, looks = _without_gaps(cells)
    settings = {"encoding": encoding, "sheet": sheet, "decimal": layout.decimal}
    if layout.header is not Header.DETECT:
        settings["header"] = layout.header
    with speak(partial(in_file, looks)):
        columns, signs = _propose(cells)
    if signs is not None:
        settings["decimal"] = signs
    return RolesProposal(
        str(source) if isinstance(source, (str, Path)) else type(source).__name__,
        cells.rows,
        columns,
        {name: str(value) for name, value in settings.items() if value is not None},
        looks if missing is None else tuple(cell for cell in missing if cell not in MISSING_CELLS),
    )


def _without_gaps(cells: Cells) -> tuple[Cells, tuple[str, ...]]:
    """Take what looks missing for missing; return the cells that do."""
    all_gaps: dict[str, None] = {}
    codes, texts = [], []
    for column, distinct in zip(cells.codes, cells.texts, strict=True):
        gaps = [value for value in distinct if looks_missing(value)]
        all_gaps |= dict.fromkeys(gaps)
        present = tuple(value for value in distinct if value not in gaps)
        if gaps:
            place = {value: index for index, value in enumerate(present)}
            new_codes = [*(place.get(value, -1) for value in distinct), -1]
            column = np.array(new_codes, dtype=column.dtype)[column]
        codes.append(column)
        texts.append(present)
    return Cells(cells.rows, cells.names, tuple(codes), tuple(texts)), tuple(all_gaps)


def _propose(cells: Cells) -> tuple[tuple[ProposedRole, ...], str | None]:
    """Return what is proposed of each column, and what begins decimals if columns need a sign."""
    counted = [
        Beside.of_codes(name, codes) for name, codes in zip(cells.names, cells.codes, strict=True)
    ]
    # A column that tells nearly every row makes any set with it tell them, which says nothing.
    places = [index for index, beside in enumerate(counted) if not beside.nearly]
    together = dict(zip(places, uniqueness([cells.codes[index] for index in places]), strict=True))
    roles: list[ProposedRole] = []
    signs: list[set[DecimalSign]] = []
    columns = zip(cells.names, cells.texts, counted, strict=True)
    for index, (name, texts, beside) in enumerate(columns):
        kind = detect(name, texts, present=beside.present, alone=beside.alone)
        earlier = {before.role for before in roles}
        role, why = _role(name, kind, beside, len(texts), cells.rows, earlier)
        kind = _question(kind, texts, role)
        signs += [set(kind.signs)] if kind.signs else []
        sets = _sets_with(together.get(index), index, places, cells.names)
        roles.append(
            ProposedRole(
                name,
                kind.type,
                role,
                f"{why} ({kind.reason})",
                distinct=len(texts),
                missing=cells.rows - beside.present,
                alone=beside.alone,
                with_one=sets[0],
                with_two=sets[1],
                questions=kind.questions,
                formats=kind.formats,
                mixed=kind.mixed,
                width=kind.width if role in GENERALIZED else None,
                gaps=kind.missing,
                ladder=_ladder(kind, len(texts)) if role in GENERALIZED else None,
            )
        )
    # One sign holds for the whole file: each column leaves those by which it can be read.
    agreed = set.intersection(*signs) if signs else set()
    sign = agreed.pop().value if len(agreed) == 1 else UNDECIDED
    return tuple(roles), sign if signs else None


def role_of(name: str, codes: Codes, texts: Sequence[str]) -> Role:
    """Return the role that a column would be proposed by its heading and distinct values.

    ``codes``, shape (rows,), index the values, -1 where there is none.

    >>> role_of("sex", np.array([0, 1, 0]), ["f", "m"]).value
    'quasi-identifier'
    """
    beside = Beside.of_codes(name, codes)
    kind = detect(name, texts, present=beside.present, alone=beside.alone)
    return _role(name, kind, beside, len(texts), len(codes), ())[0]


def _ladder(kind: Detected, distinct: int) -> str | None:
    """Return the levels of a column; a set of more members than a label shows needs some."""
    plain = kind.type in (ColumnType.CATEGORY, ColumnType.ORDERED, ColumnType.CODE)
    return "flat" if kind.ladder is None and plain and distinct > MOST_MEMBERS else kind.ladder


def _question(kind: Detected, texts: Sequence[str], role: Role) -> Detected:
    """Ask about values that would be refused later: what stands for nothing, two spellings."""
    if role not in (Role.SENSITIVE, Role.BOTH, Role.PERSON):
        return kind
    questions, gaps = list(kind.questions), tuple(map(str, sentinels(texts)))
    value = spell("missing_as", "value")
    if gaps:
        missing = spell("missing", list(gaps))
        questions.append(
            f"{', '.join(gaps)} stands out as if nothing was measured: say {missing} if it is "
            f"missing, as the proposal has it, or else {value} without that line"
        )
    if twice := spelt_twice(texts):
        questions.append(f"{twice} value: write them alike, or say {value} if they differ")
    return replace(kind, questions=tuple(questions), missing=(*kind.missing, *gaps))


def _sets_with(
    singled: Uniqueness | None, index: int, places: Sequence[int], names: Sequence[str]
) -> tuple[SingledOut | None, SingledOut | None]:
    def single_out(group: SinglingSet | None) -> SingledOut | None:
        if group is None:
            return None
        companions = (names[places[at]] for at in group.columns if places[at] != index)
        at_most = None if group.searched else group.at_most
        return SingledOut(group.rows, (names[index], *companions), at_most)

    if singled is None:
        return None, None
    return single_out(singled.with_one), single_out(singled.with_two)


def _role(
    name: str, kind: Detected, beside: Beside, distinct: int, rows: int, earlier: Collection[Role]
) -> tuple[Role, str]:
    """Return the role of a column and why; ``earlier`` are the roles of those before it."""
    hinted = hints(name)
    number = kind.type is ColumnType.NUMBER
    if kind.type is ColumnType.EMPTY:
        return Role.DROP, "nothing to publish"
    # Before anything is counted: a name that many rows have singles out nobody, and
    # still names somebody.
    if kind.type in NAMES_PEOPLE:
        if distinct < beside.present and kind.type is ColumnType.IDENTIFIER:
            again = f"{beside.present - distinct} rows repeat a value"
            if Hint.PERSON in hinted and beside.present == rows and Role.PERSON not in earlier:
                return Role.PERSON, f"{again}, and its heading says a person's"
            return Role.IDENTIFIER, f'{again}: if they are one person\'s, role = "person"'
        return Role.IDENTIFIER, "it stands for a person"
    if kind.type is ColumnType.TEXT:
        return Role.DROP, "free text may name anybody, and no level generalizes it"
    if kind.type is ColumnType.PLACE:
        return Role.DROP, "so exact a place tells who was there"
    # Of every row: beside a gap one value would tell who has it.
    if distinct == 1 and beside.present == rows:
        return Role.OTHER, "it is the same in every row"
    if beside.nearly and kind.type is ColumnType.CATEGORY:
        return Role.IDENTIFIER, beside.tells
    secret = Hint.SENSITIVE in hinted or kind.type is ColumnType.DISEASE
    public = not hinted.isdisjoint({Hint.KNOWN, Hint.CODE}) or kind.type in MOMENTS
    few = f"{beside.paired} of {beside.present} share a value with at most one other"
    mostly_paired = number and beside.present >= PAIRS_FROM and 2 * beside.paired >= beside.present
    if mostly_paired and Hint.WEIGHT in hinted and not (secret or public):
        return Role.DROP, f"a weight in a sample that tells rows apart: {few}"
    if secret and not public and (number or not beside.nearly):
        says = "its heading says" if Hint.SENSITIVE in hinted else "its values are"
        return Role.SENSITIVE, f"{says} what people would not have known"
    if mostly_paired and not public and not secret:
        return Role.DROP, f"nothing says what it is, and it tells rows apart: {few}"
    # What nothing is known of is both: no role asks more of a release that shows it.
    role = Role.QUASI_IDENTIFIER if public and not secret else Role.BOTH
    unknown = "" if role is Role.QUASI_IDENTIFIER else "people may keep it to themselves, and "
    if beside.nearly:
        return role, f"{unknown}it {beside.tells}, and can be generalized"
    if beside.alone:
        return role, f"{unknown}it singles out {beside.alone} of {beside.present} rows"
    return role, f"{unknown}an adversary may know it"
