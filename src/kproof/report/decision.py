"""The decision: whether a table may be published, and with which settings, on one sheet.

What is judged is what was asked for: k, and the least number of sensitive values of a class. The
table is held to that as it is, and so is every release that was tried; of those that have it the
one that loses least is recommended. What nobody confirmed, looked at or can judge from a table is
part of the decision, not a footnote: roles that were only proposed never end in *publish*.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from shlex import quote
from typing import Any

from kproof import __version__
from kproof.datasets import SHIPPED
from kproof.errors import DataError, KProofError
from kproof.models.api import anonymize, check
from kproof.models.attacks import ATTACKS, attack
from kproof.models.base.classes import Classes
from kproof.models.base.columns import Column
from kproof.models.base.taxonomy import Taxonomy
from kproof.models.base.verdict import SCHEMA, Verdict
from kproof.models.frontier import Candidate, frontier
from kproof.models.frontier.attempts import there_in
from kproof.models.methods import METHODS
from kproof.models.privacy import DistinctL, KAnonymity
from kproof.models.registry import Kind, Needs
from kproof.models.tables.labels import most_members_of
from kproof.models.tables.levels.ladders import ladder
from kproof.models.tables.published import classes_of_table
from kproof.models.tables.release import Release
from kproof.models.tables.risk import risk
from kproof.models.tables.risk.chances import written
from kproof.models.tables.sealing import released
from kproof.models.tables.table import Table
from kproof.models.tables.utility import utility
from kproof.piped import piped
from kproof.stages import stage

METHODS_TRIED = ("mondrian", "kaca")
"""The methods that are tried; the others are named as not tried."""

ATTACKS_RUN = ("homogeneity", "categorical-similarity", "linkage", "skewness", "suppression")
"""The attacks that are run; they need nothing but the release."""

ATTACK_OPTIONS: Mapping[str, Any] = {"gain": "difference", "least": Fraction(1, 2)}
"""What the report asks of attacks on every page: skewness counts whoever's value becomes more
probable by so much."""

_LARGE = 100_000
"""Rows from which on several processes make the releases."""

_LARGER = (1, 2, 5)
"""Which multiples of k are tried."""


class Recommendation(StrEnum):
    """What is recommended, of what was judged."""

    AS_IT_IS = "publish as it is"
    WITH_SETTINGS = "publish with these settings"
    NOT = "do not publish"


@dataclass(frozen=True)
class AttackFigures:
    """Whom an attack finds.

    Attributes
    ----------
    name, summary
        The attack, and who is disclosed by it, in a line.
    column
        The sensitive column.
    disclosed
        People whose value it finds; None if no row fits anybody it could look for.
    people
        Of how many.
    certainty
        The largest probability of a bet, whether it counts or not; None if it looks for nobody.
    """

    name: str
    summary: str
    column: str
    disclosed: int | None
    people: int
    certainty: Fraction | None

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form; counts only, no rows."""
        return {
            "attack": self.name,
            "column": self.column,
            "disclosed": self.disclosed,
            "people": self.people,
            "certainty": written(self.certainty),
        }


@dataclass(frozen=True)
class ReleaseFigures:
    """What a table shows once it is published.

    Attributes
    ----------
    rows, people
        Published rows, and people they are about.
    classes, smallest
        Classes a reader can tell apart, and people in the smallest one.
    alone
        People whom nobody else is taken for.
    largest, mean
        The chance of picking a person's row, for who knows that they are in it.
    lacking
        Names of the models that were asked for and that it lacks, with the verdict's reason.
    attacks
        Whom attacks find.
    loss
        Mean NCP, from 0 to 1; 0 of the table as it is.
    losses
        The same by quasi-identifier; empty of the table as it is.
    """

    rows: int
    people: int
    classes: int
    smallest: int
    alone: int
    largest: Fraction | None
    mean: Fraction | None
    lacking: tuple[str, ...]
    attacks: tuple[AttackFigures, ...]
    loss: float
    losses: Mapping[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form; rationals as exact strings."""
        return {
            "rows": self.rows,
            "people": self.people,
            "classes": self.classes,
            "smallest": self.smallest,
            "alone": self.alone,
            "largest": written(self.largest),
            "mean": written(self.mean),
            "lacking": list(self.lacking),
            "attacks": [one.to_dict() for one in self.attacks],
            "loss": self.loss,
            "losses": dict(self.losses),
        }


@dataclass(frozen=True)
class TriedSetting:
    """A release that was tried, and what it costs.

    Attributes
    ----------
    candidate
        The release.
    chosen
        Whether it is the one that is recommended.
    """

    candidate: Candidate
    chosen: bool


@dataclass(frozen=True)
class SourceFile:
    """Where a table comes from, without the folder that it is in.

    Attributes
    ----------
    name
        Of the file, or of a table that comes with kproof.
    digest
        SHA-256 of the file's bytes; empty if there is no file.
    origin
        Where a table that comes with kproof is from; empty if it is somebody's own.
    made_up
        Whether it is about nobody.
    """

    name: str
    digest: str = ""
    origin: str = ""
    made_up: bool = False

    @classmethod
    def of(cls, source: str) -> SourceFile:
        """Return what names a file, or a shipped table."""
        path = Path(source)
        if (whole := piped(source)) is not None:
            return cls("standard input", hashlib.sha256(whole).hexdigest())
        if source in SHIPPED:
            return cls(source, origin=SHIPPED[source].origin, made_up=SHIPPED[source].made_up)
        if not path.is_file():
            return cls(source)
        digest = hashlib.sha256()
        with path.open("rb") as file:
            while chunk := file.read(1 << 20):
                digest.update(chunk)
        return cls(path.name, digest.hexdigest())


@dataclass(frozen=True)
class PublicationDecision:
    """What is recommended, why, and what it rests on; made by :func:`decide`.

    Attributes
    ----------
    recommendation
        Publish as it is, with settings, or not.
    reasons
        Why, in sentences.
    source
        The file.
    rows
        How many it has.
    made
        The day, in UTC.
    version
        Of kproof.
    asked
        Names of the models that a release has to have.
    roles
        The columns by role.
    as_it_is, published
        What the table shows as it is, and as it is recommended to be published; None where it was
        not judged, or nothing is recommended.
    settings
        The releases that were tried.
    command
        What makes the recommended release; empty if there is none.
    assumed
        What nobody can judge from a table, and whoever signs answers for.
    left_out
        What was not looked at.
    questions
        What has to be answered first.
    confirmed
        Whether somebody said the roles; otherwise they are only proposed.
    sent
        Whether it goes to readers of the release, who decide nothing.
    """

    recommendation: Recommendation
    reasons: tuple[str, ...]
    source: SourceFile
    rows: int
    asked: tuple[str, ...]
    roles: Mapping[str, tuple[str, ...]]
    as_it_is: ReleaseFigures | None = None
    published: ReleaseFigures | None = None
    settings: tuple[TriedSetting, ...] = ()
    command: str = ""
    assumed: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    confirmed: bool = True
    sent: bool = False
    made: str = ""
    version: str = __version__
    release: Release | None = field(default=None, repr=False, compare=False)

    @property
    def told(self) -> str:
        """The recommendation in a few words."""
        if self.sent:
            return "what was judged of the release"
        return self.recommendation.value if self.confirmed else "do not publish yet"

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form; counts only, no rows."""
        return {
            "schema": SCHEMA,
            "recommendation": self.recommendation.value,
            "reasons": list(self.reasons),
            "source": {
                "name": self.source.name,
                "sha256": self.source.digest or None,
                "origin": self.source.origin or None,
                "made_up": self.source.made_up,
            },
            "rows": self.rows,
            "made": self.made,
            "version": self.version,
            "asked": list(self.asked),
            "roles": {name: list(columns) for name, columns in self.roles.items()},
            "roles_confirmed": self.confirmed,
            "as_it_is": self.as_it_is and self.as_it_is.to_dict(),
            "published": self.published and self.published.to_dict(),
            "settings": [
                {**one.candidate.to_dict(), "chosen": one.chosen} for one in self.settings
            ],
            "command": self.command or None,
            "assumed": list(self.assumed),
            "left_out": list(self.left_out),
            "questions": list(self.questions),
        }


def today() -> str:
    """Return the day in UTC, or that of ``SOURCE_DATE_EPOCH``, so that pages can be made again."""
    said = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = datetime.fromtimestamp(int(said), UTC) if said.isdigit() else datetime.now(UTC)
    return now.date().isoformat()


def decide(
    table: Table,
    source: SourceFile,
    *,
    k: int,
    values: int = 2,
    typed: str = "",
    confirmed: bool = True,
    questions: Sequence[str] = (),
    repeated: Mapping[str, int] | None = None,
) -> PublicationDecision:
    """Decide about a table that somebody wants to publish.

    Parameters
    ----------
    table
        With its roles.
    source
        Where it comes from.
    k
        Fewest people in a class, from 2.
    values
        Fewest different values of each sensitive column in a class.
    typed
        The words of a command line that name the file and the roles.
    confirmed
        Whether somebody said the roles.
    questions
        What has to be answered before roles can be confirmed.
    repeated
        Columns that are never published and have values that rows share, with the number of rows
        whose value an earlier row has: they may be rows of one person.
    """
    models = _asked(table, k, values)
    with stage("judging the table as it is"):
        as_it_is = _figures(unchanged(table), models, 0.0)
    coarser = tuple(_wide(table))
    if coarser and _too_long(table, k):
        # Sets of many values are no labels that a reader wants: the value, or nothing.
        table = replace(table, quasi_identifiers=tuple(_flat(table, coarser)))
        typed += "".join(f" --ladder {quote(f'{name}=flat')}" for name in coarser)
    tried = _tried(table, k, values)
    fit = [one for one in tried if not one.problem]
    best = min(fit, key=lambda one: (one.loss, one.k), default=None)
    release, published = None, None
    if as_it_is.lacking and best is not None:
        with stage(f"judging {best.name}"):
            release = anonymize(best.method, table, **best.parameters)
            published = replace(
                _figures(release, models, best.loss or 0.0),
                losses=utility(release, k=best.k, queries=0).penalties,
            )
    if not confirmed:
        recommendation = Recommendation.NOT
    elif not as_it_is.lacking:
        recommendation = Recommendation.AS_IT_IS
    elif published is not None and not published.lacking:
        recommendation = Recommendation.WITH_SETTINGS
    else:
        recommendation = Recommendation.NOT
    settings = tuple(TriedSetting(one, one is best and bool(as_it_is.lacking)) for one in tried)
    return PublicationDecision(
        recommendation=recommendation,
        reasons=tuple(
            _reasons(
                as_it_is,
                published,
                tried,
                coarser,
                confirmed=confirmed,
                of_rows=bool(repeated) and table.person is None,
            )
        ),
        source=source,
        rows=table.rows,
        asked=tuple(_names(models)),
        roles=_roles(table),
        as_it_is=as_it_is,
        published=published,
        settings=settings,
        command=_command(best, typed) if published is not None else "",
        assumed=(_enough(table, k, values), *_assumed(table, repeated)),
        left_out=tuple(_left_out(table, as_it_is)),
        questions=tuple(questions),
        confirmed=confirmed,
        made=today(),
        release=release,
    )


def undecided(
    source: SourceFile, rows: int, reason: str, questions: Sequence[str] = ()
) -> PublicationDecision:
    """Return the decision about a table that nobody could judge.

    Parameters
    ----------
    source, rows
        Where it comes from, and how many rows it has.
    reason
        Why nothing was judged.
    questions
        What has to be answered first.
    """
    return PublicationDecision(
        recommendation=Recommendation.NOT,
        reasons=(f"Nothing was judged: {reason}.",),
        source=source,
        rows=rows,
        asked=(),
        roles={},
        questions=tuple(questions),
        confirmed=False,
        made=today(),
    )


def _asked(table: Table, k: int, values: int) -> Mapping[str, Any]:
    models: dict[str, Any] = {"": [KAnonymity(k)]}
    for column in table.secrets:
        models[column.name] = [DistinctL(values)]
    return models


def _names(models: Mapping[str, Any]) -> Iterator[str]:
    for column, several in models.items():
        for model in several:
            yield f"{model.name} of {column}" if column else model.name


def _tried(table: Table, k: int, values: int) -> tuple[Candidate, ...]:
    sizes = sorted({k * factor for factor in _LARGER if k * factor <= max(table.rows // 2, k)})
    more: dict[str, Any] = {"l": values} if table.secrets else {}
    # So few releases are made before other processes would have begun.
    jobs = 1 if table.rows < _LARGE else None
    return frontier(table, methods=METHODS_TRIED, k=sizes, jobs=jobs, **more).candidates


def _too_long(table: Table, k: int) -> bool:
    """Say whether labels of the smallest classes that are tried would be refused already."""
    try:
        anonymize(METHODS_TRIED[0], table, k=k)
    except KProofError:
        return True
    return False


def _wide(table: Table) -> Iterator[str]:
    """Yield the columns whose labels would show sets of more values than a label may."""
    for column in table.quasi_identifiers:
        most = most_members_of(table, column)
        if column.taxonomy is None and not column.numeric and len(column.values) > most:
            yield column.name


def _flat(table: Table, names: Sequence[str]) -> Iterator[Column]:
    """Yield the quasi-identifiers, those named with the value and ``*`` as their levels."""
    for column in table.quasi_identifiers:
        if column.name not in names:
            yield column
            continue
        tree = ladder("flat").taxonomy(column.values, column.name)
        yield replace(column, taxonomy=tree.fitted(column.values, column=column.name))


def shows_labels(table: Table) -> bool:
    """Say whether quasi-identifiers show ranges, sets or ``*``, as those of a release do.

    Examples
    --------
    >>> import pandas as pd
    >>> roles = {"quasi_identifiers": ["age"]}
    >>> [
    ...     shows_labels(Table.from_frame(pd.DataFrame({"age": [one, one]}), **roles))
    ...     for one in ("[25-30]", "{a, b}", "*", "25", 25)
    ... ]
    [True, True, True, False, False]
    """
    return any(
        isinstance(value, str) and _LABEL.fullmatch(value.strip())
        for column in table.quasi_identifiers
        for value in column.values
    )


_LABEL = re.compile(r"\*|\[.+-.+\]|\{.*\}", re.DOTALL)


def unchanged(table: Table) -> Release:
    """Return the table published as it is."""
    of_row, _ = table.equivalence_classes
    return released(table, of_row, method="as it is", parameters={})


def judge_release(
    table: Table,
    source: SourceFile,
    *,
    k: int,
    values: int = 2,
    original: object = None,
    taxonomies: Mapping[str, Taxonomy] | None = None,
) -> PublicationDecision:
    """Decide about somebody's release, which is judged as it is and not anonymized again.

    Parameters
    ----------
    table
        The published rows, see :func:`kproof.models.tables.readers.read_published`.
    source
        Where they come from.
    k, values
        Fewest people, and fewest different values of each sensitive column, in a class.
    original
        The table, frame or file that the release was made of: its people are looked for in the
        release.
    taxonomies
        The hierarchies that labels come from, by column.
    """
    models = _asked(table, k, values)
    figures = _figures(table, models, 0.0)
    reasons = list(_reasons(figures, None, (), (), confirmed=True))
    fits = True
    if original is not None:
        fits, sentence = _against(table, original, taxonomies or {})
        reasons.append(sentence)
    good = fits and not figures.lacking
    left_out = [line for line in _left_out(table, figures) if not line.startswith("Methods")]
    if original is None:
        left_out.append("Whether labels are true of the data was not judged: there is no original.")
    return PublicationDecision(
        recommendation=Recommendation.AS_IT_IS if good else Recommendation.NOT,
        reasons=tuple(reasons),
        source=source,
        rows=table.rows,
        asked=tuple(_names(models)),
        roles=_roles(table),
        as_it_is=figures,
        assumed=(_enough(table, k, values), *_assumed(table)),
        left_out=tuple(left_out),
        made=today(),
    )


def for_readers(decision: PublicationDecision, table: Table) -> PublicationDecision:
    """Return what may be sent along with a release: only what the release itself shows.

    Parameters
    ----------
    decision
        That to publish, as it is or with settings.
    table
        The published rows, of which alone everything is computed that is told.

    Raises
    ------
    DataError
        If it is not recommended to publish.
    """
    if decision.recommendation is Recommendation.NOT or not decision.confirmed:
        why = " ".join(decision.reasons)
        raise DataError(f"there is nothing to send to readers: {decision.told}. {why}")
    k, values = _limits(decision)
    judged = judge_release(table, SourceFile("the release"), k=k, values=values)
    left_out = tuple(
        "Whether labels are true of the data cannot be seen from a release."
        if line.startswith("Whether labels are true")
        else line
        for line in judged.left_out
    )
    kept = ("an adversary may know", "to protect", "published as it is")
    roles = {name: judged.roles[name] for name in kept if name in judged.roles}
    return replace(judged, roles=roles, left_out=left_out, sent=True)


def _limits(decision: PublicationDecision) -> tuple[int, int]:
    k = next(int(name.partition("k=")[2].rstrip(")")) for name in decision.asked if "k=" in name)
    values = [name.partition("l=")[2].partition(")")[0] for name in decision.asked if "l=" in name]
    return k, int(values[0]) if values else 2


def _against(
    table: Table, original: object, taxonomies: Mapping[str, Taxonomy]
) -> tuple[bool, str]:
    """Say whether a release is true of the people it was made of, in a sentence."""
    try:
        found = risk(table, population=original, taxonomies=taxonomies)
    except DataError as error:
        return False, f"Its labels are not true of the original: {error}."
    if found.outside:
        return True, (
            f"{found.outside:,} of {found.population:,} people of the original fit no group: they "
            "were left out, or labels are not true of them."
        )
    return True, f"Each of the {found.population:,} people of the original fits a group."


def _figures(release: Release | Table, models: Mapping[str, Any], loss: float) -> ReleaseFigures:
    classes = release.classes() if isinstance(release, Release) else classes_of_table(release)
    chances = risk(release).prosecutor
    return ReleaseFigures(
        rows=release.rows,
        people=chances.people,
        classes=classes.count,
        smallest=int(classes.real_sizes.min()) if classes.count else 0,
        alone=chances.alone,
        largest=chances.largest,
        mean=chances.mean,
        lacking=tuple(_lacking(classes, models)),
        attacks=tuple(_attacks(release)),
        loss=loss,
    )


def _lacking(classes: Classes, models: Mapping[str, Any]) -> Iterator[str]:
    for column, several in models.items():
        for model in several:
            for verdict in check(classes, {column: model} if column else model):
                if verdict.word != "holds":
                    found = f"{verdict.meaning} is {verdict.value}"
                    if verdict:
                        found = f"open, whoever knows {_names_of(verdict)} needs no class"
                    where = f" of {column}" if column else ""
                    yield f"{verdict.name}{where}: {found}"


def _names_of(verdict: Verdict) -> str:
    return ", ".join(column.name for column in verdict.scope.gives_away)


def _attacks(release: Release | Table) -> Iterator[AttackFigures]:
    """Yield whom those attacks find that need nothing but the release."""
    table = release.table if isinstance(release, Release) else release
    there = there_in(table)
    for column in table.secrets:
        own = there if column is table.sensitive else there - {Needs.CATEGORIES}
        for name in ATTACKS_RUN:
            one = ATTACKS[name]
            # Who looks for people by their data needs these, and not labels alone.
            if not one.needs <= own or (one.matching == "cover" and table is release):
                continue
            target = None if column is table.sensitive else column.name
            options = {key: value for key, value in ATTACK_OPTIONS.items() if key in one.parameters}
            found = attack(name, release, target=target, **options)
            unmatched = found.unmatched == found.victims
            worst = found.worst
            yield AttackFigures(
                name=name,
                summary=one.summary,
                column=column.name,
                disclosed=None if unmatched else len(found),
                people=found.victims,
                certainty=None if unmatched or worst is None else worst.posterior,
            )


def _reasons(
    as_it_is: ReleaseFigures,
    published: ReleaseFigures | None,
    tried: Sequence[Candidate],
    coarser: Sequence[str],
    *,
    confirmed: bool,
    of_rows: bool = False,
) -> Iterator[str]:
    if not confirmed:
        yield (
            "Nobody confirmed the roles of the columns: they are proposed from names and values. "
            "What follows holds only if they are right."
        )
    if as_it_is.lacking:
        yield f"The table as it is lacks {'; '.join(as_it_is.lacking)}."
    else:
        yield "The table as it is has what was asked for."
        return
    if published is not None and not published.lacking:
        # Of people nothing is known where rows may be one person's.
        who, among = ("every row", "rows") if of_rows else ("everybody", "people")
        yield (
            f"With the settings below {who} is among {published.smallest} {among} or more, and "
            f"labels lose {100 * published.loss:.3g} % of what the columns tell: "
            f"{', '.join(f'{name} {100 * lost:.3g} %' for name, lost in published.losses.items())}."
        )
        if coarser:
            yield (
                f"{', '.join(coarser)}: shown as it is or as *, because nobody gave levels "
                "(--ladder, --taxonomy); with levels less would be lost."
            )
    else:
        told = {one.problem for one in tried if one.problem}
        why = "; ".join(sorted(told)) or "none could be made"
        yield f"No release that was tried has it: {why}."


def _roles(table: Table) -> Mapping[str, tuple[str, ...]]:
    found = {
        "an adversary may know": tuple(one.name for one in table.quasi_identifiers),
        "to protect": tuple(one.name for one in table.secrets),
        "whom a row is about": () if table.person is None else (table.person.name,),
        "never published": table.identifiers,
        "left out": table.dropped,
        "published as it is": tuple(one.name for one in table.other),
    }
    return {name: columns for name, columns in found.items() if columns}


def _enough(table: Table, k: int, values: int) -> str:
    different = f" and {values} different values of {_listed_secrets(table)}" * bool(table.secrets)
    return f"Groups of {k} people{different} are enough (--k{', --l' * bool(table.secrets)})."


def _listed_secrets(table: Table) -> str:
    return ", ".join(column.name for column in table.secrets)


def _assumed(table: Table, repeated: Mapping[str, int] | None = None) -> Iterator[str]:
    known = ", ".join(one.name for one in table.quasi_identifiers)
    yield f"Of a person nobody knows more of this table than {known}."
    if table.person is None:
        shared = [
            f"{_rows(count)} {'repeats' if count == 1 else 'repeat'} a value of {name} (if they "
            f"are one person’s: --person {quote(name)})"
            for name, count in (repeated or {}).items()
        ]
        if shared:
            yield f"Every row is about another person, although {', and '.join(shared)}."
        else:
            yield "Every row is about another person."
    yield "No other release of the same people is, or will be, published."
    if table.secrets:
        yield (
            "It is enough that every group shows different values; how much worse one is than "
            "another is not judged."
        )
        gaps = [one.name for one in table.secrets if one.missing is not None]
        if gaps:
            yield f"Missing values of {', '.join(gaps)} were taken for: {table.missing_as.value}."


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count:,} rows"


def _left_out(table: Table, as_it_is: ReleaseFigures) -> Iterator[str]:
    if not table.secrets:
        yield "No column was said to be sensitive, so that what a group gives away was not judged."
    for one in table.beside:
        yield f"{one.name}: has no role, and is not published."
    for column in table.other:
        yield f"{column.name}: published as it is; whoever knows it may tell people apart by it."
    others = [
        name
        for name, one in METHODS.items()
        if one.kind is Kind.TABLE and name not in METHODS_TRIED and one.compared
    ]
    yield f"Methods not tried: {', '.join(others)}."
    if table.secrets:
        idle = [one.name for one in as_it_is.attacks if one.disclosed is None]
        others = [name for name, one in ATTACKS.items() if one.kind is Kind.TABLE]
        run = {one.name for one in as_it_is.attacks}
        rest = [*idle, *(name for name in others if name not in run)]
        yield f"Attacks not run, or without anybody to look for: {', '.join(dict.fromkeys(rest))}."


def _command(best: Candidate | None, typed: str) -> str:
    if best is None:
        return ""
    asked = " ".join(
        f"--{name.replace('_', '-')} {value}"
        for name, value in best.parameters.items()
        if value is not None and name != "models"
    )
    return f"kproof anonymize {best.method} {typed} {asked} -o release.csv"
