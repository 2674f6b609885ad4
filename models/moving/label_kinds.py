"""Kinds of place in a cloaked log: of whoever is in a cell that is shown, in its slot."""

import numpy as np

from kproof.errors import DataError
from kproof.models.moving.cell_files import CellsFile
from kproof.models.moving.judging import snap_log
from kproof.models.moving.labels import HIDDEN, UNKNOWN
from kproof.models.moving.observers import ClassCells, Presence
from kproof.models.moving.release import CloakedLog
from kproof.models.moving.terms import LogTerms
from kproof.models.places.kinds import KindsAsked, KindsJudged
from kproof.models.places.log import PositionLog


def judge_label_kinds(
    demand: KindsAsked,
    log: PositionLog,
    source: str,
    release: CloakedLog,
    file: CellsFile,
    terms: LogTerms,
) -> KindsJudged:
    """Judge the kinds of place of all people in each cell that a log shows in a slot.

    Whoever has the map and finds a record learns that somebody was in the cell, not that they were
    of its group: everybody inside counts. A position that is used in a later slot keeps its kind.
    """
    if not (release.label != HIDDEN).any():
        raise DataError("no cell is shown, so that there are no kinds of place to judge")
    reports = snap_log(log, file.cells, terms, file.place)
    near, positioned = reports.near, reports.code != UNKNOWN
    # The positions that count, here and in the reports in one order: number i has kind i.
    kinds = demand.read(source, log.line[near], (log.lat[near], log.lon[near]))
    place = reports.code[positioned]
    if kinds.degrees is not None:
        place, _ = file.cells.codes(*kinds.degrees)
    # Positions by their numbers first: who reports nothing stands for a report of before.
    where = Presence.of(
        reports.slot,
        reports.person,
        np.where(positioned, np.cumsum(positioned) - 1, UNKNOWN),
        height=file.cells.height,
        age=terms.age,
        last=max(int(reports.slot.max()), int(release.slot.max())),
        people=log.people,
    )
    code = reports.code[positioned][where.code]
    order = np.lexsort((code, where.slot))
    presence = Presence(
        where.slot[order], where.person[order], code[order], log.people, file.cells.height
    )
    shown = release.label != HIDDEN
    slot, label = np.unique(np.stack([release.slot[shown], release.label[shown]]), axis=1)
    cells = ClassCells.of(presence, np.arange(len(slot)), slot, label)
    region, row = cells.everybody()
    position = where.code[order[row]]
    inside = (cells.low[region] <= place[position]) & (place[position] < cells.high[region])
    return demand.judge(region, kinds, position, inside)
