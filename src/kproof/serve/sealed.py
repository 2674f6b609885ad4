"""What was divided stays divided: closed days, as they were when they were closed.

They are kept in a DuckDB file of the server's own, or in memory if there is none. A day is sealed
in one transaction. Exits that appear later on a sealed day stand on the line of the next one; of
sampled days only what is shown is kept, and what appears later is not looked at.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import date, timedelta
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from kproof.errors import DataError, InvalidArgument, KProofError, show
from kproof.models.tables.engines.opening import without_password
from kproof.models.tables.kaca.fixed import TollRecords
from kproof.outputs import close_to_others

_EPOCH = date(1970, 1, 1)

_SEALING = "CREATE TABLE IF NOT EXISTS sealing (until BIGINT NOT NULL, source VARCHAR NOT NULL);"

_EXITS = """
CREATE TABLE IF NOT EXISTS sealed (
    line BIGINT NOT NULL, day BIGINT NOT NULL, hour BIGINT NOT NULL, section VARCHAR NOT NULL,
    vehicle VARCHAR, count BIGINT NOT NULL, cents BIGINT NOT NULL
);
"""

# Whoever seals says from where: two who seal the same days meet in one key.
_SHOWN = """
CREATE TABLE IF NOT EXISTS shown (
    day BIGINT, section VARCHAR, people BIGINT NOT NULL, PRIMARY KEY (day, section)
);
CREATE TABLE IF NOT EXISTS seals (sealed BIGINT PRIMARY KEY);
"""

# Rows that were not read when days were sealed last, by reason: how many there are and are shown.
_UNREAD = """
CREATE TABLE IF NOT EXISTS unread (
    reason VARCHAR PRIMARY KEY, seen BIGINT NOT NULL, shown BIGINT NOT NULL
);
"""

# The k for which exits are divided. For others they would be divided otherwise: a second release.
_LADDER = "CREATE TABLE IF NOT EXISTS ladder (k BIGINT PRIMARY KEY);"

_NOTHING = -(10**9)
"""A day before all days: where nothing is sealed yet."""

# Exits that were not there when their day was sealed, or whose day was not sealed yet.
_SEAL = """
INSERT INTO sealed
SELECT
    CASE WHEN found.day < $sealed THEN $sealed ELSE found.day END,
    found.day, found.hour, found.section, found.vehicle,
    found.count - coalesce(known.count, 0),
    greatest(found.cents - coalesce(known.cents, 0), 0)
FROM found LEFT JOIN (
    SELECT day, hour, section, vehicle,
        sum(count)::BIGINT AS count, sum(cents)::BIGINT AS cents
    FROM sealed GROUP BY day, hour, section, vehicle
) AS known
ON found.day = known.day AND found.hour = known.hour AND found.section = known.section
    AND found.vehicle IS NOT DISTINCT FROM known.vehicle
WHERE found.count > coalesce(known.count, 0)
"""

# Codes from the names that there are: ranking every row takes twice as long.
_RECORDS = """
SELECT line, day, hour, count, cents, sections.code AS section,
    coalesce(vehicles.code, -1) AS vehicle
FROM sealed JOIN (
    SELECT section, row_number() OVER (ORDER BY section) - 1 AS code
    FROM (SELECT DISTINCT section FROM sealed)
) AS sections USING (section)
LEFT JOIN (
    SELECT vehicle, row_number() OVER () - 1 AS code
    FROM (SELECT DISTINCT vehicle FROM sealed WHERE vehicle IS NOT NULL)
) AS vehicles USING (vehicle)
"""


@contextmanager
def _for_the_owner() -> Iterator[None]:
    """Let files that are made meanwhile, the database's log too, be read by their owner alone."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


class NotSealed(KProofError):
    """A day could not be sealed; what was sealed before is as it was."""


class ClosedDays:
    """Closed days in a DuckDB file.

    Args:
        path: The file, which is made if it is not there; None for memory.
        source: What they are of, kept as an attribute; a file of anything else is refused.

    Raises:
        DataError: If the file cannot be used.
    """

    _tables: ClassVar[str]

    def __init__(self, path: str | None, source: str) -> None:
        import duckdb

        try:
            with _for_the_owner():
                self._store: Any = duckdb.connect(path or ":memory:")
                self._store.execute(_SEALING)
                row = self._store.execute("SELECT until, source FROM sealing").fetchone()
                if row is not None and row[1] != source:
                    other = show(without_password(row[1]), 200)
                    raise DataError(f"cells: {show(path)} is of another source, {other}")
                if path is not None:
                    close_to_others(path, name="cells")
                self._store.execute(self._tables)
        except duckdb.Error as error:
            first = str(error).strip().splitlines()[0]
            raise DataError(f"cells: {show(path)} cannot be used: {show(first, 160)}") from None
        self.source = source
        self.until: date | None = None if row is None else _EPOCH + timedelta(days=int(row[0]))

    @property
    def _sealed(self) -> int:
        """The first day that is not sealed, since 1970-01-01."""
        return _NOTHING if self.until is None else (self.until - _EPOCH).days

    @contextmanager
    def _sealing(self, rows: Any, until: date) -> Iterator[Any]:
        """Let the days before one be sealed from rows, which SQL calls found, or nothing change."""
        import duckdb

        store = self._store
        store.begin()
        try:
            store.register("found", rows)
            with _for_the_owner():
                yield store
                store.execute("DELETE FROM sealing")
                store.execute(
                    "INSERT INTO sealing VALUES ($1, $2)", [(until - _EPOCH).days, self.source]
                )
                store.commit()
        except duckdb.Error as error:
            with suppress(duckdb.Error):
                store.rollback()
            first = str(error).strip().splitlines()[0]
            raise NotSealed(f"cells cannot be written: {show(first, 160)}") from None
        finally:
            store.unregister("found")
        self.until = until

    def close(self) -> None:
        """Give the file back."""
        self._store.close()


class SealedExits(ClosedDays):
    """All exits of closed days.

    Args:
        path, source: As for :class:`ClosedDays`.
        rungs: Every k that is answered, fixed when the file is made.

    Raises:
        DataError: If the file cannot be used, or its days are divided for other k.
    """

    _tables = _EXITS + _UNREAD + _LADDER

    def __init__(self, path: str | None, source: str, rungs: tuple[int, ...]) -> None:
        super().__init__(path, source)
        read = self._store.execute("SELECT k FROM ladder ORDER BY k").fetchall()
        divided = tuple(k for (k,) in read)
        if not divided and self.until is None:
            rows = [(k,) for k in rungs]
            self._store.executemany("INSERT INTO ladder VALUES ($1)", rows)
        elif divided != rungs:
            self.close()
            before = ", ".join(map(str, divided)) or "every number, by an earlier version"
            raise DataError(
                f"cells: {show(path)} is divided for other k ({before}): to divide its days for "
                f"{', '.join(map(str, rungs))} is a second release of them, which needs a new file"
            )

    def seal(
        self, found: Any, until: date, unread: Mapping[str, int] | None = None, step: int = 1
    ) -> None:
        """Seal the days before one.

        Args:
            found: What the database has of them now, from
                :meth:`~kproof.serve.source.TollSource.exits_before`.
            until: The first day that is not closed.
            unread: How many rows it has that are not read, by reason.
            step: By how many rows a number of them changes at least, as it is shown: the rows of
                a night are no release of fewer than k.

        Raises:
            NotSealed: If the file cannot be written; it is as it was.
        """
        if self._sealed < (until - _EPOCH).days:
            with self._sealing(found, until) as store:
                # At first nothing is late.
                store.execute(_SEAL, {"sealed": self._sealed})
                shown = self.unread("shown")
                seen = dict.fromkeys(shown, 0) | dict(unread or {})
                rows = [
                    (
                        reason,
                        number,
                        number
                        if abs(number - shown.get(reason, 0)) >= step
                        else shown.get(reason, 0),
                    )
                    for reason, number in seen.items()
                ]
                store.execute("DELETE FROM unread")
                if rows:
                    store.executemany("INSERT INTO unread VALUES ($1, $2, $3)", rows)

    def unread(self, column: Literal["seen", "shown"]) -> dict[str, int]:
        """Return how many rows are not read, by reason: as they are, or as they may be shown."""
        read = f"SELECT reason, {column} FROM unread WHERE {column} > 0 ORDER BY reason"
        return dict(self._store.execute(read).fetchall())

    def records(self, *, people: bool) -> TollRecords:
        """Return all that is sealed.

        Args:
            people: Whether there is a column of vehicles.
        """
        read = self._store.execute(_RECORDS).fetchnumpy()
        names = self._store.execute("SELECT DISTINCT section FROM sealed ORDER BY section")
        columns = {name: np.asarray(column, dtype=np.int64) for name, column in read.items()}
        return TollRecords(
            day=columns["day"],
            hour=columns["hour"],
            section=columns["section"],
            sections=tuple(name for (name,) in names.fetchall()),
            count=columns["count"],
            cents=columns["cents"],
            vehicle=columns["vehicle"] if people else None,
            line=columns["line"],
        )


class ShownCells(ClosedDays):
    """The cells of closed days that are shown, with how many sampled people: nothing else is kept.

    Args:
        path: The file. Coins are tossed once for each day, so there has to be one: without it the
            next start would toss them again.
        source: As for :class:`ClosedDays`; k and the chance of a row are part of it.

    Raises:
        InvalidArgument: If the path is no file.
        DataError: If the file cannot be used.
    """

    _tables = _SHOWN

    def __init__(self, path: str | None, source: str) -> None:
        super().__init__(path, source)
        if path is None or not Path(path).is_file():
            self.close()
            need = (
                "a file with --sampled: coins of a day are tossed once, also if the server restarts"
            )
            raise InvalidArgument("cells", path, need)

    def seal(self, cells: Mapping[tuple[int, str], int], until: date) -> None:
        """Seal the days before one.

        Args:
            cells: Of the days that are not sealed yet, what is shown: day since 1970-01-01 and
                section, and how many people.
            until: The first day that is not closed.

        Raises:
            NotSealed: If the file cannot be written, or somebody else has sealed one of the days;
                it is as it was, and these cells are not to be shown.
        """
        import pyarrow as pa

        days, sections = zip(*cells, strict=True) if cells else ((), ())
        rows = pa.table(
            {
                "day": pa.array(days, pa.int64()),
                "section": pa.array(sections, pa.string()),
                "people": pa.array(cells.values(), pa.int64()),
            }
        )
        with self._sealing(rows, until) as store:
            store.execute("INSERT INTO seals VALUES ($1)", [self._sealed])
            store.execute("INSERT INTO shown SELECT day, section, people FROM found")

    def cells(self) -> list[tuple[int, str, int]]:
        """Return day since 1970-01-01, section and number of people of each cell, in this order."""
        read = "SELECT day, section, people FROM shown ORDER BY day, section"
        return [
            (day, section, people) for day, section, people in self._store.execute(read).fetchall()
        ]
