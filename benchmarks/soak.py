"""A server of KACA's flows for some minutes, while its database hangs, dies and comes back.

Run ``python benchmarks/soak.py --seconds 600`` in an environment that has the extra ``serve``.
Fifty clients ask over HTTP for windows of days, with pauses, and now and then for what is refused.
Every answer is held against one that was computed beforehand from the same exits; no error may have
a plate or a section in it. Meanwhile days are closed, and the database has ten seconds in which it
answers, ten in which it does not answer, and ten in which it fails. There is no peer.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from typing import Any

import httpx
import numpy as np
from common import Row, machine, told, with_json

from kproof.serve.flows import open_flows, prepare_flows
from kproof.serve.schema import FLOW_PATH
from kproof.serve.source import SourceGone, TollColumns, TollSource

FIRST, DAYS, SURE, ROWS, PHASE = date(2023, 1, 2), 28, 10, 20_000, 10.0


@dataclass(frozen=True)
class Faulty(TollSource):
    """A database that answers, then hangs, then fails, and begins anew."""

    def _table(self) -> Any:
        phase = (time.monotonic() - BEGUN) / PHASE % 3
        if phase >= 2:
            raise SourceGone("plate-1 of G5615 cannot be read")
        if phase >= 1:
            time.sleep((2 - phase) * PHASE)
        return super()._table()


BEGUN = time.monotonic()


def serve() -> None:
    """Serve such a database on a free port; a day is closed every twenty seconds."""
    import socket

    import uvicorn

    from kproof.serve.app import service
    from kproof.serve.patience import HeadersInTime

    def today() -> date:
        closed = SURE + int((time.monotonic() - BEGUN) / 20)
        return FIRST + timedelta(min(closed, DAYS))

    flows = prepare_flows(Faulty(TollColumns(vehicle="plate"), demo=ROWS), today=today)
    flows.start()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        config = uvicorn.Config(service(flows), http=HeadersInTime, log_level="error", ws="none")
        print(listening.getsockname()[1], flush=True)
        uvicorn.Server(config).run(sockets=[listening])


def windows(draw: Random) -> dict[str, str]:
    start, stop = sorted(draw.randrange(SURE) for _ in range(2))
    days = {"start_date": start, "end_date": stop}
    return {name: str(FIRST + timedelta(day)) for name, day in days.items()} | {
        "k": str(draw.choice((5, 10, 20, 50)))
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--clients", type=int, default=50)
    given = with_json(parser).parse_args()
    right = open_flows(
        TollSource(TollColumns(vehicle="plate"), demo=ROWS), today=lambda: FIRST + timedelta(SURE)
    )
    known, lock = dict[str, Any](), threading.Lock()

    def expected(query: dict[str, str]) -> Any:
        name = json.dumps(query)
        with lock:
            if name not in known:
                ends = (date.fromisoformat(query[end]) for end in ("start_date", "end_date"))
                known[name] = json.loads(json.dumps(right.answer(*ends, int(query["k"]))))
        return known[name]

    command = [sys.executable, __file__, "--serve"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stderr is not None
    base = f"http://127.0.0.1:{int(process.stdout.readline())}"
    until = time.monotonic() + given.seconds

    def one(number: int) -> tuple[list[float], Counter[str]]:
        draw, times, seen = Random(number), [], Counter[str]()
        with httpx.Client(base_url=base, timeout=60) as client:
            while time.monotonic() < until:
                query, sort = windows(draw), draw.random()
                path = "/health" if sort < 0.1 else FLOW_PATH
                if sort > 0.9:
                    query |= draw.choice(({"k": "6"}, {"start_date": "2023-02-30"}, {"x": "G5"}))
                begun = time.perf_counter()
                try:
                    answer = client.get(path, params=query if path == FLOW_PATH else {})
                except httpx.TransportError:
                    seen["broken"] += 1
                    continue
                times.append(time.perf_counter() - begun)
                seen[f"{answer.status_code}"] += 1
                if path == FLOW_PATH and sort <= 0.9:
                    good = answer.status_code == 200 and answer.json() == expected(query)
                    seen["wrong"] += not good
                elif sort > 0.9:
                    message = answer.json()["error"]["message"].replace(query.get("x", "-"), "")
                    seen["named"] += bool(re.search(r"G\d|plate|[A-Z]\d{4}", message))
                    seen["unrefused"] += answer.status_code != 422
                elif path == "/health":
                    seen[answer.json()["database"]] += 1
                time.sleep(draw.uniform(0.5, 1.5))
        return times, seen

    with ThreadPoolExecutor(given.clients) as pool:
        parts = list(pool.map(one, range(given.clients)))
    health = httpx.get(f"{base}/health", timeout=60).json()
    process.terminate()
    named = bool(re.search(r"G5615|plate", process.communicate(timeout=90)[1]))
    seen = sum((seen for _, seen in parts), Counter[str]())
    times = [seconds for part, _ in parts for seconds in part]
    note = f"{len(times)} answers, " + ", ".join(f"{seen[name]} {name}" for name in sorted(seen))
    note += f"; wrong {seen['wrong']}, naming data {seen['named'] + named}, broken {seen['broken']}"
    note += f"; closed before {health['closed_before']}"
    rows = [Row("95th percentile", float(np.percentile(times, 95)), note=note)]
    facts = machine(("duckdb", "ibis-framework", "fastapi", "uvicorn"))
    facts["cores used"] = str(len(os.sched_getaffinity(0)))
    told(given, rows, facts)


if __name__ == "__main__":
    serve() if sys.argv[1:] == ["--serve"] else main()
