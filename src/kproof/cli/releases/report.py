"""``kproof report``: the main job, one HTML page about your data."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Group, Parameter

from kproof.cli.base.columns import Columns, FileOptions, SourceColumns
from kproof.cli.base.common import JSON, NAMES, REPEATED, split
from kproof.cli.base.printing import write_result
from kproof.cli.releases.judging import Judging, status_of
from kproof.errors import DataError, InvalidArgument, KProofError, one_of
from kproof.outputs import Folder, check_outputs
from kproof.piped import command_word
from kproof.stages import stage

if TYPE_CHECKING:
    from kproof.datasets import TextTable
    from kproof.models.tables.proposals.proposal import RolesProposal
    from kproof.models.tables.table import Table
    from kproof.report.context import Microdata
    from kproof.report.decision import PublicationDecision

_TABLE = Group("Your table", sort_key=2)
_BOUNDS = Group("Bounds for its numeric columns", sort_key=3)

SAMPLE_COLUMNS = SourceColumns(
    qi=("born", "sex", "postcode"),
    sensitive=("diagnosis",),
    person="patient_number",
    identifier=("stay", "name", "phone", "email"),
    drop=("admitted", "discharged", "ward", "weight_kg", "note"),
    ladder=("postcode=prefix",),
    least_level=("postcode=1",),
)
"""The roles and levels of the table that the page is about if nothing is named."""


def report(
    *data: str,
    output: Annotated[str, Parameter(name=("--output", "-o"))] = "results",
    columns: SourceColumns = SourceColumns(),
    k: Annotated[str | None, Parameter(group=_TABLE)] = None,
    values: Annotated[str, Parameter(name="--l", group=_TABLE)] = "2",
    mu: Annotated[str, Parameter(group=_TABLE)] = "3/5",
    column: Annotated[REPEATED, Parameter(group=_BOUNDS)] = (),
    shift: Annotated[str | None, Parameter(group=_BOUNDS)] = None,
    neighbourhood: Annotated[str, Parameter(group=_BOUNDS)] = "2",
    known: Annotated[str, Parameter(name="--lambda2", group=_BOUNDS)] = "1/5",
    edition: Annotated[Literal["publisher", "readers"], Parameter(name="--for")] = "publisher",
    original: Annotated[str | None, Parameter(group=_TABLE)] = None,
    judging: Judging = Judging(),
    sections: NAMES = (),
    json: JSON = False,
) -> int:
    """Write one self-contained HTML page about your data: whether to publish them, and how.

    The first page is the decision, to be printed and signed. Without --qi or --roles the roles of
    columns are proposed, and the decision is to confirm them first. The figures go to report.json
    beside the page. The status is 0 if the table, or the release that is recommended,
    may be published, 1 if not, 4 if that is not decided.

    Args:
        data: CSV files or names of shipped tables; hospital-sample, which is made up, if none is
            named.
        output: The folder for report.html.
        values: Fewest distinct sensitive values in a class that the models of the second page ask
            for.
        edition: Who reads the page: the publisher, who may see single rows; or readers of the
            release, who see only what the release itself shows.
        original: The file that DATA, a release, was made of: the judgement compares them.
        sections: What is shown: decision, table, bounds, nets, places, audit; names separated by
            commas. If not given: the first four, and of the bounds those of measured numbers.
        k: Fewest people in a class of what is recommended, by default as few as the audience
            allows; of the methods that are compared, by default 4; for the bounds in a cloaked set,
            10.
        mu: Share of the variance of a fully diverse class, such as 3/5.
        column: A column of the file, the only one with bounds: a name or a position counted from 1;
            may be repeated.
        shift: How far one record moves the sum; by default max - min of the column.
        neighbourhood: Levels II and IV: most records that depend on one another, the record itself
            included.
        known: Levels III and IV: fraction of the records whose values the adversary knows.
    """
    with stage("starting"):
        from kproof.datasets import MISSING_CELLS, SAMPLE, read_text_table
        from kproof.models.judgement.findings import JudgementOutcome
        from kproof.models.tables.proposals.proposal import propose_roles
        from kproof.report.context import Context, Settings
        from kproof.report.decision import for_readers
        from kproof.report.sections import DATA_NAME, FILE_NAME, USUAL, ids, write_report
    from kproof.theory.exact.typed import integer

    if edition == "readers" and split(sections) not in ((), ("decision",)):
        raise InvalidArgument("sections", ",".join(split(sections)), "none beside --for readers")
    section_ids = ("decision",) if edition == "readers" else split(sections) or USUAL
    for name in section_ids:
        if name not in ids():
            raise InvalidArgument("sections", name, one_of(name, ids(), first="some of"))
    if original is not None and (len(data) != 1 or not (columns.qi or columns.roles_file)):
        raise InvalidArgument("original", original, "one release as DATA, and --qi NAME,NAME,...")
    if not data and not (columns.qi or columns.roles_file):
        _require_no_roles(columns)
        data = (SAMPLE,)
        columns = replace(SAMPLE_COLUMNS, **columns.layout(), missing=columns.missing)
    reads = [*data, original, *judging.released, *columns.reads]
    names = (FILE_NAME, DATA_NAME)
    files = check_outputs({}, folders={"output": Folder(output, names)}, reads=reads)
    settings = Settings.of(shift=shift, k=k or "10", neighbourhood=neighbourhood, known=known)
    layout = dict(columns.file_layout())
    # Its numbers are read as they are typed: what has a comma is no column of numbers there.
    layout.pop("decimal", None)
    missing = columns.missing or MISSING_CELLS
    with stage(f"reading {', '.join(data)}"):
        tables = tuple(read_text_table(source, **layout, missing=missing) for source in data)
    for table in tables:
        if not table.lines:
            raise DataError(f"{table.source}: the table has no rows")
    page_parameters = {"k": k or "4", "mu": mu, "values": values}
    # Whose roles nobody says are proposed, and so are the columns with bounds: of one reading.
    propose = cache(propose_roles)
    subject = _subject(data, columns, page_parameters, bool(original), propose)
    least = None if k is None else integer("k", k, least=2)
    subject = replace(subject, layout=columns.file_layout(), least=least)
    # A release has labels for values: no other section could say anything of it.
    if subject.published is not None:
        section_ids = ("decision",)
    decision = None
    if "decision" in section_ids and len(data) == 1:
        with stage("deciding"):
            decision = subject.decision(tables[0], original, judging)
            if edition == "readers":
                decision = for_readers(decision)
    measured = (
        None if column else frozenset(_columns_of_numbers(data, layout, columns.missing, propose))
    )
    context = Context(tables, column, settings, subject.microdata, decision, measured)
    with stage("writing the page"), files.together():
        path, document = write_report(context, output, section_ids)
    text = [str(path)]
    if decision is not None:
        answer = [f"{decision.source.name}: {decision.heading}", *decision.reasons]
        text = [*answer, *decision.questions, *text]
    document = replace(document, report=str(path))
    write_result("report", document, json=json, text="\n".join(text))
    return status_of(JudgementOutcome.PUBLISH if decision is None else decision.outcome)


@dataclass(frozen=True)
class _Subject:
    """The table that the page is about."""

    source: str
    microdata: Microdata | None = None
    """With roles; None if there are none."""
    typed: str = ""
    """What a command line says of the file and its roles."""
    confirmed: bool = True
    """Whether somebody said them."""
    problem: str = ""
    questions: tuple[str, ...] = ()
    """Why there are no roles, and what has to be answered first."""
    published: Mapping[str, Any] | None = None
    """Roles of a release that is judged as it is, as readers take them."""
    layout: Mapping[str, Any] = field(default_factory=dict)
    """How its file is read."""
    least: int | None = None
    """Fewest people in a class of what is recommended, if somebody said so."""

    def decision(
        self, table: TextTable, original: str | None, judging: Judging
    ) -> PublicationDecision:
        """Decide about it."""
        from kproof.models.publishing.publisher import TablePublisher
        from kproof.models.tables.readers import FileLayout
        from kproof.report.decision import decide, judge_file, leave_open
        from kproof.report.sources import SourceFile

        source = SourceFile.of(self.source)
        if self.published is not None:
            publication = judging.publication(self.source, original, self.published)
            return judge_file(publication, source, audience=judging.audience)
        if self.microdata is None:
            return leave_open(source, len(table.lines), self.problem, self.questions)
        microdata = self.microdata.table
        judged_with = {**judging.earlier(microdata, self.source), **judging.options()}
        layout = FileLayout.of(**self.layout)
        publisher = TablePublisher.of(microdata, self.source, layout=layout, **judged_with)
        typed = " ".join([self.typed, *map(shlex.quote, judging.words())])
        return decide(
            publisher,
            source,
            typed=typed,
            confirmed=self.confirmed,
            questions=self.questions,
            least=self.least,
        )


def _subject(
    data: tuple[str, ...],
    columns: SourceColumns,
    parameters: Mapping[str, str],
    released: bool,
    propose: Callable[..., RolesProposal],
) -> _Subject:
    """Return the table with its roles: those that were said, or those that are proposed."""
    from kproof.report.context import Microdata

    if not columns.qi and columns.roles_file is None:
        _require_no_roles(columns)
        return _propose(data[0], columns, parameters, propose)
    if len(data) != 1:
        name, value = ("qi", ",".join(columns.qi)) if columns.qi else ("roles", columns.roles_file)
        raise InvalidArgument(name, value, "one file of DATA whose columns these are")
    typed = shlex.join([command_word(data[0]), *columns.words()])
    table = None if released else columns.table(data[0])
    if table is None or shows_labels(table):
        return _Subject(data[0], typed=typed, published=columns.roles(data[0], published=True))
    microdata = Microdata.of(data[0], table, **parameters)
    confirmed, questions = columns.confirmed, columns.unconfirmed
    return _Subject(data[0], microdata, typed, confirmed, questions=questions)


def shows_labels(table: Table) -> bool:
    """Say whether quasi-identifiers show ranges, sets or ``*``, as those of a release do.

    >>> import pandas as pd
    >>> from kproof.models.tables.table import Table
    >>> roles = {"quasi_identifiers": ["age"]}
    >>> [
    ...     shows_labels(Table.from_frame(pd.DataFrame({"age": [cell, cell]}), **roles))
    ...     for cell in ("[25-30]", "{a, b}", "*", "25", 25)
    ... ]
    [True, True, True, False, False]
    """
    return any(
        isinstance(value, str) and _LABEL.fullmatch(value.strip())
        for column in table.quasi_identifiers
        for value in column.values
    )


_LABEL = re.compile(r"\*|\[.+-.+\]|\{.*\}", re.DOTALL)


def _require_no_roles(columns: SourceColumns) -> None:
    """Refuse what is said of columns as long as nobody says which an adversary may know."""
    about_the_file = [option.name for option in fields(FileOptions)]
    for option in fields(columns):
        value = getattr(columns, option.name)
        if option.name not in about_the_file and value != option.default:
            typed = ",".join(value) if isinstance(value, tuple) else value
            raise InvalidArgument(option.name, typed, "--qi NAME,NAME,... with it")


def _propose(
    source: str,
    columns: Columns,
    parameters: Mapping[str, str],
    propose: Callable[..., RolesProposal],
) -> _Subject:
    """Return a table with the roles that its columns seem to have."""
    from kproof.models.tables.readers import read_table
    from kproof.report.context import Microdata

    proposal = propose(source, **columns.layout(), missing=columns.missing or None)
    typed = shlex.join([command_word(source), *columns.words(FileOptions)])
    questions = (
        f"Are these roles right? Write them to a file: kproof roles {typed} --output roles.toml. "
        "Correct it, or if nothing is wrong: kproof roles roles.toml --confirm. Then: "
        f"kproof report {shlex.quote(command_word(source))} --roles roles.toml",
        *proposal.questions,
    )
    roles = proposal.options()
    unconfirmed = _Subject(source, confirmed=False, questions=questions)
    if not roles.get("quasi_identifiers"):
        problem = "no column seems to be one that an adversary may know of a person"
        return replace(unconfirmed, problem=problem)
    try:
        table = read_table(source, **{**columns.layout(), **roles})
        microdata = Microdata.of(source, table, **parameters)
    except KProofError as reason:
        return replace(unconfirmed, problem=str(reason))
    return replace(unconfirmed, microdata=microdata, typed=f"{typed} --roles roles.toml")


def _columns_of_numbers(
    sources: tuple[str, ...],
    layout: Mapping[str, Any],
    missing: tuple[str, ...],
    propose: Callable[..., RolesProposal],
) -> Iterator[str]:
    """Yield the columns whose sums make sense: numbers that are no codes, dates or identifiers."""
    from kproof.models.tables.detection.types import ColumnType

    for source in sources:
        for column in propose(source, **layout, missing=missing or None).columns:
            if column.type is ColumnType.NUMBER:
                yield column.name
