"""What is printed on a terminal of 40 columns has whole words and whole numbers."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from shell import kproof

_MOMENTS = "--mean 1/2 --second 1/2 --third 1/2 --fourth 1/2 --n 100 --assume independence"
_TABLE = "--qi Age,'Zip Code' --sensitive Disease --drop ID,Name"
LINES = (
    "datasets",
    f"check table-1a {_TABLE} --k 2 --l 2",
    f"compare table-1a {_TABLE} --methods mondrian --k 2,4",
    "hierarchy table-1a --column Age --ladder range:5,10 -o ages.csv",
    "exact binomial --n 20 --p 1/2 --epsilon 0:1:4",
    f"bound 2 {_MOMENTS} --epsilon 1/10",
    f"bound 2 {_MOMENTS} --epsilon 0.1:1:3",
    "design n --epsilon 0.5 --delta 0.01 --data table-1a --column Age",
    "attack homogeneity table-1b --qi Class --sensitive Disease --drop ID",
    "audit --paper regions",
)
"""A command for each table that is printed; the others print sentences."""


@pytest.mark.parametrize("line", LINES)
def test_no_word_is_broken_or_lost(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = shlex.split(line)
    wide, narrow = kproof(*words, columns=400), kproof(*words, columns=40)
    assert wide.status == narrow.status in (0, 1, 4), wide.err
    assert {word for word in wide.out.split() if "─" not in word} <= {
        word for text in narrow.out.split() for word in (text, text.removesuffix(":"))
    }
    # A line is longer only if it is a word that is.
    assert [one for one in narrow.out.splitlines() if len(one) > 40 and " " in one.strip()] == []
