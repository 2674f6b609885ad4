"""Maps one after another, and files of places that ``kproof check`` knows by themselves."""

import json
from pathlib import Path

import numpy as np
import pytest
from cases import cases
from shell import kproof, refused

QUADTREE = ("anonymize", "quadtree", "--audience", "study", "--k", "3")
SLOT = ("--from", "2024-01-01T10:00", "--to", "2024-01-01T10:15")
NEXT = ("--from", "2024-01-01T10:15", "--to", "2024-01-01T10:30")
LONGER = ("--from", "2024-01-01T10:00", "--to", "2024-01-01T10:16")


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Forty people for half an hour, a position of somebody every ten seconds."""
    rng = np.random.default_rng(7)
    lines = ["lat,lon,user,time"]
    for second in range(0, 1800, 2):
        lat, lon = 52.5 + 0.004 * rng.normal(), 13.4 + 0.006 * rng.normal()
        when = f"2024-01-01 10:{second // 60:02}:{second % 60:02}"
        lines.append(f"{lat:.6f},{lon:.6f},{rng.integers(40)},{when}")
    path = tmp_path_factory.mktemp("log") / "log.csv"
    path.write_text("\n".join(lines))
    return str(path)


@pytest.fixture(scope="module")
def first(log: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("maps") / "a.geojson")
    assert kproof(*QUADTREE, log, *SLOT, "-o", path).status == 0
    return path


def test_a_map_says_its_k_and_its_period(first):
    document = json.loads(Path(first).read_text())
    assert (document["k"], document["counted"]) == (3, "users")
    assert (document["from"], document["to"]) == ("2024-01-01T10:00:00Z", "2024-01-01T10:15:00Z")


@pytest.mark.parametrize("words", [("--released",), ("--like",), ("--cells",)])
def test_a_minute_more_is_not_published(log, first, words, tmp_path):
    out = tmp_path / "b.geojson"
    line = refused(*QUADTREE, log, *LONGER, *words, first, "-o", str(out))
    assert line.startswith(f"{first}, {out}: fewer than k changed: ")
    assert not out.exists()


def test_a_slot_apart_on_the_same_squares_is_published(log, first, tmp_path):
    out = tmp_path / "b.geojson"
    ran = kproof(*QUADTREE, log, *NEXT, "--like", first, "-o", str(out), "--json")
    assert ran.status == 0, ran.err
    assert ran.document["parameters"]["cells"] == first
    checked = kproof("check", first, str(out))
    assert (checked.status, checked.out.split(": ")[1]) == (0, "nothing to subtract")
    ran = kproof("check", str(out), "--original", log)
    assert (ran.status, ": k holds: " in ran.out) == (0, True)
    line = refused(*QUADTREE, log, *NEXT, "--released", first, "-o", str(out))
    assert "not judged: periods are apart, and squares follow the people" in line


def test_files_are_compared_as_they_stand(log, first, tmp_path):
    second = str(tmp_path / "b.geojson")
    assert kproof(*QUADTREE, log, *LONGER, "-o", second).status == 0
    ran = kproof("check", first, second)
    assert (ran.status, "fewer than k changed" in ran.out) == (1, True)
    document = json.loads(kproof("check", first, second, "--json").out)
    assert document["series"]["outcome"] == "fewer than k changed"


def test_maps_of_locations_show_no_number_of_people(log, tmp_path):
    """All that changed between two of them may be one person's, so that no change is large."""
    first, second = tmp_path / "a.geojson", tmp_path / "b.geojson"
    assert kproof(*QUADTREE, "--count", "locations", log, *SLOT, "-o", str(first)).status == 0
    second.write_text(first.read_text())
    ran = kproof("check", str(first), str(second))
    assert (ran.status, "which one person can be" in ran.out) == (4, True)


def test_a_map_alone(log, first, tmp_path):
    ran = kproof("check", first)
    assert (ran.status, ": not judged: it says 3 or more" in ran.out) == (4, True)
    ran = kproof("check", first, "--original", log)
    assert (ran.status, f"k holds: k = 3, as recounted from {log}" in ran.out) == (0, True)
    assert kproof("check", first, "--k", "9", "--original", log).status == 1
    wrong = tmp_path / "wrong.geojson"
    document = json.loads(Path(first).read_text())
    wrong.write_text(json.dumps(document | {"k": 1}))
    ran = kproof("check", str(wrong), "--original", log)
    assert (ran.status, "k = 1 promises nothing" in ran.out) == (4, True)
    at = next(i for i, each in enumerate(document["features"]) if each["properties"]["count"])
    document["features"][at]["properties"]["count"] += 1
    wrong.write_text(json.dumps(document))
    ran = kproof("check", str(wrong), "--original", log)
    assert (ran.status, f"not what {log} says: feature {at}" in ran.out) == (1, True)
    document["features"].append(document["features"][at])
    wrong.write_text(json.dumps(document))
    ran = kproof("check", str(wrong))
    assert (ran.status, "overlap" in ran.out) == (4, True)


REGIONS = "region,k,node\n0,3,a\n0,3,b\n1,2,c\n1,2,d\n"


@cases(
    (REGIONS, 4, "2 regions of 4 crossings; the file does not say who is where"),
    (REGIONS + "2,2,a\n2,2,e\n", 4, "1 crossings are in several regions"),
    (REGIONS + "2,2,e\n", 1, "1 regions are one crossing, which says where who asked is: 2"),
    (REGIONS + "1,3,e\n", 2, "line 6: region 1 has two k: 2 and 3"),
    (REGIONS + "1,0,e\n", 2, "line 6: k is 0; need"),
    (REGIONS + "1,2,c\n", 2, "line 6: node c is in region 1 twice"),
    ("region,k,node\n", 2, "the table has no rows"),
)
def test_regions(text, status, says, tmp_path):
    path = tmp_path / "regions.csv"
    path.write_text(text)
    ran = kproof("check", str(path))
    assert (ran.status, says in ran.out + ran.err) == (status, True), ran


@cases(
    (("check", "{map}", "--qi", "lat,lon"), "data = {map}: need nothing but --k"),
    (("check", "{map}", "--l", "2"), "data = {map}: need nothing but --k"),
    (("check", "table-1a", "{map}"), "more = {map}: need one table, or heat maps"),
    (("check", "{map}", "{log}"), "{log}: not a JSON document"),
    (("check", "{map}", "{map}", "--original", "{log}"), "--original = {log}: need one heat map"),
    ((*QUADTREE, "{log}", "--from", "2024-01-01", "-o", "x"), "--to is not given"),
    ((*QUADTREE, "{log}", "--from", "noon", "--to", "2024-01-01", "-o", "x"), "--from = noon"),
    (
        (*QUADTREE, "{log}", "--from", "2025-01-01", "--to", "2025-01-02", "-o", "x"),
        "{log}: no pos",
    ),
    ((*QUADTREE, "{log}", *SLOT, "--like", "{log}", "-o", "x"), "{log}: not a JSON document"),
    (
        (*QUADTREE, "{log}", *NEXT, "--like", "{map}", "--no-merge-sectors", "-o", "x"),
        "--no-merge-sectors = False: need nothing beside --cells",
    ),
)
def test_refusals(words, says, log, first):
    names = {"map": first, "log": log}
    line = refused(*(word.format(**names) for word in words))
    assert says.format(**names) in line, line
