"""``kproof roles``: what each column of a table seems to be, and which role it should have."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from kproof.cli.columns import FileOptions
from kproof.cli.common import JSON, console, plain_table, write_json, write_lines
from kproof.cli.examples import epilogue
from kproof.cli.status import ExitStatus
from kproof.errors import DataError
from kproof.outputs import checked, write_text
from kproof.stages import stage

if TYPE_CHECKING:
    from kproof.models.tables.proposals.proposal import RolesProposal

app = App(name="roles", help_epilogue=epilogue("roles"))

_DEFAULTS = FileOptions()


@app.default
def roles(
    data: str,
    /,
    *,
    file: FileOptions = _DEFAULTS,
    output: Annotated[str | None, Parameter(name=("--output", "-o"))] = None,
    force: Annotated[bool, Parameter(negative=())] = False,
    json: JSON = False,
) -> int:
    """Propose a type and a role for every column of a table.

    For each column the values that differ, the rows without one, and the rows that it
    singles out, alone and with one or two others, are counted. The roles file is there
    to be edited; anonymize, check, attack and report read it with --roles. The status
    is 4 if something has to be decided first, such as which format dates have.

    Parameters
    ----------
    data
        A CSV, Excel or Parquet file, or the name of a shipped table.
    output
        Write the roles file, in TOML, to this file.
    force
        Replace a file that is there already.
    """
    from kproof.models.tables.proposals.proposal import propose_roles

    files = checked({"output": output}, reads=[data])
    if output is not None and not force and os.path.isfile(output):
        raise DataError(
            f"{output}: is there already, and somebody may have edited it; "
            "say --force to replace it"
        )
    with stage(f"reading {data}"):
        proposal = propose_roles(data, **file.layout(), missing=file.missing or None)
    if output is not None:
        with files.together():
            write_text(output, proposal.to_toml())
    if json:
        write_json("roles", proposal.to_dict() | ({} if output is None else {"output": output}))
    else:
        _print(proposal)
        if output is not None:
            write_lines(f"written: {output}")
    return ExitStatus.OPEN if proposal.questions else ExitStatus.DONE


def _print(proposal: RolesProposal) -> None:
    from kproof.cli.narrow import USUAL
    from kproof.models.tables.proposals.proposal import HEADINGS

    out = console()
    if out.width >= USUAL:
        print(proposal)
        return
    table = plain_table(HEADINGS)
    for cells in proposal.cells:
        table.add_row(*cells)
    write_lines("\n".join((*proposal.above, "")))
    out.print(table, markup=False)
    write_lines("\n".join(("", *proposal.below)))
