"""``kproof anonymize sampled`` and ``kproof check --certificate`` as they are typed."""

import csv
import json
import random
import re
import shlex
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest
from cases import cases
from public_data import data_file
from shell import kproof, printed, refused

from kproof.datasets import read_text_table
from kproof.models.tables.sampled import sampled
from kproof.models.tables.sampled.rechecking import CertificateCheck
from kproof.theory.profiles.sampled import sampled_exact, shown_share
from kproof.theory.theorems.releases.refused import REFUSED_RULES

pytestmark = pytest.mark.usefixtures("here")


OUT, CERTIFICATE = Path("out.csv"), Path("out.csv.certificate.json")
WRITES = ("--k", "3", "--beta", "1/2", "-o", "out.csv")
LEVELS = ("--levels", "Age=range:10", "--person", "ID")
ASKED = ("anonymize", "sampled", "table-1a", *LEVELS, *WRITES)


def test_one_publishes_and_another_checks_without_the_data():
    document = kproof(*ASKED, "--json").document
    assert document["original"] == 12
    assert document["written"] == ["out.csv", "out.csv.certificate.json"]
    assert document["certificate"]["fit"] is True
    assert len(OUT.read_text().splitlines()) == document["rows"] + 1
    for place in Path().iterdir():
        assert place in (OUT, CERTIFICATE)
    check = ("check", "out.csv", "--certificate", str(CERTIFICATE))
    judged = kproof(*check, "--json").document
    assert judged["holds"] is True
    assert judged["bounds"] == document["certificate"]["bounds"]
    assert "holds against everyone" in printed(*check)
    stated = {(bound["neighbours"], bound["epsilon"]): bound["delta"] for bound in judged["bounds"]}
    assert stated["add", "1"] == str(sampled_exact(3, "1/2", epsilon=1).upper)


def test_a_file_that_was_changed_is_refused():
    kproof(*ASKED)
    OUT.write_text(OUT.read_text() + "[90-100)\n")
    out = printed("check", "out.csv", "--certificate", str(CERTIFICATE), columns=200, status=1)
    assert "the file is another one than the certificate is of\n" in out
    assert "delta" not in out
    assert out.endswith("the certificate is refused: nothing follows from it\n")


def test_a_seed_leaves_what_is_unfit():
    ran = kproof(*ASKED, "--test-seed", "1")
    assert ran.status == 1
    assert "unfit to publish: the coins came from a seed\n" in ran.out
    assert OUT.read_text().startswith("Age,unfit to publish\n")
    assert json.loads(CERTIFICATE.read_text())["fit"] is False
    judged = kproof("check", "out.csv", "--certificate", str(CERTIFICATE))
    assert judged.status == 1
    assert "the certificate is refused" in judged.out


def write(name: str, text: str) -> str:
    """Write a file and return its name."""
    Path(name).write_text(text)
    return name


@cases(
    (("--beta", "1"), "--beta = 1: need less than 1: where all rows are kept, delta = 1"),
    (("--beta", "0"), "--beta = 0: need more than 0"),
    (("--beta", "two"), "--beta = two: need a"),
    (("--k", "13"), "--k = 13: need at most the 12 rows of table-1a"),
    (("--k", "0"), "--k = 0: need "),
    (("--k", "10000"), "--k = 10000: need "),
    (("--levels", "Age=quantiles:4"), "chosen on the same rows they tell of rows that are not"),
    (("--levels", "Age=auto"), "chosen on the same rows they tell of rows that are not"),
    (("--levels", "Age"), "need COLUMN=RULE"),
    (("--levels", "Age=range:0"), "need a width above 0"),
    (("--levels", "Age=range:10,Age=value"), "need each published column once"),
    (("--levels", "Ages=value"), "Ages"),
    (("--levels", "Age=none.csv@1"), "none.csv: cannot be read"),
    (("--levels", "ID=value"), "--person = ID: need a column that is not published"),
    (("--person", "Country"), "somebody has"),
    (("--person", "People"), "People"),
    (("--one-row-each",), "--first-row-of COLUMN or --one-row-each, one of them"),
    (("--first-row-of", "ID"), "--first-row-of COLUMN or --one-row-each, one of them"),
    (("--map", "map.geojson"), "need lat=range:WIDTH,lon=range:WIDTH in degrees"),
    (("--choose", "1"), "--choose = 1: need several levels to choose from"),
    (("--epsilon", "-1"), "--epsilon = -1: need 0 <= epsilon <= 700"),
    (("--epsilon", "1,1"), "need 1 to 32 values, each once"),
    (("--epsilon", "0:1:33"), "need 1 to 32 values, each once"),
    (("--test-seed", "x"), "--test-seed = x: need"),
    (("-o", "-"), "--output = -: need a file: its certificate is written beside it"),
    (("-o", "none/out.csv"), "none/out.csv: cannot be written"),
    (("--also", "totals"), "--also = totals: need one of class-threshold"),
    *((("--also", name), f"with {rule.what} delta is ") for name, rule in REFUSED_RULES.items()),
)
def test_bad_input_is_one_line_and_writes_nothing(words, reason):
    option = words[0]
    before = list(ASKED)
    if option in before:
        place = before.index(option)
        del before[place : place + 2]
    assert reason in refused(*before, *words)
    assert [*Path().iterdir()] == []


POINTS = "user,lat,lon\n" + "".join(
    f"u{who},{48.1 + who % 3 / 10:.1f},{-0.05 - who % 2 / 10:.2f}\nu{who},0,0\n"
    for who in range(60)
)
MAPPED = ("anonymize", "sampled", "points.csv", "--levels", "lat=range:0.1,lon=range:0.1")


def test_the_first_row_of_a_person_is_a_row_and_cells_are_a_map():
    Path("points.csv").write_text(POINTS, encoding="utf-8")
    assert "--first-row-of in place of" in refused(*MAPPED, *WRITES, "--person", "user")
    words = (*MAPPED, *WRITES, "--first-row-of", "user", "--map", "map.geojson")
    document = kproof(*words, "--json").document
    assert document["written"] == ["out.csv", str(CERTIFICATE), "map.geojson"]
    assert kproof("check", "out.csv", "--certificate", str(CERTIFICATE)).status == 0
    with OUT.open(encoding="utf-8", newline="") as file:
        rows = [tuple(row) for row in csv.reader(file)][1:]
    # No second row of anybody was looked at, and no person counts twice.
    assert 0 < len(rows) <= 60
    assert not any(row[0].startswith("[0-") for row in rows)
    ranges = re.compile(r"\[(-?[\d.]+)-(-?[\d.]+)\)")
    corners = [
        tuple(float(end) for ends in ranges.findall("".join(row)) for end in ends) for row in rows
    ]
    counts = Counter(corners)
    features = json.loads(Path("map.geojson").read_text(encoding="utf-8"))["features"]
    assert sorted(one["properties"]["count"] for one in features) == sorted(counts.values())
    for feature in features:
        (ring,) = feature["geometry"]["coordinates"]
        (west, south), (east, north) = ring[0], ring[2]
        assert counts[south, north, west, east] == feature["properties"]["count"]
        assert ring[0] == ring[-1]
        assert east - west == pytest.approx(0.1)


def test_a_release_of_people_hangs_on_the_first_row_of_each_alone():
    Path("points.csv").write_text(POINTS, encoding="utf-8")
    head, *lines = POINTS.splitlines(keepends=True)
    Path("first.csv").write_text("".join([head, *lines[::2]]), encoding="utf-8")
    asked = {"levels": ["lat=range:0.1,lon=range:0.1"], "k": 3, "beta": "1/2", "test_seed": 5}
    several = sampled(
        read_text_table(Path("points.csv")), person=None, first_row_of="user", **asked
    )
    assert several == sampled(read_text_table(Path("first.csv")), person="user", **asked)


def test_two_levels_of_one_sample_are_refused_and_two_samples_are_not():
    more = (*ASKED, "--levels", "Age=range:20")
    message = refused(*more)
    assert "with two levels, or two partitions, of one sample delta is 0.5 at every" in message
    assert not OUT.exists()
    assert refused(*more, "--choose", "0").startswith("--choose = 0: need ")
    document = kproof(*more, "--choose", "1", "--epsilon", "1", "--json").document
    certificate = document["certificate"]
    assert certificate["choice"] == {"epsilon": "1", "beta": "0.5", "levels": 2}
    # One more than the logarithm of 1 + (e - 1)/2.
    assert certificate["bounds"][0]["epsilon"].startswith("1.6201145")
    assert kproof("check", "out.csv", "--certificate", str(CERTIFICATE)).status == 0


def test_a_write_that_fails_leaves_what_was_there(monkeypatch):
    OUT.write_text("before")
    CERTIFICATE.mkdir()
    assert "certificate.json" in refused(*ASKED)
    assert OUT.read_text() == "before"


@pytest.mark.parametrize(
    "words", [("--k", "3"), ("--models-only",), ("--qi", "Age"), ("--audience", "study")]
)
def test_nothing_else_is_judged_beside_a_certificate(words):
    kproof(*ASKED)
    message = refused("check", "out.csv", "--certificate", str(CERTIFICATE), *words)
    assert message.endswith("need nothing but --cells and --json beside it")


def test_standard_input_is_no_file():
    message = refused("check", "-", "--certificate", "c.json")
    assert message.endswith("need a file: its digest is that of its bytes")


@pytest.mark.parametrize("content", ["", "{}", "[1", "\0"])
def test_no_certificate_is_one_line(content):
    kproof(*ASKED)
    CERTIFICATE.write_text(content)
    assert "no certificate" in refused("check", "out.csv", "--certificate", str(CERTIFICATE))


def test_a_hierarchy_and_values_it_does_not_have():
    rows = "".join(f"{place},{'abx'[place % 3]}\n" for place in range(90))
    write("jobs.csv", "a;indoors;*\nb;outdoors;*\n")
    write("people.csv", f"id,job\n{rows}")
    words = ("--levels", "job=jobs.csv@1", "--person", "id", "--k", "5", "--beta", "1/2")
    kproof("anonymize", "sampled", "people.csv", *words, "-o", "out.csv")
    assert set(OUT.read_text().split()) == {"job", "indoors", "outdoors", "*"}
    [level] = json.loads(CERTIFICATE.read_text())["levels"]
    assert level == {"column": "job", "rule": "hierarchy", "labels": ["*", "indoors", "outdoors"]}
    assert kproof("check", "out.csv", "--certificate", str(CERTIFICATE)).status == 0


@pytest.mark.parametrize("name", ["jobs.csv", "people.csv"])
def test_no_input_is_written_over(name):
    write("jobs.csv", "a;indoors;*\n")
    write("people.csv", "id,job\n1,a\n2,a\n")
    words = ("--levels", "job=jobs.csv@1", "--person", "id", "--k", "1", "--beta", "1/2")
    before = Path(name).read_text()
    assert name in refused("anonymize", "sampled", "people.csv", *words, "-o", name)
    assert Path(name).read_text() == before


def test_cells_that_spreadsheets_would_run_and_cells_with_commas():
    texts = ["=1+1", 'a,"b"', "two\nlines", "'=x", "é"]
    with Path("people.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("id", "text"), *((n, texts[n % 5]) for n in range(200))])
    words = ("--levels", "text=value", "--person", "id", "--k", "2", "--beta", "1/2")
    kproof("anonymize", "sampled", "people.csv", *words, "-o", "out.csv")
    with OUT.open(newline="") as file:
        _, *rows = csv.reader(file)
    assert {row[0] for row in rows} == {"'=1+1", 'a,"b"', "two\nlines", "''=x", "é"}
    assert kproof("check", "out.csv", "--certificate", str(CERTIFICATE)).status == 0


PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "publish-with-a-certificate.md"


def _adult(path: Path) -> None:
    """Write a table with the columns of Adult that the page publishes."""
    draw = random.Random(2)
    choices = (("Male", "Female"), ("White", "Black"), ("Married", "Single"), ("<=50K", ">50K"))
    names = ("sex", "race", "marital-status", "income")
    with path.open("w", newline="") as file:
        rows = ([draw.choice(values) for values in choices] for _ in range(8000))
        csv.writer(file).writerows([names, *rows])


def test_the_page_can_be_followed_by_two_people():
    text = PAGE.read_text(encoding="utf-8")
    publish, _map = re.findall(r"^```sh\n(.*)\n```$", text, flags=re.MULTILINE)
    _adult(Path("adult.csv"))
    printed(*shlex.split(publish)[1:])
    Path("adult.csv").unlink()
    check = re.findall(r"^\$ kproof (check .*)$", text, flags=re.MULTILINE)
    assert "holds against everyone" in printed(*shlex.split(check[-1]))


def test_adult_at_the_values_of_the_statement():
    table = read_text_table(data_file("adult.data"), missing=())
    levels = ["sex=value,race=value,marital-status=value,income=value"]
    columns = (table.cells[table.position(name)] for name in ("sex", "race", "marital-status"))
    cells: dict[tuple[str, ...], int] = {}
    for row in zip(*columns, table.cells[table.position("income")], strict=True):
        cells[row] = cells.get(row, 0) + 1
    assert len(cells) == 111
    sizes: dict[int, int] = {}
    for size in cells.values():
        sizes[size] = sizes.get(size, 0) + 1
    for k, beta, percent in ((58, ".632", 60), (60, ".64", 61)):
        release = sampled(table, levels=levels, k=k, beta=beta, person=None, epsilons=[1])
        assert release.certificate.delta_at(Fraction(1)) <= Fraction(1, 10**6)
        share = Fraction(len(release.rows), len(table.lines))
        expected = Fraction(shown_share(sizes, k, beta).lower)
        # 60.64 % and 61.38 %; a draw lies within 6 standard deviations of 0.27 % of it.
        assert int(100 * expected) == percent
        assert abs(share - expected) < Fraction(17, 1000)


def test_the_method_is_held_to_its_bound_by_runs():
    ran = kproof("verify", "sampled", "--profile", "quick")
    assert ran.status == 0
    assert "epsilon 1, delta 0.03125 is not refuted, which proves nothing." in ran.out
    words = ("verify", "sampled", "--profile", "quick", "--fixed", "k=3,beta=1/3,epsilon=0.2")
    document = kproof(*words, "--json").document
    assert document["refuted"] is False
    assert document["claimed"] == str(sampled_exact(3, "1/3", epsilon="0.2").upper)


BROKEN = """
import random

def publish(rows, run):
    coins = random.Random(run)
    sample = [value for group, value in rows if coins.random() < 0.5]
    return f"{len(sample)}",

def fails(rows, run):
    raise KeyError(rows)

def prints(rows, run):
    return "rows"
"""


def test_a_sampler_of_somebody_else_is_refuted():
    write("own_sampler.py", BROKEN)
    ran = kproof("verify", "own_sampler:publish", "--sampled", "--profile", "quick")
    assert ran.status == 1
    said = " ".join(ran.out.split())
    assert "is refuted at confidence 1 - 1e-06. answers: a row that is the only one make" in said


@cases(
    (("sampled", "--fixed", "l=2"), "--fixed = l: need one of k, beta, epsilon"),
    (("sampled", "--fixed", "k"), "--fixed = k: need NAME=VALUE"),
    (("sampled", "--fixed", "beta=1"), "need 0 < beta < 1"),
    (("sampled", "--seeds", "3"), "need nothing beside it but --fixed"),
    (("own_sampler:publish", "--sampled", "--html", "a.html"), "need nothing beside it but"),
    (("own_sampler:fails", "--sampled"), "need an answer, or a ValueError; KeyError"),
    (("own_sampler:prints", "--sampled"), "need a tuple of texts, one for each file"),
    (("own_sampler:none", "--sampled"), "it has no none"),
)
def test_what_cannot_be_held_to_a_bound_is_one_line(words, reason):
    write("own_sampler.py", BROKEN)
    assert reason in refused("verify", *words)


def test_what_protects_nobody_is_neither_published_nor_accepted(tmp_path):
    place = tmp_path / "a.csv"
    asked = ("--person", "ID", "--levels", "Age=range:10", "--k", "3", "-o", str(place))
    ran = kproof("anonymize", "sampled", "table-1a", *asked, "--beta", "0.999999")
    assert ran.status == 2
    assert "with delta below 1/2 at an epsilon of at most 10" in ran.err
    assert not any(tmp_path.iterdir())
    # With the coins of a test it is written, and refused by who checks it.
    kproof("anonymize", "sampled", "table-1a", *asked, "--beta", "0.999999", "--test-seed", "1")
    checked = kproof("check", str(place), "--certificate", f"{place}.certificate.json")
    assert checked.status == 1
    assert "the certificate is refused" in checked.out
    document = json.loads((tmp_path / "a.csv.certificate.json").read_text(encoding="utf-8"))
    worthless = CertificateCheck((), 3, 1, tuple(document["bounds"]), fit=True)
    assert not worthless.holds
    assert "every number follows, and they give no protection" in worthless.sentence


def test_a_test_s_table_that_calls_itself_fit_is_refused(tmp_path):
    place = tmp_path / "a.csv"
    certificate = tmp_path / "a.csv.certificate.json"
    asked = ("--person", "ID", "--levels", "Age=range:10", "--k", "3", "--beta", "1/3")
    kproof("anonymize", "sampled", "table-1a", *asked, "--test-seed", "1", "-o", str(place))
    document = json.loads(certificate.read_text(encoding="utf-8"))
    document["levels"].append({"column": "unfit to publish", "rule": "value", "labels": None})
    certificate.write_text(json.dumps(document | {"fit": True}), encoding="utf-8")
    checked = kproof("check", str(place), "--certificate", str(certificate))
    assert checked.status == 1
    assert "the file says of itself that its coins came from a seed" in checked.out
