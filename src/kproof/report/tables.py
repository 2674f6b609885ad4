"""The section on a table: what holds, what is disclosed and what it costs, before and after.

The table as it is and a release by each method stand side by side, held to the same models,
attacks and measures. Everything shown is computed by the models package; here it is only chosen
and drawn.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

from markupsafe import Markup

from kproof.errors import KProofError
from kproof.forms import JsonForm
from kproof.models.api import anonymize
from kproof.models.attacks import ATTACKS, Disclosure, attack
from kproof.models.base.classes import Classes
from kproof.models.base.verdict import Verdict
from kproof.models.frontier.attempts import there_in, unmet
from kproof.models.judgement.findings import FindingStanding, JudgedCriterion, Judgement
from kproof.models.judgement.judge import judge
from kproof.models.judgement.reading import of_release
from kproof.models.methods import METHODS
from kproof.models.privacies import MODELS
from kproof.models.privacy import Summary, summary
from kproof.models.privacy.base import short_text
from kproof.models.publishing.published import percent
from kproof.models.registry import Kind, Needs, PrivacyModel
from kproof.models.tables.plots import before_after
from kproof.models.tables.release import Release
from kproof.models.tables.risk.chances import share_of
from kproof.models.tables.sealing import seal
from kproof.models.tables.utility import Utility, utility
from kproof.report.context import BuiltSection, Context, Microdata, fragment
from kproof.report.figures import LINES, OTHER, bar_key_svg, bars_svg, key_svg
from kproof.report.findings import of_columns
from kproof.stages import stage
from kproof.theory.theorems.theta import theta

_AS_IT_IS = "as it is"
ATTACK_OPTIONS: Mapping[str, Any] = {"gain": "difference", "least": Fraction(1, 2)}
"""What the page asks of attacks: skewness counts whoever's value becomes more probable by as much
as the judge takes for a sure bet."""

MOST_COMPARED = 200_000
"""Rows up to which methods are compared: of a million each takes half a minute."""

_BARS = 24
_P = 2
"""Distinct categories that p+-sensitivity is asked for where there are categories."""


@dataclass(frozen=True, slots=True)
class _Outcome:
    """A release with what was found out about it; the table itself is one without a method."""

    name: str
    """The method, or as it is."""
    release: Release
    classes: Classes
    """What was published, and its classes."""
    attained: Summary
    """The parameters of privacy models that it attains."""
    utility: Utility
    """What it costs."""
    disclosures: Mapping[str, Disclosure]
    """What each attack discloses."""
    judgement: Judgement
    """Whether it may be published as it is made."""


@dataclass(frozen=True, slots=True)
class _Cell:
    """One figure, and beside it how it stands."""

    value: str
    standing: str = ""
    words: str = ""


_Row = tuple[str, str, list[_Cell]]
"""A row of the comparison: its name, what it is, and its figure for each outcome."""


@dataclass(frozen=True, slots=True)
class OutcomeResults:
    """What was found out about a release."""

    outcome: _Outcome
    verdicts: tuple[Verdict, ...]
    """Models that were asked for."""

    limit: ClassVar[int] = 0
    """Nobody is listed by name."""

    to_dict = JsonForm(
        "name=outcome.name release=outcome.release verdicts attained=outcome.attained",
        "judgement=outcome.judgement utility=outcome.utility",
        "disclosures=outcome.disclosures.to_dict(limit)",
    )


@dataclass(frozen=True, slots=True)
class Refused:
    """A method that published nothing."""

    method: str
    """The method."""
    reason: str
    """Why."""


@dataclass(frozen=True, slots=True)
class TableResults:
    """The table and its releases."""

    source: str
    """The table."""
    k: int
    """Fewest people in a class that were asked for."""
    mu: Fraction
    """Share of the variance that was asked for."""
    outcomes: tuple[OutcomeResults, ...]
    """The table as it is, and a release by each method."""
    problems: tuple[Refused, ...]
    """Methods that published nothing."""


def build(context: Context) -> BuiltSection:
    """Return the section; without roles it says how to name them."""
    microdata = context.microdata
    if microdata is None:
        return BuiltSection(fragment("tables.html", given=None))
    of_row, _ = microdata.table.equivalence_classes
    unchanged = seal(microdata.table, of_row, method=_AS_IT_IS, parameters={})
    # One table has one judgement, whichever page speaks of it.
    decided = None if context.decision is None else context.decision.as_it_is
    outcomes = [_outcome(_AS_IT_IS, unchanged, microdata, decided)]
    problems = []
    methods = tuple(_methods(microdata))
    rows = microdata.table.rows
    if rows > MOST_COMPARED:
        reason = (
            f"not tried, as {rows:,} rows are more than the {MOST_COMPARED:,} up to which this "
            "page compares methods"
        )
        problems += [(method, f"{reason}; kproof compare does") for method, _ in methods]
        methods = ()
    with stage("your table", len(methods)) as progress:
        for tried, (method, parameters) in enumerate(methods):
            progress.advance(tried, f"your table: {method}")
            try:
                release = anonymize(method, microdata.table, **parameters)
            except KProofError as reason:
                problems.append((method, str(reason)))
            else:
                outcomes.append(_outcome(method, release, microdata))
    scope = outcomes[0].attained.scope
    secrets = [column.name for column in microdata.table.secrets]
    columns = [*(column.name for column in microdata.table.quasi_identifiers), *secrets]
    page = fragment(
        "tables.html",
        given=microdata,
        quasi_identifiers=[column.name for column in microdata.table.quasi_identifiers],
        sensitive=" and ".join(secrets) or None,
        notes=[
            *_least_levels(microdata),
            # What no figure of the page speaks of.
            *replace(scope, left_out=(*microdata.table.beside, *scope.left_out)).notes,
        ],
        theta=short_text(theta(microdata.k, microdata.mu), up=False),
        mu=short_text(microdata.mu, up=False),
        names=[outcome.name for outcome in outcomes],
        groups=_groups(microdata, outcomes),
        problems=problems,
        reading=[_sentences(outcome) for outcome in outcomes],
        worst=[
            (outcome.name, list(_worst(outcome))) for outcome in outcomes if outcome.disclosures
        ],
        figures=[
            (name, *_figure(f"before-after-{place}", name, outcomes[1:]))
            for place, name in enumerate(columns, 1)
        ],
        keys=[
            (Markup(bar_key_svg()), _AS_IT_IS),
            *(
                (Markup(key_svg(LINES.get(outcome.name, OTHER))), outcome.name)
                for outcome in outcomes[1:]
            ),
        ],
    )
    models = [requested for requested in _models(microdata) if requested.judged]
    results = TableResults(
        microdata.source,
        microdata.k,
        microdata.mu,
        tuple(
            OutcomeResults(outcome, tuple(requested.verdict(outcome) for requested in models))
            for outcome in outcomes
        ),
        tuple(Refused(*problem) for problem in problems),
    )
    return BuiltSection(page, results)


def _least_levels(microdata: Microdata) -> Iterator[str]:
    """Yield which columns show no value as it is, whatever is published of them."""
    for column in microdata.table.quasi_identifiers:
        if column.least_level:
            yield f"{column.name} at level {column.least_level} or higher, also as it is"


def _methods(microdata: Microdata) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the methods that the table's roles allow, with what is asked of them."""
    settings = _page_parameters(microdata)
    for name, method in METHODS.items():
        required = {key for key, parameter in method.parameters.items() if parameter.required}
        relevant = required.union(*(promise.about for promise in method.unconditional))
        fits = not unmet(method, there_in(microdata.table), settings)
        if fits and method.compared and not method.once and relevant <= settings.keys():
            yield name, {key: settings[key] for key in method.parameters if key in relevant}


def _page_parameters(microdata: Microdata) -> dict[str, Any]:
    """Return what the page asks of methods, models and attacks, by name of the parameter."""
    return {"k": microdata.k, "l": microdata.values, "mu": microdata.mu, "p": _P, **ATTACK_OPTIONS}


def _attacks(microdata: Microdata) -> dict[str, tuple[str, dict[str, Any]]]:
    """Return the attacks that the table's roles allow, with their options, by how they are called.

    Each has a go at every sensitive column; only values of the first have categories.
    """
    settings = _page_parameters(microdata)
    by_title = {}
    for column in microdata.table.secrets:
        first = column is microdata.table.sensitive
        for name, entry in ATTACKS.items():
            available = there_in(microdata.table) - (set() if first else {Needs.CATEGORIES})
            if entry.kind is Kind.TABLE and entry.needs <= available:
                options = {key: settings[key] for key in entry.parameters if key in settings}
                called = name if first else f"{name} of {column.name}"
                by_title[called] = (name, options if first else options | {"target": column.name})
    return by_title


def _outcome(
    name: str, release: Release, microdata: Microdata, judgement: Judgement | None = None
) -> _Outcome:
    classes = release.classes()
    disclosures = {
        called: attack(attack_name, release, **options)
        for called, (attack_name, options) in _attacks(microdata).items()
    }
    costs = utility(release, k=microdata.k)
    judgement = judgement or judge(of_release(release))
    return _Outcome(name, release, classes, summary(classes), costs, disclosures, judgement)


_Measure = tuple[str, str, Callable[[_Outcome], str]]
_PUBLISHED: tuple[_Measure, ...] = (
    ("rows", "of people, and what noise was added", lambda outcome: _rows(outcome.utility)),
    ("classes", "fewest to most rows in one", lambda outcome: _sizes(outcome.classes)),
    (
        "judged",
        "for the public, as the method makes it; what is recommended stands on the first page",
        lambda outcome: outcome.judgement.outcome.value,
    ),
)
_LOST: tuple[_Measure, ...] = (
    (
        "certainty penalty",
        "mean width of labels, 0 to 1 (NCP)",
        lambda outcome: f"{outcome.utility.penalty:.4f}",
    ),
    (
        "query error",
        "mean of 1,000 COUNT queries, rows of a class spread evenly",
        lambda outcome: _query(outcome.utility),
    ),
    (
        "discernibility",
        "sum of squared class sizes (DCP)",
        lambda outcome: f"{outcome.utility.discernibility:,}",
    ),
    (
        "average class",
        "over k = {k} (C_AVG)",
        lambda outcome: _number(outcome.utility.average_class_size),
    ),
)


def _groups(microdata: Microdata, outcomes: Sequence[_Outcome]) -> Iterator[tuple[str, list[_Row]]]:
    """Yield the rows of the comparison under their headings."""

    def plain(measures: tuple[_Measure, ...]) -> list[_Row]:
        return [
            (name, meaning.format(k=microdata.k), [_Cell(of(outcome)) for outcome in outcomes])
            for name, meaning, of in measures
        ]

    yield "Published", plain(_PUBLISHED)
    yield (
        "Models",
        [
            (model.name, model.meaning, [_cell_of(model, outcome) for outcome in outcomes])
            for model in _models(microdata)
        ],
    )
    if microdata.table.sensitive is not None:
        whom = "people" if _own_rows(microdata) else "rows, each by itself,"
        people = f"of {microdata.table.rows:,} {whom} disclosed"
        yield (
            f"Attacks by equal values alone: {people}",
            [
                _attack_row(called, *attack, microdata, outcomes)
                for called, attack in _attacks(microdata).items()
            ],
        )
    yield "Lost", plain(_LOST)


@dataclass(frozen=True, slots=True)
class _RequestedModel:
    """A privacy model that the table's roles allow; one that nobody asked for is not judged."""

    name: str
    meaning: str
    model: PrivacyModel
    judged: bool
    column: str | None = None

    def verdict(self, outcome: _Outcome) -> Verdict:
        """Return how a release stands to it."""
        classes = outcome.classes if self.column is None else outcome.classes.of(self.column)
        return self.model.check(classes)


def _models(microdata: Microdata) -> Iterator[_RequestedModel]:
    """Yield the models; those of a sensitive value for every column of them."""
    settings = _page_parameters(microdata)
    for entry in MODELS.values():
        if entry.symbol and entry.needs <= there_in(microdata.table):
            judged = entry.parameters.keys() <= settings.keys()
            values = [settings[name] for name in entry.parameters] if judged else entry.loosest
            meaning = entry.parameters[entry.lead].help
            model = entry.model(*values)
            yield _RequestedModel(entry.symbol, meaning, model, judged)
            if Needs.SENSITIVE in entry.needs and Needs.CATEGORIES not in entry.needs:
                for column in microdata.table.further:
                    called = f"{entry.symbol} of {column.name}"
                    yield _RequestedModel(called, meaning, model, judged, column.name)


def _cell_of(requested: _RequestedModel, outcome: _Outcome) -> _Cell:
    """Return what is attained of a model; one that was asked for holds or fails."""
    verdict = requested.verdict(outcome)
    value = verdict.value
    if isinstance(value, float):
        text = _number(value)
    else:
        # The least t that is attained is rounded up, the largest l down: what is shown is attained,
        # too.
        up = "least" in verdict.meaning
        text = value if isinstance(value, str) else short_text(value, up=up)
    answer = ("holds" if verdict else "fails") if requested.judged else ""
    return _Cell(text, answer, answer)


def _attack_row(
    called: str,
    name: str,
    options: Mapping[str, Any],
    microdata: Microdata,
    outcomes: Sequence[_Outcome],
) -> _Row:
    cells = []
    for outcome in outcomes:
        disclosure = outcome.disclosures[called]
        share = f"{100 * len(disclosure) / microdata.table.rows:.3g} % disclosed"
        worst = disclosure.worst
        if worst is None and name == "suppression" and not len(outcome.release.suppressed):
            cells.append(_Cell("–", "open", "Not applicable: no row was suppressed."))
        elif worst is None:
            cells.append(_Cell("–", "open", "not judged"))
        elif not disclosure:
            whom = "nobody" if _own_rows(microdata) else "no row"
            # Rounded up: no guess is shown to be weaker than it is.
            best = short_text(100 * worst.posterior, up=True)
            words = f"{whom}; the best guess is right {best} % of the time"
            inferred = outcome.judgement.under(JudgedCriterion.INFERENCE)
            met = all(finding.standing is FindingStanding.MET for finding in inferred)
            # The attack sees rows one by one; that nothing is certain is the judge's to say, too.
            if met and worst.posterior < 1 and disclosure.scope.column:
                words = f"No {disclosure.scope.column} is certain{words.removeprefix(whom)}."
            cells.append(_Cell("0", "nobody", words))
        else:
            cells.append(_Cell(f"{len(disclosure):,}", "disclosed", share))
    typed = ", ".join(f"{key} = {value}" for key, value in options.items())
    meaning = ATTACKS[name].summary + (f" ({typed})" if typed else "")
    return called.replace(name, name.replace("-", " ")), meaning, cells


def _own_rows(microdata: Microdata) -> bool:
    """Say whether each row is a person's own."""
    person = microdata.table.person
    return person is None or len(person.values) == microdata.table.rows


def _worst(outcome: _Outcome) -> Iterator[tuple[str, str]]:
    """Yield the person who fares worst in each attack, in words."""
    for name, disclosure in outcome.disclosures.items():
        worst = disclosure.worst
        if worst is not None:
            chance = short_text(worst.posterior, up=True)
            rows = "1 row fits" if worst.candidates == 1 else f"{worst.candidates:,} rows fit"
            bet = f"{disclosure.target.value} {worst.guess} with probability {chance}"
            yield name.replace("-", " "), f"{worst.who}: {bet}; {rows}"


def _sentences(outcome: _Outcome) -> tuple[str, str]:
    """Return the name of an outcome and what it comes to, in a few sentences."""
    people = outcome.classes.real_sizes
    alone, fewest = int((people == 1).sum()), int(people.min())
    parts = []
    person = outcome.release.table.person
    if alone and person is not None and len(person.values) < outcome.release.table.rows:
        # Who has several rows may be alone with each of them.
        parts.append(f"{alone:,} classes have one person.")
    elif alone:
        who = share_of(alone, int(people.sum()), "people").capitalize()
        parts.append(f"{who} can be singled out.")
    else:
        parts.append(f"Everyone is among {fewest:,} people or more.")
    # What is certain is the judge's to say: attacks see rows one by one, and equal values alone.
    parts.append(f"Judged: {outcome.judgement.sentence}.")
    if outcome.utility.noise:
        parts.append(f"{outcome.utility.noise:,} of the rows are nobody's.")
    if outcome.name != _AS_IT_IS:
        error = outcome.utility.query_error
        off = "not asked for" if error is None else f"{100 * error.uniform_mean:.3g} %"
        parts.append(
            f"Generalizing costs {percent(outcome.utility.penalty)} of the detail; a count is "
            f"{off} off on average."
        )
    return outcome.name, " ".join(parts)


def _figure(anchor: str, name: str, outcomes: list[_Outcome]) -> tuple[str, Markup]:
    """Return what a column before, and after each method, shows, and the chart of it."""
    pictures = {
        outcome.name: before_after(outcome.release, name, bars=_BARS) for outcome in outcomes
    }
    if not pictures:
        return "", Markup()
    first = next(iter(pictures.values()))
    after = {method: shape.after for method, shape in pictures.items()}
    finding = of_columns(first.before, after)
    label = f"{name}: {finding}. Rows by value, before and after"
    return finding, Markup(bars_svg(anchor, label, first.labels, first.before, after))


def _rows(utility: Utility) -> str:
    people = f"{utility.published - utility.noise:,}"
    return f"{people} + {utility.noise:,} noise" if utility.noise else people


def _sizes(classes: Classes) -> str:
    return f"{classes.count:,} of {int(classes.sizes.min()):,} to {int(classes.sizes.max()):,}"


def _query(utility: Utility) -> str:
    return "none" if utility.query_error is None else f"{utility.query_error.uniform_mean:.4f}"


def _number(value: Fraction | float | None) -> str:
    return "none" if value is None else f"{float(value):.4g}"
