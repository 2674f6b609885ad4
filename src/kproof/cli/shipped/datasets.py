"""``kproof datasets`` and ``kproof schema``: tables and JSON Schemas that come with kproof."""

from json import dumps

from kproof.cli.base.common import JSON
from kproof.cli.base.printing import write_json, write_table
from kproof.errors import InvalidArgument, one_of
from kproof.schemas import document_kinds, json_schema
from kproof.schemas.printed import DataListed, ShippedData


def datasets(
    name: str | None = None, /, *, rows: str | None = None, seed: str = "0", json: JSON = False
) -> None:
    """List the tables that come with kproof, or print one as CSV.

    Args:
        name: Print this table; without a name, list them all.
        rows: Of a table that is made up: how many rows.
        seed: Of a table that is made up: which one.
    """
    from kproof.datasets import MADE_UP, SHIPPED, read_text_table

    if name in MADE_UP:
        if json:
            raise InvalidArgument("json", True, f"no --json with {name}, which is made up")
        entry = MADE_UP[name]
        print(entry.text(entry.rows if rows is None else rows, seed=seed), end="")
        return
    if rows is not None:
        raise InvalidArgument("rows", rows, f"--rows with {', '.join(MADE_UP)} only")
    if name is not None and name not in SHIPPED:
        raise InvalidArgument("name", name, one_of(name, (*SHIPPED, *MADE_UP)))
    if name is not None and not json:
        print(SHIPPED[name].text, end="")
        return
    tables = [read_text_table(source) for source in (SHIPPED if name is None else (name,))]
    if json:
        described = tuple(
            ShippedData(
                name=table.source,
                title=SHIPPED[table.source].title,
                origin=SHIPPED[table.source].origin,
                rows=len(table.lines),
                columns=table.names,
                numeric=tuple(table.names[position] for position in table.numeric),
                cells=None if name is None else tuple(zip(*table.cells, strict=True)),
            )
            for table in tables
        )
        write_json("datasets", DataListed(described))
        return
    made_up = [
        (entry.name, "any", ", ".join(entry.columns), entry.title) for entry in MADE_UP.values()
    ]
    listing = []
    for table in tables:
        about = SHIPPED[table.source]
        columns, origin = ", ".join(table.names), f"{about.title}; {about.origin}"
        listing.append((table.source, str(len(table.lines)), columns, origin))
    write_table(["name", "rows", "columns", "what, and where from"], [*listing, *made_up])


def schema(document: str | None = None, /) -> None:
    """List the documents that commands print with --json, or print the JSON Schema of one.

    Args:
        document: A kind of document, such as check; without one, list them all.
    """
    if document is not None:
        print(dumps(json_schema(document), indent=2, ensure_ascii=False))
        return
    rows = [(kind.name, kind.version, kind.description) for kind in document_kinds().values()]
    write_table(["document", "version", "what it is"], rows)
