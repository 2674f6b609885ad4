"""The page of runs: a player whose frames are the run, words of users as text, paper and dark."""

import json
import re
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from browser import CHROMIUM, Window, needs_chromium
from shell import kproof, printed

from kproof.petri.papers.api import net
from kproof.petri.papers.gain import IGNORANT
from kproof.petri.papers.runs.simulation import SimulationReport, simulate_publisher
from kproof.report.nets import page_of as net_page
from kproof.report.playing import frames_of_run, script_data
from kproof.report.simulation import page_of

KNOWS = {"victims": [{"row": 0, "excluded": ["HIV", "Cancer", "Obesity"]}]}
EVIL = "</script><script>document.title='pwned'</script><!--<img src=x onerror=alert(1)>"


def report(table: Any = "table-1a", **options: Any) -> SimulationReport:
    asked: dict[str, Any] = {"k": 4, "sensitive": "Disease"} if isinstance(table, str) else {"k": 2}
    made = net("theta-sensitive", table, **asked, **options)
    return SimulationReport.of_publisher(
        simulate_publisher(made, runs=60, judged=True, samples=2, jobs=1), None
    )


@pytest.fixture(scope="module")
def attacked() -> SimulationReport:
    """Runs with an attack in the net that often discloses someone of class 0."""
    return report(attackers=["linkage"], background=KNOWS)


def data_of(page: str) -> Any:
    (text,) = re.findall(r'<script type="application/json" id="runs-data">(.*?)</script>', page)
    return json.loads(text)


def counted(text: str) -> Counter[str]:
    """Return the values of a class as the player writes them: ``2·Flu, HIV``."""
    parts = [part.rpartition("·") for part in text.split(", ")]
    return Counter({value: int(times or 1) for times, _, value in parts})


@pytest.mark.parametrize("tokens", ["values", "records"])
def test_frames_add_up_to_the_run(tokens):
    runs = report(tokens=tokens, attackers=["linkage"], background=KNOWS)
    assert runs.known is not None
    publisher = runs.known.net.publisher
    hits = 0
    for sample in runs.samples:
        assert sample.course is not None
        run = frames_of_run(publisher, sample)
        assert len(run["frames"]) == 1 + sample.steps == 1 + len(sample.course.steps)
        places: dict[str, str] = {}
        classes: dict[str, Any] = {}
        disclosed: list[str] = []
        for frame in run["frames"]:
            places |= frame.get("places", {})
            classes |= frame.get("classes", {})
            disclosed += [f"{at}: {what}" for at, what in frame.get("disclosed", {}).items()]
        (ecs,) = publisher.publications(sample.course.end)
        last = [counted(text) for text, *_ in classes.values()]
        assert last == [Counter(map(str, ec)) for ec in publisher.names(ecs)]
        assert "none" not in places["PublshdData"]
        fired = [one for one, _ in sample.course.steps if one.transition.startswith("Attack")]
        assert len(disclosed) == len(fired)
        assert all(text.startswith("0: linkage: ") for text in disclosed)
        hits += len(fired)
    # One of the two runs that are told discloses someone.
    assert hits


def test_words_of_users_are_text(tmp_path):
    runs = report([[EVIL, EVIL], ["b", "c"]])
    page = str(page_of(runs))
    assert EVIL not in page
    assert "<img" not in page
    assert EVIL in json.dumps(data_of(page)).replace('\\"', '"')
    assert "<" not in script_data(runs.known.net.publisher, runs.samples) if runs.known else False
    # Nothing is loaded from anywhere: the namespace of SVG is a name.
    outside = re.findall(r'(?:src|href)="(?!#)[^"]*"|url\([^)]*\)|@import', page)
    assert not outside
    if CHROMIUM is not None:
        shown = Window(1000, 700).document(page, tmp_path)
        assert "<title>pwned" not in shown
        assert "before the first step" in shown


@needs_chromium
def test_the_player_follows_the_keys(attacked, tmp_path):
    page = str(page_of(attacked))
    runs = data_of(page)
    number = next(n for n, run in enumerate(runs) if any("disclosed" in f for f in run["frames"]))
    steps = len(runs[number]["frames"]) - 1

    def after(*keys: str) -> str:
        press = f"""<script>
        const player = document.getElementById("player");
        const choice = player.querySelector("select");
        choice.selectedIndex = {number};
        choice.dispatchEvent(new Event("change"));
        for (const key of {json.dumps(keys)})
            player.dispatchEvent(new KeyboardEvent("keydown", {{ key, bubbles: true }}));
        </script></body>"""
        shown = Window(1000, 700).document(page.replace("</body>", press), tmp_path)
        return shown.partition('id="player"')[2].partition("<noscript>")[0]

    assert f"({steps} of {steps})" in after("End")
    assert "linkage: " in after("End")
    assert "linkage: " not in after("End", "ArrowLeft", "ArrowLeft")
    assert f"step 1: {runs[number]['frames'][1]['title'].partition(': ')[2]}" in after("ArrowRight")
    assert "before the first step" in after("ArrowRight", "ArrowLeft", "ArrowLeft")
    # It plays to the end, and stops there.
    assert f"({steps} of {steps})" in after(" ")


def test_a_good_word_says_for_whom(attacked):
    for runs in (report(), attacked):
        page = str(page_of(runs))
        assert IGNORANT in page
        for sentence in re.findall(r"[^.<>]*(?:[Nn]obody is disclosed)[^.<>]*", page):
            assert IGNORANT in sentence or "to her" in sentence, sentence
    made = net("theta-sensitive", "table-1a", k=4, sensitive="Disease")
    from kproof.petri.papers.report import report as net_report

    assert IGNORANT in net_page(net_report(made, made.explore()))


def test_all_runs_have_exact_shares(here):
    rows = ["a,a", "a,a", "b,a", "b,c", "c,d", "c,e"]
    Path("rows.csv").write_text("Class,s\n" + "\n".join(rows) + "\n")
    words = ("--data", "rows.csv", "--sensitive", "s", "--k", "2", "--mu", "1/3")
    printed("net", "simulate", "theta-sensitive", *words, "--all", "--html", "all.html")
    assert "interval" not in Path("all.html").read_text(encoding="utf-8").partition("<main")[2]
    ran = kproof("net", "simulate", "theta-sensitive", *words, "--all", "--json")
    (homogeneity, _) = json.loads(ran.out)["attackers"]
    assert homogeneity["disclosed"] is None
    assert homogeneity["anyone"]["share"] == {"final": "0"}


@needs_chromium
def test_it_is_five_pages_on_paper_and_dark_in_the_dark(attacked, tmp_path):
    assert CHROMIUM is not None
    page = str(page_of(attacked))
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    paper = tmp_path / "paper.pdf"
    words = ("--headless", "--no-sandbox", "--no-pdf-header-footer", f"--print-to-pdf={paper}")
    profile = f"--user-data-dir={tmp_path / 'other'}"
    place = (tmp_path / "page.html").as_uri()
    subprocess.run([CHROMIUM, *words, profile, place], capture_output=True, timeout=120, check=True)
    assert 1 < len(re.findall(rb"/Type\s*/Page[^s]", paper.read_bytes())) <= 5
    # Only the drawing, which is large: most of it is sheet.
    drawing = page.partition("<main")[0] + "<main>" + page[page.index('<section id="net"') :]
    for dark in (False, True):
        picture = Window(1000, 600, dark).picture(drawing, tmp_path).convert("L")
        light = sum(picture.histogram()[128:]) / (1000 * 600)
        assert (light < 0.1) is dark
        assert (light > 0.9) is not dark
