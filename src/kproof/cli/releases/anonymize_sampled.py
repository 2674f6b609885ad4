"""``kproof anonymize sampled`` and its check: a table whose worth holds against everyone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from kproof.cli.base.common import HEADER, JSON, REPEATED, SWITCH, grid
from kproof.cli.base.printing import ExitStatus, console, write_json, write_line
from kproof.cli.releases.samples import print_bounds, write_sample
from kproof.errors import InvalidArgument
from kproof.outputs.printed import STREAM
from kproof.stages import stage

if TYPE_CHECKING:
    from kproof.models.tables.sampled import SampledRelease


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
        one_row_each: Confirm that every row is somebody else's.
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
            sample = sampled(table, levels=choices, k=k, beta=beta, choose=choose, **whose, **how)
            return sample, len(table.lines)

    reads = [data, *hierarchy_files(levels)]
    return write_sample(output, release, reads=reads, cells=cells, beta=beta, json=json)


def check_certificate(path: str, data: str, cells: str | None, *, json: bool) -> ExitStatus:
    """Judge a table by the certificate that came with it, without the data it was made of."""
    from kproof.models.judgement.releases.receipts import read_bytes
    from kproof.models.tables.sampled import recheck

    if data == STREAM:
        raise InvalidArgument("data", "-", "a file: its digest is that of its bytes")
    with stage(f"judging {path}"):
        named = None if cells is None else read_bytes(cells)
        outcome = recheck(read_bytes(path, most=1 << 26), read_bytes(data), named)
    if json:
        write_json("check-certificate", outcome)
    else:
        if not outcome.against:
            print_bounds(outcome.bounds)
        for sentence in (*outcome.against, outcome.sentence):
            write_line(console(), sentence)
    return ExitStatus.DONE if outcome.holds else ExitStatus.VIOLATED
