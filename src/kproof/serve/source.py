"""The database of exits, through Ibis: read only, and opened anew each time.

Values of a query reach the database as expressions, never as text of SQL. A connection lives as
long as one read, so a database that was gone is found again, and others may write to its file.
"""

import re
import sqlite3
import sys
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any
from urllib.parse import quote
from zoneinfo import ZoneInfo

from kproof.errors import DataError, InvalidArgument, KProofError, did_you_mean, show
from kproof.models.tables.engines.opening import without_password, without_secrets
from kproof.serve.lines import count_lines, open_lines
from kproof.serve.reading import (
    BROKEN_LINE,
    read_section,
    read_time,
    read_toll,
    read_vehicles,
    require_few,
)

_ZONED = {"duckdb": "SET TimeZone =", "postgres": "SET TIME ZONE"}
"""How a session of a database is given a time zone."""

_TURN = 10.0
"""Seconds that whoever asks a database waits for those who asked before."""

_DEADLINES = ("connect_timeout=10", "keepalives_idle=10", "tcp_user_timeout=30000")
"""Seconds to connect, seconds until a silent end is asked, milliseconds until it counts as gone."""

_OPEN = "open"
"""What is said of a row whose day is not over."""


class SourceGone(KProofError):
    """The database cannot be read at the moment."""


def zone_named(name: str) -> ZoneInfo:
    """Return a time zone.

    >>> zone_named("Asia/Shanghai").key
    'Asia/Shanghai'
    >>> zone_named("Asia/Atlantis")
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: time_zone = Asia/Atlantis: need a name such as Asia/Shanghai
    """
    try:
        # The name stands in a statement of SQL later on (`_set_zone`).
        if re.fullmatch(r"[A-Za-z0-9_+/-]+", name):
            return ZoneInfo(name)
    except (OSError, ValueError, LookupError):
        pass
    raise InvalidArgument("time_zone", name, "a name such as Asia/Shanghai")


@dataclass(frozen=True, slots=True)
class TollColumns:
    """What the columns of the database are called."""

    table: str = "exits"
    """The table."""
    section: str = "section_id"
    time: str = "exit_time"
    toll: str = "toll"
    """Section ids, times of exit, amounts."""
    vehicle: str | None = None
    """Who a record is about; None if there is no such column."""
    zone: str = "UTC"
    """The time zone whose days and hours are meant. Times with a zone are read in it; times
    without one are taken to be its own."""

    @property
    def all(self) -> tuple[str, ...]:
        """Every column that is read."""
        required = (self.section, self.time, self.toll)
        return required if self.vehicle is None else (*required, self.vehicle)


@dataclass(frozen=True)
class TollSource:
    """Where the exits are."""

    columns: TollColumns
    """What its columns are called."""
    database: str | None = None
    """A DuckDB file, or the URL of another database; None for a CSV file or made-up exits."""
    csv: str | None = None
    """A CSV file; None for another source."""
    demo: int | None = None
    """How many exits are made up; None for another source."""
    _one_at_a_time: Any = field(default_factory=threading.Lock, repr=False, compare=False)
    _made_up: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def name(self) -> str:
        """What messages and the file of cells call it; whatever may be a secret is left out."""
        if self.database is not None:
            scheme, sign, remainder = without_password(self.database).partition("://")
            return scheme + sign + remainder.rpartition("@")[2]
        return without_password(self.csv) if self.csv is not None else "made-up exits"

    def check(self) -> None:
        """Look whether the table and its columns are there.

        Raises:
            SourceGone: If the database cannot be read.
            DataError: If there is no such table or column, or one that holds something else.
        """
        with self._table() as table:
            missing = [name for name in self.columns.all if name not in table.columns]
            kinds = {} if missing else {name: table[name].type() for name in self.columns.all}
            money = not missing and _is_money(table, self.columns.toll)
        if missing:
            columns = ", ".join(table.columns)
            raise DataError(
                f"{show(self.name)}: no column {show(missing[0])}; it has {columns} "
                "(--section, --time, --toll and --vehicle name others)"
                f"{did_you_mean(missing[0], table.columns)}"
            )
        time, toll = kinds[self.columns.time], kinds[self.columns.toll]
        for name, readable, need in (
            (self.columns.time, time.is_temporal() and not time.is_time(), "times, days or texts"),
            (self.columns.toll, toll.is_numeric() and not money, "numbers or texts"),
        ):
            if not readable and not kinds[name].is_string():
                kind = "money" if name == self.columns.toll and money else kinds[name]
                raise DataError(f"{show(self.name)}: column {show(name)} holds {kind}: need {need}")

    def exits_before(self, day: date) -> tuple[Any, dict[str, int]]:
        """Return exits of the days before one, and how many others cannot be read.

        Returns:
            A :class:`pyarrow.Table` with columns day (days since 1970-01-01), hour, section,
            vehicle (null without one), count, cents, and the least and the most that one of them
            paid; and how many rows are not read, by reason. Both are of one reading, so they and
            the rows of later days are all there are.
        """
        import ibis
        import pyarrow.compute as pc

        with self._table() as table:
            # Before the rows: lines that are appended meanwhile would be taken for lost ones.
            lines = self._count_lines()
            read = self._read(table)
            open_row = read.moment >= ibis.literal(day).cast("timestamp")
            read = read.mutate(
                problem=ibis.cases(
                    (read.problem.notnull(), read.problem),
                    (open_row, _OPEN),
                    else_=ibis.null("string"),
                )
            )
            epoch = ibis.literal(date(1970, 1, 1))
            columns = {
                "day": read.moment.date().delta(epoch, unit="day").cast("int64"),
                "hour": read.moment.hour().cast("int64"),
                "section": read.section,
                "vehicle": read.vehicle,
            }
            # Of a row that is not read nothing but the reason is taken.
            exits = read.select(
                "problem",
                paid=ibis.ifelse(read.problem.isnull(), read.paid, 0),
                **{
                    name: ibis.ifelse(read.problem.isnull(), value, ibis.null(value.type()))
                    for name, value in columns.items()
                },
            )
            grouped = (
                exits.group_by(["problem", *columns])
                .aggregate(
                    count=exits.count().cast("int64"),
                    cents=exits.paid.sum().cast("int64"),
                    least=exits.paid.min().cast("int64"),
                    most=exits.paid.max().cast("int64"),
                )
                .to_pyarrow()
            )
            usable = pc.is_null(grouped["problem"])
            left_out = grouped.filter(pc.invert(usable)).select(["problem", "count"]).to_pylist()
            unread = {row["problem"]: row["count"] for row in left_out if row["problem"] != _OPEN}
            broken = self._count_bad_lines(table, lines - (pc.sum(grouped["count"]).as_py() or 0))
        if broken:
            unread[BROKEN_LINE] = broken
        return _join_spellings(grouped.filter(usable).drop_columns(["problem"])), unread

    def _count_lines(self) -> int:
        """Return how many lines a CSV file has but the first, which names columns."""
        return 0 if self.csv is None else count_lines(self.csv) - 1

    def _count_bad_lines(self, table: Any, lost: int) -> int:
        """Return how many lines of a CSV file were no rows if so many more than rows are there."""
        if self.csv is None:
            return 0
        query = "SELECT count(DISTINCT line) FROM reject_errors"
        rejected = int(table.get_backend().raw_sql(query).fetchone()[0])
        # Most lines that are no rows are rejected; the others became part of a cell.
        return max(rejected, lost)

    def _require_few_bad_lines(self, table: Any) -> None:
        """Refuse a CSV file of which many lines are no rows, where nobody is shown how many."""
        if self.csv is not None:
            lines = self._count_lines()
            broken = self._count_bad_lines(table, lines - int(table.count().to_pyarrow().as_py()))
            require_few(BROKEN_LINE, broken, lines, self.name)

    def first_exits(self, start: date | None, stop: date) -> list[tuple[int, str]]:
        """Return where the first exit of each vehicle was on each day.

        Which exit is a vehicle's first hangs on no other vehicle, and whether one can be read hangs
        on no other exit: a row of nobody else comes or goes with one. Tolls are not looked at.

        Args:
            start: The first day; None for the first of the calendar.
            stop: The day after the last.

        Returns:
            Day since 1970-01-01 and section of each, in any order.
        """
        import ibis

        with self._table() as table:
            read = self._read(table)
            complete = read.moment.notnull() & read.section.notnull() & read.vehicle.notnull()
            # A year that no calendar has would stop the others from being counted in days.
            begins, ends = (
                ibis.literal(day).cast("timestamp") for day in (start or date.min, stop)
            )
            closed = read.filter(complete & (read.moment >= begins) & (read.moment < ends))
            epoch = ibis.literal(date(1970, 1, 1))
            self._require_few_bad_lines(table)
            exits = closed.select(
                "section",
                "moment",
                "vehicle",
                day=closed.moment.date().delta(epoch, unit="day").cast("int64"),
            )
            # Of exits at one moment the least section: a tie is broken by the vehicle's own rows.
            own = ibis.window(
                group_by=[exits.day, exits.vehicle], order_by=[exits.moment, exits.section]
            )
            ranked = exits.mutate(place=ibis.row_number().over(own))
            first = ranked.filter(ranked.place == 0).drop("place").to_pyarrow()
        first = _with_vehicles(first.sort_by([("moment", "ascending"), ("section", "ascending")]))
        # In their order: only without threads.
        groups = first.filter(first["vehicle"].is_valid()).group_by(
            ["day", "vehicle"], use_threads=False
        )
        days = groups.aggregate([("section", "first")])
        return list(zip(days["day"].to_pylist(), days["section_first"].to_pylist(), strict=True))

    def window(self, start: date, stop: date, most: int) -> Any:
        """Return exits of a window of days as a frame, at most so many and one."""
        import ibis

        with self._table() as table:
            read = self._read(table)
            in_window = read.filter(
                (read.moment >= ibis.literal(start).cast("timestamp"))
                & (read.moment < ibis.literal(stop + timedelta(days=1)).cast("timestamp"))
                & read.problem.isnull()
            )
            return _with_vehicles(in_window.limit(most + 1).to_pyarrow()).to_pandas()

    def _read(self, table: Any) -> Any:
        """Return the table as section, moment, paid (in hundredths), vehicle and problem.

        A problem is the first reason for which a row is not read; what it is about is null.
        """
        import ibis

        columns = self.columns
        section, no_section = read_section(table[columns.section])
        moment, no_time = read_time(table[columns.time])
        paid, no_toll = read_toll(table[columns.toll])
        vehicle = ibis.null("string")
        if columns.vehicle is not None:
            vehicle = table[columns.vehicle].cast("string")
        return table.select(
            section=section,
            moment=moment,
            paid=paid,
            vehicle=vehicle,
            problem=ibis.coalesce(no_section, no_time, no_toll),
        )

    @contextmanager
    def _table(self) -> Iterator[Any]:
        with _translate_driver_errors(self), self._turn():
            backend = self._backend()
            try:
                self._set_zone(backend)
                if self.csv is not None:
                    yield open_lines(backend, self.csv, self.columns.all)
                else:
                    if self.columns.table not in backend.list_tables():
                        tables = ", ".join(sorted(backend.list_tables())[:20]) or "none"
                        raise DataError(
                            f"{show(self.name)}: no table {show(self.columns.table)}; "
                            f"it has {tables} (--table names another)"
                        )
                    yield backend.table(self.columns.table)
            finally:
                # Made-up exits are in memory only, and stay for the next question.
                if self.demo is None:
                    backend.disconnect()

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Let one at a time ask; a database that hangs keeps those who wait no longer than this."""
        if not self._one_at_a_time.acquire(timeout=_TURN):
            raise SourceGone(f"{show(self.name)} cannot be read: it has not answered yet")
        try:
            yield
        finally:
            self._one_at_a_time.release()

    def _set_zone(self, backend: Any) -> None:
        # Ibis sets UTC when it connects, and has no word for another zone.
        zone = self.columns.zone
        if zone != "UTC" and backend.name not in _ZONED:
            raise DataError(
                f"--time-zone {zone}: need UTC with {backend.name}; "
                f"{' and '.join(_ZONED)} can have another"
            )
        if backend.name in _ZONED:
            # It is the name of a file of zones, and has no quotation mark in it.
            backend.raw_sql(f"{_ZONED[backend.name]} '{zone_named(zone).key}'")

    def _backend(self) -> Any:
        import ibis

        if self.database is not None:
            scheme, sign, place = self.database.partition("://")
            if scheme == "sqlite" and sign:
                # Ibis would make a file that is not there.
                file = sqlite3.connect(f"file:{quote(place)}?mode=ro", uri=True)
                return ibis.sqlite.from_connection(file)
            if scheme == "duckdb" and sign:
                return ibis.duckdb.connect(place, read_only=True)
            if sign:
                try:
                    return ibis.connect(_with_deadlines(self.database))
                except (ValueError, TypeError, ImportError) as error:
                    # It cannot be divided, or has no driver, or an option that the driver lacks.
                    raise _gone(self, error) from None
            return ibis.duckdb.connect(self.database, read_only=True)
        if self.demo is None:
            return ibis.duckdb.connect()
        if "demo" not in self._made_up:
            self._made_up["demo"] = _make_backend(self.demo, self.columns)
        return self._made_up["demo"]


def _is_money(table: Any, column: str) -> bool:
    """Say whether a column is PostgreSQL's money, which Ibis calls a decimal and none compares."""
    if table.get_backend().name != "postgres" or not table[column].type().is_decimal():
        return False
    kinds = table.select(kind=table[column].typeof()).limit(1).to_pyarrow()["kind"]
    return "money" in kinds.to_pylist()


def _with_vehicles(rows: Any) -> Any:
    """Return rows of PyArrow whose vehicles are spelled in one way, in whatever database."""
    place = rows.column_names.index("vehicle")
    return rows.set_column(place, "vehicle", read_vehicles(rows["vehicle"]))


def _join_spellings(exits: Any) -> Any:
    """Return grouped exits once more grouped, by the vehicles that their spellings mean."""
    keys = ["day", "hour", "section", "vehicle"]
    hows = {"count": "sum", "cents": "sum", "least": "min", "most": "max"}
    joined = _with_vehicles(exits).group_by(keys).aggregate([*hows.items()])
    columns = {name: joined[f"{name}_{how}"] for name, how in hows.items()}
    return type(joined).from_pydict({key: joined[key] for key in keys} | columns)


def _with_deadlines(address: str) -> str:
    """Return an address whose connection ends if nobody is at its other end any more."""
    if not address.startswith(("postgres://", "postgresql://")):
        return address
    options = [option for option in _DEADLINES if option.partition("=")[0] not in address]
    sign = "&" if "?" in address else "?"
    return f"{address}{sign}{'&'.join(options)}" if options else address


def _make_backend(rows: int, columns: TollColumns) -> Any:
    import ibis
    import pyarrow as pa

    from kproof.datasets.exits import exit_transactions

    exits = exit_transactions(rows, days=28)
    names = {"section_id": columns.section, "exit_time": columns.time, "toll": columns.toll}
    names["plate"] = columns.vehicle or "plate"
    backend = ibis.duckdb.connect()
    table = pa.table({names[name]: values for name, values in exits.items()})
    backend.create_table(columns.table, table)
    return backend


@contextmanager
def _translate_driver_errors(source: TollSource) -> Iterator[None]:
    """Tell of whatever a driver raises in one line, without its own text of the query."""
    try:
        yield
    except _failures() as error:
        raise _gone(source, error) from None


def _gone(source: TollSource, error: Exception) -> SourceGone:
    text = getattr(error, "strerror", None) or str(error).strip()
    first = text.splitlines() or [type(error).__name__]
    reason = without_secrets(source.database or source.csv or "", first[0])
    return SourceGone(f"{show(source.name)} cannot be read: {show(reason, 160)}")


def _failures() -> tuple[type[Exception], ...]:
    """Return what drivers raise, of those that are loaded."""
    import duckdb
    import ibis

    psycopg = sys.modules.get("psycopg")
    driver_errors = () if psycopg is None else (psycopg.Error,)
    # A file that is compressed and cut off ends with the last two.
    files = (OSError, sqlite3.Error, EOFError, zlib.error)
    return (*files, duckdb.Error, ibis.IbisError, *driver_errors)
