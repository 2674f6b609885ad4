"""``kproof anonymize moving``, ``attack intersection``, ``check --log``, and what they refuse."""

import json

import pytest
from cases import cases
from moving_files import write_cells, write_log
from shell import kproof, printed, refused

ASKED = ("--grid", "500", "--period", "60", "--widest", "1000")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def publish(here, *words, **log):
    path = write_log(here / "log.csv", **log)
    return kproof("anonymize", "moving", path, *ASKED, *words, "-o", "out.csv")


def test_a_log_is_published_with_its_cells_its_account_and_its_attack(here):
    ran = publish(here, "--k", "4", "--json", "--html", "out.html", "--title", "Eight <people>")
    assert ran.document["judged"]["holds"] is True
    assert ran.document["written"][-1] == "out.html"
    assert "<h1>Eight &lt;people&gt;</h1>" in (here / "out.html").read_text()
    assert ran.document["account"]["shown_share"] == 1.0
    assert [entry["least"] for entry in ran.document["judged"]["observers"]] == [4, 4]
    assert json.loads((here / "out.csv.account.json").read_text()) == ran.document["account"]
    rows = (here / "out.csv").read_text().splitlines()
    assert rows[0].startswith("# kproof cloaked log 1; period=60; age=1; snap=500; k=4; session=4")
    assert rows[1] == "record,slot,cell"
    assert len(rows) == 2 + 16
    for words in (
        ("attack", "intersection", "out.csv", "log.csv", "--cells", "out.csv.cells.geojson"),
        ("check", "out.csv", "--log", "log.csv", "--cells", "out.csv.cells.geojson"),
    ):
        assert kproof(*words, "--json").document == ran.document["judged"] | {
            "document": "attack-log"
        }
        assert kproof(*words).status == 0
        assert kproof(*words, "--k", "5").status == 1


def test_who_is_far_from_the_others_is_read_the_same_way_again(here):
    log = write_log(here / "log.csv")
    rows = [
        f"b{person},52,13,2024-05-01T08:0{slot}:00Z" for slot in range(2) for person in range(4)
    ]
    with open(log, "a") as file:
        file.write("\n".join(rows))
    cells = ("--cells", "out.csv.cells.geojson")
    for words, people in (((), 8), (("--far", "0"), 12)):
        ran = kproof("anonymize", "moving", log, *ASKED, "--k", "4", *words, "-o", "out.csv")
        assert ran.status == 0
        assert ("8 farther than 50 times the median distance" in ran.out) == (people == 8)
        judged = kproof("check", "out.csv", "--log", log, *cells, "--json").document
        assert (judged["holds"], judged["records"]) == (True, people)
    assert refused("attack", "intersection", "out.csv", log, *cells, "--far", "50") == (
        "--far = 50: need 0, as the file says, or nothing"
    )


def test_a_log_that_takes_long_is_said_to_before_the_work(here, monkeypatch):
    monkeypatch.setattr("kproof.models.moving.publish.LONG", 8)
    ran = publish(here, "--k", "4")
    assert ran.status == 0
    assert "kproof: 2 slots of 8 people take 2 minutes or more: every person is looked" in ran.err


@pytest.mark.parametrize("row", ["52,13", "0,0", ",", "95,10"])
def test_who_was_set_apart_is_no_longer_where_they_were(here, row):
    """Twelve people at home; then four stay, and rows of the others are set apart."""
    rows = ["user,lat,lon,time"]
    for slot in range(3):
        for person in range(12):
            place = "37.7,-122.4" if slot != 1 or person < 4 else row
            rows.append(f"p{person},{place},2024-05-01T08:0{slot}:{person:02}Z")
    (here / "log.csv").write_text("\n".join(rows))
    ran = kproof("anonymize", "moving", "log.csv", *ASKED, "--k", "4", "-o", "out.csv", "--json")
    assert ran.document["account"]["known"] == 12 + 4 + 12
    text = (here / "out.csv").read_text()
    shown = [line for line in text.splitlines()[2:] if "08:01:00Z,c" in line]
    assert len(shown) == 4
    # Somebody else shows all twelve at home.
    cell = shown[0].rpartition(",")[2]
    forged = "\n".join(f"{n},2024-05-01T08:0{t}:00Z,{cell}" for t in range(3) for n in range(12))
    (here / "forged.csv").write_text("record,slot,cell\n" + forged)
    asked = ("--cells", "out.csv.cells.geojson", "--period", "60", "--age", "1", "--k", "5")
    ran = kproof("attack", "intersection", "forged.csv", "log.csv", *asked)
    assert ran.status == 2
    assert "is equal to 12 records and fits 4 people" in ran.err


def test_records_that_show_no_cell_are_not_judged(here):
    log = write_log(here / "log.csv")
    shown = "\n".join(f"{number},2024-05-01T08:00:00Z,hidden" for number in range(8))
    (here / "hidden.csv").write_text("record,slot,cell\n" + shown)
    asked = ("--cells", write_cells(here / "cells.geojson"), "--period", "60", "--k", "2")
    ran = kproof("attack", "intersection", "hidden.csv", log, *asked)
    assert ran.status == 4
    assert ran.out == "judged: nothing, as none of 8 records shows a cell\n"


def test_the_same_seed_writes_the_same_and_no_seed_another(here):
    texts = []
    for words in (("--seed", "1"), ("--seed", "1"), (), ()):
        assert publish(here, "--k", "4", *words, people=20).status == 0
        texts.append((here / "out.csv").read_bytes())
    assert texts[0] == texts[1]
    assert len(set(texts)) == 3


def test_whoever_strays_is_identified_in_cells_that_keep_k_in_each_slot(here):
    # Two in each cell in each of two slots, and all four people alone.
    rows = ["user,lat,lon,time"]
    shown = ["record,slot,cell"]
    for person, cells in enumerate(("00", "01", "10", "11")):
        for slot, cell in enumerate(cells):
            rows.append(f"{person},{10 + int(cell)},10,2024-05-01T08:0{slot}:00Z")
            label = "c" + format(LABELS[cell], "b")[1:]
            shown.append(f"{person + 9},2024-05-01T08:0{slot}:00Z,{label}")
    (here / "log.csv").write_text("\n".join(rows))
    (here / "cloaked.csv").write_text("\n".join(shown))
    cells = write_cells(here / "cells.geojson")
    words = ("attack", "intersection", "cloaked.csv", "log.csv", "--cells", cells)
    out = printed(*words, "--period", "1min", "--k", "2", status=1)
    assert "presence: 1 candidates or more for 4 records" in out
    assert "smallest: record 9 fits 0" in out
    assert refused(*words).startswith("--period is not given")


def labels():
    import numpy as np

    from kproof.models.moving.cells import GridCells

    grid = GridCells(500.0)
    code, _ = grid.codes(np.array([10.0, 11.0]), np.array([10.0, 10.0]))
    return dict(zip("01", grid.common(code, code).tolist(), strict=True))


LABELS = labels()


def test_who_knows_less_is_judged_beside_who_knows_all(here):
    assert publish(here, "--k", "4", "--knows", "2").status == 0
    attack = ("attack", "intersection", "out.csv", "log.csv", "--cells", "out.csv.cells.geojson")
    known = ("--knows", "1", "--knows", "home-work", "--night", "8-9")
    document = kproof(*attack, *known, "--json").document
    assert [entry["least"] for entry in document["known"]] == [4, 4]
    assert (
        "anyone who knows any position: no record fits, or 4 or more do"
        in kproof(*attack, *known).out
    )
    # Nobody controls k and keeps k: three of four are left.
    ran = kproof(*attack, "--sybils", "1")
    assert ran.status == 1
    assert "anyone who controls 1 of the people with one record: 3 candidates or more" in ran.out
    # All of them are elsewhere more often: no record fits, nothing is judged, nothing is green.
    with open(here / "log.csv", "a", encoding="utf-8") as file:
        file.writelines(
            f"p{person},{37.75 if person < 4 else 37.7},-122.4,2024-05-01T08:{slot}:00Z\n"
            for person in range(8)
            for slot in range(10, 15)
        )
    ran = kproof(*attack, "--knows", "home-work")
    assert ran.status == 4
    assert "UTC): judged: nothing, as no record fits anybody" in ran.out
    ran = refused("check", "out.csv", "--knows", "2")
    assert "need --log and --cells with it" in ran


def test_no_record_is_nothing_judged(here):
    write_log(here / "log.csv")
    cells = write_cells(here / "cells.geojson")
    (here / "none.csv").write_text("record,slot,cell\n")
    ran = kproof(
        "attack", "intersection", "none.csv", "log.csv", "--cells", cells, "--period", "60",
        "--k", "2",
    )  # fmt: skip
    assert (ran.status, ran.out) == (4, "judged: nothing, as there is no record\n")


@cases(
    (("--k", "5"), {"people": 2}, "the log has 2 people, k = 5: need k people or more"),
    (("--k", "2"), {"people": 1}, "the log has 1 person, k = 2"),
    (("--k", "5"), {}, "nobody can be shown: no slot has 5 people in a cell no wider than 1000"),
    (("--k", "1"), {}, "--k = 1: need a whole number k >= 2"),
    ((), {}, "--k is not given: need the fewest people who share a record"),
    (("--k", "4", "--period", "1d"), {}, "--period = 86400: need at most 68 seconds"),
    (("--k", "4", "--period", "1s"), {"year": 2023}, "--period = 1: need 317 seconds or"),
    (("--k", "4", "--period", "soon"), {}, "--period = soon: need seconds, or a number with"),
    (("--k", "4", "--session", "0"), {}, "--session = 0: need a whole number session >= 1"),
    (("--k", "4", "--roads", "a", "b"), {}, "--cells = '--grid --roads': need"),
    (("--k", "4", "--least-nodes", "3"), {}, "--least-nodes = 3: need --roads"),
)
def test_what_cannot_be_done_is_refused_and_nothing_is_written(words, log, message, here):
    path = write_log(here / "log.csv", **log)
    asked = ("--grid", "500", "--widest", "1000", *(() if "--period" in words else ASKED[2:4]))
    assert message in refused("anonymize", "moving", path, *asked, *words, "-o", "out.csv")
    assert [file.name for file in here.iterdir()] == ["log.csv"]


def test_k_above_the_people_of_the_best_slot_is_refused(here):
    rows = ["user,lat,lon,time", *(f"{n},37.7,-122.4,2024-05-01T{n:02}:00:00Z" for n in range(9))]
    (here / "log.csv").write_text("\n".join(rows))
    ran = refused("anonymize", "moving", "log.csv", *ASKED, "--k", "4", "-o", "out.csv")
    assert "the best slot has positions of 1 of 9 people, k = 4" in ran


def test_rows_that_are_no_positions_are_set_apart_and_named(here):
    log = write_log(here / "log.csv", 20)
    odd = ["p0,0,0,2024-05-01T08:00:30Z", "p1,95,-122.4,2024-05-01T08:00:30Z",
           ",37.7,-122.4,2024-05-01T08:00:30Z", "p2,nan,-122.4,2024-05-01T08:00:30Z",
           "p3,50,-122.4,2024-05-01T08:00:30Z"]  # fmt: skip
    with open(log, "a", encoding="utf-8") as file:
        file.write("\n".join(odd) + "\n")
    out = printed("anonymize", "moving", log, *ASKED, "--k", "4", "-o", "out.csv")
    for line in range(42, 47):
        assert str(line) in out
    assert "positions: 40 of 20 people" in out


def test_cells_of_roads_say_what_is_left_out_and_refuse_a_town_in_pieces(here):
    streets = [(n, n + 1) for n in range(39)]
    nodes = [f"{n},{37.7 + n / 1000:.4f},-122.4" for n in range(42)]
    (here / "nodes.csv").write_text("\n".join(["id,lat,lon", *nodes]))
    (here / "edges.csv").write_text("\n".join(["u,v", *(f"{u},{v}" for u, v in streets)]))
    log = write_log(here / "log.csv")
    words = ("anonymize", "moving", log, "--k", "4", "--period", "60", "--widest", "5000")
    ran = kproof(*words, "--snap", "5000", "--roads", "nodes.csv", "edges.csv", "-o", "out.csv")
    assert ran.status == 0
    assert "crossings that no street joins with the town: 2, left out" in ran.out
    (here / "edges.csv").write_text("\n".join(["u,v", *(f"{u},{v}" for u, v in streets[:20])]))
    ran = refused(*words, "--roads", "nodes.csv", "edges.csv", "-o", "other.csv")
    assert "the city is in 22 pieces, and the largest has 21 of 42 crossings" in ran
    assert not (here / "other.csv").exists()


def test_cells_can_be_used_again_and_no_others_beside_them(here):
    log = write_log(here / "log.csv")
    cells = write_cells(here / "cells.geojson")
    words = ("anonymize", "moving", log, "--cells", cells, "--k", "4", "--period", "60")
    assert kproof(*words, "--widest", "1000", "-o", "a.csv").status == 0
    assert not (here / "a.csv.cells.geojson").exists()
    other = write_cells(here / "other.geojson", 250)
    ran = refused("check", "a.csv", "--log", log, "--cells", other)
    assert "a.csv: was made with other cells than" in ran
    text = (here / "cells.geojson").read_text()
    (here / "cells.geojson").write_text(text.replace("500.0", "501.0"))
    ran = refused("check", "a.csv", "--log", log, "--cells", cells)
    assert "was edited" in ran
    ran = refused("check", "a.csv", "--log", log)
    assert "--cells is not given" in ran
    for more in (("--l", "2"), ("--qi", "slot"), ("--models-only",)):
        ran = refused("check", "a.csv", "--log", log, "--cells", cells, *more)
        assert "need nothing but --cells, --k, --knows, --sybils, --kinds and --json beside" in ran
