"""What exploring costs: the two engines, beside SNAKES and cpncheck on the same nets.

Run ``python benchmarks/petri.py`` in an environment that has kproof. Each peer gets an environment
of its own, made with ``venv`` and ``pip`` in the cache folder on the first run; ``--snakes PYTHON``
and ``--cpncheck PYTHON`` name interpreters that have them already, ``--no-peers`` leaves them out.
All figures of a table come from one run on one machine. Ours are the best of a few repetitions
after one that compiles and are for whole explorations, unfolding and all; of a peer's two runs the
faster counts, and SNAKES explores the first states only.

A job is a function that takes :class:`Run` and yields :class:`Row`; add new ones to ``JOBS``.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations_with_replacement, product
from pathlib import Path
from typing import Any

from common import Row as InSeconds
from common import compile_at_once, document, environment, machine, reason, with_json
from rich.console import Console
from rich.table import Table

from kproof.petri.logic.standard import standard_report
from kproof.petri.net.colours import Open, enumeration
from kproof.petri.net.net import Net, NetBuilder
from kproof.petri.net.terms import Constant, Function, Shift, Variable, everything
from kproof.petri.papers.api import TableNet
from kproof.petri.papers.api import net as net_of_table
from kproof.petri.papers.publications import AllPublications
from kproof.petri.papers.runs.simulation import SimulationReport, simulate_publisher
from kproof.petri.papers.theta_sensitive import theta_publisher
from kproof.petri.spaces.explore import explore
from kproof.petri.spaces.orders import Order
from kproof.petri.spaces.simulate import simulate
from kproof.petri.spaces.space import Budget, Extremes, StateSpace
from kproof.report.nets import publications_page
from kproof.report.simulation import page_of as simulation_page

HERE = Path(__file__).resolve().parent
PEERS = {"snakes": "SNAKES", "cpncheck": "cpncheck"}
PARTLY = 1500
"""States up to which SNAKES explores."""
PLAIN = 100_000
"""States up to which every table is explored beside the publications."""
PLAIN_ROWS = 4_000
"""Rows of the table of which a run is taken in the plain net too."""
PEER_RUNS = 2
GATHERED = 2000
"""States of the place whose bounds are taken; its plain form needs the square of that."""

REPORTED = 100_000
"""States up to which what the standard report is on is explored."""
MEASURED = 200_000
"""States of which the memory is measured."""
PAGESIZE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
PARTLY_BY = 20_000
"""States that are explored in each order."""

WHOLE = Budget(seconds=None, megabytes=4_000)
"""What is timed is not ended by a clock."""

CLASSES = ("AABB", "CCDD", "EEFF", "ABCD", "EFGH")
SEVEN = (*CLASSES, "AACC", "BBDD")
MU = Fraction(3, 5)


@dataclass(frozen=True)
class Row:
    """One figure: a job, its time, the limit it is held to, and pace over a peer's pace."""

    job: str
    states: int
    arcs: int
    seconds: float
    limit: float | None = None
    ratio: float | None = None
    least_ratio: float | None = None
    note: str = ""
    ours: Row | None = None
    """Of a peer's figure: ours, which it is compared with."""

    def in_seconds(self) -> InSeconds:
        """Return the figure as the other benchmarks have it, states and arcs in the note."""
        size = f"{self.states:,} states, {self.arcs:,} arcs"
        if self.ours is None:
            told = "; ".join(filter(None, (size, self.note)))
            return InSeconds(self.job, self.seconds, self.limit, note=told)
        told = f"states per second; the peer: {size} in {self.seconds:.3g} s"
        return InSeconds(
            self.ours.job, self.ours.seconds, None, self.ratio, told, peer=self.job.strip()
        )


class Run:
    """One run: its options, and where the peers are."""

    def __init__(self, repetitions: int, peers: dict[str, Path | str]) -> None:
        self.repetitions = repetitions
        self.peers = peers
        explore(philosophers(2), engine="packed")

    def best(self, job: Callable[[], StateSpace]) -> tuple[float, StateSpace]:
        """Return the shortest time in seconds, and the state space."""
        times = []
        for _ in range(self.repetitions):
            start = time.perf_counter()
            space = job()
            times.append(time.perf_counter() - start)
        return min(times), space

    def peer(self, name: str, task: dict[str, Any]) -> dict[str, Any] | None:
        """Return the answer of a peer's fastest run, or None without the peer."""
        python = self.peers[name]
        if isinstance(python, str):
            return None
        answers = []
        for _ in range(PEER_RUNS):
            done = subprocess.run(
                [str(python), str(HERE / f"peer_{name}.py")],
                input=json.dumps(task),
                capture_output=True,
                text=True,
                check=True,
            )
            answers.append(json.loads(done.stdout))
        return min(answers, key=lambda answer: float(answer["seconds"]))

    def compared(self, name: str, ours: Row, least: float, task: dict[str, Any]) -> Iterator[Row]:
        """Run a peer on the same net and yield its row, with our pace over its pace."""
        found = self.peer(name, task)
        if found is None:
            return
        partly = found["states"] < ours.states
        if not partly and (found["states"], found["arcs"]) != (ours.states, ours.arcs):
            raise AssertionError(f"{name}: {found} beside {ours.states} states, {ours.arcs} arcs")
        yield Row(
            f"  {PEERS[name]} {found['version']}",
            found["states"],
            found["arcs"],
            found["seconds"],
            ratio=(ours.states / ours.seconds) / (found["states"] / found["seconds"]),
            least_ratio=least,
            note="the first states only" if partly else "",
            ours=ours,
        )


def philosophers(count: int) -> Net:
    """Return the net of the Model Checking Contest, Philosophers-COL."""
    seats = enumeration("Seat", range(count), cyclic=True)
    x = Variable("x", seats)
    right = Shift(x, 1)
    build = NetBuilder(f"Philosophers-COL-{count:06}")
    for place in ("Think", "Fork", "Catch1", "Catch2", "Eat"):
        build.place(place, seats, everything(seats) if place in ("Think", "Fork") else None)
    build.transition("FF1a", takes={"Think": x, "Fork": x}, puts={"Catch1": x})
    build.transition("FF1b", takes={"Think": x, "Fork": right}, puts={"Catch2": x})
    build.transition("FF2a", takes={"Catch1": x, "Fork": right}, puts={"Eat": x})
    build.transition("FF2b", takes={"Catch2": x, "Fork": x}, puts={"Eat": x})
    build.transition("End", takes={"Eat": x}, puts={"Think": x, "Fork": x + right})
    return build.net()


def ten(run: Run) -> Iterator[Row]:
    """Ten philosophers, packed and in general, beside the peers."""
    net = philosophers(10)
    seconds, space = run.best(lambda: explore(net, engine="packed", budget=WHOLE))
    ours = Row("10 philosophers, packed", space.states, space.arcs, seconds)
    yield ours
    yield from run.compared("cpncheck", ours, 100, {"philosophers": 10})
    yield from run.compared("snakes", ours, 1000, {"philosophers": 10, "states": PARTLY})
    general, space = run.best(lambda: explore(net, engine="general", budget=WHOLE))
    yield Row("10 philosophers, general", space.states, space.arcs, general)
    automatic, space = run.best(lambda: explore(net, budget=WHOLE))
    yield Row("10 philosophers, auto", space.states, space.arcs, automatic)


def twelve(run: Run) -> Iterator[Row]:
    """Twelve philosophers: time and memory."""
    net = philosophers(12)
    for keep in (True, False):
        seconds, space = run.best(
            lambda keep=keep: explore(net, engine="packed", keep_arcs=keep, budget=WHOLE)
        )
        note = f"{space.store.bytes / space.states:.0f} bytes per state (limit 100)"
        job = "12 philosophers, packed" + ("" if keep else ", arcs counted only")
        yield Row(job, space.states, space.arcs, seconds, 3 if keep else None, note=note)


def theta(run: Run) -> Iterator[Row]:
    """The θ-sensitive publisher on one table, all of whose work is in functions."""
    domain = sorted(set("".join(CLASSES)))
    seconds, space = run.best(
        lambda: explore(theta_publisher(CLASSES, k=4, mu=MU, domain=domain).net(), budget=WHOLE)
    )
    ours = Row("θ-sensitive, 5 classes of 4", space.states, space.arcs, seconds)
    yield ours
    codes = [[domain.index(value) for value in one] for one in CLASSES]
    task = {"classes": codes, "k": 4, "mu": [MU.numerator, MU.denominator], "states": PARTLY}
    yield from run.compared("snakes", ours, 100, task)
    net = theta_publisher(SEVEN, k=4, mu=MU, domain=domain).net()
    before = resident()
    start = time.perf_counter()
    space = explore(net, budget=Budget(states=MEASURED))
    seconds = time.perf_counter() - start
    taken = (resident() - before) / space.states
    note = f"{taken:,.0f} bytes of resident memory per state (limit 1024)"
    yield Row("θ-sensitive, 7 classes of 4", space.states, space.arcs, seconds, note=note)


def resident() -> int:
    """Return how many bytes of this process are in memory; 0 where the system does not say."""
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[1]) * PAGESIZE if statm.exists() else 0


def tables(run: Run) -> Iterator[Row]:
    """Every table with 3 classes of 3 rows over 4 values, explored as one space."""
    classes = list(combinations_with_replacement("ABCD", 3))

    def published(one: Sequence[str]) -> Net:
        return theta_publisher([one] * 3, k=3, mu=MU, domain="ABCD").net()

    def union() -> StateSpace:
        net = published("AAA")
        masked = net.place["MMT"].colour
        tokens = [next(iter(published(one).initial["MMT"])) for one in classes]
        starts = product([ecs[0] for _, ecs in tokens], repeat=3)
        initial = [net.marking({"MMT": Constant((0, ecs), masked)}) for ecs in starts]
        return explore(net, initial=initial, budget=WHOLE)

    seconds, space = run.best(union)
    note = f"{len(space.roots)} initial markings"
    yield Row("θ-sensitive, all tables", space.states, space.arcs, seconds, 10, note=note)


def publications(run: Run) -> Iterator[Row]:
    """Everything that can be published, with a page, where exploring every table does not end."""
    draw = random.Random(1)
    values = draw.choices("abcdef", [1 / (at + 1) for at in range(6)], k=200)
    for rows, limit in ((40, 10.0), (100, 60.0), (200, None)):
        classes = [values[at : at + 4] for at in range(0, rows, 4)]
        made = net_of_table("theta-sensitive", classes, k=4, mu=MU, domain=sorted(set(values)))
        pages = []

        def counted(made: TableNet = made, pages: list[AllPublications] = pages) -> StateSpace:
            pages.append(made.publications())
            publications_page(pages[-1])
            return pages[-1].found.space

        seconds, space = run.best(counted)
        note = f"{pages[-1].words.count:,} publications"
        yield Row(
            f"publications of {rows} rows", space.states, space.arcs, seconds, limit, note=note
        )
        if rows == 40:
            part, plain = run.best(
                lambda made=made: made.explore(budget=replace(WHOLE, states=PLAIN))
            )
            yield Row("  every table", plain.states, plain.arcs, part, note="the first states only")


def reports(run: Run) -> Iterator[Row]:
    """The standard report, as text and as JSON, on the first states of large nets."""
    domain = sorted(set("".join(SEVEN)))
    nets = {
        "11 philosophers": philosophers(11),
        "θ-sensitive, 7 classes of 4": theta_publisher(SEVEN, k=4, mu=MU, domain=domain).net(),
    }
    for name, net in nets.items():
        for engine in ("packed", "general") if name.endswith("philosophers") else ("general",):
            space = explore(net, budget=replace(WHOLE, states=REPORTED), engine=engine)
            times = []
            for _ in range(run.repetitions):
                start = time.perf_counter()
                found = standard_report(space)
                str(found), found.to_dict()
                times.append(time.perf_counter() - start)
            job = f"report, {name}, {engine}"
            yield Row(job, space.states, space.arcs, min(times), 15, note="judged and printed")


def ends(run: Run) -> Iterator[Row]:
    """What a budget of states leaves of a table of 40 rows, in each order of the search."""
    codes = "ABCDEFGH"
    classes = ["".join(codes[at * step % 8] for step in (1, 2, 3, 5)) for at in range(10)]
    net = theta_publisher(classes, k=4, mu=MU, domain=codes).net()
    for order in Order:
        seconds, space = run.best(
            lambda order=order: explore(net, budget=replace(WHOLE, states=PARTLY_BY), order=order)
        )
        note = f"{len(space.dead):,} final markings"
        yield Row(f"40 rows in part, {order}", space.states, space.arcs, seconds, note=note)


def runs(run: Run) -> Iterator[Row]:
    """One random run of a table with as many rows as Adult, with its page, beside the plain net."""
    draw = random.Random(1)
    values = draw.choices(range(15), [1 / (at + 3) for at in range(15)], k=32_561)
    for rows, limit in ((PLAIN_ROWS, None), (len(values), 20.0)):
        classes = [values[at : at + 4] for at in range(0, rows - 3, 4)]
        made = net_of_table("theta-sensitive", classes, k=4, mu=MU)
        times = []
        for _ in range(run.repetitions):
            start = time.perf_counter()
            found = simulate_publisher(made, runs=1, samples=1, judged=True)
            simulation_page(SimulationReport.of_publisher(found, None))
            times.append(time.perf_counter() - start)
        steps = found.simulation.steps.most
        yield Row(f"a run of {rows:,} rows, page", steps + 1, steps, min(times), limit)
        if rows == PLAIN_ROWS:
            start = time.perf_counter()
            plain = simulate(made.net, runs=1, watch=made.publisher.watch())
            seconds = time.perf_counter() - start
            if plain != found.simulation:
                raise AssertionError("the plain net takes another run")
            yield Row("  plain net, no page", steps + 1, steps, seconds)


def bounds(run: Run) -> Iterator[Row]:
    """Bounds of a place that gathers tokens, sparse and beside a matrix."""
    numbers = Open("Number", lambda token: isinstance(token, int))
    n = Variable("n", numbers)
    following = Function("next", lambda number: number + 1, numbers)
    build = NetBuilder("gathering")
    build.place("Next", numbers, Constant(0, numbers))
    build.place("Seen", numbers)
    build.transition("see", takes={"Next": n}, puts={"Next": following(n), "Seen": n})
    net = build.net()
    _, space = run.best(lambda: explore(net, budget=replace(WHOLE, states=GATHERED)))
    times = {}
    for name, form in (("sparse", StateSpace.extremes), ("plain", bounds_from_matrix)):
        start = time.perf_counter()
        found = form(space, "Seen")
        times[name] = time.perf_counter() - start, found
    (sparse, found), (plain, same) = times["sparse"], times["plain"]
    if found != same:
        raise AssertionError(f"sparse bounds {found} beside {same}")
    yield Row("bounds of a gathering place", space.states, space.arcs, sparse)
    note = f"{plain / sparse:,.0f} times the sparse form"
    yield Row("  as a matrix", space.states, space.arcs, plain, note=note)


def bounds_from_matrix(space: StateSpace, place: str) -> Extremes:
    """Return the bounds from a matrix with a row for each state and a column for each token."""
    totals = space.totals(place)
    tokens, counts = space.counts(place)
    lower, upper = (
        tuple((token, int(n)) for token, n in zip(tokens, bound, strict=True) if n)
        for bound in (counts.min(axis=0), counts.max(axis=0))
    )
    return Extremes(int(totals.min()), int(totals.max()), lower, upper)


JOBS: tuple[Callable[[Run], Iterator[Row]], ...] = (
    ten,
    twelve,
    theta,
    tables,
    publications,
    reports,
    ends,
    runs,
    bounds,
)


def find_peers(options: argparse.Namespace) -> dict[str, Path | str]:
    """Return each peer's interpreter, or the reason why there is none."""
    found: dict[str, Path | str] = {}
    for name, package in PEERS.items():
        given = getattr(options, name)
        if options.no_peers:
            found[name] = "left out on request"
        elif given:
            found[name] = given
        else:
            try:
                found[name] = environment(package)
            except (OSError, subprocess.CalledProcessError) as failure:
                found[name] = f"could not be installed: {reason(failure)}"
    return found


def show(rows: Sequence[Row], facts: dict[str, str], peers: dict[str, Path | str]) -> None:
    """Print the table."""
    console = Console()
    console.print(", ".join(f"{name} {value}" for name, value in facts.items()))
    table = Table("job", "states", "arcs", "s", "limit", "states/s", "ours / peer", "", box=None)
    for column in table.columns[1:7]:
        column.justify = "right"
    for row in rows:
        table.add_row(
            row.job,
            f"{row.states:,}",
            f"{row.arcs:,}",
            f"{row.seconds:.3g}",
            "" if row.limit is None else f"{row.limit:g}",
            f"{row.states / row.seconds:,.0f}",
            "" if row.ratio is None else f"{row.ratio:,.0f} (at least {row.least_ratio:,.0f})",
            row.note,
        )
    console.print(table)
    for name, python in peers.items():
        if isinstance(python, str):
            console.print(f"{PEERS[name]}: {python}")


def main() -> None:
    """Read the options, run the jobs, print what they found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, package in PEERS.items():
        parser.add_argument(f"--{name}", type=Path, help=f"interpreter that has {package}")
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--only", choices=[job.__name__ for job in JOBS], action="append")
    options = with_json(parser).parse_args()
    compile_at_once()
    peers = find_peers(options)
    run = Run(options.repetitions, peers)
    jobs = [job for job in JOBS if not options.only or job.__name__ in options.only]
    rows = [row for job in jobs for row in job(run)]
    facts = machine(["numpy", "numba"])
    if options.json:
        missing = {PEERS[name]: why for name, why in peers.items() if isinstance(why, str)}
        print(json.dumps(document([row.in_seconds() for row in rows], facts, missing), indent=2))
    else:
        show(rows, facts, peers)


if __name__ == "__main__":
    main()
