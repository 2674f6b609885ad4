"""Inference attacks on social graphs: one attack and the full grid, beside loops over pairs."""

import argparse
import math
import time
from collections.abc import Iterator
from importlib.metadata import version

import networkx as nx
import numpy as np
from common import Row, median, peak_memory

from kproof.models.attacks.inference.base import Background, Prior, adversary_at
from kproof.models.attacks.inference.friends import identify
from kproof.models.graphs.files import read_graph
from kproof.models.graphs.kdegree.method import k_degree
from kproof.models.graphs.social import SocialGraph
from kproof.models.papers.fu_experiment import ParameterGrid, run

LIMIT = 300
"""Seconds for the full grid, one draw for each cell."""


def by_loops(graph: SocialGraph, drawn: Background, victims: int) -> float:
    """Return what MLE takes for some victims of a k-degree release by networkx."""
    release = k_degree(graph, k=6)
    theirs, published = graph.to_networkx(), nx.Graph(map(tuple, release.edges.tolist()))
    known = np.flatnonzero(drawn.known).tolist()
    free = np.flatnonzero(~drawn.known).tolist()
    start = time.perf_counter()
    for victim in free[:victims]:
        friends = theirs[graph.names[victim]]
        bits = [graph.names[user] in friends for user in known]
        for place in free:
            near, log = published[place], 0.0
            for user, bit in zip(known, bits, strict=True):
                shown = user in near
                if bit and not shown:
                    break
                log += math.log(0.9 if bit else 0.1) if shown else 0.0
    return time.perf_counter() - start


def rows(options: argparse.Namespace) -> Iterator[Row]:
    """Yield the figures of attacks; Gowalla if its file is given, else a graph of its size."""
    if options.friends:
        graph = read_graph(options.friends)
    else:
        graph = SocialGraph.from_networkx(nx.barabasi_albert_graph(4_515, 12, seed=0))
    drawn = Background.draw(graph.users, adversary_at("III", lambda2="0.2"))
    release = k_degree(graph, k=6)
    identify(release, drawn)
    found = 20
    peer = by_loops(graph, drawn, found) * np.count_nonzero(~drawn.known) / found
    for prior in Prior:
        spent, _ = median(lambda prior=prior: identify(release, drawn, prior=prior))
        ratio = peer / spent if prior is Prior.ALL else None
        where = "everywhere" if prior is Prior.ALL else "in the victim's class"
        job = f"MLE and BAS, {graph.users:,} users, {where}"
        peer_name = f"networkx {version('networkx')}, MLE alone in loops, from a sample"
        yield Row(job, spent, ratio=ratio, peer=peer_name if ratio else "")
    yield Row("  MLE alone by loops over networkx", peer, note=f"from {found} victims")
    if options.quick:
        return
    grid = ParameterGrid.of(seeds=1)
    spent, measured = median(lambda: run(graph, grid), 1)
    note = f"{len(measured)} cells, both attacks, both priors, one draw each"
    yield Row("full grid: Table III, Figures 6 and 7", spent, LIMIT, note=note)
    yield Row("", None, note=f"peak {peak_memory() / 1e9:.2f} GB")
