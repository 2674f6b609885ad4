"""What an operator has: a file of options, keys that change, logs, a stop that lets work end."""

import asyncio
import hashlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from cases import cases, error_line
from shell import refused

for _name in ("fastapi", "uvicorn", "ibis", "httpx", "prometheus_client"):
    pytest.importorskip(_name, reason="needs the extra serve")

import httpx  # noqa: E402

from kproof.cli.shipped.serve import with_file  # noqa: E402
from kproof.errors import DataError, InvalidArgument  # noqa: E402
from kproof.serve.guards import Guards  # noqa: E402
from kproof.serve.records import RequestLog, read_keys  # noqa: E402
from kproof.serve.schema import FLOW_PATH, REFUSAL  # noqa: E402

FILES = Path(__file__).parents[2] / "docs" / "operating"
KEYS = "first-key-of-enough-signs", "other-key-of-enough-signs"


@pytest.fixture
def running(tmp_path: Path) -> Any:
    """A server that has its options from a file, and its folder."""
    (tmp_path / "keys").write_text(KEYS[0] + "\n", encoding="utf-8")
    (tmp_path / "keys").chmod(0o600)
    options = {
        "demo": "true",
        "port": "0",
        "time-zone": '"Asia/Shanghai"',
        "api-keys": f'"{tmp_path / "keys"}"',
        "access-log": f'"{tmp_path / "access.jsonl"}"',
        "audit-log": f'"{tmp_path / "audit.jsonl"}"',
        "least-k": "9",
    }
    text = "".join(f"{name} = {value}\n" for name, value in options.items())
    (tmp_path / "serve.toml").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "kproof", "serve", "--config", str(tmp_path / "serve.toml")]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [*command, "--least-k=5"],
        stdout=pipe,
        stderr=pipe,
        text=True,
        env=os.environ | {"TMPDIR": str(tmp_path)},
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        # What is typed holds, too.
        assert "k >= 5" in line, process.stderr and process.stderr.read()
        with httpx.Client(base_url=line.split()[0], timeout=30) as client:
            yield process, client, tmp_path
        process.kill()


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait until something is so; the test runner ends a test that waits for ever."""
    while not condition():
        time.sleep(0.02)


def test_a_server_from_a_file_its_keys_its_logs_and_its_end(running):
    process, client, folder = running

    def asked(key: str, **query: str) -> httpx.Response:
        return client.get(FLOW_PATH, params=query, headers={"x-api-key": key})

    answer = asked(KEYS[0], start_date="2023-01-02", k="10")
    assert [answer.status_code, asked(KEYS[1]).status_code] == [200, 401]
    # Keys are exchanged while it runs; a file that is wrong changes nothing.
    os.replace(folder / "keys", folder / "old")
    assert asked(KEYS[0]).status_code == 200
    (folder / "keys").write_text(KEYS[1] + "\n", encoding="utf-8")
    (folder / "keys").chmod(0o600)
    assert [asked(key).status_code for key in KEYS] == [401, 200]
    assert asked(KEYS[0]).json()["error"]["parameter"] == "X-API-Key"
    # Logs have no address, no key, and of a query nothing but what is answered.
    os.replace(folder / "audit.jsonl", folder / "audit.1")
    process.send_signal(signal.SIGHUP)
    wait_for((folder / "audit.jsonl").exists)
    client.get("/health?who=me", headers={"x-api-key": KEYS[1]})
    assert asked(KEYS[1], end_date="2023-01-04", k="5").status_code == 200
    wait_for(lambda: bool(lines(folder / "audit.jsonl")))
    (first, *_), (last,) = lines(folder / "audit.1"), lines(folder / "audit.jsonl")
    assert first["sha256"] == hashlib.sha256(answer.content).hexdigest()
    assert (first["k"], first["start_date"], last["end_date"]) == (10, "2023-01-02", "2023-01-04")
    seen = lines(folder / "access.jsonl")
    assert {frozenset(line) for line in seen} == {
        frozenset(("at", "who", "method", "path", "status", "seconds"))
    }
    assert [line["status"] for line in seen][:2] == [200, 401]
    texts = [path.read_text(encoding="utf-8") for path in folder.glob("a*.*")]
    assert not [text for text in texts for word in (*KEYS, "127.0.0.1", "who=me") if word in text]
    # It stops when what it works on is done: a table that is still arriving is answered.
    url = client.base_url
    with socket.create_connection((url.host, url.port or 80)) as one:
        people = b"Age,Disease\n" + b"20-29,flu\n20-29,cold\n" * 9
        head = (
            f"POST /api/check?qi=Age&sensitive=Disease&k=2 HTTP/1.1\r\nhost: 127.0.0.1\r\n"
            f"x-api-key: {KEYS[1]}\r\ncontent-length: {len(people)}\r\n\r\n"
        )
        one.sendall(head.encode() + people[:40])
        time.sleep(0.3)
        process.send_signal(signal.SIGTERM)
        time.sleep(5.5)
        one.sendall(people[40:])
        received = one.makefile("rb").read()
    assert received.startswith(b"HTTP/1.1 200")
    assert b'"verdicts"' in received
    assert process.wait(timeout=20) in (0, -signal.SIGTERM)


def test_a_file_of_options_is_held_to_them(tmp_path):
    path = tmp_path / "serve.toml"
    for text, says in [
        ("colour = 1\n", "colour is no option of kproof serve"),
        ("least_k = 5\n", "least_k is no option of kproof serve; did you mean least-k?"),
        ('config = "x"\n', "config is no option"),
        ("demo = [1]\n", "demo: need true or false"),
        ("demo = \n", "need a TOML file that can be read: not TOML"),
    ]:
        path.write_text(text, encoding="utf-8")
        assert says in refused("serve", "--config", str(path))
    assert "No such file" in refused("serve", "--config", str(tmp_path / "none"))
    example = tomllib.loads((FILES / "serve.toml").read_text(encoding="utf-8"))
    words = with_file(["--config", str(FILES / "serve.toml"), "--port", "1"])
    assert len(words) == len(example) - 1 + 4
    path.write_text("port = 1.5\n", encoding="utf-8")
    assert "port: need a text" in error_line(DataError, with_file, [f"--config={path}"])


def test_an_option_without_a_value_is_not_passed_over(tmp_path):
    """A file that is not named would be none, and a restart open every closed day."""
    path = tmp_path / "serve.toml"
    for option in ("cells", "database", "csv", "api-keys", "access-log", "vehicle", "host"):
        for value in ("", " "):
            assert refused("serve", "--demo", f"--{option}={value}").startswith(f"--{option} = ")
        assert "a value that is not empty" in refused("serve", "--demo", f"--{option}", "")
        path.write_text(f'{option} = ""\n', encoding="utf-8")
        assert "a value that is not empty" in refused("serve", "--config", str(path))
    for name in (":memory:", ":memory:x"):
        told = refused("serve", "--demo", "--cells", name)
        assert told == f"--cells = {name}: need the name of a file"


def test_a_log_that_is_there_is_closed_to_others(tmp_path):
    path = tmp_path / "logs" / "access"
    path.parent.mkdir()
    for _ in range(2):
        path.touch()
        path.chmod(0o644)
        log = RequestLog(str(path))
        assert path.stat().st_mode & 0o777 == 0o600
        path.chmod(0o644)
        log.reopen()
        assert path.stat().st_mode & 0o777 == 0o600
        log._file.close()
    # A folder that is gone ends no server.
    path.parent.rename(tmp_path / "elsewhere")
    log.reopen()


def test_a_log_names_no_method_that_a_client_made_up(tmp_path):
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 204, "headers": []})

    async def nothing(*_: Any) -> Any:
        return None

    log = RequestLog(str(tmp_path / "access"))
    guards = Guards(app, count_request=lambda *_: None, access=log, hosts=["localhost", "[::1]"])
    names = ("localhost", "[::1]:80", "[::1].evil.com", "localhost:evil", "[::1]80")
    for method in ("GET", "M" * 60_000, "get"):
        for host in names:
            scope = {"type": "http", "method": method, "path": "/live"}
            scope["headers"] = [(b"host", host.encode())]
            asyncio.run(guards(scope, nothing, nothing))
    log._file.close()
    seen = lines(tmp_path / "access")
    assert [line["method"] for line in seen] == ["GET"] * 5 + ["other"] * 10
    assert [line["status"] for line in seen] == [204, 204, 400, 400, 400] * 3


def test_names_of_figures_are_those_of_the_server():
    from kproof.serve.app import service
    from kproof.serve.flows import open_flows
    from kproof.serve.source import TollColumns, TollSource

    async def metrics() -> str:
        app = service(open_flows(TollSource(TollColumns(), demo=500)))
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://server") as client:
            await client.get(FLOW_PATH)
            return (await client.get("/metrics")).text

    text = asyncio.run(metrics())
    known = set(re.findall(r"^(kproof_\w+)", text, re.MULTILINE))
    known |= set(re.findall(r"^# TYPE (kproof_\w+)", text, re.MULTILINE))
    dashboard = json.loads((FILES / "dashboard.json").read_text(encoding="utf-8"))
    asked = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    yaml = pytest.importorskip("yaml")
    rules = yaml.safe_load((FILES / "alerts.yml").read_text(encoding="utf-8"))
    for rule in rules["groups"][0]["rules"]:
        assert {"alert", "expr", "labels", "annotations"} <= set(rule)
        asked.append(rule["expr"])
    assert set(re.findall(r"kproof_\w+", " ".join(asked))) <= known
    assert all(expr.count("(") == expr.count(")") for expr in asked)
    assert re.search(r"^kproof_closed_before_seconds 1\.\d+e\+09$", text, re.MULTILINE)


@pytest.mark.parametrize("name", ["Containerfile", "Containerfile.report"])
def test_a_container_file_is_sound(name):
    text = (FILES / name).read_text(encoding="utf-8").replace("\\\n", " ")
    said = dict(re.findall(r"^([A-Z]+) (.*)$", text, re.MULTILINE))
    # As hadolint asks: a fixed base, no cache of pip, no ADD, commands as lists, nobody's root.
    assert re.fullmatch(r"docker\.io/\S+:[0-9.]+\S*", said["FROM"])
    assert "pip install --no-cache-dir" in said["RUN"]
    assert "ADD" not in said
    assert said["USER"] not in ("0", "root")
    for step in ("ENTRYPOINT", "CMD", "VOLUME"):
        assert isinstance(json.loads(said[step]), list)
    assert json.loads(said["ENTRYPOINT"])[0] == "kproof"


def test_the_unit_is_sound(tmp_path):
    unit = (FILES / "kproof.service").read_text(encoding="utf-8")
    assert "/kproof serve" in unit
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("needs systemd-analyze")
    path = tmp_path / "kproof.service"
    path.write_text(unit.replace("/usr/local/bin/kproof", sys.executable), encoding="utf-8")
    done = subprocess.run(
        [analyze, "verify", "--man=no", str(path)], capture_output=True, text=True, check=False
    )
    assert [line for line in done.stderr.splitlines() if "kproof.service" in line] == []


def test_slow_readers_and_what_is_no_http(monkeypatch):
    import uvicorn
    from jsonschema import validate

    from kproof.serve.patience import HeadersInTime

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for _ in range(400):
            await send({"type": "http.response.body", "body": b"x" * 65536, "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    monkeypatch.setattr(HeadersInTime, "reading", 0.5)
    monkeypatch.setattr(HeadersInTime, "most", 3)
    config = uvicorn.Config(app, http=HeadersInTime, lifespan="off", log_level="error")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = listening.getsockname()
        server = uvicorn.Server(config)
        thread = Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            with socket.create_connection(address) as slow:
                slow.sendall(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n")
                until, size = time.monotonic() + 1.5, 0
                while time.monotonic() < until:
                    size += len(slow.recv(10))
                    time.sleep(0.05)
                # What the system held is all that comes.
                while part := slow.recv(1 << 20):
                    size += len(part)
                assert size < 300 * 65536
            for sent in (
                b"BAD\r\n\r\n",
                b"GET / HTTP/1.1\r\nhost: a\r\nx\x00: 1\r\n\r\n",
                b"\x16\x03",
                b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n"
                b"transfer-encoding: chunked\r\n\r\n0",
            ):
                with socket.create_connection(address) as one:
                    one.sendall(sent + b"\r\n\r\n")
                    head, _, body = one.makefile("rb").read().partition(b"\r\n\r\n")
                assert head.startswith(
                    b"HTTP/1.1 400 Bad Request\r\ncontent-type: application/json"
                )
                validate(json.loads(body), REFUSAL)
            many = [socket.create_connection(address) for _ in range(4)]
            assert many[-1].makefile("rb").read().startswith(b"HTTP/1.1 503")
            for one in many:
                one.close()
        finally:
            server.should_exit = True
            thread.join()


@cases("vehicle = false", "rate = false", "cells = true", 'demo = "yes"', "agent = 1")
def test_true_and_false_are_for_switches(line, tmp_path):
    (tmp_path / "serve.toml").write_text(line, encoding="utf-8")
    with pytest.raises(DataError, match=r"need (true or false|a text or a whole number)"):
        with_file(["--config", str(tmp_path / "serve.toml")])


def test_a_comment_is_no_key_and_others_read_none(tmp_path):
    path = tmp_path / "keys"
    for text, mode in (
        (f"# {KEYS[0]}\n{KEYS[1]}", 0o600),
        (f"{KEYS[0]} # of the other office", 0o600),
        (KEYS[0], 0o666),
        (KEYS[0], 0o640),
    ):
        path.write_text(text, encoding="utf-8")
        path.chmod(mode)
        with pytest.raises(InvalidArgument, match=r"without spaces and #|mode 0600") as error:
            read_keys(str(path))
        assert KEYS[0] not in str(error.value)
    path.chmod(0o600)
    assert read_keys(str(path)) == (KEYS[0],)
