"""JSON Schemas of the documents that commands print with ``--json``.

Each is made from the class of results that is printed (:mod:`kproof.forms`). A field has one type,
whatever was asked for (null where its description says so), and exact numbers are strings. Which
kinds there are ``documents.json`` says.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from kproof.errors import InvalidArgument
from kproof.registry import Home


@dataclass(frozen=True, slots=True)
class DocumentKind:
    """A kind of document."""

    name: str
    """Its name."""
    version: int
    """Version of its form."""
    results: str
    """Module and class of what is printed."""
    description: str
    """What it is, in a sentence."""


@cache
def document_kinds() -> Mapping[str, DocumentKind]:
    """Return the kinds of documents by name."""
    listed = Path(__file__).with_name("documents.json").read_text(encoding="utf-8")
    return {name: DocumentKind(name, **kind) for name, kind in json.loads(listed).items()}


def documents() -> tuple[str, ...]:
    """Return the kinds of documents: commands, where one command has several also what is asked.

    >>> documents()[:3]
    ('account', 'anonymize', 'anonymize-aggregate')
    """
    return tuple(document_kinds())


def json_schema(document: str) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a kind of document, with all that it refers to.

    Args:
        document: One of :func:`documents`, such as ``"check"``.

    Returns:
        A new one each time; nothing else is needed to validate a document with it.

    >>> schema = json_schema("check")
    >>> schema["properties"]["rows"]
    {'description': 'Rows of the table.', 'type': 'integer'}
    >>> schema["properties"]["exposure"]["anyOf"][0], "Exposure" in schema["$defs"]
    ({'$ref': '#/$defs/Exposure'}, True)
    """
    from kproof.schemas.hints import SchemaBuilder

    if document not in documents():
        raise InvalidArgument("document", document, f"one of {', '.join(documents())}")
    kind = document_kinds()[document]
    builder = SchemaBuilder()
    form = builder.form(Home(kind.results).target)
    # Taken out and put back, so that `document` stands behind it and before all other members.
    version = form["properties"].pop("schema")
    of_kind = {"description": "What this is.", "const": document}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": document,
        **form,
        "description": kind.description,
        "properties": {"schema": version, "document": of_kind, **form["properties"]},
        "required": ["schema", "document", *form["required"][1:]],
        **({"$defs": dict(sorted(builder.shared.items()))} if builder.shared else {}),
    }
