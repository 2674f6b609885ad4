"""MLE and BAS on friendships and traces, against the definitions in rational numbers."""

import math
import re
from fractions import Fraction
from itertools import product

import networkx as nx
import numpy as np
import pytest
from cases import cases, error_line
from hypothesis import given
from hypothesis import strategies as st
from trace_oracles import walks

from kproof.errors import DataError, InvalidArgument
from kproof.models.attacks.inference.api import infer
from kproof.models.attacks.inference.base import Background, Prior, Scoring, adversary_at
from kproof.models.attacks.inference.friends import identify
from kproof.models.attacks.inference.traces import Traces, publish_traces, read_traces
from kproof.models.graphs.baseline.method import baseline
from kproof.models.graphs.kdegree.method import k_degree
from kproof.models.graphs.release import ClusterRelease, seal_clusters, seal_graph
from kproof.models.graphs.sangreea.method import sangreea
from kproof.models.graphs.social import SocialGraph
from kproof.models.places.plane import EARTH_RADIUS, plane_around
from kproof.theory.theorems.adversary import Adversary

METHODS = (sangreea, k_degree, baseline)


def places_of(release):
    """The places, from the release alone: owner, class, and the chance that two are friends."""
    if isinstance(release, ClusterRelease):
        weight = dict(zip(map(tuple, release.joined.tolist()), release.weights, strict=True))
        sizes = release.sizes.tolist()
        inside = [(user, c) for user, c in enumerate(release.cluster_of.tolist()) if c >= 0]

        def chance(one, other):
            if one == other:
                pairs = math.comb(sizes[one], 2)
                return Fraction(int(release.inner[one]), pairs) if pairs else Fraction(0)
            pair = tuple(sorted((one, other)))
            return Fraction(int(weight.get(pair, 0)), sizes[one] * sizes[other])

        return inside, lambda i, j: chance(inside[i][1], inside[j][1])
    drawn = {frozenset(edge) for edge in release.edges.tolist() if edge[0] != edge[1]}
    degree = release.degrees.tolist()
    owners = list(zip(release.vertices.tolist(), degree, strict=True))
    return owners, lambda i, j: Fraction(frozenset((i, j)) in drawn)


def expected(attack, release, background, prior):
    """The expected number of victims identified, by the definition."""
    graph = release.graph
    friends = {frozenset(edge) for edge in graph.friends.edges.tolist()}
    places, chance = places_of(release)
    known = [u for u in range(graph.users) if background.known[u]]
    place_of = {owner: i for i, (owner, _) in reversed(list(enumerate(places)))}
    known = [u for u in known if u in place_of]
    kept = Fraction(1)
    if not isinstance(release, ClusterRelease):
        ends = sum(chance(place_of[u], j) for u in known for j in range(len(places)))
        own = sum(1 for u in known for v in range(graph.users) if frozenset((u, v)) in friends)
        kept = min(Fraction(1), own / ends) if ends else Fraction(1)
    total = Fraction(0)
    for victim in range(graph.users):
        if background.known[victim] or victim not in place_of:
            continue
        scored = {}
        for i, (owner, kind) in enumerate(places):
            if owner >= 0 and background.known[owner]:
                continue
            if prior is Prior.CLASS and kind != places[place_of[victim]][1]:
                continue
            likely, agree = Fraction(1), 0
            for u in known:
                p = chance(place_of[u], i) * kept
                if owner >= 0 and background.linked[u] and background.linked[owner]:
                    p = Fraction(frozenset((u, owner)) in friends)
                bit = frozenset((u, victim)) in friends
                likely *= p if bit else 1 - p
                agree += (p > 0) == bit
            scored[i] = likely if attack is Scoring.MLE else agree
        top = max(scored.values())
        if attack is Scoring.MLE and not top:
            continue
        first = [i for i, score in scored.items() if score == top]
        total += Fraction(sum(places[i][0] == victim for i in first), len(first))
    return total


@given(
    users=st.integers(4, 10),
    density=st.sampled_from([0.1, 0.3, 0.6]),
    seed=st.integers(0, 10**6),
    method=st.sampled_from(METHODS),
    shares=st.tuples(*[st.sampled_from([None, "0", "0.3", "0.7", "0.9"])] * 2),
    prior=st.sampled_from(Prior),
)
def test_friends_against_the_definition(users, density, seed, method, shares, prior):
    graph = SocialGraph.from_networkx(nx.gnp_random_graph(users, density, seed=seed))
    release = method(graph, k=2)
    adversary = Adversary.of(lambda1=shares[0], lambda2=shares[1])
    try:
        drawn = Background.draw(users, adversary, seed=seed)
    except InvalidArgument:
        assert math.ceil(Fraction(shares[1]) * users) == users
        return
    measured = identify(release, drawn, prior=prior)
    for attack in Scoring:
        assert measured[attack].identified == expected(attack, release, drawn, prior)
    assert measured[Scoring.MLE].known + len(measured[Scoring.MLE].victims) == users


@given(seed=st.integers(0, 10**6), prior=st.sampled_from(Prior))
def test_foreign_releases(seed, prior):
    """Users left out, vertices that are nobody's or somebody's twice, and edges removed."""
    rng = np.random.default_rng(seed)
    graph = SocialGraph.from_networkx(nx.gnp_random_graph(7, 0.4, seed=seed))
    drawn = Background.draw(7, Adversary.of(lambda1="0.5", lambda2="0.4"), seed=seed)
    cut = seal_clusters(graph, [0, 0, 1, 1, 1, -1, 0], method="by hand", parameters={})
    vertices = rng.integers(-1, 7, 9)
    edges = rng.integers(0, 9, (12, 2))
    free = seal_graph(graph, edges, vertices=vertices, method="by hand", parameters={})
    for release in (cut, free):
        for attack, found in identify(release, drawn, prior=prior).items():
            assert found.identified == expected(attack, release, drawn, prior)
            assert len(found.victims) == 4


def test_large_and_small_batches_agree(monkeypatch):
    graph = SocialGraph.from_networkx(nx.barabasi_albert_graph(150, 3, seed=2))
    drawn = Background.draw(150, Adversary.of(lambda1="0.4", lambda2="0.2"), seed=3)
    releases = [method(graph, k=4) for method in METHODS]
    whole = [identify(release, drawn, prior=prior) for release in releases for prior in Prior]
    monkeypatch.setattr("kproof.models.attacks.inference.friends._TOGETHER", 7)
    parts = [identify(release, drawn, prior=prior) for release in releases for prior in Prior]
    for one, other in zip(whole, parts, strict=True):
        for attack in Scoring:
            assert one[attack].tied.tolist() == other[attack].tied.tolist()
            assert one[attack].right.tolist() == other[attack].right.tolist()


def test_without_knowledge_a_victim_is_one_of_its_class():
    graph = SocialGraph.from_networkx(nx.barabasi_albert_graph(60, 2, seed=1))
    for method in METHODS:
        release = method(graph, k=5)
        kinds = release.cluster_of if isinstance(release, ClusterRelease) else release.degrees
        alone = Fraction(len(set(kinds.tolist())), 60)
        for attack, lambda1 in product(Scoring, (None, "0.5", "1")):
            measured = infer(attack, release, lambda1=lambda1)
            assert measured.value == alone <= measured.sanity == Fraction(1, 5)
            assert infer(attack, release, lambda1=lambda1, prior="all").value == Fraction(1, 60)


def test_mle_never_finds_fewer_than_bas_among_degrees():
    """With edges only added, whoever BAS ranks first and is right, MLE ranks first too."""
    for seed in range(12):
        graph = SocialGraph.from_networkx(nx.gnp_random_graph(14, 0.25, seed=seed))
        drawn = Background.draw(14, Adversary.of(lambda2="0.4"), seed=seed)
        measured = identify(k_degree(graph, k=3), drawn)
        for place in range(len(measured[Scoring.MLE].victims)):
            assert measured[Scoring.MLE].chance(place) >= measured[Scoring.BAS].chance(place)


def test_a_contradiction_excludes_for_mle_alone():
    # 0 is known, with the friends 1, 2, 3; the release lacks 0-1 and has 0-4.
    graph = SocialGraph.from_edges([(0, 1), (0, 2), (0, 3), (4, 1)], users=range(5))
    release = seal_graph(graph, [(0, 2), (0, 3), (0, 4), (1, 4)], method="m", parameters={})
    drawn = Background.draw(5, Adversary.of(known=[0]))
    measured = identify(release, drawn, prior=Prior.ALL)
    # Friends 1, 2, 3 may be 2, 3 or 4; stranger 4 may only be 1, where no edge is.
    mle, bas = measured[Scoring.MLE], measured[Scoring.BAS]
    assert mle.victims.tolist() == [1, 2, 3, 4]
    assert mle.tied.tolist() == bas.tied.tolist() == [3, 3, 3, 1]
    assert mle.right.tolist() == [0, 1, 1, 0]
    # Without edges MLE has nowhere to look for friends, and BAS is wrong once everywhere.
    measured = identify(seal_graph(graph, [], method="m", parameters={}), drawn, prior=Prior.ALL)
    assert measured[Scoring.MLE].tied.tolist() == [0, 0, 0, 4]
    assert measured[Scoring.BAS].tied.tolist() == [4, 4, 4, 4]


@cases(
    ({"lambda1": "1.5"}, "lambda1 = 1.5: need 0 <= lambda1 <= 1"),
    ({"lambda2": -1}, "lambda2 = -1: need 0 <= lambda2 < 1"),
    ({"level": "V"}, "level = V: need I, II, III or IV"),
    ({"level": "III"}, "lambda2 is not given: need a share at level III"),
    ({"level": "I", "lambda1": "0.1"}, "lambda1 = 0.1: need none at level I"),
    ({"known": ["eve"]}, "user = eve: need one of the 5 users"),
    ({"known": range(5)}, "known = '5 of 5 records': need at least one unknown record"),
    ({"prior": "some"}, "prior = some: need class or all"),
    ({"observations": 3}, "observations = 3: need 0 for a social graph"),
    ({"seed": -1}, "seed = -1: need a whole number seed >= 0"),
)
def test_bad_input(options, message):
    graph = SocialGraph.from_edges([(i, i + 1) for i in range(4)])
    with pytest.raises(InvalidArgument, match="^" + re.escape(message)):
        infer("mle", k_degree(graph, k=2), **options)
    with pytest.raises(InvalidArgument, match="attack = mlf: need mle or bas"):
        infer("mlf", k_degree(graph, k=2))


def test_larger_shares_draw_more_of_the_same():
    small, large = (
        Background.draw(50, adversary_at("IV", lambda1=share, lambda2=share), seed=9)
        for share in ("0.21", "0.6")
    )
    assert (small.known.sum(), large.linked.sum()) == (11, 30)
    assert not (small.known & ~large.known).any()
    assert not (small.linked & ~large.linked).any()
    assert (small.known != small.linked).any()


def test_exact_positions_identify_those_who_were_alone():
    release = publish_traces(walks(6, 8, 0), period=30)
    for attack in Scoring:
        assert infer(attack, release).value == Fraction(1, 6)
        assert infer(attack, release, observations=1).value == 1
        measured = infer(attack, release, observations=0, known=["cab 1"])
        assert (measured.value, measured.known) == (Fraction(1, 5), 1)


def sides(release, place, when):
    """West, south, east and north in metres of where a trace is published."""
    lat, lon = release.lat[place, when], release.lon[place, when]
    high = wide = 0.0
    if release.cell and not math.isnan(lat):
        rows = math.floor(math.pi * EARTH_RADIUS / release.cell)
        around = 2 * math.pi * EARTH_RADIUS * math.cos(math.radians(lat))
        high, wide = 90 / rows, 180 / math.floor(around / release.cell)
    plane = plane_around(release.traces.points)
    x, y = plane.metres([lat - high, lat + high], [lon - wide, lon + wide])
    return float(x[0]), float(y[0]), float(x[1]), float(y[1])


@pytest.mark.parametrize("noise", [0, 40])
@pytest.mark.parametrize("cell", [0, 150])
def test_traces_against_the_definition(noise, cell, monkeypatch):
    release = publish_traces(walks(6, 8, 5), cell=cell, period=60)
    errors = np.random.default_rng(8).normal(0, noise / 2 if noise else 0, (4, 2, 6))
    given_errors = iter(errors)
    module = "kproof.models.attacks.inference.traces"
    monkeypatch.setattr(f"{module}._errors", lambda rng, count, sigma: next(given_errors))
    looks = []
    argsort = np.argsort

    def remembered(values, **options):
        found = argsort(values, **options)
        looks[:] = [tuple(row) for row in found.tolist()]
        return found

    monkeypatch.setattr(f"{module}.np.argsort", remembered)
    for attack in Scoring:
        given_errors = iter(errors)
        found = infer(attack, release, observations=3, noise=noise, seed=1)
        total = Fraction(0)
        for victim in range(6):
            scores = []
            for place in range(6):
                log, agree, out = 0.0, 0, False
                for turn in range(3):
                    when = looks[victim][turn]
                    if np.isnan(release.exact_x[victim, when]):
                        continue
                    x = release.exact_x[victim, when] + errors[turn, 0, victim]
                    y = release.exact_y[victim, when] + errors[turn, 1, victim]
                    px, py = release.x[place, when], release.y[place, when]
                    west, south, east, north = sides(release, place, when)
                    near = math.hypot(max(west - x, x - east, 0), max(south - y, y - north, 0))
                    ok = not math.isnan(px) and near <= 3 * noise + 1e-6
                    agree, out = agree + ok, out or not ok
                    if ok and (noise or cell):
                        log -= ((px - x) ** 2 + (py - y) ** 2) / 2 / (noise**2 + cell**2 / 12)
                scores.append(agree if attack is Scoring.BAS else -math.inf if out else log)
            top = max(scores)
            first = [i for i in range(6) if scores[i] == pytest.approx(top)]
            total += Fraction(victim in first, len(first))
        assert found.identified == total


def test_published_traces_are_rounded_and_thinned():
    traces = Traces.of(
        [1, 1.001, 1.1, 1], [2, 2, 2, 2.1], users=["a", "a", "a", "b"], seconds=[5, 9, 70, 130]
    )
    release = publish_traces(traces, cell=100, period=60)
    assert np.isnan(release.x).tolist() == [[False, False, True], [True, True, False]]
    moved = np.hypot(release.x - release.exact_x, release.y - release.exact_y)
    assert np.nanmax(moved) <= 50 * math.sqrt(2) * 1.001
    # The first point of a period stands for it: 0.001 degrees are 110 metres.
    assert release.exact_y[0, 1] - release.exact_y[0, 0] == pytest.approx(11_120, rel=0.01)


def test_reading_traces(tmp_path):
    path = tmp_path / "cabs.csv"
    path.write_text(
        "y,long,timestamp,device\n37.8,-122.4,2008/06/08 07:14:47,1\n"
        "37.8,-122.4,2008-06-08 07:14:47,2\n"
    )
    traces = read_traces(path)
    assert traces.seconds.tolist() == [1212909287, 1212909287]
    assert traces.points.names == ("1", "2")
    for text, message in [
        ("lat,lon,user\n1,2,3\n", "no column for the time"),
        ("lat,lon,time,user\n1,2,noon,3\n", "line 2: time is noon"),
        ("lat,lon,time,user\nx,2,0,3\n", "line 2: lat is x; need a number"),
        ("lat,lon,time,user\n91,2,0,3\n", "1 with a latitude beyond 90"),
    ]:
        path.write_text(text)
        with pytest.raises(DataError, match=message):
            read_traces(path)


def test_bad_traces():
    release = publish_traces(walks(6, 8, 0), period=60)
    with pytest.raises(InvalidArgument, match="observations = 5: need 0 <= observations <= 4"):
        infer("mle", release, observations=5)
    with pytest.raises(InvalidArgument, match="noise = -1: need noise >= 0"):
        infer("mle", release, observations=1, noise=-1)
    assert "seconds" in error_line(InvalidArgument, Traces.of, [1], [2], users=["a"], seconds=[0.5])


def test_errors_stay_in_reach_and_are_normal():
    from kproof.models.attacks.inference.traces import REACH, _errors

    x, y = _errors(np.random.default_rng(0), 100_000, 10.0)
    distance = np.hypot(x, y)
    assert distance.max() <= 10 * REACH
    # The squared distance is exponential, cut off where 1 - inside of it is left.
    inside = 1 - math.exp(-(REACH**2) / 2)
    assert np.median(distance) == pytest.approx(
        10 * math.sqrt(-2 * math.log(1 - inside / 2)), rel=0.02
    )
    assert abs(x.mean()) < 0.2
