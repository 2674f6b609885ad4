"""Real friendships for tests, where they are."""

from functools import cache
from itertools import combinations
from pathlib import Path

from public_data import data_file

from kproof.models.graphs.files import read_graph
from kproof.models.graphs.social import SocialGraph


def gowalla_path() -> Path:
    """Return the file of Gowalla's first 4,515 users, or skip the test."""
    return data_file("gowalla_users0-4514.tsv")


@cache
def _read(path: Path) -> SocialGraph:
    return read_graph(path)


def gowalla() -> SocialGraph:
    """Return the friendships among Gowalla's first 4,515 users, or skip the test."""
    return _read(gowalla_path())


def graph_of(users: int, mask: int) -> SocialGraph:
    """Return a graph whose pairs of users, in order, are friends where a bit is set."""
    pairs = combinations(range(users), 2)
    chosen = [pair for place, pair in enumerate(pairs) if mask >> place & 1]
    return SocialGraph.from_edges(chosen, users=range(users))
