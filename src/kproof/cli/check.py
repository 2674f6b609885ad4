"""``kproof check``: whether a published table satisfies privacy models, with the worst class."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Group, Parameter

from kproof.cli.columns import Columns, stage
from kproof.cli.common import JSON, console, plain_table, write_json, write_line
from kproof.cli.generated import command
from kproof.cli.status import ExitStatus
from kproof.errors import InvalidArgument
from kproof.models.privacies import MODELS, asked_of, options_of
from kproof.models.registry import Needs

if TYPE_CHECKING:
    from kproof.models.base.classes import Classes
    from kproof.models.base.verdict import Verdict

app = App(name="check")

_MODELS = Group("Models", sort_key=2)
_DEFAULTS = Columns()


def check(
    asked: dict[str, Any],
    data: str,
    /,
    *,
    columns: Columns = _DEFAULTS,
    known_sensitive: Annotated[bool, Parameter(group=_MODELS, negative=())] = False,
    json: JSON = False,
) -> int:
    """Check a published table against privacy models.

    The status is 0 if every model holds and 1 if one does not. Rows are in one
    class if all their quasi-identifiers show the same text. Every sensitive column
    is judged, or those that a model is asked for: --l disease=3,salary=2. Without a
    model, the parameters that the table attains are printed. A column without a role that
    singles out nearly every row stops the check; what else is left out of account
    is named.

    Parameters
    ----------
    data
        A CSV or Parquet file, or the name of a shipped table.
    known_sensitive
        Take the other sensitive columns for quasi-identifiers when one is judged.
    """
    from kproof.models.base.verdict import SCHEMA
    from kproof.models.privacy import summary
    from kproof.models.privacy.several import judge
    from kproof.models.tables.readers import read_classes

    secrets = columns.secrets()
    models = asked_of(asked, secrets)
    about = (Needs.SENSITIVE in MODELS[name].needs for name, _, _ in models)
    if not secrets and any(about):
        raise InvalidArgument("sensitive", None, "--sensitive NAME for all models but --k")
    with stage(f"reading {data}"):
        classes = read_classes(data, **columns.roles())
    with stage(f"checking {len(classes.of_row)} rows"):
        verdicts = [
            verdict
            for _, column, model in models
            for verdict in judge(
                classes,
                model if column is None else {column: model},
                known_sensitive=known_sensitive,
            )
        ]
        attained = [] if models else [summary(one) for one in _judged(classes, known_sensitive)]
    if json:
        write_json(
            {
                "schema": SCHEMA,
                "rows": len(classes.of_row),
                "classes": classes.count,
                "left_out": [column.to_dict() for column in classes.beside],
                "verdicts": [verdict.to_dict() for verdict in verdicts],
            }
            | ({"attained": attained[0].to_dict()} if attained else {})
            | ({"attained_further": [one.to_dict() for one in attained[1:]]} if attained else {})
        )
    elif attained:
        for one in attained:
            print(f"{one.scope.column}: {one}" if one.scope.among else one)
        _remark(note for one in attained for note in one.scope.notes)
    else:
        _print(verdicts)
    return ExitStatus.DONE if all(verdicts) else ExitStatus.VIOLATED


def _judged(classes: Classes, known_sensitive: bool) -> tuple[Classes, ...]:
    """Return what is summed up: the classes once for each sensitive column."""
    if not known_sensitive:
        return classes.each
    return tuple(one.knowing_others() for one in classes.each)


def _remark(notes: Iterable[str]) -> None:
    """Say what the answer does not speak of, each thing once."""
    for note in dict.fromkeys(notes):
        write_line(console(), note)


def _print(verdicts: list[Verdict]) -> None:
    table = plain_table(["", "model", "attained", "worst class"])
    for verdict in verdicts:
        worst = verdict.worst_class
        table.add_row(
            "holds" if verdict.holds else "FAILS",
            verdict.name,
            f"{verdict.meaning}: {verdict.value}",
            "" if worst is None else f"{worst.label} ({worst.size} rows)",
        )
    console().print(table, markup=False)
    _remark(note for verdict in verdicts for note in verdict.scope.notes)


app.default(command(check, [(_MODELS, options_of(MODELS))]))
