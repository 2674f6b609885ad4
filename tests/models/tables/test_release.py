"""Releases: what is published, what is not, and the account of it."""

import csv
import json
import os
import subprocess
import sys
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cases import cases, error_line
from hypothesis import given
from hypothesis import strategies as st
from tables import sealed

from kproof.errors import DataError, InvalidArgument
from kproof.models.base.missing import MISSING
from kproof.models.papers.theta_tables import countries, microdata
from kproof.models.tables.recoding import covers
from kproof.models.tables.release import Release
from kproof.models.tables.sealing import seal
from kproof.models.tables.table import Table
from kproof.models.tables.writers import write_csv

FRAME = pd.DataFrame(
    {
        "name": list("ABCDEF"),
        "age": [30, 31, 30, 50, 51, 52],
        "sex": ["f", "m", "f", "m", "m", None],
        "disease": ["HIV", "Flu", "Flu", "HIV", None, "Flu"],
        "visits": [1, 2, 3, 4, 5, 6],
    },
    index=[9, 9, 8, 7, 6, 5],
)


def table(**more: Any) -> Table:
    roles = {"quasi_identifiers": ["age", "sex"], "sensitive": "disease"}
    named = {*roles["quasi_identifiers"], "disease", *more.get("other", ())}
    roles["identifiers"] = [name for name in FRAME.columns if name not in named]
    return Table.from_frame(FRAME, **(roles | more))


def release(class_of: list[int] | None = None, **more: Any) -> Release:
    classes = np.array([0, 0, 0, 1, 1, 1] if class_of is None else class_of)
    about = {"method": "m", "parameters": {"k": 3}}
    return seal(more.pop("table", None) or table(), classes, **(about | more))


def rows_of(found: Release, **options: Any) -> list[tuple[object, ...]]:
    frame = found.to_frame(**options)
    assert isinstance(frame, pd.DataFrame)
    return list(frame.astype(object).where(frame.notna(), None).itertuples(index=False, name=None))


def test_only_labels_and_sensitive_values_are_published():
    found = release()
    frame = found.to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns) == ["age", "sex", "disease"]
    assert list(frame.index) == list(range(6))
    assert rows_of(found) == [
        ("[30-31]", "{f, m}", "Flu"),
        ("[30-31]", "{f, m}", "Flu"),
        ("[30-31]", "{f, m}", "HIV"),
        ("[50-52]", "{m, ?}", "Flu"),
        ("[50-52]", "{m, ?}", "HIV"),
        ("[50-52]", "{m, ?}", None),
    ]


def test_other_columns_stay_with_their_rows():
    found = release(table=table(other=["visits"]), class_of=[1, 0, 1, 0, -1, 0])
    expected = {("Flu", 2), ("HIV", 4), ("Flu", 6), ("HIV", 1), ("Flu", 3)}
    assert {row[2:] for row in rows_of(found)} == expected


def test_a_table_without_a_sensitive_column():
    bare = Table.from_frame(
        FRAME, quasi_identifiers=["age"], other=["visits"], identifiers=["name"]
    )
    found = sealed(bare, [1, 0, 1, 0, 0, 0])
    assert rows_of(found) == [
        ("[31-52]", 2),
        ("[31-52]", 4),
        ("[31-52]", 5),
        ("[31-52]", 6),
        ("30", 1),
        ("30", 3),
    ]
    assert found.classes().sensitive is None
    assert found.to_dict()["sensitive"] is None


def test_noise_rows_look_like_any_other():
    noisy = release(noise_class=np.array([1, 0]), noise_value=np.array([0, 1]))
    rows = rows_of(noisy)
    assert len(rows) == 8
    assert rows == sorted(rows, key=lambda row: (row[0], row[1], row[2] is None, row[2] or ""))
    # Somebody's row in place of the noise gives the same page.
    twin = pd.concat(
        [FRAME, pd.DataFrame({"age": [50, 30], "sex": ["m", "f"], "disease": ["Flu", "HIV"]})]
    )
    people = Table.from_frame(
        twin, quasi_identifiers=["age", "sex"], sensitive="disease", identifiers=["name", "visits"]
    )
    assert rows_of(sealed(people, [0, 0, 0, 1, 1, 1, 1, 0], parameters={"k": 3})) == rows
    classes = noisy.classes()
    assert classes.real is not None
    assert (classes.sizes.tolist(), classes.real_sizes.tolist()) == ([4, 4], [3, 3])
    assert (noisy.rows, noisy.to_dict()["rows"]["noise"]) == (8, 2)


def test_suppressed_rows_are_not_published():
    found = release([0, 0, -1, 1, 1, -1])
    assert found.suppressed.tolist() == [2, 5]
    assert (found.rows, len(rows_of(found))) == (4, 4)
    assert found.label(1) == "age=[50-51], sex=m"
    nothing = release([-1] * 6)
    assert (nothing.rows, nothing.count, rows_of(nothing)) == (0, 0, [])
    assert nothing.classes("formed").count == 0
    assert "0 of 6 rows in 0 classes, none" in nothing.summary()


def test_classes_as_published_and_groups_as_formed():
    found = release([0, 1, 2, 3, 3, 3])
    assert (found.classes("formed").count, found.classes().count) == (4, 3)
    assert found.class_of.tolist() == [0, 1, 0, 2, 2, 2]
    by_label = found.classes()
    assert by_label.of_row.tolist()[0] == by_label.of_row.tolist()[2]
    labels = {by_label.label(index) for index in range(3)}
    assert labels == {found.label(index) for index in range(3)}
    formed = found.classes("formed")
    assert formed.label(2) == f"{found.label(0)}, group 3 as formed"
    assert len({formed.label(index) for index in range(4)}) == 4
    shown = Counter(row[:2] for row in rows_of(found))
    assert sorted(by_label.sizes.tolist()) == sorted(shown.values())
    assert not by_label.ordered
    with pytest.raises(InvalidArgument, match="classes = cover: need published or formed"):
        found.classes("cover")


def test_covering_finds_every_class_a_person_may_be_in():
    found = release([0, 1, 0, 1, 0, 1])
    assert [found.label(i) for i in range(2)] == [
        "age=[30-51], sex={f, m}",
        "age=[31-52], sex={m, ?}",
    ]
    assert found.covering({"age": 40, "sex": "m"}).tolist() == [0, 1]
    assert found.covering({"age": 30}).tolist() == [0]
    assert found.covering({"sex": MISSING}).tolist() == [1]
    assert found.covering({"age": 99}).tolist() == []
    assert found.covering({}).tolist() == [0, 1]
    with pytest.raises(InvalidArgument, match="values = name: need one of age, sex"):
        found.covering({"name": "A"})


def test_swaps_are_accounted_for():
    found = release(
        [0, 1, 0, 0, 1, 1], swaps=np.array([[1, 3]]), formed_as=np.array([0, 0, 0, 1, 1, 1])
    )
    assert found.swapped == 2
    assert found.to_dict()["rows"]["swaps"] == 1
    assert "swaps: 1, which moved 2 rows" in found.summary()
    assert release().swapped == 0


def test_arrays_are_sealed_copies():
    classes = np.array([0, 0, 0, 1, 1, 1])
    found = sealed(table(), classes)
    classes[0] = 1
    assert found.class_of[0] == 0
    with pytest.raises(ValueError, match="read-only"):
        found.class_of[0] = 1


@cases(
    ({"class_of": [0, 0]}, "class_of = (2,): need shape (6,)"),
    ({"class_of": [0, 0, 2, 2, 2, 2]}, "class_of = 'no row in class 1': need a row in every"),
    ({"class_of": [0, 0, 0, 0, 0, -2]}, "class_of = -2: need class indexes from -1"),
    ({"noise_class": np.array([0])}, "noise_value = (0,): need shape (1,)"),
    (
        {"noise_class": np.array([2]), "noise_value": np.array([0])},
        "noise_class = '2 to 2': need 0 to 1",
    ),
    (
        {"noise_class": np.array([0]), "noise_value": np.array([3])},
        "noise_value = '3 to 3': need 0 to 2",
    ),
    ({"swaps": np.array([1, 2])}, "swaps = (2,): need shape (swaps, 2)"),
    ({"swaps": np.array([[1, 6]])}, "swaps = '1 to 6': need 0 to 5"),
    ({"formed_as": np.array([0])}, "formed_as = (1,): need shape (6,)"),
)
def test_arrays_that_do_not_fit_are_refused(more, says):
    assert error_line(InvalidArgument, release, **more).startswith(says)


def test_noise_and_columns_published_as_they_are_exclude_one_another():
    with pytest.raises(DataError, match="noise rows have no values for visits; do not publish"):
        release(table=table(other=["visits"]), noise_class=np.array([0]), noise_value=np.array([0]))


def test_a_class_column_can_be_published():
    assert [row[0] for row in rows_of(release(), class_column="class")] == [1, 1, 1, 2, 2, 2]
    for taken in ("age", "disease"):
        with pytest.raises(InvalidArgument, match="need a name no column has"):
            release().to_frame(class_column=taken)


def test_forms_for_people_and_machines():
    found = release(
        table=table(missing_as="value"), parameters={"k": 3, "mu": "<3/5>"}, method="a<b"
    )
    document = json.loads(json.dumps(found.to_dict()))
    assert document["classes"] == {"count": 2, "smallest": 3, "largest": 3, "groups_formed": 2}
    assert document["parameters"] == {"k": 3, "mu": "<3/5>"}
    assert document["quasi_identifiers"] == ["age", "sex"]
    assert "a&lt;b(k=3, mu=&lt;3/5&gt;)" in found._repr_html_()
    assert found.summary().splitlines()[1] == "published: 6 of 6 rows in 2 classes, 3 to 3 rows"


def test_csv_is_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "out.csv"
    path.write_text("before")
    assert release().to_csv(path) == 0
    rows = list(csv.reader(path.read_text().splitlines()))
    assert rows[0] == ["age", "sex", "disease"]
    assert [tuple(row) for row in rows[1:]] == [
        tuple("?" if cell is None else cell for cell in row) for row in rows_of(release())
    ]

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    text = path.read_text()
    with pytest.raises(DataError, match=r"out\.csv: cannot be written: No space left on device"):
        release([0] * 6).to_csv(path)
    assert path.read_text() == text
    assert os.listdir(tmp_path) == ["out.csv"]


def test_places_that_cannot_be_written_to(tmp_path):
    with pytest.raises(DataError, match=r"x\.csv: cannot be written: there is no folder"):
        release().to_csv(tmp_path / "none" / "x.csv")
    with pytest.raises(DataError, match="cannot be written: is a folder"):
        release().to_csv(tmp_path)


def test_formulas_are_not_run(tmp_path):
    frame = pd.DataFrame(
        {
            "age": [-3, -2, -3, -3],
            "+name": ["=1+1", "@x", "=1+1", "-b"],
            "disease": ["-", "Flu", "+", "-"],
        }
    )
    people = Table.from_frame(
        frame, quasi_identifiers=["age", "+name"], sensitive="disease", missing_as="value"
    )
    found = sealed(people, [0, 1, 0, 1])
    path = tmp_path / "out.csv"
    # The label =1+1 twice but not {-b, @x}, the value + once and - twice, and one name.
    assert found.to_csv(path) == 6
    rows = list(csv.reader(path.read_text().splitlines()))
    assert rows == [
        ["age", "'+name", "disease"],
        ["-3", "'=1+1", "'+"],
        ["-3", "'=1+1", "'-"],
        ["[-3--2]", "{-b, @x}", "'-"],
        ["[-3--2]", "{-b, @x}", "Flu"],
    ]


def test_permissions_are_those_of_a_new_file(tmp_path):
    write_csv(tmp_path / "a.csv", release().published())
    (tmp_path / "b.csv").write_text("x")
    assert (tmp_path / "a.csv").stat().st_mode == (tmp_path / "b.csv").stat().st_mode


SCRIPT = """
import sys
import numpy as np
from kproof.models.tables.readers import read_table
from kproof.models.tables.sealing import seal
roles = dict(quasi_identifiers=["Country", "Age"], sensitive="Disease")
table = read_table("table-1a", identifiers=["ID", "Name", "Zip Code"], **roles)
seal(table, np.arange(12) // 4, method="m", parameters={}).to_csv(sys.argv[1])
"""


def test_bytes_do_not_depend_on_the_hash_seed(tmp_path):
    written = set()
    for seed in ("0", "1"):
        path = tmp_path / f"{seed}.csv"
        environment = os.environ | {"PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", SCRIPT, str(path)], env=environment, check=True)
        written.add(path.read_bytes())
    assert len(written) == 1


@given(drawn=st.lists(st.integers(-1, 3), min_size=12, max_size=12))
def test_every_published_row_is_truthful(drawn):
    used = sorted({index for index in drawn if index >= 0})
    class_of = np.array([used.index(index) if index >= 0 else -1 for index in drawn])
    patients = microdata()
    found = sealed(patients, class_of)
    tree = countries()
    for row, index in enumerate(class_of.tolist()):
        if index < 0:
            continue
        for one in found.recoded:
            value = one.column.values[one.column.codes[row]]
            taxonomy = tree if one.column.name == "Country" else None
            assert covers(one.label(index), value, taxonomy=taxonomy)
    kept = [
        patients.sensitive.values[code]
        for code, index in zip(patients.sensitive.codes, drawn, strict=True)
        if index >= 0
    ]
    assert Counter(row[-1] for row in rows_of(found)) == Counter(kept)
