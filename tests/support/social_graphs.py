"""Real friendships for tests, where they are."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest

from kproof.models.graphs.files import read_graph
from kproof.models.graphs.social import SocialGraph

NAME = "gowalla_users0-4514.tsv"


def gowalla_path() -> Path:
    """Return the file of Gowalla's first 4,515 users, or skip the test."""
    path = Path(os.environ.get("KPROOF_DATA", "")) / NAME
    if not path.exists():
        pytest.skip(f"set KPROOF_DATA to a folder with {NAME}")
    return path


@cache
def _read(path: Path) -> SocialGraph:
    return read_graph(path)


def gowalla() -> SocialGraph:
    """Return the friendships among Gowalla's first 4,515 users, or skip the test."""
    return _read(gowalla_path())
