"""Hierarchies out: the file that ARX reads, one line for each value, its labels rising."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

from kproof.models.base.taxonomy import Taxonomy
from kproof.outputs import replace_file


def hierarchy_rows(tree: Taxonomy, values: Sequence[object], column: str) -> list[tuple[str, ...]]:
    """Return for each value its label at every level, the values in the order of the tree.

    >>> tree = Taxonomy.from_paths([("a", "x", "*"), ("b", "x", "*"), ("c", "c", "*")])
    >>> hierarchy_rows(tree, ["c", "a"], "letter")
    [('a', 'x', '*'), ('c', 'c', '*')]
    """
    nodes = sorted(tree.of(values, column=column).tolist())
    level_nodes = [tree.at_level(level) for level in range(tree.top + 1)]
    return [tuple(tree.labels[int(level[node])] for level in level_nodes) for node in nodes]


def write_hierarchy(path: str | Path, tree: Taxonomy, values: Sequence[object], column: str) -> int:
    """Write a hierarchy as ARX reads it: semicolons, no header, UTF-8; whole or not at all.

    :meth:`kproof.models.base.taxonomy.Taxonomy.from_csv` reads it back with the same levels.
    """
    rows = hierarchy_rows(tree, values, column)
    text = StringIO()
    csv.writer(text, delimiter=";", lineterminator="\n").writerows(rows)
    with replace_file(path) as file:
        file.write(text.getvalue())
    return len(rows)
