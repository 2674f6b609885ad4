"""A database that hangs keeps no probe and no answer waiting, and is seen when it comes back."""

import asyncio
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from jsonschema import validate

for _name in ("fastapi", "ibis", "httpx", "prometheus_client"):
    pytest.importorskip(_name, reason="needs the extra serve")
duckdb = pytest.importorskip("duckdb", reason="needs the extra serve")

import httpx  # noqa: E402

from kproof.serve.app import service  # noqa: E402
from kproof.serve.flows import ExactFlows, prepare_flows  # noqa: E402
from kproof.serve.schema import FLOW_PATH, REFUSAL  # noqa: E402
from kproof.serve.source import SourceGone, TollColumns, TollSource  # noqa: E402
from kproof.serve.watch import SourceWatch  # noqa: E402


@dataclass(frozen=True)
class Hanging(TollSource):
    """A database that answers nobody until it is told to, and counts who waits for it."""

    answers: threading.Event = field(default_factory=threading.Event, compare=False)
    waiting: list[str] = field(default_factory=list, compare=False)
    dead: list[bool] = field(default_factory=list, compare=False)

    def _table(self) -> Any:
        self.waiting.append(threading.current_thread().name)
        self.answers.wait(20)
        if self.dead:
            raise SourceGone("it is dead")
        return super()._table()


@dataclass
class Served:
    """A service, its database, and the day that is not closed."""

    flows: ExactFlows
    source: Hanging
    today: list[date]


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    monkeypatch.setattr(SourceWatch, "every", 0.0)
    monkeypatch.setattr(SourceWatch, "deadline", 0.3)
    monkeypatch.setattr(SourceWatch, "patience", 0.2)
    with duckdb.connect(str(tmp_path / "exits.db")) as con:
        con.execute("CREATE TABLE exits (section_id VARCHAR, exit_time TIMESTAMP, toll DOUBLE)")
        rows = [("G5", f"2023-01-0{day} 08:00:00", 1.0) for day in (2, 3) for _ in range(9)]
        con.executemany("INSERT INTO exits VALUES (?, ?, ?)", rows)
    source, today = Hanging(TollColumns(), str(tmp_path / "exits.db")), [date(2023, 1, 3)]
    yield Served(prepare_flows(source, printed=True, today=lambda: today[0]), source, today)
    source.answers.set()


async def asked(client: httpx.AsyncClient, path: str, **query: str) -> tuple[float, httpx.Response]:
    begun = time.perf_counter()
    response = await client.get(path, params=query)
    return time.perf_counter() - begun, response


def client_of(served: Served) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app=service(served.flows))
    return httpx.AsyncClient(transport=transport, base_url="http://server", timeout=30)


def test_a_thousand_probes_of_a_hung_database_delay_no_answer(served, monkeypatch):
    # Whoever waited for the database would wait for longer than any test may take.
    monkeypatch.setattr(SourceWatch, "patience", 3600)

    async def ask() -> None:
        async with client_of(served) as client:
            served.source.answers.set()
            served.flows.start()
            await asked(client, FLOW_PATH)
            served.source.answers.clear()
            served.source.waiting.clear()
            threads = threading.active_count()
            paths = ["/health", "/ready", "/live"] * 334
            probes = await asyncio.gather(*(asked(client, path) for path in paths))
            assert {response.status_code for _, response in probes} == {200}
            assert served.source.waiting == ["kproof-source"]
            for _ in range(10):
                await asyncio.gather(*(asked(client, path) for path in paths[:10]))
                assert (await asked(client, FLOW_PATH))[1].status_code == 200
            assert threading.active_count() <= threads + 1
            assert served.source.waiting == ["kproof-source"]

    asyncio.run(ask())


def test_what_asks_the_database_leaves_threads_for_all_others(served):
    async def ask() -> None:
        async with client_of(served) as client:
            served.source.answers.set()
            served.flows.start()
            served.source.answers.clear()
            printed = [
                asyncio.create_task(asked(client, FLOW_PATH, algorithm="printed"))
                for _ in range(60)
            ]
            await asyncio.sleep(0.3)
            seconds, response = await asked(client, FLOW_PATH)
            assert (response.status_code, seconds < 1) == (200, True)
            served.source.answers.set()
            statuses = [(await task)[1].status_code for task in printed]
            assert statuses.count(503) == 56
            assert statuses.count(200) == 4

    asyncio.run(ask())


def test_a_database_that_hangs_dies_and_comes_back(served):
    async def ask() -> None:
        async with client_of(served) as client:

            async def state() -> tuple[int, str, str]:
                ready = (await asked(client, "/ready"))[1]
                health = (await asked(client, "/health"))[1].json()
                return ready.status_code, health["status"], health["database"]

            async def becomes(database: str) -> None:
                until = time.monotonic() + 10
                while await state() != (200, "ok", database):
                    assert time.monotonic() < until
                    await asyncio.sleep(0.05)

            validate((await asked(client, "/ready"))[1].json(), REFUSAL)
            assert await state() == (503, "starting", "starting")
            assert (await asked(client, "/live"))[1].status_code == 200
            served.source.answers.set()
            served.flows.start()
            assert await state() == (200, "ok", "ok")
            first = (await asked(client, FLOW_PATH, end_date="2023-01-02"))[1].json()
            # A day is closed while it hangs: whoever asks first waits a moment, nobody else.
            served.source.answers.clear()
            served.today[0] = date(2023, 1, 4)
            waits = [await asked(client, FLOW_PATH, end_date="2023-01-02") for _ in range(5)]
            assert [response.json() for _, response in waits] == [first] * 5
            assert sum(seconds > 0.15 for seconds, _ in waits) <= 1
            await becomes("gone")
            served.source.dead.append(True)
            served.source.answers.set()
            await asyncio.sleep(0.2)
            assert (await asked(client, FLOW_PATH, end_date="2023-01-02"))[1].json() == first
            await becomes("gone")
            assert "kproof_database_gone_total 0.0" not in (await asked(client, "/metrics"))[1].text
            served.source.dead.clear()
            await becomes("ok")
            trucks = 0
            while trucks != 18:
                answer = (await asked(client, FLOW_PATH))[1].json()
                trucks = sum(line["truck_count"] for line in answer["data"])

    asyncio.run(ask())
