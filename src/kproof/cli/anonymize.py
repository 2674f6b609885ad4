"""``kproof anonymize``: a release by one of the registered methods, each a command of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from json import dumps
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, Group, Parameter

from kproof.cli.anonymize_city import cloak
from kproof.cli.anonymize_folder import FolderOptions, publish
from kproof.cli.anonymize_graphs import publish_clusters, publish_graph
from kproof.cli.anonymize_levels import Request, more_options
from kproof.cli.anonymize_points import draw
from kproof.cli.anonymize_safe import (
    NOT_WRITTEN,
    Forcing,
    has_receipt,
    not_judged,
    publish_as_is,
    publish_counts,
    publish_safely,
    publisher_of,
    repaired,
    repairing,
    told_guarded,
)
from kproof.cli.anonymize_sampled import publish_sample
from kproof.cli.columns import NAMES, Columns, Levels, pairs
from kproof.cli.common import JSON, console, write_json, write_line, write_lines
from kproof.cli.examples import epilogue
from kproof.cli.generated import command
from kproof.errors import DataError, InvalidArgument
from kproof.models.base.parameters import SUPPRESS, SUPPRESSED
from kproof.models.methods import METHODS
from kproof.models.registry import Kind, Method, Promise, by_name
from kproof.outputs import replaced
from kproof.stages import stage

app = App(name="anonymize", help_epilogue=epilogue("anonymize"))

_ASKED = Group("What is asked for", sort_key=2)
_LEFT_OUT = Group("Rows left out", sort_key=3)
_MORE = Group("More about the columns", sort_key=4)
_DEFAULTS = Columns()
_NO_LEVELS = Levels()
_IN_MEMORY = FolderOptions()
_PUBLIC = Forcing()


def anonymize(
    method: Method,
    asked: dict[str, Any],
    data: str,
    /,
    *,
    output: Annotated[str, Parameter(name=("--output", "-o"))],
    columns: Columns = _DEFAULTS,
    set_: Annotated[NAMES, Parameter(name="--set", negative=(), group=_ASKED)] = (),
    taxonomy: Annotated[NAMES, Parameter(negative=(), group=_MORE)] = (),
    drawn: Levels = _NO_LEVELS,
    code: Annotated[NAMES, Parameter(negative=(), group=_MORE)] = (),
    most_members: Annotated[str | None, Parameter(group=_MORE)] = None,
    class_column: Annotated[str | None, Parameter(group=_MORE)] = None,
    aggregate: Annotated[str | None, Parameter(group=_ASKED)] = None,
    folder: FolderOptions = _IN_MEMORY,
    judging: Forcing = _PUBLIC,
    json: JSON = False,
) -> int:
    """Anonymize a table.

    The release is judged as it is, and written as CSV if it may be published, or
    --audience study says that nobody publishes it. What it loses is printed, a method
    that was found to lose less under the same promises, and how likely somebody is to
    pick a person's row.

    Args:
        data: A CSV, Excel or Parquet file, the name of a shipped table, or a folder of Parquet
            files, which need not fit into memory.
        output: The file to write; of a folder a new folder.
        set_: A parameter by name: NAME=VALUE; may be repeated.
        taxonomy: Generalization hierarchy of a column: COLUMN=FILE, a path from leaf to root in
            each line, separated by semicolons; may be repeated.
        code: Quasi-identifiers whose numbers or dates are codes: published as sets, not as ranges.
        most_members: Most members of a set that a label may show; by default 8, and 3 for dates.
        class_column: Publish a column of this name that numbers the classes.
        aggregate: Publish the figures of the method's document in place of rows, with means of this
            column: as CSV, or as JSON to a file whose name ends so.
    """
    from kproof.models.base.missing import text
    from kproof.models.frontier.rivals import rival
    from kproof.models.judgement.receipts import Receipt
    from kproof.models.publishing.published import told
    from kproof.models.tables.readers import read_table
    from kproof.models.tables.risk import risk
    from kproof.models.tables.utility import utility
    from kproof.models.tables.writers import write_digested_csv

    everything = joined(with_file(method, columns, asked), set_)
    if Path(data).is_dir() or folder.given():
        for option, value in (("aggregate", aggregate), ("class_column", class_column)):
            if value is not None:
                raise InvalidArgument(option, value, "rows in memory, not a folder")
        publish(
            method,
            everything,
            data,
            output,
            columns,
            folder,
            taxonomy=taxonomy,
            code=code,
            levels=drawn,
            most_members=most_members,
            json=json,
        )
        return not_judged("folders of files", judging.audience, json=json)
    own, left_out = apart(everything)
    request = Request.of(method, own)
    reads = [data, *columns.reads, *pairs("taxonomy", taxonomy).values()]
    files = judging.outputs(output, reads, more={"solutions": request.solutions})
    parameters = method.asked(request.asked)
    with stage(f"reading {data}"):
        table = read_table(
            data,
            **columns.roles(data, taxonomy=taxonomy, code=code, levels=drawn),
            most_members=most_members,
        )
    with stage(f"anonymizing {table.rows} rows"):
        release, solutions = request.release(table, parameters, left_out)
    if aggregate is not None and method.aggregate is not None:
        if class_column is not None:
            raise InvalidArgument("class_column", class_column, "rows, not --aggregate")
        answer: dict[str, Any] = method.aggregate.of(release, toll=aggregate)
        with stage(f"writing {output}"), files.together(), replaced(output) as file:
            file.write(
                _written(answer) if output.endswith(".json") else method.aggregate.csv(answer)
            )
        if json:
            from kproof.schemas.printed import SectionLines

            write_json("anonymize-aggregate", SectionLines(**answer))
        else:
            write_lines(release.summary())
            write_lines(f"written: {output}, {answer['count']} lines")
        return not_judged("figures in place of rows", judging.audience, json=json)
    with stage(f"judging {release.rows} rows"):
        costs, found = utility(release, queries=0), risk(release)
    with stage("looking for a method that loses less"):
        better = rival(release, models=parameters.get("models", ()))
    publisher = publisher_of(table, data, columns, judging, output)
    with stage("judging what a reader learns"):
        publication = publisher.publication(release)
        judgement = publisher.judge(publication)
    repair = None if judging.written(judgement) else repaired(publisher)
    place, guarded = judging.place(output, judgement), 0
    with stage(f"writing {output}"), files.together():
        if place is not None:
            shown = release.published(class_column=class_column)
            guarded, digest = write_digested_csv(place, shown)
            if judgement.green and judging.audience != "study" and has_receipt(output):
                day = date.today().isoformat()
                person = table.person
                names = () if person is None else tuple(map(text, person.values))
                made = Receipt.of(
                    publication, sha256=digest, day=day, key=judging.secret_key, names=names
                )
                made.write(place)
            request.write(solutions)
    if json:
        from kproof.schemas.printed import AnonymizedTable

        outcome = AnonymizedTable(release, costs, found, better, judgement, repair, place, guarded)

        write_json("anonymize", outcome)
        return judging.status(judgement)
    told_guarded(guarded)
    if judging.audience != "study":
        write_lines(told(judgement))
    write_lines(release.summary())
    write_lines(f"certainty penalty: {costs.penalty:.4f} (0 loses nothing, 1 everything)")
    if better is not None:
        write_lines(better)
    summary = release.summary().splitlines()
    for sentence in found.sentences:
        # What is left out of account, and what other columns tell, are lines of both.
        if sentence not in summary:
            write_line(console(), sentence)
    if judging.audience == "study":
        write_lines(f"a study, nothing of which is published: {judgement.sentence}")
    if repair is not None:
        again = [*columns.typed(), *drawn.typed(), *judging.typed()]
        again += [word for one in taxonomy for word in ("--taxonomy", one)]
        again += [word for one in code for word in ("--code", one)]
        write_lines(f"instead: {repairing(repair, data, output, again)}")
    if place is None:
        write_lines(NOT_WRITTEN)
        return judging.status(judgement)
    for name in (place, request.solutions):
        if name is not None:
            write_lines(f"written: {name}")
    return judging.status(judgement)


def _written(answer: Mapping[str, Any]) -> str:
    return f"{dumps(answer, indent=2, ensure_ascii=False)}\n"


def joined(asked: Mapping[str, Any], settings: tuple[str, ...]) -> dict[str, Any]:
    """Return what is asked for, by options of its own and by ``--set NAME=VALUE``."""
    more = pairs("set", settings)
    for name in more:
        if name in asked:
            raise InvalidArgument("set", name, f"--{name} or --set {name}, not both")
    return {**asked, **more}


LEFT_OUT = by_name(SUPPRESS.but(default=None), SUPPRESSED)
"""What every method for tables is asked of rows left out."""


def apart(asked: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what is asked of a method, and what of rows left out."""
    own = {name: value for name, value in asked.items() if name not in LEFT_OUT}
    rows = {name: LEFT_OUT[name].read(value) for name, value in asked.items() if name in LEFT_OUT}
    return own, rows


def with_file(method: Method, columns: Columns, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is asked for, with the levels and weights of a roles file.

    Raises:
        DataError: If the file has some, and the method has no use for them.
    """
    file = columns.file()
    found = dict(asked)
    if file is None:
        return found
    for name, values in (("levels", file.levels), ("weight", file.weights)):
        if not values:
            continue
        if name not in method.parameters:
            raise DataError(
                f"{columns.roles_file}: {method.name} has no use for {name}, which columns "
                f"{', '.join(values)} have"
            )
        found.setdefault(name, ",".join(f"{column}={value}" for column, value in values.items()))
    return found


def front(method: Method) -> Callable[..., int]:
    """Return what reads the data of a method and writes its release."""
    if method.kind is Kind.GRAPH:
        return publish_graph if Promise.SUPERGRAPH in method.promises else publish_clusters
    fronts: Mapping[Kind, Callable[..., int]] = {
        Kind.TABLE: anonymize,
        Kind.CITY: cloak,
        Kind.POINTS: draw,
    }
    return fronts[method.kind]


def _options(method: Method) -> list[tuple[Group, Mapping[str, Any]]]:
    own = {name: one for name, one in method.parameters.items() if name not in LEFT_OUT}
    of_tables = [(_LEFT_OUT, LEFT_OUT)] if method.kind is Kind.TABLE else []
    return [(_ASKED, own), *of_tables, *more_options(method)]


for _method in METHODS.values():
    _without = () if _method.aggregate else ("aggregate",)
    app.command(
        command(front(_method), _options(_method), _method, without=_without), name=_method.name
    )
app.command(publish_as_is, name="as-is")
app.command(publish_counts, name="counts")
app.command(publish_sample, name="sampled")
app.default(publish_safely)
