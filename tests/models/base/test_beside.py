"""Columns nobody gave a role: those that identify stop a verdict, the others are named in it."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from cases import cases, error_line
from shell import kproof as run
from shell import refused, typed
from tables import data_frame

import kproof
from kproof.errors import DataError
from kproof.models.base.beside import PAIRS_FROM, Beside, Part, require_parts
from kproof.models.privacy import DistinctL, KAnonymity, summary
from kproof.models.tables.mondrian.method import mondrian
from kproof.models.tables.table import Table
from kproof.report.context import Microdata

ROLES = {"quasi_identifiers": ["age"], "sensitive": "ill"}
WORDS = ("--qi", "age", "--sensitive", "ill")


def people(rows: int = 12, **more: object) -> pd.DataFrame:
    return data_frame(
        age=["[20-30]" if i % 2 else "[31-40]" for i in range(rows)],
        ill=[["flu", "cold", "hiv"][i % 3] for i in range(rows)],
        **more,
    )


IDENTIFYING = {
    "names": [f"Ann {i}" for i in range(12)],
    "record numbers": list(range(1000, 1012)),
    "codes": [f"{i:03}" for i in range(12)],
    "measured": [i / 7 for i in range(12)],
    "nearly": [0, *range(11)],
    "with gaps": [f"+49 {i}" if i % 2 else None for i in range(12)],
    "two values": ["moved", "died", *[None] * 10],
    "lists": [[i] for i in range(12)],
    "times": list(pd.date_range("2020-01-01", periods=12)),
}
HARMLESS = {
    "kinds": ["a", "b", "c"] * 4,
    "fewer": [0, 0, *range(10)],
    "constant": ["x"] * 12,
    "empty": [None] * 12,
    "once": ["remark", *[None] * 11],
    "pairs": [i // 2 for i in range(12)],
}


def nearly(values: list[object]) -> bool:
    """The rule by its words: nine in ten values that are there stand alone."""
    there = [str(value) for value in values if value is not None]
    alone = sum(there.count(value) == 1 for value in there)
    return len(there) > 1 and 10 * alone >= 9 * len(there)


@pytest.mark.parametrize("name", IDENTIFYING)
def test_a_column_that_identifies_stops_everything_that_would_be_positive(name):
    # "nearly": a value stands twice among twelve, so that 10 of 12 rows are alone.
    values = [0, *range(19)] if name == "nearly" else IDENTIFYING[name]
    assert nearly(values)
    frame = people(len(values), extra=values)
    says = r"column extra singles out \d+ of \d+ rows and has no role; say what it is"
    with pytest.raises(DataError, match=says):
        kproof.check(frame, KAnonymity(2), **ROLES)
    with pytest.raises(DataError, match=says):
        kproof.anonymize("mondrian", frame, **ROLES, k=2)
    with pytest.raises(DataError, match=says):
        kproof.attack("homogeneity", frame, **ROLES)
    table = Table.from_frame(frame, **ROLES)
    for call in (
        lambda: kproof.check(table, DistinctL(2)),
        lambda: kproof.anonymize("kaca", table, k=2),
        lambda: kproof.attack("linkage", table),
        lambda: mondrian(table, k=2),
        lambda: Microdata.of("people", table, k=2),
    ):
        with pytest.raises(DataError, match=says):
            call()


@pytest.mark.parametrize("name", HARMLESS)
def test_other_columns_are_named_and_do_not_stop(name):
    assert not nearly(HARMLESS[name])
    [verdict] = kproof.check(people(extra=HARMLESS[name]), KAnonymity(2), **ROLES)
    assert verdict
    alone = [one for one in HARMLESS[name] if one is not None and HARMLESS[name].count(one) == 1]
    there = sum(one is not None for one in HARMLESS[name])
    singles = f", singles out {len(alone)} of {there} rows" if alone else ""
    assert str(verdict).endswith(f"; not considered: extra (no role{singles})")
    assert verdict.to_dict()["left_out"] == [{"column": "extra", "part": "no role"}]


@cases(
    ("name", ["Eva Horn", "Jan Abt", "Ida Kunz"], "stands for a person (its heading says a na"),
    ("contact", ["a@b.de", "c@d.org", "e@f.net"], "stands for a person (all look like an e-ma"),
    ("remark", [f"came back {day} days later" for day in range(24)], "is free text that may "),
)
def test_names_that_several_rows_share_stop_a_verdict_too(heading, values, says):
    """No row is singled out, and everybody can read who the three people of a name are."""
    frame = people(3 * len(values), **{heading: values * 3})
    for call in (
        lambda: kproof.check(frame, KAnonymity(2), **ROLES),
        lambda: kproof.attack("homogeneity", frame, **ROLES),
    ):
        assert f"column {heading} {says}" in error_line(DataError, call)
    assert kproof.check(frame, KAnonymity(2), **ROLES, other=[heading])[0]


def test_each_role_is_an_answer():
    frame = people(extra=IDENTIFYING["names"])
    for role, told in (
        ({**ROLES, "identifiers": ["extra"]}, "extra (taken as not published)"),
        ({**ROLES, "other": ["extra"]}, "extra (published as it is, singles out 12 of 12 rows)"),
        ({**ROLES, "drop": ["extra"]}, "extra (taken as dropped)"),
        ({"quasi_identifiers": ["age", "extra"], "sensitive": "ill"}, None),
        ({"quasi_identifiers": ["age"], "sensitive": "extra", "other": ["ill"]}, "ill (published"),
    ):
        [verdict] = kproof.check(frame, KAnonymity(1), **role)
        assert told is None or told in str(verdict)
    [verdict] = kproof.check(
        frame, KAnonymity(2), quasi_identifiers=["age", "extra"], other=["ill"]
    )
    assert not verdict
    [verdict] = kproof.check(frame.drop(columns="extra"), KAnonymity(2), **ROLES)
    assert str(verdict).endswith("class age=[20-30])")


def test_what_is_published_as_it_is_is_named_by_release_and_verdict():
    frame = people(extra=IDENTIFYING["names"])
    release = kproof.anonymize("mondrian", frame, **ROLES, other=["extra"], k=2)
    loud = "not considered: extra (published as it is, singles out 12 of 12 rows)"
    assert loud in release.summary()
    [verdict] = kproof.check(release, KAnonymity(2))
    assert str(verdict).startswith("k-anonymity(k=2): open (")
    # That it gives everybody away is told once.
    assert str(verdict).endswith(f"; {loud}")
    assert verdict.holds
    assert verdict.to_dict()["gives_away"] == ["extra"]
    disclosure = kproof.attack("homogeneity", release)
    assert disclosure.to_dict()["left_out"] == [{"column": "extra", "part": "published as it is"}]


def test_a_person_with_two_rows_is_found_by_name():
    rows = PAIRS_FROM
    frame = people(rows, extra=[f"Ann {i // 2}" for i in range(rows)])
    with pytest.raises(DataError, match=rf"extra leaves two rows at most for {rows} of {rows}"):
        kproof.check(frame, KAnonymity(2), **ROLES)
    assert not Beside.of_codes("three", np.repeat(np.arange(rows), 3)).identifies
    assert not Beside.of_codes("pairs", np.repeat(np.arange(rows // 2 - 1), 2)).identifies


def test_the_threshold_is_exact():
    def column(alone: int, together: int) -> Beside:
        return Beside.of_codes("x", np.concatenate([np.arange(alone), np.full(together, alone)]))

    assert column(27, 3).identifies
    assert not column(26, 3).identifies
    assert column(2_700_000_000 // 10**6, 300).identifies
    assert not column(2_699, 300).identifies
    assert not Beside("x", Part.OTHER, 12, 12, 12).identifies


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
def test_every_kind_of_frame(kind):
    data = {"age": ["a"] * 4, "ill": ["flu", "hiv"] * 2, "name": ["A", "B", "C", "D"]}
    with pytest.raises(DataError, match="column name singles out 4 of 4 rows"):
        kproof.check(kind(data), KAnonymity(2), **ROLES)


def test_files_and_several_columns_at_once(tmp_path):
    csv, parquet = tmp_path / "data.csv", tmp_path / "data.parquet"
    frame = people(ID=range(12), name=IDENTIFYING["names"], kind=HARMLESS["kinds"])
    frame.to_csv(csv, index=False)
    frame.to_parquet(parquet, index=False)
    out = tmp_path / "out.csv"
    both = (
        "columns without a role: ID singles out 12 of 12 rows, name singles out 12 of 12 rows; "
        "say what they are: --identifier (never published), --drop, --qi, --sensitive or --other "
        "(published as it is)"
    )
    for data in (str(csv), str(parquet)):
        assert refused("check", "--models-only", data, *WORDS, "--k", "2") == both
        assert refused("check", "--models-only", data, *WORDS) == both
        assert refused("attack", "homogeneity", data, *WORDS) == both
        assert refused("attack", "homogeneity", "mondrian", data, *WORDS, "--k", "2") == both
        line = "anonymize mondrian --audience study {data} --qi age --sensitive ill --k 2 -o {out}"
        asked = typed(line, data=data, out=out)
        assert refused(*asked) == both
        assert not out.exists()
        # Its ages are labels: it is a release, of which every column is judged.
        assert run("report", str(csv), *WORDS, "--output", str(tmp_path / "page")).status == 1
        named = ("--identifier", "ID", "--identifier", "name")
        ran = run("check", "--models-only", data, *WORDS, *named, "--k", "2")
        assert ran.status == 0
        assert "not considered: kind (no role), ID (taken as not published), name" in ran.out
        document = run(
            "check", "--models-only", data, *WORDS, *named, "--k", "2", "--json"
        ).document
        assert document["left_out"] == document["verdicts"][0]["left_out"]
        assert [one["column"] for one in document["left_out"]] == ["kind", "ID", "name"]
        assert run(*asked, *named).status == 0
        out.unlink()
        assert run(*asked, "--identifier", "ID", "--other", "name").status == 0
        out.unlink()


def test_columns_that_share_a_name_are_all_looked_at(tmp_path):
    path = tmp_path / "data.csv"
    rows = "".join(f"a,flu,x,{i}\n" for i in range(6))
    path.write_text(f"age,ill,extra,extra\n{rows}")
    assert refused("check", "--models-only", str(path), *WORDS, "--k", "2").startswith(
        "column extra singles out 6"
    )


def test_the_summary_names_what_was_left_out():
    attained = summary(
        kproof.models.tables.published.classes_of_frame(people(extra=HARMLESS["kinds"]), **ROLES)
    )
    assert attained.scope.notes == ("not considered: extra (no role)",)
    assert attained.to_dict()["left_out"] == [{"column": "extra", "part": "no role"}]


def test_nothing_to_name_is_nothing_to_refuse():
    require_parts(())
    [verdict] = kproof.check(people(), KAnonymity(2), **ROLES)
    assert verdict.to_dict()["left_out"] == []


def wards(rows: int = 36) -> pd.DataFrame:
    """Ward and bed tell nobody alone, and everybody together."""
    return people(rows, ward=[i // 6 for i in range(rows)], bed=[i % 6 for i in range(rows)])


def test_columns_that_identify_together_stop_a_check_of_what_is_published(tmp_path):
    says = "column bed together with ward singles out 36 of 36 rows and has no role"
    with pytest.raises(DataError, match=says):
        kproof.check(wards(), KAnonymity(2), **ROLES, other=["ward"])
    path = tmp_path / "data.csv"
    wards().to_csv(path, index=False)
    assert "column ward together with bed singles out 36 of 36 rows" in refused(
        "check", "--models-only", str(path), *WORDS, "--k", "2"
    )
    # What has no role is not published by a method: nothing stands beside its release.
    release = kproof.anonymize("mondrian", wards(), **ROLES, k=2)
    assert "not published: ward, bed" in release.summary()
    assert release.to_dict()["not_published"] == ["ward", "bed"]
    [verdict] = kproof.check(wards(), KAnonymity(2), **ROLES, drop=["ward"])
    assert verdict.word == "holds"
    # A few columns tell a few rows apart whatever they are.
    [verdict] = kproof.check(wards(24), KAnonymity(2), **ROLES)
    assert verdict.word == "holds"


def test_a_check_beside_unique_numbers_is_open(tmp_path):
    path = tmp_path / "data.csv"
    people(ID=range(12)).to_csv(path, index=False)
    ran = run("check", "--models-only", str(path), *WORDS, "--other", "ID", "--k", "2")
    assert ran.status == 4
    assert "OPEN" in ran.out
    assert "holds" not in ran.out
    assert "ID (published as it is, singles out 12 of 12 rows)" in ran.out
    assert run("check", "--models-only", str(path), *WORDS, "--other", "ID", "--k", "9").status == 1
