"""Processes that share work: what they answer, who is ended in the middle, and who goes away."""

import gc
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from threading import Event, Thread, Timer
from typing import Any

import dask
import pyarrow as pa
import pytest
from pyarrow import parquet

from kproof import cluster as cluster_module
from kproof.cluster import connect
from kproof.errors import DataError, InvalidArgument
from kproof.models.partitioned import anonymize_folder

distributed = pytest.importorskip("distributed")


@pytest.fixture(autouse=True)
def _importable(monkeypatch):
    """Have processes that are started find the functions of this module."""
    monkeypatch.syspath_prepend(Path(__file__).parents[1])


def doubled(item: int, marks: str) -> int:
    """Double a number; the first who is asked for 3 is ended in the middle."""
    mark = Path(marks, "ended")
    if item == 3 and not mark.exists():
        mark.touch()
        # Whoever is told of this waits for it: the event goes out before the process does.
        time.sleep(0.5)
        os.kill(os.getpid(), signal.SIGKILL)
    return 2 * item


_held = Event()


def held(item: int) -> int:
    """Double a number; 1 waits until it may."""
    if item == 1:
        assert _held.wait(30)
    return 2 * item


def never_ended(item: int) -> int:
    return 2 * item


def never(item: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return item


def forbidden(item: int) -> int:
    raise PermissionError(13, "Permission denied")


def patient(item: int) -> int:
    time.sleep(60)
    return item


def test_a_process_that_is_ended_costs_another_try(tmp_path):
    with connect(workers=2, memory="2GB", spill=str(tmp_path)) as found:
        answers = dict(found.answers(doubled, [1, 2, 3, 4], str(tmp_path), doing="doubling"))
        assert answers == {0: 2, 1: 4, 2: 6, 3: 8}
        assert (found.tasks, found.processes) == (4, 2)
        # The one beside it may have been begun anew, too.
        assert 1 <= found.retried <= 3
        with pytest.raises(DataError, match="refusing: Permission denied"):
            list(found.answers(forbidden, [1], doing="refusing"))
        with pytest.raises(DataError, match=r"ending: one process after the other was ended"):
            list(found.answers(never, [1], doing="ending"))


def test_a_task_that_is_lost_on_its_way(monkeypatch):
    """What a process has forgotten and the scheduler waits for is asked for again."""
    # Not above: processes that are asked for functions of this module do not know the support.
    from clusters import threads
    from distributed.worker_state_machine import FreeKeysEvent

    monkeypatch.setattr(cluster_module, "PATIENCE", 0.2)
    _held.clear()
    with threads() as found:

        def forget(dask_worker: Any) -> list[str]:
            state = dask_worker.state
            waiting = [key for key, one in state.tasks.items() if one.state == "ready"]
            dask_worker.handle_stimulus(FreeKeysEvent(keys=waiting, stimulus_id="lost"))
            return waiting

        answers = found.answers(held, [1, 2], doing="doubling")
        lost: list[str] = []

        def lose() -> None:
            while not lost:
                time.sleep(0.01)
                for one in found.client.run(forget).values():
                    lost.extend(one)
            _held.set()

        loser = Thread(target=lose)
        loser.start()
        assert sorted(answers) == [(0, 2), (1, 4)]
        loser.join()
        assert len(lost) == 1
        assert (found.tasks, found.runs, found.retried) == (2, 2, 0)


def test_nobody_is_left(monkeypatch):
    from clusters import threads

    monkeypatch.setattr(cluster_module, "PATIENCE", 0.1)
    with threads() as found:
        found.client.cluster.scale(0)
        with pytest.raises(DataError, match="doubling: threads has no processes left"):
            list(found.answers(held, [2], doing="doubling"))


def test_a_scheduler_that_goes_away(tmp_path):
    ready = tmp_path / "address"
    code = (
        "import sys, time\n"
        "from distributed import LocalCluster\n"
        "if __name__ == '__main__':\n"
        "    local = LocalCluster(n_workers=1, processes=False, dashboard_address='127.0.0.1:0',\n"
        "                         protocol='tcp', host='127.0.0.1')\n"
        "    open(sys.argv[1], 'w').write(local.scheduler_address)\n"
        "    time.sleep(100)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code, str(ready)], stderr=subprocess.DEVNULL)
    try:
        while not (ready.exists() and ready.read_text()):
            assert process.poll() is None
            time.sleep(0.05)
        with connect(ready.read_text()) as found:
            assert found.where == f"the scheduler at {ready.read_text()}"
            assert found.processes == 1

            answers = found.answers(patient, [1, 2], doing="waiting")
            Timer(0.5, process.kill).start()
            with pytest.raises(DataError, match=r"waiting: the scheduler at .* went away"):
                next(answers)
    finally:
        process.kill()
        process.wait()


# Not with support: processes that are asked for functions of this module do not know it.
@pytest.mark.parametrize(
    ("asked", "kind", "says"),
    [
        ({"scheduler": "tcp://127.0.0.1:1"}, DataError, "no scheduler of Dask answers there"),
        ({"scheduler": "nonsense://x"}, InvalidArgument, "an address such as tcp://"),
        ({"memory": "much"}, InvalidArgument, "memory = much: need a size such as 8GB"),
    ],
)
def test_nobody_to_ask(asked, kind, says, monkeypatch):
    monkeypatch.setattr(cluster_module, "PATIENCE", 1)
    with pytest.raises(kind, match=says), connect(**asked):
        pass


def test_a_scheduler_behind_tls():
    pytest.importorskip("cryptography")
    made_up = distributed.Security.temporary()
    certificates = {
        "distributed.comm.tls.ca-file": made_up.tls_ca_file,
        "distributed.comm.tls.client.cert": made_up.tls_client_cert,
        "distributed.comm.tls.client.key": made_up.tls_client_key,
    }
    with distributed.LocalCluster(
        n_workers=1, processes=False, security=made_up, dashboard_address="127.0.0.1:0"
    ) as local:
        with dask.config.set(certificates), connect(local.scheduler_address) as found:
            assert dict(found.answers(never_ended, [1, 2], doing="doubling")) == {0: 2, 1: 4}
        with (
            pytest.raises(InvalidArgument, match=r"certificates in Dask's configuration"),
            connect(local.scheduler_address),
        ):
            pass


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_folder_on_spark(tmp_path):
    pytest.importorskip("pyspark")
    if shutil.which("java") is None:
        pytest.skip("Java is not installed")
    (tmp_path / "data").mkdir()
    table = pa.table({"age": list(range(100)) * 3})
    for part in range(3):
        parquet.write_table(table, tmp_path / "data" / f"{part}.parquet")
    releases = []
    for scheduler in ("spark:local[2]", None):
        out = tmp_path / ("spark" if scheduler else "dask")
        with connect(scheduler) as found:
            account = anonymize_folder(
                "mondrian",
                tmp_path / "data",
                out,
                quasi_identifiers=["age"],
                cluster=found,
                regions=3,
                k=5,
            )
        assert account.rows == 900
        releases.append(sorted(parquet.read_table(out).to_pylist(), key=str))
    assert releases[0] == releases[1]


def test_somebody_else_answers(monkeypatch):
    monkeypatch.setattr(cluster_module, "PATIENCE", 1)
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        pytest.raises(DataError, match="no scheduler of Dask answers there"),
        connect(f"tcp://127.0.0.1:{silent.getsockname()[1]}"),
    ):
        pass
    with (
        distributed.LocalCluster(
            n_workers=1, processes=False, protocol="tcp", dashboard_address="127.0.0.1:0"
        ) as local,
        pytest.raises(DataError, match="a Worker of Dask answers there, no scheduler"),
        connect(local.workers[0].address),
    ):
        pass


def test_who_cannot_be_asked_leaves_no_client_behind():
    """One that is open when it is collected waits for the lock of one that is being started."""
    for address in ("nonsense://x", "tls://127.0.0.1:1"):
        with pytest.raises(InvalidArgument), connect(address):
            pass
    clients = [one for one in gc.get_objects() if issubclass(type(one), distributed.Client)]
    assert [one.status for one in clients if one.status != "closed"] == []


def test_a_folder_on_processes_of_this_machine(tmp_path):
    (tmp_path / "data").mkdir()
    table = pa.table({"age": list(range(100)) * 3})
    parquet.write_table(table, tmp_path / "data" / "a.parquet")
    found = anonymize_folder(
        "mondrian",
        tmp_path / "data",
        tmp_path / "out",
        quasi_identifiers=["age"],
        k=4,
        jobs=2,
        memory="2GB",
    )
    assert (found.rows, found.published, found.regions, found.retried) == (300, 300, 2, 0)
    assert found.where == "processes of this machine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "out"]
