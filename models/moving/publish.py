"""A cloaked log from a log of positions, and the account of what it shows and what it costs."""

from dataclasses import dataclass, field, replace
from secrets import randbits

import numpy as np

from kproof.errors import DataError, InvalidArgument
from kproof.forms import JsonForm
from kproof.models.base.arrays import Codes
from kproof.models.base.parameters import SEED
from kproof.models.moving.cell_files import CellsFile
from kproof.models.moving.cells import CellTree
from kproof.models.moving.elsewhere import certain_elsewhere, hide_elsewhere
from kproof.models.moving.judging import Snapped, snap_log
from kproof.models.moving.labels import HIDDEN
from kproof.models.moving.observers import Presence, intersect
from kproof.models.moving.release import CloakedLog
from kproof.models.moving.rules import Mover
from kproof.models.moving.slots import every_slot
from kproof.models.moving.terms import LogTerms
from kproof.models.places.log import PositionLog
from kproof.stages import stage

LONG = 500_000_000
"""Pairs of a person and a slot that are looked at in a minute or so, if anybody reports or not."""


@dataclass(frozen=True, eq=False)
class MovingAccount:
    """What a cloaked log shows of a log. It is for the publisher, and counts people exactly."""

    people: int
    """People in the log."""
    positions: int
    """Positions that count."""
    far: int
    """Positions too far from any crossing, which do not."""
    snap_median: float
    snap_most: float
    """Metres from a position that counts to its crossing."""
    slots: int
    """Slots from the first position to the last."""
    known: int
    """Pairs of a person and a slot with a position."""
    shown: int
    """Those with a cell in the cloaked log."""
    sessions: int
    """Pairs of a person and a session with a position in it."""
    served: int
    """Those with a record."""
    wait: float
    """Mean number of slots that those served waited."""
    width_median: float
    width_most: float
    """Longer side in metres of the cells shown."""
    linked: float
    """Share of people with a record who are identified if somebody links their records."""
    elsewhere: float
    """Share of cells shown that follow from one other cell of the record."""

    @property
    def shown_share(self) -> float:
        """Share of the known positions that are shown."""
        # Not 0: a log none of whose positions is near the cells was refused.
        return self.shown / self.known

    @property
    def served_share(self) -> float:
        """Share of people's sessions that have a record."""
        return self.served / self.sessions

    @property
    def sentences(self) -> tuple[str, ...]:
        """The account in a few lines."""
        return (
            f"positions: {self.positions:,} of {self.people:,} people in {self.slots:,} slots;"
            f" {self.far:,} too far from a crossing",
            f"to a crossing: {self.snap_median:.0f} m in the median, at most"
            f" {self.snap_most:.0f} m",
            f"shown: {self.shown:,} of {self.known:,} positions in slots"
            f" ({100 * self.shown_share:.1f} %)",
            f"served: {self.served:,} of {self.sessions:,} sessions"
            f" ({100 * self.served_share:.1f} %), after {self.wait:.2f} slots on average",
            f"cells: {self.width_median:.0f} m wide in the median, {self.width_most:.0f} m at most",
            f"across sessions nothing is promised: {100 * self.linked:.1f} % of people are"
            " identified by anyone who links their records",
            f"where else: {100 * self.elsewhere:.1f} % of cells follow from any other cell of the"
            " record; k says nothing of that",
        )

    to_dict = JsonForm(
        "people positions far snap_median snap_most slots known shown shown_share sessions served",
        "served_share wait width_median width_most linked elsewhere",
        schema=1,
    )


@dataclass(frozen=True, eq=False)
class MovingRelease:
    """A cloaked log, and what its publisher knows of it; from :func:`cloak_log`."""

    release: CloakedLog
    """What is published."""
    terms: LogTerms
    """What it was made with."""
    account: MovingAccount
    """What it shows."""
    person: Codes = field(repr=False)
    """Shape (rows,): whose row each is. It is not published."""


def warn_of_size(log: PositionLog, period: int) -> str | None:
    """Return what is said before a log is cloaked that takes long; None if it does not."""
    # In Python's integers, whose product cannot run over.
    slots = int(log.time.max()) // period - int(log.time.min()) // period + 1
    if slots * log.people < LONG:
        return None
    minutes = round(slots * log.people / LONG)
    return (
        f"{slots:,} slots of {log.people:,} people take {minutes:,} minutes or more: every person"
        " is looked at in every slot; a longer --period, or a part of the log, takes less"
    )


def check_people(log: PositionLog, k: int) -> None:
    """Refuse a log with fewer than k people, before any work."""
    if log.people < k:
        people = "1 person" if log.people == 1 else f"{log.people} people"
        raise DataError(f"the log has {people}, k = {k}: need k people or more")


def cloak_log(
    log: PositionLog, file: CellsFile, terms: LogTerms, *, seed: object = None
) -> MovingRelease:
    """Cloak a log of positions in cells, by all of the terms.

    Args:
        log: Who was where and when.
        file: The cells, and the file they are in.
        terms: What is asked; ``cells`` is filled in.
        seed: Decides the draws; by default they are random. Whoever knows it may link the records
            of a person, and finds no fewer than k people for each.

    Raises:
        DataError: If there are fewer than k people, in the log or in any slot, or no position is
            near the cells.
        InvalidArgument: If a slot is longer than the log.
    """
    assert terms.k is not None
    check_people(log, terms.k)
    span = int(log.time.max() - log.time.min())
    if terms.period > span + 1:
        raise InvalidArgument(
            "period", terms.period, f"at most {span + 1} seconds, as the log is long"
        )
    reports = snap_log(log, file.cells, terms, file.place)
    columns = (reports.slot, reports.person, reports.code)
    presence = Presence.of(
        *columns, height=file.cells.height, age=terms.age, people=log.people
    )  # fmt: skip
    # Nobody could ever be served; said before a cloaking that may take minutes.
    if presence.most_known < terms.k:
        raise DataError(
            f"the best slot has positions of {presence.most_known} of {log.people} people,"
            f" k = {terms.k}: need a smaller k, or longer slots"
        )
    mover = Mover(
        file.cells,
        k=terms.k,
        key=randbits(128) if seed is None else SEED.read(seed),
        session=terms.session,
        widest=terms.widest,
        deadline=terms.deadline,
        age=terms.age,
    )
    count = int(reports.slot.max() - reports.slot.min()) + 1
    steps = []
    with stage(f"cloaking {log.people:,} people, slots", count) as progress:
        for reported in every_slot(*columns):
            steps.append(mover.step(*reported))
            progress.advance(len(steps))
    record, label, person, waited = (
        np.concatenate([getattr(rows, name) for rows in steps])
        for name in ("record", "label", "person", "waited")
    )
    slot = np.repeat([rows.slot for rows in steps], [len(rows.record) for rows in steps])
    # When all slots are there: what is hidden in one hangs on later ones.
    if terms.elsewhere is not None and terms.elsewhere > 1:
        label = hide_elsewhere(record, slot, label, terms.elsewhere)
    # In the order of a release, so that people keep their rows.
    order = np.lexsort((record, label, slot))
    record, slot, label, person = (column[order] for column in (record, slot, label, person))
    release = CloakedLog.of(record, slot, label)
    terms = replace(terms, cells=file.digest)
    account = _account(log, reports, presence, release, person, waited, file.cells, terms)
    return MovingRelease(release, terms, account, person)


def _account(
    log: PositionLog,
    reports: Snapped,
    presence: Presence,
    release: CloakedLog,
    person: Codes,
    waited: Codes,
    cells: CellTree,
    terms: LogTerms,
) -> MovingAccount:
    shown = release.label != HIDDEN
    widths = cells.widths(release.label[shown])
    first, session = int(presence.slot.min()), terms.session or 1
    sessions = np.unique((presence.slot - first) // session * log.people + presence.person)
    metres = reports.metres[reports.near]
    # One record for each person: what all of theirs tell together.
    linked = intersect(presence, CloakedLog.of(person, release.slot, release.label))
    return MovingAccount(
        people=log.people,
        positions=int(np.count_nonzero(reports.near)),
        far=int(np.count_nonzero(~reports.near)),
        snap_median=float(np.median(metres)),
        snap_most=float(metres.max()),
        slots=int(presence.slot.max()) - first + 1,
        known=len(presence.code),
        shown=int(np.count_nonzero(shown)),
        sessions=len(sessions),
        served=len(waited),
        wait=float(waited.mean()) if len(waited) else 0.0,
        width_median=float(np.median(widths)) if len(widths) else 0.0,
        width_most=float(widths.max(initial=0)),
        linked=linked.identified / max(linked.judged, 1),
        elsewhere=certain_elsewhere(release),
    )
