"""Several nodes that cloak one log together, each for the people who wait in its own area.

Everything that the rules do, they do within a cell where people wait, or within a group. So the
cells are dealt out to nodes, a group stays with the node where it was made, and whoever is served
is handed over: the others are told to wait for them no more. Ranks are those of a keyed hash and
hang on a person alone. All of it together is the same cloaked log, however many nodes there are.
"""

from __future__ import annotations

from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, Self

import numpy as np

from kproof.models.base.arrays import Codes
from kproof.models.moving.cells import CellTree
from kproof.models.moving.rules import ALONE, Mover, SlotRows, numbers_of
from kproof.theory.exact.typed import Number, integer

MOST_NODES = 1_000
"""Most nodes."""


class MovingNodes:
    """Cloaks a log by several nodes, slot by slot; rows are those of one :class:`Mover`.

    Args:
        cells, key, terms: As for :class:`~kproof.models.moving.rules.Mover`.
        nodes: How many, 1 to 1,000.
        processes: Whether each is a process of its own; use it in a ``with`` statement then.

    >>> from kproof.models.moving.cells import GridCells
    >>> with MovingNodes(GridCells(500), nodes=3, k=2, key=1) as nodes:
    ...     rows = nodes.step(5, np.array([0, 1, 2]), np.array([8, 8, 9000]))
    >>> rows.record.tolist(), rows.person.tolist()
    ([0, 1], [1, 0])
    """

    def __init__(
        self, cells: CellTree, *, nodes: Number, key: int, processes: bool = False, **terms: Any
    ) -> None:
        count = integer("nodes", nodes, least=1, most=MOST_NODES)
        kind: type[_Remote | _Local] = _Remote if processes else _Local
        movers = [Mover(cells, key=key, area=(place, count), **terms) for place in range(count)]
        self._session = movers[0].session
        self._key = key.to_bytes(32, "little")
        self._nodes = [kind(mover) for mover in movers]
        self._record = np.zeros(0, dtype=np.int64)
        self._newly = np.zeros(0, dtype=np.int64)
        self._start: int | None = None
        self._records = 0

    def step(self, slot: int, person: Codes, code: Codes) -> SlotRows:
        """Return the rows of the next slot; as :meth:`kproof.models.moving.rules.Mover.step`."""
        self._start = slot if self._start is None else self._start
        now = slot - self._start
        if now % self._session == 0:
            self._record, self._newly = (np.zeros(0, dtype=np.int64) for _ in range(2))
        for node in self._nodes:
            # All are asked before any is waited for, so that processes work at one time.
            node.ask(self._newly, slot, person, code)
        parts = [node.answer() for node in self._nodes]
        who = np.concatenate([part.person for part in parts])
        label = np.concatenate([part.label for part in parts])
        more = max(0, int(who.max(initial=-1)) + 1 - len(self._record))
        self._record = np.append(self._record, np.full(more, ALONE))
        # Ascending, as one mover would have them, and not in the order of the nodes.
        newly = np.sort(who[self._record[who] == ALONE])
        self._record[newly] = numbers_of(self._key, now, newly, self._records)
        self._records += len(newly)
        self._newly = newly
        record = self._record[who]
        order = np.lexsort((record, label))
        waited = np.concatenate([part.waited for part in parts])
        return SlotRows(slot, record[order], label[order], who[order], waited)

    def __enter__(self) -> Self:
        """Return the nodes."""
        return self

    def __exit__(self, *_: object) -> None:
        """End all processes."""
        for node in self._nodes:
            node.close()


class _Local:
    """A node in this process."""

    def __init__(self, mover: Mover) -> None:
        self._mover = mover

    def ask(self, served: Codes, slot: int, person: Codes, code: Codes) -> None:
        """Begin with a slot, of which others have served some people before."""
        # Its own people are in groups, and do not wait whatever it is told.
        self._mover.hand_over(served)
        self._rows = self._mover.step(slot, person, code)

    def answer(self) -> SlotRows:
        return self._rows

    def close(self) -> None:
        pass


class _Remote:
    """A node in a process of its own."""

    def __init__(self, mover: Mover) -> None:
        context = get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, mover), daemon=True)
        self._process.start()
        # Or else this process would wait for an answer of one that has ended.
        theirs.close()

    def ask(self, served: Codes, slot: int, person: Codes, code: Codes) -> None:
        self._pipe.send((served, slot, person, code))

    def answer(self) -> SlotRows:
        rows = self._pipe.recv()
        if isinstance(rows, Exception):
            raise rows
        assert isinstance(rows, SlotRows)
        return rows

    def close(self) -> None:
        # The node reads the end of its pipe, and ends; joined first, neither would.
        self._pipe.close()
        self._process.join()


def _serve(pipe: Connection, mover: Mover) -> None:
    """Answer until nobody asks any more."""
    node = _Local(mover)
    while True:
        try:
            request = pipe.recv()
        except EOFError:
            return
        try:
            node.ask(*request)
            pipe.send(node.answer())
        # Handed over, not raised here: whoever asked waits for an answer.
        except Exception as error:
            pipe.send(error)
