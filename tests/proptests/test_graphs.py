"""Social graphs in the suite: what is drawn, what is checked, and who passes."""

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from random import Random
from types import SimpleNamespace
from typing import Any

import networkx as nx
import numpy as np
import pytest
from cases import cases
from hypothesis import HealthCheck, Phase, find, settings
from judgements import violation_of
from reference_graphs import REFERENCES, anonymous_degrees

from kproof.models.graphs.release import seal_clusters, seal_graph
from kproof.models.registry import Kind, Promise
from kproof.proptests import check_anonymizer
from kproof.proptests.cases import GraphCase, Publication
from kproof.proptests.checks import by_name
from kproof.proptests.contract import Refusal, Subject, Trial
from kproof.proptests.judgement import InDoubt, Judgement, Kept, Violation
from kproof.proptests.sources import sources
from kproof.proptests.strategies.graphs import (
    cliques,
    edge,
    graph_cases,
    hubs,
    loners,
    social_graphs,
)
from kproof.proptests.subjects.native import native_subject

SEARCH = settings(
    deadline=None, database=None, max_examples=2000, suppress_health_check=list(HealthCheck)
)


def smallest(strategy: Any, wanted: Callable[[Any], bool]) -> Any:
    return find(strategy, wanted, settings=SEARCH, random=Random(1))


def as_networkx(case: GraphCase) -> nx.Graph:
    graph = nx.Graph(case.friendships)
    graph.add_nodes_from(range(case.users))
    return graph


# What is drawn.


def test_edges_are_numbered_so_that_users_can_be_added():
    numbered = [edge(number) for number in range(45)]
    for users in range(11):
        assert sorted(numbered[: users * (users - 1) // 2]) == list(combinations(range(users), 2))


def test_the_finite_source_has_every_graph_of_up_to_four_users():
    (source,) = (one for one in sources(Kind.GRAPH) if one.exhaust is not None)
    assert source.exhaust is not None
    cases = list(source.exhaust(frozenset({"k"})))
    # Labelled graphs on n users: 2^(n(n-1)/2).
    assert len(cases) == 2 * (1 + 1 + 2 + 8 + 64)
    assert len({(one.users, one.friendships, one.parameters["k"]) for one in cases}) == len(cases)
    assert [one.users for one in cases] == sorted(one.users for one in cases)


@cases(
    (graph_cases(graphs=hubs()), lambda case: max(dict(as_networkx(case).degree).values()) > 6),
    (
        graph_cases(graphs=cliques()),
        lambda case: max(map(len, nx.find_cliques(as_networkx(case)))) >= 5,
    ),
    (
        graph_cases(graphs=loners()),
        lambda case: nx.number_of_isolates(as_networkx(case)) > 1 and len(case.friendships) > 1,
    ),
    (graph_cases(), lambda case: case.users == 0),
    (
        graph_cases(),
        lambda case: (
            nx.number_connected_components(as_networkx(case))
            - nx.number_of_isolates(as_networkx(case))
            >= 2
        ),
    ),
    (graph_cases(), lambda case: case.parameters["k"] > case.users > 0),
    (social_graphs(attributes=True), lambda graph: graph.users > 2 and len(graph.attributes)),
)
def test_each_feature_is_drawn(strategy, wanted):
    once = settings(SEARCH, phases=[Phase.generate])
    find(strategy, lambda case: bool(wanted(case)), settings=once, random=Random(0))


@cases(
    (lambda case: case.users >= 3, GraphCase(3, (), {}, {"k": 2})),
    (lambda case: case.friendships, GraphCase(2, ((0, 1),), {}, {"k": 2})),
    (
        lambda case: sum(nx.triangles(as_networkx(case)).values()),
        GraphCase(3, ((0, 1), (0, 2), (1, 2)), {}, {"k": 2}),
    ),
    (
        lambda case: 3 in dict(as_networkx(case).degree).values(),
        GraphCase(4, ((0, 1), (0, 2), (0, 3)), {}, {"k": 2}),
    ),
    (lambda case: case.parameters["k"] == 4, GraphCase(0, (), {}, {"k": 4})),
)
def test_planted_faults_shrink_to_the_smallest(wanted, expected):
    found = smallest(graph_cases(), lambda case: bool(wanted(case)))
    assert (found.users, found.parameters) == (expected.users, expected.parameters)
    # Which of several equal users has the friends is left open.
    assert nx.is_isomorphic(as_networkx(found), as_networkx(expected))


# Who passes.


@pytest.mark.parametrize("subject", REFERENCES, ids=lambda subject: subject.name)
def test_the_references_keep_their_promises(subject):
    check_anonymizer(subject, profile="quick", max_examples=10)


def test_the_reference_raises_degrees_by_the_least_sum():
    assert anonymous_degrees([5, 4, 3, 1], 2) == (5, 5, 3, 3)
    assert sum(anonymous_degrees([3, 1, 1], 2)) == 9


# What is checked: publications by hand, of a case on which the right answer is plain.

PATH = GraphCase(3, ((0, 1), (1, 2)), {"age": (30, 31, 45)}, {"k": 2})


def judged(name: str, case: GraphCase, publish: Callable[[Any], Any]) -> Violation | None:
    subject = Subject("by hand", Kind.GRAPH, frozenset(Promise), publish)
    return violation_of(by_name(name, Kind.GRAPH).function(Trial(subject, case)))


def graph(edges: list[tuple[int, int]], vertices: list[int]) -> Callable[[Any], Publication]:
    return lambda case: Publication(
        seal_graph(case.graph, edges, vertices=vertices, method="by hand", parameters={})
    )


ALL = [0, 1, 2]
TRIANGLE = [(0, 1), (1, 2), (0, 2)]


@cases(
    ("k-degree", TRIANGLE, ALL, None, ()),
    ("k-degree", [(0, 1), (1, 2)], ALL, "1", (1,)),
    # One more vertex of the same degree hides nobody if it is nobody's.
    ("k-degree", [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)], [*ALL, -1], "1", (1,)),
    ("supergraph", TRIANGLE, ALL, None, ()),
    ("supergraph", [(1, 2), (0, 2)], ALL, "removed", (0, 1)),
    ("supergraph", [(0, 1)], [0, 1], "0", (2,)),
    ("supergraph", TRIANGLE, [0, 1, 1], "2", (1,)),
    ("simple graph", TRIANGLE, ALL, None, ()),
    ("simple graph", [*TRIANGLE, (1, 1)], ALL, "loop", None),
    ("simple graph", [*TRIANGLE, (1, 0)], ALL, "twice", None),
)
def test_supergraphs(name, edges, vertices, found, rows):
    seen = judged(name, PATH, graph(edges, vertices))
    if rows is None:
        assert seen is not None
        return
    assert (None if seen is None else seen.found) == found
    assert (() if seen is None else seen.input_rows) == rows


def clustered(cluster_of: list[int], **changes: Any) -> Callable[[GraphCase], Publication]:
    def publish(case: GraphCase) -> Publication:
        graph = case.graph
        release = seal_clusters(
            graph, cluster_of, method="by hand", parameters={}, attributes=case.graph.attributes
        )
        return Publication(replace(release, **changes))

    return publish


@cases(
    ("cluster size", [0, 0, 0], {}, None),
    ("cluster size", [0, 0, 1], {}, "1"),
    ("every user in a cluster", [0, 0, 0], {}, None),
    ("every user in a cluster", [0, 0, -1], {}, "1 left out"),
    ("cluster labels", [0, 0, 1], {}, None),
    ("cluster counts", [0, 0, 1], {}, None),
    ("cluster counts", [0, 0, 1], {"inner": np.array([2, 0])}, "2"),
    ("cluster counts", [0, 0, 1], {"weights": np.array([2])}, "2"),
    ("cluster counts", [0, 0, 1], {"sizes": np.array([3, 1])}, "3"),
)
def test_clusters(name, cluster_of, changes, found):
    seen = judged(name, PATH, clustered(cluster_of, **changes))
    assert (None if seen is None else seen.found) == found


def test_labels_of_another_partition_do_not_cover():
    def stale(case: GraphCase) -> Publication:
        now = clustered([0, 1, 0])(case).release
        before: Any = clustered([0, 0, 1])(case).release
        return Publication(replace(now, attributes=before.attributes))

    assert judged("cluster labels", PATH, stale) is not None


def test_a_label_that_cannot_be_read_hides_no_false_one() -> None:
    def labelled(*labels: str) -> Judgement:
        column = SimpleNamespace(column=SimpleNamespace(name="age"), label=labels.__getitem__)
        published = clustered([0, 0, 1], attributes=(column,))
        subject = Subject("by hand", Kind.GRAPH, frozenset(Promise), published)
        return by_name("cluster labels", Kind.GRAPH).function(Trial(subject, PATH))

    assert labelled("a mess", "45") == InDoubt("label a mess of age cannot be read")
    assert isinstance(labelled("a mess", "99"), Violation)
    assert isinstance(labelled("30-31", "45"), Kept)


# Other people's functions.


@cases(
    (None, "NothingPublished: it returned None"),
    ([], "NothingPublished: it returned no clusters"),
    ([[0, 9]], "it returned 9, which is no user"),
    ([[0, 1], [1, 2]], "it returned user 1 in two clusters"),
)
def test_what_is_no_publication(answer, says):
    outcome = Trial(native_subject(lambda graph, k: answer, kind=Kind.GRAPH), PATH).outcome
    assert isinstance(outcome, Refusal)
    assert says in str(outcome)


@pytest.mark.parametrize("answer", [[[0, 2], [1]], {0: "a", 1: "b", 2: "a"}])
def test_clusters_are_read_as_lists_and_as_mappings(answer):
    subject = native_subject(lambda graph, k: answer, kind=Kind.GRAPH)
    assert subject.publish(PATH).release.cluster_of.tolist() == [0, 1, 0]


def test_a_graph_with_more_vertices_is_read_with_nobody_behind_them():
    def publish(graph: Any, k: int) -> Any:
        found = graph.copy()
        found.add_edge(2, "new")
        return found

    publication = native_subject(publish, kind=Kind.GRAPH).publish(PATH)
    assert publication.release.vertices.tolist() == [0, 1, 2, -1]
    assert publication.release.edges.tolist() == [[0, 1], [1, 2], [2, 3]]
    assert publication.changed == ""


def test_a_changed_graph_is_told():
    def publish(graph: Any, k: int) -> Any:
        graph.remove_edge(0, 1)
        return graph

    assert (
        native_subject(publish, kind=Kind.GRAPH).publish(PATH).changed == "edge 0, 1 of the graph"
    )


def test_users_in_two_clusters_are_no_refusal():
    def twice(graph: Any, k: int) -> Any:
        return [list(graph), list(graph)]

    options: dict[str, Any] = {"kind": "graph", "profile": "quick", "on_fail": "return"}
    promised = check_anonymizer(twice, promises=["cluster-size", "partition"], **options)
    assert [result.check.name for result in promised.failures] == ["every user in a cluster"]
    violation = promised["every user in a cluster"].violation
    assert violation is not None
    assert violation.sentence == "it returned user 0 in two clusters"
    # Who does not promise a partition has published what nobody can read all the same.
    other = check_anonymizer(twice, promises=["cluster-size"], **options)
    [result] = other.failures
    assert result.check.name == "refuses clearly"
    assert "what it publishes cannot be read: it returned user 0 in two" in str(other)
