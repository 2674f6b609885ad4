"""The report as people see it: pictures of sample pages, taken by a browser and compared.

``KPROOF_UPDATE_SNAPSHOTS=1 python -m pytest tests/report/test_screenshots.py`` takes them anew;
look at each before you commit it. Pictures are compared as the mean grey of squares of 25 pixels:
what moves, is missing or has another shade shows; how a machine smooths letters does not. Without
Chromium the tests are skipped.
"""

import io
import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from browser import Window, needs_chromium
from numpy.typing import NDArray
from PIL import Image
from sample_pages import sample_charts, sample_report, with_one_font

SNAPSHOTS = Path(__file__).parents[1] / "snapshots" / "screenshots"
MOST_BYTES = 300_000
CELL = 25
MEAN, WORST = 1.5, 24.0
"""Of 255 shades of grey: the mean difference of all squares, and that of the worst one."""

WINDOWS: Mapping[str, tuple[str, Window]] = {
    "decision-light": ("decision", Window(1000, 1100)),
    "decision-dark": ("decision", Window(1000, 1100, dark=True)),
    "decision-phone": ("decision", Window(400, 1300)),
    "charts-light": ("charts", Window(1000, 900)),
    "charts-dark-phone": ("charts", Window(400, 1250, dark=True)),
}


@pytest.fixture(scope="module")
def pages() -> Mapping[str, str]:
    drawn = {"decision": sample_report("decision"), "charts": sample_charts()}
    return {name: with_one_font(page) for name, page in drawn.items()}


def squares(picture: Image.Image) -> NDArray[np.float64]:
    """The mean grey of each square."""
    grey = picture.convert("L")
    size = grey.width // CELL, grey.height // CELL
    return np.asarray(grey.resize(size, Image.Resampling.BOX), dtype=np.float64)


def difference(one: Image.Image, other: Image.Image) -> tuple[float, float]:
    """Mean and worst difference of the squares of two pictures of one size."""
    assert one.size == other.size
    apart = np.abs(squares(one) - squares(other))
    return float(apart.mean()), float(apart.max())


def alike(one: Image.Image, other: Image.Image) -> bool:
    mean, worst = difference(one, other)
    return mean <= MEAN and worst <= WORST


def stored(name: str) -> Image.Image:
    return Image.open(SNAPSHOTS / f"{name}.png").convert("RGB")


def store(name: str, picture: Image.Image) -> None:
    """Keep a picture in few colours: small, and still one that people can look at."""
    file = io.BytesIO()
    picture.quantize(64, dither=Image.Dither.NONE).save(file, "png", optimize=True)
    SNAPSHOTS.mkdir(exist_ok=True)
    (SNAPSHOTS / f"{name}.png").write_bytes(file.getvalue())


@needs_chromium
@pytest.mark.parametrize("name", WINDOWS)
def test_a_page_looks_as_it_did(name, pages, tmp_path):
    page, window = WINDOWS[name]
    picture = window.picture(pages[page], tmp_path)
    assert picture.size == (window.width, window.height)
    if os.environ.get("KPROOF_UPDATE_SNAPSHOTS"):
        store(name, picture)
    mean, worst = difference(picture, stored(name))
    assert mean <= MEAN
    assert worst <= WORST


@needs_chromium
def test_a_page_that_lost_something_looks_different(pages, tmp_path):
    window = WINDOWS["charts-light"][1]
    for what, page in {
        "without the title of a chart": pages["charts"].replace("<figcaption", "<p hidden", 1),
        "without lines": pages["charts"]
        .replace("stroke-width", "stroke-nothing")
        .replace("stroke:", "unstroke:"),
    }.items():
        (folder := tmp_path / what.replace(" ", "-")).mkdir()
        assert not alike(window.picture(page, folder), stored("charts-light")), what


def test_the_pictures_are_small_and_as_large_as_their_windows():
    files = sorted(SNAPSHOTS.glob("*.png"))
    assert [one.stem for one in files] == sorted(WINDOWS)
    assert sum(one.stat().st_size for one in files) < MOST_BYTES
    for name, (_, window) in WINDOWS.items():
        assert stored(name).size == (window.width, window.height)


def test_smoothing_counts_for_nothing_and_a_shift_or_a_shade_for_much():
    light, dark = stored("decision-light"), stored("decision-dark")
    assert not alike(light, dark)
    assert alike(light, light.resize((500, 550), Image.Resampling.BOX).resize(light.size))
    moved = Image.new("RGB", light.size, light.getpixel((0, 0)))
    moved.paste(light, (0, 30))
    assert not alike(light, moved)
    without = light.copy()
    # The band with the first table.
    without.paste(light.getpixel((500, 290)), (100, 300, 900, 700))
    assert not alike(light, without)
