"""What the choice of a setting tells: that others were not taken for the sake of somebody's secret.

Classes are formed from known columns alone, but the least k that is safe is chosen by a look at
secrets, and an adversary who knows the list knows which k failed. She holds every world for
possible in which people of a published class have the secrets of that class in another way; worlds
in which the smaller k would not have failed are ruled out. So worlds are drawn, and the judge is
asked of the smaller k in each. Of those in which it fails nobody may be at fault in more than
half, unless she is so nearly as often in all of them: then its failure tells nothing new of her.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

import numpy as np

from kproof.errors import InvalidArgument
from kproof.models.base.columns import group_codes
from kproof.models.judgement.findings import FindingStanding
from kproof.models.judgement.people import PeopleInClasses
from kproof.models.judgement.publication import PublishedFile
from kproof.models.judgement.secrets.exclusion import exclusion, exclusive_kinds
from kproof.models.judgement.secrets.inference import inference
from kproof.models.judgement.thresholds import Thresholds

WORLDS = 40
"""Worlds that are drawn."""

FEWEST = 8
"""Worlds in which the smaller k fails, from which on it can be said who is at fault in them."""


def tells_little(chosen: PublishedFile, rejected: PublishedFile, thresholds: Thresholds) -> bool:
    """Say whether what is published, and that another setting failed, accuse nobody.

    ``rejected`` has the same people in smaller classes, which failed the limits because of secrets.
    """
    failing = 0
    at_fault = np.zeros(rejected.rows, dtype=np.int64)
    for world in worlds(chosen, rejected):
        broken = [
            finding.victims
            for finding in chain(inference(world, thresholds), exclusion(world, thresholds))
            if finding.standing is FindingStanding.BROKEN
        ]
        if broken:
            failing += 1
            at_fault[np.unique(np.concatenate(broken))] += 1
    seldom = 2 * at_fault <= failing
    # at_fault / failing - at_fault / WORLDS <= 1/10 in whole numbers.
    nothing_new = 10 * at_fault * (WORLDS - failing) <= failing * WORLDS
    return failing >= FEWEST and bool((seldom | nothing_new).all())


def worlds(chosen: PublishedFile, rejected: PublishedFile) -> Iterator[PublishedFile]:
    """Yield a publication with the secrets of others, as far as the chosen one leaves that open.

    The chosen one says whose secrets may be whose: those of people with as many rows in each of its
    classes, and of the same kind where some secrets go with a kind alone. The rejected one is of
    the same rows of the source, in another order.
    """
    class_of, _ = chosen.classes
    people = PeopleInClasses.of(chosen.persons, class_of)
    signature, signatures = people.signatures
    kinds = [
        (people.extremes(kind.members.astype(np.int64))[1], 2)
        for secret in chosen.secrets
        for kind in exclusive_kinds(chosen, secret.name)
    ]
    group = group_codes([(signature, signatures), *kinds], people.count)[0][people.of_row]
    if chosen.source_row is None or rejected.source_row is None:
        raise InvalidArgument("chosen", "a file", "publications whose source is known")
    # Both have every row of the source once: places in the other by the row that each was.
    in_rejected = np.argsort(rejected.source_row)[chosen.source_row]
    before = np.lexsort((class_of, people.of_row, group))
    rng = np.random.default_rng(0)
    # People of a group have as many rows in each class: ordered by group, person and class, each
    # takes the rows of another, place by place, and all of them stay in their classes.
    for _ in range(WORLDS):
        turn = rng.permutation(people.count)[people.of_row]
        after = np.lexsort((class_of, turn, group))
        columns = []
        for column in rejected.columns:
            if column.secret and not column.known:
                codes = column.codes.copy()
                codes[in_rejected[before]] = column.codes[in_rejected[after]]
                column = replace(column, codes=codes)
            columns.append(column)
        yield replace(rejected, columns=tuple(columns))
