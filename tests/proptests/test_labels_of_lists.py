"""Notations met in published libraries: a list of one text, and words joined by hyphens."""

from __future__ import annotations

import pytest

from kproof.proptests.labels import covers


@pytest.mark.parametrize(
    ("label", "inside", "outside"),
    [
        (["b,a"], ["a", "b"], ["c", "b,"]),
        ("a-b", ["a", "b", "a-b"], ["c"]),
        ("20-30", [20, 25, 30], [19, 31]),
        ("2000-01-02", ["2000-01-02"], [2000, 1]),
    ],
)
def test_met_elsewhere(label: object, inside: list[object], outside: list[object]) -> None:
    assert [covers(label, value) for value in inside] == [True] * len(inside)
    assert not any(covers(label, value) for value in outside)
