"""``kproof report``: the main job, one HTML page about your data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Group, Parameter

from kproof.cli.columns import NAMES, Columns, Levels, pairs
from kproof.cli.common import JSON, write_json
from kproof.errors import DataError, InvalidArgument
from kproof.outputs import Folder, checked

if TYPE_CHECKING:
    from kproof.report.context import Microdata

app = App(name="report")

_TABLE = Group("Your table", sort_key=2)
_BOUNDS = Group("Bounds for its numeric columns", sort_key=3)
_DEFAULTS = Columns()
_NO_LEVELS = Levels()

EXAMPLE = "table-1a"
"""What the page is about if nothing is named."""


@app.default
def report(
    *data: str,
    out: str = "results",
    columns: Columns = _DEFAULTS,
    k: Annotated[str | None, Parameter(group=_TABLE)] = None,
    mu: Annotated[str, Parameter(group=_TABLE)] = "3/5",
    taxonomy: Annotated[NAMES, Parameter(negative=(), group=_TABLE)] = (),
    levels: Levels = _NO_LEVELS,
    most_members: Annotated[str | None, Parameter(group=_TABLE)] = None,
    column: Annotated[NAMES, Parameter(negative=(), group=_BOUNDS)] = (),
    shift: Annotated[str | None, Parameter(group=_BOUNDS)] = None,
    neighbourhood: Annotated[str, Parameter(group=_BOUNDS)] = "2",
    known: Annotated[str, Parameter(group=_BOUNDS)] = "1/5",
    json: JSON = False,
) -> None:
    """Write one self-contained HTML page about your data.

    With --qi the table is anonymized, checked and attacked; its numeric columns are held against
    the theorems.

    Parameters
    ----------
    data
        CSV files or names of shipped tables; table-1a with its roles if none is named.
    out
        Folder the page is written to, as report.html.
    k
        Least number of people in a class, by default 4; for the bounds the least size of a
        cloaked set, by default 10.
    mu
        Share of the variance of a fully diverse class, such as 3/5.
    taxonomy
        Generalization hierarchy of a column: COLUMN=FILE; may be repeated.
    most_members
        Most members of a set that a label may show; by default 8, and 3 for dates.
    column
        Bounds for this column only: a name or a position counted from 1; may be repeated.
    shift
        How far one record moves the sum; by default max - min of the column.
    neighbourhood
        Levels II and IV: most records that depend on one another, the record itself included.
    known
        Levels III and IV: fraction of the records whose values the adversary knows.
    """
    from kproof.datasets import MISSING_CELLS, read_text_table
    from kproof.report.context import Context, Settings
    from kproof.report.sections import FILE_NAME, sections, write_report

    reads = [*data, *columns.reads, *pairs("taxonomy", taxonomy).values()]
    files = checked({}, folders={"out": Folder(out, (FILE_NAME,))}, reads=reads)
    settings = Settings.of(
        shift=shift, k="10" if k is None else k, neighbourhood=neighbourhood, known=known
    )
    file = columns.file()
    layout = {**({} if file is None else file.reading), **columns.layout()}
    # Its numbers are read as they are typed: what has a comma is no column of numbers there.
    layout.pop("decimal", None)
    size = "4" if k is None else k
    tables = tuple(
        read_text_table(source, **layout, missing=columns.missing or MISSING_CELLS)
        for source in data or (EXAMPLE,)
    )
    for table in tables:
        if not table.lines:
            raise DataError(f"{table.source}: the table has no rows")
    microdata = _microdata(data, columns, levels, taxonomy, most_members, size, mu)
    with files.together():
        path = write_report(Context(tables, column, settings, microdata), out)
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


def _microdata(
    data: tuple[str, ...],
    columns: Columns,
    levels: Levels,
    taxonomy: tuple[str, ...],
    most_members: str | None,
    k: str,
    mu: str,
) -> Microdata | None:
    """Return the table with its roles; None if files are named and roles are not."""
    from kproof.models.papers.theta_tables import microdata
    from kproof.models.tables.readers import read_table
    from kproof.report.context import Microdata

    if not columns.qi and columns.roles_file is None:
        needing = {
            "sensitive": ",".join(columns.sensitive),
            "taxonomy": taxonomy,
            "ladder": levels.ladder,
            "least_level": levels.least_level,
            "most_level": levels.most_level,
        }
        for name, value in needing.items():
            if value:
                raise InvalidArgument(name, value, "--qi NAME,NAME,... with it")
        return None if data else Microdata.of(EXAMPLE, microdata(), k=k, mu=mu)
    if len(data) != 1:
        name, given = ("qi", ",".join(columns.qi)) if columns.qi else ("roles", columns.roles_file)
        raise InvalidArgument(name, given, "one file of DATA whose columns these are")
    roles = columns.roles(data[0], taxonomy=taxonomy, levels=levels)
    table = read_table(data[0], **roles, most_members=most_members)
    return Microdata.of(data[0], table, k=k, mu=mu)
