"""What the files of places tell by themselves: heat maps and regions, whoever made them."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

import numpy as np

from kproof.datasets import read_text_table
from kproof.errors import DataError, InvalidArgument, KProofError, show
from kproof.forms import JsonForm
from kproof.models.base.verdict import SCHEMA
from kproof.models.places.city.city import Coordinates
from kproof.models.places.city.files import read_nodes
from kproof.models.places.heatmap.fixed import count_in, judge_map_kinds
from kproof.models.places.heatmap.map_files import CommonLattice, MapFile, read_map
from kproof.models.places.heatmap.release import Counted
from kproof.models.places.heatmap.series import MapSeries, judge_series
from kproof.models.places.kinds import KindsAsked, KindsJudged, judge_regions
from kproof.models.places.points_files import read_points
from kproof.models.places.regions import REGION_COLUMNS
from kproof.models.tables.writers import inert
from kproof.theory.exact.typed import Number, integer

_NAMED = 5


class PlacesOutcome(StrEnum):
    """What was found of a file."""

    HOLDS = "k holds"
    """Recounted from the positions that it was made of: nobody or k people in each square."""
    FAILS = "k fails"
    """The file itself shows it, or it is not what the positions say."""
    OPEN = "not judged"
    """The file cannot show it."""


@dataclass(frozen=True, slots=True)
class JudgedPlaces:
    """What was found of one file of places."""

    source: str
    """The file."""
    kind: str
    """Heat map or regions."""
    outcome: PlacesOutcome
    reason: str
    """In a sentence."""
    kinds: KindsJudged | None = None
    """What its regions tell of the kinds of place; None if that was not asked."""

    def __str__(self) -> str:
        """Return the outcome and why, in a sentence, and what was found of kinds of place."""
        line = f"{self.source} ({self.kind}): {self.outcome}: {self.reason}"
        return "\n".join([line, *(self.kinds.sentences if self.kinds else ())])


@dataclass(frozen=True, slots=True)
class PlacesChecked:
    """What was found of files of places, by themselves and together."""

    files: tuple[JudgedPlaces, ...]
    """One by itself; of several those that fail by themselves."""
    series: MapSeries | None
    """What the maps show together; None for one file."""

    to_dict = JsonForm("files series", schema=SCHEMA)


def is_of_places(source: str, *, with_roles: bool = False) -> bool:
    """Say whether a file is a heat map, by the ending of its name, or regions, by its columns.

    ``with_roles`` says that somebody named roles of columns: then a CSV file is a table.
    """
    path = Path(source)
    if path.suffix.lower() == ".geojson":
        return True
    if with_roles:
        return False
    try:
        with open(path, encoding="utf-8") as file:
            return file.readline().strip() == ",".join(REGION_COLUMNS)
    except (OSError, ValueError):
        return False


def check_places(
    sources: tuple[str, ...],
    *,
    k: Number | None = None,
    original: str | None = None,
    kinds: KindsAsked | None = None,
) -> PlacesChecked:
    """Judge files of places: one by itself, several heat maps by what they show together.

    Args:
        sources: GeoJSON files of heat maps, or one CSV file of regions.
        k: Fewest in a square with anybody; unless given, what the map says.
        original: The positions that a single heat map was made of; it is recounted. Of regions the
            nodes of the city with their users, for ``kinds``.
        kinds: What regions are to have of kinds of place, for one file with its original.
    """
    least = None if k is None else integer("k", k, least=1)
    if original is not None and len(sources) > 1:
        raise InvalidArgument("original", original, "one heat map")
    if kinds is not None and original is None:
        raise InvalidArgument("kinds", kinds.source, "--original FILE: where people were")
    maps = [] if Path(sources[0]).suffix.lower() != ".geojson" else [*map(read_map, sources)]
    if not maps:
        if len(sources) > 1 or (original is not None and kinds is None):
            raise InvalidArgument("data", sources[0], "it alone, as it is a file of regions")
        return PlacesChecked((_judge_regions(sources[0], original, kinds),), None)
    files = [_judge_map(drawn, least, original) for drawn in maps]
    if kinds is not None and original is not None:
        points = read_points(original, period=maps[0].period)
        files = [replace(files[0], kinds=judge_map_kinds(kinds, maps[0], points, original))]
    if len(maps) == 1:
        return PlacesChecked(tuple(files), None)
    # Of several the question is what they show together; what one shows alone ends it.
    failing = tuple(file for file in files if file.outcome is PlacesOutcome.FAILS)
    return PlacesChecked(failing, judge_series(maps, k=least))


def _judge_map(drawn: MapFile, k: int | None, original: str | None) -> JudgedPlaces:
    def result(outcome: PlacesOutcome, reason: str) -> JudgedPlaces:
        return JudgedPlaces(drawn.source, "heat map", outcome, reason)

    least = drawn.k if k is None else k
    if drawn.counts is None:
        raise DataError(f"{drawn.source}: squares without counts are no heat map")
    if least is None:
        raise InvalidArgument("k", None, f"a number, as {drawn.source} says none")
    few = np.flatnonzero((drawn.counts > 0) & (drawn.counts < least))
    # What fails comes before what cannot be judged: no doubt about a file makes few people more.
    if len(few):
        named = ", ".join(
            f"{drawn.counts[square]} in {drawn.name_square(square)}"
            for square in few[:_NAMED].tolist()
        )
        return result(PlacesOutcome.FAILS, f"fewer than k = {least} in {len(few)} squares: {named}")
    try:
        # Overlapping squares can be subtracted like two maps.
        CommonLattice.of(drawn).labels(drawn)
    except KProofError as error:
        return result(PlacesOutcome.OPEN, str(error))
    if drawn.counted is not Counted.USERS:
        return result(PlacesOutcome.OPEN, f"k = {least} of locations, which one person can be")
    if least < 2:
        return result(PlacesOutcome.OPEN, "k = 1 promises nothing: need 2 or more")
    if original is None:
        reason = f"it says {least} or more people where anybody is; --original LOG recounts them"
        return result(PlacesOutcome.OPEN, reason)
    # Of the file's own period: counted over more time, a map could hold that does not.
    points = read_points(original, period=drawn.period)
    if points.users is None:
        raise DataError(f"{original}: no column of users, which {drawn.source} counts")
    counts = count_in(drawn, points, Counted.USERS)
    wrong = np.flatnonzero(counts != drawn.counts)
    if len(wrong):
        square = int(wrong[0])
        reason = (
            f"{len(wrong)} squares are not what {original} says: {drawn.name_square(square)} has "
            f"{counts[square]} people, not {drawn.counts[square]}"
        )
        return result(PlacesOutcome.FAILS, reason)
    reason = f"k = {least}, as recounted from {original} ({points.recognised})"
    return result(PlacesOutcome.HOLDS, reason)


def _judge_regions(source: str, original: str | None, kinds: KindsAsked | None) -> JudgedPlaces:
    table = read_text_table(source, header="yes")
    nodes: dict[str, set[str]] = defaultdict(set)
    levels: dict[str, str] = {}
    for line, region, k, node in zip(table.lines, *table.cells, strict=True):
        where = f"{source}, line {line}"
        if not k.strip().isdecimal() or int(k) < 1:
            raise DataError(f"{where}: k is {show(k)}; need a whole number above 0")
        if levels.setdefault(region, k) != k:
            raise DataError(f"{where}: region {show(region)} has two k: {levels[region]} and {k}")
        if node in nodes[region]:
            raise DataError(f"{where}: node {show(node)} is in region {show(region)} twice")
        nodes[region].add(node)
    if not nodes:
        raise DataError(f"{source}: the table has no rows")
    judged = None
    if kinds is not None and original is not None:
        judged = _judge_kinds_of_regions(source, nodes, original, kinds)
    if alone := [region for region, members in nodes.items() if len(members) == 1]:
        named = ", ".join(map(show, alone[:_NAMED]))
        reason = f"{len(alone)} regions are one crossing, which says where who asked is: {named}"
        return JudgedPlaces(source, "regions", PlacesOutcome.FAILS, reason, judged)
    times = Counter(node for members in nodes.values() for node in members)
    several = sum(number > 1 for number in times.values())
    reason = f"{len(nodes)} regions of {len(times)} crossings; the file does not say who is where"
    if several:
        reason += f"; {several} crossings are in several regions, which can be compared"
    return JudgedPlaces(source, "regions", PlacesOutcome.OPEN, reason, judged)


def _judge_kinds_of_regions(
    source: str, nodes: dict[str, set[str]], original: str, demand: KindsAsked
) -> KindsJudged:
    """Judge the kinds of place of the users of a city in regions of its nodes."""
    draft = read_nodes(original)
    if not draft.users or (demand.is_file and draft.kind is not Coordinates.DEGREES):
        raise DataError(f"{original}: need the users of each node, and longitude and latitude")
    # A release shows a name behind an apostrophe if a spreadsheet would run it.
    place = {inert(name): node for node, name in enumerate(draft.names)}
    if unknown := sorted(set().union(*nodes.values()) - place.keys()):
        raise DataError(f"{source}: node {show(unknown[0])} is not in {original}")
    members = [sorted(place[name] for name in region) for region in nodes.values()]
    regions = np.cumsum([0, *map(len, members)]), np.concatenate(members)
    users, where = np.array(draft.users), (np.array(draft.y), np.array(draft.x))
    people = np.flatnonzero(users)
    degrees = where if demand.is_file else None
    return judge_regions(demand, regions, original, degrees, people, None, users[people])
