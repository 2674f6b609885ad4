"""Checking data where they are: time and memory by the number of rows, beside rows in memory.

``python benchmarks/engines.py [--rows 1000000 10000000] [--folder FOLDER]`` writes Parquet files of
made-up rows in pieces, the same for the same number, and checks them against all privacy models in
a process of its own, by DuckDB and, up to ten million rows, as a table in memory.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from common import Row, machine, told, with_json

PIECE = 10_000_000
IN_MEMORY = 10_000_000
"""Rows up to which the table is also read into memory."""

CHECKED = """
import json, resource, sys, time
from kproof import check
from kproof.models.privacy import *

source, there = sys.argv[1], sys.argv[2] == "there"
start = time.perf_counter()
if not there:
    import pyarrow.parquet as parquet
    source = parquet.read_table(source)
models = [
    KAnonymity(2), AlphaK("1/2", 2), DistinctL(2), EntropyL(2), RecursiveCL(4, 2),
    TCloseness("1/3"), BasicBeta(1), EnhancedBeta(1), DeltaDisclosure(1),
    ThetaSensitivity(2, "1/2"),
]
roles = {"quasi_identifiers": ["age", "zip", "sex"], "sensitive": "disease"}
verdicts = check(source, models, **roles)
seconds = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
told = [one.to_dict() for one in verdicts]
print(json.dumps({"seconds": seconds, "megabytes": peak, "verdicts": told}))
"""


def write(folder: Path, rows: int) -> None:
    """Write made-up rows in pieces; what stands in a row depends on its number alone."""
    import duckdb

    folder.mkdir()
    for piece, first in enumerate(range(0, rows, PIECE)):
        last = min(rows, first + PIECE)
        duckdb.execute(
            f"""COPY (
                SELECT CAST(hash(i) % 80 AS TINYINT) + 18 AS age,
                       'Z' || CAST(hash(i + 7) % 50 AS VARCHAR) AS zip,
                       CASE WHEN hash(i + 13) % 2 = 0 THEN 'f' ELSE 'm' END AS sex,
                       'disease ' || CAST(hash(i + 29) % 15 AS VARCHAR) AS disease
                FROM range({first}, {last}) AS rows(i)
            ) TO '{folder / f"{piece:03}.parquet"}' (FORMAT parquet)"""
        )


def checked(folder: Path, how: str) -> dict[str, object]:
    """Check in a process of its own; return seconds, megabytes and verdicts."""
    ran = subprocess.run(
        [sys.executable, "-c", CHECKED, str(folder), how],
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, object] = json.loads(ran.stdout)
    return found


def main() -> None:
    """Run what was asked and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    options = with_json(parser).parse_args()
    figures = []
    for rows in options.rows:
        folder = options.folder / f"kproof-rows-{rows}"
        shutil.rmtree(folder, ignore_errors=True)
        try:
            write(folder, rows)
            there = checked(folder, "there")
            shown = [("DuckDB over Parquet", there)]
            if rows <= IN_MEMORY:
                here = checked(folder, "here")
                if here["verdicts"] != there["verdicts"]:
                    raise AssertionError(f"{rows} rows: verdicts differ")
                shown.append(("in memory", here))
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        for how, found in shown:
            note = f"peak {found['megabytes']:,.0f} MB"
            figures.append(Row(f"10 models, {rows:,} rows, {how}", found["seconds"], note=note))
    told(options, figures, machine(["numpy", "duckdb", "ibis-framework", "pyarrow"]))


if __name__ == "__main__":
    main()
