"""KACA as its document describes it: cluster first, then generalize each cluster.

Records are grouped by K-Means or, better and faster, by a partition that looks for the cut that
loses least; classes are published with labels made from their own records. What the document's
service returns is made of a release by :func:`kproof.models.tables.kaca.report.aggregate`. The
algorithm of Li, Wong, Fu and Pei that the name comes from is
:mod:`kproof.models.tables.kaca.hierarchical`.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import numpy as np

from kproof.errors import InvalidArgument
from kproof.models.base.arrays import Codes, Floats, renumber
from kproof.models.base.columns import Column
from kproof.models.base.parameters import COLUMN_WEIGHT, GROUP_K, SEED, format_by_column
from kproof.models.base.taxonomy import Taxonomy
from kproof.models.tables.axes import axis, group_size
from kproof.models.tables.cutting.least_loss import cut_where_least_is_lost
from kproof.models.tables.kaca.clock import MINUTES, minutes_of, section_numbers, with_ladders
from kproof.models.tables.release import Release
from kproof.models.tables.sealing import seal
from kproof.models.tables.table import Table
from kproof.theory.exact.typed import Number, choice
from kproof.theory.reading import PRINTED_OR_CORRECTED, Reading

MOST_ROUNDS = 300
"""K-Means ends here if clusters still change."""


class Clustering(StrEnum):
    """How records are grouped in the corrected reading."""

    PARTITION = "partition"
    """Repeated cuts in two, each the one after which labels lose least."""
    K_MEANS = "k-means"
    """K-Means with n/k centres, then merging; some 20,000 records are feasible."""


def kaca(
    table: Table,
    *,
    k: int,
    reading: Reading | str = Reading.CORRECTED,
    clustering: Clustering | str = Clustering.PARTITION,
    section: str | None = None,
    time: str | None = None,
    weight: Mapping[str, Number] | str | None = None,
    seed: int = 0,
) -> Release:
    """Publish a table in classes of similar records.

    ``clustering="partition"`` makes the cuts after which labels lose least
    (:mod:`kproof.models.tables.cutting.least_loss`): Mondrian's relaxed cuts, but for what the
    labels of times and sections lose. The same records give the same classes everywhere, except
    for which of several identical records goes where.

    ``clustering="k-means"`` is the document's way put right: scaled features with times on a
    circle, K-Means with max(n // k, 1) centres, and then, while a cluster has fewer than k
    records, the smallest (the first of these) joins the one with the nearest mean. Its
    floating-point sums depend on the numerical library beneath.

    ``reading="printed"`` takes the digits of section ids and the minutes of times as they are,
    runs K-Means once from a seeded k-means++ start, lets each cluster below k join the nearest one
    of k or more, and suppresses what is still below k. Since the largest cluster has k records if
    there are k in all, that happens only to tables with fewer than k, which are then published
    without a record; the corrected reading refuses them.

    Args:
        table: At least one quasi-identifier of any kind, and k records.
        k: Least number of records in a class, from 2.
        reading, clustering: As above; the printed reading knows K-Means only.
        section, time: Quasi-identifiers that are road section ids and times of day, if the table
            has them. They are published as regions and periods, levels that the partition counts
            like any other.
        weight: How much the loss of a quasi-identifier counts in the partition, above 0, by its
            name; 1 if it is not named.
        seed: Start of K-Means, 0, ..., 2^32 - 1.

    Raises:
        DataError: If a section id or a time cannot be read as one.
        TooLarge: If rows times quasi-identifiers reach 2^32.

    >>> import pandas as pd
    >>> from kproof.models.tables.table import Table
    >>> frame = pd.DataFrame({
    ...     "section_id": ["G56155", "G56158", "S10210", "S10220", "S10211"],
    ...     "exit_time": ["23:50", "00:10", "08:00", "17:30", "08:20"],
    ... })
    >>> table = Table.from_frame(frame, quasi_identifiers=["section_id", "exit_time"])
    >>> kaca(table, k=2, section="section_id", time="exit_time").class_of.tolist()
    [0, 0, 1, 1, 1]
    >>> kaca(table, k=6)
    Traceback (most recent call last):
    kproof.errors.InvalidArgument: k = 6: need 2 <= k <= 5, the number of records
    """
    reading = choice("reading", reading, PRINTED_OR_CORRECTED)
    clustering = choice("clustering", clustering, Clustering)
    table = with_ladders(table, section=section, time=time)
    seed = SEED.but(most=2**32 - 1).read(seed)
    weights = None if weight is None else COLUMN_WEIGHT.read(weight)
    if weights is not None and (reading, clustering) != (Reading.CORRECTED, Clustering.PARTITION):
        raise InvalidArgument("weight", format_by_column(weights), "clustering = partition with it")
    size = GROUP_K.read(k) if reading is Reading.PRINTED else group_size(table, k)
    if (reading, clustering) == (Reading.CORRECTED, Clustering.PARTITION):
        class_of = cut_where_least_is_lost(table, size, relaxed=True, weight=weights).of_row
    else:
        clustering = Clustering.K_MEANS
        features, merge = features_to_scale, merge_clusters
        if reading is Reading.PRINTED:
            features, merge = document_features, merge_once
        points = features(table, section=section, time=time)
        class_of = merge(points, _k_means(points, size, seed), size)
    settings = {
        "section": section,
        "time": time,
        "weight": None if weights is None else format_by_column(weights),
        "seed": seed if clustering is Clustering.K_MEANS else None,
    }
    parameters = {"k": size, "reading": str(reading), "clustering": str(clustering)}
    parameters |= {name: value for name, value in settings.items() if value is not None}
    return seal(table, class_of, method="kaca", parameters=parameters)


def merge_clusters(points: Floats, clusters: Codes, k: int) -> Codes:
    """Merge clusters until each has k points: the smallest with the one of nearest mean.

    Among clusters of equal size, or equally near, the one of the lowest number counts.

    >>> line = np.array([[0.0], [1.0], [5.0], [6.0], [7.0]])
    >>> merge_clusters(line, np.array([0, 1, 2, 2, 2]), 2).tolist()
    [0, 0, 1, 1, 1]
    """
    clusters, sizes, means = _summarize(points, clusters)
    into = np.arange(len(sizes))
    while sizes[smallest := int(sizes.argmin())] < k:
        gaps = ((means - means[smallest]) ** 2).sum(axis=1)
        gaps[smallest] = np.inf
        nearest = int(gaps.argmin())
        total = sizes[nearest] + sizes[smallest]
        means[nearest] += (means[smallest] - means[nearest]) * (sizes[smallest] / total)
        sizes[nearest] = total
        # A cluster that is gone is neither the smallest nor near to any other.
        sizes[smallest], means[smallest] = np.inf, np.inf
        into[into == smallest] = nearest
    return renumber(into[clusters])[0]


def merge_once(points: Floats, clusters: Codes, k: int) -> Codes:
    """Merge each cluster below k with the nearest one of k or more, as the document says.

    Distances are between means before anything is merged. Without a cluster of k, every record
    is suppressed (-1).

    >>> merge_once(np.array([[0.0], [1.0], [9.0]]), np.array([1, 1, 0]), 2).tolist()
    [0, 0, 0]
    >>> merge_once(np.array([[0.0], [1.0]]), np.array([0, 0]), 3).tolist()
    [-1, -1]
    """
    clusters, sizes, means = _summarize(points, clusters)
    large = np.flatnonzero(sizes >= k)
    if not len(large):
        return np.full(len(points), -1, dtype=np.int64)
    into = np.arange(len(sizes))
    for small in np.flatnonzero(sizes < k):
        into[small] = large[((means[large] - means[small]) ** 2).sum(axis=1).argmin()]
    return renumber(into[clusters])[0]


def _summarize(points: Floats, clusters: Codes) -> tuple[Codes, Floats, Floats]:
    """Return clusters renumbered, their sizes and their means."""
    clusters, _ = renumber(clusters)
    sizes = np.bincount(clusters).astype(np.float64)
    return clusters, sizes, _means(points, clusters, sizes)


def _means(points: Floats, clusters: Codes, sizes: Floats) -> Floats:
    sums = [np.bincount(clusters, weights=column) for column in points.T]
    return np.stack(sums, axis=1) / sizes[:, None]


def _k_means(points: Floats, k: int, seed: int) -> Codes:
    """Return the cluster of each point after K-Means with a centre for every k points.

    Nothing here is summed in several threads, so that a seed determines the clusters.
    """
    from scipy.spatial import KDTree

    centres = _spread_out(points, max(len(points) // k, 1), np.random.default_rng(seed))
    clusters = np.full(len(points), -1, dtype=np.int64)
    for _ in range(MOST_ROUNDS):
        nearest = np.asarray(KDTree(centres).query(points)[1], dtype=np.int64)
        if (nearest == clusters).all():
            break
        clusters = nearest
        sizes = np.bincount(clusters, minlength=len(centres)).astype(np.float64)
        # A centre that is nearest to no point stays where it is.
        occupied = sizes > 0
        centres[occupied] = _means(points, (np.cumsum(occupied) - 1)[clusters], sizes[occupied])
    return clusters


def _spread_out(points: Floats, count: int, draw: np.random.Generator) -> Floats:
    """Draw so many of the points, or all that differ, as k-means++ does.

    Each is the best of a few candidates, more likely those far from all that were drawn before:
    the one that leaves the least sum of squared distances.
    """
    from scipy.spatial.distance import cdist

    candidates = 2 + int(np.log(count))
    chosen = [int(draw.integers(len(points)))]
    gaps = ((points - points[chosen]) ** 2).sum(axis=1)
    # With all gaps 0 every point that differs is a centre, and there is no law left to draw from.
    while len(chosen) < count and gaps.any():
        tried = draw.choice(len(points), candidates, p=gaps / gaps.sum())
        remaining = np.minimum(gaps, cdist(points[tried], points, "sqeuclidean"))
        best = int(remaining.sum(axis=1).argmin())
        gaps = remaining[best]
        chosen.append(int(tried[best]))
    return points[chosen]


def document_features(table: Table, *, section: str | None, time: str | None) -> Floats:
    """Return the document's features, shape (rows, columns): ids' digits and times' minutes.

    Numbers of other columns are taken as they are, and values that are not numbers by their code.
    """

    def numbers(column: Column) -> Codes | Floats:
        if column.name == time:
            return minutes_of(column)
        if column.name == section:
            return section_numbers(column)
        plain = column.numeric and column.missing is None
        return np.array(column.values if plain else range(len(column.values)), dtype=np.float64)

    columns = table.quasi_identifiers
    return np.stack([numbers(column)[column.codes] for column in columns], 1).astype(np.float64)


def features_to_scale(table: Table, *, section: str | None, time: str | None) -> Floats:
    """Return each record as a point, shape (rows, dimensions), every column of the same weight.

    The printed features leave digits of section ids beside minutes of the day, so that the ids,
    some billions apart, decide alone. Here a column's most distant values are 1 apart, times of day
    lie on a circle, and values without an order are corners of a simplex or lie as far apart as
    their taxonomy says.
    """

    def points(column: Column) -> Floats:
        if column.name == time:
            return _on_circle(minutes_of(column))
        if column.name == section:
            # Ids in ascending order are leaves of their prefix tree in order.
            return np.linspace(0, 1, len(column.values))[:, None]
        if column.numeric:
            return axis(column).places[:, None]
        if column.taxonomy is not None and column.nodes is not None:
            return _in_tree(column.taxonomy, column.nodes)
        # Corners of this simplex are 1 apart, as far as the ends of any other column.
        return np.asarray(np.eye(len(column.values)) / np.sqrt(2))

    columns = table.quasi_identifiers
    return np.concatenate([points(column)[column.codes] for column in columns], axis=1)


def _on_circle(minutes: Codes) -> Floats:
    angles = minutes * (2 * np.pi / MINUTES)
    points = np.stack([np.cos(angles), np.sin(angles), np.zeros(len(minutes))], axis=1) / 2
    # A missing time is 1 away from every other.
    points[minutes < 0] = (0, 0, np.sqrt(3) / 2)
    return points


def _in_tree(tree: Taxonomy, nodes: Codes) -> Floats:
    """Mark the nodes above each value, so that squared distance is the share of levels apart."""
    marks = np.zeros((len(nodes), len(tree.labels)))
    above = nodes
    for _ in range(tree.height):
        marks[np.arange(len(nodes)), above] = 1
        above = tree.parents[above]
    # The root is above every value and tells none from another.
    marks[:, 0] = 0
    scale = np.sqrt(2 * max(tree.height, 1))
    return np.asarray(marks[:, np.flatnonzero(marks.any(axis=0))] / scale)
