"""Kinds of place: what a region tells of somebody by what is in it.

k people of a region are hidden among one another, and yet each of them was in a hospital, if that
is where all of them were. The kind of the place where somebody is counts like a sensitive value of
a table: regions are its classes, and the models of :mod:`kproof.models.privacy` judge them.

A kind that is not known may be any: it counts as the worst, and never as another kind.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path

import numpy as np

from kproof.errors import DataError, did_you_mean, show
from kproof.forms import JsonForm
from kproof.models.base.arrays import Codes, Flags, Floats, ranges
from kproof.models.base.classes import Classes
from kproof.models.base.missing import MISSING
from kproof.models.base.parameters import Exact, L, T
from kproof.models.places.plane import next_places
from kproof.models.places.position_cells import codes_of
from kproof.models.places.position_files import ENDINGS, read_columns
from kproof.models.places.positions import any_of, recognise, set_apart
from kproof.models.privacy.base import short_text
from kproof.models.privacy.closeness import TCloseness, farthest_equal
from kproof.models.privacy.completions import KnownValues
from kproof.models.privacy.diversity import DistinctL
from kproof.models.tables.doubts import forms_of

HEADINGS = ("kind", "kinds", "type", "category", "amenity")
"""What the column of a file of places is called."""

UNKNOWN_KIND = -1
"""The code of a kind that is not known."""

WITHIN = Exact(
    "kinds_within",
    "longest way from a position to the place that it is at",
    default=100,
    least=0,
    unit="metres",
)


@dataclass(frozen=True, eq=False)
class PlaceKinds:
    """The kind of place of each of some positions."""

    code: Codes = field(repr=False)
    """Shape (positions,): index into ``names``, or UNKNOWN_KIND."""
    names: tuple[str, ...]
    """The kinds."""
    degrees: tuple[Floats, Floats] | None = field(repr=False)
    """Shape (positions,): where the place is; None if it is where the position is. In another
    region it says nothing of this one: to whoever has the map, places of a region are inside."""


@dataclass(frozen=True, slots=True)
class KindsJudged:
    """How many kinds of place the regions of a release have; from :meth:`KindsAsked.judge`."""

    kinds: int
    """Kinds that occur."""
    regions: int
    """Regions with somebody in them."""
    positions: int
    unknown: int
    """Positions in regions, and those of them whose kind is not known in the region."""
    least: int
    """Fewest kinds in a region."""
    distance: Fraction
    """Largest total variation between the kinds of a region and those of all regions."""
    ell: int | None
    t: Fraction | None
    """What is asked for; None if nothing is."""
    holds: bool
    """Whether every region has what is asked for."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """What was found, in three lines."""
        ell = "" if self.ell is None else f", of {self.ell} that are asked for"
        t = "" if self.t is None else f", of {short_text(self.t, up=False)} that is asked for"
        return (
            f"kinds of place: {self.kinds} in {self.regions:,} regions; {self.unknown:,} of"
            f" {self.positions:,} positions have none that is known, which counts as no other",
            f"kinds in a region: {self.least} or more{ell}",
            f"distance of its kinds from those of all regions:"
            f" {short_text(self.distance, up=True)} at most{t}",
        )

    to_dict = JsonForm("kinds regions positions unknown least distance l=ell t holds", schema=1)


@dataclass(frozen=True)
class KindsAsked:
    """Where kinds of place come from, and what regions are to have of them."""

    source: str
    """A column of the positions, or a file of places."""
    within: float
    """Metres from a position to the place that it is at, if they come from a file."""
    ell: int | None
    """Fewest kinds in a region; None if nothing is asked."""
    t: Fraction | None
    """Largest distance of the kinds of a region from those of all; None if nothing is asked."""

    @classmethod
    def of(
        cls, source: str, within: object = WITHIN.default, ell: object = None, t: object = None
    ) -> KindsAsked:
        """Read what was typed."""
        least = None if ell is None else L.read(ell)
        most = None if t is None else T.read(t)
        return cls(source, float(WITHIN.read(within)), least, most)

    @property
    def is_file(self) -> bool:
        """Whether the source is a file, by the ending of its name."""
        return Path(self.source).suffix.lower() in ENDINGS

    def read(
        self, positions: str, lines: Codes | None, degrees: tuple[Floats, Floats] | None
    ) -> PlaceKinds:
        """Return the kinds of positions.

        Args:
            positions: The file that they are from.
            lines: Shape (positions,): where each stands in it; None for all rows in their order.
            degrees: Latitudes and longitudes; None only for a column.

        Raises:
            DataError: If there is no such column, or no kind is known.
        """
        columns = read_columns(self.source if self.is_file else positions)
        if not self.is_file:
            if self.source not in columns.names:
                hint = show(", ".join(columns.names)) + did_you_mean(self.source, columns.names)
                raise DataError(f"{positions}: no column {show(self.source)}; there are {hint}")
            codes, names = codes_of(columns.column(columns.names.index(self.source)))
            if lines is not None:
                codes = codes[np.searchsorted(columns.lines, lines)]
            kinds = PlaceKinds(codes, names, None)
        else:
            assert degrees is not None
            # Backwards, so that of two spellings the first column stays.
            lower = {name.strip().lower(): name for name in reversed(columns.names)}
            heading = next((lower[name] for name in HEADINGS if name in lower), None)
            if heading is None:
                raise DataError(f"{self.source}: no column for the kind; need {any_of(HEADINGS)}")
            # A place has a kind as a position has a user. Without a kind it is still a place: who
            # is there is not at the next one.
            read = recognise(columns, {"user": heading}, time=False)
            places, _ = set_apart(replace(read, user=None), far=None)
            assert read.user is not None
            # Of several kinds at one spot the first counts for everybody who is there.
            spots = np.stack([places.lat, places.lon], axis=1)
            spots, first = np.unique(spots, axis=0, return_index=True)
            code = read.user[np.searchsorted(columns.lines, places.lines[first])]
            nearest, metres = next_places(spots[:, 0], spots[:, 1], *degrees)
            codes = np.where(metres <= self.within, code[nearest], UNKNOWN_KIND)
            kinds = PlaceKinds(codes, read.names, (spots[nearest, 0], spots[nearest, 1]))
        # Hospital and hospital are one kind: as two they would look like variety.
        spelled = forms_of(kinds.names)
        place = {name: code for code, name in enumerate(dict.fromkeys(spelled))}
        codes = np.array([*(place[name] for name in spelled), UNKNOWN_KIND])[kinds.code]
        kinds = replace(kinds, code=codes, names=tuple(place))
        if (kinds.code == UNKNOWN_KIND).all():
            where = f" within {self.within:g} m of a place" if self.is_file else ""
            raise DataError(f"{self.source}: the kind of no position is known{where}")
        return kinds

    def judge(
        self,
        region: Codes,
        kinds: PlaceKinds,
        row: Codes,
        inside: Flags,
        *,
        person: Codes | None = None,
        weight: Codes | None = None,
    ) -> KindsJudged:
        """Judge the kinds of rows in regions, each a position in one of them.

        Args:
            region: Shape (rows,): of each position.
            kinds: Of all positions.
            row: Shape (rows,): which of them each is.
            inside: Shape (rows,): whether its place is in the same region.
            person: Shape (rows,): whose it is, if somebody may have several in a region.
            weight: Shape (rows,): people who have it, above 0; one each unless given.
        """
        code = np.where(inside, kinds.code[row], UNKNOWN_KIND)
        if person is not None:
            # Somebody who is at two hospitals is at a hospital.
            rows = np.unique(np.stack([region, code, person]), axis=1)
            region, code, person = rows[0], rows[1], rows[2]
        regions, of_row = np.unique(region, return_inverse=True)
        unknown = code == UNKNOWN_KIND
        if unknown.all():
            raise DataError(f"{self.source}: the kind of no position in a region is known")
        classes = Classes(
            of_row.reshape(-1),
            len(regions),
            # What is not known may also be of a kind that occurs nowhere else.
            np.where(unknown, len(kinds.names) + 1, code),
            (*kinds.names, "another kind", MISSING),
            name="kind",
            person=person,
            weight=weight,
        )
        diverse = DistinctL(self.ell or 1).check(classes)
        if unknown.any():
            completions = KnownValues.of(classes)
            # One kind that occurs nowhere is enough: a region has it, or all others have.
            domain = np.append(completions.domain, len(kinds.names))
            farthest = farthest_equal(replace(completions, domain=domain))
            distance = max(map(farthest.at, range(len(regions))))
        else:
            distance = Fraction(TCloseness(1).check(classes).value)
        return KindsJudged(
            kinds=len(np.unique(code[~unknown])),
            regions=len(regions),
            positions=classes.rows,
            unknown=classes.gaps,
            least=int(diverse.value),
            distance=distance,
            ell=self.ell,
            t=self.t,
            holds=diverse.holds and (self.t is None or distance <= self.t),
        )


def judge_regions(
    demand: KindsAsked,
    regions: tuple[Codes, Codes],
    source: str,
    degrees: tuple[Floats, Floats] | None,
    node: Codes,
    lines: Codes | None,
    users: Codes | None = None,
) -> KindsJudged:
    """Judge the kinds of place of users at nodes in regions of nodes; each once for each region.

    Args:
        demand: What regions are to have.
        regions: Offsets and members: the nodes of region i are
            ``members[offsets[i]:offsets[i + 1]]``.
        source: The file of a column of kinds.
        degrees: Latitudes and longitudes of all nodes, for a file of places.
        node: Shape (positions,): where each is.
        lines: Shape (positions,): where each stands in the file; None if its rows are the nodes.
        users: Shape (positions,): people at each, above 0; one unless given.
    """
    offsets, members = regions
    place = node
    if lines is None:
        every = demand.read(source, None, degrees)
        kinds = replace(every, code=every.code[node])
        # The node next to a place may be in another region than the node next to who is there.
        if degrees is not None and every.degrees is not None:
            place = next_places(*degrees, *every.degrees)[0][node]
    else:
        kinds = demand.read(source, lines, None)
    order = np.argsort(node, kind="stable")
    begin, end = (np.searchsorted(node[order], members, side=side) for side in ("left", "right"))
    of_member = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    region, row = np.repeat(of_member, end - begin), order[ranges(begin, end - begin)]
    nodes = int(max(members.max(), place.max())) + 1
    inside = np.isin(region * nodes + place[row], of_member * nodes + members)
    return demand.judge(region, kinds, row, inside, weight=None if users is None else users[row])
