"""``kproof anonymize DATA``: the safe path, and what every release of a table is asked for.

What a method makes is judged before it is written. What is not to be published is not written,
unless somebody insists: then under a name that says so.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Group, Parameter

from kproof.cli.base.columns import Columns, SourceColumns
from kproof.cli.base.common import JSON, NAMES, option_group, split
from kproof.cli.base.printing import ExitStatus, write_json, write_lines
from kproof.cli.releases.judging import Judging, publisher_of, status_of, status_of_findings
from kproof.errors import InvalidArgument, KProofError
from kproof.models.methods import METHODS
from kproof.outputs import Outputs
from kproof.outputs.printed import STREAM
from kproof.piped import command_word, is_piped
from kproof.stages import stage

if TYPE_CHECKING:
    from kproof.models.judgement.findings import Judgement
    from kproof.models.publishing.published import Published
    from kproof.models.publishing.publisher import TablePublisher

UNSAFE = ".unsafe"
"""What the name of a file has after it that is not to be published."""

NOT_WRITTEN = "not written: it is not to be published; --force writes it to a file named .unsafe"
"""What is said in place of the name of a file."""

_PATH = Group("The safe path", sort_key=2)


@option_group()
class Forcing(Judging):
    """What a release is judged for, and what becomes of one that is not to be published."""

    force: Annotated[bool, Parameter(negative=())] = False
    """Write a release that may not be published, to a file whose name ends in .unsafe."""

    def is_written(self, judgement: Judgement) -> bool:
        """Say whether a release is written under the name that was asked for."""
        return judgement.green or self.audience == "study"

    def place(self, output: str, judgement: Judgement) -> str | None:
        """Return where a release is written; None if it is not."""
        if self.is_written(judgement):
            return output
        return f"{output}{UNSAFE}" if self.force else None

    def status(self, judgement: Judgement) -> ExitStatus:
        """Return the exit status: what was judged, but of a study that nobody publishes."""
        return ExitStatus.DONE if self.audience == "study" else status_of(judgement)

    def outputs(
        self, output: str, reads: Iterable[str | Path | None], **more: str | None
    ) -> Outputs:
        """Check every file that may be written."""
        if self.force and output == STREAM:
            admissible = "the name of a file, to which .unsafe is added, beside --force"
            raise InvalidArgument("output", command_word(output), admissible)
        return super().outputs(
            output, reads, **more, force=f"{output}{UNSAFE}" if self.force else None
        )


@option_group(_PATH)
class SafePath(Forcing):
    """What is asked of the safe path."""

    k: str | None = None
    """Fewest people in a class to try, 5 if not given; or all sizes to try, separated by
    commas."""
    keep: NAMES = ()
    """Columns that stay, whatever they cost: names separated by commas."""
    seed: str | None = None
    """Makes the order of rows the same again. Do not publish such a file: anyone who guesses the
    seed can tell whose row is whose."""

    def ladder(self) -> tuple[int, ...]:
        """Return the class sizes that are tried."""
        from kproof.models.publishing.path import LADDER
        from kproof.theory.exact.typed import integer

        if self.k is None:
            return LADDER
        sizes = tuple(integer("k", size, least=2) for size in self.k.split(","))
        return sizes if len(sizes) > 1 else (*sizes, *(size for size in LADDER if size > sizes[0]))


def publish_safely(
    data: str,
    /,
    *words: Annotated[str, Parameter(show=False)],
    output: Annotated[str | None, Parameter(name=("--output", "-o"))] = None,
    columns: SourceColumns = SourceColumns(),
    path: SafePath = SafePath(),
    json: JSON = False,
) -> int:
    """Publish a table safely, or by a method that is named.

    Without the name of a method: classes are formed from known columns alone, the
    least that nothing stands against; columns that name people or have no role are
    left out, numbers rounded, rows put into a random order. What is not to be
    published is not written, and the status is 1, or 4 if it is not decided.

    Args:
        data: A CSV, Excel or Parquet file, or the name of a shipped table.
        output: The file to write; a receipt is written beside it, for the next release.
    """
    if words or _is_no_file(data):
        # It raises: the name of a method is a command of its own and does not come here.
        METHODS.entry(data)
    if output is None:
        raise InvalidArgument("output", None, "the file to write, such as -o release.csv")

    def work(publisher: TablePublisher) -> Published:
        from kproof.models.publishing.path import on_safe_path

        return on_safe_path(publisher, k=path.ladder(), keep=split(path.keep), seed=path.seed)

    return _publish(work, data, output, columns, path, json)


def publish_as_is(
    data: str,
    /,
    *,
    output: Annotated[str, Parameter(name=("--output", "-o"))],
    columns: SourceColumns = SourceColumns(),
    path: Forcing = Forcing(),
    seed: str | None = None,
    json: JSON = False,
) -> int:
    """Publish a table as it is, less what is never published, in a random order.

    Columns with a least level show that.

    Args:
        data: A CSV, Excel or Parquet file, or the name of a shipped table.
        output: The file to write; a receipt is written beside it, for the next release.
        seed: Makes the order of rows the same again; what is written with it is not to be
            published.
    """

    def work(publisher: TablePublisher) -> Published:
        from kproof.models.publishing.path import as_is

        return as_is(publisher, seed=seed)

    return _publish(work, data, output, columns, path, json)


def publish_counts(
    data: str,
    /,
    *,
    output: Annotated[str, Parameter(name=("--output", "-o"))],
    columns: Columns = Columns(),
    path: Judging = Judging(),
) -> int:
    """Publish how many people have which value, one column at a time, in place of rows.

    Args:
        data: A CSV, Excel or Parquet file, or the name of a shipped table.
        output: The file to write: column, label and people of each cell; a receipt is written
            beside it, for the next release.
    """
    from kproof.models.publishing.counts import counts

    files = path.outputs(output, [data, *columns.reads])
    publisher = publisher_of(columns.table(data), data, columns, path, output)
    if publisher.unconfirmed:
        write_lines(f"not decided: {publisher.unconfirmed[0]}")
        return ExitStatus.OPEN
    result = counts(publisher)
    status = status_of_findings(result.beside)
    if status is ExitStatus.DONE:
        with files.together():
            result.write(output, receipt=path.has_receipt(output))
    place = f"written: {output}" if status is ExitStatus.DONE else "not written"
    write_lines(f"{result}\n{place}")
    return status


def _publish(
    work: Callable[[TablePublisher], Published],
    data: str,
    output: str,
    columns: SourceColumns,
    forcing: Forcing,
    json: bool,
) -> int:
    from kproof.models.tables.risk import risk
    from kproof.models.tables.utility import utility

    files = forcing.outputs(output, [data, *columns.reads])
    result = work(publisher_of(columns.table(data), data, columns, forcing, output))
    judgement, guarded = result.judgement, 0
    place = forcing.place(output, judgement)
    if place is not None:
        with stage(f"writing {place}"), files.together():
            # What is not to be published has no receipt, by which the next release would count it
            # as one.
            receipt = judgement.green and forcing.has_receipt(output)
            guarded = result.write(place, receipt=receipt, key=forcing.secret_key)
    if json:
        from kproof.schemas.printed import AnonymizedTable

        release = result.release
        costs, chances = utility(release, queries=0), risk(release)
        outcome = AnonymizedTable(release, costs, chances, None, judgement, result, place, guarded)
        write_json("anonymize", outcome)
        return forcing.status(judgement)
    tell_guarded(guarded)
    write_lines(result)
    if judgement.broken:
        words = ["kproof", "anonymize", "counts", command_word(data), *columns.words(Columns)]
        line = [*words, "-o", "counts.csv"]
        write_lines(f"do not publish rows; publish counts: {shlex.join(line)}")
    write_lines(f"written: {place}" if place is not None else NOT_WRITTEN)
    return forcing.status(judgement)


def repair_of(publisher: TablePublisher) -> Published | None:
    """Return what the safe path makes of the same table; None if it cannot be used there."""
    from kproof.models.publishing.path import on_safe_path

    try:
        return on_safe_path(publisher)
    except KProofError:
        return None


def repair_text(repair: Published, data: str, output: str, words: Sequence[str]) -> str:
    """Return the command that makes a release safe, with the words it has, and what came of it."""
    line = shlex.join(
        ["kproof", "anonymize", command_word(data), *words, "-o", command_word(output)]
    )
    if not repair.judgement.green:
        line = "no release of the safe path is to be published either"
    return "\n".join([line, repair.settings, *repair.notes, repair.judgement.sentence])


def tell_guarded(guarded: int) -> None:
    """Say on standard error how many cells were written with an apostrophe."""
    if guarded:
        cells = "1 cell opens" if guarded == 1 else f"{guarded} cells open"
        verb = "was" if guarded == 1 else "were"
        sys.stderr.write(f"kproof: {cells} like a formula and {verb} written with an apostrophe\n")


def _is_no_file(data: str) -> bool:
    """Say whether a word is rather the name of a method than of a file or a shipped table."""
    from kproof.datasets.shipped import SHIPPED

    if Path(data).is_dir():
        raise InvalidArgument("data", data, "a file; a method has to be named before a folder")
    there = is_piped(data) or data in SHIPPED
    # No name of a method has these signs in it: a path that leads nowhere is told as a file.
    return not there and not Path(data).exists() and not set(data) & set("./\\")
