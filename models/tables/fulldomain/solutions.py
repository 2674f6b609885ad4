"""The solution space: every node of a lattice with what it publishes, or why nobody looked."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from kproof.errors import Infeasible, InvalidArgument, show
from kproof.models.base.verdict import SCHEMA
from kproof.models.privacy.base import Model
from kproof.models.privacy.several import judge
from kproof.models.tables.fulldomain.judging import Judge
from kproof.models.tables.fulldomain.lattice import LevelLattice
from kproof.models.tables.fulldomain.search import NodeOutcomes, NodeState
from kproof.models.tables.release import Release
from kproof.models.tables.sealing import seal
from kproof.notebooks import NotebookText

_STATE_TEXT = {
    NodeState.MEETS: "meets every model within the budget",
    NodeState.FAILS: "leaves out more rows than the budget",
    NodeState.RULED_OUT: "not judged: a coarser node leaves out too many rows already",
    NodeState.COSTLY: "not judged: loses more than the optimum",
}


@dataclass(frozen=True)
class Solution:
    """One node of the lattice."""

    levels: Mapping[str, int]
    """Level of each quasi-identifier."""
    state: NodeState
    """What became of it."""
    judged: bool
    """Whether every model was asked, so that it is known what the node publishes."""
    loss: float
    """Mean loss of a row; what it is at least if the node was not judged."""
    suppressed: int | None
    """Rows left out; if it was not judged, those in classes too small for any of the models, or
    None if nobody counted them."""
    left_out: Mapping[str, int]
    """Rows that each model leaves out of those that the models before it left; empty if it was
    not judged."""
    risk: Fraction | None
    """1 over the smallest published class: what somebody who knows that a person is in the
    release can guess right at most. None if it was not judged, or nothing is published."""

    def __str__(self) -> str:
        loss = f"loss {self.loss:.4f}" if self.judged else f"loss at least {self.loss:.4f}"
        hedge = "" if self.judged else "at least "
        noun = "row" if self.suppressed == 1 else "rows"
        rows = "" if self.suppressed is None else f", {hedge}{self.suppressed} {noun} left out"
        return f"{_level_text(self.levels)}: {_STATE_TEXT[self.state]}; {loss}{rows}"

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form; the risk as an exact string."""
        return {
            "levels": dict(self.levels),
            "state": self.state.name.lower().replace("_", "-"),
            "judged": self.judged,
            "loss" if self.judged else "loss_at_least": self.loss,
            "suppressed" if self.judged else "suppressed_at_least": self.suppressed or 0,
            "left_out": dict(self.left_out),
            "risk": None if self.risk is None else str(self.risk),
        }


@dataclass(frozen=True, eq=False)
class SolutionSpace(NotebookText):
    """What a search found of a lattice; a sequence of :class:`Solution`, the finest first."""

    lattice: LevelLattice = field(repr=False)
    """The nodes."""
    judge: Judge = field(repr=False)
    """The models and the budget."""
    outcomes: NodeOutcomes = field(repr=False)
    """What became of each node."""
    parameters: Mapping[str, object]
    """What was asked for."""

    def __len__(self) -> int:
        return len(self.lattice)

    def __getitem__(self, node: int) -> Solution:
        if not 0 <= node < len(self):
            raise IndexError(node)
        outcome = self.outcomes
        suppressed, smallest = int(outcome.suppressed[node]), int(outcome.smallest[node])
        names = [model.name for model in self.judge.models]
        left_out = outcome.left_out.get(node)
        # With one model the rows that were counted are its own; of several they are listed by node.
        if left_out is None and suppressed >= 0 and len(names) == 1:
            left_out = (suppressed,)
        return Solution(
            levels=self.lattice.levels(node),
            state=NodeState(int(outcome.state[node])),
            judged=left_out is not None,
            loss=float(outcome.loss[node]),
            suppressed=suppressed if suppressed >= 0 else None,
            left_out=dict(zip(names, left_out or (), strict=left_out is not None)),
            risk=Fraction(1, smallest) if smallest and left_out is not None else None,
        )

    def __iter__(self) -> Iterator[Solution]:
        return (self[node] for node in range(len(self)))

    def at(self, levels: Mapping[str, int]) -> Solution:
        """Return the node at some levels, one for each column."""
        return self[self.lattice.at(levels)]

    @property
    def best(self) -> Solution | None:
        """The node that loses least within the budget; None if there is none."""
        return None if self.outcomes.best is None else self[self.outcomes.best]

    @property
    def nearest(self) -> Solution:
        """Of the nodes that were judged, the one that leaves out fewest rows."""
        if len(self.judge.models) == 1:
            judged = np.flatnonzero(self.outcomes.suppressed >= 0)
        else:
            judged = np.array(sorted(self.outcomes.left_out), dtype=np.int64)
        # By rows left out first, the last key of lexsort; the loss settles ties.
        order = np.lexsort((self.outcomes.loss[judged], self.outcomes.suppressed[judged]))
        return self[int(judged[order[0]])]

    def counts(self) -> dict[str, int]:
        """Return how many nodes are in each state."""
        times = np.bincount(self.outcomes.state, minlength=len(NodeState)).tolist()
        return {state.name.lower().replace("_", "-"): times[state] for state in NodeState}

    def release(self, levels: Mapping[str, int] | None = None) -> Release:
        """Publish the table at a node: at levels of its columns, by default those of the optimum.

        Raises:
            Infeasible: If the node leaves out more rows than the budget, or no node is within it;
                or the published classes, judged again, lack a model.
        """
        node = self.outcomes.best if levels is None else self.lattice.at(levels)
        if node is None:
            raise Infeasible(self._refusal())
        of_row, count = self.lattice.classes(node)
        judged = self.judge.judge(of_row, count)
        levels = self.lattice.levels(node)
        if judged.smallest == 0:
            raise Infeasible("every row is left out at the levels asked for")
        if judged.suppressed > self.judge.budget:
            raise Infeasible(f"levels {_level_text(levels)} {self._instead(judged.suppressed)}")
        # Classes that are left out take no number, and their rows are in group -1.
        place = np.where(judged.published, np.cumsum(judged.published) - 1, -1)
        release = seal(
            self.lattice.table,
            place[of_row],
            method="full-domain",
            parameters=self.parameters,
            levels=levels,
        )
        # Fail closed: what leaves is judged as it is published, not as the search counted it.
        for verdict in judge(release.classes(), self.judge.models):
            if not verdict.holds:
                raise Infeasible(f"the classes that would be published lack a model: {verdict}")
        return release

    def _refusal(self) -> str:
        near = self.nearest
        names = ", ".join(model.name for model in self.judge.models)
        rows = near.suppressed or 0
        if rows == self.lattice.table.rows:
            return f"no levels satisfy {names}: wherever one looks, every row is left out"
        return (
            f"no levels satisfy {names} within the budget; of those looked at "
            f"{_level_text(near.levels)} comes nearest: it {self._instead(rows)}"
        )

    def _instead(self, suppressed: int) -> str:
        rows = self.lattice.table.rows
        # Rounded up: whoever allows just this much must not be refused again.
        share = -(-suppressed * 10_000 // rows) / 100
        return (
            f"leaves out {suppressed} of {rows} rows, and the budget is {self.judge.budget}; allow "
            f"suppress={share:.4g}%{self._higher()} or ask for less"
        )

    def _higher(self) -> str:
        """Return what to say of columns whose highest level is below the root."""
        low = [
            f"{show(axis.column.name)}={axis.column.most_level}"
            for axis in self.lattice.columns
            if axis.column.most_level not in (None, axis.taxonomy.top)
        ]
        return f", higher levels than {', '.join(low)}" if low else ""

    def __str__(self) -> str:
        """Return what was found, in a few lines."""
        counts = ", ".join(f"{state} {times}" for state, times in self.counts().items())
        best = "none" if self.best is None else str(self.best)
        return f"{len(self)} nodes: {counts}\noptimum: {best}"

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form: every node."""
        best = self.best
        return {
            "schema": SCHEMA,
            "parameters": dict(self.parameters),
            "models": [model.name for model in self.judge.models],
            "rows": self.lattice.table.rows,
            "budget": self.judge.budget,
            "counts": self.counts(),
            "optimum": None if best is None else best.to_dict(),
            "nodes": [solution.to_dict() for solution in self],
        }

    def to_json(self) -> str:
        """Return :meth:`to_dict` as text."""
        return json.dumps(self.to_dict(), indent=2) + "\n"


def _level_text(levels: Mapping[str, int]) -> str:
    return ", ".join(f"{name}={level}" for name, level in levels.items())


def require_models(models: object) -> None:
    """Refuse what is not a sequence of kproof's own models."""
    admissible = "a list of models of kproof.models.privacy"
    if not isinstance(models, (list, tuple)):
        raise InvalidArgument("models", models, admissible)
    for model in models:
        if not isinstance(model, Model):
            raise InvalidArgument("models", models, admissible)
