"""Answers about flows: from fixed cells, checked before they leave, or from sampled ones.

The document's own algorithm, which clusters every window afresh, is behind a switch: whoever may
use it can subtract its answers.
"""

import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import Any, ClassVar

from kproof.errors import InvalidArgument, KProofError, one_of
from kproof.models.privacy import KAnonymity
from kproof.models.tables.kaca.fixed import MOST_K, FixedCells, FlowAnswer, ladder
from kproof.models.tables.kaca.report import aggregate, answer_of
from kproof.serve.closed import ClosedDays
from kproof.serve.reading import describe, require_known_forms
from kproof.serve.schema import EXACT_FORM, FlowForm
from kproof.serve.sealed import SealedExits
from kproof.serve.source import SourceGone, TollSource, zone_named
from kproof.serve.terms import identity, require_other_file, terms_of
from kproof.theory.exact.typed import integer

_EPOCH = date(1970, 1, 1)

_PAUSE = 0.2
"""Seconds from one look for cells that another process makes to the next."""

PRINTED_ROWS = 20_000
"""Exits that are clustered for one answer at most: K-Means takes time that grows with n²."""


class ServedAlgorithm(StrEnum):
    """Where an answer is from."""

    CELLS = "cells"
    """Fixed cells."""
    PRINTED = "printed"
    """The document's algorithm, run for each answer."""


class Withheld(KProofError):
    """An answer did not pass the checker and is not given."""


class Starting(KProofError):
    """The cells are not made yet."""


def day_in(zone: str, moment: datetime) -> date:
    """Return the date of a moment in a time zone."""
    return moment.astimezone(zone_named(zone)).date()


@dataclass
class Flows(ABC):
    """Answers of one database."""

    source: TollSource
    """The database."""
    sealed: ClosedDays
    """Its closed days."""
    rungs: tuple[int, ...] = ladder()
    """Every k that is answered, ascending."""
    today: Callable[[], date] | None = None
    """Returns the first day that is not closed; None for the date in the zone of the source."""
    close_after: int = 0
    """Hours from the end of a day until it is closed: what comes by then comes in time."""
    rebind: bool = False
    """Whether the file of cells may be of a database that nothing shows to be this one."""
    generation: int = field(default=0, init=False)
    """How often the cells were made; whoever keeps answers keeps them by this number."""
    reached: bool = field(default=False, init=False)
    """Whether the database could be read when it was asked last."""
    _warned: bool = field(default=False, init=False, repr=False)
    _refreshing: Any = field(default_factory=threading.Lock, init=False, repr=False)

    timed: ClassVar[bool] = True
    """Whether figures may say how long answers take, which the seal of a day is part of."""

    @property
    def allows_printed(self) -> bool:
        """Whether the document's algorithm may be asked for."""
        return False

    @property
    def form(self) -> FlowForm:
        """What answers look like."""
        return EXACT_FORM

    @property
    def promise(self) -> str:
        """What holds of all answers together, in a phrase."""
        return f"k >= {self.least} (k is one of {', '.join(map(str, self.rungs))})"

    @property
    def least(self) -> int:
        """Smallest k that is answered."""
        return self.rungs[0]

    @property
    def most(self) -> int:
        """Largest k that is answered."""
        return self.rungs[-1]

    @property
    def remark(self) -> str:
        """What whoever starts the service has to know, beside the promise."""
        return ""

    @property
    def state(self) -> Mapping[str, Any]:
        """What ``/health`` says beside what it says of every service."""
        return {}

    @property
    def ready(self) -> bool:
        """Whether there are cells."""
        return self.generation > 0

    def start(self) -> None:
        """Make the cells: first of all from what is sealed, which needs no database.

        Raises:
            DataError, SourceGone, NotSealed: If the database or the file of cells cannot be used. A
                database that is gone is no hindrance if every closed day is sealed.
        """
        # Whoever seals nothing now needs no database.
        sealed = not self.due or not self.sealed.lead()
        try:
            if sealed:
                self._seal()
            self.look()
            if sealed and self.ready:
                self._compare()
        except SourceGone:
            if not self.ready:
                raise
        first_days_are_to_come = not self.ready
        while not self.ready:
            self._seal()
            if not self.ready:
                # Another process is about to seal the first days, or dies and leaves them to us.
                time.sleep(_PAUSE)
        if sealed and first_days_are_to_come:
            # Another process has sealed them meanwhile, perhaps of another database.
            with suppress(SourceGone):
                self._compare()
        self.warn()

    def look(self) -> None:
        """Look whether the database can be read.

        Raises:
            DataError, SourceGone: If it cannot.
        """
        try:
            self.source.check()
        except KProofError:
            self.reached = False
            raise
        self.reached = True

    @property
    def due(self) -> bool:
        """Whether days were closed since cells were made."""
        return self.sealed.until is None or self.sealed.until < self._first_open_day()

    def _first_open_day(self) -> date:
        """Return the first day that is not closed."""
        if self.today is not None:
            return self.today()
        moment = datetime.now(UTC) - timedelta(hours=self.close_after)
        return day_in(self.source.columns.zone, moment)

    @property
    def ahead(self) -> str:
        """What to say if days are closed that the clock says are still to come; or nothing."""
        zone = self.source.columns.zone
        today = day_in(zone, datetime.now(UTC)) if self.today is None else self.today()
        if self.sealed.until is None or self.sealed.until <= today:
            return ""
        return (
            f"days before {self.sealed.until} are closed, and the clock says {today}: it is wrong, "
            "or was ahead; exits of these days are counted with a later day"
        )

    def warn(self) -> None:
        """Say once, on the standard error, that a clock was ahead."""
        if self.ahead and not self._warned:
            self._warned = True
            sys.stderr.write(f"kproof: {self.ahead}\n")

    def refresh(self) -> None:
        """Seal the days that were closed since; one request does it, the others go on.

        Raises:
            SourceGone, NotSealed: If the database cannot be read, or the file of cells not written.
        """
        if not self.due or not self._refreshing.acquire(blocking=False):
            return
        try:
            self._seal()
        finally:
            self._refreshing.release()

    def _seal(self) -> None:
        leads = self.sealed.lead()
        # Whoever leads looks, too: where there are no locks somebody else may have sealed days, and
        # whoever did not see that would be refused for good.
        more = self.sealed.reread()
        if not leads and not more and (self.ready or self.sealed.until is None):
            return
        if self.sealed.renamed:
            self._recognise()
            self.sealed.take_name()
        if leads and self.due:
            self._seal_days(self._first_open_day())
            self.reached = True
        self._make_cells()
        # After the cells: an answer that is kept under the new number must not be of the old ones.
        self.generation += 1

    @abstractmethod
    def _compare(self) -> None:
        """Hold the database against what is sealed, when no day is due that would."""

    @abstractmethod
    def _recognise(self) -> None:
        """Hold the database against what is sealed, which was sealed under another name."""

    @abstractmethod
    def _seal_days(self, until: date) -> None:
        """Seal what the database has of the days before one that are not sealed."""

    @abstractmethod
    def _make_cells(self) -> None:
        """Make the cells from what is sealed."""

    @abstractmethod
    def _days(self) -> tuple[int, int] | None:
        """Return the first and the last day of the cells, since 1970-01-01; None without any."""

    @abstractmethod
    def _from_cells(self, start: int, stop: int, k: int) -> dict[str, Any]:
        """Return the answer that the cells give for days since 1970-01-01, both included."""

    def window(self, start: date | None, stop: date | None) -> tuple[date, date]:
        """Return a window with the first or last day of the data where none was asked for.

        Raises:
            InvalidArgument: If it ends before it starts.
        """
        days = self._days()
        first, last = (0, 0) if days is None else days
        begin = _EPOCH + timedelta(days=first) if start is None else start
        end = _EPOCH + timedelta(days=last) if stop is None else stop
        # The end that nobody asked for gives way: a window after all data is empty, and no error.
        if begin > end and stop is None:
            end = begin
        if begin > end and start is None:
            begin = end
        if begin > end:
            raise InvalidArgument("start_date", begin.isoformat(), f"a day up to end_date = {end}")
        return begin, end

    def answer(
        self,
        start: date | None,
        stop: date | None,
        k: int,
        algorithm: ServedAlgorithm = ServedAlgorithm.CELLS,
    ) -> dict[str, Any]:
        """Return the document's answer for a window of days.

        Raises:
            InvalidArgument: If a parameter is out of range.
            Starting: If there are no cells yet.
            Withheld: If the answer does not pass the checker.
        """
        if not self.ready:
            raise Starting("the cells are not made yet: ask again in a moment")
        begin, end = self.window(start, stop)
        k = integer("k", k, least=self.least, most=self.most)
        if k not in self.rungs:
            raise InvalidArgument("k", k, one_of(k, self.rungs))
        if algorithm is ServedAlgorithm.PRINTED:
            return self._document_answer(begin, end, k)
        return self._from_cells((begin - _EPOCH).days, (end - _EPOCH).days, k)

    def _document_answer(self, _start: date, _stop: date, _k: int, /) -> dict[str, Any]:
        """Return the answer of the document's algorithm, where that may be asked for."""
        raise InvalidArgument("algorithm", "printed", "cells; the other is switched off")


@dataclass
class ExactFlows(Flows):
    """Answers that count every exit of whole cells."""

    sealed: SealedExits
    printed: bool = False
    """Whether the document's algorithm may be asked for."""
    unread: Mapping[str, int] = field(default_factory=dict, init=False)
    """Rows that the database had and that were not read when days were sealed last, by reason."""
    _shown: Mapping[str, int] = field(default_factory=dict, init=False)
    cells: FixedCells = field(init=False, repr=False)
    """What is answered from."""

    @property
    def allows_printed(self) -> bool:
        """Whether the document's algorithm may be asked for."""
        return self.printed

    def _compare(self) -> None:
        # The name is the same: a database that deletes old days may have none of the sealed ones.
        assert self.sealed.until is not None
        self.sealed.recognise(self.source.exits_before(self.sealed.until)[0], rebind=True)

    def _recognise(self) -> None:
        assert self.sealed.until is not None
        self.sealed.recognise(self.source.exits_before(self.sealed.until)[0], rebind=self.rebind)

    def _seal_days(self, until: date) -> None:
        exits, unread = self.source.exits_before(until)
        before = self.sealed.changes
        if not self.ready:
            require_known_forms(exits, unread, self.source.name)
        self.sealed.seal(exits, until, unread, self.least)
        if self.ready and unread != self.unread:
            sys.stderr.write(f"kproof: {describe(unread)}\n")
        if self.sealed.changes != before:
            late, gone, changed = self.sealed.changes
            sys.stderr.write(
                f"kproof: of days that were closed, {late} exits came late and are counted with a "
                f"later day; {gone} are gone from the database and {changed} have another toll "
                "there, and are counted as they were\n"
            )

    @property
    def state(self) -> Mapping[str, Any]:
        """How many rows are not read, as far as that may be shown."""
        return {"unread": self._shown}

    @property
    def remark(self) -> str:
        """How many rows are not read, for whoever starts the service."""
        return f"; {describe(self.unread)}" if self.unread else ""

    def _make_cells(self) -> None:
        self.unread, self._shown = self.sealed.unread("seen"), self.sealed.unread("shown")
        records = self.sealed.records(people=self.source.columns.vehicle is not None)
        self.cells = FixedCells(records, rungs=self.rungs)

    def _days(self) -> tuple[int, int] | None:
        return self.cells.days()

    def _from_cells(self, start: int, stop: int, k: int) -> dict[str, Any]:
        # Held here: another thread may put other cells in their place before the answer is checked.
        cells = self.cells
        answer = cells.answer(start, stop, k)
        require_checked(answer, cells)
        return answer_form(answer, self.source, self._shown)

    def _document_answer(self, start: date, stop: date, k: int, /) -> dict[str, Any]:
        from kproof.models.tables.kaca.method import kaca
        from kproof.models.tables.table import Table

        if not self.printed:
            return super()._document_answer(start, stop, k)
        frame = self.source.window(start, stop, PRINTED_ROWS)
        if len(frame) > PRINTED_ROWS:
            raise InvalidArgument(
                "end_date", stop.isoformat(), f"a window of at most {PRINTED_ROWS} exits"
            )
        if not len(frame):
            raise InvalidArgument("start_date", start.isoformat(), "a window with exits")
        frame["exit_time"] = frame["moment"].dt.strftime("%Y-%m-%d %H:%M:%S")
        frame["section_id"] = frame["section"]
        frame["toll"] = frame["paid"] / 100
        table = Table.from_frame(
            frame[["section_id", "exit_time", "toll"]],
            quasi_identifiers=["section_id", "exit_time"],
            sensitive="toll",
        )
        release = kaca(table, k=k, reading="printed", section="section_id", time="exit_time")
        return add_unread(dict(aggregate(release, toll="toll")), self._shown)


def require_checked(answer: FlowAnswer, cells: FixedCells) -> None:
    """Hold an answer against the checker and against the records that it counts.

    Raises:
        Withheld: If a line has fewer than k people, or its figures do not add up.
    """
    if not answer.lines:
        return
    verdict = KAnonymity(answer.k).check(answer.classes)
    if not verdict:
        raise Withheld(f"an answer is withheld: {verdict}")
    # Means are exact fractions, so that the sums are equal or something is wrong.
    counted = int(cells.records.count[answer.members].sum())
    paid = int(cells.records.cents[answer.members].sum())
    if counted != answer.records or paid != sum(
        100 * line.trucks * line.mean_toll for line in answer.lines
    ):
        raise Withheld("an answer is withheld: its lines do not add up to its records")


def answer_form(flow: FlowAnswer, source: TollSource, unread: Mapping[str, int]) -> dict[str, Any]:
    """Return an answer in the document's form."""
    described = "固定单元：已结束的日期只划分一次"
    if flow.cut:
        described += f"；被时间窗口切开的 {flow.cut} 个单元已略去"
    answer: dict[str, Any] = answer_of(
        [(line.region, line.period, line.trucks, line.mean_toll) for line in flow.lines],
        k=flow.k,
        columns=(source.columns.section, source.columns.time),
        clustering=("Fixed cells", flow.cells, described),
        records=flow.records + flow.cut_records,
        suppressed=flow.cut_records,
    )
    return add_unread(answer, unread)


def add_unread(answer: dict[str, Any], unread: Mapping[str, int]) -> dict[str, Any]:
    """Return an answer whose totals include the rows that are not read.

    Of which window such a row would be nobody knows: it is missing in each.
    """
    about, missing = answer["privacy_protection"]["statistics"], sum(unread.values())
    shown = about["total_records"] - about["suppressed_records"]
    about["total_records"] += missing
    about["suppressed_records"] += missing
    about["retention_rate"] = round(100 * shown / max(about["total_records"], 1), 2)
    about["unread_records"] = dict(unread)
    return answer


def prepare_flows(
    source: TollSource,
    cells: str | None = None,
    *,
    least: int = 5,
    most: int = MOST_K,
    printed: bool = False,
    today: Callable[[], date] | None = None,
    close_after: int = 0,
    rebind: bool = False,
) -> ExactFlows:
    """Return the answers of a database, which are yet to be started.

    Raises:
        InvalidArgument: If the file of cells is the source.
        DataError: If the file of cells cannot be used.
    """
    require_other_file(source, cells)
    rungs = ladder(least, most)
    sealed = SealedExits(cells, identity(source), rungs, terms_of(source.columns, close_after))
    return ExactFlows(
        source,
        sealed,
        rungs=rungs,
        printed=printed,
        today=today,
        close_after=close_after,
        rebind=rebind,
    )


def open_flows(source: TollSource, cells: str | None = None, **options: Any) -> ExactFlows:
    """Return the answers of a database, started; options are those of :func:`prepare_flows`.

    Raises:
        DataError, SourceGone: If the database or the file of cells cannot be used.
    """
    flows = prepare_flows(source, cells, **options)
    flows.start()
    return flows
