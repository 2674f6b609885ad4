"""What the benchmarks share: facts about the machine, peers, and figures taken and shown.

Every benchmark is a script that prints a table, or with ``--json`` the document that
:func:`document` makes; ``python -m benchmarks`` runs them and puts the documents on one page.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Row:
    """One figure: a job, its time, the limit it is held to, a peer's time over it, the peer."""

    job: str
    seconds: float | None
    limit: float | None = None
    ratio: float | None = None
    note: str = ""
    peer: str = ""


def compile_at_once() -> None:
    """Let kernels be compiled at their first call, so that no figure is in part of plain Python."""
    from kproof.models.base import compiled

    compiled.PATIENCE = -1


def median(job: Callable[[], T], repetitions: int = 3) -> tuple[float, T]:
    """Return the median time in seconds, and the answer."""
    times = []
    for _ in range(repetitions):
        start = time.perf_counter()
        answer = job()
        times.append(time.perf_counter() - start)
    return statistics.median(times), answer


def show(rows: Sequence[Row], facts: dict[str, str]) -> None:
    """Print the machine and the figures."""
    from rich.console import Console
    from rich.table import Table

    console = Console(width=None if sys.stdout.isatty() else 140)
    console.print(", ".join(f"{name} {value}" for name, value in facts.items()))
    table = Table("job", "s", "limit", "peer / ours", "note", box=None)
    for column in table.columns[1:4]:
        column.justify = "right"
    for row in rows:
        table.add_row(
            row.job,
            "" if row.seconds is None else f"{row.seconds:.3g}",
            "" if row.limit is None else f"{row.limit:g}",
            "" if row.ratio is None else f"{row.ratio:.3g}",
            row.note,
        )
    console.print(table)


def document(
    rows: Sequence[Row], facts: Mapping[str, str], no_peer: Mapping[str, str] | None = None
) -> dict[str, object]:
    """Return the figures, the machine, and which peers are missing and why, for JSON."""
    kept = [asdict(row) for row in rows]
    return {"machine": dict(facts), "no_peer": dict(no_peer or {}), "rows": kept}


def missing(rows: Sequence[Row], peer: str) -> dict[str, str]:
    """Return why a peer has no time, if it has none."""
    why = [row.note for row in rows if row.seconds is None and row.job.startswith(f"  {peer}:")]
    return {peer: why[0]} if why else {}


def with_json(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """Add what every benchmark can be asked: one document in place of a table."""
    parser.add_argument("--json", action="store_true", help="one JSON document, no table")
    return parser


def told(
    options: argparse.Namespace,
    rows: Sequence[Row],
    facts: dict[str, str],
    no_peer: Mapping[str, str] | None = None,
) -> None:
    """Print the figures as they were asked for."""
    if options.json:
        print(json.dumps(document(rows, facts, no_peer), indent=2))
        return
    show(rows, facts)
    for name, why in (no_peer or {}).items():
        print(f"{name}: {why}")


def machine(packages: Sequence[str]) -> dict[str, str]:
    """Return what the figures depend on."""
    return {
        "processor": processor(),
        "cores": str(os.cpu_count()),
        "system": platform.platform(terse=True),
        "python": platform.python_version(),
        **{name: version(name) for name in packages},
    }


def processor() -> str:
    """Return the processor's name, as far as the system tells it."""
    listing = Path("/proc/cpuinfo")
    if listing.exists():
        for line in listing.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def peak_memory() -> int:
    """Return the most memory this process has held, in bytes."""
    status = Path("/proc/self/status")
    if status.exists():
        # getrusage would count what the parent held before this program replaced it.
        (line,) = (one for one in status.read_text().splitlines() if one.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def environment(peer: str, requirements: Sequence[str] = ()) -> Path:
    """Return an interpreter that has a peer, in the cache folder, making it if need be.

    Args:
        peer: The package, which names the folder.
        requirements: What else it needs and does not say.

    Raises:
        OSError, subprocess.CalledProcessError: If it cannot be made; :func:`reason` says why in a
            line.
    """
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    return interpreter(cache / "kproof-benchmarks" / peer, [peer, *requirements])


def interpreter(folder: Path, requirements: Sequence[str]) -> Path:
    """Return the interpreter of a virtual environment with some packages."""
    scripts = folder / ("Scripts" if os.name == "nt" else "bin")
    python = scripts / ("python.exe" if os.name == "nt" else "python")
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    quiet = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    command = [str(python), *quiet, *requirements]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return python


def reason(failure: Exception) -> str:
    """Return the last line of what went wrong."""
    return (getattr(failure, "stderr", "") or str(failure)).strip().splitlines()[-1]
