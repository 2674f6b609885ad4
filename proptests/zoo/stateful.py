"""Broken publishing services: right on the first request, wrong because of an earlier one.

Each keeps something from one request to the next that it should not keep, or gives away what it
still writes to. A service is opened anew for every run, so that its past is what the run says.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any

from kproof.errors import Infeasible
from kproof.models.registry import Kind, Promise
from kproof.proptests.contract import Subject, TableCase, TablePublication
from kproof.proptests.stateful.service import KEPT, REFUSES, TRACELESS
from kproof.proptests.subjects.native import native_subject
from kproof.proptests.zoo.places import own_region
from kproof.proptests.zoo.tables import HEALTHY

Publish = Callable[[TableCase], TablePublication]


@dataclass(frozen=True)
class Stateful:
    """A deliberately broken service.

    Attributes
    ----------
    name
        Short and unique in the zoo.
    opens
        Opens the service, as :func:`kproof.proptests.stateful.publishing_service` takes it.
    caught_by
        Name of the check or invariant that must find the fault.
    story
        How such a fault comes about, as a sentence.
    """

    name: str
    opens: Callable[[], Any]
    caught_by: str
    story: str


def _cached_by_size() -> Publish:
    kept: dict[tuple[int, int], TablePublication] = {}

    def publish(case: TableCase) -> TablePublication:
        key = case.rows, case.parameters["k"]
        if key not in kept:
            made: TablePublication = HEALTHY.publish(case)
            kept[key] = made
        return kept[key]

    return publish


def _labels_left_over() -> Publish:
    buffer: dict[str, object] = {}

    def publish(case: TableCase) -> TablePublication:
        made: TablePublication = HEALTHY.publish(case)
        columns = dict(made.columns)
        for name in case.quasi_identifiers:
            first, *others = made.columns[name]
            columns[name] = (buffer.get(name, first), *others)
            buffer[name] = first
        return replace(made, columns=columns)

    return publish


def _one_sheet() -> Publish:
    sheet: dict[str, tuple[object, ...]] = {}

    def publish(case: TableCase) -> TablePublication:
        made: TablePublication = HEALTHY.publish(case)
        sheet.clear()
        sheet.update(made.columns)
        return replace(made, columns=sheet)

    return publish


def _first_k() -> Publish:
    sizes: list[int] = []

    def publish(case: TableCase) -> TablePublication:
        sizes.append(case.parameters["k"])
        made: TablePublication = HEALTHY.publish(
            replace(case, parameters={**case.parameters, "k": sizes[0]})
        )
        return made

    return publish


def _forgets_nobody() -> Publish:
    seen: Counter[tuple[object, ...]] = Counter()

    def publish(case: TableCase) -> TablePublication:
        seen.update(Counter(zip(*case.columns.values(), strict=True)) - seen)
        rows = zip(*seen.elements(), strict=True)
        everybody = replace(case, columns=dict(zip(case.columns, rows, strict=True)))
        made: TablePublication = HEALTHY.publish(everybody)
        return made

    return publish


def _last_resort() -> Publish:
    last: list[TablePublication] = []

    def publish(case: TableCase) -> TablePublication:
        try:
            last[:] = [HEALTHY.publish(case)]
        except Infeasible:
            if not last:
                raise
        return last[0]

    return publish


def _first_order() -> Publish:
    order: list[int] = []

    def publish(case: TableCase) -> TablePublication:
        if case.rows < case.parameters["k"]:
            raise Infeasible(f"k = {case.parameters['k']}: there are {case.rows} records")
        order.extend(range(len(order), case.rows))
        made: TablePublication = HEALTHY.publish(case.take(order))
        return made

    return publish


def _one_generator() -> Publish:
    draw = random.Random(0)

    def publish(case: TableCase) -> TablePublication:
        made: TablePublication = HEALTHY.publish(case)
        order = draw.sample(range(made.rows), made.rows)
        columns = {name: tuple(cells[row] for row in order) for name, cells in made.columns.items()}
        return replace(made, columns=columns)

    return publish


def _blanked() -> Callable[..., Any]:
    """Return a function on frames that writes into the frame it returned before."""
    returned: list[Any] = []

    def publish(frame: Any, quasi_identifiers: Collection[str], k: int) -> Any:
        if len(frame) < k:
            raise ValueError(f"k = {k}: there are {len(frame)} records")
        for before in returned:
            before[before.columns[-1]] = "*"
        made = frame.drop(columns=list(quasi_identifiers))
        returned[:] = [made]
        return made

    return publish


def _region_of_the_node() -> Subject:
    regions: dict[tuple[int, int], Collection[int] | None] = {}

    def publish(graph: Any, target: int, k: int) -> Collection[int] | None:
        if (target, k) not in regions:
            regions[target, k] = own_region(graph, target, k)
        return regions[target, k]

    promises = frozenset({Promise.K_ANONYMITY, Promise.CONNECTIVITY})
    return native_subject(publish, kind=Kind.CITY, promises=promises, name="regions by node")


def _table(name: str, caught_by: str, story: str, opens: Callable[[], Publish]) -> Stateful:
    return Stateful(name, lambda: replace(HEALTHY, name=name, publish=opens()), caught_by, story)


MEMBERS: tuple[Stateful, ...] = (
    _table(
        "cached by size",
        "truthful labels",
        "Publications are cached by the number of rows and k, not by what is in the rows.",
        _cached_by_size,
    ),
    _table(
        "labels left over",
        "truthful labels",
        "A buffer is not emptied, so that the first row has the labels of the last publication.",
        _labels_left_over,
    ),
    _table(
        "one sheet for all",
        KEPT,
        "The columns that were returned are those that the next call writes to.",
        _one_sheet,
    ),
    Stateful(
        "blanked afterwards",
        _blanked,
        KEPT,
        "A frame that is out of date is blanked, in the hands of whoever has it.",
    ),
    _table(
        "the first k",
        "k-anonymity",
        "Parameters are read once, when the service starts.",
        _first_k,
    ),
    _table(
        "forgets nobody",
        "records accounted for",
        "Records that were withdrawn stay in the store behind the service.",
        _forgets_nobody,
    ),
    _table(
        "the last one instead",
        REFUSES,
        "When nothing can be published, the last publication is handed out once more.",
        _last_resort,
    ),
    _table(
        "an order that only grows",
        REFUSES,
        "Rows are looked up in an order from the time when there were more of them.",
        _first_order,
    ),
    _table(
        "one generator for all",
        TRACELESS,
        "Rows are shuffled by a generator that goes on from call to call.",
        _one_generator,
    ),
    Stateful(
        "regions by node",
        _region_of_the_node,
        "region k",
        "The region of a node is looked up, though its users have moved on.",
    ),
)
"""Every broken service, those for tables first."""


def member(name: str) -> Stateful:
    """Return the broken service of that name."""
    return {one.name: one for one in MEMBERS}[name]
