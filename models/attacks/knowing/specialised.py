"""What is believed of people in classes that were cut from the top down as their secrets permit.

She knows everybody's known columns, the model that was asked for and the program, so that she cuts
the table again. A cut between published classes is never refused, since every part holds a class
that meets the demand; what was cut elsewhere, or not at all, though rows alone would permit it, was
refused for a secret. So she takes a block of which that is true, goes through all ways to give
the values of its classes to their people, and keeps those from which the same classes come.

Source: Wong, Fu, Wang, Pei, "Minimality Attack in Privacy Preserving Data Publishing", VLDB 2007.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import comb, prod

import numpy as np

from kproof.errors import DataError
from kproof.models.base.arrays import Codes
from kproof.models.tables.release import Release
from kproof.models.tables.topdown.method import ClassDemand, TopDown, demand_of

METHODS_SPECIALISED = frozenset({"p-plus-sensitive", "p-alpha-sensitive"})
"""The methods of which this is answered."""

MOST_ARRANGEMENTS = 20_000
"""Ways to give values to people that are looked at in one release: some seconds."""


@dataclass(frozen=True, eq=False)
class SpecialisedBeliefs:
    """What who forms the classes again believes beyond what every class shows."""

    posteriors: Mapping[int, Mapping[int, Fraction]]
    """For each row of the source of whom forming classes tells something, the probability of every
    code; of all others the shares in their class are what is believed."""
    unjudged: Codes
    """Rows of blocks with more ways to give values to people than are looked at."""


def beliefs_of_specialised(
    release: Release, *, most_arrangements: int = MOST_ARRANGEMENTS
) -> SpecialisedBeliefs:
    """Return what who knows the method believes of the people of a release.

    Beforehand she takes everybody's values for independent and alike, so that after the release
    every way to give the values of each class to its people is as likely as any other from which
    these classes come. The release is one of ``p-plus-sensitive`` or ``p-alpha-sensitive``; if its
    classes cannot be formed again, a DataError says why. ``most_arrangements`` is how many ways are
    looked at, blocks with few of them first.
    """
    table, method = release.table, release.method
    secret = table.only_secret(method)
    if method not in METHODS_SPECIALISED or secret is None:
        raise DataError(f"{method}: classes are not cut from the top down")
    for reason, obstacle in (
        (table.person is not None, "a person with several rows is more than they show"),
        (bool(table.both), "a known column is sensitive too, so that cuts show it"),
        (secret.missing is not None, "a missing value stands for any other"),
        (release.budget is not None or bool((release.group_of < 0).any()), "rows were left out"),
        (release.count < release.groups, "groups look alike"),
    ):
        if reason:
            raise DataError(f"{method}: {obstacle}; what that gives away is not computed")
    demand, cutter = demand_of(table, release.parameters), TopDown.of(table)
    codes, every = secret.codes.astype(np.int64), np.arange(table.rows)
    # Fail closed: beliefs about a method that did not make the release are about nothing.
    if not part_alike(cutter.classes_of(codes, demand), release.group_of):
        raise DataError(f"{method}: the same table has other classes now")
    # Those of fewest ways first, so that the limit leaves as few blocks unjudged as can be.
    blocks = sorted(
        _blocks_that_tell(cutter, codes, demand),
        key=lambda rows: _arrangements(demand.kind_of[codes[rows]], release.group_of[rows]),
    )
    posteriors: dict[int, Mapping[int, Fraction]] = {}
    unjudged: list[Codes] = []
    for rows in blocks:
        most_arrangements -= _arrangements(demand.kind_of[codes[rows]], release.group_of[rows])
        if most_arrangements < 0:
            unjudged.append(rows)
            continue
        posteriors |= _posteriors(cutter.part(rows), rows, codes[rows], demand)
    return SpecialisedBeliefs(posteriors, np.concatenate([every[:0], *unjudged]))


def _blocks_that_tell(cutter: TopDown, codes: Codes, demand: ClassDemand) -> Iterator[Codes]:
    """Yield the blocks that are not divided as they would be if there were no secrets.

    Where a block is, that tells nothing of its secrets: whoever has which values of the published
    classes, the same cut is made, and what happens on one side is no matter of the other.
    """
    rows_alone = replace(demand, kinds=0, weight=0)
    stack = [np.arange(len(codes))]
    while stack:
        rows = stack.pop()
        block = cutter.part(rows)
        parts = block.classes_of(codes[rows], demand, cuts=1)
        if not part_alike(parts, block.classes_of(codes[rows], rows_alone, cuts=1)):
            yield rows
        elif parts.max():
            stack += [rows[parts == part] for part in range(int(parts.max()) + 1)]


def _posteriors(
    block: TopDown, rows: Codes, codes: Codes, demand: ClassDemand
) -> dict[int, dict[int, Fraction]]:
    """Return what is believed of each row of a block, whose classes hold what they are known to.

    Only kinds matter to the method; rows of a kind share its values evenly.
    """
    kinds, classes = demand.kind_of[codes], block.classes_of(codes, demand)
    members = [np.flatnonzero(classes == number) for number in np.unique(classes)]
    example = np.zeros(len(demand.weight_of), dtype=np.int64)
    # Any value of a kind: the method looks at kinds alone.
    example[kinds] = codes
    counts = np.zeros((len(rows), len(example)), dtype=np.int64)
    fitting, last = 0, classes.max()
    for orders in product(*(_orders(np.bincount(kinds[places]).tolist()) for places in members)):
        tried = np.empty(len(rows), dtype=np.int64)
        for places, order in zip(members, orders, strict=True):
            tried[places] = order
        outcome = block.classes_of(example[tried], demand)
        # The number of classes first: most ways have another, and sorting pairs takes longer.
        if outcome.max() == last and part_alike(outcome, classes):
            fitting += 1
            counts[np.arange(len(rows)), tried] += 1
    posteriors: dict[int, dict[int, Fraction]] = {}
    for places in members:
        rows_with = np.bincount(codes[places])
        of_kind = np.bincount(kinds[places], minlength=len(example))
        for place in places.tolist():
            posteriors[int(rows[place])] = {
                code: Fraction(
                    int(counts[place, kind] * rows_with[code]), int(fitting * of_kind[kind])
                )
                for code in np.flatnonzero(rows_with).tolist()
                if counts[place, kind := int(demand.kind_of[code])]
            }
    return posteriors


def _orders(remaining: list[int]) -> Iterator[tuple[int, ...]]:
    """Yield the orders of so many rows of each kind that differ."""
    if not any(remaining):
        yield ()
    for kind, count in enumerate(remaining):
        if count:
            fewer = [*remaining[:kind], count - 1, *remaining[kind + 1 :]]
            yield from ((kind, *order) for order in _orders(fewer))


def _arrangements(kinds: Codes, classes: Codes) -> int:
    """Return how many ways there are to give the kinds of each class to its rows."""
    ways = 1
    for number in np.unique(classes):
        counts = np.bincount(kinds[classes == number]).tolist()
        ways *= prod(comb(sum(counts[: kind + 1]), count) for kind, count in enumerate(counts))
    return ways


def part_alike(classes: Codes, counterpart: Codes) -> bool:
    """Say whether two numberings part rows alike."""
    if np.array_equal(classes, counterpart):
        return True
    # One to one, whatever the numbers: as many pairs as there are numbers on either side.
    pairs = len(np.unique(np.stack([classes, counterpart]), axis=1).T)
    return len(np.unique(classes)) == len(np.unique(counterpart)) == pairs
