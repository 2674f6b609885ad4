"""Attacks: what an adversary with background knowledge learns from a release.

Each attack takes published classes and background knowledge and returns a
:class:`~kproof.models.attacks.base.Disclosure`; :func:`attack` runs one by name.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any

from kproof.arguments import ROLES, a, check_arguments, name_arguments
from kproof.datasets import MISSING_CELLS
from kproof.errors import InvalidArgument
from kproof.models.adversaries import ATTACKS
from kproof.models.attacks.background import (
    BackgroundKnowledge,
    Matching,
    Person,
    background_of,
    read_background,
)
from kproof.models.attacks.base import Disclosure, Victim
from kproof.models.attacks.evidence import PublishedClasses, aim
from kproof.models.base.classes import Classes
from kproof.models.base.missing import MissingAs
from kproof.models.base.parameters import TAU
from kproof.models.registry import Attack, Kind
from kproof.models.tables.readers import read_table
from kproof.models.tables.release import Release
from kproof.models.tables.roles import roles_among
from kproof.models.tables.table import Table
from kproof.theory.exact.typed import Number, choice

__all__ = [
    "ATTACKS",
    "Attack",
    "BackgroundKnowledge",
    "Disclosure",
    "Matching",
    "Person",
    "PublishedClasses",
    "Victim",
    "attack",
    "background_of",
    "knowledge_for",
    "read_background",
]


def knowledge_for(attack: Attack) -> BackgroundKnowledge:
    """Return what the adversary of an attack knows if nothing is said."""
    return BackgroundKnowledge(matching=Matching(attack.matching))


_BACKGROUND = a(BackgroundKnowledge, Mapping, phrase="BackgroundKnowledge, or its JSON form")


@check_arguments(**ROLES, background=_BACKGROUND)
def attack(
    name: str,
    release: object,
    *,
    background: BackgroundKnowledge | Mapping[str, object] | None = None,
    tau: Number = 1,
    quasi_identifiers: Iterable[str] | None = None,
    both: Iterable[str] = (),
    sensitive: str | Sequence[str] | None = None,
    person: str | None = None,
    target: str | None = None,
    identifiers: Iterable[str] = (),
    other: Iterable[str] = (),
    drop: Iterable[str] = (),
    categories: Mapping[object, object] | None = None,
    missing: Collection[str] = MISSING_CELLS,
    missing_in: Mapping[str, Collection[str]] | None = None,
    missing_as: MissingAs | str | None = None,
    suppressed: str | None = None,
    **options: Any,
) -> Disclosure:
    """Attack a release as an adversary would.

    Args:
        name: One of :data:`ATTACKS` that attacks tables.
        release: A release; published classes; a published table, frame or file, whose
            quasi-identifiers are taken as labels.
        background: What the adversary knows, or its JSON form. Without it: everyone is a victim and
            their class is known (linkage: their quasi-identifiers are).
        tau: A person is disclosed when the posterior is at least this, 0 < tau <= 1.
        quasi_identifiers, both, sensitive, person, identifiers, other, drop, categories, missing, \
missing_in, suppressed: Of a frame or file, as for :func:`kproof.check`. Suppressed rows may be
            anybody's.
        target: Of several sensitive columns the one to disclose, by default the first. The
            adversary is taken to know nothing of the others.
        missing_as: What a missing sensitive value is taken for, see
            :class:`~kproof.models.base.missing.MissingAs`; None for what the release says, which is
            the worst case unless it was made otherwise: someone is disclosed whom one way to fill
            them in discloses.
        **options: The attack's own: ``mu``, ``k`` and ``criterion`` of sensitive-variance, ``gain``
            and ``least`` of skewness, ``totals`` of suppression.

    Raises:
        InvalidArgument: If there is no such attack or option, or the release lacks what it needs.
        DataError: If the background knowledge does not fit the release.

    >>> import numpy as np
    >>> rows = Classes(np.array([0, 0]), 1, np.array([0, 0]), ("HIV",))
    >>> bool(attack("homogeneity", rows))
    True
    >>> roles = {"quasi_identifiers": ["Class"], "sensitive": "Disease"}
    >>> found = attack("homogeneity", "table-1b", **roles, identifiers=["ID"])
    >>> print(len(found), found.worst.guess, found.worst.posterior)
    6 HIV 1
    >>> attack("guess", rows)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: name = guess: need one of homogeneity, ...
    """
    # Missing cells and what they are taken for mean something beside a release as well.
    roles = roles_among({**locals(), "missing": None, "missing_as": None})
    with name_arguments(attack="name"):
        chosen = ATTACKS.entry(name)
    if chosen.kind is not Kind.TABLE:
        admissible = "an attack on tables; kproof.models.attacks.inference.api.infer runs it"
        raise InvalidArgument("name", name, admissible)
    settings = chosen.complete_arguments(options)
    if isinstance(background, Mapping):
        background = background_of(background)
    evidence = _evidence(release, quasi_identifiers, roles, missing, target)
    if missing_as is not None:
        taken_as = choice("missing_as", missing_as, MissingAs)
        classes = dataclasses.replace(evidence.classes, missing_as=taken_as)
        evidence = dataclasses.replace(evidence, classes=classes)
    knowledge = knowledge_for(chosen) if background is None else background
    disclosure = chosen.run(evidence, background=knowledge, tau=TAU.read(tau), **settings)
    if not isinstance(disclosure, Disclosure):
        raise TypeError(f"{name} returned {type(disclosure).__name__}, not a Disclosure")
    return disclosure


def _is_frame(data: object) -> bool:
    return any(hasattr(data, name) for name in ("columns", "column_names", "__arrow_c_stream__"))


def _evidence(
    release: object,
    quasi_identifiers: Iterable[str] | None,
    roles: Mapping[str, Any],
    missing: Collection[str],
    target: str | None,
) -> PublishedClasses:
    if isinstance(release, Release):
        published = PublishedClasses.of_release(release, target)
    elif isinstance(release, PublishedClasses):
        if target not in (None, release.classes.name):
            raise InvalidArgument("target", target, "none; the evidence has its sensitive column")
        published = release
    elif isinstance(release, Classes):
        published = PublishedClasses.of(aim(release, target))
    elif isinstance(release, Table):
        published = PublishedClasses.of_published(release, target)
    else:
        names = () if quasi_identifiers is None else tuple(quasi_identifiers)
        if not names and not isinstance(release, str | PathLike) and not _is_frame(release):
            admissible = "a Release, classes, or a published frame or file"
            raise InvalidArgument("release", type(release).__name__, admissible)
        # As labels, whatever they look like: a class may well show 30 alone.
        numeric = dict.fromkeys(names, False)
        with name_arguments(data="release", source="release"):
            table = read_table(
                release, quasi_identifiers=names, missing=missing, numeric=numeric, **roles
            )
            return PublishedClasses.of_published(table, target)
    # What is not a frame has its roles: others would be dropped without a word.
    for name, value in {"quasi_identifiers": quasi_identifiers, **roles}.items():
        if value is not None and value != ():
            raise InvalidArgument(name, "given", "a frame or file with the roles of its columns")
    return published
