"""Simple undirected graphs as two arrays: the neighbours of each node, one list after another.

Roads and friendships are both this. Nodes are 0, ..., n - 1 here; what they are called is the
business of :mod:`kproof.models.places.city.city` and :mod:`kproof.models.graphs.social`.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kproof.errors import InvalidArgument
from kproof.models.base.arrays import Codes, renumber


@dataclass(frozen=True, eq=False)
class Adjacency:
    """Neighbours of every node in compressed rows; built by :func:`adjacency`."""

    offsets: Codes = field(repr=False)
    """Shape (n + 1,): the neighbours of node i are ``neighbours[offsets[i]:offsets[i + 1]]``."""
    targets: Codes = field(repr=False)
    """Shape (2 m,): those neighbours, ascending for each node; every edge is there twice."""
    merged: int = 0
    """Edges that were given again, in whatever direction, and are there once."""
    loops: int = 0
    """Edges from a node to itself that were given and are left out."""

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return len(self.offsets) - 1

    @property
    def count(self) -> int:
        """Number of edges."""
        return len(self.targets) // 2

    @cached_property
    def degrees(self) -> Codes:
        """Shape (n,): number of neighbours of each node."""
        return read_only(np.diff(self.offsets))

    @cached_property
    def edges(self) -> Codes:
        """Shape (m, 2): every edge once, the smaller node first, in ascending order."""
        source = np.repeat(np.arange(self.nodes, dtype=np.int64), self.degrees)
        forward = source < self.targets
        return read_only(np.column_stack([source[forward], self.targets[forward]]))

    @cached_property
    def components(self) -> tuple[Codes, int]:
        """Component of each node, numbered by their first nodes, and how many there are."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        if not self.nodes:
            return read_only(np.zeros(0)), 0
        units, shape = np.ones(len(self.targets), dtype=np.int8), (self.nodes, self.nodes)
        roads = csr_array((units, self.targets, self.offsets), shape=shape)
        count, of_node = connected_components(roads, directed=False)
        # SciPy promises no order of its numbers.
        return read_only(renumber(of_node)[0]), int(count)

    def neighbours(self, node: int) -> Codes:
        """Return the neighbours of a node in ascending order."""
        return self.targets[self.offsets[node] : self.offsets[node + 1]]

    def joins(self, node: int, neighbour: int) -> bool:
        """Say whether two nodes are neighbours."""
        near = self.neighbours(node)
        place = int(np.searchsorted(near, neighbour))
        return place < len(near) and int(near[place]) == neighbour


def adjacency(nodes: int, edges: ArrayLike | Iterable[tuple[int, int]]) -> Adjacency:
    """Build the compressed rows from pairs of nodes in any order and direction.

    Pairs that say the same count as one, loops are left out, and both are counted.

    >>> star = adjacency(4, [(0, 1), (0, 2), (2, 0), (3, 3)])
    >>> star.neighbours(0).tolist(), star.degrees.tolist(), star.merged, star.loops
    ([1, 2], [2, 1, 1, 0], 1, 1)
    """
    pairs = node_pairs("edges", edges, nodes)
    loops = pairs[:, 0] == pairs[:, 1]
    # The smaller node first, so that both directions of an edge are one key.
    straight = np.sort(pairs[~loops], axis=1)
    # Nodes are far fewer than 2^31, so that a pair is one 64-bit key.
    keys = np.unique(straight[:, 0] * nodes + straight[:, 1])
    low, high = np.divmod(keys, max(nodes, 1))
    source, target = np.concatenate([low, high]), np.concatenate([high, low])
    order = np.lexsort((target, source))
    offsets = np.zeros(nodes + 1, dtype=np.int64)
    np.cumsum(np.bincount(source, minlength=nodes), out=offsets[1:])
    merged, count = len(straight) - len(keys), int(np.count_nonzero(loops))
    return Adjacency(read_only(offsets), read_only(target[order]), merged, count)


def node_pairs(name: str, pairs: Any, nodes: int) -> Codes:
    """Return pairs of node indexes from 0 to nodes - 1 as an array of shape (pairs, 2)."""
    listed = pairs if isinstance(pairs, np.ndarray) else list(pairs)
    # Of no pairs NumPy makes floats of shape (0,), which would be refused below.
    if not len(listed):
        return np.zeros((0, 2), dtype=np.int64)
    inside = f"pairs of nodes from 0 to {nodes - 1}"
    admissible = inside if nodes else "no edges, as there are no nodes"
    try:
        array: NDArray[Any] = np.asarray(listed)
    except ValueError:  # rows of different lengths
        raise InvalidArgument(name, "rows of different lengths", admissible) from None
    # Cast to whole numbers, True would be node 1, and 1.5 as well.
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu":
        raise InvalidArgument(name, listed[0], admissible)
    outside = np.flatnonzero(((array < 0) | (array >= nodes)).any(axis=1))
    if len(outside):
        raise InvalidArgument(name, tuple(array[outside[0]].tolist()), admissible)
    return array.astype(np.int64)


def concatenate(name: str, lists: Iterable[ArrayLike], *, below: int) -> tuple[Codes, Codes]:
    """Put lists of indexes one after another: offsets, shape (lists + 1,), and members.

    >>> offsets, members = concatenate("regions", [[2, 0], [], [1]], below=3)
    >>> offsets.tolist(), members.tolist()
    ([0, 2, 2, 3], [2, 0, 1])
    """
    arrays = [np.asarray(indexes, dtype=np.int64).reshape(-1) for indexes in lists]
    offsets = np.zeros(len(arrays) + 1, dtype=np.int64)
    np.cumsum([len(array) for array in arrays], out=offsets[1:])
    # NumPy refuses to join no arrays at all, and there may be no list.
    members = np.concatenate([np.zeros(0, dtype=np.int64), *arrays])
    outside = members[(members < 0) | (members >= below)]
    if len(outside):
        raise InvalidArgument(name, int(outside[0]), f"indexes from 0 to {below - 1}")
    return read_only(offsets), read_only(members)


def read_only(array: ArrayLike) -> Codes:
    """Return a read-only copy in 64-bit integers."""
    copy = np.array(array, dtype=np.int64)
    copy.flags.writeable = False
    return copy
