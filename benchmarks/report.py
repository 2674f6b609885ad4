"""The report as a command: of the shipped sample, of Adult, and of a table of a million rows.

Run ``python benchmarks/report.py [adult.data]``. The table is drawn with a seed: 100,000 codes of
five digits, ages, sexes, 500 occupations and 20 diagnoses, a few of them common. No peer judges,
anonymizes and attacks a table in one run. Times are processor time of the whole command.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
from common import Row, machine, told, with_json

SEED = 1
ADULT = ("--qi", "age,education,marital-status,race,sex", "--sensitive", "occupation")


def draw(rows: int) -> pd.DataFrame:
    """Return the table of so many rows."""
    rng = np.random.default_rng(SEED)
    shares = 1 / np.arange(1, 21) ** 1.2
    codes = np.concatenate([np.arange(100_000), rng.integers(0, 100_000, rows)])[:rows]
    return pd.DataFrame(
        {
            "zip": np.char.zfill(rng.permutation(codes).astype(str), 5),
            "age": rng.integers(0, 100, rows),
            "sex": rng.choice(["M", "F"], rows),
            "diagnosis": [
                f"diag{code:02}" for code in rng.choice(20, rows, p=shares / shares.sum())
            ],
            "job": [f"job{code:03}" for code in rng.integers(0, 500, rows)],
        }
    )


def measure(words: list[str], folder: str) -> tuple[float, float]:
    """Return a report's processor time in seconds, and the most memory of any so far in MB."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "kproof", "report", *words, "--output", folder]
    status = subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode
    if status not in (0, 1, 4):
        raise SystemExit(f"{' '.join(command)} ended with {status}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, after.ru_maxrss / 1024


def jobs(options: argparse.Namespace) -> Iterator[Row]:
    """Time the command on each table, the smallest first."""
    with TemporaryDirectory() as folder:
        tables: list[tuple[str, list[str], int]] = [("the shipped sample", [], 8)]
        if options.adult is not None:
            tables.append(("Adult", [str(options.adult), *ADULT], 30))
        large = Path(folder) / "large.csv"
        draw(options.rows).to_csv(large, index=False)
        roles = ["--qi", "zip,age,sex,job", "--sensitive", "diagnosis"]
        tables.append((f"{options.rows:,} rows, 100,000 codes", [str(large), *roles], 60))
        for name, words, limit in tables:
            spent, memory = measure(words, folder)
            yield Row(name, spent, limit, None, f"{memory:.0f} MB at most")


def main() -> None:
    """Read the options, run the jobs, print what they found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("adult", type=Path, nargs="?")
    parser.add_argument("--rows", type=int, default=1_000_000)
    options = with_json(parser).parse_args()
    told(options, list(jobs(options)), machine(["numpy", "pandas"]))


if __name__ == "__main__":
    main()
