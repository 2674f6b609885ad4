"""The section on a table: what holds, what is disclosed and what it costs, before and after.

The table as it is and a release by each method stand side by side, held to the same models,
attacks and measures. Everything shown is computed by the models package; here it is only chosen
and drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar

from markupsafe import Markup

from kproof.errors import KProofError
from kproof.forms import JsonForm
from kproof.models.api import anonymize
from kproof.models.attacks import ATTACKS, Disclosure, attack
from kproof.models.base.classes import Classes
from kproof.models.base.verdict import Verdict
from kproof.models.frontier.attempts import there_in, unmet
from kproof.models.judgement.judge import judge
from kproof.models.judgement.judgement import Judgement
from kproof.models.judgement.reading import of_release
from kproof.models.methods import METHODS
from kproof.models.privacies import MODELS
from kproof.models.privacy import Summary, summary
from kproof.models.privacy.base import shown
from kproof.models.registry import Kind, Needs, PrivacyModel
from kproof.models.tables.plots import before_after
from kproof.models.tables.release import Release
from kproof.models.tables.sealing import released
from kproof.models.tables.utility import Utility, utility
from kproof.report.context import BuiltSection, Context, Microdata
from kproof.report.figures import LINES, OTHER, bar_key_svg, bars_svg, key_svg
from kproof.report.findings import of_columns
from kproof.report.page import fragment
from kproof.stages import stage
from kproof.theory.theorems.theta import theta

_AS_IT_IS = "as it is"
ATTACK_OPTIONS: Mapping[str, Any] = {"gain": "difference", "least": Fraction(1, 2)}
"""What the page asks of attacks: skewness counts whoever's value becomes more probable by as much
as the judge takes for a sure bet."""

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


@dataclass(frozen=True, slots=True)
class _Measure:
    """One row of the comparison: its name, what it is, and its figure for an outcome."""

    name: str
    meaning: str
    of: Callable[[_Outcome], _Cell]


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
    given = context.microdata
    if given is None:
        return BuiltSection(fragment("tables.html", given=None))
    as_it_is = _outcome(_AS_IT_IS, _unchanged(given), given)
    if context.decision is not None and context.decision.as_it_is is not None:
        # One table has one judgement, whichever page speaks of it.
        as_it_is = replace(as_it_is, judgement=context.decision.as_it_is)
    outcomes = [as_it_is]
    problems = []
    methods = tuple(_methods(given))
    with stage("your table", len(methods)) as at:
        for done, (method, parameters) in enumerate(methods):
            at.reached(done, f"your table: {method}")
            try:
                release = anonymize(method, given.table, **parameters)
            except KProofError as reason:
                problems.append((method, str(reason)))
            else:
                outcomes.append(_outcome(method, release, given))
    secrets = [column.name for column in given.table.secrets]
    columns = [*(column.name for column in given.table.quasi_identifiers), *secrets]
    page = fragment(
        "tables.html",
        given=given,
        quasi_identifiers=[column.name for column in given.table.quasi_identifiers],
        sensitive=" and ".join(secrets) or None,
        notes=_notes(given, outcomes[0]),
        theta=shown(theta(given.k, given.mu), up=False),
        mu=shown(given.mu, up=False),
        names=[one.name for one in outcomes],
        groups=[
            (heading, [(row.name, row.meaning, [row.of(one) for one in outcomes]) for row in rows])
            for heading, rows in _measures(given)
        ],
        problems=problems,
        reading=[_reading(one) for one in outcomes],
        worst=[(one.name, list(_worst(one))) for one in outcomes if one.disclosures],
        figures=[
            (name, *_figure(f"before-after-{place}", name, outcomes[1:]))
            for place, name in enumerate(columns, 1)
        ],
        keys=[
            (Markup(bar_key_svg()), _AS_IT_IS),
            *((Markup(key_svg(LINES.get(one.name, OTHER))), one.name) for one in outcomes[1:]),
        ],
    )
    results = TableResults(
        given.source,
        given.k,
        given.mu,
        tuple(OutcomeResults(one, _verdicts(one, given)) for one in outcomes),
        tuple(Refused(*problem) for problem in problems),
    )
    return BuiltSection(page, results)


def _verdicts(one: _Outcome, given: Microdata) -> tuple[Verdict, ...]:
    """Return how a release stands to the models that are asked for."""
    return tuple(
        asked.model.check(_judged(one, asked.column))
        for asked in _asked_models(given)
        if asked.judged
    )


def _notes(given: Microdata, as_it_is: _Outcome) -> tuple[str, ...]:
    """Return what no figure of the page speaks of."""
    scope = as_it_is.attained.scope
    return replace(scope, left_out=(*given.table.beside, *scope.left_out)).notes


def _methods(given: Microdata) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the methods that the table's roles allow, with what is asked of them."""
    asked = _asked(given)
    for name, method in METHODS.items():
        required = {key for key, one in method.parameters.items() if one.required}
        wanted = required.union(*(promise.about for promise in method.unconditional))
        fits = not unmet(method, there_in(given.table), asked)
        if fits and method.compared and wanted <= asked.keys():
            yield name, {key: asked[key] for key in method.parameters if key in wanted}


def _asked(given: Microdata) -> dict[str, Any]:
    """Return what the page asks of methods, models and attacks, by name of the parameter."""
    return {"k": given.k, "l": given.values, "mu": given.mu, "p": _P, **ATTACK_OPTIONS}


def _attacks(given: Microdata) -> dict[str, tuple[str, dict[str, Any]]]:
    """Return the attacks that the table's roles allow, with their options, by how they are called.

    Each has a go at every sensitive column; only values of the first have categories.
    """
    asked = _asked(given)
    found = {}
    for column in given.table.secrets:
        first = column is given.table.sensitive
        for name, one in ATTACKS.items():
            there = there_in(given.table) - (set() if first else {Needs.CATEGORIES})
            if one.kind is Kind.TABLE and one.needs <= there:
                options = {key: asked[key] for key in one.parameters if key in asked}
                called = name if first else f"{name} of {column.name}"
                found[called] = (name, options if first else options | {"target": column.name})
    return found


def _unchanged(given: Microdata) -> Release:
    """Return the table published as it is."""
    of_row, _ = given.table.equivalence_classes
    return released(given.table, of_row, method=_AS_IT_IS, parameters={})


def _outcome(name: str, release: Release, given: Microdata) -> _Outcome:
    classes = release.classes()
    found = {
        called: attack(one, release, **options)
        for called, (one, options) in _attacks(given).items()
    }
    costs, judgement = utility(release, k=given.k), judge(of_release(release))
    return _Outcome(name, release, classes, summary(classes), costs, found, judgement)


def _measures(given: Microdata) -> Iterator[tuple[str, list[_Measure]]]:
    """Yield the groups of rows of the comparison."""
    yield (
        "Published",
        [
            _Measure(
                "rows", "of people, and what noise was added", lambda one: _Cell(_rows(one.utility))
            ),
            _Measure(
                "classes", "fewest to most rows in one", lambda one: _Cell(_sizes(one.classes))
            ),
            _Measure(
                "judged",
                "for the public, as the method makes it; what is recommended stands on the first "
                "page",
                lambda one: _Cell(one.judgement.outcome.value),
            ),
        ],
    )
    yield "Models", list(_models(given))
    if given.table.sensitive is not None:
        whom = "people" if _own_rows(given) else "rows, each by itself,"
        people = f"of {given.table.rows:,} {whom} disclosed"
        yield (
            f"Attacks by equal values alone: {people}",
            [_attack(called, *one, given) for called, one in _attacks(given).items()],
        )
    yield (
        "Lost",
        [
            _Measure(
                "certainty penalty",
                "mean width of labels, 0 to 1 (NCP)",
                lambda one: _Cell(f"{one.utility.penalty:.4f}"),
            ),
            _Measure(
                "query error",
                "mean of 1,000 COUNT queries, rows of a class spread evenly",
                lambda one: _Cell(_query(one.utility)),
            ),
            _Measure(
                "discernibility",
                "sum of squared class sizes (DCP)",
                lambda one: _Cell(f"{one.utility.discernibility:,}"),
            ),
            _Measure(
                "average class",
                f"over k = {given.k} (C_AVG)",
                lambda one: _Cell(_number(one.utility.average_class_size)),
            ),
        ],
    )


@dataclass(frozen=True, slots=True)
class _AskedModel:
    """A privacy model that the table's roles allow; one that nobody asked for is not judged."""

    name: str
    meaning: str
    model: PrivacyModel
    judged: bool
    column: str | None = None


def _asked_models(given: Microdata) -> Iterator[_AskedModel]:
    """Yield the models; those of a sensitive value for every column of them."""
    asked = _asked(given)
    for entry in MODELS.values():
        if entry.symbol and entry.needs <= there_in(given.table):
            judged = entry.parameters.keys() <= asked.keys()
            values = [asked[name] for name in entry.parameters] if judged else entry.loosest
            meaning = entry.parameters[entry.lead].help
            model = entry.model(*values)
            yield _AskedModel(entry.symbol, meaning, model, judged)
            if Needs.SENSITIVE in entry.needs and Needs.CATEGORIES not in entry.needs:
                for column in given.table.further:
                    called = f"{entry.symbol} of {column.name}"
                    yield _AskedModel(called, meaning, model, judged, column.name)


def _judged(one: _Outcome, column: str | None) -> Classes:
    return one.classes if column is None else one.classes.of(column)


def _models(given: Microdata) -> Iterator[_Measure]:
    """Yield what each model attains; those that were asked for hold or fail."""
    for asked in _asked_models(given):
        yield _Measure(asked.name, asked.meaning, partial(_cell_of, asked))


def _cell_of(asked: _AskedModel, one: _Outcome) -> _Cell:
    verdict = asked.model.check(_judged(one, asked.column))
    value = verdict.value
    text = value if isinstance(value, str) else _rounded(value, up="least" in verdict.meaning)
    standing = ("holds" if verdict else "fails") if asked.judged else ""
    return _Cell(text, standing, standing)


def _attack(called: str, name: str, options: Mapping[str, Any], given: Microdata) -> _Measure:
    def of(one: _Outcome) -> _Cell:
        found = one.disclosures[called]
        if found.unmatched == found.victims:
            return _Cell("–", "", "not judged")
        if not found:
            return _Cell("0", "nobody", "nobody" if _own_rows(given) else "no row")
        share = 100 * len(found) / given.table.rows
        return _Cell(f"{len(found):,}", "disclosed", f"{share:.3g} % disclosed")

    typed = ", ".join(f"{key} = {value}" for key, value in options.items())
    meaning = ATTACKS[name].summary + (f" ({typed})" if typed else "")
    return _Measure(called.replace(name, name.replace("-", " ")), meaning, of)


def _own_rows(given: Microdata) -> bool:
    """Say whether each row is a person's own."""
    person = given.table.person
    return person is None or len(person.values) == given.table.rows


def _worst(one: _Outcome) -> Iterator[tuple[str, str]]:
    """Yield the person who fares worst in each attack, in words."""
    for name, found in one.disclosures.items():
        worst = found.worst
        if worst is not None:
            chance = shown(worst.posterior, up=True)
            rows = "1 row fits" if worst.candidates == 1 else f"{worst.candidates:,} rows fit"
            bet = f"{found.target.value} {worst.guess} with probability {chance}"
            yield name.replace("-", " "), f"{worst.who}: {bet}; {rows}"


def _reading(one: _Outcome) -> tuple[str, str]:
    """Return the name of an outcome and what it comes to, in a few sentences."""
    people = one.classes.real_sizes
    alone, least = int((people == 1).sum()), int(people.min())
    parts = []
    person = one.release.table.person
    if alone and person is not None and len(person.values) < one.release.table.rows:
        # Who has several rows may be alone with each of them.
        parts.append(f"{alone:,} classes have one person.")
    elif alone:
        parts.append(f"{_persons(alone)} alone with their quasi-identifiers.")
    else:
        parts.append(f"Everyone is among {least:,} people or more.")
    # What is certain is the judge's to say: attacks see rows one by one, and equal values alone.
    parts.append(f"Judged: {one.judgement.sentence}.")
    if one.utility.noise:
        parts.append(f"{one.utility.noise:,} of the rows are nobody's.")
    if one.name != _AS_IT_IS:
        parts.append(
            f"Labels lose {100 * one.utility.penalty:.3g} % of what the columns tell; a count is "
            f"{_percent(one.utility)} off in the mean."
        )
    return one.name, " ".join(parts)


def _figure(anchor: str, name: str, outcomes: list[_Outcome]) -> tuple[str, Markup]:
    """Return what a column before, and after each method, shows, and the chart of it."""
    drawn = {one.name: before_after(one.release, name, bars=_BARS) for one in outcomes}
    if not drawn:
        return "", Markup()
    first = next(iter(drawn.values()))
    after = {method: shape.after for method, shape in drawn.items()}
    finding = of_columns(first.before, after)
    label = f"{name}: {finding}. Rows by value, before and after"
    return finding, Markup(bars_svg(anchor, label, first.labels, first.before, after))


def _persons(count: int) -> str:
    return f"{count:,} {'person is' if count == 1 else 'people are'}"


def _rows(found: Utility) -> str:
    people = f"{found.published - found.noise:,}"
    return f"{people} + {found.noise:,} noise" if found.noise else people


def _sizes(classes: Classes) -> str:
    return f"{classes.count:,} of {int(classes.sizes.min()):,} to {int(classes.sizes.max()):,}"


def _query(found: Utility) -> str:
    return "none" if found.query_error is None else f"{found.query_error.uniform_mean:.4f}"


def _percent(found: Utility) -> str:
    error = found.query_error
    return "not asked for" if error is None else f"{100 * error.uniform_mean:.3g} %"


def _number(value: Fraction | float | None) -> str:
    return "none" if value is None else f"{float(value):.4g}"


def _rounded(value: int | Fraction | float, *, up: bool) -> str:
    return _number(value) if isinstance(value, float) else shown(value, up=up)
