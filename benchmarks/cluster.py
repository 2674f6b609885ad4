"""Anonymizing folders on processes of this machine: time, memory and loss by the number of rows.

``python benchmarks/cluster.py [--rows 1000000 10000000] [--folder FOLDER]`` writes Parquet files of
made-up rows in pieces, the same for the same number, and anonymizes them by regions on two
processes with 8 GB together; up to a million rows also as a table in memory. The release is checked
where it is by DuckDB up to ten million rows. Peaks are of this process and all that it started.
"""

import argparse
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

from common import Row, machine, told, with_json

PIECE = 5_000_000
IN_MEMORY, CHECKED = 1_000_000, 10_000_000
"""Rows up to which the table is also anonymized in memory, and up to which the release is checked.
"""

ROLES = {"quasi_identifiers": ["age", "zip", "sex", "degree", "hours"], "sensitive": "disease"}
ASKED = {"mondrian": {"k": 10, "l": 3}, "theta-sensitive": {"k": 10, "mu": "1/2"}}


def write(folder: Path, rows: int) -> None:
    """Write made-up rows in pieces; what stands in a row depends on its number alone."""
    import duckdb

    folder.mkdir(parents=True)
    for piece, first in enumerate(range(0, rows, PIECE)):
        last = min(rows, first + PIECE)
        duckdb.execute(
            f"""COPY (
                SELECT CAST(18 + sqrt(hash(i) % 5184) AS SMALLINT) AS age,
                       CAST(sqrt(hash(i + 7) % 1000000) AS SMALLINT) AS zip,
                       CASE WHEN hash(i + 13) % 2 = 0 THEN 'f' ELSE 'm' END AS sex,
                       'degree ' || CAST(CAST(sqrt(hash(i + 17) % 256) AS INT) AS VARCHAR)
                       AS degree,
                       CAST(sqrt(hash(i + 23) % 3600) AS TINYINT) AS hours,
                       'disease ' || CAST(CAST(sqrt(hash(i + 29) % 225) AS INT) AS VARCHAR)
                       AS disease
                FROM range({first}, {last}) AS rows(i)
            ) TO '{folder / f"{piece:03}.parquet"}' (FORMAT parquet)"""
        )


@contextmanager
def measured(found: dict[str, float]) -> Iterator[None]:
    """Measure seconds, and the most megabytes that this process and its children had at once."""
    import psutil

    over, own = Event(), psutil.Process()

    def look() -> None:
        while not over.wait(0.1):
            held = 0
            for one in (own, *own.children(recursive=True)):
                try:
                    held += one.memory_info().rss
                except psutil.NoSuchProcess:
                    continue
            found["megabytes"] = max(found.get("megabytes", 0), held / 2**20)

    watching = Thread(target=look)
    watching.start()
    start = time.perf_counter()
    try:
        yield
    finally:
        found["seconds"] = time.perf_counter() - start
        over.set()
        watching.join()


def main() -> None:
    """Run what was asked and print a table."""
    import kproof
    from kproof.models.methods import METHODS
    from kproof.models.partitioned import anonymize_folder
    from kproof.models.tables.suppression.promised import promises_of
    from kproof.models.tables.utility import utility

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--methods", nargs="+", default=list(ASKED))
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--memory", default="8GB")
    options = with_json(parser).parse_args()
    figures = []
    for rows in options.rows:
        home = options.folder / f"kproof-cluster-{rows}"
        shutil.rmtree(home, ignore_errors=True)
        try:
            write(home / "data", rows)
            for method in options.methods:
                costs: dict[str, float] = {}
                with measured(costs):
                    found = anonymize_folder(
                        method,
                        home / "data",
                        home / method,
                        jobs=options.jobs,
                        memory=options.memory,
                        **ROLES,
                        **ASKED[method],
                    )
                shown = [(f"{found.regions} regions", costs, found.penalty)]
                if rows <= CHECKED:
                    sample = kproof.read_table(_first(home / "data"), **ROLES)
                    models = promises_of(
                        METHODS[method], METHODS[method].complete_arguments(ASKED[method]), sample
                    )
                    for model in (*models.every, *models.of["disease"]):
                        (verdict,) = kproof.check(home / method, model, **ROLES)
                        if not verdict.holds:
                            raise AssertionError(f"{method}, {rows} rows: {verdict}")
                if rows <= IN_MEMORY:
                    costs = {}
                    with measured(costs):
                        from pyarrow import parquet

                        whole = kproof.anonymize(
                            method, parquet.read_table(home / "data"), **ROLES, **ASKED[method]
                        )
                    penalty = utility(whole, queries=0).penalty
                    shown.append(("in memory", costs, penalty))
                for how, cost, penalty in shown:
                    note = f"peak {cost['megabytes']:,.0f} MB, penalty {penalty:.6f}"
                    job = f"{method}, {rows:,} rows, {how}"
                    figures.append(Row(job, cost["seconds"], note=note))
        finally:
            shutil.rmtree(home, ignore_errors=True)
    told(options, figures, machine(["dask", "numpy", "pyarrow"]))


def _first(folder: Path) -> object:
    """Return a few rows, for the columns that they have."""
    import pyarrow as pa
    from pyarrow import parquet

    with parquet.ParquetFile(folder / "000.parquet") as file:
        return pa.Table.from_batches([next(file.iter_batches(batch_size=1000))])


if __name__ == "__main__":
    main()
