"""What was divided stays divided: the exits of closed days, as they were when they were closed.

They are kept in a DuckDB file of the server's own, or in memory if there is none. A day is sealed
in one transaction; exits that appear later on a sealed day stand on the line of the next one.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import date, timedelta
from typing import Any

import numpy as np

from kproof.errors import DataError, KProofError, show
from kproof.models.tables.kaca.fixed import TollRecords

_EPOCH = date(1970, 1, 1)

_TABLES = """
CREATE TABLE IF NOT EXISTS sealed (
    line BIGINT NOT NULL, day BIGINT NOT NULL, hour BIGINT NOT NULL, section VARCHAR NOT NULL,
    vehicle VARCHAR, count BIGINT NOT NULL, cents BIGINT NOT NULL
);
CREATE TABLE IF NOT EXISTS sealing (until BIGINT NOT NULL, source VARCHAR NOT NULL);
"""

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


class NotSealed(KProofError):
    """A day could not be sealed; what was sealed before is as it was."""


class SealedExits:
    """Exits of closed days in a DuckDB file.

    Args:
        path: The file, which is made if it is not there; None for memory.
        source: What the exits are from, kept as an attribute; a file of another source is refused.

    Raises:
        DataError: If the file cannot be used.
    """

    def __init__(self, path: str | None, source: str) -> None:
        import duckdb

        try:
            self._store: Any = duckdb.connect(path or ":memory:")
            self._store.execute(_TABLES)
            row = self._store.execute("SELECT until, source FROM sealing").fetchone()
        except duckdb.Error as error:
            first = str(error).strip().splitlines()[0]
            raise DataError(f"cells: {show(path)} cannot be used: {show(first, 160)}") from None
        if row is not None and row[1] != source:
            raise DataError(f"cells: {show(path)} is of another source, {show(row[1])}")
        self.source = source
        self.until: date | None = None if row is None else _EPOCH + timedelta(days=int(row[0]))

    def seal(self, found: Any, until: date) -> None:
        """Seal the days before one.

        Args:
            found: What the database has of them now, from
                :meth:`~kproof.serve.source.TollSource.exits_before`.
            until: The first day that is not closed.

        Raises:
            NotSealed: If the file cannot be written; it is as it was.
        """
        import duckdb

        day = (until - _EPOCH).days
        sealed = None if self.until is None else (self.until - _EPOCH).days
        if sealed is not None and sealed >= day:
            return
        store = self._store
        store.begin()
        try:
            store.register("found", found)
            # At first nothing is late.
            store.execute(_SEAL, {"sealed": -(10**9) if sealed is None else sealed})
            store.execute("DELETE FROM sealing")
            store.execute("INSERT INTO sealing VALUES ($1, $2)", [day, self.source])
            store.commit()
        except duckdb.Error as error:
            with suppress(duckdb.Error):
                store.rollback()
            first = str(error).strip().splitlines()[0]
            raise NotSealed(f"cells cannot be written: {show(first, 160)}") from None
        finally:
            store.unregister("found")
        self.until = until

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

    def close(self) -> None:
        """Give the file back."""
        self._store.close()
