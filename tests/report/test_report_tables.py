"""The report's section on a table: its figures, its words, its command."""

import html
import json
import re
from collections import Counter
from fractions import Fraction
from html.parser import HTMLParser
from importlib import import_module
from xml.etree import ElementTree as ET

import pytest
from cases import cases, error_line
from report_pages import page_with, visible_text
from shell import kproof, refused

from kproof.datasets import read_text_table
from kproof.errors import InvalidArgument
from kproof.models.papers.theta_tables import microdata
from kproof.models.tables.readers import read_table
from kproof.report.context import Context, Microdata, Section
from kproof.report.figures import LINES, bars_svg
from kproof.report.tables import build

HIDDEN = ("--identifier", "ID,Name,Zip Code")
SECTION = (Section("table", "Your table", build),)


def page_of(given: Microdata | None) -> str:
    return page_with(Context((read_text_table("table-1a"),), (), microdata=given), SECTION)


class Comparison(HTMLParser):
    """The big table: for each row its texts, by the row's name."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: dict[str, dict[str, list[str]]] = {}
        self.ids: list[str] = []
        self._row = self._column = ""
        self._small = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.ids += [values["id"] or ""] if "id" in values else []
        if tag == "th" and values.get("scope") == "row":
            self._row, self._column = "?", ""
        elif tag == "td":
            self._column = values.get("data-label") or ""
        self._small = tag == "small"

    def handle_endtag(self, tag: str) -> None:
        if tag == "tr":
            self._row = self._column = ""

    def handle_data(self, data: str) -> None:
        text = data.strip()
        if not text or self._small:
            return
        if self._row == "?":
            self._row = text
            self.rows[text] = {}
        elif self._row and self._column:
            self.rows[self._row].setdefault(self._column, []).append(text)


@pytest.fixture(scope="module")
def example() -> str:
    return page_of(Microdata.of("table-1a", microdata()))


@pytest.fixture(scope="module")
def rows(example: str) -> dict[str, dict[str, list[str]]]:
    return Comparison(example).rows


def test_the_table_as_it_is_gives_everyone_away(rows):
    # Twelve different combinations of age, zip code and country.
    [columns] = {frozenset(values) for values in rows.values()}
    methods = {"mondrian", "theta-sensitive", "p-plus-sensitive", "kaca", "full-domain"}
    assert columns >= {"as it is", *methods}
    assert rows["k"]["as it is"] == ["1", "fails"]
    assert rows["homogeneity"]["as it is"] == ["12", "100 % disclosed"]
    assert rows["certainty penalty"]["as it is"] == ["0.0000"]
    assert rows["discernibility"]["as it is"] == ["12"]
    assert rows["β"]["as it is"] == ["11"]


def test_releases_attain_what_they_were_asked_for(rows):
    for method in ("mondrian", "theta-sensitive", "p-plus-sensitive", "kaca"):
        assert int(rows["k"][method][0]) >= 4
        assert rows["k"][method][1] == "holds"
    assert rows["μ"]["theta-sensitive"][1] == "holds"
    assert Fraction(rows["μ"]["theta-sensitive"][0]) >= Fraction(3, 5)
    best = "No Disease is certain; the best guess is right 25 % of the time."
    assert rows["sensitive variance"]["theta-sensitive"] == ["0", best]
    assert rows["p⁺"]["p-plus-sensitive"][1] == "holds"


def test_kaca_is_measured_from_what_it_publishes(rows, tmp_path):
    out = tmp_path / "out.csv"
    quasi = ("--qi", "Age,Zip Code,Country", "--identifier", "ID,Name")
    roles = (*quasi, "--sensitive", "Disease")
    tree = tmp_path / "countries.csv"
    regions = {"USA": "America", "Canada": "America"}
    lands = ("USA", "Canada", "China", "Japan", "Pakistan")
    tree.write_text("".join(f"{one};{regions.get(one, 'Asia')};*\n" for one in lands))
    given = ("--k", "4", "--taxonomy", f"Country={tree}", "--class-column", "Class")
    assert (
        kproof(
            "anonymize", "kaca", "--audience", "study", "table-1a", *roles, *given, "-o", str(out)
        ).status
        == 0
    )
    table = read_text_table(out)
    cells = dict(zip(table.names, table.cells, strict=True))
    sizes = Counter(cells["Class"])
    per_class = Counter(zip(cells["Class"], cells["Disease"], strict=True))
    assert rows["discernibility"]["kaca"] == [str(sum(n * n for n in sizes.values()))]
    largest = max(Fraction(n, sizes[one]) for (one, _), n in per_class.items())
    assert Fraction(rows["α"]["kaca"][0]) == largest


def test_what_the_figures_come_to_is_said(example):
    text = visible_text(example)
    assert "All 12 people can be singled out." in text
    assert "Judged: do not publish: all 12 rows can be singled out" in text
    assert "Everyone is among 4 people or more. Judged: do not publish: " in text
    assert "categorical similarity row 3: category 1 with probability 1; 1 row fits" in text
    assert "0.75 at μ = 0.6" in text


def test_each_column_has_a_figure_and_every_id_is_its_own(example):
    assert example.count("<svg xmlns") == 4
    for name in ("Age", "Zip Code", "Country", "Disease"):
        label = re.search(f'aria-label="{name}: ([^"]*). Rows by value, before and after"', example)
        assert label is not None
        assert f'<figcaption class="finding">{label[1]}</figcaption>' in example.replace(
            "\u00a0", " "
        )
    ids = Comparison(example).ids
    assert len(ids) == len(set(ids))


def test_the_same_table_gives_the_same_bytes(example):
    assert page_of(Microdata.of("table-1a", microdata())) == example


def test_without_roles_the_page_says_how_to_name_them():
    assert "kproof report DATA.csv --qi NAME,NAME --sensitive NAME" in visible_text(page_of(None))


def test_without_a_sensitive_column_there_is_nothing_to_attack():
    hidden = ["ID", "Name", "Zip Code", "Disease"]
    table = read_table("table-1a", quasi_identifiers=["Age", "Country"], identifiers=hidden)
    page = page_of(Microdata.of("table-1a", table, k=3))
    found = Comparison(page).rows
    columns = set(found["k"])
    assert columns >= {"as it is", "mondrian", "kaca", "full-domain"}
    assert columns.isdisjoint({"theta-sensitive", "p-plus-sensitive"})
    assert not {"homogeneity", "l", "μ"} & set(found)
    assert "To protect" not in page


def test_what_a_least_level_hides_of_the_table_as_it_is_stands_on_the_page():
    hidden = ["ID", "Name", "Country"]
    levels = {"ladders": {"Zip Code": "prefix"}, "least_levels": {"Zip Code": 1}}
    roles = {"quasi_identifiers": ["Age", "Zip Code"], "sensitive": "Disease"}
    page = page_of(Microdata.of("t", read_table("table-1a", **roles, identifiers=hidden, **levels)))
    assert "Zip Code at level 1 or higher, also as it is" in visible_text(page)
    assert Comparison(page).rows["certainty penalty"]["as it is"] != ["0.0000"]


def test_a_method_that_cannot_meet_what_is_asked_says_why(tmp_path):
    path = tmp_path / "two.csv"
    path.write_text("a,s\n1,x\n2,y\n3,x\n4,y\n5,x\n")
    table = read_table(path, quasi_identifiers=["a"], sensitive="s")
    page = page_of(Microdata.of("two.csv", table))
    text = visible_text(page)
    assert "theta-sensitive publishes nothing: column s: 2 distinct values cannot reach" in text
    columns = set(Comparison(page).rows["k"])
    assert columns >= {"as it is", "mondrian", "kaca", "full-domain"}
    assert columns.isdisjoint({"theta-sensitive", "p-plus-sensitive"})


def test_methods_are_not_compared_on_more_rows_than_the_page_says(monkeypatch):
    monkeypatch.setattr(import_module("kproof.report.tables"), "MOST_COMPARED", 11)
    page = page_of(Microdata.of("table-1a", microdata()))
    assert "mondrian publishes nothing: not tried, as 12 rows are more than the 11" in visible_text(
        page
    )
    assert set(Comparison(page).rows["k"]) == {"as it is"}


def test_whatever_a_table_says_is_only_text(tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text("<b>a$x$,$s$\n<i>1,<u>$x\n<i>2,$y_\n<i>1,<u>$x\n<i>2,$y_\n")
    table = read_table(path, quasi_identifiers=["<b>a$x$"], sensitive="$s$")
    page = page_of(Microdata.of("<script>", table, k=2))
    assert not re.search(r"<(script|i|u)>", page)
    assert "<u>$x" in html.unescape(page)


@cases(
    ({"k": 1}, "k = 1: need a whole number k >= 2"),
    ({"k": 13}, "k = 13: need 2 <= k <= 12, the number of records"),
    ({"mu": 0}, "mu = 0: need 0 < mu <= 1"),
)
def test_settings_out_of_range(setting, says):
    assert error_line(InvalidArgument, Microdata.of, "table-1a", microdata(), **setting) == says


def test_bars_are_xml_with_a_line_for_each_method():
    svg = bars_svg("name", "a & b", ["$1$", "x" * 40], [3, 1], {one: [2, 2] for one in LINES})
    root = ET.fromstring(svg)
    assert root.get("aria-label") == "a & b"
    for style in LINES.values():
        assert f"stroke: {style['color']}" in svg
    texts = "".join(root.itertext())
    assert "$1$" in texts
    assert "x" * 17 + "…" in texts


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spare the tests of the command the bounds and the drawing."""
    monkeypatch.setattr(import_module("kproof.report.bounds"), "_FINE", 4)
    monkeypatch.setattr(import_module("kproof.report.bounds"), "_COARSE", 4)
    monkeypatch.setattr(import_module("kproof.report.bounds"), "curves_svg", lambda *_, **__: "")
    monkeypatch.setattr(import_module("kproof.report.tables"), "bars_svg", lambda *_, **__: "")


@pytest.mark.usefixtures("quick")
def test_the_command_takes_roles(tmp_path):
    path, ranks = tmp_path / "data.csv", tmp_path / "ranks.csv"
    path.write_text(
        "age,job,pay\n" + "".join(f"{30 + i},{'ab'[i % 2]},{i % 3}\n" for i in range(9))
    )
    ranks.write_text("value,category\na,1\nb,2\n")
    given = ("--qi", "age,pay", "--sensitive", "job", "--categories", str(ranks))
    asked = ("--k", "3", "--mu", "1/10", "--column", "age")
    ran = kproof("report", str(path), *given, *asked, "--output", str(tmp_path / "out"), "--json")
    assert next(iter(json.loads(ran.out)["sections"])) == "decision"
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    found = Comparison(page).rows
    assert found["p⁺"]["p-plus-sensitive"][1] == "holds"
    assert int(found["k"]["mondrian"][0]) >= 3
    assert "k = 3" in visible_text(page)


@pytest.mark.usefixtures("quick")
def test_categories_of_a_file_reach_the_methods_that_need_them(tmp_path):
    roles = ("--qi", "Age", *HIDDEN, "--sensitive", "Disease", "--categories", "table-3")
    kproof("report", "table-1a", *roles, "--column", "Age", "--output", str(tmp_path))
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "p-plus-sensitive" in Comparison(page).rows["k"]


@cases(
    (("table-1a", "--sensitive", "Disease"), "--sensitive = Disease: need --qi NAME,NAME,..."),
    (("--qi", "Age"), "--qi = Age: need one file of DATA whose columns these are"),
    (("table-1a", "table-4a", "--qi", "Age"), "--qi = Age: need one file of DATA"),
    (("table-1a", "--qi", "Height"), "table-1a: no column Height; there are ID, "),
    (("table-1a", "--qi", "Age", *HIDDEN, "--k", "13"), "--k = 13: need 2 <= k <= 12"),
    (("table-1a", "--qi", "Age", "--k", "many"), "--k = many: need a whole number"),
    (("table-1a", "--qi", "Age", *HIDDEN, "--mu", "2"), "--mu = 2: need 0 < mu <= 1"),
    (("table-1a", "--qi", "Age", "--sensitive", "Age"), "--sensitive = Age: need a column"),
    (("table-1a", "--taxonomy", "Age=x"), "--taxonomy = Age=x: need --qi"),
)
def test_nothing_is_written_on_bad_input(given, says, tmp_path):
    assert refused("report", *given, "--output", str(tmp_path / "out")).startswith(says)
    assert list(tmp_path.iterdir()) == []
