"""The ledger of density-aware cloaking: its examples are the smallest."""

from collections.abc import Iterator
from itertools import product

from kproof.models.places.city.city import City
from kproof.models.places.density.method import density

SHAPES = ((), ((0, 1),), ((0, 1), (1, 2)), ((0, 1), (0, 2), (1, 2)))
"""All connected graphs of up to three nodes, up to the names of the nodes."""


def requests() -> Iterator[tuple[tuple[int, int], tuple[int, ...], int, int, int, int]]:
    """Go through small cities; yield size, users, k and who can have asked, for served users."""
    for roads in SHAPES:
        nodes = max((end for road in roads for end in road), default=0) + 1
        for users in product(range(6), repeat=nodes):
            release = density(City.of(users, roads), reading="printed")
            for request in range(release.requests):
                if not release.insufficient[request]:
                    yield (
                        (nodes, sum(users)),
                        users,
                        int(release.k[request]),
                        int(release.of_the_same_k[request]),
                        int(release.anonymity[request]),
                        int(release.targets[request]),
                    )


def test_no_smaller_city_has_the_defects():
    seen = list(requests())
    inverted = min(one for one in seen if one[4] < one[2])
    assert (inverted[0], inverted[1], inverted[5]) == ((2, 6), (1, 5), 0)
    # k alone: the region has its candidates, and k takes them away.
    told = min(one for one in seen if one[3] < one[2] <= one[4])
    assert (told[0], told[1]) == ((3, 10), (4, 1, 5))
