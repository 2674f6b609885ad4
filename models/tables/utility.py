"""What a release costs: discernibility, class size, noise, certainty, retention, query error.

The measures are functions of arrays; :func:`utility` puts them together for a release. Whole
numbers and shares of rows are exact, certainty and query errors are floats.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from kproof.forms import JsonForm
from kproof.models.base.arrays import Codes
from kproof.models.base.parameters import K
from kproof.models.base.verdict import SCHEMA
from kproof.models.tables.coverage import coverage, penalties
from kproof.models.tables.queries import QueryError, query_error
from kproof.models.tables.release import Release
from kproof.theory.exact.typed import Number, integer


@dataclass(frozen=True)
class Utility:
    """What a release keeps and what it costs."""

    rows: int
    published: int
    noise: int
    suppressed: int
    """Original rows; published rows, of which noise; original rows that are suppressed."""
    classes: int
    """Number of classes, without that of marked rows."""
    k: int
    """The class size C_AVG is measured by."""
    discernibility: int
    """DCP, see :func:`discernibility`."""
    least_discernibility: int
    """What no partition of the original rows into classes of k can go below."""
    average_class_size: Fraction | None
    """C_AVG, see :func:`average_class_size`; None if nothing is published."""
    noise_share: Fraction
    """Noise rows over published rows."""
    retention: Fraction
    """Original rows that are not suppressed over all original rows."""
    penalties: Mapping[str, float]
    """Mean NCP of the original rows by quasi-identifier, 1 for those that are suppressed."""
    penalty: float
    """The mean over quasi-identifiers, 0 if there are none."""
    query_error: QueryError | None
    """None if no queries were asked for."""
    budget: Fraction | None = None
    """Largest share of rows that might be suppressed; None if nobody said."""
    marked: bool = False
    """Whether suppressed rows are published with a mark in every quasi-identifier."""

    def __str__(self) -> str:
        size = self.average_class_size
        lines = [
            f"rows: {self.published} published of {self.rows} "
            f"({self.noise} noise, {self.suppressed} suppressed{self._sentence})",
            f"discernibility: {self.discernibility} (at least {self.least_discernibility})",
            f"average class size: {'none' if size is None else f'{float(size):.4g}'} x {self.k}",
            f"certainty penalty: {self.penalty:.4f}",
        ]
        if self.query_error is not None:
            lines.append(
                f"query error: {self.query_error.uniform_mean:.4f} uniform, "
                f"{self.query_error.intersecting_mean:.4f} intersecting"
            )
        return "\n".join(lines)

    @property
    def _sentence(self) -> str:
        if not self.suppressed:
            return ""
        allowed = "" if self.budget is None else f" of at most {int(self.budget * self.rows)}"
        return f"{allowed} and {'marked' if self.marked else 'dropped'}"

    to_dict = JsonForm(schema=SCHEMA)


def discernibility(sizes: Codes, *, suppressed: int = 0, rows: int = 0) -> int:
    """Return DCP: the sum of squared class sizes, and all rows for each suppressed one.

    ``sizes``, shape (classes,), are published rows, noise included, as in the paper; ``rows`` are
    all original ones. Source: Bayardo and Agrawal, "Data privacy through optimal k-anonymization",
    ICDE 2005.

    >>> discernibility(np.array([2, 2, 2, 2, 2]))
    20
    >>> discernibility(np.array([4]), suppressed=1, rows=5)
    21
    """
    return int((sizes.astype(np.int64) ** 2).sum()) + suppressed * rows


def least_discernibility(rows: int, k: int) -> int:
    """Return the least DCP of a partition of rows into classes of at least k.

    Squares are convex, so level classes are best, and more of them are better still.

    >>> least_discernibility(10, 2), least_discernibility(11, 2), least_discernibility(3, 4)
    (20, 25, 9)
    """
    if rows == 0:
        return 0
    # Fewer rows than k are one class all the same, as nothing is smaller.
    classes = max(rows // k, 1)
    size, larger = divmod(rows, classes)
    return larger * (size + 1) ** 2 + (classes - larger) * size**2


def average_class_size(published: int, classes: int, k: int) -> Fraction:
    """Return C_AVG: the mean class size over k (LeFevre, DeWitt and Ramakrishnan, ICDE 2006).

    >>> average_class_size(10, 4, 2)
    Fraction(5, 4)
    """
    return Fraction(published, classes * k)


def utility(
    release: Release,
    *,
    k: Number | None = None,
    queries: Number = 1000,
    dimension: Number | None = None,
    selectivity: Number = "0.1",
    seed: int = 0,
) -> Utility:
    """Return what a release keeps and what it costs.

    Args:
        release: From any anonymizer of tables.
        k: Class size to measure by; by default the release's own parameter, and without one the
            fewest people in a class.
        queries: Number of random COUNT queries; 0 for none.
        dimension: Quasi-identifiers in a query; by default 2, or 1 where there is one.
        selectivity, seed: See :func:`kproof.models.tables.queries.random_queries`.
    """
    table, noise = release.table, len(release.noise_class)
    people = people_of(release)
    added = np.bincount(release.noise_class, minlength=release.count)
    sizes = (people + added).astype(np.int64)
    retained, formed = int(people.sum()), int(np.count_nonzero(sizes))
    # A class may be empty of people: noise alone, or marked rows.
    fewest = people[people > 0].min(initial=table.rows)
    size = K.read(release.parameters.get("k", fewest) if k is None else k)
    penalty_of = {
        recoded.column.name: float((penalties(recoded) * people).sum() + table.rows - retained)
        / table.rows
        for recoded in release.recoded
    }
    error = None
    if integer("queries", queries, least=0) > 0:
        covered = [coverage(recoded) for recoded in release.recoded]
        pairs = zip(covered, release.recoded, strict=True)
        error = query_error(
            [cover.rank_of[recoded.column.codes] for cover, recoded in pairs],
            covered,
            # Marked rows are no class that was formed, but they are there to be counted.
            np.bincount(release.class_of[release.class_of >= 0], minlength=release.count) + added,
            queries=queries,
            dimension=min(2, len(covered)) if dimension is None else dimension,
            selectivity=selectivity,
            seed=seed,
        )
    return Utility(
        rows=table.rows,
        published=release.rows,
        noise=noise,
        suppressed=table.rows - retained,
        classes=formed,
        k=size,
        discernibility=discernibility(sizes, suppressed=table.rows - retained, rows=table.rows),
        least_discernibility=least_discernibility(table.rows, size),
        average_class_size=(average_class_size(retained + noise, formed, size) if formed else None),
        noise_share=Fraction(noise, release.rows) if release.rows else Fraction(0),
        retention=Fraction(retained, table.rows),
        penalties=penalty_of,
        penalty=sum(penalty_of.values()) / max(len(penalty_of), 1),
        query_error=error,
        budget=release.budget,
        marked=release.marked,
    )


def people_of(release: Release) -> Codes:
    """Return, shape (classes,), the original rows of each class that are not suppressed."""
    published = np.ones(release.table.rows, dtype=np.bool_)
    published[release.suppressed] = False
    return np.bincount(release.class_of[published], minlength=release.count).astype(np.int64)


def loss_of(release: Release) -> float:
    """Return what labels lose (NCP), summed over rows and quasi-identifiers.

    A row that is added or suppressed loses as much as one can.
    """
    people = people_of(release)
    lost_rows = len(release.suppressed) + len(release.noise_class)
    return sum(float((penalties(shown) * people).sum()) + lost_rows for shown in release.recoded)
