"""``kproof anonymize streets`` and ``sequences`` as they are typed."""

import json
from hashlib import sha256
from pathlib import Path

import pytest
from cases import cases
from shell import kproof, printed, refused

from kproof.models.moving.cell_files import cells_document
from kproof.models.moving.cells import GridCells

ROADS = ("--roads", "nodes.csv", "edges.csv")
HOUR = ("--start", "2008-06-08T08:00:00Z", "--session", "2")


@pytest.fixture(autouse=True)
def files(here: Path) -> None:
    """A street of five crossings, and 80 people who walk along it for two quarters of an hour."""
    nodes = "".join(f"{at},{48.1:.4f},{11.5 + 0.003 * at:.4f}\n" for at in range(5))
    Path("nodes.csv").write_text(f"node,lat,lon\n{nodes}")
    edges = "".join(f"{at},{at + 1}\n" for at in range(4))
    Path("edges.csv").write_text(f"start,end\n{edges}")
    rows = "".join(
        f"p{who},48.1,{11.5 + 0.003 * (who % 2 + turn)},2008-06-08T08:{15 * turn:02}:00Z\n"
        for who in range(80)
        for turn in range(2)
    )
    Path("log.csv").write_text(f"user,lat,lon,time\n{rows}")


def test_streets_with_noise():
    words = ("anonymize", "streets", "log.csv", *ROADS, "--epsilon", "3", "--most", "2")
    found = kproof(*words, "-o", "streets.csv", "--json").document
    assert (found["counts"]["rate"], found["counts"]["people"]) == ("3/2", 80)
    lines = Path("streets.csv").read_text().splitlines()
    assert lines[0] == "# kproof streets epsilon=3 most=2 rate=3/2"
    assert [line.rsplit(",", 2)[0] for line in lines[2:]] == ["0,1", "1,2", "2,3", "3,4"]
    out = printed(*words, "-o", "tested.csv", "--test-seed", "1", status=1)
    head = Path("tested.csv").read_text().splitlines()[0]
    assert head.endswith("rate=3/2 unfit to publish: noise of a seed")
    assert "unfit to publish: the noise came from a seed" in out
    assert "worth: epsilon = 3, delta = 0 for the whole log of a person" in out


def test_sequences_with_a_certificate():
    words = ("anonymize", "sequences", "log.csv", "--grid", "250", *HOUR)
    ran = kproof(*words, "--k", "5", "--beta", "1/2", "-o", "rows.csv", "--json")
    certificate = json.loads(Path("rows.csv.certificate.json").read_text())
    assert [level["rule"] for level in certificate["levels"]] == ["value", "value"]
    assert ran.document["original"] == 80
    assert ran.document["written"][-1] == "rows.csv.cells.geojson"
    cells = Path("rows.csv.cells.geojson")
    assert certificate["cells"] == sha256(cells.read_bytes()).hexdigest()
    judge = ("check", "rows.csv", "--certificate", "rows.csv.certificate.json")
    # The one refuses to say anything; with other cells the certificate does not hold.
    assert kproof(*judge).status == 2
    assert "it is judged with that file (--cells FILE)" in kproof(*judge).err
    assert kproof(*judge, "--cells", str(cells), "--json").document["against"] == []
    Path("other.geojson").write_text(cells_document(GridCells(300)))
    ran_with_others = kproof(*judge, "--cells", "other.geojson")
    assert ran_with_others.status == 1
    assert "the cells are another file than the certificate names" in ran_with_others.out
    # The cells of the first release serve for a second.
    more = ("--cells", "rows.csv.cells.geojson", *HOUR, "--k", "5", "--beta", "1/2")
    again = kproof("anonymize", "sequences", "log.csv", *more, "-o", "more.csv", "--json")
    assert again.document["written"] == ["more.csv", "more.csv.certificate.json"]
    cells = {
        cell for row in Path("more.csv").read_text().splitlines()[1:] for cell in row.split(",")
    }
    assert cells <= {
        cell for line in Path("rows.csv").read_text().splitlines()[1:] for cell in line.split(",")
    }


@pytest.mark.parametrize("k", ["50", "500"])
def test_whether_something_is_published_tells_nothing(k):
    """Of 80 people, one more or less decides whether k can be kept: a refusal would say so."""
    words = ("anonymize", "sequences", "log.csv", "--grid", "250", *HOUR, "--k", k)
    ran = kproof(*words, "--beta", "1/2", "-o", "rows.csv")
    assert ran.status == 0
    assert "of those drawn 0 % can be expected to be shown: that is for you alone" in ran.out
    assert len(Path("rows.csv").read_text().splitlines()) == 1
    kproof("check", "rows.csv", "--certificate", "rows.csv.certificate.json")


@cases(
        (("streets", *ROADS), "--epsilon is not given: need what the whole log of a person"),
        (("streets", *ROADS, "--epsilon", "-1"), "--epsilon = -1"),
        (("streets", "--roads", "nodes.csv", "--epsilon", "1"), "nodes.csv"),
        (("sequences", *HOUR, "--k", "5", "--beta", "1/2"), "--cells is not given"),
        (("sequences", "--grid", "250", "--start", "eight", "--k", "5", "--beta", "1/2"),
         "--start = eight: need a time such as 2008-06-08T08:00:00Z"),
        (("sequences", "--grid", "250", "--start", "2008-06-08T08:01", "--k", "5", "--beta", "1/2"),
         "--start = 2008-06-08T08:01: need the beginning of a slot of 900 seconds"),
        (("sequences", "--grid", "250", *HOUR, "--k", "5", "--beta", "1"), "--beta = 1"),
)  # fmt: skip
def test_what_is_refused_writes_nothing(words, says):
    before = sorted(Path().iterdir())
    assert says in refused("anonymize", words[0], "log.csv", *words[1:], "-o", "out.csv")
    assert sorted(Path().iterdir()) == before
