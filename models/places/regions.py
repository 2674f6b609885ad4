"""Cloaked requests: for each request from a node, the region that is published instead.

What a publication promises (connected, enough users, the same for everyone in it) is not decided
here: a release records what was published, whatever it is, so that it can be checked.
"""

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kproof.errors import InvalidArgument
from kproof.forms import JsonForm
from kproof.models.base.adjacency import concatenate, read_only
from kproof.models.base.arrays import Codes, Flags, Span
from kproof.models.base.parameters import format_by_column
from kproof.models.base.verdict import SCHEMA
from kproof.models.places.city.city import City
from kproof.models.tables.writers import inert
from kproof.outputs import replace_file

REGION_COLUMNS = ("region", "k", "node")
"""The columns of a file of regions, as ``kproof anonymize density`` writes it."""

ACCOUNT = (
    "method parameters requests insufficient=_requests_without_region nodes=_nodes "
    "users=_users k=_span_of_k single",
)
"""Members of the JSON form of every release of regions."""


@dataclass(frozen=True, slots=True)
class Single:
    """How many distinct regions say at which crossing their users are, whatever k is."""

    regions: int
    """Distinct regions that are published."""
    of_one_node: int
    """Those that are one node."""
    at_one_node: int
    """Those with users at one node only, the former among them: whoever knows where people are
    knows which."""


@dataclass(frozen=True, eq=False)
class RegionRelease:
    """The regions published for some requests; built by :func:`seal_regions`."""

    city: City
    """Where."""
    targets: Codes = field(repr=False)
    """Shape (requests,): node of each request."""
    k: Codes = field(repr=False)
    """Shape (requests,): users each region has to hold."""
    offsets: Codes = field(repr=False)
    members: Codes = field(repr=False)
    """The nodes of region i are ``members[offsets[i]:offsets[i + 1]]``, in ascending order."""
    insufficient: Flags = field(repr=False)
    """Shape (requests,): requests that no region can serve; their regions are empty."""
    method: str
    """Name of the anonymizer."""
    parameters: Mapping[str, object]
    """What it was asked for."""

    @property
    def requests(self) -> int:
        """Number of requests."""
        return len(self.targets)

    @cached_property
    def sizes(self) -> Codes:
        """Shape (requests,): nodes of each region."""
        return read_only(np.diff(self.offsets))

    @cached_property
    def users(self) -> Codes:
        """Shape (requests,): users in each region."""
        return self._sums(self.city.users)

    @cached_property
    def occupied(self) -> Codes:
        """Shape (requests,): nodes with users of each region."""
        return self._sums(self.city.users > 0)

    def _sums(self, of_node: NDArray[Any]) -> Codes:
        # Regions overlap, so that running sums may leave 64 bits and wrap around. A difference of
        # two of them is right all the same, as a region has 2**53 users at most.
        running = np.concatenate([[0], np.cumsum(of_node[self.members])])
        return read_only(running[self.offsets[1:]] - running[self.offsets[:-1]])

    def region(self, request: int) -> Codes:
        """Return the nodes published for a request, in ascending order."""
        return self.members[self.offsets[request] : self.offsets[request + 1]]

    def distinct(self) -> list[int]:
        """Return one request for each distinct pair of region and k, by the region's first node.

        Neither the order nor the number of the requests shows in it.
        """
        first: dict[tuple[int, bytes], int] = {}
        for request in np.flatnonzero(~self.insufficient).tolist():
            # Members ascend and are of one type: equal regions have equal bytes.
            first.setdefault((int(self.k[request]), self.region(request).tobytes()), request)
        return sorted(first.values(), key=lambda r: (*self.region(r).tolist(), self.k[r]))

    def to_csv(self, path: str | Path) -> int:
        """Write the distinct regions, not who asked, whole or not at all; return how many.

        A row is a number of a region, the users it has to hold, and the name of one of its nodes,
        with an apostrophe before a text that a spreadsheet would run as a formula.
        """
        with replace_file(path) as file:
            return self.write(file)

    def write(self, file: IO[str]) -> int:
        """Write what :meth:`to_csv` does to a file that is open; return the number of regions."""
        requests = self.distinct()
        names = [inert(name) if isinstance(name, str) else name for name in self.city.names]
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(REGION_COLUMNS)
        for number, request in enumerate(requests):
            k = int(self.k[request])
            nodes = self.region(request).tolist()
            writer.writerows((number, k, names[node]) for node in nodes)
        return len(requests)

    def summary(self) -> str:
        """Return what was published and what it took, in a few lines."""
        served = ~self.insufficient
        spread, single = "none", self.single
        if served.any():
            sizes, users = self.sizes[served], self.users[served]
            spread = f"{sizes.min()} to {sizes.max()} nodes, {users.min()} to {users.max()} users"
        return (
            f"method: {self.method}({format_by_column(self.parameters)})\n"
            f"published: {np.count_nonzero(served)} of {self.requests} requests\n"
            f"regions: {spread}\n"
            f"single crossings: {single.of_one_node} of {single.regions} regions are one,"
            f" {single.at_one_node} have users at one only"
        )

    @property
    def _requests_without_region(self) -> int:
        """Requests that no region can serve."""
        return int(np.count_nonzero(self.insufficient))

    @property
    def _nodes(self) -> Span | None:
        """Nodes of a region; None if none was published."""
        return Span.of(self.sizes[~self.insufficient])

    @property
    def _users(self) -> Span | None:
        """Users of a region; None if none was published."""
        return Span.of(self.users[~self.insufficient])

    @property
    def _span_of_k(self) -> Span | None:
        """The k that regions were made for; None without requests."""
        return Span.of(self.k)

    to_dict = JsonForm(*ACCOUNT, schema=SCHEMA)

    @cached_property
    def single(self) -> Single:
        """How many of the distinct regions say at which crossing their users are."""
        requests = self.distinct()
        alone = (np.count_nonzero(of[requests] == 1) for of in (self.sizes, self.occupied))
        return Single(len(requests), *map(int, alone))


def seal_regions(
    city: City,
    targets: ArrayLike,
    regions: Iterable[ArrayLike],
    *,
    k: ArrayLike,
    method: str,
    parameters: Mapping[str, object],
    insufficient: ArrayLike | None = None,
) -> RegionRelease:
    """Close an anonymizer's work: check the arrays against the city and seal them.

    ``targets``, shape (requests,), are node indexes; ``k`` is one number for all or one for each
    request; ``insufficient`` says which requests no region can serve, none unless given. No node is
    in a region twice.

    >>> city = City.of([1, 2, 3], [(0, 1), (1, 2)])
    >>> release = seal_regions(city, [0], [[1, 0]], k=3, method="by hand", parameters={})
    >>> release.region(0).tolist(), release.users.tolist()
    ([0, 1], [3])
    """
    _, nodes = concatenate("targets", [targets], below=city.nodes)
    parts = [np.sort(np.asarray(region, dtype=np.int64).reshape(-1)) for region in regions]
    if len(parts) != len(nodes):
        raise InvalidArgument("regions", f"{len(parts)} regions", f"one for {len(nodes)} targets")
    for part in parts:
        # A node that is in a region twice would count its users twice.
        if (part[1:] == part[:-1]).any():
            twice = int(part[:-1][part[1:] == part[:-1]][0])
            raise InvalidArgument("regions", f"node {twice} twice", "every node at most once")
    offsets, members = concatenate("regions", parts, below=city.nodes)
    none = np.zeros(len(nodes), dtype=np.bool_)
    flagged: Flags = none if insufficient is None else np.array(insufficient, np.bool_)
    levels = np.asarray(k, dtype=np.int64)
    if flagged.shape != nodes.shape:
        raise InvalidArgument("insufficient", flagged.shape, f"shape ({len(nodes)},)")
    if levels.ndim and levels.shape != nodes.shape:
        raise InvalidArgument("k", levels.shape, f"one number or shape ({len(nodes)},)")
    flagged.flags.writeable = False
    return RegionRelease(
        city=city,
        targets=nodes,
        k=read_only(np.broadcast_to(levels, nodes.shape)),
        offsets=offsets,
        members=members,
        insufficient=flagged,
        method=method,
        parameters=dict(parameters),
    )
