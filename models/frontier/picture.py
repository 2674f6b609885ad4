"""Loss against risk as a picture: a line for each method, and the frontier that none is below."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from textwrap import fill
from typing import TYPE_CHECKING

from kproof.models.frontier.finding import finding
from kproof.models.frontier.judging import Candidate, RiskAxis
from kproof.pictures import CHART, Picture, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Colours that are told apart by most eyes (Okabe and Ito), and marks for the others.
_LOOKS = (
    ("#0072b2", "o"),
    ("#d55e00", "s"),
    ("#009e73", "^"),
    ("#cc79a7", "D"),
    ("#e69f00", "v"),
    ("#56b4e9", "P"),
    ("#5b6773", "X"),
)
_WIDE, _HIGH = 40.0, 14.0
"""Pixels that the name of a release takes."""

_APART = 30
"""Losses further apart than by this factor are drawn on a logarithmic axis."""

_DASHES = ("-", "--", ":", "-.")


def picture(candidates: Sequence[Candidate], best: Sequence[Candidate], axis: RiskAxis) -> Picture:
    """Draw every admissible release: its risk to the right, its loss upwards.

    Filled marks are on the frontier. Methods have their colour and mark, budgets their dashes; k
    stands beside the releases on the frontier.

    Parameters
    ----------
    candidates
        All that were tried.
    best
        Those on the frontier, least risk first.
    axis
        The risk that they are compared by.
    """
    admissible = [one for one in candidates if not one.problem]
    name = "frontier"
    with style(name, CHART):
        drawn = Picture(name, 640, 430)
        drawn.figure.set_layout_engine("constrained")
        axes = drawn.figure.add_subplot()
        methods = list(dict.fromkeys(one.method for one in admissible))
        budgets = sorted({one.suppress for one in candidates})
        for key, group in groupby(admissible, key=lambda one: (one.method, one.suppress)):
            colour, mark = _LOOKS[methods.index(key[0]) % len(_LOOKS)]
            dashes = _DASHES[budgets.index(key[1]) % len(_DASHES)]
            label = key[0]
            if len(budgets) > 1:
                label += f", {float(100 * key[1]):g} %"
            _line(drawn, axes, list(group), best, axis, (colour, mark, dashes, label))
        if len(best) > 1:
            axes.step(
                [float(axis.of(one)) for one in best],
                [one.loss or 0.0 for one in best],
                where="post",
                color="#3b4754",
                linewidth=5,
                alpha=0.18,
                zorder=1,
                label="frontier",
            )
        _frame(axes, admissible, axis)
        axes.set_title(fill(finding(candidates), 84), loc="left", fontsize=11)
        # Where a name stands on the paper is known once the axes have their place.
        drawn.figure.draw_without_rendering()
        _names(axes, best, axis)
        if not admissible:
            axes.text(0.5, 0.5, "no release", transform=axes.transAxes, ha="center")
    return drawn


def _line(
    drawn: Picture,
    axes: Axes,
    group: list[Candidate],
    best: Sequence[Candidate],
    axis: RiskAxis,
    look: tuple[str, str, str, str],
) -> None:
    """Draw the releases of a method with a budget, from the least risk to the greatest."""
    colour, mark, dashes, label = look
    group.sort(key=lambda one: axis.of(one))
    risks = [float(axis.of(one)) for one in group]
    losses = [one.loss or 0.0 for one in group]
    axes.plot(risks, losses, dashes, color=colour, linewidth=1.2, alpha=0.8, zorder=2)
    axes.plot([], [], dashes, marker=mark, color=colour, label=label, markersize=6)
    for one, across, upwards in zip(group, risks, losses, strict=True):
        (artist,) = axes.plot(
            [across],
            [upwards],
            mark,
            color=colour,
            markerfacecolor=colour if one in best else "white",
            markersize=7 if one in best else 5.5,
            zorder=4 if one in best else 3,
        )
        tip = f"{one.name}: loss {upwards:.4f}, risk {across:.4f}, {one.classes:,} classes"
        drawn.tell(artist, "release", tip)


def _names(axes: Axes, best: Sequence[Candidate], axis: RiskAxis) -> None:
    """Write k beside releases on the frontier, as many as do not run into one another."""
    taken: list[tuple[float, float]] = []
    for one in best:
        place = (float(axis.of(one)), one.loss or 0.0)
        x, y = axes.transData.transform(place)
        if any(abs(x - left) < _WIDE and abs(y - low) < _HIGH for left, low in taken):
            continue
        taken.append((x, y))
        axes.annotate(
            f"k={one.k}",
            place,
            xytext=(6, 6),
            textcoords="offset points",
            fontsize=9,
            color="#3b4754",
            zorder=5,
        )


def _frame(axes: Axes, admissible: Sequence[Candidate], axis: RiskAxis) -> None:
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    what = "mean" if axis is RiskAxis.MEAN else "largest"
    axes.set_xlabel(f"risk: {what} chance of picking a person's row")
    axes.set_ylabel("loss: certainty penalty (NCP)")
    risks = [float(axis.of(one)) for one in admissible]
    positive = [one for one in risks if one > 0]
    if positive and min(positive) < max(positive) / 4:
        # Chances are 1 in so many: halving one is a step of the same width everywhere.
        axes.set_xscale("log")
        steps = [
            one
            for many in (1, 10, 100, 1_000, 10_000, 100_000)
            for one in (1 / many, 1 / (2 * many), 1 / (5 * many))
            if min(positive) / 1.3 <= one <= max(positive) * 1.3
        ]
        axes.xaxis.set_major_locator(FixedLocator(sorted(steps)))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(FuncFormatter(lambda one, _: f"1 in {round(1 / one):,}"))
    losses = [one.loss or 0.0 for one in admissible]
    axes.margins(x=0.08, y=0.1)
    if losses and 0 < min(losses) < max(losses) / _APART:
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(FuncFormatter(lambda one, _: f"{one:g}"))
        axes.yaxis.set_minor_locator(NullLocator())
    else:
        axes.set_ylim(bottom=0)
    axes.grid(color="#e5e9ed", linewidth=0.8, zorder=0)
    if admissible:
        axes.legend(loc="best", fontsize=9)
