"""Loss against risk as a picture: a line for each method, and the frontier that none is below."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from kproof.models.frontier.comparison import Frontier, RiskAxis
from kproof.models.frontier.judging import Candidate
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
_DASHES = ("-", "--", ":", "-.")


def picture(found: Frontier) -> Picture:
    """Draw every admissible release: its risk to the right, its loss upwards.

    Filled marks are on the frontier. Methods have their colour and mark, budgets their dashes; k
    stands beside the releases on the frontier.
    """
    name = "frontier"
    with style(name, CHART):
        drawn = Picture(name, 640, 430)
        drawn.figure.set_layout_engine("constrained")
        axes = drawn.figure.add_subplot()
        best = found.best
        methods = list(dict.fromkeys(one.method for one in found.admissible))
        budgets = sorted({one.suppress for one in found.candidates})
        for key, group in groupby(found.admissible, key=lambda one: (one.method, one.suppress)):
            colour, mark = _LOOKS[methods.index(key[0]) % len(_LOOKS)]
            dashes = _DASHES[budgets.index(key[1]) % len(_DASHES)]
            label = key[0]
            if len(budgets) > 1:
                label += f", {float(100 * key[1]):g} %"
            _line(drawn, axes, found, list(group), (colour, mark, dashes, label))
        if len(best) > 1:
            axes.step(
                [float(found.risk_of(one)) for one in best],
                [one.loss or 0.0 for one in best],
                where="post",
                color="#3b4754",
                linewidth=6,
                alpha=0.16,
                zorder=1,
                label="frontier",
            )
        _names(axes, found, best)
        _frame(axes, found)
        if not found.admissible:
            axes.text(0.5, 0.5, "no release", transform=axes.transAxes, ha="center")
    return drawn


def _line(
    drawn: Picture,
    axes: Axes,
    found: Frontier,
    group: list[Candidate],
    look: tuple[str, str, str, str],
) -> None:
    """Draw the releases of a method with a budget, from the least risk to the greatest."""
    colour, mark, dashes, label = look
    best = found.best
    group.sort(key=lambda one: found.risk_of(one))
    risks = [float(found.risk_of(one)) for one in group]
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


def _names(axes: Axes, found: Frontier, best: tuple[Candidate, ...]) -> None:
    """Write k beside the releases on the frontier, once for those of one place."""
    for _, group in groupby(best, key=lambda one: (found.risk_of(one), one.loss)):
        one = next(group)
        axes.annotate(
            f"k={one.k}",
            (float(found.risk_of(one)), one.loss or 0.0),
            xytext=(5, -12),
            textcoords="offset points",
            fontsize=9,
            color="#3b4754",
            zorder=5,
        )


def _frame(axes: Axes, found: Frontier) -> None:
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    what = "mean" if found.axis is RiskAxis.MEAN else "largest"
    axes.set_xlabel(f"risk: {what} chance of picking a person's row")
    axes.set_ylabel("loss: certainty penalty (NCP)")
    risks = [float(found.risk_of(one)) for one in found.admissible]
    positive = [one for one in risks if one > 0]
    # Chances are 1 in so many: what k halves is one step everywhere.
    if positive and min(positive) < max(positive) / 4:
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
    axes.set_ylim(bottom=0)
    axes.margins(x=0.08, y=0.1)
    axes.grid(color="#e5e9ed", linewidth=0.8, zorder=0)
    if found.admissible:
        axes.legend(loc="upper right", fontsize=9)
