"""``kproof check``: whether a published table satisfies privacy models, with the worst class."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from cyclopts import App, Group

from kproof.cli.columns import Columns, stage
from kproof.cli.common import JSON, console, plain_table, write_json, write_line
from kproof.cli.generated import command
from kproof.cli.status import ExitStatus
from kproof.errors import InvalidArgument
from kproof.models.privacies import MODELS, options_of
from kproof.models.registry import Needs

if TYPE_CHECKING:
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
    json: JSON = False,
) -> int:
    """Check a published table against privacy models.

    The status is 0 if every model holds and 1 if one does not. Rows are in one
    class if all their quasi-identifiers show the same text. Without a model, the
    parameters that the table attains are printed. A column without a role that
    singles out nearly every row stops the check; what else is left out of account
    is named.

    Parameters
    ----------
    data
        A CSV or Parquet file, or the name of a shipped table.
    """
    from kproof.models.base.verdict import SCHEMA
    from kproof.models.privacy import summary
    from kproof.models.tables.readers import read_classes

    entries = [entry for entry in MODELS.values() if entry.key in asked]
    models = [entry.of(asked) for entry in entries]
    if columns.sensitive is None and any(Needs.SENSITIVE in entry.needs for entry in entries):
        raise InvalidArgument("sensitive", None, "--sensitive NAME for all models but --k")
    with stage(f"reading {data}"):
        classes = read_classes(data, **columns.roles())
    with stage(f"checking {len(classes.of_row)} rows"):
        verdicts = [model.check(classes) for model in models]
        attained = None if models else summary(classes)
    if json:
        write_json(
            {
                "schema": SCHEMA,
                "rows": len(classes.of_row),
                "classes": classes.count,
                "left_out": [column.to_dict() for column in classes.beside],
                "verdicts": [verdict.to_dict() for verdict in verdicts],
            }
            | ({} if attained is None else {"attained": attained.to_dict()})
        )
    elif attained is not None:
        print(attained)
        _remark(attained.scope.notes)
    else:
        _print(verdicts)
    return ExitStatus.DONE if all(verdicts) else ExitStatus.VIOLATED


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
            verdict.model,
            f"{verdict.meaning}: {verdict.value}",
            "" if worst is None else f"{worst.label} ({worst.size} rows)",
        )
    console().print(table, markup=False)
    _remark(note for verdict in verdicts for note in verdict.scope.notes)


app.default(command(check, [(_MODELS, options_of(MODELS))]))
