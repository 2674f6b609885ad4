"""Charts are read by everybody: whole labels, and series that differ by more than their colour."""

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from importlib.resources import files
from itertools import combinations, pairwise, product
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from colour_sight import SIGHTS, apart, contrast, lab, linear
from svg_parts import SVG, crossing, labels, texts

from kproof.models.frontier import picture as frontier_picture
from kproof.models.frontier.judging import Candidate, RiskAxis
from kproof.models.methods import METHODS
from kproof.models.papers import density_figures
from kproof.models.registry import Kind
from kproof.models.tables.plots import BAR
from kproof.petri.drawing import drawing
from kproof.report import places_svg
from kproof.report.figures import (
    LINES,
    OTHER,
    STYLES,
    PlottedCurve,
    bar_key_svg,
    bars_svg,
    curves_svg,
    key_svg,
)
from kproof.report.places_svg import Row

PAPER = "#fdfcfa"
"""What charts stand on, in the dark too: ``style.css`` gives it to every drawing."""

LEAST = 15.0
"""CIE 1976 difference that two series have to have, six times what is just noticeable."""

Series = Mapping[str, tuple[str, object]]
"""Colour, and dashes or mark, by name: what is drawn in one chart."""


def _dashes(look: Mapping[str, Any]) -> tuple[float, ...]:
    """Dashes and gaps in pixels; none of a line that is whole."""
    style = look.get("linestyle", "-")
    return () if style == "-" else tuple(look["linewidth"] * one for one in style[1])


def _lines(looks: Mapping[str, Mapping[str, Any]]) -> Series:
    return {name: (look["color"], _dashes(look)) for name, look in looks.items()}


def _css(path: str, dark: bool) -> Series:
    """The curves of the calculator, whose colours and dashes its style sheet has."""
    text = files("kproof.report").joinpath("templates", *path.split("/")).read_text("utf-8")
    light, _, rest = text.partition("@media (prefers-color-scheme: dark)")
    found = {}
    for name in ("exact", "corrected", "blocks", "printed"):
        (colour,) = re.findall(rf"--{name}: (#\w+);", rest.partition("* {")[0] if dark else light)
        array = re.search(rf"(?m)(?:^|\s)\.{name} {{ stroke-dasharray: ([\d. ]+)", text)
        found[name] = (colour, tuple(map(float, array[1].split())) if array else ())
    return found


TOGETHER: Mapping[str, Series] = {
    "curves of δ": _lines(STYLES),
    "columns before and after": {**_lines(LINES), "as it is": (BAR["color"], "bar")},
    "calculator": _css("calculator/style.css", dark=False),
    "calculator in the dark": _css("calculator/style.css", dark=True),
    "attacks": {
        "MLE": (places_svg.MLE, "dot"),
        "BAS": (places_svg.BAS, "ring"),
        "allowed": (places_svg.ALLOWED, "bar"),
        "1/k": (places_svg.INK, "line"),
    },
    "region": {kind: (colour, mark) for kind, (mark, colour) in density_figures.MARKS.items()},
    "frontier": {str(at): look for at, look in enumerate(frontier_picture._LOOKS)},
}


@pytest.mark.parametrize("chart", TOGETHER)
def test_series_of_a_chart_differ_by_more_than_colour(chart):
    cues = [cue for _, cue in TOGETHER[chart].values()]
    assert len(set(cues)) == len(cues)


@pytest.mark.parametrize("chart", TOGETHER)
@pytest.mark.parametrize("sight", ["plainly", "deuteranopia"])
def test_colours_of_a_chart_are_told_apart(chart, sight):
    assert [
        (one, two, round(found, 1))
        for (one, (first, _)), (two, (second, _)) in combinations(TOGETHER[chart].items(), 2)
        if (found := apart(first, second, SIGHTS[sight])) < LEAST
    ] == []


@pytest.mark.parametrize("chart", ["curves of δ", "columns before and after", "attacks"])
def test_lines_stand_out_from_what_they_are_drawn_on(chart):
    """WCAG 2.2, success criterion 1.4.11: 3 to 1; of pale bars the edge has to."""
    lines = {name: look for name, look in TOGETHER[chart].items() if look[1] != "bar"}
    faint = {name: colour for name, (colour, _) in lines.items() if contrast(colour, PAPER) < 3}
    assert faint == {}
    assert contrast(BAR["edgecolor"], PAPER) >= 3
    assert contrast(OTHER["color"], PAPER) >= 3


def test_every_method_that_a_report_compares_has_a_line_of_its_own():
    assert {
        name
        for name, entry in METHODS.items()
        if entry.kind is Kind.TABLE and entry.compared and not entry.once
    } <= set(LINES)
    assert _dashes(OTHER) not in map(_dashes, LINES.values())


def test_transitions_of_a_net_differ_in_dashes_or_colour():
    looks = drawing._LOOKS
    assert len(set(looks)) == len(looks) == 32
    assert len({dashes for dashes, _ in looks[:4]}) == 4
    for (dashes, colour), (others, other) in combinations(looks[:8], 2):
        if dashes == others:
            assert min(apart(colour, other, SIGHTS[one]) for one in list(SIGHTS)[:2]) >= LEAST


@pytest.mark.parametrize("sight", SIGHTS)
def test_the_more_people_the_darker_to_all_eyes(sight):
    lightness = [lab(SIGHTS[sight](colour))[0] for colour in (places_svg.NOBODY, *places_svg.HEAT)]
    # Where nobody is looks like no step of the scale but the lightest, whose hue differs.
    assert min([one - other for one, other in pairwise(lightness[1:])]) >= 8


def test_the_simulation_finds_what_is_known_to_be_confused():
    """Red and green of like lightness, and colours that only paper without colours confuses."""
    red, green = "#c2372b", "#5b6b00"
    assert apart(red, green, SIGHTS["plainly"]) > 60
    assert apart(red, green, SIGHTS["deuteranopia"]) < apart(red, green, SIGHTS["plainly"]) / 3
    assert apart("#1f5fa8", "#c2372b", SIGHTS["greyscale"]) < LEAST
    for sight in SIGHTS.values():
        # Greys look the same to everybody; black and white are 100 apart.
        assert apart("#000000", "#ffffff", sight) == pytest.approx(100, abs=0.1)
        assert lab(sight("#777777"))[0] == pytest.approx(lab(linear("#777777"))[0], abs=0.1)


def test_a_legend_has_the_look_of_its_line():
    for look in (*STYLES.values(), *LINES.values(), OTHER):
        (path,) = ET.fromstring(key_svg(look))
        assert path.get("stroke") == look["color"]
        array = tuple(map(float, (path.get("stroke-dasharray") or "").split()))
        assert array == pytest.approx(_dashes(look), abs=0.006)
    (bar,) = ET.fromstring(bar_key_svg())
    assert bar.get("fill") == BAR["color"]


def _bars() -> Iterator[str]:
    yield bars_svg("a", "one bar", ["x"], [3], {"mondrian": [2]})
    yield bars_svg("b", "no row", ["x", "y"], [0, 0], {})
    yield bars_svg("c", "thin", ["x", "y"], [0.25, 0.5], {})
    long = [f"{'a very long name of a value'[: 4 + 2 * at]} {at}" for at in range(12)]
    yield bars_svg("d", "long", long, [1e9 + at for at in range(12)], {"kaca": [1e9] * 12})
    wide = ["数据数据数据数据数据数据", "WWWWWWWWWWWWWWWWWW", "mmmmmmmmmmmmmmmmmmmmm"]
    yield bars_svg("e", "wide", wide, [1, 2, 3], {})
    yield bars_svg("f", "many", [f"{at} … {at + 9}" for at in range(0, 400, 10)], [5] * 40, {})


def _curves() -> Iterator[str]:
    for at, (right, low) in enumerate(
        product((2, 0.0000012, 1.334833 * 1.5, 2.2, 700), (0.5, 1e-3, 1e-40, 1e-290))
    ):
        xs = tuple(right * step / 9 for step in range(10))
        ys = tuple(low ** (step / 9) for step in range(10))
        yield curves_svg(f"c{at}", "", [PlottedCurve("exact", xs, ys)], x_label="ε", y_label="δ")
    high = PlottedCurve("printed", (1.0, 2.0), (1e9, 3e9))
    yield curves_svg("high", "", [high], x_label="ε", y_label="δ")
    point = PlottedCurve("exact", (0.5,), (0.25,))
    yield curves_svg("point", "", [point], x_label="ε", y_label="δ")


def _attacks() -> Iterator[str]:
    names = [(one, level) for one in ("CA", "IA", "BE") for level in ("I", "II", "III", "IV")]
    yield places_svg.attacks([Row(*one, 0.0, 1.0, 1.0, 0, 1) for one in names], 1 / 17, "title")


def _scatters() -> Iterator[str]:
    yield density_figures.scatter([(1, 1)], "users around", "k").svg("one")
    yield density_figures.scatter([(1000, 2), (3, 12345)] * 9, "users around", "k").svg("far")


def _frontiers() -> Iterator[str]:
    def tried(method: str, k: int, loss: float) -> Candidate:
        share = Fraction(1, k)
        return Candidate(method, k, Fraction(0), {}, "", loss, share, share)

    few = [tried("mondrian", 2, 0.1)]
    many = [
        tried(method, k, 0.01 * k * (1 + at))
        for at, method in enumerate(LINES)
        for k in (2, 3, 5, 10, 20, 50)
    ]
    for candidates in (few, many):
        best = [one for one in candidates if one.method == "mondrian"]
        yield frontier_picture.picture(candidates, best, RiskAxis.MEAN).svg("title")


@pytest.mark.parametrize("drawn", [_bars, _curves, _attacks, _scatters, _frontiers])
def test_every_label_is_whole_and_alone(drawn):
    for svg in drawn():
        root = ET.fromstring(svg)
        assert crossing(root) == []
        # A text in pieces would be measured wrongly here, and read so.
        assert not list(root.iter(f"{SVG}tspan"))


def test_a_label_that_is_cut_or_crossed_is_found():
    look = 'style="font-size: 10px; text-anchor: middle"'
    root = ET.fromstring(
        f'<svg xmlns="{SVG[1:-1]}" viewBox="0 0 100 50"><text {look} x="98" y="20">edge</text>'
        f'<text {look} x="40" y="20">first</text><text {look} x="45" y="22">second</text>'
        f'<text {look} x="40" y="40" transform="rotate(-35 40 40)">third</text></svg>'
    )
    assert crossing(root) == [("edge",), ("first", "second")]
    assert [one.text for one in labels(root)] == texts(root)
