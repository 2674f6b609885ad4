"""Positive words of places: heat maps, cloaked requests, and attacks on traces."""

import json
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

from moving_files import write_log
from positive import MOMENT, NOBODY, Positive, either
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


_MOVED = {
    "printed_by": "kproof anonymize moving; kproof attack intersection; kproof check --log",
    "modules": ("kproof.models.moving.judging", "kproof.models.moving.publish"),
    "judged": "For every record, the people who were in all the cells that it shows were counted "
    "in the three files, and so were the records that are equal to it; at least one record was "
    "judged. Across sessions nothing is judged.",
    "mutant": "the same files for a log in which one person was elsewhere in a slot",
    "adversary": "knows where everybody was in every slot, and the method; links no two records of "
    "a person, and no other release",
}


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


of_moment = partial(Positive, adversary=MOMENT)
of_nobody = partial(Positive, adversary=NOBODY)

ROWS = (
    Positive(
        word="0 have fewer than 4",
        holds=_moved,
        turns=lambda: _moved(straying=True),
        absent="presence: 4 candidates or more for 8 records, 0 have fewer than 4",
        **_MOVED,
    ),
    Positive(
        word='"holds": true',
        holds=lambda: _moved("--json"),
        turns=lambda: _moved("--json", straying=True),
        **_MOVED,
    ),
    Positive(
        word="no record fits, or 4 or more do",
        holds=lambda: _moved("--knows", "2"),
        turns=lambda: _moved("--knows", "2", lone=True),
        **_MOVED
        | {
            "judged": "For every person and every set of so many slots, the records that show no"
            " other cell there; or that no fewer are equal, if there are too many sets to try.",
            "mutant": "the same files, with a record that shows another cell in a slot",
            "adversary": "knows so many positions of a person, in a session, and looks for records"
            " that fit",
        },
    ),
    of_moment(
        word="fewer than k for 0 of",
        printed_by="kproof anonymize density; DensityRelease.summary",
        modules=("kproof.models.places.density.method",),
        judged="For each user who was served, the number of users whose own requests would have "
        "had the published region.",
        mutant="regions grown from the crossing of the request, as described",
        holds=_cloaked,
        turns=lambda: _cloaked(reading="printed"),
    ),
    of_moment(
        word="one crossing for 0",
        printed_by="kproof anonymize density; DensityRelease.summary",
        modules=("kproof.models.places.density.method",),
        judged="For each user who was served, the number of crossings with users whose own "
        "requests would have had this region.",
        mutant="regions grown from the crossing of the request, as described",
        holds=_cloaked,
        turns=lambda: _cloaked(reading="printed"),
    ),
    of_moment(
        word="single crossings: 0 of",
        printed_by="kproof anonymize density; RegionRelease.summary",
        modules=("kproof.models.places.regions",),
        judged="The number of nodes of every distinct published region.",
        mutant="a crossing with 50 users and least_nodes = 1",
        holds=_cloaked,
        turns=lambda: density(City.of([50, 50], [(0, 1)]), least_nodes=1).summary(),
    ),
    of_nobody(
        word="reading=corrected",
        printed_by="kproof anonymize density; the account of a release",
        modules=("kproof.models.places.density.method",),
        judged="The regions are cells of one partition. Everybody in a cell gets the same region, "
        "and each cell has the users and crossings that its users ask for. This follows from how "
        "the regions are made; the line of candidates counts the result.",
        mutant="reading=printed",
        holds=_cloaked,
        turns=lambda: _cloaked(reading="printed"),
    ),
    of_nobody(
        word="persons, by user",
        printed_by="kproof anonymize quadtree and its HTML page; SectorRelease.summary",
        modules=("kproof.models.places.heatmap.release",),
        judged="A column that is known or was named gives every point a user, and each user counts "
        "once in a sector.",
        mutant="the same points, counted by location",
        holds=lambda: _town().summary() + heatmap_page(_town()),
        turns=lambda: (
            _town(None, count="locations").summary() + heatmap_page(_town(None, count="locations"))
        ),
    ),
    of_nobody(
        word="counted: persons",
        printed_by="kproof anonymize quadtree",
        modules=("kproof.models.places.heatmap.release",),
        judged="The file has a column of users, whose name is known or was given.",
        mutant="the column is called who: refused, with its name",
        **either(_file, ("user",), ("who",)),
    ),
    of_nobody(
        word='"counted":"users"',
        printed_by="the GeoJSON file of kproof anonymize quadtree",
        modules=("kproof.models.places.heatmap.files",),
        judged="The count of every feature counts each user once.",
        mutant="locations are counted",
        holds=lambda: geojson(_town()),
        turns=lambda: geojson(_town(count="locations")),
    ),
    of_nobody(
        word="k holds",
        printed_by="kproof check MAP.geojson --original LOG",
        modules=("kproof.models.places.published",),
        judged="The people of the log in each square, counted again: none, or k; and the file says "
        "the same number.",
        mutant="a square of the file says one more",
        **either(_recounted, (0,), (1,)),
    ),
    Positive(
        word="no union changes by 1 to k - 1",
        printed_by="kproof check A.geojson B.geojson",
        modules=("kproof.models.places.heatmap.series",),
        judged="The change of every union of squares that both maps have is 0, or k or more, up or "
        "down; each area is one square in both, or locations are counted.",
        mutant="one person more in one square",
        adversary="has the two maps, and subtracts any union of squares that both have",
        **either(_subtracted, ((6, 6),), ((6, 7),)),
    ),
    Positive(
        word="nothing to subtract",
        printed_by="kproof check A.geojson B.geojson",
        modules=("kproof.models.places.heatmap.series",),
        judged="The files say periods that are apart, and have the same squares.",
        mutant="periods that overlap by a minute, and one person more",
        adversary="has the two maps, whose counts share no position",
        **either(_subtracted, ((6, 7), "08:15"), ((6, 7), "08:14")),
    ),
    of_moment(
        word="nobody",
        printed_by="the drawing of a heat map in kproof report",
        modules=("kproof.report.places_svg",),
        judged="None of the given points lies in the sector: its count is 0.",
        mutant="a point in each corner",
        holds=lambda: heat_maps(_town())[1].svg,
        turns=lambda: heat_maps(_corners())[1].svg,
    ),
    of_moment(
        word="nobody in any sector",
        printed_by="SectorRelease.summary, of a heat map made elsewhere",
        modules=("kproof.models.places.heatmap.release",),
        judged="All counts that were handed over are 0.",
        mutant="a heat map of twelve users",
        holds=_empty,
        turns=lambda: _town().summary(),
    ),
    of_moment(
        word="nobody was seen",
        printed_by="kproof attack mle traces, kproof attack bas traces: status 4",
        modules=("kproof.cli.releases.attack_inference",),
        judged="Nothing was judged: no observations were asked for, and guessing finds as many "
        "users.",
        mutant="--observations 1",
        **either(_attacked, (), ("--observations", "1")),
    ),
    of_moment(
        word='"certain": 0',
        printed_by="kproof attack mle --json, kproof attack bas --json",
        modules=("kproof.models.attacks.inference.fu",),
        judged="Every victim was compared with every published place, as for the words *0 for "
        "sure*.",
        mutant="every victim is seen once",
        **either(_attacked, ("--json",), ("--json", "--observations", "1")),
    ),
    of_moment(
        word="0 for sure",
        printed_by="kproof attack mle, kproof attack bas",
        modules=("kproof.models.attacks.inference.fu",),
        judged="Every victim was compared with every published place, with the knowledge that was "
        "asked for. Status 4 says that no knowledge was asked for.",
        mutant="every victim is seen once",
        holds=_found,
        turns=lambda: _found(observations=1),
    ),
)
"""What is printed of places, and what turns it."""
