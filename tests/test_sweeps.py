"""Sweeps that are shared find what one process finds."""

from collections.abc import Iterator
from dataclasses import replace

import pandas as pd
import pytest
from clusters import threads
from shell import kproof as command
from shell import refused

from kproof.cluster import Cluster
from kproof.errors import InvalidArgument
from kproof.models.frontier import frontier
from kproof.models.graphs.social import SocialGraph
from kproof.models.papers.fu_experiment import ParameterGrid, run
from kproof.proptests.seeds import check_seeds
from kproof.theory import falsify
from kproof.theory.falsify.families import Counts, fractions_to

SMALL = "many duplicates"


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with threads() as found:
        yield found


def test_a_frontier(cluster):
    frame = pd.DataFrame({"age": [30 + one % 17 for one in range(60)], "ill": ["a", "b", "c"] * 20})
    asked = {"quasi_identifiers": ["age"], "sensitive": "ill", "k": [2, 5, 70]}
    methods = ["mondrian", "kaca", "full-domain"]
    here = frontier(frame, methods=methods, jobs=1, **asked)
    there = frontier(frame, methods=methods, cluster=cluster, **asked)
    assert [replace(one, seconds=0.0) for one in here.candidates] == [
        replace(one, seconds=0.0) for one in there.candidates
    ]
    with pytest.raises(InvalidArgument, match="jobs = 2: need nothing beside a cluster"):
        frontier(frame, methods=methods, cluster=cluster, jobs=2, **asked)


@pytest.mark.parametrize("theorem", [1, 2])
def test_a_box(theorem, cluster):
    """The first case that refutes the claim is the first one in the order of the box."""
    small = Counts(sizes=(2, 3, 4), chances=fractions_to(4))
    for reading in ("printed", "corrected"):
        family = small if theorem == 1 else None
        if family is None and reading == "corrected":
            continue  # a long box, and nothing in it
        here = falsify(theorem, reading=reading, family=family)
        assert falsify(theorem, reading=reading, family=family, cluster=cluster) == here


def test_a_grid(cluster, tmp_path):
    edges = [(one, (one * 7 + step) % 30) for one in range(30) for step in (1, 2)]
    graph = SocialGraph.from_edges([pair for pair in edges if pair[0] != pair[1]])
    grid = ParameterGrid.of(k=[3], shares=["0.2"], seeds=2, fixed_k=3, priors=["class"])
    here = run(graph, grid)
    log = tmp_path / "log"
    told: list[int] = []
    there = run(
        graph, grid, path=log, progress=lambda done, total: told.append(done), cluster=cluster
    )
    assert there == here
    assert told[-1] == len(grid.cells)
    assert len(log.read_text().splitlines()) == len(grid.cells)
    # What is there already is not measured again.
    assert run(graph, grid, path=log, cluster=cluster) == here


def test_seeds(cluster):
    options = {"checks": ["k-anonymity"], "sources": [SMALL], "max_examples": 5}
    here = check_seeds("mondrian", range(3), **options)
    assert check_seeds("mondrian", range(3), cluster=cluster, **options) == here
    assert here.answer.value == "kept"
    for wrong in ({"seed": 1}, {"on_fail": "raise"}):
        with pytest.raises(InvalidArgument, match="need seeds in its place"):
            check_seeds("mondrian", [1], **wrong)
    with pytest.raises(InvalidArgument, match="seeds = none: need at least one"):
        check_seeds("mondrian", [])


def test_the_command_for_seeds():
    asked = ("verify", "mondrian", "--source", SMALL, "--max-examples", "4")
    told = command(*asked, "--check", "k-anonymity", "--seeds", "2", "--seed", "3")
    assert told.status == 0
    assert "seeds 3 to 4: 2 runs, kept" in told.out
    document = command(*asked, "--check", "k-anonymity", "--seeds", "2", "--json").document
    assert [one["seed"] for one in document["runs"]] == [0, 1]
    assert "--seeds N" in refused(*asked, "--jobs", "2")
    assert "none beside --seeds" in refused(*asked, "--seeds", "2", "--html", "page.html")
