"""Anonymizers of logs of people who move: what they are handed, and what they return.

A **log** function takes a frame with the columns ``user``, ``slot`` (a whole number) and ``cell``,
its rows in the order of time. A place has a name such as ``c010``: a letter and its code. The
function returns a frame with the columns ``record``, ``slot`` and ``cell``, in which a cell is the
name of all places that begin so, such as ``c01``, or ``hidden``. Numbers of records are taken to be
drawn: that they do not say who is who is not judged. A program reads and writes the same as CSV.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from typing import Any

import numpy as np

from kproof.models.base.arrays import Codes, Floats
from kproof.models.moving.cell_files import CellsFile
from kproof.models.moving.cells import CellTree
from kproof.models.moving.labels import FIRST_LETTER, HIDDEN, depths, labels_of
from kproof.models.moving.publish import cloak_log
from kproof.models.moving.release import CloakedLog
from kproof.models.moving.terms import LogTerms
from kproof.models.places.log import PositionLog
from kproof.proptests.cases import LogCase, Publication
from kproof.proptests.contract import NoPublication, TableCase
from kproof.proptests.labels.frames import columns_of
from kproof.proptests.subjects.adapters import NothingPublished, as_returned
from kproof.proptests.subjects.command import Command

_COLUMNS = ("record", "slot", "cell")
_SCALE = 1000
"""Places of a degree, for a method that takes latitudes and longitudes."""


def publish_log(function: Callable[..., Any], case: LogCase) -> Publication:
    """Hand the frame of a case to a function, and read what it returns."""
    import pandas as pd

    rows = [(f"p{person}", slot, FIRST_LETTER + code) for slot, person, code in case.reports]
    frame = pd.DataFrame(rows, columns=["user", "slot", "cell"])
    before = frame.copy(deep=True)
    answer = function(frame, case)
    changed = "" if frame.equals(before) else "the frame of positions"
    with as_returned():
        release = answer if isinstance(answer, CloakedLog) else _read(answer)
    if release.rows and depths(release.label).max() > case.bits:
        raise NoPublication(
            f"it returned a cell of more than {case.bits} digits, which is no place"
        )
    return Publication(release, changed)


def run_on_log(program: Command, frame: Any, case: LogCase) -> Mapping[str, Any] | None:
    """Run a program on a frame of positions."""
    request = TableCase(columns_of(frame), ("cell",), None, parameters=case.parameters)
    return program.publish(request)


def _read(answer: Any) -> CloakedLog:
    if answer is None:
        raise NothingPublished("it returned None")
    columns = answer if isinstance(answer, Mapping) else columns_of(answer)
    missing = [name for name in _COLUMNS if name not in columns]
    if missing:
        raise NoPublication(f"it returned no column {missing[0]}; need {', '.join(_COLUMNS)}")
    beside = [str(name) for name in columns if name not in _COLUMNS]
    index = getattr(answer, "index", None)
    if index is not None and list(index) != list(range(len(index))):
        beside.append("an index")
    if beside:
        # It leaves the house with the rest, and no check of records looks at it.
        raise NoPublication(f"it returned {beside[0]} beside {', '.join(_COLUMNS)}")
    records, slots, cells = (list(columns[name]) for name in _COLUMNS)
    if not records:
        raise NothingPublished("it returned no rows")
    number = dict(zip(dict.fromkeys(records), count(), strict=False))
    return CloakedLog.of(
        np.array([number[record] for record in records]),
        np.array([_slot(slot) for slot in slots]),
        labels_of(list(map(str, cells)), "the frame", range(len(cells))),
    )


def _slot(slot: Any) -> int:
    text = str(slot)
    if not text.removesuffix(".0").isdigit():
        raise NoPublication(f"it returned {slot!r} for a slot; need a whole number")
    # A column of whole numbers that pandas has joined or filled is one of floats.
    return int(text.removesuffix(".0"))


@dataclass(frozen=True)
class HalvedLine(CellTree):
    """Places on a line, halved; their longitudes are their numbers in thousandths."""

    bits: int

    @property
    def height(self) -> int:
        """Bits of a code."""
        return self.bits

    def outline(self, label: int) -> tuple[Floats, Floats]:
        """Return nothing: nobody draws a line."""
        raise NotImplementedError(label)

    def codes(self, lat: Floats, lon: Floats) -> tuple[Codes, Floats]:
        """Return the place of each position, which is where it is."""
        del lat
        return np.rint(lon * _SCALE).astype(np.int64), np.zeros(len(lon))

    def widths(self, labels: Codes) -> Floats:
        """Return the number of places in each cell."""
        return np.where(labels == HIDDEN, np.inf, 2.0 ** (self.bits - depths(labels)))


def moving(
    frame: Any,
    k: int,
    age: int = 0,
    session: int = 4,
    deadline: int = 2,
    widest: int = 8,
    seed: int = 0,
) -> CloakedLog:
    """Cloak a log as ``kproof anonymize moving`` does, on the line of places.

    It is ``kproof verify kproof.proptests.subjects.logs:moving --kind log``.
    """
    place = frame.groupby(["user", "slot"]).cumcount().to_numpy()
    # As many moments to a slot as anybody reports in one, so that no report leaves its slot.
    period = int(place.max()) + 1
    codes = [int(cell.removeprefix(FIRST_LETTER), 2) for cell in frame["cell"]]
    time = frame["slot"].to_numpy() * period + place
    log = PositionLog.of(
        np.ones(len(frame)), np.array(codes) / _SCALE, users=frame["user"], time=time, far=None
    )
    terms = LogTerms(
        period, age=age, k=k, session=session, widest=Fraction(widest), deadline=deadline
    )  # fmt: skip
    cells = CellsFile(HalvedLine(len(frame["cell"].iloc[0]) - len(FIRST_LETTER)), "", "the line")
    return cloak_log(log, cells, terms, seed=seed).release
