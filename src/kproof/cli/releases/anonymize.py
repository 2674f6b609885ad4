"""``kproof anonymize``: a release by one of the registered methods, each a command of its own."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from json import dumps
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, Group, Parameter

from kproof.cli.base.columns import MORE, SourceColumns
from kproof.cli.base.commands import epilogue
from kproof.cli.base.common import JSON, REPEATED
from kproof.cli.base.generated import command
from kproof.cli.base.printing import console, write_json, write_line, write_lines, write_result
from kproof.cli.releases.anonymize_folder import FolderOptions, publish
from kproof.cli.releases.anonymize_graphs import publish_graph
from kproof.cli.releases.anonymize_logs import anonymize_sequences, anonymize_streets
from kproof.cli.releases.anonymize_places import cloak, publish_map
from kproof.cli.releases.anonymize_safe import (
    NOT_WRITTEN,
    Forcing,
    publish_as_is,
    publish_counts,
    publish_safely,
    repair_of,
    repair_text,
    tell_guarded,
)
from kproof.cli.releases.anonymize_sampled import publish_sample
from kproof.cli.releases.judging import Judging, not_judged, publisher_of
from kproof.cli.releases.logs import OF_KINDS
from kproof.cli.releases.moving import anonymize_moving
from kproof.cli.releases.request import (
    LEFT_OUT,
    Request,
    join,
    more_options,
    split_left_out,
    with_file,
)
from kproof.errors import InvalidArgument
from kproof.models.methods import METHODS
from kproof.models.registry import Kind, Method, Promise
from kproof.outputs import write_text
from kproof.schemas.printed import AnonymizedTable, SectionLines
from kproof.stages import stage

app = App(name="anonymize", help_epilogue=epilogue("anonymize"))

_ASKED = Group("What is asked for", sort_key=2)
_LEFT_OUT = Group("Rows left out", sort_key=3)


def anonymize(
    method: Method,
    typed: dict[str, Any],
    data: str,
    /,
    *,
    output: Annotated[str, Parameter(name=("--output", "-o"))],
    columns: SourceColumns = SourceColumns(),
    set_: Annotated[REPEATED, Parameter(name="--set", group=_ASKED)] = (),
    class_column: Annotated[str | None, Parameter(group=MORE)] = None,
    aggregate: Annotated[str | None, Parameter(group=_ASKED)] = None,
    folder: FolderOptions = FolderOptions(),
    judging: Forcing = Forcing(),
    json: JSON = False,
) -> int:
    """Anonymize a table.

    The release is judged as it is, and written as CSV if it may be published, or
    --audience study says that nobody publishes it. The command prints what the release
    loses, a method that loses less under the same promises, and how likely somebody
    picks a person's row.

    Args:
        data: A CSV, Excel or Parquet file, the name of a shipped table, or a folder of Parquet
            files, which need not fit into memory.
        output: The file to write; of a folder a new folder.
        set_: A parameter by name: NAME=VALUE; may be repeated.
        class_column: Publish a column of this name that numbers the classes.
        aggregate: Publish the figures of the method's document in place of rows, with means of this
            column: as CSV, or as JSON to a file whose name ends so.
    """
    from kproof.models.frontier.rivals import rival
    from kproof.models.publishing.published import judgement_lines, write_rows
    from kproof.models.publishing.publisher import order_of
    from kproof.models.tables.risk import risk
    from kproof.models.tables.utility import utility

    everything = join(with_file(method, columns, typed), set_)
    if Path(data).is_dir() or folder.keywords():
        for option, value in (("aggregate", aggregate), ("class_column", class_column)):
            if value is not None:
                raise InvalidArgument(option, value, "rows in memory, not a folder")
        publish(method, everything, data, output, columns, folder, json=json)
        return not_judged("folders of files", judging.audience, json=json)
    own, left_out = split_left_out(everything)
    request = Request.of(method, own)
    files = judging.outputs(output, [data, *columns.reads], solutions=request.solutions)
    parameters = method.complete_arguments(request.parameters)
    table = columns.table(data)
    with stage(f"anonymizing {table.rows} rows"):
        release, solutions = request.release(table, parameters, left_out)
    if aggregate is not None and method.aggregate is not None:
        if class_column is not None:
            raise InvalidArgument("class_column", class_column, "rows, not --aggregate")
        answer: dict[str, Any] = method.aggregate.of(release, toll=aggregate)
        is_json = output.endswith(".json")
        text = (
            f"{dumps(answer, indent=2, ensure_ascii=False)}\n"
            if is_json
            else method.aggregate.csv(answer)
        )
        with stage(f"writing {output}"), files.together():
            write_text(output, text)
        lines, places = SectionLines(**answer), [f"{output}, {answer['count']} lines"]
        summary = release.summary()
        write_result("anonymize-aggregate", lines, json=json, text=summary, written=places)
        return not_judged("figures in place of rows", judging.audience, json=json)
    with stage(f"judging {release.rows} rows"):
        costs, chances = utility(release, queries=0), risk(release)
    with stage("looking for a method that loses less"):
        better = rival(release, models=parameters.get("models", ()))
    publisher = publisher_of(table, data, columns, judging, output)
    with stage("judging what a reader learns"):
        # What tells nothing by its classes is not to tell anything by their order.
        order = order_of(release.rows) if method.once else None
        publication = publisher.publication(release, order=order, permuted=order is not None)
        judgement = publisher.judge(publication)
    repair = None if judging.is_written(judgement) else repair_of(publisher)
    place, guarded = judging.place(output, judgement), 0
    with stage(f"writing {output}"), files.together():
        if place is not None:
            rows = release.published(class_column=class_column)
            if order is not None:
                rows = tuple(replace(column, codes=column.codes[order]) for column in rows)
            receipt = judgement.green and judging.has_receipt(output)
            documented = publication if receipt else None
            guarded = write_rows(place, rows, documented, table.person, key=judging.secret_key)
            # Within the block: what was tried is written with the release or not at all.
            request.write(solutions)
    if json:
        outcome = AnonymizedTable(
            release, costs, chances, better, judgement, repair, place, guarded
        )
        write_json("anonymize", outcome)
        return judging.status(judgement)
    tell_guarded(guarded)
    if judging.audience != "study":
        write_lines(judgement_lines(judgement))
    summary = release.summary()
    write_lines(summary)
    write_lines(f"certainty penalty: {costs.penalty:.4f} (0 loses nothing, 1 everything)")
    if better is not None:
        write_lines(better)
    for sentence in chances.sentences:
        # What is left out of account, and what other columns tell, are lines of both.
        if sentence not in summary.splitlines():
            write_line(console(), sentence)
    if judging.audience == "study":
        write_lines(f"a study, nothing of which is published: {judgement.sentence}")
    if repair is not None:
        again = [*columns.words(), *judging.words(Judging)]
        write_lines(f"instead: {repair_text(repair, data, output, again)}")
    if place is None:
        write_lines(NOT_WRITTEN)
        return judging.status(judgement)
    for name in (place, request.solutions):
        if name is not None:
            write_lines(f"written: {name}")
    return judging.status(judgement)


def front(method: Method) -> Callable[..., int]:
    """Return what reads the data of a method and writes its release."""
    if method.kind is Kind.GRAPH:
        return publish_graph
    if method.kind is Kind.TABLE:
        return anonymize
    return cloak if method.kind is Kind.CITY else publish_map


def _options(method: Method) -> list[tuple[Group, Mapping[str, Any]]]:
    own = {name: option for name, option in method.parameters.items() if name not in LEFT_OUT}
    of_tables = [(_LEFT_OUT, LEFT_OUT)] if method.kind is Kind.TABLE else []
    of_places = [OF_KINDS] if method.kind in (Kind.CITY, Kind.POINTS) else []
    return [(_ASKED, own), *of_tables, *of_places, *more_options(method)]


for _method in METHODS.values():
    _without = {
        "aggregate": _method.aggregate is None,
        "people": Promise.SUPERGRAPH in _method.promises,
    }
    app.command(
        command(
            front(_method),
            _options(_method),
            _method,
            without=[name for name, useless in _without.items() if useless],
        ),
        name=_method.name,
    )
app.command(anonymize_moving, name="moving")
app.command(anonymize_sequences, name="sequences")
app.command(anonymize_streets, name="streets")
app.command(publish_as_is, name="as-is")
app.command(publish_counts, name="counts")
app.command(publish_sample, name="sampled")
app.default(publish_safely)
