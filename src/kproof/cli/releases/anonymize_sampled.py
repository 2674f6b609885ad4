"""``kproof anonymize sampled`` and its check: a table whose worth holds against everyone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from kproof.cli.base.common import HEADER, JSON, REPEATED, SWITCH, grid
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
from kproof.outputs.printed import STREAM, is_standard_output
from kproof.schemas.printed import SampledWritten
from kproof.stages import stage

if TYPE_CHECKING:
    from kproof.models.tables.sampled import SampledRelease

CERTIFICATE = ".certificate.json"
"""What the name of a certificate has after that of its table."""


def publish_sample(
    data: str,
    /,
    *,
    output: Annotated[str, Parameter(name=("--output", "-o"))],
    levels: REPEATED = (),
    k: str,
    beta: str,
    person: str | None = None,
    first_row_of: str | None = None,
    one_row_each: SWITCH = False,
    choose: str | None = None,
    epsilon: str = "0.1,0.5,1,2",
    also: REPEATED = (),
    # Whether a first row looks like a header hangs on the other rows: it is said, not detected.
    header: HEADER = "yes",
    cells: Annotated[str | None, Parameter(name="--map")] = None,
    test_seed: str | None = None,
    json: JSON = False,
) -> int:
    """Publish rows kept by coins, in cells fixed beforehand, with a certificate beside them.

    Cells of fewer than k kept rows are dropped, rows are shuffled, and nothing else
    is published. What the table is worth holds against everyone.

    Args:
        data: A CSV or Excel file, or the name of a shipped table.
        output: The file to write; its certificate is written to FILE.certificate.json.
        levels: Levels of the published columns, written down without a look at the rows:
            COLUMN=RULE,... where RULE is value, range:WIDTH, range:WIDTH;origin=NUMBER or
            FILE@LEVEL of a hierarchy. May be repeated, with --choose: each is one choice of levels.
        k: Fewest kept rows of a cell that is shown; a cell is a whole published row.
        beta: Chance that a row is kept, such as 1/10.
        person: Column that says whose a row is. Somebody with several rows stops the method.
        first_row_of: The same, of people with several rows: of each the first counts, and the
            others are not looked at.
        one_row_each: Answer for it that every row is somebody else's.
        choose: Choose among the levels with this epsilon, on a second sample of its own; it adds
            to the epsilon of the table.
        epsilon: A number, a,b,c or start:stop:count, where the certificate states delta.
        also: Something else that would be published, such as class-totals: always refused, with
            the delta that it would leave.
        cells: Write the cells with their counts as GeoJSON, too; the published columns are then
            ranges of latitudes and of longitudes.
        test_seed: Take the coins from a seed. Table and certificate say that they are unfit to be
            published.
    """
    from kproof.datasets import read_text_table
    from kproof.models.places.heatmap.sampled_cells import require_coordinates
    from kproof.models.tables.sampled import sampled
    from kproof.models.tables.sampled.levels import hierarchy_files

    if (person is not None) + (first_row_of is not None) + one_row_each != 1:
        ways = "--person COLUMN, --first-row-of COLUMN or --one-row-each, one of them: the bound is"
        raise InvalidArgument("person", person, f"{ways} about one row")
    points = grid("epsilon", epsilon).values
    if cells is not None:
        require_coordinates(levels)
    whose: dict[str, Any] = {"person": person, "first_row_of": first_row_of}
    choices = levels if len(levels) < 2 else [[choice] for choice in levels]

    def release() -> tuple[SampledRelease, int]:
        with stage(f"reading {data}"):
            table = read_text_table(data, header=header, missing=())
        with stage(f"tossing coins for {len(table.lines):,} rows"):
            how: dict[str, Any] = {"epsilons": points, "also": also, "test_seed": test_seed}
            made = sampled(table, levels=choices, k=k, beta=beta, choose=choose, **whose, **how)
            return made, len(table.lines)

    reads = [data, *hierarchy_files(levels)]
    return write_sample(output, release, reads=reads, cells=cells, beta=beta, json=json)


def write_sample(
    output: str,
    release_of: Callable[[], tuple[SampledRelease, int]],
    *,
    reads: Sequence[str | None],
    beta: str,
    cells: str | None = None,
    beside: Mapping[str, str] | None = None,
    json: bool,
) -> int:
    """Write a sampled table with its certificate, and say what it is worth.

    Args:
        output: The file.
        release_of: Makes the table, and says of how many rows; called once the files can be
            written.
        reads: Files that are read, none of which is written.
        beta: As typed, for a message.
        cells: File of its cells with their counts as GeoJSON, or None.
        beside: Other files by path, made without the rows.
        json: Whether one document is printed.
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
    _print_bounds(bounds)
    share = f"{len(release.rows):,} of {rows:,} rows are shown"
    write_line(console(), f"{share}: that is for you alone, and not to be published")
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


def check_certificate(path: str, data: str, *, json: bool) -> ExitStatus:
    """Judge a table by the certificate that came with it, without the data it was made of."""
    from kproof.models.judgement.releases.receipts import read_bytes
    from kproof.models.tables.sampled import recheck

    if data == STREAM:
        raise InvalidArgument("data", "-", "a file: its digest is that of its bytes")
    with stage(f"judging {path}"):
        outcome = recheck(read_bytes(path, most=1 << 26), read_bytes(data))
    if json:
        write_json("check-certificate", outcome)
    else:
        if not outcome.against:
            _print_bounds(outcome.bounds)
        for sentence in (*outcome.against, outcome.sentence):
            write_line(console(), sentence)
    return ExitStatus.DONE if outcome.holds else ExitStatus.VIOLATED


def _print_bounds(bounds: Iterable[Mapping[str, Any]]) -> None:
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
