"""Cloaked logs: how much is shown, to whom, and how long it takes with the attack.

Run ``python benchmarks/moving.py NODES EDGES CABS MEANS`` with the roads of Pittsburgh, the cabs of
San Francisco and the mean positions of Gowalla's users. People in Pittsburgh are simulated: they
start at random crossings and walk ten random steps from slot to slot, each along a street or, as
often, none (:func:`kproof.models.attacks.intersection.random_walks`, seed 1). Each job is timed
from the log to the attack on what is written, in processor time; the limit is that of the whole.
"""

import argparse
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
from common import Row, machine, peak_memory, told, with_json

from kproof.models.attacks.intersection import random_walks
from kproof.models.moving.cell_files import CellsFile, cells_document, cells_in
from kproof.models.moving.cells import GridCells, RoadCells
from kproof.models.moving.judging import judge_log
from kproof.models.moving.log_files import parse_cloaked, to_cloaked_csv
from kproof.models.moving.publish import cloak_log
from kproof.models.moving.terms import LogTerms
from kproof.models.places.city.city import City
from kproof.models.places.city.files import read_city, spread
from kproof.models.places.log import PositionLog, read_log

STEPS = 10
"""Of a walk from one slot to the next."""
TERMS = LogTerms(900, 1, Fraction(500), 5, 4, Fraction(1000), 2)


def walking(city: City, people: int, slots: int) -> PositionLog:
    """Return the log of simulated people, read from a CSV file."""
    walks = random_walks(spread(city, people, seed=1), times=STEPS * (slots - 1) + 1, seed=1)
    nodes = walks.positions[::STEPS]
    rows = ["user,lat,lon,time\n"]
    lat, lon = np.round(city.y, 7).tolist(), np.round(city.x, 7).tolist()
    for slot, at in enumerate(nodes.tolist()):
        rows += [f"{who},{lat[node]},{lon[node]},{900 * slot}\n" for who, node in enumerate(at)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "log.csv")
        path.write_text("".join(rows), encoding="utf-8")
        return timed_read(path)


def timed_read(path: Path) -> PositionLog:
    """Read a log, and say how long that took."""
    start = time.process_time()
    log = read_log(path)
    READING.append(time.process_time() - start)
    return log


READING: list[float] = []
"""Seconds that each log took to read."""


def part(log: PositionLog, chosen: np.ndarray) -> PositionLog:
    """Return some rows of a log, people by the numbers that they have."""
    columns = {name: getattr(log, name)[chosen] for name in ("person", "time", "lat", "lon")}
    people, person = np.unique(columns["person"], return_inverse=True)
    names = tuple(log.names[who] for who in people.tolist())
    lost = np.isin(log.lost_person, people)
    lost_person = np.searchsorted(people, log.lost_person[lost])
    columns |= {"person": person, "lost_person": lost_person, "lost_time": log.lost_time[lost]}
    return replace(log, **columns, names=names, line=log.line[chosen])


def job(name: str, log: PositionLog, cells: CellsFile, terms: LogTerms, limit: float) -> Row:
    """Cloak a log, write it, read it, attack it."""
    start = time.process_time()
    made = cloak_log(log, cells, terms, seed=1)
    cloaked = parse_cloaked(to_cloaked_csv(made.release, made.terms).encode(), "log")
    judged = judge_log(log, cloaked, cells)
    spent = time.process_time() - start
    account = made.account
    least = min(result.least or 0 for result in judged.observers)
    note = (
        f"shown {100 * account.shown_share:.1f} %, served {100 * account.served_share:.1f} %,"
        f" waited {account.wait:.2f}, {account.width_median:.0f} m wide, linked"
        f" {100 * account.linked:.1f} %, elsewhere {100 * account.elsewhere:.1f} %, least"
        f" {least} for {judged.records:,} records; {peak_memory() / 2**20:.0f} MB at most"
    )
    asked = f"k {terms.k}, {float(terms.widest or 0) / 1000:g} km, session {terms.session}"
    return Row(f"{name}: {asked}", spent, limit, None, note)


def cells_of(cells: RoadCells | GridCells) -> CellsFile:
    """Return cells as their file has them."""
    return cells_in(cells_document(cells).encode(), "cells")


def jobs(options: argparse.Namespace) -> Iterator[Row]:
    """Run every job of the table."""
    city = read_city(options.nodes, edges=options.edges)
    start = time.process_time()
    roads = cells_of(RoadCells.of(city))
    spent = time.process_time() - start
    yield Row("cells of Pittsburgh", spent, 5, None, f"{len(np.unique(roads.cells.leaf))} leaves")
    for people, slots, asked in (
        (options.people, 20, [(5, 1000, 1), (5, 1000, 4), (5, 1000, 20), (10, 1000, 4)]),
        (options.people // 5, 100, [(5, 1000, 4), (5, 1000, 100)]),
    ):
        log = walking(city, people, slots)
        yield Row(f"reading {log.rows:,} positions", READING[-1], 10)
        more = [(10, 2000, 20)] if slots == 20 else []
        for k, widest, session in asked + more:
            terms = replace(TERMS, k=k, widest=Fraction(widest), session=session)
            yield job(f"{people:,} people x {slots} slots", log, roads, terms, 30)
    cabs = timed_read(options.cabs)
    hour = cabs.time % 86_400 // 3600
    day = cabs.time // 86_400 == np.bincount(cabs.time // 86_400).argmax()
    noon = part(cabs, day & (hour >= 8) & (hour < 20))
    grid = cells_of(GridCells(375.0))
    for k, widest, sessions in ((5, 3000, (1, 2, 4, 16)), (5, 1500, (1, 2, 4, 16)),
                                (10, 3000, (1, 4, 16))):  # fmt: skip
        for session in sessions:
            terms = replace(TERMS, k=k, widest=Fraction(widest), session=session)
            yield job(f"{noon.people} cabs, 08-20 h", noon, grid, terms, 30)
    means = np.genfromtxt(options.means, delimiter=",", skip_header=1)
    lat, lon = means[:, 1], means[:, 2]
    inside = (np.abs(lat) <= 90) & (np.abs(lon) <= 180)
    users = range(int(inside.sum()))
    gowalla = PositionLog.of(
        lat[inside], lon[inside], users=users, time=np.arange(len(users)) % 900, far=None
    )
    grid = cells_of(GridCells(1250.0))
    for widest in (5000, 20_000):
        terms = replace(TERMS, widest=Fraction(widest), session=1)
        yield job("means of Gowalla's users, one slot", gowalla, grid, terms, 30)


def main() -> None:
    """Read the options, run the jobs, print what they found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("nodes", "edges", "cabs", "means"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--people", type=int, default=50_000)
    options = with_json(parser).parse_args()
    told(options, list(jobs(options)), machine(["numpy", "scipy"]))


if __name__ == "__main__":
    main()
