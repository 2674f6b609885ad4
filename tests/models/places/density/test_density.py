"""Density-aware cloaking against a plain form on networkx, and the defects of its description."""

from typing import Any

import networkx as nx
import numpy as np
import pytest
from cases import cases, error_line
from density_oracles import allowed_of, cells_of, density_of, graph_of, k_of, region_of
from hypothesis import given
from hypothesis import strategies as st
from public_data import data_file

import kproof
from kproof.errors import DataError, InvalidArgument, TooLarge
from kproof.models.methods import METHODS
from kproof.models.papers.density_experiment import Draw, experiment
from kproof.models.papers.density_figures import FIGURES, figures, region_map, save
from kproof.models.places.city.city import City
from kproof.models.places.city.files import read_city
from kproof.models.places.density import method as module
from kproof.models.places.density.method import DensityRelease, density
from kproof.models.places.regions import Single
from kproof.models.registry import Kind, Promise
from kproof.proptests.strategies.places import cities
from kproof.theory.reading import PRINTED_OR_CORRECTED, Reading

DEMANDS = st.one_of(
    st.just({}),
    st.fixed_dictionaries(
        {
            "depth": st.sampled_from((0, 1, 2, "adaptive")),
            "thresholds": st.sampled_from(((2, 5), (1, 3))),
            "levels": st.sampled_from(((6, 3, 1), (4, 3, 2), (2, 2, 2), (1, 2, 5))),
            "k": st.sampled_from((1, 3, 7)),
            "least_nodes": st.sampled_from((None, 1, 2, 3)),
        }
    ),
)
"""Small numbers, so that all classes occur in small cities; also more users wanted where denser."""

street = City.of
Given = dict[str, Any]


def asked_of(city: City, demand: Given) -> list[int]:
    depth = demand.get("depth", 1)
    thresholds, levels = demand.get("thresholds", (4, 10)), demand.get("levels", (10, 5, 2))
    depth = None if depth == "adaptive" else depth
    dense = (density_of(city, node, depth) for node in range(city.nodes))
    return [k_of(own, thresholds, levels, demand.get("k", 1)) for own in dense]


def least_of(demand: Given, reading: Reading) -> int:
    return int(demand.get("least_nodes") or (1 if reading is Reading.PRINTED else 2))


def regions(release: DensityRelease) -> list[list[int]]:
    return [release.region(request).tolist() for request in range(release.requests)]


@given(cities(), DEMANDS)
def test_printed_regions_are_those_of_the_plain_form(city, demand):
    wanted = asked_of(city, demand)
    release = density(city, reading="printed", targets=range(city.nodes), **demand)
    assert release.k.tolist() == wanted
    least = least_of(demand, Reading.PRINTED)
    assert regions(release) == [
        region_of(city, node, wanted[node], least) for node in range(city.nodes)
    ]
    assert release.insufficient.tolist() == [not region for region in regions(release)]
    assert release.without_users.tolist() == [not one for one in city.users.tolist()]


@given(cities(), DEMANDS)
def test_cells_are_those_of_the_plain_form(city, demand):
    wanted = asked_of(city, demand)
    least = least_of(demand, Reading.CORRECTED)
    cell_of, asked = cells_of(city, wanted, allowed_of(city, wanted, least), least)
    release = density(city, targets=range(city.nodes), **demand)
    assert release.cells.tolist() == cell_of
    for node, region in enumerate(regions(release)):
        cell = cell_of[node]
        assert region == [other for other, one in enumerate(cell_of) if one == cell >= 0]
        assert release.k[node] == (wanted[node] if cell < 0 else asked[cell])


@given(cities(), DEMANDS)
def test_cells_keep_what_they_promise(city, demand):
    wanted, users, graph = asked_of(city, demand), city.users.tolist(), graph_of(city)
    release, least = density(city, **demand), least_of(demand, Reading.CORRECTED)
    served = {}
    for request, node in enumerate(release.targets.tolist()):
        region = release.region(request).tolist()
        if release.insufficient[request]:
            assert region == []
            continue
        served[node] = region
        assert node in region
        assert nx.is_connected(graph.subgraph(region))
        people = sum(users[other] for other in region)
        assert people >= release.k[request] >= wanted[node]
        held = sum(users[other] > 0 for other in region)
        assert release.crossings[request] == release.occupied[request] == held >= least
        assert release.anonymity[request] == release.anonymity_with_k[request] == people
    for region in served.values():
        assert all(served[other] == region for other in region if users[other])
    assert set(release.targets.tolist()) == {node for node, one in enumerate(users) if one}
    # Whoever has enough users around is served, unless someone who has not is in the way.
    for part in nx.connected_components(graph):
        people = sum(users[node] for node in part)
        if sum(users[node] > 0 for node in part) < least:
            assert not part & set(served)
        elif all(wanted[node] <= people for node in part if users[node]):
            assert all(node in served for node in part if users[node])


@given(cities(), DEMANDS, st.sampled_from(PRINTED_OR_CORRECTED), st.data())
def test_pre_images_are_found_by_asking_everybody(city, demand, reading, data):
    targets = data.draw(st.lists(st.integers(0, city.nodes - 1), min_size=1, max_size=3))
    release = density(city, reading=reading, targets=targets, **demand)
    users = city.users.tolist()
    everybody = density(city, reading=reading, targets=range(city.nodes), **demand)
    answers, wanted = regions(everybody), everybody.k.tolist()
    for request in range(release.requests):
        region = release.region(request).tolist()
        same = [node for node in range(city.nodes) if region and answers[node] == region]
        same = [node for node in same if users[node]]
        assert release.preimage(request).tolist() == same
        assert release.anonymity[request] == sum(users[node] for node in same)
        assert release.crossings[request] == len(same)
        k = release.k[request]
        assert release.of_the_same_k[request] == sum(users[v] for v in region if wanted[v] == k)
        assert release.anonymity_with_k[request] == sum(users[v] for v in same if wanted[v] == k)


def test_a_component_with_too_few_users_is_told():
    alone = street([1], [])
    for reading in PRINTED_OR_CORRECTED:
        release = density(alone, reading=reading)
        assert release.insufficient.tolist() == [True]
        assert release.anonymity.tolist() == [0]
        assert release.to_dict()["insufficient"] == 1
        assert "published: 0 of 1" in release.summary()


def test_one_who_cannot_be_served_is_in_nobodys_cell():
    # The user in the middle asks for 9 and nobody reaches them; those at the ends ask for 2.
    city = street([3, 0, 1, 0, 3], [(0, 1), (1, 2), (2, 3), (3, 4)])
    release = density(city, depth=0, thresholds=(2,), levels=(9, 2), least_nodes=1)
    assert release.insufficient.tolist() == [False, True, False]
    assert regions(release) == [[0, 1], [], [3, 4]]
    assert release.anonymity.tolist() == [3, 0, 3]
    # Where their cell would need them, the others go without too.
    city = street([1, 1, 1], [(0, 1), (1, 2)])
    release = density(city, depth=1, thresholds=(3,), levels=(2, 4))
    assert release.insufficient.tolist() == [True, True, True]


def test_the_smallest_region_that_points_at_its_user():
    # Two users on one street: the second node needs nobody else, so that the first is alone.
    city = street([1, 2], [(0, 1)])
    release = density(city, reading="printed", thresholds=(), levels=2)
    assert regions(release) == [[0, 1], [1]]
    assert release.anonymity.tolist() == [1, 2]
    assert "fewer than k for 1 of 3 users" in release.summary()
    assert density(city, thresholds=(), levels=2).anonymity.tolist() == [3, 3]


def test_many_users_at_one_crossing_are_told_where_they_are():
    # Fifty users at one crossing: whatever k is, a region of that crossing says where each is.
    city = street([50, 50, 0, 50], [(0, 1), (1, 2), (2, 3)])
    release = density(city, reading="printed")
    assert regions(release) == [[0], [1], [3]]
    assert (release.anonymity >= release.k).all()
    assert release.crossings.tolist() == [1, 1, 1]
    assert release.single == Single(regions=3, of_one_node=3, at_one_node=3)
    assert release.to_dict()["users_at_one_crossing"] == 150
    assert "single crossings: 3 of 3 regions are one, 3 have users at one only" in release.summary()
    assert release.summary().endswith("fewer than k for 0 of 150 users, one crossing for 150")
    # A crossing where nobody is hides nobody.
    empty = density(city, reading="printed", least_nodes=1, targets=[2], k=40)
    assert (regions(empty), empty.single.at_one_node) == ([[1, 2]], 1)
    for least in (None, 2):
        hidden = density(city, least_nodes=least)
        assert hidden.parameters["least_nodes"] == 2
        assert regions(hidden) == [[0, 1, 2, 3]] * 3
        assert (hidden.single.at_one_node, hidden.crossings.tolist()) == (0, [3, 3, 3])
    # Where there is no other crossing with users, nobody is served.
    for reading in PRINTED_OR_CORRECTED:
        alone = density(street([50, 0], [(0, 1)]), reading=reading, least_nodes=2)
        assert alone.insufficient.tolist() == [True]


def test_k_tells_the_density_class():
    # All three of the first component's users have this region, but only one of them this k.
    city = street([1, 1, 1], [(0, 1), (1, 2)])
    release = density(city, reading="printed", thresholds=(3,), levels=(3, 2))
    assert release.k.tolist() == [3, 2, 3]
    assert regions(release) == [[0, 1, 2], [0, 1], [0, 1, 2]]
    assert release.of_the_same_k.tolist() == [2, 1, 2]
    city = street([4, 1, 5], [(0, 1), (1, 2)])
    release = density(city, reading="printed")
    assert (release.k.tolist(), release.users.tolist()) == ([5, 2, 5], [5, 5, 5])
    assert release.anonymity.tolist() == [5, 5, 5]
    assert release.anonymity_with_k.tolist() == [4, 1, 5]
    account = density(city).to_dict()
    assert account["users_with_fewer_than_k"] == {"by_k": 0, "by_region": 0, "by_region_and_k": 0}


def test_adaptive_depth_is_one_hop_inside_a_grid_and_more_elsewhere():
    city = City.grid(5, 5, users=200, seed=1)
    users = city.users.reshape(5, 5)
    found = density(city, depth="adaptive", reading="printed").density.reshape(5, 5)
    inner = users[1:4, 1:4] + users[:3, 1:4] + users[2:, 1:4] + users[1:4, :3] + users[1:4, 2:]
    assert (found[1:4, 1:4] == inner).all()
    # Two hops from a corner are six nodes, of which five count.
    assert found[0, 0] == (users[0, :3].sum() + users[1, :2].sum() + users[2, 0]) * 5 // 6
    # A component of fewer than five nodes counts as it is.
    assert density(street([1, 2, 3, 4], [(0, 1), (2, 3)]), depth="adaptive").density.tolist() == [
        *(3, 3),
        *(7, 7),
    ]


def test_a_target_without_users_is_told():
    release = density(
        street([0, 2], [(0, 1)]), reading="printed", targets=[0], levels=2, thresholds=()
    )
    assert release.without_users.tolist() == [True]
    assert release.anonymity.tolist() == [0]
    assert release.summary().endswith("from nodes without users: 1")
    assert release.to_dict()["without_users"] == 1


def test_more_than_there_are_is_asked_for():
    for reading in PRINTED_OR_CORRECTED:
        release = density(City.grid(3, 3, users=8, seed=1), reading=reading, k=9)
        assert release.insufficient.all()
        assert not len(release.members)


@cases(
    ({"reading": "random"}, "reading = random: need printed or corrected"),
    ({"k": 0}, "k = 0: need a whole number 1 <= k"),
    ({"k": 10**30}, "k = 1000"),
    ({"depth": -1}, "depth = -1"),
    ({"depth": "deep"}, "depth = deep"),
    ({"thresholds": (4, 4)}, "thresholds = .* need rising whole numbers"),
    ({"levels": (10, 5)}, "levels = .* need 3 numbers, one more than thresholds"),
    ({"levels": "10,5,0"}, "levels = 0"),
    ({"least_nodes": 0}, "least_nodes = 0: need a whole number 1 <= least_nodes"),
    ({"least_nodes": "1.5"}, "least_nodes = 1.5"),
    ({"targets": ["x"]}, "target = x: need one of the 25 nodes of the city"),
    ({"targets": [[1]]}, "target = "),
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(InvalidArgument, match=message):
        density(City.grid(), **options)


def test_too_many_nodes_in_all_regions_are_refused(monkeypatch):
    city = City.grid(4, 4, users=16, seed=1)
    sizes = {
        reading: len(density(city, reading=reading).members) for reading in PRINTED_OR_CORRECTED
    }
    for reading, size in sizes.items():
        monkeypatch.setattr(module, "MOST", size)
        assert len(density(city, reading=reading).members) == size
        monkeypatch.setattr(module, "MOST", size - 1)
        assert "ask for fewer targets" in error_line(TooLarge, density, city, reading=reading)


def test_texts_mean_what_numbers_mean():
    city = City.grid(5, 5, users=40, seed=4)
    typed = density(city, k="3", depth="2", thresholds="5,9", levels="8,4,2", reading="printed")
    meant = density(
        city, k=3, depth=2, thresholds=(5, 9), levels=(8, 4, 2), reading=Reading.PRINTED
    )
    assert regions(typed) == regions(meant)
    assert typed.parameters == meant.parameters


def test_registered_and_at_the_front_door(tmp_path):
    method = METHODS["density"]
    assert method.kind is Kind.CITY
    assert method.promises == {Promise.K_ANONYMITY, Promise.CONNECTIVITY, Promise.RECIPROCITY}
    graph = nx.grid_2d_graph(3, 3)
    nx.set_node_attributes(graph, 2, "users")
    nx.set_node_attributes(graph, 5, "other")
    release = kproof.anonymize("density", graph, k=4)
    assert (release.anonymity >= 4).all()
    path = tmp_path / "regions.csv"
    assert release.to_csv(path) == 1 + max(release.cells)
    rows = path.read_text().splitlines()
    assert rows[0] == "region,k,node"
    assert len(rows) == 1 + graph.number_of_nodes()
    with pytest.raises(InvalidArgument, match="data = dict: need a City"):
        kproof.anonymize("density", {})


def test_the_written_regions_do_not_show_who_asked(tmp_path):
    city = City.grid(4, 4, users=40, seed=3)
    texts = []
    for targets in ([0, 5, 9], [9, 9, 0, 5, 0]):
        path = tmp_path / "out.csv"
        density(city, reading="printed", targets=targets).to_csv(path)
        texts.append(path.read_text())
    assert texts[0] == texts[1]


def test_names_that_are_formulas_are_written_as_texts(tmp_path):
    density(City.of([3, 3], [(0, 1)], names=["=1+1", "mill"]), k=5).to_csv(tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == "region,k,node\n0,5,'=1+1\n0,5,mill\n"


def test_the_experiment_is_seeded_and_its_table_agrees_with_the_plain_form():
    outcome = experiment(reading="printed", seed=5, draw="nodes")
    assert outcome.runs == experiment(reading="printed", seed=5, draw=Draw.NODES).runs
    assert outcome.runs != experiment(reading="printed", seed=6, draw=Draw.NODES).runs
    city = outcome.release.city
    once, again = (experiment(city, seed=seed).release.targets.tolist() for seed in (5, 6))
    assert once != again
    assert (city.nodes, city.population, len(outcome.runs)) == (25, 30, 20)
    wanted = asked_of(city, {})
    for run in outcome.runs:
        node = int(str(run.target))
        region = region_of(city, node, wanted[node])
        assert (run.k, run.region_size) == (wanted[node], len(region))
        assert run.region_users == sum(city.users[other] for other in region)
        assert run.density_class == {10: "Sparse", 5: "Medium", 2: "Dense"}[run.k]
    sizes = [run.region_size for run in outcome.runs]
    summary = outcome.summary
    assert summary["mean_region_size"] == pytest.approx(sum(sizes) / 20)
    assert (summary["least_region_size"], summary["most_region_size"]) == (min(sizes), max(sizes))
    assert summary["without_users"] == sum(
        city.users[int(str(r.target))] == 0 for r in outcome.runs
    )
    assert outcome.table().count("\n") == 21


def test_the_experiment_refuses():
    assert "the city has no users" in error_line(DataError, experiment, street([0], []))
    assert "draw = all: need users or nodes" in error_line(InvalidArgument, experiment, draw="all")
    assert "runs = 0" in error_line(InvalidArgument, experiment, runs=0)


def test_runs_that_cannot_be_served_are_in_the_table_and_not_in_the_means():
    one = {"thresholds": (), "levels": 2, "least_nodes": 1}
    outcome = experiment(street([1, 9], []), runs=30, seed=1, **one)
    assert {run.insufficient for run in outcome.runs} == {True, False}
    assert outcome.summary["least_region_size"] == 1
    assert {run.density_class for run in outcome.runs} == {"1"}
    nobody = experiment(street([1], []), runs=2)
    assert nobody.summary["mean_k"] is None
    assert "the city has no coordinates" in error_line(DataError, figures, nobody)


def pixels(image: bytes) -> Any:
    import io

    from matplotlib import image as reader

    return reader.imread(io.BytesIO(image), format="png")[:, :, :3]


def test_the_figures_are_pictures_with_the_colours_of_the_document(tmp_path):
    outcome = experiment(reading="printed", seed=5)
    paths = save(outcome, tmp_path / "new" / "folder")
    assert [path.name for path in paths] == [*FIGURES, "runs.csv"]
    assert paths[-1].read_text() == outcome.table()
    shown = pixels(paths[2].read_bytes()).reshape(-1, 3)
    counts = {}
    for name, colour in {"yellow": "ffd400", "red": "d62728", "blue": "4c8bd6"}.items():
        wanted = np.array([int(colour[at : at + 2], 16) / 255 for at in (0, 2, 4)])
        counts[name] = int((np.abs(shown - wanted).max(axis=1) < 0.01).sum())
    # One yellow dot and one in the legend; of blue and red as the region has it.
    size = outcome.runs[0].region_size
    assert counts["red"] < counts["blue"]
    assert counts["yellow"] > 100
    assert counts["blue"] / counts["red"] == pytest.approx((25 - size + 1) / size, rel=0.35)
    assert figures(outcome) == {path.name: path.read_bytes() for path in paths[:3]}


def test_nothing_is_written_if_a_figure_cannot_be_drawn(tmp_path):
    bare = experiment(street([4, 4], [(0, 1)]), runs=2)
    assert "no coordinates" in error_line(DataError, save, bare, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="cannot be made"):
        save(experiment(runs=2), tmp_path / "file" / "out")


def test_a_large_city_is_drawn_around_the_region():
    release = density(City.grid(60, 60, users=3000, seed=1), targets=[0])
    blank = region_map(release, None).png()
    shown = region_map(release, 0).png()
    assert pixels(shown).shape[2] == 3
    assert shown != blank
    assert "request = 1" in error_line(InvalidArgument, region_map, release, 1)


def test_most_users_of_a_grid_have_fewer_than_k_candidates():
    short = []
    for seed in range(40):
        release = density(City.grid(5, 5, users=30, seed=seed), reading="printed")
        people = release.city.users[release.targets]
        short.append(people[release.anonymity < release.k].sum() / 30)
    assert 0.85 < np.mean(short) < 0.95


def test_most_users_of_pittsburgh_have_fewer_than_k_candidates():
    nodes, edges = data_file("pgh_nodes.csv"), data_file("pgh_edges.csv")
    city = read_city(nodes, edges=edges, users=25_000, seed=1)
    account = density(city, reading="printed").to_dict()
    below = account["users_with_fewer_than_k"]
    assert (account["users_served"], below["by_region"]) == (24_833, 21_932)
    account = density(city).to_dict()
    assert account["users_with_fewer_than_k"] == {"by_k": 0, "by_region": 0, "by_region_and_k": 0}
