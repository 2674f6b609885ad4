"""``kproof compare``: what releases by many methods lose and risk, and which of them none beats."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Group, Parameter

from kproof.cli.base.columns import Columns, SourceColumns, pairs
from kproof.cli.base.common import JSON, NAMES, REPEATED, Scheduler, split
from kproof.cli.base.generated import command
from kproof.cli.base.printing import ExitStatus, console, write_line, write_result, write_table
from kproof.cli.releases.judging import AUDIENCE
from kproof.cli.releases.request import MODEL_OPTIONS, by_column, of_file, with_file
from kproof.errors import InvalidArgument, one_of
from kproof.models.methods import METHODS
from kproof.models.registry import Kind
from kproof.outputs import check_outputs

if TYPE_CHECKING:
    from kproof.models.frontier import Frontier

_TRIED = Group("What is tried", sort_key=2)
_MODELS = Group("What every release has to satisfy", sort_key=3)
_FILES = Group("Files", sort_key=5)


def compare_front(
    typed: dict[str, Any],
    data: str,
    /,
    *,
    columns: SourceColumns = SourceColumns(),
    methods: Annotated[NAMES, Parameter(group=_TRIED)] = (),
    k: Annotated[str, Parameter(group=_TRIED)] = "2,5,10,20,50",
    suppress: Annotated[str, Parameter(group=_TRIED)] = "0",
    set_: Annotated[REPEATED, Parameter(name="--set", group=_TRIED)] = (),
    axis: Annotated[Literal["mean", "largest"], Parameter(name="--chance", group=_TRIED)] = "mean",
    jobs: Annotated[str | None, Parameter(group=_TRIED)] = None,
    patience: Annotated[str | None, Parameter(group=_TRIED)] = None,
    picture: Annotated[str | None, Parameter(group=_FILES)] = None,
    output: Annotated[str | None, Parameter(name=("--output", "-o"), group=_FILES)] = None,
    audience: Annotated[AUDIENCE, Parameter(group=_TRIED)] = "public",
    work: Scheduler = Scheduler(),
    json: JSON = False,
) -> int:
    """Compare releases of a table: what they lose, and what they risk.

    Every method is asked for a release with every k and every budget, and each
    release is judged. Those on the frontier are marked: no other one tried loses
    less and risks no more. The status is 0 if one of them may be published, 1 if
    none may, 4 if there is none; for a study it is 0 if there is one.

    Args:
        data: A CSV or Parquet file, or the name of a shipped table.
        methods: Names separated by commas; if not given, every method for tables that can be asked.
        k: Fewest people in a class: numbers separated by commas.
        suppress: Largest shares of rows that may be left out, such as 0,5%.
        set_: A parameter of one method: METHOD.NAME=VALUE; may be repeated.
        axis: Which chance of a person they are compared by.
        jobs: Processes; by default as many as there are processors and memory.
        patience: Seconds that a release may take; by default as long as it needs.
        picture: A PNG or SVG file of loss against risk.
        output: A CSV file with a row for each release.
        audience: Who would read the release: anybody; named readers who signed not to look for
            anybody; or nobody, because methods are studied.
    """
    from kproof.models.frontier import frontier
    from kproof.schemas.printed import MethodsCompared

    if picture is not None and not picture.lower().endswith((".png", ".svg")):
        raise InvalidArgument("picture", picture, "a name that ends in .png or .svg")
    files = check_outputs({"picture": picture, "output": output}, reads=[data, *columns.reads])
    table = columns.table(data)
    named = split(methods)
    for name in named:
        if name not in _takes_tables():
            raise InvalidArgument("methods", name, one_of(name, _takes_tables()))
    settings, useless = _with_file(columns, named, _settings(set_))
    with work.cluster() as cluster:
        result = frontier(
            table,
            methods=[name for name in named or _takes_tables() if name not in useless],
            k=split((k,)),
            suppress=split((suppress,)),
            axis=axis,
            settings=settings,
            jobs=jobs,
            patience=patience,
            cluster=cluster,
            audience=audience,
            **typed,
        )
    result = replace(result, left_out={**result.left_out, **useless})
    with files.together():
        if picture is not None:
            result.draw(picture)
        if output is not None:
            result.to_csv(output)
    if not json:
        _print(result)
    compared = MethodsCompared(result, picture, output)
    write_result("compare", compared, json=json, text="", written=[picture, output])
    if not result.best:
        return ExitStatus.OPEN
    ready = result.publishable or audience == "study"
    return ExitStatus.DONE if ready else ExitStatus.VIOLATED


def _settings(options: tuple[str, ...]) -> Mapping[str, Mapping[str, Any]]:
    """Return the parameters of single methods."""
    settings: dict[str, dict[str, Any]] = {}
    for name, value in pairs("set", options).items():
        method, dot, parameter = name.partition(".")
        if not dot:
            raise InvalidArgument("set", f"{name}={value}", "METHOD.NAME=VALUE")
        settings.setdefault(method, {})[parameter] = value
    return settings


def _takes_tables() -> list[str]:
    return [
        name for name, method in METHODS.items() if method.kind is Kind.TABLE and not method.once
    ]


def _with_file(
    columns: Columns, methods: tuple[str, ...], settings: Mapping[str, Mapping[str, Any]]
) -> tuple[Mapping[str, Mapping[str, Any]], Mapping[str, str]]:
    """Return the settings of methods with the levels and weights of a roles file.

    The second value says of methods that have no use for these why they are not tried; one that is
    asked for by name is refused.
    """
    complete = {name: dict(own) for name, own in settings.items()}
    useless = {}
    for parameter, values in of_file(columns).items():
        for name in methods or _takes_tables():
            method = METHODS.entry(name)
            if parameter in method.parameters:
                complete.setdefault(name, {}).setdefault(parameter, by_column(values))
            elif methods:
                # It raises, as this method has no use for the parameter.
                with_file(method, columns, {})
            else:
                useless[name] = (
                    f"it has no use for {parameter}, which columns {', '.join(values)} have in "
                    f"{columns.roles_file}"
                )
    return complete, useless


def _print(frontier: Frontier) -> None:
    best, budgets = frontier.best, any(candidate.suppress for candidate in frontier.candidates)
    headings = ["", "method", "k", "loss", "mean risk", "largest", "judged"]
    rows = []
    for release in frontier.admissible:
        mark = "*" if release in best else ""
        chances = (_chance(release.mean), _chance(release.largest))
        row = [mark, release.method, release.k, f"{release.loss:.4f}", *chances]
        left_out = [f"{release.suppressed:,}", f"{float(100 * release.suppress):g} %"]
        rows.append([*row, release.outcome or "", *(left_out if budgets else [])])
    out = console()
    if rows:
        write_table([*headings, "left out", "up to"] if budgets else headings, rows)
        write_line(
            out, f"* on the frontier: none tried loses less at no more risk ({frontier.axis})"
        )
        if not frontier.publishable:
            worst = next((candidate.worst for candidate in frontier.best), "")
            write_line(out, f"none on the frontier may be published as it is made: {worst}")
    for candidate in frontier.candidates:
        if candidate.problem:
            write_line(out, f"{candidate.name}: {candidate.problem}")
    for name, reason in frontier.left_out.items():
        write_line(out, f"{name}: left out, {reason}")
    for note in frontier.notes:
        write_line(out, note)


def _chance(chance: Any) -> str:
    from kproof.models.tables.risk.chances import one_in

    return f"1 in {one_in(chance)}" if chance else "none"


compare = command(compare_front, [(_MODELS, MODEL_OPTIONS)])
