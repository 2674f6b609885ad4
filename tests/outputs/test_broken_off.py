"""A set of files whose writing is broken off at any step: by a signal, an error, an interruption.

A run is a process that writes a set of three files to two folders. An audit hook sees each of its
system calls before it is made, and breaks the run off at one of them. What is there then, and what
is there after the next run, must be all of the old files or all of the new ones.
"""

import json
import os
import signal
import stat
from pathlib import Path
from typing import Any

import pytest
from apart import python

from kproof.outputs import check_outputs

pytestmark = pytest.mark.skipif(os.name == "nt", reason="processes are forked, signals sent")

RUNS = """
import errno, json, os, signal, sys
from kproof.outputs import together, write_text

home, how = sys.argv[1], sys.argv[2]
CALLS = {"open", "os.rename", "os.link", "os.remove", "os.chmod", "os.mkdir", "os.rmdir"}
count, last, armed = 0, 0, False

def hook(event, arguments):
    global count, armed
    if not armed or event not in CALLS or home not in str(arguments):
        return
    count += 1
    if count != last:
        return
    armed = False
    if how in ("SIGKILL", "SIGINT"):
        os.kill(os.getpid(), getattr(signal, how))
    else:
        raise OSError(getattr(errno, how), os.strerror(getattr(errno, how)))

def run(step):
    global armed, last
    place, last, said = f"{home}/{step}", step, ""
    try:
        armed = True
        with together():
            write_text(place + "/a/one", "new one")
            write_text(place + "/a/two", "new two")
            write_text(place + "/b/three", "new three")
    except BaseException as error:
        said = f"{type(error).__name__}: {error}"
    armed = False
    return {"count": count, "said": said}

# Tests that run in the background ignore the signal, and so would this process.
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.addaudithook(hook)
for step in map(int, sys.argv[3:]):
    end, start = os.pipe()
    child = os.fork()
    if not child:
        os.write(start, json.dumps(run(step)).encode())
        os._exit(0)
    os.close(start)
    _, status = os.waitpid(child, 0)
    told = os.read(end, 10000)
    os.close(end)
    killed = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    print(json.dumps({"step": step, "killed": killed} | (json.loads(told) if told else {})))
"""
OLD = {"a/one": "old one", "b/three": "old three"}
NEW = {"a/one": "new one", "a/two": "new two", "b/three": "new three"}


def runs(home: Path, how: str, steps: range) -> list[dict[str, Any]]:
    for step in steps:
        for name, text in OLD.items():
            path = home / str(step) / name
            path.parent.mkdir(parents=True)
            path.write_text(text)
            path.chmod(0o640)
    done = python("-c", RUNS, str(home), how, *map(str, steps), check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def there(home: Path) -> dict[str, str]:
    return {
        str(path.relative_to(home)): path.read_text()
        for path in home.rglob("*")
        if path.is_file() and not path.name.startswith(".")
    }


def left_over(home: Path) -> list[str]:
    return [path.name for path in home.rglob(".*")]


def next_run(home: Path) -> None:
    """Check other destinations in both folders, which clears what was broken off."""
    for name in ("a", "b"):
        check_outputs({"output": home / name / "other"})


@pytest.fixture(scope="module")
def steps(tmp_path_factory: pytest.TempPathFactory) -> range:
    home = tmp_path_factory.mktemp("whole")
    (done,) = runs(home, "SIGKILL", range(1))
    assert there(home / "0") == NEW
    assert left_over(home) == []
    return range(1, done["count"] + 1)


def test_a_set_is_whole_or_not_there_whenever_the_process_is_killed(steps, tmp_path):
    found, halves = set(), 0
    for told in runs(tmp_path, "SIGKILL", steps):
        home = tmp_path / str(told["step"])
        assert told["killed"] == signal.SIGKILL
        halves += there(home) not in (OLD, NEW)
        next_run(home)
        assert there(home) in (OLD, NEW), told
        assert left_over(home) == [], told
        assert stat.S_IMODE((home / "a/one").stat().st_mode) == 0o640
        found.add(len(there(home)))
    # Both ends were seen, and so were sets that only the next run made whole.
    assert found == {len(OLD), len(NEW)}
    assert halves >= 2


@pytest.mark.parametrize("how", ["ENOSPC", "EDQUOT", "EROFS"])
def test_an_error_at_any_step_leaves_everything_as_it_was(how, steps, tmp_path):
    failures = 0
    for told in runs(tmp_path, how, steps):
        home, failed = tmp_path / str(told["step"]), bool(told["said"])
        whole = OLD if failed else NEW
        assert there(home) == whole, told
        assert not failed or told["said"].startswith("DataError: "), told
        assert not failed or "cannot be written" in told["said"], told
        failures += failed
        if left_over(home):
            next_run(home)  # the removal of something was what failed
        assert there(home) == whole, told
        assert left_over(home) == [], told
    assert failures >= len(steps) / 2


def test_an_interruption_leaves_all_or_nothing_and_no_left_overs(steps, tmp_path):
    found = set()
    for told in runs(tmp_path, "SIGINT", steps):
        home = tmp_path / str(told["step"])
        assert told["said"] == "KeyboardInterrupt: "
        assert there(home) in (OLD, NEW), told
        assert left_over(home) == [], told
        found.add(len(there(home)))
    assert found == {len(OLD), len(NEW)}


def test_a_file_that_grows_too_large_leaves_what_was_there(tmp_path):
    code = """
import resource, signal, sys
from kproof.outputs import together, write_text
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))
with together():
    write_text(sys.argv[1] + "/a", "new")
    write_text(sys.argv[1] + "/b", "x" * (1 << 17))
"""
    (tmp_path / "a").write_text("old")
    done = python("-c", code, str(tmp_path))
    assert done.stderr.splitlines()[-1].endswith("/b: cannot be written: File too large")
    assert there(tmp_path) == {"a": "old"}
    assert left_over(tmp_path) == []
