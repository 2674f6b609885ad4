"""``kproof anonymize`` with points: a heat map."""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import Group, Parameter

from kproof.cli.base.common import JSON
from kproof.cli.base.printing import write_result
from kproof.cli.releases.judging import AUDIENCE, not_judged
from kproof.errors import InvalidArgument
from kproof.models.registry import Method
from kproof.outputs import check_outputs
from kproof.stages import stage

_POINTS = Group("The points", sort_key=1)
_FILES = Group("What is written; at least one", sort_key=3)


def draw(
    method: Method,
    asked: dict[str, Any],
    data: str,
    /,
    *,
    lat: Annotated[str | None, Parameter(group=_POINTS)] = None,
    lon: Annotated[str | None, Parameter(group=_POINTS)] = None,
    user: Annotated[str | None, Parameter(group=_POINTS)] = None,
    output: Annotated[str | None, Parameter(name=("--output", "-o"), group=_FILES)] = None,
    png: Annotated[str | None, Parameter(group=_FILES)] = None,
    html: Annotated[str | None, Parameter(group=_FILES)] = None,
    audience: AUDIENCE = "public",
    json: JSON = False,
) -> int:
    """Publish a heat map of points: squares, finer where there are more people, with k in each.

    Args:
        data: A CSV or Parquet file with a row for each point, or a GeoJSON file of points.
        lat: Column of latitudes, if not called lat or latitude.
        lon: Column of longitudes, if not called lon, longitude or lng.
        user: Column of users, if not called user, user_id, userid or users.
        output: The GeoJSON file to write.
        png: An image of the map.
        html: A page that shows the map, with pan and zoom, and needs no network.
        audience: Who reads the release; study if nothing is published.
    """
    from pathlib import Path

    from kproof.models.api import anonymize
    from kproof.models.places.heatmap.files import write_geojson, write_png
    from kproof.models.places.heatmap.page import write_page
    from kproof.models.places.points_files import read_points
    from kproof.schemas.printed import AnonymizedPoints

    targets = [name for name in (output, png, html) if name is not None]
    if not targets:
        raise InvalidArgument("output", None, "--output, --png or --html FILE")
    files = check_outputs({"output": output, "png": png, "html": html}, reads=[data])
    parameters = method.asked(asked)
    with stage(f"reading {data}"):
        points = read_points(data, lat=lat, lon=lon, user=user)
    with stage(f"mapping {points.count} points"):
        release = anonymize(method.name, points, **parameters)
    title = Path(data).name
    with stage(f"writing {', '.join(targets)}"), files.together():
        if output is not None:
            write_geojson(release, output)
        if png is not None:
            write_png(release, png, title=title)
        if html is not None:
            write_page(release, html, title=title)
    made = AnonymizedPoints(release, tuple(targets))
    text = f"{points.summary()}\n{release.summary()}"
    write_result("anonymize-points", made, json=json, text=text, written=targets)
    return not_judged("maps of points", audience, json=json)
