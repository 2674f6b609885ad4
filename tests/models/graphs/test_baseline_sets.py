"""BE: sets of least bound, against every set there is, and against the theorems themselves."""

import math
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any

import networkx as nx
import pytest
from cases import cases, error_line
from hypothesis import given
from hypothesis import strategies as st
from social_graphs import gowalla, graph_of

from kproof.errors import InvalidArgument
from kproof.models.graphs.baseline.front import Types, exact_front, hull_corners
from kproof.models.graphs.baseline.method import Setting, baseline, baseline_set
from kproof.models.graphs.social import SocialGraph
from kproof.theory.theorems.adversary import Adversary
from kproof.theory.theorems.api import bound
from kproof.theory.theorems.moments import Moments
from kproof.theory.theorems.record_moments import RecordMoments


def sums(graph: SocialGraph, members: Any, known: frozenset[int]) -> tuple[Fraction, Fraction]:
    """Return V and A of the unknown records, exactly, from each coin's two values."""
    variance = third = Fraction(0)
    for user in set(members) - known:
        p = Fraction(int(graph.degrees[user]), graph.users - 1)
        variance += p * (1 - p) ** 2 + (1 - p) * p**2
        third += p * (1 - p) ** 3 + (1 - p) * p**3
    return variance, third


def value(graph: SocialGraph, members: Any, setting: Setting) -> float:
    """Return delta of a set as the setting compares it."""
    variance, third = map(float, sums(graph, members, setting.known))
    unknown = set(members) - setting.known
    same = len({int(graph.degrees[user]) for user in unknown}) == 1
    near = setting.neighbourhood(len(members), len(members) - len(unknown))
    return setting.delta(variance, third, near, one_law=same)


@given(st.integers(2, 8), st.integers(0, 2**28 - 1), st.data())
def test_no_other_set_has_a_lower_delta(users, mask, data):
    graph = graph_of(users, mask)
    user = data.draw(st.integers(0, users - 1))
    k = data.draw(st.integers(2, users))
    most = data.draw(st.integers(k, users))
    others = [one for one in range(users) if one != user]
    known = data.draw(st.sets(st.sampled_from(others), max_size=2))
    asked = {
        "epsilon": data.draw(st.sampled_from(["0", "1/2", "1", "3"])),
        "lambda1": data.draw(st.sampled_from([None, "1/3", "1"])),
        "known": known,
    }
    best_set = baseline_set(graph, user, k=k, most=most, **asked)
    every = [
        (user, *chosen) for size in range(k, most + 1) for chosen in combinations(others, size - 1)
    ]
    least = min(value(graph, members, best_set.setting) for members in every)
    assert user in best_set.members
    assert k <= len(best_set.members) <= most
    assert best_set.delta == pytest.approx(least, rel=1e-9)
    assert best_set.delta == pytest.approx(
        value(graph, best_set.members, best_set.setting), rel=1e-9
    )
    assert best_set.gap == 0
    # With no effort only corners are compared, and the gap covers what they miss.
    quick = baseline_set(graph, user, k=k, most=most, effort=0, **asked)
    assert quick.delta >= least * (1 - 1e-9)
    assert math.isinf(least) or quick.delta - quick.gap <= least * (1 + 1e-9)


@given(st.integers(2, 8), st.integers(0, 2**28 - 1), st.data())
def test_the_front_is_every_undominated_set(users, mask, data):
    graph = graph_of(users, mask)
    user, k = data.draw(st.integers(0, users - 1)), data.draw(st.integers(2, users))
    others = [one for one in range(users) if one != user]
    none = frozenset[int]()
    every = {sums(graph, (user, *more), none) for more in combinations(others, k - 1)}
    front = {
        (v, a)
        for v, a in every
        if not any((w >= v and b <= a) and (w, b) != (v, a) for w, b in every)
    }
    found = baseline_set(graph, user, k=k).front
    assert [(one.variance, one.third) for one in found] == [
        pytest.approx((float(v), float(a))) for v, a in sorted(front)
    ]


def test_the_gap_covers_whatever_may_lie_between_corners():
    graph = SocialGraph.from_networkx(nx.barabasi_albert_graph(150, 3, seed=4))
    exact = baseline_set(graph, 140, k=4)
    quick = baseline_set(graph, 140, k=4, effort=0)
    assert exact.gap == 0
    assert len(exact.front) > len(quick.front) > 1
    corners = [(one.variance, one.third) for one in quick.front]
    # Between two corners lies nothing with more variance than one and less A than the other.
    floor = min(
        quick.setting.delta(high[0], low[1], None, one_law=False) for low, high in pairwise(corners)
    )
    assert quick.gap == pytest.approx(quick.delta - floor)
    assert quick.delta - quick.gap <= exact.delta <= quick.delta


def test_corners_are_undominated_and_convex():
    types = Types((0, 3, 7, 12, 19, 24, 25), (2, 3, 1, 2, 2, 1, 3), own=9, unit=100)
    front = exact_front(types, 5, most=10**6)
    assert front is not None
    corners = hull_corners(types, 5)
    points = [(one.variance, one.third) for one in front]
    assert {(one.variance, one.third) for one in corners} <= set(points)
    for low, high in pairwise(corners):
        slope = (high.third - low.third) / (high.variance - low.variance)
        for v, a in points:
            assert a >= low.third + slope * (v - low.variance) - 1e-12
    assert exact_front(types, 5, most=10) is None


@cases(
    ({"epsilon": 1}, 2, 40),
    ({"epsilon": "1/2", "s": 2}, 2, 60),
    ({"epsilon": 1, "known": [50, 51]}, 4, 40),
    ({"epsilon": "1/10", "lambda1": "1/100"}, 3, 60),
    ({"epsilon": "1/10", "lambda1": "1/100", "known": [50]}, 5, 60),
)
def test_the_bound_is_that_of_the_theorem(asked, theorem, k):
    graph = SocialGraph.from_networkx(nx.gnp_random_graph(61, 0.5, seed=3))
    best_set = baseline_set(graph, 0, k=k, **asked)
    assert best_set.bound.theorem == theorem
    assert best_set.bound.applies
    if best_set.delta < 1:
        # Floats follow the certified value, which is rounded outward.
        assert float(best_set.bound.delta.upper) == pytest.approx(best_set.delta, rel=1e-6)
    else:
        assert best_set.bound.delta.lower == 1
    assert best_set.profile.upper <= best_set.bound.delta.upper


def test_stein_is_that_of_the_theorem():
    # With ten million coins the bound of level II says something.
    setting = Setting(Fraction(1), 1, Fraction(0), frozenset())
    v, n = Fraction(1, 4), 10**13
    moments, adversary = RecordMoments.of(*["1/2"] * 4), Adversary.of(neighbourhood=2)
    wanted = bound(3, moments=moments, n=n, adversary=adversary, epsilon=1)
    found = setting.delta(float(n * v), float(n * v / 2), 2, one_law=True)
    assert wanted.delta.upper < 1
    assert found == pytest.approx(float(wanted.delta.upper), rel=1e-6)


def test_equal_coins_have_the_better_constant():
    setting = Setting(Fraction(1), 1, None, frozenset())
    coins = [RecordMoments(p, p, p, p) for p in (Fraction(1, 2),) * 99 + (Fraction(49, 99),)]
    variance = sum(p.mean * (1 - p.mean) for p in coins)
    third = sum(p.mean * (1 - p.mean) * (p.mean**2 + (1 - p.mean) ** 2) for p in coins)
    mixed = bound(2, moments=Moments.of_records(coins), epsilon=1)
    equal = bound(2, moments=Moments.iid(coins[0], n=100), epsilon=1)
    near = setting.delta(float(variance), float(third), None, one_law=False)
    assert near == pytest.approx(float(mixed.delta.upper), rel=1e-6)
    near = setting.delta(25.0, 12.5, None, one_law=True)
    assert near == pytest.approx(float(equal.delta.upper), rel=1e-6)


def test_the_profile_is_that_of_the_sum():
    graph = SocialGraph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4), (0, 2)])
    best_set = baseline_set(graph, 0, k=3, epsilon="1/2")
    ps = [Fraction(int(graph.degrees[user]), 4) for user in best_set.members]
    mass = [Fraction(1)]
    for p in ps:
        mass = [
            (mass[i] * (1 - p) if i < len(mass) else 0) + (mass[i - 1] * p if i else 0)
            for i in range(len(mass) + 1)
        ]
    factor = math.exp(0.5)
    padded = [0.0, *map(float, mass), 0.0]
    up = sum(max(x - factor * y, 0) for x, y in zip(padded[1:], padded, strict=False))
    down = sum(max(y - factor * x, 0) for x, y in zip(padded[1:], padded, strict=False))
    assert float(best_set.profile.upper) == pytest.approx(max(up, down), rel=1e-9)


def test_a_user_who_says_nothing_has_no_bound():
    best_set = baseline_set(SocialGraph.from_edges([], users=range(3)), 0, k=2)
    assert math.isinf(best_set.delta)
    assert best_set.members == (0, 1)
    assert not best_set.bound.applies
    assert best_set.to_dict()["delta"] is None


def test_without_a_limit_larger_sets_win():
    cycle = SocialGraph.from_networkx(nx.cycle_graph(12))
    best_set = baseline_set(cycle, 0, k=3, most=12)
    assert best_set.members == tuple(range(12))
    few = baseline_set(cycle, 0, k=3)
    assert best_set.profile.upper < few.profile.lower
    assert len(few.members) == 3


@given(st.integers(2, 12), st.integers(0, 2**66 - 1), st.data())
def test_clusters_partition_the_users(users, mask, data):
    graph = graph_of(users, mask)
    k = data.draw(st.integers(2, users))
    known = data.draw(st.sets(st.integers(0, users - 1)))
    release = baseline(graph, k=k, known=known, lambda1=data.draw(st.sampled_from([None, "1/2"])))
    of_user = release.cluster_of.tolist()
    sizes = [of_user.count(cluster) for cluster in range(release.count)]
    assert sum(sizes) == users
    assert min(sizes) >= k
    assert release.sizes.tolist() == sizes


def test_the_first_cluster_is_the_set_of_the_weakest_user():
    graph = SocialGraph.from_networkx(nx.barabasi_albert_graph(30, 2, seed=1))
    release = baseline(graph, k=4)
    spread = [degree * (29 - degree) for degree in graph.degrees.tolist()]
    best_set = baseline_set(graph, spread.index(min(spread)), k=4, effort=0)
    assert [user for user in range(30) if release.cluster_of[user] == 0] == list(best_set.members)


@cases(
    ("x", {"k": 2}, "user = x: need one of the 3 users"),
    (0, {"k": 4}, "k = 4: need 2 <= k <= 3, the number of users"),
    (0, {"k": 3, "most": 2}, "most = 2: need a whole number 3 <= most <= 3"),
    (0, {"k": 2, "epsilon": -1}, "epsilon = -1: need 0 <= epsilon <= 700"),
    (0, {"k": 2, "s": "1/2"}, "s = 1/2: need a whole number s >= 1"),
    (0, {"k": 2, "lambda1": 2}, "lambda1 = 2: need 0 <= lambda1 <= 1"),
    (0, {"k": 2, "known": [7]}, "user = 7: need one of the 3 users"),
    (0, {"k": 2, "known": [0]}, "user = 0: need a user whose record is not known"),
)
def test_bad_parameters(user, given, says):
    graph = SocialGraph.from_edges([(0, 1), (1, 2)])
    assert error_line(InvalidArgument, baseline_set, graph, user, **given).startswith(says)


def test_gowalla():
    graph = gowalla()
    best_set = baseline_set(graph, 4000, k=6)
    assert best_set.gap > 0
    # The quarter nearest to a coin of one half are the users with most friends.
    assert best_set.bound.delta.lower == 1
    assert baseline(graph, k=6).sizes.min() == 6
