"""The solution space as a picture: what every choice of levels loses, by how coarse it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from textwrap import shorten
from typing import TYPE_CHECKING, Any

import numpy as np

from kproof.models.base.arrays import Codes, Floats
from kproof.models.tables.fulldomain.search import NodeState
from kproof.pictures import CHART, Picture, style

if TYPE_CHECKING:
    from matplotlib.lines import Line2D

    from kproof.models.tables.fulldomain.solutions import SolutionSpace

_MOST_TIPS = 400
"""Most nodes that are drawn one by one, each with a tip."""

_WIDTH, _PLOT, _LINE = 760, 380, 16
"""Pixels: the picture across, the plot with its axes downwards, a line of the legend."""

_SHARP: Mapping[str, Any] = {**CHART, "savefig.dpi": 216}
"""Many marks are one image in the drawing: three pixels to each of a page, for those who zoom."""

_FAILING = (
    ("#c4571b", "X"),
    ("#8e4a9e", "s"),
    ("#b08900", "D"),
    ("#3a8a6a", "^"),
    ("#9c3d54", "v"),
)
"""Colour and mark of the nodes at which a model leaves out too many rows, in turn."""


@dataclass(frozen=True)
class _Group:
    """Nodes that are drawn alike."""

    nodes: Codes
    kind: str
    legend: str
    """Their numbers, the ``class`` of their marks, and what the legend says of them."""
    colour: str
    mark: str = "o"
    """How they look."""
    share: float = 1.0
    """Their size, as a share of the largest mark."""

    def handle(self, size: float) -> Line2D:
        """Return the mark that stands in the legend."""
        from matplotlib.lines import Line2D

        return Line2D(
            [], [], ls="", marker=self.mark, ms=size, mew=0, color=self.colour,
            label=f"{self.legend}: {len(self.nodes):,}",
        )  # fmt: skip


def draw(space: SolutionSpace) -> Picture:
    """Return a picture of a solution space.

    Each node is a mark: the sum of its levels to the right, its loss upwards. Nodes of one sum
    stand side by side. Marks tell which model leaves out most rows of a node that fails. A ring is
    around the optimum. Small spaces have a tip for each node.
    """
    from matplotlib.ticker import MaxNLocator

    name = "solution-space"
    groups = [group for group in _groups(space) if len(group.nodes)]
    below = _LINE * (len(groups) + 1) + 16
    height = _PLOT + below
    picture = Picture(name, _WIDTH, height, _SHARP)
    loss, across = space.outcomes.loss, _across(space)
    # Smaller where there are more, since marks that cover one another count as one to the eye.
    size = 8.5 if len(space) <= 50 else 6.5 if len(space) <= _MOST_TIPS else 4.2
    with style(name, _SHARP):
        plot = (0.09, (below + 50) / height, 0.88, (_PLOT - 65) / height)
        axes = picture.figure.add_axes(plot)
        for group in groups:
            look: dict[str, Any] = {"marker": group.mark, "color": group.colour}
            side = size * group.share
            if len(space) > _MOST_TIPS:
                axes.scatter(
                    across[group.nodes], loss[group.nodes], s=side**2, lw=0, rasterized=True, **look
                )
                continue
            for node in group.nodes.tolist():
                [mark] = axes.plot(across[node], loss[node], ms=side, mew=0, ls="", **look)
                picture.tell(mark, f"node {group.kind}", str(space[node]))
        handles = [group.handle(8) for group in reversed(groups)]
        handles.insert(0, _ring(space, picture, across))
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_xlabel("sum of the levels")
        axes.set_ylabel("loss")
        axes.set_ylim(-0.03, 1.04)
        legend = picture.figure.legend(
            handles=handles, loc="upper left", fontsize=10.5,
            bbox_to_anchor=(0.06, (below + 4) / height), borderpad=0.2,
            handletextpad=0.6, labelspacing=0.45,
        )  # fmt: skip
        for text in legend.get_texts():
            picture.write(text, text.get_text())
    return picture


def describe_picture(space: SolutionSpace) -> str:
    """Say in a sentence what the picture of a solution space shows."""
    outcome = space.outcomes
    meets = int((outcome.state == NodeState.MEETS).sum())
    judged = meets + int((outcome.state == NodeState.FAILS).sum())
    tally = f"{meets:,} of {judged:,} judged nodes are within the budget"
    if outcome.best is None:
        return f"There is no optimum: {tally}"
    return f"The optimum loses {outcome.loss[outcome.best]:.4f}: {tally}"


def _ring(space: SolutionSpace, picture: Picture, across: Floats) -> Line2D:
    """Draw a ring around the optimum, if there is one, and return what the legend has of it."""
    from matplotlib.lines import Line2D

    if (best := space.outcomes.best) is None:
        label = "no optimum: no node that was judged is within the budget"
        return Line2D([], [], ls="", label=label)
    levels = ", ".join(f"{name}={level}" for name, level in space.lattice.levels(best).items())
    loss = space.outcomes.loss[best]
    label = f"optimum: loss {loss:.4f}, levels {shorten(levels, 80, placeholder=' …')}"
    look: dict[str, Any] = {"ls": "", "marker": "o", "mfc": "none", "zorder": 4}
    [axes] = picture.figure.axes
    # A white ring below keeps the dark one apart from the marks around it.
    axes.plot(across[best], loss, ms=14, mew=5, mec="white", **look)
    [ring] = axes.plot(across[best], loss, ms=14, mew=2.4, mec="#1b2733", **look)
    picture.tell(ring, "node optimum", str(space[best]))
    return Line2D([], [], ms=10, mew=2.2, mec="#1b2733", label=label, **look)


def _groups(space: SolutionSpace) -> Iterator[_Group]:
    """Yield what is drawn alike, what matters least first: it is drawn over."""

    def nodes(state: NodeState) -> Codes:
        return np.flatnonzero(space.outcomes.state == state)

    many = "not judged: a coarser node leaves out too many rows (drawn at a lower bound)"
    yield _Group(nodes(NodeState.RULED_OUT), "ruled_out", many, "#c3cad2", share=0.75)
    costly = "not judged: loses more than the optimum (drawn at a lower bound)"
    yield _Group(nodes(NodeState.COSTLY), "costly", costly, "#9dbbe0", share=0.75)
    yield from _groups_by_model(space)
    meets = "has every model within the budget"
    yield _Group(nodes(NodeState.MEETS), "meets", meets, "#1f63ab", share=1.15)


def _groups_by_model(space: SolutionSpace) -> Iterator[_Group]:
    """Yield the nodes that leave out too many rows, by the model that leaves out most of them."""
    names = [model.name for model in space.judge.models]
    nodes = np.flatnonzero(space.outcomes.state == NodeState.FAILS)
    # The last are nodes at which no model was asked: their small classes are enough.
    worst = np.full(len(nodes), 0 if len(names) == 1 else len(names))
    for index, node in enumerate(nodes.tolist()):
        if (left_out := space.outcomes.left_out.get(node)) is not None:
            worst[index] = np.argmax(left_out)
    fewest = space.judge.fewest_rows
    few = f"too many rows in classes of fewer than {fewest} (drawn at a lower bound)"
    labels = [f"too many rows left out, most by {name}" for name in names]
    # Backwards: the first model is drawn last, on top.
    for place, label in reversed(list(enumerate([*labels, few]))):
        colour, mark = _FAILING[place % len(_FAILING)] if place < len(names) else ("#d9966c", "o")
        yield _Group(nodes[worst == place], "fails", label, colour, mark)


def _across(space: SolutionSpace) -> Floats:
    """Return where each node stands: at the sum of its levels, beside others of the same sum."""
    admitted = (np.array(column.levels) for column in space.lattice.columns)
    flat = reduce(np.add.outer, admitted).reshape(-1)
    return flat + _spread(flat)


def _spread(
    heights: np.ndarray[tuple[int, ...], np.dtype[np.int64]],
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Return how far each node stands beside the middle of its height, within a third."""
    order = np.argsort(heights, kind="stable")
    times = np.bincount(heights)
    place = np.empty(len(heights), dtype=np.float64)
    place[order] = np.arange(len(heights)) - np.repeat(np.cumsum(times) - times, times)
    return (place + 1) / (times[heights] + 1) * 0.66 - 0.33
