"""``kproof anonymize``: a release on disk, whole or not at all."""

import csv
import gzip
from collections import Counter
from pathlib import Path

import pytest
from cases import cases
from public_data import data_file
from shell import kproof, printed, refused, typed
from tables import rows_of

ROLES = ("--qi", "Age,Zip Code,Country", "--sensitive", "Disease", "--identifier", "ID,Name")
PATIENTS = ("table-1a", *ROLES)


def sizes(path: Path, *names: str) -> list[int]:
    return sorted(Counter(tuple(row[name] for name in names) for row in rows_of(path)).values())


def test_a_release_is_written_and_accounted_for(tmp_path):
    path = tmp_path / "out.csv"
    out = printed(
        "anonymize", "mondrian", "--audience", "study", *PATIENTS, "--k", "4", "-o", str(path)
    )
    assert out.splitlines()[0].startswith("method: mondrian(k=4")
    assert out.splitlines()[-1] == f"written: {path}"
    rows = rows_of(path)
    assert list(rows[0]) == ["Age", "Zip Code", "Country", "Disease"]
    assert len(rows) == 12
    assert min(sizes(path, "Age", "Zip Code", "Country")) >= 4


def test_json(tmp_path):
    path = tmp_path / "out.csv"
    words = (
        *typed("anonymize mondrian --audience study"),
        *PATIENTS,
        *typed("--k 4 -o {path} --json", path=path),
    )
    document = kproof(*words).document
    assert document["schema"] == 2
    assert document["method"] == "mondrian"
    assert document["rows"]["published"] == 12
    assert document["output"] == str(path)
    assert document["classes"]["smallest"] >= 4


def test_parameters_taxonomies_categories_and_codes(tmp_path):
    path = tmp_path / "out.csv"
    regions = tmp_path / "regions.csv"
    regions.write_text(
        "USA;America;*\nCanada;America;*\nJapan;Asia;*\nChina;Asia;*\nPakistan;Asia;*\n"
    )
    printed(
        *(*typed("anonymize p-plus-sensitive --audience study"), *PATIENTS, *typed("--k 4 --p 2")),
        *("--taxonomy", f"Country={regions}", "--categories", "table-3"),
        *("--code", "Zip Code", "--class-column", "class", "-o", str(path)),
    )
    rows = rows_of(path)
    assert {row["Country"] for row in rows} <= {
        *("USA", "Canada", "Japan", "China", "Pakistan", "America", "Asia", "*")
    }
    assert all("[" not in row["Zip Code"] for row in rows)
    assert min(sizes(path, "class")) >= 4


def test_any_other_parameter_can_be_set(tmp_path):
    path = tmp_path / "out.csv"
    words = ("anonymize", "mondrian", "--audience", "study", *PATIENTS, "--k", "3", "-o", str(path))
    assert kproof(*words, "--set", "partitioning=relaxed").status == 0
    assert (
        refused(*words, "--set", "partitioning=odd")
        == "--set partitioning = odd: need strict or relaxed"
    )
    assert refused(*words, "--set", "k=4") == "--set = k: need --k or --set k, not both"
    assert refused(*words, "--set", "partitioning") == "--set = partitioning: need NAME=VALUE"
    assert refused(*words, "--set", "a=1", "--set", "a=2").endswith("need a once only")


@cases(
    (("mondrian", "none.csv", "--qi", "a", "--k", "2"), "none.csv: no such file"),
    (("mondrian", "table-1a", "--k", "2"), "--qi is not given: need --qi NAME,NAME,..."),
    (("mondrian", "table-1a", "--qi", "Height", "--k", "2"), "table-1a: no column Height;"),
    (("mondrian", "table-1a", "--qi", "Age,Age", "--k", "2"), "--qi = Age: need"),
    (
        ("mondrian", "table-1a", "--qi", "Age", "--sensitive", "Age", "--k", "2"),
        "--sensitive = Age: need a column that is not among --qi already",
    ),
    (("none", *PATIENTS, "--k", "2"), "method = none: need one of "),
    (("mondrian", *PATIENTS), "--k is not given: need the fewest people"),
    (("mondrian", *PATIENTS, "--k", "1"), "--k = 1: need "),
    (("mondrian", *PATIENTS, "--k", "13"), "--k = 13: need "),
    (("mondrian", *PATIENTS, "--k", "4", "--mu", "x"), "--mu = x: need"),
    (
        ("mondrian", *PATIENTS, "--k", "4", "--p", "2"),
        "--p: mondrian has no such option; methods that have it: p-plus-sensitive",
    ),
    (("kaca", *PATIENTS, "--k", "4", "--seed", "-1"), "--seed = -1: need a whole number"),
    (
        ("mondrian", *PATIENTS, "--k", "4", "--taxonomy", "Country=none.csv"),
        "column Country: none.csv: cannot be read: No such file or directory",
    ),
    (
        ("mondrian", *PATIENTS, "--k", "4", "--categories", "table-1a"),
        "table-1a: 6 columns; need a value and its category",
    ),
)
def test_bad_input_is_one_line_and_writes_nothing(words, says, tmp_path):
    path = tmp_path / "out.csv"
    path.write_text("before")
    assert refused("anonymize", *words, "-o", str(path)).startswith(says)
    assert path.read_text() == "before"
    assert [one.name for one in tmp_path.iterdir()] == ["out.csv"]


def test_infeasible_parameters_are_refused(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("age,s\n" + "".join(f"{age},{'ab'[age % 2]}\n" for age in range(12)))
    words = ("--qi", "age", "--sensitive", "s", "-o", str(tmp_path / "out.csv"))
    assert "2 distinct values cannot reach theta" in refused(
        *typed("anonymize theta-sensitive --audience study {path}", path=path),
        *words,
        *typed("--k 4 --mu 1"),
    )
    refused(
        "anonymize", "mondrian", "--audience", "study", str(path), *words, "--k", "4", "--l", "3"
    )
    assert not (tmp_path / "out.csv").exists()


def test_the_data_are_not_overwritten(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("age\n1\n2\n")
    words = typed("anonymize mondrian --audience study {path} --qi age --k 2 -o {path}", path=path)
    assert refused(*words).endswith("need another file than those that are read")
    assert path.read_text() == "age\n1\n2\n"


def test_two_categories_for_one_value(tmp_path):
    path = tmp_path / "ranks.csv"
    path.write_text("Disease,Category\nFlu,1\nFlu,2\n")
    words = (
        *typed("anonymize mondrian --audience study"),
        *PATIENTS,
        *typed("--k 2 -o {out}", out=tmp_path / "out.csv"),
    )
    said = refused(*words, "--categories", str(path))
    assert said == f"{path}, line 3: Flu has a category already"


def test_formulas_are_defused_and_said_so(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("age,s\n1,=1+1\n2,=1+1\n3,b\n")
    words = typed(
        "anonymize mondrian --audience study {path} --qi age --sensitive s --k 3", path=path
    )
    ran = kproof(*words, "-o", str(tmp_path / "out.csv"))
    assert ran.status == 0
    assert ran.err == ("kproof: 2 cells open like a formula and were written with an apostrophe\n")
    assert [row["s"] for row in rows_of(tmp_path / "out.csv")] == ["'=1+1", "'=1+1", "b"]


def test_adult_as_distributed(tmp_path):
    adult, trees = data_file("adult.data"), data_file("adult_hierarchies")
    path = tmp_path / "out.csv"
    names = ("age", "workclass", "education", "sex")
    printed(
        *(
            *typed("anonymize mondrian --audience study {adult} --qi", adult=adult),
            ",".join(names),
            *typed("--k 10"),
        ),
        *("--sensitive", "occupation", "--taxonomy", f"education={trees / 'education.csv'}"),
        *("--taxonomy", f"workclass={trees / 'workclass.csv'}", "-o", str(path)),
    )
    assert sum(sizes(path, *names)) == 32561
    assert min(sizes(path, *names)) >= 10
    assert (
        kproof("check", "--models-only", str(path), "--qi", ",".join(names), "--k", "10").status
        == 0
    )


def test_the_count_of_formula_cells_is_that_of_the_file(tmp_path):
    path, out = tmp_path / "data.csv", tmp_path / "out.csv"
    path.write_text(
        "town,=s,+note,age\n" + "".join(f"-{'ab'[i // 3]},@x{i % 3},=1,-{i}\n" for i in range(6))
    )
    words = typed(
        "anonymize mondrian --audience study {path} --qi town,age --sensitive =s", path=path
    )
    ran = kproof(*words, "--other", "+note", "--k", "3", "--class-column", "@class", "-o", str(out))
    assert ran.status == 0
    cells = [cell for line in csv.reader(out.read_text().splitlines()) for cell in line]
    escaped = sum(cell.startswith("'") for cell in cells)
    # Six labels of towns, six values, six notes, and three names of columns.
    assert escaped == 21
    assert ran.err.startswith(f"kproof: {escaped} cells open like a formula and were written")
    assert kproof(*words, "--k", "3", "-o", str(out), "--json").document["guarded"] == 13


def test_one_formula_cell_is_one(tmp_path):
    path, out = tmp_path / "data.csv", tmp_path / "out.csv"
    path.write_text("age,s\n1,=1\n2,a\n")
    words = typed(
        "anonymize mondrian --audience study {path} --qi age --sensitive s --k 2", path=path
    )
    ran = kproof(*words, "-o", str(out))
    assert ran.err == "kproof: 1 cell opens like a formula and was written with an apostrophe\n"


def test_what_is_left_out_of_account_is_told_once(here):
    Path("d.csv").write_text("age,ward\n3,a\n4,a\n5,b\n6,b\n")
    asked = ("d.csv", "--qi", "age", "--other", "ward", "--k", "2", "-o", "o.csv")
    assert (
        kproof("anonymize", "mondrian", "--audience", "study", *asked).out.count("not considered")
        == 1
    )


@cases(
    (("kaca", "d.csv", "--qi", "age", "--k", "2", "--l", "2"), "methods that have it: mondrian"),
    (("mondrian", "d.csv", "--qi", "age", "--k", "2"), "the table has 1 record"),
    (("mondrian", "z.csv", "--qi", "age", "--k", "2"), "need a name that ends in .gz"),
    (
        ("mondrian", "d.csv", "--qi", "age", "--k", "2", "--least-level", "age=1"),
        "--least-level = age",
    ),
    (
        ("full-domain", "d.csv", "--qi", "age", "--k", "2", "--levels", "age=-1"),
        "--levels = age=-1: need a whole number level >= 0",
    ),
)
def test_errors_speak_of_what_was_typed(words, line, here):
    Path("d.csv").write_text("age\n3\n")
    Path("z.csv").write_bytes(gzip.compress(b"age\n3\n"))
    assert line in refused("anonymize", *words, "-o", "o.csv")


def test_a_folder_is_anonymized_by_regions(tmp_path):
    """Processes take seconds to start, so that one run says all."""
    pytest.importorskip("distributed")
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    data = tmp_path / "visits"
    data.mkdir()
    for number in range(2):
        rows = {"age": list(range(20, 60)), "ill": ["a", "b"] * 20, "name": [f"{number}"] * 40}
        parquet.write_table(arrow.table(rows), data / f"{number}.parquet")
    study = ("mondrian", "--audience", "study")
    asked = (*study, str(data), "--qi", "age", "--sensitive", "ill", "--k", "4", "--l", "2")
    out = str(tmp_path / "out")
    told = kproof("anonymize", *asked, "--identifier", "name", "--jobs", "1", "-o", out)
    assert told.status == 0
    assert "published: 80 of 80 rows in 16 classes, 4 to 6 people" in told.out
    assert "judged of every class: k-anonymity(k=4); l-diversity(l=2) of ill" in told.out
    assert "not looked at: how likely somebody is" in told.out
    assert told.err == ""
    judged = ("--qi", "age", "--sensitive", "ill", "--k", "4", "--l", "2")
    assert kproof("check", "--models-only", out, *judged).status == 0
    for more, says in (
        (("-o", out, "--drop", "name"), "the folder is not empty"),
        (("-o", out, "--other", "name"), "other = name: need rows in memory, not a folder"),
        (("-o", out, "--person", "name"), "person = name: need rows in memory"),
        (("-o", out, "--identifier", "name", "--header", "no"), "nothing for Parquet files"),
        (("-o", out, "--drop", "name", "--class-column", "c"), "rows in memory, not a folder"),
        (("-o", out, "--drop", "name", "--suppressed", "mark"), "need drop for a folder"),
        (("-o", str(tmp_path / "new")), "columns without a role: name; in a folder say"),
    ):
        assert says in refused("anonymize", *asked, *more)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "visits"]
