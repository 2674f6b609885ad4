"""Which classes of input each source draws, and how often: what is never drawn is never tried.

``python -m kproof.proptests.coverage`` prints the tables of docs/proptests/drawn.md.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping
from datetime import date, datetime
from itertools import chain, islice
from math import copysign, isinf
from typing import Any

from kproof.models.registry import Kind
from kproof.proptests.cases import GraphCase, LogCase, PointsCase, group_size
from kproof.proptests.contract import Source, Subject, TableCase
from kproof.proptests.running import draw_cases
from kproof.proptests.sources import sources

CASES = 10_000
"""Cases of each kind of data that the page counts, over all of its sources."""


def _cells(case: TableCase) -> Iterator[Any]:
    return chain.from_iterable(case.columns[name] for name in case.quasi_identifiers)


def _sizes(case: TableCase) -> Counter[Hashable]:
    return Counter(zip(*(case.columns[name] for name in case.quasi_identifiers), strict=True))


def _any(kind: type, wanted: Callable[[Any], object] = lambda _: True) -> Callable[[Any], bool]:
    """Return whether a case has a cell of that very type that is wanted."""
    # To isinstance a truth value is a number and a datetime a date, and the class would never be
    # empty.
    return lambda case: any(type(cell) is kind and wanted(cell) for cell in _cells(case))


def _k_of(case: Any) -> int:
    return group_size(case) or 0


def _degrees(case: GraphCase) -> Counter[int]:
    return Counter(end for pair in case.friendships for end in pair)


def _at_places(case: PointsCase) -> bool:
    near = {_k_of(case) - 1, _k_of(case), _k_of(case) + 1}
    return len(case.positions) > 3 * _k_of(case) and bool(
        near & set(Counter(case.positions).values())
    )


def _places_in(case: LogCase, slot: int) -> int:
    return len({path[slot] for path in case.paths if path[slot]})


CLASSES: Mapping[Kind, Mapping[str, Callable[[Any], object]]] = {
    Kind.TABLE: {
        "no rows": lambda case: not case.rows,
        "fewer rows than k": lambda case: 0 < case.rows < _k_of(case),
        "a class of k - 1, k or k + 1": lambda case: {
            _k_of(case) + more for more in (-1, 0, 1)
        }.intersection(_sizes(case).values()),
        "k from 26 to 50": lambda case: 26 <= _k_of(case) <= 50,
        "k above 50": lambda case: _k_of(case) > 50,
        "more than 127 classes": lambda case: len(_sizes(case)) > 127,
        "more than 255 classes": lambda case: len(_sizes(case)) > 255,
        "more than 1,000 rows": lambda case: case.rows > 1_000,
        "four to eight quasi-identifiers": lambda case: 4 <= len(case.quasi_identifiers) <= 8,
        "more than eight quasi-identifiers": lambda case: len(case.quasi_identifiers) > 8,
        "no sensitive column": lambda case: case.sensitive is None,
        "missing values": lambda case: None in _cells(case),
        "truth values": _any(bool),
        "dates": _any(date),
        "dates of more than one year": lambda case: (
            len({cell.year for cell in _cells(case) if isinstance(cell, date)}) > 1
        ),
        "times with a date": _any(datetime),
        "times with a zone": _any(datetime, lambda cell: cell.tzinfo),
        "minus zero": _any(float, lambda cell: cell == 0 and copysign(1, cell) < 0),
        "infinities": _any(float, isinf),
        "whole numbers beyond 2^53": _any(int, lambda cell: abs(cell) > 2**53),
        "text that reads as a number": _any(
            str, lambda cell: cell.isascii() and cell[:1].isdigit()
        ),
        "text that is not ASCII": _any(str, lambda cell: not cell.isascii()),
        "empty text": lambda case: "" in _cells(case),
        "categories that do not occur": lambda case: any(
            not isinstance(dtype, str) for dtype in case.dtypes.values()
        ),
        "nullable columns": lambda case: any(
            isinstance(dtype, str) for dtype in case.dtypes.values()
        ),
        "frames of Polars": lambda case: case.container == "polars",
        "frames of PyArrow": lambda case: case.container == "pyarrow",
        "an index of its own": lambda case: case.index is not None,
        "hierarchies": lambda case: case.hierarchies,
        "identifiers": lambda case: case.identifiers,
    },
    Kind.CITY: {
        "nodes without users": lambda case: 0 in case.users,
        "a request from a node without users": lambda case: any(
            not case.users[node] for node in case.targets
        ),
        "fewer users than k": lambda case: sum(case.users) < _k_of(case),
        "one-way streets": lambda case: case.one_way,
        "no streets": lambda case: not case.roads,
        "streets that are there twice": lambda case: (
            len(set(map(frozenset, case.roads))) < len(case.roads)
        ),
        "more than 16 nodes": lambda case: len(case.users) > 16,
    },
    Kind.POINTS: {
        "fewer points than k": lambda case: len(case.positions) < _k_of(case),
        "about k at one place, and more than 3k": _at_places,
        "several points of one user": lambda case: (
            case.users is not None and len(set(case.users)) < len(case.users)
        ),
        "points without users": lambda case: case.users is None,
        "several at one place": lambda case: len(set(case.positions)) < len(case.positions),
        "both sides of the antimeridian": lambda case: (
            {lon > 0 for _, lon in case.positions if abs(lon) > 179} == {True, False}
        ),
        "beyond 89 degrees of latitude": lambda case: any(
            abs(lat) > 89 for lat, _ in case.positions
        ),
        "k from 26 to 50": lambda case: 26 <= _k_of(case) <= 50,
    },
    Kind.GRAPH: {
        "no users": lambda case: not case.users,
        "fewer users than k": lambda case: 0 < case.users < _k_of(case),
        "isolated users beside others": lambda case: 0 < len(_degrees(case)) < case.users,
        "no friendships": lambda case: case.users and not case.friendships,
        "a friend of everybody": lambda case: case.users - 1 in _degrees(case).values(),
        "friendships that are there twice": lambda case: (
            len(set(case.friendships)) < len(case.friendships)
        ),
        "attributes": lambda case: case.attributes,
        "missing attributes": lambda case: None in chain.from_iterable(case.attributes.values()),
        "more than 16 users": lambda case: case.users > 16,
    },
    Kind.LOG: {
        "fewer people than k": lambda case: len(case.paths) < _k_of(case),
        "nine people or more": lambda case: len(case.paths) > 8,
        "slots without a report": lambda case: any("" in path for path in case.paths),
        "several reports in a slot": lambda case: any(
            " " in entry for path in case.paths for entry in path
        ),
        "one slot": lambda case: case.slots == 1,
        "five slots or more": lambda case: case.slots > 4,
        "apart, together and apart again": lambda case: (
            "+-+"
            in "".join("+" if _places_in(case, slot) > 1 else "-" for slot in range(case.slots))
        ),
        "more than 8 places": lambda case: case.bits > 3,
    },
}
"""By kind of data: classes of input that anonymizers are known to fail on, and which cases are."""

_PARAMETERS: Mapping[Kind, frozenset[str]] = {
    Kind.POINTS: frozenset({"min_k"}),
    Kind.LOG: frozenset({"k", "age", "session", "widest"}),
}


def counts_of(source: Source, cases: int, *, seed: int = 0) -> Counter[str]:
    """Return how many of some cases of a source are in each class, by its name."""
    parameters = _PARAMETERS.get(source.kind, frozenset({"k"}))
    counts: Counter[str] = Counter()

    def count(case: Any) -> None:
        counts.update(name for name, wanted in CLASSES[source.kind].items() if wanted(case))

    if source.exhaust is not None:
        for case in islice(source.exhaust(parameters), cases):
            count(case)
        return counts
    # Cases are drawn as an anonymizer would be shown them, for one that publishes nothing.
    subject = Subject("counted", source.kind, frozenset(), count, parameters)
    draw_cases(count, subject, source, examples=cases, seed=seed)
    return counts


def tables(kind: Kind, cases: int = CASES) -> str:
    """Return the tables of the page for a kind of data, as Markdown.

    Each source has an equal part of the cases; a finite one has no more than there are. What no
    source draws is not repeated for each of them.
    """
    every = sources(kind)
    counts = {source.name: counts_of(source, max(cases // len(every), 1)) for source in every}
    rows = ["| class of input | cases | drawn by |", "|---|--:|---|"]
    for name in CLASSES[kind]:
        drawing = sorted(
            (source for source in counts if counts[source][name]),
            key=lambda source: -counts[source][name],
        )
        more = f" and {len(drawing) - 3} more" if len(drawing) > 3 else ""
        listing = ", ".join(drawing[:3]) + more or "**no source**"
        total = sum(count[name] for count in counts.values())
        rows.append(f"| {name} | {total:,} | {listing} |")
    rows += ["", "| source | never draws |", "|---|---|"]
    drawn = [name for name in CLASSES[kind] if any(count[name] for count in counts.values())]
    for source, count in counts.items():
        never = ", ".join(name for name in drawn if not count[name])
        rows.append(f"| {source} | {never or 'all are drawn'} |")
    return "\n".join(rows)


if __name__ == "__main__":
    for kind in Kind:
        print(f"\n## {kind.title()}\n\n{tables(kind)}")
