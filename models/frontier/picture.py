"""Loss against risk as a picture: a line for each method, and the frontier that none is below.

What a comparison of releases shows, in one sentence: the title of its picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from textwrap import fill
from typing import TYPE_CHECKING, Any

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

    Filled marks are on the frontier, ``best``, least risk first. Methods have their colour and
    mark, budgets their dashes; k stands beside the releases on the frontier.
    """
    admissible = [candidate for candidate in candidates if not candidate.problem]
    name = "frontier"
    with style(name, CHART):
        drawing = Picture(name, 640, 430)
        drawing.figure.set_layout_engine("constrained")
        axes = drawing.figure.add_subplot()
        methods = list(dict.fromkeys(candidate.method for candidate in admissible))
        budgets = sorted({candidate.suppress for candidate in candidates})
        for key, group in groupby(
            admissible, key=lambda candidate: (candidate.method, candidate.suppress)
        ):
            colour, mark = _LOOKS[methods.index(key[0]) % len(_LOOKS)]
            dashes = _DASHES[budgets.index(key[1]) % len(_DASHES)]
            label = key[0] + (f", {float(100 * key[1]):g} %" if len(budgets) > 1 else "")
            _line(drawing, axes, list(group), best, axis, (colour, mark, dashes, label))
        if len(best) > 1:
            risks = [float(axis.of(candidate)) for candidate in best]
            losses = [candidate.loss or 0.0 for candidate in best]
            look: dict[str, Any] = {"color": "#3b4754", "linewidth": 5, "alpha": 0.18, "zorder": 1}
            # A step: between two releases there is none that loses less than the one before.
            axes.step(risks, losses, where="post", label="frontier", **look)
        _frame(axes, admissible, axis)
        axes.set_title(fill(describe_frontier(candidates), 84), loc="left", fontsize=11)
        # Where a name stands on the paper is known once the axes have their place.
        drawing.figure.draw_without_rendering()
        _names(axes, best, axis)
        if not admissible:
            axes.text(0.5, 0.5, "no release", transform=axes.transAxes, ha="center")
    return drawing


def _line(
    drawing: Picture,
    axes: Axes,
    group: list[Candidate],
    best: Sequence[Candidate],
    axis: RiskAxis,
    look: tuple[str, str, str, str],
) -> None:
    """Draw the releases of a method with a budget, from the least risk to the greatest."""
    colour, mark, dashes, label = look
    group.sort(key=axis.of)
    risks = [float(axis.of(candidate)) for candidate in group]
    losses = [candidate.loss or 0.0 for candidate in group]
    axes.plot(risks, losses, dashes, color=colour, linewidth=1.2, alpha=0.8, zorder=2)
    # For the legend: the line has no marks, and the marks, one by one, no dashes.
    axes.plot([], [], dashes, marker=mark, color=colour, label=label, markersize=6)
    for candidate, across, upwards in zip(group, risks, losses, strict=True):
        filled, size, order = (colour, 7, 4) if candidate in best else ("white", 5.5, 3)
        (artist,) = axes.plot(
            [across], [upwards], mark, color=colour, mfc=filled, markersize=size, zorder=order
        )
        figures = f"loss {upwards:.4f}, risk {across:.4f}, {candidate.classes:,} classes"
        drawing.tell(artist, "release", f"{candidate.name}: {figures}")


def _names(axes: Axes, best: Sequence[Candidate], axis: RiskAxis) -> None:
    """Write k beside releases on the frontier, as many as do not run into one another."""
    labelled: list[tuple[float, float]] = []
    for candidate in best:
        place = (float(axis.of(candidate)), candidate.loss or 0.0)
        x, y = axes.transData.transform(place)
        if any(abs(x - start) < _WIDE and abs(y - low) < _HIGH for start, low in labelled):
            continue
        labelled.append((x, y))
        axes.annotate(
            f"k={candidate.k}",
            place,
            xytext=(6, 6),
            textcoords="offset points",
            fontsize=9,
            color="#3b4754",
            zorder=5,
        )


def _frame(axes: Axes, admissible: Sequence[Candidate], axis: RiskAxis) -> None:
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    measure = "mean" if axis is RiskAxis.MEAN else "largest"
    axes.set_xlabel(f"risk: {measure} chance of picking a person's row")
    axes.set_ylabel("loss: certainty penalty (NCP)")
    risks = [float(axis.of(candidate)) for candidate in admissible]
    positive = [risk for risk in risks if risk > 0]
    if positive and min(positive) < max(positive) / 4:
        # Chances are 1 in so many: halving one is a step of the same width everywhere.
        axes.set_xscale("log")
        steps = [
            step
            for many in (1, 10, 100, 1_000, 10_000, 100_000)
            for step in (1 / many, 1 / (2 * many), 1 / (5 * many))
            if min(positive) / 1.3 <= step <= max(positive) * 1.3
        ]
        axes.xaxis.set_major_locator(FixedLocator(sorted(steps)))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(FuncFormatter(lambda risk, _: f"1 in {round(1 / risk):,}"))
    losses = [candidate.loss or 0.0 for candidate in admissible]
    axes.margins(x=0.08, y=0.1)
    if losses and 0 < min(losses) < max(losses) / _APART:
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(FuncFormatter(lambda loss, _: f"{loss:g}"))
        axes.yaxis.set_minor_locator(NullLocator())
    else:
        axes.set_ylim(bottom=0)
    axes.grid(color="#e5e9ed", linewidth=0.8, zorder=0)
    if admissible:
        axes.legend(loc="best", fontsize=9)


_EQUAL = 1e-9
"""Losses are means of floats: what differs by less is taken for equal."""


def describe_frontier(candidates: Sequence[Candidate]) -> str:
    """Say which method loses least, k by k; of the budgets of a method the one that loses least.

    Releases that were refused or lack what was asked for are not compared.

    >>> from fractions import Fraction
    >>> tried = [Candidate("mondrian", k, Fraction(0), {}, loss=k / 100) for k in (2, 10)]
    >>> describe_frontier([*tried, Candidate("kaca", 10, Fraction(0), {}, loss=0.3)])
    'mondrian loses least at k = 10; at k = 2 only one has a release'
    >>> describe_frontier(tried)
    'mondrian loses 0.0200 at k = 2 and 0.1000 at k = 10'
    """
    losses: dict[int, dict[str, float]] = {}
    for candidate in candidates:
        if not candidate.problem and candidate.loss is not None:
            costs = losses.setdefault(candidate.k, {})
            before = costs.get(candidate.method, candidate.loss)
            costs[candidate.method] = min(candidate.loss, before)
    if not losses:
        return "There is no release to compare"
    methods = list(dict.fromkeys(name for costs in losses.values() for name in costs))
    if len(methods) == 1:
        return _alone(methods[0], {k: costs[methods[0]] for k, costs in sorted(losses.items())})
    rivals = {k: costs for k, costs in sorted(losses.items()) if len(costs) > 1}
    if not rivals:
        return f"No two of {len(methods)} methods have a release at the same k"
    winners = {k: _least(costs) for k, costs in rivals.items()}
    if all(len(winners[k]) == len(rivals[k]) for k in rivals):
        return f"The methods lose the same {_at(list(rivals))}"
    wins: dict[tuple[str, ...], list[int]] = {}
    for k, names in winners.items():
        wins.setdefault(names, []).append(k)
    sentence = ", ".join(
        f"{_list(names)} lose{'s' * (len(names) == 1)} least {_at(sizes)}"
        for names, sizes in wins.items()
    )
    single = [k for k in sorted(losses) if k not in rivals]
    return sentence + (f"; {_at(single)} only one has a release" if single else "")


def _least(losses: dict[str, float]) -> tuple[str, ...]:
    lowest = min(losses.values())
    return tuple(name for name, loss in losses.items() if loss <= lowest + _EQUAL)


def _alone(method: str, losses: dict[int, float]) -> str:
    first, last = min(losses), max(losses)
    if first == last:
        return f"{method} loses {losses[first]:.4f} at k = {first}"
    values = list(losses.values())
    if max(values) - min(values) <= _EQUAL:
        return f"{method} loses {values[0]:.4f} {_at(list(losses))}"
    return f"{method} loses {losses[first]:.4f} at k = {first} and {losses[last]:.4f} at k = {last}"


def _at(sizes: Sequence[int]) -> str:
    """Name values of k, of many the ends and how many they are."""
    if len(sizes) > 3:
        return f"at {len(sizes)} values of k from {sizes[0]} to {sizes[-1]}"
    return f"at k = {_list(list(map(str, sizes)))}"


def _list(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
