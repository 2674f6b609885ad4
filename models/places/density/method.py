"""Density-aware adaptive k-anonymity: where few people are, a cloaking region has to hold more.

The density around a node, the users within a few hops, selects k; the region of a request is a
connected set of nodes with at least k users. Two readings of the method answer a
request:

**printed**, as the method is described: breadth first from the node of the request, node by node,
neighbours in the order of the city's nodes, until the region has k users. The region is then a
function of the node, and whoever runs the method backwards is left with the few nodes that have
this very region: its pre-image.

**corrected**, the default: the city is cut into connected cells once, each with the users that
everyone in it asks for, and a region is the whole cell. Everyone in a cell gets the same answer,
so that its pre-image is the cell, and its k says nothing that the cell does not.

k users at one crossing cannot be told apart, and a region with users at one node says where they
are. A region has to have users at ``least_nodes`` nodes.

What a region has to hold: the density around a node selects k; crossings are a floor.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress, pairwise

import numpy as np

from kproof.errors import InvalidArgument, TooLarge
from kproof.forms import JsonForm, group
from kproof.models.base.adjacency import read_only
from kproof.models.base.arrays import Codes, Flags
from kproof.models.base.verdict import SCHEMA
from kproof.models.places.city.city import City
from kproof.models.places.density.kernel import cells, densities, grow_regions, preimages
from kproof.models.places.regions import ACCOUNT, RegionRelease
from kproof.theory.exact.typed import Number, choice, integer
from kproof.theory.reading import PRINTED_OR_CORRECTED, Reading

THRESHOLDS = (4, 10)
"""Densities from which a node is of medium and of high density."""

LEVELS = (10, 5, 2)
"""The k of a node of low, medium and high density."""

LARGEST = 2**53
"""Largest number that a demand is made of."""

BALL = 5
"""Nodes within one hop of an inner node of a grid, itself included; what adaptive depth aims at."""


@dataclass(frozen=True)
class Demand:
    """What a region has to hold: users, by the density around the request's node, and nodes."""

    depth: int | None = 1
    """Hops within which users count; None for adaptive: as many as it takes to have
    :data:`BALL` nodes, of which the users are scaled to :data:`BALL` nodes."""
    thresholds: tuple[int, ...] = THRESHOLDS
    """Rising densities that part the classes."""
    levels: tuple[int, ...] = LEVELS
    """The k of each class, one more than thresholds."""
    k: int = 1
    """Least k of all classes."""
    least_nodes: int = 1
    """Fewest nodes with users of a region. Where all its users are at one node, whoever knows
    where people are knows where the request is from, however many they are."""

    @classmethod
    def of(
        cls,
        *,
        depth: Number = 1,
        thresholds: Iterable[Number] | Number = THRESHOLDS,
        levels: Iterable[Number] | Number = LEVELS,
        k: Number = 1,
        least_nodes: Number = 1,
    ) -> Demand:
        """Read a demand as it was typed; several numbers may be a text, separated by commas.

        >>> Demand.of(thresholds="3,8,20", levels="20,10,5,2", k=4).classes([0, 8, 21]).tolist()
        [0, 2, 3]
        """
        hops = None if depth == "adaptive" else integer("depth", depth, least=0, most=LARGEST)
        steps = _numbers("thresholds", thresholds, least=0)
        k_levels = _numbers("levels", levels, least=1)
        if any(step >= following for step, following in pairwise(steps)):
            raise InvalidArgument("thresholds", steps, "rising whole numbers")
        if len(k_levels) != len(steps) + 1:
            admissible = f"{len(steps) + 1} numbers, one more than thresholds"
            raise InvalidArgument("levels", k_levels, admissible)
        smallest, nodes = (
            integer(name, value, least=1, most=LARGEST)
            for name, value in (("k", k), ("least_nodes", least_nodes))
        )
        return cls(hops, steps, k_levels, smallest, nodes)

    def density(self, city: City) -> Codes:
        """Return the users around each node.

        >>> street = City.of([1, 2, 4, 8], [(0, 1), (1, 2), (2, 3)])
        >>> Demand().density(street).tolist(), Demand(depth=0).density(street).tolist()
        ([3, 7, 14, 12], [1, 2, 4, 8])
        """
        roads, ball = city.roads, BALL if self.depth is None else 0
        return read_only(densities(roads.offsets, roads.targets, city.users, self.depth or 0, ball))

    def classes(self, density: Sequence[int] | Codes) -> Codes:
        """Return the class of each density: 0 is the lowest."""
        return read_only(np.searchsorted(np.array(self.thresholds), density, side="right"))

    def k_at(self, density: Codes) -> Codes:
        """Return the k of each density."""
        return read_only(np.maximum(np.array(self.levels)[self.classes(density)], self.k))


def _numbers(name: str, values: Iterable[Number] | Number, *, least: int) -> tuple[int, ...]:
    if isinstance(values, str):
        parts: Iterable[Number] = [part for part in values.split(",") if part.strip()]
    elif isinstance(values, Iterable):
        parts = values
    else:
        parts = [values]
    return tuple(integer(name, part, least=least, most=LARGEST) for part in parts)


LEAST_NODES = 2
"""Nodes with users of a region: with one, it says where they are, however many."""

MOST = 2**29
"""Most nodes in all regions of a release together, each counted once for each region."""


@dataclass(frozen=True, slots=True)
class DensityAccount:
    """What an observer who knows the method makes of regions, in numbers."""

    cells: int | None
    """Cells of the map; None in the printed reading."""
    without_users: int
    """Requests from where nobody is."""
    users_served: int
    """Users whose request was served."""
    by_k: int
    """Users whom an observer who sees the k narrows down to fewer than k."""
    by_region: int
    """The same for who sees the region."""
    by_region_and_k: int
    """The same for who sees both."""
    users_at_one_crossing: int
    """Users whose crossing is known."""
    least_anonymity: int | None
    """Fewest users that fit; None if nobody was served."""

    to_dict = JsonForm(
        "cells without_users users_served",
        group(
            "users_with_fewer_than_k",
            "Users that an observer narrows down to fewer than k.",
            "by_k by_region by_region_and_k",
        ),
        "users_at_one_crossing least_anonymity",
    )


@dataclass(frozen=True, eq=False)
class DensityRelease(RegionRelease):
    """Regions with what an observer who knows the method makes of them."""

    reading: Reading
    """How regions come from requests."""
    demand: Demand
    """How many users they have to hold."""
    density: Codes = field(repr=False)
    """Shape (nodes,): users around each node."""
    wanted: Codes = field(repr=False)
    """Shape (nodes,): the k of a request from each node."""
    cells: Codes | None = field(default=None, repr=False)
    """Shape (nodes,): cell of each node, -1 where there is none; None in the printed reading."""

    @property
    def density_classes(self) -> Codes:
        """Shape (requests,): density class of each target, 0 the lowest."""
        return self.demand.classes(self.density[self.targets])

    @property
    def without_users(self) -> Flags:
        """Shape (requests,): whether no user is at the target, so that nobody can have asked."""
        return np.asarray(self.city.users[self.targets] == 0)

    @property
    def of_the_same_k(self) -> Codes:
        """Shape (requests,): users in the region whose own requests would have this k."""
        return self._sets[0]

    @property
    def anonymity(self) -> Codes:
        """Shape (requests,): users whose own requests would have this region, the pre-image.

        This is the true anonymity set of a request: nobody else can have made it. At least k in
        the corrected reading; 0 for a request that is not served, or that nobody can have made.
        """
        return self._sets[1]

    @property
    def anonymity_with_k(self) -> Codes:
        """Shape (requests,): the same if k is published beside the region."""
        return self._sets[2]

    @property
    def crossings(self) -> Codes:
        """Shape (requests,): nodes at which a user can have asked, those of the pre-image.

        Whoever knows the method and where people are is left with so many; with one, with the
        very crossing.
        """
        return self._sets[3]

    def preimage(self, request: int) -> Codes:
        """Return the nodes with users whose requests would have had the region of this one.

        >>> street = City.of([2, 2, 2], [(0, 1), (1, 2)])
        >>> for reading in PRINTED_OR_CORRECTED:
        ...     release = density(street, reading=reading, levels=4, thresholds=())
        ...     print(reading, release.region(0).tolist(), release.preimage(0).tolist())
        printed [0, 1] [0, 1]
        corrected [0, 1, 2] [0, 1, 2]
        """
        region, own_of = self.region(request), self._own_of
        inhabited = region[self.city.users[region] > 0].tolist()
        equal = (np.array_equal(self._own.region(int(own_of[node])), region) for node in inhabited)
        return read_only(list(compress(inhabited, equal)))

    def summary(self) -> str:
        """Return what was published, what it took, and who can have asked, in a few lines."""
        served, words = ~self.insufficient & ~self.without_users, "no user was served"
        if served.any():
            candidates, crossings = self.anonymity[served], self.crossings[served]
            account = self._account
            words = (
                f"{candidates.min()} to {candidates.max()} at"
                f" {crossings.min()} to {crossings.max()} crossings;"
                f" fewer than k for {account.by_region} of {account.users_served} users,"
                f" one crossing for {account.users_at_one_crossing}"
            )
        lines = [super().summary(), f"candidates of an observer who knows the method: {words}"]
        if self.without_users.any():
            lines.append(f"from nodes without users: {np.count_nonzero(self.without_users)}")
        return "\n".join(lines)

    @property
    def _account(self) -> DensityAccount:
        """What is known of who asked."""
        served = ~self.insufficient & ~self.without_users
        people = self.city.users[self.targets]

        def short(sets: Codes) -> int:
            return int(people[served & (sets < self.k)].sum())

        return DensityAccount(
            cells=None if self.cells is None else int(self.cells.max(initial=-1)) + 1,
            without_users=int(np.count_nonzero(self.without_users)),
            users_served=int(people[served].sum()),
            by_k=short(self.of_the_same_k),
            by_region=short(self.anonymity),
            by_region_and_k=short(self.anonymity_with_k),
            users_at_one_crossing=int(people[served & (self.crossings == 1)].sum()),
            least_anonymity=int(self.anonymity[served].min()) if served.any() else None,
        )

    to_dict = JsonForm(*ACCOUNT, "*_account", schema=SCHEMA)

    @cached_property
    def _own(self) -> RegionRelease:
        """The requests of everybody who is in one of the regions."""
        covered = np.unique(self.members)
        nodes = read_only(covered[self.city.users[covered] > 0])
        # An answer is a function of the node alone: where all of them asked, it is here already.
        if np.isin(nodes, self.targets).all():
            return self
        return _answer(self.city, nodes, self.demand, self.density, self.wanted, self.cells)

    @cached_property
    def _own_of(self) -> Codes:
        # Of a node that asked several times the last request counts; all have one answer.
        places = np.full(self.city.nodes, -1, dtype=np.int64)
        places[self._own.targets] = np.arange(self._own.requests)
        return read_only(places)

    @cached_property
    def _sets(self) -> tuple[Codes, ...]:
        own, regions = self._own, (self.offsets, self.members, self.k)
        own_regions = (self._own_of, own.offsets, own.members)
        sets = preimages(*regions, *own_regions, self.wanted, self.city.users)
        return tuple(map(read_only, sets))


def density(
    city: City,
    *,
    reading: Reading | str = Reading.CORRECTED,
    targets: Iterable[object] | None = None,
    k: Number = 1,
    depth: Number = 1,
    thresholds: Iterable[Number] | Number = THRESHOLDS,
    levels: Iterable[Number] | Number = LEVELS,
    least_nodes: Number | None = None,
) -> DensityRelease:
    """Cloak requests by density-aware adaptive k-anonymity.

    A request that no region can serve is marked ``insufficient`` and has no region: one whose
    component has fewer users, or users at fewer nodes, than it asks for, and in the corrected
    reading also one that depends on such users for a cell.

    Args:
        city: Streets are walked in both directions.
        reading: ``"corrected"``: regions are the cells of one partition, and k is that of the cell.
            ``"printed"``: they are grown from each target, as described, and k is its own.
        targets: Names of the nodes of the requests; every node with users unless given.
        k: Least k, whatever the density: 1 or more.
        depth: Hops within which users count for the density: 0 or more, or ``"adaptive"``.
        thresholds: Densities that part the classes, rising.
        levels: The k of each class, one more than thresholds; for one k for all, ``levels=k`` with
            ``thresholds=()``.
        least_nodes: Fewest nodes with users of a region, 1 or more; :data:`LEAST_NODES` unless
            given, and 1 in the printed reading, as the description has it.

    Regions with more than 2^29 nodes together are a TooLarge. P. Garg, "Density-Aware Adaptive
    k-Anonymity for Location Privacy in IoT Smart Cities", 2026.

    >>> city = City.grid(5, 5, users=40, seed=2)
    >>> release = density(city, reading="printed")
    >>> int(release.users.min()), int(release.anonymity.min())
    (2, 1)
    >>> release = density(city)
    >>> bool((release.anonymity >= release.k).all())
    True
    """
    reading = choice("reading", reading, PRINTED_OR_CORRECTED)
    # The description says nothing of crossings: its reading shows what it promises, no more.
    if least_nodes is None:
        least_nodes = 1 if reading is Reading.PRINTED else LEAST_NODES
    demand = Demand.of(
        depth=depth, thresholds=thresholds, levels=levels, k=k, least_nodes=least_nodes
    )
    everybody = np.flatnonzero(city.users)
    nodes = read_only(everybody if targets is None else [city.index(name) for name in targets])
    around = demand.density(city)
    demands = demand.k_at(around)
    if reading is Reading.PRINTED:
        return _answer(city, nodes, demand, around, demands, None)
    roads, fewest = city.roads, demand.least_nodes
    allowed = _in_cells(city, demands, fewest)
    cell_of, need = cells(roads.offsets, roads.targets, city.users, demands, fewest, allowed)
    # One entry more, so that the number -1 of no cell is an index too.
    k_of = np.where(cell_of < 0, demands, np.append(need, 0)[cell_of])
    return _answer(city, nodes, demand, around, read_only(k_of), read_only(cell_of))


def _answer(
    city: City, nodes: Codes, demand: Demand, around: Codes, demands: Codes, cell_of: Codes | None
) -> DensityRelease:
    """Return the answers to requests, by cells if there are any."""
    if cell_of is None:
        starts, members = _grow(city, nodes, demands, demand.least_nodes)
    else:
        starts, members = _whole_cells(nodes, cell_of)
    # A region that was served has the node that it grew from, or the node's cell.
    unserved = np.diff(starts) == 0
    unserved.flags.writeable = False
    reading = Reading.PRINTED if cell_of is None else Reading.CORRECTED
    return DensityRelease(
        city=city,
        targets=nodes,
        k=read_only(demands[nodes]),
        offsets=read_only(starts),
        members=read_only(members),
        insufficient=unserved,
        method="density",
        parameters={
            "reading": reading.value,
            "k": demand.k,
            "depth": "adaptive" if demand.depth is None else demand.depth,
            "thresholds": demand.thresholds,
            "levels": demand.levels,
            "least_nodes": demand.least_nodes,
        },
        reading=reading,
        demand=demand,
        density=around,
        wanted=demands,
        cells=cell_of,
    )


def _grow(city: City, nodes: Codes, demands: Codes, least_nodes: int) -> tuple[Codes, Codes]:
    # Asked beforehand: to find that there are too few, each search would walk its whole component.
    enough = (city.reachable >= demands) & (city.reachable_nodes >= least_nodes)
    roads, within_reach = city.roads, np.where(enough, demands, 0)
    starts, members = grow_regions(
        roads.offsets, roads.targets, city.users, within_reach, least_nodes, nodes, MOST
    )
    if starts[-1] < 0:
        raise _too_large(len(nodes))
    return starts, members


def _whole_cells(nodes: Codes, cell_of: Codes) -> tuple[Codes, Codes]:
    count = int(cell_of.max(initial=-1)) + 1
    # Nodes of no cell come first, and are cut off. Stable, so that a cell's nodes ascend.
    order = np.argsort(cell_of, kind="stable")[np.count_nonzero(cell_of < 0) :]
    # A last cell, which is empty, for the nodes that are in none.
    sizes = np.bincount(cell_of[order], minlength=count + 1)
    begins = np.cumsum(sizes) - sizes
    chosen = np.where(cell_of[nodes] < 0, count, cell_of[nodes])
    starts = np.concatenate([[0], np.cumsum(sizes[chosen])])
    if starts[-1] > MOST:
        raise _too_large(len(nodes))
    shifts = np.repeat(begins[chosen] - starts[:-1], sizes[chosen])
    return starts, order[np.arange(starts[-1]) + shifts]


def _in_cells(city: City, demands: Codes, least_nodes: int) -> Codes:
    """Return 1 for the nodes that a cell can hold, 0 for the others.

    A user who asks for more than the component has cannot be served. A cell that they stood in
    would be published for the others alone, so that they are left out of all cells; that may take
    others with them, and all of a component with users at too few nodes.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    roads, count = city.roads, city.nodes
    source = np.repeat(np.arange(count, dtype=np.int64), roads.degrees)
    allowed = np.ones(count, dtype=np.bool_)
    # Each turn but the last takes a node out, so that this ends.
    while True:
        # Over and over: without those who cannot be served, others may be too few.
        linked = allowed[source] & allowed[roads.targets]
        ends, units = (source[linked], roads.targets[linked]), np.ones(linked.sum(), np.int8)
        links = csr_array((units, ends), shape=(count, count))
        parts, part_of = connected_components(links, directed=False)
        people, inhabited = np.zeros((2, parts), dtype=np.int64)
        np.add.at(people, part_of, city.users * allowed)
        np.add.at(inhabited, part_of, allowed & (city.users > 0))
        # Nobody asks from a node without users; it is of use if there is anybody to hide.
        required = np.where(city.users > 0, demands, 1)
        unserved = allowed & ((people[part_of] < required) | (inhabited[part_of] < least_nodes))
        if not unserved.any():
            return read_only(allowed)
        allowed &= ~unserved


def _too_large(requests: int) -> TooLarge:
    much = f"the regions of {requests} requests have more than {MOST} nodes together"
    return TooLarge(f"{much}; ask for fewer targets")
