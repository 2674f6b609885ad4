"""Public data that the repository does not hold, where a machine has them."""

import os
from pathlib import Path

import pytest


def data_file(name: str) -> Path:
    """Return a file or folder below the folder that KPROOF_DATA names, or skip the test."""
    folder = os.environ.get("KPROOF_DATA")
    if not folder or not Path(folder, name).exists():
        pytest.skip(f"set KPROOF_DATA to a folder with {name}")
    return Path(folder, name)
