"""Files out: a release, figures and hierarchies as CSV, whole or not at all."""

import csv
from collections.abc import Iterable, Sequence
from hashlib import sha256
from io import StringIO
from pathlib import Path

import numpy as np

from kproof.models.base.columns import Column
from kproof.models.base.missing import text
from kproof.models.base.taxonomy import Taxonomy
from kproof.outputs import replace_file

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_BATCH = 1 << 18


def write_csv(path: str | Path, columns: Sequence[Column]) -> int:
    """Write columns as a CSV file in UTF-8 with a header row, whole or not at all.

    Missing cells are ``?``. A text that a spreadsheet would run as a formula is written with an
    apostrophe before it; numbers and labels of numbers are left alone. Returns how many cells were
    written so, the header's included.
    """
    return write_digested_csv(path, columns)[0]


def write_digested_csv(path: str | Path, columns: Sequence[Column]) -> tuple[int, str]:
    """Write columns as :func:`write_csv` does, and return the file's SHA-256 as well.

    A file that takes its place together with others cannot be read before all of them do.
    """
    guarded = 0
    texts = []
    for column in columns:
        labels = [text(value) for value in column.values]
        if not column.numeric:
            safe = [inert(label) for label in labels]
            changed = [before != after for before, after in zip(labels, safe, strict=True)]
            # A text stands in as many cells as rows carry its code, or in none.
            guarded += int(np.count_nonzero(np.array(changed, dtype=np.bool_)[column.codes]))
            labels = safe
        texts.append(labels)
    names = [inert(column.name) for column in columns]
    guarded += sum(name != column.name for name, column in zip(names, columns, strict=True))
    rows = len(columns[0].codes)
    digest = sha256()
    with replace_file(path) as file:
        # The first piece begins at -1 for the header: a table without rows has one, too.
        for start in range(-1, rows, _BATCH):
            part = StringIO()
            writer = csv.writer(part, lineterminator="\n")
            if start < 0:
                writer.writerow(names)
            first, last = max(start, 0), start + _BATCH
            cells = [
                map(labels.__getitem__, column.codes[first:last].tolist())
                for labels, column in zip(texts, columns, strict=True)
            ]
            writer.writerows(zip(*cells, strict=True))
            digest.update(part.getvalue().encode())
            file.write(part.getvalue())
    return guarded, digest.hexdigest()


def inert(cell: str) -> str:
    """Return a text with an apostrophe before it if a spreadsheet would run it as a formula."""
    # Apostrophes that are there already count: else '=x and =x would be one text in the file.
    return f"'{cell}" if cell.lstrip("'").startswith(_FORMULA) else cell


def csv_text(names: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a table of figures as the text of a CSV file with a header row."""
    file = StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(rows)
    return file.getvalue()


def hierarchy_rows(tree: Taxonomy, values: Sequence[object], column: str) -> list[tuple[str, ...]]:
    """Return for each value its label at every level, the values in the order of the tree.

    >>> tree = Taxonomy.from_paths([("a", "x", "*"), ("b", "x", "*"), ("c", "c", "*")])
    >>> hierarchy_rows(tree, ["c", "a"], "letter")
    [('a', 'x', '*'), ('c', 'c', '*')]
    """
    # In preorder, so that values below one label stand together at every level.
    nodes = sorted(tree.of(values, column=column).tolist())
    level_nodes = [tree.at_level(level) for level in range(tree.top + 1)]
    return [tuple(tree.labels[int(level[node])] for level in level_nodes) for node in nodes]


def write_hierarchy(path: str | Path, tree: Taxonomy, values: Sequence[object], column: str) -> int:
    """Write a hierarchy as ARX reads it: semicolons, no header, UTF-8; whole or not at all.

    :meth:`kproof.models.base.taxonomy.Taxonomy.from_csv` reads it back with the same levels.
    """
    rows = hierarchy_rows(tree, values, column)
    lines = StringIO()
    csv.writer(lines, delimiter=";", lineterminator="\n").writerows(rows)
    with replace_file(path) as file:
        file.write(lines.getvalue())
    return len(rows)
