"""Options that the commands for tables share: which columns play which part, and what is known."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Group, Parameter

from kproof.cli.base.common import (
    HEADER,
    MISSING,
    NAMES,
    REPEATED,
    OptionGroup,
    option_group,
    split,
)
from kproof.errors import DataError, InvalidArgument, show
from kproof.stages import stage

if TYPE_CHECKING:
    from kproof.models.base.taxonomy import Taxonomy
    from kproof.models.tables.proposals.roles_file import RolesFile
    from kproof.models.tables.table import Table

_COLUMNS = Group("Columns", sort_key=1)

SUPPRESSED_AS = Annotated[str | None, Parameter(name="--suppressed-as", group=_COLUMNS)]
"""What suppressed rows of a published table show."""

_FILE = Group("The file", sort_key=1.5)


@option_group()
class FileOptions(OptionGroup):
    """How a file is read."""

    header: Annotated[HEADER | None, Parameter(group=_FILE)] = None
    encoding: Annotated[str | None, Parameter(group=_FILE)] = None
    """Encoding of a text file, such as cp1252. If not given: what its mark says, else UTF-8."""
    sheet: Annotated[str | None, Parameter(group=_FILE)] = None
    """Sheet of a spreadsheet. If not given: the only one that has cells."""
    decimal: Annotated[Literal[",", "."] | None, Parameter(group=_FILE)] = None
    """What stands before decimals: with a comma 1.234,5 is a number, with a point 1,234.5 is."""
    missing: Annotated[MISSING, Parameter(group=_FILE)] = ()

    def layout(self) -> dict[str, Any]:
        """Return what is said of the file as keywords of a reader."""
        values = {name: getattr(self, name) for name in ("header", "encoding", "sheet", "decimal")}
        return {name: value for name, value in values.items() if value is not None}


@option_group(_COLUMNS)
class Columns(FileOptions):
    """Which columns matter, and how cells are read."""

    roles_file: Annotated[str | None, Parameter(name="--roles")] = None
    """A roles file, as kproof roles writes it; an option beside it overrides it for a column."""
    qi: NAMES = ()
    """Quasi-identifiers, which an attacker may know: names separated by commas; may be repeated."""
    both: NAMES = ()
    """Quasi-identifiers that are sensitive, too: names separated by commas; may be repeated."""
    sensitive: NAMES = ()
    """Sensitive columns, such as a diagnosis: names separated by commas; may be repeated."""
    person: str | None = None
    """The column that says whom a row is about, never published: k then counts people."""
    identifier: NAMES = ()
    """Columns that are never published, such as names: separated by commas; may be repeated."""
    other: NAMES = ()
    """Columns published unchanged, which an attacker may know: separated by commas; may be
    repeated."""
    drop: NAMES = ()
    """Columns that are left out: names separated by commas; may be repeated."""
    categories: str | None = None
    """A CSV file: a value of the first sensitive column and its category in each row, by rank."""
    missing_as: Literal["worst-case", "value", "exclude"] | None = None
    """How a missing sensitive value counts. If not given: as the worst case."""

    def roles(self, data: str, *, published: bool = False) -> dict[str, Any]:
        """Return the parts of columns as keywords of a reader.

        A roles file has to name all of them. A published file shows labels, and lacks columns that
        are not published.
        """
        file = self.file()
        keywords: dict[str, Any]
        if file is not None:
            from kproof.models.tables.readers import FileLayout, names_of

            file.require_decided(published=published)
            names = names_of(data, FileLayout.of(**file.reading))
            file.require_names(names)
            keywords = {**file.options(published=names if published else None), **file.reading}
        else:
            keywords = {
                **((published and self._of_receipt(data)) or self._roles_by_option()),
                "person": self.person,
                "identifiers": split(self.identifier),
                "other": split(self.other),
                "drop": split(self.drop),
                **self.layout(),
            }
            # A published table shows labels: levels above its values would be levels of labels.
            keywords |= {} if published else self.drawings()
        if self.categories is not None:
            keywords["categories"] = self.ranks()
        if self.missing_as is not None:
            keywords["missing_as"] = self.missing_as
        return keywords | ({"missing": self.missing} if self.missing else {})

    def table(self, data: str, **more: Any) -> Table:
        """Read a table with the roles of its columns; ``more`` goes to the reader."""
        from kproof.models.tables.readers import read_table

        with stage(f"reading {data}"):
            return read_table(data, **self.roles(data), **more)

    def drawings(self) -> dict[str, Any]:
        """Return what is drawn above the values of columns, as keywords of a reader."""
        return {}

    def file(self) -> RolesFile | None:
        """Return the roles file with what the options say in place of what it says; or None."""
        if self.roles_file is None:
            return None
        from kproof.models.tables.proposals.roles_file import Role, RolesFile

        file = RolesFile.read(self.roles_file)
        file = replace(file, reading={**file.reading, **self.layout()})
        roles = {
            Role.QUASI_IDENTIFIER: self.qi,
            Role.BOTH: self.both,
            Role.SENSITIVE: self.sensitive,
            Role.PERSON: () if self.person is None else (self.person,),
            Role.IDENTIFIER: self.identifier,
            Role.OTHER: self.other,
            Role.DROP: self.drop,
        }
        for role, names in roles.items():
            # A person is one name, and a comma in it a part of it.
            for name in names if role is Role.PERSON else split(names):
                file = file.but(name, role=role)
        if not file.known:
            raise DataError(f"{self.roles_file}: no quasi-identifier; say --qi NAME,NAME,...")
        return file

    def file_layout(self) -> Mapping[str, Any]:
        """Return how a file is read, as its roles file and the options say."""
        file = self.file()
        return self.layout() if file is None else file.reading

    @property
    def confirmed(self) -> bool:
        """Whether somebody decided the roles: typed here, or in a file that is confirmed."""
        from kproof.models.tables.proposals.roles_file import RolesFile

        return self.roles_file is None or RolesFile.read(self.roles_file).confirmed

    @property
    def unconfirmed(self) -> tuple[str, ...]:
        """What somebody has to confirm before anything is decided in these roles."""
        if self.confirmed:
            return ()
        return (
            f"{self.roles_file} has the roles that kproof proposed: edit it, or confirm them with "
            f"kproof roles {shlex.quote(str(self.roles_file))} --confirm",
        )

    @property
    def reads(self) -> tuple[str | Path | None, ...]:
        """The files that the options name, and those that a roles file names."""
        file = self.file() if self.roles_file is not None else None
        return (self.categories, self.roles_file, *(() if file is None else file.files))

    def _roles_by_option(self) -> dict[str, Any]:
        """Return what is known, and what is secret, as it was typed."""
        return {
            "quasi_identifiers": self.quasi_identifiers(),
            "both": split(self.both),
            "sensitive": split(self.sensitive) or None,
        }

    def _of_receipt(self, data: str) -> dict[str, Any] | None:
        """Return what the receipt beside a file says of its columns, where nobody typed anything.

        Whoever published them said then what is known and what is secret.
        """
        from kproof.models.judgement.releases.receipts import receipt_beside

        if self.qi or self.both or self.sensitive or self.other:
            return None
        receipt = receipt_beside(data)
        if receipt is None:
            return None
        parts: dict[str, list[str]] = {"known": [], "secret": [], "known and secret": []}
        for name, knowledge in receipt.columns.items():
            parts[knowledge.value].append(name)
        return {
            "quasi_identifiers": (*parts["known"], *parts["known and secret"]) or None,
            "both": tuple(parts["known and secret"]),
            "sensitive": tuple(parts["secret"]) or None,
        }

    def quasi_identifiers(self) -> tuple[str, ...]:
        """Return the names of the quasi-identifiers, those that are sensitive, too, among them."""
        quasi = split(self.qi)
        names = (*quasi, *(name for name in split(self.both) if name not in quasi))
        if not names:
            raise InvalidArgument("qi", None, "--qi NAME,NAME,... or --roles FILE")
        return names

    def ranks(self) -> dict[object, object] | None:
        """Return the category of each sensitive value, in the file's order."""
        from kproof.datasets import read_text_table

        if self.categories is None:
            return None
        table = read_text_table(self.categories)
        if len(table.names) != 2:
            raise DataError(
                f"{self.categories}: {len(table.names)} columns; need a value and its category"
            )
        category_of: dict[object, object] = {}
        for line, value, category in zip(table.lines, *table.cells, strict=True):
            # The same line twice does no harm; two categories would leave it to the order of lines
            # which one counts.
            if category_of.setdefault(value.strip(), category.strip()) != category.strip():
                raise DataError(
                    f"{self.categories}, line {line}: {show(value.strip())} has a category already"
                )
        return category_of


def secrets_of(roles: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the sensitive columns among the keywords of a reader."""
    named = roles.get("sensitive") or ()
    return (named,) if isinstance(named, str) else tuple(named)


MORE = Group("More about the columns", sort_key=4)
_LEVELS = Group("Levels of columns", sort_key=4)


@option_group(_COLUMNS)
class SourceColumns(Columns):
    """Which columns of microdata matter, and what is drawn above their values."""

    taxonomy: Annotated[REPEATED, Parameter(group=MORE)] = ()
    """Generalization hierarchy of a column: COLUMN=FILE, a path from leaf to root in each line,
    separated by semicolons; may be repeated."""
    code: Annotated[NAMES, Parameter(group=MORE)] = ()
    """Quasi-identifiers whose numbers or dates are codes: published as sets, not as ranges."""
    most_members: Annotated[str | None, Parameter(group=MORE)] = None
    """Most members of a set that a label may show; by default 8, and 3 for dates; 50 on the safe
    path."""
    ladder: Annotated[REPEATED, Parameter(group=_LEVELS)] = ()
    """How levels of a column are drawn: COLUMN=LADDER, such as born=date, zip=prefix,
    age=range:5,10, risk=order:low<medium<high or city=flat (the value or *); may be repeated. Dates
    and times without levels get a calendar or a clock."""
    least_level: Annotated[REPEATED, Parameter(group=_LEVELS)] = ()
    """The lowest level of a column that is published: COLUMN=LEVEL, by number, 0 being the value
    itself, or by name, such as born=month; may be repeated."""
    most_level: Annotated[REPEATED, Parameter(group=_LEVELS)] = ()
    """The highest level of a column that may be published: COLUMN=LEVEL; may be repeated. Rows that
    --suppressed mark marks show no level."""

    def drawings(self) -> dict[str, Any]:
        """Return hierarchies, codes, ladders and levels as keywords of a reader."""
        return {
            "taxonomies": taxonomies(self.taxonomy),
            "numeric": dict.fromkeys(split(self.code), False),
            "ladders": pairs("ladder", self.ladder),
            "least_levels": pairs("least_level", self.least_level),
            "most_levels": pairs("most_level", self.most_level),
        }

    def is_drawn(self) -> bool:
        """Say whether something is asked for that a published table has no use for."""
        return bool(self.most_members or any(self.drawings().values()))

    def file(self) -> RolesFile | None:
        """Return the roles file with what the options say in place of what it says; or None."""
        from kproof.models.tables.detection.types import ColumnType

        file = super().file()
        if file is None:
            return None
        for name, path in pairs("taxonomy", self.taxonomy).items():
            file = file.but(name, taxonomy=str(Path(path).absolute()), ladder=None)
        for name in split(self.code):
            file = file.but(name, type=ColumnType.CODE)
        for name, spec in pairs("ladder", self.ladder).items():
            file = file.but(name, ladder=spec, taxonomy=None, format=None)
        for key in ("least_level", "most_level"):
            for name, level in pairs(key, getattr(self, key)).items():
                file = file.but(name, **{key: level})
        return file

    @property
    def reads(self) -> tuple[str | Path | None, ...]:
        """The files that the options name, and those that a roles file names."""
        return (*super().reads, *pairs("taxonomy", self.taxonomy).values())

    def table(self, data: str, **more: Any) -> Table:
        """Read a table with the roles of its columns."""
        return super().table(data, **more, most_members=self.most_members)


def pairs(name: str, options: tuple[str, ...]) -> dict[str, str]:
    """Read options of the form ``NAME=VALUE``.

    >>> pairs("set", ("form=sorted", "a=b=c"))
    {'form': 'sorted', 'a': 'b=c'}
    >>> pairs("set", ("form",))
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: set = form: need NAME=VALUE
    """
    value_of: dict[str, str] = {}
    for option in options:
        key, sign, value = option.partition("=")
        if not sign or not key.strip():
            raise InvalidArgument(name, option, "NAME=VALUE")
        if key.strip() in value_of:
            raise InvalidArgument(name, option, f"{key.strip()} once only")
        value_of[key.strip()] = value
    return value_of


def taxonomies(options: tuple[str, ...], *, name: str = "taxonomy") -> dict[str, Taxonomy]:
    """Read ``COLUMN=FILE`` options as taxonomies by column."""
    from kproof.models.base.taxonomy import Taxonomy

    by_column = {}
    for column, path in pairs(name, options).items():
        try:
            by_column[column] = Taxonomy.from_csv(path)
        except DataError as error:
            raise DataError(f"column {show(column)}: {error}") from None
    return by_column


def names_like(names: Sequence[object], typed: Iterable[Any]) -> list[Any]:
    """Return typed names as numbers if a graph has numbers for names.

    >>> names_like(range(5), ["3"]), names_like(["3", "4"], ["3"])
    ([3], ['3'])
    """
    if not names or not isinstance(names[0], int):
        return list(typed)
    return [int(name) if re.fullmatch("[0-9]+", str(name)) else name for name in typed]
