"""The report: one page that needs nothing else, the same bytes each time, and honest about gaps."""

import re
import shlex
from importlib import import_module
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from cases import cases, error_line
from markupsafe import Markup
from report_pages import Page, page_with, visible_text
from shell import kproof, refused, same_as_page

from kproof.datasets import read_text_table
from kproof.errors import DataError, InvalidArgument, TooLarge
from kproof.report.context import BuiltSection, Context, Section, Settings
from kproof.report.figures import PlottedCurve, curves_svg
from kproof.report.first_page import build as first_page
from kproof.report.first_page import decision_svg
from kproof.report.sections import USUAL, sections, write_report


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("example")
    path, _ = write_report(Context((read_text_table("table-1a"),), ("Age",)), folder)
    assert path == folder / "report.html"
    assert sorted(entry.name for entry in folder.iterdir()) == ["report.html", "report.json"]
    return path.read_text(encoding="utf-8")


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spare the tests that only read the words the time to compute and draw curves."""
    monkeypatch.setattr(import_module("kproof.report.bounds"), "_FINE", 4)
    monkeypatch.setattr(import_module("kproof.report.bounds"), "_COARSE", 4)
    monkeypatch.setattr(import_module("kproof.report.bounds"), "curves_svg", lambda *_, **__: "")


def test_the_page_is_well_formed_and_self_contained(example):
    page = Page(example)
    assert len(page.ids) == len(set(page.ids))
    assert not {"script", "link", "img", "iframe", "object"} & set(page.tags)
    assert all(link.startswith("#") for link in page.links)
    assert "url(" not in re.sub(r"url\(#", "", example)
    addresses = set(re.findall(r"https?://[^\s\"'<>]+", example))
    assert addresses <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}


def test_the_same_data_give_the_same_bytes(example, tmp_path):
    again, _ = write_report(Context((read_text_table("table-1a"),), ("Age",)), tmp_path)
    assert again.read_text(encoding="utf-8") == example


def test_every_level_shows_the_three_readings_and_the_truth(example):
    text = visible_text(example)
    for level, theorem in {"I": 2, "II": 3, "III": 4, "IV": 5}.items():
        assert f"{level} Theorem {theorem}" in text
    for heading in ("printed", "derived", "corrected", "exact"):
        assert heading in text
    # Four levels, two drawings of nets, and seven pictures of places and people.
    assert example.count("<svg xmlns") == 4 + 2 + 7
    asked = ("--data", "table-1a", "--column", "Age", "--assume", "independence", "--json")
    exact = kproof("bound", "2", *asked).document["exact"]["delta"]["lower"]
    assert f"is δ = {float(exact):.7g}." in text
    assert "moves the sum (23)" in text


def test_failing_hypotheses_and_missing_exact_values_are_said(example):
    text = visible_text(example)
    assert "fails, which the paper does not state: epsilon1 < 1" in text
    assert "you must confirm: independent records" in text
    assert "The exact value is not available: the law of dependent records" in text


def test_facts_about_the_column(example):
    text = visible_text(example)
    for fact in ("records 12", "missing 0", "smallest 25", "largest 48", "mean 37.1667"):
        assert fact in text
    # Var = 17141/12 - (223/6)^2 over the twelve ages.
    assert "standard deviation 6.45282" in text


@pytest.mark.usefixtures("quick")
def test_whatever_a_file_says_is_only_text(tmp_path):
    path = tmp_path / "a<b>&.csv"
    path.write_text('"<script>alert(1)</script>",b\n1,x\n2,x\n4,x\n')
    page = write_report(Context((read_text_table(path),)), tmp_path)[0].read_text(encoding="utf-8")
    assert "script" not in Page(page).tags
    assert "<script>alert(1)</script>" in visible_text(page)


@pytest.mark.usefixtures("quick")
def test_columns_without_spread_and_tables_without_numbers_are_said(tmp_path):
    flat, text = tmp_path / "flat.csv", tmp_path / "text.csv"
    flat.write_text("a,b\n3,x\n3,x\n")
    text.write_text("a,b\ny,x\nz,x\n")
    page = page_with(Context((read_text_table(flat), read_text_table(text))), sections())
    assert "All records are equal" in visible_text(page)
    assert "text.csv has no column of numbers" in visible_text(page)


@pytest.mark.usefixtures("quick")
def test_missing_values_are_counted(tmp_path):
    path = tmp_path / "gaps.csv"
    path.write_text("a,b\n1,x\n?,x\n2,x\n,x\n5,x\n")
    page = page_with(Context((read_text_table(path),)), sections())
    assert "records 3 missing 2" in visible_text(page)


@pytest.mark.usefixtures("quick")
def test_a_law_out_of_reach_is_said_with_the_reason(monkeypatch):
    def too_large(*_: object, **__: object) -> None:
        raise TooLarge("needs 9 points, the budget is 8")

    monkeypatch.setattr(import_module("kproof.report.bounds"), "_WIDE", 0)
    monkeypatch.setattr(import_module("kproof.report.bounds"), "delta_within", too_large)
    text = visible_text(page_with(Context((read_text_table("table-1a"),), ("Age",)), sections()))
    assert "The exact value is not available: needs 9 points, the budget is 8." in text


@pytest.mark.usefixtures("quick")
def test_wide_laws_are_shown_from_floating_masses(monkeypatch, example):
    monkeypatch.setattr(import_module("kproof.report.bounds"), "_WIDE", 0)
    text = visible_text(page_with(Context((read_text_table("table-1a"),), ("Age",)), sections()))
    sentence = re.search(r"The exact value for [^=]*= (\S+)\.", visible_text(example))
    assert sentence is not None
    assert sentence.group() in text


@pytest.mark.usefixtures("quick")
def test_settings_reach_the_page():
    settings = Settings.of(shift="1/2", k=3, neighbourhood=4, known=0.5)
    page = page_with(Context((read_text_table("table-1a"),), ("Age",), settings), sections())
    text = visible_text(page)
    assert "up to 4 records depend on one another" in text
    assert "50 % of the records are known" in text
    assert "moves the sum (0.5)" in text
    assert "the values of 6 of the 12 records" in text


@cases(
    ({"shift": 0}, "shift = 0: need shift > 0"),
    ({"k": 0}, "k = 0: need a whole number k >= 1"),
    ({"neighbourhood": 1.5}, "neighbourhood = 1.5: need a whole number neighbourhood >= 1"),
    ({"known": 1}, "known = 1: need 0 < known < 1"),
)
def test_settings_out_of_range(setting, says):
    assert error_line(InvalidArgument, Settings.of, **setting) == says


def test_a_failing_section_leaves_the_former_page(tmp_path, monkeypatch):
    (tmp_path / "report.html").write_text("before")

    def fails(_: Context) -> BuiltSection:
        raise DataError("no")

    broken = (Section("broken", "Broken", fails),)
    monkeypatch.setattr(import_module("kproof.report.sections"), "sections", lambda: broken)
    with pytest.raises(DataError):
        write_report(Context(()), tmp_path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.html"]
    assert (tmp_path / "report.html").read_text() == "before"


def test_a_failing_write_leaves_the_former_page(tmp_path, monkeypatch):
    (tmp_path / "report.html").write_text("before")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(import_module("kproof.report.sections"), "sections", lambda: ())
    monkeypatch.setattr("os.replace", full)
    with pytest.raises(DataError, match=r"json: cannot be written: No space left on device"):
        write_report(Context(()), tmp_path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.html"]
    assert (tmp_path / "report.html").read_text() == "before"


def test_further_sections_get_a_place_and_a_link():
    parts = (
        Section("one", "First <1>", lambda _: BuiltSection(Markup("<p>body</p>"))),
        Section("two", "Second", lambda _: BuiltSection(Markup("<p>more</p>"))),
    )
    page = Page(page_with(Context(()), parts))
    assert {"one", "two"} <= set(page.ids)
    assert {"#one", "#two"} <= set(page.links)


def test_figures_are_xml_that_scales():
    curve = PlottedCurve("exact", (0.0, 0.5, 1.0), (0.5, 1e-3, 0.0))
    svg = curves_svg("name", 'a "title" & more', [curve], x_label="x", y_label="y")
    root = ET.fromstring(svg)
    assert root.get("aria-label") == 'a "title" & more'
    assert "viewBox" in root.attrib
    assert not {"width", "height"} & set(root.attrib)
    assert (
        curves_svg(
            "n", "t", [PlottedCurve("exact", (float("inf"),), (0.5,))], x_label="", y_label=""
        )
        == ""
    )
    assert (
        curves_svg("name", "t", [PlottedCurve("exact", (0.0,), (0.0,))], x_label="x", y_label="y")
        == ""
    )


@pytest.mark.usefixtures("quick")
def test_the_command_without_data_is_about_a_made_up_sample(tmp_path, monkeypatch):
    decisions = []

    def build(context: Context) -> BuiltSection:
        decisions.append(context.decision)
        return first_page(context)

    monkeypatch.setattr(import_module("kproof.report.first_page"), "build", build)
    found = kproof("report", "--output", str(tmp_path / "made" / "here"), "--json").document
    page = Path(found["report"]).read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "A made-up sample: the people in hospital-sample do not exist." in visible_text(page)
    assert list(found["sections"]) == list(USUAL)
    decision = found["sections"]["decision"]
    assert decision["source"]["made_up"]
    assert decision["heading"] == "Publish with these settings"
    assert decision["as_it_is"]["outcome"] == "do not publish"
    assert decision["published"]["judgement"]["outcome"] == "publish"
    # What has a sum: the weights.
    assert 'id="column-1"' in page
    assert "weight_kg" in visible_text(page)
    # The command on the page makes what the page speaks of.
    command = decision["command"].replace("release.csv", str(tmp_path / "release.csv"))
    made = kproof(*shlex.split(command)[1:], "--json").document
    assert made["judgement"]["outcome"] == "publish"
    # The picture in the README.
    picture = Path(__file__).parents[2] / "docs" / "pictures" / "decision.svg"
    same_as_page(picture, f"{decision_svg(*decisions)}\n")


@pytest.mark.parametrize("said", [("--person", "a"), ("--identifier", "a"), ("--drop", "a")])
def test_roles_without_what_an_adversary_may_know_are_refused(said):
    assert refused("report", *said) == f"{said[0]} = {said[1]}: need --qi NAME,NAME,... with it"


@pytest.mark.usefixtures("quick")
def test_the_command_takes_files_and_repeated_columns(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("a,b,c\n1,2,x\n2,4,x\n4,1,x\n")
    asked = ("report", str(path), "table-1a", "--column", "b", "--column", "Age")
    assert kproof(*asked, "--output", str(tmp_path)).out == f"{tmp_path / 'report.html'}\n"
    page = Page((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert {"column-1", "column-2"} <= set(page.ids)
    assert "column-3" not in page.ids


@cases(
    (("none.csv",), "none.csv: no such file"),
    (("table-1a", "--column", "Height"), "table-1a: no column Height; it has ID, "),
    (("table-1a", "--column", "Name"), "table-1a, line 2: column 'Name' has JULIAN"),
    (
        ("table-1a", "--lambda2", "0.95"),
        "--lambda2 = '12 of 12 records': need at least one unknown",
    ),
    (("table-1a", "--shift", "-1"), "--shift = -1: need shift > 0"),
    (("table-1a", "--header", "maybe"), 'Invalid value "maybe" for --header.'),
)
def test_nothing_is_written_on_bad_input(given, says, tmp_path):
    assert refused("report", *given, "--output", str(tmp_path / "out")).startswith(says)
    assert list(tmp_path.iterdir()) == []


def test_a_table_without_rows_has_no_report(tmp_path):
    path = tmp_path / "head.csv"
    path.write_text("age,ill\n")
    says = refused("report", str(path), "--output", str(tmp_path / "out"))
    assert says == f"{path}: the table has no rows"
    assert not (tmp_path / "out").exists()


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    message = refused("report", "--column", "Age", "--output", str(tmp_path / "file" / "below"))
    assert message.endswith(f"below: cannot be made: {tmp_path / 'file'} is no folder")
