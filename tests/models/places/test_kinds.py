"""Kinds of place in regions, beside a plain count over every way to fill in what is not known."""

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from cases import cases, error_line
from hypothesis import given
from hypothesis import strategies as st
from moving_files import HERE, THERE, write_log
from shell import kproof, printed, refused

from kproof.errors import DataError
from kproof.models.places.kinds import KindsAsked, PlaceKinds, judge_regions

NAMES = ("cafe", "clinic", "never seen")
row = st.tuples(st.integers(0, 2), st.sampled_from([-1, 0, 1, 1]), st.booleans())


@given(st.lists(row, min_size=1, max_size=7), st.integers(1, 3), st.fractions(0, 1))
def test_kinds_are_judged_as_the_worst_that_they_may_be(rows, ell, t):
    region, code, there = (np.array(column) for column in zip(*rows, strict=True))
    asked = KindsAsked("kind", 0, ell, t)
    kinds = PlaceKinds(code, NAMES, None)
    judge = lambda: asked.judge(region, kinds, np.arange(len(code)), there)  # noqa: E731
    known = np.where(there, code, -1)
    if (known < 0).all():
        assert "the kind of no position in a region is known" in error_line(DataError, judge)
        return
    occur = [*sorted(set(known.tolist()) - {-1}), "a kind that is nowhere else"]
    least, farthest = len(NAMES), Fraction(0)
    for filled in product(*([kind] if kind >= 0 else occur for kind in known.tolist())):
        city = Counter(filled)
        for number in set(region.tolist()):
            here = Counter(k for k, r in zip(filled, region, strict=True) if r == number)
            least = min(least, len(here))
            apart = (
                abs(Fraction(here[k], here.total()) - Fraction(city[k], city.total()))
                for k in occur
            )
            farthest = max(farthest, sum(apart) / 2)
    judged = judge()
    assert (judged.least, judged.distance) == (least, farthest)
    assert judged.holds == (least >= ell and farthest <= t)
    assert judged.unknown == np.count_nonzero(known < 0)


def test_whoever_is_at_two_places_makes_no_region_diverse():
    # Five in one clinic; one of them is in a cafe, too, and everybody was in a clinic.
    kinds = PlaceKinds(np.array([1] * 5 + [0]), NAMES, None)
    region, row, there = np.zeros(6, int), np.arange(6), np.ones(6, bool)
    asked = KindsAsked("kind", 0, 2, None)
    assert asked.judge(region, kinds, row, there).holds
    assert asked.judge(region, kinds, row, there, person=np.array([0, 1, 2, 3, 4, 4])).least == 1


def test_spelling_makes_no_kinds(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text(
        "lat,lon,kind\n1,1,Hospital\n1,1,hospital\n1,1, HOSPITAL \n1,1,a  shop\n1,1,A shop\n"
        "1,1,H\u043espital.\n1,1,a_shop\n",
        encoding="utf-8",
    )
    kinds = KindsAsked("kind", 0, None, None).read(str(path), None, None)
    assert (kinds.names, kinds.code.tolist()) == (("hospital", "a shop"), [0, 0, 0, 1, 1, 0, 1])


@given(
    st.lists(st.sets(st.integers(0, 3), min_size=1), min_size=1, max_size=3),
    st.lists(st.integers(0, 3), min_size=4, max_size=4).filter(any),
    st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["cafe", "clinic", ""])), min_size=1),
)
def test_a_place_counts_in_the_regions_that_it_is_in(tmp_path_factory, regions, users, places):
    # Nodes 111 m apart; a place is at a node, and people of other nodes are at the nearest one.
    file = tmp_path_factory.mktemp("kinds") / "places.csv"
    file.write_text("\n".join(["lat,lon,kind", *(f"{n / 1000},5,{kind}" for n, kind in places)]))
    members = [sorted(region) for region in regions]
    offsets = np.cumsum([0, *map(len, members)])
    node = np.flatnonzero(users)
    kind_of = {}
    for place, kind in places:
        kind_of.setdefault(place, kind)
    known = {}
    for n in node.tolist():
        near = [p for p in kind_of if abs(p - n) <= 1]
        nearest = min(near, key=lambda p: abs(p - n), default=None)
        tie = len({p for p in near if abs(p - n) == 1}) == 2 and n not in kind_of
        known[n] = (None, None) if nearest is None else (nearest, kind_of[nearest])
        if tie:  # Which of two is nearer is a matter of the last digit.
            return
    judge = lambda: judge_regions(  # noqa: E731
        KindsAsked.of(str(file), 120),
        (offsets, np.concatenate(members)),
        "nodes",
        (np.arange(4) / 1000, np.full(4, 5.0)),
        node,
        None,
        np.array(users)[node],
    )
    counts = [
        {known[n][1] for n in region if users[n] and known[n][1] and known[n][0] in region}
        for region in members
        if any(users[n] for n in region)
    ]
    if not any(counts):
        assert "is known" in error_line(DataError, judge)
        return
    assert judge().least == max(1, min(map(len, counts)))


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = write_log(tmp_path / "log.csv") and (tmp_path / "log.csv").read_text().splitlines()
    kinds = ["kind", *(["cafe", "clinic", "clinic", "clinic"] + ["clinic"] * 3 + [""]) * 2]
    (tmp_path / "log.csv").write_text("\n".join(map(",".join, zip(rows, kinds, strict=True))))
    places = [f"{lat},{lon},{kind}" for (lat, lon), kind in ((HERE, "cafe"), (THERE, "clinic"))]
    (tmp_path / "places.csv").write_text("\n".join(["lat,lon,kind", *places]))
    return tmp_path


MOVING = ("--grid", "500", "--k", "4", "--period", "60", "--widest", "1000")


def test_a_map_and_a_cloaked_log_are_judged_and_not_written_if_they_fall_short(here):
    for words, check in (
        (("quadtree", "log.csv", "--min-k", "4", "--audience", "study"), ("--original", "log.csv")),
        (("moving", "log.csv", *MOVING), ("--log", "log.csv", "--cells", "a.cells.geojson")),
    ):
        out = "a.geojson" if words[0] == "quadtree" else "a"
        text = printed("anonymize", *words, "--kinds", "kind", "--l", "2", "-o", out, status=1)
        assert "kinds in a region: 1 or more, of 2 that are asked for" in text
        assert "not written, as" in text
        assert not (here / out).exists()
        assert kproof("anonymize", *words, "--kinds", "places.csv", "-o", out).status == 0
        said = kproof("check", out, *check, "--kinds", "kind", "--t", "1/2")
        assert said.status == 0
        assert "positions have none that is known, which counts as no other" in said.out
        assert kproof("check", out, *check, "--kinds", "kind", "--t", "1/10").status == 1
        assert kproof("check", out, *check, "--kinds", "places.csv", "--l", "2").status == 1
    assert refused("check", "a.geojson", "--kinds", "kind").startswith(
        "--kinds = kind: need --orig"
    )


def test_regions_of_a_city_are_judged_by_its_nodes(here):
    nodes = [f"{n},{37.7 + n / 1000},5,3,{('cafe', 'clinic')[n % 2]}" for n in range(8)]
    (here / "nodes.csv").write_text("\n".join(["osmid,lat,lon,users,kind", *nodes]))
    (here / "edges.csv").write_text("\n".join(["u,v", *(f"{n},{n + 1}" for n in range(7))]))
    words = ("anonymize", "density", "--nodes", "nodes.csv", "--edges", "edges.csv")
    words = (*words, "--audience", "study", "-o", "regions.csv", "--kinds", "kind")
    assert kproof(*words, "--l", "3").status == 1
    assert not (here / "regions.csv").exists()
    ran = kproof(*words, "--l", "2", "--json")
    assert (ran.document["kinds"]["least"], ran.document["kinds"]["holds"]) == (2, True)
    check = ("check", "regions.csv", "--original", "nodes.csv", "--kinds")
    assert kproof(*check, "kind", "--l", "2").status == 4
    assert kproof(*check, "kind", "--l", "3").status == 1
    assert "no column sort; there are" in refused(*check, "sort")


@cases(
    (("--l", "2"), "--kinds is not given: need a column or a file"),
    (("--kinds", "sort"), "log.csv: no column sort; there are"),
    (("--kinds", "none.csv"), "none.csv: no such file"),
    (("--kinds", "bare.csv"), "bare.csv: no column for the kind; need kind, kinds, type"),
    (("--kinds", "far.csv"), "far.csv: the kind of no position is known within 100 m of a"),
    (("--kinds", "kind", "--t", "2"), "--t = 2: need 0 <= t <= 1"),
    (("--kinds", "places.csv", "--kinds-within", "-1"), "--kinds-within = -1"),
)
def test_kinds_that_cannot_be_judged_are_refused(words, message, here):
    (here / "bare.csv").write_text("lat,lon\n1,1\n")
    (here / "far.csv").write_text("lat,lon,kind\n1,1,cafe\n")
    assert message in refused("anonymize", "quadtree", "log.csv", *words, "-o", "a.geojson")
    assert not (here / "a.geojson").exists()
