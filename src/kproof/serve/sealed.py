"""What was divided stays divided: closed days, as they were when they were closed.

They are kept in a DuckDB file of the server's own, or in memory if there is none. A day is sealed
in one transaction. Exits that appear later on a sealed day stand on the line of the next one; of
sampled days only what is shown is kept, and what appears later is not looked at.
"""

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any, Literal

import numpy as np

from kproof.errors import DataError, InvalidArgument, show
from kproof.models.tables.kaca.fixed import TollRecords
from kproof.serve.closed import EPOCH, ClosedDays

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

# Who is counted and whose days are meant: cells of trucks and cells of exits of the same days, or
# days of two zones, are two releases that can be subtracted, whoever says that the database is one.
_TERMS = "CREATE TABLE IF NOT EXISTS terms (name VARCHAR PRIMARY KEY, value VARCHAR NOT NULL);"

_LATE = "SELECT coalesce(sum(count), 0)::BIGINT FROM sealed WHERE day < line"
_READ_UNREAD = "SELECT reason, {0} FROM unread WHERE {0} > 0 ORDER BY reason"

# All that is sealed, by what an exit of the database is recognised by.
_KNOWN = """(
    SELECT day, hour, section, vehicle, sum(count)::BIGINT AS count, sum(cents)::BIGINT AS cents
    FROM sealed GROUP BY day, hour, section, vehicle
) AS known"""

_ALIKE = """
found.day = known.day AND found.hour = known.hour AND found.section = known.section
AND found.vehicle IS NOT DISTINCT FROM known.vehicle
"""

# Exits that were not there when their day was sealed, or whose day was not sealed yet. They paid
# what is paid more than before; where that is no toll of the exits that are there, because one was
# corrected, too, they are taken to have paid the mean.
_SEAL = f"""
INSERT INTO sealed
SELECT
    CASE WHEN day < $sealed THEN $sealed ELSE day END, day, hour, section, vehicle, more,
    CASE WHEN paid BETWEEN least * more AND most * more THEN paid
        ELSE (cents::HUGEINT * more // count)::BIGINT END
FROM (
    SELECT found.*, found.count - coalesce(known.count, 0) AS more,
        found.cents - coalesce(known.cents, 0) AS paid
    FROM found LEFT JOIN {_KNOWN} ON {_ALIKE}
) WHERE more > 0
"""

# Of days that both have: exits that are sealed, those that the database still has, and groups of
# them that paid something else.
_COMPARE = f"""
SELECT coalesce(sum(known.count), 0)::BIGINT,
    coalesce(sum(least(known.count, coalesce(found.count, 0))), 0)::BIGINT,
    count(*) FILTER (WHERE known.count = found.count AND known.cents != found.cents)
FROM {_KNOWN} LEFT JOIN found ON {_ALIKE}
WHERE known.day IN (SELECT day FROM found)
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


class SealedExits(ClosedDays):
    """All exits of closed days.

    Args:
        path, source: As for :class:`ClosedDays`.
        rungs: Every k that is answered, fixed when the file is made.
        terms: What else is fixed then, by name: who is counted, and in which time zone.

    Raises:
        DataError: If the file cannot be used, or its days are divided for other k or on other
            terms.
    """

    _tables = _EXITS + _UNREAD + _LADDER + _TERMS

    def __init__(
        self, path: str | None, source: str, rungs: tuple[int, ...], terms: Mapping[str, str]
    ) -> None:
        self._rungs, self._terms = rungs, terms
        self.changes = (0, 0, 0)
        """Since their days were sealed: exits that came late, that are gone from the database, and
        groups of exits that have another toll there."""
        super().__init__(path, source)

    def _check_form(self, store: Any) -> None:
        divided = tuple(k for (k,) in store.execute("SELECT k FROM ladder ORDER BY k").fetchall())
        if divided != self._rungs:
            before = ", ".join(map(str, divided)) or "every number, by an earlier version"
            raise DataError(
                f"cells: {show(self.path)} is divided for other k ({before}): to divide its days "
                f"for {', '.join(map(str, self._rungs))} is a second release of them, which needs "
                "a new file"
            )
        tables = {name for (name,) in store.execute("SHOW TABLES").fetchall()}
        terms = dict(store.execute("SELECT * FROM terms").fetchall()) if "terms" in tables else {}
        for name, value in self._terms.items():
            if terms.get(name) != value:
                before = show(terms[name], 200) if name in terms else "?, by an earlier version"
                raise DataError(
                    f"cells: {show(self.path)} is divided for {name} = {before}: to divide its "
                    f"days for {name} = {show(value, 200)} is a second release of them, which "
                    "needs a new file"
                )

    def recognise(self, exits: Any, *, rebind: bool) -> None:
        """Hold what the database has against what is sealed.

        Args:
            exits: As for :meth:`seal`.
            rebind: Whether a database that has none of the sealed days is taken for the same, on
                the operator's word.

        Raises:
            DataError: If it is another source.
        """
        with self._translate_errors(DataError, "used"), self._open_file() as store:
            store.register("found", exits)
            if not self._compare(store)[0] and not rebind:
                raise self.other_source(
                    "the database has none of the sealed days, so nothing shows that it is the "
                    "same (--rebind says so)"
                )

    def _compare(self, store: Any) -> tuple[int, int, int]:
        """Return how many exits are sealed of the days that both have, are there, paid otherwise.

        A file that is lent to another database would count every exit of a day a second time.
        """
        sealed, there, changed = store.execute(_COMPARE).fetchone()
        if 2 * there < sealed:
            raise self.other_source(f"of {sealed} sealed exits the database has {there}")
        return sealed, there, changed

    def seal(
        self, exits: Any, until: date, unread: Mapping[str, int] | None = None, step: int = 1
    ) -> None:
        """Seal the days before one.

        Args:
            exits: What the database has of them now, from
                :meth:`~kproof.serve.source.TollSource.exits_before`.
            until: The first day that is not closed.
            unread: How many rows it has that are not read, by reason.
            step: By how many rows a number of them changes at least, as it is shown: the rows of
                a night are no release of fewer than k.

        Raises:
            NotSealed: If the file cannot be written; it is as it was.
        """
        if self._first_unsealed_day < (until - EPOCH).days:
            with self._seal_until(exits, until) as store:
                # Before rows are inserted: afterwards the file has all exits that the database has.
                sealed, there, changed = self._compare(store)
                # At first nothing is late.
                store.execute(_SEAL, {"sealed": self._first_unsealed_day})
                (late,) = store.execute(_LATE).fetchone()
                if self.until is None:
                    store.executemany("INSERT INTO ladder VALUES ($1)", [[k] for k in self._rungs])
                    store.executemany("INSERT INTO terms VALUES ($1, $2)", [*self._terms.items()])
                shown = dict(store.execute(_READ_UNREAD.format("shown")).fetchall())
                # A reason that no row has any more counts 0: left out, its last number would be
                # shown for good.
                counts = dict.fromkeys(shown, 0) | dict(unread or {})
                rows = [
                    (
                        reason,
                        number,
                        number
                        if abs(number - shown.get(reason, 0)) >= step
                        else shown.get(reason, 0),
                    )
                    for reason, number in counts.items()
                ]
                store.execute("DELETE FROM unread")
                if rows:
                    store.executemany("INSERT INTO unread VALUES ($1, $2, $3)", rows)
            self.changes = late, sealed - there, changed

    def unread(self, column: Literal["seen", "shown"]) -> dict[str, int]:
        """Return how many rows are not read, by reason: as they are, or as they may be shown."""
        with self._translate_errors(DataError, "used"), self._open_file() as store:
            return dict(store.execute(_READ_UNREAD.format(column)).fetchall())

    def records(self, *, people: bool) -> TollRecords:
        """Return all that is sealed.

        Args:
            people: Whether there is a column of vehicles.
        """
        with self._translate_errors(DataError, "used"), self._open_file() as store:
            read = store.execute(_RECORDS).fetchnumpy()
            names = store.execute("SELECT DISTINCT section FROM sealed ORDER BY section").fetchall()
        columns = {name: np.asarray(column, dtype=np.int64) for name, column in read.items()}
        return TollRecords(
            day=columns["day"],
            hour=columns["hour"],
            section=columns["section"],
            sections=tuple(name for (name,) in names),
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
        with self._seal_until(rows, until) as store:
            store.execute("INSERT INTO seals VALUES ($1)", [self._first_unsealed_day])
            store.execute("INSERT INTO shown SELECT day, section, people FROM found")

    def cells(self) -> list[tuple[int, str, int]]:
        """Return day since 1970-01-01, section and number of people of each cell, in this order."""
        read = "SELECT day, section, people FROM shown ORDER BY day, section"
        with self._translate_errors(DataError, "used"), self._open_file() as store:
            return [
                (day, section, people) for day, section, people in store.execute(read).fetchall()
            ]
