"""The section on places and people: pictures and figures that say what the releases are."""

import re
from html.parser import HTMLParser
from itertools import pairwise
from xml.etree import ElementTree as ET

import networkx as nx
import numpy as np
import pytest
from svg_parts import SVG, box, fill, parts, radius, spots, styles, texts, tips

import kproof
from kproof.models.attacks.inference.api import infer
from kproof.models.graphs.social import SocialGraph
from kproof.models.papers.density_experiment import experiment
from kproof.models.papers.density_figures import REGION, REST, TARGET
from kproof.models.places.points import Points
from kproof.report import places, places_svg
from kproof.report.context import Context
from kproof.report.places_svg import Row
from kproof.report.sections import sections

CLUB = SocialGraph.from_networkx(nx.karate_club_graph())


@pytest.fixture(scope="module")
def section() -> str:
    return str(places.build(Context(())))


@pytest.fixture(scope="module")
def drawings(section: str) -> list[ET.Element]:
    return [ET.fromstring(one) for one in re.findall(r"<svg.*?</svg>", section, re.DOTALL)]


class Cells(HTMLParser):
    """The texts of a page's table cells, row by row."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data.strip()


def test_it_stands_before_the_papers_and_needs_nothing_else(section):
    names = [one.id for one in sections()]
    assert names.index("places") == names.index("audit") - 1
    # What a drawing says of itself stays: what its elements are called, and which is meant.
    outside = re.sub(r'xmlns(:xlink)?="[^"]*"|href="#|url\(#', "", section)
    assert not re.search(r"<img|<script|src=|href=|url\(|https?:", outside)
    assert section.count("aria-label=") == section.count("<svg") + 1


def test_the_table_has_what_the_attacks_give(section):
    head, *rows = Cells(section).rows
    assert head[:5] == ["k", "technique", "level", "found by MLE", "found by BAS"]
    found = {tuple(row[:3]): row[3:] for row in rows}
    assert len(found) == len(rows) == 2 * 3 * 4
    for k in (3, 17):
        # Without knowledge the members of a class are alike: FU is classes by members.
        clusters = {"CA": 34 // k, "BE": 34 // k}
        degrees = len(set(kproof.anonymize("k-degree", CLUB, k=k).degrees.tolist()))
        for technique, classes in (clusters | {"IA": degrees}).items():
            for level in ("I", "II"):
                told = found[str(k), technique, level]
                assert told[0] == told[1] == f"{100 * classes / 34:.1f} %"
        for technique, method in places._TECHNIQUES.items():
            release = kproof.anonymize(method, CLUB, k=k)
            for column, attack in enumerate(("mle", "bas")):
                each = [
                    infer(attack, release, level="IV", lambda1="0.2", lambda2="0.2", seed=seed)
                    for seed in range(4)
                ]
                mean = sum(one.value for one in each) / 4
                assert found[str(k), technique, "IV"][column] == f"{100 * float(mean):.1f} %"


def test_the_bound_is_told_as_it_is(section):
    rows = Cells(section).rows[1:]
    for k in ("3", "17"):
        mine = [row for row in rows if row[0] == k]
        says = [row for row in mine if not row[-1].startswith("0 of ")]
        assert all((row[-2] == "100.0 %") == (row not in says) for row in mine)
        heading = f"something in {len(says)} of 12 cases" if says else "nothing"
        assert f"k = {k}: the bound says {heading};" in section.replace("\u00a0", " ")


def test_charts_show_the_table(drawings, section):
    rows = Cells(section).rows[1:]
    for drawing, k in zip(drawings[-2:], ("3", "17"), strict=True):
        mine = [row for row in rows if row[0] == k]
        (dots,), (rings,) = parts(drawing, "mle"), parts(drawing, "bas")
        bars = parts(drawing, "allowed")
        left, share = 0.14 * 430, 0.81 * 430 / 100
        widths = [box(bar.findall(".//{*}path")[0]) for bar in bars]
        shown = [
            [(dot[0] - left) / share, (ring[0] - left) / share, (bar[2] - bar[0]) / share]
            for dot, ring, bar in zip(spots(dots), spots(rings), widths, strict=True)
        ]
        told = [[float(cell.removesuffix(" %")) for cell in row[3:6]] for row in mine]
        assert np.allclose(shown, told, atol=0.06)
        heights = [y for _, y in spots(dots)]
        assert heights == sorted(heights) == [y for _, y in spots(rings)]
        assert np.allclose(heights, [(bar[1] + bar[3]) / 2 for bar in widths], atol=0.02)
        assert len(set(heights)) == 12
        assert {fill(dots), *map(fill, bars)} == {places_svg.MLE, places_svg.ALLOWED}
        assert {look["stroke"] for look in styles(rings) if "stroke" in look} == {places_svg.BAS}
        assert tips(drawing) == [
            f"{row[1]}, level {row[2]}: MLE {row[3]}, BAS {row[4]}, allowed {row[5]}".replace(
                " %", "%"
            )
            for row in mine
        ]


def test_the_heat_map_has_every_sector_and_nobody_too_few(drawings):
    people, published = drawings[:2]
    assert len(spots(people)) == 600
    counts = [int(title.split()[0]) for title in tips(published) if title != "nobody"]
    assert sum(counts) == 600
    assert min(counts) >= 5
    sectors = parts(published, "sector")
    empty = [one for one in sectors if fill(one) == places_svg.NOBODY]
    assert len(empty) == tips(published).count("nobody") > 0
    # Darker sectors are denser, whatever the limits between the colours are.
    density: dict[str, list[float]] = {}
    for sector in sectors:
        title = sector.findtext("{*}title") or ""
        if title != "nobody":
            value = float(title.split(", ")[1].split()[0].replace(",", ""))
            density.setdefault(fill(sector), []).append(value)
    used = [density[colour] for colour in places_svg.HEAT if colour in density]
    assert len(used) >= 5
    assert all(max(one) <= min(other) for one, other in pairwise(used))


def test_people_are_drawn_inside_their_sectors():
    points = Points.of([40.0] * 5 + [40.01] * 6, [-80.0] * 5 + [-79.99] * 6, users=range(11))
    people, published = (
        ET.fromstring(one.svg) for one in places_svg.heat_maps(kproof.anonymize("quadtree", points))
    )
    found = set(spots(people))
    assert len(found) == 2
    around = {}
    for sector in parts(published, "sector"):
        left, top, right, bottom = box(sector.findall(".//{*}path")[0])
        for x, y in found:
            if left <= x <= right and top <= y <= bottom:
                around.setdefault((x, y), []).append(sector.findtext("{*}title"))
    # The six are north and east of the five.
    (west, south), (east, north) = sorted(found)
    assert east > west
    assert north < south
    assert any((title or "").startswith("5 people") for title in around[west, south])
    assert any((title or "").startswith("6 people") for title in around[east, north])


def test_the_region_is_that_of_the_run(drawings, section):
    told = re.search(r"published with k = (\d+) and holds (\d+) users", section)
    assert told is not None
    k, users = map(int, told.groups())
    drawing = drawings[2]
    colour_at = {}
    for kind, colour in (("target", TARGET), ("region", REGION), ("rest of the city", REST)):
        (dots,) = parts(drawing, kind)
        assert fill(dots) == colour
        colour_at |= dict.fromkeys(spots(dots), kind)
    numbers = [one for one in drawing.iter(f"{SVG}text") if (one.text or "").isdigit()]
    labels = [int(one.text or "") for one in numbers]
    assert len(colour_at) == len(labels) == 25
    # A number stands in the dot of its crossing.
    kinds = [
        min(
            (abs(x - float(one.get("x", ""))) + abs(y - float(one.get("y", ""))), kind)
            for (x, y), kind in colour_at.items()
        )
        for one in numbers
    ]
    assert max(away for away, _ in kinds) < 8
    region = [kind in ("target", "region") for _, kind in kinds]
    assert [kind for _, kind in kinds].count("target") == 1
    assert sum(count for count, inside in zip(labels, region, strict=True) if inside) == users >= k
    assert sum(labels) == 30
    runs = experiment().runs
    assert any(
        (run.k, run.region_size, run.region_users) == (k, sum(region), users) for run in runs
    )


def test_scatters_count_the_runs(drawings):
    runs = experiment().runs
    for drawing, pairs in (
        (drawings[3], [(run.density, run.k) for run in runs]),
        (drawings[4], [(run.k, run.region_size) for run in runs]),
    ):
        found = {}
        places_of = []
        for dot in parts(drawing, "dot"):
            first, second, times = map(int, re.findall(r"\d+", dot.findtext("{*}title") or ""))
            found[first, second] = times
            # Its area is the number of runs, its place the pair.
            assert radius(drawing, dot) == pytest.approx(4.5 * times**0.5, abs=0.01)
            ((x, y),) = spots(dot)
            places_of.append(((first, second), x, y))
        assert found == {pair: pairs.count(pair) for pair in pairs}
        for (one, x, y), (other, x2, y2) in pairwise(places_of):
            assert (one[0] < other[0]) == (x < x2)
            assert (one[1] < other[1]) == (y > y2)


def test_words_are_escaped():
    drawing = places_svg.attacks([Row("<b>", 'a"&', 0.5, 0.25, 1.0, 1, 1)], 0.1, '<"&>')
    root = ET.fromstring(drawing)
    assert root.get("aria-label") == '<"&>'
    assert tips(root) == ['<b>, level a"&: MLE 50.0%, BAS 25.0%, allowed 100.0%']
    assert "url(" not in drawing.replace("url(#", "")
    assert "<b>" in texts(root)
