"""What checking and anonymizing a table takes, beside pycanon and anonypy on the same table.

Run ``python benchmarks/tables.py adult.data`` in an environment that has kproof; the file is UCI
Adult as it is distributed. Its rows are drawn with replacement up to the sizes asked for, with a
seed. The peers get environments of their own, made on the first run in the cache folder;
``--no-peers`` leaves them out. Each figure of ours is the median of a few repetitions in one
process that has run the job once before on a small table: what loading the compiled kernels takes
is a row of its own. A peer runs once. Memory is the peak of a process that does nothing else.

A job is a function that takes :class:`Run` and yields :class:`Row`; add new ones to ``JOBS``.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from common import (
    Row,
    compile_at_once,
    environment,
    machine,
    median,
    peak_memory,
    reason,
    told,
    with_json,
)

from kproof.errors import Infeasible
from kproof.models import privacy
from kproof.models.api import anonymize, check
from kproof.models.base.columns import Column
from kproof.models.base.missing import MissingAs
from kproof.models.frontier import frontier
from kproof.models.privacy import Model
from kproof.models.tables.readers import read_table
from kproof.models.tables.release import Release
from kproof.models.tables.risk import risk
from kproof.models.tables.table import Table
from kproof.models.tables.utility import utility

T = TypeVar("T")

HERE = Path(__file__).resolve().parent
QUASI_IDENTIFIERS = ("age", "fnlwgt", "income")
SENSITIVE = "occupation"
MU = "3/5"
SIZES = tuple(range(2, 21))
LAST = "check of 11 models"
FIVE = ("mondrian", "theta-sensitive", "p-plus-sensitive", "kaca", "kaca-hierarchical")
LARGE = (10_000, 100_000, 1_000_000, 10_000_000)
PEERS: Mapping[str, Sequence[str]] = {"pycanon": (), "anonypy": ("pandas<3",)}


class Run:
    """One run: its options, and what several jobs share."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.adult = read_table(
            options.adult,
            quasi_identifiers=QUASI_IDENTIFIERS,
            sensitive=SENSITIVE,
            missing_as=MissingAs.VALUE,
        )
        self.table = resampled(self.adult, options.rows)
        self.peers: dict[str, Path] = {}
        self.no_peer: dict[str, str] = {}
        for name, requirements in PEERS.items():
            if options.no_peers:
                self.no_peer[name] = "left out on request"
                continue
            try:
                self.peers[name] = environment(name, requirements)
            except (OSError, subprocess.CalledProcessError) as failure:
                self.no_peer[name] = f"could not be installed: {reason(failure)}"

    def median(self, job: Callable[[], T]) -> tuple[float, T]:
        """Return the median time in seconds, and the answer."""
        return median(job, self.options.repetitions)

    def peer(self, name: str, **task: object) -> list[dict[str, Any]]:
        """Return the lines of a peer's answer, as many as came within the time limit."""
        if name not in self.peers:
            return []
        command = [str(self.peers[name]), str(HERE / f"peer_{name}.py")]
        given = {"input": json.dumps(task), "capture_output": True, "text": True, "check": True}
        try:
            out = subprocess.run(command, timeout=self.options.patience, **given).stdout
        except subprocess.TimeoutExpired as late:
            out = (late.stdout or b"").decode()
        return [json.loads(line) for line in out.splitlines()]

    @cached_property
    def release(self) -> Release:
        """The release that is checked."""
        return anonymize("mondrian", self.table, k=10)


def resampled(table: Table, rows: int, seed: int = 0) -> Table:
    """Return a table of rows drawn with replacement."""
    chosen = np.random.default_rng(seed).integers(0, table.rows, rows)

    def drawn(column: Column) -> Column:
        return replace(column, codes=column.codes[chosen])

    assert table.sensitive is not None
    return replace(
        table,
        rows=rows,
        quasi_identifiers=tuple(map(drawn, table.quasi_identifiers)),
        sensitive=drawn(table.sensitive),
    )


def models() -> dict[str, Model]:
    """Return one model of each kind that needs no categories."""
    return {
        "k-anonymity": privacy.KAnonymity(10),
        "l-diversity": privacy.DistinctL(2),
        "t-closeness": privacy.TCloseness("0.5"),
        "(alpha,k)-anonymity": privacy.AlphaK("0.9", 10),
        "entropy l-diversity": privacy.EntropyL(2),
        "recursive (c,l)-diversity": privacy.RecursiveCL(2, 2),
        "basic beta-likeness": privacy.BasicBeta(4),
        "enhanced beta-likeness": privacy.EnhancedBeta(4),
        "delta-disclosure": privacy.DeltaDisclosure(4),
        "p-sensitivity": privacy.PSensitive(2, 10),
        "theta-sensitivity": privacy.ThetaSensitivity(10, MU),
    }


def first_calls(run: Run) -> Iterator[Row]:
    """What the first call of each kernel takes in a process: loading it, or compiling it."""
    small = resampled(run.adult, 2_000)
    for method, parameters in (("mondrian", {}), ("theta-sensitive", {"mu": MU}), ("kaca", {})):
        start = time.perf_counter()
        anonymize(method, small, k=4, **parameters)
        spent = time.perf_counter() - start
        yield Row(f"first {method} of a process, 2,000 rows", spent, note="kernels load or compile")


def checks(run: Run) -> Iterator[Row]:
    """Models against a published table, beside pycanon."""
    asked = models()
    classes = run.release.classes()
    count = f"{run.table.rows:,} rows, {classes.count:,} classes"

    def checked(*names: str) -> Callable[[], object]:
        # Classes anew: what they cache belongs to the time.
        return lambda: [asked[name].check(run.release.classes()) for name in names]

    names = [name for name in asked if name[0] != "p" and name[:5] != "theta"]
    version, peers = _pycanon(run, names)

    def ratio(seconds: float, *names: str) -> float | None:
        return sum(peers[n] for n in names) / seconds if all(n in peers for n in names) else None

    both = ("k-anonymity", "l-diversity")
    spent, _ = run.median(checked(*both))
    yield Row(f"k and l, {count}", spent, 0.1, ratio(spent, *both), peer=version)
    spent, _ = run.median(checked("t-closeness"))
    yield Row("t-closeness", spent, 0.2, ratio(spent, "t-closeness"), peer=version)
    for name in [name for name in asked if name not in (*both, "t-closeness")]:
        spent, _ = run.median(checked(name))
        yield Row(name, spent, None, ratio(spent, name), peer=version)
    spent, _ = run.median(checked(*asked))
    yield Row(f"all {len(asked)} models together", spent, 1)
    frame = run.release.to_frame()
    spent, _ = run.median(
        lambda: check(
            frame, asked.values(), quasi_identifiers=QUASI_IDENTIFIERS, sensitive=SENSITIVE
        )
    )
    note = "encoding of the text included, as in the peer's times"
    yield Row("all of them, from a pandas frame", spent, None, note=note)
    # Their own columns alone, which is all that the peer looks at.
    known = frame[list(QUASI_IDENTIFIERS)]
    spent, _ = run.median(
        lambda: check(known, asked["k-anonymity"], quasi_identifiers=QUASI_IDENTIFIERS)
    )
    theirs = ratio(spent, "k-anonymity")
    yield Row("k-anonymity, from a pandas frame", spent, None, theirs, peer=version)
    for names in (("l-diversity",), both, tuple(peers)):
        chosen = [asked[name] for name in names]
        spent, _ = run.median(
            lambda chosen=chosen: check(
                frame, chosen, quasi_identifiers=QUASI_IDENTIFIERS, sensitive=SENSITIVE
            )
        )
        which = " and ".join(names) if len(names) < 3 else f"the peer's {len(names)}"
        if names:
            job = f"{which}, from a pandas frame"
            yield Row(job, spent, None, ratio(spent, *names), peer=version)
    for name, seconds in peers.items():
        yield Row(f"  pycanon: {name}", seconds, None, 1.0)


def _pycanon(run: Run, names: Sequence[str]) -> tuple[str, dict[str, float]]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "release.csv"
        run.release.to_csv(path)
        answers = run.peer(
            "pycanon",
            path=str(path),
            quasi_identifiers=QUASI_IDENTIFIERS,
            sensitive=SENSITIVE,
            checks=names,
            runs=1,
        )
    version = f"pycanon {answers[0]['version']}" if answers else ""
    return version, {answer["check"]: answer["seconds"] for answer in answers}


def mondrian(run: Run) -> Iterator[Row]:
    """Mondrian at every k, beside anonypy at k = 20."""
    spent = 0.0
    for k in SIZES:
        spent, release = run.median(lambda k=k: anonymize("mondrian", run.table, k=k))
        yield Row(f"mondrian, k = {k}", spent, 0.5, note=f"{release.count:,} classes")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        columns = (*run.table.quasi_identifiers, run.table.sensitive)
        _write(path, [column for column in columns if column is not None])
        answers = run.peer(
            "anonypy",
            path=str(path),
            quasi_identifiers=QUASI_IDENTIFIERS,
            sensitive=SENSITIVE,
            categorical=[c.name for c in columns if c is not None and not c.numeric],
            k=SIZES[-1],
        )
    for answer in answers:
        seconds = answer["seconds"]
        who = f"anonypy {answer['version']}"
        note = f"{seconds / spent:.0f} times ours at that k"
        yield Row(f"  {who}, k = {SIZES[-1]}", seconds, None, 1.0, note)
        yield Row(f"mondrian, k = {SIZES[-1]}, beside", spent, None, seconds / spent, peer=who)
    if not answers and "anonypy" in run.peers:
        patience = run.options.patience
        note = f"stopped after {patience:g} s: at least {patience / spent:.0f} times ours"
        yield Row(f"  anonypy, k = {SIZES[-1]}", None, note=note)


def _write(path: Path, columns: Sequence[Column]) -> None:
    from kproof.models.tables.writers import write_csv

    write_csv(path, columns)


def theta_sensitive(run: Run) -> Iterator[Row]:
    """Theta-sensitivity at every k that the sensitive values allow."""
    for k in SIZES:
        try:
            spent, release = run.median(
                lambda k=k: anonymize("theta-sensitive", run.table, k=k, mu=MU)
            )
        except Infeasible as reason:
            yield Row(f"theta-sensitive, k = {k}", None, 1, note=f"infeasible: {reason}")
            continue
        note = f"{len(release.swaps):,} swaps, {len(release.noise_class):,} noise rows"
        yield Row(f"theta-sensitive, k = {k}", spent, 1, note=note)


def kaca(run: Run) -> Iterator[Row]:
    """Kaca at full size, and its information loss beside K-Means where that is feasible."""
    spent, release = run.median(lambda: anonymize("kaca", run.table, k=10))
    loss = utility(release, queries=0).penalty
    yield Row(f"kaca, k = 10, {run.table.rows:,} rows", spent, 10, note=f"loss {loss:.4f}")
    small = resampled(run.adult, run.options.k_means_rows)
    ours, partition = run.median(lambda: anonymize("kaca", small, k=10))
    start = time.perf_counter()
    means = anonymize("kaca", small, k=10, clustering="k-means")
    theirs = time.perf_counter() - start
    own, other = (utility(one, queries=0).penalty for one in (partition, means))
    name = f"kaca, k = 10, {small.rows:,} rows"
    note = f"loss {own:.4f}, {100 * (own / other - 1):+.1f} % of K-Means (limit +5 %)"
    yield Row(name, ours, None, theirs / ours, note, "K-Means, as the document has it")
    yield Row("  the same by K-Means", theirs, None, 1.0, f"loss {other:.4f}")


def growth(run: Run) -> Iterator[Row]:
    """Time and memory at ten times the rows, each size in a process of its own."""
    former: dict[str, float] = {}
    for rows in [rows for rows in LARGE if rows <= run.options.largest]:
        command = [sys.executable, __file__, str(run.options.adult), "--growth-at", str(rows)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        found = json.loads(done.stdout)
        last = rows == LARGE[-1]
        limits = {LAST: 10.0, "theta-sensitive, k = 4": 120.0}
        for job, seconds in found["seconds"].items():
            note = f"peak {found['gigabytes']:.2f} GB (limit 8)" if job == LAST else ""
            if job in former:
                note = f"{seconds / former[job]:.1f} times the former size; {note}".rstrip("; ")
            yield Row(
                f"{job}, {rows:,} rows", seconds, limits.get(job) if last else None, note=note
            )
            former[job] = seconds


def one_size(adult: Path, rows: int) -> dict[str, object]:
    """Run the large jobs on a table of some rows, and say what they took."""
    small = read_table(
        adult, quasi_identifiers=QUASI_IDENTIFIERS, sensitive=SENSITIVE, missing_as=MissingAs.VALUE
    )
    anonymize("theta-sensitive", resampled(small, 2_000), k=4, mu=MU)
    table = resampled(small, rows)
    start = time.perf_counter()
    release = anonymize("theta-sensitive", table, k=4, mu=MU)
    seconds = {"theta-sensitive, k = 4": time.perf_counter() - start}
    start = time.perf_counter()
    release.label(0)
    seconds["labels of all its classes"] = time.perf_counter() - start
    start = time.perf_counter()
    check(release, [privacy.KAnonymity(4), *list(models().values())[1:]])
    seconds[LAST] = time.perf_counter() - start
    return {"seconds": seconds, "gigabytes": peak_memory() / 1e9}


def risks(run: Run) -> Iterator[Row]:
    """The risk of a release: among its rows, among a population, and estimated."""
    release = run.release
    rows = f"{run.table.rows:,} rows"
    spent, found = run.median(lambda: risk(release))
    yield Row(f"risk, {rows}", spent, 1, note=f"largest chance {found.prosecutor.largest}")
    everyone = resampled(run.adult, 1_000_000, seed=1)
    # Nobody of the table is missing among them.
    people = joined(run.table, everyone)
    spent, found = run.median(lambda: risk(release, population=people))
    share = float(found.marketer or 0)
    note = f"{release.count:,} classes, share found {share:.2e}"
    yield Row(f"risk among {people.rows:,} people, {rows}", spent, note=note)
    spent, found = run.median(lambda: risk(release, sample="0.1"))
    yield Row(
        f"risk estimated, {rows}", spent, 1, note=str(found.estimated and found.estimated.model)
    )


def joined(table: Table, other: Table) -> Table:
    """Return the rows of two tables of the same columns."""

    def both(one: Column, two: Column) -> Column:
        return replace(one, codes=np.concatenate([one.codes, two.codes]))

    pairs = zip(table.quasi_identifiers, other.quasi_identifiers, strict=True)
    return replace(
        table,
        rows=table.rows + other.rows,
        quasi_identifiers=tuple(both(*pair) for pair in pairs),
        sensitive=None,
    )


def comparison(run: Run) -> Iterator[Row]:
    """A frontier of 5 methods and 10 k, beside the same attempts in one process."""
    assert run.table.sensitive is not None
    ranked = {value: f"rank {place % 3}" for place, value in enumerate(run.table.sensitive.values)}
    table = replace(run.table, categories=ranked)
    asked: dict[str, Any] = {
        "methods": FIVE,
        "k": (2, 3, 5, 7, 10, 15, 20, 30, 40, 50),
        "settings": {"theta-sensitive": {"mu": "1/10"}, "p-plus-sensitive": {"p": 2}},
    }
    start = time.perf_counter()
    found = frontier(table, **asked)
    ours = time.perf_counter() - start
    start = time.perf_counter()
    frontier(table, jobs=1, **asked)
    alone = time.perf_counter() - start
    most = max(found.candidates, key=lambda one: one.seconds)
    total = sum(one.seconds for one in found.candidates)
    note = f"{len(found.best)} of {len(found.candidates)} best; slowest {most.name}"
    name = f"frontier, 5 methods x 10 k, {table.rows:,} rows"
    note += f", {most.seconds:.1f} of {total:.0f} s"
    yield Row(name, ours, 60, alone / ours, note, "kproof in one process")
    yield Row("  the same in one process", alone, None, 1.0)


JOBS: tuple[Callable[[Run], Iterator[Row]], ...] = (
    first_calls,
    checks,
    mondrian,
    theta_sensitive,
    kaca,
    risks,
    comparison,
    growth,
)


def main() -> None:
    """Read the options, run the jobs, print what they found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("adult", type=Path, help="adult.data of UCI Adult")
    parser.add_argument("--rows", type=int, default=160_150)
    parser.add_argument("--largest", type=int, default=LARGE[-1], help="of the growth curve")
    parser.add_argument("--k-means-rows", type=int, default=20_000)
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--patience", type=float, default=180, help="seconds to wait for a peer")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--only", choices=[job.__name__ for job in JOBS], action="append")
    parser.add_argument("--growth-at", type=int, help=argparse.SUPPRESS)
    options = with_json(parser).parse_args()
    compile_at_once()
    if options.growth_at:
        print(json.dumps(one_size(options.adult, options.growth_at)))
        return
    run = Run(options)
    jobs = [job for job in JOBS if not options.only or job.__name__ in options.only]
    rows = [row for job in jobs for row in job(run)]
    told(options, rows, machine(["numpy", "numba", "scipy"]), run.no_peer)


if __name__ == "__main__":
    main()
