"""Columns before and after: what a release does to each distribution, as SVG.

The bars before are the original rows; the steps after are the published rows, those of a class
spread evenly over the values that its label admits. Same release, same bytes. A Release draws
itself with this module, which therefore imports none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kproof.errors import InvalidArgument, one_of
from kproof.models.base.arrays import Codes
from kproof.models.base.columns import Column
from kproof.models.base.missing import text
from kproof.models.tables.coverage import coverage
from kproof.pictures import CHART, Picture, stand_in, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes


MOST_BARS = 40
"""A column of more values is drawn in this many bars."""

BAR: Mapping[str, Any] = {"color": "#d3dbe4", "edgecolor": "#7f8a97", "linewidth": 0.6}
"""How bars look: pale below the lines, with an edge that everybody sees."""

_MOST_LABELS, _LONGEST = 12, 18
_UP_TO = " … "


@dataclass(frozen=True)
class BeforeAfter:
    """A column's distribution before and after, bar by bar."""

    column: str
    labels: tuple[str, ...]
    """What each bar shows: one value, or the first and the last of a run."""
    before: tuple[float, ...]
    after: tuple[float, ...]
    """Original rows, and published rows, expected."""


def before_after(release: Any, name: str, *, bars: int = MOST_BARS) -> BeforeAfter:
    """Return the distribution of a quasi-identifier or a sensitive column before and after.

    Of a column with more values than ``bars``, values are joined in runs of one length.
    """
    released = release.class_of >= 0
    secrets = {column.name: column for column in release.table.secrets}
    generalized = {recoded.column.name: recoded for recoded in release.recoded}
    if name in secrets:
        column = secrets[name]
        ranks = order = np.arange(len(column.values))
        # Noise has values of the only sensitive column, where there is noise.
        published = np.concatenate([column.codes[released], release.noise_value])
        after: NDArray[Any] = np.bincount(published.astype(np.int64), minlength=len(order))
    elif name in generalized:
        column, covered = generalized[name].column, coverage(generalized[name])
        ranks, order = covered.rank_of, np.argsort(covered.rank_of)
        published = np.concatenate([release.class_of[released], release.noise_class])
        after = covered.spread(np.bincount(published, minlength=release.count))
    else:
        raise InvalidArgument("name", name, one_of(name, [*generalized, *secrets]))
    before = np.bincount(ranks[column.codes], minlength=len(order))
    return _join(column, order, before, after, bars)


def shift(before: Sequence[float], after: Sequence[float]) -> float | None:
    """Return the share of the rows that would have to change bars to make two columns alike.

    That is the total variation distance, from 0 to 1, of the shares of the same bars: how many rows
    there are does not count. None if there are no rows before or after.

    >>> shift([1, 3], [2, 2]), shift([1, 3], [2, 6]), shift([1, 3], [0, 0])
    (0.25, 0.0, None)
    """
    first, second = np.array(before, dtype=np.float64), np.array(after, dtype=np.float64)
    if not (first.sum() > 0 and second.sum() > 0):
        return None
    apart = float(np.abs(first / first.sum() - second / second.sum()).sum() / 2)
    # What is left of sums of floats is no difference.
    return apart if apart > 1e-9 else 0.0


def before_after_svg(release: Any, name: str, *, bars: int = MOST_BARS) -> str:
    """Draw a column's distribution before and after, as an ``<svg>`` element: a document, too."""
    chart = before_after(release, name, bars=bars)
    with style(name, CHART):
        look = {"color": "#c2372b", "linewidth": 1.8, "label": "after"}
        picture, axes = draw_bars(name, chart.labels, chart.before, [(chart.after, look)])
        picture.write(axes.set_xlabel(""), name)
        axes.set_ylabel("rows")
        axes.legend()
        apart = shift(chart.before, chart.after)
        finding = "nothing is published"
        if apart is not None:
            finding = f"before and after differ by {100 * apart:.3g} % of the rows"
        axes.set_title(finding, loc="left", fontsize="medium")
        return picture.svg(f"{name}: {finding}")


def sizes_svg(sizes: Sequence[int]) -> str:
    """Draw how many people are in classes of which size, as an ``<svg>`` element.

    >>> sizes_svg([1, 2, 2]).partition('aria-label="')[2].partition('"')[0]
    'people by size of their class: 1 of 5 alone in a class, the smallest class has 1'
    """
    people = Counter({size: size * count for size, count in Counter(sizes).items() if size})
    # Without people there is a bar of none, as nothing cannot be split into runs.
    ordered, name = sorted(people) or [0], "sizes of classes"
    alone = f"{people[1]:,} of {people.total():,} alone in a class"
    finding = f"{alone}, the smallest class has {ordered[0]:,}"
    runs = np.array_split(np.array(ordered), min(len(ordered), MOST_BARS))
    labels = [f"{run[0]}" if len(run) == 1 else f"{run[0]}{_UP_TO}{run[-1]}" for run in runs]
    with style(name, CHART):
        counts = [float(sum(people[size] for size in run.tolist())) for run in runs]
        picture, axes = draw_bars(name, labels, counts, ())
        axes.set_xlabel("size of the class")
        axes.set_title(finding, loc="left", fontsize="medium")
        return picture.svg(f"people by size of their class: {finding}")


def draw_bars(
    name: str,
    labels: Sequence[str],
    before: Sequence[float],
    after: Iterable[tuple[Sequence[float], Mapping[str, Any]]],
) -> tuple[Picture, Axes]:
    """Return bars of counts with a stair over them for each of some releases, in a picture.

    ``after`` has counts of the same bars, and the look of the stair. It is called within
    :func:`kproof.pictures.style` of the same name.
    """
    from matplotlib.ticker import StrMethodFormatter

    picture = Picture(name, 374.4, 230.4)
    picture.figure.set_layout_engine("constrained")
    axes = picture.figure.add_subplot()
    places = range(len(labels))
    axes.bar(places, before, width=0.92, zorder=2, label="before", **BAR)
    edges = [place - 0.5 for place in range(len(labels) + 1)]
    for counts, look in after:
        # Open at both ends: a line down to 0 would look like a count beside the columns.
        axes.stairs(counts, edges, baseline=None, zorder=3, **look)
    # Every so many labels, so that they do not run into one another.
    step = -(-len(labels) // _MOST_LABELS)
    texts = [_shorten(label) for label in labels[::step]]
    turned: dict[str, Any] = {"rotation": 35, "ha": "right", "rotation_mode": "anchor"}
    ticks = axes.set_xticks(places[::step], map(stand_in, texts), **turned)
    for tick, label in zip(ticks, texts, strict=True):
        picture.write(tick.label1, label)
    axes.set_xlim(edges[0], edges[-1])
    axes.set_ylim(bottom=0)
    # Counts of rows: marks at halves would be of no row.
    axes.locator_params(axis="y", integer=True)
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,.10g}"))
    axes.tick_params(axis="x", length=0)
    axes.grid(axis="y", color="#e5e9ed", linewidth=0.8, zorder=0)
    return picture, axes


def _shorten(label: str) -> str:
    """Return a label that fits below its bar: of a long run its first value, whole if that fits.

    >>> _shorten("1929-02-20 … 1941-03-13"), _shorten("Married, spouse absent")
    ('1929-02-20 …', 'Married, spouse a…')
    """
    if len(label) <= _LONGEST:
        return label
    first = label.partition(_UP_TO)[0]
    return f"{first} …" if len(first) <= _LONGEST - 2 else f"{label[: _LONGEST - 1]}…"


def _join(
    column: Column, order: Codes, before: NDArray[Any], after: NDArray[Any], bars: int
) -> BeforeAfter:
    size = len(order)
    # Runs of one length: bars of different lengths would show steps that are not there.
    starts = np.arange(0, size, -(-size // bars))
    ends = np.append(starts[1:], size) - 1
    labels = []
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        first, last = (text(column.values[int(order[place])]) for place in (start, end))
        labels.append(first if start == end else f"{first}{_UP_TO}{last}")
    return BeforeAfter(
        column.name,
        tuple(labels),
        tuple(np.add.reduceat(before.astype(np.float64), starts).tolist()),
        tuple(np.add.reduceat(after.astype(np.float64), starts).tolist()),
    )
