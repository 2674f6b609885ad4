"""The FU experiment: cells, resuming, files, orderings, and the bound beside the attack."""

import math
from fractions import Fraction
from operator import attrgetter
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from cases import error_line
from tables import rows_of

from kproof.errors import DataError, InvalidArgument
from kproof.models.attacks.inference.api import infer
from kproof.models.attacks.inference.base import Background, adversary_at
from kproof.models.attacks.inference.bound import bound_beside
from kproof.models.graphs.kdegree.method import k_degree
from kproof.models.graphs.release import seal_clusters
from kproof.models.graphs.social import SocialGraph
from kproof.models.papers import fu_experiment, fu_files, fu_orderings
from kproof.models.papers.fu_experiment import ParameterGrid, means, read, run

GRAPH = SocialGraph.from_networkx(nx.barabasi_albert_graph(60, 2, seed=4))
SMALL = ParameterGrid.of(k=[3, 4, 5], shares=["0.2", "0.4", "0.6"], seeds=2, fixed_k=4)


@pytest.fixture(scope="module")
def measured():
    return run(GRAPH, SMALL)


@pytest.fixture(scope="module")
def saved(measured, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    return fu_files.save(GRAPH, measured, tmp_path_factory.mktemp("saved"))


def test_every_cell_once():
    cells = SMALL.cells
    assert len(set(cells)) == len(cells)
    levels = {(cell.level, bool(cell.lambda1), bool(cell.lambda2)) for cell in cells}
    assert levels == {
        ("I", False, False), ("II", True, False), ("III", False, True), ("IV", True, True)
    }  # fmt: skip
    # Per technique and prior: level I once for each k; II and III each share at k = 4 and the
    # fixed share at the other k; IV five pairs of shares at k = 4. Two draws but for level I.
    assert len(cells) == 3 * 2 * (3 + 2 * (5 + 5 + (5 + 2)))


def test_cells_are_what_the_attack_gives(measured):
    for one in measured[:: len(measured) // 12]:
        cell = one.cell
        if cell.technique != "IA":
            continue
        for attack, value in one.fu.items():
            shares = {"lambda1": cell.lambda1 or None, "lambda2": cell.lambda2 or None}
            asked = {"level": cell.level, "prior": cell.prior, "seed": cell.seed} | shares
            alone = infer(attack, k_degree(GRAPH, k=cell.k), **asked)
            assert (alone.value, len(alone.victims), alone.known) == (value, one.victims, one.known)


def test_a_run_goes_on_where_it_was(tmp_path, measured, monkeypatch):
    few = ParameterGrid.of(
        k=[3, 4], shares=["0.2", "0.4"], seeds=2, fixed_k=4, techniques=["CA", "BE"]
    )
    expected = tuple(one for one in measured if one.cell in set(few.cells))
    assert len(expected) == len(few.cells)
    path = tmp_path / "there" / "measured.jsonl"

    class Stopped(Exception):
        """Stands for whatever ends a process."""

    def stop(done: int, total: int) -> None:
        if done == 20:
            raise Stopped

    with pytest.raises(Stopped):
        run(GRAPH, few, path=path, progress=stop)
    lines = path.read_bytes().splitlines(keepends=True)
    assert len(lines) == 20
    path.write_bytes(b"".join(lines[:-1]) + lines[-1][:30])
    counted = []
    real = fu_experiment.measure

    def counting(*values):
        counted.append(1)
        return real(*values)

    monkeypatch.setattr(fu_experiment, "measure", counting)
    told = []
    again = run(GRAPH, few, path=path, progress=lambda *state: told.append(state))
    total = len(few.cells)
    assert again == expected
    assert len(counted) == total - 19
    assert told == [(done, total) for done in range(1, total + 1)]
    assert run(GRAPH, few, path=path) == expected
    assert len(counted) == total - 19


def test_files_of_something_else_are_refused(tmp_path):
    path = tmp_path / "measured.jsonl"
    grid = ParameterGrid.of(
        k=[2], shares=["0.5"], seeds=1, fixed_k=2, techniques=["CA"], priors=["class"]
    )
    run(GRAPH, grid, path=path)
    other = SocialGraph.from_networkx(nx.path_graph(60))
    assert "line 1: of another graph" in error_line(DataError, read, path, other)
    whole = path.read_text()
    for line in ("[]", "{}", "not JSON", whole.splitlines()[0].replace('"k": 2', '"k": "2"')):
        path.write_text(whole + line + "\n")
        with pytest.raises(DataError, match=r"line \d+: not a measurement of FU"):
            read(path, GRAPH)
    assert "cannot be read" in error_line(DataError, read, tmp_path, GRAPH)
    with pytest.raises(InvalidArgument, match="k = 70: need 2 <= k <= 60"):
        run(GRAPH, ParameterGrid.of(k=[70]))


def test_means_are_over_seeds(measured):
    for (cell, attack), one in means(measured).items():
        same = attrgetter("technique", "k", "level", "lambda1", "lambda2", "prior")
        values = [m.fu[attack] for m in measured if same(m.cell) == same(cell)]
        assert one.count == len(values) == (1 if cell.level == "I" else 2)
        assert one.mean == pytest.approx(float(sum(values) / len(values)))


def test_same_bytes(measured, saved, tmp_path):
    before = {path.name: path.read_bytes() for path in saved}
    # What is known of a class does not depend on what else was measured.
    few = [one for one in measured if one.cell.prior == "class"]
    for path in fu_files.save(GRAPH, few, tmp_path):
        if path.name not in ("means.csv", "table-3.csv"):
            assert path.read_bytes() == before[path.name], path.name


def test_what_is_written(saved, tmp_path):
    names = {"means.csv", "table-3.csv", "bounds.csv"}
    drawings = [(n, prior) for n in (6, 7) for prior in ("class", "all")]
    names |= {f"figure-{n}-{prior}.{form}" for n, prior in drawings for form in ("svg", "png")}
    assert {path.name for path in saved} == names
    folder = saved[0].parent
    rows = rows_of(folder / "means.csv")
    assert len(rows) == 2 * len([cell for cell in SMALL.cells if cell.seed == 0])
    level = [row for row in rows if row["level"] == "I" and row["prior"] == "all"]
    assert {row["mean"] for row in level} == {f"{1 / 60:.9f}"}
    place = str(folder)
    larger, equal, less = fu_orderings.compare("attack", "mle", "bas", folder=place, technique="IA")
    mine = [row for row in rows if row["technique"] == "IA" and row["attack"] == "mle"]
    assert larger + equal + less == len(mine)
    assert less == 0
    assert sum(fu_orderings.trend("k", folder=place, level="I", prior="class")) == 6
    assert fu_orderings.trend("lambda1", folder=place, level="II") == (0, 12, 0, 0)
    assert fu_orderings.count_measures_above(4, folder=place, level="I")[0] == 0
    # Levels are compared at one k: II and III have five cells of each kind, three at k = 4.
    parts = fu_orderings.compare("level", "III", "II", folder=place, technique="CA", prior="class")
    assert sum(parts) == 2 * (3 * 3 + 1 + 1)
    with pytest.raises(DataError, match=r"means\.csv: cannot be read"):
        fu_orderings.trend("k", folder=str(tmp_path / "nowhere"))


def brute_delta(coins: list[float], epsilon: float) -> float:
    """The total variation bound that a normal sum plus Berry-Esseen gives, by numbers."""
    variance = sum(p * (1 - p) for p in coins)
    third = sum(p * (1 - p) * (p**2 + (1 - p) ** 2) for p in coins)
    sigma = math.sqrt(variance)
    x = np.linspace(-12, 12, 20_001) * sigma
    density = np.exp(-(x**2) / 2 / variance) / sigma / math.sqrt(2 * math.pi)
    moved = np.exp(-((x - 1) ** 2) / 2 / variance) / sigma / math.sqrt(2 * math.pi)
    stick = np.maximum(moved - math.exp(epsilon) * density, 0).sum() * (x[1] - x[0])
    constant = 0.5583 if len(set(coins)) > 1 else (math.sqrt(10) + 3) / 6 / math.sqrt(2 * math.pi)
    return float(stick + constant * third / sigma**3 * (1 + math.exp(epsilon)))


def test_the_bound_beside():
    ring = SocialGraph.from_networkx(nx.circulant_graph(40, [1, 2, 3, 4, 5]))
    release = seal_clusters(ring, [user // 20 for user in range(40)], method="m", parameters={})
    beside = bound_beside(release, Background.draw(40, adversary_at("I")))
    coins = [10 / 39] * 20
    best = min(math.exp(e / 10) / 20 + brute_delta(coins, e / 10) for e in range(51))
    assert [one.unknown for one in beside.classes] == [20, 20]
    assert beside.cap == pytest.approx(best, rel=1e-4)
    assert beside.says_something
    assert "says something about 2 of 2 classes" in beside.verdict
    assert float(beside.bound.delta.lower) == pytest.approx(beside.best.delta, rel=1e-3)
    # Two known in the first cluster, none in the other: m counts whom she does not know.
    some = bound_beside(release, Background.draw(40, adversary_at("III", known=[0, 1])))
    assert [one.unknown for one in some.classes] == [18, 20]
    assert some.classes[0].cap > some.classes[1].cap
    assert some.cap == pytest.approx((18 * some.classes[0].cap + 20 * some.classes[1].cap) / 38)
    with pytest.raises(InvalidArgument, match="s = 1/2: need a whole number"):
        bound_beside(release, Background.draw(40, adversary_at("I", s=Fraction(1, 2))))


def test_the_bound_says_nothing_for_small_k():
    release = k_degree(GRAPH, k=3)
    for level, shares in (("I", {}), ("II", {"lambda1": "0.2"}), ("III", {"lambda2": "0.2"})):
        beside = bound_beside(release, Background.draw(60, adversary_at(level, **shares)))
        assert not beside.says_something
        assert beside.cap == 1
        assert "says nothing" in beside.verdict
        assert beside.to_dict()["telling"] == 0
