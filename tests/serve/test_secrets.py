"""Secrets of an address stand in no output, no file and no list of processes."""

import os
import signal
import stat
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st
from shell import kproof, refused

for _name in ("fastapi", "uvicorn", "ibis", "httpx", "mcp", "prometheus_client", "psycopg"):
    pytest.importorskip(_name, reason="needs the extra serve and psycopg")
duckdb = pytest.importorskip("duckdb", reason="needs the extra serve")

from kproof.errors import DataError, KProofError  # noqa: E402
from kproof.models.tables.engines.opening import without_password, without_secrets  # noqa: E402
from kproof.serve.flows import open_flows, prepare_flows  # noqa: E402
from kproof.serve.source import TollColumns, TollSource  # noqa: E402
from kproof.serve.terms import identity  # noqa: E402

SECRET = "hush-hush-7"
AT = "127.0.0.1:1/name"


@cases(
    f"postgres://me:{SECRET}@{AT}",
    f"postgres://me:%68{SECRET}@{AT}",
    f"postgres://me:x/{SECRET}@{AT}",
    f"postgres://me:x?{SECRET}@{AT}",
    f"postgres://me:x#{SECRET}@{AT}",
    f"postgres://me:x@{SECRET}@{AT}",
    f"postgres://{AT}?password={SECRET}",
    f"postgres://{AT}?sslmode=disable&sslpassword={SECRET}",
    f"postgres://{AT}?{SECRET}",
    f"postgres://{AT}?options=-c%20x@{SECRET}",
    f"mysql://{AT}?token={SECRET}",
    f"nothing://{AT}?token={SECRET}",
    f"host=127.0.0.1 port=1 password={SECRET}",
)
def test_no_command_prints_a_secret(address, here, monkeypatch):
    file = here / "address"
    file.write_text(address + "\n", encoding="utf-8")
    file.chmod(0o600)
    table = address + ("&" if "?" in address else "?") + "table=t"
    for words in [
        ("serve", "--database", address),
        ("serve", "--database", address, "--csv", "x"),
        ("serve", "--csv", address),
        ("serve", "--database-from-file", str(file), "--cells", "cells.db"),
        ("serve", "--database-from-env", "ADDRESS", "--cells", "cells.db", "--agent"),
        ("serve", "--database-from-env", address),
        ("serve", "--database-from-file", address),
        ("serve", "--demo", "--api-keys", SECRET),
        *[("check", data, "--qi", "a", "--k", "2") for data in (address, table)],
    ]:
        monkeypatch.setenv("ADDRESS", address)
        ran = kproof(*words)
        assert ran.status == 2, words
        assert SECRET not in ran.out + ran.err, words
        assert ran.err.count("\n") == 1, words
    for written in here.iterdir():
        assert written == file or SECRET.encode() not in written.read_bytes()
    source = TollSource(TollColumns(), address)
    for ask in (source.check, lambda: open_flows(source, None)):
        with pytest.raises(KProofError) as error:
            ask()
        assert SECRET not in str(error.value)
        assert error.value.__cause__ is None
    assert SECRET not in identity(source)


@given(st.text("ab:/?@&=%é ", max_size=9), st.sampled_from(["user", "option"]))
def test_no_secret_comes_through(inner, place):
    """Whatever signs a password has, what is printed and what a driver quotes do not have it."""
    secret = f"S{inner}S"
    address = {
        "user": f"postgres://me:{secret}@host/name?sslmode=disable",
        "option": f"postgres://host/name?sslmode=disable&password={secret}",
    }[place]
    assert "S" not in without_password(address)
    for piece in (secret, *secret.replace("@", "/").split("/")):
        assert "S" not in piece or "S" not in without_secrets(address, f"cannot use '{piece}'")


def test_a_secret_on_the_command_line_is_refused():
    says = refused("serve", "--database", f"postgres://me:{SECRET}@{AT}")
    assert says.startswith(f"--database = postgres://me:…@{AT}: need an address without secrets")


def test_a_file_that_others_may_read_is_refused(tmp_path):
    file = tmp_path / "address"
    file.write_text("postgres://me@127.0.0.1/n", encoding="utf-8")
    file.chmod(0o640)
    assert "in a file of mode 0600" in refused("serve", "--database-from-file", str(file))


@pytest.fixture
def exits(tmp_path: Path) -> Path:
    path = tmp_path / "exits.db"
    with duckdb.connect(str(path)) as con:
        con.execute("CREATE TABLE exits (section_id VARCHAR, exit_time TIMESTAMP, toll DOUBLE)")
        rows = [["G5", f"2023-01-02 0{hour}:00:00", 1.0] for hour in range(8)]
        con.executemany("INSERT INTO exits VALUES (?, ?, ?)", rows)
    return path


def test_cells_are_their_owners(exits, tmp_path):
    """The file and the log beside it, also while it is written and one that was there before."""
    cells, modes = tmp_path / "cells.db", set()
    for day in (date(2023, 1, 3), date(2023, 1, 4)):
        flows = prepare_flows(
            TollSource(TollColumns(), str(exits)), str(cells), today=lambda d=day: d
        )
        modes |= {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.glob("cells.db*")}
        flows.start()
        modes |= {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.glob("cells.db*")}
        assert len(list(tmp_path.glob("cells.db*"))) == 2
        flows.sealed.close()
        cells.chmod(0o644)
    assert modes == {0o600}


def test_a_server_shows_its_secret_nowhere(tmp_path):
    """Not in the list of processes, not to what it starts, and not when it cannot start."""
    address = f"postgres://me:{SECRET}@10.255.255.1/name"
    process = subprocess.Popen(
        [sys.executable, "-m", "kproof", "serve", "--port", "0", "--database-from-env", "PLACE"],
        env=os.environ | {"PLACE": address},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    listed = Path(f"/proc/{process.pid}/cmdline")
    if listed.exists():
        assert SECRET.encode() not in listed.read_bytes()
    process.send_signal(signal.SIGTERM)
    assert SECRET not in "".join(process.communicate(timeout=30))


def test_a_file_of_another_source_is_named_without_its_secret(exits, tmp_path):
    cells = str(tmp_path / "cells.db")
    flows = open_flows(TollSource(TollColumns(), str(exits)), cells)
    flows.sealed.close()
    with duckdb.connect(cells) as con:
        con.execute(f"UPDATE sealing SET source = 'postgres://h/n?password={SECRET}, exits, a'")
    with pytest.raises(DataError, match="is of another source, postgres://h/n") as error:
        prepare_flows(TollSource(TollColumns(), str(exits)), cells)
    assert SECRET not in str(error.value)
