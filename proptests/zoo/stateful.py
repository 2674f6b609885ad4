"""Broken publishing services: right on the first request, wrong because of an earlier one.

Each keeps something from one request to the next that it should not keep, or gives away what it
still writes to. A service is opened anew for every run, so that its past is what the run says.
"""

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
from kproof.proptests.zoo.base import story_of
from kproof.proptests.zoo.places import own_region
from kproof.proptests.zoo.tables import HEALTHY

Publish = Callable[[TableCase], TablePublication]


@dataclass(frozen=True)
class Stateful:
    """A deliberately broken service."""

    name: str
    """Short and unique in the zoo."""
    opens: Callable[[], Any]
    """Opens the service, as :func:`kproof.proptests.stateful.publishing_service` takes it."""
    caught_by: str
    """Name of the check or invariant that must find the fault."""
    story: str
    """How such a fault comes about, as a sentence."""


_TABLES: list[Stateful] = []


def _healthy(case: TableCase) -> TablePublication:
    published: TablePublication = HEALTHY.publish(case)
    return published


def _table(name: str, caught_by: str) -> Callable[[Callable[[], Publish]], Callable[[], Publish]]:
    """Return a decorator that makes a service of what opens an anonymizer of tables."""

    def collect(opens: Callable[[], Publish]) -> Callable[[], Publish]:
        def service() -> Subject:
            return replace(HEALTHY, name=name, publish=opens())

        _TABLES.append(Stateful(name, service, caught_by, story_of(opens)))
        return opens

    return collect


@_table("cached by size", "truthful labels")
def _cache_by_size() -> Publish:
    """Publications are cached by the number of rows and k, not by what is in the rows."""
    cache: dict[tuple[int, int], TablePublication] = {}

    def publish(case: TableCase) -> TablePublication:
        key = case.rows, case.parameters["k"]
        if key not in cache:
            cache[key] = _healthy(case)
        return cache[key]

    return publish


@_table("labels left over", "truthful labels")
def _labels_left_over() -> Publish:
    """Leave a buffer full, so that the first row has the labels of the last publication."""
    buffer: dict[str, object] = {}

    def publish(case: TableCase) -> TablePublication:
        published = _healthy(case)
        columns = dict(published.columns)
        for name in case.quasi_identifiers:
            first, *cells = published.columns[name]
            # On the first request the buffer is empty, and the publication as it should be.
            columns[name] = (buffer.get(name, first), *cells)
            buffer[name] = first
        return replace(published, columns=columns)

    return publish


@_table("one sheet for all", KEPT)
def _one_sheet() -> Publish:
    """Return the columns that the next call writes to."""
    sheet: dict[str, tuple[object, ...]] = {}

    def publish(case: TableCase) -> TablePublication:
        published = _healthy(case)
        sheet.clear()
        sheet.update(published.columns)
        return replace(published, columns=sheet)

    return publish


@_table("the first k", "k-anonymity")
def _first_k() -> Publish:
    """Parameters are read once, when the service starts."""
    sizes: list[int] = []

    def publish(case: TableCase) -> TablePublication:
        # All that were asked for are kept and the first is used: a later k is never read.
        sizes.append(case.parameters["k"])
        return _healthy(replace(case, parameters={**case.parameters, "k": sizes[0]}))

    return publish


@_table("forgets nobody", "records accounted for")
def _forgets_nobody() -> Publish:
    """Keep records that were withdrawn in the store behind the service."""
    store: Counter[tuple[object, ...]] = Counter()

    def publish(case: TableCase) -> TablePublication:
        # What is there again is not stored twice, and what is gone stays.
        store.update(Counter(zip(*case.columns.values(), strict=True)) - store)
        rows = zip(*store.elements(), strict=True)
        everybody = replace(case, columns=dict(zip(case.columns, rows, strict=True)))
        return _healthy(everybody)

    return publish


@_table("the last one instead", REFUSES)
def _last_resort() -> Publish:
    """When nothing can be published, the last publication is handed out once more."""
    last: list[TablePublication] = []

    def publish(case: TableCase) -> TablePublication:
        try:
            last[:] = [_healthy(case)]
        except Infeasible:
            if not last:
                raise
        return last[0]

    return publish


@_table("an order that only grows", REFUSES)
def _first_order() -> Publish:
    """Rows are looked up in an order from the time when there were more of them."""
    order: list[int] = []

    def publish(case: TableCase) -> TablePublication:
        if case.rows < case.parameters["k"]:
            raise Infeasible(f"k = {case.parameters['k']}: there are {case.rows} records")
        order.extend(range(len(order), case.rows))
        return _healthy(case.take(order))

    return publish


@_table("one generator for all", TRACELESS)
def _one_generator() -> Publish:
    """Rows are shuffled by a generator that goes on from call to call."""
    draw = random.Random(0)

    def publish(case: TableCase) -> TablePublication:
        published = _healthy(case)
        order = draw.sample(range(published.rows), published.rows)
        columns = {
            name: tuple(cells[row] for row in order) for name, cells in published.columns.items()
        }
        return replace(published, columns=columns)

    return publish


def _blank_before() -> Callable[..., Any]:
    """Return a function on frames that writes into the frame it returned before."""
    returned: list[Any] = []

    def publish(frame: Any, quasi_identifiers: Collection[str], k: int) -> Any:
        if len(frame) < k:
            raise ValueError(f"k = {k}: there are {len(frame)} records")
        for before in returned:
            before[before.columns[-1]] = "*"
        published = frame.drop(columns=list(quasi_identifiers))
        returned[:] = [published]
        return published

    return publish


def _region_of_the_node() -> Subject:
    regions: dict[tuple[int, int], Collection[int] | None] = {}

    def publish(graph: Any, target: int, k: int) -> Collection[int] | None:
        if (target, k) not in regions:
            regions[target, k] = own_region(graph, target, k)
        return regions[target, k]

    promises = frozenset({Promise.K_ANONYMITY, Promise.CONNECTIVITY})
    return native_subject(publish, kind=Kind.CITY, promises=promises, name="regions by node")


MEMBERS: tuple[Stateful, ...] = (
    *_TABLES,
    Stateful(
        "blanked afterwards",
        _blank_before,
        KEPT,
        "A frame that is out of date is blanked, in the hands of whoever has it.",
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
    return {member.name: member for member in MEMBERS}[name]
