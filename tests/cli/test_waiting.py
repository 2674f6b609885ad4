"""The line on a terminal that says what a command is doing: shown, written over, and taken away."""

import io
import os
import pty
import re
import select
import time
from collections.abc import Iterator
from contextlib import redirect_stderr
from dataclasses import dataclass
from inspect import unwrap
from typing import Any, TextIO

import pytest
from cases import cases
from shell import typed

from kproof.cli import main
from kproof.stages import stage

USED: dict[str, Any] = unwrap(main.__globals__["status_line"]).__globals__
"""The module that the commands use: running doctests puts another copy of it in its place."""
say_above, status_line, StatusLine = USED["say_above"], USED["status_line"], USED["StatusLine"]

CLEARED = "\r\x1b[2K"
SMALL = typed("check --models-only table-4a --qi Class --sensitive Disease --identifier ID")


@dataclass
class Terminal:
    """A terminal of our own: what is written to one end is read at the other."""

    reader: int
    stream: TextIO

    def kproof(self, *words: str) -> int:
        """Run a command that has it as stderr."""
        with redirect_stderr(self.stream):
            return main(words)

    def shown(self) -> str:
        """Return all that was written, as the terminal got it."""
        self.stream.flush()
        found = b""
        # What was written takes a moment to get to the other end.
        while select.select([self.reader], [], [], 0.1)[0]:
            try:
                found += os.read(self.reader, 65536)
            except OSError:
                break
        return found.decode()

    def lines(self) -> list[str]:
        """Return the lines one after the other, with those that were written over."""
        return [one for one in re.split(r"\r\x1b\[2K|\r\n", self.shown()) if one]


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    """A terminal as stderr, on which stages are shown at once."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setitem(USED, "DELAY", 0)
    monkeypatch.setitem(USED, "OFTEN", 0)
    reader, writer = pty.openpty()
    with os.fdopen(writer, "w", encoding="utf-8") as stream:
        yield Terminal(reader, stream)
    os.close(reader)


def test_stages_are_shown_and_the_line_is_away_at_the_end(capsys, terminal):
    assert terminal.kproof(*SMALL, "--k", "4") == 0
    shown = terminal.shown()
    assert "reading table-4a" in shown
    assert ", models, 1 of 1 (100 %)" in shown
    assert shown.endswith(CLEARED)
    assert "\n" not in shown
    assert "reading" not in capsys.readouterr().out


def test_nothing_is_shown_where_nobody_waits(monkeypatch, capsys):
    monkeypatch.setitem(USED, "DELAY", 0)
    assert main((*SMALL, "--k", "4")) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_json_for_another_program_is_all_that_is_printed(words, terminal):
    assert terminal.kproof(*SMALL, "--k", "4", *words) == 0
    assert bool(terminal.shown()) is not bool(words)


def test_a_terminal_that_cannot_write_over_lines_is_left_alone(terminal, monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    assert terminal.kproof(*SMALL, "--k", "4") == 0
    assert terminal.shown() == ""


@cases(
    (KeyboardInterrupt(), 130, "interrupted"),
    (OSError(5, "gone"), 2, "output: gone"),
    ids=["Ctrl-C", "an error"],
)
def test_the_line_is_away_before_anything_else_is_told(error, status, told, terminal, monkeypatch):
    def ends(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("kproof.models.tables.readers.read_published", ends)
    assert terminal.kproof(*SMALL, "--k", "4") == status
    assert terminal.shown().endswith(f"reading table-4a{CLEARED}kproof: {told}\r\n")


def test_an_error_is_folded_between_words(terminal, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    assert terminal.kproof("check", "--models-only", "table-1a", "--qi", "Agge", "--k", "2") == 2
    told = terminal.lines()[1:]
    assert told[0] == "kproof: table-1a: no column Agge; there"
    assert max(map(len, told)) <= 40
    assert told[-1].endswith("did you mean Age?")


def test_what_stays_is_written_above(terminal):
    with redirect_stderr(terminal.stream), status_line(()), stage("verifying"):
        say_above("found")
    assert terminal.shown() == f"{CLEARED}verifying{CLEARED}found\r\n"


def test_seconds_are_counted_once_a_stage_says_nothing_new(terminal, monkeypatch):
    monkeypatch.setitem(USED, "TICK", 0.01)
    monkeypatch.setitem(USED, "PATIENCE", 0)
    seen = ""
    with redirect_stderr(terminal.stream), status_line(()), stage("exploring, states") as at:
        at.advance(12_000)
        for _ in range(200):
            time.sleep(0.02)
            seen += terminal.shown()
            if " s" in seen:
                break
    assert "exploring, states, 12,000 so far, 0 s" in seen


def test_a_long_name_is_clipped_and_its_share_is_not(monkeypatch):
    monkeypatch.setitem(USED, "DELAY", 0)
    monkeypatch.setenv("COLUMNS", "40")
    stream = io.StringIO()
    line = StatusLine(stream)
    line.hear("reading a/very/long/folder/with\x1b[31m/a-file.csv", 3, 40)
    line.end()
    written = stream.getvalue().split(CLEARED)
    assert written[1].endswith("…, 3 of 40 (7 %)")
    assert len(written[1]) < 40
    assert "\x1b" not in written[1]
    assert written[-1] == ""


def test_a_terminal_that_goes_away_stops_no_work(monkeypatch):
    class Gone(io.StringIO):
        def write(self, _: str) -> int:
            raise OSError(5, "Input/output error")

    monkeypatch.setitem(USED, "DELAY", 0)
    line = StatusLine(Gone())
    line.hear("reading", 0, None)
    line.end()


def test_the_share_of_a_comparison(terminal, tmp_path):
    words = typed("compare --audience=study table-1a --qi Age --drop ID,Name --methods mondrian")
    assert terminal.kproof(*words, "--k", "2,4", "--output", str(tmp_path / "tried.csv")) == 0
    assert [one for one in terminal.lines() if one.startswith("frontier: ")] == [
        "frontier: mondrian, k=2, 0 of 2 (0 %)",
        "frontier: mondrian, k=2, 1 of 2 (50 %)",
        "frontier: mondrian, k=4, 1 of 2 (50 %)",
        "frontier: mondrian, k=4, 2 of 2 (100 %)",
    ]


def test_the_sections_of_a_report(terminal, tmp_path):
    words = ("report", "table-1a", "--sections", "decision,table", "--output", str(tmp_path))
    words += ("--qi", "Age", "--sensitive", "Disease", "--drop", "ID,Name", "--k", "3")
    assert terminal.kproof(*words) == 1
    shown = terminal.shown()
    for one in (
        "reading table-1a",
        "deciding",
        "judging the table as it is",
        "the page: Your table",
        "your table",
    ):
        assert one in shown


def test_what_verify_is_at(terminal):
    words = ("verify", "mondrian", "--profile", "quick", "--max-examples", "2", "--check")
    assert terminal.kproof(*words, "k-anonymity") == 0
    assert re.search(r"mondrian: cases from .+?, 1 of \d+ \(\d+ %\)", terminal.shown())
