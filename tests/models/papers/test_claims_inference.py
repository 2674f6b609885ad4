"""The ledger of the measurements of Section IV: they are counted anew, by hand."""

from importlib import resources
from pathlib import Path

import pytest
from tables import rows_of

RESULTS = Path(__file__).parents[3] / "results" / "inference"


@pytest.mark.parametrize("name", ["means.csv", "bounds.csv"])
def test_what_comes_with_kproof_is_what_was_found(name):
    shipped = resources.files("kproof.datasets") / "inference" / name
    assert shipped.read_bytes() == (RESULTS / name).read_bytes()


def test_counts_by_hand():
    """Table III anew, counted without the functions that the ledger calls."""
    rows = rows_of(RESULTS / "means.csv")
    first = {
        (row["technique"], row["attack"]): float(row["mean"])
        for row in rows
        if (row["level"], row["k"], row["prior"]) == ("I", "6", "class")
    }
    # 752 clusters of CA and BE, and 111 degrees of IA, among 4,515 users.
    for attack in ("mle", "bas"):
        assert first["CA", attack] == first["BE", attack] == pytest.approx(752 / 4515, abs=1e-9)
        assert first["IA", attack] == pytest.approx(111 / 4515, abs=1e-9)
    second = {row["mean"] for row in rows if row["level"] == "II" and row["prior"] == "all"}
    assert second == {f"{1 / 4515:.9f}"}
