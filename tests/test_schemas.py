"""The JSON Schemas of documents: valid, complete, told apart, and on the page that lists them."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError, validate
from shell import kproof, refused

import kproof as package
from kproof.errors import InvalidArgument
from kproof.schemas import document_kinds, documents, json_schema

ROOT = Path(__file__).parents[1]


def objects(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield every schema of an object with fields in a schema."""
    if not isinstance(schema, dict):
        return
    if "properties" in schema:
        yield schema
    inside = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values()]
    inside += [schema.get("items"), schema.get("additionalProperties")]
    inside += [*schema.get("anyOf", []), *schema.get("oneOf", [])]
    for one in inside:
        yield from objects(one)


@pytest.mark.parametrize("name", documents())
def test_a_schema_is_valid_and_describes_every_field(name):
    schema = json_schema(name)
    Draft202012Validator.check_schema(schema)
    assert schema["properties"]["document"]["const"] == name
    assert {"schema", "document"} <= set(schema["required"])
    assert isinstance(schema["properties"]["schema"]["const"], int)
    for one in objects(schema):
        fields = one["properties"]
        # What a figure is called says what is known of it; the value is the figure's.
        if set(fields) != {"final", "at_least", "so_far"}:
            assert [field for field, about in fields.items() if not about.get("description")] == []
    assert schema["properties"]["schema"]["const"] == document_kinds()[name].version


@pytest.mark.parametrize("name", documents())
def test_a_field_has_one_type_beside_null(name):
    for one in objects(json_schema(name)):
        for about in one["properties"].values():
            kinds = about.get("type", [])
            assert len({kinds} if isinstance(kinds, str) else set(kinds) - {"null"}) <= 1
            assert len([part for part in about.get("anyOf", []) if part != {"type": "null"}]) <= 1


def test_what_is_not_described_is_not_valid():
    document = kproof("datasets", "table-1a", "--json").document
    schema = package.json_schema("datasets")
    validate(document, schema)
    for wrong in (
        document | {"more": 1},
        document | {"schema": 0},
        document | {"document": "check"},
        document | {"datasets": [{}]},
        {name: one for name, one in document.items() if name != "datasets"},
    ):
        with pytest.raises(ValidationError):
            validate(wrong, schema)


@pytest.mark.parametrize(
    "words",
    [
        ("check", "table-4a", "--qi", "Class", "--sensitive", "Disease", "--identifier", "ID"),
        ("exact", "normal", "--sigma", "2", "--epsilon", "0.1,0.5"),
        ("roles", "table-1a"),
    ],
    ids=lambda words: words[0],
)
def test_what_a_mutant_lacks_or_has_of_another_type_is_not_valid(words):
    stored = json.loads(kproof(*words, "--json", judged=False).out)
    validator = Draft202012Validator(json_schema(stored["document"]))
    assert validator.is_valid(stored)
    # Columns that a reader names, figures of models and what is left out if there is none.
    free = ("figures", "reading", "attained", "attained_further", "risk", "at_most", "points")
    assert [
        place
        for place, mutant in mutants(stored)
        if validator.is_valid(mutant) and not any(name in free for name in place)
    ] == []


def mutants(document: Any, place: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield a document without each of its members, and with each of another type."""
    if isinstance(document, list):
        if document:
            yield from ((at, [mutant]) for at, mutant in mutants(document[0], place))
            yield place, [*document, {"no": "member"}]
    elif isinstance(document, dict):
        yield place, document | {"no": "member"}
        for name, value in document.items():
            yield (*place, name), {key: one for key, one in document.items() if key != name}
            yield (*place, name), document | {name: {"no": "member"} if value is None else [[0.5]]}
            yield from (
                (at, document | {name: mutant}) for at, mutant in mutants(value, (*place, name))
            )


def test_the_page_lists_every_document():
    page = (ROOT / "docs" / "reference" / "json-documents.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `([a-z-]+)` \| (\d+) \| (.*) \|$", page, flags=re.MULTILINE)
    assert listed == [
        (name, str(found["properties"]["schema"]["const"]), found["description"])
        for name in documents()
        for found in [json_schema(name)]
    ]


def test_the_command():
    assert json.loads(kproof("schema", "check").out) == json_schema("check")
    listed = kproof("schema", columns=200).out
    assert all(f"\n{name} " in listed for name in documents())
    assert refused("schema", "chek").startswith("document = chek: need ")
    with pytest.raises(InvalidArgument, match="document = nothing: need one of account"):
        json_schema("nothing")
