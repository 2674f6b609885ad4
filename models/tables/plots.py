"""Columns before and after: what a release does to each distribution, as SVG.

The bars before are the original rows; the steps after are the published rows, those of a class
spread evenly over the values that its label admits. Same release, same bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kproof.errors import InvalidArgument
from kproof.models.tables.coverage import coverage
from kproof.models.tables.table import Column, text

if TYPE_CHECKING:
    from kproof.models.tables.release import Release

MOST_BARS = 40
"""A column of more values is drawn in this many bars."""


@dataclass(frozen=True)
class BeforeAfter:
    """A column's distribution before and after, bar by bar.

    Attributes
    ----------
    column
        Its name.
    labels
        What each bar shows: one value, or the first and the last of a run.
    before
        Original rows.
    after
        Published rows, expected.
    """

    column: str
    labels: tuple[str, ...]
    before: tuple[float, ...]
    after: tuple[float, ...]


def before_after(release: Release, name: str, *, bars: int = MOST_BARS) -> BeforeAfter:
    """Return a column's distribution before and after.

    Parameters
    ----------
    release
        From any anonymizer of tables.
    name
        A quasi-identifier or the sensitive column.
    bars
        Most bars; the values of longer columns are joined in runs of one length.

    Raises
    ------
    InvalidArgument
        If the release publishes no such column.
    """
    kept = release.class_of >= 0
    sensitive = release.table.sensitive
    if sensitive is not None and name == sensitive.name:
        size = len(sensitive.values)
        published = np.concatenate([sensitive.codes[kept], release.noise_value])
        return _joined(
            sensitive,
            np.arange(size),
            np.bincount(sensitive.codes, minlength=size),
            np.bincount(published.astype(np.int64), minlength=size),
            bars,
        )
    for recoded in release.recoded:
        if recoded.column.name == name:
            column, found = recoded.column, coverage(recoded)
            published = np.concatenate([release.class_of[kept], release.noise_class])
            sizes = np.bincount(published, minlength=release.count)
            ranks = found.rank_of[column.codes]
            return _joined(
                column,
                np.argsort(found.rank_of),
                np.bincount(ranks, minlength=len(column.values)),
                found.spread(sizes),
                bars,
            )
    known = [column.name for column in release.table.quasi_identifiers]
    known += [] if sensitive is None else [sensitive.name]
    raise InvalidArgument("name", name, f"one of {', '.join(known)}")


def before_after_svg(release: Release, name: str, *, bars: int = MOST_BARS) -> str:
    """Draw a column's distribution before and after.

    Returns
    -------
    str
        An SVG document.

    Raises
    ------
    InvalidArgument
        As :func:`before_after`.
    """
    from matplotlib.figure import Figure

    from kproof.pictures import as_svg, literal, style

    shown = before_after(release, name, bars=bars)
    with style(name):
        figure = Figure(figsize=(6.4, 3.2), layout="constrained")
        axes = figure.add_subplot()
        places = np.arange(len(shown.labels))
        axes.bar(places, shown.before, width=0.9, color="#b9c7d6", label="before")
        edges = np.append(places - 0.5, len(places) - 0.5)
        axes.stairs(shown.after, edges, color="#c2372b", linewidth=1.8, label="after")
        # Every so many labels, so that they do not run into one another.
        step = max(1, len(places) // 12)
        texts = [literal(label) for label in shown.labels[::step]]
        axes.set_xticks(places[::step], texts, rotation=30, ha="right")
        axes.set_xlabel(literal(name))
        axes.set_ylabel("rows")
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False)
        return as_svg(figure)


def _joined(
    column: Column,
    order: NDArray[np.int64],
    before: NDArray[Any],
    after: NDArray[Any],
    bars: int,
) -> BeforeAfter:
    size = len(order)
    # Runs of one length: bars of different lengths would show steps that are not there.
    starts = np.arange(0, size, -(-size // bars))
    ends = np.append(starts[1:], size) - 1
    labels = []
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        first, last = (text(column.values[int(order[place])]) for place in (start, end))
        labels.append(first if start == end else f"{first} … {last}")
    return BeforeAfter(
        column.name,
        tuple(labels),
        tuple(np.add.reduceat(before.astype(np.float64), starts).tolist()),
        tuple(np.add.reduceat(after.astype(np.float64), starts).tolist()),
    )
