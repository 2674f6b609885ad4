"""``kproof anonymize full-domain``: levels, models, and what became of every choice."""

import json
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

import pytest
from cases import cases
from shell import kproof, printed, refused, typed

ROWS = """zip,sex,disease
47906,f,Flu
47906,f,HIV
47905,m,Flu
47302,f,HIV
47302,m,Flu
47304,f,Flu
47304,m,HIV
"""
ZIPS = "47906;479**;*\n47905;479**;*\n47302;473**;*\n47304;473**;*\n"


@pytest.fixture
def words(here: Path) -> tuple[str, ...]:
    Path("data.csv").write_text(ROWS)
    Path("zip.csv").write_text(ZIPS)
    Path("sex.csv").write_text("f;*\nm;*\n")
    trees = ("--taxonomy", "zip=zip.csv", "--taxonomy", "sex=sex.csv")
    roles = ("--qi", "zip,sex", "--sensitive", "disease")
    return (
        *typed("anonymize full-domain --audience study data.csv"),
        *roles,
        *trees,
        *typed("-o out.csv"),
    )


def test_levels_models_budget_and_solutions(words):
    asked = ("--k", "2", "--l", "2", "--suppress", "20%")
    lines = printed(*words, *asked, "--solutions", "nodes.json").splitlines()
    assert lines[:6] == [
        "method: full-domain(k=2, suppress=20%, models=l-diversity(l=2))",
        "published: 6 of 7 rows in 3 classes, 2 to 2 rows",
        "noise rows: 0",
        "suppressed rows: 1 of at most 1, not in the file",
        "swaps: 0, which moved 0 rows",
        "levels: zip=1, sex=0",
    ]
    assert lines[-2:] == ["written: out.csv", "written: nodes.json"]
    document = json.loads(Path("nodes.json").read_text())
    assert document["optimum"]["levels"] == {"zip": 1, "sex": 0}
    assert document["models"] == ["k-anonymity(k=2)", "l-diversity(l=2)"]
    assert len(document["nodes"]) == 6
    assert sum(document["counts"].values()) == 6
    printed("check", "--models-only", "out.csv", *words[5:9], "--k", "2", "--l", "2")
    assert "levels: zip=0, sex=1" in kproof(*words, *asked, "--levels", "sex=1,zip=0").out


def test_the_picture_tells_of_every_node(words):
    for name in ("nodes.svg", "nodes.png"):
        assert kproof(*words, "--k", "2", "--solutions", name).status == 0
    root = ET.fromstring(Path("nodes.svg").read_text())
    told = [one.text or "" for one in root.iter("{http://www.w3.org/2000/svg}title")]
    assert sum(" loss " in one for one in told) == 7  # six nodes, and the optimum's ring
    assert Path("nodes.png").read_bytes().startswith(b"\x89PNG")


def test_the_legend_says_which_model_fails(words):
    asked = ("--k", "2", "--l", "2", "--suppress", "20%")
    assert kproof(*words, *asked, "--solutions", "nodes.svg").status == 0
    assert kproof(*words, *asked, "--solutions", "nodes.json").status == 0
    nodes = json.loads(Path("nodes.json").read_text())["nodes"]
    optimum, *told = legend("nodes.svg")
    states = Counter(one["state"] for one in nodes)
    judged = states["meets"] + states["fails"]
    assert ET.fromstring(Path("nodes.svg").read_text()).get("aria-label") == (
        f"The optimum loses 0.3571: {states['meets']} of {judged} judged nodes are within the "
        "budget. Solution space"
    )
    assert optimum == "optimum: loss 0.3571, levels zip=1, sex=0"
    counts = {name: int(times) for name, _, times in (one.rpartition(": ") for one in told)}
    assert sum(counts.values()) == len(nodes) == 6
    failing = [one["left_out"] for one in nodes if one["state"] == "fails"]
    most = Counter(max(one, key=one.__getitem__, default=None) for one in failing)
    assert most
    for model, times in most.items():
        own = "in classes of fewer than 2" if model is None else f"left out, most by {model}"
        assert times == sum(counts[one] for one in counts if one.startswith(f"too many rows {own}"))


def test_many_nodes_are_one_image_with_the_same_legend(words):
    rows = [f"{place:020},{place * 7 % 9:020},{'ab'[place % 2]}" for place in range(12)]
    Path("codes.csv").write_text("\n".join(["one,two,disease", *rows]))
    ladders = ("--ladder", "one=prefix", "--ladder", "two=prefix")
    codes = ("--qi", "one,two", "--sensitive", "disease", *ladders)
    asked = ("--k", "3", "--solutions", "nodes.svg", "-o", "out.csv")
    printed("anonymize", "full-domain", "--audience", "study", "codes.csv", *codes, *asked)
    told = legend("nodes.svg")
    assert told[0].startswith("optimum: loss ")
    assert sum(int(one.rpartition(" ")[2]) for one in told[1:]) == 21 * 21
    assert "<image" in Path("nodes.svg").read_text()


def legend(name: str) -> list[str]:
    root = ET.fromstring(Path(name).read_text())
    texts = [one.text or "" for one in root.iter("{http://www.w3.org/2000/svg}text")]
    return texts[texts.index("loss") + 1 :]


@cases(
    (("--k", "4", "--levels", "sex=0"), "allow suppress=42.86% or ask for less"),
    (("--k", "2", "--suppress", "101%"), "--suppress = 101%: need 0 to 1, or 0% to 100%"),
    (("--k", "2", "--levels", "zip=3"), "--levels = zip=3: need a level of column zip, 0 to 2"),
    (("--k", "2", "--solutions", "nodes.txt"), "need a name that ends in .json, .svg or .png"),
    (("--k", "2", "--solutions", "out.csv"), "out.csv"),
    (("--k", "2", "--c", "2"), "--c = 2: need --l with it"),
)
def test_what_cannot_be_is_refused_and_nothing_written(more, told, words):
    assert told in refused(*words, *more)
    assert not Path("out.csv").exists()
