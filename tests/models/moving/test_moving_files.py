"""Cells, cloaked logs and their judge on disk: what is written is read, and nothing else is."""

import json
from fractions import Fraction
from hashlib import sha256

import networkx as nx
import numpy as np
import pytest
from cases import cases, error_line
from hypothesis import assume, given
from hypothesis import strategies as st
from moving_files import HERE, THERE

from kproof.errors import DataError, InvalidArgument
from kproof.models.moving.cell_files import cells_document, cells_in
from kproof.models.moving.cells import GridCells, RoadCells
from kproof.models.moving.judging import judge_log
from kproof.models.moving.labels import depths, labels_at
from kproof.models.moving.log_files import parse_cloaked, to_cloaked_csv
from kproof.models.moving.publish import cloak_log
from kproof.models.moving.rules import Mover
from kproof.models.moving.slots import every_slot
from kproof.models.moving.terms import LogTerms
from kproof.models.places.city.city import City
from kproof.models.places.log import PositionLog

ROWS, COLS = 12, 9


def town(rows=ROWS, cols=COLS, *, apart=0):
    """A grid of streets of some 110 m, and crossings that no street leads to."""
    city = City.grid(rows, cols, users=0)
    x, y = np.asarray(city.x) / 800, np.asarray(city.y) / 1000
    return City.of(
        np.zeros(city.nodes + apart, dtype=np.int64),
        city.roads.edges,
        x=np.append(x, np.arange(apart) + 1),
        y=np.append(y, np.zeros(apart)),
        coordinates="degrees",
    )


@st.composite
def walks(draw):
    """People who walk about in the town, and report most of the time."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    people, slots = draw(st.integers(2, 30)), draw(st.integers(1, 5))
    at = rng.random((2, people))
    rows = []
    for slot in range(slots):
        for report in range(2):
            seen = np.flatnonzero(rng.random(people) < 0.6)
            at = np.clip(at + rng.normal(0, 0.1, at.shape), 0, 1)
            rows += [(slot * 60 + report * 30, who, *at[:, who]) for who in seen]
    rows = rows or [(0, 0, 0.5, 0.5)]
    time, who, lat, lon = np.array(rows).T
    return PositionLog.of(
        0.001 + lat * 0.01,
        0.001 + lon * 0.01,
        users=who.astype(int).astype(str),
        time=time,
        far=None,
    )


@pytest.mark.parametrize("cells", [RoadCells.of(town()), GridCells(100.5)])
def test_cells_are_read_as_they_were_written(cells):
    text = cells_document(cells)
    read = cells_in(text.encode(), "a.geojson").cells
    assert cells_document(read) == text
    lat, lon = np.random.default_rng(1).random((2, 200)) * 0.012
    for one, other in zip(cells.codes(lat, lon), read.codes(lat, lon), strict=True):
        assert one.tolist() == other.tolist()
    assert read.height == cells.height


@pytest.mark.parametrize("least", [1, 3, 7])
def test_cells_of_roads_are_connected_and_large_enough(least):
    city = town()
    cells = RoadCells.of(city, least_nodes=least, least_street=250)
    graph = city.to_networkx()
    for depth in range(cells.height + 1):
        labels = labels_at(cells._codes, depth, cells.height)
        for label in np.unique(labels):
            members = np.flatnonzero(labels == label).tolist()
            inside = graph.subgraph(members)
            assert nx.is_connected(inside)
            assert len(members) >= least
            # Streets are 111 m from south to north, and 139 m from west to east.
            assert inside.number_of_edges() * 139.5 >= 250


def test_a_city_in_pieces_is_refused_and_what_is_by_itself_is_left_out():
    assert RoadCells.of(town(apart=5)).left_out == 5
    with pytest.raises(DataError, match="in 21 pieces, and the largest has 108 of 128 crossings"):
        RoadCells.of(town(apart=20))
    with pytest.raises(DataError, match="no latitudes and longitudes"):
        RoadCells.of(City.grid(3, 3, users=0))


@given(st.floats(-90, 90), st.floats(-180, 180), st.sampled_from([1.0, 37.0, 500.0, 100_000.0]))
def test_squares_of_a_grid_are_no_wider_than_they_are_called(lat, lon, metres):
    grid = GridCells(metres)
    rng = np.random.default_rng(1)
    lats = np.clip(lat + rng.normal(0, 1e-4, 50), -90, 90)
    code, far = grid.codes(lats, np.clip(lon + rng.normal(0, 1e-4, 50), -180, 180))
    assert 0 <= code.min() <= code.max() < 1 << grid.height
    assert not far.any()
    north = 111_195.1 * lats
    for depth in (grid.height, grid.height - 3):
        labels = labels_at(code, depth, grid.height)
        for label in np.unique(labels):
            assert np.ptp(north[labels == label]) <= grid.widths(np.array([label]))[0] + 1e-6


@given(walks(), st.integers(2, 4), st.integers(1, 4), st.sampled_from([300, 900]), st.booleans())
def test_what_is_written_is_judged_and_a_stream_writes_the_same(log, k, session, widest, roads):
    cells = cells_in(
        cells_document(RoadCells.of(town()) if roads else GridCells(150)).encode(), "c"
    )
    terms = LogTerms(60, 1, Fraction(500), k, session, Fraction(widest), 1)
    try:
        made = cloak_log(log, cells, terms, seed=3)
    except (DataError, InvalidArgument) as error:
        reason = str(error)
        assume(
            not any(word in reason for word in ("need k people", "best slot", "the log is long"))
        )
        raise
    text = to_cloaked_csv(made.release, made.terms)
    cloaked = parse_cloaked(text.encode(), "a.csv")
    assert cloaked.terms == made.terms
    assert judge_log(log, cloaked, cells).holds == (made.release.rows > 0)
    # A stream, report by report, with the same key.
    mover = Mover(cells.cells, k=k, key=3, session=session, widest=widest, deadline=1, age=1)
    code, _ = cells.cells.codes(log.lat, log.lon)
    lines = text.splitlines(keepends=True)[2:]
    for slot, person, codes in every_slot(log.time // 60, log.person, code):
        out = mover.step(slot, person, codes)
        piece = type(made.release).of(out.record, np.full(len(out.record), slot), out.label)
        streamed = to_cloaked_csv(piece, made.terms).splitlines(keepends=True)[2:]
        assert lines[: len(streamed)] == streamed
        lines = lines[len(streamed) :]
    assert lines == []
    assert made.account.known >= made.account.shown
    assert made.account.sessions >= made.account.served


TWO = "record,slot,cell\n1,2024-05-01T08:00:00Z,c01\n2,2024-05-01T08:00:00Z,c01\n"


@cases(
    ("record,slot\n1,2\n", "line 1: need the columns record,slot,cell"),
    (TWO + "1,2024-05-01,c01,x\n", "line 4: 4 cells; need 3"),
    (TWO + "-1,2024-05-01,c01\n", "line 4: record is -1; need a whole number"),
    (TWO + "1,soon,c01\n", "line 4: slot is soon; need a time such as"),
    (TWO + "1,2024-05-01T08:15:00Z,01\n", "line 4: cell is 01; need hidden, or c"),
    (TWO + "1,2024-05-01T08:00:00Z,c1\n", "record 1 has two cells in one slot"),
    (TWO + "1,2024-05-01T08:00:30Z,c1\n", "line 4: slot is .*30Z, in the middle of a period"),
    ("# kproof cloaked log 1; period=60; colour=red\n" + TWO, "line 1: colour among its terms"),
    ("# kproof cloaked log 10; period=60; k=2\n" + TWO, "line 1: need the columns"),
    ("# kproof cloaked log 1; age=1\n" + TWO, "line 1: no period among its terms"),
    ("# kproof cloaked log 1; period=60; age=-1\n" + TWO, "line 1: age = -1: need"),
    ("\xff", "no text in UTF-8"),
)
def test_a_row_that_is_none_is_refused_by_its_line(text, message):
    with pytest.raises(DataError, match=message):
        parse_cloaked(text.encode("latin-1"), "a.csv", period=60)


def test_a_log_of_somebody_else_needs_the_length_of_a_slot():
    with pytest.raises(InvalidArgument, match="period is not given: need the length of a slot"):
        parse_cloaked(TWO.encode(), "a.csv")
    read = parse_cloaked(TWO.encode(), "a.csv", period="15min", k=2, age=1)
    assert (read.terms.period, read.terms.k, read.terms.age) == (900, 2, 1)
    own = f"# kproof cloaked log 1; period=60; age=1; k=5; cells=ab\n{TWO}".encode()
    assert parse_cloaked(own, "a.csv", k=7).terms.k == 7
    with pytest.raises(InvalidArgument, match="age = 0: need 1, as the file says"):
        parse_cloaked(own, "a.csv", age=0)


def edited(change):
    document = json.loads(cells_document(RoadCells.of(town())))
    change(document)
    return json.dumps(document).encode()


def shifted(document):
    document["features"][3]["geometry"]["coordinates"][0][0] += 1e-7


def renamed(document):
    document["features"][0]["properties"]["cell"] = "c1"


def emptied(document):
    del document["features"][0]


def widened(document):
    document["kproof"]["cells"] = "grid"


@pytest.mark.parametrize("change", [shifted, renamed, emptied, widened])
def test_cells_that_were_edited_are_refused(change):
    assert "c.geojson: was edited" in error_line(DataError, cells_in, edited(change), "c.geojson")


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b'{"kproof": 1, "features": []}', b"\xff"])
def test_what_is_no_file_of_cells_is_refused(data):
    assert "c.geojson: is not a file of cells" in error_line(DataError, cells_in, data, "c.geojson")


def test_cells_of_a_later_kind_are_not_taken_for_roads():
    document = json.loads(cells_document(RoadCells.of(town())))
    about = {"cells": "hexagons"}
    content = json.dumps([about, document["features"]], sort_keys=True).encode()
    document["kproof"] = about | {"content": sha256(content).hexdigest()}
    with pytest.raises(DataError, match=r"c\.geojson: is not a file of cells"):
        cells_in(json.dumps(document).encode(), "c.geojson")


def eight(places=(HERE, THERE)):
    lat, lon = np.repeat(places, 4, axis=0).T
    who, times = list(range(8)) * 2, [0] * 8 + [60] * 8
    return PositionLog.of(np.tile(lat, 2), np.tile(lon, 2), users=who, time=times)


def test_releases_on_other_cells_and_cells_of_another_city_are_refused():
    coarse, fine = (cells_in(cells_document(GridCells(m)).encode(), f"{m}") for m in (500, 250))
    terms = LogTerms(60, 0, Fraction(500), 4, 2, Fraction(1000), 0)
    made = cloak_log(eight(), coarse, terms)
    cloaked = parse_cloaked(to_cloaked_csv(made.release, made.terms).encode(), "a.csv")
    assert judge_log(eight(), cloaked, coarse).holds
    with pytest.raises(
        DataError, match=r"a\.csv: was made with other cells than 250: those with SHA"
    ):
        judge_log(eight(), cloaked, fine)
    elsewhere = cells_in(cells_document(RoadCells.of(town())).encode(), "town")
    with pytest.raises(DataError, match="town: no position is within 500 m of a crossing"):
        cloak_log(eight(), elsewhere, terms)
    without = type(cloaked)(cloaked.release, LogTerms(60, k=4), "", "b.csv")
    with pytest.raises(DataError, match=r"b.csv: record \d+ shows a cell that town lacks"):
        judge_log(eight([(0.001, 0.001)] * 2), without, elsewhere)
    assert depths(made.release.label).min() > 0


def test_copies_of_a_record_are_no_people_and_terms_are_held_to_the_rows():
    cells = cells_in(cells_document(GridCells(500)).encode(), "cells")
    made = cloak_log(eight(), cells, LogTerms(60, 0, Fraction(500), 4, 2, Fraction(1000), 0))
    text = to_cloaked_csv(made.release, made.terms)
    head, names, *rows = text.splitlines()

    def judge(*lines):
        return judge_log(eight(), parse_cloaked("\n".join(lines).encode(), "a.csv"), cells)

    assert judge(head, names, *rows).holds
    first = [row for row in rows if row.split(",")[0] == rows[0].split(",")[0]]
    copies = [f"{number},{row.split(',', 1)[1]}" for number in range(9) for row in first]
    with pytest.raises(DataError, match="record 0 is equal to 9 records and fits 4 people"):
        judge(head, names, *copies)
    for change, message in [
        (("session=2", "session=1"), r"record \d+ has 2 slots, more than the session of 1"),
        (("widest=1000", "widest=1"), r"record \d+ shows a cell wider than the 1 m"),
        (("k=4", "k=4; k=2"), "k stands there twice"),
    ]:
        with pytest.raises(DataError, match=message):
            judge(head.replace(*change), names, *rows)
    with pytest.raises(InvalidArgument, match="k = 2: need 4 or more, as the file says"):
        parse_cloaked(text.encode(), "a.csv", k=2)
