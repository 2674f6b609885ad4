"""What the exact attack finds in three files: the log, the cloaked log, and the cells."""

from dataclasses import dataclass, field

import numpy as np

from kproof.errors import DataError, InvalidArgument
from kproof.forms import JsonForm
from kproof.models.attacks.intersection import Observer
from kproof.models.base.arrays import Codes, Flags, Floats
from kproof.models.moving.cell_files import CellsFile
from kproof.models.moving.cells import CellTree
from kproof.models.moving.elsewhere import least_elsewhere
from kproof.models.moving.knowing import PlacesKnown, RecordFits, count_fits
from kproof.models.moving.labels import HIDDEN, UNKNOWN
from kproof.models.moving.log_files import CloakedFile
from kproof.models.moving.observers import Presence, RecordCandidates, intersect
from kproof.models.moving.slots import reports_of
from kproof.models.moving.terms import LogTerms
from kproof.models.places.kinds import KindsJudged
from kproof.models.places.log import PositionLog

MOST_SLOTS = 100_000
"""Most slots of a log: three years of quarters of an hour. Each is looked at, if it is empty or
not."""


_WHO = {
    Observer.PRESENCE: "presence",
    Observer.METHOD: "method, if every record is another person's",
}
"""What lines call the observers. Copies of a record would count as people."""


_NOBODY = PlacesKnown()


@dataclass(frozen=True, eq=False)
class Snapped:
    """Where people report to be, as codes of cells; from :func:`snap_log`."""

    slot: Codes = field(repr=False)
    person: Codes = field(repr=False)
    code: Codes = field(repr=False)
    """Shape (reports,): by person and time. A position that does not count is UNKNOWN: whoever is
    there is no longer where they were."""
    metres: Floats = field(repr=False)
    """Shape (rows of the log,): from each position to its crossing."""
    near: Flags = field(repr=False)
    """Shape (rows of the log,): whether it is near enough to count."""


def snap_log(
    log: PositionLog, cells: CellTree, terms: LogTerms, place: str = "the cells"
) -> Snapped:
    """Return what a log reports, in cells; positions too far from any crossing do not count.

    Nor do rows that were set apart. They make their person's place unknown from then on.

    Raises:
        DataError: If none is near enough.
        InvalidArgument: If the log has more than :data:`MOST_SLOTS` slots.
    """
    span = int(log.time.max() - log.time.min())
    if span // terms.period >= MOST_SLOTS:
        low = span // MOST_SLOTS + 1
        raise InvalidArgument("period", terms.period, f"{low} seconds or more, as the log is long")
    code, metres = cells.codes(log.lat, log.lon)
    near = metres <= float(terms.snap) if terms.snap is not None else np.ones(len(code), np.bool_)
    if not near.any():
        raise DataError(
            f"{place}: no position is within {float(terms.snap or 0):g} m of a crossing, the"
            f" nearest is {metres.min():.0f} m off; are they cells of another city?"
        )
    person, time, codes = reports_of(log, np.where(near, code, UNKNOWN))
    slot = time // terms.period
    # What is not known before the first position that counts, or after the last, changes nothing.
    counted = slot[codes != UNKNOWN]
    rows = (counted.min() <= slot) & (slot <= counted.max())
    return Snapped(slot[rows], person[rows], codes[rows], metres, near)


@dataclass(frozen=True, eq=False)
class LogJudged:
    """Whether every record of a cloaked log has k candidates; from :func:`judge_log`."""

    k: int
    """Fewest candidates that every record has to have."""
    people: int
    """People in the log."""
    observers: tuple[RecordCandidates, ...]
    """What each observer finds: presence, then method."""
    victims: tuple[str, ...]
    """The candidates of the record with the fewest, for presence, by name; ten at most."""
    elsewhere: int = 1
    """Fewest different entries that a cell has to leave in another slot; 1 promises nothing."""
    least_elsewhere: int | None = None
    """Fewest that one leaves; None if no record shows two cells."""
    known: tuple[RecordFits, ...] = ()
    """What observers find who know some positions of a person, for each kind that is asked for."""
    shows: bool = True
    """Whether any record shows a cell; hidden ones alone tell nothing that could be judged."""
    sybils: int = 0
    """People with the record of somebody whom an observer controls, so that they are none of the
    candidates; 0 promises nothing."""
    kinds: KindsJudged | None = None
    """What the cells that are shown tell of kinds of place; None if that was not asked."""

    @property
    def records(self) -> int:
        """Records that were judged."""
        return self.observers[0].judged

    @property
    def unjudged(self) -> bool:
        """Whether there was nothing to judge: no cell, or no record that fits what is known."""
        return not (self.records and self.shows) or any(fits.least is None for fits in self.known)

    @property
    def sybils_leave(self) -> int | None:
        """Fewest candidates that an observer with sybils leaves; None without a record.

        Whoever controls all the others of a group has found the last.
        """
        least = self.observers[1].least
        return None if least is None else max(least - self.sybils, 1)

    @property
    def holds(self) -> bool:
        """Whether a record was judged, and all of them keep what is promised."""
        # Failing to fail is not enough: of nothing that was judged nothing fails.
        return not self.unjudged and not self.fails

    @property
    def fails(self) -> bool:
        """Whether some record keeps less than what is promised."""
        counts = [result.least for result in self.observers]
        counts += [fits.least for fits in self.known]
        few = any(count is not None and count < self.k for count in counts)
        kinds = self.kinds is not None and not self.kinds.holds
        return few or self._falls_short or kinds

    @property
    def _falls_short(self) -> bool:
        """Whether a cell tells where else somebody was, or sybils leave too few."""
        elsewhere, sybils = self.least_elsewhere, self.sybils_leave
        tells = elsewhere is not None and elsewhere < self.elsewhere
        return tells or (self.sybils > 0 and sybils is not None and sybils < self.k)

    @property
    def sentences(self) -> tuple[str, ...]:
        """What was found, a line for each observer, and the record with the fewest."""
        if not self.records:
            return ("judged: nothing, as there is no record",)
        if not self.shows:
            return (f"judged: nothing, as none of {self.records:,} records shows a cell",)
        lines = [
            f"{_WHO[result.observer]}: {result.least} candidates or more for"
            f" {result.judged:,} records, {result.below(self.k):,} have fewer than {self.k},"
            f" {result.identified:,} have one"
            for result in self.observers
        ]
        least = self.observers[0]
        if least.below(self.k):
            who = ", ".join(self.victims) or "none of the people"
            lines.append(f"smallest: record {least.worst} fits {who}")
        lines += map(str, self.known)
        if self.sybils:
            lines.append(
                f"anyone who controls {self.sybils} of the people with one record:"
                f" {self.sybils_leave} candidates or more are left, of {self.k} that are asked for"
            )
        if self.elsewhere > 1:
            entries = "no record shows two cells"
            if self.least_elsewhere is not None:
                entries = f"a cell leaves {self.least_elsewhere} entries or more in any other slot"
            lines.append(f"where else: {entries}, of {self.elsewhere} that are asked for")
        return tuple(lines) + (self.kinds.sentences if self.kinds else ())

    to_dict = JsonForm(
        "k people records holds observers victims elsewhere least_elsewhere known sybils",
        "sybils_leave kinds",
        schema=1,
    )


def judge_log(
    log: PositionLog, cloaked: CloakedFile, file: CellsFile, knowledge: PlacesKnown = _NOBODY
) -> LogJudged:
    """Attack a cloaked log with the log that it was made of.

    Two observers are judged, and those who know what is said beside them. The observer who knows
    the method is judged by equal records: she is right about a log whose numbers of records are
    drawn, as :class:`~kproof.models.moving.rules.Mover` draws them.

    Raises:
        DataError: If the cloaked log was made with other cells, or names cells that there are not,
            or no position is near the cells.
        InvalidArgument: If neither the file nor anybody says the k that is to be judged.
    """
    terms, release = cloaked.terms, cloaked.release
    if terms.cells is not None and terms.cells != file.digest:
        raise DataError(
            f"{cloaked.place}: was made with other cells than {file.place}: those with SHA-256"
            f" {terms.cells[:16]}…, not {file.digest[:16]}…"
        )
    if terms.k is None:
        raise InvalidArgument("k", None, f"the fewest candidates, as {cloaked.place} does not say")
    cells, shown = file.cells, release.label != HIDDEN
    widths = cells.widths(release.label)
    # A label that is no cell is infinitely wide; judged as one, it would be some span of codes.
    bad = np.flatnonzero(shown & ~np.isfinite(widths))
    if len(bad):
        number = release.record[bad[0]]
        raise DataError(f"{cloaked.place}: record {number} shows a cell that {file.place} lacks")
    if terms.widest is not None:
        wide = np.flatnonzero(shown & (widths > float(terms.widest)))
        if len(wide):
            raise DataError(
                f"{cloaked.place}: record {release.record[wide[0]]} shows a cell wider than the"
                f" {terms.widest} m of its first line"
            )
    # Whoever reads the first line takes no record to be longer: a longer one links more slots.
    if terms.session is not None and release.rows:
        slots = np.bincount(np.unique(release.record, return_inverse=True)[1].reshape(-1))
        if slots.max() > terms.session:
            number = np.unique(release.record)[np.argmax(slots)]
            raise DataError(
                f"{cloaked.place}: record {number} has {slots.max()} slots, more than the session"
                f" of {terms.session} of its first line"
            )
    reports = snap_log(log, cells, terms, file.place)
    # A slot that nobody has a position in is the same for all that come after.
    beyond = int(reports.slot.max()) + terms.age + 1
    last = min(int(release.slot.max()), beyond) if release.rows else beyond
    presence = Presence.of(
        reports.slot,
        reports.person,
        reports.code,
        height=cells.height,
        age=terms.age,
        # Where somebody's home is the whole log says, also behind the last record.
        last=max(last, int(reports.slot.max())),
        people=log.people,
    )
    observers = tuple(intersect(presence, release, observer=observer) for observer in Observer)
    # The observer who knows the method counts equal records as people; copies would be nobody.
    people, equal = (result.counts for result in observers)
    copies = np.flatnonzero((people > 0) & (equal > people))
    if len(copies):
        raise DataError(
            f"{cloaked.place}: record {observers[0].records[copies[0]]} is equal to"
            f" {equal[copies[0]]} records and fits {people[copies[0]]} people: not every record is"
            " another person's, so that k of them hide nobody"
        )
    victims = tuple(log.names[person] for person in observers[0].example[:10].tolist())
    return LogJudged(
        k=terms.k,
        people=log.people,
        observers=observers,
        victims=victims,
        elsewhere=terms.elsewhere or 1,
        least_elsewhere=least_elsewhere(release),
        known=count_fits(presence, release, knowledge, terms.period),
        shows=bool(shown.any()),
        sybils=knowledge.sybils,
    )
