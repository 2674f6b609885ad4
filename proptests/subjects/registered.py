"""Subjects from the registry: kproof's own anonymizers, each held to what it is registered for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from inspect import signature
from typing import Any

from kproof.models.registry import Anonymizer, Claim, Kind, anonymizer, anonymizers
from kproof.proptests.cases import CityCase, GraphCase, PointsCase, Publication
from kproof.proptests.contract import Subject, TableCase, TablePublication
from kproof.proptests.demands import driven, needed
from kproof.proptests.labels.frames import columns_of, table_of
from kproof.proptests.subjects.adapters import changed, contents


def registered(name: str, *claims: str | Claim, fixed: Mapping[str, Any] | None = None) -> Subject:
    """Return the subject of a registered anonymizer.

    Parameters
    ----------
    name
        Of the anonymizer.
    *claims
        What it is held to; what it is registered for if there are none. A parameter that is
        about another claim, such as l without l-diversity, is asked of it only if it must be.
    fixed
        Parameters with one value; see :func:`~kproof.proptests.demands.fixed_values`.

    Raises
    ------
    InvalidArgument
        If there is none of that name.
    NotDriven
        If it has no parameter for what a claim is about, and none is fixed.

    Examples
    --------
    >>> sorted(registered("mondrian").parameters)
    ['k', 'partitioning']
    >>> sorted(registered("mondrian", "k-anonymity", "l-diversity").parameters)
    ['k', 'l', 'partitioning']
    >>> registered("mondrain")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: method = mondrain: need one of baseline, ...
    """
    method = anonymizer(name)
    promised = frozenset(map(Claim, claims)) or method.claims
    values = dict(fixed or {})
    driven(promised, method.parameters.keys() | values.keys())
    spared = (needed(Claim).keys() & _optional(method)) - needed(promised).keys()
    return Subject(
        name=name,
        kind=method.kind,
        claims=promised,
        publish=partial(_published if method.kind is Kind.TABLE else _elsewhere, method),
        parameters=frozenset(method.parameters) - spared,
        source=f"the registry; {method.source}",
        pads="noise" in method.parameters,
        # Where a claim rests on a fixed value, the other process cannot be told; it only answers.
        recipe=(
            "kproof.proptests.subjects.registered:registered",
            name,
            *(() if values else sorted(promised)),
        ),
        fixed=values,
    )


def registered_subjects() -> tuple[Subject, ...]:
    """Return the subjects of every registered anonymizer, by name.

    An anonymizer of tables with an optional parameter that another claim is about, such as l, is
    there once more for each of them, with that claim.
    """
    found = []
    for name, method in sorted(anonymizers().items()):
        found.append(registered(name))
        if method.kind is not Kind.TABLE:
            continue
        for parameter, claim in needed(Claim).items():
            if parameter in _optional(method) - needed(method.claims).keys():
                more = registered(name, *method.claims, claim)
                found.append(replace(more, name=f"{name} with {parameter}"))
    return tuple(found)


def _optional(method: Anonymizer) -> frozenset[str]:
    given = signature(method.run).parameters.values()
    return frozenset(one.name for one in given if one.default is not one.empty)


def _published(method: Anonymizer, case: TableCase) -> TablePublication:
    asked = {name: value for name, value in case.parameters.items() if name in method.parameters}
    table = table_of(case)
    before = contents(table.source)
    release = method.run(table, **asked)
    columns = columns_of(release.to_frame())
    return TablePublication(columns, release, changed(before, table.source))


def _elsewhere(method: Anonymizer, case: CityCase | PointsCase | GraphCase) -> Publication:
    """Publish a city, points or a graph, which kproof's types keep from being changed."""
    asked = {name: value for name, value in case.parameters.items() if name in method.parameters}
    if isinstance(case, CityCase):
        return Publication(method.run(case.city, targets=case.targets, **asked))
    return Publication(
        method.run(case.points if isinstance(case, PointsCase) else case.graph, **asked)
    )
