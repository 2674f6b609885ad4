"""The least exponent of a channel, beside the definition over all pairs of cells."""

from collections import Counter
from fractions import Fraction
from itertools import permutations
from math import exp, inf, log
from typing import Any

import networkx as nx
import pytest
from cases import cases, error_line
from hypothesis import assume, given
from hypothesis import strategies as st

from kproof.errors import InvalidArgument, TooLarge
from kproof.theory.exact.coins import CoinSource
from kproof.theory.profiles.channels import Channel, grid_links, truncated_geometric


def least_by_definition(channel: Channel) -> float:
    """The largest ln of a ratio over the distance of its cells, over all pairs."""
    graph: Any = nx.Graph()
    graph.add_nodes_from(channel.cells)
    for (here, there), length in channel.links.items():
        graph.add_edge(here, there, weight=length)
    far = dict(nx.all_pairs_dijkstra_path_length(graph))
    shares = {
        cell: [Fraction(weight, sum(row)) for weight in row]
        for cell, row in zip(channel.cells, channel.weights, strict=True)
    }
    least = 0.0
    for here, there in permutations(channel.cells, 2):
        for likely, unlikely in zip(shares[here], shares[there], strict=True):
            if likely and there in far[here]:
                ratio = log(likely / unlikely) if unlikely else inf
                least = max(least, ratio / float(far[here][there]))
    return least


@st.composite
def channels(draw: st.DrawFn) -> Channel:
    count, reports = draw(st.integers(2, 5)), draw(st.integers(1, 4))
    cells = [f"c{number}" for number in range(count)]
    pairs = [(a, b) for at, a in enumerate(cells) for b in cells[at + 1 :]]
    ends = draw(st.lists(st.sampled_from(pairs), min_size=1, unique=True))
    lengths = st.sampled_from([Fraction(1, 2), Fraction(1), Fraction(3)])
    rows = {}
    for cell in cells:
        weights = draw(st.lists(st.integers(0, 4), min_size=reports, max_size=reports))
        assume(any(weights))
        rows[cell] = {f"r{at}": Fraction(w, sum(weights)) for at, w in enumerate(weights)}
    return Channel.of(rows, [(*pair, draw(lengths)) for pair in ends])


@given(channels())
def test_neighbours_decide(channel):
    exponent, least = channel.exponent, least_by_definition(channel)
    if exponent.ratio is None:
        assert exponent.epsilon.lower.is_infinite()
        assert least == inf
        return
    assert float(exponent.epsilon) == pytest.approx(least, abs=1e-12)
    # It is attained where it says.
    here, there = (channel.cells.index(cell) for cell in exponent.link)
    at = channel.reports.index(exponent.report)
    likely, unlikely = channel.weights[here], channel.weights[there]
    assert exponent.ratio == Fraction(likely[at], sum(likely)) / Fraction(
        unlikely[at], sum(unlikely)
    )
    assert exponent.after(3).lower >= 0
    assert float(exponent.after(3)) == pytest.approx(3 * least, abs=1e-12)


def test_the_naive_exponent_of_a_truncated_geometric_is_too_small():
    for ratio in ("1/2", "1/3", "9/10"):
        channel = truncated_geometric(grid_links(7, 7), ratio)
        assert float(channel.exponent.epsilon) == pytest.approx(least_by_definition(channel))
        assert channel.exponent.epsilon.lower > log(1 / Fraction(ratio))
    assert exp(float(truncated_geometric(grid_links(7, 7), "1/2").exponent.epsilon)) == (
        pytest.approx(2.488, abs=5e-4)
    )


def test_reports_are_drawn_with_their_probabilities():
    channel = truncated_geometric(grid_links(2, 2), "1/2")
    coins = CoinSource.of_seed(7)
    counts = Counter(channel.report_from("1-1", coins) for _ in range(9_000))
    # 1, 1/2, 1/2, 1/4 of 9/4.
    for cell, share in (("1-1", 4), ("1-2", 2), ("2-1", 2), ("2-2", 1)):
        assert counts[cell] == pytest.approx(1_000 * share, abs=200)


@cases(
    ({"a": {"a": "1/2"}, "b": {"b": 1}}, [("a", "b")], "probabilities at a = 1/2: need 1 in all"),
    ({"a": {"a": 1}, "b": {"b": 1}}, [("a", "c")], "links = 'a to c': need two different cells"),
    ({"a": {"a": 1}, "b": {"b": 1}}, [("a", "b"), ("b", "a")], "links = 'b to a': need each once"),
    ({"a": {"a": 1}, "b": {"b": 1}}, [("a", "b", 0)], "length of a to b = 0"),
    ({"a": {"a": 1}}, [], "cells = 1"),
    ({"a": {"a": 2, "b": -1}, "b": {"b": 1}}, [("a", "b")], "p of b at a = -1"),
)
def test_what_is_no_channel_is_refused(rows, links, match):
    with pytest.raises(InvalidArgument, match=match):
        Channel.of(rows, links)


def test_no_geometric_on_pieces_or_without_end():
    with pytest.raises(InvalidArgument, match="a way from every cell to every other"):
        truncated_geometric([("a", "b"), ("c", "d")], "1/2")
    with pytest.raises(InvalidArgument, match="one length"):
        truncated_geometric([("a", "b"), ("b", "c", 2)], "1/2")
    assert "1,600 cells" in error_line(TooLarge, truncated_geometric, grid_links(40, 40), "1/2")
    with pytest.raises(InvalidArgument, match="two neighbours or more"):
        _ = Channel.of({"a": {"a": 1}, "b": {"b": 1}}, []).exponent
