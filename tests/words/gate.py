"""The word of what is written."""

from pathlib import Path
from unittest import mock

from positive import either, rows
from shell import kproof, typed

_TABLE = typed(
    "anonymize mondrian --audience study table-1a --qi 'Age,Zip Code,Country' --k 4 "
    "--sensitive Disease --identifier ID,Name -o out.csv"
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


ROWS = rows(
    "gate",
    confirmed=either(_confirmed, ("26/04/1989",), ("03/04/1989",)),
    written=(_written, _full),
)
