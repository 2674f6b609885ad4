"""``kproof design release``: which k and which chance of a row meet a target."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from kproof.cli.base.common import HEADER, JSON, NAMES, grid, split
from kproof.cli.base.printing import write_json, write_table
from kproof.cli.base.status import ExitStatus
from kproof.errors import InvalidArgument

if TYPE_CHECKING:
    from collections.abc import Mapping

_OWNER = (
    "the shares of rows are computed from the rows: they are for the owner of the data, and not to "
    "be published"
)


def design_release(
    *,
    epsilon: str,
    delta: str,
    beta: str | None = None,
    neighbours: str = "add",
    rows: str | None = None,
    columns: NAMES = (),
    header: HEADER = "detect",
    json: JSON = False,
) -> ExitStatus:
    """Find the least k for each chance of a row at which a sampled table meets a target.

    Args:
        epsilon: The target's epsilon.
        delta: The target's delta; no epsilon reaches one below beta^k.
        beta: Chance that a row is kept: a number, a,b,c or start:stop:count; by default 0.1 to 0.9.
        neighbours: add: tables with a row more or less. replace: tables with other values in one
            row.
        rows: A CSV file or the name of a shipped table, at the levels at which it would be
            published: also say what share of its rows would be. That is for the owner alone.
        columns: Columns that would be published, by name or position; by default all.
    """
    from kproof.report.wording import at_most
    from kproof.theory.theorems.bounds import shown_exactly
    from kproof.theory.theorems.releases.sampled import FRONTIER, release_design

    chances = FRONTIER if beta is None else grid("beta", beta).typed
    sizes = None if rows is None else _sizes(rows, columns, header)
    if columns and rows is None:
        raise InvalidArgument("columns", ", ".join(columns), "--rows FILE with it")
    designs = release_design(
        epsilon=epsilon, delta=delta, beta=chances, neighbours=neighbours, sizes=sizes
    )
    notes = list(designs[0].met.flags[:3]) + ([] if sizes is None else [_OWNER])
    if neighbours == "replace":
        notes.append(
            "where the search for the worst pair ends early, a smaller k may suffice as well"
        )
    if json:
        from kproof.schemas.printed_bounds import ReleasesDesigned

        document = ReleasesDesigned(epsilon, delta, neighbours, designs, tuple(notes))
        write_json("design-release", document)
        return ExitStatus.DONE
    shares = ["share of rows shown"] if sizes is not None else []
    rows_of = [
        (
            shown_exactly(design.beta),
            design.k,
            at_most(design.met.delta),
            "-" if design.missed is None else design.missed.delta,
            *([] if design.share is None else [design.share]),
        )
        for design in designs
    ]
    write_table(
        ["beta", "k", "delta", "with k - 1", *shares],
        rows_of,
        above=[f"the least k for epsilon = {epsilon}, delta = {delta}"],
        below=notes,
    )
    return ExitStatus.DONE


def _sizes(path: str, columns: tuple[str, ...], header: HEADER) -> Mapping[int, int]:
    """Return how many cells a table has of each number of rows."""
    from kproof.datasets import read_text_table

    table = read_text_table(path, header=header, missing=())
    places = [table.position(name) for name in split(columns)] or range(len(table.names))
    cells = Counter(zip(*(table.cells[place] for place in places), strict=True))
    return Counter(cells.values())
