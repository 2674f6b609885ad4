"""Labels of clusters as numbers, and what they cost: the form that inner loops work on."""

from typing import NamedTuple

from kproof.models.base.arrays import Codes, Flags


class Labels(NamedTuple):
    """What the label of a cluster costs, for all attributes."""

    nodes: Codes
    """Shape (users, attributes): a number's rank, or a category's node; -1 is a missing number."""
    starts: Codes
    """Shape (attributes,): where an attribute's entries of the others begin."""
    spans: Flags
    """Shape (attributes,): whether labels are ranges."""
    costs: Codes
    """The place of each rank, for what lies between ends; or the cost of each node."""
    parents: Codes
    ends: Codes
    """Parent and last descendant of each node."""
    whole: int
    """What a label costs that tells nothing."""


def _lowest_cover(labels: Labels, start: int, top: int, node: int) -> int:
    """Return the lowest node of a taxonomy at or above ``top`` that has ``node`` below it."""
    # Nodes are numbered so that those below one follow it, up to its end: two comparisons tell. The
    # root has all of them, so that the climb ends.
    while node < top or labels.ends[start + top] < node:
        top = labels.parents[start + top]
    return top


def join(labels: Labels, low: Codes, high: Codes, user: int) -> None:
    """Widen the labels of a cluster to cover a user.

    A range is ``low`` to ``high``, both -1 for missing numbers only, with ``low`` -2 if it covers
    missing and other numbers; a node is ``low``.
    """
    for column in range(len(labels.starts)):
        start, node = labels.starts[column], labels.nodes[user, column]
        if labels.spans[column]:
            # Beside a number, a missing value may be any: no range covers both.
            if low[column] == -2 or (node < 0) != (low[column] < 0):
                low[column] = -2
            else:
                low[column] = min(low[column], node)
                high[column] = max(high[column], node)
        else:
            low[column] = _lowest_cover(labels, start, low[column], node)


def label_cost(labels: Labels, low: Codes, high: Codes, user: int) -> int:
    """Return what the labels of a cluster cost that cover one more user."""
    total = 0
    for column in range(len(labels.starts)):
        start, node = labels.starts[column], labels.nodes[user, column]
        if labels.spans[column]:
            if low[column] == -2 or (node < 0) != (low[column] < 0):
                total += labels.whole
            elif node >= 0:
                above, below = max(high[column], node), min(low[column], node)
                total += labels.costs[start + above] - labels.costs[start + below]
        else:
            total += labels.costs[start + _lowest_cover(labels, start, low[column], node)]
    return total


def begin(labels: Labels, low: Codes, high: Codes, user: int) -> None:
    """Set the labels of a cluster to those of its first user."""
    for column in range(len(labels.starts)):
        low[column] = high[column] = labels.nodes[user, column]
