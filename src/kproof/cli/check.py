"""``kproof check``: whether a published table satisfies privacy models, with the worst class."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, Group, Parameter

from kproof.cli.columns import Columns, stage
from kproof.cli.common import JSON, console, plain_table, write_json, write_line
from kproof.cli.status import ExitStatus
from kproof.errors import InvalidArgument

if TYPE_CHECKING:
    from kproof.models.base.verdict import Verdict
    from kproof.models.privacy import Model

app = App(name="check")

_MODELS = Group("Models", sort_key=2)
_DEFAULTS = Columns()

_Asked = Annotated[str | None, Parameter(group=_MODELS)]


@app.default
def check(
    data: str,
    /,
    *,
    columns: Columns = _DEFAULTS,
    k: _Asked = None,
    ell: Annotated[str | None, Parameter(name="--l", group=_MODELS)] = None,
    entropy_l: _Asked = None,
    c: _Asked = None,
    t: _Asked = None,
    distance: Annotated[
        Literal["equal", "ordered", "hierarchical"], Parameter(group=_MODELS)
    ] = "equal",
    taxonomy: _Asked = None,
    p: _Asked = None,
    p_plus: _Asked = None,
    alpha: _Asked = None,
    share: _Asked = None,
    mu: _Asked = None,
    beta: _Asked = None,
    enhanced_beta: _Asked = None,
    delta: _Asked = None,
    json: JSON = False,
) -> int:
    """Check a published table; the status is 0 if every model holds and 1 if one does not.

    Rows are in one class if all their quasi-identifiers show the same text. Without a model, the
    parameters that the table attains are printed. A column without a role that singles out nearly
    every row stops the check; what else is left out of account is named.

    Parameters
    ----------
    data
        A CSV or Parquet file, or the name of a shipped table.
    k
        k-anonymity: rows in a class at least.
    ell
        l-diversity: distinct sensitive values in a class at least.
    entropy_l
        Entropy l-diversity.
    c
        Recursive (c,l)-diversity, with --l.
    t
        t-closeness: distance of a class from the table at most.
    distance
        Between sensitive values, for --t.
    taxonomy
        A file with the hierarchy of the sensitive values, for --distance hierarchical.
    p
        p-sensitive k-anonymity, with --k.
    p_plus
        p+-sensitive k-anonymity: distinct categories in a class at least; with --k, --categories.
    alpha
        (p,alpha)-sensitive k-anonymity, with --p, --k and --categories.
    share
        (alpha,k)-anonymity: share of one value in a class at most; with --k.
    mu
        theta-sensitive k-anonymity, with --k.
    beta
        Basic beta-likeness.
    enhanced_beta
        Enhanced beta-likeness.
    delta
        delta-disclosure privacy.
    json
        Print one JSON document.
    """
    from kproof.models import privacy
    from kproof.models.base.taxonomy import Taxonomy
    from kproof.models.base.verdict import SCHEMA
    from kproof.models.tables.readers import read_classes

    def size(option: str, value: str) -> str:
        if k is None:
            raise InvalidArgument(option, value, "--k with it")
        return k

    models: list[Model] = []
    if k is not None:
        models.append(privacy.KAnonymity(k))
    if share is not None:
        models.append(privacy.AlphaK(share, size("share", share)))
    if ell is not None:
        models.append(privacy.DistinctL(ell))
    if entropy_l is not None:
        models.append(privacy.EntropyL(entropy_l))
    if c is not None:
        if ell is None:
            raise InvalidArgument("c", c, "--l with it")
        models.append(privacy.RecursiveCL(c, ell))
    if t is not None:
        tree = None if taxonomy is None else Taxonomy.from_csv(taxonomy)
        models.append(privacy.TCloseness(t, distance=distance, taxonomy=tree))
    if p is not None:
        models.append(privacy.PSensitive(p, size("p", p)))
    if p_plus is not None:
        models.append(privacy.PPlusSensitive(p_plus, size("p_plus", p_plus)))
    if alpha is not None:
        if p is None:
            raise InvalidArgument("alpha", alpha, "--p with it")
        models.append(privacy.PAlphaSensitive(p, alpha, size("alpha", alpha)))
    if mu is not None:
        models.append(privacy.ThetaSensitivity(size("mu", mu), mu))
    if beta is not None:
        models.append(privacy.BasicBeta(beta))
    if enhanced_beta is not None:
        models.append(privacy.EnhancedBeta(enhanced_beta))
    if delta is not None:
        models.append(privacy.DeltaDisclosure(delta))
    if len(models) > (k is not None) and columns.sensitive is None:
        raise InvalidArgument("sensitive", None, "--sensitive NAME for all models but --k")
    with stage(f"reading {data}"):
        classes = read_classes(data, **columns.roles())
    with stage(f"checking {len(classes.of_row)} rows"):
        verdicts = [model.check(classes) for model in models]
        attained = None if models else privacy.summary(classes)
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
