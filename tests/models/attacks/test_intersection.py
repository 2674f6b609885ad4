"""The intersection attack against sets of users made by asking everybody, and random walks."""

from itertools import pairwise

import numpy as np
import pytest
from density_oracles import density_of, k_of, region_of
from hypothesis import given
from hypothesis import strategies as st

from kproof.errors import InvalidArgument
from kproof.models.attacks.intersection import Journeys, Observer, intersection_attack, random_walks
from kproof.models.places.city.city import City
from kproof.proptests.strategies.places import cities

SMALL = {"thresholds": (3, 6), "levels": (4, 3, 2)}
PAIRS = {"thresholds": (), "levels": 2, "least_nodes": 1}


def walks_of(city: City, times: int, seed: int) -> Journeys:
    return random_walks(city, times=times, stay="1/3", seed=seed)


def answers(journeys: Journeys, time: int) -> list[tuple[int, ...]]:
    """Return the printed region of each user at a time, by the plain form."""
    city = journeys.at(time)
    found = {}
    for node in set(journeys.positions[time].tolist()):
        k = k_of(density_of(city, node, 1), SMALL["thresholds"], SMALL["levels"], 1)
        found[node] = tuple(region_of(city, node, k))
    return [found[node] for node in journeys.positions[time].tolist()]


@given(cities(), st.integers(1, 4), st.integers(0, 5), st.sampled_from(Observer))
def test_candidates_are_those_who_fit_every_region(city, times, seed, observer):
    journeys = walks_of(city, times, seed)
    narrowed = intersection_attack(journeys, observer=observer, reading="printed", **SMALL)
    everybody = set(range(journeys.users))
    candidates = [set(everybody) for _ in everybody]
    served = set()
    for time in range(times):
        regions, here = answers(journeys, time), journeys.positions[time].tolist()
        for user in everybody:
            if observer is Observer.METHOD:
                candidates[user] &= {one for one in everybody if regions[one] == regions[user]}
            elif regions[user]:
                candidates[user] &= {one for one in everybody if here[one] in regions[user]}
            if regions[user]:
                served.add(user)
            assert set(narrowed.candidates(user, time=time).tolist()) == candidates[user]
            count = len(candidates[user]) if user in served else 0
            assert narrowed.counts[time, user] == count
    if times and everybody:
        assert [set(narrowed.candidates(user).tolist()) for user in everybody] == candidates


@given(cities(), st.integers(1, 4), st.integers(0, 5))
def test_candidates_only_get_fewer_and_cells_tell_no_more_to_those_who_know(city, times, seed):
    journeys = walks_of(city, times, seed)
    method = intersection_attack(journeys, observer="method", **SMALL)
    presence = intersection_attack(journeys, observer="presence", **SMALL)
    for found in (method, presence):
        for user in range(journeys.users):
            sets = [set(found.candidates(user, time=time).tolist()) for time in range(times)]
            assert all(user in one for one in sets)
            assert all(later <= former for former, later in pairwise(sets))
    # At the first time everyone in a cell has at least k with them, whatever the observer knows.
    first = presence.counts[0]
    assert ((first >= presence.k[0]) | (first == 0)).all()
    served = presence.counts[0] > 0
    assert (method.counts[0][served] == first[served]).all()


def test_walks_follow_streets_and_stay_as_often_as_said():
    city = City.grid(6, 6, users=3000, seed=2)
    walks = random_walks(city, times=6, stay="1/4", seed=3)
    assert (walks.at(0).users == city.users).all()
    moved = []
    for before, after in zip(walks.positions[:-1], walks.positions[1:], strict=True):
        steps = set(zip(before.tolist(), after.tolist(), strict=True))
        assert all(one == other or city.roads.joins(one, other) for one, other in steps)
        moved.append((before != after).mean())
    assert np.mean(moved) == pytest.approx(0.75, abs=0.02)
    assert (random_walks(city, times=6, stay="1/4", seed=3).positions == walks.positions).all()
    assert (random_walks(city, times=6, stay="1/4", seed=4).positions != walks.positions).any()
    corner = random_walks(City.of([8000, 0, 0], [(0, 1), (0, 2)]), times=2, stay=0, seed=1)
    assert np.mean(corner.positions[1] == 1) == pytest.approx(0.5, abs=0.03)
    assert (random_walks(City.of([3], []), times=4, stay=0).positions == 0).all()


def test_what_cells_hold_at_one_time_is_lost_over_time():
    walks = random_walks(City.grid(8, 8, users=300, seed=1), times=6, seed=1)
    narrowed = intersection_attack(walks)
    assert narrowed.short[0] == 0
    assert narrowed.identified[0] == 0
    assert narrowed.identified[-1] > 150
    document = narrowed.to_dict()
    assert document["users"] == 300
    last = document["times"][-1]
    assert last["identified"] == np.count_nonzero(narrowed.counts[-1] == 1)
    assert last["mean_candidates"] == pytest.approx(narrowed.counts[-1].mean())
    assert last["fewer_than_k"] == (narrowed.counts[-1] < narrowed.k[-1]).sum()


def test_who_was_never_served_is_not_counted():
    walks = Journeys.of(City.of([0, 0, 0], [(0, 1)]), [[0, 0, 2], [0, 0, 2]])
    narrowed = intersection_attack(walks, **PAIRS)
    assert narrowed.counts.tolist() == [[2, 2, 0], [2, 2, 0]]
    assert narrowed.identified == (0, 0)
    # One region less is one trace more: the third is now known to have been apart before.
    walks = Journeys.of(City.of([0, 0, 0], [(0, 1)]), [[0, 0, 2], [0, 0, 0]])
    assert intersection_attack(walks, **PAIRS).counts[1].tolist() == [2, 2, 1]
    presence = intersection_attack(walks, observer="presence", **PAIRS)
    assert presence.counts[1].tolist() == [2, 2, 3]


def test_who_is_no_longer_served_was_seen_before():
    walks = Journeys.of(City.of([0, 0, 0], [(0, 1)]), [[0, 0, 0], [0, 0, 2]])
    narrowed = intersection_attack(walks, **PAIRS)
    assert narrowed.counts.tolist() == [[3, 3, 3], [2, 2, 1]]
    assert narrowed.identified == (0, 1)


def test_nobody_and_bad_options():
    narrowed = intersection_attack(random_walks(City.of([0, 0], [(0, 1)]), times=2))
    assert narrowed.counts.shape == (2, 0)
    assert narrowed.to_dict()["times"][0]["mean_candidates"] is None
    city = City.grid(2, 2)
    for call, message in (
        (lambda: Journeys.of(city, [[0, 4]]), "positions = 4: need nodes from 0 to 3"),
        (lambda: Journeys.of(city, [0, 1]), "positions = "),
        (lambda: Journeys.of(city, np.zeros((0, 3), dtype=int)), "positions = "),
        (lambda: Journeys.of(city, [[0.5]]), "positions = "),
        (lambda: random_walks(city, times=0), "times = 0"),
        (lambda: random_walks(city, stay="1.5"), "stay = 1.5: need 0 <= stay <= 1"),
        (lambda: intersection_attack(walks_of(city, 1, 0), observer="all"), "observer = all"),
        (lambda: intersection_attack(walks_of(city, 1, 0), targets=[1]), "need none; all users"),
    ):
        with pytest.raises(InvalidArgument, match=message):
            call()
