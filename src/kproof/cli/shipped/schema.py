"""``kproof schema``: the JSON Schemas of what commands print with ``--json``."""

from __future__ import annotations

import json

from kproof.cli.base.printing import write_table


def schema(document: str | None = None, /) -> None:
    """List the documents that commands print with --json, or print the JSON Schema of one.

    Args:
        document: A kind of document, such as check; without one, list them all.
    """
    from kproof.schemas import document_kinds, json_schema

    if document is not None:
        print(json.dumps(json_schema(document), indent=2, ensure_ascii=False))
        return
    rows = [(kind.name, kind.version, kind.description) for kind in document_kinds().values()]
    write_table(["document", "version", "what it is"], rows)
