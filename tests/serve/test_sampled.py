"""Sampled days: the exact law of what is answered, coins that are tossed once, and nothing else."""

import json
import math
import os
import random
import shutil
import signal
import subprocess
import sys
import textwrap
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from fractions import Fraction
from itertools import product
from math import comb
from pathlib import Path
from typing import Any

import pytest
from apart import python
from cases import cases, error_line
from jsonschema import validate
from scripted import ScriptedCoins
from shell import refused

from kproof import json_schema
from kproof.errors import DataError, InvalidArgument
from kproof.models.tables.sampled.daily import DailySampling
from kproof.models.tables.sampled.method import toss_cells
from kproof.theory.exact.coins import CoinSource

for _name in ("fastapi", "ibis", "httpx", "prometheus_client"):
    pytest.importorskip(_name, reason="needs the extra serve")
duckdb = pytest.importorskip("duckdb", reason="needs the extra serve")

from kproof.serve import sampled as service_of_days  # noqa: E402
from kproof.serve.closed import NotSealed  # noqa: E402
from kproof.serve.flows import ServedAlgorithm, open_flows  # noqa: E402
from kproof.serve.sampled import SampledFlows, prepare_sampled  # noqa: E402
from kproof.serve.schema import FLOW_PATH, form_of_sampled  # noqa: E402
from kproof.serve.source import TollColumns, TollSource  # noqa: E402

START = date(2023, 1, 2)
COLUMNS = TollColumns(vehicle="plate")
HALF, THIRD = Fraction(1, 2), Fraction(1, 3)

Exit = tuple[str | None, str | None, str, float | None]
"""Vehicle, section, time, toll."""


def scripted(outcomes: Iterable[bool]) -> ScriptedCoins:
    return ScriptedCoins(lambda _: 0, seeded=False, outcomes=list(outcomes))


def exit_of(vehicle: str | None, section: str | None, day: int = 0, hour: int = 8) -> Exit:
    moment = datetime.combine(START, datetime.min.time()) + timedelta(day, hours=hour)
    return vehicle, section, moment.isoformat(" "), 10.0


def add(path: Path | str, exits: Iterable[Exit]) -> None:
    """Write exits to a database, which is made if it is not there."""
    con = duckdb.connect(str(path))
    con.execute(
        "CREATE TABLE IF NOT EXISTS exits "
        "(plate VARCHAR, section_id VARCHAR, exit_time TIMESTAMP, toll DOUBLE)"
    )
    rows = list(exits)
    if rows:
        con.executemany("INSERT INTO exits VALUES (?, ?, ?, ?)", rows)
    con.close()


def started(
    path: Path | str,
    cells: Path | str,
    *,
    k: int = 2,
    beta: Fraction | str = HALF,
    today: Callable[[], date] = lambda: START + timedelta(9),
    rebind: bool = False,
) -> SampledFlows:
    source = TollSource(COLUMNS, str(path))
    flows = prepare_sampled(source, str(cells), k=k, beta=beta, today=today, rebind=rebind)
    flows.start()
    return flows


def lines(answer: Mapping[str, Any]) -> dict[str, int]:
    return {line["section_region"]: line["truck_count"] for line in answer["data"]}


def everything(flows: SampledFlows) -> str:
    """What somebody can read: whole answers, of every window of three days, and the state."""
    days = [None, *(START + timedelta(day) for day in range(3))]
    windows = [
        (start, stop) for start in days for stop in days if not start or not stop or start <= stop
    ]
    answers = [flows.answer(*window, flows.least) for window in windows]
    return json.dumps([answers, flows.promise, dict(flows.state)])


# The law of what is answered


Law = Mapping[str, Fraction]


def law_of(
    exits: Sequence[Exit],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    k: int,
    beta: Fraction,
) -> Law:
    """The exact law of everything that can be read, by all outcomes of the coins."""
    people = len({(vehicle, moment[:10]) for vehicle, _, moment, _ in exits})
    folder = Path(tmp_path, f"law-{len(list(tmp_path.iterdir()))}")
    folder.mkdir()
    monkeypatch.chdir(folder)
    add("exits.db", exits)
    law: defaultdict[str, Fraction] = defaultdict(Fraction)
    # What is read is the same each time; only the coins differ.
    people_of_days = TollSource(COLUMNS, "exits.db").first_exits(None, START + timedelta(9))
    assert len(people_of_days) == people
    monkeypatch.setattr(TollSource, "first_exits", lambda *_: people_of_days)
    monkeypatch.setattr(TollSource, "check", lambda _: None)
    sampling = DailySampling.of(k, beta)
    monkeypatch.setattr(DailySampling, "of", lambda *_: sampling)
    for number, outcomes in enumerate(product((False, True), repeat=people)):
        coins = scripted(outcomes)
        monkeypatch.setattr(CoinSource, "of_system", lambda coins=coins: coins)
        flows = started("exits.db", f"{number}.db", k=k, beta=beta)
        flows.sealed.close()
        assert coins.outcomes == []
        law[everything(flows)] += math.prod(coins.chances)
    monkeypatch.undo()
    assert sum(law.values()) == 1
    return law


def divergence(first: Law, second: Law, epsilon: float) -> float:
    power = Fraction(math.exp(epsilon))
    return float(sum(max(0, mass - power * second.get(seen, 0)) for seen, mass in first.items()))


def counted(rows: int, k: int, beta: Fraction) -> dict[int, Fraction]:
    """The law of a count that is shown from k on: the oracle, which knows no service."""
    law: defaultdict[int, Fraction] = defaultdict(Fraction)
    for size in range(rows + 1):
        law[size if size >= k else 0] += comb(rows, size) * beta**size * (1 - beta) ** (rows - size)
    return law


def worst_gain(k: int, beta: Fraction, epsilon: float) -> float:
    power, gains = Fraction(math.exp(epsilon)), [Fraction(0)]
    for rows in range(1, 30):
        pair = counted(rows, k, beta), counted(rows - 1, k, beta)
        for first, second in (pair, pair[::-1]):
            gains.append(
                sum(
                    (
                        max(Fraction(0), mass - power * second.get(size, 0))
                        for size, mass in first.items()
                    ),
                    Fraction(0),
                )
            )
    return float(max(gains))


def stated(k: int, beta: Fraction, days: int, epsilon: str) -> float:
    bounds = DailySampling.of(k, beta).bounds
    [delta] = [bound.delta for bound in bounds if (bound.days, bound.epsilon) == (days, epsilon)]
    return float(delta)


@pytest.mark.parametrize(("k", "beta", "attained"), [(2, THIRD, 3), (3, HALF, 4)])
def test_a_person_of_a_day_is_worth_what_is_stated(k, beta, attained, tmp_path, monkeypatch):
    """Brute force of a day equals the theorem at the worst number of people, and is below it else.

    Some people leave twice, and the first exit is theirs.
    """
    bound = stated(k, beta, 1, "0.1")
    assert bound == pytest.approx(worst_gain(k, beta, 0.1), rel=1e-12)
    laws = {}
    for people in range(k - 1, attained + 2):
        exits = [exit_of(f"v{number}", "A") for number in range(people)]
        exits += [exit_of(f"v{number}", "B", hour=9) for number in range(0, people, 2)]
        laws[people] = law_of(exits, tmp_path, monkeypatch, k=k, beta=beta)
        # What is read tells the shown count and nothing else.
        assert sorted(laws[people].values()) == sorted(
            mass for mass in counted(people, k, beta).values() if mass
        )
    gains = {
        people: max(
            divergence(laws[people], laws[people - 1], 0.1),
            divergence(laws[people - 1], laws[people], 0.1),
        )
        for people in range(k, attained + 2)
    }
    assert max(gains, key=gains.__getitem__) == attained
    assert gains[attained] == pytest.approx(bound, rel=1e-12)
    assert all(gain <= bound * (1 + 1e-12) for gain in gains.values())


def test_days_add_up_and_cells_do_not(tmp_path, monkeypatch):
    others = [exit_of(f"o{number}", "A", day) for day in (0, 1) for number in (0, 1)]
    once, twice = [exit_of("v", "A", 0)], [exit_of("v", "A", 0), exit_of("v", "A", 1)]
    asked: dict[str, Any] = {"k": 2, "beta": THIRD}
    without = law_of(others, tmp_path, monkeypatch, **asked)
    one_day = law_of(others + once, tmp_path, monkeypatch, **asked)
    two_days = law_of(others + twice, tmp_path, monkeypatch, **asked)
    bound = worst_gain(2, THIRD, 0.1)
    assert divergence(one_day, without, 0.1) == pytest.approx(bound, rel=1e-12)
    gain = divergence(two_days, without, 0.2)
    assert bound * 0.5 < gain <= 2 * bound
    # What is stated for several days is the sum of both.
    for days in (7, 30):
        for epsilon in ("0.5", "1"):
            of_days = stated(20, HALF, days, f"{float(epsilon) * days:g}")
            assert of_days == pytest.approx(min(1, days * stated(20, HALF, 1, epsilon)), rel=1e-9)


# What takes part


def test_of_a_person_on_a_day_the_first_exit_alone_takes_part(tmp_path, monkeypatch):
    exits = [exit_of(f"v{number}", "A", hour=6) for number in range(3)]
    exits += [exit_of(f"v{number}", "B", hour=7) for number in range(3)]
    exits += [exit_of(f"w{number}", "B", day=1, hour=7) for number in range(4)]
    # At one moment in two sections: the first by name, whatever the order of rows.
    exits += [exit_of(f"w{number}", section, day=2) for number in range(4) for section in "DC"]
    exits += [exit_of(None, "E") for _ in range(9)]
    add(tmp_path / "exits.db", exits)
    monkeypatch.setattr(CoinSource, "of_system", lambda: scripted([True] * 11))
    flows = started(tmp_path / "exits.db", tmp_path / "cells.db")
    assert lines(flows.answer(START, START, 2)) == {"A区域": 3}
    assert lines(flows.answer(None, None, 2)) == {"A区域": 3, "B区域": 4, "C区域": 4}
    assert flows.window(None, None) == (START, START + timedelta(2))


def test_rows_that_nobody_can_read_stop_nothing(tmp_path, monkeypatch):
    add(tmp_path / "exits.db", [exit_of(f"v{number}", "A") for number in range(3)])
    add(
        tmp_path / "exits.db",
        [
            ("w", "A", "infinity", 1.0),
            ("w", "A", "-infinity", 1.0),
            ("w", "A", "290000-01-01 (BC) 00:00:00", 1.0),
            ("w", None, "2023-01-02 04:00:00", 1.0),
            ("w", "A" * 5000, "2023-01-02 04:00:00", 1e300),
            ("x", "A", "2023-01-02 04:00:00", None),
            ("", "A", "2023-01-02 04:00:00", float("nan")),
        ],
    )
    monkeypatch.setattr(CoinSource, "of_system", lambda: scripted([True] * 6))
    flows = started(tmp_path / "exits.db", tmp_path / "cells.db", k=3)
    assert lines(flows.answer(None, None, 3)) == {"A区域": 4}
    # An empty plate is no vehicle.
    csv = tmp_path / "exits.csv"
    rows = "".join(f"{number},A,2023-01-02 10:00:00,5\n" for number in range(4))
    csv.write_text(f"plate,section_id,exit_time,toll\n{rows}5,A,yesterday,5\n6,A,,\n,A,x,dear\n")
    monkeypatch.setattr(CoinSource, "of_system", lambda: scripted([True] * 4))
    read = prepare_sampled(
        TollSource(COLUMNS, csv=str(csv)), str(tmp_path / "csv.db"), k=2, beta=HALF
    )
    read.start()
    assert lines(read.answer(None, None, 2)) == {"A区域": 4}


# Coins are tossed once


@pytest.fixture
def made(tmp_path: Path) -> Path:
    path = tmp_path / "exits.db"
    add(
        path,
        [exit_of(f"v{number}", "AB"[number % 2], day) for day in range(6) for number in range(40)],
    )
    return path


def test_neither_a_start_nor_a_day_tosses_coins_again(made, tmp_path):
    today = [START + timedelta(3)]
    flows = started(made, tmp_path / "cells.db", k=5, today=lambda: today[0])
    before = everything(flows)
    for _ in range(3):
        flows.sealed.close()
        flows = started(made, tmp_path / "cells.db", k=5, today=lambda: today[0])
        assert everything(flows) == before
    today[0] += timedelta(2)
    flows.refresh()
    for day in range(3):
        at = START + timedelta(day)
        assert flows.answer(at, at, 5)["data"] in [one["data"] for one in json.loads(before)[0]]
    after = lines(flows.answer(START + timedelta(3), START + timedelta(4), 5))
    assert 20 < sum(after.values()) < 60
    # Other coins for other days, and for a file of its own.
    assert started(made, tmp_path / "other.db", k=5)._cells[: len(flows._cells)] != flows._cells
    # A clock that goes back seals nothing.
    today[0] = START
    flows.refresh()
    assert lines(flows.answer(START + timedelta(3), START + timedelta(4), 5)) == after


def test_what_comes_late_or_is_corrected_takes_no_part(made, tmp_path):
    today = [START + timedelta(3)]
    flows = started(made, tmp_path / "cells.db", k=5, today=lambda: today[0])
    before = flows.sealed.cells()
    add(made, [exit_of(f"late{number}", "A", 1) for number in range(200)])
    con = duckdb.connect(str(made))
    con.execute("UPDATE exits SET section_id = 'Z' WHERE plate < 'v2' AND exit_time < '2023-01-05'")
    con.execute("DELETE FROM exits WHERE plate = 'v30'")
    con.close()
    today[0] += timedelta(1)
    flows.refresh()
    after = flows.sealed.cells()
    assert after[: len(before)] == before
    sealed_now = {(day, section) for day, section, _ in after[len(before) :]}
    assert sealed_now == {((START + timedelta(3) - date(1970, 1, 1)).days, name) for name in "AB"}
    flows.sealed.close()
    again = started(made, tmp_path / "cells.db", k=5, today=lambda: today[0])
    assert again.sealed.cells() == after


def test_the_file_keeps_what_is_shown_and_nothing_else(made, tmp_path):
    cells = tmp_path / "cells.db"
    flows = started(made, cells, k=5)
    shown = flows.sealed.cells()
    flows.sealed.close()
    con = duckdb.connect(str(cells), read_only=True)
    tables = {name for (name,) in con.execute("SHOW TABLES").fetchall()}
    assert tables == {"sealing", "seals", "shown"}
    assert con.execute("SELECT * FROM shown ORDER BY ALL").fetchall() == shown
    con.close()
    assert b"v17" not in cells.read_bytes()


def test_a_file_is_of_one_sampling(made, tmp_path):
    cells = str(tmp_path / "cells.db")
    started(made, cells, k=5, beta="0.5").sealed.close()
    started(made, cells, k=5, beta="1/2").sealed.close()
    for change in ({"k": 6}, {"k": 4}, {"beta": THIRD}):
        with pytest.raises(
            DataError, match=r"of another source, .*a section on a day, k = 5, beta"
        ):
            started(made, cells, **{"k": 5, "beta": HALF} | change)
    with pytest.raises(DataError, match="of another source"):
        open_flows(TollSource(COLUMNS, str(made)), cells)
    moved = made.rename(tmp_path / "moved.db")
    assert "nothing shows that it is the same" in error_line(DataError, started, moved, cells, k=5)
    started(moved, cells, k=5, rebind=True).sealed.close()
    moved.rename(made)
    started(made, cells, k=5, rebind=True).sealed.close()
    exact = str(tmp_path / "exact.db")
    open_flows(TollSource(COLUMNS, str(made)), exact).sealed.close()
    assert "of another source" in error_line(DataError, started, made, exact, k=5)
    for path in (None, "", ":memory:", ":memory:named", os.devnull):
        with pytest.raises((InvalidArgument, DataError), match="cells"):
            prepare_sampled(TollSource(COLUMNS, str(made)), path, k=5, beta=HALF)
    con = duckdb.connect(cells)
    con.execute("UPDATE shown SET people = 4 WHERE day = (SELECT min(day) FROM shown)")
    con.close()
    assert "fewer than k = 5" in error_line(DataError, started, made, cells, k=5)


def test_of_several_that_share_a_file_one_tosses_coins(made, tmp_path):
    """A second process, and a second service of this one, show what the first has sealed."""
    today = [START + timedelta(3)]
    flows = [started(made, tmp_path / "cells.db", k=5, today=lambda: today[0]) for _ in range(2)]
    assert [one.sealed.leads for one in flows] == [True, False]
    assert everything(flows[0]) == everything(flows[1])
    code = f"""
        from datetime import date
        from kproof.serve.sampled import prepare_sampled
        from kproof.serve.source import TollColumns, TollSource
        source = TollSource(TollColumns(vehicle="plate"), {str(made)!r})
        of = dict(k=5, beta="1/2", today=lambda: date.fromisoformat({str(today[0])!r}))
        flows = prepare_sampled(source, {str(tmp_path / "cells.db")!r}, **of)
        flows.start()
        print(flows.sealed.leads, flows.sealed.cells())
    """
    done = python("-c", textwrap.dedent(code), timeout=60)
    assert (done.stdout, done.stderr) == (f"False {flows[0].sealed.cells()}\n", "")
    today[0] += timedelta(1)
    flows[1].refresh()
    assert flows[1].answer(START + timedelta(3), START + timedelta(3), 5)["data"] == []
    flows[0].refresh()
    flows[1].refresh()
    assert everything(flows[0]) == everything(flows[1])
    # Where the system has no locks, the file itself says that a day was sealed meanwhile.
    before = flows[0].sealed.cells()
    flows[1].sealed.until, flows[1].sealed._lock = START, os.open(made, os.O_RDONLY)
    with pytest.raises(NotSealed, match="somebody else has sealed days"):
        flows[1].sealed.seal({(19_360, "A"): 9}, today[0])
    assert flows[0].sealed.cells() == before
    for one in flows:
        one.sealed.close()


def test_a_full_disk_gives_no_second_toss(made, tmp_path, monkeypatch):
    """Whether there is room hangs on what is shown: the next try has the same coins."""
    today = [START + timedelta(2)]
    flows = started(made, tmp_path / "cells.db", k=5, today=lambda: today[0])
    days, shown = [], []

    def noting(rows: list[tuple[int, str]], **asked: Any) -> Any:
        days.append({day for day, _ in rows})
        shown.append(honest_toss(rows, **asked))
        return dict(shown[-1])

    monkeypatch.setattr(service_of_days, "toss_cells", noting)
    seal = flows.sealed.seal

    def full(*_: Any) -> None:
        raise NotSealed("no room")

    monkeypatch.setattr(flows.sealed, "seal", full)
    for _ in range(2):
        today[0] += timedelta(1)
        with pytest.raises(NotSealed):
            flows.refresh()
    monkeypatch.setattr(flows.sealed, "seal", seal)
    before = flows.sealed.cells()
    flows.refresh()
    assert list(map(len, days)) == [1, 1, 0]
    assert not days[0] & days[1]
    expected = sorted((*cell, size) for cells in shown for cell, size in cells.items())
    assert flows.sealed.cells() == before + expected == flows._cells


def test_a_seal_that_is_killed_has_shown_nothing(made, tmp_path):
    cells = tmp_path / "cells.db"
    flows = started(made, cells, k=5, today=lambda: START + timedelta(2))
    before = everything(flows)
    flows.sealed.close()
    code = f"""
        import os, signal
        from datetime import date
        from fractions import Fraction
        from kproof.serve.sampled import prepare_sampled
        from kproof.serve.source import TollColumns, TollSource
        source = TollSource(TollColumns(vehicle="plate"), {str(made)!r})
        flows = prepare_sampled(source, {str(cells)!r}, k=5, beta="1/2")
        connect = flows.sealed._connect
        class Killing:
            def __init__(self, store):
                self.store = store
            def __getattr__(self, name):
                return getattr(self.store, name)
            def execute(self, text, *more):
                if text.startswith("DELETE"):
                    print("written", flush=True)
                    os.kill(os.getpid(), signal.SIGKILL)
                return self.store.execute(text, *more)
        flows.sealed._connect = lambda **how: Killing(connect(**how))
        flows.start()
    """
    done = python("-c", textwrap.dedent(code))
    assert (done.returncode, done.stdout) == (-signal.SIGKILL, "written\n"), done.stderr
    again = started(made, cells, k=5, today=lambda: START + timedelta(2))
    assert everything(again) == before
    assert len({day for day, _, _ in again.sealed.cells()}) == 2


# Nothing hangs on what is not shown


SHOWN = {(0, "A"): 7, (0, "B"): 5, (1, "A"): 6, (3, "C"): 9}
"""People of the cells that are shown, in every world."""
HIDDEN = 4
"""People of other cells whom the coins keep, at most: fewer than k."""


def steered(rows: Iterable[tuple[int, str]], *, k: int, beta: Fraction, coins: Any) -> Any:
    """Toss coins that keep as many people of each cell as every world shows."""
    rows, kept, outcomes = list(rows), Counter[tuple[int, str]](), []
    first = (START - date(1970, 1, 1)).days
    assert not coins.seeded
    for day, section in rows:
        outcome = kept[day, section] < SHOWN.get((day - first, section), HIDDEN)
        kept[day, section] += outcome
        outcomes.append(outcome)
    return honest_toss(rows, k=k, beta=beta, coins=scripted(outcomes))


honest_toss = toss_cells


def world(seed: int) -> tuple[list[Exit], list[Exit]]:
    """Exits that are there at first, and those that come late: hidden ones by the seed."""
    draw = random.Random(seed)
    exits, late = [], []
    for (day, section), people in SHOWN.items():
        number = people + draw.randrange(30)
        named = [
            exit_of(f"{section}{one}", section, day, draw.randrange(12)) for one in range(number)
        ]
        exits += named
        # They leave again, wherever and whenever.
        for vehicle, _, moment, _ in named:
            if draw.random() < 0.4:
                exits.append((vehicle, f"S{draw.randrange(9)}", moment[:11] + "23:00:00", 5e5))
    for _ in range(draw.randrange(20)):
        section, day = f"R{draw.randrange(10**6)}", draw.randrange(-5, 4)
        for one in range(draw.randrange(1, 60)):
            exits.append(exit_of(f"{section}{one}", section, day))
    exits += [exit_of(None, "A") for _ in range(draw.randrange(20))]
    exits += [("x", None, "2023-01-02 10:00:00", 1e300)] * draw.randrange(3)
    exits += [("y", "A", "infinity", None), ("y", "A", "-infinity", None)][: draw.randrange(3)]
    late += [exit_of(f"late{one}", "A", draw.randrange(2)) for one in range(draw.randrange(40))]
    draw.shuffle(exits)
    return exits, late


def requests(seed: int) -> Iterator[tuple[str, str, dict[str, Any]]]:
    draw = random.Random(seed)
    yield "GET", "/health", {}
    yield "GET", "/openapi.json", {}
    yield "GET", FLOW_PATH, {}
    days = [str(START + timedelta(day)) for day in range(-8, 9)]
    odd = ["", "2023-02-30", "0001-01-01", "9999-12-31", "x" * 300, "1970-01-01", "'; DROP"]
    for _ in range(30):
        query: dict[str, Any] = {}
        for name in ("start_date", "end_date"):
            if draw.random() < 0.8:
                query[name] = draw.choice(days if draw.random() < 0.8 else odd)
        if draw.random() < 0.3:
            query["k"] = draw.choice([5, 5, 4, 6, 1000, 10**30, "x", ""])
        if draw.random() < 0.2:
            query["algorithm"] = draw.choice(["cells", "printed", "none"])
        if draw.random() < 0.1:
            query[draw.choice(["hour", "section", "total", "beta"])] = "1"
        yield draw.choice(["GET"] * 9 + ["POST"]), FLOW_PATH, query
    yield "GET", "/api/bound", {"theorem": "9"}
    if seed == 2:
        yield "POST", "/api/check", {"qi": "Age", "k": "x"}
    yield "GET", "/none", {}
    yield "GET", "/metrics", {}


def read_by_everybody(
    seed: int,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    *,
    briefly: bool = False,
) -> list[object]:
    """All bytes that leave in a world: answers, refusals, state, figures, logs, and for agents."""
    import anyio
    import httpx

    from kproof.serve.agents import agent_server
    from kproof.serve.app import service

    folder.mkdir()
    monkeypatch.chdir(folder)
    exits, late = world(seed)
    add("exits.db", exits)
    today = [START + timedelta(2)]
    source = TollSource(COLUMNS, "exits.db")
    flows = prepare_sampled(source, "cells.db", k=5, beta=HALF, today=lambda: today[0])
    app = service(flows)
    seen: list[object] = []

    async def ask(of: int) -> None:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://server") as client:
            for method, path, query in requests(of):
                found = await client.request(method, path, params=query)
                seen.append((method, path, query, found.status_code, [*found.headers.items()]))
                seen.append(found.content)

    async def ask_as_agent() -> None:
        from mcp import Client

        async with Client(agent_server(flows)) as client:
            listed = await client.list_tools()
            answers = [await client.call_tool(listed.tools[0].name, {"k": k}) for k in (5, 6)]
            seen.append([listed.model_dump_json(), *(one.model_dump_json() for one in answers)])

    def step(of: int) -> None:
        anyio.run(ask, of)
        seen.append([flows.promise, dict(flows.state), repr(flows._cells)])

    if briefly:
        flows.start()
        step(3)
        return seen
    step(1)
    flows.start()
    step(2)
    anyio.run(ask_as_agent)
    add("exits.db", late)
    today[0] += timedelta(1)
    step(3)
    os.rename("exits.db", "away.db")
    today[0] += timedelta(2)
    step(4)
    os.rename("away.db", "exits.db")
    step(5)
    flows.sealed.close()
    seen.append([Path("cells.db").stat().st_size, capfd.readouterr()])
    return seen


@pytest.fixture
def no_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures do not say when they were first counted."""
    monkeypatch.setattr("prometheus_client.metrics.time.time", lambda: 0.0)


@pytest.mark.usefixtures("no_times")
def test_worlds_that_show_the_same_cells_are_told_apart_by_nothing(tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(service_of_days, "toss_cells", steered)
    worlds = [
        read_by_everybody(seed, tmp_path / f"world-{seed}", monkeypatch, capfd) for seed in range(4)
    ]
    for seen in worlds[1:]:
        assert len(seen) == len(worlds[0])
        for one, other in zip(seen, worlds[0], strict=True):
            assert one == other
    # They do differ, and cells are shown.
    assert len({len(world(seed)[0]) for seed in range(4)}) == 4
    text = b"".join(part for part in worlds[0] if isinstance(part, bytes)).decode()
    assert '"truck_count": 13' in text
    assert "kproof_request_seconds" not in text
    assert 'kproof_requests_total{path="/health",status="200"}' in text


@pytest.mark.usefixtures("no_times")
@pytest.mark.parametrize("leak", ["rows", "sampled", "first day"])
def test_a_service_that_tells_more_is_found_out(leak, tmp_path, monkeypatch, capfd):
    """The test above is able to fail."""
    monkeypatch.setattr(service_of_days, "toss_cells", steered)
    honest = SampledFlows._seal_days

    def telling(self: Any, until: date) -> None:
        people = self.source.first_exits(self.sealed.until, until)
        hidden = {
            "rows": len(people),
            "sampled": sum(min(size, HIDDEN) for size in Counter(people).values()),
            "first day": min(people)[0],
        }
        honest(self, until)
        object.__setattr__(self.sampling, "beta", f"1/{2 + abs(hidden[leak])}")

    monkeypatch.setattr(SampledFlows, "_seal_days", telling)
    worlds = [
        read_by_everybody(seed, tmp_path / f"world-{seed}", monkeypatch, capfd, briefly=True)
        for seed in range(2)
    ]
    assert any(seen != worlds[0] for seen in worlds[1:])


# The documents, and what is refused


def test_a_server_says_what_it_is_worth_and_answers_alike_after_a_restart(made, tmp_path):
    import httpx

    words = ["serve", "--database", str(made), "--vehicle", "plate", "--port", "0"]
    words += ["--sampled", "0.5", "--least-k", "5", "--cells", str(tmp_path / "cells.db")]
    told = set()
    for _ in range(2):
        process = subprocess.Popen(
            [sys.executable, "-m", "kproof", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        address, _, line = process.stdout.readline().partition(" ")
        answer = httpx.get(address + FLOW_PATH, timeout=60)
        state = httpx.get(f"{address}/health", timeout=60).json()
        process.terminate()
        assert process.communicate(timeout=60) == ("", "")
        assert state["sampling"] == answer.json()["privacy_protection"]["sampling"]
        told.add((line, answer.content))
    [(line, _)] = told
    worth = "(epsilon, delta) = (1, 0.03125) for one person of one day more or less"
    assert line.startswith(f"serves {made}, k = 5, beta = 0.5: {worth}")


def test_the_documents_are_of_their_schemas(made, tmp_path):
    flows = started(made, tmp_path / "cells.db", k=5)
    answer = flows.answer(None, None, 5)
    validate(answer, form_of_sampled().answer)
    sampling = answer["privacy_protection"]["sampling"]
    validate(sampling, json_schema("serve-sampling"))
    assert sampling == flows.state["sampling"]
    assert set(answer["data"][0]) == {
        "section_region",
        "time_period",
        "truck_count",
        "k_anonymized",
        "algorithm",
    }
    assert answer["privacy_protection"]["statistics"] == {"anonymized_groups": 2}
    [shown] = [one for one in sampling["bounds"] if (one["days"], one["epsilon"]) == (1, "1")]
    assert flows.promise == (
        f"k = 5, beta = 0.5: (epsilon, delta) = (1, {float(shown['delta'])}) for one person of one "
        "day more or less, (30, 0.9375) for one person of 30 days"
    )


def test_what_would_not_be_the_theorem_is_refused(made, tmp_path):
    flows = started(made, tmp_path / "cells.db", k=5)
    for k in (4, 6):
        with pytest.raises(InvalidArgument, match=f"k = {k}: need a whole number 5 <= k <= 5"):
            flows.answer(None, None, k)
    with pytest.raises(InvalidArgument, match="algorithm = printed: need cells"):
        flows.answer(None, None, 5, ServedAlgorithm.PRINTED)
    assert not hasattr(flows, "cells")
    flows.sealed.close()
    shutil.rmtree(tmp_path, ignore_errors=True)
    nobody = TollSource(TollColumns(), str(made))
    with pytest.raises(InvalidArgument, match="vehicle is not given: need a column with --sampled"):
        prepare_sampled(nobody, str(tmp_path / "cells.db"), k=5, beta=HALF)


@cases(
    (("--sampled", "1"), "--sampled = 1: need less than 1: where all rows are kept, delta = 1"),
    (("--sampled", "0"), "--sampled = 0: need more than 0"),
    (("--sampled", "half"), "--sampled = half: need"),
    (("--sampled", "1/2", "--least-k", "1"), "--least-k = 1: need"),
    (("--sampled", "1/2", "--least-k", "1001"), "--least-k = 1001: need"),
    (("--sampled", "1/2", "--most-k", "9"), "--most-k = 9: need none with --sampled"),
    (("--sampled", "1/2", "--allow-printed"), "--allow-printed = True: need none with --sampled"),
)
def test_the_command_refuses_it_too(words, says, here):
    told = refused("serve", "--demo", "--vehicle", "plate", "--cells", "cells.db", *words)
    assert told.startswith(says)


def test_the_command_needs_a_file_and_a_vehicle(here):
    told = refused("serve", "--demo", "--vehicle", "plate", "--sampled", "1/2", "--cells=:memory:")
    assert told == "--cells = :memory:: need the name of a file"
    told = refused("serve", "--demo", "--vehicle", "plate", "--sampled", "1/2")
    assert told.startswith("--cells is not given: need a file with --sampled")
    told = refused("serve", "--demo", "--cells", "cells.db", "--sampled", "1/2")
    assert told.startswith("--vehicle is not given: need a column with --sampled")
    assert list(here.iterdir()) == []
