"""``kproof check``: whether a published table satisfies privacy models, and its risk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Group, Parameter

from kproof.cli.base.columns import SUPPRESSED_AS, Columns, secrets_of, taxonomies
from kproof.cli.base.common import JSON, REPEATED, SWITCH, OptionGroup, option_group
from kproof.cli.base.generated import command
from kproof.cli.base.printing import (
    ExitStatus,
    console,
    write_json,
    write_line,
    write_lines,
    write_table,
)
from kproof.cli.releases.anonymize_sampled import check_certificate
from kproof.cli.releases.judging import Judging, status_of
from kproof.cli.releases.logs import KindsOptions, PlacesKnownOptions
from kproof.cli.releases.moving import check_log
from kproof.errors import InvalidArgument, one_of
from kproof.models.privacies import MODELS, models_by_column, options_of
from kproof.models.registry import Needs, PrivacyModel
from kproof.schemas.printed import Checked
from kproof.stages import count_parts, stage

if TYPE_CHECKING:
    from kproof.models.base.classes import Classes
    from kproof.models.base.verdict import Verdict
    from kproof.models.judgement.findings import Judgement
    from kproof.models.privacy.summary import Summary
    from kproof.models.tables.risk import Risk
    from kproof.models.tables.table import Table

_MODELS = Group("Models", sort_key=2)
_RISK = Group("Risk", sort_key=3)


@option_group(_RISK)
class RiskOptions(OptionGroup):
    """Whether the risk is judged, and of which population the table is a part."""

    risk: SWITCH = False
    """Print how likely somebody is to pick a person's row, too."""
    threshold: str | None = None
    """Chance above which people are counted, by default 0.2."""
    population: str | None = None
    """A file with a row for each person of the population, those of the table included, in which
    somebody looks for them; or with several, if it has the column of --person."""
    hierarchy: REPEATED = ()
    """Hierarchy that the labels of a column come from, for --population: COLUMN=FILE. If not given:
    the levels that --roles says."""
    sample: str | None = None
    """Share of the population that is in the table, such as 5%: its risk there is estimated."""
    estimator: Literal["dankar", "pitman", "zayatz", "snb"] = "dankar"
    """Model of the population, for --sample."""

    @property
    def is_asked(self) -> bool:
        """Whether something is asked for that is about the risk."""
        return bool(self.risk or self.threshold or self.population or self.hierarchy or self.sample)

    def of(self, table: Table, columns: Columns) -> Risk:
        """Judge the risk of a table."""
        from kproof.datasets import MISSING_CELLS
        from kproof.models.tables.readers import names_of, read_table
        from kproof.models.tables.risk import risk

        if self.hierarchy and self.population is None:
            raise InvalidArgument("hierarchy", self.hierarchy[0], "--population FILE with it")
        keywords: dict[str, Any] = {} if self.threshold is None else {"threshold": self.threshold}
        if self.population is not None:
            # Only the quasi-identifiers: a register has no sensitive column, and names are its own.
            names = [column.name for column in table.quasi_identifiers]
            typed = taxonomies(self.hierarchy, name="hierarchy")
            for name in typed:
                if name not in names:
                    raise InvalidArgument("hierarchy", name, one_of(name, names))
            levels = _levels(columns, typed)
            person = None if table.person is None else table.person.name
            keywords["population"] = read_table(
                self.population,
                quasi_identifiers=names,
                person=person if person in names_of(self.population) else None,
                missing=columns.missing or MISSING_CELLS,
                **levels,
            )
            keywords["taxonomies"] = {**levels.get("taxonomies", {}), **typed}
        return risk(table, sample=self.sample, estimator=self.estimator, **keywords)


def check_front(
    typed: dict[str, Any],
    data: str,
    /,
    *more: str,
    columns: Columns = Columns(),
    known_sensitive: Annotated[bool, Parameter(group=_MODELS, negative=())] = False,
    risk: RiskOptions = RiskOptions(),
    suppressed: SUPPRESSED_AS = None,
    judging: Judging = Judging(),
    original: Annotated[str | None, Parameter(group=_MODELS)] = None,
    certificate: str | None = None,
    log: str | None = None,
    cells: str | None = None,
    places_known: PlacesKnownOptions = PlacesKnownOptions(),
    kinds: KindsOptions = KindsOptions(),
    models_only: Annotated[bool, Parameter(group=_MODELS, negative=())] = False,
    json: JSON = False,
) -> int:
    """Check a published table against privacy models, and judge whether it may be published.

    The last line is the judgement of the whole file: every column, all rows of a
    person, their order, earlier releases. The status is 0 if every model holds and
    the file may be published, 1 if one does not or it may not, 4 if that is not
    decided; with --models-only it is that of the models. Rows are in one class if
    all their quasi-identifiers show the same text. Every sensitive column
    is judged, or those that a model is asked for: --l disease=3,salary=2. Without a
    model, the parameters that the table attains and its risk are printed. Columns
    without a role that single out nearly every row, one alone or two or three
    together, stop the check; other columns that are not considered are named. If a column
    published as it is singles out nearly every row, no model holds for certain: the
    status is 4.

    Args:
        data: A CSV, Excel or Parquet file, or the name of a shipped table; or a heat map (.geojson)
            or regions of kproof anonymize density, which need no roles. A folder of Parquet
            files (also s3://…), a lake (delta:…, iceberg:…), duckdb:FILE?table=NAME or a database
            URL with ?table=NAME is judged where it is, most of it by groups of rows.
        more: Other heat maps (.geojson) that count some of the same people: their differences are
            judged.
        known_sensitive: Take the other sensitive columns for quasi-identifiers when one is judged.
        original: The table that the file was made of: whom its rows are about, and in which order
            they were. Of a heat map the file of positions, from which it is counted again; of
            regions, for --kinds, the file of nodes with their users.
        certificate: The certificate of a table whose rows were kept by coins (kproof anonymize
            sampled). Only the certificate is judged, from these two files. If it names a file
            of cells (kproof anonymize sequences), add --cells.
        log: The log of positions that a cloaked log was made of; needs --cells. Only this is
            judged: who may be behind a record, as in kproof attack intersection.
        cells: The file of the cells of a cloaked log, or of sequences.
        models_only: Judge the models alone, and not whether the file may be published.
        suppressed: What suppressed rows show in every quasi-identifier, such as '*': they are a
            class of their own, and not considered if they show nothing else.
    """
    from kproof.models.places.published import is_of_places

    of_roles = (columns, judging, risk, known_sensitive, models_only, suppressed, certificate)
    allowed = {"k"} if kinds.kinds is None else {"k", "l", "t"}
    if log is not None or (cells is not None and certificate is None):
        if typed.keys() - allowed or more or original or of_roles != (*_NO_ROLES, None):
            admissible = "nothing but --cells, --k, --knows, --sybils, --kinds and --json beside it"
            raise InvalidArgument("log", log, admissible)
        return check_log(typed, data, log, cells, places_known, kinds, json=json)
    if places_known != PlacesKnownOptions():
        knows = " ".join(places_known.knows) or None
        raise InvalidArgument("knows", knows, "--log and --cells with it")
    if is_of_places(data, with_roles=columns != Columns()):
        if typed.keys() - allowed or of_roles != (*_NO_ROLES, None):
            admissible = "nothing but --k, --original, --kinds and --json beside it"
            raise InvalidArgument("data", data, admissible)
        return _check_places((data, *more), typed, original, kinds, json)
    if kinds != KindsOptions():
        raise InvalidArgument("kinds", kinds.kinds, "a heat map, regions, or a cloaked log with it")
    if more:
        raise InvalidArgument("more", more[0], "one table, or heat maps called *.geojson")
    if certificate is not None:
        beside = (columns, judging, risk, known_sensitive, models_only, suppressed, original)
        if typed or beside != (*_NO_ROLES, None):
            raise InvalidArgument(
                "certificate", certificate, "nothing but --cells and --json beside it"
            )
        return check_certificate(certificate, data, cells, json=json)
    from kproof.models.judgement.findings import JudgementOutcome
    from kproof.models.judgement.judge import judge as judge_file
    from kproof.models.judgement.reading import roles_shown
    from kproof.models.tables.engines import is_judged_there
    from kproof.models.tables.published import classes_of_table
    from kproof.models.tables.readers import read_classes, read_published

    roles = columns.roles(data if original is None else original, published=original is None)
    of_original = roles
    if original is not None:
        # The roles are those of the original: the file lacks columns of it, and shows labels.
        roles = roles_shown(roles, data, original)
    secrets = secrets_of(roles)
    models = models_by_column(typed, secrets)
    if not secrets and any(Needs.SENSITIVE in MODELS[name].needs for name, _, _ in models):
        raise InvalidArgument("sensitive", None, "--sensitive NAME for all models but --k")
    if models_only and (original or judging != Judging()):
        raise InvalidArgument("models_only", True, "nothing about the judgement beside it")
    table: Table | None = None
    there = is_judged_there(data)
    if there and not risk.is_asked:
        with stage(f"grouping {data}"):
            classes = read_classes(data, **roles, suppressed=suppressed)
    else:
        with stage(f"reading {data}"):
            table = read_published(data, **roles, suppressed=suppressed)
            classes = classes_of_table(table)
    verdicts, attained = check_classes(classes, models, known_sensitive=known_sensitive)
    judgement = None
    if not there and not models_only:
        with stage("judging the file"):
            judgement = judge_file(
                judging.publication(data, original, of_original, columns.unconfirmed),
                audience=judging.audience,
            )
    chances = None
    if table is not None and (risk.is_asked or not models):
        with stage(f"judging the risk of {classes.rows} rows"):
            chances = risk.of(table, columns)
    if json:
        about = (classes.rows, classes.count, classes.beside, classes.exposure)
        sizes = tuple(classes.real_sizes.tolist())
        checked = Checked(*about, verdicts, attained, chances, judgement, sizes)
        write_json("check", checked)
        return _status(verdicts, classes, judgement, models_only)
    for summed in attained:
        write_lines(f"{summed.scope.column}: {summed}" if summed.scope.among else summed)
    if not attained:
        _print(verdicts)
    sentences = () if chances is None else chances.sentences
    notes = [note for judged in attained or verdicts for note in judged.scope.notes]
    _remark([*sentences, *(note for note in notes if note not in sentences)])
    if models_only:
        _remark(["models only: whether the file may be published was not judged"])
    elif judgement is None:
        _remark([f"{JudgementOutcome.OPEN}: data are read by groups, and not cell by cell"])
    else:
        _remark([*(f"{finding}" for finding in judgement.against), judgement.sentence])
    return _status(verdicts, classes, judgement, models_only)


_NO_ROLES = (Columns(), Judging(), RiskOptions(), False, False, None)
"""What the options about tables are where none is typed."""


def check_classes(
    classes: Classes,
    models: Sequence[tuple[str, str | None, PrivacyModel]],
    *,
    known_sensitive: bool = False,
) -> tuple[tuple[Verdict, ...], tuple[Summary, ...]]:
    """Return what is judged of classes by models, or what they attain if there are none.

    Models are as :func:`~kproof.models.privacies.models_by_column` returns them.
    """
    from kproof.models.privacy import summary
    from kproof.models.privacy.several import judge

    with stage(f"checking {classes.rows:,} rows"):
        verdicts = [
            verdict
            for _, column, model in count_parts(f"checking {classes.rows:,} rows, models", models)
            for verdict in judge(
                classes,
                model if column is None else {column: model},
                known_sensitive=known_sensitive,
            )
        ]
        parts = (part.refine_by_others() if known_sensitive else part for part in classes.each)
        return tuple(verdicts), () if models else tuple(map(summary, parts))


def _check_places(
    files: tuple[str, ...],
    typed: dict[str, Any],
    original: str | None,
    kinds: KindsOptions,
    json: bool,
) -> ExitStatus:
    from kproof.models.places.heatmap.series import DifferenceOutcome
    from kproof.models.places.published import PlacesOutcome, check_places

    kinds_asked = kinds.pop_kinds(typed)
    with stage(f"checking {', '.join(files)}"):
        checked = check_places(files, k=typed.get("k"), original=original, kinds=kinds_asked)
    series = checked.series
    if json:
        write_json("check-places", checked)
    else:
        write_lines("\n".join(map(str, (*checked.files, *(series.differences if series else ())))))
    outcomes = {judged.outcome for judged in checked.files}
    # A file that fails by itself fails whatever subtracting the others leaves open.
    few = any(judged.kinds is not None and not judged.kinds.holds for judged in checked.files)
    if few or PlacesOutcome.FAILS in outcomes:
        return ExitStatus.VIOLATED
    if series is None:
        return ExitStatus.OPEN if PlacesOutcome.OPEN in outcomes else ExitStatus.DONE
    return {
        DifferenceOutcome.CHANGED: ExitStatus.VIOLATED,
        DifferenceOutcome.OPEN: ExitStatus.OPEN,
    }.get(series.outcome, ExitStatus.DONE)


def _status(
    verdicts: Iterable[Verdict], classes: Classes, judgement: Judgement | None, models_only: bool
) -> ExitStatus:
    # Models before the judgement: one that fails must not be told as a question that is open.
    if not all(verdicts):
        return ExitStatus.VIOLATED
    if not models_only:
        return ExitStatus.OPEN if judgement is None else status_of(judgement)
    gives_away = any(column.gives_away for column in classes.beside)
    return ExitStatus.OPEN if gives_away else ExitStatus.DONE


def _levels(columns: Columns, typed: Mapping[str, object]) -> dict[str, Any]:
    """Return the levels that a roles file says of columns, but for those that have a hierarchy."""
    file = columns.file()
    if file is None:
        return {}
    options = file.options()
    drawn = {
        key: {name: drawing for name, drawing in options.get(key, {}).items() if name not in typed}
        for key in ("taxonomies", "ladders")
    }
    return {**drawn, "numeric": options.get("numeric", {})}


def _remark(notes: Iterable[str]) -> None:
    """Say what the answer does not speak of, each thing once."""
    for note in dict.fromkeys(notes):
        write_line(console(), note)


def _print(verdicts: Iterable[Verdict]) -> None:
    rows = []
    for verdict in verdicts:
        worst = verdict.worst_class
        word = verdict.word.upper() if verdict.word != "holds" else "holds"
        size = "" if worst is None else "1 row" if worst.size == 1 else f"{worst.size} rows"
        where = "" if worst is None else f"{worst.label} ({size})"
        rows.append((word, verdict.name, f"{verdict.meaning}: {verdict.value}", where))
    write_table(["", "model", "attained", "worst class"], rows)


check = command(check_front, [(_MODELS, options_of(MODELS))])
