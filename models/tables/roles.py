"""Roles: which part each column of a source plays, checked before a cell is read.

Frames and files become tables through the same roles, so that what is wrong with a choice of
columns is found in one place and told in the same words.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Required, TypedDict

from kproof.arguments import NAMES, Need, check_arguments
from kproof.datasets import MISSING_CELLS, looks_missing
from kproof.errors import DataError, InvalidArgument, did_you_mean, show, spell
from kproof.models.base.beside import Beside
from kproof.models.base.columns import Column
from kproof.models.base.missing import MISSING, MissingAs, text
from kproof.models.base.taxonomy import Taxonomy
from kproof.models.tables.doubts import sentinels, spelt_twice
from kproof.models.tables.levels.base import Ladder
from kproof.models.tables.levels.ladders import ladder, own_ladder
from kproof.theory.exact.typed import Number, choice, integer

_USUAL = frozenset(MISSING_CELLS)


@dataclass(frozen=True)
class Encoded:
    """What was read of a source: the columns that have a role, by name, as numbers and values."""

    rows: int
    columns: Mapping[str, Column]
    beside: tuple[Beside, ...] = ()
    source: object = None
    published: bool = False
    """Whether cells are labels that somebody published, rather than values."""


_KNOWN = Need(
    "the columns an adversary may know; kproof.propose_roles says which they may be",
    lambda value: value is None or NAMES.accepts(value),
)


class RoleOptions(TypedDict, total=False):
    """The keywords that say which part each column plays; see :class:`Roles`."""

    quasi_identifiers: Required[Iterable[str]]
    both: Iterable[str]
    sensitive: str | Sequence[str] | None
    person: str | None
    absent: Iterable[str]
    identifiers: Iterable[str]
    other: Iterable[str]
    drop: Iterable[str]
    categories: Mapping[object, object] | None
    taxonomies: Mapping[str, Taxonomy] | None
    ladders: Mapping[str, str | Ladder] | None
    least_levels: Mapping[str, Number] | None
    most_levels: Mapping[str, Number] | None
    numeric: Mapping[str, bool] | None
    missing_as: MissingAs | str
    most_members: Number | None
    missing: Collection[str]
    missing_in: Mapping[str, Collection[str]] | None
    suppressed: str | None


def roles_among(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the roles among the arguments of a function, its ``locals()``, that somebody gave.

    Quasi-identifiers stay apart, as not every caller needs them. None is left out, so that the
    reader decides. Lists are read here, once: who looks at them next must not find an iterator
    used up.
    """
    names = (name for name in RoleOptions.__annotations__ if name != "quasi_identifiers")
    return {
        name: tuple(value)
        if isinstance(value, Iterable) and not isinstance(value, (str, Mapping))
        else value
        for name in names
        if (value := arguments.get(name)) is not None
    }


@dataclass(frozen=True, kw_only=True)
class Roles:
    """Which part each column of a source plays, and what is known of it."""

    quasi_identifiers: tuple[str, ...]
    sensitive: str | None
    identifiers: tuple[str, ...]
    other: tuple[str, ...]
    drop: tuple[str, ...]
    categories: Mapping[object, object] | None
    taxonomies: Mapping[str, Taxonomy]
    ladders: Mapping[str, Ladder]
    least_levels: Mapping[str, Number]
    most_levels: Mapping[str, Number]
    numeric: Mapping[str, bool]
    missing_as: MissingAs
    most_members: int | None
    missing: frozenset[str]
    missing_in: Mapping[str, frozenset[str]]
    further: tuple[str, ...] = ()
    person: str | None = None
    absent: tuple[str, ...] = ()
    suppressed: str | None = None
    both: tuple[str, ...] = ()
    """Quasi-identifiers that are judged as sensitive, too."""

    @classmethod
    @check_arguments(quasi_identifiers=_KNOWN)
    def of(
        cls,
        *,
        quasi_identifiers: Iterable[str] | None,
        sensitive: str | Sequence[str] | None = None,
        person: str | None = None,
        absent: Iterable[str] = (),
        identifiers: Iterable[str] = (),
        other: Iterable[str] = (),
        drop: Iterable[str] = (),
        categories: Mapping[object, object] | None = None,
        taxonomies: Mapping[str, Taxonomy] | None = None,
        ladders: Mapping[str, str | Ladder] | None = None,
        least_levels: Mapping[str, Number] | None = None,
        most_levels: Mapping[str, Number] | None = None,
        numeric: Mapping[str, bool] | None = None,
        missing_as: MissingAs | str = MissingAs.WORST_CASE,
        most_members: Number | None = None,
        missing: Collection[str] = MISSING_CELLS,
        missing_in: Mapping[str, Collection[str]] | None = None,
        suppressed: str | None = None,
        both: Iterable[str] = (),
    ) -> Roles:
        """Check that the roles go together.

        None as ``quasi_identifiers`` is for a table that nobody links with anything. ``suppressed``
        is what suppressed rows of a published table show in every quasi-identifier. What is in
        ``both`` is a quasi-identifier, whether it is listed as one or not.
        """
        secret_too = _names("both", both)
        listed = _names("quasi_identifiers", () if quasi_identifiers is None else quasi_identifiers)
        several = (
            (sensitive,) if isinstance(sensitive, str) else () if sensitive is None else sensitive
        )
        secrets = _names("sensitive", several)
        roles = cls(
            quasi_identifiers=(*listed, *(name for name in secret_too if name not in listed)),
            both=secret_too,
            sensitive=secrets[0] if secrets else None,
            further=secrets[1:],
            person=person,
            absent=_names("absent", absent),
            identifiers=_names("identifiers", identifiers),
            other=_names("other", other),
            drop=_names("drop", drop),
            categories=categories,
            taxonomies=dict(taxonomies or {}),
            ladders={name: _ladder_of(name, ladder) for name, ladder in (ladders or {}).items()},
            least_levels=dict(least_levels or {}),
            most_levels=dict(most_levels or {}),
            numeric=dict(numeric or {}),
            missing_as=choice("missing_as", missing_as, MissingAs),
            most_members=(
                None if most_members is None else integer("most_members", most_members, least=1)
            ),
            missing=_cells(missing),
            missing_in={name: _cells(cells) for name, cells in (missing_in or {}).items()},
            suppressed=suppressed,
        )
        if suppressed is not None and not suppressed.strip():
            raise InvalidArgument("suppressed", suppressed, "what suppressed rows show, such as *")
        if quasi_identifiers is not None and not roles.quasi_identifiers:
            raise InvalidArgument("quasi_identifiers", "", "at least one column")
        role_of: dict[str, str] = {}
        # One role for a column: which of two holds, kept or published, must not
        # depend on their order.
        for role, names in roles._by_role().items():
            for name in names:
                if name in role_of and role_of[name] == role == "sensitive":
                    raise InvalidArgument(role, name, "each sensitive column once")
                if name in role_of:
                    admissible = f"a column that is not among {role_of[name]} already"
                    raise InvalidArgument(role, name, admissible)
                role_of[name] = role
        for option in ("taxonomies", "ladders", "least_levels", "most_levels"):
            for name in getattr(roles, option):
                if name not in roles.quasi_identifiers:
                    raise InvalidArgument(option, name, "the name of a quasi-identifier")
        for name in roles.ladders:
            if name in roles.taxonomies:
                raise InvalidArgument("ladders", name, "a ladder or a taxonomy, not both")
        for option in ("missing_in", "numeric"):
            for name in getattr(roles, option):
                if name not in roles.encoded:
                    raise InvalidArgument(option, name, "the name of a column with a role")
        if categories is not None and sensitive is None:
            raise InvalidArgument("categories", "given", "a sensitive column with them")
        return roles

    def gap_texts_of(self, name: str) -> frozenset[str]:
        """Return the texts that mean "nobody recorded it" in a column."""
        return self.missing_in.get(name, self.missing)

    def is_missing(self, name: str, value: object) -> bool:
        """Say whether a value of a frame shows a text that means "nobody recorded it"."""
        gaps = self.gap_texts_of(name)
        # No number or date is written like those: to write each out would take long.
        if not isinstance(value, str) and gaps == _USUAL:
            return False
        if text(value).strip() in gaps:
            return True
        # A frame stores integers as floats where some are missing.
        return isinstance(value, float) and value.is_integer() and str(int(value)) in gaps

    def drop_missing(self, name: str, values: Sequence[object]) -> list[object]:
        """Return those values of a column of a frame that are not missing."""
        if set(map(type, values)) == {str}:
            gaps = self.gap_texts_of(name)
            shown_as = [str(value).strip() for value in values]
            if gaps.isdisjoint(shown_as):
                return list(values)
            return [value for value, cell in zip(values, shown_as, strict=True) if cell not in gaps]
        return [value for value in values if not self.is_missing(name, value)]

    @property
    def encoded(self) -> tuple[str, ...]:
        """The columns that are read."""
        person = () if self.person is None else (self.person,)
        return (*self.quasi_identifiers, *self.secrets, *self.other, *person)

    @property
    def secrets(self) -> tuple[str, ...]:
        """The sensitive columns."""
        return () if self.sensitive is None else (self.sensitive, *self.further)

    def without(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return those of the names that have no role."""
        assigned = {*self.encoded, *self.identifiers, *self.drop}
        return tuple(name for name in names if name not in assigned)

    def find(self, names: Sequence[str], source: str = "") -> None:
        """Check that every column with a role occurs exactly once among the names."""
        for name in (*self.encoded, *self.identifiers, *self.drop):
            if (times := sum(column == name for column in names)) > 1:
                raise DataError(f"{source}column {show(name)} is there {times} times; rename one")
            if times == 0:
                columns = ", ".join(names[:20]) + (", …" if len(names) > 20 else "")
                columns += did_you_mean(name, names)
                raise DataError(f"{source}no column {show(name)}; there are {columns}")

    def categories_of(self, sensitive: Column | None) -> Mapping[object, object] | None:
        """Return the category of each value of the sensitive column; every one must have one."""
        if sensitive is None or self.categories is None:
            return self.categories
        # A file of categories has texts where the table may have numbers.
        shows = {text(value): value for value in sensitive.values}
        categories = {shows.get(text(key), key): kind for key, kind in self.categories.items()}
        for value in sensitive.values:
            if value is not MISSING and value not in categories:
                raise DataError(
                    f"column {show(sensitive.name)}: value {show(text(value))} has no "
                    "category; give every sensitive value one"
                )
        return categories

    def require_clear(self, sensitive: Column | None) -> None:
        """Ask what a sensitive value means that may be none, before it counts as diversity.

        That is one of :data:`~kproof.datasets.tables.LOOK_MISSING`, a number that stands for
        nothing (:func:`kproof.models.tables.doubts.sentinels`), an empty cell, or two spellings of
        one value (:func:`kproof.models.tables.doubts.alike`). Nothing is asked of a caller who said
        that every text is a value. Who lists the cells that are missing is asked about all others
        that look so, the empty cell and ``?`` among them: a list that answers for one word says
        nothing of the next.
        """
        if sensitive is None or self.missing_as is MissingAs.VALUE:
            return
        doubtful, every_text = self._doubtful(sensitive), spell("missing_as", "value")
        if doubtful:
            listed = ", ".join(map(show, doubtful[:5]))
            # Said cells replace those that count now, which are therefore said again.
            gaps = self.gap_texts_of(sensitive.name)
            if gaps == _USUAL and sensitive.missing is None:
                gaps = frozenset()
            option = spell("missing", [*doubtful, *sorted(gaps)])
            cells, look, are = "cells", "look like missing values", "they are"
            count = "they count as values"
            if len(doubtful) == 1:
                cells, look, are = "cell", "looks like a missing value", "it is one"
                count = "it counts as a value of its own"
            raise DataError(
                f"column {show(sensitive.name)}: the {cells} {listed} {look}; say {option} if "
                f"{are}, or {every_text} if {count}"
            )
        self._require_apart(sensitive, "value", f"; {every_text} takes every text for a value")

    def _doubtful(self, column: Column) -> list[str]:
        """Return the values of a column that look missing, though nobody said that they are."""
        texts = [value for value in column.values if isinstance(value, str)]
        # The usual cells are among them: they are values only where somebody listed
        # others in their place.
        gaps = [cell for cell in texts if cell.strip() in MISSING_CELLS or looks_missing(cell)]
        return [cell.strip() for cell in gaps] + [text(cell) for cell in sentinels(column.values)]

    def _require_apart(self, column: Column, fault: str, else_say: str = "") -> None:
        if twice := spelt_twice(column.values, words=fault != "person"):
            raise DataError(
                f"column {show(column.name)}: {twice} {fault}; write them alike, or so that a "
                f"reader can tell them apart{else_say}"
            )

    def require_persons(self, column: Column) -> None:
        """Refuse rows of which nobody knows whose they are.

        The person column may have no missing values, none that look missing, and no two spellings
        of one person, who would count as two people.
        """
        gaps = int((column.codes == column.missing).sum()) if column.missing is not None else 0
        if gaps:
            rows = "1 row has" if gaps == 1 else f"{gaps} rows have"
            raise DataError(
                f"column {show(column.name)}: {rows} no person; leave them out, or give each a "
                "value of its own if it is somebody's only row"
            )
        for cell in self._doubtful(column):
            raise DataError(
                f"column {show(column.name)}: the cell {show(cell)} looks like a missing "
                "person; leave its rows out, or give each a value of its own"
            )
        self._require_apart(column, "person")

    def place(self, column: Column, *, published: bool = False) -> Column:
        """Return a quasi-identifier with the taxonomy and the levels it has, if any.

        Dates and times without a hierarchy get the calendar or the clock, unless somebody said
        that they are codes, or the column is one that was published.
        """
        name = column.name
        taxonomy, rule = self.taxonomies.get(name), self.ladders.get(name)
        if taxonomy is None and rule is None and name not in self.numeric and not published:
            rule = own_ladder(column)
        if rule is not None:
            taxonomy = rule.taxonomy(column.values, name)
        if taxonomy is None:
            for option in ("least_levels", "most_levels"):
                if name in getattr(self, option):
                    raise InvalidArgument(option, name, "a column with a hierarchy or a ladder")
            return column
        fitted = taxonomy.fitted(column.values, column=name)
        lowest = self._level("least_levels", name, fitted, rule)
        highest = self._level("most_levels", name, fitted, rule)
        if highest is not None and lowest is not None and highest < lowest:
            admissible = f"at least the least level, {lowest}"
            raise InvalidArgument("most_levels", f"{name}={highest}", admissible)
        return replace(
            column, taxonomy=fitted, numeric=False, least_level=lowest or 0, most_level=highest
        )

    def is_numeric(self, name: str) -> bool | None:
        """Say whether a column is to be numeric; None leaves it to the values."""
        placed = name in self.taxonomies or name in self.ladders
        return False if placed else self.numeric.get(name)

    def _level(self, option: str, name: str, tree: Taxonomy, rule: Ladder | None) -> int | None:
        """Return a level of a column by its number or its name; None if none is given."""
        level = getattr(self, option).get(name)
        names = () if rule is None else rule.levels
        # By name first: of ranges the text 5 is a width, and no number of a level.
        if level is None or level in names:
            return None if level is None else names.index(level)
        try:
            return integer(option, level, least=0, most=tree.top)
        except InvalidArgument:
            numbered = ", ".join(f"{place} {word}" for place, word in enumerate(names))
            admissible = f"a level of {tree.source}, 0 to {tree.top}"
            admissible += f": {numbered}" if numbered else ""
            raise InvalidArgument(option, f"{name}={level}", admissible) from None

    def _by_role(self) -> dict[str, tuple[str, ...]]:
        return {
            "quasi_identifiers": self.quasi_identifiers,
            "sensitive": self.secrets,
            "person": () if self.person is None else (self.person,),
            "identifiers": self.identifiers,
            "other": self.other,
            "drop": self.drop,
        }


def _ladder_of(name: str, spec: str | Ladder) -> Ladder:
    """Return the ladder of a column; what is wrong with it is told with the column."""
    try:
        return ladder(spec)
    except InvalidArgument as error:
        raise InvalidArgument("ladder", f"{name}={spec}", error.admissible) from None


def _cells(missing: Collection[str]) -> frozenset[str]:
    if isinstance(missing, str):
        raise InvalidArgument("missing", missing, "a list of cells")
    return frozenset(missing)


def _names(role: str, names: Iterable[str]) -> tuple[str, ...]:
    if isinstance(names, str):
        raise InvalidArgument(role, names, "a list of column names")
    columns = tuple(names)
    for name in columns:
        if not isinstance(name, str):
            raise InvalidArgument(role, name, "column names, which are text")
    return columns
