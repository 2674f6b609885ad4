"""What a section of the report is, what it is given, and the templates that it fills."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from kproof.datasets import TextTable
from kproof.models.base.beside import require_parts
from kproof.models.tables.axes import group_size
from kproof.pages import fill
from kproof.theory.exact.typed import Number, integer, rational
from kproof.version import __version__

if TYPE_CHECKING:
    from markupsafe import Markup

    from kproof.models.tables.table import Table as ModelTable
    from kproof.report.decision import PublicationDecision


@dataclass(frozen=True, slots=True)
class Settings:
    """What the report assumes where the data say nothing."""

    shift: Fraction | None = None
    """How far one record moves the sum, s > 0; None for the most it can: largest value minus
    smallest."""
    k: int = 10
    """Least size of a cloaked set, at least 1."""
    neighbourhood: int = 2
    """Levels II and IV: most records that depend on one another, the record itself included."""
    known: Fraction = Fraction(1, 5)
    """Levels III and IV: fraction of the records whose values are known, 0 < known < 1."""

    @classmethod
    def of(
        cls,
        *,
        shift: Number | None = None,
        k: Number = 10,
        neighbourhood: Number = 2,
        known: Number = "1/5",
    ) -> Settings:
        """Read and check typed values."""
        return cls(
            shift=None if shift is None else rational("shift", shift, above=0),
            k=integer("k", k, least=1),
            neighbourhood=integer("neighbourhood", neighbourhood, least=1),
            known=rational("known", known, above=0, below=1),
        )


@dataclass(frozen=True, slots=True)
class Microdata:
    """A table with roles, and what is asked of its releases."""

    source: str
    """Where it comes from, for the heading."""
    table: ModelTable
    """With its quasi-identifiers."""
    k: int
    """Least number of people in a class, at least 2."""
    mu: Fraction
    """Share of a fully diverse class's variance that theta-sensitivity asks for, 0 < mu <= 1."""
    values: int = 2
    """Fewest distinct sensitive values in a class that l-diversity asks for."""

    @classmethod
    def of(
        cls,
        source: str,
        table: ModelTable,
        *,
        k: Number = 4,
        mu: Number = "3/5",
        values: Number = 2,
    ) -> Microdata:
        """Read and check typed values; no column without a role may single out nearly every row."""
        require_parts(table.beside)
        return cls(
            source=source,
            table=table,
            k=group_size(table, k),
            mu=rational("mu", mu, above=0, most=1),
            values=integer("l", values, least=1),
        )


@dataclass(frozen=True, slots=True)
class Context:
    """What every section is given."""

    tables: tuple[TextTable, ...]
    """The data, in the order named."""
    columns: tuple[str, ...] = ()
    """Names of the columns to treat; all numeric ones if empty."""
    settings: Settings = field(default_factory=Settings)
    """Assumptions shared by the sections."""
    microdata: Microdata | None = None
    """The table to anonymize, check and attack; None if no roles were named."""
    decision: PublicationDecision | None = None
    """What is recommended about it; None if nobody asked."""
    measured: frozenset[str] | None = None
    """Names of the columns whose sums make sense; None for all of numbers."""


@dataclass(frozen=True, slots=True)
class BuiltSection:
    """A section that was built."""

    body: Markup
    """Its HTML; empty if there is nothing to show."""
    results: object = None
    """What it shows, in results that have a JSON form, and nothing in words that
    is not in them. None if there is nothing."""

    def __str__(self) -> str:
        return str(self.body)


@dataclass(frozen=True, slots=True)
class Section:
    """One part of the page."""

    id: str
    """Anchor in the page and name in JSON, stable."""
    title: str
    """Its heading."""
    build: Callable[[Context], BuiltSection]
    """Computes it; called once."""


def fragment(template: str, **values: object) -> Markup:
    """Fill a template; every value is escaped unless it is markup already."""
    return fill("kproof.report", template, version=__version__, **values)
