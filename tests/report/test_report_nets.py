"""The section on nets and the page about one: complete, in order, and what the manifest expects."""

import json
import random
import re
from typing import Any

import pytest
from report_pages import Page, visible_text

from kproof.datasets import read_text_table
from kproof.errors import DataError
from kproof.models.papers.theta_tables import microdata
from kproof.models.tables.table import Table
from kproof.outputs import write_text
from kproof.petri.net.colours import Dot
from kproof.petri.net.net import NetBuilder
from kproof.petri.net.terms import everything
from kproof.petri.papers.api import net
from kproof.petri.papers.manifest import HOME
from kproof.petri.papers.report import NetReport, report
from kproof.petri.papers.theta_properties import publisher_properties
from kproof.petri.spaces.explore import explore
from kproof.petri.spaces.space import Budget
from kproof.report.context import Context, Microdata
from kproof.report.nets import build, page_of, publications_page


def of_paper() -> Context:
    return Context((read_text_table("table-1a"),), microdata=Microdata.of("table-1a", microdata()))


def own(rows: int, **options: Any) -> Context:
    """A table of one's own: three people to a disease, and an age."""
    diseases = [("HIV", "Flu", "Asthma", "Flu")[row % 4] for row in range(rows)]
    frame = {"age": list(range(rows)), "disease": diseases}
    import pandas as pd

    table = Table.from_frame(pd.DataFrame(frame), quasi_identifiers=["age"], sensitive="disease")
    return Context((), microdata=Microdata.of("my.csv", table, **options))


@pytest.fixture(scope="module")
def section() -> str:
    return str(build(of_paper()))


def rows_of(section: str, table: str) -> dict[str, list[str]]:
    """The rows of a table by their heading."""
    start = section.index(f'aria-label="{table}"')
    body = section[start : section.index("</table>", start)]
    found = {}
    for row in re.findall(r"<tr>(.*?)</tr>", body, flags=re.DOTALL):
        parts = re.findall(r"<t[hd].*?</t[hd]>", row, flags=re.DOTALL)
        cells = [visible_text(part) for part in parts]
        found[cells[0]] = cells[1:]
    return found


def test_the_section_has_what_the_manifest_expects(section):
    expected = {one["name"]: one["expected"] for one in json.loads(HOME.read_text())["nets"]}
    names = ("table-1a by moves", "table-1a as printed", "table-4b by moves", "table-4b as printed")
    found = rows_of(section, "What can be published")
    for column, name in enumerate(names):
        wanted = expected[name]
        assert found["states"][column] == str(wanted["states"])
        assert found["steps between them"][column] == str(wanted["arcs"])
        assert found["publications"][column] == str(wanted["publications"])
        assert found["noise rows"][column] == ", ".join(map(str, wanted["noise"]))
        for verdict, holds in wanted["verdicts"].items():
            assert found[verdict][column] == ("yes" if holds else "no")
        for target, reachable in wanted["reaches"].items():
            row = found[f"{target.replace('-', ' ').capitalize()} can be published"]
            assert row[column] == ("yes" if reachable else "no")


def test_the_section_tells_who_gains_what(section):
    expected = {one["name"]: one["expected"] for one in json.loads(HOME.read_text())["nets"]}
    found = {
        heading.split(":")[0].lower(): row for heading, row in rows_of(section, "Attacks").items()
    }
    for name in ("table-1a, nobody known", "rule (9)", "categorical similarity"):
        nothing = expected[name]["verdicts"]["the adversary gains nothing"]
        row = found[name.replace("-", " ")]
        assert row[0] == ("yes" if nothing else "no")
        assert (row[1] == "nothing") is nothing
    text = visible_text(section)
    assert "Table 1a, printed: Flu of someone of class 2 with probability 3/4" in text
    assert "Table 1a, corrected: Flu of someone of class 2 with probability 2/5" in text


def test_the_section_on_mu_and_lemmas(section):
    found = rows_of(section, "What μ does")
    assert found["3/5"] == ["120", "1", "2/5"]
    assert len(found) == 11
    verdicts = [row[0] for row in rows_of(section, "Lemmas").values()]
    assert verdicts.count("proved") == 4
    assert verdicts.count("refuted") == 2


def test_the_section_is_well_formed_and_the_same_each_time(section):
    elements = Page(section)
    assert len(elements.ids) == len(set(elements.ids))
    assert elements.links == []
    assert section.count("<svg") == 2
    assert section == str(build(of_paper()))


def test_a_table_of_ones_own():
    found = rows_of(str(build(own(8, mu="1/4"))), "What can be published")
    assert len(found["states"]) == 5
    assert found["V >= theta in every class"][-1] == "yes"
    assert found["Table 8a can be published"][-1] == ""
    assert "my.csv" in visible_text(str(build(own(8, mu="1/4"))))


def test_a_table_that_is_too_long_or_infeasible():
    text = visible_text(str(build(own(25))))
    assert "my.csv has 25 rows; the net is explored for tables of up to 24" in text
    assert len(rows_of(str(build(own(25))), "What can be published")["states"]) == 4
    text = visible_text(str(build(own(8, mu=1))))
    assert "my.csv: domain: 3 distinct values cannot reach theta = 5/4" in text


def test_without_a_table_the_nets_of_the_paper_are_shown():
    found = rows_of(str(build(Context(()))), "What can be published")
    assert len(found["states"]) == 4


def explored(**options: Any) -> NetReport:
    made = net("theta-sensitive", [["a", "a", "b", "b"], ["c", "d", "e", "f"]], k=4, **options)
    return report(made, made.explore(), properties=publisher_properties(made.publisher))


def test_a_page_about_one_net(tmp_path):
    found = explored(reading="printed")
    path = tmp_path / "net.html"
    write_text(path, page_of(found))
    page = path.read_text(encoding="utf-8")
    elements = Page(page)
    assert len(elements.ids) == len(set(elements.ids))
    assert elements.links == ["#content"]
    assert page.count("<svg") == 2
    text = visible_text(page)
    assert f"States {found.space.states}" in text
    for verdict in found.verdicts:
        assert f"{verdict.name} {verdict.outcome} {verdict.reason}" in text
    for place in found.space.net.places:
        assert place.name in text
    assert [one.name for one in tmp_path.iterdir()] == ["net.html"]
    assert page_of(found) == page


def test_a_run_against_a_property_is_on_the_page():
    made = net(
        "theta-sensitive",
        [["a", "b"]],
        k=2,
        categories={"a": 1, "b": 1},
        attackers=["categorical-similarity"],
    )
    asked = publisher_properties(made.publisher)
    page = page_of(report(made, made.explore(), properties=asked))
    assert "A run against: the adversary gains nothing" in visible_text(page)
    assert "Attack: categorical-similarity with i = 0, s = 1" in visible_text(page)


def test_a_page_about_part_of_a_large_net():
    build_net = NetBuilder("<count>")
    build_net.place("P", Dot())
    build_net.transition("up", puts={"P": everything(Dot())})
    page = page_of(report(None, explore(build_net.net(), budget=Budget(states=1000))))
    Page(page)
    assert page.count("<svg") == 1
    text = visible_text(page)
    assert "What can happen in <count>?" in text
    assert "in part, stopped by the budget of " in text
    assert "home markings unknown" in text


def test_a_page_that_cannot_be_written(tmp_path):
    with pytest.raises(DataError, match="cannot be written"):
        write_text(tmp_path / "nowhere" / "net.html", page_of(explored()))
    assert list(tmp_path.iterdir()) == []


def test_the_page_on_publications():
    small = net("theta-sensitive", [["HIV", "HIV"], ["Flu", "Cancer"]], k=2)
    text = publications_page(small.publications(attackers=["homogeneity"]))
    Page(text)
    said = visible_text(text)
    assert "2 publications can come out of this table" in said
    assert "3/5 (0.6)" in said
    assert "publications after which homogeneity discloses someone to her 0" in said
    assert "class 0: Cancer, HIV" in text
    # Where there are too many nodes, their numbers are drawn.
    values = random.Random(1).choices("abcdef", [6, 5, 4, 3, 2, 1], k=100)
    classes = [values[at : at + 4] for at in range(0, 100, 4)]
    large = net("theta-sensitive", classes, k=4, mu="3/5").publications()
    assert sum(map(len, large.words.edges)) > 400
    text = publications_page(large)
    Page(text)
    assert "too many to draw" in visible_text(text)
    assert len(text) < 500_000


def test_the_page_on_a_part_promises_nothing():
    small = net("theta-sensitive", [["HIV", "HIV"], ["Flu", "Cancer"]], k=2)
    said = visible_text(publications_page(small.publications(budget=Budget(seconds=0))))
    assert "0 publications so far can come out" in said
    assert "in part, stopped by the budget of " in said
    assert "true" not in said.partition("Noise rows")[0]


def test_the_page_of_an_exploration_has_the_automaton():
    small = net("theta-sensitive", [["HIV", "HIV"], ["Flu", "Cancer"]], k=2)
    text = page_of(report(small, small.explore()))
    Page(text)
    assert 'aria-label="2 publications, class by class"' in text
    # Attackers in the net look at all classes again: there is no automaton to draw.
    attacked = net(
        "theta-sensitive", [["HIV", "HIV"], ["Flu", "Cancer"]], k=2, attackers=["homogeneity"]
    )
    assert "class by class" not in page_of(report(attacked, attacked.explore()))
