"""What a server of KACA's flows takes: a real process, asked over HTTP.

Run ``python benchmarks/serve.py`` in an environment that has the extra ``serve``, best on two cores
(``taskset -c 0,1``). The table is made up: a million exits on a year's days, in a DuckDB file.
Every window of the first figure is asked for the first time. There is no peer: no other server of
k-anonymous answers was found that can be called.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import duckdb
import httpx
import numpy as np
import pyarrow as pa
from common import Row, machine, told, with_json

from kproof.datasets.exits import exit_transactions
from kproof.serve.schema import FLOW_PATH

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))
from difference import Subtracter

FIRST, DAYS = date(2023, 1, 2), 365


def filled(path: Path, rows: int, days: int) -> None:
    made = pa.table(dict(exit_transactions(rows, days=days)))
    con = duckdb.connect(str(path))
    con.register("made", made)
    con.execute(
        "CREATE TABLE exits AS SELECT plate, section_id, exit_time::TIMESTAMP AS exit_time, toll"
        " FROM made"
    )
    con.close()


def started(*words: str) -> tuple[subprocess.Popen[str], httpx.Client, float]:
    begun = time.perf_counter()
    command = [sys.executable, "-m", "kproof", "serve", "--port", "0", *words]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    client = httpx.Client(base_url=process.stdout.readline().split()[0], timeout=60)
    while True:
        try:
            client.get("/health")
        except httpx.TransportError:
            time.sleep(0.02)
        else:
            return process, client, time.perf_counter() - begun


def memory(process: subprocess.Popen[str]) -> int:
    status = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
    found = re.search(r"VmHWM:\s+(\d+)", status)
    return 0 if found is None else int(found[1]) // 1024


def asked(client: httpx.Client, start: date, stop: date, k: int, **more: str) -> httpx.Response:
    query = {"start_date": str(start), "end_date": str(stop), "k": str(k), **more}
    return client.get(FLOW_PATH, params=query)


def weeks(client: httpx.Client) -> tuple[float, float]:
    """Return the median and the 95th percentile of weeks that nobody asked for before."""
    times = []
    for one in range(200):
        start = FIRST + timedelta(one)
        begun = time.perf_counter()
        assert asked(client, start, start + timedelta(6), 5).status_code == 200
        times.append(time.perf_counter() - begun)
    return float(np.median(times)), float(np.percentile(times, 95))


def crowd(client: httpx.Client, clients: int, seconds: float) -> tuple[float, int, int]:
    """Return the 95th percentile, the number of answers, and of those that are no answers."""
    until = time.perf_counter() + seconds

    def one(number: int) -> tuple[list[float], int]:
        times, errors = [], 0
        with httpx.Client(base_url=client.base_url, timeout=60) as mine:
            while time.perf_counter() < until:
                start = FIRST + timedelta((number * 37 + 11 * len(times)) % 350)
                begun = time.perf_counter()
                errors += asked(mine, start, start + timedelta(6), 10).status_code != 200
                times.append(time.perf_counter() - begun)
        return times, errors

    with ThreadPoolExecutor(clients) as pool:
        found = list(pool.map(one, range(clients)))
    every = [seconds for times, _ in found for seconds in times]
    return float(np.percentile(every, 95)), len(every), sum(errors for _, errors in found)


def subtracted(folder: Path, queries: int, **more: str) -> tuple[float, int]:
    """Return the time of an attack by differences on sparse days, and the isolations."""
    path = folder / "sparse.db"
    if not path.exists():
        filled(path, 1000, 180)
    process, client, _ = started("--database", str(path), "--allow-printed")

    def ask(start: date, stop: date, k: int) -> Any:
        found = asked(client, start, stop, k, **more)
        return found.json() if found.status_code == 200 else None

    one = Subtracter(ask, FIRST, FIRST + timedelta(179), promised=5)
    begun = time.perf_counter()
    one.run(queries)
    process.kill()
    return time.perf_counter() - begun, len(one.isolated)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--queries", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=60)
    given = with_json(parser).parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        filled(folder / "exits.db", given.rows, DAYS)
        for vehicle in ((), ("--vehicle", "plate")):
            cells = str(folder / f"cells{len(vehicle)}.db")
            words = ("--database", str(folder / "exits.db"), "--cells", cells, *vehicle)
            counted = "vehicles" if vehicle else "exits"
            process, client, first = started(*words)
            process.kill()
            process.wait()
            process, client, again = started(*words)
            rows.append(Row(f"first start, {given.rows} exits, k counts {counted}", first))
            rows.append(Row("start with cells on disk", again, 3))
            middle, high = weeks(client)
            rows.append(Row("a week asked for the first time, median", middle))
            rows.append(Row("the same, 95th percentile", high, 0.3))
            rows.append(Row("memory", None, note=f"peak {memory(process)} MB, limit 1024"))
            slow, answers, errors = crowd(client, 50, given.seconds)
            note = f"{answers} answers in {given.seconds:g} s, {errors} errors"
            rows.append(Row("50 clients, 95th percentile", slow, note=note))
            rows.append(Row("memory after it", None, note=f"peak {memory(process)} MB"))
            process.kill()
        seconds, isolated = subtracted(folder, given.queries)
        note = f"{isolated} isolations below k"
        rows.append(Row(f"{given.queries} adaptive differences, cells", seconds, note=note))
        few = min(given.queries, 500)
        seconds, isolated = subtracted(folder, few, algorithm="printed")
        note = f"{isolated} isolations below k"
        rows.append(Row(f"{few} adaptive differences, printed", seconds, note=note))
    facts = machine(("duckdb", "ibis-framework", "fastapi", "uvicorn", "numpy", "numba"))
    facts["cores used"] = str(len(os.sched_getaffinity(0)))
    told(given, rows, facts)


if __name__ == "__main__":
    main()
