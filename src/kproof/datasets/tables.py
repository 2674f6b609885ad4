"""Reading tables and columns of numbers from CSV files as they are distributed.

Everything that can be wrong with a file is found here and told in one line that names the file,
the line and the cell. Missing cells are counted, never dropped silently. Only the standard
library's reader is used, row by row, so a single column of a large file costs only its own memory.
"""

import csv
import itertools
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import partial
from pathlib import Path

from kproof.arguments import PATH, SEVERAL, check_arguments
from kproof.datasets.limits import MOST_LINE, require_columns
from kproof.datasets.opening import open_text
from kproof.datasets.parquet import is_parquet, rows_of_parquet
from kproof.datasets.shipped import SHIPPED
from kproof.datasets.workbooks import is_workbook, rows_of_workbook
from kproof.errors import DataError, InvalidArgument, KProofError, did_you_mean, show, spell
from kproof.forms import JsonForm

MISSING_CELLS = ("", "?")
"""Cells that mean "nobody recorded it" unless a caller says otherwise; compared exactly."""

LOOK_MISSING = frozenset(
    {
        *("na", "n/a", "#n/a", "n.a", "n.a.", "n. a.", "<na>", "nan", "null", "(null)", "<null>"),
        *("\\n", "nil", "-", "--", "---", "–", "—", ".", "..", "...", "…", "??", "???", "s/o"),
        *("unknown", "missing", "not known", "not recorded", "not available", "not stated"),
        *("unbekannt", "nicht bekannt", "keine angabe", "keine angaben", "k.a", "k.a.", "k. a."),
    }
)
"""Cells, in lower case, that mean it in so many files that they are not passed over.

``none`` is not among them: it may well be the value of whoever has no disease. Neither are
*refused* and *not applicable*, which say something about a person.
"""

_BITS = 1 << 11
"""Longest numerator or denominator of a cell: 600 digits, so that its powers can be printed."""

_SEPARATORS = (",", ";", "\t")
_SAMPLE = 100
_BATCH = 256
_ADULT = (
    *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation"),
    *("relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week"),
    *("native-country", "income"),
)
_ADULT_NUMERIC = (0, 2, 4, 10, 11, 12)


class Header(StrEnum):
    """Whether the first row of a file names the columns."""

    DETECT = "detect"
    """It does unless one of its cells is a number or marked as missing."""
    YES = "yes"
    NO = "no"


@dataclass(frozen=True, slots=True)
class NumericColumn:
    """A column of numbers, ready for moments and laws."""

    source: str
    """The file or shipped table it came from."""
    name: str
    """Its name."""
    values: tuple[Fraction, ...]
    """The numbers as typed, in the order of the rows; never empty."""
    missing: int
    """How many rows had no value; they are not in ``values``."""


@dataclass(frozen=True, slots=True)
class TextTable:
    """The text of a table, column by column.

    >>> table = read_text_table("table-1a")
    >>> table.names
    ('ID', 'Name', 'Age', 'Zip Code', 'Country', 'Disease')
    >>> [table.names[position] for position in table.numeric]
    ['ID', 'Age', 'Zip Code']
    """

    source: str
    """The file or shipped table it came from."""
    names: tuple[str, ...]
    """One name per column; names may repeat, positions do not."""
    cells: tuple[tuple[str, ...], ...]
    """Shape (columns, rows): the text of every cell."""
    lines: tuple[int, ...]
    """The line of the file on which each row ends, for messages."""
    missing: frozenset[str] = frozenset(MISSING_CELLS)
    """Cells that mean "nobody recorded it"."""

    to_dict = JsonForm("source rows=len(lines) columns=names")

    @property
    def numeric(self) -> tuple[int, ...]:
        """Positions, from 0, of the columns of numbers; what looks missing does not count."""
        return tuple(filter(self.is_numeric, range(len(self.names))))

    def is_numeric(self, position: int) -> bool:
        """Say whether a column, by its position from 0, is one of numbers."""
        cells = (cell for cell in set(self.cells[position]) if cell.strip() not in self.missing)
        recorded = [cell for cell in cells if not looks_missing(cell)]
        return bool(recorded) and all(_number(cell) is not None for cell in recorded)

    def position(self, column: str | int) -> int:
        """Return the position, from 0, of a column given by name or counted from 1."""
        return _position(self.source, self.names, column)

    def column(self, column: str | int) -> NumericColumn:
        """Return one column, given by name or position counted from 1, as numbers.

        >>> read_text_table("table-1a").column("Age").values[:3]
        (Fraction(34, 1), Fraction(40, 1), Fraction(26, 1))
        >>> read_text_table("table-1a").column("Disease")
        Traceback (most recent call last):
            ...
        kproof.errors.DataError: table-1a, line 2: column 'Disease' has HIV, need a number
        """
        position = self.position(column)
        rows = zip(self.lines, self.cells[position], strict=True)
        return _numbers(self.source, self.names[position], rows, self.missing)


def read_text_table(
    source: str | Path,
    *,
    header: Header | str = Header.DETECT,
    missing: Collection[str] = MISSING_CELLS,
    encoding: str | None = None,
    sheet: str | None = None,
) -> TextTable:
    """Read every column of a CSV or Parquet file, a sheet or a shipped table.

    The separator (comma, semicolon or tab) is found by itself, a byte-order mark is skipped, and
    blank lines are not rows. A file without a header row gets the names ``column1``, ``column2``,
    …, or the published attribute names if it has the shape of UCI Adult.

    Args:
        source: A path, or a shipped table's name (write ``./table-1a`` for a file of that name).
        header: Whether the first row names the columns.
        missing: Cells that mean "nobody recorded it", compared exactly.
        encoding: Of the file; None for what its byte-order mark says, UTF-8 if it has none.
        sheet: Of a spreadsheet; None if only one has cells.

    Raises:
        DataError: If the file cannot be read or decoded, has no rows, or its rows differ in length.

    >>> read_text_table("nowhere.csv")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    kproof.errors.DataError: nowhere.csv: no such file, and not a shipped table (table-1a, ...)
    """
    with records(source, header, encoding=encoding, sheet=sheet) as (label, names, rows):
        # Equal cells are one object: a million rows have few texts.
        text_of: dict[str, str] = {}
        lines: list[int] = []
        columns: list[list[str]] = [[] for _ in names]
        # Turned into columns batch by batch: all at once, every row would be held twice.
        while batch := list(itertools.islice(rows, _BATCH)):
            lines.extend(line for line, _ in batch)
            across = zip(*(row for _, row in batch), strict=True)
            for column, cells in zip(columns, across, strict=True):
                column.extend(map(text_of.setdefault, cells, cells))
    return TextTable(label, names, tuple(map(tuple, columns)), tuple(lines), frozenset(missing))


@check_arguments(source=PATH, missing=SEVERAL)
def read_column(
    source: str | Path,
    column: str | int,
    *,
    header: Header | str = Header.DETECT,
    missing: Collection[str] = MISSING_CELLS,
) -> NumericColumn:
    """Read one column of numbers without keeping the others.

    Args:
        source, header, missing: As for :func:`read_text_table`.
        column: Its name, or its position counted from 1.

    Raises:
        DataError: As :func:`read_text_table` and :meth:`TextTable.column`.

    >>> ages = read_column("table-1a", "Age")
    >>> len(ages.values), ages.missing, sum(ages.values)
    (12, 0, Fraction(446, 1))
    >>> read_column("table-1a", "Height")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    kproof.errors.DataError: table-1a: no column Height; it has ID, Name, Age, Zip Code, ...
    """
    with records(source, header) as (label, names, rows):
        position = _position(label, names, column)
        cells = ((line, row[position]) for line, row in rows)
        return _numbers(label, names[position], cells, frozenset(missing))


Rows = Iterator[tuple[int, list[str]]]


@contextmanager
def records(
    source: str | Path,
    header: Header | str = Header.DETECT,
    *,
    encoding: str | None = None,
    sheet: str | None = None,
) -> Iterator[tuple[str, tuple[str, ...], Rows]]:
    """Open a source and give its label, its column names and its rows, each with its last line.

    Rows are read as they are asked for; parameters are as for :func:`read_text_table`.

    >>> with records("table-1a") as (label, names, rows):
    ...     label, len(names), next(rows)
    ('table-1a', 6, (2, ['1', 'JULIAN', '34', '14247', 'USA', 'HIV']))
    """
    from kproof.theory.exact.typed import choice

    first_row = choice("header", header, Header)
    label = str(source)
    with _every_row(label, encoding, sheet) as rows:
        first = next(rows, None)
        if first is None:
            raise DataError(f"{label}: the file has no rows")
        line, cells = first
        if (
            first_row is Header.YES
            or is_parquet(label)
            or (first_row is Header.DETECT and _names_columns(cells))
        ):
            texts = [cell.strip() for cell in cells]
        else:
            texts = list(_ADULT) if _is_adult(cells) else [""] * len(cells)
            rows = itertools.chain([(line, cells)], rows)
        names = tuple(text or f"column{position}" for position, text in enumerate(texts, 1))
        yield label, names, rows


@contextmanager
def _every_row(label: str, encoding: str | None, sheet: str | None) -> Iterator[Rows]:
    """Give the rows of a source, the first included."""
    workbook = label not in SHIPPED and is_workbook(label)
    if sheet is not None and not workbook:
        raise InvalidArgument("sheet", sheet, f"a spreadsheet with it, unlike {label}")
    if encoding is not None and (workbook or is_parquet(label) or label in SHIPPED):
        raise InvalidArgument("encoding", encoding, f"a text file with it, unlike {label}")
    try:
        if workbook:
            yield rows_of_workbook(label, sheet)
        elif is_parquet(label):
            yield rows_of_parquet(label)
        elif label in SHIPPED:
            yield _parse_rows(label, iter(SHIPPED[label].text.splitlines(keepends=True)))
        else:
            with open_text(label, encoding) as text:
                # Not `for line in text`: what has no line breaks would be read as one line, however
                # long it is.
                yield _parse_rows(label, iter(partial(text.readline, MOST_LINE), ""))
    except FileNotFoundError:
        shipped = f"not a shipped table ({', '.join(SHIPPED)}){did_you_mean(label, SHIPPED)}"
        raise DataError(f"{label}: no such file, and {shipped}") from None
    except KProofError:
        raise
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise DataError(f"{show(label)}: cannot be read: {reason}") from None


def _parse_rows(label: str, lines: Iterator[str]) -> Rows:
    """Yield CSV lines as rows of equal length, each with the line it ends on."""
    lines = _checked_lines(label, lines)
    head = list(itertools.islice(lines, _SAMPLE))
    separator = _separator(head)
    source = _Lines(itertools.chain(head, lines))
    reader = csv.reader(source, delimiter=separator, skipinitialspace=True)
    width = 0
    try:
        for row in reader:
            record = source.take()
            # In a table of one column a line of blanks is a row whose value is missing.
            blank = not row or (width > 1 and len(row) == 1 and not row[0].strip())
            # UCI's copy of Adult's test half opens with a comment line.
            if blank or (width == 0 and row[0].startswith("|")):
                continue
            if len(row) != width:
                if width:
                    raise DataError(
                        f"{label}, line {reader.line_num}: {len(row)} cells where the first row "
                        f"has {width}"
                    )
                width = len(row)
                require_columns(width, f"{label}: ")
            if source.over and _ends_quoted(record, separator):
                raise DataError(
                    f"{label}, line {reader.line_num - len(record) + 1}: a quotation mark is "
                    "opened and not closed"
                )
            yield reader.line_num, row
    except csv.Error as error:
        raise DataError(f"{label}, line {reader.line_num}: {csv_fault(error)}") from None


class _Lines(Iterator[str]):
    """Lines with those that were read since somebody asked, and whether they are over.

    A cell whose quotation mark is never closed ends with the file: without a line read ahead, a
    reader could not tell that the record before it is the last.
    """

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines
        self._ahead = next(lines, None)
        self._latest: list[str] = []

    def __next__(self) -> str:
        line = self._ahead
        if line is None:
            raise StopIteration
        self._ahead = next(self._lines, None)
        self._latest.append(line)
        return line

    @property
    def over(self) -> bool:
        """Whether there are no more lines."""
        return self._ahead is None

    def take(self) -> list[str]:
        """Return the lines that were read since this was last asked."""
        lines, self._latest = self._latest, []
        return lines


def _ends_quoted(record: list[str], separator: str) -> bool:
    """Say whether the lines of a record end within quotation marks."""
    try:
        next(csv.reader(record, delimiter=separator, skipinitialspace=True, strict=True))
    except csv.Error as error:
        return "unexpected end of data" in str(error)
    return False


def csv_fault(error: csv.Error) -> str:
    """Return what is wrong with a CSV file, in words that say where to look."""
    if "field limit" in str(error):
        longest = csv.field_size_limit()
        return f"a cell of over {longest} characters; is a quotation mark left open?"
    if "unexpected end of data" in str(error):
        return "a quotation mark is opened and not closed"
    return str(error)


def _checked_lines(label: str, lines: Iterable[str]) -> Iterator[str]:
    for number, line in enumerate(lines, 1):
        if "\0" in line:
            raise DataError(
                f"{label}, line {number}: a NUL byte; save the file as UTF-8 text, or say its "
                f"encoding if that is UTF-16: {spell('encoding', 'utf-16-le')}"
            )
        # `readline` stops there, so that a longer line is never held; one that just fits has its
        # break.
        if len(line) == MOST_LINE and not line.endswith("\n"):
            raise DataError(f"{label}, line {number}: over {MOST_LINE:,} characters; need rows")
        yield line


def _separator(head: Sequence[str]) -> str:
    """Return the separator under which the first rows agree best on more than one cell."""

    def agreement(separator: str) -> tuple[float, int]:
        counts = Counter(
            len(row) for row in csv.reader(head, delimiter=separator, skipinitialspace=True) if row
        )
        width, times = counts.most_common(1)[0] if counts else (1, 0)
        # What cuts no line leaves one cell in each: all rows agree on that, and it must not win.
        return (times / counts.total(), width) if width > 1 else (0.0, 1)

    try:
        return max(_SEPARATORS, key=agreement)
    except csv.Error:
        return _SEPARATORS[0]


def _names_columns(cells: Sequence[str]) -> bool:
    """Say whether a first row reads as names: no number and nothing marked as missing in it."""
    return not any(
        _number(cell) is not None or cell.strip() == "?" or looks_missing(cell) for cell in cells
    )


def _is_adult(cells: Sequence[str]) -> bool:
    """Say whether a row has the fifteen kinds of values of UCI Adult."""
    return (
        len(cells) == len(_ADULT)
        and all((_number(cells[i]) is not None) == (i in _ADULT_NUMERIC) for i in range(15))
        and cells[_ADULT.index("sex")].strip() in {"Male", "Female"}
        and cells[_ADULT.index("income")].strip().rstrip(".") in {"<=50K", ">50K"}
    )


def _position(label: str, names: Sequence[str], column: str | int) -> int:
    """Return the position, from 0, that a name or a position counted from 1 stands for."""
    # A name goes before a position: a column may be called 3.
    sought = str(column).strip()
    positions = [position for position, name in enumerate(names) if name == sought]
    if len(positions) > 1:
        places = ", ".join(str(position + 1) for position in positions)
        raise DataError(f"{label}: column {sought!r} is there {len(positions)} times; say {places}")
    if positions:
        return positions[0]
    # Nine digits exceed every number of columns, and Python refuses to read thousands of them.
    if sought.isascii() and sought.isdigit() and 1 <= int(sought[:9]) <= len(names):
        return int(sought[:9]) - 1
    listed = ", ".join(names[:20]) + (", …" if len(names) > 20 else "")
    listed += did_you_mean(sought, names)
    raise DataError(f"{label}: no column {show(sought)}; it has {listed}")


def _numbers(
    label: str, name: str, rows: Iterable[tuple[int, str]], none: frozenset[str]
) -> NumericColumn:
    """Read cells as numbers, each distinct text once."""
    read: dict[str, Fraction | None] = {}
    values: list[Fraction] = []
    missing = 0
    for line, cell in rows:
        if cell not in read:
            number = None if cell.strip() in none else _number(cell)
            if number is None and cell.strip() not in none:
                wrong = f"column {name!r} has {show(cell.strip())}, {_need(cell)}"
                raise DataError(f"{label}, line {line}: {wrong}")
            read[cell] = number
        value = read[cell]
        if value is None:
            missing += 1
        else:
            values.append(value)
    if not values:
        raise DataError(f"{label}: column {name!r} has no values ({missing} missing)")
    return NumericColumn(label, name, tuple(values), missing)


def _need(cell: str) -> str:
    plain = cell.strip().lstrip("+-").casefold()
    if plain in {"inf", "infinity"}:
        return "need a finite number"
    if looks_missing(cell):
        return f"need a number; if it is missing, say {spell('missing', [cell.strip()])}"
    if "," in plain and _number(cell.replace(",", "")) is not None:
        return "need a number with a decimal point and no thousands separator"
    return "need a number"


def _number(cell: str) -> Fraction | None:
    """Return the number a cell shows, or None: 1/2 is a date as likely, 1e700 a slip."""
    from kproof.theory.exact.typed import rational

    if "/" in cell:
        return None
    try:
        number = rational("cell", cell)
    except InvalidArgument:
        return None
    bits = max(number.numerator.bit_length(), number.denominator.bit_length())
    return number if bits <= _BITS else None


def looks_missing(cell: str) -> bool:
    """Say whether a cell is one of :data:`LOOK_MISSING`, whatever its case and its spaces.

    >>> looks_missing(" N/A"), looks_missing("none")
    (True, False)
    """
    return " ".join(cell.split()).lower() in LOOK_MISSING
