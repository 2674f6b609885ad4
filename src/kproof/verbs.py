"""The verbs of the command line as functions: the same words, the same answer.

A verb runs its command. Keywords become the command's words, a frame becomes a file that it reads,
and what it would print with ``--json`` is returned, so that nothing here could answer otherwise.
What no file holds, such as a Release that was just made, goes to the functions of the library that
commands call.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, overload

from kproof.arguments import PATH, ROLES, check_arguments, library_words, name_arguments
from kproof.datasets import MISSING_CELLS
from kproof.errors import DataError, InvalidArgument, KProofError, show
from kproof.forms import ABSENT, JsonForm
from kproof.notebooks import NotebookText, html_table
from kproof.outputs import write_folder
from kproof.pictures import Drawing
from kproof.waiting import show_stages

if TYPE_CHECKING:
    from kproof.models.attacks import Disclosure
    from kproof.models.base.verdict import Verdict
    from kproof.models.frontier.comparison import Frontier
    from kproof.models.judgement.findings import JudgementOutcome
    from kproof.models.registry import PrivacyModel
    from kproof.models.tables.release import Release
    from kproof.models.tables.table import Table
    from kproof.report.decision import PublicationDecision
    from kproof.report.sections import ReportResults
    from kproof.schemas.printed import AnonymizedTable, AttackJudged, Checked


@dataclass(frozen=True, eq=False, repr=False)
class Report(NotebookText):
    """The decision about a table, with the page that shows why."""

    results: ReportResults
    """What the page shows."""
    files: Mapping[str, str]
    """The texts of report.html and report.json."""

    @property
    def decision(self) -> PublicationDecision | None:
        """What may be done with the table; None if the page has no such section."""
        decision = self.results.sections.decision
        return None if decision is ABSENT else decision

    @property
    def outcome(self) -> JudgementOutcome:
        """To publish, not to, or not decided; not decided without a decision."""
        from kproof.models.judgement.findings import JudgementOutcome

        return JudgementOutcome.OPEN if self.decision is None else self.decision.outcome

    @check_arguments(folder=PATH)
    def save(self, folder: str | Path = "results") -> Path:
        """Write report.html and report.json to a folder, both or neither; return the page."""
        return write_folder(folder, self.files)[0]

    def plot(self) -> Drawing:
        """Draw how the table stands under each criterion, before and after."""
        from kproof.report.first_page import decision_svg

        if self.decision is None:
            raise InvalidArgument("sections", "no decision", "decision among the sections")
        return Drawing(decision_svg(self.decision))

    def __str__(self) -> str:
        """Return what the command prints, but for the name of the page."""
        if self.decision is None:
            return "a page without a decision"
        head = f"{self.decision.source.name}: {self.decision.heading}"
        return "\n".join([head, *self.decision.reasons])

    def _repr_html_(self) -> str:
        head, *reasons = str(self).splitlines()
        return html_table(head, ["why"], [[reason] for reason in reasons])

    to_dict = JsonForm("*results")


def report(data: object = None, **options: Any) -> Report:
    """Decide whether a table may be published, and how, as ``kproof report``.

    Args:
        data: A frame of pandas, Polars or PyArrow, the name of a file, or that of a shipped table;
            the made-up sample if None.
        **options: Those of the command, with ``_`` for ``-``: ``qi=["age", "zip"]``,
            ``sensitive="disease"``, ``k=5``. Without ``output``, ``save`` of the result writes it.

    >>> roles = {"qi": "Age", "sensitive": "Disease", "identifier": ["ID", "Name"]}
    >>> report("table-1a", **roles, drop=["Zip Code", "Country"], sections="decision").outcome.value
    'do not publish'
    """
    with TemporaryDirectory(prefix="kproof-") as folder:
        place = folder if options.get("output") is None else options["output"]
        named = () if data is None else (data,)
        results = _run(("report",), named, {**options, "output": place})
        names = ("report.html", "report.json")
        texts = {name: Path(place, name).read_text(encoding="utf-8") for name in names}
    return Report(replace(results, report=None), texts)


@overload
def check(
    data: object,
    models: PrivacyModel
    | Iterable[PrivacyModel]
    | Mapping[str, PrivacyModel | Iterable[PrivacyModel]],
    **options: Any,
) -> tuple[Verdict, ...]: ...
@overload
def check(data: object, models: None = None, **options: Any) -> Checked: ...
def check(data: object, models: Any = None, **options: Any) -> Any:
    """Check a published table against privacy models, and judge it, as ``kproof check``.

    Args:
        data: A published frame, the name of a published file or of a shipped table; a Release, a
            Table, equivalence classes, or what :func:`kproof.models.api.check` judges where it is.
        models: Models such as ``kproof.KAnonymity(5)``, one, several, or by the name of a sensitive
            column: they alone are judged. If None, those that options ask for are, and whether the
            table may be published.
        **options: Those of the command: ``k=5``, ``l=2``, ``qi=["age", "zip"]``,
            ``sensitive="disease"``. With ``models`` as for :func:`kproof.models.api.check`.

    Returns:
        The verdicts of ``models``. Without them what the command prints: ``verdicts``,
        ``attained``, ``risk`` and ``judgement``, which is None where nobody judged it.

    >>> import kproof
    >>> roles = {"qi": "Country", "sensitive": "Disease", "identifier": ["ID", "Name"]}
    >>> result = check("table-1a", k=2, **roles, drop=["Age", "Zip Code"])
    >>> result.verdicts[0].word, result.judgement.outcome.value
    ('fails', 'do not publish')
    >>> [verdict] = check("table-1a", kproof.KAnonymity(2), **roles)
    >>> verdict.word
    'fails'
    """
    if models is None and (data is None or isinstance(data, str | Path) or _is_frame(data)):
        return _run(("check",), (data,), options)
    from kproof.models.api import check as check_models

    # An iterator is true even if nothing is left in it: no models at all would hold of every table.
    if isinstance(models, Iterator):
        models = tuple(models)
    if isinstance(models, list | tuple | Mapping) and not models:
        raise InvalidArgument("models", models, "at least one model")
    if models is not None:
        return check_models(data, models, **options)
    with library_words(options) as arguments:
        return _check_without_file(data, arguments)


@overload
def attack(name: str, release: object, *, original: None = None, **options: Any) -> Disclosure: ...
@overload
def attack(name: str, release: object, *, original: object, **options: Any) -> AttackJudged: ...
def attack(name: str, release: object = None, *, original: object = None, **options: Any) -> Any:
    """Attack a published table as an adversary would, as ``kproof attack``.

    Args:
        name: Of an attack on tables.
        release: A Release; published classes; a published frame or file, whose quasi-identifiers
            are taken as labels.
        original: The frame or file that a published one was made of, beside which it is judged.
        **options: Beside an original those of the command: ``qi=["age", "zip"]``,
            ``sensitive="disease"``. Without it as for :func:`kproof.models.attacks.attack`.

    Returns:
        What is disclosed; beside an original that, as ``found``, and the ``judgement``.

    >>> found = attack("homogeneity", "table-1b", qi="Class", sensitive="Disease", identifier="ID")
    >>> print(len(found), found.worst.guess, found.worst.posterior)
    6 HIV 1
    """
    from kproof.models.adversaries import ATTACKS
    from kproof.models.attacks import attack as attack_release

    with name_arguments(attack="name"):
        ATTACKS.entry(name)
    if original is not None:
        return _run(("attack", name), (release,), {**options, "original": original})
    return attack_release(name, release, **options)


def compare(data: object, /, **options: Any) -> Frontier:
    """Compare releases of a table: what they lose, and what they risk, as ``kproof compare``.

    Bounds are compared by :func:`kproof.theory.theorems.comparison.compare`.

    Args:
        data: A frame, the name of a file or of a shipped table; or a Table.
        **options: Those of the command: ``qi=["age", "zip"]``, ``methods=["mondrian", "kaca"]``,
            ``k=[2, 5, 10]``. Of a Table as for
            :func:`kproof.models.frontier.comparison.frontier`.

    >>> roles = {"qi": "Age", "identifier": ["ID", "Name"], "drop": ["Zip Code", "Country"]}
    >>> print(compare("table-1a", methods="mondrian", k=[2, 4], **roles).best[0].name)
    mondrian, k=4
    """
    from kproof.models.tables.table import Table

    if isinstance(data, Table):
        from kproof.models.frontier.comparison import frontier

        # A single value is a list of one, and a text has commas, as on the command line.
        listed = {
            name: str(options[name]).split(",")
            for name in ("k", "suppress", "methods")
            if isinstance(options.get(name), str | int | float)
        }
        return frontier(data, **{**options, **listed})
    if isinstance(data, int):
        raise InvalidArgument("data", data, "a table; kproof.theory.compare compares bounds")
    frontier_found: Frontier = _run(("compare",), (data,), options).found
    return frontier_found


@overload
def anonymize(method: str, data: Table, **options: Any) -> Release: ...
@overload
def anonymize(method: object, data: None = None, **options: Any) -> AnonymizedTable: ...
@overload
def anonymize(method: str, data: object, **options: Any) -> Any: ...
def anonymize(method: object, data: object = None, **options: Any) -> Any:
    """Anonymize data by a registered method or on the safe path, as ``kproof anonymize``.

    Args:
        method: Name of the method, such as ``"mondrian"``. Alone, the table itself, a frame or a
            file: on the safe path classes are chosen and the release is judged.
        data: A Table, a frame, the name of a file or of a shipped table, a city, points, a graph.
        **options: Of a method as for :func:`kproof.models.api.anonymize`: ``k=4``,
            ``qi=["age", "zip"]``. On the safe path those of the command; ``output="release.csv"``
            writes what may be published, with its receipt.

    Returns:
        Of a method a release, which nobody judged. On the safe path what the command prints:
        ``release``, ``judgement``, ``risk``, and ``to_frame()`` for rows that may be published.

    >>> roles = {"qi": "Age", "sensitive": "Disease", "identifier": ["ID", "Name"]}
    >>> anonymize("mondrian", "table-1a", k=4, **roles)
    Release(mondrian: 12 of 12 rows in 2 classes)
    """
    if data is None:
        return _publish_safely(method, options)
    from kproof.models.api import anonymize as run_method

    if not isinstance(method, str):
        raise InvalidArgument(
            "method", type(method).__name__, "the name of a method, then the data"
        )
    return run_method(method, data, **options)


def _publish_safely(data: object, options: Mapping[str, Any]) -> AnonymizedTable:
    from kproof.models.methods import METHODS

    if isinstance(data, str) and data in METHODS:
        raise InvalidArgument("data", None, f"the table that {data} is to anonymize")
    with TemporaryDirectory(prefix="kproof-") as folder:
        own = options.get("output") is None
        place = Path(folder, "release.csv") if own else options["output"]
        result: AnonymizedTable = _run(("anonymize",), (data,), {**options, "output": place})
    # The folder is gone by now, and with it the file that `output` names.
    if own:
        result = replace(result, output=None)
    if not _is_frame(data):
        return result
    # Its rows are to be a frame of the same kind.
    table = replace(result.release.table, source=data)
    return replace(result, release=replace(result.release, table=table))


def _check_without_file(data: object, arguments: dict[str, Any]) -> Checked:
    """Check what no file holds; a Release is judged as its publisher would."""
    from kproof.cli.releases.check import check_classes
    from kproof.models.api import classes_of
    from kproof.models.base.classes import Classes
    from kproof.models.privacies import MODELS, models_by_column, options_of
    from kproof.models.publishing.publisher import TablePublisher
    from kproof.models.tables.release import Release
    from kproof.models.tables.table import Table
    from kproof.schemas.printed import Checked

    arguments = {name: value for name, value in arguments.items() if value is not None}
    keys = {option.key for option in options_of(MODELS).values()}
    model_options = {name: arguments.pop(name) for name in keys & arguments.keys()}
    for name, value in model_options.items():
        # As it is typed, `disease=3,pay=2`: thresholds by column are read in one place, for both.
        if isinstance(value, Mapping):
            model_options[name] = ",".join(f"{column}={own}" for column, own in value.items())
    known_sensitive = bool(arguments.pop("known_sensitive", False))
    # What has its columns already takes no others: whoever restates them and is not refused would
    # believe that the restated ones were judged.
    if arguments and isinstance(data, Release | Table | Classes):
        name = next(iter(arguments))
        admissible = f"options of models, such as k=5: a {type(data).__name__} has its columns"
        raise InvalidArgument(name, arguments[name], admissible)
    classes = classes_of(data, arguments.pop("quasi_identifiers", None), arguments)
    models = models_by_column(model_options, classes.secrets)
    verdicts, attained = check_classes(classes, models, known_sensitive=known_sensitive)
    judgement = None
    if isinstance(data, Release):
        publisher = TablePublisher.of(data.table)
        judgement = publisher.judge(publisher.publication(data))
    about = (classes.rows, classes.count, classes.beside, classes.exposure)
    return Checked(*about, verdicts, attained, None, judgement, tuple(classes.real_sizes.tolist()))


_NEEDS = {**{name: ROLES[name] for name in ("missing", "person", "suppressed")}, "output": PATH}
"""What words of a shell do not tell from a text that was meant."""


def _is_frame(value: object) -> bool:
    from narwhals.dependencies import is_into_dataframe

    return bool(is_into_dataframe(value))


@show_stages
def _run(command: tuple[str, ...], data: Sequence[object], options: Mapping[str, Any]) -> Any:
    """Run a command on data, with options as a caller in Python says them; return its result."""
    from cyclopts import CycloptsError

    from kproof.cli.app import app
    from kproof.cli.base.options import in_python, option_of, refusal, words_of
    from kproof.cli.base.printing import collect_results
    from kproof.piped import text_files

    frames: dict[str, object] = {}

    def file_of(keyword: str, value: object) -> str | None:
        if not _is_frame(value):
            return None
        frames[f"<{keyword}>"] = value
        return f"<{keyword}>"

    for source in data:
        if not isinstance(source, str | Path) and not _is_frame(source):
            admissible = "a frame of pandas, Polars or PyArrow, or the name of a file"
            raise InvalidArgument("data", source, admissible)
    sources = [file_of("data", source) or str(source) for source in data]
    for keyword, value in options.items():
        if value is not None and keyword in _NEEDS and not _NEEDS[keyword].accepts(value):
            raise InvalidArgument(keyword, value, _NEEDS[keyword].phrase)
    if frames:
        # A frame has names: the command would guess from the cells whether the first line holds
        # them.
        options = {"header": "yes", **options}
    words, keyword_of = words_of(options, app, command, file_of)
    # A gap is written with the first text that this very call reads as missing.
    gaps = tuple(word[10:] for word in words if word.startswith("--missing="))
    texts = {name: _csv_of(frame, gaps or MISSING_CELLS) for name, frame in frames.items()}
    with text_files(texts), collect_results() as results:
        try:
            # `--`: a file's name may begin with a dash.
            app([*command, *words, "--json", "--", *sources], result_action="return_value")
        except CycloptsError as error:
            raise refusal(str(error), keyword_of, options) from None
        except InvalidArgument as error:
            option = option_of(error, app, command)
            name = keyword_of.get(option or "", error.name)
            raise InvalidArgument(name, error.value, in_python(error.admissible)) from None
        except KProofError as error:
            raise type(error)(in_python(str(error))) from None
        except OSError as error:
            raise DataError(f"{error.filename or 'output'}: {error.strerror or error}") from None
    return results[0]


def _csv_of(frame: object, missing: tuple[str, ...]) -> bytes:
    """Return a frame as the text of a file, in which its missing values are as files have them."""
    from kproof.models.tables.frames import texts_of_frame
    from kproof.models.tables.roles import Roles

    index_names = getattr(getattr(frame, "index", None), "names", ())
    if any(name is not None for name in index_names):
        hint = "reset_index() makes columns of it, reset_index(drop=True) leaves it out"
        raise DataError(f"the frame has an index called {show(list(index_names))}: {hint}")
    rows, columns = texts_of_frame(frame, Roles.of(quasi_identifiers=None, missing=missing))
    if not columns:
        raise DataError("the frame has no columns")
    for name, (_, texts) in columns.items():
        # Distinct texts, not rows: there may be a million rows and two texts.
        for cell in texts:
            if cell != cell.strip():
                fault = "has blanks at its ends, which a file does not keep; strip them"
                raise DataError(f"column {show(name)}: {show(cell)} {fault}")
    # Code -1, a missing value, picks the last entry.
    cells = [map((*texts, missing[0]).__getitem__, codes) for codes, texts in columns.values()]
    file = StringIO()
    # In quotes, so that no sign in a cell is taken for what stands between cells.
    lines = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
    lines.writerow(columns)
    lines.writerows(zip(*cells, strict=True) if rows else ())
    try:
        return file.getvalue().encode()
    except UnicodeEncodeError as error:
        half = f"{error.object[error.start]!a}"
        raise DataError(f"a cell has half a character, {half}; a file holds whole ones") from None
