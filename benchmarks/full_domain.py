"""What the optimum over all levels takes and loses on Adult, beside anjana on the same hierarchies.

Run ``python benchmarks/full_domain.py adult.data adult_hierarchies`` in an environment that has
kproof; the file is UCI Adult and the folder ARX's hierarchies of it. The rows with a missing cell
are left out, which leaves 30,162. The lattice of the 8 hierarchies has 6,480 nodes. The peer gets
an environment of its own, made on the first run in the cache folder; ``--no-peers`` leaves it out.

The loss is one for both: the mean, over rows and columns, of the share of the hierarchy that a
label covers, with 1 for a row left out. anjana raises the level of one column after another, of the
one with most values each time, and does not search: it is the only package of Python we know of
that recodes by level, and no rival of an optimum. ARX, which does search, is a Java program and is
not measured here.
"""

import argparse
import json
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
from common import (
    Row,
    compile_at_once,
    environment,
    machine,
    median,
    missing,
    reason,
    told,
    with_json,
)

from kproof.models.base.taxonomy import Taxonomy
from kproof.models.privacy import DistinctL, TCloseness
from kproof.models.tables.fulldomain.method import full_domain, solution_space
from kproof.models.tables.table import Table
from kproof.models.tables.utility import utility

NAMES = (
    "age,workclass,fnlwgt,education,education-num,marital-status,occupation,relationship,race,"
    "sex,capital-gain,capital-loss,hours-per-week,native-country,salary-class"
)
USED = [
    *("age", "education", "marital-status", "native-country"),
    *("occupation", "race", "sex", "workclass"),
]
HERE = Path(__file__).resolve().parent
K, SUPPRESS = 5, "5%"


def loss_of(published: pd.DataFrame, trees: dict[str, Taxonomy], rows: int) -> float:
    """Return the mean loss of a row, whoever published the labels."""
    lost = 0.0
    for name, tree in trees.items():
        leaves = published[name].map(lambda label, tree=tree: tree.leaves[tree.index[str(label)]])
        lost += float(leaves.where(leaves > 1, 0).sum()) / int(tree.leaves[0])
        lost += rows - len(published)
    return lost / rows / len(trees)


def jobs(options: argparse.Namespace) -> Iterator[Row]:
    """Time the search and the peer."""
    frame = pd.read_csv(options.adult, names=NAMES.split(","), skipinitialspace=True, na_values="?")
    frame = frame.dropna()[[*USED, "salary-class"]].head(options.rows).reset_index(drop=True)
    files = {name: options.hierarchies / f"{name}.csv" for name in USED}
    trees = {name: Taxonomy.from_csv(path) for name, path in files.items()}

    def table() -> Table:
        return Table.from_frame(
            frame, quasi_identifiers=USED, sensitive="salary-class", taxonomies=trees
        )

    def release() -> object:
        return full_domain(table(), k=K, suppress=SUPPRESS)

    spent, _ = median(release, 1)
    yield Row("first full-domain of a process", spent, note="the kernel loads or compiles")
    ours, _ = median(release, options.repetitions)
    found = full_domain(table(), k=K, suppress=SUPPRESS)
    loss = utility(found, queries=0).penalty
    published = pd.DataFrame(found.to_frame())[USED]
    assert abs(loss - loss_of(published, trees, len(frame))) < 1e-9
    note = f"loss {loss:.4f}, {len(found.suppressed)} rows left out; table and release included"
    left_out = (None, "", "left out on request")
    theirs, who, how = left_out if options.no_peers else peer(frame, files, trees)
    ratio = None if theirs is None else theirs / ours
    yield Row(f"full-domain, k = {K}, {SUPPRESS}", ours, 5, ratio, note, who)
    yield Row("  anjana: k_anonymity", theirs, None, None if theirs is None else 1.0, how)
    given = table()
    for model in (DistinctL(2), TCloseness("1/5")):
        spent, best = median(
            lambda model=model: solution_space(given, k=K, suppress=SUPPRESS, models=[model]).best,
            1,
        )
        note = "nothing feasible" if best is None else f"loss {best.loss:.4f}"
        yield Row(f"full-domain, k = {K}, {SUPPRESS}, {model.name}", spent, note=note)
    spent, _ = median(lambda: solution_space(given, k=K, suppress=SUPPRESS, complete=True), 1)
    yield Row("every node judged, none cut off", spent, note="6,480 nodes")


def peer(
    frame: pd.DataFrame, files: dict[str, Path], trees: dict[str, Taxonomy]
) -> tuple[float | None, str, str]:
    """Return what anjana took, its version, and what it lost."""
    try:
        python = environment("anjana")
    except (OSError, subprocess.CalledProcessError) as failure:
        return None, "", f"could not be installed: {reason(failure)}"
    with tempfile.TemporaryDirectory() as folder:
        path, output = Path(folder) / "adult.csv", Path(folder) / "published.csv"
        frame.to_csv(path, index=False)
        task = {
            "path": str(path),
            "output": str(output),
            "hierarchies": {name: str(file.resolve()) for name, file in files.items()},
            "k": K,
            "suppress": 5,
        }
        command = [str(python), str(HERE / "peer_anjana.py")]
        given = {"input": json.dumps(task), "capture_output": True, "text": True}
        answer = json.loads(subprocess.run(command, check=True, **given).stdout)
        published = pd.read_csv(output, dtype=str)
    loss = loss_of(published, trees, len(frame))
    who = f"anjana {answer['version']}"
    return answer["seconds"], who, f"{who}: loss {loss:.4f}, {len(frame) - len(published)} left out"


def main() -> None:
    """Read the options, run the jobs, print what they found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("adult", type=Path, help="adult.data of UCI Adult")
    parser.add_argument("hierarchies", type=Path, help="folder with COLUMN.csv for each column")
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--rows", type=int, help="the first rows only")
    options = with_json(parser).parse_args()
    compile_at_once()
    rows = list(jobs(options))
    told(options, rows, machine(["numpy", "numba", "pandas"]), missing(rows, "anjana"))


if __name__ == "__main__":
    main()
