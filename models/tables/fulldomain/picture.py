"""The solution space as a picture: what every choice of levels loses, by how coarse it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kproof.models.tables.fulldomain.search import NodeState
from kproof.pictures import CHART, Picture, style

if TYPE_CHECKING:
    from kproof.models.tables.fulldomain.solutions import SolutionSpace

_MOST_TIPS = 400
"""Most nodes that are drawn one by one, each with a tip."""

_LOOKS = {
    NodeState.RULED_OUT: ("#d5dae0", "not judged: ruled out by a coarser node"),
    NodeState.COSTLY: ("#b7c7dd", "not judged: loses more than the optimum (drawn at least)"),
    NodeState.FAILS: ("#d98c5f", "leaves out more rows than the budget"),
    NodeState.MEETS: ("#2f6fb0", "has every model within the budget"),
}


def draw(space: SolutionSpace) -> Picture:
    """Return a picture of a solution space.

    Each node is a dot: the sum of its levels to the right, its loss upwards. Nodes of one sum
    stand side by side. Small spaces have a tip for each node.
    """
    from matplotlib.ticker import MaxNLocator

    name = "solution-space"
    picture = Picture(name, 760, 460)
    found = space.found
    heights = np.zeros(space.lattice.sizes, dtype=np.int64)
    for axis, column in enumerate(space.lattice.columns):
        shape = [1] * len(space.lattice.sizes)
        shape[axis] = -1
        heights = heights + np.array(column.levels).reshape(shape)
    heights = heights.reshape(-1)
    across = heights + _spread(heights)
    with style(name, CHART):
        axes = picture.figure.add_axes((0.09, 0.3, 0.88, 0.64))
        for state, (colour, told) in _LOOKS.items():
            nodes = np.flatnonzero(found.state == state)
            label = f"{told}: {len(nodes)}"
            if len(space) > _MOST_TIPS or len(nodes) == 0:
                axes.scatter(
                    across[nodes], found.loss[nodes], s=5, color=colour, lw=0, label=label,
                    rasterized=True,
                )  # fmt: skip
                continue
            for position, node in enumerate(nodes.tolist()):
                [dot] = axes.plot(
                    across[node], found.loss[node], "o", ms=5, mew=0, color=colour,
                    label="_" if position else label,
                )  # fmt: skip
                picture.tell(dot, f"node {state.name.lower()}", str(space[node]))
        if found.best is not None:
            best = found.best
            [ring] = axes.plot(
                across[best], found.loss[best], "o", ms=11, mew=2, mfc="none", color="#1b2733",
                label=f"optimum: loss {found.loss[best]:.4f}",
            )  # fmt: skip
            picture.tell(ring, "node optimum", str(space[best]))
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_xlabel("sum of the levels")
        axes.set_ylabel("loss")
        axes.set_ylim(-0.03, 1.03)
        legend = picture.figure.legend(
            *axes.get_legend_handles_labels(), loc="lower left", ncols=2, fontsize=9,
            bbox_to_anchor=(0.06, 0.0), markerscale=1.5,
        )  # fmt: skip
        legend.set_in_layout(False)
    return picture


def _spread(
    heights: np.ndarray[tuple[int, ...], np.dtype[np.int64]],
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Return how far each node stands beside the middle of its height, within a third."""
    order = np.argsort(heights, kind="stable")
    times = np.bincount(heights)
    place = np.empty(len(heights), dtype=np.float64)
    place[order] = np.arange(len(heights)) - np.repeat(np.cumsum(times) - times, times)
    return (place + 1) / (times[heights] + 1) * 0.66 - 0.33
