"""The ledger of CA, IA and BE: its evidence is run, and the calls are checked by other means."""

from __future__ import annotations

import doctest
from itertools import combinations

import networkx as nx
import pytest

from kproof.models.papers.claims import SOCIAL_GRAPHS
from kproof.models.papers.social_examples import fewest_added, recognised
from kproof.theory.ledger import Claim


@pytest.mark.parametrize("claim", SOCIAL_GRAPHS.claims, ids=lambda claim: claim.id)
def test_the_evidence_holds(claim: Claim) -> None:
    assert claim.evidence
    for one in claim.evidence:
        example = doctest.DocTestParser().get_doctest(one.example, {}, claim.id, None, None)
        told: list[str] = []
        failed, tried = doctest.DocTestRunner().run(example, out=told.append)
        assert (failed, tried) == (0, len(one.imports) + 1), "".join(told)


def test_the_ledger_is_whole() -> None:
    numbers = [claim.id for claim in SOCIAL_GRAPHS.claims]
    assert numbers == [f"G{number}" for number in range(1, len(numbers) + 1)]


def test_the_middle_of_a_path_is_alone() -> None:
    path = nx.path_graph(5)
    about = {node: sorted(path.degree(other) for other in path[node]) for node in path}
    assert [node for node in path if list(about.values()).count(about[node]) == 1] == [2]
    assert recognised(path.edges(), 2) == (2,)


def test_fewest_edges_of_a_star() -> None:
    star = nx.star_graph(4)
    absent = list(nx.non_edges(star))
    for size in range(3):
        for more in combinations(absent, size):
            grown = nx.Graph([*star.edges(), *more])
            counts = [degree for _, degree in grown.degree()]
            assert any(counts.count(degree) == 1 for degree in counts)
    assert fewest_added(star.edges(), 2) == 3
