"""Density-aware cloaking of whole cities, beside one networkx search for each user."""

import argparse
import time
from collections.abc import Iterator
from importlib.metadata import version

import networkx as nx
import numpy as np
from common import Row, median, peak_memory

from kproof.models.places.city.city import City
from kproof.models.places.city.files import read_city
from kproof.models.places.density.method import LEVELS, THRESHOLDS, density
from kproof.theory.reading import PRINTED_OR_CORRECTED, Reading

SIDE, USERS = 1000, 2_000_000
LIMITS = {Reading.PRINTED: 20.0, Reading.CORRECTED: 10.0}


WHOLE, EARLY = "each search of the whole city", "each search stopped early"
BY = f"networkx {version('networkx')} on a sample"


def by_networkx(city: City, users: int, *, whole: bool) -> float:
    """Return what networkx takes for each of some users, from a graph that is there already.

    As one writes it down at first, with the whole city in breadth-first order of which the
    beginning is kept; or stopped as soon as there are enough users.
    """
    graph = city.to_networkx()
    nodes = np.repeat(np.arange(city.nodes), city.users)
    chosen = np.random.default_rng(0).choice(nodes, size=users, replace=False).tolist()
    start = time.perf_counter()
    for node in (city.names[node] for node in chosen):
        near = nx.single_source_shortest_path_length(graph, node, cutoff=1)
        around = sum(graph.nodes[other]["users"] for other in near)
        level = sum(around >= threshold for threshold in THRESHOLDS)
        region, total = [node], graph.nodes[node]["users"]
        edges = nx.bfs_edges(graph, node)
        for _, other in list(edges) if whole else edges:
            if total >= LEVELS[level]:
                break
            region.append(other)
            total += graph.nodes[other]["users"]
    return (time.perf_counter() - start) / users


def cloaking(name: str, city: City, limits: dict[Reading, float], sample: int) -> Iterator[Row]:
    """Every user of a city, and the same by networkx from a sample of users."""
    few = max(3, sample * 100 // city.nodes)
    each = {
        WHOLE: (by_networkx(city, few, whole=True), few),
        EARLY: (by_networkx(city, sample, whole=False), sample),
    }
    for reading, limit in limits.items():
        spent, release = median(lambda reading=reading: density(city, reading=reading))
        note = f"{release.requests - np.count_nonzero(release.insufficient):,} nodes served"
        ratio = each[WHOLE][0] * city.population / spent
        yield Row(f"{reading}, {name}", spent, limit, ratio, note, f"{BY}, {WHOLE}")
        early = each[EARLY][0] * city.population / spent
        yield Row(f"{reading}, {name}", spent, limit, early, note, f"{BY}, {EARLY}")
        spent, _ = median(lambda reading=reading: density(city, reading=reading).anonymity)
        yield Row("  with the pre-image of every region", spent)
    for how, (seconds, users) in each.items():
        note = f"from {users:,} users, {1e6 * seconds:.3g} microseconds each; printed regions"
        ratio = seconds / each[WHOLE][0]
        yield Row(f"  by networkx, {how}", seconds * city.population, None, ratio, note)


def first_call() -> Iterator[Row]:
    """What the first call of a process takes, in which kernels are loaded or compiled."""
    start = time.perf_counter()
    for reading in PRINTED_OR_CORRECTED:
        density(City.grid(5, 5, users=30), reading=reading).anonymity.sum()
    yield Row(
        "first calls of a process", time.perf_counter() - start, note="kernels load or compile"
    )


def rows(options: argparse.Namespace) -> Iterator[Row]:
    """Yield the figures of cities; Pittsburgh only if its files are given."""
    yield from first_call()
    if options.nodes and options.edges:
        spent, city = median(
            lambda: read_city(options.nodes, edges=options.edges, users=25_000, seed=1)
        )
        yield Row(f"reading {options.nodes.name} and {options.edges.name}", spent)
        name = f"{city.nodes:,} nodes, 25,000 users"
        yield from cloaking(name, city, dict.fromkeys(LIMITS, 0.5), options.sample)
    side, users = (SIDE // 10, USERS // 100) if options.quick else (SIDE, USERS)
    spent, city = median(lambda: City.grid(side, side, users=users, seed=1), 1)
    yield Row(f"making a grid of {city.nodes:,} nodes", spent)
    name = f"{city.nodes:,} nodes, {users:,} users"
    yield from cloaking(name, city, LIMITS, options.sample)
    yield Row("", None, note=f"peak {peak_memory() / 1e9:.2f} GB, the graph of networkx included")
