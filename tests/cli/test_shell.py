"""The command as a whole: help, shipped tables, statuses, pipes and interruptions."""

import csv
import io
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from unittest import mock

import pytest
from cases import cases
from shell import kproof, printed, refused, same_as_snapshot

import kproof as package
from kproof.cli.base.printing import ExitStatus
from kproof.datasets import SHIPPED
from kproof.models.adversaries import ATTACKS
from kproof.models.methods import METHODS

COMMANDS = (
    *("bound", "exact", "design", "datasets", "anonymize", "hierarchy", "compare", "check"),
    "compose",
    "account",
    "attack",
    "calculator",
    "report",
    "roles",
    "schema",
    "serve",
)
SMALL = ("exact", "binomial", "--n", "2", "--p", "1/2", "--epsilon", "0")


def spawn(*words: str, **how: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "kproof", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, **how)


def test_help():
    same_as_snapshot("help.txt", kproof("--help").out, layout=False)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_each_command(command):
    same_as_snapshot(f"help-{command}.txt", printed(command, "--help"), layout=False)


@pytest.mark.parametrize(
    ("command", "name"),
    [
        *(("anonymize", name) for name in (*METHODS, "sampled")),
        *(("attack", name) for name in ATTACKS),
    ],
)
def test_help_of_each_method_and_attack(command, name):
    same_as_snapshot(f"help-{command}-{name}.txt", printed(command, name, "--help"), layout=False)
    page = Path(__file__).parents[2] / "docs" / "reference" / "command-line.md"
    assert f"snapshots/help-{command}-{name}.txt" in page.read_text(encoding="utf-8")


def test_without_words_the_help_is_shown():
    assert kproof().out == kproof("--help").out


def test_version():
    assert kproof("--version").out == f"kproof {package.__version__}\n"


@cases(
    (("nothing",), 'Unknown command "nothing".'),
    (("--bogus",), 'Unknown command "--bogus".'),
    (("bound", "1", "2", "--n", "3"), "Unused Tokens: "),
    (("datasets", "table-9"), "name = table-9: need one of table-1a"),
    (("report", "--output"), "--output: no value given; see kproof report --help"),
    (("report", "none.csv"), "none.csv: no such file"),
)
def test_bad_words_are_answered_in_one_line(words, says):
    assert refused(*words).startswith(says)


def test_numbers_of_thousands_of_digits_are_shown_shortened():
    limit = sys.get_int_max_str_digits()
    message = refused("bound", "2", "--mean", "1e9999", "--second", "1e9999", "--n", "10")
    assert message.startswith("second = 1000")
    assert len(message) <= 1000
    assert sys.get_int_max_str_digits() == limit


def test_datasets_are_listed():
    listed = {one["name"]: one for one in kproof("datasets", "--json").document["datasets"]}
    assert listed.keys() == SHIPPED.keys()
    assert listed["table-1a"]["rows"] == 12
    assert listed["table-1a"]["numeric"] == ["ID", "Age", "Zip Code"]
    table = kproof("datasets").out
    assert max(map(len, table.splitlines())) <= 80
    assert all(name in table for name in SHIPPED)


def test_a_dataset_is_printed_as_csv():
    rows = list(csv.DictReader(io.StringIO(kproof("datasets", "table-1a").out)))
    assert len(rows) == 12
    assert rows[-1]["Disease"] == "Indigestion"
    (one,) = kproof("datasets", "table-1a", "--json").document["datasets"]
    assert one["cells"] == [list(row.values()) for row in rows]


def test_an_interruption_leaves_with_130(monkeypatch):
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("kproof.theory.profiles.exact", interrupted)
    ran = kproof(*SMALL)
    assert (ran.status, ran.out, ran.err) == (130, "", "kproof: interrupted\n")


def test_output_that_cannot_be_written_is_told(monkeypatch):
    full = mock.Mock(side_effect=OSError(28, "No space left on device"))
    monkeypatch.setattr("kproof.cli.bounds.exact.write_json", full)
    assert refused(*SMALL, "--json") == "output: No space left on device"


class Panic(BaseException):
    """What libraries in other languages raise is no Exception."""


@cases(
    (
        ZeroDivisionError(),
        "a fault of kproof itself, ZeroDivisionError (cli/bounds/exact.py, line ",
    ),
    (KeyError("p"), "a fault of kproof itself, KeyError: 'p' (cli/bounds/exact.py, line "),
    (Panic("two\nlines"), "a fault of kproof itself, tests.cli.test_shell.Panic: two lines (cli/"),
    (RecursionError(), "a fault of kproof itself, something is nested too deeply for it (cli/"),
    (ValueError("x" * 5000), f"a fault of kproof itself, ValueError: {'x' * 900}"),
    ids=lambda value: type(value).__name__,
)
def test_a_defect_is_one_line_and_has_a_status_of_its_own(error, told, monkeypatch, tmp_path):
    monkeypatch.setattr("kproof.theory.profiles.exact", mock.Mock(side_effect=error))
    monkeypatch.delenv("KPROOF_TRACEBACK", raising=False)
    ran = kproof(*SMALL)
    assert (ran.status, ran.out, ran.err.count("\n")) == (ExitStatus.DEFECT, "", 1)
    assert ran.err.startswith(f"kproof: {told}")
    assert ran.err.endswith("; KPROOF_TRACEBACK=FILE saves the traceback for a report\n")
    kept = tmp_path / "fault.txt"
    monkeypatch.setenv("KPROOF_TRACEBACK", str(kept))
    assert kproof(*SMALL).err.endswith(f"; its traceback is in {kept}\n")
    text = kept.read_text(encoding="utf-8")
    assert text.startswith(f"kproof {package.__version__}, Python ")
    assert "Traceback (most recent call last):" in text
    assert type(error).__name__ in text
    # An earlier file, which may be anything, is never written over.
    assert kproof(*SMALL).err.endswith(f"; the traceback is not saved: {kept}: is there already\n")
    assert kept.read_text(encoding="utf-8") == text


def test_too_little_memory_is_told(monkeypatch):
    monkeypatch.setattr("kproof.theory.profiles.exact", mock.Mock(side_effect=MemoryError))
    assert refused(*SMALL).startswith("the memory does not suffice")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="of Linux")
def test_a_full_disk_under_the_output_is_told_once():
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "kproof", *SMALL]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "kproof: output: No space left on device\n")


def test_the_process_has_the_statuses():
    good, bad = spawn(*SMALL, "--json"), spawn(*SMALL, "--shift", "x")
    assert (good.returncode, good.stderr) == (0, "")
    assert good.stdout.startswith("{")
    assert (bad.returncode, bad.stdout) == (2, "")
    assert bad.stderr == "kproof: --shift = x: need a finite number\n"


@cases(("exact normal --sigma 1 --epsilon 0:1:20000", 1), ("--help", 0))
def test_a_reader_that_goes_away_is_no_error(words, lines):
    process = subprocess.Popen(
        [sys.executable, "-m", "kproof", *words.split()],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    for _ in range(lines):
        process.stdout.readline()
    process.stdout.close()
    error = process.stderr.read()
    process.stderr.close()
    assert (process.wait(), error) == (141, "")


@pytest.mark.skipif(os.name == "nt", reason="signals are sent the POSIX way")
def test_control_c_ends_the_process_quietly(tmp_path):
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    # Tests that run in the background ignore the signal, and so would what they start.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(
        [sys.executable, "-m", "kproof", "report", str(pipe), "--output", str(tmp_path / "out")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    signal.signal(signal.SIGINT, before)
    writer = None
    while writer is None and process.poll() is None:
        # Succeeds once the command has the other end open and waits for data.
        with suppress(OSError):
            writer = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
    # A signal that comes just before the process begins to wait is noticed only once the wait is
    # over, as in every program in Python; who sees nothing happen presses the keys again.
    out = error = ""
    for _ in range(10):
        process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            out, error = process.communicate(timeout=10)
            break
    assert writer is not None, error
    os.close(writer)
    assert (process.returncode, out, error) == (130, "", "kproof: interrupted\n")
    assert not (tmp_path / "out").exists()


def test_an_ascii_terminal_is_no_obstacle(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("âge,b\n1,x\n2,x\n?,x\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    words = ("bound", "2", "--data", str(path), "--column", "1", "--assume", "independence")
    ran = spawn(*words, env=environment)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "no \\xe2ge" in ran.stdout


def test_every_status_is_documented():
    page = Path(__file__).parents[2] / "docs" / "reference" / "command-line.md"
    lines = page.read_text(encoding="utf-8").splitlines()
    told = [line.split("|")[1].strip() for line in lines if line.startswith("| ")]
    assert [one for one in told if one.isdecimal()] == [
        *(str(int(one)) for one in ExitStatus),
        "130",
        "141",
    ]
