"""Classes of several regions that a reader cannot tell apart, and what they lack together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kproof.models.base.classes import Classes
from kproof.models.partitioned.pieces import Domain
from kproof.models.partitioned.work import Alike
from kproof.models.privacy.base import Joined
from kproof.models.tables.suppression.promised import Promised


@dataclass(frozen=True)
class LookAlikes:
    """Classes of several regions with equal labels."""

    fewer: int
    """By how much classes are fewer for it than those of all regions counted one by one."""
    largest: int
    """Rows of the largest of them; 0 if there are none."""
    failing: tuple[frozenset[int], ...]
    """The nodes of each that lacks together what each has alone."""


def look_alikes(parts: Mapping[int, Alike], models: Promised, domain: Domain) -> LookAlikes:
    """Find classes of several regions with equal labels, and judge them as one.

    ``parts`` are, by node, the classes that may look like those of others. Of what is promised only
    models are judged that classes may lack together though each has them
    (:class:`~kproof.models.privacy.base.Joined`).
    """
    by_label: dict[tuple[str, ...], list[tuple[int, int]]] = {}
    for node, alike in parts.items():
        for index, label in enumerate(alike.labels):
            by_label.setdefault(label, []).append((node, index))
    several = [places for places in by_label.values() if len(places) > 1]
    if not several:
        return LookAlikes(0, 0, ())
    sizes = [sum(int(parts[node].sizes[index]) for node, index in places) for places in several]
    lacks = np.zeros(len(several), dtype=np.bool_)
    for secret, column in enumerate(domain.template.secrets):
        for model in models.of.get(column.name, ()):
            if model.joined is Joined.NOTHING:
                lacks |= model.failing(_classes(parts, several, domain, secret))
    failing = [
        frozenset(node for node, _ in places)
        for places, lacking in zip(several, lacks.tolist(), strict=True)
        if lacking
    ]
    return LookAlikes(
        sum(len(places) - 1 for places in several), max(sizes), tuple(dict.fromkeys(failing))
    )


def _classes(
    parts: Mapping[int, Alike],
    several: Sequence[Sequence[tuple[int, int]]],
    domain: Domain,
    secret: int,
) -> Classes:
    """Return classes with equal labels as one each, with the values of one sensitive column."""
    into = {place: number for number, places in enumerate(several) for place in places}
    entries = [
        (into[node, index], code, rows)
        for node, alike in parts.items()
        for index, code, rows in alike.secrets[secret].tolist()
        if (node, index) in into
    ]
    of_row, codes, weight = np.array(entries, dtype=np.int64).T
    column = domain.template.secrets[secret]
    return Classes(
        of_row=of_row,
        count=len(several),
        sensitive=codes,
        values=column.values,
        ordered=column.numeric,
        name=column.name,
        missing_as=domain.template.missing_as,
        weight=weight,
    )
