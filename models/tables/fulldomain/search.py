"""The search of a lattice for the node that loses least, and what became of every other node.

Three facts spare work, and none of them costs the optimum. A coarser node never costs less by its
labels alone, so that a branch of the lattice whose finest labels cost more than a loss that was
attained is cut off. Rows in classes that are too small at a node are so at every finer one: a
branch is cut off if its coarsest node has too many of them, or if these, left out, cost too much.
And if the models outlast the joining of classes (:attr:`Judge.monotone`), a node that leaves out
too many rows rules out all finer ones. Models that promise less are asked at every node whose loss
by the sizes of its classes alone is not above the best that was found.

Sources: Kohlmayer, Prasser, Eckert, Kemper, Kuhn, "Flash: Efficient, Stable and Optimal
K-Anonymity", PASSAT 2012, for predictive tagging; Bayardo and Agrawal, "Data privacy through
optimal k-anonymization", ICDE 2005, for lower bounds on the loss.
"""

from dataclasses import dataclass, field
from enum import IntEnum
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from kproof.models.base.arrays import Codes, Floats
from kproof.models.tables.fulldomain.judging import Judge, Judged
from kproof.models.tables.fulldomain.kernel import SHORT, SLACK, explore
from kproof.models.tables.fulldomain.lattice import LevelLattice


class NodeState(IntEnum):
    """What became of a node."""

    MEETS = 0
    """It has every model within the budget."""
    FAILS = 1
    """It leaves out more rows than the budget, or all."""
    RULED_OUT = 2
    """A coarser node leaves out too many rows already."""
    COSTLY = 3
    """It loses more than the optimum; the models were not asked."""


@dataclass(frozen=True, eq=False)
class NodeOutcomes:
    """What a search found of each node."""

    state: NDArray[np.int8] = field(repr=False)
    """Shape (nodes,): see :class:`NodeState`."""
    loss: Floats = field(repr=False)
    """Shape (nodes,): mean loss of a row; for a node that was not judged, what it is at least."""
    suppressed: Codes = field(repr=False)
    """Shape (nodes,): rows left out; -1 for a node that was not judged."""
    smallest: Codes = field(repr=False)
    """Shape (nodes,): rows of the smallest published class; 0 if there is none or nobody looked."""
    left_out: dict[int, tuple[int, ...]] = field(repr=False)
    """Rows that each model leaves out, by node, where all models were asked."""
    best: int | None
    """The node that loses least; None if there is none."""


@dataclass
class _Search:
    """A search under way: the nodes at which every model was asked, and the best of them."""

    lattice: LevelLattice
    judge: Judge
    judged: dict[int, tuple[Judged, float]] = field(default_factory=dict)
    bound: float = np.inf

    def ask(self, node: int) -> bool:
        """Judge a node and lower the bound; say whether it is within the budget."""
        if node not in self.judged:
            of_record, count = self.lattice.classes_of_records(node)
            judged = self.judge.judge(of_record[self.lattice.record_of], count)
            loss = self.lattice.approximate_loss(node, judged.published[of_record])
            self.judged[node] = judged, loss
        judged, loss = self.judged[node]
        if meets := judged.within(self.judge.budget):
            # Only a node within the budget: a loss that nobody may have bounds nothing.
            self.bound = min(self.bound, loss)
        return meets

    def descend(self) -> None:
        """Go down from the coarsest node, each step to a finer one that loses less: a first bound.

        The step that saves most by labels is tried first.
        """
        places = tuple(size - 1 for size in self.lattice.sizes)
        # If not even the coarsest node will do, there is no first bound; finer ones may still do,
        # where models are not monotone.
        if not self.ask(self.lattice.node(places)):
            return
        plain = self.lattice.plain
        while True:
            savings = {
                column: plain[column, place - 1] - plain[column, place]
                for column, place in enumerate(places)
                if place
            }
            for column in sorted(savings, key=savings.__getitem__):
                tried = (*places[:column], places[column] - 1, *places[column + 1 :])
                before = self.bound
                # A finer node may lose more: with finer labels more rows have to go.
                if self.ask(self.lattice.node(tried)) and self.bound < before:
                    places = tried
                    break
            else:
                return


def search_lattice(lattice: LevelLattice, judge: Judge, *, complete: bool = False) -> NodeOutcomes:
    """Search a lattice for the node of least loss under a judge's models and budget.

    If complete, every node is judged, so that nothing rests on what was cut off.
    """
    search = _Search(lattice, judge)
    if not complete:
        search.descend()
    begins, up, cost = lattice.layout
    short, loss, smallest = explore(
        lattice.records,
        lattice.rows,
        np.array(lattice.sizes, dtype=np.int64),
        begins,
        up,
        cost,
        lattice.distinct,
        lattice.plain,
        judge.fewest_rows,
        # With a budget of all rows no branch is cut off.
        lattice.table.rows if complete else judge.budget,
        search.bound,
        judge.counts_only and not complete,
    )
    state = np.full(len(lattice), NodeState.COSTLY, dtype=np.int8)
    # What else was cut off stays COSTLY.
    state[short == SHORT] = NodeState.RULED_OUT
    explored = short >= 0
    within = (short <= judge.budget) & (smallest > 0)
    state[explored & ~within] = NodeState.FAILS
    suppressed = np.where(explored, short, -1)
    # A node with too many rows in small classes fails whatever the other models say.
    open_to = np.flatnonzero(explored if complete else explored & within)
    if judge.counts_only:
        state[explored & within] = NodeState.MEETS
    else:
        state[explored & within] = NodeState.COSTLY
        # From the least that a node may lose: as soon as that is above the bound,
        # all behind it are too.
        in_turn = open_to[np.argsort(loss[open_to], kind="stable")]
        _ask_in_turn(search, in_turn, loss, state, complete)
        # Counts of rows say too little of these nodes where other models decide as well.
        suppressed[explored & within] = -1
        smallest[explored & within] = 0
    # A node that was cut off has the bound of its branch; what its own labels cost may be more.
    loss = np.maximum(loss, lattice.least_losses)
    left_out = {}
    for node, (judged, lost) in search.judged.items():
        state[node] = NodeState.MEETS if judged.within(judge.budget) else NodeState.FAILS
        loss[node], suppressed[node] = lost, judged.suppressed
        smallest[node], left_out[node] = judged.smallest, judged.left_out
    best = _best(lattice, judge, loss, suppressed, np.flatnonzero(state == NodeState.MEETS))
    if best is not None:
        # The sum in floats depends on its order; the one that is printed is the
        # exact one, rounded once.
        loss[best] = float(_exact(lattice, judge, best))
    return NodeOutcomes(state, loss, suppressed, smallest, left_out, best)


def _ask_in_turn(
    search: _Search, nodes: Codes, loss: Floats, state: NDArray[np.int8], complete: bool
) -> None:
    """Ask all models at nodes in the order of what they lose at least, until that is too much."""
    # A view: what is ruled out in it is ruled out in ``state``.
    box = state.reshape(search.lattice.sizes)
    for node in nodes.tolist():
        if complete:
            search.ask(node)
            continue
        if loss[node] > search.bound * SLACK:
            return
        if state[node] == NodeState.RULED_OUT or search.ask(node) or not search.judge.monotone:
            continue
        # Finer nodes leave out no fewer rows. Those that were asked keep what became of them.
        places = search.lattice.places(node)
        finer = box[tuple(slice(place + 1) for place in places)]
        finer[finer == NodeState.COSTLY] = NodeState.RULED_OUT


def _best(
    lattice: LevelLattice, judge: Judge, loss: Floats, suppressed: Codes, nodes: Codes
) -> int | None:
    """Return the node that loses least, decided by fractions where floats are close.

    Of nodes that lose the same, the one that leaves out fewest rows, then the one with the lowest
    levels from the first column on.
    """
    if len(nodes) == 0:
        return None
    # Floats only sort out who is surely worse; fractions are slow, and few nodes are near.
    near = nodes[loss[nodes] <= loss[nodes].min() * SLACK]
    if len(near) == 1:
        return int(near[0])

    def rank(node: int) -> tuple[Fraction, int, tuple[int, ...]]:
        levels = tuple(lattice.levels(node).values())
        return _exact(lattice, judge, node), int(suppressed[node]), levels

    return int(min(near.tolist(), key=rank))


def _exact(lattice: LevelLattice, judge: Judge, node: int) -> Fraction:
    of_row, count = lattice.classes(node)
    return lattice.loss(node, judge.judge(of_row, count).published[of_row])
