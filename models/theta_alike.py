"""Classes of a θ-sensitive release that a reader cannot tell apart, and what becomes of them.

V ≥ θ is no property that a union inherits: (2, 1, 1) and (1, 2, 1) have V = 11/16 each, and the
eight rows together, (3, 3, 2), have V = 39/64.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kproof.models.classes import Codes
from kproof.models.privacy.base import SLACK
from kproof.models.privacy.theta import Widths
from kproof.models.theta_moves import Threshold

if TYPE_CHECKING:
    from kproof.models.release import Release


def joined(release: Release, threshold: Threshold) -> Codes | None:
    """Return how classes must be joined so that those with equal labels reach θ together.

    Parameters
    ----------
    release
        With a sensitive column.
    threshold
        When classes pass.

    Returns
    -------
    array of int64, or None
        Shape (classes,): the number of each class among fewer, in the order of their first; None
        if all that look alike pass together as they are.
    """
    group_of, groups = release.label_groups
    if groups == release.count:
        return None
    found = release.classes("label").histogram
    sizes, kind = np.unique(found.sizes, return_inverse=True)
    thetas = np.array([float(threshold.at(size)) for size in sizes.tolist()])[kind]
    near = Widths.of(found).approximate < thetas * (1 + SLACK)
    # A class that is alone under its label has passed already.
    near &= np.bincount(group_of, minlength=groups) > 1
    short = np.zeros(groups, dtype=np.bool_)
    for group in np.flatnonzero(near).tolist():
        counts = found.counts[found.starts[group] : found.starts[group + 1]]
        short[group] = not threshold.passes(dict(enumerate(counts.tolist())))
    if not short.any():
        return None
    _, first = np.unique(group_of, return_index=True)
    leader = np.where(short[group_of], first[group_of], np.arange(release.count))
    _, into = np.unique(leader, return_inverse=True)
    return into.reshape(-1).astype(np.int64)
