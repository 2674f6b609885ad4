"""Published social graphs as files, without names and in an order that tells none.

Users come in the order of their names, and clusters in the order in which they were made, so that
a number would say who somebody is. What is written has numbers drawn at random; which user has
which is a file of its own, for the publisher.
"""

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np

from kproof.errors import InvalidArgument
from kproof.models.base.arrays import Codes
from kproof.models.base.missing import text
from kproof.models.base.parameters import SEED
from kproof.models.base.verdict import SCHEMA
from kproof.models.graphs.release import ClusterRelease, GraphRelease, SupergraphRelease
from kproof.models.tables.writers import inert
from kproof.outputs import Access, replace_file, together

FORMATS: Mapping[type, tuple[str, ...]] = {
    SupergraphRelease: (".tsv", ".csv", ".graphml"),
    ClusterRelease: (".json", ".graphml"),
}
"""Endings of files in which each form of release can be written."""


def number_vertices(release: GraphRelease, *, seed: object = None) -> Codes:
    """Return the number under which each published vertex or cluster is written.

    Without a seed it takes fresh randomness of the system, which is what keeps numbers from being
    traced back; whoever knows a seed can.
    """
    start = None if seed is None else SEED.read(seed)
    count = release.count if isinstance(release, ClusterRelease) else len(release.vertices)
    return np.random.default_rng(start).permutation(count).astype(np.int64)


def check_format(path: str | Path, form: type) -> None:
    """Raise InvalidArgument unless a name ends as :data:`FORMATS` has it for a form of release."""
    if Path(path).suffix.lower() not in FORMATS[form]:
        raise InvalidArgument("output", path, f"a name ending in {' or '.join(FORMATS[form])}")


def write_graph(
    path: str | Path, release: GraphRelease, numbers: Codes, *, key: str | Path | None = None
) -> None:
    """Write what is published, under its :func:`number_vertices`: whole, or not at all.

    A graph becomes a list of edges (with its number of vertices in a comment, since some may have
    no edge), clusters become a JSON document, and either can be GraphML, as the ending says.
    ``key`` is a CSV file for the publisher to keep, which only its owner may read: which user has
    which number. Vertices that stand for nobody and users who are left out are not in it.
    """
    check_format(path, type(release))
    suffix = Path(path).suffix.lower()
    # A graph whose key was not written would be nobody's for good, even for its publisher.
    with together():
        if key is not None:
            with replace_file(key, access=Access.OWNER) as file:
                _key(file, release, numbers)
        with replace_file(path) as file:
            if suffix == ".graphml":
                _graphml(file, release, numbers)
            elif isinstance(release, ClusterRelease):
                _clusters(file, release, numbers)
            else:
                _edges(file, release, numbers, "\t" if suffix == ".tsv" else ",")


def _key(file: IO[str], release: GraphRelease, numbers: Codes) -> None:
    if isinstance(release, ClusterRelease):
        column, of_user = "cluster", release.cluster_of.tolist()
        pairs = [(user, cluster) for user, cluster in enumerate(of_user) if cluster >= 0]
    else:
        column, of_vertex = "vertex", release.vertices.tolist()
        pairs = [(user, vertex) for vertex, user in enumerate(of_vertex) if user >= 0]
    names = [inert(text(name)) for name in release.graph.names]
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(("user", column))
    writer.writerows((names[user], numbers[number]) for user, number in pairs)


def _renumber(pairs: Codes, numbers: Codes) -> tuple[Codes, Codes]:
    """Return pairs under their new numbers, sorted, and the order they were taken in."""
    # Both within a pair and among pairs: what comes first could tell the order of names.
    ends = np.sort(numbers[pairs], axis=1).reshape(-1, 2)
    order = np.lexsort((ends[:, 1], ends[:, 0]))
    return ends[order], order


def _edges(file: IO[str], release: SupergraphRelease, numbers: Codes, separator: str) -> None:
    file.write(f"# vertices 0 to {len(release.vertices) - 1}\n")
    ends, _ = _renumber(release.edges, numbers)
    file.writelines(f"{u}{separator}{v}\n" for u, v in ends.tolist())


def _clusters(file: IO[str], release: ClusterRelease, numbers: Codes) -> None:
    ends, order = _renumber(release.joined, numbers)
    pairs = zip(ends.tolist(), release.weights[order].tolist(), strict=True)
    between = [{"clusters": pair, "weight": weight} for pair, weight in pairs]
    clusters = _figures(release, numbers)
    json.dump({"schema": SCHEMA, "clusters": clusters, "between": between}, file, indent=1)
    file.write("\n")


def _figures(release: ClusterRelease, numbers: Codes) -> list[dict[str, object]]:
    """Return size, inner friendships and labels of each cluster, in the order of the numbers."""
    return [
        {"size": int(release.sizes[cluster]), "inner": int(release.inner[cluster])}
        | ({"labels": release.labels(cluster)} if release.attributes else {})
        # Sorting a permutation inverts it: the cluster that has number 0 comes first.
        for cluster in np.argsort(numbers).tolist()
    ]


def _graphml(file: IO[str], release: GraphRelease, numbers: Codes) -> None:
    import networkx as nx

    graph = nx.Graph()
    if isinstance(release, ClusterRelease):
        for number, figures in enumerate(_figures(release, numbers)):
            labels: Any = figures.pop("labels", {})
            attributes = {f"label {name}": label for name, label in labels.items()}
            graph.add_node(number, **figures, **attributes)
        ends, order = _renumber(release.joined, numbers)
        weights = release.weights[order].tolist()
        graph.add_weighted_edges_from(
            (*pair, weight) for pair, weight in zip(ends.tolist(), weights, strict=True)
        )
    else:
        graph.add_nodes_from(range(len(release.vertices)))
        graph.add_edges_from(_renumber(release.edges, numbers)[0].tolist())
    file.writelines(f"{line}\n" for line in nx.generate_graphml(graph))
