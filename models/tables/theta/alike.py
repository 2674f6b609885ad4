"""Classes of a θ-sensitive release that a reader cannot tell apart, and what becomes of them.

V ≥ θ is no property that a union inherits: (2, 1, 1) and (1, 2, 1) have V = 11/16 each, and the
eight rows together, (3, 3, 2), have V = 39/64.
"""

import numpy as np

from kproof.models.base.arrays import Codes, Flags
from kproof.models.base.classes import Histogram
from kproof.models.privacy.base import SLACK
from kproof.models.privacy.theta import Widths
from kproof.models.tables.release import Release
from kproof.models.tables.theta.moves import Threshold


def short(release: Release, *thresholds: Threshold) -> Flags:
    """Say of each published class whether groups that pass alone fall short of θ in it together.

    Each group is at θ or above in all sensitive columns, which have a threshold each. A class of
    one group has passed already.
    """
    several = np.bincount(release.class_of_group, minlength=release.count) > 1
    if not several.any():
        return several
    failing = [
        _short(secret.histogram, several, threshold)
        for secret, threshold in zip(release.classes().each, thresholds, strict=True)
    ]
    return np.asarray(np.any(failing, axis=0))


def _short(histogram: Histogram, several: Flags, threshold: Threshold) -> Flags:
    sizes, kind = np.unique(histogram.sizes, return_inverse=True)
    thetas = np.array([float(threshold.at(size)) for size in sizes.tolist()])[kind]
    # Floats only sort out who is surely above: whoever is near is decided by fractions.
    near = several & (Widths.of(histogram).approximate < thetas * (1 + SLACK))
    for index in np.flatnonzero(near).tolist():
        counts = histogram.counts[histogram.starts[index] : histogram.starts[index + 1]]
        near[index] = not threshold.passes(dict(enumerate(counts.tolist())))
    return near


def join_groups(release: Release, threshold: Threshold) -> Codes | None:
    """Return how groups must be joined so that those with equal labels reach θ together.

    Shape (groups,): the number of each group among fewer, in the order of their first; None if all
    that look alike pass together as they are.
    """
    failing = short(release, threshold)
    if not failing.any():
        return None
    class_of = release.class_of_group
    _, first = np.unique(class_of, return_index=True)
    # Groups of a class that passes stay as they are: joined, they would be exchanged and
    # filled anew for nothing.
    leader = np.where(failing[class_of], first[class_of], np.arange(release.groups))
    _, into = np.unique(leader, return_inverse=True)
    return into.reshape(-1).astype(np.int64)
