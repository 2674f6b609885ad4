"""Receipts: what they hold, what they must not hold, bad ones; the register is read from them."""

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import error_line
from jsonschema import Draft202012Validator

from kproof.errors import DataError
from kproof.models.api import anonymize
from kproof.models.judgement.publication import ColumnKnowledge, PublishedFile
from kproof.models.judgement.reading import of_release
from kproof.models.judgement.releases import receipts, register
from kproof.models.judgement.releases.receipts import SUFFIX, Receipt, receipt_beside
from kproof.models.judgement.releases.register import earlier_from, find_register
from kproof.models.tables.readers import Cells, read_cells
from kproof.models.tables.release import Release
from kproof.outputs import together
from kproof.schemas import json_schema

KEY = b"a key of sixteen bytes or more"
ROLES = {"quasi_identifiers": ["Age"], "sensitive": "Disease", "person": "Name"}


def published(folder: Path, key: bytes | None = None) -> tuple[Path, Release, PublishedFile]:
    """Write a release with its receipt, as a publisher does."""
    path = folder / "release.csv"
    release = anonymize("mondrian", "table-1a", k=4, identifiers=["ID"], **ROLES)
    publication = of_release(release)
    with together():
        release.to_csv(path)
    names = tuple(map(str, release.table.person.values))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    Receipt.of(publication, sha256=digest, day="2026-01-31", key=key, names=names).write(path)
    return path, release, publication


def test_a_receipt_comes_back_as_it_was_written(tmp_path):
    path, release, publication = published(tmp_path, KEY)
    receipt = receipt_beside(path)
    assert receipt.columns == {"Age": ColumnKnowledge.KNOWN, "Disease": ColumnKnowledge.SECRET}
    assert receipt.method == "mondrian"
    assert {label for (label,) in receipt.classes} == set(publication.known[0].texts)
    assert Receipt.from_text(receipt.to_text()) == receipt
    document = json.loads(receipt.to_text())
    Draft202012Validator(json_schema("receipt")).validate(document)
    assert document["parameters"]["k"] == release.parameters["k"]


def test_a_receipt_names_nobody_and_holds_no_secret(tmp_path):
    path, release, _ = published(tmp_path, KEY)
    text = Path(f"{path}{SUFFIX}").read_text(encoding="utf-8")
    table = release.table
    assert not any(str(value) in text for value in (*table.person.values, *table.sensitive.values))
    # Without the key nobody is found by trying names.
    receipt = Receipt.from_text(text)
    digests = {hashlib.sha256(str(one).encode()).hexdigest() for one in table.person.values}
    assert receipt.people is not None
    assert not digests & set(receipt.people)
    assert receipt.class_of(str(table.person.values[0]), key=b"another key of sixteen bytes") == ()


def test_people_are_followed_by_the_key(tmp_path):
    path, release, publication = published(tmp_path, KEY)
    people = {str(name): number for number, name in enumerate(release.table.person.values)}
    asked = {"known": ["Age"], "secret": ["Disease"], "person": "Name", "people": people}
    [earlier] = earlier_from([path], key=KEY, **asked)
    label = {
        int(person): publication.known[0].texts[code]
        for person, code in zip(publication.persons, publication.known[0].codes, strict=True)
    }
    shown = earlier.columns[0]
    for person, code in zip(earlier.person.tolist(), shown.codes.tolist(), strict=True):
        assert label[person] == shown.texts[code]
    [unfollowed] = earlier_from([path], **asked)
    assert unfollowed.person is None
    path.write_text("Age,Disease\n1,flu\n", encoding="utf-8")
    with pytest.raises(DataError, match="is the receipt of another file"):
        earlier_from([path], key=KEY, **asked)


def test_no_receipt_and_the_receipt_of_another_file(tmp_path):
    path, _, _ = published(tmp_path)
    with path.open("a", encoding="utf-8") as file:
        file.write("*,flu\n")
    with pytest.raises(DataError, match=r"is the receipt of another file, or .* was changed"):
        receipt_beside(path)
    Path(f"{path}{SUFFIX}").unlink()
    assert receipt_beside(path) is None


WRONG = {
    "schema": 2,
    "schema is no truth value": True,
    "document": "check",
    "sha256": "0" * 63,
    "day": "31.1.2026",
    "columns": {"Age": "other"},
    "method": None,
    "parameters": [],
    "permuted": 1,
    "from_known_alone": "yes",
    "classes": [[1]],
    "classes have a label for each column": [["a", "b"]],
    "people": {"ann": [0]},
    "people are in classes": {"0" * 64: [99]},
    "people before the first class": {"0" * 64: [-1]},
    "rows are another field": [],
}
"""Values that a field, the first word, may not have."""


@pytest.mark.parametrize("name", [*WRONG, "day is absent"])
def test_a_bad_receipt_is_refused_in_one_line(name, tmp_path):
    path, _, _ = published(tmp_path)
    place = Path(f"{path}{SUFFIX}")
    fields = json.loads(place.read_text(encoding="utf-8"))
    field = name.split()[0]
    fields.pop(field, None)
    fields |= {field: WRONG[name]} if name in WRONG else {}
    place.write_text(json.dumps(fields), encoding="utf-8")
    said = error_line(DataError, receipt_beside, path)
    assert field in said or "need an object with" in said


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b"[" * 100_000, b"null"])
def test_what_is_no_receipt_is_refused(content, tmp_path):
    path, _, _ = published(tmp_path)
    Path(f"{path}{SUFFIX}").write_bytes(content)
    assert "release.csv.kproof.json" in error_line(DataError, receipt_beside, path)


def test_a_receipt_that_is_too_long_is_not_read(tmp_path, monkeypatch):
    path, _, _ = published(tmp_path)
    monkeypatch.setattr(receipts, "MOST_BYTES", 10)
    assert "longer than 10 bytes" in error_line(DataError, receipt_beside, path)


def test_a_short_key_and_people_without_names(tmp_path):
    _, _, publication = published(tmp_path)
    for key, names, says in ((b"short", ("a",) * 12, "a key of 5 bytes"), (KEY, (), "no column")):
        with pytest.raises(DataError, match=says):
            Receipt.of(publication, sha256="0" * 64, day="2026-01-31", key=key, names=names)


def test_a_file_of_something_else(tmp_path):
    path = tmp_path / "other.csv"
    path.write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(DataError, match="has none of the columns Age, Disease"):
        earlier_from([path], known=["Age"], secret=["Disease"])
    with pytest.raises(DataError, match=r"absent\.csv"):
        earlier_from([tmp_path / "absent.csv"], known=["Age"])
    assert np.array_equal(earlier_from([path], known=["a"])[0].columns[0].codes, [0])


def test_each_earlier_release_is_read_once(tmp_path, monkeypatch):
    path, _, publication = published(tmp_path)
    elsewhere = tmp_path / "before" / path.name
    elsewhere.parent.mkdir()
    elsewhere.write_bytes(path.read_bytes())
    readings = Counter()

    def counting(path: str | Path, *options: Any) -> Cells:
        readings[str(path)] += 1
        return read_cells(path, *options)

    monkeypatch.setattr(register, "read_cells", counting)
    source = tmp_path / "source.csv"
    source.write_text("Age,Disease\n")
    folder = find_register(source, {column.name: column.texts for column in publication.columns})
    both = folder.beside([str(elsewhere), str(path)])
    names = [release.name for release in earlier_from(both, known=["Age"], secret=["Disease"])]
    assert names == [str(elsewhere), str(path)]
    assert readings == dict.fromkeys(names, 1)
