"""Positive words of places: heat maps, cloaked requests, and attacks on traces."""

import json
import tempfile
from pathlib import Path
from typing import Any

from moving_files import write_log
from positive import either, rows
from shell import kproof

from kproof.models.attacks.inference.api import infer
from kproof.models.attacks.inference.traces import Traces, publish_traces
from kproof.models.places.city.city import City
from kproof.models.places.density.method import density
from kproof.models.places.heatmap.files import geojson
from kproof.models.places.heatmap.page import heatmap_page
from kproof.models.places.heatmap.quadtree import quadtree
from kproof.models.places.heatmap.release import seal_sectors
from kproof.models.places.plane import Box, Plane
from kproof.models.places.points import Points
from kproof.report.places_svg import heat_maps

_NAMES = [f"user {number}" for number in range(12)]


def _cloaked(**asked: Any) -> str:
    return density(City.grid(5, 5, users=40, seed=2), **asked).summary()


def _town(people: list[str] | None = _NAMES, **asked: Any) -> Any:
    """Return a heat map of users in two corners of a square of 200 m."""
    lat, lon = [0.0005] * 6 + [0.0015] * 6, [0.5005] * 6 + [0.5015] * 6
    return quadtree(Points.of(lat, lon, users=people), **asked)


def _file(columns: str) -> str:
    """Return what is printed for a file of twelve points of one person."""
    with tempfile.TemporaryDirectory() as folder:
        trips, out = Path(folder, "trips.csv"), str(Path(folder, "map.geojson"))
        rows = "".join(f"0.0005,0.5005,{name}\n" for name in _NAMES)
        trips.write_text(f"lat,lon,{columns}\n{rows}", encoding="utf-8")
        ran = kproof("anonymize", "quadtree", "--audience", "study", str(trips), "-o", out)
    return ran.out + ran.err


def _found(**knows: int) -> str:
    cabs = Traces.of([37.7, 37.8, 37.9], [-122.4] * 3, users="abc", seconds=[0, 0, 0])
    return infer("mle", publish_traces(cabs, cell=500), **knows).summary()


def _corners() -> Any:
    """A square of 200 m with enough users in each quarter."""
    lat = [0.0005] * 10 + [0.0015] * 10
    lon = ([0.5005] * 5 + [0.5015] * 5) * 2
    return quadtree(Points.of(lat, lon, users=range(20)))


def _attacked(*words: str) -> str:
    """Return what is printed of an attack on the traces of three cabs."""
    with tempfile.TemporaryDirectory() as folder:
        cabs = Path(folder, "cabs.csv")
        rows = "".join(f"37.{cab},-122.4,0,{cab}\n" for cab in range(7, 10))
        cabs.write_text(f"lat,lon,time,user\n{rows}", encoding="utf-8")
        return kproof("attack", "mle", "traces", str(cabs), "--cell", "500", *words).out


def _empty() -> str:
    release = seal_sectors(
        Points.of([0.0], [0.0]),
        [[Box(0, 0, 100, 100)]],
        counts=[0],
        areas=[10_000],
        plane=Plane(0, 0),
        root=None,
        counted="locations",
        method="by hand",
        parameters={},
    )
    return release.summary()


def _moved(*words: str, straying: bool = False, lone: bool = False) -> str:
    """Return what the attack on a cloaked log says of a log, or of one in which somebody strays."""
    with tempfile.TemporaryDirectory() as folder:
        log, out = write_log(Path(folder, "log.csv")), str(Path(folder, "cloaked.csv"))
        asked = ("--grid", "500", "--k", "4", "--period", "60", "--widest", "1000")
        assert kproof("anonymize", "moving", log, *asked, "-o", out).status == 0
        if lone:
            text = Path(out).read_text(encoding="utf-8")
            first, last = (text.splitlines()[row] for row in (2, -1))
            changed = f"{last.rpartition(',')[0]},{first.rpartition(',')[2]}"
            Path(out).write_text(text.replace(last, changed), encoding="utf-8")
        later = write_log(Path(folder, "later.csv"), straying=straying)
        cells = f"{out}.cells.geojson"
        return kproof("attack", "intersection", out, later, "--cells", cells, *words).out


def _square(count: int, period: tuple[str, str]) -> str:
    ring = [[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]
    shape = {"type": "Polygon", "coordinates": [ring]}
    feature = {"type": "Feature", "properties": {"count": count}, "geometry": shape}
    start, end = (f"2024-01-01T{moment}" for moment in period)
    about = {"counted": "users", "k": 5, "from": start, "to": end}
    return json.dumps({"type": "FeatureCollection", **about, "features": [feature]})


def _checked(*texts: str, original: str | None = None) -> str:
    """Return what kproof check prints of maps."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, f"{number}.geojson") for number in range(len(texts))]
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text, encoding="utf-8")
        log = Path(folder, "log.csv")
        log.write_text(original or "", encoding="utf-8")
        beside = ("--original", str(log)) if original else ()
        return kproof("check", *map(str, paths), *beside).out


def _recounted(more: int) -> str:
    rows = "".join(f"0.5,0.5,{user},2024-01-01T08:00\n" for user in range(6))
    log = f"lat,lon,user,time\n{rows}"
    return _checked(_square(6 + more, ("08:00", "09:00")), original=log)


def _subtracted(counts: tuple[int, int], start: str = "08:00") -> str:
    first, second = counts
    maps = _square(first, ("08:00", "08:15")), _square(second, (start, "08:30"))
    return _checked(*maps)


ROWS = rows(
    "places",
    few_candidates=(_moved, lambda: _moved(straying=True)),
    holds_json=(lambda: _moved("--json"), lambda: _moved("--json", straying=True)),
    no_record_fits=(lambda: _moved("--knows", "2"), lambda: _moved("--knows", "2", lone=True)),
    fewer_than_k=(_cloaked, lambda: _cloaked(reading="printed")),
    one_crossing=(_cloaked, lambda: _cloaked(reading="printed")),
    single_crossings=(
        _cloaked,
        lambda: density(City.of([50, 50], [(0, 1)]), least_nodes=1).summary(),
    ),
    reading_corrected=(_cloaked, lambda: _cloaked(reading="printed")),
    persons_by_user=(
        lambda: _town().summary() + heatmap_page(_town()),
        lambda: (
            _town(None, count="locations").summary() + heatmap_page(_town(None, count="locations"))
        ),
    ),
    counted_persons=either(_file, ("user",), ("who",)),
    counted_users=(lambda: geojson(_town()), lambda: geojson(_town(count="locations"))),
    k_holds=either(_recounted, (0,), (1,)),
    no_union_changes=either(_subtracted, ((6, 6),), ((6, 7),)),
    nothing_to_subtract=either(_subtracted, ((6, 7), "08:15"), ((6, 7), "08:14")),
    nobody=(lambda: heat_maps(_town())[1].svg, lambda: heat_maps(_corners())[1].svg),
    nobody_in_any_sector=(_empty, lambda: _town().summary()),
    nobody_was_seen=either(_attacked, (), ("--observations", "1")),
    certain_0=either(_attacked, ("--json",), ("--json", "--observations", "1")),
    for_sure=(_found, lambda: _found(observations=1)),
)
"""What is printed of places, and what turns it."""
