"""What it takes to propose roles for a table, and to compare releases of it, on UCI Adult.

Run ``python benchmarks/releases.py adult.data adult_hierarchies`` in an environment that has
kproof; the file is UCI Adult and the folder ARX's hierarchies of it. The rows without a missing
cell are drawn with replacement up to 160,150, with a seed.

Roles are proposed of the whole file, reading included. The peer is pandas, which reads the same
file and counts, by ``duplicated``, the rows that one column, two or three make unique: of what is
proposed, that is the part that takes time. Who would find the types of columns needs more.

The comparison is of five methods at ten k, each release made and judged. The peer is anonypy's
Mondrian, once, at the least of these k: it has no comparison. ``--no-peers`` leaves it out.
"""

import argparse
import json
import subprocess
import tempfile
from collections.abc import Iterator
from itertools import combinations
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
from full_domain import NAMES

import kproof
from kproof.models.base.taxonomy import Taxonomy

ROWS, SEED = 160_150, 1
USED = ["age", "workclass", "education", "marital-status", "race", "sex", "native-country"]
METHODS = ("mondrian", "kaca", "kaca-hierarchical", "theta-sensitive", "full-domain")
SIZES = (2, 3, 4, 5, 6, 8, 10, 12, 15, 20)
HERE = Path(__file__).resolve().parent


def uniqueness(path: Path) -> int:
    """Return what pandas counts: rows unique by one column, two or three, over all choices."""
    frame = pd.read_csv(path, dtype=str)
    codes = frame.apply(lambda column: pd.factorize(column)[0])
    return sum(
        int((~codes.duplicated(list(names), keep=False)).sum())
        for size in (1, 2, 3)
        for names in combinations(codes.columns, size)
    )


def jobs(options: argparse.Namespace) -> Iterator[Row]:
    """Time both jobs and their peers."""
    frame = pd.read_csv(options.adult, names=NAMES.split(","), skipinitialspace=True)
    frame = frame[(frame != "?").all(axis=1)]
    frame = frame.sample(options.rows, replace=True, random_state=SEED).reset_index(drop=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "adult.csv"
        frame.to_csv(path, index=False)
        spent, _ = median(lambda: kproof.propose_roles(path), options.repetitions)
        theirs, _ = median(lambda: uniqueness(path), 1)
        who = f"pandas {pd.__version__}, unique rows alone"
        yield Row("roles", spent, 1, theirs / spent, f"{len(frame.columns)} columns", who)
        yield Row("  pandas: unique rows", theirs, None, 1.0, f"pandas {pd.__version__}")
    table = kproof.read_table(
        frame[[*USED, "occupation"]],
        quasi_identifiers=USED,
        sensitive="occupation",
        taxonomies={name: Taxonomy.from_csv(options.hierarchies / f"{name}.csv") for name in USED},
    )
    spent, found = median(lambda: kproof.compare(table, methods=METHODS, k=SIZES), 1)
    failed = [one for one in found.candidates if one.problem]
    note = f"{len(found.candidates)} releases, {len(failed)} refused"
    theirs, how = (None, "left out on request") if options.no_peers else peer(frame)
    ratio, who = (None, "") if theirs is None else (theirs / spent, f"{how}, one release")
    yield Row("frontier", spent, 60, ratio, note, who)
    yield Row("  anonypy: one release", theirs, None, None if theirs is None else 1.0, how)


def peer(frame: pd.DataFrame) -> tuple[float | None, str]:
    """Return what one release took anonypy."""
    try:
        python = environment("anonypy", ("pandas<3",))
    except (OSError, subprocess.CalledProcessError) as failure:
        return None, f"could not be installed: {reason(failure)}"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        frame[[*USED, "occupation"]].to_csv(path, index=False)
        task = {
            "path": str(path),
            "quasi_identifiers": USED,
            "sensitive": "occupation",
            "categorical": [*USED[1:], "occupation"],
            "k": SIZES[0],
        }
        command = [str(python), str(HERE / "peer_anonypy.py")]
        given = {"input": json.dumps(task), "capture_output": True, "text": True}
        answer = json.loads(subprocess.run(command, check=True, **given).stdout)
    return answer["seconds"], f"anonypy {answer['version']}, k = {SIZES[0]}"


def main() -> None:
    """Read the options, run the jobs, print what they found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("adult", type=Path, help="adult.data of UCI Adult")
    parser.add_argument("hierarchies", type=Path, help="folder with COLUMN.csv for each column")
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--rows", type=int, default=ROWS)
    options = with_json(parser).parse_args()
    compile_at_once()
    rows = list(jobs(options))
    told(options, rows, machine(["numpy", "numba", "pandas"]), missing(rows, "anonypy"))


if __name__ == "__main__":
    main()
