"""Rows of one person: k people in every class, counted from what is published."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cases import cases, error_line
from hypothesis import assume, given
from hypothesis import strategies as st
from shell import kproof
from tables import data_frame, sealed

from kproof.errors import DataError, Infeasible, InvalidArgument
from kproof.models.api import anonymize, check
from kproof.models.attacks import attack
from kproof.models.privacy import DistinctL, KAnonymity
from kproof.models.tables.mondrian.method import mondrian
from kproof.models.tables.table import Table

VISITS = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 9), st.integers(0, 9), st.sampled_from("abcd")),
    min_size=3,
    max_size=40,
).map(lambda rows: pd.DataFrame(rows, columns=["patient", "age", "zip", "disease"]))
ROLES = {"quasi_identifiers": ["age", "zip"], "sensitive": "disease", "person": "patient"}
LOOSE = ROLES | {"most_members": 99}


def people(release: Any) -> list[int]:
    """Count people from published labels and the source."""
    labels = [release.label(index) for index in release.class_of]
    patients = release.table.source["patient"]
    return [
        len({one for one, own in zip(patients, labels, strict=True) if own == label})
        for label in set(labels)
    ]


@given(
    VISITS,
    st.sampled_from(["mondrian", "kaca", "kaca-hierarchical"]),
    st.integers(2, 3),
    st.booleans(),
)
def test_classes_have_k_people(frame, method, k, constant):
    """Whether or not the quasi-identifiers of a person are the same in all rows."""
    assume(frame["patient"].nunique() >= k)
    if constant:
        first = frame.groupby("patient")[["age", "zip"]].transform("first")
        frame = frame.assign(age=first["age"], zip=first["zip"])
    release = anonymize(method, frame, **LOOSE, k=k)
    assert min(people(release)) >= k
    [verdict] = check(release, KAnonymity(k))
    assert verdict.holds
    assert verdict.value == min(people(release))
    assert "patient" not in release.to_frame().columns
    assert sorted(release.to_frame()["disease"]) == sorted(frame["disease"])
    if constant:
        classes = frame.assign(own=release.class_of).groupby("patient")["own"]
        assert classes.nunique().max() == 1


@given(VISITS, st.integers(2, 3))
def test_distinct_values_are_kept_of_readers_who_know_the_other_rows(frame, ell):
    assume(frame["patient"].nunique() >= 2)
    try:
        release = anonymize("mondrian", frame, **ROLES, k=2, l=ell)
    except Infeasible:
        assert not check(frame.assign(age=0, zip=0), DistinctL(ell), **ROLES)[0].holds
        return
    assert all(check(release, [KAnonymity(2), DistinctL(ell)]))


def test_promises_by_column():
    frame = pd.DataFrame({"age": range(12), "disease": list("aabbccaabbcc"), "pay": [1, 2] * 6})
    roles = {"quasi_identifiers": ["age"], "sensitive": ["disease", "pay"], "most_members": 9}
    release = anonymize("mondrian", frame, **roles, k=2, l="disease=3")
    assert release.to_dict()["parameters"]["l"] == {"disease": 3}
    assert "l={disease: 3}" in release.summary()
    assert check(release, DistinctL(1))[0].value == 3
    looser = anonymize("mondrian", frame, **roles, k=2, l={"pay": 2})
    assert looser.count > release.count
    assert check(looser, {"pay": DistinctL(2)})[0].holds
    with pytest.raises(InvalidArgument, match="l = age=2: need one of the sensitive columns"):
        anonymize("mondrian", frame, **roles, k=2, l={"age": 2})
    people = frame.assign(patient=[0, 0, 1, 2, 3, 4, 4, 5, 6, 7, 8, 8])
    kept = anonymize("mondrian", people, **roles, person="patient", k=2, l={"disease": 2})
    assert check(kept, {"disease": DistinctL(2)})[0].holds
    gaps = frame.assign(pay=[None, 2] * 6)
    with pytest.raises(DataError, match="column pay: 6 sensitive values are missing, so that t"):
        anonymize("mondrian", gaps, **roles, k=2, t=1)
    with pytest.raises(Infeasible, match="column pay has 1 distinct values"):
        anonymize("mondrian", gaps, **roles, k=2, l=2)
    assert anonymize("mondrian", gaps, **roles, k=2, l={"disease": 3}).count == 2


def table(patients: Sequence[object], **more: Any) -> Table:
    ages = np.arange(len(patients))
    frame = pd.DataFrame({"age": ages, "disease": ["a", "b"] * (len(patients) // 2)})
    roles = {"quasi_identifiers": ["age"], "sensitive": "disease", "person": "patient"}
    return Table.from_frame(frame.assign(patient=patients), **roles | more)


def test_a_person_of_one_row_changes_nothing():
    alone = anonymize("mondrian", table([4, 3, 2, 1]), k=2, mu="1/5")
    assert alone.group_of.tolist() == mondrian(table([4, 3, 2, 1]), k=2, mu="1/5").group_of.tolist()
    assert check(alone, KAnonymity(2))[0].scope.notes == ()


@cases(
    ("mondrian", {"k": 4}, "k = 4: need 2 <= k <= 3, the number of people"),
    ("mondrian", {"k": 2, "mu": "1/5"}, "column patient: people have several rows, for which"),
    ("theta-sensitive", {"k": 2}, "column patient: people have several rows, for which"),
)
def test_what_cannot_be_kept_is_refused(method, asked, told):
    assert error_line(
        (DataError, InvalidArgument), anonymize, method, table([1, 1, 2, 2, 3, 3]), **asked
    ).startswith(told)


def test_a_method_by_itself_does_not_pretend():
    with pytest.raises(DataError, match="rows of 1 person only where k = 2"):
        mondrian(table([1, 1, 2, 2]), k=2)


@cases(
    ([1, None, 2, None], {}, "column patient: 2 rows have no person; leave them out"),
    ([1, 1, 2, "?"], {}, "column patient: 1 row has no person"),
    (
        [1, 1, 2, 2],
        {"quasi_identifiers": ["age", "patient"]},
        "person = patient: need a column that is not among quasi_identifiers already",
    ),
)
def test_a_person_column_that_is_none(patients, roles, told):
    assert error_line((DataError, InvalidArgument), table, patients, **roles).startswith(told)


def test_the_place_of_a_row_tells_nobody_whose_it_is():
    """Rows with equal cells but for others published as they are are sorted by these."""
    frame = data_frame(age=[1, 1, 1, 1], note=[2, 1, 2, 1], patient=["a", "a", "b", "b"])
    roles = {"quasi_identifiers": ["age"], "other": ["note"], "person": "patient"}
    assert anonymize("mondrian", frame, **roles, k=2).to_frame()["note"].tolist() == [1, 1, 2, 2]


def test_further_columns_are_published_attacked_and_named():
    frame = data_frame(age=[1, 1, 2, 2], disease=["a", "b", "a", "b"], pay=[5, 5, 6, 7])
    roles = {"quasi_identifiers": ["age"], "sensitive": ["disease", "pay"]}
    release = anonymize("mondrian", frame, **roles, k=2)
    assert release.to_frame().columns.tolist() == ["age", "disease", "pay"]
    assert release.to_dict()["further_sensitive"] == ["pay"]
    assert not attack("homogeneity", release)
    disclosure = attack("homogeneity", release, target="pay")
    assert (len(disclosure), disclosure.worst and disclosure.worst.guess) == (2, 5)
    assert disclosure.scope.notes == ("for a reader who knows nothing of disease",)
    assert len(attack("homogeneity", release.to_frame(), **roles, target="pay")) == 2
    with pytest.raises(InvalidArgument, match="target = age: need one of the sensitive columns"):
        attack("homogeneity", release, target="age")
    with pytest.raises(DataError, match="theta-sensitive keeps its promise for one sensitive"):
        anonymize("theta-sensitive", frame, **roles, k=2)


def test_a_promise_needs_every_sensitive_value():
    frame = pd.DataFrame({"age": [1, 2], "disease": ["a", "b"], "pay": [5, None]})
    roles = {"quasi_identifiers": ["age"], "sensitive": ["disease", "pay"]}
    with pytest.raises(DataError, match="column pay: 1 sensitive value is missing"):
        anonymize("mondrian", frame, **roles, k=2, t=1)
    assert anonymize("mondrian", frame, **roles, k=2, t=1, missing_as="value").count == 1


def test_an_attack_counts_rows_where_people_have_several():
    """Who has three of four rows has HIV for certain; each row by itself discloses nothing."""
    frame = pd.DataFrame({"age": [1] * 4, "disease": ["HIV", "HIV", "Flu", "Cold"]})
    roles = {"quasi_identifiers": ["age"], "sensitive": "disease", "person": "patient"}
    disclosure = attack("homogeneity", frame.assign(patient=["a", "a", "a", "b"]), **roles)
    assert str(disclosure).startswith("homogeneity: 0 of 4 rows disclosed")
    assert disclosure.scope.notes[-1] == "1 person has several rows, each row judged by itself"
    alone = attack("homogeneity", frame.assign(patient=list("abcd")), **roles)
    assert str(alone).startswith("homogeneity: 0 of 4 people disclosed")


def test_people_of_a_release_are_those_who_are_published():
    release = sealed(table(["a", "a", "b", "c", "d", "d"]), [0, 0, 0, -1, -1, -1])
    assert release.people == release.to_dict()["people"] == 2
    assert "people: 2, 2 to 2 in a class" in release.summary()


def test_totals_tell_of_dropped_rows_whoever_they_are_about():
    release = sealed(table(["a", "a", "b", "c", "d", "d"]), [0, 0, 0, -1, -1, -1])
    disclosure = attack("suppression", release, totals="known")
    assert (disclosure.victims, disclosure.worst.posterior) == (3, Fraction(2, 3))


def test_a_roles_file_says_that_persons_are_not_in_a_published_file(tmp_path):
    (tmp_path / "roles.toml").write_text(
        'schema = 1\n[columns.age]\nrole = "quasi-identifier"\ntype = "category"\n'
        '[columns.patient]\nrole = "person"\ntype = "identifier"\n',
        encoding="utf-8",
    )
    (tmp_path / "released.csv").write_text("age\n30-39\n30-39\n", encoding="utf-8")
    roles = ("--roles", str(tmp_path / "roles.toml"))
    said = kproof("check", "--models-only", str(tmp_path / "released.csv"), *roles, "--k", "2")
    assert said.status == 0
    assert "patient (not in the file: rows are counted, not people)" in " ".join(said.out.split())


@pytest.mark.parametrize("cell", ["n/a", "NULL", "unknown"])
def test_a_person_that_looks_missing_is_nobody(cell):
    with pytest.raises(DataError, match=f"the cell {cell} looks like a missing person"):
        table(["a", cell, "b", "c"])
    assert table(["a", "N", "b", "c"]).person is not None
