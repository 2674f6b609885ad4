"""Publishers who think of k and l and of nothing else, for the intruder to break.

None of them is the project's: a strict median Mondrian, full-domain levels that mark what they
suppress, and a file without its names.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from intruder import Published
from printed_labels import Values
from trades import TradeFile


def _classes(
    ranks: np.ndarray, secret: Sequence[str], units: np.ndarray, k: int, fewest: int
) -> list[np.ndarray]:
    """Return the classes of a strict Mondrian: each half keeps k units and l values."""
    done, open_ = [], [np.arange(len(ranks))]
    while open_:
        rows = open_.pop()
        part = ranks[rows]
        for at in np.argsort(-np.array([len(np.unique(column)) for column in part.T])):
            middle = np.median(part[:, at])
            low = part[:, at] <= middle if middle < part[:, at].max() else part[:, at] < middle
            halves = [rows[low], rows[~low]]
            if all(
                len(np.unique(units[half])) >= k and len({secret[row] for row in half}) >= fewest
                for half in halves
            ):
                open_ += halves
                break
        else:
            done.append(rows)
    return done


def mondrian(
    file: TradeFile,
    *,
    k: int = 4,
    fewest: int = 2,
    known: Sequence[str] = (),
    people: bool = False,
    order: str = "shuffled",
    starred: float = 0,
) -> Published:
    """Publish classes of k rows, or of k people, and all other columns but names as they are."""
    known = known or file.known
    cells = file.columns(tuple(known))
    columns = [Values(sorted(set(column))) for column in zip(*cells, strict=True)]
    ranks = np.array(
        [
            [
                column.low[at] if column.numeric or column.dates else at
                for cell, column in zip(row, columns, strict=True)
                for at in [column.place[cell]]
            ]
            for row in cells
        ]
    )
    ranks = np.nan_to_num(ranks, nan=-1)
    units = np.array(file.person) if people else np.arange(len(cells))
    secret = [row[0] for row in file.columns(file.secret)]
    rng = random.Random(file.name)
    label: dict[int, tuple[str, ...]] = {}
    for rows in _classes(ranks, secret, units, k, fewest):
        hidden = rng.random() < starred
        shown = []
        for at, column in enumerate(columns):
            members = sorted(
                {cells[row][at] for row in rows}, key=lambda v: column.low[column.place[v]]
            )
            span = [v for v in members if np.isfinite(column.low[column.place[v]])]
            if hidden or len(members) > 1 and (column.numeric or column.dates) and span != members:
                shown.append("*")
            elif len(members) == 1:
                shown.append(members[0])
            elif column.numeric:
                shown.append(f"[{span[0]}-{span[-1]}]")
            elif column.dates:
                shown.append(f"{span[0]} – {span[-1]}")
            else:
                shown.append("{" + ", ".join(sorted(members)) + "}")
        label |= dict.fromkeys(rows.tolist(), tuple(shown))
    others = tuple(name for name in file.header if name not in {*file.known, *file.names})
    rest = file.columns(others)
    places = list(range(len(cells)))
    if order == "shuffled":
        rng.shuffle(places)
    return Published((*known, *others), tuple(label[at] + rest[at] for at in places))


def without_names(file: TradeFile, *, order: str = "shuffled") -> Published:
    """Publish all columns but the names, as they are."""
    names = tuple(name for name in file.header if name not in file.names)
    rows = list(file.columns(names))
    if order == "shuffled":
        random.Random(file.name).shuffle(rows)
    return Published(names, tuple(rows))


def full_domain(file: TradeFile, *, k: int = 3, fewest: int = 2) -> Published:
    """Publish known columns as they are, and * in whole classes that lack k rows or l values."""
    known, secret = file.columns(file.known), [row[0] for row in file.columns(file.secret)]
    classes: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for at, cells in enumerate(known):
        classes[cells].append(at)
    names = (*file.known, file.secret[0])
    rows = []
    for cells, members in classes.items():
        values = [secret[at] for at in members]
        fine = len(members) >= k and len(set(values)) >= fewest
        rows += [(*(cells if fine else ["*"] * len(cells)), value) for value in values]
    random.Random(file.name).shuffle(rows)
    return Published(names, tuple(rows))


def publish(file: TradeFile) -> tuple[Published, str, tuple[Published, ...]]:
    """Return what a naive publisher makes of a file, the method in words, and earlier releases."""
    words = "mondrian k=8 l=3"
    if file.hazard == "raw":
        return without_names(file), "names removed", ()
    if file.hazard == "order":
        return mondrian(file, k=8, fewest=3, order="source"), words, ()
    if file.hazard == "zips":
        return full_domain(file), "full-domain k=3 l=2, suppressed rows are marked", ()
    if file.hazard == "stars":
        return mondrian(file, starred=0.15), "mondrian k=4 l=2, marked", ()
    if file.hazard == "skew":
        return mondrian(file, k=12), "mondrian k=12 l=2", ()
    if file.hazard == "weights":
        return mondrian(file, k=4, people=True), "mondrian of people k=4 l=2", ()
    if file.hazard == "twice":
        half = len(file.known) // 2
        first, second = (
            mondrian(file, k=8, fewest=3, known=part)
            for part in (file.known[:half], file.known[half:])
        )
        return first, "mondrian k=8 l=3, twice", (second,)
    if file.hazard in {"region", "fills", "repeats"}:
        return mondrian(file), "mondrian k=4 l=2", ()
    if file.harmless:
        return mondrian(file, k=10, fewest=4), "mondrian k=10 l=4", ()
    return mondrian(file, k=8, fewest=3), words, ()
