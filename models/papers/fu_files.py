"""What the experiment on friendships leaves behind: Table III and Figures 6 and 7 drawn anew.

``python -m kproof.models.papers.fu_files FRIENDS.tsv --out results/inference`` runs the experiment,
or what is missing of it, and writes the means, the table, the figures and what the bound says. Same
friendships and seeds: same bytes.
"""

import argparse
import math
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

from kproof.cluster import connect
from kproof.models.attacks.inference.base import Level, Prior, Scoring
from kproof.models.attacks.inference.bound import bound_beside
from kproof.models.attacks.inference.fu import Interval
from kproof.models.graphs.files import read_graph
from kproof.models.graphs.social import SocialGraph
from kproof.models.papers import fu_experiment
from kproof.models.papers.fu_experiment import PAPER, Measured, Measurement, Technique, cells_of
from kproof.models.tables.writers import csv_text
from kproof.outputs import Folder, check_outputs, write_folder
from kproof.pictures import as_png, as_svg, style

FIELDS = (
    "technique", "attack", "level", "k", "lambda1", "lambda2", "prior", "mean", "half", "seeds",
)  # fmt: skip

PRINTED = {
    (Technique.IA, Scoring.MLE): "18",
    (Technique.CA, Scoring.MLE): "17.8",
    (Technique.BE, Scoring.MLE): "17",
    (Technique.IA, Scoring.BAS): "17.9",
    (Technique.CA, Scoring.BAS): "17.4",
    (Technique.BE, Scoring.BAS): "16.9",
}
"""Table III of the paper, in percent, k = 6."""

STYLES = {
    Technique.CA: {"color": "#1f5fa8", "marker": "o", "linewidth": 3.0, "markersize": 8},
    Technique.IA: {"color": "#c2372b", "marker": "s", "linewidth": 1.6, "markersize": 6},
    Technique.BE: {"color": "#0f9d76", "marker": "^", "linewidth": 1.4, "markersize": 5},
}
"""Look of each technique, the later ones thinner: where curves coincide all can be seen."""

PRIORS = {"class": "the victim's class is known", "all": "victims are looked for everywhere"}
"""What figures are called by where the adversary looks."""

LOG = "measured.jsonl"
"""File name of what was measured so far, by which a run that was broken off goes on."""

Means = dict[tuple[Measurement, str], Interval]


def save(graph: SocialGraph, measured: Sequence[Measured], folder: str | Path) -> tuple[Path, ...]:
    """Write what an experiment of :data:`PAPER`'s form found; return the files in order."""
    averages = fu_experiment.means(measured)
    texts: dict[str, str | bytes] = {
        "means.csv": csv_text(FIELDS, _rows(averages)),
        "table-3.csv": csv_text(*_table_3(averages)),
        "bounds.csv": csv_text(*_bounds(graph)),
    }
    for prior in sorted({cell.prior for cell, _ in averages}):
        for number, panels in (("6", _panels_6(prior)), ("7", _panels_7(prior))):
            for form, image in _figure(number, prior, panels, averages).items():
                texts[f"figure-{number}-{prior}.{form}"] = image
    return write_folder(folder, texts)


def _rows(averages: Means) -> list[list[object]]:
    return [
        [
            cell.technique, attack, cell.level, cell.k, cell.lambda1, cell.lambda2, cell.prior,
            f"{interval.mean:.9f}", "" if math.isinf(interval.half) else f"{interval.half:.9f}",
            interval.count,
        ]
        for (cell, attack), interval in sorted(averages.items(), key=lambda pair: pair[0])
    ]  # fmt: skip


def _table_3(averages: Means) -> tuple[Sequence[str], list[list[object]]]:
    rows: list[list[object]] = []
    for attack in Scoring:
        for cell, interval in cells_of(averages, attack, level="I", k=PAPER.fixed_k):
            printed = PRINTED[Technique(cell.technique), attack]
            rows.append([cell.technique, attack, cell.prior, f"{100 * interval.mean:.4f}", printed])
    return ("technique", "attack", "prior", "percent", "printed percent"), rows


def _bounds(graph: SocialGraph) -> tuple[Sequence[str], list[list[object]]]:
    """Return what the theorems say about the releases that Figure 7 attacks, one draw for each."""
    rows: list[list[object]] = []
    share, sizes = PAPER.fixed_share, [k for k in PAPER.k if k <= graph.users]
    for technique, k, level in product(Technique, sizes, Level):
        cell = Measurement.at(technique, k, level, (share, share), Prior.CLASS, seed=0)
        knowledge = cell.background(graph.users)
        beside = bound_beside(fu_experiment.publish(graph, cell, knowledge), knowledge)
        classes = len(beside.classes)
        rows.append([technique, level, k, classes, beside.telling, f"{beside.cap:.6f}"])
    return ("technique", "level", "k", "classes", "telling", "cap"), rows


Panel = tuple[str, str, str, Mapping[str, object]]
"""Title, what is varied, its label, and what is fixed."""


def _panels_6(prior: str) -> list[Panel]:
    share, common = str(PAPER.fixed_share), {"prior": prior, "k": PAPER.fixed_k}
    panels: list[Panel] = [
        ("level II", "lambda1", "λ1", {"level": "II"}),
        ("level III", "lambda2", "λ2", {"level": "III"}),
        ("level IV, λ1 = 0.2", "lambda2", "λ2", {"level": "IV", "lambda1": share}),
        ("level IV, λ2 = 0.2", "lambda1", "λ1", {"level": "IV", "lambda2": share}),
    ]
    return [(title, across, label, {**common, **fixed}) for title, across, label, fixed in panels]


def _panels_7(prior: str) -> list[Panel]:
    share = str(PAPER.fixed_share)
    panels: list[Panel] = []
    for level in Level:
        fixed: dict[str, object] = {"prior": prior, "level": str(level)}
        if level.links:
            fixed["lambda1"] = share
        if level.knows:
            fixed["lambda2"] = share
        panels.append((f"level {level}", "k", "k", fixed))
    return panels


def _figure(number: str, prior: str, panels: Sequence[Panel], averages: Means) -> dict[str, bytes]:
    """Draw four panels as SVG and PNG; bars are 95 % confidence intervals."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import PercentFormatter

    with style(f"{number} {prior}", {"font.size": 9}):
        figure = Figure(figsize=(8.4, 6.4), layout="constrained")
        figure.suptitle(f"Figure {number} anew: users identified if {PRIORS[prior]}", fontsize=10)
        # One scale, so that levels can be compared.
        grid = figure.subplots(2, 2, sharey=True)
        for axes, panel in zip(grid.ravel(), panels, strict=True):
            _draw(axes, panel, averages)
        grid[0, 0].set_ylim(0, None)
        grid[0, 0].yaxis.set_major_formatter(PercentFormatter(1, 0))
        for axes in grid[:, 0]:
            axes.set_ylabel("FU")
        handles, labels = grid[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=4)
        return {"svg": as_svg(figure).encode(), "png": as_png(figure, dpi=150)}


def _draw(axes: Any, panel: Panel, averages: Means) -> None:
    title, across, label, fixed = panel
    ticks: set[float] = set()
    for technique in Technique:
        for attack in Scoring:
            points = sorted(
                (float(Fraction(getattr(cell, across))), interval.mean, interval.half)
                for cell, interval in cells_of(averages, attack, technique=technique, **fixed)
            )
            if not points:
                continue
            x, y, _ = zip(*points, strict=True)
            ticks.update(x)
            style: dict[str, Any] = dict(STYLES[technique])
            if attack is Scoring.BAS:
                style |= {"linestyle": "--", "markerfacecolor": "white", "linewidth": 1.4}
            axes.plot(x, y, label=f"{technique}, {attack.upper()}", **style)
            for place, mean, half in points:
                # Of a single seed nothing is known of the spread; equal figures have none.
                if 0 < half < math.inf:
                    axes.errorbar(place, mean, half, ecolor=style["color"], capsize=2, linewidth=1)
    guess = [1 / tick if across == "k" else 1 / PAPER.fixed_k for tick in sorted(ticks)]
    axes.plot(sorted(ticks), guess, ":", color="#1d2733", linewidth=1.2, label="1/k")
    axes.set_xticks(sorted(ticks))
    axes.set_title(title, fontsize=9)
    axes.set_xlabel(label)
    axes.grid(axis="y", color="#e5e9ed", linewidth=0.7)


def main(words: Sequence[str] | None = None) -> int:
    """Run the experiment on a list of friendships and write what it found."""
    parser = argparse.ArgumentParser(prog="python -m kproof.models.papers.fu_files")
    parser.add_argument("friends", type=Path, help="a list of friendships, such as Gowalla's")
    parser.add_argument("--out", type=Path, required=True, help="a folder")
    parser.add_argument("--seeds", default=5, help="draws of what the adversary knows")
    parser.add_argument("--scheduler", help="address of a Dask scheduler that measures")
    options = parser.parse_args(words)
    out = Folder(options.out, (LOG,))
    files = check_outputs({}, folders={"out": out}, reads=[options.friends])
    graph = read_graph(options.friends)

    def report(count: int, total: int) -> None:
        if count % 100 == 0 or count == total:
            print(f"{count} of {total}", file=sys.stderr, flush=True)

    grid = fu_experiment.ParameterGrid.of(seeds=options.seeds)
    with ExitStack() as opened:
        cluster = None
        if options.scheduler is not None:
            cluster = opened.enter_context(connect(options.scheduler))
        log = options.out / LOG
        measured = fu_experiment.run(graph, grid, path=log, progress=report, cluster=cluster)
    with files.together():
        written = save(graph, measured, options.out)
    for path in written:
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
