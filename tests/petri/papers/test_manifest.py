"""Every shipped net does what the manifest says, and the manifest is what its schema says."""

import json

import jsonschema
import pytest
from cases import cases, error_line
from net_runs import reached

from kproof.errors import DataError
from kproof.petri.papers.manifest import HOME, differences, load

ENTRIES = load()


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_an_entry_holds(entry):
    assert differences(entry) == ()


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_the_firing_rule_counts_the_same(entry):
    found = reached(entry.build().net)
    assert found.count == (entry.expected["states"], entry.expected["arcs"])
    assert len(found.ends) == entry.expected["ends"]


def test_some_fail_on_purpose_and_only_those():
    failing = [entry for entry in ENTRIES if False in entry.expected["verdicts"].values()]
    assert {entry.name for entry in failing} == {
        entry.name for entry in ENTRIES if entry.fails_on_purpose
    }
    missed = {name for entry in failing for name, holds in entry.expected["verdicts"].items()
              if holds is False}  # fmt: skip
    assert missed == {
        "V >= theta in every class",
        "ends are publications or infeasible",
        "the adversary gains nothing",
    }


def test_what_is_not_published_was_not_judged():
    for entry in ENTRIES:
        verdicts = entry.expected["verdicts"]
        ends = verdicts["ends are publications or infeasible"]
        others = {holds for name, holds in verdicts.items() if not name.startswith("ends are")}
        assert ends is not None
        assert (None in others) == (entry.expected["publications"] == 0)


def test_what_the_paper_prints_is_there():
    named = {entry.name: entry.expected for entry in ENTRIES}
    for form in ("by moves", "by rules"):
        assert named[f"table-1a {form}"]["publications"] == 120
        assert named[f"table-1a {form}"]["noise"] == [1]
        assert named[f"table-1a {form}"]["reaches"] == {"table-8a": True}
        assert named[f"table-4b {form}"]["publications"] == 16
        assert named[f"table-4b {form}"]["noise"] == [0]
        assert named[f"table-4b {form}"]["reaches"] == {"table-8b": True}


def test_the_manifest_keeps_its_schema():
    schema = json.loads(HOME.with_name("manifest-schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(HOME.read_text(encoding="utf-8")), schema)
    names = [entry.name for entry in ENTRIES]
    assert len(set(names)) == len(names)


@cases(
    ({"name": 1}, "field name is 1"),
    ({"colour": "red"}, "unknown field colour"),
    ({"expected": {}}, "expected: no field status"),
    ({"expected": []}, "field expected is []"),
    ({"options": {}}, "need a whole number k"),
)
def test_a_wrong_entry_is_named(change, message, tmp_path):
    document = json.loads(HOME.read_text(encoding="utf-8"))
    document["nets"][1] |= change
    path = tmp_path / "nets.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    line = error_line(DataError, load, path)
    assert line.startswith("nets.json, entry 2")
    assert message in line


def test_a_manifest_that_is_none(tmp_path):
    assert "cannot be read" in error_line(DataError, load, tmp_path / "none.json")
    (tmp_path / "text.json").write_text("nets", encoding="utf-8")
    assert "not JSON" in error_line(DataError, load, tmp_path / "text.json")
    (tmp_path / "list.json").write_text("[]", encoding="utf-8")
    with pytest.raises(DataError, match='need an object with a list "nets"'):
        load(tmp_path / "list.json")
