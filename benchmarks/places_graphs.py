"""Social graphs: clusters, k-degree anonymity and sets of least bound, beside networkx."""

import argparse
import time
from collections.abc import Iterator
from importlib.metadata import version

import networkx as nx
import numpy as np
from common import Row, median, peak_memory

from kproof.models.base.adjacency import adjacency
from kproof.models.graphs.baseline.method import baseline, baseline_set
from kproof.models.graphs.files import read_graph
from kproof.models.graphs.kdegree.method import additions, k_degree
from kproof.models.graphs.loss import graph_loss
from kproof.models.graphs.sangreea.method import sangreea
from kproof.models.graphs.social import SocialGraph
from kproof.models.tables.encoding import encode

MANY, MILLION, FRIENDS = 100_000, 1_000_000, 10
BY = f"networkx {version('networkx')}"


def people(users: int, *, attributes: bool = False) -> SocialGraph:
    """Return users of whom few have most friends, with 20 friends each on average."""
    rng = np.random.default_rng(0)
    shares = np.cumsum(np.arange(1, users + 1) ** -0.6)
    ends = np.searchsorted(shares / shares[-1], rng.random((users * FRIENDS, 2)))
    columns = ()
    if attributes:
        ages = rng.integers(0, 80, users)
        towns = rng.integers(0, 50, users)
        columns = (
            encode("age", ages, list(range(80))),
            encode("town", towns, [f"town {town:02}" for town in range(50)]),
        )
    names = tuple(range(users))
    return SocialGraph(names, adjacency(users, np.minimum(ends, users - 1)), columns)


def distances_by_networkx(graph: SocialGraph, pairs: int) -> float:
    """Return what one structural distance takes from the neighbours that networkx keeps."""
    theirs = graph.to_networkx()
    chosen = np.random.default_rng(0).integers(0, graph.users, (pairs, 2)).tolist()
    start = time.perf_counter()
    for one, other in chosen:
        mine = set(theirs[graph.names[one]])
        len(mine.symmetric_difference(theirs[graph.names[other]]) - {one, other})
    return (time.perf_counter() - start) / pairs


def degrees_by_networkx(graph: SocialGraph, k: int) -> float:
    """Return what it takes to find the degrees and join one missing pair after another."""
    theirs = graph.to_networkx()
    start = time.perf_counter()
    order = sorted(theirs, key=lambda user: -theirs.degree(user))
    falling = [theirs.degree(user) for user in order]
    least: list[float] = [0.0] + [float("inf")] * len(order)
    begins = [0] * (len(order) + 1)
    for end in range(k, len(order) + 1):
        for first in range(max(0, end - 2 * k + 1), end - k + 1):
            cost = least[first] + sum(falling[first] - one for one in falling[first:end])
            if cost < least[end]:
                least[end], begins[end] = cost, first
    missing, end = {}, len(order)
    while end:
        first = begins[end]
        missing |= {user: falling[first] - theirs.degree(user) for user in order[first:end]}
        end = first
    while any(missing.values()):
        user = max(missing, key=missing.__getitem__)
        others = [one for one in missing if missing[one] and one != user]
        free = sorted((one for one in others if not theirs.has_edge(user, one)), key=missing.get)
        for other in free[-missing[user] :]:
            theirs.add_edge(user, other)
            missing[other] -= 1
        missing[user] = 0  # whom nobody is left for is given up
    return time.perf_counter() - start


def real(graph: SocialGraph) -> Iterator[Row]:
    """What a graph of some thousand users takes."""
    name = f"{graph.users:,} users"
    pairs = graph.users * (graph.users - 1) // 2
    each = distances_by_networkx(graph, 20_000)
    for k in (6, 25):
        spent, release = median(lambda k=k: sangreea(graph, k=k))
        lost = float(graph_loss(release).structure)
        ratio = each * pairs / spent
        note = f"NSIL {lost:.4f}"
        yield Row(
            f"sangreea, {name}, k = {k}",
            spent,
            1,
            ratio,
            note,
            f"{BY}, a distance a pair, from a sample",
        )
    note = f"{pairs:,} distances of {1e6 * each:.3g} microseconds, from a sample"
    yield Row("  one distance for each pair by networkx", each * pairs, note=note)
    peer = degrees_by_networkx(graph, 25)
    for k in (6, 25):
        spent, _ = median(lambda k=k: k_degree(graph, k=k))
        found = additions(graph, k)
        note = f"{len(found.edges):,} edges added, {found.least:,} would be the least sum"
        ratio = peer / spent if k == 25 else None
        yield Row(f"k-degree, {name}, k = {k}", spent, 2, ratio, note, f"plain Python on {BY}")
    yield Row(
        "  plain Python on networkx, k = 25", peer, note="one attempt, which need not succeed"
    )
    spent, _ = median(lambda: baseline(graph, k=6))
    yield Row(f"baseline, {name}, k = 6", spent)
    for k in (3, 6):
        spent, found = median(lambda k=k: baseline_set(graph, graph.names[-1], k=k))
        note = f"delta {found.delta:.3f} before it is cut at 1, gap {found.gap:.2g}"
        yield Row(f"  the set of one user, k = {k}", spent, note=note)


def large() -> Iterator[Row]:
    """What many users take."""
    graph = people(MANY, attributes=True)
    plain = SocialGraph(graph.names, graph.friends)
    each = distances_by_networkx(plain, 20_000)
    distances = each * MANY * (MANY - 1) / 2
    spent, _ = median(lambda: sangreea(plain, k=6), 1)
    ratio = distances / spent
    yield Row(
        f"sangreea, {MANY:,} users",
        spent,
        300,
        ratio,
        peer=f"{BY}, a distance a pair, from a sample",
    )
    spent, _ = median(lambda: sangreea(graph, k=6), 1)
    yield Row("  with two attributes", spent, 300)
    graph = people(MILLION)
    for k in (6, 25):
        spent, release = median(lambda k=k: k_degree(graph, k=k), 1)
        note = (
            f"{len(release.edges) - graph.friends.count:,} edges added to {graph.friends.count:,}"
        )
        yield Row(f"k-degree, {MILLION:,} users, k = {k}", spent, 60, note=note)


def rows(options: argparse.Namespace) -> Iterator[Row]:
    """Yield the figures of social graphs; Gowalla only if its file is given."""
    start = time.perf_counter()
    few = SocialGraph.from_networkx(nx.cycle_graph(9))
    sangreea(few, k=2)
    k_degree(few, k=2)
    baseline(few, k=2)
    spent = time.perf_counter() - start
    yield Row("first calls of a process", spent, note="kernels load or compile")
    if options.friends:
        spent, graph = median(lambda: read_graph(options.friends))
        yield Row(f"reading {options.friends.name}", spent)
        yield from real(graph)
    if not options.quick:
        yield from large()
    yield Row("", None, note=f"peak {peak_memory() / 1e9:.2f} GB, the graph of networkx included")
