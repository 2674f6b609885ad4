"""The decision about a table: what the judge says of it, and of what may be published in its place.

Nothing is measured here. The table as it is and the release that the safe path makes of it are
judged by :func:`kproof.models.judgement.judge.judge`, and every sentence and figure of the page and
of its JSON is one of those two judgements'.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from kproof.errors import DataError, KProofError
from kproof.forms import JsonForm
from kproof.models.base.verdict import SCHEMA
from kproof.models.judgement.findings import Judgement, JudgementOutcome
from kproof.models.judgement.judge import judge
from kproof.models.judgement.publication import ColumnKnowledge, PublishedFile
from kproof.models.judgement.thresholds import Audience
from kproof.models.publishing.path import LADDER, as_is, on_safe_path
from kproof.models.publishing.published import Published
from kproof.models.publishing.publisher import TablePublisher
from kproof.models.tables.table import Table
from kproof.report.sources import SourceFile, today
from kproof.stages import stage
from kproof.version import __version__


@dataclass(frozen=True)
class PublicationDecision:
    """What may be done with a table, and what that rests on; made by :func:`decide`."""

    source: SourceFile
    """The file."""
    rows: int
    """How many it has."""
    roles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The columns by role."""
    as_it_is: Judgement | None = None
    """What the judge says of the table as it is; None where nothing was judged."""
    published: Published | None = field(default=None, repr=False)
    """The release that was tried, with its judgement; None if there is none."""
    problem: str = ""
    """Why nothing was judged, or no release could be made; empty if nothing is in the way."""
    command: str | None = None
    """What writes the release; None if there is none to write."""
    questions: tuple[str, ...] = ()
    """What has to be answered first."""
    confirmed: bool = True
    """Whether somebody said the roles; otherwise they are only proposed."""
    sent: bool = False
    """Whether it goes to readers of the release, who decide nothing."""
    made: str = field(default_factory=today)
    """The day."""
    version: str = __version__
    """Of kproof."""

    @property
    def outcome(self) -> JudgementOutcome:
        """Publish only what is judged so in roles that somebody confirmed."""
        if self.judgement is None or not self.confirmed:
            return JudgementOutcome.OPEN
        return self.judgement.outcome

    @cached_property
    def judgement(self) -> Judgement | None:
        """The judgement that decides: of the release, if one is to be published in its place."""
        if self.published is not None and self.published.judgement.green:
            return self.published.judgement
        return self.as_it_is

    @property
    def with_settings(self) -> bool:
        """Whether what may be published is a release, and not the table as it is."""
        # By identity: the judgement of the table as it is may equal that of the release.
        return self.published is not None and self.judgement is self.published.judgement

    @property
    def heading(self) -> str:
        """The outcome in a few words."""
        if self.sent:
            return "What was judged of this release"
        if not self.confirmed:
            return "Not decided: nobody confirmed the roles"
        if self.outcome is JudgementOutcome.PUBLISH:
            if self.with_settings:
                return "Publish with these settings"
            # The order of a source tells whose rows are whose: the command writes another.
            return "Publish its rows in a random order" if self.command else "Publish as it is"
        return self.outcome.value.capitalize()

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why, in sentences: what stands against the table, and what the release then does."""
        before, release = self.as_it_is, self.published
        reasons = [self.problem] if self.problem else []
        if before is not None and before.outcome is not JudgementOutcome.PUBLISH:
            reasons += [f"As it is, {finding.sentence}." for finding in before.against[:_MOST]]
        if release is not None and release.judgement.green:
            reasons.append(
                f"With these settings, {release.judgement.sentence.removeprefix('publish: ')}."
            )
            reasons.append(f"{release.settings}.")
        elif release is not None:
            worst = release.judgement.against[:1]
            reasons += [f"The best release that was tried: {finding.sentence}" for finding in worst]
        elif before is not None and before.green:
            reasons.append(before.sentence)
        return tuple(reasons)

    to_dict = JsonForm(
        "outcome heading reasons source rows made version roles roles_confirmed=confirmed",
        "as_it_is published command questions",
        schema=SCHEMA,
    )


_MOST = 4
"""Sentences of one judgement on the page; the JSON has all of them."""


def decide(
    publisher: TablePublisher,
    source: SourceFile,
    *,
    typed: str = "",
    confirmed: bool = True,
    questions: Sequence[str] = (),
    least: int | None = None,
) -> PublicationDecision:
    """Decide about a table that somebody wants to publish.

    Args:
        publisher, source: The table with its roles and for whom it is; where it comes from.
        typed: The words of a command line that name the file, how it is read, its roles and its
            readers.
        confirmed, questions: Whether somebody said the roles, and what has to be answered first.
        least: Fewest people in a class of what is recommended; by default as few as the audience
            allows.
    """
    with stage("judging the table as it is"):
        unchanged = as_is(publisher)
    decision = PublicationDecision(
        source,
        publisher.table.rows,
        roles_of(publisher.table),
        unchanged.judgement,
        confirmed=confirmed,
        questions=tuple(questions),
    )
    if unchanged.judgement.green:
        return replace(decision, command=f"kproof anonymize as-is {typed} -o release.csv")
    sizes = LADDER if least is None else (least, *(size for size in LADDER if size > least))
    try:
        release = on_safe_path(publisher, k=sizes)
    except KProofError as error:
        return replace(decision, problem=f"No release could be made: {error}.")
    ready = release.judgement.green
    bound = "" if least is None else f" --k {least}"
    command = f"kproof anonymize {typed}{bound} -o release.csv" if ready else None
    return replace(decision, published=release, command=command)


def leave_open(
    source: SourceFile, rows: int, reason: str, questions: Sequence[str] = ()
) -> PublicationDecision:
    """Return the decision about a table of so many rows that nobody could judge."""
    return PublicationDecision(
        source,
        rows,
        problem=f"Nothing was judged: {reason}.",
        questions=tuple(questions),
        confirmed=False,
    )


def judge_file(
    publication: PublishedFile, source: SourceFile, *, audience: Audience | str = Audience.PUBLIC
) -> PublicationDecision:
    """Decide about somebody's release, which is judged as it is and not anonymized again."""
    roles = {
        _SHOWN[knowledge]: tuple(
            column.name for column in publication.columns if column.knowledge is knowledge
        )
        for knowledge in ColumnKnowledge
    }
    return PublicationDecision(
        source,
        publication.rows,
        {name: columns for name, columns in roles.items() if columns},
        judge(publication, audience=audience),
    )


_SHOWN = {
    ColumnKnowledge.KNOWN: "known",
    ColumnKnowledge.BOTH: "known and secret",
    ColumnKnowledge.SECRET: "confidential",
}
"""What columns are called on the page."""


def for_readers(decision: PublicationDecision) -> PublicationDecision:
    """Return what may be sent along with a release: its judgement, and nothing of the source."""
    if decision.outcome is not JudgementOutcome.PUBLISH or decision.judgement is None:
        why = " ".join(decision.reasons)
        raise DataError(f"there is nothing to send to readers: {decision.heading}. {why}")
    # Made anew and not by `replace`: a field that is added later and tells of the source is not
    # sent unless somebody names it here.
    readers = tuple(_SHOWN.values())
    return PublicationDecision(
        SourceFile("the release"),
        decision.judgement.rows,
        {name: columns for name, columns in decision.roles.items() if name in readers},
        decision.judgement,
        sent=True,
    )


def roles_of(table: Table) -> Mapping[str, tuple[str, ...]]:
    """Return the columns of a table by what the judge takes them for."""
    known_secrets = [column.name for column in table.quasi_identifiers if column.name in table.both]
    roles = {
        "known": tuple(
            column.name
            for column in (*table.quasi_identifiers, *table.other)
            if column.name not in known_secrets
        ),
        "known and secret": tuple(known_secrets),
        "confidential": tuple(column.name for column in table.secrets),
        "whom a row is about": () if table.person is None else (table.person.name,),
        "never published": table.identifiers,
        "left out": (*table.dropped, *(column.name for column in table.beside)),
    }
    return {name: columns for name, columns in roles.items() if columns}
