"""The word of what is written."""

from __future__ import annotations

from pathlib import Path
from unittest import mock

from positive import Positive
from shell import kproof

_TABLE = (
    *(
        "anonymize",
        "mondrian",
        "--audience",
        "study",
        "table-1a",
        "--qi",
        "Age,Zip Code,Country",
        "--k",
        "4",
    ),
    *("--sensitive", "Disease", "--identifier", "ID,Name", "-o", "out.csv"),
)


def _written() -> str:
    said = kproof(*_TABLE).out
    return said if Path("out.csv").stat().st_size else "an empty file"


def _full() -> str:
    Path("out.csv").unlink(missing_ok=True)
    with mock.patch("os.replace", side_effect=OSError(28, "No space left on device")):
        ran = kproof(*_TABLE)
    return ran.out + ran.err


ROWS = (
    Positive(
        word="written: out.csv",
        printed_by="every command that writes files",
        modules=(
            "kproof.cli.anonymize",
            "kproof.cli.anonymize_density",
            "kproof.cli.anonymize_graphs",
            "kproof.cli.anonymize_points",
            "kproof.cli.audit",
            "kproof.cli.net",
            "kproof.cli.verify",
        ),
        judged="Every file of the command is in its place, whole and on the disk.",
        mutant="the disk is full",
        holds=_written,
        turns=_full,
    ),
)
