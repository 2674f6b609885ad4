"""The roles file: written as proposed, read strictly, and what it makes of a table."""

import numpy as np
import pandas as pd
import pytest
from cases import cases, error_line
from hypothesis import given
from hypothesis import strategies as st
from shell import kproof as run
from shell import refused

import kproof
from kproof.errors import DataError, InvalidArgument
from kproof.models.privacy import KAnonymity
from kproof.models.tables.detection.types import ColumnType
from kproof.models.tables.proposals.proposal import propose_roles
from kproof.models.tables.proposals.roles_file import ColumnRole, Role, RolesFile, confirm_text

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)
COLUMNS = st.builds(
    ColumnRole,
    role=st.sampled_from(Role),
    type=st.none() | st.sampled_from(ColumnType),
    reason=st.just("") | TEXTS,
    format=st.none() | TEXTS,
    ladder=st.none() | TEXTS,
    level=st.none() | st.integers(0, 9),
    weight=st.none() | st.integers(0, 9) | st.floats(0, 9),
    missing=st.none() | st.lists(st.text(alphabet='a?"\\\n', max_size=3), min_size=1).map(tuple),
)


@given(st.dictionaries(TEXTS, COLUMNS, min_size=1, max_size=4))
def test_what_is_written_is_read_again(columns):
    file = RolesFile(columns=columns, reading={"decimal": ","}, missing=("", "NA"))
    assert RolesFile.parsed(file.text(["a\nb"], dict.fromkeys(columns, ("x\ny",)))) == file


@cases(
    ("", "roles: no column; need"),
    ("a = ", "roles: not TOML: "),
    ("rows = 3", "roles: nothing is called rows; need proposed, schema, reading or columns"),
    ("schema = 2", "roles: schema = 2; need 1"),
    ("columns = 3", "roles: columns = 3; need a table, [columns]"),
    ("[columns.age]\ntype = 'number'", "column age: has no role; need identifier, quasi-"),
    ("[columns.age]\nrole = 'qi'", "role = qi; need identifier, quasi-identifier, sensitive"),
    ("[columns.age]\nrole = 'other'\ntype = 'int'", "type = int; need number, ordered text"),
    ("[columns.age]\nrole = 'other'\nwieght = 2", "nothing is called wieght; need role, type"),
    ("[columns.age]\nrole = 'other'\nlevel = -1", "level = -1; need a whole number from 0"),
    ("[columns.age]\nrole = 'other'\nlevel = true", "level = True; need a whole number"),
    ("[columns.age]\nrole = 'other'\nweight = nan", "weight = nan; need a number from 0"),
    ("[columns.age]\nrole = 'other'\nweight = inf", "weight = inf; need a number from 0"),
    ("schema = " + "9" * 5_000, "roles: not TOML: Exceeds the limit"),
    ("[columns.age]\nrole = 'other'\nmissing = 'NA'", "missing = NA; need a list of cells"),
    ("[columns.a]\nrole = 'other'\nladder = 'x'\ntaxonomy = 'y'", "a ladder and a taxonomy"),
    ("[reading]\nencoding = 'ebcdic'", "encoding = ebcdic; need an encoding, such as"),
    ("[reading]\ndecimal = ';'", "decimal = ;; need . or ,"),
    ("[reading]\nheader = true", "header = True; need detect, yes or no"),
)
def test_what_means_nothing_is_refused(text, says):
    assert says in error_line(DataError, RolesFile.parsed, text)


def test_a_format_that_is_open_has_to_be_chosen():
    file = RolesFile.parsed(
        "[columns.born]\nrole = 'quasi-identifier'\nladder = 'date'\nformat = '?'"
    )
    assert "column born: say how its dates are written" in error_line(DataError, file.options)
    # A published file shows labels, which nobody reads as dates.
    assert file.options(published=("born",)) == {"quasi_identifiers": ("born",)}


def test_a_proposal_goes_from_file_to_verdict(tmp_path):
    path = tmp_path / "roles.toml"
    path.write_text(propose_roles("table-1a").file.but("Zip Code", ladder=None).text())
    options = RolesFile.read(path).options()
    assert options["identifiers"] == ("ID", "Name")
    assert options["numeric"] == {"Zip Code": False, "Country": False, "Disease": False}
    release = kproof.anonymize("mondrian", "table-1a", k=3, **options)
    assert all(kproof.check(release, KAnonymity(3)))
    assert "not published: ID, Name" in release.summary()


def test_cells_of_one_column_are_missing(tmp_path):
    data = tmp_path / "data.csv"
    data.write_text("age,ill\n1,x\nx,flu\n3,flu\n")
    options = RolesFile.parsed(
        "[columns.age]\nrole = 'quasi-identifier'\nmissing = ['x']\n"
        "[columns.ill]\nrole = 'sensitive'\n"
    ).options()
    table = kproof.read_table(data, **options)
    assert str(table.quasi_identifiers[0].values) == "(1, 3, ?)"
    assert table.sensitive.values == ("flu", "x")
    assert kproof.read_table(pd.read_csv(data), **options).sensitive.values == ("flu", "x")


def test_hierarchies_are_found_beside_the_file(tmp_path):
    (tmp_path / "age.csv").write_text("1;low;*\n2;low;*\n")
    path = tmp_path / "roles.toml"
    path.write_text("[columns.age]\nrole = 'quasi-identifier'\ntaxonomy = 'age.csv'\nlevel = 1\n")
    file = RolesFile.read(path)
    assert list(file.options()["taxonomies"]) == ["age"]
    assert file.levels == {"age": 1}
    assert file.files == (tmp_path / "age.csv",)


OF_COLUMN = {"age": "quasi-identifier", "ill": "sensitive", "name": "identifier", "note": "drop"}
OF_COLUMN |= {"ward": "person"}
ROLES = "".join(f"[columns.{name}]\nrole = '{role}'\n" for name, role in OF_COLUMN.items())


@cases(
    ("age,ill,full", "column full has no role, and columns name, note, ward are not in"),
    ("age,ill,name,note,wards", "column wards has no role, and column ward is not in the data"),
    ("age,ill,name,note,ward,extra", "column extra has no role; give extra a role or say"),
    ("age,ills,x,y", "columns ills, x, y have no role, and columns ill, name, note, ward are"),
)
def test_a_file_for_other_data_is_refused_wherever_it_is_read(heading, says, tmp_path):
    data, roles = tmp_path / "data.csv", tmp_path / "roles.toml"
    roles.write_text(ROLES)
    rows = [",".join([age, ill, *"xxxx"[: heading.count(",") - 1]]) for age in "12" for ill in "ab"]
    data.write_text("\n".join([heading, *rows, ""]))
    words = (str(data), "--roles", str(roles))
    for command in (
        ("check", "--models-only", *words, "--k", "2"),
        ("attack", "homogeneity", *words),
        (
            "anonymize",
            "mondrian",
            "--audience=study",
            *words,
            "--k=2",
            f"--output={tmp_path}/out.csv",
        ),
        ("compare", "--audience=study", *words, "--k", "2"),
        ("report", *words, "--output", str(tmp_path / "out")),
    ):
        assert says in refused(*command), command
    assert sorted(one.name for one in tmp_path.iterdir()) == ["data.csv", "roles.toml"]


def test_a_published_file_may_lack_what_is_not_published(tmp_path):
    data, roles = tmp_path / "data.csv", tmp_path / "roles.toml"
    roles.write_text(ROLES)
    data.write_text("age,ill\n1,a\n1,b\n")
    words = ("check", "--models-only", str(data), "--roles", str(roles), "--k", "2")
    assert run(*words).status == 0
    data.write_text("age,ill,extra\n1,a,x\n1,b,x\n")
    assert run(*words, "--drop", "extra").status == 0
    with pytest.raises(DataError, match="column extra has no role"):
        RolesFile.read(roles).options(published=["age", "ill", "extra"])
    # A known column may have been left out, and may as well be called otherwise.
    data.write_text("ill\na\nb\n")
    assert refused(*words).endswith(
        "column age is known, and not in the published file; if that leaves it out, say --drop age"
    )
    # Data that are to be published lack nothing.
    data.write_text("age,ill\n1,a\n1,b\n")
    assert "no column ward" in refused("compare", "--audience=study", *words[2:])


def test_what_is_proposed_is_confirmed_by_an_edit_or_by_its_line():
    text = propose_roles("table-1a").to_toml()
    for unread in (text, text.replace("\n", "\r\n"), text + "\n\n", text.replace("\n\n", "\n \n")):
        assert not RolesFile.parsed(unread).confirmed
    # A program that writes the file again decides nothing.
    assert not RolesFile.parsed(str(RolesFile.parsed(text))).confirmed
    edited = text.replace('role = "sensitive"', 'role = "known and secret"')
    assert RolesFile.parsed(edited).confirmed
    assert RolesFile.parsed(confirm_text(text)).confirmed
    assert RolesFile.parsed("[columns.age]\nrole = 'other'").confirmed
    inline = 'schema = 1\n"proposed" = "' + "0" * 64 + '"\n[columns.age]\nrole = "other"'
    assert not RolesFile.parsed(inline).confirmed


def test_known_and_secret_is_a_quasi_identifier_and_named_beside():
    said = "[columns.age]\nrole = 'quasi-identifier'\n[columns.ill]\nrole = 'known and secret'"
    options = RolesFile.parsed(said).options()
    assert options == {"quasi_identifiers": ("age", "ill"), "both": ("ill",)}
    frame = pd.DataFrame({"age": [1, 2], "ill": ["flu", "HIV"]})
    for roles in (options, {"quasi_identifiers": ["age"], "both": ["ill"]}):
        table = kproof.read_table(frame, **roles)
        assert [one.name for one in table.quasi_identifiers] == ["age", "ill"]
        assert table.both == ("ill",)
        assert table.of_rows(np.array([1])).both == ("ill",)
    with pytest.raises(InvalidArgument, match="not among"):
        kproof.read_table(frame, both=["ill"], quasi_identifiers=["age"], sensitive="ill")
