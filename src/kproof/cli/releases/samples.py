"""How tables of rows kept by coins are written: with their certificate, and what they are worth."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from kproof.cli.base.printing import (
    ExitStatus,
    console,
    write_json,
    write_line,
    write_lines,
    write_table,
)
from kproof.errors import InvalidArgument
from kproof.outputs import check_outputs, write_text
from kproof.outputs.printed import is_standard_output
from kproof.schemas.printed import SampledWritten
from kproof.stages import stage

if TYPE_CHECKING:
    from kproof.models.tables.sampled import SampledRelease

CERTIFICATE = ".certificate.json"
"""What the name of a certificate has after that of its table."""


def write_sample(
    output: str,
    release_of: Callable[[], tuple[SampledRelease, int]],
    *,
    reads: Sequence[str | None],
    beta: str,
    cells: str | None = None,
    beside: Mapping[str, str] | None = None,
    remarks: Sequence[str] = (),
    json: bool,
) -> int:
    """Write a sampled table with its certificate, and say what it is worth.

    ``release_of`` makes the table, and says of how many rows; it is called once the files can be
    written, none of which is one of ``reads``. ``beta`` is as typed, for a message. ``cells`` is
    the file for cells with their counts as GeoJSON; ``beside`` has other files by path, made
    without the rows. ``remarks``, known once the table is made, are what else its owner is told.
    """
    from kproof.models.places.heatmap.sampled_cells import to_geojson
    from kproof.models.tables.sampled.rechecking import is_worth_something

    if is_standard_output(output):
        raise InvalidArgument("output", "-", "a file: its certificate is written beside it")
    place, beside = f"{output}{CERTIFICATE}", beside or {}
    names = {"output": output, "certificate": place, "map": cells} | {path: path for path in beside}
    files = check_outputs(names, reads=reads)
    release, rows = release_of()
    bounds = [bound.to_dict() for bound in release.certificate.bounds]
    # By the bounds, which k and beta decide: a refusal that hung on the rows would tell of them.
    if release.certificate.fit and not is_worth_something(bounds):
        need = "a chance, and k, with delta below 1/2 at an epsilon of at most 10"
        raise InvalidArgument("beta", beta, f"{need}; kproof design release finds them")
    with stage(f"writing {output}"), files.together():
        write_text(output, release.to_csv())
        write_text(place, release.certificate.to_text())
        if cells is not None:
            write_text(cells, to_geojson(release))
        for path, text in beside.items():
            write_text(path, text)
    written = tuple(name for name in (output, place, cells, *beside) if name is not None)
    fit = release.certificate.fit
    if json:
        counts = (rows, len(release.rows))
        write_json("anonymize-sampled", SampledWritten(*counts, release.certificate, written))
        return ExitStatus.DONE if fit else ExitStatus.VIOLATED
    print_bounds(bounds)
    share = f"{len(release.rows):,} of {rows:,} rows are shown"
    write_line(console(), f"{share}: that is for you alone, and not to be published")
    for remark in remarks:
        write_line(console(), remark)
    advice = "unfit to publish: the coins came from a seed"
    if fit:
        advice = (
            "publish these files and nothing else, and do not run this again for a better table: "
            "you would choose by rows that are not shown"
        )
    write_line(console(), advice)
    for name in written:
        write_lines(f"written: {name}")
    return ExitStatus.DONE if fit else ExitStatus.VIOLATED


def print_bounds(bounds: Iterable[Mapping[str, Any]]) -> None:
    """Print a row for each bound of a certificate."""
    from kproof.report.wording import at_most
    from kproof.theory.exact.enclosure import Enclosure

    def short(number: str) -> str:
        return at_most(Enclosure.exactly(Fraction(number)))

    differ = {"add": "a row more or less", "replace": "the values of a row"}
    write_table(
        ["tables that differ in", "epsilon", "delta at most"],
        [
            (differ[bound["neighbours"]], short(bound["epsilon"]), short(bound["delta"]))
            for bound in bounds
        ],
    )
