"""A real server process on a free port, and those who use it: well, badly, many at a time."""

import io
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import date, timedelta
from pathlib import Path
from threading import Thread
from typing import Any, Literal, NamedTuple, get_args, get_origin

import pytest
from cases import cases
from difference import Subtracter
from jsonschema import validate
from nights import by_day
from shell import refused

from kproof.datasets.exits import exit_transactions

for _name in ("fastapi", "uvicorn", "ibis", "httpx", "mcp", "prometheus_client"):
    pytest.importorskip(_name, reason="needs the extra serve")

import duckdb  # noqa: E402
import httpx  # noqa: E402
import pyarrow as pa  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402

from kproof.serve.guards import OPEN_PATHS  # noqa: E402
from kproof.serve.schema import FLOW_ANSWER, FLOW_PATH, REFUSAL  # noqa: E402

FIRST, DAYS = date(2023, 1, 2), 90
KEY = "a-key-of-enough-signs"


def started(*words: str, sent: Path) -> tuple[subprocess.Popen[str], str]:
    command = [sys.executable, "-m", "kproof", "serve", "--port", "0", *words]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        bufsize=1,
        env=os.environ | {"TMPDIR": str(sent)},
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, process.communicate()[1]
    address = line.split()[0]
    until = time.monotonic() + 20
    while time.monotonic() < until:
        try:
            httpx.get(f"{address}/health", timeout=1)
        except httpx.TransportError:
            time.sleep(0.05)
        else:
            return process, address
    raise AssertionError("the server does not answer")


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some days with many exits, and some with fewer than k."""
    path = tmp_path_factory.mktemp("server") / "exits.db"
    con = duckdb.connect(str(path))
    con.execute(
        "CREATE TABLE exits (plate VARCHAR, section_id VARCHAR, exit_time TIMESTAMP, toll DOUBLE)"
    )
    made = exit_transactions(500, seed=1, days=DAYS)
    con.register("made", pa.table(dict(made)))
    con.execute("INSERT INTO exits SELECT plate, section_id, exit_time::TIMESTAMP, toll FROM made")
    con.close()
    return path


class Running(NamedTuple):
    """A server, the file of its cells, and where it puts what is sent."""

    process: subprocess.Popen[str]
    address: str
    cells: str
    sent: Path


@pytest.fixture(scope="module")
def running(database: Path) -> Iterator[Running]:
    cells = str(database.with_name("cells.db"))
    sent = database.with_name("sent")
    sent.mkdir()
    process, address = started(
        "--database", str(database), "--cells", cells, "--allow-printed", sent=sent
    )
    yield Running(process, address, cells, sent)
    process.terminate()
    out, err = process.communicate(timeout=10)
    # Whatever was asked of it, there was no fault and no trace.
    assert (out, err) == ("", "")


@pytest.fixture(scope="module")
def server(running: Running) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=running.address, timeout=30) as client:
        yield client


def flow(client: httpx.Client, **query: object) -> Any:
    return client.get(FLOW_PATH, params={key: str(one) for key, one in query.items()})


def test_an_answer_has_the_documents_form(server):
    found = flow(server, start_date="2023-01-02", end_date="2023-01-20", k=5)
    assert found.status_code == 200
    answer = found.json()
    validate(answer, FLOW_ANSWER)
    about = answer["privacy_protection"]["statistics"]
    lines = sum(line["truck_count"] for line in answer["data"])
    assert about["total_records"] == lines + about["suppressed_records"]
    assert found.headers["x-content-type-options"] == "nosniff"
    assert found.headers["cache-control"] == "no-store"
    assert not [name for name in found.headers if name.startswith("access-control")]


@cases(
    ({"start_date": ""}, "start_date"),
    ({"start_date": "2023-02-30"}, "start_date"),
    ({"start_date": "02/01/2023"}, "start_date"),
    ({"start_date": "2023-01-02' OR '1'='1"}, "start_date"),
    ({"end_date": "2023-01-02; DROP TABLE exits"}, "end_date"),
    ({"end_date": "２０２３-01-02"}, "end_date"),
    ({"start_date": "2023-01-09", "end_date": "2023-01-08"}, "start_date"),
    ({"k": 1}, "k"),
    ({"k": 4}, "k"),
    ({"k": 10**30}, "k"),
    ({"k": "5.5"}, "k"),
    ({"k": 6}, "k"),
    ({"k": 900}, "k"),
    ({"algorithm": "none"}, "algorithm"),
    ({"startdate": "2023-01-02"}, "startdate"),
    ({"algorithm": "printed", "k": 5, "start_date": "2030-01-01"}, "start_date"),
)
def test_a_bad_request_is_told_which_parameter(query, parameter, server):
    found = flow(server, **query)
    assert found.status_code == 422
    validate(found.json(), REFUSAL)
    assert found.json()["error"]["parameter"] == parameter
    message = found.json()["error"]["message"]
    assert re.match(rf"{parameter} = .*: need ", message), message


def test_other_requests_are_refused_as_json(server):
    for status, found in [
        (404, server.get("/none")),
        (405, server.delete(FLOW_PATH)),
        (400, server.get("/health", headers={"host": "pages.example"})),
        (403, server.get(FLOW_PATH, headers={"origin": "https://pages.example"})),
        (422, server.get(FLOW_PATH + "?k=5&k=6")),
        *((422, server.get(f"{FLOW_PATH}?k={k}")) for k in ("5.0", "%205", "%2B5", "1_0", "")),
        (404, server.get(FLOW_PATH + "/")),
    ]:
        assert found.status_code == status
        validate(found.json(), REFUSAL)


def test_state_and_figures(server):
    assert [(server.head(path).status_code, server.head(path).text) for path in OPEN_PATHS] == [
        (200, "")
    ] * 3
    assert server.get("/health").json()["clock"] == "ok"
    assert server.get("/health").json()["database"] == "ok"
    flow(server, k=10)
    figures = server.get("/metrics").text
    assert re.search(rf'kproof_requests_total{{path="{FLOW_PATH}",status="200"}} \d', figures)


def test_tables_that_are_sent(server):
    roles = {"qi": "Age", "sensitive": "Disease"}
    table = pa.table({"Age": ["20-29"] * 2 + ["30-39"] * 2, "Disease": ["flu", "cold"] * 2})
    parquet = io.BytesIO()
    pq.write_table(table, parquet)
    query = {**roles, "k": "2", "l": "3"}
    found = server.post("/api/check", params=query, content=parquet.getvalue())
    assert found.json()["status"] == "violated"
    assert [one["holds"] for one in found.json()["result"]["verdicts"]] == [True, False]
    people = "Age,Disease\n" + "".join(f"{20 + one},flu{one % 3}\n" for one in range(12))
    query = {**roles, "method": "mondrian", "k": "3"}
    found = server.post("/api/anonymize", params=query, content=people)
    assert found.json()["result"]["judgement"]["outcome"] == "do not publish"
    assert found.json()["release"] == ""
    found = server.post("/api/anonymize", params={**query, "audience": "study"}, content=people)
    assert found.json()["release"].startswith("Age,Disease\n")
    many = "Age,Disease\n" + "".join(f"{20 + one % 60},flu{one % 3}\n" for one in range(120))
    found = server.post("/api/anonymize", params=roles, content=many)
    assert found.json()["result"]["judgement"]["outcome"] == "publish"
    assert found.json()["release"].count("\n") == 121
    assert found.json()["result"]["method"] == "mondrian"
    published = "Age,Disease\n20-29,flu\n20-29,cold\n30-39,flu\n30-39,cold\n"
    for path, query, parameter in [
        ("/api/check", {**roles, "output": "/etc/x"}, "output"),
        ("/api/anonymize", {**roles, "method": "--output=/tmp/x", "k": "3"}, "method"),
        ("/api/attack", {**roles, "attack": "--roles"}, "attack"),
    ]:
        found = server.post(path, params=query, content=published)
        assert (found.status_code, found.json()["error"]["parameter"]) == (422, parameter)
    found = server.post("/api/check", params=roles, content=b"\xff\xfe\x00broken")
    assert found.status_code == 422
    found = server.post("/api/check", params=roles, content=b"x" * 10_000_001)
    assert (found.status_code, found.json()["error"]["parameter"]) == (413, "file")


def test_questions_of_theory(server):
    query = {"theorem": "2", "mean": "1/2", "second": "1/2", "epsilon": "1", "n": "30"}
    more = {"others_only": "true", "assume": "independence,log-concavity"}
    found = server.get("/api/bound", params={**query, **more})
    assert (found.json()["status"], found.json()["result"]["theorem"]) == ("open", 2)
    # The text of a file takes the place of its name.
    law = json.dumps({"kind": "iid", "n": 20, "law": {"0": "1/2", "1": "1/2"}})
    found = server.get("/api/exact", params={"law": "file", "file": law, "epsilon": "1"})
    assert found.json()["result"]["law"].startswith("IndependentSum(20 x")
    for path, query, parameter in [
        ("/api/bound", {"theorem": "6"}, "theorem"),
        ("/api/bound", {"theorem": "2", "data": "/etc/passwd", "column": "1"}, "data"),
        ("/api/bound", {"theorem": "4", "known": "@/etc/passwd"}, "known"),
        ("/api/bound", {"theorem": "blocks", "p": "1/2"}, "p"),
        ("/api/exact", {"law": "normal", "n": "3"}, "n"),
        ("/api/exact", {"law": "../file"}, "law"),
    ]:
        found = server.get(path, params=query)
        assert (found.status_code, found.json()["error"]["parameter"]) == (422, parameter)


def test_names_of_parameters_are_the_options_of_the_command():
    """Whoever adds an option to a command meets this list."""
    from kproof.cli.app import app as kproof_app
    from kproof.cli.bounds.bound import app as bound
    from kproof.cli.bounds.exact import app as exact
    from kproof.serve.parameters import WORDS
    from kproof.serve.posted import BOUNDS, LAWS
    from kproof.serve.routes import TABLE_WAYS

    def options(command: Any) -> set[str]:
        arguments = command.assemble_argument_collection()
        names = {one.name for one in arguments if one.name.startswith("--")}
        return {one.removeprefix("--") for one in names} - {"json"}

    def words(command: Any) -> dict[str, tuple[str, ...]]:
        hints = {
            one.name.removeprefix("--"): one.hint for one in command.assemble_argument_collection()
        }
        alone = {
            name: [part for part in get_args(hint) or [hint] if get_origin(part) is Literal]
            or [hint] * (get_origin(hint) is Literal)
            for name, hint in hints.items()
        }
        return {name: get_args(kinds[0]) for name, kinds in alone.items() if kinds}

    said = {**words(kproof_app["check"]), **words(bound), **words(exact["binomial"])}
    assert {name: said[name] for name in WORDS} == WORDS
    assert options(bound) == set(BOUNDS["theorem"])
    assert options(bound["blocks"]) == set(BOUNDS["blocks"])
    renamed = {"file": {"law": "file"}}
    for law, names in LAWS.items():
        given = {renamed.get(law, {}).get(one, one) for one in options(exact[law])}
        assert given == set(names), law
    # A table's parameters choose among methods and attacks, each with options of its own.
    for command, names in TABLE_WAYS.items():
        below = (kproof_app[command][name] for name in kproof_app[command] if name[0] != "-")
        accepted = set().union(*map(options, (kproof_app[command], *below)))
        assert {*names} - {"method", "attack"} <= accepted, command


def test_a_command_has_a_limit_of_its_memory(tmp_path):
    limit, rows = 1_500_000_000, 10**9
    words = ("-m", "kproof.serve.worker", str(limit), "60", str(tmp_path / "kproof-folder"))
    more = ("datasets", "exits", f"--rows={rows}")
    pipe = subprocess.PIPE
    command = [sys.executable, *words, *more]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        # Its input stays open: somebody waits for it.
        assert process.stdin is not None
        process.stdin.write("{}\n")
        process.stdin.flush()
        assert process.wait(timeout=60) == 2
        assert process.stderr is not None
        assert "the memory does not suffice" in process.stderr.read()


def test_many_at_a_time(server):
    def ask(number: int) -> tuple[int, str]:
        start = FIRST + timedelta(number % 30)
        with httpx.Client(base_url=server.base_url, timeout=30, verify=False) as client:
            found = flow(
                client, start_date=start, end_date=start + timedelta(7), k=(5, 10, 20)[number % 3]
            )
        return found.status_code, found.text

    with ThreadPoolExecutor(50) as clients:
        first = list(clients.map(ask, range(100)))
        second = list(clients.map(ask, range(100)))
    assert {status for status, _ in first} == {200}
    assert first == second


def attacker(client: httpx.Client, **more: str) -> Subtracter:
    def ask(start: date, stop: date, k: int) -> Any:
        found = flow(client, start_date=start, end_date=stop, k=k, **more)
        return found.json() if found.status_code == 200 else None

    return Subtracter(ask, FIRST, FIRST + timedelta(DAYS - 1), promised=5)


def test_who_subtracts_answers_isolates_nobody(server):
    one = attacker(server)
    one.run(150)
    assert one.isolated == []
    # The same attacker against the document's algorithm, which clusters every window afresh.
    other = attacker(server, algorithm="printed")
    other.run(10)
    assert other.isolated


def test_what_the_schema_says_is_so(server):
    """All checks: what it allows is answered, what it does not is refused; 10,000 cases a night."""
    schemathesis = pytest.importorskip("schemathesis", reason="needs schemathesis")
    from hypothesis import HealthCheck, given, settings
    from hypothesis.strategies import one_of
    from schemathesis.checks import load_all_checks
    from schemathesis.config import SchemathesisConfig
    from schemathesis.generation import GenerationMode

    load_all_checks()
    # Whether there are such columns, or a window ends before it starts, no schema says.
    statuses = {"positive_data_acceptance": {"expected-statuses": ["2xx", 422]}}
    config = SchemathesisConfig.from_dict({"checks": statuses})
    address = str(server.base_url.join("/openapi.json"))
    operations = [
        result.ok()
        for result in schemathesis.openapi.from_url(address, config=config).get_all_operations()
    ]
    assert len(operations) == 11
    for operation in operations:
        # Each table and question of theory that passes its types starts a process.
        costly = operation.method == "post" or operation.path in ("/api/bound", "/api/exact")
        cheap = by_day(25, at_night=8200) if "analytics" in operation.path else 1

        @settings(
            max_examples=by_day(1, at_night=300) if costly else cheap,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        )
        @given(
            case=one_of([operation.as_strategy(generation_mode=mode) for mode in GenerationMode])
        )
        def hold(case: Any) -> None:
            case.call_and_validate(timeout=60)

        hold()


def test_keys_and_rates(database):
    from kproof.serve.app import ServiceLimits, service
    from kproof.serve.flows import prepare_flows
    from kproof.serve.source import TollColumns, TollSource

    limits = ServiceLimits(keys=lambda: (KEY, KEY + "2"), rate=3, most_bytes=100)
    flows = prepare_flows(TollSource(TollColumns(), str(database)))
    app = service(flows, limits)

    async def ask() -> list[int]:
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app=app), base_url="http://server"
        ) as client:
            who: list[dict[str, str]] = [
                {},
                {"x-api-key": "wrong"},
                *[{"x-api-key": KEY}] * 4,
                {"authorization": f"Bearer {KEY}2"},
            ]
            # Until there are cells it says so; a wrong key is refused all the same.
            early = await client.get(FLOW_PATH, headers={"x-api-key": KEY + "2"})
            assert (early.status_code, early.headers["retry-after"]) == (503, "1")
            validate(early.json(), REFUSAL)
            assert (await client.get("/health")).json()["status"] == "starting"
            flows.start()
            assert (await client.get("/health")).json()["status"] == "ok"
            found = [await client.get(FLOW_PATH, headers=one) for one in who]
            found.append(await client.get("/health"))
            return [one.status_code for one in found]

    import anyio

    assert anyio.run(ask) == [401, 401, 200, 200, 200, 429, 200, 200]


@cases(
    [b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    [b"PRI * HTTP/2.0\r\n\r\n", b"SM\r\n\r\n"],
    [b"\0" * 70_000],
    [b"GET /live HTTP/1.1\r\nhost: a\r\nX Y: 1\r\n\r\nGET /live HTTP/1.1\r\nhost: a\r\n\r\n"],
    [
        b"POST /api/check?qi=A&k=2 HTTP/1.1\r\nhost: 127.0.0.1\r\n"
        b"transfer-encoding: chunked\r\n\r\n5\r\nA,B\n1\r\nZZ\r\n"
    ],
    [
        b"POST /api/check?qi=A&k=2 HTTP/1.1\r\nhost: 127.0.0.1\r\n"
        b"transfer-encoding: chunked\r\n\r\n5\r\nA,B\n1\r\n",
        b"ZZ\r\n",
    ],
)
def test_what_is_no_http_is_refused_once(parts, server):
    address = httpx.URL(str(server.base_url))
    with socket.create_connection((address.host, address.port or 80), timeout=10) as one:
        received = b""
        with suppress(ConnectionError):
            for part in parts:
                one.sendall(part)
                time.sleep(0.1)
            while more := one.recv(65_536):
                received += more
    assert received.count(b"HTTP/1.1 ") == received.count(b"HTTP/1.1 400 Bad Request") == 1
    validate(json.loads(received.partition(b"\r\n\r\n")[2]), REFUSAL)


def test_a_slow_client_keeps_nobody_waiting(server):
    address = httpx.URL(str(server.base_url))
    slow = []
    for _ in range(20):
        one = socket.create_connection((address.host, address.port or 80))
        one.sendall(b"POST /api/check HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 50\r\n\r\nA")
        slow.append(one)
    assert flow(server, k=5).status_code == 200
    for one in slow:
        one.close()


def test_a_head_that_does_not_end_is_not_waited_for(monkeypatch):
    import uvicorn

    from kproof.serve.patience import HeadersInTime

    async def app(scope: Any, receive: Any, send: Any) -> None:
        while (await receive()).get("more_body"):
            pass
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    monkeypatch.setattr(HeadersInTime, "seconds", 0.3)
    config = uvicorn.Config(app, http=HeadersInTime, lifespan="off", log_level="error")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = uvicorn.Server(config)
        thread = Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            ends = {}
            for case, first in {
                "new": b"",
                "kept": b"GET / HTTP/1.1\r\nhost: a\r\n\r\n",
                "body": b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1000\r\n\r\n",
            }.items():
                with socket.create_connection(listening.getsockname()) as one:
                    one.settimeout(5)
                    one.sendall(first)
                    if case == "kept":
                        assert one.recv(1000).startswith(b"HTTP/1.1 204")
                    ends[case] = trickled(one)
        finally:
            server.should_exit = True
            thread.join()
    # What is slow after its head has other limits, which are longer.
    assert ends == {"new": True, "kept": True, "body": False}


def trickled(one: socket.socket) -> bool:
    """Send a byte now and then for a second; return whether the server ended it."""
    until = time.monotonic() + 1
    one.setblocking(False)
    while time.monotonic() < until:
        try:
            one.send(b"G")
            if one.recv(1000) == b"":
                return True
        except BlockingIOError:
            time.sleep(0.05)
        except ConnectionError:
            return True
    return False


def test_the_command_refuses_what_it_cannot_serve(tmp_path):
    assert refused("serve").startswith(
        "--database is not given: need one of --database, --database-from-env,"
    )
    told = refused("serve", "--demo", "--host", "0.0.0.0")
    assert told == "--api-keys is not given: need --api-keys with --host 0.0.0.0"
    keys = tmp_path / "keys"
    keys.write_text("short\n", encoding="utf-8")
    keys.chmod(0o600)
    told = refused("serve", "--demo", "--api-keys", str(keys))
    assert "need one key or more" in told
    assert "short" not in told
    told = refused("serve", "--demo", "--agent", "--audit-log", str(tmp_path / "audit"))
    assert told.endswith("need none with --agent, which has no HTTP")
    told = refused("serve", "--csv", str(tmp_path / "none.csv"))
    assert "cannot be read" in told
    assert refused("serve", "--demo", "--least-k", "1").startswith("--least-k = 1: need")


def test_without_the_extra_one_line_says_so(monkeypatch):
    import kproof.cli.shipped.serve as command

    monkeypatch.setattr(command, "find_spec", lambda name: None)
    assert refused("serve", "--demo") == "fastapi is not installed: pip install 'kproof[serve]'"


def test_json_is_what_agents_are_told(server):
    operation = server.get("/openapi.json").json()["paths"][FLOW_PATH]["get"]
    assert operation["operationId"] == "exit_hourly_flow_k_anonymized"
    media = operation["responses"]["200"]["content"]["application/json"]
    assert media["schema"] == json.loads(json.dumps(FLOW_ANSWER))
    validate(media["example"], media["schema"])


def works_in(folder: Path) -> bool:
    """Whether a process has a folder inside one for its own, where the system says so."""
    for place in Path("/proc").glob("[0-9]*/cwd"):
        with suppress(OSError):
            if place.resolve().is_relative_to(folder):
                return True
    return not Path("/proc/self/cwd").exists()


def test_a_server_that_is_killed_while_it_receives_leaves_nothing(tmp_path):
    """Nobody works on the table yet: it has no name on the disk that somebody could see later."""
    process, address = started("--demo", sent=tmp_path)
    url = httpx.URL(address)
    with socket.create_connection((url.host, url.port or 80)) as one:
        head = b"POST /api/check?qi=Age HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 9000000\r\n"
        one.sendall(head + b"\r\nAge\n" + b"47\n" * 1_000_000)
        # What was sent is received: another request is answered after it.
        assert httpx.get(f"{address}/live", timeout=10).status_code == 200
        time.sleep(0.3)
        os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert list(tmp_path.rglob("*")) == []


def test_a_server_that_is_killed_leaves_its_cells_as_they_were(running, database):
    """Last of all: no test after it has a server."""
    from kproof.serve.flows import open_flows
    from kproof.serve.source import TollColumns, TollSource

    address, before = running.address + FLOW_PATH, database.read_bytes()
    first = httpx.get(address, params={"k": "5"}, timeout=20).json()
    with ThreadPoolExecutor(8) as clients:
        asked = [
            clients.submit(
                httpx.get, address, params={"k": str((5, 10, 20, 50)[one % 4])}, timeout=20
            )
            for one in range(8)
        ]
        people = "Age,Disease\n" + "".join(f"{one},flu\n" for one in range(40_000))
        query = {"qi": "Age", "other": "Disease", "k": "2"}
        anonymize = running.address + "/api/anonymize"
        sent = clients.submit(httpx.post, anonymize, params=query, content=people, timeout=20)
        until = time.monotonic() + 10
        while not list(running.sent.glob("*/table.csv")) and time.monotonic() < until:
            time.sleep(0.01)
        assert list(running.sent.glob("*/table.csv"))
        # From when it has its folder, a process answers for what was sent.
        while not works_in(running.sent) and time.monotonic() < until:
            time.sleep(0.01)
        os.kill(running.process.pid, signal.SIGKILL)
        for one in asked:
            one.exception()
        sent.exception()
    running.process.wait()
    # What was sent is gone, and so is the process that worked on it.
    until = time.monotonic() + 10
    while list(running.sent.glob("*")) and time.monotonic() < until:
        time.sleep(0.05)
    assert not list(running.sent.glob("*"))
    again = open_flows(TollSource(TollColumns(), str(database)), running.cells)
    assert json.loads(json.dumps(again.answer(None, None, 5))) == first
    assert database.read_bytes() == before
