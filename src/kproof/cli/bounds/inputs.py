"""Options that ``bound`` and ``design`` share: what the records are like, what is known of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from cyclopts import Group, Parameter

from kproof.cli.base.common import HEADER, MISSING, OptionGroup, option_group
from kproof.errors import DataError, InvalidArgument, TooLarge, show

if TYPE_CHECKING:
    import networkx as nx

    from kproof.datasets import NumericColumn
    from kproof.theory.exact.typed import Number
    from kproof.theory.losses.several_laws import BelievedLaw
    from kproof.theory.theorems.adversary import Adversary
    from kproof.theory.theorems.record_moments import RecordMoments

MOST_EDGES = 1_000_000
"""Largest dependency graph that is built from a file; it takes half a gigabyte."""

_MOMENTS = ("mean", "second", "third", "fourth", "absolute_third")
ASSUME: TypeAlias = Annotated[tuple[str, ...], Parameter(negative=(), show_default=False)]
"""The option ``--assume NAME``, which may be repeated."""

_RECORDS = Group("Records", sort_key=1)
_SUMMED = Group("Sums over the records, in place of a column or of moments", sort_key=2)
_BACKGROUND = Group("Background information", sort_key=3)


@option_group()
class ColumnOptions(OptionGroup):
    """A column of data."""

    data: str | None = None
    """A CSV file or the name of a shipped table."""
    column: str | None = None
    """A column of the file: a name or a position counted from 1."""
    header: HEADER = "detect"
    missing: MISSING = ()

    def values(self) -> NumericColumn | None:
        """Return the column of data, if one is named."""
        if self.data is not None:
            return read(self.data, self.column, self.header, self.missing)
        if self.column is not None:
            raise InvalidArgument("column", self.column, "--data FILE with it")
        return None


@option_group(_RECORDS)
class RecordOptions(ColumnOptions):
    """A column of data, or the moments of one record."""

    mean: str | None = None
    """Mean of one record, E D; with --second, in place of a column."""
    second: str | None = None
    """E D^2."""
    third: str | None = None
    """E D^3."""
    fourth: str | None = None
    """E D^4."""
    absolute_third: str | None = None
    """E|D - E D|^3."""

    def values(self) -> NumericColumn | None:
        """Return the column of data, if one is named."""
        if self.data is not None and (typed := self._moments()):
            raise InvalidArgument(", ".join(typed), "with --data", "one or the other")
        return super().values()

    def moments(self) -> RecordMoments | None:
        """Return the typed moments of one record, if there are any."""
        from kproof.theory.theorems.record_moments import RecordMoments

        typed = self._moments()
        if not typed:
            return None
        if not {"mean", "second"} <= typed.keys():
            raise InvalidArgument("moments", ", ".join(typed), "at least --mean and --second")
        return RecordMoments.of(**typed)

    def _moments(self) -> dict[str, Any]:
        return {name: value for name, value in self.keywords().items() if name in _MOMENTS}


@option_group()
class TheoremOptions(OptionGroup):
    """What a theorem takes besides records and an adversary; keywords of the library."""

    n: str | None = None
    """Number of records; with --data, by default as many as the column has."""
    p: str | None = None
    """Theorem 1: probability that a tuple is picked."""
    k: str | None = None
    """Fewest people in a cloaked set."""
    events: str | None = None
    """Theorems 2 to 5: half-lines, intervals (default), unions:J or all."""


@option_group(_SUMMED)
class SumOptions(OptionGroup):
    """What the paper's figures give: sums of moments, with --n."""

    sum_variance: str | None = None
    """Sum of Var D_i."""
    sum_third: str | None = None
    """Sum of E(D_i - E D_i)^3."""
    sum_absolute_third: str | None = None
    """Sum of E|D_i - E D_i|^3."""
    sum_sigma_cubed: str | None = None
    """Sum of (Var D_i)^(3/2)."""
    sum_fourth: str | None = None
    """Sum of E(D_i - E D_i)^4."""
    sum_raw_third: str | None = None
    """Sum of E D_i^3."""
    sum_raw_fourth: str | None = None
    """Sum of E D_i^4."""
    variance_of_sum: str | None = None
    """Var of the sum of D_i, where records depend on one another."""

    def sums_by_name(self) -> dict[str, Any]:
        """Return the typed sums as :meth:`kproof.theory.Moments.typed` names them."""
        return {name.removeprefix("sum_"): value for name, value in self.keywords().items()}


@option_group(_BACKGROUND)
class BackgroundOptions(OptionGroup):
    """What the adversary knows beforehand; it decides the level, the level the theorem."""

    shift: Annotated[str | None, Parameter(name=("--shift", "--s"))] = None
    """How far one record moves the sum; by default max - min of the column, or 1 without one."""
    neighbourhood: str | None = None
    """Levels II, IV: most records that depend on one another, the record itself included."""
    lambda1: str | None = None
    """Levels II, IV: fraction of the records that may depend on one another."""
    dependency: str | None = None
    """Levels II, IV: a file with an edge of the dependency graph, "i j" from 0, in each line."""
    lambda2: str | None = None
    """Levels III, IV: fraction of the records whose values are known."""
    known: str | None = None
    """Levels III, IV: indexes, from 0, of the records whose values are known: i,j,... or @FILE."""

    def adversary(self, *, shift: Number, n: Number | None) -> Adversary:
        """Return the adversary; ``n`` is the number of records, where a graph needs it."""
        from kproof.theory.exact.typed import integer
        from kproof.theory.theorems.adversary import Adversary

        return Adversary.of(
            s=shift,
            dependency=None if self.dependency is None else _graph(self.dependency, n),
            neighbourhood=None
            if self.neighbourhood is None
            else integer("neighbourhood", self.neighbourhood, least=1),
            lambda1=self.lambda1,
            known=None if self.known is None else _indexes(self.known),
            lambda2=self.lambda2,
        )


def read(data: str, column: str | None, header: HEADER, missing: MISSING) -> NumericColumn:
    """Return the column that ``--data`` and ``--column`` name."""
    from kproof.datasets import MISSING_CELLS, read_column

    if column is None:
        raise InvalidArgument("column", None, "--column NAME with --data")
    return read_column(data, column, header=header, missing=missing or MISSING_CELLS)


def notes_on(column: NumericColumn | None, shift: str | None) -> list[str]:
    """Return what was taken from a column without being said: missing rows and the shift."""
    if column is None:
        return []
    notes = []
    if column.missing:
        rows = column.missing + len(column.values)
        notes.append(f"{column.missing} of {rows} rows have no {column.name} and are left out")
    if shift is None:
        notes.append("the shift is the most that one record can change the sum: max - min")
    return notes


def shift_of(typed: str | None, column: NumericColumn | None) -> Number:
    """Return the shift: as typed, or the most that one record of the column can change a sum."""
    if typed is not None:
        return typed
    if column is None:
        return 1
    reach = max(column.values) - min(column.values)
    if reach == 0:
        raise DataError(f"{column.source}: column {column.name!r} has one value only; say --shift")
    return reach


def _indexes(text: str) -> list[int]:
    """Read ``i,j,...`` or the file named after an @."""
    from kproof.theory.exact.typed import integer

    if text.startswith("@"):
        text = "\n".join(lines(text[1:]))
    return [integer("known", index, least=0) for index in re.split(r"[\s,;]+", text.strip(" ,;\n"))]


def _graph(path: str, n: Number | None) -> nx.Graph:
    """Read edges between the records 0, ..., n - 1; a file names only records that have one."""
    import networkx as nx

    from kproof.theory.exact.typed import integer

    if n is None:
        raise InvalidArgument("n", None, "the number of records with --dependency")
    count = integer("n", n, least=1)
    # The number as an attribute: of ten million records, nodes are only those that have an edge.
    graph = nx.Graph(records=count)
    for edges, (where, ends) in enumerate(words_of_lines(path), 1):
        if len(ends) != 2 or not all(map(is_index, ends)):
            raise DataError(f"{where}: {show(' '.join(ends))}, need two indexes: i j")
        edge = [int(end) for end in ends]
        if max(edge) >= count:
            raise DataError(f"{where}: {max(edge)}, need records 0 to {count - 1}")
        graph.add_edge(*edge)
        if edges > MOST_EDGES:
            raise TooLarge(f"{path}: over {MOST_EDGES} edges; give --neighbourhood in its place")
    return graph


def is_index(word: str) -> bool:
    """Say whether a word is an index that a record may have: digits, and not too many of them."""
    # `isdigit` alone takes superscripts, too, which `int` refuses; so few digits fit into 64 bits.
    return word.isascii() and word.isdigit() and len(word) < 18


def words_of_lines(path: str) -> Iterator[tuple[str, list[str]]]:
    """Yield where each line of a file is, and its words; empty lines and remarks are passed over.

    Words are separated by blanks, commas or semicolons; a remark begins with ``#``.
    """
    for number, line in enumerate(lines(path), 1):
        words = re.findall(r"[^\s,;]+", line)
        if words and not words[0].startswith("#"):
            yield f"{path}, line {number}", words


def lines(path: str) -> Iterator[str]:
    """Yield the lines of a file, which may be longer than memory."""
    try:
        with Path(path).open(encoding="utf-8-sig") as file:
            yield from (line.rstrip("\r\n") for line in file)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8 text"
        raise DataError(f"{show(path)}: cannot be read: {reason}") from None


def read_belief(path: str) -> dict[str, Number] | list[BelievedLaw]:
    """Return what a file says of each cell: its probability, or its share of all counts.

    That is one law, or those of its column law, each for as many rows as its column others says.
    """
    from kproof.datasets import read_text_table
    from kproof.theory.exact.typed import integer, rational
    from kproof.theory.losses.several_laws import BelievedLaw

    table = read_text_table(path, missing=())
    shares = [name for name in table.names if name in ("p", "count")]
    several = {"law", "others"} & set(table.names)
    naming = [name for name in table.names if name not in (*several, *shares)]
    if len(shares) != 1 or not naming or len(several) == 1:
        raise DataError(
            f"{show(path)}: columns {', '.join(map(show, table.names))}; need one column p or "
            "count, at least one more that names the cell, and columns law and others, both or none"
        )
    laws: dict[str, tuple[str, dict[str, Number]]] = {}
    for cells in zip(*table.cells, strict=True):
        row = dict(zip(table.names, cells, strict=True))
        law, other_rows = row.get("law", ""), row.get("others", "0")
        earlier, masses = laws.setdefault(law, (other_rows, {}))
        if earlier != other_rows:
            conflicting = f"{show(earlier)} and {show(other_rows)}"
            raise DataError(f"{show(path)}: {conflicting} others of law {show(law)}; need one")
        name = ", ".join(row[column] for column in naming)
        if name in masses:
            raise DataError(
                f"{show(path)}: the cell {show(name)} stands there twice; join its rows"
            )
        masses[name] = row[shares[0]]
    if shares[0] == "count":
        laws = {
            law: (other_rows, _shares(path, masses)) for law, (other_rows, masses) in laws.items()
        }
    if not several:
        return next((masses for _, masses in laws.values()), {})
    return [
        BelievedLaw(
            integer(f"others of {law}", other_rows, least=0),
            {cell: rational(f"p of {cell}", mass, least=0) for cell, mass in masses.items()},
        )
        for law, (other_rows, masses) in laws.items()
    ]


def _shares(path: str, counted: Mapping[str, Number]) -> dict[str, Number]:
    """Return the share of each count."""
    from kproof.theory.exact.typed import rational

    counts = {name: rational(f"count of {name}", count, least=0) for name, count in counted.items()}
    total = sum(counts.values())
    if not total:
        raise DataError(f"{show(path)}: all counts are 0; need one that is more")
    # Exact, so that they add up to 1 and the law is one.
    return {name: count / total for name, count in counts.items()}
