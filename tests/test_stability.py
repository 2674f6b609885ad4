"""What docs/stability.md calls stable changes only together with a snapshot that says so."""

import inspect
import json
import os
import re
from collections.abc import Iterator
from enum import Enum
from pathlib import Path

import pytest
from listed_names import PUBLIC
from shell import kproof, same_as_snapshot, typed

from kproof.cli.base.printing import ExitStatus

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "stability.md").read_text(encoding="utf-8")
DISEASES = ("--qi", "Class", "--sensitive", "Disease", "--identifier", "ID")
AGES = ("--data", "table-1a", "--column", "Age", "--shift", "1")
DOCUMENTS = {
    "anonymize": (
        *typed("anonymize mondrian --audience study table-1a --qi Age --sensitive Disease"),
        *("--identifier", "ID,Name", "--k", "3", "-o", os.devnull),
    ),
    "attack": ("attack", "homogeneity", "table-4a", *DISEASES),
    "audit": ("audit", "Z6"),
    "bound": ("bound", "2", *AGES),
    "check": ("check", "--models-only", "table-4a", *DISEASES, "--k", "4"),
    "compare": (
        *typed("compare --audience=study table-1a --qi Age --sensitive Disease --methods mondrian"),
        *("--identifier", "ID,Name", "--k", "3,20"),
    ),
    "datasets": ("datasets", "table-1a"),
    "design": ("design", "n", "--epsilon", "0.5", "--delta", "0.01", *AGES),
    "exact": ("exact", "normal", "--sigma", "2", "--epsilon", "0.5"),
    "hierarchy": (
        *("hierarchy", "table-1a", "--column", "Age", "--ladder", "range:5,10"),
        *("-o", os.devnull),
    ),
    "net-explore": ("net", "explore", "theta-sensitive", "--data", "table-4b", "--k", "4"),
    "roles": ("roles", "table-1a"),
    "verify": (
        *("verify", "foreign:as_it_is", "--check", "k-anonymity"),
        *("--source", "every table of up to 4 rows over 2 values"),
    ),
}
KINDS = {dict: "object", str: "string", bool: "boolean", int: "integer", float: "number"}


def form(value: object, place: str = "") -> Iterator[str]:
    """Yield each place of a JSON document with the kind of value that stands there."""
    if isinstance(value, list):
        for one in value:
            yield from form(one, f"{place}[]")
        return
    if place:
        yield f"{place}: {KINDS.get(type(value), 'null')}"
    if isinstance(value, dict):
        for name, one in value.items():
            yield from form(one, f"{place}.{name}")


def written(name: str, value: object) -> str:
    """Return how a public name is called, or what values it has."""
    if isinstance(value, type) and issubclass(value, Enum):
        return f"{name}: {', '.join(str(one.value) for one in value)}"
    if isinstance(value, type) and issubclass(value, Exception):
        return f"{name}: {value.__mro__[1].__name__}"
    assert callable(value)
    signature = inspect.signature(value)
    bare = [
        one.replace(annotation=inspect.Parameter.empty) for one in signature.parameters.values()
    ]
    return f"{name}{signature.replace(parameters=bare, return_annotation=inspect.Signature.empty)}"


def test_public_names_are_called_as_before():
    same_as_snapshot("public-names.txt", "\n".join(written(*one) for one in PUBLIC.items()))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents_have_the_form_they_had(name):
    ran = kproof(*DOCUMENTS[name], "--json")
    assert ran.err == ""
    document = json.loads(ran.out)
    assert next(iter(document)) == "schema"
    found = [f"schema {document['schema']}", *dict.fromkeys(form(document))]
    same_as_snapshot(f"form-{name}.txt", "\n".join(found))


def test_the_page_lists_the_exit_statuses():
    reference = (ROOT / "docs" / "reference" / "command-line.md").read_text(encoding="utf-8")
    listed = {int(number) for number in re.findall(r"^\| (\d+) \|", reference, flags=re.MULTILINE)}
    assert listed == {*ExitStatus} | {130, 141}


def test_tests_that_the_page_names_exist():
    named = re.findall(r"`(tests/[\w/.-]+)`", PAGE)
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []
