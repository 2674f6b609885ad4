"""Real friendships for tests, where they are."""

from functools import cache
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
