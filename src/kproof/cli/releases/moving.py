"""Cloaked logs of people who move: made, attacked and checked."""

from __future__ import annotations

import json as json_text
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Group, Parameter

from kproof.cli.base.common import JSON
from kproof.cli.base.generated import command
from kproof.cli.base.printing import ExitStatus, write_lines, write_result
from kproof.cli.base.waiting import tell
from kproof.cli.releases.logs import (
    CELLS,
    CELLS_GROUP,
    OF_KINDS,
    RULES_GROUP,
    KindsOptions,
    LogColumns,
    PlacesKnownOptions,
    Roads,
    cells_asked,
    make_cells,
)
from kproof.errors import DataError, Infeasible, InvalidArgument
from kproof.models.base.parameters import SEED
from kproof.models.moving.terms import (
    AGE,
    DEADLINE,
    ELSEWHERE,
    FAR,
    GRID,
    LEAST_NODES,
    LEAST_STREET,
    PERIOD,
    SESSION,
    SNAP,
    WIDEST,
    K,
    LogTerms,
)
from kproof.models.registry import by_name
from kproof.outputs import check_outputs, write_bytes, write_text
from kproof.outputs.printed import STREAM
from kproof.schemas.printed import AnonymizedLog
from kproof.stages import stage

if TYPE_CHECKING:
    from kproof.models.moving.cell_files import CellsFile
    from kproof.models.moving.judging import LogJudged
    from kproof.models.moving.knowing import PlacesKnown
    from kproof.models.moving.log_files import CloakedFile
    from kproof.models.places.kinds import KindsAsked
    from kproof.models.places.log import PositionLog

ACCOUNT = ".account.json"
"""What the name of the account has after that of a cloaked log."""

_TERMS = Group("What a log of somebody else does not say", sort_key=2)


def publish_moving(
    typed: dict[str, Any],
    log: str,
    /,
    *,
    output: Annotated[str, Parameter(name=("--output", "-o"))],
    roads: Roads = (),
    cells: Annotated[str | None, Parameter(group=CELLS_GROUP)] = None,
    columns: LogColumns = LogColumns(),
    places_known: PlacesKnownOptions = PlacesKnownOptions(),
    kinds: KindsOptions = KindsOptions(),
    html: str | None = None,
    title: str | None = None,
    json: JSON = False,
) -> int:
    """Publish a log of people who move: a cell for each record in each slot, or none.

    At every slot every record is shared by k people, so that no observer who knows
    where everybody was has fewer than k candidates for one; across sessions nothing
    is promised. The exact attack is run on what is written. The status is 0 if it
    judged a record and left k candidates for each.

    Args:
        log: A CSV, Parquet, NDJSON, GeoJSON or GPX file with a row for each position.
        output: The CSV file to write; its cells are written to FILE.cells.geojson unless --cells
            has them, and to FILE.account.json what it shows and costs, for yourself.
        roads: The roads of a city: CSV files of nodes and of edges, or one GraphML or OpenStreetMap
            file.
        cells: A file of cells that was written before, so that both releases can be compared.
        html: A page that shows the cells of each slot, with a slider, and needs no network.
        title: What the page is called; the name of the log if not given.
    """
    from kproof.models.moving.cell_files import cells_document, cells_in, read_cells
    from kproof.models.moving.cells import RoadCells
    from kproof.models.moving.log_files import parse_cloaked, to_cloaked_csv
    from kproof.models.moving.page import log_page
    from kproof.models.moving.publish import check_people, cloak_log, warn_of_size

    seed = typed.pop("seed", None)
    if output == STREAM:
        raise InvalidArgument("output", output, "a file, as others are written beside it")
    grid, leaves = cells_asked(typed, roads, cells)
    beside, places = places_known.read(), kinds.pop_kinds(typed)
    terms = _terms(typed)
    place = f"{output}{CELLS}" if cells is None else None
    account = f"{output}{ACCOUNT}"
    outputs = check_outputs(
        {"output": output, "cells": place, "account": account, "html": html},
        reads=[log, cells, *roads, *kinds.reads],
    )
    positions = columns.read(log, terms.far)
    check_people(positions, terms.k or 0)
    if (warning := warn_of_size(positions, terms.period)) is not None:
        tell(warning)
    document, about = b"", str(positions)
    if cells is not None:
        file = read_cells(cells)
    else:
        with stage("making cells"):
            tree = make_cells(grid, roads, leaves)
            if isinstance(tree, RoadCells) and tree.left_out:
                about += (
                    f"\ncrossings that no street joins with the town: {tree.left_out}, left out"
                )
            document = cells_document(tree).encode()
            # The cells are used as their file has them, digits and all.
            file = cells_in(document, str(place))
    cloaked_log = cloak_log(positions, file, terms, seed=seed)
    if not cloaked_log.release.rows:
        raise Infeasible(
            f"nobody can be shown: no slot has {terms.k} people in a cell no wider than"
            f" {terms.widest} m; need a smaller k, or a larger --widest or --period"
        )
    text = to_cloaked_csv(cloaked_log.release, cloaked_log.terms).encode()
    with stage("attacking what is written"):
        # Read again from what is going to be written: what is judged is what a reader has.
        cloaked = parse_cloaked(text, output)
        judged = _judge(positions, log, cloaked, file, beside, places)
    if not judged.holds:
        write_lines("\n".join(judged.sentences))
        write_lines("not written, as something that was asked for fails")
        return status_of_log(judged)
    contents = {output: text} if place is None else {output: text, place: document}
    with stage(f"writing {output}"), outputs.together():
        for name, content in contents.items():
            write_bytes(name, content)
        write_text(account, json_text.dumps(cloaked_log.account.to_dict(), indent=2) + "\n")
        if html is not None:
            heading = Path(log).name if title is None else title
            write_text(html, log_page(cloaked.release, cloaked.terms, file.cells, title=heading))
    written = [name for name in (output, place, account, html) if name is not None]
    # The judgement is of these bytes, and somebody else may have written meanwhile.
    if any(Path(name).read_bytes() != content for name, content in contents.items()):
        raise DataError(f"{output}: is not what was judged; somebody else wrote to it")
    lines = (about, *cloaked_log.account.sentences, *judged.sentences)
    result = AnonymizedLog(positions, cloaked_log.account, judged, tuple(written))
    write_result("anonymize-log", result, json=json, text="\n".join(lines), written=written)
    return ExitStatus.DONE


def attack_log(
    typed: dict[str, Any],
    cloaked: str,
    log: str,
    /,
    *,
    cells: str,
    columns: LogColumns = LogColumns(),
    places_known: PlacesKnownOptions = PlacesKnownOptions(),
    kinds: KindsOptions = KindsOptions(),
    json: JSON = False,
) -> int:
    """Intersect the cells of every record of a cloaked log, whoever made it.

    An observer who knows where everybody was in every slot keeps, for each
    record, the people who were in all its cells; whoever also knows the method
    keeps those with the same record. The record as a whole is judged, which is
    the most that any set of its slots tells. Who knows less is judged by the
    records that fit. The status is 0 if each record has k candidates, 1 if one has
    fewer, and 4 if there is none, or none that fits what is known.

    Args:
        cloaked: The cloaked log: a CSV file with the columns record, slot and cell.
        log: The log it was made of.
        cells: The file of its cells.
    """
    from kproof.models.moving.cell_files import read_cells
    from kproof.models.moving.log_files import read_cloaked

    beside, places = places_known.read(), kinds.pop_kinds(typed)
    with stage(f"reading {cloaked}"):
        release = read_cloaked(cloaked, **typed)
        file = read_cells(cells)
    positions = columns.read(log, release.terms.far)
    with stage(f"attacking {release.release.rows:,} rows"):
        judged = _judge(positions, log, release, file, beside, places)
    text = "\n".join(judged.sentences)
    write_result("attack-log", judged, json=json, text=text)
    return status_of_log(judged)


def _judge(
    positions: PositionLog,
    log: str,
    cloaked: CloakedFile,
    file: CellsFile,
    places_known: PlacesKnown,
    kinds: KindsAsked | None,
) -> LogJudged:
    """Attack a cloaked log, and judge the kinds of place that its cells tell, if that is asked."""
    from kproof.models.moving.judging import judge_log
    from kproof.models.moving.label_kinds import judge_label_kinds

    judged = judge_log(positions, cloaked, file, places_known)
    if kinds is None or not judged.records:
        return judged
    about = (positions, log, cloaked.release, file, cloaked.terms)
    return replace(judged, kinds=judge_label_kinds(kinds, *about))


def status_of_log(judged: LogJudged) -> ExitStatus:
    """Return the exit status: whether all holds, and 4 if nothing fails but not all was judged."""
    if judged.holds:
        return ExitStatus.DONE
    return ExitStatus.OPEN if judged.unjudged and not judged.fails else ExitStatus.VIOLATED


def _terms(typed: dict[str, Any]) -> LogTerms:
    """Return what is asked, with the defaults of what is not."""
    if "k" not in typed:
        raise InvalidArgument("k", None, "the fewest people who share a record")
    values: dict[str, Any] = {
        term.name: term.read(typed.get(term.name, term.default)) for term in _ASKED
    }
    return LogTerms(**values)


_ASKED = (K, PERIOD, SESSION, WIDEST, DEADLINE, AGE, ELSEWHERE, SNAP, FAR)
_PARAMETERS = by_name(
    *_ASKED, SEED.but(help="seed of the draws, random if not given", default=None)
)

anonymize_moving = command(
    publish_moving,
    [(CELLS_GROUP, by_name(GRID, LEAST_NODES, LEAST_STREET)), (RULES_GROUP, _PARAMETERS), OF_KINDS],
)
attack_intersection = command(
    attack_log,
    [
        (
            _TERMS,
            by_name(
                *(term.but(default=None, required=False) for term in (K, PERIOD, AGE, SNAP, FAR))
            ),
        ),
        OF_KINDS,
    ],
)


def check_log(
    typed: dict[str, Any],
    cloaked: str,
    log: str | None,
    cells: str | None,
    places_known: PlacesKnownOptions,
    kinds: KindsOptions,
    *,
    json: bool,
) -> int:
    """Attack a cloaked log, for ``kproof check`` with --log and --cells."""
    if log is None or cells is None:
        raise InvalidArgument(
            "log" if log is None else "cells", None, "--log LOG and --cells FILE of a cloaked log"
        )
    return attack_log(
        typed, cloaked, log, cells=cells, places_known=places_known, kinds=kinds, json=json
    )
