"""Background knowledge from files, and what is refused."""

import json
import re

import numpy as np
import pytest
from cases import cases, error_line

from kproof.errors import DataError, InvalidArgument
from kproof.models import attacks
from kproof.models.base.classes import Classes


def test_json_and_csv_say_the_same(tmp_path):
    known = {"age": "34", "sex": "M"}
    bob, ann = (
        {"name": "Bob", "quasi_identifiers": known},
        {"name": "Ann", "row": 5, "value": "Flu"},
    )
    document = {"victims": [bob | {"excluded": ["HIV"]}, {"row": 3}], "members": [ann]}
    (tmp_path / "known.json").write_text(json.dumps(document))
    (tmp_path / "known.csv").write_text(
        "name,row,age,sex,excluded,value\nBob,,34,M,HIV,\n,3,,,,\nAnn,5,,,,Flu\n"
    )
    victims = attacks.Person(**bob, excluded=("HIV",)), attacks.Person(row=3)
    expected = attacks.BackgroundKnowledge(victims=victims, members=(attacks.Person(**ann),))
    assert attacks.read_background(tmp_path / "known.json") == expected
    assert attacks.read_background(tmp_path / "known.csv") == expected


def test_several_excluded_values_in_csv(tmp_path):
    (tmp_path / "known.csv").write_text("\ufeffrow,excluded\n0, HIV | Flu\n", encoding="utf-8")
    [bob] = attacks.read_background(tmp_path / "known.csv").victims
    assert bob.excluded == ("HIV", "Flu")


def test_all_fields():
    document = {"columns": ["age"], "matching": "cover", "noise_recognised": True, "victims": None}
    expected = {"columns": ("age",), "matching": attacks.Matching.COVER, "noise_recognised": True}
    assert attacks.background_of(document) == attacks.BackgroundKnowledge(**expected)
    assert attacks.background_of({}) == attacks.BackgroundKnowledge()
    assert attacks.BackgroundKnowledge(matching="cover").matching is attacks.Matching.COVER


@cases(
    ([], r"background: \[\]|need an object"),
    ({"victims": 3}, "victims = 3: need a list"),
    ({"noise_recognised": 1}, "noise_recognised = 1: need true or false"),
    ({"matching": "id"}, "matching = id: need class or cover"),
    ({"columns": []}, "need at least one column"),
    ({"victims": ["Bob"]}, r"victims\[0\]: Bob: need an object"),
    (
        {"victims": [{}]},
        r"victims\[0\]: person is not given: need either a row or quasi-identifiers",
    ),
    ({"victims": [{"row": -1}]}, "row = -1: need a whole number row >= 0"),
    ({"victims": [{"row": True}]}, "row = True"),
    ({"victims": [{"row": 1, "age": 3}]}, "age: need excluded, name"),
    ({"victims": [{"row": 1, "excluded": "HIV"}]}, "excluded = HIV: need a list of values"),
    ({"victims": [{"quasi_identifiers": {}}]}, "need at least one column"),
    ({"victims": [{"row": 1}], "members": [{"row": 1}]}, "row = 1: need each person once"),
    ({"columns": ["age", None]}, "columns = .*: need names, which are texts"),
    ({"matching": ""}, "matching = '': need class or cover"),
    ({"members": [{"row": 0, "value": {"a": 1}}]}, "value = .*: need a text, a number, true or"),
    ({"victims": [{"row": 0, "excluded": [["HIV"]]}]}, "excluded = .*: need a text"),
    ({"victims": [{"row": 0, "excluded": [None]}]}, "excluded = None: need a text"),
    ({"victims": [{"quasi_identifiers": {"age": [1]}}]}, "age = .*: need a text"),
    ({"victims": [{"row": 0, "name": {"a": 1}}]}, "name = .*: need a text"),
)
def test_documents_that_are_refused(document, message):
    with pytest.raises(DataError, match=message):
        attacks.background_of(document)


@cases(
    ("a.json", b"{", "not JSON"),
    ("a.json", b"\xff\xfe{", "not UTF-8"),
    ("a.csv", b"row\n1,2\n", "line 2: more cells than the first line"),
    ("a.csv", b"row\n", "names nobody"),
    ("a.csv", b"name\n" + b"x" * 131073, r"line 2: a cell of over 131072 characters"),
    ("a.csv", b"row,excluded\nx,HIV\n", "line 2: row = x: need a whole number"),
    ("a.json", b"[" * 100_000, "not JSON"),
    ("a.json", b'{"victims": [{"row": 0}], "victims": []}', "the key victims stands twice"),
    ("a.json", b'{"victims": [{"row": NaN}]}', "row = NaN: need a whole number"),
    (
        "a.json",
        b'{"victims": [{"row": ' + b"9" * 5_000 + b"}]}",
        "row = 9*\u2026: need a whole number",
    ),
    ("a.json", b'{"members": [{"row": 0, "value": "\\ud800"}]}', "half of a surrogate pair"),
    ("a.json", b'{"victims": [{"row": 0, "name": "\0"}]}', "a NUL byte"),
    ("a.json", b"{} {}", "not JSON: Extra data"),
    ("a.json", b"", "not JSON: Expecting value"),
    ("a.json", b" " * ((1 << 26) + 1), "more than 64 MiB, the largest file of background"),
    ("a.csv", b"row,row \n0,1\n", "the columns are row, row; need each once"),
    ("a.csv", b'row,excluded\n0,"HIV\n', "line 2: a quotation mark is opened and not closed"),
    ("a.csv", b"row\n0\n0\n", "a.csv: row = 0: need each person once"),
    ("two\nlines.csv", b"\0", r"two\\n.*lines.csv.: a NUL byte"),
)
def test_files_that_are_refused(name, content, message, tmp_path):
    (tmp_path / name).write_bytes(content)
    assert re.search(message, error_line(DataError, attacks.read_background, tmp_path / name))


def test_a_missing_file(tmp_path):
    with pytest.raises(DataError, match="cannot be read: No such file"):
        attacks.read_background(tmp_path / "none.json")


def test_a_member_needs_a_value_unless_the_microdata_have_it():
    rows = Classes(np.array([0, 0]), 1, np.array([0, 1]), ("Flu", "HIV"))
    disclosure = attacks.attack("linkage", rows, background={"members": [{"row": 1}]})
    assert [victim.guess for victim in map(disclosure.victim, range(disclosure.victims))] == ["Flu"]
    assert "either a row or quasi-identifiers" in error_line(InvalidArgument, attacks.Person)


def test_values_are_found_however_they_are_typed():
    rows = Classes(np.array([0, 0, 0]), 1, np.array([0, 1, 2]), (1, 2.5, "x"))
    for typed in (1, 1.0, "1", "1.00"):
        knows = {"victims": [{"row": 0, "excluded": [typed, 2.5]}]}
        assert attacks.attack("linkage", rows, background=knows).worst.guess == "x"
    apart = Classes(np.array([0, 0]), 1, np.array([0, 1]), ("1", "1.0"))
    for typed, left in (("1", "1.0"), ("1.0", "1")):
        disclosure = attacks.attack(
            "linkage", apart, background={"victims": [{"row": 0, "excluded": [typed]}]}
        )
        assert disclosure.worst.guess == left
