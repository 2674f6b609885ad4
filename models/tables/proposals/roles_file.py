"""The roles file: what a person decided about the columns of a table, as TOML.

``kproof roles`` writes one, a person edits it, and every command for tables reads it. Reading is
strict: a key, a role or a value that means nothing is refused, with what would be admissible.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

from kproof.arguments import PATH, check_arguments
from kproof.datasets import MISSING_CELLS
from kproof.errors import DataError, did_you_mean, show, spell
from kproof.models.base.taxonomy import Taxonomy
from kproof.models.tables.detection.types import ColumnType
from kproof.models.tables.proposals import toml_values as toml
from kproof.models.tables.roles import RoleOptions
from kproof.theory.exact.documents import read_text

SCHEMA = 1
"""Version of the roles file."""

_DEEPEST = 64
"""Most parts of a key, or lists within one another: those of kproof have three."""


class Role(StrEnum):
    """Which part a column plays."""

    IDENTIFIER = "identifier"
    QUASI_IDENTIFIER = "quasi-identifier"
    SENSITIVE = "sensitive"
    BOTH = "known and secret"
    OTHER = "other"
    DROP = "drop"
    PERSON = "person"


GENERALIZED = (Role.QUASI_IDENTIFIER, Role.BOTH)
"""Roles whose columns have levels."""


@dataclass(frozen=True, kw_only=True)
class ColumnRole:
    """What is said of one column."""

    role: Role
    """Which part it plays."""
    type: ColumnType | None = None
    """What its values are, or None."""
    reason: str = ""
    """Why it has the role."""
    format: str | tuple[str, ...] | None = None
    """How its dates are written, in the signs of ``strptime``, several if some are written so and
    some so, or None."""
    ladder: str | None = None
    taxonomy: str | None = None
    """What generalizes it: a ladder as ``--ladder`` takes it, or a file of a hierarchy, by its
    name relative to the roles file; at most one of them."""
    level: int | str | None = None
    least_level: int | str | None = None
    most_level: int | str | None = None
    """Its level in a full-domain recoding, and bounds for whatever chooses one: a number from 0,
    or the name of a level."""
    weight: Fraction | int | float | None = None
    """How much its loss counts."""
    missing: tuple[str, ...] | None = None
    """Cells that stand for a value that is not recorded, in place of the table's; or None."""
    width: int | None = None
    """Digits that every code once had; zeros that were lost are put back where it is masked."""

    @property
    def spec(self) -> str | None:
        """The ladder with the format of the dates in it."""
        if self.ladder is None:
            return None
        several = (self.format,) if isinstance(self.format, str) else self.format or ()
        settings = {";width=": str(self.width or ""), ";format=": "|".join(several)}
        return self.ladder + "".join(
            name + value
            for name, value in settings.items()
            if value and name[:-1] not in self.ladder
        )


@dataclass(frozen=True, kw_only=True)
class RolesFile:
    """The roles of the columns of a table, and how its file is to be read.

    >>> roles = RolesFile.parsed('''
    ... [columns.age]
    ... role = "quasi-identifier"
    ... [columns.name]
    ... role = "identifier"
    ... ''')
    >>> roles.options()
    {'quasi_identifiers': ('age',), 'identifiers': ('name',)}
    >>> RolesFile.parsed('[columns.age]' + chr(10) + 'role = "qi"')
    Traceback (most recent call last):
    kproof.errors.DataError: roles: column age: role = qi; need identifier, quasi-identifier,
    sensitive, known and secret, other, drop or person
    """

    columns: Mapping[str, ColumnRole]
    """What is said of each column, by name."""
    reading: Mapping[str, str] = field(default_factory=dict)
    """How the file is to be read: ``header``, ``encoding``, ``sheet``, ``decimal``."""
    missing: tuple[str, ...] | None = None
    """Cells that stand for a value that is not recorded; None for the usual ones."""
    missing_as: str | None = None
    """What a missing sensitive value is taken for; None for the worst case."""
    path: Path | None = None
    """The file it was read from; what it names is beside it."""
    confirmed: bool = True
    """Whether somebody decided what it says; False as long as it is what kproof proposed."""

    @classmethod
    @check_arguments(path=PATH)
    def read(cls, path: str | Path) -> RolesFile:
        """Read a roles file."""
        return cls.parsed(read_text(path, of="roles"), Path(path))

    @classmethod
    def parsed(cls, text: str, path: Path | None = None) -> RolesFile:
        """Return what the text of a roles file says; messages begin with its name."""
        source = "roles" if path is None else str(path)
        # A key of many parts costs memory by their square.
        parts = max((line.partition("=")[0].count(".") for line in text.splitlines()), default=0)
        try:
            document = {} if parts > _DEEPEST else tomllib.loads(text)
        except ValueError as error:  # of a number of more digits than Python reads, too
            raise DataError(f"{source}: not TOML: {error}") from None
        # Lists within one another are no parts of keys, and were not counted above.
        except RecursionError:
            parts = _DEEPEST + 1
        if parts > _DEEPEST:
            raise DataError(f"{source}: more than {_DEEPEST} tables or lists within one another")
        toml.require_known(source, document, ("proposed", "schema", "reading", "columns"))
        if document.get("schema", SCHEMA) != SCHEMA:
            raise DataError(f"{source}: schema = {show(document['schema'])}; need {SCHEMA}")
        reading = toml.read_table_of(source, "reading", document.get("reading", {}))
        read = toml.read_values(f"{source}: reading", reading, toml.READING)
        columns = toml.read_table_of(source, "columns", document.get("columns", {}))
        if not columns:
            raise DataError(f'{source}: no column; need [columns."NAME"] with a role for each')
        return cls(
            columns={
                name: _column(
                    f"{source}: column {show(name)}", toml.read_table_of(source, name, entries)
                )
                for name, entries in columns.items()
            },
            reading={name: read[name] for name in toml.LAYOUT if name in read},
            missing=read.get("missing"),
            missing_as=read.get("missing_as"),
            path=path,
            confirmed=not _is_proposal(source, text, document),
        )

    def __str__(self) -> str:
        return self.text()

    def text(
        self, heading: Sequence[str] = (), notes: Mapping[str, Sequence[str]] | None = None
    ) -> str:
        """Return the file as TOML, with comments at its top and above each column."""
        lines = [f"schema = {SCHEMA}"]
        settings = {**self.reading, "missing": self.missing, "missing_as": self.missing_as}
        if reading := toml.lines_of(settings):
            lines += ["", "[reading]", *reading]
        for name, column in self.columns.items():
            lines += ["", f"[columns.{toml.quote(name)}]"]
            lines += map(toml.comment, (notes or {}).get(name, ()))
            lines += toml.lines_of({key: getattr(column, key) for key in _COLUMN})
        proposed = [] if self.confirmed else [f'proposed = "{_digest(lines)}"']
        return "\n".join([*map(toml.comment, heading), *proposed, *lines]) + "\n"

    @property
    def known(self) -> dict[str, ColumnRole]:
        """The quasi-identifiers, those that are secret, too, among them."""
        return {name: column for name, column in self.columns.items() if column.role in GENERALIZED}

    def named(self, role: Role) -> tuple[str, ...]:
        """Return the columns of a role, in the order of the file."""
        return tuple(name for name, column in self.columns.items() if column.role is role)

    def but(self, name: str, **changes: Any) -> RolesFile:
        """Return the file with something else said of a column, which may be new."""
        if (before := self.columns.get(name)) is None and "role" not in changes:
            names = f"{self._names}{did_you_mean(name, self.columns)}"
            raise DataError(f"{self._where}: no column {show(name)}; there are {names}")
        column = ColumnRole(**changes) if before is None else replace(before, **changes)
        return replace(self, columns={**self.columns, name: column})

    def require_names(self, names: Collection[str]) -> None:
        """Refuse data with columns that the file does not name: it was written for others.

        Columns that it names and the data lack are told with them, for one may have been renamed.
        By themselves they are the reader's to refuse: published data lack some rightly.

        >>> file = RolesFile(columns={"name": ColumnRole(role=Role.IDENTIFIER)})
        >>> file.require_names(["full name"])
        Traceback (most recent call last):
        kproof.errors.DataError: roles: column 'full name' has no role, and column name is not in
        the data; if it was renamed, rename it in the file, else give 'full name' a role or say
        drop=["full name"]
        """
        if not (without := [name for name in names if name not in self.columns]):
            return
        new = [show(name) for name in without]
        gone = [show(name) for name in self.columns if name not in names]
        message = f"{self._where}: {_several(new)} {'has' if len(new) == 1 else 'have'} no role"
        if gone:
            verb, renamed, pronoun = ("are", "some were", "them")
            if len(gone) == 1:
                verb, renamed, pronoun = ("is", "it was", "it")
            message += f", and {_several(gone)} {verb} not in the data; if {renamed} renamed, "
            message += f"rename {pronoun} in the file, else"
        else:
            message += ";"
        raise DataError(f"{message} give {new[0]} a role or say {spell('drop', without[:1])}")

    def options(self, *, published: Collection[str] | None = None) -> dict[str, Any]:
        """Return the roles as the keywords of :func:`kproof.read_table` and the like.

        ``published`` are the columns of a published file, all of them in this one: identifiers and
        dropped columns that it lacks are left out, and so is whatever generalizes. None for data
        that are to be published.

        Raises:
            DataError: If a format is still to be chosen, or a hierarchy cannot be read.
        """
        self.require_decided(published=published is not None)
        if published is not None:
            self.require_names(published)
            self._require_known(published)
        quasi = self.known
        sensitive = self.named(Role.SENSITIVE)
        person = self.named(Role.PERSON)
        if len(person) > 1:
            raise DataError(f"{self._where}: columns {', '.join(person)} are persons; need one")
        read = [*quasi, *sensitive, *self.named(Role.OTHER)]
        options: dict[str, Any] = {
            "quasi_identifiers": tuple(quasi),
            "both": self.named(Role.BOTH),
            "sensitive": sensitive[0] if len(sensitive) == 1 else sensitive or None,
            "identifiers": self.named(Role.IDENTIFIER),
            "other": self.named(Role.OTHER),
            "drop": self.named(Role.DROP),
            "person": person[0] if person else None,
            "taxonomies": {
                name: Taxonomy.from_csv(self.beside(column.taxonomy))
                for name, column in quasi.items()
                if column.taxonomy is not None and published is None
            },
            "ladders": {
                name: str(column.spec)
                for name, column in quasi.items()
                if column.ladder is not None and published is None
            },
            "least_levels": _set_values(quasi, "least_level"),
            "most_levels": _set_values(quasi, "most_level"),
            "numeric": {name: False for name in read if self.columns[name].type in _NEVER_NUMBERS},
            "missing": self.missing,
            "missing_in": _set_values({name: self.columns[name] for name in read}, "missing"),
            "missing_as": self.missing_as,
        }
        if published is not None:
            for key in ("taxonomies", "ladders", "least_levels", "most_levels", "numeric"):
                del options[key]
            # A file that was published lacks the person rightly; its answers say
            # that rows were counted.
            options["person"] = next((name for name in person if name in published), None)
            options["absent"] = tuple(name for name in person if name not in published)
            for key in ("identifiers", "drop"):
                options[key] = tuple(name for name in options[key] if name in published)
        filled = {name: value for name, value in options.items() if value}
        for name in filled:
            if name not in RoleOptions.__annotations__:
                raise DataError(f"{self._where}: this version of kproof has no use for {name}")
        return filled

    def _require_known(self, published: Collection[str]) -> None:
        """Refuse a published file that lacks known columns, which a release may have left out."""
        gone = [name for name in self.known if name not in published]
        if gone:
            absent = _several([show(name) for name in gone])
            verb, pronoun = ("is", "it") if len(gone) == 1 else ("are", "them")
            raise DataError(
                f"{self._where}: {absent} {verb} known, and not in the published file; "
                f"if that leaves {pronoun} out, say {spell('drop', gone)}"
            )

    def require_decided(self, *, published: bool = False) -> None:
        """Refuse a file in which a format of dates or the sign of decimals is still to be chosen.

        The dates of published data are labels, which no format reads.
        """
        faults = [
            f'column {show(name)}: say how its dates are written, such as format = "%d/%m/%Y"'
            for name, column in self.known.items()
            if column.format == toml.UNDECIDED and not published
        ]
        if self.reading.get("decimal") == toml.UNDECIDED:
            faults.append('[reading]: say what begins decimals, decimal = "," or decimal = "."')
        if faults:
            raise DataError(f"{self._where}: {'; '.join(faults)}")

    @property
    def levels(self) -> dict[str, int | str]:
        """The level of each quasi-identifier that has one, for a full-domain recoding."""
        return _set_values(self.known, "level")

    @property
    def weights(self) -> dict[str, Any]:
        """The weight of each quasi-identifier that has one."""
        return _set_values(self.known, "weight")

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that it names."""
        taxonomies = (column.taxonomy for column in self.columns.values())
        return tuple(self.beside(name) for name in taxonomies if name is not None)

    def beside(self, name: str) -> Path:
        """Return a file by its name relative to the roles file."""
        return Path(name) if self.path is None else self.path.parent / name

    @property
    def _names(self) -> str:
        names = [show(name) for name in self.columns]
        return ", ".join(names[:20]) + (", …" if len(names) > 20 else "")

    @property
    def _where(self) -> str:
        return "roles" if self.path is None else str(self.path)


def in_file(missing: Sequence[str], argument: str, value: object) -> str:
    """Return an argument and its value as the file has them.

    A list of a column repeats the cells of the table that are ``missing`` beyond the usual ones.

    >>> print(in_file(["NA"], "missing", ["999"]), in_file([], "decimal", ","))
    missing = ["", "?", "NA", "999"] decimal = ","
    """
    if isinstance(value, list):
        value = (*MISSING_CELLS, *missing, *value)
    return f"{argument} = {toml.value_of(value)}"


_PROPOSED = re.compile(r"^[ \t]*proposed[ \t]*=.*$", re.MULTILINE)


def confirm_text(text: str) -> str:
    r"""Return the text of a roles file without the line that says that it is a proposal.

    >>> confirm_text('# Roles\nproposed = "0a"\nschema = 1\n')
    '# Roles\nschema = 1\n'
    """
    return re.sub(_PROPOSED.pattern + r"\r?\n?", "", text, count=1, flags=re.MULTILINE)


def _digest(lines: Sequence[str]) -> str:
    """Return the SHA-256 of lines; how an editor or a copy ends them is no decision."""
    plain = "\n".join(line.rstrip() for line in lines).rstrip("\n")
    return sha256(plain.encode()).hexdigest()


def _is_proposal(place: str, text: str, document: Mapping[str, object]) -> bool:
    """Say whether a file is what was proposed: what follows the digest still has it."""
    if (digest := document.get("proposed")) is None:
        return False
    if not isinstance(digest, str) or not re.fullmatch("[0-9a-f]{64}", digest):
        admissible = "the 64 digits that kproof roles wrote, or no such line"
        raise DataError(f"{place}: proposed = {show(digest)}; need {admissible}")
    line = _PROPOSED.search(text)
    # A digest that stands in no line of its own covers nothing: nobody can have confirmed by it.
    return line is None or _digest(text[line.end() :].lstrip("\r\n").splitlines()) == digest


_NEVER_NUMBERS = (ColumnType.CODE, ColumnType.CATEGORY, ColumnType.ORDERED, ColumnType.IDENTIFIER)
"""Types whose values, if they look like numbers, are published as sets and not as ranges."""


def _set_values(columns: Mapping[str, ColumnRole], key: str) -> dict[str, Any]:
    values = {name: getattr(column, key) for name, column in columns.items()}
    return {name: value for name, value in values.items() if value is not None}


def _several(names: Sequence[str]) -> str:
    """Return the names of columns, the first ones if they are many."""
    head = "column " if len(names) == 1 else "columns "
    return head + ", ".join(names[:5]) + (", …" if len(names) > 5 else "")


_COLUMN: Mapping[str, toml.Reader] = {
    "role": toml.reader_of(Role),
    "type": toml.reader_of(ColumnType),
    "reason": lambda value: value if value == "" else toml.read_text(value),
    "format": lambda value: (
        toml.read_cells(value) if isinstance(value, list) and value else toml.read_text(value)
    ),
    "ladder": toml.read_text,
    "taxonomy": toml.read_text,
    "level": toml.read_level,
    "least_level": toml.read_level,
    "most_level": toml.read_level,
    "weight": toml.read_weight,
    "missing": toml.read_cells,
    "width": toml.read_width,
}


def _column(place: str, entries: Mapping[str, Any]) -> ColumnRole:
    if "role" not in entries:
        raise DataError(
            f"{place}: has no role; need {toml.alternatives([member.value for member in Role])}"
        )
    if "ladder" in entries and "taxonomy" in entries:
        raise DataError(f"{place}: has a ladder and a taxonomy; need one of them")
    if "width" in entries and not str(entries.get("ladder", "")).startswith("prefix"):
        raise DataError(f'{place}: has a width; need ladder = "prefix" with it')
    return ColumnRole(**toml.read_values(place, entries, _COLUMN))
