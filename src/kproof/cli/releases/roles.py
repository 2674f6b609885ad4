"""``kproof roles``: what each column of a table seems to be, and which role it should have."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from kproof.cli.base.columns import FileOptions
from kproof.cli.base.common import JSON
from kproof.cli.base.printing import ExitStatus, console, write_lines, write_result, write_table
from kproof.errors import DataError, InvalidArgument, show
from kproof.outputs import check_outputs, write_text
from kproof.stages import stage

if TYPE_CHECKING:
    from kproof.models.tables.proposals.proposal import RolesProposal


def roles(
    data: str,
    /,
    *,
    file: FileOptions = FileOptions(),
    output: Annotated[str | None, Parameter(name=("--output", "-o"))] = None,
    force: Annotated[bool, Parameter(negative=())] = False,
    confirm: Annotated[bool, Parameter(negative=())] = False,
    json: JSON = False,
) -> int:
    """Propose a type and a role for every column of a table.

    For each column the values that differ, the rows without one, and the rows that it
    singles out, alone and with one or two others, are counted. The roles file is there
    to be edited; anonymize, check, attack and report read it with --roles. The status
    is 4 if something has to be decided first, such as which format dates have.

    Args:
        data: A CSV, Excel or Parquet file, or the name of a shipped table.
        output: Write the roles file, in TOML, to this file.
        force: Replace a file that is there already.
        confirm: Confirm the roles file that stands in place of DATA, and print its roles. A
            proposal decides nothing until somebody confirms or edits it.
    """
    from kproof.models.tables.proposals.proposal import propose_roles
    from kproof.schemas.printed import RolesProposed

    if confirm:
        if output is not None or json or force:
            raise InvalidArgument("confirm", data, "the roles file alone: no --output, --json")
        return _confirm(data)
    files = check_outputs({"output": output}, reads=[data])
    if output is not None and not force and os.path.isfile(output):
        reason = "is there already, and somebody may have edited it; say --force to replace it"
        raise DataError(f"{output}: {reason}")
    with stage(f"reading {data}"):
        proposal = propose_roles(data, **file.layout(), missing=file.missing or None)
    if output is not None:
        with files.together():
            write_text(output, proposal.to_toml())
    if not json:
        _print(proposal)
    write_result("roles", RolesProposed(proposal, output), json=json, text="", written=[output])
    return ExitStatus.OPEN if proposal.questions else ExitStatus.DONE


def _confirm(path: str) -> int:
    """Print what a roles file says of each column, and take the mark of a proposal out of it."""
    from kproof.models.tables.proposals.roles_file import RolesFile, confirm_text

    file = RolesFile.read(path)
    # For its errors: a file that no command would take is not confirmed.
    file.options()
    for name, column in file.columns.items():
        write_lines(f"{show(name)}: {column.role}")
    if file.confirmed:
        write_lines(f"nothing to confirm: {path} is no proposal, or was edited")
        return ExitStatus.DONE
    # Not among what is read, which no output may be: it replaces itself.
    with check_outputs({"output": path}, reads=[]).together():
        write_text(path, confirm_text(Path(path).read_text(encoding="utf-8")))
    write_lines(f"confirmed: {path}")
    return ExitStatus.DONE


def _print(proposal: RolesProposal) -> None:
    from kproof.cli.base.narrow import USUAL
    from kproof.models.tables.proposals.proposal import HEADINGS

    if console().width >= USUAL:
        print(proposal)
        return
    write_lines("\n".join((*proposal.above, "")))
    write_table(HEADINGS, proposal.cells)
    write_lines("\n".join(("", *proposal.below)))
