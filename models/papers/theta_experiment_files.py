"""What the experiment on Adult leaves behind: CSV, JSON and the paper's figures.

``python -m kproof.models.papers.theta_experiment_files ADULT.csv --out results/tables`` runs it.

Same data, setting and seed: same bytes, except for the files of times, Figure 7 among them.
"""

import argparse
import json
import platform
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from fractions import Fraction
from os import cpu_count
from pathlib import Path
from typing import Any

from kproof.errors import KProofError
from kproof.models.base.verdict import SCHEMA, plain
from kproof.models.papers import theta_experiment
from kproof.models.papers.theta_experiment import (
    ComparedMethod,
    QueryPoint,
    ReleaseCost,
    ThetaExperiment,
    Timing,
)
from kproof.models.papers.theta_results import ROWS, TABLE_11, K
from kproof.models.tables.writers import csv_text
from kproof.outputs import Folder, check_outputs, write_folder
from kproof.pictures import as_png, as_svg, style

COLOURS = {
    ComparedMethod.THETA: "#c2372b",
    ComparedMethod.THETA_ORDER: "#e39a2d",
    ComparedMethod.THETA_PRINTED: "#8c6bb1",
    ComparedMethod.P_PLUS: "#2b6cb0",
    ComparedMethod.MONDRIAN: "#4d4d4d",
}


@dataclass(frozen=True)
class Plot:
    """One figure of the paper, drawn again."""

    name: str
    """Of its files."""
    rows: str
    across: str
    up: str
    """Which rows of the experiment, and their fields on either axis."""
    x: str
    y: str
    """What the axes say."""
    logarithmic: str
    """Which axes are, of ``"x"`` and ``"y"``."""
    caption: str
    """What it shows and how that differs from the paper."""


_PLOTS = Path(__file__).with_name("theta_plots.json").read_text(encoding="utf-8")
PLOTS = tuple(Plot(**plot) for plot in json.loads(_PLOTS))


def save(results: ThetaExperiment, folder: Path) -> tuple[Path, ...]:
    """Write everything an experiment found; return the files in order."""
    rows = table_11(results)
    times = {
        "schema": SCHEMA,
        "note": "measured once on one machine; these numbers differ from run to run",
        "python": platform.python_version(),
        "machine": platform.machine(),
        "processors": cpu_count(),
        "times": _rows(results.times),
    }
    files: dict[str, str | bytes] = {
        "measures.csv": _csv(ReleaseCost, results.measures),
        "queries.csv": _csv(QueryPoint, results.queries),
        "times.csv": _csv(Timing, results.times),
        "table-11.csv": csv_text(rows[0], (row.values() for row in rows)),
        "experiment.json": _json(results),
        "times.json": json.dumps(times, indent=2) + "\n",
        "captions.md": "\n\n".join(f"**{plot.name}.** {plot.caption}" for plot in PLOTS) + "\n",
    }
    for plot in PLOTS:
        files |= _draw(plot, results)
    return write_folder(folder, files)


def table_11(results: ThetaExperiment) -> list[dict[str, object]]:
    """Return Table 11 for an experiment, beside what the paper prints where it has that k."""
    printed = {k: row for k, *row in zip(K, *TABLE_11.values(), strict=True)}
    rows = []
    for k in results.setting.k:
        by_method = {cost.method: cost for cost in results.measures if cost.k == k}
        row: dict[str, object] = {"k": k, "baseline": by_method[ComparedMethod.THETA].baseline}
        row |= {str(method): cost.discernibility for method, cost in by_method.items()}
        names = ("printed baseline", "printed theta-sensitive", "printed p+-sensitive")
        row |= dict(zip(names, printed.get(k, (None, None, None)), strict=True))
        rows.append(row)
    return rows


def _rows(rows: Iterable[Any]) -> list[dict[str, object]]:
    return [{name: _json_value(value) for name, value in asdict(row).items()} for row in rows]


def _json_value(value: object) -> object:
    if isinstance(value, Fraction):
        return plain(value)
    # Six digits: the last ones of a sum of floats are not the same on every platform.
    return float(f"{value:.6g}") if isinstance(value, float) else value


def _csv(kind: type[ReleaseCost | QueryPoint | Timing], rows: Iterable[Any]) -> str:
    return csv_text([field.name for field in fields(kind)], (row.values() for row in _rows(rows)))


def _json(results: ThetaExperiment) -> str:
    document = {
        "schema": SCHEMA,
        "setting": asdict(results.setting),
        "counts": results.counts,
        "measures": _rows(results.measures),
        "queries": _rows(results.queries),
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _draw(plot: Plot, results: ThetaExperiment) -> dict[str, str | bytes]:
    """Draw a figure as SVG and PNG, by the names of the files."""
    from matplotlib.figure import Figure

    with style(plot.name):
        figure = Figure(figsize=(6.4, 3.8), layout="constrained")
        axes = figure.add_subplot()
        for method in ComparedMethod:
            points = [
                (float(getattr(row, plot.across)), float(value))
                for row in getattr(results, plot.rows)
                if row.method is method and (value := getattr(row, plot.up)) is not None
            ]
            if points:
                across, up = zip(*points, strict=True)
                axes.plot(across, up, "o-", color=COLOURS[method], label=str(method), markersize=4)
        if plot.up == "discernibility":
            axes.plot(K, TABLE_11["baseline"], ":", color="#000000", label="baseline")
            for method in (ComparedMethod.THETA, ComparedMethod.P_PLUS):
                name = f"{method}, paper"
                axes.plot(K, TABLE_11[method], ":", color=COLOURS[method], label=name)
        if "x" in plot.logarithmic:
            axes.set_xscale("log")
        if "y" in plot.logarithmic:
            # Noise may be zero, which a logarithm has no place for.
            axes.set_yscale("symlog" if plot.up == "noise" else "log")
        if plot.across == "k":
            axes.set_xticks(results.setting.k)
        axes.set_xlabel(plot.x)
        axes.set_ylabel(plot.y)
        if axes.lines:
            axes.legend(fontsize=8)
        return {f"{plot.name}.svg": as_svg(figure), f"{plot.name}.png": as_png(figure)}


def main(words: Sequence[str] | None = None) -> int:
    """Run the experiment from the command line; return 0, or 2 if the file cannot be used."""
    parser = argparse.ArgumentParser(
        prog="python -m kproof.models.papers.theta_experiment_files",
        description="Run Section 6 of 'Theta-Sensitive k-Anonymity' again on UCI Adult.",
    )
    parser.add_argument("data", help="Adult's records, such as adult.data")
    parser.add_argument("--out", default="results/tables", help="folder for what is written")
    parser.add_argument("--rows", type=int, default=ROWS, help="records drawn")
    parser.add_argument("--k", type=int, nargs="+", default=K, help="class sizes")
    parser.add_argument("--seed", type=int, default=0, help="seed of the draw and the queries")
    options = parser.parse_args(words)
    try:
        files = check_outputs({}, folders={"out": Folder(options.out)}, reads=[options.data])
        setting = theta_experiment.ExperimentSetting(
            rows=options.rows, seed=options.seed, k=tuple(options.k)
        )
        results = theta_experiment.run(
            theta_experiment.adult(options.data),
            setting,
            progress=lambda line: print(line, file=sys.stderr),
        )
        with files.together():
            written = save(results, Path(options.out))
        for path in written:
            print(path)
    except KProofError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
