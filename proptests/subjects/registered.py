"""Subjects from the registry: kproof's own anonymizers, each held to what it is registered for."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from kproof.models.base.parameters import COLUMN_LEVELS
from kproof.models.methods import METHODS
from kproof.models.registry import Kind, Method, Promise
from kproof.proptests.cases import CityCase, GraphCase, PointsCase, Publication
from kproof.proptests.contract import Subject, TableCase, TablePublication
from kproof.proptests.demands import parameters_about, require_driven
from kproof.proptests.labels.frames import columns_of, table_of
from kproof.proptests.subjects.adapters import columns_changed, contents


def own_subject(
    name: str, *promises: str | Promise, fixed: Mapping[str, Any] | None = None
) -> Subject:
    """Return the subject of a registered anonymizer.

    Without promises it is held to what it promises whatever it is asked. A parameter that is about
    another promise, such as l without l-diversity, is asked of it only if it must be.

    Raises:
        NotDriven: If it has no parameter for what a promise is about, and none is fixed.

    >>> sorted(own_subject("mondrian").parameters)
    ['cuts', 'k', 'partitioning', 'weight']
    >>> sorted(own_subject("mondrian", "k-anonymity", "l-diversity").parameters)
    ['cuts', 'k', 'l', 'partitioning', 'weight']
    """
    method = METHODS.entry(name)
    promised = frozenset(map(Promise, promises)) or method.unconditional
    values = dict(fixed or {})
    require_driven(promised, method.parameters.keys() | values.keys())
    optional = {name for name, parameter in method.parameters.items() if not parameter.required}
    spared = (parameters_about(Promise).keys() & optional) - parameters_about(promised).keys()
    return Subject(
        name=name,
        kind=method.kind,
        promises=promised,
        publish=partial(_publish_table if method.kind is Kind.TABLE else _elsewhere, method),
        parameters=frozenset(method.parameters) - spared,
        source=f"the registry; {method.source}",
        pads="noise" in method.parameters,
        # Where a promise rests on a fixed value, the other process cannot be told; it only answers.
        recipe=(
            "kproof.proptests.subjects.registered:own_subject",
            name,
            *(() if values else sorted(promised)),
        ),
        fixed=values,
        hierarchies=COLUMN_LEVELS.name in method.parameters,
    )


def own_subjects() -> tuple[Subject, ...]:
    """Return the subjects of every registered anonymizer, by name.

    An anonymizer of tables that makes a promise only if it is asked to, such as l-diversity by a
    value of l, is there once more for each such promise.
    """
    subjects = []
    for name, method in sorted(METHODS.items()):
        subjects.append(own_subject(name))
        if method.kind is not Kind.TABLE:
            continue
        always = method.unconditional
        for parameter, promise in parameters_about(method.promises - always).items():
            subject = own_subject(name, *always, promise)
            subjects.append(replace(subject, name=f"{name} with {parameter}"))
    return tuple(subjects)


def _publish_table(method: Method, case: TableCase) -> TablePublication:
    settings = {name: value for name, value in case.parameters.items() if name in method.parameters}
    table = table_of(case)
    before = contents(table.source)
    release = method.run(table, **settings)
    columns = columns_of(release.to_frame())
    return TablePublication(columns, release, columns_changed(before, table.source))


def _elsewhere(method: Method, case: CityCase | PointsCase | GraphCase) -> Publication:
    """Publish a city, points or a graph, which kproof's types keep from being changed."""
    settings = {name: value for name, value in case.parameters.items() if name in method.parameters}
    if isinstance(case, CityCase):
        return Publication(method.run(case.city, targets=case.targets, **settings))
    return Publication(
        method.run(case.points if isinstance(case, PointsCase) else case.graph, **settings)
    )
