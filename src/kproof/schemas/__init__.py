"""JSON Schemas of the documents that commands print with ``--json``.

Each file beside this one is the schema of one kind of document; what several of them have in common
is in ``common.json``. A field has one type, whatever was asked for (null where its description says
so), and exact numbers are strings.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

from kproof.errors import InvalidArgument

_COMMON = "common.json"


def documents() -> tuple[str, ...]:
    """Return the kinds of documents: commands, where one command has several also what is asked.

    Examples
    --------
    >>> documents()[:3]
    ('anonymize', 'anonymize-aggregate', 'anonymize-city')
    """
    there = (one.name for one in files(__name__).iterdir())
    return tuple(
        sorted(
            name.removesuffix(".json")
            for name in there
            if name.endswith(".json") and name != _COMMON
        )
    )


def json_schema(document: str) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a kind of document, with all that it refers to.

    Parameters
    ----------
    document
        One of :func:`documents`, such as ``"check"``.

    Returns
    -------
    dict
        A new one each time; nothing else is needed to validate a document with it.

    Raises
    ------
    InvalidArgument
        If there is no such document.

    Examples
    --------
    >>> found = json_schema("check")
    >>> found["properties"]["rows"]
    {'description': 'Rows of the table.', 'type': 'integer'}
    >>> found["properties"]["exposure"]["anyOf"][0], "exposure" in found["$defs"]
    ({'$ref': '#/$defs/exposure'}, True)
    """
    if document not in documents():
        raise InvalidArgument("document", document, f"one of {', '.join(documents())}")
    found = _read(f"{document}.json")
    shared = _read(_COMMON)["$defs"]
    needed: dict[str, Any] = {}
    open_ = list(_referred(found))
    while open_:
        name = open_.pop()
        if name not in needed:
            needed[name] = shared[name]
            open_ += _referred(shared[name])
    return found | ({"$defs": dict(sorted(needed.items()))} if needed else {})


def _read(name: str) -> dict[str, Any]:
    """Return a file; what it refers to in the common one stands in the same document."""
    text = files(__name__).joinpath(name).read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text.replace(f'"{_COMMON}#', '"#'))
    return found


def _referred(schema: object) -> Iterator[str]:
    if isinstance(schema, dict):
        place = schema.get("$ref")
        if isinstance(place, str):
            yield place.rpartition("/")[2]
        for one in schema.values():
            yield from _referred(one)
    elif isinstance(schema, list):
        for one in schema:
            yield from _referred(one)
