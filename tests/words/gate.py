"""The word of what is written."""

from pathlib import Path
from unittest import mock

from positive import NOBODY, Positive, either
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


def _confirmed(born: str) -> str:
    """Return what is printed when the roles of a table with some dates are confirmed."""
    Path("data.csv").write_text(f"born,age\n{born},30\n05/06/1990,31\n")
    kproof("roles", "data.csv", "-o", "roles.toml")
    ran = kproof("roles", "--confirm", "roles.toml")
    return ran.out + ran.err


def _full() -> str:
    Path("out.csv").unlink(missing_ok=True)
    with mock.patch("os.replace", side_effect=OSError(28, "No space left on device")):
        ran = kproof(*_TABLE)
    return ran.out + ran.err


ROWS = (
    Positive(
        word="confirmed: roles.toml",
        printed_by="roles --confirm",
        modules=("kproof.cli.releases.roles",),
        judged="Nothing in the roles file is left to be chosen, and it no longer says that it is a "
        "proposal; whether its roles are right, whoever asks for it answers for.",
        mutant="dates can be read in two ways",
        **either(_confirmed, ("26/04/1989",), ("03/04/1989",)),
        adversary=NOBODY,
    ),
    Positive(
        word="written: out.csv",
        printed_by="every command that writes files",
        modules=(
            "kproof.cli.releases.anonymize",
            "kproof.cli.releases.anonymize_graphs",
            "kproof.cli.releases.anonymize_places",
            "kproof.cli.bounds.audit",
            "kproof.cli.nets.net",
            "kproof.cli.releases.verify",
        ),
        judged="Every file of the command is in its place, whole and on the disk.",
        mutant="the disk is full",
        holds=_written,
        turns=_full,
        adversary=NOBODY,
    ),
)
