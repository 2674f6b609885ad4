"""``kproof hierarchy``: the levels above a column's values, as the file that ARX reads."""

from typing import Annotated

from cyclopts import Parameter

from kproof.cli.base.columns import FileOptions
from kproof.cli.base.common import JSON
from kproof.cli.base.printing import console, write_json, write_line, write_lines, write_table
from kproof.errors import InvalidArgument, show
from kproof.outputs import check_outputs
from kproof.schemas.printed import HierarchyWritten
from kproof.stages import stage

SHOWN = 3
"""Values whose labels are printed."""


def hierarchy(
    data: str,
    /,
    *,
    column: str,
    ladder: str | None = None,
    output: Annotated[str, Parameter(name=("--output", "-o"))],
    file: FileOptions = FileOptions(),
    json: JSON = False,
) -> None:
    """Draw levels above the values of a column and write them as a hierarchy.

    The file has a line for each value with its label at every level, separated by semicolons, as
    ARX reads and writes it; --taxonomy COLUMN=FILE takes it back.

    Args:
        data: A CSV, Excel or Parquet file, or the name of a shipped table.
        column: A column of the file.
        ladder: How levels are drawn: date, datetime, week, weekday, time, prefix, beginning,
            range:5,10, round:10,100, order:low<medium<high or flat, which is the value or *; date,
            datetime and time may be left out.
        output: The file to write.
    """
    from kproof.datasets import MISSING_CELLS
    from kproof.models.tables.levels.base import ladder_of
    from kproof.models.tables.readers import FileLayout, table_of
    from kproof.models.tables.roles import Roles
    from kproof.models.tables.writers import hierarchy_rows, write_hierarchy

    files = check_outputs({"output": output}, reads=[data])
    ladders = {} if ladder is None else {column: ladder}
    cells = file.missing or MISSING_CELLS
    roles = Roles.of(quasi_identifiers=[column], ladders=ladders, missing=cells)
    with stage(f"reading {data}"):
        [read] = table_of(data, roles, FileLayout.of(**file.layout())).quasi_identifiers
    tree = read.taxonomy
    if tree is None:
        raise InvalidArgument(
            "ladder",
            None,
            f"--ladder for {show(column)}, which holds no dates; flat is the value or *",
        )
    with files.together():
        count = write_hierarchy(output, tree, read.values, column)
    rows = hierarchy_rows(tree, read.values, column)
    if json:
        labels = tuple(len(set(level)) for level in zip(*rows, strict=True))
        write_json("hierarchy", HierarchyWritten(column, ladder_of(tree), count, output, labels))
        return
    heading = f"{column} by {ladder_of(tree)}: {count} values, levels 0 to {tree.top}"
    write_line(console(), heading)
    # A line for each level: a hierarchy may have more levels than a terminal has room for.
    first = [*zip(*rows[:SHOWN], strict=True)]
    write_table(["level", *first[0]], [(at, *first[at]) for at in range(1, len(first))])
    write_lines(f"written: {output}")
