"""``kproof anonymize`` with places: cloaked requests from a road network, a heat map of points."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, cast

from cyclopts import Group, Parameter

from kproof.cli.base.columns import names_like, pairs
from kproof.cli.base.common import JSON, NAMES, REPEATED
from kproof.cli.base.printing import ExitStatus, write_result
from kproof.cli.releases.judging import AUDIENCE, not_judged
from kproof.cli.releases.logs import KindsOptions, text_of
from kproof.errors import DataError, Infeasible, InvalidArgument
from kproof.models.registry import Method
from kproof.outputs import Folder, check_outputs
from kproof.stages import stage

if TYPE_CHECKING:
    from kproof.models.places.city.city import City
    from kproof.models.places.city.located import LocatedUsers
    from kproof.models.places.density.method import DensityRelease
    from kproof.models.places.kinds import KindsAsked, KindsJudged
    from kproof.models.places.regions import RegionRelease

_CITY = Group("The city; a grid of 5 x 5 streets if no file is given", sort_key=1)
_EXPERIMENT = Group("The experiment", sort_key=3)
_POINTS = Group("The points", sort_key=1)
_USABLE = Group("Which rows are used", sort_key=2)
_SERIES = Group("Maps one after another", sort_key=2.2)
_FILES = Group("What is written; at least one", sort_key=3)

FAR_OPTION: TypeAlias = Annotated[
    str,
    Parameter(
        group=_USABLE,
        help="How many times the median distance from the median position is too far; such rows "
        "are set apart.",
    ),
]
KEEP_FAR: TypeAlias = Annotated[
    bool, Parameter(negative=(), group=_USABLE, help="Use rows however far they are.")
]

_ENDINGS = {"graphml": (".graphml",), "osm": (".osm", ".xml", ".pbf")}
"""What the reader goes by; it says itself that it does not read .pbf."""
_PACKED = ("", ".gz", ".bz2")


def cloak(
    method: Method,
    typed: dict[str, Any],
    /,
    *,
    output: Annotated[str | None, Parameter(name=("--output", "-o"))] = None,
    nodes: Annotated[str | None, Parameter(group=_CITY)] = None,
    edges: Annotated[str | None, Parameter(group=_CITY)] = None,
    graphml: Annotated[str | None, Parameter(group=_CITY)] = None,
    osm: Annotated[str | None, Parameter(group=_CITY)] = None,
    users: Annotated[str | None, Parameter(group=_CITY)] = None,
    snap: Annotated[str, Parameter(group=_CITY)] = "500",
    far: FAR_OPTION = "50",
    keep_far: KEEP_FAR = False,
    seed: Annotated[str, Parameter(group=_CITY)] = "0",
    column: Annotated[NAMES, Parameter(name="--named", negative=(), group=_CITY)] = (),
    coordinates: Annotated[str | None, Parameter(group=_CITY)] = None,
    figures: Annotated[str | None, Parameter(group=_EXPERIMENT)] = None,
    runs: Annotated[str, Parameter(name="--requests", group=_EXPERIMENT)] = "20",
    draw: Annotated[str, Parameter(group=_EXPERIMENT)] = "users",
    kinds: KindsOptions = KindsOptions(),
    audience: AUDIENCE = "public",
    json: JSON = False,
) -> int:
    """Cloak requests from a road network, and say who can have asked.

    Args:
        output: The CSV file to write: the distinct regions, a row for each node. Who asked is not
            in it.
        nodes: A CSV file with a row for each node, with --edges.
        edges: A CSV file with a row for each street, with --nodes.
        graphml: A GraphML file.
        osm: An OpenStreetMap XML file; it may be packed, as .osm.bz2.
        users: Number of users to place at random nodes, instead of those in the file; or a log of
            positions, each user of which is placed once, at the node next to the last position.
        snap: Metres from the next node, beyond which a user of the log is not in the city.
        seed: Seed of the random users and of the experiment.
        column: Name of a column or attribute: node=NAME, x=NAME, y=NAME, users=NAME, start=NAME,
            end=NAME or one_way=NAME; may be repeated.
        coordinates: degrees or plane; needed if the names of the columns do not tell.
        figures: A folder for the three figures and the table of an experiment with random requests.
        runs: Number of requests in the experiment.
        draw: Whether the experiment draws its targets among users or nodes.
        audience: Who reads the release; study if nothing is published.
    """
    from kproof.models.api import anonymize
    from kproof.models.papers.density_figures import FIGURES, TABLE
    from kproof.models.places.city.located import read_users
    from kproof.schemas.printed import AnonymizedCity

    files = [name for name in (nodes, edges, graphml, osm) if name is not None]
    # A number, such as 1.5, is refused as one; a file has an ending with a letter in it.
    log = users if users and re.search(r"\.\w*[a-z]\w*$", users, re.IGNORECASE) else None
    _check_files(nodes=nodes, edges=edges, graphml=graphml, osm=osm)
    drawn = Folder(figures, (*FIGURES, TABLE))
    outputs = check_outputs(
        {"output": output},
        folders={"figures": drawn},
        reads=[*files, *([log] if log else []), *kinds.reads],
    )
    kinds_asked = kinds.pop_kinds(typed)
    if kinds_asked is not None and not kinds_asked.is_file and log is None and nodes is None:
        admissible = "a file of places, or a column of --nodes FILE or --users LOG"
        raise InvalidArgument("kinds", kinds_asked.source, admissible)
    parameters = method.complete_arguments(typed)
    with stage(f"reading {files[0]}" if files else "making the grid"):
        columns = pairs("column", column)
        city = _city(files, users if log is None else "0", seed, columns, coordinates)
    located = None
    if log is not None:
        with stage(f"reading {log}"):
            located = read_users(city, log, far=None if keep_far else far, snap=snap)
        city = located.city
    if files and not city.population:
        raise DataError(f"{files[0]}: no users; say --users N or --named users=NAME")
    with stage(f"cloaking {city.population} users"):
        if "targets" in parameters:
            parameters["targets"] = names_like(city.names, parameters["targets"])
        release = anonymize(method.name, city, **parameters)
    if release.insufficient.all():
        raise Infeasible(
            f"none of {release.requests} requests can be served: no component of the city has the"
            " users they ask for, at as many crossings"
        )
    single = release.single
    if "least_nodes" not in typed and single.at_one_node:
        raise InvalidArgument(
            "least_nodes",
            None,
            f"1 to publish them, or more: {single.at_one_node} of {single.regions} regions have"
            " users at a single crossing, which says where they are",
        )
    with stage("judging kinds of place"):
        judged = None
        if kinds_asked is not None:
            judged = _judge_kinds(kinds_asked, release, city, located, log or nodes)
    refused = judged is not None and not judged.holds
    if refused:
        output = figures = None
    regions, runs_made = None, None
    paths: tuple[object, ...] = ()
    with outputs.together():
        if output is not None:
            with stage(f"writing {output}"):
                regions = release.to_csv(output)
        if figures is not None:
            from kproof.models.papers.density_experiment import experiment
            from kproof.models.papers.density_figures import save

            with stage(f"drawing {runs} runs"):
                parameters.pop("targets", None)
                runs_made = experiment(city, runs=runs, seed=seed, draw=draw, **parameters)
                paths = save(runs_made, figures)
    drawings = None if runs_made is None else tuple(map(str, paths))
    about = (cast("DensityRelease", release), city, regions, output)
    before = "" if located is None else f"{located.summary()}\n"
    text = f"{before}{city.summary()}\n{release.summary()}{text_of(judged)}"
    published = AnonymizedCity(*about, runs_made, drawings, located, judged)
    write_result("anonymize-city", published, json=json, text=text, written=[*paths, output])
    if refused:
        return ExitStatus.VIOLATED
    return not_judged("regions of a city", audience, json=json)


def _judge_kinds(
    kinds_asked: KindsAsked,
    release: RegionRelease,
    city: City,
    located: LocatedUsers | None,
    source: str | None,
) -> KindsJudged:
    """Judge the kinds of place of the users of a city in the regions that are published."""
    import numpy as np

    from kproof.models.places.kinds import judge_regions

    distinct = [release.region(request) for request in release.distinct()]
    regions = np.cumsum([0, *map(len, distinct)]), np.concatenate(distinct)
    if located is not None and not kinds_asked.is_file:
        about = (located.node, located.line)
        return judge_regions(kinds_asked, regions, str(source), None, *about)
    people = np.flatnonzero(city.users)
    where = city.degrees if kinds_asked.is_file else None
    return judge_regions(kinds_asked, regions, str(source), where, people, None, city.users[people])


def _check_files(**files: str | None) -> None:
    named = [name for name, file in files.items() if file is not None]
    if named not in ([], ["nodes", "edges"], ["graphml"], ["osm"]):
        text = " ".join(f"--{name}" for name in named)
        raise InvalidArgument("files", text, "--nodes and --edges, or --graphml, or --osm")
    for name, endings in _ENDINGS.items():
        file = files[name]
        accepted = tuple(ending + packed for ending in endings for packed in _PACKED)
        if file is not None and not file.lower().endswith(accepted):
            raise InvalidArgument(name, file, f"a file called *{endings[0]}, or packed")


def _city(
    files: list[str], users: str | None, seed: str, columns: dict[str, str], coordinates: str | None
) -> City:
    from kproof.models.papers.density_experiment import USERS
    from kproof.models.places.city.city import City
    from kproof.models.places.city.files import read_city, spread

    if not files:
        return spread(City.grid(5, 5, users=0), USERS if users is None else users, seed=seed)
    edges = files[1] if len(files) > 1 else None
    how: dict[str, Any] = {"columns": columns, "coordinates": coordinates}
    return read_city(files[0], edges=edges, users=users, seed=seed, **how)


def publish_map(
    method: Method,
    typed: dict[str, Any],
    data: str,
    /,
    *,
    lat: Annotated[str | None, Parameter(group=_POINTS)] = None,
    lon: Annotated[str | None, Parameter(group=_POINTS)] = None,
    user: Annotated[str | None, Parameter(group=_POINTS)] = None,
    time: Annotated[str | None, Parameter(group=_POINTS)] = None,
    since: Annotated[str | None, Parameter(name="--from", group=_USABLE)] = None,
    until: Annotated[str | None, Parameter(name="--to", group=_USABLE)] = None,
    far: FAR_OPTION = "50",
    keep_far: KEEP_FAR = False,
    cells: Annotated[str | None, Parameter(name=("--cells", "--like"), group=_SERIES)] = None,
    released: Annotated[REPEATED, Parameter(group=_SERIES)] = (),
    output: Annotated[str | None, Parameter(name=("--output", "-o"), group=_FILES)] = None,
    png: Annotated[str | None, Parameter(group=_FILES)] = None,
    html: Annotated[str | None, Parameter(group=_FILES)] = None,
    title: Annotated[str | None, Parameter(group=_FILES)] = None,
    kinds: KindsOptions = KindsOptions(),
    audience: AUDIENCE = "public",
    json: JSON = False,
) -> int:
    """Publish a heat map of points: squares, finer where there are more people, with k in each.

    Args:
        data: A CSV, Parquet, NDJSON, GeoJSON or GPX file with a row for each point.
        lat: Column of latitudes, if not called lat, latitude or y.
        lon: Column of longitudes, if not called lon, lng, long, longitude or x.
        user: Column of users, if not called user, user_id, userid, users, uid, driver, device or
            taxi_id.
        time: Column of times, if not called time, timestamp, datetime or date_time.
        since: The first moment whose positions count, such as 2008-06-08T08:00; UTC without a zone.
        until: The moment from which on positions do not count.
        cells: A GeoJSON file of squares, such as an earlier map: these are published, and no
            others. An earlier map is subtracted, too.
        released: A file that was published of the same people before, as a heat map; may be
            repeated. If subtracting it would show fewer than k, nothing is published.
        output: The GeoJSON file to write.
        png: An image of the map.
        html: A page that shows the map, with pan and zoom, and needs no network.
        title: What image and page are called; the name of the file of points if not given.
        audience: Who reads the release; study if nothing is published.
    """
    from kproof.models.api import anonymize
    from kproof.models.places.heatmap.files import geojson, write_geojson, write_png
    from kproof.models.places.heatmap.fixed import judge_map_kinds, map_on
    from kproof.models.places.heatmap.map_files import map_of, read_map
    from kproof.models.places.heatmap.page import write_page
    from kproof.models.places.heatmap.series import refuse_changes
    from kproof.models.places.points_files import read_points
    from kproof.schemas.printed import AnonymizedPoints

    files = check_outputs(
        {"output": output, "png": png, "html": html}, reads=[data, cells, *released, *kinds.reads]
    )
    targets = [name for name in (output, png, html) if name is not None]
    if not targets:
        raise InvalidArgument("output", None, "--output, --png or --html FILE")
    kinds_asked = kinds.pop_kinds(typed)
    parameters = method.complete_arguments(typed)
    period = _period(since, until)
    squares = None if cells is None else read_map(cells)
    for name in parameters.keys() - {"min_k", "count"} if squares else ():
        raise InvalidArgument(name, parameters[name], "nothing beside --cells")
    # Named twice it is subtracted once; a map that --cells names is subtracted below.
    earlier = [read_map(name) for name in dict.fromkeys(released) if name != cells]
    if squares is not None and squares.counts is not None:
        earlier.insert(0, squares)
    columns = {"lat": lat, "lon": lon, "user": user, "time": time}
    with stage(f"reading {data}"):
        points = read_points(data, **columns, far=None if keep_far else far, period=period)
    with stage(f"mapping {points.count} points"):
        if squares is None:
            release = anonymize(method.name, points, **parameters)
        else:
            release = map_on(squares, points, **parameters)
    # As the file will have it: what is subtracted are its numbers.
    drawn = map_of(output or "this map", geojson(release)) if earlier or kinds_asked else None
    if earlier and drawn is not None:
        with stage("subtracting earlier maps"):
            refuse_changes(drawn, earlier)
    judged = None
    if kinds_asked is not None and drawn is not None:
        with stage("judging kinds of place"):
            judged = judge_map_kinds(kinds_asked, drawn, points, data)
    refused = judged is not None and not judged.holds
    if refused:
        output = png = html = None
        targets = []
    title = Path(data).name if title is None else title
    with stage(f"writing {', '.join(targets)}"), files.together():
        if output is not None:
            write_geojson(release, output)
        if png is not None:
            write_png(release, png, title=title)
        if html is not None:
            write_page(release, html, title=title)
    published = AnonymizedPoints(release, tuple(targets), judged)
    text = f"{points.summary()}\n{release.summary()}{text_of(judged)}"
    write_result("anonymize-points", published, json=json, text=text, written=targets)
    if refused:
        return ExitStatus.VIOLATED
    return not_judged("maps of points", audience, json=json)


def _period(since: str | None, until: str | None) -> tuple[int, int] | None:
    from kproof.models.places.position_cells import seconds_of

    if since is None and until is None:
        return None
    if since is None or until is None:
        name, counterpart = ("since", "--to") if since is None else ("until", "--from")
        raise InvalidArgument(name, None, f"a moment, with {counterpart}")
    start, end = seconds_of("since", since), seconds_of("until", until)
    if start >= end:
        raise InvalidArgument("until", until, f"a moment after --from {since}")
    return start, end
