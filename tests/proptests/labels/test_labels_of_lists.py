"""Notations met in published libraries: a list of one text, and words joined by hyphens."""

from __future__ import annotations

import pytest

from kproof.proptests.labels.labels import covers


@pytest.mark.parametrize(
    ("label", "inside", "outside"),
    [
        (["b,a"], ["a", "b"], ["c", "b,"]),
        # Of several elements each is a value as it stands, with whatever commas are in it.
        (["b,a", "c"], ["b,a", "c"], ["a", "b"]),
        ("a-b", ["a", "b", "a-b"], ["c"]),
        ("a-b-c", ["a", "b", "c"], ["d", "a-c"]),
        # A hyphen between words and numbers is part of a name.
        ("a-1", ["a-1"], ["a", 1, "1"]),
        ("a-0", ["a-0"], ["a", 0, "0"]),
        # A sign is no separator, and beside another separator a hyphen is none.
        ("{-8, ?}", [-8, None], [8]),
        ("{x-y, z}", ["x-y", "z"], ["x", "y"]),
        ("20-30", [20, 25, 30], [19, 31]),
        ("2000-01-02", ["2000-01-02"], [2000, 1]),
    ],
)
def test_met_elsewhere(label: object, inside: list[object], outside: list[object]) -> None:
    assert [covers(label, value) for value in inside] == [True] * len(inside)
    assert not any(covers(label, value) for value in outside)
