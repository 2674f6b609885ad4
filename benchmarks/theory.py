"""What exactness costs: the theory engine, beside dp-accounting on the same job.

Run ``python benchmarks/theory.py`` in an environment that has kproof. The peer gets an environment
of its own, made with ``venv`` and ``pip`` in the cache folder on the first run; ``--peer PYTHON``
names an interpreter that has it already, ``--no-peer`` leaves it out. All figures of a table come
from one run on one machine: the best of a few repetitions inside a process, the median of several
whole processes for the commands.

A job is a function that takes :class:`Run` and yields :class:`Row`; add new ones to ``JOBS``.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from common import Row as InSeconds
from common import document, environment, interpreter, machine, reason, with_json
from rich.console import Console
from rich.table import Table

from kproof.datasets import read_column
from kproof.theory.exact.enclosure import Enclosure, quotient
from kproof.theory.laws import Binomial, FiniteLattice, Normal, PoissonBinomial, empirical, iid
from kproof.theory.losses import PrivacyLoss
from kproof.theory.profiles import delta, epsilon
from kproof.theory.profiles.blocks import blocks_delta
from kproof.theory.profiles.exponential import exponential_delta
from kproof.theory.profiles.floats import delta_float
from kproof.theory.theorems.adversary import Adversary
from kproof.theory.theorems.blocks import block_bound
from kproof.theory.theorems.lemma1 import minimal_c

T = TypeVar("T")

PEER = "dp-accounting"
PEER_SCRIPT = Path(__file__).resolve().with_name("peer_dp_accounting.py")
GRID = np.linspace(0.01, 3, 1000).tolist()


@dataclass(frozen=True)
class Row:
    """One figure: a job, its time, the limit it is held to, the peer's time over it."""

    job: str
    milliseconds: float
    limit: float | None = None
    ratio: float | None = None
    note: str = ""
    peer: str = ""

    def in_seconds(self) -> InSeconds:
        """Return the figure as the other benchmarks have it."""
        limit = None if self.limit is None else self.limit / 1000
        ratio = self.ratio if self.peer else None
        return InSeconds(self.job, self.milliseconds / 1000, limit, ratio, self.note, self.peer)


class Run:
    """One run: its options, and what several jobs share."""

    def __init__(
        self, repetitions: int, peer: Path | None, no_peer: str, adult: Path | None
    ) -> None:
        self.repetitions = repetitions
        self.adult = adult
        self.no_peer = no_peer
        self._peer = peer

    def best(self, job: Callable[[], T]) -> tuple[float, T]:
        """Return the shortest time in milliseconds, and the answer."""
        times = []
        for _ in range(self.repetitions):
            start = time.perf_counter()
            answer = job()
            times.append(time.perf_counter() - start)
        return 1000 * min(times), answer

    def command(self, *arguments: str) -> float:
        """Return the median processor time in milliseconds of a whole process."""
        times = []
        for _ in range(2 * self.repetitions + 1):
            before = os.times()
            subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
            after = os.times()
            times.append(sum(after[2:4]) - sum(before[2:4]))
        return 1000 * statistics.median(times)

    @cached_property
    def peer_on_count(self) -> dict[str, Any] | None:
        """The peer's answers for the count of n = 10^5, p = 0.3, or None without a peer."""
        return self.ask_peer(n=100_000, p=0.3, epsilons=GRID)

    def ask_peer(self, **task: object) -> dict[str, Any] | None:
        """Return the peer's answers for a count, or None without a peer."""
        if self._peer is None:
            return None
        task["runs"] = self.repetitions
        done = subprocess.run(
            [str(self._peer), str(PEER_SCRIPT)],
            input=json.dumps(task),
            capture_output=True,
            text=True,
            check=True,
        )
        found: dict[str, Any] = json.loads(done.stdout)
        return found


def count(run: Run) -> Iterator[Row]:
    """Profile of a binomial count, certified and in floats, beside the peer."""
    law = Binomial(100_000, "0.3")
    certified, exact = run.best(lambda: delta(law, epsilon=GRID))
    floating, floats = run.best(lambda: delta_float(law, epsilon=GRID))
    peer = run.peer_on_count
    ratios = (1000 * peer["seconds"] / t if peer else None for t in (certified, floating))
    widest = max(enclosure.relative_width for enclosure in exact)
    deepest = f"delta down to {exact[-1]}, relative width <= {widest:.0e}"
    name = "1,000 deltas of a count, n = 1e5"
    who = _named(peer)
    yield Row(f"{name}, certified", certified, 150, next(ratios), deepest, who)
    note = errors(exact, floats.tolist())
    yield Row(f"{name}, float", floating, 10, next(ratios), note, who)
    if peer:
        note = errors(exact, peer["deltas"])
        yield Row(f"  {PEER} {peer['version']}", 1000 * peer["seconds"], None, 1.0, note)


def _named(peer: dict[str, Any] | None) -> str:
    return f"{PEER} {peer['version']}" if peer else ""


def errors(exact: Sequence[Enclosure], values: Sequence[float]) -> str:
    """Say how far floating values are off, where a float can hold them."""
    pairs = [
        (float(enclosure), value)
        for enclosure, value in zip(exact, values, strict=True)
        if enclosure.lower > 1e-290
    ]
    relative = max((value / truth - 1 for truth, value in pairs), key=abs)
    absolute = max((value - truth for truth, value in pairs), key=abs)
    return f"off by {relative:+.1e} relative, {absolute:+.1e} absolute where delta > 1e-290"


def inverse(run: Run) -> Iterator[Row]:
    """The inverse of the same profile."""
    law = Binomial(100_000, "0.3")
    targets = [Fraction(1, 10**k) for k in range(3, 1003)]
    spent, found = run.best(lambda: epsilon(law, delta=targets))
    note = f"epsilon up to {found[-1]} at delta = 1e-1002"
    yield Row("1,000 epsilons of the count, certified", spent, note=note)


def large_counts(run: Run) -> Iterator[Row]:
    """One delta, whatever the number of records."""
    for power in (6, 9, 12, 15):
        law = Binomial(10**power, "0.3")
        exponent = Fraction(3, 10 ** (power // 2))
        spent, found = run.best(lambda law=law, e=exponent: delta(law, epsilon=e))
        yield Row(f"one delta of a count, n = 1e{power}, certified", spent, note=f"delta = {found}")


def poisson_binomial(run: Run) -> Iterator[Row]:
    """Counts of unequal chances: the law itself is part of the job."""
    draw = random.Random(7)
    chances = [Fraction(draw.randint(50, 950), 1000) for _ in range(10_000)]
    spent, found = run.best(lambda: delta(PoissonBinomial(chances), epsilon=GRID))
    note = f"delta down to {found[-1]}"
    yield Row("1,000 deltas of a Poisson-binomial, n = 1e4, certified", spent, 1500, note=note)


def gaussian(run: Run) -> Iterator[Row]:
    """The normal law in closed form."""
    law = Normal(0, 21_000)
    spent, found = run.best(lambda: delta(law, epsilon=GRID))
    note = f"delta down to {found[-1]}"
    yield Row("1,000 deltas of a normal law, certified", spent, note=note)


def composition(run: Run) -> Iterator[Row]:
    """Many equal releases with randomness of their own, composed, beside the peer."""
    once, times = PrivacyLoss.from_law(Binomial(1000, "1/2")), 1000
    name = "1,000 equal releases of a count, n = 1e3"

    def work(epsilons: list[float]) -> tuple[Enclosure, ...]:
        return once.power(times, randomness="disjoint").delta(epsilons)

    for job, epsilons in (("one delta", [1.0]), ("1,000 deltas", GRID)):
        spent, found = run.best(lambda epsilons=epsilons: work(epsilons))
        widest = max(one.relative_width for one in found)
        peer = run.ask_peer(n=1000, p=0.5, epsilons=epsilons, times=times)
        ratio = 1000 * peer["seconds"] / spent if peer else None
        note = f"delta down to {found[-1]}, relative width <= {widest:.0e}"
        yield Row(f"{job} of {name}, enclosed", spent, 1000, ratio, note, _named(peer))
        if peer:
            yield Row(
                f"  {PEER} {peer['version']}",
                1000 * peer["seconds"],
                None,
                1.0,
                errors(found, peer["deltas"]),
            )


def blocks(run: Run) -> Iterator[Row]:
    """Block bounds: many epsilons of many records, and a column beside its exact value."""
    masses = {Fraction(4, 5): 100_000}
    grid = np.linspace(0, 0.1, 1000).tolist()
    spent, found = run.best(lambda: blocks_delta(masses, block=2, epsilon=grid))
    widest = max(one.relative_width for one in found)
    note = f"delta down to {found[-1]}, relative width <= {widest:.0e}"
    yield Row("1,000 deltas of blocks, n = 1e5, certified", spent, 500, note=note)
    if run.adult is None:
        return
    ages = read_column(run.adult, "age").values
    law = empirical(ages)
    for n in (12, 100, 1000, len(ages)):
        for at in ("0", "0.1"):
            spent, bound = run.best(lambda n=n, at=at: block_bound(law=law, n=n, epsilon=at))
            note = f"delta <= {bound.delta.upper:.3g}, blocks of {bound.block}"
            if n <= 1000:
                exact = delta(iid(law, n), epsilon=at)
                note += f", exact {exact}: {quotient(bound.delta.upper, exact.lower):.3g} times"
            limit = 2000 if n == len(ages) else None
            yield Row(f"block bound of ages, n = {n:,}, epsilon = {at}", spent, limit, note=note)
    known = Adversary.of(s=1, lambda2="0.2")
    spent, bound = run.best(lambda: block_bound(law=law, n=1000, epsilon="0.1", adversary=known))
    note = f"delta <= {bound.delta.upper:.3g}"
    yield Row("the same, n = 1,000, epsilon = 0.1, a fifth known", spent, note=note)


def exponential(run: Run) -> Iterator[Row]:
    """Exponential bounds of counts of fair coins, beside their exact values."""
    for n in (10, 100, 1000, 10**4, 10**5, 10**6):
        law = Binomial(n, "1/2")
        coins = iid(FiniteLattice.bernoulli(Fraction(1, 2)), n)
        ratios = []
        for steps in ("0.5", "3"):
            at = Fraction(steps) * 2 / Fraction(str(n**0.5))
            spent, bound = run.best(lambda coins=coins, at=at: exponential_delta(coins, epsilon=at))
            ratios.append(f"{quotient(bound.upper, delta(law, epsilon=at).lower):.3g}")
        note = f"times the exact value at 0.5 and 3 / sigma: {', '.join(ratios)}"
        yield Row(f"exponential bound of a count, n = {n:,}", spent, note=note)


def lemma1(run: Run) -> Iterator[Row]:
    """c' of Lemma 1, the number the corrected theorems need for every n."""
    spent, found = run.best(lambda: minimal_c(n=range(1, 1001)))
    yield Row("c' of Lemma 1 for 1,000 n, certified", spent, 20, note=f"c' = {found[-1]} at 1,000")


def commands(run: Run) -> Iterator[Row]:
    """Whole processes, start to end."""
    bare = run.command("-c", "pass")
    asked = ("bound", "1", "--n", "1000", "--p", "0.3", "--k", "10", "--epsilon", "0.2")
    helped = run.command("-m", "kproof", "--help")
    yield Row("kproof --help", helped, 300, note=f"{helped / bare:.0f} times python -c pass")
    yield Row("kproof bound 1 ...", run.command("-m", "kproof", *asked), 1000)
    yield Row("  python -c pass", bare, note="what the interpreter alone costs")


JOBS: tuple[Callable[[Run], Iterator[Row]], ...] = (
    count,
    inverse,
    large_counts,
    poisson_binomial,
    gaussian,
    composition,
    blocks,
    exponential,
    lemma1,
    commands,
)


def find_peer(options: argparse.Namespace) -> tuple[Path | None, str]:
    """Return the peer's interpreter, or None and the reason."""
    if options.no_peer:
        return None, "left out on request"
    if options.peer:
        return options.peer, ""
    try:
        if options.environment:
            return interpreter(options.environment, [PEER]), ""
        return environment(PEER), ""
    except (OSError, subprocess.CalledProcessError) as failure:
        return None, f"could not be installed: {reason(failure)}"


def show(rows: Sequence[Row], facts: dict[str, str], no_peer: str) -> None:
    """Print the table."""
    console = Console()
    console.print(", ".join(f"{name} {value}" for name, value in facts.items()))
    table = Table("job", "ms", "limit", "peer / ours", "note", box=None)
    for column in table.columns[1:4]:
        column.justify = "right"
    for row in rows:
        table.add_row(
            row.job,
            f"{row.milliseconds:.3g}" if row.milliseconds < 1000 else f"{row.milliseconds:.0f}",
            "" if row.limit is None else f"{row.limit:g}",
            "" if row.ratio is None else f"{row.ratio:.3g}",
            row.note,
        )
    console.print(table)
    if no_peer:
        console.print(f"{PEER}: {no_peer}")


def main() -> None:
    """Read the options, run the jobs, print what they found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer", type=Path, help=f"interpreter that has {PEER}")
    parser.add_argument("--environment", type=Path, help="folder of the peer's environment")
    parser.add_argument("--no-peer", action="store_true")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--adult", type=Path, help="the file of UCI Adult, for its ages")
    parser.add_argument("--only", choices=[job.__name__ for job in JOBS], action="append")
    options = with_json(parser).parse_args()
    peer, no_peer = find_peer(options)
    run = Run(options.repetitions, peer, no_peer, options.adult)
    jobs = [job for job in JOBS if not options.only or job.__name__ in options.only]
    rows = [row for job in jobs for row in job(run)]
    facts = machine(["python-flint", "numpy", "scipy"])
    if options.json:
        missing = {PEER: no_peer} if no_peer else {}
        print(json.dumps(document([row.in_seconds() for row in rows], facts, missing), indent=2))
    else:
        show(rows, facts, no_peer)


if __name__ == "__main__":
    main()
