"""The cells of a sampled table as rectangles on a map: a lattice that was written down beforehand.

It is made of the published rows alone, so it tells nothing that they do not.
"""

import json
import re
from collections import Counter
from collections.abc import Sequence

from kproof.errors import InvalidArgument
from kproof.models.places.positions import COLUMNS
from kproof.models.tables.sampled.levels import WrittenLevels
from kproof.models.tables.sampled.method import SampledRelease

_RANGE = re.compile(r"\[(-?[\d.]+)-(-?[\d.]+)\)")


def require_coordinates(levels: Sequence[str]) -> None:
    """Refuse levels, as a user types them, whose cells are no rectangles of degrees."""
    for text in levels:
        columns = WrittenLevels.parse([text]).columns
        kinds = sorted(_kind(column.column) for column in columns if column.width)
        if len(columns) != 2 or kinds != ["lat", "lon"]:
            need = "lat=range:WIDTH,lon=range:WIDTH in degrees, and no other column"
            raise InvalidArgument("levels", text, f"{need}, with --map")


def to_geojson(release: SampledRelease) -> str:
    """Return each cell as a feature with its ``count``; rows that show ``*`` are left out."""
    order = [_kind(name) for name in release.names[:2]]
    counts = Counter(row[:2] for row in release.rows)
    features = []
    for cell, count in sorted(counts.items()):
        matches = dict(zip(order, map(_RANGE.fullmatch, cell), strict=True))
        lat, lon = matches["lat"], matches["lon"]
        if lat is None or lon is None:
            continue
        (south, north), (west, east) = (tuple(map(float, ends.groups())) for ends in (lat, lon))
        ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
        shape = {"type": "Polygon", "coordinates": [ring]}
        feature = {"type": "Feature", "properties": {"count": count}, "geometry": shape}
        features.append(json.dumps(feature))
    listed = ",\n".join(features)
    return f'{{"type": "FeatureCollection", "features": [\n{listed}\n]}}\n'


def _kind(name: str) -> str:
    folded = name.strip().casefold()
    return next((kind for kind in ("lat", "lon") if folded in COLUMNS[kind]), folded)
