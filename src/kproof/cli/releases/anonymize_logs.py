"""``kproof anonymize streets`` and ``sequences``: logs of positions that are worth an (ε, δ)."""

from __future__ import annotations

from datetime import UTC, datetime
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Group, Parameter

from kproof.cli.base.common import JSON, grid
from kproof.cli.base.generated import command
from kproof.cli.base.printing import ExitStatus, write_result
from kproof.cli.releases.logs import (
    CELLS,
    CELLS_GROUP,
    RULES_GROUP,
    LogColumns,
    Roads,
    cells_asked,
    city_of_roads,
    make_cells,
)
from kproof.cli.releases.samples import write_sample
from kproof.errors import InvalidArgument
from kproof.models.base.parameters import SEED, Whole
from kproof.models.moving.terms import AGE, GRID, LEAST_NODES, LEAST_STREET, PERIOD, SESSION, SNAP
from kproof.models.places import streets
from kproof.models.places.streets import count_streets
from kproof.models.registry import by_name
from kproof.outputs import check_outputs, write_text
from kproof.schemas.printed import StreetsWritten
from kproof.stages import stage
from kproof.theory.exact.coins import CoinSource
from kproof.theory.profiles.noisy_counts import noisy_counts_delta

if TYPE_CHECKING:
    from kproof.models.tables.sampled import SampledRelease

_TERMS = Group("What is asked", sort_key=2)
DEPTH = Whole("depth", "depth of the cells that are shown, the deepest if not given", least=1)
TEST_SEED = SEED.but(
    name="test_seed",
    help="take the coins from a seed: what is made with one is unfit to be published",
    default=None,
)


def publish_streets(
    typed: dict[str, Any],
    log: str,
    /,
    *,
    output: Annotated[str, Parameter(name=("--output", "-o"))],
    roads: Roads,
    columns: LogColumns = LogColumns(),
    json: JSON = False,
) -> int:
    """Publish the persons in each street with noise: a map worth epsilon against everyone.

    The whole log of a person, in it or not, moves the chances of any map by a
    factor of e^epsilon at most. Every street of the roads is published, also empty
    ones; what is printed beside it is for you alone.

    Args:
        log: A CSV, Parquet, NDJSON, GeoJSON or GPX file with a row for each position.
        output: The CSV file to write: start, end and persons of each street, and whether the count
            is clear of the noise.
        roads: The roads of a city that were not made from the log: CSV files of nodes and of edges,
            or one GraphML or OpenStreetMap file.
    """
    files = check_outputs({"output": output}, reads=[log, *roads])
    seed = typed.pop("test_seed", None)
    coins = CoinSource.of_system() if seed is None else CoinSource.of_seed(TEST_SEED.read(seed))
    if "epsilon" not in typed:
        raise InvalidArgument("epsilon", None, "what the whole log of a person may be worth")
    city = city_of_roads(roads)
    # Who is far from the others hangs on the others: nobody is left out for it.
    positions = columns.read(log, Fraction(0))
    with stage(f"counting on {city.roads.count:,} streets"):
        counts = count_streets(positions, city, **typed, coins=coins)
    with stage(f"writing {output}"), files.together():
        write_text(output, counts.to_csv())
    half = counts.epsilon / 2
    delta = noisy_counts_delta(rate=counts.rate, counts=counts.most, epsilon=half)
    written = StreetsWritten(counts, half, delta, (output,))
    write_result("anonymize-streets", written, json=json, text=written.text, written=[output])
    return ExitStatus.DONE if counts.fit else ExitStatus.VIOLATED


def publish_sequences(
    typed: dict[str, Any],
    log: str,
    /,
    *,
    output: Annotated[str, Parameter(name=("--output", "-o"))],
    start: str,
    k: str,
    beta: str,
    roads: Roads = (),
    cells: Annotated[str | None, Parameter(group=CELLS_GROUP)] = None,
    epsilon: str = "0.1,0.5,1,2",
    columns: LogColumns = LogColumns(),
    json: JSON = False,
) -> int:
    """Publish sequences of cells of people drawn by coins: an (epsilon, delta) per person.

    Each person is kept with chance beta; a sequence of cells, one for each slot of
    the session, is shown if k or more of those kept share it. The certificate is of
    the whole session at once; of several sessions epsilon and delta add up.

    Args:
        log: A CSV, Parquet, NDJSON, GeoJSON or GPX file with a row for each position.
        output: The CSV file to write; its certificate is written to FILE.certificate.json, and its
            cells to FILE.cells.geojson unless --cells has them.
        start: When the session begins, such as 2008-06-08T08:00:00Z, chosen without the log.
        k: Fewest people kept who share a sequence that is shown.
        beta: Chance that a person is kept, such as 1/10.
        roads: The roads of a city that were not made from the log, to make cells of.
        cells: A file of cells that were not made from the log.
        epsilon: A number, a,b,c or start:stop:count, where the certificate states delta.
    """
    from kproof.models.judgement.releases.receipts import read_bytes
    from kproof.models.moving.cell_files import cells_document, cells_in
    from kproof.models.moving.sequences import Sequences
    from kproof.models.tables.sampled import sampled

    points = grid("epsilon", epsilon).values
    seed = typed.pop("test_seed", None)
    square, leaves = cells_asked(typed, roads, cells)
    depth = None if "depth" not in typed else DEPTH.read(typed["depth"])
    session_terms: dict[str, Any] = {
        term.name: term.read(typed.get(term.name, term.default)) for term in _SESSION
    }
    begins = _time(start)
    if begins % session_terms["period"]:
        need = f"the beginning of a slot of {session_terms['period']} seconds, counted from 1970"
        raise InvalidArgument("start", start, need)

    beside, warnings = {}, list[str]()
    if cells is not None:
        content = read_bytes(cells)
        file = cells_in(content, cells)
    else:
        with stage("making cells"):
            place = f"{output}{CELLS}"
            beside[place] = cells_document(make_cells(square, roads, leaves))
            # The cells are used as their file has them, digits and all.
            content = beside[place].encode()
            file = cells_in(content, place)

    def release() -> tuple[SampledRelease, int]:
        positions = columns.read(log, Fraction(0))
        with stage(f"drawing from {positions.people:,} people"):
            rows = Sequences.of(
                positions,
                file.cells,
                depth=depth,
                start=begins,
                period=session_terms["period"],
                session=session_terms["session"],
                age=session_terms["age"],
                snap=float(session_terms["snap"]),
            )
            sample = sampled(
                rows.table, levels=rows.levels, k=k, beta=beta, person=None, epsilons=points,
                test_seed=seed, may_be_few=True, cells=content,
            )  # fmt: skip
            few = f"of those drawn {100 * rows.shown(k, beta):.0f} % can be expected to be shown"
            warnings.append(f"{few}: that is for you alone, too")
            return sample, len(rows.labels)

    reads = [log, cells, *roads]
    return write_sample(
        output, release, reads=reads, beta=beta, beside=beside, remarks=warnings, json=json
    )


def _time(text: str) -> int:
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidArgument("start", text, "a time such as 2008-06-08T08:00:00Z") from None
    return int((time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp())


_SESSION = (PERIOD, SESSION, AGE, SNAP)
anonymize_streets = command(
    publish_streets, [(_TERMS, by_name(streets.EPSILON, streets.MOST, streets.SNAP, TEST_SEED))]
)
anonymize_sequences = command(
    publish_sequences,
    [
        (CELLS_GROUP, by_name(GRID, LEAST_NODES, LEAST_STREET, DEPTH)),
        (RULES_GROUP, by_name(*_SESSION, TEST_SEED)),
    ],
)
