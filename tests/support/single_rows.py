"""Columns of codes, and how many rows they single out, by counting tuples."""

from collections import Counter
from collections.abc import Sequence

from hypothesis import strategies as st


def single(*columns: Sequence[int]) -> int:
    """Return how many rows have cells that no other row has."""
    return sum(times == 1 for times in Counter(zip(*columns, strict=True)).values())


def columns_of(
    most: st.SearchStrategy[int], *, least: int, rows: int, columns: tuple[int, int]
) -> st.SearchStrategy[list[list[int]]]:
    """Return columns of up to so many rows, each of codes from the least to a most of its own."""

    def tables(size: int) -> st.SearchStrategy[list[list[int]]]:
        def column(top: int) -> st.SearchStrategy[list[int]]:
            return st.lists(st.integers(least, top), min_size=size, max_size=size)

        return st.lists(most.flatmap(column), min_size=columns[0], max_size=columns[1])

    return st.integers(1, rows).flatmap(tables)
