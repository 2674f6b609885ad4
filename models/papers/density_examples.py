"""The smallest examples of what density-aware cloaking as described does not keep.

The tests find them anew by going through all cities of up to three nodes.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from kproof.models.base.arrays import Flags
from kproof.models.papers.density_experiment import experiment
from kproof.models.places.city.city import City
from kproof.models.places.density.method import DensityRelease, density
from kproof.theory.reading import PRINTED_OR_CORRECTED


class RequestAnswer(NamedTuple):
    """What one request gets, and who can have made it."""

    k: int
    region: tuple[int, ...]
    users: int
    same_k: int
    same_region: int


def answer(
    users: Iterable[int], roads: Iterable[tuple[int, int]], target: int, *, reading: str = "printed"
) -> RequestAnswer:
    """Return the answer to a request from a node of a city, given by users and pairs of nodes.

    The user at the first node needs the other five; those five do not need them:

    >>> answer([1, 5], [(0, 1)], 0)
    RequestAnswer(k=5, region=(0, 1), users=6, same_k=6, same_region=1)
    >>> answer([1, 5], [(0, 1)], 0, reading="corrected")
    RequestAnswer(k=5, region=(0, 1), users=6, same_k=6, same_region=6)
    """
    release = density(City.of(list(users), roads), reading=reading, targets=[target])
    figures = (release.users, release.of_the_same_k, release.anonymity)
    region = tuple(release.region(0).tolist())
    return RequestAnswer(int(release.k[0]), region, *(int(figure[0]) for figure in figures))


def grid_share(seeds: int = 40, users: int = 30, *, reading: str = "printed") -> float:
    """Return the share of users with fewer than k candidates, over seeded 5 x 5 grids.

    >>> grid_share(3, reading="corrected")
    0.0
    """
    grids = _on_grids(seeds, users, reading)
    return round(
        sum(_users_at(grid, grid.anonymity < grid.k) for grid in grids) / (seeds * users), 3
    )


def users_at_one_crossing(seeds: int = 40, users: int = 30) -> tuple[int, int]:
    """Return the users whose region has users at one crossing alone, over seeded 5 x 5 grids.

    First as described, then in the corrected reading with its default of two crossings.

    >>> users_at_one_crossing(3)[1]
    0
    """
    printed, corrected = (
        sum(_users_at(grid, grid.occupied == 1) for grid in _on_grids(seeds, users, reading))
        for reading in PRINTED_OR_CORRECTED
    )
    return printed, corrected


def sparse_runs() -> tuple[tuple[int, int, int], ...]:
    """Return nodes, users and candidates of the experiment's regions in sparse parts.

    >>> sparse_runs()
    ((11, 11, 1),)
    """
    runs = [run for run in experiment(reading="printed").runs if run.density_class == "Sparse"]
    return tuple((run.region_size, run.region_users, run.anonymity) for run in runs)


def regions_in_pieces(seeds: int = 40, users: int = 30) -> int:
    """Return how many printed regions of seeded 5 x 5 grids are not connected.

    >>> regions_in_pieces(2)
    0
    """
    import networkx as nx

    broken = 0
    for release in _on_grids(seeds, users, "printed"):
        graph = release.city.to_networkx()
        regions = (release.region(request).tolist() for request in release.distinct())
        broken += sum(not nx.is_connected(graph.subgraph(region)) for region in regions)
    return broken


def _users_at(release: DensityRelease, requests: Flags) -> int:
    """Return how many users are where some requests come from."""
    return int(release.city.users[release.targets][requests].sum())


def _on_grids(seeds: int, users: int, reading: str) -> Iterator[DensityRelease]:
    """Yield a release for each of some seeded 5 x 5 grids."""
    for seed in range(seeds):
        yield density(City.grid(5, 5, users=users, seed=seed), reading=reading)
