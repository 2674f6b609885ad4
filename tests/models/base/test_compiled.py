"""Kernels as they are written and compiled: both do the same, and little work compiles nothing."""

import os
import signal
import sys
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from importlib import import_module, invalidate_caches
from pkgutil import walk_packages
from typing import Any

import networkx as nx
import numpy as np
import pytest
from numba import config
from random_nets import random_net

import kproof
from kproof.models.base import compiled as compiling
from kproof.models.base.columns import Column
from kproof.models.base.compiled import PATIENCE, Kernel, compile_kernel
from kproof.models.base.taxonomy import Taxonomy
from kproof.models.graphs.social import SocialGraph
from kproof.models.places.city.city import City
from kproof.models.places.heatmap.files import geojson
from kproof.models.places.points import Points
from kproof.models.tables.kaca.fixed import FixedCells, TollRecords
from kproof.models.tables.table import Table
from kproof.petri.logic.ctl_check import attractor_of, walk
from kproof.petri.net.colours import Integers
from kproof.petri.net.net import NetBuilder
from kproof.petri.net.terms import Constant
from kproof.petri.spaces.explore import explore
from kproof.petri.spaces.space import Budget, graph_of

DRAW = np.random.default_rng(4)
TREE = Taxonomy.from_paths([("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*"), ("d", "*")])


def column(name: str, values: Sequence[object], *, tree: Taxonomy | None = None) -> Column:
    codes = DRAW.integers(0, len(values), 300).astype(np.int32)
    return Column(name, codes, tuple(values), isinstance(values, range), taxonomy=tree)


TABLE = Table(
    300,
    (column("age", range(20, 60)), column("place", "abcd", tree=TREE)),
    column("illness", "abcdefghi"),
    categories={name: name in "abcd" for name in "abcdefghi"},
)
GRAPH = SocialGraph.from_networkx(nx.barabasi_albert_graph(80, 2, seed=2))
AGED = SocialGraph.from_edges(
    DRAW.integers(0, 60, (150, 2)).tolist(),
    users=range(60),
    attributes={"age": DRAW.integers(0, 50, 60).tolist(), "town": DRAW.choice([*"abc"], 60)},
)


def lines() -> None:
    FixedCells(
        TollRecords(
            day=np.sort(DRAW.integers(0, 4, 300)),
            hour=DRAW.integers(0, 24, 300),
            section=DRAW.integers(0, 4, 300),
            sections=("G1", "G12", "S1", "S2"),
            count=np.ones(300, dtype=np.int64),
            cents=DRAW.integers(0, 900, 300),
            vehicle=DRAW.integers(-1, 90, 300),
        ),
        most=7,
    )


def tables(method: str, **asked: Any) -> None:
    kproof.anonymize(method, TABLE, **asked)


def thetas() -> None:
    for form in ("compact", "diverse"):
        tables("theta-sensitive", k=6, form=form)


def mondrians() -> None:
    tables("mondrian", k=3, cuts="median")
    tables("mondrian", k=3, l=2, t="1/2", mu="1/2", cuts="median")


def cuts() -> None:
    tables("kaca", k=4)
    tables("mondrian", k=3)
    tables("mondrian", k=3, l=2, t="1/2", mu="1/2")


def levels() -> None:
    table = replace(TABLE, quasi_identifiers=TABLE.quasi_identifiers[1:])
    kproof.anonymize("full-domain", table, k=3)


def cities() -> None:
    city = City.grid(9, 9, users=150, seed=1)
    for reading in ("printed", "corrected"):
        assert len(kproof.anonymize("density", city, reading=reading, depth="adaptive").anonymity)


def heat_maps() -> None:
    lat, lon = DRAW.normal(48, 0.01, 400), DRAW.normal(11, 0.01, 400)
    users = DRAW.integers(0, 90, 400).tolist()
    assert geojson(kproof.anonymize("quadtree", Points.of(lat, lon, users=users), min_k=5))


def walks() -> None:
    for _ in range(20):
        states, arcs = 30, 50
        starts = np.concatenate([[0], np.sort(DRAW.integers(0, arcs, states - 1)), [arcs]])
        targets = DRAW.integers(0, states, arcs).astype(np.int32)
        goal, allowed = DRAW.random(states) < 0.1, DRAW.random(states) < 0.8
        inverse = graph_of(starts, targets).tocsc()
        begins, origins = (one.astype(np.int64) for one in (inverse.indptr, inverse.indices))
        attractor_of(begins, origins, goal, allowed, np.diff(starts))
        walk(starts, targets, DRAW.random(arcs) < 0.9, np.array([0, 5]), goal)


def searches() -> None:
    build = NetBuilder("doubling")
    numbers = Integers("Digit", 0, 2)
    build.place("Many", numbers, Constant(0, numbers))
    build.transition(
        "double", takes={"Many": Constant(0, numbers)}, puts={"Many": 9 * Constant(1, numbers)}
    )
    build.transition(
        "join", takes={"Many": 2 * Constant(1, numbers)}, puts={"Many": 40 * Constant(2, numbers)}
    )
    for net in (build.net(), *map(random_net, range(20))):
        space = explore(net, engine="packed", budget=Budget(states=300))
        assert space.find(space.marking(space.states - 1)) == space.states - 1
        space.extremes(net.places[0].name, int)


def depths() -> None:
    for net in map(random_net, range(12)):
        explore(net, order="depth", budget=Budget(states=200))


JOBS = {
    "models.places.density.kernel": cities,
    "models.tables.theta.forming_kernel": thetas,
    "models.tables.cutting.kernel": cuts,
    "models.tables.fulldomain.kernel": levels,
    "models.tables.kaca.line": lines,
    "models.tables.kaca.hierarchical": lambda: tables("kaca-hierarchical", k=4),
    "models.graphs.kdegree.kernel": lambda: kproof.anonymize("k-degree", GRAPH, k=4) and None,
    "models.tables.mondrian.kernel": mondrians,
    "models.places.heatmap.outline_kernel": heat_maps,
    "models.places.heatmap.quadtree_kernel": heat_maps,
    "models.graphs.sangreea.kernel": lambda: kproof.anonymize("sangreea", AGED, k=4) and None,
    "models.tables.topdown.kernel": lambda: tables("p-plus-sensitive", p=2, k=4),
    "models.tables.theta.kernel": thetas,
    "petri.logic.ctl_check": walks,
    "petri.spaces.orders": depths,
    "petri.spaces.packed_kernel": searches,
}


def kernels() -> dict[str, dict[str, Kernel[..., Any]]]:
    found = {}
    for room in (kproof.models, kproof.petri):
        for module in walk_packages(room.__path__, f"{room.__name__}."):
            for name, value in vars(import_module(module.name)).items():
                if isinstance(value, Kernel) and value.plain.__module__ == module.name:
                    found.setdefault(module.name.removeprefix("kproof."), {})[name] = value
    return found


def same(one: Any, other: Any) -> bool:
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other)
    return bool(one == other)


def test_every_kernel_is_run_both_ways():
    assert kernels().keys() == JOBS.keys()


@pytest.mark.parametrize("module", JOBS)
def test_as_written_and_compiled_do_the_same(module, monkeypatch):
    def twice(kernel: Kernel[..., Any], *args: Any) -> Any:
        if kernel not in wanted:
            return as_it_is(kernel, *args)
        again = deepcopy(args)
        found, compiled_found = as_it_is(kernel, *args), kernel.fast(*again)
        assert same(found, compiled_found)
        assert same(args, again), "what is changed in place"
        run.add(kernel)
        return found

    monkeypatch.setattr(compiling, "PATIENCE", 10**12)
    as_it_is = Kernel.__call__
    wanted, run = set(kernels()[module].values()), set()
    monkeypatch.setattr(Kernel, "__call__", twice)
    JOBS[module]()
    assert run == wanted


def halved(number: int) -> int:
    return number // 2


def test_a_kernel_is_compiled_after_enough_steps():
    def halves(count: int, number: int) -> int:
        return sum_of(count, number)

    kernel = compile_kernel(steps=lambda count: count)(halves)
    vars(kernel)["fast"] = lambda count, number: -1
    assert kernel(PATIENCE // 2, 5) == kernel(PATIENCE // 2, number=5) == PATIENCE // 2 * 2
    assert kernel(1, 5) == kernel(0, 5) == -1


def test_a_compiled_kernel_is_not_interrupted_but_whoever_called_it_is():
    """Interrupted while it made its result, machine code went on without it, and crashed."""
    ended = []

    def interrupted(number: int) -> int:
        signal.raise_signal(signal.SIGINT)
        ended.append(number)
        return number

    kernel = compile_kernel(steps=lambda: PATIENCE + 1)(lambda number: number)
    vars(kernel)["fast"] = interrupted
    # A shell has what it runs in the background ignore interruptions.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            kernel(5)
    finally:
        signal.signal(signal.SIGINT, before)
    assert ended == [5]


def sum_of(count: int, number: int) -> int:
    return count * halved(number)


def test_helpers_are_compiled_with_the_kernel():
    kernel = compile_kernel(steps=lambda count: count)(sum_of)
    assert kernel(3, 5) == kernel.fast(3, 5) == 6


def test_overflow_is_a_warning_unless_it_is_meant():
    def squared(number: int) -> int:
        return number * number

    large = np.int64(2**62)
    with pytest.warns(RuntimeWarning, match="overflow"):
        compile_kernel(steps=lambda: 1)(squared)(large)
    assert compile_kernel(steps=lambda: 1, modular=True)(squared)(large) == 0


@pytest.mark.parametrize("apart", [False, True], ids=["beside the source", "in a folder apart"])
def test_machine_code_on_disk_belongs_to_the_text_of_all_files_that_it_is_made_from(
    apart, tmp_path, monkeypatch
):
    """What was compiled with other helpers would run on, or fail where a result has changed."""

    def result() -> tuple[object, int]:
        for name in [name for name in sys.modules if name.startswith("changing")]:
            del sys.modules[name]
        invalidate_caches()
        kernel = import_module("changing.kernel").kernel
        return kernel.fast(3), sum(kernel.fast.stats.cache_hits.values())

    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "code") if apart else "")
    checkout, later = tmp_path / "checkout", tmp_path / "later"
    folder = checkout / "changing"
    folder.mkdir(parents=True)
    monkeypatch.syspath_prepend(checkout)
    (folder / "__init__.py").touch()
    (folder / "kernel.py").write_text(
        "from changing.near import near\nfrom kproof.models.base.compiled import compile_kernel\n\n"
        "@compile_kernel(steps=lambda number: number)\n"
        "def kernel(number):\n    return near(number)\n"
    )
    (folder / "near.py").write_text(
        "from changing.far import far\n\ndef near(number):\n    return far(number)\n"
    )
    (folder / "far.py").write_text("def far(number):\n    return number + 1\n")
    assert result() == (4, 0)
    assert result() == (4, 1), "nothing has changed"
    for file in folder.glob("*.py"):
        os.utime(file, (1, 1))
    assert result() == (4, 1), "the files are as they were, whenever they were written"
    checkout.rename(later)
    monkeypatch.syspath_prepend(later)
    assert result() == (4, 1), "another checkout has the same files"
    (later / "changing" / "far.py").write_text("def far(number):\n    return number + 100\n")
    assert result() == (103, 0)
