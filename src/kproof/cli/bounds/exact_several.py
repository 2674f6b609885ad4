"""``kproof exact several``: what several sums of the same records tell together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cyclopts import App

from kproof.cli.base.common import HEADER, JSON, MISSING, SWITCH
from kproof.cli.base.printing import write_json, write_table
from kproof.cli.bounds.inputs import lines, notes_on, shift_of
from kproof.errors import DataError, InvalidArgument, show

if TYPE_CHECKING:
    from kproof.datasets import NumericColumn
    from kproof.theory.profiles.several import SeveralDelta

app = App(
    name="several",
    help="What several sums of the same records tell together, such as a total and group totals.",
)


@app.default
def several(
    *,
    data: str,
    column: str,
    epsilon: str,
    by: str | None = None,
    sums: str | None = None,
    shift: str | None = None,
    others_only: SWITCH = False,
    header: HEADER = "detect",
    missing: MISSING = (),
    json: JSON = False,
) -> None:
    """Delta of all sums at once, for records drawn independently from a column.

    The deltas of single sums may not be added or composed: the sums share their randomness.

    Args:
        data: A CSV file or the name of a shipped table.
        column: A column of the file, which is summed: a name or a position counted from 1.
        epsilon: At least 0.
        by: A column of groups: the total is published, and that of each group.
        sums: In its place, a file with one sum in each line: indexes of rows, from 0, and ranges
            such as 0-11, separated by blanks or commas.
        shift: How far one record moves the sums it is in; by default max - min of the column.
        others_only: Count only the randomness of the other records, the victim's being fixed.
    """
    from kproof.datasets import MISSING_CELLS, read_text_table
    from kproof.theory.exact.typed import rational
    from kproof.theory.laws import empirical
    from kproof.theory.laws.several_sums import several_sums
    from kproof.theory.profiles.several import several_delta
    from kproof.theory.theorems.bounds import shown_exactly

    if (by is None) == (sums is None):
        raise InvalidArgument("by", by, "either --by COLUMN or --sums FILE")
    table = read_text_table(data, header=header, missing=missing or MISSING_CELLS)
    values = table.column(column)
    if values.missing:
        raise DataError(
            f"{values.source}: column {values.name!r} has {values.missing} rows without a value; "
            "the sums need one in each row"
        )
    rows = len(values.values)
    if by is not None:
        names, members = _groups(table.names[table.position(by)], table.cells[table.position(by)])
    else:
        names, members = _listed(str(sums), rows)
    distance = rational("shift", shift_of(shift, values), above=0)
    found = several_delta(
        several_sums(empirical(values.values, name=values.name), members, n=rows),
        shift=distance,
        epsilon=rational("epsilon", epsilon, least=0),
        others_only=others_only,
    )
    notes = [*notes_on(values, shift), f"the law is that of independent draws from {values.name}"]
    if json:
        from kproof.schemas.printed_bounds import ExactSeveral

        at = shown_exactly(rational("epsilon", epsilon))
        several = ExactSeveral(
            shown_exactly(distance), at, tuple(names), found.delta, found.cells, tuple(notes)
        )
        write_json("exact-several", several)
        return
    _show(found, values, names, f"shift {shown_exactly(distance)}, epsilon {epsilon}", notes)


def _show(
    found: SeveralDelta,
    values: NumericColumn,
    names: Sequence[str],
    heading: str,
    notes: Sequence[str],
) -> None:
    from kproof.report.wording import at_most

    rows, below = [], [f"for whoever is in one of them: delta = {found.delta}"]
    for share in found.cells:
        members = ", ".join(names[place] for place in share.cell.sums)
        alone = max(share.alone, key=lambda each: each.upper)
        rows.append((members, share.cell.count, at_most(alone), at_most(share.together)))
        if share.determined and share.cell.count == 1:
            below.append(f"the sums give away the record of row {share.cell.first}")
        if not share.exact:
            below.append(f"of {members} the value is a bound: the lattice of all is too large")
    write_table(
        ["who is in", "records", "delta of one sum", "delta of all"],
        rows,
        above=[f"{len(names)} sums of {values.name}, {heading}", *notes],
        below=below,
    )


def _groups(name: str, cells: Sequence[str]) -> tuple[list[str], list[list[int]]]:
    """Return the total and the groups of a column by value."""
    there: dict[str, list[int]] = {}
    for row, cell in enumerate(cells):
        there.setdefault(cell, []).append(row)
    names = ["total", *(f"{name} {show(cell)}" for cell in there)]
    return names, [list(range(len(cells))), *there.values()]


def _listed(path: str, rows: int) -> tuple[list[str], list[list[int]]]:
    """Return the sums of a file, one in each line."""
    members = []
    for number, line in enumerate(lines(path), 1):
        cells = line.replace(",", " ").split()
        if not cells or cells[0].startswith("#"):
            continue
        found: list[int] = []
        for cell in cells:
            ends = cell.split("-")
            if len(ends) > 2 or not all(end.isascii() and end.isdigit() for end in ends):
                raise DataError(
                    f"{show(path)}, line {number}: {show(cell)}, need indexes of rows from 0"
                )
            first, last = int(ends[0]), int(ends[-1])
            if not first <= last < rows:
                raise DataError(
                    f"{show(path)}, line {number}: {show(cell)}, need rows 0 to {rows - 1}"
                )
            found.extend(range(first, last + 1))
        members.append(found)
    return [f"sum {place}" for place in range(1, len(members) + 1)], members
