"""``kproof report``: the main job, one HTML page about your data."""

from __future__ import annotations

from typing import Annotated

from cyclopts import App, Parameter

from kproof.cli.common import HEADER, JSON, write_json

app = App(name="report")


@app.default
def report(
    *data: str,
    out: str = "results",
    column: Annotated[tuple[str, ...], Parameter(negative=(), show_default=False)] = (),
    shift: str | None = None,
    k: str = "10",
    neighbourhood: str = "2",
    known: str = "1/5",
    header: HEADER = "detect",
    json: JSON = False,
) -> None:
    """Write one self-contained HTML page about the numeric columns of your data.

    Parameters
    ----------
    data
        CSV files or names of shipped tables; table-1a if none is named.
    out
        Folder the page is written to, as report.html.
    column
        Only this column: a name or a position counted from 1; may be repeated.
    shift
        How far one record moves the sum; if not said, max - min of the column.
    k
        Least size of a cloaked set.
    neighbourhood
        Levels II and IV: most records that depend on one another, the record itself included.
    known
        Levels III and IV: fraction of the records whose values the adversary knows.
    header
        Whether the first row of the files names the columns.
    json
        Print one JSON document that says what was written.
    """
    from kproof.datasets import read_table
    from kproof.report import Context, Settings, write_report
    from kproof.report.sections import sections

    settings = Settings.of(shift=shift, k=k, neighbourhood=neighbourhood, known=known)
    tables = tuple(read_table(source, header=header) for source in data or ("table-1a",))
    path = write_report(Context(tables, column, settings), out)
    if json:
        write_json(
            {
                "schema": 1,
                "report": str(path),
                "sections": [section.id for section in sections()],
                "tables": [
                    {"source": table.source, "rows": len(table.lines), "columns": list(table.names)}
                    for table in tables
                ],
            }
        )
    else:
        print(path)
