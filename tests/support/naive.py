"""Publishers who think of k and l and of nothing else, for the intruder to break.

None of them is the project's: a strict median Mondrian, full-domain levels that mark what they
suppress, and a file without its names.
"""

import random
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from hauls import Published
from printed_labels import Values
from trades import TradeFile


def _classes(
    ranks: np.ndarray, secret: np.ndarray, units: np.ndarray, k: int, fewest: int
) -> list[np.ndarray]:
    """Return the classes of a strict Mondrian: each half keeps k units and l values."""
    done, todo = [], [np.arange(len(ranks))]
    while todo:
        rows = todo.pop()
        for column in sorted(ranks[rows].T, key=lambda ranks: -len(np.unique(ranks))):
            middle = np.median(column)
            low = column <= middle if middle < column.max() else column < middle
            halves = [rows[low], rows[~low]]
            if all(
                len(np.unique(units[half])) >= k and len(np.unique(secret[half])) >= fewest
                for half in halves
            ):
                todo += halves
                break
        else:
            done.append(rows)
    return done


def mondrian(
    file: TradeFile,
    *,
    k: int,
    fewest: int,
    known: Sequence[str] = (),
    people: bool = False,
    shuffled: bool = True,
    starred: float = 0,
) -> Published:
    """Publish classes of k rows, or of k people, and all other columns but names as they are."""
    known = tuple(known or file.known)
    columns = [Values(cells) for cells in zip(*file.columns(known), strict=True)]
    ranks = [
        np.nan_to_num(column.low, nan=-1)[column.codes]
        if column.numeric or column.dates
        else np.argsort(np.argsort(column.values))[column.codes]
        for column in columns
    ]
    units = np.array(file.person) if people else np.arange(len(file.rows))
    secret = np.array(file.columns(file.secret[:1]))[:, 0]
    rng, label = random.Random(file.name), {}
    for rows in _classes(np.array(ranks).T, secret, units, k, fewest):
        hidden = rng.random() < starred
        shown = tuple("*" if hidden else _label(column, rows) for column in columns)
        label |= dict.fromkeys(rows.tolist(), shown)
    others = tuple(name for name in file.header if name not in {*file.known, *file.names})
    rest, places = file.columns(others), list(range(len(file.rows)))
    if shuffled:
        rng.shuffle(places)
    return Published((*known, *others), tuple(label[at] + rest[at] for at in places))


def _label(column: Values, rows: np.ndarray) -> str:
    codes = sorted(set(column.codes[rows].tolist()), key=lambda code: column.low[code])
    members = [column.values[code] for code in codes]
    if len(members) == 1:
        return members[0]
    if not column.numeric and not column.dates:
        return "{" + ", ".join(sorted(members)) + "}"
    if np.isnan(column.low[codes]).any():
        return "*"
    return f"{members[0]} – {members[-1]}" if column.dates else f"[{members[0]}-{members[-1]}]"


def full_domain(file: TradeFile, *, k: int, fewest: int) -> Published:
    """Publish known columns as they are, and * in whole classes that lack k rows or l values."""
    classes = defaultdict(list)
    for cells, (value,) in zip(
        file.columns(file.known), file.columns(file.secret[:1]), strict=True
    ):
        classes[cells].append(value)
    rows = []
    for cells, values in classes.items():
        fine = len(values) >= k and len(set(values)) >= fewest
        rows += [(*(cells if fine else ["*"] * len(cells)), value) for value in values]
    random.Random(file.name).shuffle(rows)
    return Published((*file.known, file.secret[0]), tuple(rows))


def publish(file: TradeFile) -> tuple[Published, str, tuple[Published, ...]]:
    """Return what a naive publisher makes of a file, the method in words, and earlier releases."""
    if file.hazard == "raw":
        names = tuple(name for name in file.header if name not in file.names)
        rows = list(file.columns(names))
        random.Random(file.name).shuffle(rows)
        return Published(names, tuple(rows)), "names removed", ()
    if file.hazard == "zips":
        return full_domain(file, k=3, fewest=2), "full-domain k=3 l=2, suppressed is marked", ()
    k, fewest = {"skew": (12, 2), "": (10, 4)}.get(file.hazard, (8, 3))
    if file.hazard in {"region", "fills", "repeats", "stars", "weights"}:
        k, fewest = 5, 2
    known, earlier = file.known, ()
    if file.hazard == "twice":
        half = len(known) // 2
        known, earlier = known[:half], (mondrian(file, k=k, fewest=fewest, known=known[half:]),)
    published = mondrian(
        file,
        k=k,
        fewest=fewest,
        known=known,
        people=file.hazard == "weights",
        shuffled=file.hazard != "order",
        starred=0.15 if file.hazard == "stars" else 0,
    )
    return published, f"mondrian k={k} l={fewest}", earlier
