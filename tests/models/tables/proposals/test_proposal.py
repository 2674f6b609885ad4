"""Proposals of roles: safe by themselves, exact in what they count."""

import json

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from public_data import data_file

import kproof
from kproof.datasets import MADE_UP
from kproof.models.tables.proposals.proposal import RolesProposal, propose_roles
from kproof.models.tables.proposals.roles_file import Role


def roles(proposal: RolesProposal) -> dict[str, str]:
    return {one.name: one.role.value for one in proposal.columns}


@pytest.fixture(scope="module")
def hospital(tmp_path_factory: pytest.TempPathFactory) -> RolesProposal:
    path = tmp_path_factory.mktemp("data") / "hospital.csv"
    path.write_text(MADE_UP["hospital"].text(600, seed=1), encoding="utf-8")
    return propose_roles(path)


def test_nothing_that_names_a_person_is_left_in_the_table(hospital):
    assert roles(hospital) == {
        **dict.fromkeys(("stay", "name", "phone", "email"), "identifier"),
        "patient_number": "person",
        **dict.fromkeys(("born", "sex", "postcode", "admitted", "discharged"), "quasi-identifier"),
        **dict.fromkeys(("ward", "weight_kg"), "quasi-identifier"),
        "diagnosis": "sensitive",
        "note": "drop",
    }
    by_name = {one.name: one for one in hospital.columns}
    assert "rows repeat a value" in by_name["patient_number"].reason
    assert by_name["born"].to_column_role().format == "%d.%m.%Y"
    assert by_name["postcode"].ladder == "prefix"
    assert hospital.questions == ()


def test_a_proposal_shows_itself(hospital):
    document = json.loads(json.dumps(hospital.to_dict()))
    assert document["schema"] == 2
    assert [one["column"] for one in document["columns"]] == list(roles(hospital))
    lines = str(hospital).splitlines()
    assert " ".join(lines[2].split()) == "column type role values missing alone with 1 with 2"
    assert max(map(len, lines[2:17])) <= 110
    assert "# Roles of the columns of" in hospital.to_toml()


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames(kind):
    assert callable(kind)
    frame = kind({"id": list(range(40)), "when": ["2020-01-0" + str(i % 9 + 1) for i in range(40)]})
    proposal = propose_roles(frame)
    assert roles(proposal) == {"id": "identifier", "when": "quasi-identifier"}
    assert proposal.columns[1].type.value == "date"


def test_what_looks_missing_is_taken_for_it_and_told(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("age,ill\n1,flu\nNA,flu\n3,HIV\n")
    proposal = propose_roles(path)
    assert proposal.missing == ("NA",)
    assert [one.missing for one in proposal.columns] == [1, 0]
    assert proposal.options()["missing"] == ("", "?", "NA")
    assert propose_roles(path, missing=["-"]).columns[0].missing == 0


@pytest.fixture(scope="module")
def adult() -> RolesProposal:
    return propose_roles(data_file("adult.data"))


def test_adult(adult):
    found = {one.name: one for one in adult.columns}
    assert found["fnlwgt"].alone == 15330
    assert found["fnlwgt"].with_one.to_dict() == {
        "rows": 27844,
        "columns": ["fnlwgt", "occupation"],
    }
    assert found["sex"].with_two is not None
    by_role = {role: [name for name, one in found.items() if one.role is role] for role in Role}
    assert by_role[Role.DROP] == ["fnlwgt"]
    assert by_role[Role.SENSITIVE] == ["capital-gain", "capital-loss", "income"]
    assert len(by_role[Role.QUASI_IDENTIFIER]) == 11
    assert found["occupation"].ladder == "flat"


def test_adult_can_be_released_in_the_roles_that_are_proposed(adult):
    release = kproof.anonymize("mondrian", data_file("adult.data"), **adult.options(), k=50)
    frame, of_row = release.to_frame(), release.classes().of_row
    for name in ("income", "capital-gain", "capital-loss"):
        base = frame[name].value_counts(normalize=True)
        shares = frame[name].groupby(of_row).value_counts(normalize=True)
        above = shares - base.reindex(shares.index.get_level_values(1)).to_numpy()
        assert above.max() < 0.5
    assert frame["income"].groupby(of_row).nunique().min() > 1
